/* LLVM's extensible binary sample profile: reading one function. */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/input.h"

/* The least bytes of an element of each kind, which bound the announced numbers. */
enum {
    RECORD_NBYTES = 4,
    TARGET_NBYTES = 2,
    CALLSITE_NBYTES = 6,
};

/* A name of the file, or the text form of a GUID. */
static enum bo_status get_name(const struct extbinary_reader *r, struct extbinary_input *in,
                               struct bo_span *name)
{
    size_t index = 0;
    const enum bo_status status = extbinary_get_index(r, in, &index);
    if (status)
        return status;
    const struct bo_span key = extbinary_key(r, index);
    *name = r->names ? key : extbinary_guid_name(bo_le64(key.p), in->arena);
    return name->p ? BO_OK : bo_fail_alloc(in->err, in->arena);
}

static enum bo_status get_place(struct extbinary_input *in, uint32_t *line, uint32_t *discriminator)
{
    const uint64_t off = extbinary_off(in);
    const enum bo_status status = bo_get_uvarint32(&in->in, line, in->err);
    if (!status && *line > AUTOFDO_MAX_LINE)
        return bo_fail(in->err, BO_CORRUPT, off, "line is above 65535");
    return status ? status : bo_get_uvarint32(&in->in, discriminator, in->err);
}

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

static enum bo_status get_targets(const struct extbinary_reader *r, struct extbinary_input *in,
                                  struct autofdo_record *record)
{
    const uint64_t off = extbinary_off(in);
    enum bo_status status = extbinary_get_number(in, TARGET_NBYTES, &record->n_targets);
    const size_t n = status ? 0 : record->n_targets;
    struct autofdo_target *targets = bo_alloc_array(in->arena, n, sizeof *targets);
    if (status)
        return status;
    if (!targets)
        return bo_fail_alloc(in->err, in->arena);
    record->targets = targets;
    for (size_t t = 0; t < n && !status; t++) {
        in->owed -= TARGET_NBYTES;
        status = get_name(r, in, &targets[t].name);
        if (!status)
            status = bo_get_uvarint64(&in->in, &targets[t].count, in->err);
    }
    if (status || n < 2)
        return status;
    qsort(targets, n, sizeof *targets, compare_targets);
    for (size_t t = 1; t < n; t++)
        if (bo_span_equal(targets[t - 1].name, targets[t].name))
            return bo_fail(in->err, BO_CORRUPT, off, "duplicate target of a record");
    return BO_OK;
}

static enum bo_status get_records(const struct extbinary_reader *r, struct extbinary_input *in,
                                  struct autofdo_instance *instance)
{
    enum bo_status status = extbinary_get_number(in, RECORD_NBYTES, &instance->n_records);
    if (status)
        return status;
    struct autofdo_record *records =
        bo_alloc_array(in->arena, instance->n_records, sizeof *records);
    if (!records)
        return bo_fail_alloc(in->err, in->arena);
    instance->records = records;
    for (size_t i = 0; i < instance->n_records && !status; i++) {
        struct autofdo_record *record = &records[i];
        const uint64_t off = extbinary_off(in);
        in->owed -= RECORD_NBYTES;
        status = get_place(in, &record->line, &record->discriminator);
        if (!status && i &&
            autofdo_place(record[-1].line, record[-1].discriminator) >=
                autofdo_place(record->line, record->discriminator))
            return bo_fail(in->err, BO_CORRUPT, off, "records are not in order");
        if (!status)
            status = bo_get_uvarint64(&in->in, &record->count, in->err);
        if (!status)
            status = get_targets(r, in, record);
    }
    return status;
}

static int compare_callsites(const void *a, const void *b)
{
    const struct autofdo_callsite *x = a, *y = b;
    const uint64_t p = autofdo_place(x->line, x->discriminator),
                   q = autofdo_place(y->line, y->discriminator);
    return p != q ? (p > q) - (p < q) : bo_span_compare(x->callee.name, y->callee.name);
}

/* LLVM orders the callees of one place by name, also where it then stores GUIDs. */
static enum bo_status sort_callsites(const struct extbinary_input *in,
                                     struct autofdo_callsite *callsites, size_t n)
{
    qsort(callsites, n, sizeof *callsites, compare_callsites);
    for (size_t i = 1; i < n; i++)
        if (compare_callsites(&callsites[i - 1], &callsites[i]) == 0)
            return bo_fail_here(in->err, BO_CORRUPT, &in->in, "duplicate callsite of an instance");
    return BO_OK;
}

/* The total is skipped: LLVM's own differ from the sum of the counts. */
static enum bo_status get_instance(const struct extbinary_reader *r, struct extbinary_input *in,
                                   unsigned depth, struct autofdo_instance *instance)
{
    uint64_t total;
    if (depth > AUTOFDO_MAX_DEPTH)
        return bo_fail_here(in->err, BO_OVER_LIMIT, &in->in,
                            "instances are nested more than 256 deep");
    enum bo_status status = get_name(r, in, &instance->name);
    if (!status)
        status = bo_get_uvarint64(&in->in, &total, in->err);
    if (!status)
        status = get_records(r, in, instance);
    if (!status)
        status = extbinary_get_number(in, CALLSITE_NBYTES, &instance->n_callsites);
    if (status)
        return status;
    struct autofdo_callsite *callsites =
        bo_alloc_array(in->arena, instance->n_callsites, sizeof *callsites);
    if (!callsites)
        return bo_fail_alloc(in->err, in->arena);
    instance->callsites = callsites;
    bool is_sorted = true;
    for (size_t i = 0; i < instance->n_callsites && !status; i++) {
        struct autofdo_callsite *site = &callsites[i];
        const uint64_t off = extbinary_off(in);
        in->owed -= CALLSITE_NBYTES;
        status = get_place(in, &site->line, &site->discriminator);
        if (!status)
            status = get_instance(r, in, depth + 1, &site->callee);
        if (status || !i)
            continue;
        const int order = compare_callsites(site - 1, site);
        if (order >= 0 && (r->names || site[-1].line != site->line ||
                           site[-1].discriminator != site->discriminator))
            return bo_fail(in->err, BO_CORRUPT, off, "callsites are not in order");
        is_sorted = is_sorted && order < 0;
    }
    return status || is_sorted ? status : sort_callsites(in, callsites, instance->n_callsites);
}

enum bo_status extbinary_read(const struct extbinary_reader *r, const struct extbinary_place *place,
                              bool to_the_end, struct bo_arena *arena,
                              struct autofdo_function *function, struct bo_error *err)
{
    struct extbinary_input in = {bo_cursor_at(r->in, place->start, place->end - place->start),
                                 arena, err, 0};
    *function = (struct autofdo_function){0};
    size_t index = 0;
    enum bo_status status = bo_get_uvarint64(&in.in, &function->head, err);
    const uint64_t off = extbinary_off(&in);
    struct extbinary_input name = in;
    if (!status)
        status = extbinary_get_index(r, &name, &index);
    if (!status && !bo_span_equal(extbinary_key(r, index), extbinary_key(r, place->name)))
        return bo_fail(err, BO_CORRUPT, off,
                       "function differs from that of the table for this offset");
    if (!status)
        status = get_instance(r, &in, 1, &function->body);
    if (!status && r->form->is_split &&
        (function->body.n_callsites == 0) != (place->section == EXTBINARY_FLAT_FUNCTIONS))
        return bo_fail(err, BO_CORRUPT, off, "section of a function does not match its callsites");
    if (!status && to_the_end && bo_left(&in.in))
        return bo_fail_here(err, BO_CORRUPT, &in.in, "function ends before the next one starts");
    return status;
}
