/*
 * rows: a control. Functions and rows are arrays of fixed records; a query is two binary searches.
 * Nothing is done to reduce the size.
 *
 *   function, 16 bytes: u32 start - Base, u32 length, u32 first row, u8 flags, u8 rep, u16 0
 *   row, 20 bytes:      u32 offset, i32 CFA, RA and FP offset, u8 kinds, u8 CFA register |
 *                       signed << 7, u8 RA register, u8 FP register
 */
#include "codecs/unwind/rows.h"

enum { FUNCTIONS, ROWS, N_PARTS };

/* ---- records --------------------------------------------------------------------------------- */

enum bo_status unwind_put_functions(const struct unwind_model *model, struct bo_writer *out,
                                    struct bo_error *err)
{
    const uint64_t base = unwind_base(model);
    uint64_t first = 0;
    const enum bo_status status = unwind_expect_functions(model, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        if (f->start - base > UINT32_MAX || first > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "functions span 4 GiB or more, or have 2^32 rows or more");
        bo_put_le32(out, (uint32_t)(f->start - base));
        bo_put_le32(out, f->length);
        bo_put_le32(out, (uint32_t)first);
        bo_put_u8(out, f->flags);
        bo_put_u8(out, f->rep);
        bo_put_le16(out, 0);
        first += f->n_rows;
    }
    return BO_OK;
}

void unwind_put_row(const struct unwind_row *row, struct bo_writer *out)
{
    bo_put_le32(out, row->off);
    bo_put_le32(out, (uint32_t)row->state.cfa_off);
    bo_put_le32(out, (uint32_t)row->state.ra_off);
    bo_put_le32(out, (uint32_t)row->state.fp_off);
    bo_put_u8(out, row->state.kinds);
    bo_put_u8(out, row->state.cfa_reg);
    bo_put_u8(out, row->state.ra_reg);
    bo_put_u8(out, row->state.fp_reg);
}

void unwind_get_row(const uint8_t *p, struct unwind_row *row)
{
    row->off = bo_le32(p);
    row->state = (struct unwind_state){.cfa_off = (int32_t)bo_le32(p + 4),
                                       .ra_off = (int32_t)bo_le32(p + 8),
                                       .fp_off = (int32_t)bo_le32(p + 12),
                                       .kinds = p[16],
                                       .cfa_reg = p[17],
                                       .ra_reg = p[18],
                                       .fp_reg = p[19]};
}

/* ---- checking -------------------------------------------------------------------------------- */

static enum bo_status check_functions(struct bo_span functions, uint64_t n_rows, uint64_t base,
                                      size_t at, struct bo_error *err)
{
    const size_t n = functions.n / UNWIND_FUNCTION_NBYTES;
    uint64_t end = 0, before = 0;
    if (functions.n % UNWIND_FUNCTION_NBYTES || n > UINT32_MAX / 2)
        return bo_fail(err, BO_CORRUPT, at, "size of the functions is not a multiple of 16");
    if (n == 0 && (base || n_rows))
        return bo_fail(err, BO_CORRUPT, at, "rows, or a Base that is not 0, without functions");
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = functions.p + i * UNWIND_FUNCTION_NBYTES;
        const uint64_t start = bo_le32(p), off = at + i * UNWIND_FUNCTION_NBYTES;
        const uint32_t length = bo_le32(p + 4), first = bo_le32(p + 8);
        if (i ? start < end : start != 0)
            return bo_fail(err, BO_CORRUPT, off, "function starts are not in order from Base");
        if (length == 0)
            return bo_fail(err, BO_CORRUPT, off + 4, "function length is 0");
        if (base + start < base || length > UINT64_MAX - (base + start))
            return bo_fail(err, BO_CORRUPT, off + 4, "function ends past 2^64");
        if (i ? first < before : first != 0)
            return bo_fail(err, BO_CORRUPT, off + 8, "first rows do not ascend from 0");
        if (first > n_rows)
            return bo_fail(err, BO_CORRUPT, off + 8, "first row is past the last");
        if (p[12] & ~UNWIND_ALL_FLAGS || p[14] || p[15])
            return bo_fail(err, BO_CORRUPT, off + 12, "unknown flag, or padding that is not 0");
        end = start + length;
        before = first;
    }
    return BO_OK;
}

