/* Offers arbitrary bytes to every reader of an encoding. */
#include <stdio.h>

#include "harness/check/agreement.h"
#include "harness/core/guard.h"
#include "harness/registry.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The result of one reader for the bytes. */
struct reception {
    enum bo_status open, decode;
    struct bo_error open_error, decode_error;
    void *reader, *model;
    struct bo_arena of_reader, of_model; /* each has the full budget */
};

static bool same_verdict(enum bo_status a, enum bo_status b)
{
    const bool memory = a == BO_OVER_LIMIT || b == BO_OVER_LIMIT;
    return memory || (a == BO_OK) == (b == BO_OK);
}

/* The open of a lazy codec may accept what its decode rejects, but not the other way round. */
static bool verdicts_agree(const struct bo_codec *codec, const struct reception *r)
{
    return same_verdict(r->open, r->decode) || (codec->lazy && r->open == BO_OK);
}

static bool stays_within_budget(const struct bo_format *format, const struct bo_codec *codec,
                                const struct bo_effort *effort, const struct reception *r,
                                struct bo_finding *finding)
{
    const bool by_reader = r->of_reader.refusal != BO_OK;
    struct bo_error error;
    if (!effort->budget_is_ample || (!by_reader && r->of_model.refusal == BO_OK))
        return true;
    (void)bo_fail_alloc(&error, by_reader ? &r->of_reader : &r->of_model);
    bo_finding_set(finding, format, NULL, codec, "itself", "memory");
    bo_finding_explain(finding, by_reader ? "open, or a query" : "decode", &error);
    return false;
}

static bool receive(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, struct reception *r, struct bo_finding *finding)
{
    *r = (struct reception){.reader = NULL};
    bo_arena_init(&r->of_reader, effort->budget_nbytes);
    bo_arena_init(&r->of_model, effort->budget_nbytes);
    r->open = codec->open(codec, in, &r->of_reader, &r->reader, &r->open_error);
    r->decode = codec->decode(codec, in, &r->of_model, &r->model, &r->decode_error);
    if ((r->open && !bo_error_is_complete(r->open, &r->open_error)) ||
        (r->decode && !bo_error_is_complete(r->decode, &r->decode_error))) {
        bo_finding_set(finding, format, NULL, codec, "itself", "unnamed-error");
        return false;
    }
    if (!stays_within_budget(format, codec, effort, r, finding))
        return false;
    if (!verdicts_agree(codec, r)) {
        bo_finding_set(finding, format, NULL, codec, "itself", "open-decode-disagree");
        bo_finding_explain(finding, r->open ? "open refuses" : "decode refuses",
                           r->open ? &r->open_error : &r->decode_error);
        return false;
    }
    return true;
}

static void forget(struct reception *r)
{
    bo_arena_free(&r->of_reader);
    bo_arena_free(&r->of_model);
}

/* Explains the acceptance of bytes that are not canonical: names the first byte that differs. */
static void explain_not_canonical(const struct bo_format *format, const struct bo_codec *codec,
                                  struct bo_span in, struct bo_span again,
                                  struct bo_finding *finding)
{
    size_t at = 0;
    while (at < in.n && at < again.n && in.p[at] == again.p[at])
        at++;
    bo_finding_set(finding, format, NULL, codec, "itself", "not-canonical");
    if (finding)
        snprintf(finding->detail, sizeof finding->detail,
                 "accepted %zu bytes whose model encodes to %zu; they differ from byte %zu", in.n,
                 again.n, at);
}

/*
 * The model decoded from `in` must encode again, to the same bytes if the encoding is canonical,
 * and must then decode to the same model.
 */
