/*
 * Prefix codes. Why: every number of a file goes through them, of any width up to 64 bits, and
 * their tables come from the file: what is no code must be noticed before it is looked into.
 */
#include "codecs/autofdo/shared_trees/prefix_code.h"
#include "harness/core/random.h"
#include "harness/core/test_cmocka.h"

TEST(test_numbers)
{
    for (unsigned width = 0; width <= 64; width++)
        for (int step = -1; step <= 1; step++) {
            const uint64_t v = (width < 64 ? UINT64_C(1) << width : 0) + (uint64_t)(int64_t)step;
            const unsigned symbol = autofdo_number_symbol(v);
            const uint64_t rest = v - autofdo_number_base(symbol);
            assert_true(symbol < AUTOFDO_NUMBER_SYMBOLS);
            assert_true(bo_bit_width(rest) <= autofdo_number_rest(symbol));
        }
    assert_int_equal(autofdo_number_symbol(UINT64_MAX), AUTOFDO_NUMBER_SYMBOLS - 1);
}

/* Writes the code and some symbols, reads both. */
static void expect_code(struct autofdo_code *code, bool spends_bits, const uint8_t *symbols,
                        size_t n)
{
    struct bo_arena arena;
    struct bo_writer out;
    static struct autofdo_table table;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct bo_bit_writer bits = {&out, 0};
    autofdo_fit_code(code, spends_bits);
    autofdo_put_code(code, &bits);
    const uint64_t start = autofdo_bits_put(&bits);
    for (size_t i = 0; i < n; i++)
        autofdo_put_symbol(&bits, code, symbols[i]);
    struct autofdo_bits in = {out.p, out.n, 0};
    assert_true(autofdo_read_code(&in, 0, AUTOFDO_CODE_SYMBOLS, spends_bits, &table));
    assert_int_equal(in.bit, start);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(autofdo_take_symbol(&in, &table), symbols[i]);
    assert_int_equal(in.bit, autofdo_bits_put(&bits));
    if (spends_bits)
        assert_true(in.bit - start >= n);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_codes)
{
    struct bo_random random = bo_random_seeded(1);
    for (unsigned round = 0; round < 400; round++) {
        struct autofdo_code code = {.n_symbols = 0};
        uint8_t symbols[64];
        const unsigned spread = 1 + bo_random_below(&random, AUTOFDO_CODE_SYMBOLS);
        const size_t n = bo_random_below(&random, sizeof symbols);
        for (size_t i = 0; i < n; i++) {
            const unsigned shift = bo_random_below(&random, 30);
            symbols[i] = (uint8_t)bo_random_below(&random, spread);
            code.uses[symbols[i]] += UINT32_C(1) << shift; /* far apart: words would be long */
        }
        expect_code(&code, round % 2, symbols, n);
    }
}

/* Invalid codes, as bits from the first on. */
TEST(test_bad_codes)
{
    static const struct {
        const char *row, *bits;
        bool is_code;
    } cases[] = {
        {"no symbols", "00000000", true},
        {"one symbol of 1 bit",
         "10000000"
         "1111111110",
         true},
        {"one symbol of 2 bits",
         "10000000"
         "11111110",
         false},
        {"two symbols of 1 bit",
         "01000000"
         "1111111110"
         "0",
         true},
        {"three symbols of 1 bit",
         "11000000"
         "1111111110"
         "0"
         "0",
         false},
        {"1 and 2 bits",
         "01000000"
         "1111111110"
         "110",
         false},
        {"the last symbol has none",
         "01000000"
         "1111111110"
         "10",
         false},
        {"a length of 0",
         "10000000"
         "111111111110",
         false},
        {"a length of 11",
         "10000000"
         "1111111111110",
         false},
        {"a length far off",
         "10000000"
         "111111111111111111111111111111111111",
         false},
        {"none of 18, then one",
         "11001000"
         "10"
         "10"
         "1111"
         "10"
         "1111111110",
         true},
        {"none up to one past the last",
         "11000000"
         "10"
         "10"
         "1111"
         "1111111110",
         false},
        {"193 symbols", "10000011", false},
    };
    static struct autofdo_table table;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        uint8_t p[64] = {0};
        for (size_t bit = 0; cases[i].bits[bit]; bit++)
            p[bit / 8] |= (uint8_t)((cases[i].bits[bit] == '1') << bit % 8);
        struct autofdo_bits in = {p, sizeof p, 0};
        if (autofdo_read_code(&in, 0, AUTOFDO_CODE_SYMBOLS, true, &table) != cases[i].is_code)
            fail_msg("%s", cases[i].row);
    }
}

/* The other half of a lone symbol's table. */
TEST(test_lone_symbol)
{
    static struct autofdo_table table;
    const uint8_t p[] = {0x04}; /* two zeros, a one, zeros */
    memset(&table, 1, sizeof table);
    struct autofdo_code code = {.n_symbols = 0};
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct bo_bit_writer bits = {&out, 0};
    code.uses[3] = 7;
    autofdo_fit_code(&code, true);
    autofdo_put_code(&code, &bits);
    struct autofdo_bits in = {out.p, out.n, 0};
    assert_true(autofdo_read_code(&in, 0, 4, true, &table));
    in = (struct autofdo_bits){p, sizeof p, 2};
    assert_int_equal(autofdo_take_symbol(&in, &table), AUTOFDO_NO_SYMBOL);
    in.bit = 3;
    assert_int_equal(autofdo_take_symbol(&in, &table), 3);
    assert_int_equal(in.bit, 4);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* After the end there are zeros, and nothing is touched. */
TEST(test_end)
{
    const uint8_t p[3] = {0xff, 0xff, 0xff};
    struct autofdo_bits in = {p, sizeof p, 20};
    assert_int_equal(autofdo_take_bits(&in, 8), 0x0f);
    assert_int_equal(autofdo_take_bits(&in, 57), 0);
    in.bit = UINT64_C(1) << 40;
    assert_int_equal(autofdo_peek(&in), 0);
}

TEST_FILE(NULL, NULL)
