/*
 * Queries that start with a name: matching a whole batch, and drawing.
 *
 * Each draw is a separate statement: a seed must give the same names everywhere.
 */
#include "harness/names/names.h"

#include <stdlib.h>

/* ---- matching: one pass for a whole batch ---------------------------------------------------- */

/* A wanted name, and the first present name that equals it. */
struct lookup {
    struct bo_span name;
    const uint64_t *number; /* NULL: any number matches */
    size_t found;
    size_t next;    /* index of the next lookup in the slot, plus 1; 0: none */
    size_t same_as; /* the first equal lookup, whose answer counts; may be this one */
};

/* A batch of lookups in a hash table. Most names have a slot of their own. */
struct batch {
    struct lookup *lookups;
    size_t *slots; /* first lookup of each slot, plus 1; 0: none */
    size_t mask;
};

static const uint64_t *number_at(const struct bo_names *names, size_t i)
{
    const uint8_t *element = (const uint8_t *)names->elements + i * names->size;
    return names->number_off == SIZE_MAX ? NULL : (const void *)(element + names->number_off);
}

/*
 * A hash of the length and a few bytes. All names in a slot are compared, so collisions only cost
 * time.
 */
static uint64_t hash_of_parts(struct bo_span name)
{
    uint64_t middle = 0, end = 0;
    const size_t n = name.n < 8 ? name.n : 8;
    for (size_t i = 0; i < n; i++) {
        middle = middle << 8 | name.p[(name.n - n) / 2 + i];
        end = end << 8 | name.p[name.n - n + i];
    }
    return bo_mix64(name.n + middle * UINT64_C(0x9e3779b97f4a7c15) + bo_mix64(end));
}

static bool fits(const struct lookup *lookup, struct bo_span name, const uint64_t *number)
{
    return bo_span_equal(lookup->name, name) && (!lookup->number || *lookup->number == *number);
}

/*
 * Adds lookup i, whose name and number are set, to its slot. If an equal lookup is already
 * there, `same_as` refers to that.
 */
static void add_lookup(struct batch *batch, size_t i)
{
    struct lookup *lookup = &batch->lookups[i];
    size_t *slot = &batch->slots[hash_of_parts(lookup->name) & batch->mask];
    for (size_t j = *slot; j; j = batch->lookups[j - 1].next)
        if (fits(&batch->lookups[j - 1], lookup->name, lookup->number)) {
            lookup->same_as = j - 1;
            return;
        }
    lookup->same_as = i;
    lookup->next = *slot;
    *slot = i + 1;
}

/*
 * Stores i as the answer to every lookup that it matches and that has no answer yet. So the first
 * match wins.
 */
static void offer_name(struct batch *batch, const struct bo_names *present, size_t i)
{
    const struct bo_span name = bo_name_at(present, i);
    for (size_t j = batch->slots[hash_of_parts(name) & batch->mask]; j;
         j = batch->lookups[j - 1].next) {
        struct lookup *lookup = &batch->lookups[j - 1];
        if (lookup->found == BO_NOT_FOUND && fits(lookup, name, number_at(present, i)))
            lookup->found = i;
    }
}

enum bo_status bo_match_names(const struct bo_names *wanted, const struct bo_names *present,
                              size_t *found_ret)
{
    size_t n_slots = 64;
    while (n_slots < 4 * wanted->n)
        n_slots *= 2;
    struct batch batch = {
        .lookups = calloc(wanted->n + 1, sizeof *batch.lookups),
        .slots = calloc(n_slots, sizeof *batch.slots),
        .mask = n_slots - 1,
    };
    const bool ok = batch.lookups && batch.slots;
    for (size_t i = 0; ok && i < wanted->n; i++) {
        batch.lookups[i] = (struct lookup){
            .name = bo_name_at(wanted, i), .number = number_at(wanted, i), .found = BO_NOT_FOUND};
        add_lookup(&batch, i);
    }
    for (size_t i = 0; ok && i < present->n; i++)
        offer_name(&batch, present, i);
    for (size_t i = 0; ok && i < wanted->n; i++)
        found_ret[i] = batch.lookups[batch.lookups[i].same_as].found;
    free(batch.lookups);
    free(batch.slots);
    return ok ? BO_OK : BO_NO_MEMORY;
}

/* ---- present and absent names ---------------------------------------------------------------- */

static struct bo_span random_name(const struct bo_names *names, struct bo_random *random)
{
    return bo_name_at(names, bo_random_index(random, names->n));
}

size_t bo_draw_present_names(const struct bo_names *names, struct bo_random *random, size_t n,
                             struct bo_span *drawn_ret)
{
    if (!names->n)
        return 0;
    for (size_t i = 0; i < n; i++)
        drawn_ret[i] = random_name(names, random);
    return n;
}

