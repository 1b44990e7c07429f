/*
 * Pictures: numbers, texts and tables for a script in bench/report/plots, which gnuplot draws as
 * SVG. The script begins with common.gp.
 */
#ifndef BO_REPORT_CANVAS_H
#define BO_REPORT_CANVAS_H

#include "harness/core/arena.h"
#include "harness/core/files.h"

/* Pixels. The position of the frame is fixed, so that the caller can place labels. */
enum {
    BO_PICTURE_WIDTH = 900,
    BO_PICTURE_HEIGHT = 560,
    BO_PICTURE_LEFT = 84,
    BO_PICTURE_RIGHT = 24,
    BO_PICTURE_TOP = 84,
    BO_PICTURE_BOTTOM = 64,
    BO_PICTURE_FONT = 13,
};

/* Width of an average character in pixels; font metrics are not available. */
#define BO_GLYPH_WIDTH (0.56 * BO_PICTURE_FONT)

/* Pictures that are drawn together. */
struct bo_drawing {
    FILE *out; /* input of the script: tables are printed here */
    struct bo_memory_file script;
    struct bo_arena *arena; /* of the paths */
    const char **paths;
    size_t n, cap;
};

void bo_drawing_begin(struct bo_drawing *drawing, struct bo_arena *arena);

/* Draws all pictures with gnuplot. False after a message. */
bool bo_drawing_end(struct bo_drawing *drawing);

/* Starts a picture for the file `path`: sizes of the canvas, and the title. */
void bo_picture_begin(struct bo_drawing *drawing, const char *path, const char *title);

/* A variable. */
void bo_picture_number(struct bo_drawing *drawing, const char *name, double v);
void bo_picture_text(struct bo_drawing *drawing, const char *name, const char *text);

/* Writes a table's name and its end. Its rows are lines; two empty lines separate blocks. */
void bo_picture_table(struct bo_drawing *drawing, const char *name);
void bo_picture_table_end(struct bo_drawing *drawing);

/* Writes a text as a cell of a table. */
void bo_picture_cell(struct bo_drawing *drawing, const char *text);

/* Writes the table "names". Returns the length of the longest one. */
size_t bo_picture_names(struct bo_drawing *drawing, const char *const *names, size_t n);

/* Names the script that draws the picture from the printed data. */
void bo_picture_end(struct bo_drawing *drawing, const char *script);

/* ---- logarithmic axes ------------------------------------------------------------------------ */

struct bo_scale {
    double low, high;
};

/* Extends the scale to include a value. Start with {INFINITY, 0}. */
void bo_scale_widen(struct bo_scale *scale, double v);

/*
 * The scale with a margin around the data on either side: a share of its length, at least a fifth
 * of an octave.
 */
struct bo_scale bo_scale_padded(struct bo_scale scale, double share);

/* The position on the axis, from 0 to 1. */
double bo_scale_position(struct bo_scale scale, double v);

/* Variables NAME_low and NAME_high. */
void bo_picture_scale(struct bo_drawing *drawing, const char *name, struct bo_scale scale);

#endif
