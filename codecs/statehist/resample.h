/* Histories of any length that are like a real one: an entry of struct bo_format. */
#ifndef STATEHIST_RESAMPLE_H
#define STATEHIST_RESAMPLE_H

#include "codecs/statehist/statehist.h"

enum bo_status statehist_resample(const void *like, size_t n_intervals, struct bo_random *random,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err);

#endif
