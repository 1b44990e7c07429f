/*
 * arrays: a control. What a program would hold in memory: the start, the value and the type of each
 * interval in arrays of their own, timeline by timeline, and where each timeline begins. Queries
 * read the file in place and find a time by binary search. It is the fastest plain layout.
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
#include "codecs/statehist/in_memory.h"
#include "codecs/statehist/model.h"
#include "harness/core/utf8.h"

enum { HEADER_NBYTES = 48 };

/* ---- encoding -------------------------------------------------------------------------------- */

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

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
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
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "4 GiB of texts or more");
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

/* ---- the arrays where they lie --------------------------------------------------------------- */

/* What is read of it, and what only the tree and the checks need. */
struct reader {
    struct statehist_in_memory held;
    const uint8_t *in, *parents, *name_ends, *names;
    size_t names_nbytes, strings_nbytes;
};

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
        .held = {.start = (int64_t)bo_le64(in.p),
                 .end = (int64_t)bo_le64(in.p + 8),
                 .n_quarks = bo_le32(in.p + 16),
                 .n_strings = bo_le32(in.p + 20),
                 .n_intervals = (size_t)n},
    };
    if (r->held.start > r->held.end)
        return bo_fail(err, BO_CORRUPT, 8, "history ends before it starts");
    if (n > UINT32_MAX || names > UINT32_MAX || strings > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, 24, "count does not fit 32 bits");
    const uint64_t nbytes = HEADER_NBYTES + 17 * n + 4 + 12 * (uint64_t)r->held.n_quarks +
                            4 * (uint64_t)r->held.n_strings + names + strings;
    if (in.n < nbytes)
        return bo_fail(err, BO_TRUNCATED, in.n, "shorter than its header says");
    if (in.n > nbytes)
        return bo_fail(err, BO_CORRUPT, nbytes, "bytes follow the strings");
    r->held.starts = in.p + HEADER_NBYTES;
    r->held.values = r->held.starts + 8 * r->held.n_intervals;
    r->held.first = r->held.values + 8 * r->held.n_intervals;
    r->parents = r->held.first + 4 * ((size_t)r->held.n_quarks + 1);
    r->name_ends = r->parents + 4 * (size_t)r->held.n_quarks;
    r->held.string_ends = r->name_ends + 4 * (size_t)r->held.n_quarks;
    r->held.types = r->held.string_ends + 4 * (size_t)r->held.n_strings;
    r->names = r->held.types + r->held.n_intervals;
    r->held.strings = r->names + names;
    r->names_nbytes = (size_t)names;
    r->strings_nbytes = (size_t)strings;
    return BO_OK;
}

static enum bo_status check_ends(const struct reader *r, const uint8_t *ends, size_t n,
                                 size_t nbytes, struct bo_error *err)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = bo_le32(ends + 4 * i);
        if (end < last || end > nbytes)
            return fail_at(r, ends + 4 * i, "text ends before it starts or after the last text",
                           err);
        last = end;
    }
    return last == nbytes ? BO_OK : fail_at(r, ends + 4 * n, "bytes after the last text", err);
}

static enum bo_status check_tree(const struct reader *r, struct bo_arena *arena,
                                 const struct statehist_attribute **attributes_ret,
                                 struct bo_error *err)
{
    struct statehist_attribute *attributes =
        bo_alloc_array(arena, r->held.n_quarks, sizeof *attributes);
    uint32_t quark;
    if (!attributes)
        return bo_fail_alloc(err, arena);
    for (uint32_t q = 0; q < r->held.n_quarks; q++)
        attributes[q] = (struct statehist_attribute){statehist_text_at(r->names, r->name_ends, q),
                                                     bo_le32(r->parents + 4 * (size_t)q)};
    const char *flaw = statehist_tree_flaw(attributes, r->held.n_quarks, arena, &quark);
    if (flaw == statehist_no_memory)
        return bo_fail_alloc(err, arena);
    *attributes_ret = attributes;
    return flaw ? fail_at(r, r->parents + (quark < r->held.n_quarks ? 4 * (size_t)quark : 0), flaw,
                          err)
                : BO_OK;
}

