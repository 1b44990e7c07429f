/* Ascending numbers, and fields of bits, block by block: for reading a whole list. */
#include "codecs/statehist/ascending.h"
#include "harness/core/cpu.h"

static bool block_portable(const struct ascending_block *block, uint64_t *numbers_ret)
{
    const unsigned l = block->l;
    uint64_t low = block->low, high = 0;
    unsigned i = 1;
    numbers_ret[0] = block->base;
    for (unsigned at = 0; i < block->n && at < ASCENDING_UPPER_NBITS; at += 64) {
        uint64_t word = ascending_word(block->p, block->upper + at);
        for (; word && i < block->n; word &= word - 1, i++, low += l) {
            const unsigned bit = at + (unsigned)__builtin_ctzll(word);
            high = l ? bit - (i - 1) : 0;
            numbers_ret[i] = l ? block->base + (high << l) + ascending_bits(block->p, low, l)
                               : block->base + bit + 1;
        }
    }
    /* What the last number's high bits lose beyond the 64th, searching would find. */
    return i == block->n && high << l >> l == high;
}

static void fields_portable(const uint8_t *p, uint64_t bit, unsigned nbits, unsigned n,
                            uint64_t *fields_ret)
{
    for (unsigned i = 0; i < n; i++, bit += nbits)
        fields_ret[i] = ascending_bits(p, bit, nbits);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Fields of up to so many bits are spread over a word by one instruction. */
enum { SPREAD_NBITS = 32 };

BO_V3 static void fields_v3(const uint8_t *p, uint64_t bit, unsigned nbits, unsigned n,
                            uint64_t *fields_ret)
{
    const uint64_t ones = (UINT64_C(1) << nbits) - 1;
    if (nbits <= 16)
        for (unsigned i = 0; i < n; i += 4, bit += 4 * (uint64_t)nbits) {
            const uint64_t four =
                _pdep_u64(ascending_word(p, bit), ones * UINT64_C(0x1000100010001));
            _mm256_storeu_si256((__m256i *)(void *)(fields_ret + i),
                                _mm256_cvtepu16_epi64(_mm_cvtsi64_si128((long long)four)));
        }
    else
        for (unsigned i = 0; i < n; i += 2, bit += 2 * (uint64_t)nbits) {
            const uint64_t two = _pdep_u64(ascending_word(p, bit), ones << 32 | ones);
            _mm_storeu_si128((__m128i *)(void *)(fields_ret + i),
                             _mm_cvtepu32_epi64(_mm_cvtsi64_si128((long long)two)));
        }
}

/* Where the first 63 of the 1 bits are; false when there are fewer. */
BO_V3 static bool find_ones(const uint8_t *p, uint64_t bit, uint8_t ones_ret[2 * ASCENDING_BLOCK])
{
    unsigned n = 0;
    for (unsigned at = 0; n < ASCENDING_BLOCK - 1; at += 64) {
        if (at == ASCENDING_UPPER_NBITS)
            return false;
        uint64_t word = ascending_word(p, bit + at);
        uint8_t *ones = ones_ret + n;
        n += ascending_popcount(word);
        /* Always eight at a time, even if fewer are left: that is faster than a test. */
        for (const uint8_t *end = ones_ret + n; ones < end; ones += 8)
#pragma GCC unroll 8
            for (unsigned k = 0; k < 8; k++, word = _blsr_u64(word))
                ones[k] = (uint8_t)(at + (unsigned)_tzcnt_u64(word));
    }
    return true;
}

BO_V3 static bool block_v3(const struct ascending_block *block, uint64_t *numbers_ret)
{
    enum { N = ASCENDING_BLOCK - 1, BY_FOUR = N / 4 * 4 };
    uint8_t ones[2 * ASCENDING_BLOCK];
    uint64_t lows[ASCENDING_BLOCK];
    const unsigned l = block->l;
    /*
     * Without low bits each number is one further than those before it: as if there were steps
     * between.
     */
    const uint64_t base = block->base + (l == 0);
    const __m256i bases = _mm256_set1_epi64x((long long)base), four = _mm256_set1_epi64x(l ? 4 : 0);
    __m256i places = l ? _mm256_setr_epi64x(0, 1, 2, 3) : _mm256_setzero_si256();
    if (!find_ones(block->p, block->upper, ones))
        return false;
    if (l)
        fields_v3(block->p, block->low, l, N, lows);
    else
        memset(lows, 0, sizeof lows);
    numbers_ret[0] = block->base;
    for (unsigned i = 0; i < BY_FOUR; i += 4, places = _mm256_add_epi64(places, four)) {
        uint32_t bytes;
        memcpy(&bytes, ones + i, sizeof bytes);
        const __m256i at = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)bytes));
        const __m256i highs = _mm256_slli_epi64(_mm256_sub_epi64(at, places), (int)l);
        const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(lows + i));
        _mm256_storeu_si256((__m256i *)(void *)(numbers_ret + 1 + i),
                            _mm256_add_epi64(_mm256_add_epi64(highs, low), bases));
    }
    for (unsigned i = BY_FOUR; i < N; i++)
        numbers_ret[i + 1] = base + ((uint64_t)(ones[i] - (l ? i : 0)) << l) + lows[i];
    return true;
}
#endif

bool ascending_block_all(const struct ascending_block *block, uint64_t numbers_ret[ASCENDING_BLOCK])
{
#if defined(__x86_64__)
    if (block->n == ASCENDING_BLOCK && block->l <= SPREAD_NBITS && bo_cpu_has_v3())
        return block_v3(block, numbers_ret);
#endif
    return block_portable(block, numbers_ret);
}

void ascending_fields(const uint8_t *p, uint64_t bit, unsigned nbits, unsigned n,
                      uint64_t fields_ret[ASCENDING_BLOCK])
{
#if defined(__x86_64__)
    if (bo_cpu_has_v3()) {
        fields_v3(p, bit, nbits, n, fields_ret);
        return;
    }
#endif
    fields_portable(p, bit, nbits, n, fields_ret);
}
