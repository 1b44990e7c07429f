/* Scripts for gnuplot. */
#include "bench/report_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report_front.h"
#include "bench/report_gnuplot.h"
#include "bench/report_labels.h"
#include "bench/report_text.h"

/* ---- look ------------------------------------------------------------------------------------ */

/* Pixels. The frame's place is fixed, so that labels can be placed here. */
enum {
    WIDTH = 900,
    HEIGHT = 560,
    LEFT = 84,
    RIGHT = 24,
    TOP = 84,
    BOTTOM = 64,
    POINT = 13,
    FONT = 13,
    LINE = 16,
};

static const double glyph_width = 0.56 * FONT; /* of an average character; no metrics at hand */

/* Okabe and Ito's colours, told apart by colour-blind eyes; shapes differ too. */
static const struct {
    const char *role, *colour;
    int shape; /* gnuplot's point type */
} looks[] = {
    {"status quo", "#009e73", 5},
    {"proposed", "#0072b2", 9},
    {"control", "#6f6f6f", 7},
    {"new", "#d55e00", 13},
};
enum { N_LOOKS = sizeof looks / sizeof *looks };

static const char *const palette[] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                      "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f"};
enum { N_PALETTE = sizeof palette / sizeof *palette };

/* A white ground keeps the black text legible on dark pages. */
static void put_canvas(FILE *out)
{
    fprintf(out,
            "set terminal svg size %d,%d noenhanced font 'sans-serif,%d' background rgb '#ffffff'\n"
            "set border 3 lc rgb '#404040'\n"
            "set tics nomirror out scale 0.6\n"
            "set grid lc rgb '#e4e4e4' lw 1\n"
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\nset lmargin at screen %.6f\n",
            WIDTH, HEIGHT, FONT, 1 - (double)TOP / HEIGHT, (double)BOTTOM / HEIGHT,
            (double)LEFT / WIDTH);
}

/* A text between single quotes. */
static void put_quoted(const char *text, FILE *out)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text < ' ' && *text >= 0 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void put_title(const char *text, FILE *out)
{
    fprintf(out, "set label 1000 ");
    put_quoted(text, out);
    fprintf(out, " at screen %.6f, screen %.6f left font 'sans-serif,%d'\n", (double)LEFT / WIDTH,
            1 - 22.0 / HEIGHT, FONT + 2);
}

/* ---- logarithmic axes ------------------------------------------------------------------------ */

struct axis {
    double low, high;
};

static void widen(struct axis *axis, double v)
{
    axis->low = v < axis->low ? v : axis->low;
    axis->high = v > axis->high ? v : axis->high;
}

/* Room around the data: a share of its length on either side, at least a fifth of an octave. */
static struct axis padded(struct axis axis, double share)
{
    const double octaves = log2(axis.high / axis.low);
    const double pad = exp2(fmax(share * octaves, 0.2));
    return (struct axis){axis.low / pad, axis.high * pad};
}

/* Where on the axis, from 0 to 1. */
static double position(struct axis axis, double v)
{
    return log(v / axis.low) / log(axis.high / axis.low);
}

static char *bytes_tic(struct bo_arena *arena, double v)
{
    return v < 1e3   ? bo_arena_printf(arena, "%g B", v)
           : v < 1e6 ? bo_arena_printf(arena, "%g kB", v / 1e3)
                     : bo_arena_printf(arena, "%g MB", v / 1e6);
}

static char *time_tic(struct bo_arena *arena, double v)
{
    const struct bo_time_unit unit = bo_time_unit_for(v);
    return bo_arena_printf(arena, "%g %s", v / unit.ns, unit.name);
}

/* Round numbers: more to a decade where there are few decades. */
static void put_tics(const char *name, struct axis axis,
                     char *(*label)(struct bo_arena *arena, double v), FILE *out)
{
    static const double dense[] = {1, 1.5, 2, 3, 4, 5, 7}, middle[] = {1, 2, 5}, sparse[] = {1};
    const double decades = log10(axis.high / axis.low);
    const double *steps = decades < 1.2 ? dense : decades < 2.7 ? middle : sparse;
    const size_t n = decades < 1.2   ? sizeof dense / sizeof *dense
                     : decades < 2.7 ? sizeof middle / sizeof *middle
                                     : 1;
    struct bo_arena arena;
    const char *before = "";
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    fprintf(out, "set %stics (", name);
    for (int e = (int)floor(log10(axis.low)); e <= (int)ceil(log10(axis.high)); e++)
        for (size_t i = 0; i < n; i++) {
            const double v = steps[i] * pow(10, e);
            if (v < axis.low || v > axis.high)
                continue;
            fprintf(out, "%s'%s' %.9g", before, label(&arena, v), v);
            before = ", ";
        }
    fprintf(out, ")\nset %srange [%.9g:%.9g]\nset logscale %s\n", name, axis.low, axis.high, name);
    bo_arena_free(&arena);
}

