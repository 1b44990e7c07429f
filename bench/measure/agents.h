/*
 * Programs that measure for this one: the same code in other layouts (links.h). Each has loaded the
 * document and drawn the same queries. It receives the rows of a cell to measure, measures them in
 * a process of its own and returns the records.
 *
 * From the parent, lines of numbers: first "MIN_TIME_S TIMEOUT_S ORDER_SEED", then for each cell
 * "CELL ROUND ROW ROW ...". From the agent: first the line "CELLS ROWS HASH" of its plan, then for
 * each cell records (record.h) up to one of type BO_RECORD_END.
 */
#ifndef BO_AGENTS_H
#define BO_AGENTS_H

#include <stdio.h>
#include <sys/types.h>

#include "bench/measure/links.h"
#include "bench/measure/plan.h"

struct bo_agents {
    struct bo_agent {
        pid_t pid;
        FILE *to, *from;
    } agents[BO_MAX_LAYOUTS];
    unsigned n;
};

/*
 * Starts the program of each link with the arguments `words` (ends with NULL), and waits until all
 * have made the plan. BO_IO with a message in *err when one does not start or plans different rows.
 * Call bo_agents_stop in either case.
 */
enum bo_status bo_agents_start(const struct bo_links *links, const char *const *words,
                               const struct bo_plan *plan, const struct bo_bench_options *options,
                               struct bo_agents *agents_ret, struct bo_error *err);
void bo_agents_stop(struct bo_agents *agents);

/*
 * Agent `layout` measures the due rows of cell number `cell_index` of the plan. BO_IO when the
 * agent has ended.
 */
enum bo_status bo_agents_run_cell(struct bo_agents *agents, unsigned layout,
                                  struct bo_bench_cell *cell, unsigned cell_index, unsigned round,
                                  struct bo_error *err);

/* The main loop of an agent: serves standard input until it ends. False on an invalid line. */
bool bo_agent_serve(struct bo_plan *plan, struct bo_bench_options *options);

#endif
