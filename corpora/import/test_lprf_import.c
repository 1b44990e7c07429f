/*
 * The importers of profiles: which files they recognise, lists of names with drawn counters, and
 * truncated binary profiles. Why: scale documents are only as real as this draw, and LLVM's own
 * reader does not detect truncation. test_real_llvm.sh tests complete profiles.
 */
#define TEST_FORMAT "lprf"

#include <stdio.h>
#include <stdlib.h>

#include "codecs/lprf/lprf.h"
#include "corpora/import/test_import.h"
#include "corpora/import/test_seeds.h"
#include "harness/registry.h"

static struct bo_span text(const char *s)
{
    return (struct bo_span){(const uint8_t *)s, strlen(s)};
}

/* ---- recognising files ----------------------------------------------------------------------- */

TEST(test_sniffing)
{
    assert_taken_by("profdata", "\xfflprofi\x81", 8);
    assert_taken_by("profdata", "\x81iforpl\xff", 8);
    assert_taken_by("profdata", "\xfflprofr\x81", 8);
    assert_taken_by("profdata", "\x81rforpl\xff", 8);
    assert_taken_by("profdata", "\x81Rforpl\xff and more", 17);
    assert_taken_by(NULL, "\xfflprofx\x81", 8);
    assert_taken_by(NULL, "\xfflprofi", 7);
    assert_taken_by(NULL, "\xfflprofi\x82", 8);
    assert_taken_by(NULL,
                    "\x7f"
                    "ELF\0",
                    5);
    assert_taken_by("proftext", "main\n1\n1\n1\n", 11);
    assert_taken_by("proftext", ":ir\n", 4);
    assert_taken_by("proftext", "", 0);
}

/* ---- lists of names -------------------------------------------------------------------------- */

static const char like[] = "a\n1\n1\n10\n\nb\n2\n2\n20\n21\n\nc\n3\n3\n30\n31\n32\n\n";

static enum bo_status import_names(const char *list, const char *counters_like, uint64_t seed,
                                   uint64_t max_functions, struct bo_arena *arena,
                                   const struct lprf_model **model_ret, struct bo_error *err)
{
    const struct bo_import_options options = {
        .max_functions = max_functions, .seed = seed, .counters_like = text(counters_like)};
    struct bo_guarded guarded;
    void *model = NULL;
    bo_arena_init(arena, 1 << 24);
    assert_true(bo_guarded_copy(text(list), &guarded));
    const enum bo_status status =
        test_import(importer_called("names"), guarded.span, &options, arena, &model, err);
    bo_guarded_free(&guarded); /* the model must not point into it */
    *model_ret = model;
    return status;
}

static void assert_named(const struct lprf_model *model, size_t i, const char *name)
{
    assert_true(bo_span_equal(model->functions[i].name, text(name)));
}

/* Hash h comes with h counters: 10 h, 10 h + 1, ... */
static void assert_record_of_like(const struct lprf_function *function)
{
    assert_in_range(function->hash, 1, 3);
    assert_int_equal(function->n_counters, function->hash);
    for (size_t i = 0; i < function->n_counters; i++)
        assert_int_equal(function->counters[i], 10 * function->hash + i);
}

TEST(test_names_and_counters)
{
    struct bo_arena arena;
    struct bo_error err;
    const struct lprf_model *model;
    assert_int_equal(import_names("x\n_Z1y: z\n\"q", like, 1, 0, &arena, &model, &err), BO_OK);
    assert_int_equal(model->n_functions, 3);
    assert_named(model, 0, "x");
    assert_named(model, 1, "_Z1y: z");
    assert_named(model, 2, "\"q");
    for (size_t i = 0; i < 3; i++)
        assert_record_of_like(&model->functions[i]);
    bo_arena_free(&arena);
    assert_int_equal(import_names("", like, 1, 0, &arena, &model, &err), BO_OK);
    assert_int_equal(model->n_functions, 0);
    bo_arena_free(&arena);
}

enum { N_NAMES = 3000 };

static char *many_names(struct bo_arena *arena)
{
    enum { LINE_NBYTES = 6 };
    char *list = bo_alloc(arena, N_NAMES * LINE_NBYTES + 1);
    assert_non_null(list);
    for (unsigned i = 0; i < N_NAMES; i++)
        snprintf(list + (size_t)i * LINE_NBYTES, LINE_NBYTES + 1, "n%04u\n", i);
    return list;
}

