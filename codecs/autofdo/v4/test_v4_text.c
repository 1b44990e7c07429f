/*
 * Version 4's textual format: what is written, what else is read, and for each bad text the status,
 * the byte and the phrase. Why: it is the only codec that people type.
 */
#include "codecs/autofdo/v4/test_v4.h"

/* Decodes; fails with the error when the text is wrong. */
static const struct autofdo_model *decode(const char *text, struct bo_arena *arena)
{
    struct bo_error error = {.what = "-"};
    void *model = NULL;
    if (test_decode(codec_of("v4-text"), bo_span_of(text), arena, &model, &error))
        fail_msg("%s at byte %llu of:\n%s", error.what, (unsigned long long)error.off, text);
    return model;
}

static void expect_text_of(const void *model, const char *expected)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const struct bo_codec *codec = codec_of("v4-text");
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    bo_put_u8(&out, 0);
    assert_string_equal((const char *)out.p, expected);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* ---- what is written ------------------------------------------------------------------------- */

#define SMALL                             \
    "gcov 4\n"                            \
    "file \"a.c\" {\n"                    \
    " function ab {\n"                    \
    "  head = 2\n"                        \
    "  timestamp = 7\n"                   \
    "  counts = { 1 = 300 }\n"            \
    "  callsites = { 1 -> { ac = 5 } }\n" \
    "  inlined = {\n"                     \
    "   2.3 -> x {\n"                     \
    "    counts = { 0 = 0 }\n"            \
    "   }\n"                              \
    "  }\n"                               \
    " }\n"                                \
    "}\n"                                 \
    "files = {\n"                         \
    " x = \"x.h\"\n"                      \
    "}\n"

TEST(test_small)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_text_of(parse_text(TEST_V4_TEXT, &arena), SMALL);
    const struct bo_span text = print_text(decode(SMALL, &arena), &arena);
    assert_string_equal((const char *)text.p,
                        (const char *)print_text(parse_text(TEST_V4_TEXT, &arena), &arena).p);
    bo_arena_free(&arena);
}

TEST(test_lists)
{
    static const char text[] =
        "gcov 4\n"
        "file {\n"
        " function _Z1av {\n"
        "  head = 0\n"
        "  counts = { 1 = 1, 1.2 = 0, 65535.4294967295 = "
        "18446744073709551615 }\n"
        "  callsites = { 1 -> { \"-t\" = 1, \"\\x7f~\\x80\\xff\\\\\\\"\" = 2 }, "
        "65535.4294967295 -> { u = 0 } }\n"
        "  inlined = {\n"
        "   1 -> b {\n"
        "   },\n"
        "   1 -> c.isra.0 {\n"
        "    counts = { 0 = 1 }\n"
        "    inlined = {\n"
        "     0 -> b {\n"
        "     }\n"
        "    }\n"
        "   }\n"
        "  }\n"
        " }\n"
        " function f {\n"
        "  head = 0\n"
        " }\n"
        "}\n"
        "file \"\" {\n"
        " function e {\n"
        "  head = 1\n"
        " }\n"
        "}\n"
        "file \"a \\\"b\\\"\\\\c\\xc3\\xa9.c\" {\n"
        " function d {\n"
        "  head = 1\n"
        " }\n"
        "}\n"
        "files = {\n"
        " b = \"\",\n"
        " c.isra.0 = \"x.h\"\n"
        "}\n";
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct autofdo_model *model = decode(text, &arena);
    assert_int_equal(model->n_functions, 4);
    assert_int_equal(model->n_files, 4);
    assert_null(autofdo_path_of(model, bo_span_of("f")));
    assert_non_null(autofdo_path_of(model, bo_span_of("e")));
    assert_null(autofdo_model_flaw(model, &arena));
    expect_text_of(model, text);
    bo_arena_free(&arena);
}

TEST(test_empty)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_text_of(decode("gcov 4", &arena), "gcov 4\n");
    bo_arena_free(&arena);
}

/* Blanks and comments may stand between any two words; quotes may surround any name. */
TEST(test_liberties)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_text_of(
        decode("# by hand\n\tgcov 4 file\"a.c\"{function\"a\\x62\"{head=2 timestamp=7#!\r\n"
               "counts={1=300}callsites={1->{ac=5}}inlined={2.3->\"x\"{counts={0=0}}}}}files={x=\n"
               "#\n\"\\x78.h\"}# end",
               &arena),
        SMALL);
    bo_arena_free(&arena);
}

/* ---- what is refused ------------------------------------------------------------------------- */

