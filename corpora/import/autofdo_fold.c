/*
 * Sorts and adds up a profile that was read.
 *
 * Each level is folded before the instances inlined in it, so that every record and callsite is
 * moved once when two instances are merged, and the total work is that of sorting.
 */
#include "corpora/import/autofdo_fold.h"

#include <stdlib.h>

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Names are in memory in their order, so addresses compare like names. */
static int compare_addresses(struct bo_span a, struct bo_span b)
{
    return (a.p > b.p) - (a.p < b.p);
}

static uint64_t place(uint32_t line, uint32_t discriminator)
{
    return (uint64_t)line << 32 | discriminator;
}

/* ---- targets and records --------------------------------------------------------------------- */

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return compare_addresses(x->name, y->name);
}

static int compare_records(const void *a, const void *b)
{
    const struct autofdo_record *x = a, *y = b;
    return compare_u64(place(x->line, x->discriminator), place(y->line, y->discriminator));
}

/* Returns the number of targets left. */
static size_t fold_targets(struct autofdo_target *targets, size_t n)
{
    size_t kept = 0;
    if (n > 1)
        qsort(targets, n, sizeof *targets, compare_targets);
    for (size_t i = 0; i < n; i++)
        if (kept && targets[kept - 1].name.p == targets[i].name.p)
            targets[kept - 1].count = autofdo_add(targets[kept - 1].count, targets[i].count);
        else
            targets[kept++] = targets[i];
    return kept;
}

/*
 * Merges n records of one place to one. Its targets are those of all records, one after the other.
 */
static bool join_records(struct autofdo_record *records, size_t n, struct bo_arena *arena)
{
    size_t n_targets = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        n_targets += records[i].n_targets;
    struct autofdo_target *targets = bo_alloc_array(arena, n_targets, sizeof *targets);
    if (!targets)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < records[i].n_targets; k++)
            targets[at++] = records[i].targets[k];
    for (size_t i = 1; i < n; i++)
        records->count = autofdo_add(records->count, records[i].count);
    records->n_targets = n_targets;
    records->targets = targets;
    return true;
}

static bool fold_records(struct autofdo_instance *instance, struct bo_arena *arena)
{
    struct autofdo_record *records = (struct autofdo_record *)instance->records;
    const size_t n = instance->n_records;
    size_t kept = 0;
    if (n > 1)
        qsort(records, n, sizeof *records, compare_records);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_records(&records[i], &records[end]) == 0;)
            end++;
        if (end - i > 1 && !join_records(records + i, end - i, arena))
            return false;
        records[i].n_targets =
            fold_targets((struct autofdo_target *)records[i].targets, records[i].n_targets);
        records[kept++] = records[i];
    }
    instance->n_records = kept;
    return true;
}

/* ---- instances ------------------------------------------------------------------------------- */

static int compare_callsites(const void *a, const void *b)
{
    const struct autofdo_callsite *x = a, *y = b;
    const int order =
        compare_u64(place(x->line, x->discriminator), place(y->line, y->discriminator));
    return order ? order : compare_addresses(x->callee.name, y->callee.name);
}

/* The i-th of instances that are `stride` bytes apart. */
static struct autofdo_instance *nth(struct autofdo_instance *first, size_t stride, size_t i)
{
    return (struct autofdo_instance *)((char *)first + i * stride);
}

/* Merges n instances of one name to one: the records and callsites of all, one after the other. */
static bool join_instances(struct autofdo_instance *first, size_t stride, size_t n,
                           struct bo_arena *arena)
{
    size_t n_records = 0, n_callsites = 0;
    for (size_t i = 0; i < n; i++) {
        n_records += nth(first, stride, i)->n_records;
        n_callsites += nth(first, stride, i)->n_callsites;
    }
    struct autofdo_record *records = bo_alloc_array(arena, n_records, sizeof *records);
    struct autofdo_callsite *callsites = bo_alloc_array(arena, n_callsites, sizeof *callsites);
    if (!records || !callsites)
        return false;
    n_records = n_callsites = 0;
    for (size_t i = 0; i < n; i++) {
        const struct autofdo_instance *from = nth(first, stride, i);
        for (size_t k = 0; k < from->n_records; k++)
            records[n_records++] = from->records[k];
        for (size_t k = 0; k < from->n_callsites; k++)
            callsites[n_callsites++] = from->callsites[k];
    }
    *first = (struct autofdo_instance){first->name, n_records, n_callsites, records, callsites};
    return true;
}

/* The recursion is as deep as instances are nested, which readers limit. */
static bool fold_instance(struct autofdo_instance *instance, struct bo_arena *arena)
{
    struct autofdo_callsite *callsites = (struct autofdo_callsite *)instance->callsites;
    const size_t n = instance->n_callsites;
    size_t kept = 0;
    if (!fold_records(instance, arena))
        return false;
    if (n > 1)
        qsort(callsites, n, sizeof *callsites, compare_callsites);
    for (size_t i = 0, end; i < n; i = end) {
        struct autofdo_instance *callee = &callsites[i].callee;
        for (end = i + 1; end < n && compare_callsites(&callsites[i], &callsites[end]) == 0;)
            end++;
        if ((end - i > 1 && !join_instances(callee, sizeof *callsites, end - i, arena)) ||
            !fold_instance(callee, arena))
            return false;
        callsites[kept++] = callsites[i];
    }
    instance->n_callsites = kept;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
    const struct autofdo_function *x = a, *y = b;
    return compare_addresses(x->body.name, y->body.name);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

static bool join_functions(struct autofdo_function *functions, size_t n, struct bo_arena *arena)
{
    for (size_t i = 1; i < n; i++) {
        functions->head = autofdo_add(functions->head, functions[i].head);
        functions->timestamp = earlier(functions->timestamp, functions[i].timestamp);
    }
    return join_instances(&functions->body, sizeof *functions, n, arena);
}

bool autofdo_fold(struct autofdo_function *functions, size_t *n, struct bo_arena *arena)
{
    size_t kept = 0;
    if (*n > 1)
        qsort(functions, *n, sizeof *functions, compare_functions);
    for (size_t i = 0, end; i < *n; i = end) {
        for (end = i + 1; end < *n && compare_functions(&functions[i], &functions[end]) == 0;)
            end++;
        if ((end - i > 1 && !join_functions(functions + i, end - i, arena)) ||
            !fold_instance(&functions[i].body, arena))
            return false;
        functions[kept++] = functions[i];
    }
    *n = kept;
    return true;
}
