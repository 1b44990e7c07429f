/*
 * The importer of Templight's own files: protocol buffers, by the schema in
 * codecs/templight/templight.proto.
 *
 * It accepts names in all forms that writers produce: as text (mode 0), compressed with zlib one
 * by one (mode 1), and as entries of a dictionary (mode 2). A trace is read twice: first its header
 * and its dictionary, so that entries may follow the records that use them, then its records. The
 * codecs' readers expand only names that are queried. This importer expands every entry when it
 * reads it, from the texts of its parts.
 */
#include <zlib.h>

#include "codecs/templight/model.h"
#include "corpora/import/import.h"

enum wire { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5 };

enum {
    FILE_TRACE = 1,
    TRACE_HEADER = 1,
    TRACE_ENTRY = 2,
    TRACE_NAME = 3,
};

/*
 * Limits on expanded texts: the size of one text, and, for all texts of a file, 1 GiB plus 64 times
 * the file's size. A text counts each time that an entry of the dictionary, a compressed name, a
 * record or a place uses it, because the text form repeats it there. Real files have up to 28 931
 * bytes per text, and dictionaries that expand to up to 22 times their bytes.
 */
#define MAX_NAME_NBYTES ((size_t)16 << 20)
#define MAX_MADE_NBYTES(file_nbytes) ((UINT64_C(1) << 30) + UINT64_C(64) * (file_nbytes))

struct field {
    uint32_t number;
    enum wire wire;
    uint64_t value;
    struct bo_span bytes;
    size_t off, value_off; /* in the file */
};

struct reader {
    struct bo_arena *arena;
    struct bo_error *err;
    struct templight_builder builder;
    struct bo_span file;
    /* of the trace */
    struct bo_span *entries; /* texts by id */
    size_t n_entries, cap_entries;
    struct bo_span *files; /* names by id */
    size_t n_files, cap_files;
    uint32_t *ids; /* of the entry that is being read */
    size_t n_ids, cap_ids;
    uint64_t n_made;
    z_stream zlib;
    uint8_t *inflated;
    size_t cap_inflated;
};

static enum bo_status fail(const struct reader *r, enum bo_status status, size_t off,
                           const char *what)
{
    return bo_fail(r->err, status, off, what);
}

static size_t offset_of(const struct reader *r, const uint8_t *p)
{
    return (size_t)(p - r->file.p);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static const char runs_past_end[] = "field runs past the end";

/* In the file itself, a field that runs past the end is truncated. */
static enum bo_status fail_past_end(const struct reader *r, struct bo_span in, const uint8_t *at)
{
    const bool is_file = in.p + in.n == r->file.p + r->file.n && in.p == r->file.p;
    return fail(r, is_file ? BO_TRUNCATED : BO_CORRUPT, offset_of(r, at), runs_past_end);
}

static enum bo_status take_varint(const struct reader *r, struct bo_span in, size_t *at,
                                  uint64_t *v_ret)
{
    const uint8_t *start = in.p + *at;
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*at == in.n)
            return fail_past_end(r, in, start);
        const uint8_t byte = in.p[(*at)++];
        if (shift == 63 && byte > 1)
            break;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *v_ret = v;
            return BO_OK;
        }
    }
    return fail(r, BO_CORRUPT, offset_of(r, start), "varint has more than 64 bits");
}

/* Reads the field at byte *at of the message, and moves *at past it. */
static enum bo_status take_field(const struct reader *r, struct bo_span in, size_t *at,
                                 struct field *f)
{
    uint64_t tag;
    *f = (struct field){.off = offset_of(r, in.p + *at)};
    enum bo_status status = take_varint(r, in, at, &tag);
    if (status)
        return status;
    if (tag >> 3 == 0 || tag >> 32)
        return fail(r, BO_CORRUPT, f->off, "field number is 0 or above 2^29 - 1");
    f->number = (uint32_t)(tag >> 3);
    f->wire = (enum wire)(tag & 7);
    f->value_off = offset_of(r, in.p + *at);
    if (f->wire != EIGHT_BYTES && f->wire != FOUR_BYTES && f->wire != VARINT && f->wire != BYTES)
        return fail(r, BO_CORRUPT, f->off, "wire type is a group or unknown");
    if (f->wire == VARINT)
        return take_varint(r, in, at, &f->value);
    uint64_t n = f->wire == EIGHT_BYTES ? 8 : 4;
    const uint8_t *length = in.p + *at;
    status = f->wire == BYTES ? take_varint(r, in, at, &n) : BO_OK;
    if (status)
        return status;
    if (n > in.n - *at)
        return fail_past_end(r, in, length);
    f->bytes = (struct bo_span){in.p + *at, (size_t)n};
    f->value_off = offset_of(r, f->bytes.p);
    if (f->wire != BYTES)
        f->value = n == 8 ? bo_le64(f->bytes.p) : bo_le32(f->bytes.p);
    *at += (size_t)n;
    return BO_OK;
}

