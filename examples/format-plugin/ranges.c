/*
 * ranges: a format outside of bakeoff's tree, with two codecs. A document maps ranges of addresses,
 * as routers and databases of IP addresses do, to numbers. Its text form is
 *
 *   ranges 1
 *   START END VALUE    END is excluded; ranges ascend and do not overlap
 */
#include "harness/plugin.h"
#include "harness/queries.h"
#include "harness/records.h"

#include "harness/core/text.h"

/* ---- the model ------------------------------------------------------------------------------- */

struct range {
    uint32_t start, end, value;
};

static const struct bo_field fields[] = {
    BO_FIELD(struct range, start, BO_DECIMAL),
    BO_FIELD(struct range, end, BO_DECIMAL),
    BO_FIELD(struct range, value, BO_DECIMAL, .max = UINT32_MAX - 1),
};

static const struct bo_shape shape = {
    .name = "ranges",
    .unit = "ranges",
    .record_nbytes = sizeof(struct range),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .order = BO_INTERVALS,
};

#define BO_SHAPE shape
#include "harness/records_format.h"

/* ---- the query: the value at an address ------------------------------------------------------ */

enum { AT, N_KINDS };
enum { NO_VALUE = UINT32_MAX }; /* the answer between ranges */

static enum bo_status at_oracle(const void *model, const void *queries, size_t n, void *answers)
{
    const struct bo_records *records = model;
    const struct range *ranges = records->items;
    const uint32_t *address = queries;
    uint32_t *answer = answers;
    for (size_t i = 0; i < n; i++) {
        const size_t next = bo_records_lower_bound(&shape, records, address[i] + UINT64_C(1));
        answer[i] =
            next && address[i] < ranges[next - 1].end ? ranges[next - 1].value : (uint32_t)NO_VALUE;
    }
    return BO_OK;
}

static uint64_t count_at(const void *model)
{
    return ((const struct bo_records *)model)->n;
}

static bool at_at(const void *model, uint64_t i, void *query)
{
    const struct bo_records *records = model;
    if (i >= records->n)
        return false;
    *(uint32_t *)query = ((const struct range *)records->items)[i].start;
    return true;
}

static size_t draw_inside(const void *model, struct bo_random *random, struct bo_arena *arena,
                          size_t n, void *queries)
{
    const struct bo_records *records = model;
    const struct range *ranges = records->items;
    (void)arena;
    for (size_t i = 0; i < n && records->n; i++) {
        const struct range *range = &ranges[bo_random_index(random, records->n)];
        ((uint32_t *)queries)[i] =
            range->start + bo_random_below(random, range->end - range->start);
    }
    return records->n ? n : 0;
}

/* Starts and ends of ranges, and their neighbours. */
static size_t draw_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    const struct bo_records *records = model;
    const struct range *ranges = records->items;
    (void)arena;
    for (size_t i = 0; i < n && records->n; i++) {
        const struct range *range = &ranges[bo_random_index(random, records->n)];
        const uint32_t edge = bo_random_below(random, 2) ? range->start : range->end;
        ((uint32_t *)queries)[i] = edge - bo_random_below(random, 2);
    }
    return records->n ? n : 0;
}

static enum bo_status parse_at(int n_args, char *const *args, struct bo_arena *arena, void *query,
                               struct bo_error *err)
{
    uint64_t address;
    if (n_args != 1 || !bo_parse_u64(bo_span_of(args[0]), UINT32_MAX, &address))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "address is not a number below 2^32");
    *(uint32_t *)query = (uint32_t)address;
    return BO_OK;
}

static void print_at(const void *query, struct bo_span answer, struct bo_writer *out)
{
    const uint32_t address = *(const uint32_t *)query,
                   value = *(const uint32_t *)(const void *)answer.p;
    if (value == NO_VALUE)
        bo_put_text(out, "%u: in no range\n", (unsigned)address);
    else
        bo_put_text(out, "%u: %u\n", (unsigned)address, (unsigned)value);
}

static const struct bo_workload workloads[] = {
    {.name = "inside",
     .summary = "addresses in ranges, each range as often as the others",
     .n_queries = 1 << 16,
     .draw = draw_inside},
};

static const struct bo_query_kind kinds[N_KINDS] = {
    [AT] = {.name = "at",
            .summary = "the value at an address",
            .usage = "ADDRESS",
            .query_size = sizeof(uint32_t),
            .answer_size = sizeof(uint32_t),
            .workloads = workloads,
            .n_workloads = sizeof workloads / sizeof *workloads,
            .oracle = at_oracle,
            .count = count_at,
            .at = at_at,
            .draw_edges = draw_edges,
            .invalid_at = bo_none_invalid,
            .parse = parse_at,
            .print = print_at},
};

/* ---- both codecs ----------------------------------------------------------------------------- */

/*
 * n rows, ascending:
 *
 *   u32  start
 *   u32  end, above the start
 *   u32  value
 *
 * A query does a binary search in `rows`. `lengths` has varints: the gap between the range before
 * and the start, the length less 1, the value. A query reads it from its start.
 */
struct reader {
    struct bo_span in;
};

