/* The value of one figure of a codec on a document. */
#ifndef BO_REPORT_FIGURE_H
#define BO_REPORT_FIGURE_H

#include "bench/runs/run.h"
#include "harness/format_report.h"

/* NaN if the run does not have the figure or the codec failed. */
double bo_figure_value(const struct bo_run_document *document, const struct bo_run_codec *codec,
                       const struct bo_figure *figure);

/* A time or counter of one row; NaN where the row has none, failed, or is NULL. */
double bo_figure_of_row(const struct bo_run_document *document, const struct bo_run_row *row,
                        const struct bo_figure *figure);

/* True for a time, as such or per unit: it has an interval. */
bool bo_is_time(const struct bo_figure *figure);

/* Three digits; "-" without a figure, "failed" where the codec failed. In the arena. */
char *bo_figure_cell(struct bo_arena *arena, const struct bo_run_document *document,
                     const struct bo_run_codec *codec, const struct bo_figure *figure);

/* True when any codec of the document has the figure. Otherwise its column is left out. */
bool bo_figure_known(const struct bo_run_document *document, const struct bo_figure *figure);

#endif
