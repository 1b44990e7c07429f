/*
 * Documents that were not used while codecs were designed, compared with the others. They show
 * whether a codec is as good on unseen data.
 */
#ifndef BO_REPORT_HELD_OUT_H
#define BO_REPORT_HELD_OUT_H

#include "bench/report/grid.h"
#include "bench/runs/run.h"
#include "harness/core/print.h"

/*
 * One line per codec: geometric means of its bytes and of its time for the main queries, each
 * divided by that of the first codec. There is one mean over the documents that are not held out,
 * one over those that are, and the second mean divided by the first. "-" if a codec lacks the
 * figure on one of the documents. Returns one or two sentences about the grid, in the arena; NULL
 * unless the run has both sorts of documents.
 */
char *bo_held_out_grid(const struct bo_run *run, const char *format, struct bo_arena *arena,
                       struct bo_grid *grid_ret);

#endif
