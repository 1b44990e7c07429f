/*
 * chained: a chained hash table as LLVM's OnDiskChainedHashTable lays it out. A control. All
 * integers are little-endian.
 *
 *   u32  n
 *   u32  B, a power of two: 1 for n below 3, else the least above floor(4 n / 3)
 *   B    u64  where the bucket's items are, from byte 0; 0 for an empty bucket
 *   the buckets that are not empty, one after the other:
 *     u16  items, above 0
 *     items, by GUID: u64 GUID, its low bits choose the bucket; u32 start of its body
 *   u32  bytes of all bodies
 *
 * A body ends where that of the item after it starts; without a body, both start at one place.
 */
#include "codecs/guid/guid.h"

enum { HEAD_NBYTES = 8, BUCKET_NBYTES = 8, COUNT_NBYTES = 2, ITEM_NBYTES = 12, TOTAL_NBYTES = 4 };

static uint32_t n_buckets_for(size_t n)
{
    uint32_t n_buckets = 1;
    while (n > 2 && n_buckets <= 4 * (uint64_t)n / 3)
        n_buckets *= 2;
    return n_buckets;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The entries by bucket: those of b are by_bucket[first[b]] to [first[b + 1] - 1]. */
struct plan {
    uint32_t n_buckets, *first;
    const struct guid_entry **by_bucket;
};

static bool make_plan(const struct guid_entry *entries, size_t n, struct bo_arena *arena,
                      struct plan *plan)
{
    plan->n_buckets = n_buckets_for(n);
    const uint64_t mask = plan->n_buckets - 1;
    plan->first = bo_zalloc_array(arena, (size_t)plan->n_buckets + 2, sizeof *plan->first);
    plan->by_bucket = bo_alloc_array(arena, n, sizeof *plan->by_bucket);
    if (!plan->first || !plan->by_bucket)
        return false;
    for (size_t i = 0; i < n; i++)
        plan->first[(entries[i].guid & mask) + 2]++;
    for (size_t b = 2; b <= plan->n_buckets; b++)
        plan->first[b] += plan->first[b - 1];
    for (size_t i = 0; i < n; i++)
        plan->by_bucket[plan->first[(entries[i].guid & mask) + 1]++] = &entries[i];
    return true;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct guid_entry *entries;
    struct plan plan;
    size_t n;
    uint32_t total, start = 0;
    const enum bo_status status = guid_entries32(model, &entries, &n, &total, err);
    if (status)
        return status;
    if (!make_plan(entries, n, out->arena, &plan))
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "buckets");
    bo_put_le32(out, (uint32_t)n);
    bo_put_le32(out, plan.n_buckets);
    uint64_t off = HEAD_NBYTES + (uint64_t)plan.n_buckets * BUCKET_NBYTES;
    for (uint32_t b = 0; b < plan.n_buckets; b++) {
        const uint32_t n_items = plan.first[b + 1] - plan.first[b];
        if (n_items > UINT16_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "bucket has 2^16 GUIDs or more");
        bo_put_le64(out, n_items ? off : 0);
        off += n_items ? COUNT_NBYTES + n_items * (uint64_t)ITEM_NBYTES : 0;
    }
    bo_mark(out, "items");
    for (uint32_t b = 0; b < plan.n_buckets; b++) {
        if (plan.first[b + 1] > plan.first[b])
            bo_put_le16(out, (uint16_t)(plan.first[b + 1] - plan.first[b]));
        for (uint32_t i = plan.first[b]; i < plan.first[b + 1]; i++) {
            bo_put_le64(out, plan.by_bucket[i]->guid);
            bo_put_le32(out, start);
            start += guid_nbytes(plan.by_bucket[i]);
        }
    }
    bo_put_le32(out, total);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct bo_span in;
    uint64_t mask;
    size_t items_off, end_off; /* where items may be: up to the last u32 */
    uint32_t n;
};

static enum bo_status read_head(struct bo_span in, struct reader *reader, struct bo_error *err)
{
    if (in.n < HEAD_NBYTES + TOTAL_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 0, "file is shorter than its header");
    const uint32_t n = bo_le32(in.p), n_buckets = bo_le32(in.p + 4);
    if (n > UINT32_MAX / 16 || n_buckets != n_buckets_for(n))
        return bo_fail(err, BO_CORRUPT, 4, "number of buckets is not that for the GUIDs");
    if ((in.n - HEAD_NBYTES - TOTAL_NBYTES) / BUCKET_NBYTES < n_buckets)
        return bo_fail(err, BO_TRUNCATED, 4, "buckets run past the end of the file");
    *reader = (struct reader){.in = in,
                              .mask = n_buckets - 1,
                              .items_off = HEAD_NBYTES + (size_t)n_buckets * BUCKET_NBYTES,
                              .end_off = in.n - TOTAL_NBYTES,
                              .n = n};
    return BO_OK;
}

