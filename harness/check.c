/* The generic checks. */
#include "harness/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/guard.h"
#include "harness/registry.h"

enum { BATCH = 512 };

struct bo_effort bo_effort_default(void)
{
    return (struct bo_effort){
        .seed = 1,
        .max_queries = 50000,
        .max_damage_full = 1500,
        .n_damage_sample = 600,
        .budget_nbytes = (size_t)1 << 30,
        .max_failures = 200,
    };
}

/* ---- findings ------------------------------------------------------------------------------------- */

static void finding_set(struct bo_finding *finding, const struct bo_format *format,
                        const struct bo_query_kind *kind, const struct bo_codec *codec,
                        const char *b, const char *class)
{
    if (!finding)
        return;
    *finding = (struct bo_finding){
        .format = format->name,
        .kind = kind ? kind->name : "-",
        .a = codec->name,
        .b = b,
        .class = class,
    };
}

/* The detail of a finding that an error explains. */
static void finding_explain(struct bo_finding *finding, const char *doing,
                            const struct bo_error *error)
{
    if (!finding)
        return;
    const int n = snprintf(finding->detail, sizeof finding->detail, "%s: %s", doing,
                           error->what ? error->what : bo_status_name(error->status));
    if (n > 0 && (size_t)n < sizeof finding->detail && error->off != BO_NO_OFFSET)
        snprintf(finding->detail + n, sizeof finding->detail - (size_t)n, " at byte %llu",
                 (unsigned long long)error->off);
}

void bo_finding_print(const struct bo_finding *finding, struct bo_writer *out)
{
    bo_put_text(out, "BAKEOFF-DIFF format=%s kind=%s a=%s b=%s class=%s\n", finding->format,
                finding->kind, finding->a, finding->b, finding->class);
    if (finding->detail[0])
        bo_put_text(out, "%s\n", finding->detail);
}

/* ---- one codec at work ------------------------------------------------------------------------------ */

/* An error that is well told: a named status other than OK, the same in *error, and a phrase. */
static bool well_told(enum bo_status status, const struct bo_error *error)
{
    return status > BO_OK && status < BO_STATUS_COUNT && error->status == status && error->what;
}

static struct bo_check_result pass(uint64_t n_cases)
{
    return (struct bo_check_result){.outcome = BO_PASS, .n_cases = n_cases};
}

static struct bo_check_result skip(const char *why)
{
    return (struct bo_check_result){.outcome = BO_SKIP, .why_skipped = why};
}

/* What every check starts with: an arena, and the model's encoding in it. */
struct trial {
    const struct bo_format *format;
    const struct bo_codec *codec;
    const void *model;
    const struct bo_effort *effort;
    struct bo_arena arena;
    struct bo_writer encoded;
    struct bo_check_result result; /* a skip or a failure, when the trial could not begin */
};

static bool trial_begin(struct trial *t, const struct bo_format *format,
                        const struct bo_codec *codec, const void *model,
                        const struct bo_effort *effort)
{
    *t = (struct trial){format, codec, model, effort, .result = {.outcome = BO_PASS}};
    bo_arena_init(&t->arena, effort->budget_nbytes);
    bo_writer_init(&t->encoded, &t->arena);
    struct bo_error error = {0};
    const enum bo_status status = codec->encode(model, &t->encoded, &error);
    if (status == BO_OK)
        return true;
    if (status == BO_UNSUPPORTED && well_told(status, &error)) {
        t->result = skip(error.what);
        return false;
    }
    t->result.outcome = BO_FAIL;
    finding_set(&t->result.finding, format, NULL, codec, "itself", "encode-fails");
    finding_explain(&t->result.finding, "encode", &error);
    return false;
}

static void trial_end(struct trial *t)
{
    bo_writer_free(&t->encoded);
    bo_arena_free(&t->arena);
}

/* Fails the trial for good. */
static void trial_fail(struct trial *t, const struct bo_query_kind *kind, const char *b,
                       const char *class, const char *doing, const struct bo_error *error)
{
    t->result.outcome = BO_FAIL;
    finding_set(&t->result.finding, t->format, kind, t->codec, b, class);
    if (error)
        finding_explain(&t->result.finding, doing, error);
    else
        snprintf(t->result.finding.detail, sizeof t->result.finding.detail, "%s", doing);
}

