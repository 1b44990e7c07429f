/*
 * The parent of all measuring processes: checks the cells of the plan on all processors, then runs
 * its rounds in shuffled order, with one process per cell at a time.
 */
#ifndef BO_ROUNDS_H
#define BO_ROUNDS_H

#include <stdio.h>

#include "bench/measure/plan.h"
#include "harness/core/progress.h"

/*
 * Compares the answers of some cells of a plan and counts pages, then runs all rounds of them,
 * interleaved. Times and failures go to the cells' rows. A process that crashes, hangs or writes an
 * invalid record fails only the row that it measured. `progress` (may be NULL) gets bo_row_steps
 * for the checks of each row and for each of its rounds. *n_rounds_ret is the number of completed
 * rounds: fewer than options->rounds if the run was interrupted or the deadline ended it. BO_IO
 * when the system refuses a process or a pipe.
 */
enum bo_status bo_rounds_run(struct bo_bench_cell *cells, unsigned n_cells,
                             const struct bo_bench_options *options, struct bo_progress *progress,
                             unsigned *n_rounds_ret, struct bo_error *err);

/*
 * Limits the rounds of the next document, of `steps`, by what is left of a run's time limit:
 * left_ns. options->rounds becomes the part of the rounds that all remaining documents can have, at
 * the speed of the steps so far, and options->deadline_ns the end of the document's share of the
 * time. Shares are in proportion to the steps; if all other documents need less than theirs, the
 * document gets the rest. The first document, before which the speed is not known, may have a
 * quarter.
 */
void bo_rounds_limit(const struct bo_progress *progress, double left_ns, double steps,
                     uint64_t now_ns, struct bo_bench_options *options);

/*
 * Adds a record to its cell. True when no more records follow. The caller must ensure that the row
 * has room for a time.
 */
bool bo_rounds_take(struct bo_bench_cell *cell, const struct bo_record *record, unsigned round);

/*
 * Runs one process for the due rows of one cell. bo_rounds_run is built on this. `relay` (NULL:
 * none) gets the records, including failures of a process that died, without BO_RECORD_END.
 */
enum bo_status bo_rounds_run_cell(struct bo_bench_cell *cell,
                                  const struct bo_bench_options *options, unsigned round,
                                  FILE *relay, struct bo_error *err);

#endif
