/* Reading line-oriented text forms. */
#include "harness/core/text.h"

bool bo_text_line(struct bo_text *text, struct bo_line *line)
{
    while (text->off < text->in.n) {
        const uint8_t *start = text->in.p + text->off;
        const size_t left = text->in.n - text->off;
        const uint8_t *newline = memchr(start, '\n', left);
        const size_t n = newline ? (size_t)(newline - start) : left;
        *line = (struct bo_line){{start, n}, text->off};
        text->off += n + (newline != NULL);
        if (n && start[0] != '#')
            return true;
    }
    return false;
}

bool bo_line_word(struct bo_line *line, struct bo_span *word_ret, size_t *off_ret)
{
    size_t start = 0;
    while (start < line->rest.n && line->rest.p[start] == ' ')
        start++;
    size_t end = start;
    while (end < line->rest.n && line->rest.p[end] != ' ')
        end++;
    *off_ret = line->off + start;
    if (start == end)
        return false;
    *word_ret = (struct bo_span){line->rest.p + start, end - start};
    line->rest = (struct bo_span){line->rest.p + end, line->rest.n - end};
    line->off += end;
    return true;
}

bool bo_parse_u64(struct bo_span word, uint64_t max, uint64_t *v_ret)
{
    if (word.n == 0 || (word.n > 1 && word.p[0] == '0'))
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < word.n; i++) {
        const unsigned digit = word.p[i] - (unsigned)'0';
        if (digit > 9 || v > (UINT64_MAX - digit) / 10)
            return false;
        v = 10 * v + digit;
    }
    *v_ret = v;
    return v <= max;
}

bool bo_parse_i64(struct bo_span word, int64_t min, int64_t max, int64_t *v_ret)
{
    const bool negative = word.n && word.p[0] == '-';
    const struct bo_span digits = {word.p + negative, word.n - negative};
    uint64_t v;
    if (!bo_parse_u64(digits, (uint64_t)INT64_MAX + negative, &v) || (negative && v == 0))
        return false;
    *v_ret = negative ? (int64_t)(0 - v) : (int64_t)v;
    return *v_ret >= min && *v_ret <= max;
}

bool bo_word_after(struct bo_span word, const char *prefix, struct bo_span *rest_ret)
{
    const size_t n = strlen(prefix);
    if (word.n < n || memcmp(word.p, prefix, n) != 0)
        return false;
    *rest_ret = (struct bo_span){word.p + n, word.n - n};
    return true;
}