/*
 * Every record is drawn about equally often. A seed always gives the same records, another seed
 * gives others.
 */
TEST(test_draw)
{
    struct bo_arena arena, names_arena;
    const struct lprf_model *model;
    unsigned n_of_hash[4] = {0}, n_moved = 0;
    static uint64_t drawn[N_NAMES];
    bo_arena_init(&names_arena, 1 << 20);
    const char *list = many_names(&names_arena);
    for (unsigned round = 0; round < 3; round++) {
        const uint64_t seed = round < 2 ? 7 : 8;
        assert_int_equal(import_names(list, like, seed, 0, &arena, &model, NULL), BO_OK);
        for (size_t i = 0; i < N_NAMES; i++) {
            const uint64_t hash = model->functions[i].hash;
            assert_record_of_like(&model->functions[i]);
            n_of_hash[hash] += round == 0;
            n_moved += round == 2 && hash != drawn[i];
            if (round == 1)
                assert_int_equal(hash, drawn[i]);
            drawn[i] = hash;
        }
        bo_arena_free(&arena);
    }
    for (unsigned h = 1; h <= 3; h++)
        assert_in_range(n_of_hash[h], 900, 1100);
    assert_in_range(n_moved, 1800, 2200);
    bo_arena_free(&names_arena);
}

TEST(test_even_spacing)
{
    struct bo_arena arena, names_arena;
    const struct lprf_model *model;
    bo_arena_init(&names_arena, 1 << 20);
    const char *list = many_names(&names_arena);
    static const uint64_t wanted[] = {1, 2, 7, 100, 999, 1500, 2999, 3000, 3001, UINT64_MAX};
    for (size_t w = 0; w < N_ELEMENTS(wanted); w++) {
        assert_int_equal(import_names(list, like, 1, wanted[w], &arena, &model, NULL), BO_OK);
        const size_t n = wanted[w] < N_NAMES ? (size_t)wanted[w] : N_NAMES;
        assert_int_equal(model->n_functions, n);
        assert_named(model, 0, "n0000");
        for (size_t i = 0; i < n; i++) {
            unsigned place;
            assert_int_equal(sscanf((const char *)model->functions[i].name.p, "n%4u", &place), 1);
            assert_in_range(place, i * N_NAMES / n, (i * N_NAMES + n - 1) / n);
        }
        bo_arena_free(&arena);
    }
    bo_arena_free(&names_arena);
}

static void assert_refused(const char *list, const char *counters_like, enum bo_status status,
                           uint64_t off)
{
    struct bo_arena arena;
    struct bo_error err = {0};
    const struct lprf_model *model;
    assert_int_equal(import_names(list, counters_like, 1, 0, &arena, &model, &err), status);
    assert_int_equal(err.status, status);
    assert_int_equal(err.off, off);
    assert_non_null(err.what);
    bo_arena_free(&arena);
    assert_int_equal(import_names(list, counters_like, 1, 0, &arena, &model, NULL), status);
    bo_arena_free(&arena);
}

TEST(test_bad_lists)
{
    assert_refused("\n", like, BO_CORRUPT, 0);
    assert_refused("a\nb\n\nc\n", like, BO_CORRUPT, 4);
    assert_refused("xx\nyy\nzz\nyy\n", "a\n1\n1\n10\n", BO_CORRUPT, 9);
    assert_refused("a\n", "", BO_BAD_USAGE, BO_NO_OFFSET);
    assert_refused("a\n", "no profile", BO_BAD_USAGE, BO_NO_OFFSET);
    struct bo_arena arena;
    struct bo_error err = {0};
    void *model;
    bo_arena_init(&arena, 1 << 20);
    assert_int_equal(test_import(importer_called("names"), text("a\n"), NULL, &arena, &model, &err),
                     BO_BAD_USAGE);
    bo_arena_free(&arena);
}

/* Includes: the n-th allocation fails. */
TEST(test_names_without_memory)
{
    const struct bo_import_options options = {.seed = 1, .counters_like = text(like)};
    for (uint64_t fail_at = 1;; fail_at++) {
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model;
        bo_arena_init(&arena, 1 << 20);
        arena.fail_at = fail_at;
        const enum bo_status status = test_import(importer_called("names"), text("p\nq\nr\n"),
                                                  &options, &arena, &model, &err);
        const bool complete = arena.n_allocs < fail_at;
        bo_arena_free(&arena);
        if (complete) {
            assert_int_equal(status, BO_OK);
            assert_true(fail_at > 5);
            return;
        }
        assert_int_not_equal(status, BO_OK);
    }
}

