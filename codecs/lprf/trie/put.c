/* Writes a trie; its layout is in trie.c. */
#include "codecs/lprf/trie/trie.h"

/* A finished subtree. Where it starts counts backwards, from the index's end. */
struct child {
    uint64_t start;
    uint8_t byte; /* the first one of its names below the parent */
    bool leaf;
};

/* An inner node whose children are being finished, the last one first. */
struct open_node {
    size_t depth;       /* bytes of the names above its children */
    size_t first_child; /* of its children so far, on the stack; the last one of the node */
    uint32_t link;      /* 1 + the place in `order` of its own name's first function; 0 without */
};

/*
 * The trie is written from its end to its start, because a node stores offsets of its children,
 * which follow it. With p NULL, nothing is written and only `off` and the sections are counted.
 */
struct builder {
    const struct lprf_model *model;
    const uint32_t *order; /* the functions in alphabetical order */
    uint32_t *at;          /* where each function's place is written, from the index's start */
    unsigned width;
    uint8_t *p;    /* the index */
    uint64_t size; /* its bytes; known once counted */
    uint64_t off;  /* bytes written so far, from the end on */
    struct lprf_index_nbytes nbytes;
    struct child *children;
    size_t n_children, cap_children;
    struct open_node *nodes;
    size_t n_nodes, cap_nodes;
    struct bo_arena *arena;
};

static struct bo_span name_of(const struct builder *b, size_t i)
{
    return b->model->functions[b->order[i]].name;
}

static void put_before(struct builder *b, const uint8_t *p, size_t n)
{
    b->off += n;
    if (b->p && n)
        memcpy(b->p + (b->size - b->off), p, n);
}

static void put_uint_before(struct builder *b, uint64_t v, unsigned width)
{
    uint8_t bytes[8];
    lprf_set_uint(bytes, v, width);
    put_before(b, bytes, width);
}

/* Puts the places of the name that starts at order[i]. */
static void put_places_before(struct builder *b, size_t i)
{
    size_t end = i + 1;
    while (end < b->model->n_functions && bo_span_equal(name_of(b, i), name_of(b, end)))
        end++;
    for (size_t k = end; k-- > i;) {
        put_uint_before(b, k + 1 < end, b->width);
        b->nbytes.places += b->width;
        if (b->p)
            b->at[b->order[k]] = (uint32_t)(b->size - b->off);
    }
}

/* Puts the bytes [from, to) of a name. */
static void put_label_before(struct builder *b, struct bo_span name, size_t from, size_t to)
{
    put_before(b, name.p + from, to - from);
    b->nbytes.names += to - from;
}

/*
 * Which byte leads to each child, and where each but the last ends, from `first_start` on. On the
 * stack the last child comes first.
 */
static void put_child_table_before(struct builder *b, const struct child *children, size_t n,
                                   uint64_t first_start, unsigned width)
{
    for (size_t i = 0; i + 1 < n; i++)
        put_uint_before(b, first_start - children[i].start, width);
    for (size_t i = 0; i < n; i++)
        put_before(b, &children[i].byte, 1);
    b->nbytes.names += n;
}

/* How many children there are, and which are leaves. */
static void put_count_before(struct builder *b, const struct child *children, size_t n)
{
    uint8_t bits[32] = {0};
    for (size_t i = 0; i < n; i++)
        bits[i / 8] |= (uint8_t)(children[n - 1 - i].leaf << i % 8);
    if (n < TRIE_MANY_CHILDREN) {
        put_uint_before(b, (n - 1) | (uint64_t)bits[0] << 3, 1);
        return;
    }
    put_before(b, bits, (n + 7) / 8);
    put_uint_before(b, n - 1, 1);
    put_uint_before(b, TRIE_MANY_CODE, 1);
}

static void put_head_before(struct builder *b, size_t label_n, unsigned ends_width, bool places)
{
    const size_t short_n = label_n < TRIE_LONG_LABEL ? label_n : TRIE_LONG_LABEL;
    if (short_n == TRIE_LONG_LABEL) {
        uint8_t varint[10];
        put_before(b, varint, lprf_set_varint(varint, label_n - TRIE_LONG_LABEL));
    }
    put_uint_before(b, (places ? TRIE_HAS_PLACES : 0) | (ends_width - 1) << 1 | short_n << 3, 1);
}

/*
 * Finishes the innermost open node: writes the part before its children. `name` is a name below the
 * node, and the label starts at byte `from` of it. False when a field of the node is too small for
 * it.
 */
static bool close_node(struct builder *b, struct bo_span name, size_t from)
{
    const struct open_node *node = &b->nodes[--b->n_nodes];
    const struct child *children = &b->children[node->first_child];
    const size_t n = b->n_children - node->first_child;
    const uint64_t first_start = b->off;
    const unsigned width = lprf_width(first_start - children[0].start);
    if (width > 4)
        return false;
    if (node->link)
        put_places_before(b, node->link - 1);
    put_child_table_before(b, children, n, first_start, width);
    put_label_before(b, name, from, node->depth);
    put_count_before(b, children, n);
    put_head_before(b, node->depth - from, width, node->link != 0);
    b->n_children = node->first_child;
    return true;
}

