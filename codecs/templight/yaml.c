/*
 * Scalars of YAML as LLVM's library writes them. The choice of quotes follows its
 * behaviour, so real traces are reproduced byte for byte. The reader accepts all that a YAML writer
 * may use on one line.
 */
#include "codecs/templight/yaml.h"

#include "harness/core/utf8.h"

const char templight_yaml_no_memory[] = "no memory for a text";

/* ---- which quotes ---------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_one_of(struct bo_span text, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == text.n && memcmp(*words, text.p, text.n) == 0)
            return true;
    return false;
}

static struct bo_span after(struct bo_span text, size_t n)
{
    return (struct bo_span){text.p + n, text.n - n};
}

static struct bo_span skip_digits(struct bo_span text)
{
    while (text.n && is_digit(text.p[0]))
        text = after(text, 1);
    return text;
}

/* Whether there are more than n bytes, and those after the first n are all in `set`. */
static bool all_after(struct bo_span text, size_t n, const char *set)
{
    for (size_t i = n; i < text.n; i++)
        if (!strchr(set, text.p[i]))
            return false;
    return text.n > n;
}

/*
 * [0-9]* (\. [0-9]*)? ([eE] -? [0-9]+)?, not empty, with a digit before an exponent or a dot's end;
 * YAML has + before an exponent, too
 */
static bool is_float(struct bo_span text)
{
    if (text.n == 0 || text.p[0] == 'e' || text.p[0] == 'E' ||
        (text.p[0] == '.' && (text.n == 1 || !is_digit(text.p[1]))))
        return false;
    text = skip_digits(text);
    if (text.n && text.p[0] == '.')
        text = skip_digits(after(text, 1));
    if (text.n == 0)
        return true;
    if (text.p[0] != 'e' && text.p[0] != 'E')
        return false;
    text = after(text, 1);
    if (text.n && text.p[0] == '-')
        text = after(text, 1);
    return text.n && skip_digits(text).n == 0;
}

/*
 * Whether YAML would read the text, which is not empty, as something else than a text. Other rules
 * have put quotes around texts with + or ~, and those that begin with a -.
 */
static bool is_special(struct bo_span text)
{
    static const char *const words[] = {"null",  "Null",  "NULL",  "true", "True", "TRUE",
                                        "false", "False", "FALSE", ".nan", ".NaN", ".NAN",
                                        ".inf",  ".Inf",  ".INF",  NULL};
    if (is_one_of(text, words))
        return true;
    if (text.n >= 2 && text.p[0] == '0' && text.p[1] == 'o')
        return all_after(text, 2, "01234567");
    if (text.n >= 2 && text.p[0] == '0' && text.p[1] == 'x')
        return all_after(text, 2, "0123456789abcdefABCDEF");
    return is_float(text);
}

/* The quoting style that a byte requires. Bits, so that those of a text can be combined. */
enum { NEEDS_SINGLE = 1, NEEDS_DOUBLED = 2, NEEDS_DOUBLE = 4 };
static const uint8_t required[256] = {
    [0 ... '\t' - 1] = NEEDS_DOUBLE,
    ['\t' + 1 ... ' ' - 1] = NEEDS_DOUBLE,
    ['!' ... '&'] = NEEDS_SINGLE,
    ['\''] = NEEDS_DOUBLED,
    ['(' ... '+'] = NEEDS_SINGLE,
    ['/'] = NEEDS_SINGLE,
    [':' ... '@'] = NEEDS_SINGLE,
    ['[' ... ']'] = NEEDS_SINGLE,
    ['`'] = NEEDS_SINGLE,
    ['{' ... '~'] = NEEDS_SINGLE,
    [0x7f ... 0xff] = NEEDS_DOUBLE,
};

/* Bytes that may not begin a plain scalar. */
static bool is_indicator(uint8_t c)
{
    return c && strchr("-?:\\,[]{}#&*!|>'\"%@`", c);
}

