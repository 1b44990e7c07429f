/*
 * time-index: the interval of a timeline that contains a time, and its value. These functions are
 * inlined in points and ranges; other queries call them.
 */
#ifndef STATEHIST_TIME_INDEX_FIND_H
#define STATEHIST_TIME_INDEX_FIND_H

#include "codecs/statehist/time_index/unpacked.h"

ASCENDING_INLINE bool is_in(const struct time_index *index, int64_t time)
{
    return time >= index->start && time <= index->end;
}

/* ---- where a time lies ----------------------------------------------------------------------- */

/*
 * A time as a key, in the unit of the keys of changes: ns since the start of the history where
 * index->direct, else the index in the table of times of the last one that is not after it. A
 * change has happened exactly when its key is at most `key`. With `before_all` no change has, and
 * `key` is not used: the table has no index for such a time.
 */
struct moment {
    uint64_t key;
    bool before_all;
};

ASCENDING_CALL void find_slice(const struct time_index *index, uint64_t s)
{
    const struct ascending_list *times = &index->times;
    const uint64_t start = s << index->slice_nbits;
    const bool is_beyond = start >> index->slice_nbits != s; /* of 64 bits */
    index->slices[s] = is_beyond ? times->n_blocks
                       : start < times->first
                           ? 1
                           : 1 + ascending_find_block(times, start, 0, times->n_blocks);
}

/* The block of times that slice s starts in, or the last one. */
ASCENDING_INLINE uint32_t slice_at(const struct time_index *index, uint64_t s)
{
    if (__builtin_expect(index->slices[s] == 0, 0))
        find_slice(index, s);
    return index->slices[s] - 1;
}

ASCENDING_INLINE bool moment_of(const struct time_index *index, int64_t time, struct moment *moment)
{
    const uint64_t above = (uint64_t)time - (uint64_t)index->start;
    *moment = (struct moment){.key = above};
    if (index->direct)
        return true;
    moment->before_all = index->times.n == 0 || above < index->times.first;
    if (moment->before_all)
        return true;
    const uint64_t s = above >> index->slice_nbits;
    const uint32_t first = slice_at(index, s), last = slice_at(index, s + 1);
    uint32_t n;
    if (!ascending_count_in(
            &index->times, above,
            ascending_find_block(&index->times, above, first, last > first ? last - first + 1 : 1),
            &n))
        return time_index_damaged(index, index->times.body, "times are damaged");
    moment->key = n - UINT64_C(1);
    return true;
}

ASCENDING_CALL bool call_moment_of(const struct time_index *index, int64_t time,
                                   struct moment *moment)
{
    return moment_of(index, time, moment);
}

/*
 * An interval of a timeline: its number, its value and the keys of the changes around it. `number`
 * is the count of changes that have happened, because interval i starts with change i - 1. So
 * `start` is valid only for number > 0, and `end` only with has_end; the last interval ends with
 * the history.
 */
struct place {
    uint32_t number;
    uint32_t code;
    bool has_end;   /* a change follows it */
    uint64_t start; /* key; when number > 0 */
    uint64_t end;   /* key of the change that follows */
};

/* The index of the last of n > 0 numbers that is at most `most`; 0 if none is. */
ASCENDING_INLINE uint32_t last_up_to(const uint64_t *numbers, uint32_t n, uint64_t most)
{
    uint32_t i = 0;
    for (; n > 1; n -= n / 2)
        i += numbers[i + n / 2] <= most ? n / 2 : 0;
    return i;
}

/* How many blocks of a large timeline start at or before a key. */
static inline uint32_t count_blocks(const struct time_index_timeline *t, uint64_t key)
{
    uint32_t i = 0, n = time_index_n_blocks(t);
    if (n == 0 || time_index_base(t, 0) > key)
        return 0;
    if (t->bases)
        return last_up_to(t->bases, n, key) + 1;
    for (; n > 1; n -= n / 2)
        i += time_index_base(t, i + n / 2) <= key ? n / 2 : 0;
    return i + 1;
}

static inline bool keys_damaged(const struct time_index *index,
                                const struct time_index_block *block)
{
    return time_index_damaged(index, index->records + block->keys.upper / 8, "keys are damaged");
}