static uint32_t first_row(struct bo_span functions, uint64_t n_rows, size_t i)
{
    const size_t next = (i + 1) * UNWIND_FUNCTION_NBYTES;
    return next + UNWIND_FUNCTION_NBYTES <= functions.n ? bo_le32(functions.p + next + 8)
                                                        : (uint32_t)n_rows;
}

enum bo_status unwind_walk_rows(const struct unwind_frame *frame, struct unwind_builder *b,
                                struct bo_error *err)
{
    const struct bo_span functions = frame->parts[FUNCTIONS], rows = frame->parts[ROWS];
    const uint64_t n_rows = rows.n / UNWIND_ROW_NBYTES;
    if (rows.n % UNWIND_ROW_NBYTES || n_rows > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, frame->part_off[ROWS],
                       "size of the rows is not a multiple of 20");
    const enum bo_status status =
        check_functions(functions, n_rows, frame->base, frame->part_off[FUNCTIONS], err);
    if (status)
        return status;
    for (size_t i = 0; i < functions.n / UNWIND_FUNCTION_NBYTES; i++) {
        const uint8_t *p = functions.p + i * UNWIND_FUNCTION_NBYTES;
        if (b && !unwind_add_function(b, frame->base + bo_le32(p), bo_le32(p + 4), p[12], p[13]))
            return bo_fail_alloc(err, b->arena);
        struct unwind_row row, last = {0};
        const uint32_t first = bo_le32(p + 8), end = first_row(functions, n_rows, i);
        const uint32_t limit = p[13] && p[13] < bo_le32(p + 4) ? p[13] : bo_le32(p + 4);
        for (uint32_t r = first; r < end; r++, last = row) {
            const size_t off = (size_t)r * UNWIND_ROW_NBYTES;
            unwind_get_row(rows.p + off, &row);
            const char *flaw = unwind_state_flaw(&row.state, frame->arch);
            if (!flaw && row.off >= limit)
                flaw = "row is past the function's or the pattern's end";
            if (!flaw && r > first && row.off <= last.off)
                flaw = "offsets of rows do not ascend";
            if (!flaw && r > first && unwind_same_state(&row.state, &last.state))
                flaw = "neighbouring rows are equal";
            if (flaw)
                return bo_fail(err, BO_CORRUPT, frame->part_off[ROWS] + off, flaw);
            if (b && !unwind_add_row(b, row.off, &row.state))
                return bo_fail_alloc(err, b->arena);
        }
    }
    return BO_OK;
}

/* ---- the codec ------------------------------------------------------------------------------- */

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct unwind_model *model = opaque;
    struct unwind_frame_writer w;
    unwind_frame_begin(&w, model, N_PARTS, out);
    bo_mark(out, "functions");
    const enum bo_status status = unwind_put_functions(model, out, err);
    if (status)
        return status;
    unwind_frame_end_part(&w);
    bo_mark(out, "rows");
    for (uint32_t i = 0; i < model->n_functions; i++)
        for (uint32_t r = 0; r < model->functions[i].n_rows; r++)
            unwind_put_row(&model->functions[i].rows[r], out);
    unwind_frame_end_part(&w);
    return bo_writer_status(out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct unwind_frame frame;
    struct unwind_builder b = {.arena = arena};
    enum bo_status status = unwind_frame_open(in, N_PARTS, &frame, err);
    status = status ? status : unwind_walk_rows(&frame, &b, err);
    if (status)
        return status;
    *model_ret = unwind_build(&b, frame.arch);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct unwind_frame *frame = bo_alloc(arena, sizeof *frame);
    if (!frame)
        return bo_fail_alloc(err, arena);
    *reader_ret = frame;
    const enum bo_status status = unwind_frame_open(in, N_PARTS, frame, err);
    return status ? status : unwind_walk_rows(frame, NULL, err);
}

/* The number of the last record of `size` bytes whose u32 is at most `key`, + 1. */
static inline size_t upper(const uint8_t *p, size_t n, size_t size, uint32_t key)
{
    size_t low = 0;
    while (n) {
        const size_t half = n / 2;
        const bool above = bo_le32(p + (low + half) * size) <= key;
        low = above ? low + half + 1 : low;
        n = above ? n - half - 1 : half;
    }
    return low;
}

