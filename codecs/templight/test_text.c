/*
 * The text form of Templight. Why: it is clang's, so what we print must be what clang prints, byte for
 * byte, and each mistake must be pointed at with its byte.
 */
#include <stdlib.h>

#include "codecs/templight/test_model.h"
#include "codecs/templight/text.h"
#include "codecs/templight/yaml.h"

#include "harness/test_fixture.h"

/* ---- clang's own ------------------------------------------------------------------------------- */

#define LINE_NAME(name) "name:            " name "\n"
#define LINE_KIND(kind) "kind:            " kind "\n"
#define LINE_EVENT(event) "event:           " event "\n"
#define LINE_ORIG(orig) "orig:            " orig "\n"
#define LINE_POI(poi) "poi:             " poi "\n"
#define RECORD(name, kind, event, orig, poi) \
    "---\n" LINE_NAME(name) LINE_KIND(kind) LINE_EVENT(event) LINE_ORIG(orig) LINE_POI(poi)
#define BEGIN(name, orig) RECORD(name, "Memoization", "Begin", orig, "'a.h:1:2'")
#define END(name, orig) RECORD(name, "Memoization", "End", orig, "'a.h:1:2'")

/* What comes out as it went in. */
static void test_exact(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        BEGIN("S", "''"),
        BEGIN("S", "'a.h:1:2'") END("S", "'a.h:1:2'"),
        BEGIN("S", "'a.h:1:2'") END("S", "'b.h:1:2'"), /* an End with its own origin */
        BEGIN("S", "'a.h:1:2'") END("S", "''"),
        BEGIN("S", "''") END("S", "'a.h:1:2'"),
        BEGIN("'A<B>'", "''") BEGIN("'std::x'", "''") END("'std::x'", "''") END("'A<B>'", "''"),
        BEGIN("'it''s'", "'it''s.h:1:2'") END("'it''s'", "'it''s.h:1:2'"),
        BEGIN("\"a\\nb\"", "\"a\\nb.h:1:2\""),
        BEGIN("!!binary //7D", "!!binary /zoxOjE="), /* FF FE C3; FF :1:1 */
        BEGIN("''", "':0:0'"),                       /* an empty name, an empty file */
        BEGIN("S", "'a:1:2:3:4'"),
        BEGIN("S", "'a.h:4294967295:2147483653'"),
        RECORD("S", "99", "Begin", "''", "''"),
        RECORD("S", "LambdaExpressionSubstitution", "Begin", "''", "''"),
        "---\n" LINE_EVENT("End"),
        "---\n" LINE_EVENT("End") LINE_ORIG("'a.h:1:2'"),
        BEGIN("S", "''") "time:            0.25\nmemory:          107374182400\n" END(
            "S", "''") "time:            1e-300\n",
        "# trace: {version: 1, source: ''}\n",
        "# trace: {version: 2, source: 'it''s.cpp'}\n" BEGIN("S", "''"),
        "# trace: {version: 1, source: main.cpp}\n" BEGIN("S", "''"),
        BEGIN("S", "''") "# trace: {version: 1, source: ''}\n" BEGIN("S", "''"),
        BEGIN("S", "''") "# trace: {version: 1, source: ''}\n---\n" LINE_EVENT("End"),
        "# trace: {version: 1, source: ''}\n# trace: {version: 1, source: !!binary /w==}\n",
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const void *model = parse_text(cases[i], &arena);
        assert_null(templight_model_flaw(model, &arena));
        assert_string_equal(print_text(model, &arena).p, cases[i]);
    }
}

static void test_canonical_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"# a comment\n\n...\n", ""},
        {"---\r\nname: S\r\nkind: Memoization\r\nevent: Begin\r\norig: ''\r\npoi: 'a.h:1:2'",
         BEGIN("S", "''")},
        {"---\npoi:   'a.h:1:2'\t\nevent:\tBegin\nkind: 'Memoization'\nname: \"\\x53\"\n...\n",
         BEGIN("S", "''")},
        {"---\nname: S\nkind: 23\nevent: Begin\npoi: a.h:1:2\n", BEGIN("S", "''")},
        {"---\nname: S\nkind: 1000\nevent: Begin\n",
         RECORD("S", "LambdaExpressionSubstitution", "Begin", "''", "''")},
        {BEGIN("S", "''") "---\nevent: End\n", BEGIN("S", "''") END("S", "''")},
        {BEGIN("S", "''") END("\"S\"", "\"\""), BEGIN("S", "''") END("S", "''")},
        {BEGIN("S", "''") "---\nevent: End\npoi: a.h:1:2\nkind: 23\n",
         BEGIN("S", "''") END("S", "''")},
        {"---\nevent: End\norig: ''\n", "---\n" LINE_EVENT("End")},
        {"---\nevent: End\ntime: +25.0e-2\n", "---\n" LINE_EVENT("End") "time:            0.25\n"},
        {"# trace: {version: 1, source: ''}\n" BEGIN("S", "''"), BEGIN("S", "''")},
        {BEGIN("\"\\u00e9\\L\\x07\\/\\U0001F600\"", "''"),
         BEGIN("\"\xc3\xa9\\L\\a/\xf0\x9f\x98\x80\"", "''")},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const void *model = parse_text(cases[i][0], &arena);
        assert_string_equal(print_text(model, &arena).p, cases[i][1]);
    }
}

