/*
 * mixed-contexts: the history time by time. For each time, its changes are coded: the class, the
 * quark of that class and the value of each. Then follows the step from the time before.
 */
#include "codecs/statehist/mixed_contexts/mixed_contexts.h"

enum { FEW_QUARKS = 32, N_CANDIDATES = 6 };

/*
 * The changes of one time, as far as they are coded. Contexts are made from this struct and from
 * struct mixed_history. Both contain only values that are already coded, so that the encoder and
 * the decoder compute equal contexts. That is why note_change runs after the class, the quark and
 * the value of a change have been coded, and why nothing else changes them between two codes.
 *
 * `signature`, `quark`, `last_quark` and `n` start anew with each event; `before`, `two_before` and
 * `first_before` are those of the events before it.
 */
struct event {
    uint64_t signature; /* hash of the classes and values coded so far */
    uint64_t before;    /* signature of the last event */
    uint64_t two_before;
    uint32_t quark, last_quark; /* changed last, and before that; STATEHIST_ROOT: none */
    uint32_t first;             /* the event's first quark */
    uint32_t first_before;      /* of the last event */
    uint32_t n;
    uint32_t number; /* of the event, from 1 */
};

static uint32_t class_of(const struct mixed_history *h, uint32_t quark)
{
    return quark == STATEHIST_ROOT ? MIXED_MAX_CLASSES + 1 : h->quarks[quark].class;
}

/* The quark's value in the form that contexts use. */
static uint32_t value_of(const struct mixed_history *h, uint32_t quark)
{
    return quark == STATEHIST_ROOT ? 0 : h->quarks[quark].seen;
}

/* ---- the class ------------------------------------------------------------------------------- */

/* n_classes: the event has no more changes. */
static uint32_t code_class(struct mixed_history *h, const struct event *e, uint32_t class)
{
    struct mixed_contexts of = {.kind = MIXED_CLASS};
    const uint32_t prev = class_of(h, e->quark), value = value_of(h, e->quark);
    mixed_add(&of, prev, value, e->n == 0);
    mixed_add(&of, e->signature, e->n ? 0 : e->before, 0);
    mixed_add(&of, e->signature, e->before, e->n ? 1 : e->two_before);
    mixed_add(&of, e->signature, e->quark, e->first_before);
    mixed_add(&of, prev, class_of(h, e->last_quark), e->n);
    mixed_add(&of, e->signature, e->quark == STATEHIST_ROOT ? 0 : h->quarks[e->quark].seen_before,
              value);
    return mixed_symbol(&h->coder, &of, bo_bit_width(h->n_classes), class);
}

/* ---- the quark ------------------------------------------------------------------------------- */

/* The quark of a class that an owner's changed last; 0: none. From 1. */
static uint32_t met_of(const struct mixed_history *h, uint32_t quark, uint32_t class)
{
    return quark == STATEHIST_ROOT ? 0 : *mixed_met(h, h->quarks[quark].owner, class);
}

/* The attribute that a value names; from 1. */
static uint32_t named_by(const struct mixed_history *h, uint32_t quark)
{
    if (quark == STATEHIST_ROOT || h->quarks[quark].value == 0)
        return 0;
    const struct mixed_value *value =
        &h->classes[h->quarks[quark].class].values.values[h->quarks[quark].value];
    if (value->type != STATEHIST_INT || value->value >= UINT32_MAX)
        return 0;
    const uint32_t found = h->by_number[mixed_slot(h, value->value, 0)];
    return found && h->quarks[found - 1].number == value->value ? found : 0;
}

static void find_candidates(const struct mixed_history *h, const struct event *e, uint32_t class,
                            uint32_t candidates[N_CANDIDATES])
{
    const struct mixed_class *c = &h->classes[class];
    const uint32_t named = named_by(h, e->quark);
    const uint32_t also_named = e->n ? named_by(h, e->first) : 0;
    candidates[0] = met_of(h, e->quark, class);
    candidates[1] = named ? met_of(h, named - 1, class) : 0;
    candidates[2] = h->followers[mixed_slot(h, e->quark, class)];
    candidates[3] = also_named ? met_of(h, also_named - 1, class) : 0;
    candidates[4] = c->n_met < c->n ? c->quarks[c->n_met] + 1 : 0;
    candidates[5] = c->last == STATEHIST_ROOT ? 0 : c->last + 1;
}

