/*
 * Huffman code lengths: small cases computed by hand, complete codes in all cases, and the length
 * limit when one is set.
 */
#include "harness/core/test_cmocka.h"

#include "harness/coding/huffman.h"
#include "harness/core/random.h"

enum { MOST = 300 };

static uint32_t lengths(const uint32_t *uses, uint32_t n, unsigned max_nbits, uint8_t *nbits)
{
    struct bo_huffman_leaf leaves[MOST];
    uint64_t weights[2 * MOST];
    uint32_t parents[2 * MOST];
    const struct bo_huffman_scratch scratch = {leaves, weights, parents};
    return bo_huffman_lengths(uses, n, max_nbits, &scratch, nbits);
}

TEST(by_hand)
{
    static const struct {
        uint32_t n, uses[8];
        unsigned max_nbits;
        uint8_t nbits[8];
    } cases[] = {
        {0, {0}, 8, {0}},
        {3, {0, 0, 0}, 8, {0, 0, 0}},
        {3, {0, 7, 0}, 8, {0, 0, 0}}, /* a single symbol */
        {2, {1, 1000}, 8, {1, 1}},
        {5, {8, 4, 2, 1, 1}, 8, {1, 2, 3, 4, 4}},
        {5, {1, 1, 2, 4, 8}, 8, {4, 4, 3, 2, 1}},
        {4, {5, 5, 5, 5}, 8, {2, 2, 2, 2}},
        {3, {5, 5, 5}, 8, {2, 2, 1}},       /* smaller symbols are joined first */
        {4, {1, 1, 2, 2}, 8, {2, 2, 2, 2}}, /* a symbol precedes a joined node of equal weight */
        {5, {3, 0, 2, 0, 1}, 8, {1, 0, 2, 0, 2}},
        {4, {100, 10, 1, 1}, 2, {2, 2, 2, 2}},
        {5, {16, 8, 4, 2, 1}, 3, {1, 3, 3, 3, 3}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        uint8_t nbits[8] = {9, 9, 9, 9, 9, 9, 9, 9};
        lengths(cases[i].uses, cases[i].n, cases[i].max_nbits, nbits);
        for (uint32_t k = 0; k < cases[i].n; k++)
            if (nbits[k] != cases[i].nbits[k])
                fail_msg("case %zu: symbol %u has %u bits", i, k, nbits[k]);
    }
}

/* The code is complete, and more frequent symbols never have longer words. */
TEST(full_and_fair)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        const uint32_t n = 1 + bo_random_below(&random, MOST);
        const unsigned max_nbits = 9 + bo_random_below(&random, 12);
        uint32_t uses[MOST];
        uint8_t nbits[MOST];
        for (uint32_t i = 0; i < n; i++) {
            uses[i] = bo_random_below(&random, 3) ? bo_random_below(&random, 1000) : 0;
            uses[i] <<= bo_random_below(&random, 20);
        }
        const uint32_t n_used = lengths(uses, n, max_nbits, nbits);
        uint64_t sum = 0;
        uint32_t counted = 0;
        for (uint32_t i = 0; i < n; i++) {
            counted += uses[i] > 0;
            assert_true(nbits[i] <= max_nbits && (uses[i] || !nbits[i]));
            sum += nbits[i] ? UINT64_C(1) << (32 - nbits[i]) : 0;
            for (uint32_t k = 0; k < i; k++)
                assert_true(uses[i] <= uses[k] || !uses[k] || nbits[i] <= nbits[k]);
        }
        assert_int_equal(counted, n_used);
        assert_true(n_used < 2 ? sum == 0 : sum == UINT64_C(1) << 32);
    }
}

TEST_FILE(NULL, NULL)
