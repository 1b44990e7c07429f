/*
 * Version 4 as it is meant: the bytes of a small profile, files of later writers, reading one part
 * of a file, and what the encoding cannot hold.
 */
#include "codecs/autofdo/v4/test_v4.h"

/* ---- helpers --------------------------------------------------------------------------------- */

/* All readers take the file, agree with the oracle, and find this text in it. */
static void expect_text(const char *name, struct bo_span in, const char *text)
{
    const struct bo_codec *codec = codec_of(name);
    const struct bo_effort effort = bo_effort_default();
    struct bo_finding finding = {0};
    struct bo_error error = {.what = "-"};
    struct bo_arena arena;
    void *model;
    bool accepted = false;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (codec->decode(codec, in, &arena, &model, &error))
        fail_msg("%s at byte %llu", error.what, (unsigned long long)error.off);
    const struct bo_span expected = print_text(parse_text(text, &arena), &arena);
    assert_string_equal((const char *)print_text(model, &arena).p, (const char *)expected.p);
    if (!bo_check_bytes(bo_find_format("autofdo"), codec, in, &effort, &accepted, &finding))
        fail_msg("%s: %s", finding.class, finding.detail);
    assert_true(accepted);
    bo_arena_free(&arena);
}

/* The model's encoding, in the arena; fails with the encoder's status otherwise. */
static enum bo_status encode(const char *name, const void *model, struct bo_arena *arena,
                             struct bo_span *bytes_ret, struct bo_error *err)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    const struct bo_codec *codec = codec_of(name);
    const enum bo_status status = codec->encode(codec, model, &out, err);
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    if (out.n)
        memcpy(p, out.p, out.n);
    *bytes_ret = (struct bo_span){p, out.n};
    bo_writer_free(&out);
    return status;
}

/* ---- the bytes ------------------------------------------------------------------------------- */

TEST(test_bytes)
{
    static struct test_file file;
    for (int compact = 0; compact < 2; compact++) {
        const char *name = compact ? "v4-compact" : "v4";
        struct bo_arena arena;
        struct bo_span encoded;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assemble(&file, compact, compact ? compact_parts : normal_parts, N_PARTS, SUMMARY, FILES,
                 NULL);
        assert_int_equal(encode(name, parse_text(TEST_V4_TEXT, &arena), &arena, &encoded, NULL),
                         BO_OK);
        assert_int_equal(encoded.n, file.n);
        assert_memory_equal(encoded.p, file.p, file.n);
        expect_text(name, file_span(&file), TEST_V4_TEXT);
        bo_arena_free(&arena);
    }
}

/* Two files; what no unit implies: an empty path, a callee's file. */
#define FILES_TEXT                                                                            \
    "#@ file a\tone.c\n#@ file b\ttwo.c\n#@ file c\t\n#@ file in\tin.h\n#@ file out\ttwo.c\n" \
    "#@ file zed\tzed.h\n"                                                                    \
    "a:3:1\n 1: 1 target:1\n 2: in:2\n  1: 2\n"                                               \
    "b:5:2\n 1: 2 target:2\n 2: out:3\n  1: 3\n  2: in:0\n   5: 0\n 3: zed:0\n  1: 0\n"       \
    "c:0:0\n"                                                                                 \
    "d:0:0\n 1: a:0\n"

/* A file that units do not imply is stored at the first place of its name. */
TEST(test_callee_files)
{
    static const struct bo_span expected = BYTES(
        "\x06" U4("\x02") "\0\x04"
                          "in.h"
                          "\0\x05"
                          "zed.h" U4("\x04") U4("\0") U4("\x01") U4("\0") /* c, a function: "" */
        U4("\x01") U4("\x01") U4("\x03")   /* in: of one.c's strings; in.h */
        U4("\x02") U4("\x02") U4("\x02")   /* out: two.c, which has functions, too */
        U4("\x02") U4("\x04") U4("\x04")); /* zed: zed.h */
    struct bo_arena arena;
    struct bo_span in;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(encode("v4", parse_text(FILES_TEXT, &arena), &arena, &in, NULL), BO_OK);
    assert_true(in.n > expected.n);
    assert_memory_equal(in.p + in.n - expected.n, expected.p, expected.n);
    bo_arena_free(&arena);
}

