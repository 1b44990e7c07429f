/*
 * A dictionary that is read: its entries, checked as they come, and the names that they stand for.
 *
 * Lengths are added up when an entry comes, and saturate, so that what would expand to too much is
 * refused before anything is built.
 */
#ifndef TEMPLIGHT_DEFINITIONS_H
#define TEMPLIGHT_DEFINITIONS_H

#include "codecs/templight/traces.h"

struct templight_definition {
    struct bo_span marked; /* in the input */
    uint64_t nbytes;       /* of the name that it expands to */
    uint64_t n_visits;     /* entries that are looked at when it is expanded, itself included */
    size_t first_id;       /* of n_ids */
    uint32_t n_ids;
    uint32_t depth; /* 1 without parts */
    uint32_t name;  /* the model's number of the name, or TEMPLIGHT_NONE while no Begin has it */
};

struct templight_definitions {
    struct bo_arena *arena;
    struct templight_definition *items; /* by id */
    uint32_t n;
    size_t cap;
    uint32_t *ids;
    size_t n_ids, cap_ids;
    uint64_t trace_nbytes;
    uint32_t max_depth;
    uint64_t used_nbytes, used_visits; /* of the entries that Begins have */
};

/* For a trace of so many bytes, with room for n entries. False when the arena refuses. */
bool templight_definitions_init(struct templight_definitions *definitions, size_t trace_nbytes,
                                size_t n, struct bo_arena *arena);

/* Adds the entry that a walk is at. */
enum bo_status templight_define(struct templight_definitions *definitions,
                                const struct templight_raw_definition *raw, struct bo_error *err);

/*
 * The entry of a Begin's name. The first time that a Begin has it, its length is added to those of
 * all names: `is_new` then.
 */
enum bo_status templight_refer(struct templight_definitions *definitions,
                               const struct templight_raw_name *name, bool *is_new,
                               struct templight_definition **definition_ret, struct bo_error *err);

/* ---- expanding ------------------------------------------------------------------------------- */

/* An entry that is being expanded: where in it, and which of its ids comes next. */
struct templight_task {
    uint32_t id, next_id;
    size_t at;    /* in the marked text */
    size_t start; /* in what is written */
};

/*
 * Writes the name of entry `id` to `to`, which has room for its nbytes: entry by entry, with a
 * stack. `tasks` has room for max_depth.
 */
void templight_expand(const struct templight_definitions *definitions, uint32_t id,
                      struct templight_task *tasks, uint8_t *to);

/*
 * The same, but parts whose texts are known are copied at once, and parts that are met for the
 * first time are known afterwards: texts[i] is that of entry i, or NULL.
 */
void templight_expand_once(const struct templight_definitions *definitions, uint32_t id,
                           struct templight_task *tasks, const uint8_t **texts, uint8_t *to);

#endif