/* Where the body of the item at `off` ends. */
static inline uint32_t end_of(const struct reader *reader, size_t off, bool is_last)
{
    const size_t next = off + ITEM_NBYTES;
    if (next >= reader->end_off)
        return bo_le32(reader->in.p + reader->end_off);
    /* Less than one item after a bucket: the file is damaged. */
    const size_t start = next + (is_last ? COUNT_NBYTES : 0) + 8;
    return bo_le32(reader->in.p + (start < reader->end_off ? start : reader->end_off));
}

/* The bucket's number of items and where they start, within the file; false when it is damaged. */
static inline bool read_bucket(const struct reader *reader, uint64_t bucket, uint32_t *n_ret,
                               size_t *off_ret)
{
    const uint64_t off = bo_le64(reader->in.p + HEAD_NBYTES + bucket * BUCKET_NBYTES);
    *n_ret = 0;
    if (off == 0)
        return true;
    if (off < reader->items_off || off > reader->end_off - COUNT_NBYTES)
        return false;
    *n_ret = bo_le16(reader->in.p + off);
    *off_ret = (size_t)off + COUNT_NBYTES;
    return *n_ret * (uint64_t)ITEM_NBYTES <= reader->end_off - *off_ret;
}

/* Reads the items of one bucket, which start at *off, where the buckets before end. */
static enum bo_status take_bucket(const struct reader *reader, uint64_t bucket, size_t *off,
                                  struct bo_records *model, struct bo_error *err)
{
    const size_t at = HEAD_NBYTES + (size_t)bucket * BUCKET_NBYTES;
    struct guid_entry *entries = model->items;
    uint32_t n_items;
    size_t item = 0;
    if (!read_bucket(reader, bucket, &n_items, &item))
        return bo_fail(err, BO_CORRUPT, at, "bucket is outside of the items");
    if (bo_le64(reader->in.p + at) == 0)
        return BO_OK;
    if (item != *off + COUNT_NBYTES || n_items == 0)
        return bo_fail(err, BO_CORRUPT, at, "bucket does not start where the one before ends");
    if (n_items > reader->n - model->n)
        return bo_fail(err, BO_CORRUPT, *off, "buckets have more items than there are GUIDs");
    for (uint32_t i = 0; i < n_items; i++, item += ITEM_NBYTES) {
        const uint64_t guid = bo_le64(reader->in.p + item);
        const uint32_t start = bo_le32(reader->in.p + item + 8);
        const uint32_t end = end_of(reader, item, i + 1 == n_items);
        if ((guid & reader->mask) != bucket || (i && guid <= entries[model->n - 1].guid))
            return bo_fail(err, BO_CORRUPT, item, "GUID is in the wrong bucket or out of order");
        if (end < start || end - start > GUID_MAX_BODY_NBYTES || (model->n == 0 && start))
            return bo_fail(err, BO_CORRUPT, item + 8, "body ends before its start or is too long");
        entries[model->n++] = (struct guid_entry){guid, end == start ? GUID_NO_BODY : end - start};
    }
    *off = item;
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader reader;
    struct bo_records *model;
    enum bo_status status = read_head(in, &reader, err);
    if (status)
        return status;
    if ((reader.end_off - reader.items_off) / ITEM_NBYTES < reader.n)
        return bo_fail(err, BO_TRUNCATED, 0, "items run past the end of the file");
    if (!guid_new_model(reader.n, arena, &model))
        return bo_fail_alloc(err, arena);
    size_t off = reader.items_off;
    model->n = 0;
    for (uint64_t bucket = 0; bucket <= reader.mask && !status; bucket++)
        status = take_bucket(&reader, bucket, &off, model, err);
    if (status)
        return status;
    if (model->n != reader.n || off != reader.end_off)
        return bo_fail(err, BO_CORRUPT, off, "buckets hold fewer items than announced");
    if (reader.n == 0 && bo_le32(in.p + reader.end_off) != 0)
        return bo_fail(err, BO_CORRUPT, off, "bodies without a GUID");
    if (!bo_records_settle(&guid_shape, model, arena))
        return bo_fail_alloc(err, arena);
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

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    const struct guid_find_query *q = queries;
    struct guid_find_answer *a = answers;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bucket = q[i].guid & reader->mask;
        uint32_t left;
        size_t off = 0;
        if (!read_bucket(reader, bucket, &left, &off))
            return bo_fail(err, BO_CORRUPT, HEAD_NBYTES + bucket * BUCKET_NBYTES,
                           "bucket is outside of the items");
        while (left && bo_le64(reader->in.p + off) != q[i].guid) {
            off += ITEM_NBYTES;
            left--;
        }
        a[i] = left ? guid_extent(bo_le32(reader->in.p + off + 8), end_of(reader, off, left == 1))
                    : (struct guid_find_answer){GUID_ABSENT, 0};
    }
    return BO_OK;
}

const struct bo_codec guid_chained = {
    .name = "chained",
    .summary = "a chained hash table, as LLVM's on-disk one",
    .spec = "codecs/guid/README.md#chained",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .lazy = true,
    .kinds = 1u << GUID_FIND,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
