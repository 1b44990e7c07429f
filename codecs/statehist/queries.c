/*
 * The query kinds of state histories: their correct answers and their form on the command line.
 * workloads.c draws queries.
 *
 * The oracles test one interval after the other, without a search and without code of a codec.
 */
#include "codecs/statehist/queries.h"

#include <stddef.h>

#include "codecs/statehist/text.h"
#include "codecs/statehist/workloads.h"
#include "harness/core/text.h"
#include "harness/queries.h"

/* ---- right answers: parts -------------------------------------------------------------------- */

static bool is_in(const struct statehist_model *model, int64_t time)
{
    return time >= model->start && time <= model->end;
}

/* The interval of a quark that holds a time of the history. */
static const struct statehist_interval *interval_at(const struct statehist_model *model,
                                                    uint32_t quark, int64_t time)
{
    const struct statehist_interval *at = &model->intervals[model->first[quark]];
    while (at->end < time)
        at++;
    return at;
}

/* As answers have it: a string's is its hash. */
static uint64_t answered_value(const struct statehist_model *model,
                               const struct statehist_interval *interval)
{
    if (interval->type != STATEHIST_STRING)
        return interval->value;
    const struct bo_span string = model->strings[interval->value];
    return XXH3_64bits(string.p, string.n);
}

static struct statehist_state state_of(const struct statehist_model *model,
                                       const struct statehist_interval *interval)
{
    return (struct statehist_state){
        .start = interval->start,
        .end = interval->end,
        .value = answered_value(model, interval),
        .type = interval->type,
    };
}

static size_t padded(uint64_t n)
{
    return (size_t)((n + 7) / 8 * 8);
}

/* ---- right answers: one attribute ------------------------------------------------------------ */

static enum bo_status point_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct statehist_model *model = opaque;
    const struct statehist_point_query *q = queries;
    struct statehist_state *states = answers;
    for (size_t i = 0; i < n; i++) {
        if (q[i].quark >= model->n_quarks || !is_in(model, q[i].time))
            return BO_OUT_OF_RANGE;
        states[i] = state_of(model, interval_at(model, q[i].quark, q[i].time));
    }
    return BO_OK;
}

static bool put_columns(const struct statehist_model *model, const struct statehist_interval *from,
                        const struct statehist_interval *to, struct bo_sink *sink)
{
    const uint64_t n = (uint64_t)(to - from) + 1;
    struct statehist_columns *columns =
        bo_sink_take(sink, sizeof *columns + (size_t)(16 * n) + padded(n));
    if (!columns)
        return false;
    *columns = (struct statehist_columns){n, to->end};
    uint8_t *starts = (uint8_t *)(columns + 1), *values = starts + 8 * n, *types = values + 8 * n;
    memset(types, 0, padded(n));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t value = answered_value(model, &from[i]);
        memcpy(starts + 8 * i, &from[i].start, 8);
        memcpy(values + 8 * i, &value, 8);
        types[i] = (uint8_t)from[i].type;
    }
    return true;
}

static enum bo_status range_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct statehist_model *model = opaque;
    const struct statehist_range_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        if (q[i].quark >= model->n_quarks || !is_in(model, q[i].from) || !is_in(model, q[i].to) ||
            q[i].from > q[i].to)
            return BO_OUT_OF_RANGE;
        if (!put_columns(model, interval_at(model, q[i].quark, q[i].from),
                         interval_at(model, q[i].quark, q[i].to), answers))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

/* ---- right answers: many attributes ---------------------------------------------------------- */

