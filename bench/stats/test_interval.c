/* The interval of a median, against the values that tables of order statistics give. */
#include "harness/core/test_cmocka.h"

#include <math.h>

#include "bench/stats/interval.h"

static const struct {
    size_t n, low, high; /* ranks, from 1 */
    double coverage;
} known[] = {
    {6, 1, 6, 0.96875},     {9, 2, 8, 0.960938},     {10, 2, 9, 0.978516},
    {15, 4, 12, 0.964844},  {20, 6, 15, 0.958611},   {25, 8, 18, 0.956715},
    {30, 10, 21, 0.957226}, {100, 40, 61, 0.964800}, {1000, 469, 532, 0.953709},
};

TEST(known_intervals)
{
    double ranks[1000];
    for (size_t i = 0; i < 1000; i++)
        ranks[i] = (double)(i + 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct bo_interval interval = bo_median_interval(ranks, known[i].n, 0.95);
        assert_int_equal((int)interval.low, known[i].low);
        assert_int_equal((int)interval.high, known[i].high);
        assert_true(fabs(interval.coverage - known[i].coverage) < 1e-6);
    }
}

/* The extremes of 5 values contain the median with 93.75% only. */
TEST(too_few_values_have_none)
{
    const double values[] = {1, 2, 3, 4, 5};
    for (size_t n = 1; n <= 5; n++) {
        const struct bo_interval interval = bo_median_interval(values, n, 0.95);
        assert_true(isnan(interval.low) && isnan(interval.high) && interval.coverage == 0);
    }
    assert_true(bo_median_interval(values, 5, 0.9).coverage == 0.9375);
}

TEST(more_confidence_is_wider)
{
    double ranks[40];
    double last = 0;
    for (size_t i = 0; i < 40; i++)
        ranks[i] = (double)(i + 1);
    for (double confidence = 0.5; confidence < 0.9999; confidence += 0.01) {
        const struct bo_interval interval = bo_median_interval(ranks, 40, confidence);
        assert_true(interval.coverage >= confidence);
        assert_true(interval.high - interval.low >= last);
        last = interval.high - interval.low;
    }
}

TEST_FILE(NULL, NULL)
