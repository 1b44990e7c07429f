/* Rank tests, compared with R 4.2.2: wilcox.test(b, a, conf.int = TRUE), p.adjust(p, "holm"). */
#include "harness/core/test_cmocka.h"

#include <math.h>
#include <string.h>

#include "bench/stats/two_samples.h"

static bool near(double x, double y, double tolerance)
{
    return fabs(x - y) <= tolerance * fmax(1, fabs(y));
}

/* ---- exact ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t n_a, n_b;
    double a[20], b[20];
    double w, p, shift, low, high;
} exact[] = {
    /* Hollander and Wolfe (1973), p. 69: permeability of the human chorioamnion; R's own example */
    {"permeability",
     5,
     10,
     {1.15, 0.88, 0.90, 0.74, 1.21},
     {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
     35,
     0.254412254412254,
     0.305,
     -0.15,
     0.76},
    {"apart", 5, 5, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, 25, 0.00793650793650794, 5, 2, 8},
    /* too small for 95 %: the extremes */
    {"three", 3, 3, {1, 2, 3}, {2.5, 3.5, 4.5}, 8, 0.2, 1.5, -0.5, 3.5},
    {"twenty",
     20,
     20,
     {12.1,  12.3,  12.2,  12.9,  12.4,  12.0,  12.6,  13.3,  12.15, 12.25,
      12.35, 12.45, 12.55, 12.65, 12.75, 12.85, 12.95, 13.05, 13.15, 13.25},
     {12.51, 12.71, 12.31, 13.41, 12.81, 12.41, 13.01, 13.61, 12.61, 12.52,
      12.72, 12.92, 12.82, 12.11, 13.12, 13.22, 13.32, 13.42, 13.52, 12.02},
     262,
     0.0964995524361003,
     0.26,
     -0.04,
     0.56},
};

TEST(exact_answers_are_those_of_r)
{
    for (size_t i = 0; i < N_ELEMENTS(exact); i++) {
        const struct bo_contrast c =
            bo_contrast_samples(exact[i].a, exact[i].n_a, exact[i].b, exact[i].n_b, 0.95);
        const double n_pairs = (double)(exact[i].n_a * exact[i].n_b);
        if (!c.exact || !near(c.superiority, exact[i].w / n_pairs, 1e-12) ||
            !near(c.p, exact[i].p, 1e-12) || !near(c.shift, exact[i].shift, 1e-12) ||
            !near(c.interval.low, exact[i].low, 1e-9) ||
            !near(c.interval.high, exact[i].high, 1e-9))
            fail_msg("%s: p %.15g, shift %.15g [%.15g, %.15g]", exact[i].name, c.p, c.shift,
                     c.interval.low, c.interval.high);
    }
}

/* The samples' roles change: the same probability, the opposite effect. */
TEST(exchanged)
{
    for (size_t i = 0; i < N_ELEMENTS(exact); i++) {
        const struct bo_contrast c =
            bo_contrast_samples(exact[i].b, exact[i].n_b, exact[i].a, exact[i].n_a, 0.95);
        assert_true(near(c.p, exact[i].p, 1e-12));
        assert_true(near(c.shift, -exact[i].shift, 1e-12));
        assert_true(near(c.interval.low, -exact[i].high, 1e-9));
        assert_true(near(c.interval.high, -exact[i].low, 1e-9));
    }
}

TEST(coverage_is_what_samples_allow)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    struct bo_contrast c = bo_contrast_samples(a, 3, b, 3, 0.95);
    assert_true(near(c.interval.coverage, 0.9, 1e-12)); /* 1 - 2 / 20 orders */
    c = bo_contrast_samples(a, 1, b, 1, 0.95);
    assert_true(near(c.interval.coverage, 0, 1e-12));
    assert_true(near(c.p, 1, 1e-12));
    assert_true(near(c.shift, 3, 1e-12));
}

/* ---- by the normal approximation ------------------------------------------------------------- */

TEST(ties)
{
    const double a[] = {1, 2, 2, 3, 3, 3, 4}, b[] = {2, 3, 3, 4, 4, 5, 5, 6};
    struct bo_contrast c = bo_contrast_samples(a, 7, b, 8, 0.95);
    assert_false(c.exact);
    assert_true(near(c.superiority, 45.0 / 56, 1e-12));
    assert_true(near(c.p, 0.0498844369799259, 1e-12));
    assert_true(near(c.shift, 1, 1e-4)); /* R solves for it to four digits */
    assert_true(near(c.interval.low, 0, 1e-4));
    assert_true(near(c.interval.high, 3, 1e-4));
    const double same[] = {7, 7, 7, 7};
    c = bo_contrast_samples(same, 4, same, 4, 0.95);
    assert_true(c.p == 1 && c.shift == 0 && c.superiority == 0.5);
    assert_true(c.interval.low == 0 && c.interval.high == 0);
}

/* More than 49 values, none of them tied. */
TEST(large)
{
    enum { N_A = 60, N_B = 55 };
    double a[N_A], b[N_B];
    for (unsigned i = 0; i < N_A; i++)
        a[i] = 100 + (i * 37 % 101) * 0.13;
    for (unsigned i = 0; i < N_B; i++)
        b[i] = 101.5 + (i * 53 % 97) * 0.131;
    const struct bo_contrast c = bo_contrast_samples(a, N_A, b, N_B, 0.95);
    assert_false(c.exact);
    assert_true(near(c.superiority, 1930.0 / (N_A * N_B), 1e-12));
    assert_true(near(c.p, 0.117606459983349, 1e-10));
    assert_true(near(c.shift, 1.15952284618133, 1e-2)); /* R solves for it */
    assert_true(near(c.interval.low, -0.272009701465291, 1e-2));
    assert_true(near(c.interval.high, 2.59508633788453, 1e-2));
}

/* R counts orders below 50 values, and approximates from there on. */
TEST(the_most_values_of_an_exact_test)
{
    double many[50];
    const double one = 100;
    for (unsigned i = 0; i < 50; i++)
        many[i] = i;
    struct bo_contrast c = bo_contrast_samples(many, 49, &one, 1, 0.95);
    assert_true(c.exact && near(c.p, 2.0 / 50, 1e-12));
    c = bo_contrast_samples(many, 50, &one, 1, 0.95);
    assert_false(c.exact);
    assert_true(near(c.p, 0.0960, 1e-3)); /* z is 24.5 / sqrt(50 * 52 / 12) */
    c = bo_contrast_samples(&one, 1, many, 50, 0.95);
    assert_false(c.exact);
}

/* ---- several tests --------------------------------------------------------------------------- */

TEST(holm)
{
    double p[] = {0.01, 0.04, 0.03, 0.005, 0.5, 0.02}, q[] = {0.9, 0.0001, 0.4, 0.4};
    const double p_adjusted[] = {0.05, 0.09, 0.09, 0.03, 0.5, 0.08};
    const double q_adjusted[] = {1, 0.0004, 1, 1};
    bo_holm(p, N_ELEMENTS(p));
    bo_holm(q, N_ELEMENTS(q));
    bo_holm(q, 0);
    for (size_t i = 0; i < N_ELEMENTS(p); i++)
        assert_true(near(p[i], p_adjusted[i], 1e-12));
    for (size_t i = 0; i < N_ELEMENTS(q); i++)
        assert_true(near(q[i], q_adjusted[i], 1e-12));
}

TEST_FILE(NULL, NULL)
