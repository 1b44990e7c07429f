/* The conclusions that hold on every measured processor, and those that hold on some. */
#ifndef BO_REPORT_MACHINES_H
#define BO_REPORT_MACHINES_H

#include "bench/report/report.h"

enum { BO_MAX_MACHINES = 16 };

/* "amd-zen4-2c" */
const char *bo_machine_of(const struct bo_run *run);

/*
 * Of n runs: the first one, and for each further machine the first complete run that has documents
 * of the format in common with it. An array in the arena. Returns their number.
 */
unsigned bo_machine_runs(const struct bo_run *const *runs, size_t n, const char *format,
                         struct bo_arena *arena, const struct bo_run *const **runs_ret);

/*
 * The documents of the run that the other run has with the same content and main workload, without
 * held-out ones and those for curves; those with the preferred workload, if there are any. An array
 * in the arena.
 */
unsigned bo_common_documents(const struct bo_run *run, const struct bo_run *other,
                             const char *format, struct bo_arena *arena,
                             const struct bo_run_document ***documents_ret);

/*
 * Prints, for each format and each further machine, a row that compares the pick there with the
 * pick on the format's first machine, over the documents that both measured. One sentence before
 * the table lists the formats whose pick is the same everywhere, and those whose pick differs.
 * Prints nothing if no format was measured on two machines.
 */
void bo_report_machines(const struct bo_report *report, const struct bo_page *page);

#endif
