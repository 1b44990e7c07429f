/*
 * Symbols, numbers and texts predicted from their contexts, on top of the range coder.
 *
 * A symbol is a number with any meaning, for example the index of a name. Each context remembers
 * the last symbols that followed it; these are the candidates. One bit for each candidate states
 * whether it is the symbol. This bit is predicted from the evidence of all contexts for the
 * candidate. Hints are candidates that come from the structure of the data. How often a hint was
 * right is counted by its key, not by its symbol.
 *
 * Every function here serves both directions, like bo_range_code: it encodes its argument and
 * returns it, or decodes a value and returns that. coding.md specifies the format.
 */
#ifndef BO_CONTEXT_MODEL_H
#define BO_CONTEXT_MODEL_H

#include "harness/coding/mixing.h"
#include "harness/coding/range_coder.h"

enum {
    BO_GUESS_CONTEXTS = 9, /* contexts of a symbol, at most */
    BO_GUESS_HINTS = 14,
    BO_GUESS_SELECTORS = 32,
    BO_GUESS_REMEMBERED = 3, /* symbols that a slot remembers */
    BO_GUESS_LISTED = 16,    /* candidates in the list */
    BO_GUESS_TEXT_START = 8, /* zeros before the first text */
};

#define BO_GUESS_NEW UINT32_MAX         /* a symbol that has no number yet */
#define BO_GUESS_OTHER (UINT32_MAX - 1) /* a symbol that is not in the list */

/* The symbols that have followed a context. */
struct bo_guess_slot {
    uint32_t check;                        /* check bits of the context's hash; 0: empty */
    uint32_t symbols[BO_GUESS_REMEMBERED]; /* the latest first; n of them */
    uint8_t hits[BO_GUESS_REMEMBERED];
    uint8_t n;
    bo_counter escape; /* probability that the symbol is not a remembered one */
};

struct bo_guess_site; /* statistics of one site: one place of the data where a symbol is coded */

struct bo_guesser {
    struct bo_mixing mixing;
    struct bo_guess_site *sites;
    struct bo_arena *arena;
    /* Tables indexed by hash, in pages that are allocated at first use; NULL before. */
    struct bo_guess_slot **slots;
    bo_counter **counters;
    unsigned slot_bits, counter_shift; /* a counter's place is its hash's upper bits */
    /* Used for entries whose page the arena refuses; the results are then meaningless. */
    struct bo_guess_slot spare_slot;
    bo_counter spare_counter;
    bool no_memory;
    uint8_t *history; /* zeros, then all texts so far, each with a NUL after it */
    uint32_t n_history;
    uint32_t n_left;   /* bytes left for further texts, including their NULs */
    uint32_t *matches; /* the latest position in the history of each four bytes, indexed by hash */
    unsigned match_bits;
    const char *flaw; /* decoding: the first invalid value that was read, as a phrase, or NULL */
};

/*
 * Initialises a guesser for n_sites sites and about n_units symbols, which determine the sizes of
 * the tables, and for at most n_text bytes of texts including their NULs. `history` has room for
 * these and BO_GUESS_TEXT_START bytes. False when the arena refuses. Later functions allocate the
 * tables' pages there, and set no_memory when it refuses.
 */
bool bo_guesser_init(struct bo_guesser *guesser, unsigned n_sites, uint64_t n_units,
                     uint8_t *history, uint32_t n_text, struct bo_arena *arena);

/* Combines two numbers to one hash. */
static inline uint64_t bo_pair_hash(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 32;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* A symbol to be coded, with its contexts and hints. */
struct bo_guess {
    unsigned site, selector; /* the selector chooses the weights for new symbols */
    uint32_t n_symbols;      /* symbols below this number are known */
    uint32_t always;         /* a symbol that is always the last candidate, or BO_GUESS_NEW */
    unsigned n_contexts, n_hints;
    uint64_t contexts[BO_GUESS_CONTEXTS]; /* shortest context first */
    uint32_t hints[BO_GUESS_HINTS];
    uint64_t keys[BO_GUESS_HINTS];
    struct bo_guess_slot *slots[BO_GUESS_CONTEXTS];
    uint32_t listed[BO_GUESS_LISTED]; /* set by coding: the n_listed candidates */
    unsigned n_listed;
};

static inline struct bo_guess bo_guess(unsigned site, uint32_t n_symbols)
{
    return (struct bo_guess){.site = site, .n_symbols = n_symbols, .always = BO_GUESS_NEW};
}

static inline void bo_guess_context(struct bo_guess *guess, uint64_t context)
{
    guess->contexts[guess->n_contexts++] = context;
}

/* Adds a hint. Unknown symbols are ignored. */
static inline void bo_guess_hint(struct bo_guess *guess, uint32_t symbol, uint64_t key)
{
    guess->hints[guess->n_hints] = symbol;
    guess->keys[guess->n_hints++] = key;
}

/* True when the symbol is one of the candidates, so it must not be coded in another way. */
static inline bool bo_guess_is_listed(const struct bo_guess *guess, uint32_t symbol)
{
    for (unsigned i = 0; i < guess->n_listed; i++)
        if (guess->listed[i] == symbol)
            return true;
    return false;
}

/* Codes a symbol below n_symbols, or BO_GUESS_OTHER when it is not in the list. */
uint32_t bo_guess_listed(struct bo_guesser *guesser, struct bo_range_coder *coder,
                         struct bo_guess *guess, uint32_t symbol);

/* Codes a symbol below n_symbols, or BO_GUESS_NEW. */
uint32_t bo_guess_symbol(struct bo_guesser *guesser, struct bo_range_coder *coder,
                         struct bo_guess *guess, uint32_t symbol);

/* Updates the model with the actual symbol. */
void bo_guess_learn(struct bo_guesser *guesser, const struct bo_guess *guess, uint32_t symbol);

/* The same for a new symbol, with the number that it was given. Hints are not updated. */
void bo_guess_learn_new(struct bo_guesser *guesser, unsigned site, const uint64_t *contexts,
                        unsigned n_contexts, uint32_t symbol);

/* ---- numbers and texts ----------------------------------------------------------------------- */

/* Codes the n_bits (at most 32) lowest bits of v. */
uint32_t bo_guess_bits(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                       const uint64_t *contexts, unsigned n_contexts, unsigned n_bits, uint32_t v);

/* Codes any number. Small numbers take few bits. */
uint64_t bo_guess_number(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                         const uint64_t *contexts, unsigned n_contexts, uint64_t v);

/*
 * Codes a text that ends at its NUL number n_nuls + 1, which is not part of it. The context gives
 * the sort of text. The result points into the history. When the history is full, `flaw` is set.
 */
struct bo_span bo_guess_text(struct bo_guesser *guesser, struct bo_range_coder *coder,
                             unsigned site, uint64_t context, uint32_t n_nuls, struct bo_span text);

#endif
