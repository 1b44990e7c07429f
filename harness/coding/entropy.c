/* Order-0 entropy of numbers and of bytes. */
#include "harness/coding/entropy.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Bits that `count` of n symbols take together. */
static double symbol_nbits(uint64_t count, uint64_t n)
{
    return (double)count * log2((double)n / (double)count);
}

double bo_order0_nbits(uint64_t *numbers, size_t n)
{
    double nbits = 0;
    if (n)
        qsort(numbers, n, sizeof *numbers, compare_numbers);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && numbers[j] == numbers[i]; j++)
            ;
        nbits += symbol_nbits(j - i, n);
    }
    return nbits;
}

void bo_count_bytes(struct bo_byte_counts *counts, struct bo_span bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        counts->n[bytes.p[i]]++;
}

double bo_bytes_nbits(const struct bo_byte_counts *counts)
{
    uint64_t n = 0;
    double nbits = 0;
    for (unsigned byte = 0; byte < 256; byte++)
        n += counts->n[byte];
    for (unsigned byte = 0; byte < 256; byte++)
        if (counts->n[byte])
            nbits += symbol_nbits(counts->n[byte], n);
    return nbits;
}
