/* Unwind tables: counts, fields, and the struct bo_format that the harness uses. */
#include "codecs/unwind/generate.h"
#include "codecs/unwind/queries.h"
#include "codecs/unwind/report.h"
#include "codecs/unwind/text.h"
#include "codecs/unwind/unwind.h"

static uint64_t count_rows(const struct unwind_model *model)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < model->n_functions; i++)
        n += model->functions[i].n_rows;
    return n;
}

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct unwind_model *model = opaque;
    units_ret[0] = (struct bo_unit){"functions", model->n_functions};
    units_ret[1] = (struct bo_unit){"rows", count_rows(model)};
    units_ret[2] = (struct bo_unit){"calls", model->n_calls};
    return 3;
}

/* States are numbers; the contents of a state are not counted. */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct unwind_model *model = opaque;
    struct unwind_interner in;
    unwind_interner_init(&in, sizeof(struct unwind_state), out->arena);
    for (size_t i = 0; i < model->n_functions && !out->refused; i++) {
        const struct unwind_function *f = &model->functions[i];
        uint32_t before = 0;
        bo_add_number(out, "holes before functions", i ? f->start - unwind_end(&f[-1]) : 0);
        for (uint32_t r = 0; r < f->n_rows; r++) {
            const uint32_t state = unwind_intern(&in, &f->rows[r].state);
            out->refused |= state == UINT32_MAX;
            bo_add_number(out, "distances of rows", f->rows[r].off - before);
            bo_add_number(out, "state numbers", state);
            before = f->rows[r].off;
        }
        bo_add_number(out, "distances of rows", f->length - before);
        bo_add_number(out, "state numbers", UINT32_MAX);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec unwind_##name;
#include "codecs/unwind/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &unwind_##name,
#include "codecs/unwind/codecs.def"
#undef CODEC
    NULL,
};

#ifndef BO_WITH_ZSTD
#define BO_WITH_ZSTD NULL
#endif

static const struct bo_optional optionals[] = {
    {"rows-zstd", "libzstd", BO_WITH_ZSTD},
    {NULL, NULL, NULL},
};

const struct bo_format unwind_format = {
    .name = "unwind",
    .summary = "Unwind tables: from any PC of a binary to the caller's frame",
    .report = &unwind_report,
    .kinds = unwind_kinds,
    .n_kinds = UNWIND_N_KINDS,
    .codecs = codecs,
    .optionals = optionals,
    .parse = unwind_parse,
    .print = unwind_print,
    .differ = unwind_differ,
    .generate = unwind_generate,
    .mutate = unwind_mutate,
    .units = units,
    .fields = fields,
};
