/* What holds on every processor that was measured, and what on some. */
#ifndef BO_REPORT_MACHINES_H
#define BO_REPORT_MACHINES_H

#include "bench/report/report.h"

/*
 * A table of each format's pick on each machine beside that on its first one, over the documents
 * that both measured, and a sentence for each. Nothing where no format was measured on two
 * machines.
 */
void bo_report_machines(const struct bo_report *report, const struct bo_page *page);

#endif
