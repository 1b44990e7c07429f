/*
 * llvm103: the tables of LLVM's extensible sample profile, version 103, with GUIDs for names. The
 * status quo. Numbers are unsigned LEB128 in the shortest form (uvarint), GUIDs are little-endian.
 *
 *   uvarint  N
 *   N u64    GUID, ascending
 *   uvarint  K
 *   K pairs  of uvarint index of a GUID, ascending; uvarint start of its body, ascending from 0
 *   uvarint  bytes of all bodies, in LLVM's file the size of the section that has them
 *
 * As LLVM's reader, open builds a hash table of all GUIDs: linear probing, at most half full. GUIDs
 * are hashes already. Where too many collide or lie side by side, as in a hostile file, they are
 * hashed again, with an unpredictable factor.
 */
#include "codecs/guid/guid.h"

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct guid_entry *entries;
    size_t n, n_bodies = 0;
    uint32_t total, start = 0;
    const enum bo_status status = guid_entries32(model, &entries, &n, &total, err);
    if (status)
        return status;
    bo_mark(out, "guids");
    bo_put_uvarint(out, n);
    for (size_t i = 0; i < n; i++) {
        bo_put_le64(out, entries[i].guid);
        n_bodies += entries[i].nbytes != GUID_NO_BODY;
    }
    bo_mark(out, "offsets");
    bo_put_uvarint(out, n_bodies);
    for (size_t i = 0; i < n; i++)
        if (entries[i].nbytes != GUID_NO_BODY) {
            bo_put_uvarint(out, i);
            bo_put_uvarint(out, start);
            start += entries[i].nbytes;
        }
    bo_put_uvarint(out, total);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status take_guids(struct bo_cursor *c, struct bo_arena *arena,
                                 struct bo_records **model_ret, struct bo_error *err)
{
    const struct bo_cursor at_count = *c;
    uint32_t n;
    const enum bo_status status = bo_get_uvarint32(c, &n, err);
    if (status)
        return status;
    if (bo_left(c) / 8 < n)
        return bo_fail_here(err, BO_TRUNCATED, &at_count, "GUIDs run past the end of the file");
    if (n > UINT32_MAX / 16)
        return bo_fail_here(err, BO_CORRUPT, &at_count, "number of GUIDs is 2^28 or more");
    struct guid_entry *entries = guid_new_model(n, arena, model_ret);
    if (!entries)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++) {
        const struct bo_cursor at = *c;
        entries[i].nbytes = GUID_NO_BODY;
        if (!bo_get_le64(c, &entries[i].guid) || (i && entries[i].guid <= entries[i - 1].guid))
            return bo_fail_here(err, BO_CORRUPT, &at, "GUIDs do not ascend");
    }
    return BO_OK;
}

/* Sets the size of the previous body, which ends at `end`. */
static enum bo_status end_body(struct guid_entry *entry, uint32_t start, uint32_t end,
                               const struct bo_cursor *at, struct bo_error *err)
{
    if (end <= start || end - start > GUID_MAX_BODY_NBYTES)
        return bo_fail_here(err, BO_CORRUPT, at, "body ends before its start or is too long");
    entry->nbytes = end - start;
    return BO_OK;
}

static enum bo_status take_all(struct bo_span in, struct bo_arena *arena,
                               struct bo_records **model_ret, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    struct guid_entry *last = NULL;
    uint32_t n_bodies, index, next = 0, start = 0, end = 0;
    enum bo_status status = take_guids(&c, arena, model_ret, err);
    if (status || (status = bo_get_uvarint32(&c, &n_bodies, err)))
        return status;
    struct guid_entry *entries = (*model_ret)->items;
    for (uint32_t i = 0; i <= n_bodies; i++) {
        struct bo_cursor at = c;
        if (i < n_bodies && (status = bo_get_uvarint32(&c, &index, err)))
            return status;
        if (i < n_bodies && (index < next || index >= (*model_ret)->n))
            return bo_fail_here(err, BO_CORRUPT, &at, "index of a GUID is out of order or range");
        at = c;
        if ((status = bo_get_uvarint32(&c, &end, err)))
            return status;
        if (last ? (status = end_body(last, start, end, &at, err)) : end != 0)
            return status ? status
                          : bo_fail_here(err, BO_CORRUPT, &at, "first body does not start at 0");
        if (i == n_bodies)
            break;
        last = &entries[index];
        start = end;
        next = index + 1;
    }
    return bo_left(&c) ? bo_fail_here(err, BO_CORRUPT, &c, "bytes after the tables") : BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct bo_records *model;
    const enum bo_status status = take_all(in, arena, &model, err);
    *model_ret = model;
    return status;
}

