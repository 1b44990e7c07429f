/* Growing a history tree, as Trace Compass does it. */
#include "codecs/statehist/ht/write.h"

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint32_t value_nbytes(const struct ht_item *item)
{
    switch (item->type) {
    case HT_NULL:
        return 0;
    case HT_INT:
        return 4;
    case HT_STRING:
        return 2 + (uint32_t)item->text.n + 1;
    default:
        return 8;
    }
}

uint32_t ht_item_nbytes(const struct ht_item *item, int64_t node_start)
{
    return ht_varint_nbytes((uint64_t)item->start - (uint64_t)node_start) +
           ht_varint_nbytes((uint64_t)item->end - (uint64_t)item->start) + 4 + 1 +
           value_nbytes(item);
}

static uint32_t free_nbytes(const struct ht_tree *tree, const struct ht_open_node *node)
{
    return tree->config.block_nbytes - node->header_nbytes - node->intervals_nbytes;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Allocates the memory of a level's node, which all nodes of this level use in turn. */
static bool make_level(struct ht_tree *tree, struct ht_open_node *level, bool is_core)
{
    const uint32_t room = tree->config.block_nbytes - HT_NODE_HEADER_NBYTES;
    *level = (struct ht_open_node){.is_core = is_core};
    if (is_core) {
        level->children =
            bo_alloc_array(tree->arena, tree->config.max_children, sizeof *level->children);
        if (!level->children)
            return false;
    }
    if (!tree->out)
        return true;
    level->bytes = bo_alloc(tree->arena, room);
    level->entries =
        bo_alloc_array(tree->arena, room / HT_MIN_INTERVAL_NBYTES, sizeof *level->entries);
    return level->bytes && level->entries;
}

/* A new node on this level; its block lies after those before it. */
static void start_node(struct ht_tree *tree, struct ht_open_node *level, uint32_t parent,
                       int64_t start)
{
    level->start = start;
    level->min_quark = HT_NONE_MIN_QUARK;
    level->max_quark = HT_NONE_MAX_QUARK;
    level->number = tree->n_nodes++;
    level->parent = parent;
    level->n_children = level->n_intervals = level->intervals_nbytes = 0;
    level->header_nbytes = HT_NODE_HEADER_NBYTES;
    if (level->is_core)
        level->header_nbytes += (uint32_t)ht_fixed_core_nbytes(&tree->config) +
                                tree->config.max_children * (ht_varint_nbytes(HT_NO_CHILD_START) +
                                                             ht_varint_nbytes(HT_NO_CHILD_END));
    if (tree->out) {
        bo_mark(tree->out, level->is_core ? "core nodes" : "leaf nodes");
        bo_put_zeros(tree->out, tree->config.block_nbytes);
    }
}

static void link_child(struct ht_open_node *parent, const struct ht_open_node *child)
{
    parent->children[parent->n_children++] = (struct ht_child){
        child->number, child->start, HT_NO_CHILD_END, HT_NO_CHILD_MIN_QUARK, HT_NO_CHILD_MAX_QUARK};
    parent->header_nbytes -= ht_varint_nbytes(HT_NO_CHILD_START);
    parent->header_nbytes += ht_varint_nbytes((uint64_t)child->start);
}

/* Records in a parent the time and quark ranges of its last child, which is closed. */
static void close_child(struct ht_open_node *parent, const struct ht_open_node *child)
{
    struct ht_child *place = &parent->children[parent->n_children - 1];
    place->end = child->end;
    place->min_quark = child->min_quark;
    place->max_quark = child->max_quark;
    for (uint32_t i = 0; i < child->n_children; i++) {
        if (child->children[i].min_quark < place->min_quark)
            place->min_quark = child->children[i].min_quark;
        if (child->children[i].max_quark > place->max_quark)
            place->max_quark = child->children[i].max_quark;
    }
    parent->header_nbytes -= ht_varint_nbytes(HT_NO_CHILD_END);
    parent->header_nbytes += ht_varint_nbytes((uint64_t)child->end);
}

/* ---- writing a node -------------------------------------------------------------------------- */

static uint8_t *set_children(const struct ht_tree *tree, const struct ht_open_node *node,
                             uint8_t *p)
{
    static const struct ht_child none = {0, HT_NO_CHILD_START, HT_NO_CHILD_END,
                                         HT_NO_CHILD_MIN_QUARK, HT_NO_CHILD_MAX_QUARK};
    const uint32_t max = tree->config.max_children, n = node->n_children;
    bo_set_le32(p, n);
    p += 4;
    for (uint32_t i = 0; i < max; i++, p += 4)
        bo_set_le32(p, (i < n ? &node->children[i] : &none)->number);
    for (uint32_t i = 0; i < max; i++)
        p = ht_set_varint(p, (uint64_t)(i < n ? &node->children[i] : &none)->start);
    for (uint32_t i = 0; i < max; i++)
        p = ht_set_varint(p, (uint64_t)(i < n ? &node->children[i] : &none)->end);
    for (uint32_t i = 0; i < max; i++, p += 4)
        bo_set_le32(p, (uint32_t)(i < n ? &node->children[i] : &none)->min_quark);
    for (uint32_t i = 0; i < max; i++, p += 4)
        bo_set_le32(p, (uint32_t)(i < n ? &node->children[i] : &none)->max_quark);
    return p;
}

/* The node's block has been appended before, filled with zeros. */
static void write_node(const struct ht_tree *tree, const struct ht_open_node *node)
{
    if (!tree->out || tree->out->status)
        return;
    const uint64_t off = ht_block_off(&tree->config, node->number);
    uint8_t *p = tree->out->p + tree->off + (size_t)off;
    p[HT_TYPE_OFF] = node->is_core ? HT_CORE : HT_LEAF;
    bo_set_le64(p + HT_START_OFF, (uint64_t)node->start);
    bo_set_le64(p + HT_END_OFF, (uint64_t)node->end);
    bo_set_le32(p + HT_MIN_QUARK_OFF, (uint32_t)node->min_quark);
    bo_set_le32(p + HT_MAX_QUARK_OFF, (uint32_t)node->max_quark);
    bo_set_le32(p + HT_NUMBER_OFF, node->number);
    bo_set_le32(p + HT_PARENT_OFF, node->parent);
    bo_set_le32(p + HT_N_INTERVALS_OFF, node->n_intervals);
    p += HT_NODE_HEADER_NBYTES;
    if (node->is_core)
        p = set_children(tree, node, p);
    for (uint32_t i = 0; i < node->n_intervals; i++) {
        memcpy(p, node->bytes + node->entries[i].off, node->entries[i].nbytes);
        p += node->entries[i].nbytes;
    }
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Closes the branch from the leaf up to a level. */
static void close_branch(struct ht_tree *tree, uint32_t level)
{
    for (uint32_t i = tree->n_levels; i-- > level;) {
        tree->branch[i].end = tree->end;
        write_node(tree, &tree->branch[i]);
        if (i > 0)
            close_child(&tree->branch[i - 1], &tree->branch[i]);
    }
}

/* New nodes from a level down to the leaf. */
static void start_branch(struct ht_tree *tree, uint32_t level, int64_t start)
{
    for (uint32_t i = level; i < tree->n_levels; i++) {
        start_node(tree, &tree->branch[i], tree->branch[i - 1].number, start);
        link_child(&tree->branch[i - 1], &tree->branch[i]);
    }
}

/* The old root becomes the first child of a new one, which starts with the history. */
static enum bo_status add_root(struct ht_tree *tree, int64_t start, struct bo_error *err)
{
    struct ht_open_node root, old;
    if (!bo_grow(tree->arena, &tree->branch, tree->n_levels, 1, &tree->cap_levels) ||
        !make_level(tree, &root, true))
        return bo_fail_alloc(err, tree->arena);
    start_node(tree, &root, HT_NO_PARENT, tree->start);
    tree->branch[0].parent = root.number;
    close_branch(tree, 0);
    old = tree->branch[0];
    link_child(&root, &old);
    close_child(&root, &old);
    memmove(tree->branch + 1, tree->branch, tree->n_levels * sizeof *tree->branch);
    tree->branch[0] = root;
    tree->n_levels++;
    start_branch(tree, 1, start);
    return BO_OK;
}

/* The nearest level, from this one up, at which a sibling can be added; 0: none. */
static uint32_t find_sibling(const struct ht_tree *tree, uint32_t level, int64_t start)
{
    while (level > 0 && (tree->branch[level - 1].n_children == tree->config.max_children ||
                         tree->branch[level - 1].start > start))
        level--;
    return level;
}

static enum bo_status add_sibling(struct ht_tree *tree, uint32_t level, int64_t start,
                                  struct bo_error *err)
{
    level = find_sibling(tree, level, start);
    if (level == 0)
        return add_root(tree, start, err);
    close_branch(tree, level);
    start_branch(tree, level, start);
    return BO_OK;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* The item's level; or, when a node that is tried has no room (false), the level of that node. */
static bool find_level(const struct ht_tree *tree, const struct ht_item *item, uint32_t *level_ret)
{
    for (uint32_t level = tree->n_levels; level-- > 0;) {
        const struct ht_open_node *node = &tree->branch[level];
        const bool has_room = ht_item_nbytes(item, node->start) <= free_nbytes(tree, node);
        *level_ret = level;
        if (!has_room || item->start >= node->start)
            return has_room;
    }
    return false;
}

uint32_t ht_level_for(const struct ht_tree *tree, const struct ht_item *item)
{
    uint32_t level;
    return find_level(tree, item, &level) ? level : tree->n_levels;
}

uint32_t ht_growth_for(const struct ht_tree *tree, const struct ht_item *item)
{
    uint32_t level;
    if (find_level(tree, item, &level))
        return 0;
    level = find_sibling(tree, level, item->start);
    return level ? tree->n_levels - level : tree->n_levels + 1;
}

static void set_item(uint8_t *p, const struct ht_item *item, int64_t node_start)
{
    p = ht_set_varint(p, (uint64_t)item->start - (uint64_t)node_start);
    p = ht_set_varint(p, (uint64_t)item->end - (uint64_t)item->start);
    bo_set_le32(p, item->quark);
    p[4] = item->type;
    p += 5;
    if (item->type == HT_INT) {
        bo_set_le32(p, (uint32_t)item->bits);
    } else if (item->type == HT_LONG || item->type == HT_DOUBLE) {
        bo_set_le64(p, item->bits);
    } else if (item->type == HT_STRING) {
        bo_set_le16(p, (uint16_t)item->text.n);
        if (item->text.n)
            memcpy(p + 2, item->text.p, item->text.n);
        p[2 + item->text.n] = 0;
    }
}

/* By end, then start, then quark. */
static bool comes_before(const struct ht_entry *a, const struct ht_item *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    if (a->start != b->start)
        return a->start < b->start;
    return a->quark < b->quark;
}

static void add_entry(struct ht_open_node *node, const struct ht_item *item, uint32_t nbytes)
{
    uint32_t low = 0, high = node->n_intervals;
    if (high > 0 && comes_before(&node->entries[high - 1], item))
        low = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (comes_before(&node->entries[middle], item))
            low = middle + 1;
        else
            high = middle;
    }
    struct ht_entry *place = node->entries + low;
    memmove(place + 1, place, (node->n_intervals - low) * sizeof *place);
    *place = (struct ht_entry){item->start, item->end, item->quark, node->intervals_nbytes, nbytes};
    set_item(node->bytes + node->intervals_nbytes, item, node->start);
}

enum bo_status ht_insert(struct ht_tree *tree, const struct ht_item *item, struct bo_error *err)
{
    uint32_t level;
    enum bo_status status;
    while (!find_level(tree, item, &level))
        if ((status = add_sibling(tree, level, item->start, err)))
            return status;
    struct ht_open_node *node = &tree->branch[level];
    const uint32_t nbytes = ht_item_nbytes(item, node->start);
    if (tree->out)
        add_entry(node, item, nbytes);
    node->n_intervals++;
    node->intervals_nbytes += nbytes;
    if ((int32_t)item->quark < node->min_quark)
        node->min_quark = (int32_t)item->quark;
    if ((int32_t)item->quark > node->max_quark)
        node->max_quark = (int32_t)item->quark;
    if (item->end > tree->end)
        tree->end = item->end;
    return BO_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum bo_status ht_begin(struct ht_tree *tree, const struct ht_config *config, int64_t start,
                        struct bo_writer *out, struct bo_arena *arena, struct bo_error *err)
{
    *tree = (struct ht_tree){
        .config = *config, .out = out, .arena = arena, .start = start, .end = start};
    if (!bo_grow(arena, &tree->branch, 0, 1, &tree->cap_levels) ||
        !make_level(tree, tree->branch, false))
        return bo_fail_alloc(err, arena);
    tree->n_levels = 1;
    if (out) {
        tree->off = out->n;
        bo_mark(out, "header");
        bo_put_zeros(out, HT_HEADER_NBYTES);
    }
    start_node(tree, tree->branch, HT_NO_PARENT, start);
    return BO_OK;
}

void ht_finish(struct ht_tree *tree, int64_t end)
{
    tree->end = end;
    close_branch(tree, 0);
    if (!tree->out || tree->out->status)
        return;
    uint8_t *p = tree->out->p + tree->off;
    bo_set_le32(p, HT_MAGIC);
    bo_set_le32(p + 4, HT_VERSION);
    bo_set_le32(p + 8, HT_PROVIDER_VERSION);
    bo_set_le32(p + 12, tree->config.block_nbytes);
    bo_set_le32(p + 16, tree->config.max_children);
    bo_set_le32(p + 20, tree->n_nodes);
    bo_set_le32(p + 24, tree->branch[0].number);
    bo_set_le64(p + 28, (uint64_t)tree->start);
}
