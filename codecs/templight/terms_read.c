/*
 * Reading names as terms. Opening reads the tables; the stream is looked at when a name is asked for,
 * and whatever it holds, spelling ends: a name has a longest length, a number of symbols in proportion,
 * and a depth.
 */
#include "codecs/templight/terms.h"

static enum bo_status fail_at(const struct templight_terms *terms,
                              const struct templight_bits *bits, const char *what,
                              struct bo_error *err)
{
    const uint64_t byte = bits->bit / 8 < bits->n ? bits->bit / 8 : bits->n;
    return bo_fail(err, BO_CORRUPT, (uint64_t)(bits->p - terms->in.p) + byte, what);
}

static inline bool copy_exact(struct templight_output *out, const uint8_t *from, size_t n)
{
    if (n > out->cap - out->n)
        return false;
    if (n)
        memcpy(out->to + out->n, from, n);
    out->n += (uint32_t)n;
    return true;
}

/* ---- where names stand ----------------------------------------------------------------------------- */

/* The symbol of a term; TEMPLIGHT_OTHER becomes the one that it stands for. */
static inline uint32_t take_symbol(const struct templight_terms *terms, struct templight_bits *bits,
                                   unsigned place)
{
    const uint32_t symbol = templight_take_symbol(bits, &terms->codes[place]);
    if (symbol != TEMPLIGHT_OTHER)
        return symbol;
    const uint32_t number = templight_take_bits(bits, terms->number_bits);
    return number < terms->n_heads + terms->n_tops ? TEMPLIGHT_HEADS + number : TEMPLIGHT_NO_SYMBOL;
}

static inline bool is_head(const struct templight_terms *terms, uint32_t symbol)
{
    return symbol - TEMPLIGHT_HEADS < terms->n_heads;
}

static inline bool is_back(uint32_t symbol)
{
    return symbol >= TEMPLIGHT_BACK && symbol < TEMPLIGHT_HEADS;
}

/*
 * Passes over n_symbols, or up to the end of the name: *n_symbols is what was not passed. Parts that are
 * still to come are counted on a stack. False for what is no term.
 */
static bool pass_symbols(const struct templight_terms *terms, struct templight_bits *bits,
                         unsigned *place, uint32_t *n_symbols)
{
    uint32_t *stack = terms->parts_left, n = 0; /* twice the parts, and whether there is a base */
    for (; *n_symbols && bits->bit < terms->stream_nbits; --*n_symbols) {
        const uint32_t symbol = take_symbol(terms, bits, *place);
        if (is_head(terms, symbol)) {
            const struct templight_read_shape *shape =
                &terms->shapes[terms->heads[symbol - TEMPLIGHT_HEADS].shape];
            const uint32_t n_parts = shape->n_holes - shape->has_base;
            if (n_parts) {
                if (n == terms->cap_frames)
                    return false;
                stack[n++] = n_parts << 1 | shape->has_base;
                *place = templight_place_of_part(shape->has_base, 0);
                continue;
            }
        } else if (symbol == TEMPLIGHT_INLINE) {
            templight_pass_text(&terms->texts, bits);
        } else if (is_back(symbol)) {
            templight_take_rest(bits, symbol - TEMPLIGHT_BACK);
            templight_take_symbol(bits, &terms->steps);
        } else if (symbol == TEMPLIGHT_NO_SYMBOL) {
            return false;
        }
        while (n && stack[n - 1] < 4)
            n--;
        if (n == 0) {
            --*n_symbols;
            *place = TEMPLIGHT_AT_NAME;
            return true;
        }
        stack[n - 1] -= 2;
        *place = templight_place_of_part(stack[n - 1] & 1, 1);
    }
    return *n_symbols == 0;
}

