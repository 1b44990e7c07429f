/*
 * sequences: functions as numbers of lists, the sequences of states that they share, with the
 * distances between rows in fields of fixed widths. The layout is in README.md; what follows is
 * shared by writer and reader.
 */
#ifndef UNWIND_SEQUENCES_H
#define UNWIND_SEQUENCES_H

#include "codecs/unwind/sequences/dictionary.h"
#include "harness/core/bits.h"

enum {
    UNWIND_SEQ_HEADER = 20,
    UNWIND_SEQ_SEGMENT = 20,
    UNWIND_SEQ_BLOCK = 16,          /* entries */
    UNWIND_SEQ_STEP = 4,            /* entries per mark: the bit at which their records start */
    UNWIND_SEQ_IDS = 12,            /* offset in a block of its list numbers */
    UNWIND_SEQ_BLOCK_FIELDS = 28,   /* bytes before a block's packed fields */
    UNWIND_SEQ_NO_MARK = 0xffff,    /* a mark that does not fit 16 bits: use the one before */
    UNWIND_SEQ_SAMPLED = 16,        /* buckets per sample */
    UNWIND_SEQ_MAX_ENTRIES = 65535, /* of a segment: a sample has 16 bits */
    UNWIND_SEQ_LONG = 255,          /* the number of a list that does not fit its byte */
    UNWIND_SEQ_WIDTH_BITS = 6,      /* of a special record's width */
    UNWIND_SEQ_NARROW = 63,         /* the width value that selects those of the dictionary */
    UNWIND_SEQ_MAX_QUANTUM = 6,
    /* steps and entries that a payload may have: bounds the work of a reader */
    UNWIND_SEQ_ROWS_PER_BYTE = 256,
    UNWIND_SEQ_FREE_ROWS = 1 << 17, /* more of them for a writer; readers accept twice as many */
};

/* Bytes of one block of a segment. */
static inline size_t unwind_seq_stride(unsigned low_bits, unsigned pad_bits)
{
    return UNWIND_SEQ_BLOCK_FIELDS + 2 * (size_t)(low_bits + pad_bits);
}

/*
 * The fixed dictionary of a codec (bo_codec.own): for each machine a stream of lists, which the
 * dictionaries of the payloads continue. The distances of fixed lists have base 1, so some record
 * can store any distances.
 */
struct unwind_seq_fixed {
    struct bo_span streams[UNWIND_N_ARCHS];
};
extern const struct unwind_seq_fixed unwind_seq_fixed;

/* The stream that a codec's dictionaries continue; an empty one for none. */
static inline struct bo_span unwind_seq_known(const struct bo_codec *self, enum unwind_arch arch)
{
    const struct unwind_seq_fixed *fixed = self->own;
    return fixed ? fixed->streams[arch] : (struct bo_span){NULL, 0};
}

enum bo_status unwind_seq_encode(const struct bo_codec *self, const void *model,
                                 struct bo_writer *out, struct bo_error *err);

#endif
