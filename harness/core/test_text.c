/*
 * Lines, words and integers of text forms. Why: an off-by-one here moves the offset of every text
 * error.
 */
#include "harness/core/test_cmocka.h"

#include "harness/core/text.h"

TEST(test_lines)
{
    struct bo_text text = {.in = BYTES("# note\n\none two\n#\n # no comment\nlast")};
    struct bo_line line;
    assert_true(bo_text_line(&text, &line));
    assert_int_equal(line.off, 8);
    assert_true(bo_word_is(line.rest, "one two"));
    assert_true(bo_text_line(&text, &line));
    assert_int_equal(line.off, 18);
    assert_true(bo_word_is(line.rest, " # no comment"));
    assert_true(bo_text_line(&text, &line));
    assert_true(bo_word_is(line.rest, "last")); /* the last line, without a newline */
    assert_false(bo_text_line(&text, &line));
    assert_int_equal(text.off, text.in.n);

    static const struct bo_span blanks[] = {BYTES(""), BYTES("\n\n"), BYTES("#"), BYTES("# a\n#b")};
    for (size_t i = 0; i < N_ELEMENTS(blanks); i++) {
        text = (struct bo_text){.in = blanks[i]};
        assert_false(bo_text_line(&text, &line));
        assert_int_equal(text.off, text.in.n);
    }
}

TEST(test_words)
{
    struct bo_line line = {BYTES("  ab  c "), 100};
    struct bo_span word;
    size_t off;
    assert_true(bo_line_word(&line, &word, &off));
    assert_true(bo_word_is(word, "ab") && off == 102);
    assert_true(bo_line_word(&line, &word, &off));
    assert_true(bo_word_is(word, "c") && off == 106);
    assert_false(bo_line_word(&line, &word, &off));
    assert_int_equal(off, 108); /* where a word is missing */
    assert_false(bo_word_is(word, "cc"));
    assert_false(bo_word_is(word, ""));
    struct bo_span rest;
    word = (struct bo_span)BYTES("kind=pcsp");
    assert_true(bo_word_after(word, "kind=", &rest) && bo_word_is(rest, "pcsp"));
    assert_true(bo_word_after(word, "kind=pcsp", &rest) && rest.n == 0);
    assert_false(bo_word_after(word, "refs=", &rest));
    assert_false(bo_word_after(word, "kind=pcspx", &rest));
}

TEST(test_unsigned)
{
    static const struct {
        struct bo_span word;
        uint64_t max, v;
        bool ok;
    } cases[] = {
        {BYTES("0"), 10, 0, true},
        {BYTES("10"), 10, 10, true},
        {BYTES("11"), 10, 0, false},
        {BYTES("4294967295"), UINT32_MAX, UINT32_MAX, true},
        {BYTES("4294967296"), UINT32_MAX, 0, false},
        {BYTES("18446744073709551615"), UINT64_MAX, UINT64_MAX, true},
        {BYTES("18446744073709551616"), UINT64_MAX, 0, false},
        {BYTES("18446744073709551620"), UINT64_MAX, 0, false},
        {BYTES("99999999999999999999"), UINT64_MAX, 0, false},
        {BYTES("100000000000000000000"), UINT64_MAX, 0, false},
        {BYTES(""), 10, 0, false},
        {BYTES("00"), 10, 0, false},
        {BYTES("01"), 10, 0, false},
        {BYTES("+1"), 10, 0, false},
        {BYTES("-1"), UINT64_MAX, 0, false},
        {BYTES("-0"), UINT64_MAX, 0, false},
        {BYTES("1 "), 10, 0, false},
        {BYTES("1a"), 10, 0, false},
        {BYTES("/"), 10, 0, false},
        {BYTES(":"), 10, 0, false},
        {BYTES("0x1"), 10, 0, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        uint64_t v = 0;
        if (bo_parse_u64(cases[i].word, cases[i].max, &v) != cases[i].ok ||
            (cases[i].ok && v != cases[i].v))
            fail_msg("'%s'", (const char *)cases[i].word.p);
    }
}

TEST(test_signed)
{
    static const struct {
        struct bo_span word;
        int64_t min, max, v;
        bool ok;
    } cases[] = {
        {BYTES("0"), -1, 1, 0, true},
        {BYTES("-1"), -1, 1, -1, true},
        {BYTES("-2"), -1, 1, 0, false},
        {BYTES("2"), -1, 1, 0, false},
        {BYTES("-0"), -1, 1, 0, false},
        {BYTES("-"), -1, 1, 0, false},
        {BYTES(""), -1, 1, 0, false},
        {BYTES("--1"), -1, 1, 0, false},
        {BYTES("-01"), -1, 1, 0, false},
        {BYTES("2147483647"), INT32_MIN, INT32_MAX, INT32_MAX, true},
        {BYTES("2147483648"), INT32_MIN, INT32_MAX, 0, false},
        {BYTES("-2147483648"), INT32_MIN, INT32_MAX, INT32_MIN, true},
        {BYTES("-2147483649"), INT32_MIN, INT32_MAX, 0, false},
        {BYTES("9223372036854775807"), INT64_MIN, INT64_MAX, INT64_MAX, true},
        {BYTES("9223372036854775808"), INT64_MIN, INT64_MAX, 0, false},
        {BYTES("-9223372036854775808"), INT64_MIN, INT64_MAX, INT64_MIN, true},
        {BYTES("-9223372036854775809"), INT64_MIN, INT64_MAX, 0, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        int64_t v = 0;
        if (bo_parse_i64(cases[i].word, cases[i].min, cases[i].max, &v) != cases[i].ok ||
            (cases[i].ok && v != cases[i].v))
            fail_msg("'%s'", (const char *)cases[i].word.p);
    }
}

TEST_FILE(NULL, NULL)
