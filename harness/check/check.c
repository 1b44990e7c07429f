/* The generic checks, one by one. */
#include "harness/check/check.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/check/agreement.h"
#include "harness/core/guard.h"
#include "harness/registry.h"

struct bo_effort bo_effort_default(void)
{
    return (struct bo_effort){
        .seed = 1,
        .max_queries = 50000,
        .max_damage_full = 1500,
        .n_damage_sample = 600,
        .budget_nbytes = (size_t)3 << 29, /* fits 32 bits */
        .max_failures = 200,
    };
}

/* ---- a codec under test ---------------------------------------------------------------------- */

static struct bo_check_result pass(uint64_t n_cases)
{
    return (struct bo_check_result){.outcome = BO_PASS, .n_cases = n_cases};
}

static struct bo_check_result skip(const char *why)
{
    return (struct bo_check_result){.outcome = BO_SKIP, .why_skipped = why};
}

/* The state that every check starts with: an arena, and the model's encoding in it. */
struct trial {
    const struct bo_format *format;
    const struct bo_codec *codec;
    const void *model;
    const void *held; /* the part of the model that the encoding holds */
    const struct bo_effort *effort;
    bool large; /* the model is large: checks that need many encodings use fewer samples */
    struct bo_arena arena;
    struct bo_writer encoded;
    struct bo_probes probes;       /* drawn by the damage check */
    struct bo_check_result result; /* a skip or a failure that happened before the check began */
};

static bool trial_begin(struct trial *t, const struct bo_format *format,
                        const struct bo_codec *codec, const void *model,
                        const struct bo_effort *effort)
{
    enum { LARGE_UNITS = 1000 };
    struct bo_unit units[BO_MAX_UNITS] = {{NULL, 0}};
    *t = (struct trial){.format = format,
                        .codec = codec,
                        .model = model,
                        .held = model,
                        .effort = effort,
                        .result = {.outcome = BO_PASS}};
    format->units(model, units);
    t->large = units[0].n > LARGE_UNITS && !effort->whole;
    bo_arena_init(&t->arena, effort->budget_nbytes);
    t->arena.max_first_cap = 1;
    bo_writer_init(&t->encoded, &t->arena);
    struct bo_error error = {0};
    enum bo_status status = BO_OK;
    if (effort->encoding.p) {
        t->encoded.p = (uint8_t *)(uintptr_t)effort->encoding.p;
        t->encoded.n = effort->encoding.n;
    } else {
        status = codec->encode(codec, model, &t->encoded, &error);
    }
    if (status == BO_OK)
        status = bo_held_model(format, codec, model, &t->arena, &t->held, &error);
    if (status == BO_OK)
        return true;
    if ((status == BO_UNSUPPORTED || status == BO_OVER_LIMIT) &&
        bo_error_is_complete(status, &error)) {
        t->result = skip(error.what);
        return false;
    }
    t->result.outcome = BO_FAIL;
    bo_finding_set(&t->result.finding, format, NULL, codec, "itself", "encode-fails");
    bo_finding_explain(&t->result.finding, "encode", &error);
    return false;
}

static void trial_end(struct trial *t)
{
    if (!t->effort->encoding.p)
        bo_writer_free(&t->encoded);
    bo_arena_free(&t->arena);
}

/* Marks the trial as failed. */
static void trial_fail(struct trial *t, const struct bo_query_kind *kind, const char *b,
                       const char *class, const char *doing, const struct bo_error *error)
{
    t->result.outcome = BO_FAIL;
    bo_finding_set(&t->result.finding, t->format, kind, t->codec, b, class);
    if (error)
        bo_finding_explain(&t->result.finding, doing, error);
    else
        snprintf(t->result.finding.detail, sizeof t->result.finding.detail, "%s", doing);
}

/* ---- an encoding for several checks ---------------------------------------------------------- */

/* True for a codec that reads another codec's bytes and uses that codec's encode and decode. */
static bool borrows_encoding(const struct bo_format *format, const struct bo_codec *codec)
{
    const struct bo_codec *lender = bo_encoding_of(format, codec);
    return lender != codec && lender->own == codec->own && lender->encode == codec->encode &&
           lender->decode == codec->decode;
}

