/*
 * The codings of a function's record: its hash, its number of counters and the counters.
 *   u64     the seed's: u64 hash, u64 n, u64 counters[n], little-endian
 *   varint  u64 hash, varint n, varint counters[n]
 *   packed  varint i: the function has the hash and number of entry i of the hash table. If the
 *           entry's number is 0, a varint n follows i. A single counter is a varint. Several
 *           counters are a bitmap of n bits, least significant first, padded with zeros to whole
 *           bytes, whose set bits mark the counters above 0, then varints of those counters.
 * varints are unsigned LEB128 in their shortest form. packed stores the distinct pairs of hash
 * and number at the start of the counter section. The order is by frequency, most frequent first,
 * then by hash, then by number:
 *   u32  entries m
 *   m x u64  hash
 *   m x u8   number of counters, 0 when it is above 255
 * Encoders use struct lprf_coding. Decoding is inlined into each codec (cross.h), because every
 * lookup ends with it.
 */
#ifndef LPRF_COUNTERS_H
#define LPRF_COUNTERS_H

#include "codecs/lprf/lprf.h"

struct lprf_entries;
struct lprf_writer;

struct lprf_coding {
    const char *name;
    unsigned number; /* in the file's version */
    /* Fills w->coding_state for the functions below; NULL when they need no state. */
    enum bo_status (*prepare)(struct lprf_writer *w, struct bo_error *err);
    /* The part that all records share, at the start of the counter section. */
    size_t (*shared_nbytes)(const struct lprf_writer *w);
    void (*put_shared)(struct lprf_writer *w);
    size_t (*record_nbytes)(const struct lprf_writer *w, size_t function);
    void (*put_record)(struct lprf_writer *w, size_t function);
};

extern const struct lprf_coding lprf_u64, lprf_varint, lprf_packed;

/* ---- reading --------------------------------------------------------------------------------- */

/* What packed records share. */
struct lprf_hash_table {
    const uint8_t *hashes, *numbers;
    uint32_t n;
};

/* An opened file, as an index and a counter coding use it. */
struct lprf_file {
    struct bo_span in;
    uint64_t maximum;
    size_t end_of_index; /* the counter section starts here */
    size_t records_off;  /* the records start here, after what they share */
    struct lprf_hash_table table;
    struct bo_arena *arena; /* for what a query needs while it runs */
};

/* A record whose counters have not been read yet. */
struct lprf_record {
    uint64_t hash, n_counters;
    size_t off; /* of the counters */
};

/* Reads a varint at *off, below `end`; moves *off past it. */
static inline enum bo_status lprf_read_varint(struct bo_span in, size_t *off, uint64_t *v_ret,
                                              struct bo_error *err)
{
    if (__builtin_expect(*off < in.n && in.p[*off] < 0x80, 1)) {
        *v_ret = in.p[(*off)++];
        return BO_OK;
    }
    struct bo_cursor c = {.p = in.p, .n = in.n, .off = *off < in.n ? *off : in.n};
    const enum bo_status status = bo_get_uvarint64(&c, v_ret, err);
    *off = c.off;
    return status;
}

/*
 * Each coding's readers. Errors have the offset of the byte concerned.
 *   open_shared    sets file->records_off to the end of the part that all records share
 *   read_head      reads a record up to its counters; their number is at least 1, and no more than
 *                  the rest of the file can contain
 *   read_counters  reads these to counters[n_counters], and sets *end_ret to the record's end
 *   check_shared   checks the part that all records share, after all records have been read, given
 *                  their entries
 */
static inline enum bo_status lprf_u64_open_shared(struct lprf_file *file, struct bo_error *err)
{
    file->records_off = file->end_of_index;
    return BO_OK;
}

static inline enum bo_status lprf_u64_read_head(const struct lprf_file *file, size_t off,
                                                struct lprf_record *record, struct bo_error *err)
{
    const struct bo_span in = file->in;
    if (in.n < 16 || off > in.n - 16)
        return bo_fail(err, BO_TRUNCATED, off, "record runs past the file's end");
    record->hash = bo_le64(in.p + off);
    record->n_counters = bo_le64(in.p + off + 8);
    record->off = off + 16;
    if (record->n_counters == 0)
        return bo_fail(err, BO_CORRUPT, off + 8, "function without a counter");
    if (record->n_counters > (in.n - record->off) / 8)
        return bo_fail(err, BO_TRUNCATED, off + 8, "counters run past the file's end");
    return BO_OK;
}

static inline enum bo_status lprf_u64_read_counters(const struct lprf_file *file,
                                                    const struct lprf_record *record,
                                                    uint64_t *counters, size_t *end_ret,
                                                    struct bo_error *err)
{
    const uint8_t *p = file->in.p + record->off;
    for (size_t i = 0; i < record->n_counters; i++)
        counters[i] = bo_le64(p + 8 * i);
    *end_ret = record->off + 8 * (size_t)record->n_counters;
    return BO_OK;
}

static inline enum bo_status lprf_u64_check_shared(const struct lprf_file *file,
                                                   const struct lprf_entries *entries,
                                                   struct bo_error *err)
{
    (void)file, (void)entries, (void)err;
    return BO_OK;
}

