/*
 * time-index: bakeoff's own. One table stores each time at which anything changes. A timeline is an
 * Elias-Fano list of indices into that table. Its values are codes of the class that the attribute
 * belongs to. See README.md for the layout.
 */
#ifndef STATEHIST_TIME_INDEX_H
#define STATEHIST_TIME_INDEX_H

#include "codecs/statehist/ascending.h"
#include "codecs/statehist/statehist.h"

enum {
    TIME_INDEX_MAX_CLASSES = 64,
    TIME_INDEX_MAX_SLOTS = 512,        /* a power of two */
    TIME_INDEX_MAX_KEPT = 1 << 16,     /* blocks */
    TIME_INDEX_MAX_UNPACKED = 1 << 20, /* intervals */
    TIME_INDEX_MAX_WHOLE = 1 << 19,    /* intervals; new memory for more costs more than it saves */
    TIME_INDEX_MAX_STORED = 1 << 18,   /* entries of decoded checkpoints */
    TIME_INDEX_MAX_SHAPES = 4095,
    TIME_INDEX_SHAPE_NBYTES = 4,
    TIME_INDEX_MAX_SHAPED = ASCENDING_BLOCK + 1, /* intervals */
    TIME_INDEX_MAX_LOCAL = 63,                   /* values in a block's own dictionary */
    /* Bits of fields. */
    TIME_INDEX_N_FIELD = 7,
    TIME_INDEX_CLASS_FIELD = 6,
    TIME_INDEX_NULLS_FIELD = 2,
    TIME_INDEX_LOCAL_FIELD = 6,
    TIME_INDEX_WIDTH_FIELD = 6,
    TIME_INDEX_GROUP = 64, /* quarks of a word in a set */
};

enum time_index_section {
    TIME_INDEX_TIMES,
    TIME_INDEX_STRINGS,
    TIME_INDEX_CLASSES,
    TIME_INDEX_SHAPES,
    TIME_INDEX_PLACES,
    TIME_INDEX_RECORDS,
    TIME_INDEX_CHECKPOINTS,
    TIME_INDEX_TREE,
    TIME_INDEX_N_SECTIONS
};

extern const uint8_t time_index_magic[4];

/*
 * Which codes of a block are stored: all; those at even or odd places, where the others are null;
 * or the first, to which each that follows adds 1.
 */
enum time_index_nulls {
    TIME_INDEX_ALL_STORED,
    TIME_INDEX_ODD_NULL,
    TIME_INDEX_EVEN_NULL,
    TIME_INDEX_COUNTING
};

/* What records of small timelines have in common. */
struct time_index_shape {
    uint8_t n; /* intervals, 1 to 65 */
    uint8_t class;
    uint8_t l;
    uint8_t nulls;
    uint8_t n_local; /* values in the record's own dictionary; 0: it has none */
    /* Derived: bits of a stored value; bit offsets of the parts, from the end of the low bits. */
    uint8_t stored_nbits;
    uint16_t local, stored, upper;
};

/* How many of n codes a block stores. */
ASCENDING_INLINE unsigned time_index_n_stored(unsigned n, unsigned nulls)
{
    return nulls == TIME_INDEX_ALL_STORED  ? n
           : nulls == TIME_INDEX_ODD_NULL  ? (n + 1) / 2
           : nulls == TIME_INDEX_EVEN_NULL ? n / 2
                                           : 1;
}

/* Bits of a stored value. */
ASCENDING_INLINE unsigned time_index_stored_nbits(unsigned n_local, unsigned code_nbits)
{
    return n_local ? bo_bit_width(n_local - 1) : code_nbits;
}

/* Values of one type, as unsigned numbers that are close where they are. */
ASCENDING_INLINE uint64_t time_index_key(uint32_t type, uint64_t value)
{
    return type == STATEHIST_INT    ? (uint32_t)value ^ UINT32_C(1) << 31
           : type == STATEHIST_LONG ? value ^ UINT64_C(1) << 63
                                    : value;
}