static enum bo_status need_wire(const struct reader *r, const struct field *f, enum wire wire)
{
    return f->wire == wire ? BO_OK : fail(r, BO_CORRUPT, f->off, "field has the wrong wire type");
}

static enum bo_status need_u32(const struct reader *r, const struct field *f, uint32_t *v_ret)
{
    const enum bo_status status = need_wire(r, f, VARINT);
    if (!status && f->value > UINT32_MAX)
        return fail(r, BO_CORRUPT, f->value_off, "number has more than 32 bits");
    *v_ret = (uint32_t)f->value;
    return status;
}

/* A copy in the arena, since neither the file nor the buffer of inflated names lasts. */
static enum bo_status keep(const struct reader *r, struct bo_span text, struct bo_span *kept_ret)
{
    *kept_ret = text;
    return bo_keep_span(r->arena, kept_ret) ? BO_OK : bo_fail_alloc(r->err, r->arena);
}

static enum bo_status take_text(const struct reader *r, const struct field *f,
                                struct bo_span *text_ret)
{
    const enum bo_status status = need_wire(r, f, BYTES);
    const uint8_t *nul = status || f->bytes.n == 0 ? NULL : memchr(f->bytes.p, 0, f->bytes.n);
    if (status)
        return status;
    return nul ? fail(r, BO_CORRUPT, offset_of(r, nul), "text holds a NUL")
               : keep(r, f->bytes, text_ret);
}

/* Checks that a submessage occurs once; *message is its position. */
static enum bo_status need_message(const struct reader *r, const struct field *f,
                                   struct bo_span *message)
{
    if (message->p)
        return fail(r, BO_UNSUPPORTED, f->off, "message in more than one part");
    *message = f->bytes;
    return need_wire(r, f, BYTES);
}

/* Reads a message: calls `take` for each field. */
typedef enum bo_status (*field_taker)(struct reader *r, const struct field *f, void *into);

static enum bo_status read_message(struct reader *r, struct bo_span in, field_taker take,
                                   void *into)
{
    for (size_t at = 0; at < in.n;) {
        struct field f;
        enum bo_status status = take_field(r, in, &at, &f);
        if (!status)
            status = take(r, &f, into);
        if (status)
            return status;
    }
    return BO_OK;
}

/* ---- expanded texts -------------------------------------------------------------------------- */

static enum bo_status count_made(struct reader *r, uint64_t n, size_t off)
{
    r->n_made += n;
    return n > MAX_NAME_NBYTES || r->n_made > MAX_MADE_NBYTES(r->file.n)
               ? fail(r, BO_OVER_LIMIT, off, "names would expand to too much")
               : BO_OK;
}

/* Expands an entry: its bytes, with the text of another entry for each NUL. */
static enum bo_status expand(struct reader *r, struct bo_span marked, size_t off,
                             struct bo_span *text_ret)
{
    uint64_t n = 0;
    size_t n_markers = 0;
    for (size_t i = 0; i < marked.n; i++)
        if (marked.p[i])
            n++;
        else if (n_markers++ < r->n_ids)
            n += r->entries[r->ids[n_markers - 1]].n;
    if (n_markers != r->n_ids)
        return fail(r, BO_CORRUPT, off,
                    "dictionary entry has different numbers of ids and markers");
    if (n == marked.n && n_markers == 0)
        return keep(r, marked, text_ret);
    const enum bo_status status = count_made(r, n, off);
    if (status)
        return status;
    uint8_t *to = bo_alloc(r->arena, (size_t)n);
    if (!to)
        return bo_fail_alloc(r->err, r->arena);
    *text_ret = (struct bo_span){to, (size_t)n};
    n_markers = 0;
    for (size_t i = 0; i < marked.n; i++) {
        if (marked.p[i]) {
            *to++ = marked.p[i];
            continue;
        }
        const struct bo_span part = r->entries[r->ids[n_markers++]];
        if (part.n)
            memcpy(to, part.p, part.n);
        to += part.n;
    }
    return BO_OK;
}

