/* GUIDs in place of names, and the Eytzinger order of tables. */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"
#include "harness/core/md5.h"

static const char prefix[] = "guid.";
enum { PREFIX_NBYTES = sizeof prefix - 1, N_DIGITS = 16, NAME_NBYTES = PREFIX_NBYTES + N_DIGITS };

static const char digits[] = "0123456789abcdef";

uint64_t extbinary_guid(struct bo_span name)
{
    uint64_t guid = 0;
    if (name.n != NAME_NBYTES || memcmp(name.p, prefix, PREFIX_NBYTES) != 0)
        return bo_md5_low64(name);
    for (size_t i = PREFIX_NBYTES; i < NAME_NBYTES; i++) {
        const char *digit = memchr(digits, name.p[i], N_DIGITS);
        if (!digit)
            return bo_md5_low64(name);
        guid = guid << 4 | (uint64_t)(digit - digits);
    }
    return guid;
}

struct bo_span extbinary_guid_name(uint64_t guid, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, NAME_NBYTES);
    if (p) {
        memcpy(p, prefix, PREFIX_NBYTES);
        for (size_t i = NAME_NBYTES; i-- > PREFIX_NBYTES; guid >>= 4)
            p[i] = (uint8_t)digits[guid & 15];
    }
    return (struct bo_span){p, NAME_NBYTES};
}

/* ---- renaming -------------------------------------------------------------------------------- */

struct renaming {
    struct bo_arena *arena;
    struct bo_error *err;
};

static enum bo_status rename_one(const struct renaming *r, struct bo_span *name)
{
    *name = extbinary_guid_name(extbinary_guid(*name), r->arena);
    return name->p ? BO_OK : bo_fail_alloc(r->err, r->arena);
}

static enum bo_status fail_collision(const struct renaming *r)
{
    return bo_fail(r->err, BO_UNSUPPORTED, BO_NO_OFFSET, "two names have the same GUID");
}

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

static int compare_callsites(const void *a, const void *b)
{
    const struct autofdo_callsite *x = a, *y = b;
    const uint64_t p = autofdo_place(x->line, x->discriminator),
                   q = autofdo_place(y->line, y->discriminator);
    return p != q ? (p > q) - (p < q) : bo_span_compare(x->callee.name, y->callee.name);
}

static enum bo_status rename_targets(const struct renaming *r, struct autofdo_record *record)
{
    const size_t n = record->n_targets;
    enum bo_status status = BO_OK;
    struct autofdo_target *targets = bo_alloc_array(r->arena, n, sizeof *targets);
    if (!targets)
        return bo_fail_alloc(r->err, r->arena);
    for (size_t i = 0; i < n && !status; i++) {
        targets[i] = record->targets[i];
        status = rename_one(r, &targets[i].name);
    }
    if (status || !n)
        return status;
    qsort(targets, n, sizeof *targets, compare_targets);
    record->targets = targets;
    for (size_t i = 1; i < n; i++)
        if (compare_targets(&targets[i - 1], &targets[i]) == 0)
            return fail_collision(r);
    return BO_OK;
}

/* Copies the arrays of an instance, which is a copy itself. */
static enum bo_status rename_instance(const struct renaming *r, struct autofdo_instance *instance)
{
    const size_t n_records = instance->n_records, n = instance->n_callsites;
    struct autofdo_record *records = bo_alloc_array(r->arena, n_records, sizeof *records);
    struct autofdo_callsite *callsites = bo_alloc_array(r->arena, n, sizeof *callsites);
    if (!records || !callsites)
        return bo_fail_alloc(r->err, r->arena);
    enum bo_status status = rename_one(r, &instance->name);
    for (size_t i = 0; i < n_records && !status; i++) {
        records[i] = instance->records[i];
        status = rename_targets(r, &records[i]);
    }
    for (size_t i = 0; i < n && !status; i++) {
        callsites[i] = instance->callsites[i];
        status = rename_instance(r, &callsites[i].callee);
    }
    instance->records = records;
    instance->callsites = callsites;
    if (status || !n)
        return status;
    qsort(callsites, n, sizeof *callsites, compare_callsites);
    for (size_t i = 1; i < n; i++)
        if (compare_callsites(&callsites[i - 1], &callsites[i]) == 0)
            return fail_collision(r);
    return BO_OK;
}

enum bo_status extbinary_rename(const struct autofdo_model *model, struct bo_arena *arena,
                                struct autofdo_model **renamed_ret, struct bo_error *err)
{
    const struct renaming r = {arena, err};
    const size_t n = model->n_functions;
    struct autofdo_model *renamed = bo_alloc(arena, sizeof *renamed);
    struct autofdo_function *functions = bo_alloc_array(arena, n, sizeof *functions);
    if (!renamed || !functions)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n; f++) {
        functions[f] = model->functions[f];
        const enum bo_status status = rename_instance(&r, &functions[f].body);
        if (status)
            return status;
    }
    if (n)
        qsort(functions, n, sizeof *functions, autofdo_compare_functions);
    for (size_t f = 1; f < n; f++)
        if (autofdo_compare_functions(&functions[f - 1], &functions[f]) == 0)
            return fail_collision(&r);
    *renamed = (struct autofdo_model){n, functions, 0, NULL};
    *renamed_ret = renamed;
    return BO_OK;
}

/* ---- Eytzinger order ------------------------------------------------------------------------- */

/* A walk in order from the subtree of place i; returns the next rank. */
static size_t walk(size_t n, size_t i, size_t rank, size_t *place_ret)
{
    if (i >= n)
        return rank;
    rank = walk(n, 2 * i + 1, rank, place_ret);
    place_ret[rank++] = i;
    return walk(n, 2 * i + 2, rank, place_ret);
}

void extbinary_eytzinger_places(size_t n, size_t *place_ret)
{
    walk(n, 0, 0, place_ret);
}

bool extbinary_eytzinger_find(const uint8_t *keys, size_t n, uint64_t key, size_t *place_ret)
{
    for (size_t i = 0; i < n;) {
        const uint64_t at = bo_le64(keys + EXTBINARY_GUID_NBYTES * i);
        if (at == key) {
            *place_ret = i;
            return true;
        }
        i = 2 * i + 1 + (at < key);
    }
    return false;
}
