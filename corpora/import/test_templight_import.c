/*
 * The importers of clang's YAML and of Templight's own files: which files they recognise, and what
 * they read. Why: the first bytes decide which importer reads a file, and names have forms that
 * none of our codecs writes.
 */
#include <zlib.h>

#include "codecs/templight/test_model.h"
#include "corpora/import/test_import.h"
#include "corpora/import/test_seeds.h"
#include "harness/core/print.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

TEST(test_sniffing)
{
    static const char *const yaml[] = {
        "", "-", "---", "---\n", "---\r\nname: a\r\n", "# trace: {version"};
    static const char *const protobuf[] = {"\n", "\n\x0f", "\n\x0f\n", "\n\xff\x0f\n\x02\x08\x01"};
    static const char *const other[] = {"--- a\n",          "#!",      "name: a\n", "\n\x0f\x12",
                                        "\n---\nname: a\n", "\x0f\n\n"};
    for (size_t i = 0; i < N_ELEMENTS(yaml); i++)
        assert_taken_by("yaml", yaml[i], strlen(yaml[i]));
    for (size_t i = 0; i < N_ELEMENTS(other); i++)
        assert_taken_by(NULL, other[i], strlen(other[i]));
    for (size_t i = 0; i < N_ELEMENTS(protobuf); i++)
        assert_taken_by("protobuf", protobuf[i], strlen(protobuf[i]));
}