TEST(test_files_survive)
{
    static const char *const names[] = {"v4", "v4-compact", "v4-one-table", "v4-compact-one-table",
                                        "v4-text"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        struct bo_arena arena;
        struct bo_span encoded;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal(encode(names[i], parse_text(FILES_TEXT, &arena), &arena, &encoded, NULL),
                         BO_OK);
        expect_text(names[i], encoded, FILES_TEXT);
        bo_arena_free(&arena);
    }
}

/* ---- orders that nobody promised ------------------------------------------------------------- */

TEST(test_summary_at_the_end)
{
    static struct test_file file;
    const struct bo_span files = BYTES("\x03" U4("\x01") UNIT("a.c", "\x01", "\x03", "\x02"));
    const struct bo_span parts[] = {files,
                                    normal_parts[STRINGS],
                                    normal_parts[INFO],
                                    normal_parts[SYMBOLS],
                                    normal_parts[CALLEES],
                                    normal_parts[SUMMARY]};
    assemble(&file, false, parts, N_ELEMENTS(parts), 5, 0, NULL);
    expect_text("v4", file_span(&file), TEST_V4_TEXT);
}

TEST(test_symbols_before_info)
{
    static struct test_file file;
    const struct bo_span files = BYTES("\x03" U4("\x01") UNIT("a.c", "\x01", "\0", "\x04"));
    const struct bo_span parts[] = {normal_parts[SYMBOLS], normal_parts[STRINGS],
                                    normal_parts[SUMMARY], files,
                                    normal_parts[INFO],    normal_parts[CALLEES]};
    assemble(&file, false, parts, N_ELEMENTS(parts), 2, 3, NULL);
    expect_text("v4", file_span(&file), TEST_V4_TEXT);
}

/* ---- files from the future ------------------------------------------------------------------- */

/* Unknown records before, between, after and inside what is known; unknown sections all around. */
TEST(test_future)
{
    static struct test_file file;
    const struct bo_span files = BYTES("\x03" U4("\x01") UNIT("a.c", "\x05", "\x08", "\x07"));
    /* clang-format off */
    const struct bo_span info = BYTES(
        "\x05" U8("\x02") U8("\x07") U4("\x05")
        "\x40" U4("\0")                                 /* type 2, no bytes */
        "\x0a" U4("\x01") "\x01\x2c" U4("\x01") "\x01" U4("\x01") "\x05"
        "\xff" U4("\x05") "new\0\xff"                   /* type 7, all flags */
        "\x30" U4("\x02") U4("\x03") U4("\x02") U4("\x03")
            "\x60" U4("\x01") "\x20"                    /* type 3 inside the callee */
            "\0" U4("\0")
            "\xa8" U4("\x02") "\xff\xff"                /* type 5 */
        "\x80" U4("\x0a") "0123456789");               /* type 4 */
    /* clang-format on */
    const struct bo_span unknown_0 = BYTES("\0"), unknown_7 = BYTES("\x07 of tomorrow"),
                         unknown_127 = BYTES("\xff\xff\xff\xff\xff");
    const struct bo_span parts[] = {unknown_7,
                                    normal_parts[SUMMARY],
                                    unknown_0,
                                    files,
                                    unknown_127,
                                    normal_parts[STRINGS],
                                    unknown_0,
                                    info,
                                    normal_parts[SYMBOLS],
                                    unknown_127,
                                    normal_parts[CALLEES],
                                    unknown_7};
    assemble(&file, false, parts, N_ELEMENTS(parts), 1, 3, NULL);
    expect_text("v4", file_span(&file), TEST_V4_TEXT);
}

