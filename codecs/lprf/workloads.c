/*
 * How queries of LPRF are drawn: uniformly, by popularity, in link order, and around the names that
 * there are.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/lprf/workloads.h"

#include "codecs/lprf/queries.h"

static size_t random_index(struct bo_random *random, size_t n)
{
    return (size_t)(bo_random_u64(random) % n);
}

static const struct lprf_function *random_function(const struct lprf_model *model,
                                                   struct bo_random *random)
{
    return &model->functions[random_index(random, model->n_functions)];
}

/* ---- present names --------------------------------------------------------------------------- */

static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    (void)arena;
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    if (!model->n_functions)
        return 0;
    for (size_t i = 0; i < n; i++)
        q[i].name = random_function(model, random)->name;
    return n;
}

static size_t draw_uniform_keys(const void *opaque, struct bo_random *random,
                                struct bo_arena *arena, size_t n, void *queries)
{
    (void)arena;
    const struct lprf_model *model = opaque;
    struct lprf_key_query *q = queries;
    if (!model->n_functions)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const struct lprf_function *function = random_function(model, random);
        q[i] = (struct lprf_key_query){function->name, function->hash};
    }
    return n;
}

/* The functions' numbers, shuffled. */
static void shuffle(size_t *numbers, size_t n, struct bo_random *random)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = random_index(random, i), moved = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = moved;
    }
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
            const uint64_t position = bo_random_u64(random) % sum;
            const size_t rank = place_of(sums, n_functions, position);
            q[n_drawn].name = model->functions[by_rank[rank]].name;
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn;
}

/* Consecutive functions in file order, each once: what a compiler asks about its unit. */
static size_t draw_coverage(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    (void)arena;
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    n = n < model->n_functions ? n : model->n_functions;
    const size_t start = n ? random_index(random, model->n_functions - n + 1) : 0;
    for (size_t i = 0; i < n; i++)
        q[i].name = model->functions[start + i].name;
    return n;
}

/* ---- absent names ---------------------------------------------------------------------------- */

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

/* Keeps those of n names that no function has, in order; returns how many. 0 without memory. */
static size_t keep_absent(const struct lprf_model *model, struct lprf_name_query *q, size_t n,
                          struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *is_there = bo_alloc_array(arena, n, sizeof *is_there);
    size_t kept = 0;
    if (is_there && lprf_kinds[LPRF_CONTAINS].oracle(model, q, n, is_there) == BO_OK)
        for (size_t i = 0; i < n; i++)
            if (!is_there[i])
                q[kept++] = q[i];
    bo_arena_rewind(arena, mark);
    return kept;
}

