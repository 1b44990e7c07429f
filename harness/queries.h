/*
 * Shared by query kinds of several formats: draws by weight, and the query without arguments, which
 * returns the whole document.
 */
#ifndef BO_QUERIES_H
#define BO_QUERIES_H

#include "harness/format.h"

/*
 * Draws an index by weight: sums[i] is the sum of the weights up to i, less than 2^64. There is at
 * least one weight, and the last sum is above 0.
 */
size_t bo_random_by_weight(struct bo_random *random, const uint64_t *sums, size_t n);

/* For kinds without invalid queries. */
bool bo_none_invalid(const void *model, uint64_t i, void *query);

/* ---- the whole document ---------------------------------------------------------------------- */

enum { BO_N_WHOLE_WORKLOADS = 2 };

extern const struct bo_workload bo_whole_workloads[BO_N_WHOLE_WORKLOADS];

uint64_t bo_count_whole(const void *model);
bool bo_whole_at(const void *model, uint64_t i, void *query);
size_t bo_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena, size_t n,
                     void *queries);
enum bo_status bo_parse_nothing(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                struct bo_error *err);

/*
 * The members that such a kind has in common. Name, summary, oracle and print are its own.
 */
#define BO_WHOLE_QUERY                                                                 \
    .usage = "", .workloads = bo_whole_workloads, .n_workloads = BO_N_WHOLE_WORKLOADS, \
    .count = bo_count_whole, .at = bo_whole_at, .draw_edges = bo_draw_whole,           \
    .invalid_at = bo_none_invalid, .parse = bo_parse_nothing

#endif