static bool put_values(const struct statehist_model *model, int64_t time, struct bo_sink *sink)
{
    const size_t n = model->n_quarks;
    struct statehist_values *values = bo_sink_take(sink, sizeof *values + 8 * n + padded(n));
    if (!values)
        return false;
    values->n = n;
    uint8_t *numbers = (uint8_t *)(values + 1), *types = numbers + 8 * n;
    memset(types, 0, padded(n));
    for (uint32_t quark = 0; quark < n; quark++) {
        const struct statehist_interval *at = interval_at(model, quark, time);
        const uint64_t value = answered_value(model, at);
        memcpy(numbers + 8 * (size_t)quark, &value, 8);
        types[quark] = (uint8_t)at->type;
    }
    return true;
}

static bool put_exported(const struct statehist_model *model,
                         const struct statehist_interval *interval, struct bo_sink *sink)
{
    const bool is_string = interval->type == STATEHIST_STRING;
    const struct bo_span string =
        is_string ? model->strings[interval->value] : (struct bo_span){NULL, 0};
    struct statehist_exported *exported = bo_sink_take(sink, sizeof *exported + padded(string.n));
    if (!exported)
        return false;
    *exported = (struct statehist_exported){state_of(model, interval), string.n};
    uint8_t *bytes = (uint8_t *)(exported + 1);
    memset(bytes, 0, padded(string.n));
    if (string.n)
        memcpy(bytes, string.p, string.n);
    return true;
}

static bool put_snapshot(const struct statehist_model *model, int64_t time, struct bo_sink *sink)
{
    struct statehist_snapshot *snapshot = bo_sink_take(sink, sizeof *snapshot);
    if (!snapshot)
        return false;
    snapshot->n = model->n_quarks;
    for (uint32_t quark = 0; quark < model->n_quarks; quark++)
        if (!put_exported(model, interval_at(model, quark, time), sink))
            return false;
    return true;
}

