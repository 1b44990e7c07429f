/*
 * time-index: the whole history, unpacked. A reader whose queries have read as much as the history
 * has unpacks all of it, where its budget has room, and answers from that.
 * Invariant: earlier queries do not change an answer. A history in which anything is damaged is
 * never answered from here.
 */
#ifndef STATEHIST_TIME_INDEX_WHOLE_H
#define STATEHIST_TIME_INDEX_WHOLE_H

#include "codecs/statehist/time_index/unpacked.h"

/* A string by its hash, which is unique. */
struct time_index_known_string {
    uint64_t hash;
    struct bo_span bytes; /* p is NULL: a free slot */
};

/* The result of the last export for an attribute, so that it need not be searched again. */
struct time_index_exported {
    struct statehist_exported head;
    const uint8_t *string;
};

struct time_index_change {
    uint32_t quark, interval; /* which starts then */
};

struct time_index_whole {
    uint64_t n_read; /* intervals that queries have read, approximately */
    bool is_ready, is_damaged;
    /* The memory of what index->unpacked has; timelines are no longer opened then. */
    uint64_t *starts, *values;
    uint8_t *types;
    uint32_t *first; /* by quark: its first interval; and the end of all */
    struct time_index_known_string *strings;
    uint64_t string_seed; /* so that no file can have strings that all collide */
    uint32_t string_mask;
    struct time_index_exported *exported; /* by quark */
    /*
     * Full states, where there is a table of times and no checkpoint: changes by time; and all
     * values before each frame_size of them.
     */
    uint32_t *n_changes; /* by time of the table: changes before it; and of all */
    struct time_index_change *changes;
    uint32_t frame_size;
    uint64_t *frame_values; /* frame by frame, by quark */
    uint8_t *frame_types;
};

/* Room for it within so many bytes, if there is; false when there is no memory. */
bool time_index_open_whole(struct time_index *index, size_t max_nbytes, struct bo_arena *arena);

/*
 * Whether queries are answered from it: is_ready. When all intervals are there, unpacked and
 * counted by quark: checks them, and derives the rest.
 */
void time_index_finish_whole(struct time_index *index);

/* Whether time_index_answer_whole() answers queries of this kind. */
bool time_index_whole_answers(const struct time_index *index, unsigned kind);

/* Answers query i of a call. */
enum bo_status time_index_answer_whole(struct time_index *index, unsigned kind, const void *queries,
                                       size_t i, void *answers);

#endif