void bo_shared_encoding_free(struct bo_shared_encoding *shared)
{
    if (shared->writer) {
        bo_writer_free(&shared->bytes);
        bo_arena_free(&shared->arena);
    }
    *shared = (struct bo_shared_encoding){0};
}

void bo_share_encoding(struct bo_shared_encoding *shared, const struct bo_format *format,
                       const struct bo_codec *codec, const void *model, struct bo_effort *effort)
{
    const struct bo_codec *writer =
        borrows_encoding(format, codec) ? bo_encoding_of(format, codec) : codec;
    if (shared->writer != writer || shared->model != model) {
        struct bo_error error = {0};
        bo_shared_encoding_free(shared);
        shared->writer = writer;
        shared->model = model;
        bo_arena_init(&shared->arena, effort->budget_nbytes);
        shared->arena.max_first_cap = 1;
        bo_writer_init(&shared->bytes, &shared->arena);
        if (writer->encode(writer, model, &shared->bytes, &error))
            bo_writer_free(&shared->bytes);
    }
    effort->encoding = bo_writer_span(&shared->bytes);
}

/* ---- the checks ------------------------------------------------------------------------------ */

static const char *const borrowed =
    "encodes and decodes with the functions of the codec that it reads";

static struct bo_check_result check_round_trip(const struct bo_format *format,
                                               const struct bo_codec *codec, const void *model,
                                               const struct bo_effort *effort)
{
    struct trial t;
    if (borrows_encoding(format, codec))
        return skip(borrowed);
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_error error = {0};
        void *decoded = NULL;
        const enum bo_status status =
            codec->decode(codec, bo_writer_span(&t.encoded), &t.arena, &decoded, &error);
        const char *difference = status ? NULL : format->differ(t.held, decoded);
        t.result = pass(1);
        if (status)
            trial_fail(&t, NULL, "itself", "decode-fails", "decode", &error);
        else if (difference)
            trial_fail(&t, NULL, "itself", "round-trip", difference, NULL);
    }
    trial_end(&t);
    return t.result;
}

/* Opens a guarded copy of the trial's encoding. False when the trial has failed. */
static bool trial_open(struct trial *t, struct bo_guarded *guarded, void **reader_ret)
{
    struct bo_error error = {0};
    if (!bo_guarded_copy(bo_writer_span(&t->encoded), guarded)) {
        t->result = skip("no memory for a guarded copy");
        return false;
    }
    if (t->codec->open(t->codec, guarded->span, &t->arena, reader_ret, &error) == BO_OK)
        return true;
    trial_fail(t, NULL, "itself", "open-fails", "open", &error);
    bo_guarded_free(guarded);
    return false;
}

static struct bo_check_result check_oracle(const struct bo_format *format,
                                           const struct bo_codec *codec, const void *model,
                                           const struct bo_effort *effort)
{
    struct trial t;
    struct bo_guarded guarded;
    void *reader = NULL;
    if (trial_begin(&t, format, codec, model, effort) && trial_open(&t, &guarded, &reader)) {
        t.result = pass(0);
        if (!bo_agreement_all_kinds(format, codec, t.held, reader, effort, &t.result.n_cases,
                                    &t.result.finding))
            t.result.outcome = BO_FAIL;
        bo_guarded_free(&guarded);
    }
    trial_end(&t);
    return t.result;
}

/* ---- what readers keep ----------------------------------------------------------------------- */

/*
 * Opens a reader that may keep up to keep_nbytes, and runs queries on it. *open_ret and *end_ret
 * are the bytes that it holds after opening and at the end. False when the trial has failed.
 */
static bool query_within(struct trial *t, size_t keep_nbytes, size_t *open_ret, size_t *end_ret)
{
    enum { MAX_QUERIES = 300, MAX_QUERIES_OF_LARGE = 75 }; /* each reads anew what was not kept */
    struct bo_effort effort = *t->effort;
    const uint32_t max_queries = t->large ? MAX_QUERIES_OF_LARGE : MAX_QUERIES;
    struct bo_guarded guarded;
    void *reader = NULL;
    const struct bo_arena_mark mark = bo_arena_mark(&t->arena);
    const size_t before = t->arena.region_nbytes + t->arena.charged_nbytes;
    if (effort.max_queries > max_queries)
        effort.max_queries = max_queries;
    t->arena.keep_nbytes = keep_nbytes;
    if (!trial_open(t, &guarded, &reader))
        return false;
    *open_ret = t->arena.region_nbytes + t->arena.charged_nbytes - before;
    const bool ok = bo_agreement_all_kinds(t->format, t->codec, t->held, reader, &effort,
                                           &t->result.n_cases, &t->result.finding);
    if (!ok)
        t->result.outcome = BO_FAIL;
    *end_ret = t->arena.region_nbytes + t->arena.charged_nbytes - before;
    bo_guarded_free(&guarded);
    bo_arena_rewind(&t->arena, mark);
    return ok;
}

