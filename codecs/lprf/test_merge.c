/*
 * Merging profiles. Why: it is what profiles are made for, sums that wrap around or functions that
 * swap counters would go unseen, and a contradiction must name its function.
 */
#include "codecs/lprf/test_model.h"

#include <stdio.h>

#include "harness/core/test_fixture.h"

#define MAX UINT64_MAX

static const struct lprf_function a[] = {
    FUNCTION("main", 24, 1, 2),
    FUNCTION("main", 25, 7),
    FUNCTION("step", 0, 10),
};
static const struct lprf_function b[] = {
    FUNCTION("last", 3, 5, 6, 7),
    FUNCTION("step", 0, 1),
    FUNCTION("main", 24, 100, 200),
};
static const struct lprf_model model_a = {N_ELEMENTS(a), a}, model_b = {N_ELEMENTS(b), b},
                               nothing = {0, NULL};

/* Merges models that must not contradict each other. */
static struct lprf_model *merge(const void *const *models, size_t n, uint64_t n_saturated)
{
    void *merged = NULL;
    struct bo_merge_report report = {99, {NULL, 0}};
    assert_int_equal(format->merge(models, n, &arena, &merged, &report, NULL), BO_OK);
    assert_true(report.n_saturated == n_saturated);
    assert_int_equal(report.where.n, 0);
    assert_null(lprf_model_flaw(merged, &arena, NULL));
    return merged;
}

/* Functions stand where they first came. */
TEST(test_sums_and_order)
{
    const struct lprf_function sum[] = {
        FUNCTION("main", 24, 101, 202),
        FUNCTION("main", 25, 7),
        FUNCTION("step", 0, 11),
        FUNCTION("last", 3, 5, 6, 7),
    };
    const struct lprf_function twice[] = {
        FUNCTION("last", 3, 10, 12, 14),
        FUNCTION("step", 0, 12),
        FUNCTION("main", 24, 201, 402),
        FUNCTION("main", 25, 7),
    };
    const void *const both[] = {&model_a, &nothing, &model_b};
    const void *const bab[] = {&model_b, &model_a, &model_b};
    assert_null(format->differ(merge(both, 3, 0), &(struct lprf_model){4, sum}));
    assert_null(format->differ(merge(bab, 3, 0), &(struct lprf_model){4, twice}));
    assert_true(a[0].counters[0] == 1 && b[2].counters[1] == 200); /* they are left as they were */
}

TEST(test_few_models)
{
    const void *const one[] = {&model_a};
    const void *const empty[] = {&nothing, &nothing};
    assert_null(format->differ(merge(one, 1, 0), &model_a));
    assert_null(format->differ(merge(empty, 2, 0), &nothing));
    assert_null(format->differ(merge(NULL, 0, 0), &nothing));
}

/* Sums stop at 2^64 - 1; each counts once, however much is added on top. */
TEST(test_saturation)
{
    const struct lprf_function x[] = {FUNCTION("f", 1, MAX, MAX - 1, MAX, 0, MAX)};
    const struct lprf_function y[] = {FUNCTION("f", 1, 0, 1, 1, MAX, MAX)};
    const struct lprf_function xy[] = {FUNCTION("f", 1, MAX, MAX, MAX, MAX, MAX)};
    const struct lprf_model model_x = {1, x}, model_y = {1, y};
    const struct lprf_model expected = {1, xy};
    const void *const two[] = {&model_x, &model_y};
    const void *const back[] = {&model_y, &model_x};
    const void *const three[] = {&model_x, &model_y, &model_y};
    const void *const four[] = {&model_x, &model_x, &model_y, &model_x};
    assert_null(format->differ(merge(two, 2, 2), &expected));
    assert_null(format->differ(merge(back, 2, 2), &expected));
    assert_null(format->differ(merge(three, 3, 4), &expected)); /* all but the first */
    assert_null(format->differ(merge(four, 4, 4), &expected));  /* all but the fourth */
}

TEST(test_contradiction)
{
    const struct lprf_function c[] = {FUNCTION("new", 1, 1), FUNCTION("step", 0, 1, 2)};
    const struct lprf_function fewer[] = {FUNCTION("main", 24, 1)};
    const struct lprf_model models[] = {{2, c}, {1, fewer}};
    static const char *const names[] = {"step", "main"};
    for (size_t i = 0; i < N_ELEMENTS(models); i++) {
        const void *const both[] = {&model_a, &models[i]};
        struct bo_merge_report report;
        struct bo_error error = {0};
        void *merged;
        assert_int_equal(format->merge(both, 2, &arena, &merged, &report, &error), BO_CORRUPT);
        assert_int_equal(error.status, BO_CORRUPT);
        assert_true(error.off == BO_NO_OFFSET);
        assert_string_equal(error.what,
                            "functions of one name and hash differ in their number of counters");
        assert_true(bo_span_equal(report.where, bo_span_of(names[i])));
    }
}

