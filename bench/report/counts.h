/* Counts made by bench/watch.sh: lines of the input, and instructions of queries. */
#ifndef BO_REPORT_COUNTS_H
#define BO_REPORT_COUNTS_H

#include "bench/report/page.h"

/* A table of the format's counts in the folder of TSV files; nothing without any. */
void bo_page_counts(const struct bo_page *page, const char *folder, const char *format);

#endif
