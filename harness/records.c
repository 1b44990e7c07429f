/* Models that are arrays of records: numbers in members, rules of order, comparing, counting. */
#include "harness/records.h"

/* ---- numbers --------------------------------------------------------------------------------- */

uint64_t bo_field_number(const struct bo_field *field, const void *record)
{
    const uint8_t *p = (const uint8_t *)record + field->off;
    const unsigned shift = 64 - 8 * (unsigned)field->nbytes;
    uint64_t v = 0;
    switch (field->nbytes) {
    case 1:
        v = *p;
        break;
    case 2:
        v = *(const uint16_t *)(const void *)p;
        break;
    case 4:
        v = *(const uint32_t *)(const void *)p;
        break;
    default:
        v = *(const uint64_t *)(const void *)p;
        break;
    }
    return field->form == BO_SIGNED ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

void bo_field_set_number(const struct bo_field *field, void *record, uint64_t v)
{
    uint8_t *p = (uint8_t *)record + field->off;
    switch (field->nbytes) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2:
        *(uint16_t *)(void *)p = (uint16_t)v;
        break;
    case 4:
        *(uint32_t *)(void *)p = (uint32_t)v;
        break;
    default:
        *(uint64_t *)(void *)p = v;
        break;
    }
}

uint64_t bo_field_none(const struct bo_field *field)
{
    return UINT64_MAX >> (64 - 8 * field->nbytes);
}

uint64_t bo_field_max(const struct bo_field *field)
{
    const uint64_t held = bo_field_none(field) - field->optional;
    return field->max && field->max < held ? field->max : held;
}

static struct bo_span name_in(const struct bo_field *field, const void *record)
{
    return *(const struct bo_span *)(const void *)((const uint8_t *)record + field->off);
}

/* The sort key of the first field. Signed numbers below zero come first. */
static uint64_t sort_key(const struct bo_field *field, const void *record)
{
    const uint64_t v = bo_field_number(field, record);
    return field->form == BO_SIGNED ? v ^ (UINT64_C(1) << 63) : v;
}

/* ---- the declaration ------------------------------------------------------------------------- */

static const char *field_flaw(const struct bo_shape *shape, const struct bo_field *field)
{
    if (field->off > shape->record_nbytes || field->nbytes > shape->record_nbytes - field->off)
        return "declaration: a field is outside of the record";
    if (field->form == BO_NAME) {
        const bool is_last = field > shape->fields && field == shape->fields + shape->n_fields - 1;
        if (!is_last || field->nbytes != sizeof(struct bo_span))
            return "declaration: a name is not a struct bo_span in the last of several fields";
    } else if (field->nbytes != 1 && field->nbytes != 2 && field->nbytes != 4 &&
               field->nbytes != 8) {
        return "declaration: an integer does not have 1, 2, 4 or 8 bytes";
    }
    const bool is_unsigned = field->form == BO_DECIMAL || field->form == BO_HEX;
    return !is_unsigned && (field->optional || field->max)
               ? "declaration: a field that is not unsigned is optional or has a maximum"
               : NULL;
}

