/* One measuring process: it runs a round of a cell's rows and sends records to the parent. */
#ifndef BO_CELL_H
#define BO_CELL_H

#include "bench/measure/plan.h"

/*
 * Whether this round has yet to measure the row: not one that failed, nor one too slow to repeat so
 * often.
 */
bool bo_row_is_due(const struct bo_bench_row *row, const struct bo_bench_options *options,
                   unsigned round);

/* Fills order with 0 to n - 1 in random order (Fisher and Yates, inside out). */
void bo_shuffle(unsigned *order, unsigned n, struct bo_random *random);

/*
 * Encodes the document if no process has done so yet, then measures the rows that are due, in
 * shuffled order. Meant for a process of its own: whatever the codec does, only this process
 * suffers.
 */
void bo_cell_run(const struct bo_bench_cell *cell, const struct bo_bench_options *options,
                 unsigned round, FILE *to_parent);

#endif
