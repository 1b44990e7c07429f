/*
 * Pictures: numbers, texts and tables for a script of bench/report/plots, which gnuplot draws as
 * SVG. The script begins with common.gp.
 */
#ifndef BO_REPORT_CANVAS_H
#define BO_REPORT_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/core/arena.h"

/* Pixels. The frame's place is fixed, so that labels can be placed by who draws. */
enum {
    BO_PICTURE_WIDTH = 900,
    BO_PICTURE_HEIGHT = 560,
    BO_PICTURE_LEFT = 84,
    BO_PICTURE_RIGHT = 24,
    BO_PICTURE_TOP = 84,
    BO_PICTURE_BOTTOM = 64,
    BO_PICTURE_FONT = 13,
};

/* Of an average character, in pixels; no metrics are at hand. */
#define BO_GLYPH_WIDTH (0.56 * BO_PICTURE_FONT)

/* Pictures that are drawn together. */
struct bo_drawing {
    FILE *out; /* what the script reads: tables are printed here */
    char *text;
    size_t nbytes;
    struct bo_arena *arena; /* of the paths */
    const char **paths;
    size_t n, cap;
};

void bo_drawing_begin(struct bo_drawing *drawing, struct bo_arena *arena);

/* Has gnuplot draw all of them. False after a message. */
bool bo_drawing_end(struct bo_drawing *drawing);

/* A picture for the file `path`: numbers of the canvas, and the title. */
void bo_picture_begin(struct bo_drawing *drawing, const char *path, const char *title);

/* A variable. */
void bo_picture_number(struct bo_drawing *drawing, const char *name, double v);
void bo_picture_text(struct bo_drawing *drawing, const char *name, const char *text);

/* A table's name and its end; its rows are lines, its blocks are between two empty lines. */
void bo_picture_table(struct bo_drawing *drawing, const char *name);
void bo_picture_table_end(struct bo_drawing *drawing);

/* A text as a cell of a table. */
void bo_picture_cell(struct bo_drawing *drawing, const char *text);

/* The script that draws it from what was printed. */
void bo_picture_end(struct bo_drawing *drawing, const char *script);

/* ---- logarithmic axes ------------------------------------------------------------------------ */

struct bo_scale {
    double low, high;
};

/* Makes room for a value. Start with {INFINITY, 0}. */
void bo_scale_widen(struct bo_scale *scale, double v);

/*
 * With room around the data: a share of its length on either side, at least a fifth of an octave.
 */
struct bo_scale bo_scale_padded(struct bo_scale scale, double share);

/* Where on the axis, from 0 to 1. */
double bo_scale_position(struct bo_scale scale, double v);

/* Variables NAME_low and NAME_high. */
void bo_picture_scale(struct bo_drawing *drawing, const char *name, struct bo_scale scale);

#endif
