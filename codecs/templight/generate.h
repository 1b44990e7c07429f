/* Models from randomness: entries of struct bo_format, and what they are made of. */
#ifndef TEMPLIGHT_GENERATE_H
#define TEMPLIGHT_GENERATE_H

#include "codecs/templight/model.h"

enum bo_status templight_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                  void **model_ret, struct bo_error *err);
enum bo_status templight_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err);

/* ---- parts, for both --------------------------------------------------------------------------- */

enum { TEMPLIGHT_MAX_DRAFT = 4096 };

/* A name being made; what does not fit is left out. */
struct templight_draft {
    uint8_t p[TEMPLIGHT_MAX_DRAFT];
    size_t n;
};

/*
 * A name as compilers print them, mostly: scopes, templates with arguments, some of which are names
 * from before, operators, lambdas.
 */
void templight_random_name(struct bo_random *random, const struct templight_texts *before,
                           struct templight_draft *draft);

/* Odd ones: unbalanced, empty, no UTF-8, what YAML takes for something else, deep, wide. */
void templight_strange_name(struct bo_random *random, struct templight_draft *draft);

struct bo_span templight_random_file(struct bo_random *random);
struct templight_place templight_random_place(struct bo_random *random);
uint32_t templight_random_kind(struct bo_random *random);
uint64_t templight_random_time(struct bo_random *random);
uint64_t templight_random_memory(struct bo_random *random);

/* One in so many things is strange: more of them when a fuzzer asks. */
static inline uint32_t templight_strangeness(const struct bo_random *random)
{
    return random->entropy.p ? 4 : 128;
}

#endif
