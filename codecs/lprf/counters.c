/* Writing the codings of counters; their layouts and their readers are in counters.h. */
#include "codecs/lprf/counters.h"

#include "codecs/lprf/file.h"

static size_t nothing_shared(const struct lprf_writer *w)
{
    return 0;
}

static void put_nothing(struct lprf_writer *w)
{
}

static size_t varints_nbytes(const uint64_t *values, size_t n)
{
    size_t nbytes = 0;
    for (size_t i = 0; i < n; i++)
        nbytes += bo_uvarint_nbytes(values[i]);
    return nbytes;
}

/* ---- u64 ------------------------------------------------------------------------------------- */

static size_t u64_nbytes(const struct lprf_writer *w, size_t function)
{
    return 16 + 8 * w->model->functions[function].n_counters;
}

static void u64_put(struct lprf_writer *w, size_t function)
{
    const struct lprf_function *f = &w->model->functions[function];
    bo_mark(w->out, "hashes");
    bo_put_le64(w->out, f->hash);
    bo_mark(w->out, "counters");
    bo_put_le64(w->out, f->n_counters);
    for (size_t i = 0; i < f->n_counters; i++)
        bo_put_le64(w->out, f->counters[i]);
}

const struct lprf_coding lprf_u64 = {
    .name = "u64",
    .number = 0,
    .shared_nbytes = nothing_shared,
    .put_shared = put_nothing,
    .record_nbytes = u64_nbytes,
    .put_record = u64_put,
};

/* ---- varint ---------------------------------------------------------------------------------- */

static size_t varint_nbytes(const struct lprf_writer *w, size_t function)
{
    const struct lprf_function *f = &w->model->functions[function];
    return 8 + bo_uvarint_nbytes(f->n_counters) + varints_nbytes(f->counters, f->n_counters);
}

static void varint_put(struct lprf_writer *w, size_t function)
{
    const struct lprf_function *f = &w->model->functions[function];
    bo_mark(w->out, "hashes");
    bo_put_le64(w->out, f->hash);
    bo_mark(w->out, "counters");
    bo_put_uvarint(w->out, f->n_counters);
    for (size_t i = 0; i < f->n_counters; i++)
        bo_put_uvarint(w->out, f->counters[i]);
}

const struct lprf_coding lprf_varint = {
    .name = "varint",
    .number = 1,
    .shared_nbytes = nothing_shared,
    .put_shared = put_nothing,
    .record_nbytes = varint_nbytes,
    .put_record = varint_put,
};

/* ---- packed ---------------------------------------------------------------------------------- */

/* A distinct pair of hash and number of counters (0 where that does not fit a byte). */
struct pair {
    uint64_t hash;
    uint32_t n_functions; /* that have it; 0: an empty slot */
    uint32_t entry;       /* its place in the file's table */
    uint8_t number;
};

struct packed_state {
    struct pair *slots; /* by hash, open addressing */
    size_t mask;
    uint64_t seed; /* of the hash: unpredictable, so no document can have pairs that all collide */
    struct pair **pairs; /* in the order of the table */
    uint32_t n_pairs;
};

static uint8_t number_of(const struct lprf_function *f)
{
    return f->n_counters <= UINT8_MAX ? (uint8_t)f->n_counters : 0;
}

static struct pair *find_pair(const struct packed_state *state, const struct lprf_function *f)
{
    const uint8_t number = number_of(f);
    size_t i = (size_t)bo_mix64((f->hash ^ state->seed) + number) & state->mask;
    while (state->slots[i].n_functions &&
           (state->slots[i].hash != f->hash || state->slots[i].number != number))
        i = (i + 1) & state->mask;
    return &state->slots[i];
}

static bool key_before(const struct pair *a, const struct pair *b)
{
    return a->hash != b->hash ? a->hash < b->hash : a->number < b->number;
}

/* The more frequent pairs first; then by hash and number, so that the order is unique. */
static bool goes_before(const struct pair *a, const struct pair *b)
{
    if (a->n_functions != b->n_functions)
        return a->n_functions > b->n_functions;
    return key_before(a, b);
}

/* Merge sort of n pairs; `scratch` has room for n pairs. */
static void sort_pairs(struct pair **pairs, size_t n, struct pair **scratch,
                       bool (*before)(const struct pair *, const struct pair *))
{
    if (n < 2)
        return;
    const size_t half = n / 2;
    sort_pairs(pairs, half, scratch, before);
    sort_pairs(pairs + half, n - half, scratch, before);
    memcpy(scratch, pairs, half * sizeof *pairs);
    for (size_t i = 0, j = half, k = 0; i < half; k++)
        pairs[k] = j < n && before(pairs[j], scratch[i]) ? pairs[j++] : scratch[i++];
}

