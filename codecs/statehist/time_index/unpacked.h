/*
 * time-index: large timelines that are asked for again and again. Their records stay open, and what
 * ranges go through is unpacked block by block as answers have it, so that a range is copied the
 * next time.
 *
 * What was asked before must not decide what is answered: a place in a timeline is found by keys
 * here as there, and a range that finds damage is read where it lies.
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

/* Room for some timelines. When one more does not fit, all others go. */
struct time_index_unpacked {
    /* By quark, where its place is kept: how much queries have gone through, in blocks. */
    uint32_t *asked;
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

/* A query has gone through so many intervals of a timeline. True when places are others now. */
bool time_index_asked(const struct time_index_timeline *t, uint32_t quark, uint32_t n_intervals);

/* The timeline that has a place, when it is open, else NULL. */
ASCENDING_INLINE struct time_index_columns *time_index_columns_at(const struct time_index *index,
                                                                  uint64_t place)
{
    return __builtin_expect(place >= TIME_INDEX_OPEN, 0)
               ? &index->unpacked->columns[place - TIME_INDEX_OPEN]
               : NULL;
}

#endif
