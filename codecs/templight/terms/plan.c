/*
 * Chooses the symbols that code the names. Names are split by our rule (tokenise.h). Each piece has
 * a head: its shape and, where the first part is a leaf before an argument list, the text of that
 * leaf.
 * A term can be coded as its head and parts, as a reference to an earlier place, or, beside a
 * relative of its own, as a copy. The cheapest choice depends on how often each symbol is used. So
 * the names are processed several times, each time with the costs that follow from the last pass.
 * Costs are integers, in sixteenths of a bit, so the outcome is the same on all processors.
 */
#include "codecs/templight/terms/terms.h"

#include <stdlib.h>

#include "codecs/templight/model.h"

enum {
    N_ROUNDS = 4,
    BIT = 16,               /* the unit of costs is a sixteenth */
    FIRST_COST = 11 * BIT,  /* of any symbol in the first round */
    TOP_COST = 14 * BIT,    /* of a top's place in the file */
    LOOK_AHEAD = 2,         /* levels of parts that an estimate looks into */
    NOWHERE_COST = 1 << 24, /* more than any */
    /*
     * Of a head with a base, between the base and the first part. A reader keeps this text with
     * each base, and accepts 64 bytes of such texts for each byte of the file. A base has 36 bits
     * or more in the file, so this many bytes are always accepted.
     */
    MAX_LIST_NBYTES = 256,
};

/* A head whose parts are being coded. */
struct frame {
    uint32_t piece;
    uint32_t part; /* that is being coded; those before are complete */
    uint32_t step; /* in the name */
    uint8_t place;
};

struct planner {
    struct templight_plan *plan;
    struct bo_arena *arena;
    struct frame *frames;
    uint32_t n_frames;
    size_t cap_frames;
    uint32_t name;
    uint32_t step;       /* of the next term with parts */
    uint32_t *seen_name; /* by piece: where it can be referred to, or TEMPLIGHT_NONE */
    uint8_t *seen_step;
    uint32_t *tops; /* by piece, or TEMPLIGHT_NONE */
    uint32_t *top_pieces;
    uint32_t *referred; /* by piece: how often, */
    uint32_t *spent;    /* and what references cost */
    uint16_t *costs[TEMPLIGHT_N_PLACES];
    uint16_t step_costs[TEMPLIGHT_STEPS];
};

/* ---- pieces and heads ------------------------------------------------------------------------ */

static bool is_leaf(const struct templight_dictionary *d, uint32_t piece)
{
    return d->pieces[piece].n_ids == 0 && d->pieces[piece].marked_nbytes > 0;
}

static const struct templight_head *head_of(const struct templight_plan *plan, uint32_t piece)
{
    return &plan->heads[plan->piece_heads[piece]];
}

static bool has_base(const struct templight_plan *plan, uint32_t piece)
{
    return plan->shapes[head_of(plan, piece)->shape].has_base;
}

/* The parts of a term, but for its head's base. */
static const uint32_t *parts_of(const struct templight_plan *plan, uint32_t piece, uint32_t *n_ret)
{
    const struct templight_piece *p = &plan->dictionary.pieces[piece];
    const uint32_t skipped = p->n_ids > 0 && has_base(plan, piece);
    *n_ret = p->n_ids - skipped;
    return templight_piece_ids(&plan->dictionary, p) + skipped;
}

/* Whether a term begins with a part and an argument list, and few bytes follow that part. */
static bool starts_list(struct bo_span marked)
{
    const uint8_t *start = marked.p + 1;
    return marked.n > 1 && marked.p[0] == '\0' && *start == '<' &&
           (marked.n <= MAX_LIST_NBYTES || memchr(start, '\0', MAX_LIST_NBYTES));
}

/* The key of a head: its shape, whether it has a base, and which. */
struct head_key {
    uint32_t shape, base;
};

static bool find_shape(struct bo_texts *shapes, struct bo_span marked, bool with_base,
                       struct bo_arena *arena, uint32_t *number_ret)
{
    uint8_t *key = bo_alloc(arena, marked.n + 1);
    if (!key)
        return false;
    key[0] = with_base;
    if (marked.n)
        memcpy(key + 1, marked.p, marked.n);
    return bo_texts_add(shapes, (struct bo_span){key, marked.n + 1}, number_ret);
}

