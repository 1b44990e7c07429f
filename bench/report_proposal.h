/* A proposal's own table of sizes, made anew with our documents: one line a document. */
#ifndef BO_REPORT_PROPOSAL_H
#define BO_REPORT_PROPOSAL_H

#include "bench/report_notes.h"
#include "bench/report_page.h"

/*
 * The table with its heading and words: bytes in the columns without a sign, and how much less (or
 * more) than the first column's in those with one; at the end the totals, and the geometric means of
 * what is left. A line without the first column's bytes is left out; a missing figure is "-" and
 * spoils its total.
 */
void bo_page_proposal(const struct bo_page *page, const char *format,
                      const struct bo_proposal *proposal);

#endif
