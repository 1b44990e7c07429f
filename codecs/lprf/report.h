/* What reports say of the format: an entry of struct bo_format. */
#ifndef LPRF_REPORT_H
#define LPRF_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report lprf_report;

#endif
