/* time-index: one timeline, or all, block after block. */
#ifndef STATEHIST_TIME_INDEX_RANGE_H
#define STATEHIST_TIME_INDEX_RANGE_H

#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index/find.h"

/* Output for consecutive intervals of a timeline: starts, values and types. */
struct stretch {
    uint64_t *starts; /* absolute */
    uint64_t *values;
    uint8_t *types;
};

/* Replaces keys that are positions in the table by times. */
static bool look_up_times(const struct time_index *index, uint64_t *keys, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!time_index_time_of(index, keys[i], &keys[i]))
            return false;
    return true;
}

/* The values of a block's own dictionary. */
struct local {
    uint64_t values[TIME_INDEX_MAX_LOCAL + 1];
    uint8_t types[TIME_INDEX_MAX_LOCAL + 1];
    bool has_one_type;
};

ASCENDING_INLINE bool read_local(const struct time_index *index,
                                 const struct time_index_block *block, struct local *local)
{
    local->has_one_type = true;
    for (unsigned i = 0; i < block->n_local; i++) {
        uint32_t type;
        if (!answered_value(index, block->class, time_index_local(block, i), &type,
                            &local->values[i]))
            return false;
        local->types[i] = (uint8_t)type;
        local->has_one_type &= local->types[i] == local->types[0];
    }
    return true;
}

/* Writes stored values to every `step`-th place, from their indices into the local dictionary. */
ASCENDING_INLINE void put_local(const struct local *local, const uint64_t *numbers, unsigned n,
                                unsigned step, uint64_t *values, uint8_t *types)
{
    for (unsigned i = 0; i < n; i++)
        values[i * step] = local->values[numbers[i]];
    if (local->has_one_type && step == 1)
        memset(types, local->types[0], n);
    else
        for (unsigned i = 0; i < n; i++)
            types[i * step] = local->types[numbers[i]];
}

/* The same, from codes of the class. */
ASCENDING_INLINE bool put_codes(const struct time_index *index,
                                const struct time_index_block *block, const uint64_t *codes,
                                unsigned n, unsigned step, uint64_t *values, uint8_t *types)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t type;
        if (!answered_value(index, block->class, (uint32_t)codes[i], &type, &values[i * step]))
            return false;
        types[i * step] = (uint8_t)type;
    }
    return true;
}

ASCENDING_INLINE bool values_of(const struct time_index *index,
                                const struct time_index_block *block, const struct stretch *stretch)
{
    const unsigned n_stored = time_index_n_stored(block->n_codes, block->nulls);
    const unsigned step = block->nulls == TIME_INDEX_ALL_STORED ? 1 : 2;
    uint64_t *values = stretch->values, numbers[ASCENDING_BLOCK + 4], beyond = 0;
    uint8_t *types = stretch->types;
    struct local local;
    if (block->nulls == TIME_INDEX_COUNTING) {
        for (unsigned i = 0; i < block->n_codes; i++)
            numbers[i] = time_index_code(block, i);
        return put_codes(index, block, numbers, block->n_codes, 1, values, types);
    }
    if (step == 2) {
        memset(values, 0, 8 * (size_t)block->n_codes);
        memset(types, STATEHIST_NULL, block->n_codes);
        values += block->nulls == TIME_INDEX_EVEN_NULL;
        types += block->nulls == TIME_INDEX_EVEN_NULL;
    }
    /* The 65th value of a small timeline, if there is one, lies after what is unpacked. */
    const unsigned n = n_stored < ASCENDING_BLOCK ? n_stored : ASCENDING_BLOCK;
    ascending_fields(block->keys.p, block->stored, block->stored_nbits, n, numbers);
    if (n < n_stored)
        numbers[n] = ascending_bits(
            block->keys.p, block->stored + (uint64_t)n * block->stored_nbits, block->stored_nbits);
    if (block->n_local == 0)
        return step == 1 ? put_codes(index, block, numbers, n_stored, 1, values, types)
                         : put_codes(index, block, numbers, n_stored, 2, values, types);
    if (!read_local(index, block, &local))
        return false;
    for (unsigned i = 0; i < n_stored; i++)
        beyond |= (uint64_t)(numbers[i] >= block->n_local);
    if (beyond)
        return time_index_damaged(index, block->keys.p + block->stored / 8,
                                  "value code is out of range");
    if (step == 1)
        put_local(&local, numbers, n_stored, 1, values, types);
    else
        put_local(&local, numbers, n_stored, 2, values, types);
    return true;
}

