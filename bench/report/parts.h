/* Parts of pages. Each function has a file of its name: bo_page_counts is in counts.c. */
#ifndef BO_REPORT_PARTS_H
#define BO_REPORT_PARTS_H

#include "bench/report/page.h"

/*
 * A section of REPORT.md, from FOLDER/acceptance.tsv: the conformance vectors that each
 * implementation accepts and rejects, one line per format and implementation, then their
 * disagreements. Nothing if the file is missing.
 */
void bo_page_acceptance(const struct bo_page *page, const char *folder);

/*
 * A table of the format's counts by bench/watch.sh: lines of the input, and instructions of
 * queries. Nothing if the folder has no TSV files with such counts.
 */
void bo_page_counts(const struct bo_page *page, const char *folder, const char *format);

/* Where and how a run was measured: a table of facts, and the commands that measure it again. */
void bo_page_environment(const struct bo_page *page);

/*
 * The field's own programs, one line per document and program: its file's bytes, the time of each
 * run. Nothing without programs.
 */
void bo_page_programs(const struct bo_page *page, const char *format);

/*
 * A table of sizes that a format describes, one line per document, with its heading and text; at
 * the end the totals over all documents, and the geometric means of changes and shares. A line
 * without the first column's bytes is left out. A missing figure is "-", and its column then has no
 * total.
 */
void bo_page_size_table(const struct bo_page *page, const char *format,
                        const struct bo_size_table *table);

#endif
