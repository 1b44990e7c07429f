/*
 * front-coded: the names in alphabetical order, in blocks of 16. A block stores of each name only
 * what differs from the name before.
 *
 *   24  u8   width of places (index.h)
 *   25  u8   names of a block: 16
 *   26  u16  0
 *   28  u32  names N
 *   32  u32  for each of N / 16 blocks, rounded up, where it starts, in bytes from the first one
 *       the blocks; all but the last have 16 names:
 *         varint  bytes of the first name, above 0
 *         the first name
 *         places of its records
 *         for each further name:
 *           varint  bytes that it shares with the start of the name before, as many as possible
 *           varint  bytes that follow, above 0
 *           these
 *           places of its records
 *
 * A lookup searches the first names of the blocks, then reads the names of one block.
 */
#include "codecs/lprf/index.h"

enum { BLOCK_NAMES = 16, STARTS_OFF = LPRF_HEADER_NBYTES + 8 };

struct index {
    const uint8_t *starts;
    size_t n_blocks, blocks_off;
    unsigned width;
    uint32_t n_names;
};

static size_t n_blocks_for(uint64_t n_names)
{
    return (size_t)((n_names + BLOCK_NAMES - 1) / BLOCK_NAMES);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The names in order. With p NULL, put_names only counts. */
struct builder {
    const struct lprf_model *model;
    const uint32_t *order;
    uint32_t *at; /* where each function's place is written, from the index's start */
    unsigned width;
    uint8_t *p; /* the index */
    size_t off; /* in it */
    size_t n_names, first_off;
    struct lprf_index_nbytes nbytes;
};

static void put_varint(struct builder *b, uint64_t v)
{
    if (b->p)
        lprf_set_varint(b->p + b->off, v);
    b->off += bo_uvarint_nbytes(v);
}

/* Puts a name that follows `last` in its block; last.n is 0 for a block's first one. */
static void put_name(struct builder *b, struct bo_span last, struct bo_span name)
{
    const size_t prefix = bo_common_prefix(last, name), n = name.n - prefix;
    if (last.n)
        put_varint(b, prefix);
    put_varint(b, n);
    if (b->p)
        memcpy(b->p + b->off, name.p + prefix, n);
    b->off += n;
    b->nbytes.names += n;
}

/* Puts the places of the name that starts at order[i]; returns the start of the next name. */
static size_t put_places(struct builder *b, size_t i)
{
    const size_t n = b->model->n_functions;
    for (bool more = true; more; i++) {
        more = i + 1 < n && lprf_same_name(b->model, b->order[i], b->order[i + 1]);
        if (b->p) {
            b->p[b->off] = more;
            b->at[b->order[i]] = (uint32_t)b->off;
        }
        b->off += b->width;
        b->nbytes.places += b->width;
    }
    return i;
}

static void put_names(struct builder *b)
{
    struct bo_span last = {.n = 0};
    b->n_names = 0;
    for (size_t i = 0; i < b->model->n_functions; b->n_names++) {
        const struct bo_span name = b->model->functions[b->order[i]].name;
        if (b->n_names % BLOCK_NAMES == 0) {
            const size_t block = b->n_names / BLOCK_NAMES;
            last.n = 0;
            if (b->p)
                bo_set_le32(b->p + STARTS_OFF - LPRF_HEADER_NBYTES + 4 * block,
                            (uint32_t)(b->off - b->first_off));
        }
        put_name(b, last, name);
        i = put_places(b, i);
        last = name;
    }
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    uint32_t *order = lprf_sort_functions(w->model, w->out->arena);
    if (!order)
        return bo_fail_alloc(err, w->out->arena);
    struct builder b = {.model = w->model, .order = order, .at = order + w->model->n_functions};
    size_t start;
    enum bo_status status = lprf_place_width(w, &b.width, err);
    if (status)
        return status;
    put_names(&b);
    struct lprf_index_nbytes nbytes = b.nbytes;
    b.first_off = STARTS_OFF - LPRF_HEADER_NBYTES + 4 * n_blocks_for(b.n_names);
    nbytes.tables = b.first_off + b.off - nbytes.names - nbytes.places;
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    b.p = w->out->p + start;
    b.p[0] = (uint8_t)b.width;
    b.p[1] = BLOCK_NAMES;
    bo_set_le32(b.p + 4, (uint32_t)b.n_names);
    b.off = b.first_off;
    put_names(&b);
    lprf_fill_places(w, start, b.at, b.width);
    lprf_end_index(w);
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const uint8_t *p = file->in.p + LPRF_HEADER_NBYTES;
    const size_t end = file->end_of_index;
    if (end < STARTS_OFF)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    if (p[0] < 1 || p[0] > 8)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "width of places is not 1 to 8");
    if (p[1] != BLOCK_NAMES)
        return bo_fail(err, BO_UNSUPPORTED, LPRF_HEADER_NBYTES + 1, "blocks are not of 16 names");
    if (p[2] || p[3])
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 2, "padding is not 0");
    index->width = p[0];
    index->n_names = bo_le32(p + 4);
    index->n_blocks = n_blocks_for(index->n_names);
    if ((end - STARTS_OFF) / 4 < index->n_blocks)
        return bo_fail(err, BO_TRUNCATED, LPRF_HEADER_NBYTES + 4,
                       "blocks run past the index's end");
    index->starts = p + 8;
    index->blocks_off = STARTS_OFF + 4 * index->n_blocks;
    return BO_OK;
}

