/*
 * packed-starts: bakeoff's own encoding, for readers in portable code and compilers that emit one
 * function at a time. There is no dictionary: a record depends on its table only. A table of few
 * runs is a list, whose starts are all compared at once, in one or two words. A table of more runs
 * has blocks with buckets of starts.
 *
 * Bits are packed, least significant first; a record is padded with 0 bits to a byte. A record that
 * is no short list starts with 3 bits 7, and 2 bits form. A start in a list has one bit more than
 * the last quantum, at least 4; the highest one is 0.
 *
 *   short list:
 *     3    n, at most 6: the starts, one for each run but the first
 *     2    base: -2, -1, 0 with unit 8, 0 with unit 4
 *     4    width of a value
 *     .    n starts
 *     .    n + 1 values
 *   A stored value v means base + v * unit, mod 2^32.
 *
 *   form 0, wide list:
 *     3    n, at most 6
 *     5    width of a value
 *     3    bytes of the bias, 1 to 4
 *     .    bias; then as in a short list, with base 0 and unit 1
 *
 *   form 1, long list:
 *     2    base; 4 width, as in a short list
 *     5    n, at most 15
 *     .    as in a short list
 *
 *   form 2, one block:
 *     3    base: as in a list, or 0 with a bias of 1, 2, 3, 4 bytes
 *     20   description of the block: 6 m; 4 l; 5 low width; 3 g, at most 4; 2 search
 *     .    bias, of 4 bits more
 *     .    the block
 *
 *   form 3, blocks of 2^k quanta:
 *     3    base
 *     5    k
 *     5    o
 *     6    b, at most 32
 *     .    bias
 *     .    index: for each block 20 description; o offset of the block in bytes from the end of the
 *          index; b bias of the block
 *     .    0 bits up to a byte, where the index ends; then the blocks, each padded to a byte
 *
 *   block of m starts; if m is 0, no bits, and offset and the rest of the description are 0:
 *     .    for each bucket of 2^l quanta: with search 0, 1, 2 the number of starts in it, 2 bits;
 *          with search 3, an Elias-Fano list, a 0 for each start in it, then a 1
 *     .    with search 1, 2, so many full buckets: 5 bucket, 4 its starts above 3
 *     .    m + 1 fields of low width + g bits; before each but the first, l low bits of its start
 *     .    if g is not 0: 5 h; then high parts of h bits, as many as the largest number needs
 *   The upper g bits of a field are the number of a high part; the value is high part << low
 *   width | lower bits. A stored value v means base + bias + (bias of the block + v) * unit.
 */
#include "codecs/pcdata/packed_starts/packed_starts.h"
#include "harness/core/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE __attribute__((always_inline)) static inline

/* ---- lists ----------------------------------------------------------------------------------- */

/* For each number of bits of a start: the lowest bit of each lane of a word, and the highest. */
struct lanes {
    uint64_t ones, high;
    uint64_t ones_above;  /* ones << 1 */
    uint64_t word1_nbits; /* of the first word of a long list */
};

#define ONE(w, i) ((i) * (w) < 64 ? UINT64_C(1) << (i) * (w) % 64 : 0)
#define ONES_4(w, i) (ONE(w, i) | ONE(w, (i) + 1) | ONE(w, (i) + 2) | ONE(w, (i) + 3))
#define ONES(w) (ONES_4(w, 0) | ONES_4(w, 4) | ONES_4(w, 8) | ONES_4(w, 12) | ONES_4(w, 16))
#define LANES(w)                                                                  \
    {                                                                             \
        ONES(w), ONES(w) << ((w)-1), ONES(w) << 1, PACKED_WORD1_NBITS / (w) * (w) \
    }
#define LANES_4(w) LANES(w), LANES((w) + 1), LANES((w) + 2), LANES((w) + 3)

static const struct lanes lanes_of[34] = {
    [PACKED_MIN_LANE_NBITS] = LANES(4),
    LANES(5),
    LANES(6),
    LANES(7),
    LANES_4(8),
    LANES_4(12),
    LANES_4(16),
    LANES_4(20),
    LANES_4(24),
    LANES_4(28),
    LANES(32),
    LANES(33),
};

/*
 * How many of the starts at the low end of a word, which have n_nbits in all, are at most `pc`.
 * The highest bit of a start is 0, so a lane's difference does not borrow from the next one. The
 * product adds up the lanes below each; the result is 0 if there are 0 starts.
 */
INLINE unsigned count_starts(uint64_t word, unsigned n_nbits, const struct lanes *lanes,
                             uint32_t pc)
{
    const uint64_t passed = ((pc * lanes->ones | lanes->high) - word) & lanes->high;
    return passed * lanes->ones_above >> n_nbits & 15;
}

/* Masks of the lowest i bits. */
static const uint32_t width_masks[33] = {
    0,         1,          3,          7,          0xf,        0x1f,      0x3f,
    0x7f,      0xff,       0x1ff,      0x3ff,      0x7ff,      0xfff,     0x1fff,
    0x3fff,    0x7fff,     0xffff,     0x1ffff,    0x3ffff,    0x7ffff,   0xfffff,
    0x1fffff,  0x3fffff,   0x7fffff,   0xffffff,   0x1ffffff,  0x3ffffff, 0x7ffffff,
    0xfffffff, 0x1fffffff, 0x3fffffff, 0x7fffffff, 0xffffffff,
};

