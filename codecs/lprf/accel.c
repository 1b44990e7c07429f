/*
 * accel: a table like the accelerator tables that LLVM writes for Apple's DWARF, followed by a
 * string section.
 *
 *   24  u32  bytes of the table, which starts at 28
 *   28  u32  'HASH': 0x48415348
 *   32  u16  version: 1
 *   34  u16  hash function: 0, DJB
 *   36  u32  buckets B
 *   40  u32  different hashes H
 *   44  u32  bytes of the description that follows: 12
 *   48  u32  base of offsets: 0
 *   52  u32  fields of a datum: 1
 *   56  u16  its type: 1, an offset
 *   58  u16  its form: 6, u32
 *   60  u32  for each bucket its first hash, by number; 2^32 - 1 for none
 *       u32  H hashes, ascending by bucket (hash mod B), then by value
 *       u32  for each hash where its names start, from the table's start
 *       for each hash, for each of its names, ascending:
 *         u32  where the string starts, in the string section
 *         u32  records of the name, above 0
 *         u32  for each its offset from the first record, in file order
 *       then u32 0 after a hash's last name
 *   the string section: a byte 0, so that no string starts at 0, then in the order of the table:
 *     varint  bytes of the name, above 0
 *     the name
 *
 * B is LLVM's: H / 4 above 1024 hashes, H / 2 above 16, else H, and at least 1. DJB of a name: from
 * 5381 on, h = 33 h + byte, modulo 2^32. (In DWARF a string ends with a NUL; names may contain
 * one.)
 */
#include "codecs/lprf/index.h"

enum {
    TABLE_OFF = LPRF_HEADER_NBYTES + 4,
    HEAD_NBYTES = 32, /* of the table, up to its buckets */
    STRING_SECTION_HEAD = 1
};

#define NO_HASH UINT32_MAX

/* The bytes from TABLE_OFF on. B and H, at 8 and 12, are 0 here. */
static const uint8_t table_head[HEAD_NBYTES] = {'H', 'S', 'A', 'H', 1, 0,  0, 0, 0, 0, 0,
                                                0,   0,   0,   0,   0, 12, 0, 0, 0, 0, 0,
                                                0,   0,   1,   0,   0, 0,  1, 0, 6, 0};

struct index {
    const uint8_t *buckets, *hashes, *offsets;
    uint32_t n_buckets, n_hashes;
    size_t data_off, strings_off; /* the table's data end where the strings start */
};

static uint32_t n_buckets_for(uint32_t n_hashes)
{
    const uint32_t n = n_hashes > 1024 ? n_hashes / 4 : n_hashes > 16 ? n_hashes / 2 : n_hashes;
    return n ? n : 1;
}

