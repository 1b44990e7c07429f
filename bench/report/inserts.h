/*
 * Generated parts of hand-written pages. `bakeoff report` writes the text between
 *
 *     <!-- report: PART FORMAT -->
 *     <!-- report ends -->
 *
 * and changes nothing else.
 */
#ifndef BO_REPORT_INSERTS_H
#define BO_REPORT_INSERTS_H

#include "bench/report/report.h"

/*
 * Prints the page `name`, whose text is `text`, with all generated parts updated: those of
 * bo_page_part, `glance all` and `answers all`. The part of a format that no run measured stays as
 * it is. False after a message that names the line of an unknown or unterminated part.
 */
bool bo_inserts_print(const struct bo_report *report, const char *text, const char *name);

#endif
