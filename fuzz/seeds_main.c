/*
 * Writes candidate seeds for every target of every format: DIR/<format>_<target>/<name>.
 *
 *   bytes          each encoding and the text form of small generated models
 *   model, damage  entropy of several lengths and distributions
 *
 * The files are the same on every machine. `make fuzz-seeds` keeps those that add coverage.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/limits.h"
#include "harness/registry.h"

enum { N_MODELS = 24, MAX_SCALE = 6, N_ENTROPY = 96, MAX_PATH = 1024 };

_Noreturn static void die(const char *what, const char *why)
{
    fprintf(stderr, "seeds: %s: %s\n", what, why);
    exit(2);
}

/* Writes DIR/FORMAT_TARGET/NAME-NUMBER. */
static void write_seed(const char *dir, const struct bo_format *format, const char *target,
                       const char *name, unsigned number, struct bo_span bytes)
{
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s/%s_%s", dir, format->name, target);
    if (mkdir(path, 0777) && errno != EEXIST)
        die(path, strerror(errno));
    snprintf(path, sizeof path, "%s/%s_%s/%s-%02u", dir, format->name, target, name, number);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.p, 1, bytes.n, file) != bytes.n || fclose(file))
        die(path, strerror(errno));
}

/* Writes every encoding of one model, except those that are too large for a seed. */
static void write_encodings(const char *dir, const struct bo_format *format, unsigned number,
                            const void *model, struct bo_arena *arena)
{
    for (const struct bo_codec *const *codec = format->codecs; *codec; codec++) {
        struct bo_writer out;
        struct bo_error err = {0};
        if ((*codec)->reads || (*codec)->level_of)
            continue;
        bo_writer_init(&out, arena);
        const enum bo_status status = (*codec)->encode(*codec, model, &out, &err);
        if (status && status != BO_UNSUPPORTED && status != BO_OVER_LIMIT)
            die((*codec)->name, err.what);
        if (status == BO_OK && out.n <= BO_FUZZ_MAX_INPUT_NBYTES)
            write_seed(dir, format, "bytes", (*codec)->name, number, bo_writer_span(&out));
        bo_writer_free(&out);
    }
}

static void write_text(const char *dir, const struct bo_format *format, unsigned number,
                       const void *model, struct bo_arena *arena)
{
    struct bo_writer out;
    struct bo_error err = {0};
    bo_writer_init(&out, arena);
    if (format->print(model, &out, &err))
        die("text", err.what);
    if (out.n <= BO_FUZZ_MAX_INPUT_NBYTES)
        write_seed(dir, format, "bytes", "text", number, bo_writer_span(&out));
    bo_writer_free(&out);
}

static void write_models(const char *dir, const struct bo_format *format)
{
    for (unsigned i = 0; i < N_MODELS; i++) {
        struct bo_random random = bo_random_seeded(i);
        struct bo_error err = {0};
        struct bo_arena arena;
        void *model;
        bo_arena_init(&arena, (size_t)64 << 20);
        if (format->generate(&random, i % (MAX_SCALE + 1), &arena, &model, &err))
            die(format->name, err.what);
        write_encodings(dir, format, i, model, &arena);
        write_text(dir, format, i, model, &arena);
        bo_arena_free(&arena);
    }
}

/* A third of the seeds has arbitrary bytes, a third small numbers, a third both. */
static void write_entropy(const char *dir, const struct bo_format *format, const char *target)
{
    for (unsigned i = 0; i < N_ENTROPY; i++) {
        struct bo_random random = bo_random_seeded(i);
        uint8_t bytes[512];
        const size_t nbytes = 1 + bo_random_below(&random, 16u << i % 6);
        for (size_t at = 0; at < nbytes; at++) {
            const bool small = i % 3 == 1 || (i % 3 == 2 && bo_random_one_in(&random, 2));
            bytes[at] = small ? (uint8_t)bo_random_below(&random, 9) : bo_random_u8(&random);
        }
        write_seed(dir, format, target, "entropy", i, (struct bo_span){bytes, nbytes});
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        die("usage", "seeds DIR");
    for (const struct bo_format *const *format = bo_formats; *format; format++) {
        write_models(argv[1], *format);
        write_entropy(argv[1], *format, "model");
        write_entropy(argv[1], *format, "damage");
    }
    return 0;
}
