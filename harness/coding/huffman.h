/* Huffman code lengths, for the prefix codes of formats. */
#ifndef BO_HUFFMAN_H
#define BO_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

struct bo_huffman_leaf {
    uint64_t weight;
    uint32_t symbol;
};

/* Scratch memory for n used symbols: n leaves and 2 n elements of the other arrays. */
struct bo_huffman_scratch {
    struct bo_huffman_leaf *leaves;
    uint64_t *weights;
    uint32_t *parents;
};

/*
 * Computes the length in bits of each symbol's word, at most max_nbits, from the symbols'
 * frequencies. The length is 0 for unused symbols and for a symbol that is alone. 2^max_nbits must
 * be at least the number of symbols. Among equal weights the smaller symbol comes first, and a
 * symbol precedes a joined node, so the result is the same everywhere. Returns the number of used
 * symbols.
 */
uint32_t bo_huffman_lengths(const uint32_t *uses, uint32_t n_symbols, unsigned max_nbits,
                            const struct bo_huffman_scratch *scratch, uint8_t *nbits_ret);

#endif
