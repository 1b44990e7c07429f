/*
 * time-index: a timeline's record. Everything is checked as it is read: nothing here touches memory
 * outside of the file, whatever it holds.
 */
#ifndef STATEHIST_TIME_INDEX_READ_H
#define STATEHIST_TIME_INDEX_READ_H

#include "codecs/statehist/time_index/time_index.h"

/*
 * A record, opened. Interval 0 starts with the history; interval i > 0 starts with change i - 1, so
 * n intervals have n - 1 changes.
 *
 * A shaped record is one block: `at` is where its fields start, and the shape gives their widths.
 * A large record (shape is NULL) is a table of entries from `at` on, one a block of 64 changes, and
 * the blocks from `blocks` on. An entry has the key of its block's first change, so a search by key
 * reads entries only, and then one block.
 */
struct time_index_timeline {
    const struct time_index *index;
    const struct time_index_class *class;
    const struct time_index_shape *shape; /* NULL: there are blocks, each with its own */
    uint32_t n;                           /* intervals, at least 1 */
    uint32_t first_code;                  /* of the first interval; when there are blocks */
    unsigned place_nbits, entry_nbits;
    uint64_t at;     /* in bits from `records`: of the shaped record's fields, or of the entries */
    uint64_t blocks; /* where the blocks start */
    const uint64_t
        *bases; /* by block: key of its first change; NULL: they are read where they lie */
};

/*
 * Changes and values that are read together. In a shaped record code i is that of interval i; in a
 * block of a large one it is that of the interval that change i of the block starts. A block with a
 * local dictionary (n_local > 0) stores indices into it instead of codes.
 */
struct time_index_block {
    struct ascending_block keys; /* n is 0: a shaped record with one interval */
    const struct time_index_class *class;
    uint64_t local, stored; /* bit offsets from `records`: local dictionary, stored values */
    unsigned n_codes, nulls, n_local, stored_nbits;
};

/* What a record without a shape starts with, from bit `at` on; false when it is damaged. */
ASCENDING_CALL bool time_index_large_record(const struct time_index *index, uint64_t at,
                                            struct time_index_timeline *t)
{
    const uint8_t *p = index->records, *record = p + (at - index->shape_nbits) / 8;
    const uint32_t class = (uint32_t)ascending_bits(p, at, TIME_INDEX_CLASS_FIELD);
    at += TIME_INDEX_CLASS_FIELD;
    const unsigned n_nbits = (unsigned)ascending_bits(p, at, TIME_INDEX_WIDTH_FIELD);
    at += TIME_INDEX_WIDTH_FIELD;
    if (class >= index->n_classes || n_nbits > 32)
        return time_index_damaged(index, record,
                                  "class of a record is out of range, or too many intervals");
    t->class = &index->classes[class];
    t->n = (uint32_t)ascending_bits(p, at, n_nbits);
    at += n_nbits;
    t->place_nbits = (unsigned)ascending_bits(p, at, TIME_INDEX_WIDTH_FIELD);
    at += TIME_INDEX_WIDTH_FIELD;
    t->first_code = (uint32_t)ascending_bits(p, at, t->class->code_nbits);
    t->at = at + t->class->code_nbits;
    t->entry_nbits = index->key_nbits + ASCENDING_LOW_FIELD + TIME_INDEX_NULLS_FIELD +
                     TIME_INDEX_LOCAL_FIELD + t->place_nbits;
    t->blocks = t->at + ((uint64_t)t->n + 62) / ASCENDING_BLOCK * t->entry_nbits;
    return (t->n > 0 && t->place_nbits <= 56 && t->blocks <= index->records_nbits) ||
           time_index_damaged(index, record, "record runs past the end, or has no interval");
}

/* The record at a bit; false when it is damaged. */
ASCENDING_INLINE bool time_index_record(const struct time_index *index, uint64_t at,
                                        struct time_index_timeline *t)
{
    const uint8_t *p = index->records;
    if (at > index->records_nbits)
        return time_index_damaged(index, index->places.body, "record lies after all records");
    const uint32_t number = (uint32_t)ascending_bits(p, at, index->shape_nbits);
    t->index = index;
    if (__builtin_expect(number > index->n_shapes, 0))
        return time_index_damaged(index, p + at / 8, "shape number is out of range");
    at += index->shape_nbits;
    t->first_code = 0;
    t->place_nbits = t->entry_nbits = 0;
    t->blocks = 0;
    t->bases = NULL;
    t->shape = NULL;
    if (__builtin_expect(number == 0, 0))
        return time_index_large_record(index, at, t);
    t->shape = &index->shapes[number - 1];
    t->class = &index->classes[t->shape->class];
    t->n = t->shape->n;
    t->at = at;
    return true;
}

