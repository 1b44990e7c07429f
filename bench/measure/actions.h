/*
 * The actions of a recorded session: what a user waits for is the sum of the queries that one
 * action causes, of whatever kinds.
 */
#ifndef BO_ACTIONS_H
#define BO_ACTIONS_H

#include "bench/measure/query_sets.h"
#include "harness/recorded.h"

#define BO_ACTIONS_KIND "actions"
#define BO_ACTIONS_WORKLOAD "recorded"

/* One call: a chunk of one kind's queries. */
struct bo_step {
    const struct bo_query_set *query_set;
    const struct bo_chunk *chunk;
};

struct bo_actions {
    const struct bo_recorded *recorded;
    struct bo_step *steps;
    size_t *firsts; /* n + 1: the steps of action i are those from firsts[i] to firsts[i + 1] */
    size_t n;       /* actions */
    size_t max_answers_nbytes; /* of a step */
    unsigned kinds;            /* bit k: kind k is queried */
};

/*
 * Lays out the steps and runs the oracle on them. The consumer's hits are among the queries.
 * *actions_ret has n = 0 without actions, or when their answers are too large.
 */
enum bo_status bo_actions_make(const struct bo_recorded *recorded, const void *model,
                               struct bo_arena *arena, struct bo_actions *actions_ret,
                               struct bo_error *err);

#endif
