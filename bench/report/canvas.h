/* What all pictures share: the canvas, the colours, logarithmic axes; scripts for gnuplot. */
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

/* The look of the n-th of several series: colours that colour-blind eyes tell apart, and shapes. */
const char *bo_series_colour(unsigned n);
int bo_series_shape(unsigned n);

/* Pixels that a key of such names takes. */
double bo_key_width(size_t longest_name);

/* ---- the script ------------------------------------------------------------------------------ */

/* The canvas: a white ground keeps the black text legible on dark pages. */
void bo_canvas_begin(FILE *out);

/* A text between single quotes. */
void bo_canvas_quoted(const char *text, FILE *out);

void bo_canvas_title(const char *text, FILE *out);

/* A key to the right of a frame that ends at `right`, a share of the width. */
void bo_canvas_key(double right, FILE *out);

/* Closes the script, has gnuplot draw it to `path` and frees it. False after a message. */
bool bo_canvas_finish(FILE *out, char **script, const char *path);

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

/* Labels of tics: "12 kB", "3 us", "1000". */
typedef char *bo_tic_label(struct bo_arena *arena, double v);
bo_tic_label bo_bytes_tic, bo_time_tic, bo_count_tic;

/* Sets up the axis `name`, "x" or "y": round numbers, more to a decade where there are few. */
void bo_canvas_tics(const char *name, struct bo_scale scale, bo_tic_label *label, FILE *out);

/* ---- linear axes ----------------------------------------------------------------------------- */

/* The same from 0 to `high`. */
void bo_canvas_linear_tics(const char *name, double high, bo_tic_label *label, FILE *out);

#endif
