/*
 * Bad GCOV files: for each, the status, the byte and the phrase that decode must answer with.
 * Why: gcc accepts truncated and damaged profiles silently and reads zeros. Here each is an error.
 */
#include "codecs/autofdo/gcov/test_gcov.h"

#include "codecs/autofdo/gcov/gcov.h"
#include "harness/check/check.h"

static const struct bo_span small_v3 = BYTES(SMALL_V3), small_v2 = BYTES(SMALL_V2),
                            small_v407 = BYTES(SMALL_V407);

/* What is changed in a small file, and what readers say of it. */
struct test_case {
    const char *row;
    size_t at; /* where `bytes` go */
    struct bo_span bytes;
    size_t dropped; /* so many bytes of the file, which they stand for */
    enum bo_status status;
    uint64_t off;
    const char *what;
};

/* As many bytes as are new give way. */
#define CHANGE(row, at, literal, status, off, what)                     \
    {                                                                   \
        row, at, BYTES(literal), sizeof(literal) - 1, status, off, what \
    }

#define TAG_WRONG "tag is not that of the "
#define NO_ROOM "count exceeds what the rest of the file can hold"
#define DISAGREES "summary disagrees with the functions"
#define TOO_LARGE "count is above 2^63 - 1"
#define MAX_COUNT "\xff\xff\xff\xff\xff\xff\xff\x7f"

/* ---- every layout ---------------------------------------------------------------------------- */

