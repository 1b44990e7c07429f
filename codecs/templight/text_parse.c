/*
 * Reading the text form of Templight in one pass, record by record. An End repeats its Begin, in
 * the same bytes as a rule: these are compared with the Begin's, and are not read a second time.
 */
#include "codecs/templight/text.h"
#include "codecs/templight/yaml.h"
#include "harness/core/text.h"

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

/* A record's values, not yet decoded. */
struct values {
    struct bo_span of[N_KEYS]; /* p is NULL where the key is missing */
};

struct templight_open {
    struct values values;
    struct templight_entry entry;
    struct bo_arena_mark before; /* in the arena of texts */
};

static enum bo_status fail_at(const struct templight_text_reader *r, const uint8_t *at,
                              enum bo_status status, const char *what)
{
    return bo_fail(r->err, status, r->base + (uint64_t)(at - r->text.p), what);
}

/* ---- the text in sight ----------------------------------------------------------------------- */

static bool make_room(struct templight_text_reader *r)
{
    enum { FIRST_NBYTES = 1 << 20 };
    /* Half of it at least is read at once: so a record that takes many rounds takes linear time. */
    if (r->cap_buffer && r->text.n <= r->cap_buffer / 2)
        return true;
    return bo_grow_from(FIRST_NBYTES, r->arena, &r->buffer, r->text.n,
                        r->cap_buffer - r->text.n + 1, &r->cap_buffer);
}

