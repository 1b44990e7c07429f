/* Compares a reader's answers with the oracle's. */
#include "harness/check/agreement.h"

#include <stdio.h>

#include "harness/registry.h"

bool bo_agreement_init(struct bo_agreement *c)
{
    const size_t n = c->kind->answer_size ? BO_AGREEMENT_BATCH * c->kind->answer_size : 4096;
    c->queries = bo_alloc_array(c->arena, BO_AGREEMENT_BATCH, c->kind->query_size);
    c->expected = (struct bo_sink){.p = bo_alloc(c->arena, n), .cap = n};
    c->got = (struct bo_sink){.p = bo_alloc(c->arena, n), .cap = n};
    if (c->queries && c->expected.p && c->got.p)
        return true;
    bo_finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "check-out-of-memory");
    return false;
}

/* Runs the oracle on the queries. The buffer for the expected answers grows until they fit. */
enum bo_status bo_agreement_run_oracle(struct bo_agreement *c, size_t n)
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

enum bo_status bo_agreement_run_codec(struct bo_agreement *c, size_t n)
{
    const unsigned k = bo_kind_index(c->format, c->kind);
    c->got.n = c->kind->answer_size ? n * c->kind->answer_size : 0;
    memset(c->got.p, 0xa5, c->got.n ? c->got.n : c->expected.n);
    return c->kind->answer_size
               ? c->codec->query(c->codec, c->reader, k, c->queries, n, c->got.p, &c->error)
               : c->codec->query(c->codec, c->reader, k, c->queries, n, &c->got, &c->error);
}

struct bo_span bo_agreement_got(const struct bo_agreement *c)
{
    return (struct bo_span){c->got.p, c->got.n};
}

/* Writes a text with unprintable bytes escaped, cut where the buffer ends. Returns the length. */
static size_t quote(struct bo_span name, char *text, size_t n)
{
    size_t used = (size_t)snprintf(text, n, " \"");
    for (size_t i = 0; i < name.n && used + 12 < n; i++) {
        const bool plain = name.p[i] >= ' ' && name.p[i] < 127 && name.p[i] != '"';
        used += (size_t)snprintf(text + used, n - used, plain ? "%c" : "\\x%02x", name.p[i]);
    }
    return used + (size_t)snprintf(text + used, n - used, "\"");
}

void bo_agreement_describe_query(const struct bo_agreement *c, const uint8_t *query, char *text,
                                 size_t n)
{
    size_t used = 0, i = 0;
    if (c->kind->has_text) {
        struct bo_span name;
        memcpy(&name, query, sizeof name);
        used = quote(name, text, n);
        i = sizeof name;
    }
    for (; i + 4 <= c->kind->query_size && used + 12 < n; i += 4) {
        uint32_t word;
        memcpy(&word, query + i, sizeof word);
        used += (size_t)snprintf(text + used, n - used, " %u", word);
    }
}

/*
 * Whether the codec may give another answer than the expected one: it is probabilistic, and the key
 * is absent. The answer for an absent key is zeros in every format that has such codecs.
 */
static bool may_differ(const struct bo_agreement *c, enum bo_status status)
{
    bool is_absent = c->codec->probabilistic && status == BO_OK;
    for (size_t i = 0; i < c->expected.n && is_absent; i++)
        is_absent = c->expected.p[i] == 0;
    return is_absent;
}

/* Whether an answer is the part at *off of those of the batch, which advances *off. */
static bool is_next(struct bo_span batch, size_t *off, struct bo_span answer)
{
    const size_t left = batch.n - *off;
    const bool is_equal = answer.n <= left && memcmp(batch.p + *off, answer.p, answer.n) == 0;
    *off += answer.n <= left ? answer.n : left;
    return is_equal;
}

/*
 * Runs the n queries of a batch that differs one by one. The finding names the first one that
 * fails. True if no query fails, but a probabilistic codec finds a few absent keys, and the same
 * ones in the batch: their probability is that of random keys, and those drawn for checks are
 * neighbours of present ones.
 */
