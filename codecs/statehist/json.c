/* JSON for state histories: a strict pull reader, and a compact writer. */
#include "codecs/statehist/json.h"

#include "harness/core/doubles.h"
#include "harness/core/text.h"
#include "harness/core/utf8.h"

/* ---- reading: structure ---------------------------------------------------------------------- */

bool statehist_json_fail(struct statehist_json *j, enum bo_status status, size_t off,
                         const char *what)
{
    if (!j->status)
        j->status = bo_fail(j->err, status, (uint64_t)j->base + off, what);
    return false;
}

uint8_t statehist_json_peek(struct statehist_json *j)
{
    while (j->off < j->in.n && (j->in.p[j->off] == ' ' || j->in.p[j->off] == '\t' ||
                                j->in.p[j->off] == '\n' || j->in.p[j->off] == '\r'))
        j->off++;
    return j->off < j->in.n ? j->in.p[j->off] : 0;
}

/* An error at the text's end is BO_TRUNCATED, else BO_CORRUPT. */
static bool fail_next(struct statehist_json *j, const char *what)
{
    statehist_json_peek(j);
    return j->off == j->in.n
               ? statehist_json_fail(j, BO_TRUNCATED, j->off, "JSON ends inside a value")
               : statehist_json_fail(j, BO_CORRUPT, j->off, what);
}

bool statehist_json_take(struct statehist_json *j, char c, const char *what)
{
    if (j->status)
        return false;
    if (statehist_json_peek(j) != (uint8_t)c)
        return fail_next(j, what);
    j->off++;
    return true;
}

static const char after_member[] = "neither , nor } after a member";

/* Reads the closing bracket (false), or the comma before each element but the first. */
static bool step(struct statehist_json *j, char closing, bool is_first, const char *what)
{
    if (j->status)
        return false;
    if (statehist_json_peek(j) == (uint8_t)closing) {
        j->off++;
        return false;
    }
    return is_first || statehist_json_take(j, ',', what);
}

bool statehist_json_element(struct statehist_json *j, bool is_first)
{
    return step(j, ']', is_first, "neither , nor ] after an element");
}

bool statehist_json_name(struct statehist_json *j, bool is_first, struct bo_span *name_ret,
                         size_t *off_ret)
{
    return step(j, '}', is_first, after_member) && statehist_json_string(j, name_ret, off_ret) &&
           statehist_json_take(j, ':', "no : after a member's name");
}

bool statehist_json_member(struct statehist_json *j, const char *const *names, uint32_t required,
                           uint32_t *seen, uint32_t *which_ret)
{
    struct bo_span name;
    size_t off;
    if (!statehist_json_name(j, *seen == 0, &name, &off)) {
        *which_ret = STATEHIST_JSON_CLOSED;
        if (!j->status && required & ~*seen)
            return statehist_json_fail(j, BO_CORRUPT, j->off - 1, "a member is missing");
        return !j->status;
    }
    uint32_t which = 0;
    while (names[which] && !bo_word_is(name, names[which]))
        which++;
    if (!names[which])
        return statehist_json_fail(j, BO_UNSUPPORTED, off, "unknown member");
    if (*seen >> which & 1)
        return statehist_json_fail(j, BO_CORRUPT, off, "duplicate member");
    *seen |= UINT32_C(1) << which;
    *which_ret = which;
    return true;
}

bool statehist_json_end(struct statehist_json *j)
{
    if (j->status)
        return false;
    statehist_json_peek(j);
    return j->off == j->in.n ||
           statehist_json_fail(j, BO_CORRUPT, j->off, "bytes after the JSON's end");
}

/* ---- reading: strings ------------------------------------------------------------------------ */

/* Four hexadecimal digits after \u. They end at the string's quote at the latest: find_end. */
static bool take_unit(struct statehist_json *j, uint32_t *unit_ret)
{
    uint32_t unit = 0;
    for (unsigned i = 0; i < 4; i++, j->off++) {
        const uint8_t c = j->in.p[j->off];
        const unsigned letter = (c | 0x20u) - 'a', digit = c - (unsigned)'0';
        if (digit > 9 && letter > 5)
            return statehist_json_fail(j, BO_CORRUPT, j->off, "not a hexadecimal digit");
        unit = unit << 4 | (digit <= 9 ? digit : letter + 10);
    }
    *unit_ret = unit;
    return true;
}

