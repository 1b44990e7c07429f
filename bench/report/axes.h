/* Tables of a format whose codecs are made of two parts: one axis at a time (see axes.h). */
#ifndef BO_REPORT_AXES_H
#define BO_REPORT_AXES_H

#include "bench/report/grid.h"
#include "bench/report/page.h"
#include "harness/format_report.h"

/* True when some codec of the document has two parts. */
bool bo_has_axes(const struct bo_run_document *document);

/*
 * One line for each first part, one column for each second part. A cell holds bytes per unit and
 * the time of the main query.
 */
void bo_axes_matrix(const struct bo_run_document *document, struct bo_arena *arena,
                    struct bo_grid *grid_ret);

/*
 * The figures of codecs that differ in one part only: the first one (codecs of one part are
 * included) or the second one. The other part is that of the document's first codec of two parts.
 */
void bo_axis_grid(const struct bo_run_document *document, const struct bo_axes *axes, bool first,
                  struct bo_arena *arena, struct bo_grid *grid_ret);

/* The three tables with their explanations. Nothing for a document without such codecs. */
void bo_page_axes(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_axes *axes);

#endif