static bool find_head(struct templight_plan *plan, struct bo_texts *shapes, struct bo_texts *heads,
                      uint32_t piece, struct bo_arena *arena)
{
    static const uint8_t hole[] = {0};
    const struct templight_dictionary *d = &plan->dictionary;
    const struct templight_piece *p = &d->pieces[piece];
    struct bo_span marked = templight_piece_marked(d, p);
    struct head_key key = {0, TEMPLIGHT_NONE};
    if (is_leaf(d, piece)) {
        key.base = piece;
        marked = (struct bo_span){hole, 1};
    } else if (p->n_ids && starts_list(marked)) {
        /* What comes before the first list is a leaf. */
        key.base = templight_piece_ids(d, p)[0];
    }
    if (!find_shape(shapes, marked, key.base != TEMPLIGHT_NONE, arena, &key.shape))
        return false;
    const uint32_t n = heads->n;
    struct head_key *kept = bo_alloc(arena, sizeof key);
    if (!kept)
        return false;
    *kept = key;
    if (!bo_texts_add(heads, (struct bo_span){(const uint8_t *)kept, sizeof key},
                      &plan->piece_heads[piece]))
        return false;
    if (heads->n > n)
        plan->heads[n] = (struct templight_head){key.shape, key.base, 0, TEMPLIGHT_NONE};
    return true;
}

static bool list_shapes(struct templight_plan *plan, const struct bo_texts *shapes,
                        struct bo_arena *arena)
{
    plan->n_shapes = shapes->n;
    plan->shapes = bo_alloc_array(arena, shapes->n, sizeof *plan->shapes);
    for (uint32_t i = 0; plan->shapes && i < shapes->n; i++) {
        const struct bo_span key = shapes->texts[i];
        plan->shapes[i] =
            (struct templight_shape){.marked = {key.p + 1, key.n - 1}, .has_base = key.p[0]};
        for (size_t k = 1; k < key.n; k++)
            plan->shapes[i].n_holes += key.p[k] == '\0';
    }
    return plan->shapes != NULL;
}

