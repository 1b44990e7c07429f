/*
 * Recursive pairing (Larsson and Moffat, 2000): what grammar_make.c makes a grammar from.
 *
 * A text of symbols becomes shorter by rules for the pairs that occur most often. While a grammar
 * is made, symbols below LPRF_BYTES are bytes; rule r is symbol LPRF_BYTES + r.
 */
#ifndef LPRF_GRAMMAR_PAIRS_H
#define LPRF_GRAMMAR_PAIRS_H

#include "codecs/lprf/grammar.h"

enum { LPRF_BYTES = 256 };

#define LPRF_END_OF_NAME UINT32_MAX /* a symbol that pairs with none */

struct lprf_rules {
    uint32_t (*pairs)[2]; /* of symbols that are older than the rule */
    uint32_t *nbytes;     /* of what it expands to */
    uint32_t n;
    size_t cap, nbytes_cap;
};

static inline uint32_t lprf_symbol_nbytes(const struct lprf_rules *rules, uint32_t symbol)
{
    return symbol < LPRF_BYTES ? 1 : rules->nbytes[symbol - LPRF_BYTES];
}

/* False when the arena refuses. */
bool lprf_add_rule(struct lprf_rules *rules, uint32_t left, uint32_t right, struct bo_arena *arena);

/*
 * Replaces pairs of the *n symbols of `text`, in place, until none occurs twice that makes a phrase
 * of at most LPRF_MAX_PHRASE_NBYTES. False when the arena refuses.
 */
bool lprf_pair_up(uint32_t *text, size_t *n, struct lprf_rules *rules, struct bo_arena *arena);

#endif
