/* The queries of a history tree. Each descends from the root to all nodes that may hold a hit. */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/ht/reader.h"

static bool is_in(const struct ht_file *file, int64_t time)
{
    return time >= file->start && time <= file->end;
}

static uint64_t answered_value(const struct ht_file *file, const struct ht_interval *interval)
{
    return interval->type == STATEHIST_STRING ? statehist_hash(ht_text(file, interval))
                                              : interval->value;
}

static struct statehist_state state_of(const struct ht_file *file,
                                       const struct ht_interval *interval)
{
    return (struct statehist_state){interval->start, interval->end, answered_value(file, interval),
                                    interval->type, 0};
}

static enum bo_status no_interval(const struct ht_reader *r, struct bo_error *err)
{
    return bo_fail(err, BO_CORRUPT, ht_node_off(&r->file, r->file.root),
                   "an attribute has no interval at this time");
}

/* ---- point ----------------------------------------------------------------------------------- */

static const struct ht_interval *find_in(const struct ht_kept_node *node, uint32_t quark,
                                         int64_t time)
{
    for (uint32_t i = ht_first_from(node, time); i < node->node.n_intervals; i++)
        if (node->intervals[i].quark == quark && node->intervals[i].start <= time)
            return &node->intervals[i];
    return NULL;
}

static enum bo_status point(struct ht_reader *r, const struct statehist_point_query *q,
                            struct statehist_state *state, struct bo_error *err)
{
    if (q->quark >= r->file.n_quarks || !is_in(&r->file, q->time))
        return BO_OUT_OF_RANGE;
    struct ht_walk walk = {q->time, q->time, q->quark, q->quark, 0};
    const struct ht_interval *found = NULL;
    ht_walk_begin(r, &walk);
    while (!found) {
        const struct ht_kept_node *node;
        const enum bo_status status = ht_walk_next(r, &walk, &node, err);
        if (status || !node)
            return status ? status : no_interval(r, err);
        found = find_in(node, q->quark, q->time);
    }
    *state = state_of(&r->file, found);
    return BO_OK;
}

/* ---- all attributes at one time -------------------------------------------------------------- */

/* An interval for each quark. NULL after an error; the arena's mark frees it. */
static enum bo_status collect(struct ht_reader *r, int64_t time, struct ht_interval **states_ret,
                              struct bo_error *err)
{
    struct ht_walk walk = {time, time, 0, UINT32_MAX, 0};
    uint32_t n_found = 0;
    struct ht_interval *states = bo_alloc_array(r->arena, r->file.n_quarks, sizeof *states);
    if (!states)
        return bo_fail_alloc(err, r->arena);
    for (uint32_t q = 0; q < r->file.n_quarks; q++)
        states[q].type = STATEHIST_N_TYPES;
    ht_walk_begin(r, &walk);
    for (;;) {
        const struct ht_kept_node *node;
        const enum bo_status status = ht_walk_next(r, &walk, &node, err);
        if (status)
            return status;
        if (!node)
            break;
        for (uint32_t i = ht_first_from(node, time); i < node->node.n_intervals; i++) {
            const struct ht_interval *interval = &node->intervals[i];
            if (interval->start > time)
                continue;
            n_found += states[interval->quark].type == STATEHIST_N_TYPES;
            states[interval->quark] = *interval;
        }
    }
    *states_ret = states;
    return n_found == r->file.n_quarks ? BO_OK : no_interval(r, err);
}

static enum bo_status put_values(const struct ht_file *file, const struct ht_interval *states,
                                 struct bo_sink *sink)
{
    const size_t n = file->n_quarks;
    uint64_t *values;
    uint8_t *types;
    if (!statehist_take_values(n, sink, &values, &types))
        return BO_OVER_LIMIT;
    for (size_t q = 0; q < n; q++) {
        values[q] = answered_value(file, &states[q]);
        types[q] = states[q].type;
    }
    return BO_OK;
}

