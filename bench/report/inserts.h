/*
 * Figures inside pages that people write. `bakeoff report` writes the text between
 * //     <!-- report: PART FORMAT -->
 *     <!-- report ends -->
 * // and changes nothing else.
 */
#ifndef BO_REPORT_INSERTS_H
#define BO_REPORT_INSERTS_H

#include "bench/report/report.h"

/*
 * Prints `text`, a page of that name, with all such parts anew: those of bo_page_part, and `glance
 * all`. A format that no run measured keeps what it has. False after a message that names the line
 * of a part that is unknown or does not end.
 */
bool bo_inserts_print(const struct bo_report *report, const char *text, const char *name);

#endif
