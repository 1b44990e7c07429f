/*
 * The batch loop of quotients.c, included once for each code path: QUERY is its name, SELECT finds
 * a one in a word, ATTRIBUTE chooses the path.
 */

/*
 * The place of the r-th (from 0) one, or, with flip, zero, of n_bits bits from `bit` on; n_bits
 * when there are not so many.
 */
ATTRIBUTE static inline __attribute__((always_inline)) uint64_t CONCAT(QUERY, _select)(
    const uint8_t *p, uint64_t bit, uint64_t n_bits, uint32_t r, uint64_t flip)
{
    const uint8_t *at = p + bit / 8;
    const unsigned skip = (unsigned)(bit % 8);
    uint64_t word = (bo_le64(at) ^ flip) & UINT64_MAX << skip;
    for (uint64_t done = 0; done < n_bits + skip; done += 64) {
        const unsigned n_ones = (unsigned)__builtin_popcountll(word);
        if (r < n_ones) {
            const uint64_t place = done + SELECT(word, r) - skip;
            return place < n_bits ? place : n_bits;
        }
        r -= n_ones;
        if (done + 64 < n_bits + skip)
            word = bo_le64(at += 8) ^ flip;
    }
    return n_bits;
}

/*
 * The same of an r below the number of ones or zeros, without a branch that depends on it where
 * they end within n_words (2 to 4) words, which all are read.
 */
ATTRIBUTE static inline __attribute__((always_inline)) uint64_t CONCAT(QUERY, _select_near)(
    const uint8_t *p, uint64_t bit, uint64_t n_bits, uint32_t r, uint64_t flip, unsigned n_words)
{
    const uint8_t *at = p + bit / 8;
    const unsigned skip = (unsigned)(bit % 8);
    if (__builtin_expect(n_bits > 64 * n_words - 8, 0))
        return CONCAT(QUERY, _select)(p, bit, n_bits, r, flip);
    const uint64_t first = (bo_le64(at) ^ flip) & UINT64_MAX << skip;
    const unsigned to_1 = (unsigned)__builtin_popcountll(first);
    unsigned before = r >= to_1 ? to_1 : 0, k = r >= to_1, to = to_1;
    for (unsigned w = 1; w + 1 < n_words; w++) {
        to += (unsigned)__builtin_popcountll(bo_le64(at + 8 * w) ^ flip);
        before = r >= to ? to : before;
        k += r >= to;
    }
    const uint64_t later = bo_le64(at + 8 * k) ^ flip, word = k ? later : first;
    const uint64_t place = 64 * k + SELECT(word, r - before) - skip;
    return place < n_bits ? place : n_bits; /* a damaged block may have too few */
}

/* The extent of the i-th body of a block. */
ATTRIBUTE static inline __attribute__((always_inline)) struct guid_find_answer CONCAT(
    QUERY, _extent)(const struct shape *shape, const struct block *block, uint64_t rests,
                    uint32_t i)
{
    const unsigned l = shape->low_bits;
    const uint64_t lows = rests + (uint64_t)block->m * shape->rest_bits;
    const uint64_t highs = lows + (uint64_t)block->m * l;
    const uint64_t n_bits = block->m + (uint64_t)(block->extent >> l);
    /* The one of the key before, and its end. The first key has none: its body starts at 0. */
    const uint32_t before = i - (i > 0);
    const uint64_t found = CONCAT(QUERY, _select_near)(block->p, highs, n_bits, before, 0, 4);
    const uint64_t low = bits_at(block->p, lows + (uint64_t)before * l, shape->low_mask);
    const uint64_t start = i ? (found - before) << l | low : 0, from = i ? found + 1 : 0;
    const uint64_t ahead = bo_le64(block->p + (highs + from) / 8) >> (highs + from) % 8;
    uint64_t gap = (uint64_t)__builtin_ctzll(ahead | UINT64_C(1) << 63);
    if (__builtin_expect(gap > 56, 0))
        gap =
            from < n_bits ? CONCAT(QUERY, _select)(block->p, highs + from, n_bits - from, 0, 0) : 0;
    const uint64_t end =
        (from + gap - i) << l | bits_at(block->p, lows + (uint64_t)i * l, shape->low_mask);
    return guid_extent(block->base + (uint32_t)start, block->base + (uint32_t)end);
}

/* The rest of the bucket's keys, from the one at bit `at` on; absent or an index in *i. */
ATTRIBUTE static inline __attribute__((always_inline)) bool CONCAT(QUERY, _scan)(
    const struct shape *shape, const struct block *block, uint64_t n_bits, uint64_t at,
    uint64_t rest, uint64_t *i)
{
    const uint64_t rests = 8 * COUNT_NBYTES + n_bits;
    for (; at < n_bits && *i < block->m; ++*i, at++) {
        if (!(block->p[COUNT_NBYTES + at / 8] >> at % 8 & 1))
            return false;
        const uint64_t here =
            wide_bits_at(block->p, rests + *i * shape->rest_bits, shape->rest_bits);
        if (here >= rest)
            return here == rest;
    }
    return false;
}

/* One answer; NULL, or the rule that the block breaks. */
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
        hit = bits_at(block.p, rests + (i + k) * shape->rest_bits, shape->rest_mask) == rest ? k
                                                                                             : hit;
    bool is_there = hit < n_keys;
    /* Rests of sets of few GUIDs are too wide for that. */
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
    const struct reader own = *shared, *reader = &own; /* nothing that is written changes it */
    const struct variant variant = own.variant;
    const char *flaw = NULL;
    for (size_t i = 0; i < n && !flaw; i++) {
        const uint64_t key = key_of(&variant, queries[i].guid);
        flaw = variant.has_bodies ? CONCAT(QUERY, _one)(reader, true, key, &answers[i])
                                  : CONCAT(QUERY, _one)(reader, false, key, &answers[i]);
    }
    return flaw ? bo_fail(err, BO_CORRUPT, reader->blocks_off, flaw) : BO_OK;
}
