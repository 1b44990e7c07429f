/*
 * Functions at the limits of a profile, one shape each. They reveal recursion, arrays that grow
 * with depth, and lists that are searched without an index. Sizes are limited, so that a few bytes
 * of a fuzzer cannot make a slow model.
 */
#include "codecs/autofdo/generate.h"
#include "harness/names/extreme_names.h"

enum { LONGEST_NAME = 65535, MAX_RECORDS = 4000 };

/* Targets whose names are all prefixes of one name. */
static bool nest_names(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const struct bo_extreme_names names = bo_nested_names(r, arena);
    struct autofdo_target *targets = bo_alloc_array(arena, names.n, sizeof *targets);
    struct autofdo_record *record = bo_zalloc_array(arena, 1, sizeof *record);
    if (!names.p || !targets || !record)
        return false;
    for (size_t i = 0; i < names.n; i++)
        targets[i] = (struct autofdo_target){names.p[i], autofdo_random_count(r)};
    record->targets = targets;
    record->n_targets = names.n;
    body->records = record;
    body->n_records = 1;
    return true;
}

static bool lengthen_name(struct bo_random *r, struct bo_arena *arena,
                          struct autofdo_instance *body)
{
    const struct bo_extreme_names name = bo_long_name(r, LONGEST_NAME, arena);
    if (name.p)
        body->name = *name.p;
    return name.p != NULL;
}

/* Callees at one place, with names of three letters. */
static bool add_siblings(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const struct bo_span none = {NULL, 0};
    const struct bo_extreme_names names = bo_sibling_names(r, none, none, arena);
    struct autofdo_callsite *callsites = bo_zalloc_array(arena, names.n, sizeof *callsites);
    if (!names.p || !callsites)
        return false;
    for (size_t i = 0; i < names.n; i++) {
        callsites[i].line = 1;
        callsites[i].callee.name = names.p[i];
    }
    body->callsites = callsites;
    body->n_callsites = names.n;
    return true;
}

static bool add_records(struct bo_random *r, struct bo_arena *arena, struct autofdo_instance *body)
{
    const size_t n = bo_random_extreme_size(r, MAX_RECORDS);
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
