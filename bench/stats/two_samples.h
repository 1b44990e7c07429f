/*
 * Whether two samples differ, and by how much: by ranks, which assume nothing about the
 * distributions.
 */
#ifndef BO_TWO_SAMPLES_H
#define BO_TWO_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/stats/interval.h"

struct bo_contrast {
    double p; /* Mann-Whitney's test, two-sided: how likely so large a difference is by chance */
    /*
     * The effect's size: the probability that a value of b is above one of a, ties counting half.
     */
    double superiority;
    double shift;                /* Hodges and Lehmann's estimate of b - a */
    struct bo_interval interval; /* of the shift; the coverage is what these samples allow */
    bool exact; /* not by the normal approximation: no ties, below 50 values each */
};

/*
 * Compares b with a; neither may be empty. p, shift and interval are those of R's
 * wilcox.test(b, a, conf.int = TRUE); where that solves for the interval by the normal
 * approximation, this takes the nearest order statistics of the differences. False without memory.
 */
bool bo_contrast_samples(const double *a, size_t n_a, const double *b, size_t n_b,
                         double confidence, struct bo_contrast *contrast_ret);

/*
 * Holm's correction: makes of n probabilities, each of one test, those that hold for all tests
 * together. False without memory.
 */
bool bo_holm(double *p, size_t n);

#endif