static inline uint32_t djb(struct bo_span name)
{
    uint32_t h = 5381;
    for (size_t i = 0; i < name.n; i++)
        h = h * 33 + name.p[i];
    return h;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The functions, while they are sorted into the table. */
struct plan {
    const struct lprf_model *model;
    uint64_t *keys; /* first the hash alone, then as key_of; then where the offset is written */
    uint32_t *next; /* as lprf_link_by_key leaves it */
    uint32_t first; /* the same */
    uint32_t n_buckets, n_hashes;
    uint64_t n_names, strings_nbytes, name_nbytes;
};

/*
 * Sorts by bucket, then by hash: buckets spread over the high half, without changing their
 * order.
 */
static inline uint64_t key_of(uint32_t hash, uint32_t n_buckets)
{
    const uint64_t bucket = hash % n_buckets;
    return (((bucket << 32) + n_buckets - 1) / n_buckets) << 32 | hash;
}

static bool repeats(const struct plan *plan, uint64_t previous_key, uint32_t previous, uint32_t f)
{
    return previous_key == plan->keys[f] && lprf_same_name(plan->model, previous, f);
}

/* Counts hashes, names and their bytes; functions of one hash are adjacent in the list. */
static void count(struct plan *plan)
{
    uint32_t previous = 0;
    plan->n_hashes = 0;
    plan->n_names = plan->strings_nbytes = plan->name_nbytes = 0;
    for (uint32_t link = plan->first; link; link = plan->next[link - 1]) {
        const uint32_t f = link - 1;
        plan->n_hashes += !plan->n_names || plan->keys[previous] != plan->keys[f];
        if (!plan->n_names || !repeats(plan, plan->keys[previous], previous, f)) {
            const size_t n = plan->model->functions[f].name.n;
            plan->n_names++;
            plan->strings_nbytes += bo_uvarint_nbytes(n) + n;
            plan->name_nbytes += n;
        }
        previous = f;
    }
}

/* Done twice: the number of buckets depends on the number of different hashes. */
static enum bo_status make_plan(struct plan *plan, struct bo_arena *arena, struct bo_error *err)
{
    const struct lprf_model *model = plan->model;
    const size_t n = model->n_functions;
    if (n >= UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "index has 2^32 - 1 functions or more");
    plan->keys = bo_alloc_array(arena, n, sizeof *plan->keys);
    plan->next = bo_alloc_array(arena, n, sizeof *plan->next);
    if (!plan->keys || !plan->next)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n; f++) {
        const uint64_t hash = djb(model->functions[f].name);
        plan->keys[f] = hash << 32 | hash;
    }
    enum bo_status status =
        lprf_link_by_key(model, plan->keys, plan->next, &plan->first, arena, err);
    if (status)
        return status;
    count(plan);
    plan->n_buckets = n_buckets_for(plan->n_hashes);
    for (size_t f = 0; f < n; f++)
        plan->keys[f] = key_of((uint32_t)plan->keys[f], plan->n_buckets);
    return lprf_link_by_key(model, plan->keys, plan->next, &plan->first, arena, err);
}

/* The state of the writer; offsets are from the table's start. */
struct position {
    uint8_t *table;
    size_t data, string; /* where the next datum and the next string go */
    size_t strings;      /* the string section */
    uint32_t n_hashes;   /* so far */
};

/* A new hash: its bucket, if that is new, itself and where its names start. */
static void put_hash(const struct plan *plan, struct position *at, uint32_t hash)
{
    uint8_t *bucket = at->table + HEAD_NBYTES + 4 * (size_t)(hash % plan->n_buckets);
    uint8_t *hashes = at->table + HEAD_NBYTES + 4 * (size_t)plan->n_buckets;
    if (bo_le32(bucket) == NO_HASH)
        bo_set_le32(bucket, at->n_hashes);
    bo_set_le32(hashes + 4 * (size_t)at->n_hashes, hash);
    bo_set_le32(hashes + 4 * ((size_t)plan->n_hashes + at->n_hashes), (uint32_t)at->data);
    at->n_hashes++;
}

/* Puts the name that starts at `link`; returns the next name's link. */
static uint32_t put_name(struct plan *plan, struct position *at, uint32_t link)
{
    uint32_t f = link - 1, n = 0;
    const uint64_t key = plan->keys[f];
    const struct bo_span name = plan->model->functions[f].name;
    const size_t datum = at->data;
    bo_set_le32(at->table + datum, (uint32_t)(at->string - at->strings));
    at->string += lprf_set_varint(at->table + at->string, name.n);
    memcpy(at->table + at->string, name.p, name.n);
    at->string += name.n;
    at->data += 8;
    for (;;) {
        link = plan->next[f];
        const bool more = link && repeats(plan, key, f, link - 1);
        plan->keys[f] = at->data;
        at->data += 4;
        bo_set_le32(at->table + datum + 4, ++n);
        if (!more)
            return link;
        f = link - 1;
    }
}

