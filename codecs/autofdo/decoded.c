/*
 * The reader of codecs that decode a whole profile when they open. Two hash tables with open
 * addressing: functions by name, and paths, each with a chain of the functions in it. Hashes of
 * names are computed once, so that a query reads them in the order of its visit.
 */
#include "codecs/autofdo/decoded.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Open addressing; at most half of the slots are taken. */
struct table {
    size_t *slots; /* the index of the element, plus 1; 0: free */
    size_t mask;
    uint64_t seed; /* of the hash: unpredictable, so no file can have keys that all collide */
};

/* The functions of one path are a chain. */
struct unit {
    struct bo_span path;
    size_t first; /* function, plus 1 */
};

struct decoded {
    const struct autofdo_model *model;
    struct autofdo_summary summary;
    struct table by_name; /* of functions */
    struct table by_path; /* of units */
    struct unit *units;   /* at most one for each function */
    size_t n_units;
    size_t *next_of_unit; /* by function: the next of its unit, plus 1; 0: none */
    uint64_t *hashes;     /* of names, in the order of a visit of all functions */
    size_t *first_hashes; /* by function */
};

/* ---- tables ---------------------------------------------------------------------------------- */

static bool make_table(struct table *table, size_t n, struct bo_arena *arena)
{
    size_t n_slots = 2;
    while (n_slots < 2 * n)
        n_slots *= 2;
    table->slots = bo_zalloc_array(arena, n_slots, sizeof *table->slots);
    table->mask = n_slots - 1;
    table->seed = bo_mix64((uintptr_t)table->slots);
    return table->slots != NULL;
}

static size_t first_slot(const struct table *table, struct bo_span key)
{
    return (size_t)XXH3_64bits_withSeed(key.p, key.n, table->seed) & table->mask;
}

