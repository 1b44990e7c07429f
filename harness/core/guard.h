/*
 * Bytes that end at an inaccessible page, so that every read past the end faults. Sanitizers also
 * report reads before the start and after bo_guarded_free; other builds give zeros before the start
 * and, for small copies, other bytes after bo_guarded_free.
 */
#ifndef BO_GUARD_H
#define BO_GUARD_H

#include "harness/core/bytes.h"

struct bo_guarded {
    struct bo_span span; /* the copy; its last byte is the last of a page */
    void *map;
    size_t map_nbytes;
};

/* False when the system has no memory. Release with bo_guarded_free. */
bool bo_guarded_copy(struct bo_span from, struct bo_guarded *guarded_ret);
void bo_guarded_free(struct bo_guarded *guarded);

#endif
