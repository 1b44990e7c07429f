/* PCDATA as the harness sees it: counts, the entropy floor, and the table of the format. */
#include "codecs/pcdata/generate.h"
#include "codecs/pcdata/pcdata.h"
#include "codecs/pcdata/queries.h"
#include "codecs/pcdata/report.h"
#include "codecs/pcdata/resample.h"
#include "codecs/pcdata/text.h"
#include "harness/coding/entropy.h"

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

/* ---- the entropy floor ----------------------------------------------------------------------- */

/*
 * One code for the counts of runs, one for their lengths in quanta, one for the value deltas; of
 * all tables.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct pcdata_model *model = opaque;
    size_t n_runs = 0, n = 0;
    for (uint32_t t = 0; t < model->n_tables; t++)
        n_runs += model->tables[t].n_runs;
    uint64_t *counts = bo_alloc_array(arena, model->n_tables, sizeof *counts);
    uint64_t *lengths = bo_alloc_array(arena, n_runs, sizeof *lengths);
    uint64_t *deltas = bo_alloc_array(arena, n_runs, sizeof *deltas);
    if (!counts || !lengths || !deltas)
        return -1;
    for (uint32_t t = 0; t < model->n_tables; t++) {
        const struct pcdata_table *table = &model->tables[t];
        uint32_t previous = UINT32_MAX;
        counts[t] = table->n_runs;
        for (uint32_t i = 0; i < table->n_runs; i++, n++) {
            const uint32_t end = i + 1 < table->n_runs ? table->runs[i + 1].pc : table->text_len;
            lengths[n] = (end - table->runs[i].pc) / model->quantum;
            deltas[n] = (uint32_t)table->runs[i].value - previous;
            previous = (uint32_t)table->runs[i].value;
        }
    }
    return (bo_order0_nbits(counts, model->n_tables) + bo_order0_nbits(lengths, n_runs) +
            bo_order0_nbits(deltas, n_runs)) /
           8;
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
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
