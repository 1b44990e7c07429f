/* The pictures, as SVG by gnuplot. */
#ifndef BO_REPORT_PLOT_H
#define BO_REPORT_PLOT_H

#include "bench/runs/run.h"

/*
 * Bytes against the time of the document's main query label, both on logarithmic axes: every codec
 * with its interval and its name, and the Pareto front. False after a message when gnuplot is
 * missing or fails, or the file cannot be written.
 */
bool bo_plot_size_time(const struct bo_run_document *document, const char *path);

/* The time of each query label, side by side, for every codec. */
bool bo_plot_workloads(const struct bo_run_document *document, const char *path);

#endif
