/* time-index: encoding. */
#include <stdlib.h>

#include "codecs/statehist/kinds.h"
#include "codecs/statehist/time_index/write.h"
#include "codecs/statehist/tree.h"
#include "harness/core/random.h"

const uint8_t time_index_magic[4] = {'T', 'I', 'X', '1'};

enum { COMMON_CLASS = 0, LEAST_OF_A_CLASS = 32, LEAST_OF_A_SHAPE = 3 };

/* Takes the place of the hash of names. */
enum { COUNTERS = 1 };

/* A value that a class has. */
struct entry {
    uint64_t key;    /* orders values of one type */
    uint32_t number; /* of its first use among different ones */
    uint8_t class, type;
};

struct plan {
    const struct statehist_model *model;
    struct bo_arena *arena;
    uint64_t *times; /* distinct ones of changes, above the start */
    uint32_t n_times;
    uint32_t *ranks; /* by interval: which of the times it starts at; not of the first ones */
    bool direct;
    unsigned key_nbits;
    uint8_t *class; /* by quark */
    uint32_t n_classes;
    struct entry *entries; /* different ones */
    uint32_t n_entries;
    size_t cap_entries;
    uint32_t first[TIME_INDEX_MAX_CLASSES + 1]; /* a class's entries */
    unsigned code_nbits[TIME_INDEX_MAX_CLASSES];
    uint32_t *codes; /* by interval */
    uint32_t *shapes;
    uint32_t n_shapes;
    unsigned shape_nbits;
};

/* ---- times ----------------------------------------------------------------------------------- */

/* The keys of n intervals from one on, none of which is the first of its timeline. */
static void keys_of(const struct plan *plan, uint32_t interval, unsigned n, uint64_t *keys_ret)
{
    for (unsigned i = 0; i < n; i++)
        keys_ret[i] =
            plan->direct ? plan->times[plan->ranks[interval + i]] : plan->ranks[interval + i];
}

/* The bits of all blocks of keys. */
static uint64_t blocks_nbits(const struct plan *plan)
{
    const struct statehist_model *model = plan->model;
    uint64_t sum = 0, keys[ASCENDING_BLOCK];
    for (uint32_t q = 0; q < model->n_quarks; q++)
        for (uint32_t i = model->first[q] + 1, n; i < model->first[q + 1]; i += n) {
            unsigned nbits;
            n = model->first[q + 1] - i < 64 ? model->first[q + 1] - i : 64;
            keys_of(plan, i, n, keys);
            (void)ascending_choose(keys, n, &nbits);
            sum += nbits + plan->key_nbits;
        }
    return sum;
}

/*
 * Changes are the ends of intervals, and ends do not descend in the order of closing: so nothing is
 * sorted. Returns the number of different times; writes to times and ranks unless they are NULL.
 */
static uint32_t rank_changes(const struct statehist_model *model, uint64_t *times, uint32_t *ranks)
{
    uint64_t last = 0; /* no change is at the start */
    uint32_t n = 0;
    for (size_t k = 0; k < model->n_intervals; k++) {
        const uint32_t i = model->closing[k];
        if (model->intervals[i].end == model->end)
            break; /* the last intervals of all timelines */
        const uint64_t time = (uint64_t)model->intervals[i].end - (uint64_t)model->start + 1;
        if (time != last && times)
            times[n] = time;
        n += time != last;
        last = time;
        if (ranks)
            ranks[i + 1] = n - 1;
    }
    return n;
}

static enum bo_status plan_times(struct plan *plan, struct bo_error *err)
{
    const struct statehist_model *model = plan->model;
    const unsigned length_nbits = bo_bit_width((uint64_t)model->end - (uint64_t)model->start);
    plan->n_times = rank_changes(model, NULL, NULL);
    plan->times = bo_alloc_array(plan->arena, plan->n_times, sizeof *plan->times);
    plan->ranks = bo_alloc_array(plan->arena, model->n_intervals, sizeof *plan->ranks);
    if (!plan->times || !plan->ranks)
        return bo_fail_alloc(err, plan->arena);
    (void)rank_changes(model, plan->times, plan->ranks);
    struct bo_writer table;
    bo_writer_init(&table, plan->arena);
    const enum bo_status status = ascending_put(plan->times, plan->n_times, &table, err);
    plan->key_nbits = bo_bit_width(plan->n_times);
    const uint64_t table_nbits = blocks_nbits(plan) + 8 * (uint64_t)table.n;
    bo_writer_free(&table);
    plan->direct = true;
    plan->key_nbits = length_nbits;
    if (!status && blocks_nbits(plan) >= table_nbits) {
        plan->direct = false;
        plan->key_nbits = bo_bit_width(plan->n_times);
    }
    return status;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Timelines whose attributes have one name, or a number under one name, are of one class. */
struct kind {
    uint64_t hash;
    uint64_t n_intervals;
    uint32_t first; /* quark */
    uint8_t class;
};

static int compare_hashes(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->first > y->first) - (x->first < y->first);
}

