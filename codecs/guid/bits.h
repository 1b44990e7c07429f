/* Bit strings of codecs with fingerprints or Elias-Fano codes: fields, and the r-th 1 bit. */
#ifndef GUID_BITS_H
#define GUID_BITS_H

#include "harness/core/bits.h"
#include "harness/core/cpu.h"

enum { GUID_WIDE_NBYTES = 40 }; /* zeros after an encoding, for wide loads */

/*
 * An odd number and its inverse. Multiplication by it maps neighbours to distant numbers, and is
 * reversible.
 */
#define GUID_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define GUID_FACTOR_INVERSE UINT64_C(0xf1de83e19937733d)
_Static_assert(GUID_FACTOR *GUID_FACTOR_INVERSE == 1, "they undo each other");

/* Low bits of the end of a body: 2 more bits of each end are in unary, on average. */
static inline unsigned guid_low_bits(uint32_t n, uint32_t total)
{
    return n && total >= n ? bo_bit_width(total / n) - 1 : 0;
}

static inline uint64_t guid_mask(unsigned n_bits)
{
    return n_bits ? UINT64_MAX >> (64 - n_bits) : 0;
}

static inline void guid_put_wide(struct bo_bit_writer *bits, uint64_t v, unsigned n_bits)
{
    bo_put_bits(bits, (uint32_t)(v & guid_mask(n_bits < 32 ? n_bits : 32)),
                n_bits < 32 ? n_bits : 32);
    if (n_bits > 32)
        bo_put_bits(bits, (uint32_t)(v >> 32), n_bits - 32);
}

static inline void guid_put_unary(struct bo_bit_writer *bits, uint64_t n_zeros)
{
    for (; n_zeros > 31; n_zeros -= 31)
        bo_put_bits(bits, 0, 31);
    bo_put_bits(bits, 1u << n_zeros, (unsigned)n_zeros + 1);
}

/* Up to 57 bits from any bit on; their number is that of the ones in the mask. */
static inline uint64_t guid_bits_at(const uint8_t *p, uint64_t bit, uint64_t mask)
{
    return bo_le64(p + bit / 8) >> bit % 8 & mask;
}

/* Up to 64 bits; reads 9 bytes for more than 57, 8 otherwise. */
static inline uint64_t guid_wide_bits_at(const uint8_t *p, uint64_t bit, unsigned n_bits)
{
    const uint8_t *at = p + bit / 8;
    uint64_t v = bo_le64(at) >> bit % 8;
    if (n_bits > 57 && bit % 8)
        v |= (uint64_t)at[8] << (64 - bit % 8);
    return v & guid_mask(n_bits);
}

/* The position of the r-th (from 0, below 64) 1 bit of the word; 64 if it has at most r. */
static inline unsigned guid_select_portable(uint64_t word, unsigned r)
{
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));
    sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101);
    /* Byte i of sums: the number of 1 bits in bytes 0 to i, at most 64. */
    const uint64_t high = UINT64_C(0x8080808080808080);
    const uint64_t not_above = ((r * UINT64_C(0x0101010101010101) | high) - sums) & high;
    const unsigned place = (unsigned)((not_above >> 7) * UINT64_C(0x0101010101010101) >> 56) * 8;
    if (place == 64)
        return 64;
    r -= (unsigned)(sums << 8 >> place & 0xff);
    uint64_t byte = word >> place & 0xff;
    for (; r; r--)
        byte &= byte - 1;
    return place + (unsigned)__builtin_ctzll(byte);
}

#if defined(__x86_64__)
#include <immintrin.h>
BO_V3 static inline unsigned guid_select_v3(uint64_t word, unsigned r)
{
    return (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << r, word));
}
#else
#define guid_select_v3 guid_select_portable
#endif

#endif
