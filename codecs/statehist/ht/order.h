/* The order in which intervals were closed, from the nodes that they lie in. */
#ifndef STATEHIST_HT_ORDER_H
#define STATEHIST_HT_ORDER_H

#include "codecs/statehist/ht/read.h"

/* Intervals of a file, and which node each lies in. */
struct ht_placed {
    size_t n;
    const struct ht_interval *intervals;
    const uint32_t *nodes;
    const bool *is_leaf;          /* by node */
    const int64_t *starts, *ends; /* by node */
};

/*
 * An order in which a tree that grows by these rules comes out as it is, as numbers of intervals:
 * ends do not descend. Where a file was not written by the rules, it is some order by ends. NULL
 * when the arena refuses.
 */
uint32_t *ht_order_of_closing(const struct ht_file *file, const struct ht_placed *placed,
                              struct bo_arena *arena);

#endif
