/* Summaries of small samples. */
#ifndef BO_STATS_H
#define BO_STATS_H

#include <stddef.h>

/* Sorts ascending, in place. The functions below expect this for a "sorted" sample. */
void bo_sort_doubles(double *values, size_t n);

/*
 * The value below which a share q (0 to 1) of the sorted sample lies, interpolated linearly between
 * neighbours (R's type 7, NumPy's default). n must not be 0.
 */
double bo_percentile(const double *sorted, size_t n, double q);

/* The median; sorts the values. NaN for n = 0. */
double bo_median(double *values, size_t n);

#endif