static struct bo_check_result check_kept_memory(const struct bo_format *format,
                                                const struct bo_codec *codec, const void *model,
                                                const struct bo_effort *effort)
{
    enum { SMALL_NBYTES = 20000 };
    struct trial t;
    size_t open_nbytes, least, end;
    char what[160];
    if (trial_begin(&t, format, codec, model, effort)) {
        t.result = pass(0);
        bool ok = query_within(&t, 0, &open_nbytes, &least);
        if (ok && least > open_nbytes) {
            ok = false;
            snprintf(what, sizeof what,
                     "with no budget the reader holds %zu bytes more after "
                     "queries than after open",
                     least - open_nbytes);
            trial_fail(&t, NULL, "itself", "keeps-memory", what, NULL);
        }
        if (ok && codec->keeps && query_within(&t, SMALL_NBYTES, &open_nbytes, &end) &&
            end > least + SMALL_NBYTES) {
            snprintf(what, sizeof what,
                     "the reader holds %zu bytes more with a budget of %d "
                     "bytes than without one",
                     end - least, SMALL_NBYTES);
            trial_fail(&t, NULL, "itself", "keeps-memory", what, NULL);
        }
    }
    trial_end(&t);
    return t.result;
}

/* Checks that every invalid query of one kind is rejected. */
static void refuse_invalid(struct trial *t, const struct bo_query_kind *kind, void *reader)
{
    struct bo_agreement c = {
        .format = t->format,
        .codec = t->codec,
        .kind = kind,
        .model = t->held,
        .reader = reader,
        .arena = &t->arena,
        .finding = &t->result.finding,
    };
    if (!bo_agreement_init(&c)) {
        t->result.outcome = BO_FAIL;
        return;
    }
    c.expected.n = 0;
    for (uint64_t i = 0; kind->invalid_at(t->held, i, c.queries); i++, t->result.n_cases++) {
        if (bo_agreement_run_oracle(&c, 1) != BO_OUT_OF_RANGE) {
            trial_fail(t, kind, "oracle", "oracle-answers-nonsense", "an invalid query", NULL);
            return;
        }
        c.expected.n = 0;
        const enum bo_status status = bo_agreement_run_codec(&c, 1);
        if (status != BO_OUT_OF_RANGE) {
            char query[120] = "";
            bo_agreement_describe_query(&c, c.queries, query, sizeof query);
            trial_fail(t, kind, "oracle", "answers-nonsense", query, NULL);
            bo_finding_compare(&t->result.finding, kind, c.queries,
                               &(struct bo_reply){t->codec->name, status, bo_agreement_got(&c)},
                               &(struct bo_reply){"oracle", BO_OUT_OF_RANGE, {NULL, 0}});
            return;
        }
    }
}

static struct bo_check_result check_out_of_range(const struct bo_format *format,
                                                 const struct bo_codec *codec, const void *model,
                                                 const struct bo_effort *effort)
{
    struct trial t;
    struct bo_guarded guarded;
    void *reader = NULL;
    if (trial_begin(&t, format, codec, model, effort) && trial_open(&t, &guarded, &reader)) {
        t.result = pass(0);
        for (unsigned k = 0; k < format->n_kinds && t.result.outcome == BO_PASS; k++)
            if (codec->kinds >> k & 1)
                refuse_invalid(&t, &format->kinds[k], reader);
        bo_guarded_free(&guarded);
    }
    trial_end(&t);
    return t.result;
}

