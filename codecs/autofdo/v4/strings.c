/*
 * Version 4: string tables, path-compressed tries without sizes of subtrees.
 *
 * A node is its bitmask, its id where a string ends, then per child a label and the child. So a
 * reader that looks for one name walks over all of the siblings before it. Nothing here recurses: a
 * trie may be as deep as it has bytes.
 */
#include "codecs/autofdo/v4/v4.h"

/* A node's own bytes, without its children. */
struct node {
    size_t off;
    unsigned n_children;
    bool is_terminal;
    uint32_t id;
};

static enum bo_status take_node(struct autofdo_v4_cursor *c, struct node *node,
                                struct bo_error *err)
{
    uint64_t bitmask = 0, id = 0;
    node->off = c->at.base + c->at.off;
    enum bo_status status = autofdo_v4_take(c, 1, &bitmask, err);
    node->n_children = bitmask & AUTOFDO_V4_MAX_CHILDREN;
    node->is_terminal = (bitmask & AUTOFDO_V4_TERMINAL) != 0;
    if (!status && node->is_terminal)
        status = autofdo_v4_take(c, 4, &id, err);
    node->id = (uint32_t)id;
    return status;
}

static enum bo_status take_label(struct autofdo_v4_cursor *c, struct bo_span *label,
                                 struct bo_error *err)
{
    const size_t off = c->at.off;
    const enum bo_status status = autofdo_v4_take_text(c, label, err);
    if (!status && label->n == 0) {
        c->at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &c->at, "label of an edge is empty");
    }
    return status;
}

/* Enters a table; each string takes a label and a node. */
static enum bo_status enter(const struct autofdo_v4_file *file, uint32_t section,
                            struct autofdo_v4_cursor *c, uint32_t *n_ret, struct bo_error *err)
{
    const enum bo_status status = autofdo_v4_enter(file, section, AUTOFDO_V4_STRINGS, c, err);
    return status ? status : autofdo_v4_take_number(c, file->compact ? 2 : 5, n_ret, err);
}

/* ---- all strings ----------------------------------------------------------------------------- */

/* A node whose children are not all read. */
struct level {
    unsigned n_left;
    int last_byte; /* the first byte of the label before; -1 at first */
    size_t length; /* of the path to the node */
};

struct speller {
    struct autofdo_v4_cursor c;
    struct bo_arena *arena;
    uint32_t n, n_spelt;
    uint64_t max_spelt;
    uint8_t *path; /* from the root to the node at hand */
    size_t cap_path, length;
    struct level *levels;
    size_t n_levels, cap_levels;
    uint8_t *text; /* all strings, one after the other */
    size_t n_text, cap_text;
    size_t *ends; /* in text, by id */
};

static enum bo_status add_string(struct speller *s, const struct node *node, struct bo_error *err)
{
    const struct bo_span name = {s->path, s->length};
    if (node->id >= s->n)
        return bo_fail(err, BO_CORRUPT, node->off, "string id is out of range");
    if (node->id != s->n_spelt)
        return bo_fail(err, BO_CORRUPT, node->off, "string ids are not 0, 1, 2, ... in order");
    if (autofdo_name_flaw(name))
        return bo_fail(err, BO_CORRUPT, node->off, autofdo_name_flaw(name));
    if (s->n_text + name.n > s->max_spelt)
        return bo_fail(err, BO_OVER_LIMIT, node->off, "strings are too long for their trie");
    if (!bo_grow(s->arena, &s->text, s->n_text, name.n, &s->cap_text))
        return bo_fail_alloc(err, s->arena);
    memcpy(s->text + s->n_text, name.p, name.n);
    s->n_text += name.n;
    s->ends[s->n_spelt++] = s->n_text;
    return BO_OK;
}

static enum bo_status add_level(struct speller *s, unsigned n_children, struct bo_error *err)
{
    if (!bo_grow(s->arena, &s->levels, s->n_levels, 1, &s->cap_levels))
        return bo_fail_alloc(err, s->arena);
    s->levels[s->n_levels++] = (struct level){n_children, -1, s->length};
    return BO_OK;
}

static enum bo_status spell_node(struct speller *s, struct bo_error *err)
{
    struct node node = {.off = 0};
    const bool is_root = s->length == 0;
    enum bo_status status = take_node(&s->c, &node, err);
    if (status)
        return status;
    if (!node.is_terminal && !is_root && node.n_children < 2)
        return bo_fail(err, BO_CORRUPT, node.off,
                       node.n_children ? "node with one child ends no string"
                                       : "leaf ends no string");
    if (node.is_terminal)
        status = add_string(s, &node, err);
    return status || !node.n_children ? status : add_level(s, node.n_children, err);
}