static bool blame_query(struct bo_agreement *c, size_t n, enum bo_status status)
{
    const size_t size = c->kind->query_size, max_found = n / 4 + 1;
    const struct bo_span batch = {bo_alloc(c->arena, c->got.n), c->got.n};
    size_t n_found = 0, off = 0;
    if (!batch.p) {
        bo_finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "check-out-of-memory");
        return false;
    }
    memcpy((uint8_t *)batch.p, c->got.p, batch.n);
    bool is_explained = status == BO_OK;
    bo_finding_set(c->finding, c->format, c->kind, c->codec, "oracle",
                   status ? "query-fails" : "wrong-answer");
    for (size_t i = 0; i < n; i++) {
        memmove(c->queries, c->queries + (i ? size : 0), (n - i) * size);
        if (bo_agreement_run_oracle(c, 1) != BO_OK)
            break;
        status = bo_agreement_run_codec(c, 1);
        is_explained = is_next(batch, &off, bo_agreement_got(c)) && is_explained;
        if (status == BO_OK && c->got.n == c->expected.n &&
            memcmp(c->got.p, c->expected.p, c->got.n) == 0)
            continue;
        if (may_differ(c, status) && ++n_found <= max_found)
            continue;
        if (!c->finding)
            return false;
        char query[120] = "";
        bo_agreement_describe_query(c, c->queries, query, sizeof query);
        snprintf(c->finding->detail, sizeof c->finding->detail, "%s%s: %s", c->kind->name, query,
                 status ? bo_status_name(status) : "another answer than the oracle's");
        bo_finding_compare(c->finding, c->kind, c->queries,
                           &(struct bo_reply){c->codec->name, status, bo_agreement_got(c)},
                           &(struct bo_reply){"oracle", BO_OK, {c->expected.p, c->expected.n}});
        return false;
    }
    is_explained = is_explained && n_found > 0 && off == batch.n;
    if (!is_explained && c->finding)
        snprintf(c->finding->detail, sizeof c->finding->detail,
                 "%s: wrong in a batch, right when run alone", c->kind->name);
    return is_explained;
}

/*
 * Compares both answers to the first n queries of the batch. False, with the finding filled, when
 * they differ.
 */
static bool compare_batch(struct bo_agreement *c, size_t n)
{
    const enum bo_status oracle = bo_agreement_run_oracle(c, n);
    if (oracle == BO_NO_MEMORY && c->arena->refusal == BO_OVER_LIMIT)
        return true; /* damaged bytes may hold a model whose answers exceed the budget */
    if (oracle != BO_OK) {
        bo_finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "oracle-fails");
        return false;
    }
    const enum bo_status status = bo_agreement_run_codec(c, n);
    if (status == BO_OK && c->got.n == c->expected.n &&
        memcmp(c->got.p, c->expected.p, c->got.n) == 0)
        return true;
    return blame_query(c, n, status);
}

static bool compare_all(struct bo_agreement *c, uint64_t *n_cases)
{
    const size_t size = c->kind->query_size;
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    bool more = true;
    for (uint64_t i = 0; more;) {
        size_t n = 0;
        for (; n < BO_AGREEMENT_BATCH && (more = c->kind->at(c->model, i, query)); n++, i++)
            memcpy(c->queries + n * size, query, size);
        if (n && !compare_batch(c, n))
            return false;
        *n_cases += n;
    }
    return true;
}

typedef size_t draw_queries(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries);

static bool compare_drawn(struct bo_agreement *c, draw_queries *draw, struct bo_random *random,
                          uint64_t n_wanted, uint64_t *n_cases)
{
    for (uint64_t done = 0; done < n_wanted; done += BO_AGREEMENT_BATCH) {
        const size_t want =
            n_wanted - done < BO_AGREEMENT_BATCH ? (size_t)(n_wanted - done) : BO_AGREEMENT_BATCH;
        const struct bo_arena_mark mark = bo_arena_mark(c->arena);
        const size_t n = draw(c->model, random, c->arena, want, c->queries);
        if (n && !compare_batch(c, n))
            return false;
        if (c->kind->answer_size) /* a sink may have been replaced by a larger one */
            bo_arena_rewind(c->arena, mark);
        *n_cases += n;
    }
    return true;
}

/*
 * Runs a few queries alone, with a smaller buffer than their answers need. Each must return
 * BO_OVER_LIMIT without an error, and must not write past the buffer.
 */
