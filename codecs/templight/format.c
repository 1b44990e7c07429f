/* Templight as the harness sees it: counts, the entropy floor, and the table of the format. */
#include "codecs/templight/generate.h"
#include "codecs/templight/model.h"
#include "codecs/templight/queries.h"
#include "codecs/templight/report.h"
#include "codecs/templight/resample.h"
#include "codecs/templight/text.h"
#include "harness/coding/entropy.h"

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

/* ---- the entropy floor ----------------------------------------------------------------------- */

/* Numbers of one kind: lines, names, ... */
struct numbers {
    uint64_t *p;
    size_t n, cap;
};

enum stream { SHAPES, KINDS, NAMES, FILES, LINES, COLUMNS, TIMES, MEMORY, N_STREAMS };

/* What the records say, kind by kind. */
struct streams {
    struct numbers of[N_STREAMS];
    struct bo_byte_counts name_bytes, file_bytes; /* of the tables */
    struct bo_arena *arena;
    bool refused; /* by the arena */
};

static void put(struct streams *s, enum stream stream, uint64_t v)
{
    struct numbers *numbers = &s->of[stream];
    s->refused |= !bo_grow(s->arena, &numbers->p, numbers->n, 1, &numbers->cap);
    if (!s->refused)
        numbers->p[numbers->n++] = v;
}

static void put_location(struct streams *s, const struct templight_location *location)
{
    put(s, FILES, location->file);
    if (location->file == TEMPLIGHT_NONE)
        return;
    put(s, LINES, location->line);
    put(s, COLUMNS, location->column);
}

static void put_record(struct streams *s, const struct templight_record *record)
{
    const uint64_t shape = (uint64_t)record->is_end | (uint64_t)record->has_time << 1 |
                           (uint64_t)record->has_memory << 2 |
                           (uint64_t)record->has_own_origin << 3;
    put(s, SHAPES, shape);
    if (record->has_time)
        put(s, TIMES, record->time_bits);
    if (record->has_memory)
        put(s, MEMORY, record->memory);
    if (!record->is_end) {
        put(s, KINDS, record->kind);
        put(s, NAMES, record->name);
        put_location(s, &record->location);
    }
    if (!record->is_end || record->has_own_origin)
        put_location(s, &record->origin);
}

static void count_bytes(const struct bo_span *texts, uint32_t n, struct bo_byte_counts *counts)
{
    for (uint32_t i = 0; i < n; i++)
        bo_count_bytes(counts, texts[i]);
}

/*
 * One code for each kind of number (names and files are numbers here), one for the bytes of the
 * names and one for those of the files, each text once, each by frequency alone. It is no floor for
 * a codec that models context: shared parts of names and repeated records make traces many times
 * smaller.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct templight_model *model = opaque;
    struct streams s = {.arena = arena};
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        for (size_t i = 0; i < trace->n_records && !s.refused; i++)
            put_record(&s, &trace->records[i]);
        count_bytes(trace->names, trace->n_names, &s.name_bytes);
        count_bytes(trace->files, trace->n_files, &s.file_bytes);
    }
    if (s.refused)
        return -1;
    double nbits = bo_bytes_nbits(&s.name_bytes) + bo_bytes_nbits(&s.file_bytes);
    for (unsigned i = 0; i < N_STREAMS; i++)
        nbits += bo_order0_nbits(s.of[i].p, s.of[i].n);
    return nbits / 8;
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
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
