/* The no-op codec. Payload: for each query kind, u32 query size, u32 answer size, little-endian. */
#include "bench/measure/noop.h"

void bo_noop_payload(const struct bo_format *format, struct bo_writer *out)
{
    bo_mark_aside(out, "sizes"); /* not counted: no bytes of the document */
    for (unsigned k = 0; k < format->n_kinds; k++) {
        bo_put_le32(out, (uint32_t)format->kinds[k].query_size);
        bo_put_le32(out, (uint32_t)format->kinds[k].answer_size);
    }
}

static enum bo_status noop_open(const struct bo_codec *self, struct bo_span in,
                                struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    if (in.n % 8)
        return bo_fail(err, BO_TRUNCATED, in.n, "length is not a multiple of 8");
    *reader_ret = (void *)(uintptr_t)in.p; /* queries only read through it */
    return BO_OK;
}

/*
 * Copies the head of each query to its answer. Inlined once for each size that compilers can
 * unroll.
 */
__attribute__((always_inline)) static inline void copy_heads(const uint8_t *queries,
                                                             size_t query_size, size_t n,
                                                             uint8_t *answers, size_t answer_size,
                                                             size_t head)
{
    for (size_t i = 0; i < n; i++)
        memcpy(answers + i * answer_size, queries + i * query_size, head);
}

/*
 * Reads one byte of each query and writes one 4-byte answer, for kinds with answers of variable
 * size.
 */
static enum bo_status fill_sink(const uint8_t *queries, size_t query_size, size_t n,
                                struct bo_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *answer = bo_sink_take(sink, 4);
        if (!answer)
            return BO_OVER_LIMIT;
        memset(answer, query_size ? queries[i * query_size] : 0, 4);
    }
    return BO_OK;
}

/*
 * Each loop has a function of its own, which starts on a cache line. So changes of other code in
 * this file do not move a loop, and the measured cost of the harness stays the same.
 */
#define COPY_HEADS(head)                                                                           \
    __attribute__((noinline)) static enum bo_status copy_heads_##head(                             \
        const uint8_t *queries, size_t query_size, size_t n, uint8_t *answers, size_t answer_size) \
    {                                                                                              \
        copy_heads(queries, query_size, n, answers, answer_size, head);                            \
        return BO_OK;                                                                              \
    }
COPY_HEADS(1)
COPY_HEADS(4)
COPY_HEADS(8)

static enum bo_status noop_query(const struct bo_codec *self, void *reader, unsigned kind,
                                 const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const uint8_t *sizes = (const uint8_t *)reader + 8 * (size_t)kind;
    const size_t query_size = bo_le32(sizes), answer_size = bo_le32(sizes + 4);
    const size_t head = query_size < answer_size ? query_size : answer_size;
    if (answer_size == 0)
        return fill_sink(queries, query_size, n, answers);
    if (head >= 8)
        return copy_heads_8(queries, query_size, n, answers, answer_size);
    if (head >= 4)
        return copy_heads_4(queries, query_size, n, answers, answer_size);
    if (head)
        return copy_heads_1(queries, query_size, n, answers, answer_size);
    memset(answers, 0, n * answer_size); /* the query has no arguments */
    return BO_OK;
}

const struct bo_codec bo_noop_codec = {
    .name = "noop",
    .summary = "answers nothing: what the harness itself costs",
    .spec = "bench/measure/noop.c",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = ~0u,
    .open = noop_open,
    .query = noop_query,
};
