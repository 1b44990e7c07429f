/*
 * The text form of LPRF. Why: it is LLVM's, so what we print must be what LLVM prints and reads,
 * any name must survive the trip, and each mistake must be pointed at with its byte.
 */
#include "codecs/lprf/test_model.h"
#include "harness/core/files.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/core/test_fixture.h"

#define RECORD(name, hash, n, counters) \
    name "\n# Func Hash:\n" hash "\n# Num Counters:\n" n "\n# Counter Values:\n" counters "\n"

/* ---- one spelling ---------------------------------------------------------------------------- */

/* What is read, and its canonical form. */
TEST(test_canonical_form)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"# nothing\n\n\n", ""},
        {":fe\n", ""},
        {":FE\n:fe\nf\n0\n1\n2\n", RECORD("f", "0", "1", "2\n")},
        {"f\n24\n2\n5\n0\n", RECORD("f", "24", "2", "5\n0\n")},
        {"f\n24\n2\n5\n0", RECORD("f", "24", "2", "5\n0\n")},
        {"#c\n\nf\n#c\n\n24\n#c\n2\n\n5\n#c\n#\n0\n#c", RECORD("f", "24", "2", "5\n0\n")},
        {"f\r\n24\r\n\r\n1\r\n#c\r\n7\r\n\r\ng\r\n1\r\n1\r\n1\r\n",
         RECORD("f", "24", "1", "7\n") RECORD("g", "1", "1", "1\n")},
        {"f\n18446744073709551615\n1\n18446744073709551615\n",
         RECORD("f", "18446744073709551615", "1", "18446744073709551615\n")},
        {"f\n0xfFfF\n1\n007\n", RECORD("f", "65535", "1", "7\n")},
        {"f\n0b101\n01\n1\n", RECORD("f", "5", "1", "1\n")},
        {"f\n0B11\n1\n1\n", RECORD("f", "3", "1", "1\n")},
        {"f\n0o17\n1\n1\n", RECORD("f", "15", "1", "1\n")},
        {"f\n017\n1\n1\n", RECORD("f", "15", "1", "1\n")},
        {"f\n0XFFFFFFFFFFFFFFFF\n1\n1\n", RECORD("f", "18446744073709551615", "1", "1\n")},
        {"g\n1\n1\n1\nf\n1\n1\n1\ng\n2\n1\n1\n", /* order and namesakes are kept */
         RECORD("g", "1", "1", "1\n") RECORD("f", "1", "1", "1\n") RECORD("g", "2", "1", "1\n")},
        {"1\n1\n1\n1\n", RECORD("\"1\"", "1", "1", "1\n")}, /* no counters went before */
        {"f\n1\n1\n1\n4294967296\n1\n1\n1\n",               /* too large for value-profile data */
         RECORD("f", "1", "1", "1\n") RECORD("\"4294967296\"", "1", "1", "1\n")},
        {"f\n1\n1\n1\n:ir\n1\n1\n1\n",
         RECORD("f", "1", "1", "1\n") RECORD("\":ir\"", "1", "1", "1\n")},
        {"a\rb\n1\n1\n1\n", RECORD("\"a\\x0db\"", "1", "1", "1\n")},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct lprf_model *model = parse_text(cases[i][0], &arena);
        assert_string_equal((const char *)print_text(model, &arena).p, cases[i][1]);
        assert_null(format->differ(model, parse_text(cases[i][1], &arena)));
        assert_null(lprf_model_flaw(model, &arena, NULL));
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names, and the lines that hold them. */
static const struct {
    struct bo_span name;
    const char *line;
} names[] = {
    {BYTES("f"), "f"},
    {BYTES("_ZN1a1bEv"), "_ZN1a1bEv"},
    {BYTES("a.c:f"), "a.c:f"},
    {BYTES("-[Foo bar:]"), "-[Foo bar:]"},
    {BYTES(" f "), " f "},
    {BYTES("\t"), "\t"},
    {BYTES("a\"b\\"), "a\"b\\"},
    {BYTES("f#:"), "f#:"},
    {BYTES("1f"), "1f"},
    {BYTES("0x1"), "0x1"},
    {BYTES("+"), "+"},
    {BYTES("--1"), "--1"},
    {BYTES("\xc3\xa9\xff"), "\xc3\xa9\xff"},
    {BYTES("\x01\x7f"), "\x01\x7f"},
    {BYTES("0"), "\"0\""},
    {BYTES("-12"), "\"-12\""},
    {BYTES("+99999999999999999999"), "\"+99999999999999999999\""},
    {BYTES("#f"), "\"#f\""},
    {BYTES(":f"), "\":f\""},
    {BYTES("\"f\""), "\"\\\"f\\\"\""},
    {BYTES("\"\\"), "\"\\\"\\\\\""},
    {BYTES("\0"), "\"\\x00\""},
    {BYTES("a\nb"), "\"a\\x0ab\""},
    {BYTES("f\r"), "\"f\\x0d\""},
    {BYTES("\n\\x0a\xff"), "\"\\x0a\\\\x0a\xff\""},
};

