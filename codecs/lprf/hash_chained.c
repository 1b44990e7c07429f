/*
 * hash-chained: the index has the layout of LLVM's OnDiskChainedHashTable (chained.h): chains of
 * items, then a table of their offsets.
 *
 *   24  u64  kind of the hash: 1, XXH3 of 64 bits
 *   32  u64  T, where the table starts
 *   40  the items of all buckets. Those of a bucket ascend by hash, then by name. The data of an
 *       item is a u64 for each of the name's records: its offset, in file order.
 *   T   the table
 */
#include "codecs/lprf/chained.h"
#include "codecs/lprf/index.h"

enum { HASH_XXH3_64 = 1, ITEMS_OFF = LPRF_HEADER_NBYTES + 16 };

struct index {
    struct lprf_chained table;
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Sorts by bucket first, then by hash: the low bits, which choose the bucket, come to the top. */
static inline uint64_t key_of(uint64_t hash, unsigned bucket_nbits)
{
    return hash >> bucket_nbits | (bucket_nbits ? hash << (64 - bucket_nbits) : 0);
}

static inline uint64_t hash_of(uint64_t key, unsigned bucket_nbits)
{
    return key << bucket_nbits | (bucket_nbits ? key >> (64 - bucket_nbits) : 0);
}

/* The functions, while they are sorted into the table. */
struct plan {
    const struct lprf_model *model;
    uint64_t *keys; /* then: where the function's offset is written */
    uint32_t *next; /* as lprf_link_by_key leaves it */
    uint32_t first; /* the same */
    unsigned bucket_nbits;
    uint64_t n_names, n_buckets_used, name_nbytes;
};

/* A function after one of the same name. */
static bool repeats(const struct plan *plan, uint32_t previous, uint32_t f, uint64_t previous_key)
{
    return plan->keys[f] == previous_key && lprf_same_name(plan->model, previous, f);
}

static uint64_t bucket_of_key(const struct plan *plan, uint64_t key)
{
    return hash_of(key, plan->bucket_nbits) & ((UINT64_C(1) << plan->bucket_nbits) - 1);
}

/* Counts names, their bytes and the buckets that they fall into. */
static void count(struct plan *plan)
{
    uint32_t previous = 0;
    plan->n_names = plan->n_buckets_used = plan->name_nbytes = 0;
    for (uint32_t link = plan->first; link; link = plan->next[link - 1]) {
        const uint32_t f = link - 1;
        if (plan->n_names && repeats(plan, previous, f, plan->keys[previous]))
            continue;
        plan->n_buckets_used += !plan->n_names || bucket_of_key(plan, plan->keys[previous]) !=
                                                      bucket_of_key(plan, plan->keys[f]);
        plan->n_names++;
        plan->name_nbytes += plan->model->functions[f].name.n;
        previous = f;
    }
}

static enum bo_status link_functions(struct plan *plan, unsigned bucket_nbits,
                                     struct bo_arena *arena, struct bo_error *err)
{
    const struct lprf_model *model = plan->model;
    plan->bucket_nbits = bucket_nbits;
    for (size_t f = 0; f < model->n_functions; f++)
        plan->keys[f] = key_of(lprf_hash_name(model->functions[f].name, 0), bucket_nbits);
    const enum bo_status status =
        lprf_link_by_key(model, plan->keys, plan->next, &plan->first, arena, err);
    if (!status)
        count(plan);
    return status;
}

static enum bo_status make_plan(struct plan *plan, struct bo_arena *arena, struct bo_error *err)
{
    const size_t n = plan->model->n_functions;
    if (n >= UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "index has 2^32 - 1 functions or more");
    plan->keys = bo_alloc_array(arena, n, sizeof *plan->keys);
    plan->next = bo_alloc_array(arena, n, sizeof *plan->next);
    if (!plan->keys || !plan->next)
        return bo_fail_alloc(err, arena);
    const unsigned nbits = (unsigned)__builtin_ctzll(lprf_n_buckets_for(n));
    const enum bo_status status = link_functions(plan, nbits, arena, err);
    if (status)
        return status;
    /* Functions that share a name may need fewer buckets. */
    const unsigned needed = (unsigned)__builtin_ctzll(lprf_n_buckets_for(plan->n_names));
    return needed == nbits ? BO_OK : link_functions(plan, needed, arena, err);
}

/* The state of the writer. */
struct position {
    uint8_t *file; /* byte 0 */
    size_t off;    /* of the next item */
    size_t bucket_off, table_off;
    uint32_t n_items; /* of the bucket so far */
};

/* Counts one item more in the bucket, which may start here. */
static bool count_item(const struct plan *plan, struct position *at, uint64_t key, bool starts)
{
    if (starts) {
        at->bucket_off = at->off;
        at->off += LPRF_COUNT_NBYTES;
        at->n_items = 0;
        bo_set_le64(at->file + at->table_off + 16 + 8 * (size_t)bucket_of_key(plan, key),
                    at->bucket_off);
    }
    bo_set_le16(at->file + at->bucket_off, (uint16_t)++at->n_items);
    return at->n_items <= UINT16_MAX;
}

/* Puts the item of the name that starts at `link`; returns the next name's link. */
static uint32_t put_item(struct plan *plan, struct position *at, uint32_t link)
{
    uint32_t f = link - 1;
    const uint64_t key = plan->keys[f];
    const struct bo_span name = plan->model->functions[f].name;
    uint8_t *head = at->file + at->off;
    bo_set_le64(head, hash_of(key, plan->bucket_nbits));
    bo_set_le64(head + 8, name.n);
    memcpy(head + LPRF_ITEM_HEAD_NBYTES, name.p, name.n);
    const size_t data_off = at->off += LPRF_ITEM_HEAD_NBYTES + name.n;
    for (;;) {
        const uint32_t next = plan->next[f];
        const bool more = next && repeats(plan, f, next - 1, key);
        plan->keys[f] = at->off;
        at->off += 8;
        if (!more) {
            bo_set_le64(head + 16, at->off - data_off);
            return next;
        }
        f = next - 1;
    }
}

static bool put_items(struct plan *plan, struct position *at)
{
    uint64_t bucket = UINT64_MAX;
    for (uint32_t link = plan->first; link;) {
        const uint64_t key = plan->keys[link - 1];
        const bool starts = bucket_of_key(plan, key) != bucket;
        bucket = bucket_of_key(plan, key);
        if (!count_item(plan, at, key, starts))
            return false;
        link = put_item(plan, at, link);
    }
    return true;
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct plan plan = {.model = w->model};
    enum bo_status status = make_plan(&plan, w->out->arena, err);
    if (status)
        return status;
    const uint64_t n_buckets = UINT64_C(1) << plan.bucket_nbits;
    const uint64_t items_end = ITEMS_OFF + LPRF_COUNT_NBYTES * plan.n_buckets_used +
                               LPRF_ITEM_HEAD_NBYTES * plan.n_names + plan.name_nbytes +
                               8 * (uint64_t)w->model->n_functions;
    const uint64_t table_off = (items_end + 7) / 8 * 8;
    struct lprf_index_nbytes nbytes = {.names = plan.name_nbytes,
                                       .places = 8 * (uint64_t)w->model->n_functions};
    nbytes.tables =
        table_off + 16 + 8 * n_buckets - LPRF_HEADER_NBYTES - nbytes.names - nbytes.places;
    size_t start;
    if ((status = lprf_put_index_space(w, &nbytes, UINT64_MAX / 2, &start, err)))
        return status;
    struct position at = {
        .file = w->out->p + w->start, .off = ITEMS_OFF, .table_off = (size_t)table_off};
    bo_set_le64(at.file + LPRF_HEADER_NBYTES, HASH_XXH3_64);
    bo_set_le64(at.file + LPRF_HEADER_NBYTES + 8, table_off);
    bo_set_le64(at.file + table_off, n_buckets);
    bo_set_le64(at.file + table_off + 8, plan.n_names);
    if (!put_items(&plan, &at))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "bucket has more than 65535 names");
    lprf_end_index(w);
    if (w->out->status)
        return bo_writer_status(w->out, err);
    uint64_t off = w->out->n - w->start;
    for (size_t f = 0; f < w->model->n_functions; f++) {
        bo_set_le64(w->out->p + w->start + plan.keys[f], off);
        off += w->coding->record_nbytes(w, f);
    }
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const uint8_t *p = file->in.p;
    const size_t end = file->end_of_index;
    if (end < ITEMS_OFF + 16)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    if (bo_le64(p + LPRF_HEADER_NBYTES) != HASH_XXH3_64)
        return bo_fail(err, BO_UNSUPPORTED, LPRF_HEADER_NBYTES, "hash is of an unknown kind");
    return lprf_open_chained((struct bo_span){p, end}, ITEMS_OFF, LPRF_HEADER_NBYTES + 8,
                             &index->table, err);
}

