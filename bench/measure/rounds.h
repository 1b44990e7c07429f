/*
 * The parent of all measuring processes: rounds over the plan, in shuffled order, one process a
 * cell at a time.
 */
#ifndef BO_ROUNDS_H
#define BO_ROUNDS_H

#include "bench/measure/plan.h"
#include "harness/core/progress.h"

/*
 * Runs all rounds of some cells of a plan, interleaved; times and failures go to the cells' rows. A
 * process that crashes, hangs or writes what is not a record fails the row that it measured, and
 * nothing else. `progress` (may be NULL) gets a step for each row of each round. *n_rounds_ret is
 * how many rounds were completed: fewer than options->rounds where the run was interrupted. BO_IO
 * when the system refuses a process or a pipe.
 */
enum bo_status bo_rounds_run(struct bo_bench_cell *cells, unsigned n_cells,
                             const struct bo_bench_options *options, struct bo_progress *progress,
                             unsigned *n_rounds_ret, struct bo_error *err);

/*
 * Takes what was measured of a cell; true when nothing more comes. Times for which the row has no
 * room are the caller's mistake.
 */
bool bo_rounds_take(struct bo_bench_cell *cell, const struct bo_record *record, unsigned round);

/* One process for the due rows of one cell; bo_rounds_run is made of these. */
enum bo_status bo_rounds_run_cell(struct bo_bench_cell *cell,
                                  const struct bo_bench_options *options, unsigned round,
                                  struct bo_error *err);

#endif
