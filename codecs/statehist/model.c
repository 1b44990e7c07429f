/* State histories: the rules, building, comparing. */
#include "codecs/statehist/model.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/core/utf8.h"

const char statehist_no_memory[31] = "no memory to look at the model";

/* ---- the rules: values and names ------------------------------------------------------------- */

const char *statehist_value_flaw(uint32_t type, uint64_t value, uint32_t n_strings)
{
    switch (type) {
    case STATEHIST_NULL:
        return value ? "null has a value" : NULL;
    case STATEHIST_INT:
        return (int64_t)value == (int32_t)(uint32_t)value ? NULL : "int does not fit 32 bits";
    case STATEHIST_LONG:
    case STATEHIST_DOUBLE:
        return NULL;
    case STATEHIST_STRING:
        return value < n_strings ? NULL : "string number is out of range";
    case STATEHIST_BOOL:
        return value < 2 ? NULL : "bool is neither 0 nor 1";
    default:
        return "unknown type";
    }
}

/* Attributes by parent and name, hashed. */
struct siblings {
    const struct statehist_attribute *attributes;
    uint32_t *slots; /* quarks plus 1; 0: nothing */
    size_t n_slots;  /* a power of two */
    uint64_t seed;   /* unpredictable */
};

/* False when there is a sibling of that name. */
static bool add_sibling(struct siblings *s, uint32_t quark)
{
    const struct statehist_attribute *attribute = &s->attributes[quark];
    const struct bo_span name = attribute->name;
    const uint64_t hash =
        XXH3_64bits_withSeed(name.p, name.n, bo_mix64(s->seed + attribute->parent));
    size_t i = (size_t)hash & (s->n_slots - 1);
    for (; s->slots[i]; i = (i + 1) & (s->n_slots - 1)) {
        const struct statehist_attribute *other = &s->attributes[s->slots[i] - 1];
        if (other->parent == attribute->parent && bo_span_equal(other->name, name))
            return false;
    }
    s->slots[i] = quark + 1;
    return true;
}

const char *statehist_tree_flaw(const struct statehist_attribute *attributes, uint32_t n_quarks,
                                struct bo_arena *arena, uint32_t *quark_ret)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct siblings s = {.attributes = attributes, .n_slots = 16};
    const char *flaw = n_quarks < 1u << 31 ? NULL : "too many quarks";
    *quark_ret = STATEHIST_ROOT;
    if (flaw)
        return flaw;
    while (s.n_slots < 2 * (size_t)n_quarks)
        s.n_slots *= 2;
    s.slots = bo_zalloc_array(arena, s.n_slots, sizeof *s.slots);
    if (!s.slots)
        return statehist_no_memory;
    s.seed = bo_mix64((uintptr_t)s.slots);
    for (uint32_t q = 0; q < n_quarks && !flaw; q++) {
        const struct bo_span name = attributes[q].name;
        const uint32_t parent = attributes[q].parent;
        flaw = parent >= q && parent != STATEHIST_ROOT  ? "parent is not a smaller quark"
               : name.n && memchr(name.p, '\0', name.n) ? "name holds a NUL"
               : !bo_is_utf8(name)                      ? "name is not UTF-8"
               : !add_sibling(&s, q)                    ? "name of a sibling"
                                                        : NULL;
        if (flaw)
            *quark_ret = q;
    }
    bo_arena_rewind(arena, mark);
    return flaw;
}

/* ---- the rules: the order of closing --------------------------------------------------------- */

/* One pass of a radix sort: by a byte of the ends, as numbers above `base`. */
static void sort_by_byte(const struct statehist_interval *intervals, size_t n, uint64_t base,
                         unsigned shift, const uint32_t *from, uint32_t *to)
{
    size_t at[257] = {0};
    for (size_t i = 0; i < n; i++)
        at[1 + (((uint64_t)intervals[i].end - base) >> shift & 0xff)]++;
    for (unsigned b = 0; b < 256; b++)
        at[b + 1] += at[b];
    for (size_t i = 0; i < n; i++)
        to[at[((uint64_t)intervals[from[i]].end - base) >> shift & 0xff]++] = from[i];
}

