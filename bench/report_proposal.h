/* A proposal's own table of sizes, made anew with our documents: one line a document. */
#ifndef BO_REPORT_PROPOSAL_H
#define BO_REPORT_PROPOSAL_H

#include "bench/report_grid.h"
#include "bench/report_notes.h"
#include "bench/report_page.h"

/*
 * Bytes of the columns without a sign, and how much less (or more) than the first column's those
 * with one are, in percent; at the end the totals, and the geometric mean of what is left. A line
 * without the first column's bytes is left out; a missing figure is "-" and spoils its total.
 */
void bo_proposal_grid(const struct bo_run *run, const char *format,
                      const struct bo_proposal *proposal, struct bo_arena *arena,
                      struct bo_grid *grid_ret);

/* The table with its heading and words. */
void bo_page_proposal(const struct bo_page *page, const char *format,
                      const struct bo_proposal *proposal);

#endif
