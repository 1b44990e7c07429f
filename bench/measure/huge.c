/* Huge pages. */
#include "bench/measure/huge.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/core/arena.h"

bool bo_huge_allowed(void)
{
    char modes[64] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    const bool known = file && fgets(modes, sizeof modes, file);
    if (file)
        fclose(file);
    return known && !strstr(modes, "[never]");
}

void bo_huge_forbid(void)
{
    /* kernels without huge pages refuse this, which is harmless */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

size_t bo_huge_round(size_t nbytes)
{
    return (nbytes + BO_HUGE_PAGE - 1) / BO_HUGE_PAGE * BO_HUGE_PAGE;
}

uint8_t *bo_huge_map(size_t nbytes)
{
    if (nbytes > SIZE_MAX - 2 * BO_HUGE_PAGE)
        return NULL;
    const size_t whole = bo_huge_round(nbytes);
    uint8_t *p = mmap(NULL, whole + BO_HUGE_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    p += -(uintptr_t)p % BO_HUGE_PAGE;
    madvise(p, whole, MADV_HUGEPAGE);
    return p;
}

void bo_huge_return(const void *p, size_t nbytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint8_t *start = (uint8_t *)(uintptr_t)p + -(uintptr_t)p % page; /* for madvise only */
    const uint8_t *end = (const uint8_t *)p + nbytes;
    if (start + page > end)
        return;
    nbytes = (size_t)(end - start) / page * page;
    madvise(start, nbytes, MADV_DONTNEED);
    madvise(start, nbytes, MADV_NOHUGEPAGE);
}

/* The flags of a mapping follow its counts; "hg" is MADV_HUGEPAGE (proc_pid_smaps(5)). */
uint64_t bo_huge_nbytes_in(FILE *smaps)
{
    char line[512];
    uint64_t sum = 0, kib = 0;
    while (fgets(line, sizeof line, smaps)) {
        sscanf(line, "AnonHugePages: %" SCNu64, &kib);
        if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg "))
            sum += kib << 10;
    }
    return sum;
}

uint64_t bo_huge_nbytes(void)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    const uint64_t sum = smaps ? bo_huge_nbytes_in(smaps) : 0;
    if (smaps)
        fclose(smaps);
    return sum;
}