uint32_t *statehist_order_by_end(const struct statehist_interval *intervals, size_t n,
                                 struct bo_arena *arena)
{
    uint32_t *order = bo_alloc_array(arena, n, sizeof *order);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *scratch = bo_alloc_array(arena, n, sizeof *scratch);
    int64_t least = INT64_MAX, most = INT64_MIN;
    if (!order || !scratch)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        least = intervals[i].end < least ? intervals[i].end : least;
        most = intervals[i].end > most ? intervals[i].end : most;
    }
    const uint64_t span = n ? (uint64_t)most - (uint64_t)least : 0;
    for (unsigned shift = 0; shift < 64 && span >> shift; shift += 8) {
        sort_by_byte(intervals, n, (uint64_t)least, shift, order, scratch);
        memcpy(order, scratch, n * sizeof *order);
    }
    bo_arena_rewind(arena, mark);
    return order;
}

/* ---- the rules: all of them ------------------------------------------------------------------ */

static const char *timelines_flaw(const struct statehist_model *model, uint32_t *n_used_ret)
{
    size_t i = 0;
    *n_used_ret = 0; /* strings used so far: the next new one has this number */
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        if (model->first[q] != i || i == model->n_intervals)
            return "timeline is not where it should be";
        for (; i < model->n_intervals && model->intervals[i].quark == q; i++) {
            const struct statehist_interval *at = &model->intervals[i];
            const bool is_first = i == model->first[q];
            const char *flaw = statehist_value_flaw(at->type, at->value, model->n_strings);
            if (flaw)
                return flaw;
            if (is_first ? at->start != model->start
                         : at[-1].end == INT64_MAX || at->start != at[-1].end + 1)
                return "gap or overlap";
            if (at->start > at->end)
                return "interval ends before it starts";
            if (at->type == STATEHIST_STRING && at->value > *n_used_ret)
                return "string out of the order of first use";
            *n_used_ret += at->type == STATEHIST_STRING && at->value == *n_used_ret;
        }
        if (i == model->first[q] || model->intervals[i - 1].end != model->end)
            return "timeline does not last to the end";
    }
    if (model->first[model->n_quarks] != i || i != model->n_intervals)
        return "interval of no quark";
    return NULL;
}

static const char *closing_flaw(const struct statehist_model *model, struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint8_t *met = bo_zalloc_array(arena, model->n_intervals, 1);
    const char *flaw = met ? NULL : statehist_no_memory;
    for (size_t i = 0; i < model->n_intervals && !flaw; i++) {
        const uint32_t at = model->closing[i];
        if (at >= model->n_intervals || met[at])
            flaw = "interval closes twice";
        else if (i && model->intervals[at].end < model->intervals[model->closing[i - 1]].end)
            flaw = "ends descend in the order of closing";
        else
            met[at] = 1;
    }
    bo_arena_rewind(arena, mark);
    return flaw;
}

static const char *strings_flaw(const struct statehist_model *model, struct bo_arena *arena)
{
    struct bo_texts set;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const char *flaw = bo_texts_init(&set, false, arena) ? NULL : statehist_no_memory;
    for (uint32_t i = 0; i < model->n_strings && !flaw; i++) {
        uint32_t number;
        if (!bo_texts_add(&set, model->strings[i], &number))
            flaw = statehist_no_memory;
        else if (number != i)
            flaw = "duplicate string";
        else if (!bo_is_utf8(model->strings[i]))
            flaw = "string is not UTF-8";
    }
    bo_arena_rewind(arena, mark);
    return flaw;
}

const char *statehist_model_flaw(const struct statehist_model *model, struct bo_arena *arena)
{
    uint32_t quark, n_used;
    if (model->start > model->end)
        return "history ends before it starts";
    if (model->n_intervals > UINT32_MAX)
        return "too many intervals";
    const char *flaw = statehist_tree_flaw(model->attributes, model->n_quarks, arena, &quark);
    if (!flaw)
        flaw = timelines_flaw(model, &n_used);
    if (!flaw && n_used != model->n_strings)
        flaw = "string is not used";
    if (!flaw)
        flaw = strings_flaw(model, arena);
    return flaw ? flaw : closing_flaw(model, arena);
}

/* ---- building -------------------------------------------------------------------------------- */

bool statehist_builder_init(struct statehist_builder *builder, bool copies, struct bo_arena *arena)
{
    *builder = (struct statehist_builder){.arena = arena, .copies = copies};
    return bo_texts_init(&builder->strings, copies, arena);
}

