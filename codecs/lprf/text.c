/*
 * The text form of LPRF: LLVM's .proftext, as `llvm-profdata merge --text` prints it.
 *
 *   NAME
 *   # Func Hash:
 *   HASH
 *   # Num Counters:
 *   N
 *   # Counter Values:
 *   N lines of one counter each, then an empty line
 *
 * The parser skips empty lines and lines that begin with #, wherever they are. A name is the whole
 * line. Names that such a line cannot represent are quoted: "a\x0ab". See README.md.
 */
#include "codecs/lprf/text.h"

#include <strings.h>

#include "codecs/lprf/model.h"

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Whether a name matches [+-]?[0-9]+, which LLVM may read as the start of value-profile data. */
static bool is_integer(struct bo_span line)
{
    size_t i = line.n && (line.p[0] == '+' || line.p[0] == '-');
    if (i == line.n)
        return false;
    while (i < line.n && is_digit(line.p[i]))
        i++;
    return i == line.n;
}

/* The bytes that end a line, or the text, to LLVM. */
static bool is_control(uint8_t c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

static bool needs_quotes(struct bo_span name)
{
    if (name.n == 0 || name.p[0] == '#' || name.p[0] == ':' || name.p[0] == '"')
        return true;
    for (size_t i = 0; i < name.n; i++)
        if (is_control(name.p[i]))
            return true;
    return is_integer(name);
}

void lprf_put_name(struct bo_writer *out, struct bo_span name)
{
    static const char digits[] = "0123456789abcdef";
    if (!needs_quotes(name)) {
        bo_put_bytes(out, name.p, name.n);
        return;
    }
    bo_put_u8(out, '"');
    for (size_t i = 0; i < name.n; i++) {
        const uint8_t c = name.p[i];
        if (is_control(c)) {
            const uint8_t escape[] = {'\\', 'x', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
            bo_put_bytes(out, escape, sizeof escape);
            continue;
        }
        if (c == '"' || c == '\\')
            bo_put_u8(out, '\\');
        bo_put_u8(out, c);
    }
    bo_put_u8(out, '"');
}

/* The bytes that an escape denotes, by the character after its backslash. */
static const struct {
    const char *text;
    uint8_t byte;
} escapes[] = {{"\\", '\\'}, {"\"", '"'}, {"x00", '\0'}, {"x0a", '\n'}, {"x0d", '\r'}};

/*
 * Undoes lprf_put_name on a line that begins with a quote. `to` has room for all of the line. NULL,
 * or what is wrong, at byte *at_ret of the line.
 */
static const char *unquote(struct bo_span line, uint8_t *to, size_t *n_ret, size_t *at_ret)
{
    size_t n = 0, i = 1;
    while (i < line.n && line.p[i] != '"') {
        *at_ret = i;
        if (is_control(line.p[i]))
            return "quoted name holds a raw carriage return";
        if (line.p[i] != '\\') {
            to[n++] = line.p[i++];
            continue;
        }
        const struct bo_span rest = {line.p + i + 1, line.n - i - 1};
        size_t e = 0, len = 0;
        for (; e < sizeof escapes / sizeof *escapes; e++) {
            len = strlen(escapes[e].text);
            if (rest.n >= len && memcmp(rest.p, escapes[e].text, len) == 0)
                break;
        }
        if (e == sizeof escapes / sizeof *escapes)
            return "escape is not one of \\\\ \\\" \\x00 \\x0a \\x0d";
        to[n++] = escapes[e].byte;
        i += 1 + len;
    }
    *at_ret = line.n;
    if (i == line.n)
        return "quoted name does not end on its line";
    *at_ret = i + 1;
    if (i + 1 != line.n)
        return "bytes after a quoted name";
    *at_ret = 0;
    *n_ret = n;
    if (n == 0)
        return "function without a name";
    return needs_quotes((struct bo_span){to, n}) ? NULL : "quotes around a name that needs none";
}

/* ---- printing -------------------------------------------------------------------------------- */

static void put_number_line(struct bo_writer *out, uint64_t v)
{
    bo_put_decimal(out, v);
    bo_put_u8(out, '\n');
}

static void put_line(struct bo_writer *out, const char *text)
{
    bo_put_bytes(out, text, strlen(text));
    bo_put_u8(out, '\n');
}

/* LLVM recognizes a text by its first eight bytes: printable ASCII or white space. */
static bool looks_like_text(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n && i < 8; i++)
        if ((p[i] < ' ' || p[i] > '~') && (p[i] < '\t' || p[i] > '\r'))
            return false;
    return true;
}

/* Puts a comment if LLVM would not recognize the text by the start of the first name. */
static void put_opening(struct bo_writer *out, struct bo_span first_name)
{
    const size_t start = out->n;
    lprf_put_name(out, first_name);
    const bool is_text = out->status || looks_like_text(out->p + start, out->n - start);
    bo_writer_truncate(out, start);
    if (!is_text)
        put_line(out, "# names are bytes");
}

static void put_function(struct bo_writer *out, const struct lprf_function *function)
{
    lprf_put_name(out, function->name);
    put_line(out, "\n# Func Hash:");
    put_number_line(out, function->hash);
    put_line(out, "# Num Counters:");
    put_number_line(out, function->n_counters);
    put_line(out, "# Counter Values:");
    for (size_t i = 0; i < function->n_counters; i++)
        put_number_line(out, function->counters[i]);
    bo_put_u8(out, '\n');
}

enum bo_status lprf_print(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct lprf_model *model = opaque;
    if (model->n_functions)
        put_opening(out, model->functions[0].name);
    for (size_t f = 0; f < model->n_functions && !out->status; f++)
        put_function(out, &model->functions[f]);
    return bo_writer_status(out, err);
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct parser {
    struct bo_span text;
    size_t off;          /* where reading goes on */
    struct bo_span line; /* the line taken last, without its end */
    size_t line_off;
    struct bo_arena *arena;
    struct bo_error *err;
    struct lprf_key_table keys;
    struct lprf_function *functions;
    size_t n, cap;
};

static enum bo_status fail_line(const struct parser *p, enum bo_status status, const char *what)
{
    return bo_fail(p->err, status, p->line_off, what);
}

/*
 * Takes the next line that is neither empty nor a comment; false, with an empty line, at the end.
 */
static bool take_line(struct parser *p)
{
    while (p->off < p->text.n) {
        const uint8_t *start = p->text.p + p->off;
        const size_t left = p->text.n - p->off;
        const uint8_t *newline = memchr(start, '\n', left);
        size_t n = newline ? (size_t)(newline - start) : left;
        p->line_off = p->off;
        p->off += n + (newline != NULL);
        if (newline && n && start[n - 1] == '\r')
            n--;
        p->line = (struct bo_span){start, n};
        if (n && start[0] != '#')
            return true;
    }
    p->line = (struct bo_span){p->text.p, 0};
    p->line_off = p->text.n;
    return false;
}

/* Digits of a base up to 16; leading zeros are allowed. */
static bool parse_digits(struct bo_span digits, unsigned base, uint64_t *v_ret)
{
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        const uint8_t c = digits.p[i], letter = c | 0x20;
        const unsigned digit = is_digit(c)                      ? c - (unsigned)'0'
                               : letter >= 'a' && letter <= 'f' ? letter - (unsigned)'a' + 10
                                                                : base;
        if (digit >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            return false;
    }
    *v_ret = v;
    return digits.n > 0;
}

/* A hash's prefix selects its base: 0x, 0b, 0o, or 0 and a digit for octal. */
bool lprf_parse_hash(struct bo_span text, uint64_t *hash_ret)
{
    const uint8_t second = text.n > 1 && text.p[0] == '0' ? text.p[1] : 0;
    const struct bo_span rest = second ? (struct bo_span){text.p + 2, text.n - 2} : text;
    if (second == 'x' || second == 'X')
        return parse_digits(rest, 16, hash_ret);
    if (second == 'b' || second == 'B')
        return parse_digits(rest, 2, hash_ret);
    if (second == 'o')
        return parse_digits(rest, 8, hash_ret);
    return parse_digits(text, is_digit(second) ? 8 : 10, hash_ret);
}

/* Reads the next line, which must exist. */
static enum bo_status need_line(struct parser *p, const char *what)
{
    return take_line(p) ? BO_OK : fail_line(p, BO_TRUNCATED, what);
}

/* Lines that begin with a colon, before the first function; leaves the line after them taken. */
static enum bo_status parse_flags(struct parser *p, bool *more_ret)
{
    while ((*more_ret = take_line(p)) && p->line.p[0] == ':') {
        char flag[16] = {0};
        if (p->line.n - 1 < sizeof flag)
            memcpy(flag, p->line.p + 1, p->line.n - 1);
        if (strcasecmp(flag, "ir") == 0 || strcasecmp(flag, "csir") == 0)
            return fail_line(p, BO_UNSUPPORTED,
                             "profile of instrumented IR; only a front end's is supported");
        if (strcasecmp(flag, "fe") != 0)
            return fail_line(p, BO_UNSUPPORTED, "file flag is not :fe");
    }
    return BO_OK;
}

/* The name that the line taken last holds, copied. */
static enum bo_status parse_name(const struct parser *p, struct bo_span *name_ret)
{
    size_t n = p->line.n, at = 0;
    uint8_t *name = bo_alloc(p->arena, n);
    if (!name)
        return bo_fail_alloc(p->err, p->arena);
    if (p->line.p[0] == '"') {
        const char *flaw = unquote(p->line, name, &n, &at);
        if (flaw)
            return bo_fail(p->err, BO_CORRUPT, p->line_off + at, flaw);
    } else {
        memcpy(name, p->line.p, n);
    }
    *name_ret = (struct bo_span){name, n};
    return BO_OK;
}

/* The number of counters: no more than the rest of the text has lines for. */
static enum bo_status parse_n_counters(struct parser *p, size_t *n_ret)
{
    uint64_t n;
    enum bo_status status = need_line(p, "text ends before a number of counters");
    if (status)
        return status;
    if (!parse_digits(p->line, 10, &n))
        return fail_line(p, BO_CORRUPT, "number of counters is not a decimal number below 2^64");
    if (n == 0)
        return fail_line(p, BO_CORRUPT, "function without counters");
    if (n > (p->text.n - p->off + 1) / 2)
        return fail_line(p, BO_TRUNCATED, "more counters than the text has lines left");
    *n_ret = (size_t)n;
    return BO_OK;
}

static enum bo_status parse_counters(struct parser *p, struct lprf_function *function)
{
    uint64_t *counters = bo_alloc_array(p->arena, function->n_counters, sizeof *counters);
    if (!counters)
        return bo_fail_alloc(p->err, p->arena);
    function->counters = counters;
    for (size_t i = 0; i < function->n_counters; i++) {
        const enum bo_status status = need_line(p, "text ends before a function's last counter");
        if (status)
            return status;
        if (!parse_digits(p->line, 10, &counters[i]))
            return fail_line(p, BO_CORRUPT, "counter is not a decimal number below 2^64");
    }
    return BO_OK;
}

/* A record, whose name is the line taken last. */
static enum bo_status parse_function(struct parser *p, struct lprf_function *function)
{
    enum bo_status status = parse_name(p, &function->name);
    if (!status)
        status = need_line(p, "text ends before a function's hash");
    if (status)
        return status;
    if (!lprf_parse_hash(p->line, &function->hash))
        return fail_line(p, BO_CORRUPT, "hash is not a number below 2^64");
    status = parse_n_counters(p, &function->n_counters);
    return status ? status : parse_counters(p, function);
}

/* The line taken last starts a record, which is added to the model. */
static enum bo_status parse_record(struct parser *p)
{
    const size_t off = p->line_off;
    uint64_t n_kinds;
    if (p->n && parse_digits(p->line, 10, &n_kinds) && n_kinds <= UINT32_MAX)
        return fail_line(p, BO_UNSUPPORTED, "value profiles are not supported");
    if (!bo_grow(p->arena, &p->functions, p->n, 1, &p->cap))
        return bo_fail_alloc(p->err, p->arena);
    struct lprf_function *const functions = p->functions;
    size_t number;
    const enum bo_status status = parse_function(p, &functions[p->n]);
    if (status)
        return status;
    if (!lprf_keys_add(&p->keys, functions, &functions[p->n], &number))
        return bo_fail_alloc(p->err, p->arena);
    if (number != p->n)
        return bo_fail(p->err, BO_CORRUPT, off, "two functions have the same name and hash");
    p->n++;
    return BO_OK;
}

enum bo_status lprf_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                          struct bo_error *err)
{
    struct parser p = {.text = text, .arena = arena, .err = err};
    const uint8_t *nul = text.n ? memchr(text.p, '\0', text.n) : NULL;
    if (nul)
        return bo_fail(err, BO_CORRUPT, (uint64_t)(nul - text.p), "text holds a NUL");
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    if (!model || !lprf_keys_init(&p.keys, 0, arena))
        return bo_fail_alloc(err, arena);
    bool more;
    enum bo_status status = parse_flags(&p, &more);
    while (!status && more) {
        status = parse_record(&p);
        more = take_line(&p);
    }
    if (status)
        return status;
    *model = (struct lprf_model){p.n, p.functions};
    *model_ret = model;
    return BO_OK;
}
