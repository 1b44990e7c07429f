/*
 * The importers of AutoFDO profiles: which files they recognise, and GCC's files in every layout,
 * in any order, damaged and truncated. Why: codecs are compared with them, and GCC itself reads
 * damaged files silently. test_real_autofdo.sh tests the files of LLVM's program, and real files.
 */
#define TEST_FORMAT "autofdo"

#include <stdlib.h>

#include "codecs/autofdo/autofdo.h"
#include "codecs/autofdo/gcov/test_gcov.h"
#include "corpora/import/test_import.h"
#include "corpora/import/test_seeds.h"

/* ---- recognising files ----------------------------------------------------------------------- */

TEST(test_sniffing)
{
    assert_taken_by("gcov", "adcg\2\0\0\0\0\0\0\0", 12);
    assert_taken_by("gcov", "adcg", 4);
    assert_taken_by("text", "adc", 3);
    assert_taken_by("text", "main:1:1\n", 9);
    assert_taken_by("text", "", 0);
    /* "SPROF42" with ff (raw), 2 (compact) and 4 (extensible) after it, as varints */
    assert_taken_by("profdata", "\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8\x53", 9);
    assert_taken_by("profdata", "\x82\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53", 9);
    assert_taken_by("profdata", "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53 and more", 18);
    assert_taken_by(NULL, "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x54\0", 10);
    assert_taken_by(NULL,
                    "\x7f"
                    "ELF\0",
                    5);
}

/* ---- profiles in GCC's layouts --------------------------------------------------------------- */

enum { V407 = 0x3430372a, N_WORKING_SET_BYTES = 128 * 12 };

/* A file under construction. */
struct image {
    struct bo_arena arena;
    struct bo_writer out;
    bool padded, extended;
};

static void put(struct image *image, uint32_t v)
{
    bo_put_le32(&image->out, v);
}

static void put_wide(struct image *image, uint64_t v)
{
    bo_put_le64(&image->out, v);
}

static void put_string(struct image *image, const char *s)
{
    const size_t n = strlen(s), padded = (n / 4 + 1) * 4;
    put(image, (uint32_t)(image->padded ? padded / 4 : n + 1));
    bo_put_bytes(&image->out, s, n);
    bo_put_zeros(&image->out, (image->padded ? padded : n + 1) - n);
}

static void put_section(struct image *image, uint32_t tag)
{
    put(image, tag);
    put(image, 0xdeadbeef); /* section lengths are wrong in real files */
}

/* The header and the names "", "main", "_Zfn", "callee", "main" again, in files "", "a.c". */
static void put_start(struct image *image, uint32_t version)
{
    static const char *const names[] = {"", "main", "_Zfn", "callee", "main"};
    static const uint32_t files[] = {UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, 1};
    image->extended = version == 3;
    image->padded = version == 1 || version == V407;
    bo_arena_init(&image->arena, 1 << 24);
    bo_writer_init(&image->out, &image->arena);
    put(image, 0x67636461);
    put(image, version);
    put(image, 0);
    if (image->extended) {
        put(image, 0xa8000000);
        bo_put_zeros(&image->out, 5 * 8);
        put_wide(image, 1);
        bo_put_zeros(&image->out, 20);
    }
    put_section(image, 0xaa000000);
    if (image->extended) {
        put(image, 2);
        put_string(image, "");
        put_string(image, "a.c");
    }
    put(image, N_ELEMENTS(names));
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        put_string(image, names[i]);
        if (image->extended)
            put(image, files[i]);
    }
    put_section(image, 0xac000000);
}

static void put_end(struct image *image)
{
    put_section(image, 0xae000000);
    put(image, 0);
    put_section(image, 0xaf000000);
    bo_put_zeros(&image->out, N_WORKING_SET_BYTES);
}

static void put_function(struct image *image, uint64_t head, uint64_t timestamp)
{
    put_wide(image, head);
    if (image->extended)
        put_wide(image, timestamp);
}

static void put_instance(struct image *image, uint32_t name, uint32_t n_records,
                         uint32_t n_callsites)
{
    put(image, name);
    put(image, n_records);
    put(image, n_callsites);
}

static void put_record(struct image *image, uint32_t place, uint32_t n_targets, uint64_t count)
{
    put(image, place);
    put(image, n_targets);
    put_wide(image, count);
}

