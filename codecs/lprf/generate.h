/* Models from randomness: entries of struct bo_format. */
#ifndef LPRF_GENERATE_H
#define LPRF_GENERATE_H

#include "codecs/lprf/lprf.h"

enum bo_status lprf_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);
enum bo_status lprf_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                           void **model_ret, struct bo_error *err);

#endif
