/* Draws, cuts and runs sets of queries. */
#include "bench/measure/query_sets.h"

#include "harness/core/print.h"
#include "harness/registry.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    /* the cost of a call, about 5 ns, is negligible for this many queries */
    CHUNK_QUERIES = 256,
    CHUNK_ANSWERS = 32 << 10, /* bytes: answers of variable size stay in the first-level cache */
    /* bytes: with so many answers of variable size, a set has enough queries */
    ENOUGH_ANSWERS = 64 << 20,
};

/*
 * A chunk of a cold workload is the queries between two flushes of the caches. A chunk of a fresh
 * workload opens one reader, since that may take long.
 */
static size_t chunk_queries(const struct bo_query_set *q)
{
    const struct bo_workload *workload = q->workload;
    if (workload->fresh)
        return workload->fresh;
    if (!workload->cold)
        return CHUNK_QUERIES;
    return workload->given && workload->given->stretch ? workload->given->stretch : BO_COLD_BATCH;
}

/* The maximum number of queries of a chunk that starts with query i: it ends with its action. */
static size_t most_from(const struct bo_query_set *q, size_t i, size_t most)
{
    const struct bo_given *given = q->workload->given;
    size_t end = q->n - i < most ? q->n : i + most, low = 0, high = given ? given->n_starts : 0;
    while (low < high) { /* the first start after i */
        const size_t middle = low + (high - low) / 2;
        if (given->starts[middle] > i)
            high = middle;
        else
            low = middle + 1;
    }
    if (given && low < given->n_starts && given->starts[low] < end)
        end = given->starts[low];
    return end - i;
}

static uint64_t seed_of(const struct bo_query_kind *kind, const struct bo_workload *workload)
{
    const uint64_t seed = XXH3_64bits_withSeed(kind->name, strlen(kind->name), BO_QUERY_SEED);
    return XXH3_64bits_withSeed(workload->name, strlen(workload->name), seed);
}

/* ---- the right answers ----------------------------------------------------------------------- */

/* Copies a query. For the usual sizes this is one or two moves. */
static inline void copy_query(void *to, const void *from, size_t nbytes)
{
    if (nbytes == 8)
        memcpy(to, from, 8);
    else if (nbytes == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, nbytes);
}

/* True when query i continues a chain. The start of a chunk does not. */
static bool is_linked(const struct bo_query_set *q, size_t i)
{
    return q->workload->dependent && i % chunk_queries(q) != 0;
}

static enum bo_status answer_fixed(struct bo_query_set *q, const void *model,
                                   struct bo_arena *arena)
{
    const size_t query_size = q->kind->query_size, answer_size = q->kind->answer_size;
    uint8_t *answers = bo_or_abort(bo_alloc_array(arena, q->n, answer_size));
    q->answers = answers;
    q->answers_nbytes = q->n * answer_size;
    if (!q->workload->dependent)
        return q->kind->oracle(model, q->queries, q->n, answers);
    for (size_t i = 0; i < q->n; i++) {
        _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
        copy_query(query, q->queries + i * query_size, query_size);
        if (is_linked(q, i))
            q->kind->link(query, answers + (i - 1) * answer_size);
        const enum bo_status status = q->kind->oracle(model, query, 1, answers + i * answer_size);
        if (status)
            return status;
    }
    return BO_OK;
}

/* Appends the answers to n queries from the i-th on, of variable size, to *sink, which grows. */
static enum bo_status answer_variable(struct bo_query_set *q, size_t i, size_t n, const void *model,
                                      struct bo_arena *arena, struct bo_sink *sink)
{
    const size_t before = sink->n;
    for (;;) {
        const enum bo_status status =
            q->kind->oracle(model, q->queries + i * q->kind->query_size, n, sink);
        if (status != BO_OVER_LIMIT || sink->cap >= BO_MAX_ANSWERS_NBYTES)
            return status;
        sink->n = before;
        bo_abort_unless(bo_grow(arena, &sink->p, sink->n, 2 * sink->cap - sink->n, &sink->cap));
    }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void cut_fixed(struct bo_query_set *q, struct bo_arena *arena)
{
    const size_t size = q->kind->answer_size;
    size_t cap = 0;
    struct bo_chunk *chunks = NULL;
    for (size_t first = 0, n; first < q->n; first += n) {
        n = most_from(q, first, chunk_queries(q));
        bo_abort_unless(bo_grow(arena, &chunks, q->n_chunks, 1, &cap));
        chunks[q->n_chunks++] = (struct bo_chunk){first, n, first * size, n * size};
        if (n * size > q->max_answers_nbytes)
            q->max_answers_nbytes = n * size;
    }
    q->chunks = chunks;
}

/*
 * Runs the oracle and cuts the set at once. An oracle may scan the whole model for each call, so it
 * runs one chunk at a time. A chunk whose answers do not fit CHUNK_ANSWERS is halved and run again,
 * unless its queries belong together.
 */
static enum bo_status cut_variable(struct bo_query_set *q, const void *model,
                                   struct bo_arena *arena)
{
    struct bo_chunk *chunks = bo_or_abort(bo_alloc_array(arena, q->n, sizeof *chunks));
    struct bo_sink sink = {.p = bo_or_abort(bo_alloc(arena, CHUNK_ANSWERS)), .cap = CHUNK_ANSWERS};
    const bool may_halve = !q->workload->fresh && !(q->workload->cold && q->workload->given);
    size_t i = 0, most = chunk_queries(q);
    while (i < q->n && sink.n < ENOUGH_ANSWERS) {
        const size_t off = sink.n, n = most_from(q, i, most);
        const enum bo_status status = answer_variable(q, i, n, model, arena, &sink);
        if (status && status != BO_OVER_LIMIT)
            return status;
        if (n > 1 && may_halve && (status || sink.n - off > CHUNK_ANSWERS)) {
            sink.n = off;
            most = n / 2;
            continue;
        }
        if (status) {
            q->too_large = i == 0;
            break; /* the set is long enough unless it is empty */
        }
        chunks[q->n_chunks++] = (struct bo_chunk){i, n, off, sink.n - off};
        if (sink.n - off > q->max_answers_nbytes)
            q->max_answers_nbytes = sink.n - off;
        i += n;
        if (most < chunk_queries(q) && sink.n - off <= CHUNK_ANSWERS / 4)
            most *= 2;
    }
    q->n = i;
    q->chunks = chunks;
    q->answers = sink.p;
    q->answers_nbytes = sink.n;
    return BO_OK;
}

/*
 * Copies the texts of the queries to one place, in the order of the queries, like a caller that has
 * just built a name. Reading them costs the same for every codec, and little.
 */
static void gather_texts(const struct bo_query_set *q, uint8_t *queries, struct bo_arena *arena)
{
    size_t nbytes = 0;
    struct bo_span text;
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&text, queries + i * q->kind->query_size, sizeof text);
        nbytes += text.n;
    }
    uint8_t *p = bo_or_abort(bo_alloc(arena, nbytes));
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&text, queries + i * q->kind->query_size, sizeof text);
        memcpy(p, text.p, text.n);
        text.p = p;
        p += text.n;
        memcpy(queries + i * q->kind->query_size, &text, sizeof text);
    }
}

