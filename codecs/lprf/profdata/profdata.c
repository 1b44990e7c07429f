/*
 * profdata: the status quo, the indexed profile of a front end as LLVM 22 writes it (version 13).
 *
 *   0   ff "lprofi" 81
 *   8   u64  version: 13; its high bits are flags of other kinds of profiles
 *   16  u64  0
 *   24  u64  kind of the hash: 0, the first 8 bytes of MD5
 *   32  u64  T, where the table starts
 *   40  u64  0: no memory profile
 *   48  u64  where the binary ids start
 *   56  u64  0: no temporal profile
 *   64  u64  where the names of vtables start
 *   72  56 x u64  the summary (summary.c)
 *   520 the items of all buckets (chained.h). The data of an item is for each of the name's
 *       functions
 *         u64  hash
 *         u64  counters n, above 0
 *         n x u64  counter
 *         u64  bitmap bytes: 0
 *         u32  bytes of the value data: 8
 *         u32  kinds of values: 0
 *   T   the table
 *       u64  bytes of the binary ids: 0
 *       u64  bytes of the names of vtables: 0
 *
 * The order of items and records is that of tables in LLVM's memory (write.c). The format does not
 * store the order of the functions, so the codec accepts only profiles in the order in which LLVM's
 * tools print them, by name, then by hash.
 *
 * A lookup checks only the bytes that it reads. decode compares the whole file with what the
 * encoder writes for its functions.
 */
#include "codecs/lprf/profdata/profdata.h"

#include "codecs/lprf/chained.h"
#include "codecs/lprf/file.h"
#include "codecs/lprf/model.h"
#include "harness/core/md5.h"

const uint8_t profdata_magic[8] = {0xff, 'l', 'p', 'r', 'o', 'f', 'i', 0x81};

struct reader {
    struct lprf_chained table;
    struct bo_arena *arena; /* for what a query needs while it runs */
};

