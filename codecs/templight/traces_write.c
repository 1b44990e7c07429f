/* Templight's messages, the writer: as Templight's own, message for message and field for field. */
#include "codecs/templight/traces.h"

struct trace_writer {
    const struct templight_trace *trace;
    bool has_dictionary;
    struct templight_dictionary dictionary;
    uint32_t *ids;    /* by name */
    uint32_t *n_ends; /* by name: entries of the dictionary once this name is in it */
    uint32_t n_written_names, n_written_pieces, n_written_files;
    struct bo_writer *out;
};

/* ---- sizes: a message's length precedes it --------------------------------------------------- */

static uint64_t piece_nbytes(const struct trace_writer *w, const struct templight_piece *piece)
{
    const uint32_t *ids = templight_piece_ids(&w->dictionary, piece);
    uint64_t n = templight_bytes_field_nbytes(piece->marked_nbytes);
    for (uint32_t i = 0; i < piece->n_ids; i++)
        n += templight_varint_field_nbytes(ids[i]);
    return n;
}

static uint64_t name_nbytes(const struct trace_writer *w, uint32_t name)
{
    return w->has_dictionary ? templight_varint_field_nbytes(w->ids[name])
                             : templight_bytes_field_nbytes(w->trace->names[name].n);
}

/* Files numbered n_files or more have not occurred yet. */
static uint64_t location_nbytes(const struct trace_writer *w,
                                const struct templight_location *location, uint32_t n_files)
{
    uint64_t n = templight_varint_field_nbytes(location->file) +
                 templight_varint_field_nbytes(location->line) +
                 templight_varint_field_nbytes(location->column);
    if (location->file >= n_files)
        n += templight_bytes_field_nbytes(w->trace->files[location->file].n);
    return n;
}

/* The number of files that have occurred, once this location has. */
static uint32_t files_after(const struct templight_location *location, uint32_t n_files)
{
    return location->file != TEMPLIGHT_NONE && location->file >= n_files ? location->file + 1
                                                                         : n_files;
}

static uint64_t times_nbytes(const struct templight_record *record)
{
    return (record->has_time ? 1 + 8 : 0) +
           (record->has_memory ? templight_varint_field_nbytes(record->memory) : 0);
}

static uint64_t begin_nbytes(const struct trace_writer *w, const struct templight_record *record,
                             uint32_t n_files)
{
    uint64_t n = templight_varint_field_nbytes(record->kind) +
                 templight_bytes_field_nbytes(name_nbytes(w, record->name)) + times_nbytes(record);
    if (record->location.file != TEMPLIGHT_NONE)
        n += templight_bytes_field_nbytes(location_nbytes(w, &record->location, n_files));
    if (record->origin.file != TEMPLIGHT_NONE)
        n += templight_bytes_field_nbytes(
            location_nbytes(w, &record->origin, files_after(&record->location, n_files)));
    return n;
}

static uint64_t record_nbytes(const struct trace_writer *w, const struct templight_record *record,
                              uint32_t n_files)
{
    return record->is_end ? times_nbytes(record) : begin_nbytes(w, record, n_files);
}

static uint64_t header_nbytes(const struct templight_trace *trace)
{
    return templight_varint_field_nbytes(trace->version) +
           (trace->source.n ? templight_bytes_field_nbytes(trace->source.n) : 0);
}