static bool open_node(struct builder *b, size_t depth)
{
    if (!bo_grow(b->arena, &b->nodes, b->n_nodes, 1, &b->cap_nodes))
        return false;
    b->nodes[b->n_nodes++] = (struct open_node){.depth = depth, .first_child = b->n_children};
    return true;
}

static bool add_child(struct builder *b, uint8_t byte, bool leaf)
{
    if (!bo_grow(b->arena, &b->children, b->n_children, 1, &b->cap_children))
        return false;
    b->children[b->n_children++] = (struct child){.start = b->off, .byte = byte, .leaf = leaf};
    return true;
}

/* The depth of the innermost open node's children; -1 without one. */
static ptrdiff_t open_depth(const struct builder *b)
{
    return b->n_nodes ? (ptrdiff_t)b->nodes[b->n_nodes - 1].depth : -1;
}

static ptrdiff_t deeper(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/*
 * Adds the subtree that has just been put to its parent, which is open or is opened now: the
 * deepest node that `name` shares with a neighbour, `depth` bytes deep.
 */
static enum bo_status hang(struct builder *b, struct bo_span name, ptrdiff_t depth, bool leaf,
                           struct bo_error *err)
{
    if (depth < 0)
        return BO_OK; /* the root */
    if (open_depth(b) < depth && !open_node(b, (size_t)depth))
        return bo_fail_alloc(err, b->arena);
    return add_child(b, name.p[depth], leaf) ? BO_OK : bo_fail_alloc(err, b->arena);
}

/*
 * Puts the name that starts at order[i], and every node that ends with it: those deeper than
 * `left`, the bytes that it shares with the name before; -1 for the first name.
 */
static enum bo_status put_name_before(struct builder *b, size_t i, ptrdiff_t left,
                                      struct bo_error *err)
{
    const struct bo_span name = name_of(b, i);
    enum bo_status status = BO_OK;
    if (open_depth(b) == (ptrdiff_t)name.n) {
        b->nodes[b->n_nodes - 1].link = (uint32_t)i + 1; /* a prefix of the name after it */
    } else {
        const ptrdiff_t depth = deeper(left, open_depth(b));
        put_label_before(b, name, (size_t)(depth + 1), name.n);
        put_places_before(b, i);
        status = hang(b, name, depth, true, err);
    }
    while (!status && b->n_nodes && open_depth(b) > left) {
        const ptrdiff_t outer = b->n_nodes > 1 ? (ptrdiff_t)b->nodes[b->n_nodes - 2].depth : -1;
        const ptrdiff_t depth = deeper(left, outer);
        if (!close_node(b, name, (size_t)(depth + 1)))
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "trie of 4 GiB or more");
        status = hang(b, name, depth, false, err);
    }
    return status;
}

/* Puts all names, the last one first. */
static enum bo_status put_names(struct builder *b, struct bo_error *err)
{
    b->off = 0;
    for (size_t end = b->model->n_functions; end > 0;) {
        size_t i = end - 1;
        while (i > 0 && bo_span_equal(name_of(b, i - 1), name_of(b, i)))
            i--;
        const ptrdiff_t left =
            i ? (ptrdiff_t)bo_common_prefix(name_of(b, i - 1), name_of(b, i)) : -1;
        const enum bo_status status = put_name_before(b, i, left, err);
        if (status)
            return status;
        end = i;
    }
    return BO_OK;
}

static bool root_is_leaf(const struct builder *b)
{
    const size_t n = b->model->n_functions;
    return bo_span_equal(name_of(b, 0), name_of(b, n - 1));
}

/* The order of the functions, and after it an array of the same length for offsets of places. */
static enum bo_status make_builder(struct builder *b, struct lprf_writer *w, struct bo_error *err)
{
    uint32_t *order = lprf_sort_functions(w->model, w->out->arena);
    *b = (struct builder){.model = w->model, .order = order, .arena = w->out->arena};
    if (!order)
        return bo_fail_alloc(err, w->out->arena);
    b->at = order + w->model->n_functions;
    return lprf_place_width(w, &b->width, err);
}

enum bo_status lprf_put_trie(struct lprf_writer *w, struct bo_error *err)
{
    struct builder b;
    size_t start;
    enum bo_status status = make_builder(&b, w, err);
    if (status || (status = put_names(&b, err)))
        return status;
    b.size = 1 + b.off;
    struct lprf_index_nbytes nbytes = b.nbytes;
    nbytes.tables = b.size - nbytes.names - nbytes.places;
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    b.p = w->out->p + start;
    if ((status = put_names(&b, err)))
        return status;
    if (w->model->n_functions)
        b.p[0] = (uint8_t)(b.width + (root_is_leaf(&b) ? TRIE_ROOT_IS_LEAF : 0));
    lprf_fill_places(w, start, b.at, b.width);
    lprf_end_index(w);
    return lprf_end(w, err);
}