enum templight_quoting templight_quoting_of(struct bo_span text)
{
    if (text.n == 0)
        return TEMPLIGHT_SINGLE;
    unsigned all = 0;
    for (size_t i = 0; i < text.n; i++)
        all |= required[text.p[i]];
    if (all & NEEDS_DOUBLE)
        return bo_is_utf8(text) ? TEMPLIGHT_DOUBLE : TEMPLIGHT_BINARY;
    if (all & NEEDS_DOUBLED)
        return TEMPLIGHT_DOUBLED;
    return all || is_space(text.p[0]) || is_space(text.p[text.n - 1]) || is_indicator(text.p[0]) ||
                   is_special(text)
               ? TEMPLIGHT_SINGLE
               : TEMPLIGHT_PLAIN;
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Escapes of one letter, and the characters that they represent; of these, writing uses those that
 * have `written`.
 */
static const struct escape {
    char letter;
    bool written;
    uint16_t code;
} escapes[] = {
    {'\\', true, '\\'},  {'"', true, '"'},    {'a', true, 7},    {'b', true, 8},
    {'t', true, '\t'},   {'n', true, '\n'},   {'v', true, 11},   {'f', true, 12},
    {'r', true, '\r'},   {'e', true, 27},     {'N', true, 0x85}, {'_', true, 0xa0},
    {'L', true, 0x2028}, {'P', true, 0x2029}, {'/', false, '/'}, {' ', false, ' '},
    {'\t', false, '\t'},
};
enum { N_ESCAPES = sizeof escapes / sizeof *escapes };

/* Code points that YAML requires to be escaped. */
static bool is_unprintable(uint32_t code)
{
    return code < ' ' || (code >= 0x80 && code < 0xa0) || code == 0xfeff ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe;
}

static void put_escaped(struct bo_writer *out, uint32_t code, const uint8_t *p, size_t n)
{
    for (unsigned i = 0; i < N_ESCAPES; i++)
        if (escapes[i].written && escapes[i].code == code) {
            const uint8_t pair[] = {'\\', (uint8_t)escapes[i].letter};
            bo_put_bytes(out, pair, sizeof pair);
            return;
        }
    if (!is_unprintable(code))
        bo_put_bytes(out, p, n);
    else if (code < 0x100)
        bo_put_text(out, "\\x%02X", (unsigned)code);
    else if (code < 0x10000)
        bo_put_text(out, "\\u%04X", (unsigned)code);
    else
        bo_put_text(out, "\\U%08X", (unsigned)code);
}

static void put_double(struct bo_writer *out, struct bo_span text)
{
    uint32_t code = 0;
    bo_put_u8(out, '"');
    for (size_t i = 0, n; i < text.n && !out->status; i += n) {
        n = bo_utf8_take(text.p + i, text.n - i, &code);
        if (n == 0)
            break; /* not UTF-8, against the contract */
        put_escaped(out, code, text.p + i, n);
    }
    bo_put_u8(out, '"');
}

static void put_doubled(struct bo_writer *out, struct bo_span text)
{
    bo_put_u8(out, '\'');
    while (text.n) {
        const uint8_t *quote = memchr(text.p, '\'', text.n);
        const size_t n = quote ? (size_t)(quote - text.p) + 1 : text.n;
        bo_put_bytes(out, text.p, n);
        if (quote)
            bo_put_u8(out, '\'');
        text = after(text, n);
    }
    bo_put_u8(out, '\'');
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char binary_tag[] = "!!binary ";

static void put_binary(struct bo_writer *out, struct bo_span text)
{
    bo_put_bytes(out, binary_tag, sizeof binary_tag - 1);
    for (size_t i = 0; i < text.n && !out->status; i += 3) {
        const size_t n = text.n - i < 3 ? text.n - i : 3;
        uint32_t v = 0;
        for (size_t b = 0; b < 3; b++)
            v = v << 8 | (b < n ? text.p[i + b] : 0u);
        uint8_t digits[4];
        for (unsigned d = 0; d < 4; d++)
            digits[d] = d <= n ? (uint8_t)base64_digits[v >> (18 - 6 * d) & 63] : '=';
        bo_put_bytes(out, digits, sizeof digits);
    }
}

void templight_put_scalar(struct bo_writer *out, struct bo_span text,
                          enum templight_quoting quoting)
{
    switch (quoting) {
    case TEMPLIGHT_PLAIN:
        bo_put_bytes(out, text.p, text.n);
        break;
    case TEMPLIGHT_SINGLE:
        bo_put_u8(out, '\'');
        bo_put_bytes(out, text.p, text.n);
        bo_put_u8(out, '\'');
        break;
    case TEMPLIGHT_DOUBLED:
        put_doubled(out, text);
        break;
    case TEMPLIGHT_DOUBLE:
        put_double(out, text);
        break;
    case TEMPLIGHT_BINARY:
        put_binary(out, text);
        break;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char not_ended[] = "quoted text does not end on its line";
static const char bytes_after[] = "bytes after a quoted text";

static const char *read_single(struct bo_span raw, struct bo_arena *arena, struct bo_span *text_ret,
                               size_t *at_ret)
{
    const uint8_t *quote = memchr(raw.p + 1, '\'', raw.n - 1);
    *at_ret = raw.n;
    if (!quote)
        return not_ended;
    if (quote == raw.p + raw.n - 1) { /* by far the commonest: nothing is doubled */
        *text_ret = (struct bo_span){raw.p + 1, raw.n - 2};
        return NULL;
    }
    uint8_t *to = bo_alloc(arena, raw.n);
    size_t n = 0, i = 1;
    if (!to)
        return templight_yaml_no_memory;
    for (; i < raw.n; i++) {
        if (raw.p[i] == '\'' && (++i == raw.n || raw.p[i] != '\''))
            break;
        to[n++] = raw.p[i];
    }
    *text_ret = (struct bo_span){to, n};
    *at_ret = i;
    if (i < raw.n)
        return bytes_after;
    /* A last quote that is one of a pair does not end the scalar. */
    size_t n_quotes = 0;
    for (size_t k = raw.n; k-- > 1 && raw.p[k] == '\'';)
        n_quotes++;
    return n_quotes % 2 ? NULL : not_ended;
}

static bool hex_digit(uint8_t c, uint32_t *v_ret)
{
    const uint8_t letter = c | 0x20;
    *v_ret = is_digit(c) ? c - (uint32_t)'0' : letter - (uint32_t)'a' + 10;
    return is_digit(c) || (letter >= 'a' && letter <= 'f');
}

/* The escape after a backslash at raw.p[*i]; moves *i past it. */
static bool read_escape(struct bo_span raw, size_t *i, uint32_t *code_ret)
{
    if (*i + 1 >= raw.n)
        return false;
    const uint8_t letter = raw.p[*i + 1];
    const unsigned n_digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    for (unsigned e = 0; n_digits == 0 && e < N_ESCAPES; e++)
        if ((uint8_t)escapes[e].letter == letter) {
            *code_ret = escapes[e].code;
            *i += 2;
            return true;
        }
    uint32_t code = 0, digit;
    if (n_digits == 0 || raw.n - *i - 2 < n_digits)
        return false;
    for (unsigned d = 0; d < n_digits; d++) {
        if (!hex_digit(raw.p[*i + 2 + d], &digit))
            return false;
        code = code << 4 | digit;
    }
    *i += 2 + n_digits;
    *code_ret = code;
    return code && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static const char *read_double(struct bo_span raw, struct bo_arena *arena, struct bo_span *text_ret,
                               size_t *at_ret)
{
    /* The two bytes of \L or \P represent three; no other escape represents more than its size. */
    uint8_t *to = bo_alloc_array(arena, raw.n, 2);
    size_t n = 0, i = 1;
    if (!to)
        return templight_yaml_no_memory;
    while (i < raw.n && raw.p[i] != '"') {
        uint32_t code;
        *at_ret = i;
        if (raw.p[i] != '\\') {
            to[n++] = raw.p[i++];
            continue;
        }
        if (!read_escape(raw, &i, &code))
            return "escape is not a character";
        n += bo_utf8_put(code, to + n);
    }
    *at_ret = i;
    if (i == raw.n)
        return not_ended;
    *at_ret = i + 1;
    *text_ret = (struct bo_span){to, n};
    return i + 1 == raw.n ? NULL : bytes_after;
}

static const char *read_binary(struct bo_span raw, struct bo_arena *arena, struct bo_span *text_ret,
                               size_t *at_ret)
{
    const struct bo_span digits = after(raw, sizeof binary_tag - 1);
    uint8_t *to = bo_alloc(arena, digits.n / 4 * 3);
    size_t n = 0, n_pads = 0;
    if (!to)
        return templight_yaml_no_memory;
    *at_ret = raw.n;
    if (digits.n % 4)
        return "binary text is no whole number of groups of 4 digits";
    while (n_pads < 2 && digits.n && digits.p[digits.n - 1 - n_pads] == '=')
        n_pads++;
    uint32_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        const bool is_pad = i >= digits.n - n_pads;
        const char *digit = is_pad        ? base64_digits
                            : digits.p[i] ? strchr(base64_digits, digits.p[i])
                                          : NULL;
        *at_ret = sizeof binary_tag - 1 + i;
        if (!digit)
            return "binary text is not in base64";
        v = v << 6 | (uint32_t)(digit - base64_digits);
        if (i % 4 == 3) {
            to[n++] = (uint8_t)(v >> 16);
            to[n++] = (uint8_t)(v >> 8);
            to[n++] = (uint8_t)v;
        }
    }
    *text_ret = (struct bo_span){to, n - n_pads};
    return NULL;
}

/* What YAML would read as something else than a text has quotes. */
static const char *read_plain(struct bo_span raw, struct bo_span *text_ret, size_t *at_ret)
{
    *at_ret = 0;
    const bool needs_more = raw.n && raw.p[0] && strchr("-?:", raw.p[0]);
    if (raw.n == 0)
        return "no value";
    if (needs_more ? raw.n == 1 || is_space(raw.p[1]) : is_indicator(raw.p[0]) && raw.p[0] != '\\')
        return "plain text begins with an indicator of YAML";
    for (size_t i = 0; i < raw.n; i++) {
        *at_ret = i;
        if ((raw.p[i] == ':' && (i + 1 == raw.n || is_space(raw.p[i + 1]))) ||
            (raw.p[i] == '#' && i && is_space(raw.p[i - 1])))
            return "plain text holds what ends it";
    }
    *text_ret = raw;
    return NULL;
}

const char *templight_read_scalar(struct bo_span raw, struct bo_arena *arena,
                                  struct bo_span *text_ret, size_t *at_ret)
{
    const char *flaw;
    if (raw.n && raw.p[0] == '\'')
        flaw = read_single(raw, arena, text_ret, at_ret);
    else if (raw.n && raw.p[0] == '"')
        flaw = read_double(raw, arena, text_ret, at_ret);
    else if (raw.n >= sizeof binary_tag - 1 &&
             memcmp(raw.p, binary_tag, sizeof binary_tag - 1) == 0)
        flaw = read_binary(raw, arena, text_ret, at_ret);
    else
        flaw = read_plain(raw, text_ret, at_ret);
    if (flaw || text_ret->n == 0)
        return flaw;
    *at_ret = 0;
    return memchr(text_ret->p, '\0', text_ret->n) ? "text holds a NUL" : NULL;
}