bool statehist_reserve(struct statehist_builder *builder, size_t n_quarks, size_t n_intervals)
{
    return bo_grow(builder->arena, &builder->attributes, builder->n_quarks, n_quarks,
                   &builder->cap_quarks) &&
           bo_grow(builder->arena, &builder->intervals, builder->n_intervals, n_intervals,
                   &builder->cap_intervals);
}

bool statehist_add_attribute(struct statehist_builder *builder, struct bo_span name,
                             uint32_t parent)
{
    if (!statehist_reserve(builder, 1, 0))
        return false;
    if (builder->copies && !bo_keep_span(builder->arena, &name))
        return false;
    builder->attributes[builder->n_quarks++] = (struct statehist_attribute){name, parent};
    return true;
}

bool statehist_add_string(struct statehist_builder *builder, struct bo_span string,
                          uint32_t *number_ret)
{
    return bo_texts_add(&builder->strings, string, number_ret);
}

bool statehist_add_interval(struct statehist_builder *builder,
                            const struct statehist_interval *interval)
{
    if (builder->n_intervals == builder->cap_intervals && !statehist_reserve(builder, 0, 1))
        return false;
    builder->intervals[builder->n_intervals++] = *interval;
    return true;
}

/* ---- finishing ------------------------------------------------------------------------------- */

/* A builder that is turned into a model. */
struct finishing {
    const struct statehist_builder *builder;
    struct statehist_model *model;
    struct statehist_interval *intervals; /* by quark */
    uint32_t *first;
    uint32_t *closing; /* NULL until known */
    struct statehist_flaw *flaw;
};

static enum bo_status flawed(struct finishing *f, const char *what, uint32_t quark, size_t interval)
{
    *f->flaw = (struct statehist_flaw){.what = what, .quark = quark, .interval = interval};
    return BO_CORRUPT;
}

static enum bo_status flawed_times(struct finishing *f, const char *what, uint32_t quark,
                                   size_t interval, int64_t from, int64_t to)
{
    *f->flaw = (struct statehist_flaw){what, quark, interval, true, from, to};
    return BO_CORRUPT;
}

/* The position of an interval of the model in the order of adding. */
static size_t came_as(const struct finishing *f, size_t i)
{
    const struct statehist_interval *wanted = &f->intervals[i];
    const struct statehist_builder *builder = f->builder;
    size_t n_before = i - f->first[wanted->quark], at = 0;
    for (;; at++)
        if (builder->intervals[at].quark == wanted->quark && n_before-- == 0)
            return at;
}

/* Checks each interval separately. Counts those of each quark in first[quark + 1]. */
static enum bo_status check_intervals(struct finishing *f, bool *in_order_ret, bool *closes_ret)
{
    const struct statehist_builder *builder = f->builder;
    *in_order_ret = *closes_ret = true;
    for (size_t i = 0; i < builder->n_intervals; i++) {
        const struct statehist_interval *at = &builder->intervals[i];
        const char *what = at->quark >= builder->n_quarks
                               ? "quark is out of range"
                               : statehist_value_flaw(at->type, at->value, builder->strings.n);
        if (what)
            return flawed(f, what, at->quark, i);
        if (at->start > at->end)
            return flawed_times(f, "interval ends before it starts", at->quark, i, at->start,
                                at->end);
        if (at->start < f->model->start || at->end > f->model->end)
            return flawed_times(f, "interval outside of the history", at->quark, i, at->start,
                                at->end);
        f->first[at->quark + 1]++;
        *in_order_ret &= i == 0 || at->quark >= at[-1].quark;
        *closes_ret &= i == 0 || at->end >= at[-1].end;
    }
    return BO_OK;
}

/* Sorts the intervals by quark. With `in_order`, records the order in which they were added. */
static bool sort_by_quark(struct finishing *f, bool in_order, bool closes)
{
    const struct statehist_builder *builder = f->builder;
    struct bo_arena *arena = builder->arena;
    const size_t n = builder->n_intervals;
    if (closes && !(f->closing = bo_alloc_array(arena, n, sizeof *f->closing)))
        return false;
    if (in_order) {
        f->intervals = builder->intervals;
        for (size_t i = 0; i < n && closes; i++)
            f->closing[i] = (uint32_t)i;
        return true;
    }
    f->intervals = bo_alloc_array(arena, n, sizeof *f->intervals);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *next = bo_alloc_array(arena, builder->n_quarks, sizeof *next);
    if (!f->intervals || !next)
        return false;
    memcpy(next, f->first, builder->n_quarks * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        const uint32_t to = next[builder->intervals[i].quark]++;
        f->intervals[to] = builder->intervals[i];
        if (closes)
            f->closing[i] = to;
    }
    bo_arena_rewind(arena, mark);
    return true;
}