/* ---- scalars ----------------------------------------------------------------------------------- */

/* A text and how LLVM 14 writes it. */
static void test_scalars_as_llvm_writes_them(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "''"},
        {"int", "int"},
        {"a b", "a b"},
        {"a-b_c^d.e,f", "a-b_c^d.e,f"},
        {" a", "' a'"},
        {"a ", "'a '"},
        {"a\tb", "a\tb"},
        {"\ta", "'\ta'"},
        {"a/b", "'a/b'"},
        {"a:b", "'a:b'"},
        {"'", "''''"},
        {"it's", "'it''s'"},
        {"-a", "'-a'"},
        {"?", "'?'"},
        {",a", "',a'"},
        {"a,", "a,"},
        {"null", "'null'"},
        {"NULL", "'NULL'"},
        {"nULL", "nULL"},
        {"~", "'~'"},
        {"True", "'True'"},
        {"tRue", "tRue"},
        {".nan", "'.nan'"},
        {"-.inf", "'-.inf'"},
        {"+.Inf", "'+.Inf'"},
        {"1", "'1'"},
        {"-1", "'-1'"},
        {"1.", "'1.'"},
        {".5", "'.5'"},
        {".", "."},
        {".e", ".e"},
        {"1e5", "'1e5'"},
        {"1e", "1e"},
        {"1.5E-3", "'1.5E-3'"},
        {"0x1F", "'0x1F'"},
        {"0x", "0x"},
        {"0xG", "0xG"},
        {"0o17", "'0o17'"},
        {"0o18", "0o18"},
        {"1_000", "1_000"},
        {"1,5", "1,5"},
        {"e5", "e5"},
        {"a\"b", "'a\"b'"},
        {"a\nb'\"\\", "\"a\\nb'\\\"\\\\\""},
        {"\x01", "\"\\x01\""},
        {"\x1b", "\"\\e\""},
        {"\x7f", "\"\x7f\""},
        {"\xc2\xa0", "\"\\_\""},
        {"\xc2\x85", "\"\\N\""},
        {"\xc3\xa9", "\"\xc3\xa9\""},
        {"\xef\xbb\xbf", "\"\\uFEFF\""},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_writer out;
        struct bo_span back;
        size_t at;
        bo_writer_init(&out, &arena);
        const struct bo_span text = bo_span_of(cases[i][0]);
        templight_put_scalar(&out, text, templight_quoting_of(text));
        if (!bo_span_equal(bo_writer_span(&out), bo_span_of(cases[i][1])))
            fail_msg("%s is written as %.*s", cases[i][1], (int)out.n, (const char *)out.p);
        assert_null(templight_read_scalar(bo_writer_span(&out), &arena, &back, &at));
        assert_true(bo_span_equal(back, text));
        bo_writer_free(&out);
    }
}

static void test_any_bytes_come_back(void **state)
{
    (void)state;
    unsigned n_quotings[TEMPLIGHT_BINARY + 1] = {0};
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        struct bo_writer out;
        struct bo_span back;
        uint8_t bytes[12];
        size_t at;
        const size_t n = bo_random_below(&random, sizeof bytes);
        const bool is_ascii = seed % 2;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)(1 + bo_random_below(&random, is_ascii ? 127 : 255));
        const struct bo_span text = {bytes, n};
        const enum templight_quoting quoting = templight_quoting_of(text);
        bo_writer_init(&out, &arena);
        templight_put_scalar(&out, text, quoting);
        assert_null(templight_read_scalar(bo_writer_span(&out), &arena, &back, &at));
        assert_true(bo_span_equal(back, text));
        assert_true(!out.n || !memchr(out.p, '\n', out.n));
        n_quotings[quoting]++;
        bo_writer_free(&out);
    }
    for (unsigned i = 0; i <= TEMPLIGHT_BINARY; i++)
        assert_true(n_quotings[i] != 0);
}

