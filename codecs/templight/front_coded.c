/*
 * front-coded: what an engineer would do about names in an hour. Names are sorted by their bytes,
 * each stored as its difference from the name before. Records refer to a name by its index.
 * All numbers are varints.
 *
 *   how many traces; for each:
 *     version
 *     bytes of the source file's name, and these
 *     how many names; for each, in the order of their bytes:
 *       bytes of the one before that it starts with, as many as it can
 *       bytes that follow, and these
 *     how many files; for each: bytes of its name, and these
 *     how many records; for each:
 *       a byte of flags
 *       of a Begin: its kind, the place of its name, its location and its origin, each if present
 *       of an End that has an origin of its own which is present: that
 *       the time, 8 bytes, if present; the memory, if present
 *   a location or origin is: a file's number, line, column
 */
#include <stdlib.h>

#include "codecs/templight/names.h"

enum {
    IS_END = 1,
    HAS_TIME = 2,
    HAS_MEMORY = 4,
    HAS_LOCATION = 8,
    HAS_ORIGIN = 16,
    HAS_OWN_ORIGIN = 32, /* of an End: it has one of its own, present or not */
    ALL_FLAGS = 63,
};

/*
 * The average name length, without the bytes written for names, has a limit. This distinguishes
 * bombs from valid files.
 */
static bool are_too_long(uint64_t nbytes, uint64_t n, uint64_t written_nbytes)
{
    return nbytes > n * TEMPLIGHT_MAX_SPLIT_NBYTES + written_nbytes;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return bo_span_compare(**(const struct bo_span *const *)a, **(const struct bo_span *const *)b);
}

static void put_text(struct bo_writer *out, struct bo_span text)
{
    bo_put_uvarint(out, text.n);
    bo_put_bytes(out, text.p, text.n);
}

/* The names, and for each its place among them. */
static enum bo_status put_names(struct bo_writer *out, const struct templight_trace *trace,
                                uint32_t *places, struct bo_error *err)
{
    const uint32_t n = trace->n_names;
    const struct bo_span **order = bo_alloc_array(out->arena, n, sizeof *order);
    struct bo_span last = {NULL, 0};
    uint64_t nbytes = 0, written_nbytes = 0;
    if (!order)
        return bo_fail_alloc(err, out->arena);
    for (uint32_t i = 0; i < n; i++)
        order[i] = &trace->names[i];
    qsort(order, n, sizeof *order, compare_names);
    bo_mark(out, "names");
    bo_put_uvarint(out, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct bo_span name = *order[i];
        const size_t prefix = bo_common_prefix(last, name);
        bo_put_uvarint(out, prefix);
        put_text(out, (struct bo_span){name.p + prefix, name.n - prefix});
        places[order[i] - trace->names] = i;
        nbytes += name.n;
        written_nbytes += name.n - prefix;
        last = name;
    }
    return are_too_long(nbytes, n, written_nbytes)
               ? bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                         "names expand to more than the limit of readers")
               : BO_OK;
}

static void put_location(struct bo_writer *out, const struct templight_location *location)
{
    bo_put_uvarint(out, location->file);
    bo_put_uvarint(out, location->line);
    bo_put_uvarint(out, location->column);
}

static void put_record(struct bo_writer *out, const struct templight_record *record,
                       const uint32_t *places)
{
    const bool has_location = record->location.file != TEMPLIGHT_NONE,
               has_origin = record->origin.file != TEMPLIGHT_NONE;
    bo_mark(out, "structure");
    bo_put_u8(out, (uint8_t)((record->is_end ? IS_END : 0) | (record->has_time ? HAS_TIME : 0) |
                             (record->has_memory ? HAS_MEMORY : 0) |
                             (has_location ? HAS_LOCATION : 0) | (has_origin ? HAS_ORIGIN : 0) |
                             (record->has_own_origin ? HAS_OWN_ORIGIN : 0)));
    if (!record->is_end) {
        bo_put_uvarint(out, record->kind);
        bo_mark(out, "refs");
        bo_put_uvarint(out, places[record->name]);
    }
    bo_mark(out, "locations");
    if (has_location)
        put_location(out, &record->location);
    if (has_origin)
        put_location(out, &record->origin);
    bo_mark(out, "times");
    if (record->has_time)
        bo_put_le64(out, record->time_bits);
    if (record->has_memory)
        bo_put_uvarint(out, record->memory);
}

