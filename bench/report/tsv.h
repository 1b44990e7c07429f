/* Tables in files of tab-separated values: results that do not come from the benchmark. */
#ifndef BO_REPORT_TSV_H
#define BO_REPORT_TSV_H

#include "harness/core/arena.h"

enum { BO_TSV_MAX_CELLS = 12 };

struct bo_tsv_row {
    const char *cells[BO_TSV_MAX_CELLS]; /* "" past the last */
};

struct bo_tsv {
    const char *made; /* the text of the first comment; NULL when the file is missing */
    struct bo_tsv_row *rows;
    size_t n;
};

/*
 * Reads FOLDER/NAME.tsv into the arena, which must have no limit. Lines that start with # are
 * comments.
 */
struct bo_tsv bo_tsv_read(const char *folder, const char *name, struct bo_arena *arena);

/* The first row whose first two cells are these, or NULL; `second` may be NULL. */
const struct bo_tsv_row *bo_tsv_find(const struct bo_tsv *tsv, const char *first,
                                     const char *second);

/* The number in a row's cell; NaN if the cell has none, or without a row. */
double bo_tsv_number(const struct bo_tsv_row *row, unsigned cell);

#endif