/* The record of the function at a PC, or NULL. */
static inline const uint8_t *find(const struct unwind_frame *frame, uint64_t pc)
{
    const struct bo_span functions = frame->parts[FUNCTIONS];
    const uint64_t off = pc - frame->base;
    const size_t n = functions.n / UNWIND_FUNCTION_NBYTES;
    if (pc < frame->base || n == 0)
        return NULL;
    const uint32_t key = off < UINT32_MAX ? (uint32_t)off : UINT32_MAX;
    const uint8_t *p = functions.p + (upper(functions.p, n, UNWIND_FUNCTION_NBYTES, key) - 1) *
                                         UNWIND_FUNCTION_NBYTES;
    return off - bo_le32(p) < bo_le32(p + 4) ? p : NULL;
}

static enum bo_status put_function(const struct unwind_frame *frame, const uint8_t *p,
                                   struct bo_sink *sink)
{
    const struct bo_span functions = frame->parts[FUNCTIONS], rows = frame->parts[ROWS];
    const size_t i = (size_t)(p - functions.p) / UNWIND_FUNCTION_NBYTES;
    const uint32_t end = first_row(functions, rows.n / UNWIND_ROW_NBYTES, i);
    struct unwind_function_answer *answer =
        unwind_answer_function(sink, frame->base + bo_le32(p), bo_le32(p + 4), p[12], p[13]);
    if (!answer)
        return BO_OVER_LIMIT;
    for (uint32_t r = bo_le32(p + 8); r < end; r++) {
        struct unwind_row row;
        unwind_get_row(rows.p + (size_t)r * UNWIND_ROW_NBYTES, &row);
        if (!unwind_answer_row(sink, answer, row.off, &row.state))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static void answer_point(const struct unwind_frame *frame, uint64_t pc,
                         struct unwind_point_answer *answer)
{
    const uint8_t *p = find(frame, pc);
    *answer = (struct unwind_point_answer){0};
    if (!p)
        return;
    const struct bo_span functions = frame->parts[FUNCTIONS], rows = frame->parts[ROWS];
    const size_t i = (size_t)(p - functions.p) / UNWIND_FUNCTION_NBYTES;
    const uint32_t first = bo_le32(p + 8),
                   end = first_row(functions, rows.n / UNWIND_ROW_NBYTES, i);
    answer->start = frame->base + bo_le32(p);
    answer->flags = p[12];
    uint32_t off = (uint32_t)(pc - answer->start);
    off = p[13] ? off % p[13] : off;
    const uint8_t *first_p = rows.p + (size_t)first * UNWIND_ROW_NBYTES;
    const size_t n = upper(first_p, end - first, UNWIND_ROW_NBYTES, off);
    answer->found = n ? UNWIND_ROW : UNWIND_NO_ROW;
    if (n) {
        struct unwind_row row;
        unwind_get_row(first_p + (n - 1) * UNWIND_ROW_NBYTES, &row);
        answer->state = row.state;
    }
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct unwind_frame *frame = reader;
    const struct unwind_point *points = queries;
    const struct unwind_at *at = queries;
    const struct bo_span functions = frame->parts[FUNCTIONS];
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (kind == UNWIND_POINT) {
            answer_point(frame, points[i].pc, (struct unwind_point_answer *)answers + i);
        } else if (kind == UNWIND_FUNCTION) {
            const uint8_t *p = find(frame, at[i].pc);
            status = p ? put_function(frame, p, answers) : BO_OUT_OF_RANGE;
        } else {
            struct unwind_scan_answer *head = bo_sink_take(answers, sizeof *head);
            if (!head)
                return BO_OVER_LIMIT;
            head->n_functions = (uint32_t)(functions.n / UNWIND_FUNCTION_NBYTES);
            for (size_t f = 0; f < functions.n && !status; f += UNWIND_FUNCTION_NBYTES)
                status = put_function(frame, functions.p + f, answers);
        }
    }
    return status;
}

const struct bo_codec unwind_rows = {
    .name = "rows",
    .summary = "fixed records of functions and rows, two binary searches",
    .spec = "codecs/unwind/README.md#rows",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
