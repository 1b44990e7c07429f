/* Whether a results file may be in results/: the rules for runs that others contribute. */
#ifndef BO_CONTRIBUTION_H
#define BO_CONTRIBUTION_H

#include <stdio.h>

#include "bench/runs/run.h"
#include "corpora/documents.h"

/*
 * Writes a line to `out` for each rule that the run at `path` breaks, and returns the number of
 * lines. The rules: the run is complete, of a commit in git, of default or full depth, without
 * options that select or cap anything. It has at least 6 repetitions. Full runs have layouts. Its
 * folder has the machine's name. Its embedded documents are all those of `documents` (all that the
 * repository has; those of the run are loaded) of the formats that it measured, without samples of
 * fetched documents. It has no user's files and no unsealed held-out documents. No codec failed.
 */
unsigned bo_contribution_problems(const struct bo_run *run, const char *path,
                                  const struct bo_documents *documents, FILE *out);

#endif
