/*
 * Pictures: numbers, texts and tables for a script of bench/report/plots, which gnuplot draws as
 * SVG. The script begins with common.gp.
 */
#ifndef BO_REPORT_CANVAS_H
#define BO_REPORT_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

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

struct bo_picture {
    FILE *out; /* what the script reads: tables are printed here */
    char *text;
    size_t nbytes;
};

/* Numbers of the canvas, and the title. */
void bo_picture_begin(struct bo_picture *picture, const char *title);

/* A variable. */
void bo_picture_number(struct bo_picture *picture, const char *name, double v);
void bo_picture_text(struct bo_picture *picture, const char *name, const char *text);

/* A table's name and its end; its rows are lines, its blocks are between two empty lines. */
void bo_picture_table(struct bo_picture *picture, const char *name);
void bo_picture_table_end(struct bo_picture *picture);

/* A text as a cell of a table. */
void bo_picture_cell(struct bo_picture *picture, const char *text);

/* Has gnuplot draw it by a script to `path`, and frees it. False after a message. */
bool bo_picture_draw(struct bo_picture *picture, const char *script, const char *path);

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
void bo_picture_scale(struct bo_picture *picture, const char *name, struct bo_scale scale);

#endif
