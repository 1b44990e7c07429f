/*
 * Names as terms: unpacking and spelling them.
 * A group of names is unpacked at the first query for one of them. The terms that it refers to
 * are unpacked when it is spelled. Spelling terminates on any input: the length of a name, its
 * operations in proportion to the input, and its depth are bounded.
 */
#include "codecs/templight/terms/terms.h"

/* ---- unpacking ------------------------------------------------------------------------------- */

struct unpacking {
    struct templight_terms *terms;
    struct templight_bits bits;
    uint32_t name;
    uint32_t first_range; /* of the name */
    uint32_t n_frames;
    unsigned place;      /* of the next term */
    uint32_t depth;      /* levels of the term that was complete last */
    uint32_t first_name; /* of the group */
    uint32_t first_ranges[TEMPLIGHT_NAMES_A_GROUP];
};

/* The result of reading the first symbol of a term. */
enum outcome { STARTED, COMPLETE, WRONG };

static inline bool put_op(struct templight_terms *terms, uint32_t word)
{
    if (terms->n_ops == terms->cap_ops)
        return false;
    terms->ops[terms->n_ops++] = word;
    return true;
}

/* A text, which has no operation when it is empty. */
static inline bool put_text(struct templight_terms *terms, uint32_t text)
{
    return terms->pieces[text].n == 0 || put_op(terms, text);
}

static inline bool put_reference(struct templight_terms *terms, uint32_t name, uint32_t step)
{
    return step < TEMPLIGHT_OP_TERM && put_op(terms, TEMPLIGHT_OP_TERM | step) &&
           put_op(terms, name);
}

/*
 * Unpacks a head at its first use: the text before its base, the base, and the text up to the first
 * part.
 */
static bool expand_head(struct templight_terms *terms, const struct templight_read_head *head,
                        struct bo_span *start_ret)
{
    const struct templight_read_shape *shape = &terms->shapes[head->shape];
    const struct bo_span *pieces = &terms->pieces[shape->first_text];
    struct templight_output out = {terms->starts + terms->n_starts, 0,
                                   terms->cap_starts - terms->n_starts};
    struct templight_bits text = terms->tables;
    text.bit = head->text_bit;
    if (!templight_copy_text(&out, pieces[0]) ||
        (shape->has_base && (!templight_spell_text(&terms->texts, &text, &out) ||
                             !templight_copy_text(&out, pieces[1]))))
        return false;
    *start_ret = (struct bo_span){out.to, out.n};
    terms->n_starts += out.n;
    return true;
}

static enum outcome unpack_head(struct unpacking *u, uint32_t number)
{
    struct templight_terms *terms = u->terms;
    const struct templight_read_head *head = &terms->heads[number];
    const struct templight_read_shape *shape = &terms->shapes[head->shape];
    const uint32_t text = terms->n_literals + number;
    terms->n_words += shape->n_words;
    struct bo_span *start = &terms->pieces[text];
    if ((start->n == BO_NOT_YET && !expand_head(terms, head, start)) || !put_text(terms, text))
        return WRONG;
    /* A base is a level of its own, unless it is the whole text. */
    u->depth = 1 + (shape->has_base && terms->pieces[shape->first_text + 1].n);
    if (shape->n_holes == shape->has_base)
        return COMPLETE;
    uint32_t range = u->first_range;
    if (u->n_frames) {
        if (terms->n_ranges == terms->cap_ranges || u->n_frames == terms->cap_frames)
            return WRONG;
        range = terms->n_ranges++;
        terms->ranges[range] = (struct templight_range){terms->n_ops, TEMPLIGHT_NONE};
        terms->ranges[range].start -= start->n > 0;
    }
    struct templight_unpacking_frame *frame = &terms->unpacking[u->n_frames++];
    frame->shape = shape;
    frame->hole = shape->has_base;
    frame->start = terms->n_ops;
    frame->range = range;
    frame->depth = u->depth - 1;
    u->place = templight_place_of_part(shape->has_base, 0);
    return STARTED;
}

