/* Random models: entries of struct bo_format, and their parts. */
#ifndef AUTOFDO_GENERATE_H
#define AUTOFDO_GENERATE_H

#include "codecs/autofdo/autofdo.h"

enum bo_status autofdo_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err);
enum bo_status autofdo_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                              void **model_ret, struct bo_error *err);

/* ---- parts, for both ------------------------------------------------------------------------- */

/* A name that the rules allow, in the arena; p is NULL when that refuses. */
struct bo_span autofdo_random_name(struct bo_random *random, bool is_c, struct bo_span before,
                                   struct bo_arena *arena);

/* One of the first n_paths (at most AUTOFDO_N_PATHS) source files; the first of them is "". */
enum { AUTOFDO_N_PATHS = 64 };
struct bo_span autofdo_random_path(struct bo_random *random, uint32_t n_paths,
                                   struct bo_arena *arena);

/*
 * A function, in canonical order, with one very large part; false when the arena refuses.
 */
bool autofdo_extreme_body(struct bo_random *random, struct bo_arena *arena,
                          struct autofdo_instance *body_ret);

uint64_t autofdo_random_count(struct bo_random *random);
uint32_t autofdo_random_line(struct bo_random *random);
uint32_t autofdo_random_discriminator(struct bo_random *random);

#endif
