/*
 * Faster levels above the portable one, chosen at run time: x86-64-v3 (AVX2, BMI2, POPCNT, LZCNT),
 * and AVX-512 with VBMI2 (byte permutes and compresses: Ice Lake, Zen 4 and later).
 *
 * A reader that benefits from a level compiles its batch loop once more for it, and checks for each
 * batch which level the processor has. The environment variable BAKEOFF_ISA (v1, v2, v3, v4) caps
 * the level.
 */
#ifndef BO_CPU_H
#define BO_CPU_H

#include <stdbool.h>

/*
 * The level of x86-64 in use, 1 to 4: the processor's, or the cap if that is lower. 1 on other
 * processors.
 */
unsigned bo_cpu_level(void);

/* The processor's own level. */
unsigned bo_cpu_own_level(void);

/* The value of BAKEOFF_ISA if it is not one of v1 to v4, in which case v1 applies; else NULL. */
const char *bo_cpu_bad_cap(void);

/* Code paths of codecs besides the portable one: bits of bo_codec.paths. */
enum { BO_PATH_V3 = 1, BO_PATH_VBMI2 = 2 };

/* The best of these paths that the level permits: "x86-64-v4+vbmi2", "x86-64-v3", "portable". */
const char *bo_cpu_path(unsigned paths);

#if defined(__x86_64__)
#define BO_V3 __attribute__((target("arch=x86-64-v3")))
/* For functions that are compiled for a level. */
#if defined(__clang__)
#define BO_V3_BEGIN \
    _Pragma(        \
        "clang attribute push(__attribute__((target(\"arch=x86-64-v3\"))), apply_to = function)")
#define BO_V3_END _Pragma("clang attribute pop")
#else
#define BO_V3_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"arch=x86-64-v3\")")
#define BO_V3_END _Pragma("GCC pop_options")
#endif
#define BO_VBMI2    \
    __attribute__(( \
        target("arch=x86-64-v3,avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2")))
#else
#define BO_V3
#define BO_V3_BEGIN
#define BO_V3_END
#define BO_VBMI2
#endif

/*
 * The paths that may be used, and bits above them that belong to no path. Set at the first call,
 * for all threads; 0 before.
 */
extern unsigned bo_cpu_chosen;
unsigned bo_cpu_choose(void);

/* Restricts this process to the portable paths. No reader may be open. */
void bo_cpu_use_portable(void);

static inline unsigned bo_cpu_paths(void)
{
    const unsigned paths = __atomic_load_n(&bo_cpu_chosen, __ATOMIC_RELAXED);
    return __builtin_expect(paths != 0, 1) ? paths : bo_cpu_choose();
}

/* True when a level may be used: the processor has it, and no cap forbids it. */
static inline bool bo_cpu_has_v3(void)
{
    return bo_cpu_paths() & BO_PATH_V3;
}

static inline bool bo_cpu_has_vbmi2(void)
{
    return bo_cpu_paths() & BO_PATH_VBMI2;
}

#endif
