/*
 * time-index: large timelines that are queried often. Their records stay open. The blocks that a
 * range query reads are unpacked into the form of answers, so that the next range query copies
 * them.
 * Invariant: earlier queries do not change an answer. A place in a timeline is found by the same
 * keys as without the cache, and a range that finds damage is read again from the file.
 */
#ifndef STATEHIST_TIME_INDEX_UNPACKED_H
#define STATEHIST_TIME_INDEX_UNPACKED_H

#include "codecs/statehist/time_index/read.h"

/*
 * In places that are kept, instead of where a record lies: the number of a timeline that is open.
 */
#define TIME_INDEX_OPEN (UINT64_C(1) << 63)

/* A timeline; block b has its intervals from number 1 + 64 b on. */
struct time_index_columns {
    struct time_index_timeline t; /* with its bases */
    uint32_t quark;
    uint64_t place;            /* of the record */
    bool *known;               /* by block: whether it is unpacked */
    uint64_t *starts, *values; /* by interval: of those in blocks that are known */
    uint8_t *types;
};

/* Room for some timelines. When one more does not fit, all others are dropped. */
struct time_index_unpacked {
    /* By quark whose place is kept: blocks that queries have read since the timeline was opened. */
    uint32_t *n_reads;
    struct time_index_columns *columns;
    uint32_t n_columns;
    uint32_t n_intervals, max_intervals;
    uint32_t n_blocks;
    uint64_t *bases, *starts, *values;
    uint8_t *types;
    bool *known;
};

/* Room for intervals within the limits, if need be; false when there is no memory. */
bool time_index_open_unpacked(struct time_index *index, const struct time_index_limits *limits,
                              struct bo_arena *arena);

/* Closes all of them for good: their memory is for something else. */
void time_index_close_unpacked(const struct time_index *index);

/* Counts the intervals that a query has read of a timeline. True when kept places have changed. */
bool time_index_count_reads(const struct time_index_timeline *t, uint32_t quark,
                            uint32_t n_intervals);

/* The timeline that has a place, when it is open, else NULL. */
ASCENDING_INLINE struct time_index_columns *time_index_columns_at(const struct time_index *index,
                                                                  uint64_t place)
{
    return __builtin_expect(place >= TIME_INDEX_OPEN, 0)
               ? &index->unpacked->columns[place - TIME_INDEX_OPEN]
               : NULL;
}

#endif