/* Where a block lies in the file. */
static inline enum bo_status read_block(const struct lprf_file *file, const struct index *index,
                                        size_t block, size_t *off_ret, size_t *end_ret,
                                        struct bo_error *err)
{
    const uint8_t *p = index->starts + 4 * block;
    const size_t room = file->end_of_index - index->blocks_off, start = bo_le32(p);
    const size_t end = block + 1 < index->n_blocks ? bo_le32(p + 4) : room;
    if (start >= end || end > room)
        return bo_fail(err, BO_CORRUPT, STARTS_OFF + 4 * (uint64_t)block,
                       "block lies outside the index");
    *off_ret = index->blocks_off + start;
    *end_ret = index->blocks_off + end;
    return BO_OK;
}

/* Reads a number of bytes, then these bytes of a name; moves *off past them. */
static inline enum bo_status read_bytes(const struct lprf_file *file, size_t *off, size_t end,
                                        struct bo_span *bytes, struct bo_error *err)
{
    const size_t start = *off;
    uint64_t n;
    const enum bo_status status = lprf_index_varint(file, off, end, &n, err);
    if (status)
        return status;
    if (n == 0)
        return bo_fail(err, BO_CORRUPT, start, "name is empty or equals the one before");
    if (n > end - *off)
        return bo_fail(err, BO_TRUNCATED, start, "name runs past its block's end");
    *bytes = (struct bo_span){file->in.p + *off, (size_t)n};
    *off += (size_t)n;
    return BO_OK;
}

/*
 * Chooses the last block whose first name is not above `name`. *below_ret is false when no block
 * qualifies.
 */
