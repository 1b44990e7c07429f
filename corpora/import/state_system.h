/*
 * A state system: attributes whose values change over time, recorded as a history.
 *
 * A change to the current value of an attribute is ignored. A second change at the same time
 * replaces the first, without an interval for it. So neighbours with equal values exist: the value
 * changed and changed back at once.
 */
#ifndef BO_STATE_SYSTEM_H
#define BO_STATE_SYSTEM_H

#include "codecs/statehist/model.h"

struct state_system {
    struct statehist_builder builder;
    struct bo_texts paths;           /* parent and name; the numbers are the quarks */
    struct statehist_interval *open; /* by quark: the current value and the time of its start */
    size_t cap_open;
    int64_t start, now;
};

/* Each returns false when the arena refuses. */
bool state_system_init(struct state_system *system, int64_t start, struct bo_arena *arena);

/* The attribute of that name. It is created if missing, with the value null until now. */
bool state_attribute(struct state_system *system, uint32_t parent, struct bo_span name,
                     uint32_t *quark_ret);

/* STATEHIST_ROOT when it does not exist. */
uint32_t state_find(const struct state_system *system, uint32_t parent, struct bo_span name);

/* Sets a value from now on. `now` must not decrease. */
bool state_set(struct state_system *system, uint32_t quark, enum statehist_type type,
               uint64_t value);
bool state_set_string(struct state_system *system, uint32_t quark, struct bo_span string);

/* Names of tasks may contain any bytes: invalid UTF-8 becomes question marks, in a copy. */
bool state_clean_text(struct bo_arena *arena, struct bo_span *text);

/* Closes all intervals, in the order of quarks. As statehist_finish(). */
enum bo_status state_system_finish(struct state_system *system, struct statehist_model **model_ret,
                                   struct bo_error *err);

#endif