/*
 * The keys around a moment in a block: of the last change up to it, and of the next one, if there
 * is one.
 */
static inline bool keys_around(const struct time_index *index, const struct time_index_block *block,
                               struct ascending_find found, struct place *place)
{
    return (ascending_block_before(&block->keys, found, &place->start) &&
            (found.n == block->keys.n ||
             ascending_block_after(&block->keys, found, &place->end))) ||
           keys_damaged(index, block);
}

/* The interval of a large timeline that holds a moment. */
ASCENDING_CALL bool find_large_place(const struct time_index_timeline *t,
                                     const struct moment *moment, bool keys, struct place *place)
{
    struct time_index_block block;
    const uint32_t n_blocks = time_index_n_blocks(t);
    /*
     * Of the n blocks that start at or before the moment, the last one holds its interval. The
     * change after a full block is the first of the next one, so `end` is set from the table of
     * entries first, and from the block only where that has a change after the moment.
     */
    const uint32_t n = moment->before_all ? 0 : count_blocks(t, moment->key);
    place->number = 0;
    place->code = t->first_code;
    place->has_end = n < n_blocks;
    if (place->has_end)
        place->end = time_index_base(t, n);
    if (n == 0)
        return true;
    if (!time_index_large_block(t, n - 1, &block))
        return false;
    if (block.keys.base > moment->key)
        return time_index_damaged(t->index, t->index->records + t->at / 8, "keys do not ascend");
    const struct ascending_find found = ascending_block_find(&block.keys, moment->key);
    place->number = (n - 1) * ASCENDING_BLOCK + found.n;
    place->code = time_index_code(&block, found.n - 1);
    place->has_end |= found.n < block.keys.n;
    return !keys || keys_around(t->index, &block, found, place);
}

/* The interval that contains a moment; with `keys`, the keys of its start and end, too. */
ASCENDING_INLINE bool find_place(const struct time_index_timeline *t, const struct moment *moment,
                                 bool keys, struct place *place)
{
    struct time_index_block block;
    struct ascending_find found = {0, 0};
    place->start = place->end = 0;
    if (__builtin_expect(t->shape == NULL, 0))
        return find_large_place(t, moment, keys, place);
    if (!time_index_shaped_block(t, &block))
        return false;
    if (block.keys.n == 0 || moment->before_all || moment->key < block.keys.base)
        place->end = block.keys.base;
    else
        found = ascending_block_find(&block.keys, moment->key);
    place->number = found.n;
    place->code = time_index_code(&block, found.n);
    place->has_end = found.n < block.keys.n;
    return !keys || found.n == 0 || keys_around(t->index, &block, found, place);
}

ASCENDING_CALL bool call_find_place(const struct time_index_timeline *t,
                                    const struct moment *moment, bool keys, struct place *place)
{
    return find_place(t, moment, keys, place);
}

/* ---- the timeline of a quark ----------------------------------------------------------------- */

/* From the place of its record: one that is kept open, or `t`; NULL when it is damaged. */
ASCENDING_INLINE const struct time_index_timeline *timeline_at(const struct time_index *index,
                                                               uint64_t place,
                                                               struct time_index_timeline *t)
{
    const struct time_index_columns *columns = time_index_columns_at(index, place);
    return columns ? &columns->t : time_index_record(index, place, t) ? t : NULL;
}

/* ---- one quark after the other --------------------------------------------------------------- */

/* Places of records, by blocks. */
struct walk {
    uint64_t places[ASCENDING_BLOCK];
};

/* The record of the next quark, which are taken from 0 on; false when it is damaged. */
ASCENDING_INLINE bool next_timeline(const struct time_index *index, struct walk *walk,
                                    uint32_t quark, struct time_index_timeline *t)
{
    if (quark % ASCENDING_BLOCK == 0 && !time_index_places(index, quark, walk->places))
        return false;
    return time_index_record(index, walk->places[quark % ASCENDING_BLOCK], t);
}

/* ---- values as answers have them ------------------------------------------------------------- */

