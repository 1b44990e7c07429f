/* Models of any size with the statistics of a real model: an entry of struct bo_format. */
#ifndef PCDATA_RESAMPLE_H
#define PCDATA_RESAMPLE_H

#include "codecs/pcdata/pcdata.h"

enum bo_status pcdata_resample(const void *like, size_t n_units, struct bo_random *random,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err);

#endif
