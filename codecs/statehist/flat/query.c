/*
 * Queries of history.bin. In the order of closing, a search leads to the first record that ends
 * late enough; from there on it is a scan. By quark, a search leads to a timeline's interval.
 */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/flat/flat.h"

/* ---- places ---------------------------------------------------------------------------------- */

/* Whether the wanted interval comes after the record at the mark. */
static bool lies_after(const struct statehist_flat *f, size_t mark, uint32_t quark, int64_t time)
{
    const struct statehist_record r = statehist_record_at(f, f->marks[mark]);
    if (!f->layout->by_quark)
        return r.end < time;
    return r.quark < quark || (r.quark == quark && r.start <= time);
}

/* A place at or before the quark's interval at a time, from mark `from` on; which mark it is. */
static size_t seek(const struct statehist_flat *f, uint32_t quark, int64_t time, size_t from)
{
    size_t n = f->n_marks - from;
    while (n > 1) {
        const size_t half = n / 2;
        from = lies_after(f, from + half, quark, time) ? from + half : from;
        n -= half;
    }
    return from;
}

/* The quark's interval at a time of the history. */
static struct statehist_record find(const struct statehist_flat *f, uint32_t quark, int64_t time)
{
    const uint8_t *p = f->marks[seek(f, quark, time, 0)];
    for (;;) {
        const struct statehist_record r = statehist_record_at(f, p);
        if (r.quark == quark && r.end >= time)
            return r;
        p = r.next;
    }
}

static bool is_in(const struct statehist_flat *f, int64_t time)
{
    return time >= f->start && time <= f->end;
}

static struct statehist_state state_of(const struct statehist_record *r)
{
    return (struct statehist_state){r->start, r->end, statehist_record_value(r), r->type, 0};
}

/* ---- one attribute --------------------------------------------------------------------------- */

static enum bo_status answer_point(const struct statehist_flat *f,
                                   const struct statehist_point_query *q,
                                   struct statehist_state *answer)
{
    if (q->quark >= f->n_quarks || !is_in(f, q->time))
        return BO_OUT_OF_RANGE;
    const struct statehist_record r = find(f, q->quark, q->time);
    *answer = state_of(&r);
    return BO_OK;
}

/* States in scratch memory, which the caller rewinds. */
struct states {
    struct statehist_state *at;
    size_t n, cap;
};

static bool add_state(const struct statehist_flat *f, struct states *states,
                      const struct statehist_record *r)
{
    if (!bo_grow(f->arena, &states->at, states->n, 1, &states->cap))
        return false;
    states->at[states->n++] = state_of(r);
    return true;
}

static bool put_columns(const struct states *states, struct bo_sink *sink)
{
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    struct statehist_columns *head =
        statehist_take_columns(states->n, sink, &starts, &values, &types);
    if (!head)
        return false;
    head->end = states->at[states->n - 1].end;
    for (size_t i = 0; i < states->n; i++) {
        starts[i] = states->at[i].start;
        values[i] = states->at[i].value;
        types[i] = (uint8_t)states->at[i].type;
    }
    return true;
}

static enum bo_status answer_range(const struct statehist_flat *f,
                                   const struct statehist_range_query *q, struct bo_sink *sink,
                                   struct bo_error *err)
{
    struct states states = {NULL, 0, 0};
    if (q->quark >= f->n_quarks || !is_in(f, q->from) || !is_in(f, q->to) || q->from > q->to)
        return BO_OUT_OF_RANGE;
    const uint8_t *p = f->marks[seek(f, q->quark, q->from, 0)];
    for (bool done = false; !done;) {
        const struct statehist_record r = statehist_record_at(f, p);
        if (r.quark == q->quark && r.end >= q->from) {
            if (!add_state(f, &states, &r))
                return bo_fail_alloc(err, f->arena);
            done = r.end >= q->to;
        }
        p = r.next;
    }
    return put_columns(&states, sink) ? BO_OK : BO_OVER_LIMIT;
}

/* ---- all attributes -------------------------------------------------------------------------- */

