/* Errors: a status, a byte offset and one phrase. A codec reports errors in no other way. */
#ifndef BO_ERROR_H
#define BO_ERROR_H

#include <stdint.h>

enum bo_status {
    BO_OK = 0,
    BO_TRUNCATED,    /* the input ends before the end of a structure */
    BO_CORRUPT,      /* the input contradicts itself or its format */
    BO_UNSUPPORTED,  /* well-formed, but this codec or version cannot hold it */
    BO_OVER_LIMIT,   /* needs more memory or work than the caller's budget */
    BO_NO_MEMORY,    /* the system refused an allocation */
    BO_OUT_OF_RANGE, /* a query outside the document: no such table, PC, name or time */
    BO_BAD_USAGE,    /* the caller's arguments are wrong */
    BO_IO,           /* reading or writing a file failed */
    BO_STATUS_COUNT
};

/* The offset of an error without a position in the input. */
#define BO_NO_OFFSET UINT64_MAX

struct bo_error {
    enum bo_status status;
    uint64_t off;     /* bytes from the start of the input, or BO_NO_OFFSET */
    const char *what; /* static phrase, lower case, no full stop */
};

/* Fills *err (which may be NULL) and returns status, for use as `return bo_fail(...)`. */
static inline enum bo_status bo_fail(struct bo_error *err, enum bo_status status, uint64_t off,
                                     const char *what)
{
    if (err)
        *err = (struct bo_error){status, off, what};
    return status;
}

/* "corrupt", "truncated", ...: one word or two, for messages and JSON. */
const char *bo_status_name(enum bo_status status);

#endif
