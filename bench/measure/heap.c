/* jemalloc's per-thread figures. */
#include "bench/measure/heap.h"

#ifdef BO_JEMALLOC

#include <jemalloc/jemalloc.h>
#include <stdio.h>

const char *bo_heap_name(void)
{
    static char name[64];
    const char *version;
    size_t n = sizeof version;
    if (mallctl("version", &version, &n, NULL, 0))
        version = "of unknown version";
    snprintf(name, sizeof name, "jemalloc %s", version);
    return name;
}

static bool read_figure(const char *name, uint64_t *v_ret)
{
    size_t n = sizeof *v_ret;
    return mallctl(name, v_ret, &n, NULL, 0) == 0 && n == sizeof *v_ret;
}

bool bo_heap_start(struct bo_heap_use *start_ret)
{
    *start_ret = (struct bo_heap_use){0};
    return mallctl("thread.peak.reset", NULL, NULL, NULL, 0) == 0 &&
           read_figure("thread.peak.read", &start_ret->peak_nbytes) &&
           read_figure("thread.allocated", &start_ret->allocated_nbytes);
}

struct bo_heap_use bo_heap_since(const struct bo_heap_use *start)
{
    struct bo_heap_use now = {0};
    read_figure("thread.allocated", &now.allocated_nbytes);
    read_figure("thread.peak.read", &now.peak_nbytes);
    now.allocated_nbytes -= start->allocated_nbytes;
    return now;
}

#else

const char *bo_heap_name(void)
{
    return "malloc of the C library";
}

bool bo_heap_start(struct bo_heap_use *start_ret)
{
    *start_ret = (struct bo_heap_use){0};
    return false;
}

struct bo_heap_use bo_heap_since(const struct bo_heap_use *start)
{
    return *start;
}

#endif
