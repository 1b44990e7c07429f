/* Parts of a history at the limits, one shape each. */
#include "codecs/statehist/generate.h"

enum { MAX_DEPTH = 2000, MAX_CHANGES = 4000 };

static bool nest_attributes(struct bo_random *r, struct bo_arena *arena,
                            struct statehist_extreme *extreme)
{
    const size_t n = bo_random_extreme_size(r, MAX_DEPTH);
    struct bo_span *names = bo_alloc_array(arena, n, sizeof *names);
    for (size_t i = 0; names && i < n; i++)
        names[i] = bo_span_of("a");
    extreme->names = (struct bo_extreme_names){names, n};
    extreme->nests = true;
    return names != NULL;
}

static bool nest_names(struct bo_random *r, struct bo_arena *arena,
                       struct statehist_extreme *extreme)
{
    extreme->names = bo_nested_names(r, arena);
    return extreme->names.p != NULL;
}

static bool add_siblings(struct bo_random *r, struct bo_arena *arena,
                         struct statehist_extreme *extreme)
{
    const struct bo_span none = {NULL, 0};
    extreme->names = bo_sibling_names(r, none, none, arena);
    return extreme->names.p != NULL;
}

static bool lengthen_name(struct bo_random *r, struct bo_arena *arena,
                          struct statehist_extreme *extreme)
{
    const uint32_t n = bo_random_around(r, UINT32_C(1) << 16);
    extreme->names = bo_long_name(r, n, arena);
    return extreme->names.p != NULL;
}

/* A history tree has strings of up to 32767 bytes. */
static bool lengthen_string(struct bo_random *r, struct bo_arena *arena,
                            struct statehist_extreme *extreme)
{
    const uint32_t n = bo_random_around(r, UINT32_C(1) << 15);
    const struct bo_extreme_names text = bo_long_name(r, n, arena);
    if (text.p)
        extreme->text = *text.p;
    return text.p != NULL;
}

static bool add_changes(struct bo_random *r, struct bo_arena *arena,
                        struct statehist_extreme *extreme)
{
    extreme->n_changes = bo_random_extreme_size(r, MAX_CHANGES);
    return true;
}

bool statehist_draw_extreme(struct bo_random *r, struct bo_arena *arena,
                            struct statehist_extreme *extreme_ret)
{
    static bool (*const shapes[])(struct bo_random *, struct bo_arena *,
                                  struct statehist_extreme *) = {
        nest_attributes, nest_names, add_siblings, lengthen_name, lengthen_string, add_changes};
    const uint32_t shape = bo_random_below(r, sizeof shapes / sizeof *shapes);
    *extreme_ret = (struct statehist_extreme){.n_changes = 0};
    return shapes[shape](r, arena, extreme_ret);
}
