/*
 * The file header. Why: with it, bytes of the wrong codec, damaged bytes and bad payloads have
 * different errors. A field that is never checked may contain a wrong value unnoticed.
 */
#include "harness/core/hash.h"
#include "harness/core/test_cmocka.h"

#include "harness/file.h"
#include "harness/registry.h"

static const struct bo_span payload = BYTES("some payload");

/* "pcdata" and "linear-index" in a header of 64 bytes, then the payload. */
enum { HEADER_NBYTES = 64, NAMES_OFF = 32, FILE_NBYTES = HEADER_NBYTES + 12 };

static const struct bo_format *format;
static const struct bo_codec *codec, *reader, *other;

static int set_up(void **state)
{
    format = bo_find_format("pcdata");
    codec = bo_find_codec(format, "linear-index");
    reader = bo_find_codec(format, "linear-index-simd");
    other = bo_find_codec(format, "varint-delta");
    return format && codec && reader && other ? 0 : -1;
}

/* Writes the file that all tests damage. */
static void make_file(uint8_t file[FILE_NBYTES])
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_file_put(format, codec, payload, &out);
    assert_int_equal(out.n, FILE_NBYTES);
    memcpy(file, out.p, FILE_NBYTES);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* The layout as file.h states it, byte for byte. */
TEST(test_layout)
{
    static const uint8_t expected[NAMES_OFF - 8] = {0x89, 'B', 'K', 'O', '\r', '\n', 0x1a, '\n', 1,
                                                    6,    12,  0,   64,  0,    0,    0,    12};
    uint8_t file[FILE_NBYTES];
    make_file(file);
    assert_memory_equal(file, expected, sizeof expected);
    assert_true(bo_le64(file + 24) == bo_hash(payload));
    assert_memory_equal(file + NAMES_OFF, "pcdatalinear-index", 18);
    for (unsigned i = NAMES_OFF + 18; i < HEADER_NBYTES; i++)
        assert_int_equal(file[i], 0);
    assert_memory_equal(file + HEADER_NBYTES, payload.p, payload.n);
}

/* XXH3-64 of no bytes and of one byte, from its specification. */
TEST(test_hash)
{
    assert_true(bo_hash((struct bo_span){NULL, 0}) == UINT64_C(0x2d06800538d394c2));
    assert_true(bo_hash((struct bo_span)BYTES("a")) == UINT64_C(0xe6c632b61e964e1f));
}

TEST(test_opens)
{
    uint8_t file[FILE_NBYTES];
    struct bo_span found, format_name, codec_name;
    struct bo_error error;
    make_file(file);
    const struct bo_span whole = {file, sizeof file};
    assert_int_equal(bo_file_open(format, codec, whole, &found, &error), BO_OK);
    assert_ptr_equal(found.p, file + HEADER_NBYTES);
    assert_int_equal(found.n, payload.n);
    assert_int_equal(bo_file_open(format, reader, whole, &found, &error), BO_OK);
    bo_file_names(whole, &format_name, &codec_name);
    assert_true(bo_span_equal(format_name, (struct bo_span)BYTES("pcdata")));
    assert_true(bo_span_equal(codec_name, (struct bo_span)BYTES("linear-index")));
    file[0] ^= 1; /* of the magic number */
    bo_file_names(whole, &format_name, &codec_name);
    assert_true(format_name.n == 0 && codec_name.n == 0);
}