/* A record that is about to be read. */
ASCENDING_INLINE void time_index_prefetch(const struct time_index *index, uint64_t at)
{
    if (at <= index->records_nbits)
        __builtin_prefetch(index->records + at / 8);
}

/* The same where none are kept. */
ASCENDING_CALL bool time_index_read_place(const struct time_index *index, uint32_t quark,
                                          uint64_t *place_ret)
{
    if (!ascending_at(&index->places, quark, place_ret))
        return time_index_damaged(index, index->places.body, "places of records are damaged");
    if (*place_ret > index->records_nbits) /* TIME_INDEX_OPEN and above have a meaning */
        *place_ret = index->records_nbits + 1;
    return true;
}

/* Where the record of a quark lies; false when that is damaged. */
ASCENDING_INLINE bool time_index_place(const struct time_index *index, uint32_t quark,
                                       uint64_t *place_ret)
{
    const struct time_index_kept *kept = &index->kept_places;
    if (__builtin_expect(kept->numbers != NULL, 1)) {
        const uint32_t b = quark / ASCENDING_BLOCK;
        if (__builtin_expect(!kept->known[b], 0) && !time_index_keep_places(index, b))
            return false;
        *place_ret = kept->numbers[quark];
        return true;
    }
    return time_index_read_place(index, quark, place_ret);
}

/* The record of a quark; false when it is damaged. */
static inline bool time_index_timeline(const struct time_index *index, uint32_t quark,
                                       struct time_index_timeline *t)
{
    uint64_t at;
    return time_index_place(index, quark, &at) && time_index_record(index, at, t);
}

ASCENDING_INLINE uint32_t time_index_n_blocks(const struct time_index_timeline *t)
{
    return t->shape ? 1 : (uint32_t)(((uint64_t)t->n + 62) / ASCENDING_BLOCK);
}

/* The key of the first change of a large timeline's block b. */
ASCENDING_INLINE uint64_t time_index_base(const struct time_index_timeline *t, uint32_t b)
{
    return ascending_bits(t->index->records, t->at + (uint64_t)b * t->entry_nbits,
                          t->index->key_nbits);
}

ASCENDING_INLINE bool time_index_check_block(const struct time_index_timeline *t,
                                             const struct time_index_block *block)
{
    return (block->keys.upper <= t->index->records_nbits &&
            (block->nulls != TIME_INDEX_COUNTING || block->n_local == 0)) ||
           time_index_damaged(t->index, t->index->records + t->at / 8,
                              "block runs past the end, or counts in a dictionary");
}

/* Block b of a large timeline; false when it runs out of the records. */
ASCENDING_CALL bool time_index_large_block(const struct time_index_timeline *t, uint32_t b,
                                           struct time_index_block *block)
{
    const struct time_index *index = t->index;
    const uint8_t *p = index->records;
    struct ascending_block *keys = &block->keys;
    uint64_t at = t->at + (uint64_t)b * t->entry_nbits;
    keys->p = p;
    block->class = t->class;
    keys->base = ascending_bits(p, at, index->key_nbits);
    at += index->key_nbits;
    keys->l = (unsigned)ascending_bits(p, at, ASCENDING_LOW_FIELD);
    at += ASCENDING_LOW_FIELD;
    block->nulls = (unsigned)ascending_bits(p, at, TIME_INDEX_NULLS_FIELD);
    at += TIME_INDEX_NULLS_FIELD;
    block->n_local = (unsigned)ascending_bits(p, at, TIME_INDEX_LOCAL_FIELD);
    at += TIME_INDEX_LOCAL_FIELD;
    at = t->blocks + ascending_bits(p, at, t->place_nbits);
    const uint32_t left = t->n - 1 - b * ASCENDING_BLOCK;
    keys->n = left < ASCENDING_BLOCK ? left : ASCENDING_BLOCK;
    block->n_codes = keys->n;
    block->stored_nbits = time_index_stored_nbits(block->n_local, t->class->code_nbits);
    keys->low = at;
    block->local = at + (uint64_t)(keys->n - 1) * keys->l;
    block->stored = block->local + (uint64_t)block->n_local * t->class->code_nbits;
    keys->upper =
        block->stored + (uint64_t)time_index_n_stored(keys->n, block->nulls) * block->stored_nbits;
    return time_index_check_block(t, block);
}

