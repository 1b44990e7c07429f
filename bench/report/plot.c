/* Scripts for gnuplot. */
#include "bench/report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/canvas.h"
#include "bench/report/front.h"
#include "bench/report/labels.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* ---- look ------------------------------------------------------------------------------------ */

enum { POINT = 13, LINE = 16 }; /* pixels */

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

/* ---- size against time ----------------------------------------------------------------------- */

/*
 * Codecs of more than so many times the smallest one's bytes are drawn at the edge, so that the
 * others have room.
 */
enum { MAX_TIMES_SMALLEST = 6 };

struct scatter {
    const struct bo_front_point *points;
    size_t n;
    double smallest; /* bytes */
    struct bo_scale x, y;
};

static double edge_bytes(const struct scatter *scatter)
{
    return MAX_TIMES_SMALLEST * scatter->smallest;
}

static double drawn_bytes(const struct scatter *scatter, size_t i)
{
    return fmin(scatter->points[i].bytes, edge_bytes(scatter));
}

/* The codec's name; with its bytes where its place does not tell them. */
static char *point_name(const struct scatter *scatter, size_t i, struct bo_arena *arena)
{
    const struct bo_front_point *p = &scatter->points[i];
    char *name = bo_codec_cell(arena, p->codec);
    if (p->bytes <= edge_bytes(scatter))
        return name;
    const double times = p->bytes / scatter->smallest;
    return bo_arena_printf(arena, "%s, %.0f times the smallest, off the scale", name, times);
}

/*
 * The corners of the front of the exact codecs that read in place, drawn as steps: what a codec at
 * a corner leaves for others to beat. Returns how many; room for 2 n + 1.
 */
static size_t front_corners(const struct scatter *scatter, double (*corners)[2])
{
    const struct bo_front_point *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_front_point *p = &scatter->points[i];
        if (!p->on_front || p->kind != BO_FRONT_READ_IN_PLACE)
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
            const struct bo_interval interval = bo_drawn_interval(p->row);
            if (strcmp(p->codec->role, looks[k].role) == 0)
                fprintf(out, "%.9g %.9g %.9g %.9g\n", drawn_bytes(scatter, i), p->ns, interval.low,
                        interval.high);
        }
        fprintf(out, "END\n");
    }
}

static double pixel_x(const struct scatter *scatter, double bytes)
{
    return bo_scale_position(scatter->x, bytes) *
           (BO_PICTURE_WIDTH - BO_PICTURE_LEFT - BO_PICTURE_RIGHT);
}

static double pixel_y(const struct scatter *scatter, double ns)
{
    return (1 - bo_scale_position(scatter->y, ns)) *
           (BO_PICTURE_HEIGHT - BO_PICTURE_TOP - BO_PICTURE_BOTTOM);
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

/* Where all names do not fit: those on the front, and of codecs of two parts one for each first. */
static bool is_named(const struct scatter *scatter, size_t i)
{
    enum { ALL_NAMES = 16 };
    const struct bo_front_point *p = &scatter->points[i];
    const struct bo_format *format = bo_find_format(p->row->format);
    return scatter->n <= ALL_NAMES || p->on_front || !format ||
           bo_on_first_axis(format, p->codec->name);
}

/* A point without a name is in the way of the others' names. */
static struct bo_picture_box point_box(const struct scatter *scatter, size_t i)
{
    const double x = pixel_x(scatter, drawn_bytes(scatter, i));
    const double y = pixel_y(scatter, scatter->points[i].ns);
    return (struct bo_picture_box){x - POINT / 2.0, y - POINT / 2.0, x + POINT / 2.0,
                                   y + POINT / 2.0};
}

/* One label for each named point, in their order. */
static struct bo_picture_label *place_names(const struct scatter *scatter,
                                            const double (*corners)[2], size_t n_corners,
                                            struct bo_arena *arena)
{
    struct bo_picture_label *labels = calloc(scatter->n + 1, sizeof *labels);
    struct bo_picture_box *lines = calloc(2 * scatter->n + n_corners + 1, sizeof *lines);
    if (!labels || !lines)
        abort();
    size_t n_lines = 0, n_labels = 0;
    for (size_t i = 1; i < n_corners; i++)
        lines[n_lines++] =
            line_box(scatter, corners[i - 1][0], corners[i - 1][1], corners[i][0], corners[i][1]);
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_front_point *p = &scatter->points[i];
        const struct bo_interval interval = bo_drawn_interval(p->row);
        lines[n_lines++] = line_box(scatter, p->bytes, interval.low, p->bytes, interval.high);
        if (!is_named(scatter, i)) {
            lines[n_lines++] = point_box(scatter, i);
            continue;
        }
        labels[n_labels++] = (struct bo_picture_label){
            .x = pixel_x(scatter, drawn_bytes(scatter, i)),
            .y = pixel_y(scatter, p->ns),
            .width = BO_GLYPH_WIDTH * (double)strlen(point_name(scatter, i, arena)),
            .height = LINE,
        };
    }
    bo_labels_place(labels, n_labels, lines, n_lines, POINT,
                    BO_PICTURE_WIDTH - BO_PICTURE_LEFT - BO_PICTURE_RIGHT,
                    BO_PICTURE_HEIGHT - BO_PICTURE_TOP - BO_PICTURE_BOTTOM);
    free(lines);
    return labels;
}