/* How many intervals block b of a timeline starts; b = UINT32_MAX: the first of a large one. */
static unsigned stretch_size(const struct time_index_timeline *t, uint32_t b)
{
    const uint32_t left = t->n - 1 - b * ASCENDING_BLOCK;
    return t->shape                 ? t->shape->n
           : b == UINT32_MAX        ? 1
           : left < ASCENDING_BLOCK ? (unsigned)left
                                    : ASCENDING_BLOCK;
}

/* These intervals; there is room for so many, and up to three more starts. */
ASCENDING_INLINE bool read_stretch(const struct time_index_timeline *t, uint32_t b,
                                   const struct stretch *stretch)
{
    const struct time_index *index = t->index;
    struct time_index_block block;
    stretch->starts[0] = (uint64_t)index->start;
    if (b == UINT32_MAX) {
        uint32_t type = STATEHIST_NULL;
        const bool ok = answered_value(index, t->class, t->first_code, &type, &stretch->values[0]);
        stretch->types[0] = (uint8_t)type;
        return ok;
    }
    if (!time_index_block(t, b, &block))
        return false;
    uint64_t *keys = stretch->starts + (t->shape ? 1 : 0);
    const unsigned n = block.keys.n;
    if (n) {
        if (!ascending_block_all(&block.keys, keys))
            return time_index_damaged(index, block.keys.p + block.keys.low / 8, "keys are damaged");
        if (!index->direct && !look_up_times(index, keys, n))
            return false;
        for (unsigned i = 0; i < n; i++)
            keys[i] += (uint64_t)index->start;
    }
    return values_of(index, &block, stretch);
}

ASCENDING_CALL bool call_read_stretch(const struct time_index_timeline *t, uint32_t b,
                                      const struct stretch *stretch)
{
    return read_stretch(t, b, stretch);
}

/* n intervals from number `first` on, of a timeline that has them. */
static bool read_intervals(const struct time_index_timeline *t, uint32_t first, uint64_t n,
                           struct stretch out)
{
    uint64_t starts[ASCENDING_BLOCK + 1], values[ASCENDING_BLOCK + 1];
    uint8_t types[ASCENDING_BLOCK + 1];
    const struct stretch aside = {starts, values, types};
    const bool large = !t->shape;
    uint32_t b = !large ? 0 : first == 0 ? UINT32_MAX : (first - 1) / ASCENDING_BLOCK;
    unsigned skip = !large || b == UINT32_MAX ? first : (first - 1) % ASCENDING_BLOCK;
    for (; n; b++, skip = 0) {
        const unsigned size = stretch_size(t, b);
        if (skip == 0 && size <= n) {
            if (!read_stretch(t, b, &out))
                return false;
        } else if (!call_read_stretch(t, b, &aside))
            return false;
        const unsigned m = n < size - skip ? (unsigned)n : size - skip;
        if (skip || size > n) {
            memcpy(out.starts, starts + skip, 8 * (size_t)m);
            memcpy(out.values, values + skip, 8 * (size_t)m);
            memcpy(out.types, types + skip, m);
        }
        out.starts += m;
        out.values += m;
        out.types += m;
        n -= m;
    }
    return true;
}

/* ---- what is kept unpacked ----------------------------------------------------------------- */

/* Block b, or the first interval, as read_stretch() has it. */
static bool unpack_block(struct time_index_columns *columns, uint32_t b)
{
    const size_t i = b == UINT32_MAX ? 0 : 1 + (size_t)b * ASCENDING_BLOCK;
    const struct stretch stretch = {columns->starts + i, columns->values + i, columns->types + i};
    return call_read_stretch(&columns->t, b, &stretch);
}

