/* Templight models: building and comparing them. */
#ifndef TEMPLIGHT_MODEL_H
#define TEMPLIGHT_MODEL_H

#include "codecs/templight/templight.h"
#include "harness/core/text_set.h"

/* ---- building a model, record by record ------------------------------------------------------ */

/* A location whose file is a text, not yet a number. */
struct templight_place {
    bool present;
    struct bo_span file;
    uint32_t line, column;
};

/*
 * A record that still has texts; fields as in struct templight_record. `origin` of an End
 * is set whenever the input contains one. The builder determines whether it differs from the
 * Begin's.
 */
struct templight_entry {
    bool is_end;
    bool has_time, has_memory;
    bool has_origin; /* of an End: `origin` is used; else its Begin's */
    uint32_t kind;
    struct bo_span name;
    struct templight_place location, origin;
    uint64_t time_bits, memory;
};

/* A model's record, with the texts of its trace. */
struct templight_entry templight_entry_of(const struct templight_trace *trace,
                                          const struct templight_record *record);

struct templight_builder {
    struct bo_arena *arena;
    struct templight_trace *traces;
    size_t n_traces, cap_traces;
    /* of the trace that is being built */
    struct bo_texts names, files;
    struct templight_record *records;
    size_t n_records, cap_records;
    size_t *open; /* Begins that have not ended, innermost last */
    size_t n_open, cap_open;
    bool copies;
};

/* Texts are copied to the arena when `copies`, else they must stay where they are. */
void templight_builder_init(struct templight_builder *builder, bool copies, struct bo_arena *arena);

/* Ends the trace before, if any. Each of these is false when the arena refuses. */
bool templight_start_trace(struct templight_builder *builder, uint32_t version,
                           struct bo_span source);
bool templight_add_entry(struct templight_builder *builder, const struct templight_entry *entry);
bool templight_finish(struct templight_builder *builder, struct templight_model **model_ret);

/* The innermost Begin that is open in the trace that is being built, or NULL. */
const struct templight_record *templight_open_begin(const struct templight_builder *builder);

/*
 * A copy of the model without the origins that Ends have of their own, and so perhaps fewer files.
 */
enum bo_status templight_without_own_origins(const struct bo_codec *self, const void *model,
                                             struct bo_arena *arena, void **model_ret,
                                             struct bo_error *err);

/* As bo_format.differ. */
const char *templight_differ(const void *a, const void *b);

#endif
