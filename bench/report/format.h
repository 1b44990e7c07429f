/* A format's part of REPORT.md, and its own page. */
#ifndef BO_REPORT_FORMAT_H
#define BO_REPORT_FORMAT_H

#include "bench/report/page.h"
#include "harness/format.h"

/* Its chapter of REPORT.md: the question, the answer, the picks, sizes, what each use picks. */
void bo_page_format(const struct bo_page *page, const struct bo_format *format);

/*
 * One part of it without its heading, for other pages: question, answer, picture, picks, use-picks,
 * sizes, uses, code, counts. Or with its headings, and nothing if the format has none: proposal,
 * axes, programs, original, held-out. False when there is no part of that name.
 */
bool bo_page_part(const struct bo_page *page, const struct bo_format *format, const char *name);

/*
 * results/FORMAT.md: the tables over all documents, the uses codec by codec, the code, and all
 * measurements of each document. The curves over sizes are those of the second page's run.
 */
void bo_page_documents(const struct bo_page *page, const struct bo_page *curves,
                       const struct bo_format *format);

#endif
