/*
 * The models of conformance vectors: a fixed list for each encoding, the same on every machine.
 */
#ifndef BO_CONFORMANCE_MODELS_H
#define BO_CONFORMANCE_MODELS_H

#include "harness/format.h"

/* One model. A text has precedence over entropy, and that over the two seeded sources. */
struct bo_vector_model {
    const char *encoding; /* "pcdata/packed-starts" */
    const char *text;     /* its text form, or NULL */
    const char *entropy;  /* what the generator draws from, in hex, or NULL */
    uint64_t seed;
    size_t scale;        /* units */
    size_t noise_nbytes; /* 0: drawn from an endless generator; else from so many random bytes */
    size_t n_resampled;  /* not 0: so many units drawn from that model, so that things repeat */
};

/*
 * Models that every encoding starts with: small ones of growing size, for seeds from 0. Odd ones
 * come from a fuzzer's bytes, which hold more that is rare.
 */
struct bo_vector_model bo_vector_model_at(uint64_t seed);

/*
 * Models chosen for one encoding, so that the vectors reach what the small ones leave out:
 * corpora/vectors.def, ends with an encoding NULL.
 */
extern const struct bo_vector_model bo_vector_models[];

/*
 * Damage of valid vectors, so that the invalid ones reach what one vector for each rule leaves out:
 * `n` bytes at `off` are replaced by others. corpora/vectors_damaged.def, ends with an encoding
 * NULL.
 */
extern const struct bo_vector_damage {
    const char *encoding;
    size_t valid, off, n; /* `valid`: the vector, from 0 */
    const char *hex;
} bo_vector_damages[];

/* Models in text form, for constructs that generators seldom draw: corpora/vectors_texts.def. */
extern const struct bo_vector_text {
    const char *format, *name, *text;
} bo_vector_texts[];

/* False where generator or parser fails. */
bool bo_vector_model_make(const struct bo_format *format, const struct bo_vector_model *model,
                          struct bo_arena *arena, void **model_ret);

#endif
