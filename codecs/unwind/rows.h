/* The records of the controls `rows` and `rows-zstd`. */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "codecs/unwind/unwind.h"

enum { UNWIND_FUNCTION_NBYTES = 16, UNWIND_ROW_NBYTES = 20 };

/*
 * Writes the records of all functions; BO_UNSUPPORTED if the model is joined or a number does not
 * fit its field.
 */
enum bo_status unwind_put_functions(const struct unwind_model *model, struct bo_writer *out,
                                    struct bo_error *err);
void unwind_put_row(const struct unwind_row *row, struct bo_writer *out);
void unwind_get_row(const uint8_t *p, struct unwind_row *row);

/*
 * Checks all records, of which a frame's first two parts are functions and rows; adds them to a
 * builder unless b is NULL.
 */
enum bo_status unwind_walk_rows(const struct unwind_frame *frame, struct unwind_builder *b,
                                struct bo_error *err);

#endif