/* The value of a key. For a key out of range it is a value that no model contains. */
ASCENDING_INLINE uint64_t time_index_value(uint32_t type, uint64_t key)
{
    return type == STATEHIST_INT    ? key - (UINT64_C(1) << 31)
           : type == STATEHIST_LONG ? key ^ UINT64_C(1) << 63
                                    : key;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A value that has been looked up, as answers have it. */
struct time_index_slot {
    uint32_t code; /* 0: nothing */
    uint32_t type;
    uint64_t value;
};

/*
 * Numbers of a list that have been looked up, block by block, so that none is unpacked twice.
 * Nothing is kept of a list of more than TIME_INDEX_MAX_KEPT blocks.
 */
struct time_index_kept {
    uint64_t *numbers; /* NULL: none are kept */
    bool *known;       /* by block: whether it is there */
};

/* The value of one attribute in a checkpoint, in the form that answers use. */
struct time_index_stored {
    uint64_t value;
    uint32_t quark, type;
};

/* A part of the checkpoints that has been read, or one built from timelines without them. */
struct time_index_part {
    size_t first; /* index into the stored entries: first those before the era, not null */
    uint32_t n_before;
    uint32_t n_changes;  /* in its segment; they follow. Values only where the era goes on */
    uint64_t generation; /* of the reader, if it is kept */
};

/* Large timelines that are queried often; see unpacked.h. */
struct time_index_unpacked;

/* All timelines, once queries have read as much; see whole.h. */
struct time_index_whole;

/* The values that the timelines of a class may have; code 0 is null. */
struct time_index_class {
    struct time_index_slot *slots; /* by the lowest bits of codes */
    uint32_t slot_mask;
    struct ascending_list values[STATEHIST_N_TYPES]; /* by type */
    uint32_t first[STATEHIST_N_TYPES + 1];           /* code of each type's first value */
    unsigned code_nbits;
};

struct time_index {
    struct bo_span in;
    int64_t start, end;
    uint32_t n_quarks, n_strings, n_classes, n_shapes;
    size_t n_intervals;
    bool direct;      /* timelines have times themselves; else places in the table */
    uint64_t max_key; /* none is above it, in a file that is not damaged */
    unsigned key_nbits, shape_nbits;
    struct ascending_list times;  /* above the start of the history */
    struct ascending_list places; /* of records: in bits, from `records` */
    struct time_index_kept kept_times, kept_places;
    struct time_index_unpacked *unpacked;
    struct time_index_whole *whole; /* NULL: there is no room */
    /* Of 2^slice_nbits ns: the block of times that each starts in, from 1; 0: not known yet. */
    uint32_t *slices;
    unsigned slice_nbits;
    struct ascending_list string_ends; /* end of string i, plus i */
    struct bo_span strings, tree;
    const uint8_t *records;
    uint64_t records_nbits;
    struct time_index_class *classes;
    struct time_index_shape *shapes;
    /* Checkpoints; there may be none. */
    uint32_t n_segments, era;
    uint64_t generation;         /* of the parts that are kept now; from 1 on */
    struct ascending_list cuts;  /* where segments but the first start, above the start */
    struct ascending_list parts; /* where each segment's part starts, in bytes */
    struct bo_span part_bytes;
    struct time_index_part *kept_parts; /* by segment, or one; NULL: none is read */
    struct time_index_stored *stored; /* by kept part; all are dropped when one more does not fit */
    size_t n_stored, max_stored, least_stored;
    uint8_t *class_of; /* by quark; once it is known */
    bool classes_known;
    struct bo_error *damage; /* where time_index_damaged() reports */
};

void time_index_report_damage(const struct time_index *index, const uint8_t *where,
                              const char *what);

/*
 * Stores BO_CORRUPT, the phrase `what` and the offset of `where` in the query's error. The offset
 * is that of the file's end if `where` is NULL or outside the file. Returns false for the caller to
 * return.
 */
static inline bool time_index_damaged(const struct time_index *index, const uint8_t *where,
                                      const char *what)
{
    time_index_report_damage(index, where, what);
    return false;
}

/* Unpack block b of a list to where it is kept; false when it is damaged. */
bool time_index_keep_times(const struct time_index *index, uint32_t b);
bool time_index_keep_places(const struct time_index *index, uint32_t b);

/* What a reader may keep, beside the file. */
struct time_index_limits {
    uint32_t max_kept;     /* nothing of lists of more blocks */
    uint32_t max_unpacked; /* intervals */
    uint32_t max_stored;   /* entries beyond those of one part; 0: no part is kept */
    size_t max_nbytes;     /* of all of it: lists first, then checkpoints, then intervals */
};

enum bo_status time_index_open_within(struct bo_span in, struct time_index_limits limits,
                                      struct bo_arena *arena, void **reader_ret,
                                      struct bo_error *err);

/* ---- the codec's entries --------------------------------------------------------------------- */

enum bo_status time_index_encode(const struct bo_codec *self, const void *model,
                                 struct bo_writer *out, struct bo_error *err);
enum bo_status time_index_query(const struct bo_codec *self, void *reader, unsigned kind,
                                const void *queries, size_t n, void *answers, struct bo_error *err);
enum bo_status time_index_decode(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err);

#endif
