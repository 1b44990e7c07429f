/* History tree files as they lie in memory. */
#include "codecs/statehist/ht/read.h"

#include "harness/core/utf8.h"

/* ---- the header ------------------------------------------------------------------------------ */

static enum bo_status fail(struct bo_error *err, enum bo_status status, size_t off,
                           const char *what)
{
    return bo_fail(err, status, off, what);
}

/* Blocks that a real reader could have, and children that fit a block at their longest. */
static enum bo_status check_config(const struct ht_config *config, struct bo_error *err)
{
    enum { MIN_BLOCK_NBYTES = HT_HEADER_NBYTES, BLOCK_OFF = 12, CHILDREN_OFF = 16 };
    if (config->block_nbytes < MIN_BLOCK_NBYTES || config->block_nbytes > HT_MAX_BLOCK_NBYTES)
        return fail(err, BO_UNSUPPORTED, BLOCK_OFF, "blocks are not of 4096 to 2^24 bytes");
    const size_t room = config->block_nbytes - HT_NODE_HEADER_NBYTES - 4;
    if (config->max_children < 2 ||
        config->max_children > room / (4 + 2 * HT_MAX_VARINT_NBYTES + 8))
        return fail(err, BO_UNSUPPORTED, CHILDREN_OFF,
                    "maximum number of children is below 2 or exceeds a block");
    return BO_OK;
}

static enum bo_status get_header(struct bo_span in, struct ht_file *file, struct bo_error *err)
{
    enum { VERSION_OFF = 4, PROVIDER_OFF = 8, N_NODES_OFF = 20, ROOT_OFF = 24, START_OFF = 28 };
    const uint8_t *p = in.p;
    if (in.n < HT_HEADER_NBYTES)
        return fail(err, BO_TRUNCATED, in.n, "file is shorter than its header");
    if (bo_le32(p) != HT_MAGIC)
        return fail(err, BO_CORRUPT, 0, "magic number is not that of a history tree");
    if (bo_le32(p + VERSION_OFF) != HT_VERSION)
        return fail(err, BO_UNSUPPORTED, VERSION_OFF, "history tree is not of version 11");
    if (bo_le32(p + PROVIDER_OFF) != HT_PROVIDER_VERSION)
        return fail(err, BO_UNSUPPORTED, PROVIDER_OFF, "state provider is not of version 1");
    *file = (struct ht_file){.in = in, .config = {bo_le32(p + 12), bo_le32(p + 16)}};
    const enum bo_status status = check_config(&file->config, err);
    if (status)
        return status;
    file->n_nodes = bo_le32(p + N_NODES_OFF);
    file->root = bo_le32(p + ROOT_OFF);
    file->start = (int64_t)bo_le64(p + START_OFF);
    if (file->n_nodes == 0 || file->n_nodes > INT32_MAX)
        return fail(err, BO_CORRUPT, N_NODES_OFF, "there are no nodes");
    if (ht_block_off(&file->config, file->n_nodes) > in.n)
        return fail(err, BO_TRUNCATED, N_NODES_OFF, "nodes run past the end of the file");
    if (file->root >= file->n_nodes)
        return fail(err, BO_CORRUPT, ROOT_OFF, "root is not among the nodes");
    for (size_t i = HT_USED_HEADER_NBYTES; i < HT_HEADER_NBYTES; i++)
        if (p[i])
            return fail(err, BO_CORRUPT, i, "unused part of the header is not 0");
    return BO_OK;
}

/* ---- headers of nodes ------------------------------------------------------------------------ */

