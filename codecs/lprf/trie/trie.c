/*
 * trie: a radix trie with compressed paths, written node before children, in alphabetical order.
 *
 *   24  u8  0 for no functions, and then nothing else; else the width of places (index.h), plus 16
 *           when the root is a leaf
 *   25  the root, up to the index's end
 *
 * A node's parent (for the root, the byte at 24) defines where the node ends and whether it is a
 * leaf. A leaf is the end of one name:
 *
 *   places of its records
 *   the rest of the name, up to the leaf's end
 *
 * An inner node has children, and is a name's end too when it has places:
 *
 *   u8  bit 0: it has places; bits 1-2: width of child ends, less 1; bits 3-7: bytes of the label,
 *       31 for 31 or more, and then
 *       varint  bytes of the label, less 31
 *   u8  bits 0-2: children, less 1, up to 4; bits 3-7: for each, from bit 3 on, 1 when it is a
 *       leaf; or 7 for six or more children (bits 3-7 are 0), and then
 *       u8  children, less 1
 *       the leaf bits, least significant first, padded with zeros to whole bytes
 *   the label: the part of the name that all below have in common
 *   u8  for each child the byte that comes next in the name, ascending
 *   for each child but the last where it ends, in bytes from the first child's start
 *   places of the records
 *   the children, in that order
 *
 * An inner node has at least two children, or one child and places. The last child ends where the
 * node does.
 */
#include "codecs/lprf/trie/trie.h"

enum {
    ROOT_OFF = LPRF_HEADER_NBYTES + 1,
    INNER_NBYTES = 3 /* of an inner node at least: head, count, a child's byte */
};

struct index {
    size_t root_end;
    unsigned width;
    bool empty, root_is_leaf;
};

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    return lprf_put_trie(w, err);
}

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const size_t end = file->end_of_index;
    if (end < ROOT_OFF)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    const uint8_t kind = file->in.p[LPRF_HEADER_NBYTES];
    index->root_end = end;
    index->empty = kind == 0;
    index->root_is_leaf = kind & TRIE_ROOT_IS_LEAF;
    index->width = index->empty ? 1 : kind & ~TRIE_ROOT_IS_LEAF; /* of nothing: the least */
    if (!index->empty && (index->width < 1 || index->width > 8))
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "width of places is not 1 to 8");
    if (index->empty && end > ROOT_OFF)
        return bo_fail(err, BO_CORRUPT, ROOT_OFF, "bytes after the root of an empty trie");
    if (!index->empty && end - ROOT_OFF < (index->root_is_leaf ? index->width : INNER_NBYTES))
        return bo_fail(err, BO_TRUNCATED, ROOT_OFF, "index ends inside its root");
    return BO_OK;
}

/* The bytes of the file that belong to a node. */
struct extent {
    size_t off, end;
    bool leaf;
};

/* The parts of an inner node, all inside its extent. The children's ends are not checked. */
struct node {
    const uint8_t *label, *bytes, *ends, *leaf_bits;
    size_t label_n, n_children;
    unsigned ends_width, leaf_shift;
    size_t places_off;   /* 0: it is not a name */
    size_t children_off; /* after the ends: before the places, until skip_node_places */
    size_t end;
};

static inline enum bo_status fail_node(struct bo_error *err, size_t off)
{
    return bo_fail(err, BO_TRUNCATED, off, "node runs past its end");
}

static inline struct extent root_of(const struct index *index)
{
    return (struct extent){ROOT_OFF, index->root_end, index->root_is_leaf};
}

/* Reads how many children a node has, after its head; moves *at to the label. */
static inline bool read_count(const struct lprf_file *file, size_t *at, size_t end,
                              struct node *node)
{
    const uint8_t *p = file->in.p + *at;
    const unsigned code = p[0] & 7;
    node->n_children = code + 1u;
    node->leaf_bits = p;
    node->leaf_shift = 3;
    *at += 1;
    if (__builtin_expect(code < TRIE_MANY_CHILDREN - 1, 1))
        return true;
    if (p[0] != TRIE_MANY_CODE || *at == end || p[1] + 1 < TRIE_MANY_CHILDREN)
        return false;
    node->n_children = p[1] + 1u;
    node->leaf_bits = p + 2;
    node->leaf_shift = 0;
    *at += 1 + (node->n_children + 7) / 8;
    return *at <= end;
}

