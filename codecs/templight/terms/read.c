/* Opening names as terms: reads the tables, but not the stream. */
#include "codecs/templight/terms/terms.h"

static enum bo_status fail_at(const struct templight_terms *terms,
                              const struct templight_bits *bits, const char *what,
                              struct bo_error *err)
{
    const uint64_t byte = bits->bit / 8 < bits->n ? bits->bit / 8 : bits->n;
    return bo_fail(err, BO_CORRUPT, (uint64_t)(bits->p - terms->in.p) + byte, what);
}

/* ---- opening --------------------------------------------------------------------------------- */

struct counts {
    uint32_t longest, depth, n_shapes, n_heads, n_tops, starts_nbytes, n_ops, n_ranges,
        tables_nbytes, stream_nbits;
    uint64_t total_nbytes;
};

static enum bo_status read_counts(struct bo_cursor *c, struct counts *counts, struct bo_error *err)
{
    uint32_t *const numbers[] = {&counts->depth,    &counts->n_shapes,      &counts->n_heads,
                                 &counts->n_tops,   &counts->starts_nbytes, &counts->n_ops,
                                 &counts->n_ranges, &counts->tables_nbytes, &counts->stream_nbits};
    enum bo_status status = bo_get_uvarint32(c, &counts->longest, err);
    if (!status)
        status = bo_get_uvarint64(c, &counts->total_nbytes, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = bo_get_uvarint32(c, numbers[i], err);
    return status;
}

/* Checks the announced numbers against the bytes of the file and the number of names. */
static enum bo_status check_counts(const struct counts *counts, uint64_t file_nbytes,
                                   uint32_t n_names, struct templight_totals *totals, uint64_t off,
                                   struct bo_error *err)
{
    const char *flaw = NULL;
    totals->n_names += n_names;
    totals->starts_nbytes += counts->starts_nbytes;
    if (counts->longest > file_nbytes + 2 * TEMPLIGHT_MAX_SPLIT_NBYTES ||
        counts->total_nbytes >
            templight_max_terms_nbytes(file_nbytes, totals->n_names) - totals->names_nbytes ||
        totals->starts_nbytes > bo_max_text_nbytes(file_nbytes))
        return bo_fail(err, BO_OVER_LIMIT, off, "names would expand to too much");
    totals->names_nbytes += counts->total_nbytes;
    if (counts->depth > (uint64_t)counts->longest + 1 || counts->depth > counts->stream_nbits ||
        counts->depth > INT32_MAX / 2)
        flaw = "depth of names exceeds their length";
    else if (counts->longest > counts->total_nbytes)
        flaw = "longest name is longer than all names together";
    else if (counts->n_shapes > 8 * (uint64_t)counts->tables_nbytes ||
             counts->n_heads > 8 * (uint64_t)counts->tables_nbytes ||
             counts->n_tops > 8 * (uint64_t)counts->tables_nbytes ||
             (uint64_t)counts->n_heads + counts->n_tops >= TEMPLIGHT_MAX_SYMBOLS / 2)
        flaw = "more heads than the tables hold";
    else if (counts->tables_nbytes > TEMPLIGHT_MAX_TABLES_NBYTES)
        flaw = "tables are too long";
    else if (n_names > counts->stream_nbits)
        flaw = "more names than bits";
    /* A symbol has a bit, at most two words, and one more after it. */
    else if (counts->n_ranges < n_names ||
             counts->n_ranges - n_names > (uint64_t)counts->stream_nbits ||
             counts->n_ops > (TEMPLIGHT_OP_WORDS + 1) * (uint64_t)counts->stream_nbits)
        flaw = "more terms than bits";
    return flaw ? bo_fail(err, BO_CORRUPT, off, flaw) : BO_OK;
}

/* The number of texts of all shapes: a shape has one more than holes. */
static uint64_t count_texts(const struct templight_terms *terms)
{
    struct templight_bits bits = terms->tables;
    uint64_t n_texts = terms->n_shapes;
    for (uint32_t i = 0; i < terms->n_shapes; i++) {
        uint32_t nbytes;
        bits.bit++; /* whether it has a base */
        if (!templight_take_gamma(&bits, &nbytes))
            break;
        for (uint32_t k = 0; k < nbytes && !templight_past_end(&bits); k++)
            n_texts += templight_take_bits(&bits, 8) == 0;
    }
    return n_texts;
}

/* One shape: literals between holes. Its text is after those before. */
static bool read_shape(struct templight_terms *terms, struct templight_bits *bits, uint32_t i,
                       uint32_t *n_marked)
{
    uint32_t nbytes;
    struct templight_read_shape *shape = &terms->shapes[i];
    *shape = (struct templight_read_shape){.first_text = terms->n_literals};
    shape->has_base = templight_take_bits(bits, 1);
    if (!templight_take_gamma(bits, &nbytes) ||
        bits->bit + 8 * (uint64_t)nbytes > 8 * (uint64_t)bits->n)
        return false;
    struct bo_span literal = {terms->marked + *n_marked, 0};
    for (uint32_t k = 0; k < nbytes; k++) {
        const uint8_t c = (uint8_t)templight_take_bits(bits, 8);
        if (c) {
            terms->marked[(*n_marked)++] = c;
            literal.n++;
        } else {
            terms->pieces[terms->n_literals++] = literal;
            literal = (struct bo_span){terms->marked + *n_marked, 0};
            shape->n_holes++;
        }
    }
    terms->pieces[terms->n_literals++] = literal;
    shape->n_words = 1;
    for (uint32_t k = shape->first_text + shape->has_base + 1; k < terms->n_literals; k++)
        shape->n_words += terms->pieces[k].n > 0;
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
        terms->pieces[terms->n_literals + i] = (struct bo_span){NULL, BO_NOT_YET};
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
        top->name = templight_take_bits(bits, name_bits);
        top->step = templight_take_bits(bits, TEMPLIGHT_STEP_BITS);
        if (top->name >= terms->n_names || templight_past_end(bits))
            return false;
    }
    return true;
}

