/*
 * eytzinger: GUIDs in breadth-first order of a binary search tree, as in LLVM's main branch
 * (proposed): those with a body, then those without. All integers are little-endian.
 *
 *   u64  K   GUIDs with a body
 *   u64  M   without
 *   K u64    GUIDs in breadth-first order: the i-th has the children 2i + 1 and 2i + 2
 *   M u64    the same
 *   K + 1 u32  starts of the bodies, which lie in the order of their GUIDs; the last is their end
 *
 * Two readers: `eytzinger` branches in each step, as LLVM's does; `eytzinger-prefetch` does not,
 * and prefetches the cache line of the great-grandchildren.
 */
#include "codecs/guid/guid.h"

enum { HEAD_NBYTES = 16, GUID_NBYTES = 8, START_NBYTES = 4 };

/* ---- writing --------------------------------------------------------------------------------- */

/* Fills the tree below node i with entries in ascending order, from *next on. */
static void fill(const struct guid_entry **sorted, size_t n, size_t i, size_t *next,
                 const struct guid_entry **tree)
{
    if (i >= n)
        return;
    fill(sorted, n, 2 * i + 1, next, tree);
    tree[i] = sorted[(*next)++];
    fill(sorted, n, 2 * i + 2, next, tree);
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct guid_entry *entries;
    size_t n, n_bodies = 0, n_others = 0, next = 0;
    uint32_t total, start = 0;
    const enum bo_status status = guid_entries32(model, &entries, &n, &total, err);
    if (status)
        return status;
    const struct guid_entry **sorted = bo_alloc_array(out->arena, n, sizeof *sorted);
    const struct guid_entry **tree = bo_alloc_array(out->arena, n, sizeof *tree);
    if (!sorted || !tree)
        return bo_fail_alloc(err, out->arena);
    for (size_t i = 0; i < n; i++)
        if (entries[i].nbytes != GUID_NO_BODY)
            sorted[n_bodies++] = &entries[i];
    for (size_t i = 0; i < n; i++)
        if (entries[i].nbytes == GUID_NO_BODY)
            sorted[n_bodies + n_others++] = &entries[i];
    fill(sorted, n_bodies, 0, &next, tree);
    next = 0;
    fill(sorted + n_bodies, n_others, 0, &next, tree + n_bodies);
    bo_mark(out, "guids");
    bo_put_le64(out, n_bodies);
    bo_put_le64(out, n_others);
    for (size_t i = 0; i < n; i++)
        bo_put_le64(out, tree[i]->guid);
    bo_mark(out, "offsets");
    for (size_t i = 0; i < n_bodies; i++) {
        bo_put_le32(out, start);
        start += tree[i]->nbytes;
    }
    bo_put_le32(out, total);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *bodies, *others, *starts; /* GUIDs with a body, those without */
    size_t n_bodies, n_others;
};

static enum bo_status read_head(struct bo_span in, struct reader *reader, struct bo_error *err)
{
    if (in.n < HEAD_NBYTES + START_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 0, "file is shorter than its header");
    const uint64_t n_bodies = bo_le64(in.p), n_others = bo_le64(in.p + 8);
    const size_t room = in.n - HEAD_NBYTES - START_NBYTES;
    if (n_bodies > room / (GUID_NBYTES + START_NBYTES) ||
        n_others > (room - n_bodies * (GUID_NBYTES + START_NBYTES)) / GUID_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 0, "arrays run past the end of the file");
    const size_t others_off = HEAD_NBYTES + (size_t)n_bodies * GUID_NBYTES,
                 starts_off = others_off + (size_t)n_others * GUID_NBYTES,
                 nbytes = starts_off + ((size_t)n_bodies + 1) * START_NBYTES;
    if (nbytes != in.n)
        return bo_fail(err, BO_CORRUPT, nbytes, "bytes after the arrays");
    if (n_bodies + n_others > UINT32_MAX / 16)
        return bo_fail(err, BO_CORRUPT, 0, "number of GUIDs is 2^28 or more");
    *reader = (struct reader){in.p + HEAD_NBYTES, in.p + others_off, in.p + starts_off,
                              (size_t)n_bodies, (size_t)n_others};
    return BO_OK;
}