/* Where a name starts; false when nothing does. At most max_passed symbols are passed. */
static bool locate(struct templight_terms *terms, uint32_t name, uint32_t max_passed,
                   struct templight_bits *bits)
{
    unsigned place = TEMPLIGHT_AT_NAME, block = name / TEMPLIGHT_NAMES_A_BLOCK;
    uint32_t n_passed = name % TEMPLIGHT_NAMES_A_BLOCK;
    const uint8_t *group =
        terms->groups + TEMPLIGHT_GROUP_NBYTES * (size_t)(block / TEMPLIGHT_BLOCKS_A_GROUP);
    uint32_t behind = 0;
    for (block %= TEMPLIGHT_BLOCKS_A_GROUP; block; block--) {
        behind = bo_le16(group + 2 + 2 * (size_t)block);
        if (__builtin_expect(behind != TEMPLIGHT_FAR, 1))
            break;
        if (max_passed == TEMPLIGHT_STEPS)
            return false;
        n_passed += TEMPLIGHT_NAMES_A_BLOCK;
        behind = 0;
    }
    *bits = terms->stream;
    bits->bit = (uint64_t)bo_le32(group) + behind;
    for (; n_passed; n_passed--)
        if (!pass_symbols(terms, bits, &place, &max_passed) || place != TEMPLIGHT_AT_NAME)
            return false;
    return bits->bit < terms->stream_nbits;
}

bool templight_is_in_index(const struct templight_terms *terms, const struct templight_term_at *at)
{
    const uint32_t block = at->name / TEMPLIGHT_NAMES_A_BLOCK;
    const uint32_t i = block % TEMPLIGHT_BLOCKS_A_GROUP;
    const uint8_t *group =
        terms->groups + TEMPLIGHT_GROUP_NBYTES * (size_t)(block / TEMPLIGHT_BLOCKS_A_GROUP);
    if (at->name % TEMPLIGHT_NAMES_A_BLOCK)
        return true;
    const uint32_t start = bo_le32(group), told = i ? bo_le16(group + 2 + 2 * (size_t)i) : 0;
    return at->bit >= start &&
           told == (at->bit - start < TEMPLIGHT_FAR ? at->bit - start : TEMPLIGHT_FAR);
}

enum bo_status templight_locate_name(struct templight_terms *terms, uint32_t name,
                                     struct templight_term_at *at_ret, struct bo_error *err)
{
    struct templight_bits bits;
    if (!locate(terms, name, UINT32_MAX, &bits))
        return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->stream.p - terms->in.p),
                       "name does not stand where the index says");
    *at_ret = (struct templight_term_at){(uint32_t)bits.bit, name, TEMPLIGHT_AT_NAME};
    return BO_OK;
}

/* The term that starts with a symbol of a name. */
static bool locate_step(struct templight_terms *terms, uint32_t name, uint32_t step,
                        struct templight_term_at *at_ret)
{
    struct templight_bits bits;
    unsigned place = TEMPLIGHT_AT_NAME;
    if (!locate(terms, name, TEMPLIGHT_STEPS, &bits) ||
        (step &&
         (!pass_symbols(terms, &bits, &place, &step) || step || place == TEMPLIGHT_AT_NAME)))
        return false;
    *at_ret = (struct templight_term_at){(uint32_t)bits.bit, name, place};
    return true;
}

/* ---- spelling -------------------------------------------------------------------------------------- */

struct spelling {
    struct templight_terms *terms;
    const struct templight_known *known; /* or NULL */
    struct templight_bits bits;
    struct templight_output out;
    struct templight_term_frame *frames;
    uint32_t n_frames;
    uint32_t name;
    unsigned place;
};

static inline const struct templight_literal *literal_of(const struct spelling *s,
                                                         const struct templight_read_shape *shape,
                                                         uint32_t i)
{
    return &s->terms->literals[shape->first_literal + i];
}

static inline bool put_literal(struct spelling *s, const struct templight_read_shape *shape,
                               uint32_t i)
{
    const struct templight_literal *literal = literal_of(s, shape, i);
    return templight_copy_short(&s->out, s->terms->marked + literal->off, literal->nbytes);
}

/* What a term's first symbol leads to. */
enum outcome { STARTED, COMPLETE, WRONG };

/* A head that is met for the first time. */
static bool expand_head(struct templight_terms *terms, struct templight_read_head *head)
{
    const struct templight_read_shape *shape = &terms->shapes[head->shape];
    const struct templight_literal *literals = &terms->literals[shape->first_literal];
    struct templight_output out = {terms->starts + terms->n_starts, 0,
                                   terms->cap_starts - terms->n_starts};
    struct templight_bits text = terms->tables;
    text.bit = head->text_bit;
    if (!templight_copy_short(&out, terms->marked + literals[0].off, literals[0].nbytes) ||
        (shape->has_base &&
         (!templight_spell_text(&terms->texts, &text, &out) ||
          !templight_copy_short(&out, terms->marked + literals[1].off, literals[1].nbytes))))
        return false;
    head->off = terms->n_starts;
    head->nbytes = out.n;
    terms->n_starts += out.n;
    return true;
}

