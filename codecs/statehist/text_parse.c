/*
 * Reading the text form of state histories, in one pass. What is wrong only between lines (a gap, a
 * name that a sibling has) comes to light at the end; then the text is gone through again to find
 * the line.
 */
#include "codecs/statehist/model.h"
#include "codecs/statehist/text.h"
#include "harness/core/doubles.h"
#include "harness/core/text.h"
#include "harness/core/utf8.h"

/* What comments say. */
enum fact { QUARKS, INTERVALS, START, END, N_FACTS };

static const char *const fact_names[N_FACTS] = {
    "# quarks: ", "# intervals: ", "# start: ", "# end: "};

struct parser {
    struct bo_span text;
    struct bo_span line; /* what is left of the line that is being read */
    size_t off;          /* of the next line */
    struct bo_arena *arena;
    struct bo_error *err;
    struct statehist_builder builder;
    int64_t facts[N_FACTS];
    bool is_given[N_FACTS];
    int64_t last_end; /* of the interval before */
};

static enum bo_status fail_at(const struct parser *p, const uint8_t *at, const char *what)
{
    return bo_fail(p->err, BO_CORRUPT, (uint64_t)(at - p->text.p), what);
}

/* ---- lines and fields ------------------------------------------------------------------------ */

/* The next line, without its end; false at the end of the text or where that cuts a line. */
static bool take_line(struct parser *p)
{
    const uint8_t *start = p->text.p + p->off;
    const uint8_t *newline = p->off < p->text.n ? memchr(start, '\n', p->text.n - p->off) : NULL;
    if (!newline)
        return false;
    p->line = (struct bo_span){start, (size_t)(newline - start)};
    p->off += p->line.n + 1;
    return true;
}

/* The text before the next tab. Consumes both. Returns false without a tab. */
static inline bool take_field(struct parser *p, struct bo_span *field_ret)
{
    const uint8_t *at = p->line.p, *end = at + p->line.n;
    while (at < end && *at != '\t')
        at++;
    if (at == end)
        return false;
    *field_ret = (struct bo_span){p->line.p, (size_t)(at - p->line.p)};
    p->line = (struct bo_span){at + 1, (size_t)(end - at - 1)};
    return true;
}

