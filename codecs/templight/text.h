/* The text form of Templight models, the YAML that clang prints: entries of struct bo_format. */
#ifndef TEMPLIGHT_TEXT_H
#define TEMPLIGHT_TEXT_H

#include "codecs/templight/model.h"
#include "harness/core/stream.h"

enum bo_status templight_print(const void *model, struct bo_writer *out, struct bo_error *err);
enum bo_status templight_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err);

/* ---- reading, record by record --------------------------------------------------------------- */

enum templight_text_event {
    TEMPLIGHT_TEXT_TRACE,  /* a trace starts: version, source */
    TEMPLIGHT_TEXT_RECORD, /* entry, closed */
    TEMPLIGHT_TEXT_END,    /* of the text */
};

struct templight_open; /* a Begin that has not ended */

/*
 * Reads a text that is in memory as a whole, or piece by piece from a source. With a source, only
 * the current record and the open Begins are kept in memory.
 */
struct templight_text_reader {
    struct bo_source *source; /* NULL: `text` is everything */
    struct bo_span text;      /* the part in memory */
    uint64_t base;            /* its offset in the whole text */
    bool ended;               /* the source has no more */
    size_t off;               /* next byte of `text` */
    struct bo_span line;      /* the last line, without its end and the blanks before it */
    bool has_line;            /* it is not read yet */
    struct bo_arena *arena;
    struct bo_arena *passing; /* of texts; from a source, what has been passed is given back */
    struct bo_error *err;
    uint8_t *buffer; /* of a source's text */
    size_t cap_buffer;
    struct templight_open *open; /* innermost last */
    size_t n_open, cap_open;
    struct bo_arena_mark passed; /* to here, when the next record is read */
    bool has_passed;
    bool in_trace;
    uint8_t kind_text[64]; /* of the last record, and what it means */
    size_t n_kind_text;
    uint32_t kind;
    /* the event */
    uint32_t version;
    struct bo_span source_file;
    struct templight_entry entry;         /* texts stay until the next event */
    const struct templight_entry *closed; /* by an End: the Begin; or NULL */
};

/* All of a text; its scalars lie in the text or the arena. */
void templight_text_open(struct templight_text_reader *reader, struct bo_span text,
                         struct bo_arena *arena, struct bo_error *err);

/* From a source. `passing` must be another arena, which the reader has for itself. */
void templight_text_open_source(struct templight_text_reader *reader, struct bo_source *source,
                                struct bo_arena *arena, struct bo_arena *passing,
                                struct bo_error *err);

/* Steps to the next event. After an error or the end, there is no next one. */
enum bo_status templight_text_next(struct templight_text_reader *reader,
                                   enum templight_text_event *event_ret);

/* ---- printing, record by record -------------------------------------------------------------- */

/* `closed` as in the reader. */
void templight_put_entry(struct bo_writer *out, const struct templight_entry *entry,
                         const struct templight_entry *closed);

/* A first trace that has records and the header of clang's output needs no header line. */
void templight_put_trace_header(struct bo_writer *out, uint32_t version, struct bo_span source);
static inline bool templight_is_clangs_header(uint32_t version, struct bo_span source)
{
    return version == TEMPLIGHT_VERSION && source.n == 0;
}

/* ---- parts, for printing and parsing --------------------------------------------------------- */

/* The line before a trace. It is a comment, so that readers of YAML skip it. */
#define TEMPLIGHT_TRACE_COMMENT "# trace: "

/* Kinds that clang added later. Their numbers are defined here, far from those that clang uses. */
struct templight_later_kind {
    uint32_t kind;
    const char *name;
};
extern const struct templight_later_kind templight_later_kinds[]; /* ends with a NULL name */

/* The longest text of a time, with its NUL. */
enum { TEMPLIGHT_TIME_NBYTES = 48 };

/*
 * A double's bits as the shortest decimal from which they are read back; .inf, .nan, and bits for
 * other NaNs.
 */
void templight_time_text(uint64_t bits, char text[TEMPLIGHT_TIME_NBYTES]);
bool templight_read_time(struct bo_span text, uint64_t *bits_ret);

#endif
