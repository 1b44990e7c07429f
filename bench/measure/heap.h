/*
 * Figures of the system's allocator, if it is jemalloc: a cross-check of the arenas' own figures.
 */
#ifndef BO_HEAP_H
#define BO_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* The allocator's name and version, static: "jemalloc 5.3.0-...", or "malloc of the C library". */
const char *bo_heap_name(void);

struct bo_heap_use {
    uint64_t allocated_nbytes; /* by this thread since the start, freed or not */
    uint64_t peak_nbytes;      /* highest live since the start */
};

/* Starts the measurement for this thread. False when the allocator has no such figures. */
bool bo_heap_start(struct bo_heap_use *start_ret);

/* The memory that this thread has used since *start. Valid only if bo_heap_start returned true. */
struct bo_heap_use bo_heap_since(const struct bo_heap_use *start);

#endif
