/* Planning slots, and reading them back. */
#include "codecs/lprf/slots.h"

#include "codecs/lprf/index.h"

const uint8_t lprf_ones_then_zeros[2 * LPRF_GROUP_SLOTS] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

/* ---- planning -------------------------------------------------------------------------------- */

/* Groups the functions by name. */
static enum bo_status group_names(const struct lprf_writer *w, struct lprf_slot_plan *plan,
                                  struct bo_error *err)
{
    struct bo_arena *arena = w->out->arena;
    const size_t n = w->model->n_functions;
    plan->names = bo_alloc_array(arena, n, sizeof *plan->names);
    plan->first = bo_alloc_array(arena, n + 1, sizeof *plan->first);
    plan->functions = lprf_sort_functions(w->model, arena);
    if (!plan->names || !plan->functions || !plan->first)
        return bo_fail_alloc(err, arena);
    plan->is_alphabetical = true;
    for (size_t i = 0; i < n; i++) {
        const struct bo_span name = w->model->functions[plan->functions[i]].name;
        plan->is_alphabetical &= plan->functions[i] == i;
        if (plan->n_names && bo_span_equal(name, plan->names[plan->n_names - 1]))
            continue;
        plan->first[plan->n_names] = (uint32_t)i;
        plan->names[plan->n_names++] = name;
    }
    plan->first[plan->n_names] = (uint32_t)n;
    return BO_OK;
}

static uint64_t records_nbytes(const struct lprf_writer *w, const struct lprf_slot_plan *plan,
                               uint32_t name)
{
    uint64_t nbytes = 0;
    for (uint32_t i = plan->first[name]; i < plan->first[name + 1]; i++)
        nbytes += w->coding->record_nbytes(w, plan->functions[i]);
    return nbytes;
}

static uint64_t round_up(uint64_t nbytes, unsigned shift)
{
    return (nbytes + (UINT64_C(1) << shift) - 1) >> shift << shift;
}

/* Computes the place of each slot's records. */
static enum bo_status place_records(const struct lprf_writer *w, struct lprf_slot_plan *plan,
                                    struct bo_error *err)
{
    struct bo_arena *arena = w->out->arena;
    const uint32_t n_slots = plan->hash.n_slots;
    plan->offs = bo_alloc_array(arena, n_slots, sizeof *plan->offs);
    plan->sizes = bo_alloc_array(arena, n_slots, sizeof *plan->sizes);
    plan->shifts = bo_zalloc_array(arena, lprf_n_groups(n_slots), 1);
    if (!plan->offs || !plan->sizes || !plan->shifts)
        return bo_fail_alloc(err, arena);
    uint64_t off = 0;
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        const uint32_t name = plan->name_at[slot];
        uint8_t *shift = &plan->shifts[slot / LPRF_GROUP_SLOTS];
        plan->sizes[slot] = name == LPRF_NO_NAME ? 0 : records_nbytes(w, plan, name);
        while (round_up(plan->sizes[slot], *shift) >> *shift > UINT8_MAX)
            ++*shift;
    }
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        plan->offs[slot] = off;
        off += round_up(plan->sizes[slot], plan->shifts[slot / LPRF_GROUP_SLOTS]);
    }
    return off <= UINT32_MAX
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 4 GiB or more");
}

