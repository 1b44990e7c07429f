/*
 * hash-chained-lean: the chained table with smaller fields: 32-bit buckets, a byte of each hash,
 * varints.
 *
 *   24  u8   kind of the hash: 1, XXH3 of 64 bits
 *   25  u8   width of places (index.h)
 *   26  u16  0
 *   28  u32  names N
 *   32  u32  for each of B buckets the start of its items, in bytes from the first item, then the
 *            end of the last bucket's items; B is N / 2 rounded down, plus 1
 *       for each bucket, for each of its items, ascending by hash, then by name:
 *         u8      the hash's low byte
 *         varint  bytes of the name, above 0
 *         places of its records
 *         the name
 *
 * A name belongs to bucket (hash >> 32) * B >> 32; so all items ascend by hash.
 */
#include "codecs/lprf/index.h"

enum { HASH_XXH3_64 = 1, BUCKETS_OFF = LPRF_HEADER_NBYTES + 8, NAMES_PER_BUCKET = 2 };

struct index {
    const uint8_t *buckets;
    uint64_t n_buckets;
    size_t items_off, items_nbytes;
    unsigned width;
    uint32_t n_names;
};

static uint64_t n_buckets_for(uint64_t n_names)
{
    return n_names / NAMES_PER_BUCKET + 1;
}

static inline size_t bucket_of(uint64_t hash, uint64_t n_buckets)
{
    return (size_t)((hash >> 32) * n_buckets >> 32);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The functions, while they are sorted into the table. */
struct plan {
    const struct lprf_model *model;
    uint64_t *hashes;
    uint32_t *next; /* as lprf_link_by_key leaves it */
    uint32_t first; /* the same */
    uint32_t *at;   /* where each function's place is written, from the index's start */
    unsigned width;
    uint64_t n_names;
};

static bool repeats(const struct plan *plan, uint32_t previous, uint32_t f)
{
    return plan->hashes[previous] == plan->hashes[f] && lprf_same_name(plan->model, previous, f);
}

static enum bo_status make_plan(struct plan *plan, struct bo_arena *arena, struct bo_error *err)
{
    const struct lprf_model *model = plan->model;
    const size_t n = model->n_functions;
    plan->hashes = bo_alloc_array(arena, n, sizeof *plan->hashes);
    plan->next = bo_alloc_array(arena, n, sizeof *plan->next);
    if (!plan->hashes || !plan->next)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n; f++)
        plan->hashes[f] = lprf_hash_name(model->functions[f].name, 0);
    const enum bo_status status =
        lprf_link_by_key(model, plan->hashes, plan->next, &plan->first, arena, err);
    if (status)
        return status;
    plan->at = bo_alloc_array(arena, n, sizeof *plan->at);
    return plan->at ? BO_OK : bo_fail_alloc(err, arena);
}

/* Counts names and the bytes of everything but the buckets. */
static void count(struct plan *plan, struct lprf_index_nbytes *nbytes)
{
    uint32_t previous = 0;
    for (uint32_t link = plan->first; link; link = plan->next[link - 1]) {
        const uint32_t f = link - 1;
        const size_t name_n = plan->model->functions[f].name.n;
        nbytes->places += plan->width;
        if (!plan->n_names || !repeats(plan, previous, f)) {
            plan->n_names++;
            nbytes->names += name_n;
            nbytes->tables += 1 + bo_uvarint_nbytes(name_n);
        }
        previous = f;
    }
}

/* Puts the item of the name that starts at `link` at p[*off]; returns the next name's link. */
static uint32_t put_item(struct plan *plan, uint8_t *p, size_t *off, uint32_t link)
{
    uint32_t f = link - 1;
    const struct bo_span name = plan->model->functions[f].name;
    p[(*off)++] = (uint8_t)plan->hashes[f];
    *off += lprf_set_varint(p + *off, name.n);
    for (;;) {
        const uint32_t next = plan->next[f];
        const bool more = next && repeats(plan, f, next - 1);
        plan->at[f] = (uint32_t)*off;
        p[*off] = more;
        *off += plan->width;
        link = next;
        if (!more)
            break;
        f = next - 1;
    }
    memcpy(p + *off, name.p, name.n);
    *off += name.n;
    return link;
}