/* ---- size against time ----------------------------------------------------------------------- */

/*
 * Codecs of more than so many times the smallest one's bytes are drawn at the edge, so that the
 * others have room.
 */
enum { MAX_TIMES_SMALLEST = 6 };

struct scatter {
    const struct bo_front_point *points; /* by bytes */
    size_t n;
    struct axis x, y;
};

static double edge_bytes(const struct scatter *scatter)
{
    return MAX_TIMES_SMALLEST * scatter->points[0].bytes;
}

static double drawn_bytes(const struct scatter *scatter, size_t i)
{
    return fmin(scatter->points[i].bytes, edge_bytes(scatter));
}

/* The codec's name; with its bytes where its place does not tell them. */
static char *point_name(const struct scatter *scatter, size_t i, struct bo_arena *arena)
{
    const struct bo_front_point *p = &scatter->points[i];
    if (p->bytes <= edge_bytes(scatter))
        return bo_arena_printf(arena, "%s", p->codec->name);
    const double times = p->bytes / scatter->points[0].bytes;
    return bo_arena_printf(arena, "%s, %.0f times the smallest, off the scale", p->codec->name,
                           times);
}

/*
 * The corners of the front, drawn as steps: what a codec at a corner leaves for others to beat.
 * Returns how many; room for 2 n + 1.
 */
static size_t front_corners(const struct scatter *scatter, double (*corners)[2])
{
    const struct bo_front_point *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_front_point *p = &scatter->points[i];
        if (!p->on_front)
            continue;
        const double above = last ? last->ns : scatter->y.high;
        memcpy(corners[n++], (double[2]){drawn_bytes(scatter, i), above}, sizeof *corners);
        memcpy(corners[n++], (double[2]){drawn_bytes(scatter, i), p->ns}, sizeof *corners);
        last = p;
    }
    if (last)
        memcpy(corners[n++], (double[2]){scatter->x.high, last->ns}, sizeof *corners);
    return n;
}

static void put_front(const double (*corners)[2], size_t n, FILE *out)
{
    fprintf(out, "$front << END\n");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%.9g %.9g\n", corners[i][0], corners[i][1]);
    fprintf(out, "END\n");
}

static void put_points(const struct scatter *scatter, FILE *out)
{
    for (int k = 0; k < N_LOOKS; k++) {
        fprintf(out, "$role%d << END\n", k);
        for (size_t i = 0; i < scatter->n; i++) {
            const struct bo_front_point *p = &scatter->points[i];
            if (strcmp(p->codec->role, looks[k].role) == 0)
                fprintf(out, "%.9g %.9g %.9g %.9g\n", drawn_bytes(scatter, i), p->ns,
                        p->row->interval.low, p->row->interval.high);
        }
        fprintf(out, "END\n");
    }
}

static double pixel_x(const struct scatter *scatter, double bytes)
{
    return position(scatter->x, bytes) * (WIDTH - LEFT - RIGHT);
}

static double pixel_y(const struct scatter *scatter, double ns)
{
    return (1 - position(scatter->y, ns)) * (HEIGHT - TOP - BOTTOM);
}

/* A line between two places, as wide as it is seen. */
static struct bo_picture_box line_box(const struct scatter *scatter, double bytes_a, double ns_a,
                                      double bytes_b, double ns_b)
{
    const double xa = pixel_x(scatter, bytes_a), xb = pixel_x(scatter, bytes_b);
    const double ya = pixel_y(scatter, ns_a), yb = pixel_y(scatter, ns_b);
    return (struct bo_picture_box){fmin(xa, xb) - 2, fmin(ya, yb) - 2, fmax(xa, xb) + 2,
                                   fmax(ya, yb) + 2};
}

static struct bo_picture_label *place_names(const struct scatter *scatter,
                                            const double (*corners)[2], size_t n_corners,
                                            struct bo_arena *arena)
{
    struct bo_picture_label *labels = calloc(scatter->n + 1, sizeof *labels);
    struct bo_picture_box *lines = calloc(scatter->n + n_corners + 1, sizeof *lines);
    if (!labels || !lines)
        abort();
    size_t n_lines = 0;
    for (size_t i = 1; i < n_corners; i++)
        lines[n_lines++] =
            line_box(scatter, corners[i - 1][0], corners[i - 1][1], corners[i][0], corners[i][1]);
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_front_point *p = &scatter->points[i];
        lines[n_lines++] =
            line_box(scatter, p->bytes, p->row->interval.low, p->bytes, p->row->interval.high);
        labels[i] = (struct bo_picture_label){
            .x = pixel_x(scatter, drawn_bytes(scatter, i)),
            .y = pixel_y(scatter, p->ns),
            .width = glyph_width * (double)strlen(point_name(scatter, i, arena)),
            .height = LINE,
        };
    }
    bo_labels_place(labels, scatter->n, lines, n_lines, POINT, WIDTH - LEFT - RIGHT,
                    HEIGHT - TOP - BOTTOM);
    free(lines);
    return labels;
}