static enum bo_status answer_times(const struct statehist_model *model,
                                   const struct statehist_time_query *q, size_t n,
                                   bool (*put)(const struct statehist_model *model, int64_t time,
                                               struct bo_sink *sink),
                                   struct bo_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_in(model, q[i].time))
            return BO_OUT_OF_RANGE;
        if (!put(model, q[i].time, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static enum bo_status full_state_oracle(const void *model, const void *queries, size_t n,
                                        void *answers)
{
    return answer_times(model, queries, n, put_values, answers);
}

static enum bo_status export_oracle(const void *model, const void *queries, size_t n, void *answers)
{
    return answer_times(model, queries, n, put_snapshot, answers);
}

/* Whether a time of the window lies in the interval; a list's times one by one. */
static bool is_shown(const struct statehist_window_query *query,
                     const struct statehist_interval *at)
{
    uint32_t low = 0, high = query->n_times;
    if (query->form == STATEHIST_ALWAYS)
        return true; /* between the intervals of from and to */
    if (query->form == STATEHIST_LISTED) {
        while (low < high && query->times[low] < at->start)
            low++;
        return low < high && query->times[low] <= at->end;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (statehist_window_time(query, middle) >= at->start)
            high = middle;
        else
            low = middle + 1;
    }
    return low < query->n_times && statehist_window_time(query, low) <= at->end;
}

/* One interval after the other: is there a time in it? */
static bool put_states(const struct statehist_model *model,
                       const struct statehist_window_query *query, uint32_t quark,
                       struct bo_sink *sink)
{
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return false;
    states->n = 0;
    const struct statehist_interval *at = interval_at(model, quark, query->from);
    const struct statehist_interval *last = interval_at(model, quark, query->to);
    for (; at <= last; at++) {
        if (!is_shown(query, at))
            continue;
        struct statehist_state *state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return false;
        *state = state_of(model, at);
        states->n++;
    }
    return true;
}

static bool is_sound(const struct statehist_model *model,
                     const struct statehist_window_query *query)
{
    bool sound = is_in(model, query->from) && is_in(model, query->to) && query->from <= query->to &&
                 query->quarks.n % 4 == 0;
    if (query->form != STATEHIST_ALWAYS)
        sound = sound && query->n_times >= 1 && query->n_times <= STATEHIST_MAX_WINDOW_TIMES;
    for (uint32_t i = 0; query->form == STATEHIST_LISTED && sound && i < query->n_times; i++)
        sound = (i || query->times[i] == query->from) &&
                (i + 1 < query->n_times ? query->times[i] < query->times[i + 1]
                                        : query->times[i] == query->to);
    for (size_t i = 0; i + 4 <= query->quarks.n && sound; i += 4)
        sound = bo_le32(query->quarks.p + i) < model->n_quarks;
    return sound;
}

static enum bo_status window_oracle(const void *opaque, const void *queries, size_t n,
                                    void *answers)
{
    const struct statehist_model *model = opaque;
    const struct statehist_window_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        if (!is_sound(model, &q[i]))
            return BO_OUT_OF_RANGE;
        for (size_t k = 0; k < q[i].quarks.n; k += 4)
            if (!put_states(model, &q[i], bo_le32(q[i].quarks.p + k), answers))
                return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static enum bo_status scan_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct statehist_model *model = opaque;
    struct statehist_digest digest = {0}, *digests = answers;
    for (size_t i = 0; i < model->n_intervals; i++) {
        const struct statehist_interval *at = &model->intervals[i];
        statehist_digest_interval(&digest, at->quark, at->start, at->end, at->type,
                                  answered_value(model, at));
    }
    for (size_t i = 0; i < n; i++)
        digests[i] = digest;
    return BO_OK;
}

/* ---- all queries ----------------------------------------------------------------------------- */

enum { POINTS_OF_EACH = 3 };

/* There are too many times to list: these are the first, a middle and the last of each interval. */
static uint64_t count_points(const void *opaque)
{
    const struct statehist_model *model = opaque;
    return POINTS_OF_EACH * (uint64_t)model->n_intervals;
}

static bool point_at(const void *opaque, uint64_t i, void *query)
{
    const struct statehist_model *model = opaque;
    if (i >= count_points(model))
        return false;
    const struct statehist_interval *at = &model->intervals[i / POINTS_OF_EACH];
    const uint64_t length = (uint64_t)at->end - (uint64_t)at->start;
    const uint64_t before = i % POINTS_OF_EACH * (length / (POINTS_OF_EACH - 1));
    const bool is_last = i % POINTS_OF_EACH == POINTS_OF_EACH - 1;
    *(struct statehist_point_query *)query = (struct statehist_point_query){
        is_last ? at->end : (int64_t)((uint64_t)at->start + before), at->quark, 0};
    return true;
}

static bool time_at(const void *model, uint64_t i, void *query)
{
    struct statehist_point_query point;
    if (!point_at(model, i, &point))
        return false;
    *(struct statehist_time_query *)query = (struct statehist_time_query){point.time};
    return true;
}

/* Each interval alone, from its start to the end of all, and from the start of all to its end. */
static bool range_at(const void *opaque, uint64_t i, void *query)
{
    const struct statehist_model *model = opaque;
    if (i >= count_points(model))
        return false;
    const struct statehist_interval *at = &model->intervals[i / POINTS_OF_EACH];
    *(struct statehist_range_query *)query = (struct statehist_range_query){
        i % POINTS_OF_EACH == 2 ? model->start : at->start,
        i % POINTS_OF_EACH == 1 ? model->end : at->end, at->quark, 0};
    return true;
}

/* Of the first quark or of none, at some times; windows of many quarks are drawn. */
static bool window_at(const void *opaque, uint64_t i, void *query)
{
    static const uint8_t zeros[4] = {0};
    const struct statehist_model *model = opaque;
    struct statehist_point_query point;
    if (!point_at(model, i, &point))
        return false;
    *(struct statehist_window_query *)query = (struct statehist_window_query){
        .quarks = {zeros, i % 3 ? sizeof zeros : 0},
        .from = point.time,
        .to = i % 2 ? point.time : model->end,
        .n_times = 1 + (uint32_t)(i % 7),
    };
    return true;
}

/* As windows, at an interval's start and end. */
static bool times_at(const void *model, uint64_t i, void *query)
{
    struct statehist_window_query *q = query;
    if (!window_at(model, i, query))
        return false;
    const struct statehist_interval *at =
        &((const struct statehist_model *)model)->intervals[i / POINTS_OF_EACH];
    _Static_assert(offsetof(struct statehist_interval, end) == sizeof(int64_t), "a list of two");
    q->form = STATEHIST_LISTED;
    q->times = (const int64_t *)(const void *)at;
    q->n_times = i % 2 && at->start < at->end ? 2 : 1;
    q->from = q->times[0];
    q->to = q->times[q->n_times - 1];
    return true;
}

static bool range2d_at(const void *model, uint64_t i, void *query)
{
    const bool is_there = window_at(model, i, query);
    if (is_there)
        ((struct statehist_window_query *)query)->form = STATEHIST_ALWAYS;
    return is_there;
}

/* ---- invalid queries ------------------------------------------------------------------------- */

/* Times outside of the history, near and far. */
static uint64_t outer_times(const struct statehist_model *model, int64_t times_ret[4])
{
    uint64_t n = 0;
    if (model->start > INT64_MIN) {
        times_ret[n++] = model->start - 1;
        times_ret[n++] = INT64_MIN;
    }
    if (model->end < INT64_MAX) {
        times_ret[n++] = model->end + 1;
        times_ret[n++] = INT64_MAX;
    }
    return n;
}

static bool invalid_time_at(const void *model, uint64_t i, void *query)
{
    int64_t times[4];
    if (i >= outer_times(model, times))
        return false;
    ((struct statehist_time_query *)query)->time = times[i];
    return true;
}

static bool invalid_point_at(const void *opaque, uint64_t i, void *query)
{
    const struct statehist_model *model = opaque;
    struct statehist_point_query *q = query;
    int64_t times[4];
    const uint64_t n_times = outer_times(model, times);
    *q = (struct statehist_point_query){.time = i < n_times ? times[i] : model->start};
    if (i >= n_times)
        q->quark = i > n_times ? UINT32_MAX : model->n_quarks;
    return i < n_times + 2;
}

/* Either end outside, both in the wrong order. */
static bool invalid_span(const struct statehist_model *model, uint64_t i, int64_t *from,
                         int64_t *to)
{
    int64_t times[4];
    const uint64_t n = outer_times(model, times);
    *from = model->start;
    *to = model->end;
    if (i < n)
        *from = times[i];
    else if (i < 2 * n)
        *to = times[i - n];
    else if (i == 2 * n && *from < *to) {
        *from = model->end;
        *to = model->start;
    } else {
        return false;
    }
    return true;
}

static bool invalid_range_at(const void *opaque, uint64_t i, void *query)
{
    const struct statehist_model *model = opaque;
    struct statehist_range_query *q = query;
    *q = (struct statehist_range_query){.quark = i % 2 ? UINT32_MAX : model->n_quarks};
    if (i < 2) {
        q->from = model->start;
        q->to = model->end;
        return true;
    }
    q->quark = 0;
    return invalid_span(model, i - 2, &q->from, &q->to);
}

/* A valid quark before one that does not exist, half a quark, no times, too many. */
static bool invalid_window_at(const void *opaque, uint64_t i, void *query)
{
    static const uint8_t zeros[6] = {0}, last[4] = {0xff, 0xff, 0xff, 0xff};
    const struct statehist_model *model = opaque;
    struct statehist_window_query *q = query;
    const size_t one = model->n_quarks ? 4 : 0;
    *q = (struct statehist_window_query){
        .quarks = {zeros, one}, .from = model->start, .to = model->end, .n_times = 3};
    if (i == 0)
        q->quarks = (struct bo_span){last, sizeof last};
    else if (i == 1)
        q->quarks.n = one + 2;
    else if (i == 2)
        q->n_times = 0;
    else if (i == 3)
        q->n_times = STATEHIST_MAX_WINDOW_TIMES + 1;
    else
        return invalid_span(model, i - 4, &q->from, &q->to);
    return true;
}

/*
 * A quark that does not exist, half a quark, no times, twice the same one, a list that ends or
 * starts after the query, times outside.
 */
static bool invalid_times_at(const void *opaque, uint64_t i, void *query)
{
    static const uint8_t zeros[6] = {0}, last[4] = {0xff, 0xff, 0xff, 0xff};
    static const int64_t twice[] = {0, 0}, later[] = {0, 1}, least = INT64_MIN, most = INT64_MAX;
    const struct statehist_model *model = opaque;
    struct statehist_window_query *q = query;
    const size_t one = model->n_quarks ? 4 : 0;
    *q = (struct statehist_window_query){.quarks = {zeros, one},
                                         .from = model->start,
                                         .to = model->start,
                                         .times = &model->start,
                                         .n_times = 1,
                                         .form = STATEHIST_LISTED};
    if (i == 0)
        q->quarks = (struct bo_span){last, sizeof last};
    else if (i == 1)
        q->quarks.n = one + 2;
    else if (i == 2)
        q->n_times = 0;
    else if (i < 6)
        *q = (struct statehist_window_query){.times = i == 3 ? twice : &later[i == 5],
                                             .n_times = i == 5 ? 1 : 2,
                                             .form = STATEHIST_LISTED};
    else if (i == 6 && model->start > INT64_MIN)
        q->from = q->to = *(q->times = &least);
    else if (i <= 7 && model->end < INT64_MAX)
        q->from = q->to = *(q->times = &most);
    else
        return false;
    return true;
}

static bool invalid_range2d_at(const void *opaque, uint64_t i, void *query)
{
    static const uint8_t zeros[6] = {0}, last[4] = {0xff, 0xff, 0xff, 0xff};
    const struct statehist_model *model = opaque;
    struct statehist_window_query *q = query;
    const size_t one = model->n_quarks ? 4 : 0;
    *q = (struct statehist_window_query){
        .quarks = {zeros, one}, .from = model->start, .to = model->end, .form = STATEHIST_ALWAYS};
    if (i == 0)
        q->quarks = (struct bo_span){last, sizeof last};
    else if (i == 1)
        q->quarks.n = one + 2;
    else
        return invalid_span(model, i - 2, &q->from, &q->to);
    return true;
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool parse_time(const char *arg, int64_t *v_ret)
{
    return bo_parse_i64(bo_span_of(arg), INT64_MIN, INT64_MAX, v_ret);
}

static bool parse_u32(const char *arg, uint32_t *v_ret)
{
    uint64_t v = 0;
    const bool ok = bo_parse_u64(bo_span_of(arg), UINT32_MAX, &v);
    *v_ret = (uint32_t)v;
    return ok;
}

static enum bo_status parse_point(int n_args, char *const *args, struct bo_arena *arena,
                                  void *query, struct bo_error *err)
{
    struct statehist_point_query *q = query;
    *q = (struct statehist_point_query){0};
    if (n_args != 2 || !parse_u32(args[0], &q->quark) || !parse_time(args[1], &q->time))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a quark and a time");
    return BO_OK;
}

static enum bo_status parse_at(int n_args, char *const *args, struct bo_arena *arena, void *query,
                               struct bo_error *err)
{
    struct statehist_time_query *q = query;
    if (n_args != 1 || !parse_time(args[0], &q->time))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a time");
    return BO_OK;
}

static enum bo_status parse_range(int n_args, char *const *args, struct bo_arena *arena,
                                  void *query, struct bo_error *err)
{
    struct statehist_range_query *q = query;
    *q = (struct statehist_range_query){0};
    if (n_args != 3 || !parse_u32(args[0], &q->quark) || !parse_time(args[1], &q->from) ||
        !parse_time(args[2], &q->to))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a quark and two times");
    return BO_OK;
}

/* Quarks from the arguments, in the arena; false at one that is no quark. */
static enum bo_status parse_quarks(int n_args, char *const *args, struct bo_arena *arena,
                                   struct bo_span *quarks_ret, const char *usage,
                                   struct bo_error *err)
{
    uint8_t *quarks = bo_alloc_array(arena, (size_t)n_args, 4);
    if (!quarks)
        return bo_fail_alloc(err, arena);
    for (int i = 0; i < n_args; i++) {
        uint32_t quark;
        if (!parse_u32(args[i], &quark))
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, usage);
        bo_set_le32(quarks + 4 * (size_t)i, quark);
    }
    *quarks_ret = (struct bo_span){quarks, 4 * (size_t)n_args};
    return BO_OK;
}

static enum bo_status parse_window(int n_args, char *const *args, struct bo_arena *arena,
                                   void *query, struct bo_error *err)
{
    static const char usage[] = "expects two times, how many times, and quarks";
    struct statehist_window_query *q = query;
    *q = (struct statehist_window_query){0};
    if (n_args < 3 || !parse_time(args[0], &q->from) || !parse_time(args[1], &q->to) ||
        !parse_u32(args[2], &q->n_times))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, usage);
    return parse_quarks(n_args - 3, args + 3, arena, &q->quarks, usage, err);
}

/* How many times, the times, quarks. */
static enum bo_status parse_times(int n_args, char *const *args, struct bo_arena *arena,
                                  void *query, struct bo_error *err)
{
    static const char usage[] = "expects how many times, times that ascend, and quarks";
    struct statehist_window_query *q = query;
    *q = (struct statehist_window_query){.form = STATEHIST_LISTED};
    if (n_args < 2 || !parse_u32(args[0], &q->n_times) || q->n_times < 1 ||
        q->n_times > (uint32_t)n_args - 1)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, usage);
    int64_t *times = bo_alloc_array(arena, q->n_times, sizeof *times);
    if (!times)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < q->n_times; i++)
        if (!parse_time(args[1 + i], &times[i]))
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, usage);
    q->times = times;
    q->from = times[0];
    q->to = times[q->n_times - 1];
    const int n_before = 1 + (int)q->n_times;
    return parse_quarks(n_args - n_before, args + n_before, arena, &q->quarks, usage, err);
}

