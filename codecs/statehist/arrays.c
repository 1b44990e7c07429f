/*
 * arrays: a control. What a program would hold in memory: the start, the value and the type of each
 * interval in arrays of their own, timeline by timeline, and where each timeline begins. It is read
 * where it lies, each time found by halving; nothing of that kind is faster.
 *
 *   0   i64  start of the history
 *   8   i64  end
 *   16  u32  number of quarks, N
 *   20  u32  number of strings, S
 *   24  u64  number of intervals, n
 *   32  u64  bytes of all names
 *   40  u64  bytes of all strings
 *   48  i64  starts[n]      u64  values[n], as in the model
 *       u32  first[N + 1]: each timeline's first interval, and n
 *       u32  parents[N]     u32  name ends[N]     u32  string ends[S], in the bytes below
 *       u8   types[n]
 *            the bytes of the names, then those of the strings
 *
 * Little-endian. An interval ends where the next one of its timeline starts, or with the history.
 */
#include "codecs/statehist/model.h"
#include "harness/utf8.h"

enum { HEADER_NBYTES = 48 };

/* ---- encoding ---------------------------------------------------------------------------------- */

static uint64_t nbytes_of(const struct bo_span *spans, size_t n, size_t stride)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++, spans = (const void *)((const uint8_t *)spans + stride))
        sum += spans->n;
    return sum;
}

static void put_names(const struct statehist_model *model, struct bo_writer *out)
{
    uint32_t end = 0;
    bo_mark(out, "tree");
    for (uint32_t q = 0; q < model->n_quarks; q++)
        bo_put_le32(out, model->attributes[q].parent);
    for (uint32_t q = 0; q < model->n_quarks; q++)
        bo_put_le32(out, end += (uint32_t)model->attributes[q].name.n);
}

static void put_columns(const struct statehist_model *model, struct bo_writer *out)
{
    bo_mark(out, "starts");
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_le64(out, (uint64_t)model->intervals[i].start);
    bo_mark(out, "values");
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_le64(out, model->intervals[i].value);
    bo_mark(out, "timelines");
    for (uint32_t q = 0; q <= model->n_quarks; q++)
        bo_put_le32(out, model->first[q]);
}

static enum bo_status encode(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    const uint64_t n_name_bytes =
        model->n_quarks
            ? nbytes_of(&model->attributes->name, model->n_quarks, sizeof *model->attributes)
            : 0; /* there may be no array then */
    const uint64_t n_string_bytes =
        nbytes_of(model->strings, model->n_strings, sizeof *model->strings);
    uint32_t end = 0;
    if (n_name_bytes > UINT32_MAX || n_string_bytes > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "more than 4 GiB of texts");
    bo_mark(out, "header");
    bo_put_le64(out, (uint64_t)model->start);
    bo_put_le64(out, (uint64_t)model->end);
    bo_put_le32(out, model->n_quarks);
    bo_put_le32(out, model->n_strings);
    bo_put_le64(out, model->n_intervals);
    bo_put_le64(out, n_name_bytes);
    bo_put_le64(out, n_string_bytes);
    put_columns(model, out);
    put_names(model, out);
    bo_mark(out, "strings");
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_le32(out, end += (uint32_t)model->strings[i].n);
    bo_mark(out, "types");
    for (size_t i = 0; i < model->n_intervals; i++)
        bo_put_u8(out, (uint8_t)model->intervals[i].type);
    bo_mark(out, "tree");
    for (uint32_t q = 0; q < model->n_quarks; q++)
        bo_put_bytes(out, model->attributes[q].name.p, model->attributes[q].name.n);
    bo_mark(out, "strings");
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_bytes(out, model->strings[i].p, model->strings[i].n);
    return bo_writer_status(out, err);
}

/* ---- the arrays where they lie -------------------------------------------------------------------- */

struct reader {
    int64_t start, end;
    uint32_t n_quarks, n_strings;
    size_t n_intervals;
    const uint8_t *starts, *values, *first, *parents, *name_ends, *string_ends, *types;
    const uint8_t *in;
    struct bo_span names, strings; /* the bytes of all */
    uint64_t *hashes;              /* of the strings */
};

