/*
 * Counts the pages of a buffer that code reads. The buffer is protected, so the first access to
 * each page faults; the fault handler counts the page and makes it readable. There can be one watch
 * at a time, in one thread.
 */
#ifndef BO_PAGES_H
#define BO_PAGES_H

#include <stdbool.h>

#include "harness/core/bytes.h"

/*
 * Up to this number of touched pages are protected again one by one, which is faster than all at
 * once.
 */
enum { BO_FEW_PAGES = 4 };

/*
 * Watches the pages of `buffer`, which must be page-aligned and a mapping of its own. Counting
 * starts with bo_pages_rearm. A write to the buffer, or a fault at any other address, ends the
 * process by SIGSEGV as without a watch. False when the system refuses.
 */
bool bo_pages_watch(struct bo_span buffer);

/* Protects all pages again and starts counting from 0. False when the system refuses. */
bool bo_pages_rearm(void);

/* Pages touched since the last rearm. */
size_t bo_pages_touched(void);

/*
 * Stops counting until the next rearm; accesses do not fault until then. False when the system
 * refuses.
 */
bool bo_pages_disarm(void);

/* Ends the watch. The buffer is readable (not writable) again. */
void bo_pages_unwatch(void);

#endif
