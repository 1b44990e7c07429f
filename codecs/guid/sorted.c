/*
 * sorted: an array of GUIDs and one of the ends of bodies, found by binary search. A control. All
 * integers are little-endian.
 *
 *   u64  n
 *   n    u64  GUID, ascending
 *   n    u32  end of the body: it starts where the one before ends, the first at 0. No body: the
 *             end of the one before
 */
#include "codecs/guid/guid.h"

enum { HEAD_NBYTES = 8, GUID_NBYTES = 8, END_NBYTES = 4 };

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct guid_entry *entries;
    size_t n;
    uint32_t total, end = 0;
    const enum bo_status status = guid_entries32(model, &entries, &n, &total, err);
    if (status)
        return status;
    bo_mark(out, "guids");
    bo_put_le64(out, n);
    for (size_t i = 0; i < n; i++)
        bo_put_le64(out, entries[i].guid);
    bo_mark(out, "offsets");
    for (size_t i = 0; i < n; i++)
        bo_put_le32(out, end += guid_nbytes(&entries[i]));
    return bo_writer_status(out, err);
}

struct reader {
    const uint8_t *guids, *ends;
    size_t n;
};

static enum bo_status read_head(struct bo_span in, struct reader *reader, struct bo_error *err)
{
    if (in.n < HEAD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 0, "file is shorter than its header");
    const uint64_t n = bo_le64(in.p);
    if ((in.n - HEAD_NBYTES) / (GUID_NBYTES + END_NBYTES) < n)
        return bo_fail(err, BO_TRUNCATED, 0, "arrays run past the end of the file");
    const size_t nbytes = HEAD_NBYTES + (size_t)n * (GUID_NBYTES + END_NBYTES);
    if (nbytes != in.n)
        return bo_fail(err, BO_CORRUPT, nbytes, "bytes after the arrays");
    if (n > UINT32_MAX / 16)
        return bo_fail(err, BO_CORRUPT, 0, "number of GUIDs is 2^28 or more");
    *reader = (struct reader){in.p + HEAD_NBYTES, in.p + HEAD_NBYTES + n * GUID_NBYTES, (size_t)n};
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader reader;
    struct bo_records *model;
    uint32_t start = 0;
    const enum bo_status status = read_head(in, &reader, err);
    if (status)
        return status;
    struct guid_entry *entries = guid_new_model(reader.n, arena, &model);
    if (!entries)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < reader.n; i++) {
        const uint32_t end = bo_le32(reader.ends + i * END_NBYTES);
        entries[i].guid = bo_le64(reader.guids + i * GUID_NBYTES);
        if (i && entries[i].guid <= entries[i - 1].guid)
            return bo_fail(err, BO_CORRUPT, HEAD_NBYTES + i * GUID_NBYTES, "GUIDs do not ascend");
        if (end < start || end - start > GUID_MAX_BODY_NBYTES)
            return bo_fail(err, BO_CORRUPT, (size_t)(reader.ends - in.p) + i * END_NBYTES,
                           "body ends before its start or is too long");
        entries[i].nbytes = end == start ? GUID_NO_BODY : end - start;
        start = end;
    }
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
        size_t at = 0;
        for (size_t left = reader->n; left > 1;) {
            const size_t half = left / 2;
            at += bo_le64(reader->guids + (at + half) * GUID_NBYTES) <= q[i].guid ? half : 0;
            left -= half;
        }
        if (!reader->n || bo_le64(reader->guids + at * GUID_NBYTES) != q[i].guid) {
            a[i] = (struct guid_find_answer){GUID_ABSENT, 0};
            continue;
        }
        const uint8_t *end = reader->ends + at * END_NBYTES;
        a[i] = guid_extent(at ? bo_le32(end - END_NBYTES) : 0, bo_le32(end));
    }
    return BO_OK;
}

const struct bo_codec guid_sorted = {
    .name = "sorted",
    .summary = "a sorted array, binary search",
    .spec = "codecs/guid/README.md#sorted",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .lazy = true,
    .kinds = 1u << GUID_FIND,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