/* Most numbers are times of 19 digits: these are read without a care for the limits. */
static inline bool read_number(struct bo_span word, int64_t *v_ret)
{
    uint64_t v = 0;
    if (word.n == 0 || word.n > 18 || word.p[0] == '0' || word.p[0] == '-')
        return bo_parse_i64(word, INT64_MIN, INT64_MAX, v_ret);
    for (size_t i = 0; i < word.n; i++) {
        const unsigned digit = word.p[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        v = 10 * v + digit;
    }
    *v_ret = (int64_t)v;
    return true;
}

static enum bo_status take_number(struct parser *p, int64_t least, int64_t most, const char *what,
                                  int64_t *v_ret)
{
    struct bo_span word;
    const uint8_t *at = p->line.p;
    if (!take_field(p, &word))
        return fail_at(p, at, "line has too few fields");
    if (!read_number(word, v_ret) || *v_ret < least || *v_ret > most)
        return fail_at(p, at, what);
    return BO_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int unescaped(uint8_t letter)
{
    switch (letter) {
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case '\\':
        return '\\';
    case '0':
        return '\0';
    default:
        return -1;
    }
}

/* The rest of the line as a text; it may be in scratch memory of the arena. */
static enum bo_status read_text(struct parser *p, struct bo_span *text_ret)
{
    const struct bo_span raw = p->line;
    const uint8_t *flaw = memchr(raw.p, '\t', raw.n);
    if (flaw)
        return fail_at(p, flaw, "tab in a text, or too many fields");
    flaw = memchr(raw.p, '\r', raw.n);
    if (flaw)
        return fail_at(p, flaw, "carriage return in a text, or at the end of a line");
    if (!bo_is_utf8(raw))
        return fail_at(p, raw.p, "text is not UTF-8");
    *text_ret = raw;
    const uint8_t *backslash = memchr(raw.p, '\\', raw.n);
    if (!backslash)
        return BO_OK;
    uint8_t *to = bo_alloc(p->arena, raw.n);
    if (!to)
        return bo_fail_alloc(p->err, p->arena);
    size_t n = 0;
    for (size_t i = 0; i < raw.n; i++) {
        int c = raw.p[i];
        if (c == '\\') {
            c = i + 1 < raw.n ? unescaped(raw.p[i + 1]) : -1;
            if (c < 0)
                return fail_at(p, raw.p + i, "unknown escape");
            i++;
        }
        to[n++] = (uint8_t)c;
    }
    *text_ret = (struct bo_span){to, n};
    return BO_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum bo_status read_double(struct parser *p, uint64_t *bits_ret)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    static const uint64_t bits[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000000),
                                    UINT64_C(0xfff0000000000000)};
    const struct bo_span word = p->line;
    struct bo_span digits;
    for (unsigned i = 0; i < 3; i++)
        if (bo_word_is(word, words[i])) {
            *bits_ret = bits[i];
            return BO_OK;
        }
    if (!bo_word_after(word, "0x", &digits))
        return bo_parse_double(word, bits_ret)
                   ? BO_OK
                   : fail_at(p, word.p, "value is not a double, or exceeds its range");
    *bits_ret = 0;
    for (size_t i = 0; i < digits.n; i++) {
        const uint8_t c = digits.p[i];
        const unsigned digit = c >= '0' && c <= '9'   ? c - (unsigned)'0'
                               : c >= 'a' && c <= 'f' ? c - 'a' + 10u
                                                      : 16;
        if (digit == 16)
            return fail_at(p, word.p, "bits of a NaN are not 16 lower-case hexadecimal digits");
        *bits_ret = *bits_ret << 4 | digit;
    }
    if (digits.n != 16 || bo_double_is_finite(*bits_ret) || *bits_ret << 12 == 0)
        return fail_at(p, word.p, "bits of a NaN are not 16 lower-case hexadecimal digits");
    return BO_OK;
}

static enum bo_status read_string(struct parser *p, uint64_t *value_ret)
{
    struct bo_span string;
    uint32_t number;
    const enum bo_status status = read_text(p, &string);
    if (status)
        return status;
    if (!statehist_add_string(&p->builder, string, &number))
        return bo_fail_alloc(p->err, p->arena);
    *value_ret = number;
    return BO_OK;
}

/* The rest of the line, after the type's letter and a tab. */
static enum bo_status read_value(struct parser *p, uint8_t letter,
                                 struct statehist_interval *interval)
{
    int64_t v;
    interval->value = 0;
    switch (letter) {
    case 'n':
        interval->type = STATEHIST_NULL;
        return p->line.n ? fail_at(p, p->line.p, "null has a value") : BO_OK;
    case 'i':
    case 'l':
        interval->type = letter == 'i' ? STATEHIST_INT : STATEHIST_LONG;
        if (!read_number(p->line, &v))
            return fail_at(p, p->line.p, "value is not an integer, or exceeds 64 bits");
        if (letter == 'i' && v != (int32_t)v)
            return fail_at(p, p->line.p, "int does not fit 32 bits");
        interval->value = (uint64_t)v;
        return BO_OK;
    case 'd':
        interval->type = STATEHIST_DOUBLE;
        return read_double(p, &interval->value);
    case 's':
        interval->type = STATEHIST_STRING;
        return read_string(p, &interval->value);
    default:
        interval->type = STATEHIST_BOOL;
        interval->value = bo_word_is(p->line, "true");
        return interval->value || bo_word_is(p->line, "false")
                   ? BO_OK
                   : fail_at(p, p->line.p, "bool is neither true nor false");
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum bo_status read_attribute(struct parser *p, const uint8_t *start)
{
    int64_t quark, parent;
    struct bo_span name;
    const uint32_t n = p->builder.n_quarks;
    enum bo_status status =
        take_number(p, n, n, "quark is not the one after that of the line before", &quark);
    if (!status && p->is_given[QUARKS] && n >= p->facts[QUARKS])
        status = fail_at(p, start, "more quarks than announced");
    if (!status)
        status =
            take_number(p, -1, (int64_t)n - 1, "parent is neither -1 nor a smaller quark", &parent);
    if (!status)
        status = read_text(p, &name);
    if (status)
        return status;
    if (name.n && memchr(name.p, '\0', name.n))
        return fail_at(p, p->line.p, "name holds a NUL");
    return statehist_add_attribute(&p->builder, name,
                                   parent < 0 ? STATEHIST_ROOT : (uint32_t)parent)
               ? BO_OK
               : bo_fail_alloc(p->err, p->arena);
}

static enum bo_status read_interval(struct parser *p, const uint8_t *start)
{
    struct statehist_interval interval = {0};
    struct bo_span type;
    int64_t quark;
    enum bo_status status = BO_OK;
    if (!p->is_given[START] || !p->is_given[END])
        return fail_at(p, start, "interval before the start and the end of the history");
    if (p->is_given[INTERVALS] && p->builder.n_intervals >= (uint64_t)p->facts[INTERVALS])
        return fail_at(p, start, "more intervals than announced");
    status = take_number(p, 0, (int64_t)p->builder.n_quarks - 1, "quark is out of range", &quark);
    if (status)
        return status;
    interval.quark = (uint32_t)quark;
    const uint8_t *at = p->line.p;
    status = take_number(p, p->facts[START], p->facts[END],
                         "start is no number, or outside of the history", &interval.start);
    if (status)
        return status;
    at = p->line.p;
    status = take_number(p, p->facts[START], p->facts[END],
                         "end is no number, or outside of the history", &interval.end);
    if (status)
        return status;
    if (interval.end < interval.start)
        return fail_at(p, at, "interval ends before it starts");
    if (interval.end < p->last_end)
        return fail_at(p, at, "end precedes that of the interval before");
    p->last_end = interval.end;
    at = p->line.p;
    if (!take_field(p, &type))
        return fail_at(p, at, "line has too few fields");
    if (type.n != 1 || !memchr("nildsb", type.p[0], 6))
        return fail_at(p, at, "unknown type");
    status = read_value(p, type.p[0], &interval);
    if (status)
        return status;
    return statehist_add_interval(&p->builder, &interval) ? BO_OK : bo_fail_alloc(p->err, p->arena);
}

/* Reserves memory for the announced counts, but for no more than the rest of the text can hold. */
static enum bo_status reserve(struct parser *p, enum fact fact)
{
    enum { SHORTEST_QUARK = sizeof "Q\t0\t-1\t", SHORTEST_INTERVAL = sizeof "I\t0\t0\t0\tn\t" };
    const uint64_t announced = (uint64_t)p->facts[fact];
    const size_t left = p->text.n - p->off;
    const size_t most = left / (fact == QUARKS ? (size_t)SHORTEST_QUARK : SHORTEST_INTERVAL);
    const size_t n = announced < most ? (size_t)announced : most;
    if (fact == START || fact == END)
        return BO_OK;
    return statehist_reserve(&p->builder, fact == QUARKS ? n : 0, fact == INTERVALS ? n : 0)
               ? BO_OK
               : bo_fail_alloc(p->err, p->arena);
}

/* Of `# key: value` the keys above count; other comments are for people. */
static enum bo_status read_comment(struct parser *p, const uint8_t *start)
{
    struct bo_span word;
    for (unsigned fact = 0; fact < N_FACTS; fact++) {
        if (!bo_word_after(p->line, fact_names[fact], &word))
            continue;
        const bool is_count = fact < START;
        if (p->is_given[fact])
            return fail_at(p, start, "duplicate header line");
        if (!read_number(word, &p->facts[fact]) ||
            (is_count && (p->facts[fact] < 0 || p->facts[fact] > UINT32_MAX)))
            return fail_at(p, word.p,
                           is_count ? "count is not an integer below 2^32"
                                    : "time is not an integer");
        p->is_given[fact] = true;
        if (is_count && (uint64_t)p->facts[fact] <
                            (fact == QUARKS ? p->builder.n_quarks : p->builder.n_intervals))
            return fail_at(p, word.p, "count is less than the number of lines before it");
        if (p->is_given[START] && p->is_given[END] && p->facts[START] > p->facts[END])
            return fail_at(p, word.p, "history ends before it starts");
        return reserve(p, (enum fact)fact);
    }
    return BO_OK;
}

static enum bo_status read_line(struct parser *p)
{
    const uint8_t *start = p->line.p;
    struct bo_span kind;
    if (p->line.n == 0)
        return BO_OK;
    if (start[0] == '#')
        return read_comment(p, start);
    if (!take_field(p, &kind) || kind.n != 1 || (kind.p[0] != 'Q' && kind.p[0] != 'I'))
        return fail_at(p, start, "line is neither a comment nor Q nor I");
    return kind.p[0] == 'I' ? read_interval(p, start) : read_attribute(p, start);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The offset of the n-th line of a kind, counted from 0. The line must exist. */
static size_t find_line(const struct parser *p, uint8_t kind, size_t n)
{
    struct parser again = {.text = p->text};
    while (take_line(&again))
        if (again.line.n && again.line.p[0] == kind && n-- == 0)
            return (size_t)(again.line.p - p->text.p);
    return p->text.n;
}

static enum bo_status fail_whole(const struct parser *p, enum bo_status status,
                                 const struct statehist_flaw *flaw)
{
    size_t off = p->text.n;
    if (status == BO_CORRUPT && flaw->interval != SIZE_MAX)
        off = find_line(p, 'I', flaw->interval);
    else if (status == BO_CORRUPT && !flaw->has_times && flaw->quark != STATEHIST_ROOT)
        off = find_line(p, 'Q', flaw->quark);
    status = statehist_fail(p->err, status, off, flaw, p->arena);
    /* The intervals that close last are missing: so the text ends too early. */
    if (status == BO_CORRUPT && off == p->text.n) {
        status = BO_TRUNCATED;
        if (p->err)
            p->err->status = status;
    }
    return status;
}

static enum bo_status check_end(const struct parser *p)
{
    const size_t n = p->text.n;
    if (p->off < n)
        return bo_fail(p->err, BO_TRUNCATED, n, "text ends within a line");
    if (!p->is_given[START] || !p->is_given[END])
        return bo_fail(p->err, BO_TRUNCATED, n, "start or end of the history is missing");
    if (p->is_given[QUARKS] && p->builder.n_quarks < p->facts[QUARKS])
        return bo_fail(p->err, BO_TRUNCATED, n, "fewer quarks than announced");
    if (p->is_given[INTERVALS] && p->builder.n_intervals < (uint64_t)p->facts[INTERVALS])
        return bo_fail(p->err, BO_TRUNCATED, n, "fewer intervals than announced");
    return BO_OK;
}

enum bo_status statehist_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err)
{
    struct parser p = {.text = text, .arena = arena, .err = err, .last_end = INT64_MIN};
    struct statehist_model *model;
    struct statehist_flaw flaw;
    if (!text.p)
        p.text.p = (const uint8_t *)"";
    if (!statehist_builder_init(&p.builder, true, arena))
        return bo_fail_alloc(err, arena);
    if (text.n && p.text.p[0] != '#')
        return bo_fail(err, BO_CORRUPT, 0, "first line is not `# statehistory-tsv 1`");
    if (!take_line(&p))
        return bo_fail(err, BO_TRUNCATED, text.n, "text ends within its first line");
    if (!bo_word_is(p.line, "# statehistory-tsv 1"))
        return bo_fail(err, BO_UNSUPPORTED, 0, "first line is not `# statehistory-tsv 1`");
    while (take_line(&p)) {
        const enum bo_status status = read_line(&p);
        if (status)
            return status;
    }
    enum bo_status status = check_end(&p);
    if (status)
        return status;
    status = statehist_finish(&p.builder, p.facts[START], p.facts[END], &model, &flaw);
    if (status)
        return fail_whole(&p, status, &flaw);
    *model_ret = model;
    return BO_OK;
}
