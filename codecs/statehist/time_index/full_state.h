/*
 * time-index: all attributes at one time. A reader takes the values at the start of the era, then
 * the changes of each earlier segment of that era, then looks up the timelines that change in the
 * segment of the time. All other values are null. Parts of checkpoints are kept once they have been
 * read.
 * Without checkpoints there is one segment, whose part is built from timelines. A timeline of
 * one interval goes among the values before the era, because it never changes.
 */
#ifndef STATEHIST_TIME_INDEX_FULL_STATE_H
#define STATEHIST_TIME_INDEX_FULL_STATE_H

#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index/find.h"

/* An answer that is being built. */
struct states {
    struct time_index *index;
    uint64_t *values;
    uint8_t *types;
};

/* ---- parts of checkpoints -------------------------------------------------------------------- */

/* The quarks of a set. */
static bool read_quarks(const struct time_index *index, struct time_index_set *set,
                        struct time_index_stored *stored)
{
    uint64_t word;
    uint32_t quark = 0;
    while (time_index_next_group(index, set, &word, &quark))
        for (; word; word &= word - 1)
            (stored++)->quark = quark + (uint32_t)__builtin_ctzll(word);
    return !set->is_damaged;
}

/*
 * The values of the quarks, from the codes that start at bit *at. With `has_bits`, quark i has no
 * code if bit i from `bits` on is 0: its value is null.
 */
static bool read_values(const struct time_index *index, const struct bo_cursor *part, uint64_t bits,
                        bool has_bits, uint64_t *at, struct time_index_stored *stored, uint32_t n)
{
    const uint64_t end = 8 * (uint64_t)part->n;
    for (uint32_t i = 0; i < n; i++) {
        const struct time_index_class *class = &index->classes[index->class_of[stored[i].quark]];
        const bool is_null = has_bits && !ascending_bits(part->p, bits + i, 1);
        const unsigned nbits = is_null ? 0 : class->code_nbits;
        if (nbits > end - *at)
            return time_index_damaged(index, part->p + *at / 8, "checkpoint ends too early");
        const uint32_t code = (uint32_t)ascending_bits(part->p, *at, nbits);
        *at += nbits;
        if (!answered_value(index, class, code, &stored[i].type, &stored[i].value))
            return false;
    }
    return true;
}

/* The values of all attributes that were not null when the era began. */
static bool read_era(const struct time_index *index, struct bo_cursor *part,
                     struct time_index_stored *stored, uint32_t *n_ret)
{
    struct time_index_set set;
    if (!time_index_open_set(index, part, &set) || !read_quarks(index, &set, stored))
        return false;
    uint64_t at = 8 * (uint64_t)part->off;
    if (!read_values(index, part, 0, false, &at, stored, set.n))
        return false;
    part->off = (size_t)((at + 7) / 8);
    *n_ret = set.n;
    return true;
}

/*
 * The attributes that changed in a segment. Where the era goes on, their values after the
 * segment follow: a bit for each that is not null, then codes.
 */
static bool read_changes(const struct time_index *index, struct bo_cursor *part, bool goes_on,
                         struct time_index_stored *stored, uint32_t *n_ret)
{
    struct time_index_set set;
    if (!time_index_open_set(index, part, &set) || !read_quarks(index, &set, stored))
        return false;
    const uint64_t bits = 8 * (uint64_t)part->off;
    uint64_t at = bits + set.n;
    *n_ret = set.n;
    if (!goes_on)
        return true;
    if (at > 8 * (uint64_t)part->n)
        return time_index_damaged(index, part->p + part->off, "checkpoint ends too early");
    return read_values(index, part, bits, true, &at, stored, set.n);
}

/*
 * The values at the start of the attributes with one interval (`of_one`), without nulls, or of all
 * other attributes.
 */
static bool read_timelines(const struct time_index *index, bool of_one,
                           struct time_index_stored *stored, uint32_t *n_ret)
{
    static const struct moment at_start = {.before_all = true};
    struct walk walk;
    uint32_t n = 0;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        struct place place;
        if (!next_timeline(index, &walk, quark, &t))
            return false;
        if ((t.n == 1) != of_one)
            continue;
        stored[n].quark = quark;
        if (!call_find_place(&t, &at_start, false, &place) ||
            !answered_value(index, t.class, place.code, &stored[n].type, &stored[n].value))
            return false;
        n += !of_one || stored[n].type != STATEHIST_NULL;
    }
    *n_ret = n;
    return true;
}

static bool read_segment(const struct time_index *index, uint32_t k,
                         struct time_index_stored *stored, struct time_index_part *part)
{
    struct bo_cursor c, next;
    if (!time_index_part(index, k, &c) ||
        (k % index->era == 0 && !read_era(index, &c, stored, &part->n_before)) ||
        !read_changes(index, &c, (k + 1) % index->era && k + 1 < index->n_segments,
                      stored + part->n_before, &part->n_changes))
        return false;
    /* Parts do not overlap, so reading all of them takes linear time. */
    return k + 1 >= index->n_segments ||
           (time_index_part(index, k + 1, &next) &&
            (next.p >= c.p + c.off ||
             time_index_damaged(index, next.p, "places of checkpoints are damaged")));
}

