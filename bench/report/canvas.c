/* Scripts for gnuplot: the parts that all pictures have. */
#include "bench/report/canvas.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/gnuplot.h"
#include "harness/core/print.h"

/* ---- look ------------------------------------------------------------------------------------ */

/* Okabe and Ito's colours. */
static const char *const palette[] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f"};
enum { N_PALETTE = sizeof palette / sizeof *palette };

const char *bo_series_colour(unsigned n)
{
    return palette[n % N_PALETTE];
}

int bo_series_shape(unsigned n)
{
    static const int shapes[] = {7, 5, 9, 13, 11}; /* gnuplot's point types */
    return shapes[n % (sizeof shapes / sizeof *shapes)];
}

double bo_key_width(size_t longest_name)
{
    return 50 + 1.1 * BO_GLYPH_WIDTH * (double)longest_name;
}

/* ---- the script ------------------------------------------------------------------------------ */

void bo_canvas_begin(FILE *out)
{
    fprintf(out,
            "set terminal svg size %d,%d noenhanced font 'sans-serif,%d' background rgb '#ffffff'\n"
            "set border 3 lc rgb '#404040'\n"
            "set tics nomirror out scale 0.6\n"
            "set grid lc rgb '#e4e4e4' lw 1\n"
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\nset lmargin at screen %.6f\n",
            BO_PICTURE_WIDTH, BO_PICTURE_HEIGHT, BO_PICTURE_FONT,
            1 - (double)BO_PICTURE_TOP / BO_PICTURE_HEIGHT,
            (double)BO_PICTURE_BOTTOM / BO_PICTURE_HEIGHT,
            (double)BO_PICTURE_LEFT / BO_PICTURE_WIDTH);
}

void bo_canvas_quoted(const char *text, FILE *out)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text < ' ' && *text >= 0 ? ' ' : *text, out);
    }
    putc('\'', out);
}

void bo_canvas_title(const char *text, FILE *out)
{
    fprintf(out, "set label 1000 ");
    bo_canvas_quoted(text, out);
    fprintf(out, " at screen %.6f, screen %.6f left font 'sans-serif,%d'\n",
            (double)BO_PICTURE_LEFT / BO_PICTURE_WIDTH, 1 - 22.0 / BO_PICTURE_HEIGHT,
            BO_PICTURE_FONT + 2);
}

void bo_canvas_key(double right, FILE *out)
{
    fprintf(out,
            "set rmargin at screen %.6f\n"
            "set key at screen %.6f, screen %.6f left top vertical Left reverse samplen 1.5 "
            "spacing 1.2\n",
            right, right + 8.0 / BO_PICTURE_WIDTH, 1 - (double)BO_PICTURE_TOP / BO_PICTURE_HEIGHT);
}

bool bo_canvas_finish(FILE *out, char **script, const char *path)
{
    fclose(out);
    const bool ok = bo_gnuplot(*script, path);
    free(*script);
    return ok;
}

/* ---- logarithmic axes ------------------------------------------------------------------------ */

void bo_scale_widen(struct bo_scale *scale, double v)
{
    scale->low = v < scale->low ? v : scale->low;
    scale->high = v > scale->high ? v : scale->high;
}

struct bo_scale bo_scale_padded(struct bo_scale scale, double share)
{
    const double octaves = log2(scale.high / scale.low);
    const double pad = exp2(fmax(share * octaves, 0.2));
    return (struct bo_scale){scale.low / pad, scale.high * pad};
}

double bo_scale_position(struct bo_scale scale, double v)
{
    return log(v / scale.low) / log(scale.high / scale.low);
}

char *bo_bytes_tic(struct bo_arena *arena, double v)
{
    return v < 1e3   ? bo_arena_printf(arena, "%g B", v)
           : v < 1e6 ? bo_arena_printf(arena, "%g kB", v / 1e3)
                     : bo_arena_printf(arena, "%g MB", v / 1e6);
}

char *bo_time_tic(struct bo_arena *arena, double v)
{
    const struct bo_time_unit unit = bo_time_unit_for(v);
    return bo_arena_printf(arena, "%g %s", v / unit.ns, unit.name);
}

char *bo_count_tic(struct bo_arena *arena, double v)
{
    return bo_arena_printf(arena, v < 1e5 ? "%.0f" : "%.0e", v);
}

void bo_canvas_tics(const char *name, struct bo_scale scale, bo_tic_label *label, FILE *out)
{
    static const double dense[] = {1, 1.5, 2, 3, 4, 5, 7}, middle[] = {1, 2, 5}, sparse[] = {1};
    const double decades = log10(scale.high / scale.low);
    const double *steps = decades < 1.2 ? dense : decades < 2.7 ? middle : sparse;
    const size_t n = decades < 1.2   ? sizeof dense / sizeof *dense
                     : decades < 2.7 ? sizeof middle / sizeof *middle
                                     : 1;
    struct bo_arena arena;
    const char *before = "";
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    fprintf(out, "set %stics (", name);
    for (int e = (int)floor(log10(scale.low)); e <= (int)ceil(log10(scale.high)); e++)
        for (size_t i = 0; i < n; i++) {
            const double v = steps[i] * pow(10, e);
            if (v < scale.low || v > scale.high)
                continue;
            fprintf(out, "%s'%s' %.9g", before, label(&arena, v), v);
            before = ", ";
        }
    fprintf(out, ")\nset %srange [%.9g:%.9g]\nset logscale %s\n", name, scale.low, scale.high,
            name);
    bo_arena_free(&arena);
}

/* ---- linear axes ----------------------------------------------------------------------------- */

/* A round step, of which some four to nine fit. */
static double round_step(double high)
{
    const double power = pow(10, floor(log10(high / 4)));
    const double steps = high / 4 / power;
    return power * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
}

void bo_canvas_linear_tics(const char *name, double high, bo_tic_label *label, FILE *out)
{
    struct bo_arena arena;
    const double step = round_step(high);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    fprintf(out, "set %stics (", name);
    for (int i = 0; i * step <= high; i++)
        fprintf(out, "%s'%s' %.9g", i ? ", " : "", label(&arena, i * step), i * step);
    fprintf(out, ")\nset %srange [0:%.9g]\n", name, high);
    bo_arena_free(&arena);
}
