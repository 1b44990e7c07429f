/*
 * The order in which intervals were closed. A file stores this order except among intervals of
 * equal end. Those are put into an order that rebuilds the same tree. For that the tree is built a
 * second time, without bytes. Of the intervals of equal end, those whose node is already open and
 * has room for them come first.
 */
#include "codecs/statehist/ht/order.h"

#include "codecs/statehist/ht/write.h"
#include "codecs/statehist/model.h"

#define NONE UINT32_MAX

struct growth {
    const struct ht_file *file;
    const struct ht_placed *placed;
    struct ht_tree tree;
    uint32_t *waiting; /* by node: the first interval of this end that belongs there, or NONE */
    uint32_t *next;    /* by interval: the next one that waits for the same node */
    uint32_t *leaves;  /* by node: the first leaf from it on, or NONE */
    uint32_t *order;
    size_t n_ordered;
};

static struct ht_item item_of(const struct growth *g, uint32_t i)
{
    static const uint8_t types[] = {[STATEHIST_NULL] = HT_NULL,
                                    [STATEHIST_INT] = HT_INT,
                                    [STATEHIST_LONG] = HT_LONG,
                                    [STATEHIST_DOUBLE] = HT_DOUBLE,
                                    [STATEHIST_STRING] = HT_STRING};
    const struct ht_interval *interval = &g->placed->intervals[i];
    return (struct ht_item){interval->start,       interval->end,   interval->quark,
                            types[interval->type], interval->value, {NULL, interval->nbytes}};
}

/*
 * An interval may fill a node only because its offset there has a shorter form than 0. It would not
 * fit a new leaf, so it does not grow the tree.
 */
static bool insert(struct growth *g, uint32_t i)
{
    enum { MAX_OTHER_NBYTES = 64 }; /* of an item, besides its text */
    const struct ht_item item = item_of(g, i);
    const size_t room = g->file->config.block_nbytes - HT_NODE_HEADER_NBYTES;
    g->order[g->n_ordered++] = i;
    return (item.text.n + MAX_OTHER_NBYTES > room && ht_item_nbytes(&item, item.start) > room) ||
           ht_insert(&g->tree, &item, NULL) == BO_OK;
}

/* Inserts those that wait for a node of the branch and fit it now. False when the arena refuses. */
static bool fill_level(struct growth *g, uint32_t level)
{
    const uint32_t node = g->tree.branch[level].number;
    if (node >= g->file->n_nodes)
        return true;
    for (uint32_t *link = &g->waiting[node]; *link != NONE;) {
        const uint32_t i = *link;
        const struct ht_item item = item_of(g, i);
        if (ht_level_for(&g->tree, &item) != level) {
            link = &g->next[i];
            continue;
        }
        *link = g->next[i];
        if (!insert(g, i))
            return false;
    }
    return true;
}

/* The leaf that comes next, or NONE. */
static uint32_t next_leaf(const struct growth *g)
{
    const uint32_t node = g->tree.branch[g->tree.n_levels - 1].number + 1;
    return node < g->file->n_nodes ? g->leaves[node] : NONE;
}

/*
 * The interval that made the tree grow: it is in the next leaf, which starts when the interval
 * starts. NULL when no such interval waits.
 */
static uint32_t *find_trigger(struct growth *g)
{
    const uint32_t leaf = next_leaf(g);
    if (leaf == NONE)
        return NULL;
    for (uint32_t *link = &g->waiting[leaf]; *link != NONE; link = &g->next[*link]) {
        const struct ht_item item = item_of(g, *link);
        if (item.start == g->placed->starts[leaf] &&
            ht_growth_for(&g->tree, &item) == leaf + 1 - g->tree.n_nodes)
            return link;
    }
    return NULL;
}

/* Inserts the interval that made the tree grow; *has_ret: if any. False when the arena refuses. */
static bool pull_trigger(struct growth *g, bool *has_ret)
{
    uint32_t *trigger = find_trigger(g);
    *has_ret = trigger;
    if (!trigger)
        return true;
    const uint32_t i = *trigger;
    *trigger = g->next[i];
    return insert(g, i);
}

/*
 * If the leaf ended before the intervals' end, the first of these made the tree grow. Then nodes
 * near the root are filled first: an interval is stored there only while all nodes below have room
 * for it. False when the arena refuses.
 */
static bool order_group(struct growth *g, const uint32_t *group, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t *waiting = &g->waiting[g->placed->nodes[group[i]]];
        g->next[group[i]] = *waiting;
        *waiting = group[i];
    }
    const uint32_t leaf = g->tree.branch[g->tree.n_levels - 1].number;
    bool grows = true;
    if (leaf < g->file->n_nodes && g->placed->ends[leaf] < g->placed->intervals[group[0]].end &&
        !pull_trigger(g, &grows))
        return false;
    do {
        for (uint32_t level = 0; level < g->tree.n_levels; level++)
            if (!fill_level(g, level))
                return false;
        if (!pull_trigger(g, &grows))
            return false;
    } while (grows);
    for (size_t i = 0; i < n; i++) {
        uint32_t *waiting = &g->waiting[g->placed->nodes[group[i]]];
        for (; *waiting != NONE; *waiting = g->next[*waiting])
            if (!insert(g, *waiting))
                return false;
    }
    return true;
}

/* The intervals by end. */
static uint32_t *sort_by_end(const struct ht_placed *placed, struct bo_arena *arena)
{
    struct statehist_interval *intervals = bo_alloc_array(arena, placed->n, sizeof *intervals);
    if (!intervals)
        return NULL;
    for (size_t i = 0; i < placed->n; i++)
        intervals[i] = (struct statehist_interval){.end = placed->intervals[i].end};
    return statehist_order_by_end(intervals, placed->n, arena);
}

uint32_t *ht_order_of_closing(const struct ht_file *file, const struct ht_placed *placed,
                              struct bo_arena *arena)
{
    struct growth g = {.file = file, .placed = placed};
    const size_t n = placed->n;
    g.order = bo_alloc_array(arena, n, sizeof *g.order);
    g.waiting = bo_alloc_array(arena, file->n_nodes, sizeof *g.waiting);
    g.next = bo_alloc_array(arena, n, sizeof *g.next);
    g.leaves = bo_alloc_array(arena, file->n_nodes, sizeof *g.leaves);
    const uint32_t *by_end = sort_by_end(placed, arena);
    if (!g.order || !g.waiting || !g.next || !g.leaves || !by_end ||
        ht_begin(&g.tree, &file->config, file->start, NULL, arena, NULL))
        return NULL;
    for (uint32_t i = file->n_nodes, leaf = NONE; i-- > 0;) {
        leaf = placed->is_leaf[i] ? i : leaf;
        g.leaves[i] = leaf;
        g.waiting[i] = NONE;
    }
    for (size_t i = 0; i < n;) {
        const int64_t end = placed->intervals[by_end[i]].end;
        size_t last = i + 1;
        while (last < n && placed->intervals[by_end[last]].end == end)
            last++;
        if (!order_group(&g, by_end + i, last - i))
            return NULL;
        i = last;
    }
    return g.order;
}