static bool survives_again(const struct bo_format *format, const struct bo_codec *codec,
                           struct bo_span in, const void *model, const struct bo_effort *effort,
                           struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer again;
    struct bo_error error = {0};
    void *model_again = NULL;
    bo_arena_init(&arena, effort->budget_nbytes);
    bo_writer_init(&again, &arena);
    enum bo_status status = codec->encode(codec, model, &again, &error);
    if (!status)
        status = codec->decode(codec, bo_writer_span(&again), &arena, &model_again, &error);
    const char *difference = status ? NULL : format->differ(model, model_again);
    bool same_bytes = true;
    if (status && status != BO_OVER_LIMIT) {
        bo_finding_set(finding, format, NULL, codec, "itself", "decoded-does-not-encode");
        bo_finding_explain(finding, "what was decoded", &error);
    } else if (difference) {
        bo_finding_set(finding, format, NULL, codec, "itself", "decoded-changes");
        if (finding)
            snprintf(finding->detail, sizeof finding->detail, "%s", difference);
    } else if (!status && !codec->choices) {
        same_bytes = bo_span_equal(in, bo_writer_span(&again));
        if (!same_bytes)
            explain_not_canonical(format, codec, in, bo_writer_span(&again), finding);
    }
    bo_writer_free(&again);
    bo_arena_free(&arena);
    return (!status || status == BO_OVER_LIMIT) && !difference && same_bytes;
}

/*
 * The text of a model must parse to the same model. Otherwise sets the finding while the memory of
 * the parser, which may hold the error's phrase, still exists.
 */
static bool survives_text(const struct bo_format *format, const struct bo_codec *codec,
                          const void *model, const struct bo_effort *effort, const char *b,
                          const char *class, const char *doing, struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {BO_CORRUPT, BO_NO_OFFSET, NULL};
    void *parsed = NULL;
    bo_arena_init(&arena, effort->budget_nbytes);
    bo_writer_init(&text, &arena);
    enum bo_status status = format->print(model, &text, &error);
    if (!status)
        status = format->parse(bo_writer_span(&text), &arena, &parsed, &error);
    const char *lost = status == BO_OVER_LIMIT ? NULL
                       : status                ? (error.what ? error.what : "error has no phrase")
                                               : format->differ(model, parsed);
    if (lost) {
        error.what = lost;
        bo_finding_set(finding, format, NULL, codec, b, class);
        bo_finding_explain(finding, doing, &error);
    }
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return !lost;
}

/*
 * The decoded model must keep the format's rules: its text form must parse to the same model. If a
 * codec skips a rule, its own encode and decode still agree about the invalid model; the parser
 * rejects it.
 */
static bool keeps_the_rules(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, const struct bo_effort *effort,
                            struct bo_finding *finding)
{
    return survives_text(format, codec, model, effort, "text", "accepts-garbage",
                         "the text of what was decoded", finding);
}

/*
 * True when the parser reports each failed allocation as such, for a text that it accepts or
 * rejects.
 */
static bool survives_failures(const struct bo_format *format, struct bo_span text,
                              const struct bo_effort *effort, enum bo_status complete)
{
    struct bo_failures failures = {.n_first = effort->max_failures,
                                   .random = bo_random_seeded(effort->seed)};
    bool ok = true, is_complete = false;
    while (ok && !is_complete && bo_next_failure(&failures)) {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&arena, effort->budget_nbytes);
        arena.fail_at = failures.at;
        const enum bo_status status = format->parse(text, &arena, &model, &error);
        is_complete = arena.n_allocs < failures.at;
        ok = is_complete ? status == complete : bo_ends_well(status, &error, false);
        bo_arena_free(&arena);
    }
    return ok;
}

bool bo_check_text(const struct bo_format *format, struct bo_span text,
                   const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding)
{
    static const struct bo_codec form = {.name = "text"};
    struct bo_error error = {0};
    struct bo_guarded guarded;
    struct bo_arena arena;
    const char *class = NULL;
    bool is_same = true;
    void *model;
    if (!bo_guarded_copy(text, &guarded)) {
        bo_finding_set(finding, format, NULL, &form, "itself", "check-out-of-memory");
        return false;
    }
    bo_arena_init(&arena, effort->budget_nbytes);
    const enum bo_status status = format->parse(guarded.span, &arena, &model, &error);
    *accepted_ret = status == BO_OK;
    if (status && !bo_error_is_complete(status, &error))
        class = "unnamed-error";
    else if (!status && !survives_text(format, &form, model, effort, "itself", "round-trip",
                                       "the text form", finding))
        is_same = false;
    else if (!survives_failures(format, guarded.span, effort, status))
        class = "allocation-failure";
    if (class) {
        bo_finding_set(finding, format, NULL, &form, "itself", class);
        bo_finding_explain(finding, "the text form", &error);
    }
    bo_arena_free(&arena);
    bo_guarded_free(&guarded);
    return !class && is_same;
}