/* Checks that the item's data are offsets. */
static inline enum bo_status check_data(const struct lprf_chained *table,
                                        const struct lprf_item *item, struct bo_error *err)
{
    const size_t name_off = (size_t)(item->name.p - table->p);
    return item->data_nbytes == 0 || item->data_nbytes % 8
               ? bo_fail(err, BO_CORRUPT, name_off - 8,
                         "data is empty or not a multiple of 8 bytes")
               : BO_OK;
}

/* The record at match->next, of match->left ones. */
static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    match->off = 0;
    if (match->left == 0)
        return BO_OK;
    const uint64_t off = bo_le64(file->in.p + match->next);
    if (off < file->records_off || off >= file->in.n)
        return bo_fail(err, BO_CORRUPT, match->next, "offset lies outside the records");
    match->off = (size_t)off;
    match->next += 8;
    match->left--;
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    struct lprf_item item;
    bool found;
    enum bo_status status =
        lprf_find_item(&index->table, name, lprf_hash_name(name, 0), &item, &found, err);
    match->off = match->left = 0;
    if (status || !found)
        return status;
    if ((status = check_data(&index->table, &item, err)))
        return status;
    match->next = item.data_off;
    match->left = item.data_nbytes / 8;
    return find_more(file, index, name, match, err);
}

