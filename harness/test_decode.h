/*
 * Decodes bytes, or parses a text, that a test made. If BAKEOFF_KEEP names a folder, the inputs are
 * kept there as candidates for seeds of a fuzzer. An input that is wrong in one place only takes a
 * fuzzer longest to find, and minimising by coverage drops it. For each codec and phrase, the
 * smallest input is kept as `refused-...`, which becomes a seed.
 */
#ifndef BO_TEST_DECODE_H
#define BO_TEST_DECODE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Writes FOLDER/NAME unless a smaller file is there. Does nothing without a folder. */
static inline void test_keep(const char *folder, const char *name, struct bo_span in)
{
    struct stat there;
    char path[4096];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &there) == 0 && (size_t)there.st_size <= in.n)
        return;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in.p, 1, in.n, file) != in.n || fclose(file))
        abort();
}

/* Keeps the input as a candidate, and under the names of its codec and its error. */
static inline void test_keep_met(const char *whose, struct bo_span in, enum bo_status status,
                                 const struct bo_error *err)
{
    const char *folder = getenv("BAKEOFF_KEEP");
    char name[64];
    snprintf(name, sizeof name, "%016llx", (unsigned long long)XXH3_64bits(in.p, in.n));
    test_keep(folder, name, in);
    if (status && err && err->what) {
        const unsigned phrase = (unsigned)XXH3_64bits(err->what, strlen(err->what));
        snprintf(name, sizeof name, "refused-%s-%08x", whose, phrase);
        test_keep(folder, name, in);
    }
}

/* codec->decode(codec, ...) */
static inline enum bo_status test_decode(const struct bo_codec *codec, struct bo_span in,
                                         struct bo_arena *arena, void **model_ret,
                                         struct bo_error *err)
{
    const enum bo_status status = codec->decode(codec, in, arena, model_ret, err);
    test_keep_met(codec->name, in, status, err);
    return status;
}

/* format->parse(...) */
static inline enum bo_status test_parse(const struct bo_format *format, struct bo_span text,
                                        struct bo_arena *arena, void **model_ret,
                                        struct bo_error *err)
{
    const enum bo_status status = format->parse(text, arena, model_ret, err);
    test_keep_met("text", text, status, err);
    return status;
}

#endif
