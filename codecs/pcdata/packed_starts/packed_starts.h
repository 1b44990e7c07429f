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
    PACKED_FORM_NBITS = 4, /* of each record: the starts of a list, or one of */
    PACKED_MAX_LIST = 13,
    PACKED_ONE_BLOCK = 14,
    PACKED_BLOCKS = 15,
    PACKED_BASE_NBITS = 3,

    /* A list: form, base, 4 bits width. */
    PACKED_WIDTH_NBITS = 4,
    PACKED_LIST_HEAD_NBITS = 11,
    PACKED_MAX_WIDTH = 15,
    PACKED_MIN_START_NBITS = 4, /* a field of a start can hold a number up to PACKED_MAX_LIST */
    PACKED_WORD1_NBITS = 61,    /* of starts, in a word that begins with 3 bits of the head */
    PACKED_WORD2_NBITS = 57,    /* in a word that begins with up to 7 bits of the first */

    /* A description: 6 bits starts, 4 low bits of a start, 5 and 3 widths of a field, 2 search. */
    PACKED_COUNT_NBITS = 6,
    PACKED_LOW_NBITS = 4,
    PACKED_LOW_WIDTH_NBITS = 5,
    PACKED_NUMBER_NBITS = 3,
    PACKED_SEARCH_NBITS = 2,
    PACKED_BLOCK_NBITS = 20,
    PACKED_MAX_COUNT = 63,
    PACKED_MAX_LOW = 15,
    PACKED_LOW_WIDTH_32 = 31, /* in the place of a low width: 32 (31 is not used) */

    /* One block: form, base, description; then the bias, its first 5 bits in the head. */
    PACKED_ONE_BLOCK_HEAD_NBITS = 27,
    PACKED_HEAD_BIAS_NBITS = 5,

    /* Blocks: form, base, 5 k, 5 offset, 6 bias; then the record's bias. */
    PACKED_SHIFT_NBITS = 5,
    PACKED_OFFSET_NBITS = 5,
    PACKED_BIAS_NBITS = 6,
    PACKED_BLOCKS_HEAD_NBITS = 23,
    PACKED_MIN_BLOCK_SHIFT = 4,
    PACKED_MAX_BLOCK_SHIFT = 31,

    /* In a block. */
    PACKED_UPPER_NBITS = 127, /* of Elias-Fano, at most; counts take at most 64 */
    PACKED_HIGH_NBITS = 5,
    PACKED_MAX_NUMBER_NBITS = 4,
    PACKED_MAX_HIGHS = 1 << PACKED_MAX_NUMBER_NBITS,
};

/* How a block finds the starts in a bucket. */
enum packed_search { PACKED_COUNTS_2, PACKED_COUNTS_4, PACKED_ELIAS_FANO, PACKED_N_SEARCHES };

/* Where a record's values are counted from: base + a bias in the record. */
struct packed_base {
    int32_t base;
    uint32_t bias_mask;       /* of a list */
    uint32_t block_bias_mask; /* of a record with blocks, 5 bits more, at most 32 */
    uint8_t bias_nbits;       /* of a list */
    uint8_t unit;             /* 1, or a divisor of all values, which are stored without it */
};

enum { PACKED_N_BASES = 8 };

static const struct packed_base packed_bases[PACKED_N_BASES] = {
    {-2, 0, 0x1f, 0, 1},
    {-1, 0, 0x1f, 0, 1},
    {0, 0, 0x1f, 0, 8},
    {0, 0, 0x1f, 0, 4},
    {0, 0xff, 0x1fff, 8, 1},
    {0, 0xffff, 0x1fffff, 16, 1},
    {0, 0xffffff, 0x1fffffff, 24, 1},
    {0, 0xffffffff, 0xffffffff, 32, 1},
};

/* Bits of each start in a list. */
static inline unsigned packed_start_nbits(uint32_t text_quanta)
{
    const unsigned last = (text_quanta - 1) | 1u << (PACKED_MIN_START_NBITS - 1);
    return 32 - (unsigned)__builtin_clz(last);
}

/* The starts that a list can have. */
static inline unsigned packed_max_starts(unsigned start_nbits)
{
    const unsigned n = PACKED_WORD1_NBITS / start_nbits + PACKED_WORD2_NBITS / start_nbits;
    return n < PACKED_MAX_LIST ? n : PACKED_MAX_LIST;
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

/* True when the table fits a list. */
bool packed_choose_list(const struct packed_stretch *all, struct packed_values *values);

/* The head of a record with blocks. Values in blocks are less `least`, and divided by the unit. */
struct packed_split {
    unsigned base; /* index of packed_bases */
    uint32_t least;
    unsigned block_shift; /* 0: one block has the whole text */
    unsigned offset_nbits, bias_nbits;
};

/* False when the blocks' offsets need more than 31 bits. */
bool packed_choose_split(const struct packed_stretch *all, struct packed_split *split);

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
    enum packed_search search;
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

/* The value of a run as blocks count it. */
static inline uint32_t packed_scaled(const struct packed_stretch *s,
                                     const struct packed_split *split, uint32_t run)
{
    return ((uint32_t)s->table->runs[run].value - split->least) / packed_bases[split->base].unit;
}

#endif
