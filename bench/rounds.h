/*
 * The parent of all measuring processes: rounds over the plan, in shuffled order, one process a
 * cell at a time.
 */
#ifndef BO_ROUNDS_H
#define BO_ROUNDS_H

#include "bench/plan.h"

/*
 * Runs all rounds; times and failures end up in the plan's rows. A process that crashes, hangs or
 * talks nonsense fails the row that it was at, and nothing else. BO_IO when the system gives no
 * process or pipe.
 */
enum bo_status bo_rounds_run(const struct bo_plan *plan, const struct bo_bench_options *options,
                             struct bo_error *err);

/* One process for one cell; bo_rounds_run is made of these. */
enum bo_status bo_rounds_run_cell(struct bo_bench_cell *cell,
                                  const struct bo_bench_options *options, unsigned round,
                                  struct bo_error *err);

#endif