/* ---- damage ---------------------------------------------------------------------------------- */

struct bo_span bo_with_extreme(struct bo_span in, size_t at, unsigned way, uint8_t *copy)
{
    static const uint64_t extremes[BO_N_EXTREMES] = {UINT32_MAX, UINT64_MAX, INT32_MAX, UINT32_MAX};
    const bool is_varint = way + 1 < BO_N_EXTREMES;
    const size_t left = in.n - at, taken = is_varint ? 1 : left < 4 ? left : 4;
    size_t n = at;
    memcpy(copy, in.p, at);
    for (uint64_t v = extremes[way]; v && (is_varint || n < at + taken); v >>= is_varint ? 7 : 8)
        copy[n++] = (uint8_t)(is_varint ? (v & 0x7f) | (v > 0x7f ? 0x80 : 0) : v & 0xff);
    memcpy(copy + n, in.p + at + taken, left - taken);
    return (struct bo_span){copy, n + left - taken};
}

/* ---- a lazy reader of bytes that decode rejects ---------------------------------------------- */

enum { N_PROBES = 24, MAX_PROBE_TEXT = 48, PROBE_ANSWERS = 64 << 10 };

/*
 * Makes a query from words of the input. Such a query is most likely to make a reader read the
 * damage.
 */
static void draw_own_words(struct bo_span in, struct bo_random *random,
                           const struct bo_query_kind *kind, uint8_t *query)
{
    struct bo_span text = {in.p, 0};
    memset(query, 0, kind->query_size);
    if (in.n) {
        text.p += bo_random_below(random, in.n < UINT32_MAX ? (uint32_t)in.n : UINT32_MAX);
        text.n = bo_random_below(random, MAX_PROBE_TEXT);
        if (text.n > (size_t)(in.p + in.n - text.p))
            text.n = (size_t)(in.p + in.n - text.p);
    }
    memcpy(query, &text, sizeof text);
}

void bo_probes_draw(const struct bo_format *format, const void *model, struct bo_arena *arena,
                    struct bo_probes *probes)
{
    struct bo_random random = bo_random_seeded(1);
    *probes = (struct bo_probes){.n = {0}};
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        uint8_t *queries = bo_alloc_array(arena, N_PROBES, kind->query_size);
        if (!queries || kind->query_size == 0)
            continue;
        probes->queries[k] = queries;
        probes->n[k] = kind->draw_edges(model, &random, arena, N_PROBES, queries);
    }
}

/*
 * Draws the queries to probe one kind with, up to 2 N_PROBES, into `queries`. Returns their number.
 */
static size_t take_probes(const struct bo_query_kind *kind, unsigned k, struct bo_span in,
                          const struct bo_probes *probes, uint8_t *queries)
{
    struct bo_random random = bo_random_seeded(1);
    size_t n = probes ? probes->n[k] : 0;
    if (kind->query_size == 0)
        return 1;
    if (n)
        memcpy(queries, probes->queries[k], n * kind->query_size);
    for (unsigned i = 0; kind->has_text && i < N_PROBES; i++, n++)
        draw_own_words(in, &random, kind, queries + n * kind->query_size);
    return n;
}

/* A reader's result for a query: NOTHING (out of memory), REFUSED, or a hash of the answer. */
enum { NOTHING, REFUSED };
typedef uint64_t verdict;

static verdict run_probe(const struct bo_format *format, const struct bo_codec *codec, void *reader,
                         unsigned k, const uint8_t *query, struct bo_sink *sink,
                         bool *is_complete_ret)
{
    const struct bo_query_kind *kind = &format->kinds[k];
    struct bo_error error = {0};
    sink->n = 0;
    const enum bo_status status = codec->query(codec, reader, k, query, 1,
                                               kind->answer_size ? (void *)sink->p : sink, &error);
    const bool is_full = status == BO_OVER_LIMIT && !kind->answer_size && !error.what;
    *is_complete_ret =
        !status || status == BO_OUT_OF_RANGE || is_full || bo_error_is_complete(status, &error);
    if (status == BO_OVER_LIMIT || status == BO_NO_MEMORY)
        return NOTHING;
    return status ? REFUSED
                  : XXH3_64bits(sink->p, kind->answer_size ? kind->answer_size : sink->n) | 2;
}