const char *bo_shape_flaw(const struct bo_shape *shape)
{
    const char *flaw = shape->n_fields ? NULL : "declaration: a record has no fields";
    for (unsigned f = 0; f < shape->n_fields && !flaw; f++)
        flaw = field_flaw(shape, &shape->fields[f]);
    if (flaw || shape->order != BO_INTERVALS)
        return flaw;
    for (unsigned f = 0; f < 2; f++)
        if (f == shape->n_fields || shape->fields[f].form == BO_NAME ||
            shape->fields[f].form == BO_SIGNED)
            return "declaration: intervals do not start with two unsigned fields";
    return NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static const char *order_flaw(const struct bo_shape *shape, const void *before, const void *record)
{
    const struct bo_field *first = &shape->fields[0], *second = &shape->fields[1];
    const uint64_t key = sort_key(first, record);
    if (shape->order == BO_INTERVALS && sort_key(second, record) <= key)
        return second->descends;
    if (!before || shape->order == BO_ANY_ORDER)
        return NULL;
    const uint64_t least = sort_key(shape->order == BO_INTERVALS ? second : first, before);
    return key < least || (shape->order == BO_MAP && key == least) ? first->descends : NULL;
}

const char *bo_record_flaw(const struct bo_shape *shape, const void *before, const void *record)
{
    for (unsigned f = 0; f < shape->n_fields; f++) {
        const struct bo_field *field = &shape->fields[f];
        if (field->form == BO_SIGNED || field->form == BO_NAME)
            continue;
        const uint64_t v = bo_field_number(field, record);
        if (v > bo_field_max(field) && !(field->optional && v == bo_field_none(field)))
            return field->wrong;
    }
    const char *flaw = order_flaw(shape, before, record);
    return flaw || !shape->flaw ? flaw : shape->flaw(before, record);
}

const char *bo_records_flaw(const struct bo_shape *shape, const struct bo_records *records)
{
    const char *flaw = NULL;
    for (size_t i = 0; i < records->n && !flaw; i++)
        flaw = bo_record_flaw(shape, i ? bo_record(shape, records, i - 1) : NULL,
                              bo_record(shape, records, i));
    return flaw;
}

/* Merges the sorted runs [0, half) and [half, n) of `from` into `to`. The sort is stable. */
static void merge_runs(const struct bo_shape *shape, const uint8_t *from, size_t half, size_t n,
                       uint8_t *to)
{
    const size_t size = shape->record_nbytes;
    size_t a = 0, b = half;
    for (size_t i = 0; i < n; i++) {
        const bool second = a == half || (b < n && sort_key(shape->fields, from + b * size) <
                                                       sort_key(shape->fields, from + a * size));
        memcpy(to + i * size, from + (second ? b++ : a++) * size, size);
    }
}

static bool sort_records(const struct bo_shape *shape, struct bo_records *records,
                         struct bo_arena *arena)
{
    const size_t n = records->n, size = shape->record_nbytes;
    uint8_t *from = records->items, *to = bo_alloc_array(arena, n, size);
    for (size_t width = 1; to && width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            const size_t left = n - i, whole = left < 2 * width ? left : 2 * width;
            merge_runs(shape, from + i * size, whole < width ? whole : width, whole, to + i * size);
        }
        uint8_t *sorted = to;
        to = from;
        from = sorted;
    }
    records->items = from;
    return to != NULL;
}

bool bo_records_settle(const struct bo_shape *shape, struct bo_records *records,
                       struct bo_arena *arena)
{
    size_t n = 0;
    if (shape->order != BO_ANY_ORDER && !sort_records(shape, records, arena))
        return false;
    for (size_t i = 0; i < records->n; i++) {
        const void *before = n ? bo_record(shape, records, n - 1) : NULL;
        const void *record = bo_record(shape, records, i);
        if (!bo_record_flaw(shape, before, record))
            memmove(bo_record(shape, records, n++), record, shape->record_nbytes);
    }
    records->n = n;
    return true;
}

size_t bo_records_lower_bound(const struct bo_shape *shape, const struct bo_records *records,
                              uint64_t key)
{
    const uint64_t sign = shape->fields->form == BO_SIGNED ? UINT64_C(1) << 63 : 0;
    size_t low = 0, high = records->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sort_key(shape->fields, bo_record(shape, records, middle)) < (key ^ sign))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- comparing and counting ------------------------------------------------------------------ */

const char *bo_records_differ(const struct bo_shape *shape, const void *a, const void *b)
{
    const struct bo_records *left = a, *right = b;
    if (left->n != right->n)
        return "number of records";
    for (size_t i = 0; i < left->n; i++) {
        const void *x = bo_record(shape, left, i), *y = bo_record(shape, right, i);
        for (unsigned f = 0; f < shape->n_fields; f++) {
            const struct bo_field *field = &shape->fields[f];
            if (field->form == BO_NAME ? !bo_span_equal(name_in(field, x), name_in(field, y))
                                       : bo_field_number(field, x) != bo_field_number(field, y))
                return field->name;
        }
    }
    return NULL;
}

unsigned bo_records_units(const struct bo_shape *shape, const void *model,
                          struct bo_unit *units_ret)
{
    const struct bo_records *records = model;
    const struct bo_field *last = &shape->fields[shape->n_fields - 1];
    units_ret[0] = (struct bo_unit){shape->unit, records->n};
    if (last->form != BO_NAME)
        return 1;
    units_ret[1] = (struct bo_unit){"name bytes", 0};
    for (size_t i = 0; i < records->n; i++)
        units_ret[1].n += name_in(last, bo_record(shape, records, i)).n;
    return 2;
}

void bo_records_fields(const struct bo_shape *shape, const void *model, struct bo_sequences *out)
{
    const struct bo_records *records = model;
    for (unsigned f = 0; f < shape->n_fields; f++) {
        const struct bo_field *field = &shape->fields[f];
        const bool deltas = f == 0 && shape->order != BO_ANY_ORDER;
        uint64_t before = 0;
        for (size_t i = 0; i < records->n && !out->refused; i++) {
            const void *record = bo_record(shape, records, i);
            if (field->form == BO_NAME) {
                bo_add_text(out, field->name, name_in(field, record));
                continue;
            }
            const uint64_t v = bo_field_number(field, record);
            bo_add_number(out, field->name, deltas ? v - before : v);
            before = v;
        }
    }
}
