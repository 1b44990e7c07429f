/* time-index: queries. The headers define static functions that only this file includes. */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index/full_state.h"
#include "codecs/statehist/time_index/range.h"
#include "codecs/statehist/time_index/whole.h"

/* ---- many attributes, at one time each ------------------------------------------------------- */

/* Queries whose records are found before the first one is read, so that fetching them overlaps. */
enum { POINTS_AHEAD = 16 };

ASCENDING_INLINE enum bo_status answer_some_points(const struct time_index *index,
                                                   const struct statehist_point_query *q, size_t n,
                                                   struct statehist_state *states)
{
    uint64_t places[POINTS_AHEAD];
    for (size_t i = 0; i < n; i++) {
        if (q[i].quark >= index->n_quarks || !is_in(index, q[i].time))
            return BO_OUT_OF_RANGE;
        if (!time_index_place(index, q[i].quark, &places[i]))
            return BO_CORRUPT;
        time_index_prefetch(index, places[i]);
    }
    for (size_t i = 0; i < n; i++) {
        struct time_index_timeline opened;
        const struct time_index_timeline *t = timeline_at(index, places[i], &opened);
        if (!t || !state_of(t, q[i].time, &states[i]))
            return BO_CORRUPT;
        if (!t->shape && !t->bases && time_index_count_reads(t, q[i].quark, 1))
            for (size_t k = i + 1; k < n; k++)
                (void)time_index_place(index, q[k].quark, &places[k]);
    }
    return BO_OK;
}

ASCENDING_INLINE enum bo_status answer_all_points(const struct time_index *index,
                                                  const struct statehist_point_query *q, size_t n,
                                                  struct statehist_state *states)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i += POINTS_AHEAD)
        status = answer_some_points(index, q + i, n - i < POINTS_AHEAD ? n - i : POINTS_AHEAD,
                                    states + i);
    return status;
}

/* Compiled twice: shifts of x86-64-v3 make points up to an eighth faster on a Granite Rapids. */
ASCENDING_CALL enum bo_status answer_points_portable(const struct time_index *index,
                                                     const struct statehist_point_query *q,
                                                     size_t n, struct statehist_state *states)
{
    return answer_all_points(index, q, n, states);
}

ASCENDING_CALL BO_V3 enum bo_status answer_points_v3(const struct time_index *index,
                                                     const struct statehist_point_query *q,
                                                     size_t n, struct statehist_state *states)
{
    return answer_all_points(index, q, n, states);
}

static enum bo_status answer_points(const struct time_index *index,
                                    const struct statehist_point_query *q, size_t n,
                                    struct statehist_state *states)
{
    return (ascending_has_v3() ? answer_points_v3 : answer_points_portable)(index, q, n, states);
}

/* ---- many attributes at one time ------------------------------------------------------------- */

/* The bytes of a string that a class has by a code. */
static bool string_of(const struct time_index *index, const struct time_index_class *class,
                      uint32_t code, struct bo_span *string_ret)
{
    uint32_t type;
    uint64_t value;
    return time_index_value_of(index, class, code, &type, &value) &&
           time_index_string(index, (uint32_t)value, string_ret);
}

