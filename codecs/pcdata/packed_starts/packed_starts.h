/*
 * Inside packed-starts: what its writer and its reader share. The layout is in packed_starts.c.
 *
 *   packed_starts.c   the reader, the checks, the codec
 *   choice.c          the widths that make a record small
 *   write.c           the record's bits
 */
#ifndef PCDATA_PACKED_STARTS_H
#define PCDATA_PACKED_STARTS_H

#include "codecs/pcdata/pcdata.h"
#include "harness/core/bits.h"

enum {
    /* Each record: 3 bits, the number of starts of a short list, or 7; after a 7, 2 bits form. */
    PACKED_COUNT_OF_LIST_NBITS = 3,
    PACKED_MAX_LIST = 6,
    PACKED_NO_SHORT_LIST = 7,
    PACKED_FORM_NBITS = 2,
    PACKED_BASE_NBITS = 3, /* of a record with blocks */

    /* A short list: starts, 2 bits base, 4 width. */
    PACKED_SHORT_BASE_NBITS = 2,
    PACKED_SHORT_WIDTH_NBITS = 4,
    PACKED_SHORT_HEAD_NBITS = 9,
    PACKED_N_SHORT_BASES = 1 << PACKED_SHORT_BASE_NBITS,
    PACKED_MAX_SHORT_WIDTH = 15,

    /* A wide list: 7, form, 3 starts, 5 width, 3 bytes of the bias. */
    PACKED_WIDE_WIDTH_NBITS = 5,
    PACKED_BIAS_NBYTES_NBITS = 3,
    PACKED_WIDE_HEAD_NBITS = 16,
    PACKED_MAX_WIDE_WIDTH = 31,

    /* A long list: 7, form, 2 bits base, 4 width, 5 starts. */
    PACKED_LONG_COUNT_NBITS = 5,
    PACKED_LONG_HEAD_NBITS = 16,
    PACKED_MAX_LONG_LIST = 15,

    /* Bits of the lanes in a word. The rest is for the count: 3 bits, or 4 in a long list. */
    PACKED_MIN_LANE_NBITS = 4,
    PACKED_LANES_NBITS = 61,
    PACKED_WORD1_NBITS = 60,
    PACKED_WORD2_NBITS = 53, /* in a word that begins with up to 7 bits of the first */

    /* A description: 6 bits starts, 4 low bits of a start, 5 and 3 widths of a field, 2 full. */
    PACKED_COUNT_NBITS = 6,
    PACKED_LOW_NBITS = 4,
    PACKED_LOW_WIDTH_NBITS = 5,
    PACKED_NUMBER_NBITS = 3,
    PACKED_FULL_NBITS = 2,
    PACKED_BLOCK_NBITS = 20,
    PACKED_MAX_COUNT = 63,
    PACKED_MAX_LOW = 15,
    PACKED_MAX_LOW_WIDTH = 31,

    /* One block: 7, form, base, description; then the bias, its first 4 bits in the head. */
    PACKED_ONE_BLOCK_HEAD_NBITS = 28,
    PACKED_HEAD_BIAS_NBITS = 4,

    /* Blocks: 7, form, base, 5 k, 5 offset, 6 bias; then the record's bias. */
    PACKED_SHIFT_NBITS = 5,
    PACKED_OFFSET_NBITS = 5,
    PACKED_BIAS_NBITS = 6,
    PACKED_BLOCKS_HEAD_NBITS = 24,
    PACKED_MIN_BLOCK_SHIFT = 4,
    PACKED_MAX_BLOCK_SHIFT = 31,

    /* In a block. */
    PACKED_BUCKET_NBITS = 2, /* the starts in a bucket; 3 in a full one, which may have more */
    PACKED_MAX_BUCKETS = 32,
    PACKED_BUCKET_MAX = 3,
    PACKED_FULL_NUMBER_NBITS = 5, /* of a full bucket: its number, and how many starts more */
    PACKED_FULL_MORE_NBITS = 4,
    PACKED_FULL_ENTRY_NBITS = 9,
    PACKED_MAX_FULL = 2,
    PACKED_ELIAS_FANO = 3,    /* in the place of the number of full buckets */
    PACKED_UPPER_NBITS = 127, /* of Elias-Fano, at most */
    PACKED_MAX_MORE = 15,
    PACKED_HIGH_NBITS = 5,
    PACKED_MAX_NUMBER_NBITS = 4,
    PACKED_MAX_HIGHS = 1 << PACKED_MAX_NUMBER_NBITS,
};

/* The form of a record that is not a short list. */
enum packed_form { PACKED_WIDE_LIST, PACKED_LONG_LIST, PACKED_ONE_BLOCK, PACKED_BLOCKS };

/* A record's values are differences from base + bias. The record contains the bias. */
struct packed_base {
    int32_t base;
    uint32_t unit;        /* 1, or a divisor of all values, which are stored divided by it */
    uint32_t bias_mask;   /* of one block: 4 bits more than bias_nbytes, at most 32 */
    unsigned bias_nbytes; /* of a record of blocks */
};

enum { PACKED_N_BASES = 8 };

