/* Suggestions by edit distance. */
#include "harness/core/suggest.h"

#include <stdio.h>
#include <string.h>

struct bo_suggestion bo_suggest(const char *word)
{
    return (struct bo_suggestion){.word = word ? word : ""};
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * The optimal string alignment distance: insertions, deletions, substitutions, and swaps of
 * neighbours, by dynamic programming over prefixes. Both lengths are at most BO_MAX_SUGGESTED.
 */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][BO_MAX_SUGGESTED + 1]; /* row i is at i % 3: prefixes of a with i characters */
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            unsigned *cell = &rows[i % 3][j];
            if (i == 0 || j == 0) {
                *cell = (unsigned)(i + j);
                continue;
            }
            *cell = rows[(i + 2) % 3][j - 1] + (a[i - 1] != b[j - 1]);
            *cell = least(*cell, rows[(i + 2) % 3][j] + 1);
            *cell = least(*cell, rows[i % 3][j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                *cell = least(*cell, rows[(i + 1) % 3][j - 2] + 1);
        }
    return rows[n % 3][m];
}

void bo_suggest_offer(struct bo_suggestion *s, const char *candidate)
{
    enum { LEAST_PREFIX = 3 };
    const size_t n = strlen(s->word), m = candidate ? strlen(candidate) : 0;
    if (n == 0 || m == 0 || n > BO_MAX_SUGGESTED || m > BO_MAX_SUGGESTED)
        return;
    const unsigned near = 1 + (unsigned)(n < m ? n : m) / 4;
    unsigned d = distance(s->word, n, candidate, m);
    if (n >= LEAST_PREFIX && strncmp(s->word, candidate, n) == 0)
        d = least(d, 1);
    if (d <= near && d < n && (!s->best[0] || d < s->distance)) {
        memcpy(s->best, candidate, m + 1);
        s->distance = d;
    }
}

const char *bo_suggestion_text(struct bo_suggestion *s)
{
    s->text[0] = 0;
    if (s->best[0])
        snprintf(s->text, sizeof s->text, " (did you mean '%s'?)", s->best);
    return s->text;
}
