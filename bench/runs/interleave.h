/*
 * Two builds of this program measured on one machine in turns: A B, B A, A B, ... document by
 * document, so that background load affects both alike. Each turn is a new process. So the
 * addresses of code and data vary between repetitions, and neither build has an advantage.
 */
#ifndef BO_INTERLEAVE_H
#define BO_INTERLEAVE_H

#include <jansson.h>

#include "corpora/documents.h"

enum { BO_BEFORE, BO_AFTER, BO_N_BUILDS };

struct bo_interleaving {
    /* For each build, its program and the words before `bench`: ends with NULL. */
    const char *const *programs[BO_N_BUILDS];
    /* The filters' options and values, passed to both builds: ends with NULL. */
    const char *const *options;
    bool compress; /* measures sizes under compressors, once */
    unsigned rounds;
    uint64_t order_seed;
};

/*
 * Measures the documents (not loaded here) and makes the results of each build as `bench --json`
 * does. False after a message, also when a build exits with another code than 0 or 1, or writes no
 * results. After an interruption (interrupt.h), the results contain what both builds have measured
 * until then; false if there is nothing.
 */
bool bo_interleave(const struct bo_interleaving *interleaving, const struct bo_documents *documents,
                   json_t *results_ret[BO_N_BUILDS]);

#endif
