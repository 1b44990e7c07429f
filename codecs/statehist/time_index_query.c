/*
 * time-index: queries. Each is compiled twice: for any CPU, and for those with BMI2, which find the
 * k-th 1 bit of a word in one instruction.
 */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/time_index_read.h"
#include "harness/cpu.h"

#define INLINE ASCENDING_INLINE

/* ---- where a time lies ------------------------------------------------------------------------ */

/* A time as timelines have it: changes up to `key` have happened; none has when `before_all`. */
struct moment {
    uint64_t key;
    bool before_all;
};

INLINE bool moment_of(const struct time_index *index, int64_t time, bool v3, struct moment *moment)
{
    moment->key = (uint64_t)time - (uint64_t)index->start;
    moment->before_all = false;
    if (index->direct)
        return true;
    uint32_t n;
    if (!ascending_count(&index->times, moment->key, v3, &n))
        return false;
    moment->before_all = n == 0;
    moment->key = n - UINT64_C(1);
    return true;
}

/* An interval of a timeline: its number, value and neighbours' keys. */
struct place {
    uint32_t number;
    uint32_t code;
    bool has_end;   /* a change follows it */
    uint64_t start; /* key; when number > 0 */
    uint64_t end;   /* key of the change that follows */
};

/* How many blocks of a large timeline start at or before a key. */
INLINE uint32_t count_blocks(const struct time_index_timeline *t, uint64_t key)
{
    const uint8_t *p = t->index->records;
    const unsigned nbits = t->index->key_nbits;
    uint32_t n_before = 0, n = time_index_n_blocks(t);
    if (n == 0 || ascending_bits(p, t->at, nbits) > key)
        return 0;
    for (; n > 1; n -= n / 2)
        n_before +=
            ascending_bits(p, t->at + (uint64_t)(n_before + n / 2) * t->entry_nbits, nbits) <= key
                ? n / 2
                : 0;
    return n_before + 1;
}

/* The interval that holds a moment; with `keys`, when it starts and ends, too. */
INLINE bool find_place(const struct time_index_timeline *t, const struct moment *moment, bool keys,
                       bool v3, struct place *place)
{
    struct time_index_block block;
    place->start = place->end = 0;
    if (__builtin_expect(t->shape.n != 0, 1)) {
        if (!time_index_block(t, 0, &block))
            return false;
        const unsigned n = block.keys.n == 0 || moment->before_all || moment->key < block.keys.base
                               ? 0
                               : ascending_block_count(&block.keys, moment->key, v3);
        place->number = n;
        place->code = time_index_code(&block, n);
        place->has_end = n < block.keys.n;
        return !keys ||
               ((n == 0 || ascending_block_at(&block.keys, n - 1, v3, &place->start)) &&
                (n == block.keys.n || ascending_block_at(&block.keys, n, v3, &place->end)));
    }
    const uint32_t n_blocks = time_index_n_blocks(t);
    const uint32_t n = moment->before_all ? 0 : count_blocks(t, moment->key);
    const uint64_t next = t->at + (uint64_t)n * t->entry_nbits;
    place->number = 0;
    place->code = t->first_code;
    place->has_end = n < n_blocks;
    if (place->has_end)
        place->end = ascending_bits(t->index->records, next, t->index->key_nbits);
    if (n == 0)
        return true;
    if (!time_index_block(t, n - 1, &block) || block.keys.base > moment->key)
        return false;
    const unsigned in = ascending_block_count(&block.keys, moment->key, v3);
    place->number = (n - 1) * ASCENDING_BLOCK + in;
    place->code = time_index_code(&block, in - 1);
    if (in < block.keys.n) {
        place->has_end = true;
        if (keys && !ascending_block_at(&block.keys, in, v3, &place->end))
            return false;
    }
    return !keys || ascending_block_at(&block.keys, in - 1, v3, &place->start);
}

/* ---- one quark after the other ------------------------------------------------------------------ */

/* Places of records, by blocks. */
struct walk {
    uint64_t places[ASCENDING_BLOCK];
};

/* The record of the next quark, which are taken from 0 on; false when it is damaged. */
INLINE bool next_timeline(const struct time_index *index, struct walk *walk, uint32_t quark,
                          struct time_index_timeline *t)
{
    struct ascending_block block;
    if (quark % ASCENDING_BLOCK == 0) {
        walk->places[0] = index->places.first;
        if (index->places.n > 1 &&
            (!ascending_list_block(&index->places, quark / ASCENDING_BLOCK, &block) ||
             !ascending_block_all(&block, walk->places)))
            return false;
    }
    return time_index_record(index, walk->places[quark % ASCENDING_BLOCK], t);
}

