/* GCOV, the reader: everything is read and checked, in one pass over the bytes. */
#include "codecs/autofdo/gcov/input.h"

/* The least bytes of an element of each kind, which bound the announced numbers. */
enum {
    STRING_NBYTES = 5,
    INSTANCE_NBYTES = 12,
    RECORD_NBYTES = 16,
    TARGET_NBYTES = 20,
    CALLSITE_NBYTES = 4 + INSTANCE_NBYTES,
};

/* ---- header, summary, names ------------------------------------------------------------------ */

static enum bo_status get_header(struct gcov_input *r)
{
    enum bo_status status = gcov_expect_u32(r, GCOV_MAGIC, BO_CORRUPT, "magic number is not adcg");
    if (!status)
        status =
            gcov_expect_u32(r, r->layout->version, BO_UNSUPPORTED, "version is not this codec's");
    if (!status)
        status = gcov_expect_u32(r, 0, BO_CORRUPT, "the header's third word is not 0");
    return status;
}

static enum bo_status get_entry(struct gcov_input *r, unsigned i)
{
    struct autofdo_entry *entry = &r->summary.entries[i];
    enum bo_status status = gcov_expect_u32(r, autofdo_cutoffs[i], BO_CORRUPT,
                                            "cutoff of a summary entry has another value");
    if (!status)
        status = gcov_get_u64(r, &entry->min_count);
    return status ? status : gcov_get_u64(r, &entry->n_counts);
}

static enum bo_status get_summary(struct gcov_input *r)
{
    struct autofdo_summary *summary = &r->summary;
    uint64_t *const fields[] = {&summary->total_count, &summary->max_count, &summary->max_head,
                                &summary->n_counts, &summary->n_functions};
    uint64_t n_entries = 0;
    enum bo_status status =
        gcov_expect_u32(r, GCOV_TAG_SUMMARY, BO_CORRUPT, "tag is not that of the summary");
    for (unsigned i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        status = gcov_get_u64(r, fields[i]);
    const size_t off = r->in.off;
    if (!status)
        status = gcov_get_u64(r, &n_entries);
    if (!status && n_entries != AUTOFDO_N_CUTOFFS)
        return gcov_fail_at(r, BO_UNSUPPORTED, off, "summary does not have 16 entries");
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS && !status; i++)
        status = get_entry(r, i);
    return status;
}

static enum bo_status get_path(struct gcov_input *r, struct bo_span *path)
{
    const enum bo_status status = gcov_get_string(r, path);
    const char *flaw = status ? NULL : autofdo_path_flaw(*path);
    return flaw ? gcov_fail_at(r, BO_CORRUPT, (size_t)(path->p - r->in.p), flaw) : status;
}

/* Name 0 is empty or, in files of perf-gcov, a name like the others. */
static enum bo_status get_name(struct gcov_input *r, bool is_first, struct bo_span *name)
{
    const enum bo_status status = gcov_get_string(r, name);
    const char *flaw = status || (is_first && !name->n) ? NULL : autofdo_name_flaw(*name);
    return flaw ? gcov_fail_at(r, BO_CORRUPT, (size_t)(name->p - r->in.p), flaw) : status;
}

static enum bo_status get_files(struct gcov_input *r)
{
    enum bo_status status = gcov_get_number(r, STRING_NBYTES, &r->n_files);
    if (status)
        return status;
    r->files = bo_alloc_array(r->arena, r->n_files, sizeof *r->files);
    if (!r->files)
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < r->n_files && !status; i++) {
        r->owed -= STRING_NBYTES;
        status = get_path(r, &r->files[i]);
    }
    return status;
}

static enum bo_status get_file_index(struct gcov_input *r, struct gcov_name *name)
{
    name->file = GCOV_NO_FILE;
    name->off = r->in.off;
    if (!r->layout->is_v3)
        return BO_OK;
    const enum bo_status status = gcov_get_u32(r, &name->file);
    if (!status && name->file != GCOV_NO_FILE && name->file >= r->n_files)
        return gcov_fail_at(r, BO_CORRUPT, name->off, "file index is out of range");
    return status;
}