/* Reads the head of the inner node in an extent of at least INNER_NBYTES. */
static inline enum bo_status read_node(const struct lprf_file *file, struct extent extent,
                                       struct node *node, struct bo_error *err)
{
    const uint8_t head = file->in.p[extent.off];
    size_t at = extent.off + 1;
    uint64_t label_n = head >> 3;
    if (__builtin_expect(label_n == TRIE_LONG_LABEL, 0)) {
        const enum bo_status status = lprf_index_varint(file, &at, extent.end - 1, &label_n, err);
        if (status)
            return status;
        if (label_n > extent.end - at)
            return fail_node(err, extent.off);
        label_n += TRIE_LONG_LABEL;
    }
    const size_t count_off = at;
    if (!read_count(file, &at, extent.end, node))
        return bo_fail(err, BO_CORRUPT, count_off, "number of children is out of range");
    node->ends_width = (head >> 1 & 3) + 1;
    const size_t n_ends = (node->n_children - 1) * node->ends_width;
    if (label_n + node->n_children + n_ends > extent.end - at)
        return fail_node(err, extent.off);
    node->label_n = (size_t)label_n;
    node->label = file->in.p + at;
    node->bytes = node->label + node->label_n;
    node->ends = node->bytes + node->n_children;
    node->children_off = at + node->label_n + node->n_children + n_ends;
    node->places_off = head & TRIE_HAS_PLACES ? node->children_off : 0;
    node->end = extent.end;
    return BO_OK;
}

/* Moves node->children_off past the places, if there are any. */
static inline enum bo_status skip_node_places(const struct lprf_file *file, unsigned width,
                                              struct node *node, struct bo_error *err)
{
    if (!node->places_off)
        return BO_OK;
    return lprf_skip_places(file, &node->children_off, node->end, width, err);
}

static inline bool is_leaf(const struct node *node, size_t i)
{
    return node->leaf_bits[(i + node->leaf_shift) / 8] >> (i + node->leaf_shift) % 8 & 1;
}

static inline uint32_t read_end(const struct node *node, size_t i)
{
    const uint8_t *p = node->ends + i * node->ends_width;
    switch (node->ends_width) {
    case 1:
        return *p;
    case 2:
        return bo_le16(p);
    default:
        return (uint32_t)lprf_uint(p, node->ends_width);
    }
}

/* The number of the child to which the byte leads, or n_children. */
static inline size_t child_of(const struct node *node, uint8_t byte)
{
    size_t i = 0;
    while (i < node->n_children && node->bytes[i] != byte)
        i++;
    return i;
}

/* The extent of child i, after the places, inside the node. */
static inline enum bo_status read_child(const struct lprf_file *file, const struct node *node,
                                        size_t i, struct extent *extent, struct bo_error *err)
{
    const size_t room = node->end - node->children_off;
    const size_t start = i ? read_end(node, i - 1) : 0;
    const size_t end = i + 1 < node->n_children ? read_end(node, i) : room;
    *extent =
        (struct extent){node->children_off + start, node->children_off + end, is_leaf(node, i)};
    if (end > room || start >= end || (!extent->leaf && end - start < INNER_NBYTES))
        return bo_fail(err, BO_CORRUPT,
                       node->n_children == 1 ? node->children_off
                                             : (uint64_t)(node->ends - file->in.p) +
                                                   (i ? i - 1 : 0) * node->ends_width,
                       "child is too short or runs past its node's end");
    return BO_OK;
}

