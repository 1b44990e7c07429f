/*
 * A/A comparisons, in which one codec is measured as if it were two. They show how far a time
 * differs from itself. A difference between two codecs counts only if it is larger.
 */
#ifndef BO_NOISE_H
#define BO_NOISE_H

#include "bench/runs/run.h"

/*
 * For the rows of a format and a query kind ("point") or operation ("open"). Ratios are at least 1:
 * in 95% of the A/A comparisons, the larger time was at most this multiple of the smaller one. NaN
 * if there were none.
 */
struct bo_noise {
    /* One half of the repetitions in a layout against the other half. */
    double within;
    size_t n_within; /* comparisons */
    /*
     * The codec in one group of layouts against the same codec in another one. Each group has half
     * of the run's layouts. NaN in a run without layouts.
     */
    double between;
    size_t n_between;
    double limit; /* the larger of both: the A/A interval is 1 / limit to limit */
    /*
     * The size of the layout effect: the standard deviation between layouts of the logarithm of a
     * row's time (0.05: about 5%), the median and the largest over the rows; NaN without layouts.
     */
    double layout_sd, largest_layout_sd;
    size_t n_rows;
};

/*
 * `document` NULL: over all of the run's documents of the format. `kind` NULL: over all query kinds
 * and operations; a label means its kind. Variants of codecs count like codecs. The no-op
 * codec does not count.
 */
struct bo_noise bo_noise_of(const struct bo_run *run, const char *format, const char *document,
                            const char *kind);

/*
 * True when a ratio of two times is inside the A/A interval. It is then printed as "no difference".
 */
bool bo_is_noise(const struct bo_noise *noise, double ratio);

/*
 * "times that differ by less than 4.2% show no difference (A/A, 5 layouts)", for captions. NULL if
 * nothing was compared. In the arena.
 */
char *bo_noise_text(const struct bo_noise *noise, const struct bo_environment *environment,
                    struct bo_arena *arena);

/*
 * The same as JSON by query kind and operation, which results have beside each document:
 * {"point": {"within": 1.01, "between": 1.03, "layout_sd": ..., "largest_layout_sd": ...,
 * "rows": 12}}. The caller owns it.
 */
struct json_t *bo_noise_json(const struct bo_run *run, const char *format, const char *document);

#endif
