/* sequences: the dictionary's stream, written and read by one traversal. */
#include "codecs/unwind/sequences/dictionary.h"

#include "harness/coding/range_coder.h"

enum {
    RATE = 4,          /* adaptation rate of a probability: a shift */
    CERTAIN = 1 << 10, /* the least probability: a bit costs at least 1/45 bit, which bounds work */
    N_RANKS = 16,      /* adaptive bits of a rank; beyond, the last one */
    N_LENGTHS = 34,    /* bits of a number's length */
    MAX_LISTS = 1 << 24,
};

/* A number: its length in adaptive bits, the bit below the first adaptive by length, then raw. */
struct number_model {
    uint16_t length[N_LENGTHS], second[N_LENGTHS];
};

struct byte_model {
    uint16_t node[256];
};

/* Where a field of a state or of a list has its probabilities. */
enum numbers { N_LISTS, FLAGS, REP, IMPLIED, CFA_OFF, RA_OFF, FP_OFF, BASE, WIDTH, N_NUMBERS };
enum registers { CFA_REG, RA_REG, FP_REG, KINDS, N_BYTES };

/* The successors of a state, the latest first: transitions linked by `next`. */
struct coder {
    struct bo_range_coder range;
    bool writes;
    struct number_model numbers[N_NUMBERS];
    struct byte_model bytes[N_BYTES];
    uint16_t rank[2][N_RANKS], is_end, is_known;
    struct bo_arena *arena;
    /* When reading: the result. When writing: the reader's state, in the reader's numbers. */
    struct unwind_dictionary d;
    uint32_t *first; /* of each state its latest successor's transition + 1 */
    size_t cap_first;
    uint32_t *next; /* of each transition the one before it, + 1 */
    size_t cap_next;
    uint64_t max_steps; /* of the dictionary that is read */
    const char *flaw;
};

static const char too_many_steps[] = "more than 256 rows for each byte";

static void init_probabilities(uint16_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = 1 << 15;
}

static bool code_bit(struct coder *c, uint16_t *p, bool bit)
{
    bit = bo_range_code(&c->range, *p, bit);
    const int32_t target = bit ? (1 << 16) - CERTAIN : CERTAIN;
    *p = (uint16_t)(*p + (target - *p) / (1 << RATE));
    if (!c->writes && bo_range_ran_out(&c->range))
        c->flaw = "dictionary ends before its last list";
    return bit;
}

static uint32_t code_raw(struct coder *c, unsigned nbits, uint32_t v)
{
    uint32_t read = 0;
    for (unsigned i = nbits; i-- > 0;)
        read = read << 1 | bo_range_code(&c->range, 1 << 15, v >> i & 1);
    return read;
}

static uint32_t code_number(struct coder *c, enum numbers which, uint32_t v)
{
    struct number_model *m = &c->numbers[which];
    unsigned length = 0;
    const unsigned own = v ? 32u - (unsigned)__builtin_clz(v) : 0;
    while (length < 32 && !c->flaw && code_bit(c, &m->length[length], own > length))
        length++;
    if (length < 2)
        return length;
    const bool second = code_bit(c, &m->second[length], v >> (length - 2) & 1);
    const uint32_t high = (2u | second) << (length - 2);
    return high | code_raw(c, length - 2, v & ((1u << (length - 2)) - 1));
}

static int32_t code_change(struct coder *c, enum numbers which, int32_t from, int32_t to)
{
    const uint32_t change = bo_zigzag32((int32_t)((uint32_t)to - (uint32_t)from));
    return (int32_t)((uint32_t)from + (uint32_t)bo_unzigzag32(code_number(c, which, change)));
}

static uint8_t code_byte(struct coder *c, enum registers which, uint8_t v)
{
    uint32_t node = 1;
    for (unsigned i = 8; i-- > 0;)
        node = node << 1 | code_bit(c, &c->bytes[which].node[node], v >> i & 1);
    return (uint8_t)node;
}