static int64_t start_at(const struct reader *r, size_t i)
{
    return (int64_t)bo_le64(r->starts + 8 * i);
}

static uint32_t first_of(const struct reader *r, uint32_t quark)
{
    return bo_le32(r->first + 4 * (size_t)quark);
}

/* The i-th text of those whose ends are an array; that ends do not descend is checked. */
static struct bo_span text_at(struct bo_span texts, const uint8_t *ends, size_t i)
{
    const uint32_t from = i ? bo_le32(ends + 4 * (i - 1)) : 0, to = bo_le32(ends + 4 * i);
    return (struct bo_span){texts.p + from, to - from};
}

static enum bo_status fail_at(const struct reader *r, const uint8_t *at, const char *what,
                              struct bo_error *err)
{
    return bo_fail(err, BO_CORRUPT, (uint64_t)(at - r->in), what);
}

/* Header and sizes: after this, all arrays can be read. */
static enum bo_status locate(struct bo_span in, struct reader *r, struct bo_error *err)
{
    if (in.n < HEADER_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "ends within its header");
    const uint64_t n = bo_le64(in.p + 24), names = bo_le64(in.p + 32), strings = bo_le64(in.p + 40);
    *r = (struct reader){
        .in = in.p,
        .start = (int64_t)bo_le64(in.p),
        .end = (int64_t)bo_le64(in.p + 8),
        .n_quarks = bo_le32(in.p + 16),
        .n_strings = bo_le32(in.p + 20),
        .n_intervals = (size_t)n,
    };
    if (r->start > r->end)
        return bo_fail(err, BO_CORRUPT, 8, "history ends before it starts");
    if (n > UINT32_MAX || names > UINT32_MAX || strings > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, 24, "count does not fit 32 bits");
    const uint64_t nbytes = HEADER_NBYTES + 17 * n + 4 + 12 * (uint64_t)r->n_quarks +
                            4 * (uint64_t)r->n_strings + names + strings;
    if (in.n < nbytes)
        return bo_fail(err, BO_TRUNCATED, in.n, "shorter than its header says");
    if (in.n > nbytes)
        return bo_fail(err, BO_CORRUPT, nbytes, "bytes follow the strings");
    r->starts = in.p + HEADER_NBYTES;
    r->values = r->starts + 8 * r->n_intervals;
    r->first = r->values + 8 * r->n_intervals;
    r->parents = r->first + 4 * ((size_t)r->n_quarks + 1);
    r->name_ends = r->parents + 4 * (size_t)r->n_quarks;
    r->string_ends = r->name_ends + 4 * (size_t)r->n_quarks;
    r->types = r->string_ends + 4 * (size_t)r->n_strings;
    r->names = (struct bo_span){r->types + r->n_intervals, (size_t)names};
    r->strings = (struct bo_span){r->names.p + names, (size_t)strings};
    return BO_OK;
}

static enum bo_status check_ends(const struct reader *r, const uint8_t *ends, size_t n,
                                 size_t nbytes, struct bo_error *err)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = bo_le32(ends + 4 * i);
        if (end < last || end > nbytes)
            return fail_at(r, ends + 4 * i, "text ends before it starts, or beyond all texts", err);
        last = end;
    }
    return last == nbytes ? BO_OK : fail_at(r, ends + 4 * n, "bytes of no text", err);
}

static enum bo_status check_tree(const struct reader *r, struct bo_arena *arena,
                                 const struct statehist_attribute **attributes_ret,
                                 struct bo_error *err)
{
    struct statehist_attribute *attributes = bo_alloc_array(arena, r->n_quarks, sizeof *attributes);
    uint32_t quark;
    if (!attributes)
        return bo_fail_alloc(err, arena);
    for (uint32_t q = 0; q < r->n_quarks; q++)
        attributes[q] = (struct statehist_attribute){text_at(r->names, r->name_ends, q),
                                                     bo_le32(r->parents + 4 * (size_t)q)};
    const char *flaw = statehist_tree_flaw(attributes, r->n_quarks, arena, &quark);
    if (flaw == statehist_no_memory)
        return bo_fail_alloc(err, arena);
    *attributes_ret = attributes;
    return flaw ? fail_at(r, r->parents + (quark < r->n_quarks ? 4 * (size_t)quark : 0), flaw, err)
                : BO_OK;
}

