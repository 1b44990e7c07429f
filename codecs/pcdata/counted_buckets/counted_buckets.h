/*
 * Inside counted-buckets: what its writer and its reader share. The layout is in
 * counted_buckets.c.
 *
 *   counted_buckets.c   the readers, the checks, the codec
 *   choice.c            the widths that make a record small
 *   write.c             the record's bits
 */
#ifndef PCDATA_COUNTED_BUCKETS_H
#define PCDATA_COUNTED_BUCKETS_H

#include "codecs/pcdata/pcdata.h"
#include "harness/core/bits.h"

enum {
    COUNTED_MAX_COUNT = 3, /* starts in a bucket: 2 bits */

    /* A whole record: 4 bits low bits of a start, 4 width, 3 base; then the counts. */
    COUNTED_LOW_NBITS = 4,
    COUNTED_WIDTH_NBITS = 4,
    COUNTED_BASE_NBITS = 3,
    COUNTED_HEAD_NBITS = 11,
    COUNTED_MAX_WIDTH = 14,
    COUNTED_MAX_LOW = 15,
    COUNTED_MAX_BUCKETS = 30, /* their counts fit the 61 bits behind the header */

    /* A split record: 4 bits k - 4, the width 15, 5 offset, 6 bias, 3 base. */
    COUNTED_SPLIT = 15,
    COUNTED_OFFSET_NBITS = 5,
    COUNTED_BIAS_NBITS = 6,
    COUNTED_SPLIT_HEAD_NBITS = 22,
    COUNTED_MIN_BLOCK_SHIFT = 4,
    COUNTED_MAX_BLOCK_SHIFT = 19,

    /* An entry of its index: 5 bits width, 1 clustered, 3 low bits; then bias and offset. */
    COUNTED_ENTRY_WIDTH_NBITS = 5,
    COUNTED_ENTRY_LOW_NBITS = 3,
    COUNTED_ENTRY_FIXED_NBITS = 9,
    COUNTED_ENTRY_WIDTH_32 = 31,  /* in the place of a width: 32 (31 is not used) */
    COUNTED_LISTED = 7,           /* in the place of low bits: starts without counts */
    COUNTED_MAX_BUCKET_SHIFT = 6, /* a block has at most 64 buckets */

    /* In a block. */
    COUNTED_LIST_NBITS = 6,
    COUNTED_MAX_LIST = 64,
    COUNTED_CLUSTER_LOW_NBITS = 5,
    COUNTED_CLUSTERS_NBITS = 4,
    COUNTED_CLUSTERS_HEAD_NBITS = 9,
    COUNTED_MAX_CLUSTERS = 16,
};

/* Where a record's values are counted from: base + a bias in the record. */
struct counted_base {
    int32_t base;
    uint8_t nbytes; /* of the bias */
    uint8_t shift;  /* 0 bits at the end of each value, not stored */
};

enum { COUNTED_N_BASES = 8 };

static const struct counted_base counted_bases[COUNTED_N_BASES] = {
    {-2, 0, 0}, {-1, 0, 0}, {0, 0, 3}, {0, 0, 2}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0},
};

/* Buckets of 2^low quanta in a stretch of text. */
static inline uint32_t counted_n_buckets(uint32_t quanta, unsigned low)
{
    return ((quanta - 1) >> low) + 1;
}

static inline uint32_t counted_n_blocks(uint32_t text_quanta, unsigned block_shift)
{
    return ((text_quanta - 1) >> block_shift) + 1;
}

/* The quanta of block `number`: all but the last have 2^block_shift. */
static inline uint32_t counted_block_quanta(uint32_t text_quanta, unsigned block_shift,
                                            uint32_t number)
{
    const uint32_t left = text_quanta - (number << block_shift);
    return left < 1u << block_shift ? left : 1u << block_shift;
}

/* What COUNTED_LOW_NBITS of an index entry are counted from. */
static inline unsigned counted_least_low(unsigned block_shift)
{
    return block_shift > COUNTED_MAX_BUCKET_SHIFT ? block_shift - COUNTED_MAX_BUCKET_SHIFT : 0;
}

/* Appends the record of one table: a pcdata_put_record. */
enum bo_status counted_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                  struct bo_writer *out, struct bo_error *err);

/* ---- the choice ------------------------------------------------------------------------------ */

/*
 * The runs that touch a stretch of text: `first` covers its start, those after it up to `end` start
 * in it.
 */
struct counted_stretch {
    const struct pcdata_table *table;
    unsigned quantum_shift;
    uint32_t first, end;
    uint32_t start, quanta; /* of the text */
};

static inline uint32_t counted_start(const struct counted_stretch *s, uint32_t run)
{
    return (s->table->runs[run].pc >> s->quantum_shift) - s->start;
}

/* How values are stored: (value - least) >> shift, in `width` bits. */
struct counted_values {
    unsigned base;  /* index of counted_bases */
    uint32_t least; /* base + bias */
    unsigned width;
};

struct counted_whole {
    struct counted_values values;
    unsigned low;
};

/* True when the table fits a whole record. */
bool counted_choose_whole(const struct counted_stretch *all, struct counted_whole *whole);

/* A split record's head. Values of blocks are less `least`, and shifted. */
struct counted_split {
    unsigned base; /* index of counted_bases */
    uint32_t least;
    unsigned block_shift, offset_nbits, bias_nbits;
};

/* False when the blocks' offsets need more than 31 bits. */
bool counted_choose_split(const struct counted_stretch *all, struct counted_split *split);

/* The next block's stretch, given the one before it. */
struct counted_stretch counted_next_block(const struct counted_stretch *before,
                                          unsigned block_shift);

/* A stretch that ends at the table's start, for counted_next_block. */
static inline struct counted_stretch counted_before_blocks(const struct counted_stretch *all)
{
    return (struct counted_stretch){all->table, all->quantum_shift, 0, 1, 0, 0};
}

struct counted_block {
    uint32_t bias;
    uint64_t nbits;                       /* from its offset on */
    unsigned width;                       /* 0: a single run, which has no bits */
    unsigned low;                         /* of each start */
    bool listed;                          /* starts without counts: low is the block's shift */
    unsigned cluster_low, n_clusters;     /* n_clusters 0: not clustered */
    unsigned clusters_nbits;              /* in front of the block's offset */
    uint32_t highs[COUNTED_MAX_CLUSTERS]; /* ascending */
};

/* A block's offset in bytes when the one before it ends at bit `end`; 0 for a single run. */
static inline uint64_t counted_block_offset(const struct counted_block *block, uint64_t end)
{
    return block->width ? (end + block->clusters_nbits + 7) / 8 : 0;
}

/* False when the block holds too many starts for its size. */
bool counted_choose_block(const struct counted_stretch *s, const struct counted_split *split,
                          struct counted_block *block);

/* The value of a run as blocks count it. */
static inline uint32_t counted_scaled(const struct counted_stretch *s,
                                      const struct counted_split *split, uint32_t run)
{
    return ((uint32_t)s->table->runs[run].value - split->least) >> counted_bases[split->base].shift;
}

#endif