static int compare_uses(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    return x->n_intervals != y->n_intervals
               ? (x->n_intervals < y->n_intervals) - (x->n_intervals > y->n_intervals)
               : (x->first > y->first) - (x->first < y->first);
}

/* Whether a timeline is null or not, then 1, 2, 3, ...: such timelines share their values. */
static bool counts_up(const struct statehist_model *model, uint32_t q)
{
    const uint32_t end = model->first[q + 1];
    uint32_t i = model->first[q];
    uint64_t count = model->intervals[i].type != STATEHIST_NULL;
    for (i += count == 0; i < end && model->intervals[i].type == STATEHIST_LONG &&
                          model->intervals[i].value == count + (i - model->first[q]);)
        i++;
    return i == end && end - model->first[q] >= LEAST_OF_A_CLASS;
}

static enum bo_status plan_classes(struct plan *plan, struct bo_error *err)
{
    const struct statehist_model *model = plan->model;
    const uint32_t n = model->n_quarks;
    uint64_t *hashes = bo_alloc_array(plan->arena, n, sizeof *hashes);
    struct kind *kinds = bo_alloc_array(plan->arena, n, sizeof *kinds);
    plan->class = bo_alloc(plan->arena, n);
    if (!hashes || !kinds || !plan->class)
        return bo_fail_alloc(err, plan->arena);
    statehist_kinds(model->attributes, n, hashes);
    for (uint32_t q = 0; q < n; q++)
        hashes[q] = counts_up(model, q) ? COUNTERS : hashes[q];
    for (uint32_t q = 0; q < n; q++)
        kinds[q] = (struct kind){hashes[q], model->first[q + 1] - model->first[q], q, COMMON_CLASS};
    qsort(kinds, n, sizeof *kinds, compare_hashes);
    uint32_t n_kinds = 0;
    for (uint32_t i = 0; i < n; i++)
        if (n_kinds && kinds[n_kinds - 1].hash == kinds[i].hash)
            kinds[n_kinds - 1].n_intervals += kinds[i].n_intervals;
        else
            kinds[n_kinds++] = kinds[i];
    qsort(kinds, n_kinds, sizeof *kinds, compare_uses);
    plan->n_classes = 1;
    for (uint32_t i = 0; i < n_kinds && plan->n_classes < TIME_INDEX_MAX_CLASSES; i++)
        if (kinds[i].n_intervals >= LEAST_OF_A_CLASS)
            kinds[i].class = (uint8_t)plan->n_classes++;
    qsort(kinds, n_kinds, sizeof *kinds, compare_hashes);
    for (uint32_t q = 0; q < n; q++) {
        const struct kind *kind = kinds;
        for (uint32_t left = n_kinds; left > 1; left -= left / 2)
            kind += kind[left / 2].hash <= hashes[q] ? left / 2 : 0;
        plan->class[q] = kind->class;
    }
    return BO_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->class != y->class || x->type != y->type)
        return x->class != y->class ? x->class - y->class : x->type - y->type;
    return (x->key > y->key) - (x->key < y->key);
}

/* The entries in a hash table; the seed of its hash is unpredictable. */
struct entry_slots {
    uint32_t *numbers; /* from 1; 0: nothing */
    size_t n;          /* a power of two */
    uint64_t seed;
};

