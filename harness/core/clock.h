/* The two clocks of every measurement, in nanoseconds from an arbitrary start. */
#ifndef BO_CLOCK_H
#define BO_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t bo_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time of this thread. The times in tables are of this clock. */
static inline uint64_t bo_cpu_ns(void)
{
    return bo_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Wall-clock time. Results contain it in addition; timeouts and progress use it. */
static inline uint64_t bo_wall_ns(void)
{
    return bo_clock_ns(CLOCK_MONOTONIC);
}

#endif