/* Where groups start, and where the last one ends. */
static bool read_index(struct templight_terms *terms, struct templight_bits *bits)
{
    const uint32_t n_groups = templight_n_groups(terms->n_names);
    terms->groups[0] = 0;
    terms->groups[n_groups] = terms->stream_nbits;
    if (!templight_take_ascending(bits, terms->groups + 1, n_groups - 1))
        return false;
    for (uint32_t i = 0; i < n_groups; i++)
        if (terms->groups[i] >= terms->groups[i + 1])
            return false;
    return true;
}

static enum bo_status read_tables(struct templight_terms *terms, struct bo_arena *arena,
                                  struct bo_error *err)
{
    struct templight_bits bits = terms->tables;
    uint32_t n_marked = 0;
    for (uint32_t i = 0; i < terms->n_shapes; i++)
        if (!read_shape(terms, &bits, i, &n_marked))
            return fail_at(terms, &bits, "shape is invalid", err);
    if (!read_heads(terms, &bits))
        return fail_at(terms, &bits, "head of a term is invalid", err);
    const enum bo_status status = read_codes(terms, &bits, arena);
    if (status == BO_CORRUPT)
        return fail_at(terms, &bits, "code lengths of symbols do not form a prefix code", err);
    if (status)
        return bo_fail_alloc(err, arena);
    if (!read_tops(terms, &bits))
        return fail_at(terms, &bits, "top-level term is invalid", err);
    if (!read_index(terms, &bits))
        return fail_at(terms, &bits, "index is invalid", err);
    if (!templight_is_end(&bits))
        return fail_at(terms, &bits, "bits after the tables", err);
    bits = terms->stream;
    bits.bit = terms->stream_nbits;
    if (!templight_is_end(&bits))
        return fail_at(terms, &bits, "bits after the last name", err);
    return BO_OK;
}

static bool make_room(struct templight_terms *terms, const struct counts *counts,
                      struct bo_arena *arena)
{
    const uint32_t n_groups = templight_n_groups(terms->n_names);
    terms->cap_frames = counts->depth + TEMPLIGHT_SPARE_FRAMES;
    terms->marked = bo_zalloc_array(arena, (size_t)counts->tables_nbytes + TEMPLIGHT_SLACK, 1);
    terms->pieces =
        bo_alloc_array(arena, (size_t)count_texts(terms) + counts->n_heads, sizeof *terms->pieces);
    terms->cap_starts = counts->starts_nbytes;
    terms->starts = bo_alloc(arena, (size_t)counts->starts_nbytes + TEMPLIGHT_SLACK);
    terms->shapes = bo_alloc_array(arena, counts->n_shapes, sizeof *terms->shapes);
    terms->heads = bo_alloc_array(arena, counts->n_heads, sizeof *terms->heads);
    terms->tops = bo_alloc_array(arena, counts->n_tops, sizeof *terms->tops);
    terms->groups = bo_alloc_array(arena, (size_t)n_groups + 1, sizeof *terms->groups);
    terms->cap_ops = counts->n_ops;
    terms->ops = bo_alloc_array(arena, counts->n_ops, sizeof *terms->ops);
    terms->cap_ranges = counts->n_ranges;
    terms->ranges = bo_alloc_array(arena, counts->n_ranges, sizeof *terms->ranges);
    terms->depths = bo_alloc_array(arena, counts->n_ranges, sizeof *terms->depths);
    terms->first_ranges = bo_zalloc_array(arena, terms->n_names, sizeof *terms->first_ranges);
    terms->n_steps = bo_alloc_array(arena, terms->n_names, sizeof *terms->n_steps);
    terms->unpacking = bo_alloc_array(arena, terms->cap_frames, sizeof *terms->unpacking);
    terms->spelling = bo_alloc_array(arena, terms->cap_frames, sizeof *terms->spelling);
    return terms->marked && terms->pieces && terms->starts && terms->shapes && terms->heads &&
           terms->tops && terms->groups && terms->ops && terms->ranges && terms->depths &&
           terms->n_steps && terms->first_ranges && terms->unpacking && terms->spelling;
}

static const uint8_t *take_part(struct bo_cursor *c, uint64_t nbytes, struct bo_error *err)
{
    const uint8_t *p = NULL;
    if (nbytes > SIZE_MAX || !bo_get_bytes(c, (size_t)nbytes, &p))
        bo_fail_here(err, BO_TRUNCATED, c, "names run past the end");
    return p;
}

enum bo_status templight_open_terms(struct bo_span in, size_t *off, size_t end, uint32_t n_names,
                                    struct templight_totals *totals, struct bo_arena *arena,
                                    struct templight_terms *terms, struct bo_error *err)
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
        status = check_counts(&counts, in.n, n_names, totals, *off, err);
    if (status)
        return status;
    if ((status = templight_open_texts(in, &c, &totals->phrases_nbytes, arena, &terms->texts, err)))
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
    if (!terms->stream.p || !(terms->fingerprints = take_part(&c, n_names, err)))
        return err->status;
    if (!make_room(terms, &counts, arena))
        return bo_fail_alloc(err, arena);
    *off = c.base + c.off;
    return read_tables(terms, arena, err);
}
