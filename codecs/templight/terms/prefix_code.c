/* Fitting, writing and reading prefix codes. */
#include "codecs/templight/terms/prefix_code.h"

#include "harness/coding/huffman.h"

/* ---- numbers --------------------------------------------------------------------------------- */

void templight_put_gamma(struct templight_bit_writer *w, uint32_t v)
{
    const unsigned width = bo_bit_width(v + 1);
    templight_put_bits(w, 0, width - 1);
    templight_put_bits(w, v + 1, width);
}

bool templight_take_gamma(struct templight_bits *in, uint32_t *v_ret)
{
    const uint64_t v = templight_peek(in);
    const unsigned n_zeros = v ? (unsigned)__builtin_clzll(v) : 64;
    if (n_zeros > 31)
        return false;
    in->bit += n_zeros;
    *v_ret = templight_take_bits(in, n_zeros + 1) - 1;
    return true;
}

enum { RICE_BITS = 5 };

/* The low bits of gaps between n numbers, the last of which is given: of the mean gap, roughly. */
static unsigned low_bits(uint64_t last, size_t n)
{
    unsigned low = 0;
    while ((last / n) >> (low + 1))
        low++;
    return low;
}

void templight_put_ascending(struct templight_bit_writer *w, const uint32_t *numbers, size_t n)
{
    if (n == 0)
        return;
    const unsigned low = low_bits(numbers[n - 1], n);
    templight_put_bits(w, low, RICE_BITS);
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t gap = numbers[i] - last;
        for (uint32_t high = gap >> low; high; high--)
            templight_put_bits(w, 1, 1);
        templight_put_bits(w, 0, 1);
        templight_put_bits(w, gap & ((UINT32_C(1) << low) - 1), low);
        last = numbers[i];
    }
}

bool templight_take_ascending(struct templight_bits *in, uint32_t *numbers, size_t n)
{
    if (n == 0)
        return true;
    const unsigned low = templight_take_bits(in, RICE_BITS);
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t high = 0;
        for (;;) {
            const uint64_t zeros = ~templight_peek(in);
            const unsigned n_ones = zeros >> 8 ? (unsigned)__builtin_clzll(zeros) : 32;
            if (n_ones < 32) {
                high += n_ones;
                in->bit += n_ones + 1;
                break;
            }
            high += 32;
            in->bit += 32;
            if (templight_past_end(in))
                return false;
        }
        last += (high << low) + templight_take_bits(in, low);
        if (last > UINT32_MAX || templight_past_end(in))
            return false;
        numbers[i] = (uint32_t)last;
    }
    return low == low_bits(last, n);
}

/* ---- fitting --------------------------------------------------------------------------------- */

static void assign_words(struct templight_words *words)
{
    uint32_t n_words[TEMPLIGHT_WORD_BITS + 1] = {0}, next[TEMPLIGHT_WORD_BITS + 1] = {0};
    for (uint32_t i = 0; i < words->n_symbols; i++)
        n_words[words->nbits[i]]++;
    n_words[0] = 0;
    for (unsigned length = 1; length <= TEMPLIGHT_WORD_BITS; length++)
        next[length] = (next[length - 1] + n_words[length - 1]) << 1;
    for (uint32_t i = 0; i < words->n_symbols; i++)
        if (words->nbits[i])
            words->words[i] = next[words->nbits[i]]++;
}

bool templight_fit_words(const uint32_t *uses, uint32_t n_symbols, struct bo_arena *arena,
                         struct templight_words *words)
{
    uint32_t n = 0;
    *words = (struct templight_words){.n_symbols = n_symbols};
    words->nbits = bo_zalloc_array(arena, n_symbols, sizeof *words->nbits);
    words->words = bo_zalloc_array(arena, n_symbols, sizeof *words->words);
    for (uint32_t i = 0; i < n_symbols; i++)
        n += uses[i] > 0;
    const struct bo_huffman_scratch scratch = {
        bo_alloc_array(arena, n, sizeof *scratch.leaves),
        bo_alloc_array(arena, 2 * (size_t)n, sizeof *scratch.weights),
        bo_alloc_array(arena, 2 * (size_t)n, sizeof *scratch.parents),
    };
    if (!words->nbits || !words->words || !scratch.leaves || !scratch.weights || !scratch.parents)
        return false;
    bo_huffman_lengths(uses, n_symbols, TEMPLIGHT_WORD_BITS, &scratch, words->nbits);
    if (n == 1)
        for (uint32_t i = 0; i < n_symbols; i++)
            words->nbits[i] = uses[i] > 0;
    if (n < 2)
        return true;
    assign_words(words);
    return true;
}