static const struct packed_base packed_bases[PACKED_N_BASES] = {
    {-2, 1, 0xf, 0},  {-1, 1, 0xf, 0},    {0, 8, 0xf, 0},       {0, 4, 0xf, 0},
    {0, 1, 0xfff, 1}, {0, 1, 0xfffff, 2}, {0, 1, 0xfffffff, 3}, {0, 1, 0xffffffff, 4},
};

/* Bits of each start in a list: the highest one is 0. */
static inline unsigned packed_lane_nbits(uint32_t text_quanta)
{
    const unsigned last = (text_quanta - 1) | 1u << (PACKED_MIN_LANE_NBITS - 2);
    return (31 ^ (unsigned)__builtin_clz(last)) + 2;
}

static inline uint32_t packed_n_blocks(uint32_t text_quanta, unsigned block_shift)
{
    return ((text_quanta - 1) >> block_shift) + 1;
}

/* The quanta of block `number`: all but the last have 2^block_shift. */
static inline uint32_t packed_block_quanta(uint32_t text_quanta, unsigned block_shift,
                                           uint32_t number)
{
    const uint32_t left = text_quanta - (number << block_shift);
    return left < 1u << block_shift ? left : 1u << block_shift;
}

/* Appends the record of one table: a pcdata_put_record. */
enum bo_status packed_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err);

/* ---- the choice ------------------------------------------------------------------------------ */

/*
 * The runs that touch a stretch of text: `first` covers its start, those after it up to `end` start
 * in it.
 */
struct packed_stretch {
    const struct pcdata_table *table;
    unsigned quantum_shift;
    uint32_t first, end;
    uint32_t start, quanta; /* of the text */
};

static inline uint32_t packed_start(const struct packed_stretch *s, uint32_t run)
{
    return (s->table->runs[run].pc >> s->quantum_shift) - s->start;
}

/* How values are stored: (value - least) / unit, in `width` bits. */
struct packed_values {
    unsigned base;  /* index of packed_bases */
    uint32_t least; /* base + bias */
    unsigned width;
};

/* Bytes of a wide list's bias. */
static inline unsigned packed_bias_nbytes(uint32_t bias)
{
    return (bo_bit_width(bias | 1) + 7) / 8;
}

/* The starts that a long list can have. */
static inline unsigned packed_max_long(unsigned lane_nbits)
{
    const unsigned n = PACKED_WORD1_NBITS / lane_nbits + PACKED_WORD2_NBITS / lane_nbits;
    return n < PACKED_MAX_LONG_LIST ? n : PACKED_MAX_LONG_LIST;
}

/* How a list stores a table. */
struct packed_list {
    bool is_wide, is_long;
    uint64_t nbits;
    struct packed_values values;
};

/* True when the table fits a list. */
bool packed_choose_list(const struct packed_stretch *all, struct packed_list *list);

/* The head of a record with blocks. Values in blocks are less `least`, and divided by the unit. */
struct packed_split {
    unsigned base; /* index of packed_bases */
    uint32_t least;
    unsigned block_shift; /* 0: one block has the whole text */
    unsigned offset_nbits, bias_nbits;
    uint64_t nbits; /* of a record of one block */
};

/* False when the runs do not fit into one block. */
bool packed_choose_one_block(const struct packed_stretch *all, struct packed_split *split);

/* Several blocks. False when their offsets need more than 31 bits. */
bool packed_choose_blocks(const struct packed_stretch *all, struct packed_split *split);

/* The next block's stretch, given the one before it. */
struct packed_stretch packed_next_block(const struct packed_stretch *before, unsigned block_shift);

/* A stretch that ends at the table's start, for packed_next_block. */
static inline struct packed_stretch packed_before_blocks(const struct packed_stretch *all)
{
    return (struct packed_stretch){all->table, all->quantum_shift, 0, 1, 0, 0};
}

struct packed_block {
    uint32_t bias;
    unsigned n_starts;  /* 0: a single run, which has no bits */
    unsigned low_nbits; /* of a start */
    unsigned n_full; /* buckets with more starts than their count can hold, or PACKED_ELIAS_FANO */
    unsigned low_width, number_nbits; /* of a field */
    unsigned n_highs, high_nbits;     /* n_highs 0: a field is a value less the bias */
    uint32_t nbits;
    uint32_t highs[PACKED_MAX_HIGHS]; /* ascending */
};

/* A block's offset in bytes when the one before it ends at bit `end`; 0 for a single run. */
static inline uint64_t packed_block_offset(const struct packed_block *block, uint64_t end)
{
    return block->n_starts ? (end + 7) / 8 : 0;
}

/* False when the block holds too many starts. */
bool packed_choose_block(const struct packed_stretch *s, const struct packed_split *split,
                         struct packed_block *block);

/* The value of a run as blocks store it, before the bias of the block is subtracted. */
static inline uint32_t packed_scaled(const struct packed_stretch *s,
                                     const struct packed_split *split, uint32_t run)
{
    return ((uint32_t)s->table->runs[run].value - split->least) / packed_bases[split->base].unit;
}

#endif
