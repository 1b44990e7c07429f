/* sequences: the writer. */
#include <stdlib.h>

#include "codecs/unwind/sequences/sequences.h"

enum { N_QUANTA = UNWIND_SEQ_MAX_QUANTUM + 1 };
static const uint32_t NO_FUNCTION = UINT32_MAX;

/* The costs by which functions are divided into segments, in bits. */
enum { SEGMENT_COST = 500, HOLE_COST = 30 };

/* A function, or a hole between two, in a segment. */
struct entry {
    uint32_t start; /* quanta from the segment's start */
    uint32_t pad;   /* units between its end and the next start */
    uint32_t function;
    uint32_t list;
};

struct segment {
    uint32_t start, span; /* bytes, from Base */
    uint32_t first, n;    /* entries */
    uint8_t quantum, low_bits, pad_bits;
};

/* The distances of one function's rows are gaps[first] on; equal lists have one group. */
struct function {
    uint32_t first_step, n_steps, group;
    uint32_t n_over;       /* fields that do not fit their widths */
    uint64_t narrow, wide; /* bits of its record in either form */
};

struct group {
    uint32_t function, n_functions, list;
};

struct encoder {
    const struct unwind_model *model;
    struct bo_arena *arena;
    unsigned unit; /* as a shift */
    struct unwind_interner states, transitions;
    uint32_t *steps; /* states of all functions; UNWIND_NO_STATE in gaps */
    uint32_t *gaps;  /* of each step, in units */
    uint32_t *links; /* of each step its transition */
    size_t n_steps;
    struct function *functions;
    struct group *groups;
    size_t n_groups;
    uint32_t *slots; /* of groups by hash, + 1 */
    size_t n_slots;
    uint32_t hole_list;
    bool has_holes;
    struct entry *entries;
    size_t n_entries, cap_entries;
    struct segment *segments;
    size_t n_segments, cap_segments;
    struct unwind_dictionary d;
    struct bo_span known; /* the stream with which the dictionary begins, and its dictionary */
    struct unwind_dictionary fixed;
    uint32_t *fixed_slots; /* its lists by hash, + 1 */
    size_t n_fixed_slots;
    uint32_t first_base; /* of new transitions, to be lowered */
};

/* ---- steps and gaps -------------------------------------------------------------------------- */

static uint32_t extent_of(const struct unwind_function *f)
{
    return f->rep && f->rep < f->length ? f->rep : f->length;
}

/* All distances are multiples of it. */
static unsigned unit_of(const struct unwind_model *model)
{
    const uint8_t factor = unwind_machines[model->arch].code_factor;
    uint64_t all = 0;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        all |= (f->start - unwind_base(model)) | f->length | f->rep;
        for (uint32_t r = 0; r < f->n_rows; r++)
            all |= f->rows[r].off;
    }
    return all & (factor - 1u) ? 0 : (unsigned)__builtin_ctz(factor);
}

