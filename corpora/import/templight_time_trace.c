/*
 * The importer of clang's -ftime-trace: JSON with a list of events. Events that instantiate a class
 * or a function become Begins and Ends. README.md of the format has the details.
 *
 * Events are in the order of their ends, inner ones first. So the events are a forest in postorder,
 * in which an event's children are the preceding roots that do not start before it.
 */
#include <stdlib.h>

#include "codecs/templight/model.h"
#include "corpora/import/import.h"
#include "harness/core/utf8.h"

enum { MAX_DEPTH = 64, TEMPLATE_INSTANTIATION = 0 };

struct event {
    uint64_t start, length; /* microseconds */
    struct bo_span detail, file;
    uint32_t line;
    size_t first; /* the first event of its subtree, in postorder */
};

struct reader {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    struct bo_writer text; /* of the last string read */
    struct event *events;
    size_t n_events, cap_events;
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static enum bo_status fail_here(struct reader *r, const char *what)
{
    return bo_fail_here(r->err, bo_left(&r->in) ? BO_CORRUPT : BO_TRUNCATED, &r->in, what);
}

/* The next byte that is not blank; 0 at the end. */
static uint8_t peek(struct reader *r)
{
    struct bo_cursor *in = &r->in;
    while (in->off < in->n && memchr(" \t\r\n", in->p[in->off], 4))
        in->off++;
    return in->off < in->n ? in->p[in->off] : 0;
}

static bool take(struct reader *r, char c)
{
    const bool is_there = peek(r) == (uint8_t)c;
    r->in.off += is_there;
    return is_there;
}

static enum bo_status expect(struct reader *r, char c, const char *what)
{
    return take(r, c) ? BO_OK : fail_here(r, what);
}

/* Four hexadecimal digits. */
static bool take_unit(struct reader *r, uint32_t *unit_ret)
{
    const uint8_t *p = r->in.p + r->in.off;
    uint32_t unit = 0;
    if (bo_left(&r->in) < 4) {
        r->in.off = r->in.n; /* truncated */
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = p[i] ? strchr(digits, p[i]) : NULL;
        if (!digit)
            return false;
        const uint32_t v = (uint32_t)(digit - digits);
        unit = unit << 4 | (v < 16 ? v : v - 6);
    }
    r->in.off += 4;
    *unit_ret = unit;
    return true;
}

/* Reads the rest after "\u": one code unit or a pair. */
static enum bo_status get_code(struct reader *r, uint32_t *code_ret)
{
    enum { HIGH = 0xd800, LOW = 0xdc00, END = 0xe000, REPLACEMENT = 0xfffd };
    uint32_t code, low = 0;
    if (!take_unit(r, &code))
        return fail_here(r, "escape of a string is invalid");
    if (code >= HIGH && code < LOW) {
        const struct bo_cursor after = r->in;
        const uint8_t *p;
        if (bo_get_bytes(&r->in, 2, &p) && p[0] == '\\' && p[1] == 'u' && take_unit(r, &low) &&
            low >= LOW && low < END) {
            *code_ret = 0x10000 + ((code - HIGH) << 10) + (low - LOW);
            return BO_OK;
        }
        r->in = after;
    }
    *code_ret = code >= HIGH && code < END ? REPLACEMENT : code;
    return BO_OK;
}

static enum bo_status get_escape(struct reader *r)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    uint8_t c = 0, utf8[4];
    uint32_t code = 0;
    const bool is_there = bo_get_u8(&r->in, &c);
    const char *name = is_there && c ? strchr(names, c) : NULL;
    if (name) {
        bo_put_u8(&r->text, (uint8_t)bytes[name - names]);
        return BO_OK;
    }
    if (!is_there || c != 'u')
        return fail_here(r, "escape of a string is invalid");
    const enum bo_status status = get_code(r, &code);
    if (!status)
        bo_put_bytes(&r->text, utf8, bo_utf8_put(code, utf8));
    return status;
}

