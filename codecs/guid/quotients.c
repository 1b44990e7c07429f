/*
 * quotients: the top bits of a GUID choose a bucket and are not stored; blocks of buckets have the
 * other bits and where the bodies lie. Exact, at about 64 - log2 n + 2 bits a GUID.
 *
 * Integers are little-endian; bits are packed from the least significant one on. A key is the GUID
 * (`quotients`, `members`) or that times an odd number (`fingerprint-32`). Let d be about log2 n
 * (n_top_bits), w the bits that are kept of the others: 64 - d, or 32. Keys ascend; the top d bits
 * of a key are its bucket, the w bits below its rest.
 *
 *   u32  n
 *   u32  bytes of all bodies (not in `members`)
 *   directory, an entry for each block of 64 buckets and one for the end:
 *     u32  start of the block, in bytes from the first one
 *     u32  start of its bodies (not in `members`)
 *   the blocks, one after the other, each:
 *     u16  its number of keys, m
 *     buckets: for each a one for each key, then a zero
 *     m rests of w bits
 *     and but in `members`:
 *       m ends of bodies, less the start of the block's bodies: the low l bits of each
 *       the other bits of the ends: for each as many zeros as it exceeds the one before by, then
 *           a one
 *     zeros up to a byte
 *   40 bytes of zeros, for wide loads
 *
 * l is floor(log2(bytes / n)) (guid_low_bits). A body starts where that of the key before ends; a
 * key without a body has the end of the one before. All numbers follow from n, the number of bytes
 * and the set: the encoding is canonical. Opening reads only the header.
 */
#include "codecs/guid/bits.h"
#include "codecs/guid/guid.h"

enum { BLOCK_BITS = 6, COUNT_NBYTES = 2, FINGERPRINT_BITS = 32, MAX_KEYS = 65535 };
enum { LINE_NBYTES = 64 }; /* a usual block has 7 */
enum { NEAR_KEYS = 3 };    /* of a bucket, compared at once; GUID_WIDE_NBYTES has room for them */

/* The differences of the three codecs. */
struct variant {
    bool has_bodies, is_fingerprint;
};

/* ---- keys and widths ------------------------------------------------------------------------- */

static inline uint64_t key_of(const struct variant *variant, uint64_t guid)
{
    return variant->is_fingerprint ? guid * GUID_FACTOR : guid;
}

static inline uint64_t guid_of(const struct variant *variant, uint64_t key)
{
    return variant->is_fingerprint ? key * GUID_FACTOR_INVERSE : key;
}

/* d: log2 n, rounded so that n / 2^d is between 0.71 and 1.42. */
static unsigned n_top_bits(uint32_t n)
{
    const unsigned floor_bits = n ? bo_bit_width(n) - 1 : 0;
    return floor_bits + ((uint64_t)n * n > UINT64_C(1) << (2 * floor_bits + 1));
}

/* Values that are computed from the header. */
struct shape {
    uint32_t n, total;
    unsigned top_bits, rest_bits, low_bits;
    unsigned block_bits; /* a block has 2^block_bits buckets */
    uint32_t n_blocks, n_buckets;
    unsigned entry_nbytes; /* of the directory */
    uint64_t rest_mask, low_mask;
};

static struct shape shape_of(const struct variant *variant, uint32_t n, uint32_t total)
{
    const unsigned top_bits = n_top_bits(n);
    const unsigned block_bits = top_bits < BLOCK_BITS ? top_bits : BLOCK_BITS;
    const unsigned rest_bits = variant->is_fingerprint ? FINGERPRINT_BITS : 64 - top_bits;
    const unsigned low_bits = guid_low_bits(n, total);
    return (struct shape){
        .n = n,
        .total = total,
        .top_bits = top_bits,
        .rest_bits = rest_bits,
        .low_bits = low_bits,
        .block_bits = block_bits,
        .n_blocks = 1u << (top_bits - block_bits),
        .n_buckets = 1u << block_bits,
        .entry_nbytes = variant->has_bodies ? 8 : 4,
        .rest_mask = guid_mask(rest_bits),
        .low_mask = guid_mask(low_bits),
    };
}

