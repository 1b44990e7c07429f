/* Models of any size, drawn from a real one: an entry of struct bo_format. */
#ifndef AUTOFDO_RESAMPLE_H
#define AUTOFDO_RESAMPLE_H

#include "codecs/autofdo/autofdo.h"

enum bo_status autofdo_resample(const void *like, size_t n_units, struct bo_random *random,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err);

#endif