static void put_target(struct image *image, uint64_t name, uint64_t count)
{
    put(image, 7);
    put_wide(image, name);
    put_wide(image, count);
}

/*
 * `main`, twice, and `_Zfn`, everything in reverse order. In `main`, two records and two callsites
 * of one place each add up.
 */
static void put_profile(struct image *image, uint32_t version)
{
    put_start(image, version);
    put(image, 3);
    put_function(image, 5, 70);
    put_instance(image, 4, 3, 2);
    put_record(image, 9 << 16 | 3, 0, 11);
    put_record(image, 9 << 16, 2, 12);
    put_target(image, 2, 4);
    put_target(image, 3, 1);
    put_record(image, 1 << 16 | 1, 0, 0);
    put(image, 2 << 16); /* callee, and in it _Zfn */
    put_instance(image, 3, 1, 1);
    put_record(image, 0, 0, 100);
    put(image, 0);
    put_instance(image, 2, 0, 0);
    put(image, 2 << 16);
    put_instance(image, 3, 1, 0);
    put_record(image, 0, 0, 1);
    put_function(image, 2, 60);
    put_instance(image, 1, 1, 0);
    put_record(image, 9 << 16, 1, 8);
    put_target(image, 2, 10);
    put_function(image, 0, 0);
    put_instance(image, 2, 1, 0);
    put_record(image, UINT32_MAX, 0, INT64_MAX);
    put_end(image);
}

static void release(struct image *image)
{
    bo_writer_free(&image->out);
    bo_arena_free(&image->arena);
}

static enum bo_status import_bytes(struct bo_span bytes, struct bo_arena *arena,
                                   const struct autofdo_model **model_ret, struct bo_error *err)
{
    struct bo_guarded guarded;
    void *model = NULL;
    assert_true(bo_guarded_copy(bytes, &guarded));
    const enum bo_status status =
        test_import(importer_called("gcov"), guarded.span, NULL, arena, &model, err);
    bo_guarded_free(&guarded); /* the model must not point into it */
    *model_ret = model;
    return status;
}

static void assert_name(struct bo_span name, const char *s)
{
    assert_true(name.n == strlen(s) && memcmp(name.p, s, name.n) == 0);
}

static void assert_record(const struct autofdo_record *record, uint32_t line,
                          uint32_t discriminator, uint64_t count, size_t n_targets)
{
    assert_int_equal(record->line, line);
    assert_int_equal(record->discriminator, discriminator);
    assert_int_equal(record->count, count);
    assert_int_equal(record->n_targets, n_targets);
}

static void assert_main(const struct autofdo_function *function)
{
    const struct autofdo_instance *body = &function->body;
    assert_name(body->name, "main");
    assert_int_equal(function->head, 7);
    assert_int_equal(body->n_records, 3);
    assert_record(&body->records[0], 1, 1, 0, 0);
    assert_record(&body->records[1], 9, 0, 20, 2);
    assert_name(body->records[1].targets[0].name, "_Zfn");
    assert_int_equal(body->records[1].targets[0].count, 14);
    assert_name(body->records[1].targets[1].name, "callee");
    assert_int_equal(body->records[1].targets[1].count, 1);
    assert_record(&body->records[2], 9, 3, 11, 0);
    assert_int_equal(body->n_callsites, 1);
    assert_int_equal(body->callsites[0].line, 2);
    const struct autofdo_instance *callee = &body->callsites[0].callee;
    assert_name(callee->name, "callee");
    assert_int_equal(callee->n_records, 1);
    assert_record(&callee->records[0], 0, 0, 101, 0);
    assert_int_equal(callee->n_callsites, 1);
    assert_name(callee->callsites[0].callee.name, "_Zfn");
}

static void assert_profile(const struct autofdo_model *model, bool extended)
{
    assert_int_equal(model->n_functions, 2);
    assert_name(model->functions[0].body.name, "_Zfn");
    assert_record(&model->functions[0].body.records[0], 65535, 65535, INT64_MAX, 0);
    assert_main(&model->functions[1]);
    assert_int_equal(model->functions[1].timestamp, extended ? 60 : 0);
    assert_int_equal(model->n_files, extended ? 2 : 0);
    if (extended) {
        assert_name(model->files[0].name, "_Zfn");
        assert_int_equal(model->files[0].path.n, 0);
        assert_name(model->files[1].name, "main");
        assert_name(model->files[1].path, "a.c");
    }
}

