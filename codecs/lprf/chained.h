/*
 * LLVM's OnDiskChainedHashTable, from name to data: what its readers share.
 *
 *       for each bucket with names, in order:
 *         u16  items, above 0
 *         for each item:
 *           u64  hash of the name
 *           u64  bytes of the name, above 0
 *           u64  bytes of the data
 *           the name
 *           the data
 *       zeros up to T, a multiple of 8
 *   T   u64  buckets B
 *       u64  names N
 *       u64  for each bucket the offset of its items; 0 without any
 *
 * Offsets count from byte 0. A name belongs to bucket (hash mod B). B is 1 for up to two names,
 * else the least power of two above 4/3 N.
 */
#ifndef LPRF_CHAINED_H
#define LPRF_CHAINED_H

#include "harness/core/bytes.h"
#include "harness/core/error.h"

enum {
    LPRF_COUNT_NBYTES = 2,     /* before a bucket's items */
    LPRF_ITEM_HEAD_NBYTES = 24 /* before an item's name */
};

struct lprf_chained {
    const uint8_t *p; /* byte 0 */
    size_t items_off, table_off;
    const uint8_t *buckets;
    uint64_t mask; /* B - 1 */
    uint64_t n_names;
};

static inline uint64_t lprf_n_buckets_for(uint64_t n_names)
{
    if (n_names <= 2)
        return 1;
    return UINT64_C(2) << (63 - __builtin_clzll(n_names * 4 / 3));
}

/*
 * Opens the table whose buckets end where `in` does, and whose offset T is the u64 at byte off_off.
 * `in` has at least 16 bytes after items_off.
 */
static inline enum bo_status lprf_open_chained(struct bo_span in, size_t items_off, size_t off_off,
                                               struct lprf_chained *table, struct bo_error *err)
{
    const uint64_t off = bo_le64(in.p + off_off);
    if (off < items_off || off > in.n - 16 || off % 8)
        return bo_fail(err, BO_CORRUPT, off_off, "table lies outside the index");
    const uint8_t *p = in.p + off;
    const uint64_t n_buckets = bo_le64(p), n_names = bo_le64(p + 8);
    if (n_names > in.n || n_buckets != lprf_n_buckets_for(n_names))
        return bo_fail(err, BO_CORRUPT, off, "number of buckets does not suit that of names");
    if ((in.n - off - 16) / 8 != n_buckets || (in.n - off) % 8)
        return bo_fail(err, BO_CORRUPT, off, "buckets do not end where the index does");
    *table = (struct lprf_chained){.p = in.p,
                                   .items_off = items_off,
                                   .table_off = (size_t)off,
                                   .buckets = p + 16,
                                   .mask = n_buckets - 1,
                                   .n_names = n_names};
    return BO_OK;
}

/* Reads the offset of a bucket's first item and its number of items; both are 0 without items. */
static inline enum bo_status lprf_read_bucket(const struct lprf_chained *table, uint64_t bucket,
                                              size_t *off_ret, unsigned *n_ret,
                                              struct bo_error *err)
{
    const uint8_t *p = table->buckets + 8 * (size_t)bucket;
    const uint64_t off = bo_le64(p);
    *off_ret = *n_ret = 0;
    if (off == 0)
        return BO_OK;
    if (off < table->items_off || off > table->table_off - LPRF_COUNT_NBYTES)
        return bo_fail(err, BO_CORRUPT, (size_t)(p - table->p), "bucket lies outside the items");
    *n_ret = bo_le16(table->p + off);
    *off_ret = (size_t)off + LPRF_COUNT_NBYTES;
    return BO_OK;
}

/*
 * The same for a bucket whose items have to start at *off, after those of the buckets before it;
 * moves *off to the first item.
 */
static inline enum bo_status lprf_next_bucket(const struct lprf_chained *table, uint64_t bucket,
                                              size_t *off, unsigned *n_ret, struct bo_error *err)
{
    size_t first_off;
    const enum bo_status status = lprf_read_bucket(table, bucket, &first_off, n_ret, err);
    if (status || first_off == 0)
        return status;
    if (first_off != *off + LPRF_COUNT_NBYTES)
        return bo_fail(err, BO_CORRUPT, (size_t)(table->buckets - table->p) + 8 * (size_t)bucket,
                       "items of a bucket do not start where the bucket before ends");
    if (*n_ret == 0)
        return bo_fail(err, BO_CORRUPT, *off, "bucket is empty");
    *off = first_off;
    return BO_OK;
}

struct lprf_item {
    uint64_t hash;
    struct bo_span name;
    size_t data_off, data_nbytes;
};

/* Reads the item at *off; moves *off past it. */
static inline enum bo_status lprf_read_item(const struct lprf_chained *table, size_t *off,
                                            struct lprf_item *item, struct bo_error *err)
{
    const uint8_t *p = table->p + *off;
    size_t left = table->table_off - *off;
    if (left < LPRF_ITEM_HEAD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, *off, "item runs into the table");
    left -= LPRF_ITEM_HEAD_NBYTES;
    const uint64_t name_nbytes = bo_le64(p + 8), data_nbytes = bo_le64(p + 16);
    if (name_nbytes > left)
        return bo_fail(err, BO_TRUNCATED, *off + 8, "name runs into the table");
    if (data_nbytes > left - name_nbytes)
        return bo_fail(err, BO_TRUNCATED, *off + 16, "data runs into the table");
    if (name_nbytes == 0)
        return bo_fail(err, BO_CORRUPT, *off + 8, "function without a name");
    item->hash = bo_le64(p);
    item->name = (struct bo_span){p + LPRF_ITEM_HEAD_NBYTES, (size_t)name_nbytes};
    item->data_off = *off + LPRF_ITEM_HEAD_NBYTES + (size_t)name_nbytes;
    item->data_nbytes = (size_t)data_nbytes;
    *off = item->data_off + (size_t)data_nbytes;
    return BO_OK;
}

/* Finds the item of a name whose hash is `hash`; *found_ret is true if there is one. */
static inline enum bo_status lprf_find_item(const struct lprf_chained *table, struct bo_span name,
                                            uint64_t hash, struct lprf_item *item, bool *found_ret,
                                            struct bo_error *err)
{
    size_t off;
    unsigned n;
    enum bo_status status = lprf_read_bucket(table, hash & table->mask, &off, &n, err);
    *found_ret = false;
    for (unsigned i = 0; i < n && !status && !*found_ret; i++) {
        status = lprf_read_item(table, &off, item, err);
        *found_ret = !status && item->hash == hash && bo_span_equal(item->name, name);
    }
    return status;
}

#endif
