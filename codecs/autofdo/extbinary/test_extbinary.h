/* What the tests of LLVM's extensible binaries share. */
#ifndef AUTOFDO_TEST_EXTBINARY_H
#define AUTOFDO_TEST_EXTBINARY_H

#include <stdio.h>
#include <stdlib.h>

#include "codecs/autofdo/test_model.h"
#include "harness/core/files.h"

static inline struct bo_span encode_as(const struct bo_codec *codec, const void *model,
                                       struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const struct bo_span bytes = {p, out.n};
    bo_writer_free(&out);
    return bytes;
}

/* What llvm-profdata-22 makes of a text in n passes; p is NULL when it refuses. */
static inline struct bo_span through_llvm(struct bo_span text, const char *options, unsigned n,
                                          const char *folder, struct bo_arena *arena)
{
    enum { MAX = 1 << 22 };
    char path[96], command[400];
    snprintf(path, sizeof path, "%s/in", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd %s && for i in $(seq %u); do llvm-profdata-22 merge --sample %s in -o out && "
             "mv out in || break; done && cat in; code=$?; rm -f in out; exit $code",
             folder, n, options);
    uint8_t *p = bo_alloc(arena, MAX);
    FILE *pipe = popen(command, "r");
    assert_non_null(p);
    assert_non_null(pipe);
    const size_t n_read = fread(p, 1, MAX, pipe);
    assert_true(n_read < MAX);
    return (struct bo_span){pclose(pipe) ? NULL : p, n_read};
}

/* Generated profiles, as the codec and llvm-profdata-22 in n passes write them, are the same. */
static inline void compare_with_llvm(const struct bo_codec *codec, const char *options, unsigned n,
                                     bool (*same)(struct bo_span ours, struct bo_span theirs))
{
    char folder[64];
    unsigned n_compared = 0;
    if (system("command -v llvm-profdata-22 >/dev/null")) {
        print_message("note: not run: the bytes of llvm-profdata-22, which is missing\n");
        skip();
    }
    assert_true(bo_temporary_folder(folder, sizeof folder));
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        struct autofdo_summary summary;
        const struct autofdo_model *model = generate_model(seed, 3 * seed, &arena);
        assert_int_equal(autofdo_summarize(model, &arena, &summary, NULL), BO_OK);
        if (model->n_functions && summary.total_count < UINT64_MAX) {
            const struct bo_span theirs =
                through_llvm(print_text(model, &arena), options, n, folder, &arena);
            if (!theirs.p || !same(encode_as(codec, model, &arena), theirs))
                fail_msg("seed %u: LLVM writes something else", (unsigned)seed);
            n_compared++;
        }
        bo_arena_free(&arena);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_true(n_compared >= 10);
}

/* One byte of a file that is another one, and the error that this is. */
struct damage {
    size_t at;
    uint8_t byte;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

static inline void expect_error(const struct bo_codec *codec, struct bo_span in,
                                enum bo_status status, uint64_t off, const char *what)
{
    struct bo_arena arena;
    struct bo_error err = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(test_decode(codec, in, &arena, &model, &err), status);
    assert_string_equal(err.what, what);
    assert_int_equal(err.off, off);
    bo_arena_free(&arena);
}

static inline void expect_errors(const struct bo_codec *codec, struct bo_span valid,
                                 const struct damage *cases, size_t n)
{
    uint8_t bytes[4096];
    assert_true(valid.n <= sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(bytes, valid.p, valid.n);
        bytes[cases[i].at] = cases[i].byte;
        expect_error(codec, (struct bo_span){bytes, valid.n}, cases[i].status, cases[i].off,
                     cases[i].what);
    }
}

#endif