static void put_items(struct plan *plan, uint8_t *p)
{
    const size_t n_buckets = (size_t)n_buckets_for(plan->n_names);
    const size_t first_off = 8 + 4 * (n_buckets + 1);
    size_t off = first_off, bucket = 0;
    for (uint32_t link = plan->first; link;) {
        for (const size_t to = bucket_of(plan->hashes[link - 1], n_buckets); bucket <= to; bucket++)
            bo_set_le32(p + 8 + 4 * bucket, (uint32_t)(off - first_off));
        link = put_item(plan, p, &off, link);
    }
    for (; bucket <= n_buckets; bucket++)
        bo_set_le32(p + 8 + 4 * bucket, (uint32_t)(off - first_off));
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct plan plan = {.model = w->model};
    struct lprf_index_nbytes nbytes = {.names = 0};
    size_t start;
    enum bo_status status = lprf_place_width(w, &plan.width, err);
    if (status || (status = make_plan(&plan, w->out->arena, err)))
        return status;
    count(&plan, &nbytes);
    nbytes.tables += 8 + 4 * (n_buckets_for(plan.n_names) + 1);
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    uint8_t *p = w->out->p + start;
    p[0] = HASH_XXH3_64;
    p[1] = (uint8_t)plan.width;
    bo_set_le32(p + 4, (uint32_t)plan.n_names);
    put_items(&plan, p);
    lprf_fill_places(w, start, plan.at, plan.width);
    lprf_end_index(w);
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const uint8_t *p = file->in.p + LPRF_HEADER_NBYTES;
    const size_t end = file->end_of_index;
    if (end < BUCKETS_OFF)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    if (p[0] != HASH_XXH3_64)
        return bo_fail(err, BO_UNSUPPORTED, LPRF_HEADER_NBYTES, "hash is of an unknown kind");
    if (p[1] < 1 || p[1] > 8)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 1, "width of places is not 1 to 8");
    if (p[2] || p[3])
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 2, "padding is not 0");
    index->width = p[1];
    index->n_names = bo_le32(p + 4);
    index->n_buckets = n_buckets_for(index->n_names);
    index->buckets = p + 8;
    if ((end - BUCKETS_OFF) / 4 < index->n_buckets + 1)
        return bo_fail(err, BO_TRUNCATED, LPRF_HEADER_NBYTES + 4,
                       "buckets run past the index's end");
    index->items_off = BUCKETS_OFF + 4 * ((size_t)index->n_buckets + 1);
    index->items_nbytes = end - index->items_off;
    return BO_OK;
}

/* One name. */
struct item {
    struct bo_span name;
    size_t places_off, places_end;
};

/* Reads the item at *off, which must end by `end`; moves *off past it. */
static inline enum bo_status read_item(const struct lprf_file *file, const struct index *index,
                                       size_t *off, size_t end, struct item *item,
                                       struct bo_error *err)
{
    const size_t item_off = (*off)++;
    uint64_t name_nbytes;
    enum bo_status status = lprf_index_varint(file, off, end, &name_nbytes, err);
    if (status)
        return status;
    if (name_nbytes == 0)
        return bo_fail(err, BO_CORRUPT, item_off + 1, "function without a name");
    item->places_off = *off;
    if ((status = lprf_skip_places(file, off, end, index->width, err)))
        return status;
    if (name_nbytes > end - *off)
        return bo_fail(err, BO_TRUNCATED, item_off + 1, "name runs past its bucket's end");
    item->places_end = *off;
    item->name = (struct bo_span){file->in.p + *off, (size_t)name_nbytes};
    *off += (size_t)name_nbytes;
    return BO_OK;
}

