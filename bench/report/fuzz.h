/* The results of fuzzing, from the tables in results/fuzz. */
#ifndef BO_REPORT_FUZZ_H
#define BO_REPORT_FUZZ_H

#include "bench/report/page.h"

/*
 * A table has lines of tab-separated cells. '#' starts a line with the date and method of the
 * table. A missing table is reported as not measured. FOLDER is results/fuzz, or another one in
 * tests.
 */

/* The section of REPORT.md: real documents in full, the mutation score, open findings. */
void bo_fuzz_section(const char *folder, struct bo_arena *arena, FILE *out);

/* A part of a format's chapter: its codecs, and the faults that its targets look for. */
void bo_fuzz_format(const struct bo_page *page, const char *folder, const char *format);

/* results/fuzz.md: everything, codec by codec. */
void bo_fuzz_page(const char *folder, struct bo_arena *arena, FILE *out);

/*
 * Sets for each codec of the run the number of executions since the sources of its format last
 * changed, if known. Comparisons have a column for it.
 */
void bo_fuzz_mark_run(const char *folder, struct bo_run *run);

/* "1.23 M"; "-" for NaN. */
char *bo_executions_text(struct bo_arena *arena, double n);

#endif
