/*
 * Faster levels above the portable one, chosen at run time: x86-64-v3 (AVX2, BMI2, POPCNT, LZCNT),
 * and AVX-512 with VBMI2 (byte permutes and compresses: Ice Lake, Zen 4 and later).
 *
 * A reader that gains from a level compiles its batch loop once more for it, and asks for each
 * batch what the CPU has.
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
#define BO_VBMI2    \
    __attribute__(( \
        target("arch=x86-64-v3,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")))
static inline bool bo_cpu_has_vbmi2(void)
{
    return bo_cpu_has_v3() && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
}
#else
#define BO_V3
#define BO_VBMI2
static inline bool bo_cpu_has_vbmi2(void)
{
    return false;
}
static inline bool bo_cpu_has_v3(void)
{
    return false;
}
#endif

#endif
