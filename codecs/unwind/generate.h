/* Random unwind tables. The functions are those of struct bo_format. */
#ifndef UNWIND_GENERATE_H
#define UNWIND_GENERATE_H

#include "codecs/unwind/unwind.h"

enum bo_status unwind_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err);
enum bo_status unwind_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

#endif