/* The rest of an escape sequence after its backslash, as UTF-8. A quote follows it: find_end. */
static bool take_escape(struct statehist_json *j, uint8_t *to, size_t *n)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const size_t off = j->off - 1;
    const uint8_t c = j->in.p[j->off++];
    const char *at = c ? strchr(escapes, c) : NULL;
    if (at) {
        to[(*n)++] = (uint8_t)meanings[at - escapes];
        return true;
    }
    uint32_t code, low = 0;
    if (c != 'u')
        return statehist_json_fail(j, BO_CORRUPT, off, "unknown escape");
    if (!take_unit(j, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00 && j->in.p[j->off] == '\\' && j->in.p[j->off + 1] == 'u') {
        j->off += 2;
        if (!take_unit(j, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000)
        return statehist_json_fail(j, BO_CORRUPT, off, "surrogate without its pair");
    *n += bo_utf8_put(code, to + *n);
    return true;
}

/* Where the string ends that starts at j->off, and whether it has escapes. */
static bool find_end(struct statehist_json *j, size_t *end_ret, bool *escapes_ret)
{
    *escapes_ret = false;
    for (size_t i = j->off; i < j->in.n; i++) {
        const uint8_t c = j->in.p[i];
        if (c == '"') {
            *end_ret = i;
            return true;
        }
        if (c == '\\') {
            *escapes_ret = true;
            i++;
        }
    }
    j->off = j->in.n;
    return fail_next(j, NULL);
}

bool statehist_json_string(struct statehist_json *j, struct bo_span *text_ret, size_t *off_ret)
{
    size_t end = j->off, n = 0, length;
    bool has_escapes;
    if (!statehist_json_take(j, '"', "not a string"))
        return false;
    if (off_ret)
        *off_ret = j->off - 1;
    if (!find_end(j, &end, &has_escapes))
        return false;
    const size_t start = j->off;
    uint8_t *to = NULL;
    if (has_escapes) {
        to = bo_alloc(j->arena, end - start); /* an escape is never shorter than its character */
        if (!to) {
            j->status = bo_fail_alloc(j->err, j->arena);
            return false;
        }
    }
    for (; j->off < end; j->off += length) {
        const uint8_t c = j->in.p[j->off];
        uint32_t code;
        length = c == '\\' ? 0 : bo_utf8_take(j->in.p + j->off, end - j->off, &code);
        if (c < 0x20)
            return statehist_json_fail(j, BO_CORRUPT, j->off, "control character in a string");
        if (c != '\\' && length == 0)
            return statehist_json_fail(j, BO_CORRUPT, j->off, "string is not UTF-8");
        if (c == '\\') {
            j->off++;
            if (!take_escape(j, to, &n))
                return false;
        } else if (to) {
            memcpy(to + n, j->in.p + j->off, length);
            n += length;
        }
    }
    j->off = end + 1;
    *text_ret = to ? (struct bo_span){to, n} : (struct bo_span){j->in.p + start, end - start};
    return true;
}

bool statehist_json_expect(struct statehist_json *j, const char *text, const char *what)
{
    struct bo_span found;
    size_t off;
    return statehist_json_string(j, &found, &off) &&
           (bo_word_is(found, text) || statehist_json_fail(j, BO_UNSUPPORTED, off, what));
}

/* ---- reading: numbers and words -------------------------------------------------------------- */

/*
 * Without strchr: its number of instructions depends on whether the linker puts the set at the end
 * of a page.
 */
static bool is_of_number(uint8_t c)
{
    return (uint8_t)(c - '0') < 10 || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static bool is_of_word(uint8_t c)
{
    return c > ' ' && c != ',' && c != ':' && c != '"' && c != '{' && c != '}' && c != '[' &&
           c != ']';
}

/* Consumes all following characters that a number may contain. */
static struct bo_span take_number(struct statehist_json *j)
{
    statehist_json_peek(j);
    const size_t start = j->off;
    while (j->off < j->in.n && is_of_number(j->in.p[j->off]))
        j->off++;
    return (struct bo_span){j->in.p + start, j->off - start};
}

static size_t count_digits(struct bo_span number, size_t from)
{
    size_t n = 0;
    while (from + n < number.n && number.p[from + n] >= '0' && number.p[from + n] <= '9')
        n++;
    return n;
}

bool statehist_json_integer(struct statehist_json *j, int64_t min, int64_t max, int64_t *v_ret)
{
    if (j->status)
        return false;
    const struct bo_span number = take_number(j);
    const size_t off = j->off - number.n;
    if (number.n == 0)
        return fail_next(j, "value is not an integer");
    if (bo_parse_i64(number, min, max, v_ret))
        return true;
    for (size_t i = 0; i < number.n; i++)
        if (strchr(".eE", number.p[i]))
            return statehist_json_fail(j, BO_CORRUPT, off, "integer has a fraction or an exponent");
    const size_t sign = number.p[0] == '-', n_digits = count_digits(number, sign);
    /* 0 is in every range, so what starts with it is "-0", or has more digits. */
    const bool is_number = n_digits && sign + n_digits == number.n && number.p[sign] != '0';
    return statehist_json_fail(j, BO_CORRUPT, off,
                               is_number ? "integer out of range" : "value is not an integer");
}

bool statehist_json_key(struct statehist_json *j, uint32_t *key_ret, size_t *off_ret)
{
    int64_t key;
    statehist_json_peek(j);
    *off_ret = j->off;
    if (!statehist_json_integer(j, 0, INT32_MAX, &key))
        return false;
    *key_ret = (uint32_t)key;
    return true;
}

bool statehist_json_version(struct statehist_json *j)
{
    int64_t version;
    statehist_json_peek(j);
    const size_t off = j->off;
    return statehist_json_integer(j, INT32_MIN, INT32_MAX, &version) &&
           (version == 1 || statehist_json_fail(j, BO_UNSUPPORTED, off, "unknown version"));
}

/* By JSON's grammar, with a fraction or an exponent; `number` is not empty. */
static bool is_double(struct bo_span number)
{
    size_t i = number.p[0] == '-';
    const size_t n_whole = count_digits(number, i);
    if (n_whole == 0 || (n_whole > 1 && number.p[i] == '0'))
        return false;
    i += n_whole;
    if (i == number.n)
        return false;
    if (number.p[i] == '.') {
        const size_t n = count_digits(number, ++i);
        if (n == 0)
            return false;
        i += n;
    }
    if (i < number.n && (number.p[i] == 'e' || number.p[i] == 'E')) {
        i++;
        i += i < number.n && (number.p[i] == '+' || number.p[i] == '-');
        const size_t n = count_digits(number, i);
        if (n == 0)
            return false;
        i += n;
    }
    return i == number.n;
}

static const struct {
    const char *name;
    uint64_t bits;
} no_numbers[] = {
    {"NaN", STATEHIST_NAN},
    {"Infinity", UINT64_C(0x7ff0000000000000)},
    {"-Infinity", UINT64_C(0xfff0000000000000)},
};
enum { N_NO_NUMBERS = sizeof no_numbers / sizeof *no_numbers };

/* Consumes this word at j->off; false when another text is there. */
static bool take_word(struct statehist_json *j, const char *word)
{
    const size_t n = strlen(word);
    if (j->in.n - j->off < n || memcmp(j->in.p + j->off, word, n) != 0)
        return false;
    j->off += n;
    return true;
}

static bool take_no_number(struct statehist_json *j, bool bare, uint64_t *bits_ret)
{
    struct bo_span text;
    size_t off;
    if (!bare && !statehist_json_string(j, &text, &off))
        return false;
    for (unsigned i = 0; i < N_NO_NUMBERS; i++)
        if (bare ? take_word(j, no_numbers[i].name) : bo_word_is(text, no_numbers[i].name)) {
            *bits_ret = no_numbers[i].bits;
            return true;
        }
    return bare ? fail_next(j, "value is not a double")
                : statehist_json_fail(j, BO_CORRUPT, off, "value is not a double");
}

bool statehist_json_double(struct statehist_json *j, bool bare, uint64_t *bits_ret)
{
    if (j->status)
        return false;
    const uint8_t next = statehist_json_peek(j);
    const bool minus_word = next == '-' && j->in.n - j->off > 1 && j->in.p[j->off + 1] == 'I';
    if (bare ? minus_word || next == 'N' || next == 'I' : next == '"')
        return take_no_number(j, bare, bits_ret);
    const struct bo_span number = take_number(j);
    const size_t off = j->off - number.n;
    if (number.n == 0)
        return fail_next(j, "value is not a double");
    if (!is_double(number))
        return statehist_json_fail(j, BO_CORRUPT, off, "value is not a double");
    return bo_parse_double(number, bits_ret) ||
           statehist_json_fail(j, BO_CORRUPT, off, "double is out of range, or very long");
}

bool statehist_json_word(struct statehist_json *j, const char *word)
{
    if (j->status)
        return false;
    statehist_json_peek(j);
    return take_word(j, word) || fail_next(j, "value is not of its type");
}

static bool take_value(struct statehist_json *j, uint32_t type, bool bare, uint64_t *value_ret,
                       struct bo_span *string_ret)
{
    int64_t number;
    switch (type) {
    case STATEHIST_INT:
    case STATEHIST_LONG:
        if (!statehist_json_integer(j, type == STATEHIST_INT ? INT32_MIN : INT64_MIN,
                                    type == STATEHIST_INT ? INT32_MAX : INT64_MAX, &number))
            return false;
        *value_ret = (uint64_t)number;
        return true;
    case STATEHIST_DOUBLE:
        return statehist_json_double(j, bare, value_ret);
    case STATEHIST_STRING:
        if (!statehist_json_string(j, string_ret, NULL))
            return false;
        *value_ret = statehist_hash(*string_ret);
        return true;
    case STATEHIST_BOOL:
        *value_ret = statehist_json_peek(j) == 't';
        return statehist_json_word(j, *value_ret ? "true" : "false");
    default:
        return statehist_json_word(j, "null");
    }
}

bool statehist_json_skip_scalar(struct statehist_json *j)
{
    struct bo_span text;
    if (statehist_json_peek(j) == '"')
        return statehist_json_string(j, &text, NULL);
    const size_t off = j->off;
    while (j->off < j->in.n && is_of_word(j->in.p[j->off]))
        j->off++;
    return !j->status && (j->off > off || fail_next(j, "expected a value"));
}

bool statehist_json_skipped_value(struct statehist_json *j, struct statehist_json *at, size_t end,
                                  uint32_t type, bool bare, uint64_t *value_ret,
                                  struct bo_span *string_ret)
{
    if (!take_value(at, type, bare, value_ret, string_ret)) {
        j->status = at->status;
        return false;
    }
    return at->off == end || statehist_json_fail(j, BO_CORRUPT, at->off, after_member);
}

enum bo_status statehist_json_document(
    struct statehist_json *j, const char *format, const char *const *members,
    bool (*take)(struct statehist_json *j, uint32_t which, void *context), void *context)
{
    uint32_t seen = 0, which = 0, all = 0;
    for (unsigned i = 0; members[i]; i++)
        all |= UINT32_C(1) << i;
    statehist_json_take(j, '{', "not an object");
    while (!j->status && statehist_json_member(j, members, all, &seen, &which) &&
           which != STATEHIST_JSON_CLOSED)
        if (which == 0)
            statehist_json_expect(j, format, "another format");
        else if (which == 1)
            statehist_json_version(j);
        else
            take(j, which, context);
    statehist_json_end(j);
    return j->status;
}

/* ---- writing --------------------------------------------------------------------------------- */

void statehist_json_put_string(struct bo_writer *out, struct bo_span text, bool as_gson)
{
    static const char escapes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    bo_put_u8(out, '"');
    size_t done = 0;
    for (size_t i = 0; i < text.n; i++) {
        const uint8_t c = text.p[i];
        const bool of_html = c == '<' || c == '>' || c == '&' || c == '=' || c == '\'';
        const bool separates = as_gson && c == 0xe2 && text.n - i > 2 && text.p[i + 1] == 0x80 &&
                               (text.p[i + 2] & 0xfe) == 0xa8;
        if (c >= 0x20 && c != '"' && c != '\\' && !separates && !(as_gson && of_html))
            continue;
        const char *at = c ? strchr(escapes, c) : NULL;
        bo_put_bytes(out, text.p + done, i - done);
        if (at)
            bo_put_text(out, "\\%c", letters[at - escapes]);
        else
            bo_put_text(out, "\\u%04x", separates ? 0x2028u + (text.p[i + 2] & 1) : c);
        i += separates ? 2 : 0;
        done = i + 1;
    }
    bo_put_bytes(out, text.p + done, text.n - done);
    bo_put_u8(out, '"');
}

void statehist_json_put_integer(struct bo_writer *out, int64_t v)
{
    if (v < 0)
        bo_put_u8(out, '-');
    bo_put_decimal(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void statehist_json_put_double(struct bo_writer *out, uint64_t bits, bool bare)
{
    char text[BO_DOUBLE_NBYTES];
    for (unsigned i = 0; i < N_NO_NUMBERS; i++)
        if (bits == no_numbers[i].bits || (i == 0 && statehist_is_nan(bits))) {
            bo_put_text(out, bare ? "%s" : "\"%s\"", no_numbers[i].name);
            return;
        }
    bo_double_text(bits, text);
    bo_put_text(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

void statehist_json_put_value(struct bo_writer *out, uint32_t type, uint64_t value,
                              struct bo_span string, bool as_gson)
{
    switch (type) {
    case STATEHIST_INT:
    case STATEHIST_LONG:
        statehist_json_put_integer(out, (int64_t)value);
        break;
    case STATEHIST_DOUBLE:
        statehist_json_put_double(out, value, as_gson);
        break;
    case STATEHIST_STRING:
        statehist_json_put_string(out, string, as_gson);
        break;
    case STATEHIST_BOOL:
        bo_put_text(out, value ? "true" : "false");
        break;
    default:
        bo_put_text(out, "null");
    }
}
