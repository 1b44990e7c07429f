/* How queries of state histories are drawn: entries of struct bo_query_kind. */
#ifndef STATEHIST_WORKLOADS_H
#define STATEHIST_WORKLOADS_H

#include "codecs/statehist/statehist.h"

enum {
    STATEHIST_N_POINT_WORKLOADS = 5,
    STATEHIST_N_TIME_WORKLOADS = 1,
    STATEHIST_N_RANGE_WORKLOADS = 2,
    STATEHIST_N_WINDOW_WORKLOADS = 2,
    STATEHIST_N_TIMES_WORKLOADS = 1,
    STATEHIST_N_RANGE2D_WORKLOADS = 2,
};

extern const struct bo_workload statehist_point_workloads[STATEHIST_N_POINT_WORKLOADS];
extern const struct bo_workload statehist_full_state_workloads[STATEHIST_N_TIME_WORKLOADS];
extern const struct bo_workload statehist_range_workloads[STATEHIST_N_RANGE_WORKLOADS];
extern const struct bo_workload statehist_window_workloads[STATEHIST_N_WINDOW_WORKLOADS];
extern const struct bo_workload statehist_times_workloads[STATEHIST_N_TIMES_WORKLOADS];
extern const struct bo_workload statehist_range2d_workloads[STATEHIST_N_RANGE2D_WORKLOADS];
extern const struct bo_workload statehist_export_workloads[STATEHIST_N_TIME_WORKLOADS];

/* At and beside the ends of intervals and of the history. */
size_t statehist_draw_point_edges(const void *model, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries);
size_t statehist_draw_time_edges(const void *model, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries);
size_t statehist_draw_range_edges(const void *model, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries);

/* Few quarks or many, in no order and twice; one time or many, close or far apart. */
size_t statehist_draw_window_edges(const void *model, struct bo_random *random,
                                   struct bo_arena *arena, size_t n, void *queries);
size_t statehist_draw_times_edges(const void *model, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries);
size_t statehist_draw_range2d_edges(const void *model, struct bo_random *random,
                                    struct bo_arena *arena, size_t n, void *queries);

#endif
