/* Adds up AutoFDO instances and whole models: places that occur several times become one. */
#include <stdlib.h>

#include "codecs/autofdo/model.h"

/* ---- sums ------------------------------------------------------------------------------------ */

struct adder {
    struct bo_arena *arena;
    struct bo_error *err;
    bool are_canonical;   /* the parts are, so a single part is its own sum */
    uint64_t n_saturated; /* sums that saturated at 2^64 - 1 */
};

/* A sum that is counted once when it saturates, even if more is added. */
struct sum {
    uint64_t v;
    bool is_saturated;
};

static void add_to(struct sum *sum, uint64_t v)
{
    sum->is_saturated |= __builtin_add_overflow(sum->v, v, &sum->v);
    if (sum->is_saturated)
        sum->v = UINT64_MAX;
}

static uint64_t sum_of(struct adder *a, const struct sum *sum)
{
    a->n_saturated += sum->is_saturated;
    return sum->v;
}

/* ---- targets --------------------------------------------------------------------------------- */

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

/* Sorts n targets and adds up those of one name, in place; returns how many are left. */
static size_t fold_targets(struct adder *a, struct autofdo_target *targets, size_t n)
{
    size_t n_folded = 0;
    qsort(targets, n, sizeof *targets, compare_targets);
    for (size_t i = 0, j; i < n; i = j) {
        struct sum count = {0};
        for (j = i; j < n && compare_targets(&targets[i], &targets[j]) == 0; j++)
            add_to(&count, targets[j].count);
        targets[n_folded++] = (struct autofdo_target){targets[i].name, sum_of(a, &count)};
    }
    return n_folded;
}

/* ---- records --------------------------------------------------------------------------------- */

static int compare_records(const void *a, const void *b)
{
    const struct autofdo_record *x = a, *y = b;
    const uint64_t p = autofdo_place(x->line, x->discriminator);
    const uint64_t q = autofdo_place(y->line, y->discriminator);
    return (p > q) - (p < q);
}

/* Adds up n records of one place. */
static enum bo_status sum_records(struct adder *a, const struct autofdo_record *parts, size_t n,
                                  struct autofdo_record *sum_ret)
{
    struct sum count = {0};
    size_t n_targets = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        add_to(&count, parts[i].count);
        n_targets += parts[i].n_targets;
    }
    struct autofdo_record sum = parts[0];
    sum.count = sum_of(a, &count);
    if (n_targets && (n > 1 || !a->are_canonical)) {
        struct autofdo_target *targets = bo_alloc_array(a->arena, n_targets, sizeof *targets);
        if (!targets)
            return bo_fail_alloc(a->err, a->arena);
        for (size_t i = 0; i < n; at += parts[i++].n_targets)
            if (parts[i].n_targets)
                memcpy(targets + at, parts[i].targets, parts[i].n_targets * sizeof *targets);
        sum.targets = targets;
        sum.n_targets = fold_targets(a, targets, n_targets);
    }
    *sum_ret = sum;
    return BO_OK;
}

/* Sorts n records, unless they are, and adds up those of one place, in place. */
static enum bo_status fold_records(struct adder *a, struct autofdo_record *records, size_t *n)
{
    size_t n_folded = 0, n_ascending = *n > 0;
    while (n_ascending < *n &&
           compare_records(&records[n_ascending - 1], &records[n_ascending]) <= 0)
        n_ascending++;
    if (n_ascending < *n)
        qsort(records, *n, sizeof *records, compare_records);
    for (size_t i = 0, j; i < *n; i = j) {
        for (j = i + 1; j < *n && compare_records(&records[i], &records[j]) == 0; j++)
            ;
        const enum bo_status status = sum_records(a, &records[i], j - i, &records[n_folded++]);
        if (status)
            return status;
    }
    *n = n_folded;
    return BO_OK;
}

/* ---- callsites ------------------------------------------------------------------------------- */

/* Pointers to callsites, by place and name. */
static int compare_callsites(const void *a, const void *b)
{
    const struct autofdo_callsite *x = *(const struct autofdo_callsite *const *)a;
    const struct autofdo_callsite *y = *(const struct autofdo_callsite *const *)b;
    const uint64_t p = autofdo_place(x->line, x->discriminator);
    const uint64_t q = autofdo_place(y->line, y->discriminator);
    return p != q ? (p > q) - (p < q) : bo_span_compare(x->callee.name, y->callee.name);
}

