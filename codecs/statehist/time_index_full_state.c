/*
 * time-index: all attributes at one time. Where there are checkpoints: what they were when the era
 * began, then what changed in each segment since, then the timelines of those that change in the
 * segment itself. All other values are null.
 */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index_find.h"
#include "harness/cpu.h"

/* An answer on its way. */
struct states {
    struct time_index *index;
    uint64_t *values;
    uint8_t *types;
};

/* What a part tells of its attributes: codes, one after the other. */
struct codes {
    const uint8_t *p;
    uint64_t bit, end;
};

INLINE bool put_code(const struct states *s, struct codes *codes, uint32_t quark, bool is_told,
                     bool v3)
{
    const struct time_index *index = s->index;
    const struct time_index_class *class = &index->classes[index->class_of[quark]];
    const unsigned nbits = is_told ? class->code_nbits : 0;
    uint32_t type;
    if (__builtin_expect(nbits > codes->end - codes->bit, 0))
        return time_index_damaged(index, codes->p + codes->bit / 8, "checkpoint ends too early");
    const uint32_t code = (uint32_t)ascending_bits(codes->p, codes->bit, nbits);
    codes->bit += nbits;
    if (!answered_value(index, class, code, v3, &type, &s->values[quark]))
        return false;
    s->types[quark] = (uint8_t)type;
    return true;
}

/* What all attributes were when the era began: those that were not null. */
INLINE bool put_era(const struct states *s, struct bo_cursor *part, bool v3)
{
    struct time_index_set set;
    uint64_t word;
    uint32_t quark = 0;
    if (!time_index_open_set(s->index, part, &set))
        return false;
    struct codes codes = {part->p, 8 * (uint64_t)part->off, 8 * (uint64_t)part->n};
    while (time_index_next_group(s->index, &set, &word, &quark))
        for (; word; word &= word - 1)
            if (!put_code(s, &codes, quark + (uint32_t)__builtin_ctzll(word), true, v3))
                return false;
    part->off = (size_t)((codes.bit + 7) / 8);
    return !set.is_damaged;
}

/* What changed in a segment is as it was behind it: a bit for each that is not null, then codes. */
INLINE bool put_changes(const struct states *s, struct bo_cursor *part, bool v3)
{
    struct time_index_set set;
    uint64_t word;
    uint32_t quark = 0;
    if (!time_index_open_set(s->index, part, &set))
        return false;
    const uint64_t n = time_index_set_size(&set);
    uint64_t told_at = 8 * (uint64_t)part->off;
    struct codes codes = {part->p, told_at + n, 8 * (uint64_t)part->n};
    if (codes.bit > codes.end)
        return time_index_damaged(s->index, part->p + part->off, "checkpoint ends too early");
    while (time_index_next_group(s->index, &set, &word, &quark)) {
        const unsigned n_here = ascending_popcount(word);
        uint64_t told = ascending_bits(part->p, told_at, n_here);
        told_at += n_here;
        for (; word; word &= word - 1, told >>= 1)
            if (!put_code(s, &codes, quark + (uint32_t)__builtin_ctzll(word), told & 1, v3))
                return false;
    }
    return !set.is_damaged;
}

/* Those that change in the segment of the time itself are looked up. */
INLINE bool put_found(const struct states *s, struct bo_cursor *part, const struct moment *moment,
                      bool v3)
{
    const struct time_index *index = s->index;
    struct time_index_set set;
    uint64_t word, places[ASCENDING_BLOCK];
    uint32_t quark = 0, type;
    if (!time_index_open_set(index, part, &set))
        return false;
    while (time_index_next_group(index, &set, &word, &quark)) {
        if (!time_index_places(index, quark, places))
            return false;
        for (uint64_t left = word; left; left &= left - 1)
            time_index_prefetch(index, places[__builtin_ctzll(left)]);
        for (; word; word &= word - 1) {
            const unsigned i = (unsigned)__builtin_ctzll(word);
            struct time_index_timeline t;
            struct place place;
            if (!time_index_record(index, places[i], &t) ||
                !find_place(&t, moment, false, v3, &place) ||
                !answered_value(index, t.class, place.code, v3, &type, &s->values[quark + i]))
                return false;
            s->types[quark + i] = (uint8_t)type;
        }
    }
    return !set.is_damaged;
}

INLINE bool put_checkpoint(const struct states *s, int64_t time, const struct moment *moment,
                           bool v3)
{
    const struct time_index *index = s->index;
    struct bo_cursor part;
    uint32_t segment;
    if (!ascending_count(&index->cuts, (uint64_t)time - (uint64_t)index->start, v3, &segment))
        return time_index_damaged(index, index->cuts.body, "starts of segments are damaged");
    memset(s->values, 0, 8 * (size_t)index->n_quarks);
    memset(s->types, 0, index->n_quarks);
    for (uint32_t k = segment - segment % index->era;; k++) {
        if (!time_index_part(index, k, &part) || (k % index->era == 0 && !put_era(s, &part, v3)))
            return false;
        if (k == segment)
            return put_found(s, &part, moment, v3);
        if (!put_changes(s, &part, v3))
            return false;
    }
}

/* Timeline by timeline; then their classes are known. */
INLINE bool put_all(const struct states *s, const struct moment *moment, bool v3)
{
    struct time_index *index = s->index;
    struct walk walk;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        struct place place;
        uint32_t type;
        if (!next_timeline(index, &walk, quark, &t) || !find_place(&t, moment, false, v3, &place) ||
            !answered_value(index, t.class, place.code, v3, &type, &s->values[quark]))
            return false;
        s->types[quark] = (uint8_t)type;
        index->class_of[quark] = (uint8_t)(t.class - index->classes);
    }
    index->classes_known = true;
    return true;
}

INLINE enum bo_status ask_full_state(struct time_index *index, int64_t time, bool v3,
                                     struct bo_sink *sink)
{
    struct states s = {.index = index};
    struct moment moment;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    if (!statehist_take_values(index->n_quarks, sink, &s.values, &s.types))
        return BO_OVER_LIMIT;
    return moment_of(index, time, v3, &moment) && (index->n_segments && index->classes_known
                                                       ? put_checkpoint(&s, time, &moment, v3)
                                                       : put_all(&s, &moment, v3))
               ? BO_OK
               : BO_CORRUPT;
}

#if defined(__x86_64__)
BO_V3 static enum bo_status ask_v3(struct time_index *index, int64_t time, struct bo_sink *sink)
{
    return ask_full_state(index, time, true, sink);
}
#endif

enum bo_status time_index_full_state(struct time_index *index, int64_t time, struct bo_sink *sink)
{
#if defined(__x86_64__)
    if (bo_cpu_has_v3())
        return ask_v3(index, time, sink);
#endif
    return ask_full_state(index, time, false, sink);
}