/* Reads a string into r->text, which is valid until the next one. */
static enum bo_status get_string(struct reader *r)
{
    enum bo_status status = expect(r, '"', "string is missing");
    bo_writer_reset(&r->text);
    while (!status) {
        uint8_t c;
        if (!bo_get_u8(&r->in, &c))
            return fail_here(r, "string has no end");
        if (c == '"')
            return bo_writer_status(&r->text, r->err);
        if (c == '\\') {
            status = get_escape(r);
        } else if (c < ' ') {
            r->in.off--;
            return fail_here(r, "control character in a string");
        } else {
            bo_put_u8(&r->text, c);
        }
    }
    return status;
}

static bool is_text(const struct reader *r, const char *text)
{
    return bo_span_equal(bo_writer_span(&r->text), bo_span_of(text));
}

/* Copies a string to the arena, for a name. */
static enum bo_status get_name(struct reader *r, struct bo_span *name_ret)
{
    const size_t off = r->in.off;
    enum bo_status status = get_string(r);
    if (status)
        return status;
    const struct bo_span text = bo_writer_span(&r->text);
    const char *flaw = templight_text_flaw(text);
    if (flaw)
        return bo_fail(r->err, BO_CORRUPT, off, flaw);
    *name_ret = text;
    return bo_keep_span(r->arena, name_ret) ? BO_OK : bo_fail_alloc(r->err, r->arena);
}

/* Reads an integer that a double can hold. */
static enum bo_status get_integer(struct reader *r, uint64_t max, uint64_t *v_ret)
{
    peek(r);
    const size_t off = r->in.off;
    uint64_t v = 0;
    while (r->in.off < r->in.n && r->in.p[r->in.off] >= '0' && r->in.p[r->in.off] <= '9' &&
           v <= max)
        v = 10 * v + (r->in.p[r->in.off++] - '0');
    if (!bo_left(&r->in))
        return fail_here(r, "number is not an integer in the range");
    const uint8_t next = r->in.p[r->in.off];
    if (r->in.off == off || v > max || (next && memchr(".eE0123456789", next, 13)))
        return bo_fail(r->err, BO_CORRUPT, off, "number is not an integer in the range");
    *v_ret = v;
    return BO_OK;
}

static enum bo_status skip_value(struct reader *r, unsigned depth);

/* Reads the key of an object's next member. *is_there_ret is false at its end. */
static enum bo_status get_key(struct reader *r, bool is_first, bool *is_there_ret)
{
    *is_there_ret = false;
    if (take(r, '}'))
        return BO_OK;
    enum bo_status status =
        is_first ? BO_OK : expect(r, ',', "comma or brace of an object is missing");
    if (!status)
        status = get_string(r);
    if (!status)
        status = expect(r, ':', "colon of a member is missing");
    *is_there_ret = !status;
    return status;
}

static enum bo_status skip_object(struct reader *r, unsigned depth)
{
    bool is_there = true;
    enum bo_status status = BO_OK;
    for (bool is_first = true; !status && is_there; is_first = false) {
        status = get_key(r, is_first, &is_there);
        if (!status && is_there)
            status = skip_value(r, depth + 1);
    }
    return status;
}

static enum bo_status skip_array(struct reader *r, unsigned depth)
{
    enum bo_status status = BO_OK;
    for (bool is_first = true; !status && !take(r, ']'); is_first = false) {
        if (!is_first)
            status = expect(r, ',', "comma or bracket of an array is missing");
        if (!status)
            status = skip_value(r, depth + 1);
    }
    return status;
}

/* A number, true, false or null. */
static enum bo_status skip_word(struct reader *r)
{
    const size_t off = r->in.off;
    while (r->in.off < r->in.n && r->in.p[r->in.off] &&
           strchr("+-.0123456789Eaeflnrstu", r->in.p[r->in.off]))
        r->in.off++;
    return r->in.off > off ? BO_OK : fail_here(r, "value is missing");
}

