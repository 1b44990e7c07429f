/* time-index: queries of a history that is unpacked as a whole. */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index/find.h"
#include "codecs/statehist/time_index/whole.h"

enum { LEAST_FRAME = 32 }; /* changes */

/* ---- room ------------------------------------------------------------------------------------ */

static size_t n_string_slots(const struct time_index *index)
{
    size_t n = 1;
    while (n < 2 * (size_t)index->n_strings)
        n *= 2;
    return n;
}

static uint32_t frame_size(const struct time_index *index)
{
    return index->n_quarks / 2 > LEAST_FRAME ? index->n_quarks / 2 : LEAST_FRAME;
}

static size_t n_frames(const struct time_index *index)
{
    return (index->n_intervals - index->n_quarks) / frame_size(index) + 1;
}

static bool open_frames(const struct time_index *index, struct time_index_whole *whole,
                        size_t max_nbytes, struct bo_arena *arena)
{
    const size_t n_changes = index->n_intervals - index->n_quarks;
    const size_t n_values = n_frames(index) * index->n_quarks;
    const size_t nbytes = ((size_t)index->times.n + 2) * sizeof *whole->n_changes +
                          n_changes * sizeof *whole->changes +
                          n_values * (sizeof *whole->frame_values + 1);
    if (index->direct || index->n_segments || nbytes > max_nbytes)
        return true;
    whole->frame_size = frame_size(index);
    whole->n_changes = bo_alloc_array(arena, (size_t)index->times.n + 2, sizeof *whole->n_changes);
    whole->changes = bo_alloc_array(arena, n_changes, sizeof *whole->changes);
    whole->frame_values = bo_alloc_array(arena, n_values, sizeof *whole->frame_values);
    whole->frame_types = bo_alloc(arena, n_values);
    return whole->n_changes && whole->changes && whole->frame_values && whole->frame_types;
}

bool time_index_open_whole(struct time_index *index, size_t max_nbytes, struct bo_arena *arena)
{
    struct time_index_whole *whole = NULL;
    const size_t n_slots = n_string_slots(index);
    const size_t nbytes = sizeof *whole + ((size_t)index->n_quarks + 1) * sizeof *whole->first +
                          n_slots * sizeof *whole->strings +
                          index->n_quarks * sizeof *whole->exported;
    if (index->n_intervals > TIME_INDEX_MAX_WHOLE || index->n_strings > index->n_intervals ||
        nbytes > max_nbytes)
        return true;
    whole = bo_zalloc_array(arena, 1, sizeof *whole);
    if (!whole)
        return false;
    whole->first = bo_alloc_array(arena, (size_t)index->n_quarks + 1, sizeof *whole->first);
    whole->strings = bo_alloc_array(arena, n_slots, sizeof *whole->strings);
    whole->string_seed = bo_mix64((uintptr_t)whole->strings);
    whole->string_mask = (uint32_t)n_slots - 1;
    whole->exported = bo_alloc_array(arena, index->n_quarks, sizeof *whole->exported);
    whole->starts = index->unpacked->starts;
    whole->values = index->unpacked->values;
    whole->types = index->unpacked->types;
    index->whole = whole;
    return whole->first && whole->strings && whole->exported &&
           open_frames(index, whole, max_nbytes - nbytes, arena);
}

/* ---- what all intervals come to -------------------------------------------------------------- */

static uint64_t length_of(const struct time_index *index)
{
    return (uint64_t)index->end - (uint64_t)index->start;
}

/* Whether all times of the table are valid and ascend: then all ways to find one agree. */
static bool times_ascend(const struct time_index *index)
{
    uint64_t last = 0;
    if (index->direct)
        return true;
    for (uint32_t i = 0; i < index->times.n; i++) {
        uint64_t time;
        if (!time_index_time_of(index, i, &time) || time <= last)
            return false;
        last = time;
    }
    return true;
}

static bool starts_ascend(const struct time_index *index)
{
    const struct time_index_whole *whole = index->whole;
    for (uint32_t q = 0; q < index->n_quarks; q++) {
        uint64_t last = 0;
        for (uint32_t i = whole->first[q] + 1; i < whole->first[q + 1]; i++) {
            const uint64_t above = whole->starts[i] - (uint64_t)index->start;
            if (above <= last || above > length_of(index))
                return false;
            last = above;
        }
    }
    return true;
}

static struct time_index_known_string *slot_of(const struct time_index_whole *whole, uint64_t hash)
{
    uint32_t at = (uint32_t)bo_mix64(hash ^ whole->string_seed) & whole->string_mask;
    while (whole->strings[at].bytes.p && whole->strings[at].hash != hash)
        at = (at + 1) & whole->string_mask;
    return &whole->strings[at];
}

