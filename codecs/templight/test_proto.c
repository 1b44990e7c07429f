/*
 * What the protobuf codecs write, byte by byte, and what others read of it. Why: traces go to
 * programs that know Templight's messages and nothing of this project.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codecs/templight/test_model.h"
#include "harness/check/check.h"
#include "harness/core/files.h"

static const char *const codec_names[] = {"dict", "dict-wiki", "flat", "plain"};

static const struct bo_format *templight(void)
{
    return bo_find_format("templight");
}

/* The encoding, in memory of the arena. */
static struct bo_span encode(const char *codec, const void *model, struct bo_arena *arena)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, arena);
    const struct bo_codec *found = bo_find_codec(templight(), codec);
    if (found->encode(found, model, &out, &error))
        fail_msg("%s: %s", codec, error.what);
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    if (out.n)
        memcpy(p, out.p, out.n);
    const size_t n = out.n;
    bo_writer_free(&out);
    return (struct bo_span){p, n};
}

/* ---- models, made here ----------------------------------------------------------------------- */

static const struct bo_span names[] = {BYTES("A<b>"), BYTES("b")};
static const struct bo_span files[] = {BYTES("f.h"), BYTES("g.h")};
static const struct templight_record records[] = {
    {.kind = 5,
     .name = 0,
     .location = {0, 300, 2},
     .origin = {1, 4, 5},
     .has_time = true,
     .time_bits = UINT64_C(0x3ff0000000000000)},
    {.kind = 23,
     .name = 1,
     .location = {1, 6, 7},
     .origin = {TEMPLIGHT_NONE, 0, 0},
     .has_memory = true,
     .memory = UINT64_C(3) << 30},
    {.is_end = true, .location = {TEMPLIGHT_NONE, 0, 0}, .origin = {TEMPLIGHT_NONE, 0, 0}},
    {.is_end = true,
     .location = {TEMPLIGHT_NONE, 0, 0},
     .origin = {TEMPLIGHT_NONE, 0, 0},
     .has_time = true,
     .time_bits = 1,
     .has_memory = true},
    {.kind = 99, .name = 0, .location = {TEMPLIGHT_NONE, 0, 0}, .origin = {TEMPLIGHT_NONE, 0, 0}},
};
static const struct templight_trace small_trace = {
    .version = 1,
    .source = BYTES("m.cpp"),
    .n_names = N_ELEMENTS(names),
    .n_files = N_ELEMENTS(files),
    .names = names,
    .files = files,
    .n_records = N_ELEMENTS(records),
    .records = records,
};
static const struct templight_model small_model = {1, &small_trace};

/* ---- bytes ----------------------------------------------------------------------------------- */

/* The parts of the small model's encodings that are the same in all. */
#define HEADER "\x0a\x09\x08\x01\x12\x05m.cpp"
#define PLACES_1                                            \
    "\x1a\x0c\x0a\x03"                                      \
    "f.h\x10\0\x18\xac\x02\x20\x02\x21\0\0\0\0\0\0\xf0\x3f" \
    "\x32\x0b\x0a\x03"                                      \
    "g.h\x10\x01\x18\x04\x20\x05"
#define PLACE_2 "\x1a\x06\x10\x01\x18\x06\x20\x07\x28\x80\x80\x80\x80\x0c"
#define ENDS         \
    "\x12\x02\x12\0" \
    "\x12\x0d\x12\x0b\x09\x01\0\0\0\0\0\0\0\x10\0"
#define REF(id) "\x12\x02\x18" id
#define TEXT_REF(nbytes, text_nbytes, text) "\x12" nbytes "\x0a" text_nbytes text

static void expect_bytes(const char *codec, struct bo_span bytes, struct bo_span expected)
{
    for (size_t i = 0; i < bytes.n && i < expected.n; i++)
        if (bytes.p[i] != expected.p[i])
            fail_msg("%s: byte %zu is %02x, not %02x", codec, i, bytes.p[i], expected.p[i]);
    assert_int_equal(bytes.n, expected.n);
}