/* ---- truncated binary profiles --------------------------------------------------------------- */

enum { HEADER_NBYTES = 40, N_BUCKETS = 3, INDEX_NBYTES = 16 + 8 * N_BUCKETS, N_RECORD_BYTES = 24 };

/* The outline of an indexed profile: header, records, index. */
static size_t make_outline(uint8_t *p, uint64_t version)
{
    const size_t index_off = HEADER_NBYTES + N_RECORD_BYTES;
    memset(p, 0, index_off + INDEX_NBYTES);
    memcpy(p, "\xfflprofi\x81", 8);
    bo_set_le64(p + 8, version);
    bo_set_le64(p + 32, index_off);
    bo_set_le64(p + index_off, N_BUCKETS);
    return index_off + INDEX_NBYTES;
}

TEST(test_cut_profiles)
{
    uint8_t p[HEADER_NBYTES + N_RECORD_BYTES + INDEX_NBYTES];
    const size_t whole =
        make_outline(p, 7 | (uint64_t)1 << 56); /* with a flag next to the version */
    for (size_t n = HEADER_NBYTES; n < whole; n++) {
        struct bo_arena arena;
        struct bo_guarded guarded;
        struct bo_error err = {0};
        void *model = NULL;
        bo_arena_init(&arena, 1 << 20);
        assert_true(bo_guarded_copy((struct bo_span){p, n}, &guarded));
        assert_int_equal(
            importer_called("profdata")->import(guarded.span, NULL, &arena, &model, &err),
            BO_TRUNCATED);
        assert_int_equal(err.off, n);
        bo_guarded_free(&guarded);
        bo_arena_free(&arena);
    }
}

TEST(test_wild_index_places)
{
    static const uint64_t wild[] = {1000, UINT64_MAX, UINT64_MAX - 15, (uint64_t)1 << 63};
    for (size_t i = 0; i < 2 * N_ELEMENTS(wild); i++) {
        uint8_t p[HEADER_NBYTES + N_RECORD_BYTES + INDEX_NBYTES];
        const size_t n = make_outline(p, 5);
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model = NULL;
        bo_arena_init(&arena, 1 << 20);
        bo_set_le64(p + (i % 2 ? 32 : HEADER_NBYTES + N_RECORD_BYTES), wild[i / 2]);
        assert_int_equal(
            importer_called("profdata")->import((struct bo_span){p, n}, NULL, &arena, &model, &err),
            BO_TRUNCATED);
        bo_arena_free(&arena);
    }
}

/* ---- binary profiles of the codec's version, and of the previous one ------------------------- */

/* An encoded profile, while programs are looked up in another PATH. */
struct profile {
    struct bo_arena arena;
    struct bo_writer out;
    void *model;
    char path[4096]; /* to restore */
};

