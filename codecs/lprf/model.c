/* LPRF models: their rules, equality of two models, and merging of several. */
#include "codecs/lprf/model.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- the table of keys ----------------------------------------------------------------------- */

/* Open addressing, at most half full. Keys with equal hashes may differ, so keys are compared. */
struct lprf_key_slot {
    uint64_t key_hash;
    size_t number_plus_1; /* 0: free */
};

enum { MIN_SLOTS = 16 };

static uint64_t key_hash(const struct lprf_key_table *table, const struct lprf_function *function)
{
    const uint64_t name = XXH3_64bits_withSeed(function->name.p, function->name.n, table->seed);
    return bo_mix64(name ^ bo_mix64(function->hash + table->seed));
}

static bool same_key(const struct lprf_function *a, const struct lprf_function *b)
{
    return a->hash == b->hash && bo_span_equal(a->name, b->name);
}

static bool make_slots(struct lprf_key_table *table, size_t n_slots, struct bo_arena *arena)
{
    *table = (struct lprf_key_table){.mask = n_slots - 1, .arena = arena};
    table->slots = bo_zalloc_array(arena, n_slots, sizeof *table->slots);
    table->seed = bo_mix64((uintptr_t)table->slots);
    return table->slots;
}

bool lprf_keys_init(struct lprf_key_table *table, size_t n_keys, struct bo_arena *arena)
{
    size_t n_slots = 2 * bo_first_cap(arena, MIN_SLOTS / 2);
    n_keys = bo_first_cap(arena, n_keys);
    while (n_slots / 2 < n_keys && n_slots <= SIZE_MAX / 2)
        n_slots *= 2;
    return make_slots(table, n_slots, arena);
}

/* Twice the slots; the old ones are abandoned to the arena. */
static bool grow(struct lprf_key_table *table)
{
    struct lprf_key_table grown;
    if (table->mask > SIZE_MAX / 2 || !make_slots(&grown, 2 * (table->mask + 1), table->arena))
        return false;
    grown.n = table->n;
    grown.seed = table->seed;
    for (size_t i = 0; i <= table->mask; i++) {
        if (!table->slots[i].number_plus_1)
            continue;
        size_t at = (size_t)table->slots[i].key_hash & grown.mask;
        while (grown.slots[at].number_plus_1)
            at = (at + 1) & grown.mask;
        grown.slots[at] = table->slots[i];
    }
    *table = grown;
    return true;
}

bool lprf_keys_add(struct lprf_key_table *table, const struct lprf_function *functions,
                   const struct lprf_function *function, size_t *number_ret)
{
    if (table->n > table->mask / 2 && !grow(table))
        return false;
    const uint64_t hash = key_hash(table, function);
    size_t at = (size_t)hash & table->mask;
    for (; table->slots[at].number_plus_1; at = (at + 1) & table->mask) {
        const size_t number = table->slots[at].number_plus_1 - 1;
        if (table->slots[at].key_hash == hash && same_key(&functions[number], function)) {
            *number_ret = number;
            return true;
        }
    }
    *number_ret = table->n++;
    table->slots[at] = (struct lprf_key_slot){hash, table->n};
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static enum bo_status check_functions(const struct lprf_model *model, struct bo_arena *arena,
                                      size_t *function_ret, struct bo_error *err)
{
    struct lprf_key_table keys;
    if (!lprf_keys_init(&keys, model->n_functions, arena))
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        size_t number;
        *function_ret = f;
        if (function->name.n == 0)
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "function without a name");
        if (function->n_counters == 0)
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "function without counters");
        if (!lprf_keys_add(&keys, model->functions, function, &number))
            return bo_fail_alloc(err, arena);
        if (number != f)
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET,
                           "two functions have the same name and hash");
    }
    return BO_OK;
}

enum bo_status lprf_check_rules(const struct lprf_model *model, struct bo_arena *arena,
                                size_t *function_ret, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    *function_ret = 0;
    const enum bo_status status = check_functions(model, arena, function_ret, err);
    bo_arena_rewind(arena, mark);
    return status;
}

const char *lprf_model_flaw(const struct lprf_model *model, struct bo_arena *arena,
                            size_t *function_ret)
{
    size_t ignored;
    struct bo_error error = {0};
    lprf_check_rules(model, arena, function_ret ? function_ret : &ignored, &error);
    return error.what;
}

uint64_t lprf_maximum(const struct lprf_model *model)
{
    uint64_t maximum = 0;
    for (size_t f = 0; f < model->n_functions; f++)
        if (model->functions[f].counters[0] > maximum)
            maximum = model->functions[f].counters[0];
    return maximum;
}

/* ---- equality -------------------------------------------------------------------------------- */

