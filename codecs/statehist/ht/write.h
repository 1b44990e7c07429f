/*
 * Growing a history tree: intervals are inserted in the order of closing, and nodes are written
 * when they are closed. Only the latest branch, from the root to the open leaf, is kept in memory.
 */
#ifndef STATEHIST_HT_WRITE_H
#define STATEHIST_HT_WRITE_H

#include "codecs/statehist/ht/ht.h"

/* An interval of a node that is not yet written. */
struct ht_entry {
    int64_t start, end;
    uint32_t quark;
    uint32_t off, nbytes; /* in the node's bytes */
};

/* A node of the latest branch. */
struct ht_open_node {
    int64_t start, end;           /* the end when it is closed */
    int32_t min_quark, max_quark; /* of its own intervals */
    uint32_t number, parent;
    bool is_core;
    uint32_t header_nbytes, intervals_nbytes;
    uint32_t n_children, n_intervals;
    struct ht_child *children; /* of a core node */
    struct ht_entry *entries;  /* in the order in which they are written */
    uint8_t *bytes;            /* of the intervals, in the order of insertion */
};

struct ht_tree {
    struct ht_config config;
    struct bo_writer *out;       /* NULL: only the shape is computed */
    struct bo_arena *arena;      /* for the branch */
    struct ht_open_node *branch; /* the root first, the leaf last */
    uint32_t n_levels;
    size_t cap_levels;
    uint32_t n_nodes;
    size_t off;         /* of the header, in `out` */
    int64_t start, end; /* of the history; the latest end so far */
};

/* An interval to insert. */
struct ht_item {
    int64_t start, end;
    uint32_t quark;
    uint8_t type;        /* HT_NULL, ... */
    uint64_t bits;       /* of a number */
    struct bo_span text; /* of a string */
};

/* Its bytes in a node that starts at node_start. */
uint32_t ht_item_nbytes(const struct ht_item *item, int64_t node_start);

/* A tree of one empty leaf. */
enum bo_status ht_begin(struct ht_tree *tree, const struct ht_config *config, int64_t start,
                        struct bo_writer *out, struct bo_arena *arena, struct bo_error *err);

enum bo_status ht_insert(struct ht_tree *tree, const struct ht_item *item, struct bo_error *err);

/*
 * The level at which the item would be stored; the root is 0. n_levels if the tree would grow
 * first.
 */
uint32_t ht_level_for(const struct ht_tree *tree, const struct ht_item *item);

/* The number of nodes that inserting the item would add. */
uint32_t ht_growth_for(const struct ht_tree *tree, const struct ht_item *item);

/* Writes the rest of the nodes, and the header. */
void ht_finish(struct ht_tree *tree, int64_t end);

#endif