/* Reads where the bucket's items lie in the file. */
static inline enum bo_status read_bucket(const struct index *index, size_t bucket, size_t *off_ret,
                                         size_t *end_ret, struct bo_error *err)
{
    const uint8_t *p = index->buckets + 4 * bucket;
    const uint32_t start = bo_le32(p), end = bo_le32(p + 4);
    if (start > end || end > index->items_nbytes)
        return bo_fail(err, BO_CORRUPT, BUCKETS_OFF + 4 * (uint64_t)bucket,
                       "bucket lies outside the items");
    *off_ret = index->items_off + start;
    *end_ret = index->items_off + end;
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    const uint64_t hash = lprf_hash_name(name, 0);
    size_t off = 0, end = 0;
    enum bo_status status = read_bucket(index, bucket_of(hash, index->n_buckets), &off, &end, err);
    match->off = match->next = 0;
    while (!status && off < end) {
        const uint8_t tag = file->in.p[off];
        struct item item;
        status = read_item(file, index, &off, end, &item, err);
        if (!status && tag == (uint8_t)hash && bo_span_equal(item.name, name))
            return lprf_match_place(file, item.places_off, end, index->width, match, err);
    }
    return status;
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/* The item before. */
struct last {
    uint64_t hash, n_names;
    struct bo_span name;
};

static enum bo_status check_item(const struct index *index, const struct item *item, size_t bucket,
                                 uint8_t tag, size_t item_off, struct last *last,
                                 struct bo_error *err)
{
    const uint64_t hash = lprf_hash_name(item->name, 0);
    if (tag != (uint8_t)hash)
        return bo_fail(err, BO_CORRUPT, item_off, "tag is not that of the name's hash");
    if (bucket_of(hash, index->n_buckets) != bucket)
        return bo_fail(err, BO_CORRUPT, item_off, "item is in the wrong bucket");
    if (last->n_names &&
        (hash != last->hash ? hash < last->hash : bo_span_compare(item->name, last->name) <= 0))
        return bo_fail(err, BO_CORRUPT, item_off, "items are not in order of hash and name");
    *last = (struct last){hash, last->n_names + 1, item->name};
    return BO_OK;
}

static enum bo_status each_of_bucket(const struct lprf_file *file, const struct index *index,
                                     size_t bucket, size_t off, size_t end, struct last *last,
                                     lprf_visit *visit, void *context, struct bo_error *err)
{
    while (off < end) {
        const size_t item_off = off;
        struct item item;
        enum bo_status status = read_item(file, index, &off, end, &item, err);
        if (!status)
            status = check_item(index, &item, bucket, file->in.p[item_off], item_off, last, err);
        if (!status)
            status = lprf_visit_places(file, item.places_off, item.places_end, index->width,
                                       item.name, visit, context, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    struct last last = {.n_names = 0};
    size_t expected = index->items_off, off, end = expected;
    for (size_t bucket = 0; bucket < index->n_buckets; bucket++) {
        enum bo_status status = read_bucket(index, bucket, &off, &end, err);
        if (!status && off != expected)
            status = bo_fail(err, BO_CORRUPT, BUCKETS_OFF + 4 * (uint64_t)bucket,
                             "items of a bucket do not start where the bucket before ends");
        if (!status)
            status = each_of_bucket(file, index, bucket, off, end, &last, visit, context, err);
        if (status)
            return status;
        expected = end;
    }
    if (end != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, end, "bytes after the last item");
    if (last.n_names != index->n_names)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 4,
                       "number of names differs from the announced one");
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

#define LPRF_INDEX hash_chained_lean
#define LPRF_INDEX_NAME "hash-chained-lean"
#define LPRF_INDEX_NUMBER 2
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_WIDTH_OFF (LPRF_HEADER_NBYTES + 1)
#define LPRF_INDEX_SUMMARY "chained hash table with 32-bit buckets, a tag and varints"
#include "codecs/lprf/cross.h"
