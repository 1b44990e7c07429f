/*
 * perfect-hash-32: a perfect hash chooses a slot; a slot has 32 bits of its GUID and the low bits
 * of the end of its body. About 44.5 bits a GUID with bodies of 170 bytes.
 *
 * Integers are little-endian; bits are packed from the least significant one on. A key is the GUID
 * times an odd number. Its high half is its fingerprint, F, which chooses a bucket; its low half
 * chooses a position below m, the number of slots. The pilot of the bucket and the fingerprint
 * rotate the positions, so that no two keys have one slot. So fingerprint and slot determine the
 * bucket and the position: what is read is a set of keys, up to the bits below the position.
 *
 *   u32  n
 *   u32  bytes of all bodies
 *   u32  k, the number of GUIDs that are listed
 *   n / 5 + 1 pilots of 12 bits; the highest one: the GUIDs of this bucket are listed
 *   u32  for each group of 64 slots, and one more: end of the bodies before
 *   m entries: F, 0 in a free slot; the low l bits of the end of the body
 *   the other bits of the ends: for each as many zeros as it exceeds the one before by, then a one
 *   k pairs, by GUID: u64 GUID, u32 end of its body
 *   40 bytes of zeros, for wide loads
 *
 * l is floor(log2(bytes / n)). Bodies lie in the order of the slots, then in that of the list. A
 * pilot is the least that fits, the fullest buckets first: the encoding is canonical.
 */
#include "codecs/guid/bits.h"
#include "codecs/guid/guid.h"

enum {
    GUIDS_A_BUCKET = 5,
    FREE_SLOTS_ONE_IN = 256,
    PILOT_BITS = 12,
    LISTED = (1 << PILOT_BITS) - 1, /* the pilot of a bucket whose GUIDs are listed */
    FINGERPRINT_BITS = 32,
    GROUP = 64, /* slots */
    HEAD_NBYTES = 12,
    PAIR_NBYTES = 12, /* of the list */
};

/* ---- the hash -------------------------------------------------------------------------------- */

/* Values that are computed from the header. */
struct shape {
    uint32_t n, total, n_listed;
    uint32_t n_buckets, n_slots, n_groups;
    unsigned low_bits, entry_bits; /* entry_bits is at most 57, so one load reads an entry */
};

static struct shape shape_of(uint32_t n, uint32_t total, uint32_t n_listed)
{
    const uint32_t n_slots = n + n / FREE_SLOTS_ONE_IN + 1;
    const unsigned low_bits = guid_low_bits(n, total);
    return (struct shape){
        .n = n,
        .total = total,
        .n_listed = n_listed,
        .n_buckets = n / GUIDS_A_BUCKET + 1,
        .n_slots = n_slots,
        .n_groups = (n_slots + GROUP - 1) / GROUP,
        .low_bits = low_bits,
        .entry_bits = FINGERPRINT_BITS + low_bits,
    };
}

/* v * range / 2^32, rounded down. */
static inline uint32_t scale(uint32_t v, uint32_t range)
{
    return (uint32_t)((uint64_t)v * range >> 32);
}

