/*
 * Template: a codec whose encoding is a sorted array of the states that apply from a PC on, without
 * function boundaries. Included once by the codec's file, which has defined before
 *
 *   N_PARTS                      parts of its payload
 *   struct table                 what is kept of an opened payload; `frame` is its struct
 *                                unwind_frame, `n` the number of entries
 *   hold, HOLDS_SIGNALS          see reduce.h
 *   put_flats(flats, model, out, w, err)     the parts
 *   open_table(in, table, err)               everything but the entries
 *   get_flat(table, i, flat)                 entry i; NULL, or the rule that it breaks
 *   find_flat(table, pc, i_ret)              the last entry at or before a PC; false: none
 *   PREPARE(model, arena)                    may be absent: the model to be flattened
 *
 * An encoding whose entries may be two stretches each defines OWN_CURSOR, and instead of the
 * last two
 *
 *   struct cursor                            position of a walk; zeros: the first entry
 *   has_next(table, cursor)
 *   next_flat(table, cursor, flat)           as get_flat, and moves on
 *   look_up(table, pc, flat)                 the flat that applies at a PC; false: none
 */
#include "codecs/unwind/reduce.h"

#ifndef OWN_CURSOR
struct cursor {
    size_t i;
};

static bool has_next(const struct table *table, const struct cursor *c)
{
    return c->i < table->n;
}

static const char *next_flat(const struct table *table, struct cursor *c, struct unwind_flat *flat)
{
    return get_flat(table, c->i++, flat);
}

static inline bool look_up(const struct table *table, uint64_t pc, struct unwind_flat *flat)
{
    size_t i;
    if (!find_flat(table, pc, &i))
        return false;
    get_flat(table, i, flat);
    return flat->known;
}
#endif

static enum bo_status flatten(const struct unwind_model *model, struct bo_arena *arena,
                              struct unwind_flats *flats, struct bo_error *err)
{
#ifdef PREPARE
    model = PREPARE(model, arena);
    if (!model)
        return bo_fail_alloc(err, arena);
#endif
    return unwind_flatten(model, hold, HOLDS_SIGNALS, arena, flats, err);
}

static enum bo_status reduce(const struct bo_codec *self, const void *opaque,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct unwind_flats flats;
    const enum bo_status status = flatten(opaque, arena, &flats, err);
    if (status)
        return status;
    *model_ret = unwind_join(&flats, opaque, arena);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    struct unwind_flats flats;
    struct unwind_frame_writer w;
    struct unwind_model model = {.arch = ((const struct unwind_model *)opaque)->arch};
    enum bo_status status = flatten(opaque, out->arena, &flats, err);
    if (status)
        return status;
    /* The frame's Base is the first PC that is known. */
    const struct unwind_function first = {.start = flats.n ? flats.p[0].pc : 0};
    model.functions = &first;
    model.n_functions = flats.n ? 1 : 0;
    unwind_frame_begin(&w, &model, N_PARTS, out);
    status = put_flats(&flats, &model, out, &w, err);
    return status ? status : bo_writer_status(out, err);
}

/* Checks all entries; builds a model of them unless model_ret is NULL. */
static enum bo_status walk(const struct table *table, struct bo_arena *arena, void **model_ret,
                           struct bo_error *err)
{
    struct unwind_flats flats = {0};
    struct unwind_flat flat, last = {0};
    struct cursor c = {0};
    size_t cap = 0, n = 0;
    const struct unwind_model from = {.arch = table->frame.arch};
    const uint64_t at = table->frame.part_off[0];
    for (; has_next(table, &c); n++, last = flat) {
        const char *flaw = next_flat(table, &c, &flat);
        if (!flaw && flat.known)
            flaw = unwind_state_flaw(&flat.state, table->frame.arch);
        if (!flaw && (n ? flat.pc <= last.pc : flat.pc != table->frame.base || !flat.known))
            flaw = "entries do not ascend from Base, or the first says nothing";
        if (!flaw && n && flat.known == last.known &&
            (!flat.known ||
             (unwind_same_state(&flat.state, &last.state) && flat.flags == last.flags)))
            flaw = "neighbouring entries are equal";
        if (!flaw && !has_next(table, &c) && flat.known)
            flaw = "the last entry does not end the text";
        if (!flaw && n && last.known && flat.pc - last.pc > UINT32_MAX)
            flaw = "entry holds for 4 GiB or more";
        if (flaw)
            return bo_fail(err, BO_CORRUPT, at, flaw);
        if (!model_ret)
            continue;
        if (!bo_grow(arena, &flats.p, n, 1, &cap))
            return bo_fail_alloc(err, arena);
        flats.p[n] = flat;
        flats.n = n + 1;
    }
    if (n == 0 && table->frame.base)
        return bo_fail(err, BO_CORRUPT, at, "Base is not 0, but there are no entries");
    if (!model_ret)
        return BO_OK;
    *model_ret = unwind_join(&flats, &from, arena);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct table table;
    const enum bo_status status = open_table(in, &table, err);
    return status ? status : walk(&table, arena, model_ret, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct table *table = bo_alloc(arena, sizeof *table);
    if (!table)
        return bo_fail_alloc(err, arena);
    *reader_ret = table;
    const enum bo_status status = open_table(in, table, err);
    return status ? status : walk(table, arena, NULL, err);
}

/* All stretches; the same rules of joining as unwind_join. */
static enum bo_status put_scan(const struct table *table, struct bo_sink *sink)
{
    struct unwind_scan_answer *head = bo_sink_take(sink, sizeof *head);
    struct unwind_function_answer *function = NULL;
    struct unwind_flat flat, next;
    struct cursor c = {0};
    uint32_t n = 0;
    if (!head)
        return BO_OVER_LIMIT;
    if (has_next(table, &c))
        next_flat(table, &c, &next);
    for (bool more = table->n > 0; more;) {
        flat = next;
        more = has_next(table, &c);
        if (more)
            next_flat(table, &c, &next);
        if (function && flat.known && flat.flags == function->flags &&
            next.pc - function->start <= UINT32_MAX) {
            if (!unwind_answer_row(sink, function, (uint32_t)(flat.pc - function->start),
                                   &flat.state))
                return BO_OVER_LIMIT;
            continue;
        }
        if (function)
            function->length = (uint32_t)(flat.pc - function->start);
        function = NULL;
        if (!flat.known)
            continue;
        function = unwind_answer_function(sink, flat.pc, 0, flat.flags, 0);
        if (!function || !unwind_answer_row(sink, function, 0, &flat.state))
            return BO_OVER_LIMIT;
        n++;
    }
    head->n_functions = n;
    return BO_OK;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct table *table = reader;
    const struct unwind_point *points = queries;
    struct unwind_point_answer *answer = answers;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct unwind_flat flat;
        if (kind == UNWIND_SCAN) {
            status = put_scan(table, answers);
            continue;
        }
        answer[i] = (struct unwind_point_answer){0};
        if (look_up(table, points[i].pc, &flat)) {
            answer[i].found = UNWIND_ROW;
            answer[i].flags = flat.flags;
            answer[i].state = flat.state;
        }
    }
    return status;
}