/* ---- queries against the oracle ----------------------------------------------------------------------- */

/* A batch of queries and the two sets of answers that must agree. */
struct contest {
    const struct bo_format *format;
    const struct bo_codec *codec;
    const struct bo_query_kind *kind;
    const void *model;
    void *reader;
    uint8_t *queries; /* BATCH of them */
    struct bo_sink expected, got;
    struct bo_arena *arena;
    struct bo_finding *finding;
};

static bool contest_init(struct contest *c)
{
    const size_t n = c->kind->answer_size ? BATCH * c->kind->answer_size : 4096;
    c->queries = bo_alloc_array(c->arena, BATCH, c->kind->query_size);
    c->expected = (struct bo_sink){.p = bo_alloc(c->arena, n), .cap = n};
    c->got = (struct bo_sink){.p = bo_alloc(c->arena, n), .cap = n};
    if (c->queries && c->expected.p && c->got.p)
        return true;
    finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "check-out-of-memory");
    return false;
}

/* Asks the oracle; the expected answers' buffer grows until they fit. */
static enum bo_status ask_oracle(struct contest *c, size_t n)
{
    const struct bo_query_kind *kind = c->kind;
    if (kind->answer_size) {
        c->expected.n = n * kind->answer_size;
        return kind->oracle(c->model, c->queries, n, c->expected.p);
    }
    for (;;) {
        c->expected.n = 0;
        const enum bo_status status = kind->oracle(c->model, c->queries, n, &c->expected);
        if (status != BO_OVER_LIMIT)
            return status;
        const size_t cap = 4 * c->expected.cap;
        uint8_t *expected = bo_alloc(c->arena, cap), *got = bo_alloc(c->arena, cap);
        if (!expected || !got)
            return BO_NO_MEMORY;
        c->expected = (struct bo_sink){.p = expected, .cap = cap};
        c->got = (struct bo_sink){.p = got, .cap = cap};
    }
}

static enum bo_status ask_codec(struct contest *c, size_t n)
{
    const unsigned k = bo_kind_index(c->format, c->kind);
    memset(c->got.p, 0xa5, c->expected.n);
    c->got.n = c->kind->answer_size ? n * c->kind->answer_size : 0;
    return c->kind->answer_size ? c->codec->query(c->reader, k, c->queries, n, c->got.p)
                                : c->codec->query(c->reader, k, c->queries, n, &c->got);
}

/* Writes a query as hexadecimal 32-bit words of the host: enough to ask it again. */
static void describe_query(const struct contest *c, const uint8_t *query, char *text, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i + 4 <= c->kind->query_size && used + 12 < n; i += 4) {
        uint32_t word;
        memcpy(&word, query + i, sizeof word);
        used += (size_t)snprintf(text + used, n - used, " %u", word);
    }
}

/* Finds which of n queries it was, asking one by one, and says so. */
static void blame_query(struct contest *c, size_t n, enum bo_status status)
{
    finding_set(c->finding, c->format, c->kind, c->codec, "oracle",
                status ? "query-fails" : "wrong-answer");
    if (!c->finding)
        return;
    const size_t size = c->kind->query_size;
    for (size_t i = 0; i < n; i++) {
        memmove(c->queries, c->queries + (i ? size : 0), (n - i) * size);
        if (ask_oracle(c, 1) != BO_OK)
            break;
        status = ask_codec(c, 1);
        if (status == BO_OK && c->got.n == c->expected.n &&
            memcmp(c->got.p, c->expected.p, c->got.n) == 0)
            continue;
        char query[120] = "";
        describe_query(c, c->queries, query, sizeof query);
        snprintf(c->finding->detail, sizeof c->finding->detail, "%s%s: %s", c->kind->name, query,
                 status ? bo_status_name(status) : "another answer than the oracle's");
        return;
    }
    snprintf(c->finding->detail, sizeof c->finding->detail,
             "%s: wrong in a batch, right when asked alone", c->kind->name);
}