static enum bo_status packed_prepare(struct lprf_writer *w, struct bo_error *err)
{
    const size_t n = w->model->n_functions;
    struct bo_arena *arena = w->out->arena;
    size_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    struct packed_state *state = bo_alloc(arena, sizeof *state);
    struct pair *slots = bo_zalloc_array(arena, n_slots, sizeof *slots);
    if (!state || !slots)
        return bo_fail_alloc(err, arena);
    *state = (struct packed_state){
        .slots = slots, .mask = n_slots - 1, .seed = bo_mix64((uintptr_t)slots)};
    for (size_t f = 0; f < n; f++) {
        struct pair *pair = find_pair(state, &w->model->functions[f]);
        if (pair->n_functions++ == 0) {
            pair->hash = w->model->functions[f].hash;
            pair->number = number_of(&w->model->functions[f]);
            state->n_pairs++;
        }
    }
    state->pairs = bo_alloc_array(arena, 2 * (size_t)state->n_pairs, sizeof *state->pairs);
    if (!state->pairs)
        return bo_fail_alloc(err, arena);
    uint32_t n_found = 0;
    for (size_t i = 0; i < n_slots; i++)
        if (slots[i].n_functions)
            state->pairs[n_found++] = &slots[i];
    sort_pairs(state->pairs, n_found, state->pairs + n_found, goes_before);
    for (uint32_t i = 0; i < n_found; i++)
        state->pairs[i]->entry = i;
    w->coding_state = state;
    return BO_OK;
}

static size_t packed_shared_nbytes(const struct lprf_writer *w)
{
    const struct packed_state *state = w->coding_state;
    return 4 + 9 * (size_t)state->n_pairs;
}

static void packed_put_shared(struct lprf_writer *w)
{
    const struct packed_state *state = w->coding_state;
    bo_mark(w->out, "hashes");
    bo_put_le32(w->out, state->n_pairs);
    for (uint32_t i = 0; i < state->n_pairs; i++)
        bo_put_le64(w->out, state->pairs[i]->hash);
    for (uint32_t i = 0; i < state->n_pairs; i++)
        bo_put_u8(w->out, state->pairs[i]->number);
}

static size_t packed_nbytes(const struct lprf_writer *w, size_t function)
{
    const struct lprf_function *f = &w->model->functions[function];
    size_t nbytes = bo_uvarint_nbytes(find_pair(w->coding_state, f)->entry);
    if (number_of(f) == 0)
        nbytes += bo_uvarint_nbytes(f->n_counters);
    if (f->n_counters == 1)
        return nbytes + bo_uvarint_nbytes(f->counters[0]);
    nbytes += (f->n_counters + 7) / 8;
    for (size_t i = 0; i < f->n_counters; i++)
        nbytes += f->counters[i] ? bo_uvarint_nbytes(f->counters[i]) : 0;
    return nbytes;
}

static void packed_put(struct lprf_writer *w, size_t function)
{
    const struct lprf_function *f = &w->model->functions[function];
    const size_t n = f->n_counters;
    bo_mark(w->out, "hashes");
    bo_put_uvarint(w->out, find_pair(w->coding_state, f)->entry);
    bo_mark(w->out, "counters");
    if (number_of(f) == 0)
        bo_put_uvarint(w->out, n);
    if (n == 1) {
        bo_put_uvarint(w->out, f->counters[0]);
        return;
    }
    uint8_t *bitmap = bo_put_space(w->out, (n + 7) / 8);
    if (!bitmap)
        return;
    memset(bitmap, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; i++)
        bitmap[i / 8] |= (uint8_t)((f->counters[i] != 0) << i % 8);
    for (size_t i = 0; i < n; i++)
        if (f->counters[i])
            bo_put_uvarint(w->out, f->counters[i]);
}

const struct lprf_coding lprf_packed = {
    .name = "packed",
    .number = 2,
    .prepare = packed_prepare,
    .shared_nbytes = packed_shared_nbytes,
    .put_shared = packed_put_shared,
    .record_nbytes = packed_nbytes,
    .put_record = packed_put,
};

/* Checks that no two of the n pairs are the same; pairs[] has room for 2 n and changes. */
static enum bo_status check_distinct(const struct lprf_file *file, struct pair **pairs, uint32_t n,
                                     struct bo_error *err)
{
    sort_pairs(pairs, n, pairs + n, key_before);
    for (uint32_t i = 1; i < n; i++)
        if (!key_before(pairs[i - 1], pairs[i]))
            return bo_fail(err, BO_CORRUPT,
                           (uint64_t)(file->table.hashes - file->in.p) +
                               8 * (uint64_t)pairs[i]->entry,
                           "entry of the hash table occurs twice");
    return BO_OK;
}

enum bo_status lprf_packed_check_shared(const struct lprf_file *file,
                                        const struct lprf_entries *entries, struct bo_error *err)
{
    const struct lprf_hash_table *table = &file->table;
    struct pair *pairs = bo_zalloc_array(file->arena, table->n, sizeof *pairs);
    struct pair **order = bo_alloc_array(file->arena, 2 * (size_t)table->n, sizeof *order);
    if (!pairs || !order)
        return bo_fail_alloc(err, file->arena);
    for (size_t i = 0; i < entries->n; i++) {
        size_t off = entries->p[i].off;
        uint64_t entry;
        const enum bo_status status = lprf_read_varint(file->in, &off, &entry, err);
        if (status)
            return status;
        pairs[entry].n_functions++;
    }
    for (uint32_t i = 0; i < table->n; i++) {
        const uint64_t off = (uint64_t)(table->hashes - file->in.p) + 8 * (uint64_t)i;
        pairs[i].hash = bo_le64(table->hashes + 8 * (size_t)i);
        pairs[i].number = table->numbers[i];
        pairs[i].entry = i;
        order[i] = &pairs[i];
        if (pairs[i].n_functions == 0)
            return bo_fail(err, BO_CORRUPT, off, "entry of the hash table has no record");
        if (i && !goes_before(&pairs[i - 1], &pairs[i]))
            return bo_fail(err, BO_CORRUPT, off, "entries of the hash table are not in order");
    }
    return check_distinct(file, order, table->n, err);
}