/* A new state, coded as its difference from the state before it. */
static void code_state(struct coder *c, const struct unwind_state *from, struct unwind_state *s)
{
    struct unwind_state to = {.kinds = code_byte(c, KINDS, s->kinds)};
    to.cfa_reg = code_byte(c, CFA_REG, s->cfa_reg);
    if (unwind_cfa(&to) != UNWIND_CFA_OTHER)
        to.cfa_off = code_change(c, CFA_OFF, from->cfa_off, s->cfa_off);
    for (unsigned i = 0; i < 2; i++) {
        const enum unwind_rule rule = i ? unwind_fp(&to) : unwind_ra(&to);
        if (rule == UNWIND_AT_CFA || rule == UNWIND_CFA_PLUS || rule == UNWIND_MEMORY) {
            if (i)
                to.fp_off = code_change(c, FP_OFF, from->fp_off, s->fp_off);
            else
                to.ra_off = code_change(c, RA_OFF, from->ra_off, s->ra_off);
        }
        if (rule == UNWIND_REGISTER || rule == UNWIND_MEMORY) {
            if (i)
                to.fp_reg = code_byte(c, FP_REG, s->fp_reg);
            else
                to.ra_reg = code_byte(c, RA_REG, s->ra_reg);
        }
    }
    *s = to;
}

static bool add_state(struct coder *c, const struct unwind_state *s)
{
    struct unwind_dictionary *d = &c->d;
    if (!bo_grow(c->arena, &d->states, d->n_states, 1, &d->cap_states) ||
        !bo_grow(c->arena, &c->first, d->n_states, 1, &c->cap_first))
        return false;
    c->first[d->n_states] = 0;
    d->states[d->n_states++] = *s;
    return true;
}

/*
 * A successor that `from` did not have: a state that is known, or a new one; then the distance.
 * When writing, *t is the transition, in the reader's numbers, and *state the new state.
 */
static bool code_new_transition(struct coder *c, struct unwind_transition *t,
                                const struct unwind_state *state)
{
    struct unwind_dictionary *d = &c->d;
    if (code_bit(c, &c->is_end, t->to == UNWIND_LIST_END)) {
        t->to = UNWIND_LIST_END;
    } else if (code_bit(c, &c->is_known, t->to < d->n_states)) {
        const unsigned nbits = 32u - (unsigned)__builtin_clz((uint32_t)d->n_states);
        t->to = code_raw(c, nbits, t->to);
        if (t->to >= d->n_states || t->to == UNWIND_LIST_END) {
            c->flaw = "state number is out of range";
            return true;
        }
    } else {
        struct unwind_state s = *state;
        code_state(c, &d->states[t->from], &s);
        t->to = (uint32_t)d->n_states;
        if (!add_state(c, &s))
            return false;
    }
    t->base = code_number(c, BASE, t->base);
    const uint32_t width = code_number(c, WIDTH, t->width);
    if (width > UNWIND_MAX_WIDTH)
        c->flaw = "field has more than 32 bits";
    t->width = (uint8_t)width;
    return true;
}

/* The transition from a state, one that it had before or a new one; false without memory. */
static bool code_transition(struct coder *c, struct unwind_transition *t,
                            const struct unwind_state *state, uint32_t *number_ret)
{
    struct unwind_dictionary *d = &c->d;
    uint32_t *link = &c->first[t->from], rank = 0;
    for (; *link && !c->flaw; link = &c->next[*link - 1], rank++) {
        const uint32_t number = *link - 1;
        uint16_t *p =
            &c->rank[t->from == UNWIND_NO_STATE][rank < N_RANKS ? rank : (unsigned)N_RANKS - 1];
        if (code_bit(c, p, d->transitions[number].to == t->to)) {
            *link = c->next[number];
            c->next[number] = c->first[t->from];
            c->first[t->from] = number + 1;
            *t = d->transitions[number];
            *number_ret = number;
            return true;
        }
    }
    if (c->flaw)
        return true;
    if (!code_new_transition(c, t, state) ||
        !bo_grow(c->arena, &d->transitions, d->n_transitions, 1, &d->cap_transitions) ||
        !bo_grow(c->arena, &c->next, d->n_transitions, 1, &c->cap_next))
        return false;
    for (uint32_t k = c->first[t->from]; k && !c->flaw; k = c->next[k - 1])
        if (d->transitions[k - 1].to == t->to)
            c->flaw = "transition is listed twice";
    *number_ret = (uint32_t)d->n_transitions;
    c->next[d->n_transitions] = c->first[t->from];
    d->transitions[d->n_transitions++] = *t;
    c->first[t->from] = (uint32_t)d->n_transitions;
    return true;
}

