/* Guarded copies. */
#include "harness/core/guard.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/core/forbid.h"

/*
 * Released mappings by the number of their accessible pages, at most one of each, to be used again.
 * On a virtual machine with slow page faults, mapping and unmapping took half of the time of checks
 * that copy 10^5 small inputs. What a kept mapping contained is overwritten, and sanitizers report
 * accesses to it.
 */
enum { N_KEPT = 16, RELEASED = 0xdb };
static _Atomic(uint8_t *) kept[N_KEPT];

/* Accessible bytes and, after them, one page that is not. NULL when the system has no memory. */
static uint8_t *map_pages(size_t nbytes, size_t page)
{
    uint8_t *map = mmap(NULL, nbytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (nbytes == 0 ||
        mprotect(map, nbytes, PROT_READ | PROT_WRITE) == 0) /* qemu rejects 0 bytes */
        return map;
    munmap(map, nbytes + page);
    return NULL;
}

bool bo_guarded_copy(struct bo_span from, struct bo_guarded *guarded_ret)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (from.n > SIZE_MAX - 2 * page)
        return false;
    const size_t n_pages = (from.n + page - 1) / page, nbytes = n_pages * page;
    uint8_t *map = n_pages < N_KEPT ? atomic_exchange(&kept[n_pages], NULL) : NULL;
    if (!map)
        map = map_pages(nbytes, page);
    if (!map)
        return false;
    BO_ALLOW(map, nbytes);
    memset(map, 0, nbytes - from.n);
    uint8_t *p = map + nbytes - from.n;
    if (from.n)
        memcpy(p, from.p, from.n);
    BO_FORBID(map, nbytes - from.n);
    *guarded_ret = (struct bo_guarded){{p, from.n}, map, nbytes + page};
    return true;
}

void bo_guarded_free(struct bo_guarded *guarded)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), map_nbytes = guarded->map_nbytes;
    uint8_t *map = guarded->map;
    if (map && map_nbytes <= N_KEPT * page) {
        BO_ALLOW(map, map_nbytes - page);
        memset(map, RELEASED, map_nbytes - page);
        BO_FORBID(map, map_nbytes - page);
        map = atomic_exchange(&kept[map_nbytes / page - 1], map);
    }
    if (map) {
        BO_ALLOW(map, map_nbytes - page);
        munmap(map, map_nbytes);
    }
    *guarded = (struct bo_guarded){.map = NULL};
}
