/* PCDATA for the harness: counts, fields, and the table of the format. */
#include "codecs/pcdata/generate.h"
#include "codecs/pcdata/pcdata.h"
#include "codecs/pcdata/queries.h"
#include "codecs/pcdata/report.h"
#include "codecs/pcdata/resample.h"
#include "codecs/pcdata/text.h"

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct pcdata_model *model = opaque;
    uint64_t n_runs = 0, n_refs = 0;
    for (uint32_t t = 0; t < model->n_tables; t++) {
        n_runs += model->tables[t].n_runs;
        n_refs += model->tables[t].refs;
    }
    units_ret[0] = (struct bo_unit){"tables", model->n_tables};
    units_ret[1] = (struct bo_unit){"runs", n_runs};
    units_ret[2] = (struct bo_unit){"refs", n_refs};
    return 3;
}

/* ---- the fields ------------------------------------------------------------------------------ */

/* Values are differences from the value before, the first one from -1. */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct pcdata_model *model = opaque;
    for (uint32_t t = 0; t < model->n_tables; t++) {
        const struct pcdata_table *table = &model->tables[t];
        uint32_t previous = UINT32_MAX;
        bo_add_number(out, "run counts", table->n_runs);
        for (uint32_t i = 0; i < table->n_runs; i++) {
            const uint32_t end = i + 1 < table->n_runs ? table->runs[i + 1].pc : table->text_len;
            bo_add_number(out, "run lengths", (end - table->runs[i].pc) / model->quantum);
            bo_add_number(out, "value deltas", (uint32_t)table->runs[i].value - previous);
            previous = (uint32_t)table->runs[i].value;
        }
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec pcdata_##name;
#include "codecs/pcdata/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &pcdata_##name,
#include "codecs/pcdata/codecs.def"
#undef CODEC
    NULL,
};

const struct bo_format pcdata_format = {
    .name = "pcdata",
    .summary = "Go's per-function tables from PC to int32: file, line, stack depth, inlining",
    .report = &pcdata_report,
    .kinds = pcdata_kinds,
    .n_kinds = PCDATA_N_KINDS,
    .codecs = codecs,
    .parse = pcdata_parse,
    .print = pcdata_print,
    .differ = pcdata_differ,
    .resample = pcdata_resample,
    .generate = pcdata_generate,
    .mutate = pcdata_mutate,
    .units = units,
    .fields = fields,
};