TEST(test_future_compact)
{
    static struct test_file file;
    const struct bo_span info = BYTES("\x85\x02\x07\x04"
                                      "\x40\0"
                                      "\x09\x01\xac\x02\x01\x01\x05"
                                      "\xff\x03new"
                                      "\x30\x02\x03\x02\x02\0\0\x60\0");
    const struct bo_span unknown = BYTES("\x7f?");
    const struct bo_span parts[] = {compact_parts[SUMMARY], compact_parts[FILES],
                                    compact_parts[STRINGS], info,
                                    compact_parts[SYMBOLS], unknown,
                                    compact_parts[CALLEES], unknown};
    assemble(&file, true, parts, N_ELEMENTS(parts), SUMMARY, FILES, NULL);
    expect_text("v4-compact", file_span(&file), TEST_V4_TEXT);
}

/* ---- reading a part -------------------------------------------------------------------------- */

static struct autofdo_digest answer_tu(const struct bo_codec *codec, struct bo_span in,
                                       const char *path, enum bo_status *status_ret)
{
    struct autofdo_digest digest = {0};
    const struct autofdo_path_query q = {bo_span_of(path)};
    struct bo_arena arena;
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(codec->open(codec, in, &arena, &reader, NULL), BO_OK);
    *status_ret = codec->query(codec, reader, AUTOFDO_TU, &q, 1, &digest, NULL);
    bo_arena_free(&arena);
    return digest;
}

/*
 * A file's three sections, [start, end) of the encoding, are damaged byte by byte: the other file's
 * functions do not change, and this one's do or are refused.
 */
TEST(test_unit_alone)
{
    static const char *const names[] = {"v4", "v4-compact"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        const struct bo_codec *codec = codec_of(names[i]);
        struct bo_arena arena;
        struct bo_span in;
        enum bo_status status;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal(encode(names[i], parse_text(FILES_TEXT, &arena), &arena, &in, NULL),
                         BO_OK);
        /* units are "", one.c, two.c: the table's entries 3, 4, 5 are those of one.c */
        const uint8_t *first = in.p + 48 + 16 * 3;
        const size_t start = (size_t)bo_be64(first);
        const size_t end = (size_t)(bo_be64(first + 32) + bo_be64(first + 40));
        uint8_t *damaged = bo_alloc(&arena, in.n);
        assert_non_null(damaged);
        const struct autofdo_digest one = answer_tu(codec, in, "one.c", &status);
        const struct autofdo_digest two = answer_tu(codec, in, "two.c", &status);
        assert_int_equal(one.n_functions, 1);
        assert_int_equal(two.n_instances, 4);
        for (size_t off = start; off < end; off++) {
            memcpy(damaged, in.p, in.n);
            damaged[off] ^= 0xff;
            const struct bo_span bad = {damaged, in.n};
            const struct autofdo_digest same = answer_tu(codec, bad, "two.c", &status);
            assert_int_equal(status, BO_OK);
            assert_memory_equal(&same, &two, sizeof two);
            const struct autofdo_digest other = answer_tu(codec, bad, "one.c", &status);
            if (!status && memcmp(&other, &one, sizeof one) == 0)
                fail_msg("%s: byte %zu means nothing", names[i], off);
        }
        bo_arena_free(&arena);
    }
}

