/* LPRF for the harness: counts, fields, and the table of the format. */
#include "codecs/lprf/generate.h"
#include "codecs/lprf/lprf.h"
#include "codecs/lprf/model.h"
#include "codecs/lprf/queries.h"
#include "codecs/lprf/report.h"
#include "codecs/lprf/text.h"

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct lprf_model *model = opaque;
    uint64_t n_counters = 0, name_nbytes = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        n_counters += model->functions[f].n_counters;
        name_nbytes += model->functions[f].name.n;
    }
    units_ret[0] = (struct bo_unit){"functions", model->n_functions};
    units_ret[1] = (struct bo_unit){"counters", n_counters};
    units_ret[2] = (struct bo_unit){"name bytes", name_nbytes};
    return 3;
}

/* ---- the fields ------------------------------------------------------------------------------ */

/*
 * The order-0 entropy of names is no lower bound for a codec that models context: shared prefixes
 * and repeated parts make names several times smaller.
 */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct lprf_model *model = opaque;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        bo_add_text(out, "names", function->name);
        bo_add_number(out, "hashes", function->hash);
        bo_add_number(out, "counter counts", function->n_counters);
        for (size_t i = 0; i < function->n_counters; i++)
            bo_add_number(out, "counters", function->counters[i]);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec lprf_##name;
#include "codecs/lprf/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &lprf_##name,
#include "codecs/lprf/codecs.def"
#undef CODEC
    NULL,
};

/* A library's version as a text; NULL without the library. */
#ifndef BO_WITH_MARISA
#define BO_WITH_MARISA NULL
#endif
#ifndef BO_WITH_CMPH
#define BO_WITH_CMPH NULL
#endif

static const struct bo_optional optionals[] = {
    {"marisa+*", "libmarisa", BO_WITH_MARISA},
    {"cmph+*", "libcmph", BO_WITH_CMPH},
    {NULL, NULL, NULL},
};

const struct bo_format lprf_format = {
    .name = "lprf",
    .summary = "profiles of instrumented programs: from a function's name to its counters",
    .report = &lprf_report,
    .kinds = lprf_kinds,
    .n_kinds = LPRF_N_KINDS,
    .codecs = codecs,
    .optionals = optionals,
    .parse = lprf_parse,
    .print = lprf_print,
    .differ = lprf_differ,
    .generate = lprf_generate,
    .mutate = lprf_mutate,
    .merge = lprf_merge,
    .units = units,
    .fields = fields,
};