/* Encodes `model` again, in memory with other addresses and other initial contents. */
static bool encodes_alike(struct trial *t, const void *model)
{
    struct bo_arena arena;
    struct bo_writer again;
    struct bo_error error = {0};
    bo_arena_init(&arena, t->effort->budget_nbytes);
    bo_writer_init(&again, &arena);
    void *garbage = bo_alloc(&arena, 100);
    if (garbage)
        memset(garbage, 0x5a, 100);
    const bool alike = t->codec->encode(t->codec, model, &again, &error) == BO_OK &&
                       bo_span_equal(bo_writer_span(&again), bo_writer_span(&t->encoded));
    bo_writer_free(&again);
    bo_arena_free(&arena);
    return alike;
}

static struct bo_check_result check_determinism(const struct bo_format *format,
                                                const struct bo_codec *codec, const void *model,
                                                const struct bo_effort *effort)
{
    struct trial t;
    if (borrows_encoding(format, codec))
        return skip(borrowed);
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_error error = {0};
        void *decoded = NULL;
        t.result = pass(2);
        if (!encodes_alike(&t, model))
            trial_fail(&t, NULL, "itself", "nondeterministic", "encoding twice", NULL);
        else if (codec->decode(codec, bo_writer_span(&t.encoded), &t.arena, &decoded, &error) ||
                 !encodes_alike(&t, decoded))
            trial_fail(&t, NULL, "itself", "nondeterministic", "encoding what was decoded", NULL);
    }
    trial_end(&t);
    return t.result;
}

/* Offers one damaged input. Runs only a few queries on it, since there are many inputs. */
static bool offer(struct trial *t, struct bo_span in)
{
    struct bo_effort effort = *t->effort;
    effort.max_queries = 64;
    const size_t base_nbytes = (size_t)4 << 20;
    effort.budget_nbytes =
        in.n < (SIZE_MAX - base_nbytes) / 4096 ? 4096 * in.n + base_nbytes : SIZE_MAX;
    effort.budget_is_ample = true;
    bool accepted = false;
    t->result.n_cases++;
    if (bo_check_bytes_in_place(t->format, t->codec, in, &t->probes, &effort, &accepted,
                                &t->result.finding))
        return true;
    t->result.outcome = BO_FAIL;
    return false;
}

/*
 * The number of damaged copies of a large encoding, so that about MAX_DAMAGED_NBYTES are read in
 * all.
 */
static size_t n_samples(const struct trial *t, size_t nbytes)
{
    enum { MAX_DAMAGED_NBYTES = 32 << 20, AT_LEAST = 2, OF_LARGE_ONE_IN = 8 };
    if (t->effort->n_damage_sample == 0 || t->effort->whole)
        return t->effort->n_damage_sample;
    const size_t affordable = MAX_DAMAGED_NBYTES / (nbytes + 1);
    const size_t wanted = t->effort->n_damage_sample / (t->large ? OF_LARGE_ONE_IN : 1);
    const size_t n = affordable < wanted ? affordable : wanted;
    return n < AT_LEAST ? AT_LEAST : n;
}

static bool offer_prefixes(struct trial *t, struct bo_guarded *guarded)
{
    const struct bo_span whole = bo_writer_span(&t->encoded);
    struct bo_random random = bo_random_seeded(t->effort->seed);
    const bool all = whole.n <= t->effort->max_damage_full;
    const size_t n_cuts = all ? whole.n : n_samples(t, whole.n);
    for (size_t i = 0; i < n_cuts; i++) {
        const size_t n = all ? whole.n - 1 - i : bo_random_below(&random, (uint32_t)whole.n);
        bo_guarded_free(guarded);
        if (!bo_guarded_copy((struct bo_span){whole.p, n}, guarded)) {
            t->result = skip("no memory for a guarded copy");
            return true;
        }
        if (!offer(t, guarded->span))
            return false;
    }
    return true;
}

/* The k-th changed value of a byte: each bit flipped, the extremes, the neighbours. */
static uint8_t changed_byte(uint8_t byte, unsigned k)
{
    const uint8_t others[] = {0x00, 0xff, (uint8_t)(byte + 1), (uint8_t)(byte - 1)};
    return k < 8 ? byte ^ (uint8_t)(1u << k) : others[k - 8];
}

enum { N_CHANGES = 12, ALL_VALUES_BELOW = 300 };