/* A list, taken apart. */
struct list {
    const uint8_t *starts; /* the first one is at bit `shift` */
    unsigned n, shift, width;
    uint32_t least, unit;
};

INLINE struct list read_short_list(const uint8_t *record, uint32_t head)
{
    const struct packed_base *base = &packed_bases[head >> 3 & 3];
    return (struct list){.starts = record + 1,
                         .n = head & 7,
                         .shift = PACKED_SHORT_HEAD_NBITS - 8,
                         .width = head >> 5 & 15,
                         .least = (uint32_t)base->base,
                         .unit = base->unit};
}

INLINE struct list read_wide_list(const uint8_t *record, uint32_t head)
{
    const unsigned bias_nbytes = head >> 13 & 7;
    return (struct list){.starts = record + PACKED_WIDE_HEAD_NBITS / 8 + bias_nbytes,
                         .n = head >> 5 & 7,
                         .shift = 0,
                         .width = head >> 8 & 31,
                         .least = bo_bits_at(record, PACKED_WIDE_HEAD_NBITS, 8 * bias_nbytes),
                         .unit = 1};
}

INLINE struct list read_long_list(const uint8_t *record, uint32_t head)
{
    const struct packed_base *base = &packed_bases[head >> 5 & 3];
    return (struct list){.starts = record + PACKED_LONG_HEAD_NBITS / 8,
                         .n = head >> 11,
                         .shift = 0,
                         .width = head >> 7 & 15,
                         .least = (uint32_t)base->base,
                         .unit = base->unit};
}

INLINE int32_t list_value(const struct list *l, unsigned at, unsigned i)
{
    at += l->shift + i * l->width;
    const uint32_t field =
        (uint32_t)(bo_le64(l->starts + at / 8) >> at % 8) & width_masks[l->width];
    return (int32_t)(l->least + field * l->unit);
}

INLINE int32_t lookup_list(const struct list l, uint32_t text_quanta, uint32_t pc)
{
    const unsigned lane_nbits = packed_lane_nbits(text_quanta), n_nbits = l.n * lane_nbits;
    const uint64_t word = bo_le64(l.starts) >> l.shift;
    return list_value(&l, n_nbits, count_starts(word, n_nbits, &lanes_of[lane_nbits], pc));
}

INLINE int32_t in_long_list(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    const struct list l = read_long_list(record, bo_le16(record));
    const unsigned lane_nbits = packed_lane_nbits(text_quanta), n_nbits = l.n * lane_nbits;
    const struct lanes *lanes = &lanes_of[lane_nbits];
    const unsigned whole = (unsigned)lanes->word1_nbits;
    const unsigned word1_nbits = n_nbits < whole ? n_nbits : whole;
    const uint64_t word1 = bo_le64(l.starts);
    const uint64_t word2 = bo_le64(l.starts + word1_nbits / 8) >> word1_nbits % 8;
    const unsigned i = count_starts(word1, word1_nbits, lanes, pc) +
                       count_starts(word2, n_nbits - word1_nbits, lanes, pc);
    return list_value(&l, n_nbits, i);
}

/* ---- searching words ------------------------------------------------------------------------- */

static const uint64_t each_byte = 0x0101010101010101u, high_of_bytes = 0x8080808080808080u;

