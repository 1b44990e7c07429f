/*
 * The text form of state histories. Why: documents are kept in it, so what it loses or takes amiss
 * no codec can bring back; and it is the one place where histories with gaps and overlaps are
 * refused for people to read.
 */
#include <stdio.h>

#include "codecs/statehist/test_model.h"
#include "codecs/statehist/text.h"

#include "harness/check/check.h"
#include "harness/core/test_fixture.h"

/* ---- what is printed ------------------------------------------------------------------------- */

static void expect_text(const char *text, const char *expected)
{
    const void *model = parse_text(text, &arena);
    const struct bo_span printed = print_text(model, &arena);
    assert_string_equal((const char *)printed.p, expected);
    assert_string_equal(
        (const char *)print_text(parse_text((const char *)printed.p, &arena), &arena).p, expected);
}

/* Every type; comments and empty lines go; a quark may come after intervals of others. */
TEST(test_canonical_form)
{
    expect_text("# statehistory-tsv 1\n"
                "# source: somewhere\n"
                "# end: 9\n\n# start: -5\n"
                "Q\t0\t-1\tThreads\n"
                "I\t0\t-5\t-5\tb\ttrue\n"
                "Q\t1\t0\t26/0000:00:1f.2\\t*\n"
                "I\t1\t-5\t-1\tn\t\n"
                "I\t0\t-4\t0\tb\tfalse\n"
                "I\t1\t0\t3\ti\t-2147483648\n"
                "I\t1\t4\t4\tl\t-9223372036854775808\n"
                "I\t1\t5\t5\td\t1.50\n"
                "I\t1\t6\t8\ts\ta\\tb\\nc\\rd\\\\e\\0\xf0\x9f\x98\x80\n"
                "I\t0\t1\t9\ti\t2147483647\n"
                "I\t1\t9\t9\ts\t\n",
                "# statehistory-tsv 1\n"
                "# quarks: 2\n"
                "# intervals: 9\n"
                "# start: -5\n"
                "# end: 9\n"
                "Q\t0\t-1\tThreads\n"
                "Q\t1\t0\t26/0000:00:1f.2\\t*\n"
                "I\t0\t-5\t-5\tb\ttrue\n"
                "I\t1\t-5\t-1\tn\t\n"
                "I\t0\t-4\t0\tb\tfalse\n"
                "I\t1\t0\t3\ti\t-2147483648\n"
                "I\t1\t4\t4\tl\t-9223372036854775808\n"
                "I\t1\t5\t5\td\t1.5\n"
                "I\t1\t6\t8\ts\ta\\tb\\nc\\rd\\\\e\\0\xf0\x9f\x98\x80\n"
                "I\t0\t1\t9\ti\t2147483647\n"
                "I\t1\t9\t9\ts\t\n");
    expect_text(HISTORY(7, 7),
                "# statehistory-tsv 1\n# quarks: 0\n# intervals: 0\n# start: 7\n# end: 7\n");
}

/* Neighbours with equal values stay two; the ends of time; a snapshot. */
TEST(test_edges)
{
    const struct statehist_model *model = parse_text(
        HISTORY(-9223372036854775808,
                9223372036854775807) "Q\t0\t-1\t\n"
                                     "I\t0\t-9223372036854775808\t-9223372036854775808\ti\t1\n"
                                     "I\t0\t-9223372036854775807\t9223372036854775806\ti\t1\n"
                                     "I\t0\t9223372036854775807\t9223372036854775807\ti\t1\n",
        &arena);
    assert_int_equal(model->n_intervals, 3);
    assert_true(model->intervals[0].end == INT64_MIN && model->intervals[2].start == INT64_MAX);
    model = parse_text(
        HISTORY(5, 5) "Q\t0\t-1\ta\nQ\t1\t0\ta\nI\t1\t5\t5\ts\tx\nI\t0\t5\t5\ts\ty\n", &arena);
    assert_int_equal(model->n_intervals, 2);
    /* Strings and intervals are sorted by quark; the closing order is the given one. */
    assert_memory_equal(model->strings[0].p, "y", 1);
    assert_int_equal(model->intervals[1].quark, 1);
    assert_int_equal(model->closing[0], 1);
}

