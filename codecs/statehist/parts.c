/* The proposal's files but for history.bin and state.json: the set, types.json, tree.json. */
#include "codecs/statehist/parts.h"

#include "codecs/statehist/json.h"
#include "codecs/statehist/model.h"
#include "harness/core/text.h"

/* ---- a set of files -------------------------------------------------------------------------- */

#define MAGIC "TCfiles" /* and the number of files, one byte */
enum { MAGIC_NBYTES = 7 };

void statehist_put_parts(struct bo_writer *out, unsigned n, size_t *head_ret)
{
    bo_mark(out, "files");
    bo_put_bytes(out, MAGIC, MAGIC_NBYTES);
    bo_put_u8(out, (uint8_t)n);
    *head_ret = out->n;
    bo_put_zeros(out, 8 * (size_t)n);
}

void statehist_end_part(struct bo_writer *out, size_t head, unsigned i)
{
    if (out->status)
        return;
    /* The first file starts after the lengths, of which their number is the byte in front. */
    size_t start = head + 8 * (size_t)out->p[head - 1];
    for (unsigned k = 0; k < i; k++)
        start += (size_t)bo_le64(out->p + head + 8 * k);
    bo_set_le64(out->p + head + 8 * i, out->n - start);
}

enum bo_status statehist_get_parts(struct bo_span in, unsigned n, struct statehist_part *parts_ret,
                                   struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    const uint8_t *magic, *head;
    if (!bo_get_bytes(&c, MAGIC_NBYTES + 1, &magic) || !bo_get_bytes(&c, 8 * (size_t)n, &head))
        return bo_fail(err, BO_TRUNCATED, in.n, "file ends inside the table of files");
    if (memcmp(magic, MAGIC, MAGIC_NBYTES) != 0 || magic[MAGIC_NBYTES] != n)
        return bo_fail(err, BO_CORRUPT, 0, "magic number or number of files is wrong");
    for (unsigned i = 0; i < n; i++) {
        const uint64_t nbytes = bo_le64(head + 8 * i);
        if (nbytes > bo_left(&c))
            return bo_fail(err, BO_TRUNCATED, MAGIC_NBYTES + 1 + 8 * i,
                           "one of the files runs past the end");
        parts_ret[i].off = c.off;
        parts_ret[i].in = (struct bo_span){in.p + c.off, (size_t)nbytes};
        c.off += (size_t)nbytes;
    }
    return bo_left(&c) ? bo_fail_here(err, BO_CORRUPT, &c, "bytes after the last file") : BO_OK;
}

static struct statehist_json json_of(const struct statehist_part *part, struct bo_arena *arena,
                                     struct bo_error *err)
{
    return (struct statehist_json){.in = part->in, .base = part->off, .arena = arena, .err = err};
}

/* ---- types.json ------------------------------------------------------------------------------ */

const char *const statehist_type_names[STATEHIST_ANY + 1] = {"none",   "int",  "long", "double",
                                                             "string", "bool", "any"};

bool statehist_type_of(struct bo_span name, bool or_any, uint8_t *type_ret)
{
    for (uint8_t type = 0; type < STATEHIST_ANY + or_any; type++)
        if (bo_word_is(name, statehist_type_names[type])) {
            *type_ret = type;
            return true;
        }
    *type_ret = STATEHIST_ANY;
    return or_any && bo_word_is(name, "variant");
}

uint8_t *statehist_declare_types(const struct statehist_model *model, bool null_counts,
                                 struct bo_arena *arena)
{
    uint8_t *types = bo_alloc_array(arena, model->n_quarks, 1);
    for (uint32_t q = 0; q < model->n_quarks && types; q++) {
        types[q] = (uint8_t)model->intervals[model->first[q]].type;
        for (uint32_t i = model->first[q]; i < model->first[q + 1]; i++) {
            const uint8_t type = (uint8_t)model->intervals[i].type;
            if (type == types[q] || (type == STATEHIST_NULL && !null_counts))
                continue;
            types[q] = types[q] == STATEHIST_NULL && !null_counts ? type : STATEHIST_ANY;
        }
    }
    return types;
}

