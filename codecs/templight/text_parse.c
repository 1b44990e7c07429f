/*
 * Reading the text form of Templight in one pass. An End repeats its Begin, in the same bytes as a
 * rule: these are compared with the Begin's, and its texts are not looked up a second time.
 */
#include "codecs/templight/model.h"
#include "codecs/templight/text.h"
#include "codecs/templight/yaml.h"
#include "harness/text.h"

enum key { NAME, KIND, EVENT, ORIG, POI, TIME, MEMORY, N_KEYS };

static const struct bo_span keys[N_KEYS] = {
#define KEY(text)                              \
    {                                          \
        (const uint8_t *)text, sizeof text - 1 \
    }
    [NAME] = KEY("name:"), [KIND] = KEY("kind:"), [EVENT] = KEY("event:"),   [ORIG] = KEY("orig:"),
    [POI] = KEY("poi:"),   [TIME] = KEY("time:"), [MEMORY] = KEY("memory:"),
#undef KEY
};

/* A record's values as they stand in the text. */
struct values {
    struct bo_span of[N_KEYS]; /* p is NULL where the key is missing */
};

struct parser {
    struct bo_span text;
    size_t off;          /* where reading goes on */
    struct bo_span line; /* the line taken last, without its end and the blanks before that */
    struct bo_arena *arena;
    struct bo_error *err;
    struct templight_builder builder;
    struct values *open; /* of the Begins that have not ended, innermost last */
    size_t cap_open;
    struct bo_span kind_text; /* of the last record, and what it means */
    uint32_t kind;
};