static bool make_room(struct reader *r, size_t n)
{
    return bo_grow_from(1 << 12, r->arena, &r->inflated, n, 1, &r->cap_inflated);
}

/* Inflates into the buffer, which grows to about the longest allowed name. */
static enum bo_status inflate_name(struct reader *r, const struct field *f, struct bo_span *text)
{
    size_t n = 0;
    int ret = inflateReset(&r->zlib);
    if (f->bytes.n > MAX_NAME_NBYTES)
        return fail(r, BO_OVER_LIMIT, f->value_off, "names would expand to too much");
    r->zlib.next_in = (Bytef *)f->bytes.p;
    r->zlib.avail_in = (uInt)f->bytes.n;
    while (ret == Z_OK && n <= MAX_NAME_NBYTES) {
        if (!make_room(r, n))
            return bo_fail_alloc(r->err, r->arena);
        r->zlib.next_out = r->inflated + n;
        r->zlib.avail_out = (uInt)(r->cap_inflated - n);
        ret = inflate(&r->zlib, Z_NO_FLUSH);
        n = r->cap_inflated - r->zlib.avail_out;
    }
    if (ret == Z_BUF_ERROR)
        return fail(r, BO_CORRUPT, f->value_off, "compressed name ends early");
    if ((ret != Z_OK && ret != Z_STREAM_END) || (ret == Z_STREAM_END && r->zlib.avail_in))
        return fail(r, BO_CORRUPT, f->value_off, "compressed name is damaged");
    if (memchr(r->inflated, 0, n))
        return fail(r, BO_CORRUPT, f->value_off, "compressed name contains a NUL");
    const enum bo_status status = count_made(r, n, f->value_off);
    return status ? status : keep(r, (struct bo_span){r->inflated, n}, text);
}

/* ---- the dictionary -------------------------------------------------------------------------- */

static enum bo_status add_id(struct reader *r, uint64_t id, size_t off)
{
    if (id >= r->n_entries)
        return fail(r, BO_CORRUPT, off,
                    "dictionary entry refers to an entry that does not precede it");
    if (!bo_grow(r->arena, &r->ids, r->n_ids, 1, &r->cap_ids))
        return bo_fail_alloc(r->err, r->arena);
    r->ids[r->n_ids++] = (uint32_t)id;
    return BO_OK;
}

static enum bo_status take_definition_field(struct reader *r, const struct field *f, void *into)
{
    enum { MARKED = 1, ID = 2 };
    struct bo_span *marked = into;
    if (f->number == MARKED) {
        *marked = f->bytes;
        return need_wire(r, f, BYTES);
    }
    if (f->number != ID)
        return BO_OK;
    if (f->wire == VARINT)
        return add_id(r, f->value, f->value_off);
    enum bo_status status = need_wire(r, f, BYTES);
    for (size_t at = 0; at < f->bytes.n && !status;) {
        const size_t off = f->value_off + at;
        uint64_t id = 0;
        status = take_varint(r, f->bytes, &at, &id);
        if (!status)
            status = add_id(r, id, off);
    }
    return status;
}

static enum bo_status take_definition(struct reader *r, const struct field *f)
{
    struct bo_span marked = {NULL, 0};
    enum bo_status status = need_wire(r, f, BYTES);
    r->n_ids = 0;
    if (!status)
        status = read_message(r, f->bytes, take_definition_field, &marked);
    if (!status && !marked.p)
        status = fail(r, BO_CORRUPT, f->off, "dictionary entry has no text");
    if (!status)
        status = expand(r, marked, f->off, &marked);
    if (status)
        return status;
    if (!bo_grow(r->arena, &r->entries, r->n_entries, 1, &r->cap_entries))
        return bo_fail_alloc(r->err, r->arena);
    r->entries[r->n_entries++] = marked;
    return BO_OK;
}

/* ---- records --------------------------------------------------------------------------------- */

static enum bo_status take_name_field(struct reader *r, const struct field *f, void *into)
{
    enum { TEXT = 1, COMPRESSED = 2, ID = 3 };
    struct bo_span *name = into; /* if there are several forms, the last one counts */
    uint32_t id = 0;
    enum bo_status status;
    switch (f->number) {
    case TEXT:
        return take_text(r, f, name);
    case COMPRESSED:
        status = need_wire(r, f, BYTES);
        return status ? status : inflate_name(r, f, name);
    case ID:
        status = need_u32(r, f, &id);
        if (!status && id >= r->n_entries)
            status = fail(r, BO_CORRUPT, f->value_off, "name refers to a missing dictionary entry");
        if (!status)
            *name = r->entries[id];
        return status ? status : count_made(r, name->n, f->value_off);
    default:
        return BO_OK;
    }
}

