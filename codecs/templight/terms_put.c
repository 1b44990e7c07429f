/* Writing names as terms. */
#include "codecs/templight/terms.h"

/* ---- texts: the heads' bases and the leaves that are used once ------------------------------------ */

struct texts {
    uint32_t *numbers; /* by piece, or TEMPLIGHT_NONE */
    struct templight_text_plan plan;
};

static void list_text(const struct templight_plan *plan, uint32_t piece, uint32_t *numbers,
                      struct bo_span *texts, uint32_t *n)
{
    if (numbers[piece] != TEMPLIGHT_NONE)
        return;
    numbers[piece] = *n;
    texts[(*n)++] = templight_piece_marked(&plan->dictionary, &plan->dictionary.pieces[piece]);
}

static enum bo_status plan_texts(const struct templight_plan *plan, struct bo_arena *arena,
                                 struct texts *t, struct bo_error *err)
{
    const uint32_t n_pieces = plan->dictionary.n_pieces;
    struct bo_span *texts = bo_alloc_array(arena, n_pieces, sizeof *texts);
    uint32_t n = 0;
    t->numbers = bo_alloc_array(arena, n_pieces, sizeof *t->numbers);
    if (!t->numbers || !texts)
        return bo_fail_alloc(err, arena);
    memset(t->numbers, 0xff, n_pieces * sizeof *t->numbers);
    for (uint32_t i = 0; i < plan->n_numbered; i++) {
        const uint32_t base = plan->heads[plan->numbered_heads[i]].base;
        if (base != TEMPLIGHT_NONE)
            list_text(plan, base, t->numbers, texts, &n);
    }
    for (size_t i = 0; i < plan->n_items; i++)
        if (plan->items[i].symbol == TEMPLIGHT_INLINE)
            list_text(plan, plan->items[i].value, t->numbers, texts, &n);
    return templight_plan_texts(texts, n, arena, &t->plan, err);
}

/* ---- tables -------------------------------------------------------------------------------------- */

struct words {
    struct templight_words places[TEMPLIGHT_N_PLACES], steps;
};

static void put_shape(struct templight_bit_writer *w, const struct templight_shape *shape)
{
    templight_put_bits(w, shape->has_base, 1);
    templight_put_gamma(w, (uint32_t)shape->marked.n);
    for (size_t i = 0; i < shape->marked.n; i++)
        templight_put_bits(w, shape->marked.p[i], 8);
}

static bool put_tables(struct templight_bit_writer *w, const struct templight_plan *plan,
                       const struct texts *texts, const struct words *words, uint32_t n_names,
                       struct bo_arena *arena)
{
    for (uint32_t i = 0; i < plan->n_shapes; i++)
        put_shape(w, &plan->shapes[i]);
    for (uint32_t i = 0; i < plan->n_numbered; i++) {
        const struct templight_head *head = &plan->heads[plan->numbered_heads[i]];
        templight_put_gamma(w, head->shape);
        if (head->base != TEMPLIGHT_NONE)
            templight_put_text(w, &texts->plan, texts->numbers[head->base]);
    }
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        if (!templight_put_code(w, &words->places[place], arena))
            return false;
    if (!templight_put_code(w, &words->steps, arena))
        return false;
    for (uint32_t i = 0; i < plan->n_tops; i++) {
        templight_put_bits(w, plan->tops[i].name, bo_bit_width(n_names - 1));
        templight_put_bits(w, plan->tops[i].step, TEMPLIGHT_STEP_BITS);
    }
    templight_end_bits(w);
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------------ */

static void put_item(struct templight_bit_writer *w, const struct templight_plan *plan,
                     const struct texts *texts, const struct words *words,
                     const struct templight_item *item)
{
    templight_put_symbol(w, &words->places[item->place], item->symbol);
    if (item->symbol == TEMPLIGHT_INLINE) {
        templight_put_text(w, &texts->plan, texts->numbers[item->value]);
    } else if (item->symbol == TEMPLIGHT_OTHER) {
        templight_put_bits(w, item->value, bo_bit_width(plan->n_numbered + plan->n_tops));
    } else if (item->symbol >= TEMPLIGHT_BACK && item->symbol < TEMPLIGHT_HEADS) {
        templight_put_rest(w, item->value);
        templight_put_symbol(w, &words->steps, item->step);
    }
}

/* Where the blocks start, which goes to `starts`, and how many bits there are. */
static bool put_stream(struct templight_bit_writer *w, const struct templight_plan *plan,
                       const struct texts *texts, const struct words *words, uint32_t n_names,
                       uint32_t *starts, uint32_t *nbits_ret)
{
    const size_t start = w->out->n;
    for (uint32_t name = 0; name < n_names; name++) {
        const uint64_t bit = 8 * (uint64_t)(w->out->n - start) + w->n_bits;
        if (bit >= UINT32_MAX)
            return false;
        if (name % TEMPLIGHT_NAMES_A_BLOCK == 0)
            starts[name / TEMPLIGHT_NAMES_A_BLOCK] = (uint32_t)bit;
        for (size_t i = plan->first_items[name]; i < plan->first_items[name + 1]; i++)
            put_item(w, plan, texts, words, &plan->items[i]);
    }
    const uint64_t nbits = 8 * (uint64_t)(w->out->n - start) + w->n_bits;
    *nbits_ret = (uint32_t)nbits;
    templight_end_bits(w);
    return nbits < UINT32_MAX;
}

/* ---- where blocks start ------------------------------------------------------------------------------ */

/* A group's first block in 32 bits, and how far behind it the others start. */
static void put_index(struct bo_writer *out, const uint32_t *starts, uint32_t n)
{
    bo_mark(out, "names");
    for (uint32_t first = 0; first < n; first += TEMPLIGHT_BLOCKS_A_GROUP) {
        bo_put_le32(out, starts[first]);
        for (uint32_t i = first + 1; i < first + TEMPLIGHT_BLOCKS_A_GROUP; i++) {
            const uint32_t behind = i < n ? starts[i] - starts[first] : 0;
            bo_put_le16(out, (uint16_t)(behind < TEMPLIGHT_FAR ? behind : TEMPLIGHT_FAR));
        }
    }
}

/* ---- all ----------------------------------------------------------------------------------------- */

static bool fit_words(const struct templight_plan *plan, struct bo_arena *arena,
                      struct words *words)
{
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        if (!templight_fit_words(plan->uses[place], plan->n_symbols, arena, &words->places[place]))
            return false;
    return templight_fit_words(plan->step_uses, TEMPLIGHT_STEPS, arena, &words->steps);
}

/* Whether blocks are so far from their groups that no term may refer into them. */
static bool has_far_blocks(const uint32_t *starts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (starts[i] - starts[i - i % TEMPLIGHT_BLOCKS_A_GROUP] >= TEMPLIGHT_FAR)
            return true;
    return false;
}

/* What a reader's heads need: all that is before their first parts. */
static uint64_t starts_nbytes(const struct templight_plan *plan)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < plan->n_numbered; i++) {
        const struct templight_head *head = &plan->heads[plan->numbered_heads[i]];
        const struct templight_shape *shape = &plan->shapes[head->shape];
        const struct bo_span marked = shape->marked;
        const size_t first = shape->has_base; /* a base's hole is the first byte */
        const uint8_t *hole =
            marked.n > first ? memchr(marked.p + first, '\0', marked.n - first) : NULL;
        n += hole ? (size_t)(hole - marked.p) - first : marked.n - first;
        if (head->base != TEMPLIGHT_NONE)
            n += plan->dictionary.pieces[head->base].marked_nbytes;
    }
    return n;
}

