/* XXH3-64, by libxxhash. */
#include "harness/core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t bo_hash(struct bo_span bytes)
{
    static const uint8_t none[1];
    return XXH3_64bits(bytes.p ? bytes.p : none, bytes.n);
}
