/*
 * What each thread of a program has allocated, as Trace Compass' analysis of user-space memory has
 * it: <tid>/UST_MEMORY_MEMORY_ATTRIBUTE in bytes, and the name of the thread.
 *
 * Memory is taken off the thread that frees it, whoever allocated it: sums may be below 0. Memory
 * of no bytes counts as freed, and what was allocated before the trace began is not known of.
 */
#ifndef BO_MEMORY_STATES_H
#define BO_MEMORY_STATES_H

#include "corpora/import/state_system.h"

/* Who allocates, or frees. */
struct memory_thread {
    int64_t tid;         /* -1: not recorded */
    struct bo_span name; /* p is NULL when it was not recorded */
};

struct memory_block; /* allocated, and not freed yet */

struct memory_states {
    struct state_system system;
    void **blocks;             /* the root of a tree by address, of tsearch() */
    struct memory_block *free; /* unused ones */
};

/* Each of these is false when memory is refused. The arena's release frees the tree. */
bool memory_states_init(struct memory_states *states, int64_t start, struct bo_arena *arena);
bool memory_allocate(struct memory_states *states, const struct memory_thread *thread,
                     uint64_t address, uint64_t nbytes);
bool memory_free(struct memory_states *states, const struct memory_thread *thread,
                 uint64_t address);

#endif
