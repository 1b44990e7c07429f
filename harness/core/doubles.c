/* Doubles as text. */
#include "harness/core/doubles.h"

#include <stdio.h>
#include <stdlib.h>

static size_t put_digits(uint64_t bits, int n_digits, char text[BO_DOUBLE_NBYTES])
{
    return (size_t)snprintf(text, BO_DOUBLE_NBYTES, "%.*g", n_digits, bo_double_of(bits));
}

/*
 * With more digits, the printed value is never further from the double. So the shortest text can be
 * found by binary search.
 */
size_t bo_double_text(uint64_t bits, char text[BO_DOUBLE_NBYTES])
{
    int low = 1, high = 17;
    while (low < high) {
        const int middle = (low + high) / 2;
        put_digits(bits, middle, text);
        if (bo_double_bits(strtod(text, NULL)) == bits)
            high = middle;
        else
            low = middle + 1;
    }
    return put_digits(bits, low, text);
}

/* ---- reading --------------------------------------------------------------------------------- */

static size_t count_digits(struct bo_span word, size_t at)
{
    size_t n = 0;
    while (at + n < word.n && word.p[at + n] >= '0' && word.p[at + n] <= '9')
        n++;
    return n;
}

/* strtod accepts more than decimals: blanks, hexadecimal digits, names. */
static bool is_decimal(struct bo_span word)
{
    size_t at = word.n && word.p[0] == '-';
    size_t n_digits = count_digits(word, at);
    at += n_digits;
    if (at < word.n && word.p[at] == '.') {
        const size_t n = count_digits(word, at + 1);
        n_digits += n;
        at += 1 + n;
    }
    if (n_digits && at < word.n && (word.p[at] == 'e' || word.p[at] == 'E')) {
        at++;
        at += at < word.n && (word.p[at] == '-' || word.p[at] == '+');
        const size_t n = count_digits(word, at);
        if (n == 0)
            return false;
        at += n;
    }
    return n_digits && at == word.n;
}

bool bo_parse_double(struct bo_span word, uint64_t *bits_ret)
{
    char text[1200]; /* no double has more digits when printed exactly */
    if (word.n >= sizeof text || !is_decimal(word))
        return false;
    memcpy(text, word.p, word.n);
    text[word.n] = '\0';
    *bits_ret = bo_double_bits(strtod(text, NULL));
    return bo_double_is_finite(*bits_ret);
}