static bool find_heads(struct templight_plan *plan, struct bo_arena *arena)
{
    const struct templight_dictionary *d = &plan->dictionary;
    struct bo_texts shapes, heads;
    uint32_t *depths = bo_alloc_array(arena, d->n_pieces, sizeof *depths);
    plan->piece_heads = bo_alloc_array(arena, d->n_pieces, sizeof *plan->piece_heads);
    plan->heads = bo_alloc_array(arena, d->n_pieces, sizeof *plan->heads);
    if (!depths || !plan->piece_heads || !plan->heads || !bo_texts_init(&shapes, false, arena) ||
        !bo_texts_init(&heads, false, arena))
        return false;
    for (uint32_t i = 0; i < d->n_pieces; i++) {
        depths[i] = 1;
        for (uint32_t k = 0; k < d->pieces[i].n_ids; k++) {
            const uint32_t depth = depths[templight_piece_ids(d, &d->pieces[i])[k]] + 1;
            depths[i] = depth > depths[i] ? depth : depths[i];
        }
        plan->depth = depths[i] > plan->depth ? depths[i] : plan->depth;
        if (!find_head(plan, &shapes, &heads, i, arena))
            return false;
    }
    plan->n_heads = heads.n;
    return list_shapes(plan, &shapes, arena);
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* 16 log2 v, rounded down, for v > 0. */
static uint32_t log2_16(uint64_t v)
{
    const unsigned width = bo_bit_width(v);
    uint64_t x = (width > 31 ? v >> (width - 31) : v << (31 - width)); /* 1 to 2, times 2^30 */
    uint32_t log = width - 1;
    for (unsigned i = 0; i < 4; i++) {
        x = x * x >> 30;
        log = log << 1 | (x >= UINT64_C(1) << 31);
        x >>= x >= UINT64_C(1) << 31;
    }
    return log;
}

static uint16_t cost_of(uint64_t n, uint64_t total)
{
    const uint32_t cost = log2_16(total + 1) - log2_16(n ? n : 1);
    return (uint16_t)(cost ? cost : 1);
}

static uint32_t back_class(uint32_t names)
{
    return TEMPLIGHT_BACK + bo_bit_width(names);
}

static uint32_t reference_cost(const struct planner *p, uint32_t piece, unsigned place)
{
    const uint32_t back = p->name - p->seen_name[piece], width = bo_bit_width(back);
    return p->costs[place][back_class(back)] + BIT * (width > 1 ? width - 1 : 0) +
           p->step_costs[p->seen_step[piece]];
}

static uint32_t head_symbol(const struct planner *p, uint32_t piece)
{
    return TEMPLIGHT_HEADS + p->plan->piece_heads[piece];
}

static uint32_t top_symbol(const struct planner *p, uint32_t piece)
{
    return TEMPLIGHT_HEADS + p->plan->n_heads + p->tops[piece];
}

/* The cheapest way to code a term without its head, or NOWHERE_COST. */
static uint32_t cheapest_repeat(const struct planner *p, uint32_t piece, unsigned place,
                                struct templight_item *item)
{
    uint32_t best = NOWHERE_COST;
    *item = (struct templight_item){.place = (uint8_t)place};
    for (unsigned u = 0; u < TEMPLIGHT_COPY_LEVELS && u < p->n_frames; u++) {
        const struct frame *frame = &p->frames[p->n_frames - 1 - u];
        uint32_t n;
        const uint32_t *parts = parts_of(p->plan, frame->piece, &n);
        for (uint32_t j = 0; j < TEMPLIGHT_COPY_PARTS && j < frame->part; j++) {
            const uint32_t symbol = TEMPLIGHT_COPY + TEMPLIGHT_COPY_PARTS * u + j;
            if (parts[j] == piece && p->costs[place][symbol] < best) {
                best = p->costs[place][symbol];
                item->symbol = symbol;
            }
        }
    }
    if (p->tops[piece] != TEMPLIGHT_NONE && p->seen_name[piece] != TEMPLIGHT_NONE &&
        p->costs[place][top_symbol(p, piece)] < best) {
        best = p->costs[place][top_symbol(p, piece)];
        item->symbol = top_symbol(p, piece);
    }
    if (p->seen_name[piece] != TEMPLIGHT_NONE && reference_cost(p, piece, place) < best) {
        best = reference_cost(p, piece, place);
        item->value = p->name - p->seen_name[piece];
        item->symbol = back_class(item->value);
        item->step = p->seen_step[piece];
    }
    return best;
}

static uint32_t estimate(struct planner *p, uint32_t piece, unsigned place, unsigned levels,
                         uint32_t limit);

/* The cost of a term coded as its head and parts; not exact from the limit on. */
static uint32_t estimate_by_head(struct planner *p, uint32_t piece, unsigned place, unsigned levels,
                                 uint32_t limit)
{
    uint32_t n, cost = p->costs[place][head_symbol(p, piece)];
    const uint32_t *parts = parts_of(p->plan, piece, &n);
    const bool based = has_base(p->plan, piece);
    if (levels == 0)
        return cost + FIRST_COST * (n < limit ? n : limit);
    struct frame *frame = &p->frames[p->n_frames++]; /* plan_names made room */
    *frame = (struct frame){.piece = piece};
    for (uint32_t i = 0; i < n && cost < limit; i++) {
        p->frames[p->n_frames - 1].part = i;
        cost += estimate(p, parts[i], templight_place_of_part(based, i), levels - 1, limit - cost);
    }
    p->n_frames--;
    return cost;
}

/* Recursive, LOOK_AHEAD levels at most. */
static uint32_t estimate(struct planner *p, uint32_t piece, unsigned place, unsigned levels,
                         uint32_t limit)
{
    struct templight_item item;
    const uint32_t repeat = cheapest_repeat(p, piece, place, &item);
    const uint32_t most = repeat < limit ? repeat : limit;
    const uint32_t anew = estimate_by_head(p, piece, place, levels, most);
    return anew < repeat ? anew : repeat;
}

/* ---- a round through all names --------------------------------------------------------------- */

static bool put_item(struct planner *p, const struct templight_item *item)
{
    struct templight_plan *plan = p->plan;
    if (!bo_grow(p->arena, &plan->items, plan->n_items, 1, &plan->cap_items))
        return false;
    plan->items[plan->n_items++] = *item;
    plan->uses[item->place][item->symbol]++;
    return true;
}

/* Codes a term as a reference or as a copy. */
static bool put_repeat(struct planner *p, uint32_t piece, const struct templight_item *item,
                       uint32_t cost)
{
    if (item->symbol >= TEMPLIGHT_BACK) {
        p->referred[piece]++;
        p->spent[piece] += cost;
        if (item->symbol < TEMPLIGHT_HEADS)
            p->plan->step_uses[item->step]++;
    }
    return put_item(p, item);
}

/* Starts a term; it is complete if it has no parts or is coded without its head. */
static bool start_term(struct planner *p, uint32_t piece, unsigned place, bool *complete_ret)
{
    struct templight_item item;
    uint32_t n;
    const uint32_t cost = cheapest_repeat(p, piece, place, &item);
    *complete_ret = true;
    if (cost != NOWHERE_COST && estimate_by_head(p, piece, place, LOOK_AHEAD, cost) >= cost)
        return put_repeat(p, piece, &item, cost);
    parts_of(p->plan, piece, &n);
    if (n) {
        *complete_ret = false;
        p->frames[p->n_frames] =
            (struct frame){.piece = piece, .step = p->step++, .place = (uint8_t)place};
        p->n_frames++;
    }
    item = (struct templight_item){.symbol = head_symbol(p, piece), .place = (uint8_t)place};
    return put_item(p, &item);
}

/* The innermost term is complete, and can be referred to. */
static void end_frame(struct planner *p)
{
    const struct frame *frame = &p->frames[--p->n_frames];
    if (frame->step < TEMPLIGHT_STEPS) {
        p->seen_name[frame->piece] = p->name;
        p->seen_step[frame->piece] = (uint8_t)frame->step;
        const uint32_t top = p->tops[frame->piece];
        if (top != TEMPLIGHT_NONE && p->plan->tops[top].name == TEMPLIGHT_NONE)
            p->plan->tops[top] = (struct templight_top){p->name, (uint8_t)frame->step};
    }
}

static bool put_name(struct planner *p, uint32_t piece)
{
    bool complete;
    p->step = p->n_frames = 0;
    if (!start_term(p, piece, TEMPLIGHT_AT_NAME, &complete))
        return false;
    while (p->n_frames) {
        struct frame *frame = &p->frames[p->n_frames - 1];
        uint32_t n;
        const uint32_t *parts = parts_of(p->plan, frame->piece, &n);
        if (frame->part == n) {
            end_frame(p);
            if (p->n_frames)
                p->frames[p->n_frames - 1].part++;
            continue;
        }
        const unsigned place =
            templight_place_of_part(has_base(p->plan, frame->piece), frame->part);
        if (!start_term(p, parts[frame->part], place, &complete))
            return false;
        if (complete)
            p->frames[p->n_frames - 1].part++;
    }
    return true;
}

static bool go_through(struct planner *p, const struct templight_trace *trace)
{
    struct templight_plan *plan = p->plan;
    const uint32_t n_pieces = plan->dictionary.n_pieces;
    plan->n_items = 0;
    memset(plan->step_uses, 0, sizeof plan->step_uses);
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        memset(plan->uses[place], 0, plan->n_symbols * sizeof *plan->uses[place]);
    memset(p->seen_name, 0xff, n_pieces * sizeof *p->seen_name);
    memset(p->referred, 0, n_pieces * sizeof *p->referred);
    memset(p->spent, 0, n_pieces * sizeof *p->spent);
    for (uint32_t i = 0; i < plan->n_tops; i++)
        plan->tops[i].name = TEMPLIGHT_NONE;
    for (uint32_t i = 0; i < trace->n_names; i++) {
        p->name = i;
        plan->first_items[i] = plan->n_items;
        if (!put_name(p, plan->name_pieces[i]))
            return false;
    }
    plan->first_items[trace->n_names] = plan->n_items;
    return true;
}

/* ---- between rounds -------------------------------------------------------------------------- */

/* How often a symbol is used in all places together. */
static uint64_t all_uses(const struct templight_plan *plan, uint32_t symbol)
{
    uint64_t n = 0;
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        n += plan->uses[place][symbol];
    return n;
}

static bool is_leaf_head(const struct templight_plan *plan, uint32_t head)
{
    return plan->shapes[plan->heads[head].shape].has_base &&
           plan->shapes[plan->heads[head].shape].marked.n == 1;
}

/* Symbols that end up as TEMPLIGHT_INLINE: leaves that are used once. */
static bool is_inline(const struct templight_plan *plan, uint32_t symbol)
{
    return symbol >= TEMPLIGHT_HEADS && symbol < TEMPLIGHT_HEADS + plan->n_heads &&
           is_leaf_head(plan, symbol - TEMPLIGHT_HEADS) && all_uses(plan, symbol) == 1;
}

/* Symbols that have no code of their own at a place: those with fewer uses than `least` there. */
static bool is_other(const struct templight_plan *plan, unsigned place, uint32_t symbol,
                     uint32_t least)
{
    return symbol >= TEMPLIGHT_HEADS && plan->uses[place][symbol] < least;
}

/* The uses from which on a symbol has a code of its own: 2, or more where those are too many. */
static uint32_t least_uses(const struct templight_plan *plan, unsigned place)
{
    for (uint32_t least = 2;; least++) {
        uint32_t n = TEMPLIGHT_HEADS;
        for (uint32_t s = TEMPLIGHT_HEADS; s < plan->n_symbols; s++)
            n += !is_other(plan, place, s, least);
        if (n <= UINT32_C(1) << TEMPLIGHT_WORD_BITS)
            return least;
    }
}

static void fit_costs(struct planner *p)
{
    struct templight_plan *plan = p->plan;
    uint64_t n_steps = 0;
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++) {
        const uint32_t *uses = plan->uses[place];
        uint64_t total = 0, n_other = 0, n_inline = 0;
        for (uint32_t s = 0; s < plan->n_symbols; s++) {
            total += uses[s];
            if (uses[s] && is_inline(plan, s))
                n_inline++;
            else if (uses[s] == 1 && is_other(plan, place, s, 2))
                n_other++;
        }
        const uint32_t other =
            cost_of(n_other, total) + BIT * bo_bit_width(plan->n_symbols - TEMPLIGHT_HEADS);
        for (uint32_t s = 0; s < plan->n_symbols; s++)
            p->costs[place][s] = uses[s] && is_inline(plan, s) ? cost_of(n_inline, total)
                                 : is_other(plan, place, s, 2) ? (uint16_t)other
                                                               : cost_of(uses[s], total);
    }
    for (unsigned i = 0; i < TEMPLIGHT_STEPS; i++)
        n_steps += plan->step_uses[i];
    for (unsigned i = 0; i < TEMPLIGHT_STEPS; i++)
        p->step_costs[i] = cost_of(plan->step_uses[i], n_steps);
}