static size_t slot_of(const struct plan *plan, const struct entry_slots *slots,
                      const struct entry *entry)
{
    const uint64_t kind = (uint64_t)entry->class << 8 | entry->type;
    size_t at = (size_t)bo_mix64(entry->key ^ bo_mix64(kind ^ slots->seed)) & (slots->n - 1);
    while (slots->numbers[at] && compare_entries(&plan->entries[slots->numbers[at] - 1], entry))
        at = (at + 1) & (slots->n - 1);
    return at;
}

/* Twice as many slots; false when the arena refuses. */
static bool grow_slots(const struct plan *plan, struct entry_slots *slots)
{
    slots->n = slots->n ? 2 * slots->n : 2 * bo_first_cap(plan->arena, 512);
    slots->numbers = bo_zalloc_array(plan->arena, slots->n, sizeof *slots->numbers);
    if (!slots->numbers)
        return false;
    slots->seed = bo_mix64((uintptr_t)slots->numbers);
    for (uint32_t i = 0; i < plan->n_entries; i++)
        slots->numbers[slot_of(plan, slots, &plan->entries[i])] = i + 1;
    return true;
}

/* The number of an interval's value, which is not null; UINT32_MAX when the arena refuses. */
static uint32_t number_of_entry(struct plan *plan, struct entry_slots *slots,
                                const struct statehist_interval *at)
{
    const struct entry entry = {time_index_key(at->type, at->value), plan->n_entries,
                                plan->class[at->quark], (uint8_t)at -> type};
    if (2 * (size_t)plan->n_entries >= slots->n && !grow_slots(plan, slots))
        return UINT32_MAX;
    uint32_t *number = &slots->numbers[slot_of(plan, slots, &entry)];
    if (*number == 0) {
        if (!bo_grow(plan->arena, &plan->entries, plan->n_entries, 1, &plan->cap_entries))
            return UINT32_MAX;
        plan->entries[plan->n_entries++] = entry;
        *number = plan->n_entries;
    }
    return *number - 1;
}