/* Sets a byte of the file to a value, and states the error of opening it. */
TEST(test_each_field_damaged)
{
    static const struct {
        unsigned at;
        uint8_t value;
        enum bo_status status;
        uint64_t off;
        const char *what;
    } cases[] = {
        {0, 0x88, BO_CORRUPT, 0, "not a file that `encode` wrote (bad magic number)"},
        {4, '\n', BO_CORRUPT, 0, "not a file that `encode` wrote (bad magic number)"},
        {7, 0, BO_CORRUPT, 0, "not a file that `encode` wrote (bad magic number)"},
        {8, 0, BO_UNSUPPORTED, 8, "unknown version of the file header"},
        {8, 2, BO_UNSUPPORTED, 8, "unknown version of the file header"},
        {9, 5, BO_BAD_USAGE, 32, "file is of another format"},
        {9, 255, BO_CORRUPT, 9, "names exceed the file header"},
        {10, 11, BO_BAD_USAGE, 38, "file was written by another codec"},
        {10, 13, BO_BAD_USAGE, 38, "file was written by another codec"},
        {10, 26, BO_BAD_USAGE, 38, "file was written by another codec"}, /* just fits */
        {10, 27, BO_CORRUPT, 9, "names exceed the file header"},
        {11, 1, BO_CORRUPT, 11, "reserved byte is not 0"},
        {12, 63, BO_CORRUPT, 12, "size of the file header is not a multiple of 64"},
        {12, 0, BO_CORRUPT, 9, "names exceed the file header"},
        {12, 128, BO_TRUNCATED, FILE_NBYTES, "ends inside the file header"},
        {15, 1, BO_TRUNCATED, FILE_NBYTES, "ends inside the file header"},
        {16, 11, BO_CORRUPT, 75, "bytes follow the payload"},
        {16, 0, BO_CORRUPT, 64, "bytes follow the payload"},
        {16, 13, BO_TRUNCATED, FILE_NBYTES, "file is shorter than its payload"},
        {23, 0x80, BO_TRUNCATED, FILE_NBYTES, "file is shorter than its payload"},
        {24, 0, BO_CORRUPT, 64, "payload does not match its checksum"},
        {31, 0, BO_CORRUPT, 64, "payload does not match its checksum"},
        {32, 'q', BO_BAD_USAGE, 32, "file is of another format"},
        {38, 'L', BO_BAD_USAGE, 38, "file was written by another codec"},
        {50, 1, BO_CORRUPT, 50, "file header does not end in zeros"},
        {63, 0x80, BO_CORRUPT, 50, "file header does not end in zeros"},
        {64, 'S', BO_CORRUPT, 64, "payload does not match its checksum"},
        {75, 'D', BO_CORRUPT, 64, "payload does not match its checksum"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        uint8_t file[FILE_NBYTES];
        struct bo_span found;
        struct bo_error error = {0};
        make_file(file);
        assert_int_not_equal(file[cases[i].at], cases[i].value);
        file[cases[i].at] = cases[i].value;
        const enum bo_status status =
            bo_file_open(format, codec, (struct bo_span){file, sizeof file}, &found, &error);
        if (status != cases[i].status || error.status != status || error.off != cases[i].off ||
            strcmp(error.what, cases[i].what) != 0)
            fail_msg("byte %u = %u: %s at %llu: %s", cases[i].at, cases[i].value,
                     bo_status_name(status), (unsigned long long)error.off, error.what);
    }
}

/* Every change of one byte is detected. */
TEST(test_every_byte_counts)
{
    uint8_t file[FILE_NBYTES];
    struct bo_span found;
    struct bo_error error;
    make_file(file);
    for (unsigned at = 0; at < FILE_NBYTES; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            file[at] ^= (uint8_t)(1u << bit);
            if (bo_file_open(format, codec, (struct bo_span){file, sizeof file}, &found, &error) ==
                BO_OK)
                fail_msg("bit %u of byte %u", bit, at);
            file[at] ^= (uint8_t)(1u << bit);
        }
}

TEST(test_every_prefix)
{
    uint8_t file[FILE_NBYTES];
    make_file(file);
    for (size_t n = 0; n < FILE_NBYTES; n++) {
        struct bo_span found, names[2];
        struct bo_error error;
        const struct bo_span cut = {file, n};
        const enum bo_status status = bo_file_open(format, codec, cut, &found, &error);
        assert_int_equal(status, BO_TRUNCATED);
        assert_int_equal(error.off, n);
        bo_file_names(cut, &names[0], &names[1]);
        assert_int_equal(names[0].n, n < NAMES_OFF + 18 ? 0 : 6);
    }
}

TEST(test_wrong_codec_or_format)
{
    uint8_t file[FILE_NBYTES];
    struct bo_span found;
    struct bo_error error;
    struct bo_format another = *format;
    another.name = "pcdatb";
    make_file(file);
    const struct bo_span whole = {file, sizeof file};
    assert_int_equal(bo_file_open(format, other, whole, &found, &error), BO_BAD_USAGE);
    assert_string_equal(error.what, "file was written by another codec");
    assert_int_equal(bo_file_open(&another, codec, whole, &found, &error), BO_BAD_USAGE);
    assert_string_equal(error.what, "file is of another format");
}

TEST(test_registry)
{
    assert_null(bo_find_format("no-such-format"));
    assert_null(bo_find_codec(format, "no-such-codec"));
    assert_null(bo_find_kind(format, "no-such-kind"));
    const struct bo_query_kind *kind = bo_find_kind(format, "scan");
    assert_ptr_equal(kind, &format->kinds[bo_kind_index(format, kind)]);
    assert_null(bo_find_workload(kind, "no-such-workload"));
    assert_ptr_equal(bo_find_workload(kind, kind->workloads[0].name), &kind->workloads[0]);
    assert_ptr_equal(bo_encoding_of(format, reader), codec);
    assert_ptr_equal(bo_encoding_of(format, codec), codec);
}

TEST_FILE(set_up, NULL)
