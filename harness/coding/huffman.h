/* Huffman's lengths of a prefix code's words: what formats' own codes are fitted by. */
#ifndef BO_HUFFMAN_H
#define BO_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

struct bo_huffman_leaf {
    uint64_t weight;
    uint32_t symbol;
};

/* Room for n symbols in use: n leaves, and 2 n of the others. */
struct bo_huffman_scratch {
    struct bo_huffman_leaf *leaves;
    uint64_t *weights;
    uint32_t *parents;
};

/*
 * The bits of each symbol's word, at most max_nbits, by how often it occurs; 0 for those that do
 * not, and for one that is alone. 2^max_nbits must be at least the number of symbols. Of equal
 * weights the smaller symbol comes first, and a symbol before what others were joined to, so that
 * the outcome is the same everywhere. Returns how many symbols occur.
 */
uint32_t bo_huffman_lengths(const uint32_t *uses, uint32_t n_symbols, unsigned max_nbits,
                            const struct bo_huffman_scratch *scratch, uint8_t *nbits_ret);

#endif
