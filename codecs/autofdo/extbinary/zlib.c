/*
 * extbinary-zlib: LLVM's extensible binary with every section compressed by zlib. A section that is
 * not empty is its size, the size of the zlib stream, and the stream. Opening expands all sections.
 */
#include <zlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"

/* zlib's memory is the arena's. */
static voidpf take(voidpf arena, uInt n, uInt size)
{
    return bo_alloc_array(arena, n, size);
}

static void give(voidpf arena, voidpf p)
{
}

static bool is_too_long(uint64_t n)
{
    return n > (uInt)-1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum bo_status deflate_all(struct bo_span raw, uint8_t *p, uLong cap, size_t *n_ret,
                                  struct bo_arena *arena, struct bo_error *err)
{
    z_stream stream = {.zalloc = take, .zfree = give, .opaque = arena};
    if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK)
        return bo_fail_alloc(err, arena);
    stream.next_in = (Bytef *)(uintptr_t)raw.p;
    stream.avail_in = (uInt)raw.n;
    stream.next_out = p;
    stream.avail_out = (uInt)cap;
    const int code = deflate(&stream, Z_FINISH);
    *n_ret = cap - stream.avail_out;
    deflateEnd(&stream);
    return code == Z_STREAM_END
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "zlib cannot compress the section");
}

static enum bo_status pack(struct bo_span raw, struct bo_writer *out, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const uLong cap = compressBound((uLong)raw.n);
    if (is_too_long(cap))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "section of 4 GiB or more");
    size_t n = 0;
    uint8_t *p = bo_alloc(out->arena, cap);
    if (!p)
        return bo_fail_alloc(err, out->arena);
    const enum bo_status status = deflate_all(raw, p, cap, &n, out->arena, err);
    if (!status) {
        bo_put_uvarint(out, raw.n);
        bo_put_uvarint(out, n);
        bo_put_bytes(out, p, n);
    }
    bo_arena_rewind(out->arena, mark);
    return status ? status : bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The stream of a section, and its announced raw size. */
static enum bo_status get_stream(const struct extbinary_reader *r, unsigned section,
                                 struct bo_cursor *stream_ret, size_t *raw_nbytes_ret,
                                 struct bo_error *err)
{
    enum { MAX_RATIO = 1032 }; /* of deflate */
    struct bo_cursor c = bo_cursor_at(r->in, r->starts[section], r->sizes[section]);
    uint64_t raw_nbytes = 0, nbytes = 0;
    enum bo_status status = bo_get_uvarint64(&c, &raw_nbytes, err);
    if (!status)
        status = bo_get_uvarint64(&c, &nbytes, err);
    if (status)
        return status;
    if (nbytes != bo_left(&c))
        return bo_fail(err, BO_CORRUPT, c.base, "zlib stream does not fill its section");
    if (!raw_nbytes || is_too_long(nbytes) || is_too_long(raw_nbytes) ||
        raw_nbytes / MAX_RATIO > nbytes)
        return bo_fail(err, BO_CORRUPT, c.base, "size exceeds what zlib can expand to");
    *stream_ret = c;
    *raw_nbytes_ret = (size_t)raw_nbytes;
    return BO_OK;
}

static enum bo_status inflate_all(const struct bo_cursor *c, uint8_t *p, size_t nbytes,
                                  struct bo_arena *arena, struct bo_error *err)
{
    z_stream stream = {.zalloc = take, .zfree = give, .opaque = arena};
    if (inflateInit(&stream) != Z_OK)
        return bo_fail_alloc(err, arena);
    stream.next_in = (Bytef *)(uintptr_t)(c->p + c->off);
    stream.avail_in = (uInt)bo_left(c);
    stream.next_out = p;
    stream.avail_out = (uInt)nbytes;
    const int code = inflate(&stream, Z_FINISH);
    const bool is_whole = code == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    if (code == Z_MEM_ERROR)
        return bo_fail_alloc(err, arena);
    return is_whole ? BO_OK
                    : bo_fail(err, BO_CORRUPT, c->base,
                              "zlib stream is invalid or not of the announced size");
}

/*
 * Contents follow each other in the order of the table, with a byte between them, so that an error
 * at the end of a section is not at the start of the next one.
 */
static enum bo_status unpack(struct extbinary_reader *r, struct bo_error *err)
{
    struct bo_cursor streams[EXTBINARY_N_SECTIONS];
    size_t sizes[EXTBINARY_N_SECTIONS] = {0}, nbytes = EXTBINARY_N_SECTIONS;
    for (unsigned s = 0; s < EXTBINARY_N_SECTIONS; s++) {
        if (!r->sizes[s])
            continue;
        const enum bo_status status = get_stream(r, s, &streams[s], &sizes[s], err);
        if (status)
            return status;
        nbytes += sizes[s];
    }
    uint8_t *p = bo_zalloc_array(r->arena, nbytes, 1);
    if (!p)
        return bo_fail_alloc(err, r->arena);
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    size_t at = 0;
    for (unsigned s = 0; s < EXTBINARY_N_SECTIONS; s++) {
        enum bo_status status = BO_OK;
        if (sizes[s])
            status = inflate_all(&streams[s], p + at, sizes[s], r->arena, err);
        bo_arena_rewind(r->arena, mark);
        if (status)
            return status;
        r->packed_starts[s] = r->starts[s];
        r->starts[s] = at;
        r->sizes[s] = sizes[s];
        at += sizes[s] + 1;
    }
    r->in = (struct bo_span){p, nbytes};
    r->is_unpacked = true;
    return BO_OK;
}

static const struct extbinary_form compressed = {
    .version = 103,
    .n_sections = 7,
    .table = {{EXTBINARY_SUMMARY, EXTBINARY_COMPRESSED},
              {EXTBINARY_NAMES, EXTBINARY_COMPRESSED},
              {EXTBINARY_CONTEXTS, EXTBINARY_COMPRESSED},
              {EXTBINARY_OFFSETS, EXTBINARY_COMPRESSED},
              {EXTBINARY_FUNCTIONS, EXTBINARY_COMPRESSED},
              {EXTBINARY_SYMBOLS, EXTBINARY_COMPRESSED},
              {EXTBINARY_METADATA, EXTBINARY_COMPRESSED}},
    .order = {0, 1, 2, 4, 5, 3, 6},
    .pack = pack,
    .unpack = unpack,
};

const struct bo_codec autofdo_extbinary_zlib = {
    .name = "extbinary-zlib",
    .summary = "as extbinary, with every section under zlib",
    .spec = "codecs/autofdo/README.md#extbinary-zlib",
    .choices = "what zlib chooses, and as extbinary",
    .role = BO_STATUS_QUO,
    .access = BO_WHOLE,
    .lazy = true,
    .optional = true,
    .kinds = (1u << AUTOFDO_N_KINDS) - 1,
    .own = &compressed,
    .reduce = extbinary_reduce,
    .encode = extbinary_encode,
    .decode = extbinary_decode,
    .open = extbinary_open_codec,
    .query = extbinary_query,
};