static bool add_steps(struct encoder *e)
{
    size_t n = 0;
    for (uint32_t i = 0; i < e->model->n_functions; i++)
        n += e->model->functions[i].n_rows + (size_t)1;
    e->steps = bo_alloc_array(e->arena, n, sizeof *e->steps);
    e->gaps = bo_alloc_array(e->arena, n, sizeof *e->gaps);
    e->links = bo_alloc_array(e->arena, n, sizeof *e->links);
    e->functions = bo_zalloc_array(e->arena, e->model->n_functions, sizeof *e->functions);
    if (!e->steps || !e->gaps || !e->links || !e->functions)
        return false;
    unwind_interner_init(&e->states, sizeof(struct unwind_state), e->arena);
    for (size_t i = UNWIND_FIRST_STATE; i < e->fixed.n_states; i++)
        if (unwind_intern(&e->states, &e->fixed.states[i]) == UINT32_MAX)
            return false;
    for (uint32_t i = 0; i < e->model->n_functions; i++) {
        const struct unwind_function *f = &e->model->functions[i];
        const size_t first = e->n_steps;
        if (f->n_rows == 0 || f->rows[0].off) {
            e->steps[e->n_steps] = UNWIND_NO_STATE;
            e->gaps[e->n_steps++] = (f->n_rows ? f->rows[0].off : extent_of(f)) >> e->unit;
        }
        for (uint32_t r = 0; r < f->n_rows; r++) {
            const uint32_t state = unwind_intern(&e->states, &f->rows[r].state);
            const uint32_t next = r + 1 < f->n_rows ? f->rows[r + 1].off : extent_of(f);
            if (state == UINT32_MAX)
                return false;
            e->steps[e->n_steps] = state + UNWIND_FIRST_STATE;
            e->gaps[e->n_steps++] = (next - f->rows[r].off) >> e->unit;
        }
        e->functions[i].first_step = (uint32_t)first;
        e->functions[i].n_steps = (uint32_t)(e->n_steps - first);
    }
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool same_list(const struct encoder *e, uint32_t a, uint32_t b)
{
    const struct function *x = &e->functions[a], *y = &e->functions[b];
    return x->n_steps == y->n_steps &&
           e->model->functions[a].flags == e->model->functions[b].flags &&
           e->model->functions[a].rep == e->model->functions[b].rep &&
           memcmp(e->steps + x->first_step, e->steps + y->first_step,
                  x->n_steps * sizeof *e->steps) == 0;
}

/* The seed is unpredictable, so that no document has lists that all collide. */
static uint64_t begin_hash(const struct encoder *e, uint8_t flags, uint8_t rep)
{
    return bo_mix64((uintptr_t)e->slots ^ (flags | (uint64_t)rep << 8));
}

static uint64_t hash_list(const struct encoder *e, uint32_t i)
{
    const struct function *f = &e->functions[i];
    uint64_t h = begin_hash(e, e->model->functions[i].flags, e->model->functions[i].rep);
    for (uint32_t s = 0; s < f->n_steps; s++)
        h = bo_mix64(h ^ e->steps[f->first_step + s]);
    return h;
}

static bool add_groups(struct encoder *e)
{
    const uint32_t n = e->model->n_functions;
    e->n_slots = 16;
    while (e->n_slots < 2 * (size_t)n)
        e->n_slots *= 2;
    e->slots = bo_zalloc_array(e->arena, e->n_slots, sizeof *e->slots);
    e->groups = bo_zalloc_array(e->arena, n + (size_t)1, sizeof *e->groups);
    if (!e->slots || !e->groups)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        size_t slot = (size_t)hash_list(e, i) & (e->n_slots - 1);
        while (e->slots[slot] && !same_list(e, e->groups[e->slots[slot] - 1].function, i))
            slot = (slot + 1) & (e->n_slots - 1);
        if (!e->slots[slot]) {
            e->groups[e->n_groups] = (struct group){.function = i};
            e->slots[slot] = (uint32_t)++e->n_groups;
        }
        e->functions[i].group = e->slots[slot] - 1;
        e->groups[e->slots[slot] - 1].n_functions++;
    }
    return true;
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *const *x = a, *const *y = b;
    if ((*x)->n_functions != (*y)->n_functions)
        return (*x)->n_functions < (*y)->n_functions ? 1 : -1;
    return (*x)->function < (*y)->function ? -1 : 1;
}

/* The step whose distances take the most bits: it follows from the function's length. */
static void choose_implied(const struct encoder *e, uint64_t *weights, struct unwind_list *list,
                           const struct group *group)
{
    const struct unwind_function *f = &e->model->functions[group->function];
    list->implied = f->rep ? list->n - 1 : 0;
    for (uint32_t s = 1; s < list->n && !f->rep; s++)
        if (weights[s] > weights[list->implied])
            list->implied = s;
}