/* Both answer the first n queries of the batch; false with the finding filled when they differ. */
static bool contest_batch(struct contest *c, size_t n)
{
    const enum bo_status oracle = ask_oracle(c, n);
    if (oracle != BO_OK) {
        finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "oracle-fails");
        return false;
    }
    const enum bo_status status = ask_codec(c, n);
    if (status == BO_OK && c->got.n == c->expected.n &&
        memcmp(c->got.p, c->expected.p, c->got.n) == 0)
        return true;
    blame_query(c, n, status);
    return false;
}

static bool contest_all(struct contest *c, uint64_t *n_cases)
{
    const size_t size = c->kind->query_size;
    uint8_t query[64];
    bool more = c->kind->first(c->model, query);
    while (more) {
        size_t n = 0;
        for (; more && n < BATCH; n++) {
            memcpy(c->queries + n * size, query, size);
            more = c->kind->next(c->model, query);
        }
        if (!contest_batch(c, n))
            return false;
        *n_cases += n;
    }
    return true;
}

typedef size_t draw_queries(const void *model, struct bo_random *random, size_t n, void *queries);

static bool contest_drawn(struct contest *c, draw_queries *draw, struct bo_random *random,
                          uint64_t n_wanted, uint64_t *n_cases)
{
    for (uint64_t done = 0; done < n_wanted; done += BATCH) {
        const size_t want = n_wanted - done < BATCH ? (size_t)(n_wanted - done) : BATCH;
        const size_t n = draw(c->model, random, want, c->queries);
        if (n && !contest_batch(c, n))
            return false;
        *n_cases += n;
    }
    return true;
}

/* All queries of one kind when they are few, else edges and every workload's. */
static bool contest_kind(struct contest *c, const struct bo_effort *effort, uint64_t *n_cases)
{
    if (!contest_init(c))
        return false;
    const uint64_t n = c->kind->count(c->model);
    if (n == 0)
        return true;
    if (n <= effort->max_queries)
        return contest_all(c, n_cases);
    struct bo_random random = bo_random_seeded(effort->seed);
    if (!contest_drawn(c, c->kind->draw_edges, &random, effort->max_queries / 2, n_cases))
        return false;
    for (unsigned w = 0; w < c->kind->n_workloads; w++)
        if (!contest_drawn(c, c->kind->workloads[w].draw, &random,
                           effort->max_queries / 2 / c->kind->n_workloads, n_cases))
            return false;
    return true;
}

static bool contest_all_kinds(const struct bo_format *format, const struct bo_codec *codec,
                              const void *model, void *reader, struct bo_arena *arena,
                              const struct bo_effort *effort, uint64_t *n_cases,
                              struct bo_finding *finding)
{
    for (unsigned k = 0; k < format->n_kinds; k++) {
        if (!(codec->kinds >> k & 1))
            continue;
        struct contest c = {
            .format = format,
            .codec = codec,
            .kind = &format->kinds[k],
            .model = model,
            .reader = reader,
            .arena = arena,
            .finding = finding,
        };
        if (!contest_kind(&c, effort, n_cases))
            return false;
    }
    return true;
}

/* ---- arbitrary bytes ------------------------------------------------------------------------------------ */

/* What one reader made of the bytes. */
struct reception {
    enum bo_status open, decode;
    struct bo_error open_error, decode_error;
    void *reader, *model;
};

static bool same_verdict(enum bo_status a, enum bo_status b)
{
    const bool memory = a == BO_OVER_LIMIT || b == BO_OVER_LIMIT;
    return memory || (a == BO_OK) == (b == BO_OK);
}

static bool receive(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    struct bo_arena *arena, struct reception *r, struct bo_finding *finding)
{
    *r = (struct reception){BO_OK, BO_OK, {0}, {0}, NULL, NULL};
    r->open = codec->open(in, arena, &r->reader, &r->open_error);
    r->decode = codec->decode(in, arena, &r->model, &r->decode_error);
    if ((r->open && !well_told(r->open, &r->open_error)) ||
        (r->decode && !well_told(r->decode, &r->decode_error))) {
        finding_set(finding, format, NULL, codec, "itself", "unnamed-error");
        return false;
    }
    if (!same_verdict(r->open, r->decode)) {
        finding_set(finding, format, NULL, codec, "itself", "open-decode-disagree");
        finding_explain(finding, r->open ? "open refuses" : "decode refuses",
                        r->open ? &r->open_error : &r->decode_error);
        return false;
    }
    return true;
}

