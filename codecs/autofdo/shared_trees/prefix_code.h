/*
 * Static prefix codes: words for small symbols by their frequency, and classes of numbers as such
 * symbols. One code is used for all symbols of one kind in a file, so that reading can start at any
 * place.
 *
 * Bits lie least significant first (harness/core/bits.h). A code word is read from its first bit
 * on.
 */
#ifndef AUTOFDO_PREFIX_CODE_H
#define AUTOFDO_PREFIX_CODE_H

#include "harness/core/bits.h"

enum {
    AUTOFDO_CODE_BITS = 10,     /* the longest code word */
    AUTOFDO_CODE_SYMBOLS = 192, /* at most, of one code */
    AUTOFDO_EXACT = 16,         /* smaller numbers are their own symbols */
    /* Symbols of numbers: these, then two for each width of 5 to 64 bits. */
    AUTOFDO_NUMBER_SYMBOLS = AUTOFDO_EXACT + 2 * 60,
};

/* ---- numbers as symbols ---------------------------------------------------------------------- */

/*
 * Numbers from AUTOFDO_EXACT on: the symbol codes the width in bits and the second highest bit. The
 * bits below are stored after it.
 */
static inline unsigned autofdo_number_symbol(uint64_t v)
{
    if (v < AUTOFDO_EXACT)
        return (unsigned)v;
    const unsigned width = bo_bit_width(v);
    return AUTOFDO_EXACT + 2 * (width - 5) + (unsigned)(v >> (width - 2) & 1);
}

/* How many bits follow the symbol of a number. */
static inline unsigned autofdo_number_rest(unsigned symbol)
{
    return symbol < AUTOFDO_EXACT ? 0 : (symbol - AUTOFDO_EXACT) / 2 + 3;
}

/* The number whose rest is all zeros. */
static inline uint64_t autofdo_number_base(unsigned symbol)
{
    return symbol < AUTOFDO_EXACT
               ? symbol
               : (uint64_t)(2 + (symbol - AUTOFDO_EXACT) % 2) << autofdo_number_rest(symbol);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct autofdo_code {
    uint32_t uses[AUTOFDO_CODE_SYMBOLS];  /* counted by the encoder */
    unsigned n_symbols;                   /* up to the highest one in use */
    uint8_t nbits[AUTOFDO_CODE_SYMBOLS];  /* 0: no code word */
    uint16_t words[AUTOFDO_CODE_SYMBOLS]; /* the first bit lowest */
};

/*
 * Computes the code from its uses. The only symbol of a code has a word of 0 bits, or of 1 bit if
 * `spends_bits`.
 */
void autofdo_fit_code(struct autofdo_code *code, bool spends_bits);

/* Appends what autofdo_read_code reads. */
void autofdo_put_code(const struct autofdo_code *code, struct bo_bit_writer *bits);

static inline void autofdo_put_symbol(struct bo_bit_writer *bits, const struct autofdo_code *code,
                                      unsigned symbol)
{
    bo_put_bits(bits, code->words[symbol], code->nbits[symbol]);
}

/* Bits put so far, from the writer's start. */
static inline uint64_t autofdo_bits_put(const struct bo_bit_writer *bits)
{
    return 8 * (uint64_t)bits->out->n - (bits->used ? 8 - bits->used : 0);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Bits of a file from the front. Past the end there are zeros; `bit` goes on. */
struct autofdo_bits {
    const uint8_t *p;
    size_t n;     /* bytes at p that may be read */
    uint64_t bit; /* next, from p */
};

/* The next 57 bits at least. */
static inline uint64_t autofdo_peek(const struct autofdo_bits *in)
{
    const uint64_t byte = in->bit / 8;
    if (__builtin_expect(byte + 8 <= in->n, 1))
        return bo_le64(in->p + byte) >> in->bit % 8;
    uint64_t v = 0;
    for (unsigned i = 0; i < 8 && byte + i < in->n; i++)
        v |= (uint64_t)in->p[byte + i] << 8 * i;
    return v >> in->bit % 8;
}

/* At most 57 bits. */
static inline uint64_t autofdo_take_bits(struct autofdo_bits *in, unsigned nbits)
{
    const uint64_t v = autofdo_peek(in) & ((UINT64_C(1) << nbits) - 1);
    in->bit += nbits;
    return v;
}

enum { AUTOFDO_NO_SYMBOL = 255 };

/* By the next bits, as many as in the longest word: the symbol, and the bits of its word. */
struct autofdo_table {
    uint32_t mask; /* of these bits */
    struct {
        uint8_t symbol, nbits;
    } words[1 << AUTOFDO_CODE_BITS];
};

/*
 * Reads a code for symbols from first_symbol (0 or 1) to max_symbols - 1 and builds its table.
 * False, with `in` at the offset of the error, when the code is invalid: a symbol that is out of
 * range, code words that do not fill the code space, or a last symbol without a code word.
 */
bool autofdo_read_code(struct autofdo_bits *in, unsigned first_symbol, unsigned max_symbols,
                       bool spends_bits, struct autofdo_table *table);

/* AUTOFDO_NO_SYMBOL when the bits match no code word; then the caller fails. */
static inline unsigned autofdo_take_symbol(struct autofdo_bits *in,
                                           const struct autofdo_table *table)
{
    const unsigned word = (unsigned)autofdo_peek(in) & table->mask;
    in->bit += table->words[word].nbits;
    return table->words[word].symbol;
}

/* What follows a number's symbol, which is below AUTOFDO_NUMBER_SYMBOLS. */
static inline uint64_t autofdo_take_rest(struct autofdo_bits *in, unsigned symbol)
{
    if (symbol < AUTOFDO_EXACT)
        return symbol;
    const unsigned rest = autofdo_number_rest(symbol);
    uint64_t v = 0;
    if (__builtin_expect(rest > 32, 0)) {
        v = autofdo_take_bits(in, 32);
        return autofdo_number_base(symbol) | v | autofdo_take_bits(in, rest - 32) << 32;
    }
    return autofdo_number_base(symbol) | autofdo_take_bits(in, rest);
}

/* False if the bits are not a valid number. */
static inline bool autofdo_take_number(struct autofdo_bits *in, const struct autofdo_table *table,
                                       uint64_t *v_ret)
{
    const unsigned symbol = autofdo_take_symbol(in, table);
    if (symbol == AUTOFDO_NO_SYMBOL)
        return false;
    *v_ret = autofdo_take_rest(in, symbol);
    return true;
}

#endif
