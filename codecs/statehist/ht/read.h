/* History tree files as they lie in memory: the header, and one node at a time. */
#ifndef STATEHIST_HT_READ_H
#define STATEHIST_HT_READ_H

#include "codecs/statehist/ht/ht.h"

struct ht_file {
    struct bo_span in;
    struct ht_config config;
    uint32_t n_nodes, root, n_quarks;
    int64_t start, end;     /* of the history */
    uint32_t max_intervals; /* that a node has */
    const struct statehist_attribute *attributes;
};

/* A node's header. */
struct ht_node {
    uint32_t number, parent;
    bool is_core;
    int64_t start, end;
    int32_t min_quark, max_quark; /* of its own intervals */
    uint32_t n_intervals, n_children;
    struct bo_cursor rest; /* of its block */
};

/* An interval of a node. */
struct ht_interval {
    int64_t start, end;
    uint64_t value; /* as models have it; of a string: where its bytes are in the file */
    uint32_t quark;
    uint16_t nbytes; /* of a string */
    uint8_t type;    /* enum statehist_type */
};

static inline struct bo_span ht_text(const struct ht_file *file, const struct ht_interval *interval)
{
    return (struct bo_span){file->in.p + interval->value, interval->nbytes};
}

static inline size_t ht_node_off(const struct ht_file *file, uint32_t number)
{
    return (size_t)ht_block_off(&file->config, number);
}

/* The header, the headers of all nodes and the attribute tree; not what nodes hold. */
enum bo_status ht_open_file(struct bo_span in, struct bo_arena *arena, struct ht_file *file,
                            struct bo_error *err);

/*
 * A whole node, checked in itself: its children (room for max_children) and its intervals (room for
 * max_intervals), which lie inside it and are in order.
 */
enum bo_status ht_get_node(const struct ht_file *file, uint32_t number, struct ht_node *node,
                           struct ht_child *children, struct ht_interval *intervals,
                           struct bo_error *err);

/* Where the i-th interval of a sound node is in the file. */
size_t ht_interval_off(const struct ht_file *file, uint32_t number, uint32_t i,
                       struct ht_child *children, struct ht_interval *intervals);

#endif
