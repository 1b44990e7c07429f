/* Templight models: sets of texts, building record by record, the rules, comparing. */
#include "codecs/templight/model.h"

/* ---- kinds and texts ------------------------------------------------------------------------- */

const char *const templight_kind_names[TEMPLIGHT_N_NAMED_KINDS] = {
    "TemplateInstantiation",
    "DefaultTemplateArgumentInstantiation",
    "DefaultFunctionArgumentInstantiation",
    "ExplicitTemplateArgumentSubstitution",
    "DeducedTemplateArgumentSubstitution",
    "PriorTemplateArgumentSubstitution",
    "DefaultTemplateArgumentChecking",
    "ExceptionSpecEvaluation",
    "ExceptionSpecInstantiation",
    "RequirementInstantiation",
    "NestedRequirementConstraintsCheck",
    "DeclaringSpecialMember",
    "DeclaringImplicitEqualityComparison",
    "DefiningSynthesizedFunction",
    "ConstraintsCheck",
    "ConstraintSubstitution",
    "ConstraintNormalization",
    "RequirementParameterInstantiation",
    "ParameterMappingSubstitution",
    "RewritingOperatorAsSpaceship",
    "InitializingStructuredBinding",
    "MarkingClassDllexported",
    "BuildingBuiltinDumpStructCall",
    [TEMPLIGHT_MEMOIZATION] = "Memoization",
};

const char *templight_text_flaw(struct bo_span text)
{
    return text.n && memchr(text.p, '\0', text.n) ? "text holds a NUL" : NULL;
}

enum bo_status templight_check_text(struct bo_span text, struct bo_error *err)
{
    const uint8_t *nul = text.n ? memchr(text.p, '\0', text.n) : NULL;
    return nul ? bo_fail(err, BO_UNSUPPORTED, (uint64_t)(nul - text.p), "text holds a NUL") : BO_OK;
}

/* ---- building -------------------------------------------------------------------------------- */

static const struct templight_location nowhere = {TEMPLIGHT_NONE, 0, 0};

void templight_builder_init(struct templight_builder *builder, bool copies, struct bo_arena *arena)
{
    *builder = (struct templight_builder){.arena = arena, .copies = copies};
}

/* Completes the last trace, if there is one. */
static void end_trace(struct templight_builder *builder)
{
    if (builder->n_traces == 0)
        return;
    struct templight_trace *trace = &builder->traces[builder->n_traces - 1];
    trace->names = builder->names.texts;
    trace->n_names = builder->names.n;
    trace->files = builder->files.texts;
    trace->n_files = builder->files.n;
    trace->records = builder->records;
    trace->n_records = builder->n_records;
}

bool templight_start_trace(struct templight_builder *builder, uint32_t version,
                           struct bo_span source)
{
    end_trace(builder);
    const size_t n = builder->n_traces;
    if (!bo_grow(builder->arena, &builder->traces, n, 1, &builder->cap_traces) ||
        (builder->copies && !bo_keep_span(builder->arena, &source)))
        return false;
    builder->traces[n] = (struct templight_trace){.version = version, .source = source};
    builder->n_traces++;
    builder->records = NULL;
    builder->n_records = builder->cap_records = 0;
    builder->n_open = 0;
    builder->names = builder->files = (struct bo_texts){.slots = NULL};
    return true;
}

static bool locate(struct templight_builder *builder, const struct templight_place *place,
                   struct templight_location *location_ret)
{
    *location_ret = nowhere;
    if (!place->present)
        return true;
    location_ret->line = place->line;
    location_ret->column = place->column;
    return bo_texts_add(&builder->files, place->file, &location_ret->file);
}

static bool fill_begin(struct templight_builder *builder, const struct templight_entry *entry,
                       struct templight_record *record)
{
    record->kind = entry->kind;
    if (!bo_grow(builder->arena, &builder->open, builder->n_open, 1, &builder->cap_open))
        return false;
    builder->open[builder->n_open++] = builder->n_records;
    return bo_texts_add(&builder->names, entry->name, &record->name) &&
           locate(builder, &entry->location, &record->location) &&
           locate(builder, &entry->origin, &record->origin);
}

