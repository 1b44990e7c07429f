/* Guarded copies. */
#include "harness/core/guard.h"

#include <sys/mman.h>
#include <unistd.h>

bool bo_guarded_copy(struct bo_span from, struct bo_guarded *guarded_ret)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (from.n > SIZE_MAX - 2 * page)
        return false;
    const size_t body = (from.n + page - 1) / page * page;
    uint8_t *map =
        mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map + body, page, PROT_NONE)) {
        munmap(map, body + page);
        return false;
    }
    uint8_t *p = map + body - from.n;
    if (from.n)
        memcpy(p, from.p, from.n);
    *guarded_ret = (struct bo_guarded){{p, from.n}, map, body + page};
    return true;
}

void bo_guarded_free(struct bo_guarded *guarded)
{
    if (guarded->map)
        munmap(guarded->map, guarded->map_nbytes);
    *guarded = (struct bo_guarded){.map = NULL};
}
