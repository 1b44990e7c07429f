/*
 * Outliers among repetitions: beyond 1.5 interquartile ranges of the quartiles (Tukey's fences), of
 * the logarithms of a row's times. They are named, but stay in every figure.
 */
#ifndef BO_REPORT_OUTLIERS_H
#define BO_REPORT_OUTLIERS_H

#include "bench/report/comparison.h"

/* "#3 #17", repetitions counted from 1, in the arena; NULL for none. *n_ret is their number. */
char *bo_outliers_text(const struct bo_run_row *row, struct bo_arena *arena, unsigned *n_ret);

/*
 * The outliers of all wanted rows of a document, in a sentence. NULL if no row has any or none were
 * looked for.
 */
char *bo_outliers_note(const struct bo_run_document *document, struct bo_label_filter *filter,
                       struct bo_arena *arena);

#endif
