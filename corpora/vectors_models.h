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
    const char *entropy;  /* the bytes that the generator draws from, in hex, or NULL */
    uint64_t seed;
    size_t scale;        /* units */
    size_t noise_nbytes; /* 0: drawn from a seeded source; else from this many random bytes */
    size_t n_resampled;  /* not 0: this many units are drawn from that model, so values repeat */
};

/*
 * Models that every encoding starts with: small ones of growing size, for seeds from 0. Models of
 * odd seeds are drawn from random bytes like a fuzzer's, which produce rare constructs more often.
 */
struct bo_vector_model bo_vector_model_at(uint64_t seed);

/*
 * Models chosen for one encoding, so that the vectors reach code that the small models do not
 * reach. The list is corpora/vectors.def; it ends with an encoding NULL.
 */
extern const struct bo_vector_model bo_vector_models[];

/*
 * Damage of valid vectors: `n` bytes at `off` are replaced by others. It makes invalid vectors that
 * reach code which one vector for each rule does not reach. The list is
 * corpora/vectors_damaged.def; it ends with an encoding NULL.
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

/* False when the generator or the parser fails. */
bool bo_vector_model_make(const struct bo_format *format, const struct bo_vector_model *model,
                          struct bo_arena *arena, void **model_ret);

#endif
