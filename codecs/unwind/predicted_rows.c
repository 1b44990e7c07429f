/*
 * predicted-rows: for archives. All rows as symbols that a binary range coder writes with adaptive
 * probabilities: a state by what followed the same states at the start of other functions, else by
 * what followed the last state; a distance by the states that it lies between. Nothing can be read
 * without reading everything before it: `open` rebuilds the model, queries search in that.
 */
#include "codecs/unwind/unwind.h"
#include "harness/coding/range_coder.h"

enum {
    SEEN = 15, /* of a probability: its low bits, a count of bits coded */
    MAX_SEEN = 14,
    CERTAIN = 1 << 8, /* the least probability, of 2^16: a bit costs at least 1/180 bit */
    N_RANKS = 6,      /* bits of a rank with a probability of their own */
    N_SMALL = 5,      /* bits of a number below 32, each with its own probability */
    END = 0,          /* the symbol after a function's last row; 1: there is no row */
    NO_ROW = 1,
    FIRST_STATE = 2,
};

/* A number: whether it is below 32 and then a tree of 5 bits, else its length and its bits. */
struct number_model {
    uint16_t is_large, tree[1 << N_SMALL], length[34], high[34];
};

/* The limit on functions and rows, which a payload may repeat for a fraction of a bit each. */
static const char too_many[] = "more than 64 functions and rows for each byte";

static uint64_t max_entries(size_t part_nbytes)
{
    enum { A_BYTE = 64, FREE = 1 << 16 };
    return FREE + A_BYTE * (uint64_t)part_nbytes;
}

/* The symbols that followed one context, the latest first. Nodes of beginnings have children. */
struct link {
    uint32_t symbol, next; /* next: the number of a link + 1 */
    uint32_t node;         /* of the beginning that this symbol makes longer */
};

struct node {
    uint32_t first; /* link + 1 */
};

struct coder {
    struct bo_range_coder range;
    bool writes;
    struct bo_arena *arena;
    const char *flaw;
    uint64_t n_left;               /* functions and rows that a reader may still add */
    struct unwind_interner states; /* the first n_known of them are known to the reader */
    uint32_t n_known;
    unsigned unit;      /* distances are multiples of 2 to this */
    struct node *nodes; /* of beginnings: 0 is that of all functions */
    size_t n_nodes, cap_nodes;
    struct node *after; /* by symbol */
    size_t n_after, cap_after;
    struct link *links;
    size_t n_links, cap_links;
    uint16_t rank[2][N_RANKS + 1], kinds[256], regs[3][256], flag[5];
    struct number_model offs[3], starts, lengths, reps;
    struct unwind_interner pairs;   /* of symbols, between which distances lie */
    struct number_model *distances; /* by pair */
    size_t n_distances, cap_distances;
};

/*
 * A bit by an adaptive probability: its upper 12 bits are the probability, its lower 4 how many
 * bits were coded with it, up to a limit. The first bits change it most.
 */
static bool code_bit(struct coder *c, uint16_t *p, bool bit)
{
    const unsigned seen = *p & SEEN, now = (*p & ~(unsigned)SEEN) | (SEEN + 1) / 2;
    bit = bo_range_code(&c->range, now, bit);
    const int32_t target = bit ? (1 << 16) - CERTAIN : CERTAIN;
    const int32_t next = (int32_t)now + (target - (int32_t)now) / (int32_t)(seen + 2);
    *p = (uint16_t)(((unsigned)next & ~(unsigned)SEEN) | (seen < MAX_SEEN ? seen + 1 : seen));
    if (!c->writes && bo_range_ran_out(&c->range))
        c->flaw = "coded rows end too early";
    return bit;
}

static uint32_t code_tree(struct coder *c, uint16_t *tree, unsigned nbits, uint32_t v)
{
    uint32_t node = 1;
    for (unsigned i = nbits; i-- > 0;)
        node = node << 1 | code_bit(c, &tree[node], v >> i & 1);
    return node & ((1u << nbits) - 1);
}

