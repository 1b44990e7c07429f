/* Events for the importer of LTTng's traces: text in place of libbabeltrace2. */
#include "fuzz/ctf_events.h"

#include "corpora/import/apart.h"
#include "corpora/import/ctf.h"

struct bo_span bo_fuzz_events;

/* ---- words ----------------------------------------------------------------------------------- */

/* Cuts *text before the next `end`, or takes everything; removes the part and `end` from *text. */
static struct bo_span take_until(struct bo_span *text, char end)
{
    const uint8_t *at = text->n ? memchr(text->p, end, text->n) : NULL;
    const struct bo_span word = {text->p, at ? (size_t)(at - text->p) : text->n};
    const size_t n = word.n + (at ? 1 : 0);
    *text = (struct bo_span){text->p + n, text->n - n};
    return word;
}

/*
 * A decimal number, with or without a sign; false when it is not a number or has more than 64 bits.
 */
static bool parse_number(struct bo_span word, uint64_t *v_ret)
{
    const bool negative = word.n && word.p[0] == '-';
    uint64_t v = 0;
    for (size_t i = negative; i < word.n; i++)
        if (word.p[i] < '0' || word.p[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, word.p[i] - '0', &v))
            return false;
    *v_ret = negative ? -v : v;
    return word.n > negative;
}

/* The word as a C string in `arena`, up to its first NUL; NULL when the arena refuses. */
static const char *text_of(struct bo_span word, struct bo_arena *arena)
{
    char *text = bo_alloc(arena, word.n + 1);
    if (!text)
        return NULL;
    if (word.n)
        memcpy(text, word.p, word.n);
    text[word.n] = 0;
    return text;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool find_field(const struct ctf_event *event, const char *name, struct bo_span *value_ret)
{
    struct bo_span left = *(const struct bo_span *)event->payload;
    while (left.n) {
        struct bo_span value = take_until(&left, ' ');
        if (bo_span_equal(take_until(&value, '='), bo_span_of(name))) {
            *value_ret = value;
            return true;
        }
    }
    return false;
}

bool ctf_number(const struct ctf_event *event, const char *field, uint64_t *v_ret)
{
    struct bo_span value;
    return find_field(event, field, &value) && parse_number(value, v_ret);
}

bool ctf_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret)
{
    uint64_t v;
    if (!find_field(event, field, text_ret) || parse_number(*text_ret, &v))
        return false;
    const uint8_t *nul = text_ret->n ? memchr(text_ret->p, 0, text_ret->n) : NULL;
    text_ret->n = nul ? (size_t)(nul - text_ret->p) : text_ret->n; /* like babeltrace's */
    return true;
}

bool ctf_context_number(const struct ctf_event *event, const char *field, uint64_t *v_ret)
{
    return ctf_number(event, field, v_ret);
}

bool ctf_context_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret)
{
    return ctf_text(event, field, text_ret);
}

/* ---- traces ---------------------------------------------------------------------------------- */

struct ctf_trace {
    const char *tracer, *release, *host;
};

const char *ctf_environment(const struct ctf_trace *trace, const char *name)
{
    return strcmp(name, "tracer_name") == 0      ? trace->tracer
           : strcmp(name, "kernel_release") == 0 ? trace->release
           : strcmp(name, "hostname") == 0       ? trace->host
                                                 : NULL;
}

enum bo_status ctf_read(const char *folder, const struct ctf_visitor *visitor, uint64_t *n_lost_ret,
                        struct bo_arena *arena, struct bo_error *err)
{
    struct bo_span left = bo_fuzz_events, line = take_until(&left, '\n');
    struct ctf_trace trace;
    trace.tracer = text_of(take_until(&line, ' '), arena);
    trace.release = text_of(take_until(&line, ' '), arena);
    trace.host = text_of(line, arena);
    if (!trace.tracer || !trace.release || !trace.host)
        return bo_fail_alloc(err, arena);
    enum bo_status status = visitor->trace(visitor->context, &trace);
    uint64_t now = 0, since;
    while (!status && left.n) {
        line = take_until(&left, '\n');
        if (!parse_number(take_until(&line, ' '), &since))
            return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "event has no time");
        now += since;
        const struct ctf_event event = {.name = text_of(take_until(&line, ' '), arena),
                                        .time_ns = (int64_t)now,
                                        .payload = &line};
        if (!event.name)
            return bo_fail_alloc(err, arena);
        status = visitor->event(visitor->context, &event);
    }
    *n_lost_ret = bo_fuzz_events.n % 2;
    return status;
}

bool ctf_is_in(const char *folder)
{
    return true;
}

/* ---- in the same process --------------------------------------------------------------------- */

void apart_goes_on(void)
{
}

enum bo_status apart_run(const struct apart *apart, struct bo_arena *arena, struct bo_span *out_ret,
                         struct bo_error *err)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    enum bo_status status = apart->work(apart->context, &out, err);
    uint8_t *copy = status ? NULL : bo_alloc(arena, out.n);
    if (!status && !copy)
        status = bo_fail_alloc(err, arena);
    if (!status && out.n)
        memcpy(copy, out.p, out.n);
    *out_ret = (struct bo_span){copy, out.n};
    bo_writer_free(&out);
    return status;
}
