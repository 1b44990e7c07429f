/* The conformance vectors that each implementation accepts and rejects: results/acceptance.tsv. */
#ifndef BO_REPORT_ACCEPTANCE_H
#define BO_REPORT_ACCEPTANCE_H

#include "bench/report/page.h"

/*
 * A section of REPORT.md, from FOLDER/acceptance.tsv: one line per format and implementation, then
 * their disagreements. Nothing if the file is missing.
 */
void bo_page_acceptance(const struct bo_page *page, const char *folder);

#endif
