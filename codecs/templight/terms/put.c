/* Writing names as terms. */
#include "codecs/templight/terms/terms.h"

/* ---- texts: the heads' bases and the leaves that are used once ------------------------------- */

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

/* ---- tables ---------------------------------------------------------------------------------- */

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
                       const struct texts *texts, const struct words *words, const uint32_t *starts,
                       uint32_t n_names, struct bo_arena *arena)
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
    templight_put_ascending(w, starts + 1, templight_n_groups(n_names) - 1); /* the first is 0 */
    templight_end_bits(w);
    return w->out->n <= TEMPLIGHT_MAX_TABLES_NBYTES;
}

/* ---- the stream ------------------------------------------------------------------------------ */

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

/* Where the groups start, which goes to `starts`, and how many bits there are. */
static bool put_stream(struct templight_bit_writer *w, const struct templight_plan *plan,
                       const struct texts *texts, const struct words *words, uint32_t n_names,
                       uint32_t *starts, uint32_t *nbits_ret)
{
    const size_t start = w->out->n;
    for (uint32_t name = 0; name < n_names; name++) {
        const uint64_t bit = 8 * (uint64_t)(w->out->n - start) + w->n_bits;
        if (bit >= UINT32_MAX)
            return false;
        if (name % TEMPLIGHT_NAMES_A_GROUP == 0)
            starts[name / TEMPLIGHT_NAMES_A_GROUP] = (uint32_t)bit;
        for (size_t i = plan->first_items[name]; i < plan->first_items[name + 1]; i++)
            put_item(w, plan, texts, words, &plan->items[i]);
    }
    const uint64_t nbits = 8 * (uint64_t)(w->out->n - start) + w->n_bits;
    *nbits_ret = (uint32_t)nbits;
    templight_end_bits(w);
    return nbits < UINT32_MAX;
}

/* ---- what a reader needs room for ------------------------------------------------------------ */

struct room {
    uint64_t n_starts; /* bytes of heads up to their first parts */
    uint64_t n_ops;    /* words, at most */
    uint64_t n_ranges; /* names, and terms with parts in them */
};

/*
 * The text of a shape up to its first part, without its base; *n_more: how many texts come later.
 */
static size_t start_of_shape(const struct templight_shape *shape, uint32_t *n_more)
{
    const struct bo_span marked = shape->marked;
    const size_t first = shape->has_base; /* a base's hole is the first byte */
    size_t start = first;
    while (start < marked.n && marked.p[start])
        start++;
    *n_more = 0;
    for (size_t i = start + 1; i < marked.n; i++)
        *n_more += marked.p[i] && !marked.p[i - 1];
    return start - first;
}

