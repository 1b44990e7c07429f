/* Version 4: the writer. Sections are written in the order in which they are numbered. */
#include <stdlib.h>

#include "codecs/autofdo/model.h"
#include "codecs/autofdo/v4/v4.h"

#define NO_FILE UINT32_MAX

/* A function and the path of its unit. */
struct placed {
    struct bo_span path;
    const struct autofdo_function *function;
};

struct unit {
    struct bo_span path;
    size_t first, n; /* among the placed */
};

/* A file that no unit implies, and the place of its name's string. */
struct named {
    bool is_named, has_place;
    uint32_t unit, id;
};

/* The strings of a table: `ids` by their number in `names`. */
struct table {
    struct autofdo_name_table names;
    uint32_t *ids;
    uint32_t *files; /* by id: the number of the name's file among the model's, or NO_FILE */
};

struct writer {
    const struct autofdo_model *model;
    struct bo_writer *out;
    bool compact, one_table;
    size_t base; /* where the file starts in out */
    struct placed *placed;
    struct unit *units;
    size_t n_units;
    struct named *named; /* by the model's files */
    size_t n_named;
    struct table table; /* of the unit at hand, or of all */
    uint32_t unit;      /* at hand */
    uint64_t n_sections, n_ended;
};

static void put(struct writer *w, unsigned nbytes, uint64_t v)
{
    autofdo_v4_put(w->out, w->compact, nbytes, v);
}

static enum bo_status fail_alloc(const struct writer *w, struct bo_error *err)
{
    return bo_fail_alloc(err, w->out->arena);
}

/* ---- units ----------------------------------------------------------------------------------- */

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int order = bo_span_compare(x->path, y->path);
    return order ? order : (x->function > y->function) - (x->function < y->function);
}

static enum bo_status make_units(struct writer *w, struct bo_error *err)
{
    const struct autofdo_model *model = w->model;
    struct bo_arena *arena = w->out->arena;
    w->placed = bo_alloc_array(arena, model->n_functions, sizeof *w->placed);
    w->units = bo_alloc_array(arena, model->n_functions, sizeof *w->units);
    if (!w->placed || !w->units)
        return fail_alloc(w, err);
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct bo_span *path = autofdo_path_of(model, model->functions[f].body.name);
        w->placed[f] =
            (struct placed){path ? *path : (struct bo_span){NULL, 0}, &model->functions[f]};
        if (w->placed[f].path.n > AUTOFDO_V4_MAX_LABEL)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "a path of version 4 has at most 65535 bytes");
    }
    if (model->n_functions)
        qsort(w->placed, model->n_functions, sizeof *w->placed, compare_placed);
    for (size_t i = 0; i < model->n_functions; i++) {
        struct unit *last = w->n_units ? &w->units[w->n_units - 1] : NULL;
        if (!last || !bo_span_equal(last->path, w->placed[i].path))
            w->units[w->n_units++] = (struct unit){w->placed[i].path, i, 1};
        else
            last->n++;
    }
    return BO_OK;
}

