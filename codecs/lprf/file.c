/* The header, the writer's frame, and the order of functions: what all LPRF codecs share. */
#include "codecs/lprf/file.h"

#include "codecs/lprf/model.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const uint8_t magic[4] = {'L', 'P', 'R', 'F'};

enum { CODING_STEP = 256 }; /* in the version */

/* ---- writing --------------------------------------------------------------------------------- */

enum bo_status lprf_begin(struct lprf_writer *w, const struct lprf_model *model,
                          const struct lprf_coding *coding, unsigned index_number,
                          struct bo_writer *out, struct bo_error *err)
{
    *w = (struct lprf_writer){.model = model, .coding = coding, .out = out, .start = out->n};
    bo_mark(out, "header");
    bo_put_bytes(out, magic, sizeof magic);
    bo_put_le32(out, 1 + index_number + CODING_STEP * coding->number);
    bo_put_le64(out, 0); /* until lprf_end_index */
    bo_put_le64(out, lprf_maximum(model));
    return coding->prepare ? coding->prepare(w, err) : BO_OK;
}

void lprf_end_index(struct lprf_writer *w)
{
    if (w->out->status)
        return;
    bo_set_le64(w->out->p + w->start + 8, w->out->n - w->start);
    w->coding->put_shared(w);
}

enum bo_status lprf_end(struct lprf_writer *w, struct bo_error *err)
{
    for (size_t f = 0; f < w->model->n_functions && !w->out->status; f++)
        w->coding->put_record(w, f);
    return bo_writer_status(w->out, err);
}

uint64_t *lprf_record_offs(const struct lprf_writer *w)
{
    const size_t n = w->model->n_functions;
    uint64_t *offs = bo_alloc_array(w->out->arena, n, sizeof *offs);
    uint64_t off = 0;
    for (size_t f = 0; offs && f < n; f++) {
        offs[f] = off;
        off += w->coding->record_nbytes(w, f);
    }
    return offs;
}

void lprf_put_uint(struct bo_writer *out, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        bo_put_u8(out, (uint8_t)(v >> 8 * i));
}