struct location {
    struct templight_place place;
    bool has_name, has_id, has_line;
    uint32_t id;
};

static enum bo_status take_location_field(struct reader *r, const struct field *f, void *into)
{
    enum { FILE_NAME = 1, FILE_ID = 2, LINE = 3, COLUMN = 4 };
    struct location *location = into;
    switch (f->number) {
    case FILE_NAME:
        location->has_name = true;
        return take_text(r, f, &location->place.file);
    case FILE_ID:
        location->has_id = true;
        return need_u32(r, f, &location->id);
    case LINE:
        location->has_line = true;
        return need_u32(r, f, &location->place.line);
    case COLUMN:
        return need_u32(r, f, &location->place.column);
    default:
        return BO_OK;
    }
}

/* A file's name is stored at its first use. It may be repeated. */
static enum bo_status find_file(struct reader *r, struct location *location, size_t off)
{
    if (location->id > r->n_files || (location->id == r->n_files && !location->has_name))
        return fail(r, BO_CORRUPT, off, "location refers to a file without a name");
    if (location->id == r->n_files) {
        if (!bo_grow(r->arena, &r->files, r->n_files, 1, &r->cap_files))
            return bo_fail_alloc(r->err, r->arena);
        r->files[r->n_files++] = location->place.file;
    }
    if (location->has_name && !bo_span_equal(location->place.file, r->files[location->id]))
        return fail(r, BO_CORRUPT, off, "file has two names");
    location->place.file = r->files[location->id];
    return count_made(r, location->place.file.n, off);
}

static enum bo_status take_location(struct reader *r, const struct field *f,
                                    struct templight_place *place)
{
    struct location location = {.place = {.present = true}};
    if (place->present)
        return fail(r, BO_UNSUPPORTED, f->off, "message in more than one part");
    enum bo_status status = need_wire(r, f, BYTES);
    if (!status)
        status = read_message(r, f->bytes, take_location_field, &location);
    if (!status && !(location.has_id && location.has_line))
        status = fail(r, BO_CORRUPT, f->value_off, "location has no file or no line");
    if (!status)
        status = find_file(r, &location, f->value_off);
    *place = location.place;
    return status;
}

static enum bo_status take_time(struct reader *r, const struct field *f,
                                struct templight_entry *entry)
{
    entry->has_time = true;
    entry->time_bits = f->value;
    return need_wire(r, f, EIGHT_BYTES);
}

static enum bo_status take_memory(struct reader *r, const struct field *f,
                                  struct templight_entry *entry)
{
    entry->has_memory = true;
    entry->memory = f->value;
    return need_wire(r, f, VARINT);
}

struct begin {
    struct templight_entry *entry;
    bool has_kind;
    struct bo_span name; /* the message */
};

static enum bo_status take_begin_field(struct reader *r, const struct field *f, void *into)
{
    enum { KIND = 1, NAME = 2, LOCATION = 3, TIME = 4, MEMORY = 5, ORIGIN = 6 };
    struct begin *begin = into;
    enum bo_status status;
    switch (f->number) {
    case KIND:
        begin->has_kind = true;
        return need_u32(r, f, &begin->entry->kind);
    case NAME:
        status = need_message(r, f, &begin->name);
        if (!status)
            status = read_message(r, f->bytes, take_name_field, &begin->entry->name);
        return status || begin->entry->name.p ? status
                                              : fail(r, BO_CORRUPT, f->value_off, "name is empty");
    case LOCATION:
        return take_location(r, f, &begin->entry->location);
    case TIME:
        return take_time(r, f, begin->entry);
    case MEMORY:
        return take_memory(r, f, begin->entry);
    case ORIGIN:
        return take_location(r, f, &begin->entry->origin);
    default:
        return BO_OK;
    }
}

static enum bo_status take_end_field(struct reader *r, const struct field *f, void *into)
{
    enum { TIME = 1, MEMORY = 2 };
    return f->number == TIME     ? take_time(r, f, into)
           : f->number == MEMORY ? take_memory(r, f, into)
                                 : BO_OK;
}

/* A record's messages; exactly one must be present. */
struct record {
    struct bo_span begin, end;
};