/* A name with one byte changed, in the arena. p is NULL when the arena refuses. */
static struct bo_span changed_name(struct bo_span name, struct bo_random *random,
                                   struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, name.n);
    if (!p)
        return (struct bo_span){NULL, 0};
    memcpy(p, name.p, name.n);
    const size_t at = bo_random_index(random, name.n);
    p[at] = (uint8_t)(p[at] + 1 + bo_random_below(random, UINT8_MAX));
    return (struct bo_span){p, name.n};
}

/*
 * Keeps those of n names that are absent, in order. Returns their number, 0 when memory is
 * exhausted.
 */
static size_t keep_absent(const struct bo_names *present, struct bo_span *names, size_t n,
                          struct bo_arena *arena)
{
    const struct bo_names wanted = {names, n, sizeof *names, 0, SIZE_MAX};
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    size_t *found = bo_alloc_array(arena, n, sizeof *found), kept = 0;
    if (found && bo_match_names(&wanted, present, found) == BO_OK)
        for (size_t i = 0; i < n; i++)
            if (found[i] == BO_NOT_FOUND)
                names[kept++] = names[i];
    bo_arena_rewind(arena, mark);
    return kept;
}

size_t bo_draw_absent_names(const struct bo_names *names, struct bo_random *random,
                            struct bo_arena *arena, size_t n, struct bo_span *drawn_ret)
{
    enum { ROUNDS = 8 };
    size_t n_drawn = 0;
    for (unsigned round = 0; round < ROUNDS && n_drawn < n && names->n; round++) {
        size_t end = n_drawn;
        for (; end < n; end++) {
            drawn_ret[end] = changed_name(random_name(names, random), random, arena);
            if (!drawn_ret[end].p)
                break;
        }
        n_drawn += keep_absent(names, drawn_ret + n_drawn, end - n_drawn, arena);
    }
    return n_drawn;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/*
 * The prefix of name i up to where it diverges from the most similar of some other names, or one
 * byte longer. Tries branch there.
 */
static struct bo_span cut_at_branch(const struct bo_names *names, size_t i,
                                    struct bo_random *random)
{
    enum { N_OTHERS = 16 };
    const struct bo_span name = bo_name_at(names, i);
    size_t longest = 0;
    for (size_t k = 0; k < N_OTHERS; k++) {
        const bool is_near = k % 2 && i + k < names->n;
        const struct bo_span other =
            is_near ? bo_name_at(names, i + k) : random_name(names, random);
        const size_t n = bo_common_prefix(name, other);
        longest = n > longest && n < name.n ? n : longest;
    }
    longest += bo_random_below(random, 2);
    return (struct bo_span){name.p, longest < name.n ? longest : name.n};
}

/* A position in a name of n bytes: its start, its end, or between. */
static size_t random_place(struct bo_random *random, size_t n)
{
    const uint32_t where = bo_random_below(random, 3);
    return where == 0 || n == 0 ? 0 : where == 1 ? n : bo_random_index(random, n);
}

/*
 * A name with `removed` bytes deleted at one position and the byte `added`, if it is one, inserted.
 */
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

/* A name repeated. */
static struct bo_span long_name(struct bo_span name, struct bo_random *random,
                                struct bo_arena *arena)
{
    const size_t n = bo_random_one_in(random, 64) ? 70000 : 1 + bo_random_below(random, 4096);
    const struct bo_span once = name.n ? name : (struct bo_span){(const uint8_t *)"x", 1};
    uint8_t *p = bo_alloc(arena, n);
    size_t done = once.n < n ? once.n : n;
    if (!p)
        return (struct bo_span){NULL, 0};
    memcpy(p, once.p, done);
    for (size_t more; done < n; done += more) { /* doubles the copied part: this loop is hot */
        more = done < n - done ? done : n - done;
        memcpy(p + done, p, more);
    }
    return (struct bo_span){p, n};
}

struct bo_span bo_name_edge(const struct bo_names *names, size_t i, struct bo_random *random,
                            struct bo_arena *arena)
{
    static const uint8_t nothing[1];
    const struct bo_span none = {nothing, 0};
    const bool has_bytes = names->n && bo_name_at(names, i).n;
    const struct bo_span name = has_bytes ? bo_name_at(names, i) : none;
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
        return (struct bo_span){name.p, name.n ? bo_random_index(random, name.n) : 0};
    case 9:
    case 10:
    case 11:
        return has_bytes ? cut_at_branch(names, i, random) : none;
    default:
        return name;
    }
}
