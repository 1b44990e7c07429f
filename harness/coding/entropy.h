/*
 * Order-0 entropy: what symbols take in a code that is fitted to their frequencies and knows
 * nothing else. Formats make their entropy floors of it.
 */
#ifndef BO_ENTROPY_H
#define BO_ENTROPY_H

#include "harness/core/bytes.h"

/* Bits that n numbers take; sorts them. */
double bo_order0_nbits(uint64_t *numbers, size_t n);

/* How often each byte is there. */
struct bo_byte_counts {
    uint64_t n[256];
};

void bo_count_bytes(struct bo_byte_counts *counts, struct bo_span bytes);

/* Bits that all counted bytes take. */
double bo_bytes_nbits(const struct bo_byte_counts *counts);

#endif
