/*
 * The memory that each thread of a program has allocated, as in Trace Compass' analysis of
 * user-space memory: <tid>/UST_MEMORY_MEMORY_ATTRIBUTE in bytes, and the name of the thread.
 *
 * Freed memory is subtracted from the thread that frees it, whichever thread allocated it, so sums
 * may be negative. An allocation of 0 bytes counts as freed. Memory that was allocated before the
 * trace began is unknown.
 */
#ifndef BO_MEMORY_STATES_H
#define BO_MEMORY_STATES_H

#include "corpora/import/state_system.h"

/* The thread that allocates or frees. */
struct memory_thread {
    int64_t tid;         /* -1: not recorded */
    struct bo_span name; /* p is NULL if it was not recorded */
};

struct memory_block; /* allocated, and not freed yet */

struct memory_states {
    struct state_system system;
    void **blocks;             /* the root of a tree by address, for tsearch() */
    struct memory_block *free; /* unused ones */
};

/* Each returns false when memory is refused. Releasing the arena frees the tree. */
bool memory_states_init(struct memory_states *states, int64_t start, struct bo_arena *arena);
bool memory_allocate(struct memory_states *states, const struct memory_thread *thread,
                     uint64_t address, uint64_t nbytes);
bool memory_free(struct memory_states *states, const struct memory_thread *thread,
                 uint64_t address);

#endif