/*
 * Changes one byte at a time: to all 255 other values in the smallest encodings, to twelve of them
 * in small ones.
 */
static bool offer_changes(struct trial *t, struct bo_guarded *guarded)
{
    uint8_t *p = (uint8_t *)(uintptr_t)guarded->span.p;
    const size_t n = guarded->span.n;
    struct bo_random random = bo_random_seeded(t->effort->seed + 1);
    const bool every_byte = n <= t->effort->max_damage_full;
    const size_t n_places = every_byte ? n : n_samples(t, n);
    const unsigned n_values = !every_byte ? 1 : n < ALL_VALUES_BELOW ? 255 : N_CHANGES;
    for (size_t i = 0; i < n_places; i++) {
        const size_t at = every_byte ? i : bo_random_below(&random, (uint32_t)n);
        const uint8_t kept = p[at];
        bool ok = true;
        for (unsigned k = 0; k < n_values && ok; k++) {
            p[at] = n_values == 255 ? (uint8_t)(kept + 1 + k)
                    : every_byte    ? changed_byte(kept, k)
                                    : changed_byte(kept, bo_random_below(&random, N_CHANGES));
            ok = p[at] == kept || offer(t, guarded->span);
        }
        p[at] = kept;
        if (!ok)
            return false;
    }
    return true;
}

/* The largest numbers in every place of small encodings, and one of them in places of others. */
static bool offer_extremes(struct trial *t, struct bo_guarded *guarded)
{
    const struct bo_span whole = bo_writer_span(&t->encoded);
    struct bo_random random = bo_random_seeded(t->effort->seed + 2);
    const bool every_byte = whole.n <= t->effort->max_damage_full;
    const size_t n_places = every_byte ? whole.n : n_samples(t, whole.n);
    const unsigned n_ways = whole.n < ALL_VALUES_BELOW ? BO_N_EXTREMES : 1;
    uint8_t *copy = bo_alloc(&t->arena, whole.n + BO_MAX_EXTREME_NBYTES);
    if (!copy)
        t->result = skip("no memory for a changed copy");
    for (size_t i = 0; i < n_places && copy; i++)
        for (unsigned k = 0; k < n_ways; k++) {
            const size_t at = every_byte ? i : bo_random_below(&random, (uint32_t)whole.n);
            const unsigned way = n_ways > 1 ? k : bo_random_below(&random, BO_N_EXTREMES);
            bo_guarded_free(guarded);
            if (!bo_guarded_copy(bo_with_extreme(whole, at, way, copy), guarded)) {
                t->result = skip("no memory for a guarded copy");
                return true;
            }
            if (!offer(t, guarded->span))
                return false;
        }
    return true;
}

static struct bo_check_result check_damage(const struct bo_format *format,
                                           const struct bo_codec *codec, const void *model,
                                           const struct bo_effort *effort)
{
    if (codec->reads)
        return skip("its bytes are damaged under the codec that writes them");
    struct trial t;
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_guarded guarded;
        t.result = pass(0);
        bo_probes_draw(format, model, &t.arena, &t.probes);
        if (t.encoded.n > UINT32_MAX || !bo_guarded_copy(bo_writer_span(&t.encoded), &guarded)) {
            t.result = skip("too large to damage");
        } else {
            if (offer_changes(&t, &guarded) && offer_prefixes(&t, &guarded))
                offer_extremes(&t, &guarded);
            bo_guarded_free(&guarded);
        }
    }
    trial_end(&t);
    return t.result;
}

/* ---- allocation failures --------------------------------------------------------------------- */

/* The operations, besides queries, whose allocations are made to fail. */
enum step { ENCODE, REDUCE, DECODE, OPEN, PRINT, PARSE };

static const char *const steps[] = {"encode", "reduce", "decode", "open", "print", "parse"};