/* No gaps and no overlaps. */
static enum bo_status check_timelines(struct finishing *f)
{
    const struct statehist_model *model = f->model;
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        bool covered = false;        /* up to the largest time there is */
        int64_t next = model->start; /* what must follow, unless covered */
        for (uint32_t i = f->first[q]; i < f->first[q + 1]; i++) {
            const struct statehist_interval *at = &f->intervals[i];
            if (covered || at->start < next)
                return flawed_times(f, "timeline overlaps itself", q, came_as(f, i), at->start,
                                    covered || at->end < next ? at->end : next - 1);
            if (at->start > next)
                return flawed_times(f, "timeline has a gap", q, came_as(f, i), next, at->start - 1);
            covered = at->end == INT64_MAX;
            next = covered ? next : at->end + 1;
        }
        if (!covered && next <= model->end)
            return flawed_times(f, "timeline does not last to the end", q, SIZE_MAX, next,
                                model->end);
    }
    return BO_OK;
}

/* Numbers strings by first use; drops those that are not used. */
static enum bo_status number_strings(struct finishing *f)
{
    const struct bo_texts *strings = &f->builder->strings;
    struct bo_arena *arena = f->builder->arena;
    struct bo_span *used = bo_alloc_array(arena, strings->n, sizeof *used);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *numbers = bo_alloc_array(arena, strings->n, sizeof *numbers), n = 0;
    if (!used || !numbers)
        return arena->refusal;
    for (uint32_t i = 0; i < strings->n; i++)
        numbers[i] = BO_NO_TEXT;
    for (size_t i = 0; i < f->model->n_intervals; i++) {
        struct statehist_interval *at = &f->intervals[i];
        if (at->type != STATEHIST_STRING)
            continue;
        uint32_t *number = &numbers[at->value];
        if (*number == BO_NO_TEXT) {
            used[n] = strings->texts[at->value];
            if (!bo_is_utf8(used[n]))
                return flawed(f, "string is not UTF-8", at->quark, came_as(f, i));
            *number = n++;
        }
        at->value = *number;
    }
    bo_arena_rewind(arena, mark);
    f->model->strings = used;
    f->model->n_strings = n;
    return BO_OK;
}

static enum bo_status finish(struct finishing *f)
{
    const struct statehist_builder *builder = f->builder;
    struct bo_arena *arena = builder->arena;
    uint32_t quark;
    bool in_order, closes;
    if (f->model->start > f->model->end)
        return flawed_times(f, "history ends before it starts", STATEHIST_ROOT, SIZE_MAX,
                            f->model->start, f->model->end);
    if (builder->n_intervals > UINT32_MAX)
        return flawed(f, "too many intervals", STATEHIST_ROOT, SIZE_MAX);
    const char *what = statehist_tree_flaw(builder->attributes, builder->n_quarks, arena, &quark);
    if (what == statehist_no_memory)
        return arena->refusal;
    if (what)
        return flawed(f, what, quark, SIZE_MAX);
    f->first = bo_zalloc_array(arena, (size_t)builder->n_quarks + 1, sizeof *f->first);
    if (!f->first)
        return arena->refusal;
    enum bo_status status = check_intervals(f, &in_order, &closes);
    if (status)
        return status;
    for (uint32_t q = 0; q < builder->n_quarks; q++)
        f->first[q + 1] += f->first[q];
    if (!sort_by_quark(f, in_order, closes))
        return arena->refusal;
    status = check_timelines(f);
    if (!status)
        status = number_strings(f);
    if (!status && !f->closing) {
        f->closing = statehist_order_by_end(f->intervals, builder->n_intervals, arena);
        status = f->closing ? BO_OK : arena->refusal;
    }
    return status;
}

bool statehist_keeps_strings(const struct statehist_builder *builder,
                             const struct statehist_model *model)
{
    bool keeps = builder->strings.n == model->n_strings;
    for (uint32_t i = 0; i < model->n_strings && keeps; i++)
        keeps = builder->strings.texts[i].p == model->strings[i].p &&
                builder->strings.texts[i].n == model->strings[i].n; /* empty ones share addresses */
    return keeps;
}