#define F "gcov 4 file { function f { "           /* 26 bytes */
#define C F "head = 0 counts = { 1 = 1, 2 = 2 } " /* 61 bytes */

static const struct {
    const char *text;
    enum bo_status status;
    uint64_t off;
    const char *what; /* NULL: a flaw of names or paths */
} cases[] = {
    {"", BO_TRUNCATED, 0, "text is incomplete"},
    {"# gcov 4", BO_TRUNCATED, 8, "text is incomplete"},
    {"main:1:1\n 1: 1\n", BO_CORRUPT, 0, "expected gcov"},
    {"gcov4", BO_CORRUPT, 0, "expected gcov"},
    {"gcov 3", BO_UNSUPPORTED, 5, "version is not 4"},
    {"gcov 04", BO_CORRUPT, 5, "integer begins with 0"},
    {"gcov x", BO_CORRUPT, 5, "expected an integer"},
    {"gcov 99999999999999999999", BO_CORRUPT, 5, "version is above 2^64 - 1"},
    {"gcov 4 x", BO_CORRUPT, 7, "expected file, files or the end"},
    {"gcov 4 files = { a = \"b\" }", BO_CORRUPT, 17, "file of a name that is not inlined"},
    {"gcov 4 files", BO_TRUNCATED, 12, "text is incomplete"},
    {"gcov 4 file", BO_TRUNCATED, 11, "text is incomplete"},
    {"gcov 4 file x", BO_CORRUPT, 12, "expected {"},
    {"gcov 4 file { }", BO_CORRUPT, 14, "expected function"},
    {"gcov 4 file \"a", BO_TRUNCATED, 14, "text is incomplete"},
    {"gcov 4 file \"a\\", BO_TRUNCATED, 15, "text is incomplete"},
    {"gcov 4 file \"a\nb\" {", BO_CORRUPT, 14, "control character in a string"},
    {"gcov 4 file \"a\\n\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\x4\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\xAA\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\xg0\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\x0g\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\q\\r\" {", BO_CORRUPT, 14, "unknown escape"},
    {"gcov 4 file \"a\\x0a\" {", BO_CORRUPT, 12, NULL},
    {"gcov 4 file { function 1", BO_CORRUPT, 23, "expected a name"},
    {"gcov 4 file { function \"1a\" {", BO_CORRUPT, 23, NULL},
    {"gcov 4 file { function \"\" {", BO_CORRUPT, 23, NULL},
    {"gcov 4 file { function a-b {", BO_CORRUPT, 24, "expected {"},
    {F "}", BO_CORRUPT, 27, "expected head"},
    {F "head 1 }", BO_CORRUPT, 32, "expected ="},
    {F "head = -1 }", BO_CORRUPT, 34, "expected an integer"},
    {F "head = 18446744073709551616 }", BO_CORRUPT, 34, "count is above 2^64 - 1"},
    {F "head = 1 timestamp = 0 }", BO_CORRUPT, 46, "timestamp is 0"},
    {F "head = 1 counts = { } }", BO_CORRUPT, 47, "expected an integer"},
    {F "head = 1 counts = { 65536 = 1 } }", BO_CORRUPT, 47, "line is above 65535"},
    {F "head = 1 counts = { 1. = 1 } }", BO_CORRUPT, 49, "expected a discriminator"},
    {F "head = 1 counts = { 1.0 = 1 } }", BO_CORRUPT, 49, "discriminator is 0"},
    {F "head = 1 counts = { 1.4294967296 = 1 } }", BO_CORRUPT, 49,
     "discriminator is above 2^32 - 1"},
    {F "head = 1 counts = { 1 = 1, 1 = 1 } }", BO_CORRUPT, 54, "places are not in order"},
    {F "head = 1 counts = { 1.2 = 1, 1 = 1 } }", BO_CORRUPT, 56, "places are not in order"},
    {F "head = 1 counts = { 1 = 1 1 = 1 } }", BO_CORRUPT, 53, "expected , or }"},
    {F "head = 1 callsites = { 1 -> { a = 1 } } }", BO_CORRUPT, 50,
     "place of a call has no count or is not in order"},
    {C "callsites = { 1 = { a = 1 } } }", BO_CORRUPT, 78, "expected ->"},
    {C "callsites = { 1 -> { } } }", BO_CORRUPT, 83, "expected a name"},
    {C "callsites = { 1 -> { a = 1, a = 2 } } }", BO_CORRUPT, 90, "targets are not in order"},
    {C "callsites = { 2 -> { a = 1 }, 1 -> { a = 2 } } }", BO_CORRUPT, 92,
     "place of a call has no count or is not in order"},
    {C "callsites = { 3 -> { a = 1 } } }", BO_CORRUPT, 76,
     "place of a call has no count or is not in order"},
    {C "inlined = { -> a { } } }", BO_CORRUPT, 74, "expected an integer"},
    {C "inlined = { 1 -> { } } }", BO_CORRUPT, 79, "expected a name"},
    {C "inlined = { 1 -> a { }, 1 -> a { } } }", BO_CORRUPT, 86, "callees are not in order"},
    {C "inlined = { 1 -> a { head = 1 } } }", BO_CORRUPT, 83,
     "expected counts, callsites, inlined or }, in this order"},
    {C "counts = { 3 = 1 } }", BO_CORRUPT, 62,
     "expected counts, callsites, inlined or }, in this order"},
    {C "} } file \"a\" { function f { head = 1 } }", BO_CORRUPT, 86, "duplicate function"},
    {C "} function f { head = 1 } }", BO_CORRUPT, 73, "duplicate function"},
    {C "inlined = { 1 -> g { } } } } files = { g = \"a\", g = \"b\" }", BO_CORRUPT, 110,
     "duplicate file of a function"},
    {C "inlined = { 1 -> f { } } } } files = { f = \"a\" }", BO_CORRUPT, 101,
     "file of a function is already given by its name"},
    {C "callsites = { 1 -> { g = 1 } } } } files = { g = \"a\" }", BO_CORRUPT, 107,
     "file of a name that is not inlined"},
    {C "} } files = { } gcov", BO_CORRUPT, 76, "expected a name"},
};