static void begin_profile(struct profile *p, const char *path)
{
    const struct bo_format *format = bo_find_format("lprf");
    const struct bo_codec *codec = bo_find_codec(format, "profdata");
    bo_arena_init(&p->arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&p->out, &p->arena);
    assert_int_equal(format->parse(text(like), &p->arena, &p->model, NULL), BO_OK);
    assert_int_equal(codec->encode(codec, p->model, &p->out, NULL), BO_OK);
    snprintf(p->path, sizeof p->path, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static enum bo_status import_profile(struct profile *p, struct bo_arena *arena, void **model_ret,
                                     struct bo_error *err)
{
    *err = (struct bo_error){0};
    return importer_called("profdata")
        ->import(bo_writer_span(&p->out), NULL, arena, model_ret, err);
}

/* Where the record of the function `a` has its number of counters; a counter and others follow. */
static uint8_t *record_of_a(const struct profile *p)
{
    static const uint8_t record[24] = {[0] = 1, [8] = 10};
    uint8_t *found = memmem(p->out.p, p->out.n, record, sizeof record);
    assert_non_null(found);
    return found;
}

static void end_profile(struct profile *p)
{
    assert_int_equal(setenv("PATH", p->path, 1), 0);
    bo_writer_free(&p->out);
    bo_arena_free(&p->arena);
}

/*
 * These need no program. Version 7, with the same bytes after it, is another format and needs one.
 */
TEST(test_known_versions)
{
    static const struct {
        uint8_t version;
        enum bo_status status;
    } cases[] = {{12, BO_OK}, {13, BO_OK}, {7, BO_UNSUPPORTED}};
    struct profile p;
    struct bo_error err;
    void *imported;
    begin_profile(&p, "/nonexistent");
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        p.out.p[8] = cases[i].version;
        assert_int_equal(import_profile(&p, &p.arena, &imported, &err), cases[i].status);
        if (cases[i].status == BO_OK)
            assert_null(bo_find_format("lprf")->differ(p.model, imported));
    }
    struct bo_arena small; /* another tool is no remedy for a lack of memory */
    bo_arena_init(&small, p.out.n);
    p.out.p[8] = 13;
    assert_int_equal(import_profile(&p, &small, &imported, &err), BO_OVER_LIMIT);
    bo_arena_free(&small);
    end_profile(&p);
}

/*
 * A profile with bitmaps of MC/DC. The tool's text has them, too, in a form that is read as another
 * function; the error is that of the binary file.
 */
TEST(test_bitmaps)
{
    struct test_tool tool;
    struct profile p;
    struct bo_error err;
    void *imported;
    make_tool(&tool, "llvm-profdata", "#!/bin/sh\nprintf 'a\\n1\\n1\\n10\\n$1\\n0x1f\\n\\n'\n");
    begin_profile(&p, tool.folder);
    uint8_t *n_bitmap_bytes = record_of_a(&p) + 16;
    *n_bitmap_bytes = 1;
    assert_int_equal(import_profile(&p, &p.arena, &imported, &err), BO_UNSUPPORTED);
    assert_string_equal(err.what, "MC/DC bitmaps are not supported");
    assert_int_equal(err.off, n_bitmap_bytes - p.out.p);
    end_profile(&p);
    remove_tool(&tool);
}

/*
 * Damage that our decoder finds is reported with its offset when llvm-profdata rejects the file,
 * too, and when it is missing: it reads some files that our decoder rejects.
 */
TEST(test_damaged_profiles)
{
    struct test_tool tool;
    make_tool(&tool, "llvm-profdata",
              "#!/bin/sh\necho 'error: /dev/stdin: malformed' >&2\nexit 1\n");
    for (unsigned i = 0; i < 2; i++) {
        struct profile p;
        struct bo_error err;
        void *imported;
        begin_profile(&p, i ? tool.folder : "/nonexistent");
        uint8_t *n_counters = record_of_a(&p);
        bo_set_le64(n_counters, 9);
        assert_int_equal(import_profile(&p, &p.arena, &imported, &err), BO_TRUNCATED);
        assert_int_equal(err.off, n_counters - p.out.p);
        assert_string_equal(err.what,
                            i ? "counters run past their item's end"
                              : "counters run past their item's end; llvm-profdata, which may read "
                                "this file, is not installed (Debian: llvm)");
        end_profile(&p);
    }
    remove_tool(&tool);
}

/* The limits of memory and output, and the errors for a program that a limit ended. */
TEST(test_limits_of_tool)
{
    static const struct {
        const char *script;
        enum bo_status status;
        const char *what;
    } cases[] = {
        {"ulimit -v >&2; ulimit -f >&2; exit 1", BO_CORRUPT,
         "llvm-profdata: 16777216;8388608"}, /* KiB, blocks of 512 bytes */
        {"kill -XCPU $$", BO_OVER_LIMIT, "llvm-profdata exceeds 600 s of processor time"},
        {"kill -XFSZ $$", BO_OVER_LIMIT, "output of llvm-profdata exceeds 4 GiB"},
        {"echo LLVM ERROR: out of memory >&2; kill -ABRT $$", BO_OVER_LIMIT,
         "llvm-profdata runs out of memory, of which it may use 16 GiB"},
        {"kill -SEGV $$", BO_CORRUPT, "llvm-profdata crashed on this file"},
        {"exit 126", BO_IO, "cannot run llvm-profdata"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct test_tool tool;
        struct profile p;
        struct bo_error err;
        void *imported;
        char script[200];
        snprintf(script, sizeof script, "#!/bin/sh\n%s\n", cases[i].script);
        make_tool(&tool, "llvm-profdata", script);
        begin_profile(&p, tool.folder);
        p.out.p[8] = 7; /* a version that our decoder does not read */
        assert_int_equal(import_profile(&p, &p.arena, &imported, &err), cases[i].status);
        assert_string_equal(err.what, cases[i].what);
        end_profile(&p);
        remove_tool(&tool);
    }
}

TEST_FILE(NULL, NULL)
