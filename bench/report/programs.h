/* The field's own programs in the report. */
#ifndef BO_REPORT_PROGRAMS_H
#define BO_REPORT_PROGRAMS_H

#include "bench/report/page.h"

/*
 * One line per document and program: its file's bytes, the time of each run. Nothing without
 * programs.
 */
void bo_page_programs(const struct bo_page *page, const char *format);

#endif
