/*
 * packed-starts: bakeoff's own, for a reader in plain code and a compiler that sees one function
 * at a time. There is no dictionary: a record is a function of its table. A table of few runs is a
 * list, whose starts are all compared at once, in one or two words. A table of more runs has blocks
 * with Elias-Fano lists of starts.
 *
 * Bits are packed, least significant first; a record is padded with 0 bits to a byte.
 *
 *   list:
 *     4    n, at most 13: the starts, one for each run but the first
 *     3    base: -2, -1, 0 with unit 8, 0 with unit 4, and 0 with a bias of 1, 2, 3, 4 bytes
 *     4    width of a value; 0 if and only if n is 0
 *     .    n starts, of as many bits as the last quantum needs, at least 4
 *     .    bias
 *     .    n + 1 values
 *   A value means base + bias + value * unit, mod 2^32.
 *
 *   record of one block:
 *     4    14
 *     3    base
 *     20   description of the block: 6 m; 4 l; 5 low width (31 means 32); 3 g, at most 4;
 *          2 search
 *     .    bias, of 5 bits more than in a list
 *     .    the block
 *
 *   record of blocks of 2^k quanta:
 *     4    15
 *     3    base
 *     5    k
 *     5    o
 *     6    b, at most 32
 *     .    bias, of 5 bits more than in a list
 *     .    index: for each block 20 description; b bias of the block; o offset of the block in
 *          bytes from the end of the index
 *     .    0 bits up to a byte, where the index ends; then the blocks, each padded to a byte
 *
 *   block of m starts; if m is 0, no bits, and offset and the rest of the description are 0:
 *     .    for each bucket of 2^l quanta: with search 0 or 1 the number of starts in it, 2 or 4
 *          bits; with search 2, an Elias-Fano list, a 0 for each start in it, then a 1
 *     .    m low parts of starts, l bits each
 *     .    m + 1 fields of low width + g bits
 *     .    if g is not 0: 5 h; then high parts of h bits, as many as the largest number needs
 *   The upper g bits of a field are the number of a high part; the value is high part << low
 *   width | lower bits. It means base + bias + (bias of the block + value) * unit.
 */
#include "codecs/pcdata/packed_starts/packed_starts.h"

#define INLINE __attribute__((always_inline)) static inline

INLINE uint32_t low_mask(unsigned nbits)
{
    return (uint32_t)((UINT64_C(1) << nbits) - 1);
}

/* ---- searching words ------------------------------------------------------------------------- */

/* For each width of a start, less 1: the lowest bit of each lane of a word, and the highest. */
struct lanes {
    uint64_t ones, high;
};

#define ONE(w, i) ((i) * (w) < 64 ? UINT64_C(1) << (i) * (w) % 64 : 0)
#define ONES_4(w, i) (ONE(w, i) | ONE(w, (i) + 1) | ONE(w, (i) + 2) | ONE(w, (i) + 3))
#define ONES(w) (ONES_4(w, 0) | ONES_4(w, 4) | ONES_4(w, 8) | ONES_4(w, 12))
#define LANES(w)                    \
    {                               \
        ONES(w), ONES(w) << ((w)-1) \
    }
#define LANES_4(w) LANES(w), LANES((w) + 1), LANES((w) + 2), LANES((w) + 3)

static const struct lanes lanes_of[32] = {
    LANES_4(1),  LANES_4(5),  LANES_4(9),  LANES_4(13),
    LANES_4(17), LANES_4(21), LANES_4(25), LANES_4(29),
};

/*
 * How many of the starts at the low end of a word, which have n_nbits in all, are not above
 * that in every lane of `pcs`, if they are at most 15; any number if n_nbits is 0. Where the
 * highest bits of two lanes are equal, the difference of the others decides. The product adds up
 * the lanes below each.
 */
INLINE unsigned count_starts(uint64_t word, unsigned n_nbits, const struct lanes *lanes,
                             uint64_t pcs)
{
    const uint64_t high = lanes->high;
    const uint64_t others = (pcs | high) - (word & ~high);
    const uint64_t passed = ((pcs & ~word) | (others & (pcs | ~word))) & high;
    return passed * lanes->ones >> ((n_nbits - 1) & 63) & 15;
}

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

