/* How queries of LPRF are drawn: entries of struct bo_query_kind. */
#ifndef LPRF_WORKLOADS_H
#define LPRF_WORKLOADS_H

#include "codecs/lprf/lprf.h"

enum {
    LPRF_N_NAME_WORKLOADS = 9,
    LPRF_N_CONTAINS_WORKLOADS =
        4, /* contains takes so many of the name workloads, from the first */
    LPRF_N_KEY_WORKLOADS = 1,
};

extern const struct bo_workload lprf_name_workloads[LPRF_N_NAME_WORKLOADS];
extern const struct bo_workload lprf_key_workloads[LPRF_N_KEY_WORKLOADS];

/*
 * Names and keys around those of the model: themselves, and what a reader may take for them. There
 * are such, absent ones, of an empty model, too.
 */
size_t lprf_draw_name_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries);
size_t lprf_draw_key_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries);

#endif