static inline enum outcome start_head(struct spelling *s, struct templight_read_head *head)
{
    const struct templight_read_shape *shape = &s->terms->shapes[head->shape];
    if (__builtin_expect(head->off == TEMPLIGHT_NONE, 0) && !expand_head(s->terms, head))
        return WRONG;
    if (!templight_copy_short(&s->out, s->terms->starts + head->off, head->nbytes))
        return WRONG;
    if (shape->n_holes == shape->has_base)
        return COMPLETE;
    if (s->n_frames == s->terms->cap_frames)
        return WRONG;
    struct templight_term_frame *frame = &s->frames[s->n_frames++];
    frame->shape = shape;
    frame->hole = shape->has_base;
    frame->start = s->out.n;
    s->place = templight_place_of_part(shape->has_base, 0);
    return STARTED;
}

/* Goes where a term stands, to come back when it is complete. */
static inline enum outcome go_to(struct spelling *s, const struct templight_term_at *at,
                                 uint32_t top)
{
    if (s->n_frames == s->terms->cap_frames)
        return WRONG;
    struct templight_term_frame *frame = &s->frames[s->n_frames++];
    frame->shape = NULL;
    frame->hole = top;
    frame->start = s->out.n;
    frame->back = (struct templight_term_at){(uint32_t)s->bits.bit, s->name, 0};
    s->bits.bit = at->bit;
    s->name = at->name;
    s->place = at->place;
    return STARTED;
}

static enum outcome start_top(struct spelling *s, uint32_t i)
{
    struct templight_read_top *top = &s->terms->tops[i];
    if (s->known && s->known->tops[i].p)
        return copy_exact(&s->out, s->known->tops[i].p, s->known->tops[i].n) ? COMPLETE : WRONG;
    if (top->at.bit == TEMPLIGHT_NONE && !locate_step(s->terms, top->at.name, top->step, &top->at))
        return WRONG;
    return go_to(s, &top->at, i);
}

static inline enum outcome start_back(struct spelling *s, uint32_t class)
{
    struct templight_term_at at;
    const uint32_t back = templight_take_rest(&s->bits, class);
    const uint32_t step = templight_take_symbol(&s->bits, &s->terms->steps);
    if (back > s->name || step >= TEMPLIGHT_STEPS)
        return WRONG;
    if (s->known && step == 0 && back) {
        const struct bo_span *text = &s->known->names[s->name - back];
        return copy_exact(&s->out, text->p, text->n) ? COMPLETE : WRONG;
    }
    return locate_step(s->terms, s->name - back, step, &at) ? go_to(s, &at, TEMPLIGHT_NONE) : WRONG;
}

static inline enum outcome copy_part(struct spelling *s, uint32_t i)
{
    const uint32_t up = i / TEMPLIGHT_COPY_PARTS, part = i % TEMPLIGHT_COPY_PARTS;
    if (up >= s->n_frames)
        return WRONG;
    const struct templight_term_frame *frame = &s->frames[s->n_frames - 1 - up];
    if (!frame->shape || part >= frame->hole - frame->shape->has_base)
        return WRONG;
    const uint32_t n = frame->ends[part] - frame->starts[part];
    return copy_exact(&s->out, s->out.to + frame->starts[part], n) ? COMPLETE : WRONG;
}

static inline enum outcome start_term(struct spelling *s)
{
    struct templight_terms *terms = s->terms;
    const uint32_t symbol = take_symbol(terms, &s->bits, s->place);
    if (__builtin_expect(is_head(terms, symbol), 1))
        return start_head(s, &terms->heads[symbol - TEMPLIGHT_HEADS]);
    if (symbol == TEMPLIGHT_NO_SYMBOL)
        return WRONG;
    if (symbol >= TEMPLIGHT_HEADS)
        return start_top(s, symbol - TEMPLIGHT_HEADS - terms->n_heads);
    if (symbol >= TEMPLIGHT_BACK)
        return start_back(s, symbol - TEMPLIGHT_BACK);
    if (symbol >= TEMPLIGHT_COPY)
        return copy_part(s, symbol - TEMPLIGHT_COPY);
    return templight_spell_text(&terms->texts, &s->bits, &s->out) ? COMPLETE : WRONG;
}

