/* Version 4: decodes the whole file. Also checks what readers of a part skip. */
#include "codecs/autofdo/v4/v4.h"

/* A string table and which of its strings name callees, and functions. */
struct table {
    struct autofdo_v4_strings strings;
    bool *is_callee, *is_function;
};

struct decoder {
    struct autofdo_v4_file file;
    struct bo_arena *arena;
    bool *is_used;         /* by section */
    struct table **tables; /* by section; NULL where none is loaded */
    struct autofdo_v4_found *functions;
    size_t n_functions, cap_functions;
    struct autofdo_v4_named *files;
    size_t n_files, cap_files;
};

/* ---- units ----------------------------------------------------------------------------------- */

static enum bo_status load_table(struct decoder *d, uint32_t section, struct table **table_ret,
                                 struct bo_error *err)
{
    if (!d->tables[section]) {
        struct table *table = bo_alloc(d->arena, sizeof *table);
        if (!table)
            return bo_fail_alloc(err, d->arena);
        const enum bo_status status =
            autofdo_v4_load_strings(&d->file, section, d->arena, &table->strings, err);
        if (status)
            return status;
        const size_t n = table->strings.n;
        table->is_callee = bo_zalloc_array(d->arena, n, sizeof *table->is_callee);
        table->is_function = bo_zalloc_array(d->arena, n, sizeof *table->is_function);
        if (!table->is_callee || !table->is_function)
            return bo_fail_alloc(err, d->arena);
        d->tables[section] = table;
        d->is_used[section] = true;
    }
    *table_ret = d->tables[section];
    return BO_OK;
}

static enum bo_status add_file(struct decoder *d, struct autofdo_file file, size_t off,
                               struct bo_error *err)
{
    if (!bo_grow(d->arena, &d->files, d->n_files, 1, &d->cap_files))
        return bo_fail_alloc(err, d->arena);
    d->files[d->n_files++] = (struct autofdo_v4_named){file, off};
    return BO_OK;
}

static enum bo_status decode_function(struct decoder *d, const struct autofdo_v4_unit *unit,
                                      const struct autofdo_v4_symbol *symbol, struct table *table,
                                      struct bo_error *err)
{
    if (!bo_grow(d->arena, &d->functions, d->n_functions, 1, &d->cap_functions))
        return bo_fail_alloc(err, d->arena);
    struct autofdo_v4_found *found = &d->functions[d->n_functions++];
    found->off = symbol->off;
    const enum bo_status status = autofdo_v4_build(
        &d->file, unit, symbol, &table->strings, d->arena, table->is_callee, &found->function, err);
    if (status)
        return status;
    table->is_function[symbol->id] = true;
    const struct autofdo_file file = {found->function.body.name, unit->path};
    return unit->path.n ? add_file(d, file, symbol->off, err) : BO_OK;
}

static enum bo_status decode_unit(struct decoder *d, const struct autofdo_v4_unit *unit,
                                  struct bo_error *err)
{
    struct table *table = NULL;
    struct autofdo_v4_symbols symbols;
    enum bo_status status = load_table(d, unit->strings, &table, err);
    if (!status)
        status = autofdo_v4_open_symbols(&d->file, unit, &symbols, err);
    if (status)
        return status;
    d->is_used[unit->symbols] = d->is_used[unit->info] = true;
    for (uint32_t i = 0; i < symbols.n && !status; i++) {
        struct autofdo_v4_symbol symbol;
        status = autofdo_v4_next_symbol(&symbols, &symbol, err);
        if (!status)
            status = decode_function(d, unit, &symbol, table, err);
    }
    return status;
}

/* ---- files that units do not imply ----------------------------------------------------------- */

struct paths {
    uint32_t n;
    struct bo_span *p;
    bool *is_used; /* by a callee file */
};

static enum bo_status take_paths(struct decoder *d, struct autofdo_v4_cursor *c,
                                 struct paths *paths, struct bo_error *err)
{
    enum bo_status status = autofdo_v4_take_number(c, d->file.compact ? 1 : 2, &paths->n, err);
    if (status)
        return status;
    paths->p = bo_alloc_array(d->arena, paths->n, sizeof *paths->p);
    paths->is_used = bo_zalloc_array(d->arena, paths->n, sizeof *paths->is_used);
    if (!paths->p || !paths->is_used)
        return bo_fail_alloc(err, d->arena);
    for (uint32_t i = 0; i < paths->n; i++) {
        const size_t off = c->at.base + c->at.off;
        status = autofdo_v4_take_text(c, &paths->p[i], err);
        if (status)
            return status;
        if (autofdo_path_flaw(paths->p[i]))
            return bo_fail(err, BO_CORRUPT, off, autofdo_path_flaw(paths->p[i]));
        if (i > 0 && bo_span_compare(paths->p[i - 1], paths->p[i]) >= 0)
            return bo_fail(err, BO_CORRUPT, off, "paths are not in order");
        if (autofdo_v4_find_unit(&d->file, paths->p[i]))
            return bo_fail(err, BO_CORRUPT, off, "path is among the file names");
    }
    return BO_OK;
}