/* Looks up a value that is not in its slot, and stores it there. */
ASCENDING_CALL bool fill_slot(const struct time_index *index, const struct time_index_class *class,
                              uint32_t code)
{
    uint32_t type;
    uint64_t value;
    if (!time_index_value_of(index, class, code, &type, &value))
        return false;
    if (type == STATEHIST_STRING) {
        struct bo_span string;
        if (!time_index_string(index, (uint32_t)value, &string))
            return false;
        value = statehist_hash(string);
    }
    class->slots[code & class->slot_mask] = (struct time_index_slot){code, type, value};
    return true;
}

ASCENDING_INLINE bool answered_value(const struct time_index *index,
                                     const struct time_index_class *class, uint32_t code,
                                     uint32_t *type_ret, uint64_t *value_ret)
{
    const struct time_index_slot *slot = &class->slots[code & class->slot_mask];
    if (__builtin_expect(slot->code != code, 0)) {
        if (code == 0) {
            *type_ret = STATEHIST_NULL;
            *value_ret = 0;
            return true;
        }
        if (!fill_slot(index, class, code))
            return false;
    }
    *type_ret = slot->type;
    *value_ret = slot->value;
    return true;
}

/* ---- one interval ---------------------------------------------------------------------------- */

/* With the value's code. */
ASCENDING_INLINE bool state_at(const struct time_index_timeline *t, const struct moment *moment,
                               struct statehist_state *state, uint32_t *code_ret)
{
    const struct time_index *index = t->index;
    struct place place;
    uint64_t time;
    state->start = index->start;
    state->end = index->end;
    state->padding = 0;
    if (!find_place(t, moment, true, &place) ||
        !answered_value(index, t->class, place.code, &state->type, &state->value))
        return false;
    if (place.number) {
        if (!time_index_time_of(index, place.start, &time))
            return false;
        state->start = (int64_t)((uint64_t)index->start + time);
    }
    if (place.has_end) {
        if (!time_index_time_of(index, place.end, &time))
            return false;
        state->end = (int64_t)((uint64_t)index->start + time - 1);
    }
    *code_ret = place.code;
    return true;
}

ASCENDING_CALL bool call_state_at(const struct time_index_timeline *t, const struct moment *moment,
                                  struct statehist_state *state, uint32_t *code_ret)
{
    return state_at(t, moment, state, code_ret);
}

/* Up to so many changes are searched by time: faster than finding the time in the table first. */
enum { FEW_CHANGES = 8 };

/* The same for a shaped timeline of few changes, at a time above the start of the history. */
ASCENDING_INLINE bool state_by_times(const struct time_index_timeline *t, uint64_t wanted,
                                     struct statehist_state *state)
{
    const struct time_index *index = t->index;
    struct time_index_block block;
    uint64_t start = 0, end = (uint64_t)index->end - (uint64_t)index->start + 1;
    if (!time_index_block(t, 0, &block))
        return false;
    unsigned number = 0;
    for (unsigned n = block.keys.n; n;) {
        uint64_t key, time;
        if (!ascending_block_at(&block.keys, number + n / 2, &key))
            return keys_damaged(index, &block);
        if (!time_index_time_of(index, key, &time))
            return false;
        if (time <= wanted) {
            start = time;
            number += n / 2 + 1;
            n -= n / 2 + 1;
        } else {
            end = time;
            n /= 2;
        }
    }
    state->start = (int64_t)((uint64_t)index->start + start);
    state->end = (int64_t)((uint64_t)index->start + end - 1);
    state->padding = 0;
    return answered_value(index, t->class, time_index_code(&block, number), &state->type,
                          &state->value);
}

ASCENDING_INLINE bool state_of(const struct time_index_timeline *t, int64_t time,
                               struct statehist_state *state)
{
    struct moment moment;
    uint32_t code;
    if (t->shape && t->shape->n <= FEW_CHANGES + 1)
        return state_by_times(t, (uint64_t)time - (uint64_t)t->index->start, state);
    return moment_of(t->index, time, &moment) && state_at(t, &moment, state, &code);
}

ASCENDING_CALL bool call_state_of(const struct time_index_timeline *t, int64_t time,
                                  struct statehist_state *state)
{
    struct moment moment;
    uint32_t code;
    if (t->shape && t->shape->n <= FEW_CHANGES + 1)
        return state_by_times(t, (uint64_t)time - (uint64_t)t->index->start, state);
    return call_moment_of(t->index, time, &moment) && call_state_at(t, &moment, state, &code);
}

#endif
