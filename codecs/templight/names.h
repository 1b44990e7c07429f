/*
 * The names of a trace that is read, expanded: the table that the sequential reader and the batch
 * reader have in memory, and its answers.
 */
#ifndef TEMPLIGHT_NAMES_H
#define TEMPLIGHT_NAMES_H

#include "codecs/templight/definitions.h"

/* ---- numbering names ------------------------------------------------------------------------- */

/*
 * Numbers the names of one trace in the order of their first use. An entry is expanded when a Begin
 * first uses it. The texts of its parts are then inside its text, and are copied from there into
 * other names.
 */
struct templight_namer {
    struct bo_arena *arena;
    struct templight_definitions definitions;
    struct bo_texts names;
    const uint8_t **texts; /* by entry; NULL: not expanded yet */
    uint32_t n_texts;
    size_t cap_texts;
    struct templight_task *tasks; /* scratch memory */
    size_t cap_tasks;
};

/* For a trace of so many bytes, with room for n entries. False when the arena refuses. */
bool templight_namer_init(struct templight_namer *namer, size_t trace_nbytes, size_t n,
                          struct bo_arena *arena);

/* The number of the name that a Begin has. */
enum bo_status templight_number_name(struct templight_namer *namer,
                                     const struct templight_raw_name *raw, uint32_t *number_ret,
                                     struct bo_error *err);

/* ---- the model ------------------------------------------------------------------------------- */

/* All of a file: the model, and each trace's namer. */
struct templight_decoded {
    struct templight_model model;
    struct templight_namer *namers;
};

enum bo_status templight_decode_traces(struct bo_span in, struct bo_arena *arena,
                                       struct templight_decoded **decoded_ret,
                                       struct bo_error *err);

/* ---- answers --------------------------------------------------------------------------------- */

/* Zeroed padding, so that answers compare with memcmp. NULL when the sink is full. */
uint8_t *templight_take_text(struct bo_sink *sink, uint64_t nbytes);

/* Answers the kinds that only need names: all but TEMPLIGHT_STREAM. As bo_codec.query. */
enum bo_status templight_answer_names(const struct templight_namer *namers, size_t n_traces,
                                      unsigned kind, const void *queries, size_t n, void *answers);

/* The same, and TEMPLIGHT_STREAM from the model; `decoded` is a reader. As bo_codec.query. */
enum bo_status templight_query_decoded(const struct bo_codec *self, void *decoded, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err);

#endif
