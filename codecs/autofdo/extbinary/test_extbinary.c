/*
 * extbinary against bytes that llvm-profdata 22 wrote, against llvm-profdata where it is installed,
 * and bad files with the status, the byte and the phrase of their error. Why: the codec represents
 * what LLVM writes, so its bytes have to be LLVM's.
 */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/test_extbinary.h"

#define TEXT "main:42:7\n 1: 10 bar:5 foo:3\n 2.3: 30\n 2: inl:2\n  1: 2\nfoo:0:0\n"

/* clang-format off */
/*
 * TEXT, written by llvm-profdata-22 merge --sample --extbinary. The summary starts at 242, the
 * names at 327, the contexts at 345, the functions at 346 and 373, the offsets at 378.
 */
#define SMALL \
    "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67\x07\x00\x00\x00\x00\x00" \
    "\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xf2\x00\x00\x00\x00\x00\x00\x00\x55\x00\x00\x00\x00\x00" \
    "\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x47\x01\x00\x00\x00\x00\x00\x00\x12\x00\x00\x00\x00\x00" \
    "\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x59\x01\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x7a\x01\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x5a\x01\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00" \
    "\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x7a\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x7f\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x2a\x1e\x07\x03\x02\x10\x90\x4e\x00\x00\xa0\x8d\x06\x1e" \
    "\x01\xc0\x9a\x0c\x1e\x01\xe0\xa7\x12\x1e\x01\x80\xb5\x18\x1e\x01" \
    "\xa0\xc2\x1e\x1e\x01\xc0\xcf\x24\x1e\x01\xe0\xdc\x2a\x1e\x01\x80" \
    "\xea\x30\x0a\x02\xa0\xf7\x36\x0a\x02\xf0\xfd\x39\x0a\x02\xb0\xb6" \
    "\x3c\x02\x03\xd8\xfc\x3c\x02\x03\xdc\x83\x3d\x02\x03\xb6\x84\x3d" \
    "\x02\x03\xbf\x84\x3d\x02\x03\x04\x62\x61\x72\x00\x66\x6f\x6f\x00" \
    "\x69\x6e\x6c\x00\x6d\x61\x69\x6e\x00\x00\x07\x03\x2a\x02\x01\x00" \
    "\x0a\x02\x00\x05\x01\x03\x02\x03\x1e\x00\x01\x02\x00\x02\x02\x01" \
    "\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x03\x00\x01\x1b" \
    ""
/* clang-format on */

static const struct bo_codec *extbinary(void)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), "extbinary");
    assert_non_null(codec);
    return codec;
}

static struct bo_span encode(const void *model, struct bo_arena *arena)
{
    return encode_as(extbinary(), model, arena);
}

/* ---- LLVM's bytes ---------------------------------------------------------------------------- */

TEST(test_bytes)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void *model = parse_text(TEXT, &arena);
    const struct bo_span bytes = encode(model, &arena);
    assert_int_equal(bytes.n, sizeof SMALL - 1);
    assert_memory_equal(bytes.p, SMALL, sizeof SMALL - 1);
    void *decoded;
    assert_int_equal(test_decode(extbinary(), bytes, &arena, &decoded, NULL), BO_OK);
    assert_null(test_format()->differ(model, decoded));
    bo_arena_free(&arena);
}

/* The flag of the names, at 62, says that one has LLVM's suffix of a unique name. */
TEST(test_unique)
{
    static const struct {
        const char *text;
        uint8_t flag;
    } names[] = {{"x.__uniq.1:0:1\n", 4}, {"x.__uniq.:0:1\n", 4}, {"x.__uniq:0:1\n", 0}};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        assert_int_equal(encode(parse_text(names[i].text, &arena), &arena).p[62], names[i].flag);
    bo_arena_free(&arena);
}

TEST(test_llvm)
{
    compare_with_llvm(extbinary(), "--extbinary", 1, bo_span_equal);
}

/* ---- bad files ------------------------------------------------------------------------------- */

