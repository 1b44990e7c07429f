/* One measuring process: runs a round of a cell's rows and sends records to the parent. */
#ifndef BO_CELL_H
#define BO_CELL_H

#include <stdio.h>

#include "bench/measure/plan.h"

/*
 * True when the row must be measured in this round: it has not failed, and is not too slow for
 * another repetition.
 */
bool bo_row_is_due(const struct bo_bench_row *row, const struct bo_bench_options *options,
                   unsigned round);

/* Fills order with 0 to n - 1 in random order (Fisher and Yates, inside out). */
void bo_shuffle(unsigned *order, unsigned n, struct bo_random *random);

/*
 * Encodes the document if no process has done so yet, then measures the due rows in shuffled order,
 * or checks them if options->checks. Runs in a process of its own, so that a misbehaving codec only
 * ends this process.
 */
void bo_cell_run(const struct bo_bench_cell *cell, const struct bo_bench_options *options,
                 unsigned round, FILE *to_parent);

#endif