static bool fill_end(struct templight_builder *builder, const struct templight_entry *entry,
                     struct templight_record *record)
{
    const struct templight_record *begin = templight_open_begin(builder);
    struct templight_location origin;
    builder->n_open -= begin != NULL;
    if (!entry->has_origin)
        return true;
    /* A file that is new is not the Begin's, so no unused file is added. */
    if (!locate(builder, &entry->origin, &origin))
        return false;
    record->has_own_origin = !templight_same_location(&origin, begin ? &begin->origin : &nowhere);
    if (record->has_own_origin)
        record->origin = origin;
    return true;
}

bool templight_add_entry(struct templight_builder *builder, const struct templight_entry *entry)
{
    const size_t n = builder->n_records;
    if (!bo_grow(builder->arena, &builder->records, n, 1, &builder->cap_records))
        return false;
    /* Only with the first record: a file of a few bytes can have many traces without any. */
    if (!builder->names.slots &&
        !(bo_texts_init(&builder->names, builder->copies, builder->arena) &&
          bo_texts_init(&builder->files, builder->copies, builder->arena)))
        return false;
    struct templight_record *record = &builder->records[n];
    *record = (struct templight_record){
        .location = nowhere,
        .origin = nowhere,
        .is_end = entry->is_end,
        .has_time = entry->has_time,
        .has_memory = entry->has_memory,
        .time_bits = entry->has_time ? entry->time_bits : 0,
        .memory = entry->has_memory ? entry->memory : 0,
    };
    if (!(entry->is_end ? fill_end : fill_begin)(builder, entry, record))
        return false;
    builder->n_records++;
    return true;
}

bool templight_finish(struct templight_builder *builder, struct templight_model **model_ret)
{
    struct templight_model *model = bo_alloc(builder->arena, sizeof *model);
    end_trace(builder);
    if (model)
        *model = (struct templight_model){builder->n_traces, builder->traces};
    *model_ret = model;
    return model != NULL;
}

const struct templight_record *templight_open_begin(const struct templight_builder *builder)
{
    return builder->n_open ? &builder->records[builder->open[builder->n_open - 1]] : NULL;
}

/* ---- a record with its texts ---------------------------------------------------------------- */

static struct templight_place place_of(const struct templight_trace *trace,
                                       const struct templight_location *location)
{
    if (location->file == TEMPLIGHT_NONE)
        return (struct templight_place){0};
    return (struct templight_place){true, trace->files[location->file], location->line,
                                    location->column};
}

struct templight_entry templight_entry_of(const struct templight_trace *trace,
                                          const struct templight_record *record)
{
    return (struct templight_entry){
        .is_end = record->is_end,
        .has_time = record->has_time,
        .has_memory = record->has_memory,
        .has_origin = record->has_own_origin,
        .kind = record->kind,
        .name = record->is_end ? (struct bo_span){NULL, 0} : trace->names[record->name],
        .location = place_of(trace, &record->location),
        .origin = place_of(trace, &record->origin),
        .time_bits = record->time_bits,
        .memory = record->memory,
    };
}

/* ---- less of a model ------------------------------------------------------------------------- */

/* Files by their new numbers, in the order of first use. */
struct renumbering {
    const struct templight_trace *from;
    uint32_t *numbers; /* by old number; TEMPLIGHT_NONE: not met yet */
    struct bo_span *files;
    uint32_t n;
};

static void renumber(struct renumbering *r, struct templight_location *location)
{
    if (location->file == TEMPLIGHT_NONE)
        return;
    uint32_t *number = &r->numbers[location->file];
    if (*number == TEMPLIGHT_NONE) {
        r->files[r->n] = r->from->files[location->file];
        *number = r->n++;
    }
    location->file = *number;
}