static uint32_t code_number(struct coder *c, struct number_model *m, uint32_t v)
{
    if (!code_bit(c, &m->is_large, v >> N_SMALL != 0))
        return code_tree(c, m->tree, N_SMALL, v);
    const unsigned own = v ? 32u - (unsigned)__builtin_clz(v) : 0;
    unsigned length = N_SMALL + 1;
    while (length < 32 && !c->flaw && code_bit(c, &m->length[length], own > length))
        length++;
    uint32_t read = 1;
    for (unsigned i = length - 1; i-- > 0;) {
        const bool bit = v >> i & 1;
        const bool is_high = i + 2 == length;
        read = read << 1 | (is_high ? code_bit(c, &m->high[length], bit)
                                    : bo_range_code(&c->range, 1 << 15, bit));
    }
    return read;
}

static int32_t code_change(struct coder *c, struct number_model *m, int32_t from, int32_t to)
{
    const uint32_t change = bo_zigzag32((int32_t)((uint32_t)to - (uint32_t)from));
    return (int32_t)((uint32_t)from + (uint32_t)bo_unzigzag32(code_number(c, m, change)));
}

static void code_state(struct coder *c, const struct unwind_state *from, struct unwind_state *s)
{
    struct unwind_state to = {.kinds = (uint8_t)code_tree(c, c->kinds, 8, s->kinds)};
    const enum unwind_rule ra = unwind_ra(&to), fp = unwind_fp(&to);
    to.cfa_reg = (uint8_t)code_tree(c, c->regs[0], 8, s->cfa_reg);
    if (unwind_cfa(&to) != UNWIND_CFA_OTHER)
        to.cfa_off = code_change(c, &c->offs[0], from->cfa_off, s->cfa_off);
    if (ra == UNWIND_AT_CFA || ra == UNWIND_CFA_PLUS || ra == UNWIND_MEMORY)
        to.ra_off = code_change(c, &c->offs[1], from->ra_off, s->ra_off);
    if (ra == UNWIND_REGISTER || ra == UNWIND_MEMORY)
        to.ra_reg = (uint8_t)code_tree(c, c->regs[1], 8, s->ra_reg);
    if (fp == UNWIND_AT_CFA || fp == UNWIND_CFA_PLUS || fp == UNWIND_MEMORY)
        to.fp_off = code_change(c, &c->offs[2], from->fp_off, s->fp_off);
    if (fp == UNWIND_REGISTER || fp == UNWIND_MEMORY)
        to.fp_reg = (uint8_t)code_tree(c, c->regs[2], 8, s->fp_reg);
    *s = to;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static const struct unwind_state *state_of(const struct coder *c, uint32_t symbol)
{
    static const struct unwind_state none = {0};
    return symbol < FIRST_STATE
               ? &none
               : (const struct unwind_state *)(const void *)(c->states.items +
                                                             (symbol - FIRST_STATE) *
                                                                 sizeof(struct unwind_state));
}

/* One of the symbols of a node, moved to its front; UINT32_MAX when it is not among them. */
static uint32_t code_known(struct coder *c, struct node *node, unsigned which, uint32_t symbol)
{
    uint32_t *link = &node->first;
    for (unsigned rank = 0; *link && !c->flaw; link = &c->links[*link - 1].next, rank++) {
        const uint32_t number = *link - 1;
        uint16_t *p = &c->rank[which][rank < N_RANKS ? rank : N_RANKS];
        if (code_bit(c, p, c->links[number].symbol == symbol)) {
            *link = c->links[number].next;
            c->links[number].next = node->first;
            node->first = number + 1;
            return number;
        }
    }
    return UINT32_MAX;
}

static uint32_t add_link(struct coder *c, uint32_t symbol)
{
    if (!bo_grow(c->arena, &c->links, c->n_links, 1, &c->cap_links))
        return UINT32_MAX;
    c->links[c->n_links] = (struct link){.symbol = symbol};
    return (uint32_t)c->n_links++;
}

static bool add_node(struct coder *c, uint32_t *number_ret)
{
    if (!bo_grow(c->arena, &c->nodes, c->n_nodes, 1, &c->cap_nodes))
        return false;
    c->nodes[c->n_nodes] = (struct node){0};
    *number_ret = (uint32_t)c->n_nodes++;
    return true;
}

static bool add_after(struct coder *c)
{
    while (c->n_after < c->states.n + FIRST_STATE) {
        if (!bo_grow(c->arena, &c->after, c->n_after, 1, &c->cap_after))
            return false;
        c->after[c->n_after++] = (struct node){0};
    }
    return true;
}

/* A reader's check: a symbol that was not taken from a node's list is not in that list. */
static void expect_new(struct coder *c, const struct node *node, uint32_t symbol)
{
    uint32_t link = c->writes ? 0 : node->first;
    for (; link && !c->flaw; link = c->links[link - 1].next)
        if (c->links[link - 1].symbol == symbol)
            c->flaw = "symbol is written anew although it is known";
}

/* The number of a known state. */
static uint32_t code_raw(struct coder *c, uint32_t v)
{
    uint32_t read = 0;
    for (unsigned i = 32u - (unsigned)__builtin_clz(c->n_known | 1); i-- > 0;)
        read = read << 1 | bo_range_code(&c->range, 1 << 15, v >> i & 1);
    return read;
}

/*
 * The symbol that follows `last` in the function whose beginning is *node, which becomes the longer
 * one. When writing, *symbol is that symbol and *state its state. False without memory.
 */
static bool code_symbol(struct coder *c, uint32_t *node, uint32_t last, uint32_t *symbol,
                        const struct unwind_state *state)
{
    uint32_t link = code_known(c, &c->nodes[*node], 0, *symbol);
    if (link == UINT32_MAX && !c->flaw) {
        const uint32_t by_state = code_known(c, &c->after[last], 1, *symbol);
        if (by_state != UINT32_MAX) {
            *symbol = c->links[by_state].symbol;
        } else if (!c->flaw) {
            if (code_bit(c, &c->flag[0], *symbol == END)) {
                *symbol = END;
            } else if (code_bit(c, &c->flag[1], *symbol == NO_ROW)) {
                *symbol = NO_ROW;
            } else if (code_bit(c, &c->flag[4], *symbol - FIRST_STATE < c->n_known)) {
                *symbol = code_raw(c, *symbol - FIRST_STATE) + FIRST_STATE;
                if (*symbol - FIRST_STATE >= c->n_known) {
                    c->flaw = "state number is out of range";
                    return true;
                }
            } else {
                struct unwind_state s = *state;
                code_state(c, state_of(c, last), &s);
                const uint32_t number = unwind_intern(&c->states, &s);
                if (number == UINT32_MAX || !add_after(c))
                    return false;
                if (number < c->n_known) {
                    c->flaw = "state is written twice";
                    return true;
                }
                c->n_known++;
                *symbol = number + FIRST_STATE;
            }
            expect_new(c, &c->after[last], *symbol);
            const uint32_t own = add_link(c, *symbol);
            if (own == UINT32_MAX)
                return false;
            c->links[own].next = c->after[last].first;
            c->after[last].first = own + 1;
        }
        expect_new(c, &c->nodes[*node], *symbol);
        link = add_link(c, *symbol);
        uint32_t child = 0;
        if (link == UINT32_MAX || !add_node(c, &child))
            return false;
        c->links[link].node = child;
        c->links[link].next = c->nodes[*node].first;
        c->nodes[*node].first = link + 1;
    }
    if (c->flaw)
        return true;
    *symbol = c->links[link].symbol;
    *node = c->links[link].node;
    return true;
}

static void init_probabilities(uint16_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = 1 << 15;
}

/* The model of the distances between two symbols; NULL without memory. */
static struct number_model *distances_of(struct coder *c, uint32_t from, uint32_t to)
{
    const uint32_t pair[2] = {from, to}, number = unwind_intern(&c->pairs, pair);
    if (number == UINT32_MAX)
        return NULL;
    if (number == c->n_distances) {
        if (!bo_grow(c->arena, &c->distances, c->n_distances, 1, &c->cap_distances))
            return NULL;
        init_probabilities(&c->distances[number].is_large, sizeof *c->distances / 2);
        c->n_distances++;
    }
    return &c->distances[number];
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool init_coder(struct coder *c, struct bo_arena *arena)
{
    uint32_t root;
    c->arena = arena;
    init_probabilities(c->rank[0], (sizeof c->rank + sizeof c->kinds + sizeof c->regs +
                                    sizeof c->flag + sizeof c->offs + 3 * sizeof c->starts) /
                                       2);
    unwind_interner_init(&c->pairs, 2 * sizeof(uint32_t), arena);
    unwind_interner_init(&c->states, sizeof(struct unwind_state), arena);
    return add_node(c, &root) && add_after(c);
}

/*
 * One function. When reading, it is added to the builder. `end` is the end of the function before,
 * from Base.
 */
static enum bo_status code_function(struct coder *c, const struct unwind_function *f, uint64_t end,
                                    uint64_t base, struct unwind_builder *b, uint64_t *end_ret,
                                    struct bo_error *err)
{
    static const struct unwind_state none = {0};
    const uint32_t to_grid = (uint32_t)(-end & 15);
    const uint32_t hole = f ? (uint32_t)(f->start - base - end) : 0;
    uint32_t gap = to_grid;
    uint8_t flags = 0, rep = 0;
    if (!code_bit(c, &c->flag[2], hole == to_grid))
        gap = code_number(c, &c->starts, hole);
    const uint64_t start = end + gap;
    const bool plain = code_bit(c, &c->flag[3], f && !f->flags && !f->rep);
    if (!plain) {
        const uint32_t coded_flags = code_number(c, &c->reps, f ? f->flags : 0);
        const uint32_t coded_rep = code_number(c, &c->reps, f ? f->rep : 0);
        if (!c->flaw && (coded_flags > UNWIND_ALL_FLAGS || coded_rep > UINT8_MAX))
            c->flaw = "flags or pattern's size are out of range";
        flags = (uint8_t)coded_flags;
        rep = (uint8_t)coded_rep;
    }
    if (c->flaw)
        return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, c->flaw);
    if (b && c->n_left-- == 0)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, too_many);
    if (b && !unwind_add_function(b, base + start, 0, flags, rep))
        return bo_fail_alloc(err, c->arena);
    const uint32_t extent = f ? (f->rep && f->rep < f->length ? f->rep : f->length) : 0;
    uint32_t node = 0, last = END;
    uint64_t off = 0;
    const bool no_first = f && (f->n_rows == 0 || f->rows[0].off);
    for (uint32_t r = 0;; r++) {
        const uint32_t row = r - no_first;
        uint32_t symbol = END;
        const struct unwind_state *state = &none;
        if (f && (no_first ? r == 0 : false)) {
            symbol = NO_ROW;
        } else if (f && row < f->n_rows) {
            state = &f->rows[row].state;
            const uint32_t number = unwind_intern(&c->states, state);
            if (number == UINT32_MAX || !add_after(c))
                return bo_fail_alloc(err, c->arena);
            symbol = number + FIRST_STATE;
        }
        const uint32_t from = last;
        if (!code_symbol(c, &node, last, &symbol, state))
            return bo_fail_alloc(err, c->arena);
        if (c->flaw)
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, c->flaw);
        if (r) {
            const uint32_t next = !f ? 0 : row < f->n_rows ? f->rows[row].off : extent;
            const uint32_t before = !f || row == 0 ? 0 : f->rows[row - 1].off;
            struct number_model *m = distances_of(c, from, symbol);
            if (!m)
                return bo_fail_alloc(err, c->arena);
            const uint64_t distance = (uint64_t)code_number(c, m, (next - before) >> c->unit)
                                      << c->unit;
            off += distance;
            if (!f && (distance == 0 || off > UINT32_MAX))
                c->flaw = "distance between rows is 0, or a function exceeds 4 GiB";
        } else if (!f && symbol == END) {
            c->flaw = "function has no symbols";
        }
        if (!f && symbol == NO_ROW && r)
            c->flaw = "absence of a row follows a row";
        if (!f && symbol == from && symbol != END)
            c->flaw = "neighbouring rows are equal";
        if (c->flaw)
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, c->flaw);
        if (symbol == END)
            break;
        if (b && symbol != NO_ROW && c->n_left-- == 0)
            return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, too_many);
        if (b && symbol != NO_ROW && !unwind_add_row(b, (uint32_t)off, state_of(c, symbol)))
            return bo_fail_alloc(err, c->arena);
        last = symbol;
    }
    const uint32_t length = rep ? code_number(c, &c->lengths, f ? f->length : 0) : (uint32_t)off;
    if (!f && !c->flaw && off != (rep && rep < length ? rep : length))
        c->flaw = "distances of a pattern function do not end where its block does";
    if (c->flaw)
        return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, c->flaw);
    if (b)
        b->functions[b->n_functions - 1].length = length;
    *end_ret = start + length;
    return BO_OK;
}