static uint64_t trace_nbytes(const struct trace_writer *w)
{
    uint64_t n = templight_bytes_field_nbytes(header_nbytes(w->trace));
    for (uint32_t id = 0; id < w->dictionary.n_pieces; id++)
        n += templight_bytes_field_nbytes(piece_nbytes(w, &w->dictionary.pieces[id]));
    uint32_t n_files = 0;
    for (size_t r = 0; r < w->trace->n_records; r++) {
        const struct templight_record *record = &w->trace->records[r];
        n += templight_bytes_field_nbytes(
            templight_bytes_field_nbytes(record_nbytes(w, record, n_files)));
        n_files = files_after(&record->location, n_files);
        n_files = files_after(&record->origin, n_files);
    }
    return n;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void put_header(const struct trace_writer *w)
{
    bo_mark(w->out, "header");
    templight_put_bytes_head(w->out, TEMPLIGHT_TRACE_HEADER, header_nbytes(w->trace));
    templight_put_varint_field(w->out, TEMPLIGHT_HEADER_VERSION, w->trace->version);
    if (w->trace->source.n)
        templight_put_text_field(w->out, TEMPLIGHT_HEADER_SOURCE, w->trace->source);
}

/* The entries that the name needs and that are not in the file yet. */
static void put_pieces(struct trace_writer *w, uint32_t name)
{
    const struct templight_dictionary *dictionary = &w->dictionary;
    bo_mark(w->out, "names");
    for (; w->n_written_pieces < w->n_ends[name]; w->n_written_pieces++) {
        const struct templight_piece *piece = &dictionary->pieces[w->n_written_pieces];
        const uint32_t *ids = templight_piece_ids(dictionary, piece);
        templight_put_bytes_head(w->out, TEMPLIGHT_TRACE_NAME, piece_nbytes(w, piece));
        templight_put_text_field(w->out, TEMPLIGHT_DEFINITION_MARKED,
                                 templight_piece_marked(dictionary, piece));
        for (uint32_t i = 0; i < piece->n_ids; i++)
            templight_put_varint_field(w->out, TEMPLIGHT_DEFINITION_ID, ids[i]);
    }
}

static void put_name(const struct trace_writer *w, uint32_t name)
{
    bo_mark(w->out, w->has_dictionary ? "refs" : "names");
    templight_put_bytes_head(w->out, TEMPLIGHT_BEGIN_NAME, name_nbytes(w, name));
    if (w->has_dictionary)
        templight_put_varint_field(w->out, TEMPLIGHT_NAME_ID, w->ids[name]);
    else
        templight_put_text_field(w->out, TEMPLIGHT_NAME_TEXT, w->trace->names[name]);
}

static void put_location(struct trace_writer *w, unsigned number,
                         const struct templight_location *location)
{
    if (location->file == TEMPLIGHT_NONE)
        return;
    bo_mark(w->out, "locations");
    templight_put_bytes_head(w->out, number, location_nbytes(w, location, w->n_written_files));
    if (location->file >= w->n_written_files)
        templight_put_text_field(w->out, TEMPLIGHT_LOCATION_FILE_NAME,
                                 w->trace->files[location->file]);
    templight_put_varint_field(w->out, TEMPLIGHT_LOCATION_FILE_ID, location->file);
    templight_put_varint_field(w->out, TEMPLIGHT_LOCATION_LINE, location->line);
    templight_put_varint_field(w->out, TEMPLIGHT_LOCATION_COLUMN, location->column);
    w->n_written_files = files_after(location, w->n_written_files);
}

static void put_times(const struct trace_writer *w, const struct templight_record *record,
                      unsigned time, unsigned memory)
{
    bo_mark(w->out, "times");
    if (record->has_time)
        templight_put_8_bytes_field(w->out, time, record->time_bits);
    if (record->has_memory)
        templight_put_varint_field(w->out, memory, record->memory);
}

static void put_record(struct trace_writer *w, const struct templight_record *record)
{
    struct bo_writer *out = w->out;
    const unsigned number = record->is_end ? TEMPLIGHT_ENTRY_END : TEMPLIGHT_ENTRY_BEGIN;
    const uint64_t n = record_nbytes(w, record, w->n_written_files);
    if (!record->is_end && w->has_dictionary)
        put_pieces(w, record->name);
    bo_mark(out, "structure");
    templight_put_bytes_head(out, TEMPLIGHT_TRACE_ENTRY, templight_bytes_field_nbytes(n));
    templight_put_bytes_head(out, number, n);
    if (record->is_end) {
        put_times(w, record, TEMPLIGHT_END_TIME, TEMPLIGHT_END_MEMORY);
        return;
    }
    templight_put_varint_field(out, TEMPLIGHT_BEGIN_KIND, record->kind);
    put_name(w, record->name);
    put_location(w, TEMPLIGHT_BEGIN_LOCATION, &record->location);
    put_times(w, record, TEMPLIGHT_BEGIN_TIME, TEMPLIGHT_BEGIN_MEMORY);
    put_location(w, TEMPLIGHT_BEGIN_ORIGIN, &record->origin);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* All names, in the order in which the records need them. */
static enum bo_status make_dictionary(struct trace_writer *w, enum templight_rule rule,
                                      struct bo_error *err)
{
    struct bo_arena *arena = w->out->arena;
    const uint32_t n = w->trace->n_names;
    w->ids = bo_alloc_array(arena, n, sizeof *w->ids);
    w->n_ends = bo_alloc_array(arena, n, sizeof *w->n_ends);
    if (!w->ids || !w->n_ends || !templight_dictionary_init(&w->dictionary, rule, arena))
        return bo_fail_alloc(err, arena);
    enum bo_status status = BO_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = templight_dictionary_add(&w->dictionary, w->trace->names[i], &w->ids[i], err);
        w->n_ends[i] = w->dictionary.n_pieces;
    }
    return status;
}

/* Texts must not contain the marker NUL; names that are split are checked when they are split. */
static enum bo_status check_texts(const struct trace_writer *w, struct bo_error *err)
{
    const struct templight_trace *trace = w->trace;
    enum bo_status status = templight_check_text(trace->source, err);
    for (uint32_t i = 0; i < trace->n_files && !status; i++)
        status = templight_check_text(trace->files[i], err);
    for (uint32_t i = 0; i < trace->n_names && !status && !w->has_dictionary; i++)
        status = templight_check_text(trace->names[i], err);
    return status;
}

static enum bo_status write_trace(struct trace_writer *w, enum templight_rule rule,
                                  struct bo_error *err)
{
    enum bo_status status = check_texts(w, err);
    if (!status && w->has_dictionary)
        status = make_dictionary(w, rule, err);
    if (status)
        return status;
    bo_mark(w->out, "structure");
    templight_put_bytes_head(w->out, TEMPLIGHT_FILE_TRACE, trace_nbytes(w));
    put_header(w);
    for (size_t r = 0; r < w->trace->n_records; r++)
        put_record(w, &w->trace->records[r]);
    return bo_writer_status(w->out, err);
}

enum bo_status templight_write_traces(const struct templight_model *model, bool has_dictionary,
                                      enum templight_rule rule, struct bo_writer *out,
                                      struct bo_error *err)
{
    enum bo_status status = bo_writer_status(out, err);
    for (size_t t = 0; t < model->n_traces && !status; t++) {
        struct trace_writer w = {
            .trace = &model->traces[t], .has_dictionary = has_dictionary, .out = out};
        status = write_trace(&w, rule, err);
    }
    return status;
}