/* A slot of the hash table. */
struct slot {
    uint64_t guid;
    uint32_t state, nbytes; /* as in the answer; GUID_ABSENT for a free one */
};

struct reader {
    struct slot *slots;
    size_t mask;
    uint64_t factor; /* odd; 0: the GUID itself is the hash */
    unsigned shift;  /* right shift of the product */
};

static inline __attribute__((always_inline)) size_t home_of(const struct reader *reader,
                                                            uint64_t guid, bool hashes)
{
    return (size_t)(hashes ? guid * reader->factor >> reader->shift : guid) & reader->mask;
}

/* Whether a block of 256 slots has no free one: a lookup of an absent GUID may take many probes. */
static bool has_full_block(const struct reader *reader)
{
    enum { BLOCK = 256 };
    for (size_t first = 0; first + BLOCK <= reader->mask + 1; first += BLOCK) {
        size_t i = 0;
        while (i < BLOCK && reader->slots[first + i].state != GUID_ABSENT)
            i++;
        if (i == BLOCK)
            return true;
    }
    return false;
}

/*
 * Fills the free slots. False if the probes are more than eight for each GUID, or a lookup of an
 * absent GUID may take 512 probes or more: random GUIDs never do either.
 */
static bool fill(struct reader *reader, const struct guid_entry *entries, size_t n)
{
    size_t n_left = 8 * n;
    for (size_t i = 0; i < n; i++) {
        size_t at = home_of(reader, entries[i].guid, reader->factor);
        for (; reader->slots[at].state != GUID_ABSENT; at = (at + 1) & reader->mask)
            if (n_left-- == 0)
                return false;
        const struct guid_find_answer answer = guid_extent(0, guid_nbytes(&entries[i]));
        reader->slots[at] = (struct slot){entries[i].guid, answer.state, answer.nbytes};
    }
    return !has_full_block(reader);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct bo_records *model;
    struct reader *reader = bo_alloc(arena, sizeof *reader);
    if (!reader)
        return bo_fail_alloc(err, arena);
    *reader_ret = reader;
    const enum bo_status status = take_all(in, arena, &model, err);
    if (status)
        return status;
    *reader = (struct reader){.mask = 1, .shift = 63};
    for (; reader->mask + 1 < 2 * model->n; reader->shift--)
        reader->mask = 2 * reader->mask + 1;
    reader->slots = bo_zalloc_array(arena, reader->mask + 1, sizeof *reader->slots);
    if (!reader->slots)
        return bo_fail_alloc(err, arena);
    for (uint64_t seed = (uintptr_t)reader->slots; !fill(reader, model->items, model->n); seed++) {
        memset(reader->slots, 0, (reader->mask + 1) * sizeof *reader->slots);
        reader->factor = bo_mix64(seed) | 1;
    }
    return BO_OK;
}

static inline __attribute__((always_inline)) void find_all(const struct reader *reader,
                                                           const struct guid_find_query *q,
                                                           size_t n, struct guid_find_answer *a,
                                                           bool hashes)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = home_of(reader, q[i].guid, hashes);
        while (reader->slots[at].state != GUID_ABSENT && reader->slots[at].guid != q[i].guid)
            at = (at + 1) & reader->mask;
        a[i] = (struct guid_find_answer){reader->slots[at].state, reader->slots[at].nbytes};
    }
}

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct reader *reader = opaque;
    if (reader->factor)
        find_all(reader, queries, n, answers, true);
    else
        find_all(reader, queries, n, answers, false);
    return BO_OK;
}

const struct bo_codec guid_llvm103 = {
    .name = "llvm103",
    .summary = "LLVM's tables of version 103, a hash table made by open",
    .spec = "codecs/guid/README.md#llvm103",
    .role = BO_STATUS_QUO,
    .access = BO_WHOLE,
    .kinds = 1u << GUID_FIND,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
