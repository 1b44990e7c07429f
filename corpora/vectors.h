/*
 * Conformance vectors: small models with their encoding and answers, and inputs that must be
 * rejected, for any codec. docs/vectors.md has the schema.
 */
#ifndef BO_CONFORMANCE_VECTORS_H
#define BO_CONFORMANCE_VECTORS_H

#include <jansson.h>

#include "harness/format.h"

/*
 * Makes the vectors of a codec: the same ones whenever and wherever they are made. Valid ones come
 * from generated models, invalid ones from damaged encodings: for each rule that decode names, the
 * shortest input found. The caller owns the object.
 */
json_t *bo_vectors_make(const struct bo_format *format, const struct bo_codec *codec);

/* What a vector is wrong about; "" where a text does not apply. */
struct bo_vector_finding {
    char name[64];    /* "valid 3", "invalid 12" */
    char detail[240]; /* "bytes differ at byte 5" */
};

/*
 * Checks vectors against a codec: models encode to the bytes, bytes decode to the model and give
 * the answers, by the codec and by the oracle; invalid bytes are rejected with the rule, status and
 * offset. Calls `note` for each vector, with NULL where it holds. False, with a static phrase, when
 * the object is not of the schema.
 */
bool bo_vectors_check(const struct bo_format *format, const struct bo_codec *codec,
                      const json_t *vectors,
                      void (*note)(void *context, const char *name,
                                   const struct bo_vector_finding *finding),
                      void *context, const char **why_ret);

#endif
