/* LPRF as the harness sees it: counts, the entropy floor, and the table of the format. */
#include "codecs/lprf/generate.h"
#include "codecs/lprf/lprf.h"
#include "codecs/lprf/model.h"
#include "codecs/lprf/queries.h"
#include "codecs/lprf/report.h"
#include "codecs/lprf/text.h"
#include "harness/coding/entropy.h"

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

/* ---- the entropy floor ----------------------------------------------------------------------- */

static double names_nbits(const struct lprf_model *model)
{
    struct bo_byte_counts counts = {{0}};
    for (size_t f = 0; f < model->n_functions; f++)
        bo_count_bytes(&counts, model->functions[f].name);
    return bo_bytes_nbits(&counts);
}

/*
 * One code for the hashes, one for the numbers of counters, one for the counters, one for the bytes
 * of the names, each by frequency alone. Names are where this is no floor for a codec that models
 * context: shared prefixes and repeated parts make them several times smaller.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct lprf_model *model = opaque;
    size_t n_counters = 0, n = 0;
    for (size_t f = 0; f < model->n_functions; f++)
        n_counters += model->functions[f].n_counters;
    uint64_t *hashes = bo_alloc_array(arena, model->n_functions, sizeof *hashes);
    uint64_t *numbers = bo_alloc_array(arena, model->n_functions, sizeof *numbers);
    uint64_t *counters = bo_alloc_array(arena, n_counters, sizeof *counters);
    if (!hashes || !numbers || !counters)
        return -1;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        hashes[f] = function->hash;
        numbers[f] = function->n_counters;
        memcpy(counters + n, function->counters, function->n_counters * sizeof *counters);
        n += function->n_counters;
    }
    return (bo_order0_nbits(hashes, model->n_functions) +
            bo_order0_nbits(numbers, model->n_functions) + bo_order0_nbits(counters, n_counters) +
            names_nbits(model)) /
           8;
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

/* A library's version, as a text; without the library, nothing. */
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
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