/* Walks the tree below node i in order; false when the GUIDs do not ascend. */
static bool ascends(const uint8_t *guids, size_t n, size_t i, bool *is_first, uint64_t *last)
{
    if (i >= n)
        return true;
    const uint64_t guid = bo_le64(guids + i * GUID_NBYTES);
    if (!ascends(guids, n, 2 * i + 1, is_first, last) || (!*is_first && guid <= *last))
        return false;
    *is_first = false;
    *last = guid;
    return ascends(guids, n, 2 * i + 2, is_first, last);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader reader;
    struct bo_records *model;
    uint64_t last = 0;
    bool is_first = true;
    const enum bo_status status = read_head(in, &reader, err);
    if (status)
        return status;
    struct guid_entry *entries = guid_new_model(reader.n_bodies + reader.n_others, arena, &model);
    if (!entries)
        return bo_fail_alloc(err, arena);
    if (!ascends(reader.bodies, reader.n_bodies, 0, &is_first, &last))
        return bo_fail(err, BO_CORRUPT, HEAD_NBYTES, "GUIDs are not in breadth-first order");
    is_first = true;
    if (!ascends(reader.others, reader.n_others, 0, &is_first, &last))
        return bo_fail(err, BO_CORRUPT, (size_t)(reader.others - in.p),
                       "GUIDs are not in breadth-first order");
    if (bo_le32(reader.starts) != 0)
        return bo_fail(err, BO_CORRUPT, (size_t)(reader.starts - in.p),
                       "first body does not start at 0");
    for (size_t i = 0; i < reader.n_bodies; i++) {
        const uint8_t *start = reader.starts + i * START_NBYTES;
        const uint32_t nbytes = bo_le32(start + START_NBYTES) - bo_le32(start);
        if (bo_le32(start + START_NBYTES) <= bo_le32(start) || nbytes > GUID_MAX_BODY_NBYTES)
            return bo_fail(err, BO_CORRUPT, (size_t)(start + START_NBYTES - in.p),
                           "body ends before its start or is too long");
        entries[i] = (struct guid_entry){bo_le64(reader.bodies + i * GUID_NBYTES), nbytes};
    }
    for (size_t i = 0; i < reader.n_others; i++)
        entries[reader.n_bodies + i] =
            (struct guid_entry){bo_le64(reader.others + i * GUID_NBYTES), GUID_NO_BODY};
    if (!bo_records_settle(&guid_shape, model, arena))
        return bo_fail_alloc(err, arena);
    if (model->n != reader.n_bodies + reader.n_others)
        return bo_fail(err, BO_CORRUPT, HEAD_NBYTES, "GUID is both with and without a body");
    *model_ret = model;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    *reader_ret = reader;
    return reader ? read_head(in, reader, err) : bo_fail_alloc(err, arena);
}

/* The index of a GUID, or n. As LLVM's reader, stops when the GUID is found. */
static inline size_t step_down(const uint8_t *guids, size_t n, uint64_t guid)
{
    size_t i = 0;
    while (i < n) {
        const uint64_t here = bo_le64(guids + i * GUID_NBYTES);
        if (here == guid)
            return i;
        i = 2 * i + 1 + (here < guid);
    }
    return n;
}

/* The same without branches: down to a leaf, then back to the last node that is not less. */
static inline size_t step_down_ahead(const uint8_t *guids, size_t n, uint64_t guid)
{
    size_t i = 1;
    while (i <= n) {
        __builtin_prefetch(guids + (8 * i - 1) * GUID_NBYTES);
        i = 2 * i + (bo_le64(guids + (i - 1) * GUID_NBYTES) < guid);
    }
    i >>= __builtin_ctzll(~(unsigned long long)i) + 1;
    return i && bo_le64(guids + (i - 1) * GUID_NBYTES) == guid ? i - 1 : n;
}

static inline struct guid_find_answer answer_at(const struct reader *reader, size_t body)
{
    const uint8_t *start = reader->starts + body * START_NBYTES;
    return guid_extent(bo_le32(start), bo_le32(start + START_NBYTES));
}

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    const struct guid_find_query *q = queries;
    struct guid_find_answer *a = answers;
    for (size_t i = 0; i < n; i++) {
        const size_t body = step_down(reader->bodies, reader->n_bodies, q[i].guid);
        if (body < reader->n_bodies)
            a[i] = answer_at(reader, body);
        else
            a[i] = (struct guid_find_answer){
                step_down(reader->others, reader->n_others, q[i].guid) < reader->n_others
                    ? GUID_IS_MEMBER
                    : GUID_ABSENT,
                0};
    }
    return BO_OK;
}

static enum bo_status query_ahead(const struct bo_codec *self, void *opaque, unsigned kind,
                                  const void *queries, size_t n, void *answers,
                                  struct bo_error *err)
{
    const struct reader *reader = opaque;
    const struct guid_find_query *q = queries;
    struct guid_find_answer *a = answers;
    for (size_t i = 0; i < n; i++) {
        const size_t body = step_down_ahead(reader->bodies, reader->n_bodies, q[i].guid);
        if (body < reader->n_bodies)
            a[i] = answer_at(reader, body);
        else
            a[i] = (struct guid_find_answer){
                step_down_ahead(reader->others, reader->n_others, q[i].guid) < reader->n_others
                    ? GUID_IS_MEMBER
                    : GUID_ABSENT,
                0};
    }
    return BO_OK;
}

#define SHARED                                                                           \
    .spec = "codecs/guid/README.md#eytzinger", .role = BO_PROPOSED, .access = BO_RANDOM, \
    .lazy = true, .kinds = 1u << GUID_FIND, .encode = encode, .decode = decode, .open = open

const struct bo_codec guid_eytzinger = {
    .name = "eytzinger",
    .summary = "breadth-first order, as LLVM's main branch",
    SHARED,
    .query = query,
};

const struct bo_codec guid_eytzinger_prefetch = {
    .name = "eytzinger-prefetch",
    .summary = "the same bytes without branches, lines fetched ahead",
    .reads = "eytzinger",
    SHARED,
    .query = query_ahead,
};