/* The fixed lists by hash, as hash_list makes them. */
static bool add_fixed_slots(struct encoder *e)
{
    const struct unwind_dictionary *fixed = &e->fixed;
    e->n_fixed_slots = 16;
    while (e->n_fixed_slots < 2 * fixed->n_lists)
        e->n_fixed_slots *= 2;
    e->fixed_slots = bo_zalloc_array(e->arena, e->n_fixed_slots, sizeof *e->fixed_slots);
    if (!e->fixed_slots)
        return false;
    for (size_t i = 0; i < fixed->n_lists; i++) {
        const struct unwind_list *list = &fixed->lists[i];
        uint64_t h = begin_hash(e, list->flags & UNWIND_ALL_FLAGS, list->rep);
        for (uint32_t s = 0; s < list->n; s++)
            h = bo_mix64(h ^ fixed->steps[list->first + s].state);
        size_t slot = (size_t)h & (e->n_fixed_slots - 1);
        while (e->fixed_slots[slot])
            slot = (slot + 1) & (e->n_fixed_slots - 1);
        e->fixed_slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

/* The number of a function's list among the fixed ones + 1, or 0. */
static uint32_t fixed_list_of(const struct encoder *e, uint32_t function)
{
    const struct function *f = &e->functions[function];
    const struct unwind_function *mf = &e->model->functions[function];
    size_t slot = (size_t)hash_list(e, function) & (e->n_fixed_slots - 1);
    for (; e->fixed_slots[slot]; slot = (slot + 1) & (e->n_fixed_slots - 1)) {
        const struct unwind_list *list = &e->fixed.lists[e->fixed_slots[slot] - 1];
        uint32_t s = 0;
        if (list->n != f->n_steps || list->rep != mf->rep ||
            (list->flags & ~UNWIND_LIST_PATTERN) != mf->flags)
            continue;
        while (s < list->n && e->fixed.steps[list->first + s].state == e->steps[f->first_step + s])
            s++;
        if (s == list->n)
            return e->fixed_slots[slot];
    }
    return 0;
}

/* The new dictionary starts with the contents of the fixed one. */
static bool begin_with_fixed(struct encoder *e)
{
    struct unwind_dictionary *d = &e->d;
    const struct unwind_dictionary *fixed = &e->fixed;
    unwind_interner_init(&e->transitions, 2 * sizeof(uint32_t), e->arena);
    if (fixed->n_lists == 0)
        return add_fixed_slots(e);
    memcpy(d->lists, fixed->lists, fixed->n_lists * sizeof *d->lists);
    memcpy(d->steps, fixed->steps, fixed->n_steps * sizeof *d->steps);
    d->n_lists = fixed->n_lists;
    d->n_steps = fixed->n_steps;
    for (size_t i = 0; i < fixed->n_transitions; i++) {
        const uint32_t pair[2] = {fixed->transitions[i].from, fixed->transitions[i].to};
        if (unwind_intern(&e->transitions, pair) == UINT32_MAX)
            return false;
    }
    return add_fixed_slots(e);
}

/* Lists by descending number of functions; the dictionary's states, steps and transitions. */
static bool add_lists(struct encoder *e)
{
    struct unwind_dictionary *d = &e->d;
    struct group **sorted = bo_alloc_array(e->arena, e->n_groups, sizeof *sorted);
    uint64_t *weights = bo_zalloc_array(e->arena, e->n_steps, sizeof *weights);
    const size_t n_states = e->states.n + UNWIND_FIRST_STATE;
    d->states = bo_zalloc_array(e->arena, n_states, sizeof *d->states);
    d->lists = bo_zalloc_array(e->arena, e->n_groups + e->fixed.n_lists, sizeof *d->lists);
    d->steps = bo_alloc_array(e->arena, e->n_steps + e->fixed.n_steps, sizeof *d->steps);
    if (!sorted || !weights || !d->states || !d->lists || !d->steps)
        return false;
    d->n_states = n_states;
    if (e->states.n)
        memcpy(d->states + UNWIND_FIRST_STATE, e->states.items, e->states.n * sizeof *d->states);
    for (size_t i = 0; i < e->n_groups; i++)
        sorted[i] = &e->groups[i];
    if (e->n_groups)
        qsort(sorted, e->n_groups, sizeof *sorted, compare_groups);
    for (uint32_t i = 0; i < e->model->n_functions; i++) {
        const struct function *f = &e->functions[i];
        const struct group *group = &e->groups[f->group];
        for (uint32_t s = 0; s < f->n_steps; s++)
            weights[e->functions[group->function].first_step + s] +=
                bo_bit_width(e->gaps[f->first_step + s]);
    }
    if (!begin_with_fixed(e))
        return false;
    for (size_t i = 0; i < e->n_groups; i++) {
        struct group *group = sorted[i];
        const uint32_t known = fixed_list_of(e, group->function);
        if (known) {
            group->list = known - 1;
            continue;
        }
        const struct function *f = &e->functions[group->function];
        const struct unwind_function *mf = &e->model->functions[group->function];
        struct unwind_list *list = &d->lists[d->n_lists];
        *list =
            (struct unwind_list){.first = (uint32_t)d->n_steps, .n = f->n_steps, .rep = mf->rep};
        list->flags = (uint8_t)(mf->flags | (mf->rep ? UNWIND_LIST_PATTERN : 0));
        group->list = (uint32_t)d->n_lists++;
        choose_implied(e, weights + f->first_step, list, group);
        for (uint32_t s = 0; s < f->n_steps; s++) {
            const uint32_t *states = e->steps + f->first_step;
            const uint32_t pair[2] = {states[s],
                                      s + 1 < f->n_steps ? states[s + 1] : UNWIND_LIST_END};
            const uint32_t number = unwind_intern(&e->transitions, pair);
            if (number == UINT32_MAX)
                return false;
            d->steps[d->n_steps++] = (struct unwind_step){states[s], number};
        }
    }
    for (uint32_t i = 0; i < e->model->n_functions; i++) {
        const struct function *f = &e->functions[i];
        const struct unwind_list *list = &d->lists[e->groups[f->group].list];
        for (uint32_t s = 0; s < f->n_steps; s++)
            e->links[f->first_step + s] = d->steps[list->first + s].transition;
    }
    return true;
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* One field of a function, listed by its transition. */
struct field {
    uint32_t function;
    uint32_t nbits; /* the least width that holds it */
};

static uint64_t cost_of(const struct function *f)
{
    return f->n_over ? f->wide : f->narrow;
}

/* The cost of all functions with fields of a transition, if its width changed. */
static uint64_t cost_with(struct function *functions, const struct field *fields, size_t n,
                          unsigned old, unsigned width, bool keep)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < n;) {
        struct function f = functions[fields[i].function];
        const uint32_t number = fields[i].function;
        for (; i < n && fields[i].function == number; i++) {
            f.n_over += (fields[i].nbits > width) - (fields[i].nbits > old);
            f.narrow += width;
            f.narrow -= old;
        }
        cost += cost_of(&f);
        if (keep)
            functions[number] = f;
    }
    return cost;
}

/*
 * Chooses widths that make the records small, transition by transition, starting from widths that
 * fit all distances. Several rounds, because each change affects others.
 */
static bool choose_widths(struct encoder *e)
{
    enum { N_ROUNDS = 6, SPECIAL = UNWIND_SEQ_WIDTH_BITS };
    struct unwind_dictionary *d = &e->d;
    const size_t n = e->transitions.n;
    d->transitions = bo_zalloc_array(e->arena, n, sizeof *d->transitions);
    size_t *first = bo_zalloc_array(e->arena, n + 2, sizeof *first);
    struct field *fields = bo_alloc_array(e->arena, e->n_steps, sizeof *fields);
    if (!d->transitions || !first || !fields)
        return false;
    d->n_transitions = n;
    for (size_t t = 0; t < n; t++) {
        uint32_t pair[2];
        memcpy(pair, e->transitions.items + t * sizeof pair, sizeof pair);
        d->transitions[t] = (struct unwind_transition){pair[0], pair[1], e->first_base, 0};
    }
    const size_t n_fixed = e->fixed.n_transitions;
    if (n_fixed)
        memcpy(d->transitions, e->fixed.transitions, n_fixed * sizeof *d->transitions);
    for (unsigned pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < e->model->n_functions; i++) {
            struct function *f = &e->functions[i];
            const struct unwind_list *list = &d->lists[e->groups[f->group].list];
            unsigned widest = 0;
            for (uint32_t s = 0; s < f->n_steps; s++) {
                struct unwind_transition *t = &d->transitions[e->links[f->first_step + s]];
                const uint32_t gap = e->gaps[f->first_step + s];
                if (s == list->implied)
                    continue;
                if (pass == 0) {
                    t->base = gap < t->base ? gap : t->base;
                    first[e->links[f->first_step + s] + 2]++;
                    continue;
                }
                const unsigned nbits = bo_bit_width(gap - t->base);
                widest = nbits > widest ? nbits : widest;
                if (pass == 1) {
                    fields[first[e->links[f->first_step + s] + 1]++] = (struct field){i, nbits};
                    if (e->links[f->first_step + s] >= n_fixed)
                        t->width = nbits > t->width ? (uint8_t)nbits : t->width;
                } else {
                    f->narrow += t->width;
                    f->n_over += nbits > t->width;
                }
            }
            f->wide = SPECIAL + (uint64_t)(f->n_steps - 1) * widest;
        }
        for (size_t t = 0; t < n && pass == 0; t++) {
            first[t + 1] += first[t];
            d->transitions[t].base =
                d->transitions[t].base == UINT32_MAX ? 0 : d->transitions[t].base;
        }
        if (pass == 0)
            first[n + 1] += first[n];
    }
    for (unsigned round = 0; round < N_ROUNDS; round++)
        for (size_t t = n_fixed; t < n; t++) {
            const struct field *own = fields + (t ? first[t] : 0);
            const size_t n_own = first[t + 1] - (t ? first[t] : 0);
            const unsigned old = d->transitions[t].width;
            unsigned best = old, widest = 0;
            uint64_t least = cost_with(e->functions, own, n_own, old, old, false);
            for (size_t i = 0; i < n_own; i++)
                widest = own[i].nbits > widest ? own[i].nbits : widest;
            for (unsigned width = 0; width <= widest; width++) {
                const uint64_t cost = cost_with(e->functions, own, n_own, old, width, false);
                if (cost < least) {
                    least = cost;
                    best = width;
                }
            }
            cost_with(e->functions, own, n_own, old, best, true);
            d->transitions[t].width = (uint8_t)best;
        }
    return true;
}

