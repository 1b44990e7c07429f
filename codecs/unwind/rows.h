/* The records of the controls `rows` and `rows-zstd`. */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "codecs/unwind/unwind.h"

enum { UNWIND_FUNCTION_NBYTES = 16, UNWIND_ROW_NBYTES = 20 };

/* All functions' records; BO_UNSUPPORTED when a number does not fit. */
enum bo_status unwind_put_functions(const struct unwind_model *model, struct bo_writer *out,
                                    struct bo_error *err);
void unwind_put_row(const struct unwind_row *row, struct bo_writer *out);
void unwind_get_row(const uint8_t *p, struct unwind_row *row);

/* That functions ascend from Base and their first rows are below n_rows; `at`: for errors. */
enum bo_status unwind_check_functions(struct bo_span functions, uint64_t n_rows, uint64_t base,
                                      size_t at, struct bo_error *err);

#endif