ASCENDING_CALL enum bo_status answer_export(const struct time_index *index, int64_t time,
                                            struct bo_sink *sink)
{
    struct moment moment;
    struct walk walk;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *snapshot = bo_sink_take(sink, sizeof *snapshot);
    if (!snapshot)
        return BO_OVER_LIMIT;
    snapshot->n = index->n_quarks;
    if (!call_moment_of(index, time, &moment))
        return BO_CORRUPT;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        struct statehist_state state;
        struct bo_span string = {NULL, 0};
        uint32_t code;
        if (!next_timeline(index, &walk, quark, &t) || !call_state_at(&t, &moment, &state, &code) ||
            (state.type == STATEHIST_STRING && !string_of(index, t.class, code, &string)))
            return BO_CORRUPT;
        if (!statehist_put_exported(state, string, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

/* ---- windows --------------------------------------------------------------------------------- */

static enum bo_status put_states(const struct time_index *index,
                                 const struct statehist_window_query *q, uint32_t quark,
                                 struct bo_sink *sink)
{
    struct time_index_timeline opened;
    uint64_t place;
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return BO_OVER_LIMIT;
    states->n = 0;
    if (!time_index_place(index, quark, &place))
        return BO_CORRUPT;
    const struct time_index_timeline *t = timeline_at(index, place, &opened);
    if (!t)
        return BO_CORRUPT;
    int64_t time = q->from;
    struct statehist_state *state;
    do {
        state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return BO_OVER_LIMIT;
        if (!call_state_of(t, time, state))
            return BO_CORRUPT;
        if (__builtin_expect(state->end < time, 0)) {
            time_index_damaged(index, index->times.body, "times are damaged");
            return BO_CORRUPT;
        }
        states->n++;
    } while (statehist_time_after(q, state->end, &time));
    if (!t->shape && !t->bases)
        time_index_count_reads(t, quark, (uint32_t)states->n * ASCENDING_BLOCK);
    return BO_OK;
}

ASCENDING_CALL enum bo_status answer_window(const struct time_index *index,
                                            const struct statehist_window_query *q,
                                            struct bo_sink *sink)
{
    if (!statehist_window_fits(q, index->start, index->end, index->n_quarks))
        return BO_OUT_OF_RANGE;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < q->quarks.n && !status; i += 4)
        status = put_states(index, q, bo_le32(q->quarks.p + i), sink);
    return status;
}

/* ---- the whole history ----------------------------------------------------------------------- */

/* The timeline of a quark, to the intervals from number *n on; false when it is damaged. */
static bool unpack_timeline(struct time_index *index, const struct time_index_timeline *t,
                            uint32_t *n)
{
    struct time_index_whole *whole = index->whole;
    uint64_t starts[ASCENDING_BLOCK + 4], values[ASCENDING_BLOCK + 1];
    uint8_t types[ASCENDING_BLOCK + 1];
    const struct stretch stretch = {starts, values, types};
    if (t->n > index->n_intervals - *n)
        return false;
    for (uint32_t b = t->shape ? 0 : UINT32_MAX, n_blocks = time_index_n_blocks(t);
         b == UINT32_MAX || b < n_blocks; b++) {
        const unsigned size = stretch_size(t, b);
        if (!call_read_stretch(t, b, &stretch))
            return false;
        memcpy(whole->starts + *n, starts, 8 * (size_t)size);
        memcpy(whole->values + *n, values, 8 * (size_t)size);
        memcpy(whole->types + *n, types, size);
        *n += size;
    }
    return true;
}

static void unpack_whole(struct time_index *index)
{
    struct time_index_whole *whole = index->whole;
    struct walk walk;
    uint32_t n = 0;
    time_index_close_unpacked(index);
    for (uint32_t quark = 0; quark < index->n_quarks && !whole->is_damaged; quark++) {
        struct time_index_timeline t;
        whole->first[quark] = n;
        whole->is_damaged =
            !next_timeline(index, &walk, quark, &t) || !unpack_timeline(index, &t, &n);
    }
    whole->first[index->n_quarks] = n;
    if (n < index->n_intervals)
        whole->is_damaged = true;
    if (!whole->is_damaged)
        time_index_finish_whole(index);
}

static bool is_window(unsigned kind)
{
    return kind == STATEHIST_WINDOW || kind == STATEHIST_TIMES || kind == STATEHIST_RANGE2D;
}

/* What queries cost, in intervals that a scan reads: of one attribute, of a state in a window. */
enum { EXPORT_COST = 4, FULL_STATE_COST = 3, WINDOW_COST = 2 };

/* What is known of that before a query runs. */
static uint64_t cost_of(const struct time_index *index, unsigned kind)
{
    return kind == STATEHIST_SCAN         ? index->n_intervals
           : kind == STATEHIST_EXPORT     ? EXPORT_COST * (uint64_t)index->n_quarks
           : kind == STATEHIST_FULL_STATE ? FULL_STATE_COST * (uint64_t)index->n_quarks
                                          : 0;
}

/*
 * Whether n queries of a kind are answered from the whole history. It is unpacked when queries have
 * cost more than a scan: then that costs as much again.
 */
static bool has_whole(struct time_index *index, unsigned kind, size_t n)
{
    struct time_index_whole *whole = index->whole;
    if (!whole || whole->is_damaged || !time_index_whole_answers(index, kind))
        return false;
    if (whole->is_ready)
        return true;
    whole->n_read += n * cost_of(index, kind);
    if (whole->n_read > index->n_intervals)
        unpack_whole(index);
    return whole->is_ready;
}

/* ---- batches --------------------------------------------------------------------------------- */

static enum bo_status answer(struct time_index *index, unsigned kind, const void *queries, size_t n,
                             void *answers)
{
    enum bo_status status = BO_OK;
    switch (kind) {
    case STATEHIST_POINT:
        return answer_points(index, queries, n, answers);
    case STATEHIST_FULL_STATE:
        for (size_t i = 0; i < n && !status; i++)
            status = answer_full_state(
                index, ((const struct statehist_time_query *)queries)[i].time, answers);
        return status;
    case STATEHIST_RANGE:
        for (size_t i = 0; i < n && !status; i++)
            status =
                answer_range(index, &((const struct statehist_range_query *)queries)[i], answers);
        return status;
    case STATEHIST_WINDOW:
    case STATEHIST_TIMES:
    case STATEHIST_RANGE2D:
        for (size_t i = 0; i < n && !status; i++)
            status =
                answer_window(index, &((const struct statehist_window_query *)queries)[i], answers);
        return status;
    case STATEHIST_SCAN:
        for (size_t i = 0; i < n && !status; i++)
            status = answer_scan(index, &((struct statehist_digest *)answers)[i]);
        return status;
    default:
        for (size_t i = 0; i < n && !status; i++)
            status = answer_export(index, ((const struct statehist_time_query *)queries)[i].time,
                                   answers);
        return status;
    }
}

enum bo_status time_index_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct time_index *index = reader;
    enum bo_status status = BO_OK;
    if (has_whole(index, kind, n)) {
        for (size_t i = 0; i < n && !status; i++)
            status = time_index_answer_whole(index, kind, queries, i, answers);
    } else {
        const size_t before = is_window(kind) ? ((struct bo_sink *)answers)->n : 0;
        status = answer(index, kind, queries, n, answers);
        if (index->whole && is_window(kind))
            index->whole->n_read += WINDOW_COST * (((struct bo_sink *)answers)->n - before) /
                                    sizeof(struct statehist_state);
    }
    return status == BO_CORRUPT
               ? bo_fail(err, index->damage->status, index->damage->off, index->damage->what)
               : status;
}
