/*
 * Templight's messages, the reader: one pass over the bytes, which checks each message separately.
 */
#include "codecs/templight/traces.h"

static const struct templight_location nowhere = {TEMPLIGHT_NONE, 0, 0};

/* ---- fields ---------------------------------------------------------------------------------- */

static enum bo_status check_text(const struct templight_field *field, struct bo_error *err)
{
    const enum bo_status status = templight_expect_wire(field, TEMPLIGHT_WIRE_BYTES, err);
    const struct bo_span text = field->bytes;
    const uint8_t *nul = !status && text.n ? memchr(text.p, '\0', text.n) : NULL;
    return nul ? bo_fail(err, BO_CORRUPT, field->value_off + (size_t)(nul - text.p),
                         "text holds a NUL")
               : status;
}

/* A message inside another one. Protocol buffers allow several parts, which no writer uses. */
static enum bo_status enter(const struct templight_field *field, bool *is_there,
                            struct templight_message *message, struct bo_error *err)
{
    const enum bo_status status = templight_expect_wire(field, TEMPLIGHT_WIRE_BYTES, err);
    if (status)
        return status;
    if (*is_there)
        return bo_fail(err, BO_UNSUPPORTED, field->off, "message in more than one part");
    *is_there = true;
    *message = templight_inner_message(field);
    return BO_OK;
}

/* ---- header ---------------------------------------------------------------------------------- */

static enum bo_status read_header(struct templight_walk *walk, struct templight_message *header,
                                  size_t off, struct bo_error *err)
{
    bool has_version = false;
    walk->source = (struct bo_span){(const uint8_t *)"", 0};
    while (!templight_message_ends(header)) {
        struct templight_field field;
        enum bo_status status = templight_get_field(header, &field, err);
        if (!status && field.number == TEMPLIGHT_HEADER_VERSION) {
            has_version = true;
            status = templight_field_u32(&field, &walk->version, err);
        } else if (!status && field.number == TEMPLIGHT_HEADER_SOURCE) {
            status = check_text(&field, err);
            walk->source = field.bytes;
        }
        if (status)
            return status;
    }
    return has_version ? BO_OK : bo_fail(err, BO_CORRUPT, off, "header has no version");
}

/* ---- locations ------------------------------------------------------------------------------- */

/* A location as stored; a file's name is stored at its first use only. */
struct raw_location {
    bool has_name, has_id, has_line;
    struct bo_span name;
    size_t name_off, id_off;
    uint32_t id, line, column;
};

static enum bo_status read_location_field(struct templight_message *message,
                                          struct raw_location *raw, struct bo_error *err)
{
    struct templight_field field;
    const enum bo_status status = templight_get_field(message, &field, err);
    if (status)
        return status;
    switch (field.number) {
    case TEMPLIGHT_LOCATION_FILE_NAME:
        raw->has_name = true;
        raw->name = field.bytes;
        raw->name_off = field.value_off;
        return check_text(&field, err);
    case TEMPLIGHT_LOCATION_FILE_ID:
        raw->has_id = true;
        raw->id_off = field.value_off;
        return templight_field_u32(&field, &raw->id, err);
    case TEMPLIGHT_LOCATION_LINE:
        raw->has_line = true;
        return templight_field_u32(&field, &raw->line, err);
    case TEMPLIGHT_LOCATION_COLUMN:
        return templight_field_u32(&field, &raw->column, err);
    default:
        return BO_OK;
    }
}

/* Gives the next file its name. Two ids may have one name: they are one file then. */
static enum bo_status add_file(struct templight_walk *walk, const struct raw_location *raw,
                               struct bo_error *err)
{
    const size_t n = walk->n_files;
    if (raw->id > n)
        return bo_fail(err, BO_CORRUPT, raw->id_off, "file numbers are not 0, 1, 2, ... in order");
    if (!bo_grow(walk->arena, &walk->file_numbers, n, 1, &walk->cap_files) ||
        !bo_texts_add(&walk->files, raw->name, &walk->file_numbers[n]))
        return bo_fail_alloc(err, walk->arena);
    walk->n_files++;
    return BO_OK;
}

static enum bo_status take_file(struct templight_walk *walk, const struct raw_location *raw,
                                uint32_t *file_ret, struct bo_error *err)
{
    if (raw->has_name && raw->id >= walk->n_files) {
        const enum bo_status status = add_file(walk, raw, err);
        if (status)
            return status;
    }
    if (raw->id >= walk->n_files)
        return bo_fail(err, BO_CORRUPT, raw->id_off, "file has no name");
    *file_ret = walk->file_numbers[raw->id];
    if (raw->has_name && !bo_span_equal(walk->files.texts[*file_ret], raw->name))
        return bo_fail(err, BO_CORRUPT, raw->name_off, "file has two names");
    return BO_OK;
}

