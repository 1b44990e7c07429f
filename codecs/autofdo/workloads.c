/*
 * How queries of AutoFDO are drawn: uniformly, by hotness, and around the names and paths that
 * there are.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/autofdo/workloads.h"

#include <stdlib.h>

static size_t random_index(struct bo_random *random, size_t n)
{
    return (size_t)(bo_random_u64(random) % n);
}

static const struct autofdo_function *random_function(const struct autofdo_model *model,
                                                      struct bo_random *random)
{
    return &model->functions[random_index(random, model->n_functions)];
}

/* ---- present names --------------------------------------------------------------------------- */

static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    (void)arena;
    const struct autofdo_model *model = opaque;
    struct autofdo_name_query *q = queries;
    if (!model->n_functions)
        return 0;
    for (size_t i = 0; i < n; i++)
        q[i].name = random_function(model, random)->body.name;
    return n;
}

/* The sum of all counts of an instance and of what it inlines, at most 2^40: sums of such do not
 * overflow. */
static uint64_t weight_of(const struct autofdo_instance *instance)
{
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t weight = 0;
    for (size_t i = 0; i < instance->n_records; i++)
        weight = autofdo_add(weight, instance->records[i].count);
    for (size_t i = 0; i < instance->n_callsites; i++)
        weight = autofdo_add(weight, weight_of(&instance->callsites[i].callee));
    return weight < most ? weight : most;
}

