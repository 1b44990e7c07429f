/*
 * sequences: the state of a reader, and how a record and its distances are found. Shared by queries
 * and the checks of open.
 */
#ifndef UNWIND_SEQUENCES_READER_H
#define UNWIND_SEQUENCES_READER_H

#include "codecs/unwind/sequences/sequences.h"

struct segment {
    uint32_t start, span; /* bytes, from Base */
    uint32_t n;           /* entries */
    uint8_t quantum, low_bits, pad_bits;
    uint32_t low_mask, pad_mask; /* low_bits and pad_bits in ones */
    uint32_t stride;             /* bytes of a block */
    const uint8_t *samples;      /* u16 each: entries before bucket 16 j */
    const uint8_t *upper;        /* one 1 for each entry of a bucket, then a 0 */
    const uint8_t *blocks;
    uint64_t n_upper_bits;
};

/* A distance of a list, as queries read it: from the front up to the implied one, then back. */
struct field {
    uint32_t state, base;
    uint32_t bit;  /* in a narrow record */
    uint32_t mask; /* its width in ones */
};

/*
 * Eight distances of a list for the path of x86-64-v3: where their fields begin after that of the
 * first one, and in how many bits. The implied step and those after the list's end have a base and
 * a width of 0. A list has an even number of groups.
 */
struct group {
    uint32_t base[8];
    uint8_t rel[8], width[8];
    uint32_t bit; /* of the first one in a narrow record */
};

enum {
    UNWIND_GROUP = 8,
    UNWIND_GROUP_MAX_REL = 96,   /* with 7 bits before it and its width, a field is in 16 bytes */
    UNWIND_GROUP_MAX_WIDTH = 25, /* and in 4 bytes */
    UNWIND_GROUP_MAX_SPECIAL =
        13, /* the width of special records whose 8 fields do not exceed 96 */
    UNWIND_MAX_GROUPS = 16,
};

static inline uint32_t n_groups_of(uint32_t n_steps)
{
    return (n_steps + 2 * UNWIND_GROUP - 1) / (2 * UNWIND_GROUP) * 2;
}

struct list {
    const struct group *groups; /* NULL: none, or fields that groups do not reach */
    const struct field *fields; /* one for each step; that of the implied step has no width */
    uint32_t n, implied;
    uint32_t narrow_nbits;
    uint8_t flags, rep;
};

struct reader {
    uint64_t base;
    enum unwind_arch arch;
    uint32_t n_segments, n_entries, n_functions, n_lists;
    uint8_t unit, long_bits;
    const struct segment *segments;
    const struct list *lists;
    const uint32_t *narrow_nbits; /* of each list, in an array of its own: 256 or more */
    const struct unwind_state *states;
    struct bo_span records;
};

/* An entry found: where it is and what its record is. */
struct at {
    const struct segment *segment;
    uint32_t number; /* in its segment */
    uint64_t bit;    /* of its 1 in the upper bits */
    uint64_t fields; /* its low bits and its pad, and what follows */
    uint32_t start;  /* bytes from Base */
};

struct record {
    const struct list *list;
    uint64_t bit;   /* of its first field */
    uint32_t width; /* of all its fields, or UNWIND_SEQ_NARROW */
};

/* ---- starts ---------------------------------------------------------------------------------- */

static inline bool upper_bit(const struct segment *s, uint64_t bit)
{
    return s->upper[bit / 8] >> bit % 8 & 1;
}

enum { WINDOW_BITS = 57 }; /* bits from any bit on in a load of 8 bytes */

static inline uint64_t window_at(const uint8_t *p, uint64_t bit)
{
    return bo_le64(p + bit / 8) >> bit % 8;
}

/* The low bits and the pad of an entry, with what follows them. */
static inline uint64_t fields_of(const struct segment *s, uint32_t entry)
{
    const unsigned nbits = s->low_bits + s->pad_bits, i = entry % UNWIND_SEQ_BLOCK;
    const uint8_t *block = s->blocks + (size_t)(entry / UNWIND_SEQ_BLOCK) * s->stride;
    return window_at(block + UNWIND_SEQ_BLOCK_FIELDS, i * nbits);
}

static inline uint32_t low_of(const struct segment *s, uint32_t entry)
{
    return (uint32_t)fields_of(s, entry) & s->low_mask;
}

static inline uint32_t pad_of(const struct segment *s, uint64_t fields)
{
    return (uint32_t)(fields >> s->low_bits) & s->pad_mask;
}

/* Places an entry whose number and bit are known. */
static inline void place(struct at *at)
{
    const struct segment *s = at->segment;
    const uint32_t bucket = (uint32_t)(at->bit - at->number);
    at->fields = fields_of(s, at->number);
    at->start =
        s->start + ((bucket << s->low_bits | ((uint32_t)at->fields & s->low_mask)) << s->quantum);
}