/* Codes are the order of a class's values. Until all are known, they are numbers, from 1. */
static enum bo_status plan_values(struct plan *plan, struct bo_error *err)
{
    const struct statehist_model *model = plan->model;
    struct entry_slots slots = {NULL, 0, 0};
    plan->codes = bo_alloc_array(plan->arena, model->n_intervals, sizeof *plan->codes);
    if (!plan->codes)
        return bo_fail_alloc(err, plan->arena);
    for (size_t i = 0; i < model->n_intervals; i++) {
        plan->codes[i] = 0;
        if (model->intervals[i].type == STATEHIST_NULL)
            continue;
        const uint32_t number = number_of_entry(plan, &slots, &model->intervals[i]);
        if (number == UINT32_MAX)
            return bo_fail_alloc(err, plan->arena);
        plan->codes[i] = number + 1;
    }
    const struct bo_arena_mark mark = bo_arena_mark(plan->arena);
    uint32_t *codes = bo_alloc_array(plan->arena, plan->n_entries, sizeof *codes), at = 0;
    if (!codes)
        return bo_fail_alloc(err, plan->arena);
    if (plan->n_entries)
        qsort(plan->entries, plan->n_entries, sizeof *plan->entries, compare_entries);
    for (uint32_t c = 0; c < plan->n_classes; c++) {
        plan->first[c] = at;
        for (; at < plan->n_entries && plan->entries[at].class == c; at++)
            codes[plan->entries[at].number] = at - plan->first[c] + 1;
        plan->code_nbits[c] = bo_bit_width(at - plan->first[c]);
    }
    plan->first[plan->n_classes] = at;
    for (size_t i = 0; i < model->n_intervals; i++)
        plan->codes[i] = plan->codes[i] ? codes[plan->codes[i] - 1] : 0;
    bo_arena_rewind(plan->arena, mark);
    return BO_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A block of changes and values, laid out. */
struct block {
    const uint32_t *codes;
    unsigned n_keys, n_codes;
    unsigned l, nulls, n_local, code_nbits;
    uint32_t local[TIME_INDEX_MAX_LOCAL + 1];
    uint8_t numbers[ASCENDING_BLOCK + 1]; /* of stored codes in the dictionary, if there is one */
    unsigned nbits;
};

/* Whether code i of a block is stored. */
static bool is_stored(unsigned i, unsigned nulls)
{
    return nulls == TIME_INDEX_COUNTING
               ? i == 0
               : nulls == TIME_INDEX_ALL_STORED || i % 2 == (nulls == TIME_INDEX_EVEN_NULL);
}

/* Whether each code is the one before plus 1. */
static bool is_counting(const struct block *block)
{
    unsigned i = 1;
    while (i < block->n_codes && block->codes[i] == block->codes[0] + i)
        i++;
    return i == block->n_codes;
}

/* The dictionary: different codes in the order of their first use. Ends early beyond the limit. */
static void collect_local(struct block *block)
{
    enum { SLOTS_NBITS = 7, N_SLOTS = 1 << SLOTS_NBITS };
    uint8_t slots[N_SLOTS] = {0}; /* numbers in the dictionary, from 1 */
    block->n_local = 0;
    for (unsigned i = block->nulls == TIME_INDEX_EVEN_NULL;
         i < block->n_codes && block->n_local <= TIME_INDEX_MAX_LOCAL;
         i += block->nulls == TIME_INDEX_ALL_STORED ? 1 : 2) {
        unsigned at = block->codes[i] * UINT32_C(0x9e3779b1) >> (32 - SLOTS_NBITS);
        while (slots[at] && block->local[slots[at] - 1] != block->codes[i])
            at = (at + 1) % N_SLOTS;
        if (slots[at] == 0) {
            block->local[block->n_local++] = block->codes[i];
            slots[at] = (uint8_t)block->n_local;
        }
        block->numbers[i] = slots[at] - 1;
    }
}

static void lay_out(struct block *block, const uint64_t *keys)
{
    bool has[2] = {false, false}; /* a value: at even places, at odd ones */
    for (unsigned i = 0; i < block->n_codes; i++)
        has[i % 2] |= block->codes[i] != 0;
    block->nulls = !has[1]   ? TIME_INDEX_ODD_NULL
                   : !has[0] ? TIME_INDEX_EVEN_NULL
                             : TIME_INDEX_ALL_STORED;
    if (block->n_codes == 1)
        block->nulls = has[0] ? TIME_INDEX_ALL_STORED : TIME_INDEX_EVEN_NULL;
    if (time_index_n_stored(block->n_codes, block->nulls) > 1 && is_counting(block))
        block->nulls = TIME_INDEX_COUNTING;
    const unsigned n_stored = time_index_n_stored(block->n_codes, block->nulls);
    collect_local(block);
    const unsigned plain = n_stored * block->code_nbits;
    unsigned nbits = block->n_local * block->code_nbits;
    if (block->n_local)
        nbits += n_stored * bo_bit_width(block->n_local - 1);
    if (block->n_local > TIME_INDEX_MAX_LOCAL || nbits >= plain) {
        block->n_local = 0;
        nbits = plain;
    }
    block->nbits = nbits;
    block->l = 0;
    if (block->n_keys) {
        unsigned keys_nbits;
        block->l = ascending_choose(keys, block->n_keys, &keys_nbits);
        block->nbits += keys_nbits;
    }
}

static void put_block(const struct block *block, const uint64_t *keys, struct bo_bit_writer *out)
{
    const unsigned nbits = time_index_stored_nbits(block->n_local, block->code_nbits);
    ascending_put_lows(keys, block->n_keys, block->l, out);
    for (unsigned i = 0; i < block->n_local; i++)
        ascending_put_bits(out, block->local[i], block->code_nbits);
    for (unsigned i = 0; i < block->n_codes && nbits; i++)
        if (is_stored(i, block->nulls))
            ascending_put_bits(out, block->n_local ? block->numbers[i] : block->codes[i], nbits);
    ascending_put_uppers(keys, block->n_keys, block->l, out);
}

/* ---- records --------------------------------------------------------------------------------- */

static uint32_t n_intervals_of(const struct plan *plan, uint32_t q)
{
    return plan->model->first[q + 1] - plan->model->first[q];
}

/* A small timeline, laid out as one block with all its values. */
static void lay_out_small(const struct plan *plan, uint32_t q, struct block *block,
                          uint64_t keys[ASCENDING_BLOCK])
{
    const uint32_t i = plan->model->first[q], n = n_intervals_of(plan, q);
    block->codes = plan->codes + i;
    block->n_keys = n - 1;
    block->n_codes = n;
    block->code_nbits = plan->code_nbits[plan->class[q]];
    keys_of(plan, i + 1, n - 1, keys);
    lay_out(block, keys);
}

static uint32_t shape_of(const struct plan *plan, uint32_t q, const struct block *block)
{
    const uint32_t fields[] = {block->n_codes, plan->class[q], block -> l, block -> nulls,
                               block -> n_local};
    static const unsigned widths[] = {TIME_INDEX_N_FIELD, TIME_INDEX_CLASS_FIELD,
                                      ASCENDING_LOW_FIELD, TIME_INDEX_NULLS_FIELD,
                                      TIME_INDEX_LOCAL_FIELD};
    uint32_t shape = 0;
    for (unsigned i = 0, at = 0; i < 5; at += widths[i++])
        shape |= fields[i] << at;
    return shape;
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The shapes that occur often enough, ascending. */
static enum bo_status plan_shapes(struct plan *plan, struct bo_error *err)
{
    const uint32_t n = plan->model->n_quarks;
    uint32_t *all = bo_alloc_array(plan->arena, n, sizeof *all), n_all = 0;
    if (!all)
        return bo_fail_alloc(err, plan->arena);
    for (uint32_t q = 0; q < n; q++)
        if (n_intervals_of(plan, q) <= TIME_INDEX_MAX_SHAPED) {
            uint64_t keys[ASCENDING_BLOCK];
            struct block block;
            lay_out_small(plan, q, &block, keys);
            all[n_all++] = shape_of(plan, q, &block);
        }
    qsort(all, n_all, sizeof *all, compare_u32);
    plan->shapes = all;
    for (uint32_t i = 0, same; i < n_all; i += same) {
        for (same = 1; i + same < n_all && all[i + same] == all[i];)
            same++;
        if (same >= LEAST_OF_A_SHAPE && plan->n_shapes < TIME_INDEX_MAX_SHAPES)
            all[plan->n_shapes++] = all[i];
    }
    plan->shape_nbits = bo_bit_width(plan->n_shapes);
    plan->shape_nbits += plan->shape_nbits == 0;
    return BO_OK;
}

/* The number of a shape, from 1; 0: it has none. */
static uint32_t number_of_shape(const struct plan *plan, uint32_t shape)
{
    const uint32_t *found =
        plan->n_shapes ? bsearch(&shape, plan->shapes, plan->n_shapes, sizeof shape, compare_u32)
                       : NULL;
    return found ? (uint32_t)(found - plan->shapes) + 1 : 0;
}

/* Blocks of 64 changes, each with the value that starts then. */
static enum bo_status put_large(const struct plan *plan, uint32_t q, struct bo_bit_writer *out,
                                struct bo_error *err)
{
    const uint32_t i = plan->model->first[q], n = n_intervals_of(plan, q);
    const uint32_t n_blocks = (n - 1 + 63) / ASCENDING_BLOCK;
    const struct bo_arena_mark mark = bo_arena_mark(plan->arena);
    struct block *blocks = bo_alloc_array(plan->arena, n_blocks, sizeof *blocks);
    uint64_t place = 0, keys[ASCENDING_BLOCK];
    if (!blocks)
        return bo_fail_alloc(err, plan->arena);
    for (uint32_t b = 0; b < n_blocks; b++) {
        const uint32_t from = i + 1 + b * ASCENDING_BLOCK, left = i + n - from;
        const unsigned m = left < 64 ? left : 64;
        place += b ? blocks[b - 1].nbits : 0;
        blocks[b].codes = plan->codes + from;
        blocks[b].n_keys = blocks[b].n_codes = m;
        blocks[b].code_nbits = plan->code_nbits[plan->class[q]];
        keys_of(plan, from, m, keys);
        lay_out(&blocks[b], keys);
    }
    const unsigned n_nbits = bo_bit_width(n), place_nbits = bo_bit_width(place);
    bo_put_bits(out, plan->class[q], TIME_INDEX_CLASS_FIELD);
    bo_put_bits(out, n_nbits, TIME_INDEX_WIDTH_FIELD);
    bo_put_bits(out, n, n_nbits);
    bo_put_bits(out, place_nbits, TIME_INDEX_WIDTH_FIELD);
    bo_put_bits(out, plan->codes[i], plan->code_nbits[plan->class[q]]);
    place = 0;
    for (uint32_t b = 0; b < n_blocks; b++) {
        keys_of(plan, i + 1 + b * ASCENDING_BLOCK, 1, keys);
        ascending_put_bits(out, keys[0], plan->key_nbits);
        bo_put_bits(out, blocks[b].l, ASCENDING_LOW_FIELD);
        bo_put_bits(out, blocks[b].nulls, TIME_INDEX_NULLS_FIELD);
        bo_put_bits(out, blocks[b].n_local, TIME_INDEX_LOCAL_FIELD);
        ascending_put_bits(out, place, place_nbits);
        place += blocks[b].nbits;
    }
    for (uint32_t b = 0; b < n_blocks; b++) {
        keys_of(plan, i + 1 + b * ASCENDING_BLOCK, blocks[b].n_keys, keys);
        put_block(&blocks[b], keys, out);
    }
    bo_arena_rewind(plan->arena, mark);
    return bo_writer_status(out->out, err);
}

static enum bo_status put_record(const struct plan *plan, uint32_t q, struct bo_bit_writer *out,
                                 struct bo_error *err)
{
    if (n_intervals_of(plan, q) <= TIME_INDEX_MAX_SHAPED) {
        uint64_t keys[ASCENDING_BLOCK];
        struct block block;
        lay_out_small(plan, q, &block, keys);
        const uint32_t number = number_of_shape(plan, shape_of(plan, q, &block));
        if (number) {
            bo_put_bits(out, number, plan->shape_nbits);
            if (block.n_keys)
                ascending_put_bits(out, keys[0], plan->key_nbits);
            put_block(&block, keys, out);
            return bo_writer_status(out->out, err);
        }
    }
    bo_put_bits(out, 0, plan->shape_nbits);
    return put_large(plan, q, out, err);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Sections are written beside the file first: the header stores their lengths. */
static const char *const section_names[] = {"times",  "strings", "values",      "shapes",
                                            "places", "records", "checkpoints", "tree"};

/* How many of the times the table has. */
static uint32_t n_table_times(const struct plan *plan)
{
    return plan->direct ? 0 : plan->n_times;
}

static enum bo_status put_strings(const struct plan *plan, struct bo_writer *out,
                                  struct bo_error *err)
{
    const struct statehist_model *model = plan->model;
    uint64_t *ends = bo_alloc_array(plan->arena, model->n_strings, sizeof *ends), end = 0;
    if (!ends)
        return bo_fail_alloc(err, plan->arena);
    for (uint32_t i = 0; i < model->n_strings; i++) {
        end += model->strings[i].n;
        ends[i] = end + i;
    }
    enum bo_status status = ascending_put(ends, model->n_strings, out, err);
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_bytes(out, model->strings[i].p, model->strings[i].n);
    return status ? status : bo_writer_status(out, err);
}

static enum bo_status put_classes(const struct plan *plan, struct bo_writer *out,
                                  struct bo_error *err)
{
    const uint32_t n_entries = plan->first[plan->n_classes];
    uint64_t *keys = bo_alloc_array(plan->arena, n_entries, sizeof *keys);
    if (!keys)
        return bo_fail_alloc(err, plan->arena);
    for (uint32_t i = 0; i < n_entries; i++)
        keys[i] = plan->entries[i].key;
    for (uint32_t c = 0; c < plan->n_classes; c++) {
        const uint32_t end = plan->first[c + 1];
        uint32_t n[STATEHIST_N_TYPES] = {0};
        for (uint32_t i = plan->first[c]; i < end; i++)
            n[plan->entries[i].type]++;
        for (unsigned t = STATEHIST_NULL + 1; t < STATEHIST_N_TYPES; t++)
            bo_put_uvarint(out, n[t]);
        for (uint32_t i = plan->first[c], t = 1; t < STATEHIST_N_TYPES; i += n[t++]) {
            enum bo_status status = BO_OK;
            if (n[t] && keys[i + n[t] - 1] - keys[i] == n[t] - 1)
                ascending_put_run(keys[i], n[t], out);
            else
                status = ascending_put(keys + i, n[t], out, err);
            if (status)
                return status;
        }
    }
    return bo_writer_status(out, err);
}

static enum bo_status put_records(const struct plan *plan, struct bo_writer *records,
                                  struct bo_writer *places, struct bo_error *err)
{
    const uint32_t n = plan->model->n_quarks;
    uint64_t *at = bo_alloc_array(plan->arena, n, sizeof *at);
    struct bo_bit_writer bits = {.out = records};
    enum bo_status status = BO_OK;
    if (!at)
        return bo_fail_alloc(err, plan->arena);
    for (uint32_t q = 0; q < n && !status; q++) {
        at[q] = 8 * (uint64_t)records->n - (bits.used ? 8 - bits.used : 0);
        status = put_record(plan, q, &bits, err);
    }
    return status ? status : ascending_put(at, n, places, err);
}

/* Checkpoints take at most a tenth of the bytes of everything else. */
static enum bo_status put_checkpoints(const struct plan *plan, struct bo_writer *sections,
                                      struct bo_error *err)
{
    const struct time_index_states states = {.model = plan->model,
                                             .times = plan->times,
                                             .n_times = plan->n_times,
                                             .ranks = plan->ranks,
                                             .codes = plan->codes,
                                             .class = plan->class,
                                             .code_nbits = plan->code_nbits};
    size_t nbytes = 0;
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        nbytes += sections[i].n;
    return time_index_put_checkpoints(&states, nbytes / 10, &sections[TIME_INDEX_CHECKPOINTS], err);
}

static enum bo_status put_sections(const struct plan *plan, struct bo_writer *sections,
                                   struct bo_error *err)
{
    enum bo_status status;
    for (uint32_t i = 0; i < plan->n_shapes; i++)
        bo_put_le32(&sections[TIME_INDEX_SHAPES], plan->shapes[i]);
    if ((status = bo_writer_status(&sections[TIME_INDEX_SHAPES], err)) ||
        (status =
             ascending_put(plan->times, n_table_times(plan), &sections[TIME_INDEX_TIMES], err)) ||
        (status = put_strings(plan, &sections[TIME_INDEX_STRINGS], err)) ||
        (status = put_classes(plan, &sections[TIME_INDEX_CLASSES], err)) ||
        (status =
             put_records(plan, &sections[TIME_INDEX_RECORDS], &sections[TIME_INDEX_PLACES], err)) ||
        (status = statehist_pack_tree(plan->model, &sections[TIME_INDEX_TREE], err)))
        return status;
    return put_checkpoints(plan, sections, err);
}

static void put_file(const struct plan *plan, const struct bo_writer *sections,
                     struct bo_writer *out)
{
    const struct statehist_model *model = plan->model;
    bo_mark(out, "head");
    bo_put_bytes(out, time_index_magic, sizeof time_index_magic);
    bo_put_le64(out, (uint64_t)model->start);
    bo_put_le64(out, (uint64_t)model->end);
    bo_put_u8(out, plan->direct);
    bo_put_uvarint(out, model->n_quarks);
    bo_put_uvarint(out, model->n_intervals);
    bo_put_uvarint(out, n_table_times(plan));
    bo_put_uvarint(out, model->n_strings);
    bo_put_uvarint(out, plan->n_classes);
    bo_put_uvarint(out, plan->n_shapes);
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        bo_put_uvarint(out, sections[i].n);
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++) {
        bo_mark(out, section_names[i]);
        bo_put_bytes(out, sections[i].p, sections[i].n);
    }
    bo_mark(out, "margin");
    bo_put_zeros(out, ASCENDING_MARGIN);
}

enum bo_status time_index_encode(const struct bo_codec *self, const void *opaque,
                                 struct bo_writer *out, struct bo_error *err)
{
    struct plan plan = {.model = opaque, .arena = out->arena};
    struct bo_writer sections[TIME_INDEX_N_SECTIONS];
    enum bo_status status;
    if ((status = plan_times(&plan, err)) || (status = plan_classes(&plan, err)) ||
        (status = plan_values(&plan, err)) || (status = plan_shapes(&plan, err)))
        return status;
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        bo_writer_init(&sections[i], out->arena);
    status = put_sections(&plan, sections, err);
    if (!status)
        put_file(&plan, sections, out);
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        bo_writer_free(&sections[i]);
    return status ? status : bo_writer_status(out, err);
}