TEST(test_names)
{
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        const uint64_t counter = i;
        const struct lprf_function functions[] = {FUNCTION("first", 1, 1),
                                                  {names[i].name, 2, 1, &counter}};
        const struct lprf_model model = {2, functions};
        char expected[256];
        snprintf(expected, sizeof expected,
                 RECORD("first", "1", "1", "1\n") RECORD("%s", "2", "1", "%zu\n"), names[i].line,
                 i);
        assert_string_equal((const char *)print_text(&model, &arena).p, expected);
        assert_null(format->differ(&model, parse_text(expected, &arena)));
    }
}

/* LLVM looks at the first eight bytes: a comment goes before those that it would not take. */
TEST(test_first_bytes)
{
    static const struct {
        struct bo_span name;
        bool has_comment;
    } cases[] = {
        {BYTES("f\t"), false},     {BYTES("abcdefgh\xff"), false}, {BYTES("abcdefg\xff"), true},
        {BYTES(" f~"), false},     {BYTES("\x1f"), true},          {BYTES("\x01"), true},
        {BYTES("\xc3\xa9"), true}, {BYTES("\"\n"), false},         {BYTES("\n\n\x7f"), false},
        {BYTES("\n\x7f"), true},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const uint64_t counter = 1;
        const struct lprf_function function = {cases[i].name, 2, 1, &counter};
        const struct lprf_model model = {1, &function};
        const struct bo_span text = print_text(&model, &arena);
        assert_int_equal(strncmp((const char *)text.p, "# names are bytes\n", 18) == 0,
                         cases[i].has_comment);
        assert_null(format->differ(&model, parse_text((const char *)text.p, &arena)));
    }
}

