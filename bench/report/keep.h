/* What readers keep for later queries, within a budget: a table and a picture. */
#ifndef BO_REPORT_KEEP_H
#define BO_REPORT_KEEP_H

#include "bench/report/canvas.h"
#include "bench/report/page.h"

/* The codecs whose readers keep something, query by query. Nothing if no budgets were measured. */
void bo_page_keep(const struct bo_page *page, const struct bo_run_document *document);

/*
 * The query label of the picture: the one for which budgets change the time of a codec by the
 * largest ratio. NULL if the run measured no budgets.
 */
const char *bo_keep_label(const struct bo_run_document *document);

/*
 * Time of a query of that label against the reader's memory after the workload, one curve per
 * codec.
 */
void bo_plot_keep(const struct bo_run_document *document, const char *path,
                  struct bo_drawing *drawing);

#endif
