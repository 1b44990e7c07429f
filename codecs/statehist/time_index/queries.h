/*
 * time-index: queries. They are compiled twice: by query.c for any CPU, and by query_v3.c for those
 * of x86-64-v3, whose BMI2 finds the k-th 1 bit of a word in one instruction. What these files
 * include defines static functions, so that each has its own.
 */
#ifndef STATEHIST_TIME_INDEX_QUERIES_H
#define STATEHIST_TIME_INDEX_QUERIES_H

#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index/full_state.h"
#include "codecs/statehist/time_index/range.h"

/* Queries whose records are found before the first one is read, so that fetching them overlaps. */
enum { POINTS_AHEAD = 16 };

static enum bo_status answer_some_points(const struct time_index *index,
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

ASCENDING_CALL enum bo_status answer_points(const struct time_index *index,
                                            const struct statehist_point_query *q, size_t n,
                                            struct statehist_state *states)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i += POINTS_AHEAD)
        status = answer_some_points(index, q + i, n - i < POINTS_AHEAD ? n - i : POINTS_AHEAD,
                                    states + i);
    return status;
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
        if (!next_timeline(index, &walk, quark, &t) || !state_at(&t, &moment, &state, &code) ||
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
        states->n++;
        /* What is damaged may end before the time. */
    } while (statehist_time_after(q, state->end > time ? state->end : time, &time));
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

#endif
