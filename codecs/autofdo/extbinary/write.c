/*
 * LLVM's extensible binary sample profile: the writer of all forms. Except in an Eytzinger form,
 * which no released tool writes, its bytes are those of llvm-profdata.
 */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"

/* The array of a name in an Eytzinger form: that of functions with callsites, ... */
enum array { NESTED, FLAT, INLINED, N_ARRAYS };

/* A name, with its number in the order of a visit. */
struct name {
    struct bo_span span;
    size_t number;
    enum array array; /* INLINED, except in an Eytzinger form */
};

/* A function, in the order of the file. */
struct place {
    const struct autofdo_function *function;
    size_t first;   /* of its totals */
    uint64_t total; /* its own, that of totals[first] */
    size_t off;     /* in the section */
    bool is_flat;   /* of a split form: has no callsites */
};

struct output {
    const struct extbinary_form *form;
    const struct autofdo_model *model;
    struct bo_arena *arena;
    struct bo_writer *out; /* of the section that is written */
    struct autofdo_name_table table;
    struct name *names; /* in the order of the file */
    size_t *indices;    /* in the file, by the number in `table` */
    size_t n_of_array[N_ARRAYS];
    uint64_t *totals; /* of all instances, in the order of a visit */
    size_t n_totals, cap_totals;
    struct place *places;
    size_t n_nested; /* places of functions that are not flat: these are first */
    const struct autofdo_target **targets; /* of one record, for sorting */
    size_t cap_targets;
    bool is_refused;   /* the arena refused */
    bool is_too_large; /* an offset does not fit */
};

/* ---- names and totals ------------------------------------------------------------------------ */

static void note_name(struct output *o, struct bo_span name)
{
    size_t number;
    o->is_refused = o->is_refused || !autofdo_names_add(&o->table, name, &number);
}

/* Returns the instance's total. */
static uint64_t note_instance(struct output *o, const struct autofdo_instance *instance)
{
    const size_t own = o->n_totals;
    uint64_t total = 0;
    note_name(o, instance->name);
    if (o->is_refused || !bo_grow(o->arena, &o->totals, own, 1, &o->cap_totals)) {
        o->is_refused = true;
        return 0;
    }
    o->n_totals++;
    for (size_t r = 0; r < instance->n_records; r++) {
        total = autofdo_add(total, instance->records[r].count);
        for (size_t t = 0; t < instance->records[r].n_targets; t++)
            note_name(o, instance->records[r].targets[t].name);
    }
    for (size_t c = 0; c < instance->n_callsites && !o->is_refused; c++)
        total = autofdo_add(total, note_instance(o, &instance->callsites[c].callee));
    return o->totals[own] = total;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->is_flat != y->is_flat)
        return x->is_flat ? 1 : -1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return autofdo_compare_functions(x->function, y->function);
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    if (x->array != y->array)
        return x->array < y->array ? -1 : 1;
    return bo_span_compare(x->span, y->span);
}

/* By count downwards, then by name. */
static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return bo_span_compare(x->name, y->name);
}

static size_t index_of(const struct output *o, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(&o->table, name, &number);
    return o->indices[number];
}

/* Moves the names of each array to their places in it. */
static bool order_eytzinger(struct output *o)
{
    const size_t n = o->table.n;
    struct name *ordered = bo_alloc_array(o->arena, n, sizeof *ordered);
    size_t *places = bo_alloc_array(o->arena, n, sizeof *places);
    size_t first = 0;
    if (!ordered || !places)
        return false;
    for (unsigned a = 0; a < N_ARRAYS; first += o->n_of_array[a++]) {
        extbinary_eytzinger_places(o->n_of_array[a], places);
        for (size_t i = 0; i < o->n_of_array[a]; i++)
            ordered[first + places[i]] = o->names[first + i];
    }
    o->names = ordered;
    return true;
}