static enum bo_status sum_instances(struct adder *a, const struct autofdo_instance *const *parts,
                                    size_t n, unsigned depth, struct autofdo_instance *sum_ret);

/* Adds up the callees of n callsites that have one place and name, from `sorted` on. */
static enum bo_status sum_callees(struct adder *a, const struct autofdo_callsite *const *sorted,
                                  size_t n, unsigned depth, struct autofdo_callsite *sum_ret)
{
    const struct autofdo_instance **callees = bo_alloc_array(a->arena, n, sizeof *callees);
    if (!callees)
        return bo_fail_alloc(a->err, a->arena);
    for (size_t i = 0; i < n; i++)
        callees[i] = &sorted[i]->callee;
    sum_ret->line = sorted[0]->line;
    sum_ret->discriminator = sorted[0]->discriminator;
    return sum_instances(a, callees, n, depth + 1, &sum_ret->callee);
}

static enum bo_status sum_callsites(struct adder *a, const struct autofdo_callsite **all, size_t n,
                                    unsigned depth, struct autofdo_instance *sum)
{
    struct autofdo_callsite *callsites = bo_alloc_array(a->arena, n, sizeof *callsites);
    size_t n_folded = 0;
    if (!callsites)
        return bo_fail_alloc(a->err, a->arena);
    qsort(all, n, sizeof *all, compare_callsites);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && compare_callsites(&all[i], &all[j]) == 0; j++)
            ;
        const enum bo_status status = sum_callees(a, &all[i], j - i, depth, &callsites[n_folded++]);
        if (status)
            return status;
    }
    sum->callsites = callsites;
    sum->n_callsites = n_folded;
    return BO_OK;
}

/* ---- instances ------------------------------------------------------------------------------- */

/* Collects the records and callsites of all parts, to be added up. Each node is collected once. */
static enum bo_status sum_instances(struct adder *a, const struct autofdo_instance *const *parts,
                                    size_t n, unsigned depth, struct autofdo_instance *sum_ret)
{
    if (n == 1 && a->are_canonical) {
        *sum_ret = *parts[0];
        return BO_OK;
    }
    if (depth > AUTOFDO_MAX_DEPTH)
        return bo_fail(a->err, BO_OVER_LIMIT, BO_NO_OFFSET,
                       "instances are nested more than 256 deep");
    size_t n_records = 0, n_callsites = 0;
    for (size_t i = 0; i < n; i++) {
        n_records += parts[i]->n_records;
        n_callsites += parts[i]->n_callsites;
    }
    struct autofdo_record *records = bo_alloc_array(a->arena, n_records, sizeof *records);
    const struct autofdo_callsite **all = bo_alloc_array(a->arena, n_callsites, sizeof *all);
    if (!records || !all)
        return bo_fail_alloc(a->err, a->arena);
    for (size_t i = 0, r = 0, c = 0; i < n; i++) {
        if (parts[i]->n_records)
            memcpy(records + r, parts[i]->records, parts[i]->n_records * sizeof *records);
        r += parts[i]->n_records;
        for (size_t k = 0; k < parts[i]->n_callsites; k++)
            all[c++] = &parts[i]->callsites[k];
    }
    *sum_ret = (struct autofdo_instance){.name = parts[0]->name, .records = records};
    const enum bo_status status = fold_records(a, records, &n_records);
    sum_ret->n_records = n_records;
    return status || !n_callsites ? status : sum_callsites(a, all, n_callsites, depth, sum_ret);
}

enum bo_status autofdo_sum_instances(const struct autofdo_instance *const *parts, size_t n,
                                     bool are_canonical, struct bo_arena *arena,
                                     struct autofdo_instance *sum_ret, uint64_t *n_saturated,
                                     struct bo_error *err)
{
    struct adder a = {.arena = arena, .err = err, .are_canonical = are_canonical};
    const enum bo_status status = sum_instances(&a, parts, n, 1, sum_ret);
    *n_saturated += a.n_saturated;
    return status;
}

/* ---- functions ------------------------------------------------------------------------------- */

int autofdo_compare_functions(const void *a, const void *b)
{
    const struct autofdo_function *x = a, *y = b;
    return bo_span_compare(x->body.name, y->body.name);
}

static int compare_function_pointers(const void *a, const void *b)
{
    return autofdo_compare_functions(*(const void *const *)a, *(const void *const *)b);
}

