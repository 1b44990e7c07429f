/* What `bakeoff bench --report` writes. */
#ifndef BO_CLI_REPORT_H
#define BO_CLI_REPORT_H

#include <stdbool.h>

/*
 * Writes ./REPORT.md and ./results/FORMAT.md, without pictures: of a file of results, and for
 * formats that it did not measure of those that `bakeoff report` uses. False after a message.
 */
bool bo_report_run(const char *results);

#endif
