/*
 * Deterministic randomness: a seed gives the same numbers on every machine.
 *
 * There are two kinds of source. A seeded source is an endless generator (SplitMix64). A source
 * with the bytes of a fuzzer returns those bytes and then zeros, so that a generator that reads
 * small numbers as "stop" terminates.
 */
#ifndef BO_RANDOM_H
#define BO_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/core/bytes.h"

struct bo_random {
    uint64_t state;
    struct bo_span entropy; /* p is NULL for a seeded source */
    size_t off;
};

static inline struct bo_random bo_random_seeded(uint64_t seed)
{
    return (struct bo_random){.state = seed};
}

static inline struct bo_random bo_random_from_bytes(struct bo_span entropy)
{
    static const uint8_t none[1];
    if (!entropy.p)
        entropy.p = none;
    return (struct bo_random){.entropy = entropy};
}

/* True when the source can only return zeros. Never true for a seeded one. */
static inline bool bo_random_exhausted(const struct bo_random *r)
{
    return r->entropy.p && r->off == r->entropy.n;
}

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the mixing step. */
static inline uint64_t bo_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t bo_random_bits(struct bo_random *r, unsigned nbytes)
{
    if (!r->entropy.p)
        return bo_mix64(r->state += 0x9e3779b97f4a7c15u) >> (64 - 8 * nbytes);
    uint64_t v = 0;
    for (unsigned i = 0; i < nbytes && r->off < r->entropy.n; i++)
        v |= (uint64_t)r->entropy.p[r->off++] << (8 * i);
    return v;
}

static inline uint8_t bo_random_u8(struct bo_random *r)
{
    return (uint8_t)bo_random_bits(r, 1);
}

static inline uint32_t bo_random_u32(struct bo_random *r)
{
    return (uint32_t)bo_random_bits(r, 4);
}

static inline uint64_t bo_random_u64(struct bo_random *r)
{
    return bo_random_bits(r, 8);
}

/*
 * 0 <= result < bound (bound > 0), uniform enough for workloads. Consumes no more bytes than bound
 * needs.
 */
static inline uint32_t bo_random_below(struct bo_random *r, uint32_t bound)
{
    if (!r->entropy.p)
        return (uint32_t)((bo_random_bits(r, 4) * bound) >> 32);
    const unsigned nbytes = bound <= 1 << 8 ? 1 : bound <= 1 << 16 ? 2 : 4;
    return (uint32_t)(bo_random_bits(r, nbytes) % bound);
}

/* 0 <= result < n (n > 0): an index of an array. */
static inline size_t bo_random_index(struct bo_random *r, size_t n)
{
    return (size_t)(bo_random_u64(r) % n);
}

/* True once in n, on average. */
static inline bool bo_random_one_in(struct bo_random *r, uint32_t n)
{
    return bo_random_below(r, n) == n - 1;
}

/* One in this many generated items is unusual. Bytes of a fuzzer can request more. */
static inline uint32_t bo_random_strangeness(const struct bo_random *r)
{
    return r->entropy.p ? 4 : 64;
}

/*
 * True for one in 16 models, which contain something extreme; *aside_ret is a source from which it
 * is drawn. Nothing is consumed from `r`, so the rest of the model does not change. Never true for
 * a source of zeros.
 */
static inline bool bo_random_extreme(const struct bo_random *r, struct bo_random *aside_ret)
{
    struct bo_random copy = *r;
    *aside_ret = bo_random_seeded(bo_mix64(~bo_random_u64(&copy)));
    return !bo_random_exhausted(r) && bo_random_one_in(aside_ret, 16);
}

/*
 * The same for formats whose extreme models are too slow for a fuzzer: never true for a fuzzer's
 * bytes.
 */
static inline bool bo_random_extreme_seeded(const struct bo_random *r, struct bo_random *aside_ret)
{
    return bo_random_extreme(r, aside_ret) && !r->entropy.p;
}

/*
 * Units (functions, intervals, ...) that an extreme model may have in addition to the requested
 * number.
 */
enum { BO_MAX_EXTREME_UNITS = 10000 };

/* The size of an extreme thing: more than half of `most`, which is even, and at most `most`. */
static inline uint32_t bo_random_extreme_size(struct bo_random *r, uint32_t most)
{
    return most / 2 + 1 + bo_random_below(r, most / 2);
}

/* n - 2 to n + 1: both sides of a limit, such as that of 16 bits. */
static inline uint32_t bo_random_around(struct bo_random *r, uint32_t n)
{
    return n - 2 + bo_random_below(r, 4);
}

#endif