TEST(test_generated_models_survive)
{
    expect_texts_survive(40, 60);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

#define F "f\n24\n1\n5\n"

static const struct marked_mistake mistakes[] = {
    {"@:ir\n" F, BO_UNSUPPORTED, "profile of instrumented IR; only a front end's is supported"},
    {"# c\n:fe\n@:CSIR\n", BO_UNSUPPORTED,
     "profile of instrumented IR; only a front end's is supported"},
    {"@:entry_first\n", BO_UNSUPPORTED, "file flag is not :fe"},
    {"@:\n", BO_UNSUPPORTED, "file flag is not :fe"},
    {"@:fefefefefefefefefefefe\n", BO_UNSUPPORTED, "file flag is not :fe"},
    {"f@", BO_TRUNCATED, "text ends before a function's hash"},
    {"f\n# no more\n@", BO_TRUNCATED, "text ends before a function's hash"},
    {"f\n@x\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@-1\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@ 1\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@08\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0x\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0xg\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0b2\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0o8\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0O7\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0x`\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@ff\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@18446744073709551616\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n@0x10000000000000000\n1\n5\n", BO_CORRUPT, "hash is not a number below 2^64"},
    {"f\n24\n@", BO_TRUNCATED, "text ends before a number of counters"},
    {"f\n24\n@0\n", BO_CORRUPT, "function without counters"},
    {"f\n24\n@0x1\n5\n", BO_CORRUPT, "number of counters is not a decimal number below 2^64"},
    {"f\n24\n@99999999999999999999\n5\n", BO_CORRUPT,
     "number of counters is not a decimal number below 2^64"},
    {"f\n24\n@18446744073709551615\n5\n", BO_TRUNCATED,
     "more counters than the text has lines left"},
    {"f\n24\n@3\n5\n\n", BO_TRUNCATED, "more counters than the text has lines left"},
    {"f\n24\n@1\n", BO_TRUNCATED, "more counters than the text has lines left"},
    {"f\n24\n2\n5\n# c\n@", BO_TRUNCATED, "text ends before a function's last counter"},
    {"f\n24\n2\n5\n@g\n24\n1\n1\n", BO_CORRUPT, "counter is not a decimal number below 2^64"},
    {"f\n24\n1\n@18446744073709551616\n", BO_CORRUPT, "counter is not a decimal number below 2^64"},
    {"f\n24\n1\n@184467440737095516150\n", BO_CORRUPT,
     "counter is not a decimal number below 2^64"},
    {"f\n24\n1\n@-0\n", BO_CORRUPT, "counter is not a decimal number below 2^64"},
    {"f\n24\n1\n@5 \n", BO_CORRUPT, "counter is not a decimal number below 2^64"},
    {"f\n24\n1\n@0x5\n", BO_CORRUPT, "counter is not a decimal number below 2^64"},
    {F "# Num Value Kinds:\n@1\n", BO_UNSUPPORTED, "value profiles are not supported"},
    {F "@4294967295\n", BO_UNSUPPORTED, "value profiles are not supported"},
    {F "g\n24\n1\n5\n@f\n0x18\n1\n5\n", BO_CORRUPT, "two functions have the same name and hash"},
    {"\"#\"\n24\n1\n5\n\n@\"#\"\n24\n2\n5\n6\n", BO_CORRUPT,
     "two functions have the same name and hash"},
    {"@\"\"\n24\n1\n5\n", BO_CORRUPT, "function without a name"},
    {"@\"f\"\n24\n1\n5\n", BO_CORRUPT, "quotes around a name that needs none"},
    {"@\"a\\\"\"\n24\n1\n5\n", BO_CORRUPT, "quotes around a name that needs none"},
    {"\"#@\n24\n1\n5\n", BO_CORRUPT, "quoted name does not end on its line"},
    {"\"@", BO_CORRUPT, "quoted name does not end on its line"},
    {"\"#\"@f\n24\n1\n5\n", BO_CORRUPT, "bytes after a quoted name"},
    {"\"#@\r\"\n24\n1\n5\n", BO_CORRUPT, "quoted name holds a raw carriage return"},
    {"\"#@\\n\"\n24\n1\n5\n", BO_CORRUPT, "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d"},
    {"\"#@\\x41\"\n24\n1\n5\n", BO_CORRUPT, "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d"},
    {"\"#@\\x0A\"\n24\n1\n5\n", BO_CORRUPT, "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d"},
    {"\"#@\\x0", BO_CORRUPT, "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d"},
    {"\"#@\\", BO_CORRUPT, "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d"},
};

TEST(test_mistakes)
{
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
    expect_mistake((struct bo_span)BYTES(F "g\0\n24\n1\n5\n"), 10, BO_CORRUPT, "text holds a NUL");
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A count that the text cannot hold costs no memory; what it could hold costs little. */
TEST(test_no_memory_for_promises)
{
    static const char *const counts[] = {"1152921504606846976", "1000000", "5000"};
    static char text[4096];
    for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
        memset(text, '\n', sizeof text);
        memcpy(text, "f\n1\n", 4);
        memcpy(text + 4, counts[i], strlen(counts[i]));
        struct bo_arena small;
        void *model;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        assert_int_equal(format->parse((struct bo_span){(const uint8_t *)text, sizeof text}, &small,
                                       &model, NULL),
                         BO_TRUNCATED);
        assert_true(small.peak_nbytes < 2048);
        bo_arena_free(&small);
    }
}

TEST(test_each_allocation_fails)
{
    char text[2048] = "";
    for (size_t i = 0; i < 40; i++)
        sprintf(text + strlen(text), "\"%zu\"\n24\n2\n5\n6\n", i);
    const struct lprf_model *model = parse_text(text, &arena);
    bool parsed = false, printed = false;
    for (uint64_t n = 1; !parsed || !printed; n++) {
        struct bo_arena small;
        struct bo_error error = {0};
        struct bo_writer out;
        void *ret;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        enum bo_status status = format->parse(bo_span_of(text), &small, &ret, &error);
        parsed = small.n_allocs < n;
        assert_int_equal(status, parsed ? BO_OK : BO_NO_MEMORY);
        assert_true(parsed || error.status == BO_NO_MEMORY);
        bo_arena_free(&small);

        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        bo_writer_init(&out, &small);
        status = format->print(model, &out, &error);
        printed = small.n_allocs < n;
        assert_int_equal(status, printed ? BO_OK : BO_NO_MEMORY);
        bo_writer_free(&out);
        bo_arena_free(&small);
    }
}

/* ---- LLVM ------------------------------------------------------------------------------------ */

static void write_file(const char *path, struct bo_span bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
}

static struct bo_span read_file(const char *path)
{
    enum { MAX = 1 << 20 };
    uint8_t *p = bo_alloc(&arena, MAX);
    FILE *file = fopen(path, "rb");
    assert_non_null(p);
    assert_non_null(file);
    const size_t n = fread(p, 1, MAX, file);
    assert_true(n < MAX && fclose(file) == 0);
    return (struct bo_span){p, n};
}

/* The model of the text that llvm-profdata prints of ours. */
static struct lprf_model *through_llvm(const struct lprf_model *model, const char *folder)
{
    char in[80], out[80], command[256];
    void *again;
    snprintf(in, sizeof in, "%s/in.proftext", folder);
    snprintf(out, sizeof out, "%s/out.proftext", folder);
    snprintf(command, sizeof command, "llvm-profdata-14 merge --text -o %s %s", out, in);
    write_file(in, print_text(model, &arena));
    assert_int_equal(system(command), 0);
    assert_int_equal(format->parse(read_file(out), &arena, &again, NULL), BO_OK);
    assert_int_equal(remove(in), 0);
    assert_int_equal(remove(out), 0);
    return again;
}

static bool holds(const struct lprf_model *model, const struct lprf_function *function)
{
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *found = &model->functions[f];
        if (bo_span_equal(found->name, function->name) && found->hash == function->hash)
            return found->n_counters == function->n_counters &&
                   memcmp(found->counters, function->counters, 8 * found->n_counters) == 0;
    }
    return false;
}