static bool compare_room(struct bo_agreement *c, uint64_t n_listed)
{
    enum { N_QUERIES = 4, N_ROOMS = 8 };
    for (uint64_t q = 0; q < N_QUERIES && q < n_listed; q++) {
        if (!c->kind->at(c->model, n_listed <= N_QUERIES ? q : q * (n_listed - 1) / (N_QUERIES - 1),
                         c->queries) ||
            bo_agreement_run_oracle(c, 1) != BO_OK)
            continue;
        const size_t cap = c->got.cap, nbytes = c->expected.n;
        for (size_t r = 0; r < N_ROOMS && nbytes; r++) {
            const size_t room = r ? nbytes * r / N_ROOMS : nbytes - 1;
            c->got.cap = room;
            c->error = (struct bo_error){0};
            const enum bo_status status = bo_agreement_run_codec(c, 1);
            c->got.cap = cap;
            bool intact = true;
            for (size_t i = room; i < nbytes; i++)
                intact &= c->got.p[i] == 0xa5;
            if (status == BO_OVER_LIMIT && !c->error.what && intact)
                continue;
            bo_finding_set(c->finding, c->format, c->kind, c->codec, "oracle", "ignores-room");
            if (c->finding)
                snprintf(c->finding->detail, sizeof c->finding->detail,
                         "%s: %s%s%s with room for %zu of %zu bytes of the answer", c->kind->name,
                         bo_status_name(status), c->error.what ? ", " : "",
                         c->error.what ? c->error.what : "", room, nbytes);
            return false;
        }
    }
    return true;
}

/* The number of edge queries beside all listed ones: names and numbers that the model lacks. */
static uint64_t n_unlisted(const struct bo_effort *effort, uint64_t n)
{
    enum { MAX_UNLISTED = 100000 };
    const uint64_t most =
        effort->max_queries / 2 < MAX_UNLISTED ? effort->max_queries / 2 : MAX_UNLISTED;
    return most < 64 || n > (most - 64) / 4 ? most : 64 + 4 * n;
}

/*
 * Runs all queries of one kind if they are few, else edge queries and those of every workload.
 * Queries of what the model does not contain are valid, too; the edge queries include some.
 */
static bool compare_kind(struct bo_agreement *c, const struct bo_effort *effort, uint64_t *n_cases)
{
    if (!bo_agreement_init(c))
        return false;
    struct bo_random random = bo_random_seeded(effort->seed);
    const uint64_t n = c->kind->count(c->model);
    if (!c->kind->answer_size && !compare_room(c, n))
        return false;
    if (n <= effort->max_queries)
        return compare_all(c, n_cases) &&
               (!c->kind->query_size ||
                compare_drawn(c, c->kind->draw_edges, &random, n_unlisted(effort, n), n_cases));
    if (!compare_drawn(c, c->kind->draw_edges, &random, effort->max_queries / 2, n_cases))
        return false;
    for (unsigned w = 0; w < c->kind->n_workloads; w++)
        if (!compare_drawn(c, c->kind->workloads[w].draw, &random,
                           effort->max_queries / 2 / c->kind->n_workloads, n_cases))
            return false;
    return true;
}

bool bo_agreement_all_kinds(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, void *reader, const struct bo_effort *effort,
                            uint64_t *n_cases, struct bo_finding *finding)
{
    enum { MAX_AGAIN = 64 };
    struct bo_effort again = *effort;
    again.max_queries = effort->max_queries / 4 < MAX_AGAIN ? effort->max_queries / 4 : MAX_AGAIN;
    for (unsigned i = 0; i < 2 * format->n_kinds; i++) {
        const unsigned k = i % format->n_kinds;
        if (!(codec->kinds >> k & 1))
            continue;
        struct bo_arena arena;
        bo_arena_init(&arena, effort->budget_nbytes);
        struct bo_agreement c = {
            .format = format,
            .codec = codec,
            .kind = &format->kinds[k],
            .model = model,
            .reader = reader,
            .arena = &arena,
            .finding = finding,
        };
        const bool ok = compare_kind(&c, i < format->n_kinds ? effort : &again, n_cases);
        bo_arena_free(&arena);
        if (!ok)
            return false;
    }
    return true;
}
