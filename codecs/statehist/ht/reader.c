/* Reading a history tree node by node: opening, keeping, walking. */
#include "codecs/statehist/ht/reader.h"

/* A node that is read needs one place. */
static uint32_t n_kept_within(const struct ht_file *file, size_t nbytes)
{
    const struct ht_kept_node *kept = NULL;
    const size_t node_nbytes = sizeof *kept + file->config.max_children * sizeof *kept->children +
                               file->max_intervals * sizeof *kept->intervals;
    const uint32_t n = file->n_nodes < HT_N_KEPT ? file->n_nodes : HT_N_KEPT;
    const size_t fits = nbytes / node_nbytes;
    return fits < n ? (fits ? (uint32_t)fits : 1) : n;
}

enum bo_status ht_open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                       void **reader_ret, struct bo_error *err)
{
    struct ht_reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    const enum bo_status status = ht_open_file(in, arena, &r->file, err);
    if (status)
        return status;
    const uint32_t n = r->file.n_nodes;
    r->arena = arena;
    r->cap_kept = n_kept_within(&r->file, arena->keep_nbytes);
    r->kept = bo_zalloc_array(arena, r->cap_kept, sizeof *r->kept);
    r->places = bo_zalloc_array(arena, n, sizeof *r->places);
    r->stack = bo_alloc_array(arena, n, sizeof *r->stack);
    if (!r->kept || !r->places || !r->stack)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->cap_kept; i++) {
        struct ht_kept_node *kept = &r->kept[i];
        kept->children = bo_alloc_array(arena, r->file.config.max_children, sizeof *kept->children);
        kept->intervals = bo_alloc_array(arena, r->file.max_intervals, sizeof *kept->intervals);
        if (!kept->children || !kept->intervals)
            return bo_fail_alloc(err, arena);
    }
    *reader_ret = r;
    return BO_OK;
}

/* ---- nodes that are kept --------------------------------------------------------------------- */

/* A place for one more: a free one, or that of the node that was not used for the longest time. */
static struct ht_kept_node *free_place(struct ht_reader *r)
{
    if (r->n_kept < r->cap_kept)
        return &r->kept[r->n_kept++];
    struct ht_kept_node *oldest = r->kept;
    for (uint32_t i = 1; i < r->cap_kept; i++)
        if (r->kept[i].used_at < oldest->used_at)
            oldest = &r->kept[i];
    r->places[oldest->node.number] = 0;
    return oldest;
}

static enum bo_status get_kept(struct ht_reader *r, uint32_t number, struct ht_kept_node **kept_ret,
                               struct bo_error *err)
{
    if (r->places[number]) {
        *kept_ret = &r->kept[r->places[number] - 1];
    } else {
        struct ht_kept_node *kept = free_place(r);
        const enum bo_status status =
            ht_get_node(&r->file, number, &kept->node, kept->children, kept->intervals, err);
        if (status) {
            kept->node.number = number; /* which no place leads to */
            kept->used_at = 0;
            return status;
        }
        r->places[number] = (uint16_t)(kept - r->kept + 1);
        *kept_ret = kept;
    }
    (*kept_ret)->used_at = ++r->n_uses;
    return BO_OK;
}

/* ---- walking --------------------------------------------------------------------------------- */

void ht_walk_begin(struct ht_reader *r, struct ht_walk *walk)
{
    const struct ht_file *file = &r->file;
    r->stack[0] = (struct ht_visit){HT_NO_PARENT,
                                    {.number = file->root, .start = file->start, .end = file->end}};
    walk->n_stacked = 1;
}

static bool is_wanted(const struct ht_walk *walk, const struct ht_child *child)
{
    return child->start <= walk->to && child->end >= walk->from &&
           child->min_quark <= walk->max_quark && child->max_quark >= walk->min_quark;
}

/* The last child first, so that the first one is on top. */
static enum bo_status stack_children(struct ht_reader *r, struct ht_walk *walk,
                                     const struct ht_kept_node *kept, struct bo_error *err)
{
    for (uint32_t i = kept->node.n_children; i-- > 0;) {
        const struct ht_child *child = &kept->children[i];
        if (!is_wanted(walk, child))
            continue;
        if (walk->n_stacked == r->file.n_nodes)
            return bo_fail(err, BO_CORRUPT,
                           ht_node_off(&r->file, kept->node.number) + HT_NODE_HEADER_NBYTES,
                           "nodes have more children than there are nodes");
        r->stack[walk->n_stacked++] = (struct ht_visit){kept->node.number, *child};
    }
    return BO_OK;
}

/*
 * A node is visited from its parent only. The root has none, and no node has two children of one
 * number: so no walk is endless.
 */
enum bo_status ht_walk_next(struct ht_reader *r, struct ht_walk *walk,
                            const struct ht_kept_node **node_ret, struct bo_error *err)
{
    struct ht_kept_node *kept;
    *node_ret = NULL;
    if (walk->n_stacked == 0)
        return BO_OK;
    const struct ht_visit visit = r->stack[--walk->n_stacked];
    const size_t off = ht_node_off(&r->file, visit.child.number);
    enum bo_status status = get_kept(r, visit.child.number, &kept, err);
    if (status)
        return status;
    if (kept->node.parent != visit.parent)
        return bo_fail(err, BO_CORRUPT, off + HT_PARENT_OFF,
                       "parent of a node is not the node that lists it");
    if (kept->node.start != visit.child.start)
        return bo_fail(err, BO_CORRUPT, off + HT_START_OFF,
                       "start of a node differs from its parent's");
    if (kept->node.end != visit.child.end)
        return bo_fail(err, BO_CORRUPT, off + HT_END_OFF,
                       "end of a node differs from its parent's");
    *node_ret = kept;
    return stack_children(r, walk, kept, err);
}

uint32_t ht_first_from(const struct ht_kept_node *node, int64_t time)
{
    uint32_t low = 0, high = node->node.n_intervals;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (node->intervals[middle].end < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
