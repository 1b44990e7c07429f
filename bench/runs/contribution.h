/* Whether a results file may stand in results/: the rules for runs that others contribute. */
#ifndef BO_CONTRIBUTION_H
#define BO_CONTRIBUTION_H

#include <stdio.h>

#include "bench/runs/run.h"
#include "corpora/documents.h"

/*
 * Writes a line to `out` for each rule that the run at `path` breaks, and returns how many there
 * are: it is complete, of a commit in git, of default or full depth, without options that select
 * or cap anything; full runs have layouts; its folder has the machine's name; its embedded
 * documents are those of `documents` (loaded; all that the repository has); it has no files of the
 * user's and no unsealed held-out documents; no codec failed.
 */
unsigned bo_contribution_problems(const struct bo_run *run, const char *path,
                                  const struct bo_documents *documents, FILE *out);

#endif