static const uint32_t versions[] = {V407, 1, 2, 3};

TEST(test_layouts)
{
    for (size_t v = 0; v < N_ELEMENTS(versions); v++) {
        struct image image;
        struct bo_arena arena;
        const struct autofdo_model *model;
        bo_arena_init(&arena, 1 << 20);
        put_profile(&image, versions[v]);
        assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, NULL), BO_OK);
        assert_profile(model, image.extended);
        bo_arena_free(&arena);
        release(&image);
    }
}

/* The layout of version 3 under the version word that its writer uses by default. */
TEST(test_new_layout_under_old_version)
{
    struct image image;
    struct bo_arena arena;
    const struct autofdo_model *model;
    bo_arena_init(&arena, 1 << 20);
    put_profile(&image, 3);
    bo_set_le32(image.out.p + 4, V407);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, NULL), BO_OK);
    assert_profile(model, true);
    bo_arena_free(&arena);
    release(&image);
}

TEST(test_short_working_set)
{
    struct image image;
    struct bo_arena arena;
    const struct autofdo_model *model;
    bo_arena_init(&arena, 1 << 20);
    put_profile(&image, 2);
    bo_writer_truncate(&image.out, image.out.n - N_WORKING_SET_BYTES - 4);
    put(&image, 4);
    put(&image, 0);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, NULL), BO_OK);
    assert_profile(model, false);
    bo_arena_free(&arena);
    release(&image);
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST(test_cut_anywhere)
{
    for (size_t v = 0; v < N_ELEMENTS(versions); v++) {
        struct image image;
        put_profile(&image, versions[v]);
        for (size_t n = 0; n < image.out.n; n++) {
            struct bo_arena arena;
            struct bo_error err = {0};
            const struct autofdo_model *model;
            bo_arena_init(&arena, 1 << 20);
            const enum bo_status status =
                import_bytes((struct bo_span){image.out.p, n}, &arena, &model, &err);
            assert_int_equal(status, BO_TRUNCATED);
            assert_in_range(err.off, 0, n);
            assert_non_null(err.what);
            bo_arena_free(&arena);
        }
        release(&image);
    }
}

/* Every byte, changed in two ways, must give a model or a named error, within bounded memory. */
TEST(test_changed_bytes)
{
    static const uint8_t changes[] = {0xff, 0x01};
    for (size_t v = 0; v < N_ELEMENTS(versions); v++) {
        struct image image;
        put_profile(&image, versions[v]);
        for (size_t i = 0; i < image.out.n * N_ELEMENTS(changes); i++) {
            struct bo_arena arena;
            struct bo_error err = {0};
            const struct autofdo_model *model;
            uint8_t *byte = &image.out.p[i / N_ELEMENTS(changes)];
            *byte ^= changes[i % N_ELEMENTS(changes)];
            bo_arena_init(&arena, 1 << 16);
            const enum bo_status status =
                import_bytes(bo_writer_span(&image.out), &arena, &model, &err);
            if (status) {
                assert_int_not_equal(status, BO_OVER_LIMIT);
                assert_true(err.off <= image.out.n && err.what);
            }
            bo_arena_free(&arena);
            *byte ^= changes[i % N_ELEMENTS(changes)];
        }
        release(&image);
    }
}

/* Sets the word (or 8 bytes) at `off` to `v`, and expects this status at that offset. */
static void assert_refused(struct image *image, size_t off, unsigned nbytes, uint64_t v,
                           enum bo_status wanted, uint64_t wanted_off)
{
    struct bo_arena arena;
    struct bo_error err = {0};
    const struct autofdo_model *model;
    uint8_t kept[8];
    memcpy(kept, image->out.p + off, nbytes);
    if (nbytes == 8)
        bo_set_le64(image->out.p + off, v);
    else
        bo_set_le32(image->out.p + off, (uint32_t)v);
    bo_arena_init(&arena, 1 << 16);
    assert_int_equal(import_bytes(bo_writer_span(&image->out), &arena, &model, &err), wanted);
    assert_int_equal(err.off, wanted_off);
    bo_arena_free(&arena);
    memcpy(image->out.p + off, kept, nbytes);
}