static bool read_part(struct time_index *index, uint32_t k, struct time_index_part *part)
{
    *part = (struct time_index_part){.first = index->n_stored, .generation = index->generation};
    struct time_index_stored *stored = index->stored + part->first;
    if (index->n_segments
            ? !read_segment(index, k, stored, part)
            : !read_timelines(index, true, stored, &part->n_before) ||
                  !read_timelines(index, false, stored + part->n_before, &part->n_changes))
        return false;
    index->n_stored += (size_t)part->n_before + part->n_changes;
    index->kept_parts[k] = *part;
    return true;
}

/* The part of segment k. The next call may drop it. */
static bool get_part(struct time_index *index, uint32_t k, struct time_index_part *part)
{
    *part = index->kept_parts[k];
    if (part->generation == index->generation)
        return true;
    if (index->max_stored - index->n_stored < index->least_stored) {
        index->generation++;
        index->n_stored = 0;
    }
    return read_part(index, k, part);
}

/* ---- from parts ------------------------------------------------------------------------------ */

static void put_stored(const struct states *s, const struct time_index_stored *stored, uint32_t n)
{
    uint64_t *values = s->values;
    uint8_t *types = s->types;
    for (const struct time_index_stored *end = stored + n; stored < end; stored++) {
        values[stored->quark] = stored->value;
        types[stored->quark] = (uint8_t)stored->type;
    }
}

/* Looks up the attributes that change in the segment of the time itself. */
static bool put_found(const struct states *s, const struct time_index_stored *stored, uint32_t n,
                      const struct moment *moment)
{
    enum { AHEAD = 16 }; /* places that are found before the first record is read */
    const struct time_index *index = s->index;
    uint64_t places[AHEAD];
    for (uint32_t i = 0; i < n; i++) {
        struct time_index_timeline opened;
        struct place place;
        uint32_t type;
        for (uint32_t k = i; i % AHEAD == 0 && k < n && k < i + AHEAD; k++) {
            if (!time_index_place(index, stored[k].quark, &places[k % AHEAD]))
                return false;
            time_index_prefetch(index, places[k % AHEAD]);
        }
        const struct time_index_timeline *t = timeline_at(index, places[i % AHEAD], &opened);
        if (!t || !find_place(t, moment, false, &place) ||
            !answered_value(index, t->class, place.code, &type, &s->values[stored[i].quark]))
            return false;
        s->types[stored[i].quark] = (uint8_t)type;
    }
    return true;
}

static bool put_parts(const struct states *s, int64_t time, const struct moment *moment)
{
    struct time_index *index = s->index;
    struct time_index_part part;
    uint32_t segment;
    if (!ascending_count(&index->cuts, (uint64_t)time - (uint64_t)index->start, &segment))
        return time_index_damaged(index, index->cuts.body, "starts of segments are damaged");
    memset(s->values, 0, 8 * (size_t)index->n_quarks);
    memset(s->types, 0, index->n_quarks);
    for (uint32_t k = segment - segment % index->era;; k++) {
        if (!get_part(index, k, &part))
            return false;
        const struct time_index_stored *stored = index->stored + part.first;
        put_stored(s, stored, part.n_before);
        if (k == segment)
            return put_found(s, stored + part.n_before, part.n_changes, moment);
        put_stored(s, stored + part.n_before, part.n_changes);
    }
}

/* ---- from timelines -------------------------------------------------------------------------- */

static bool put_all(const struct states *s, const struct moment *moment)
{
    const struct time_index *index = s->index;
    struct walk walk;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        struct place place;
        uint32_t type;
        if (!next_timeline(index, &walk, quark, &t) ||
            !call_find_place(&t, moment, false, &place) ||
            !answered_value(index, t.class, place.code, &type, &s->values[quark]))
            return false;
        s->types[quark] = (uint8_t)type;
    }
    return true;
}

/*
 * Codes of checkpoints are as wide as those of the classes of their quarks. Only timelines store
 * the class of a quark, so this reads all of them.
 */
static bool learn_classes(struct time_index *index)
{
    struct walk walk;
    struct time_index_timeline t;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        if (!next_timeline(index, &walk, quark, &t))
            return false;
        index->class_of[quark] = (uint8_t)(t.class - index->classes);
    }
    index->classes_known = true;
    return true;
}

ASCENDING_CALL enum bo_status answer_full_state(struct time_index *index, int64_t time,
                                                struct bo_sink *sink)
{
    struct states s = {.index = index};
    struct moment moment;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    if (!statehist_take_values(index->n_quarks, sink, &s.values, &s.types))
        return BO_OVER_LIMIT;
    if (index->kept_parts && index->n_segments && !index->classes_known && !learn_classes(index))
        return BO_CORRUPT;
    return call_moment_of(index, time, &moment) &&
                   (index->kept_parts ? put_parts(&s, time, &moment) : put_all(&s, &moment))
               ? BO_OK
               : BO_CORRUPT;
}

#endif