static enum bo_status skip_value(struct reader *r, unsigned depth)
{
    if (depth > MAX_DEPTH)
        return bo_fail_here(r->err, BO_OVER_LIMIT, &r->in, "values are nested more than 64 deep");
    if (take(r, '{'))
        return skip_object(r, depth);
    if (take(r, '['))
        return skip_array(r, depth);
    return peek(r) == '"' ? get_string(r) : skip_word(r);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The fields of an event that a Begin needs. */
struct seen {
    bool is_complete, is_template, has_start, has_length, has_detail;
};

static enum bo_status get_args(struct reader *r, struct event *event, struct seen *seen)
{
    uint64_t line = 0;
    bool is_there = true;
    enum bo_status status = expect(r, '{', "args is not an object");
    for (bool is_first = true; !status && is_there; is_first = false) {
        status = get_key(r, is_first, &is_there);
        if (status || !is_there)
            break;
        if (is_text(r, "detail") && peek(r) == '"') {
            status = get_name(r, &event->detail);
            seen->has_detail = true;
        } else if (is_text(r, "file") && peek(r) == '"') {
            status = get_name(r, &event->file);
        } else if (is_text(r, "line")) {
            status = get_integer(r, UINT32_MAX, &line);
            event->line = (uint32_t)line;
        } else {
            status = skip_value(r, 3);
        }
    }
    return status;
}

static enum bo_status get_member(struct reader *r, struct event *event, struct seen *seen)
{
    const uint64_t max = (uint64_t)1 << 53;
    enum bo_status status;
    if (is_text(r, "ph") && peek(r) == '"') {
        status = get_string(r);
        seen->is_complete = is_text(r, "X");
    } else if (is_text(r, "name") && peek(r) == '"') {
        status = get_string(r);
        seen->is_template = is_text(r, "InstantiateClass") || is_text(r, "InstantiateFunction");
    } else if (is_text(r, "ts")) {
        seen->has_start = true;
        status = get_integer(r, max, &event->start);
    } else if (is_text(r, "dur")) {
        seen->has_length = true;
        status = get_integer(r, max, &event->length);
    } else if (is_text(r, "args")) {
        status = get_args(r, event, seen);
    } else {
        status = skip_value(r, 2);
    }
    return status;
}

/* The preceding roots that do not start before the event are its children. */
static enum bo_status add_event(struct reader *r, const struct event *event)
{
    if (!bo_grow(r->arena, &r->events, r->n_events, 1, &r->cap_events))
        return bo_fail_alloc(r->err, r->arena);
    struct event *added = &r->events[r->n_events];
    *added = *event;
    added->first = r->n_events;
    while (added->first && r->events[added->first - 1].start >= event->start)
        added->first = r->events[added->first - 1].first;
    r->n_events++;
    return BO_OK;
}

static enum bo_status get_event(struct reader *r)
{
    struct event event = {0};
    struct seen seen = {0};
    bool is_there = true;
    peek(r);
    const size_t off = r->in.off;
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    enum bo_status status = expect(r, '{', "event is not an object");
    for (bool is_first = true; !status && is_there; is_first = false) {
        status = get_key(r, is_first, &is_there);
        if (!status && is_there)
            status = get_member(r, &event, &seen);
    }
    if (status)
        return status;
    if (!seen.is_complete || !seen.is_template) {
        bo_arena_rewind(r->arena, mark); /* releases the event's texts */
        return BO_OK;
    }
    if (!seen.has_start || !seen.has_length || !seen.has_detail)
        return bo_fail(r->err, BO_CORRUPT, off, "instantiation without ts, dur or detail");
    return add_event(r, &event);
}

static enum bo_status get_events(struct reader *r)
{
    enum bo_status status = expect(r, '[', "traceEvents is not an array");
    for (bool is_first = true; !status && !take(r, ']'); is_first = false) {
        if (!is_first)
            status = expect(r, ',', "comma or bracket of an array is missing");
        if (!status)
            status = get_event(r);
    }
    return status;
}

static enum bo_status get_file(struct reader *r)
{
    bool is_there = true, has_events = false;
    enum bo_status status = expect(r, '{', "file is not an object");
    for (bool is_first = true; !status && is_there; is_first = false) {
        status = get_key(r, is_first, &is_there);
        if (status || !is_there)
            break;
        if (is_text(r, "traceEvents")) {
            has_events = true;
            r->n_events = 0;
            status = get_events(r);
        } else {
            status = skip_value(r, 1);
        }
    }
    if (!status && peek(r))
        return fail_here(r, "bytes after the object");
    if (!status && bo_left(&r->in))
        return fail_here(r, "bytes after the object");
    return status || has_events ? status : fail_here(r, "traceEvents is missing");
}

/* ---- the model ------------------------------------------------------------------------------- */

static uint64_t time_bits(uint64_t microseconds)
{
    const double time = (double)microseconds / 1e6;
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static struct templight_entry begin_of(const struct event *event)
{
    return (struct templight_entry){
        .kind = TEMPLATE_INSTANTIATION,
        .name = event->detail,
        .origin = {event->file.n > 0, event->file, event->file.n ? event->line : 0, 0},
        .has_time = true,
        .time_bits = time_bits(event->start)};
}

static struct templight_entry end_of(const struct event *event)
{
    return (struct templight_entry){
        .is_end = true, .has_time = true, .time_bits = time_bits(event->start + event->length)};
}

/*
 * Writes Begins in the order of the starts of subtrees, outer ones first. The events whose subtree
 * starts at i are linked from the last to the first. All of them begin before event i ends.
 */
static bool put_events(struct reader *r, struct templight_builder *builder)
{
    const size_t n = r->n_events;
    size_t *outermost = bo_alloc_array(r->arena, n, sizeof *outermost); /* + 1, by first event */
    /* + 1, for the same first event */
    size_t *inner = bo_alloc_array(r->arena, n, sizeof *inner);
    bool ok = outermost && inner &&
              templight_start_trace(builder, TEMPLIGHT_VERSION, (struct bo_span){NULL, 0});
    for (size_t i = 0; ok && i < n; i++)
        outermost[i] = 0;
    for (size_t i = 0; ok && i < n; i++) {
        inner[i] = outermost[r->events[i].first];
        outermost[r->events[i].first] = i + 1;
    }
    for (size_t i = 0; ok && i < n; i++) {
        for (size_t e = outermost[i]; ok && e; e = inner[e - 1]) {
            const struct templight_entry begin = begin_of(&r->events[e - 1]);
            ok = templight_add_entry(builder, &begin);
        }
        const struct templight_entry end = end_of(&r->events[i]);
        ok = ok && templight_add_entry(builder, &end);
    }
    return ok;
}

static enum bo_status import_time_trace(struct bo_span file,
                                        const struct bo_import_options *options,
                                        struct bo_arena *arena, void **model_ret,
                                        struct bo_error *err)
{
    struct reader r = {.in = bo_cursor(file), .arena = arena, .err = err};
    struct templight_builder builder;
    struct templight_model *model = NULL;
    bo_writer_init(&r.text, arena);
    const enum bo_status status = get_file(&r);
    bo_writer_free(&r.text);
    if (status)
        return status;
    templight_builder_init(&builder, false, arena);
    if (!put_events(&r, &builder) || !templight_finish(&builder, &model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

/* Recognises an object. No other file of this format starts like one. */
static bool looks_like_json(struct bo_span file)
{
    size_t i = 0;
    while (i < file.n && memchr(" \t\r\n", file.p[i], 4))
        i++;
    return i < file.n && file.p[i] == '{';
}

const struct bo_importer templight_time_trace_importer = {
    .format = "templight",
    .name = "time-trace",
    .summary = "clang's -ftime-trace: the instantiations of classes and functions, in JSON",
    .sniff = looks_like_json,
    .import = import_time_trace,
};