/* ---- doubles --------------------------------------------------------------------------------- */

TEST(test_doubles)
{
    static const struct {
        const char *text;
        uint64_t bits;
        const char *printed; /* NULL: the same */
    } cases[] = {
        {"0", 0, NULL},
        {"-0", UINT64_C(0x8000000000000000), NULL},
        {"-0.0", UINT64_C(0x8000000000000000), "-0"},
        {"0.1", UINT64_C(0x3fb999999999999a), NULL},
        {"1e-1", UINT64_C(0x3fb999999999999a), "0.1"},
        {"0.1000000000000000055511151231257827", UINT64_C(0x3fb999999999999a), "0.1"},
        {"0.30000000000000004", UINT64_C(0x3fd3333333333334), NULL},
        {"5e-324", 1, NULL},
        {"1.7976931348623157e+308", UINT64_C(0x7fefffffffffffff), NULL},
        {"9007199254740993", UINT64_C(0x4340000000000000), "9007199254740992"},
        {"-17.23", UINT64_C(0xc0313ae147ae147b), NULL},
        {"NaN", UINT64_C(0x7ff8000000000000), NULL},
        {"Infinity", UINT64_C(0x7ff0000000000000), NULL},
        {"-Infinity", UINT64_C(0xfff0000000000000), NULL},
        {"0xfff8000000000000", UINT64_C(0xfff8000000000000), NULL},
        {"0x7ff0000000000001", UINT64_C(0x7ff0000000000001), NULL},
        {"0x7ff8000000000000", UINT64_C(0x7ff8000000000000), "NaN"},
        {"0x7ff80123456789af", UINT64_C(0x7ff80123456789af), NULL},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[200], line[80];
        snprintf(text, sizeof text, HISTORY(0, 0) "Q\t0\t-1\ta\nI\t0\t0\t0\td\t%s\n",
                 cases[i].text);
        const struct statehist_model *model = parse_text(text, &arena);
        assert_true(model->intervals[0].value == cases[i].bits);
        snprintf(line, sizeof line, "\td\t%s\n",
                 cases[i].printed ? cases[i].printed : cases[i].text);
        assert_non_null(strstr((const char *)print_text(model, &arena).p, line));
    }
}

/* ---- mistakes -------------------------------------------------------------------------------- */

#define H HISTORY(10, 20)
#define Q0 "Q\t0\t-1\ta\n"