/* The slot of the function, or the empty one where it would be. */
static size_t *function_slot(const struct decoded *d, struct bo_span name)
{
    const struct table *table = &d->by_name;
    size_t i = first_slot(table, name);
    while (table->slots[i] &&
           !bo_span_equal(d->model->functions[table->slots[i] - 1].body.name, name))
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static size_t *unit_slot(const struct decoded *d, struct bo_span path)
{
    const struct table *table = &d->by_path;
    size_t i = first_slot(table, path);
    while (table->slots[i] && !bo_span_equal(d->units[table->slots[i] - 1].path, path))
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

/* ---- opening --------------------------------------------------------------------------------- */

static void index_functions(struct decoded *d)
{
    for (size_t f = 0; f < d->model->n_functions; f++)
        *function_slot(d, d->model->functions[f].body.name) = f + 1;
}

/* Functions and files are both ordered by name. */
static void index_units(struct decoded *d)
{
    const struct autofdo_file *files = d->model->files;
    const size_t n_files = d->model->n_files;
    for (size_t f = 0, i = 0; f < d->model->n_functions; f++) {
        const struct bo_span name = d->model->functions[f].body.name;
        struct bo_span path = {(const uint8_t *)"", 0};
        while (i < n_files && bo_span_compare(files[i].name, name) < 0)
            i++;
        if (i < n_files && bo_span_equal(files[i].name, name))
            path = files[i].path;
        size_t *slot = unit_slot(d, path);
        if (!*slot) {
            d->units[d->n_units++] = (struct unit){.path = path};
            *slot = d->n_units;
        }
        struct unit *unit = &d->units[*slot - 1];
        d->next_of_unit[f] = unit->first;
        unit->first = f + 1;
    }
}

/* Names of the instance, its targets and what it inlines. */
static size_t count_names(const struct autofdo_instance *instance)
{
    size_t n = 1;
    for (size_t r = 0; r < instance->n_records; r++)
        n += instance->records[r].n_targets;
    for (size_t c = 0; c < instance->n_callsites; c++)
        n += count_names(&instance->callsites[c].callee);
    return n;
}

/* Returns the position of the next hash. */
static uint64_t *hash_names(const struct autofdo_instance *instance, uint64_t *hashes)
{
    *hashes++ = autofdo_hash_name(instance->name);
    for (size_t r = 0; r < instance->n_records; r++)
        for (size_t t = 0; t < instance->records[r].n_targets; t++)
            *hashes++ = autofdo_hash_name(instance->records[r].targets[t].name);
    for (size_t c = 0; c < instance->n_callsites; c++)
        hashes = hash_names(&instance->callsites[c].callee, hashes);
    return hashes;
}

static bool hash_all_names(struct decoded *d, struct bo_arena *arena)
{
    const size_t n = d->model->n_functions;
    size_t n_names = 0;
    for (size_t f = 0; f < n; f++) {
        d->first_hashes[f] = n_names;
        n_names += count_names(&d->model->functions[f].body);
    }
    d->hashes = bo_alloc_array(arena, n_names, sizeof *d->hashes);
    uint64_t *hashes = d->hashes;
    for (size_t f = 0; hashes && f < n; f++)
        hashes = hash_names(&d->model->functions[f].body, hashes);
    return hashes != NULL;
}

enum bo_status autofdo_decoded_open(const struct autofdo_model *model, struct bo_arena *arena,
                                    void **reader_ret, struct bo_error *err)
{
    const size_t n = model->n_functions;
    struct decoded *d = bo_zalloc_array(arena, 1, sizeof *d);
    if (!d)
        return bo_fail_alloc(err, arena);
    d->model = model;
    d->units = bo_alloc_array(arena, n, sizeof *d->units);
    d->next_of_unit = bo_alloc_array(arena, n, sizeof *d->next_of_unit);
    d->first_hashes = bo_alloc_array(arena, n, sizeof *d->first_hashes);
    if (!d->units || !d->next_of_unit || !d->first_hashes || !make_table(&d->by_name, n, arena) ||
        !make_table(&d->by_path, n, arena) || !hash_all_names(d, arena))
        return bo_fail_alloc(err, arena);
    index_functions(d);
    index_units(d);
    *reader_ret = d;
    return autofdo_summarize(model, arena, &d->summary, err);
}

/* ---- a visit --------------------------------------------------------------------------------- */

/* The position of a visit. */
struct walk {
    struct autofdo_digest digest;
    const uint64_t *hashes; /* the next name's */
};

static void walk_instance(struct walk *w, const struct autofdo_instance *instance)
{
    uint64_t hash = w->digest.hash;
    autofdo_visit_instance(&hash, *w->hashes++);
    w->digest.n_instances++;
    w->digest.n_records += instance->n_records;
    for (size_t r = 0; r < instance->n_records; r++) {
        const struct autofdo_record *record = &instance->records[r];
        autofdo_visit_record(&hash, record->line, record->discriminator, record->count);
        w->digest.n_targets += record->n_targets;
        for (size_t t = 0; t < record->n_targets; t++)
            autofdo_visit_target(&hash, *w->hashes++, record->targets[t].count);
    }
    w->digest.hash = hash;
    for (size_t c = 0; c < instance->n_callsites; c++) {
        const struct autofdo_callsite *callsite = &instance->callsites[c];
        autofdo_visit_callsite(&w->digest.hash, callsite->line, callsite->discriminator);
        walk_instance(w, &callsite->callee);
    }
    autofdo_visit_end(&w->digest.hash);
}

static struct autofdo_digest walk_function(const struct decoded *d, size_t f)
{
    const struct autofdo_function *function = &d->model->functions[f];
    struct walk w = {.digest.n_functions = 1, .hashes = d->hashes + d->first_hashes[f]};
    autofdo_visit_head(&w.digest.hash, function->head, function->timestamp);
    walk_instance(&w, &function->body);
    return w.digest;
}

static void add_function(const struct decoded *d, size_t f, struct autofdo_digest *sum)
{
    const struct autofdo_digest digest = walk_function(d, f);
    sum->n_functions += digest.n_functions;
    sum->n_instances += digest.n_instances;
    sum->n_records += digest.n_records;
    sum->n_targets += digest.n_targets;
    sum->hash += digest.hash;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool put_target(const struct autofdo_target *target, struct bo_sink *sink)
{
    const size_t n = (target->name.n + 7) & ~(size_t)7;
    struct autofdo_found *found = bo_sink_take(sink, sizeof *found + n);
    if (!found)
        return false;
    uint8_t *name = (uint8_t *)(found + 1);
    found->count = target->count;
    found->name_nbytes = target->name.n;
    memcpy(name, target->name.p, target->name.n);
    memset(name + target->name.n, 0, n - target->name.n);
    return true;
}

static bool put_targets(const struct autofdo_instance *instance, struct bo_sink *sink)
{
    for (size_t r = 0; r < instance->n_records; r++)
        for (size_t t = 0; t < instance->records[r].n_targets; t++)
            if (!put_target(&instance->records[r].targets[t], sink))
                return false;
    for (size_t c = 0; c < instance->n_callsites; c++)
        if (!put_targets(&instance->callsites[c].callee, sink))
            return false;
    return true;
}

static enum bo_status answer_function(const struct decoded *d, struct bo_span name,
                                      struct bo_sink *sink)
{
    const size_t found = *function_slot(d, name);
    struct autofdo_answer *answer = bo_sink_take(sink, sizeof *answer);
    if (!answer)
        return BO_OVER_LIMIT;
    memset(answer, 0, sizeof *answer);
    if (!found)
        return BO_OK;
    const struct autofdo_function *function = &d->model->functions[found - 1];
    answer->head = function->head;
    answer->timestamp = function->timestamp;
    answer->digest = walk_function(d, found - 1);
    answer->n_targets = answer->digest.n_targets;
    /* Most functions have no targets: then no second visit is needed. */
    if (answer->n_targets && !put_targets(&function->body, sink))
        return BO_OVER_LIMIT;
    return BO_OK;
}

static void answer_unit(const struct decoded *d, struct bo_span path, struct autofdo_digest *sum)
{
    const size_t found = *unit_slot(d, path);
    *sum = (struct autofdo_digest){0};
    for (size_t f = found ? d->units[found - 1].first : 0; f; f = d->next_of_unit[f - 1])
        add_function(d, f - 1, sum);
}

static void answer_scan(const struct decoded *d, struct autofdo_digest *sum)
{
    *sum = (struct autofdo_digest){0};
    for (size_t f = 0; f < d->model->n_functions; f++)
        add_function(d, f, sum);
}

enum bo_status autofdo_decoded_query(const struct bo_codec *self, void *reader, unsigned kind,
                                     const void *queries, size_t n, void *answers,
                                     struct bo_error *err)
{
    const struct decoded *d = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch (kind) {
        case AUTOFDO_SUMMARY:
            ((struct autofdo_summary *)answers)[i] = d->summary;
            break;
        case AUTOFDO_FUNCTION:
            status =
                answer_function(d, ((const struct autofdo_name_query *)queries)[i].name, answers);
            break;
        case AUTOFDO_TU:
            answer_unit(d, ((const struct autofdo_path_query *)queries)[i].path,
                        &((struct autofdo_digest *)answers)[i]);
            break;
        case AUTOFDO_SCAN:
            answer_scan(d, &((struct autofdo_digest *)answers)[i]);
            break;
        default:
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
        }
    return status;
}
