/* Models from randomness: entries of struct bo_format, and what they are made of. */
#ifndef TEMPLIGHT_GENERATE_H
#define TEMPLIGHT_GENERATE_H

#include "codecs/templight/model.h"
#include "harness/names/name_source.h"

enum bo_status templight_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                  void **model_ret, struct bo_error *err);
enum bo_status templight_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err);

/* ---- parts, for both ------------------------------------------------------------------------- */

/*
 * A name as compilers print them, mostly: scopes, templates with arguments, some of which are names
 * from before, operators, lambdas.
 */
void templight_random_name(struct bo_random *random, const struct bo_texts *before,
                           struct bo_draft *draft);

/*
 * Odd ones: unbalanced, empty, no UTF-8, what YAML takes for something else, deep, wide, related to
 * a name from before.
 */
void templight_strange_name(struct bo_random *random, const struct bo_texts *before,
                            struct bo_draft *draft);

/* A trace whose depth, names or files are at the limits; false when the arena refuses. */
bool templight_add_extreme_trace(struct templight_builder *builder, struct bo_random *random);

struct bo_span templight_random_file(struct bo_random *random);
struct templight_place templight_random_place(struct bo_random *random);
uint32_t templight_random_kind(struct bo_random *random);
uint64_t templight_random_time(struct bo_random *random);
uint64_t templight_random_memory(struct bo_random *random);

#endif
