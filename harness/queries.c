/* Shared by query kinds of several formats. */
#include "harness/queries.h"

size_t bo_random_by_weight(struct bo_random *random, const uint64_t *sums, size_t n)
{
    const uint64_t position = bo_random_u64(random) % sums[n - 1];
    size_t low = 0, high = n - 1; /* the first sum above the position is in [low, high] */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sums[middle] > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool bo_none_invalid(const void *model, uint64_t i, void *query)
{
    return false;
}

/* ---- the whole document ---------------------------------------------------------------------- */

uint64_t bo_count_whole(const void *model)
{
    return 1;
}

bool bo_whole_at(const void *model, uint64_t i, void *query)
{
    return i == 0;
}

size_t bo_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena, size_t n,
                     void *queries)
{
    return n < 1 ? n : 1;
}

enum bo_status bo_parse_nothing(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                struct bo_error *err)
{
    return n_args ? bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects no arguments") : BO_OK;
}

const struct bo_workload bo_whole_workloads[BO_N_WHOLE_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of the document; one query",
        .n_queries = 1,
        .draw = bo_draw_whole,
    },
    {
        .name = "once",
        .summary = "all of the document, once, by a reader just opened; opening included",
        .n_queries = 1,
        .fresh = 1,
        .draw = bo_draw_whole,
    },
};