static enum bo_status get_names(struct gcov_input *r)
{
    enum bo_status status = gcov_get_section(r, GCOV_TAG_NAMES, "tag is not that of the names");
    if (!status && r->layout->is_v3)
        status = get_files(r);
    if (!status)
        status = gcov_get_number(r, STRING_NBYTES, &r->n_names);
    if (status)
        return status;
    r->names = bo_zalloc_array(r->arena, r->n_names, sizeof *r->names);
    if (!r->names)
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < r->n_names && !status; i++) {
        r->owed -= STRING_NBYTES;
        status = get_name(r, i == 0, &r->names[i].span);
        if (!status)
            status = get_file_index(r, &r->names[i]);
    }
    return status;
}

/* ---- items: the contents of an instance until they are sorted -------------------------------- */

/* Room for n more. Items are found by their number, since they may move. */
static enum bo_status reserve_items(struct gcov_input *r, size_t n)
{
    return bo_grow(r->arena, &r->items, r->n_items, n, &r->cap_items)
               ? BO_OK
               : bo_fail_alloc(r->err, r->arena);
}

/* Sorts the items from `first` on. Reports the offset of a second item with the same index. */
static enum bo_status sort_items(struct gcov_input *r, size_t first, const char *twice)
{
    const size_t n = r->n_items - first;
    if (n < 2)
        return BO_OK;
    struct gcov_item *items = r->items + first;
    if (!gcov_sort_items(items, n, r->arena))
        return bo_fail_alloc(r->err, r->arena);
    for (size_t i = 1; i < n; i++) {
        const struct gcov_item *a = &items[i - 1], *b = &items[i];
        if (gcov_compare_items(a, b) == 0)
            return gcov_fail_at(r, BO_CORRUPT, b->off, twice);
        r->has_equals |= a->line == b->line && a->discriminator == b->discriminator &&
                         bo_span_equal(a->name, b->name);
    }
    return BO_OK;
}

/* An index of the table, of another name than the empty one. */
static enum bo_status check_index(struct gcov_input *r, uint64_t index, size_t off)
{
    if (index >= r->n_names)
        return gcov_fail_at(r, BO_CORRUPT, off, "name index is out of range");
    if (r->names[index].span.n == 0)
        return gcov_fail_at(r, BO_CORRUPT, off, "empty name is used for a function");
    return BO_OK;
}

/* ---- functions ------------------------------------------------------------------------------- */

static enum bo_status get_target(struct gcov_input *r, struct gcov_item *item)
{
    *item = (struct gcov_item){.off = r->in.off};
    uint64_t index = 0;
    enum bo_status status =
        gcov_expect_u32(r, GCOV_TARGET_TYPE, BO_UNSUPPORTED, "histogram is not of indirect calls");
    const size_t off = r->in.off;
    if (!status)
        status = gcov_get_u64(r, &index);
    if (!status)
        status = check_index(r, index, off);
    if (status)
        return status;
    item->index = (uint32_t)index;
    item->name = item->is.target.name = r->names[index].span;
    return gcov_get_count(r, &item->is.target.count);
}

static enum bo_status get_targets(struct gcov_input *r, uint32_t n, struct autofdo_record *record)
{
    const size_t first = r->n_items;
    enum bo_status status = reserve_items(r, n);
    struct autofdo_target *targets = bo_alloc_array(r->arena, n, sizeof *targets);
    if (!targets)
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < n && !status; i++) {
        r->owed -= TARGET_NBYTES;
        status = get_target(r, &r->items[r->n_items++]);
    }
    if (!status)
        status = sort_items(r, first, "duplicate target of a record");
    for (uint32_t i = 0; i < n && !status; i++)
        targets[i] = r->items[first + i].is.target;
    r->n_items = first;
    record->n_targets = n;
    record->targets = targets;
    return status;
}