static enum bo_status put_trace(struct bo_writer *out, const struct templight_trace *trace,
                                struct bo_error *err)
{
    uint32_t *places = bo_alloc_array(out->arena, trace->n_names, sizeof *places);
    if (!places)
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "header");
    bo_put_uvarint(out, trace->version);
    put_text(out, trace->source);
    const enum bo_status status = put_names(out, trace, places, err);
    if (status)
        return status;
    bo_mark(out, "locations");
    bo_put_uvarint(out, trace->n_files);
    for (uint32_t i = 0; i < trace->n_files; i++)
        put_text(out, trace->files[i]);
    bo_mark(out, "structure");
    bo_put_uvarint(out, trace->n_records);
    for (size_t i = 0; i < trace->n_records; i++)
        put_record(out, &trace->records[i], places);
    return bo_writer_status(out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct templight_model *model = opaque;
    bo_mark(out, "header");
    bo_put_uvarint(out, model->n_traces);
    enum bo_status status = bo_writer_status(out, err);
    for (size_t t = 0; t < model->n_traces && !status; t++)
        status = put_trace(out, &model->traces[t], err);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    struct templight_builder builder;
    /* of the trace */
    struct bo_span *names, *files;
    uint32_t n_names, n_files;
};

static enum bo_status get_text(struct reader *r, struct bo_span *text_ret)
{
    uint32_t n = 0;
    const enum bo_status status = bo_get_uvarint32(&r->in, &n, r->err);
    if (status)
        return status;
    *text_ret = (struct bo_span){NULL, n};
    if (!bo_get_bytes(&r->in, n, &text_ret->p))
        return bo_fail_here(r->err, BO_TRUNCATED, &r->in, "text runs past the end");
    const uint8_t *nul = n ? memchr(text_ret->p, '\0', n) : NULL;
    return nul ? bo_fail(r->err, BO_CORRUPT, (uint64_t)(nul - r->in.p), "text holds a NUL") : BO_OK;
}

/* Reads how many elements follow, each of which takes at least so many bytes. */
static enum bo_status get_count(struct reader *r, size_t least_nbytes, uint32_t *n_ret)
{
    const size_t off = r->in.off;
    const enum bo_status status = bo_get_uvarint32(&r->in, n_ret, r->err);
    return !status && *n_ret > bo_left(&r->in) / least_nbytes
               ? bo_fail(r->err, BO_TRUNCATED, off,
                         "count exceeds what the rest of the file can hold")
               : status;
}

/* A name's prefix length and its own bytes; the name must be greater than the one before. */
static enum bo_status get_name(struct reader *r, struct bo_span last, uint32_t *prefix_ret,
                               struct bo_span *rest_ret)
{
    const size_t off = r->in.off;
    enum bo_status status = bo_get_uvarint32(&r->in, prefix_ret, r->err);
    if (!status && *prefix_ret > last.n)
        return bo_fail(r->err, BO_CORRUPT, off, "prefix is longer than the name before");
    return status ? status : get_text(r, rest_ret);
}

