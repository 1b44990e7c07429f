/*
 * Test vectors: JSON files with models and the exact bytes of their encodings. The neutral part of
 * the schema is here; each format defines its own form of a model.
 *
 * A file is an array of objects. Each has a `name`, the model's members, and for any codec of the
 * format, its name written with underscores: `linear_index` (the counted bytes in hex; may be left
 * out), `linear_index_len` and `linear_index_sha256`.
 */
#ifndef BO_VECTORS_H
#define BO_VECTORS_H

#include <jansson.h>

#include "harness/format.h"

struct bo_vector_reader {
    const char *format;
    /*
     * Makes the model of one vector in `arena`. An invalid vector is BO_CORRUPT with a phrase and
     * no offset.
     */
    enum bo_status (*model)(const json_t *vector, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err);
};

/* NULL when the format has no vectors. */
const struct bo_vector_reader *bo_find_vector_reader(const char *format);

/*
 * Compares one vector with one codec. BO_SKIP when the vector has nothing about the codec. BO_FAIL
 * with *why_ret, a static phrase, when the bytes differ.
 */
enum bo_vector_verdict { BO_VECTOR_PASS, BO_VECTOR_FAIL, BO_VECTOR_SILENT };
enum bo_vector_verdict bo_vector_check(const struct bo_codec *codec, const json_t *vector,
                                       const void *model, const char **why_ret);

#endif