static const struct test_case v2_cases[] = {
    CHANGE("big-endian magic", 0, "gcda", BO_CORRUPT, 0, "magic number is not adcg"),
    CHANGE("version 1", 4, "\x01", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("version 3", 4, "\x03", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("version 4", 4, "\x04", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("v407's version", 4, "*704", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("a stamp", 8, "\x01", BO_CORRUPT, 8, "the header's third word is not 0"),
    CHANGE("summary's tag", 15, "\xa8", BO_CORRUPT, 12, TAG_WRONG "names"),
    CHANGE("no names", 20, "\0", BO_CORRUPT, 24, TAG_WRONG "functions"),
    CHANGE("2^32 - 1 names", 20, "\xff\xff\xff\xff", BO_TRUNCATED, 20, NO_ROOM),
    CHANGE("a name more", 20, "\x05", BO_TRUNCATED, 47, "string runs past the end"),
    CHANGE("a name less", 20, "\x03", BO_CORRUPT, 41, TAG_WRONG "functions"),
    CHANGE("string of no bytes", 29, "\0", BO_CORRUPT, 29, "string has no room for its NUL"),
    CHANGE("string of 2^32 - 1 bytes", 29, "\xff\xff\xff\xff", BO_TRUNCATED, 29,
           "string runs past the end"),
    CHANGE("string without its NUL", 34, "x", BO_CORRUPT, 34, "string does not end with NUL"),
    CHANGE("NUL inside a string", 33, "\0", BO_CORRUPT, 33, "NUL inside a string"),
    {"first name not empty", 24, BYTES("\x02\0\0\0x\0"), 5, BO_OK, 0, NULL},
    {"first name of a digit", 24,
     BYTES("\x02\0\0\0"
           "7\0"),
     5, BO_CORRUPT, 28, "name starts with a digit, #, !, [ or a colon"},
    {"a second empty name", 29, BYTES("\x01\0\0\0\0"), 6, BO_CORRUPT, 33, "empty name"},
    CHANGE("control character", 33, "\n", BO_CORRUPT, 33, "name holds a control character"),
    CHANGE("name of a digit", 33, "7", BO_CORRUPT, 33,
           "name starts with a digit, #, !, [ or a colon"),
    CHANGE("functions' tag", 50, "\xad", BO_CORRUPT, 47, TAG_WRONG "functions"),
    CHANGE("no functions", 55, "\0", BO_CORRUPT, 59, TAG_WRONG "module group"),
    CHANGE("2^32 - 1 functions", 55, "\xff\xff\xff\xff", BO_TRUNCATED, 55, NO_ROOM),
    CHANGE("head of 2^63", 66, "\x80", BO_CORRUPT, 59, TOO_LARGE),
    CHANGE("function of the empty name", 67, "\0", BO_CORRUPT, 67,
           "empty name is used for a function"),
    CHANGE("function of name 4", 67, "\x04", BO_CORRUPT, 67, "name index is out of range"),
    CHANGE("function of name 2^31", 70, "\x80", BO_CORRUPT, 67, "name index is out of range"),
    CHANGE("2^32 - 1 records", 71, "\xff\xff\xff\xff", BO_TRUNCATED, 71, NO_ROOM),
    CHANGE("2^32 - 1 callsites", 75, "\xff\xff\xff\xff", BO_TRUNCATED, 75, NO_ROOM),
    CHANGE("2^32 - 1 targets", 83, "\xff\xff\xff\xff", BO_TRUNCATED, 83, NO_ROOM),
    CHANGE("count of 2^63", 87, "\0\0\0\0\0\0\0\x80", BO_CORRUPT, 87, TOO_LARGE),
    CHANGE("record twice", 79, "\x01\0\x02\0", BO_CORRUPT, 95, "instance has a record twice"),
    CHANGE("histogram of single values", 111, "\x06", BO_UNSUPPORTED, 111,
           "histogram is not of indirect calls"),
    CHANGE("target of the empty name", 115, "\0", BO_CORRUPT, 115,
           "empty name is used for a function"),
    CHANGE("target of name 4", 115, "\x04", BO_CORRUPT, 115, "name index is out of range"),
    CHANGE("target of name 2^32 + 3", 119, "\x01", BO_CORRUPT, 115, "name index is out of range"),
    CHANGE("target's count of 2^64 - 1", 123, "\xff\xff\xff\xff\xff\xff\xff\xff", BO_CORRUPT, 123,
           TOO_LARGE),
    {"target twice", 99,
     BYTES(U4("\x02") U8("\x03") U4("\x07") U8("\x03") U8("\x03") U4("\x07") U8("\x03") U8("\x03")),
     32, BO_CORRUPT, 131, "duplicate target of a record"},
    CHANGE("callee of the empty name", 135, "\0", BO_CORRUPT, 135,
           "empty name is used for a function"),
    CHANGE("callee of name 4", 135, "\x04", BO_CORRUPT, 135, "name index is out of range"),
    {"callsite twice", 75,
     BYTES(U4("\x02") PLACE("\x01", "\0") U4("\0") U8("\x07") PLACE("\x02", "\x01") U4("\0")
               U8("\x03") PLACE("\x03", "\0") U4("\x02") U4("\0") U4("\0") PLACE("\x03", "\0")
                   U4("\x02") U4("\0") U4("\0")),
     88, BO_CORRUPT, 127, "duplicate callsite of an instance"},
    {"function twice", 55,
     BYTES(U4("\x02") U8("\x05") U4("\x01") U4("\0") U4("\0") U8("\x05") U4("\x01") U4("\0")
               U4("\0")),
     108, BO_CORRUPT, 79, "duplicate function"},
    CHANGE("module group's tag", 166, "\xaf", BO_CORRUPT, 163, TAG_WRONG "module group"),
    CHANGE("a module", 171, "\x01", BO_UNSUPPORTED, 171, "module group is not empty"),
    CHANGE("working set's tag", 178, "\xae", BO_CORRUPT, 175, TAG_WRONG "working set"),
    CHANGE("counters descend", 183, "\x01", BO_CORRUPT, 195, "working sets are not in order"),
    CHANGE("least counts ascend", 199, "\x08", BO_CORRUPT, 195, "working sets are not in order"),
    CHANGE("a set of nothing before others", 199, "\0", BO_CORRUPT, 207,
           "working sets are not in order"),
    CHANGE("counters of nothing", 1707, "\x01\0\0\0\0", BO_CORRUPT, 1707,
           "working sets are not in order"),
    CHANGE("a set of nothing at the end", 1711, "\0", BO_OK, 0, NULL),
    CHANGE("least count of 2^63", 194, "\x80", BO_CORRUPT, 187, TOO_LARGE),
    {"no working sets but a number", 179, BYTES(U4("\x04") U4("\x01")), 1540, BO_CORRUPT, 183,
     "working sets are not in order"},
    {"a byte after the end", 1719, BYTES("\0"), 0, BO_CORRUPT, 1719, "bytes after the working set"},
    /* What readers pass over, and what writers in the field do. */
    CHANGE("other lengths", 16, "\xff\xff\xff\xff", BO_OK, 0, NULL),
    CHANGE("other lengths of functions", 51, "\0", BO_OK, 0, NULL),
    CHANGE("other length of the module group", 167, "\x01", BO_OK, 0, NULL),
    {"no working sets, as perf-gcov writes", 179, BYTES(U4("\x04") U4("\0")), 1540, BO_OK, 0, NULL},
    CHANGE("names in another order", 33, "z", BO_OK, 0, NULL),
    CHANGE("a name twice in the table", 45, "b", BO_OK, 0, NULL),
    CHANGE("records in another order", 79, "\0\0\x09", BO_OK, 0, NULL),
    CHANGE("largest count", 87, MAX_COUNT, BO_OK, 0, NULL),
    CHANGE("largest head", 59, MAX_COUNT, BO_OK, 0, NULL),
};

static const struct test_case v407_cases[] = {
    CHANGE("version 2", 4, "\x02\0\0\0", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("string of no words", 32, "\0", BO_CORRUPT, 32, "string has no room for its NUL"),
    CHANGE("string of 2^30 words", 32, "\0\0\0\x40", BO_TRUNCATED, 32, "string runs past the end"),
    CHANGE("string without its NUL", 36, "xyzw", BO_CORRUPT, 39, "string does not end with NUL"),
    CHANGE("padding", 39, "x", BO_CORRUPT, 39, "padding is not 0"),
    {"a word too many", 32, BYTES("\x02\0\0\0a\0\0\0\0\0\0\0"), 8, BO_CORRUPT, 37,
     "NUL inside a string"},
    CHANGE("first name not empty", 28, "x", BO_OK, 0, NULL),
    CHANGE("longest string of a word", 36, "xyz", BO_OK, 0, NULL),
};

static const struct test_case v3_cases[] = {
    CHANGE("v2 file", 4, "\x02", BO_UNSUPPORTED, 4, "version is not this codec's"),
    CHANGE("v407's version, as a tool writes it", 4, "*704", BO_UNSUPPORTED, 4,
           "version is not this codec's"),
    CHANGE("summary's tag", 15, "\xaa", BO_CORRUPT, 12, TAG_WRONG "summary"),
    CHANGE("total", 16, "\x0d", BO_CORRUPT, 16, DISAGREES),
    CHANGE("maximum", 31, "\x01", BO_CORRUPT, 24, DISAGREES),
    CHANGE("highest head", 32, "\0", BO_CORRUPT, 32, DISAGREES),
    CHANGE("number of counts", 40, "\x02", BO_CORRUPT, 40, DISAGREES),
    CHANGE("number of functions", 48, "\x02", BO_CORRUPT, 48, DISAGREES),
    CHANGE("15 entries", 56, "\x0f", BO_UNSUPPORTED, 56, "summary does not have 16 entries"),
    CHANGE("2^63 entries", 63, "\x80", BO_UNSUPPORTED, 56, "summary does not have 16 entries"),
    CHANGE("another cutoff", 64, "\x11", BO_CORRUPT, 64,
           "cutoff of a summary entry has another value"),
    CHANGE("least count of an entry", 68, "\x01", BO_CORRUPT, 68, DISAGREES),
    CHANGE("counts of the last entry", 376, "\x04", BO_CORRUPT, 376, DISAGREES),
    CHANGE("2^32 - 1 files", 392, "\xff\xff\xff\xff", BO_TRUNCATED, 392, NO_ROOM),
    CHANGE("path without its NUL", 403, "c", BO_CORRUPT, 403, "string does not end with NUL"),
    CHANGE("control character in a path", 401, "\n", BO_CORRUPT, 400,
           "path holds a control character"),
    CHANGE("file 2", 431, "\x02", BO_CORRUPT, 431, "file index is out of range"),
    CHANGE("file 2^32 - 2", 431, "\xfe\xff\xff\xff", BO_CORRUPT, 431, "file index is out of range"),
    CHANGE("file of the empty name", 421, "\0\0\0\0", BO_CORRUPT, 421,
           "file of a name that no function has"),
    CHANGE("file of a target", 451, "\0\0\0\0", BO_CORRUPT, 451,
           "file of a name that no function has"),
    CHANGE("file of a target with the name of a function", 449, "a\0\0\0\0\0", BO_CORRUPT, 451,
           "file of a name that no function has"),
    CHANGE("module group's tag", 582, "\xaf", BO_CORRUPT, 579, TAG_WRONG "module group"),
    {"a byte after the end", 2135, BYTES("x"), 0, BO_CORRUPT, 2135, "bytes after the working set"},
    CHANGE("function without a file", 431, "\xff\xff\xff\xff", BO_OK, 0, NULL),
    {"empty path", 396, BYTES("\x01\0\0\0\0"), 8, BO_OK, 0, NULL},
    CHANGE("largest timestamp", 475, "\xff\xff\xff\xff\xff\xff\xff\xff", BO_OK, 0, NULL),
    CHANGE("another place", 495, "\xff\xff\xff\xff", BO_OK, 0, NULL),
};

/* ---- queries --------------------------------------------------------------------------------- */

struct test_file {
    uint8_t p[4096];
    size_t n;
};

static struct bo_span make_file(struct test_file *file, struct bo_span small,
                                const struct test_case *change)
{
    const size_t end = change->at + change->dropped;
    assert_true(end <= small.n && small.n + change->bytes.n <= sizeof file->p);
    memcpy(file->p, small.p, change->at);
    memcpy(file->p + change->at, change->bytes.p, change->bytes.n);
    memcpy(file->p + change->at + change->bytes.n, small.p + end, small.n - end);
    return (struct bo_span){file->p, small.n + change->bytes.n - change->dropped};
}

static void expect_verdict(const struct bo_codec *codec, const char *row, struct bo_span in,
                           enum bo_status expected, uint64_t off, const char *what)
{
    struct bo_arena arena;
    struct bo_error error = {0};
    struct bo_finding finding = {0};
    const struct bo_effort effort = bo_effort_default();
    void *model;
    bool accepted;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = test_decode(codec, in, &arena, &model, &error);
    if (status != expected || (status && (error.off != off || strcmp(error.what, what) != 0)))
        fail_msg("%s: %s: %s at byte %lld: %s; not %s at %lld: %s", codec->name, row,
                 bo_status_name(status), (long long)error.off, error.what ? error.what : "-",
                 bo_status_name(expected), (long long)off, what ? what : "-");
    bo_arena_free(&arena);
    if (!bo_check_bytes(bo_find_format("autofdo"), codec, in, &effort, &accepted, &finding))
        fail_msg("%s: %s: %s: %s", codec->name, row, finding.class, finding.detail);
    assert_int_equal(accepted, expected == BO_OK);
}

static void expect_cases(const char *codec, struct bo_span small, const struct test_case *cases,
                         size_t n)
{
    static struct test_file file;
    for (size_t i = 0; i < n; i++)
        expect_verdict(gcov_codec(codec), cases[i].row, make_file(&file, small, &cases[i]),
                       cases[i].status, cases[i].off, cases[i].what);
}

TEST(test_v2)
{
    expect_cases("gcov-v2", small_v2, v2_cases, N_ELEMENTS(v2_cases));
}

TEST(test_v407)
{
    expect_cases("gcov-v407", small_v407, v407_cases, N_ELEMENTS(v407_cases));
}

TEST(test_v3)
{
    expect_cases("gcov-v3", small_v3, v3_cases, N_ELEMENTS(v3_cases));
}

TEST(test_truncated)
{
    static const struct {
        const char *codec;
        const struct bo_span *file;
    } rows[] = {{"gcov-v3", &small_v3}, {"gcov-v2", &small_v2}, {"gcov-v407", &small_v407}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++)
        for (size_t n = 0; n < rows[i].file->n; n++) {
            struct bo_arena arena;
            struct bo_error error = {0};
            void *model;
            bo_arena_init(&arena, BO_ARENA_UNLIMITED);
            const struct bo_span in = {rows[i].file->p, n};
            const enum bo_status status =
                test_decode(gcov_codec(rows[i].codec), in, &arena, &model, &error);
            if (status != BO_TRUNCATED || error.off > n)
                fail_msg("%s: the first %zu bytes: %s at byte %llu", rows[i].codec, n,
                         bo_status_name(status), (unsigned long long)error.off);
            bo_arena_free(&arena);
        }
}

/* ---- what takes a larger file ---------------------------------------------------------------- */

static void begin_file(struct bo_writer *out, struct bo_span names, uint32_t n_functions)
{
    static const struct bo_span start = BYTES(HEADER(U4("\x02")) TAG("\xaa") U4("\0"));
    static const struct bo_span functions = BYTES(TAG("\xac") U4("\0"));
    bo_put_bytes(out, start.p, start.n);
    bo_put_bytes(out, names.p, names.n);
    bo_put_bytes(out, functions.p, functions.n);
    bo_put_le32(out, n_functions);
}

static void end_file(struct bo_writer *out)
{
    static const struct bo_span end = BYTES(END WORKING_SETS);
    bo_put_bytes(out, end.p, end.n);
}

static void put_numbers(struct bo_writer *out, uint32_t name, uint32_t n_records,
                        uint32_t n_callsites)
{
    bo_put_le32(out, name);
    bo_put_le32(out, n_records);
    bo_put_le32(out, n_callsites);
}

static const struct bo_span one_name = BYTES(U4("\x02") U4("\x01") "\0" U4("\x02") "a\0");

/* 256 nested instances are read; the error for one more names its name index. */
TEST(test_depth)
{
    for (unsigned depth = AUTOFDO_MAX_DEPTH; depth <= AUTOFDO_MAX_DEPTH + 1; depth++) {
        struct bo_arena arena;
        struct bo_writer out;
        size_t last = 0;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        begin_file(&out, one_name, 1);
        bo_put_le64(&out, 0);
        for (unsigned i = 1; i <= depth; i++) {
            last = out.n;
            put_numbers(&out, 1, 0, i < depth);
            if (i < depth)
                bo_put_le32(&out, 0);
        }
        end_file(&out);
        expect_verdict(gcov_codec("gcov-v2"), "depth", bo_writer_span(&out),
                       depth > AUTOFDO_MAX_DEPTH ? BO_OVER_LIMIT : BO_OK, last,
                       "instances are nested more than 256 deep");
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/*
 * Each of 200 instances announces as many records as the rest of the file has room for, but for
 * what is owed already: memory must not be taken for each of them.
 */
TEST(test_announcements)
{
    enum { DEPTH = 200, ROOM_NBYTES = 1 << 20, BUDGET_NBYTES = 16 << 20 };
    struct bo_arena arena, budget;
    struct bo_writer out;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    begin_file(&out, one_name, 1);
    bo_put_le64(&out, 0);
    for (unsigned i = 0; i < DEPTH; i++) {
        put_numbers(&out, 1, 0, ROOM_NBYTES / 16);
        bo_put_le32(&out, i);
    }
    bo_put_zeros(&out, ROOM_NBYTES);
    bo_arena_init(&budget, BUDGET_NBYTES);
    assert_int_equal(
        test_decode(gcov_codec("gcov-v2"), bo_writer_span(&out), &budget, &model, &error),
        BO_TRUNCATED);
    assert_string_equal(error.what, NO_ROOM);
    bo_arena_free(&budget);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/*
 * What is owed may be more than what is left, which is no room at all: a fuzzer's find, once 37 MB.
 */
TEST(test_announcement_after_the_end)
{
    static const char bytes[] =
        "\x61\x64\x63\x67\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xaa\x00\x00\x00\x00"
        "\x03\x00\x00\x00\x01\x00\x00\x00\x00\x02\x00\x00\x00\x61\x00\x02\x00\x00\x00\x61"
        "\x00\x00\x00\x00\xac\x00\x00\x00\x00\x02\x00\x00\x00\x0a\x02\x00\x00\x00\x00\x00"
        "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
        "\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x01\x00\x00\x00\x01\x00\x12"
        "\x00\x00\x00\x00\x00\x00\x61\x64";
    enum { BUDGET_NBYTES = 1 << 16 };
    struct bo_arena budget;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&budget, BUDGET_NBYTES);
    assert_int_equal(test_decode(gcov_codec("gcov-v2"),
                                 (struct bo_span){(const uint8_t *)bytes, sizeof bytes - 1},
                                 &budget, &model, &error),
                     BO_TRUNCATED);
    assert_string_equal(error.what, NO_ROOM);
    bo_arena_free(&budget);
}

/*
 * Writers turn C4 into C2 in names that they have sorted, so two functions, or two callees of one
 * place, may come by one name. Both add up; unless a sum is too large.
 */
TEST(test_equal_names)
{
    static const struct bo_span names =
        BYTES(U4("\x03") U4("\x01") "\0" U4("\x02") "a\0" U4("\x02") "a\0");
    const struct bo_codec *codec = gcov_codec("gcov-v2");
    static const struct {
        uint64_t heads[2], counts[2];
        bool is_large;
    } rows[] = {
        {{10, 20}, {1, 2}, false},
        {{10, 20}, {GCOV_MAX_COUNT - 2, 2}, false},
        {{10, 20}, {GCOV_MAX_COUNT - 2, 3}, true},
        {{GCOV_MAX_COUNT - 20, 20}, {1, 2}, false},
        {{GCOV_MAX_COUNT - 19, 20}, {1, 2}, true},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct bo_arena arena;
        struct bo_writer out;
        void *opaque = NULL;
        size_t functions_off;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        begin_file(&out, names, 2);
        functions_off = out.n - 12;
        for (uint32_t name = 1; name <= 2; name++) {
            bo_put_le64(&out, rows[i].heads[name - 1]);
            put_numbers(&out, name, 1, 2);
            bo_put_le32(&out, 0);
            bo_put_le32(&out, 0);
            bo_put_le64(&out, rows[i].counts[name - 1]);
            for (uint32_t callee = 1; callee <= 2; callee++) {
                bo_put_le32(&out, 7 << 16);
                put_numbers(&out, callee, 1, 0);
                bo_put_le32(&out, name << 16);
                bo_put_le32(&out, 0);
                bo_put_le64(&out, 100);
            }
        }
        end_file(&out);
        expect_verdict(codec, "equal names", bo_writer_span(&out),
                       rows[i].is_large ? BO_CORRUPT : BO_OK, functions_off,
                       "counts of one name add up to more than 2^63 - 1");
        if (i == 0) {
            static const char text[] = "a:0:30\n 0: 3\n 7: a:0\n  1: 200\n  2: 200\n";
            const struct bo_format *format = bo_find_format("autofdo");
            void *expected = NULL;
            assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &opaque, NULL),
                             BO_OK);
            assert_int_equal(format->parse((struct bo_span){(const uint8_t *)text, strlen(text)},
                                           &arena, &expected, NULL),
                             BO_OK);
            assert_null(format->differ(opaque, expected));
        }
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* A count that is too large is found in records, in targets and at the bottom of callees. */
TEST(test_large_counts)
{
    static const struct {
        uint64_t record, target, inner;
        bool is_large;
    } rows[] = {{GCOV_MAX_COUNT, GCOV_MAX_COUNT, GCOV_MAX_COUNT, false},
                {GCOV_MAX_COUNT + UINT64_C(1), 0, 0, true},
                {0, GCOV_MAX_COUNT + UINT64_C(1), 0, true},
                {0, 0, GCOV_MAX_COUNT + UINT64_C(1), true}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const struct autofdo_target targets[] = {{BYTES("t"), 0}, {BYTES("u"), rows[i].target}};
        const struct autofdo_record record = {
            .count = rows[i].record, .n_targets = 2, .targets = targets};
        const struct autofdo_record inner = {.count = rows[i].inner};
        const struct autofdo_callsite callsites[] = {
            {.callee = {.name = BYTES("b")}},
            {.callee = {.name = BYTES("c"), .n_records = 1, .records = &inner}}};
        const struct autofdo_instance instance = {BYTES("a"), 1, 2, &record, callsites};
        assert_int_equal(gcov_has_large_count(&instance), rows[i].is_large);
    }
}

/* Heads of one name that add up to 2^64 or more stop at 2^64 - 1. */
TEST(test_join_saturates)
{
    const struct autofdo_function functions[] = {{GCOV_MAX_COUNT, 0, {.name = BYTES("a")}},
                                                 {GCOV_MAX_COUNT, 0, {.name = BYTES("a")}},
                                                 {GCOV_MAX_COUNT, 0, {.name = BYTES("a")}}};
    const struct autofdo_model model = {.n_functions = 3, .functions = functions};
    const struct autofdo_model *joined = NULL;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(gcov_join(&model, &arena, &joined, NULL), BO_OK);
    assert_true(joined->n_functions == 1 && joined->functions[0].head == UINT64_MAX);
    bo_arena_free(&arena);
}

/* Of functions that come by one name, counts add up, and the first to run gives the time. */
TEST(test_join)
{
    const struct autofdo_target target = {BYTES("t"), GCOV_MAX_COUNT};
    const struct autofdo_record record = {
        .count = GCOV_MAX_COUNT, .n_targets = 1, .targets = &target};
    const struct autofdo_function functions[] = {
        {1, 0, {.name = BYTES("a"), .n_records = 1, .records = &record}},
        {2, 9, {.name = BYTES("a")}},
        {4, 5, {.name = BYTES("a"), .n_records = 1, .records = &record}},
        {8, 7, {.name = BYTES("a")}},
        {16, 0, {.name = BYTES("b"), .n_records = 1, .records = &record}},
    };
    const struct autofdo_model model = {.n_functions = N_ELEMENTS(functions),
                                        .functions = functions};
    const struct autofdo_model *joined = NULL;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(gcov_join(&model, &arena, &joined, NULL), BO_OK);
    assert_int_equal(joined->n_functions, 2);
    assert_int_equal(joined->functions[0].head, 15);
    assert_int_equal(joined->functions[0].timestamp, 5);
    assert_true(gcov_has_large_count(&joined->functions[0].body));
    assert_int_equal(joined->functions[1].head, 16);
    assert_int_equal(joined->functions[1].timestamp, 0);
    assert_false(gcov_has_large_count(&joined->functions[1].body));
    bo_arena_free(&arena);
    enum bo_status status = BO_NO_MEMORY;
    for (uint64_t fail_at = 1; status; fail_at++) {
        struct bo_error error = {0};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        arena.fail_at = fail_at;
        status = gcov_join(&model, &arena, &joined, &error);
        assert_int_equal(status, arena.n_allocs < fail_at ? BO_OK : BO_NO_MEMORY);
        assert_int_equal(error.status, status);
        bo_arena_free(&arena);
    }
}

TEST_FILE(NULL, NULL)
