/*
 * The actions of a recorded session. The time that a user waits for an action is the sum of the
 * times of all its queries, of any kind.
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
 * Plans the steps and runs the oracle on them. Hits of the consumer's cache are among the queries.
 * *actions_ret has n = 0 if there are no actions or their answers are too large.
 */
enum bo_status bo_actions_make(const struct bo_recorded *recorded, const void *model,
                               struct bo_arena *arena, struct bo_actions *actions_ret,
                               struct bo_error *err);

#endif