static enum bo_status get_node_header(const struct ht_file *file, uint32_t number,
                                      struct ht_node *node, struct bo_error *err)
{
    const size_t off = ht_node_off(file, number);
    const uint8_t *p = file->in.p + off;
    const uint32_t room = file->config.block_nbytes - HT_NODE_HEADER_NBYTES;
    *node = (struct ht_node){
        .number = bo_le32(p + HT_NUMBER_OFF),
        .parent = bo_le32(p + HT_PARENT_OFF),
        .is_core = p[HT_TYPE_OFF] == HT_CORE,
        .start = (int64_t)bo_le64(p + HT_START_OFF),
        .end = (int64_t)bo_le64(p + HT_END_OFF),
        .min_quark = (int32_t)bo_le32(p + HT_MIN_QUARK_OFF),
        .max_quark = (int32_t)bo_le32(p + HT_MAX_QUARK_OFF),
        .n_intervals = bo_le32(p + HT_N_INTERVALS_OFF),
        .rest = bo_cursor_at(file->in, off + HT_NODE_HEADER_NBYTES, room),
    };
    if (p[HT_TYPE_OFF] != HT_CORE && p[HT_TYPE_OFF] != HT_LEAF)
        return fail(err, BO_CORRUPT, off + HT_TYPE_OFF, "node is neither core nor leaf");
    if (node->end < node->start)
        return fail(err, BO_CORRUPT, off + HT_END_OFF, "node ends before it starts");
    if (node->number != number)
        return fail(err, BO_CORRUPT, off + HT_NUMBER_OFF, "node number differs from its position");
    if (node->n_intervals > room / HT_MIN_INTERVAL_NBYTES)
        return fail(err, BO_CORRUPT, off + HT_N_INTERVALS_OFF,
                    "node has more intervals than fit its block");
    if (number == file->root && node->parent != HT_NO_PARENT)
        return fail(err, BO_CORRUPT, off + HT_PARENT_OFF, "root has a parent");
    if (number == file->root && node->start != file->start)
        return fail(err, BO_CORRUPT, off + HT_START_OFF,
                    "root does not start where the history starts");
    return BO_OK;
}

enum bo_status ht_open_file(struct bo_span in, struct bo_arena *arena, struct ht_file *file,
                            struct bo_error *err)
{
    struct ht_node node;
    enum bo_status status = get_header(in, file, err);
    for (uint32_t i = 0; !status && i < file->n_nodes; i++) {
        status = get_node_header(file, i, &node, err);
        if (!status && node.n_intervals > file->max_intervals)
            file->max_intervals = node.n_intervals;
        if (!status && i == file->root)
            file->end = node.end;
    }
    return status ? status
                  : ht_get_attributes(in, ht_node_off(file, file->n_nodes), arena,
                                      &file->attributes, &file->n_quarks, err);
}

/* ---- what is in a node ----------------------------------------------------------------------- */

static enum bo_status past_end(const struct ht_node *node, struct bo_error *err)
{
    return bo_fail_here(err, BO_CORRUPT, &node->rest, "node's content runs past its block");
}

static enum bo_status get_varint(struct ht_node *node, uint64_t *v_ret, struct bo_error *err)
{
    struct bo_cursor at = node->rest;
    const uint8_t *p;
    uint8_t n;
    if (!bo_get_u8(&at, &n))
        return past_end(node, err);
    if (n > 8)
        return bo_fail_here(err, BO_CORRUPT, &node->rest, "number has more than 8 bytes");
    if (!bo_get_bytes(&at, n, &p))
        return past_end(node, err);
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    if (n && p[n - 1] == 0)
        return bo_fail_here(err, BO_CORRUPT, &node->rest, "number is not in its shortest form");
    node->rest = at;
    *v_ret = v - HT_VARINT_BIAS;
    return BO_OK;
}

/* ---- children -------------------------------------------------------------------------------- */

static const struct ht_child no_child = {0, HT_NO_CHILD_START, HT_NO_CHILD_END,
                                         HT_NO_CHILD_MIN_QUARK, HT_NO_CHILD_MAX_QUARK};
static const char not_empty[] = "place without a child is not empty";

static enum bo_status get_child_numbers(const struct ht_file *file, struct ht_node *node,
                                        struct ht_child *children, struct bo_error *err)
{
    for (uint32_t i = 0; i < file->config.max_children; i++) {
        const struct bo_cursor at = node->rest;
        uint32_t number;
        if (!bo_get_le32(&node->rest, &number))
            return past_end(node, err);
        if (i >= node->n_children) {
            if (number != no_child.number)
                return bo_fail_here(err, BO_CORRUPT, &at, not_empty);
            continue;
        }
        if (number >= file->n_nodes || (i > 0 && number <= children[i - 1].number))
            return bo_fail_here(err, BO_CORRUPT, &at,
                                "child numbers are out of range or do not ascend");
        children[i].number = number;
    }
    return BO_OK;
}