/* The 1 that follows, which exists. */
static inline uint64_t next_one(const struct segment *s, uint64_t bit)
{
    uint64_t word = ++bit / 64;
    uint64_t ones = bo_le64(s->upper + 8 * word) & UINT64_MAX << bit % 64;
    while (!ones)
        ones = bo_le64(s->upper + 8 * ++word);
    return 64 * word + (unsigned)__builtin_ctzll(ones);
}

/* Where an entry's function ends, from Base. */
static inline uint32_t end_of(const struct reader *r, const struct at *at)
{
    const struct segment *s = at->segment;
    if (at->number + 1 == s->n)
        return s->start + s->span;
    struct at next = {.segment = s, .number = at->number + 1, .bit = next_one(s, at->bit)};
    place(&next);
    return next.start - (pad_of(s, at->fields) << r->unit);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The head of a special record at `bit`. */
static inline struct record special_record(const struct reader *r, unsigned id, uint64_t bit)
{
    struct record record;
    uint32_t list = id;
    if (id == UNWIND_SEQ_LONG) {
        list += bo_bits_at(r->records.p, bit, r->long_bits);
        bit += r->long_bits;
    }
    record.list = &r->lists[list];
    record.width = bo_bits_at(r->records.p, bit, UNWIND_SEQ_WIDTH_BITS);
    record.bit = bit + UNWIND_SEQ_WIDTH_BITS;
    return record;
}

static inline uint64_t record_end(const struct record *record)
{
    const struct list *list = record->list;
    return record->bit + (record->width == UNWIND_SEQ_NARROW
                              ? list->narrow_nbits
                              : (list->n - UINT64_C(1)) * record->width);
}

/* As record_of, from the mark before on, record by record. */
static inline struct record walk_to_record(const struct reader *r, const uint8_t *block, unsigned i)
{
    const unsigned special = bo_le16(block + 4);
    const uint8_t *ids = block + UNWIND_SEQ_IDS;
    unsigned k = i / UNWIND_SEQ_STEP * UNWIND_SEQ_STEP, mark = 0;
    while (k && (mark = bo_le16(block + 4 + k / 2)) == UNWIND_SEQ_NO_MARK)
        k -= UNWIND_SEQ_STEP;
    uint64_t bit = bo_le32(block) + (k ? mark : 0);
    for (; k < i; k++) {
        if (special >> k & 1) {
            const struct record record = special_record(r, ids[k], bit);
            bit = record_end(&record);
        } else {
            bit += r->narrow_nbits[ids[k]];
        }
    }
    if (special >> i & 1)
        return special_record(r, ids[i], bit);
    return (struct record){&r->lists[ids[i]], bit, UNWIND_SEQ_NARROW};
}

/* Nearly always, no record from the mark on is special: then there is no loop, and no branch. */
static inline struct record record_of(const struct reader *r, const struct at *at)
{
    const uint8_t *block =
        at->segment->blocks + (size_t)(at->number / UNWIND_SEQ_BLOCK) * at->segment->stride;
    const unsigned i = at->number % UNWIND_SEQ_BLOCK, n = i % UNWIND_SEQ_STEP, k = i - n;
    const uint32_t mark = bo_le16(block + 4 + k / 2) & (0u - (k != 0));
    const unsigned special = bo_le16(block + 4) >> k & ((2u << n) - 1);
    if (__builtin_expect(special != 0 || mark == UNWIND_SEQ_NO_MARK, 0))
        return walk_to_record(r, block, i);
    const uint8_t *ids = block + UNWIND_SEQ_IDS + k;
    const uint64_t bit =
        bo_le32(block) + (uint64_t)mark + (r->narrow_nbits[ids[0]] & (0u - (n > 0))) +
        (r->narrow_nbits[ids[1]] & (0u - (n > 1))) + (r->narrow_nbits[ids[2]] & (0u - (n > 2)));
    return (struct record){&r->lists[ids[n]], bit, UNWIND_SEQ_NARROW};
}

/* The distance of step s, which is not the implied one, in units. */
static inline uint64_t distance(const struct reader *r, const struct record *record, uint32_t s)
{
    const struct field *f = &record->list->fields[s];
    if (record->width == UNWIND_SEQ_NARROW)
        return (uint64_t)f->base +
               ((uint32_t)window_at(r->records.p, record->bit + f->bit) & f->mask);
    const uint64_t index = s - (s > record->list->implied);
    return (uint64_t)f->base +
           bo_bits_at(r->records.p, record->bit + index * record->width, record->width);
}

enum bo_status unwind_seq_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err);

/* The same, for CPUs of x86-64-v3. */
enum bo_status unwind_seq_query_v3(const struct reader *r, unsigned kind, const void *queries,
                                   size_t n, void *answers);

#endif
