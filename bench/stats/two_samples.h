/*
 * Whether two samples differ, and by how much: by ranks, without assumptions about the
 * distributions. All functions abort when memory is exhausted.
 */
#ifndef BO_TWO_SAMPLES_H
#define BO_TWO_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/stats/interval.h"

struct bo_contrast {
    /*
     * Mann-Whitney's test, two-sided: the probability of a difference at least this large by chance
     */
    double p;
    /* The effect size: the probability that a value of b exceeds one of a; ties count half. */
    double superiority;
    double shift;                /* Hodges and Lehmann's estimate of b - a */
    struct bo_interval interval; /* of the shift; the coverage is what these samples allow */
    bool exact; /* not by the normal approximation: there are no ties, and below 50 values each */
};

/*
 * Compares b with a; neither may be empty. p, shift and interval are those of R's wilcox.test(b, a,
 * conf.int = TRUE). If R solves for the interval by the normal approximation, this uses the nearest
 * order statistics of the differences.
 */
struct bo_contrast bo_contrast_samples(const double *a, size_t n_a, const double *b, size_t n_b,
                                       double confidence);

/*
 * Holm's correction: converts n probabilities, each of one test, to those that hold for all tests
 * together.
 */
void bo_holm(double *p, size_t n);

#endif