/* Adds up n functions of one name. The timestamp is the earliest that is not 0. */
static enum bo_status sum_functions(struct adder *a, const struct autofdo_function *const *parts,
                                    size_t n, struct autofdo_function *sum_ret)
{
    struct sum head = {0};
    uint64_t timestamp = 0;
    const struct autofdo_instance **bodies = bo_alloc_array(a->arena, n, sizeof *bodies);
    if (!bodies)
        return bo_fail_alloc(a->err, a->arena);
    for (size_t i = 0; i < n; i++) {
        add_to(&head, parts[i]->head);
        if (parts[i]->timestamp && (!timestamp || parts[i]->timestamp < timestamp))
            timestamp = parts[i]->timestamp;
        bodies[i] = &parts[i]->body;
    }
    sum_ret->head = sum_of(a, &head);
    sum_ret->timestamp = timestamp;
    return sum_instances(a, bodies, n, 1, &sum_ret->body);
}

static enum bo_status merge_functions(struct adder *a, const struct autofdo_model *const *models,
                                      size_t n_models, struct autofdo_model *merged)
{
    size_t n = 0, at = 0, n_merged = 0;
    for (size_t m = 0; m < n_models; m++)
        n += models[m]->n_functions;
    const struct autofdo_function **all = bo_alloc_array(a->arena, n, sizeof *all);
    struct autofdo_function *functions = bo_alloc_array(a->arena, n, sizeof *functions);
    if (!all || !functions)
        return bo_fail_alloc(a->err, a->arena);
    for (size_t m = 0; m < n_models; m++)
        for (size_t f = 0; f < models[m]->n_functions; f++)
            all[at++] = &models[m]->functions[f];
    qsort(all, n, sizeof *all, compare_function_pointers);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && compare_function_pointers(&all[i], &all[j]) == 0; j++)
            ;
        const enum bo_status status = sum_functions(a, &all[i], j - i, &functions[n_merged++]);
        if (status)
            return status;
    }
    merged->functions = functions;
    merged->n_functions = n_merged;
    return BO_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

int autofdo_compare_files(const void *a, const void *b)
{
    const struct autofdo_file *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

/* A file and its index among all. */
struct source {
    struct autofdo_file file;
    size_t number;
};

static int compare_sources(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    const int order = bo_span_compare(x->file.name, y->file.name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Keeps for each name the first path that is not empty. */
static enum bo_status merge_files(const struct adder *a, const struct autofdo_model *const *models,
                                  size_t n_models, struct autofdo_model *merged)
{
    size_t n = 0, at = 0, n_merged = 0;
    for (size_t m = 0; m < n_models; m++)
        n += models[m]->n_files;
    struct source *all = bo_alloc_array(a->arena, n, sizeof *all);
    struct autofdo_file *files = bo_alloc_array(a->arena, n, sizeof *files);
    if (!all || !files)
        return bo_fail_alloc(a->err, a->arena);
    for (size_t m = 0; m < n_models; m++)
        for (size_t i = 0; i < models[m]->n_files; i++, at++)
            all[at] = (struct source){models[m]->files[i], at};
    qsort(all, n, sizeof *all, compare_sources);
    for (size_t i = 0; i < n; i++) {
        struct autofdo_file *last = n_merged ? &files[n_merged - 1] : NULL;
        if (!last || autofdo_compare_files(last, &all[i].file) != 0)
            files[n_merged++] = all[i].file;
        else if (last->path.n == 0)
            last->path = all[i].file.path;
    }
    merged->files = files;
    merged->n_files = n_merged;
    return BO_OK;
}

enum bo_status autofdo_merge(const void *const *opaque, size_t n, struct bo_arena *arena,
                             void **model_ret, struct bo_merge_report *report, struct bo_error *err)
{
    struct adder a = {.arena = arena, .err = err, .are_canonical = true};
    *report = (struct bo_merge_report){0};
    const struct autofdo_model **models = bo_alloc_array(arena, n, sizeof *models);
    struct autofdo_model *merged = bo_alloc(arena, sizeof *merged);
    if (!models || !merged)
        return bo_fail_alloc(err, arena);
    for (size_t m = 0; m < n; m++)
        models[m] = opaque[m];
    enum bo_status status = merge_functions(&a, models, n, merged);
    if (!status)
        status = merge_files(&a, models, n, merged);
    if (status)
        return status;
    report->n_saturated = a.n_saturated;
    *model_ret = merged;
    return BO_OK;
}
