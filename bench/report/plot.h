/* Pictures of all codecs on a document. */
#ifndef BO_REPORT_PLOT_H
#define BO_REPORT_PLOT_H

#include "bench/report/canvas.h"
#include "bench/runs/run.h"

/*
 * Bytes against the time of the document's main query label, both on logarithmic axes: every codec
 * with its interval and its name, and the Pareto front.
 */
void bo_plot_size_time(const struct bo_run_document *document, const char *path,
                       struct bo_drawing *drawing);

/* The time of each query label, side by side, for every codec. */
void bo_plot_workloads(const struct bo_run_document *document, const char *path,
                       struct bo_drawing *drawing);

/*
 * Bytes by section: a bar for each encoding; of codecs of two parts, those that differ in the
 * first. Bars of more than twice the first codec's bytes are cut and labelled with their length.
 */
void bo_plot_sections(const struct bo_run_document *document, const char *path,
                      struct bo_drawing *drawing);

/*
 * The scatter of times under the main query label: for each codec, the 10th to the 90th percentile
 * over batches, with the median.
 */
void bo_plot_scatter(const struct bo_run_document *document, const char *path,
                     struct bo_drawing *drawing);

#endif
