/*
 * Work in a process of its own: for libraries that may crash, hang or eat memory on bad input. What
 * the process does to its memory, nobody sees; what it writes comes back.
 */
#ifndef BO_APART_H
#define BO_APART_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

struct apart {
    const char *who;        /* "babeltrace", for messages */
    unsigned patience_s;    /* of processor time without apart_goes_on() */
    uint64_t memory_nbytes; /* that it may allocate on top of what there is */
    enum bo_status (*work)(void *context, struct bo_writer *out, struct bo_error *err);
    void *context;
};

/* Inside of the work: it is getting on. */
void apart_goes_on(void);

/*
 * What the work has put out, in `arena`. Its failure is passed on, phrase and all (in `arena`);
 * BO_CORRUPT when it crashed, or did not get on. Where the work is done and *err had a phrase, it
 * has still.
 */
enum bo_status apart_run(const struct apart *apart, struct bo_arena *arena, struct bo_span *out_ret,
                         struct bo_error *err);

#endif