/* Whether candidate i is STATEHIST_ROOT, of another class, or equal to an earlier candidate. */
static bool is_idle(const struct mixed_history *h, const uint32_t *candidates, unsigned i,
                    uint32_t class, uint32_t event)
{
    if (!candidates[i] || h->quarks[candidates[i] - 1].class != class ||
        h->quarks[candidates[i] - 1].event == event)
        return true;
    for (unsigned k = 0; k < i; k++)
        if (candidates[k] == candidates[i])
            return true;
    return false;
}

static uint32_t code_in_class(struct mixed_history *h, const struct event *e, uint32_t class,
                              uint32_t in_class)
{
    const struct mixed_class *c = &h->classes[class];
    const uint32_t last = c->last;
    struct mixed_contexts of = {.kind = MIXED_QUARK};
    mixed_add(&of, class, e->quark, 0);
    mixed_add(&of, class, e->quark, e->signature);
    mixed_add(&of, class, last, e->signature);
    mixed_add(&of, class, last, c->last_but_one);
    mixed_add(&of, class, e->n ? e->first : e->first_before, e->n ? e->signature : e->before);
    mixed_add(&of, class, value_of(h, e->quark), class_of(h, e->quark));
    return mixed_symbol(&h->coder, &of, bo_bit_width(c->n - 1), in_class);
}

/* STATEHIST_ROOT, and what is wrong, when there is no such quark. */
static uint32_t code_quark(struct mixed_history *h, const struct event *e, uint32_t class,
                           uint32_t quark)
{
    const struct mixed_class *c = &h->classes[class];
    uint32_t candidates[N_CANDIDATES], missed = 0;
    if (c->n == 0) {
        h->what = "class without quarks";
        return STATEHIST_ROOT;
    }
    find_candidates(h, e, class, candidates);
    for (unsigned i = 0; i < N_CANDIDATES && c->n > FEW_QUARKS; i++) {
        if (is_idle(h, candidates, i, class, e->number))
            continue;
        struct mixed_contexts of = {.kind = MIXED_CANDIDATE};
        const uint32_t q = candidates[i] - 1;
        mixed_add(&of, class, i, missed);
        mixed_add(&of, e->signature, class, i << 8 | missed);
        mixed_add(&of, class_of(h, e->quark), class, i << 8 | missed);
        mixed_add(&of, e->quark, class, i);
        mixed_add(&of, class, i, h->quarks[q].seen);
        mixed_add(&of, e->signature, h->quarks[q].seen, i << 8 | class);
        if (mixed_bit(&h->coder, &of, 0, i, quark == q))
            return q;
        missed |= 1u << i;
    }
    const uint32_t in_class = code_in_class(h, e, class, h->reads ? 0 : h->quarks[quark].in_class);
    if (in_class >= c->n) {
        h->what = "quark is out of range";
        return STATEHIST_ROOT;
    }
    for (unsigned i = 0; i < N_CANDIDATES && h->reads; i++)
        if (missed >> i & 1 && candidates[i] - 1 == c->quarks[in_class])
            h->what = "attribute is one of the refused candidates";
    return c->quarks[in_class];
}

/* ---- the value ------------------------------------------------------------------------------- */

static bool code_value(struct mixed_history *h, const struct event *e, uint32_t quark,
                       const struct mixed_value *value, uint32_t *number_ret)
{
    const struct mixed_quark *q = &h->quarks[quark];
    const uint32_t class = q->class;
    struct mixed_contexts of = {.kind = MIXED_VALUE};
    mixed_add(&of, class, q->seen, q->seen_before);
    mixed_add(&of, quark, q->seen, 0);
    mixed_add(&of, class, e->signature, 0);
    mixed_add(&of, class, e->signature, q->seen);
    mixed_add(&of, quark, q->seen, q->seen_before);
    mixed_add(&of, class, e->n ? e->first : e->first_before, e->signature);
    mixed_add(&of, class, q->seen, e->n ? value_of(h, e->quark) : e->before);
    return mixed_code_value(h, &of, class, q->value, value, number_ret);
}

/*
 * Updates the state with a change that has been coded. Each old value is moved before its successor
 * replaces it: followers are noted under the event's last quark before e->quark becomes this one,
 * q->before takes q->value, last_but_one takes last. code_time closes the interval of q->before
 * when the event ends; this needs q->before to be the value from before the event, so a quark
 * changes at most once an event (q->event is compared for that).
 */