/* A part of a head around: a short one's operations, or a reference. */
static enum outcome unpack_copy(struct unpacking *u, uint32_t i)
{
    struct templight_terms *terms = u->terms;
    const uint32_t up = i / TEMPLIGHT_COPY_PARTS, part = i % TEMPLIGHT_COPY_PARTS;
    if (up >= u->n_frames)
        return WRONG;
    const struct templight_unpacking_frame *frame = &terms->unpacking[u->n_frames - 1 - up];
    if (part >= frame->hole - frame->shape->has_base)
        return WRONG;
    const struct templight_range range = frame->parts[part];
    u->depth = frame->part_depths[part];
    if (range.end - range.start > TEMPLIGHT_OP_WORDS)
        return put_reference(terms, u->name, frame->part_ranges[part] - u->first_range) ? COMPLETE
                                                                                        : WRONG;
    for (uint32_t k = range.start; k < range.end; k++)
        if (!put_op(terms, terms->ops[k]))
            return WRONG;
    return COMPLETE;
}

/* A term of an earlier name, or a complete one of this. */
static enum outcome unpack_reference(struct unpacking *u, uint32_t name, uint32_t step)
{
    struct templight_terms *terms = u->terms;
    const uint32_t first = name == u->name        ? u->first_range + 1
                           : name < u->first_name ? terms->first_ranges[name]
                           : name < u->name       ? u->first_ranges[name - u->first_name]
                                                  : 0;
    u->depth = first && step < terms->n_ranges - (first - 1) ? terms->depths[first - 1 + step] : 0;
    if (name > u->name ||
        (name == u->name && (step >= terms->n_ranges - u->first_range ||
                             terms->ranges[u->first_range + step].end == TEMPLIGHT_NONE)))
        return WRONG;
    return put_reference(terms, name, step) ? COMPLETE : WRONG;
}

static enum outcome unpack_leaf(struct unpacking *u)
{
    const uint32_t bit = (uint32_t)u->bits.bit;
    u->depth = 1;
    templight_pass_text(&u->terms->texts, &u->bits);
    return put_op(u->terms, TEMPLIGHT_OP_LEAF) && put_op(u->terms, bit) ? COMPLETE : WRONG;
}

static enum outcome unpack_term(struct unpacking *u)
{
    struct templight_terms *terms = u->terms;
    uint32_t symbol = templight_take_symbol(&u->bits, &terms->codes[u->place]);
    if (symbol == TEMPLIGHT_NO_SYMBOL)
        return WRONG;
    if (symbol == TEMPLIGHT_OTHER)
        symbol = TEMPLIGHT_HEADS + templight_take_bits(&u->bits, terms->number_bits);
    if (symbol >= TEMPLIGHT_HEADS) {
        const uint32_t number = symbol - TEMPLIGHT_HEADS, top = number - terms->n_heads;
        if (number < terms->n_heads)
            return unpack_head(u, number);
        terms->n_words += TEMPLIGHT_OP_WORDS;
        return top < terms->n_tops
                   ? unpack_reference(u, terms->tops[top].name, terms->tops[top].step)
                   : WRONG;
    }
    terms->n_words += TEMPLIGHT_OP_WORDS;
    if (symbol >= TEMPLIGHT_BACK) {
        const uint32_t back = templight_take_rest(&u->bits, symbol - TEMPLIGHT_BACK);
        const uint32_t step = templight_take_symbol(&u->bits, &terms->steps);
        return back <= u->name && step < TEMPLIGHT_STEPS ? unpack_reference(u, u->name - back, step)
                                                         : WRONG;
    }
    return symbol >= TEMPLIGHT_COPY ? unpack_copy(u, symbol - TEMPLIGHT_COPY) : unpack_leaf(u);
}