/* The only block of a shaped timeline; false when it runs out of the records. */
ASCENDING_INLINE bool time_index_shaped_block(const struct time_index_timeline *t,
                                              struct time_index_block *block)
{
    const struct time_index *index = t->index;
    const struct time_index_shape *shape = t->shape;
    struct ascending_block *keys = &block->keys;
    keys->p = index->records;
    block->class = t->class;
    keys->n = shape->n - 1u;
    keys->l = shape->l;
    keys->base = keys->n ? ascending_bits(keys->p, t->at, index->key_nbits) : 0;
    const uint64_t at = t->at + (keys->n ? index->key_nbits : 0);
    block->n_codes = shape->n;
    block->nulls = shape->nulls;
    block->n_local = shape->n_local;
    block->stored_nbits = shape->stored_nbits;
    keys->low = at;
    block->local = at + shape->local;
    block->stored = at + shape->stored;
    keys->upper = at + shape->upper;
    return time_index_check_block(t, block);
}

/* Block b of any timeline. */
ASCENDING_INLINE bool time_index_block(const struct time_index_timeline *t, uint32_t b,
                                       struct time_index_block *block)
{
    return __builtin_expect(t->shape != NULL, 1) ? time_index_shaped_block(t, block)
                                                 : time_index_large_block(t, b, block);
}

/* Code i < n_local of a block's own dictionary. */
ASCENDING_INLINE uint32_t time_index_local(const struct time_index_block *block, unsigned i)
{
    const unsigned nbits = block->class->code_nbits;
    return (uint32_t)ascending_bits(block->keys.p, block->local + (uint64_t)i * nbits, nbits);
}

/* The code of value i < n_codes of a block. */
ASCENDING_INLINE uint32_t time_index_code(const struct time_index_block *block, unsigned i)
{
    const uint8_t *p = block->keys.p;
    if (block->nulls != TIME_INDEX_ALL_STORED) {
        if (block->nulls == TIME_INDEX_COUNTING)
            return (uint32_t)ascending_bits(p, block->stored, block->stored_nbits) + i;
        if (i % 2 != (block->nulls == TIME_INDEX_EVEN_NULL))
            return 0;
        i /= 2;
    }
    const uint32_t stored = (uint32_t)ascending_bits(
        p, block->stored + (uint64_t)i * block->stored_nbits, block->stored_nbits);
    if (block->n_local == 0)
        return stored;
    return stored < block->n_local ? time_index_local(block, stored) : UINT32_MAX;
}

/* Whether a key is that of a value of its type. */
static inline bool time_index_fits(const struct time_index *index, uint32_t type, uint64_t key)
{
    const uint64_t most = type == STATEHIST_INT      ? UINT32_MAX
                          : type == STATEHIST_STRING ? index->n_strings - UINT64_C(1)
                          : type == STATEHIST_BOOL   ? 1
                                                     : UINT64_MAX;
    return key <= most && (type != STATEHIST_STRING || index->n_strings);
}

/* The value of a code; false when the code or its value is out of range. */
static inline bool time_index_value_of(const struct time_index *index,
                                       const struct time_index_class *class, uint32_t code,
                                       uint32_t *type_ret, uint64_t *value_ret)
{
    *type_ret = STATEHIST_NULL;
    *value_ret = 0;
    if (code == 0)
        return true;
    if (code >= class->first[STATEHIST_N_TYPES])
        return time_index_damaged(index, index->records, "value code is out of range");
    uint32_t type = STATEHIST_INT;
    while (code >= class->first[type + 1])
        type++;
    uint64_t key;
    const struct ascending_list *list = &class->values[type];
    if (!ascending_at(list, code - class->first[type], &key))
        return time_index_damaged(index, list->body, "values are damaged");
    *type_ret = type;
    *value_ret = time_index_value(type, key);
    return time_index_fits(index, type, key) ||
           time_index_damaged(index, list->body, "value is out of its type's range");
}

