/*
 * Decoding bytes that a test made, which keeps them as candidates for a fuzzer's seeds where BAKEOFF_KEEP names a
 * folder: an input that is wrong in one place only is what a fuzzer takes longest to find.
 */
#ifndef BO_TEST_DECODE_H
#define BO_TEST_DECODE_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { TEST_MAX_KEPT = 4096 }; /* bytes */

static inline void test_keep(struct bo_span in)
{
    const char *folder = getenv("BAKEOFF_KEEP");
    if (!folder || in.n > TEST_MAX_KEPT)
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s/%016llx", folder, (unsigned long long)XXH3_64bits(in.p, in.n));
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in.p, 1, in.n, file) != in.n || fclose(file))
        abort();
}

/* codec->decode(...) */
static inline enum bo_status test_decode(const struct bo_codec *codec, struct bo_span in,
                                         struct bo_arena *arena, void **model_ret,
                                         struct bo_error *err)
{
    test_keep(in);
    return codec->decode(in, arena, model_ret, err);
}

#endif
