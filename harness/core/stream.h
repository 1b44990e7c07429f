/* Bytes that come and go piece by piece: for what is too large to be held whole. */
#ifndef BO_STREAM_H
#define BO_STREAM_H

#include "harness/core/bytes.h"

/* Where bytes come from. */
struct bo_source {
    /*
     * Fills up to n > 0 bytes: *n_ret of them, 0 at the end. NULL, or a phrase that says what
     * failed.
     */
    const char *(*read)(void *context, uint8_t *to, size_t n, size_t *n_ret);
    void *context;
};

/* Where bytes go. */
struct bo_drain {
    /* False when it failed; whoever made the drain knows why. */
    bool (*write)(void *context, struct bo_span bytes);
    void *context;
};

#endif
