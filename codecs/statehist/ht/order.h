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
 * Interval numbers in an order of closing: inserting the intervals in it rebuilds the file's tree.
 * Ends do not descend in it. If the file was not written as write.h does it, this is some order by
 * ends. NULL when the arena refuses.
 */
uint32_t *ht_order_of_closing(const struct ht_file *file, const struct ht_placed *placed,
                              struct bo_arena *arena);

#endif
