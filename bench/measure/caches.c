/* Empties the caches by writing more than the last-level cache holds. */
#include "bench/measure/caches.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bench/measure/machine.h"

enum { LINE_NBYTES = 64 };

/* One buffer for the process and its children. */
static struct {
    uint8_t *p;
    size_t nbytes;
    bool mapped; /* in this process */
} buffer;

void bo_caches_prepare(void)
{
    if (buffer.p)
        return;
    buffer.nbytes = bo_machine_eviction_nbytes();
    void *p = mmap(NULL, buffer.nbytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p == MAP_FAILED)
        abort();
    buffer.p = p;
}

/* Single stores: a library's memset may write large blocks past the caches. */
void bo_caches_empty(void)
{
    bo_caches_prepare();
    if (!buffer.mapped) /* populates all pages at once instead of one fault per page */
        madvise(buffer.p, buffer.nbytes, MADV_POPULATE_WRITE);
    buffer.mapped = true;
    volatile uint8_t *p = buffer.p;
    for (size_t i = 0; i < buffer.nbytes; i += LINE_NBYTES)
        p[i]++;
}
