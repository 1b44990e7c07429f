/*
 * rows-zstd: a control. The records of rows in blocks of 4096 functions and of 3276 rows, each a
 * zstd frame with its content size. A query expands a block of each.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for a decoder in memory of the arena */
#include <zstd.h>

#include "codecs/unwind/rows.h"
#include "harness/coding/zstd_frame.h"

enum { FUNCTION_ENDS, FUNCTIONS, ROW_ENDS, ROWS, N_PARTS };
enum { FUNCTIONS_NBYTES = 65536, ROWS_NBYTES = 65520, LEVEL = 19 };
enum { FUNCTIONS_A_BLOCK = FUNCTIONS_NBYTES / UNWIND_FUNCTION_NBYTES };
enum { ROWS_A_BLOCK = ROWS_NBYTES / UNWIND_ROW_NBYTES };

/* ---- writing --------------------------------------------------------------------------------- */

/* Two parts: where each frame ends in the second one, and the frames. */
static enum bo_status put_blocks(struct bo_span content, size_t block_nbytes,
                                 const char *const names[2], struct unwind_frame_writer *w,
                                 struct bo_error *err)
{
    struct bo_writer frames;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    enum bo_status status =
        context ? BO_OK : bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory in zstd");
    bo_writer_init(&frames, w->out->arena);
    bo_mark(w->out, names[0]);
    for (size_t off = 0; off < content.n && !status; off += block_nbytes) {
        const size_t left = content.n - off;
        status = bo_put_zstd_frame(
            context, (struct bo_span){content.p + off, left < block_nbytes ? left : block_nbytes},
            LEVEL, &frames, err);
        if (!status && frames.n > UINT32_MAX)
            status = bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "frames take 4 GiB or more");
        bo_put_le32(w->out, (uint32_t)frames.n);
    }
    unwind_frame_end_part(w);
    bo_mark(w->out, names[1]);
    if (!status)
        bo_put_bytes(w->out, frames.p, frames.n);
    unwind_frame_end_part(w);
    bo_writer_free(&frames);
    ZSTD_freeCCtx(context);
    return status;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    static const char *const functions[] = {"function ends", "functions"};
    static const char *const rows[] = {"row ends", "rows"};
    const struct unwind_model *model = opaque;
    struct unwind_frame_writer w;
    struct bo_writer content;
    bo_writer_init(&content, out->arena);
    unwind_frame_begin(&w, model, N_PARTS, out);
    enum bo_status status = unwind_put_functions(model, &content, err);
    status = status ? status : bo_writer_status(&content, err);
    if (!status)
        status = put_blocks(bo_writer_span(&content), FUNCTIONS_NBYTES, functions, &w, err);
    bo_writer_reset(&content);
    for (uint32_t i = 0; i < model->n_functions && !status; i++)
        for (uint32_t r = 0; r < model->functions[i].n_rows; r++)
            unwind_put_row(&model->functions[i].rows[r], &content);
    status = status ? status : bo_writer_status(&content, err);
    if (!status)
        status = put_blocks(bo_writer_span(&content), ROWS_NBYTES, rows, &w, err);
    bo_writer_free(&content);
    return status ? status : bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Blocks of one kind of record. */
struct blocks {
    struct bo_span ends, frames;
    uint64_t off; /* of the frames, for errors */
    size_t block_nbytes;
    ZSTD_DCtx *context;
    uint8_t *p;  /* the content of a block */
    size_t held; /* the number of that block; SIZE_MAX: none */
};

static size_t n_blocks(const struct blocks *b)
{
    return b->ends.n / 4;
}

static struct bo_span frame_of(const struct blocks *b, size_t block)
{
    const uint32_t start = block ? bo_le32(b->ends.p + 4 * block - 4) : 0;
    return (struct bo_span){b->frames.p + start, bo_le32(b->ends.p + 4 * block) - start};
}