static bool measure_room(const struct templight_plan *plan, uint32_t n_names,
                         struct bo_arena *arena, struct room *room)
{
    uint32_t *n_words = bo_alloc_array(arena, plan->n_numbered, sizeof *n_words);
    if (!n_words)
        return false;
    *room = (struct room){.n_ranges = n_names};
    for (uint32_t i = 0; i < plan->n_numbered; i++) {
        const struct templight_head *head = &plan->heads[plan->numbered_heads[i]];
        room->n_starts += start_of_shape(&plan->shapes[head->shape], &n_words[i]);
        if (head->base != TEMPLIGHT_NONE)
            room->n_starts += plan->dictionary.pieces[head->base].marked_nbytes;
        n_words[i]++;
    }
    for (size_t i = 0; i < plan->n_items; i++) {
        const struct templight_item *item = &plan->items[i];
        const uint32_t number = item->symbol == TEMPLIGHT_OTHER   ? item->value
                                : item->symbol >= TEMPLIGHT_HEADS ? item->symbol - TEMPLIGHT_HEADS
                                                                  : TEMPLIGHT_NONE;
        if (number >= plan->n_numbered) {
            room->n_ops += TEMPLIGHT_OP_WORDS;
            continue;
        }
        const struct templight_shape *shape =
            &plan->shapes[plan->heads[plan->numbered_heads[number]].shape];
        room->n_ops += n_words[number];
        room->n_ranges += item->place != TEMPLIGHT_AT_NAME && shape->n_holes > shape->has_base;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool fit_words(const struct templight_plan *plan, struct bo_arena *arena,
                      struct words *words)
{
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        if (!templight_fit_words(plan->uses[place], plan->n_symbols, arena, &words->places[place]))
            return false;
    return templight_fit_words(plan->step_uses, TEMPLIGHT_STEPS, arena, &words->steps);
}

static const char too_much[] = "names exceed a limit of the format";

/* Counts of what is written, and the longest name; then the parts. */
static enum bo_status put_parts(const struct templight_trace *trace,
                                const struct templight_plan *plan, const struct texts *texts,
                                const struct words *words, const struct room *room,
                                struct bo_writer *out, struct bo_error *err)
{
    const uint32_t n_groups = templight_n_groups(trace->n_names);
    uint32_t *starts = bo_alloc_array(out->arena, n_groups, sizeof *starts);
    struct bo_writer tables, stream;
    bo_writer_init(&tables, out->arena);
    bo_writer_init(&stream, out->arena);
    struct templight_bit_writer to_tables = {.out = &tables}, to_stream = {.out = &stream};
    uint64_t total = 0, longest = 0;
    uint32_t nbits = 0;
    if (!starts)
        return bo_fail_alloc(err, out->arena);
    out->arena->refusal = BO_OK;
    const bool ok = put_stream(&to_stream, plan, texts, words, trace->n_names, starts, &nbits) &&
                    put_tables(&to_tables, plan, texts, words, starts, trace->n_names, out->arena);
    enum bo_status status = bo_writer_status(&tables, err);
    if (!status)
        status = bo_writer_status(&stream, err);
    if (!status && !ok && out->arena->refusal)
        status = bo_fail_alloc(err, out->arena);
    else if (!status && (!ok || room->n_ops > UINT32_MAX || room->n_ranges > UINT32_MAX))
        status = bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_much);
    for (uint32_t i = 0; i < trace->n_names; i++) {
        total += trace->names[i].n;
        longest = trace->names[i].n > longest ? trace->names[i].n : longest;
    }
    if (!status) {
        bo_mark(out, "names");
        bo_put_uvarint(out, longest);
        bo_put_uvarint(out, total);
        bo_put_uvarint(out, plan->depth);
        bo_put_uvarint(out, plan->n_shapes);
        bo_put_uvarint(out, plan->n_numbered);
        bo_put_uvarint(out, plan->n_tops);
        bo_put_uvarint(out, room->n_starts);
        bo_put_uvarint(out, room->n_ops);
        bo_put_uvarint(out, room->n_ranges);
        bo_put_uvarint(out, tables.n);
        bo_put_uvarint(out, nbits);
        templight_put_texts_grammar(&texts->plan, "names", out);
        bo_put_bytes(out, tables.p, tables.n);
        bo_put_bytes(out, stream.p, stream.n);
        bo_mark(out, "names");
        for (uint32_t i = 0; i < trace->n_names; i++)
            bo_put_u8(out, templight_fingerprint(trace->names[i]));
        status = bo_writer_status(out, err);
    }
    bo_writer_free(&tables);
    bo_writer_free(&stream);
    return status;
}

enum bo_status templight_put_terms(const struct templight_trace *trace,
                                   struct templight_totals *totals, struct bo_writer *out,
                                   struct bo_error *err)
{
    struct templight_plan plan;
    struct texts texts;
    struct words words;
    struct room room;
    const size_t start = out->n;
    if (trace->n_names == 0)
        return BO_OK;
    enum bo_status status = templight_plan_terms(trace, out->arena, &plan, err);
    if (!status)
        status = plan_texts(&plan, out->arena, &texts, err);
    if (status)
        return status;
    if (!fit_words(&plan, out->arena, &words) ||
        !measure_room(&plan, trace->n_names, out->arena, &room))
        return bo_fail_alloc(err, out->arena);
    totals->starts_nbytes += room.n_starts;
    status = put_parts(trace, &plan, &texts, &words, &room, out, err);
    if (!status && texts.plan.has_grammar &&
        (totals->phrases_nbytes + texts.plan.grammar.text_nbytes > bo_max_text_nbytes(out->n) ||
         totals->starts_nbytes > bo_max_text_nbytes(out->n))) {
        /* More than a reader accepts, so all texts are stored uncoded. */
        bo_writer_truncate(out, start);
        texts.plan.has_grammar = false;
        status = put_parts(trace, &plan, &texts, &words, &room, out, err);
    }
    if (!status && totals->starts_nbytes > bo_max_text_nbytes(out->n))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_much);
    totals->phrases_nbytes += texts.plan.has_grammar ? texts.plan.grammar.text_nbytes : 0;
    return status;
}
