/* Decoding a history tree: every node, and what must hold between nodes. */
#include "codecs/statehist/ht/order.h"
#include "codecs/statehist/ht/reader.h"
#include "codecs/statehist/model.h"

/* What the walk over all nodes collects. */
struct gathering {
    struct ht_reader *r;
    struct bo_arena *arena;
    struct bo_error *err;
    struct ht_interval *intervals;
    uint32_t *nodes; /* by interval: the node that it lies in */
    size_t n, cap, cap_nodes;
    bool *is_leaf;              /* by node */
    int64_t *starts, *ends;     /* by node */
    struct ht_child *in_parent; /* by node: its parent's record of it; unused for the root */
    struct ht_child *below;     /* by node: the bounds of its quarks and those of its children */
    bool *is_met;               /* by node */
    uint32_t n_met;
};

static enum bo_status make_gathering(struct gathering *g)
{
    const uint32_t n = g->r->file.n_nodes;
    g->is_leaf = bo_alloc_array(g->arena, n, sizeof *g->is_leaf);
    g->starts = bo_alloc_array(g->arena, n, sizeof *g->starts);
    g->ends = bo_alloc_array(g->arena, n, sizeof *g->ends);
    g->in_parent = bo_alloc_array(g->arena, n, sizeof *g->in_parent);
    g->below = bo_alloc_array(g->arena, n, sizeof *g->below);
    g->is_met = bo_zalloc_array(g->arena, n, sizeof *g->is_met);
    return g->is_leaf && g->starts && g->ends && g->in_parent && g->below && g->is_met
               ? BO_OK
               : bo_fail_alloc(g->err, g->arena);
}

/* Appends the node's intervals to those collected, with the node's number. */
static bool keep_intervals(struct gathering *g, const struct ht_kept_node *kept)
{
    const uint32_t n = kept->node.n_intervals;
    if (n == 0)
        return true;
    if (!bo_grow(g->arena, &g->intervals, g->n, n, &g->cap) ||
        !bo_grow(g->arena, &g->nodes, g->n, n, &g->cap_nodes))
        return false;
    memcpy(g->intervals + g->n, kept->intervals, n * sizeof *g->intervals);
    for (uint32_t i = 0; i < n; i++)
        g->nodes[g->n++] = kept->node.number;
    return true;
}

static enum bo_status gather_node(struct gathering *g, const struct ht_kept_node *kept)
{
    const struct ht_node *node = &kept->node;
    struct ht_child *below = &g->below[node->number];
    *below = (struct ht_child){.min_quark = node->min_quark, .max_quark = node->max_quark};
    for (uint32_t i = 0; i < node->n_children; i++) {
        const struct ht_child *child = &kept->children[i];
        g->in_parent[child->number] = *child;
        below->min_quark =
            child->min_quark < below->min_quark ? child->min_quark : below->min_quark;
        below->max_quark =
            child->max_quark > below->max_quark ? child->max_quark : below->max_quark;
    }
    g->is_leaf[node->number] = !node->is_core;
    g->starts[node->number] = node->start;
    g->ends[node->number] = node->end;
    g->is_met[node->number] = true;
    g->n_met++;
    return keep_intervals(g, kept) ? BO_OK : bo_fail_alloc(g->err, g->arena);
}

/* Every node hangs below the root, and parents know what is below their children. */
static enum bo_status check_nodes(const struct gathering *g)
{
    const struct ht_file *file = &g->r->file;
    for (uint32_t i = 0; i < file->n_nodes; i++) {
        const size_t off = ht_node_off(file, i);
        if (!g->is_met[i])
            return bo_fail(g->err, BO_CORRUPT, off, "node is not a descendant of the root");
        if (i != file->root && (g->in_parent[i].min_quark != g->below[i].min_quark ||
                                g->in_parent[i].max_quark != g->below[i].max_quark))
            return bo_fail(g->err, BO_CORRUPT, off + HT_MIN_QUARK_OFF,
                           "parent has other bounds of the node's quarks");
    }
    return BO_OK;
}

static enum bo_status gather(struct gathering *g)
{
    struct ht_walk walk = HT_WALK_ALL;
    const struct ht_kept_node *node;
    enum bo_status status = make_gathering(g);
    ht_walk_begin(g->r, &walk);
    while (!status && !(status = ht_walk_next(g->r, &walk, &node, g->err)) && node)
        status = gather_node(g, node);
    return status ? status : check_nodes(g);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Where the i-th collected interval is in the file. */
static size_t interval_off(const struct gathering *g, size_t i)
{
    const uint32_t node = g->nodes[i];
    uint32_t place = 0;
    while (place < i && g->nodes[i - place - 1] == node)
        place++;
    return ht_interval_off(&g->r->file, node, place, g->r->kept[0].children,
                           g->r->kept[0].intervals);
}

static bool add_interval(const struct gathering *g, uint32_t i, struct statehist_builder *builder)
{
    const struct ht_interval *from = &g->intervals[i];
    struct statehist_interval to = {from->start, from->end, from->value, from->quark, from->type};
    if (from->type == STATEHIST_STRING) {
        uint32_t number;
        if (!statehist_add_string(builder, ht_text(&g->r->file, from), &number))
            return false;
        to.value = number;
    }
    return statehist_add_interval(builder, &to);
}

static enum bo_status build(const struct gathering *g, void **model_ret)
{
    const struct ht_file *file = &g->r->file;
    const struct ht_placed placed = {g->n, g->intervals, g->nodes, g->is_leaf, g->starts, g->ends};
    struct statehist_builder builder;
    struct statehist_model *model;
    struct statehist_flaw flaw;
    const uint32_t *order = ht_order_of_closing(file, &placed, g->arena);
    if (!order || !statehist_builder_init(&builder, false, g->arena) ||
        !statehist_reserve(&builder, file->n_quarks, g->n))
        return bo_fail_alloc(g->err, g->arena);
    for (uint32_t q = 0; q < file->n_quarks; q++)
        if (!statehist_add_attribute(&builder, file->attributes[q].name,
                                     file->attributes[q].parent))
            return bo_fail_alloc(g->err, g->arena);
    for (size_t i = 0; i < g->n; i++)
        if (!add_interval(g, order[i], &builder))
            return bo_fail_alloc(g->err, g->arena);
    const enum bo_status status = statehist_finish(&builder, file->start, file->end, &model, &flaw);
    *model_ret = model;
    if (!status)
        return BO_OK;
    const bool has_interval = status == BO_CORRUPT && flaw.interval != SIZE_MAX;
    return statehist_fail(g->err, status,
                          has_interval ? interval_off(g, order[flaw.interval])
                                       : ht_node_off(file, file->root),
                          &flaw, g->arena);
}

enum bo_status ht_decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                         void **model_ret, struct bo_error *err)
{
    void *reader;
    enum bo_status status = ht_open(self, in, arena, &reader, err);
    if (status)
        return status;
    struct gathering g = {.r = reader, .arena = arena, .err = err};
    status = gather(&g);
    return status ? status : build(&g, model_ret);
}
