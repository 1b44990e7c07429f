/*
 * gcov-v3, gcov-v2, gcov-v407: what GCC and LLVM read today, each as a codec. The layouts are
 * implemented in write.c and read.c.
 */
#include "codecs/autofdo/decoded.h"
#include "codecs/autofdo/gcov/gcov.h"

static const struct gcov_layout v3 = {.version = 3, .is_v3 = true};
static const struct gcov_layout v2 = {.version = 2};
static const struct gcov_layout v407 = {.version = UINT32_C(0x3430372a), .padded = true};

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct autofdo_model *folded;
    const enum bo_status status = gcov_fold(model, out->arena, &folded, err);
    return status ? status : gcov_write(self->own, folded, out, err);
}

/* Discriminators are folded; v2 and v407 have neither files nor timestamps. */
static enum bo_status reduce(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct autofdo_model *folded;
    const enum bo_status status = gcov_fold(model, arena, &folded, err);
    struct autofdo_model *reduced = bo_alloc(arena, sizeof *reduced);
    if (status)
        return status;
    if (!reduced)
        return bo_fail_alloc(err, arena);
    *reduced = *folded;
    *model_ret = reduced;
    const struct gcov_layout *layout = self->own;
    if (layout->is_v3)
        return BO_OK;
    struct autofdo_function *functions =
        bo_alloc_array(arena, folded->n_functions, sizeof *functions);
    if (!functions)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < folded->n_functions; f++) {
        functions[f] = folded->functions[f];
        functions[f].timestamp = 0;
    }
    reduced->functions = functions;
    reduced->n_files = 0;
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct autofdo_model *model;
    struct autofdo_model *copy = bo_alloc(arena, sizeof *copy);
    const enum bo_status status =
        copy ? gcov_read(self->own, in, arena, &model, err) : bo_fail_alloc(err, arena);
    if (status)
        return status;
    *copy = *model;
    *model_ret = copy;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    const struct autofdo_model *model;
    const enum bo_status status = gcov_read(self->own, in, arena, &model, err);
    return status ? status : autofdo_decoded_open(model, arena, reader_ret, err);
}

/* The codecs differ in their layouts. */
#define GCOV_CODEC(layout, its_role, ...)                                  \
    const struct bo_codec autofdo_gcov_##layout = {                        \
        .name = "gcov-" #layout,                                           \
        .summary = __VA_ARGS__,                                            \
        .spec = "codecs/autofdo/README.md#gcov",                           \
        .choices = "the order of names, functions, call sites and counts", \
        .role = its_role,                                                  \
        .access = BO_WHOLE,                                                \
        .kinds = (1u << AUTOFDO_N_KINDS) - 1,                              \
        .own = &layout,                                                    \
        .reduce = reduce,                                                  \
        .encode = encode,                                                  \
        .decode = decode,                                                  \
        .open = open,                                                      \
        .query = autofdo_decoded_query,                                    \
    };

GCOV_CODEC(v3, BO_STATUS_QUO, "GCOV version 3: with a summary, files and timestamps")
GCOV_CODEC(v2, BO_STATUS_QUO, "GCOV version 2: what gcc 12 reads; no files, no timestamps")
GCOV_CODEC(v407, BO_STATUS_QUO, "GCOV version 0x3430372a: what LLVM reads; strings in words")
