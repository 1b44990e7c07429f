/*
 * How sure a median is: an interval by order statistics, which assumes nothing about the
 * distribution.
 */
#ifndef BO_REPORT_INTERVAL_H
#define BO_REPORT_INTERVAL_H

#include <stddef.h>

struct bo_interval {
    double low, high;
    double coverage; /* the probability that it contains the median */
};

/*
 * The shortest symmetric pair of order statistics of the sorted sample that contains the
 * population's median with at least the probability `confidence` (0 to 1). No pair of a sample too
 * small (below 6 for 0.95) does: both ends are NaN then, and the coverage 0. n must not be 0.
 */
struct bo_interval bo_median_interval(const double *sorted, size_t n, double confidence);

#endif
