/*
 * mixed-contexts: the history timeline by timeline. Of each: how many changes it has; then its
 * values, each with how long the one before it lasted.
 */
#include "codecs/statehist/mixed_contexts/mixed_contexts.h"

/* A timeline, as far as it is coded. */
struct line {
    uint32_t quark, class;
    struct statehist_interval at; /* the last interval; where it ends is not known */
    uint64_t delta, deltas[2];    /* how far the last values were from those before, zigzag */
    uint64_t durations[2];        /* of the intervals before, the last first */
};

/* Whether values are coded as differences. The other types are coded as XOR with the last value. */
static bool is_numeric(uint32_t type)
{
    return type == STATEHIST_INT || type == STATEHIST_LONG;
}

static uint64_t code_value(struct mixed_history *h, struct line *line, uint32_t *type,
                           uint64_t value)
{
    struct mixed_contexts of = {.kind = MIXED_TYPE};
    mixed_add(&of, line->class, line->at.type, line->delta);
    mixed_add(&of, line->class, line->at.type, 0);
    *type = mixed_symbol(&h->coder, &of, 3, *type);
    line->deltas[1] = line->deltas[0];
    line->deltas[0] = line->delta;
    if (*type == STATEHIST_NULL)
        return 0;
    if (*type >= STATEHIST_N_TYPES) {
        h->what = "unknown type";
        return 0;
    }
    uint64_t *last = &h->classes[line->class].values.last[*type];
    struct mixed_contexts by = {.kind = MIXED_DELTA};
    mixed_add(&by, line->class, *type, line->deltas[0]);
    mixed_add(&by, line->class, line->deltas[0], line->deltas[1]);
    mixed_add(&by, line->quark, *type, line->deltas[0]);
    mixed_add(&by, line->class, *type, bo_bit_width(line->durations[0]));
    mixed_add(&by, line->class, *type, UINT64_MAX);
    mixed_add(&by, line->class, *last, line->deltas[0]);
    const uint64_t coded =
        mixed_number(&h->coder, &by, MIXED_MAX_MODELLED,
                     is_numeric(*type) ? bo_zigzag64((int64_t)(value - *last)) : value ^ *last);
    value = is_numeric(*type) ? *last + (uint64_t)bo_unzigzag64(coded) : coded ^ *last;
    line->delta = coded;
    *last = value;
    if (h->reads && !h->what)
        h->what = statehist_value_flaw(*type, value, h->n_strings);
    return value;
}

/* How long an interval lasted, when it is known what comes next. */
static uint64_t code_duration(struct mixed_history *h, const struct line *line, uint64_t duration)
{
    struct mixed_contexts of = {.kind = MIXED_DURATION};
    const unsigned width = bo_bit_width(line->durations[0]);
    mixed_add(&of, line->class, line->delta, line->deltas[0]);
    mixed_add(&of, line->class, line->delta, width);
    mixed_add(&of, line->quark, line->delta, line->durations[0] >> (width > 3 ? width - 3 : 0));
    mixed_add(&of, line->class, line->deltas[0], line->deltas[1]);
    mixed_add(&of, line->quark, width, bo_bit_width(line->durations[1]));
    mixed_add(&of, line->class, line->delta, 0);
    return mixed_number(&h->coder, &of, 6, duration);
}

static bool code_line(struct mixed_history *h, struct line *line, uint32_t first, uint32_t n)
{
    const struct statehist_interval *from = h->reads ? NULL : &h->model->intervals[first];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t type = h->reads ? 0 : from[i].type;
        const uint64_t value = code_value(h, line, &type, h->reads ? 0 : from[i].value);
        if (i) {
            const uint64_t most = (uint64_t)h->end - (uint64_t)line->at.start;
            const uint64_t duration = code_duration(
                h, line, h->reads ? 0 : (uint64_t)from[i].start - (uint64_t)line->at.start);
            if (duration == 0 || duration > most)
                h->what = duration ? "time after the end" : "times do not ascend";
            if (h->what)
                return true;
            line->at.end = (int64_t)((uint64_t)line->at.start + duration - 1);
            if (h->reads && !statehist_add_interval(h->builder, &line->at))
                return false;
            line->durations[1] = line->durations[0];
            line->durations[0] = duration;
            line->at.start = (int64_t)((uint64_t)line->at.start + duration);
        }
        line->at.type = type;
        line->at.value = value;
        if (h->reads && bo_range_ran_out(&h->coder.range))
            h->what = "coded bits end too early";
        if (h->what)
            return true;
    }
    line->at.end = h->end;
    return !h->reads || statehist_add_interval(h->builder, &line->at);
}

bool mixed_code_timelines(struct mixed_history *h)
{
    for (uint32_t q = 0; q < h->n_quarks && !h->what && !mixed_is_too_long(h); q++) {
        const uint32_t class = h->quarks[q].class;
        const uint32_t first = h->reads ? 0 : h->model->first[q];
        struct line line = {
            .quark = q,
            .class = class,
            .at = {.start = h->start, .quark = q},
        };
        struct mixed_contexts of = {.kind = MIXED_COUNT};
        mixed_add(&of, class, 1, 0);
        const uint64_t n =
            mixed_number(&h->coder, &of, 8, h->reads ? 0 : h->model->first[q + 1] - first);
        if (n == 0 || n > h->n_intervals - h->n_changes) {
            h->what = n ? "more intervals than announced" : "timeline without intervals";
            return true;
        }
        h->n_changes += (size_t)n;
        if (!code_line(h, &line, first, (uint32_t)n))
            return false;
    }
    return true;
}