/* The first place of `sums`, which ascend, that is above `position`. */
static size_t place_of(const uint64_t *sums, size_t n, uint64_t position)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sums[middle] > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A function as often as its counts are high; one that was never sampled hardly ever. */
static size_t draw_hot(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                       size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_name_query *q = queries;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint64_t *sums = bo_alloc_array(arena, model->n_functions, sizeof *sums), sum = 0;
    size_t n_drawn = 0;
    if (sums && model->n_functions) {
        for (size_t f = 0; f < model->n_functions; f++)
            sums[f] = sum += 1 + weight_of(&model->functions[f].body);
        for (; n_drawn < n; n_drawn++) {
            const uint64_t position = bo_random_u64(random) % sum;
            const size_t f = place_of(sums, model->n_functions, position);
            q[n_drawn].name = model->functions[f].body.name;
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn;
}

/* ---- absent names ---------------------------------------------------------------------------- */

static bool has_function(const struct autofdo_model *model, struct bo_span name)
{
    size_t low = 0, high = model->n_functions;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (autofdo_compare_names(model->functions[middle].body.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->n_functions && bo_span_equal(model->functions[low].body.name, name);
}

/* A name with one byte changed, in the arena; p is NULL when that refuses. */
static struct bo_span changed_name(struct bo_span name, struct bo_random *random,
                                   struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, name.n);
    if (!p)
        return (struct bo_span){NULL, 0};
    memcpy(p, name.p, name.n);
    const size_t at = random_index(random, name.n);
    p[at] = (uint8_t)(p[at] + 1 + bo_random_below(random, UINT8_MAX));
    return (struct bo_span){p, name.n};
}

/* Small documents may have next to no such names: it gives up after some more tries. */
static size_t draw_miss(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_name_query *q = queries;
    size_t n_drawn = 0;
    for (size_t tries = 0; tries < 4 * n && n_drawn < n && model->n_functions; tries++) {
        const struct bo_span name = random_function(model, random)->body.name;
        q[n_drawn].name = changed_name(name, random, arena);
        if (!q[n_drawn].name.p)
            break;
        n_drawn += !has_function(model, q[n_drawn].name);
    }
    return n_drawn;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static const uint8_t nothing[1];

/* The path of a function, "" when it has none. */
static struct bo_span path_of(const struct autofdo_model *model,
                              const struct autofdo_function *function)
{
    const struct bo_span *path = autofdo_path_of(model, function->body.name);
    return path && path->n ? *path : (struct bo_span){nothing, 0};
}

static int compare_paths(const void *a, const void *b)
{
    const struct bo_span *x = a, *y = b;
    return autofdo_compare_names(*x, *y);
}

/* Each path at most once, shuffled: reading the same file twice in a round would say nothing. */
static size_t draw_paths(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_path_query *q = queries;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct bo_span *paths = bo_alloc_array(arena, model->n_functions, sizeof *paths);
    size_t n_paths = 0, n_drawn = 0;
    if (paths && model->n_functions) {
        for (size_t f = 0; f < model->n_functions; f++)
            paths[f] = path_of(model, &model->functions[f]);
        qsort(paths, model->n_functions, sizeof *paths, compare_paths);
        for (size_t f = 0; f < model->n_functions; f++)
            if (f == 0 || compare_paths(&paths[n_paths - 1], &paths[f]) != 0)
                paths[n_paths++] = paths[f];
        for (; n_drawn < n && n_drawn < n_paths; n_drawn++) {
            const size_t other = n_drawn + random_index(random, n_paths - n_drawn);
            q[n_drawn].path = paths[other];
            paths[other] = paths[n_drawn];
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* A name somewhere in the instance: of a callee or a target, or its own. */
static struct bo_span inner_name(const struct autofdo_instance *instance, struct bo_random *random)
{
    while (instance->n_callsites && !bo_random_one_in(random, 3)) {
        const size_t c = random_index(random, instance->n_callsites);
        instance = &instance->callsites[c].callee;
    }
    for (size_t i = 0; i < instance->n_records; i++)
        if (instance->records[i].n_targets)
            return instance->records[i].targets[0].name;
    return instance->name;
}

/* Bytes that two texts have in common at their start. */
static size_t common_prefix(struct bo_span a, struct bo_span b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

/* A name cut where its neighbours in the order leave it, or a byte beside: where tries branch. */
static struct bo_span cut_at_branch(const struct autofdo_model *model,
                                    const struct autofdo_function *function,
                                    struct bo_random *random)
{
    const size_t f = (size_t)(function - model->functions);
    const struct bo_span name = function->body.name;
    const size_t before = f ? common_prefix(name, model->functions[f - 1].body.name) : 0;
    const size_t after =
        f + 1 < model->n_functions ? common_prefix(name, model->functions[f + 1].body.name) : 0;
    size_t n = before > after ? before : after;
    n += bo_random_below(random, 2);
    return (struct bo_span){name.p, n < name.n ? n : name.n};
}

/* A place in a text of n bytes: its start, its end, or between. */
static size_t random_place(struct bo_random *random, size_t n)
{
    const uint32_t where = bo_random_below(random, 3);
    return where == 0 || n == 0 ? 0 : where == 1 ? n : random_index(random, n);
}

/*
 * A text with `removed` bytes gone at one place and an `added` one, when it is a byte, put there.
 */
static struct bo_span edited(struct bo_span text, size_t removed, int added,
                             struct bo_random *random, struct bo_arena *arena)
{
    removed = removed < text.n ? removed : text.n;
    const size_t at = random_place(random, text.n - removed);
    uint8_t *p = bo_alloc(arena, text.n + 1);
    if (!p)
        return (struct bo_span){NULL, 0};
    size_t n = at;
    memcpy(p, text.p, at);
    if (added >= 0)
        p[n++] = (uint8_t)added;
    memcpy(p + n, text.p + at + removed, text.n - at - removed);
    return (struct bo_span){p, n + text.n - at - removed};
}

/* A text over and over. */
static struct bo_span repeated(struct bo_span text, struct bo_random *random,
                               struct bo_arena *arena)
{
    const size_t n = bo_random_one_in(random, 64) ? 70000 : 1 + bo_random_below(random, 4096);
    uint8_t *p = bo_alloc(arena, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = text.n ? text.p[i % text.n] : 'x';
    return (struct bo_span){p, p ? n : 0};
}

/* A text at or near the one given; p is NULL when the arena refuses. */
static struct bo_span text_edge(struct bo_span text, struct bo_random *random,
                                struct bo_arena *arena)
{
    const uint32_t way = bo_random_below(random, 8);
    const uint8_t byte =
        way % 2 ? bo_random_u8(random) : (uint8_t)('0' + bo_random_below(random, 10));
    switch (way) {
    case 0:
        return (struct bo_span){nothing, 0};
    case 1:
        return repeated(text, random, arena);
    case 2:
        return edited(text, 1, -1, random, arena);
    case 3:
    case 4:
        return edited(text, 0, byte, random, arena);
    case 5:
    case 6:
        return edited(text, 1, byte, random, arena);
    default:
        return (struct bo_span){text.p, text.n ? random_index(random, text.n) : 0};
    }
}

size_t autofdo_draw_name_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_name_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const struct autofdo_function *function =
            model->n_functions ? random_function(model, random) : NULL;
        const uint32_t way = function ? bo_random_below(random, 8) : 0;
        const struct bo_span name = function ? function->body.name : (struct bo_span){nothing, 0};
        if (way < 4)
            q[i].name = text_edge(name, random, arena);
        else
            q[i].name = way == 4   ? inner_name(&function->body, random)
                        : way == 5 ? cut_at_branch(model, function, random)
                                   : name;
        if (!q[i].name.p)
            return i;
    }
    return n;
}

size_t autofdo_draw_path_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_path_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const struct autofdo_function *function =
            model->n_functions ? random_function(model, random) : NULL;
        const uint32_t way = bo_random_below(random, 4);
        struct bo_span path = {nothing, 0};
        if (way == 3 && model->n_files) /* perhaps of a callee only */
            path = model->files[random_index(random, model->n_files)].path;
        else if (function)
            path = path_of(model, function);
        if (path.n == 0)
            path.p = nothing;
        q[i].path = way == 0 ? text_edge(path, random, arena) : path;
        if (!q[i].path.p)
            return i;
    }
    return n;
}

size_t autofdo_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena,
                          size_t n, void *queries)
{
    (void)model;
    (void)random;
    (void)arena;
    (void)queries;
    return n < 1 ? n : 1;
}

/* ---- the tables ------------------------------------------------------------------------------ */

const struct bo_workload autofdo_function_workloads[AUTOFDO_N_FUNCTION_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "present functions, uniform; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_uniform,
    },
    {
        .name = "hot",
        .summary = "present functions, weighted by the sum of their counts; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_hot,
    },
    {
        .name = "cold",
        .summary = "as uniform, the caches emptied before each small batch; 2^10 queries",
        .n_queries = 1 << 10,
        .cold = true,
        .draw = draw_uniform,
    },
    {
        .name = "first",
        .summary = "as uniform, each asked of a reader just opened, opening included; 2^6 queries",
        .n_queries = 1 << 6,
        .fresh = true,
        .draw = draw_uniform,
    },
    {
        .name = "miss",
        .summary = "absent names, one byte off present ones; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_miss,
    },
};

const struct bo_workload autofdo_tu_workloads[AUTOFDO_N_TU_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "each source file at most once, shuffled; up to 2^8 queries",
        .n_queries = 1 << 8,
        .draw = draw_paths,
    },
    {
        .name = "first",
        .summary = "as uniform, each asked of a reader just opened, opening included; up to 2^6",
        .n_queries = 1 << 6,
        .fresh = true,
        .draw = draw_paths,
    },
};

const struct bo_workload autofdo_whole_workloads[AUTOFDO_N_WHOLE_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of the document; one query",
        .n_queries = 1,
        .draw = autofdo_draw_whole,
    },
};
