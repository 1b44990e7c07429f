/* Functions at the limits of a profile, one shape each. */
#include "codecs/lprf/generate.h"
#include "harness/names/extreme_names.h"

/* One function of each name. */
static bool name_functions(struct bo_extreme_names names, struct bo_random *r,
                           struct bo_arena *arena, struct lprf_functions *functions)
{
    struct lprf_function *p = bo_zalloc_array(arena, names.n, sizeof *p);
    uint64_t *counters = bo_alloc_array(arena, names.n, sizeof *counters);
    if (!names.p || !p || !counters)
        return false;
    for (size_t i = 0; i < names.n; i++) {
        counters[i] = lprf_random_count(r);
        p[i] =
            (struct lprf_function){.name = names.p[i], .n_counters = 1, .counters = counters + i};
    }
    *functions = (struct lprf_functions){p, names.n};
    return true;
}

static bool nest_names(struct bo_random *r, struct bo_arena *arena,
                       struct lprf_functions *functions)
{
    return name_functions(bo_nested_names(r, arena), r, arena, functions);
}

static bool add_siblings(struct bo_random *r, struct bo_arena *arena,
                         struct lprf_functions *functions)
{
    const struct bo_span before = bo_span_of("_ZN5boost6spirit2qi"), after = bo_span_of("Ev");
    return name_functions(bo_sibling_names(r, before, after, arena), r, arena, functions);
}

static bool lengthen_name(struct bo_random *r, struct bo_arena *arena,
                          struct lprf_functions *functions)
{
    const uint32_t n = bo_random_around(r, UINT32_C(1) << 16);
    return name_functions(bo_long_name(r, n, arena), r, arena, functions);
}

static bool add_counters(struct bo_random *r, struct bo_arena *arena,
                         struct lprf_functions *functions)
{
    const uint32_t n = bo_random_around(r, UINT32_C(1) << 16);
    uint64_t *counters = bo_alloc_array(arena, n, sizeof *counters);
    struct lprf_function *function = bo_alloc(arena, sizeof *function);
    if (!counters || !function)
        return false;
    for (uint32_t i = 0; i < n; i++)
        counters[i] = lprf_random_count(r);
    *function = (struct lprf_function){
        .name = bo_span_of("extreme"), .n_counters = n, .counters = counters};
    *functions = (struct lprf_functions){function, 1};
    return true;
}

bool lprf_extreme_functions(struct bo_random *r, struct bo_arena *arena,
                            struct lprf_functions *functions_ret)
{
    static bool (*const shapes[])(struct bo_random *, struct bo_arena *,
                                  struct lprf_functions *) = {nest_names, add_siblings,
                                                              lengthen_name, add_counters};
    const uint32_t shape = bo_random_below(r, sizeof shapes / sizeof *shapes);
    return shapes[shape](r, arena, functions_ret);
}