static inline enum bo_status lprf_varint_open_shared(struct lprf_file *file, struct bo_error *err)
{
    return lprf_u64_open_shared(file, err);
}

static inline enum bo_status lprf_varint_read_head(const struct lprf_file *file, size_t off,
                                                   struct lprf_record *record, struct bo_error *err)
{
    const struct bo_span in = file->in;
    if (in.n < 8 || off > in.n - 8)
        return bo_fail(err, BO_TRUNCATED, off, "record runs past the file's end");
    record->hash = bo_le64(in.p + off);
    record->off = off + 8;
    const enum bo_status status = lprf_read_varint(in, &record->off, &record->n_counters, err);
    if (status)
        return status;
    if (record->n_counters == 0)
        return bo_fail(err, BO_CORRUPT, off + 8, "function without a counter");
    if (record->n_counters > in.n - record->off)
        return bo_fail(err, BO_TRUNCATED, off + 8, "counters run past the file's end");
    return BO_OK;
}

static inline enum bo_status lprf_varint_read_counters(const struct lprf_file *file,
                                                       const struct lprf_record *record,
                                                       uint64_t *counters, size_t *end_ret,
                                                       struct bo_error *err)
{
    size_t off = record->off;
    for (size_t i = 0; i < record->n_counters; i++) {
        const enum bo_status status = lprf_read_varint(file->in, &off, &counters[i], err);
        if (status)
            return status;
    }
    *end_ret = off;
    return BO_OK;
}

static inline enum bo_status lprf_varint_check_shared(const struct lprf_file *file,
                                                      const struct lprf_entries *entries,
                                                      struct bo_error *err)
{
    return lprf_u64_check_shared(file, entries, err);
}

static inline enum bo_status lprf_packed_open_shared(struct lprf_file *file, struct bo_error *err)
{
    const struct bo_span in = file->in;
    const size_t off = file->end_of_index;
    if (in.n - off < 4)
        return bo_fail(err, BO_TRUNCATED, off, "file ends in the hash table");
    file->table.n = bo_le32(in.p + off);
    if ((in.n - off - 4) / 9 < file->table.n)
        return bo_fail(err, BO_TRUNCATED, off, "hash table runs past the file's end");
    file->table.hashes = in.p + off + 4;
    file->table.numbers = file->table.hashes + 8 * (size_t)file->table.n;
    file->records_off = off + 4 + 9 * (size_t)file->table.n;
    return BO_OK;
}

static inline enum bo_status lprf_packed_read_head(const struct lprf_file *file, size_t off,
                                                   struct lprf_record *record, struct bo_error *err)
{
    uint64_t entry;
    record->off = off;
    enum bo_status status = lprf_read_varint(file->in, &record->off, &entry, err);
    if (status)
        return status;
    if (entry >= file->table.n)
        return bo_fail(err, BO_CORRUPT, off, "record's entry of the hash table is out of range");
    record->hash = bo_le64(file->table.hashes + 8 * (size_t)entry);
    record->n_counters = file->table.numbers[entry];
    if (record->n_counters == 0) {
        const size_t number_off = record->off;
        status = lprf_read_varint(file->in, &record->off, &record->n_counters, err);
        if (status)
            return status;
        if (record->n_counters <= UINT8_MAX)
            return bo_fail(err, BO_CORRUPT, number_off,
                           "number of counters is stored in the record, but fits the hash table");
    }
    if (record->n_counters / 8 > file->in.n - record->off)
        return bo_fail(err, BO_TRUNCATED, off, "counters run past the file's end");
    return BO_OK;
}

static inline enum bo_status lprf_packed_read_counters(const struct lprf_file *file,
                                                       const struct lprf_record *record,
                                                       uint64_t *counters, size_t *end_ret,
                                                       struct bo_error *err)
{
    const size_t n = (size_t)record->n_counters;
    *end_ret = record->off;
    if (n == 1)
        return lprf_read_varint(file->in, end_ret, counters, err);
    if ((n + 7) / 8 > file->in.n - record->off)
        return bo_fail(err, BO_TRUNCATED, record->off, "bitmap runs past the file's end");
    const uint8_t *bitmap = file->in.p + record->off;
    *end_ret += (n + 7) / 8;
    if (n % 8 && bitmap[n / 8] >> n % 8)
        return bo_fail(err, BO_CORRUPT, *end_ret - 1, "bitmap has bits beyond its counters");
    for (size_t i = 0; i < n; i++) {
        counters[i] = 0;
        if (!(bitmap[i / 8] >> i % 8 & 1))
            continue;
        const size_t off = *end_ret;
        const enum bo_status status = lprf_read_varint(file->in, end_ret, &counters[i], err);
        if (status)
            return status;
        if (counters[i] == 0)
            return bo_fail(err, BO_CORRUPT, off, "counter is 0, but its bit in the bitmap is 1");
    }
    return BO_OK;
}

enum bo_status lprf_packed_check_shared(const struct lprf_file *file,
                                        const struct lprf_entries *entries, struct bo_error *err);

#endif
