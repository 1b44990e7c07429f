/*
 * shared-trees-zstd: like shared-trees, with the names compressed by zstd, 16384 at a time. Trees
 * and counts stay in prefix codes, which zstd does not make smaller.
 * A block of strings is a zstd frame with its content size. It contains, for each string but the
 * first, the number of bytes that it shares with the string before, as varints. Then the remaining
 * bytes of each string follow, terminated by a 0.
 */
#include "codecs/autofdo/shared_trees/shared_trees.h"
#include "harness/coding/zstd_frame.h"

enum { BLOCK_STRINGS = 16384, LEVEL = 19 };

static uint32_t strings_in(uint64_t n_strings, uint64_t block)
{
    const uint64_t left = n_strings - block * BLOCK_STRINGS;
    return left < BLOCK_STRINGS ? (uint32_t)left : BLOCK_STRINGS;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t shared_nbytes(struct bo_span last, struct bo_span own)
{
    return bo_common_prefix(last, (struct bo_span){own.p, own.n - 1});
}

/* What a block's frame holds. */
static void put_content(const struct bo_span *strings, uint32_t n, struct bo_writer *out)
{
    for (uint32_t i = 1; i < n; i++)
        bo_put_uvarint(out, shared_nbytes(strings[i - 1], strings[i]));
    for (uint32_t i = 0; i < n; i++) {
        const size_t shared = i ? shared_nbytes(strings[i - 1], strings[i]) : 0;
        bo_put_bytes(out, strings[i].p + shared, strings[i].n - shared);
        bo_put_u8(out, 0);
    }
}

static enum bo_status put_blocks(const struct autofdo_plan *plan, ZSTD_CCtx *context,
                                 struct bo_writer *content, struct bo_writer *out, uint64_t *starts,
                                 struct bo_error *err)
{
    const size_t n = plan->n_names + plan->n_paths, n_blocks = autofdo_n_blocks(n, BLOCK_STRINGS);
    for (size_t block = 0; block < n_blocks; block++) {
        starts[block] = 8 * (uint64_t)out->n;
        bo_writer_reset(content);
        put_content(plan->strings + block * BLOCK_STRINGS, strings_in(n, block), content);
        enum bo_status status = bo_writer_status(content, err);
        if (status ||
            (status = bo_put_zstd_frame(context, bo_writer_span(content), LEVEL, out, err)))
            return status;
    }
    starts[n_blocks] = 8 * (uint64_t)out->n;
    return BO_OK;
}

static enum bo_status put_strings(const struct autofdo_plan *plan, struct autofdo_code *codes,
                                  struct bo_writer *out, uint64_t *starts, struct bo_error *err)
{
    (void)codes; /* these strings need none */
    struct bo_writer content;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory in zstd");
    bo_writer_init(&content, out->arena);
    const enum bo_status status = put_blocks(plan, context, &content, out, starts, err);
    bo_writer_free(&content);
    ZSTD_freeCCtx(context);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_strings(struct autofdo_trees *trees, size_t head_nbytes,
                                   struct bo_error *err)
{
    if (head_nbytes)
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->strings, 0),
                       "bytes before the frames");
    for (size_t i = 0; i <= trees->n_string_blocks; i++)
        if (trees->string_starts[i] % 8)
            return bo_fail(err, BO_CORRUPT,
                           autofdo_off_of(trees, &trees->strings, trees->string_starts[i]),
                           "frame does not start at a byte boundary");
    return BO_OK;
}

/* Takes the content of a frame into the arena. */
static enum bo_status expand(struct autofdo_trees *trees, struct bo_span frame, uint64_t max_nbytes,
                             uint64_t off, struct bo_span *content_ret, struct bo_error *err)
{
    const unsigned long long nbytes = ZSTD_getFrameContentSize(frame.p, frame.n);
    if (nbytes == ZSTD_CONTENTSIZE_ERROR || nbytes == ZSTD_CONTENTSIZE_UNKNOWN ||
        nbytes > max_nbytes || ZSTD_findFrameCompressedSize(frame.p, frame.n) != frame.n)
        return bo_fail(err, BO_CORRUPT, off, "zstd frame is invalid or larger than its strings");
    uint8_t *p = bo_alloc(trees->arena, (size_t)nbytes);
    if (!p)
        return bo_fail_alloc(err, trees->arena);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory in zstd");
    const size_t library_nbytes = ZSTD_sizeof_DCtx(context);
    const bool is_paid = bo_arena_charge(trees->arena, 0, library_nbytes);
    const size_t n =
        is_paid ? ZSTD_decompressDCtx(context, p, (size_t)nbytes, frame.p, frame.n) : 0;
    ZSTD_freeDCtx(context);
    if (!is_paid)
        return bo_fail_alloc(err, trees->arena);
    bo_arena_charge(trees->arena, library_nbytes, 0);
    if (ZSTD_isError(n) || n != nbytes)
        return bo_fail(err, BO_CORRUPT, off, "frame does not expand");
    *content_ret = (struct bo_span){p, (size_t)nbytes};
    return BO_OK;
}

