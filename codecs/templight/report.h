/* What reports say of the format: an entry of struct bo_format. */
#ifndef TEMPLIGHT_REPORT_H
#define TEMPLIGHT_REPORT_H

#include "harness/format_report.h"

extern const struct bo_format_report templight_report;

#endif