/* Of all distances between rows. */
static unsigned unit_of(const struct unwind_model *model)
{
    const uint8_t factor = unwind_machines[model->arch].code_factor;
    uint32_t all = 0;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        all |= f->length | f->rep;
        for (uint32_t r = 0; r < f->n_rows; r++)
            all |= f->rows[r].off;
    }
    return all & (factor - 1u) ? 0 : (unsigned)__builtin_ctz(factor);
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct unwind_model *model = opaque;
    const uint64_t base = unwind_base(model);
    struct coder *c = bo_zalloc_array(out->arena, 1, sizeof *c);
    struct unwind_frame_writer w;
    uint64_t end = 0, n_entries = 0;
    enum bo_status status = unwind_expect_functions(model, err);
    if (status)
        return status;
    if (!c || !init_coder(c, out->arena))
        return bo_fail_alloc(err, out->arena);
    unwind_frame_begin(&w, model, 1, out);
    bo_mark(out, "rows");
    c->unit = unit_of(model);
    const size_t part = out->n;
    bo_put_le32(out, model->n_functions);
    bo_put_u8(out, (uint8_t)c->unit);
    c->writes = true;
    c->range = bo_range_encoder(out);
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        if (f->start - base - end > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "hole between functions has 4 GiB or more");
        status = code_function(c, f, end, base, NULL, &end, err);
        if (status)
            return status;
        n_entries += 1 + (uint64_t)f->n_rows;
    }
    bo_range_finish(&c->range);
    if (!out->status && n_entries > max_entries(out->n - part))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_many);
    unwind_frame_end_part(&w);
    return bo_writer_status(out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct unwind_frame frame;
    struct unwind_builder b = {.arena = arena};
    uint64_t end = 0;
    enum bo_status status = unwind_frame_open(in, 1, &frame, err);
    if (status)
        return status;
    const struct bo_span part = frame.parts[0];
    struct coder *c = bo_zalloc_array(arena, 1, sizeof *c);
    if (!c || !init_coder(c, arena))
        return bo_fail_alloc(err, arena);
    if (part.n < 5)
        return bo_fail(err, BO_TRUNCATED, frame.part_off[0],
                       "part ends inside the number of functions");
    const uint32_t n = bo_le32(part.p);
    c->unit = part.p[4];
    c->range = bo_range_decoder((struct bo_span){part.p + 5, part.n - 5});
    c->n_left = max_entries(part.n);
    if (c->unit > 2)
        return bo_fail(err, BO_CORRUPT, frame.part_off[0] + 4, "unit is out of range");
    if (n > UINT32_MAX / 2 || (n == 0 && frame.base))
        return bo_fail(err, BO_CORRUPT, frame.part_off[0],
                       "too many functions, or a base without functions");
    for (uint32_t i = 0; i < n; i++) {
        status = code_function(c, NULL, end, frame.base, &b, &end, err);
        if (!status && (end > UINT64_MAX - frame.base || end > (uint64_t)INT64_MAX))
            status = bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "function ends past 2^64");
        if (status)
            return status;
    }
    const char *flaw = bo_range_flaw(&c->range);
    if (!flaw && n && b.functions[0].start != frame.base)
        flaw = "first function does not start at Base";
    struct unwind_model *model = flaw ? NULL : unwind_build(&b, frame.arch);
    if (!flaw && !model)
        return bo_fail_alloc(err, arena);
    flaw = flaw ? flaw : unwind_model_flaw(model, NULL);
    *model_ret = model;
    return flaw ? bo_fail(err, BO_CORRUPT, frame.part_off[0], flaw) : BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    return decode(self, in, arena, reader_ret, err);
}

