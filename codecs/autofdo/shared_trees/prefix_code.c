/* Making, writing and reading prefix codes. */
#include "codecs/autofdo/shared_trees/prefix_code.h"

#include "harness/coding/huffman.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* Words in canonical order: by length, then by symbol. Bits of a word come highest first. */
static void assign_words(const uint8_t *nbits, unsigned n_symbols, uint16_t *words)
{
    unsigned next[AUTOFDO_CODE_BITS + 2] = {0}; /* first the numbers of words, one length further */
    for (unsigned symbol = 0; symbol < n_symbols; symbol++)
        next[nbits[symbol] + 1]++;
    next[1] = 0;
    for (unsigned length = 2; length <= AUTOFDO_CODE_BITS; length++)
        next[length] = (next[length] + next[length - 1]) << 1;
    for (unsigned symbol = 0; symbol < n_symbols; symbol++) {
        const unsigned length = nbits[symbol];
        if (length == 0)
            continue;
        const unsigned word = next[length]++;
        words[symbol] = 0;
        for (unsigned i = 0; i < length; i++)
            words[symbol] |= (uint16_t)((word >> i & 1) << (length - 1 - i));
    }
}

void autofdo_fit_code(struct autofdo_code *code, bool spends_bits)
{
    struct bo_huffman_leaf leaves[AUTOFDO_CODE_SYMBOLS];
    uint64_t weights[2 * AUTOFDO_CODE_SYMBOLS];
    uint32_t parents[2 * AUTOFDO_CODE_SYMBOLS];
    const struct bo_huffman_scratch scratch = {leaves, weights, parents};
    const uint32_t n_used = bo_huffman_lengths(code->uses, AUTOFDO_CODE_SYMBOLS, AUTOFDO_CODE_BITS,
                                               &scratch, code->nbits);
    code->n_symbols = AUTOFDO_CODE_SYMBOLS;
    while (code->n_symbols && !code->uses[code->n_symbols - 1])
        code->n_symbols--;
    if (n_used > 1) {
        assign_words(code->nbits, code->n_symbols, code->words);
        return;
    }
    if (n_used && spends_bits)
        code->nbits[code->n_symbols - 1] = 1;
    code->words[n_used ? code->n_symbols - 1 : 0] = 0;
}

/* ---- a code in a file ------------------------------------------------------------------------ */

enum {
    COUNT_BITS = 8,   /* of the number of symbols */
    MORE_BITS = 4,    /* of how many further symbols have no word, after two */
    FIRST_LENGTH = 5, /* that the first length is compared with */
    /* how a length differs from the one before: not, no word, then by 1, -1, 2, -2, ... */
    SAME = 0,
    NO_WORD = 1,
    MAX_STEP = 2 * AUTOFDO_CODE_BITS + 1,
};

/* How many of the next symbols, at most `most`, have no word. */
static unsigned without_word(const uint8_t *nbits, unsigned most)
{
    unsigned n = 0;
    while (n < most && nbits[n] == 0)
        n++;
    return n;
}

static void put_ones(struct bo_bit_writer *bits, unsigned n)
{
    for (; n; n--)
        bo_put_bits(bits, 1, 1);
    bo_put_bits(bits, 0, 1);
}

void autofdo_put_code(const struct autofdo_code *code, struct bo_bit_writer *bits)
{
    int last = FIRST_LENGTH;
    unsigned n_without = 0; /* in a row */
    bo_put_bits(bits, code->n_symbols, COUNT_BITS);
    for (unsigned i = 0; i < code->n_symbols; i++) {
        /* the last symbol has a word; alone, it counts as 1 bit even when it takes none */
        const bool is_last = i + 1 == code->n_symbols;
        const int length = is_last && code->nbits[i] == 0 ? 1 : code->nbits[i];
        if (length) {
            put_ones(bits, length == last  ? SAME
                           : length > last ? 2 * (unsigned)(length - last)
                                           : 2 * (unsigned)(last - length) + 1);
            last = length;
            n_without = 0;
        } else {
            put_ones(bits, NO_WORD);
            if (++n_without == 2) {
                const unsigned left = code->n_symbols - 2 - i;
                const unsigned more = without_word(code->nbits + i + 1, left < 15 ? left : 15);
                bo_put_bits(bits, more, MORE_BITS);
                i += more;
                n_without = 0;
            }
        }
    }
}