/* The escapes that are shorter than what they stand for: the text needs more room than the scalar. */
static void test_escapes_that_grow(void **state)
{
    (void)state;
    struct bo_writer out;
    struct bo_span back;
    size_t at;
    uint8_t bytes[3 * 1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t) "\xe2\x80\xa8"[i % 3];
    const struct bo_span text = {bytes, sizeof bytes};
    struct bo_arena exact;
    bo_arena_init(&exact, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    templight_put_scalar(&out, text, templight_quoting_of(text));
    assert_int_equal(out.n, 2 + 2 * 1000);
    assert_null(templight_read_scalar(bo_writer_span(&out), &exact, &back, &at));
    assert_true(back.n <= exact.region_nbytes);
    assert_true(bo_span_equal(back, text));
    bo_writer_free(&out);
    bo_arena_free(&exact);
}

static void test_times(void **state)
{
    (void)state;
    static const struct {
        uint64_t bits;
        const char *text;
    } cases[] = {
        {0, "0"},
        {UINT64_C(1) << 63, "-0"},
        {UINT64_C(0x3fb999999999999a), "0.1"},
        {UINT64_C(0x3fb999999999999b), "0.10000000000000002"},
        {1, "4.94065645841247e-324"},
        {UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308"},
        {UINT64_C(0x7ff0000000000000), ".inf"},
        {UINT64_C(0xfff0000000000000), "-.inf"},
        {UINT64_C(0x7ff8000000000000), ".nan"},
        {UINT64_C(0xfff8000000000001), "0xFFF8000000000001"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[TEMPLIGHT_TIME_NBYTES];
        uint64_t bits;
        templight_time_text(cases[i].bits, text);
        assert_string_equal(text, cases[i].text);
        assert_true(templight_read_time(bo_span_of(text), &bits));
        assert_true(bits == cases[i].bits);
    }
    for (uint64_t seed = 0; seed < 20000; seed++) {
        char text[TEMPLIGHT_TIME_NBYTES];
        uint64_t bits;
        templight_time_text(bo_mix64(seed), text);
        assert_true(templight_read_time(bo_span_of(text), &bits) && bits == bo_mix64(seed));
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------- */

#define GOOD "---\nname: S\nkind: Memoization\nevent: Begin\n"

static void test_mistakes(void **state)
{
    (void)state;
    static const struct marked_mistake mistakes[] = {
        {"@x\n", BO_CORRUPT, "line outside of a record"},
        {"@name: S\n", BO_CORRUPT, "line outside of a record"},
        {"@---\n", BO_CORRUPT, "record without an event"},
        {"---\n@size: 3\n", BO_CORRUPT, "line is no key of a record"},
        {"---\nname: a\n@name: b\n", BO_CORRUPT, "key stands twice in a record"},
        {"---\nname:@a\n", BO_CORRUPT, "no blank behind a key"},
        {"---\nevent: @begin\n", BO_CORRUPT, "event is neither Begin nor End"},
        {"@---\nkind: Memoization\nevent: Begin\n", BO_CORRUPT, "Begin without a name or a kind"},
        {"@---\nname: S\nevent: Begin\n", BO_CORRUPT, "Begin without a name or a kind"},
        {"---\nname: S\nkind: @Foo\nevent: Begin\n", BO_UNSUPPORTED,
         "kind is neither a name that is known nor a number"},
        {"---\nname: S\nkind: @4294967296\nevent: Begin\n", BO_UNSUPPORTED,
         "kind is neither a name that is known nor a number"},
        {"---\nname:@\nkind: 1\nevent: Begin\n", BO_CORRUPT, "no value"},
        {"---\nname: 'S@\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "quoted text does not end on its line"},
        {"---\nname: 'S''@\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "quoted text does not end on its line"},
        {"---\nname: 'S'@ x\nkind: 1\nevent: Begin\n", BO_CORRUPT, "bytes behind a quoted text"},
        {"---\nname: \"S\"@ x\nkind: 1\nevent: Begin\n", BO_CORRUPT, "bytes behind a quoted text"},
        {"---\nname: \"S\\\"@\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "quoted text does not end on its line"},
        {"---\nname: \"S@\\q\"\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "escape that stands for no character"},
        {"---\nname: \"S@\\uD800\"\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "escape that stands for no character"},
        {"---\nname: \"S@\\x00\"\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "escape that stands for no character"},
        {"---\nname: !!binary AAA@\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "binary text is no whole number of groups of 4 digits"},
        {"---\nname: !!binary A@*AA\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "binary text is not in base64"},
        {"---\nname: @!!binary AAAA\nkind: 1\nevent: Begin\n", BO_CORRUPT, "text holds a NUL"},
        {"---\nname: @&a S\nkind: 1\nevent: Begin\n", BO_CORRUPT,
         "plain text begins with a sign that means something"},
        {"---\nname: a @# b\nkind: 1\nevent: Begin\n", BO_CORRUPT, "plain text holds what ends it"},
        {"---\nname: a@: b\nkind: 1\nevent: Begin\n", BO_CORRUPT, "plain text holds what ends it"},
        {GOOD "poi: @a.h\n", BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "poi: @a.h:1\n", BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "poi: @a.h:01:2\n", BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "orig: @a.h:1:4294967296\n", BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "orig: @1:2\n", BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "time: @soon\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x12\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time:@\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @1.0000000000000000000000000000000000000000000000001\n", BO_CORRUPT,
         "time is not a number"},
        {GOOD "memory: @-1\n", BO_CORRUPT, "memory is not a number of bytes"},
        {GOOD "memory: @18446744073709551616\n", BO_CORRUPT, "memory is not a number of bytes"},
        {GOOD "---\nevent: End\nname: @T\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "---\nevent: End\nkind: @1\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "---\nevent: End\npoi: @a.h:1:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "poi: a.h:1:2\n---\nevent: End\npoi: @a.h:1:3\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "poi: a.h:1:2\n---\nevent: End\npoi: @a.h:3:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "poi: a.h:1:2\n---\nevent: End\npoi: @b.h:1:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "poi: a.h:1:2\n---\nevent: End\npoi: @''\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {"---\nevent: End\nname: @T\n", BO_UNSUPPORTED,
         "End has fields of a Begin, but none is open"},
        {"# trace: @x\n", BO_CORRUPT, "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: @x, source: ''}\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: 1, source: @''\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: 1, source: 'a@}\n", BO_CORRUPT,
         "quoted text does not end on its line"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

static void test_nul_in_the_text(void **state)
{
    (void)state;
    static const struct bo_span text = BYTES("---\nname: a\0b\nkind: 1\nevent: Begin\n");
    expect_mistake(text, 10, BO_CORRUPT, "text holds a NUL");
}

/* ---- generated models -------------------------------------------------------------------------- */

static void test_round_trips(void **state)
{
    (void)state;
    expect_texts_survive(100, 80);
}

/* The model owns its texts: what it was read from may go. */
static void test_text_may_go(void **state)
{
    (void)state;
    const struct bo_span text = print_text(generate_model(3, 50, &arena), &arena);
    uint8_t *copy = bo_alloc(&arena, text.n);
    void *model;
    memcpy(copy, text.p, text.n);
    assert_int_equal(format->parse((struct bo_span){copy, text.n}, &arena, &model, NULL), BO_OK);
    memset(copy, 'x', text.n);
    assert_true(bo_span_equal(print_text(model, &arena), text));
}

/* Every cut of a text is read or refused with a place in it. */
static void test_cuts(void **state)
{
    (void)state;
    const struct bo_span text = bo_span_of(BEGIN("'a''b'", "\"a\\x01b.h:1:2\"")
                                               END("'a''b'", "''") "time:            1.5\n");
    unsigned n_refused = 0;
    for (size_t n = 0; n < text.n; n++) {
        struct bo_error error = {0};
        void *model;
        uint8_t *exact = malloc(n ? n : 1); /* AddressSanitizer sees a byte too many */
        memcpy(exact, text.p, n);
        const enum bo_status status =
            format->parse((struct bo_span){exact, n}, &arena, &model, &error);
        assert_true(status == BO_OK || (status == BO_CORRUPT && error.off <= n && error.what) ||
                    (status == BO_UNSUPPORTED && error.off <= n));
        n_refused += status != BO_OK;
        free(exact);
    }
    assert_in_range(n_refused, text.n / 4, text.n - 1);
}

/* Parses, then prints; the given allocation of either fails. */
static enum bo_status there_and_back(struct bo_span text, struct bo_arena *small,
                                     struct bo_error *error)
{
    struct bo_writer out;
    void *model;
    bo_writer_init(&out, small);
    enum bo_status status = format->parse(text, small, &model, error);
    if (!status)
        status = format->print(model, &out, error);
    assert_true(status || bo_span_equal(bo_writer_span(&out), text));
    bo_writer_free(&out);
    return status;
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    const struct bo_span text =
        bo_span_of(BEGIN("'a''b'", "\"a\\nb.h:1:2\"") END("'a''b'", "!!binary /zoxOjE="));
    for (uint64_t fail_at = 1;; fail_at++) {
        struct bo_arena small;
        struct bo_error error = {0};
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = fail_at;
        const enum bo_status status = there_and_back(text, &small, &error);
        const bool was_reached = small.n_allocs >= fail_at;
        bo_arena_free(&small);
        if (!was_reached) {
            assert_int_equal(status, BO_OK);
            assert_true(fail_at > 15);
            return;
        }
        assert_int_equal(status, BO_NO_MEMORY);
        assert_int_equal(error.status, BO_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_canonical_form),
        cmocka_unit_test(test_scalars_as_llvm_writes_them),
        cmocka_unit_test(test_any_bytes_come_back),
        cmocka_unit_test(test_escapes_that_grow),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_nul_in_the_text),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_text_may_go),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