static bool learn_strings(const struct time_index *index)
{
    const struct time_index_whole *whole = index->whole;
    memset(whole->strings, 0, ((size_t)whole->string_mask + 1) * sizeof *whole->strings);
    for (uint32_t i = 0; i < index->n_strings; i++) {
        struct bo_span bytes;
        if (!time_index_string(index, i, &bytes))
            return false;
        const uint64_t hash = statehist_hash(bytes);
        struct time_index_known_string *slot = slot_of(whole, hash);
        if (slot->bytes.p)
            return false;
        *slot = (struct time_index_known_string){hash, bytes};
    }
    return true;
}

/* The number of a time of the table. */
static uint32_t rank_of(const struct time_index *index, uint64_t start)
{
    const uint64_t wanted = start - (uint64_t)index->start, *times = index->kept_times.numbers;
    uint32_t at = 0;
    for (uint32_t n = index->times.n; n > 1; n -= n / 2)
        at += times[at + n / 2] <= wanted ? n / 2 : 0;
    return at;
}

/* Changes by time, counted first; then all values before each frame_size of them. */
static void fill_frames(const struct time_index *index)
{
    const struct time_index_whole *whole = index->whole;
    const uint32_t n_quarks = index->n_quarks, n_times = index->times.n;
    const uint32_t n = (uint32_t)index->n_intervals - n_quarks;
    uint64_t *values = whole->frame_values;
    uint8_t *types = whole->frame_types;
    memset(whole->n_changes, 0, ((size_t)n_times + 2) * sizeof *whole->n_changes);
    for (uint32_t q = 0; q < n_quarks; q++)
        for (uint32_t i = whole->first[q] + 1; i < whole->first[q + 1]; i++)
            whole->n_changes[rank_of(index, whole->starts[i]) + 2]++;
    for (uint32_t i = 1; i <= n_times; i++)
        whole->n_changes[i + 1] += whole->n_changes[i];
    for (uint32_t q = 0; q < n_quarks; q++)
        for (uint32_t i = whole->first[q] + 1; i < whole->first[q + 1]; i++)
            whole->changes[whole->n_changes[rank_of(index, whole->starts[i]) + 1]++] =
                (struct time_index_change){q, i};
    for (uint32_t q = 0; q < n_quarks; q++) {
        values[q] = whole->values[whole->first[q]];
        types[q] = whole->types[whole->first[q]];
    }
    for (uint32_t k = 0; k + whole->frame_size <= n;) {
        memcpy(values + n_quarks, values, 8 * (size_t)n_quarks);
        memcpy(types + n_quarks, types, n_quarks);
        values += n_quarks;
        types += n_quarks;
        for (const uint32_t end = k + whole->frame_size; k < end; k++) {
            const struct time_index_change change = whole->changes[k];
            values[change.quark] = whole->values[change.interval];
            types[change.quark] = whole->types[change.interval];
        }
    }
}

void time_index_finish_whole(struct time_index *index)
{
    struct time_index_whole *whole = index->whole;
    whole->is_ready = times_ascend(index) && starts_ascend(index) && learn_strings(index);
    whole->is_damaged = !whole->is_ready;
    if (!whole->is_ready)
        return;
    for (uint32_t q = 0; q < index->n_quarks; q++) /* no time is in it */
        whole->exported[q].head.state = (struct statehist_state){.start = 1, .end = 0};
    if (whole->frame_size)
        fill_frames(index);
}

/* ---- one attribute --------------------------------------------------------------------------- */

/* The interval that holds a time, among those from `first` to before `end`. */
static uint32_t find_interval(const struct time_index *index, uint32_t first, uint32_t end,
                              int64_t time)
{
    const uint64_t *starts = index->whole->starts;
    for (uint32_t n = end - first; n > 1; n -= n / 2)
        first += (int64_t)starts[first + n / 2] <= time ? n / 2 : 0;
    return first;
}

/* The same from an interval that starts up to it, when the time is near. */
static uint32_t find_from(const struct time_index *index, uint32_t first, uint32_t end,
                          int64_t time)
{
    const uint64_t *starts = index->whole->starts;
    uint32_t step = 1;
    while (step < end - first && (int64_t)starts[first + step] <= time) {
        first += step;
        step *= 2;
    }
    return find_interval(index, first, step < end - first ? first + step : end, time);
}

