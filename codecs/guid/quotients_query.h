/*
 * The batch loop of quotients.c, included once for each code path: QUERY is its name, SELECT finds
 * a one in a word, ATTRIBUTE chooses the path.
 */

#include "codecs/guid/select_query.h"

/* Where the i-th body of a block starts and ends. */
ATTRIBUTE static inline __attribute__((always_inline)) struct guid_find_answer CONCAT(
    QUERY, _extent)(const struct shape *shape, const struct block *block, uint64_t rests,
                    uint32_t i)
{
    const unsigned l = shape->low_bits;
    const uint64_t lows = rests + (uint64_t)block->m * shape->rest_bits;
    const uint64_t highs = lows + (uint64_t)block->m * l;
    const uint64_t n_bits = block->m + (uint64_t)(block->extent >> l);
    /* The 1 bit of the key before, and the end of its body. The first key's body starts at 0. */
    const uint32_t before = i - (i > 0);
    const uint64_t found = CONCAT(QUERY, _select_near)(block->p, highs, n_bits, before, 0, 4);
    const uint64_t low = guid_bits_at(block->p, lows + (uint64_t)before * l, shape->low_mask);
    const uint64_t start = i ? (found - before) << l | low : 0, from = i ? found + 1 : 0;
    const uint64_t ahead = bo_le64(block->p + (highs + from) / 8) >> (highs + from) % 8;
    uint64_t gap = (uint64_t)__builtin_ctzll(ahead | UINT64_C(1) << 63);
    if (__builtin_expect(gap > 56, 0))
        gap =
            from < n_bits ? CONCAT(QUERY, _select)(block->p, highs + from, n_bits - from, 0, 0) : 0;
    const uint64_t end =
        (from + gap - i) << l | guid_bits_at(block->p, lows + (uint64_t)i * l, shape->low_mask);
    return guid_extent(block->base + (uint32_t)start, block->base + (uint32_t)end);
}

/* Searches the rests of a bucket from bit `at` on. False if absent, else the index in *i. */
ATTRIBUTE static inline __attribute__((always_inline)) bool CONCAT(QUERY, _scan)(
    const struct shape *shape, const struct block *block, uint64_t n_bits, uint64_t at,
    uint64_t rest, uint64_t *i)
{
    const uint64_t rests = 8 * COUNT_NBYTES + n_bits;
    for (; at < n_bits && *i < block->m; ++*i, at++) {
        if (!(block->p[COUNT_NBYTES + at / 8] >> at % 8 & 1))
            return false;
        const uint64_t here =
            guid_wide_bits_at(block->p, rests + *i * shape->rest_bits, shape->rest_bits);
        if (here >= rest)
            return here == rest;
    }
    return false;
}

/* Computes one answer. Returns NULL, or the rule that the block breaks. */
ATTRIBUTE static inline __attribute__((always_inline)) const char *CONCAT(QUERY, _one)(
    const struct reader *reader, bool has_bodies, uint64_t key, struct guid_find_answer *answer)
{
    const struct shape *shape = &reader->shape;
    const uint32_t bucket = bucket_of(shape, key), in_block = bucket & (shape->n_buckets - 1);
    const uint64_t rest = rest_of(shape, key);
    struct block block;
    const char *flaw = read_block(reader, has_bodies, bucket >> shape->block_bits, &block);
    if (flaw)
        return flaw;
    const uint64_t n_bits = shape->n_buckets + (uint64_t)block.m;
    const uint64_t rests = 8 * COUNT_NBYTES + n_bits;
    const uint64_t zero = CONCAT(QUERY, _select_near)(block.p, 8 * COUNT_NBYTES, n_bits,
                                                      in_block - (in_block > 0), UINT64_MAX, 3);
    const uint64_t at = in_block ? zero + 1 : 0;
    uint64_t i = at - in_block;
    *answer = (struct guid_find_answer){GUID_ABSENT, 0};
    if (__builtin_expect(at > n_bits || i > block.m, 0))
        return "buckets have fewer keys than the block";
    /* Most buckets have at most NEAR keys, which are compared without a branch for each. */
    const uint64_t ones = bo_le64(block.p + COUNT_NBYTES + at / 8) >> at % 8;
    const unsigned n_keys = (unsigned)__builtin_ctzll(~ones | UINT64_C(1) << NEAR_KEYS);
    unsigned hit = NEAR_KEYS;
    for (unsigned k = NEAR_KEYS; k--;)
        hit = guid_bits_at(block.p, rests + (i + k) * shape->rest_bits, shape->rest_mask) == rest
                  ? k
                  : hit;
    bool is_there = hit < n_keys;
    /* In small sets, rests are too wide for this comparison. */
    if (__builtin_expect((!is_there && n_keys == NEAR_KEYS) || shape->rest_bits > 57, 0))
        is_there = CONCAT(QUERY, _scan)(shape, &block, n_bits, at, rest, &i);
    else
        i += hit;
    if (is_there && i < block.m)
        *answer = has_bodies ? CONCAT(QUERY, _extent)(shape, &block, rests, (uint32_t)i)
                             : (struct guid_find_answer){GUID_IS_MEMBER, 0};
    return NULL;
}

ATTRIBUTE static enum bo_status QUERY(const struct reader *shared,
                                      const struct guid_find_query *queries, size_t n,
                                      struct guid_find_answer *answers, struct bo_error *err)
{
    /* A copy, which writes to answers cannot change. */
    const struct reader own = *shared, *reader = &own;
    const struct variant variant = own.variant;
    const char *flaw = NULL;
    for (size_t i = 0; i < n && !flaw; i++) {
        const uint64_t key = key_of(&variant, queries[i].guid);
        flaw = variant.has_bodies ? CONCAT(QUERY, _one)(reader, true, key, &answers[i])
                                  : CONCAT(QUERY, _one)(reader, false, key, &answers[i]);
    }
    return flaw ? bo_fail(err, BO_CORRUPT, reader->blocks_off, flaw) : BO_OK;
}