/* The record of each quark at a time: in the order of closing, or of quarks. */
#define FOR_EACH_AT(f, time, r) \
    for (struct at_time walk = begin_at_time(f, time); next_at_time(&walk, &(r));)

struct at_time {
    const struct statehist_flat *f;
    int64_t time;
    uint32_t n_found;
    size_t mark;      /* by quark: the last one at or before p */
    const uint8_t *p; /* the next record to look at */
};

static struct at_time begin_at_time(const struct statehist_flat *f, int64_t time)
{
    struct at_time w = {.f = f, .time = time};
    if (f->n_quarks) {
        w.mark = seek(f, 0, time, 0);
        w.p = f->marks[w.mark];
    }
    return w;
}

static inline bool next_at_time(struct at_time *w, struct statehist_record *r)
{
    const struct statehist_flat *f = w->f;
    if (w->n_found == f->n_quarks)
        return false;
    if (f->layout->by_quark && w->mark + 1 < f->n_marks &&
        lies_after(f, w->mark + 1, w->n_found, w->time)) {
        w->mark = seek(f, w->n_found, w->time, w->mark + 1);
        w->p = f->marks[w->mark] > w->p ? f->marks[w->mark] : w->p;
    }
    do {
        *r = statehist_record_at(f, w->p);
        w->p = r->next;
    } while (f->layout->by_quark ? r->quark != w->n_found || r->end < w->time
                                 : r->start > w->time || r->end < w->time);
    w->n_found++;
    return true;
}

static enum bo_status answer_full_state(const struct statehist_flat *f,
                                        const struct statehist_time_query *q, struct bo_sink *sink)
{
    uint64_t *values;
    uint8_t *types;
    struct statehist_record r;
    if (!is_in(f, q->time))
        return BO_OUT_OF_RANGE;
    if (!statehist_take_values(f->n_quarks, sink, &values, &types))
        return BO_OVER_LIMIT;
    FOR_EACH_AT(f, q->time, r)
    {
        values[r.quark] = statehist_record_value(&r);
        types[r.quark] = (uint8_t)r.type;
    }
    return BO_OK;
}