/* Adds up the lengths of the names; the cursor does not move. */
static enum bo_status add_names_up(struct reader *r, uint64_t *nbytes_ret)
{
    const size_t start = r->in.off;
    struct bo_span last = {NULL, 0}, rest;
    uint64_t nbytes = 0, written_nbytes = 0;
    for (uint32_t i = 0; i < r->n_names; i++) {
        uint32_t prefix = 0;
        const enum bo_status status = get_name(r, last, &prefix, &rest);
        if (status)
            return status;
        last.n = prefix + rest.n;
        nbytes += last.n;
        written_nbytes += rest.n;
    }
    r->in.off = start;
    *nbytes_ret = nbytes;
    return are_too_long(nbytes, r->n_names, written_nbytes)
               ? bo_fail(r->err, BO_OVER_LIMIT, start, "names would expand to too much")
               : BO_OK;
}

static enum bo_status get_names(struct reader *r)
{
    uint64_t nbytes = 0;
    struct bo_span last = {NULL, 0}, rest;
    enum bo_status status = get_count(r, 2, &r->n_names);
    if (!status)
        status = add_names_up(r, &nbytes);
    if (status)
        return status;
    r->names = bo_alloc_array(r->arena, r->n_names, sizeof *r->names);
    uint8_t *to = nbytes <= SIZE_MAX ? bo_alloc(r->arena, (size_t)nbytes) : NULL;
    if (!r->names || !to)
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < r->n_names; i++) {
        const size_t off = r->in.off;
        uint32_t prefix = 0;
        status = get_name(r, last, &prefix, &rest);
        if (status)
            return status;
        if (i && (rest.n == 0 || (prefix < last.n && rest.p[0] <= last.p[prefix])))
            return bo_fail(r->err, BO_CORRUPT, off, "names are not in order");
        r->names[i] = (struct bo_span){to, prefix + rest.n};
        if (prefix)
            memcpy(to, last.p, prefix);
        if (rest.n)
            memcpy(to + prefix, rest.p, rest.n);
        last = r->names[i];
        to += last.n;
    }
    return BO_OK;
}

static enum bo_status get_files(struct reader *r)
{
    enum bo_status status = get_count(r, 1, &r->n_files);
    if (!status && !(r->files = bo_alloc_array(r->arena, r->n_files, sizeof *r->files)))
        return bo_fail_alloc(r->err, r->arena);
    for (uint32_t i = 0; i < r->n_files && !status; i++)
        status = get_text(r, &r->files[i]);
    return status;
}

/* A text of a table. */
static enum bo_status get_reference(struct reader *r, const struct bo_span *table, uint32_t n,
                                    struct bo_span *text_ret)
{
    const size_t off = r->in.off;
    uint32_t i = 0;
    const enum bo_status status = bo_get_uvarint32(&r->in, &i, r->err);
    if (!status && i >= n)
        return bo_fail(r->err, BO_CORRUPT, off, "number of a name or file is out of range");
    if (!status)
        *text_ret = table[i];
    return status;
}

static enum bo_status get_place(struct reader *r, struct templight_place *place)
{
    place->present = true;
    enum bo_status status = get_reference(r, r->files, r->n_files, &place->file);
    if (!status)
        status = bo_get_uvarint32(&r->in, &place->line, r->err);
    return status ? status : bo_get_uvarint32(&r->in, &place->column, r->err);
}

static enum bo_status get_flags(struct reader *r, uint8_t *flags)
{
    if (!bo_get_u8(&r->in, flags))
        return bo_fail_here(r->err, BO_TRUNCATED, &r->in, "file ends inside the records");
    const unsigned others = *flags & IS_END ? HAS_LOCATION : HAS_OWN_ORIGIN;
    const bool is_odd = *flags & others || *flags & ~ALL_FLAGS ||
                        (*flags & IS_END && *flags & HAS_ORIGIN && !(*flags & HAS_OWN_ORIGIN));
    return is_odd ? bo_fail(r->err, BO_CORRUPT, r->in.off - 1,
                            "record has unknown or contradictory flags")
                  : BO_OK;
}