/* A term is complete: so perhaps is what it is a part of. COMPLETE when the name is. */
static inline enum outcome end_term(struct spelling *s)
{
    while (s->n_frames) {
        struct templight_term_frame *frame = &s->frames[s->n_frames - 1];
        const struct templight_read_shape *shape = frame->shape;
        if (!shape) {
            if (s->known && frame->hole != TEMPLIGHT_NONE)
                s->known->tops[frame->hole] =
                    (struct bo_span){s->out.to + frame->start, s->out.n - frame->start};
            s->bits.bit = frame->back.bit;
            s->name = frame->back.name;
            s->n_frames--;
            continue;
        }
        const uint32_t part = frame->hole - shape->has_base;
        if (part < TEMPLIGHT_COPY_PARTS) {
            frame->starts[part] = frame->start;
            frame->ends[part] = s->out.n;
        }
        if (!put_literal(s, shape, ++frame->hole))
            return WRONG;
        if (frame->hole < shape->n_holes) {
            frame->start = s->out.n;
            s->place = templight_place_of_part(shape->has_base, 1);
            return STARTED;
        }
        s->n_frames--;
    }
    return COMPLETE;
}

enum bo_status templight_spell_term(struct templight_terms *terms, struct templight_term_at *at,
                                    const struct templight_known *known, uint8_t *to,
                                    uint32_t *nbytes_ret, struct bo_error *err)
{
    struct spelling s = {
        .terms = terms,
        .known = known,
        .bits = terms->stream,
        .out = {to, 0, terms->longest},
        .frames = terms->frames,
        .name = at->name,
        .place = at->place,
    };
    s.bits.bit = at->bit;
    /* Each term but the name has text of its own; a reference has one of another symbol. */
    for (uint64_t left = 2 * (uint64_t)terms->longest + 4; left; left--) {
        enum outcome outcome = start_term(&s);
        if (outcome == COMPLETE)
            outcome = end_term(&s);
        if (outcome == STARTED)
            continue;
        if (outcome == WRONG || s.bits.bit > terms->stream_nbits)
            break;
        *nbytes_ret = s.out.n;
        *at = (struct templight_term_at){(uint32_t)s.bits.bit, at->name + 1, TEMPLIGHT_AT_NAME};
        return BO_OK;
    }
    return fail_at(terms, &s.bits, "name is no term, or not one of the announced size", err);
}

/* ---- opening ------------------------------------------------------------------------------------- */

struct counts {
    uint32_t longest, depth, n_shapes, n_heads, n_tops, starts_nbytes, tables_nbytes, stream_nbits;
    uint64_t total_nbytes;
};