enum bo_status lprf_plan_slots(const struct lprf_writer *w, unsigned n_per_bucket,
                               struct lprf_slot_plan *plan, struct bo_error *err)
{
    struct bo_arena *arena = w->out->arena;
    uint32_t *slots;
    *plan = (struct lprf_slot_plan){.n_names = 0};
    if (w->model->n_functions >= UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "slots have 2^32 - 1 functions or more");
    enum bo_status status = group_names(w, plan, err);
    if (!status)
        status = lprf_make_perfect_hash(plan->names, plan->n_names, n_per_bucket, arena,
                                        &plan->hash, &slots, err);
    if (status)
        return status;
    plan->name_at = bo_alloc_array(arena, plan->hash.n_slots, sizeof *plan->name_at);
    if (!plan->name_at)
        return bo_fail_alloc(err, arena);
    for (uint32_t slot = 0; slot < plan->hash.n_slots; slot++)
        plan->name_at[slot] = LPRF_NO_NAME;
    for (size_t i = 0; i < plan->n_names; i++)
        plan->name_at[slots[i]] = (uint32_t)i;
    return place_records(w, plan, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

void lprf_put_slots_head(const struct lprf_writer *w, const struct lprf_slot_plan *plan,
                         uint32_t own)
{
    bo_mark(w->out, "header");
    bo_put_le32(w->out, (uint32_t)w->model->n_functions);
    bo_put_le32(w->out, (uint32_t)plan->n_names);
    bo_put_le32(w->out, plan->hash.n_slots);
    bo_put_le32(w->out, plan->hash.n_buckets);
    bo_put_le32(w->out, plan->hash.seed);
    bo_put_le32(w->out, own);
}

void lprf_put_pilots(const struct lprf_writer *w, const struct lprf_slot_plan *plan)
{
    bo_mark(w->out, "pilots");
    bo_put_bytes(w->out, plan->hash.pilots, 2 * (size_t)plan->hash.n_buckets);
}

void lprf_put_cells(const struct lprf_writer *w, const struct lprf_slot_plan *plan, size_t group)
{
    const size_t first = group * LPRF_GROUP_SLOTS;
    bo_mark(w->out, "offsets");
    bo_put_le32(w->out, (uint32_t)plan->offs[first]);
    bo_put_u8(w->out, plan->shifts[group]);
    for (size_t slot = first; slot < first + LPRF_GROUP_SLOTS; slot++) {
        const uint64_t nbytes = slot < plan->hash.n_slots ? plan->sizes[slot] : 0;
        bo_put_u8(w->out, (uint8_t)(round_up(nbytes, plan->shifts[group]) >> plan->shifts[group]));
    }
}

void lprf_put_repeats(const struct lprf_writer *w, const struct lprf_slot_plan *plan)
{
    bo_mark(w->out, "offsets");
    for (uint32_t slot = 0; slot < plan->hash.n_slots; slot++) {
        const uint32_t name = plan->name_at[slot];
        if (name == LPRF_NO_NAME)
            continue;
        uint64_t off = plan->offs[slot];
        for (uint32_t i = plan->first[name]; i + 1 < plan->first[name + 1]; i++) {
            off += w->coding->record_nbytes(w, plan->functions[i]);
            bo_put_le32(w->out, slot);
            bo_put_le32(w->out, (uint32_t)off);
        }
    }
}

enum bo_status lprf_end_slots(struct lprf_writer *w, const struct lprf_slot_plan *plan,
                              struct bo_error *err)
{
    const size_t start = w->out->n;
    for (uint32_t slot = 0; slot < plan->hash.n_slots && !w->out->status; slot++) {
        const uint32_t name = plan->name_at[slot];
        if (name == LPRF_NO_NAME)
            continue;
        bo_mark(w->out, "offsets");
        bo_put_zeros(w->out, start + (size_t)plan->offs[slot] - w->out->n);
        for (uint32_t i = plan->first[name]; i < plan->first[name + 1]; i++)
            w->coding->put_record(w, plan->functions[i]);
    }
    return bo_writer_status(w->out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum bo_status lprf_open_slots_head(const struct lprf_file *file, struct lprf_slots *slots,
                                    size_t *off, struct bo_error *err)
{
    const uint8_t *p = file->in.p + LPRF_HEADER_NBYTES;
    if (file->end_of_index - LPRF_HEADER_NBYTES < LPRF_SLOTS_HEAD_NBYTES)
        return bo_fail(err, BO_TRUNCATED, file->end_of_index, "index ends inside its header");
    *slots = (struct lprf_slots){
        .n_functions = bo_le32(p),
        .n_names = bo_le32(p + 4),
        .hash = {.n_slots = bo_le32(p + 8), .n_buckets = bo_le32(p + 12), .seed = bo_le32(p + 16)},
        .own = bo_le32(p + 20)};
    if (slots->n_names > slots->n_functions)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 4, "more names than functions");
    if (slots->hash.n_slots <= slots->n_names)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 8,
                       "number of slots is not above that of names");
    if (slots->hash.n_buckets == 0)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 12, "number of buckets is 0");
    slots->n_repeats = slots->n_functions - slots->n_names;
    *off = LPRF_HEADER_NBYTES + LPRF_SLOTS_HEAD_NBYTES;
    return BO_OK;
}

const uint8_t *lprf_take_part(const struct lprf_file *file, size_t *off, uint64_t n, size_t size,
                              struct bo_error *err)
{
    const uint8_t *p = file->in.p + *off;
    if (n > (file->end_of_index - *off) / size) {
        bo_fail(err, BO_TRUNCATED, *off, "a part of the index runs past its end");
        return NULL;
    }
    *off += (size_t)n * size;
    return p;
}

/* The first repeat whose (slot, offset) is above the given one. */
static uint32_t first_repeat_above(const struct lprf_slots *slots, uint32_t slot, uint32_t off)
{
    uint32_t low = 0, high = slots->n_repeats;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint8_t *p = slots->repeats + LPRF_REPEAT_NBYTES * (size_t)middle;
        const uint64_t at = (uint64_t)bo_le32(p) << 32 | bo_le32(p + 4);
        if (at <= ((uint64_t)slot << 32 | off))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum bo_status lprf_match_more(const struct lprf_file *file, const struct lprf_slots *slots,
                               struct lprf_match *match, struct bo_error *err)
{
    const uint32_t slot = (uint32_t)match->next;
    const uint32_t i = first_repeat_above(slots, slot, (uint32_t)(match->off - file->records_off));
    const uint8_t *p = slots->repeats + LPRF_REPEAT_NBYTES * (size_t)i;
    if (i == slots->n_repeats || bo_le32(p) != slot) {
        match->off = 0;
        return BO_OK;
    }
    return lprf_match_at(file, bo_le32(p + 4), match, err);
}

enum bo_status lprf_walk_cell(const struct lprf_file *file, const struct lprf_slots *slots,
                              uint32_t slot, bool has_name, struct lprf_cell_walk *walk,
                              uint32_t *n_ret, struct bo_error *err)
{
    const uint8_t *group = lprf_group_of(slots, slot);
    const uint64_t nbytes = lprf_cell_nbytes(group, slot), off = walk->off;
    const size_t at = (size_t)(group - file->in.p);
    *n_ret = 0;
    if (group[4] > 31 || lprf_cell_off(group, slot) != off || off > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, at, "cells do not follow each other");
    if ((nbytes > 0) != has_name)
        return bo_fail(err, BO_CORRUPT, at + 5 + slot % LPRF_GROUP_SLOTS,
                       has_name ? "name without a record" : "record without a name");
    walk->off += nbytes;
    if (nbytes == 0)
        return BO_OK;
    if (off >= file->in.n - file->records_off)
        return bo_fail(err, BO_CORRUPT, at, "index points past the file's end");
    for (uint64_t last = off; walk->repeat < slots->n_repeats; walk->repeat++, ++*n_ret) {
        const uint8_t *p = slots->repeats + LPRF_REPEAT_NBYTES * (size_t)walk->repeat;
        if (bo_le32(p) != slot)
            break;
        if (bo_le32(p + 4) <= last || bo_le32(p + 4) >= walk->off ||
            bo_le32(p + 4) >= file->in.n - file->records_off)
            return bo_fail(err, BO_CORRUPT, (size_t)(p - file->in.p) + 4,
                           "record lies outside its slot");
        last = bo_le32(p + 4);
    }
    return BO_OK;
}

enum bo_status lprf_expect_zeros(const struct lprf_file *file, const uint8_t *p, uint64_t bit,
                                 size_t n, struct bo_error *err)
{
    for (size_t i = (size_t)(bit / 8); i < n; i++)
        if (p[i] >> (i == bit / 8 ? bit % 8 : 0))
            return bo_fail(err, BO_CORRUPT, (uint64_t)(p - file->in.p) + i, "padding is not 0");
    return BO_OK;
}

enum bo_status lprf_end_cells(const struct lprf_file *file, const struct lprf_slots *slots,
                              const struct lprf_cell_walk *walk, struct bo_error *err)
{
    const uint64_t repeats_off = (uint64_t)(slots->repeats - file->in.p);
    const uint64_t records_nbytes = file->in.n - file->records_off;
    const uint32_t n_slots = slots->hash.n_slots;
    const uint8_t *group = lprf_group_of(slots, n_slots - 1);
    if (walk->repeat != slots->n_repeats)
        return bo_fail(err, BO_CORRUPT, repeats_off + LPRF_REPEAT_NBYTES * (uint64_t)walk->repeat,
                       "repeats are not in the order of the slots");
    if (walk->off < records_nbytes || walk->off - records_nbytes > walk->gap)
        return bo_fail(err, BO_CORRUPT, (uint64_t)(group - file->in.p),
                       "cells do not end where the file does");
    if (n_slots % LPRF_GROUP_SLOTS == 0)
        return BO_OK;
    return lprf_expect_zeros(file, group + 5, 8 * (uint64_t)(n_slots % LPRF_GROUP_SLOTS),
                             LPRF_GROUP_SLOTS, err);
}
