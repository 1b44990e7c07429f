/* A document's part of results/FORMAT.md. */
#ifndef BO_REPORT_DOCUMENT_H
#define BO_REPORT_DOCUMENT_H

#include "bench/report/page.h"

/* Sizes, queries, operations, memory and pages, failures, the picture by workload, the uses. */
void bo_page_document(const struct bo_page *page, const struct bo_run_document *document);

/*
 * Its comparison in one table, as in `bakeoff table`, with the document's origin and the failures.
 */
void bo_page_comparison(const struct bo_page *page, const struct bo_run_document *document);

/*
 * The document's queries with the encoding in huge pages, next to the ordinary ones. Nothing if the
 * run measured none.
 */
void bo_page_huge_pages(const struct bo_page *page, const struct bo_run_document *document);

/* Bytes by section, and under outer compressors. */
void bo_page_sizes(const struct bo_page *page, const struct bo_run_document *document);

#endif
