/*
 * `bench --against BUILD`: measures two builds in turns and reports what is better or worse in this
 * one.
 */
#ifndef BO_CLI_AGAINST_H
#define BO_CLI_AGAINST_H

#include "corpora/documents.h"

struct bo_against {
    const char *build;                   /* the path of a program, or of a script that runs one */
    const char *codec, *kind, *workload; /* in the form of bench's options; NULL: all */
    const char *depth;                   /* "--quick", "--full" or NULL */
    bool compress;
    unsigned rounds;
    uint64_t order_seed;
    double threshold; /* 0.05: 5% */
    /* file for this build's results (for the other's, run.json: run.against.json), or NULL */
    const char *json_path;
};

/*
 * Measures the documents, which this function does not load. Returns the exit code: 1 when
 * something is worse.
 */
int bo_bench_against(const struct bo_against *against, const struct bo_documents *documents);

#endif