/* String i: `shared` bytes of the one before, and the bytes at *rest up to a 0. */
static const char *load_string(struct autofdo_trees *trees, uint32_t i, uint64_t shared,
                               struct bo_span *rest)
{
    const uint8_t *zero = rest->n ? memchr(rest->p, 0, rest->n) : NULL;
    uint8_t *text = trees->text + trees->n_text;
    const size_t room = trees->text_cap - trees->n_text;
    const struct autofdo_text last =
        i % BLOCK_STRINGS ? trees->texts[i - 1] : (struct autofdo_text){0};
    if (!zero || zero == rest->p)
        return "string has no end, or nothing of its own";
    const size_t own = (size_t)(zero - rest->p);
    if (shared > last.n || shared > room || own > room - shared)
        return "prefix of a string is too long";
    memcpy(text, trees->text + last.off, (size_t)shared);
    memcpy(text + shared, rest->p, own);
    const struct bo_span string = {text, (size_t)shared + own};
    const char *flaw = autofdo_string_flaw(trees, i, (uint32_t)shared, string);
    if (flaw)
        return flaw;
    trees->texts[i] = (struct autofdo_text){trees->n_text, (uint32_t)string.n};
    trees->n_text += (uint32_t)string.n;
    *rest = (struct bo_span){zero + 1, rest->n - own - 1};
    return NULL;
}

/* Where the strings' own bytes start: after n - 1 varints. */
static bool skip_shared(struct bo_span content, uint32_t n, struct bo_span *rest_ret)
{
    struct bo_cursor c = bo_cursor(content);
    uint64_t shared;
    for (uint32_t i = 1; i < n; i++)
        if (bo_get_uvarint64(&c, &shared, NULL))
            return false;
    *rest_ret = (struct bo_span){content.p + c.off, bo_left(&c)};
    return true;
}

static const char *load_content(struct autofdo_trees *trees, uint32_t first, uint32_t n,
                                struct bo_span content)
{
    struct bo_cursor c = bo_cursor(content);
    struct bo_span rest;
    if (!skip_shared(content, n, &rest))
        return "frame ends before its strings";
    for (uint32_t i = 0; i < n; i++) {
        uint64_t shared = 0;
        if (i)
            (void)bo_get_uvarint64(&c, &shared, NULL); /* has been looked at */
        const char *flaw = load_string(trees, first + i, shared, &rest);
        if (flaw)
            return flaw;
    }
    return rest.n ? "bytes after the strings" : NULL;
}

/* After a failure, as much has been read as before. */
static enum bo_status load_strings(struct autofdo_trees *trees, uint32_t i, struct bo_error *err)
{
    const uint32_t block = i / BLOCK_STRINGS;
    const uint64_t start = trees->string_starts[block] / 8;
    const struct bo_span frame = {trees->strings.p + start,
                                  (size_t)(trees->string_starts[block + 1] / 8 - start)};
    const uint64_t off = autofdo_off_of(trees, &trees->strings, 8 * start);
    const uint32_t first = block * BLOCK_STRINGS,
                   n = strings_in((uint64_t)trees->n_names + trees->n_paths, block);
    /* a 0 a string, and sizes of up to 5 bytes */
    const uint64_t max_nbytes = (uint64_t)trees->text_cap + 6 * (uint64_t)n;
    const struct bo_arena_mark mark = bo_arena_mark(trees->arena);
    const uint32_t n_text = trees->n_text;
    struct bo_span content = {NULL, 0};
    enum bo_status status = expand(trees, frame, max_nbytes, off, &content, err);
    if (!status) {
        const char *flaw = load_content(trees, first, n, content);
        if (flaw) {
            status = bo_fail(err, BO_CORRUPT, off, flaw);
            trees->n_text = n_text;
            for (uint32_t k = 0; k < n; k++)
                trees->texts[first + k].n = 0;
        }
    }
    bo_arena_rewind(trees->arena, mark);
    return status;
}

static const struct autofdo_strings frames = {
    .magic = {'a', 'f', 's', 'z'},
    .block_strings = BLOCK_STRINGS,
    .put = put_strings,
    .open = open_strings,
    .load = load_strings,
};

/* ---- the codec ------------------------------------------------------------------------------- */

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return autofdo_put_trees(model, &frames, out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    return autofdo_decode_trees(in, &frames, arena, model_ret, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct autofdo_trees *trees;
    const enum bo_status status = autofdo_open_trees(in, &frames, arena, &trees, err);
    if (!status)
        *reader_ret = trees;
    return status;
}

const struct bo_codec autofdo_shared_trees_zstd = {
    .name = "shared-trees-zstd",
    .summary = "as shared-trees, with the names under zstd, 16384 at once",
    .spec = "codecs/autofdo/README.md#shared-trees-zstd",
    .choices = "what zstd chooses, and as shared-trees",
    .role = BO_NEW,
    .access = BO_BLOCK,
    .lazy = true,
    .optional = true,
    .kinds = (1u << AUTOFDO_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = autofdo_query_trees,
};