/* Dictionary entries stand right before the first Begin that needs them. */
TEST(test_bytes)
{
    static const struct bo_span expected[] = {
        BYTES("\x0a\x84\x01" HEADER "\x1a\x03\x0a\x01"
              "A"
              "\x1a\x03\x0a\x01"
              "b"
              "\x1a\x0a\x0a\x04\0<\0>\x10\0\x10\x01"
              "\x12\x2c\x0a\x2a\x08\x05" REF("\x02") PLACES_1 "\x12\x16\x0a\x14\x08\x17" REF("\x01")
                  PLACE_2 ENDS "\x12\x08\x0a\x06\x08\x63" REF("\x02")),
        BYTES("\x0a\x84\x01" HEADER "\x1a\x03\x0a\x01"
              "A"
              "\x1a\x03\x0a\x01"
              "b"
              "\x1a\x0a\x0a\x04\0<\0>\x10\0\x10\x01"
              "\x12\x2c\x0a\x2a\x08\x05" REF("\x02") PLACES_1 "\x12\x16\x0a\x14\x08\x17" REF("\x01")
                  PLACE_2 ENDS "\x12\x08\x0a\x06\x08\x63" REF("\x02")),
        BYTES("\x0a\x7b" HEADER "\x1a\x06\x0a\x04"
              "A<b>"
              "\x12\x2c\x0a\x2a\x08\x05" REF("\0") PLACES_1 "\x1a\x03\x0a\x01"
                                                            "b"
                                                            "\x12\x16\x0a\x14\x08\x17" REF("\x01")
                                                                PLACE_2 ENDS
              "\x12\x08\x0a\x06\x08\x63" REF("\0")),
        BYTES("\x0a\x77" HEADER "\x12\x30\x0a\x2e\x08\x05" TEXT_REF("\x06", "\x04", "A<b>") PLACES_1
              "\x12\x17\x0a\x15\x08\x17" TEXT_REF("\x03", "\x01", "b") PLACE_2 ENDS
              "\x12\x0c\x0a\x0a\x08\x63" TEXT_REF("\x06", "\x04", "A<b>")),
    };
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        expect_bytes(codec_names[c], encode(codec_names[c], &small_model, &arena), expected[c]);
        bo_arena_free(&arena);
    }
}

/* Each byte belongs to what it is for: no time, made up or not, is in the size of names. */
TEST(test_sections)
{
    static const char *const sections[] = {"structure", "header",    "names",
                                           "refs",      "locations", "times"};
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const struct bo_codec *codec = bo_find_codec(templight(), "dict");
    assert_int_equal(codec->encode(codec, &small_model, &out, NULL), BO_OK);
    static const uint64_t expected[] = {29, 11, 22, 12, 35, 26};
    assert_int_equal(out.n_sections, N_ELEMENTS(sections));
    for (unsigned i = 0; i < out.n_sections; i++) {
        assert_string_equal(out.sections[i].name, sections[i]);
        assert_int_equal(bo_writer_section_nbytes(&out, i), expected[i]);
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* An origin of an End's own is left out, with the file that only it uses; nothing else is. */
TEST(test_reduced)
{
    struct templight_record own[N_ELEMENTS(records)];
    memcpy(own, records, sizeof own);
    own[2].has_own_origin = true;
    own[2].origin = (struct templight_location){2, 8, 9};
    static const struct bo_span more_files[] = {BYTES("f.h"), BYTES("g.h"), BYTES("h.h")};
    struct templight_trace trace = small_trace;
    trace.records = own;
    trace.files = more_files;
    trace.n_files = N_ELEMENTS(more_files);
    const struct templight_model model = {1, &trace};
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        struct bo_arena arena;
        void *decoded = NULL;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_span bytes = encode(codec_names[c], &model, &arena);
        const struct bo_codec *codec = bo_find_codec(templight(), codec_names[c]);
        assert_int_equal(codec->decode(codec, bytes, &arena, &decoded, NULL), BO_OK);
        assert_null(templight()->differ(decoded, &small_model));
        bo_arena_free(&arena);
    }
}

/*
 * Names that have confused readers or writers, each in a trace of its own, and deep and long ones.
 */
static void expect_name_kept(struct bo_span name)
{
    const struct templight_record record = {.location = {TEMPLIGHT_NONE, 0, 0},
                                            .origin = {TEMPLIGHT_NONE, 0, 0}};
    const struct templight_trace trace = {
        .version = 1, .n_names = 1, .names = &name, .n_records = 1, .records = &record};
    const struct templight_model model = {1, &trace};
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        struct bo_arena arena;
        void *decoded = NULL;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_span bytes = encode(codec_names[c], &model, &arena);
        struct bo_error error = {0};
        const struct bo_codec *codec = bo_find_codec(templight(), codec_names[c]);
        if (codec->decode(codec, bytes, &arena, &decoded, &error))
            fail_msg("%s: %s", codec_names[c], error.what);
        assert_null(templight()->differ(decoded, &model));
        bo_arena_free(&arena);
    }
}

