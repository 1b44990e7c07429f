/* A history as arrays: copied from a model, and its answers. */
#include "codecs/statehist/in_memory.h"

#include "codecs/statehist/answers.h"

/* ---- from a model ---------------------------------------------------------------------------- */

static void put_all(const struct statehist_model *model, struct bo_writer *out)
{
    uint32_t end = 0; /* the sum fits: statehist_hold */
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_le64(out, (uint64_t)model->intervals[i].start);
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_le64(out, model->intervals[i].value);
    for (uint32_t i = 0; i < model->n_strings; i++) {
        const uint64_t hash = statehist_hash(model->strings[i]);
        bo_put_bytes(out, (const uint8_t *)&hash, sizeof hash);
    }
    for (uint32_t q = 0; q <= model->n_quarks; q++)
        bo_put_le32(out, model->first[q]);
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_le32(out, end += (uint32_t)model->strings[i].n);
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_u8(out, (uint8_t)model->intervals[i].type);
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_bytes(out, model->strings[i].p, model->strings[i].n);
}

enum bo_status statehist_hold(const struct statehist_model *model, struct bo_arena *arena,
                              struct bo_arena_mark before_model,
                              struct statehist_in_memory **held_ret, struct bo_error *err)
{
    struct statehist_in_memory held = {.start = model->start,
                                       .end = model->end,
                                       .n_quarks = model->n_quarks,
                                       .n_strings = model->n_strings,
                                       .n_intervals = model->n_intervals};
    uint64_t strings_nbytes = 0;
    for (uint32_t i = 0; i < model->n_strings; i++)
        strings_nbytes += model->strings[i].n;
    if (strings_nbytes > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "strings have 4 GiB or more");
    struct bo_writer all;
    bo_writer_init(&all, arena);
    put_all(model, &all);
    const enum bo_status status = bo_writer_status(&all, err);
    bo_arena_rewind(arena, before_model);
    uint8_t *p = status ? NULL : bo_alloc(arena, all.n);
    *held_ret = p ? bo_alloc(arena, sizeof held) : NULL;
    if (*held_ret) {
        memcpy(p, all.p, all.n);
        held.starts = p;
        held.values = held.starts + 8 * held.n_intervals;
        held.hashes = (const uint64_t *)(const void *)(held.values + 8 * held.n_intervals);
        held.first = (const uint8_t *)(held.hashes + held.n_strings);
        held.string_ends = held.first + 4 * ((size_t)held.n_quarks + 1);
        held.types = held.string_ends + 4 * (size_t)held.n_strings;
        held.strings = held.types + held.n_intervals;
        **held_ret = held;
    }
    bo_writer_free(&all);
    return status ? status : *held_ret ? BO_OK : bo_fail_alloc(err, arena);
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool is_in(const struct statehist_in_memory *r, int64_t time)
{
    return time >= r->start && time <= r->end;
}

/* The last of the intervals from..to-1 that starts by this time, as the first one does. */
static size_t search(const struct statehist_in_memory *r, size_t from, size_t to, int64_t time)
{
    size_t n = to - from;
    while (n > 1) {
        const size_t half = n / 2;
        from += statehist_start_at(r, from + half) <= time ? half : 0;
        n -= half;
    }
    return from;
}

static size_t interval_at(const struct statehist_in_memory *r, uint32_t quark, int64_t time)
{
    return search(r, statehist_first_of(r, quark), statehist_first_of(r, quark + 1), time);
}

static uint64_t value_at(const struct statehist_in_memory *r, size_t i)
{
    const uint64_t value = bo_le64(r->values + 8 * i);
    return r->types[i] == STATEHIST_STRING ? r->hashes[value] : value;
}

static struct statehist_state state_at(const struct statehist_in_memory *r, uint32_t quark,
                                       size_t i)
{
    return (struct statehist_state){statehist_start_at(r, i), statehist_end_at(r, quark, i),
                                    value_at(r, i), r->types[i], 0};
}

static enum bo_status point(const struct statehist_in_memory *r,
                            const struct statehist_point_query *q, struct statehist_state *answer)
{
    if (q->quark >= r->n_quarks || !is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    *answer = state_at(r, q->quark, interval_at(r, q->quark, q->time));
    return BO_OK;
}

static enum bo_status full_state(const struct statehist_in_memory *r,
                                 const struct statehist_time_query *q, struct bo_sink *sink)
{
    const size_t n = r->n_quarks;
    if (!is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    uint64_t *values;
    uint8_t *types;
    if (!statehist_take_values(n, sink, &values, &types))
        return BO_OVER_LIMIT;
    for (uint32_t quark = 0; quark < n; quark++) {
        const size_t i = interval_at(r, quark, q->time);
        values[quark] = value_at(r, i);
        types[quark] = r->types[i];
    }
    return BO_OK;
}

static enum bo_status range(const struct statehist_in_memory *r,
                            const struct statehist_range_query *q, struct bo_sink *sink)
{
    if (q->quark >= r->n_quarks || !is_in(r, q->from) || !is_in(r, q->to) || q->from > q->to)
        return BO_OUT_OF_RANGE;
    const size_t first = interval_at(r, q->quark, q->from);
    const size_t last = search(r, first, statehist_first_of(r, q->quark + 1), q->to);
    const size_t n = last - first + 1;
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    struct statehist_columns *head = statehist_take_columns(n, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = statehist_end_at(r, q->quark, last);
    for (size_t i = 0; i < n; i++) {
        starts[i] = statehist_start_at(r, first + i);
        values[i] = value_at(r, first + i);
    }
    memcpy(types, r->types + first, n);
    return BO_OK;
}

static bool row(const struct statehist_in_memory *r, const struct statehist_window_query *q,
                uint32_t quark, struct bo_sink *sink)
{
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return false;
    states->n = 0;
    size_t from = statehist_first_of(r, quark);
    int64_t time = q->from;
    struct statehist_state *state;
    do {
        state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return false;
        from = search(r, from, statehist_first_of(r, quark + 1), time);
        *state = state_at(r, quark, from);
        states->n++;
    } while (statehist_time_after(q, state->end, &time));
    return true;
}

static enum bo_status window(const struct statehist_in_memory *r,
                             const struct statehist_window_query *q, struct bo_sink *sink)
{
    if (!statehist_window_fits(q, r->start, r->end, r->n_quarks))
        return BO_OUT_OF_RANGE;
    for (size_t k = 0; k < q->quarks.n; k += 4) {
        if (!row(r, q, bo_le32(q->quarks.p + k), sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static void scan(const struct statehist_in_memory *r, struct statehist_digest *digest)
{
    *digest = (struct statehist_digest){0};
    for (uint32_t quark = 0; quark < r->n_quarks; quark++)
        for (size_t i = statehist_first_of(r, quark); i < statehist_first_of(r, quark + 1); i++)
            statehist_digest_interval(digest, quark, statehist_start_at(r, i),
                                      statehist_end_at(r, quark, i), r->types[i], value_at(r, i));
}

static enum bo_status take_snapshot(const struct statehist_in_memory *r,
                                    const struct statehist_time_query *q, struct bo_sink *sink)
{
    if (!is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *snapshot = bo_sink_take(sink, sizeof *snapshot);
    if (!snapshot)
        return BO_OVER_LIMIT;
    snapshot->n = r->n_quarks;
    for (uint32_t quark = 0; quark < r->n_quarks; quark++) {
        const size_t i = interval_at(r, quark, q->time);
        struct bo_span string = {NULL, 0};
        if (r->types[i] == STATEHIST_STRING)
            string =
                statehist_text_at(r->strings, r->string_ends, (size_t)bo_le64(r->values + 8 * i));
        if (!statehist_put_exported(state_at(r, quark, i), string, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

enum bo_status statehist_query_in_memory(const struct bo_codec *self, void *reader, unsigned kind,
                                         const void *queries, size_t n, void *answers,
                                         struct bo_error *err)
{
    const struct statehist_in_memory *r = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch ((enum statehist_query_kind)kind) {
        case STATEHIST_POINT:
            status = point(r, (const struct statehist_point_query *)queries + i,
                           (struct statehist_state *)answers + i);
            break;
        case STATEHIST_FULL_STATE:
            status = full_state(r, (const struct statehist_time_query *)queries + i, answers);
            break;
        case STATEHIST_RANGE:
            status = range(r, (const struct statehist_range_query *)queries + i, answers);
            break;
        case STATEHIST_WINDOW:
        case STATEHIST_TIMES:
        case STATEHIST_RANGE2D:
            status = window(r, (const struct statehist_window_query *)queries + i, answers);
            break;
        case STATEHIST_SCAN:
            scan(r, (struct statehist_digest *)answers + i);
            break;
        case STATEHIST_EXPORT:
            status = take_snapshot(r, (const struct statehist_time_query *)queries + i, answers);
            break;
        default:
            status = bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
        }
    return status;
}
