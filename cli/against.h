/* `bench --against BUILD`: two builds in turns, and what is better or worse in this one. */
#ifndef BO_CLI_AGAINST_H
#define BO_CLI_AGAINST_H

#include "corpora/documents.h"

struct bo_against {
    const char *build;                   /* a program, or a script that runs one */
    const char *codec, *kind, *workload; /* as bench takes them; NULL: all */
    const char *depth;                   /* "--quick", "--full" or NULL */
    bool compress;
    unsigned rounds;
    uint64_t order_seed;
    double threshold;      /* 0.05: 5% */
    const char *json_path; /* of this build's results (the other's: bo_against_path), or NULL */
};

/* "run.against.json" for "run.json", malloced. */
char *bo_against_path(const char *json_path);

/* Measures the documents, which are not loaded here. The exit code: 1 when something is worse. */
int bo_bench_against(const struct bo_against *against, const struct bo_documents *documents);

#endif