TEST(test_names)
{
    static const char *const odd[] = {
        "",
        "<",
        ">",
        "::",
        ",",
        " ",
        "a<b",
        "a>b<c",
        "A<>",
        "A< >",
        "\xff\xfe\xc3",
        "operator<",
        "operator<<<char, int>",
        "C<&S::operator->>",
        "A<,,,>",
        "C<'<'>",
    };
    for (size_t i = 0; i < N_ELEMENTS(odd); i++)
        expect_name_kept(bo_span_of(odd[i]));
    enum { N = 100000, N_SPLIT = 20000, N_COMMAS = 50000 };
    static uint8_t deep[3 * N];
    memset(deep, '<', N);
    expect_name_kept((struct bo_span){deep, N});
    expect_name_kept((struct bo_span){deep, N_SPLIT});
    memset(deep, ':', N);
    expect_name_kept((struct bo_span){deep, N});
    expect_name_kept((struct bo_span){deep, N_SPLIT});
    memset(deep, ',', N_COMMAS);
    memcpy(deep, "A<", 2);
    deep[N_COMMAS + 2] = '>';
    expect_name_kept((struct bo_span){deep, N_COMMAS + 3});
    for (size_t n = N_SPLIT; n <= N; n += N - N_SPLIT) {
        for (size_t i = 0; i < n; i++) {
            memcpy(deep + 2 * i, "A<", 2);
            deep[2 * n + i] = '>';
        }
        expect_name_kept((struct bo_span){deep, 3 * n}); /* of 20 000 levels split, of more whole */
        expect_name_kept((struct bo_span){deep, 2 * n});
        expect_name_kept((struct bo_span){deep + 2 * n, n});
    }
}

/* A text with a NUL is rejected with its offset, in every field, where a NUL ends texts. */
TEST(test_nul)
{
    static const struct bo_span good = BYTES("a"), bad = BYTES("std\0x");
    static const struct templight_record record = {.location = {0, 1, 1},
                                                   .origin = {TEMPLIGHT_NONE, 0, 0}};
    static const char *const ending_texts[] = {"dict", "dict-wiki", "flat", "plain", "predicted"};
    for (size_t c = 0; c < N_ELEMENTS(ending_texts); c++)
        for (unsigned where = 0; where < 3; where++) {
            const struct templight_trace trace = {
                .version = 1,
                .source = where == 0 ? bad : good,
                .n_names = 1,
                .names = where == 1 ? &bad : &good,
                .n_files = 1,
                .files = where == 2 ? &bad : &good,
                .n_records = 1,
                .records = &record,
            };
            const struct templight_model model = {1, &trace};
            struct bo_arena arena;
            struct bo_writer out;
            struct bo_error error = {0};
            bo_arena_init(&arena, BO_ARENA_UNLIMITED);
            bo_writer_init(&out, &arena);
            const struct bo_codec *codec = bo_find_codec(templight(), ending_texts[c]);
            assert_int_equal(codec->encode(codec, &model, &out, &error), BO_UNSUPPORTED);
            assert_int_equal(error.off, 3);
            assert_string_equal(error.what, "text holds a NUL");
            bo_writer_free(&out);
            bo_arena_free(&arena);
        }
}