/* What was decoded encodes again, and then decodes to the same. */
static bool survives_again(const struct bo_format *format, const struct bo_codec *codec,
                           const void *model, const struct bo_effort *effort,
                           struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer again;
    struct bo_error error = {0};
    void *model_again = NULL;
    bo_arena_init(&arena, effort->budget_nbytes);
    bo_writer_init(&again, &arena);
    enum bo_status status = codec->encode(model, &again, &error);
    if (!status)
        status = codec->decode(bo_writer_span(&again), &arena, &model_again, &error);
    const char *difference = status ? NULL : format->differ(model, model_again);
    if (status && status != BO_OVER_LIMIT) {
        finding_set(finding, format, NULL, codec, "itself", "decoded-does-not-encode");
        finding_explain(finding, "what was decoded", &error);
    } else if (difference) {
        finding_set(finding, format, NULL, codec, "itself", "decoded-changes");
        if (finding)
            snprintf(finding->detail, sizeof finding->detail, "%s", difference);
    }
    bo_writer_free(&again);
    bo_arena_free(&arena);
    return (!status || status == BO_OVER_LIMIT) && !difference;
}

static bool check_guarded_bytes(const struct bo_format *format, const struct bo_codec *codec,
                                struct bo_span in, struct bo_arena *arena,
                                const struct bo_effort *effort, bool *accepted_ret,
                                struct bo_finding *finding)
{
    struct reception main, other;
    if (!receive(format, codec, in, arena, &main, finding))
        return false;
    *accepted_ret = main.open == BO_OK && main.decode == BO_OK;
    if (*accepted_ret && !survives_again(format, codec, main.model, effort, finding))
        return false;
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if (bo_encoding_of(format, *c) != codec)
            continue;
        if (!receive(format, *c, in, arena, &other, finding))
            return false;
        if (!same_verdict(main.open, other.open)) {
            finding_set(finding, format, NULL, codec, (*c)->name, "readers-disagree");
            finding_explain(finding, main.open ? "the first refuses" : "the second refuses",
                            main.open ? &main.open_error : &other.open_error);
            return false;
        }
        uint64_t n_cases = 0;
        if (*accepted_ret && other.open == BO_OK &&
            !contest_all_kinds(format, *c, main.model, other.reader, arena, effort, &n_cases,
                               finding))
            return false;
    }
    return true;
}

/* As bo_check_bytes, on bytes that already end at a guard page. */
static bool check_in_place(const struct bo_format *format, const struct bo_codec *codec,
                           struct bo_span in, const struct bo_effort *effort, bool *accepted_ret,
                           struct bo_finding *finding)
{
    struct bo_arena arena;
    bo_arena_init(&arena, effort->budget_nbytes);
    const bool ok = check_guarded_bytes(format, codec, in, &arena, effort, accepted_ret, finding);
    bo_arena_free(&arena);
    return ok;
}

bool bo_check_bytes(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding)
{
    bool accepted = false;
    struct bo_guarded guarded;
    if (!bo_guarded_copy(in, &guarded)) {
        finding_set(finding, format, NULL, codec, "itself", "check-out-of-memory");
        return false;
    }
    const bool ok = check_in_place(format, codec, guarded.span, effort, &accepted, finding);
    if (accepted_ret)
        *accepted_ret = accepted;
    bo_guarded_free(&guarded);
    return ok;
}

/* ---- the checks, one by one ------------------------------------------------------------------------------- */

