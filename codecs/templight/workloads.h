/* How queries of Templight are drawn: entries of struct bo_query_kind. */
#ifndef TEMPLIGHT_WORKLOADS_H
#define TEMPLIGHT_WORKLOADS_H

#include "codecs/templight/templight.h"

enum {
    TEMPLIGHT_N_NAME_WORKLOADS = 5,
    TEMPLIGHT_N_FIND_WORKLOADS = 2,
    TEMPLIGHT_N_PREFIX_WORKLOADS = 2,
};

extern const struct bo_workload templight_name_workloads[TEMPLIGHT_N_NAME_WORKLOADS];
extern const struct bo_workload templight_find_workloads[TEMPLIGHT_N_FIND_WORKLOADS];
extern const struct bo_workload templight_prefix_workloads[TEMPLIGHT_N_PREFIX_WORKLOADS];

/* First and last names of traces, and their neighbours. */
size_t templight_draw_name_edges(const void *model, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries);

/*
 * Texts at and near the names, of another trace, and strange ones.
 * There are such of any trace, also of one without names.
 */
size_t templight_draw_text_edges(const void *model, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries);

#endif
