/* The report of `bakeoff bench --report`. */
#ifndef BO_CLI_REPORT_H
#define BO_CLI_REPORT_H

#include <stdbool.h>

/*
 * Writes ./REPORT.md and ./results/FORMAT.md without pictures, from a file of results; formats that
 * it does not contain come from the results that `bakeoff report` uses. False after a message.
 */
bool bo_report_run(const char *results);

#endif
