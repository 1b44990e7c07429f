/*
 * Functions at the limits of a profile, one shape each: recursion, arrays that grow with depth and
 * lists that are searched without an index show there. Sizes have bounds of their own, so that few
 * bytes of a fuzzer make no slow model.
 */
#include "codecs/autofdo/generate.h"

enum {
    MAX_PREFIX = 360, /* all prefixes of a name of this length together have 64 KiB */
    LONGEST_NAME = 65535,
    MAX_SIBLINGS = 2000,
    MAX_RECORDS = 4000,
};

/* n bytes of a name; NULL when the arena refuses. */
static uint8_t *letters(struct bo_random *r, size_t n, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = (uint8_t)('a' + bo_random_below(r, 26));
    return p;
}

/* Targets whose names are all prefixes of one name: a trie of one node per byte. */
static bool nest_names(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const size_t n = MAX_PREFIX / 2 + 1 + bo_random_below(r, MAX_PREFIX / 2);
    const uint8_t *name = letters(r, n, arena);
    struct autofdo_target *targets = bo_alloc_array(arena, n, sizeof *targets);
    struct autofdo_record *record = bo_zalloc_array(arena, 1, sizeof *record);
    if (!name || !targets || !record)
        return false;
    for (size_t i = 0; i < n; i++)
        targets[i] = (struct autofdo_target){{name, i + 1}, autofdo_random_count(r)};
    record->targets = targets;
    record->n_targets = n;
    body->records = record;
    body->n_records = 1;
    return true;
}

static bool lengthen_name(struct bo_random *r, struct bo_arena *arena,
                          struct autofdo_instance *body)
{
    body->name = (struct bo_span){letters(r, LONGEST_NAME, arena), LONGEST_NAME};
    return body->name.p != NULL;
}

/* Callees at one place, with names of three letters. */
static bool add_siblings(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const size_t n = MAX_SIBLINGS / 2 + 1 + bo_random_below(r, MAX_SIBLINGS / 2);
    struct autofdo_callsite *callsites = bo_zalloc_array(arena, n, sizeof *callsites);
    uint8_t *names = bo_alloc_array(arena, n, 3);
    if (!callsites || !names)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t *name = names + 3 * i;
        name[0] = (uint8_t)('a' + i / 26 / 26);
        name[1] = (uint8_t)('a' + i / 26 % 26);
        name[2] = (uint8_t)('a' + i % 26);
        callsites[i].line = 1;
        callsites[i].callee.name = (struct bo_span){name, 3};
    }
    body->callsites = callsites;
    body->n_callsites = n;
    return true;
}

static bool add_records(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const size_t n = MAX_RECORDS / 2 + 1 + bo_random_below(r, MAX_RECORDS / 2);
    struct autofdo_record *records = bo_zalloc_array(arena, n, sizeof *records);
    for (size_t i = 0; records && i < n; i++) {
        records[i].line = (uint32_t)i;
        records[i].count = autofdo_random_count(r);
    }
    body->records = records;
    body->n_records = n;
    return records != NULL;
}

/* The function inlined into itself as often as the model allows. */
static bool nest_callees(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    struct autofdo_callsite *callsites =
        bo_zalloc_array(arena, AUTOFDO_MAX_DEPTH - 1, sizeof *callsites);
    for (size_t i = 0; callsites && i < AUTOFDO_MAX_DEPTH - 1; i++) {
        callsites[i].line = autofdo_random_line(r);
        callsites[i].callee.name = body->name;
        if (i + 2 < AUTOFDO_MAX_DEPTH) {
            callsites[i].callee.callsites = callsites + i + 1;
            callsites[i].callee.n_callsites = 1;
        }
    }
    body->callsites = callsites;
    body->n_callsites = 1;
    return callsites != NULL;
}

bool autofdo_extreme_body(struct bo_random *r, struct bo_arena *arena,
                          struct autofdo_instance *body)
{
    static bool (*const shapes[])(struct bo_random *, struct bo_arena *,
                                  struct autofdo_instance *) = {
        nest_names, lengthen_name, add_siblings, add_records, nest_callees};
    const uint32_t shape = bo_random_below(r, sizeof shapes / sizeof *shapes);
    *body = (struct autofdo_instance){.name = bo_span_of("extreme")};
    return shapes[shape](r, arena, body);
}