static enum bo_status fail_at(const struct parser *p, const uint8_t *at, enum bo_status status,
                              const char *what)
{
    return bo_fail(p->err, status, (uint64_t)(at - p->text.p), what);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* The next line that is not empty; false at the end. */
static bool take_line(struct parser *p)
{
    while (p->off < p->text.n) {
        const uint8_t *start = p->text.p + p->off;
        const size_t left = p->text.n - p->off;
        const uint8_t *newline = memchr(start, '\n', left);
        size_t n = newline ? (size_t)(newline - start) : left;
        p->off += n + (newline != NULL);
        if (newline && n && start[n - 1] == '\r')
            n--;
        while (n && is_blank(start[n - 1]))
            n--;
        p->line = (struct bo_span){start, n};
        if (n)
            return true;
    }
    p->line = (struct bo_span){p->text.p + p->text.n, 0};
    return false;
}

static bool line_is(const struct parser *p, const char *word)
{
    return p->line.n == strlen(word) && memcmp(p->line.p, word, p->line.n) == 0;
}

/* A document begins or ends, or a comment stands here: no line of a record. */
static bool is_between_records(const struct parser *p)
{
    return line_is(p, "---") || line_is(p, "...") || p->line.p[0] == '#';
}

/* Takes the line's value for its key; `expected` is tried first. */
static enum bo_status take_value(struct parser *p, struct values *values, unsigned expected,
                                 unsigned *key_ret)
{
    const struct bo_span line = p->line;
    unsigned key = expected, tries = 0;
    for (; tries < N_KEYS; tries++, key = (key + 1) % N_KEYS)
        if (line.n >= keys[key].n && memcmp(line.p, keys[key].p, keys[key].n) == 0)
            break;
    if (tries == N_KEYS)
        return fail_at(p, line.p, BO_CORRUPT, "line is no key of a record");
    if (values->of[key].p)
        return fail_at(p, line.p, BO_CORRUPT, "key stands twice in a record");
    size_t at = keys[key].n;
    if (at < line.n && !is_blank(line.p[at]))
        return fail_at(p, line.p + at, BO_CORRUPT, "no blank behind a key");
    while (at < line.n && is_blank(line.p[at]))
        at++;
    values->of[key] = (struct bo_span){line.p + at, line.n - at};
    *key_ret = key;
    return BO_OK;
}

/* The lines of a record; leaves the line behind them taken, if there is one. */
static enum bo_status take_values(struct parser *p, struct values *values, bool *more_ret)
{
    unsigned key = 0;
    *values = (struct values){0};
    while ((*more_ret = take_line(p)) && !is_between_records(p)) {
        const enum bo_status status = take_value(p, values, key, &key);
        if (status)
            return status;
        key = (key + 1) % N_KEYS;
    }
    return BO_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

static enum bo_status read_scalar(struct parser *p, struct bo_span raw, struct bo_span *text_ret)
{
    size_t at = 0;
    const char *flaw = templight_read_scalar(raw, p->arena, text_ret, &at);
    if (flaw == templight_yaml_no_memory)
        return bo_fail_alloc(p->err, p->arena);
    return flaw ? fail_at(p, raw.p + at, BO_CORRUPT, flaw) : BO_OK;
}

/* The number behind the last colon, which is cut off with it; false when there is none. */
static bool cut_number(struct bo_span *text, uint32_t *number_ret)
{
    uint64_t v = 0, scale = 1;
    size_t n = text->n;
    while (n && text->p[n - 1] >= '0' && text->p[n - 1] <= '9' && text->n - n < 10) {
        v += scale * (uint64_t)(text->p[--n] - '0');
        scale *= 10;
    }
    const size_t n_digits = text->n - n;
    if (n == 0 || n_digits == 0 || text->p[n - 1] != ':' || v > UINT32_MAX ||
        (n_digits > 1 && text->p[n] == '0'))
        return false;
    *number_ret = (uint32_t)v;
    text->n = n - 1;
    return true;
}

/* FILE:LINE:COLUMN, or nothing. */
static enum bo_status read_location(struct parser *p, struct bo_span raw,
                                    struct templight_place *place)
{
    struct bo_span text;
    *place = (struct templight_place){0};
    if (!raw.p)
        return BO_OK;
    const enum bo_status status = read_scalar(p, raw, &text);
    if (status || text.n == 0)
        return status;
    if (!cut_number(&text, &place->column) || !cut_number(&text, &place->line))
        return fail_at(p, raw.p, BO_CORRUPT, "location does not end in :LINE:COLUMN");
    place->present = true;
    place->file = text;
    return BO_OK;
}

static bool kind_of_name(struct bo_span text, uint32_t *kind_ret)
{
    for (uint32_t kind = 0; kind < TEMPLIGHT_N_NAMED_KINDS; kind++)
        if (bo_word_is(text, templight_kind_names[kind])) {
            *kind_ret = kind;
            return true;
        }
    for (size_t i = 0; templight_later_kinds[i].name; i++)
        if (bo_word_is(text, templight_later_kinds[i].name)) {
            *kind_ret = templight_later_kinds[i].kind;
            return true;
        }
    return false;
}

/* A kind's name, or its number; most are the same as the one before. */
static enum bo_status read_kind(struct parser *p, struct bo_span raw, uint32_t *kind_ret)
{
    struct bo_span text;
    uint64_t number;
    *kind_ret = p->kind;
    if (p->kind_text.p && bo_span_equal(raw, p->kind_text))
        return BO_OK;
    const enum bo_status status = read_scalar(p, raw, &text);
    if (status)
        return status;
    if (bo_parse_u64(text, UINT32_MAX, &number))
        *kind_ret = (uint32_t)number;
    else if (!kind_of_name(text, kind_ret))
        return fail_at(p, raw.p, BO_UNSUPPORTED,
                       "kind is neither a name that is known nor a number");
    p->kind_text = raw;
    p->kind = *kind_ret;
    return BO_OK;
}

static enum bo_status read_figures(struct parser *p, const struct values *values,
                                   struct templight_entry *entry)
{
    const struct bo_span time = values->of[TIME], memory = values->of[MEMORY];
    entry->has_time = time.p;
    entry->has_memory = memory.p;
    if (time.p && !templight_read_time(time, &entry->time_bits))
        return fail_at(p, time.p, BO_CORRUPT, "time is not a number");
    if (memory.p && !bo_parse_u64(memory, UINT64_MAX, &entry->memory))
        return fail_at(p, memory.p, BO_CORRUPT, "memory is not a number of bytes");
    return BO_OK;
}

/* ---- records ----------------------------------------------------------------------------------- */

static enum bo_status add_entry(struct parser *p, const struct templight_entry *entry)
{
    return templight_add_entry(&p->builder, entry) ? BO_OK : bo_fail_alloc(p->err, p->arena);
}

static enum bo_status read_begin(struct parser *p, const uint8_t *start,
                                 const struct values *values, struct templight_entry *entry)
{
    struct values *open = bo_grow_array(p->arena, p->open, p->builder.n_open, p->builder.n_open + 1,
                                        &p->cap_open, sizeof *open);
    if (!open)
        return bo_fail_alloc(p->err, p->arena);
    p->open = open;
    open[p->builder.n_open] = *values;
    if (!values->of[NAME].p || !values->of[KIND].p)
        return fail_at(p, start, BO_CORRUPT, "Begin without a name or a kind");
    enum bo_status status = read_scalar(p, values->of[NAME], &entry->name);
    if (!status)
        status = read_kind(p, values->of[KIND], &entry->kind);
    if (!status)
        status = read_location(p, values->of[POI], &entry->location);
    if (!status)
        status = read_location(p, values->of[ORIG], &entry->origin);
    return status ? status : add_entry(p, entry);
}

/* Whether an End's value, in other bytes than its Begin's, says the same nevertheless. */
static enum bo_status compare_values(struct parser *p, enum key key, struct bo_span raw,
                                     const struct templight_record *begin)
{
    uint32_t kind;
    struct bo_span text;
    struct templight_place place;
    bool same;
    enum bo_status status;
    if (key == KIND) {
        status = read_kind(p, raw, &kind);
        same = !status && kind == begin->kind;
    } else if (key == NAME) {
        status = read_scalar(p, raw, &text);
        same = !status && bo_span_equal(text, p->builder.names.texts[begin->name]);
    } else {
        status = read_location(p, raw, &place);
        const uint32_t file = status || !place.present
                                  ? TEMPLIGHT_NONE
                                  : bo_texts_find(&p->builder.files, place.file);
        same = !status && file == begin->location.file && place.line == begin->location.line &&
               place.column == begin->location.column &&
               place.present == (begin->location.file != TEMPLIGHT_NONE);
    }
    return status ? status
           : same ? BO_OK
                  : fail_at(p, raw.p, BO_CORRUPT, "End does not repeat the Begin that it closes");
}

/* Name, kind and place of an End are those of its Begin. */
static enum bo_status check_repetition(struct parser *p, const struct values *values)
{
    static const enum key repeated[] = {NAME, KIND, POI};
    const struct templight_record *begin = templight_open_begin(&p->builder);
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        const enum key key = repeated[i];
        const struct bo_span raw = values->of[key];
        if (!raw.p)
            continue;
        if (!begin)
            return fail_at(p, raw.p, BO_UNSUPPORTED, "End has fields of a Begin, but none is open");
        const struct bo_span told = p->open[p->builder.n_open - 1].of[key];
        if (told.p && bo_span_equal(raw, told))
            continue;
        const enum bo_status status = compare_values(p, key, raw, begin);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status read_end(struct parser *p, const struct values *values,
                               struct templight_entry *entry)
{
    enum bo_status status = check_repetition(p, values);
    const struct bo_span orig = values->of[ORIG];
    const bool is_open = p->builder.n_open;
    const struct bo_span told = is_open ? p->open[p->builder.n_open - 1].of[ORIG] : orig;
    entry->is_end = true;
    entry->tells_origin = orig.p && !(is_open && told.p && bo_span_equal(orig, told));
    if (!status && entry->tells_origin)
        status = read_location(p, orig, &entry->origin);
    return status ? status : add_entry(p, entry);
}

/* The line taken last is "---". Leaves the line behind the record taken, if there is one. */
static enum bo_status read_record(struct parser *p, bool *more_ret)
{
    const uint8_t *start = p->line.p;
    struct values values;
    struct templight_entry entry = {0};
    enum bo_status status = take_values(p, &values, more_ret);
    if (!status && !p->builder.n_traces &&
        !templight_start_trace(&p->builder, TEMPLIGHT_VERSION, (struct bo_span){NULL, 0}))
        status = bo_fail_alloc(p->err, p->arena);
    if (!status)
        status = read_figures(p, &values, &entry);
    if (status)
        return status;
    const struct bo_span event = values.of[EVENT];
    if (event.p && bo_word_is(event, "Begin"))
        return read_begin(p, start, &values, &entry);
    if (event.p && bo_word_is(event, "End"))
        return read_end(p, &values, &entry);
    return event.p ? fail_at(p, event.p, BO_CORRUPT, "event is neither Begin nor End")
                   : fail_at(p, start, BO_CORRUPT, "record without an event");
}

/* ---- traces ------------------------------------------------------------------------------------ */

/* Takes what the line must go on with. */
static bool take_word(struct bo_span *line, const char *word)
{
    struct bo_span rest;
    if (!bo_word_after(*line, word, &rest))
        return false;
    *line = rest;
    return true;
}

/* The line taken last is a comment: of a trace's beginning, `# trace: {version: 1, source: ''}`. */
static enum bo_status read_comment(struct parser *p)
{
    static const char malformed[] = "header of a trace is not {version: NUMBER, source: TEXT}";
    struct bo_span line = p->line, source;
    uint64_t version;
    if (!take_word(&line, TEMPLIGHT_TRACE_COMMENT))
        return BO_OK;
    if (!take_word(&line, "{version: "))
        return fail_at(p, line.p, BO_CORRUPT, malformed);
    const uint8_t *comma = memchr(line.p, ',', line.n);
    const struct bo_span number = {line.p, comma ? (size_t)(comma - line.p) : line.n};
    if (!bo_parse_u64(number, UINT32_MAX, &version))
        return fail_at(p, line.p, BO_CORRUPT, malformed);
    line = (struct bo_span){line.p + number.n, line.n - number.n};
    if (!take_word(&line, ", source: ") || line.n == 0 || line.p[line.n - 1] != '}')
        return fail_at(p, line.p, BO_CORRUPT, malformed);
    line.n--;
    const enum bo_status status = read_scalar(p, line, &source);
    if (status)
        return status;
    return templight_start_trace(&p->builder, (uint32_t)version, source)
               ? BO_OK
               : bo_fail_alloc(p->err, p->arena);
}

enum bo_status templight_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err)
{
    struct parser p = {.text = text, .arena = arena, .err = err};
    if (!text.p)
        p.text.p = (const uint8_t *)"";
    templight_builder_init(&p.builder, true, arena);
    enum bo_status status = BO_OK;
    bool more = take_line(&p);
    while (more && !status) {
        if (line_is(&p, "---")) {
            status = read_record(&p, &more);
            continue;
        }
        if (p.line.p[0] == '#')
            status = read_comment(&p);
        else if (!line_is(&p, "..."))
            return fail_at(&p, p.line.p, BO_CORRUPT, "line outside of a record");
        more = take_line(&p);
    }
    if (status)
        return status;
    struct templight_model *model;
    if (!templight_finish(&p.builder, &model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}
