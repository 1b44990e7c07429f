/* Writing more than the last-level cache holds. */
#include "bench/caches.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "bench/machine.h"

enum { LINE_NBYTES = 64 };

/* One for the process and those it forks. */
static struct {
    volatile uint8_t *p;
    size_t nbytes;
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
    for (size_t i = 0; i < buffer.nbytes; i += LINE_NBYTES)
        buffer.p[i]++;
}
