/*
 * Reading a history tree node by node, as Trace Compass does: nodes that were read are kept, up to
 * HT_N_KEPT, or as many as the arena's keep_nbytes has room for.
 */
#ifndef STATEHIST_HT_READER_H
#define STATEHIST_HT_READER_H

#include "codecs/statehist/ht/read.h"

enum { HT_N_KEPT = 200 };

/* A node that was read. */
struct ht_kept_node {
    struct ht_node node;
    uint64_t used_at;
    struct ht_child *children;
    struct ht_interval *intervals;
};

/* A node to visit, and its entry in its parent. */
struct ht_visit {
    uint32_t parent;
    struct ht_child child;
};

struct ht_reader {
    struct ht_file file;
    struct bo_arena *arena;
    struct ht_kept_node *kept;
    uint32_t n_kept, cap_kept;
    uint16_t *places; /* by node: its index in `kept`, plus 1; 0: not kept */
    uint64_t n_uses;
    struct ht_visit *stack; /* a place for each node */
};

/* Which nodes a walk visits: those with times and quarks in these bounds, all included. */
struct ht_walk {
    int64_t from, to;
    int64_t min_quark, max_quark;
    uint32_t n_stacked;
};

enum bo_status ht_open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                       void **reader_ret, struct bo_error *err);

/*
 * From the root down, children in order, none twice. The next node goes to *node_ret, and is
 * valid until the next call; NULL at the end. A walk ends before another one starts.
 */
/* All nodes. */
#define HT_WALK_ALL                                   \
    {                                                 \
        INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, 0 \
    }

void ht_walk_begin(struct ht_reader *reader, struct ht_walk *walk);
enum bo_status ht_walk_next(struct ht_reader *reader, struct ht_walk *walk,
                            const struct ht_kept_node **node_ret, struct bo_error *err);

/* The first interval of a node whose end is not before `time`. */
uint32_t ht_first_from(const struct ht_kept_node *node, int64_t time);

/* The entry of struct bo_codec. */
enum bo_status ht_query(const struct bo_codec *self, void *reader, unsigned kind,
                        const void *queries, size_t n, void *answers, struct bo_error *err);

enum bo_status ht_decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                         void **model_ret, struct bo_error *err);

#endif