/* Drops the bytes of the buffer before `keep`, and reads more after the rest. */
static enum bo_status look_further(struct templight_text_reader *r, size_t keep)
{
    r->text.n -= keep;
    r->base += keep;
    r->off -= keep;
    if (r->text.n)
        memmove(r->buffer, r->buffer + keep, r->text.n);
    if (!make_room(r))
        return bo_fail_alloc(r->err, r->arena);
    r->text.p = r->buffer;
    while (!r->ended && r->text.n < r->cap_buffer) {
        size_t n = 0;
        const char *flaw = r->source->read(r->source->context, r->buffer + r->text.n,
                                           r->cap_buffer - r->text.n, &n);
        if (flaw)
            return bo_fail(r->err, BO_IO, BO_NO_OFFSET, flaw);
        r->text.n += n;
        r->ended = n == 0;
    }
    return BO_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum sight {
    LINE,        /* a line is there */
    NO_LINE,     /* the text ends */
    CUT_LINE,    /* it ends inside a line */
    OUT_OF_SIGHT /* the line's end is not in the buffer */
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* The next line that is not empty. */
static enum sight take_line(struct templight_text_reader *r)
{
    while (r->off < r->text.n) {
        const uint8_t *start = r->text.p + r->off;
        const uint8_t *newline = memchr(start, '\n', r->text.n - r->off);
        if (!newline)
            return r->ended ? CUT_LINE : OUT_OF_SIGHT;
        size_t n = (size_t)(newline - start);
        r->off += n + 1;
        if (n && start[n - 1] == '\r')
            n--;
        while (n && is_blank(start[n - 1]))
            n--;
        r->line = (struct bo_span){start, n};
        if (n)
            return LINE;
    }
    return r->ended ? NO_LINE : OUT_OF_SIGHT;
}

static enum bo_status fail_at_end(const struct templight_text_reader *r, const char *what)
{
    return fail_at(r, r->text.p + r->text.n, BO_TRUNCATED, what);
}

static bool line_is(const struct templight_text_reader *r, const char *word)
{
    return r->line.n == strlen(word) && memcmp(r->line.p, word, r->line.n) == 0;
}

/* Whether the line starts or ends a document or is a comment: no line of a record. */
static bool is_between_records(const struct templight_text_reader *r)
{
    return line_is(r, "---") || line_is(r, "...") || r->line.p[0] == '#';
}

/* Stores the line's value for its key; `expected` is tried first. */
static enum bo_status take_value(struct templight_text_reader *r, struct values *values,
                                 unsigned expected, unsigned *key_ret)
{
    const struct bo_span line = r->line;
    unsigned key = expected, tries = 0;
    for (; tries < N_KEYS; tries++, key = (key + 1) % N_KEYS)
        if (line.n >= keys[key].n && memcmp(line.p, keys[key].p, keys[key].n) == 0)
            break;
    if (tries == N_KEYS)
        return fail_at(r, line.p, BO_CORRUPT, "line is no key of a record");
    if (values->of[key].p)
        return fail_at(r, line.p, BO_CORRUPT, "duplicate key in a record");
    size_t at = keys[key].n;
    if (at < line.n && !is_blank(line.p[at]))
        return fail_at(r, line.p + at, BO_CORRUPT, "no blank after a key");
    while (at < line.n && is_blank(line.p[at]))
        at++;
    values->of[key] = (struct bo_span){line.p + at, line.n - at};
    *key_ret = key;
    return BO_OK;
}

/* The lines of a record; leaves the line after them taken, if there is one. */
static enum bo_status take_values(struct templight_text_reader *r, struct values *values,
                                  enum sight *sight_ret)
{
    unsigned key = 0;
    *values = (struct values){0};
    while ((*sight_ret = take_line(r)) == LINE && !is_between_records(r)) {
        const enum bo_status status = take_value(r, values, key, &key);
        if (status)
            return status;
        key = (key + 1) % N_KEYS;
    }
    return BO_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static enum bo_status read_scalar(struct templight_text_reader *r, struct bo_span raw,
                                  struct bo_span *text_ret)
{
    size_t at = 0;
    const char *flaw = templight_read_scalar(raw, r->passing, text_ret, &at);
    if (flaw == templight_yaml_no_memory)
        return bo_fail_alloc(r->err, r->passing);
    return flaw ? fail_at(r, raw.p + at, BO_CORRUPT, flaw) : BO_OK;
}

/* Cuts off the last colon and the number after it; false without such a number. */
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
static enum bo_status read_location(struct templight_text_reader *r, struct bo_span raw,
                                    struct templight_place *place)
{
    struct bo_span text;
    *place = (struct templight_place){0};
    if (!raw.p)
        return BO_OK;
    const enum bo_status status = read_scalar(r, raw, &text);
    if (status || text.n == 0)
        return status;
    if (!cut_number(&text, &place->column) || !cut_number(&text, &place->line))
        return fail_at(r, raw.p, BO_CORRUPT, "location does not end in :LINE:COLUMN");
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
static enum bo_status read_kind(struct templight_text_reader *r, struct bo_span raw,
                                uint32_t *kind_ret)
{
    struct bo_span text;
    uint64_t number;
    *kind_ret = r->kind;
    if (r->n_kind_text && bo_span_equal(raw, (struct bo_span){r->kind_text, r->n_kind_text}))
        return BO_OK;
    const enum bo_status status = read_scalar(r, raw, &text);
    if (status)
        return status;
    if (bo_parse_u64(text, UINT32_MAX, &number))
        *kind_ret = (uint32_t)number;
    else if (!kind_of_name(text, kind_ret))
        return fail_at(r, raw.p, BO_UNSUPPORTED, "kind is neither a known name nor a number");
    r->n_kind_text = raw.n <= sizeof r->kind_text ? raw.n : 0;
    memcpy(r->kind_text, raw.p, r->n_kind_text);
    r->kind = *kind_ret;
    return BO_OK;
}

static enum bo_status read_figures(struct templight_text_reader *r, const struct values *values,
                                   struct templight_entry *entry)
{
    const struct bo_span time = values->of[TIME], memory = values->of[MEMORY];
    entry->has_time = time.p;
    entry->has_memory = memory.p;
    if (time.p && !templight_read_time(time, &entry->time_bits))
        return fail_at(r, time.p, BO_CORRUPT, "time is not a number");
    if (memory.p && !bo_parse_u64(memory, UINT64_MAX, &entry->memory))
        return fail_at(r, memory.p, BO_CORRUPT, "memory is not a number of bytes");
    return BO_OK;
}

/* ---- records --------------------------------------------------------------------------------- */

static enum bo_status read_begin(struct templight_text_reader *r, const struct values *values)
{
    struct templight_entry *entry = &r->entry;
    enum bo_status status = read_scalar(r, values->of[NAME], &entry->name);
    if (!status)
        status = read_kind(r, values->of[KIND], &entry->kind);
    if (!status)
        status = read_location(r, values->of[POI], &entry->location);
    if (!status)
        status = read_location(r, values->of[ORIG], &entry->origin);
    return status;
}

/* What lies in the record will lie in its copy. */
static void move(struct bo_span *text, struct bo_span record, const uint8_t *copy)
{
    const uintptr_t at = (uintptr_t)text->p - (uintptr_t)record.p;
    if (text->p && at <= record.n)
        text->p = copy + at;
}

/* Of a source's text, an open Begin's bytes are kept. */
static bool keep_bytes(struct templight_text_reader *r, struct bo_span record,
                       struct templight_open *open)
{
    uint8_t *copy = bo_alloc(r->passing, record.n);
    if (!copy)
        return false;
    memcpy(copy, record.p, record.n);
    for (unsigned key = 0; key < N_KEYS; key++)
        move(&open->values.of[key], record, copy);
    move(&open->entry.name, record, copy);
    move(&open->entry.location.file, record, copy);
    move(&open->entry.origin.file, record, copy);
    return true;
}

static enum bo_status take_begin(struct templight_text_reader *r, struct bo_span record,
                                 const struct values *values)
{
    if (!bo_grow(r->arena, &r->open, r->n_open, 1, &r->cap_open))
        return bo_fail_alloc(r->err, r->arena);
    struct templight_open *open = &r->open[r->n_open];
    open->before = bo_arena_mark(r->passing);
    const enum bo_status status = read_begin(r, values);
    if (status)
        return status;
    open->values = *values;
    open->entry = r->entry;
    r->n_open++;
    return !r->source || keep_bytes(r, record, open) ? BO_OK : bo_fail_alloc(r->err, r->passing);
}

static bool same_place(const struct templight_place *a, const struct templight_place *b)
{
    return a->present == b->present && bo_span_equal(a->file, b->file) && a->line == b->line &&
           a->column == b->column;
}

/* Whether an End's value, whose bytes differ from its Begin's, is nevertheless equal. */
static enum bo_status compare_values(struct templight_text_reader *r, enum key key,
                                     struct bo_span raw, const struct templight_entry *begin)
{
    uint32_t kind = 0;
    struct bo_span text = {NULL, 0};
    struct templight_place place;
    const enum bo_status status = key == KIND   ? read_kind(r, raw, &kind)
                                  : key == NAME ? read_scalar(r, raw, &text)
                                                : read_location(r, raw, &place);
    if (status)
        return status;
    const bool same = key == KIND   ? kind == begin->kind
                      : key == NAME ? bo_span_equal(text, begin->name)
                                    : same_place(&place, &begin->location);
    return same ? BO_OK
                : fail_at(r, raw.p, BO_CORRUPT, "End does not repeat the Begin that it closes");
}

/* Name, kind and place of an End are those of its Begin. */
static enum bo_status check_repetition(struct templight_text_reader *r, const struct values *values,
                                       const struct templight_open *open)
{
    static const enum key repeated[] = {NAME, KIND, POI};
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        const enum key key = repeated[i];
        const struct bo_span raw = values->of[key];
        if (!raw.p)
            continue;
        if (!open)
            return fail_at(r, raw.p, BO_UNSUPPORTED, "End has fields of a Begin, but none is open");
        if (bo_span_equal(raw, open->values.of[key]))
            continue;
        const enum bo_status status = compare_values(r, key, raw, &open->entry);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status take_end(struct templight_text_reader *r, const struct values *values)
{
    const struct templight_open *open = r->n_open ? &r->open[r->n_open - 1] : NULL;
    const struct bo_span orig = values->of[ORIG];
    r->passed = open ? open->before : bo_arena_mark(r->passing);
    r->has_passed = true;
    const enum bo_status status = check_repetition(r, values, open);
    if (status)
        return status;
    r->entry.is_end = true;
    r->entry.has_origin = orig.p && !(open && bo_span_equal(orig, open->values.of[ORIG]));
    if (open) {
        r->closed = &open->entry;
        r->n_open--;
    }
    return r->entry.has_origin ? read_location(r, orig, &r->entry.origin) : BO_OK;
}

/*
 * clang's reader requires all keys of a record. Here an End may omit the keys that repeat its
 * Begin, but only all of them. So a record that is cut off is not accepted as a whole one.
 */
static const char *missing_key(const struct values *values, bool is_end)
{
    const bool has_name = values->of[NAME].p;
    if (!values->of[EVENT].p)
        return "record without an event";
    if (!is_end && !has_name)
        return "Begin without a name";
    return has_name && !(values->of[KIND].p && values->of[ORIG].p && values->of[POI].p)
               ? "record with a name, but without kind, orig or poi"
               : NULL;
}

static enum bo_status take_record(struct templight_text_reader *r, struct bo_span record,
                                  const struct values *values, bool is_last)
{
    const struct bo_span event = values->of[EVENT];
    const bool is_end = event.p && bo_word_is(event, "End");
    if (event.p && !is_end && !bo_word_is(event, "Begin"))
        return fail_at(r, event.p, BO_CORRUPT, "event is neither Begin nor End");
    const char *missing = missing_key(values, is_end);
    if (missing)
        return is_last ? fail_at_end(r, "text ends inside a record")
                       : fail_at(r, record.p, BO_CORRUPT, missing);
    const enum bo_status status = read_figures(r, values, &r->entry);
    if (status)
        return status;
    return is_end ? take_end(r, values) : take_begin(r, record, values);
}

/* The line taken last is "---". Leaves the line after the record taken, if there is one. */
static enum bo_status read_record(struct templight_text_reader *r)
{
    struct values values;
    enum sight sight;
    const uint8_t *start = r->line.p;
    enum bo_status status = take_values(r, &values, &sight);
    while (!status && sight == OUT_OF_SIGHT) {
        status = look_further(r, (size_t)(start - r->text.p));
        if (status)
            return status;
        /* Once more, from its first line on. */
        r->off = 0;
        take_line(r);
        start = r->line.p;
        status = take_values(r, &values, &sight);
    }
    if (status)
        return status;
    if (sight == CUT_LINE)
        return fail_at_end(r, "text ends inside a line");
    r->has_line = sight == LINE;
    const uint8_t *end = r->has_line ? r->line.p : r->text.p + r->off;
    return take_record(r, (struct bo_span){start, (size_t)(end - start)}, &values, !r->has_line);
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* `before`: of the source. */
static void start_trace(struct templight_text_reader *r, uint32_t version, struct bo_span source,
                        struct bo_arena_mark before)
{
    r->passed = r->n_open ? r->open[0].before : before;
    r->has_passed = true;
    r->n_open = 0;
    r->in_trace = true;
    r->version = version;
    r->source_file = source;
}

/* Consumes the text that must come next in the line. */
static bool take_word(struct bo_span *line, const char *word)
{
    struct bo_span rest;
    if (!bo_word_after(*line, word, &rest))
        return false;
    *line = rest;
    return true;
}

/* The line is a comment: of a trace's beginning, `# trace: {version: 1, source: ''}`, or any. */
static enum bo_status read_comment(struct templight_text_reader *r, bool *is_trace_ret)
{
    static const char malformed[] = "header of a trace is not {version: NUMBER, source: TEXT}";
    struct bo_span line = r->line, source;
    uint64_t version;
    *is_trace_ret = take_word(&line, TEMPLIGHT_TRACE_COMMENT);
    if (!*is_trace_ret)
        return BO_OK;
    if (!take_word(&line, "{version: "))
        return fail_at(r, line.p, BO_CORRUPT, malformed);
    const uint8_t *comma = memchr(line.p, ',', line.n);
    const struct bo_span number = {line.p, comma ? (size_t)(comma - line.p) : line.n};
    if (!bo_parse_u64(number, UINT32_MAX, &version))
        return fail_at(r, line.p, BO_CORRUPT, malformed);
    line = (struct bo_span){line.p + number.n, line.n - number.n};
    if (!take_word(&line, ", source: ") || line.n == 0 || line.p[line.n - 1] != '}')
        return fail_at(r, line.p, BO_CORRUPT, malformed);
    line.n--;
    const struct bo_arena_mark before = bo_arena_mark(r->passing);
    const enum bo_status status = read_scalar(r, line, &source);
    if (!status)
        start_trace(r, (uint32_t)version, source, before);
    return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

void templight_text_open(struct templight_text_reader *reader, struct bo_span text,
                         struct bo_arena *arena, struct bo_error *err)
{
    *reader = (struct templight_text_reader){
        .text = {text.p ? text.p : (const uint8_t *)"", text.n},
        .ended = true,
        .arena = arena,
        .passing = arena,
        .err = err,
    };
}

void templight_text_open_source(struct templight_text_reader *reader, struct bo_source *source,
                                struct bo_arena *arena, struct bo_arena *passing,
                                struct bo_error *err)
{
    templight_text_open(reader, (struct bo_span){NULL, 0}, arena, err);
    reader->source = source;
    reader->ended = false;
    reader->passing = passing;
}

/* Finds what is read next: a line that is not empty, or the text's end. */
static enum bo_status find_line(struct templight_text_reader *r)
{
    enum sight sight = r->has_line ? LINE : take_line(r);
    while (sight == OUT_OF_SIGHT) {
        const enum bo_status status = look_further(r, r->off);
        if (status)
            return status;
        sight = take_line(r);
    }
    r->has_line = sight == LINE;
    return sight == CUT_LINE ? fail_at_end(r, "text ends inside a line") : BO_OK;
}

enum bo_status templight_text_next(struct templight_text_reader *r,
                                   enum templight_text_event *event_ret)
{
    if (r->source && r->has_passed)
        bo_arena_rewind(r->passing, r->passed);
    r->has_passed = false;
    r->entry = (struct templight_entry){0};
    r->closed = NULL;
    for (;;) {
        bool is_trace = false;
        enum bo_status status = find_line(r);
        if (status)
            return status;
        if (!r->has_line) {
            *event_ret = TEMPLIGHT_TEXT_END;
            return BO_OK;
        }
        if (line_is(r, "---")) {
            *event_ret = r->in_trace ? TEMPLIGHT_TEXT_RECORD : TEMPLIGHT_TEXT_TRACE;
            if (r->in_trace)
                return read_record(r);
            start_trace(r, TEMPLIGHT_VERSION, (struct bo_span){NULL, 0}, bo_arena_mark(r->passing));
            return BO_OK;
        }
        r->has_line = false;
        if (r->line.p[0] == '#')
            status = read_comment(r, &is_trace);
        else if (!line_is(r, "..."))
            status = fail_at(r, r->line.p, BO_CORRUPT, "line outside of a record");
        if (status || is_trace) {
            *event_ret = TEMPLIGHT_TEXT_TRACE;
            return status;
        }
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

enum bo_status templight_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err)
{
    struct templight_text_reader reader;
    struct templight_builder builder;
    struct templight_model *model;
    enum templight_text_event event;
    templight_text_open(&reader, text, arena, err);
    templight_builder_init(&builder, true, arena);
    do {
        const enum bo_status status = templight_text_next(&reader, &event);
        if (status)
            return status;
        if ((event == TEMPLIGHT_TEXT_TRACE &&
             !templight_start_trace(&builder, reader.version, reader.source_file)) ||
            (event == TEMPLIGHT_TEXT_RECORD && !templight_add_entry(&builder, &reader.entry)))
            return bo_fail_alloc(err, arena);
    } while (event != TEMPLIGHT_TEXT_END);
    if (!templight_finish(&builder, &model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}