static enum bo_status open_table(struct bo_span in, struct lprf_chained *table,
                                 struct bo_error *err)
{
    enum { HASH_KIND_OFF = 24, MEMORY_OFF = 40, TEMPORAL_OFF = 56 };
    if (in.n < PROFDATA_ITEMS_OFF + 16 + PROFDATA_TAIL_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file ends in the header");
    if (memcmp(in.p, profdata_magic, sizeof profdata_magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of an indexed profile");
    if (bo_le64(in.p + PROFDATA_VERSION_OFF) != PROFDATA_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, PROFDATA_VERSION_OFF,
                       "not version 13 of a front end's profile");
    if (bo_le64(in.p + HASH_KIND_OFF) != 0)
        return bo_fail(err, BO_UNSUPPORTED, HASH_KIND_OFF, "hash is of an unknown kind");
    if (bo_le64(in.p + MEMORY_OFF) != 0)
        return bo_fail(err, BO_UNSUPPORTED, MEMORY_OFF, "memory profiles are not supported");
    if (bo_le64(in.p + TEMPORAL_OFF) != 0)
        return bo_fail(err, BO_UNSUPPORTED, TEMPORAL_OFF, "temporal profiles are not supported");
    const struct bo_span index = {in.p, in.n - PROFDATA_TAIL_NBYTES};
    return lprf_open_chained(index, PROFDATA_ITEMS_OFF, PROFDATA_TABLE_OFF_OFF, table, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    if (!reader)
        return bo_fail_alloc(err, arena);
    reader->arena = arena;
    *reader_ret = reader;
    return open_table(in, &reader->table, err);
}

/* ---- records --------------------------------------------------------------------------------- */

struct record {
    uint64_t hash;
    size_t n_counters;
    const uint8_t *counters; /* NULL: no record */
};

static inline void copy_counters(const struct record *record, uint64_t *counters)
{
    for (size_t i = 0; i < record->n_counters; i++)
        counters[i] = bo_le64(record->counters + 8 * i);
}

/* Reads the record at *off, of the item whose data ends at `end`; moves *off past it. */
static inline enum bo_status read_record(const struct lprf_chained *table, size_t *off, size_t end,
                                         struct record *record, struct bo_error *err)
{
    const uint8_t *p = table->p + *off;
    if (end - *off < PROFDATA_RECORD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, *off, "record runs past its item's end");
    const uint64_t n = bo_le64(p + 8);
    if (n > (end - *off - PROFDATA_RECORD_NBYTES) / 8)
        return bo_fail(err, BO_TRUNCATED, *off + 8, "counters run past their item's end");
    if (n == 0)
        return bo_fail(err, BO_CORRUPT, *off + 8, "function without a counter");
    *record = (struct record){bo_le64(p), (size_t)n, p + 16};
    const size_t tail_off = *off + 16 + 8 * (size_t)n;
    if (bo_le64(table->p + tail_off) != 0)
        return bo_fail(err, BO_UNSUPPORTED, tail_off, "MC/DC bitmaps are not supported");
    if (bo_le64(table->p + tail_off + 8) != PROFDATA_VALUE_DATA)
        return bo_fail(err, BO_UNSUPPORTED, tail_off + 8, "value profiles are not supported");
    *off = tail_off + 16;
    return BO_OK;
}

/* ---- lookups --------------------------------------------------------------------------------- */

static inline enum bo_status find_item(const struct reader *reader, struct bo_span name,
                                       struct lprf_item *item, bool *found_ret,
                                       struct bo_error *err)
{
    return lprf_find_item(&reader->table, name, bo_md5_low64(name), item, found_ret, err);
}

/*
 * Finds, of the functions of a name, the one whose hash is *hash or, if `hash` is NULL, the one
 * with the lowest hash. There are no counters if no function matches.
 */
static inline enum bo_status find(const struct reader *reader, struct bo_span name,
                                  const uint64_t *hash, struct record *found, struct bo_error *err)
{
    struct lprf_item item;
    bool is_there;
    enum bo_status status = find_item(reader, name, &item, &is_there, err);
    *found = (struct record){0, 0, NULL};
    if (status || !is_there)
        return status;
    const size_t end = item.data_off + item.data_nbytes;
    for (size_t off = item.data_off; off < end;) {
        struct record record;
        if ((status = read_record(&reader->table, &off, end, &record, err)))
            return status;
        if (hash ? record.hash == *hash : !found->counters || record.hash < found->hash)
            *found = record;
        if (hash && found->counters)
            break;
    }
    return BO_OK;
}

static enum bo_status answer(const struct record *record, struct bo_sink *sink)
{
    struct lprf_answer *taken = bo_sink_take(sink, sizeof *taken + 8 * record->n_counters);
    if (!taken)
        return BO_OVER_LIMIT;
    taken->hash = record->hash;
    taken->n_counters = record->n_counters;
    copy_counters(record, taken->counters);
    return BO_OK;
}

static enum bo_status lookup(const struct reader *reader, const struct lprf_name_query *queries,
                             size_t n, struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct record record;
        status = find(reader, queries[i].name, NULL, &record, err);
        if (!status)
            status = answer(&record, sink);
    }
    return status;
}

static enum bo_status lookup_key(const struct reader *reader, const struct lprf_key_query *queries,
                                 size_t n, struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct record record;
        status = find(reader, queries[i].name, &queries[i].hash, &record, err);
        if (!status)
            status = answer(&record, sink);
    }
    return status;
}

static enum bo_status contains(const struct reader *reader, const struct lprf_name_query *queries,
                               size_t n, uint32_t *answers, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct lprf_item item;
        bool found;
        status = find_item(reader, queries[i].name, &item, &found, err);
        answers[i] = found;
    }
    return status;
}

/* ---- all functions --------------------------------------------------------------------------- */

static enum bo_status collect_item(const struct lprf_chained *table, const struct lprf_item *item,
                                   struct lprf_entries *entries, struct bo_error *err)
{
    const size_t end = item->data_off + item->data_nbytes;
    for (size_t off = item->data_off; off < end;) {
        struct lprf_entry entry = {.name = item->name, .off = off};
        struct record record;
        enum bo_status status = read_record(table, &off, end, &record, err);
        entry.order = record.hash;
        if (status || (status = lprf_collect(entries, &entry, err)))
            return status;
    }
    return BO_OK;
}

/* All functions by name and hash; the offsets are of their records, which have been checked. */
static enum bo_status collect(const struct lprf_chained *table, struct bo_arena *arena,
                              struct lprf_entries *entries, struct bo_error *err)
{
    size_t off = PROFDATA_ITEMS_OFF;
    *entries = (struct lprf_entries){.arena = arena};
    for (uint64_t bucket = 0; bucket <= table->mask; bucket++) {
        struct lprf_item item;
        unsigned n;
        enum bo_status status = lprf_next_bucket(table, bucket, &off, &n, err);
        for (unsigned i = 0; i < n && !status; i++) {
            status = lprf_read_item(table, &off, &item, err);
            if (!status)
                status = collect_item(table, &item, entries, err);
        }
        if (status)
            return status;
    }
    return lprf_sort_by_name(entries, err);
}

static struct record record_at(const struct lprf_chained *table, size_t off)
{
    const uint8_t *p = table->p + off;
    return (struct record){bo_le64(p), (size_t)bo_le64(p + 8), p + 16};
}

static enum bo_status emit(const struct lprf_chained *table, const struct lprf_entry *entry,
                           struct bo_sink *sink)
{
    const struct record record = record_at(table, entry->off);
    const size_t padded = (entry->name.n + 7) / 8 * 8;
    struct lprf_visited *visited =
        bo_sink_take(sink, sizeof *visited + 8 * record.n_counters + padded);
    if (!visited)
        return BO_OVER_LIMIT;
    visited->name_nbytes = entry->name.n;
    visited->hash = record.hash;
    visited->n_counters = record.n_counters;
    copy_counters(&record, visited->counters);
    uint8_t *name = (uint8_t *)(visited->counters + record.n_counters);
    bo_set_le64(name + padded - 8, 0);
    memcpy(name, entry->name.p, entry->name.n);
    return BO_OK;
}

/* File order is alphabetical order, so there is one iteration. */
static enum bo_status iterate(const struct reader *reader, size_t n, struct bo_sink *sink,
                              struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(reader->arena);
        struct lprf_entries entries;
        status = collect(&reader->table, reader->arena, &entries, err);
        for (size_t f = 0; f < entries.n && !status; f++)
            status = emit(&reader->table, &entries.p[f], sink);
        bo_arena_rewind(reader->arena, mark);
    }
    return status;
}

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    switch (kind) {
    case LPRF_LOOKUP:
        return lookup(reader, queries, n, answers, err);
    case LPRF_LOOKUP_KEY:
        return lookup_key(reader, queries, n, answers, err);
    case LPRF_CONTAINS:
        return contains(reader, queries, n, answers, err);
    case LPRF_SUMMARY:
        for (size_t i = 0; i < n; i++)
            ((uint64_t *)answers)[i] = bo_le64(reader->table.p + PROFDATA_MAXIMUM_OFF);
        return BO_OK;
    default:
        return iterate(reader, n, answers, err);
    }
}