/* ---- a code in a file ------------------------------------------------------------------------ */

bool templight_put_code(struct templight_bit_writer *w, const struct templight_words *words,
                        struct bo_arena *arena)
{
    uint32_t *symbols = bo_alloc_array(arena, words->n_symbols, sizeof *symbols);
    if (!symbols)
        return false;
    unsigned longest = 0;
    for (uint32_t i = 0; i < words->n_symbols; i++)
        longest = words->nbits[i] > longest ? words->nbits[i] : longest;
    templight_put_bits(w, longest, 5);
    for (unsigned length = 1; length <= longest; length++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < words->n_symbols; i++)
            if (words->nbits[i] == length)
                symbols[n++] = i;
        templight_put_gamma(w, n);
        templight_put_ascending(w, symbols, n);
    }
    return true;
}

/* The table's entries for all words of up to TEMPLIGHT_TABLE_BITS. */
static void fill_table(struct templight_code *code)
{
    memset(code->table, 0, sizeof code->table);
    for (unsigned length = 1; length <= TEMPLIGHT_TABLE_BITS; length++)
        for (uint32_t i = 0; i < code->n_words[length]; i++) {
            const unsigned shift = TEMPLIGHT_TABLE_BITS - length;
            uint32_t *entries = code->table + ((code->first[length] + i) << shift);
            for (uint32_t k = 0; k < UINT32_C(1) << shift; k++)
                entries[k] = code->symbols[code->n_before[length] + i] << 5 | length;
        }
}

enum bo_status templight_read_code(struct templight_bits *in, uint32_t n_symbols,
                                   struct bo_arena *arena, struct templight_code *code)
{
    const unsigned longest = templight_take_bits(in, 5);
    uint32_t n = 0, next = 0;
    size_t cap = 0;
    *code = (struct templight_code){.symbols = NULL};
    if (longest > TEMPLIGHT_WORD_BITS)
        return BO_CORRUPT;
    uint64_t *has_word =
        bo_zalloc_array(arena, n_symbols / 64 + 1, sizeof *has_word); /* a bit each */
    if (!has_word)
        return arena->refusal;
    for (unsigned length = 1; length <= longest; length++) {
        uint32_t n_words;
        next <<= 1;
        if (!templight_take_gamma(in, &n_words) || n_words > (UINT32_C(1) << length) - next ||
            n_words > n_symbols - n)
            return BO_CORRUPT;
        if (n_words) {
            if (!bo_grow(arena, &code->symbols, n, n_words, &cap))
                return arena->refusal;
            if (!templight_take_ascending(in, code->symbols + n, n_words))
                return BO_CORRUPT;
            for (uint32_t i = 0; i < n_words; i++) {
                const uint32_t symbol = code->symbols[n + i];
                if (symbol >= n_symbols || has_word[symbol / 64] >> symbol % 64 & 1)
                    return BO_CORRUPT;
                has_word[symbol / 64] |= UINT64_C(1) << symbol % 64;
            }
        }
        code->first[length] = next;
        code->n_words[length] = n_words;
        code->n_before[length] = n;
        next += n_words;
        n += n_words;
    }
    /* A code of two or more symbols is complete: it leaves no word unused. */
    if (n > 1 && next != UINT32_C(1) << longest)
        return BO_CORRUPT;
    if (n <= 1 && longest != n)
        return BO_CORRUPT;
    if (longest && code->n_words[longest] == 0)
        return BO_CORRUPT;
    fill_table(code);
    return BO_OK;
}

uint32_t templight_take_long_symbol(struct templight_bits *in, const struct templight_code *code)
{
    const uint64_t v = templight_peek(in);
    for (unsigned length = TEMPLIGHT_TABLE_BITS + 1; length <= TEMPLIGHT_WORD_BITS; length++) {
        const uint32_t word = (uint32_t)(v >> (64 - length)) - code->first[length];
        if (word < code->n_words[length]) {
            in->bit += length;
            return code->symbols[code->n_before[length] + word];
        }
    }
    return TEMPLIGHT_NO_SYMBOL;
}
