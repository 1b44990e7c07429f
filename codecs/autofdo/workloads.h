/* How queries of AutoFDO are drawn: entries of struct bo_query_kind. */
#ifndef AUTOFDO_WORKLOADS_H
#define AUTOFDO_WORKLOADS_H

#include "codecs/autofdo/autofdo.h"

enum {
    AUTOFDO_N_FUNCTION_WORKLOADS = 5,
    AUTOFDO_N_TU_WORKLOADS = 2,
};

extern const struct bo_workload autofdo_function_workloads[AUTOFDO_N_FUNCTION_WORKLOADS];
extern const struct bo_workload autofdo_tu_workloads[AUTOFDO_N_TU_WORKLOADS];

/*
 * Names and paths close to those of the model: themselves, those of callees and targets, and ones
 * that a reader may confuse with them. For an empty model, too, there are absent ones.
 */
size_t autofdo_draw_name_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries);
size_t autofdo_draw_path_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries);

#endif