/* Small documents may have next to no such names: it gives up after some rounds. */
static size_t draw_miss(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    enum { ROUNDS = 8 };
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    size_t n_drawn = 0;
    for (unsigned round = 0; round < ROUNDS && n_drawn < n && model->n_functions; round++) {
        size_t end = n_drawn;
        for (; end < n; end++) {
            const struct bo_span name = random_function(model, random)->name;
            q[end].name = changed_name(name, random, arena);
            if (!q[end].name.p)
                break;
        }
        n_drawn += keep_absent(model, q + n_drawn, end - n_drawn, arena);
    }
    return n_drawn;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Bytes that two names have in common at their start. */
static size_t common_prefix(struct bo_span a, struct bo_span b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

/* A name cut where the closest of some others leaves it, or a byte beside: where tries branch. */
static struct bo_span cut_at_branch(const struct lprf_model *model,
                                    const struct lprf_function *function, struct bo_random *random)
{
    enum { N_OTHERS = 16 };
    const struct bo_span name = function->name;
    size_t longest = 0;
    for (unsigned i = 0; i < N_OTHERS; i++) {
        const size_t f = (size_t)(function - model->functions) + i;
        const struct lprf_function *other =
            i % 2 && f < model->n_functions ? &model->functions[f] : random_function(model, random);
        const size_t n = common_prefix(name, other->name);
        longest = n > longest && n < name.n ? n : longest;
    }
    longest += bo_random_below(random, 2);
    return (struct bo_span){name.p, longest < name.n ? longest : name.n};
}

/* A place in a name of n bytes: its start, its end, or between. */
static size_t random_place(struct bo_random *random, size_t n)
{
    const uint32_t where = bo_random_below(random, 3);
    return where == 0 || n == 0 ? 0 : where == 1 ? n : random_index(random, n);
}

/* A name with `removed` bytes gone at one place and an `added` one, when it is a byte, put there. */
static struct bo_span edited_name(struct bo_span name, size_t removed, int added,
                                  struct bo_random *random, struct bo_arena *arena)
{
    removed = removed < name.n ? removed : name.n;
    const size_t at = random_place(random, name.n - removed);
    uint8_t *p = bo_alloc(arena, name.n + 1);
    if (!p)
        return (struct bo_span){NULL, 0};
    size_t n = at;
    memcpy(p, name.p, at);
    if (added >= 0)
        p[n++] = (uint8_t)added;
    memcpy(p + n, name.p + at + removed, name.n - at - removed);
    return (struct bo_span){p, n + name.n - at - removed};
}

/* A name over and over. */
static struct bo_span long_name(struct bo_span name, struct bo_random *random,
                                struct bo_arena *arena)
{
    const size_t n = bo_random_one_in(random, 64) ? 70000 : 1 + bo_random_below(random, 4096);
    uint8_t *p = bo_alloc(arena, n);
    if (!p)
        return (struct bo_span){NULL, 0};
    size_t n_done = name.n < n ? name.n : n;
    memset(p, 'x', name.n ? 0 : n);
    memcpy(p, name.p, n_done);
    for (size_t k; n_done && n_done < n; n_done += k) {
        k = n_done < n - n_done ? n_done : n - n_done;
        memcpy(p + n_done, p, k);
    }
    return (struct bo_span){p, n};
}

/*
 * A name at or near that of a function (NULL in an empty model); p is NULL when the arena refuses.
 */
static struct bo_span name_edge(const struct lprf_model *model,
                                const struct lprf_function *function, struct bo_random *random,
                                struct bo_arena *arena)
{
    static const uint8_t nothing[1];
    const struct bo_span none = {nothing, 0}, name = function ? function->name : none;
    const uint32_t way = bo_random_below(random, 16);
    const uint8_t byte =
        way % 2 ? bo_random_u8(random) : (uint8_t)('0' + bo_random_below(random, 10));
    switch (way) {
    case 0:
        return none;
    case 1:
        return long_name(name, random, arena);
    case 2:
    case 3:
        return edited_name(name, 1, -1, random, arena);
    case 4:
    case 5:
        return edited_name(name, 0, byte, random, arena);
    case 6:
    case 7:
        return edited_name(name, 1, byte, random, arena);
    case 8:
        return (struct bo_span){name.p, name.n ? random_index(random, name.n) : 0};
    case 9:
    case 10:
    case 11:
        return function ? cut_at_branch(model, function, random) : none;
    default:
        return name;
    }
}

size_t lprf_draw_name_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    const struct lprf_model *model = opaque;
    struct lprf_name_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const struct lprf_function *function =
            model->n_functions ? random_function(model, random) : NULL;
        q[i].name = name_edge(model, function, random, arena);
        if (!q[i].name.p)
            return i;
    }
    return n;
}

/* The next function of the same name among some that follow in file order, or the function itself. */
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
        return random_function(model, random)->hash;
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
    struct lprf_key_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        const struct lprf_function *function =
            model->n_functions ? random_function(model, random) : NULL;
        const uint32_t way = function ? bo_random_below(random, 4) : 0;
        if (way == 0) {
            q[i].name = name_edge(model, function, random, arena);
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

size_t lprf_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena,
                       size_t n, void *queries)
{
    (void)model;
    (void)random;
    (void)arena;
    (void)queries;
    return n < 1 ? n : 1;
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
};

const struct bo_workload lprf_key_workloads[LPRF_N_KEY_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "present names with their hashes, uniform; 2^16 queries",
        .n_queries = 1 << 16,
        .draw = draw_uniform_keys,
    },
};

const struct bo_workload lprf_whole_workloads[LPRF_N_WHOLE_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of the document; one query",
        .n_queries = 1,
        .draw = lprf_draw_whole,
    },
};