/* The top bits, and the rest of a key. */
static inline uint32_t bucket_of(const struct shape *shape, uint64_t key)
{
    return shape->top_bits ? (uint32_t)(key >> (64 - shape->top_bits)) : 0;
}

static inline uint64_t rest_of(const struct shape *shape, uint64_t key)
{
    return key << shape->top_bits >> (64 - shape->rest_bits);
}

static uint64_t key_at(const struct shape *shape, uint32_t bucket, uint64_t rest)
{
    const uint64_t top = shape->top_bits ? (uint64_t)bucket << (64 - shape->top_bits) : 0;
    return top | rest << (64 - shape->rest_bits) >> shape->top_bits;
}

/* Bits of a block with m keys and bodies of `extent` bytes. */
static inline uint64_t block_nbits(const struct shape *shape, bool has_bodies, uint64_t m,
                                   uint32_t extent)
{
    const uint64_t nbits = 8 * COUNT_NBYTES + shape->n_buckets + m + m * shape->rest_bits;
    return has_bodies ? nbits + m * (shape->low_bits + 1) + (extent >> shape->low_bits) : nbits;
}

/* ---- what is kept of a model ----------------------------------------------------------------- */

struct item {
    uint64_t key;
    uint32_t nbytes; /* 0 without a body */
};

/* Sorts by key, in 8 passes over one byte each. */
static struct item *sort_items(struct item *items, struct item *scratch, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t first[257] = {0};
        for (size_t i = 0; i < n; i++)
            first[(items[i].key >> shift & 0xff) + 1]++;
        for (unsigned b = 1; b < 257; b++)
            first[b] += first[b - 1];
        for (size_t i = 0; i < n; i++)
            scratch[first[items[i].key >> shift & 0xff]++] = items[i];
        struct item *sorted = scratch;
        scratch = items;
        items = sorted;
    }
    return items;
}

/* The items of a model by key, as the encoding keeps them. */
static enum bo_status make_items(const struct variant *variant, const void *model,
                                 struct bo_arena *arena, struct item **items_ret,
                                 struct shape *shape_ret, struct bo_error *err)
{
    const struct guid_entry *entries;
    size_t n;
    uint32_t total;
    const enum bo_status status = guid_entries32(model, &entries, &n, &total, err);
    if (status)
        return status;
    struct item *items = bo_alloc_array(arena, n, sizeof *items);
    struct item *scratch = bo_alloc_array(arena, n, sizeof *items);
    if (!items || !scratch)
        return bo_fail_alloc(err, arena);
    *shape_ret = shape_of(variant, (uint32_t)n, variant->has_bodies ? total : 0);
    const uint64_t kept =
        ~guid_mask(64 - shape_ret->top_bits - shape_ret->rest_bits); /* all but the dropped bits */
    for (size_t i = 0; i < n; i++)
        items[i] = (struct item){key_of(variant, entries[i].guid) & kept,
                                 variant->has_bodies ? guid_nbytes(&entries[i]) : 0};
    if (variant->is_fingerprint)
        items = sort_items(items, scratch, n);
    for (size_t i = 1; i < n; i++)
        if (items[i].key == items[i - 1].key)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "two GUIDs have one fingerprint");
    *items_ret = items;
    return BO_OK;
}