static enum bo_status answer_export(const struct statehist_flat *f,
                                    const struct statehist_time_query *q, struct bo_sink *sink,
                                    struct bo_error *err)
{
    if (!is_in(f, q->time))
        return BO_OUT_OF_RANGE;
    struct statehist_record *found = bo_alloc_array(f->arena, f->n_quarks, sizeof *found), r;
    struct statehist_snapshot *head = bo_sink_take(sink, sizeof *head);
    if (!found)
        return bo_fail_alloc(err, f->arena);
    if (!head)
        return BO_OVER_LIMIT;
    head->n = f->n_quarks;
    FOR_EACH_AT(f, q->time, r)
    found[r.quark] = r;
    for (uint32_t quark = 0; quark < f->n_quarks; quark++)
        if (!statehist_put_exported(state_of(&found[quark]),
                                    (struct bo_span){found[quark].value, found[quark].text_nbytes},
                                    sink))
            return BO_OVER_LIMIT;
    return BO_OK;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* What a window has of one quark; each quark once. */
struct column {
    uint32_t quark;
    struct states states;
};

struct window {
    const struct statehist_window_query *q;
    struct column *columns;
    uint32_t *column_of; /* by quark, plus 1; 0: not queried */
    uint32_t n_columns, n_open;
};

/* Adds the interval to its quark's column when the query names that quark. */
static bool show(const struct statehist_flat *f, struct window *w, const struct statehist_record *r)
{
    const uint32_t column = w->column_of[r->quark];
    if (column == 0 || r->end < w->q->from || r->start > w->q->to)
        return true;
    w->n_open -= r->end >= w->q->to;
    return !statehist_holds_time(w->q, r->start, r->end) ||
           add_state(f, &w->columns[column - 1].states, r);
}

static bool fill_window(const struct statehist_flat *f, struct window *w)
{
    struct statehist_record r;
    if (!f->layout->by_quark) {
        const uint8_t *p = w->n_open ? f->marks[seek(f, 0, w->q->from, 0)] : NULL;
        while (w->n_open) {
            r = statehist_record_at(f, p);
            if (!show(f, w, &r))
                return false;
            p = r.next;
        }
        return true;
    }
    for (uint32_t i = 0; i < w->n_columns; i++) {
        r = find(f, w->columns[i].quark, w->q->from);
        if (!show(f, w, &r))
            return false;
        while (r.end < w->q->to) {
            r = statehist_record_at(f, r.next);
            if (!show(f, w, &r))
                return false;
        }
    }
    return true;
}

static enum bo_status put_window(const struct window *w, struct bo_sink *sink)
{
    for (size_t i = 0; i < w->q->quarks.n; i += 4) {
        const uint32_t column = w->column_of[bo_le32(w->q->quarks.p + i)];
        const struct states *states = &w->columns[column - 1].states;
        struct statehist_states *head =
            bo_sink_take(sink, sizeof *head + states->n * sizeof *states->at);
        if (!head)
            return BO_OVER_LIMIT;
        head->n = states->n;
        memcpy(head + 1, states->at, states->n * sizeof *states->at);
    }
    return BO_OK;
}

static enum bo_status answer_window(const struct statehist_flat *f,
                                    const struct statehist_window_query *q, struct bo_sink *sink,
                                    struct bo_error *err)
{
    struct window w = {.q = q};
    if (!statehist_window_fits(q, f->start, f->end, f->n_quarks))
        return BO_OUT_OF_RANGE;
    w.columns = bo_zalloc_array(f->arena, q->quarks.n / 4, sizeof *w.columns);
    w.column_of = bo_zalloc_array(f->arena, f->n_quarks, sizeof *w.column_of);
    if (!w.columns || !w.column_of)
        return bo_fail_alloc(err, f->arena);
    for (size_t i = 0; i < q->quarks.n; i += 4) {
        const uint32_t quark = bo_le32(q->quarks.p + i);
        if (w.column_of[quark])
            continue;
        w.columns[w.n_columns].quark = quark;
        w.column_of[quark] = ++w.n_columns;
    }
    w.n_open = w.n_columns;
    if (!fill_window(f, &w))
        return bo_fail_alloc(err, f->arena);
    return put_window(&w, sink);
}

/* ---- everything ------------------------------------------------------------------------------ */

static void answer_scan(const struct statehist_flat *f, struct statehist_digest *digest)
{
    const uint8_t *p = f->records.p;
    *digest = (struct statehist_digest){0};
    for (size_t i = 0; i < f->n_records; i++) {
        const struct statehist_record r = statehist_record_at(f, p);
        statehist_digest_interval(digest, r.quark, r.start, r.end, r.type,
                                  statehist_record_value(&r));
        p = r.next;
    }
}

enum bo_status statehist_query_flat(const struct bo_codec *self, void *reader, unsigned kind,
                                    const void *queries, size_t n, void *answers,
                                    struct bo_error *err)
{
    const struct statehist_flat *f = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(f->arena);
        switch (kind) {
        case STATEHIST_POINT:
            status = answer_point(f, &((const struct statehist_point_query *)queries)[i],
                                  &((struct statehist_state *)answers)[i]);
            break;
        case STATEHIST_FULL_STATE:
            status =
                answer_full_state(f, &((const struct statehist_time_query *)queries)[i], answers);
            break;
        case STATEHIST_RANGE:
            status =
                answer_range(f, &((const struct statehist_range_query *)queries)[i], answers, err);
            break;
        case STATEHIST_WINDOW:
        case STATEHIST_TIMES:
        case STATEHIST_RANGE2D:
            status = answer_window(f, &((const struct statehist_window_query *)queries)[i], answers,
                                   err);
            break;
        case STATEHIST_SCAN:
            answer_scan(f, &((struct statehist_digest *)answers)[i]);
            break;
        case STATEHIST_EXPORT:
            status =
                answer_export(f, &((const struct statehist_time_query *)queries)[i], answers, err);
            break;
        default:
            return BO_BAD_USAGE;
        }
        bo_arena_rewind(f->arena, mark);
    }
    return status;
}