static enum bo_status read_location(struct templight_walk *walk, struct templight_message *message,
                                    struct templight_location *location, struct bo_error *err)
{
    const size_t off = message->in.base;
    struct raw_location raw = {0};
    while (!templight_message_ends(message)) {
        const enum bo_status status = read_location_field(message, &raw, err);
        if (status)
            return status;
    }
    if (!raw.has_id || !raw.has_line)
        return bo_fail(err, BO_CORRUPT, off,
                       raw.has_id ? "location has no line" : "location has no file");
    location->line = raw.line;
    location->column = raw.column;
    return take_file(walk, &raw, &location->file, err);
}

/* ---- records --------------------------------------------------------------------------------- */

static enum bo_status read_name(struct templight_walk *walk, struct templight_message *message,
                                struct bo_error *err)
{
    const size_t off = message->in.base;
    struct templight_raw_name *name = &walk->name;
    bool has_name = false;
    while (!templight_message_ends(message)) {
        struct templight_field field;
        enum bo_status status = templight_get_field(message, &field, err);
        if (status)
            return status;
        if (field.number > TEMPLIGHT_NAME_ID)
            continue;
        /* Of several forms, the last one counts. */
        has_name = true;
        *name = (struct templight_raw_name){.text = field.bytes, .off = field.value_off};
        if (field.number == TEMPLIGHT_NAME_TEXT) {
            name->form = TEMPLIGHT_NAME_IS_TEXT;
            status = check_text(&field, err);
        } else if (field.number == TEMPLIGHT_NAME_COMPRESSED) {
            name->form = TEMPLIGHT_NAME_IS_COMPRESSED;
            status = templight_expect_wire(&field, TEMPLIGHT_WIRE_BYTES, err);
        } else {
            name->form = TEMPLIGHT_NAME_IS_ID;
            status = templight_field_u32(&field, &name->id, err);
        }
        if (status)
            return status;
    }
    return has_name ? BO_OK : bo_fail(err, BO_CORRUPT, off, "name is neither a text nor an id");
}

static enum bo_status read_time(const struct templight_field *field,
                                struct templight_record *record, struct bo_error *err)
{
    record->has_time = true;
    record->time_bits = field->value;
    return templight_expect_wire(field, TEMPLIGHT_WIRE_8_BYTES, err);
}

static enum bo_status read_memory(const struct templight_field *field,
                                  struct templight_record *record, struct bo_error *err)
{
    record->has_memory = true;
    record->memory = field->value;
    return templight_expect_wire(field, TEMPLIGHT_WIRE_VARINT, err);
}

/* Which fields of a Begin have been read. */
struct begin_parts {
    bool has_kind, has_name, has_location, has_origin;
};

static enum bo_status read_begin_field(struct templight_walk *walk,
                                       const struct templight_field *field,
                                       struct begin_parts *parts, struct bo_error *err)
{
    struct templight_message inner;
    enum bo_status status;
    switch (field->number) {
    case TEMPLIGHT_BEGIN_KIND:
        parts->has_kind = true;
        return templight_field_u32(field, &walk->record.kind, err);
    case TEMPLIGHT_BEGIN_NAME:
        status = enter(field, &parts->has_name, &inner, err);
        return status ? status : read_name(walk, &inner, err);
    case TEMPLIGHT_BEGIN_LOCATION:
        /* A file's name is stored at its first use, so the order of the two matters. */
        if (parts->has_origin)
            return bo_fail(err, BO_UNSUPPORTED, field->off, "origin precedes the location");
        status = enter(field, &parts->has_location, &inner, err);
        return status ? status : read_location(walk, &inner, &walk->record.location, err);
    case TEMPLIGHT_BEGIN_TIME:
        return read_time(field, &walk->record, err);
    case TEMPLIGHT_BEGIN_MEMORY:
        return read_memory(field, &walk->record, err);
    case TEMPLIGHT_BEGIN_ORIGIN:
        status = enter(field, &parts->has_origin, &inner, err);
        return status ? status : read_location(walk, &inner, &walk->record.origin, err);
    default:
        return BO_OK;
    }
}