static enum bo_status open_blocks(struct bo_arena *arena, const struct unwind_frame *frame,
                                  unsigned part, size_t block_nbytes, struct blocks *b,
                                  struct bo_error *err)
{
    const size_t context_nbytes = ZSTD_estimateDCtxSize();
    *b = (struct blocks){.ends = frame->parts[part],
                         .frames = frame->parts[part + 1],
                         .off = frame->part_off[part + 1],
                         .block_nbytes = block_nbytes,
                         .held = SIZE_MAX};
    uint32_t before = 0;
    if (b->ends.n % 4)
        return bo_fail(err, BO_CORRUPT, frame->part_off[part],
                       "size of the frames' ends is not a multiple of 4");
    for (size_t i = 0; i < n_blocks(b); i++) {
        const uint32_t end = bo_le32(b->ends.p + 4 * i);
        if (end <= before || end > b->frames.n)
            return bo_fail(err, BO_CORRUPT, frame->part_off[part] + 4 * i,
                           "ends of frames do not ascend in the part");
        before = end;
    }
    if (before != b->frames.n)
        return bo_fail(err, BO_CORRUPT, b->off, "frames do not fill the part");
    if (n_blocks(b) == 0)
        return BO_OK;
    void *space = bo_alloc(arena, context_nbytes);
    if (!space)
        return bo_fail_alloc(err, arena);
    b->context = ZSTD_initStaticDCtx(space, context_nbytes);
    return b->context ? BO_OK : bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory in zstd");
}

static enum bo_status expand(const struct blocks *b, size_t block, uint8_t *p, size_t nbytes,
                             struct bo_error *err)
{
    const struct bo_span frame = frame_of(b, block);
    const size_t n = ZSTD_decompressDCtx(b->context, p, nbytes, frame.p, frame.n);
    return n == nbytes ? BO_OK
                       : bo_fail(err, BO_CORRUPT, b->off + (size_t)(frame.p - b->frames.p),
                                 "frame does not expand");
}

/* All blocks' content in the arena. */
static enum bo_status expand_all(const struct blocks *b, struct bo_arena *arena,
                                 struct bo_span *content_ret, struct bo_error *err)
{
    const size_t n = n_blocks(b);
    size_t last = 0;
    *content_ret = (struct bo_span){NULL, 0};
    for (size_t i = 0; i < n; i++) {
        const struct bo_span frame = frame_of(b, i);
        const unsigned long long nbytes = ZSTD_getFrameContentSize(frame.p, frame.n);
        if (nbytes > b->block_nbytes || nbytes == 0 || (i + 1 < n && nbytes != b->block_nbytes) ||
            ZSTD_findFrameCompressedSize(frame.p, frame.n) != frame.n)
            return bo_fail(err, BO_CORRUPT, b->off + (size_t)(frame.p - b->frames.p),
                           "zstd frame is invalid or not of its block's size");
        last = (size_t)nbytes;
    }
    if (n == 0)
        return BO_OK;
    const size_t nbytes = (n - 1) * b->block_nbytes + last;
    uint8_t *p = bo_alloc(arena, nbytes);
    if (!p)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++) {
        const enum bo_status status =
            expand(b, i, p + i * b->block_nbytes, i + 1 < n ? b->block_nbytes : last, err);
        if (status)
            return status;
    }
    *content_ret = (struct bo_span){p, nbytes};
    return BO_OK;
}

/* What is kept of the first record of a block. */
struct first_function {
    uint32_t start, row;
};

struct reader {
    struct unwind_frame frame;
    struct blocks functions, rows;
    size_t n_functions;
    uint64_t n_rows;
    struct first_function *first_functions;
    uint32_t *first_offs; /* of rows */
};

/* Room for a block of each kind, and for what is kept of all. */
static bool make_room(struct reader *r, struct bo_arena *arena)
{
    r->functions.p = bo_alloc(arena, FUNCTIONS_NBYTES);
    r->rows.p = bo_alloc(arena, ROWS_NBYTES);
    r->first_functions = bo_alloc_array(arena, n_blocks(&r->functions), sizeof *r->first_functions);
    r->first_offs = bo_alloc_array(arena, n_blocks(&r->rows), sizeof *r->first_offs);
    return r->functions.p && r->rows.p && r->first_functions && r->first_offs;
}