uint64_t lprf_hash_name(struct bo_span name, uint64_t seed)
{
    return XXH3_64bits_withSeed(name.p, name.n, seed);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum bo_status lprf_open_header(struct bo_span in, unsigned index_number, unsigned coding_number,
                                struct bo_arena *arena, struct lprf_file *file,
                                struct bo_error *err)
{
    if (in.n < LPRF_HEADER_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file ends in the header");
    if (memcmp(in.p, magic, sizeof magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not LPRF");
    if (bo_le32(in.p + 4) != 1 + index_number + CODING_STEP * coding_number)
        return bo_fail(err, BO_UNSUPPORTED, 4, "version is not this codec's");
    const uint64_t end_of_index = bo_le64(in.p + 8);
    if (end_of_index < LPRF_HEADER_NBYTES)
        return bo_fail(err, BO_CORRUPT, 8, "index ends inside the header");
    if (end_of_index > in.n)
        return bo_fail(err, BO_TRUNCATED, 8, "index ends past the file's end");
    *file = (struct lprf_file){.in = in,
                               .maximum = bo_le64(in.p + 16),
                               .end_of_index = (size_t)end_of_index,
                               .arena = arena};
    return BO_OK;
}

enum bo_status lprf_collect(void *context, const struct lprf_entry *entry, struct bo_error *err)
{
    struct lprf_entries *entries = context;
    if (!bo_grow_from(64, entries->arena, &entries->p, entries->n, 1, &entries->cap))
        return bo_fail_alloc(err, entries->arena);
    entries->p[entries->n++] = *entry;
    return BO_OK;
}

struct bo_span lprf_keep_name(struct bo_span name, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, name.n);
    if (p)
        memcpy(p, name.p, name.n);
    return (struct bo_span){p, name.n};
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef bool goes_before(const struct lprf_entry *a, const struct lprf_entry *b);

static bool order_before(const struct lprf_entry *a, const struct lprf_entry *b)
{
    return a->order < b->order;
}

static bool off_before(const struct lprf_entry *a, const struct lprf_entry *b)
{
    return a->off < b->off;
}

static bool name_before(const struct lprf_entry *a, const struct lprf_entry *b)
{
    const int order = bo_span_compare(a->name, b->name);
    return order ? order < 0 : a->order < b->order;
}

/* Merges the sorted from[0, half) and from[half, n) into `to`. */
static void merge_runs(const struct lprf_entry *from, size_t half, size_t n, struct lprf_entry *to,
                       goes_before *before)
{
    for (size_t i = 0, j = half, k = 0; k < n; k++)
        to[k] = j < n && (i == half || before(&from[j], &from[i])) ? from[j++] : from[i++];
}

static bool is_sorted(const struct lprf_entries *entries, goes_before *before)
{
    for (size_t i = 1; i < entries->n; i++)
        if (before(&entries->p[i], &entries->p[i - 1]))
            return false;
    return true;
}

/* Stable merge sort, bottom up; what is in order already is only looked at. */
static enum bo_status sort(struct lprf_entries *entries, goes_before *before, struct bo_error *err)
{
    const size_t n = entries->n;
    if (is_sorted(entries, before))
        return BO_OK;
    struct lprf_entry *from = entries->p;
    struct lprf_entry *to = bo_alloc_array(entries->arena, n, sizeof *to);
    if (!to)
        return bo_fail_alloc(err, entries->arena);
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            const size_t left = n - i;
            merge_runs(from + i, run < left ? run : left, 2 * run < left ? 2 * run : left, to + i,
                       before);
        }
        struct lprf_entry *sorted = to;
        to = from;
        from = sorted;
    }
    entries->p = from;
    entries->cap = n;
    return BO_OK;
}

/* ---- order of names -------------------------------------------------------------------------- */

struct keyed {
    uint64_t key;
    size_t entry;
};

/* Merges the sorted from[0, half) and from[half, n) into `to`; no branch depends on the keys. */
static void merge_keys(const struct keyed *from, size_t half, size_t n, struct keyed *to)
{
    size_t i = 0, j = half;
    while (i < half && j < n) {
        const bool right = from[j].key < from[i].key;
        *to++ = from[right ? j : i];
        i += !right;
        j += right;
    }
    memcpy(to, from + i, (half - i) * sizeof *to);
    memcpy(to + (half - i), from + j, (n - j) * sizeof *to);
}

/* Sorts by key; `scratch` has room for as many elements. */
static void sort_keys(struct keyed *items, size_t n, struct keyed *scratch)
{
    enum { FIRST_RUN = 8 };
    for (size_t i = 1; i < n; i++) {
        const struct keyed item = items[i];
        size_t j = i;
        for (; j % FIRST_RUN && items[j - 1].key > item.key; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
    struct keyed *from = items, *to = scratch;
    for (size_t run = FIRST_RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            const size_t left = n - i;
            merge_keys(from + i, run < left ? run : left, 2 * run < left ? 2 * run : left, to + i);
        }
        struct keyed *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

enum { KEY_NBYTES = 7 };

/*
 * A sort key of names that are equal up to byte `at`: the next 7 bytes, then the number of bytes
 * left, at most 8.
 */
static uint64_t key_at(struct bo_span name, size_t at)
{
    const size_t n = name.n - at;
    uint64_t key = 0;
    if (n >= 8)
        return (bo_be64(name.p + at) & ~UINT64_C(0xff)) | 8;
    for (size_t i = 0; i < n; i++)
        key |= (uint64_t)name.p[at + i] << (56 - 8 * i);
    return key | n;
}

/* The number of bytes from `at` on that all names share. They share the bytes before `at`. */
static size_t n_common(const struct lprf_entry *entries, const struct keyed *items, size_t n,
                       size_t at)
{
    const struct bo_span first = entries[items[0].entry].name;
    struct bo_span common = {first.p + at, first.n - at};
    for (size_t i = 1; i < n && common.n; i++) {
        const struct bo_span name = entries[items[i].entry].name;
        common.n = bo_common_prefix(common, (struct bo_span){name.p + at, name.n - at});
    }
    return common.n;
}

/*
 * Sorts n names that share the first `at` bytes. The depth of the recursion is at most the bytes of
 * the longest name / 7.
 */
static void sort_names(const struct lprf_entry *entries, struct keyed *items, size_t n, size_t at,
                       struct keyed *scratch)
{
    at += n_common(entries, items, n, at);
    for (size_t i = 0; i < n; i++)
        items[i].key = key_at(entries[items[i].entry].name, at);
    sort_keys(items, n, scratch);
    for (size_t i = 0, end; i < n; i = end) {
        const uint64_t key = items[i].key;
        for (end = i + 1; end < n && items[end].key == key; end++)
            continue;
        if (end - i == 1)
            continue;
        if ((key & 0xff) > KEY_NBYTES) {
            sort_names(entries, items + i, end - i, at + KEY_NBYTES, scratch);
            continue;
        }
        for (size_t k = i; k < end; k++) /* equal names */
            items[k].key = entries[items[k].entry].order;
        sort_keys(items + i, end - i, scratch);
    }
}

enum bo_status lprf_sort_by_order(struct lprf_entries *entries, struct bo_error *err)
{
    return sort(entries, order_before, err);
}

enum bo_status lprf_sort_by_off(struct lprf_entries *entries, struct bo_error *err)
{
    return sort(entries, off_before, err);
}

enum bo_status lprf_sort_by_name(struct lprf_entries *entries, struct bo_error *err)
{
    const size_t n = entries->n;
    if (is_sorted(entries, name_before))
        return BO_OK;
    struct keyed *items = bo_alloc_array(entries->arena, n, 2 * sizeof *items);
    struct lprf_entry *sorted = bo_alloc_array(entries->arena, n, sizeof *sorted);
    if (!items || !sorted)
        return bo_fail_alloc(err, entries->arena);
    for (size_t i = 0; i < n; i++)
        items[i].entry = i;
    sort_names(entries->p, items, n, 0, items + n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = entries->p[items[i].entry];
    entries->p = sorted;
    entries->cap = n;
    return BO_OK;
}

enum bo_status lprf_check_model(const struct lprf_file *file, const struct lprf_model *model,
                                const struct lprf_entries *entries, struct bo_error *err)
{
    size_t function;
    const enum bo_status status = lprf_check_rules(model, file->arena, &function, err);
    if (status == BO_CORRUPT && err)
        err->off = entries->p[function].off;
    if (status)
        return status;
    if (lprf_maximum(model) != file->maximum)
        return bo_fail(err, BO_CORRUPT, 16, "maximum is not that of the functions");
    return BO_OK;
}