const char *lprf_differ(const void *a_model, const void *b_model)
{
    const struct lprf_model *a = a_model, *b = b_model;
    if (a->n_functions != b->n_functions)
        return "the number of functions differs";
    for (size_t f = 0; f < a->n_functions; f++) {
        const struct lprf_function *x = &a->functions[f], *y = &b->functions[f];
        if (!bo_span_equal(x->name, y->name))
            return "a function's name differs";
        if (x->hash != y->hash)
            return "a function's hash differs";
        if (x->n_counters != y->n_counters)
            return "a function's number of counters differs";
        if (memcmp(x->counters, y->counters, x->n_counters * sizeof *x->counters) != 0)
            return "a counter differs";
    }
    return NULL;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* The sums of a function's counters, once it has occurred twice. */
struct sums {
    uint64_t *counters; /* NULL while the function has occurred once */
    bool *saturated;    /* one a counter; NULL while none is */
};

struct merger {
    struct bo_arena *arena;
    struct lprf_key_table keys;
    struct lprf_function *functions;
    struct sums *sums; /* of each function */
    size_t n, cap_functions, cap_sums;
    struct bo_merge_report *report;
    struct bo_error *err;
};

static enum bo_status append(struct merger *m, const struct lprf_function *function)
{
    if (!bo_grow(m->arena, &m->functions, m->n, 1, &m->cap_functions) ||
        !bo_grow(m->arena, &m->sums, m->n, 1, &m->cap_sums))
        return bo_fail_alloc(m->err, m->arena);
    m->functions[m->n] = *function;
    m->sums[m->n++] = (struct sums){NULL, NULL};
    return BO_OK;
}

/* Copies the function's counters, so that others can be added to them. */
static bool take_over(struct merger *m, size_t f)
{
    const size_t n = m->functions[f].n_counters;
    uint64_t *counters = bo_alloc_array(m->arena, n, sizeof *counters);
    if (!counters)
        return false;
    memcpy(counters, m->functions[f].counters, n * sizeof *counters);
    m->functions[f].counters = m->sums[f].counters = counters;
    return true;
}

/* Saturates counter i of the function, which is counted once. */
static bool saturate(struct merger *m, size_t f, size_t i)
{
    struct sums *sums = &m->sums[f];
    if (!sums->saturated)
        sums->saturated =
            bo_zalloc_array(m->arena, m->functions[f].n_counters, sizeof *sums->saturated);
    if (!sums->saturated)
        return false;
    sums->counters[i] = UINT64_MAX;
    m->report->n_saturated += !sums->saturated[i];
    sums->saturated[i] = true;
    return true;
}

static enum bo_status add_up(struct merger *m, size_t f, const struct lprf_function *function)
{
    if (m->functions[f].n_counters != function->n_counters) {
        m->report->where = function->name;
        return bo_fail(m->err, BO_CORRUPT, BO_NO_OFFSET,
                       "functions of one name and hash differ in their number of counters");
    }
    if (!m->sums[f].counters && !take_over(m, f))
        return bo_fail_alloc(m->err, m->arena);
    uint64_t *counters = m->sums[f].counters;
    for (size_t i = 0; i < function->n_counters; i++)
        if (__builtin_add_overflow(counters[i], function->counters[i], &counters[i]) &&
            !saturate(m, f, i))
            return bo_fail_alloc(m->err, m->arena);
    return BO_OK;
}

/* Adds the counters to those of a function with the same key, or appends the function. */
static enum bo_status merge_function(struct merger *m, const struct lprf_function *function)
{
    size_t f;
    if (!lprf_keys_add(&m->keys, m->functions, function, &f))
        return bo_fail_alloc(m->err, m->arena);
    return f == m->n ? append(m, function) : add_up(m, f, function);
}

/* Functions stand where their keys first came. Those that came once keep their old counters. */
enum bo_status lprf_merge(const void *const *models, size_t n, struct bo_arena *arena,
                          void **model_ret, struct bo_merge_report *report, struct bo_error *err)
{
    struct merger m = {.arena = arena, .report = report, .err = err};
    const size_t n_first = n ? ((const struct lprf_model *)models[0])->n_functions : 0;
    *report = (struct bo_merge_report){0};
    struct lprf_model *merged = bo_alloc(arena, sizeof *merged);
    if (!merged || !lprf_keys_init(&m.keys, n_first, arena))
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++) {
        const struct lprf_model *model = models[i];
        for (size_t f = 0; f < model->n_functions; f++) {
            const enum bo_status status = merge_function(&m, &model->functions[f]);
            if (status)
                return status;
        }
    }
    *merged = (struct lprf_model){m.n, m.functions};
    *model_ret = merged;
    return BO_OK;
}
