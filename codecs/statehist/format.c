/*
 * State histories for the harness: counts, fields, and the table of the format.
 */
#include "codecs/statehist/generate.h"
#include "codecs/statehist/model.h"
#include "codecs/statehist/queries.h"
#include "codecs/statehist/report.h"
#include "codecs/statehist/resample.h"
#include "codecs/statehist/text.h"

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

/* ---- the fields ------------------------------------------------------------------------------ */

/*
 * Timeline by timeline. The length of an interval that ends with the history is 0: it follows.
 * Their order-0 entropy is not a lower bound for a codec that models context: times that several
 * timelines share, and values that follow from those before, make histories many times smaller.
 */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct statehist_model *model = opaque;
    static const char *const values[STATEHIST_N_TYPES] = {
        [STATEHIST_NULL] = "nulls",
        [STATEHIST_INT] = "ints",
        [STATEHIST_LONG] = "longs",
        [STATEHIST_DOUBLE] = "doubles",
        [STATEHIST_STRING] = "string numbers",
        [STATEHIST_BOOL] = "bools",
    };
    for (size_t i = 0; i < model->n_intervals; i++) {
        const struct statehist_interval *at = &model->intervals[i];
        bo_add_number(out, "lengths",
                      at->end == model->end ? 0 : (uint64_t)at->end - (uint64_t)at->start + 1);
        bo_add_number(out, "types", at->type);
        bo_add_number(out, values[at->type], at->value);
    }
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        bo_add_number(out, "parents", model->attributes[q].parent);
        bo_add_text(out, "attribute names", model->attributes[q].name);
    }
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_add_text(out, "strings", model->strings[i]);
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

/* The library's version, as a text; empty without the library. */
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
    .fields = fields,
};
