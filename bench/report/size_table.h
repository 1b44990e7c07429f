/* Tables of sizes that a format describes, with one line per document. */
#ifndef BO_REPORT_SIZE_TABLE_H
#define BO_REPORT_SIZE_TABLE_H

#include "bench/report/page.h"
#include "harness/format_report.h"

/*
 * The table with its heading and text; at the end the totals over all documents, and the geometric
 * means of changes and shares. A line without the first column's bytes is left out. A missing
 * figure is "-", and its column then has no total.
 */
void bo_page_size_table(const struct bo_page *page, const char *format,
                        const struct bo_size_table *table);

#endif