static void init_coder(struct coder *c, struct bo_arena *arena)
{
    init_probabilities(&c->numbers[0].length[0], sizeof c->numbers / 2);
    init_probabilities(&c->bytes[0].node[0], sizeof c->bytes / 2);
    init_probabilities(&c->rank[0][0], sizeof c->rank / 2);
    c->is_end = c->is_known = 1 << 15;
    c->arena = arena;
}

/* The two numbers that are not states of rows. */
static bool add_special_states(struct coder *c)
{
    const struct unwind_state none = {0};
    return add_state(c, &none) && add_state(c, &none);
}

static const char *list_flaw(uint32_t flags, uint32_t rep)
{
    enum { ALL = UNWIND_ALL_FLAGS | UNWIND_LIST_HOLE | UNWIND_LIST_PATTERN };
    if (flags > ALL || (flags & UNWIND_LIST_HOLE && flags != UNWIND_LIST_HOLE))
        return "flags of a list are unknown or contradict each other";
    if (flags & UNWIND_LIST_PATTERN && (rep == 0 || rep > UINT8_MAX))
        return "pattern's size is 0 or above 255";
    return NULL;
}

/* Flags, pattern and, after the steps, the implied step. When writing, they are in *list. */
static void code_list_flags(struct coder *c, struct unwind_list *list)
{
    const uint32_t flags = code_number(c, FLAGS, list->flags);
    const uint32_t rep = flags & UNWIND_LIST_PATTERN ? code_number(c, REP, list->rep) : 0;
    c->flaw = c->flaw ? c->flaw : list_flaw(flags, rep);
    list->flags = (uint8_t)flags;
    list->rep = (uint8_t)rep;
}

