/* State histories: building, checking and comparing them. */
#ifndef STATEHIST_MODEL_H
#define STATEHIST_MODEL_H

#include "codecs/statehist/statehist.h"
#include "harness/core/text_set.h"

/* ---- building -------------------------------------------------------------------------------- */

/*
 * Attributes, strings and intervals are added in any order, with two exceptions: an interval is
 * added after its string, and intervals of one quark are added in the order of time.
 */
struct statehist_builder {
    struct bo_arena *arena;
    bool copies; /* names and strings go to the arena; else they must stay where they are */
    struct statehist_attribute *attributes;
    uint32_t n_quarks;
    size_t cap_quarks;
    struct bo_texts strings;
    struct statehist_interval *intervals; /* in the order in which they were added */
    size_t n_intervals, cap_intervals;
};

/* The first rule that a built model breaks. */
struct statehist_flaw {
    const char *what; /* static; no names of quarks or times in it */
    uint32_t quark;   /* the quark that breaks it; STATEHIST_ROOT: none */
    size_t interval;  /* the first wrong one, in the order of adding; else SIZE_MAX */
    bool has_times;   /* of a gap, an overlap: */
    int64_t from, to; /* both included */
};

/* Each of these is false when the arena refuses. */
bool statehist_builder_init(struct statehist_builder *builder, bool copies, struct bo_arena *arena);

/* Room for so many more, so that nothing is copied later. Nothing else depends on it. */
bool statehist_reserve(struct statehist_builder *builder, size_t n_quarks, size_t n_intervals);

/* The next quark. */
bool statehist_add_attribute(struct statehist_builder *builder, struct bo_span name,
                             uint32_t parent);

/* The number of a string, as intervals of this builder have it. A string may stay unused. */
bool statehist_add_string(struct statehist_builder *builder, struct bo_span string,
                          uint32_t *number_ret);
bool statehist_add_interval(struct statehist_builder *builder,
                            const struct statehist_interval *interval);

/*
 * Checks all rules of statehist.h for a model. The order of closing is that in which the intervals
 * were added if ends do not descend in it, else by end, then by quark. BO_OK; BO_CORRUPT with
 * *flaw filled (may be NULL); the arena's refusal.
 */
enum bo_status statehist_finish(struct statehist_builder *builder, int64_t start, int64_t end,
                                struct statehist_model **model_ret, struct statehist_flaw *flaw);

/* Whether the model that was finished has the builder's strings, all of them and in their order. */
bool statehist_keeps_strings(const struct statehist_builder *builder,
                             const struct statehist_model *model);

/*
 * What statehist_finish() returned, as an error: the flaw's phrase with the quark and the times,
 * which lives in the arena, or the arena's refusal.
 */
enum bo_status statehist_fail(struct bo_error *err, enum bo_status status, uint64_t off,
                              const struct statehist_flaw *flaw, struct bo_arena *arena);

/* ---- rules, one by one ----------------------------------------------------------------------- */

/* NULL when a type may have this value, else a static phrase. */
const char *statehist_value_flaw(uint32_t type, uint64_t value, uint32_t n_strings);

/*
 * NULL when the tree keeps the rules, else a static phrase, and the first quark that breaks them.
 * Scratch memory from `arena`, which is rewound; when it refuses, *quark_ret is STATEHIST_ROOT and
 * the phrase is statehist_no_memory.
 */
const char *statehist_tree_flaw(const struct statehist_attribute *attributes, uint32_t n_quarks,
                                struct bo_arena *arena, uint32_t *quark_ret);
extern const char statehist_no_memory[31];

/*
 * Interval numbers sorted by end. Intervals of equal end keep their order, which is by quark in a
 * model. NULL when the arena refuses.
 */
uint32_t *statehist_order_by_end(const struct statehist_interval *intervals, size_t n,
                                 struct bo_arena *arena);

/*
 * A snapshot: the state of a history at one time, as a history of that instant.
 * BO_OUT_OF_RANGE when the time is outside of the history. The snapshot points into the history.
 */
enum bo_status statehist_take_instant(const struct statehist_model *model, int64_t time,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err);

/* As bo_format.differ. The order of closing is not compared. */
const char *statehist_differ(const void *a, const void *b);

#endif