/* For each byte, how many 1 bits it and the bytes below have. */
INLINE uint64_t sum_bits(uint64_t v)
{
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    return ((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * each_byte;
}

/* How many of the ascending bytes, each below 128, are at most n. */
INLINE unsigned count_bytes(uint64_t bytes, uint64_t n)
{
    return (unsigned)((((n * each_byte | high_of_bytes) - bytes) >> 7 & each_byte) * each_byte >>
                      56);
}

/* The place of the 1 bit after n other ones, given sum_bits(v); at least n + 1 bits are set. */
INLINE unsigned select_bit(uint64_t v, uint64_t sums, unsigned n)
{
    const unsigned at = count_bytes(sums, n) * 8;
    const unsigned before = (unsigned)(sums << 8 >> at) & 0xff;
    const uint64_t bits = (v >> at & 0xff) * each_byte & 0x8040201008040201u;
    const uint64_t ones = (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & each_byte;
    return at + count_bytes(ones * each_byte, n - before);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A block taken apart: the places of its parts are in bits from its first byte. */
struct block {
    const uint8_t *p;
    unsigned n_starts, low_nbits, low_width, number_nbits, n_full;
    unsigned field_nbits, stride;
    uint32_t n_buckets;
    unsigned full_at, runs_at;
};

INLINE struct block read_block(const uint8_t *p, uint32_t fields, uint32_t last_quantum)
{
    struct block b = {
        .p = p,
        .n_starts = fields & 63,
        .low_nbits = fields >> 6 & 15,
        .low_width = fields >> 10 & 31,
        .number_nbits = fields >> 15 & 7,
        .n_full = fields >> 18 & 3,
    };
    b.n_buckets = (last_quantum >> b.low_nbits) + 1;
    b.field_nbits = b.low_width + b.number_nbits;
    b.stride = b.field_nbits + b.low_nbits;
    b.full_at = b.n_buckets * PACKED_BUCKET_NBITS;
    b.runs_at = b.n_full == PACKED_ELIAS_FANO ? b.n_buckets + b.n_starts
                                              : b.full_at + b.n_full * PACKED_FULL_ENTRY_NBITS;
    return b;
}

/* The field of run i, and after it the low bits of the next start. */
INLINE uint64_t run_word(const struct block *b, unsigned i)
{
    const unsigned at = b->runs_at + i * b->stride;
    return bo_le64(b->p + at / 8) >> at % 8;
}

INLINE unsigned highs_at(const struct block *b)
{
    return b->runs_at + b->n_starts * b->stride + b->field_nbits;
}

/* The value of the field at the low end of a word. */
INLINE uint32_t field_value(const struct block *b, uint64_t word)
{
    const uint32_t field = (uint32_t)word & width_masks[b->field_nbits];
    if (b->number_nbits == 0)
        return field;
    const unsigned first_at = highs_at(b);
    const unsigned high_nbits = bo_le64(b->p + first_at / 8) >> first_at % 8 & 31;
    const unsigned at = first_at + PACKED_HIGH_NBITS + (field >> b->low_width) * high_nbits;
    const uint32_t high = (uint32_t)(bo_le64(b->p + at / 8) >> at % 8) & width_masks[high_nbits];
    return high << b->low_width | (field & width_masks[b->low_width]);
}

/* The sum of 32 counts of 2 bits. */
typedef unsigned sum_of_counts(uint64_t counts);

INLINE unsigned sum_counts(uint64_t counts)
{
    const uint64_t even = 0x3333333333333333u, bytes = 0x0f0f0f0f0f0f0f0fu;
    const uint64_t of_4 = (counts & even) + (counts >> 2 & even);
    return (unsigned)(((of_4 + (of_4 >> 4)) & bytes) * 0x0101010101010101u >> 56);
}

/* The number of starts below a bucket, and in the bucket. */
struct bucket {
    unsigned n_below, n;
};

INLINE struct bucket find_counted(const struct block *b, unsigned number, sum_of_counts *sum)
{
    const unsigned count_at = number * PACKED_BUCKET_NBITS;
    const uint64_t counts = bo_le64(b->p);
    struct bucket found = {
        .n_below = sum(counts & ((UINT64_C(1) << count_at) - 1)),
        .n = counts >> count_at & PACKED_BUCKET_MAX,
    };
    if (b->n_full) {
        uint32_t full = bo_bits_at(b->p, b->full_at, PACKED_MAX_FULL * PACKED_FULL_ENTRY_NBITS);
        for (unsigned k = b->n_full; k; k--, full >>= PACKED_FULL_ENTRY_NBITS) {
            const unsigned bucket = full & (PACKED_MAX_BUCKETS - 1);
            const unsigned more = full >> PACKED_FULL_NUMBER_NBITS & PACKED_MAX_MORE;
            found.n_below += bucket < number ? more : 0;
            found.n += bucket == number ? more : 0;
        }
    }
    return found;
}

/*
 * The bit of an Elias-Fano list where a bucket's 0 bits start. With a 1 in front, as many 1 bits
 * precede it as its number.
 */
typedef unsigned place_of_bucket(const struct block *b, unsigned bucket);

INLINE unsigned select_bucket(const struct block *b, unsigned bucket)
{
    const uint64_t word1 = bo_le64(b->p) << 1 | 1, sums1 = sum_bits(word1);
    const unsigned n_word1 = sums1 >> 56;
    if (bucket < n_word1)
        return select_bit(word1, sums1, bucket);
    const uint64_t word2 = bo_le64(b->p + 8) << 1 | b->p[7] >> 7;
    return 64 + select_bit(word2, sum_bits(word2), bucket - n_word1);
}

#if defined(__x86_64__)
BO_V3 INLINE unsigned sum_counts_v3(uint64_t counts)
{
    const uint64_t twos = counts & 0xaaaaaaaaaaaaaaaau;
    return (unsigned)(__builtin_popcountll(counts) + __builtin_popcountll(twos));
}

BO_V3 INLINE unsigned select_bucket_v3(const struct block *b, unsigned bucket)
{
    const uint64_t word1 = bo_le64(b->p) << 1 | 1;
    const unsigned n_word1 = (unsigned)__builtin_popcountll(word1);
    if (bucket < n_word1)
        return (unsigned)__builtin_ctzll(_pdep_u64(UINT64_C(1) << bucket, word1));
    const uint64_t word2 = bo_le64(b->p + 8) << 1 | b->p[7] >> 7;
    return 64 + (unsigned)__builtin_ctzll(_pdep_u64(UINT64_C(1) << (bucket - n_word1), word2));
}
#endif

INLINE struct bucket find_selected(const struct block *b, unsigned bucket, place_of_bucket *place)
{
    const unsigned at = place(b, bucket);
    enum { WHOLE = 57 }; /* bits that a word has from any bit on; a block has at most 63 starts */
    const uint64_t stop = UINT64_C(1) << WHOLE, upper = bo_le64(b->p + at / 8) >> at % 8 | stop;
    unsigned n = (unsigned)__builtin_ctzll(upper);
    if (__builtin_expect(n == WHOLE, 0)) {
        const unsigned next = at + WHOLE;
        n += (unsigned)__builtin_ctzll(bo_le64(b->p + next / 8) >> next % 8 | stop);
    }
    return (struct bucket){.n_below = at - bucket, .n = n};
}

/* The value at a quantum, which counts from the block's start. */
INLINE uint32_t find_value(const struct block *b, uint32_t quantum, sum_of_counts *sum,
                           place_of_bucket *place)
{
    const unsigned number = quantum >> b->low_nbits;
    const uint32_t mask = width_masks[b->low_nbits], rest = quantum & mask;
    const struct bucket found = b->n_full == PACKED_ELIAS_FANO ? find_selected(b, number, place)
                                                               : find_counted(b, number, sum);
    unsigned at = b->runs_at + found.n_below * b->stride;
    uint64_t word = bo_le64(b->p + at / 8) >> at % 8;
    for (unsigned n = found.n; n && ((uint32_t)(word >> b->field_nbits) & mask) <= rest; n--) {
        at += b->stride;
        word = bo_le64(b->p + at / 8) >> at % 8;
    }
    return field_value(b, word);
}

/* The values of a block are (its bias + value) * unit above `least`. */
struct scale {
    uint32_t least, unit;
};

/* A record of one block, taken apart. */
INLINE struct block read_one_block(const uint8_t *record, uint32_t text_quanta,
                                   struct scale *scale_ret)
{
    const uint64_t head = bo_le64(record);
    const struct packed_base *base = &packed_bases[head >> 5 & 7];
    const uint32_t bias = (uint32_t)(head >> PACKED_ONE_BLOCK_HEAD_NBITS) & base->bias_mask;
    *scale_ret = (struct scale){(uint32_t)base->base + bias, base->unit};
    return read_block(record + 4 + base->bias_nbytes,
                      (uint32_t)head >> 8 & width_masks[PACKED_BLOCK_NBITS], text_quanta - 1);
}

INLINE int32_t in_one_block(const uint8_t *record, uint32_t text_quanta, uint32_t pc,
                            sum_of_counts *sum, place_of_bucket *place)
{
    struct scale scale;
    const struct block b = read_one_block(record, text_quanta, &scale);
    return (int32_t)(scale.least + find_value(&b, pc, sum, place) * scale.unit);
}

/* A record of several blocks, taken apart. */
struct blocks {
    const uint8_t *record;
    uint32_t text_quanta, n_blocks;
    unsigned block_shift, offset_nbits, bias_nbits;
    uint32_t least, unit;
    unsigned entry_nbits;
    uint64_t index_at, index_end; /* in bits from the record's first byte */
    const uint8_t *first;         /* what offsets count from */
};

INLINE struct blocks read_blocks(const uint8_t *record, uint32_t text_quanta)
{
    const uint64_t head = bo_le64(record);
    const struct packed_base *base = &packed_bases[head >> 5 & 7];
    struct blocks s = {.record = record,
                       .text_quanta = text_quanta,
                       .block_shift = head >> 8 & 31,
                       .offset_nbits = head >> 13 & 31,
                       .bias_nbits = head >> 18 & 63,
                       .unit = base->unit};
    s.least =
        (uint32_t)base->base + bo_bits_at(record, PACKED_BLOCKS_HEAD_NBITS, 8 * base->bias_nbytes);
    s.n_blocks = packed_n_blocks(text_quanta, s.block_shift);
    s.entry_nbits = PACKED_BLOCK_NBITS + s.bias_nbits + s.offset_nbits;
    s.index_at = PACKED_BLOCKS_HEAD_NBITS + 8 * base->bias_nbytes;
    s.index_end = s.index_at + (uint64_t)s.n_blocks * s.entry_nbits;
    s.first = record + (s.index_end + 7) / 8;
    return s;
}

/* A block of several, and the bias of its values. */
INLINE struct block block_of(const struct blocks *s, uint32_t number, uint32_t *bias_ret)
{
    const uint64_t at = s->index_at + (uint64_t)number * s->entry_nbits;
    const uint64_t entry = bo_le64(s->record + at / 8) >> at % 8;
    const uint32_t offset = (uint32_t)(entry >> PACKED_BLOCK_NBITS) & width_masks[s->offset_nbits];
    const uint64_t bias_at = at + PACKED_BLOCK_NBITS + s->offset_nbits;
    *bias_ret =
        (uint32_t)(bo_le64(s->record + bias_at / 8) >> bias_at % 8) & width_masks[s->bias_nbits];
    return read_block(s->first + offset, (uint32_t)entry & width_masks[PACKED_BLOCK_NBITS],
                      packed_block_quanta(s->text_quanta, s->block_shift, number) - 1);
}

INLINE int32_t in_blocks(const uint8_t *record, uint32_t text_quanta, uint32_t pc,
                         sum_of_counts *sum, place_of_bucket *place)
{
    const struct blocks s = read_blocks(record, text_quanta);
    uint32_t value;
    const struct block b = block_of(&s, pc >> s.block_shift, &value);
    if (b.n_starts)
        value += find_value(&b, pc & width_masks[s.block_shift], sum, place);
    return (int32_t)(s.least + value * s.unit);
}

INLINE int32_t in_wide_list(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    return lookup_list(read_wide_list(record, bo_le16(record)), text_quanta, pc);
}

/* Defines the lookup for one level of the instruction set: a pcdata_lookup. */
#define DEFINE_LOOKUP(lookup, target, sum, place)                                                 \
    target static __attribute__((noinline))                                                       \
    int32_t lookup##_wide_list(const uint8_t *record, uint32_t text_quanta, uint32_t pc)          \
    {                                                                                             \
        return in_wide_list(record, text_quanta, pc);                                             \
    }                                                                                             \
    target static __attribute__((noinline))                                                       \
    int32_t lookup##_long_list(const uint8_t *record, uint32_t text_quanta, uint32_t pc)          \
    {                                                                                             \
        return in_long_list(record, text_quanta, pc);                                             \
    }                                                                                             \
    target static __attribute__((noinline))                                                       \
    int32_t lookup##_one_block(const uint8_t *record, uint32_t text_quanta, uint32_t pc)          \
    {                                                                                             \
        return in_one_block(record, text_quanta, pc, sum, place);                                 \
    }                                                                                             \
    target static __attribute__((noinline))                                                       \
    int32_t lookup##_blocks(const uint8_t *record, uint32_t text_quanta, uint32_t pc)             \
    {                                                                                             \
        return in_blocks(record, text_quanta, pc, sum, place);                                    \
    }                                                                                             \
    target INLINE int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta, \
                                 uint32_t pc)                                                     \
    {                                                                                             \
        (void)reader;                                                                             \
        const uint32_t head = bo_le16(record), n = head & 7;                                      \
        if (__builtin_expect(n != PACKED_NO_SHORT_LIST, 1))                                       \
            return lookup_list(read_short_list(record, head), text_quanta, pc);                   \
        const uint32_t form = head >> 3 & 3;                                                      \
        return form == PACKED_ONE_BLOCK   ? lookup##_one_block(record, text_quanta, pc)           \
               : form == PACKED_LONG_LIST ? lookup##_long_list(record, text_quanta, pc)           \
               : form == PACKED_WIDE_LIST ? lookup##_wide_list(record, text_quanta, pc)           \
                                          : lookup##_blocks(record, text_quanta, pc);             \
    }

DEFINE_LOOKUP(lookup, , sum_counts, select_bucket)
#if defined(__x86_64__)
DEFINE_LOOKUP(lookup_v3, BO_V3, sum_counts_v3, select_bucket_v3)
#endif

/* ---- all runs -------------------------------------------------------------------------------- */

/* The low bits of the start that is after the field at the low end of a word. */
INLINE uint32_t next_low(const struct block *b, uint64_t word)
{
    return (uint32_t)(word >> b->field_nbits) & width_masks[b->low_nbits];
}

INLINE unsigned count_at(const struct block *b, unsigned bucket)
{
    return b->p[bucket / 4] >> bucket % 4 * PACKED_BUCKET_NBITS & PACKED_BUCKET_MAX;
}

INLINE uint32_t full_at(const struct block *b, unsigned i)
{
    return bo_bits_at(b->p, b->full_at + i * PACKED_FULL_ENTRY_NBITS, PACKED_FULL_ENTRY_NBITS);
}

/* The state of a walk over the starts of a block. */
struct place {
    uint64_t counts; /* of the buckets from the next one on */
    unsigned bucket; /* of the last start */
    unsigned next;   /* bucket; or, of Elias-Fano, bit */
    unsigned left;   /* starts of the bucket that have not been read */
    unsigned full;   /* the next full bucket */
};

INLINE struct place first_place(const struct block *b)
{
    return (struct place){.counts = bo_le64(b->p)};
}

/* The next start, from the block's start, given its low bits. There must be a next start. */
INLINE uint32_t next_start(const struct block *b, uint32_t low, struct place *u)
{
    if (b->n_full == PACKED_ELIAS_FANO) {
        /* 1 bits up to the next 0; a word has at least 57 bits from any bit on */
        uint64_t upper = ~(bo_le64(b->p + u->next / 8) >> u->next % 8);
        for (; __builtin_expect(!(upper << 7), 0);
             upper = ~(bo_le64(b->p + u->next / 8) >> u->next % 8)) {
            u->bucket += 57;
            u->next += 57;
        }
        const unsigned n = (unsigned)__builtin_ctzll(upper);
        u->bucket += n;
        u->next += n + 1;
        return u->bucket << b->low_nbits | low;
    }
    if (!u->left) {
        const unsigned n_bits = (unsigned)__builtin_ctzll(u->counts) & ~1u;
        u->bucket = u->next + n_bits / 2;
        u->next = u->bucket + 1;
        u->counts >>= n_bits;
        u->left = u->counts & PACKED_BUCKET_MAX;
        u->counts >>= PACKED_BUCKET_NBITS;
        if (u->full < b->n_full && (full_at(b, u->full) & (PACKED_MAX_BUCKETS - 1)) == u->bucket)
            u->left += full_at(b, u->full++) >> PACKED_FULL_NUMBER_NBITS;
    }
    u->left--;
    return u->bucket << b->low_nbits | low;
}

/* Adds a run whose value is not the last one's. False when it starts after a span's target. */
INLINE bool put_run(struct pcdata_scan_out *out, uint32_t pc, int32_t value)
{
    const struct pcdata_run run = {pc << out->quantum_shift, value};
    if (__builtin_expect(!out->runs, 0)) {
        if (pc > out->target)
            return false;
        out->last = run;
        return true;
    }
    if (__builtin_expect(out->n < out->cap, 1))
        out->runs[out->n] = run;
    out->n++;
    return true;
}

/*
 * False when a run starts after a span's target. Copies keep what the loop needs in registers:
 * stores to the runs might change an original.
 */
INLINE bool scan_block(const struct block *block, uint32_t start, uint32_t bias,
                       const struct scale *scale_of, struct pcdata_scan_out *out)
{
    const struct block b = *block;
    const struct scale scale = *scale_of;
    struct pcdata_scan_out o = *out;
    uint64_t word = b.n_starts ? run_word(&b, 0) : 0;
    const uint32_t first = b.n_starts ? field_value(&b, word) : 0;
    bool more = pcdata_scan_add(&o, start, (int32_t)(scale.least + (bias + first) * scale.unit));
    struct place u = first_place(&b);
    unsigned at = b.runs_at;
    for (unsigned left = b.n_starts; more && left; left--) {
        const uint32_t next = start + next_start(&b, next_low(&b, word), &u);
        at += b.stride;
        word = bo_le64(b.p + at / 8) >> at % 8;
        const uint32_t value = bias + field_value(&b, word);
        more = put_run(&o, next, (int32_t)(scale.least + value * scale.unit));
    }
    *out = o;
    return more;
}

INLINE uint32_t list_start(const struct list *l, unsigned lane_nbits, unsigned i)
{
    const unsigned at = l->shift + i * lane_nbits;
    return (uint32_t)(bo_le64(l->starts + at / 8) >> at % 8 & ((UINT64_C(1) << lane_nbits) - 1));
}

INLINE void scan_list(const struct list *list, unsigned lane_nbits, struct pcdata_scan_out *out)
{
    const struct list l = *list;
    const uint64_t mask = (UINT64_C(1) << lane_nbits) - 1;
    struct pcdata_scan_out o = *out;
    unsigned start_at = l.shift, value_at = l.n * lane_nbits;
    put_run(&o, 0, list_value(&l, value_at, 0));
    for (unsigned left = l.n; left; left--) {
        const uint32_t start = (uint32_t)(bo_le64(l.starts + start_at / 8) >> start_at % 8 & mask);
        start_at += lane_nbits;
        value_at += l.width;
        if (!put_run(&o, start, list_value(&l, value_at, 0)))
            break;
    }
    *out = o;
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    const uint32_t head = bo_le16(record);
    const enum packed_form form = head >> 3 & 3;
    const bool is_short = (head & 7) != PACKED_NO_SHORT_LIST;
    if (is_short || form < PACKED_ONE_BLOCK) {
        const struct list l = is_short                   ? read_short_list(record, head)
                              : form == PACKED_LONG_LIST ? read_long_list(record, head)
                                                         : read_wide_list(record, head);
        scan_list(&l, packed_lane_nbits(text_quanta), out);
    } else if (form == PACKED_ONE_BLOCK) {
        struct scale scale;
        const struct block b = read_one_block(record, text_quanta, &scale);
        scan_block(&b, 0, 0, &scale, out);
    } else {
        const struct blocks s = read_blocks(record, text_quanta);
        const struct scale scale = {s.least, s.unit};
        for (uint32_t number = 0; number < s.n_blocks; number++) {
            uint32_t bias;
            const struct block b = block_of(&s, number, &bias);
            if (!scan_block(&b, number << s.block_shift, bias, &scale, out))
                return;
        }
    }
}

/* ---- checking and decoding ------------------------------------------------------------------- */

/* The state of a walk over one record; errors have the offset of the record's first byte. */
struct walk {
    const struct bo_cursor *at;
    const uint8_t *record;
    uint64_t limit; /* bits from the record's first byte to the area's end */
    unsigned quantum_shift;
    struct pcdata_collector *runs;
    struct bo_error *err;
};

static enum bo_status corrupt(const struct walk *w, const char *what)
{
    return bo_fail_here(w->err, BO_CORRUPT, w->at, what);
}

static enum bo_status past_the_end(const struct walk *w)
{
    return bo_fail_here(w->err, BO_TRUNCATED, w->at, "record runs past the area's end");
}

static enum bo_status collect(const struct walk *w, uint32_t start, int32_t value)
{
    return pcdata_collect(w->runs, start << w->quantum_shift, value)
               ? BO_OK
               : bo_fail_alloc(w->err, w->runs->arena);
}

/* The run before, of the same list or block. */
struct previous {
    uint32_t start;
    int32_t value;
};

/* Collects a run that starts inside its list or block, before `end`. */
static enum bo_status collect_next(const struct walk *w, struct previous *previous, uint64_t end,
                                   uint32_t start, int32_t value)
{
    if (start <= previous->start || start >= end)
        return corrupt(w, "starts of runs do not ascend below the text's end");
    if (value == previous->value)
        return corrupt(w, "start of a run does not change the value");
    *previous = (struct previous){start, value};
    return collect(w, start, value);
}

/* Whether the bits from `from` to the end of its byte, which is inside the area, are 0. */
static bool is_padded(const uint8_t *p, uint64_t from)
{
    return from % 8 == 0 || p[from / 8] >> from % 8 == 0;
}

static enum bo_status walk_list(const struct walk *w, const struct list *l, bool is_long,
                                uint32_t text_quanta, uint64_t *end_ret)
{
    const unsigned lane_nbits = packed_lane_nbits(text_quanta), values_at = l->n * lane_nbits;
    if (is_long ? l->n > packed_max_long(lane_nbits)
                : l->n > PACKED_MAX_LIST || values_at > PACKED_LANES_NBITS)
        return corrupt(w, "more starts than a list can have");
    *end_ret = 8 * (uint64_t)(l->starts - w->record) + l->shift + values_at + (l->n + 1) * l->width;
    if (*end_ret > w->limit)
        return past_the_end(w);
    struct previous previous = {0, list_value(l, values_at, 0)};
    enum bo_status status = collect(w, 0, previous.value);
    for (unsigned i = 0; i < l->n && !status; i++)
        status = collect_next(w, &previous, text_quanta, list_start(l, lane_nbits, i),
                              list_value(l, values_at, i + 1));
    return status;
}

static enum bo_status walk_wide_list(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const struct list l = read_wide_list(w->record, bo_le16(w->record));
    const unsigned bias_nbytes = (unsigned)(l.starts - w->record) - PACKED_WIDE_HEAD_NBITS / 8;
    if (8 * (uint64_t)(l.starts - w->record) > w->limit)
        return past_the_end(w);
    if (bias_nbytes != packed_bias_nbytes(l.least))
        return corrupt(w, "bias of a list is not as short as possible");
    return walk_list(w, &l, false, text_quanta, end_ret);
}

static enum bo_status walk_long_list(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const struct list l = read_long_list(w->record, bo_le16(w->record));
    return walk_list(w, &l, true, text_quanta, end_ret);
}

/* Whether the buckets of a block, which are inside the frame, have all its starts. */
static bool has_all_starts(const struct block *b)
{
    unsigned n = 0, next = 0;
    if (b->n_full == PACKED_ELIAS_FANO) {
        for (unsigned at = 0; at < b->runs_at; at++)
            n += bo_bit_at(b->p, at);
        const unsigned last = b->runs_at - 1;
        return n == b->n_buckets && bo_bit_at(b->p, last);
    }
    for (unsigned bucket = 0; bucket < b->n_buckets; bucket++)
        n += count_at(b, bucket);
    for (unsigned k = 0; k < b->n_full; k++) {
        const unsigned bucket = full_at(b, k) & (PACKED_MAX_BUCKETS - 1);
        const unsigned more = full_at(b, k) >> PACKED_FULL_NUMBER_NBITS;
        if (bucket < next || bucket >= b->n_buckets || more == 0 ||
            count_at(b, bucket) != PACKED_BUCKET_MAX)
            return false;
        next = bucket + 1;
        n += more;
    }
    return n == b->n_starts;
}

/* Finds the end of a block's high parts. Their number is 1 + the largest number in a field. */
static enum bo_status walk_highs(const struct walk *w, const struct block *b, uint64_t *end)
{
    unsigned largest = 0;
    for (unsigned i = 0; i <= b->n_starts; i++) {
        const uint32_t field = (uint32_t)run_word(b, i) & width_masks[b->field_nbits];
        const unsigned number = field >> b->low_width;
        largest = number > largest ? number : largest;
    }
    const unsigned high_nbits = bo_bits_at(b->p, highs_at(b), PACKED_HIGH_NBITS);
    if (high_nbits + b->low_width > 32)
        return corrupt(w, "values of a block have more than 32 bits");
    *end = highs_at(b) + PACKED_HIGH_NBITS + (largest + 1) * high_nbits;
    return BO_OK;
}

/*
 * Walks a block that has starts, in the text from `start` up to `text_end`; *end_ret is where it
 * ends, in bits from its first byte.
 */
static enum bo_status walk_block(const struct walk *w, const struct block *b, uint32_t start,
                                 uint64_t text_end, uint32_t bias, struct scale scale,
                                 uint64_t *end_ret)
{
    if (b->field_nbits == 0 || b->field_nbits > 32 || b->number_nbits > PACKED_MAX_NUMBER_NBITS)
        return corrupt(w, "description of a block is out of range");
    const uint64_t room = w->limit - 8 * (uint64_t)(b->p - w->record);
    const bool is_counted = b->n_full != PACKED_ELIAS_FANO;
    if (b->n_buckets > (is_counted ? PACKED_MAX_BUCKETS : PACKED_UPPER_NBITS) ||
        (!is_counted && b->runs_at > PACKED_UPPER_NBITS))
        return corrupt(w, "more buckets than a block can have");
    if (highs_at(b) > room)
        return past_the_end(w);
    if (!has_all_starts(b))
        return corrupt(w, "buckets of a block do not have all its starts");
    *end_ret = highs_at(b);
    enum bo_status status = b->number_nbits ? walk_highs(w, b, end_ret) : BO_OK;
    if (!status && *end_ret > room)
        return past_the_end(w);
    if (!status && !is_padded(b->p, *end_ret))
        return corrupt(w, "bits after a block are not 0");
    uint64_t word = run_word(b, 0);
    const uint32_t first = (bias + field_value(b, word)) * scale.unit;
    struct previous previous = {start, (int32_t)(scale.least + first)};
    struct place u = first_place(b);
    if (!status)
        status = collect(w, start, previous.value);
    for (unsigned i = 1; i <= b->n_starts && !status; i++) {
        const uint32_t next = start + next_start(b, next_low(b, word), &u);
        word = run_word(b, i);
        const uint32_t value = (bias + field_value(b, word)) * scale.unit;
        status = collect_next(w, &previous, text_end, next, (int32_t)(scale.least + value));
    }
    return status;
}

/* Whether the bias of one block has more than 32 bits: the last 4 of 36 bits must be 0. */
static bool is_bias_wide(const uint8_t *record)
{
    const struct packed_base *base = &packed_bases[record[0] >> 5];
    return base->bias_nbytes == 4 &&
           bo_bits_at(record, PACKED_ONE_BLOCK_HEAD_NBITS + 32, PACKED_HEAD_BIAS_NBITS);
}

static enum bo_status walk_one_block(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    struct scale scale;
    const struct block b = read_one_block(w->record, text_quanta, &scale);
    const uint64_t at = 8 * (uint64_t)(b.p - w->record);
    if (at > w->limit)
        return past_the_end(w);
    if (is_bias_wide(w->record))
        return corrupt(w, "bias of a record has more than 32 bits");
    if (b.n_starts == 0)
        return corrupt(w, "single block without a start");
    const enum bo_status status = walk_block(w, &b, 0, text_quanta, 0, scale, end_ret);
    *end_ret += at;
    return status;
}

/* Walks one of several blocks; *end_ret is the end of the block before, then of this block. */
static enum bo_status walk_next_block(const struct walk *w, const struct blocks *s, uint32_t number,
                                      uint64_t *end_ret)
{
    uint32_t bias;
    const struct block b = block_of(s, number, &bias);
    const uint32_t start = number << s->block_shift;
    if (b.n_starts == 0)
        return b.low_nbits || b.field_nbits || b.n_full || b.p != s->first
                   ? corrupt(w, "block of one run with more than a bias")
                   : collect(w, start, (int32_t)(s->least + bias * s->unit));
    const uint64_t at = 8 * (uint64_t)(b.p - w->record);
    if (at != (*end_ret + 7) / 8 * 8)
        return corrupt(w, "block does not follow the one before it");
    const uint64_t text_end =
        start + (uint64_t)packed_block_quanta(s->text_quanta, s->block_shift, number);
    const enum bo_status status =
        walk_block(w, &b, start, text_end, bias, (struct scale){s->least, s->unit}, end_ret);
    *end_ret += at;
    return status;
}

static enum bo_status walk_blocks(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const struct blocks s = read_blocks(w->record, text_quanta);
    if (s.bias_nbits > 32)
        return corrupt(w, "bias of a block has more than 32 bits");
    *end_ret = (s.index_end + 7) / 8 * 8;
    if (*end_ret > w->limit)
        return past_the_end(w);
    if (!is_padded(w->record, s.index_end))
        return corrupt(w, "bits after an index are not 0");
    enum bo_status status = BO_OK;
    for (uint32_t number = 0; number < s.n_blocks && !status; number++)
        status = walk_next_block(w, &s, number, end_ret);
    return status;
}

static enum bo_status walk_form(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const uint32_t head = bo_le16(w->record);
    if ((head & 7) != PACKED_NO_SHORT_LIST) {
        const struct list l = read_short_list(w->record, head);
        return walk_list(w, &l, false, text_quanta, end_ret);
    }
    switch (head >> 3 & 3) {
    case PACKED_WIDE_LIST:
        return walk_wide_list(w, text_quanta, end_ret);
    case PACKED_ONE_BLOCK:
        return walk_one_block(w, text_quanta, end_ret);
    case PACKED_BLOCKS:
        return walk_blocks(w, text_quanta, end_ret);
    default:
        return walk_long_list(w, text_quanta, end_ret);
    }
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const struct walk w = {.at = in,
                           .record = in->p + in->off,
                           .limit = 8 * (uint64_t)bo_left(in),
                           .quantum_shift = frame->quantum_shift,
                           .runs = runs,
                           .err = err};
    uint64_t end;
    if (bo_left(in) == 0)
        return past_the_end(&w);
    const enum bo_status status = walk_form(&w, text_quanta, &end);
    if (status)
        return status;
    if (!is_padded(w.record, end))
        return corrupt(&w, "bits after a record are not 0");
    in->off += (size_t)((end + 7) / 8);
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_canonical_frame(model, packed_put_record, out, err);
}

#define PUT_RECORD packed_put_record
#include "codecs/pcdata/plain_reader.h"

#if defined(__x86_64__)
BO_V3 static enum bo_status points_v3(const struct pcdata_frame *frame,
                                      const struct pcdata_point *queries, size_t n,
                                      int32_t *answers)
{
    return pcdata_answer_points(frame, NULL, lookup_v3, queries, n, answers);
}
#endif

static enum bo_status query_best(const struct bo_codec *self, void *reader, unsigned kind,
                                 const void *queries, size_t n, void *answers, struct bo_error *err)
{
#if defined(__x86_64__)
    if (kind == PCDATA_POINT && bo_cpu_has_v3())
        return points_v3(reader, queries, n, answers);
#endif
    return query(self, reader, kind, queries, n, answers, err);
}

const struct bo_codec pcdata_packed_starts = {
    .name = "packed-starts",
    .summary = "lists of starts compared in a word, longer tables in blocks; no dictionary",
    .spec = "codecs/pcdata/README.md#packed-starts",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .paths = BO_PATH_V3,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query_best,
};