void statehist_put_types_json(const uint8_t *types, uint32_t n, struct bo_writer *out)
{
    bo_mark(out, "types");
    bo_put_text(out, "{\"format\":\"tc-types\",\"version\":1,\"types\":[");
    for (uint32_t q = 0; q < n && !out->status; q++)
        bo_put_text(out, "%s{\"key\":%lu,\"type\":\"%s\"}", q ? "," : "", (unsigned long)q,
                    statehist_type_names[types[q]]);
    bo_put_text(out, "]}");
}

struct typed_key {
    size_t off; /* of the key in the text */
    uint32_t key;
    uint8_t type;
};

struct typed_keys {
    struct typed_key *keys;
    size_t n, cap;
};

static void read_typed_key(struct statehist_json *j, struct typed_key *key)
{
    static const char *const members[] = {"key", "type", NULL};
    uint32_t seen = 0, which;
    statehist_json_take(j, '{', "not an object");
    while (!j->status && statehist_json_member(j, members, 3, &seen, &which) &&
           which != STATEHIST_JSON_CLOSED) {
        struct bo_span name;
        size_t off;
        if (which == 0)
            statehist_json_key(j, &key->key, &key->off);
        else if (statehist_json_string(j, &name, &off) &&
                 !statehist_type_of(name, true, &key->type))
            statehist_json_fail(j, BO_UNSUPPORTED, off, "unknown type");
    }
}

static bool read_typed_keys(struct statehist_json *j, uint32_t which, void *context)
{
    struct typed_keys *list = context;
    if (!statehist_json_take(j, '[', "not a list"))
        return false;
    while (statehist_json_element(j, list->n == 0)) {
        if (!bo_grow(j->arena, &list->keys, list->n, 1, &list->cap)) {
            j->status = bo_fail_alloc(j->err, j->arena);
            return false;
        }
        read_typed_key(j, &list->keys[list->n++]);
    }
    return !j->status;
}

enum bo_status statehist_read_types_json(const struct statehist_part *part, struct bo_arena *arena,
                                         uint8_t **types_ret, uint32_t *n_ret, struct bo_error *err)
{
    static const char *const members[] = {"format", "version", "types", NULL};
    enum { MISSING = 0xff };
    struct statehist_json j = json_of(part, arena, err);
    struct typed_keys list = {NULL, 0, 0};
    if (statehist_json_document(&j, "tc-types", members, read_typed_keys, &list))
        return j.status;
    uint8_t *types = bo_alloc_array(arena, list.n, 1);
    if (!types)
        return bo_fail_alloc(err, arena);
    memset(types, MISSING, list.n);
    for (size_t i = 0; i < list.n; i++) {
        const struct typed_key *key = &list.keys[i];
        if (key->key >= list.n)
            return bo_fail(err, BO_CORRUPT, (uint64_t)part->off + key->off,
                           "keys are not 0 up to one less than their number");
        if (types[key->key] != MISSING)
            return bo_fail(err, BO_CORRUPT, (uint64_t)part->off + key->off, "duplicate key");
        types[key->key] = key->type;
    }
    *types_ret = types;
    *n_ret = (uint32_t)list.n;
    return BO_OK;
}

/* ---- tree.json: writing ---------------------------------------------------------------------- */

/* Children of each quark, and of the root (the last), in order. */
struct family {
    uint32_t *first_child, *next_sibling; /* STATEHIST_ROOT: none */
};

