/*
 * JSON, as far as state histories need it: written compactly, read strictly.
 * The caller pulls the reader through the text, member by member. The reader builds no tree and
 * does not recurse, so depth costs no memory. It reports what a JSON library does not: the byte of
 * each mistake, and duplicate members.
 */
#ifndef STATEHIST_JSON_H
#define STATEHIST_JSON_H

#include "codecs/statehist/statehist.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* After the first failure, every call returns false, and `status` is the reason. */
struct statehist_json {
    struct bo_span in;
    size_t off;             /* next byte of `in` */
    size_t base;            /* offset of `in` in the input; offsets of errors include it */
    struct bo_arena *arena; /* for strings with escapes */
    enum bo_status status;
    struct bo_error *err;
};

#define STATEHIST_JSON_CLOSED UINT32_MAX

/* Fails at byte `off` of the text. */
bool statehist_json_fail(struct statehist_json *j, enum bo_status status, size_t off,
                         const char *what);

/* The next byte that is not blank, without consuming it; 0 at the end. */
uint8_t statehist_json_peek(struct statehist_json *j);

/* Consumes c, one of ,:{}[] or fails with `what`. */
bool statehist_json_take(struct statehist_json *j, char c, const char *what);

/*
 * Steps to the next element after '[' (is_first) or an element. False at ']', which is consumed,
 * and after a failure.
 */
bool statehist_json_element(struct statehist_json *j, bool is_first);

/*
 * Steps to the next member after '{' or after a member. *which_ret is its index in `names`, which
 * end with NULL, or STATEHIST_JSON_CLOSED at '}', which is consumed. *seen starts at 0 and gets one
 * bit for each member. An unknown member is unsupported. A duplicate member is corrupt. So is a '}'
 * before all members in `required`.
 */
bool statehist_json_member(struct statehist_json *j, const char *const *names, uint32_t required,
                           uint32_t *seen, uint32_t *which_ret);

/* As above for members of any names: false at '}', which is consumed. */
bool statehist_json_name(struct statehist_json *j, bool is_first, struct bo_span *name_ret,
                         size_t *off_ret);

/* A string's text, in the input or in the arena. *off_ret (may be NULL) is where it starts. */
bool statehist_json_string(struct statehist_json *j, struct bo_span *text_ret, size_t *off_ret);

/* Consumes this string, or fails with `what`. */
bool statehist_json_expect(struct statehist_json *j, const char *text, const char *what);

/* An integer without fraction, exponent, -0; exact. */
bool statehist_json_integer(struct statehist_json *j, int64_t min, int64_t max, int64_t *v_ret);

/* A key: an integer below 2^31. */
bool statehist_json_key(struct statehist_json *j, uint32_t *key_ret, size_t *off_ret);

/* Consumes the version, which must be 1; another one is unsupported. */
bool statehist_json_version(struct statehist_json *j);

/*
 * A double's bits: a number with a fraction or an exponent, or one of the strings NaN, Infinity and
 * -Infinity; `bare`: these without quotes.
 */
bool statehist_json_double(struct statehist_json *j, bool bare, uint64_t *bits_ret);

/* One of null, true, false. */
bool statehist_json_word(struct statehist_json *j, const char *word);

/* Skips a string, a number or a word. */
bool statehist_json_skip_scalar(struct statehist_json *j);

/*
 * The value of a member that j skipped, of an enum statehist_type: `at` is positioned at its first
 * byte, `end` is its end. The value is as answers have it: a string's is its hash, and *string_ret
 * its text. Only a string sets *string_ret, and a null sets neither.
 */
bool statehist_json_skipped_value(struct statehist_json *j, struct statehist_json *at, size_t end,
                                  uint32_t type, bool bare, uint64_t *value_ret,
                                  struct bo_span *string_ret);

/* Checks that only blanks follow. */
bool statehist_json_end(struct statehist_json *j);

/*
 * A whole document: {"format": format, "version": 1, ...}, in any order. `members` contains the
 * names of these two and then of the others. All are required. take(j, which, context) reads the
 * values of the others.
 */
enum bo_status statehist_json_document(
    struct statehist_json *j, const char *format, const char *const *members,
    bool (*take)(struct statehist_json *j, uint32_t which, void *context), void *context);

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * A string of UTF-8 with its quotes. Escapes what JSON requires; with `as_gson` also what Java's
 * Gson escapes: < > & = ' and two line separators.
 */
void statehist_json_put_string(struct bo_writer *out, struct bo_span text, bool as_gson);

void statehist_json_put_integer(struct bo_writer *out, int64_t v);

/*
 * The shortest decimal that reads back, with a point or an exponent; NaN, Infinity and -Infinity
 * are strings, or bare words.
 */
void statehist_json_put_double(struct bo_writer *out, uint64_t bits, bool bare);

/* A value of the model; `string` where it is one. For Gson doubles are bare. */
void statehist_json_put_value(struct bo_writer *out, uint32_t type, uint64_t value,
                              struct bo_span string, bool as_gson);

#define STATEHIST_NAN UINT64_C(0x7ff8000000000000) /* the one that JSON holds */

static inline bool statehist_is_nan(uint64_t bits)
{
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

#endif