/* Compares a leaf with what is left of a name. */
static inline enum bo_status find_in_leaf(const struct lprf_file *file, const struct index *index,
                                          struct extent leaf, const uint8_t *rest, size_t rest_n,
                                          struct lprf_match *match, struct bo_error *err)
{
    size_t label_off = leaf.off;
    const enum bo_status status = lprf_skip_places(file, &label_off, leaf.end, index->width, err);
    if (status || leaf.end - label_off != rest_n ||
        memcmp(file->in.p + label_off, rest, rest_n) != 0)
        return status;
    return lprf_match_place(file, leaf.off, leaf.end, index->width, match, err);
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    const uint8_t *rest = name.p;
    const uint8_t *const end = name.p + name.n;
    struct extent extent = root_of(index);
    match->off = match->next = 0;
    if (index->empty)
        return BO_OK;
    while (!extent.leaf) {
        struct node node;
        enum bo_status status = read_node(file, extent, &node, err);
        if (status)
            return status;
        if (node.label_n > (size_t)(end - rest) || memcmp(rest, node.label, node.label_n) != 0)
            return BO_OK;
        rest += node.label_n;
        if (rest == end)
            return node.places_off ? lprf_match_place(file, node.places_off, extent.end,
                                                      index->width, match, err)
                                   : BO_OK;
        const size_t i = child_of(&node, *rest++);
        if (i == node.n_children)
            return BO_OK;
        if ((status = skip_node_places(file, index->width, &node, err)) ||
            (status = read_child(file, &node, i, &extent, err)))
            return status;
    }
    return find_in_leaf(file, index, extent, rest, (size_t)(end - rest), match, err);
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/* ---- all names ------------------------------------------------------------------------------- */

/* An inner node on the path to the current place of a walk. */
struct level {
    size_t off, end, children_off;
    size_t next_child;
    size_t name_n; /* bytes of the name above its children */
};

/* A walk through the trie, in alphabetical order. */
struct walk {
    const struct lprf_file *file;
    const struct index *index;
    bool keep;
    lprf_visit *visit;
    void *context;
    struct lprf_name_buffer name;
    struct level *levels;
    size_t n_levels, cap_levels;
};

/* Visits the walk's name, whose places start at `off`. */
static enum bo_status visit_name(struct walk *walk, size_t off, size_t end, struct bo_error *err)
{
    struct bo_arena *arena = walk->file->arena;
    struct bo_span name = {walk->name.p, walk->name.n};
    if (name.n == 0)
        return bo_fail(err, BO_CORRUPT, off, "function without a name");
    if (walk->keep && !(name = lprf_keep_name(name, arena)).p)
        return bo_fail_alloc(err, arena);
    return lprf_visit_places(walk->file, off, end, walk->index->width, name, walk->visit,
                             walk->context, err);
}

/* Checks the fields that a lookup does not read. */
static enum bo_status check_node(const struct lprf_file *file, struct extent extent,
                                 const struct node *node, struct bo_error *err)
{
    const uint64_t bytes_off = (uint64_t)(node->bytes - file->in.p);
    if (node->n_children < 2 && !node->places_off)
        return bo_fail(err, BO_CORRUPT, extent.off, "node with one child ends no name");
    if (node->ends_width !=
        lprf_width(node->n_children < 2 ? 0 : read_end(node, node->n_children - 2)))
        return bo_fail(err, BO_CORRUPT, extent.off, "width of the ends is not the least");
    for (size_t i = 1; i < node->n_children; i++)
        if (node->bytes[i] <= node->bytes[i - 1])
            return bo_fail(err, BO_CORRUPT, bytes_off + i, "children do not ascend");
    for (size_t i = node->n_children; (i + node->leaf_shift) % 8; i++)
        if (is_leaf(node, i))
            return bo_fail(err, BO_CORRUPT,
                           (uint64_t)(node->leaf_bits - file->in.p) + (i + node->leaf_shift) / 8,
                           "leaf bits after the last child are not 0");
    return BO_OK;
}

/* Enters an inner node: visits its own name and moves to the start of its children. */
static enum bo_status enter(struct walk *walk, struct extent extent, struct bo_error *err)
{
    struct node node;
    if (!bo_grow(walk->file->arena, &walk->levels, walk->n_levels, 1, &walk->cap_levels))
        return bo_fail_alloc(err, walk->file->arena);
    enum bo_status status = read_node(walk->file, extent, &node, err);
    if (status || (status = check_node(walk->file, extent, &node, err)))
        return status;
    if (!lprf_change_name(&walk->name, walk->name.n, node.label, node.label_n))
        return bo_fail_alloc(err, walk->file->arena);
    if ((status = skip_node_places(walk->file, walk->index->width, &node, err)))
        return status;
    walk->levels[walk->n_levels++] =
        (struct level){extent.off, extent.end, node.children_off, 0, walk->name.n};
    return node.places_off ? visit_name(walk, node.places_off, extent.end, err) : BO_OK;
}

static enum bo_status visit_leaf(struct walk *walk, struct extent leaf, struct bo_error *err)
{
    size_t label_off = leaf.off;
    const enum bo_status status =
        lprf_skip_places(walk->file, &label_off, leaf.end, walk->index->width, err);
    if (status)
        return status;
    if (!lprf_change_name(&walk->name, walk->name.n, walk->file->in.p + label_off,
                          leaf.end - label_off))
        return bo_fail_alloc(err, walk->file->arena);
    return visit_name(walk, leaf.off, label_off, err);
}

/* Goes on to the next child of the innermost node, or out of it. */
static enum bo_status step(struct walk *walk, struct bo_error *err)
{
    struct level *level = &walk->levels[walk->n_levels - 1];
    struct extent child;
    struct node node;
    enum bo_status status =
        read_node(walk->file, (struct extent){level->off, level->end, false}, &node, err);
    if (status)
        return status;
    node.children_off = level->children_off;
    if (level->next_child == node.n_children) {
        walk->n_levels--;
        return BO_OK;
    }
    if ((status = read_child(walk->file, &node, level->next_child, &child, err)))
        return status;
    if (!lprf_change_name(&walk->name, level->name_n, &node.bytes[level->next_child++], 1))
        return bo_fail_alloc(err, walk->file->arena);
    return child.leaf ? visit_leaf(walk, child, err) : enter(walk, child, err);
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    struct walk walk = {.file = file,
                        .index = index,
                        .keep = keep,
                        .visit = visit,
                        .context = context,
                        .name = {.arena = file->arena}};
    const struct extent root = root_of(index);
    if (index->empty)
        return BO_OK;
    enum bo_status status = root.leaf ? visit_leaf(&walk, root, err) : enter(&walk, root, err);
    while (!status && walk.n_levels)
        status = step(&walk, err);
    return status;
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_ALPHABETICAL;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX trie
#define LPRF_INDEX_NAME "trie"
#define LPRF_INDEX_NUMBER 5
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_WIDTH_OFF (LPRF_HEADER_NBYTES)
#define LPRF_INDEX_SUMMARY "radix trie with compressed paths, alphabetical"
#include "codecs/lprf/cross.h"
