/* Shared by `compare` and `bench --against`: prints a comparison. */
#ifndef BO_CLI_COMPARE_H
#define BO_CLI_COMPARE_H

#include "bench/report/compare.h"

enum bo_compare_style { BO_COMPARE_TEXT, BO_COMPARE_MD, BO_COMPARE_JSON };

/* "5", "2.5", in percent; false after a message. */
bool bo_parse_threshold(const char *command, const char *text, double *share_ret);

/* Prints the changes. Returns the exit code: BO_EXIT_FAILED when something is worse. */
int bo_compare_results(const char *command, const struct bo_run *before, const struct bo_run *after,
                       double threshold, enum bo_compare_style style, bool all);

#endif
