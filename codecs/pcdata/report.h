/* What reports say of the format: an entry of struct bo_format. */
#ifndef PCDATA_REPORT_H
#define PCDATA_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report pcdata_report;

#endif
