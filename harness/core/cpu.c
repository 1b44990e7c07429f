/* Detects the processor's level, and reads the cap. */
#include "harness/core/cpu.h"

#include <stdlib.h>
#include <string.h>

enum { N_LEVELS = 4 };

/* The level of the cap; N_LEVELS without a cap, 0 if the variable has an invalid value. */
static unsigned read_cap(const char *cap)
{
    return !cap || !*cap ? N_LEVELS
           : cap[0] == 'v' && cap[1] >= '1' && cap[1] <= '0' + N_LEVELS && !cap[2]
               ? (unsigned)(cap[1] - '0')
               : 0;
}

const char *bo_cpu_bad_cap(void)
{
    const char *cap = getenv("BAKEOFF_ISA");
    return read_cap(cap) ? NULL : cap;
}

unsigned bo_cpu_own_level(void)
{
    unsigned level = 1;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
        level = 2;
    if (level == 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        level = 3;
    if (level == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        level = 4;
#endif
    return level;
}

/* The bits of paths that may be used, and above them the level. */
enum { PATH_NBITS = 2, KNOWN = 1 << 8 };

unsigned bo_cpu_chosen;

unsigned bo_cpu_choose(void)
{
    const unsigned cap = read_cap(getenv("BAKEOFF_ISA")), own = bo_cpu_own_level();
    const unsigned level = cap >= own ? own : cap ? cap : 1;
    unsigned chosen = KNOWN | level << PATH_NBITS;
#if defined(__x86_64__)
    if (level >= 3)
        chosen |= BO_PATH_V3;
    if (level >= 4 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        chosen |= BO_PATH_VBMI2;
#endif
    __atomic_store_n(&bo_cpu_chosen, chosen, __ATOMIC_RELAXED);
    return chosen;
}

void bo_cpu_use_portable(void)
{
    __atomic_store_n(&bo_cpu_chosen, KNOWN | 1 << PATH_NBITS, __ATOMIC_RELAXED);
}

unsigned bo_cpu_level(void)
{
    return (bo_cpu_paths() & (KNOWN - 1)) >> PATH_NBITS;
}

const char *bo_cpu_path(unsigned paths)
{
    return paths & BO_PATH_VBMI2 && bo_cpu_has_vbmi2() ? "x86-64-v4+vbmi2"
           : paths & BO_PATH_V3 && bo_cpu_has_v3()     ? "x86-64-v3"
                                                       : "portable";
}