/* The place of the 1 bit that n others precede, given sum_bits(v); at least n + 1 bits are set. */
INLINE unsigned select_bit(uint64_t v, uint64_t sums, unsigned n)
{
    const unsigned at = count_bytes(sums, n) * 8;
    const unsigned before = (unsigned)(sums << 8 >> at) & 0xff;
    const uint64_t bits = (v >> at & 0xff) * each_byte & 0x8040201008040201u;
    const uint64_t ones = (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & each_byte;
    return at + count_bytes(ones * each_byte, n - before);
}

/* ---- lookups --------------------------------------------------------------------------------- */

/* A block taken apart: the places of its parts are in bits from its first byte. */
struct block {
    const uint8_t *p;
    unsigned n_starts, low_nbits, low_width, number_nbits, field_nbits;
    enum packed_search search;
    uint32_t n_buckets;
    unsigned lows_at, fields_at, highs_at;
};

INLINE struct block read_block(const uint8_t *p, uint32_t fields, uint32_t last_quantum)
{
    const unsigned low_width = fields >> 10 & 31;
    struct block b = {
        .p = p,
        .n_starts = fields & 63,
        .low_nbits = fields >> 6 & 15,
        .low_width = low_width + (low_width == PACKED_LOW_WIDTH_32),
        .number_nbits = fields >> 15 & 7,
        .search = fields >> 18 & 3,
    };
    b.n_buckets = (last_quantum >> b.low_nbits) + 1;
    b.field_nbits = b.low_width + b.number_nbits;
    b.lows_at =
        b.search == PACKED_ELIAS_FANO ? b.n_starts + b.n_buckets : b.n_buckets << (b.search + 1);
    b.fields_at = b.lows_at + b.n_starts * b.low_nbits;
    b.highs_at = b.fields_at + (b.n_starts + 1) * b.field_nbits;
    return b;
}

/* The value of a field in a block that has starts. */
INLINE uint32_t block_value(const struct block *b, unsigned i)
{
    const uint32_t field = bo_bits_at(b->p, b->fields_at + i * b->field_nbits, b->field_nbits);
    if (b->number_nbits == 0)
        return field;
    const unsigned high_nbits = bo_bits_at(b->p, b->highs_at, PACKED_HIGH_NBITS);
    const unsigned at = b->highs_at + PACKED_HIGH_NBITS + (field >> b->low_width) * high_nbits;
    return bo_bits_at(b->p, at, high_nbits) << b->low_width | (field & low_mask(b->low_width));
}

/* The starts in the buckets below one, and in it. */
struct bucket {
    unsigned n_below, n;
};

INLINE struct bucket find_counted(const struct block *b, unsigned bucket)
{
    const uint64_t even = 0x3333333333333333u, bytes = 0x0f0f0f0f0f0f0f0fu;
    const uint64_t counts = bo_le64(b->p);
    const unsigned at = bucket << (b->search + 1);
    const uint64_t below = counts & ((UINT64_C(1) << at) - 1);
    const uint64_t of_4 = b->search ? below : (below & even) + (below >> 2 & even);
    return (struct bucket){
        .n_below = (unsigned)(((of_4 & bytes) + (of_4 >> 4 & bytes)) * each_byte >> 56),
        .n = counts >> at & (b->search ? 15 : 3),
    };
}

INLINE struct bucket find_selected(const struct block *b, unsigned bucket)
{
    /* with a 1 in front, as many 1 bits precede a bucket as its number */
    const uint64_t word1 = bo_le64(b->p) << 1 | 1, sums1 = sum_bits(word1);
    const unsigned n_word1 = sums1 >> 56;
    unsigned at;
    if (bucket < n_word1) {
        at = select_bit(word1, sums1, bucket);
    } else {
        const uint64_t word2 = bo_le64(b->p + 8) << 1 | b->p[7] >> 7;
        at = 64 + select_bit(word2, sum_bits(word2), bucket - n_word1);
    }
    enum { WHOLE = 57 }; /* bits that a word has from any bit on; a block has at most 63 starts */
    const uint64_t stop = UINT64_C(1) << WHOLE, upper = bo_le64(b->p + at / 8) >> at % 8 | stop;
    unsigned n = (unsigned)__builtin_ctzll(upper);
    if (__builtin_expect(n == WHOLE, 0)) {
        const unsigned next = at + WHOLE;
        n += (unsigned)__builtin_ctzll(bo_le64(b->p + next / 8) >> next % 8 | stop);
    }
    return (struct bucket){.n_below = at - bucket, .n = n};
}

/* The run that covers a quantum, counted from the block's start. */
INLINE unsigned find_run(const struct block *b, uint32_t quantum)
{
    const unsigned number = quantum >> b->low_nbits;
    const uint32_t rest = quantum & low_mask(b->low_nbits);
    const struct bucket found =
        b->search == PACKED_ELIAS_FANO ? find_selected(b, number) : find_counted(b, number);
    unsigned at = b->lows_at + found.n_below * b->low_nbits, i = found.n_below;
    for (unsigned n = found.n; n && bo_bits_at(b->p, at, b->low_nbits) <= rest; n--) {
        at += b->low_nbits;
        i++;
    }
    return i;
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
    const struct packed_base *base = &packed_bases[head >> 4 & 7];
    const uint32_t bias = (uint32_t)(head >> PACKED_ONE_BLOCK_HEAD_NBITS) & base->block_bias_mask;
    *scale_ret = (struct scale){(uint32_t)base->base + bias, base->unit};
    return read_block(record + 4 + base->bias_nbits / 8,
                      (uint32_t)head >> 7 & low_mask(PACKED_BLOCK_NBITS), text_quanta - 1);
}

static int32_t lookup_one_block(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    struct scale scale;
    const struct block b = read_one_block(record, text_quanta, &scale);
    return (int32_t)(scale.least + block_value(&b, find_run(&b, pc)) * scale.unit);
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
    const struct packed_base *base = &packed_bases[head >> 4 & 7];
    struct blocks s = {.record = record,
                       .text_quanta = text_quanta,
                       .block_shift = head >> 7 & 31,
                       .offset_nbits = head >> 12 & 31,
                       .bias_nbits = head >> 17 & 63,
                       .unit = base->unit};
    s.least = (uint32_t)base->base +
              ((uint32_t)(head >> PACKED_BLOCKS_HEAD_NBITS) & base->block_bias_mask);
    s.n_blocks = packed_n_blocks(text_quanta, s.block_shift);
    s.entry_nbits = PACKED_BLOCK_NBITS + s.bias_nbits + s.offset_nbits;
    s.index_at = PACKED_BLOCKS_HEAD_NBITS + base->bias_nbits + PACKED_HEAD_BIAS_NBITS;
    s.index_end = s.index_at + (uint64_t)s.n_blocks * s.entry_nbits;
    s.first = record + (s.index_end + 7) / 8;
    return s;
}

/* A block of several, and the bias of its values. */
INLINE struct block block_of(const struct blocks *s, uint32_t number, uint32_t *bias_ret)
{
    const uint64_t at = s->index_at + (uint64_t)number * s->entry_nbits;
    const uint64_t offset_at = at + PACKED_BLOCK_NBITS + s->bias_nbits;
    const uint64_t entry = bo_le64(s->record + at / 8) >> at % 8;
    *bias_ret = bo_bits_at(s->record, at + PACKED_BLOCK_NBITS, s->bias_nbits);
    return read_block(s->first + bo_bits_at(s->record, offset_at, s->offset_nbits),
                      (uint32_t)entry & low_mask(PACKED_BLOCK_NBITS),
                      packed_block_quanta(s->text_quanta, s->block_shift, number) - 1);
}

static int32_t lookup_blocks(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    const struct blocks s = read_blocks(record, text_quanta);
    uint32_t value;
    const struct block b = block_of(&s, pc >> s.block_shift, &value);
    if (b.n_starts)
        value += block_value(&b, find_run(&b, pc & low_mask(s.block_shift)));
    return (int32_t)(s.least + value * s.unit);
}

static __attribute__((noinline)) int32_t lookup_long(const uint8_t *record, uint32_t text_quanta,
                                                     uint32_t pc)
{
    return (record[0] & 15) == PACKED_ONE_BLOCK ? lookup_one_block(record, text_quanta, pc)
                                                : lookup_blocks(record, text_quanta, pc);
}

static __attribute__((noinline)) unsigned count_two_words(const uint8_t *record, unsigned n_nbits,
                                                          unsigned nbits, uint64_t pcs)
{
    const struct lanes *lanes = &lanes_of[nbits - 1];
    const unsigned word1_nbits = PACKED_WORD1_NBITS / nbits * nbits;
    const unsigned at = PACKED_LIST_HEAD_NBITS + word1_nbits;
    return count_starts(bo_le64(record + 1) >> (PACKED_LIST_HEAD_NBITS - 8), word1_nbits, lanes,
                        pcs) +
           count_starts(bo_le64(record + at / 8) >> at % 8, n_nbits - word1_nbits, lanes, pcs);
}

static const uint32_t width_masks[16] = {0,    1,     3,     7,     0xf,   0x1f,   0x3f,   0x7f,
                                         0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff};

static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    (void)reader;
    const uint32_t head = bo_le16(record);
    const unsigned n = head & 15, width = head >> 7 & 15;
    if (__builtin_expect(n >= PACKED_ONE_BLOCK, 0))
        return lookup_long(record, text_quanta, pc);
    const struct packed_base *base = &packed_bases[head >> 4 & 7];
    const unsigned nbits = packed_start_nbits(text_quanta);
    const struct lanes *lanes = &lanes_of[nbits - 1];
    const uint64_t pcs = pc * lanes->ones;
    const unsigned n_nbits = n * nbits, bias_at = PACKED_LIST_HEAD_NBITS + n_nbits;
    const uint64_t starts = bo_le64(record + 1) >> (PACKED_LIST_HEAD_NBITS - 8);
    const unsigned i = __builtin_expect(n_nbits > PACKED_WORD1_NBITS, 0)
                           ? count_two_words(record, n_nbits, nbits, pcs)
                           : count_starts(starts, n_nbits, lanes, pcs);
    const uint32_t bias =
        (uint32_t)(bo_le64(record + bias_at / 8) >> bias_at % 8) & base->bias_mask;
    const unsigned at = bias_at + base->bias_nbits + i * width;
    const uint32_t value = (uint32_t)(bo_le64(record + at / 8) >> at % 8) & width_masks[width];
    return (int32_t)((uint32_t)base->base + bias + value * base->unit);
}