static enum bo_status read_begin(struct templight_walk *walk, struct templight_message *begin,
                                 struct bo_error *err)
{
    const size_t off = begin->in.base;
    struct begin_parts parts = {0};
    while (!templight_message_ends(begin)) {
        struct templight_field field;
        enum bo_status status = templight_get_field(begin, &field, err);
        if (!status)
            status = read_begin_field(walk, &field, &parts, err);
        if (status)
            return status;
    }
    if (!parts.has_kind || !parts.has_name)
        return bo_fail(err, BO_CORRUPT, off,
                       parts.has_kind ? "begin has no name" : "begin has no kind");
    return BO_OK;
}

static enum bo_status read_end(struct templight_walk *walk, struct templight_message *end,
                               struct bo_error *err)
{
    walk->record.is_end = true;
    while (!templight_message_ends(end)) {
        struct templight_field field;
        enum bo_status status = templight_get_field(end, &field, err);
        if (!status && field.number == TEMPLIGHT_END_TIME)
            status = read_time(&field, &walk->record, err);
        else if (!status && field.number == TEMPLIGHT_END_MEMORY)
            status = read_memory(&field, &walk->record, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status read_record(struct templight_walk *walk, struct templight_message *entry,
                                  struct bo_error *err)
{
    const size_t off = entry->in.base;
    bool has_begin = false, has_end = false;
    walk->record = (struct templight_record){.location = nowhere, .origin = nowhere};
    while (!templight_message_ends(entry)) {
        struct templight_field field;
        struct templight_message inner;
        enum bo_status status = templight_get_field(entry, &field, err);
        if (!status && field.number == TEMPLIGHT_ENTRY_BEGIN) {
            status = enter(&field, &has_begin, &inner, err);
            if (!status)
                status = read_begin(walk, &inner, err);
        } else if (!status && field.number == TEMPLIGHT_ENTRY_END) {
            status = enter(&field, &has_end, &inner, err);
            if (!status)
                status = read_end(walk, &inner, err);
        }
        if (status)
            return status;
    }
    if (has_begin == has_end)
        return bo_fail(err, BO_CORRUPT, off,
                       has_begin ? "entry is both a begin and an end"
                                 : "entry is neither a begin nor an end");
    return BO_OK;
}

/* ---- dictionary entries ---------------------------------------------------------------------- */

static enum bo_status add_id(struct templight_walk *walk, uint64_t id, size_t off,
                             struct bo_error *err)
{
    const size_t n = walk->definition.n_ids;
    if (id > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, off, "number does not fit 32 bits");
    if (!bo_grow(walk->arena, &walk->ids, n, 1, &walk->cap_ids))
        return bo_fail_alloc(err, walk->arena);
    walk->ids[n] = (struct templight_id){(uint32_t)id, off};
    walk->definition.n_ids++;
    return BO_OK;
}

/* Ids one by one, as Templight writes them, or packed, which any parser must accept. */
static enum bo_status read_ids(struct templight_walk *walk, const struct templight_field *field,
                               struct bo_error *err)
{
    if (field->wire == TEMPLIGHT_WIRE_VARINT)
        return add_id(walk, field->value, field->value_off, err);
    enum bo_status status = templight_expect_wire(field, TEMPLIGHT_WIRE_BYTES, err);
    struct templight_message packed = templight_inner_message(field);
    while (!status && !templight_message_ends(&packed)) {
        const size_t off = packed.in.base + packed.in.off;
        uint64_t id = 0;
        status = templight_get_varint(&packed, &id, err);
        if (!status)
            status = add_id(walk, id, off, err);
    }
    return status;
}

static enum bo_status read_definition(struct templight_walk *walk,
                                      struct templight_message *message, size_t off,
                                      struct bo_error *err)
{
    bool has_text = false;
    walk->definition = (struct templight_raw_definition){.off = off};
    while (!templight_message_ends(message)) {
        struct templight_field field;
        enum bo_status status = templight_get_field(message, &field, err);
        if (!status && field.number == TEMPLIGHT_DEFINITION_MARKED) {
            has_text = true;
            walk->definition.marked = field.bytes;
            status = templight_expect_wire(&field, TEMPLIGHT_WIRE_BYTES, err);
        } else if (!status && field.number == TEMPLIGHT_DEFINITION_ID) {
            status = read_ids(walk, &field, err);
        }
        if (status)
            return status;
    }
    walk->definition.ids = walk->ids;
    return has_text ? BO_OK : bo_fail(err, BO_CORRUPT, off, "dictionary entry has no text");
}

/* ---- traces ---------------------------------------------------------------------------------- */

static enum bo_status start_trace(struct templight_walk *walk, const struct templight_field *file,
                                  struct bo_error *err)
{
    struct templight_field field;
    walk->trace = templight_inner_message(file);
    walk->trace_off = file->value_off;
    if (templight_message_ends(&walk->trace))
        return bo_fail(err, BO_CORRUPT, walk->trace_off, "trace has no header");
    enum bo_status status = templight_get_field(&walk->trace, &field, err);
    if (!status && field.number != TEMPLIGHT_TRACE_HEADER)
        return bo_fail(err, BO_CORRUPT, field.off, "trace does not start with its header");
    if (!status)
        status = templight_expect_wire(&field, TEMPLIGHT_WIRE_BYTES, err);
    if (status)
        return status;
    struct templight_message header = templight_inner_message(&field);
    walk->in_trace = true;
    walk->n_files = 0;
    if (!bo_texts_init(&walk->files, false, walk->arena))
        return bo_fail_alloc(err, walk->arena);
    return read_header(walk, &header, field.value_off, err);
}

/* The next field of the trace; *event is unchanged for an unknown field. */
static enum bo_status walk_in_trace(struct templight_walk *walk, enum templight_event *event,
                                    struct bo_error *err)
{
    struct templight_field field;
    enum bo_status status = templight_get_field(&walk->trace, &field, err);
    if (status || field.number > TEMPLIGHT_TRACE_NAME)
        return status;
    if (field.number == TEMPLIGHT_TRACE_HEADER)
        return bo_fail(err, BO_CORRUPT, field.off, "trace has a second header");
    status = templight_expect_wire(&field, TEMPLIGHT_WIRE_BYTES, err);
    if (status)
        return status;
    struct templight_message inner = templight_inner_message(&field);
    if (field.number == TEMPLIGHT_TRACE_ENTRY) {
        *event = TEMPLIGHT_AT_RECORD;
        return read_record(walk, &inner, err);
    }
    *event = TEMPLIGHT_AT_DEFINITION;
    return read_definition(walk, &inner, field.off, err);
}

static enum bo_status walk_in_file(struct templight_walk *walk, enum templight_event *event,
                                   struct bo_error *err)
{
    struct templight_field field;
    const enum bo_status status = templight_get_field(&walk->file, &field, err);
    if (status)
        return status;
    if (field.number != TEMPLIGHT_FILE_TRACE)
        return field.off == 0 ? bo_fail(err, BO_CORRUPT, 0, "file does not start with a trace")
                              : BO_OK;
    *event = TEMPLIGHT_AT_TRACE;
    const enum bo_status wire = templight_expect_wire(&field, TEMPLIGHT_WIRE_BYTES, err);
    return wire ? wire : start_trace(walk, &field, err);
}

void templight_walk_init(struct templight_walk *walk, struct bo_span in, struct bo_arena *arena)
{
    *walk = (struct templight_walk){.in = in, .arena = arena, .file = templight_file_message(in)};
}

struct templight_counts templight_count_ahead(const struct templight_walk *walk)
{
    enum { LEAST_NBYTES = 2 }; /* in a record's or an entry's message */
    struct templight_counts counts = {0, 0};
    struct templight_message trace = walk->trace;
    struct templight_field field;
    while (!templight_message_ends(&trace) && !templight_get_field(&trace, &field, NULL)) {
        const bool counts_one = field.bytes.n >= LEAST_NBYTES;
        counts.n_records += counts_one && field.number == TEMPLIGHT_TRACE_ENTRY;
        counts.n_definitions += counts_one && field.number == TEMPLIGHT_TRACE_NAME;
    }
    return counts;
}

enum bo_status templight_walk_on(struct templight_walk *walk, enum templight_event *event_ret,
                                 struct bo_error *err)
{
    const enum templight_event none = TEMPLIGHT_AT_END;
    *event_ret = none;
    while (*event_ret == none) {
        enum bo_status status;
        if (walk->in_trace && templight_message_ends(&walk->trace)) {
            walk->in_trace = false;
            *event_ret = TEMPLIGHT_AT_TRACE_END;
            return BO_OK;
        }
        if (walk->in_trace)
            status = walk_in_trace(walk, event_ret, err);
        else if (templight_message_ends(&walk->file))
            return BO_OK;
        else
            status = walk_in_file(walk, event_ret, err);
        if (status)
            return status;
    }
    return BO_OK;
}