/* Runs every probe on a reader, each the given number of times. */
static bool run_probes(const struct bo_format *format, const struct bo_codec *codec,
                       struct bo_span in, const struct bo_probes *probes, void *reader,
                       unsigned times, struct bo_sink *sink, verdict *verdicts,
                       struct bo_finding *finding)
{
    uint8_t queries[2 * N_PROBES * BO_MAX_QUERY_NBYTES];
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        const size_t n = codec->kinds >> k & 1 ? take_probes(kind, k, in, probes, queries) : 0;
        for (size_t i = 0; i < n * times; i++) {
            const uint8_t *query = queries + i / times * kind->query_size;
            bool is_complete;
            verdicts[k * 2 * N_PROBES + i / times] =
                run_probe(format, codec, reader, k, query, sink, &is_complete);
            if (!is_complete) {
                bo_finding_set(finding, format, kind, codec, "itself", "unnamed-error");
                return false;
            }
        }
    }
    return true;
}

/*
 * One query of each kind on a reader of its own must have the answer that a reader of many queries
 * gave. One of the two may reject it: what they have read so far counts towards limits.
 */
static bool answers_alike_at_first(const struct bo_format *format, const struct bo_codec *codec,
                                   struct bo_span in, const struct bo_probes *probes,
                                   struct bo_arena *arena, struct bo_sink *sink,
                                   const verdict *verdicts, struct bo_finding *finding)
{
    uint8_t queries[2 * N_PROBES * BO_MAX_QUERY_NBYTES];
    const uint64_t hash = XXH3_64bits(in.p, in.n);
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        const size_t n = codec->kinds >> k & 1 ? take_probes(kind, k, in, probes, queries) : 0;
        const struct bo_arena_mark mark = bo_arena_mark(arena);
        struct bo_error error;
        void *fresh;
        bool is_complete;
        if (n == 0 || codec->open(codec, in, arena, &fresh, &error)) {
            bo_arena_rewind(arena, mark);
            continue;
        }
        const size_t i = hash % n;
        const verdict first = run_probe(format, codec, fresh, k, queries + i * kind->query_size,
                                        sink, &is_complete),
                      later = verdicts[k * 2 * N_PROBES + i];
        bo_arena_rewind(arena, mark);
        const bool is_same = first <= REFUSED || later <= REFUSED || first == later;
        if (!is_same || !is_complete) {
            bo_finding_set(finding, format, kind, codec, "itself",
                           is_complete ? "repeated-query-differs" : "unnamed-error");
            if (finding && is_complete)
                snprintf(finding->detail, sizeof finding->detail,
                         "probe %zu: a new reader answers otherwise", i);
            return false;
        }
    }
    return true;
}

/*
 * For bytes that decode rejects and a lazy open accepts: every query must end in an answer or a
 * named error. Repetition must change nothing: another reader, on which each query runs three
 * times, must give the same results.
 */
