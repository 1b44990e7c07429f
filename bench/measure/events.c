/* Reads the processor's counters. */
#include "bench/measure/events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct bo_event bo_processor_events[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {NULL, 0, 0},
};

static int open_event(const struct bo_event *event)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof attr,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void bo_events_open(struct bo_events *events, const struct bo_event *wanted)
{
    events->n = 0;
    for (; wanted->name && events->n < BO_MAX_EVENTS; wanted++) {
        const int fd = open_event(wanted);
        if (fd < 0)
            continue;
        events->fds[events->n] = fd;
        events->events[events->n++] = wanted;
    }
}

void bo_events_close(struct bo_events *events)
{
    while (events->n)
        close(events->fds[--events->n]);
}

static void control(const struct bo_events *events, unsigned long what)
{
    for (unsigned i = 0; i < events->n; i++)
        ioctl(events->fds[i], what, 0);
}

void bo_events_start(const struct bo_events *events)
{
    control(events, PERF_EVENT_IOC_ENABLE);
}

void bo_events_stop(const struct bo_events *events)
{
    control(events, PERF_EVENT_IOC_DISABLE);
}

double bo_events_count(const struct bo_events *events, unsigned i)
{
    struct {
        uint64_t count, enabled_ns, running_ns;
    } read_now;
    if (read(events->fds[i], &read_now, sizeof read_now) != sizeof read_now ||
        read_now.running_ns == 0)
        return 0;
    return (double)read_now.count * ((double)read_now.enabled_ns / (double)read_now.running_ns);
}