/* A term is complete; perhaps its enclosing terms are, too. COMPLETE if the name is. */
static enum outcome end_term(struct unpacking *u)
{
    struct templight_terms *terms = u->terms;
    uint32_t complete = TEMPLIGHT_NONE; /* the range of the part */
    while (u->n_frames) {
        struct templight_unpacking_frame *frame = &terms->unpacking[u->n_frames - 1];
        const struct templight_read_shape *shape = frame->shape;
        const uint32_t part = frame->hole - shape->has_base;
        if (part < TEMPLIGHT_COPY_PARTS) {
            frame->parts[part] = (struct templight_range){frame->start, terms->n_ops};
            frame->part_ranges[part] = complete;
            frame->part_depths[part] = u->depth;
        }
        frame->depth = u->depth > frame->depth ? u->depth : frame->depth;
        if (!put_text(terms, shape->first_text + ++frame->hole))
            return WRONG;
        if (frame->hole < shape->n_holes) {
            frame->start = terms->n_ops;
            u->place = templight_place_of_part(shape->has_base, 1);
            return STARTED;
        }
        complete = frame->range;
        terms->depths[complete] = u->depth = frame->depth + 1;
        terms->ranges[complete].end = terms->n_ops;
        u->n_frames--;
    }
    terms->ranges[u->first_range].end = terms->n_ops; /* of a name without parts, too */
    terms->depths[u->first_range] = u->depth;
    terms->deepest = u->depth > terms->deepest ? u->depth : terms->deepest;
    return COMPLETE;
}

static bool unpack_name(struct unpacking *u, uint32_t end_bit)
{
    struct templight_terms *terms = u->terms;
    if (terms->n_ranges == terms->cap_ranges)
        return false;
    u->place = TEMPLIGHT_AT_NAME;
    u->first_range = terms->n_ranges++;
    terms->ranges[u->first_range] = (struct templight_range){terms->n_ops, TEMPLIGHT_NONE};
    for (;;) {
        enum outcome outcome = unpack_term(u);
        if (outcome == COMPLETE)
            outcome = end_term(u);
        if (outcome == WRONG || u->bits.bit > end_bit)
            return false;
        if (outcome == COMPLETE)
            return true;
    }
}

/* Unpacks the group of a name. A group that does not end as in the index is dropped. */
static bool unpack_group(struct templight_terms *terms, uint32_t name)
{
    const uint32_t group = name / TEMPLIGHT_NAMES_A_GROUP, end_bit = terms->groups[group + 1];
    const uint32_t first = group * TEMPLIGHT_NAMES_A_GROUP, left = terms->n_names - first;
    const uint32_t end = first + (left < TEMPLIGHT_NAMES_A_GROUP ? left : TEMPLIGHT_NAMES_A_GROUP);
    const uint32_t n_ops = terms->n_ops, n_ranges = terms->n_ranges;
    struct unpacking u = {.terms = terms, .bits = terms->stream, .first_name = first};
    u.bits.bit = terms->groups[group];
    bool ok = true;
    for (u.name = first; u.name < end && ok; u.name++) {
        ok = unpack_name(&u, end_bit);
        u.first_ranges[u.name - first] = u.first_range + 1;
        terms->n_steps[u.name] = terms->n_ranges - u.first_range;
    }
    if (!ok || u.bits.bit != end_bit) {
        terms->n_ops = n_ops;
        terms->n_ranges = n_ranges;
        return false;
    }
    memcpy(terms->first_ranges + first, u.first_ranges, (end - first) * sizeof *u.first_ranges);
    return true;
}

/* ---- spelling -------------------------------------------------------------------------------- */

/* The range of a name's step. */
static inline bool find_range(struct templight_terms *terms, uint32_t name, uint32_t step,
                              uint32_t *range_ret)
{
    if (__builtin_expect(!terms->first_ranges[name], 0) && !unpack_group(terms, name))
        return false;
    *range_ret = terms->first_ranges[name] - 1 + step;
    return step < terms->n_steps[name];
}

static inline bool spell_leaf(struct templight_terms *terms, uint32_t bit,
                              struct templight_output *out)
{
    struct templight_bits bits = terms->stream;
    bits.bit = bit;
    return templight_spell_text(&terms->texts, &bits, out);
}