/* Whatever lies after the file names, the summary is read. */
TEST(test_summary_alone)
{
    static struct test_file file;
    size_t starts[N_PARTS];
    struct autofdo_summary summary;
    struct bo_arena arena;
    void *reader;
    assemble(&file, false, normal_parts, N_PARTS, SUMMARY, FILES, starts);
    memset(file.p + starts[STRINGS], 0xff, file.n - starts[STRINGS]);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *codec = codec_of("v4");
    assert_int_equal(codec->open(codec, file_span(&file), &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec->query(codec, reader, AUTOFDO_SUMMARY, NULL, 1, &summary, NULL), BO_OK);
    assert_int_equal(summary.total_count, 300);
    assert_int_equal(summary.entries[15].n_counts, 1);
    bo_arena_free(&arena);
}

/* Repeated queries do not increase a reader's memory. */
TEST(test_scratch_is_given_back)
{
    static const char *const names[] = {"v4", "v4-indexed", "v4-one-table"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        const struct bo_codec *codec = codec_of(names[i]);
        struct bo_arena arena, reading;
        struct bo_span in;
        void *reader;
        uint8_t room[1024];
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_arena_init(&reading, BO_ARENA_UNLIMITED);
        assert_int_equal(encode(names[i], parse_text(FILES_TEXT, &arena), &arena, &in, NULL),
                         BO_OK);
        assert_int_equal(codec->open(codec, in, &reading, &reader, NULL), BO_OK);
        const size_t before = reading.region_nbytes;
        struct bo_sink sink = {.p = room, .cap = sizeof room};
        struct autofdo_digest digest;
        const struct autofdo_name_query q = {bo_span_of("b")};
        assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &q, 1, &sink, NULL), BO_OK);
        assert_int_equal(codec->query(codec, reader, AUTOFDO_SCAN, NULL, 1, &digest, NULL), BO_OK);
        assert_int_equal(reading.region_nbytes, before);
        bo_arena_free(&reading);
        bo_arena_free(&arena);
    }
}

/* ---- what the encoding holds and what it does not -------------------------------------------- */

/* n functions without counts: "a" and one byte more, from 0x21 on, DEL left out. */
static struct autofdo_model *make_siblings(struct bo_arena *arena, unsigned n)
{
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    struct autofdo_function *functions = bo_zalloc_array(arena, n, sizeof *functions);
    assert_true(model && functions);
    for (unsigned i = 0; i < n; i++) {
        uint8_t *name = bo_alloc(arena, 2);
        assert_non_null(name);
        name[0] = 'a';
        name[1] = (uint8_t)(0x21 + i + (0x21 + i >= 0x7f));
        functions[i].body.name = (struct bo_span){name, 2};
    }
    *model = (struct autofdo_model){.n_functions = n, .functions = functions};
    return model;
}

/* One function of n times "n". */
static struct autofdo_model *make_long_name(struct bo_arena *arena, size_t n)
{
    struct autofdo_model *model = make_siblings(arena, 1);
    uint8_t *name = bo_alloc(arena, n);
    assert_non_null(name);
    memset(name, 'n', n);
    ((struct autofdo_function *)model->functions)[0].body.name = (struct bo_span){name, n};
    return model;
}

static void expect_encode(const void *model, struct bo_arena *arena, const char *what)
{
    static const char *const names[] = {"v4", "v4-compact", "v4-one-table", "v4-compact-one-table"};
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        struct bo_error error = {.what = NULL};
        struct bo_span encoded;
        void *decoded;
        const enum bo_status status = encode(names[i], model, arena, &encoded, &error);
        assert_int_equal(status, what ? BO_UNSUPPORTED : BO_OK);
        if (what) {
            assert_string_equal(error.what, what);
            continue;
        }
        const struct bo_codec *codec = codec_of(names[i]);
        assert_int_equal(codec->decode(codec, encoded, arena, &decoded, &error), BO_OK);
        assert_null(bo_find_format("autofdo")->differ(model, decoded));
    }
}