static bool find_family(const struct statehist_model *model, struct bo_arena *arena,
                        struct family *family)
{
    const uint32_t n = model->n_quarks;
    family->first_child = bo_alloc_array(arena, (size_t)n + 1, sizeof *family->first_child);
    family->next_sibling = bo_alloc_array(arena, n, sizeof *family->next_sibling);
    if (!family->first_child || !family->next_sibling)
        return false;
    memset(family->first_child, 0xff, ((size_t)n + 1) * sizeof *family->first_child);
    for (uint32_t q = n; q-- > 0;) {
        const uint32_t parent = model->attributes[q].parent;
        uint32_t *first = &family->first_child[parent == STATEHIST_ROOT ? n : parent];
        family->next_sibling[q] = *first;
        *first = q;
    }
    return true;
}

static void put_node(const struct statehist_model *model, uint32_t quark, struct bo_writer *out)
{
    statehist_json_put_string(out, model->attributes[quark].name, false);
    bo_put_text(out, ":{\"key\":%lu", (unsigned long)quark);
}

enum bo_status statehist_put_tree_json(const struct statehist_model *model, struct bo_writer *out,
                                       struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    struct family family;
    if (!find_family(model, out->arena, &family))
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "tree");
    bo_put_text(out, "{\"format\":\"tc-tree\",\"version\":1,\"root\":{");
    uint32_t at = family.first_child[model->n_quarks];
    if (at != STATEHIST_ROOT)
        bo_put_text(out, "\"children\":{");
    while (at != STATEHIST_ROOT && !out->status) {
        put_node(model, at, out);
        if (family.first_child[at] != STATEHIST_ROOT) {
            bo_put_text(out, ",\"children\":{");
            at = family.first_child[at];
            continue;
        }
        bo_put_u8(out, '}');
        /* Up, as far as this was the last child. */
        while (at != STATEHIST_ROOT && family.next_sibling[at] == STATEHIST_ROOT) {
            at = model->attributes[at].parent;
            bo_put_text(out, at == STATEHIST_ROOT ? "}" : "}}");
        }
        if (at != STATEHIST_ROOT) {
            bo_put_u8(out, ',');
            at = family.next_sibling[at];
        }
    }
    bo_put_text(out, "}}");
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}

/* ---- tree.json: reading ---------------------------------------------------------------------- */

struct node {
    struct bo_span name;
    size_t name_off, key_off;
    uint32_t key;    /* STATEHIST_ROOT until it is known */
    uint32_t parent; /* another node, before this one */
    uint32_t seen;   /* its members */
};

struct nodes {
    struct node *at; /* the first is the root */
    size_t n, cap;
};

static bool add_node(struct statehist_json *j, struct nodes *nodes, uint32_t parent,
                     struct bo_span name, size_t name_off)
{
    if (nodes->n == UINT32_MAX) {
        j->status = bo_fail(j->err, BO_OVER_LIMIT, name_off, "2^32 nodes or more");
        return false;
    }
    if (!bo_grow(j->arena, &nodes->at, nodes->n, 1, &nodes->cap)) {
        j->status = bo_fail_alloc(j->err, j->arena);
        return false;
    }
    nodes->at[nodes->n++] =
        (struct node){.name = name, .name_off = name_off, .key = STATEHIST_ROOT, .parent = parent};
    return true;
}

/*
 * Reads the root's object and all in it. The nodes on the way to the present one are its stack: so
 * depth costs no more than width.
 */