static struct statehist_state state_in(const struct time_index *index, uint32_t interval,
                                       uint32_t end)
{
    const struct time_index_whole *whole = index->whole;
    return (struct statehist_state){
        .start = (int64_t)whole->starts[interval],
        .end = interval + 1 < end ? (int64_t)(whole->starts[interval + 1] - 1) : index->end,
        .value = whole->values[interval],
        .type = whole->types[interval],
    };
}

static enum bo_status answer_point(const struct time_index *index,
                                   const struct statehist_point_query *q,
                                   struct statehist_state *state)
{
    const uint32_t *first = index->whole->first;
    if (q->quark >= index->n_quarks || !is_in(index, q->time))
        return BO_OUT_OF_RANGE;
    const uint32_t end = first[q->quark + 1];
    *state = state_in(index, find_interval(index, first[q->quark], end, q->time), end);
    return BO_OK;
}

static enum bo_status answer_range(const struct time_index *index,
                                   const struct statehist_range_query *q, struct bo_sink *sink)
{
    const struct time_index_whole *whole = index->whole;
    if (q->quark >= index->n_quarks || !is_in(index, q->from) || !is_in(index, q->to) ||
        q->from > q->to)
        return BO_OUT_OF_RANGE;
    const uint32_t end = whole->first[q->quark + 1];
    const uint32_t first = find_interval(index, whole->first[q->quark], end, q->from);
    const uint32_t last = find_from(index, first, end, q->to);
    const size_t n = (size_t)last - first + 1;
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    struct statehist_columns *head = statehist_take_columns(n, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = state_in(index, last, end).end;
    memcpy(starts, whole->starts + first, 8 * n);
    memcpy(values, whole->values + first, 8 * n);
    memcpy(types, whole->types + first, n);
    return BO_OK;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Intervals that follow one another. */
static enum bo_status put_run(const struct time_index *index, uint32_t first, uint32_t last,
                              uint32_t end, struct bo_sink *sink)
{
    struct statehist_state *states =
        (struct statehist_state *)bo_sink_take(sink, ((size_t)last - first + 1) * sizeof *states);
    if (!states)
        return BO_OVER_LIMIT;
    for (; first <= last; first++)
        *states++ = state_in(index, first, end);
    return BO_OK;
}

/* The number of the first listed time after `time`, from number k on; n_times for none. */
static uint32_t next_listed(const struct statehist_window_query *q, uint32_t k, int64_t time)
{
    uint32_t step = 1;
    while (step < q->n_times - k && q->times[k + step] <= time) {
        k += step;
        step *= 2;
    }
    uint32_t end = step < q->n_times - k ? k + step : q->n_times;
    while (k < end) {
        const uint32_t middle = k + (end - k) / 2;
        if (q->times[middle] <= time)
            k = middle + 1;
        else
            end = middle;
    }
    return k;
}

static enum bo_status put_states(const struct time_index *index,
                                 const struct statehist_window_query *q, uint32_t quark,
                                 struct bo_sink *sink)
{
    const uint32_t *first = index->whole->first, end = first[quark + 1];
    uint32_t at = find_interval(index, first[quark], end, q->from), k = 0;
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return BO_OVER_LIMIT;
    if (q->form == STATEHIST_ALWAYS) {
        const uint32_t last = find_from(index, at, end, q->to);
        states->n = (uint64_t)last - at + 1;
        return put_run(index, at, last, end, sink);
    }
    states->n = 0;
    for (;;) {
        struct statehist_state *state = bo_sink_take(sink, sizeof *state);
        int64_t time;
        if (!state)
            return BO_OVER_LIMIT;
        *state = state_in(index, at, end);
        states->n++;
        if (state->end >= q->to)
            return BO_OK;
        if (q->form == STATEHIST_LISTED) {
            k = next_listed(q, k, state->end);
            time = q->times[k]; /* the last one is q->to */
        } else if (!statehist_time_after(q, state->end, &time)) {
            return BO_OK;
        }
        at = find_from(index, at, end, time);
    }
}

static enum bo_status answer_window(const struct time_index *index,
                                    const struct statehist_window_query *q, struct bo_sink *sink)
{
    enum bo_status status = BO_OK;
    if (!statehist_window_fits(q, index->start, index->end, index->n_quarks))
        return BO_OUT_OF_RANGE;
    for (size_t i = 0; i < q->quarks.n && !status; i += 4)
        status = put_states(index, q, bo_le32(q->quarks.p + i), sink);
    return status;
}

/* ---- all attributes -------------------------------------------------------------------------- */

static enum bo_status answer_full_state(const struct time_index *index, int64_t time,
                                        struct bo_sink *sink)
{
    const struct time_index_whole *whole = index->whole;
    const uint32_t n_quarks = index->n_quarks;
    struct moment moment;
    uint64_t *values;
    uint8_t *types;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    if (!statehist_take_values(n_quarks, sink, &values, &types))
        return BO_OVER_LIMIT;
    if (!call_moment_of(index, time, &moment))
        return BO_CORRUPT;
    const uint32_t end = moment.before_all ? 0 : whole->n_changes[moment.key + 1];
    const uint32_t frame = end / whole->frame_size;
    memcpy(values, whole->frame_values + (size_t)frame * n_quarks, 8 * (size_t)n_quarks);
    memcpy(types, whole->frame_types + (size_t)frame * n_quarks, n_quarks);
    for (uint32_t k = frame * whole->frame_size; k < end; k++) {
        const struct time_index_change change = whole->changes[k];
        values[change.quark] = whole->values[change.interval];
        types[change.quark] = whole->types[change.interval];
    }
    return BO_OK;
}

static enum bo_status answer_export(const struct time_index *index, int64_t time,
                                    struct bo_sink *sink)
{
    const struct time_index_whole *whole = index->whole;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *snapshot = bo_sink_take(sink, sizeof *snapshot);
    if (!snapshot)
        return BO_OVER_LIMIT;
    snapshot->n = index->n_quarks;
    for (uint32_t q = 0; q < index->n_quarks; q++) {
        struct time_index_exported *at = &whole->exported[q];
        if (time < at->head.state.start || time > at->head.state.end) {
            const uint32_t end = whole->first[q + 1];
            const uint32_t interval = find_interval(index, whole->first[q], end, time);
            at->head = (struct statehist_exported){state_in(index, interval, end), 0};
            if (at->head.state.type == STATEHIST_STRING) {
                const struct bo_span bytes = slot_of(whole, at->head.state.value)->bytes;
                at->string = bytes.p;
                at->head.nbytes = bytes.n;
            }
        }
        const size_t nbytes = (size_t)at->head.nbytes;
        struct statehist_exported *exported = (struct statehist_exported *)bo_sink_take(
            sink, sizeof *exported + statehist_padded(nbytes));
        if (!exported)
            return BO_OVER_LIMIT;
        *exported = at->head;
        if (nbytes) {
            uint8_t *bytes = (uint8_t *)(exported + 1);
            memset(bytes + statehist_padded(nbytes) - 8, 0, 8);
            memcpy(bytes, at->string, nbytes);
        }
    }
    return BO_OK;
}

static void answer_scan(const struct time_index *index, struct statehist_digest *digest)
{
    const struct time_index_whole *whole = index->whole;
    *digest = (struct statehist_digest){0, 0};
    for (uint32_t q = 0; q < index->n_quarks; q++) {
        const uint32_t end = whole->first[q + 1];
        uint32_t i = whole->first[q];
        for (; i + 1 < end; i++)
            statehist_digest_interval(digest, q, (int64_t)whole->starts[i],
                                      (int64_t)(whole->starts[i + 1] - 1), whole->types[i],
                                      whole->values[i]);
        statehist_digest_interval(digest, q, (int64_t)whole->starts[i], index->end, whole->types[i],
                                  whole->values[i]);
    }
}

/* ---- all kinds ------------------------------------------------------------------------------- */

bool time_index_whole_answers(const struct time_index *index, unsigned kind)
{
    return kind != STATEHIST_FULL_STATE || index->whole->frame_size;
}

enum bo_status time_index_answer_whole(struct time_index *index, unsigned kind, const void *queries,
                                       size_t i, void *answers)
{
    switch ((enum statehist_query_kind)kind) {
    case STATEHIST_POINT:
        return answer_point(index, (const struct statehist_point_query *)queries + i,
                            (struct statehist_state *)answers + i);
    case STATEHIST_RANGE:
        return answer_range(index, (const struct statehist_range_query *)queries + i, answers);
    case STATEHIST_WINDOW:
    case STATEHIST_TIMES:
    case STATEHIST_RANGE2D:
        return answer_window(index, (const struct statehist_window_query *)queries + i, answers);
    case STATEHIST_FULL_STATE:
        return answer_full_state(index, ((const struct statehist_time_query *)queries)[i].time,
                                 answers);
    case STATEHIST_EXPORT:
        return answer_export(index, ((const struct statehist_time_query *)queries)[i].time,
                             answers);
    default:
        answer_scan(index, (struct statehist_digest *)answers + i);
        return BO_OK;
    }
}
