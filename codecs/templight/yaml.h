/*
 * Scalars of YAML, in the style that clang (LLVM) prints: plain, 'single' or "double" quoted,
 * depending on the text; and !!binary, in base64, for texts that YAML cannot represent otherwise.
 */
#ifndef TEMPLIGHT_YAML_H
#define TEMPLIGHT_YAML_H

#include "harness/core/bytes.h"

enum templight_quoting {
    TEMPLIGHT_PLAIN,
    TEMPLIGHT_SINGLE,  /* without a quote in it: all of it as it is */
    TEMPLIGHT_DOUBLED, /* single, with each quote in it twice */
    TEMPLIGHT_DOUBLE,  /* with escapes */
    TEMPLIGHT_BINARY,  /* not UTF-8 */
};

/* How the text, which holds no NUL, is written. */
enum templight_quoting templight_quoting_of(struct bo_span text);

/* Appends the text; `quoting` must be the result of templight_quoting_of. */
void templight_put_scalar(struct bo_writer *out, struct bo_span text,
                          enum templight_quoting quoting);

/*
 * The value of a scalar, which is all of `raw` and has no blanks around it. The text lies in `raw`
 * when it is stored there literally, else in `arena`. NULL, or the error at byte *at_ret of raw.
 * When the arena is full, that error is templight_yaml_no_memory.
 */
const char *templight_read_scalar(struct bo_span raw, struct bo_arena *arena,
                                  struct bo_span *text_ret, size_t *at_ret);

extern const char templight_yaml_no_memory[];

#endif