static bool copy_without_own_origins(const struct templight_trace *from, struct bo_arena *arena,
                                     struct templight_trace *to)
{
    struct templight_record *records = bo_alloc_array(arena, from->n_records, sizeof *records);
    struct renumbering r = {
        .from = from,
        .numbers = bo_alloc_array(arena, from->n_files, sizeof *r.numbers),
        .files = bo_alloc_array(arena, from->n_files, sizeof *r.files),
    };
    if (!records || !r.numbers || !r.files)
        return false;
    for (uint32_t f = 0; f < from->n_files; f++)
        r.numbers[f] = TEMPLIGHT_NONE;
    for (size_t i = 0; i < from->n_records; i++) {
        records[i] = from->records[i];
        if (records[i].has_own_origin)
            records[i].origin = nowhere;
        records[i].has_own_origin = false;
        renumber(&r, &records[i].location);
        renumber(&r, &records[i].origin);
    }
    *to = *from;
    to->records = records;
    to->files = r.files;
    to->n_files = r.n;
    return true;
}

enum bo_status templight_without_own_origins(const struct bo_codec *self, const void *opaque,
                                             struct bo_arena *arena, void **model_ret,
                                             struct bo_error *err)
{
    const struct templight_model *from = opaque;
    struct templight_model *to = bo_alloc(arena, sizeof *to);
    struct templight_trace *traces = bo_alloc_array(arena, from->n_traces, sizeof *traces);
    if (!to || !traces)
        return bo_fail_alloc(err, arena);
    for (size_t t = 0; t < from->n_traces; t++)
        if (!copy_without_own_origins(&from->traces[t], arena, &traces[t]))
            return bo_fail_alloc(err, arena);
    *to = (struct templight_model){from->n_traces, traces};
    *model_ret = to;
    return BO_OK;
}

/* ---- the rules ------------------------------------------------------------------------------- */

/* A trace being gone through, with what has been met of its tables. */
struct inspection {
    const struct templight_trace *trace;
    uint32_t n_names, n_files; /* met so far: the next new one has this number */
    size_t *open;              /* Begins, innermost last */
    size_t n_open;
};

static const char *table_flaw(const struct bo_span *texts, uint32_t n, struct bo_arena *arena)
{
    struct bo_texts set;
    uint32_t number;
    if (!bo_texts_init(&set, false, arena))
        return "no memory to look at the model";
    for (uint32_t i = 0; i < n; i++) {
        const char *flaw = templight_text_flaw(texts[i]);
        if (flaw)
            return flaw;
        if (!bo_texts_add(&set, texts[i], &number))
            return "no memory to look at the model";
        if (number != i)
            return "table holds a text twice";
    }
    return NULL;
}

static const char *location_flaw(struct inspection *in, const struct templight_location *location)
{
    if (location->file == TEMPLIGHT_NONE)
        return location->line || location->column ? "absent location has a line" : NULL;
    if (location->file > in->n_files || location->file >= in->trace->n_files)
        return "file out of the order of first use";
    in->n_files += location->file == in->n_files;
    return NULL;
}

static const char *begin_flaw(struct inspection *in, const struct templight_record *record)
{
    if (record->has_own_origin)
        return "Begin has an origin of its own";
    if (record->name > in->n_names || record->name >= in->trace->n_names)
        return "name out of the order of first use";
    in->n_names += record->name == in->n_names;
    const char *flaw = location_flaw(in, &record->location);
    return flaw ? flaw : location_flaw(in, &record->origin);
}

/* `begin` is what it closes, or NULL. */
static const char *end_flaw(struct inspection *in, const struct templight_record *record,
                            const struct templight_record *begin)
{
    const struct templight_location *origin = begin ? &begin->origin : &nowhere;
    if (record->kind || record->name || !templight_same_location(&record->location, &nowhere))
        return "End with fields of a Begin";
    if (!record->has_own_origin)
        return templight_same_location(&record->origin, &nowhere)
                   ? NULL
                   : "origin at an End that has none of its own";
    if (templight_same_location(&record->origin, origin))
        return "End repeats its Begin's origin";
    return location_flaw(in, &record->origin);
}