static const char too_many_prefixes[] = "names have too many different prefixes";

/*
 * A term becomes a top, with a symbol and a place in the file of its own, if these cost less than
 * the references to the term.
 */
static enum bo_status choose_tops(struct planner *p, struct bo_error *err)
{
    struct templight_plan *plan = p->plan;
    const uint32_t n_pieces = plan->dictionary.n_pieces;
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_pieces; i++) {
        const uint32_t cost = cost_of(p->referred[i], plan->n_items);
        const bool was_top = p->tops[i] != TEMPLIGHT_NONE;
        const bool pays =
            was_top ? p->referred[i] > 2 : p->spent[i] > (uint64_t)p->referred[i] * cost + TOP_COST;
        p->tops[i] = pays ? n : TEMPLIGHT_NONE;
        if (pays)
            p->top_pieces[n++] = i;
    }
    plan->n_tops = n;
    plan->tops = bo_alloc_array(p->arena, n, sizeof *plan->tops);
    plan->n_symbols = TEMPLIGHT_HEADS + plan->n_heads + n;
    if (!plan->tops)
        return bo_fail_alloc(err, p->arena);
    if (plan->n_symbols > TEMPLIGHT_MAX_SYMBOLS)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_many_prefixes);
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++) {
        uint32_t *uses = bo_zalloc_array(p->arena, plan->n_symbols, sizeof *uses);
        uint16_t *costs = bo_alloc_array(p->arena, plan->n_symbols, sizeof *costs);
        if (!uses || !costs)
            return bo_fail_alloc(err, p->arena);
        const uint32_t n_kept = TEMPLIGHT_HEADS + plan->n_heads;
        memcpy(costs, p->costs[place], n_kept * sizeof *costs);
        for (uint32_t i = 0; i < n; i++)
            costs[n_kept + i] = cost_of(p->referred[p->top_pieces[i]], plan->n_items);
        plan->uses[place] = uses;
        p->costs[place] = costs;
    }
    return BO_OK;
}