static enum bo_status get_child_times(const struct ht_file *file, struct ht_node *node,
                                      struct ht_child *children, bool are_ends,
                                      struct bo_error *err)
{
    for (uint32_t i = 0; i < file->config.max_children; i++) {
        const struct bo_cursor at = node->rest;
        uint64_t v;
        const enum bo_status status = get_varint(node, &v, err);
        if (status)
            return status;
        const int64_t time = (int64_t)v;
        if (i >= node->n_children) {
            if (time != (are_ends ? no_child.end : no_child.start))
                return bo_fail_here(err, BO_CORRUPT, &at, not_empty);
        } else if (time < (are_ends ? children[i].start : node->start) || time > node->end) {
            return bo_fail_here(err, BO_CORRUPT, &at, "child's time is not in the node's");
        } else if (are_ends) {
            children[i].end = time;
        } else {
            children[i].start = time;
        }
    }
    return BO_OK;
}

static enum bo_status get_child_quarks(const struct ht_file *file, struct ht_node *node,
                                       struct ht_child *children, bool are_max,
                                       struct bo_error *err)
{
    for (uint32_t i = 0; i < file->config.max_children; i++) {
        const struct bo_cursor at = node->rest;
        uint32_t quark;
        if (!bo_get_le32(&node->rest, &quark))
            return past_end(node, err);
        if (i >= node->n_children) {
            if ((int32_t)quark != (are_max ? no_child.max_quark : no_child.min_quark))
                return bo_fail_here(err, BO_CORRUPT, &at, not_empty);
        } else if (are_max) {
            children[i].max_quark = (int32_t)quark;
        } else {
            children[i].min_quark = (int32_t)quark;
        }
    }
    return BO_OK;
}