static enum bo_status check_strings(const struct reader *r, struct bo_arena *arena,
                                    struct bo_error *err)
{
    struct bo_texts set;
    uint32_t number;
    if (!bo_texts_init(&set, false, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->held.n_strings; i++) {
        const struct bo_span string = statehist_text_at(r->held.strings, r->held.string_ends, i);
        if (!bo_is_utf8(string))
            return fail_at(r, string.p, "string is not UTF-8", err);
        if (!bo_texts_add(&set, string, &number))
            return bo_fail_alloc(err, arena);
        if (number != i)
            return fail_at(r, r->held.string_ends + 4 * (size_t)i, "duplicate string", err);
    }
    return BO_OK;
}

/* Timelines that begin where the history does, and times that ascend. */
static enum bo_status check_times(const struct reader *r, struct bo_error *err)
{
    if (statehist_first_of(&r->held, 0) != 0 ||
        statehist_first_of(&r->held, r->held.n_quarks) != r->held.n_intervals)
        return fail_at(r, r->held.first, "timelines do not cover all intervals", err);
    for (uint32_t q = 0; q < r->held.n_quarks; q++) {
        const size_t from = statehist_first_of(&r->held, q),
                     to = statehist_first_of(&r->held, q + 1);
        if (from >= to || to > r->held.n_intervals)
            return fail_at(r, r->held.first + 4 * (size_t)(q + 1), "timeline without an interval",
                           err);
        if (statehist_start_at(&r->held, from) != r->held.start)
            return fail_at(r, r->held.starts + 8 * from, "timeline does not begin with the history",
                           err);
        for (size_t i = from + 1; i < to; i++)
            if (statehist_start_at(&r->held, i) <= statehist_start_at(&r->held, i - 1) ||
                statehist_start_at(&r->held, i) > r->held.end)
                return fail_at(r, r->held.starts + 8 * i,
                               "starts of a timeline do not ascend, or exceed the history's end",
                               err);
    }
    return BO_OK;
}

static enum bo_status check_values(const struct reader *r, struct bo_error *err)
{
    uint32_t n_used = 0; /* strings used so far: the next new one has this number */
    for (size_t i = 0; i < r->held.n_intervals; i++) {
        const uint64_t value = bo_le64(r->held.values + 8 * i);
        const char *flaw = statehist_value_flaw(r->held.types[i], value, r->held.n_strings);
        if (flaw)
            return fail_at(r, r->held.values + 8 * i, flaw, err);
        if (r->held.types[i] != STATEHIST_STRING)
            continue;
        if (value > n_used)
            return fail_at(r, r->held.values + 8 * i, "string out of the order of first use", err);
        n_used += value == n_used;
    }
    return n_used == r->held.n_strings ? BO_OK
                                       : fail_at(r, r->held.string_ends, "string is not used", err);
}

static enum bo_status load(struct bo_span in, struct bo_arena *arena, struct reader *r,
                           const struct statehist_attribute **attributes_ret, struct bo_error *err)
{
    enum bo_status status = locate(in, r, err);
    if (!status)
        status = check_ends(r, r->name_ends, r->held.n_quarks, r->names_nbytes, err);
    if (!status)
        status = check_ends(r, r->held.string_ends, r->held.n_strings, r->strings_nbytes, err);
    if (!status)
        status = check_times(r, err);
    if (!status)
        status = check_values(r, err);
    if (!status)
        status = check_tree(r, arena, attributes_ret, err);
    return status ? status : check_strings(r, arena, err);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool fill_timelines(const struct reader *r, struct bo_arena *arena,
                           struct statehist_model *model)
{
    struct statehist_interval *intervals =
        bo_alloc_array(arena, r->held.n_intervals, sizeof *intervals);
    uint32_t *first = bo_alloc_array(arena, (size_t)r->held.n_quarks + 1, sizeof *first);
    if (!intervals || !first)
        return false;
    for (uint32_t q = 0; q < r->held.n_quarks; q++)
        for (size_t i = statehist_first_of(&r->held, q); i < statehist_first_of(&r->held, q + 1);
             i++)
            intervals[i] = (struct statehist_interval){
                statehist_start_at(&r->held, i), statehist_end_at(&r->held, q, i),
                bo_le64(r->held.values + 8 * i), q, r->held.types[i]};
    for (uint32_t q = 0; q <= r->held.n_quarks; q++)
        first[q] = statehist_first_of(&r->held, q);
    model->n_intervals = r->held.n_intervals;
    model->intervals = intervals;
    model->first = first;
    model->closing = statehist_order_by_end(intervals, r->held.n_intervals, arena);
    return model->closing != NULL;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r;
    const struct statehist_attribute *attributes;
    const enum bo_status status = load(in, arena, &r, &attributes, err);
    if (status)
        return status;
    struct statehist_model *model = bo_alloc(arena, sizeof *model);
    struct bo_span *strings = bo_alloc_array(arena, r.held.n_strings, sizeof *strings);
    if (!model || !strings)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r.held.n_strings; i++)
        strings[i] = statehist_text_at(r.held.strings, r.held.string_ends, i);
    *model = (struct statehist_model){
        .start = r.held.start,
        .end = r.held.end,
        .n_quarks = r.held.n_quarks,
        .n_strings = r.held.n_strings,
        .attributes = attributes,
        .strings = strings,
    };
    if (!fill_timelines(&r, arena, model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
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
    uint64_t *hashes = bo_alloc_array(arena, r->held.n_strings, sizeof *hashes);
    if (!hashes)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->held.n_strings; i++)
        hashes[i] = statehist_hash(statehist_text_at(r->held.strings, r->held.string_ends, i));
    r->held.hashes = hashes;
    *reader_ret = &r->held;
    return BO_OK;
}

const struct bo_codec statehist_arrays = {
    .name = "arrays",
    .summary = "starts, values and types as a program holds them in memory",
    .spec = "codecs/statehist/README.md#arrays",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = statehist_query_in_memory,
};
