/* What reports say of the format: an entry of struct bo_format. */
#ifndef STATEHIST_REPORT_H
#define STATEHIST_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report statehist_report;

#endif