/* Opens both kinds of blocks and checks all records; builds a model unless b is NULL. */
static enum bo_status open_reader(struct bo_span in, struct bo_arena *arena, struct reader *r,
                                  struct unwind_builder *b, struct bo_error *err)
{
    enum bo_status status = unwind_frame_open(in, N_PARTS, &r->frame, err);
    if (!status)
        status = open_blocks(arena, &r->frame, FUNCTION_ENDS, FUNCTIONS_NBYTES, &r->functions, err);
    if (!status)
        status = open_blocks(arena, &r->frame, ROW_ENDS, ROWS_NBYTES, &r->rows, err);
    if (!status && !b && !make_room(r, arena))
        status = bo_fail_alloc(err, arena);
    if (status)
        return status;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct unwind_frame expanded = {
        .arch = r->frame.arch,
        .base = r->frame.base,
        .part_off = {r->frame.part_off[FUNCTIONS], r->frame.part_off[ROWS]}};
    status = expand_all(&r->functions, arena, &expanded.parts[0], err);
    status = status ? status : expand_all(&r->rows, arena, &expanded.parts[1], err);
    status = status ? status : unwind_walk_rows(&expanded, b, err);
    if (status || b)
        return status;
    r->n_functions = expanded.parts[0].n / UNWIND_FUNCTION_NBYTES;
    r->n_rows = expanded.parts[1].n / UNWIND_ROW_NBYTES;
    for (size_t i = 0; i < n_blocks(&r->functions); i++) {
        const uint8_t *p = expanded.parts[0].p + i * FUNCTIONS_NBYTES;
        r->first_functions[i] = (struct first_function){bo_le32(p), bo_le32(p + 8)};
    }
    for (size_t i = 0; i < n_blocks(&r->rows); i++)
        r->first_offs[i] = bo_le32(expanded.parts[1].p + i * ROWS_NBYTES);
    bo_arena_rewind(arena, mark);
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r;
    struct unwind_builder b = {.arena = arena};
    const enum bo_status status = open_reader(in, arena, &r, &b, err);
    if (status)
        return status;
    *model_ret = unwind_build(&b, r.frame.arch);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_alloc(arena, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    *reader_ret = r;
    return open_reader(in, arena, r, NULL, err);
}

/* ---- queries --------------------------------------------------------------------------------- */

/* A block's content. Expanding cannot fail, because open has expanded every block. */
static const uint8_t *hold_block(struct blocks *b, size_t block)
{
    if (b->held != block) {
        const struct bo_span frame = frame_of(b, block);
        ZSTD_decompressDCtx(b->context, b->p, b->block_nbytes, frame.p, frame.n);
        b->held = block;
    }
    return b->p;
}

static const uint8_t *function_at(struct reader *r, size_t i)
{
    return hold_block(&r->functions, i / FUNCTIONS_A_BLOCK) +
           i % FUNCTIONS_A_BLOCK * UNWIND_FUNCTION_NBYTES;
}

static void row_at(struct reader *r, size_t i, struct unwind_row *row)
{
    unwind_get_row(hold_block(&r->rows, i / ROWS_A_BLOCK) + i % ROWS_A_BLOCK * UNWIND_ROW_NBYTES,
                   row);
}

/* Where the rows of function i end. */
static size_t end_of_rows(struct reader *r, size_t i)
{
    const size_t next = i + 1;
    if (next == r->n_functions)
        return (size_t)r->n_rows;
    return next % FUNCTIONS_A_BLOCK ? bo_le32(function_at(r, next) + 8)
                                    : r->first_functions[next / FUNCTIONS_A_BLOCK].row;
}

/* The record of the function at a PC, or NULL. */
static const uint8_t *find(struct reader *r, uint64_t pc, size_t *i_ret)
{
    const uint64_t off = pc - r->frame.base;
    size_t block = 0, n = n_blocks(&r->functions);
    if (pc < r->frame.base || n == 0)
        return NULL;
    while (n > 1) {
        const size_t half = n / 2;
        block = r->first_functions[block + half].start <= off ? block + half : block;
        n -= half;
    }
    const size_t left = r->n_functions - block * FUNCTIONS_A_BLOCK;
    const uint8_t *p = hold_block(&r->functions, block);
    size_t low = 0;
    for (n = left < FUNCTIONS_A_BLOCK ? left : FUNCTIONS_A_BLOCK; n > 1;) {
        const size_t half = n / 2;
        low = bo_le32(p + (low + half) * UNWIND_FUNCTION_NBYTES) <= off ? low + half : low;
        n -= half;
    }
    *i_ret = block * FUNCTIONS_A_BLOCK + low;
    p += low * UNWIND_FUNCTION_NBYTES;
    return off - bo_le32(p) < bo_le32(p + 4) ? p : NULL;
}

static void answer_point(struct reader *r, uint64_t pc, struct unwind_point_answer *answer)
{
    size_t i;
    const uint8_t *p = find(r, pc, &i);
    *answer = (struct unwind_point_answer){0};
    if (!p)
        return;
    const uint8_t rep = p[13];
    size_t low = bo_le32(p + 8), end = end_of_rows(r, i);
    struct unwind_row row, best = {0};
    answer->start = r->frame.base + bo_le32(p);
    answer->flags = p[12];
    uint32_t off = (uint32_t)(pc - answer->start);
    off = rep ? off % rep : off;
    /* Where the function's rows are in several blocks, the one that has the row is known. */
    for (size_t block = low / ROWS_A_BLOCK + 1; block * ROWS_A_BLOCK < end; block++) {
        if (r->first_offs[block] > off)
            end = block * ROWS_A_BLOCK;
        else
            low = block * ROWS_A_BLOCK;
    }
    answer->found = UNWIND_NO_ROW;
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        row_at(r, middle, &row);
        if (row.off > off) {
            end = middle;
            continue;
        }
        low = middle + 1;
        best = row;
        answer->found = UNWIND_ROW;
    }
    answer->state = best.state;
}

