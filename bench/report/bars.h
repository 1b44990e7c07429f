/* Pictures with a bar for each codec of a document. */
#ifndef BO_REPORT_BARS_H
#define BO_REPORT_BARS_H

#include "bench/report/canvas.h"
#include "bench/runs/run.h"

/*
 * Bytes by section: a bar for each encoding; of codecs of two parts, those that differ in the
 * first. Bars of more than twice the first codec's bytes are cut and labelled with their length.
 */
void bo_plot_sections(const struct bo_run_document *document, const char *path,
                      struct bo_drawing *drawing);

/*
 * The scatter of times under a label: for each codec, the 10th to the 90th percentile over batches,
 * with the median.
 */
void bo_plot_scatter(const struct bo_run_document *document, const char *label, const char *path,
                     struct bo_drawing *drawing);

#endif