static enum bo_status get_place(struct gcov_input *r, struct gcov_item *item)
{
    uint32_t word = 0;
    *item = (struct gcov_item){.off = r->in.off};
    const enum bo_status status = gcov_get_u32(r, &word);
    item->line = word >> 16;
    item->discriminator = word & 0xffff;
    return status;
}

static enum bo_status get_record(struct gcov_input *r, struct gcov_item *item)
{
    struct autofdo_record *record = &item->is.record;
    uint32_t n_targets;
    enum bo_status status = get_place(r, item);
    if (!status)
        status = gcov_get_number(r, TARGET_NBYTES, &n_targets);
    record->line = item->line;
    record->discriminator = item->discriminator;
    if (!status)
        status = gcov_get_count(r, &record->count);
    return status || n_targets == 0 ? status : get_targets(r, n_targets, record);
}

static enum bo_status get_records(struct gcov_input *r, uint32_t n,
                                  struct autofdo_instance *instance)
{
    const size_t first = r->n_items;
    enum bo_status status = reserve_items(r, n);
    struct autofdo_record *records = bo_alloc_array(r->arena, n, sizeof *records);
    if (!records)
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < n && !status; i++) {
        struct gcov_item item;
        r->owed -= RECORD_NBYTES;
        status = get_record(r, &item); /* which may move the others */
        r->items[r->n_items++] = item;
    }
    if (!status)
        status = sort_items(r, first, "instance has a record twice");
    for (uint32_t i = 0; i < n && !status; i++)
        records[i] = r->items[first + i].is.record;
    r->n_items = first;
    instance->n_records = n;
    instance->records = records;
    return status;
}

static enum bo_status get_instance(struct gcov_input *r, unsigned depth, struct gcov_item *item,
                                   struct autofdo_instance *instance);

static enum bo_status get_callsites(struct gcov_input *r, uint32_t n, unsigned depth,
                                    struct autofdo_instance *instance)
{
    const size_t first = r->n_items;
    struct autofdo_callsite *callsites = bo_alloc_array(r->arena, n, sizeof *callsites);
    enum bo_status status = callsites ? reserve_items(r, n) : bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < n && !status; i++) {
        struct gcov_item item;
        r->owed -= CALLSITE_NBYTES;
        status = get_place(r, &item);
        if (!status)
            status = get_instance(r, depth + 1, &item, &item.is.callsite.callee);
        item.is.callsite.line = item.line;
        item.is.callsite.discriminator = item.discriminator;
        r->items[r->n_items++] = item;
    }
    if (!status)
        status = sort_items(r, first, "duplicate callsite of an instance");
    for (uint32_t i = 0; i < n && !status; i++)
        callsites[i] = r->items[first + i].is.callsite;
    r->n_items = first;
    instance->n_callsites = n;
    instance->callsites = callsites;
    return status;
}

/* The name also goes to *item. */
static enum bo_status get_instance(struct gcov_input *r, unsigned depth, struct gcov_item *item,
                                   struct autofdo_instance *instance)
{
    const size_t off = r->in.off;
    uint32_t n_records = 0, n_callsites = 0;
    if (depth > AUTOFDO_MAX_DEPTH)
        return gcov_fail_at(r, BO_OVER_LIMIT, off, "instances are nested more than 256 deep");
    enum bo_status status = gcov_get_u32(r, &item->index);
    if (!status)
        status = check_index(r, item->index, off);
    if (!status)
        status = gcov_get_number(r, RECORD_NBYTES, &n_records);
    if (!status)
        status = gcov_get_number(r, CALLSITE_NBYTES, &n_callsites);
    if (status)
        return status;
    r->names[item->index].is_defined = true;
    *instance = (struct autofdo_instance){.name = r->names[item->index].span};
    item->name = instance->name;
    if (n_records)
        status = get_records(r, n_records, instance);
    return status || n_callsites == 0 ? status : get_callsites(r, n_callsites, depth, instance);
}