/* Names beside the points; those on the front are black, the others grey. */
static void put_names(const struct scatter *scatter, const struct bo_picture_label *labels,
                      struct bo_arena *arena, FILE *out)
{
    const double width = WIDTH - LEFT - RIGHT, height = HEIGHT - TOP - BOTTOM;
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_picture_label *l = &labels[i];
        const char *colour = scatter->points[i].on_front ? "#000000" : "#606060";
        const double middle = 1 - (l->top + l->height / 2) / height;
        if (l->away)
            fprintf(out,
                    "set arrow from graph %.6f, graph %.6f to graph %.6f, graph %.6f nohead back "
                    "lc rgb '#a0a0a0' lw 0.8\n",
                    l->x / width, 1 - l->y / height,
                    fmin(fmax(l->x, l->left), l->left + l->width) / width, middle);
        fprintf(out, "set label ");
        put_quoted(point_name(scatter, i, arena), out);
        fprintf(out, " at graph %.6f, graph %.6f left tc rgb '%s'\n", l->left / width, middle,
                colour);
    }
}

static void put_scatter(const struct bo_run_document *document, const struct scatter *scatter,
                        struct bo_arena *arena, FILE *out)
{
    const char *label = bo_run_main_label(document);
    put_canvas(out);
    put_title(
        bo_arena_printf(arena, "%s on %s: bytes against time", document->format, document->name),
        out);
    fprintf(out, "set rmargin at screen %.6f\n", 1 - (double)RIGHT / WIDTH);
    put_tics("x", scatter->x, bytes_tic, out);
    put_tics("y", scatter->y, time_tic, out);
    fprintf(out, "set xlabel 'bytes, smaller is left'\nset ylabel ");
    put_quoted(bo_arena_printf(arena, "%s: time a query, faster is down", label), out);
    fprintf(out,
            "\nset key at screen %.6f, screen %.6f left top horizontal Left reverse samplen 2 "
            "width -3\n",
            (double)LEFT / WIDTH, 1 - 40.0 / HEIGHT);
    double(*corners)[2] = calloc(2 * scatter->n + 1, sizeof *corners);
    if (!corners)
        abort();
    const size_t n_corners = front_corners(scatter, corners);
    struct bo_picture_label *labels = place_names(scatter, corners, n_corners, arena);
    put_front(corners, n_corners, out);
    put_points(scatter, out);
    put_names(scatter, labels, arena, out);
    free(labels);
    free(corners);
    fprintf(out, "plot $front with lines lc rgb '#e69f00' lw 2 title 'Pareto front'");
    for (int k = 0; k < N_LOOKS; k++) {
        bool any = false;
        for (size_t i = 0; i < scatter->n; i++)
            any = any || strcmp(scatter->points[i].codec->role, looks[k].role) == 0;
        if (any)
            fprintf(out,
                    ", $role%d using 1:2:3:4 with yerrorbars notitle pt -1 lw 1.2 lc rgb '%s'"
                    ", $role%d using 1:2 with points pt %d ps 1.1 lc rgb '%s' title '%s'",
                    k, looks[k].colour, k, looks[k].shape, looks[k].colour, looks[k].role);
    }
    fprintf(out, "\n");
}

static bool finish(FILE *out, char **script, const char *path)
{
    fclose(out);
    const bool ok = bo_gnuplot(*script, path);
    free(*script);
    return ok;
}

bool bo_plot_size_time(const struct bo_run_document *document, const char *path)
{
    struct bo_arena arena;
    struct bo_front_point *points;
    char *script = NULL;
    size_t nbytes;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct scatter scatter = {.x = {INFINITY, 0}, .y = {INFINITY, 0}};
    scatter.n = bo_front_points(document, bo_run_main_label(document), &arena, &points);
    scatter.points = points;
    for (size_t i = 0; i < scatter.n; i++) {
        widen(&scatter.x, drawn_bytes(&scatter, i));
        widen(&scatter.y, points[i].row->interval.low);
        widen(&scatter.y, points[i].row->interval.high);
    }
    scatter.x = padded(scatter.x, 0.12);
    scatter.y = padded(scatter.y, 0.1);
    FILE *out = open_memstream(&script, &nbytes);
    if (!out)
        abort();
    put_scatter(document, &scatter, &arena, out);
    bo_arena_free(&arena);
    return finish(out, &script, path);
}

