/*
 * Conversions between files, models and payloads: shared by encode, decode, convert, import and
 * query.
 */
#ifndef BO_TRANSCODE_H
#define BO_TRANSCODE_H

#include "cli/cli.h"

/* Each returns 0, or BO_EXIT_USAGE after a message that names the file. */

/* Reads a text form. The model is in `arena` and does not point into the file. */
int bo_read_text(const struct bo_format *format, const char *path, struct bo_arena *arena,
                 void **model_ret);

/* Writes the text form to `path`, or to standard output for NULL. */
int bo_write_text(const struct bo_format *format, const void *model, const char *path);

/*
 * Opens a file that encode wrote; with `raw`, the whole file is the payload. `in` must stay open
 * while the payload is used.
 */
int bo_open_payload(const struct bo_format *format, const struct bo_codec *codec, const char *path,
                    bool raw, struct bo_input *in, struct bo_span *payload_ret);

/* Encodes to `path`, or to standard output for NULL, with a file header unless `raw`. */
int bo_write_payload(const struct bo_format *format, const struct bo_codec *codec,
                     const void *model, const char *path, bool raw);

#endif