static enum bo_status get_children(const struct ht_file *file, struct ht_node *node,
                                   struct ht_child *children, struct bo_error *err)
{
    const struct bo_cursor at = node->rest;
    if (!bo_get_le32(&node->rest, &node->n_children))
        return past_end(node, err);
    if (node->n_children == 0 || node->n_children > file->config.max_children) {
        node->n_children = 0;
        return bo_fail_here(err, BO_CORRUPT, &at,
                            "number of children of a core node is out of range");
    }
    enum bo_status status = get_child_numbers(file, node, children, err);
    if (!status)
        status = get_child_times(file, node, children, false, err);
    if (!status)
        status = get_child_times(file, node, children, true, err);
    if (!status)
        status = get_child_quarks(file, node, children, false, err);
    return status ? status : get_child_quarks(file, node, children, true, err);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static enum bo_status get_string(const struct ht_file *file, struct ht_node *node,
                                 struct ht_interval *interval, struct bo_error *err)
{
    const struct bo_cursor at = node->rest;
    const uint8_t *p;
    uint8_t end = 0;
    if (!bo_get_le16(&node->rest, &interval->nbytes))
        return past_end(node, err);
    if (interval->nbytes > HT_MAX_STRING_NBYTES)
        return bo_fail_here(err, BO_CORRUPT, &at, "length of a string is below 0");
    if (bo_left(&node->rest) <= interval->nbytes)
        return bo_fail_here(err, BO_CORRUPT, &at, "string runs past its node's block");
    bo_get_bytes(&node->rest, interval->nbytes, &p);
    bo_get_u8(&node->rest, &end);
    interval->value = (uint64_t)(p - file->in.p);
    if (end != 0)
        return fail(err, BO_CORRUPT, (size_t)interval->value + interval->nbytes,
                    "string does not end with a 0");
    if (!bo_is_utf8(ht_text(file, interval)))
        return fail(err, BO_CORRUPT, (size_t)interval->value, "string is not UTF-8");
    return BO_OK;
}

static enum bo_status get_value(const struct ht_file *file, struct ht_node *node,
                                struct ht_interval *interval, struct bo_error *err)
{
    struct bo_cursor at = node->rest;
    uint16_t custom_nbytes;
    uint32_t number;
    uint8_t type;
    if (!bo_get_u8(&node->rest, &type))
        return past_end(node, err);
    interval->value = 0;
    interval->nbytes = 0;
    switch (type) {
    case HT_NULL:
        interval->type = STATEHIST_NULL;
        return BO_OK;
    case HT_INT:
        interval->type = STATEHIST_INT;
        if (!bo_get_le32(&node->rest, &number))
            return past_end(node, err);
        interval->value = (uint64_t)(int64_t)(int32_t)number;
        return BO_OK;
    case HT_LONG:
    case HT_DOUBLE:
        interval->type = type == HT_LONG ? STATEHIST_LONG : STATEHIST_DOUBLE;
        return bo_get_le64(&node->rest, &interval->value) ? BO_OK : past_end(node, err);
    case HT_STRING:
        interval->type = STATEHIST_STRING;
        return get_string(file, node, interval, err);
    case HT_CUSTOM:
        at = node->rest;
        if (!bo_get_le16(&at, &custom_nbytes) || bo_left(&at) == 0)
            return past_end(node, err);
        return bo_fail_here(err, BO_UNSUPPORTED, &at, "value is of the custom type with this id");
    default:
        return bo_fail_here(err, BO_CORRUPT, &at, "unknown type of a value");
    }
}

static bool comes_before(const struct ht_interval *a, const struct ht_interval *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    if (a->start != b->start)
        return a->start < b->start;
    return a->quark < b->quark;
}

static enum bo_status get_interval(const struct ht_file *file, struct ht_node *node,
                                   struct ht_interval *interval, bool has_before,
                                   struct bo_error *err)
{
    const struct bo_cursor start = node->rest;
    uint64_t since, duration;
    enum bo_status status = get_varint(node, &since, err);
    if (status)
        return status;
    if (since > (uint64_t)node->end - (uint64_t)node->start)
        return bo_fail_here(err, BO_CORRUPT, &start, "interval starts outside of its node");
    interval->start = (int64_t)((uint64_t)node->start + since);
    struct bo_cursor at = node->rest;
    if ((status = get_varint(node, &duration, err)))
        return status;
    if (duration > (uint64_t)node->end - (uint64_t)interval->start)
        return bo_fail_here(err, BO_CORRUPT, &at, "interval ends outside of its node");
    interval->end = (int64_t)((uint64_t)interval->start + duration);
    at = node->rest;
    if (!bo_get_le32(&node->rest, &interval->quark))
        return past_end(node, err);
    if (interval->quark >= file->n_quarks)
        return bo_fail_here(err, BO_CORRUPT, &at, "quark is not in the attribute tree");
    if (has_before && !comes_before(interval - 1, interval))
        return bo_fail_here(err, BO_CORRUPT, &start, "intervals of the node are not in order");
    return get_value(file, node, interval, err);
}

/* All of them, the bounds of their quarks, and nothing after them. */
static enum bo_status get_intervals(const struct ht_file *file, struct ht_node *node,
                                    struct ht_interval *intervals, struct bo_error *err)
{
    const size_t off = ht_node_off(file, node->number);
    int32_t min = HT_NONE_MIN_QUARK, max = HT_NONE_MAX_QUARK;
    for (uint32_t i = 0; i < node->n_intervals; i++) {
        const enum bo_status status = get_interval(file, node, &intervals[i], i > 0, err);
        if (status)
            return status;
        const int32_t quark = (int32_t)intervals[i].quark;
        min = quark < min ? quark : min;
        max = quark > max ? quark : max;
    }
    if (min != node->min_quark)
        return fail(err, BO_CORRUPT, off + HT_MIN_QUARK_OFF, "node has another smallest quark");
    if (max != node->max_quark)
        return fail(err, BO_CORRUPT, off + HT_MAX_QUARK_OFF, "node has another largest quark");
    for (; bo_left(&node->rest); node->rest.off++)
        if (node->rest.p[node->rest.off])
            return bo_fail_here(err, BO_CORRUPT, &node->rest, "unused part of the block is not 0");
    return BO_OK;
}

enum bo_status ht_get_node(const struct ht_file *file, uint32_t number, struct ht_node *node,
                           struct ht_child *children, struct ht_interval *intervals,
                           struct bo_error *err)
{
    enum bo_status status = get_node_header(file, number, node, err);
    if (!status && node->is_core)
        status = get_children(file, node, children, err);
    return status ? status : get_intervals(file, node, intervals, err);
}

size_t ht_interval_off(const struct ht_file *file, uint32_t number, uint32_t i,
                       struct ht_child *children, struct ht_interval *intervals)
{
    struct ht_node node;
    get_node_header(file, number, &node, NULL);
    if (node.is_core)
        get_children(file, &node, children, NULL);
    for (uint32_t k = 0; k < i; k++)
        get_interval(file, &node, &intervals[k], k > 0, NULL);
    return node.rest.base + node.rest.off;
}