static bool read_nodes(struct statehist_json *j, uint32_t member, void *context)
{
    struct nodes *nodes = context;
    static const char *const members[] = {"key", "children", NULL};
    enum { KEY = 1, ALL_CHILDREN = 2 };
    const struct bo_span no_name = {(const uint8_t *)"", 0};
    uint32_t at = 0, which;
    bool among_children = false, is_first = false;
    statehist_json_peek(j);
    if (!add_node(j, nodes, 0, no_name, j->off) || !statehist_json_take(j, '{', "not an object"))
        return false;
    for (;;) {
        struct node *node = &nodes->at[at];
        struct bo_span name;
        size_t off;
        if (among_children) {
            if (statehist_json_name(j, is_first, &name, &off)) {
                if (!statehist_json_take(j, '{', "not an object") ||
                    !add_node(j, nodes, at, name, off))
                    return false;
                at = (uint32_t)(nodes->n - 1);
            } else if (j->status) {
                return false;
            }
            among_children = false;
            continue;
        }
        if (!statehist_json_member(j, members, at ? KEY : 0, &node->seen, &which))
            return false;
        if (which == 0) {
            if (!statehist_json_key(j, &node->key, &node->key_off))
                return false;
        } else if (which == 1) {
            if (!statehist_json_take(j, '{', "not an object"))
                return false;
            among_children = is_first = true;
        } else {
            if (at == 0)
                return true;
            at = node->parent;
            among_children = true;
            is_first = false;
        }
    }
}

/* Nodes become attributes, by their keys. node_of: by quark, its node; all 0 before. */
static enum bo_status place_nodes(const struct statehist_part *part, const struct nodes *nodes,
                                  uint32_t n, struct statehist_attribute *attributes,
                                  uint32_t *node_of, struct bo_error *err)
{
    const bool root_has_key = nodes->at[0].key != STATEHIST_ROOT;
    uint32_t n_placed = 0;
    for (size_t i = root_has_key ? 0 : 1; i < nodes->n; i++, n_placed++) {
        const struct node *node = &nodes->at[i];
        const uint64_t off = (uint64_t)part->off + node->key_off;
        const uint32_t parent = i ? nodes->at[node->parent].key : STATEHIST_ROOT;
        if (node->key >= n)
            return bo_fail(err, BO_CORRUPT, off, "key is not a quark of this history");
        if (node_of[node->key])
            return bo_fail(err, BO_CORRUPT, off, "duplicate key");
        if (parent != STATEHIST_ROOT && parent > node->key)
            return bo_fail(err, BO_UNSUPPORTED, off, "key is smaller than that of the parent");
        node_of[node->key] = (uint32_t)i + 1;
        attributes[node->key] = (struct statehist_attribute){node->name, parent};
    }
    if (n_placed < n)
        return bo_fail(err, BO_UNSUPPORTED, (uint64_t)part->off + part->in.n,
                       "quark has no place in the tree");
    return BO_OK;
}

enum bo_status statehist_read_tree_json(const struct statehist_part *part, uint32_t n,
                                        struct bo_arena *arena,
                                        struct statehist_attribute **attributes_ret,
                                        struct bo_error *err)
{
    static const char *const members[] = {"format", "version", "root", NULL};
    struct statehist_json j = json_of(part, arena, err);
    struct nodes nodes = {NULL, 0, 0};
    if (n > part->in.n) /* checked before memory for n is allocated */
        return bo_fail(err, BO_UNSUPPORTED, (uint64_t)part->off + part->in.n,
                       "quark has no place in the tree");
    struct statehist_attribute *attributes = bo_alloc_array(arena, n, sizeof *attributes);
    if (!attributes)
        return bo_fail_alloc(err, arena);
    if (statehist_json_document(&j, "tc-tree", members, read_nodes, &nodes))
        return j.status;
    uint32_t *node_of = bo_zalloc_array(arena, n, sizeof *node_of), quark;
    if (!node_of)
        return bo_fail_alloc(err, arena);
    const enum bo_status status = place_nodes(part, &nodes, n, attributes, node_of, err);
    if (status)
        return status;
    const char *flaw = statehist_tree_flaw(attributes, n, arena, &quark);
    if (flaw == statehist_no_memory)
        return bo_fail_alloc(err, arena);
    if (flaw)
        return bo_fail(err, BO_CORRUPT,
                       (uint64_t)part->off +
                           (quark == STATEHIST_ROOT ? 0 : nodes.at[node_of[quark] - 1].name_off),
                       flaw);
    *attributes_ret = attributes;
    return BO_OK;
}