/* True for a function of the unit whose path is empty. */
static bool is_without_path(const struct decoder *d, struct bo_span name)
{
    if (d->file.units[0].path.n)
        return false;
    const struct table *table = d->tables[d->file.units[0].strings];
    uint32_t lo = 0;
    for (uint32_t hi = table->strings.n; lo < hi;) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (bo_span_compare(table->strings.names[mid], name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < table->strings.n && table->is_function[lo] &&
           bo_span_equal(table->strings.names[lo], name);
}

static enum bo_status take_callee_file(struct decoder *d, struct autofdo_v4_cursor *c,
                                       const struct paths *paths, struct autofdo_file *file,
                                       struct bo_error *err)
{
    const size_t off = c->at.base + c->at.off;
    uint64_t unit = 0, id = 0, path = 0;
    enum bo_status status = autofdo_v4_take(c, 4, &unit, err);
    if (!status)
        status = autofdo_v4_take(c, 4, &id, err);
    if (!status)
        status = autofdo_v4_take(c, 4, &path, err);
    if (status)
        return status;
    if (unit >= d->file.n_units)
        return bo_fail(err, BO_CORRUPT, off, "file number is out of range");
    const struct table *table = d->tables[d->file.units[unit].strings];
    if (id >= table->strings.n)
        return bo_fail(err, BO_CORRUPT, off, "string id is out of range");
    if (!table->is_callee[id] && !table->is_function[id])
        return bo_fail(err, BO_CORRUPT, off, "file belongs to neither a function nor a callee");
    if (path >= (uint64_t)d->file.n_units + paths->n)
        return bo_fail(err, BO_CORRUPT, off, "path number is out of range");
    file->name = table->strings.names[id];
    if (path < d->file.n_units) {
        file->path = d->file.units[path].path;
    } else {
        file->path = paths->p[path - d->file.n_units];
        paths->is_used[path - d->file.n_units] = true;
    }
    if (file->path.n && is_without_path(d, file->name))
        return bo_fail(err, BO_CORRUPT, off, "file of a function differs from its unit's");
    return add_file(d, *file, off, err);
}

static enum bo_status check_use(const struct decoder *d, const struct paths *paths,
                                struct bo_error *err)
{
    for (uint32_t i = 0; i < paths->n; i++)
        if (!paths->is_used[i])
            return bo_fail(err, BO_CORRUPT, (size_t)(paths->p[i].p - d->file.in.p),
                           "path is used by no function");
    return BO_OK;
}

static enum bo_status decode_callee_files(struct decoder *d, uint64_t section, struct bo_error *err)
{
    struct autofdo_v4_cursor c;
    struct paths paths = {0};
    struct autofdo_file last = {{NULL, 0}, {NULL, 0}}, file;
    uint32_t n = 0;
    enum bo_status status = autofdo_v4_enter(&d->file, section, AUTOFDO_V4_CALLEE_FILES, &c, err);
    if (!status)
        status = take_paths(d, &c, &paths, err);
    if (status)
        return status;
    const size_t n_off = c.at.base + c.at.off;
    status = autofdo_v4_take_number(&c, d->file.compact ? 3 : 12, &n, err);
    if (!status && n == 0)
        return bo_fail(err, BO_CORRUPT, n_off, "section of callee files is empty");
    for (uint32_t i = 0; i < n && !status; i++) {
        const size_t off = c.at.base + c.at.off;
        status = take_callee_file(d, &c, &paths, &file, err);
        if (!status && bo_span_compare(last.name, file.name) >= 0)
            return bo_fail(err, BO_CORRUPT, off, "names are not in order");
        last = file;
    }
    if (!status)
        status = autofdo_v4_take_end(&c, err);
    return status ? status : check_use(d, &paths, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Sections that no unit has: the header's, callee files, and unknown ones, which are skipped. */
static enum bo_status decode_others(struct decoder *d, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    bool has_callee_files = false;
    for (uint64_t i = 0; i < d->file.n_sections && !status; i++) {
        if (d->is_used[i] || i == d->file.summary_number || i == d->file.files_number)
            continue;
        const size_t off = autofdo_v4_section_off(&d->file, i);
        const unsigned type = d->file.in.p[off] & ~AUTOFDO_V4_COMPACT;
        if (type >= AUTOFDO_V4_STRINGS && type <= AUTOFDO_V4_INFO)
            return bo_fail(err, BO_CORRUPT, off, "section belongs to no file");
        if (type != AUTOFDO_V4_CALLEE_FILES)
            continue;
        if (has_callee_files)
            return bo_fail(err, BO_CORRUPT, off, "duplicate section of callee files");
        has_callee_files = true;
        status = decode_callee_files(d, i, err);
    }
    return status;
}

static enum bo_status check_summary(const struct decoder *d, const struct autofdo_model *model,
                                    struct bo_error *err)
{
    struct autofdo_summary stored, right;
    enum bo_status status = autofdo_v4_read_summary(&d->file, &stored, err);
    if (!status)
        status = autofdo_summarize(model, d->arena, &right, err);
    if (!status && memcmp(&stored, &right, sizeof stored) != 0)
        return bo_fail(err, BO_CORRUPT, autofdo_v4_section_off(&d->file, d->file.summary_number),
                       "summary disagrees with the functions");
    return status;
}

enum bo_status autofdo_v4_decode(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct decoder d = {.arena = arena};
    struct autofdo_model *model = NULL;
    enum bo_status status = autofdo_v4_open(in, arena, &d.file, err);
    if (status)
        return status;
    d.is_used = bo_zalloc_array(arena, (size_t)d.file.n_sections, sizeof *d.is_used);
    d.tables = bo_zalloc_array(arena, (size_t)d.file.n_sections, sizeof *d.tables);
    if (!d.is_used || !d.tables)
        return bo_fail_alloc(err, arena);
    for (uint32_t u = 0; u < d.file.n_units && !status; u++)
        status = decode_unit(&d, &d.file.units[u], err);
    if (!status)
        status = decode_others(&d, err);
    if (!status)
        status =
            autofdo_v4_assemble(d.functions, d.n_functions, d.files, d.n_files, arena, &model, err);
    if (!status)
        status = check_summary(&d, model, err);
    *model_ret = model;
    return status;
}
