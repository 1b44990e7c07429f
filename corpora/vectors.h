/*
 * Conformance vectors: small models with their encoding and answers, and inputs that must be
 * rejected, for any codec. docs/vectors.md has the schema.
 */
#ifndef BO_CONFORMANCE_VECTORS_H
#define BO_CONFORMANCE_VECTORS_H

#include <jansson.h>

#include "harness/format.h"

/*
 * Makes the vectors of a codec. The result is the same at any time on any machine. Valid vectors
 * come from generated models, invalid ones from damaged encodings: for each rule that decode names,
 * the shortest input found, and listed ones. The caller owns the object.
 */
json_t *bo_vectors_make(const struct bo_format *format, const struct bo_codec *codec);

/* The valid vectors that are made from small models only (vectors_models.h): an array. */
json_t *bo_vectors_make_small(const struct bo_format *format, const struct bo_codec *codec);

/* One difference between a vector and the codec. A text that does not apply is "". */
struct bo_vector_finding {
    char name[64];    /* "valid 3", "invalid 12" */
    char detail[240]; /* "bytes differ at byte 5" */
};

/*
 * Checks vectors against a codec: models must encode to the bytes; bytes must decode to the model
 * and give the answers, from the codec and from the oracle; invalid bytes must be rejected with the
 * rule, status and offset. Calls `note` for each vector, with NULL if it passes. False, with a
 * static phrase, when the object does not match the schema.
 */
bool bo_vectors_check(const struct bo_format *format, const struct bo_codec *codec,
                      const json_t *vectors,
                      void (*note)(void *context, const char *name,
                                   const struct bo_vector_finding *finding),
                      void *context, const char **why_ret);

#endif
