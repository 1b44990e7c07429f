/*
 * Imports files that a test made. If BAKEOFF_KEEP_IMPORTS names a folder with a folder for each
 * target, the inputs are kept there as candidates for seeds of the importers' fuzz targets. Like
 * harness/test_decode.h for codecs; but tests that change every byte make 400,000 files, so only
 * the first accepted ones and, for each phrase, the smallest are kept.
 */
#ifndef BO_TEST_SEEDS_H
#define BO_TEST_SEEDS_H

#include "corpora/import/import.h"
#include "harness/registry.h"
#include "harness/test_decode.h"

enum { TEST_MAX_ACCEPTED = 64 };

/*
 * The input in the form of target_import.c: if an option is a file, that file and a NUL come first.
 */
static inline void test_keep_import(const char *root, const struct bo_importer *importer,
                                    struct bo_span file, const struct bo_import_options *options,
                                    enum bo_status status, const struct bo_error *err)
{
    char folder[1024], name[64];
    struct bo_arena arena;
    struct bo_writer input;
    snprintf(folder, sizeof folder, "%s/%s_import_%s", root, importer->format, importer->name);
    for (char *c = strrchr(folder, '/'); *c; c++)
        *c = *c == '-' ? '_' : *c;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&input, &arena);
    if (options && options->counters_like.p) {
        bo_put_bytes(&input, options->counters_like.p, options->counters_like.n);
        bo_put_u8(&input, 0);
    }
    bo_put_bytes(&input, file.p, file.n);
    const struct bo_span bytes = bo_writer_span(&input);
    if (status)
        snprintf(name, sizeof name, "refused-%s-%08x", importer->name,
                 (unsigned)XXH3_64bits(err->what, strlen(err->what)));
    else
        snprintf(name, sizeof name, "%016llx", (unsigned long long)XXH3_64bits(bytes.p, bytes.n));
    test_keep(folder, name, bytes);
    bo_writer_free(&input);
    bo_arena_free(&arena);
}

/* Expects that the model's text form parses to the same model. */
static inline void test_text_form(const struct bo_importer *importer, const void *model)
{
    const struct bo_format *format = bo_find_format(importer->format);
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error err = {0};
    void *parsed;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    assert_int_equal(format->print(model, &text, &err), BO_OK);
    if (format->parse(bo_writer_span(&text), &arena, &parsed, &err))
        fail_msg("the text form of an imported model: %s at byte %zu", err.what, err.off);
    assert_null(format->differ(model, parsed));
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

/* importer->import(...). The text form of an imported model is checked. */
static inline enum bo_status test_import(const struct bo_importer *importer, struct bo_span file,
                                         const struct bo_import_options *options,
                                         struct bo_arena *arena, void **model_ret,
                                         struct bo_error *err)
{
    static unsigned n_accepted;
    const enum bo_status status = importer->import(file, options, arena, model_ret, err);
    if (status == BO_OK)
        test_text_form(importer, *model_ret);
    const char *root = getenv("BAKEOFF_KEEP_IMPORTS");
    if (root && (status ? err && err->what : n_accepted++ < TEST_MAX_ACCEPTED))
        test_keep_import(root, importer, file, options, status, err);
    return status;
}

#endif