enum bo_status statehist_finish(struct statehist_builder *builder, int64_t start, int64_t end,
                                struct statehist_model **model_ret, struct statehist_flaw *flaw)
{
    struct statehist_flaw ignored;
    struct statehist_model *model = bo_alloc(builder->arena, sizeof *model);
    if (!model)
        return builder->arena->refusal;
    *model = (struct statehist_model){
        .start = start,
        .end = end,
        .n_quarks = builder->n_quarks,
        .attributes = builder->attributes,
        .n_intervals = builder->n_intervals,
    };
    struct finishing f = {.builder = builder, .model = model, .flaw = flaw ? flaw : &ignored};
    const enum bo_status status = finish(&f);
    if (status)
        return status;
    model->intervals = f.intervals;
    model->first = f.first;
    model->closing = f.closing;
    *model_ret = model;
    return BO_OK;
}

enum bo_status statehist_fail(struct bo_error *err, enum bo_status status, uint64_t off,
                              const struct statehist_flaw *flaw, struct bo_arena *arena)
{
    enum { ROOM = 160 };
    if (status != BO_CORRUPT)
        return bo_fail_alloc(err, arena);
    if (flaw->quark == STATEHIST_ROOT)
        return bo_fail(err, status, off, flaw->what);
    char *text = bo_alloc(arena, ROOM);
    if (!text)
        return bo_fail_alloc(err, arena);
    int n = snprintf(text, ROOM, "%s: quark %" PRIu32, flaw->what, flaw->quark);
    if (flaw->has_times)
        snprintf(text + n, ROOM - (size_t)n, ", %" PRId64 "..%" PRId64, flaw->from, flaw->to);
    return bo_fail(err, status, off, text);
}

/* ---- one instant ----------------------------------------------------------------------------- */

enum bo_status statehist_take_instant(const struct statehist_model *model, int64_t time,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    struct statehist_builder builder;
    struct statehist_model *instant;
    uint32_t number;
    if (time < model->start || time > model->end)
        return bo_fail(err, BO_OUT_OF_RANGE, BO_NO_OFFSET, "time is outside of the history");
    bool ok = statehist_builder_init(&builder, false, arena) &&
              statehist_reserve(&builder, model->n_quarks, model->n_quarks);
    for (uint32_t i = 0; i < model->n_strings && ok; i++)
        ok = statehist_add_string(&builder, model->strings[i], &number);
    for (uint32_t q = 0; q < model->n_quarks && ok; q++) {
        uint32_t i = model->first[q];
        while (model->intervals[i].end < time)
            i++;
        struct statehist_interval interval = model->intervals[i];
        interval.start = interval.end = time;
        ok = statehist_add_attribute(&builder, model->attributes[q].name,
                                     model->attributes[q].parent) &&
             statehist_add_interval(&builder, &interval);
    }
    if (!ok || statehist_finish(&builder, time, time, &instant, NULL) != BO_OK)
        return bo_fail_alloc(err, arena);
    *model_ret = instant;
    return BO_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

const char *statehist_differ(const void *left, const void *right)
{
    const struct statehist_model *a = left, *b = right;
    if (a->start != b->start || a->end != b->end)
        return "other times of the history";
    if (a->n_quarks != b->n_quarks)
        return "another number of quarks";
    if (a->n_intervals != b->n_intervals)
        return "another number of intervals";
    if (a->n_strings != b->n_strings)
        return "another number of strings";
    for (uint32_t q = 0; q < a->n_quarks; q++)
        if (a->attributes[q].parent != b->attributes[q].parent ||
            !bo_span_equal(a->attributes[q].name, b->attributes[q].name))
            return "another attribute";
    for (uint32_t i = 0; i < a->n_strings; i++)
        if (!bo_span_equal(a->strings[i], b->strings[i]))
            return "another string";
    for (size_t i = 0; i < a->n_intervals; i++) {
        const struct statehist_interval *x = &a->intervals[i], *y = &b->intervals[i];
        if (x->quark != y->quark || x->start != y->start || x->end != y->end)
            return "another interval";
        if (x->type != y->type || x->value != y->value)
            return "another value";
    }
    return NULL;
}
