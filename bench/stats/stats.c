/* Summaries of small samples. */
#include "bench/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bo_sort_doubles(double *values, size_t n)
{
    if (n)
        qsort(values, n, sizeof *values, ascending);
}

double bo_percentile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t below = (size_t)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double bo_median(double *values, size_t n)
{
    bo_sort_doubles(values, n);
    return n ? bo_percentile(values, n, 0.5) : NAN;
}