static const struct damage cases[] = {
    {0, 0x85, BO_CORRUPT, 0, "magic number is not that of an extensible binary"},
    {9, 104, BO_UNSUPPORTED, 9, "version is not the codec's"},
    {10, 8, BO_UNSUPPORTED, 10, "number of sections is not the codec's"},
    {18, 2, BO_UNSUPPORTED, 18, "section is of another kind"},
    {26, 1, BO_UNSUPPORTED, 26, "unknown flags of a section"},
    {62, 1, BO_UNSUPPORTED, 58, "unknown flags of a section"},
    {34, 0xf3, BO_CORRUPT, 34, "section does not start where the one before ends"},
    {43, 0xff, BO_TRUNCATED, 42, "section runs past the file's end"},
    {106, 2, BO_CORRUPT, 162, "section does not start where the one before ends"},
    {202, 1, BO_UNSUPPORTED, 202, "section is not empty"},
    {345, 1, BO_UNSUPPORTED, 345, "profile has contexts"},
    {247, 15, BO_UNSUPPORTED, 247, "summary does not have 16 entries"},
    {248, 0x91, BO_UNSUPPORTED, 248, "cutoff of a summary entry has another value"},
    {242, 0x2b, BO_CORRUPT, 242, "summary disagrees with the functions"},
    {327, 5, BO_TRUNCATED, 345, "name does not end in its section"},
    {327, 3, BO_CORRUPT, 340, "bytes after a section's last"},
    {328, 'g', BO_CORRUPT, 332, "names are not in order"},
    {332, '7', BO_CORRUPT, 332, "name starts with a digit, #, !, [ or a colon"},
    {347, 4, BO_CORRUPT, 347, "name index is out of range"},
    {347, 1, BO_CORRUPT, 347, "function differs from that of the table for this offset"},
    {349, 0x7f, BO_TRUNCATED, 349, "count exceeds what the rest of the section can hold"},
    {350, 3, BO_CORRUPT, 358, "records are not in order"},
    {356, 0, BO_CORRUPT, 353, "duplicate target of a record"},
    {378, 3, BO_TRUNCATED, 378, "count exceeds what the rest of the section can hold"},
    {378, 1, BO_CORRUPT, 381, "bytes after a section's last"},
    {379, 1, BO_CORRUPT, 381, "duplicate function"},
    {380, 1, BO_CORRUPT, 380, "functions are not in the order of offsets"},
    {382, 0, BO_CORRUPT, 382, "functions are not in the order of offsets"},
    {382, 32, BO_CORRUPT, 382, "function lies outside its section"},
    {382, 28, BO_CORRUPT, 373, "function ends before the next one starts"},
};

TEST(test_rejects)
{
    static const uint8_t bytes[sizeof SMALL] = SMALL;
    expect_errors(extbinary(), (struct bo_span){bytes, sizeof SMALL - 1}, cases, N_ELEMENTS(cases));
    expect_error(extbinary(), (struct bo_span){bytes, sizeof SMALL}, BO_CORRUPT, sizeof SMALL - 1,
                 "bytes after the last section");
    expect_error(extbinary(), (struct bo_span){bytes, 17}, BO_TRUNCATED, 17,
                 "file ends in its header");
    expect_error(extbinary(), (struct bo_span){bytes, 241}, BO_TRUNCATED, 241,
                 "file ends in its header");
}

/* LLVM stores the total that its input had: any is accepted. */
TEST(test_totals)
{
    uint8_t bytes[sizeof SMALL] = SMALL;
    struct bo_arena arena;
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bytes[348]++;
    assert_int_equal(
        test_decode(extbinary(), (struct bo_span){bytes, sizeof SMALL - 1}, &arena, &model, NULL),
        BO_OK);
    assert_null(test_format()->differ(model, parse_text(TEXT, &arena)));
    bo_arena_free(&arena);
}

/* Models that break the rules, which the encoder does not check. */
TEST(test_bad_models)
{
    enum { DEPTH = AUTOFDO_MAX_DEPTH + 1 };
    static struct autofdo_callsite sites[DEPTH];
    const struct autofdo_record record = {.line = 65536};
    const struct autofdo_callsite twice[] = {{.callee.name = BYTES("a")},
                                             {.callee.name = BYTES("a")}};
    struct autofdo_function function = {.body = {BYTES("a"), 1, 0, &record, NULL}};
    const struct autofdo_model model = {.n_functions = 1, .functions = &function};
    struct bo_arena arena;
    struct bo_error err = {0};
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct {
        struct autofdo_instance body;
        enum bo_status status;
        const char *what;
    } bad[] = {
        {{BYTES("a"), 1, 0, &record, NULL}, BO_CORRUPT, "line is above 65535"},
        {{BYTES("a"), 0, 2, NULL, twice}, BO_CORRUPT, "callsites are not in order"},
        {{BYTES("a"), 0, 1, NULL, sites}, BO_OVER_LIMIT, "instances are nested more than 256 deep"},
    };
    for (size_t i = 0; i < DEPTH; i++)
        sites[i].callee =
            (struct autofdo_instance){BYTES("a"), 0, i + 1 < DEPTH, NULL, &sites[i + 1]};
    sites[DEPTH - 1].callee.callsites = NULL;
    for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
        function.body = bad[i].body;
        assert_int_equal(test_decode(extbinary(), encode(&model, &arena), &arena, &decoded, &err),
                         bad[i].status);
        assert_string_equal(err.what, bad[i].what);
    }
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
