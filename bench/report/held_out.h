/*
 * Documents that nobody looked at while codecs were made, beside the others: whether a codec is as
 * good on what it was not made with.
 */
#ifndef BO_REPORT_HELD_OUT_H
#define BO_REPORT_HELD_OUT_H

#include "bench/report/grid.h"
#include "bench/runs/run.h"
#include "harness/core/print.h"

/*
 * How many of the format's documents are held out, or (false) not; those for curves do not count.
 */
unsigned bo_n_documents(const struct bo_run *run, const char *format, bool held_out);

/*
 * A line a codec: geometric means of its bytes, and of its time of the main queries, over those of
 * the first codec, on the documents that are not held out, on those that are, and the second over
 * the first. "-" where a codec lacks the figure on one of them. False when the run has not both.
 */
bool bo_held_out_grid(const struct bo_run *run, const char *format, struct bo_arena *arena,
                      struct bo_grid *grid_ret);

/* What the grid shows, a sentence or two; in the arena. */
char *bo_held_out_caption(const struct bo_run *run, const char *format, struct bo_arena *arena);

#endif
