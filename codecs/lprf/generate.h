/* Random models: entries of struct bo_format, and their parts. */
#ifndef LPRF_GENERATE_H
#define LPRF_GENERATE_H

#include "codecs/lprf/lprf.h"

enum bo_status lprf_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);
enum bo_status lprf_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                           void **model_ret, struct bo_error *err);

/* ---- parts, for both ------------------------------------------------------------------------- */

struct lprf_functions {
    const struct lprf_function *p;
    size_t n;
};

/* Functions whose names or counters are at the limits; false when the arena refuses. */
bool lprf_extreme_functions(struct bo_random *random, struct bo_arena *arena,
                            struct lprf_functions *functions_ret);

/* The count of a function that ran: mostly small numbers, with a long tail. */
uint64_t lprf_random_count(struct bo_random *random);

#endif
