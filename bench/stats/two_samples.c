/* Mann-Whitney's test with Hodges and Lehmann's estimate, and Holm's correction. */
#include "bench/stats/two_samples.h"

#include <math.h>
#include <stdlib.h>

#include "bench/stats/stats.h"
#include "harness/core/arena.h"

enum { MAX_EXACT = 49 }; /* as in R */

/* ---- the distribution of the statistic ------------------------------------------------------- */

/*
 * tail[u]: the probability that the statistic is at most u when the samples, of n_a and n_b values
 * without ties, are of one population; for u up to half of n_a * n_b.
 *
 * With i and j values there are ways(i, j, u) = ways(i - 1, j, u - j) + ways(i, j - 1, u) orders in
 * which u pairs have the value of b above that of a: the largest of all is one of b's (and above j
 * of a's), or not.
 */
static void exact_tail(size_t n_b, size_t n_a, double *tail)
{
    const size_t n_half = n_a * n_b / 2 + 1;
    /* of i values of b; by j, then u */
    double *ways = bo_or_abort(calloc((n_a + 1) * n_half, sizeof *ways));
    for (size_t j = 0; j <= n_a; j++)
        ways[j * n_half] = 1;
    for (size_t i = 1; i <= n_b; i++)
        for (size_t j = 1; j <= n_a; j++)
            for (size_t u = n_half; u-- > 0;)
                ways[j * n_half + u] =
                    (u >= j ? ways[j * n_half + u - j] : 0) + ways[(j - 1) * n_half + u];
    const double log_all =
        lgamma((double)(n_a + n_b) + 1) - lgamma((double)n_a + 1) - lgamma((double)n_b + 1);
    double sum = 0;
    for (size_t u = 0; u < n_half; u++) {
        sum += ways[n_a * n_half + u];
        tail[u] = fmin(1, exp(log(sum) - log_all));
    }
    free(ways);
}

/* The quantile of the standard normal distribution for a share q, by bisection. */
static double normal_quantile(double q)
{
    double low = -40, high = 40;
    for (unsigned i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < q)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- the test -------------------------------------------------------------------------------- */

struct ranks {
    double n_above; /* pairs in which b is above a; ties count half */
    double n_pairs;
    double n_tied; /* the sum of t^3 - t over groups of t equal values in both samples together */
};

static struct ranks count_pairs(const double *a, size_t n_a, const double *b, size_t n_b)
{
    const size_t n = n_a + n_b;
    double *both = bo_or_abort(malloc(n * sizeof *both));
    struct ranks r = {.n_pairs = (double)n_a * (double)n_b};
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++)
            r.n_above += b[j] > a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
    for (size_t i = 0; i < n; i++)
        both[i] = i < n_a ? a[i] : b[i - n_a];
    bo_sort_doubles(both, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && both[end] == both[i]; end++)
            ;
        const double t = (double)(end - i);
        r.n_tied += t * t * t - t;
    }
    free(both);
    return r;
}

/* The statistic's standard deviation when there is no difference. */
static double deviation(const struct ranks *r, size_t n_a, size_t n_b)
{
    const double n = (double)(n_a + n_b);
    return sqrt(r->n_pairs / 12 * (n + 1 - r->n_tied / (n * (n - 1))));
}

/* With a continuity correction, since the statistic is discrete. */
static double approximate_p(const struct ranks *r, double sd)
{
    const double z = fmax(0, fabs(r->n_above - r->n_pairs / 2) - 0.5);
    return sd > 0 ? erfc(z / sd / sqrt(2)) : 1;
}

/*
 * All differences b - a, sorted: their median is the estimate, and two of them bound the interval.
 */
static void estimate_shift(const double *a, size_t n_a, const double *b, size_t n_b, size_t n_cut,
                           struct bo_contrast *contrast)
{
    const size_t n = n_a * n_b;
    double *differences = bo_or_abort(malloc(n * sizeof *differences));
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++)
            differences[i * n_b + j] = b[j] - a[i];
    contrast->shift = bo_median(differences, n);
    contrast->interval.low = differences[n_cut];
    contrast->interval.high = differences[n - 1 - n_cut];
    free(differences);
}

/* The number of sorted differences outside the interval, on each side. */
static size_t exact_cut(const double *tail, double miss, struct bo_contrast *contrast)
{
    size_t n_cut = 0;
    while (tail[n_cut] < miss / 2)
        n_cut++;
    n_cut -= n_cut > 0; /* the interval misses when the statistic is n_cut or less */
    contrast->interval.coverage = 1 - 2 * tail[n_cut];
    return n_cut;
}

struct bo_contrast bo_contrast_samples(const double *a, size_t n_a, const double *b, size_t n_b,
                                       double confidence)
{
    const struct ranks ranks = count_pairs(a, n_a, b, n_b);
    struct bo_contrast contrast = {.p = 1};
    size_t n_cut = 0;
    contrast.superiority = ranks.n_above / ranks.n_pairs;
    contrast.exact = ranks.n_tied == 0 && n_a <= MAX_EXACT && n_b <= MAX_EXACT;
    if (contrast.exact) {
        double *tail = bo_or_abort(malloc((n_a * n_b / 2 + 1) * sizeof *tail));
        exact_tail(n_b, n_a, tail);
        const double farther = fmin(ranks.n_above, ranks.n_pairs - ranks.n_above);
        contrast.p = fmin(1, 2 * tail[(size_t)farther]);
        n_cut = exact_cut(tail, 1 - confidence, &contrast);
        free(tail);
    } else {
        const double sd = deviation(&ranks, n_a, n_b);
        const double cut = ranks.n_pairs / 2 + normal_quantile((1 - confidence) / 2) * sd - 0.5;
        contrast.p = approximate_p(&ranks, sd);
        contrast.interval.coverage = confidence;
        n_cut = cut > 0 ? (size_t)cut : 0;
    }
    estimate_shift(a, n_a, b, n_b, n_cut, &contrast);
    return contrast;
}

/* ---- several tests --------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = **(double *const *)a, y = **(double *const *)b;
    return (x > y) - (x < y);
}

void bo_holm(double *p, size_t n)
{
    double **order = bo_or_abort(malloc((n + 1) * sizeof *order)), floor = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = &p[i];
    qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0; i < n; i++)
        floor = *order[i] = fmin(1, fmax(floor, *order[i] * (double)(n - i)));
    free(order);
}