TEST(test_reading)
{
    static const char text[] = "---\nname: 'a<b>'\nkind: Memoization\nevent: Begin\n"
                               "orig: ''\npoi: 'x.h:1:2'\n";
    static const char cut[] = "---\nname: 'a<b>'\nkind: Memoization\n";
    struct bo_error error;
    void *opaque;
    const struct bo_span good = {(const uint8_t *)text, sizeof text - 1};
    const struct bo_importer *importer = bo_find_importer("templight", good);
    assert_int_equal(test_import(importer, good, NULL, &arena, &opaque, &error), BO_OK);
    const struct templight_model *model = opaque;
    assert_int_equal(model->traces[0].n_records, 1);
    assert_memory_equal(model->traces[0].names[0].p, "a<b>", 4);
    const struct bo_span bad = {(const uint8_t *)cut, sizeof cut - 1};
    assert_int_equal(test_import(importer, bad, NULL, &arena, &opaque, &error), BO_TRUNCATED);
    assert_true(error.off == bad.n);
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct bo_span join(size_t n, const struct bo_span *parts)
{
    size_t nbytes = 0;
    for (size_t i = 0; i < n; i++)
        nbytes += parts[i].n;
    uint8_t *to = bo_alloc(&arena, nbytes), *at = to;
    assert_non_null(to);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n)
            memcpy(at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    return (struct bo_span){to, nbytes};
}
#define JOIN(...)                                                          \
    join(sizeof((struct bo_span[]){__VA_ARGS__}) / sizeof(struct bo_span), \
         (struct bo_span[]){__VA_ARGS__})

static struct bo_span varint(uint64_t v)
{
    uint8_t *to = bo_alloc(&arena, 10);
    size_t n = 0;
    do
        to[n++] = (uint8_t)(v % 128 + (v >= 128 ? 128 : 0));
    while (v /= 128);
    return (struct bo_span){to, n};
}

static struct bo_span number_field(unsigned number, uint64_t v)
{
    return JOIN(varint(number << 3), varint(v));
}

static struct bo_span bytes_field(unsigned number, struct bo_span bytes)
{
    return JOIN(varint(number << 3 | 2), varint(bytes.n), bytes);
}

static struct bo_span text_field(unsigned number, const char *text)
{
    return bytes_field(number, bo_span_of(text));
}

static struct bo_span deflated(struct bo_span text)
{
    uLongf n = compressBound(text.n);
    uint8_t *to = bo_alloc(&arena, n);
    assert_int_equal(compress2(to, &n, text.p, text.n, 9), Z_OK);
    return (struct bo_span){to, n};
}

#define TRACE(...) bytes_field(1, JOIN(__VA_ARGS__))
#define HEADER text_field(1, "\x08\x01")
#define RECORD(number, ...) bytes_field(2, bytes_field(number, JOIN(__VA_ARGS__)))
#define BEGIN(...) RECORD(1, number_field(1, 23), bytes_field(2, JOIN(__VA_ARGS__)))
#define END RECORD(2, BYTES(""))
#define LEAF(text) bytes_field(3, text_field(1, text))
#define UNKNOWN                                        \
    JOIN(text_field(9, "what"), number_field(2000, 1), \
         BYTES("\x55"                                  \
               "4444\x59"                              \
               "88888888"))

/* ---- valid files ----------------------------------------------------------------------------- */

static enum bo_status import(struct bo_span file, void **model, struct bo_error *error)
{
    struct bo_guarded guarded;
    const struct bo_importer *importer = bo_find_importer("templight", file);
    assert_non_null(importer);
    assert_string_equal(importer->name, "protobuf");
    assert_true(bo_guarded_copy(file, &guarded));
    const enum bo_status status = test_import(importer, guarded.span, NULL, &arena, model, error);
    bo_guarded_free(&guarded);
    return status;
}

static void expect_text(struct bo_span file, const char *text)
{
    void *model = NULL;
    struct bo_error error = {0};
    if (import(file, &model, &error))
        fail_msg("%s at byte %llu; not %s", error.what, (unsigned long long)error.off, text);
    assert_null(templight_model_flaw(model, &arena));
    assert_string_equal(print_text(model, &arena).p,
                        print_text(parse_text(text, &arena), &arena).p);
}

#define YAML_BEGIN(name) "---\nname: '" name "'\nkind: 23\nevent: Begin\norig: ''\npoi: ''\n"
#define YAML_END "---\nevent: End\n"
#define YAML_TRACE "# trace: {version: 1, source: ''}\n"

TEST(test_forms_of_names)
{
    static const struct bo_span marked = BYTES("\0<\0, \0>");
    const struct bo_span ids = JOIN(number_field(2, 0), number_field(2, 1), number_field(2, 1));
    const struct bo_span parts = JOIN(LEAF("A"), LEAF("b"));
    const struct bo_span zipped = deflated(bo_span_of("std::pair<int, int>"));
    expect_text(TRACE(HEADER, BEGIN(text_field(1, "a<b>")), END), YAML_BEGIN("a<b>") YAML_END);
    expect_text(TRACE(HEADER, BEGIN(bytes_field(2, zipped)), BEGIN(bytes_field(2, zipped))),
                YAML_BEGIN("std::pair<int, int>") YAML_BEGIN("std::pair<int, int>"));
    expect_text(TRACE(HEADER, BEGIN(bytes_field(2, deflated(bo_span_of(""))))), YAML_BEGIN(""));
    expect_text(TRACE(HEADER, parts, bytes_field(3, JOIN(bytes_field(1, marked), ids)),
                      BEGIN(number_field(3, 2)), BEGIN(number_field(3, 1))),
                YAML_BEGIN("A<b, b>") YAML_BEGIN("b"));
    /* Packed ids before the text. */
    expect_text(TRACE(HEADER, parts,
                      bytes_field(3, JOIN(bytes_field(2, (struct bo_span)BYTES("\0\1\1")),
                                          bytes_field(1, marked))),
                      BEGIN(number_field(3, 2))),
                YAML_BEGIN("A<b, b>"));
    /* All in one trace. If a name has several forms, the last one counts. */
    expect_text(TRACE(HEADER, BEGIN(text_field(1, "x"), bytes_field(2, zipped)), LEAF("y"),
                      BEGIN(bytes_field(2, zipped), number_field(3, 0)),
                      BEGIN(number_field(3, 0), text_field(1, "x"))),
                YAML_BEGIN("std::pair<int, int>") YAML_BEGIN("y") YAML_BEGIN("x"));
}

TEST(test_batch)
{
    /* Names after the records, as a library writes them. */
    expect_text(TRACE(HEADER, BEGIN(number_field(3, 1)), END, LEAF("a"), LEAF("b")),
                YAML_BEGIN("b") YAML_END);
}

TEST(test_several_traces)
{
    expect_text(JOIN(TRACE(HEADER, LEAF("a"), BEGIN(number_field(3, 0))),
                     TRACE(bytes_field(1, JOIN(number_field(1, 2), text_field(2, "m.cpp"))),
                           LEAF("b"), BEGIN(number_field(3, 0))),
                     TRACE(HEADER)),
                YAML_BEGIN("a") "# trace: {version: 2, source: m.cpp}\n" YAML_BEGIN("b")
                    YAML_TRACE);
}

TEST(test_unknown_fields)
{
    const struct bo_span header = bytes_field(1, JOIN(UNKNOWN, number_field(1, 1), UNKNOWN));
    const struct bo_span leaf = bytes_field(3, JOIN(UNKNOWN, text_field(1, "a"), UNKNOWN));
    const struct bo_span begin = bytes_field(
        2, JOIN(UNKNOWN,
                bytes_field(1, JOIN(UNKNOWN, number_field(1, 23),
                                    bytes_field(2, JOIN(UNKNOWN, number_field(3, 0))), UNKNOWN))));
    expect_text(JOIN(TRACE(header, UNKNOWN, leaf, begin, END, UNKNOWN), UNKNOWN),
                YAML_BEGIN("a") YAML_END);
}

TEST(test_fields)
{
    const struct bo_span at = JOIN(text_field(1, "x.h"), number_field(2, 0), number_field(3, 7));
    const struct bo_span again =
        JOIN(number_field(2, 0), number_field(3, 2147483653), number_field(4, 9));
    const struct bo_span begin =
        JOIN(number_field(1, 99), bytes_field(2, text_field(1, "a")), bytes_field(3, at),
             BYTES("\x21\0\0\0\0\0\0\xd0\x3f"), number_field(5, UINT64_C(107374182400)),
             bytes_field(6, again));
    expect_text(TRACE(HEADER, RECORD(1, begin), RECORD(2, number_field(2, UINT64_C(3221225472)))),
                "---\nname: a\nkind: 99\nevent: Begin\norig: 'x.h:2147483653:9'\n"
                "poi: 'x.h:7:0'\ntime: 0.25\nmemory: 107374182400\n"
                "---\nevent: End\nmemory: 3221225472\n");
}

/* The importer reads the output of codecs as the original model. */
TEST(test_codecs_files)
{
    static const char *const names[] = {"dict", "dict-wiki", "flat", "plain"};
    for (uint64_t seed = 0; seed < 100; seed++)
        for (size_t c = 0; c < N_ELEMENTS(names); c++) {
            const struct bo_codec *codec = bo_find_codec(format, names[c]);
            const void *model = generate_model(seed, 60, &arena);
            void *held, *imported;
            struct bo_writer out;
            bo_writer_init(&out, &arena);
            assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
            if (out.n) {
                assert_int_equal(codec->reduce(codec, model, &arena, &held, NULL), BO_OK);
                assert_int_equal(import(bo_writer_span(&out), &imported, NULL), BO_OK);
                assert_null(format->differ(held, imported));
            }
            bo_writer_free(&out);
        }
}

/* ---- rejected files -------------------------------------------------------------------------- */

static void expect_refusal(struct bo_span file, enum bo_status expected, size_t off,
                           const char *what)
{
    void *model;
    struct bo_error error = {0};
    const enum bo_status status = import(file, &model, &error);
    if (status != expected || error.off != off || strcmp(error.what, what) != 0)
        fail_msg("%s at byte %lld: %s; not %s at %zu: %s", bo_status_name(status),
                 (long long)error.off, error.what ? error.what : "-", bo_status_name(expected), off,
                 what);
}

TEST(test_refusals)
{
    static const struct bo_span marker = BYTES("\0");
    const struct bo_span self = bytes_field(3, JOIN(bytes_field(1, marker), number_field(2, 0)));
    const struct bo_span lacking = bytes_field(3, bytes_field(1, marker));
    const struct bo_span surplus = bytes_field(3, JOIN(text_field(1, "a"), number_field(2, 0)));
    const struct bo_span unknown_file =
        bytes_field(3, JOIN(number_field(2, 0), number_field(3, 1)));
    const struct {
        struct bo_span file;
        enum bo_status status;
        size_t off;
        const char *what;
    } cases[] = {
        {TRACE(HEADER, self), BO_CORRUPT, 12,
         "dictionary entry refers to an entry that does not precede it"},
        {TRACE(HEADER, lacking), BO_CORRUPT, 6,
         "dictionary entry has different numbers of ids and markers"},
        {TRACE(HEADER, LEAF("a"), surplus), BO_CORRUPT, 11,
         "dictionary entry has different numbers of ids and markers"},
        {TRACE(HEADER, BEGIN(number_field(3, 0))), BO_CORRUPT, 15,
         "name refers to a missing dictionary entry"},
        {TRACE(HEADER, BEGIN(number_field(3, UINT64_C(1) << 40))), BO_CORRUPT, 15,
         "number has more than 32 bits"},
        {TRACE(HEADER, BEGIN(number_field(7, 0))), BO_CORRUPT, 14, "name is empty"},
        {TRACE(HEADER, RECORD(1, number_field(1, 1))), BO_CORRUPT, 10,
         "begin has no kind or no name"},
        {TRACE(HEADER, RECORD(1, bytes_field(2, text_field(1, "a")))), BO_CORRUPT, 10,
         "begin has no kind or no name"},
        {TRACE(HEADER,
               RECORD(1, number_field(1, 1), bytes_field(2, text_field(1, "a")), unknown_file)),
         BO_CORRUPT, 19, "location refers to a file without a name"},
        {TRACE(HEADER, text_field(2, "")), BO_CORRUPT, 8,
         "record is not exactly one of begin and end"},
        {TRACE(HEADER, text_field(2, "\x12")), BO_CORRUPT, 9, "field runs past the end"},
        {TRACE(HEADER, HEADER), BO_UNSUPPORTED, 6, "message in more than one part"},
        {TRACE(text_field(1, "")), BO_CORRUPT, 2, "trace has no header with a version"},
        {TRACE(HEADER, number_field(2, 0)), BO_CORRUPT, 6, "field has the wrong wire type"},
        {TRACE(HEADER, BYTES("\x13")), BO_CORRUPT, 6, "wire type is a group or unknown"},
        {TRACE(HEADER, BYTES("\x02\0")), BO_CORRUPT, 6, "field number is 0 or above 2^29 - 1"},
        {TRACE(HEADER, BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")), BO_CORRUPT, 7,
         "varint has more than 64 bits"},
        {TRACE(HEADER, BEGIN(text_field(1, "a"), BYTES("\x0a\x01\0"))), BO_CORRUPT, 19,
         "text holds a NUL"},
        {JOIN(TRACE(HEADER, LEAF("a")), TRACE(HEADER, BEGIN(number_field(3, 0)))), BO_CORRUPT, 26,
         "name refers to a missing dictionary entry"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        expect_refusal(cases[i].file, cases[i].status, cases[i].off, cases[i].what);
}

TEST(test_compressed_names)
{
    enum { HUGE_NBYTES = 20 << 20, AT = 16 };
    static const struct bo_span nul = BYTES("a\0b");
    const struct bo_span good = deflated(bo_span_of("std::vector<int, std::allocator<int>>"));
    uint8_t *damaged = bo_alloc(&arena, good.n), *huge = bo_alloc(&arena, HUGE_NBYTES);
    memcpy(damaged, good.p, good.n);
    damaged[good.n / 2] ^= 0x10;
    memset(huge, 'x', HUGE_NBYTES);
    for (size_t n = 0; n < good.n; n++)
        expect_refusal(TRACE(HEADER, BEGIN(bytes_field(2, (struct bo_span){good.p, n}))),
                       BO_CORRUPT, AT, "compressed name ends early");
    expect_refusal(TRACE(HEADER, BEGIN(bytes_field(2, (struct bo_span){damaged, good.n}))),
                   BO_CORRUPT, AT, "compressed name is damaged");
    expect_refusal(TRACE(HEADER, BEGIN(bytes_field(2, JOIN(good, nul)))), BO_CORRUPT, AT,
                   "compressed name is damaged");
    expect_refusal(TRACE(HEADER, BEGIN(bytes_field(2, deflated(nul)))), BO_CORRUPT, AT,
                   "compressed name contains a NUL");
    const struct bo_span bomb = deflated((struct bo_span){huge, HUGE_NBYTES});
    assert_true(bomb.n < HUGE_NBYTES / 900);
    struct bo_error error;
    void *model;
    const size_t before = arena.region_nbytes;
    assert_int_equal(import(TRACE(HEADER, BEGIN(bytes_field(2, bomb))), &model, &error),
                     BO_OVER_LIMIT);
    assert_true(arena.region_nbytes - before < 5 * (size_t)HUGE_NBYTES);
    expect_text(TRACE(HEADER, BEGIN(bytes_field(2, deflated((struct bo_span){huge, 100000}))),
                      BEGIN(bytes_field(2, good))),
                bo_arena_printf(&arena, YAML_BEGIN("%.100000s") "%s", (char *)huge,
                                YAML_BEGIN("std::vector<int, std::allocator<int>>")));
}

/* Each entry doubles the previous one. It must be rejected by its length, before it is expanded. */
TEST(test_bomb)
{
    static const struct bo_span markers = BYTES("\0\0");
    struct bo_span entries = LEAF("0123456789abcdef");
    struct bo_error error = {0};
    void *model;
    for (unsigned id = 0; id < 64; id++)
        entries = JOIN(entries, bytes_field(3, JOIN(bytes_field(1, markers), number_field(2, id),
                                                    number_field(2, id))));
    const size_t before = arena.region_nbytes;
    assert_int_equal(import(TRACE(HEADER, entries), &model, &error), BO_OVER_LIMIT);
    assert_true(arena.region_nbytes - before < (size_t)64 << 20);
}

static struct bo_span repeated(struct bo_span record, size_t n)
{
    struct bo_span all[2048];
    assert_true(n <= N_ELEMENTS(all));
    for (size_t i = 0; i < n; i++)
        all[i] = record;
    return join(n, all);
}

/* A long text that many records use is there once in the file, but often in the text form. */
TEST(test_repeated_texts)
{
    enum { PATH_NBYTES = 1 << 20 };
    static const struct bo_span markers = BYTES("\0\0");
    struct bo_span entries = LEAF("0123456789abcdef");
    for (unsigned id = 0; id < 16; id++) /* the last entry has 1 MiB */
        entries = JOIN(entries, bytes_field(3, JOIN(bytes_field(1, markers), number_field(2, id),
                                                    number_field(2, id))));
    uint8_t *path = bo_alloc(&arena, PATH_NBYTES);
    memset(path, 'x', PATH_NBYTES);
    const struct bo_span line = JOIN(number_field(2, 0), number_field(3, 1)),
                         named = JOIN(bytes_field(1, (struct bo_span){path, PATH_NBYTES}), line),
                         of_name = BEGIN(number_field(3, 16)),
                         of_path = RECORD(1, number_field(1, 23),
                                          bytes_field(2, text_field(1, "a")), bytes_field(3, line)),
                         of_first =
                             RECORD(1, number_field(1, 23), bytes_field(2, text_field(1, "a")),
                                    bytes_field(3, named));
    struct bo_error error;
    void *model;
    assert_int_equal(import(TRACE(HEADER, entries, repeated(of_name, 1040)), &model, &error),
                     BO_OVER_LIMIT);
    assert_int_equal(import(TRACE(HEADER, of_first, repeated(of_path, 1100)), &model, &error),
                     BO_OVER_LIMIT);
}

/* A trace without entries takes 6 bytes, so tables for texts would be a large multiple of it. */
TEST(test_many_empty_traces)
{
    enum { N = 1024 };
    const struct bo_span file = repeated(TRACE(HEADER), N);
    struct bo_arena fresh;
    void *model;
    bo_arena_init(&fresh, BO_ARENA_UNLIMITED);
    fresh.max_first_cap = SIZE_MAX; /* as in the program */
    assert_int_equal(bo_find_importer("templight", file)->import(file, NULL, &fresh, &model, NULL),
                     BO_OK);
    assert_int_equal(((const struct templight_model *)model)->n_traces, N);
    assert_true(fresh.peak_nbytes <= 5 * N * sizeof(struct templight_trace));
    bo_arena_free(&fresh);
}

/* A file that is cut anywhere, except between traces, is truncated. */
TEST(test_cuts)
{
    const struct bo_span first = TRACE(HEADER, LEAF("a"), BEGIN(number_field(3, 0)), END);
    const struct bo_span file = JOIN(first, TRACE(HEADER, BEGIN(text_field(1, "b"))));
    for (size_t n = 1; n < file.n; n++) {
        struct bo_error error = {0};
        void *model;
        const enum bo_status status = import((struct bo_span){file.p, n}, &model, &error);
        if (status != (n == first.n ? BO_OK : BO_TRUNCATED) || (status && error.off > n))
            fail_msg("%zu bytes: %s at byte %llu", n, bo_status_name(status),
                     (unsigned long long)error.off);
    }
}

TEST_FILE(set_up, tear_down)