static enum bo_status reduce(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct variant *variant = self->own;
    struct item *items;
    struct shape shape;
    struct bo_records *reduced;
    const enum bo_status status = make_items(variant, model, arena, &items, &shape, err);
    if (status)
        return status;
    struct guid_entry *entries = guid_new_model(shape.n, arena, &reduced);
    if (!entries)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < shape.n; i++)
        entries[i] = (struct guid_entry){guid_of(variant, items[i].key),
                                         items[i].nbytes ? items[i].nbytes : GUID_NO_BODY};
    if (variant->is_fingerprint && !bo_records_settle(&guid_shape, reduced, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = reduced;
    return BO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Where the ends of bodies are, from the start of the block's on. */
static void put_ends(const struct shape *shape, const struct item *items, size_t m,
                     struct bo_bit_writer *bits)
{
    uint32_t end = 0, high = 0;
    for (size_t i = 0; i < m; i++) {
        end += items[i].nbytes;
        guid_put_wide(bits, end & guid_mask(shape->low_bits), shape->low_bits);
    }
    end = 0;
    for (size_t i = 0; i < m; i++) {
        end += items[i].nbytes;
        guid_put_unary(bits, (end >> shape->low_bits) - high);
        high = end >> shape->low_bits;
    }
}

static void put_block(const struct shape *shape, bool has_bodies, uint32_t block,
                      const struct item *items, size_t m, struct bo_writer *out)
{
    struct bo_bit_writer bits = {out, 0};
    size_t i = 0;
    bo_mark(out, "buckets");
    bo_put_le16(out, (uint16_t)m);
    for (uint32_t b = 0; b < shape->n_buckets; b++) {
        for (; i < m && bucket_of(shape, items[i].key) == block * shape->n_buckets + b; i++)
            bo_put_bits(&bits, 1, 1);
        bo_put_bits(&bits, 0, 1);
    }
    bo_mark(out, "rests");
    for (i = 0; i < m; i++)
        guid_put_wide(&bits, rest_of(shape, items[i].key), shape->rest_bits);
    bo_mark(out, "offsets");
    if (has_bodies)
        put_ends(shape, items, m, &bits);
}

/* How many items from the i-th on are in the block; its bytes of bodies in *extent_ret. */
static size_t block_length(const struct shape *shape, const struct item *items, size_t i,
                           uint32_t block, uint32_t *extent_ret)
{
    size_t m = 0;
    *extent_ret = 0;
    for (; i + m < shape->n && bucket_of(shape, items[i + m].key) / shape->n_buckets == block; m++)
        *extent_ret += items[i + m].nbytes;
    return m;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct variant *variant = self->own;
    struct item *items;
    struct shape shape;
    uint64_t start = 0;
    uint32_t base = 0, extent;
    const enum bo_status status = make_items(variant, model, out->arena, &items, &shape, err);
    if (status)
        return status;
    bo_mark(out, "directory");
    bo_put_le32(out, shape.n);
    if (variant->has_bodies)
        bo_put_le32(out, shape.total);
    size_t i = 0;
    for (uint32_t block = 0; block <= shape.n_blocks; block++) {
        if (start > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "blocks take 2^32 bytes or more");
        bo_put_le32(out, (uint32_t)start);
        if (variant->has_bodies)
            bo_put_le32(out, base);
        const size_t m = block_length(&shape, items, i, block, &extent);
        if (m > MAX_KEYS)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "a block has 2^16 GUIDs or more");
        start += (block_nbits(&shape, variant->has_bodies, m, extent) + 7) / 8;
        base += extent;
        i += m;
    }
    i = 0;
    for (uint32_t block = 0; block < shape.n_blocks; block++) {
        const size_t m = block_length(&shape, items, i, block, &extent);
        put_block(&shape, variant->has_bodies, block, items + i, m, out);
        i += m;
    }
    bo_mark(out, "padding");
    bo_put_zeros(out, GUID_WIDE_NBYTES);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct variant variant;
    struct shape shape;
    const uint8_t *directory, *blocks;
    size_t blocks_nbytes, blocks_off;
    bool is_large; /* larger than the nearest caches */
};

static enum bo_status read_head(const struct variant *variant, struct bo_span in,
                                struct reader *reader, struct bo_error *err)
{
    const size_t head_nbytes = variant->has_bodies ? 8 : 4;
    if (in.n < head_nbytes)
        return bo_fail(err, BO_TRUNCATED, 0, "file is shorter than its header");
    const uint32_t n = bo_le32(in.p), total = variant->has_bodies ? bo_le32(in.p + 4) : 0;
    if (n > UINT32_MAX / 16)
        return bo_fail(err, BO_CORRUPT, 0, "number of GUIDs is 2^28 or more");
    *reader = (struct reader){.variant = *variant, .shape = shape_of(variant, n, total)};
    const struct shape *shape = &reader->shape;
    const uint64_t before = head_nbytes + ((uint64_t)shape->n_blocks + 1) * shape->entry_nbytes;
    if (in.n < before + GUID_WIDE_NBYTES)
        return bo_fail(err, BO_TRUNCATED, head_nbytes, "directory runs past the end of the file");
    reader->directory = in.p + head_nbytes;
    reader->blocks_off = (size_t)before;
    reader->blocks = in.p + before;
    reader->blocks_nbytes = in.n - (size_t)before - GUID_WIDE_NBYTES;
    reader->is_large = reader->blocks_nbytes >= 1 << 18;
    return BO_OK;
}

/* A block, by its directory entry and its number of keys. It is within the file. */
struct block {
    const uint8_t *p;
    uint32_t m, base, extent;
};

/* Returns NULL, or the rule that the block breaks. All bits of an accepted block may be read. */
static inline const char *read_block(const struct reader *reader, bool has_bodies, uint32_t block,
                                     struct block *block_ret)
{
    const unsigned entry_nbytes = has_bodies ? 8 : 4;
    const uint8_t *entry = reader->directory + (size_t)block * entry_nbytes;
    const uint32_t start = bo_le32(entry), end = bo_le32(entry + entry_nbytes);
    if (end < start || end > reader->blocks_nbytes || end - start < COUNT_NBYTES)
        return "block is outside of the file";
    const uint32_t base = has_bodies ? bo_le32(entry + 4) : 0,
                   next = has_bodies ? bo_le32(entry + entry_nbytes + 4) : 0;
    const uint8_t *p = reader->blocks + start;
    if (reader->is_large) { /* later reads depend on the first one */
        __builtin_prefetch(p + 1 * LINE_NBYTES);
        __builtin_prefetch(p + 2 * LINE_NBYTES);
        __builtin_prefetch(p + 3 * LINE_NBYTES);
        __builtin_prefetch(p + 4 * LINE_NBYTES);
        __builtin_prefetch(p + 5 * LINE_NBYTES);
        __builtin_prefetch(p + 6 * LINE_NBYTES);
    }
    *block_ret = (struct block){p, bo_le16(p), base, next - base};
    if (next < base ||
        (block_nbits(&reader->shape, has_bodies, block_ret->m, next - base) + 7) / 8 != end - start)
        return "size of a block is not that of its keys and bodies";
    return NULL;
}

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define QUERY query_portable
#define SELECT guid_select_portable
#define ATTRIBUTE
#include "codecs/guid/quotients_query.h"
#undef QUERY
#undef SELECT
#undef ATTRIBUTE
#define QUERY query_v3
#define SELECT guid_select_v3
#define ATTRIBUTE BO_V3
#include "codecs/guid/quotients_query.h"
#undef QUERY
#undef SELECT
#undef ATTRIBUTE

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return (bo_cpu_has_v3() ? query_v3 : query_portable)(reader, queries, n, answers, err);
}

