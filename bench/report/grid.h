/*
 * A table of texts, and its output formats: Markdown, HTML, LaTeX, CSV, plain text of limited
 * width.
 */
#ifndef BO_REPORT_GRID_H
#define BO_REPORT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "harness/core/arena.h"

/* The first row is the heading. All rows have as many cells as it. */
struct bo_grid {
    struct bo_arena *arena;
    unsigned n_left; /* the first n_left columns are aligned to the left, the others to the right */
    bool whole_headings; /* plain text does not break headings */
    unsigned n_columns;
    const char **cells;
    double *values; /* the number that a cell's text was made from; NaN if only the text is known */
    size_t n_cells, cap, values_cap;
    const char **headings; /* of bo_grid_column, until the first row ends */
    size_t n_headings, headings_cap;
};

/* An empty grid whose texts live in `arena`. */
void bo_grid_init(struct bo_grid *grid, struct bo_arena *arena, unsigned n_left);

/* A grid with a heading of these texts, which end with NULL. */
void bo_grid_begin(struct bo_grid *grid, struct bo_arena *arena, unsigned n_left, ...)
    __attribute__((sentinel));

/* Appends a cell to the current row. */
void bo_grid_add(struct bo_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends cells of these texts, which end with NULL. */
void bo_grid_texts(struct bo_grid *grid, ...) __attribute__((sentinel));

/*
 * Appends a cell with its column's heading, so that a grid without bo_grid_begin needs no loop for
 * its heading. The headings of the first row count; they must live as long as the grid.
 */
void bo_grid_column(struct bo_grid *grid, const char *heading, const char *text);

/* The number that the last cell's text was made from: the sort key in HTML. */
void bo_grid_value(struct bo_grid *grid, double v);

/* Ends the row. The first row sets the number of columns; a row of another length aborts. */
void bo_grid_end_row(struct bo_grid *grid);

/* Rows with the heading; 0 for an empty grid. */
size_t bo_grid_n_rows(const struct bo_grid *grid);

/* ---- forms ----------------------------------------------------------------------------------- */

void bo_grid_markdown(const struct bo_grid *grid, FILE *out);

/*
 * A table in a box that scrolls, without an empty line, so that it can be part of Markdown.
 * `data-v` holds a cell's value. Links and emphasis of a whole cell are as in Markdown.
 */
void bo_grid_html(const struct bo_grid *grid, const char *name, FILE *out);
void bo_grid_csv(const struct bo_grid *grid, FILE *out);

/* A tabular with booktabs' rules. */
void bo_grid_tex(const struct bo_grid *grid, FILE *out);

/*
 * Aligned columns in lines of at most `width` columns, at least 24. Headings break after '/' and at
 * spaces. Columns that do not fit are printed below, after the first column again. A cell that
 * alone is too wide is cut; its last character is then '~'.
 */
void bo_grid_text(const struct bo_grid *grid, unsigned width, FILE *out);

/* ---- texts ----------------------------------------------------------------------------------- */

/* A number with so many decimals: "1.282"; "-" unless it is finite. */
char *bo_fixed(struct bo_arena *arena, double v, int n_decimals);

/* Prints a text with HTML markup escaped, also for attributes. */
void bo_print_html(const char *text, FILE *out);

/* Prints a text with LaTeX commands escaped. */
void bo_print_tex(const char *text, FILE *out);

#endif