static void put_table(struct plan *plan, struct position *at)
{
    memcpy(at->table, table_head, sizeof table_head);
    bo_set_le32(at->table + 8, plan->n_buckets);
    bo_set_le32(at->table + 12, plan->n_hashes);
    memset(at->table + HEAD_NBYTES, 0xff, 4 * (size_t)plan->n_buckets);
    for (uint32_t link = plan->first; link;) {
        const uint64_t key = plan->keys[link - 1];
        put_hash(plan, at, (uint32_t)key);
        do
            link = put_name(plan, at, link);
        while (link && plan->keys[link - 1] == key);
        at->data += 4; /* the 0 after the names */
    }
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct plan plan = {.model = w->model};
    enum bo_status status = make_plan(&plan, w->out->arena, err);
    if (status)
        return status;
    const uint64_t data_off =
        HEAD_NBYTES + 4 * (uint64_t)plan.n_buckets + 8 * (uint64_t)plan.n_hashes;
    const uint64_t strings = data_off + 8 * plan.n_names + 4 * (uint64_t)plan.n_hashes +
                             4 * (uint64_t)w->model->n_functions;
    struct lprf_index_nbytes nbytes = {.names = plan.name_nbytes,
                                       .places = 4 * (uint64_t)w->model->n_functions};
    nbytes.tables =
        4 + strings + STRING_SECTION_HEAD + plan.strings_nbytes - nbytes.names - nbytes.places;
    size_t start;
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    bo_set_le32(w->out->p + start, (uint32_t)strings);
    struct position at = {.table = w->out->p + start + 4,
                          .data = (size_t)data_off,
                          .strings = (size_t)strings,
                          .string = (size_t)strings + STRING_SECTION_HEAD};
    put_table(&plan, &at);
    uint64_t off = 0;
    for (size_t f = 0; f < w->model->n_functions; f++) {
        if (off > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 4 GiB or more");
        bo_set_le32(at.table + plan.keys[f], (uint32_t)off);
        off += w->coding->record_nbytes(w, f);
    }
    lprf_end_index(w);
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The first byte of the table's head that is wrong, or HEAD_NBYTES. */
static unsigned wrong_byte(const uint8_t *table)
{
    unsigned i = 0;
    while (i < HEAD_NBYTES && (table[i] == table_head[i] || (i >= 8 && i < 16)))
        i++;
    return i;
}

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const size_t end = file->end_of_index;
    const uint8_t *table = file->in.p + TABLE_OFF;
    if (end < TABLE_OFF + HEAD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    const uint32_t table_nbytes = bo_le32(file->in.p + LPRF_HEADER_NBYTES);
    if (table_nbytes < HEAD_NBYTES || table_nbytes >= end - TABLE_OFF)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "strings start outside the index");
    if (wrong_byte(table) < HEAD_NBYTES)
        return bo_fail(err, BO_UNSUPPORTED, TABLE_OFF + wrong_byte(table),
                       "table is of an unsupported kind");
    index->n_buckets = bo_le32(table + 8);
    index->n_hashes = bo_le32(table + 12);
    if (index->n_buckets != n_buckets_for(index->n_hashes))
        return bo_fail(err, BO_CORRUPT, TABLE_OFF + 8,
                       "number of buckets does not suit that of hashes");
    const uint64_t data_off =
        HEAD_NBYTES + 4 * (uint64_t)index->n_buckets + 8 * (uint64_t)index->n_hashes;
    if (data_off > table_nbytes)
        return bo_fail(err, BO_TRUNCATED, TABLE_OFF + 12, "hashes run past the table's end");
    index->buckets = table + HEAD_NBYTES;
    index->hashes = index->buckets + 4 * (size_t)index->n_buckets;
    index->offsets = index->hashes + 4 * (size_t)index->n_hashes;
    index->data_off = TABLE_OFF + (size_t)data_off;
    index->strings_off = TABLE_OFF + (size_t)table_nbytes;
    return BO_OK;
}

/* A name's datum: its string, and the place of its records' offsets. */
struct datum {
    struct bo_span name;
    uint32_t n_records;
    size_t offsets_off, string_off, string_end; /* in the file */
};

/* Reads the string at `start` of the string section. `off` is the place of that number. */
static inline enum bo_status read_string(const struct lprf_file *file, const struct index *index,
                                         uint32_t start, size_t off, struct datum *datum,
                                         struct bo_error *err)
{
    const size_t end = file->end_of_index;
    if (start >= end - index->strings_off)
        return bo_fail(err, BO_CORRUPT, off, "string lies outside the string section");
    uint64_t n;
    size_t at = datum->string_off = index->strings_off + start;
    const enum bo_status status = lprf_index_varint(file, &at, end, &n, err);
    if (status)
        return status;
    if (n == 0)
        return bo_fail(err, BO_CORRUPT, datum->string_off, "function without a name");
    if (n > end - at)
        return bo_fail(err, BO_TRUNCATED, datum->string_off, "name runs past the index's end");
    datum->name = (struct bo_span){file->in.p + at, (size_t)n};
    datum->string_end = at + (size_t)n;
    return BO_OK;
}

/*
 * Reads the datum at *off and moves *off past it; datum->n_records is 0 after the last one of a
 * hash.
 */
static inline enum bo_status read_datum(const struct lprf_file *file, const struct index *index,
                                        size_t *off, struct datum *datum, struct bo_error *err)
{
    const uint8_t *p = file->in.p + *off;
    const size_t datum_off = *off, left = index->strings_off - *off;
    datum->n_records = 0;
    if (left < 4)
        return bo_fail(err, BO_TRUNCATED, *off, "names of a hash run past the table's end");
    const uint32_t string = bo_le32(p);
    *off += 4;
    if (string == 0)
        return BO_OK;
    if (left < 8)
        return bo_fail(err, BO_TRUNCATED, *off, "names of a hash run past the table's end");
    datum->n_records = bo_le32(p + 4);
    if (datum->n_records == 0)
        return bo_fail(err, BO_CORRUPT, *off, "name without a record");
    if ((left - 8) / 4 < datum->n_records)
        return bo_fail(err, BO_TRUNCATED, *off, "offsets run past the table's end");
    datum->offsets_off = *off + 4;
    *off = datum->offsets_off + 4 * (size_t)datum->n_records;
    return read_string(file, index, string, datum_off, datum, err);
}

/* The record at match->next, of match->left ones. */
static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    match->off = 0;
    if (match->left == 0)
        return BO_OK;
    const uint32_t off = bo_le32(file->in.p + match->next);
    if (off >= file->in.n - file->records_off)
        return bo_fail(err, BO_CORRUPT, match->next, "record lies past the file's end");
    match->off = file->records_off + off;
    match->next += 4;
    match->left--;
    return BO_OK;
}