/* ---- decoding -------------------------------------------------------------------------------- */

static enum bo_status make_model(const struct lprf_chained *table,
                                 const struct lprf_entries *entries, struct lprf_model *model,
                                 struct bo_error *err)
{
    struct bo_arena *arena = entries->arena;
    struct lprf_function *functions = bo_alloc_array(arena, entries->n, sizeof *functions);
    size_t n_counters = 0, function;
    for (size_t f = 0; f < entries->n; f++)
        n_counters += record_at(table, entries->p[f].off).n_counters;
    uint64_t *counters = bo_alloc_array(arena, n_counters, sizeof *counters);
    if (!functions || !counters)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < entries->n; f++) {
        const struct record record = record_at(table, entries->p[f].off);
        copy_counters(&record, counters);
        functions[f] =
            (struct lprf_function){entries->p[f].name, record.hash, record.n_counters, counters};
        counters += record.n_counters;
    }
    *model = (struct lprf_model){entries->n, functions};
    const enum bo_status status = lprf_check_rules(model, arena, &function, err);
    if (status == BO_CORRUPT && err)
        err->off = entries->p[function].off;
    return status;
}

/* Checks that the file is what the encoder writes for its functions. */
static enum bo_status check_bytes(const struct bo_codec *self, struct bo_span in,
                                  const struct lprf_model *model, struct bo_arena *arena,
                                  struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct bo_writer out;
    size_t same = 0;
    bo_writer_init(&out, arena);
    enum bo_status status = profdata_encode(self, model, &out, err);
    if (!status && !bo_span_equal(in, bo_writer_span(&out))) {
        while (same < in.n && same < out.n && in.p[same] == out.p[same])
            same++;
        status = bo_fail(err, BO_CORRUPT, same,
                         "byte differs from what LLVM writes for these functions");
    }
    bo_writer_free(&out);
    bo_arena_rewind(arena, mark);
    return status;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct lprf_chained table;
    struct lprf_entries entries;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    enum bo_status status = open_table(in, &table, err);
    if (status || (status = collect(&table, arena, &entries, err)) ||
        (status = make_model(&table, &entries, model, err)))
        return status;
    return check_bytes(self, in, model, arena, err);
}

const struct bo_codec lprf_profdata = {
    .name = "profdata",
    .summary = "LLVM's own indexed profile, version 13",
    .spec = "codecs/lprf/README.md#profdata",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .lazy = true,
    .kinds = (1u << LPRF_N_KINDS) - 1,
    .encode = profdata_encode,
    .decode = decode,
    .open = open,
    .query = query,
};
