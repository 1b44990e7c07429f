/* Transparent huge pages of 2 MiB (Linux) for the encoding and the reader's memory. */
#ifndef BO_HUGE_H
#define BO_HUGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True when the system provides huge pages on request: its mode is not "never". */
bool bo_huge_allowed(void);

/* Disables huge pages for the calling process, also if the system's mode is "always". */
void bo_huge_forbid(void);

/* nbytes rounded up to whole huge pages. */
size_t bo_huge_round(size_t nbytes);

/*
 * Maps zeroed memory of at least nbytes, rounded up to whole huge pages and aligned to one, and
 * advises the system to use huge pages for it. NULL when the system refuses the memory. The mapping
 * lasts as long as the process.
 */
uint8_t *bo_huge_map(size_t nbytes);

/*
 * Discards the content of memory from malloc, so that its whole pages are small pages when they are
 * used again. The bytes of the partial pages at both ends stay.
 */
void bo_huge_return(const void *p, size_t nbytes);

/*
 * Bytes of this process that are in huge pages now, in mappings that requested them. 0 if the
 * system does not report it.
 */
uint64_t bo_huge_nbytes(void);

/* The same from a text in the format of /proc/PID/smaps. */
uint64_t bo_huge_nbytes_in(FILE *smaps);

#endif