/* ---- all runs -------------------------------------------------------------------------------- */

/* A list, taken apart. */
struct list {
    const uint8_t *record;
    unsigned n, start_nbits, width;
    uint32_t unit, least; /* the value that a field of 0 means */
    unsigned values_at;
};

INLINE struct list read_list(const uint8_t *record, uint32_t text_quanta)
{
    const uint32_t head = bo_le16(record);
    const struct packed_base *base = &packed_bases[head >> 4 & 7];
    struct list l = {.record = record,
                     .n = head & 15,
                     .start_nbits = packed_start_nbits(text_quanta),
                     .width = head >> 7 & 15,
                     .unit = base->unit};
    const unsigned bias_at = PACKED_LIST_HEAD_NBITS + l.n * l.start_nbits;
    l.least = (uint32_t)base->base + bo_bits_at(record, bias_at, base->bias_nbits);
    l.values_at = bias_at + base->bias_nbits;
    return l;
}

/* The start of run i, from 1 on. */
INLINE uint32_t list_start(const struct list *l, unsigned i)
{
    return bo_bits_at(l->record, PACKED_LIST_HEAD_NBITS + (i - 1) * l->start_nbits, l->start_nbits);
}

INLINE int32_t list_value(const struct list *l, unsigned i)
{
    return (int32_t)(l->least +
                     bo_bits_at(l->record, l->values_at + i * l->width, l->width) * l->unit);
}

