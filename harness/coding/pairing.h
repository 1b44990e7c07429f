/*
 * Recursive pairing (Larsson and Moffat, 2000): shortens a text of symbols with rules for its most
 * frequent pairs.
 *
 * Symbols below n_terminals are the caller's own (bytes, ids); rule r is symbol n_terminals + r.
 */
#ifndef BO_PAIRING_H
#define BO_PAIRING_H

#include "harness/core/bytes.h"

/*
 * Texts of symbols. Each is stored without the prefix that it shares with the text before: a head,
 * then the symbols after that prefix. Sorted texts need a fraction of the memory.
 */
struct bo_symbol_texts {
    uint32_t *words;
    size_t n, cap;  /* words */
    size_t n_texts; /* heads */
    size_t longest; /* symbols of a text, shared ones included */
};

#define BO_TEXT_HEAD UINT32_C(0x80000000)   /* plus the length of the shared prefix, in symbols */
#define BO_TEXT_COUNTS UINT32_C(0x40000000) /* a flag beside a symbol, for bo_pair_up */

static inline uint32_t bo_text_symbol(uint32_t word)
{
    return word & ~BO_TEXT_COUNTS;
}

struct bo_rules {
    uint32_t n_terminals;
    uint32_t max_size;    /* the largest expansion of a rule, in terminals */
    uint32_t (*pairs)[2]; /* the left and right symbol of each rule, both older than the rule */
    uint32_t *sizes;      /* the number of terminals that each rule expands to */
    uint32_t n;
    size_t cap, sizes_cap;
};

static inline uint32_t bo_symbol_size(const struct bo_rules *rules, uint32_t symbol)
{
    return symbol < rules->n_terminals ? 1 : rules->sizes[symbol - rules->n_terminals];
}

/* False when the arena refuses. */
bool bo_add_rule(struct bo_rules *rules, uint32_t left, uint32_t right, struct bo_arena *arena);

/*
 * Replaces pairs of symbols of the texts, in place, until no pair that may become a rule occurs
 * twice, or for max_rounds. A round replaces all pairs with at least least_part / 256 of the
 * highest count. Needs one table of pairs besides the texts. False when the arena refuses.
 */
bool bo_pair_up(struct bo_symbol_texts *texts, struct bo_rules *rules, unsigned least_part,
                unsigned max_rounds, struct bo_arena *arena);

#endif
