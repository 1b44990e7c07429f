/*
 * snapshot-packed: bakeoff's own form of a snapshot, small without a general-purpose
 * compressor: the tree as a stream of bits, which attributes have a value as ascending
 * numbers, and each value as its number among those of its type that occur. It is unpacked when it
 * is opened.
 *
 *   head: "TSP1", i64 time, varints: quarks, attributes with a value, strings; for int, long,
 *     double and bool how many different values there are; bytes of the strings
 *   lists (ascending.h): the quarks with a value; the values of int, long, double and bool, each as
 *     an unsigned number; where string i ends, plus i
 *   the strings' bytes
 *   codes: for each attribute with a value, in order, a number of as many bits as the highest
 *     takes: ints come first, then longs, doubles, strings, bools; zeros up to a whole byte
 *   the tree (tree.h), and 48 bytes of 0 that reading a word may touch
 */
#include <stdlib.h>

#include "codecs/statehist/ascending.h"
#include "codecs/statehist/snapshot/snapshot.h"
#include "codecs/statehist/tree.h"
#include "harness/core/cpu.h"
#include "harness/core/utf8.h"

static const uint8_t magic[4] = {'T', 'S', 'P', '1'};

/* An int or a long as a number that ascends with it; others as they are. */
static uint64_t key_of(uint32_t type, uint64_t value)
{
    return type == STATEHIST_INT    ? (uint32_t)value ^ UINT32_C(1) << 31
           : type == STATEHIST_LONG ? value ^ UINT64_C(1) << 63
                                    : value;
}