/* Unpacks what is not yet known of these intervals; false when that finds damage. */
static bool unpack(struct time_index_columns *columns, uint32_t first, uint32_t last)
{
    if (first == 0 && !unpack_block(columns, UINT32_MAX))
        return false;
    const uint32_t end = (last + ASCENDING_BLOCK - 1) / ASCENDING_BLOCK;
    for (uint32_t b = first ? (first - 1) / ASCENDING_BLOCK : 0; b < end; b++) {
        if (!columns->known[b] && !unpack_block(columns, b))
            return false;
        columns->known[b] = true;
    }
    return true;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* n intervals from number `first` on, which end at `end`. */
static enum bo_status put_range(const struct time_index_timeline *t,
                                struct time_index_columns *columns, uint32_t first, size_t n,
                                int64_t end, struct bo_sink *sink)
{
    int64_t *starts;
    struct stretch out;
    struct statehist_columns *head =
        statehist_take_columns(n, sink, &starts, &out.values, &out.types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = end;
    out.starts = (uint64_t *)starts;
    if (!columns || !unpack(columns, first, first + (uint32_t)n - 1))
        return read_intervals(t, first, n, out) ? BO_OK : BO_CORRUPT;
    memcpy(out.starts, columns->starts + first, 8 * n);
    memcpy(out.values, columns->values + first, 8 * n);
    memcpy(out.types, columns->types + first, n);
    return BO_OK;
}

/* The interval at one end of a range. A second copy of moment_of saves no time on a Zen 5. */
ASCENDING_INLINE bool place_at(const struct time_index_timeline *t, int64_t time, bool keys,
                               struct place *place)
{
    struct moment moment;
    return (keys ? moment_of : call_moment_of)(t->index, time, &moment) &&
           find_place(t, &moment, keys, place);
}

ASCENDING_CALL enum bo_status answer_range(const struct time_index *index,
                                           const struct statehist_range_query *q,
                                           struct bo_sink *sink)
{
    struct time_index_timeline opened;
    struct place first = {.number = 0}, last = {.number = 0};
    uint64_t place, ends_at;
    if (q->quark >= index->n_quarks || !is_in(index, q->from) || !is_in(index, q->to) ||
        q->from > q->to)
        return BO_OUT_OF_RANGE;
    if (!time_index_place(index, q->quark, &place))
        return BO_CORRUPT;
    const struct time_index_timeline *t = timeline_at(index, place, &opened);
    /* Ranges of the whole history are frequent, and need no search. */
    if (!t || (q->from > index->start && !place_at(t, q->from, false, &first)))
        return BO_CORRUPT;
    if (q->to == index->end)
        last.number = t->n - 1;
    else if (!place_at(t, q->to, true, &last))
        return BO_CORRUPT;
    if (last.number < first.number || last.number >= t->n) {
        time_index_damaged(index, index->records + t->at / 8, "keys do not ascend");
        return BO_CORRUPT;
    }
    const size_t n = (size_t)last.number - first.number + 1;
    int64_t end = index->end;
    if (last.has_end) {
        if (!time_index_time_of(index, last.end, &ends_at))
            return BO_CORRUPT;
        end = (int64_t)((uint64_t)index->start + ends_at - 1);
    }
    const enum bo_status status =
        put_range(t, time_index_columns_at(index, place), first.number, n, end, sink);
    if (!t->shape && !t->bases)
        time_index_count_reads(t, q->quark, (uint32_t)n);
    return status;
}

/* ---- everything ------------------------------------------------------------------------------ */

ASCENDING_CALL enum bo_status answer_scan(const struct time_index *index,
                                          struct statehist_digest *digest)
{
    struct walk walk;
    uint64_t starts[ASCENDING_BLOCK + 1], values[ASCENDING_BLOCK + 1];
    uint8_t types[ASCENDING_BLOCK + 1];
    *digest = (struct statehist_digest){0, 0};
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        if (!next_timeline(index, &walk, quark, &t))
            return BO_CORRUPT;
        if (t.n > index->n_intervals - digest->n_intervals) {
            time_index_damaged(index, index->records + t.at / 8, "more intervals than announced");
            return BO_CORRUPT;
        }
        struct statehist_state at = {.start = index->start};
        bool is_first = true;
        const struct stretch stretch = {starts, values, types};
        for (uint32_t b = t.shape ? 0 : UINT32_MAX, n = time_index_n_blocks(&t);
             b == UINT32_MAX || b < n; b++) {
            if (!call_read_stretch(&t, b, &stretch))
                return BO_CORRUPT;
            for (unsigned i = 0, m = stretch_size(&t, b); i < m; i++, is_first = false) {
                if (!is_first)
                    statehist_digest_interval(digest, quark, at.start, (int64_t)(starts[i] - 1),
                                              at.type, at.value);
                at.start = (int64_t)starts[i];
                at.type = types[i];
                at.value = values[i];
            }
        }
        statehist_digest_interval(digest, quark, at.start, index->end, at.type, at.value);
    }
    return BO_OK;
}

#endif
