/* A format's part of REPORT.md. */
#ifndef BO_REPORT_FORMAT_H
#define BO_REPORT_FORMAT_H

#include "bench/report_page.h"
#include "harness/format.h"

/*
 * The question, the picks, the tables over all documents, each document's own, the code; the curves
 * over sizes are those of the second page's run.
 */
void bo_page_format(const struct bo_page *page, const struct bo_page *curves,
                    const struct bo_format *format);

#endif