/* Finds the files that units do not imply: of callees, and empty paths. */
static enum bo_status find_named(struct writer *w, struct bo_error *err)
{
    const struct autofdo_model *model = w->model;
    w->named = bo_zalloc_array(w->out->arena, model->n_files, sizeof *w->named);
    if (!w->named)
        return fail_alloc(w, err);
    for (size_t file = 0, f = 0; file < model->n_files; file++) {
        const struct bo_span name = model->files[file].name;
        int order = 1;
        while (f < model->n_functions &&
               (order = bo_span_compare(model->functions[f].body.name, name)) < 0)
            f++;
        const bool is_function = f < model->n_functions && order == 0;
        w->named[file].is_named = !is_function || model->files[file].path.n == 0;
        w->n_named += w->named[file].is_named;
    }
    return BO_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void begin_section(struct writer *w, enum autofdo_v4_type type, const char *mark)
{
    bo_mark(w->out, mark);
    bo_put_u8(w->out, (uint8_t)(type | (w->compact ? AUTOFDO_V4_COMPACT : 0)));
}

/* Records the section from `start` to here in the header or in the table. */
static void end_section(struct writer *w, size_t start)
{
    const uint64_t entry = w->n_ended++; /* the header's two are written first, and lie before */
    if (w->out->status)
        return;
    uint8_t *range = w->out->p + w->base + AUTOFDO_V4_SUMMARY_OFF + entry * AUTOFDO_V4_RANGE_NBYTES;
    bo_set_be64(range, start - w->base);
    bo_set_be64(range + 8, w->out->n - start);
}

static void put_header(struct writer *w)
{
    const uint64_t per_unit = w->one_table ? 2 : 3;
    w->n_sections = per_unit * w->n_units + (w->one_table && w->n_units) + (w->n_named > 0);
    bo_mark(w->out, "header");
    bo_put_be32(w->out, AUTOFDO_V4_MAGIC);
    bo_put_be32(w->out, AUTOFDO_V4_VERSION);
    bo_put_be64(w->out, (uint64_t)(w->compact ? AUTOFDO_V4_COMPACT : 0) << 56 | w->n_sections);
    bo_put_zeros(w->out, 2 * AUTOFDO_V4_RANGE_NBYTES);
    bo_mark(w->out, "index");
    bo_put_zeros(w->out, (size_t)w->n_sections * AUTOFDO_V4_RANGE_NBYTES);
}

static enum bo_status put_summary(struct writer *w, struct bo_error *err)
{
    struct autofdo_summary summary;
    const enum bo_status status = autofdo_summarize(w->model, w->out->arena, &summary, err);
    if (status)
        return status;
    const size_t start = w->out->n;
    begin_section(w, AUTOFDO_V4_SUMMARY, "summary");
    put(w, 8, summary.total_count);
    put(w, 8, summary.max_count);
    put(w, 8, summary.max_head);
    put(w, 8, summary.n_counts);
    put(w, 8, summary.n_functions);
    put(w, 8, AUTOFDO_N_CUTOFFS);
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        put(w, 4, autofdo_cutoffs[i]);
        put(w, 8, summary.entries[i].min_count);
        put(w, 8, summary.entries[i].n_counts);
    }
    end_section(w, start);
    return BO_OK;
}

/* After the header's two sections: (strings,) then strings, info, symbols of each unit. */
static void put_files(struct writer *w)
{
    const size_t start = w->out->n;
    begin_section(w, AUTOFDO_V4_FILES, "files");
    put(w, 4, w->n_units);
    for (size_t u = 0; u < w->n_units; u++) {
        const size_t info = w->one_table ? 3 + 2 * u : 3 + 3 * u;
        put(w, 2, w->units[u].path.n);
        bo_put_bytes(w->out, w->units[u].path.p, w->units[u].path.n);
        put(w, 4, w->one_table ? 2 : info - 1);
        put(w, 4, info + 1);
        put(w, 4, info);
    }
    end_section(w, start);
}

/* ---- string tables --------------------------------------------------------------------------- */

static bool add_name(struct writer *w, struct bo_span name)
{
    size_t number;
    return autofdo_names_add(&w->table.names, name, &number);
}

/* Recursion is bounded by the model's rules. */
static bool add_names(struct writer *w, const struct autofdo_instance *instance)
{
    bool ok = add_name(w, instance->name);
    for (size_t r = 0; r < instance->n_records && ok; r++)
        for (size_t t = 0; t < instance->records[r].n_targets && ok; t++)
            ok = add_name(w, instance->records[r].targets[t].name);
    for (size_t c = 0; c < instance->n_callsites && ok; c++)
        ok = add_names(w, &instance->callsites[c].callee);
    return ok;
}

/* A name and its number in the order of addition. */
struct numbered {
    struct bo_span name;
    size_t number;
};

static int compare_numbered(const void *a, const void *b)
{
    return bo_span_compare(((const struct numbered *)a)->name, ((const struct numbered *)b)->name);
}