/* ---- queries --------------------------------------------------------------------------------- */

static const struct unwind_function *find(const struct unwind_model *model, uint64_t pc)
{
    size_t low = 0, n = model->n_functions;
    if (n == 0)
        return NULL;
    while (n > 1) {
        const size_t half = n / 2;
        low = model->functions[low + half].start <= pc ? low + half : low;
        n -= half;
    }
    const struct unwind_function *f = &model->functions[low];
    return pc >= f->start && pc - f->start < f->length ? f : NULL;
}

static void answer_point(const struct unwind_model *model, uint64_t pc,
                         struct unwind_point_answer *answer)
{
    const struct unwind_function *f = find(model, pc);
    *answer = (struct unwind_point_answer){0};
    if (!f)
        return;
    uint32_t off = (uint32_t)(pc - f->start), low = 0, n = f->n_rows;
    off = f->rep ? off % f->rep : off;
    answer->start = f->start;
    answer->flags = f->flags;
    answer->found = UNWIND_NO_ROW;
    while (n > 1) {
        const uint32_t half = n / 2;
        low = f->rows[low + half].off <= off ? low + half : low;
        n -= half;
    }
    if (n && f->rows[low].off <= off) {
        answer->found = UNWIND_ROW;
        answer->state = f->rows[low].state;
    }
}

