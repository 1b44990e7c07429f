/* Random records: new ones, small changes, and large models that resemble a document. */
#include "harness/names/name_source.h"
#include "harness/records.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* A number from 0 to max: all magnitudes equally likely, or uniform for a uniform field. */
static uint64_t draw_unsigned(struct bo_random *random, uint64_t max, bool uniform)
{
    unsigned n_bits = 64 - (max ? (unsigned)__builtin_clzll(max) : 63);
    if (!uniform)
        n_bits = bo_random_below(random, n_bits + 1);
    if (!n_bits)
        return 0;
    const uint64_t v = bo_random_bits(random, (n_bits + 7) / 8) & UINT64_MAX >> (64 - n_bits);
    return v > max ? v % (max + 1) : v;
}

/* A limit, or a number next to it. */
static uint64_t draw_extreme(const struct bo_field *field, struct bo_random *random)
{
    const uint64_t beside = bo_random_below(random, 2), most = bo_field_max(field);
    if (field->form == BO_SIGNED) {
        const uint64_t least = UINT64_C(1) << (8 * field->nbytes - 1);
        return bo_random_below(random, 2) ? least + beside : least - 1 - beside;
    }
    return bo_random_below(random, 2) ? most - (most ? beside : 0) : most ? beside : 0;
}

static bool draw_name(const struct bo_shape *shape, struct bo_random *random, struct bo_span before,
                      struct bo_arena *arena, struct bo_span *name_ret)
{
    static const char *const texts[] = {"main", "\\e", "-", "#", " ", "0", "a b"};
    struct bo_draft draft;
    draft.n = 0;
    const uint32_t kind = bo_random_below(random, 8);
    if (shape->text == BO_LINES && bo_random_one_in(random, bo_random_strangeness(random)))
        bo_draft_strange_name(&draft, random, before, texts, sizeof texts / sizeof *texts);
    else if (kind < 3)
        bo_draft_identifier(&draft, random, true);
    else if (kind < 6 || shape->text == BO_JSON) /* a name cut anywhere may be invalid UTF-8 */
        bo_draft_cxx_name(&draft, random);
    else
        bo_draft_related_name(&draft, random, before);
    uint8_t *p = bo_alloc(arena, draft.n);
    if (p)
        memcpy(p, draft.p, draft.n);
    *name_ret = (struct bo_span){p, draft.n};
    return p != NULL;
}

static struct bo_span *name_of(const struct bo_field *field, void *record)
{
    return (struct bo_span *)(void *)((uint8_t *)record + field->off);
}

static bool draw_field(const struct bo_shape *shape, const struct bo_field *field,
                       struct bo_random *random, bool extreme, const struct bo_span *name_before,
                       struct bo_arena *arena, void *record)
{
    if (field->form == BO_NAME)
        return draw_name(shape, random, *name_before, arena, name_of(field, record));
    uint64_t v;
    if (field->optional && bo_random_below(random, 4) == 3)
        v = bo_field_none(field);
    else if (extreme)
        v = draw_extreme(field, random);
    else if (field->form == BO_SIGNED)
        v = (uint64_t)bo_unzigzag64(draw_unsigned(random, bo_field_none(field), field->uniform));
    else
        v = draw_unsigned(random, bo_field_max(field), field->uniform);
    bo_field_set_number(field, record, v);
    return true;
}

/* Computes the end of an interval; it was drawn as a length. */
static void end_interval(const struct bo_shape *shape, void *record)
{
    if (shape->order != BO_INTERVALS)
        return;
    const uint64_t start = bo_field_number(&shape->fields[0], record);
    const uint64_t length = bo_field_number(&shape->fields[1], record);
    const uint64_t most = bo_field_max(&shape->fields[1]);
    bo_field_set_number(&shape->fields[1], record,
                        length && start < most && length < most - start ? start + length : most);
}