TEST(test_limits)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_encode(make_siblings(&arena, 127), &arena, NULL);
    expect_encode(make_siblings(&arena, 128), &arena,
                  "a trie node of version 4 has at most 127 children");
    expect_encode(make_long_name(&arena, 65535), &arena, NULL);
    expect_encode(make_long_name(&arena, 65536), &arena,
                  "a label of version 4 has at most 65535 bytes");
    struct autofdo_model *model = make_siblings(&arena, 1);
    const struct bo_span path = make_long_name(&arena, 65536)->functions[0].body.name;
    struct autofdo_file file = {model->functions[0].body.name, {path.p, 65535}};
    model->files = &file;
    model->n_files = 1;
    expect_encode(model, &arena, NULL);
    file.path.n = 65536;
    expect_encode(model, &arena, "a path of version 4 has at most 65535 bytes");
    /* the path of a name that has no function */
    model = parse_text("a:1:1\n 1: b:1\n  1: 1\n", &arena);
    struct autofdo_file files[] = {{bo_span_of("a"), bo_span_of("a.c")},
                                   {bo_span_of("b"), {path.p, 65535}}};
    model->files = files;
    model->n_files = 2;
    expect_encode(model, &arena, NULL);
    files[1].path.n = 65536;
    expect_encode(model, &arena, "a path of version 4 has at most 65535 bytes");
    bo_arena_free(&arena);
}

/* Names that share so much that their trie is far smaller than they are. */
TEST(test_limit_of_spelling)
{
    enum { N = 1500 };
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct autofdo_model *model = bo_zalloc_array(&arena, 1, sizeof *model);
    struct autofdo_function *functions = bo_zalloc_array(&arena, N, sizeof *functions);
    const struct bo_span longest = make_long_name(&arena, N)->functions[0].body.name;
    assert_true(model && functions);
    for (size_t i = 0; i < N; i++)
        functions[i].body.name = (struct bo_span){longest.p, i + 1};
    *model = (struct autofdo_model){.n_functions = 300, .functions = functions};
    expect_encode(model, &arena, NULL);
    model->n_functions = N;
    expect_encode(model, &arena, "names of a string table are too long for their trie");
    bo_arena_free(&arena);
}

TEST(test_high_counts)
{
    static const char text[] = "#@ timestamp 18446744073709551615\n"
                               "a:18446744073709551615:18446744073709551615\n"
                               " 0: 18446744073709551615 t:18446744073709551615\n"
                               " 1: 9223372036854775808\n"
                               " 1.4294967295: 4294967296\n"
                               " 2: 4294967295\n"
                               " 3: 65536\n"
                               " 4: 65535\n"
                               " 5: 256\n"
                               " 6: 255\n"
                               " 65535: 0\n";
    struct bo_arena arena;
    struct bo_span in;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct autofdo_model *model = parse_text(text, &arena);
    expect_encode(model, &arena, NULL);
    assert_int_equal(encode("v4", model, &arena, &in, NULL), BO_OK);
    expect_text("v4", in, text);
    bo_arena_free(&arena);
}

/* One table is one section, however many files there are. */
TEST(test_one_table)
{
    struct bo_arena arena;
    struct bo_span in;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct autofdo_model *model = parse_text(FILES_TEXT, &arena);
    assert_int_equal(encode("v4", model, &arena, &in, NULL), BO_OK);
    assert_int_equal(in.p[15], 3 * 3 + 1);
    assert_int_equal(encode("v4-one-table", model, &arena, &in, NULL), BO_OK);
    assert_int_equal(in.p[15], 1 + 3 * 2 + 1);
    expect_text("v4", in, FILES_TEXT); /* its layout is v4's */
    expect_text("v4-indexed", in, FILES_TEXT);
    bo_arena_free(&arena);
}

/* With one table, each unit of an entry of the callee files leads to the same name. */
TEST(test_units_of_one_table)
{
    enum { N_UNITS = 3, ENTRY_NBYTES = 12 };
    struct bo_arena arena;
    struct bo_span in;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct autofdo_model *model = parse_text(FILES_TEXT, &arena);
    assert_int_equal(encode("v4-one-table", model, &arena, &in, NULL), BO_OK);
    uint8_t *bytes = bo_alloc(&arena, in.n);
    assert_non_null(bytes);
    memcpy(bytes, in.p, in.n);
    for (uint8_t unit = 0; unit < N_UNITS; unit++) {
        bytes[in.n - ENTRY_NBYTES + 3] = unit;
        expect_text("v4-one-table", (struct bo_span){bytes, in.n}, FILES_TEXT);
    }
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