static void code_implied(struct coder *c, struct unwind_list *list)
{
    if (list->flags & UNWIND_LIST_PATTERN)
        list->implied = list->n - 1;
    else if (list->n > 1)
        list->implied = code_number(c, IMPLIED, list->implied);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One list. numbers[]: the reader's number of each state of the writer, 0 until it has one. */
static bool put_list(struct coder *c, const struct unwind_dictionary *d, struct unwind_list list,
                     uint32_t *numbers)
{
    uint32_t from = UNWIND_LIST_END, number; /* END also precedes the first state of a list */
    code_list_flags(c, &list);
    if (list.flags & UNWIND_LIST_HOLE)
        return true;
    for (uint32_t i = 0; i <= list.n; i++) {
        const struct unwind_step *step = &d->steps[list.first + i];
        const uint32_t to = i < list.n ? step->state : UNWIND_LIST_END;
        struct unwind_transition t = {.from = from};
        if (i) {
            t.base = d->transitions[step[-1].transition].base;
            t.width = d->transitions[step[-1].transition].width;
        }
        t.to = to < UNWIND_FIRST_STATE ? to : numbers[to] ? numbers[to] : UINT32_MAX;
        if (!code_transition(c, &t, &d->states[to], &number))
            return false;
        if (to >= UNWIND_FIRST_STATE)
            numbers[to] = t.to;
        from = t.to;
    }
    code_implied(c, &list);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool get_list(struct coder *c)
{
    struct unwind_dictionary *d = &c->d;
    struct unwind_list list = {.first = (uint32_t)d->n_steps};
    const struct unwind_state none = {0};
    code_list_flags(c, &list);
    for (uint32_t from = UNWIND_LIST_END; !c->flaw && !(list.flags & UNWIND_LIST_HOLE);) {
        struct unwind_transition t = {.from = from};
        uint32_t number = 0;
        if (!code_transition(c, &t, &none, &number))
            return false;
        if (list.n)
            d->steps[d->n_steps - 1].transition = number;
        if (c->flaw || (t.to == UNWIND_LIST_END && list.n))
            break;
        if (t.to == UNWIND_LIST_END)
            c->flaw = "list has no states";
        else if (t.to == UNWIND_NO_STATE && list.n)
            c->flaw = "absence of a row follows a row";
        else if (t.to == from)
            c->flaw = "neighbouring rows are equal";
        else if (d->n_steps == c->max_steps)
            c->flaw = too_many_steps;
        if (c->flaw)
            break;
        if (!bo_grow(c->arena, &d->steps, d->n_steps, 1, &d->cap_steps))
            return false;
        d->steps[d->n_steps++] = (struct unwind_step){t.to, 0};
        list.n++;
        from = t.to;
    }
    if (!c->flaw)
        code_implied(c, &list);
    if (!c->flaw && list.n && list.implied >= list.n)
        c->flaw = "implied distance is not one of the list's";
    if (!bo_grow(c->arena, &d->lists, d->n_lists, 1, &d->cap_lists))
        return false;
    d->lists[d->n_lists++] = list;
    return true;
}

/* Finds what no writer writes, and states that break a rule. */
static const char *states_flaw(const struct unwind_dictionary *d, enum unwind_arch arch,
                               struct bo_arena *arena)
{
    struct unwind_interner in;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const char *flaw = NULL;
    unwind_interner_init(&in, sizeof(struct unwind_state), arena);
    for (size_t i = UNWIND_FIRST_STATE; i < d->n_states && !flaw; i++) {
        flaw = unwind_state_flaw(&d->states[i], arch);
        if (!flaw) {
            const uint32_t number = unwind_intern(&in, &d->states[i]);
            if (number == UINT32_MAX)
                return "";
            flaw = number != i - UNWIND_FIRST_STATE ? "state is listed twice" : NULL;
        }
    }
    bo_arena_rewind(arena, mark);
    return flaw;
}

/* Reads the lists of one stream and appends them to the known ones; false without memory. */
static bool get_lists(struct coder *c, struct bo_span in)
{
    c->range = bo_range_decoder(in);
    const uint32_t n = code_number(c, N_LISTS, 0);
    if (!c->flaw && n > MAX_LISTS - c->d.n_lists)
        c->flaw = "more than 2^24 lists";
    for (uint32_t i = 0; i < n && !c->flaw; i++)
        if (!get_list(c))
            return false;
    c->flaw = c->flaw ? c->flaw : bo_range_flaw(&c->range);
    return true;
}

/* A coder that has read the lists of `known`; NULL without memory. */
static struct coder *make_coder(struct bo_span known, struct bo_arena *arena)
{
    struct coder *c = bo_zalloc_array(arena, 1, sizeof *c);
    if (!c)
        return NULL;
    init_coder(c, arena);
    c->max_steps = UINT64_MAX;
    return add_special_states(c) && (known.n == 0 || get_lists(c, known)) ? c : NULL;
}

bool unwind_known_dictionary(struct bo_span known, struct bo_arena *arena,
                             struct unwind_dictionary *d_ret)
{
    const struct coder *c = make_coder(known, arena);
    if (c)
        *d_ret = c->d;
    return c != NULL;
}

enum bo_status unwind_get_dictionary(struct bo_span known, struct bo_span in, uint64_t at,
                                     uint64_t max_steps, enum unwind_arch arch,
                                     struct bo_arena *arena, struct unwind_dictionary *d_ret,
                                     struct bo_error *err)
{
    struct coder *c = make_coder(known, arena);
    if (!c)
        return bo_fail_alloc(err, arena);
    c->max_steps = c->d.n_steps + max_steps;
    if (!get_lists(c, in))
        return bo_fail_alloc(err, arena);
    if (c->flaw == too_many_steps)
        return bo_fail(err, BO_OVER_LIMIT, at, c->flaw);
    if (!c->flaw)
        c->flaw = states_flaw(&c->d, arch, arena);
    if (c->flaw)
        return *c->flaw ? bo_fail(err, BO_CORRUPT, at, c->flaw) : bo_fail_alloc(err, arena);
    *d_ret = c->d;
    return BO_OK;
}

enum bo_status unwind_put_dictionary(const struct unwind_dictionary *d, struct bo_span known,
                                     struct bo_writer *out, struct bo_error *err)
{
    struct coder *c = make_coder(known, out->arena);
    uint32_t *numbers = bo_zalloc_array(out->arena, d->n_states, sizeof *numbers);
    if (!c || !numbers)
        return bo_fail_alloc(err, out->arena);
    const size_t n_known = c->d.n_lists;
    for (uint32_t i = UNWIND_FIRST_STATE; i < c->d.n_states; i++)
        numbers[i] = i;
    c->writes = true;
    c->range = bo_range_encoder(out);
    code_number(c, N_LISTS, (uint32_t)(d->n_lists - n_known));
    for (size_t i = n_known; i < d->n_lists; i++)
        if (!put_list(c, d, d->lists[i], numbers))
            return bo_fail_alloc(err, out->arena);
    bo_range_finish(&c->range);
    return bo_writer_status(out, err);
}