/* Names beside the points; those on the front are black, the others grey. */
static void put_names(const struct scatter *scatter, const struct bo_picture_label *labels,
                      struct bo_arena *arena, FILE *out)
{
    const double width = BO_PICTURE_WIDTH - BO_PICTURE_LEFT - BO_PICTURE_RIGHT,
                 height = BO_PICTURE_HEIGHT - BO_PICTURE_TOP - BO_PICTURE_BOTTOM;
    size_t k = 0;
    for (size_t i = 0; i < scatter->n; i++) {
        if (!is_named(scatter, i))
            continue;
        const struct bo_picture_label *l = &labels[k++];
        const char *colour = scatter->points[i].on_front ? "#000000" : "#606060";
        const double middle = 1 - (l->top + l->height / 2) / height;
        if (l->away)
            fprintf(out,
                    "set arrow from graph %.6f, graph %.6f to graph %.6f, graph %.6f nohead back "
                    "lc rgb '#a0a0a0' lw 0.8\n",
                    l->x / width, 1 - l->y / height,
                    fmin(fmax(l->x, l->left), l->left + l->width) / width, middle);
        fprintf(out, "set label ");
        bo_canvas_quoted(point_name(scatter, i, arena), out);
        fprintf(out, " at graph %.6f, graph %.6f left tc rgb '%s'\n", l->left / width, middle,
                colour);
    }
}

static void put_scatter(const struct bo_run_document *document, const struct scatter *scatter,
                        struct bo_arena *arena, FILE *out)
{
    const char *label = bo_run_main_label(document);
    bo_canvas_begin(out);
    bo_canvas_title(
        bo_arena_printf(arena, "%s on %s: bytes against time", document->format, document->name),
        out);
    fprintf(out, "set rmargin at screen %.6f\n", 1 - (double)BO_PICTURE_RIGHT / BO_PICTURE_WIDTH);
    bo_canvas_tics("x", scatter->x, bo_bytes_tic, out);
    bo_canvas_tics("y", scatter->y, bo_time_tic, out);
    fprintf(out, "set xlabel 'bytes, smaller is left'\nset ylabel ");
    bo_canvas_quoted(bo_arena_printf(arena, "%s: time a query, faster is down", label), out);
    fprintf(out,
            "\nset key at screen %.6f, screen %.6f left top horizontal Left reverse samplen 2 "
            "width -3\n",
            (double)BO_PICTURE_LEFT / BO_PICTURE_WIDTH, 1 - 40.0 / BO_PICTURE_HEIGHT);
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
    scatter.smallest = scatter.n ? points[0].bytes : 0;
    for (size_t i = 0; i < scatter.n; i++)
        scatter.smallest = fmin(scatter.smallest, points[i].bytes);
    for (size_t i = 0; i < scatter.n; i++) {
        bo_scale_widen(&scatter.x, drawn_bytes(&scatter, i));
        bo_scale_widen(&scatter.y, bo_drawn_interval(points[i].row).low);
        bo_scale_widen(&scatter.y, bo_drawn_interval(points[i].row).high);
    }
    scatter.x = bo_scale_padded(scatter.x, 0.12);
    scatter.y = bo_scale_padded(scatter.y, 0.1);
    FILE *out = open_memstream(&script, &nbytes);
    if (!out)
        abort();
    put_scatter(document, &scatter, &arena, out);
    bo_arena_free(&arena);
    return bo_canvas_finish(out, &script, path);
}

/* ---- workloads ------------------------------------------------------------------------------- */

/* Queries that say nothing, for the whole document or its summary, stand in the tables only. */
static bool is_column(const struct bo_run_document *document, unsigned label)
{
    const char *name = document->labels[label];
    const struct bo_format *format = bo_find_format(document->format);
    const size_t n = strcspn(name, "/");
    for (unsigned k = 0; format && k < format->n_kinds; k++)
        if (strlen(format->kinds[k].name) == n && memcmp(format->kinds[k].name, name, n) == 0)
            return format->kinds[k].query_size > 0;
    return bo_is_query(name);
}

/* Of codecs of two parts, those that differ in the first are enough for a picture. */
static bool is_drawn(const struct bo_run_document *document, unsigned codec)
{
    const struct bo_run_codec *one = &document->codecs[codec];
    const struct bo_format *format = bo_find_format(document->format);
    if (format && !bo_on_first_axis(format, one->name))
        return false;
    for (unsigned l = 0; l < document->n_labels; l++)
        if (!one->is_noop && is_column(document, l) && one->rows[l] && one->rows[l]->n &&
            !one->rows[l]->failure)
            return true;
    return false;
}