static enum bo_status attempt(const struct trial *t, enum step step, struct bo_span text,
                              struct bo_arena *arena, struct bo_error *error)
{
    void *ignored = NULL;
    struct bo_writer out;
    enum bo_status status;
    switch (step) {
    case REDUCE:
        return t->codec->reduce ? t->codec->reduce(t->codec, t->model, arena, &ignored, error)
                                : BO_OK;
    case DECODE:
        return t->codec->decode(t->codec, bo_writer_span(&t->encoded), arena, &ignored, error);
    case OPEN:
        return t->codec->open(t->codec, bo_writer_span(&t->encoded), arena, &ignored, error);
    case PARSE:
        return t->format->parse(text, arena, &ignored, error);
    default:
        bo_writer_init(&out, arena);
        status = step == ENCODE ? t->codec->encode(t->codec, t->model, &out, error)
                                : t->format->print(t->model, &out, error);
        bo_writer_free(&out);
        return status;
    }
}

/*
 * For large models, fewer of the first allocations fail. Late ones are drawn from each doubling in
 * any case.
 */
static struct bo_failures failures_of(const struct trial *t)
{
    enum { OF_LARGE_ONE_IN = 8 };
    const uint64_t n = t->effort->max_failures;
    return (struct bo_failures){.n_first =
                                    t->large ? (n + OF_LARGE_ONE_IN - 1) / OF_LARGE_ONE_IN : n,
                                .random = bo_random_seeded(t->effort->seed)};
}

static void trial_fail_alloc(struct trial *t, const struct bo_query_kind *kind, const char *doing,
                             uint64_t fail_at, bool is_complete, const struct bo_error *error)
{
    char text[80];
    snprintf(text, sizeof text, "%s, allocation %" PRIu64 "%s", doing, fail_at,
             is_complete ? " does not occur" : " fails");
    trial_fail(t, kind, "itself", "allocation-failure", text, error);
}

static void fail_each(struct trial *t, enum step step, struct bo_span text)
{
    struct bo_failures failures = failures_of(t);
    bool is_complete = false;
    while (!is_complete && t->result.outcome == BO_PASS && bo_next_failure(&failures)) {
        struct bo_arena arena;
        struct bo_error error = {0};
        bo_arena_init(&arena, t->effort->budget_nbytes);
        arena.max_first_cap = 1;
        arena.fail_at = failures.at;
        const enum bo_status status = attempt(t, step, text, &arena, &error);
        is_complete = arena.n_allocs < failures.at;
        if (!bo_ends_well(status, &error, is_complete))
            trial_fail_alloc(t, NULL, steps[step], failures.at, is_complete, &error);
        t->result.n_cases++;
        bo_arena_free(&arena);
    }
}

/* True when the codec's answers to the first n queries equal the oracle's. */
static bool is_right(struct bo_agreement *c, size_t n)
{
    return bo_agreement_run_codec(c, n) == BO_OK && c->got.n == c->expected.n &&
           memcmp(c->got.p, c->expected.p, c->got.n) == 0;
}

/*
 * Makes allocation number failures.at fail while a new reader runs n queries. The error must be
 * named, and the same reader must answer all n queries once memory is available. *is_complete_ret
 * is set when there were fewer allocations.
 */
static bool survives_failure(struct bo_agreement *c, size_t n, uint64_t fail_at, struct bo_span in,
                             const struct bo_effort *effort, bool *is_complete_ret)
{
    struct bo_arena arena;
    bo_arena_init(&arena, effort->budget_nbytes);
    arena.max_first_cap = 1;
    bool ok = c->codec->open(c->codec, in, &arena, &c->reader, &c->error) == BO_OK;
    if (ok) {
        arena.fail_at = arena.n_allocs + fail_at;
        c->error = (struct bo_error){0};
        const enum bo_status status = bo_agreement_run_codec(c, n);
        *is_complete_ret = arena.n_allocs < arena.fail_at;
        arena.fail_at = 0;
        ok = bo_ends_well(status, &c->error, *is_complete_ret) && is_right(c, n);
    }
    bo_arena_free(&arena);
    return ok;
}

/* Draws some queries of a kind: the first ones, and as many edge queries. */
static size_t draw_some(struct bo_agreement *c, const struct bo_effort *effort)
{
    enum { MAX_OF_EACH = 8 };
    const uint64_t share = effort->max_queries / (2 * MAX_OF_EACH);
    const size_t n_of_each = share < MAX_OF_EACH ? (size_t)share : MAX_OF_EACH;
    struct bo_random random = bo_random_seeded(effort->seed);
    const struct bo_query_kind *kind = c->kind;
    size_t n =
        kind->query_size ? kind->draw_edges(c->model, &random, c->arena, n_of_each, c->queries) : 0;
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    for (size_t i = 0; i < n_of_each && kind->at(c->model, i, query); i++, n++)
        memcpy(c->queries + n * kind->query_size, query, kind->query_size);
    return n;
}

