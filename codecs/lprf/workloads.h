/* How queries of LPRF are drawn: entries of struct bo_query_kind. */
#ifndef LPRF_WORKLOADS_H
#define LPRF_WORKLOADS_H

#include "codecs/lprf/lprf.h"

enum {
    LPRF_N_NAME_WORKLOADS = 9,
    LPRF_N_CONTAINS_WORKLOADS = 4, /* of the name workloads, from the first, for contains */
    LPRF_N_KEY_WORKLOADS = 1,
};

extern const struct bo_workload lprf_name_workloads[LPRF_N_NAME_WORKLOADS];
extern const struct bo_workload lprf_key_workloads[LPRF_N_KEY_WORKLOADS];

/*
 * Names and keys of the model, and similar ones that a reader might confuse with them. For an empty
 * model, these are absent names and keys.
 */
size_t lprf_draw_name_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries);
size_t lprf_draw_key_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries);

#endif
