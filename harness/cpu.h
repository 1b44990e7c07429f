/*
 * One faster level above the portable one: x86-64-v3 (AVX2, BMI2, POPCNT, LZCNT), chosen at run time.
 *
 * A reader that gains from it compiles its batch loop twice, once with BO_V3, and asks bo_cpu_has_v3() for each batch.
 */
#ifndef BO_CPU_H
#define BO_CPU_H

#include <stdbool.h>

#if defined(__x86_64__)
#define BO_V3 __attribute__((target("arch=x86-64-v3")))
static inline bool bo_cpu_has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}
#else
#define BO_V3
static inline bool bo_cpu_has_v3(void)
{
    return false;
}
#endif

#endif
