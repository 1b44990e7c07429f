/*
 * The r-th 1 bit of a range of bits, included once for each code path, before the batch loop of
 * that path: QUERY is its name, SELECT finds a one in a word, ATTRIBUTE chooses the path.
 */

/*
 * The position, relative to `bit`, of the r-th (from 0) 1 bit among the n_bits bits from `bit` on,
 * or n_bits if there are at most r. `flip` is 0, or UINT64_MAX to find 0 bits instead.
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
 * As above, for an r below the number of 1 bits (or 0 bits). Reads n_words (2 to 4) words. If the
 * bits end within these words, no branch depends on r.
 */
ATTRIBUTE static inline __attribute__((always_inline)) uint64_t CONCAT(QUERY, _select_near)(
    const uint8_t *p, uint64_t bit, uint64_t n_bits, uint32_t r, uint64_t flip, unsigned n_words)
{
    const uint8_t *at = p + bit / 8;
    const unsigned skip = (unsigned)(bit % 8);
    if (__builtin_expect(n_bits > 64 * n_words - 8, 0))
        return CONCAT(QUERY, _select)(p, bit, n_bits, r, flip);
    uint64_t word = (bo_le64(at) ^ flip) & UINT64_MAX << skip;
    unsigned to = 0, before = 0, k = 0;
#pragma GCC unroll 3
    for (unsigned w = 0; w + 1 < n_words; w++) {
        const unsigned n_ones =
            (unsigned)__builtin_popcountll(w ? bo_le64(at + 8 * w) ^ flip : word);
        to += n_ones;
        const unsigned past = r >= to; /* then all words up to this one are before the bit */
        before += n_ones & (0 - past);
        k += past;
    }
    word = (bo_le64(at + 8 * k) ^ flip) & UINT64_MAX << (skip & (0u - (k == 0)));
    /* A damaged block may have too few: selects are defined below 64. */
    const uint64_t place = 64 * k + SELECT(word, (r - before) & 63) - skip;
    return place < n_bits ? place : n_bits;
}
