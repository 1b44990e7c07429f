/*
 * How queries of LPRF are drawn: uniformly, by popularity, in link order, and near the names of the
 * model.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/lprf/workloads.h"

#include "harness/names/names.h"
#include "harness/queries.h"

/* Lookups of one compilation of sqlite3.c by clang 14. */
enum { LPRF_LARGE_UNIT = 2603 };

static struct bo_names names_of(const struct lprf_model *model)
{
    return BO_NAMES(model->functions, model->n_functions, name);
}

/* ---- present names --------------------------------------------------------------------------- */

_Static_assert(sizeof(struct lprf_name_query) == sizeof(struct bo_span), "a query is a name");

static size_t draw_uniform(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct bo_names names = names_of(model);
    return bo_draw_present_names(&names, random, n, queries);
}

static size_t draw_uniform_keys(const void *opaque, struct bo_random *random,
                                struct bo_arena *arena, size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    struct lprf_key_query *q = queries;
    if (!model->n_functions)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const size_t f = bo_random_index(random, model->n_functions);
        q[i] = (struct lprf_key_query){model->functions[f].name, model->functions[f].hash};
    }
    return n;
}

/* The functions' numbers, shuffled. */
static void shuffle(size_t *numbers, size_t n, struct bo_random *random)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = bo_random_index(random, i), moved = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = moved;
    }
}

/* The k-th most popular of a shuffled list is k times rarer than the first; in whole numbers. */
static size_t draw_zipf(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    const size_t n_functions = model->n_functions;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    size_t *by_rank = bo_alloc_array(arena, n_functions, sizeof *by_rank);
    uint64_t *sums = bo_alloc_array(arena, n_functions, sizeof *sums);
    size_t n_drawn = 0;
    if (by_rank && sums && n_functions) {
        uint64_t sum = 0;
        shuffle(by_rank, n_functions, random);
        for (size_t r = 0; r < n_functions; r++)
            sums[r] = sum += (UINT64_C(1) << 40) / (r + 1);
        for (; n_drawn < n; n_drawn++) {
            const size_t rank = bo_random_by_weight(random, sums, n_functions);
            q[n_drawn].name = model->functions[by_rank[rank]].name;
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn;
}

/* Consecutive functions in file order, each once: the lookups of a compiler for one unit. */
static size_t draw_coverage(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    n = n < model->n_functions ? n : model->n_functions;
    const size_t start = n ? bo_random_index(random, model->n_functions - n + 1) : 0;
    for (size_t i = 0; i < n; i++)
        q[i].name = model->functions[start + i].name;
    return n;
}

/* Functions in random order, each once: unlike a compiler's unit, in no index's order. */
static size_t draw_once(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    size_t *order = bo_alloc_array(arena, model->n_functions, sizeof *order);
    n = order && n < model->n_functions ? n : order ? model->n_functions : 0;
    if (n)
        shuffle(order, model->n_functions, random);
    for (size_t i = 0; i < n; i++)
        q[i].name = model->functions[order[i]].name;
    bo_arena_rewind(arena, mark);
    return n;
}

/* ---- absent names ---------------------------------------------------------------------------- */

static size_t draw_miss(const void *model, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct bo_names names = names_of(model);
    return bo_draw_absent_names(&names, random, arena, n, queries);
}

/* ---- edges ----------------------------------------------------------------------------------- */

size_t lprf_draw_name_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    const struct bo_names names = names_of(opaque);
    struct lprf_name_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const size_t f = names.n ? bo_random_index(random, names.n) : 0;
        q[i].name = bo_name_edge(&names, f, random, arena);
        if (!q[i].name.p)
            return i;
    }
    return n;
}

/*
 * The next function of the same name among some that follow in file order, or the function itself.
 */
