/* States from LTTng's events. Each tracer has a function that converts its events to states. */
#ifndef BO_CTF_STATES_H
#define BO_CTF_STATES_H

#include "corpora/import/ctf.h"
#include "corpora/import/kernel_states.h"
#include "corpora/import/memory_states.h"

/* The result of an event. */
enum ctf_reading {
    CTF_READ,      /* or skipped, if it does not affect states */
    CTF_MALFORMED, /* `lacks` is the missing or invalid field */
    CTF_REFUSED,   /* the arena refused memory */
};

struct ctf_kernel {
    struct kernel_states states;
    bool old_task_states; /* of Linux before 4.14 */
    const char *lacks;
};

struct ctf_memory {
    struct memory_states states;
    uint64_t n_events; /* memory events */
    const char *lacks;
};

/* For both, the time must be set before. */
enum ctf_reading ctf_kernel_event(struct ctf_kernel *kernel, const struct ctf_event *event);
enum ctf_reading ctf_memory_event(struct ctf_memory *memory, const struct ctf_event *event);

#endif