static enum bo_status parse_range2d(int n_args, char *const *args, struct bo_arena *arena,
                                    void *query, struct bo_error *err)
{
    static const char usage[] = "expects two times, and quarks";
    struct statehist_window_query *q = query;
    *q = (struct statehist_window_query){.form = STATEHIST_ALWAYS};
    if (n_args < 2 || !parse_time(args[0], &q->from) || !parse_time(args[1], &q->to))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, usage);
    return parse_quarks(n_args - 2, args + 2, arena, &q->quarks, usage, err);
}

/* ---- the command line: answers --------------------------------------------------------------- */

/* Strings are printed as their hashes, which is what answers contain. */
static void print_value(uint32_t type, uint64_t value, struct bo_writer *out)
{
    if (type == STATEHIST_STRING)
        bo_put_text(out, "s\thash 0x%016llx", (unsigned long long)value);
    else
        statehist_put_value(out, type, value, (struct bo_span){NULL, 0});
    bo_put_u8(out, '\n');
}

static void print_times(int64_t start, int64_t end, struct bo_writer *out)
{
    statehist_put_i64(out, start);
    bo_put_u8(out, '\t');
    statehist_put_i64(out, end);
    bo_put_u8(out, '\t');
}

static void print_state(const uint8_t *p, struct bo_writer *out)
{
    struct statehist_state state;
    memcpy(&state, p, sizeof state);
    print_times(state.start, state.end, out);
    print_value(state.type, state.value, out);
}

