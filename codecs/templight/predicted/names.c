/* Codes a name as a tree of pieces, from the root to the leaves. */
#include "codecs/templight/predicted/predicted.h"

enum {
    TOP = 0xffff,   /* the place of a whole name */
    MAX_INDEX = 31, /* for weights */
    N_ENCLOSING = 3,
};

/* The k-th part of a node, or PREDICTED_NONE. */
static uint32_t part_of(const struct predicted *p, uint32_t node, uint32_t k)
{
    if (node == PREDICTED_NONE || k >= p->nodes[node].n_parts)
        return PREDICTED_NONE;
    return p->parts[p->nodes[node].first_part + k];
}

/* ---- contexts and hints ---------------------------------------------------------------------- */

static void answer_whole(const struct predicted *p, struct bo_guess *g)
{
    const struct predicted_around *a = &p->around;
    const uint64_t by_base = bo_pair_hash(a->kind, a->outer_base),
                   by_name = bo_pair_hash(3ull * a->kind + 1, a->outer_name);
    bo_guess_context(g, a->kind);
    bo_guess_context(g, by_base);
    bo_guess_context(g, by_name);
    bo_guess_context(g, bo_pair_hash(by_name, a->inner_name));
    bo_guess_context(g, bo_pair_hash(5ull * a->kind, a->inner_name));
    bo_guess_context(g, bo_pair_hash(by_base, a->inner_base));
}

/* The first part of a node: mostly the template, whose arguments the others are. */
static void answer_base(const struct predicted *p, const struct predicted_place *place,
                        struct bo_guess *g)
{
    const struct predicted_around *a = &p->around;
    const uint64_t depth = p->n_frames;
    bo_guess_context(g, bo_pair_hash(place->above, 1));
    bo_guess_context(g, bo_pair_hash(place->above, bo_pair_hash(place->before, 2)));
    bo_guess_context(g, bo_pair_hash(place->above,
                                     bo_pair_hash(place->before2, bo_pair_hash(place->before, 3))));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(a->kind, a->outer_base), depth));
    bo_guess_context(g, bo_pair_hash(p->recent[0], 4));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(p->recent[0], p->recent[1]), 5));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(a->kind, a->outer_name), 3 * depth));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(a->inner_base, a->outer_base), 3 * depth));
}

/* Parts of the names around, and of the node that this one is a part of. */
static void hint_parts(const struct predicted *p, const struct predicted_place *place,
                       uint64_t slot, struct bo_guess *g)
{
    const struct predicted_around *a = &p->around;
    const struct predicted_frame *outer = place->n_outer ? &p->frames[place->n_outer - 1] : NULL;
    const uint32_t *outer_parts = outer ? p->open_parts + outer->first : NULL;
    const uint64_t outer_base = outer && outer->n_open ? outer_parts[0] : PREDICTED_NONE;
    for (uint32_t k = 1; k <= N_ENCLOSING; k++)
        bo_guess_hint(g, outer && k < outer->n_open ? outer_parts[k] : PREDICTED_NONE,
                      bo_pair_hash(slot, outer_base));
    bo_guess_hint(g, a->outer, bo_pair_hash(slot, a->outer_base));
    for (uint32_t k = 1; k <= N_ENCLOSING; k++)
        bo_guess_hint(g, part_of(p, a->outer, k), bo_pair_hash(slot, a->outer_base));
    bo_guess_hint(g, a->inner, bo_pair_hash(slot, a->inner_base));
    for (uint32_t k = 1; k <= N_ENCLOSING; k++)
        bo_guess_hint(g, part_of(p, a->inner, k), bo_pair_hash(slot, a->inner_base));
    bo_guess_hint(g, p->n_nodes - 1, slot);
}

/* The other parts. */
static void answer_part(const struct predicted *p, const struct predicted_place *place,
                        struct bo_guess *g)
{
    const struct predicted_around *a = &p->around;
    const uint64_t slot = bo_pair_hash(place->base, place->index),
                   above = bo_pair_hash(slot, place->above);
    const uint32_t last = p->last_of_base[place->base];
    bo_guess_context(g, slot);
    bo_guess_context(g, bo_pair_hash(place->before, 2));
    bo_guess_context(g, bo_pair_hash(slot, place->before));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(slot, place->before2), place->before));
    bo_guess_context(g, above);
    bo_guess_context(
        g, bo_pair_hash(slot, 7ull + (last ? part_of(p, last - 1, place->index) : PREDICTED_NONE)));
    bo_guess_context(g, bo_pair_hash(slot, bo_pair_hash(a->outer_name, 8)));
    bo_guess_context(g, bo_pair_hash(bo_pair_hash(p->recent[0], p->recent[1]), p->recent[2]));
    bo_guess_context(g, bo_pair_hash(above, place->before));
    hint_parts(p, place, slot, g);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void push_frame(struct predicted *p, const struct predicted_place *place, uint32_t piece,
                       const struct bo_guess *g)
{
    if (p->n_frames >= p->counts.n_nodes - p->n_nodes) {
        p->flaw = "more pieces of names than announced";
        return;
    }
    if (!bo_grow(p->arena, &p->frames, p->n_frames, 1, &p->cap_frames)) {
        p->no_memory = true;
        return;
    }
    struct predicted_frame *frame = &p->frames[p->n_frames++];
    *frame = (struct predicted_frame){
        .place = *place,
        .piece = piece,
        .first = p->n_open_parts,
        .site = g->site,
        .n_contexts = g->n_contexts,
    };
    memcpy(frame->contexts, g->contexts, sizeof frame->contexts);
}

