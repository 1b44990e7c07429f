/*
 * Doubles as text. Why: text forms keep doubles as decimals. With one digit too few it is another
 * value; with one too many, a second text of the same value.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness/core/doubles.h"
#include "harness/core/random.h"
#include "harness/core/test_fixture.h"

/* Every double is read back unchanged. With one digit less, it would not be. */
TEST(test_shortest)
{
    struct bo_random random = bo_random_seeded(5);
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t drawn = bo_random_u64(&random);
        const uint64_t bits = i % 2 ? drawn : bo_double_bits((double)(int32_t)(drawn >> 40) / 100);
        char text[BO_DOUBLE_NBYTES];
        uint64_t again;
        if (!bo_double_is_finite(bits))
            continue;
        const size_t n = bo_double_text(bits, text);
        assert_int_equal(n, strlen(text));
        assert_true(bo_parse_double((struct bo_span){(const uint8_t *)text, n}, &again));
        assert_true(again == bits);
        char shorter[40];
        int n_digits = 0;
        for (const char *c = text; *c && *c != 'e'; c++)
            n_digits += *c >= '0' && *c <= '9' && (n_digits || *c != '0');
        if (n_digits < 2)
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", n_digits - 2, bo_double_of(bits));
        if (!strchr(text, 'e') && strtod(text, NULL) == (double)(int64_t)strtod(text, NULL))
            continue; /* trailing zeros are not significant digits */
        assert_true(bo_double_bits(strtod(shorter, NULL)) != bits);
    }
}

TEST(test_texts)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        {0, "0"},
        {UINT64_C(0x8000000000000000), "-0"},
        {UINT64_C(0x3ff0000000000000), "1"},
        {UINT64_C(0x3fb999999999999a), "0.1"},
        {1, "5e-324"},
        {UINT64_C(0x000fffffffffffff), "2.225073858507201e-308"},
        {UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308"},
        {UINT64_C(0x44b52d02c7e14af6), "1e+23"},
        {UINT64_C(0x4330000000000001), "4503599627370497"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[BO_DOUBLE_NBYTES];
        bo_double_text(cases[i].bits, text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(test_words)
{
    static const char *const good[] = {"1",    "-1",     "1.", ".5",    "1e5",
                                       "1E+5", "1e-400", "00", "-.5e-3"};
    static const char *const bad[] = {"",      "-",    "+1",   ".",   "e5",  "1e",    "1e+",
                                      "1e999", "inf",  "nan",  "0x1", " 1",  "1 ",    "1,5",
                                      "--1",   "1e5.", "1.5.", "1f",  "-e1", "-1e309"};
    uint64_t bits;
    for (size_t i = 0; i < N_ELEMENTS(good); i++)
        assert_true(bo_parse_double(bo_span_of(good[i]), &bits));
    for (size_t i = 0; i < N_ELEMENTS(bad); i++)
        assert_false(bo_parse_double(bo_span_of(bad[i]), &bits));
    static const struct bo_span nul = BYTES("1\0");
    assert_false(bo_parse_double(nul, &bits));
    char digits[1300];
    memset(digits, '1', sizeof digits);
    assert_false(bo_parse_double((struct bo_span){(const uint8_t *)digits, 1200}, &bits));
    assert_true(bo_parse_double((struct bo_span){(const uint8_t *)digits, 300}, &bits));
}

TEST_FILE(set_up, tear_down)