/*
 * For an absent key, a probabilistic codec may answer differently from the oracle, but it must
 * always answer the same. Its own answers become the expected ones.
 */
static enum bo_status expect_own_answers(struct bo_agreement *c, size_t n, struct bo_span in,
                                         const struct bo_effort *effort)
{
    struct bo_arena arena;
    bo_arena_init(&arena, effort->budget_nbytes);
    enum bo_status status = c->codec->open(c->codec, in, &arena, &c->reader, &c->error);
    if (!status)
        status = bo_agreement_run_codec(c, n);
    bo_arena_free(&arena);
    const struct bo_sink own = c->got;
    c->got = c->expected;
    c->expected = own;
    return status;
}

static void fail_each_in_queries(struct trial *t, const struct bo_query_kind *kind)
{
    struct bo_failures failures = failures_of(t);
    struct bo_agreement c = {.format = t->format,
                             .codec = t->codec,
                             .kind = kind,
                             .model = t->held,
                             .arena = &t->arena,
                             .finding = &t->result.finding};
    if (!bo_agreement_init(&c)) {
        t->result.outcome = BO_FAIL;
        return;
    }
    const size_t n = draw_some(&c, t->effort);
    bool is_complete = n == 0 || bo_agreement_run_oracle(&c, n) != BO_OK;
    if (!is_complete && t->codec->probabilistic) {
        const enum bo_status own =
            expect_own_answers(&c, n, bo_writer_span(&t->encoded), t->effort);
        is_complete = own == BO_OVER_LIMIT;
        if (own && !is_complete)
            trial_fail(t, kind, "itself", "query-fails", "queries on its own encoding fail",
                       &c.error);
    }
    for (; !is_complete && t->result.outcome == BO_PASS && bo_next_failure(&failures);
         t->result.n_cases++)
        if (!survives_failure(&c, n, failures.at, bo_writer_span(&t->encoded), t->effort,
                              &is_complete))
            trial_fail_alloc(t, kind, "query", failures.at, is_complete, &c.error);
}

static struct bo_check_result check_allocation_failure(const struct bo_format *format,
                                                       const struct bo_codec *codec,
                                                       const void *model,
                                                       const struct bo_effort *effort)
{
    struct trial t;
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_writer text;
        struct bo_error error;
        bo_writer_init(&text, &t.arena);
        t.result = pass(0);
        for (enum step step = borrows_encoding(format, codec) ? OPEN : ENCODE; step <= OPEN; step++)
            fail_each(&t, step, (struct bo_span){NULL, 0});
        for (unsigned k = 0; k < format->n_kinds; k++)
            if (codec->kinds >> k & 1)
                fail_each_in_queries(&t, &format->kinds[k]);
        /* the text form does not depend on the codec */
        if (codec == format->codecs[0] && format->print(model, &text, &error) == BO_OK) {
            fail_each(&t, PRINT, bo_writer_span(&text));
            fail_each(&t, PARSE, bo_writer_span(&text));
        }
        bo_writer_free(&text);
    }
    trial_end(&t);
    return t.result;
}

const struct bo_check bo_checks[] = {
    {"round-trip", "decode(encode(model)) is the model", check_round_trip},
    {"oracle", "every query kind answers as the oracle does", check_oracle},
    {"out-of-range", "queries for what is not there are refused", check_out_of_range},
    {"determinism", "encoding again gives the same bytes", check_determinism},
    {"damage",
     "prefixes, changed bytes and extreme numbers: a named error, or a reader that is right",
     check_damage},
    {"kept-memory",
     "a reader keeps no more of what it has read than it may, and answers alike with nothing kept",
     check_kept_memory},
    {"allocation-failure",
     "any allocation may fail: of encode, reduce, decode, open, queries and the text form",
     check_allocation_failure},
    {NULL, NULL, NULL},
};

const struct bo_check *bo_find_check(const char *name)
{
    const struct bo_check *check = bo_checks;
    while (strcmp(check->name, name) != 0)
        check++;
    return check;
}
