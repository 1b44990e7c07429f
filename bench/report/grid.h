/*
 * A table of texts, and the forms in which people read and paste one: Markdown, HTML, LaTeX, CSV,
 * plain text of limited width.
 */
#ifndef BO_REPORT_GRID_H
#define BO_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "harness/core/arena.h"

/* The first row is the heading. All rows have as many cells as it. */
struct bo_grid {
    struct bo_arena *arena;
    unsigned n_left; /* columns aligned to the left, from the first on; the others to the right */
    unsigned n_columns;
    const char **cells;
    double *values; /* what a cell's text was made of; NaN where the text alone is known */
    size_t n_cells, cap, values_cap;
};

/* An empty grid whose texts live in `arena`. */
void bo_grid_init(struct bo_grid *grid, struct bo_arena *arena, unsigned n_left);

/* Appends a cell to the row that is being filled. */
void bo_grid_add(struct bo_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number that the last cell's text was made of: what HTML sorts by. */
void bo_grid_value(struct bo_grid *grid, double v);

/* Ends the row. The first row sets the number of columns; a row of another length aborts. */
void bo_grid_end_row(struct bo_grid *grid);

/* Rows with the heading; 0 for an empty grid. */
size_t bo_grid_n_rows(const struct bo_grid *grid);

/* ---- forms ----------------------------------------------------------------------------------- */

void bo_grid_markdown(const struct bo_grid *grid, FILE *out);

/*
 * A table in a box of its own that scrolls, without an empty line, so that it may stand in
 * Markdown. `data-v` holds a cell's value; links and emphasis of a whole cell are as in Markdown.
 */
void bo_grid_html(const struct bo_grid *grid, const char *name, FILE *out);
void bo_grid_csv(const struct bo_grid *grid, FILE *out);

/* A tabular with booktabs' rules. */
void bo_grid_tex(const struct bo_grid *grid, FILE *out);

/*
 * Aligned columns in lines of at most `width` columns, which must be 24 or more. Headings break
 * after '/' and at spaces. Columns that do not fit stand below, behind the first column again; a
 * cell that alone is too wide is cut, its last character a '~'.
 */
void bo_grid_text(const struct bo_grid *grid, unsigned width, FILE *out);

/* A text with what HTML takes for markup made plain, in attributes, too. */
void bo_print_html(const char *text, FILE *out);

/* A text with what LaTeX takes for commands made plain. */
void bo_print_tex(const char *text, FILE *out);

#endif
