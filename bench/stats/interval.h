/*
 * The uncertainty of a median: an interval by order statistics, without assumptions about the
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
 * The narrowest symmetric pair of order statistics of the sorted sample that contains the
 * population's median with at least the probability `confidence` (0 to 1). If the sample is too
 * small (below 6 for 0.95), both ends are NaN and the coverage is 0. n must not be 0.
 */
struct bo_interval bo_median_interval(const double *sorted, size_t n, double confidence);

#endif