/*
 * One block of data a codec: place, median, interval. Codecs stand side by side in a workload's
 * column.
 */
static struct bo_scale put_codecs(const struct bo_run_document *document, FILE *out)
{
    struct bo_scale y = {INFINITY, 0};
    unsigned n_drawn = 0, place = 0;
    for (unsigned c = 0; c < document->n_codecs; c++)
        n_drawn += is_drawn(document, c);
    for (unsigned c = 0; c < document->n_codecs; c++) {
        unsigned column = 0;
        if (!is_drawn(document, c))
            continue;
        const double shift = 0.7 * ((place++ + 0.5) / n_drawn - 0.5);
        fprintf(out, "$codec%u << END\n", c);
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!is_column(document, l))
                continue;
            const double x = column++ + shift;
            if (!row || row->n == 0 || row->failure)
                continue;
            const struct bo_interval interval = bo_drawn_interval(row);
            fprintf(out, "%.4f %.9g %.9g %.9g\n", x, row->median_ns, interval.low, interval.high);
            bo_scale_widen(&y, interval.low);
            bo_scale_widen(&y, interval.high);
        }
        fprintf(out, "END\n");
    }
    return y;
}

/* The size of a font in which the columns' names stand side by side in `width` pixels. */
static int column_font(const struct bo_run_document *document, double width)
{
    size_t longest = 1;
    unsigned n = 0;
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        const size_t kind = strcspn(label, "/"), whole = strlen(label);
        const size_t half = kind > whole - kind ? kind : whole - kind;
        if (!is_column(document, l))
            continue;
        longest = half > longest ? half : longest;
        n++;
    }
    const double fits = width / (n ? n : 1) / (double)longest / (BO_GLYPH_WIDTH / BO_PICTURE_FONT);
    return fits < 8 ? 8 : fits > BO_PICTURE_FONT ? BO_PICTURE_FONT : (int)fits;
}

/* The columns' names, and a line between each two; the frame is `width` pixels wide. */
static void put_columns(const struct bo_run_document *document, double width, FILE *out)
{
    const int font = column_font(document, width);
    unsigned column = 0;
    fprintf(out, "unset xtics\nset grid noxtics\n");
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        if (!is_column(document, l))
            continue;
        const int kind = (int)strcspn(label, "/");
        fprintf(out,
                "set label \"%.*s\\n%s\" at first %u, screen %.6f center font 'sans-serif,%d'\n",
                kind, label, label + kind + 1, column,
                (BO_PICTURE_BOTTOM - 18.0) / BO_PICTURE_HEIGHT, font);
        if (column)
            fprintf(out,
                    "set arrow from first %g, graph 0 to first %g, graph 1 nohead back lc rgb "
                    "'#d0d0d0' lw 1\n",
                    column - 0.5, column - 0.5);
        column++;
    }
    fprintf(out, "set xrange [-0.5:%g]\n", column - 0.5);
}

static size_t longest_name(const struct bo_run_document *document)
{
    size_t longest = 0;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const size_t n = strlen(document->codecs[c].name);
        longest = is_drawn(document, c) && n > longest ? n : longest;
    }
    return longest;
}

static void put_workloads(const struct bo_run_document *document, struct bo_arena *arena, FILE *out)
{
    const double right = 1 - bo_key_width(longest_name(document)) / BO_PICTURE_WIDTH;
    unsigned n = 0;
    bo_canvas_begin(out);
    bo_canvas_title(bo_arena_printf(arena, "%s on %s: time a query, by workload", document->format,
                                    document->name),
                    out);
    const struct bo_scale y = bo_scale_padded(put_codecs(document, out), 0.05);
    bo_canvas_tics("y", y, bo_time_tic, out);
    put_columns(document, right * BO_PICTURE_WIDTH - BO_PICTURE_LEFT, out);
    fprintf(out, "set ylabel 'time a query, faster is down'\n");
    bo_canvas_key(right, out);
    fprintf(out, "plot ");
    const char *before = "";
    for (unsigned c = 0; c < document->n_codecs; c++) {
        if (!is_drawn(document, c))
            continue;
        const char *colour = bo_series_colour(n);
        fprintf(out,
                "%s$codec%u using 1:2:3:4 with yerrorbars notitle pt -1 lw 1 lc rgb '%s', "
                "$codec%u using 1:2 with points pt %d ps 0.8 lc rgb '%s' title ",
                before, c, colour, c, bo_series_shape(n), colour);
        bo_canvas_quoted(document->codecs[c].name, out);
        before = ", ";
        n++;
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
    return bo_canvas_finish(out, &script, path);
}
