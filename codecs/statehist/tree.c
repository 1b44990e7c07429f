/*
 * The attribute tree, where no query reads it: a stream of bits in which an attribute that follows
 * another as it did before takes one bit. See README.md.
 */
#include "codecs/statehist/tree.h"

#include "codecs/statehist/ascending.h"

/*
 * An attribute's symbol: which name it has (0: a number), and how its parent relates to the
 * attribute before it.
 */
enum relation { SIBLING, CHILD, UNCLE, OTHER, N_RELATIONS };

/* What is known of a symbol. */
struct symbol {
    uint32_t next;   /* the symbol that followed it last */
    uint32_t number; /* the number that attributes of this symbol had last */
};

static bool parse_number(struct bo_span name, uint32_t *number_ret)
{
    uint32_t v = 0;
    if (name.n == 0 || name.n > 9 || (name.n > 1 && name.p[0] == '0'))
        return false;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9')
            return false;
        v = 10 * v + (name.p[i] - '0');
    }
    *number_ret = v;
    return true;
}

static uint32_t parent_of(const struct statehist_attribute *attributes, uint32_t quark)
{
    return quark == STATEHIST_ROOT ? STATEHIST_ROOT : attributes[quark].parent;
}

/* The parent that quark q has by its relation; OTHER has none. */
static uint32_t related(const struct statehist_attribute *attributes, uint32_t q, unsigned relation)
{
    const uint32_t before = q ? q - 1 : STATEHIST_ROOT;
    return relation == CHILD     ? before
           : relation == SIBLING ? parent_of(attributes, before)
                                 : parent_of(attributes, parent_of(attributes, before));
}

/*
 * The limit of the bytes of all stored names, each counted for each attribute that has it: an
 * attribute takes a bit, whatever the length of its name.
 */
static uint64_t max_names_nbytes(uint64_t tree_nbytes)
{
    return 4096 * tree_nbytes + (1 << 20);
}

static const char expands[] = "names of attributes would expand to too much";

/* ---- writing --------------------------------------------------------------------------------- */

/* Elias' gamma code of v + 1. */
static void put_gamma(struct bo_bit_writer *out, uint32_t v)
{
    const unsigned n = bo_bit_width((uint64_t)v + 1) - 1;
    bo_put_bits(out, 0, n);
    bo_put_bits(out, 1, 1);
    ascending_put_bits(out, ((uint64_t)v + 1) & ((UINT64_C(1) << n) - 1), n);
}

static unsigned relation_of(const struct statehist_attribute *attributes, uint32_t q)
{
    unsigned relation = SIBLING;
    while (relation < OTHER && attributes[q].parent != related(attributes, q, relation))
        relation++;
    return relation;
}

enum bo_status statehist_pack_tree(const struct statehist_model *model, struct bo_writer *out,
                                   struct bo_error *err)
{
    const struct statehist_attribute *attributes = model->attributes;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const size_t start = out->n;
    uint64_t nbytes = 0;
    struct bo_texts names;
    uint32_t *name_of = bo_alloc_array(out->arena, model->n_quarks, sizeof *name_of);
    if (!name_of || !bo_texts_init(&names, false, out->arena))
        return bo_fail_alloc(err, out->arena);
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        uint32_t number;
        name_of[q] = 0;
        if (parse_number(attributes[q].name, &number))
            continue;
        if (!bo_texts_add(&names, attributes[q].name, &name_of[q]))
            return bo_fail_alloc(err, out->arena);
        name_of[q]++;
        nbytes += attributes[q].name.n;
    }
    struct symbol *symbols =
        bo_zalloc_array(out->arena, N_RELATIONS * ((size_t)names.n + 1), sizeof *symbols);
    if (!symbols)
        return bo_fail_alloc(err, out->arena);
    bo_put_uvarint(out, names.n);
    for (uint32_t i = 0; i < names.n; i++) {
        bo_put_uvarint(out, names.texts[i].n);
        bo_put_bytes(out, names.texts[i].p, names.texts[i].n);
    }
    struct bo_bit_writer bits = {.out = out};
    uint32_t before = 0;
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        const unsigned relation = relation_of(attributes, q);
        const uint32_t symbol = N_RELATIONS * name_of[q] + relation;
        bo_put_bits(&bits, symbols[before].next == symbol, 1);
        if (symbols[before].next != symbol) {
            bo_put_bits(&bits, relation, 2);
            bo_put_bits(&bits, name_of[q], bo_bit_width(names.n));
        }
        if (relation == OTHER)
            bo_put_bits(&bits, attributes[q].parent + 1, bo_bit_width(q));
        if (name_of[q] == 0) {
            uint32_t number = 0;
            (void)parse_number(attributes[q].name, &number);
            put_gamma(&bits, bo_zigzag32((int32_t)(number - symbols[symbol].number)));
            symbols[symbol].number = number;
        }
        symbols[before].next = symbol;
        before = symbol;
    }
    bo_arena_rewind(out->arena, mark);
    if (!out->status && nbytes > max_names_nbytes(out->n - start))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, expands);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct tree_reader {
    struct statehist_builder *builder;
    struct bo_bit_cursor bits;
    struct bo_span *names;
    uint32_t n_names, n_seen; /* names are numbered in the order of first use */
    uint64_t left_nbytes;     /* that names of further attributes may have */
    struct symbol *symbols;
    uint32_t before; /* symbol */
};

static bool get_gamma(struct bo_bit_cursor *in, uint32_t *v_ret)
{
    uint32_t bit = 0, rest;
    unsigned n = 0;
    while (bo_get_bits(in, 1, &bit) && !bit)
        n++;
    if (!bit || n > 31 || !bo_get_bits(in, n, &rest))
        return false;
    *v_ret = (uint32_t)((UINT64_C(1) << n | rest) - 1);
    return true;
}

