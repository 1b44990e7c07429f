/*
 * State histories as the harness sees them: counts, the entropy floor, and the table of the format.
 */
#include "codecs/statehist/generate.h"
#include "codecs/statehist/model.h"
#include "codecs/statehist/queries.h"
#include "codecs/statehist/report.h"
#include "codecs/statehist/resample.h"
#include "codecs/statehist/text.h"
#include "harness/coding/entropy.h"

/* ---- counts ---------------------------------------------------------------------------------- */

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct statehist_model *model = opaque;
    uint64_t string_nbytes = 0, name_nbytes = 0;
    for (uint32_t i = 0; i < model->n_strings; i++)
        string_nbytes += model->strings[i].n;
    for (uint32_t q = 0; q < model->n_quarks; q++)
        name_nbytes += model->attributes[q].name.n;
    units_ret[0] = (struct bo_unit){"intervals", model->n_intervals};
    units_ret[1] = (struct bo_unit){"quarks", model->n_quarks};
    units_ret[2] = (struct bo_unit){"name bytes", name_nbytes};
    units_ret[3] = (struct bo_unit){"strings", model->n_strings};
    units_ret[4] = (struct bo_unit){"string bytes", string_nbytes};
    return 5;
}

/* ---- the entropy floor ----------------------------------------------------------------------- */

/* How long each interval lasts; what ends with the history says nothing. */
static size_t put_lengths(const struct statehist_model *model, uint64_t *numbers)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_intervals; i++) {
        const struct statehist_interval *at = &model->intervals[i];
        numbers[n++] = at->end == model->end ? 0 : (uint64_t)at->end - (uint64_t)at->start + 1;
    }
    return n;
}

static size_t put_types(const struct statehist_model *model, uint64_t *numbers)
{
    for (size_t i = 0; i < model->n_intervals; i++)
        numbers[i] = model->intervals[i].type;
    return model->n_intervals;
}

static size_t put_values(const struct statehist_model *model, uint32_t type, uint64_t *numbers)
{
    size_t n = 0;
    for (size_t i = 0; i < model->n_intervals; i++)
        if (model->intervals[i].type == type)
            numbers[n++] = model->intervals[i].value;
    return n;
}

static size_t put_parents(const struct statehist_model *model, uint64_t *numbers)
{
    for (uint32_t q = 0; q < model->n_quarks; q++)
        numbers[q] = model->attributes[q].parent;
    return model->n_quarks;
}

static double texts_nbits(const struct statehist_model *model)
{
    struct bo_byte_counts names = {{0}}, strings = {{0}};
    for (uint32_t q = 0; q < model->n_quarks; q++)
        bo_count_bytes(&names, model->attributes[q].name);
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_count_bytes(&strings, model->strings[i]);
    return bo_bytes_nbits(&names) + bo_bytes_nbits(&strings);
}

/*
 * Timeline by timeline: lengths, types, values of each type, parents, and the bytes of names and
 * strings, each by frequency alone. It is no floor for a codec that models context: times that
 * several timelines share, and values that follow from those before, make histories many times
 * smaller.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct statehist_model *model = opaque;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const size_t cap = model->n_intervals > model->n_quarks ? model->n_intervals : model->n_quarks;
    uint64_t *numbers = bo_alloc_array(arena, cap, sizeof *numbers);
    if (!numbers)
        return -1;
    double nbits = texts_nbits(model);
    nbits += bo_order0_nbits(numbers, put_lengths(model, numbers));
    nbits += bo_order0_nbits(numbers, put_types(model, numbers));
    nbits += bo_order0_nbits(numbers, put_parents(model, numbers));
    for (uint32_t type = 0; type < STATEHIST_N_TYPES; type++)
        nbits += bo_order0_nbits(numbers, put_values(model, type, numbers));
    bo_arena_rewind(arena, mark);
    return nbits / 8;
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec statehist_##name;
#include "codecs/statehist/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &statehist_##name,
#include "codecs/statehist/codecs.def"
#undef CODEC
    NULL,
};

/* The library's version, as a text; without the library, nothing. */
#ifndef BO_WITH_SQLITE
#define BO_WITH_SQLITE NULL
#endif

static const struct bo_optional optionals[] = {
    {"sqlite", "libsqlite3", BO_WITH_SQLITE},
    {NULL, NULL, NULL},
};

const struct bo_format statehist_format = {
    .name = "statehist",
    .summary = "Trace Compass state histories: what each attribute of a system was, at any time",
    .report = &statehist_report,
    .kinds = statehist_kinds,
    .n_kinds = STATEHIST_N_KINDS,
    .codecs = codecs,
    .optionals = optionals,
    .parse = statehist_parse,
    .print = statehist_print,
    .differ = statehist_differ,
    .resample = statehist_resample,
    .generate = statehist_generate,
    .mutate = statehist_mutate,
    .units = units,
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
