/*
 * Recursive pairing (Larsson and Moffat, 2000): a text of symbols becomes shorter by rules for the
 * pairs that occur most often.
 *
 * Symbols below n_terminals are the caller's own (bytes, ids); rule r is symbol n_terminals + r.
 */
#ifndef BO_PAIRING_H
#define BO_PAIRING_H

#include "harness/core/bytes.h"

#define BO_PAIRING_END UINT32_MAX /* a symbol that pairs with none */

struct bo_rules {
    uint32_t n_terminals;
    uint32_t max_size;    /* that a rule may expand to */
    uint32_t (*pairs)[2]; /* of symbols that are older than the rule */
    uint32_t *sizes;      /* terminals that each rule expands to */
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
 * Replaces pairs of the *n symbols of `text`, in place, until none occurs twice that may make a
 * rule. Takes one table of pairs beside the text. False when the arena refuses.
 */
bool bo_pair_up(uint32_t *text, size_t *n, struct bo_rules *rules, struct bo_arena *arena);

#endif
