/* The text form of records: lines of values, or lines of JSON. */
#include <inttypes.h>

#include "harness/core/text.h"
#include "harness/core/utf8.h"
#include "harness/records.h"

/* ---- printing -------------------------------------------------------------------------------- */

static void put_name(enum bo_record_text text, struct bo_span name, struct bo_writer *out)
{
    if (text == BO_LINES && name.n == 0)
        bo_put_text(out, "\\e");
    for (size_t i = 0; i < name.n; i++) {
        const uint8_t byte = name.p[i];
        if (byte == '\\' || (text == BO_JSON && byte == '"'))
            bo_put_text(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            bo_put_text(out, text == BO_JSON ? "\\u%04x" : "\\x%02x", byte);
        else
            bo_put_u8(out, byte);
    }
}

static void put_value(const struct bo_shape *shape, const struct bo_field *field,
                      const void *record, struct bo_writer *out)
{
    const char *quote = shape->text == BO_JSON ? "\"" : "";
    if (field->form == BO_NAME) {
        bo_put_text(out, "%s", quote);
        put_name(shape->text,
                 *(const struct bo_span *)(const void *)((const uint8_t *)record + field->off),
                 out);
        bo_put_text(out, "%s", quote);
        return;
    }
    const uint64_t v = bo_field_number(field, record);
    if (field->optional && v == bo_field_none(field))
        bo_put_text(out, "%s", shape->text == BO_JSON ? "null" : "-");
    else if (field->form == BO_HEX)
        bo_put_text(out, "%s0x%" PRIx64 "%s", quote, v, quote);
    else if (field->form == BO_SIGNED)
        bo_put_text(out, "%" PRId64, (int64_t)v);
    else
        bo_put_text(out, "%" PRIu64, v);
}

enum bo_status bo_records_print(const struct bo_shape *shape, const void *model,
                                struct bo_writer *out, struct bo_error *err)
{
    const struct bo_records *records = model;
    const bool json = shape->text == BO_JSON;
    bo_put_text(out, json ? "{\"format\": \"%s\", \"version\": 1}\n" : "%s 1\n", shape->name);
    for (size_t i = 0; i < records->n; i++) {
        for (unsigned f = 0; f < shape->n_fields; f++) {
            if (json)
                bo_put_text(out, "%s\"%s\": ", f ? ", " : "{", shape->fields[f].name);
            else if (f)
                bo_put_text(out, " ");
            put_value(shape, &shape->fields[f], bo_record(shape, records, i), out);
        }
        bo_put_text(out, json ? "}\n" : "\n");
    }
    return bo_writer_status(out, err);
}

/* ---- parsing values -------------------------------------------------------------------------- */

static bool hex_digit(uint8_t c, unsigned *v_ret)
{
    *v_ret = c <= '9' ? c - (unsigned)'0' : c - (unsigned)'a' + 10;
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Parses 0x and 1 to 16 lower-case digits without leading zeros. */
static bool parse_hex(struct bo_span word, uint64_t *v_ret)
{
    struct bo_span digits;
    unsigned digit;
    if (!bo_word_after(word, "0x", &digits) || digits.n == 0 || digits.n > 16 ||
        (digits.n > 1 && digits.p[0] == '0'))
        return false;
    *v_ret = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (!hex_digit(digits.p[i], &digit))
            return false;
        *v_ret = *v_ret << 4 | digit;
    }
    return true;
}

static bool parse_number(const struct bo_shape *shape, const struct bo_field *field,
                         struct bo_span word, void *record)
{
    const int64_t least = INT64_MIN >> (64 - 8 * field->nbytes);
    uint64_t v = 0;
    int64_t number = 0;
    if (field->optional && bo_word_is(word, shape->text == BO_JSON ? "null" : "-"))
        v = bo_field_none(field);
    else if (field->form == BO_SIGNED ? !bo_parse_i64(word, least, ~least, &number)
             : field->form == BO_HEX  ? !parse_hex(word, &v) || v > bo_field_max(field)
                                      : !bo_parse_u64(word, bo_field_max(field), &v))
        return false;
    bo_field_set_number(field, record, field->form == BO_SIGNED ? (uint64_t)number : v);
    return true;
}

/* Reads \x or \u and its digits at p[0]. Returns their length, or 0. */
static size_t take_digits(char letter, size_t n_digits, const uint8_t *p, size_t n, uint32_t *v_ret)
{
    unsigned digit;
    if (n < 2 + n_digits || p[0] != '\\' || p[1] != letter)
        return 0;
    *v_ret = 0;
    for (size_t i = 0; i < n_digits; i++) {
        const uint8_t c = p[2 + i];
        if (!hex_digit(n_digits == 4 && c >= 'A' && c <= 'F' ? c | 0x20 : c, &digit))
            return 0;
        *v_ret = *v_ret << 4 | digit;
    }
    return 2 + n_digits;
}

/* As take_escape, for those of JSON. Above U+FFFF, \ud83d\ude00 are two halves of a code point. */
static size_t take_json_escape(const uint8_t *p, size_t n, uint32_t *code_ret)
{
    static const char letters[] = "\\\"/bfnrt", codes[] = "\\\"/\b\f\n\r\t";
    const char *letter = memchr(letters, p[1], sizeof letters - 1);
    uint32_t low;
    if (letter) {
        *code_ret = (uint8_t)codes[letter - letters];
        return 2;
    }
    const size_t first = take_digits('u', 4, p, n, code_ret);
    if (!first || *code_ret < 0xd800 || *code_ret > 0xdfff)
        return first;
    const size_t second = take_digits('u', 4, p + first, n - first, &low);
    if (!second || *code_ret > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return 0;
    *code_ret = 0x10000 + ((*code_ret - 0xd800) << 10 | (low - 0xdc00));
    return first + second;
}

/*
 * Reads an escape at p[0], a backslash, of n bytes: the code of its character, in lines of its
 * byte. Returns its length, or 0 when it is invalid.
 */
static size_t take_escape(enum bo_record_text text, const uint8_t *p, size_t n, uint32_t *code_ret)
{
    if (n < 2)
        return 0;
    if (text == BO_JSON)
        return take_json_escape(p, n, code_ret);
    *code_ret = '\\';
    if (p[1] == '\\')
        return 2;
    const size_t taken = take_digits('x', 2, p, n, code_ret);
    return *code_ret < 0x20 || *code_ret == 0x7f ? taken : 0;
}

/*
 * Decodes the name `written` into the arena. Returns NULL with a NULL name when the arena refuses.
 */
static const char *parse_name(enum bo_record_text text, struct bo_span written,
                              struct bo_arena *arena, struct bo_span *name_ret, size_t *at_ret)
{
    uint8_t *name = bo_alloc(arena, written.n);
    size_t n = 0;
    if (!name)
        return NULL;
    if (text == BO_LINES && bo_word_is(written, "\\e"))
        written.n = 0;
    else if (text == BO_LINES && written.n == 0)
        return "name is missing; an empty one is written as \\e";
    for (size_t i = 0; i < written.n;) {
        const uint8_t byte = written.p[i];
        uint32_t code;
        *at_ret = i;
        if (byte == '\\') {
            const size_t taken = take_escape(text, written.p + i, written.n - i, &code);
            if (!taken)
                return "escape is not one of those of a name";
            n += bo_utf8_put(code, name + n); /* not longer than the escape */
            i += taken;
            continue;
        }
        if (byte < 0x20 || (byte == 0x7f && text == BO_LINES))
            return "control character in a name without an escape";
        name[n++] = byte;
        i++;
    }
    *name_ret = (struct bo_span){name, n};
    *at_ret = 0;
    return text == BO_JSON && !bo_is_utf8(*name_ret) ? "name is not UTF-8" : NULL;
}

/* ---- parsing lines --------------------------------------------------------------------------- */

struct parser {
    const struct bo_shape *shape;
    struct bo_line line;
    struct bo_arena *arena;
    struct bo_error *err;
};

static enum bo_status fail_at(const struct parser *p, size_t off, const char *what)
{
    return bo_fail(p->err, BO_CORRUPT, off, what);
}

static void skip(struct parser *p, size_t n)
{
    p->line.rest = (struct bo_span){p->line.rest.p + n, p->line.rest.n - n};
    p->line.off += n;
}

static enum bo_status take_name(struct parser *p, const struct bo_field *field, size_t n,
                                void *record)
{
    struct bo_span name = {NULL, 0};
    size_t at = 0;
    const struct bo_span written = {p->line.rest.p, n};
    const char *flaw = parse_name(p->shape->text, written, p->arena, &name, &at);
    if (flaw)
        return fail_at(p, p->line.off + at, flaw);
    if (!name.p)
        return bo_fail_alloc(p->err, p->arena);
    memcpy((uint8_t *)record + field->off, &name, sizeof name);
    skip(p, n);
    return BO_OK;
}

/* Reads the values of a line, which are separated by one space. */
static enum bo_status take_words(struct parser *p, void *record)
{
    for (unsigned f = 0; f < p->shape->n_fields; f++) {
        const struct bo_field *field = &p->shape->fields[f];
        if (f && !p->line.rest.n)
            return fail_at(p, p->line.off, field->missing);
        skip(p, f > 0);
        if (field->form == BO_NAME)
            return take_name(p, field, p->line.rest.n, record);
        const uint8_t *end = p->line.rest.n ? memchr(p->line.rest.p, ' ', p->line.rest.n) : NULL;
        const struct bo_span word = {p->line.rest.p,
                                     end ? (size_t)(end - p->line.rest.p) : p->line.rest.n};
        if (!parse_number(p->shape, field, word, record))
            return fail_at(p, p->line.off, field->wrong);
        skip(p, word.n);
    }
    return p->line.rest.n ? fail_at(p, p->line.off, "text after the last field") : BO_OK;
}

/* ---- parsing JSON ---------------------------------------------------------------------------- */

static void skip_blanks(struct parser *p)
{
    while (p->line.rest.n && (p->line.rest.p[0] == ' ' || p->line.rest.p[0] == '\t'))
        skip(p, 1);
}

static bool take_token(struct parser *p, const char *token)
{
    struct bo_span rest;
    skip_blanks(p);
    if (!bo_word_after(p->line.rest, token, &rest))
        return false;
    skip(p, strlen(token));
    return true;
}

/* Reads a string of exactly these bytes, without escapes. */
static bool take_string(struct parser *p, const char *string)
{
    const size_t n = strlen(string);
    skip_blanks(p);
    const struct bo_span rest = p->line.rest;
    if (rest.n < n + 2 || rest.p[0] != '"' || memcmp(rest.p + 1, string, n) || rest.p[n + 1] != '"')
        return false;
    skip(p, n + 2);
    return true;
}

/* The bytes up to the quote that ends an open string. False without such a quote. */
static bool string_nbytes(const struct parser *p, size_t *n_ret)
{
    const struct bo_span rest = p->line.rest;
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '"')
        n += rest.p[n] == '\\' ? 2 : 1;
    *n_ret = n;
    return n < rest.n;
}

static enum bo_status take_json_value(struct parser *p, const struct bo_field *field, void *record)
{
    const bool quoted = take_token(p, "\"");
    const size_t at = p->line.off;
    size_t n = 0;
    if (quoted && !string_nbytes(p, &n))
        return fail_at(p, at, "string has no end");
    while (!quoted && n < p->line.rest.n && !memchr(" \t,}", p->line.rest.p[n], 4))
        n++;
    const struct bo_span word = {p->line.rest.p, n};
    const bool null = field->optional && !quoted && bo_word_is(word, "null");
    if (quoted != (field->form == BO_NAME || field->form == BO_HEX) && !null)
        return fail_at(p, at, field->wrong);
    if (field->form == BO_NAME) {
        const enum bo_status status = take_name(p, field, n, record);
        if (status)
            return status;
    } else if ((quoted && bo_word_is(word, "null")) ||
               !parse_number(p->shape, field, word, record)) {
        return fail_at(p, at, field->wrong);
    } else {
        skip(p, n);
    }
    skip(p, quoted);
    return BO_OK;
}

static enum bo_status take_object(struct parser *p, void *record)
{
    for (unsigned f = 0; f < p->shape->n_fields; f++) {
        const struct bo_field *field = &p->shape->fields[f];
        if (!take_token(p, f ? "," : "{") || !take_string(p, field->name) || !take_token(p, ":"))
            return fail_at(p, p->line.off, field->missing);
        const enum bo_status status = take_json_value(p, field, record);
        if (status)
            return status;
    }
    if (!take_token(p, "}"))
        return fail_at(p, p->line.off, "object does not end after its last field");
    skip_blanks(p);
    return p->line.rest.n ? fail_at(p, p->line.off, "text after the last field") : BO_OK;
}

/* ---- the document ---------------------------------------------------------------------------- */

static bool take_first_line(struct parser *p, struct bo_text *text)
{
    struct bo_span version;
    if (!bo_text_line(text, &p->line))
        return false;
    if (p->shape->text == BO_LINES)
        return bo_word_after(p->line.rest, p->shape->name, &version) && bo_word_is(version, " 1");
    return take_token(p, "{") && take_string(p, "format") && take_token(p, ":") &&
           take_string(p, p->shape->name) && take_token(p, ",") && take_string(p, "version") &&
           take_token(p, ":") && take_token(p, "1") && take_token(p, "}") && p->line.rest.n == 0;
}

enum bo_status bo_records_parse(const struct bo_shape *shape, struct bo_span text,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct parser p = {.shape = shape, .arena = arena, .err = err};
    struct bo_text in = {text, 0};
    struct bo_records *records = bo_alloc(arena, sizeof *records);
    uint8_t *items = NULL;
    size_t n = 0, cap = 0;
    const char *declaration = bo_shape_flaw(shape);
    if (declaration)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, declaration);
    if (!records)
        return bo_fail_alloc(err, arena);
    if (!take_first_line(&p, &in))
        return fail_at(&p, p.line.off, "first line does not name the format and its version 1");
    while (bo_text_line(&in, &p.line)) {
        const size_t off = p.line.off;
        if (n == cap && !bo_grow_full(arena, &items, n, 1, &cap, 16, shape->record_nbytes))
            return bo_fail_alloc(err, arena);
        uint8_t *record = items + n * shape->record_nbytes;
        memset(record, 0, shape->record_nbytes);
        const enum bo_status status =
            shape->text == BO_JSON ? take_object(&p, record) : take_words(&p, record);
        if (status)
            return status;
        const char *flaw = bo_record_flaw(shape, n ? record - shape->record_nbytes : NULL, record);
        if (flaw)
            return fail_at(&p, off, flaw);
        n++;
    }
    *records = (struct bo_records){items, n};
    *model_ret = records;
    return BO_OK;
}