static const struct lprf_function *namesake(const struct lprf_model *model,
                                            const struct lprf_function *function)
{
    enum { MAX_STEPS = 512 };
    size_t f = (size_t)(function - model->functions);
    for (unsigned step = 0; step < MAX_STEPS; step++) {
        f = f + 1 < model->n_functions ? f + 1 : 0;
        if (bo_span_equal(model->functions[f].name, function->name))
            return &model->functions[f];
    }
    return function;
}

/* A hash near that of the function, or another function's. */
static uint64_t hash_edge(const struct lprf_model *model, const struct lprf_function *function,
                          struct bo_random *random)
{
    switch (bo_random_below(random, 8)) {
    case 0:
        return function->hash + 1;
    case 1:
        return function->hash - 1;
    case 2:
        return function->hash ^ UINT64_C(1) << bo_random_below(random, 64);
    case 3:
        return function->n_counters;
    case 4:
        return model->functions[bo_random_index(random, model->n_functions)].hash;
    case 5:
        return bo_random_u64(random);
    case 6:
        return 0;
    default:
        return UINT64_MAX;
    }
}

size_t lprf_draw_key_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    const struct bo_names names = names_of(model);
    struct lprf_key_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const size_t f = names.n ? bo_random_index(random, names.n) : 0;
        const struct lprf_function *function = names.n ? &model->functions[f] : NULL;
        const uint32_t way = function ? bo_random_below(random, 4) : 0;
        if (way == 0) {
            q[i].name = bo_name_edge(&names, f, random, arena);
            q[i].hash = function ? function->hash : bo_random_u64(random);
        } else if (way == 1) {
            q[i].name = function->name;
            q[i].hash = hash_edge(model, function, random);
        } else {
            const struct lprf_function *other = way == 2 ? namesake(model, function) : function;
            q[i] = (struct lprf_key_query){other->name, other->hash};
        }
        if (!q[i].name.p)
            return i;
    }
    return n;
}

/* ---- the tables ------------------------------------------------------------------------------ */

const struct bo_workload lprf_name_workloads[LPRF_N_NAME_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "present names, uniform; 2^16 queries",
        .n_queries = 1 << 16,
        .draw = draw_uniform,
    },
    {
        .name = "hot",
        .summary = "1024 present names again and again",
        .n_queries = 1024,
        .draw = draw_uniform,
    },
    {
        .name = "cold",
        .summary = "as uniform, the caches emptied before each small batch; 2^12 queries",
        .n_queries = 1 << 12,
        .cold = true,
        .draw = draw_uniform,
    },
    {
        .name = "miss",
        .summary = "absent names, one byte off present ones; 2^14 queries",
        .n_queries = 1 << 14,
        .draw = draw_miss,
    },
    {
        .name = "zipf",
        .summary = "present names, the k-th of a shuffled list with weight 1/k; 2^16 queries",
        .n_queries = 1 << 16,
        .draw = draw_zipf,
    },
    {
        .name = "coverage",
        .summary = "each function once in file order, at most 2^16 consecutive ones",
        .n_queries = 1 << 16,
        .draw = draw_coverage,
    },
    {
        .name = "once",
        .summary = "2603 names in random order, each once, by a reader just opened: what clang "
                   "does for sqlite3.c; opening included",
        .n_queries = LPRF_LARGE_UNIT,
        .fresh = LPRF_LARGE_UNIT,
        .draw = draw_once,
    },
    {
        .name = "open-10",
        .summary = "as once, 10 names for each reader: a small translation unit; 640 queries",
        .n_queries = 640,
        .fresh = 10,
        .draw = draw_once,
    },
    {
        .name = "open-300",
        .summary = "as once, 300 names for each reader: a large translation unit; 1200 queries",
        .n_queries = 1200,
        .fresh = 300,
        .draw = draw_once,
    },
};

const struct bo_workload lprf_key_workloads[LPRF_N_KEY_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "present names with their hashes, uniform; 2^16 queries",
        .n_queries = 1 << 16,
        .draw = draw_uniform_keys,
    },
};