/* Looks for the name among those of hash number i. */
static inline enum bo_status find_among(const struct lprf_file *file, const struct index *index,
                                        size_t i, struct bo_span name, struct lprf_match *match,
                                        struct bo_error *err)
{
    const uint8_t *p = index->offsets + 4 * i;
    size_t off = TABLE_OFF + (size_t)bo_le32(p);
    if (off < index->data_off || off > index->strings_off)
        return bo_fail(err, BO_CORRUPT, (size_t)(p - file->in.p), "names lie outside the table");
    for (;;) {
        struct datum datum;
        const enum bo_status status = read_datum(file, index, &off, &datum, err);
        if (status || datum.n_records == 0)
            return status;
        if (!bo_span_equal(datum.name, name))
            continue;
        match->next = datum.offsets_off;
        match->left = datum.n_records;
        return find_more(file, index, name, match, err);
    }
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    const uint32_t hash = djb(name), bucket = hash % index->n_buckets;
    match->off = match->left = 0;
    for (size_t i = bo_le32(index->buckets + 4 * (size_t)bucket); i < index->n_hashes; i++) {
        const uint32_t other = bo_le32(index->hashes + 4 * i);
        if (other == hash)
            return find_among(file, index, i, name, match, err);
        if (other > hash || other % index->n_buckets != bucket)
            break;
    }
    return BO_OK;
}

