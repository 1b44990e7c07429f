/* Summaries: figures computed by hand. Why: a wrong percentile would affect every table. */
#include "harness/core/test_cmocka.h"

#include <math.h>

#include "bench/stats/stats.h"

#define assert_near(a, b) assert_float_equal(a, b, 1e-9)

TEST(percentiles_interpolate)
{
    const double five[] = {10, 20, 30, 40, 50};
    assert_near(bo_percentile(five, 5, 0), 10);
    assert_near(bo_percentile(five, 5, 0.1), 14);
    assert_near(bo_percentile(five, 5, 0.5), 30);
    assert_near(bo_percentile(five, 5, 0.9), 46);
    assert_near(bo_percentile(five, 5, 1), 50);
    const double four[] = {1, 2, 3, 10};
    assert_near(bo_percentile(four, 4, 0.5), 2.5);
    assert_near(bo_percentile(four, 4, 0.9), 7.9);
}

TEST(one_value_is_every_percentile)
{
    const double one[] = {7};
    assert_near(bo_percentile(one, 1, 0.1), 7);
    assert_near(bo_percentile(one, 1, 1), 7);
}

TEST(medians_by_hand)
{
    double values[] = {9, 2, 4, 4, 5, 7, 5, 4};
    assert_near(bo_median(values, 8), 4.5);
    assert_near(values[0], 2);
    assert_near(values[7], 9);
    assert_near(bo_median(values, 1), 2);
    assert_true(isnan(bo_median(values, 0)));
}

TEST_FILE(NULL, NULL)