static bool survives_probes(const struct bo_format *format, const struct bo_codec *codec,
                            struct bo_span in, const struct bo_probes *probes, void *reader,
                            struct bo_arena *arena, struct bo_finding *finding)
{
    enum { N_VERDICTS = 2 * N_PROBES * BO_MAX_KINDS };
    verdict once[N_VERDICTS] = {NOTHING}, thrice[N_VERDICTS] = {NOTHING};
    struct bo_sink sink = {.p = bo_alloc(arena, PROBE_ANSWERS), .cap = PROBE_ANSWERS};
    struct bo_error error;
    void *other;
    if (!sink.p)
        return true;
    if (!run_probes(format, codec, in, probes, reader, 1, &sink, once, finding))
        return false;
    /*
     * Controls that use a library are exempt: the library decides what it keeps. The arena limits
     * it.
     */
    if ((codec->role == BO_CONTROL && codec->optional) ||
        codec->open(codec, in, arena, &other, &error))
        return true;
    if (!run_probes(format, codec, in, probes, other, 3, &sink, thrice, finding))
        return false;
    for (unsigned i = 0; i < N_VERDICTS; i++)
        if (once[i] != thrice[i] && once[i] != NOTHING && thrice[i] != NOTHING) {
            bo_finding_set(finding, format, &format->kinds[i / (2 * N_PROBES)], codec, "itself",
                           "repeated-query-differs");
            if (finding)
                snprintf(finding->detail, sizeof finding->detail,
                         "probe %u: %s, and when repeated %s", i % (2 * N_PROBES),
                         once[i] == REFUSED ? "refused" : "answered",
                         thrice[i] == REFUSED ? "refused"
                         : once[i] == REFUSED ? "answered"
                                              : "answered otherwise");
            return false;
        }
    return answers_alike_at_first(format, codec, in, probes, arena, &sink, thrice, finding);
}

/* Checks one of the readers of an encoding. `main` is the result of the first reader. */
static bool check_reader(const struct bo_format *format, const struct bo_codec *codec,
                         struct bo_span in, const struct bo_probes *probes,
                         const struct bo_effort *effort, const struct reception *main,
                         struct reception *other, struct bo_finding *finding)
{
    const struct bo_codec *first = bo_encoding_of(format, codec);
    const bool accepted = main->open == BO_OK && main->decode == BO_OK;
    uint64_t n_cases = 0;
    if (!same_verdict(main->decode, other->decode)) {
        bo_finding_set(finding, format, NULL, first, codec->name, "readers-disagree");
        bo_finding_explain(finding, main->decode ? "the first refuses" : "the second refuses",
                           main->decode ? &main->decode_error : &other->decode_error);
        return false;
    }
    const char *difference =
        accepted && other->decode == BO_OK ? format->differ(main->model, other->model) : NULL;
    if (difference) {
        bo_finding_set(finding, format, NULL, first, codec->name, "readers-disagree");
        bo_finding_explain(finding, "decoded",
                           &(struct bo_error){BO_CORRUPT, BO_NO_OFFSET, difference});
        return false;
    }
    if (other->open)
        return true;
    return accepted ? bo_agreement_all_kinds(format, codec, main->model, other->reader, effort,
                                             &n_cases, finding)
                    : survives_probes(format, codec, in, probes, other->reader, &other->of_reader,
                                      finding);
}

/* As bo_check_bytes, on bytes that already end at a guard page. */
bool bo_check_bytes_in_place(const struct bo_format *format, const struct bo_codec *codec,
                             struct bo_span in, const struct bo_probes *probes,
                             const struct bo_effort *effort, bool *accepted_ret,
                             struct bo_finding *finding)
{
    struct reception main, other;
    bool ok = receive(format, codec, in, effort, &main, finding);
    *accepted_ret = ok && main.open == BO_OK && main.decode == BO_OK;
    if (*accepted_ret)
        ok = keeps_the_rules(format, codec, main.model, effort, finding) &&
             survives_again(format, codec, in, main.model, effort, finding);
    for (const struct bo_codec *const *c = format->codecs; *c && ok; c++) {
        if (bo_encoding_of(format, *c) != codec)
            continue;
        ok = receive(format, *c, in, effort, &other, finding) &&
             check_reader(format, *c, in, probes, effort, &main, &other, finding) &&
             stays_within_budget(format, *c, effort, &other, finding);
        forget(&other);
    }
    forget(&main);
    return ok;
}

bool bo_check_bytes(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding)
{
    bool accepted = false;
    struct bo_guarded guarded;
    if (!bo_guarded_copy(in, &guarded)) {
        bo_finding_set(finding, format, NULL, codec, "itself", "check-out-of-memory");
        return false;
    }
    const bool ok =
        bo_check_bytes_in_place(format, codec, guarded.span, NULL, effort, &accepted, finding);
    if (accepted_ret)
        *accepted_ret = accepted;
    bo_guarded_free(&guarded);
    return ok;
}