static enum bo_status take_record_field(struct reader *r, const struct field *f, void *into)
{
    enum { BEGIN = 1, END = 2 };
    struct record *record = into;
    return f->number == BEGIN ? need_message(r, f, &record->begin)
           : f->number == END ? need_message(r, f, &record->end)
                              : BO_OK;
}

static enum bo_status take_record(struct reader *r, const struct field *f)
{
    struct record record = {0};
    struct templight_entry entry = {0};
    struct begin begin = {.entry = &entry};
    enum bo_status status = need_wire(r, f, BYTES);
    if (!status)
        status = read_message(r, f->bytes, take_record_field, &record);
    if (!status && !record.begin.p == !record.end.p)
        status = fail(r, BO_CORRUPT, f->value_off, "record is not exactly one of begin and end");
    if (status)
        return status;
    entry.is_end = record.end.p;
    if (entry.is_end)
        status = read_message(r, record.end, take_end_field, &entry);
    else
        status = read_message(r, record.begin, take_begin_field, &begin);
    if (!status && !entry.is_end && !(begin.has_kind && begin.name.p))
        status = fail(r, BO_CORRUPT, offset_of(r, record.begin.p), "begin has no kind or no name");
    if (status)
        return status;
    return templight_add_entry(&r->builder, &entry) ? BO_OK : bo_fail_alloc(r->err, r->arena);
}

/* ---- traces ---------------------------------------------------------------------------------- */

struct header {
    struct bo_span message, source;
    bool has_version;
    uint32_t version;
};

static enum bo_status take_header_field(struct reader *r, const struct field *f, void *into)
{
    enum { VERSION = 1, SOURCE = 2 };
    struct header *header = into;
    if (f->number == SOURCE)
        return take_text(r, f, &header->source);
    if (f->number != VERSION)
        return BO_OK;
    header->has_version = true;
    return need_u32(r, f, &header->version);
}

static enum bo_status take_table_field(struct reader *r, const struct field *f, void *into)
{
    struct header *header = into;
    if (f->number == TRACE_NAME)
        return take_definition(r, f);
    if (f->number != TRACE_HEADER)
        return BO_OK;
    const enum bo_status status = need_message(r, f, &header->message);
    return status ? status : read_message(r, f->bytes, take_header_field, header);
}

static enum bo_status take_trace_field(struct reader *r, const struct field *f, void *into)
{
    return f->number == TRACE_ENTRY ? take_record(r, f) : BO_OK;
}

static enum bo_status take_trace(struct reader *r, const struct field *f, void *into)
{
    struct header header = {.has_version = false};
    if (f->number != FILE_TRACE)
        return BO_OK;
    r->n_entries = r->n_files = 0;
    enum bo_status status = need_wire(r, f, BYTES);
    if (!status)
        status = read_message(r, f->bytes, take_table_field, &header);
    if (!status && !header.has_version)
        status = fail(r, BO_CORRUPT, f->value_off, "trace has no header with a version");
    if (!status && !templight_start_trace(&r->builder, header.version, header.source))
        status = bo_fail_alloc(r->err, r->arena);
    return status ? status : read_message(r, f->bytes, take_trace_field, NULL);
}

/* ---- the importer ---------------------------------------------------------------------------- */

/* Recognises a trace's tag and length, and its header's tag. */
static bool looks_like_traces(struct bo_span file)
{
    enum { TAG = 1 << 3 | BYTES, MAX_LENGTH_NBYTES = 10 };
    size_t at = 1;
    if (file.n == 0 || file.p[0] != TAG)
        return false;
    while (at < file.n && at < MAX_LENGTH_NBYTES && file.p[at] >= 0x80)
        at++;
    return at + 1 >= file.n || file.p[at + 1] == TAG;
}

static enum bo_status import_traces(struct bo_span file, const struct bo_import_options *options,
                                    struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct reader r = {.arena = arena, .err = err, .file = file};
    struct templight_model *model = NULL;
    if (inflateInit(&r.zlib) != Z_OK)
        return fail(&r, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory for zlib");
    templight_builder_init(&r.builder, false, arena);
    enum bo_status status = read_message(&r, file, take_trace, NULL);
    inflateEnd(&r.zlib);
    if (!status && !templight_finish(&r.builder, &model))
        status = bo_fail_alloc(err, arena);
    *model_ret = model;
    return status;
}

const struct bo_importer templight_protobuf_importer = {
    .format = "templight",
    .name = "protobuf",
    .summary = "Templight's own files, whatever names they have: plain, by zlib, by a dictionary",
    .sniff = looks_like_traces,
    .import = import_traces,
};