static void make_recent(struct predicted *p, uint32_t node)
{
    p->recent[2] = p->recent[1];
    p->recent[1] = p->recent[0];
    p->recent[0] = node;
}

/*
 * Codes the node at a place and returns it. For a new node, pushes a frame for it and returns
 * PREDICTED_NONE.
 */
static uint32_t code_node(struct predicted *p, const struct predicted_place *place, uint32_t piece)
{
    uint32_t node = p->decoding ? 0 : p->piece_nodes[piece];
    struct bo_guess g = bo_guess(place->index == TOP ? PREDICTED_WHOLE
                                 : place->index == 0 ? PREDICTED_BASE
                                                     : PREDICTED_PART,
                                 p->n_nodes);
    if (place->index == TOP) {
        answer_whole(p, &g);
    } else if (place->index == 0) {
        answer_base(p, place, &g);
    } else {
        answer_part(p, place, &g);
        g.selector = place->index < MAX_INDEX ? place->index : MAX_INDEX;
    }
    node = bo_guess_symbol(&p->guesser, &p->coders[PREDICTED_NAMES], &g,
                           node == PREDICTED_NONE ? BO_GUESS_NEW : node);
    if (node == BO_GUESS_NEW) {
        push_frame(p, place, piece, &g);
        return PREDICTED_NONE;
    }
    bo_guess_learn(&p->guesser, &g, node);
    make_recent(p, node);
    return node;
}

/* Gives the innermost frame's node its number. */
static uint32_t finish_node(struct predicted *p)
{
    const struct predicted_frame *frame = &p->frames[p->n_frames - 1];
    if (p->n_nodes >= p->counts.n_nodes || frame->n_open > p->counts.n_parts - p->n_parts) {
        p->flaw = "more pieces of names than announced";
        return PREDICTED_NONE;
    }
    const uint32_t node = p->n_nodes++;
    const uint32_t base = frame->n_open ? p->open_parts[frame->first] : node;
    p->nodes[node] = (struct predicted_node){frame->marked, p->n_parts, frame->n_open, base};
    if (frame->n_open)
        memcpy(p->parts + p->n_parts, p->open_parts + frame->first,
               frame->n_open * sizeof *p->parts);
    p->n_parts += frame->n_open;
    p->n_open_parts = frame->first;
    p->last_of_base[node] = p->node_names[node] = 0;
    p->last_of_base[base] = node + 1;
    if (!p->decoding)
        p->piece_nodes[frame->piece] = node;
    bo_guess_learn_new(&p->guesser, frame->site, frame->contexts, frame->n_contexts, node);
    make_recent(p, node);
    p->n_frames--;
    return node;
}

static struct bo_span marked_of(const struct predicted *p, const struct predicted_frame *frame)
{
    const struct bo_span none = {(const uint8_t *)"", 0};
    return p->decoding
               ? none
               : templight_piece_marked(p->dictionary, &p->dictionary->pieces[frame->piece]);
}

static bool code_is_leaf(struct predicted *p, const struct predicted_frame *frame)
{
    const struct predicted_place *place = &frame->place;
    const uint64_t slot = bo_pair_hash(place->base, place->index);
    const uint64_t contexts[] = {place->index == 0     ? 1
                                 : place->index == TOP ? 2
                                                       : 0,
                                 slot, bo_pair_hash(slot, place->before)};
    const bool is_leaf = !p->decoding && p->dictionary->pieces[frame->piece].n_ids == 0;
    return bo_guess_bits(&p->guesser, &p->coders[PREDICTED_NAMES], PREDICTED_IS_LEAF, contexts, 3,
                         1, is_leaf);
}

static void add_shape(struct predicted *p, struct bo_span marked, uint32_t n_parts)
{
    if (bo_grow(p->arena, &p->shapes, p->n_shapes, 1, &p->cap_shapes))
        p->shapes[p->n_shapes++] = (struct predicted_shape){marked, n_parts};
    else
        p->no_memory = true;
}