static void print_point(const void *query, struct bo_span answer, struct bo_writer *out)
{
    print_state(answer.p, out);
}

/* Quark, type, value. */
static void print_values(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct statehist_values values;
    memcpy(&values, answer.p, sizeof values);
    const uint8_t *numbers = answer.p + sizeof values, *types = numbers + 8 * values.n;
    for (uint64_t i = 0; i < values.n && !out->status; i++) {
        uint64_t value;
        memcpy(&value, numbers + 8 * i, sizeof value);
        bo_put_text(out, "%llu\t", (unsigned long long)i);
        print_value(types[i], value, out);
    }
}

static void print_columns(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct statehist_columns columns;
    memcpy(&columns, answer.p, sizeof columns);
    const uint8_t *starts = answer.p + sizeof columns, *numbers = starts + 8 * columns.n;
    for (uint64_t i = 0; i < columns.n && !out->status; i++) {
        int64_t start, next = 0;
        uint64_t value;
        const bool is_last = i + 1 == columns.n;
        memcpy(&start, starts + 8 * i, sizeof start);
        memcpy(&value, numbers + 8 * i, sizeof value);
        if (!is_last)
            memcpy(&next, starts + 8 * (i + 1), sizeof next);
        print_times(start, is_last ? columns.end : next - 1, out);
        print_value(numbers[8 * columns.n + i], value, out);
    }
}

