/* Templight for the harness: counts, fields, and the table of the format. */
#include "codecs/templight/generate.h"
#include "codecs/templight/model.h"
#include "codecs/templight/queries.h"
#include "codecs/templight/report.h"
#include "codecs/templight/resample.h"
#include "codecs/templight/text.h"

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t text_nbytes(const struct bo_span *texts, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += texts[i].n;
    return sum;
}

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct templight_model *model = opaque;
    uint64_t n_begins = 0, n_records = 0, n_names = 0, name_nbytes = 0, n_files = 0;
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        n_records += trace->n_records;
        for (size_t i = 0; i < trace->n_records; i++)
            n_begins += !trace->records[i].is_end;
        n_names += trace->n_names;
        name_nbytes += text_nbytes(trace->names, trace->n_names);
        n_files += trace->n_files;
    }
    units_ret[0] = (struct bo_unit){"begins", n_begins};
    units_ret[1] = (struct bo_unit){"records", n_records};
    units_ret[2] = (struct bo_unit){"names", n_names};
    units_ret[3] = (struct bo_unit){"name bytes", name_nbytes};
    units_ret[4] = (struct bo_unit){"files", n_files};
    units_ret[5] = (struct bo_unit){"traces", model->n_traces};
    return 6;
}

/* ---- the fields ------------------------------------------------------------------------------ */

static void put_location(struct bo_sequences *out, const struct templight_location *location)
{
    bo_add_number(out, "file numbers", location->file);
    if (location->file == TEMPLIGHT_NONE)
        return;
    bo_add_number(out, "lines", location->line);
    bo_add_number(out, "columns", location->column);
}

/* `shapes` is which fields the records have. */
static void put_record(struct bo_sequences *out, const struct templight_record *record)
{
    const uint64_t shape = (uint64_t)record->is_end | (uint64_t)record->has_time << 1 |
                           (uint64_t)record->has_memory << 2 |
                           (uint64_t)record->has_own_origin << 3;
    bo_add_number(out, "shapes", shape);
    if (record->has_time)
        bo_add_number(out, "times", record->time_bits);
    if (record->has_memory)
        bo_add_number(out, "memory", record->memory);
    if (!record->is_end) {
        bo_add_number(out, "kinds", record->kind);
        bo_add_number(out, "name numbers", record->name);
        put_location(out, &record->location);
    }
    if (!record->is_end || record->has_own_origin)
        put_location(out, &record->origin);
}

/*
 * Names and files are numbers where they are used; each text counts once. Their order-0 entropy is
 * not a lower bound for a codec that models context: shared parts of names and repeated records
 * make traces many times smaller.
 */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct templight_model *model = opaque;
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        for (size_t i = 0; i < trace->n_records && !out->refused; i++)
            put_record(out, &trace->records[i]);
        for (uint32_t i = 0; i < trace->n_names; i++)
            bo_add_text(out, "names", trace->names[i]);
        for (uint32_t i = 0; i < trace->n_files; i++)
            bo_add_text(out, "files", trace->files[i]);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec templight_##name;
#include "codecs/templight/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &templight_##name,
#include "codecs/templight/codecs.def"
#undef CODEC
    NULL,
};

const struct bo_format templight_format = {
    .name = "templight",
    .summary = "traces of template instantiation: names, places and times of what a compiler does",
    .report = &templight_report,
    .kinds = templight_kinds,
    .n_kinds = TEMPLIGHT_N_KINDS,
    .codecs = codecs,
    .parse = templight_parse,
    .print = templight_print,
    .differ = templight_differ,
    .resample = templight_resample,
    .generate = templight_generate,
    .mutate = templight_mutate,
    .units = units,
    .fields = fields,
};
