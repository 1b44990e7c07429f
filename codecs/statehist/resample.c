/*
 * Histories of any length that are like a real one.
 *
 * The changes of the real history are repeated as by a state system, until there are enough
 * intervals. Which attributes change together, to which values and in which order stays the same.
 * These vary from one repetition to the next:
 *
 * - times: each time's distance to the one before it changes places with one of about that length;
 * - attributes that appear and disappear with all below them (null at first and at last: threads)
 *   are replaced by others in each repetition. The others (CPUs) continue.
 *
 * An attribute exists from its first value on, so a short history has few of them.
 */
#include "codecs/statehist/resample.h"

#include <stdio.h>
#include <stdlib.h>

#include "codecs/statehist/model.h"

enum { NEARBY = 16 }; /* how many places away, in their order by length, distances may change */

struct play {
    const struct statehist_model *like;
    struct bo_random *random;
    struct bo_arena *arena;
    struct statehist_builder builder;
    uint32_t *changes; /* the real intervals in the order of their starts */
    uint64_t *gaps;    /* to the distinct start before; one for each distinct start but the first */
    uint64_t *sorted;  /* the same by length */
    uint32_t *ranks;   /* of each in that order */
    size_t n_gaps;
    bool *comes_and_goes; /* by the real quark */
    uint32_t *quarks;     /* by the real quark: that of this repetition, or STATEHIST_ROOT */
    struct statehist_interval *open; /* by quark: now, and since when */
    size_t cap_open;
    unsigned number; /* of this repetition */
    int64_t start, now;
};

/* ---- the real history ------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b, void *context)
{
    const struct statehist_interval *intervals = context, *x = &intervals[*(const uint32_t *)a],
                                    *y = &intervals[*(const uint32_t *)b];
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static int by_length(const void *a, const void *b, void *context)
{
    const uint64_t *gaps = context, x = gaps[*(const uint32_t *)a], y = gaps[*(const uint32_t *)b];
    if (x != y)
        return x < y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static bool order_changes(struct play *play)
{
    const struct statehist_model *like = play->like;
    play->changes = bo_alloc_array(play->arena, like->n_intervals + 1, sizeof *play->changes);
    if (!play->changes)
        return false;
    for (size_t i = 0; i < like->n_intervals; i++)
        play->changes[i] = (uint32_t)i;
    qsort_r(play->changes, like->n_intervals, sizeof *play->changes, by_start,
            (void *)(uintptr_t)like->intervals);
    return true;
}

static bool order_gaps(struct play *play)
{
    const struct statehist_model *like = play->like;
    const size_t n = like->n_intervals + 1;
    uint32_t *order = bo_alloc_array(play->arena, n, sizeof *order);
    play->gaps = bo_alloc_array(play->arena, n, sizeof *play->gaps);
    play->sorted = bo_alloc_array(play->arena, n, sizeof *play->sorted);
    play->ranks = bo_alloc_array(play->arena, n, sizeof *play->ranks);
    if (!order || !play->gaps || !play->sorted || !play->ranks)
        return false;
    int64_t before = like->start;
    for (size_t i = 0; i < like->n_intervals; i++) {
        const int64_t start = like->intervals[play->changes[i]].start;
        if (start == before)
            continue;
        play->gaps[play->n_gaps++] = (uint64_t)start - (uint64_t)before;
        before = start;
    }
    for (size_t i = 0; i < play->n_gaps; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, play->n_gaps, sizeof *order, by_length, play->gaps);
    for (size_t i = 0; i < play->n_gaps; i++) {
        play->sorted[i] = play->gaps[order[i]];
        play->ranks[order[i]] = (uint32_t)i;
    }
    return true;
}

static bool is_null_at_both_ends(const struct statehist_model *like, uint32_t quark)
{
    return like->intervals[like->first[quark]].type == STATEHIST_NULL &&
           like->intervals[like->first[quark + 1] - 1].type == STATEHIST_NULL;
}

/*
 * An attribute comes and goes when it has values, has others below it, and all of these are null at
 * both ends; then these do, too. So threads do, but not interrupts, nor folders. Parents have
 * smaller numbers.
 */
static bool find_what_goes(struct play *play)
{
    enum { HAS_CHILDREN = 1, STAYS = 2 };
    const struct statehist_model *like = play->like;
    uint8_t *marks = bo_zalloc_array(play->arena, (size_t)like->n_quarks + 1, 1);
    bool *goes = bo_alloc_array(play->arena, (size_t)like->n_quarks + 1, sizeof *goes);
    if (!marks || !goes)
        return false;
    for (uint32_t q = like->n_quarks; q-- > 0;) {
        const uint32_t parent = like->attributes[q].parent;
        if (!is_null_at_both_ends(like, q))
            marks[q] |= STAYS;
        if (parent != STATEHIST_ROOT)
            marks[parent] |= HAS_CHILDREN | (marks[q] & STAYS);
    }
    for (uint32_t q = 0; q < like->n_quarks; q++) {
        const uint32_t parent = like->attributes[q].parent;
        const bool has_values = like->first[q + 1] - like->first[q] > 1;
        goes[q] =
            (parent != STATEHIST_ROOT && goes[parent]) || (has_values && marks[q] == HAS_CHILDREN);
    }
    play->comes_and_goes = goes;
    return true;
}

/* ---- attributes of a play -------------------------------------------------------------------- */