/* ---- segments -------------------------------------------------------------------------------- */

static uint64_t hole_after(const struct unwind_function *f)
{
    return f[1].start - unwind_end(f);
}

/*
 * Quanta for all functions: those of a segment have starts that are multiples of its quantum,
 * counted from the first, and a hole of a quantum or more takes an entry. quanta[i] >> 7: function
 * i begins a segment.
 */
static uint8_t *choose_quanta(const struct encoder *e)
{
    const struct unwind_model *model = e->model;
    const uint32_t n = model->n_functions;
    uint8_t(*cuts)[N_QUANTA] = bo_alloc_array(e->arena, n, sizeof *cuts);
    uint8_t *quanta = bo_alloc_array(e->arena, n, 1);
    uint64_t cost[N_QUANTA] = {0}, before[N_QUANTA];
    if (!cuts || !quanta)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct unwind_function *f = &model->functions[i];
        unsigned cheapest = e->unit;
        for (unsigned q = e->unit; q < N_QUANTA; q++)
            cheapest = cost[q] < cost[cheapest] ? q : cheapest;
        memcpy(before, cost, sizeof cost);
        for (unsigned q = e->unit; q < N_QUANTA; q++) {
            const uint64_t fresh = before[cheapest] + SEGMENT_COST;
            uint64_t on = UINT64_MAX;
            if (i && (f->start - f[-1].start) % (UINT64_C(1) << q) == 0)
                on = before[q] + (hole_after(&f[-1]) >> q ? HOLE_COST : 0);
            cuts[i][q] = (uint8_t)(on <= fresh ? N_QUANTA : cheapest);
            cost[q] = on <= fresh ? on : fresh;
        }
    }
    unsigned q = e->unit;
    for (unsigned k = e->unit; k < N_QUANTA; k++)
        q = cost[k] < cost[q] ? k : q;
    for (uint32_t i = n; i-- > 0;) {
        const bool begins = cuts[i][q] != N_QUANTA;
        quanta[i] = (uint8_t)(q | (begins ? 0x80 : 0));
        q = begins ? cuts[i][q] : q;
    }
    return quanta;
}