/* ---- against a plain merge ------------------------------------------------------------------- */

/* Adds a function to those of `sum`, found by looking at each. False on a contradiction. */
static bool add_plainly(struct lprf_model *sum, struct lprf_function *functions,
                        const struct lprf_function *function, uint64_t *n_saturated)
{
    size_t f = 0;
    while (f < sum->n_functions && (functions[f].hash != function->hash ||
                                    !bo_span_equal(functions[f].name, function->name)))
        f++;
    if (f == sum->n_functions) {
        uint64_t *copy = bo_alloc_array(&arena, function->n_counters, sizeof *copy);
        memcpy(copy, function->counters, function->n_counters * sizeof *copy);
        functions[f] = *function;
        functions[f].counters = copy;
        sum->n_functions++;
        return true;
    }
    if (functions[f].n_counters != function->n_counters)
        return false;
    uint64_t *counters = (uint64_t *)(uintptr_t)functions[f].counters;
    for (size_t i = 0; i < function->n_counters; i++) {
        const uint64_t room = UINT64_MAX - counters[i];
        *n_saturated += function->counters[i] > room;
        counters[i] += function->counters[i] < room ? function->counters[i] : room;
    }
    return true;
}

/* Two generated models and their mutants: many common functions, extremes, contradictions. */
TEST(test_against_a_plain_merge)
{
    enum { SCALE = 120 };
    unsigned n_contradictions = 0, n_saturated_models = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint8_t entropy[4096];
        struct bo_random noise = bo_random_seeded(seed);
        for (size_t i = 0; i < sizeof entropy; i++)
            entropy[i] = bo_random_u8(&noise);
        struct bo_random random = bo_random_from_bytes((struct bo_span){entropy, sizeof entropy});
        void *first, *second, *merged;
        assert_int_equal(format->generate(&random, SCALE, &arena, &first, NULL), BO_OK);
        second = first;
        for (unsigned i = 0; i < seed % 8; i++)
            assert_int_equal(format->mutate(second, &noise, &arena, &second, NULL), BO_OK);
        const void *const models[] = {first, second};
        const size_t max =
            ((struct lprf_model *)first)->n_functions + ((struct lprf_model *)second)->n_functions;
        struct lprf_function *functions = bo_alloc_array(&arena, max, sizeof *functions);
        assert_non_null(functions);
        struct lprf_model sum = {0, functions};
        struct bo_merge_report report;
        uint64_t n_saturated = 0;
        bool ok = true;
        for (size_t m = 0; m < 2; m++) {
            const struct lprf_model *model = models[m];
            for (size_t f = 0; ok && f < model->n_functions; f++)
                ok = add_plainly(&sum, functions, &model->functions[f], &n_saturated);
        }
        const enum bo_status status = format->merge(models, 2, &arena, &merged, &report, NULL);
        assert_int_equal(status, ok ? BO_OK : BO_CORRUPT);
        n_contradictions += !ok;
        if (!ok)
            continue;
        assert_null(format->differ(merged, &sum));
        assert_true(report.n_saturated == n_saturated);
        n_saturated_models += n_saturated > 0;
    }
    assert_true(n_contradictions >= 5 && n_saturated_models >= 5); /* else this shows little */
}

TEST(test_each_allocation_fails)
{
    const struct lprf_function x[] = {FUNCTION("step", 0, MAX)};
    const struct lprf_model model_x = {1, x};
    const void *const models[] = {&model_a, &model_b, &model_x};
    expect_failing_merges(models, 3);
}

/* Grows its table many times; 200 functions of one name. */
TEST(test_many_functions)
{
    enum { N = 5000, N_NAMESAKES = 200 };
    static struct lprf_function functions[N];
    static char names[N][8];
    static const uint64_t counter[] = {3};
    for (size_t f = 0; f < N; f++) {
        snprintf(names[f], sizeof names[f], "f%zu", f < N_NAMESAKES ? 0 : f);
        functions[f] = (struct lprf_function){bo_span_of(names[f]), f, 1, counter};
    }
    const struct lprf_model model = {N, functions};
    const void *const models[] = {&nothing, &model, &model};
    const struct lprf_model *merged = merge(models, 3, 0);
    assert_int_equal(merged->n_functions, N);
    for (size_t f = 0; f < N; f++)
        assert_true(bo_span_equal(merged->functions[f].name, functions[f].name) &&
                    merged->functions[f].hash == f && merged->functions[f].counters[0] == 6);
}

TEST_FILE(set_up, tear_down)