static enum bo_status get_function(struct gcov_input *r, struct gcov_item *item)
{
    struct autofdo_function *function = &item->is.function;
    *item = (struct gcov_item){.off = r->in.off};
    enum bo_status status = gcov_get_count(r, &function->head);
    if (!status && r->layout->is_v3)
        status = gcov_get_u64(r, &function->timestamp);
    return status ? status : get_instance(r, 1, item, &function->body);
}

static enum bo_status get_functions(struct gcov_input *r, struct autofdo_model *model)
{
    const size_t nbytes = (r->layout->is_v3 ? 16 : 8) + INSTANCE_NBYTES;
    uint32_t n = 0;
    r->functions_off = r->in.off;
    enum bo_status status =
        gcov_get_section(r, GCOV_TAG_FUNCTIONS, "tag is not that of the functions");
    if (!status)
        status = gcov_get_number(r, nbytes, &n);
    if (status)
        return status;
    struct autofdo_function *functions = bo_alloc_array(r->arena, n, sizeof *functions);
    status = functions ? reserve_items(r, n) : bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < n && !status; i++) {
        struct gcov_item item;
        r->owed -= nbytes;
        status = get_function(r, &item);
        r->items[r->n_items++] = item;
    }
    if (!status)
        status = sort_items(r, 0, "duplicate function");
    for (uint32_t i = 0; i < n && !status; i++)
        functions[i] = r->items[i].is.function;
    r->n_items = 0;
    model->n_functions = n;
    model->functions = functions;
    return status;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static enum bo_status get_module_group(struct gcov_input *r)
{
    const enum bo_status status =
        gcov_get_section(r, GCOV_TAG_MODULE_GROUP, "tag is not that of the module group");
    return status ? status : gcov_expect_u32(r, 0, BO_UNSUPPORTED, "module group is not empty");
}

/*
 * Writers compute the working sets from the number of instructions behind each count, which files
 * do not store. So only the order is checked: each set has at least as many counters as the set
 * before, and no higher ones. Empty sets are 0 and come last.
 */
static enum bo_status get_working_sets(struct gcov_input *r)
{
    enum { WITHOUT_SETS = 4 }; /* the length that perf-gcov writes before a word of 0 */
    uint32_t n_counters = 0, least_n = 0;
    uint64_t count = 0, most = GCOV_MAX_COUNT;
    enum bo_status status =
        gcov_get_section(r, GCOV_TAG_WORKING_SET, "tag is not that of the working set");
    if (!status && r->length == WITHOUT_SETS)
        return gcov_expect_u32(r, 0, BO_CORRUPT, "working sets are not in order");
    for (unsigned i = 0; i < GCOV_N_WORKING_SETS && !status; i++) {
        const size_t off = r->in.off;
        status = gcov_get_u32(r, &n_counters);
        if (!status)
            status = gcov_get_count(r, &count);
        if (!status && (count > most || (count ? n_counters < least_n : n_counters > 0)))
            return gcov_fail_at(r, BO_CORRUPT, off, "working sets are not in order");
        least_n = n_counters;
        most = count;
    }
    return status;
}

static enum bo_status check_entry(const struct gcov_input *r, const struct autofdo_summary *right,
                                  unsigned i)
{
    enum { FIRST_OFF = 64, NBYTES = 20 };
    const size_t off = FIRST_OFF + NBYTES * i;
    if (r->summary.entries[i].min_count != right->entries[i].min_count)
        return gcov_fail_at(r, BO_CORRUPT, off + 4, "summary disagrees with the functions");
    if (r->summary.entries[i].n_counts != right->entries[i].n_counts)
        return gcov_fail_at(r, BO_CORRUPT, off + 12, "summary disagrees with the functions");
    return BO_OK;
}