static bool add_entry(struct encoder *e, struct entry entry)
{
    if (!bo_grow(e->arena, &e->entries, e->n_entries, 1, &e->cap_entries))
        return false;
    e->entries[e->n_entries++] = entry;
    return true;
}

static bool add_segments(struct encoder *e, const uint8_t *quanta)
{
    const struct unwind_model *model = e->model;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const uint32_t start = (uint32_t)(f->start - unwind_base(model));
        const bool begins = quanta[i] & 0x80;
        const bool full = e->n_segments && e->segments[e->n_segments - 1].span;
        if (begins || full) {
            if (!bo_grow(e->arena, &e->segments, e->n_segments, 1, &e->cap_segments))
                return false;
            e->segments[e->n_segments++] = (struct segment){
                .start = start, .first = (uint32_t)e->n_entries, .quantum = quanta[i] & 0x7f};
        }
        struct segment *s = &e->segments[e->n_segments - 1];
        const bool last = i + 1 == model->n_functions || quanta[i + 1] & 0x80 ||
                          e->n_entries - s->first + 2 > UNWIND_SEQ_MAX_ENTRIES - 3;
        const uint64_t hole = last ? 0 : hole_after(f), quantum = UINT64_C(1) << s->quantum;
        const uint64_t end = start - s->start + (uint64_t)f->length;
        const uint64_t to_grid = (0 - end) & (quantum - 1);
        const bool is_hole = hole >= quantum;
        if (!add_entry(e, (struct entry){.start = (start - s->start) >> s->quantum,
                                         .pad = (uint32_t)((last      ? 0
                                                            : is_hole ? to_grid
                                                                      : hole) >>
                                                           e->unit),
                                         .function = i,
                                         .list = e->groups[e->functions[i].group].list}))
            return false;
        if (is_hole) {
            e->has_holes = true;
            if (!add_entry(e, (struct entry){.start = (uint32_t)((end + to_grid) >> s->quantum),
                                             .function = NO_FUNCTION}))
                return false;
        }
        s->n = (uint32_t)(e->n_entries - s->first);
        s->span = last ? (uint32_t)end : 0;
    }
    for (size_t i = 0; i < e->n_segments; i++) {
        struct segment *s = &e->segments[i];
        /* Starts ascend, so that the mean distance is not 0. */
        const uint64_t mean = (e->entries[s->first + s->n - 1].start + UINT64_C(1)) / s->n;
        s->pad_bits = (uint8_t)(s->quantum - e->unit);
        s->low_bits = (uint8_t)(bo_bit_width(mean) - 1);
    }
    return true;
}