static void note_change(struct mixed_history *h, struct event *e, uint32_t quark, uint32_t number)
{
    struct mixed_quark *q = &h->quarks[quark];
    struct mixed_class *class = &h->classes[q->class];
    h->followers[mixed_slot(h, e->quark, q->class)] = quark + 1;
    if (e->n == 0)
        h->followers[mixed_slot(h, STATEHIST_ROOT, q->class)] = quark + 1;
    *mixed_met(h, q->owner, q->class) = quark + 1;
    if (class->last != quark) {
        class->last_but_one = class->last;
        class->last = quark;
    }
    class->n_met = class->n_met > q->in_class ? class->n_met : q->in_class + 1;
    q->seen_before = q->seen;
    q->seen = class->counts ? mixed_step(q->value, number) : number;
    q->before = q->value;
    q->value = number;
    q->event = e->number;
    h->changed[e->n] = quark;
    e->signature = mixed_hash(e->signature, (uint64_t)q->class << 32 | q->seen);
    e->first = e->n ? e->first : quark;
    e->last_quark = e->quark;
    e->quark = quark;
    e->n++;
}

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t code_step(struct mixed_history *h, const struct event *e, uint64_t step)
{
    struct mixed_contexts of = {.kind = MIXED_STEP};
    mixed_add(&of, e->signature, 0, 0);
    mixed_add(&of, e->signature, e->before, 0);
    mixed_add(&of, e->signature, e->before, e->first == e->first_before);
    mixed_add(&of, e->signature, e->before, e->two_before);
    mixed_add(&of, class_of(h, e->first), value_of(h, e->first), e->first == e->first_before);
    return mixed_number(&h->coder, &of, h->has_counters ? 10 : 4, step);
}

/* ---- counters -------------------------------------------------------------------------------- */

void mixed_code_counters(struct mixed_history *h)
{
    h->has_counters = false;
    for (uint32_t c = 0; c < h->n_classes; c++) {
        struct mixed_contexts of = {.kind = MIXED_COUNT};
        mixed_add(&of, 0, 2, 0);
        h->classes[c].counts = mixed_symbol(&h->coder, &of, 1, h->classes[c].counts);
        h->has_counters |= h->classes[c].counts;
    }
    if (!h->has_counters)
        h->what = "order is 2, but no class counts";
}