/* Where a walk over the upper parts of a block is. */
struct upper {
    unsigned bucket; /* of the next start, unless it has no more */
    unsigned left;   /* its starts that are still to come; with Elias-Fano, the next bit */
};

/* The start of run i, the next one, from the block's start. */
INLINE uint32_t next_start(const struct block *b, unsigned i, struct upper *u)
{
    if (b->search == PACKED_ELIAS_FANO) {
        for (; b->p[u->left / 8] >> u->left % 8 & 1; u->left++)
            u->bucket++;
        u->left++;
    } else {
        for (; !u->left; u->bucket++) {
            const unsigned nbits = 2u << b->search, at = u->bucket * nbits;
            u->left = b->p[at / 8] >> at % 8 & ((1u << nbits) - 1);
        }
        u->left--;
    }
    const unsigned bucket = u->bucket - (b->search != PACKED_ELIAS_FANO);
    return bucket << b->low_nbits |
           bo_bits_at(b->p, b->lows_at + (i - 1) * b->low_nbits, b->low_nbits);
}

static void scan_block(const struct block *b, uint32_t start, uint32_t bias, struct scale scale,
                       struct pcdata_scan_out *out)
{
    const uint32_t first = b->n_starts ? block_value(b, 0) : 0;
    pcdata_scan_add(out, start, (int32_t)(scale.least + (bias + first) * scale.unit));
    struct upper u = {0, 0};
    for (unsigned i = 1; i <= b->n_starts; i++) {
        const uint32_t next = start + next_start(b, i, &u);
        const uint32_t value = bias + block_value(b, i);
        pcdata_scan_add(out, next, (int32_t)(scale.least + value * scale.unit));
    }
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    (void)reader;
    const unsigned form = record[0] & 15;
    if (form < PACKED_ONE_BLOCK) {
        const struct list l = read_list(record, text_quanta);
        pcdata_scan_add(out, 0, list_value(&l, 0));
        for (unsigned i = 1; i <= l.n; i++)
            pcdata_scan_add(out, list_start(&l, i), list_value(&l, i));
    } else if (form == PACKED_ONE_BLOCK) {
        struct scale scale;
        const struct block b = read_one_block(record, text_quanta, &scale);
        scan_block(&b, 0, 0, scale, out);
    } else {
        const struct blocks s = read_blocks(record, text_quanta);
        for (uint32_t number = 0; number < s.n_blocks; number++) {
            uint32_t bias;
            const struct block b = block_of(&s, number, &bias);
            scan_block(&b, number << s.block_shift, bias, (struct scale){s.least, s.unit}, out);
        }
    }
}