/* Places in the profile of version 2: its names take 4 + n + 1 bytes each. */
enum {
    NAMES = 12,
    FIRST_NAME = NAMES + 12,
    SECOND_NAME = FIRST_NAME + 5,
    FUNCTIONS = SECOND_NAME + 9 + 9 + 11 + 9,
    HEAD = FUNCTIONS + 12,
    INSTANCE = HEAD + 8,
    RECORDS = INSTANCE + 12,
    TARGETS = RECORDS + 2 * 16,
};

TEST(test_rejects)
{
    struct image image;
    put_profile(&image, 2);
    const size_t end = image.out.n, modules = end - N_WORKING_SET_BYTES - 20;
    assert_refused(&image, 0, 4, 0x67636462, BO_CORRUPT, 0);
    assert_refused(&image, 4, 4, 4, BO_UNSUPPORTED, 4);
    assert_refused(&image, 4, 4, 0, BO_UNSUPPORTED, 4);
    assert_refused(&image, 4, 4, 3, BO_CORRUPT, 12);
    assert_refused(&image, NAMES, 4, 0xab000000, BO_CORRUPT, NAMES);
    assert_refused(&image, NAMES + 8, 4, UINT32_MAX, BO_TRUNCATED, NAMES + 8);
    assert_refused(&image, SECOND_NAME, 4, UINT32_MAX, BO_TRUNCATED, SECOND_NAME);
    assert_refused(&image, SECOND_NAME, 4, 4, BO_CORRUPT, SECOND_NAME + 4);
    assert_refused(&image, SECOND_NAME, 4, 6, BO_CORRUPT, SECOND_NAME + 4 + 5);
    assert_refused(&image, SECOND_NAME + 4, 4, 0x0a0a0a0a, BO_CORRUPT, SECOND_NAME + 4);
    assert_refused(&image, FUNCTIONS, 4, 0, BO_CORRUPT, FUNCTIONS);
    assert_refused(&image, FUNCTIONS + 8, 4, UINT32_MAX, BO_TRUNCATED, FUNCTIONS + 8);
    assert_refused(&image, HEAD, 8, (uint64_t)1 << 63, BO_CORRUPT, HEAD);
    assert_refused(&image, INSTANCE, 4, 5, BO_CORRUPT, INSTANCE);
    assert_refused(&image, INSTANCE, 4, 0, BO_CORRUPT, FIRST_NAME + 4);
    assert_refused(&image, INSTANCE + 4, 4, UINT32_MAX, BO_TRUNCATED, INSTANCE + 4);
    assert_refused(&image, INSTANCE + 8, 4, UINT32_MAX, BO_TRUNCATED, INSTANCE + 8);
    assert_refused(&image, RECORDS + 4, 4, UINT32_MAX, BO_TRUNCATED, RECORDS + 4);
    assert_refused(&image, RECORDS + 8, 8, UINT64_MAX, BO_CORRUPT, RECORDS + 8);
    assert_refused(&image, TARGETS, 4, 6, BO_UNSUPPORTED, TARGETS);
    assert_refused(&image, TARGETS + 4, 8, (uint64_t)1 << 32, BO_CORRUPT, TARGETS + 4);
    assert_refused(&image, TARGETS + 12, 8, (uint64_t)1 << 63, BO_CORRUPT, TARGETS + 12);
    assert_refused(&image, modules, 4, 0, BO_CORRUPT, modules);
    assert_refused(&image, modules + 8, 4, 1, BO_UNSUPPORTED, modules + 8);
    assert_refused(&image, modules + 12, 4, 1, BO_CORRUPT, modules + 12);
    assert_refused(&image, modules + 16, 4, 4, BO_CORRUPT, modules + 24);
    bo_put_u8(&image.out, 0);
    assert_refused(&image, 8, 4, 0, BO_CORRUPT, end);
    release(&image);
}

