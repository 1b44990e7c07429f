/* GCOV, the writer: numbers names and files, then writes everything as real writers do. */
#include "codecs/autofdo/gcov/gcov.h"

#include <stdlib.h>

#include "codecs/autofdo/model.h"

/* What is being written. */
struct output {
    const struct gcov_layout *layout;
    const struct autofdo_model *model;
    struct bo_writer *out;
    struct autofdo_name_table names; /* in the order of a visit of the model */
    struct gcov_item *sorted;        /* the same by their bytes; `index` is their number */
    uint32_t *indices;               /* in the file, by number */
    struct autofdo_name_table paths; /* in the order of their first use by functions and callees */
    uint32_t *file_indices;          /* in `paths`, by the name's number; v3 */
    uint64_t n_words;                /* of functions, for the length of their section */
    uint64_t *counts;                /* of all body records */
    size_t n_counts, cap_counts;
    bool is_too_large; /* a count is above GCOV_MAX_COUNT, or there are 2^32 of something */
    bool is_refused;   /* the arena refused */
};

/* ---- a first visit: names, numbers and counts ------------------------------------------------ */

static void note_name(struct output *o, struct bo_span name)
{
    size_t number;
    /* A string's length must fit its u32, with NUL and padding. */
    o->is_too_large |= (uint64_t)name.n > UINT32_MAX - 4;
    o->is_refused = o->is_refused || !autofdo_names_add(&o->names, name, &number);
}

static void note_count(struct output *o, uint64_t count)
{
    o->is_too_large |= count > GCOV_MAX_COUNT;
}

static void note_number(struct output *o, uint64_t n)
{
    o->is_too_large |= n > UINT32_MAX;
}

static void note_record(struct output *o, const struct autofdo_record *record)
{
    if (!bo_grow(o->out->arena, &o->counts, o->n_counts, 1, &o->cap_counts)) {
        o->is_refused = true;
        return;
    }
    o->counts[o->n_counts++] = record->count;
    note_count(o, record->count);
    note_number(o, record->n_targets);
    for (size_t t = 0; t < record->n_targets; t++) {
        note_name(o, record->targets[t].name);
        note_count(o, record->targets[t].count);
    }
    o->n_words += 4 + 5 * (uint64_t)record->n_targets;
}

static void note_instance(struct output *o, const struct autofdo_instance *instance)
{
    note_name(o, instance->name);
    note_number(o, instance->n_records);
    note_number(o, instance->n_callsites);
    o->n_words += 3 + (uint64_t)instance->n_callsites;
    for (size_t r = 0; r < instance->n_records && !o->is_refused; r++)
        note_record(o, &instance->records[r]);
    for (size_t c = 0; c < instance->n_callsites && !o->is_refused; c++)
        note_instance(o, &instance->callsites[c].callee);
}

static void note_model(struct output *o)
{
    note_number(o, o->model->n_functions);
    o->n_words = 1;
    for (size_t f = 0; f < o->model->n_functions && !o->is_refused; f++) {
        note_count(o, o->model->functions[f].head);
        o->n_words += 2;
        note_instance(o, &o->model->functions[f].body);
    }
    note_number(o, o->names.n + 1);
}

/* Index 0 is the empty name; the others follow by their bytes. */
static bool sort_names(struct output *o)
{
    const size_t n = o->names.n;
    o->sorted = bo_alloc_array(o->out->arena, n, sizeof *o->sorted);
    o->indices = bo_alloc_array(o->out->arena, n, sizeof *o->indices);
    if (!o->sorted || !o->indices)
        return false;
    for (size_t i = 0; i < n; i++)
        o->sorted[i] = (struct gcov_item){.name = o->names.names[i], .index = (uint32_t)i};
    if (!gcov_sort_items(o->sorted, n, o->out->arena))
        return false;
    for (size_t i = 0; i < n; i++)
        o->indices[o->sorted[i].index] = (uint32_t)(i + 1);
    return true;
}

/* ---- strings --------------------------------------------------------------------------------- */

static uint32_t words_of(struct bo_span string)
{
    return (uint32_t)((string.n + 4) / 4);
}

static void put_string(struct output *o, struct bo_span string)
{
    const uint32_t n_words = words_of(string);
    const size_t n = o->layout->padded ? 4 * (size_t)n_words : string.n + 1;
    bo_put_le32(o->out, o->layout->padded ? n_words : (uint32_t)n);
    bo_put_bytes(o->out, string.p, string.n);
    bo_put_zeros(o->out, n - string.n);
}