static inline enum bo_status choose_block(const struct lprf_file *file, const struct index *index,
                                          struct bo_span name, size_t *block_ret, bool *found_ret,
                                          struct bo_error *err)
{
    size_t low = 0, high = index->n_blocks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        size_t off, end;
        struct bo_span first;
        enum bo_status status = read_block(file, index, middle, &off, &end, err);
        if (status || (status = read_bytes(file, &off, end, &first, err)))
            return status;
        if (bo_span_compare(first, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found_ret = low > 0;
    *block_ret = low - 1;
    return BO_OK;
}

static inline enum bo_status find_in_block(const struct lprf_file *file, const struct index *index,
                                           size_t off, size_t end, struct bo_span name,
                                           struct lprf_match *match, struct bo_error *err)
{
    /* The name before is below `name` and has `shared` bytes in common with it. */
    size_t shared = 0;
    for (unsigned i = 0; i < BLOCK_NAMES && off < end; i++) {
        uint64_t prefix = 0;
        struct bo_span bytes;
        enum bo_status status = i ? lprf_index_varint(file, &off, end, &prefix, err) : BO_OK;
        if (status || (status = read_bytes(file, &off, end, &bytes, err)))
            return status;
        if (prefix < shared)
            return BO_OK; /* differs from the name before where that is still equal: above */
        if (prefix == shared) {
            const struct bo_span rest = {name.p + shared, name.n - shared};
            const size_t more = bo_common_prefix(bytes, rest);
            if (more == bytes.n && more == rest.n)
                return lprf_match_place(file, off, end, index->width, match, err);
            if (more == rest.n || (more < bytes.n && bytes.p[more] > rest.p[more]))
                return BO_OK;
            shared += more;
        }
        if ((status = lprf_skip_places(file, &off, end, index->width, err)))
            return status;
    }
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    size_t block, off, end;
    bool found;
    match->off = match->next = 0;
    enum bo_status status = choose_block(file, index, name, &block, &found, err);
    if (status || !found)
        return status;
    status = read_block(file, index, block, &off, &end, err);
    return status ? status : find_in_block(file, index, off, end, name, match, err);
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/* ---- all names ------------------------------------------------------------------------------- */

/* Reads the next name of a block into *name, which holds the one before it. */
static enum bo_status read_name(const struct lprf_file *file, size_t *off, size_t end, bool first,
                                struct lprf_name_buffer *name, struct bo_error *err)
{
    const size_t start = *off;
    uint64_t prefix = 0;
    struct bo_span bytes;
    enum bo_status status = first ? BO_OK : lprf_index_varint(file, off, end, &prefix, err);
    if (status || (status = read_bytes(file, off, end, &bytes, err)))
        return status;
    if (prefix > name->n)
        return bo_fail(err, BO_CORRUPT, start, "prefix is longer than the name before");
    if (!first && prefix < name->n && bytes.p[0] <= name->p[prefix])
        return bo_fail(err, BO_CORRUPT, start, "names do not ascend");
    if (!lprf_change_name(name, (size_t)prefix, bytes.p, bytes.n))
        return bo_fail_alloc(err, name->arena);
    return BO_OK;
}

/*
 * Reads the first name of a block, which must be above *name, the last one of the block before.
 * Compares before it copies, so that no third name is in memory.
 */
static enum bo_status read_first_name(const struct lprf_file *file, size_t *off, size_t end,
                                      struct lprf_name_buffer *name, struct bo_error *err)
{
    size_t bytes_off = *off;
    struct bo_span first;
    const enum bo_status status = read_bytes(file, &bytes_off, end, &first, err);
    if (status)
        return status;
    if (bo_span_compare((struct bo_span){name->p, name->n}, first) >= 0)
        return bo_fail(err, BO_CORRUPT, *off, "names do not ascend");
    return read_name(file, off, end, true, name, err);
}

/* The caller of `each`. */
struct visitor {
    bool keep;
    lprf_visit *visit;
    void *context;
};

static enum bo_status each_of_block(const struct lprf_file *file, const struct index *index,
                                    size_t block, size_t off, size_t end,
                                    struct lprf_name_buffer *buffer, const struct visitor *visitor,
                                    struct bo_error *err)
{
    const size_t left = index->n_names - block * BLOCK_NAMES;
    const size_t n = left < BLOCK_NAMES ? left : BLOCK_NAMES;
    for (size_t i = 0; i < n; i++) {
        enum bo_status status = i ? read_name(file, &off, end, false, buffer, err)
                                  : read_first_name(file, &off, end, buffer, err);
        const size_t places_off = off;
        if (status || (status = lprf_skip_places(file, &off, end, index->width, err)))
            return status;
        struct bo_span name = {buffer->p, buffer->n};
        if (visitor->keep && !(name = lprf_keep_name(name, file->arena)).p)
            return bo_fail_alloc(err, file->arena);
        status = lprf_visit_places(file, places_off, off, index->width, name, visitor->visit,
                                   visitor->context, err);
        if (status)
            return status;
    }
    return off == end ? BO_OK : bo_fail(err, BO_CORRUPT, off, "bytes after a block's last name");
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    const struct visitor visitor = {keep, visit, context};
    struct lprf_name_buffer name = {.arena = file->arena};
    size_t expected = index->blocks_off, off, end;
    for (size_t block = 0; block < index->n_blocks; block++) {
        enum bo_status status = read_block(file, index, block, &off, &end, err);
        if (!status && off != expected)
            status = bo_fail(err, BO_CORRUPT, STARTS_OFF + 4 * (uint64_t)block,
                             "block does not start where the one before ends");
        if (!status)
            status = each_of_block(file, index, block, off, end, &name, &visitor, err);
        if (status)
            return status;
        expected = end;
    }
    if (expected != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, expected, "bytes after the last name");
    return BO_OK;
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_ALPHABETICAL;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX front_coded
#define LPRF_INDEX_NAME "front-coded"
#define LPRF_INDEX_NUMBER 6
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_WIDTH_OFF (LPRF_HEADER_NBYTES)
#define LPRF_INDEX_SUMMARY \
    "sorted names in blocks of 16, each stored as its difference from the one before"
#include "codecs/lprf/cross.h"