static enum bo_status visit_item(const struct lprf_file *file, const struct lprf_item *item,
                                 lprf_visit *visit, void *context, struct bo_error *err)
{
    struct lprf_match match = {.next = item->data_off, .left = item->data_nbytes / 8};
    size_t last_off = 0;
    while (match.left) {
        enum bo_status status = find_more(file, NULL, item->name, &match, err);
        if (status)
            return status;
        if (match.off <= last_off)
            return bo_fail(err, BO_CORRUPT, match.next - 8, "records of a name do not ascend");
        last_off = match.off;
        const struct lprf_entry entry = {.name = item->name, .off = match.off, .order = match.off};
        if ((status = visit(context, &entry, err)))
            return status;
    }
    return BO_OK;
}

/* True when the first item belongs before the second one of the same bucket. */
static bool ascend(const struct lprf_item *a, const struct lprf_item *b)
{
    return a->hash != b->hash ? a->hash < b->hash : bo_span_compare(a->name, b->name) < 0;
}

/* Visits the items of one bucket, which starts at *off; moves *off past them. */
static enum bo_status each_of_bucket(const struct lprf_file *file, const struct lprf_chained *table,
                                     uint64_t bucket, size_t *off, uint64_t *n_names,
                                     lprf_visit *visit, void *context, struct bo_error *err)
{
    struct lprf_item item, last = {.hash = 0};
    unsigned n;
    enum bo_status status = lprf_next_bucket(table, bucket, off, &n, err);
    for (unsigned i = 0; i < n && !status; i++) {
        const size_t item_off = *off;
        if ((status = lprf_read_item(table, off, &item, err)) ||
            (status = check_data(table, &item, err)))
            return status;
        if (item.hash != lprf_hash_name(item.name, 0))
            return bo_fail(err, BO_CORRUPT, item_off, "hash is not the name's");
        if ((item.hash & table->mask) != bucket)
            return bo_fail(err, BO_CORRUPT, item_off, "item is in the wrong bucket");
        if (i && !ascend(&last, &item))
            return bo_fail(err, BO_CORRUPT, item_off, "items of a bucket do not ascend");
        last = item;
        ++*n_names;
        status = visit_item(file, &item, visit, context, err);
    }
    return status;
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    const struct lprf_chained *table = &index->table;
    size_t off = ITEMS_OFF;
    uint64_t n_names = 0;
    for (uint64_t bucket = 0; bucket <= table->mask; bucket++) {
        const enum bo_status status =
            each_of_bucket(file, table, bucket, &off, &n_names, visit, context, err);
        if (status)
            return status;
    }
    if (n_names != table->n_names)
        return bo_fail(err, BO_CORRUPT, table->table_off + 8,
                       "number of names differs from the announced one");
    if (table->table_off - off >= 8)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the last item");
    for (; off < table->table_off; off++)
        if (file->in.p[off])
            return bo_fail(err, BO_CORRUPT, off, "padding is not 0");
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

#define LPRF_INDEX hash_chained
#define LPRF_INDEX_NAME "hash-chained"
#define LPRF_INDEX_NUMBER 1
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_CHOICES "none known, and not proven"
#define LPRF_INDEX_SUMMARY "chained hash table as LLVM writes it"
#include "codecs/lprf/cross.h"