/* A shape that is new: how many parts, at least one, and its text. */
static void code_new_shape(struct predicted *p, struct bo_span marked, uint32_t n_parts)
{
    const uint64_t contexts[] = {1};
    struct bo_range_coder *coder = &p->coders[PREDICTED_NAMES];
    const uint64_t coded = bo_guess_number(&p->guesser, coder, PREDICTED_N_PARTS, contexts, 1,
                                           n_parts ? n_parts - 1u : 0);
    if (coded >= p->counts.n_parts) {
        p->flaw = "piece of a name with more parts than there are";
        return;
    }
    n_parts = (uint32_t)coded + 1;
    marked = bo_guess_text(&p->guesser, coder, PREDICTED_TEXT, 99, n_parts, marked);
    add_shape(p, marked, n_parts);
    uint32_t number = 0;
    if (p->decoding && !bo_texts_add(&p->shape_numbers, marked, &number))
        p->no_memory = true;
    else if (p->decoding && number + 1 != p->n_shapes)
        p->flaw = "shape occurs twice";
}

/* The shape of a node whose base is known. */
static void code_shape(struct predicted *p, struct predicted_frame *frame)
{
    const struct bo_span marked = marked_of(p, frame);
    const uint32_t base = p->open_parts[frame->first];
    uint32_t number = 0;
    if (!p->decoding && !bo_texts_add(&p->shape_numbers, marked, &number)) {
        p->no_memory = true;
        return;
    }
    struct bo_guess g = bo_guess(PREDICTED_SHAPE, p->n_shapes);
    bo_guess_context(&g, 1);
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(frame->place.base, frame->place.index), base));
    bo_guess_context(&g, base);
    number = bo_guess_symbol(&p->guesser, &p->coders[PREDICTED_NAMES], &g,
                             number < p->n_shapes ? number : BO_GUESS_NEW);
    const bool is_new = number == BO_GUESS_NEW;
    if (is_new) {
        number = p->n_shapes;
        code_new_shape(p, marked, p->decoding ? 0 : p->dictionary->pieces[frame->piece].n_ids);
    }
    if (!predicted_is_sound(p))
        return;
    if (is_new)
        bo_guess_learn_new(&p->guesser, g.site, g.contexts, g.n_contexts, number);
    else
        bo_guess_learn(&p->guesser, &g, number);
    frame->marked = p->shapes[number].marked;
    frame->n_parts = p->shapes[number].n_parts;
}

/* The next part of the innermost frame's node. */
static uint32_t code_next_part(struct predicted *p)
{
    const struct predicted_frame *frame = &p->frames[p->n_frames - 1];
    const uint32_t k = frame->n_open, *parts = p->open_parts + frame->first;
    const struct predicted_place *place = &frame->place;
    const uint64_t slot = bo_pair_hash(place->base, place->index);
    const uint32_t piece =
        p->decoding ? 0
                    : templight_piece_ids(p->dictionary, &p->dictionary->pieces[frame->piece])[k];
    const struct predicted_place first = {
        .base = place->base,
        .index = 0,
        .before = place->before,
        .before2 = place->before2,
        .above = place->index == TOP ? bo_pair_hash(p->around.kind, p->around.outer_base) : slot,
        .n_outer = p->n_frames - 1,
    };
    const struct predicted_place later = {
        .base = k ? parts[0] : PREDICTED_NONE,
        .index = k,
        .before = k ? parts[k - 1] : PREDICTED_NONE,
        .before2 = k > 1 ? parts[k - 2] : PREDICTED_NONE,
        .above = slot,
        .n_outer = p->n_frames - 1,
    };
    return code_node(p, k ? &later : &first, piece);
}

/* A part of the innermost frame's node is known. */
static void take_part(struct predicted *p, uint32_t node)
{
    struct predicted_frame *frame = &p->frames[p->n_frames - 1];
    if (p->n_open_parts >= p->counts.n_parts) {
        p->flaw = "more parts of names than announced";
        return;
    }
    p->open_parts[p->n_open_parts++] = node;
    if (frame->n_open++ == 0)
        code_shape(p, frame);
}

uint32_t predicted_code_name(struct predicted *p, uint32_t piece)
{
    const struct predicted_place top = {
        .base = PREDICTED_NONE,
        .index = TOP,
        .before = PREDICTED_NONE,
        .before2 = PREDICTED_NONE,
    };
    p->n_frames = 0;
    p->n_open_parts = 0;
    uint32_t node = code_node(p, &top, piece);
    while (p->n_frames && predicted_is_sound(p)) {
        struct predicted_frame *frame = &p->frames[p->n_frames - 1];
        if (node != PREDICTED_NONE) {
            take_part(p, node);
            if (!predicted_is_sound(p))
                break;
            node = frame->n_open == frame->n_parts ? finish_node(p) : code_next_part(p);
        } else if (code_is_leaf(p, frame)) {
            const uint64_t slot = bo_pair_hash(frame->place.base, frame->place.index);
            frame->marked = bo_guess_text(&p->guesser, &p->coders[PREDICTED_NAMES], PREDICTED_TEXT,
                                          slot, 0, marked_of(p, frame));
            node = finish_node(p);
        } else {
            node = code_next_part(p);
        }
        if (bo_range_ran_out(&p->coders[PREDICTED_NAMES]))
            p->flaw = "coded names end too early";
    }
    return node;
}