static const char *read_attribute(struct tree_reader *r, uint32_t q)
{
    char text[16];
    const struct statehist_attribute *attributes = r->builder->attributes;
    uint32_t follows, relation, name, symbol = r->symbols[r->before].next, parent, steps;
    static const char *const ends = "tree ends too early";
    if (!bo_get_bits(&r->bits, 1, &follows))
        return ends;
    if (!follows) {
        if (!bo_get_bits(&r->bits, 2, &relation) ||
            !bo_get_bits(&r->bits, bo_bit_width(r->n_names), &name))
            return ends;
        if (name > r->n_names || name > r->n_seen + 1)
            return "name out of the order of first use";
        r->n_seen += name > r->n_seen;
        if (symbol == N_RELATIONS * name + relation)
            return "predicted symbol is stored again";
        symbol = N_RELATIONS * name + relation;
    }
    relation = symbol % N_RELATIONS;
    name = symbol / N_RELATIONS;
    if (relation != OTHER) {
        parent = related(attributes, q, relation);
    } else {
        if (!bo_get_bits(&r->bits, bo_bit_width(q), &parent))
            return ends;
        if (parent > q)
            return "parent is not a smaller quark";
        parent--;
    }
    struct bo_span spelling = name ? r->names[name - 1] : (struct bo_span){NULL, 0};
    if (spelling.n > r->left_nbytes)
        return expands;
    r->left_nbytes -= spelling.n;
    if (name == 0) {
        if (!get_gamma(&r->bits, &steps))
            return ends;
        const uint32_t number = r->symbols[symbol].number + (uint32_t)bo_unzigzag32(steps);
        if (number > 999999999)
            return "number has more than nine digits";
        r->symbols[symbol].number = number;
        char *p = text + sizeof text;
        for (uint32_t left = number, more = 1; more; more = left /= 10)
            *--p = (char)('0' + left % 10);
        spelling = (struct bo_span){(const uint8_t *)p, (size_t)(text + sizeof text - p)};
    }
    r->symbols[r->before].next = symbol;
    r->before = symbol;
    if (!statehist_add_attribute(r->builder, spelling, parent))
        return statehist_no_memory;
    return relation == relation_of(r->builder->attributes, q) ? NULL
                                                              : "relation is not the first to fit";
}

static enum bo_status read_names(struct tree_reader *r, struct bo_cursor *c, struct bo_error *err)
{
    struct bo_texts names;
    enum bo_status status = bo_get_uvarint32(c, &r->n_names, err);
    if (status)
        return status;
    if (r->n_names > bo_left(c))
        return bo_fail_here(err, BO_CORRUPT, c, "more names than bytes");
    r->names = bo_alloc_array(r->builder->arena, r->n_names, sizeof *r->names);
    r->symbols = bo_zalloc_array(r->builder->arena, N_RELATIONS * ((size_t)r->n_names + 1),
                                 sizeof *r->symbols);
    if (!r->names || !r->symbols || !bo_texts_init(&names, false, r->builder->arena))
        return bo_fail_alloc(err, r->builder->arena);
    for (uint32_t i = 0; i < r->n_names; i++) {
        const uint64_t off = c->base + c->off;
        uint32_t n, number;
        if ((status = bo_get_uvarint32(c, &n, err)))
            return status;
        if (!bo_get_bytes(c, n, &r->names[i].p))
            return bo_fail_here(err, BO_TRUNCATED, c, "name runs past the tree's end");
        r->names[i].n = n;
        if (parse_number(r->names[i], &number))
            return bo_fail(err, BO_CORRUPT, off, "name that is a number is not stored as a number");
        if (!bo_texts_add(&names, r->names[i], &number))
            return bo_fail_alloc(err, r->builder->arena);
        if (number != i)
            return bo_fail(err, BO_CORRUPT, off, "name occurs twice");
    }
    return BO_OK;
}

enum bo_status statehist_unpack_tree(struct bo_cursor c, uint32_t n_quarks,
                                     struct statehist_builder *builder, struct bo_error *err)
{
    struct tree_reader r = {.builder = builder, .left_nbytes = max_names_nbytes(bo_left(&c))};
    const size_t base = c.base, start = base + c.off;
    const enum bo_status status = read_names(&r, &c, err);
    if (status)
        return status;
    r.bits.in = (struct bo_span){c.p + c.off, bo_left(&c)};
    if (n_quarks > 8 * (uint64_t)r.bits.in.n)
        return bo_fail_here(err, BO_CORRUPT, &c, "more quarks than bits");
    for (uint32_t q = 0; q < n_quarks; q++) {
        const char *what = read_attribute(&r, q);
        if (what == statehist_no_memory)
            return bo_fail_alloc(err, builder->arena);
        if (what)
            return bo_fail(err, what == expands ? BO_OVER_LIMIT : BO_CORRUPT,
                           base + c.off + r.bits.bit / 8, what);
    }
    if (r.n_seen != r.n_names)
        return bo_fail(err, BO_CORRUPT, start, "name belongs to no attribute");
    uint32_t rest = 0;
    const unsigned left = (unsigned)(8 * (uint64_t)r.bits.in.n - r.bits.bit < 8
                                         ? 8 * (uint64_t)r.bits.in.n - r.bits.bit
                                         : 8);
    if (left == 8 || (left && bo_get_bits(&r.bits, left, &rest) && rest))
        return bo_fail(err, BO_CORRUPT, base + c.off + r.bits.bit / 8,
                       "bits after the tree are not 0");
    return BO_OK;
}
