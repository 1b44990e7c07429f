/* Drawing, cutting and asking sets of queries. */
#include "bench/questions.h"

#include "harness/registry.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    CHUNK_QUERIES = 256,      /* a call, some 5 ns, costs nothing beside so many queries */
    CHUNK_ANSWERS = 32 << 10, /* bytes: answers of variable size stay in the first-level cache */
    MAX_ANSWERS = 256 << 20,  /* bytes: a set whose answers need more is cut short */
};

static uint64_t seed_of(const struct bo_query_kind *kind, const struct bo_workload *workload)
{
    const uint64_t seed = XXH3_64bits_withSeed(kind->name, strlen(kind->name), BO_QUESTION_SEED);
    return XXH3_64bits_withSeed(workload->name, strlen(workload->name), seed);
}

/* ---- the right answers ----------------------------------------------------------------------- */

/* Copies a query; the sizes that formats use become one or two moves. */
static inline void copy_query(void *to, const void *from, size_t nbytes)
{
    if (nbytes == 8)
        memcpy(to, from, 8);
    else if (nbytes == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, nbytes);
}

/* Whether query i continues a chain: not at the start of a chunk. */
static bool is_linked(const struct bo_questions *q, size_t i)
{
    return q->workload->dependent && i % CHUNK_QUERIES != 0;
}

static enum bo_status answer_fixed(struct bo_questions *q, const void *model,
                                   struct bo_arena *arena, struct bo_error *err)
{
    const size_t query_size = q->kind->query_size, answer_size = q->kind->answer_size;
    uint8_t *answers = bo_alloc_array(arena, q->n, answer_size);
    if (!answers)
        return bo_fail_alloc(err, arena);
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

/* One query's answer of variable size, appended to *sink, which grows. */
static enum bo_status answer_variable(struct bo_questions *q, size_t i, const void *model,
                                      struct bo_arena *arena, struct bo_sink *sink)
{
    for (;;) {
        const size_t before = sink->n;
        const enum bo_status status =
            q->kind->oracle(model, q->queries + i * q->kind->query_size, 1, sink);
        if (status != BO_OVER_LIMIT || sink->cap >= MAX_ANSWERS)
            return status;
        sink->n = before;
        uint8_t *p = bo_grow_array(arena, sink->p, sink->n, 2 * sink->cap, &sink->cap, 1);
        if (!p)
            return BO_NO_MEMORY;
        sink->p = p;
    }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static enum bo_status cut_fixed(struct bo_questions *q, struct bo_arena *arena,
                                struct bo_error *err)
{
    const size_t n_chunks = (q->n + CHUNK_QUERIES - 1) / CHUNK_QUERIES;
    struct bo_chunk *chunks = bo_alloc_array(arena, n_chunks, sizeof *chunks);
    if (!chunks)
        return bo_fail_alloc(err, arena);
    for (size_t c = 0; c < n_chunks; c++) {
        const size_t first = c * CHUNK_QUERIES;
        const size_t n = q->n - first < CHUNK_QUERIES ? q->n - first : CHUNK_QUERIES;
        const size_t size = q->kind->answer_size;
        chunks[c] = (struct bo_chunk){first, n, first * size, n * size};
    }
    q->chunks = chunks;
    q->n_chunks = n_chunks;
    q->max_answers_nbytes = chunks[0].answers_nbytes;
    return BO_OK;
}

/* Asks and cuts at once: a chunk ends when its answers fill CHUNK_ANSWERS. */
static enum bo_status cut_variable(struct bo_questions *q, const void *model,
                                   struct bo_arena *arena, struct bo_error *err)
{
    struct bo_chunk *chunks = bo_alloc_array(arena, q->n, sizeof *chunks);
    struct bo_sink sink = {.p = bo_alloc(arena, CHUNK_ANSWERS), .cap = CHUNK_ANSWERS};
    if (!chunks || !sink.p)
        return bo_fail_alloc(err, arena);
    struct bo_chunk *chunk = NULL;
    size_t i = 0;
    for (; i < q->n; i++) {
        const size_t off = sink.n;
        const enum bo_status status = answer_variable(q, i, model, arena, &sink);
        if (status == BO_OVER_LIMIT)
            break; /* the set is long enough */
        if (status)
            return bo_fail(err, status, BO_NO_OFFSET, "the oracle refuses a drawn query");
        if (!chunk || chunk->n == CHUNK_QUERIES ||
            chunk->answers_nbytes + (sink.n - off) > CHUNK_ANSWERS) {
            chunk = &chunks[q->n_chunks++];
            *chunk = (struct bo_chunk){.first = i, .answers_off = off};
        }
        chunk->n++;
        chunk->answers_nbytes += sink.n - off;
        if (chunk->answers_nbytes > q->max_answers_nbytes)
            q->max_answers_nbytes = chunk->answers_nbytes;
    }
    q->n = i;
    q->chunks = chunks;
    q->answers = sink.p;
    q->answers_nbytes = chunk ? chunk->answers_off + chunk->answers_nbytes : 0;
    return BO_OK;
}

/*
 * Copies the queries' texts to one place, in the order in which they are asked, as a caller who has
 * just made a name holds it: reading them costs every codec the same, and little.
 */
static bool gather_texts(const struct bo_questions *q, uint8_t *queries, struct bo_arena *arena)
{
    size_t nbytes = 0;
    struct bo_span text;
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&text, queries + i * q->kind->query_size, sizeof text);
        nbytes += text.n;
    }
    uint8_t *p = bo_alloc(arena, nbytes);
    if (!p)
        return false;
    for (size_t i = 0; i < q->n; i++) {
        memcpy(&text, queries + i * q->kind->query_size, sizeof text);
        memcpy(p, text.p, text.n);
        text.p = p;
        p += text.n;
        memcpy(queries + i * q->kind->query_size, &text, sizeof text);
    }
    return true;
}

