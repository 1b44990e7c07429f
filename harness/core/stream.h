/* Bytes that are read and written in pieces, for data that is too large for memory. */
#ifndef BO_STREAM_H
#define BO_STREAM_H

#include "harness/core/bytes.h"

/* A source of bytes. */
struct bo_source {
    /*
     * Reads up to n > 0 bytes; *n_ret is their number, 0 at the end. Returns NULL, or a phrase that
     * names the failure.
     */
    const char *(*read)(void *context, uint8_t *to, size_t n, size_t *n_ret);
    void *context;
};

/* A destination of bytes. */
struct bo_drain {
    /* False on failure. The owner of the drain knows the reason. */
    bool (*write)(void *context, struct bo_span bytes);
    void *context;
};

#endif
