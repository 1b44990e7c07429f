/* The PCDATA part of test vectors; the schema is in corpora/pcdata/README.md. */
#ifndef BO_PCDATA_VECTORS_H
#define BO_PCDATA_VECTORS_H

#include <jansson.h>

#include "harness/format.h"

enum bo_status bo_pcdata_vector_model(const json_t *vector, struct bo_arena *arena,
                                      void **model_ret, struct bo_error *err);

#endif
