/* LLVM's extensible binary sample profile: the writer. Its bytes are those of llvm-profdata. */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"
#include "codecs/autofdo/model.h"

const uint8_t extbinary_magic[] = {0x84, 0xe4, 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8, 0x53};
const uint8_t extbinary_kinds[] = {1, 2, 6, 4, 32, 3, 5};
const uint8_t extbinary_order[] = {
    EXTBINARY_SUMMARY, EXTBINARY_NAMES,   EXTBINARY_CONTEXTS, EXTBINARY_FUNCTIONS,
    EXTBINARY_SYMBOLS, EXTBINARY_OFFSETS, EXTBINARY_METADATA,
};

/* A name, with its number in the order of a visit. */
struct name {
    struct bo_span span;
    size_t number;
};

/* A function, in the order of the file. */
struct place {
    const struct autofdo_function *function;
    size_t first;   /* of its totals */
    uint64_t total; /* its own, that of totals[first] */
    size_t off;     /* in the section */
};

struct output {
    const struct autofdo_model *model;
    struct bo_writer *out;
    struct autofdo_name_table table;
    struct name *names; /* by their bytes */
    size_t *indices;    /* in the file, by the number in `table` */
    uint64_t *totals;   /* of all instances, in the order of a visit */
    size_t n_totals, cap_totals;
    struct place *places;
    const struct autofdo_target **targets; /* of one record, for sorting */
    size_t cap_targets;
    bool is_refused; /* the arena refused */
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
    if (o->is_refused || !bo_grow(o->out->arena, &o->totals, own, 1, &o->cap_totals)) {
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
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return autofdo_compare_functions(x->function, y->function);
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
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

/* False when the arena refuses. */
static bool note_model(struct output *o)
{
    const size_t n = o->model->n_functions;
    struct bo_arena *arena = o->out->arena;
    o->places = bo_alloc_array(arena, n, sizeof *o->places);
    if (!o->places || !autofdo_names_init(&o->table, 2 * n, arena))
        return false;
    for (size_t f = 0; f < n && !o->is_refused; f++) {
        o->places[f] = (struct place){.function = &o->model->functions[f], .first = o->n_totals};
        o->places[f].total = note_instance(o, &o->model->functions[f].body);
    }
    o->names = bo_alloc_array(arena, o->table.n, sizeof *o->names);
    o->indices = bo_alloc_array(arena, o->table.n, sizeof *o->indices);
    if (o->is_refused || !o->names || !o->indices)
        return false;
    for (size_t i = 0; i < o->table.n; i++)
        o->names[i] = (struct name){o->table.names[i], i};
    if (o->table.n)
        qsort(o->names, o->table.n, sizeof *o->names, compare_names);
    for (size_t i = 0; i < o->table.n; i++)
        o->indices[o->names[i].number] = i;
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
    bo_put_uvarint(o->out, o->table.n);
    for (size_t i = 0; i < o->table.n; i++) {
        bo_put_bytes(o->out, o->names[i].span.p, o->names[i].span.n);
        bo_put_u8(o->out, 0);
    }
}

static void put_index(struct output *o, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(&o->table, name, &number);
    bo_put_uvarint(o->out, o->indices[number]);
}

static void put_targets(struct output *o, const struct autofdo_record *record)
{
    const size_t n = record->n_targets;
    if (!bo_grow(o->out->arena, &o->targets, 0, n, &o->cap_targets)) {
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

static void put_functions(struct output *o)
{
    const size_t start = o->out->n;
    for (size_t f = 0; f < o->model->n_functions && !o->is_refused; f++) {
        struct place *place = &o->places[f];
        const uint64_t *totals = o->totals + place->first;
        place->off = o->out->n - start;
        bo_mark(o->out, "counts");
        bo_put_uvarint(o->out, place->function->head);
        put_instance(o, &place->function->body, &totals);
    }
}

static void put_offsets(struct output *o)
{
    bo_mark(o->out, "function offsets");
    bo_put_uvarint(o->out, o->model->n_functions);
    for (size_t f = 0; f < o->model->n_functions; f++) {
        put_index(o, o->places[f].function->body.name);
        bo_put_uvarint(o->out, o->places[f].off);
    }
}

static void put_section(struct output *o, enum extbinary_section section,
                        const struct autofdo_summary *summary)
{
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
        put_offsets(o);
        break;
    case EXTBINARY_FUNCTIONS:
        put_functions(o);
        break;
    default: /* empty */
        break;
    }
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

static uint64_t flags_of(const struct output *o, enum extbinary_section section)
{
    for (size_t i = 0; section == EXTBINARY_NAMES && i < o->table.n; i++)
        if (is_unique(o->names[i].span))
            return EXTBINARY_HAS_UNIQUE;
    return 0;
}

static enum bo_status put_file(struct output *o, const struct autofdo_summary *summary,
                               struct bo_error *err)
{
    struct bo_writer *out = o->out;
    const size_t start = out->n;
    bo_mark(out, "header");
    bo_put_bytes(out, extbinary_magic, sizeof extbinary_magic);
    bo_put_u8(out, EXTBINARY_VERSION);
    bo_put_le64(out, EXTBINARY_N_SECTIONS);
    bo_put_zeros(out, EXTBINARY_N_SECTIONS * EXTBINARY_ENTRY_NBYTES);
    for (unsigned i = 0; i < EXTBINARY_N_SECTIONS && !out->status; i++) {
        const enum extbinary_section section = extbinary_order[i];
        const size_t off = out->n;
        put_section(o, section, summary);
        if (o->is_refused)
            return bo_fail_alloc(err, out->arena);
        if (out->status)
            break;
        uint8_t *entry =
            out->p + start + EXTBINARY_TABLE_OFF + section * (size_t)EXTBINARY_ENTRY_NBYTES;
        bo_set_le64(entry, extbinary_kinds[section]);
        bo_set_le64(entry + 8, flags_of(o, section));
        bo_set_le64(entry + 16, off - start);
        bo_set_le64(entry + 24, out->n - off);
    }
    return bo_writer_status(out, err);
}

enum bo_status extbinary_encode(const struct bo_codec *self, const void *model,
                                struct bo_writer *out, struct bo_error *err)
{
    struct output o = {.model = model, .out = out};
    struct autofdo_summary summary;
    const enum bo_status status = autofdo_summarize(model, out->arena, &summary, err);
    if (status)
        return status;
    return note_model(&o) ? put_file(&o, &summary, err) : bo_fail_alloc(err, out->arena);
}