static enum bo_status read_counts(struct bo_cursor *c, struct counts *counts, struct bo_error *err)
{
    uint32_t *const numbers[] = {
        &counts->depth,         &counts->n_shapes,      &counts->n_heads,     &counts->n_tops,
        &counts->starts_nbytes, &counts->tables_nbytes, &counts->stream_nbits};
    enum bo_status status = bo_get_uvarint32(c, &counts->longest, err);
    if (!status)
        status = bo_get_uvarint64(c, &counts->total_nbytes, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = bo_get_uvarint32(c, numbers[i], err);
    return status;
}

/* What counts may be in a file of so many bytes, of names that many. */
static enum bo_status check_counts(const struct counts *counts, uint64_t file_nbytes,
                                   uint32_t n_names, uint64_t off, struct bo_error *err)
{
    const char *flaw = NULL;
    if (counts->longest > file_nbytes + 2 * TEMPLIGHT_MAX_SPLIT_NBYTES ||
        counts->total_nbytes > templight_max_terms_nbytes(file_nbytes, n_names) ||
        counts->starts_nbytes > bo_max_text_nbytes(file_nbytes))
        return bo_fail(err, BO_OVER_LIMIT, off, "names would expand to too much");
    if (counts->depth > (uint64_t)counts->longest + 1 || counts->depth > counts->stream_nbits ||
        counts->depth > INT32_MAX / 2)
        flaw = "names are deeper than long";
    else if (counts->longest > counts->total_nbytes)
        flaw = "the longest name is longer than all together";
    else if (counts->n_shapes > 8 * (uint64_t)counts->tables_nbytes ||
             counts->n_heads > 8 * (uint64_t)counts->tables_nbytes ||
             counts->n_tops > 8 * (uint64_t)counts->tables_nbytes ||
             (uint64_t)counts->n_heads + counts->n_tops >= TEMPLIGHT_MAX_SYMBOLS / 2)
        flaw = "more heads than the tables hold";
    else if (n_names > counts->stream_nbits)
        flaw = "more names than bits";
    return flaw ? bo_fail(err, BO_CORRUPT, off, flaw) : BO_OK;
}

/* One shape: literals between holes. Its text is behind those before. */
static bool read_shape(struct templight_terms *terms, struct templight_bits *bits, uint32_t i,
                       uint32_t *n_marked, uint32_t *n_literals)
{
    uint32_t nbytes;
    struct templight_read_shape *shape = &terms->shapes[i];
    *shape = (struct templight_read_shape){.first_literal = *n_literals};
    shape->has_base = templight_take_bits(bits, 1);
    if (!templight_take_gamma(bits, &nbytes) ||
        bits->bit + 8 * (uint64_t)nbytes > 8 * (uint64_t)bits->n)
        return false;
    struct templight_literal literal = {.off = *n_marked};
    for (uint32_t k = 0; k < nbytes; k++) {
        const uint8_t c = (uint8_t)templight_take_bits(bits, 8);
        if (c) {
            terms->marked[(*n_marked)++] = c;
            literal.nbytes++;
        } else {
            terms->literals[(*n_literals)++] = literal;
            literal = (struct templight_literal){.off = *n_marked};
            shape->n_holes++;
        }
    }
    terms->literals[(*n_literals)++] = literal;
    return shape->n_holes >= shape->has_base && shape->n_holes < UINT32_C(1) << 30;
}

static bool read_heads(struct templight_terms *terms, struct templight_bits *bits)
{
    for (uint32_t i = 0; i < terms->n_heads; i++) {
        struct templight_read_head *head = &terms->heads[i];
        if (!templight_take_gamma(bits, &head->shape) || head->shape >= terms->n_shapes)
            return false;
        if (bits->bit > UINT32_MAX)
            return false;
        head->text_bit = (uint32_t)bits->bit;
        head->off = TEMPLIGHT_NONE;
        if (terms->shapes[head->shape].has_base)
            templight_pass_text(&terms->texts, bits);
        if (templight_past_end(bits))
            return false;
    }
    return true;
}

static enum bo_status read_codes(struct templight_terms *terms, struct templight_bits *bits,
                                 struct bo_arena *arena)
{
    const uint32_t n_symbols = TEMPLIGHT_HEADS + terms->n_heads + terms->n_tops;
    enum bo_status status = BO_OK;
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES && !status; place++)
        status = templight_read_code(bits, n_symbols, arena, &terms->codes[place]);
    return status ? status : templight_read_code(bits, TEMPLIGHT_STEPS, arena, &terms->steps);
}

static bool read_tops(struct templight_terms *terms, struct templight_bits *bits)
{
    const unsigned name_bits = bo_bit_width(terms->n_names - 1);
    for (uint32_t i = 0; i < terms->n_tops; i++) {
        struct templight_read_top *top = &terms->tops[i];
        top->at = (struct templight_term_at){.bit = TEMPLIGHT_NONE,
                                             .name = templight_take_bits(bits, name_bits)};
        top->step = templight_take_bits(bits, TEMPLIGHT_STEP_BITS);
        if (top->at.name >= terms->n_names || templight_past_end(bits))
            return false;
    }
    return true;
}

static enum bo_status read_tables(struct templight_terms *terms, struct bo_arena *arena,
                                  struct bo_error *err)
{
    struct templight_bits bits = terms->tables;
    uint32_t n_marked = 0, n_literals = 0;
    for (uint32_t i = 0; i < terms->n_shapes; i++)
        if (!read_shape(terms, &bits, i, &n_marked, &n_literals))
            return fail_at(terms, &bits, "shapes are none", err);
    if (!read_heads(terms, &bits))
        return fail_at(terms, &bits, "heads are none", err);
    const enum bo_status status = read_codes(terms, &bits, arena);
    if (status == BO_CORRUPT)
        return fail_at(terms, &bits, "codes of symbols are none", err);
    if (status)
        return bo_fail_alloc(err, arena);
    if (!read_tops(terms, &bits))
        return fail_at(terms, &bits, "tops are none", err);
    if (bits.bit + 7 < 8 * (uint64_t)bits.n)
        return fail_at(terms, &bits, "bytes behind the tables", err);
    return BO_OK;
}

