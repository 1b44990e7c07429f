/*
 * A dictionary that is read: its entries, which are checked when they are read, and the names that
 * they represent.
 *
 * Lengths are added up when an entry is read, with saturation. So an entry that would expand to too
 * much is rejected before anything is expanded.
 */
#ifndef TEMPLIGHT_DEFINITIONS_H
#define TEMPLIGHT_DEFINITIONS_H

#include "codecs/templight/traces.h"

struct templight_definition {
    struct bo_span marked; /* in the input */
    uint64_t nbytes;       /* of the name that it expands to */
    uint64_t n_visits;     /* entries that are visited when it is expanded, itself included */
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

/* Adds the entry `raw`. */
enum bo_status templight_define(struct templight_definitions *definitions,
                                const struct templight_raw_definition *raw, struct bo_error *err);

/*
 * The entry of a Begin's name. At its first use by a Begin, *is_new is set, and its length is added
 * to that of all names.
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
 * The same, but parts whose texts are known are copied as a whole, and parts that are expanded for
 * the first time are known afterwards: texts[i] is that of entry i, or NULL.
 */
void templight_expand_once(const struct templight_definitions *definitions, uint32_t id,
                           struct templight_task *tasks, const uint8_t **texts, uint8_t *to);

#endif
