/* Empties the caches by reading more than the last-level cache holds. */
#include "bench/measure/caches.h"

#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "bench/measure/huge.h"
#include "bench/measure/machine.h"
#include "harness/core/arena.h"

enum { LINE_NBYTES = 64 };

/* One buffer for the process and its children, which only read it. */
static struct {
    uint8_t *p;
    size_t nbytes;
} buffer;

void bo_caches_prepare(void)
{
    if (buffer.p)
        return;
    buffer.nbytes = bo_machine_eviction_nbytes();
    /*
     * The buffer is in huge pages if the system allows them, since forking copies a page-table
     * entry per page. It is written, since the system maps all pages that were only read to one
     * page of zeros.
     */
    buffer.p = bo_or_abort(bo_huge_map(buffer.nbytes));
    memset(buffer.p, 1, buffer.nbytes);
}

void bo_caches_empty(void)
{
    bo_caches_prepare();
    const volatile uint8_t *p = buffer.p;
    for (size_t i = 0; i < buffer.nbytes; i += LINE_NBYTES)
        (void)p[i];
}

void bo_caches_flush(const void *p, size_t nbytes)
{
#if defined(__x86_64__)
    const uint8_t *line = p;
    for (size_t i = 0; i < nbytes; i += LINE_NBYTES)
        _mm_clflush(line + i);
    if (nbytes)
        _mm_clflush(line + nbytes - 1);
    _mm_mfence();
#else
#endif
}
