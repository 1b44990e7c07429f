/*
 * Slots: where the records of a perfect hash's names lie. Why: real profiles have small records, so
 * the shifts, the last slots of a group and names of many functions are met by chance or never.
 */
#include "codecs/lprf/slots.h"

#include <stdio.h>

#include "codecs/lprf/test_model.h"
#include "harness/check/check.h"

#include "harness/registry.h"
#include "harness/core/test_fixture.h"

/* "f<i>", all counters 1: a record of 16 + 8 n bytes in u64. */
static struct lprf_function function(unsigned i, size_t n_counters)
{
    char *name = bo_alloc(&arena, 16);
    uint64_t *counters = bo_alloc_array(&arena, n_counters, sizeof *counters);
    assert_non_null(name);
    assert_non_null(counters);
    const int n = snprintf(name, 16, "f%u", i);
    for (size_t k = 0; k < n_counters; k++)
        counters[k] = 1;
    return (struct lprf_function){{(const uint8_t *)name, (size_t)n}, i, n_counters, counters};
}

static const struct bo_codec *const *next_level(const struct bo_codec *const *codec)
{
    while (*codec && !(*codec)->level_of)
        codec++;
    return codec;
}

static void encode(const struct bo_codec *codec, const struct lprf_model *model,
                   struct bo_writer *out)
{
    struct bo_error error = {0};
    bo_writer_init(out, &arena);
    assert_int_equal(codec->encode(codec, model, out, &error), BO_OK);
}

/*
 * What a level writes is read by the codec of which it is one, and the level writes the same of
 * what has been read. The encoder of that codec writes other bytes.
 */
TEST(test_levels)
{
    struct lprf_function functions[200];
    const struct lprf_model model = {N_ELEMENTS(functions), functions};
    unsigned n = 0;
    for (unsigned i = 0; i < 200; i++)
        functions[i] = function(i, 1 + i % 3);
    for (const struct bo_codec *const *c = next_level(format->codecs); *c; c = next_level(c + 1)) {
        const struct bo_codec *layout = bo_layout_of(format, *c);
        struct bo_writer written, again, usual;
        struct bo_error error = {0};
        void *read;
        assert_true(layout != *c && layout->decode == (*c)->decode);
        encode(*c, &model, &written);
        assert_int_equal(layout->decode(layout, bo_writer_span(&written), &arena, &read, &error),
                         BO_OK);
        assert_null(format->differ(&model, read));
        encode(*c, read, &again);
        encode(layout, read, &usual);
        assert_true(bo_span_equal(bo_writer_span(&written), bo_writer_span(&again)));
        assert_false(bo_span_equal(bo_writer_span(&written), bo_writer_span(&usual)));
        bo_writer_free(&written);
        bo_writer_free(&again);
        bo_writer_free(&usual);
        n++;
    }
    assert_int_equal(n, 6);
}

/* Passes so many of the checks: decodes to the same, answers every query as the oracle does. */
static void expect_right(const struct lprf_function *functions, size_t n, unsigned n_checks)
{
    static const char *const codecs[] = {"phrases+u64", "phrases+packed", "fingerprints+u64",
                                         "fingerprints+packed", "phrases-fast+packed"};
    const struct lprf_model model = {n, functions};
    const struct bo_effort effort = bo_effort_default();
    for (size_t c = 0; c < N_ELEMENTS(codecs); c++)
        for (unsigned i = 0; i < n_checks; i++) {
            const struct bo_check_result result =
                bo_checks[i].run(format, bo_find_codec(format, codecs[c]), &model, &effort);
            if (result.outcome != BO_PASS)
                fail_msg("%s: %s: %s %s", codecs[c], bo_checks[i].name, result.finding.class,
                         result.finding.detail);
        }
}

/* Sizes around 255 << shift, the largest of a shift: larger ones need the next shift. */
TEST(test_sizes)
{
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    for (unsigned shift = 0; shift < 8; shift++)
        for (size_t more = 0; more < 6; more++) {
            const size_t n_counters = ((255u << shift) - 16) / 8 - 2 + more;
            struct lprf_function functions[40];
            for (unsigned i = 0; i < 40; i++)
                functions[i] = function(i, i % 7 == 3 ? n_counters : 1 + i % 3);
            expect_right(functions, 40, 2);
            bo_arena_rewind(&arena, mark);
        }
}

/* A record of 8 MiB among small ones: the shift is 16. */
TEST(test_large_record)
{
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    struct lprf_function functions[8];
    for (unsigned i = 0; i < 8; i++)
        functions[i] = function(i, i % 3 == 1 ? (UINT32_C(255) << 15) / 8 : 1);
    expect_right(functions, 8, 1); /* 512 answers at once would be too large */
    bo_arena_rewind(&arena, mark);
}

/* All slots of several groups, and names with up to forty functions. */
TEST(test_groups_and_repeats)
{
    enum { N = 300 };
    struct lprf_function functions[N];
    for (unsigned i = 0; i < N; i++) {
        functions[i] = function(i % 131 < 40 ? 0 : i, 1 + i % 5);
        functions[i].hash = N - i;
    }
    expect_right(functions, N, 2);
    for (unsigned n = 1; n < 140; n++)
        expect_right(functions + 131 + 40, n < N - 171 ? n : N - 171, 2);
}

/*
 * Every byte of a file of two groups changed: what decode takes, lookups answer rightly, too. They
 * start at their group's numbers, where decode goes on from the group before.
 */
TEST(test_damage)
{
    static const char *const codecs[] = {"phrases+packed", "fingerprints+packed"};
    const struct bo_effort effort = bo_effort_default();
    struct lprf_function functions[40];
    const struct lprf_model model = {N_ELEMENTS(functions), functions};
    for (unsigned i = 0; i < 40; i++)
        functions[i] = function(i == 39 ? 38 : i, 1);
    functions[39].hash = 1;
    for (size_t c = 0; c < N_ELEMENTS(codecs); c++) {
        const struct bo_check_result result =
            bo_find_check("damage")->run(format, bo_find_codec(format, codecs[c]), &model, &effort);
        if (result.outcome != BO_PASS)
            fail_msg("%s: %s %s", codecs[c], result.finding.class, result.finding.detail);
        assert_true(result.n_cases > 2000); /* every byte, not a sample */
    }
}

/* Names that share more codes with the name before than the field can hold. */
TEST(test_shared_codes)
{
    static const char *const names[] = {"abcdef", "abcdefg", "abcdeg", "abcg", "abdg", "abdg"};
    struct lprf_function functions[N_ELEMENTS(names)];
    for (unsigned i = 0; i < N_ELEMENTS(names); i++) {
        functions[i] = function(i, 1);
        functions[i].name = bo_span_of(names[i]);
        expect_right(functions, i + 1, 2);
    }
}

/* The sum of the first bytes, for every number of them, with and without vector instructions. */
TEST(test_sums)
{
    uint8_t bytes[LPRF_GROUP_SLOTS];
    for (unsigned step = 1; step < 256; step += 2) {
        uint32_t sum = 0;
        for (unsigned i = 0; i < LPRF_GROUP_SLOTS; i++)
            bytes[i] = (uint8_t)(255 - i * step);
        for (unsigned n = 0; n < LPRF_GROUP_SLOTS; sum += bytes[n++]) {
            assert_int_equal(lprf_sum_bytes(bytes, n), sum);
            assert_int_equal(lprf_sum_bytes_portable(bytes, n), sum);
        }
    }
}

TEST_FILE(set_up, tear_down)