/* Buckets point to their first hash, hashes ascend by bucket and value. */
static enum bo_status check_hashes(const struct lprf_file *file, const struct index *index,
                                   struct bo_error *err)
{
    const uint64_t buckets_off = (uint64_t)(index->buckets - file->in.p);
    const uint64_t hashes_off = (uint64_t)(index->hashes - file->in.p);
    size_t i = 0;
    for (size_t bucket = 0; bucket < index->n_buckets; bucket++) {
        const uint32_t first = bo_le32(index->buckets + 4 * bucket);
        if (first == NO_HASH)
            continue;
        if (first != i || i == index->n_hashes)
            return bo_fail(err, BO_CORRUPT, buckets_off + 4 * bucket,
                           "hashes of a bucket do not start where the bucket before ends");
        for (uint32_t last = 0; i < index->n_hashes; i++) {
            const uint32_t hash = bo_le32(index->hashes + 4 * i);
            if (hash % index->n_buckets != bucket)
                break;
            if (i > first && hash <= last)
                return bo_fail(err, BO_CORRUPT, hashes_off + 4 * i,
                               "hashes of a bucket do not ascend");
            last = hash;
        }
        if (i == first)
            return bo_fail(err, BO_CORRUPT, hashes_off + 4 * i, "hash is in the wrong bucket");
    }
    if (i < index->n_hashes)
        return bo_fail(err, BO_CORRUPT, hashes_off + 4 * i, "hash is in no bucket");
    return BO_OK;
}

static enum bo_status visit_datum(const struct lprf_file *file, const struct datum *datum,
                                  lprf_visit *visit, void *context, struct bo_error *err)
{
    struct lprf_match match = {.next = datum->offsets_off, .left = datum->n_records};
    size_t last_off = 0;
    while (match.left) {
        enum bo_status status = find_more(file, NULL, datum->name, &match, err);
        if (status)
            return status;
        if (match.off <= last_off)
            return bo_fail(err, BO_CORRUPT, match.next - 4, "records of a name do not ascend");
        last_off = match.off;
        const struct lprf_entry entry = {.name = datum->name, .off = match.off, .order = match.off};
        if ((status = visit(context, &entry, err)))
            return status;
    }
    return BO_OK;
}

/* Visits the names of hash number i, which start at *off with their strings at *string_off. */
static enum bo_status each_of_hash(const struct lprf_file *file, const struct index *index,
                                   size_t i, size_t *off, size_t *string_off, lprf_visit *visit,
                                   void *context, struct bo_error *err)
{
    struct bo_span last = {.n = 0};
    if (TABLE_OFF + (size_t)bo_le32(index->offsets + 4 * i) != *off)
        return bo_fail(err, BO_CORRUPT, (size_t)(index->offsets - file->in.p) + 4 * i,
                       "names of a hash do not start where the hash before ends");
    for (;;) {
        const size_t datum_off = *off;
        struct datum datum;
        enum bo_status status = read_datum(file, index, off, &datum, err);
        if (status)
            return status;
        if (datum.n_records == 0)
            return last.n ? BO_OK : bo_fail(err, BO_CORRUPT, datum_off, "hash without a name");
        if (datum.string_off != *string_off)
            return bo_fail(err, BO_CORRUPT, datum_off,
                           "string does not start where the one before ends");
        if (djb(datum.name) != bo_le32(index->hashes + 4 * i))
            return bo_fail(err, BO_CORRUPT, datum_off, "hash is not the name's");
        if (last.n && bo_span_compare(last, datum.name) >= 0)
            return bo_fail(err, BO_CORRUPT, datum_off, "names of a hash do not ascend");
        last = datum.name;
        *string_off = datum.string_end;
        if ((status = visit_datum(file, &datum, visit, context, err)))
            return status;
    }
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    size_t off = index->data_off, string_off = index->strings_off + STRING_SECTION_HEAD;
    if (file->in.p[index->strings_off])
        return bo_fail(err, BO_CORRUPT, index->strings_off, "string section does not start with 0");
    enum bo_status status = check_hashes(file, index, err);
    for (size_t i = 0; i < index->n_hashes && !status; i++)
        status = each_of_hash(file, index, i, &off, &string_off, visit, context, err);
    if (status)
        return status;
    if (off != index->strings_off)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the last name's data");
    if (string_off != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, string_off, "bytes after the last string");
    return BO_OK;
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_UNORDERED;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX accel
#define LPRF_INDEX_NAME "accel"
#define LPRF_INDEX_NUMBER 4
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_CHOICES "none known, and not proven"
#define LPRF_INDEX_SUMMARY "like LLVM's DWARF accelerator tables: DJB hashes, strings apart"
#include "codecs/lprf/cross.h"
