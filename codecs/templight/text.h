/* The text form of Templight models, the YAML that clang prints: entries of struct bo_format. */
#ifndef TEMPLIGHT_TEXT_H
#define TEMPLIGHT_TEXT_H

#include "codecs/templight/templight.h"

enum bo_status templight_print(const void *model, struct bo_writer *out, struct bo_error *err);
enum bo_status templight_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err);

/* ---- parts, for printing and parsing ----------------------------------------------------------- */

/* What stands before a trace, in a comment, so that readers of YAML pass over it. */
#define TEMPLIGHT_TRACE_COMMENT "# trace: "

/* Kinds that clang got after it had numbers for the others: ours are far from any that it gives. */
struct templight_later_kind {
    uint32_t kind;
    const char *name;
};
extern const struct templight_later_kind templight_later_kinds[]; /* ends with a NULL name */

/* The longest text of a time, with its NUL. */
enum { TEMPLIGHT_TIME_NBYTES = 48 };

/* A double's bits as the shortest decimal that gives them back; .inf, .nan, and bits for other NaNs. */
void templight_time_text(uint64_t bits, char text[TEMPLIGHT_TIME_NBYTES]);
bool templight_read_time(struct bo_span text, uint64_t *bits_ret);

#endif