/* ---- checking and decoding ------------------------------------------------------------------- */

/* What walks over one record share; errors are at the record's first byte. */
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

static enum bo_status walk_list(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    const struct list l = read_list(w->record, text_quanta);
    if ((l.n == 0) != (l.width == 0))
        return corrupt(w, "width of values does not fit the number of runs");
    if (l.n > packed_max_starts(l.start_nbits))
        return corrupt(w, "more starts than a list can have");
    *end_ret = l.values_at + (l.n + 1) * l.width;
    if (*end_ret > w->limit)
        return past_the_end(w);
    struct previous previous = {0, list_value(&l, 0)};
    enum bo_status status = collect(w, 0, previous.value);
    for (unsigned i = 1; i <= l.n && !status; i++)
        status = collect_next(w, &previous, text_quanta, list_start(&l, i), list_value(&l, i));
    return status;
}

/* Whether the upper parts of a block, which are inside the frame, place all its starts. */
static bool has_all_starts(const struct block *b)
{
    uint32_t n = 0;
    if (b->search != PACKED_ELIAS_FANO) {
        const unsigned nbits = 2u << b->search;
        for (unsigned at = 0; at < b->lows_at; at += nbits)
            n += b->p[at / 8] >> at % 8 & ((1u << nbits) - 1);
        return n == b->n_starts;
    }
    for (unsigned at = 0; at < b->lows_at; at++)
        n += b->p[at / 8] >> at % 8 & 1;
    const unsigned last = b->lows_at - 1;
    return n == b->n_buckets && b->p[last / 8] >> last % 8 & 1;
}

/* Finds the end of a block's high parts: the largest number of a field says how many there are. */
static enum bo_status walk_highs(const struct walk *w, const struct block *b, uint64_t *end)
{
    unsigned largest = 0;
    for (unsigned i = 0; i <= b->n_starts; i++) {
        const unsigned number =
            bo_bits_at(b->p, b->fields_at + i * b->field_nbits + b->low_width, b->number_nbits);
        largest = number > largest ? number : largest;
    }
    const unsigned high_nbits = bo_bits_at(b->p, b->highs_at, PACKED_HIGH_NBITS);
    if (high_nbits + b->low_width > 32)
        return corrupt(w, "values of a block have more than 32 bits");
    *end = b->highs_at + PACKED_HIGH_NBITS + (largest + 1) * high_nbits;
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
    if (b->search >= PACKED_N_SEARCHES || b->field_nbits == 0 || b->field_nbits > 32 ||
        b->number_nbits > PACKED_MAX_NUMBER_NBITS)
        return corrupt(w, "description of a block is out of range");
    const uint64_t room = w->limit - 8 * (uint64_t)(b->p - w->record);
    if (b->n_buckets > PACKED_UPPER_NBITS ||
        b->lows_at > (b->search == PACKED_ELIAS_FANO ? PACKED_UPPER_NBITS : 64))
        return corrupt(w, "more buckets than a block can have");
    if (b->highs_at > room)
        return past_the_end(w);
    if (!has_all_starts(b))
        return corrupt(w, "buckets of a block do not have all its starts");
    *end_ret = b->highs_at;
    enum bo_status status = b->number_nbits ? walk_highs(w, b, end_ret) : BO_OK;
    if (!status && *end_ret > room)
        return past_the_end(w);
    if (!status && !is_padded(b->p, *end_ret))
        return corrupt(w, "bits after a block are not 0");
    struct previous previous = {start,
                                (int32_t)(scale.least + (bias + block_value(b, 0)) * scale.unit)};
    struct upper u = {0, 0};
    if (!status)
        status = collect(w, start, previous.value);
    for (unsigned i = 1; i <= b->n_starts && !status; i++) {
        const uint32_t next = start + next_start(b, i, &u);
        const uint32_t value = (bias + block_value(b, i)) * scale.unit;
        status = collect_next(w, &previous, text_end, next, (int32_t)(scale.least + value));
    }
    return status;
}

