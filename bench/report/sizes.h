/* Size tables, and the one that every machine must reproduce byte for byte. */
#ifndef BO_REPORT_SIZES_H
#define BO_REPORT_SIZES_H

#include <stdbool.h>

#include "bench/report/grid.h"
#include "bench/runs/run.h"

/*
 * The sizes of one document, one line per encoding. `machine_dependent` adds the figures that
 * depend on compressor libraries and floating point: the columns of the outer compressors and the
 * order-0 entropy.
 */
void bo_sizes_grid(const struct bo_sizes *sizes, bool machine_dependent, struct bo_arena *arena,
                   struct bo_grid *grid_ret);

/* The marks and the entropy in that table, explained; NULL: it has none. In the arena. */
const char *bo_sizes_note(const struct bo_sizes *sizes, bool machine_dependent,
                          struct bo_arena *arena);

/* results/sizes.md: the sizes of all embedded documents. False after a message. */
bool bo_sizes_page(FILE *out);

#endif