static bool draw_record(const struct bo_shape *shape, struct bo_random *random, bool extreme,
                        const struct bo_span *name_before, struct bo_arena *arena, void *record)
{
    memset(record, 0, shape->record_nbytes);
    for (unsigned f = 0; f < shape->n_fields; f++)
        if (!draw_field(shape, &shape->fields[f], random, extreme, name_before, arena, record))
            return false;
    end_interval(shape, record);
    return true;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* A model with room for n records, still empty. NULL when the arena refuses. */
static struct bo_records *new_records(const struct bo_shape *shape, size_t n,
                                      struct bo_arena *arena)
{
    struct bo_records *records = bo_alloc(arena, sizeof *records);
    if (!records)
        return NULL;
    *records = (struct bo_records){bo_zalloc_array(arena, n, shape->record_nbytes), 0};
    return records->items ? records : NULL;
}

enum bo_status bo_records_generate(const struct bo_shape *shape, struct bo_random *random,
                                   size_t scale, struct bo_arena *arena, void **model_ret,
                                   struct bo_error *err)
{
    struct bo_random aside;
    const bool extreme = bo_random_extreme(random, &aside);
    const struct bo_field *last = &shape->fields[shape->n_fields - 1];
    struct bo_records *records = new_records(shape, scale, arena);
    struct bo_span name_before = {(const uint8_t *)"", 0};
    if (!records)
        return bo_fail_alloc(err, arena);
    /* For a fuzzer's bytes, the model ends at a zero or at the end of the bytes. */
    while (records->n < scale && !bo_random_exhausted(random) &&
           (!random->entropy.p || bo_random_u8(random))) {
        void *record = bo_record(shape, records, records->n);
        if (!draw_record(shape, random, extreme && bo_random_below(&aside, 2), &name_before, arena,
                         record))
            return bo_fail_alloc(err, arena);
        if (last->form == BO_NAME)
            name_before = *name_of(last, record);
        records->n++;
    }
    if (!bo_records_settle(shape, records, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = records;
    return BO_OK;
}

enum bo_status bo_records_mutate(const struct bo_shape *shape, const void *model,
                                 struct bo_random *random, struct bo_arena *arena, void **model_ret,
                                 struct bo_error *err)
{
    const struct bo_records *old = model;
    struct bo_records *records = new_records(shape, old->n + 1, arena);
    struct bo_span name_before = {(const uint8_t *)"", 0};
    if (!records)
        return bo_fail_alloc(err, arena);
    records->n = old->n;
    memcpy(records->items, old->items ? old->items : records->items, old->n * shape->record_nbytes);
    const size_t i = old->n ? bo_random_index(random, old->n) : 0;
    void *record = bo_record(shape, records, i), *added = bo_record(shape, records, old->n);
    const uint32_t change = old->n ? bo_random_below(random, 8) : 0;
    bool ok = true;
    if (change < 2) { /* adds a new record */
        ok = draw_record(shape, random, false, &name_before, arena, added);
        records->n++;
    } else if (change == 2) { /* adds a record next to a similar one */
        memcpy(added, record, shape->record_nbytes);
        const struct bo_field *first = &shape->fields[0];
        if (first->form != BO_NAME && bo_field_number(first, added) < bo_field_max(first))
            bo_field_set_number(first, added, bo_field_number(first, added) + 1);
        records->n++;
    } else if (change == 3) { /* removes a record */
        memmove(record, bo_record(shape, records, i + 1), (old->n - i - 1) * shape->record_nbytes);
        records->n--;
    } else { /* changes a value */
        const struct bo_field *field = &shape->fields[bo_random_below(random, shape->n_fields)];
        const bool extreme = change == 4;
        ok = draw_field(shape, field, random, extreme, &name_before, arena, record);
        if (shape->order == BO_INTERVALS && field == &shape->fields[1])
            end_interval(shape, record);
    }
    if (!ok || !bo_records_settle(shape, records, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = records;
    return BO_OK;
}

/* ---- large models that resemble a document --------------------------------------------------- */

/* The first field, mapped so that keys compare as unsigned numbers. */
static uint64_t key_at(const struct bo_shape *shape, const void *record)
{
    const struct bo_field *first = &shape->fields[0];
    const uint64_t sign = first->form == BO_SIGNED ? UINT64_C(1) << (8 * first->nbytes - 1) : 0;
    return (bo_field_number(first, record) + sign) & bo_field_none(first);
}

/*
 * Makes the record after `before`, like the i-th of a document. False when a number would overflow.
 */
static bool place_like(const struct bo_shape *shape, const struct bo_records *like, size_t i,
                       const void *before, void *record)
{
    const struct bo_field *first = &shape->fields[0], *second = &shape->fields[1];
    memcpy(record, bo_record(shape, like, i), shape->record_nbytes);
    if (!before)
        return true;
    const uint64_t most = first->form == BO_SIGNED ? bo_field_none(first) : bo_field_max(first);
    const uint64_t old = key_at(shape, record);
    uint64_t start = key_at(shape, before), length = 0;
    const uint64_t step = i ? old - key_at(shape, bo_record(shape, like, i - 1)) : 1;
    if (most - start < step)
        return false;
    start += step;
    if (shape->order == BO_INTERVALS) {
        /* The previous interval may be longer than the step. */
        const uint64_t end = bo_field_number(second, before);
        length = bo_field_number(second, record) - old;
        start = start < end ? end : start;
        if (start >= most || bo_field_max(second) - start < length)
            return false;
        bo_field_set_number(second, record, start + length);
    }
    bo_field_set_number(first, record, bo_field_number(first, record) + (start - old));
    return true;
}

enum bo_status bo_records_resample(const struct bo_shape *shape, const void *like, size_t n_units,
                                   struct bo_random *random, struct bo_arena *arena,
                                   void **model_ret, struct bo_error *err)
{
    const struct bo_records *from = like;
    const struct bo_field *first = &shape->fields[0];
    struct bo_records *records = new_records(shape, n_units, arena);
    if (!records)
        return bo_fail_alloc(err, arena);
    const bool in_steps = shape->order != BO_ANY_ORDER && !first->uniform;
    while (from->n && records->n < n_units) {
        const size_t i = bo_random_index(random, from->n), n = records->n;
        const void *before = n && in_steps ? bo_record(shape, records, n - 1) : NULL;
        void *record = bo_record(shape, records, n);
        if (!place_like(shape, from, i, before, record))
            break;
        if (first->uniform)
            bo_field_set_number(first, record, draw_unsigned(random, bo_field_max(first), true));
        records->n++;
    }
    if (!bo_records_settle(shape, records, arena))
        return bo_fail_alloc(err, arena);
    *model_ret = records;
    return BO_OK;
}