/*
 * Every strange name survives a trip through LLVM, as do generated models. Hashes stay below the
 * two largest, which LLVM's own table cannot hold.
 */
TEST(test_llvm_reads_it)
{
    if (system("command -v llvm-profdata-14 >/dev/null") != 0) {
        print_message("note: not run: texts under llvm-profdata-14, which is missing\n");
        skip();
    }
    char folder[64];
    assert_true(bo_temporary_folder(folder, sizeof folder));
    static const uint64_t counters[] = {7, 0};
    struct lprf_function functions[N_ELEMENTS(names)];
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        functions[i] = (struct lprf_function){names[i].name, 24, 2, counters};
    functions[0].name = (struct bo_span)BYTES("\x01\xff"); /* does not look like text */
    struct lprf_model model = {N_ELEMENTS(names), functions};
    for (uint64_t seed = 0; seed < 4; seed++) {
        const struct lprf_model *again = through_llvm(&model, folder);
        assert_int_equal(again->n_functions, model.n_functions);
        for (size_t f = 0; f < model.n_functions; f++)
            if (!holds(again, &model.functions[f]))
                fail_msg("function %zu of model %u is lost", f, (unsigned)seed);
        struct bo_random random = bo_random_seeded(seed);
        void *generated;
        assert_int_equal(format->generate(&random, 500, &arena, &generated, NULL), BO_OK);
        model = *(struct lprf_model *)generated;
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST_FILE(set_up, tear_down)
