/* Emptying the data caches between two measurements. */
#ifndef BO_CACHES_H
#define BO_CACHES_H

#include <stdint.h>

/*
 * Maps the buffer whose writing empties the caches, of bo_machine_eviction_nbytes. Called before
 * the measuring processes are forked, which then share its pages; once is enough.
 */
void bo_caches_prepare(void);

/* Writes to every line of the buffer: what the caches held before is gone. Prepares if need be. */
void bo_caches_empty(void);

#endif