static struct bo_check_result check_round_trip(const struct bo_format *format,
                                               const struct bo_codec *codec, const void *model,
                                               const struct bo_effort *effort)
{
    struct trial t;
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_error error = {0};
        void *decoded = NULL;
        const enum bo_status status =
            codec->decode(bo_writer_span(&t.encoded), &t.arena, &decoded, &error);
        const char *difference = status ? NULL : format->differ(model, decoded);
        t.result = pass(1);
        if (status)
            trial_fail(&t, NULL, "itself", "decode-fails", "decode", &error);
        else if (difference)
            trial_fail(&t, NULL, "itself", "round-trip", difference, NULL);
    }
    trial_end(&t);
    return t.result;
}

/* Opens a guarded copy of the trial's encoding; false when the trial has failed. */
static bool trial_open(struct trial *t, struct bo_guarded *guarded, void **reader_ret)
{
    struct bo_error error = {0};
    if (!bo_guarded_copy(bo_writer_span(&t->encoded), guarded)) {
        t->result = skip("no memory for a guarded copy");
        return false;
    }
    if (t->codec->open(guarded->span, &t->arena, reader_ret, &error) == BO_OK)
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
        if (!contest_all_kinds(format, codec, model, reader, &t.arena, effort, &t.result.n_cases,
                               &t.result.finding))
            t.result.outcome = BO_FAIL;
        bo_guarded_free(&guarded);
    }
    trial_end(&t);
    return t.result;
}

/* Every invalid query of one kind must be refused. */
static void refuse_invalid(struct trial *t, const struct bo_query_kind *kind, void *reader)
{
    struct contest c = {
        .format = t->format,
        .codec = t->codec,
        .kind = kind,
        .model = t->model,
        .reader = reader,
        .arena = &t->arena,
        .finding = &t->result.finding,
    };
    if (!contest_init(&c)) {
        t->result.outcome = BO_FAIL;
        return;
    }
    c.expected.n = 0;
    for (uint64_t i = 0; kind->invalid_at(t->model, i, c.queries); i++, t->result.n_cases++) {
        if (ask_oracle(&c, 1) != BO_OUT_OF_RANGE) {
            trial_fail(t, kind, "oracle", "oracle-answers-nonsense", "an invalid query", NULL);
            return;
        }
        c.expected.n = 0;
        const enum bo_status status = ask_codec(&c, 1);
        if (status != BO_OUT_OF_RANGE) {
            char query[120] = "";
            describe_query(&c, c.queries, query, sizeof query);
            trial_fail(t, kind, "oracle", "answers-nonsense", query, NULL);
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

/* Encodes anew, from `model`, with memory that lies elsewhere and holds other garbage. */
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
    const bool alike = t->codec->encode(model, &again, &error) == BO_OK &&
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
    if (trial_begin(&t, format, codec, model, effort)) {
        struct bo_error error = {0};
        void *decoded = NULL;
        t.result = pass(2);
        if (!encodes_alike(&t, model))
            trial_fail(&t, NULL, "itself", "nondeterministic", "encoding twice", NULL);
        else if (codec->decode(bo_writer_span(&t.encoded), &t.arena, &decoded, &error) ||
                 !encodes_alike(&t, decoded))
            trial_fail(&t, NULL, "itself", "nondeterministic", "encoding what was decoded", NULL);
    }
    trial_end(&t);
    return t.result;
}

/* Offers one damaged input; only a few queries each, as there are many inputs. */
static bool offer(struct trial *t, struct bo_span in)
{
    struct bo_effort effort = *t->effort;
    effort.max_queries = 64;
    effort.budget_nbytes = 4096 * in.n + ((size_t)1 << 20);
    bool accepted = false;
    t->result.n_cases++;
    if (check_in_place(t->format, t->codec, in, &effort, &accepted, &t->result.finding))
        return true;
    t->result.outcome = BO_FAIL;
    return false;
}

/* So many damaged copies of a large encoding as read about MAX_DAMAGED_NBYTES in all. */
static size_t n_samples(const struct trial *t, size_t nbytes)
{
    enum { MAX_DAMAGED_NBYTES = 32 << 20, AT_LEAST = 2 };
    const size_t affordable = MAX_DAMAGED_NBYTES / (nbytes + 1);
    const size_t n =
        affordable < t->effort->n_damage_sample ? affordable : t->effort->n_damage_sample;
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
        if (!bo_guarded_copy((struct bo_span){whole.p, n}, guarded))
            return true;
        if (!offer(t, guarded->span))
            return false;
    }
    return true;
}

/* The k-th changed value of a byte: every bit flipped, the extremes, the neighbours. */
static uint8_t changed_byte(uint8_t byte, unsigned k)
{
    const uint8_t others[] = {0x00, 0xff, (uint8_t)(byte + 1), (uint8_t)(byte - 1)};
    return k < 8 ? byte ^ (uint8_t)(1u << k) : others[k - 8];
}

enum { N_CHANGES = 12, ALL_VALUES_BELOW = 300 };

/* One byte at a time: all 255 other values in the smallest encodings, twelve of them in small ones. */
static bool offer_changes(struct trial *t, struct bo_guarded *guarded)
{
    uint8_t *p = (uint8_t *)(uintptr_t)guarded->span.p;
    const size_t n = guarded->span.n;
    struct bo_random random = bo_random_seeded(t->effort->seed + 1);
    const bool every_byte = n <= t->effort->max_damage_full;
    const size_t n_places = every_byte ? n : n_samples(t, n);
    const unsigned n_values = n < ALL_VALUES_BELOW ? 255 : every_byte ? N_CHANGES : 1;
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
        if (t.encoded.n > UINT32_MAX || !bo_guarded_copy(bo_writer_span(&t.encoded), &guarded)) {
            t.result = skip("too large to damage");
        } else {
            if (offer_changes(&t, &guarded))
                offer_prefixes(&t, &guarded);
            bo_guarded_free(&guarded);
        }
    }
    trial_end(&t);
    return t.result;
}