/* Rules of version 3 only: the summary, files, files of names. */
TEST(test_rejects_extended)
{
    enum { SUMMARY_OFF = 12, ENTRIES = SUMMARY_OFF + 4 + 40, FILES = ENTRIES + 8 + 20 + 8 };
    enum { NAME = FILES + 4 + 5 + 8 + 4, FILE_OF_NAME = NAME + 5 };
    struct image image;
    put_profile(&image, 3);
    assert_refused(&image, ENTRIES, 8, UINT64_MAX, BO_TRUNCATED, ENTRIES);
    assert_refused(&image, FILES, 4, UINT32_MAX, BO_TRUNCATED, FILES);
    assert_refused(&image, FILE_OF_NAME, 4, 2, BO_CORRUPT, FILE_OF_NAME);
    assert_refused(&image, FILES + 4 + 5 + 4, 4, 0x0063012e, BO_CORRUPT, FILES + 4 + 5 + 4);
    release(&image);
}

/* Sums are limited to 2^64 - 1. */
TEST(test_saturation)
{
    struct image image;
    struct bo_arena arena;
    const struct autofdo_model *model;
    bo_arena_init(&arena, 1 << 20);
    put_start(&image, 2);
    put(&image, 1);
    put_function(&image, 0, 0);
    put_instance(&image, 1, 3, 0);
    for (int i = 0; i < 3; i++) {
        put_record(&image, 0, 1, INT64_MAX);
        put_target(&image, 3, INT64_MAX);
    }
    put_end(&image);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, NULL), BO_OK);
    assert_record(&model->functions[0].body.records[0], 0, 0, UINT64_MAX, 1);
    assert_int_equal(model->functions[0].body.records[0].targets[0].count, UINT64_MAX);
    bo_arena_free(&arena);
    release(&image);
}

static void put_chain(struct image *image, unsigned depth)
{
    put_start(image, 2);
    put(image, 1);
    put_function(image, 1, 0);
    for (unsigned d = 1; d < depth; d++) {
        put_instance(image, 1, 0, 1);
        put(image, 0);
    }
    put_instance(image, 1, 0, 0);
    put_end(image);
}

TEST(test_depth)
{
    enum { CALLSITE_NBYTES = 16 };
    struct image image;
    struct bo_arena arena;
    struct bo_error err;
    const struct autofdo_model *model;
    bo_arena_init(&arena, 1 << 20);
    put_chain(&image, AUTOFDO_MAX_DEPTH);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, &err), BO_OK);
    release(&image);
    put_chain(&image, AUTOFDO_MAX_DEPTH + 1);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, &err), BO_OVER_LIMIT);
    assert_int_equal(err.off, INSTANCE + AUTOFDO_MAX_DEPTH * CALLSITE_NBYTES);
    release(&image);
    bo_arena_free(&arena);
}

/*
 * Each of many nested instances announces as many callsites as the following bytes could hold.
 * Together they announce more than the file can hold, so no memory must be allocated for them.
 */
TEST(test_announced_bomb)
{
    enum { DEPTH = 200, N_TAIL_BYTES = 1 << 16 };
    struct image image;
    struct bo_arena arena;
    struct bo_error err;
    const struct autofdo_model *model;
    put_start(&image, 2);
    put(&image, 1);
    put_function(&image, 1, 0);
    for (unsigned d = 0; d < DEPTH; d++) {
        put_instance(&image, 1, 0, N_TAIL_BYTES / 16);
        put(&image, 0);
    }
    bo_put_zeros(&image.out, N_TAIL_BYTES);
    bo_arena_init(&arena, 8 * image.out.n);
    assert_int_equal(import_bytes(bo_writer_span(&image.out), &arena, &model, &err), BO_TRUNCATED);
    bo_arena_free(&arena);
    release(&image);
}

TEST(test_without_memory)
{
    struct image image;
    put_profile(&image, 3);
    for (uint64_t fail_at = 1;; fail_at++) {
        struct bo_arena arena;
        struct bo_error err = {0};
        const struct autofdo_model *model;
        bo_arena_init(&arena, 1 << 20);
        arena.fail_at = fail_at;
        const enum bo_status status =
            import_bytes(bo_writer_span(&image.out), &arena, &model, &err);
        const bool complete = arena.n_allocs < fail_at;
        bo_arena_free(&arena);
        if (complete) {
            assert_int_equal(status, BO_OK);
            assert_true(fail_at > 10);
            release(&image);
            return;
        }
        assert_int_equal(status, err.status);
        assert_int_not_equal(status, BO_OK);
    }
}