/* ---- values as answers have them --------------------------------------------------------------- */

INLINE bool answered_value(const struct time_index *index, const struct time_index_class *class,
                           uint32_t code, bool v3, uint32_t *type_ret, uint64_t *value_ret)
{
    struct time_index_slot *slot = &class->slots[code & class->slot_mask];
    *type_ret = STATEHIST_NULL;
    *value_ret = 0;
    if (code == 0)
        return true;
    if (__builtin_expect(slot->code != code, 0)) {
        uint32_t type;
        uint64_t value;
        if (!time_index_value_of(index, class, code, v3, &type, &value))
            return false;
        if (type == STATEHIST_STRING) {
            struct bo_span string;
            if (!time_index_string(index, (uint32_t)value, v3, &string))
                return false;
            value = statehist_hash(string);
        }
        *slot = (struct time_index_slot){code, type, value};
    }
    *type_ret = slot->type;
    *value_ret = slot->value;
    return true;
}

/* ---- one interval ------------------------------------------------------------------------------ */

INLINE bool state_at(const struct time_index_timeline *t, const struct moment *moment, bool v3,
                     struct statehist_state *state)
{
    const struct time_index *index = t->index;
    struct place place;
    uint64_t time;
    state->start = index->start;
    state->end = index->end;
    state->padding = 0;
    if (!find_place(t, moment, true, v3, &place) ||
        !answered_value(index, t->class, place.code, v3, &state->type, &state->value))
        return false;
    if (place.number) {
        if (!time_index_time_of(index, place.start, v3, &time))
            return false;
        state->start = (int64_t)((uint64_t)index->start + time);
    }
    if (place.has_end) {
        if (!time_index_time_of(index, place.end, v3, &time))
            return false;
        state->end = (int64_t)((uint64_t)index->start + time - 1);
    }
    return true;
}

/* So few changes are compared by their times: that is faster than to find the time in the table. */
enum { FEW_CHANGES = 8 };

/* The same for a shaped timeline of few changes, at a time above the start of the history. */
INLINE bool state_by_times(const struct time_index_timeline *t, uint64_t wanted, bool v3,
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
        if (!ascending_block_at(&block.keys, number + n / 2, v3, &key) ||
            !time_index_time_of(index, key, v3, &time))
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
    return answered_value(index, t->class, time_index_code(&block, number), v3, &state->type,
                          &state->value);
}

INLINE bool state_of(const struct time_index_timeline *t, int64_t time, bool v3,
                     struct statehist_state *state)
{
    struct moment moment;
    if (t->shape.n && t->shape.n <= FEW_CHANGES + 1)
        return state_by_times(t, (uint64_t)time - (uint64_t)t->index->start, v3, state);
    return moment_of(t->index, time, v3, &moment) && state_at(t, &moment, v3, state);
}

INLINE bool is_in(const struct time_index *index, int64_t time)
{
    return time >= index->start && time <= index->end;
}

INLINE enum bo_status ask_points(const struct time_index *index,
                                 const struct statehist_point_query *q, size_t n, bool v3,
                                 struct statehist_state *states)
{
    for (size_t i = 0; i < n; i++) {
        struct time_index_timeline t;
        if (q[i].quark >= index->n_quarks || !is_in(index, q[i].time))
            return BO_OUT_OF_RANGE;
        if (!time_index_timeline(index, q[i].quark, v3, &t) ||
            !state_of(&t, q[i].time, v3, &states[i]))
            return BO_CORRUPT;
    }
    return BO_OK;
}

/* ---- many attributes at one time ---------------------------------------------------------------- */

INLINE enum bo_status ask_full_state(const struct time_index *index, int64_t time, bool v3,
                                     struct bo_sink *sink)
{
    const size_t n = index->n_quarks;
    struct moment moment;
    struct walk walk;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    uint64_t *values;
    uint8_t *types;
    if (!statehist_take_values(n, sink, &values, &types))
        return BO_OVER_LIMIT;
    if (!moment_of(index, time, v3, &moment))
        return BO_CORRUPT;
    for (uint32_t quark = 0; quark < n; quark++) {
        struct time_index_timeline t;
        struct place place;
        uint32_t type;
        uint64_t value;
        if (!next_timeline(index, &walk, quark, &t) ||
            !find_place(&t, &moment, false, v3, &place) ||
            !answered_value(index, t.class, place.code, v3, &type, &value))
            return BO_CORRUPT;
        values[quark] = value;
        types[quark] = (uint8_t)type;
    }
    return BO_OK;
}