bool mixed_find_counters(struct mixed_history *h)
{
    enum { LEAST_CHANGES = 32 };
    const struct statehist_model *model = h->model;
    for (uint32_t c = 0; c < h->n_classes; c++) {
        struct mixed_class *class = &h->classes[c];
        size_t n = 0, n_steps = 0;
        for (uint32_t k = 0; k < class->n; k++)
            for (uint32_t i = model->first[class->quarks[k]] + 1;
                 i < model->first[class->quarks[k] + 1]; i++, n++)
                n_steps += (model->intervals[i].type == STATEHIST_INT ||
                            model->intervals[i].type == STATEHIST_LONG) &&
                           model->intervals[i].value == model->intervals[i - 1].value + 1;
        class->counts = n >= LEAST_CHANGES && n_steps >= n - n / 4;
        h->has_counters |= class->counts;
    }
    return h->has_counters;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static struct mixed_value value_at(const struct mixed_history *h, uint32_t interval)
{
    const struct statehist_interval *at = &h->model->intervals[interval];
    return (struct mixed_value){at->type, at->value};
}

/* The values of all attributes at the start. */
static bool code_first_values(struct mixed_history *h)
{
    struct event e = {.quark = STATEHIST_ROOT,
                      .last_quark = STATEHIST_ROOT,
                      .first = STATEHIST_ROOT,
                      .first_before = STATEHIST_ROOT};
    for (uint32_t q = 0; q < h->n_quarks && !h->what; q++) {
        struct mixed_value value = {STATEHIST_NULL, 0};
        if (!h->reads)
            value = value_at(h, h->model->first[q]);
        struct mixed_contexts of = {.kind = MIXED_VALUE};
        mixed_add(&of, h->quarks[q].class, 0, MIXED_MAX_CLASSES);
        mixed_add(&of, h->quarks[q].class, e.signature, MIXED_MAX_CLASSES);
        h->quarks[q].start = h->start;
        if (!mixed_code_value(h, &of, h->quarks[q].class, 0, &value, &h->quarks[q].value))
            return false;
        h->quarks[q].seen = h->classes[h->quarks[q].class].counts ? 0 : h->quarks[q].value;
        if (bo_range_ran_out(&h->coder.range) && h->reads)
            h->what = "coded bits end too early";
        e.signature = h->quarks[q].value;
    }
    return true;
}

/* Reading: adds the interval that a quark was in, of a value, up to `end`. */
static bool close_interval(struct mixed_history *h, uint32_t quark, uint32_t number, int64_t end)
{
    const struct mixed_quark *q = &h->quarks[quark];
    const struct mixed_value value = number ? h->classes[q->class].values.values[number]
                                            : (struct mixed_value){STATEHIST_NULL, 0};
    return statehist_add_interval(h->builder, &(struct statehist_interval){.start = q->start,
                                                                           .end = end,
                                                                           .value = value.value,
                                                                           .type = value.type,
                                                                           .quark = quark});
}

/* The changes of one time; n and changes are for writing. */
static bool code_changes(struct mixed_history *h, struct event *e,
                         const struct mixed_change *changes, size_t n)
{
    for (size_t i = 0;; i++) {
        const bool has_more = !h->reads && i < n;
        const uint32_t class =
            code_class(h, e, has_more ? h->quarks[changes[i].quark].class : h->n_classes);
        if (class == h->n_classes)
            return true;
        if (class > h->n_classes) {
            h->what = "class is out of range";
            return true;
        }
        const uint32_t quark = code_quark(h, e, class, has_more ? changes[i].quark : 0);
        if (!h->what && h->quarks[quark].event == e->number)
            h->what = "attribute changes twice at one time";
        if (!h->what && e->n && quark < e->quark)
            h->what = "changes of one time are not in the order of attributes";
        if (h->what)
            return true;
        struct mixed_value value = {STATEHIST_NULL, 0};
        uint32_t number;
        if (has_more)
            value = value_at(h, changes[i].interval);
        if (!code_value(h, e, quark, &value, &number))
            return false;
        if (h->what)
            return true;
        note_change(h, e, quark, number);
    }
}

/* The time of an event, which ends intervals. */
static bool code_time(struct mixed_history *h, const struct event *e, uint64_t *time, uint64_t now)
{
    const uint64_t length = (uint64_t)h->end - (uint64_t)h->start;
    const uint64_t step = code_step(h, e, now - *time);
    if (e->n == 0 || step == 0 || step > length - *time ||
        e->n > h->n_intervals - h->n_quarks - h->n_changes) {
        h->what = e->n == 0               ? "time without changes"
                  : step == 0             ? "times do not ascend"
                  : step > length - *time ? "time after the end"
                                          : "more intervals than announced";
        return true;
    }
    *time += step;
    h->n_changes += e->n;
    for (uint32_t i = 0; i < e->n && h->reads; i++) {
        struct mixed_quark *q = &h->quarks[h->changed[i]];
        const int64_t start = (int64_t)((uint64_t)h->start + *time);
        if (!close_interval(h, h->changed[i], q->before, start - 1))
            return false;
        q->start = start;
    }
    return true;
}

bool mixed_code_events(struct mixed_history *h, const struct mixed_change *changes,
                       size_t n_changes, uint32_t n_events)
{
    struct event e = {.quark = STATEHIST_ROOT,
                      .last_quark = STATEHIST_ROOT,
                      .first = STATEHIST_ROOT,
                      .first_before = STATEHIST_ROOT};
    uint64_t time = 0;
    if (!code_first_values(h))
        return false;
    for (uint32_t i = 0; i < n_events && !h->what && !mixed_is_too_long(h); i++) {
        size_t n = 0;
        while (n < n_changes && changes[n].time == changes->time)
            n++;
        e.number = i + 1;
        if (!code_changes(h, &e, changes, n) ||
            (!h->what && !code_time(h, &e, &time, n ? changes->time : 0)))
            return false;
        if (bo_range_ran_out(&h->coder.range) && h->reads)
            h->what = "coded bits end too early";
        e.two_before = e.before;
        e.before = e.signature;
        e.first_before = e.first;
        e.signature = 0;
        e.quark = e.last_quark = STATEHIST_ROOT;
        e.n = 0;
        if (n) {
            changes += n;
            n_changes -= n;
        }
    }
    for (uint32_t q = 0; q < h->n_quarks && h->reads && !h->what; q++)
        if (!close_interval(h, q, h->quarks[q].value, h->end))
            return false;
    return true;
}
