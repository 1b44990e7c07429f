/*
 * The processor's counters of the calling thread in user mode (perf_event_open(2)): instructions,
 * cycles, misses. Many virtual machines, and containers that forbid the call, have no such
 * counters. In that case no counters are reported.
 */
#ifndef BO_EVENTS_H
#define BO_EVENTS_H

#include <stdint.h>

enum { BO_MAX_EVENTS = 4 };

struct bo_event {
    const char *name; /* name of the counter in a record; NULL ends a list */
    uint32_t type;    /* PERF_TYPE_... */
    uint64_t config;
};

/*
 * Instructions, cycles, mispredicted branches, misses of the last-level cache: the counters that
 * results contain.
 */
extern const struct bo_event bo_processor_events[];

struct bo_events {
    const struct bo_event *events[BO_MAX_EVENTS]; /* the events that the machine supports */
    int fds[BO_MAX_EVENTS];
    unsigned n;
};

/* Nothing is counted until bo_events_start. */
void bo_events_open(struct bo_events *events, const struct bo_event *wanted);
void bo_events_close(struct bo_events *events);

/* Continues counting from the current counts. */
void bo_events_start(const struct bo_events *events);
void bo_events_stop(const struct bo_events *events);

/*
 * The i-th count. If there are more events than counters, they take turns, and the count is
 * extrapolated to the whole time. 0 if the event was never counted.
 */
double bo_events_count(const struct bo_events *events, unsigned i);

#endif