static inline uint32_t fingerprint_of(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

/*
 * Fingerprints x / 2^32 are mapped to (x + 3 x^2 + 4 x^3) / 8: the first buckets are the fullest.
 * Their pilots are found while most slots are free, and no pilot needs many bits.
 */
static inline uint32_t bucket_of(const struct shape *shape, uint32_t fingerprint)
{
    const uint32_t x2 = scale(fingerprint, fingerprint), x3 = scale(x2, fingerprint);
    const uint64_t x = fingerprint + UINT64_C(3) * x2 + UINT64_C(4) * x3;
    return scale((uint32_t)(x >> 3), shape->n_buckets);
}

/* By how much a pilot rotates the positions of a fingerprint. */
static inline uint32_t turn_of(const struct shape *shape, uint32_t fingerprint, uint32_t pilot)
{
    return scale((fingerprint ^ pilot * 0x9e3779b1u) * 0x85ebca6bu, shape->n_slots);
}

static inline uint32_t slot_of(const struct shape *shape, uint64_t key, uint32_t pilot)
{
    const uint32_t slot =
        scale((uint32_t)key, shape->n_slots) + turn_of(shape, fingerprint_of(key), pilot);
    return slot < shape->n_slots ? slot : slot - shape->n_slots;
}

/* The least key of a slot that has this fingerprint. */
static uint64_t key_at(const struct shape *shape, uint32_t slot, uint32_t fingerprint,
                       uint32_t pilot)
{
    const uint32_t turn = turn_of(shape, fingerprint, pilot);
    const uint64_t position = slot < turn ? slot + shape->n_slots - turn : slot - turn;
    return (uint64_t)fingerprint << 32 | ((position << 32) + shape->n_slots - 1) / shape->n_slots;
}

/* ---- finding pilots -------------------------------------------------------------------------- */

struct plan {
    struct shape shape;
    const struct guid_entry *entries;
    uint64_t *keys;     /* bucket by bucket */
    uint32_t *entry_of; /* the entry of each key */
    uint32_t *first;    /* of each bucket in `keys`; one more than buckets */
    uint32_t *by_size;  /* buckets, the fullest first, by number where they are equally full */
    uint16_t *pilots;
    uint8_t *taken; /* by slot */
};

static uint32_t size_of(const struct plan *plan, uint32_t bucket)
{
    return plan->first[bucket + 1] - plan->first[bucket];
}

static void fill_buckets(struct plan *plan)
{
    const struct shape *shape = &plan->shape;
    for (uint32_t i = 0; i < shape->n; i++)
        plan->first[bucket_of(shape, fingerprint_of(plan->entries[i].guid * GUID_FACTOR)) + 1]++;
    for (uint32_t b = 0; b < shape->n_buckets; b++)
        plan->first[b + 1] += plan->first[b];
    for (uint32_t i = shape->n; i-- > 0;) { /* from its end: first[b + 1] moves down */
        const uint64_t key = plan->entries[i].guid * GUID_FACTOR;
        const uint32_t at = --plan->first[bucket_of(shape, fingerprint_of(key)) + 1];
        plan->keys[at] = key;
        plan->entry_of[at] = i;
    }
    memmove(plan->first, plan->first + 1, shape->n_buckets * sizeof *plan->first);
    plan->first[shape->n_buckets] = shape->n;
}

/* A counting sort. */
static bool sort_buckets(struct plan *plan, struct bo_arena *arena)
{
    const uint32_t n_buckets = plan->shape.n_buckets;
    uint32_t fullest = 0;
    for (uint32_t b = 0; b < n_buckets; b++)
        if (size_of(plan, b) > fullest)
            fullest = size_of(plan, b);
    uint32_t *place = bo_zalloc_array(arena, (size_t)fullest + 2, sizeof *place);
    if (!place)
        return false;
    for (uint32_t b = 0; b < n_buckets; b++)
        place[fullest - size_of(plan, b) + 1]++;
    for (uint32_t i = 0; i <= fullest; i++)
        place[i + 1] += place[i];
    for (uint32_t b = 0; b < n_buckets; b++)
        plan->by_size[place[fullest - size_of(plan, b)]++] = b;
    return true;
}

/* Whether the pilot maps all keys of a bucket to free slots; these are then marked as taken. */
static bool try_pilot(struct plan *plan, uint32_t bucket, uint32_t pilot)
{
    const uint32_t first = plan->first[bucket], end = plan->first[bucket + 1];
    uint32_t i = first;
    for (; i < end; i++) {
        uint8_t *taken = &plan->taken[slot_of(&plan->shape, plan->keys[i], pilot)];
        if (*taken)
            break;
        *taken = 1;
    }
    if (i == end)
        return true;
    while (i-- > first)
        plan->taken[slot_of(&plan->shape, plan->keys[i], pilot)] = 0;
    return false;
}

/* The least pilot that fits; LISTED if none does, or if a fingerprint is that of a free slot. */
static uint32_t find_pilot(struct plan *plan, uint32_t bucket)
{
    uint32_t pilot = 0;
    for (uint32_t i = plan->first[bucket]; i < plan->first[bucket + 1]; i++)
        if (fingerprint_of(plan->keys[i]) == 0)
            return LISTED;
    while (pilot < LISTED && !try_pilot(plan, bucket, pilot))
        pilot++;
    return pilot;
}

static enum bo_status make_plan(const void *model, struct bo_arena *arena, struct plan *plan,
                                struct bo_error *err)
{
    size_t n;
    uint32_t total;
    const enum bo_status status = guid_entries32(model, &plan->entries, &n, &total, err);
    if (status)
        return status;
    plan->shape = shape_of((uint32_t)n, total, 0);
    struct shape *shape = &plan->shape;
    plan->keys = bo_alloc_array(arena, n, sizeof *plan->keys);
    plan->entry_of = bo_alloc_array(arena, n, sizeof *plan->entry_of);
    plan->first = bo_zalloc_array(arena, (size_t)shape->n_buckets + 1, sizeof *plan->first);
    plan->by_size = bo_alloc_array(arena, shape->n_buckets, sizeof *plan->by_size);
    plan->pilots = bo_alloc_array(arena, shape->n_buckets, sizeof *plan->pilots);
    plan->taken = bo_zalloc_array(arena, shape->n_slots, 1);
    if (!plan->keys || !plan->entry_of || !plan->first || !plan->by_size || !plan->pilots ||
        !plan->taken)
        return bo_fail_alloc(err, arena);
    fill_buckets(plan);
    if (!sort_buckets(plan, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < shape->n_buckets; i++) {
        const uint32_t bucket = plan->by_size[i];
        plan->pilots[bucket] = (uint16_t)find_pilot(plan, bucket);
        if (plan->pilots[bucket] == LISTED)
            shape->n_listed += size_of(plan, bucket);
    }
    return BO_OK;
}

/* Whether an entry is listed; if not, its slot in *slot_ret. */
static bool is_listed(const struct plan *plan, uint32_t entry, uint32_t *slot_ret)
{
    const uint64_t key = plan->entries[entry].guid * GUID_FACTOR;
    const uint32_t pilot = plan->pilots[bucket_of(&plan->shape, fingerprint_of(key))];
    *slot_ret = slot_of(&plan->shape, key, pilot);
    return pilot == LISTED;
}

static enum bo_status reduce(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct plan plan;
    struct bo_records *reduced;
    uint32_t slot;
    const enum bo_status status = make_plan(model, arena, &plan, err);
    if (status)
        return status;
    struct guid_entry *entries = guid_new_model(plan.shape.n, arena, &reduced);
    if (!entries)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < plan.shape.n; i++) {
        const uint32_t fingerprint = fingerprint_of(plan.entries[i].guid * GUID_FACTOR);
        const uint32_t pilot = plan.pilots[bucket_of(&plan.shape, fingerprint)];
        entries[i] = plan.entries[i];
        if (!is_listed(&plan, i, &slot))
            entries[i].guid = key_at(&plan.shape, slot, fingerprint, pilot) * GUID_FACTOR_INVERSE;
    }
    if (!bo_records_settle(&guid_shape, reduced, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = reduced;
    return BO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The entry of each slot, from 1 on; 0 for a free one. NULL if the arena refuses memory. */
static uint32_t *entries_by_slot(const struct plan *plan, struct bo_arena *arena)
{
    uint32_t *at = bo_zalloc_array(arena, plan->shape.n_slots, sizeof *at), slot;
    for (uint32_t i = 0; at && i < plan->shape.n; i++)
        if (!is_listed(plan, i, &slot))
            at[slot] = i + 1;
    return at;
}

static void put_list(const struct plan *plan, uint32_t end, struct bo_writer *out)
{
    uint32_t slot;
    bo_mark(out, "list");
    for (uint32_t i = 0; i < plan->shape.n; i++)
        if (is_listed(plan, i, &slot)) {
            end += guid_nbytes(&plan->entries[i]);
            bo_put_le64(out, plan->entries[i].guid);
            bo_put_le32(out, end);
        }
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    struct plan plan;
    const enum bo_status status = make_plan(model, out->arena, &plan, err);
    if (status)
        return status;
    const struct shape *shape = &plan.shape;
    const uint32_t *at = entries_by_slot(&plan, out->arena);
    uint32_t *ends = bo_alloc_array(out->arena, shape->n_slots, sizeof *ends), end = 0;
    if (!at || !ends)
        return bo_fail_alloc(err, out->arena);
    for (uint32_t slot = 0; slot < shape->n_slots; slot++)
        ends[slot] = end += at[slot] ? guid_nbytes(&plan.entries[at[slot] - 1]) : 0;

    bo_mark(out, "directory");
    bo_put_le32(out, shape->n);
    bo_put_le32(out, shape->total);
    bo_put_le32(out, shape->n_listed);
    bo_mark(out, "pilots");
    struct bo_bit_writer bits = {out, 0};
    for (uint32_t b = 0; b < shape->n_buckets; b++)
        bo_put_bits(&bits, plan.pilots[b], PILOT_BITS);
    bo_mark(out, "directory");
    for (uint32_t group = 0; group < shape->n_groups; group++)
        bo_put_le32(out, group ? ends[group * GROUP - 1] : 0);
    bo_put_le32(out, end);
    bo_mark(out, "entries");
    bo_align_bits(&bits);
    for (uint32_t slot = 0; slot < shape->n_slots; slot++) {
        const uint64_t guid = at[slot] ? plan.entries[at[slot] - 1].guid : 0;
        bo_put_bits(&bits, fingerprint_of(guid * GUID_FACTOR), FINGERPRINT_BITS);
        bo_put_bits(&bits, (uint32_t)(ends[slot] & guid_mask(shape->low_bits)), shape->low_bits);
    }
    bo_mark(out, "offsets");
    bo_align_bits(&bits);
    for (uint32_t slot = 0, high = 0; slot < shape->n_slots; slot++) {
        guid_put_unary(&bits, (ends[slot] >> shape->low_bits) - high);
        high = ends[slot] >> shape->low_bits;
    }
    put_list(&plan, end, out);
    bo_mark(out, "padding");
    bo_put_zeros(out, GUID_WIDE_NBYTES);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct shape shape;
    const uint8_t *pilots, *groups, *entries, *ends, *list;
    uint64_t n_end_bits;
    uint64_t low_mask;
};

static enum bo_status read_head(struct bo_span in, struct reader *reader, struct bo_error *err)
{
    if (in.n < HEAD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 0, "file is shorter than its header");
    const uint32_t n = bo_le32(in.p), total = bo_le32(in.p + 4), n_listed = bo_le32(in.p + 8);
    if (n > UINT32_MAX / 16)
        return bo_fail(err, BO_CORRUPT, 0, "number of GUIDs is 2^28 or more");
    if (total > (uint64_t)n * GUID_MAX_BODY_NBYTES)
        return bo_fail(err, BO_CORRUPT, 4, "bodies are longer than 2^24 - 1 bytes for each GUID");
    if (n_listed > n)
        return bo_fail(err, BO_CORRUPT, 8, "more GUIDs are listed than there are");
    const struct shape shape = shape_of(n, total, n_listed);
    const uint64_t groups = HEAD_NBYTES + ((uint64_t)shape.n_buckets * PILOT_BITS + 7) / 8;
    const uint64_t entries = groups + 4 * ((uint64_t)shape.n_groups + 1);
    const uint64_t ends = entries + ((uint64_t)shape.n_slots * shape.entry_bits + 7) / 8;
    if (ends > in.n)
        return bo_fail(err, BO_TRUNCATED, HEAD_NBYTES, "entries run past the end of the file");
    const uint32_t last = bo_le32(in.p + entries - 4);
    const uint64_t n_end_bits = shape.n_slots + (uint64_t)(last >> shape.low_bits);
    const uint64_t list = ends + (n_end_bits + 7) / 8;
    if (list + (uint64_t)n_listed * PAIR_NBYTES + GUID_WIDE_NBYTES != in.n)
        return bo_fail(err, BO_CORRUPT, entries - 4, "size of the file is not that of its parts");
    *reader = (struct reader){
        .shape = shape,
        .pilots = in.p + HEAD_NBYTES,
        .groups = in.p + groups,
        .entries = in.p + entries,
        .ends = in.p + ends,
        .list = in.p + list,
        .n_end_bits = n_end_bits,
        .low_mask = guid_mask(shape.low_bits),
    };
    return BO_OK;
}

static inline uint32_t pilot_of(const struct reader *reader, uint32_t fingerprint)
{
    const uint64_t bit = (uint64_t)bucket_of(&reader->shape, fingerprint) * PILOT_BITS;
    return (uint32_t)bo_le16(reader->pilots + bit / 8) >> bit % 8 & LISTED;
}

static inline uint64_t entry_at(const struct reader *reader, uint32_t slot)
{
    const uint64_t bit = (uint64_t)slot * reader->shape.entry_bits;
    return bo_le64(reader->entries + bit / 8) >> bit % 8;
}

static inline uint64_t low_of(const struct reader *reader, uint64_t entry)
{
    return entry >> FINGERPRINT_BITS & reader->low_mask;
}

/* The answer from the list. */
static struct guid_find_answer find_listed(const struct reader *reader, uint64_t guid)
{
    uint32_t low = 0, high = reader->shape.n_listed;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint8_t *pair = reader->list + (size_t)middle * PAIR_NBYTES;
        const uint64_t here = bo_le64(pair);
        if (here == guid) {
            const uint32_t start = middle ? bo_le32(pair - 4)
                                          : bo_le32(reader->entries - 4); /* the last group's end */
            return guid_extent(start, bo_le32(pair + 8));
        }
        if (here < guid)
            low = middle + 1;
        else
            high = middle;
    }
    return (struct guid_find_answer){GUID_ABSENT, 0};
}

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define QUERY query_portable
#define SELECT guid_select_portable
#define ATTRIBUTE
#include "codecs/guid/perfect_hash_query.h"
#undef QUERY
#undef SELECT
#undef ATTRIBUTE
#define QUERY query_v3
#define SELECT guid_select_v3
#define ATTRIBUTE BO_V3
#include "codecs/guid/perfect_hash_query.h"
#undef QUERY
#undef SELECT
#undef ATTRIBUTE

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return (bo_cpu_has_v3() ? query_v3 : query_portable)(reader, queries, n, answers, err);
}

/* ---- reading all ----------------------------------------------------------------------------- */

/* The GUIDs of all slots; their number in *n_ret. */
static enum bo_status take_slots(const struct reader *reader, struct bo_span in,
                                 struct guid_entry *entries, uint32_t *n_ret, struct bo_error *err)
{
    const struct shape *shape = &reader->shape;
    const uint32_t n_in_slots = shape->n - shape->n_listed;
    const size_t ends_off = (size_t)(reader->ends - in.p);
    struct bo_bit_cursor c = {{reader->ends, (size_t)(reader->n_end_bits + 7) / 8}, 0};
    uint32_t n = 0, one, high = 0;
    uint64_t start = 0;
    for (uint32_t slot = 0; slot < shape->n_slots; slot++) {
        const uint64_t entry = entry_at(reader, slot);
        const uint32_t fingerprint = (uint32_t)entry, pilot = pilot_of(reader, fingerprint);
        const size_t off =
            (size_t)(reader->entries - in.p) + (size_t)((uint64_t)slot * shape->entry_bits / 8);
        for (one = 0; bo_get_bits(&c, 1, &one) && !one;)
            high++;
        const uint64_t end = (uint64_t)high << shape->low_bits | low_of(reader, entry);
        if (!one || c.bit > reader->n_end_bits)
            return bo_fail(err, BO_CORRUPT, ends_off, "body ends run past their bits");
        if (end < start || end - start > GUID_MAX_BODY_NBYTES)
            return bo_fail(err, BO_CORRUPT, off, "body ends before its start or is too long");
        if (fingerprint) {
            if (n == n_in_slots || pilot == LISTED)
                return bo_fail(err, BO_CORRUPT, off, "slot belongs to a GUID that is in the list");
            entries[n++] =
                (struct guid_entry){key_at(shape, slot, fingerprint, pilot) * GUID_FACTOR_INVERSE,
                                    end == start ? GUID_NO_BODY : (uint32_t)(end - start)};
        }
        start = end;
    }
    *n_ret = n;
    return n == n_in_slots
               ? BO_OK
               : bo_fail(err, BO_CORRUPT, 8, "slots and list hold fewer GUIDs than announced");
}

static enum bo_status take_list(const struct reader *reader, struct bo_span in,
                                struct guid_entry *entries, struct bo_error *err)
{
    uint32_t start = bo_le32(reader->entries - 4);
    for (uint32_t i = 0; i < reader->shape.n_listed; i++) {
        const uint8_t *pair = reader->list + (size_t)i * PAIR_NBYTES;
        const uint64_t guid = bo_le64(pair);
        const uint32_t end = bo_le32(pair + 8);
        const size_t off = (size_t)(pair - in.p);
        if (i && guid <= bo_le64(pair - PAIR_NBYTES))
            return bo_fail(err, BO_CORRUPT, off, "GUIDs do not ascend");
        if (pilot_of(reader, fingerprint_of(guid * GUID_FACTOR)) != LISTED)
            return bo_fail(err, BO_CORRUPT, off, "bucket of a listed GUID has a pilot");
        if (end < start || end - start > GUID_MAX_BODY_NBYTES)
            return bo_fail(err, BO_CORRUPT, off + 8, "body ends before its start or is too long");
        entries[i] = (struct guid_entry){guid, end == start ? GUID_NO_BODY : end - start};
        start = end;
    }
    return BO_OK;
}

/* Checks that pilots, free slots and padding are those that encode writes for the set. */
static enum bo_status expect_canonical(const struct bo_codec *self, struct bo_span in,
                                       const void *model, struct bo_arena *arena,
                                       struct bo_error *err)
{
    struct bo_writer out;
    size_t off = 0;
    bo_writer_init(&out, arena);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    enum bo_status status = encode(self, model, &out, err);
    while (!status && off < in.n && off < out.n && in.p[off] == out.p[off])
        off++;
    if (!status && (off < in.n || off < out.n))
        status = bo_fail(err, BO_CORRUPT, off, "byte differs from the encoding of these GUIDs");
    bo_writer_free(&out);
    bo_arena_rewind(arena, mark);
    return status;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader reader;
    struct bo_records *model;
    uint32_t n;
    enum bo_status status = read_head(in, &reader, err);
    if (status)
        return status;
    struct guid_entry *entries = guid_new_model(reader.shape.n, arena, &model);
    if (!entries)
        return bo_fail_alloc(err, arena);
    if ((status = take_slots(&reader, in, entries, &n, err)) ||
        (status = take_list(&reader, in, entries + n, err)))
        return status;
    if (!bo_records_settle(&guid_shape, model, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return expect_canonical(self, in, model, arena, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    *reader_ret = reader;
    return reader ? read_head(in, reader, err) : bo_fail_alloc(err, arena);
}

const struct bo_codec guid_perfect_hash_32 = {
    .name = "perfect-hash-32",
    .summary = "a perfect hash, 32 bits of each GUID: an absent GUID is found once in 2^32",
    .spec = "codecs/guid/README.md#perfect-hash-32",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .lazy = true,
    .probabilistic = true,
    .kinds = 1u << GUID_FIND,
    .paths = BO_PATH_V3,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
