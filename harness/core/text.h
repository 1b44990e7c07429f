/*
 * Reading line-oriented text forms: lines, words and integers, with the byte offset that errors
 * report.
 */
#ifndef BO_TEXT_H
#define BO_TEXT_H

#include "harness/core/bytes.h"

/* Where a text is read next. */
struct bo_text {
    struct bo_span in;
    size_t off;
};

/* The rest of a line, and its offset in the text. */
struct bo_line {
    struct bo_span rest;
    size_t off;
};

/*
 * The next line that is neither empty nor a comment (# in its first column). False at the end of
 * the text.
 */
bool bo_text_line(struct bo_text *text, struct bo_line *line);

/*
 * Reads the next space-separated word of the line. False at its end. *off_ret is the word's offset.
 */
bool bo_line_word(struct bo_line *line, struct bo_span *word_ret, size_t *off_ret);

/*
 * Decimal integers without leading zeros or plus sign. False for other words and values out of
 * range.
 */
bool bo_parse_u64(struct bo_span word, uint64_t max, uint64_t *v_ret);
bool bo_parse_i64(struct bo_span word, int64_t min, int64_t max, int64_t *v_ret);

/* True, with the rest of the word in *rest_ret, when the word starts with `prefix`. */
bool bo_word_after(struct bo_span word, const char *prefix, struct bo_span *rest_ret);

static inline bool bo_word_is(struct bo_span word, const char *s)
{
    return word.n == strlen(s) && memcmp(word.p, s, word.n) == 0;
}

#endif