/* ---- what is final --------------------------------------------------------------------------- */

struct used {
    uint32_t n_uses, id;
};

static int by_uses(const void *a, const void *b)
{
    const struct used *x = a, *y = b;
    if (x->n_uses != y->n_uses)
        return x->n_uses > y->n_uses ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Numbers heads, and then tops, those that are used most first. `numbers` is by symbol. */
static bool number_symbols(struct templight_plan *plan, uint32_t *numbers, struct bo_arena *arena)
{
    const uint32_t first_top = TEMPLIGHT_HEADS + plan->n_heads;
    struct used *used = bo_alloc_array(arena, plan->n_symbols, sizeof *used);
    struct templight_top *tops = bo_alloc_array(arena, plan->n_tops, sizeof *tops);
    plan->numbered_heads = bo_alloc_array(arena, plan->n_heads, sizeof *plan->numbered_heads);
    if (!used || !tops || !plan->numbered_heads)
        return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_heads; i++) {
        const uint32_t n_uses = (uint32_t)all_uses(plan, TEMPLIGHT_HEADS + i);
        if (n_uses && !is_inline(plan, TEMPLIGHT_HEADS + i))
            used[n++] = (struct used){n_uses, i};
    }
    qsort(used, n, sizeof *used, by_uses);
    for (uint32_t i = 0; i < n; i++) {
        plan->numbered_heads[i] = used[i].id;
        numbers[TEMPLIGHT_HEADS + used[i].id] = TEMPLIGHT_HEADS + i;
    }
    plan->n_numbered = n;
    uint32_t n_tops = 0;
    for (uint32_t i = 0; i < plan->n_tops; i++)
        if (all_uses(plan, first_top + i))
            used[n_tops++] = (struct used){(uint32_t)all_uses(plan, first_top + i), i};
    qsort(used, n_tops, sizeof *used, by_uses);
    for (uint32_t i = 0; i < n_tops; i++) {
        tops[i] = plan->tops[used[i].id];
        numbers[first_top + used[i].id] = TEMPLIGHT_HEADS + n + i;
    }
    plan->tops = tops;
    plan->n_tops = n_tops;
    return true;
}