static enum bo_status put_function(const struct unwind_function *f, struct bo_sink *sink)
{
    struct unwind_function_answer *answer =
        unwind_answer_function(sink, f->start, f->length, f->flags, f->rep);
    if (!answer)
        return BO_OVER_LIMIT;
    for (uint32_t r = 0; r < f->n_rows; r++)
        if (!unwind_answer_row(sink, answer, f->rows[r].off, &f->rows[r].state))
            return BO_OVER_LIMIT;
    return BO_OK;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct unwind_model *model = reader;
    const struct unwind_point *points = queries;
    const struct unwind_at *at = queries;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (kind == UNWIND_POINT) {
            answer_point(model, points[i].pc, (struct unwind_point_answer *)answers + i);
        } else if (kind == UNWIND_FUNCTION) {
            const struct unwind_function *f = find(model, at[i].pc);
            status = f ? put_function(f, answers) : BO_OUT_OF_RANGE;
        } else {
            struct unwind_scan_answer *head = bo_sink_take(answers, sizeof *head);
            if (!head)
                return BO_OVER_LIMIT;
            head->n_functions = model->n_functions;
            for (uint32_t f = 0; f < model->n_functions && !status; f++)
                status = put_function(&model->functions[f], answers);
        }
    }
    return status;
}

const struct bo_codec unwind_predicted_rows = {
    .name = "predicted-rows",
    .summary = "all rows coded by what came before, for archives; read as a whole",
    .spec = "codecs/unwind/README.md#predicted-rows",
    .choices = "the unit; two forms of some starts and of functions without flags",
    .role = BO_NEW,
    .access = BO_WHOLE,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