/* The name of a replaced attribute: another number for a number; other names get a suffix. */
static struct bo_span name_of(const struct play *play, uint32_t real, char room[80])
{
    const struct bo_span name = play->like->attributes[real].name;
    const uint32_t parent = play->like->attributes[real].parent;
    const bool is_new = play->number && play->comes_and_goes[real] &&
                        (parent == STATEHIST_ROOT || !play->comes_and_goes[parent]);
    uint64_t v = 0;
    size_t i = 0;
    if (!is_new || name.n > 40)
        return name;
    for (; i < name.n && i < 9 && name.p[i] >= '0' && name.p[i] <= '9'; i++)
        v = 10 * v + (uint64_t)(name.p[i] - '0');
    const int n =
        i && i == name.n
            ? snprintf(room, 80, "%llu", (unsigned long long)(v + 100000ull * play->number))
            : snprintf(room, 80, "%.*s~%u", (int)name.n, (const char *)name.p, play->number);
    return (struct bo_span){(uint8_t *)room, (size_t)n};
}

/* Adds the attribute and those above it, if they do not exist yet. */
static bool make_attribute(struct play *play, uint32_t real, uint32_t *quark_ret)
{
    char room[80];
    uint32_t path[64], depth = 0, parent = STATEHIST_ROOT;
    for (uint32_t q = real; q != STATEHIST_ROOT && depth < 64; q = play->like->attributes[q].parent)
        path[depth++] = q;
    while (depth--) {
        uint32_t *quark = &play->quarks[path[depth]];
        if (*quark == STATEHIST_ROOT) {
            const uint32_t n = play->builder.n_quarks;
            if (!bo_grow(play->arena, &play->open, n, 1, &play->cap_open) ||
                !statehist_add_attribute(&play->builder, name_of(play, path[depth], room), parent))
                return false;
            play->open[n] = (struct statehist_interval){.start = play->start, .quark = n};
            *quark = n;
        }
        parent = *quark;
    }
    *quark_ret = parent;
    return true;
}

/* ---- a play ---------------------------------------------------------------------------------- */

static bool change(struct play *play, const struct statehist_interval *to)
{
    uint32_t quark;
    uint64_t value = to->value;
    if (play->quarks[to->quark] == STATEHIST_ROOT && to->type == STATEHIST_NULL)
        return true; /* it does not exist yet */
    if (!make_attribute(play, to->quark, &quark))
        return false;
    struct statehist_interval *open = &play->open[quark];
    if (to->type == STATEHIST_STRING) {
        uint32_t number;
        if (!statehist_add_string(&play->builder, play->like->strings[to->value], &number))
            return false;
        value = number;
    }
    if (open->start < play->now) {
        open->end = play->now - 1;
        if (!statehist_add_interval(&play->builder, open))
            return false;
    }
    open->start = play->now;
    open->type = to->type;
    open->value = value;
    return true;
}

static uint64_t draw_gap(struct play *play, size_t i)
{
    const size_t rank = play->ranks[i], low = rank < NEARBY ? 0 : rank - NEARBY;
    size_t high = rank + NEARBY + 1;
    high = high < play->n_gaps ? high : play->n_gaps;
    return play->sorted[low + bo_random_index(play->random, high - low)];
}

static size_t count_intervals(const struct play *play)
{
    return play->builder.n_intervals + play->builder.n_quarks;
}

/* From the second repetition on, an attribute starts with its last value. */
static enum bo_status play_once(struct play *play, size_t n_wanted, struct bo_error *err)
{
    static const char too_long[] = "times of the drawn history exceed 2^63 - 1";
    const struct statehist_model *like = play->like;
    int64_t before = like->start;
    size_t gap = 0;
    for (uint32_t q = 0; q < like->n_quarks; q++)
        if (play->number == 0 || play->comes_and_goes[q])
            play->quarks[q] = STATEHIST_ROOT;
    for (size_t i = 0; i < like->n_intervals; i++) {
        const struct statehist_interval *to = &like->intervals[play->changes[i]];
        if (to->start != before) {
            if (count_intervals(play) >= n_wanted)
                return BO_OK;
            if (__builtin_add_overflow(play->now, draw_gap(play, gap++), &play->now))
                return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_long);
            before = to->start;
        }
        if (play->number && to->start == like->start)
            continue;
        if (!change(play, to))
            return bo_fail_alloc(err, play->arena);
    }
    /* else the next repetition begins within the last change */
    return __builtin_add_overflow(play->now, 1, &play->now)
               ? bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_long)
               : BO_OK;
}

static enum bo_status finish(struct play *play, void **model_ret, struct bo_error *err)
{
    struct statehist_flaw flaw;
    struct statehist_model *model;
    for (uint32_t quark = 0; quark < play->builder.n_quarks; quark++) {
        play->open[quark].end = play->now;
        if (!statehist_add_interval(&play->builder, &play->open[quark]))
            return bo_fail_alloc(err, play->arena);
    }
    const enum bo_status status =
        statehist_finish(&play->builder, play->start, play->now, &model, &flaw);
    if (status)
        return statehist_fail(err, status, BO_NO_OFFSET, &flaw, play->arena);
    *model_ret = model;
    return BO_OK;
}

enum bo_status statehist_resample(const void *like, size_t n_intervals, struct bo_random *random,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct play play = {.like = like, .random = random, .arena = arena};
    play.quarks = bo_alloc_array(arena, (size_t)play.like->n_quarks + 1, sizeof *play.quarks);
    if (!play.quarks || !order_changes(&play) || !order_gaps(&play) || !find_what_goes(&play) ||
        !statehist_builder_init(&play.builder, true, arena))
        return bo_fail_alloc(err, arena);
    play.start = play.now = play.like->start;
    for (size_t before; (before = count_intervals(&play)) < n_intervals; play.number++) {
        const enum bo_status status = play_once(&play, n_intervals, err);
        if (status)
            return status;
        if (count_intervals(&play) == before)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "history has no state changes to draw from");
    }
    return finish(&play, model_ret, err);
}