/* Of the names section, as in v407 without files: the real writers never changed it. */
static uint32_t names_length(const struct output *o)
{
    uint32_t length = 1 + 2; /* the number of names, and the empty one */
    for (size_t i = 0; i < o->names.n; i++)
        length += words_of(o->names.names[i]) + 1;
    return length;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The file of each name, by the name's number; NULL without one. Both lists are in order. */
static const struct autofdo_file **match_files(struct output *o)
{
    const struct autofdo_file **files = bo_zalloc_array(o->out->arena, o->names.n, sizeof *files);
    const struct autofdo_file *all = o->model->files;
    const size_t n_files = o->model->n_files;
    for (size_t i = 0, f = 0; files && i < o->names.n; i++) {
        while (f < n_files && bo_span_compare(all[f].name, o->sorted[i].name) < 0)
            f++;
        if (f < n_files && bo_span_equal(all[f].name, o->sorted[i].name))
            files[o->sorted[i].index] = &all[f];
    }
    return files;
}

/* Numbers the paths in the order in which a visit of all instances reaches them. */
static void number_paths(struct output *o, const struct autofdo_file *const *files,
                         const struct autofdo_instance *instance)
{
    size_t name = 0, path;
    autofdo_names_find(&o->names, instance->name, &name);
    if (files[name] && o->file_indices[name] == GCOV_NO_FILE) {
        o->is_too_large |= (uint64_t)files[name]->path.n > UINT32_MAX - 4;
        o->is_refused = o->is_refused || !autofdo_names_add(&o->paths, files[name]->path, &path);
        o->file_indices[name] = o->is_refused ? GCOV_NO_FILE : (uint32_t)path;
    }
    for (size_t c = 0; c < instance->n_callsites; c++)
        number_paths(o, files, &instance->callsites[c].callee);
}

/* Fills `paths` and `file_indices`. */
static bool note_files(struct output *o)
{
    const struct autofdo_file **files = match_files(o);
    o->file_indices = bo_alloc_array(o->out->arena, o->names.n, sizeof *o->file_indices);
    if (!files || !o->file_indices)
        return false;
    for (size_t i = 0; i < o->names.n; i++)
        o->file_indices[i] = GCOV_NO_FILE;
    for (size_t f = 0; o->model->n_files && f < o->model->n_functions && !o->is_refused; f++)
        number_paths(o, files, &o->model->functions[f].body);
    return !o->is_refused;
}

/* ---- the sections ---------------------------------------------------------------------------- */

static void put_summary(struct output *o, const struct autofdo_summary *summary)
{
    bo_mark(o->out, "summary");
    bo_put_le32(o->out, GCOV_TAG_SUMMARY);
    bo_put_le64(o->out, summary->total_count);
    bo_put_le64(o->out, summary->max_count);
    bo_put_le64(o->out, summary->max_head);
    bo_put_le64(o->out, summary->n_counts);
    bo_put_le64(o->out, summary->n_functions);
    bo_put_le64(o->out, AUTOFDO_N_CUTOFFS);
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        bo_put_le32(o->out, autofdo_cutoffs[i]);
        bo_put_le64(o->out, summary->entries[i].min_count);
        bo_put_le64(o->out, summary->entries[i].n_counts);
    }
}

static void put_names(struct output *o)
{
    bo_mark(o->out, "header");
    bo_put_le32(o->out, GCOV_TAG_NAMES);
    bo_put_le32(o->out, names_length(o));
    if (o->layout->is_v3) {
        bo_mark(o->out, "files");
        bo_put_le32(o->out, (uint32_t)o->paths.n);
        for (size_t i = 0; i < o->paths.n; i++)
            put_string(o, o->paths.names[i]);
    }
    bo_mark(o->out, "names");
    bo_put_le32(o->out, (uint32_t)(o->names.n + 1));
    for (size_t i = 0; i <= o->names.n; i++) {
        bo_mark(o->out, "names");
        put_string(o, i ? o->sorted[i - 1].name : (struct bo_span){NULL, 0});
        if (o->layout->is_v3) {
            bo_mark(o->out, "files");
            bo_put_le32(o->out, i ? o->file_indices[o->sorted[i - 1].index] : GCOV_NO_FILE);
        }
    }
}

static uint32_t index_of(const struct output *o, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(&o->names, name, &number);
    return o->indices[number];
}

static uint32_t offset_word(uint32_t line, uint32_t discriminator)
{
    return line << 16 | discriminator;
}

static void put_record(struct output *o, const struct autofdo_record *record)
{
    bo_mark(o->out, "structure");
    bo_put_le32(o->out, offset_word(record->line, record->discriminator));
    bo_put_le32(o->out, (uint32_t)record->n_targets);
    bo_mark(o->out, "counts");
    bo_put_le64(o->out, record->count);
    for (size_t t = 0; t < record->n_targets; t++) {
        bo_mark(o->out, "targets");
        bo_put_le32(o->out, GCOV_TARGET_TYPE);
        bo_put_le64(o->out, index_of(o, record->targets[t].name));
        bo_put_le64(o->out, record->targets[t].count);
    }
}