static enum bo_status get_record(struct reader *r)
{
    uint8_t flags = 0;
    enum bo_status status = get_flags(r, &flags);
    struct templight_entry entry = {
        .is_end = flags & IS_END,
        .has_time = flags & HAS_TIME,
        .has_memory = flags & HAS_MEMORY,
        .has_origin = flags & HAS_OWN_ORIGIN,
    };
    if (!status && !entry.is_end)
        status = bo_get_uvarint32(&r->in, &entry.kind, r->err);
    if (!status && !entry.is_end)
        status = get_reference(r, r->names, r->n_names, &entry.name);
    if (!status && flags & HAS_LOCATION)
        status = get_place(r, &entry.location);
    if (!status && flags & HAS_ORIGIN)
        status = get_place(r, &entry.origin);
    if (!status && entry.has_time && !bo_get_le64(&r->in, &entry.time_bits))
        status = bo_fail_here(r->err, BO_TRUNCATED, &r->in, "time runs past the end");
    if (!status && entry.has_memory)
        status = bo_get_uvarint64(&r->in, &entry.memory, r->err);
    if (status)
        return status;
    return templight_add_entry(&r->builder, &entry) ? BO_OK : bo_fail_alloc(r->err, r->arena);
}

static enum bo_status get_trace(struct reader *r)
{
    uint32_t version = 0;
    uint64_t n_records = 0;
    struct bo_span source;
    enum bo_status status = bo_get_uvarint32(&r->in, &version, r->err);
    if (!status)
        status = get_text(r, &source);
    if (!status)
        status = get_names(r);
    if (!status)
        status = get_files(r);
    if (!status)
        status = bo_get_uvarint64(&r->in, &n_records, r->err);
    if (!status && !templight_start_trace(&r->builder, version, source))
        status = bo_fail_alloc(r->err, r->arena);
    while (!status && n_records--)
        status = get_record(r);
    return status;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r = {.in = bo_cursor(in), .arena = arena, .err = err};
    struct templight_model *model;
    uint32_t n_traces = 0;
    templight_builder_init(&r.builder, false, arena);
    enum bo_status status = bo_get_uvarint32(&r.in, &n_traces, err);
    while (!status && n_traces--)
        status = get_trace(&r);
    if (!status && bo_left(&r.in))
        status = bo_fail_here(err, BO_CORRUPT, &r.in, "bytes after the last trace");
    if (!status && !templight_finish(&r.builder, &model))
        status = bo_fail_alloc(err, arena);
    if (!status)
        *model_ret = model;
    return status;
}

static enum bo_status open_all(const struct bo_codec *self, struct bo_span in,
                               struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct templight_decoded *decoded = bo_alloc(arena, sizeof *decoded);
    void *model;
    if (!decoded)
        return bo_fail_alloc(err, arena);
    const enum bo_status status = decode(self, in, arena, &model, err);
    if (status)
        return status;
    decoded->model = *(const struct templight_model *)model;
    decoded->namers = bo_zalloc_array(arena, decoded->model.n_traces, sizeof *decoded->namers);
    bool ok = decoded->namers;
    for (size_t t = 0; t < decoded->model.n_traces && ok; t++) {
        const struct templight_trace *trace = &decoded->model.traces[t];
        struct bo_texts *names = &decoded->namers[t].names;
        uint32_t number;
        ok = bo_texts_init(names, false, arena);
        for (uint32_t i = 0; i < trace->n_names && ok; i++)
            ok = bo_texts_add(names, trace->names[i], &number);
    }
    *reader_ret = decoded;
    return ok ? BO_OK : bo_fail_alloc(err, arena);
}

const struct bo_codec templight_front_coded = {
    .name = "front-coded",
    .summary = "names in alphabetical order, each as what differs from the one before",
    .spec = "codecs/templight/README.md#front-coded",
    .choices = "names and files that nothing uses, files that occur twice, the order of files",
    .role = BO_CONTROL,
    .access = BO_WHOLE,
    .kinds = (1u << TEMPLIGHT_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open_all,
    .query = templight_query_decoded,
};