static enum bo_status ask_export(const struct time_index *index, int64_t time, struct bo_sink *sink)
{
    struct moment moment;
    struct walk walk;
    if (!is_in(index, time))
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *snapshot = bo_sink_take(sink, sizeof *snapshot);
    if (!snapshot)
        return BO_OVER_LIMIT;
    snapshot->n = index->n_quarks;
    if (!moment_of(index, time, false, &moment))
        return BO_CORRUPT;
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        struct place place;
        struct statehist_state state;
        struct bo_span string = {NULL, 0};
        uint32_t type;
        uint64_t value;
        if (!next_timeline(index, &walk, quark, &t) || !state_at(&t, &moment, false, &state) ||
            !find_place(&t, &moment, false, false, &place) ||
            !time_index_value_of(index, t.class, place.code, false, &type, &value) ||
            (type == STATEHIST_STRING &&
             !time_index_string(index, (uint32_t)value, false, &string)))
            return BO_CORRUPT;
        if (!statehist_put_exported(state, string, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

/* ---- windows ----------------------------------------------------------------------------------- */

/* The first of the times from i on that is above `time`, or n_times. */
static uint32_t next_time(const struct statehist_window_query *q, uint32_t i, int64_t time)
{
    uint32_t n = q->n_times - i;
    while (n) {
        const bool is_above = statehist_window_time(q, i + n / 2) > time;
        i = is_above ? i : i + n / 2 + 1;
        n = is_above ? n / 2 : n - n / 2 - 1;
    }
    return i;
}

INLINE enum bo_status put_states(const struct time_index *index,
                                 const struct statehist_window_query *q, uint32_t quark, bool v3,
                                 struct bo_sink *sink)
{
    struct time_index_timeline t;
    struct statehist_states *states = bo_sink_take(sink, sizeof *states);
    if (!states)
        return BO_OVER_LIMIT;
    states->n = 0;
    if (!time_index_timeline(index, quark, v3, &t))
        return BO_CORRUPT;
    for (uint32_t i = 0; i < q->n_times;) {
        struct statehist_state *state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return BO_OVER_LIMIT;
        const int64_t time = statehist_window_time(q, i);
        if (!state_of(&t, time, v3, state))
            return BO_CORRUPT;
        states->n++;
        i = next_time(q, i + 1, state->end > time ? state->end : time);
    }
    return BO_OK;
}

INLINE enum bo_status ask_window(const struct time_index *index,
                                 const struct statehist_window_query *q, bool v3,
                                 struct bo_sink *sink)
{
    if (!is_in(index, q->from) || !is_in(index, q->to) || q->from > q->to || q->n_times < 1 ||
        q->n_times > STATEHIST_MAX_WINDOW_TIMES || q->quarks.n % 4)
        return BO_OUT_OF_RANGE;
    for (size_t i = 0; i < q->quarks.n; i += 4)
        if (bo_le32(q->quarks.p + i) >= index->n_quarks)
            return BO_OUT_OF_RANGE;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < q->quarks.n && !status; i += 4)
        status = put_states(index, q, bo_le32(q->quarks.p + i), v3, sink);
    return status;
}

/* ---- one attribute, block after block ----------------------------------------------------------- */

/* Changes of a timeline that lie together, with the values that start then. */
struct stretch {
    unsigned n;
    uint64_t starts[ASCENDING_BLOCK + 1]; /* from the start of the history */
    uint64_t values[ASCENDING_BLOCK + 1];
    uint32_t types[ASCENDING_BLOCK + 1];
};

/* Keys become times, in place. */
INLINE bool times_of(const struct time_index *index, uint64_t *keys, unsigned n, bool v3)
{
    enum { CLOSE = 8 }; /* keys that are so close are looked up by whole blocks of times */
    const uint64_t length = (uint64_t)index->end - (uint64_t)index->start;
    if (index->direct) {
        bool ascends = n == 0 || (keys[0] > 0 && keys[n - 1] <= length);
        for (unsigned i = 1; i < n; i++)
            ascends &= keys[i] > keys[i - 1];
        return ascends;
    }
    if (n == 0)
        return true;
    if (keys[n - 1] - keys[0] >= (uint64_t)CLOSE * n || keys[n - 1] >= index->times.n) {
        for (unsigned i = 0; i < n; i++)
            if (!time_index_time_of(index, keys[i], v3, &keys[i]))
                return false;
        return true;
    }
    uint64_t times[ASCENDING_BLOCK];
    uint32_t b = UINT32_MAX;
    for (unsigned i = 0; i < n; i++) {
        struct ascending_block block;
        if (keys[i] >= index->times.n)
            return false;
        if (__builtin_expect(keys[i] / ASCENDING_BLOCK != b, 0)) {
            b = (uint32_t)(keys[i] / ASCENDING_BLOCK);
            if (index->times.n == 1)
                times[0] = index->times.first;
            else if (!ascending_list_block(&index->times, b, &block) ||
                     !ascending_block_all(&block, times))
                return false;
        }
        keys[i] = times[keys[i] % ASCENDING_BLOCK];
    }
    return keys[0] > 0 && keys[n - 1] <= length;
}

INLINE bool values_of(const struct time_index *index, const struct time_index_block *block, bool v3,
                      struct stretch *stretch)
{
    const struct time_index_class *class = block->class;
    uint64_t values[TIME_INDEX_MAX_LOCAL + 1];
    uint32_t types[TIME_INDEX_MAX_LOCAL + 1];
    if (block->n_local == 0) {
        for (unsigned i = 0; i < block->n_codes; i++)
            if (!answered_value(index, class, time_index_code(block, i), v3, &stretch->types[i],
                                &stretch->values[i]))
                return false;
        return true;
    }
    for (unsigned i = 0; i < block->n_local; i++)
        if (!answered_value(index, class, time_index_local(block, i), v3, &types[i], &values[i]))
            return false;
    const unsigned step = block->nulls == TIME_INDEX_ALL_TOLD ? 1 : 2;
    unsigned i = block->nulls == TIME_INDEX_EVEN_NULL;
    uint64_t at = block->told;
    if (step == 2)
        for (unsigned k = 0; k < block->n_codes; k++) {
            stretch->types[k] = STATEHIST_NULL;
            stretch->values[k] = 0;
        }
    for (; i < block->n_codes; i += step, at += block->told_nbits) {
        const unsigned told = (unsigned)ascending_bits(block->keys.p, at, block->told_nbits);
        if (told >= block->n_local)
            return false;
        stretch->types[i] = types[told];
        stretch->values[i] = values[told];
    }
    return true;
}

/* The intervals that block b of a timeline starts; b = UINT32_MAX: the first of a large one. */
INLINE bool read_stretch(const struct time_index_timeline *t, uint32_t b, bool v3,
                         struct stretch *stretch)
{
    const struct time_index *index = t->index;
    struct time_index_block block;
    if (b == UINT32_MAX) {
        stretch->n = 1;
        stretch->starts[0] = 0;
        return answered_value(index, t->class, t->first_code, v3, &stretch->types[0],
                              &stretch->values[0]);
    }
    const unsigned first = t->shape.n ? 1 : 0;
    if (!time_index_block(t, b, &block))
        return false;
    stretch->n = block.n_codes;
    stretch->starts[0] = 0;
    return (block.keys.n == 0 || (ascending_block_all(&block.keys, stretch->starts + first) &&
                                  times_of(index, stretch->starts + first, block.keys.n, v3))) &&
           values_of(index, &block, v3, stretch);
}

INLINE enum bo_status ask_range(const struct time_index *index,
                                const struct statehist_range_query *q, bool v3,
                                struct bo_sink *sink)
{
    struct time_index_timeline t;
    struct moment from, to;
    struct place first, last;
    if (q->quark >= index->n_quarks || !is_in(index, q->from) || !is_in(index, q->to) ||
        q->from > q->to)
        return BO_OUT_OF_RANGE;
    if (!moment_of(index, q->from, v3, &from) || !moment_of(index, q->to, v3, &to) ||
        !time_index_timeline(index, q->quark, v3, &t) ||
        !find_place(&t, &from, false, v3, &first) || !find_place(&t, &to, true, v3, &last) ||
        last.number < first.number)
        return BO_CORRUPT;
    const size_t n = (size_t)last.number - first.number + 1;
    int64_t end = index->end, *starts;
    uint64_t ends_at, *values;
    uint8_t *types;
    if (last.has_end) {
        if (!time_index_time_of(index, last.end, v3, &ends_at))
            return BO_CORRUPT;
        end = (int64_t)((uint64_t)index->start + ends_at - 1);
    }
    struct statehist_columns *head = statehist_take_columns(n, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    head->end = end;
    const bool large = t.shape.n == 0;
    /* `number`: of the interval that the stretch starts with. */
    uint32_t b = !large ? 0 : first.number == 0 ? UINT32_MAX : (first.number - 1) / ASCENDING_BLOCK;
    uint64_t done = 0;
    while (done < n) {
        struct stretch stretch;
        const uint32_t number = !large || b == UINT32_MAX ? 0 : b * ASCENDING_BLOCK + 1;
        if (!read_stretch(&t, b, v3, &stretch))
            return BO_CORRUPT;
        const unsigned skip = done ? 0 : first.number - number;
        if (skip >= stretch.n)
            return BO_CORRUPT;
        const uint64_t left = n - done, here = stretch.n - skip;
        const unsigned m = (unsigned)(left < here ? left : here);
        for (unsigned i = 0; i < m; i++) {
            starts[done + i] = (int64_t)((uint64_t)index->start + stretch.starts[skip + i]);
            values[done + i] = stretch.values[skip + i];
            types[done + i] = (uint8_t)stretch.types[skip + i];
        }
        done += m;
        b++;
    }
    return BO_OK;
}

/* ---- everything --------------------------------------------------------------------------------- */

INLINE enum bo_status ask_scan(const struct time_index *index, bool v3,
                               struct statehist_digest *digest)
{
    struct walk walk;
    *digest = (struct statehist_digest){0, 0};
    for (uint32_t quark = 0; quark < index->n_quarks; quark++) {
        struct time_index_timeline t;
        if (!next_timeline(index, &walk, quark, &t) ||
            t.n > index->n_intervals - digest->n_intervals)
            return BO_CORRUPT;
        struct statehist_state at = {.start = index->start};
        bool is_first = true;
        for (uint32_t b = t.shape.n ? 0 : UINT32_MAX, n = time_index_n_blocks(&t);
             b == UINT32_MAX || b < n; b++) {
            struct stretch stretch;
            if (!read_stretch(&t, b, v3, &stretch))
                return BO_CORRUPT;
            for (unsigned i = 0; i < stretch.n; i++, is_first = false) {
                const int64_t start = (int64_t)((uint64_t)index->start + stretch.starts[i]);
                if (!is_first)
                    statehist_digest_interval(digest, quark, at.start, start - 1, at.type,
                                              at.value);
                at.start = start;
                at.type = stretch.types[i];
                at.value = stretch.values[i];
            }
        }
        statehist_digest_interval(digest, quark, at.start, index->end, at.type, at.value);
    }
    return BO_OK;
}

/* ---- batches ------------------------------------------------------------------------------------ */

INLINE enum bo_status ask(const struct time_index *index, unsigned kind, const void *queries,
                          size_t n, void *answers, bool v3)
{
    enum bo_status status = BO_OK;
    switch (kind) {
    case STATEHIST_POINT:
        return ask_points(index, queries, n, v3, answers);
    case STATEHIST_FULL_STATE:
        for (size_t i = 0; i < n && !status; i++)
            status = ask_full_state(index, ((const struct statehist_time_query *)queries)[i].time,
                                    v3, answers);
        return status;
    case STATEHIST_RANGE:
        for (size_t i = 0; i < n && !status; i++)
            status =
                ask_range(index, &((const struct statehist_range_query *)queries)[i], v3, answers);
        return status;
    case STATEHIST_WINDOW:
        for (size_t i = 0; i < n && !status; i++)
            status = ask_window(index, &((const struct statehist_window_query *)queries)[i], v3,
                                answers);
        return status;
    case STATEHIST_SCAN:
        for (size_t i = 0; i < n && !status; i++)
            status = ask_scan(index, v3, &((struct statehist_digest *)answers)[i]);
        return status;
    default:
        for (size_t i = 0; i < n && !status; i++)
            status =
                ask_export(index, ((const struct statehist_time_query *)queries)[i].time, answers);
        return status;
    }
}

static enum bo_status ask_portable(const struct time_index *index, unsigned kind,
                                   const void *queries, size_t n, void *answers)
{
    return ask(index, kind, queries, n, answers, false);
}

#if defined(__x86_64__)
BO_V3 static enum bo_status ask_v3(const struct time_index *index, unsigned kind,
                                   const void *queries, size_t n, void *answers)
{
    return ask(index, kind, queries, n, answers, true);
}
#else
#define ask_v3 ask_portable
#endif

enum bo_status time_index_query(void *reader, unsigned kind, const void *queries, size_t n,
                                void *answers, struct bo_error *err)
{
    const enum bo_status status = bo_cpu_has_v3() ? ask_v3(reader, kind, queries, n, answers)
                                                  : ask_portable(reader, kind, queries, n, answers);
    return status == BO_CORRUPT ? bo_fail(err, status, BO_NO_OFFSET, "file is damaged") : status;
}