static const char *record_flaw(struct inspection *in, size_t i)
{
    const struct templight_record *record = &in->trace->records[i];
    if ((!record->has_time && record->time_bits) || (!record->has_memory && record->memory))
        return "absent field is not 0";
    if (!record->is_end) {
        in->open[in->n_open++] = i;
        return begin_flaw(in, record);
    }
    const bool is_open = in->n_open;
    return end_flaw(in, record, is_open ? &in->trace->records[in->open[--in->n_open]] : NULL);
}

static const char *trace_flaw(const struct templight_trace *trace, struct bo_arena *arena)
{
    struct inspection in = {.trace = trace};
    const char *flaw = templight_text_flaw(trace->source);
    if (!flaw)
        flaw = table_flaw(trace->names, trace->n_names, arena);
    if (!flaw)
        flaw = table_flaw(trace->files, trace->n_files, arena);
    in.open = bo_alloc_array(arena, trace->n_records, sizeof *in.open);
    if (!flaw && !in.open)
        flaw = "no memory to look at the model";
    for (size_t i = 0; i < trace->n_records && !flaw; i++)
        flaw = record_flaw(&in, i);
    if (!flaw && (in.n_names != trace->n_names || in.n_files != trace->n_files))
        flaw = "table holds a text that nothing uses";
    return flaw;
}

const char *templight_model_flaw(const struct templight_model *model, struct bo_arena *arena)
{
    const char *flaw = model->n_traces > UINT32_MAX ? "too many traces" : NULL;
    for (size_t t = 0; t < model->n_traces && !flaw; t++) {
        const struct bo_arena_mark mark = bo_arena_mark(arena);
        flaw = trace_flaw(&model->traces[t], arena);
        bo_arena_rewind(arena, mark);
    }
    return flaw;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_texts(const struct bo_span *a, const struct bo_span *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!bo_span_equal(a[i], b[i]))
            return false;
    return true;
}

static const char *record_difference(const struct templight_record *a,
                                     const struct templight_record *b)
{
    if (a->is_end != b->is_end)
        return "a Begin where the other has an End";
    if (a->kind != b->kind)
        return "different kinds";
    if (a->name != b->name)
        return "different names of a record";
    if (!templight_same_location(&a->location, &b->location))
        return "different locations";
    if (a->has_own_origin != b->has_own_origin || !templight_same_location(&a->origin, &b->origin))
        return "different origins";
    if (a->has_time != b->has_time || a->time_bits != b->time_bits)
        return "different times";
    if (a->has_memory != b->has_memory || a->memory != b->memory)
        return "different memory";
    return NULL;
}

static const char *trace_difference(const struct templight_trace *a,
                                    const struct templight_trace *b)
{
    const char *difference = NULL;
    if (a->version != b->version)
        return "different versions";
    if (!bo_span_equal(a->source, b->source))
        return "different source files";
    if (a->n_records != b->n_records)
        return "different numbers of records";
    if (a->n_names != b->n_names || !same_texts(a->names, b->names, a->n_names))
        return "different tables of names";
    if (a->n_files != b->n_files || !same_texts(a->files, b->files, a->n_files))
        return "different tables of files";
    for (size_t i = 0; i < a->n_records && !difference; i++)
        difference = record_difference(&a->records[i], &b->records[i]);
    return difference;
}

const char *templight_differ(const void *a, const void *b)
{
    const struct templight_model *x = a, *y = b;
    if (x->n_traces != y->n_traces)
        return "different numbers of traces";
    const char *difference = NULL;
    for (size_t t = 0; t < x->n_traces && !difference; t++)
        difference = trace_difference(&x->traces[t], &y->traces[t]);
    return difference;
}