/* The bytes of string i < n_strings; false when the file is damaged there. */
static inline bool time_index_string(const struct time_index *index, uint32_t i,
                                     struct bo_span *string_ret)
{
    uint64_t start = 0, end;
    if ((i && !ascending_at(&index->string_ends, i - 1, &start)) ||
        !ascending_at(&index->string_ends, i, &end))
        return time_index_damaged(index, index->string_ends.body,
                                  "ends of the strings are invalid");
    start -= i ? i - 1 : 0;
    end -= i;
    if (start > end || end > index->strings.n)
        return time_index_damaged(index, index->strings.p, "string runs past the end");
    *string_ret = (struct bo_span){index->strings.p + start, (size_t)(end - start)};
    return true;
}

/* The time of a key where none are kept. */
ASCENDING_CALL bool time_index_read_time(const struct time_index *index, uint64_t key,
                                         uint64_t *time_ret)
{
    const uint64_t length = (uint64_t)index->end - (uint64_t)index->start;
    *time_ret = key;
    if (!index->direct && !ascending_at(&index->times, (uint32_t)key, time_ret))
        return time_index_damaged(index, index->times.body, "times are damaged");
    return (*time_ret > 0 && *time_ret <= length) ||
           time_index_damaged(index, index->direct ? index->records : index->times.body,
                              "change lies outside of the history");
}

/* The time of the change of a key, from the start of the history; false if the key is too large. */
ASCENDING_INLINE bool time_index_time_of(const struct time_index *index, uint64_t key,
                                         uint64_t *time_ret)
{
    const struct time_index_kept *kept = &index->kept_times;
    if (__builtin_expect(key > index->max_key, 0))
        return time_index_damaged(index, index->records, "change key is out of range");
    if (__builtin_expect(kept->numbers != NULL, 1)) {
        const uint32_t b = (uint32_t)key / ASCENDING_BLOCK;
        if (__builtin_expect(!kept->known[b], 0) && !time_index_keep_times(index, b))
            return false;
        *time_ret = kept->numbers[key];
        return true;
    }
    return time_index_read_time(index, key, time_ret);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Quarks, by groups; walked once. */
struct time_index_set {
    struct ascending_list groups;
    const uint8_t *words; /* of each group: which of its quarks */
    uint32_t n;           /* quarks, at most all there are */
    uint32_t at;          /* next group */
    uint64_t ids[ASCENDING_BLOCK];
    bool is_damaged; /* the walk has ended early */
};

/* The part of segment k; false when it lies outside of the section. */
bool time_index_part(const struct time_index *index, uint32_t k, struct bo_cursor *part);

/* Takes a set out of a part; false when it is damaged. */
bool time_index_open_set(const struct time_index *index, struct bo_cursor *part,
                         struct time_index_set *set);

/*
 * The next group: bits for its quarks, and its first quark. False after the last, or when damaged.
 */
static inline bool time_index_next_group(const struct time_index *index, struct time_index_set *set,
                                         uint64_t *word_ret, uint32_t *quark_ret)
{
    struct ascending_block block;
    const unsigned i = set->at % ASCENDING_BLOCK;
    if (set->at == set->groups.n)
        return false;
    set->is_damaged = true;
    if (i == 0) {
        set->ids[0] = set->groups.first;
        if (set->groups.n > 1 &&
            (!ascending_list_block(&set->groups, set->at / ASCENDING_BLOCK, &block) ||
             !ascending_block_all(&block, set->ids)))
            return time_index_damaged(index, set->words, "groups of a checkpoint are damaged");
    }
    const uint64_t first = set->ids[i] * TIME_INDEX_GROUP;
    *word_ret = bo_le64(set->words + 8 * (size_t)set->at);
    if (set->ids[i] > index->n_quarks / TIME_INDEX_GROUP ||
        (index->n_quarks - first < TIME_INDEX_GROUP && *word_ret >> (index->n_quarks - first)))
        return time_index_damaged(index, set->words + 8 * (size_t)set->at,
                                  "checkpoint has a quark that is not there");
    *quark_ret = (uint32_t)first;
    set->at++;
    set->is_damaged = false;
    return true;
}

/* Where the records of a quark and those that follow it lie, up to 64; quark % 64 is 0. */
static inline bool time_index_places(const struct time_index *index, uint32_t quark,
                                     uint64_t places_ret[ASCENDING_BLOCK])
{
    struct ascending_block block;
    places_ret[0] = index->places.first;
    return index->places.n <= 1 ||
           (ascending_list_block(&index->places, quark / ASCENDING_BLOCK, &block) &&
            ascending_block_all(&block, places_ret)) ||
           time_index_damaged(index, index->places.body, "places of records are damaged");
}

#endif
