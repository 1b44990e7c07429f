/* The report of unwind tables: an entry of struct bo_format. */
#ifndef UNWIND_REPORT_H
#define UNWIND_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report unwind_report;

#endif