static enum bo_status check_strings(const struct reader *r, struct bo_arena *arena,
                                    struct bo_error *err)
{
    struct bo_texts set;
    uint32_t number;
    if (!bo_texts_init(&set, false, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->n_strings; i++) {
        const struct bo_span string = text_at(r->strings, r->string_ends, i);
        if (!bo_is_utf8(string))
            return fail_at(r, string.p, "string is not UTF-8", err);
        if (!bo_texts_add(&set, string, &number))
            return bo_fail_alloc(err, arena);
        if (number != i)
            return fail_at(r, r->string_ends + 4 * (size_t)i, "string is there twice", err);
    }
    return BO_OK;
}

/* Timelines that begin where the history does, and times that ascend. */
static enum bo_status check_times(const struct reader *r, struct bo_error *err)
{
    if (first_of(r, 0) != 0 || first_of(r, r->n_quarks) != r->n_intervals)
        return fail_at(r, r->first, "timelines are not all of the intervals", err);
    for (uint32_t q = 0; q < r->n_quarks; q++) {
        const size_t from = first_of(r, q), to = first_of(r, q + 1);
        if (from >= to || to > r->n_intervals)
            return fail_at(r, r->first + 4 * (size_t)(q + 1), "timeline without an interval", err);
        if (start_at(r, from) != r->start)
            return fail_at(r, r->starts + 8 * from, "timeline does not begin with the history",
                           err);
        for (size_t i = from + 1; i < to; i++)
            if (start_at(r, i) <= start_at(r, i - 1) || start_at(r, i) > r->end)
                return fail_at(r, r->starts + 8 * i,
                               "start is not after the one before, or after the end", err);
    }
    return BO_OK;
}

static enum bo_status check_values(const struct reader *r, struct bo_error *err)
{
    uint32_t n_used = 0; /* strings met so far: the next new one has this number */
    for (size_t i = 0; i < r->n_intervals; i++) {
        const uint64_t value = bo_le64(r->values + 8 * i);
        const char *flaw = statehist_value_flaw(r->types[i], value, r->n_strings);
        if (flaw)
            return fail_at(r, r->values + 8 * i, flaw, err);
        if (r->types[i] != STATEHIST_STRING)
            continue;
        if (value > n_used)
            return fail_at(r, r->values + 8 * i, "string out of the order of first use", err);
        n_used += value == n_used;
    }
    return n_used == r->n_strings ? BO_OK : fail_at(r, r->string_ends, "string is not used", err);
}

static enum bo_status load(struct bo_span in, struct bo_arena *arena, struct reader *r,
                           const struct statehist_attribute **attributes_ret, struct bo_error *err)
{
    enum bo_status status = locate(in, r, err);
    if (!status)
        status = check_ends(r, r->name_ends, r->n_quarks, r->names.n, err);
    if (!status)
        status = check_ends(r, r->string_ends, r->n_strings, r->strings.n, err);
    if (!status)
        status = check_times(r, err);
    if (!status)
        status = check_values(r, err);
    if (!status)
        status = check_tree(r, arena, attributes_ret, err);
    return status ? status : check_strings(r, arena, err);
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static int64_t end_at(const struct reader *r, uint32_t quark, size_t i)
{
    return i + 1 < first_of(r, quark + 1) ? start_at(r, i + 1) - 1 : r->end;
}

static bool fill_timelines(const struct reader *r, struct bo_arena *arena,
                           struct statehist_model *model)
{
    struct statehist_interval *intervals = bo_alloc_array(arena, r->n_intervals, sizeof *intervals);
    uint32_t *first = bo_alloc_array(arena, (size_t)r->n_quarks + 1, sizeof *first);
    if (!intervals || !first)
        return false;
    for (uint32_t q = 0; q < r->n_quarks; q++)
        for (size_t i = first_of(r, q); i < first_of(r, q + 1); i++)
            intervals[i] = (struct statehist_interval){start_at(r, i), end_at(r, q, i),
                                                       bo_le64(r->values + 8 * i), q, r->types[i]};
    for (uint32_t q = 0; q <= r->n_quarks; q++)
        first[q] = first_of(r, q);
    model->n_intervals = r->n_intervals;
    model->intervals = intervals;
    model->first = first;
    model->closing = statehist_order_by_end(intervals, r->n_intervals, arena);
    return model->closing != NULL;
}

static enum bo_status decode(struct bo_span in, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err)
{
    struct reader r;
    const struct statehist_attribute *attributes;
    const enum bo_status status = load(in, arena, &r, &attributes, err);
    if (status)
        return status;
    struct statehist_model *model = bo_alloc(arena, sizeof *model);
    struct bo_span *strings = bo_alloc_array(arena, r.n_strings, sizeof *strings);
    if (!model || !strings)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r.n_strings; i++)
        strings[i] = text_at(r.strings, r.string_ends, i);
    *model = (struct statehist_model){
        .start = r.start,
        .end = r.end,
        .n_quarks = r.n_quarks,
        .n_strings = r.n_strings,
        .attributes = attributes,
        .strings = strings,
    };
    if (!fill_timelines(&r, arena, model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

static enum bo_status open(struct bo_span in, struct bo_arena *arena, void **reader_ret,
                           struct bo_error *err)
{
    struct reader *r = bo_alloc(arena, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const struct statehist_attribute *attributes;
    const enum bo_status status = load(in, arena, r, &attributes, err);
    if (status)
        return status;
    bo_arena_rewind(arena, mark);
    r->hashes = bo_alloc_array(arena, r->n_strings, sizeof *r->hashes);
    if (!r->hashes)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->n_strings; i++)
        r->hashes[i] = statehist_hash(text_at(r->strings, r->string_ends, i));
    *reader_ret = r;
    return BO_OK;
}

/* ---- queries ------------------------------------------------------------------------------------------- */

static bool is_in(const struct reader *r, int64_t time)
{
    return time >= r->start && time <= r->end;
}

/* The last of the intervals from..to-1 that starts by this time, as the first one does. */
static size_t search(const struct reader *r, size_t from, size_t to, int64_t time)
{
    size_t n = to - from;
    while (n > 1) {
        const size_t half = n / 2;
        from += start_at(r, from + half) <= time ? half : 0;
        n -= half;
    }
    return from;
}

static size_t interval_at(const struct reader *r, uint32_t quark, int64_t time)
{
    return search(r, first_of(r, quark), first_of(r, quark + 1), time);
}

static uint64_t value_at(const struct reader *r, size_t i)
{
    const uint64_t value = bo_le64(r->values + 8 * i);
    return r->types[i] == STATEHIST_STRING ? r->hashes[value] : value;
}

static struct statehist_state state_at(const struct reader *r, uint32_t quark, size_t i)
{
    return (struct statehist_state){start_at(r, i), end_at(r, quark, i), value_at(r, i),
                                    r->types[i], 0};
}

static enum bo_status point(const struct reader *r, const struct statehist_point_query *q,
                            struct statehist_state *answer)
{
    if (q->quark >= r->n_quarks || !is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    *answer = state_at(r, q->quark, interval_at(r, q->quark, q->time));
    return BO_OK;
}

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

static enum bo_status full_state(const struct reader *r, const struct statehist_time_query *q,
                                 struct bo_sink *sink)
{
    const size_t n = r->n_quarks;
    if (!is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    struct statehist_values *values = bo_sink_take(sink, sizeof *values + 8 * n + padded(n));
    if (!values)
        return BO_OVER_LIMIT;
    values->n = n;
    uint64_t *numbers = (uint64_t *)(void *)(values + 1);
    uint8_t *types = (uint8_t *)(numbers + n);
    for (uint32_t quark = 0; quark < n; quark++) {
        const size_t i = interval_at(r, quark, q->time);
        numbers[quark] = value_at(r, i);
        types[quark] = r->types[i];
    }
    memset(types + n, 0, padded(n) - n);
    return BO_OK;
}

static enum bo_status range(const struct reader *r, const struct statehist_range_query *q,
                            struct bo_sink *sink)
{
    if (q->quark >= r->n_quarks || !is_in(r, q->from) || !is_in(r, q->to) || q->from > q->to)
        return BO_OUT_OF_RANGE;
    const size_t first = interval_at(r, q->quark, q->from);
    const size_t last = search(r, first, first_of(r, q->quark + 1), q->to);
    const size_t n = last - first + 1;
    struct statehist_columns *columns = bo_sink_take(sink, sizeof *columns + 16 * n + padded(n));
    if (!columns)
        return BO_OVER_LIMIT;
    *columns = (struct statehist_columns){n, end_at(r, q->quark, last)};
    int64_t *starts = (int64_t *)(void *)(columns + 1);
    uint64_t *values = (uint64_t *)(void *)(starts + n);
    uint8_t *types = (uint8_t *)(values + n);
    for (size_t i = 0; i < n; i++) {
        starts[i] = start_at(r, first + i);
        values[i] = value_at(r, first + i);
    }
    memcpy(types, r->types + first, n);
    memset(types + n, 0, padded(n) - n);
    return BO_OK;
}

static bool row(const struct reader *r, const struct statehist_window_query *q, uint32_t quark,
                struct bo_sink *sink)
{
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return false;
    states->n = 0;
    size_t from = first_of(r, quark);
    for (uint32_t i = 0; i < q->n_times; states->n++) {
        struct statehist_state *state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return false;
        from = search(r, from, first_of(r, quark + 1), statehist_window_time(q, i));
        *state = state_at(r, quark, from);
        i = state->end < q->to ? statehist_window_next(q, state->end) : q->n_times;
    }
    return true;
}

static enum bo_status window(const struct reader *r, const struct statehist_window_query *q,
                             struct bo_sink *sink)
{
    if (!is_in(r, q->from) || !is_in(r, q->to) || q->from > q->to || q->n_times < 1 ||
        q->n_times > STATEHIST_MAX_WINDOW_TIMES || q->quarks.n % 4)
        return BO_OUT_OF_RANGE;
    for (size_t k = 0; k < q->quarks.n; k += 4) {
        const uint32_t quark = bo_le32(q->quarks.p + k);
        if (quark >= r->n_quarks)
            return BO_OUT_OF_RANGE;
        if (!row(r, q, quark, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static void scan(const struct reader *r, struct statehist_digest *digest)
{
    *digest = (struct statehist_digest){0};
    for (uint32_t quark = 0; quark < r->n_quarks; quark++)
        for (size_t i = first_of(r, quark); i < first_of(r, quark + 1); i++)
            statehist_digest_interval(digest, quark, start_at(r, i), end_at(r, quark, i),
                                      r->types[i], value_at(r, i));
}

static enum bo_status take_snapshot(const struct reader *r, const struct statehist_time_query *q,
                                    struct bo_sink *sink)
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
            string = text_at(r->strings, r->string_ends, (size_t)bo_le64(r->values + 8 * i));
        struct statehist_exported *exported =
            bo_sink_take(sink, sizeof *exported + padded(string.n));
        if (!exported)
            return BO_OVER_LIMIT;
        *exported = (struct statehist_exported){state_at(r, quark, i), string.n};
        uint8_t *bytes = (uint8_t *)(exported + 1);
        if (string.n)
            memcpy(bytes, string.p, string.n);
        memset(bytes + string.n, 0, padded(string.n) - string.n);
    }
    return BO_OK;
}

static enum bo_status query(void *opaque, unsigned kind, const void *queries, size_t n,
                            void *answers, struct bo_error *err)
{
    const struct reader *r = opaque;
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
            status = window(r, (const struct statehist_window_query *)queries + i, answers);
            break;
        case STATEHIST_SCAN:
            scan(r, (struct statehist_digest *)answers + i);
            break;
        case STATEHIST_EXPORT:
            status = take_snapshot(r, (const struct statehist_time_query *)queries + i, answers);
            break;
        default:
            status = bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "no such kind of query");
        }
    return status;
}

const struct bo_codec statehist_arrays = {
    .name = "arrays",
    .summary = "starts, values and types as a program holds them in memory: the speed of light",
    .spec = "codecs/statehist/README.md#arrays",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
