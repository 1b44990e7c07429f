/* Emptying the data caches between two measurements. */
#ifndef BO_CACHES_H
#define BO_CACHES_H

#include <stddef.h>

/*
 * Maps the buffer that is read to empty the caches, of bo_machine_eviction_nbytes. Processes that
 * are forked later share its pages, which are never written. Further calls do nothing.
 */
void bo_caches_prepare(void);

/*
 * Reads every line of the buffer, which evicts everything else from the caches. Prepares the
 * buffer if necessary.
 */
void bo_caches_empty(void);

/*
 * Removes the lines of [p, p + nbytes) from all caches, where the processor has an instruction for
 * it (x86-64). The last-level cache of a server can be larger than the buffer.
 */
void bo_caches_flush(const void *p, size_t nbytes);

#endif
