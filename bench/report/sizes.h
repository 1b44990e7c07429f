/* Size tables, and the one that every machine must reproduce byte for byte. */
#ifndef BO_REPORT_SIZES_H
#define BO_REPORT_SIZES_H

#include <stdbool.h>

#include "bench/report/grid.h"
#include "bench/runs/run.h"

/*
 * The sizes of one document, one line per encoding. `machine_dependent` adds the figures that
 * depend on compressor libraries and floating point: the columns of the outer compressors and the
 * entropy floor.
 */
void bo_sizes_grid(const struct bo_sizes *sizes, bool machine_dependent, struct bo_arena *arena,
                   struct bo_grid *grid_ret);

/* Encodes the embedded corpora and prints their sizes between two marks. False after a message. */
bool bo_sizes_block(FILE *out);

/*
 * Compares the block in a report with a new one. When they differ, or the report has none, prints
 * the difference to `out` and returns false.
 */
bool bo_sizes_compare(const char *report, const char *fresh, FILE *out);

#endif
