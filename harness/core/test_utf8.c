/*
 * UTF-8. Why: two formats reject invalid UTF-8, and each of its lookalikes is a common hole:
 * surrogates, overlong forms, code points above the maximum.
 */
#include "harness/core/guard.h"
#include "harness/core/utf8.h"
#include "harness/core/test_fixture.h"

/* Every code point is written and read back. No other length of it is accepted. */
TEST(test_all_code_points)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint8_t bytes[4];
        uint32_t again = 0;
        const size_t n = bo_utf8_put(code, bytes);
        const bool is_surrogate = code >= 0xd800 && code < 0xe000;
        assert_int_equal(n, code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
        assert_int_equal(bo_utf8_take(bytes, n, &again), is_surrogate ? 0 : n);
        assert_true(is_surrogate || again == code);
        assert_true(n == 1 || bo_utf8_take(bytes, n - 1, &again) == 0);
    }
}

TEST(test_flaws)
{
    static const struct bo_span good[] = {BYTES(""), BYTES("a\0b"),
                                          BYTES("\xc3\xa4\xf0\x9f\x98\x80")};
    static const struct bo_span bad[] = {
        BYTES("\x80"),
        BYTES("\xc0\x80"),
        BYTES("\xc1\xbf"),
        BYTES("\xe0\x9f\xbf"),
        BYTES("\xed\xa0\x80"),
        BYTES("\xf0\x8f\xbf\xbf"),
        BYTES("\xf4\x90\x80\x80"),
        BYTES("\xf5\x80\x80\x80"),
        BYTES("\xff"),
        BYTES("a\xc3"),
        BYTES("\xe2\x82"),
        BYTES("\xf0\x9f\x98"),
        BYTES("\xc3\xc3\xa4"),
        BYTES("\xe2\x28\xa1"),
    };
    for (size_t i = 0; i < N_ELEMENTS(good); i++)
        assert_true(bo_is_utf8(good[i]));
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        struct bo_guarded guarded;
        assert_true(bo_guarded_copy(bad[i], &guarded));
        assert_false(bo_is_utf8(guarded.span));
        bo_guarded_free(&guarded);
    }
}

TEST_FILE(set_up, tear_down)