/* Counts of what is written, and the longest name; then the parts. */
static bool put_parts(const struct templight_trace *trace, const struct templight_plan *plan,
                      const struct texts *texts, const struct words *words, struct bo_writer *out,
                      bool *far_ret)
{
    const uint32_t n_blocks = (trace->n_names - 1) / TEMPLIGHT_NAMES_A_BLOCK + 1;
    uint32_t *starts = bo_alloc_array(out->arena, n_blocks, sizeof *starts);
    struct bo_writer tables, stream;
    bo_writer_init(&tables, out->arena);
    bo_writer_init(&stream, out->arena);
    struct templight_bit_writer to_tables = {.out = &tables}, to_stream = {.out = &stream};
    uint64_t total = 0, longest = 0;
    uint32_t nbits = 0;
    bool ok = starts && put_tables(&to_tables, plan, texts, words, trace->n_names, out->arena) &&
              put_stream(&to_stream, plan, texts, words, trace->n_names, starts, &nbits);
    for (uint32_t i = 0; i < trace->n_names; i++) {
        total += trace->names[i].n;
        longest = trace->names[i].n > longest ? trace->names[i].n : longest;
    }
    if (ok) {
        bo_put_uvarint(out, longest);
        bo_put_uvarint(out, total);
        bo_put_uvarint(out, plan->depth);
        bo_put_uvarint(out, plan->n_shapes);
        bo_put_uvarint(out, plan->n_numbered);
        bo_put_uvarint(out, plan->n_tops);
        bo_put_uvarint(out, starts_nbytes(plan));
        bo_put_uvarint(out, tables.n);
        bo_put_uvarint(out, nbits);
        templight_put_texts_grammar(&texts->plan, "names", out);
        bo_put_bytes(out, tables.p, tables.n);
        bo_put_bytes(out, stream.p, stream.n);
        *far_ret = has_far_blocks(starts, n_blocks);
        put_index(out, starts, n_blocks);
        for (uint32_t i = 0; i < trace->n_names; i++)
            bo_put_u8(out, templight_fingerprint(trace->names[i]));
        ok = !tables.status && !stream.status;
    }
    bo_writer_free(&tables);
    bo_writer_free(&stream);
    return ok;
}

/* Appends the names as planned with or without references; *again_ret: it must be without. */
static enum bo_status put_names(const struct templight_trace *trace, bool refers,
                                struct bo_writer *out, bool *again_ret, struct bo_error *err)
{
    struct templight_plan plan;
    struct texts texts;
    struct words words;
    const size_t start = out->n;
    enum bo_status status = templight_plan_terms(trace, refers, out->arena, &plan, err);
    if (!status)
        status = plan_texts(&plan, out->arena, &texts, err);
    if (status)
        return status;
    if (!fit_words(&plan, out->arena, &words) ||
        !put_parts(trace, &plan, &texts, &words, out, again_ret))
        return bo_fail_alloc(err, out->arena);
    const uint64_t most = bo_max_text_nbytes(out->n - start);
    if (texts.plan.has_grammar &&
        (texts.plan.grammar.text_nbytes > most || starts_nbytes(&plan) > most)) {
        /* More than a reader takes: so all texts stand as they are. */
        bo_writer_truncate(out, start);
        texts.plan.has_grammar = false;
        if (!put_parts(trace, &plan, &texts, &words, out, again_ret))
            return bo_fail_alloc(err, out->arena);
    }
    return bo_writer_status(out, err);
}

enum bo_status templight_put_terms(const struct templight_trace *trace, struct bo_writer *out,
                                   struct bo_error *err)
{
    const size_t start = out->n;
    bool again = false;
    if (trace->n_names == 0)
        return BO_OK;
    const enum bo_status status = put_names(trace, true, out, &again, err);
    if (status || !again)
        return status;
    bo_writer_truncate(out, start);
    return put_names(trace, false, out, &again, err);
}