static bool order_names(struct output *o)
{
    const size_t n = o->table.n;
    o->names = bo_alloc_array(o->arena, n, sizeof *o->names);
    o->indices = bo_alloc_array(o->arena, n, sizeof *o->indices);
    if (!o->names || !o->indices)
        return false;
    for (size_t i = 0; i < n; i++)
        o->names[i] = (struct name){o->table.names[i], i, INLINED};
    for (size_t f = 0; f < o->model->n_functions && o->form->is_eytzinger; f++) {
        size_t number = 0;
        autofdo_names_find(&o->table, o->places[f].function->body.name, &number);
        o->names[number].array = o->places[f].is_flat ? FLAT : NESTED;
    }
    for (size_t i = 0; i < n; i++)
        o->n_of_array[o->names[i].array]++;
    if (n)
        qsort(o->names, n, sizeof *o->names, compare_names);
    if (o->form->is_eytzinger && !order_eytzinger(o))
        return false;
    for (size_t i = 0; i < n; i++)
        o->indices[o->names[i].number] = i;
    return true;
}

/* False when the arena refuses. */
static bool note_model(struct output *o)
{
    const size_t n = o->model->n_functions;
    o->places = bo_alloc_array(o->arena, n, sizeof *o->places);
    if (!o->places || !autofdo_names_init(&o->table, 2 * n, o->arena))
        return false;
    for (size_t f = 0; f < n && !o->is_refused; f++) {
        const struct autofdo_function *function = &o->model->functions[f];
        o->places[f] = (struct place){.function = function,
                                      .first = o->n_totals,
                                      .is_flat = o->form->is_split && !function->body.n_callsites};
        o->places[f].total = note_instance(o, &function->body);
        o->n_nested += !o->places[f].is_flat;
    }
    if (o->is_refused || !order_names(o))
        return false;
    if (n)
        qsort(o->places, n, sizeof *o->places, compare_places);
    return true;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_summary(struct output *o, const struct autofdo_summary *summary)
{
    bo_mark(o->out, "summary");
    bo_put_uvarint(o->out, summary->total_count);
    bo_put_uvarint(o->out, summary->max_count);
    bo_put_uvarint(o->out, summary->max_head);
    bo_put_uvarint(o->out, summary->n_counts);
    bo_put_uvarint(o->out, summary->n_functions);
    bo_put_uvarint(o->out, AUTOFDO_N_CUTOFFS);
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        bo_put_uvarint(o->out, autofdo_cutoffs[i]);
        bo_put_uvarint(o->out, summary->entries[i].min_count);
        bo_put_uvarint(o->out, summary->entries[i].n_counts);
    }
}

static void put_names(struct output *o)
{
    bo_mark(o->out, "names");
    if (o->form->is_eytzinger)
        for (unsigned a = 0; a < N_ARRAYS; a++)
            bo_put_le64(o->out, o->n_of_array[a]);
    else
        bo_put_uvarint(o->out, o->table.n);
    for (size_t i = 0; i < o->table.n; i++) {
        if (o->form->has_guids) {
            bo_put_le64(o->out, extbinary_guid(o->names[i].span));
            continue;
        }
        bo_put_bytes(o->out, o->names[i].span.p, o->names[i].span.n);
        bo_put_u8(o->out, 0);
    }
}

static void put_index(struct output *o, struct bo_span name)
{
    bo_put_uvarint(o->out, index_of(o, name));
}

static void put_targets(struct output *o, const struct autofdo_record *record)
{
    const size_t n = record->n_targets;
    if (!bo_grow(o->arena, &o->targets, 0, n, &o->cap_targets)) {
        o->is_refused = true;
        return;
    }
    for (size_t t = 0; t < n; t++)
        o->targets[t] = &record->targets[t];
    if (n)
        qsort(o->targets, n, sizeof *o->targets, compare_targets);
    bo_mark(o->out, "targets");
    bo_put_uvarint(o->out, n);
    for (size_t t = 0; t < n; t++) {
        put_index(o, o->targets[t]->name);
        bo_put_uvarint(o->out, o->targets[t]->count);
    }
}