/* The number of a name's file when it must be stored by name, else NO_FILE. */
static uint32_t named_file_of(const struct writer *w, struct bo_span name)
{
    size_t lo = 0;
    for (size_t hi = w->model->n_files; lo < hi;) {
        const size_t mid = lo + (hi - lo) / 2;
        const int order = bo_span_compare(w->model->files[mid].name, name);
        if (order == 0)
            return w->named[mid].is_named ? (uint32_t)mid : NO_FILE;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NO_FILE;
}

/* Sorts the table's names; *names_ret are they, by id. */
static enum bo_status sort_table(struct writer *w, struct bo_span **names_ret, struct bo_error *err)
{
    struct bo_arena *arena = w->out->arena;
    struct table *table = &w->table;
    const size_t n = table->names.n;
    struct numbered *numbered = bo_alloc_array(arena, n, sizeof *numbered);
    struct bo_span *names = bo_alloc_array(arena, n, sizeof *names);
    table->ids = bo_alloc_array(arena, n, sizeof *table->ids);
    table->files = bo_alloc_array(arena, n, sizeof *table->files);
    if (!numbered || !names || !table->ids || !table->files)
        return fail_alloc(w, err);
    for (size_t i = 0; i < n; i++)
        numbered[i] = (struct numbered){table->names.names[i], i};
    qsort(numbered, n, sizeof *numbered, compare_numbered);
    for (size_t i = 0; i < n; i++) {
        names[i] = numbered[i].name;
        table->ids[numbered[i].number] = (uint32_t)i;
        table->files[i] = named_file_of(w, names[i]);
    }
    *names_ret = names;
    return BO_OK;
}

/* Makes the table of n placed functions and writes its section. */
static enum bo_status put_strings(struct writer *w, const struct placed *placed, size_t n,
                                  struct bo_error *err)
{
    struct bo_span *names = NULL;
    uint64_t n_spelt = 0;
    bool ok = autofdo_names_init(&w->table.names, n, w->out->arena);
    for (size_t i = 0; i < n && ok; i++)
        ok = add_names(w, &placed[i].function->body);
    if (!ok)
        return fail_alloc(w, err);
    enum bo_status status = sort_table(w, &names, err);
    if (status)
        return status;
    const size_t start = w->out->n;
    begin_section(w, AUTOFDO_V4_STRINGS, "names");
    put(w, 4, w->table.names.n);
    status = autofdo_v4_put_trie(w->out, w->compact, names, w->table.names.n, err);
    end_section(w, start);
    for (size_t i = 0; i < w->table.names.n; i++)
        n_spelt += names[i].n;
    if (!status && !w->out->status && n_spelt > autofdo_v4_max_spelt(w->out->n - start))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "names of a string table are too long for their trie");
    return status;
}

static uint32_t id_of(const struct writer *w, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(&w->table.names, name, &number);
    return w->table.ids[number];
}

/* Records the first place of a name whose file must be stored by name. */
static void note_file(struct writer *w, uint32_t id)
{
    struct named *named = w->table.files[id] == NO_FILE ? NULL : &w->named[w->table.files[id]];
    if (named && !named->has_place)
        *named = (struct named){true, true, w->unit, id};
}

/* ---- functions ------------------------------------------------------------------------------- */

static void put_count(struct writer *w, unsigned code, uint64_t count)
{
    if (code == 0)
        return;
    bo_mark(w->out, "counts");
    put(w, w->compact ? 8 : 1u << (code - 1), count);
    bo_mark(w->out, "structure");
}

static unsigned width_code(const struct writer *w, uint64_t count)
{
    return w->compact ? count > 0 : autofdo_v4_width_code(count);
}

static void put_target(struct writer *w, const struct autofdo_target *target)
{
    const unsigned code = width_code(w, target->count);
    if (!w->compact)
        bo_put_u8(w->out, (uint8_t)code);
    put(w, 4, id_of(w, target->name));
    put_count(w, w->compact ? 1 : code, target->count);
}