TEST(test_rejects)
{
    const struct bo_effort effort = bo_effort_default();
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_arena arena;
        struct bo_error error = {.what = "-"};
        struct bo_finding finding = {0};
        bool accepted;
        void *model;
        bo_arena_init(&arena, (size_t)1 << 20);
        const enum bo_status status =
            test_decode(codec_of("v4-text"), bo_span_of(cases[i].text), &arena, &model, &error);
        if (status != cases[i].status || error.off != cases[i].off ||
            (cases[i].what && strcmp(error.what, cases[i].what) != 0))
            fail_msg("%s\n%s at byte %lld: %s; not %s at %lld: %s", cases[i].text,
                     bo_status_name(status), (long long)error.off, error.what,
                     bo_status_name(cases[i].status), (long long)cases[i].off,
                     cases[i].what ? cases[i].what : "(a flaw)");
        bo_arena_free(&arena);
        if (!bo_check_bytes(bo_find_format("autofdo"), codec_of("v4-text"),
                            bo_span_of(cases[i].text), &effort, &accepted, &finding))
            fail_msg("%s: %s: %s", cases[i].text, finding.class, finding.detail);
        assert_false(accepted);
    }
}

TEST(test_prefixes)
{
    for (size_t n = 0; n <= strlen(SMALL); n++) {
        struct bo_arena arena;
        void *model;
        bo_arena_init(&arena, (size_t)1 << 20);
        const enum bo_status status = test_decode(
            codec_of("v4-text"), (struct bo_span){(const uint8_t *)SMALL, n}, &arena, &model, NULL);
        /* before `files` and before the last line's end a text is whole */
        const bool whole = n == 6 || n == 7 || n + 1 >= strlen(SMALL) ||
                           (n >= strlen(SMALL) - 24 && n <= strlen(SMALL) - 23);
        if ((status == BO_OK) != whole)
            fail_msg("the first %zu bytes: %s", n, bo_status_name(status));
        bo_arena_free(&arena);
    }
}

/* 256 instances inside each other are read; one more is not. */
TEST(test_depth)
{
    for (unsigned depth = 256; depth <= 257; depth++) {
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {.what = "-"};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        bo_put_text(&out, F "head = 0 ");
        for (unsigned i = 1; i < depth; i++)
            bo_put_text(&out, "inlined={1->f{");
        for (unsigned i = 1; i < depth; i++)
            bo_put_text(&out, "}}");
        bo_put_text(&out, "}}");
        assert_int_equal(
            test_decode(codec_of("v4-text"), bo_writer_span(&out), &arena, &model, &error),
            depth == 256 ? BO_OK : BO_OVER_LIMIT);
        if (depth == 257) {
            assert_string_equal(error.what, "instances are nested more than 256 deep");
            assert_int_equal(error.off, strlen(F "head = 0 ") + 14 * 255 + strlen("inlined={"));
        }
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

TEST_FILE(NULL, NULL)