static enum bo_status put_exported(const struct ht_file *file, const struct ht_interval *states,
                                   struct bo_sink *sink)
{
    struct statehist_snapshot *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return BO_OVER_LIMIT;
    head->n = file->n_quarks;
    for (uint32_t q = 0; q < file->n_quarks; q++) {
        const struct ht_interval *at = &states[q];
        const struct bo_span string =
            at->type == STATEHIST_STRING ? ht_text(file, at) : (struct bo_span){NULL, 0};
        if (!statehist_put_exported(state_of(file, at), string, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static enum bo_status all_at(struct ht_reader *r, int64_t time, bool exports, struct bo_sink *sink,
                             struct bo_error *err)
{
    struct ht_interval *states = NULL;
    if (!is_in(&r->file, time))
        return BO_OUT_OF_RANGE;
    const enum bo_status status = collect(r, time, &states, err);
    if (status)
        return status;
    return exports ? put_exported(&r->file, states, sink) : put_values(&r->file, states, sink);
}

/* ---- intervals of some attributes over some time --------------------------------------------- */

/* An interval that a query returns; `place` numbers the attributes of the query. */
struct hit {
    uint32_t place;
    struct ht_interval interval;
};

struct hits {
    struct hit *p;
    size_t n, cap;
};

static bool add_hit(struct ht_reader *r, struct hits *hits, uint32_t place,
                    const struct ht_interval *interval)
{
    if (!bo_grow(r->arena, &hits->p, hits->n, 1, &hits->cap))
        return false;
    hits->p[hits->n++] = (struct hit){place, *interval};
    return true;
}

static bool is_sorted(const struct hit *a, const struct hit *b)
{
    return a->place != b->place ? a->place < b->place : a->interval.start <= b->interval.start;
}

/* Merges two sorted runs that follow each other. */
static void merge(const struct hit *from, size_t middle, size_t n, struct hit *to)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < n; i++)
        to[i] = b == n || (a < middle && is_sorted(&from[a], &from[b])) ? from[a++] : from[b++];
}

/* Sorts by attribute of the query, then by time. */
static bool sort_hits(struct ht_reader *r, struct hits *hits)
{
    const size_t n = hits->n;
    size_t i = 1;
    while (i < n && is_sorted(&hits->p[i - 1], &hits->p[i]))
        i++;
    if (i >= n)
        return true;
    struct hit *from = hits->p, *to = bo_alloc_array(r->arena, n, sizeof *to);
    if (!to)
        return false;
    for (size_t run = 1; run < n; run *= 2) {
        for (i = 0; i < n; i += 2 * run) {
            const size_t left = n - i, both = left < 2 * run ? left : 2 * run;
            merge(from + i, both < run ? both : run, both, to + i);
        }
        struct hit *merged = to;
        to = from;
        from = merged;
    }
    hits->p = from;
    return true;
}

static enum bo_status put_columns(const struct ht_file *file, const struct hits *hits,
                                  struct bo_sink *sink)
{
    const size_t n = hits->n;
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    struct statehist_columns *head = statehist_take_columns(n, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = hits->p[n - 1].interval.end;
    for (size_t i = 0; i < n; i++) {
        starts[i] = hits->p[i].interval.start;
        values[i] = answered_value(file, &hits->p[i].interval);
        types[i] = hits->p[i].interval.type;
    }
    return BO_OK;
}

static enum bo_status range(struct ht_reader *r, const struct statehist_range_query *q,
                            struct bo_sink *sink, struct bo_error *err)
{
    struct ht_walk walk = {q->from, q->to, q->quark, q->quark, 0};
    struct hits hits = {NULL, 0, 0};
    if (q->quark >= r->file.n_quarks || !is_in(&r->file, q->from) || !is_in(&r->file, q->to) ||
        q->from > q->to)
        return BO_OUT_OF_RANGE;
    ht_walk_begin(r, &walk);
    for (;;) {
        const struct ht_kept_node *node;
        const enum bo_status status = ht_walk_next(r, &walk, &node, err);
        if (status)
            return status;
        if (!node)
            break;
        for (uint32_t i = ht_first_from(node, q->from); i < node->node.n_intervals; i++)
            if (node->intervals[i].quark == q->quark && node->intervals[i].start <= q->to &&
                !add_hit(r, &hits, 0, &node->intervals[i]))
                return bo_fail_alloc(err, r->arena);
    }
    if (hits.n == 0)
        return no_interval(r, err);
    return sort_hits(r, &hits) ? put_columns(&r->file, &hits, sink) : bo_fail_alloc(err, r->arena);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The quarks of a window query. `places`, by quark: number in the query, plus 1; 0: not in it. */
struct queried_quarks {
    const struct statehist_window_query *query;
    uint32_t *places;
    size_t *first; /* by place: its first hit; and one more */
    uint32_t n, min_quark, max_quark;
};

static bool note_quarks(struct ht_reader *r, const struct statehist_window_query *q,
                        struct queried_quarks *quarks)
{
    *quarks = (struct queried_quarks){.query = q, .min_quark = UINT32_MAX};
    quarks->places = bo_zalloc_array(r->arena, r->file.n_quarks, sizeof *quarks->places);
    quarks->first = bo_alloc_array(r->arena, q->quarks.n / 4 + 1, sizeof *quarks->first);
    if (!quarks->places || !quarks->first)
        return false;
    for (size_t i = 0; i < q->quarks.n; i += 4) {
        const uint32_t quark = bo_le32(q->quarks.p + i);
        if (quarks->places[quark] == 0)
            quarks->places[quark] = ++quarks->n;
        quarks->min_quark = quark < quarks->min_quark ? quark : quarks->min_quark;
        quarks->max_quark = quark > quarks->max_quark ? quark : quarks->max_quark;
    }
    return true;
}

static enum bo_status put_states(const struct ht_file *file, const struct queried_quarks *quarks,
                                 const struct hits *hits, struct bo_sink *sink)
{
    for (size_t i = 0; i < quarks->query->quarks.n; i += 4) {
        const uint32_t place = quarks->places[bo_le32(quarks->query->quarks.p + i)] - 1;
        const size_t first = quarks->first[place], n = quarks->first[place + 1] - first;
        struct statehist_states *head =
            bo_sink_take(sink, sizeof *head + n * sizeof(struct statehist_state));
        if (!head)
            return BO_OVER_LIMIT;
        head->n = n;
        struct statehist_state *states = (struct statehist_state *)(head + 1);
        for (size_t k = 0; k < n; k++)
            states[k] = state_of(file, &hits->p[first + k].interval);
    }
    return BO_OK;
}

static enum bo_status window(struct ht_reader *r, const struct statehist_window_query *q,
                             struct bo_sink *sink, struct bo_error *err)
{
    struct queried_quarks quarks;
    struct hits hits = {NULL, 0, 0};
    if (!statehist_window_fits(q, r->file.start, r->file.end, r->file.n_quarks))
        return BO_OUT_OF_RANGE;
    if (q->quarks.n == 0)
        return BO_OK;
    if (!note_quarks(r, q, &quarks))
        return bo_fail_alloc(err, r->arena);
    struct ht_walk walk = {q->from, q->to, quarks.min_quark, quarks.max_quark, 0};
    ht_walk_begin(r, &walk);
    for (;;) {
        const struct ht_kept_node *node;
        const enum bo_status status = ht_walk_next(r, &walk, &node, err);
        if (status)
            return status;
        if (!node)
            break;
        for (uint32_t i = ht_first_from(node, q->from); i < node->node.n_intervals; i++) {
            const struct ht_interval *interval = &node->intervals[i];
            const uint32_t place = quarks.places[interval->quark];
            if (place && statehist_holds_time(q, interval->start, interval->end) &&
                !add_hit(r, &hits, place - 1, interval))
                return bo_fail_alloc(err, r->arena);
        }
    }
    if (!sort_hits(r, &hits))
        return bo_fail_alloc(err, r->arena);
    size_t at = 0;
    for (uint32_t place = 0; place <= quarks.n; place++) {
        while (at < hits.n && hits.p[at].place < place)
            at++;
        quarks.first[place] = at;
    }
    return put_states(&r->file, &quarks, &hits, sink);
}

/* ---- scan ------------------------------------------------------------------------------------ */

static enum bo_status scan(struct ht_reader *r, struct statehist_digest *digest,
                           struct bo_error *err)
{
    struct ht_walk walk = HT_WALK_ALL;
    *digest = (struct statehist_digest){0, 0};
    ht_walk_begin(r, &walk);
    for (;;) {
        const struct ht_kept_node *node;
        const enum bo_status status = ht_walk_next(r, &walk, &node, err);
        if (status || !node)
            return status;
        for (uint32_t i = 0; i < node->node.n_intervals; i++) {
            const struct ht_interval *at = &node->intervals[i];
            statehist_digest_interval(digest, at->quark, at->start, at->end, at->type,
                                      answered_value(&r->file, at));
        }
    }
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static enum bo_status query_one(struct ht_reader *r, unsigned kind, const void *queries, size_t i,
                                void *answers, struct bo_error *err)
{
    const struct statehist_time_query *times = queries;
    switch ((enum statehist_query_kind)kind) {
    case STATEHIST_POINT:
        return point(r, (const struct statehist_point_query *)queries + i,
                     (struct statehist_state *)answers + i, err);
    case STATEHIST_FULL_STATE:
    case STATEHIST_EXPORT:
        return all_at(r, times[i].time, kind == STATEHIST_EXPORT, answers, err);
    case STATEHIST_RANGE:
        return range(r, (const struct statehist_range_query *)queries + i, answers, err);
    case STATEHIST_WINDOW:
    case STATEHIST_TIMES:
    case STATEHIST_RANGE2D:
        return window(r, (const struct statehist_window_query *)queries + i, answers, err);
    case STATEHIST_SCAN:
        return scan(r, (struct statehist_digest *)answers + i, err);
    case STATEHIST_N_KINDS:
        break;
    }
    return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
}

enum bo_status ht_query(const struct bo_codec *self, void *reader, unsigned kind,
                        const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct ht_reader *r = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(r->arena);
        status = query_one(r, kind, queries, i, answers, err);
        bo_arena_rewind(r->arena, mark);
    }
    return status;
}