static bool value_of(uint32_t type, uint64_t key, uint64_t *value_ret)
{
    *value_ret = type == STATEHIST_INT    ? key - (UINT64_C(1) << 31)
                 : type == STATEHIST_LONG ? key ^ UINT64_C(1) << 63
                                          : key;
    return type == STATEHIST_INT ? key <= UINT32_MAX : type != STATEHIST_BOOL || key < 2;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* What occurs, by type: ascending keys, of strings their ends. */
struct plan {
    const struct statehist_model *model;
    uint64_t *valued; /* quarks */
    uint32_t n_valued;
    uint64_t *keys[STATEHIST_N_TYPES];
    uint32_t n[STATEHIST_N_TYPES], first[STATEHIST_N_TYPES]; /* first: the code of the first */
    uint32_t n_codes;
    uint64_t string_nbytes;
};

static bool make_plan(struct plan *p, struct bo_arena *arena)
{
    const struct statehist_model *model = p->model;
    p->valued = bo_alloc_array(arena, model->n_quarks, sizeof *p->valued);
    if (!p->valued)
        return false;
    for (unsigned type = STATEHIST_INT; type < STATEHIST_N_TYPES; type++) {
        const size_t cap = type == STATEHIST_STRING ? model->n_strings : model->n_quarks;
        uint64_t *keys = bo_alloc_array(arena, cap, sizeof *keys);
        uint32_t n = 0, n_distinct = 0;
        if (!keys)
            return false;
        if (type == STATEHIST_STRING)
            for (; n < model->n_strings; n++)
                keys[n] = (p->string_nbytes += model->strings[n].n) + n;
        for (uint32_t q = 0; q < model->n_quarks && type != STATEHIST_STRING; q++)
            if (model->intervals[q].type == type)
                keys[n++] = key_of(type, model->intervals[q].value);
        if (n)
            qsort(keys, n, sizeof *keys, compare_keys);
        for (uint32_t i = 0; i < n; i++)
            if (i == 0 || keys[i] != keys[n_distinct - 1])
                keys[n_distinct++] = keys[i];
        p->keys[type] = keys;
        p->n[type] = n_distinct;
        p->first[type] = p->n_codes;
        p->n_codes += n_distinct;
    }
    for (uint32_t q = 0; q < model->n_quarks; q++)
        if (model->intervals[q].type != STATEHIST_NULL)
            p->valued[p->n_valued++] = q;
    return true;
}

static uint32_t code_of(const struct plan *p, const struct statehist_interval *at)
{
    if (at->type == STATEHIST_STRING)
        return p->first[at->type] + (uint32_t)at->value;
    const uint64_t key = key_of(at->type, at->value);
    const uint64_t *keys = p->keys[at->type];
    uint32_t low = 0;
    for (uint32_t n = p->n[at->type]; n > 1;) {
        const uint32_t half = n / 2;
        low = keys[low + half] <= key ? low + half : low;
        n -= half;
    }
    return p->first[at->type] + low;
}

static enum bo_status put_plan(const struct plan *p, struct bo_writer *out, struct bo_error *err)
{
    const struct statehist_model *model = p->model;
    bo_mark(out, "head");
    bo_put_bytes(out, magic, sizeof magic);
    bo_put_le64(out, (uint64_t)model->start);
    bo_put_uvarint(out, model->n_quarks);
    bo_put_uvarint(out, p->n_valued);
    for (unsigned type = STATEHIST_INT; type < STATEHIST_N_TYPES; type++)
        bo_put_uvarint(out, p->n[type]);
    bo_put_uvarint(out, p->string_nbytes);
    bo_mark(out, "which");
    enum bo_status status = ascending_put(p->valued, p->n_valued, out, err);
    bo_mark(out, "values");
    for (unsigned type = STATEHIST_INT; type < STATEHIST_N_TYPES && !status; type++)
        status = ascending_put(p->keys[type], p->n[type], out, err);
    for (uint32_t i = 0; i < model->n_strings; i++)
        bo_put_bytes(out, model->strings[i].p, model->strings[i].n);
    bo_mark(out, "codes");
    struct bo_bit_writer bits = {.out = out};
    const unsigned nbits = bo_bit_width(p->n_codes ? p->n_codes - 1 : 0);
    for (uint32_t i = 0; i < p->n_valued; i++)
        bo_put_bits(&bits, code_of(p, &model->intervals[p->valued[i]]), nbits);
    bo_mark(out, "tree");
    return status ? status : statehist_pack_tree(model, out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    struct plan plan = {.model = opaque};
    enum bo_status status = statehist_expect_snapshot(plan.model, err);
    if (status)
        return status;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    if (!make_plan(&plan, out->arena))
        return bo_fail_alloc(err, out->arena);
    status = put_plan(&plan, out, err);
    bo_arena_rewind(out->arena, mark);
    if (status)
        return status;
    bo_mark(out, "margin");
    bo_put_zeros(out, ASCENDING_MARGIN);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A snapshot that is being read. */
struct unpacking {
    struct bo_arena *arena;
    struct bo_cursor c;
    struct statehist_instant *snapshot;
    uint32_t n_valued, n[STATEHIST_N_TYPES], n_codes;
    uint64_t string_nbytes;
    uint64_t *valued;
    struct statehist_instant_value *values; /* by code */
    struct statehist_builder builder;       /* for the tree */
};

static enum bo_status read_head(struct unpacking *u, struct bo_error *err)
{
    const uint8_t *p;
    uint64_t time, n_codes = 0;
    if (!bo_get_bytes(&u->c, sizeof magic, &p) || !bo_get_le64(&u->c, &time))
        return bo_fail_here(err, BO_TRUNCATED, &u->c, "file ends inside the head");
    if (memcmp(p, magic, sizeof magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of snapshot-packed");
    u->snapshot->time = (int64_t)time;
    enum bo_status status = bo_get_uvarint32(&u->c, &u->snapshot->n_quarks, err);
    if (!status)
        status = bo_get_uvarint32(&u->c, &u->n_valued, err);
    for (unsigned type = STATEHIST_INT; type < STATEHIST_N_TYPES && !status; type++) {
        status = bo_get_uvarint32(&u->c, &u->n[type], err);
        n_codes += u->n[type];
    }
    if (!status)
        status = bo_get_uvarint64(&u->c, &u->string_nbytes, err);
    if (status)
        return status;
    /* Each number of a list, and each attribute of the tree, takes a bit or more. */
    if (u->n_valued > u->snapshot->n_quarks || n_codes > u->n_valued ||
        u->snapshot->n_quarks > 8 * (uint64_t)u->c.n || u->string_nbytes > u->c.n)
        return bo_fail_here(err, BO_CORRUPT, &u->c, "counts contradict each other");
    u->n_codes = (uint32_t)n_codes;
    return BO_OK;
}

/* A list of n numbers, each above the one before and up to `max`. */
static enum bo_status read_list(struct unpacking *u, uint32_t n, uint64_t max,
                                uint64_t **numbers_ret, struct bo_error *err)
{
    struct ascending_list list;
    struct ascending_block block;
    const uint64_t off = u->c.off;
    const enum bo_status status = ascending_open(&u->c, n, &list, err);
    if (status)
        return status;
    uint64_t *numbers = bo_alloc_array(u->arena, (size_t)n + ASCENDING_BLOCK, sizeof *numbers);
    if (!numbers)
        return bo_fail_alloc(err, u->arena);
    if (n == 1)
        numbers[0] = list.first;
    for (uint32_t b = 0; b < list.n_blocks && n > 1; b++)
        if (!ascending_list_block(&list, b, &block) ||
            !ascending_block_all(&block, numbers + (size_t)b * ASCENDING_BLOCK))
            return bo_fail(err, BO_CORRUPT, off, "list has a block past its end");
    for (uint32_t i = 0; i < n; i++)
        if (numbers[i] > max || (i && numbers[i] <= numbers[i - 1]))
            return bo_fail(err, BO_CORRUPT, off, "list does not ascend, or exceeds its maximum");
    const enum bo_status as_written = ascending_expect(&list, numbers, u->arena, off, err);
    if (as_written)
        return as_written;
    *numbers_ret = numbers;
    return BO_OK;
}

static enum bo_status read_strings(struct unpacking *u, const uint64_t *ends,
                                   struct statehist_instant_value *values, struct bo_error *err)
{
    const uint32_t n = u->n[STATEHIST_STRING];
    const uint64_t off = u->c.off;
    const uint8_t *p;
    if (!bo_get_bytes(&u->c, (size_t)u->string_nbytes, &p))
        return bo_fail_here(err, BO_TRUNCATED, &u->c, "file ends inside the strings");
    uint64_t start = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t end = ends[i] - i;
        values[i].string = (struct bo_span){p + start, (size_t)(end - start)};
        values[i].value = statehist_hash(values[i].string);
        start = end;
    }
    return start == u->string_nbytes ? BO_OK
                                     : bo_fail(err, BO_CORRUPT, off, "bytes after the last string");
}

static enum bo_status read_values(struct unpacking *u, struct bo_error *err)
{
    uint64_t *keys, *ends = NULL;
    struct statehist_instant_value *at, *strings = NULL;
    u->values = bo_zalloc_array(u->arena, u->n_codes, sizeof *u->values);
    if (!u->values)
        return bo_fail_alloc(err, u->arena);
    at = u->values;
    for (uint32_t type = STATEHIST_INT; type < STATEHIST_N_TYPES; type++) {
        const uint64_t off = u->c.off;
        const enum bo_status status = read_list(
            u, u->n[type], type == STATEHIST_STRING ? u->string_nbytes + u->n[type] : UINT64_MAX,
            &keys, err);
        if (status)
            return status;
        if (type == STATEHIST_STRING) {
            strings = at;
            ends = keys;
        }
        for (uint32_t i = 0; i < u->n[type]; i++, at++) {
            at->type = type;
            if (type != STATEHIST_STRING && !value_of(type, keys[i], &at->value))
                return bo_fail(err, BO_CORRUPT, off, "value does not fit its type");
        }
    }
    return read_strings(u, ends, strings, err);
}

/* Strings are numbered in the order of first use, and all values are used. */
static enum bo_status read_codes(struct unpacking *u, struct bo_error *err)
{
    const unsigned nbits = bo_bit_width(u->n_codes ? u->n_codes - 1 : 0);
    const uint64_t off = u->c.off;
    const uint8_t *p;
    struct statehist_instant *s = u->snapshot;
    bool *used = bo_zalloc_array(u->arena, u->n_codes, sizeof *used);
    uint32_t n_used = 0, code = 0, rest = 0;
    s->values = bo_zalloc_array(u->arena, s->n_quarks, sizeof *s->values);
    if (!used || !s->values)
        return bo_fail_alloc(err, u->arena);
    const uint64_t nbytes = ((uint64_t)u->n_valued * nbits + 7) / 8;
    if (nbytes > bo_left(&u->c) || !bo_get_bytes(&u->c, (size_t)nbytes, &p))
        return bo_fail_here(err, BO_TRUNCATED, &u->c, "file ends inside the codes");
    struct bo_bit_cursor bits = {.in = {p, (size_t)nbytes}};
    for (uint32_t i = 0; i < u->n_valued; i++) {
        (void)bo_get_bits(&bits, nbits, &code);
        if (code >= u->n_codes)
            return bo_fail(err, BO_CORRUPT, off, "value code is out of range");
        if (u->values[code].type == STATEHIST_STRING && !used[code] && code &&
            u->values[code - 1].type == STATEHIST_STRING && !used[code - 1])
            return bo_fail(err, BO_CORRUPT, off, "strings are not in the order of their first use");
        n_used += !used[code];
        used[code] = true;
        s->values[u->valued[i]] = u->values[code];
    }
    (void)bo_get_bits(&bits, (unsigned)(8 * nbytes - bits.bit), &rest);
    if (rest || n_used != u->n_codes)
        return bo_fail(err, BO_CORRUPT, off,
                       rest ? "bits after the codes are not 0" : "a value has no attribute");
    return BO_OK;
}

static enum bo_status read_tree(struct unpacking *u, struct bo_error *err)
{
    struct bo_cursor tree = u->c;
    if (bo_left(&tree) < ASCENDING_MARGIN)
        return bo_fail_here(err, BO_TRUNCATED, &tree, "file ends inside the margin");
    tree.n -= ASCENDING_MARGIN;
    for (size_t i = tree.n; i < u->c.n; i++)
        if (u->c.p[i])
            return bo_fail(err, BO_CORRUPT, i, "margin is not 0");
    if (!statehist_builder_init(&u->builder, true, u->arena))
        return bo_fail_alloc(err, u->arena);
    const enum bo_status status =
        statehist_unpack_tree(tree, u->snapshot->n_quarks, &u->builder, err);
    if (status)
        return status;
    uint32_t quark;
    const char *flaw =
        statehist_tree_flaw(u->builder.attributes, u->snapshot->n_quarks, u->arena, &quark);
    if (flaw == statehist_no_memory)
        return bo_fail_alloc(err, u->arena);
    if (flaw)
        return bo_fail(err, BO_CORRUPT, tree.off, flaw);
    u->snapshot->attributes = u->builder.attributes;
    return BO_OK;
}

static enum bo_status check_strings(const struct unpacking *u, uint64_t off, struct bo_error *err)
{
    struct bo_texts set;
    uint32_t number, n = 0;
    if (!bo_texts_init(&set, false, u->arena))
        return bo_fail_alloc(err, u->arena);
    for (uint32_t i = 0; i < u->n_codes; i++) {
        if (u->values[i].type != STATEHIST_STRING)
            continue;
        if (!bo_is_utf8(u->values[i].string))
            return bo_fail(err, BO_CORRUPT, off, "string is not UTF-8");
        if (!bo_texts_add(&set, u->values[i].string, &number))
            return bo_fail_alloc(err, u->arena);
        if (number != n++)
            return bo_fail(err, BO_CORRUPT, off, "duplicate string");
    }
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct unpacking u = {.arena = arena, .c = bo_cursor(in)};
    u.snapshot = bo_zalloc_array(arena, 1, sizeof *u.snapshot);
    if (!u.snapshot)
        return bo_fail_alloc(err, arena);
    *reader_ret = u.snapshot;
    if (in.n < ASCENDING_MARGIN)
        return bo_fail(err, BO_TRUNCATED, in.n, "file ends inside the margin");
    u.c.n -= ASCENDING_MARGIN; /* lists end before it */
    enum bo_status status = read_head(&u, err);
    if (!status)
        status = read_list(&u, u.n_valued, u.snapshot->n_quarks - UINT64_C(1), &u.valued, err);
    const uint64_t values_off = u.c.off;
    if (!status)
        status = read_values(&u, err);
    if (!status)
        status = check_strings(&u, values_off, err);
    if (!status)
        status = read_codes(&u, err);
    u.c.n += ASCENDING_MARGIN;
    return status ? status : read_tree(&u, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader = NULL;
    const enum bo_status status = open(self, in, arena, &reader, err);
    return status ? status : statehist_instant_model(reader, arena, model_ret, err);
}

const struct bo_codec statehist_snapshot_packed = {
    .name = "snapshot-packed",
    .summary =
        "a snapshot: which attributes have a value, codes of those that occur, the tree in bits",
    .spec = "codecs/statehist/README.md#snapshot-packed",
    .role = BO_NEW,
    .access = BO_WHOLE,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .paths = BO_PATH_V3,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = statehist_query_instant,
};
