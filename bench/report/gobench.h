/* Results as lines of Go's benchmark format, so that `benchstat -col /codec` reads them. */
#ifndef BO_REPORT_GOBENCH_H
#define BO_REPORT_GOBENCH_H

#include <stdio.h>

#include "bench/report/comparison.h"

/*
 * Prints configuration lines, then one line per repetition for each wanted row of the format (of
 * one document, or of all for NULL). A line has a name with the corpus, kind, workload and codec as
 * keys, the iterations, and pairs of value and unit. A failure is printed in the format of `go
 * test`.
 */
void bo_gobench_print(const struct bo_run *run, const char *format,
                      const struct bo_run_document *document, struct bo_label_filter *filter,
                      struct bo_arena *arena, FILE *out);

#endif
