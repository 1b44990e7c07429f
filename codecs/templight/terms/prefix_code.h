/*
 * Static prefix codes for alphabets of thousands of symbols, of which a code has only those that
 * occur, and the bits that they are written in. Fitting a code takes n log n steps for n symbols in
 * use.
 *
 * Bits lie most significant first: bit k of a packing is bit 7 - k % 8 of byte k / 8.
 */
#ifndef TEMPLIGHT_PREFIX_CODE_H
#define TEMPLIGHT_PREFIX_CODE_H

#include "harness/core/bits.h"

enum {
    TEMPLIGHT_WORD_BITS = 20,        /* the longest code word */
    TEMPLIGHT_TABLE_BITS = 10,       /* shorter words are read at one blow */
    TEMPLIGHT_MAX_SYMBOLS = 1 << 22, /* of an alphabet */
    /* Classes of numbers: 0, then by the number of bits. */
    TEMPLIGHT_CLASSES = 33,
};

/* ---- writing --------------------------------------------------------------------------------- */

struct templight_bit_writer {
    struct bo_writer *out;
    uint64_t bits; /* the lowest n_bits of it, fewer than 8, are not written yet */
    unsigned n_bits;
};

/* At most 32 bits of v, the rest of which must be 0. */
static inline void templight_put_bits(struct templight_bit_writer *w, uint32_t v, unsigned nbits)
{
    w->bits = w->bits << nbits | v;
    for (w->n_bits += nbits; w->n_bits >= 8; w->n_bits -= 8)
        bo_put_u8(w->out, (uint8_t)(w->bits >> (w->n_bits - 8)));
}

/* Fills up the last byte with zeros. */
static inline void templight_end_bits(struct templight_bit_writer *w)
{
    if (w->n_bits)
        templight_put_bits(w, 0, 8 - w->n_bits);
}

/* v + 1 in Elias's gamma code: its width less 1 as zeros, then v + 1. v < 2^32 - 1. */
void templight_put_gamma(struct templight_bit_writer *w, uint32_t v);

/*
 * Numbers that ascend, or do not descend where `repeats`: gaps in Rice codes. The number of low
 * bits is stored in 5 bits before them. Writes nothing when n is 0.
 */
void templight_put_ascending(struct templight_bit_writer *w, const uint32_t *numbers, size_t n);

struct templight_words {
    uint32_t n_symbols;
    uint8_t *nbits;  /* by symbol; 0: no word */
    uint32_t *words; /* by symbol */
};

/*
 * Words for the symbols below n_symbols, by how often each occurs; 0 times: no word. One symbol
 * alone has a word of one bit. False when the arena refuses.
 */
bool templight_fit_words(const uint32_t *uses, uint32_t n_symbols, struct bo_arena *arena,
                         struct templight_words *words);

/* Appends what templight_read_code reads. False when the arena refuses. */
bool templight_put_code(struct templight_bit_writer *w, const struct templight_words *words,
                        struct bo_arena *arena);

static inline void templight_put_symbol(struct templight_bit_writer *w,
                                        const struct templight_words *words, uint32_t symbol)
{
    templight_put_bits(w, words->words[symbol], words->nbits[symbol]);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Past the end there are zeros; `bit` goes on, and is compared with the end later. */
struct templight_bits {
    const uint8_t *p;
    size_t n;     /* bytes at p that may be read */
    uint64_t bit; /* next, from p */
};

/* The next 57 bits at least, from the highest one on. */
static inline uint64_t templight_peek(const struct templight_bits *in)
{
    const uint64_t byte = in->bit / 8;
    if (__builtin_expect(in->n >= 8 && byte <= in->n - 8, 1))
        return bo_be64(in->p + byte) << in->bit % 8;
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | (byte + i < in->n ? in->p[byte + i] : 0);
    return v << in->bit % 8;
}

/* At most 32 bits. */
static inline uint32_t templight_take_bits(struct templight_bits *in, unsigned nbits)
{
    const uint32_t v = (uint32_t)(templight_peek(in) >> 1 >> (63 - nbits));
    in->bit += nbits;
    return v;
}

static inline bool templight_past_end(const struct templight_bits *in)
{
    return in->bit > 8 * (uint64_t)in->n;
}

/* Whether fewer than 8 bits are left, all of them 0: what fills up a last byte. */
static inline bool templight_is_end(const struct templight_bits *in)
{
    return !templight_past_end(in) && 8 * (uint64_t)in->n - in->bit < 8 && templight_peek(in) == 0;
}

/* False for bits that are not a gamma code. */
bool templight_take_gamma(struct templight_bits *in, uint32_t *v_ret);
bool templight_take_ascending(struct templight_bits *in, uint32_t *numbers, size_t n);

struct templight_code {
    /*
     * by the next TEMPLIGHT_TABLE_BITS: a symbol times 32 and the bits of its word; 0: a longer
     * word
     */
    uint32_t table[1 << TEMPLIGHT_TABLE_BITS];
    uint32_t *symbols; /* in the order of their words */
    /* by length: the first word, how many there are, and how many shorter ones */
    uint32_t first[TEMPLIGHT_WORD_BITS + 1], n_words[TEMPLIGHT_WORD_BITS + 1],
        n_before[TEMPLIGHT_WORD_BITS + 1];
};

/* BO_CORRUPT, without a message, when the bits are not a valid code. */
enum bo_status templight_read_code(struct templight_bits *in, uint32_t n_symbols,
                                   struct bo_arena *arena, struct templight_code *code);

#define TEMPLIGHT_NO_SYMBOL UINT32_MAX

uint32_t templight_take_long_symbol(struct templight_bits *in, const struct templight_code *code);

/* TEMPLIGHT_NO_SYMBOL for bits that are no word. */
static inline uint32_t templight_take_symbol(struct templight_bits *in,
                                             const struct templight_code *code)
{
    const uint32_t entry = code->table[templight_peek(in) >> (64 - TEMPLIGHT_TABLE_BITS)];
    if (__builtin_expect(entry == 0, 0))
        return templight_take_long_symbol(in, code);
    in->bit += entry % 32;
    return entry / 32;
}

/* What follows the class of a number, which is below TEMPLIGHT_CLASSES. */
static inline uint32_t templight_take_rest(struct templight_bits *in, uint32_t class)
{
    return class < 2 ? class : UINT32_C(1) << (class - 1) | templight_take_bits(in, class - 1);
}

static inline void templight_put_rest(struct templight_bit_writer *w, uint32_t v)
{
    const unsigned class = bo_bit_width(v);
    if (class > 1)
        templight_put_bits(w, v - (UINT32_C(1) << (class - 1)), class - 1);
}

#endif