enum bo_status bo_query_set_draw(const struct bo_format *format, const struct bo_query_kind *kind,
                                 const struct bo_workload *workload, const void *model,
                                 struct bo_arena *arena, struct bo_query_set *set_ret,
                                 struct bo_error *err)
{
    struct bo_query_set *q = set_ret;
    *q = (struct bo_query_set){.kind = kind,
                               .workload = workload,
                               .label = bo_arena_printf(arena, "%s/%s", kind->name, workload->name),
                               .kind_index = bo_kind_index(format, kind)};
    if (workload->dependent && (!kind->link || kind->answer_size == 0 || workload->fresh))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "this kind's queries cannot be chained");
    uint8_t *queries = bo_or_abort(bo_alloc_array(arena, workload->n_queries, kind->query_size));
    struct bo_random random = bo_random_seeded(seed_of(kind, workload));
    q->n = workload->n_queries;
    if (!workload->given)
        q->n = workload->draw(model, &random, arena, workload->n_queries, queries);
    else if (q->n)
        memcpy(queries, workload->given->queries, q->n * kind->query_size);
    q->queries = queries;
    if (q->n == 0)
        return BO_OK;
    if (kind->has_text)
        gather_texts(q, queries, arena);
    const enum bo_status status =
        kind->answer_size ? answer_fixed(q, model, arena) : cut_variable(q, model, arena);
    if (status)
        return bo_fail(err, status, BO_NO_OFFSET, "the oracle rejects a query of the workload");
    if (kind->answer_size)
        cut_fixed(q, arena);
    return BO_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static enum bo_status answer_chain(const struct bo_query_set *q, const struct bo_chunk *chunk,
                                   const struct bo_codec *codec, void *reader, uint8_t *answers,
                                   struct bo_error *err)
{
    const size_t query_size = q->kind->query_size, answer_size = q->kind->answer_size;
    const uint8_t *from = q->queries + chunk->first * query_size;
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    for (size_t i = 0; i < chunk->n; i++) {
        copy_query(query, from + i * query_size, query_size);
        if (i)
            q->kind->link(query, answers + (i - 1) * answer_size);
        const enum bo_status status =
            codec->query(codec, reader, q->kind_index, query, 1, answers + i * answer_size, err);
        if (status)
            return status;
    }
    return BO_OK;
}

enum bo_status bo_query_set_run(const struct bo_query_set *q, const struct bo_chunk *chunk,
                                const struct bo_codec *codec, void *reader, struct bo_sink *answers,
                                struct bo_error *err)
{
    *err = (struct bo_error){.what = NULL};
    answers->n = q->kind->answer_size * chunk->n;
    if (q->workload->dependent)
        return answer_chain(q, chunk, codec, reader, answers->p, err);
    return codec->query(codec, reader, q->kind_index,
                        q->queries + chunk->first * q->kind->query_size, chunk->n,
                        q->kind->answer_size ? answers->p : (void *)answers, err);
}

void bo_query_set_touch(const struct bo_query_set *q, const struct bo_chunk *chunk)
{
    const size_t size = q->kind->query_size;
    const uint8_t *queries = q->queries + chunk->first * size;
    uint8_t sum = 0;
    for (size_t i = 0; i < chunk->n * size; i++)
        sum ^= queries[i];
    for (size_t i = 0; i < chunk->n && q->kind->has_text; i++) {
        struct bo_span text;
        memcpy(&text, queries + i * size, sizeof text);
        for (size_t k = 0; k < text.n; k++)
            sum ^= text.p[k];
    }
    volatile uint8_t kept = sum; /* so that the compiler keeps the loads */
    (void)kept;
}

bool bo_query_set_is_right(const struct bo_query_set *q, const struct bo_chunk *chunk,
                           const struct bo_sink *answers, size_t *wrong_ret)
{
    const uint8_t *right = q->answers + chunk->answers_off;
    if (answers->n == chunk->answers_nbytes && memcmp(answers->p, right, answers->n) == 0)
        return true;
    const size_t size = q->kind->answer_size;
    size_t i = 0;
    while (size && memcmp(answers->p + i * size, right + i * size, size) == 0)
        i++;
    *wrong_ret = chunk->first + i;
    return false;
}
