/*
 * Numbers coded bit by bit with a range coder, each bit predicted in several contexts at once. One
 * struct serves both directions: the same function encodes and decodes a number.
 */
#ifndef STATEHIST_MIXED_CODER_H
#define STATEHIST_MIXED_CODER_H

#include "harness/coding/mixing.h"
#include "harness/coding/range_coder.h"

enum {
    MIXED_CONTEXTS = 8,                    /* at most, of one number */
    MIXED_INPUTS = 2 * MIXED_CONTEXTS + 8, /* one more than two of each; and whole vectors */
    MIXED_MAX_KINDS = 12,
    MIXED_NODES = 128,    /* sets of weights of one kind, by node, and by what contexts have seen */
    MIXED_MIN_TABLE = 10, /* bits of a counter's number */
    MIXED_MAX_TABLE = 22,
};

struct mixed_coder {
    struct bo_range_coder range;
    struct bo_mixing mixing;
    bo_counter *counters; /* by hash of context and node */
    unsigned table_bits;
    int32_t *weights[BO_MIX_SETS];
    const char *flaw; /* reading: what is wrong with a number; NULL so far */
    bool has_v3;      /* the CPU is of x86-64-v3 */
};

/* What a number is predicted from. */
struct mixed_contexts {
    unsigned kind; /* what sort of number it is */
    unsigned n;
    uint64_t hashes[MIXED_CONTEXTS];
};

/* False when the arena refuses. The range coder is the caller's to set. */
bool mixed_init(struct mixed_coder *coder, unsigned table_bits, unsigned n_kinds,
                struct bo_arena *arena);

static inline uint64_t mixed_hash(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 29;
}

static inline void mixed_add(struct mixed_contexts *contexts, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t kind = (uint64_t)contexts->kind << 8 | contexts->n;
    contexts->hashes[contexts->n++] =
        mixed_hash(mixed_hash(mixed_hash(kind + 1, a + 1), b + 1), c + 1);
}

/* Each of these encodes its last argument, or decodes a value and ignores it. Returns the value. */
bool mixed_bit(struct mixed_coder *coder, const struct mixed_contexts *contexts, uint64_t node,
               unsigned set, bool bit);
uint32_t mixed_symbol(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned nbits, uint32_t symbol);

enum { MIXED_MAX_MODELLED = 24 };

/*
 * Any number: its width first, then the bits below the highest, of which n_modelled, at most
 * MIXED_MAX_MODELLED, are predicted and the others are as good as random.
 */
uint64_t mixed_number(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                      unsigned n_modelled, uint64_t number);

/* The same, for CPUs of x86-64-v3. */
bool mixed_bit_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts, uint64_t node,
                  unsigned set, bool bit);
uint32_t mixed_symbol_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                         unsigned nbits, uint32_t symbol);
uint64_t mixed_number_v3(struct mixed_coder *coder, const struct mixed_contexts *contexts,
                         unsigned n_modelled, uint64_t number);

#endif