static bool make_room(struct templight_terms *terms, const struct counts *counts,
                      struct bo_arena *arena)
{
    /* A shape's bytes are literals or holes, and there is one literal more than holes. */
    const size_t n_bytes = (size_t)counts->tables_nbytes + 1;
    terms->cap_frames = 2 * counts->depth + 2;
    terms->marked = bo_alloc(arena, n_bytes + TEMPLIGHT_SLACK);
    terms->literals = bo_alloc_array(arena, n_bytes + counts->n_shapes, sizeof *terms->literals);
    terms->cap_starts = counts->starts_nbytes;
    terms->starts = bo_alloc(arena, (size_t)counts->starts_nbytes + TEMPLIGHT_SLACK);
    terms->shapes = bo_alloc_array(arena, counts->n_shapes, sizeof *terms->shapes);
    terms->heads = bo_alloc_array(arena, counts->n_heads, sizeof *terms->heads);
    terms->tops = bo_alloc_array(arena, counts->n_tops, sizeof *terms->tops);
    terms->frames = bo_alloc_array(arena, terms->cap_frames, sizeof *terms->frames);
    terms->parts_left = bo_alloc_array(arena, terms->cap_frames, sizeof *terms->parts_left);
    terms->buffer = bo_alloc(arena, (size_t)counts->longest + TEMPLIGHT_SLACK);
    if (!terms->starts || !terms->marked || !terms->literals || !terms->shapes || !terms->heads ||
        !terms->tops || !terms->frames || !terms->parts_left || !terms->buffer)
        return false;
    memset(terms->marked, 0, n_bytes + TEMPLIGHT_SLACK);
    return true;
}

static const uint8_t *take_part(struct bo_cursor *c, uint64_t nbytes, struct bo_error *err)
{
    const uint8_t *p = NULL;
    if (nbytes > SIZE_MAX || !bo_get_bytes(c, (size_t)nbytes, &p))
        bo_fail_here(err, BO_TRUNCATED, c, "names end too early");
    return p;
}

static bool open_index(struct templight_terms *terms, struct bo_cursor *c, struct bo_error *err)
{
    enum { NAMES = TEMPLIGHT_NAMES_A_BLOCK * TEMPLIGHT_BLOCKS_A_GROUP };
    const uint64_t n_groups = ((uint64_t)terms->n_names + NAMES - 1) / NAMES;
    return (terms->groups = take_part(c, n_groups * TEMPLIGHT_GROUP_NBYTES, err)) &&
           (terms->fingerprints = take_part(c, terms->n_names, err));
}

enum bo_status templight_open_terms(struct bo_span in, size_t *off, size_t end, uint32_t n_names,
                                    struct bo_arena *arena, struct templight_terms *terms,
                                    struct bo_error *err)
{
    struct bo_cursor c = bo_cursor_at(in, *off, end - *off);
    struct counts counts;
    struct bo_error own;
    if (!err)
        err = &own;
    *terms = (struct templight_terms){.in = in, .n_names = n_names};
    if (n_names == 0)
        return BO_OK;
    enum bo_status status = read_counts(&c, &counts, err);
    if (!status)
        status = check_counts(&counts, in.n, n_names, *off, err);
    if (status)
        return status;
    if ((status = templight_open_texts(in, &c, arena, &terms->texts, err)))
        return status;
    terms->longest = counts.longest;
    terms->total_nbytes = counts.total_nbytes;
    terms->n_shapes = counts.n_shapes;
    terms->n_heads = counts.n_heads;
    terms->n_tops = counts.n_tops;
    terms->number_bits = bo_bit_width(counts.n_heads + counts.n_tops);
    terms->stream_nbits = counts.stream_nbits;
    const size_t stream_nbytes = (size_t)(((uint64_t)counts.stream_nbits + 7) / 8);
    terms->tables =
        (struct templight_bits){take_part(&c, counts.tables_nbytes, err), counts.tables_nbytes, 0};
    if (!terms->tables.p)
        return err->status;
    terms->stream = (struct templight_bits){take_part(&c, stream_nbytes, err), stream_nbytes, 0};
    if (!terms->stream.p || !open_index(terms, &c, err))
        return err->status;
    if (!make_room(terms, &counts, arena))
        return bo_fail_alloc(err, arena);
    *off = c.base + c.off;
    return read_tables(terms, arena, err);
}
