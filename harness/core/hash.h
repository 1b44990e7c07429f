/* The one hash function that headers, corpora and golden files use. */
#ifndef BO_HASH_H
#define BO_HASH_H

#include "harness/core/bytes.h"

/* XXH3-64. */
uint64_t bo_hash(struct bo_span bytes);

#endif