/* Reads the next row. False at the end or, with *err set, at a row that breaks a rule. */
static bool take_row(const struct bo_codec *self, struct bo_cursor *c, uint32_t before_end,
                     struct range *row, struct bo_error *err)
{
    const struct bo_cursor start = *c;
    uint64_t end;
    uint32_t gap, less;
    *err = (struct bo_error){BO_OK, 0, NULL};
    if (!bo_left(c))
        return false;
    if (self->own) {
        if (bo_get_uvarint32(c, &gap, err) || bo_get_uvarint32(c, &less, err) ||
            bo_get_uvarint32(c, &row->value, err))
            return false;
        end = (uint64_t)before_end + gap + less + 1;
        row->start = before_end + gap;
        row->end = (uint32_t)end;
    } else if (!bo_get_le32(c, &row->start) || !bo_get_le32(c, &row->end) ||
               !bo_get_le32(c, &row->value)) {
        return bo_fail_here(err, BO_TRUNCATED, &start, "row is incomplete"), false;
    } else {
        end = row->end;
    }
    if (end > UINT32_MAX || row->start < before_end || row->end <= row->start)
        bo_fail_here(err, BO_CORRUPT, &start, "range overlaps, is empty or ends above 2^32 - 1");
    else if (row->value == NO_VALUE)
        bo_fail_here(err, BO_CORRUPT, &start, "value 2^32 - 1 is out of range");
    return err->status == BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct bo_records *records = model;
    const struct range *ranges = records->items;
    uint32_t before_end = 0;
    bo_mark(out, "rows");
    for (size_t i = 0; i < records->n; i++) {
        if (self->own) {
            bo_put_uvarint(out, ranges[i].start - before_end);
            bo_put_uvarint(out, ranges[i].end - ranges[i].start - 1);
            bo_put_uvarint(out, ranges[i].value);
        } else {
            bo_put_le32(out, ranges[i].start);
            bo_put_le32(out, ranges[i].end);
            bo_put_le32(out, ranges[i].value);
        }
        before_end = ranges[i].end;
    }
    return bo_writer_status(out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    struct bo_error flaw;
    struct bo_records *records = bo_alloc(arena, sizeof *records);
    struct range *ranges = NULL, row;
    size_t n = 0, cap = 0;
    uint32_t before_end = 0;
    while (records && take_row(self, &c, before_end, &row, &flaw)) {
        if (!bo_grow(arena, &ranges, n, 1, &cap))
            return bo_fail_alloc(err, arena);
        ranges[n++] = row;
        before_end = row.end;
    }
    if (!records)
        return bo_fail_alloc(err, arena);
    if (flaw.status)
        return bo_fail(err, flaw.status, flaw.off, flaw.what);
    *records = (struct bo_records){ranges, n};
    *model_ret = records;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    struct bo_error flaw;
    struct range row = {0, 0, 0};
    while (take_row(self, &c, row.end, &row, &flaw))
        continue;
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    if (!reader)
        return bo_fail_alloc(err, arena);
    *reader = (struct reader){in};
    *reader_ret = reader;
    return flaw.status ? bo_fail(err, flaw.status, flaw.off, flaw.what) : BO_OK;
}

enum { ROW_NBYTES = 12 };

static uint32_t search(struct bo_span in, uint32_t address)
{
    const uint8_t *row = in.p;
    for (size_t left = in.n / ROW_NBYTES; left > 1;) {
        const size_t half = left / 2;
        row += bo_le32(row + half * ROW_NBYTES) <= address ? half * ROW_NBYTES : 0;
        left -= half;
    }
    return in.n && bo_le32(row) <= address && address < bo_le32(row + 4) ? bo_le32(row + 8)
                                                                         : (uint32_t)NO_VALUE;
}

static uint32_t walk(const struct bo_codec *self, struct bo_span in, uint32_t address)
{
    struct bo_cursor c = bo_cursor(in);
    struct bo_error flaw;
    struct range row = {0, 0, 0};
    while (take_row(self, &c, row.end, &row, &flaw))
        if (address < row.end)
            return address < row.start ? (uint32_t)NO_VALUE : row.value;
    return NO_VALUE;
}

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    const uint32_t *address = queries;
    uint32_t *answer = answers;
    for (size_t i = 0; i < n; i++)
        answer[i] = self->own ? walk(self, reader->in, address[i]) : search(reader->in, address[i]);
    return BO_OK;
}

#define SHARED                                                                        \
    .spec = "examples/format-plugin/ranges.c", .role = BO_CONTROL, .kinds = 1u << AT, \
    .encode = encode, .decode = decode, .open = open, .query = query

static const struct bo_codec rows = {
    .name = "rows", .summary = "starts, ends, values: binary search", .access = BO_RANDOM, SHARED};
static const struct bo_codec lengths = {.name = "lengths",
                                        .summary = "gaps and lengths as varints, walked",
                                        .access = BO_WHOLE,
                                        .own = "varints",
                                        SHARED};

static const struct bo_codec *const codecs[] = {&rows, &lengths, NULL};

static const struct bo_format_report report = {
    .question = "A table maps ranges of addresses to numbers. How small can it be, and how fast is "
                "one address looked up?",
    .sizes = "`bytes` is the whole table.",
};

const struct bo_format ranges_format = {
    .name = "ranges",
    .summary = "from ranges of addresses to numbers",
    .report = &report,
    .kinds = kinds,
    .n_kinds = N_KINDS,
    .codecs = codecs,
    BO_RECORDS_OF_SHAPE,
};

BO_FORMAT_PLUGIN(&ranges_format)