/* ---- workloads ------------------------------------------------------------------------------- */

/*
 * One block of data a codec: place, median, interval. Codecs stand side by side in a workload's
 * column.
 */
static struct axis put_codecs(const struct bo_run_document *document, FILE *out)
{
    struct axis y = {INFINITY, 0};
    for (unsigned c = 0; c < document->n_codecs; c++) {
        unsigned column = 0;
        fprintf(out, "$codec%u << END\n", c);
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!bo_is_query(document->labels[l]))
                continue;
            const double x = column++ + 0.7 * ((c + 0.5) / document->n_codecs - 0.5);
            if (!row || row->n == 0 || row->failure || document->codecs[c].is_noop)
                continue;
            fprintf(out, "%.4f %.9g %.9g %.9g\n", x, row->median_ns, row->interval.low,
                    row->interval.high);
            widen(&y, row->interval.low);
            widen(&y, row->interval.high);
        }
        fprintf(out, "END\n");
    }
    return y;
}

static bool is_drawn(const struct bo_run_document *document, unsigned codec)
{
    const struct bo_run_codec *one = &document->codecs[codec];
    for (unsigned l = 0; l < document->n_labels; l++)
        if (!one->is_noop && bo_is_query(document->labels[l]) && one->rows[l] && one->rows[l]->n &&
            !one->rows[l]->failure)
            return true;
    return false;
}

/* The columns' names, and a line between each two. */
static void put_columns(const struct bo_run_document *document, FILE *out)
{
    unsigned column = 0;
    fprintf(out, "unset xtics\nset grid noxtics\n");
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        if (!bo_is_query(label))
            continue;
        const int kind = (int)strcspn(label, "/");
        fprintf(out, "set label \"%.*s\\n%s\" at first %u, screen %.6f center\n", kind, label,
                label + kind + 1, column, (BOTTOM - 18.0) / HEIGHT);
        if (column)
            fprintf(out,
                    "set arrow from first %g, graph 0 to first %g, graph 1 nohead back lc rgb "
                    "'#d0d0d0' lw 1\n",
                    column - 0.5, column - 0.5);
        column++;
    }
    fprintf(out, "set xrange [-0.5:%g]\n", column - 0.5);
}

/* Pixels that the longest name of a codec takes in the key. */
static double key_width(const struct bo_run_document *document)
{
    size_t longest = 0;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const size_t n = strlen(document->codecs[c].name);
        longest = is_drawn(document, c) && n > longest ? n : longest;
    }
    return 50 + 1.1 * glyph_width * (double)longest;
}

static void put_workloads(const struct bo_run_document *document, struct bo_arena *arena, FILE *out)
{
    static const int shapes[] = {7, 5, 9, 13, 11};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const double right = 1 - key_width(document) / WIDTH;
    put_canvas(out);
    put_title(bo_arena_printf(arena, "%s on %s: time a query, by workload", document->format,
                              document->name),
              out);
    const struct axis y = padded(put_codecs(document, out), 0.05);
    put_tics("y", y, time_tic, out);
    put_columns(document, out);
    fprintf(out,
            "set ylabel 'time a query, faster is down'\nset rmargin at screen %.6f\n"
            "set key at screen %.6f, screen %.6f left top vertical Left reverse samplen 1.5 "
            "spacing 1.2\nplot ",
            right, right + 8.0 / WIDTH, 1 - (double)TOP / HEIGHT);
    const char *before = "";
    for (unsigned c = 0; c < document->n_codecs; c++) {
        if (!is_drawn(document, c))
            continue;
        const char *colour = palette[c % N_PALETTE];
        fprintf(out,
                "%s$codec%u using 1:2:3:4 with yerrorbars notitle pt -1 lw 1 lc rgb '%s', "
                "$codec%u using 1:2 with points pt %d ps 0.8 lc rgb '%s' title ",
                before, c, colour, c, shapes[c % N_SHAPES], colour);
        put_quoted(document->codecs[c].name, out);
        before = ", ";
    }
    fprintf(out, "\n");
}

bool bo_plot_workloads(const struct bo_run_document *document, const char *path)
{
    struct bo_arena arena;
    char *script = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&script, &nbytes);
    if (!out)
        abort();
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    put_workloads(document, &arena, out);
    bo_arena_free(&arena);
    return finish(out, &script, path);
}