/* Whether a record's bias has more than 32 bits: that of 37 does not need them. */
static bool is_bias_wide(const uint8_t *record, unsigned head_nbits)
{
    const struct packed_base *base = &packed_bases[record[0] >> 4 & 7];
    return base->bias_nbits == 32 && bo_bits_at(record, head_nbits + 32, PACKED_HEAD_BIAS_NBITS);
}

static enum bo_status walk_one_block(const struct walk *w, uint32_t text_quanta, uint64_t *end_ret)
{
    struct scale scale;
    const struct block b = read_one_block(w->record, text_quanta, &scale);
    const uint64_t at = 8 * (uint64_t)(b.p - w->record);
    if (at > w->limit)
        return past_the_end(w);
    if (is_bias_wide(w->record, PACKED_ONE_BLOCK_HEAD_NBITS))
        return corrupt(w, "bias of a record has more than 32 bits");
    if (b.n_starts == 0)
        return corrupt(w, "single block without a start");
    const enum bo_status status = walk_block(w, &b, 0, text_quanta, 0, scale, end_ret);
    *end_ret += at;
    return status;
}

/* Walks one of several blocks; *end_ret is where the one before it ends, and then where it does. */
static enum bo_status walk_next_block(const struct walk *w, const struct blocks *s, uint32_t number,
                                      uint64_t *end_ret)
{
    uint32_t bias;
    const struct block b = block_of(s, number, &bias);
    const uint32_t start = number << s->block_shift;
    if (b.n_starts == 0)
        return b.low_nbits || b.field_nbits || b.search || b.p != s->first
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
    if (is_bias_wide(w->record, PACKED_BLOCKS_HEAD_NBITS))
        return corrupt(w, "bias of a record has more than 32 bits");
    if (!is_padded(w->record, s.index_end))
        return corrupt(w, "bits after an index are not 0");
    enum bo_status status = BO_OK;
    for (uint32_t number = 0; number < s.n_blocks && !status; number++)
        status = walk_next_block(w, &s, number, end_ret);
    return status;
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    (void)context;
    const struct walk w = {.at = in,
                           .record = in->p + in->off,
                           .limit = 8 * (uint64_t)bo_left(in),
                           .quantum_shift = frame->quantum_shift,
                           .runs = runs,
                           .err = err};
    uint64_t end;
    if (bo_left(in) == 0)
        return past_the_end(&w);
    const unsigned form = w.record[0] & 15;
    const enum bo_status status = form == PACKED_BLOCKS      ? walk_blocks(&w, text_quanta, &end)
                                  : form == PACKED_ONE_BLOCK ? walk_one_block(&w, text_quanta, &end)
                                                             : walk_list(&w, text_quanta, &end);
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
    return pcdata_put_frame(model, packed_put_record, out, err);
}

#include "codecs/pcdata/plain_reader.h"

const struct bo_codec pcdata_packed_starts = {
    .name = "packed-starts",
    .summary =
        "lists of starts compared in a word, longer tables in Elias-Fano blocks; no dictionary",
    .spec = "codecs/pcdata/README.md#packed-starts",
    .choices = "which equal tables share bytes, the widths of fields, where long tables are split",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