/* ---- reading all ----------------------------------------------------------------------------- */

/* The keys of one block, in order, after those before. */
static const char *take_block(const struct reader *reader, const struct block *block,
                              uint32_t number, struct guid_entry *entries, struct bo_span in)
{
    const struct shape *shape = &reader->shape;
    const bool has_bodies = reader->variant.has_bodies;
    struct bo_bit_cursor c = {{block->p, in.n - (size_t)(block->p - in.p)}, 8 * COUNT_NBYTES};
    uint32_t i = 0, one, start = 0, high = 0;
    const uint64_t rests = c.bit + shape->n_buckets + block->m;
    const uint64_t lows = rests + (uint64_t)block->m * shape->rest_bits;
    uint64_t before = 0;
    for (uint32_t b = 0; b < shape->n_buckets; b++)
        for (bool is_first = true; bo_get_bits(&c, 1, &one) && one; i++, is_first = false) {
            if (i == block->m)
                return "buckets have more keys than the block";
            const uint64_t rest = guid_wide_bits_at(
                block->p, rests + (uint64_t)i * shape->rest_bits, shape->rest_bits);
            if (!is_first && rest <= before)
                return "keys do not ascend";
            before = rest;
            entries[i].guid =
                guid_of(&reader->variant, key_at(shape, number * shape->n_buckets + b, rest));
            entries[i].nbytes = GUID_NO_BODY;
        }
    if (i != block->m)
        return "buckets have fewer keys than the block";
    c.bit = has_bodies ? lows + (uint64_t)block->m * shape->low_bits : lows;
    for (i = 0; has_bodies && i < block->m; i++) {
        while (bo_get_bits(&c, 1, &one) && !one)
            if (high++ >= block->extent >> shape->low_bits)
                return "ends of bodies exceed those of the block";
        const uint64_t low =
            guid_wide_bits_at(block->p, lows + (uint64_t)i * shape->low_bits, shape->low_bits);
        const uint64_t end = (uint64_t)high << shape->low_bits | low;
        if (end < start || end > block->extent || end - start > GUID_MAX_BODY_NBYTES)
            return "body ends before its start or is too long";
        entries[i].nbytes = end == start ? GUID_NO_BODY : (uint32_t)end - start;
        start = (uint32_t)end;
    }
    if (has_bodies && start != block->extent)
        return "bodies of a block do not end with it";
    const unsigned used = (unsigned)(c.bit % 8);
    return used && block->p[c.bit / 8] >> used ? "padding is not zero" : NULL;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader reader;
    struct bo_records *model;
    uint32_t n = 0, base = 0;
    size_t off = 0;
    const enum bo_status status = read_head(self->own, in, &reader, err);
    if (status)
        return status;
    const struct shape *shape = &reader.shape;
    if ((uint64_t)shape->n * shape->rest_bits / 8 > reader.blocks_nbytes)
        return bo_fail(err, BO_TRUNCATED, 0, "blocks run past the end of the file");
    struct guid_entry *entries = guid_new_model(shape->n, arena, &model);
    if (!entries)
        return bo_fail_alloc(err, arena);
    for (uint32_t b = 0; b < shape->n_blocks; b++) {
        struct block block;
        const size_t entry = (size_t)(reader.directory - in.p) + (size_t)b * shape->entry_nbytes;
        const char *flaw = read_block(&reader, reader.variant.has_bodies, b, &block);
        if (!flaw && ((size_t)(block.p - reader.blocks) != off || block.base != base))
            flaw = "block or its bodies do not start where the ones before end";
        if (!flaw && block.m > shape->n - n)
            flaw = "blocks have more keys than there are GUIDs";
        if (flaw)
            return bo_fail(err, BO_CORRUPT, entry, flaw);
        if ((flaw = take_block(&reader, &block, b, entries + n, in)))
            return bo_fail(err, BO_CORRUPT, (size_t)(block.p - in.p), flaw);
        n += block.m;
        base += block.extent;
        off = bo_le32(in.p + entry + shape->entry_nbytes);
    }
    if (n != shape->n || off != reader.blocks_nbytes || base != shape->total)
        return bo_fail(err, BO_CORRUPT, 0, "blocks hold fewer GUIDs or body bytes than announced");
    for (unsigned i = 0; i < GUID_WIDE_NBYTES; i++)
        if (reader.blocks[reader.blocks_nbytes + i])
            return bo_fail(err, BO_CORRUPT, in.n - GUID_WIDE_NBYTES + i, "padding is not zero");
    if (reader.variant.is_fingerprint && !bo_records_settle(&guid_shape, model, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    *reader_ret = reader;
    return reader ? read_head(self->own, in, reader, err) : bo_fail_alloc(err, arena);
}

#define SHARED                                                                                    \
    .spec = "codecs/guid/README.md#quotients", .role = BO_NEW, .access = BO_RANDOM, .lazy = true, \
    .kinds = 1u << GUID_FIND, .paths = BO_PATH_V3, .encode = encode, .decode = decode,            \
    .open = open, .query = query

const struct bo_codec guid_quotients = {
    .name = "quotients",
    .summary = "top bits choose a bucket; blocks of buckets with rests and ends of bodies",
    .own = &(const struct variant){.has_bodies = true},
    SHARED,
};

const struct bo_codec guid_fingerprint_32 = {
    .name = "fingerprint-32",
    .summary = "quotients with rests of 32 bits: an absent GUID is found once in 2^32",
    .own = &(const struct variant){.has_bodies = true, .is_fingerprint = true},
    .probabilistic = true,
    .reduce = reduce,
    SHARED,
};

const struct bo_codec guid_members = {
    .name = "members",
    .summary = "quotients without bodies: membership",
    .own = &(const struct variant){.has_bodies = false},
    .reduce = reduce,
    SHARED,
};
