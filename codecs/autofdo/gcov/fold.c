/* GCOV: sorting, folding discriminators, joining elements of one name. */
#include "codecs/autofdo/gcov/gcov.h"

#include "codecs/autofdo/model.h"

/* ---- order ----------------------------------------------------------------------------------- */

int gcov_compare_items(const struct gcov_item *a, const struct gcov_item *b)
{
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->discriminator != b->discriminator)
        return a->discriminator < b->discriminator ? -1 : 1;
    const int order = bo_span_compare(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Merges the sorted from[0, half) and from[half, n) into `to`. */
static void merge_runs(const struct gcov_item *from, size_t half, size_t n, struct gcov_item *to)
{
    for (size_t i = 0, j = half, k = 0; k < n; k++)
        to[k] = j < n && (i == half || gcov_compare_items(&from[j], &from[i]) < 0) ? from[j++]
                                                                                   : from[i++];
}

/* From runs of one item to one run. */
static void sort_with(struct gcov_item *items, size_t n, struct gcov_item *scratch)
{
    struct gcov_item *from = items, *to = scratch;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            const size_t left = n - i;
            merge_runs(from + i, run < left ? run : left, 2 * run < left ? 2 * run : left, to + i);
        }
        struct gcov_item *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

bool gcov_sort_items(struct gcov_item *items, size_t n, struct bo_arena *arena)
{
    size_t in_order = 1;
    while (in_order < n && gcov_compare_items(&items[in_order - 1], &items[in_order]) <= 0)
        in_order++;
    if (in_order >= n)
        return true;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct gcov_item *scratch = bo_alloc_array(arena, n, sizeof *scratch);
    if (!scratch)
        return false;
    sort_with(items, n, scratch);
    bo_arena_rewind(arena, mark);
    return true;
}

/* ---- folding --------------------------------------------------------------------------------- */

static bool is_wide(const struct autofdo_instance *instance)
{
    for (size_t r = 0; r < instance->n_records; r++)
        if (instance->records[r].discriminator > 0xffff)
            return true;
    for (size_t c = 0; c < instance->n_callsites; c++)
        if (instance->callsites[c].discriminator > 0xffff ||
            is_wide(&instance->callsites[c].callee))
            return true;
    return false;
}

static uint32_t fold(uint32_t discriminator)
{
    return discriminator >> 16 | (discriminator & 0xffff);
}

/* A copy with folded discriminators, in the order that was; false when the arena refuses. */
static bool copy_folded(const struct autofdo_instance *instance, struct bo_arena *arena,
                        struct autofdo_instance *copy)
{
    struct autofdo_record *records = bo_alloc_array(arena, instance->n_records, sizeof *records);
    struct autofdo_callsite *callsites =
        bo_alloc_array(arena, instance->n_callsites, sizeof *callsites);
    bool is_done = records && callsites;
    for (size_t r = 0; is_done && r < instance->n_records; r++) {
        records[r] = instance->records[r];
        records[r].discriminator = fold(records[r].discriminator);
    }
    for (size_t c = 0; is_done && c < instance->n_callsites; c++) {
        callsites[c].line = instance->callsites[c].line;
        callsites[c].discriminator = fold(instance->callsites[c].discriminator);
        is_done = copy_folded(&instance->callsites[c].callee, arena, &callsites[c].callee);
    }
    *copy = *instance;
    copy->records = records;
    copy->callsites = callsites;
    return is_done;
}

static enum bo_status fold_function(struct autofdo_function *function, struct bo_arena *arena,
                                    struct bo_error *err)
{
    struct autofdo_instance copy;
    const struct autofdo_instance *const part = &copy;
    uint64_t n_saturated = 0;
    if (!copy_folded(&function->body, arena, &copy))
        return bo_fail_alloc(err, arena);
    return autofdo_sum_instances(&part, 1, false, arena, &function->body, &n_saturated, err);
}

/* A copy that differs in its array of functions alone, which can be changed. */
static struct autofdo_model *copy_model(const struct autofdo_model *model, struct bo_arena *arena,
                                        struct autofdo_function **functions_ret)
{
    const size_t n = model->n_functions;
    struct autofdo_model *copy = bo_alloc(arena, sizeof *copy);
    struct autofdo_function *functions = bo_alloc_array(arena, n, sizeof *functions);
    if (!copy || !functions)
        return NULL;
    if (n)
        memcpy(functions, model->functions, n * sizeof *functions);
    *copy = *model;
    copy->functions = *functions_ret = functions;
    return copy;
}

enum bo_status gcov_fold(const struct autofdo_model *model, struct bo_arena *arena,
                         const struct autofdo_model **folded_ret, struct bo_error *err)
{
    struct autofdo_function *functions = NULL;
    *folded_ret = model;
    for (size_t f = 0; f < model->n_functions; f++) {
        if (!is_wide(&model->functions[f].body))
            continue;
        if (!functions && !(*folded_ret = copy_model(model, arena, &functions)))
            return bo_fail_alloc(err, arena);
        const enum bo_status status = fold_function(&functions[f], arena, err);
        if (status)
            return status;
    }
    return BO_OK;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The functions of one name, n of them, as one. */
static enum bo_status join_functions(const struct autofdo_function *from, size_t n,
                                     struct bo_arena *arena, struct autofdo_function *to,
                                     struct bo_error *err)
{
    uint64_t n_saturated = 0;
    const struct autofdo_instance **parts = bo_alloc_array(arena, n, sizeof *parts);
    if (!parts)
        return bo_fail_alloc(err, arena);
    *to = (struct autofdo_function){.head = 0};
    for (size_t i = 0; i < n; i++) {
        parts[i] = &from[i].body;
        to->head = autofdo_add(to->head, from[i].head);
        if (from[i].timestamp && (!to->timestamp || from[i].timestamp < to->timestamp))
            to->timestamp = from[i].timestamp;
    }
    return autofdo_sum_instances(parts, n, false, arena, &to->body, &n_saturated, err);
}

bool gcov_has_large_count(const struct autofdo_instance *instance)
{
    for (size_t r = 0; r < instance->n_records; r++) {
        const struct autofdo_record *record = &instance->records[r];
        if (record->count > GCOV_MAX_COUNT)
            return true;
        for (size_t t = 0; t < record->n_targets; t++)
            if (record->targets[t].count > GCOV_MAX_COUNT)
                return true;
    }
    for (size_t c = 0; c < instance->n_callsites; c++)
        if (gcov_has_large_count(&instance->callsites[c].callee))
            return true;
    return false;
}

enum bo_status gcov_join(const struct autofdo_model *model, struct bo_arena *arena,
                         const struct autofdo_model **joined_ret, struct bo_error *err)
{
    struct autofdo_function *functions;
    struct autofdo_model *joined = copy_model(model, arena, &functions);
    if (!joined)
        return bo_fail_alloc(err, arena);
    joined->n_functions = 0;
    for (size_t f = 0, end; f < model->n_functions; f = end) {
        for (end = f + 1; end < model->n_functions; end++)
            if (!bo_span_equal(model->functions[end].body.name, model->functions[f].body.name))
                break;
        const enum bo_status status = join_functions(&model->functions[f], end - f, arena,
                                                     &functions[joined->n_functions++], err);
        if (status)
            return status;
    }
    *joined_ret = joined;
    return BO_OK;
}