TEST(test_mistakes)
{
    static const struct marked_mistake mistakes[] = {
        {"@", BO_TRUNCATED, "text ends within its first line"},
        {"# statehistory-tsv 1@", BO_TRUNCATED, "text ends within its first line"},
        {"@Q\t0\t-1\ta\n", BO_CORRUPT, "first line is not `# statehistory-tsv 1`"},
        {"@# statehistory-tsv 2\n", BO_UNSUPPORTED, "first line is not `# statehistory-tsv 1`"},
        {"# statehistory-tsv 1\n# start: 1\n@", BO_TRUNCATED,
         "start or end of the history is missing"},
        {"# statehistory-tsv 1\n# start: @1.5\n", BO_CORRUPT, "time is not an integer"},
        {"# statehistory-tsv 1\n# start: 1\n@# start: 1\n", BO_CORRUPT, "duplicate header line"},
        {"# statehistory-tsv 1\n# end: 1\n# start: @2\n", BO_CORRUPT,
         "history ends before it starts"},
        {"# statehistory-tsv 1\n# quarks: @-1\n", BO_CORRUPT, "count is not an integer below 2^32"},
        {"# statehistory-tsv 1\n# intervals: @4294967296\n", BO_CORRUPT,
         "count is not an integer below 2^32"},
        {"# statehistory-tsv 1\n" Q0 "@I\t0\t10\t20\tn\t\n", BO_CORRUPT,
         "interval before the start and the end of the history"},
        {H "@X\t0\n", BO_CORRUPT, "line is neither a comment nor Q nor I"},
        {H "@Q 0 -1 a\n", BO_CORRUPT, "line is neither a comment nor Q nor I"},
        {H "Q\t@1\t-1\ta\n", BO_CORRUPT, "quark is not the one after that of the line before"},
        {H "Q\t@00\t-1\ta\n", BO_CORRUPT, "quark is not the one after that of the line before"},
        {H "Q\t0\t@0\ta\n", BO_CORRUPT, "parent is neither -1 nor a smaller quark"},
        {H "Q\t0\t@-2\ta\n", BO_CORRUPT, "parent is neither -1 nor a smaller quark"},
        {H "Q\t0\t@-1\n", BO_CORRUPT, "line has too few fields"},
        {H "Q\t0\t-1\ta@\tb\n", BO_CORRUPT, "tab in a text, or too many fields"},
        {H "Q\t0\t-1\ta@\r\n", BO_CORRUPT, "carriage return in a text, or at the end of a line"},
        {H "Q\t0\t-1\t@\xed\xa0\x80\n", BO_CORRUPT, "text is not UTF-8"},
        {H "Q\t0\t-1\ta@\\x\n", BO_CORRUPT, "unknown escape"},
        {H "Q\t0\t-1\ta@\\\n", BO_CORRUPT, "unknown escape"},
        {H "Q\t0\t-1\t@a\\0\n", BO_CORRUPT, "name holds a NUL"},
        {H Q0 "@Q\t1\t-1\ta\nI\t0\t10\t20\tn\t\nI\t1\t10\t20\tn\t\n", BO_CORRUPT,
         "name of a sibling: quark 1"},
        {"# statehistory-tsv 1\n# quarks: 0\n@" Q0, BO_CORRUPT, "more quarks than announced"},
        {H "# quarks: 2\n" Q0 "I\t0\t10\t20\tn\t\n@", BO_TRUNCATED, "fewer quarks than announced"},
        {H "# intervals: 0\n" Q0 "@I\t0\t10\t20\tn\t\n", BO_CORRUPT,
         "more intervals than announced"},
        {H "# intervals: 4294967295\n" Q0 "I\t0\t10\t20\tn\t\n@", BO_TRUNCATED,
         "fewer intervals than announced"},
        {H "# intervals: 3\n" Q0 "I\t0\t10\t20\tn\t\n@", BO_TRUNCATED,
         "fewer intervals than announced"},
        {H Q0 "I\t@1\t10\t20\tn\t\n", BO_CORRUPT, "quark is out of range"},
        {H Q0 "I\t0\t@9\t20\tn\t\n", BO_CORRUPT, "start is no number, or outside of the history"},
        {H Q0 "I\t0\t@1:\t20\tn\t\n", BO_CORRUPT, "start is no number, or outside of the history"},
        {H Q0 "I\t0\t@1/\t20\tn\t\n", BO_CORRUPT, "start is no number, or outside of the history"},
        {H Q0 "I\t0\t@+10\t20\tn\t\n", BO_CORRUPT, "start is no number, or outside of the history"},
        {H Q0 "I\t0\t10\t@21\tn\t\n", BO_CORRUPT, "end is no number, or outside of the history"},
        {H Q0 "I\t0\t11\t@10\tn\t\n", BO_CORRUPT, "interval ends before it starts"},
        {H Q0 "I\t0\t10\t15\tn\t\nI\t0\t14\t@14\tn\t\n", BO_CORRUPT,
         "end precedes that of the interval before"},
        {H Q0 "I\t0\t10\t20\t@n\n", BO_CORRUPT, "line has too few fields"},
        {H Q0 "I\t0\t10\t20\t@x\t\n", BO_CORRUPT, "unknown type"},
        {H Q0 "I\t0\t10\t20\t@\t\n", BO_CORRUPT, "unknown type"},
        {H Q0 "I\t0\t10\t20\tn\t@0\n", BO_CORRUPT, "null has a value"},
        {H Q0 "I\t0\t10\t20\ti\t@\n", BO_CORRUPT, "value is not an integer, or exceeds 64 bits"},
        {H Q0 "I\t0\t10\t20\ti\t@1.0\n", BO_CORRUPT, "value is not an integer, or exceeds 64 bits"},
        {H Q0 "I\t0\t10\t20\ti\t@-0\n", BO_CORRUPT, "value is not an integer, or exceeds 64 bits"},
        {H Q0 "I\t0\t10\t20\ti\t@1\t2\n", BO_CORRUPT,
         "value is not an integer, or exceeds 64 bits"},
        {H Q0 "I\t0\t10\t20\ti\t@2147483648\n", BO_CORRUPT, "int does not fit 32 bits"},
        {H Q0 "I\t0\t10\t20\tl\t@9223372036854775808\n", BO_CORRUPT,
         "value is not an integer, or exceeds 64 bits"},
        {H Q0 "I\t0\t10\t20\tb\t@1\n", BO_CORRUPT, "bool is neither true nor false"},
        {H Q0 "I\t0\t10\t20\td\t@1e999\n", BO_CORRUPT,
         "value is not a double, or exceeds its range"},
        {H Q0 "I\t0\t10\t20\td\t@nan\n", BO_CORRUPT, "value is not a double, or exceeds its range"},
        {H Q0 "I\t0\t10\t20\td\t@ 1\n", BO_CORRUPT, "value is not a double, or exceeds its range"},
        {H Q0 "I\t0\t10\t20\td\t@1e\n", BO_CORRUPT, "value is not a double, or exceeds its range"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff0000000000000\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff800000000000/\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff800000000000:\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff800000000000`\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff800000000000g\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x3ff0000000000001\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x07ff8000000000001\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\td\t@0x7ff8\n", BO_CORRUPT,
         "bits of a NaN are not 16 lower-case hexadecimal digits"},
        {H Q0 "I\t0\t10\t20\ts\t@\xc0\x80\n", BO_CORRUPT, "text is not UTF-8"},
        {H Q0 "I\t0\t10\t20\ts\tx@", BO_TRUNCATED, "text ends within a line"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* Gaps and overlaps name the quark and the times. */
TEST(test_coverage)
{
    static const struct marked_mistake mistakes[] = {
        {H Q0 "I\t0\t10\t12\tn\t\n@I\t0\t15\t20\tn\t\n", BO_CORRUPT,
         "timeline has a gap: quark 0, 13..14"},
        {H Q0 "@I\t0\t11\t20\tn\t\n", BO_CORRUPT, "timeline has a gap: quark 0, 10..10"},
        {H Q0 "I\t0\t10\t14\tn\t\n@I\t0\t13\t20\tn\t\n", BO_CORRUPT,
         "timeline overlaps itself: quark 0, 13..14"},
        {H Q0 "I\t0\t10\t14\tn\t\n@I\t0\t13\t15\tn\t\n", BO_CORRUPT,
         "timeline overlaps itself: quark 0, 13..14"},
        {H Q0 "I\t0\t10\t20\tn\t\n@I\t0\t10\t20\tn\t\n", BO_CORRUPT,
         "timeline overlaps itself: quark 0, 10..20"},
        {H Q0 "I\t0\t10\t18\tn\t\n@", BO_TRUNCATED,
         "timeline does not last to the end: quark 0, 19..20"},
        {H Q0 "@", BO_TRUNCATED, "timeline does not last to the end: quark 0, 10..20"},
        {H Q0 "Q\t1\t0\tb\nI\t1\t10\t11\tn\t\nI\t0\t10\t20\tn\t\n@I\t1\t14\t20\tn\t\n", BO_CORRUPT,
         "timeline has a gap: quark 1, 12..13"},
        {HISTORY(0, 9223372036854775807) Q0
         "I\t0\t0\t9223372036854775807\tn\t\n@I\t0\t5\t9223372036854775807\tn\t\n",
         BO_CORRUPT, "timeline overlaps itself: quark 0, 5..9223372036854775807"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* Whichever allocation fails, that of the phrase included, memory is named as the cause. */
TEST(test_rejected_without_memory)
{
    static const char *const texts[] = {
        H Q0 "I\t0\t10\t18\tn\t\n",
        H Q0 "I\t0\t10\t14\tn\t\nI\t0\t13\t20\tn\t\n",
    };
    struct bo_effort effort = bo_effort_default();
    effort.max_failures = 1000;
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        const struct bo_span text = {(const uint8_t *)texts[i], strlen(texts[i])};
        struct bo_finding finding;
        bool accepted;
        if (!bo_check_text(bo_find_format("statehist"), text, &effort, &accepted, &finding))
            fail_msg("%s: %s", finding.class, finding.detail);
        assert_false(accepted);
    }
}

static enum bo_status print_with_a_gap(const void *model, struct bo_writer *out,
                                       struct bo_error *err)
{
    bo_put_text(out, H Q0 "I\t0\t10\t18\tn\t\n");
    return bo_writer_status(out, err);
}

/* The phrase about one attribute is in the parser's memory, and is reported in full. */
TEST(test_rejected_text_of_a_model)
{
    struct bo_format broken = *bo_find_format("statehist");
    const struct bo_effort effort = bo_effort_default();
    const struct bo_span text = {(const uint8_t *)(H Q0 "I\t0\t10\t20\tn\t\n"),
                                 strlen(H Q0 "I\t0\t10\t20\tn\t\n")};
    struct bo_finding finding;
    bool accepted;
    broken.print = print_with_a_gap;
    assert_false(bo_check_text(&broken, text, &effort, &accepted, &finding));
    assert_true(accepted);
    assert_string_equal(finding.class, "round-trip");
    assert_string_equal(
        finding.detail,
        "the text form: timeline does not last to the end: quark 0, 19..20 at byte 65");
}

/* Times of the history after an interval would make those before it wrong. */
TEST(test_late_times)
{
    static const struct marked_mistake mistakes[] = {
        {H Q0 "I\t0\t10\t20\tn\t\n@# start: 10\n", BO_CORRUPT, "duplicate header line"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* A text that is cut is known to be cut, wherever that is. */
TEST(test_cuts)
{
    static const char text[] =
        "# statehistory-tsv 1\n# quarks: 2\n# intervals: 3\n"
        "# start: 10\n# end: 20\n" Q0 "Q\t1\t0\tb\n"
        "I\t1\t10\t15\ts\t\xc3\xa4\nI\t0\t10\t20\ti\t12\nI\t1\t16\t20\tn\t\n";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct bo_error error = {0};
        void *model;
        assert_int_equal(
            format->parse((struct bo_span){(const uint8_t *)text, n}, &arena, &model, &error),
            BO_TRUNCATED);
        assert_true(error.off == n);
    }
    parse_text(text, &arena);
    /* A caller need not want the error, even where it is found after the last line. */
    void *model;
    const struct bo_span early = BYTES(H Q0 "I\t0\t10\t18\tn\t\n");
    assert_int_equal(format->parse(early, &arena, &model, NULL), BO_TRUNCATED);
}

/* A raw NUL is taken, and printed as an escape. */
TEST(test_raw_nul)
{
    static const struct bo_span text =
        BYTES("# statehistory-tsv 1\n# start: 1\n# end: 1\nQ\t0\t-1\ta\nI\t0\t1\t1\ts\tx\0y\n");
    struct bo_error error;
    void *opaque;
    assert_int_equal(format->parse(text, &arena, &opaque, &error), BO_OK);
    const struct statehist_model *model = opaque;
    assert_int_equal(model->strings[0].n, 3);
    assert_non_null(strstr((const char *)print_text(model, &arena).p, "\ts\tx\\0y\n"));
}

TEST(test_round_trips)
{
    expect_texts_survive(60, 400);
}

TEST_FILE(set_up, tear_down)