/* The first byte and the place; *line is that of the record before, of the same type. */
static void put_place(struct writer *w, unsigned type, unsigned flags, uint32_t line,
                      uint32_t discriminator, uint32_t *last_line)
{
    bo_put_u8(w->out,
              (uint8_t)(type << 5 | flags | (discriminator ? AUTOFDO_V4_HAS_DISCRIMINATOR : 0)));
    put(w, 4, w->compact ? line - *last_line : line);
    if (discriminator)
        put(w, 4, discriminator);
    *last_line = line;
}

static void put_record(struct writer *w, const struct autofdo_record *record, uint32_t *last_line)
{
    const unsigned code = width_code(w, record->count);
    const unsigned flags = code | (record->n_targets ? AUTOFDO_V4_HAS_TARGETS : 0);
    put_place(w, AUTOFDO_V4_COUNT, flags, record->line, record->discriminator, last_line);
    put_count(w, code, record->count);
    if (record->n_targets)
        put(w, 4, record->n_targets);
    for (size_t t = 0; t < record->n_targets; t++)
        put_target(w, &record->targets[t]);
}

static void put_instance(struct writer *w, const struct autofdo_instance *instance)
{
    uint32_t line = 0;
    put(w, 4, instance->n_records + instance->n_callsites);
    for (size_t r = 0; r < instance->n_records; r++)
        put_record(w, &instance->records[r], &line);
    line = 0;
    for (size_t c = 0; c < instance->n_callsites && !w->out->status; c++) {
        const struct autofdo_callsite *callsite = &instance->callsites[c];
        const uint32_t id = id_of(w, callsite->callee.name);
        put_place(w, AUTOFDO_V4_CALLSITE, 0, callsite->line, callsite->discriminator, &line);
        put(w, 4, id);
        note_file(w, id);
        put_instance(w, &callsite->callee);
    }
}

static void put_function(struct writer *w, const struct autofdo_function *function)
{
    bo_mark(w->out, "counts");
    put(w, 8, function->head);
    bo_mark(w->out, "timestamps");
    put(w, 8, function->timestamp);
    bo_mark(w->out, "structure");
    put_instance(w, &function->body);
    note_file(w, id_of(w, function->body.name));
}

/* The unit's info section, then its symbols. */
static enum bo_status put_unit(struct writer *w, const struct unit *unit, struct bo_error *err)
{
    const struct placed *placed = w->placed + unit->first;
    size_t *starts = bo_alloc_array(w->out->arena, unit->n, sizeof *starts);
    if (!starts)
        return fail_alloc(w, err);
    const size_t info = w->out->n;
    begin_section(w, AUTOFDO_V4_INFO, "structure");
    for (size_t i = 0; i < unit->n && !w->out->status; i++) {
        starts[i] = w->out->n - info;
        put_function(w, placed[i].function);
    }
    end_section(w, info);
    if (w->out->status)
        return BO_OK;
    const size_t symbols = w->out->n;
    begin_section(w, AUTOFDO_V4_SYMBOLS, "index");
    put(w, 4, unit->n);
    for (size_t i = 0; i < unit->n; i++) {
        put(w, 4, id_of(w, placed[i].function->body.name));
        put(w, 8, w->compact && i ? starts[i] - starts[i - 1] : starts[i]);
    }
    end_section(w, symbols);
    return BO_OK;
}

static enum bo_status put_units(struct writer *w, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    if (w->one_table && w->n_units)
        status = put_strings(w, w->placed, w->model->n_functions, err);
    for (size_t u = 0; u < w->n_units && !status && !w->out->status; u++) {
        const struct unit *unit = &w->units[u];
        const struct bo_arena_mark mark = bo_arena_mark(w->out->arena);
        w->unit = (uint32_t)u;
        if (!w->one_table)
            status = put_strings(w, w->placed + unit->first, unit->n, err);
        if (!status && !w->out->status)
            status = put_unit(w, unit, err);
        bo_arena_rewind(w->out->arena, mark);
    }
    return status;
}