/* Reads the length of a word, stored relative to *last; *length_ret is 0 for no word. */
static bool take_length(struct autofdo_bits *in, int *last, uint8_t *length_ret)
{
    const uint32_t zeros = ~(uint32_t)autofdo_peek(in);
    const unsigned step = zeros ? (unsigned)__builtin_ctz(zeros) : 32;
    if (step > MAX_STEP)
        return false;
    in->bit += step + 1;
    *length_ret = 0;
    if (step == NO_WORD)
        return true;
    *last += step % 2 ? -(int)(step / 2) : (int)(step / 2);
    if (*last < 1 || *last > AUTOFDO_CODE_BITS)
        return false;
    *length_ret = (uint8_t)*last;
    return true;
}

static bool read_lengths(struct autofdo_bits *in, unsigned n_symbols, uint8_t *nbits)
{
    int last = FIRST_LENGTH;
    unsigned n_without = 0;
    memset(nbits, 0, AUTOFDO_CODE_SYMBOLS);
    for (unsigned i = 0; i < n_symbols; i++) {
        if (!take_length(in, &last, &nbits[i]))
            return false;
        n_without = nbits[i] ? 0 : n_without + 1;
        if (n_without == 2) {
            i += (unsigned)autofdo_take_bits(in, MORE_BITS);
            n_without = 0;
        }
    }
    return n_symbols == 0 || nbits[n_symbols - 1];
}

/* Appends a copy of the first n entries. */
static void double_table(struct autofdo_table *table, unsigned n)
{
    memcpy(table->words + n, table->words, n * sizeof *table->words);
}

/* Sorts the symbols that have words by the words' lengths. Returns how many there are. */
static unsigned sort_symbols(const uint8_t *nbits, unsigned n_symbols, uint8_t *sorted)
{
    unsigned next[AUTOFDO_CODE_BITS + 2] = {0};
    for (unsigned i = 0; i < n_symbols; i++)
        next[nbits[i] + 1]++;
    next[1] = 0; /* symbols without a word are not counted */
    for (unsigned length = 2; length <= AUTOFDO_CODE_BITS + 1; length++)
        next[length] += next[length - 1];
    for (unsigned i = 0; i < n_symbols; i++)
        if (nbits[i])
            sorted[next[nbits[i]]++] = (uint8_t)i;
    return next[AUTOFDO_CODE_BITS];
}

/*
 * Fills the table of a complete code. The table starts as that of the shortest words and is doubled
 * for each length more, so a symbol is stored once. `word` is the next word, its first bit lowest:
 * adding 1 to a canonical word clears its lowest ones and sets the zero above them, and in this
 * order of bits these are the highest.
 */
static void fill_table(struct autofdo_table *table, const uint8_t *sorted, unsigned n_used,
                       const uint8_t *nbits)
{
    unsigned length = nbits[sorted[0]], n = 1u << length, word = 0;
    for (unsigned i = 0; i < n_used; i++) {
        for (; length < nbits[sorted[i]]; length++, n *= 2)
            double_table(table, n);
        table->words[word].symbol = sorted[i];
        table->words[word].nbits = (uint8_t)length;
        const unsigned zeros = ~word & (n - 1);
        if (zeros) {
            const unsigned highest = 1u << (bo_bit_width(zeros) - 1);
            word = (word & (highest - 1)) | highest;
        }
    }
    table->mask = n - 1;
}

bool autofdo_read_code(struct autofdo_bits *in, unsigned first_symbol, unsigned max_symbols,
                       bool spends_bits, struct autofdo_table *table)
{
    uint8_t nbits[AUTOFDO_CODE_SYMBOLS], sorted[AUTOFDO_CODE_SYMBOLS];
    const unsigned n_symbols = (unsigned)autofdo_take_bits(in, COUNT_BITS);
    unsigned filled = 0; /* of 2^AUTOFDO_CODE_BITS */
    if (n_symbols > max_symbols || !read_lengths(in, n_symbols, nbits) ||
        (first_symbol && nbits[0]))
        return false;
    const unsigned n_used = sort_symbols(nbits, n_symbols, sorted);
    if (n_used <= 1) {
        const bool has_word = n_used == 1 && !spends_bits;
        table->mask = 1;
        for (unsigned i = 0; i < 2; i++) {
            table->words[i].symbol = AUTOFDO_NO_SYMBOL;
            table->words[i].nbits = 0;
        }
        for (unsigned i = 0; i < n_used + has_word; i++) {
            table->words[i].symbol = sorted[0];
            table->words[i].nbits = spends_bits;
        }
        return n_used == 0 || nbits[n_symbols - 1] == 1;
    }
    for (unsigned i = 0; i < n_used; i++)
        filled += 1u << (AUTOFDO_CODE_BITS - nbits[sorted[i]]);
    if (filled != 1u << AUTOFDO_CODE_BITS)
        return false;
    fill_table(table, sorted, n_used, nbits);
    return true;
}