/* Each line with its quark. */
static void print_window(const void *query, struct bo_span answer, struct bo_writer *out)
{
    const struct statehist_window_query *q = query;
    const uint8_t *p = answer.p;
    for (size_t k = 0; k < q->quarks.n && !out->status; k += 4) {
        struct statehist_states states;
        memcpy(&states, p, sizeof states);
        p += sizeof states;
        for (uint64_t i = 0; i < states.n; i++, p += sizeof(struct statehist_state)) {
            bo_put_text(out, "%lu\t", (unsigned long)bo_le32(q->quarks.p + k));
            print_state(p, out);
        }
    }
}

static void print_digest(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct statehist_digest digest;
    memcpy(&digest, answer.p, sizeof digest);
    bo_put_text(out, "intervals %llu\nhash 0x%016llx\n", (unsigned long long)digest.n_intervals,
                (unsigned long long)digest.hash);
}

/* Quark, start, end, type and value, as the text form spells them. */
static void print_snapshot(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct statehist_snapshot snapshot;
    memcpy(&snapshot, answer.p, sizeof snapshot);
    const uint8_t *p = answer.p + sizeof snapshot;
    for (uint64_t i = 0; i < snapshot.n && !out->status; i++) {
        struct statehist_exported exported;
        memcpy(&exported, p, sizeof exported);
        p += sizeof exported;
        bo_put_text(out, "%llu\t", (unsigned long long)i);
        print_times(exported.state.start, exported.state.end, out);
        statehist_put_value(out, exported.state.type, exported.state.value,
                            (struct bo_span){p, (size_t)exported.nbytes});
        bo_put_u8(out, '\n');
        p += padded(exported.nbytes);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct bo_query_kind statehist_kinds[STATEHIST_N_KINDS] = {
    [STATEHIST_POINT] =
        {
            .name = "point",
            .summary = "one attribute at one time: its interval",
            .usage = "QUARK TIME",
            .query_size = sizeof(struct statehist_point_query),
            .answer_size = sizeof(struct statehist_state),
            .workloads = statehist_point_workloads,
            .n_workloads = STATEHIST_N_POINT_WORKLOADS,
            .oracle = point_oracle,
            .count = count_points,
            .at = point_at,
            .draw_edges = statehist_draw_point_edges,
            .invalid_at = invalid_point_at,
            .parse = parse_point,
            .print = print_point,
        },
    [STATEHIST_FULL_STATE] =
        {
            .name = "full-state",
            .summary = "all attributes at one time: their values",
            .usage = "TIME",
            .query_size = sizeof(struct statehist_time_query),
            .workloads = statehist_full_state_workloads,
            .n_workloads = STATEHIST_N_TIME_WORKLOADS,
            .oracle = full_state_oracle,
            .count = count_points,
            .at = time_at,
            .draw_edges = statehist_draw_time_edges,
            .invalid_at = invalid_time_at,
            .parse = parse_at,
            .print = print_values,
        },
    [STATEHIST_RANGE] =
        {
            .name = "range",
            .summary = "the intervals of one attribute from one time to another",
            .usage = "QUARK FROM TO",
            .query_size = sizeof(struct statehist_range_query),
            .workloads = statehist_range_workloads,
            .n_workloads = STATEHIST_N_RANGE_WORKLOADS,
            .oracle = range_oracle,
            .count = count_points,
            .at = range_at,
            .draw_edges = statehist_draw_range_edges,
            .invalid_at = invalid_range_at,
            .parse = parse_range,
            .print = print_columns,
        },
    [STATEHIST_WINDOW] =
        {
            .name = "window",
            .summary = "some attributes at evenly spaced times: what a view queries to paint",
            .usage = "FROM TO TIMES QUARK...",
            .query_size = sizeof(struct statehist_window_query),
            .has_text = true,
            .workloads = statehist_window_workloads,
            .n_workloads = STATEHIST_N_WINDOW_WORKLOADS,
            .oracle = window_oracle,
            .count = count_points,
            .at = window_at,
            .draw_edges = statehist_draw_window_edges,
            .invalid_at = invalid_window_at,
            .parse = parse_window,
            .print = print_window,
        },
    [STATEHIST_SCAN] =
        {
            .name = "scan",
            .summary = "all intervals, digested",
            .answer_size = sizeof(struct statehist_digest),
            .oracle = scan_oracle,
            .print = print_digest,
            BO_WHOLE_QUERY,
        },
    [STATEHIST_EXPORT] =
        {
            .name = "export",
            .summary = "all attributes at one time, with their intervals and strings",
            .usage = "TIME",
            .query_size = sizeof(struct statehist_time_query),
            .workloads = statehist_export_workloads,
            .n_workloads = STATEHIST_N_TIME_WORKLOADS,
            .oracle = export_oracle,
            .count = count_points,
            .at = time_at,
            .draw_edges = statehist_draw_time_edges,
            .invalid_at = invalid_time_at,
            .parse = parse_at,
            .print = print_snapshot,
        },
    [STATEHIST_TIMES] =
        {
            .name = "times",
            .summary = "some attributes at given times: what Trace Compass reads to paint",
            .usage = "N TIME... QUARK...",
            .query_size = sizeof(struct statehist_window_query),
            .has_text = true,
            .workloads = statehist_times_workloads,
            .n_workloads = STATEHIST_N_TIMES_WORKLOADS,
            .oracle = window_oracle,
            .count = count_points,
            .at = times_at,
            .draw_edges = statehist_draw_times_edges,
            .invalid_at = invalid_times_at,
            .parse = parse_times,
            .print = print_window,
        },
    [STATEHIST_RANGE2D] =
        {
            .name = "range2d",
            .summary = "the intervals of some attributes from one time to another",
            .usage = "FROM TO QUARK...",
            .query_size = sizeof(struct statehist_window_query),
            .has_text = true,
            .workloads = statehist_range2d_workloads,
            .n_workloads = STATEHIST_N_RANGE2D_WORKLOADS,
            .oracle = window_oracle,
            .count = count_points,
            .at = range2d_at,
            .draw_edges = statehist_draw_range2d_edges,
            .invalid_at = invalid_range2d_at,
            .parse = parse_range2d,
            .print = print_window,
        },
};