/* Holes are one more list, without steps, ordered by its number of entries like the others. */
static bool add_hole_list(struct encoder *e)
{
    struct unwind_dictionary *d = &e->d;
    uint32_t n_holes = 0, at = (uint32_t)e->fixed.n_lists, fixed = 0;
    struct unwind_list *lists = bo_alloc_array(e->arena, d->n_lists + 1, sizeof *lists);
    uint32_t *uses = bo_zalloc_array(e->arena, d->n_lists, sizeof *uses);
    if (!lists || !uses)
        return false;
    if (!e->has_holes)
        return true;
    while (fixed < e->fixed.n_lists && !(d->lists[fixed].flags & UNWIND_LIST_HOLE))
        fixed++;
    for (size_t i = 0; i < e->n_entries && fixed < e->fixed.n_lists; i++)
        if (e->entries[i].function == NO_FUNCTION)
            e->entries[i].list = fixed;
    if (fixed < e->fixed.n_lists)
        return true;
    for (size_t i = 0; i < e->n_entries; i++)
        n_holes += e->entries[i].function == NO_FUNCTION;
    for (size_t i = 0; i < e->n_groups; i++)
        uses[e->groups[i].list] = e->groups[i].n_functions;
    while (at < d->n_lists && uses[at] >= n_holes)
        at++;
    memcpy(lists, d->lists, at * sizeof *lists);
    lists[at] = (struct unwind_list){.flags = UNWIND_LIST_HOLE};
    memcpy(lists + at + 1, d->lists + at, (d->n_lists - at) * sizeof *lists);
    d->lists = lists;
    d->n_lists++;
    for (size_t i = 0; i < e->n_entries; i++) {
        struct entry *entry = &e->entries[i];
        entry->list = entry->function == NO_FUNCTION ? at : entry->list + (entry->list >= at);
    }
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void put_upper(const struct encoder *e, const struct segment *s, struct bo_writer *out)
{
    const struct entry *entries = e->entries + s->first;
    const uint64_t n_buckets = (entries[s->n - 1].start >> s->low_bits) + UINT64_C(1);
    bo_mark(out, "starts");
    for (uint64_t b = 0, i = 0; b < n_buckets; b += UNWIND_SEQ_SAMPLED) {
        while (entries[i].start >> s->low_bits < b) /* the last bucket has an entry */
            i++;
        bo_put_le16(out, (uint16_t)i);
    }
    const uint64_t n_words = (s->n + n_buckets + 63) / 64;
    uint8_t *p = bo_put_space(out, (size_t)(8 * n_words));
    if (!p)
        return;
    memset(p, 0, (size_t)(8 * n_words));
    for (uint32_t i = 0; i < s->n; i++) {
        const uint64_t bit = (entries[i].start >> s->low_bits) + (uint64_t)i;
        p[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
}

static bool is_special(const struct encoder *e, const struct entry *entry)
{
    return entry->list >= UNWIND_SEQ_LONG ||
           (entry->function != NO_FUNCTION && e->functions[entry->function].n_over);
}

/* The record: what does not follow from the list. */
static void put_record(const struct encoder *e, const struct entry *entry, unsigned long_bits,
                       struct bo_bit_writer *bits)
{
    const struct function *f =
        entry->function == NO_FUNCTION ? NULL : &e->functions[entry->function];
    const struct unwind_list *list = &e->d.lists[entry->list];
    const bool is_wide = f && f->n_over;
    unsigned widest = 0;
    if (entry->list >= UNWIND_SEQ_LONG)
        bo_put_bits(bits, entry->list - UNWIND_SEQ_LONG, long_bits);
    if (is_wide)
        widest = (unsigned)((f->wide - UNWIND_SEQ_WIDTH_BITS) / (f->n_steps - 1));
    if (is_special(e, entry))
        bo_put_bits(bits, is_wide ? widest : UNWIND_SEQ_NARROW, UNWIND_SEQ_WIDTH_BITS);
    for (uint32_t s = 0; f && s < f->n_steps; s++) {
        const struct unwind_transition *t = &e->d.transitions[e->links[f->first_step + s]];
        if (s != list->implied)
            bo_put_bits(bits, e->gaps[f->first_step + s] - t->base, is_wide ? widest : t->width);
    }
}

static uint64_t nbits_of(const struct bo_bit_writer *w)
{
    return 8 * (uint64_t)w->out->n - (8 - w->used) % 8;
}

static void put_blocks(const struct encoder *e, const struct segment *s, unsigned long_bits,
                       struct bo_bit_writer *records, struct bo_writer *out)
{
    bo_mark(out, "blocks");
    for (uint32_t first = 0; first < s->n; first += UNWIND_SEQ_BLOCK) {
        const struct entry *entries = e->entries + s->first + first;
        const uint32_t n = s->n - first < UNWIND_SEQ_BLOCK ? s->n - first : UNWIND_SEQ_BLOCK;
        unsigned special = 0;
        const uint64_t start = nbits_of(records);
        const size_t at = out->n;
        bo_put_le32(out, (uint32_t)start);
        bo_put_zeros(out, UNWIND_SEQ_IDS - 4);
        for (uint32_t i = 0; i < UNWIND_SEQ_BLOCK; i++)
            bo_put_u8(out, (uint8_t)(i >= n                              ? 0
                                     : entries[i].list < UNWIND_SEQ_LONG ? entries[i].list
                                                                         : UNWIND_SEQ_LONG));
        struct bo_bit_writer fields = {.out = out};
        for (uint32_t i = 0; i < n && !out->status; i++) {
            const uint64_t mark = nbits_of(records) - start;
            special |= (unsigned)is_special(e, &entries[i]) << i;
            if (i && i % UNWIND_SEQ_STEP == 0)
                bo_set_le16(out->p + at + 4 + 2 * (size_t)(i / UNWIND_SEQ_STEP),
                            (uint16_t)(mark < UNWIND_SEQ_NO_MARK ? mark : UNWIND_SEQ_NO_MARK));
            bo_put_bits(&fields, entries[i].start & ((UINT32_C(1) << s->low_bits) - 1),
                        s->low_bits);
            bo_put_bits(&fields, entries[i].pad, s->pad_bits);
            put_record(e, &entries[i], long_bits, records);
        }
        if (out->status)
            return;
        bo_set_le16(out->p + at + 4, (uint16_t)special);
        bo_put_zeros(out, unwind_seq_stride(s->low_bits, s->pad_bits) - (out->n - at));
    }
}

static enum bo_status put_payload(struct encoder *e, struct bo_writer *records,
                                  struct bo_writer *out, struct bo_error *err)
{
    const size_t n_long = e->d.n_lists > UNWIND_SEQ_LONG ? e->d.n_lists - UNWIND_SEQ_LONG : 0;
    const unsigned long_bits = n_long ? bo_bit_width(n_long - 1) : 0;
    struct bo_bit_writer bits = {.out = records};
    struct unwind_frame_writer w;
    unwind_frame_begin(&w, e->model, 1, out);
    const size_t start = out->n;
    bo_mark(out, "header");
    bo_put_le32(out, (uint32_t)e->n_segments);
    bo_put_le32(out, (uint32_t)e->n_entries);
    bo_put_le32(out, 0);
    bo_put_le32(out, 0);
    bo_put_u8(out, (uint8_t)e->unit);
    bo_put_u8(out, (uint8_t)long_bits);
    bo_put_le16(out, 0);
    for (size_t i = 0; i < e->n_segments; i++) {
        const struct segment *s = &e->segments[i];
        bo_put_le32(out, s->start);
        bo_put_le32(out, s->span);
        bo_put_le32(out, s->n);
        bo_put_le32(out, (e->entries[s->first + s->n - 1].start >> s->low_bits) + 1);
        bo_put_u8(out, s->quantum);
        bo_put_u8(out, s->low_bits);
        bo_put_le16(out, 0);
    }
    for (size_t i = 0; i < e->n_segments; i++) {
        put_upper(e, &e->segments[i], out);
        put_blocks(e, &e->segments[i], long_bits, &bits, out);
    }
    bo_mark(out, "records");
    bo_put_bytes(out, records->p, records->n);
    bo_mark(out, "dictionary");
    const size_t dictionary = out->n;
    const enum bo_status status = unwind_put_dictionary(&e->d, e->known, out, err);
    if (status)
        return status;
    if (records->n > UINT32_MAX / 8 || out->n - dictionary > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 512 MiB or more");
    if (!out->status) {
        bo_set_le32(out->p + start + 8, (uint32_t)records->n);
        bo_set_le32(out->p + start + 12, (uint32_t)(out->n - dictionary));
    }
    if (e->n_steps + e->n_entries >
        (out->n - start) * UNWIND_SEQ_ROWS_PER_BYTE + UNWIND_SEQ_FREE_ROWS)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "more than 256 rows for each byte");
    unwind_frame_end_part(&w);
    const enum bo_status records_status = bo_writer_status(records, err);
    return records_status ? records_status : bo_writer_status(out, err);
}

enum bo_status unwind_seq_encode(const struct bo_codec *self, const void *opaque,
                                 struct bo_writer *out, struct bo_error *err)
{
    struct encoder e = {.model = opaque, .arena = out->arena};
    const uint32_t n = e.model->n_functions;
    const struct unwind_function *last = n ? &e.model->functions[n - 1] : NULL;
    enum bo_status status = unwind_expect_functions(e.model, err);
    if (status)
        return status;
    if (last && unwind_end(last) - unwind_base(e.model) > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "functions span 4 GiB or more");
    e.unit = unit_of(e.model);
    e.known = unwind_seq_known(self, e.model->arch);
    e.first_base = self->own ? 1 : UINT32_MAX;
    if (e.known.n && !unwind_known_dictionary(e.known, e.arena, &e.fixed))
        return bo_fail_alloc(err, e.arena);
    if (!add_steps(&e) || !add_groups(&e) || !add_lists(&e) || !choose_widths(&e))
        return bo_fail_alloc(err, e.arena);
    const uint8_t *quanta = choose_quanta(&e);
    if (!quanta || !add_segments(&e, quanta) || !add_hole_list(&e))
        return bo_fail_alloc(err, e.arena);
    struct bo_writer records;
    bo_writer_init(&records, e.arena);
    status = put_payload(&e, &records, out, err);
    bo_writer_free(&records);
    return status;
}
