/* Huffman code lengths. */
#include "harness/coding/huffman.h"

#include <stdbool.h>
#include <stdlib.h>

static int by_weight(const void *a, const void *b)
{
    const struct bo_huffman_leaf *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/*
 * Joins n > 1 sorted leaves. Joined nodes are created in the order of their weights, so the two
 * lightest nodes are always at the heads of two queues. Returns the greatest length.
 */
static unsigned join(const struct bo_huffman_scratch *s, uint32_t n, uint8_t *nbits)
{
    uint64_t *weights = s->weights;
    uint32_t leaf = 0, joined = n, end = n;
    for (uint32_t i = 0; i < n; i++)
        weights[i] = s->leaves[i].weight;
    while (end < 2 * n - 1) {
        uint64_t sum = 0;
        for (unsigned k = 0; k < 2; k++) {
            const bool takes_leaf = leaf < n && (joined == end || weights[leaf] <= weights[joined]);
            const uint32_t node = takes_leaf ? leaf++ : joined++;
            s->parents[node] = end;
            sum += weights[node];
        }
        weights[end++] = sum;
    }
    unsigned most = 0;
    weights[end - 1] = 0; /* from here on, depths */
    for (uint32_t i = end - 1; i-- > 0;) {
        weights[i] = weights[s->parents[i]] + 1;
        most = weights[i] > most ? (unsigned)weights[i] : most;
    }
    for (uint32_t i = 0; i < n; i++)
        nbits[s->leaves[i].symbol] = (uint8_t)weights[i];
    return most;
}

uint32_t bo_huffman_lengths(const uint32_t *uses, uint32_t n_symbols, unsigned max_nbits,
                            const struct bo_huffman_scratch *scratch, uint8_t *nbits_ret)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_symbols; i++) {
        nbits_ret[i] = 0;
        if (uses[i])
            scratch->leaves[n++] = (struct bo_huffman_leaf){uses[i], i};
    }
    if (n < 2)
        return n;
    qsort(scratch->leaves, n, sizeof *scratch->leaves, by_weight);
    /* Flatter weights give shorter words; equal weights give the shortest. */
    while (join(scratch, n, nbits_ret) > max_nbits) {
        for (uint32_t i = 0; i < n; i++)
            scratch->leaves[i].weight = (scratch->leaves[i].weight + 1) / 2;
        qsort(scratch->leaves, n, sizeof *scratch->leaves, by_weight);
    }
    return n;
}
