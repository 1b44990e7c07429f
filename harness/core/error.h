/* What went wrong, where, and in one phrase: the only way a codec reports trouble. */
#ifndef BO_ERROR_H
#define BO_ERROR_H

#include <stdint.h>

enum bo_status {
    BO_OK = 0,
    BO_TRUNCATED,    /* the input ends before the structure that it announces */
    BO_CORRUPT,      /* the input contradicts itself or its format */
    BO_UNSUPPORTED,  /* well-formed, but beyond what this codec or version holds */
    BO_OVER_LIMIT,   /* more memory or work than the caller's budget allows */
    BO_NO_MEMORY,    /* the system refused an allocation */
    BO_OUT_OF_RANGE, /* a query outside the document: no such table, PC, name, time */
    BO_BAD_USAGE,    /* the caller's arguments are wrong */
    BO_IO,           /* reading or writing a file failed */
    BO_STATUS_COUNT
};

/* Offset of an error that belongs to no byte of the input. */
#define BO_NO_OFFSET UINT64_MAX

struct bo_error {
    enum bo_status status;
    uint64_t off;     /* bytes from the start of the input, or BO_NO_OFFSET */
    const char *what; /* static phrase, lower case, no full stop */
};

/* Fills *err (which may be NULL) and returns status, so that `return bo_fail(...)` reads well. */
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
