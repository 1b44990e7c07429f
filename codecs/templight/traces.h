/*
 * Templight's messages: traces as protocol buffers, written whole, and read one message after the
 * other. README.md lists the messages and their fields; templight.proto is their schema.
 */
#ifndef TEMPLIGHT_TRACES_H
#define TEMPLIGHT_TRACES_H

#include "codecs/templight/model.h"
#include "codecs/templight/protobuf.h"
#include "codecs/templight/tokenise.h"

/* Field numbers, by message. */
enum {
    TEMPLIGHT_FILE_TRACE = 1,
    TEMPLIGHT_TRACE_HEADER = 1,
    TEMPLIGHT_TRACE_ENTRY = 2,
    TEMPLIGHT_TRACE_NAME = 3,
    TEMPLIGHT_HEADER_VERSION = 1,
    TEMPLIGHT_HEADER_SOURCE = 2,
    TEMPLIGHT_ENTRY_BEGIN = 1,
    TEMPLIGHT_ENTRY_END = 2,
    TEMPLIGHT_BEGIN_KIND = 1,
    TEMPLIGHT_BEGIN_NAME = 2,
    TEMPLIGHT_BEGIN_LOCATION = 3,
    TEMPLIGHT_BEGIN_TIME = 4,
    TEMPLIGHT_BEGIN_MEMORY = 5,
    TEMPLIGHT_BEGIN_ORIGIN = 6,
    TEMPLIGHT_END_TIME = 1,
    TEMPLIGHT_END_MEMORY = 2,
    TEMPLIGHT_NAME_TEXT = 1,
    TEMPLIGHT_NAME_COMPRESSED = 2,
    TEMPLIGHT_NAME_ID = 3,
    TEMPLIGHT_LOCATION_FILE_NAME = 1,
    TEMPLIGHT_LOCATION_FILE_ID = 2,
    TEMPLIGHT_LOCATION_LINE = 3,
    TEMPLIGHT_LOCATION_COLUMN = 4,
    TEMPLIGHT_DEFINITION_MARKED = 1,
    TEMPLIGHT_DEFINITION_ID = 2,
};

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Appends all traces of a model whose Ends have no origins of their own. With a dictionary, entries
 * precede the first Begin that needs them; without one, each Begin contains its name.
 */
enum bo_status templight_write_traces(const struct templight_model *model, bool has_dictionary,
                                      enum templight_rule rule, struct bo_writer *out,
                                      struct bo_error *err);

/* ---- reading --------------------------------------------------------------------------------- */

enum templight_event {
    TEMPLIGHT_AT_TRACE,      /* a trace starts: version, source */
    TEMPLIGHT_AT_DEFINITION, /* of a dictionary entry: definition */
    TEMPLIGHT_AT_RECORD,     /* record, name */
    TEMPLIGHT_AT_TRACE_END,
    TEMPLIGHT_AT_END, /* of the file */
};

struct templight_id {
    uint32_t id;
    size_t off;
};

/* A dictionary entry, not yet checked but for its own fields. */
struct templight_raw_definition {
    struct bo_span marked; /* each NUL is a marker */
    size_t off;            /* of the field in the trace */
    const struct templight_id *ids;
    size_t n_ids;
};

enum templight_name_form {
    TEMPLIGHT_NAME_IS_TEXT,
    TEMPLIGHT_NAME_IS_COMPRESSED, /* with zlib: by the compiler's plug-in, as an option */
    TEMPLIGHT_NAME_IS_ID,
};

/* A Begin's name, in its stored form. */
struct templight_raw_name {
    enum templight_name_form form;
    struct bo_span text; /* or the compressed bytes */
    uint32_t id;
    size_t off; /* of the text, the bytes or the id */
};

/*
 * Reads a file in one pass, and keeps only the names of the trace's source files in memory. Files
 * are numbered as in the model, so the places in `record` are final. Only its name is not filled
 * in.
 */
struct templight_walk {
    struct bo_span in;
    struct bo_arena *arena;
    struct templight_message file, trace;
    bool in_trace;
    size_t trace_off; /* of its first byte */
    uint32_t version;
    struct bo_span source;
    struct bo_texts files;  /* of this trace, by the model's numbers */
    uint32_t *file_numbers; /* by the file's ids */
    uint32_t n_files;
    size_t cap_files;
    struct templight_id *ids; /* of the definition */
    size_t cap_ids;
    struct templight_raw_definition definition;
    struct templight_record record;
    struct templight_raw_name name;
};

void templight_walk_init(struct templight_walk *walk, struct bo_span in, struct bo_arena *arena);

/*
 * At a trace's start: the numbers of its records and dictionary entries, if it is valid, so that
 * tables can be allocated at once. Each takes at least four bytes of the file.
 */
struct templight_counts {
    size_t n_records, n_definitions;
};
struct templight_counts templight_count_ahead(const struct templight_walk *walk);

/* Steps to the next event. After an error or the end, there is no next one. */
enum bo_status templight_walk_on(struct templight_walk *walk, enum templight_event *event_ret,
                                 struct bo_error *err);

#endif
