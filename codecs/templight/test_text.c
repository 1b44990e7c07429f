/*
 * The text form of Templight. Why: it is clang's, so what we print must be what clang prints, byte
 * for byte, and each mistake must be pointed at with its byte.
 */
#include <stdlib.h>

#include "codecs/templight/test_model.h"
#include "codecs/templight/text.h"
#include "codecs/templight/yaml.h"

#include "harness/core/test_fixture.h"

/* ---- clang's own ----------------------------------------------------------------------------- */

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
TEST(test_exact)
{
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

TEST(test_canonical_form)
{
    static const char *const cases[][2] = {
        {"# a comment\n\n...\n", ""},
        {"---\r\nname: S\r\nkind: Memoization\r\nevent: Begin\r\norig: ''\r\npoi: 'a.h:1:2'\r\n",
         BEGIN("S", "''")},
        {"---\npoi:   'a.h:1:2'\t\nevent:\tBegin\nkind: 'Memoization'\norig: ''\n"
         "name: \"\\x53\"\n...\n",
         BEGIN("S", "''")},
        {"---\nname: S\nkind: 23\nevent: Begin\npoi: a.h:1:2\norig: ''\n", BEGIN("S", "''")},
        {"---\nname: S\nkind: 1000\nevent: Begin\norig: \"\"\npoi: \"\"\n",
         RECORD("S", "LambdaExpressionSubstitution", "Begin", "''", "''")},
        {BEGIN("S", "''") "---\nevent: End\n", BEGIN("S", "''") END("S", "''")},
        {BEGIN("S", "''") END("\"S\"", "\"\""), BEGIN("S", "''") END("S", "''")},
        {BEGIN("S", "''") "---\nevent: End\npoi: a.h:1:2\nkind: 23\n",
         BEGIN("S", "''") END("S", "''")},
        {BEGIN("S", "x:0:0"), BEGIN("S", "'x:0:0'")},
        {BEGIN("S", "x:9:10"), BEGIN("S", "'x:9:10'")},
        {"---\nevent: End\ntime: 0xfff8000000abcdef\n",
         "---\n" LINE_EVENT("End") "time:            0xFFF8000000ABCDEF\n"},
        {"---\nevent: End\norig: ''\n", "---\n" LINE_EVENT("End")},
        {"---\nevent: End\ntime: +25.0e-2\n", "---\n" LINE_EVENT("End") "time:            0.25\n"},
        {"# trace: {version: 1, source: ''}\n" BEGIN("S", "''"), BEGIN("S", "''")},
        {BEGIN("\"\\u00e9\\L\\x07\\/\\U0001F600\"", "''"),
         BEGIN("\"\xc3\xa9\\L\\a/\xf0\x9f\x98\x80\"", "''")},
        {BEGIN("\"\\uD7FF\\uE000\\U0010FFFF\"", "''"),
         BEGIN("\"\xed\x9f\xbf\xee\x80\x80\\U0010FFFF\"", "''")},
        {BEGIN("a:\x08#:\x0e#b", "''"), BEGIN("\"a:\\b#:\\x0E#b\"", "''")},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const void *model = parse_text(cases[i][0], &arena);
        assert_string_equal(print_text(model, &arena).p, cases[i][1]);
    }
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* A text and how LLVM 14 writes it. */
TEST(test_scalars_as_llvm_writes_them)
{
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
        {".E", ".E"},
        {"E5", "E5"},
        {".nAn", ".nAn"},
        {".NAN", "'.NAN'"},
        {".inf", "'.inf'"},
        {".INF", "'.INF'"},
        {"+", "'+'"},
        {"-", "'-'"},
        {"+1", "'+1'"},
        {"-.5e-5", "'-.5e-5'"},
        {"1e-5", "'1e-5'"},
        {"1e+5", "'1e+5'"},
        {"1e-", "1e-"},
        {"1e+", "'1e+'"},
        {"1e-5x", "1e-5x"},
        {"1E5.", "1E5."},
        {"1.5.", "1.5."},
        {"1.x", "1.x"},
        {"9x", "9x"},
        {"0", "'0'"},
        {"9", "'9'"},
        {"0o", "0o"},
        {"0o07", "'0o07'"},
        {"0x09afAF", "'0x09afAF'"},
        {"0xg", "0xg"},
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
        {"\x1f", "\"\\x1F\""},
        {"\xc2\xa1", "\"\xc2\xa1\""},
        {"\xf0\x9f\xbf\xbd", "\"\xf0\x9f\xbf\xbd\""},
        {"\xf0\x9f\xbf\xbf", "\"\\U0001FFFF\""},
        {"\xc2\x80", "\"\\x80\""},
        {"\xc2\x9f", "\"\\x9F\""},
        {"\xef\xb7\x8f", "\"\xef\xb7\x8f\""},
        {"\xef\xb7\x90", "\"\\uFDD0\""},
        {"\xef\xb7\xaf", "\"\\uFDEF\""},
        {"\xef\xb7\xb0", "\"\xef\xb7\xb0\""},
        {"\xef\xbf\xbe", "\"\\uFFFE\""},
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

TEST(test_any_bytes_come_back)
{
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

/*
 * The escapes that are shorter than what they stand for: the text needs more room than the scalar.
 */
TEST(test_escapes_that_grow)
{
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

/*
 * A scalar that ends in or after an escape, or after a sign of YAML. What follows it in memory is
 * not read.
 */
TEST(test_escapes_at_the_end)
{
    static const struct {
        const char *text;
        size_t n, at;
        const char *flaw;
    } rows[] = {
        {"\"S\\n\"", 3, 2, "escape is not a character"},
        {"\"S\\n\"", 4, 4, "quoted text does not end on its line"},
        {"\"S\\x41\"", 5, 2, "escape is not a character"},
        {"\"S\\x41\"", 6, 6, "quoted text does not end on its line"},
        {"-x", 1, 0, "plain text begins with an indicator of YAML"},
        {"a:x", 2, 1, "plain text holds what ends it"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct bo_span back;
        size_t at;
        const struct bo_span raw = {(const uint8_t *)rows[i].text, rows[i].n};
        assert_string_equal(templight_read_scalar(raw, &arena, &back, &at), rows[i].flaw);
        assert_int_equal(at, rows[i].at);
    }
}

/* A time has up to 47 bytes. */
TEST(test_longest_time)
{
    static const char text[] = "1.0000000000000000000000000000000000000000000000";
    uint64_t bits;
    assert_int_equal(sizeof text - 1, TEMPLIGHT_TIME_NBYTES);
    for (size_t n = TEMPLIGHT_TIME_NBYTES - 1; n <= TEMPLIGHT_TIME_NBYTES; n++)
        assert_int_equal(templight_read_time((struct bo_span){(const uint8_t *)text, n}, &bits),
                         n < TEMPLIGHT_TIME_NBYTES);
}

TEST(test_times)
{
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

/* ---- mistakes -------------------------------------------------------------------------------- */

/* Records with one line that a row gives, and a Begin to close. */
#define NAMED(name) "---\n" name "kind: 1\nevent: Begin\norig: ''\npoi: ''\n"
#define KIND(kind) "---\nname: S\n" kind "event: Begin\norig: ''\npoi: ''\n"
#define ORIG(orig) "---\nname: S\nkind: 1\nevent: Begin\npoi: ''\n" orig
#define POI(poi) "---\nname: S\nkind: 1\nevent: Begin\norig: ''\n" poi
#define GOOD "---\nname: S\nkind: Memoization\nevent: Begin\norig: ''\npoi: ''\n"

#define INCOMPLETE "record with a name, but without kind, orig or poi"

TEST(test_mistakes)
{
    static const struct marked_mistake mistakes[] = {
        {"@x\n", BO_CORRUPT, "line outside of a record"},
        {"@name: S\n", BO_CORRUPT, "line outside of a record"},
        {"@---\n...\n", BO_CORRUPT, "record without an event"},
        {"---\n@", BO_TRUNCATED, "text ends inside a record"},
        {"---\n@size: 3\n", BO_CORRUPT, "line is no key of a record"},
        {"---\nname: a\n@name: b\n", BO_CORRUPT, "duplicate key in a record"},
        {"---\nname:@a\n", BO_CORRUPT, "no blank after a key"},
        {"---\nevent: @begin\n", BO_CORRUPT, "event is neither Begin nor End"},
        {"@---\nkind: Memoization\nevent: Begin\norig: ''\npoi: ''\n...\n", BO_CORRUPT,
         "Begin without a name"},
        {"@" KIND("") "...\n", BO_CORRUPT, INCOMPLETE},
        {"@" ORIG("") "...\n", BO_CORRUPT, INCOMPLETE},
        {"@" POI("") "---\nevent: End\n", BO_CORRUPT, INCOMPLETE},
        {GOOD "@---\nname: S\nevent: End\norig: ''\npoi: ''\n...\n", BO_CORRUPT, INCOMPLETE},
        {KIND("") "@", BO_TRUNCATED, "text ends inside a record"},
        {POI("") "@", BO_TRUNCATED, "text ends inside a record"},
        {GOOD "---\nname: S\nkind: 23\nevent: End\n@", BO_TRUNCATED, "text ends inside a record"},
        {GOOD "...@", BO_TRUNCATED, "text ends inside a line"},
        {GOOD "memory: 1@", BO_TRUNCATED, "text ends inside a line"},
        {KIND("kind: @Foo\n"), BO_UNSUPPORTED, "kind is neither a known name nor a number"},
        {KIND("kind: @4294967296\n"), BO_UNSUPPORTED, "kind is neither a known name nor a number"},
        {NAMED("name:@\n"), BO_CORRUPT, "no value"},
        {NAMED("name: 'S@\n"), BO_CORRUPT, "quoted text does not end on its line"},
        {NAMED("name: 'S''@\n"), BO_CORRUPT, "quoted text does not end on its line"},
        {NAMED("name: 'S'@ x\n"), BO_CORRUPT, "bytes after a quoted text"},
        {NAMED("name: \"S\"@ x\n"), BO_CORRUPT, "bytes after a quoted text"},
        {NAMED("name: \"S\\\"@\n"), BO_CORRUPT, "quoted text does not end on its line"},
        {NAMED("name: \"S@\\q\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\uD800\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\uDFFF\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\U00110000\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x00\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x4/\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x4:\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x4`\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x4g\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\x\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: \"S@\\U0000004\"\n"), BO_CORRUPT, "escape is not a character"},
        {NAMED("name: !!binary A@===\n"), BO_CORRUPT, "binary text is not in base64"},
        {NAMED("name: !!binary @====\n"), BO_CORRUPT, "binary text is not in base64"},
        {NAMED("name: !!binary AAA@\n"), BO_CORRUPT,
         "binary text is no whole number of groups of 4 digits"},
        {NAMED("name: !!binary A@*AA\n"), BO_CORRUPT, "binary text is not in base64"},
        {NAMED("name: @!!binary AAAA\n"), BO_CORRUPT, "text holds a NUL"},
        {NAMED("name: @&a S\n"), BO_CORRUPT, "plain text begins with an indicator of YAML"},
        {NAMED("name: @-\n"), BO_CORRUPT, "plain text begins with an indicator of YAML"},
        {NAMED("name: @?\tb\n"), BO_CORRUPT, "plain text begins with an indicator of YAML"},
        {NAMED("name: @- b\n"), BO_CORRUPT, "plain text begins with an indicator of YAML"},
        {NAMED("name: @, b\n"), BO_CORRUPT, "plain text begins with an indicator of YAML"},
        {NAMED("name: a@:\n"), BO_CORRUPT, "plain text holds what ends it"},
        {NAMED("name: a\t@#\n"), BO_CORRUPT, "plain text holds what ends it"},
        {NAMED("name: a @# b\n"), BO_CORRUPT, "plain text holds what ends it"},
        {NAMED("name: a@: b\n"), BO_CORRUPT, "plain text holds what ends it"},
        {NAMED("name: a@:\rb\n"), BO_CORRUPT, "plain text holds what ends it"},
        {POI("poi: @a.h\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @'a.h:1:'\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1;2\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1:00\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1:1/\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1:42949672950\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:1:10000000000\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {POI("poi: @a.h:01:2\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {ORIG("orig: @a.h:1:4294967296\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {ORIG("orig: @1:2\n"), BO_CORRUPT, "location does not end in :LINE:COLUMN"},
        {GOOD "time: @soon\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x12\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x123456789abcdef\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x123456789abcdef01\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @0x123456789abcdefg\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @1e\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @-\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @1-2\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @1f\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time:@\n", BO_CORRUPT, "time is not a number"},
        {GOOD "time: @1.0000000000000000000000000000000000000000000000001\n", BO_CORRUPT,
         "time is not a number"},
        {GOOD "memory: @-1\n", BO_CORRUPT, "memory is not a number of bytes"},
        {GOOD "memory: @18446744073709551616\n", BO_CORRUPT, "memory is not a number of bytes"},
        {GOOD "---\nevent: End\nname: @T\nkind: 23\norig: ''\npoi: ''\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "---\nevent: End\nkind: @1\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {GOOD "---\nevent: End\npoi: @a.h:1:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {POI("poi: a.h:1:2\n") "---\nevent: End\npoi: @a.h:1:3\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {POI("poi: a.h:1:2\n") "---\nevent: End\npoi: @a.h:3:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {POI("poi: a.h:1:2\n") "---\nevent: End\npoi: @b.h:1:2\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {POI("poi: a.h:1:2\n") "---\nevent: End\npoi: @''\n", BO_CORRUPT,
         "End does not repeat the Begin that it closes"},
        {"---\nevent: End\nname: @T\nkind: 23\norig: ''\npoi: ''\n", BO_UNSUPPORTED,
         "End has fields of a Begin, but none is open"},
        {"# trace: @x\n", BO_CORRUPT, "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: @x, source: ''}\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: 1, source: @''\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: @4294967296, source: ''}\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: @1}\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: 1@, sources: ''}\n", BO_CORRUPT,
         "header of a trace is not {version: NUMBER, source: TEXT}"},
        {"# trace: {version: 1, source: 'a@}\n", BO_CORRUPT,
         "quoted text does not end on its line"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

TEST(test_nul_in_the_text)
{
    static const struct bo_span text = BYTES(NAMED("name: a\0b\n"));
    static const struct bo_span others[] = {
        BYTES(NAMED("name: \0b\n")), BYTES(NAMED("name: \0 b\n")), BYTES(NAMED("name: \0\n"))};
    expect_mistake(text, 10, BO_CORRUPT, "text holds a NUL");
    for (size_t i = 0; i < N_ELEMENTS(others); i++)
        expect_mistake(others[i], 10, BO_CORRUPT, "text holds a NUL");
}

/* Texts that a YAML writer may leave without quotes; a group of base64 may end in two pads. */
TEST(test_scalars_that_others_write)
{
    static const char *const cases[][2] = {
        {"-a", "-a"},
        {"?a", "?a"},
        {":a", ":a"},
        {"\\a", "\\a"},
        {"a#b", "a#b"},
        {"a:b", "a:b"},
        {"\"\\x4f\"", "O"},
        {"\"\\x4F\\u00aA\"", "O\xc2\xaa"},
        {"null", "null"},
        {"!!binary QQ==", "A"},
        {"!!binary QUI=", "AB"},
        {"!!binary ", ""},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_span back;
        size_t at;
        assert_null(templight_read_scalar(bo_span_of(cases[i][0]), &arena, &back, &at));
        if (!bo_span_equal(back, bo_span_of(cases[i][1])))
            fail_msg("%s is read as %.*s", cases[i][0], (int)back.n, (const char *)back.p);
    }
}

/* A kind may take more bytes than the reader compares that of the next record with. */
TEST(test_longest_kinds)
{
#define SHORT KIND("kind: Memoization\n") "...\n"
#define ESCAPED KIND("kind: \"\\U0000004Demoization\"\n") "...\n"
#define LONG                                                                              \
    KIND("kind: \"\\U00000054\\U00000065\\U0000006D\\U00000070\\U0000006C\\U00000061teIn" \
         "stantiation\"\n")                                                               \
    "...\n"
    const struct templight_model *model = parse_text(SHORT ESCAPED LONG ESCAPED SHORT, &arena);
    static const uint32_t kinds[] = {23, 23, 0, 23, 23};
    assert_int_equal(model->traces[0].n_records, N_ELEMENTS(kinds));
    for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
        assert_int_equal(model->traces[0].records[i].kind, kinds[i]);
#undef SHORT
#undef ESCAPED
#undef LONG
}

/* ---- generated models ------------------------------------------------------------------------ */

TEST(test_round_trips)
{
    expect_texts_survive(100, 80);
}

/* The model owns its texts: the bytes that it was read from may be freed. */
TEST(test_text_may_go)
{
    const struct bo_span text = print_text(generate_model(3, 50, &arena), &arena);
    uint8_t *copy = bo_alloc(&arena, text.n);
    void *model;
    memcpy(copy, text.p, text.n);
    assert_int_equal(format->parse((struct bo_span){copy, text.n}, &arena, &model, NULL), BO_OK);
    memset(copy, 'x', text.n);
    assert_true(bo_span_equal(print_text(model, &arena), text));
}

/*
 * Wherever a text is cut off it is truncated, but where it would be whole: between records, and in
 * front of what a record need not have.
 */
TEST(test_cuts)
{
    static const char first[] = "# trace: {version: 2, source: a}\n";
    static const char begin[] = BEGIN("'a''b'", "\"a\\x01b.h:1:2\"");
    static const char end[] = END("'a''b'", "''");
    static const char time[] = "time:            1.5\n";
    static const char memory[] = "memory:          12\n---\n" LINE_EVENT("End");
    static const char *const parts[] = {first, begin, end, time, memory};
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    for (size_t part = 0; part < N_ELEMENTS(parts); part++) {
        const size_t start = out.n;
        bo_put_bytes(&out, parts[part], strlen(parts[part]));
        for (size_t n = start; n < out.n; n++) {
            struct bo_error error = {0};
            void *model;
            uint8_t *exact = malloc(n ? n : 1); /* AddressSanitizer sees a byte too many */
            const bool is_whole =
                n == start || (out.n - n >= 4 && memcmp(out.p + n, "---\n", 4) == 0);
            memcpy(exact, out.p, n);
            const enum bo_status status =
                format->parse((struct bo_span){exact, n}, &arena, &model, &error);
            if (status != (is_whole ? BO_OK : BO_TRUNCATED) || (status && error.off != n))
                fail_msg("%zu bytes: %s at byte %llu: %s", n, bo_status_name(status),
                         (unsigned long long)error.off, error.what ? error.what : "-");
            free(exact);
        }
    }
    bo_writer_free(&out);
}

/* ---- piece by piece -------------------------------------------------------------------------- */

/* A source that gives pieces of up to so many bytes, and fails at the end if requested. */
struct pieces {
    struct bo_span rest;
    size_t most;
    const char *flaw;
};

static const char *read_piece(void *context, uint8_t *to, size_t n, size_t *n_ret)
{
    struct pieces *pieces = context;
    *n_ret = n < pieces->most ? n : pieces->most;
    if (*n_ret > pieces->rest.n)
        *n_ret = pieces->rest.n;
    if (*n_ret == 0)
        return pieces->flaw;
    memcpy(to, pieces->rest.p, *n_ret);
    pieces->rest = (struct bo_span){pieces->rest.p + *n_ret, pieces->rest.n - *n_ret};
    return NULL;
}

/* Reads all events, from pieces or (most 0) as a whole, and prints them. */
static enum bo_status read_events(struct bo_span text, size_t most, struct bo_writer *out,
                                  struct bo_arena *passing, struct bo_error *error)
{
    struct templight_text_reader reader;
    struct pieces pieces = {text, most, NULL};
    struct bo_source source = {read_piece, &pieces};
    enum templight_text_event event = TEMPLIGHT_TEXT_TRACE;
    enum bo_status status = BO_OK;
    if (most)
        templight_text_open_source(&reader, &source, &arena, passing, error);
    else
        templight_text_open(&reader, text, &arena, error);
    while (!status && event != TEMPLIGHT_TEXT_END) {
        status = templight_text_next(&reader, &event);
        if (!status && event == TEMPLIGHT_TEXT_TRACE)
            templight_put_trace_header(out, reader.version, reader.source_file);
        else if (!status && event == TEMPLIGHT_TEXT_RECORD)
            templight_put_entry(out, &reader.entry, reader.closed);
    }
    return status;
}

static void expect_same_events(struct bo_span text)
{
    static const size_t sizes[] = {1, 7, 4096, SIZE_MAX};
    struct bo_writer whole, pieces;
    struct bo_arena passing;
    bo_arena_init(&passing, BO_ARENA_UNLIMITED);
    bo_writer_init(&whole, &arena);
    bo_writer_init(&pieces, &arena);
    struct bo_error first = {0}, error = {0};
    const enum bo_status expected = read_events(text, 0, &whole, NULL, &first);
    for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
        bo_writer_reset(&pieces);
        error = (struct bo_error){0};
        assert_int_equal(read_events(text, sizes[i], &pieces, &passing, &error), expected);
        assert_true(bo_span_equal(bo_writer_span(&whole), bo_writer_span(&pieces)));
        assert_true(error.off == first.off && error.what == first.what);
    }
    bo_writer_free(&pieces);
    bo_writer_free(&whole);
    bo_arena_free(&passing);
}

/* A text in pieces has the same events as the whole, and errors at the same byte. */
TEST(test_pieces)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct bo_span text = print_text(generate_model(seed, 200, &arena), &arena);
        struct bo_random random = bo_random_seeded(seed);
        uint8_t *damaged = bo_alloc(&arena, text.n);
        memcpy(damaged, text.p, text.n);
        expect_same_events(text);
        for (unsigned i = 0; i < 10 && text.n; i++) {
            const size_t at = bo_random_below(&random, text.n);
            damaged[at] = (uint8_t) "\n'#-\0x"[bo_random_below(&random, 6)];
            expect_same_events((struct bo_span){damaged, 1 + bo_random_below(&random, text.n)});
            damaged[at] = text.p[at];
        }
    }
}

/* A text of many records is read in the memory of a few; a record of many megabytes in its own. */
TEST(test_memory)
{
    enum { N_RECORDS = 200000, LONG_NBYTES = 5 << 20, VIEW_NBYTES = 1 << 20 };
    struct bo_arena passing;
    struct bo_writer text, out;
    struct bo_error error = {0};
    static const char pair[] = BEGIN("'a''b'", "'c.h:1:2'") END("'a''b'", "'d''d:1:2'");
    bo_arena_init(&passing, VIEW_NBYTES / 16);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < N_RECORDS / 2; i++)
        bo_put_bytes(&text, pair, sizeof pair - 1);
    assert_int_equal(read_events(bo_writer_span(&text), SIZE_MAX, &out, &passing, &error), BO_OK);
    static const char header[] = "# trace: {version: 1, source: ''}\n";
    assert_true(out.n == text.n + sizeof header - 1);
    assert_memory_equal(out.p + sizeof header - 1, text.p, text.n);
    bo_arena_free(&passing);
    bo_writer_reset(&text);
    bo_put_text(&text, "---\nevent: End\n---\nname: 'a");
    memset(bo_put_space(&text, LONG_NBYTES), 'x', LONG_NBYTES);
    bo_put_text(&text, "'\nkind: 1\nevent: Begin\norig: ''\npoi: ''\n");
    expect_same_events(bo_writer_span(&text));
    /* An error after what was let go is reported at its place in the whole text. */
    bo_arena_init(&passing, BO_ARENA_UNLIMITED);
    bo_writer_reset(&text);
    for (size_t i = 0; i < N_RECORDS; i++)
        bo_put_bytes(&text, pair, sizeof pair - 1);
    bo_put_text(&text, "---\nno field\n");
    const size_t off = text.n - strlen("no field\n");
    assert_int_equal(read_events(bo_writer_span(&text), SIZE_MAX, &out, &passing, &error),
                     BO_CORRUPT);
    assert_int_equal(error.off, off);
    bo_arena_free(&passing);
    bo_writer_free(&out);
    bo_writer_free(&text);
}

TEST(test_source_fails)
{
    static const char flaw[] = "it rains";
    struct templight_text_reader reader;
    struct bo_arena passing;
    struct bo_error error = {0};
    struct pieces pieces = {bo_span_of("---\n"), 4, flaw};
    struct bo_source source = {read_piece, &pieces};
    enum templight_text_event event;
    bo_arena_init(&passing, BO_ARENA_UNLIMITED);
    templight_text_open_source(&reader, &source, &arena, &passing, &error);
    /* A reader with a small buffer reports what it has read before. */
    enum bo_status status;
    do
        status = templight_text_next(&reader, &event);
    while (status == BO_OK && event != TEMPLIGHT_TEXT_END);
    assert_int_equal(status, BO_IO);
    assert_ptr_equal(error.what, flaw);
    assert_true(error.off == BO_NO_OFFSET);
    bo_arena_free(&passing);
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

TEST(test_each_allocation_fails)
{
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

TEST_FILE(set_up, tear_down)