/* A static function of one name in two files becomes one function, and a note reports it. */
TEST(test_two_files)
{
    static const struct bo_span file = BYTES(TWO_FILES);
    const struct bo_format *format = bo_find_format("autofdo");
    const struct autofdo_model *model;
    void *expected;
    struct bo_arena arena;
    struct bo_error err = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(format->parse(bo_span_of(TWO_FILES_TEXT), &arena, &expected, NULL), BO_OK);
    assert_int_equal(import_bytes(file, &arena, &model, &err), BO_OK);
    assert_null(format->differ(model, expected));
    assert_string_equal(err.what,
                        "functions that are added to one of the same name in another file: 1");
    bo_arena_free(&arena);
}

/* ---- LLVM's program -------------------------------------------------------------------------- */

static const struct bo_span compact = BYTES("\x82\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53"),
                            extensible = BYTES("\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53");

/* Imports while programs are looked up in the folder only. */
static enum bo_status import_through(const char *folder, struct bo_span file,
                                     struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", folder, 1), 0);
    *err = (struct bo_error){0};
    const enum bo_status status =
        importer_called("profdata")->import(file, NULL, arena, model_ret, err);
    assert_int_equal(setenv("PATH", path, 1), 0);
    return status;
}

/* GUIDs are all numbers that are names, but not those at the end of another name. */
TEST(test_guids_in_decimal)
{
    static const char script[] =
        "#!/bin/sh\n"
        "printf '18446744073709551615:300:5\\n 1: 100 6:60 a 7:40 8:30\\n 2.1: 9:200\\n"
        "  1: 200\\nb 10:10:1\\n 1: 10\\n'\n";
    static const char expected[] =
        "guid.ffffffffffffffff:300:5\n 1: 100 guid.0000000000000006:60 a 7:40 "
        "guid.0000000000000008:30\n 2.1: guid.0000000000000009:200\n  1: 200\nb 10:10:1\n 1: 10\n";
    const struct bo_format *format = bo_find_format("autofdo");
    struct test_tool tool;
    struct bo_arena arena;
    struct bo_error err;
    void *model, *wanted;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    make_tool(&tool, "llvm-profdata-22", script);
    if (import_through(tool.folder, extensible, &arena, &model, &err))
        fail_msg("%s", err.what);
    assert_int_equal(format->parse(bo_span_of(expected), &arena, &wanted, NULL), BO_OK);
    assert_null(format->differ(model, wanted));
    remove_tool(&tool);
    bo_arena_free(&arena);
}

/* Versions after 16 do not know the compact form. The version of plain llvm-profdata is unknown. */
TEST(test_versions_for_compact_profiles)
{
    static const char unknown[] =
        "echo error: /dev/stdin: Unrecognized sample profile encoding format >&2; exit 1\n";
    static const char required[] =
        "compact profiles require llvm-profdata 16 or earlier (Debian: llvm-14)";
    static const struct {
        const char *name, *script;
        enum bo_status status;
        const char *what;
    } cases[] = {
        {"llvm-profdata-16", "echo main:1:1; echo ' 1: 1'\n", BO_OK, NULL},
        {"llvm-profdata", "echo main:1:1; echo ' 1: 1'\n", BO_OK, NULL},
        {"llvm-profdata", unknown, BO_UNSUPPORTED, required},
        {"llvm-profdata-17", unknown, BO_UNSUPPORTED, required},
        {"llvm-profdata-14", "echo error: /dev/stdin: Truncated >&2; exit 1\n", BO_CORRUPT,
         "llvm-profdata: error: Truncated"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char script[200];
        struct test_tool tool;
        struct bo_arena arena;
        struct bo_error err;
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        snprintf(script, sizeof script, "#!/bin/sh\n%s", cases[i].script);
        make_tool(&tool, cases[i].name, script);
        assert_int_equal(import_through(tool.folder, compact, &arena, &model, &err),
                         cases[i].status);
        if (cases[i].what)
            assert_string_equal(err.what, cases[i].what);
        remove_tool(&tool);
        bo_arena_free(&arena);
    }
}

TEST_FILE(NULL, NULL)