/* Follows the next edge of the newest level. */
static enum bo_status follow_edge(struct speller *s, struct bo_error *err)
{
    struct level *level = &s->levels[s->n_levels - 1];
    struct bo_span label = {NULL, 0};
    const size_t off = s->c.at.base + s->c.at.off;
    const enum bo_status status = take_label(&s->c, &label, err);
    if (status)
        return status;
    if (label.p[0] <= level->last_byte)
        return bo_fail(err, BO_CORRUPT, off, "edges of a node are not in order");
    level->last_byte = label.p[0];
    level->n_left--;
    s->length = level->length;
    if (!bo_grow(s->arena, &s->path, s->length, label.n, &s->cap_path))
        return bo_fail_alloc(err, s->arena);
    memcpy(s->path + s->length, label.p, label.n);
    s->length += label.n;
    return BO_OK;
}

static enum bo_status spell(struct speller *s, struct bo_error *err)
{
    const size_t start = s->c.at.off;
    for (;;) {
        enum bo_status status = spell_node(s, err);
        while (s->n_levels && s->levels[s->n_levels - 1].n_left == 0)
            s->n_levels--;
        if (!status && s->n_levels)
            status = follow_edge(s, err);
        if (status)
            return status;
        if (!s->n_levels)
            break;
    }
    if (s->n_spelt != s->n)
        return bo_fail(err, BO_CORRUPT, s->c.at.base + start,
                       "trie has fewer strings than its table announces");
    return autofdo_v4_take_end(&s->c, err);
}

enum bo_status autofdo_v4_load_strings(const struct autofdo_v4_file *file, uint32_t section,
                                       struct bo_arena *arena, struct autofdo_v4_strings *strings,
                                       struct bo_error *err)
{
    struct speller s = {.arena = arena};
    enum bo_status status = enter(file, section, &s.c, &s.n, err);
    if (status)
        return status;
    s.max_spelt = autofdo_v4_max_spelt(s.c.at.n);
    s.ends = bo_alloc_array(arena, s.n, sizeof *s.ends);
    *strings = (struct autofdo_v4_strings){
        .n = s.n,
        .names = bo_alloc_array(arena, s.n, sizeof *strings->names),
        .hashes = bo_alloc_array(arena, s.n, sizeof *strings->hashes),
    };
    if (!s.ends || !strings->names || !strings->hashes)
        return bo_fail_alloc(err, arena);
    status = spell(&s, err);
    for (uint32_t i = 0; i < s.n && !status; i++) {
        const size_t start = i ? s.ends[i - 1] : 0;
        strings->names[i] = (struct bo_span){s.text + start, s.ends[i] - start};
        strings->hashes[i] = autofdo_hash_name(strings->names[i]);
    }
    return status;
}

/* ---- one string ------------------------------------------------------------------------------ */

/* Walks over a node and all that is below it. */
static enum bo_status skip_subtree(struct autofdo_v4_cursor *c, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t n_pending = 1; n_pending && !status;) {
        struct node node = {.off = 0};
        struct bo_span label;
        status = take_node(c, &node, err);
        n_pending += node.n_children;
        if (!status && --n_pending)
            status = take_label(c, &label, err);
    }
    return status;
}

/*
 * From a node with n_children, enters the child that leads on to `rest`, which has at least one
 * byte; *n_ret is the length of its label, 0 when no child matches.
 */
static enum bo_status enter_child(struct autofdo_v4_cursor *c, unsigned n_children,
                                  struct bo_span rest, size_t *n_ret, struct bo_error *err)
{
    *n_ret = 0;
    for (unsigned i = 0; i < n_children; i++) {
        struct bo_span label;
        enum bo_status status = take_label(c, &label, err);
        if (status)
            return status;
        if (label.p[0] >= rest.p[0]) {
            if (label.n <= rest.n && memcmp(label.p, rest.p, label.n) == 0)
                *n_ret = label.n;
            return BO_OK;
        }
        status = skip_subtree(c, err);
        if (status)
            return status;
    }
    return BO_OK;
}

enum bo_status autofdo_v4_find_string(const struct autofdo_v4_file *file, uint32_t section,
                                      struct bo_span name, bool *found_ret, uint32_t *id_ret,
                                      struct bo_error *err)
{
    struct autofdo_v4_cursor c;
    uint32_t n = 0;
    enum bo_status status = enter(file, section, &c, &n, err);
    *found_ret = false;
    while (!status) {
        struct node node = {.off = 0};
        size_t label_n = 0;
        status = take_node(&c, &node, err);
        if (!status && node.is_terminal && node.id >= n)
            return bo_fail(err, BO_CORRUPT, node.off, "string id is out of range");
        if (!status && name.n == 0) {
            *found_ret = node.is_terminal;
            *id_ret = node.id;
            return BO_OK;
        }
        if (!status)
            status = enter_child(&c, node.n_children, name, &label_n, err);
        if (!label_n)
            return status;
        name.p += label_n;
        name.n -= label_n;
    }
    return status;
}