/* Inlined twice: with and without what is known. */
static inline __attribute__((always_inline)) bool spell_range(struct templight_terms *terms,
                                                              const uint32_t whole,
                                                              struct templight_known *known,
                                                              struct templight_output *out_ret)
{
    struct templight_output out = *out_ret; /* by value: bytes that are written may not change it */
    const uint32_t *const ops = terms->ops, *op = ops + terms->ranges[whole].start;
    const uint32_t *end = ops + terms->ranges[whole].end;
    const struct bo_span *const pieces = terms->pieces;
    uint32_t n_frames = 0, range;
    /* A byte is of one text or leaf (two words), and in a term that others refer to (four more). */
    const int64_t enough = 3 * TEMPLIGHT_OP_WORDS * ((int64_t)terms->longest + 2);
    const int64_t most = enough < TEMPLIGHT_MAX_WORDS ? enough : TEMPLIGHT_MAX_WORDS;
    int64_t left = most;
    for (;;) {
        while (op != end) {
            const uint32_t word = *op++;
            if (__builtin_expect(word < TEMPLIGHT_OP_TERM, 1)) {
                if (!templight_copy_text(&out, pieces[word]))
                    return false;
                continue;
            }
            const uint32_t value = *op++;
            if (word == TEMPLIGHT_OP_LEAF) {
                struct templight_output with_leaf = out;
                if (!spell_leaf(terms, value, &with_leaf))
                    return false;
                out.n = with_leaf.n;
                continue;
            }
            if (!find_range(terms, value, word - TEMPLIGHT_OP_TERM, &range))
                return false;
            if (known && known[range].p) {
                const struct bo_span text = {known[range].p, known[range].nbytes};
                left -= known[range].n_words;
                if (left < 0 || !templight_copy_text(&out, text))
                    return false;
                continue;
            }
            if (known)
                known[range].n_words = (uint32_t)left; /* for now */
            if (known || op != end) {
                if (n_frames == terms->cap_frames)
                    return false;
                terms->spelling[n_frames++] =
                    (struct templight_spelling_frame){op, end, range, out.n};
            }
            op = ops + terms->ranges[range].start;
            end = ops + terms->ranges[range].end;
            left -= end - op + TEMPLIGHT_OP_WORDS;
            if (left < 0)
                return false;
        }
        if (n_frames == 0)
            break;
        const struct templight_spelling_frame *frame = &terms->spelling[--n_frames];
        if (known)
            known[frame->range] =
                (struct templight_known){out.to + frame->start, out.n - frame->start,
                                         known[frame->range].n_words - (uint32_t)left};
        op = frame->op;
        end = frame->end;
    }
    if (known) {
        const struct templight_range own = terms->ranges[whole];
        const int64_t n_words = (int64_t)(own.end - own.start) + TEMPLIGHT_OP_WORDS + most - left;
        known[whole] = (struct templight_known){out.to, out.n,
                                                n_words <= most ? (uint32_t)n_words : UINT32_MAX};
    }
    out_ret->n = out.n;
    /* Else all names together could take time quadratic in the size of the file. */
    return most - left <= 12 * TEMPLIGHT_OP_WORDS * ((int64_t)out.n + 2);
}

enum bo_status templight_spell_name(struct templight_terms *terms, uint32_t name,
                                    struct templight_known *known, uint8_t *to,
                                    uint32_t *nbytes_ret, struct bo_error *err)
{
    struct templight_output out = {to, 0, terms->longest};
    uint32_t range;
    if (!find_range(terms, name, 0, &range))
        return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->stream.p - terms->in.p),
                       "names are not where the index says");
    if (!(known ? spell_range(terms, range, known, &out) : spell_range(terms, range, NULL, &out)))
        return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->stream.p - terms->in.p),
                       "expanded name differs from its announced size");
    *nbytes_ret = out.n;
    return BO_OK;
}
