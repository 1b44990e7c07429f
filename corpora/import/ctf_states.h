/* What LTTng's events say, by tracer: each turns the events of its own into states. */
#ifndef BO_CTF_STATES_H
#define BO_CTF_STATES_H

#include "corpora/import/ctf.h"
#include "corpora/import/kernel_states.h"
#include "corpora/import/memory_states.h"

/* What became of an event. */
enum ctf_reading {
    CTF_READ,      /* or passed over: it says nothing about states */
    CTF_MALFORMED, /* `lacks` is the field that is not there, or out of range */
    CTF_REFUSED,   /* by the arena */
};

struct ctf_kernel {
    struct kernel_states states;
    bool old_task_states; /* of Linux before 4.14 */
    const char *lacks;
};

struct ctf_memory {
    struct memory_states states;
    uint64_t n_events; /* of memory */
    const char *lacks;
};

/* Both: the time is set already. */
enum ctf_reading ctf_kernel_event(struct ctf_kernel *kernel, const struct ctf_event *event);
enum ctf_reading ctf_memory_event(struct ctf_memory *memory, const struct ctf_event *event);

#endif