enum bo_status bo_questions_draw(const struct bo_format *format, const struct bo_query_kind *kind,
                                 const struct bo_workload *workload, const void *model,
                                 struct bo_arena *arena, struct bo_questions *questions_ret,
                                 struct bo_error *err)
{
    struct bo_questions *q = questions_ret;
    *q = (struct bo_questions){.format = format,
                               .kind = kind,
                               .workload = workload,
                               .kind_index = bo_kind_index(format, kind)};
    if (workload->dependent && (!kind->link || kind->answer_size == 0))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "this kind's queries cannot be chained");
    uint8_t *queries = bo_alloc_array(arena, workload->n_queries, kind->query_size);
    if (!queries)
        return bo_fail_alloc(err, arena);
    struct bo_random random = bo_random_seeded(seed_of(kind, workload));
    q->n = workload->draw(model, &random, arena, workload->n_queries, queries);
    q->queries = queries;
    if (q->n == 0)
        return BO_OK;
    if (kind->has_text && !gather_texts(q, queries, arena))
        return bo_fail_alloc(err, arena);
    if (kind->answer_size == 0)
        return cut_variable(q, model, arena, err);
    const enum bo_status status = answer_fixed(q, model, arena, err);
    if (status)
        return bo_fail(err, status, BO_NO_OFFSET, "the oracle refuses a drawn query");
    return cut_fixed(q, arena, err);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static enum bo_status ask_chain(const struct bo_questions *q, const struct bo_chunk *chunk,
                                const struct bo_codec *codec, void *reader, uint8_t *answers)
{
    const size_t query_size = q->kind->query_size, answer_size = q->kind->answer_size;
    const uint8_t *from = q->queries + chunk->first * query_size;
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    for (size_t i = 0; i < chunk->n; i++) {
        copy_query(query, from + i * query_size, query_size);
        if (i)
            q->kind->link(query, answers + (i - 1) * answer_size);
        const enum bo_status status =
            codec->query(reader, q->kind_index, query, 1, answers + i * answer_size, NULL);
        if (status)
            return status;
    }
    return BO_OK;
}

enum bo_status bo_questions_ask(const struct bo_questions *q, const struct bo_chunk *chunk,
                                const struct bo_codec *codec, void *reader, struct bo_sink *answers)
{
    answers->n = q->kind->answer_size * chunk->n;
    if (q->workload->dependent)
        return ask_chain(q, chunk, codec, reader, answers->p);
    return codec->query(reader, q->kind_index, q->queries + chunk->first * q->kind->query_size,
                        chunk->n, q->kind->answer_size ? answers->p : (void *)answers, NULL);
}

bool bo_questions_right(const struct bo_questions *q, const struct bo_chunk *chunk,
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