/* *totals is that of the instance; then of the next one in a visit. */
static void put_instance(struct output *o, const struct autofdo_instance *instance,
                         const uint64_t **totals)
{
    bo_mark(o->out, "structure");
    put_index(o, instance->name);
    bo_mark(o->out, "totals");
    bo_put_uvarint(o->out, *(*totals)++);
    bo_mark(o->out, "structure");
    bo_put_uvarint(o->out, instance->n_records);
    for (size_t r = 0; r < instance->n_records && !o->is_refused; r++) {
        bo_mark(o->out, "structure");
        bo_put_uvarint(o->out, instance->records[r].line);
        bo_put_uvarint(o->out, instance->records[r].discriminator);
        bo_mark(o->out, "counts");
        bo_put_uvarint(o->out, instance->records[r].count);
        put_targets(o, &instance->records[r]);
    }
    bo_mark(o->out, "structure");
    bo_put_uvarint(o->out, instance->n_callsites);
    for (size_t c = 0; c < instance->n_callsites && !o->is_refused; c++) {
        bo_mark(o->out, "structure");
        bo_put_uvarint(o->out, instance->callsites[c].line);
        bo_put_uvarint(o->out, instance->callsites[c].discriminator);
        put_instance(o, &instance->callsites[c].callee, totals);
    }
}

/* Functions from `first` to `last`, in the order of the file. */
static void put_functions(struct output *o, size_t first, size_t last)
{
    const size_t start = o->out->n;
    for (size_t f = first; f < last && !o->is_refused; f++) {
        struct place *place = &o->places[f];
        const uint64_t *totals = o->totals + place->first;
        place->off = o->out->n - start;
        bo_mark(o->out, "counts");
        bo_put_uvarint(o->out, place->function->head);
        put_instance(o, &place->function->body, &totals);
    }
}

/* By the place of the function's name in its array. */
static void put_eytzinger_offsets(struct output *o, size_t first, size_t last)
{
    const size_t n = last - first, start = o->out->n;
    uint8_t *p = bo_put_space(o->out, EXTBINARY_OFFSET_NBYTES * n);
    if (!p)
        return;
    for (size_t f = first; f < last; f++) {
        const size_t index = index_of(o, o->places[f].function->body.name) - first;
        o->is_too_large = o->is_too_large || o->places[f].off >= UINT32_MAX;
        bo_set_le32(o->out->p + start + EXTBINARY_OFFSET_NBYTES * index,
                    (uint32_t)o->places[f].off);
    }
}

static void put_offsets(struct output *o, size_t first, size_t last)
{
    bo_mark(o->out, "function offsets");
    if (o->form->is_eytzinger) {
        put_eytzinger_offsets(o, first, last);
        return;
    }
    bo_put_uvarint(o->out, last - first);
    for (size_t f = first; f < last; f++) {
        put_index(o, o->places[f].function->body.name);
        bo_put_uvarint(o->out, o->places[f].off);
    }
}

static void put_section(struct output *o, enum extbinary_section section,
                        const struct autofdo_summary *summary)
{
    const size_t n = o->model->n_functions;
    switch (section) {
    case EXTBINARY_SUMMARY:
        put_summary(o, summary);
        break;
    case EXTBINARY_NAMES:
        put_names(o);
        break;
    case EXTBINARY_CONTEXTS:
        bo_mark(o->out, "header");
        bo_put_u8(o->out, 0);
        break;
    case EXTBINARY_OFFSETS:
        put_offsets(o, 0, o->n_nested);
        break;
    case EXTBINARY_FUNCTIONS:
        put_functions(o, 0, o->n_nested);
        break;
    case EXTBINARY_FLAT_OFFSETS:
        put_offsets(o, o->n_nested, n);
        break;
    case EXTBINARY_FLAT_FUNCTIONS:
        put_functions(o, o->n_nested, n);
        break;
    default: /* empty */
        break;
    }
}