/* Compares the stored summary with the functions in the file, before names are joined. */
static enum bo_status check_summary(const struct gcov_input *r, const struct autofdo_model *model)
{
    enum { FIRST_OFF = 16 };
    struct autofdo_summary right;
    enum bo_status status = autofdo_summarize(model, r->arena, &right, r->err);
    if (status)
        return status;
    const uint64_t fields[][2] = {{r->summary.total_count, right.total_count},
                                  {r->summary.max_count, right.max_count},
                                  {r->summary.max_head, right.max_head},
                                  {r->summary.n_counts, right.n_counts},
                                  {r->summary.n_functions, right.n_functions}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i][0] != fields[i][1])
            return gcov_fail_at(r, BO_CORRUPT, FIRST_OFF + 8 * i,
                                "summary disagrees with the functions");
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS && !status; i++)
        status = check_entry(r, &right, i);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Of functions with equal names, the first that has a file gives the file. */
static enum bo_status take_files(struct gcov_input *r, struct autofdo_model *model)
{
    r->n_items = 0;
    enum bo_status status = reserve_items(r, r->n_names);
    for (uint32_t i = 0; i < r->n_names && !status; i++) {
        const struct gcov_name *name = &r->names[i];
        if (name->file == GCOV_NO_FILE)
            continue;
        if (!name->is_defined)
            return gcov_fail_at(r, BO_CORRUPT, name->off, "file of a name that no function has");
        r->items[r->n_items++] = (struct gcov_item){.name = name->span, .index = i};
    }
    if (status)
        return status;
    struct autofdo_file *files = bo_alloc_array(r->arena, r->n_items, sizeof *files);
    if (!files || !gcov_sort_items(r->items, r->n_items, r->arena))
        return bo_fail_alloc(r->err, r->arena);
    model->n_files = 0;
    model->files = files;
    for (size_t i = 0; i < r->n_items; i++) {
        const struct gcov_item *item = &r->items[i];
        if (i > 0 && bo_span_equal(item[-1].name, item->name))
            continue;
        files[model->n_files++] =
            (struct autofdo_file){item->name, r->files[r->names[item->index].file]};
    }
    return BO_OK;
}

/* ---- equal names ----------------------------------------------------------------------------- */

/*
 * A constructor's or destructor's name that a writer changed may equal another name: the counts of
 * both are added.
 */
static enum bo_status join(struct gcov_input *r, const struct autofdo_model *model,
                           const struct autofdo_model **joined_ret)
{
    const enum bo_status status = gcov_join(model, r->arena, joined_ret, r->err);
    if (status)
        return status;
    for (size_t f = 0; f < (*joined_ret)->n_functions; f++) {
        const struct autofdo_function *function = &(*joined_ret)->functions[f];
        if (function->head > GCOV_MAX_COUNT || gcov_has_large_count(&function->body))
            return gcov_fail_at(r, BO_CORRUPT, r->functions_off,
                                "counts of one name add up to more than 2^63 - 1");
    }
    return BO_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum bo_status get_sections(struct gcov_input *r, struct autofdo_model *model)
{
    enum bo_status status = get_header(r);
    if (!status && r->layout->is_v3)
        status = get_summary(r);
    if (!status)
        status = get_names(r);
    if (!status)
        status = get_functions(r, model);
    if (!status)
        status = get_module_group(r);
    if (!status)
        status = get_working_sets(r);
    if (!status && bo_left(&r->in))
        status = gcov_fail_here(r, BO_CORRUPT, "bytes after the working set");
    return status;
}

enum bo_status gcov_read(const struct gcov_layout *layout, struct bo_span in,
                         struct bo_arena *arena, const struct autofdo_model **model_ret,
                         struct bo_error *err)
{
    struct gcov_input r = {.layout = layout, .in = bo_cursor(in), .arena = arena, .err = err};
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    enum bo_status status = get_sections(&r, model);
    if (!status && layout->is_v3)
        status = check_summary(&r, model);
    if (!status && layout->is_v3)
        status = take_files(&r, model);
    *model_ret = model;
    return status || !r.has_equals ? status : join(&r, model, model_ret);
}
