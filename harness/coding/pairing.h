/*
 * Recursive pairing (Larsson and Moffat, 2000): shortens a text of symbols with rules for its most
 * frequent pairs.
 *
 * Symbols below n_terminals are the caller's own (bytes, ids); rule r is symbol n_terminals + r.
 */
#ifndef BO_PAIRING_H
#define BO_PAIRING_H

#include "harness/core/bytes.h"

#define BO_PAIRING_END UINT32_MAX /* a symbol that never becomes part of a pair */

struct bo_rules {
    uint32_t n_terminals;
    uint32_t max_size;    /* the largest expansion of a rule, in terminals */
    uint32_t (*pairs)[2]; /* pairs of symbols that are older than the rule */
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
 * Replaces pairs of the *n symbols of `text`, in place, until no pair that may become a rule occurs
 * twice. Needs one table of pairs besides the text. False when the arena refuses.
 */
bool bo_pair_up(uint32_t *text, size_t *n, struct bo_rules *rules, struct bo_arena *arena);

#endif