/* ---- files that units do not imply ----------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
    return bo_span_compare(*(const struct bo_span *)a, *(const struct bo_span *)b);
}

static int compare_unit_paths(const void *path, const void *unit)
{
    return bo_span_compare(*(const struct bo_span *)path, ((const struct unit *)unit)->path);
}

/* The number of the unit of this path, or n_units. */
static size_t unit_of(const struct writer *w, struct bo_span path)
{
    const struct unit *unit =
        bsearch(&path, w->units, w->n_units, sizeof *w->units, compare_unit_paths);
    return unit ? (size_t)(unit - w->units) : w->n_units;
}

/* Paths of named files that belong to no unit, sorted, each once. */
static enum bo_status gather_paths(struct writer *w, struct bo_span **paths_ret, size_t *n_ret,
                                   struct bo_error *err)
{
    size_t n = 0, n_kept = 0;
    struct bo_span *paths = bo_alloc_array(w->out->arena, w->n_named, sizeof *paths);
    if (!paths)
        return fail_alloc(w, err);
    for (size_t i = 0; i < w->model->n_files; i++) {
        const struct bo_span path = w->model->files[i].path;
        if (!w->named[i].is_named || unit_of(w, path) < w->n_units)
            continue;
        if (path.n > AUTOFDO_V4_MAX_LABEL)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "a path of version 4 has at most 65535 bytes");
        paths[n++] = path;
    }
    if (n)
        qsort(paths, n, sizeof *paths, compare_paths);
    for (size_t i = 0; i < n; i++)
        if (n_kept == 0 || !bo_span_equal(paths[n_kept - 1], paths[i]))
            paths[n_kept++] = paths[i];
    *paths_ret = paths;
    *n_ret = n_kept;
    return BO_OK;
}

static enum bo_status put_callee_files(struct writer *w, struct bo_error *err)
{
    struct bo_span *paths = NULL;
    size_t n_paths = 0;
    const enum bo_status status = gather_paths(w, &paths, &n_paths, err);
    if (status)
        return status;
    const size_t start = w->out->n;
    begin_section(w, AUTOFDO_V4_CALLEE_FILES, "callee files");
    put(w, 4, n_paths);
    for (size_t i = 0; i < n_paths; i++) {
        put(w, 2, paths[i].n);
        bo_put_bytes(w->out, paths[i].p, paths[i].n);
    }
    put(w, 4, w->n_named);
    for (size_t i = 0; i < w->model->n_files; i++) {
        if (!w->named[i].is_named)
            continue;
        const struct bo_span path = w->model->files[i].path;
        size_t number = unit_of(w, path);
        if (number == w->n_units) {
            const struct bo_span *found =
                bsearch(&path, paths, n_paths, sizeof *paths, compare_paths);
            number += (size_t)(found - paths);
        }
        put(w, 4, w->named[i].unit);
        put(w, 4, w->named[i].id);
        put(w, 4, number);
    }
    end_section(w, start);
    return BO_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum bo_status put_file(struct writer *w, struct bo_error *err)
{
    enum bo_status status = make_units(w, err);
    if (!status)
        status = find_named(w, err);
    if (status)
        return status;
    put_header(w);
    status = put_summary(w, err);
    if (status)
        return status;
    put_files(w);
    status = put_units(w, err);
    if (!status && w->n_named && !w->out->status)
        status = put_callee_files(w, err);
    return status ? status : bo_writer_status(w->out, err);
}

enum bo_status autofdo_v4_encode(const struct autofdo_model *model, bool compact, bool one_table,
                                 struct bo_writer *out, struct bo_error *err)
{
    struct writer w = {
        .model = model, .out = out, .compact = compact, .one_table = one_table, .base = out->n};
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const enum bo_status status = put_file(&w, err);
    bo_arena_rewind(out->arena, mark);
    return status;
}
