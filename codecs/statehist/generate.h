/* State histories from randomness: entries of struct bo_format, and what they are made of. */
#ifndef STATEHIST_GENERATE_H
#define STATEHIST_GENERATE_H

#include "codecs/statehist/model.h"
#include "harness/names/extreme_names.h"
#include "harness/names/name_source.h"

/* `scale` is the number of intervals, or nearly. */
enum bo_status statehist_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                  void **model_ret, struct bo_error *err);
enum bo_status statehist_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err);

/* ---- parts, for both ------------------------------------------------------------------------- */

/* What an attribute's values are like. */
enum statehist_habit {
    STATEHIST_DIRECTORY, /* always null */
    STATEHIST_STATUS,    /* one of few ints */
    STATEHIST_NUMBER,    /* an int: of a thread, a priority */
    STATEHIST_TEXT,      /* one of some strings */
    STATEHIST_COUNTER,   /* a long that changes in steps */
    STATEHIST_RATIO,     /* a double with few digits */
    STATEHIST_FLAG,      /* a bool */
    STATEHIST_MIXED,     /* any of these, and strange ones */
    STATEHIST_N_HABITS
};

/*
 * Draws what comes after the value in `interval`, whose type and value change; its strings are the
 * builder's. False when the arena refuses.
 */
bool statehist_draw_value(struct bo_random *random, enum statehist_habit habit,
                          struct statehist_builder *builder, struct statehist_interval *interval);

/*
 * A name that no attribute in `taken` with this parent has; it is added to `taken`, which holds
 * parents with names, and lives there. NULL bytes when the arena refuses.
 */
struct bo_span statehist_draw_name(struct bo_random *random, uint32_t parent,
                                   struct bo_texts *taken);

/* What a history contains besides the usual. */
struct statehist_extreme {
    struct bo_extreme_names names; /* of attributes in an attribute of their own */
    bool nests;                    /* each of them is in the one before */
    uint32_t n_changes;            /* of that attribute */
    struct bo_span text;           /* its first value; p is NULL when that is null */
};

/* False when the arena refuses. */
bool statehist_draw_extreme(struct bo_random *random, struct bo_arena *arena,
                            struct statehist_extreme *extreme_ret);

/* Adds a name that is there already. False when the arena refuses. */
bool statehist_take_name(struct bo_texts *taken, uint32_t parent, struct bo_span name,
                         bool *is_new_ret, struct bo_span *kept_ret);

#endif
