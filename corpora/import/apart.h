/*
 * Runs work in a process of its own, for libraries that may crash, hang or exhaust memory on bad
 * input. Changes to the memory of the process are lost; its output is returned.
 */
#ifndef BO_APART_H
#define BO_APART_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

struct apart {
    const char *who;        /* "babeltrace", for messages */
    unsigned patience_s;    /* limit of processor time without a call of apart_goes_on() */
    uint64_t memory_nbytes; /* memory that it may allocate in addition to the current amount */
    enum bo_status (*work)(void *context, struct bo_writer *out, struct bo_error *err);
    void *context;
};

/* Called by the work: it makes progress. */
void apart_goes_on(void);

/*
 * Returns the output of the work, in `arena`. A failure of the work is returned with its phrase (in
 * `arena`). BO_CORRUPT when it crashed or made no progress. After a success, a phrase in *err is
 * kept.
 */
enum bo_status apart_run(const struct apart *apart, struct bo_arena *arena, struct bo_span *out_ret,
                         struct bo_error *err);

#endif
