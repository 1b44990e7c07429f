/* The binomial interval of a median. */
#include "bench/stats/interval.h"

#include <math.h>

/* The probability of exactly k heads in n throws of a fair coin. */
static double fair_binomial(size_t n, size_t k)
{
    const double log_choose =
        lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(log_choose - (double)n * log(2));
}

/*
 * The interval from the (k+1)-th smallest to the (k+1)-th largest value misses the median when at
 * most k values lie on one side of it: 2 P(B <= k) for B binomial with n throws.
 */
struct bo_interval bo_median_interval(const double *sorted, size_t n, double confidence)
{
    size_t k = 0;
    double miss = 2 * fair_binomial(n, 0);
    if (1 - miss < confidence)
        return (struct bo_interval){NAN, NAN, 0};
    while (2 * (k + 2) <= n) {
        const double wider_miss = miss + 2 * fair_binomial(n, k + 1);
        if (1 - wider_miss < confidence)
            break;
        miss = wider_miss;
        k++;
    }
    return (struct bo_interval){sorted[k], sorted[n - 1 - k], 1 - miss};
}