/* ---- protoc ---------------------------------------------------------------------------------- */

static const char schema_folder[] = "codecs/templight";

static bool has_protoc(void)
{
    return system("command -v protoc >/dev/null 2>&1") == 0;
}

/* Runs protoc with input and output in files; the output. */
static struct bo_span run_protoc(const char *action, struct bo_span in, struct bo_arena *arena)
{
    char folder[64], path[sizeof folder + 8], command[8 * sizeof folder];
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/in", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(in.p, 1, in.n, file), in.n);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "protoc --proto_path=%s --%s=TemplightTraceCollection templight.proto <%s/in "
             ">%s/out 2>%s/err && ! test -s %s/err",
             schema_folder, action, folder, folder, folder, folder);
    if (system(command) != 0)
        fail_msg("%s: see %s", command, folder);
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long n = ftell(file);
    rewind(file);
    uint8_t *p = bo_alloc(arena, (size_t)n + 1);
    assert_non_null(p);
    assert_int_equal(fread(p, 1, (size_t)n, file), n);
    p[n] = '\0';
    fclose(file);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return (struct bo_span){p, (size_t)n};
}

static size_t count(struct bo_span text, const char *what)
{
    size_t n = 0;
    for (const char *at = (const char *)text.p; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

/* protoc prints what is in the small model. */
TEST(test_protoc_reads)
{
    if (!has_protoc()) {
        print_message("note: not run: protoc is not installed\n");
        skip();
    }
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_span text =
            run_protoc("decode", encode(codec_names[c], &small_model, &arena), &arena);
        assert_int_equal(count(text, "begin {"), 3);
        assert_int_equal(count(text, "end {"), 2);
        assert_int_equal(count(text, "kind: Memoization"), 1);
        assert_int_equal(count(text, "file_name: \"f.h\""), 1);
        assert_int_equal(count(text, "line: 300"), 1);
        assert_int_equal(count(text, "time_stamp: 1\n"), 1);
        assert_int_equal(count(text, "memory_usage: 3221225472"), 1);
        assert_int_equal(count(text, "source_file: \"m.cpp\""), 1);
        assert_int_equal(count(text, "dict_id: "), c < 3 ? 3 : 0);
        assert_int_equal(count(text, "marked_name: "), c < 2 ? 3 : c == 2 ? 2 : 0);
        bo_arena_free(&arena);
    }
}

/*
 * And what is in generated ones. Written again by protoc, plain is the same to the byte: its fields
 * are in the order of their numbers, when no kind is unknown.
 */
TEST(test_protoc_round_trip)
{
    if (!has_protoc()) {
        print_message("note: not run: protoc is not installed\n");
        skip();
    }
    for (uint64_t seed = 0; seed < 6; seed++)
        for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
            struct bo_arena arena;
            size_t n_begins = 0;
            bo_arena_init(&arena, BO_ARENA_UNLIMITED);
            const struct templight_model *model = generate_model(seed, 40, &arena);
            for (size_t t = 0; t < model->n_traces; t++)
                for (size_t r = 0; r < model->traces[t].n_records; r++)
                    n_begins += !model->traces[t].records[r].is_end;
            const struct bo_span bytes = encode(codec_names[c], model, &arena);
            const struct bo_span text = run_protoc("decode", bytes, &arena);
            assert_int_equal(count(text, "begin {"), n_begins);
            const bool all_known = count(text, "kind: ") == n_begins;
            if (all_known && strcmp(codec_names[c], "plain") == 0)
                expect_bytes("plain, by protoc", run_protoc("encode", text, &arena), bytes);
            bo_arena_free(&arena);
        }
}

TEST_FILE(NULL, NULL)