/* What an allocation failure is injected into. */
static enum bo_status attempt(const struct trial *t, unsigned step, struct bo_arena *arena,
                              struct bo_error *error)
{
    void *ignored = NULL;
    struct bo_writer out;
    enum bo_status status;
    switch (step) {
    case 0:
        bo_writer_init(&out, arena);
        status = t->codec->encode(t->model, &out, error);
        bo_writer_free(&out);
        return status;
    case 1:
        return t->codec->decode(bo_writer_span(&t->encoded), arena, &ignored, error);
    default:
        return t->codec->open(bo_writer_span(&t->encoded), arena, &ignored, error);
    }
}

static struct bo_check_result check_allocation_failure(const struct bo_format *format,
                                                       const struct bo_codec *codec,
                                                       const void *model,
                                                       const struct bo_effort *effort)
{
    static const char *const steps[] = {"encode", "decode", "open"};
    struct trial t;
    if (trial_begin(&t, format, codec, model, effort)) {
        t.result = pass(0);
        for (unsigned step = 0; step < 3 && t.result.outcome == BO_PASS; step++) {
            bool complete = false;
            for (uint64_t n = 1; n <= effort->max_failures && !complete; n++) {
                struct bo_arena arena;
                struct bo_error error = {0};
                bo_arena_init(&arena, effort->budget_nbytes);
                arena.fail_at = n;
                const enum bo_status status = attempt(&t, step, &arena, &error);
                complete = arena.n_allocs < n;
                const bool right = complete ? status == BO_OK
                                            : status == BO_NO_MEMORY && well_told(status, &error);
                bo_arena_free(&arena);
                t.result.n_cases++;
                if (!right) {
                    trial_fail(&t, NULL, "itself", "allocation-failure", steps[step], NULL);
                    break;
                }
            }
        }
    }
    trial_end(&t);
    return t.result;
}

const struct bo_check bo_checks[] = {
    {"round-trip", "decode(encode(model)) is the model", check_round_trip},
    {"oracle", "every query kind answers as the oracle does", check_oracle},
    {"out-of-range", "queries for what is not there are refused", check_out_of_range},
    {"determinism", "encoding again gives the same bytes", check_determinism},
    {"damage", "prefixes and changed bytes: a named error, or a reader that is right",
     check_damage},
    {"allocation-failure", "each of the first allocations may fail", check_allocation_failure},
    {NULL, NULL, NULL},
};
