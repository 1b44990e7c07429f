/*
 * Version 4: writing a string table's trie.
 *
 * A node covers a range of the sorted names: those that start with the bytes that lead to it. A
 * stack of ranges replaces recursion, so chains of prefixes may have any length.
 */
#include "codecs/autofdo/v4/v4.h"

/* Names [lo, hi), whose first n_shared bytes have been written. */
struct range {
    size_t lo, hi, n_shared;
};

struct trie {
    struct bo_writer *out;
    bool compact;
    const struct bo_span *names;
    struct range *stack; /* at most as many ranges as names: they are disjoint */
    size_t n_stack;
};

void autofdo_v4_put(struct bo_writer *out, bool compact, unsigned nbytes, uint64_t v)
{
    if (compact) {
        bo_put_uvarint(out, v);
        return;
    }
    uint8_t *p = bo_put_space(out, nbytes);
    for (unsigned i = nbytes; p && i-- > 0; v >>= 8)
        p[i] = (uint8_t)v;
}

/* The end of the names from lo on, before hi, that have the same byte at `at` as the first. */
static size_t end_of_group(const struct trie *t, size_t lo, size_t hi, size_t at)
{
    const uint8_t byte = t->names[lo].p[at];
    while (lo < hi && t->names[lo].p[at] == byte)
        lo++;
    return lo;
}

/* Writes the node of a range, all of whose names share n_shared bytes; its children come next. */
static enum bo_status put_node(struct trie *t, struct range r, struct bo_error *err)
{
    const bool is_terminal = t->names[r.lo].n == r.n_shared;
    const size_t first = r.lo + is_terminal, bottom = t->n_stack;
    unsigned n_children = 0;
    for (size_t lo = first; lo < r.hi; n_children++)
        lo = end_of_group(t, lo, r.hi, r.n_shared);
    if (n_children > AUTOFDO_V4_MAX_CHILDREN)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "a trie node of version 4 has at most 127 children");
    bo_put_u8(t->out, (uint8_t)(n_children | (is_terminal ? AUTOFDO_V4_TERMINAL : 0)));
    if (is_terminal)
        autofdo_v4_put(t->out, t->compact, 4, r.lo);
    t->n_stack += n_children;
    for (size_t lo = first, i = n_children; i-- > 0;) { /* the first child on top */
        const size_t hi = end_of_group(t, lo, r.hi, r.n_shared);
        t->stack[bottom + i] = (struct range){lo, hi, r.n_shared};
        lo = hi;
    }
    return BO_OK;
}

/*
 * Writes the edge that leads to a range's node: all further bytes that its names share. A prefix of
 * a name sorts before the name, so the last name does not end inside the first.
 */
static enum bo_status put_edge(struct trie *t, struct range *r, struct bo_error *err)
{
    const struct bo_span a = t->names[r->lo], b = t->names[r->hi - 1];
    const size_t start = r->n_shared;
    while (r->n_shared < a.n && a.p[r->n_shared] == b.p[r->n_shared])
        r->n_shared++;
    const size_t n = r->n_shared - start;
    if (n > AUTOFDO_V4_MAX_LABEL)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "a label of version 4 has at most 65535 bytes");
    autofdo_v4_put(t->out, t->compact, 2, n);
    bo_put_bytes(t->out, a.p + start, n);
    return BO_OK;
}

enum bo_status autofdo_v4_put_trie(struct bo_writer *out, bool compact, const struct bo_span *names,
                                   size_t n, struct bo_error *err)
{
    struct trie t = {.out = out, .compact = compact, .names = names};
    t.stack = bo_alloc_array(out->arena, n, sizeof *t.stack);
    if (!t.stack)
        return bo_fail_alloc(err, out->arena);
    enum bo_status status = put_node(&t, (struct range){0, n, 0}, err);
    while (t.n_stack && !status && !out->status) {
        struct range r = t.stack[--t.n_stack];
        status = put_edge(&t, &r, err);
        if (!status)
            status = put_node(&t, r, err);
    }
    return status;
}