/* Turns symbols into those of the file, and counts how often these are used. */
static bool settle(struct templight_plan *plan, struct bo_arena *arena)
{
    uint32_t *numbers = bo_zalloc_array(arena, plan->n_symbols, sizeof *numbers);
    if (!numbers || !number_symbols(plan, numbers, arena))
        return false;
    const uint32_t n_symbols = TEMPLIGHT_HEADS + plan->n_numbered + plan->n_tops;
    uint32_t *uses[TEMPLIGHT_N_PLACES], least[TEMPLIGHT_N_PLACES];
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++) {
        least[place] = least_uses(plan, place);
        if (!(uses[place] = bo_zalloc_array(arena, n_symbols, sizeof *uses[place])))
            return false;
    }
    for (size_t i = 0; i < plan->n_items; i++) {
        struct templight_item *item = &plan->items[i];
        if (is_inline(plan, item->symbol)) {
            item->value = plan->heads[item->symbol - TEMPLIGHT_HEADS].base;
            item->symbol = TEMPLIGHT_INLINE;
        } else if (item->symbol >= TEMPLIGHT_HEADS) {
            const bool other = is_other(plan, item->place, item->symbol, least[item->place]);
            item->value = numbers[item->symbol] - TEMPLIGHT_HEADS;
            item->symbol = other ? TEMPLIGHT_OTHER : numbers[item->symbol];
        }
        uses[item->place][item->symbol]++;
    }
    memcpy(plan->uses, uses, sizeof uses);
    plan->n_symbols = n_symbols;
    return true;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static enum bo_status split_names(const struct templight_trace *trace, struct templight_plan *plan,
                                  struct bo_arena *arena, struct bo_error *err)
{
    plan->name_pieces = bo_alloc_array(arena, trace->n_names, sizeof *plan->name_pieces);
    plan->first_items =
        bo_alloc_array(arena, (size_t)trace->n_names + 1, sizeof *plan->first_items);
    if (!plan->name_pieces || !plan->first_items ||
        !templight_dictionary_init(&plan->dictionary, TEMPLIGHT_SPLIT_TYPES, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < trace->n_names; i++) {
        const enum bo_status status = templight_dictionary_add(&plan->dictionary, trace->names[i],
                                                               &plan->name_pieces[i], err);
        if (status)
            return status;
    }
    return find_heads(plan, arena) ? BO_OK : bo_fail_alloc(err, arena);
}

static bool init_planner(struct planner *p)
{
    struct templight_plan *plan = p->plan;
    const uint32_t n_pieces = plan->dictionary.n_pieces;
    p->frames = bo_alloc_array(p->arena, (size_t)plan->depth + LOOK_AHEAD + 2, sizeof *p->frames);
    p->seen_name = bo_alloc_array(p->arena, n_pieces, sizeof *p->seen_name);
    p->seen_step = bo_zalloc_array(p->arena, n_pieces, sizeof *p->seen_step);
    p->tops = bo_alloc_array(p->arena, n_pieces, sizeof *p->tops);
    p->top_pieces = bo_alloc_array(p->arena, n_pieces, sizeof *p->top_pieces);
    p->referred = bo_alloc_array(p->arena, n_pieces, sizeof *p->referred);
    p->spent = bo_alloc_array(p->arena, n_pieces, sizeof *p->spent);
    if (!p->frames || !p->seen_name || !p->seen_step || !p->tops || !p->top_pieces ||
        !p->referred || !p->spent)
        return false;
    memset(p->tops, 0xff, n_pieces * sizeof *p->tops);
    plan->n_symbols = TEMPLIGHT_HEADS + plan->n_heads;
    for (unsigned i = 0; i < TEMPLIGHT_STEPS; i++)
        p->step_costs[i] = 2 * BIT;
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++) {
        p->costs[place] = bo_alloc_array(p->arena, plan->n_symbols, sizeof *p->costs[place]);
        plan->uses[place] = bo_zalloc_array(p->arena, plan->n_symbols, sizeof *plan->uses[place]);
        if (!p->costs[place] || !plan->uses[place])
            return false;
        for (uint32_t s = 0; s < plan->n_symbols; s++)
            p->costs[place][s] = s < TEMPLIGHT_HEADS ? 5 * BIT : FIRST_COST;
    }
    return true;
}

enum bo_status templight_plan_terms(const struct templight_trace *trace, struct bo_arena *arena,
                                    struct templight_plan *plan, struct bo_error *err)
{
    struct planner p = {.plan = plan, .arena = arena};
    *plan = (struct templight_plan){.n_items = 0};
    enum bo_status status = split_names(trace, plan, arena, err);
    if (status)
        return status;
    if (plan->n_heads > TEMPLIGHT_MAX_SYMBOLS / 2)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_many_prefixes);
    if (!init_planner(&p))
        return bo_fail_alloc(err, arena);
    for (unsigned round = 1;; round++) {
        if (!go_through(&p, trace))
            return bo_fail_alloc(err, arena);
        if (round == N_ROUNDS)
            break;
        fit_costs(&p);
        status = choose_tops(&p, err);
        if (status)
            return status;
    }
    if (!settle(plan, arena))
        return bo_fail_alloc(err, arena);
    return (uint64_t)plan->n_numbered + plan->n_tops < TEMPLIGHT_MAX_SYMBOLS / 2
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_many_prefixes);
}
