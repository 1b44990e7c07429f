/*
 * Layouts as a random effect, on synthetic data with a known layout effect. An interval over
 * repetitions alone mostly misses the mean over layouts; one over layouts does not.
 */
#include "harness/core/test_cmocka.h"

#include <math.h>

#include "bench/stats/layouts.h"
#include "bench/stats/stats.h"
#include "bench/stats/student.h"
#include "harness/core/random.h"

/* Values of R's qt(1 - (1 - confidence) / 2, df) and 2 * pt(-t, df). */
TEST(student_known)
{
    static const double quantiles[][3] = {{0.95, 1, 12.7062047},     {0.95, 4, 2.7764451},
                                          {0.95, 9, 2.2621572},      {0.99, 4, 4.6040949},
                                          {0.95, 2.5, 3.5746548},    {0.95, 1000, 1.9623391},
                                          {0.9999, 1, 6366.1976713}, {0.9999, 2, 99.9924998}};
    static const double tails[][3] = {{2, 10, 0.07338803}, {7, 8, 0.00011264}, {0, 5, 1}};
    for (size_t i = 0; i < N_ELEMENTS(quantiles); i++)
        assert_true(fabs(bo_student_quantile(quantiles[i][0], quantiles[i][1]) / quantiles[i][2] -
                         1) < 1e-6);
    for (size_t i = 0; i < N_ELEMENTS(tails); i++)
        assert_true(fabs(bo_student_two_sided(tails[i][0], tails[i][1]) - tails[i][2]) < 1e-6);
}

/* About normal: a sum of twelve uniform values. */
static double normal(struct bo_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        const double uniform = (double)(bo_random_u64(random) >> 11) * 0x1p-53;
        sum += uniform;
    }
    return sum;
}

enum { LAYOUTS = 5, EACH = 4, N = LAYOUTS * EACH };

/* Rounds over the layouts in turn, as in a run. */
static void make(struct bo_random *random, double between, double within, double times_ret[N],
                 unsigned layouts_ret[N])
{
    double effects[LAYOUTS];
    for (unsigned l = 0; l < LAYOUTS; l++)
        effects[l] = between * normal(random);
    for (unsigned i = 0; i < N; i++) {
        layouts_ret[i] = i % LAYOUTS;
        times_ret[i] = effects[i % LAYOUTS] + within * normal(random);
    }
}

TEST(covers_layouts)
{
    enum { TRIALS = 2000 };
    struct bo_random random = bo_random_seeded(7);
    unsigned n_covered = 0, n_covered_by_repetitions = 0;
    double variance = 0, within = 0;
    for (int i = 0; i < TRIALS; i++) {
        double times[N];
        unsigned layouts[N];
        make(&random, 0.1, 0.02, times, layouts);
        const struct bo_layout_effect effect =
            bo_layout_effect(&(struct bo_repetitions){times, layouts, N}, 0.95);
        assert_int_equal(effect.n_layouts, LAYOUTS);
        n_covered += effect.interval.low <= 0 && effect.interval.high >= 0;
        variance += effect.between * effect.between / TRIALS;
        within += effect.within * effect.within / TRIALS;
        bo_sort_doubles(times, N);
        const struct bo_interval plain = bo_median_interval(times, N, 0.95);
        n_covered_by_repetitions += plain.low <= 0 && plain.high >= 0;
    }
    assert_in_range(n_covered, 0.935 * TRIALS, 0.965 * TRIALS);
    assert_true(n_covered_by_repetitions < 0.8 * TRIALS);
    assert_true(fabs(sqrt(variance) - 0.1) < 0.004);
    assert_true(fabs(sqrt(within) - 0.02) < 0.001);
}

/* Without a layout effect, the estimate is small. A single layout has no interval. */
TEST(finds_no_effect)
{
    struct bo_random random = bo_random_seeded(8);
    double times[N], sum = 0;
    unsigned layouts[N];
    struct bo_layout_effect effect;
    for (int i = 0; i < 500; i++) {
        make(&random, 0, 0.02, times, layouts);
        effect = bo_layout_effect(&(struct bo_repetitions){times, layouts, N}, 0.95);
        sum += effect.between / 500;
    }
    assert_true(sum < 0.005);
    effect = bo_layout_effect(&(struct bo_repetitions){times, NULL, N}, 0.95);
    assert_int_equal(effect.n_layouts, 1);
    assert_true(isnan(effect.interval.low) && isnan(effect.between));
    assert_true(effect.within > 0);
}

/*
 * A test over repetitions finds two builds of equal code different in their layouts; over layouts,
 * 5% of the pairs differ by chance, and a real difference is found.
 */
TEST(compares_layouts)
{
    enum { TRIALS = 1000 };
    struct bo_random random = bo_random_seeded(9);
    unsigned n_differ = 0, n_found = 0;
    for (int i = 0; i < TRIALS; i++) {
        double times[2][N], shift;
        unsigned layouts[N];
        struct bo_layout_effect effects[2];
        struct bo_interval interval;
        for (int s = 0; s < 2; s++) {
            make(&random, 0.05, 0.02, times[s], layouts);
            effects[s] = bo_layout_effect(&(struct bo_repetitions){times[s], layouts, N}, 0.95);
        }
        n_differ += bo_layouts_differ(&effects[0], &effects[1], 0.95, &shift, &interval) < 0.05;
        assert_true(interval.low <= shift && shift <= interval.high);
        effects[1].mean += 0.3;
        n_found += bo_layouts_differ(&effects[0], &effects[1], 0.95, &shift, &interval) < 0.05;
    }
    assert_true(n_differ < 0.06 * TRIALS);
    assert_true(n_found > 0.99 * TRIALS);
}

/* Two halves of one layout differ by its noise, groups of layouts by the effect of these. */
TEST(differs_from_itself)
{
    static const double times[] = {0, 1, 2, 3, 10, 11, 12, 13, 40, 41, 42, 43};
    static const unsigned layouts[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    const struct bo_repetitions three = {times, layouts, 12}, one = {times, NULL, 4};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct bo_differences within = {.arena = &arena}, between = {.arena = &arena};
    bo_differ_within(&three, &within);
    assert_int_equal(within.n, 3);
    for (size_t i = 0; i < within.n; i++)
        assert_true(within.items[i] == 1); /* medians of 0 and 2, and of 1 and 3 */
    bo_differ_between(&three, &between);
    bo_sort_doubles(between.items, between.n);
    assert_int_equal(between.n, 3);
    assert_true(between.items[0] == 10 && between.items[1] == 30 && between.items[2] == 40);
    between.n = 0;
    bo_differ_between(&one, &between);
    assert_int_equal(between.n, 0);
    bo_arena_free(&arena);
}

/* Five layouts: two against two, in fifteen ways. */
TEST(pairs_halves)
{
    double times[LAYOUTS];
    unsigned layouts[LAYOUTS];
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct bo_differences between = {.arena = &arena};
    for (unsigned l = 0; l < LAYOUTS; l++) {
        times[l] = l * l;
        layouts[l] = l;
    }
    bo_differ_between(&(struct bo_repetitions){times, layouts, LAYOUTS}, &between);
    assert_int_equal(between.n, 15);
    bo_sort_doubles(between.items, between.n);
    assert_true(between.items[14] == (9 + 16 - 0 - 1) / 2.0);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
