/* time-index: what its encoder's parts share. */
#ifndef STATEHIST_TIME_INDEX_WRITE_H
#define STATEHIST_TIME_INDEX_WRITE_H

#include "codecs/statehist/time_index/time_index.h"

/* A history in the order in which its timelines are written. */
struct time_index_states {
    const struct statehist_model *model;
    const uint64_t *times; /* distinct ones of changes, ascending */
    uint32_t n_times;
    const uint32_t *ranks; /* by interval: which of the times it starts at; not of the first ones */
    const uint32_t *codes; /* by interval: its value; 0: null */
    const uint8_t *class;  /* by quark */
    const unsigned *code_nbits; /* by class */
};

/*
 * Appends the section of checkpoints: as many as fit into max_nbytes, or none. Scratch memory from
 * out->arena.
 */
enum bo_status time_index_put_checkpoints(const struct time_index_states *states, size_t max_nbytes,
                                          struct bo_writer *out, struct bo_error *err);

#endif
