/*
 * How queries of AutoFDO are drawn: uniformly, by hotness, and from names and paths close to the
 * existing ones.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/autofdo/workloads.h"

#include <stdlib.h>

#include "harness/names/names.h"
#include "harness/queries.h"

static struct bo_names names_of(const struct autofdo_model *model)
{
    return BO_NAMES(model->functions, model->n_functions, body.name);
}

/* ---- present names --------------------------------------------------------------------------- */

_Static_assert(sizeof(struct autofdo_name_query) == sizeof(struct bo_span), "a query is a name");

static size_t draw_uniform(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct bo_names names = names_of(model);
    return bo_draw_present_names(&names, random, n, queries);
}

/* The sum of all counts of an instance and of what it inlines, at most 2^40, so that sums of these
 * do not overflow. */
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

/* The probability of a function is proportional to its counts, plus 1. */
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
            const size_t f = bo_random_by_weight(random, sums, model->n_functions);
            q[n_drawn].name = model->functions[f].body.name;
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn;
}

/* ---- absent names ---------------------------------------------------------------------------- */

static size_t draw_miss(const void *model, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct bo_names names = names_of(model);
    return bo_draw_absent_names(&names, random, arena, n, queries);
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
    return bo_span_compare(*x, *y);
}

/* Each path at most once, shuffled: a second read in a round would add no information. */
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
            const size_t other = n_drawn + bo_random_index(random, n_paths - n_drawn);
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
        const size_t c = bo_random_index(random, instance->n_callsites);
        instance = &instance->callsites[c].callee;
    }
    for (size_t i = 0; i < instance->n_records; i++)
        if (instance->records[i].n_targets)
            return instance->records[i].targets[0].name;
    return instance->name;
}

size_t autofdo_draw_name_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    const struct bo_names names = names_of(model);
    struct autofdo_name_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const size_t f = names.n ? bo_random_index(random, names.n) : 0;
        const uint32_t way = names.n ? bo_random_below(random, 4) : 3;
        if (way == 0)
            q[i].name = inner_name(&model->functions[f].body, random);
        else if (way == 1)
            q[i].name = model->functions[f].body.name;
        else
            q[i].name = bo_name_edge(&names, f, random, arena);
        if (!q[i].name.p)
            return i;
    }
    return n;
}

size_t autofdo_draw_path_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct autofdo_model *model = opaque;
    const struct bo_names paths = BO_NAMES(model->files, model->n_files, path);
    struct autofdo_path_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const uint32_t way = bo_random_below(random, 4);
        const size_t file = paths.n ? bo_random_index(random, paths.n) : 0;
        struct bo_span path = {nothing, 0};
        if (way == 1 && paths.n) /* perhaps of a callee only */
            path = bo_name_at(&paths, file);
        else if (way > 1 && model->n_functions)
            path = path_of(model, &model->functions[bo_random_index(random, model->n_functions)]);
        if (path.n == 0)
            path.p = nothing;
        if (way == 0)
            path = bo_name_edge(&paths, file, random, arena);
        q[i].path = path;
        if (!path.p)
            return i;
    }
    return n;
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
        .summary = "as uniform, each run on a reader just opened, opening included; 2^6 queries",
        .n_queries = 1 << 6,
        .fresh = 1,
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
        .summary = "as uniform, each run on a reader just opened, opening included; up to 2^6",
        .n_queries = 1 << 6,
        .fresh = 1,
        .draw = draw_paths,
    },
};
