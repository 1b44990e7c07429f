/*
 * Files made by hand, for tests of what indexes refuse and accept: the header, an index that no
 * encoder wrote, and u64 records. Shares nothing with file.c.
 */
#ifndef LPRF_TEST_INDEX_H
#define LPRF_TEST_INDEX_H

#include "codecs/lprf/lprf.h"
#include "harness/check/check.h"
#include "harness/core/test_cmocka.h"
#include "harness/registry.h"
#include "harness/test_decode.h"

enum { TEST_INDEX_OFF = 24, TEST_RECORD_NBYTES = 24 };

/* A right index of records in file order: the pattern that cases change. */
struct test_pattern {
    const char *codec;
    uint32_t version; /* of codec */
    unsigned n_records;
    struct bo_span index;
};

/* What is wrong in an index, and what readers say of it. Offsets count from the index's start. */
struct test_case {
    const char *row;
    size_t at; /* where `bytes` overwrite the pattern's */
    struct bo_span bytes;
    int longer; /* bytes that the index has more (zeros) or less (at its end) than the pattern's */
    enum bo_status status;
    uint64_t off;
    const char *what;
};

struct test_file {
    uint8_t p[4096];
    size_t n;
};

static inline void test_append(struct test_file *file, uint64_t v, unsigned nbytes)
{
    assert_true(file->n + nbytes <= sizeof file->p);
    for (unsigned i = 0; i < nbytes; i++)
        file->p[file->n++] = (uint8_t)(v >> 8 * i);
}

/* Record i has the hash i + 1 and one counter of 1. */
static inline void test_make_file(struct test_file *file, const struct test_pattern *pattern,
                                  const struct test_case *change)
{
    const size_t index_n = (size_t)((ptrdiff_t)pattern->index.n + change->longer);
    const size_t kept_n = index_n < pattern->index.n ? index_n : pattern->index.n;
    file->n = 0;
    test_append(file, 'L' | 'P' << 8 | 'R' << 16 | 'F' << 24, 4);
    test_append(file, pattern->version, 4);
    test_append(file, TEST_INDEX_OFF + index_n, 8);
    test_append(file, pattern->n_records != 0, 8);
    for (size_t i = 0; i < index_n; i++)
        test_append(file, i < kept_n ? pattern->index.p[i] : 0, 1);
    assert_true(change->at + change->bytes.n <= index_n);
    if (change->bytes.n)
        memcpy(file->p + TEST_INDEX_OFF + change->at, change->bytes.p, change->bytes.n);
    for (unsigned i = 0; i < pattern->n_records; i++) {
        test_append(file, i + 1, 8);
        test_append(file, 1, 8);
        test_append(file, 1, 8);
    }
}

/* Expects this error, or none. Queries the first reader of an index, which validates lazily. */
static inline void test_expect_case(const struct test_pattern *pattern,
                                    const struct test_case *expected)
{
    static struct test_file file;
    const struct bo_format *format = bo_find_format("lprf");
    const struct bo_codec *codec = bo_find_codec(format, pattern->codec);
    const struct bo_effort effort = bo_effort_default();
    struct bo_arena arena;
    struct bo_error error = {0};
    struct bo_finding finding = {0};
    void *model;
    bool accepted;
    test_make_file(&file, pattern, expected);
    const struct bo_span in = {file.p, file.n};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = test_decode(codec, in, &arena, &model, &error);
    if (status != expected->status || (status && (error.off != TEST_INDEX_OFF + expected->off ||
                                                  strcmp(error.what, expected->what) != 0)))
        fail_msg("%s: %s: %s at byte %lld of the index: %s; not %s at %lld: %s", pattern->codec,
                 expected->row, bo_status_name(status), (long long)error.off - TEST_INDEX_OFF,
                 error.what ? error.what : "-", bo_status_name(expected->status),
                 (long long)expected->off, expected->what ? expected->what : "-");
    bo_arena_free(&arena);
    if (!bo_check_bytes(format, codec, in, &effort, &accepted, &finding))
        fail_msg("%s: %s: %s: %s", pattern->codec, expected->row, finding.class, finding.detail);
    assert_int_equal(accepted, expected->status == BO_OK);
}

/*
 * The pattern is what the codec itself writes, every case gives its verdict, and no prefix of the
 * index is taken.
 */
static inline void test_expect_cases(const struct test_pattern *pattern,
                                     const struct test_case *cases, size_t n_cases)
{
    static struct test_file file;
    const struct test_case unchanged = {.row = "as it is"};
    const struct bo_codec *codec = bo_find_codec(bo_find_format("lprf"), pattern->codec);
    struct bo_arena arena;
    struct bo_error error = {0};
    struct bo_writer out;
    void *model;
    if (!codec)
        fail_msg("no codec %s", pattern->codec);
    test_expect_case(pattern, &unchanged);
    test_make_file(&file, pattern, &unchanged);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    assert_int_equal(test_decode(codec, (struct bo_span){file.p, file.n}, &arena, &model, &error),
                     BO_OK);
    assert_int_equal(codec->encode(codec, model, &out, &error), BO_OK);
    assert_int_equal(out.n, file.n);
    assert_memory_equal(out.p, file.p, file.n);
    bo_writer_free(&out);
    for (size_t i = 0; i < n_cases; i++)
        test_expect_case(pattern, &cases[i]);
    for (size_t n = 0; n < pattern->index.n; n++) {
        const struct test_case cut = {.longer = (int)n - (int)pattern->index.n};
        test_make_file(&file, pattern, &cut);
        if (test_decode(codec, (struct bo_span){file.p, file.n}, &arena, &model, &error) == BO_OK)
            fail_msg("%s: takes the first %zu bytes of an index", pattern->codec, n);
    }
    bo_arena_free(&arena);
}

/* Opening does not look at the cells: a lookup meets what is wrong in its own. */
static inline void test_expect_lookup(const struct test_pattern *pattern,
                                      const struct test_case *expected, const char *name)
{
    static struct test_file file;
    const struct bo_codec *codec = bo_find_codec(bo_find_format("lprf"), pattern->codec);
    const struct lprf_name_query query = {{(const uint8_t *)name, strlen(name)}};
    struct bo_arena arena;
    struct bo_error error = {0};
    void *reader;
    uint32_t answer = 2;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    test_make_file(&file, pattern, expected);
    assert_int_equal(codec->open(codec, (struct bo_span){file.p, file.n}, &arena, &reader, &error),
                     BO_OK);
    const enum bo_status status =
        codec->query(codec, reader, LPRF_CONTAINS, &query, 1, &answer, &error);
    if (status != expected->status)
        fail_msg("%s: %s: %s", pattern->codec, expected->row, bo_status_name(status));
    if (status == BO_OK)
        assert_int_equal(answer, 1);
    else
        assert_string_equal(error.what, expected->what);
    bo_arena_free(&arena);
}

#endif
