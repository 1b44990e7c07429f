/* Models from randomness: entries of struct bo_format. */
#ifndef PCDATA_GENERATE_H
#define PCDATA_GENERATE_H

#include "codecs/pcdata/pcdata.h"

enum bo_status pcdata_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err);
enum bo_status pcdata_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

#endif