static void put_instance(struct output *o, const struct autofdo_instance *instance)
{
    bo_mark(o->out, "structure");
    bo_put_le32(o->out, index_of(o, instance->name));
    bo_put_le32(o->out, (uint32_t)instance->n_records);
    bo_put_le32(o->out, (uint32_t)instance->n_callsites);
    for (size_t r = 0; r < instance->n_records; r++)
        put_record(o, &instance->records[r]);
    for (size_t c = 0; c < instance->n_callsites && !o->out->status; c++) {
        const struct autofdo_callsite *callsite = &instance->callsites[c];
        bo_mark(o->out, "structure");
        bo_put_le32(o->out, offset_word(callsite->line, callsite->discriminator));
        put_instance(o, &callsite->callee);
    }
}

static void put_functions(struct output *o)
{
    bo_mark(o->out, "header");
    bo_put_le32(o->out, GCOV_TAG_FUNCTIONS);
    bo_put_le32(o->out, (uint32_t)o->n_words);
    bo_put_le32(o->out, (uint32_t)o->model->n_functions);
    for (size_t f = 0; f < o->model->n_functions && !o->out->status; f++) {
        bo_mark(o->out, "counts");
        bo_put_le64(o->out, o->model->functions[f].head);
        if (o->layout->is_v3) {
            bo_mark(o->out, "timestamps");
            bo_put_le64(o->out, o->model->functions[f].timestamp);
        }
        put_instance(o, &o->model->functions[f].body);
    }
}

static void put_module_group(struct output *o)
{
    bo_mark(o->out, "header");
    bo_put_le32(o->out, GCOV_TAG_MODULE_GROUP);
    bo_put_le32(o->out, 0);
    bo_put_le32(o->out, 0);
}

static int compare_downwards(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

/*
 * Set i: the number of highest counts that fit into (i + 1) / 129 of the total, and the next count.
 * Real writers weight each count with its number of instructions; here the weight is 1.
 */
static void put_working_sets(struct output *o)
{
    uint64_t total = 0, sum = 0;
    unsigned n_sets = 0;
    for (size_t i = 0; i < o->n_counts; i++)
        total = autofdo_add(total, o->counts[i]);
    const uint64_t step = total / (GCOV_N_WORKING_SETS + 1);
    if (o->n_counts)
        qsort(o->counts, o->n_counts, sizeof *o->counts, compare_downwards);
    bo_mark(o->out, "working set");
    bo_put_le32(o->out, GCOV_TAG_WORKING_SET);
    bo_put_le32(o->out, GCOV_WORKING_SET_NBYTES / 4);
    for (size_t i = 0; i < o->n_counts && n_sets < GCOV_N_WORKING_SETS; i++) {
        for (; n_sets < GCOV_N_WORKING_SETS && o->counts[i] > step * (n_sets + 1) - sum; n_sets++) {
            bo_put_le32(o->out, (uint32_t)(i / GCOV_COUNTERS_PER_BLOCK));
            bo_put_le64(o->out, o->counts[i]);
        }
        sum += n_sets < GCOV_N_WORKING_SETS ? o->counts[i] : 0;
    }
    bo_put_zeros(o->out, 12 * (size_t)(GCOV_N_WORKING_SETS - n_sets));
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum bo_status put_file(struct output *o, struct bo_error *err)
{
    struct autofdo_summary summary;
    if (o->layout->is_v3) {
        const enum bo_status status = autofdo_summarize(o->model, o->out->arena, &summary, err);
        if (status)
            return status;
    }
    bo_mark(o->out, "header");
    bo_put_le32(o->out, GCOV_MAGIC);
    bo_put_le32(o->out, o->layout->version);
    bo_put_le32(o->out, 0);
    if (o->layout->is_v3)
        put_summary(o, &summary);
    put_names(o);
    put_functions(o);
    put_module_group(o);
    put_working_sets(o);
    return bo_writer_status(o->out, err);
}

enum bo_status gcov_write(const struct gcov_layout *layout, const struct autofdo_model *model,
                          struct bo_writer *out, struct bo_error *err)
{
    struct output o = {.layout = layout, .model = model, .out = out};
    if (!autofdo_names_init(&o.names, 2 * model->n_functions, out->arena) ||
        !autofdo_names_init(&o.paths, 0, out->arena))
        return bo_fail_alloc(err, out->arena);
    note_model(&o);
    if (o.is_refused || !sort_names(&o) || (layout->is_v3 && !note_files(&o)))
        return bo_fail_alloc(err, out->arena);
    if (o.is_too_large)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "count is 2^63 or more, or a list has 2^32 elements or more");
    return put_file(&o, err);
}