static enum bo_status put_function(struct reader *r, size_t i, struct bo_sink *sink)
{
    const uint8_t *p = function_at(r, i);
    const size_t first = bo_le32(p + 8);
    struct unwind_function_answer *answer =
        unwind_answer_function(sink, r->frame.base + bo_le32(p), bo_le32(p + 4), p[12], p[13]);
    if (!answer)
        return BO_OVER_LIMIT;
    const size_t end = end_of_rows(r, i);
    for (size_t k = first; k < end; k++) {
        struct unwind_row row;
        row_at(r, k, &row);
        if (!unwind_answer_row(sink, answer, row.off, &row.state))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct reader *r = reader;
    const struct unwind_point *points = queries;
    const struct unwind_at *at = queries;
    enum bo_status status = BO_OK;
    for (size_t q = 0; q < n && !status; q++) {
        size_t i;
        if (kind == UNWIND_POINT) {
            answer_point(r, points[q].pc, (struct unwind_point_answer *)answers + q);
        } else if (kind == UNWIND_FUNCTION) {
            status = find(r, at[q].pc, &i) ? put_function(r, i, answers) : BO_OUT_OF_RANGE;
        } else {
            struct unwind_scan_answer *head = bo_sink_take(answers, sizeof *head);
            if (!head)
                return BO_OVER_LIMIT;
            head->n_functions = (uint32_t)r->n_functions;
            for (i = 0; i < r->n_functions && !status; i++)
                status = put_function(r, i, answers);
        }
    }
    return status;
}

const struct bo_codec unwind_rows_zstd = {
    .name = "rows-zstd",
    .summary = "as rows, under zstd -19 in blocks of 64 KiB",
    .spec = "codecs/unwind/README.md#rows-zstd",
    .choices = "what zstd chooses",
    .role = BO_CONTROL,
    .access = BO_BLOCK,
    .optional = true,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
