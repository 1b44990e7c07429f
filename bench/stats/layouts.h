/*
 * Times measured in several layouts of one program, as a random effect. The layouts of a run are
 * drawn from all orders in which a linker may place the functions. So an interval that covers
 * layouts must come from the differences between them. All functions abort when memory is
 * exhausted.
 */
#ifndef BO_LAYOUTS_H
#define BO_LAYOUTS_H

#include <stddef.h>

#include "bench/stats/interval.h"
#include "harness/core/arena.h"

enum { BO_MAX_LAYOUTS = 12 };

/* Repetitions of a row: logarithms of times, each with the number of its layout, from 0. */
struct bo_repetitions {
    const double *log_times;
    const unsigned *layouts; /* below BO_MAX_LAYOUTS; NULL: all were measured in one layout */
    size_t n;
};

struct bo_layout_effect {
    unsigned n_layouts; /* layouts that have a repetition */
    double mean;        /* of the layouts' medians */
    /*
     * Of the mean over all layouts: mean +- t s / sqrt(k), with the standard deviation s of the k
     * layouts' medians and Student's t with k - 1 degrees of freedom. NaN for one layout.
     */
    struct bo_interval interval;
    /*
     * Standard deviations: of a layout's expected value, and of a repetition in a layout. The first
     * is sqrt(s^2 - v), at least 0, where v is the variance that the repetitions give a layout's
     * median: pi / 2 w^2 / n for n repetitions of standard deviation w (w^2 / n for n below 3).
     * NaN where there are too few layouts, or repetitions in a layout, to estimate it.
     */
    double between, within;
    double medians[BO_MAX_LAYOUTS]; /* the first n_layouts, by layout */
};

/* n must not be 0. */
struct bo_layout_effect bo_layout_effect(const struct bo_repetitions *repetitions,
                                         double confidence);

/*
 * Tests whether two rows measured in layouts differ: the p of Welch's two-sided test of the
 * layouts' medians. Repetitions within a layout are not independent samples of it. *shift_ret is
 * the difference b - a of the means, *interval_ret its interval. If one of them has a single
 * layout, p is 1 and the interval NaN.
 */
double bo_layouts_differ(const struct bo_layout_effect *a, const struct bo_layout_effect *b,
                         double confidence, double *shift_ret, struct bo_interval *interval_ret);

/* ---- one codec measured as two --------------------------------------------------------------- */

/* Differences of logarithms between two measurements of one thing; absolute values. */
struct bo_differences {
    double *items;
    size_t n, cap;
    struct bo_arena *arena; /* of the items */
};

/*
 * Adds the differences between the two halves of the repetitions of each layout, every second
 * repetition against the others, by medians. Layouts with one repetition add nothing.
 */
void bo_differ_within(const struct bo_repetitions *repetitions, struct bo_differences *differences);

/*
 * Adds the differences between two groups of half of the layouts each, for all such pairs of
 * groups, by the means of the layouts' medians. A single layout adds nothing.
 */
void bo_differ_between(const struct bo_repetitions *repetitions,
                       struct bo_differences *differences);

#endif
