/* Names at the limits of encodings: one long name, or many similar names. */
#include "harness/names/extreme_names.h"

struct bo_extreme_names bo_long_name(struct bo_random *random, size_t n, struct bo_arena *arena)
{
    struct bo_span *name = bo_alloc(arena, sizeof *name);
    uint8_t *p = bo_alloc(arena, n);
    if (!name || !p)
        return (struct bo_extreme_names){NULL, 0};
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)('a' + bo_random_below(random, 26));
    *name = (struct bo_span){p, n};
    return (struct bo_extreme_names){name, 1};
}

struct bo_extreme_names bo_nested_names(struct bo_random *random, struct bo_arena *arena)
{
    const size_t n = bo_random_extreme_size(random, BO_MAX_NESTED_NAMES);
    const struct bo_extreme_names longest = bo_long_name(random, n, arena);
    struct bo_span *names = longest.p ? bo_alloc_array(arena, n, sizeof *names) : NULL;
    for (size_t i = 0; names && i < n; i++)
        names[i] = (struct bo_span){longest.p->p, i + 1};
    return (struct bo_extreme_names){names, n};
}

struct bo_extreme_names bo_sibling_names(struct bo_random *random, struct bo_span before,
                                         struct bo_span after, struct bo_arena *arena)
{
    const size_t n = bo_random_extreme_size(random, BO_MAX_SIBLING_NAMES);
    const size_t nbytes = before.n + 3 + after.n;
    struct bo_span *names = bo_alloc_array(arena, n, sizeof *names);
    uint8_t *p = bo_alloc_array(arena, n, nbytes);
    if (!names || !p)
        return (struct bo_extreme_names){NULL, 0};
    for (size_t i = 0; i < n; i++, p += nbytes) {
        const uint8_t letters[] = {(uint8_t)('a' + i / 26 / 26), (uint8_t)('a' + i / 26 % 26),
                                   (uint8_t)('a' + i % 26)};
        if (before.n)
            memcpy(p, before.p, before.n);
        memcpy(p + before.n, letters, sizeof letters);
        if (after.n)
            memcpy(p + before.n + sizeof letters, after.p, after.n);
        names[i] = (struct bo_span){p, nbytes};
    }
    return (struct bo_extreme_names){names, n};
}
