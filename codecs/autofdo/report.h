/* The report of the format: an entry of struct bo_format. */
#ifndef AUTOFDO_REPORT_H
#define AUTOFDO_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report autofdo_report;

#endif