/* Compressed, bytes belong to the section as a whole. */
static enum bo_status put_packed(struct output *o, enum extbinary_section section,
                                 const struct autofdo_summary *summary, struct bo_error *err)
{
    static const char *const marks[EXTBINARY_N_SECTIONS] = {
        "summary",   "names",  "header", "function offsets", "functions", "function offsets",
        "functions", "header", "header"};
    struct bo_writer raw, *out = o->out;
    bo_writer_init(&raw, o->arena);
    o->out = &raw;
    put_section(o, section, summary);
    o->out = out;
    bo_mark(out, marks[section]);
    enum bo_status status = bo_writer_status(&raw, err);
    if (!status && !o->is_refused && raw.n)
        status = o->form->pack(bo_writer_span(&raw), out, err);
    bo_writer_free(&raw);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_unique(struct bo_span name)
{
    const size_t n = sizeof EXTBINARY_UNIQUE - 1;
    for (size_t i = 0; i + n <= name.n; i++)
        if (memcmp(name.p + i, EXTBINARY_UNIQUE, n) == 0)
            return true;
    return false;
}

static uint64_t flags_of(const struct output *o, unsigned place)
{
    const uint64_t flags = o->form->table[place].flags;
    if (o->form->table[place].section != EXTBINARY_NAMES || o->form->has_guids)
        return flags;
    for (size_t i = 0; i < o->table.n; i++)
        if (is_unique(o->names[i].span))
            return flags | EXTBINARY_HAS_UNIQUE;
    return flags;
}

static enum bo_status put_file(struct output *o, const struct autofdo_summary *summary,
                               struct bo_error *err)
{
    const struct extbinary_form *form = o->form;
    struct bo_writer *out = o->out;
    const size_t start = out->n;
    bo_mark(out, "header");
    bo_put_bytes(out, extbinary_magic, sizeof extbinary_magic);
    bo_put_u8(out, form->version);
    bo_put_le64(out, form->n_sections);
    bo_put_zeros(out, form->n_sections * (size_t)EXTBINARY_ENTRY_NBYTES);
    for (unsigned i = 0; i < form->n_sections && !out->status; i++) {
        const unsigned place = form->order[i];
        const enum extbinary_section section = form->table[place].section;
        const size_t off = out->n;
        enum bo_status status = BO_OK;
        if (form->pack)
            status = put_packed(o, section, summary, err);
        else
            put_section(o, section, summary);
        if (status)
            return status;
        if (o->is_refused)
            return bo_fail_alloc(err, o->arena);
        if (o->is_too_large)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "functions need 4 GiB or more");
        if (out->status)
            break;
        uint8_t *entry =
            out->p + start + EXTBINARY_TABLE_OFF + place * (size_t)EXTBINARY_ENTRY_NBYTES;
        bo_set_le64(entry, extbinary_kinds[section]);
        bo_set_le64(entry + 8, flags_of(o, place));
        bo_set_le64(entry + 16, off - start);
        bo_set_le64(entry + 24, out->n - off);
    }
    return bo_writer_status(out, err);
}

enum bo_status extbinary_encode(const struct bo_codec *self, const void *model,
                                struct bo_writer *out, struct bo_error *err)
{
    const struct extbinary_form *form = extbinary_form_of(self);
    struct output o = {.form = form, .model = model, .arena = out->arena, .out = out};
    struct autofdo_summary summary;
    enum bo_status status = BO_OK;
    if (form->has_guids) {
        struct autofdo_model *renamed = NULL;
        status = extbinary_rename(model, out->arena, &renamed, err);
        o.model = renamed;
    }
    if (!status)
        status = autofdo_summarize(o.model, out->arena, &summary, err);
    if (status)
        return status;
    return note_model(&o) ? put_file(&o, &summary, err) : bo_fail_alloc(err, out->arena);
}
