/* Bytes against time, and the times of all workloads: input of the scripts. */
#include "bench/report/plot.h"

#include <math.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/assets.h"
#include "bench/report/canvas.h"
#include "bench/report/front.h"
#include "bench/report/labels.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* Pixels: sizes of a point and of a line of text; the plot's area. */
enum {
    POINT = 13,
    LINE = 16,
    WIDTH = BO_PICTURE_WIDTH - BO_PICTURE_LEFT - BO_PICTURE_RIGHT,
    HEIGHT = BO_PICTURE_HEIGHT - BO_PICTURE_TOP - BO_PICTURE_BOTTOM,
};

/* ---- size against time ----------------------------------------------------------------------- */

/*
 * Codecs with more than this many times the smallest codec's bytes are drawn at the edge, so that
 * the others have room.
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

/* The codec's name; with its bytes where its position does not show them. */
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
 * The corners of the front of the exact codecs that read in place, drawn as steps. Returns their
 * number; there is room for 2 n + 1.
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

static void put_front(struct bo_drawing *drawing, const double (*corners)[2], size_t n)
{
    bo_picture_table(drawing, "front");
    for (size_t i = 0; i < n; i++)
        fprintf(drawing->out, "%.9g %.9g\n", corners[i][0], corners[i][1]);
    bo_picture_table_end(drawing);
}

static void put_points(struct bo_drawing *drawing, const struct scatter *scatter,
                       struct bo_arena *arena)
{
    static const enum bo_role order[] = {BO_STATUS_QUO, BO_PROPOSED, BO_CONTROL, BO_NEW};
    char *roles = bo_arena_printf(arena, "%s", "");
    bo_picture_table(drawing, "points");
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        bool any = false;
        for (size_t i = 0; i < scatter->n; i++) {
            const struct bo_front_point *p = &scatter->points[i];
            const struct bo_interval interval = bo_drawn_interval(p->row);
            if (strcmp(p->codec->role, bo_role_name(order[k])) != 0)
                continue;
            fprintf(drawing->out, "%.9g %.9g %.9g %.9g\n", drawn_bytes(scatter, i), p->ns,
                    interval.low, interval.high);
            any = true;
        }
        if (any) {
            fputs("\n\n", drawing->out);
            roles = bo_arena_printf(arena, "%s \"%s\"", roles, bo_role_name(order[k]));
        }
    }
    bo_picture_table_end(drawing);
    bo_picture_text(drawing, "roles", roles);
}

static double pixel_x(const struct scatter *scatter, double bytes)
{
    return bo_scale_position(scatter->x, bytes) * WIDTH;
}

static double pixel_y(const struct scatter *scatter, double ns)
{
    return (1 - bo_scale_position(scatter->y, ns)) * HEIGHT;
}

/* The box of a line between two points, with room around it. */
static struct bo_picture_box box_of(const struct scatter *scatter, double bytes_a, double ns_a,
                                    double bytes_b, double ns_b, double room)
{
    const double xa = pixel_x(scatter, bytes_a), xb = pixel_x(scatter, bytes_b);
    const double ya = pixel_y(scatter, ns_a), yb = pixel_y(scatter, ns_b);
    return (struct bo_picture_box){fmin(xa, xb) - room, fmin(ya, yb) - room, fmax(xa, xb) + room,
                                   fmax(ya, yb) + room};
}

/*
 * If there is no room for all names: names on the front, and for codecs of two parts one name for
 * each first part.
 */
static bool is_named(const struct scatter *scatter, size_t i)
{
    enum { ALL_NAMES = 16 };
    const struct bo_front_point *p = &scatter->points[i];
    const struct bo_format *format = bo_find_format(p->row->format);
    return scatter->n <= ALL_NAMES || p->on_front || !format ||
           bo_on_first_axis(format, p->codec->name);
}

/* One label for each named point, in their order. */
static struct bo_picture_label *place_names(const struct scatter *scatter,
                                            const double (*corners)[2], size_t n_corners,
                                            struct bo_arena *arena)
{
    enum { LINE_ROOM = 2 };
    struct bo_picture_label *labels = bo_array_or_abort(arena, scatter->n, sizeof *labels);
    struct bo_picture_box *lines =
        bo_array_or_abort(arena, 2 * scatter->n + n_corners, sizeof *lines);
    size_t n_lines = 0, n_labels = 0;
    for (size_t i = 1; i < n_corners; i++)
        lines[n_lines++] = box_of(scatter, corners[i - 1][0], corners[i - 1][1], corners[i][0],
                                  corners[i][1], LINE_ROOM);
    for (size_t i = 0; i < scatter->n; i++) {
        const struct bo_front_point *p = &scatter->points[i];
        const struct bo_interval interval = bo_drawn_interval(p->row);
        const double bytes = drawn_bytes(scatter, i);
        lines[n_lines++] =
            box_of(scatter, p->bytes, interval.low, p->bytes, interval.high, LINE_ROOM);
        if (!is_named(scatter, i)) { /* an obstacle for the other names */
            lines[n_lines++] = box_of(scatter, bytes, p->ns, bytes, p->ns, POINT / 2.0);
            continue;
        }
        labels[n_labels++] = (struct bo_picture_label){
            .x = pixel_x(scatter, bytes),
            .y = pixel_y(scatter, p->ns),
            .width = BO_GLYPH_WIDTH * (double)strlen(point_name(scatter, i, arena)),
            .height = LINE,
        };
    }
    bo_labels_place(labels, n_labels, lines, n_lines, POINT, WIDTH, HEIGHT);
    return labels;
}

/* Writes names beside the points, with lines to names that are far away. */
static void put_names(struct bo_drawing *drawing, const struct scatter *scatter,
                      const struct bo_picture_label *labels, struct bo_arena *arena)
{
    size_t n = 0;
    bo_picture_table(drawing, "names");
    for (size_t i = 0; i < scatter->n; i++) {
        if (!is_named(scatter, i))
            continue;
        const struct bo_picture_label *l = &labels[n++];
        bo_picture_cell(drawing, point_name(scatter, i, arena));
        fprintf(drawing->out, " %.6f %.6f %d\n", l->left / WIDTH,
                1 - (l->top + l->height / 2) / HEIGHT, scatter->points[i].on_front);
    }
    bo_picture_table_end(drawing);
    bo_picture_table(drawing, "leaders");
    for (const struct bo_picture_label *l = labels; l < labels + n; l++)
        if (l->away)
            fprintf(drawing->out, "%.6f %.6f %.6f %.6f\n", l->x / WIDTH, 1 - l->y / HEIGHT,
                    fmin(fmax(l->x, l->left), l->left + l->width) / WIDTH,
                    1 - (l->top + l->height / 2) / HEIGHT);
    bo_picture_table_end(drawing);
}

static void put_scatter(struct bo_drawing *drawing, const struct scatter *scatter,
                        struct bo_arena *arena)
{
    double(*corners)[2] = bo_array_or_abort(arena, 2 * scatter->n + 1, sizeof *corners);
    const size_t n_corners = front_corners(scatter, corners);
    struct bo_picture_label *labels = place_names(scatter, corners, n_corners, arena);
    bo_picture_scale(drawing, "x", scatter->x);
    bo_picture_scale(drawing, "y", scatter->y);
    put_front(drawing, corners, n_corners);
    put_points(drawing, scatter, arena);
    put_names(drawing, scatter, labels, arena);
}

void bo_plot_size_time(const struct bo_run_document *document, const char *path,
                       struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    struct bo_front_point *points;
    const char *label = bo_run_main_label(document);
    struct scatter scatter = {.x = {INFINITY, 0}, .y = {INFINITY, 0}};
    scatter.n = bo_front_points(document, label, arena, &points);
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
    bo_picture_begin(
        drawing, path,
        bo_arena_printf(arena, "%s on %s: bytes against time", document->format, document->name));
    bo_picture_text(drawing, "y_label",
                    bo_arena_printf(arena, "%s: time a query, faster is down", label));
    put_scatter(drawing, &scatter, arena);
    bo_picture_end(drawing, bo_plot_size_time_gp);
}

/* ---- workloads ------------------------------------------------------------------------------- */

/* Queries without arguments, for the whole document or its summary, are only in the tables. */
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

/* Where a codec is named by two parts (lprf: index+counters), the picture varies only the first. */
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
 * Writes one block per codec: position, median, interval. Codecs are adjacent in a workload's
 * column.
 */
static struct bo_scale put_times(struct bo_drawing *drawing, const struct bo_run_document *document,
                                 unsigned n_drawn)
{
    struct bo_scale y = {INFINITY, 0};
    unsigned place = 0;
    bo_picture_table(drawing, "times");
    for (unsigned c = 0; c < document->n_codecs; c++) {
        unsigned column = 0;
        if (!is_drawn(document, c))
            continue;
        const double shift = 0.7 * ((place++ + 0.5) / n_drawn - 0.5);
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!is_column(document, l))
                continue;
            const double x = column++ + shift;
            if (!row || row->n == 0 || row->failure)
                continue;
            const struct bo_interval interval = bo_drawn_interval(row);
            fprintf(drawing->out, "%.4f %.9g %.9g %.9g\n", x, row->median_ns, interval.low,
                    interval.high);
            bo_scale_widen(&y, interval.low);
            bo_scale_widen(&y, interval.high);
        }
        fputs("\n\n", drawing->out);
    }
    bo_picture_table_end(drawing);
    return y;
}

void bo_plot_workloads(const struct bo_run_document *document, const char *path,
                       struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    const char **names = bo_array_or_abort(arena, document->n_codecs, sizeof *names);
    unsigned n = 0;
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (is_drawn(document, c))
            names[n++] = document->codecs[c].name;
    bo_picture_begin(drawing, path,
                     bo_arena_printf(arena, "%s on %s: time a query, by workload", document->format,
                                     document->name));
    bo_picture_scale(drawing, "y", bo_scale_padded(put_times(drawing, document, n), 0.05));
    const size_t longest = bo_picture_names(drawing, names, n);
    bo_picture_number(drawing, "longest", (double)longest);
    bo_picture_table(drawing, "columns");
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        if (is_column(document, l))
            fprintf(drawing->out, "%.*s %s\n", (int)strcspn(label, "/"), label,
                    strchr(label, '/') + 1);
    }
    bo_picture_table_end(drawing);
    bo_picture_end(drawing, bo_plot_workloads_gp);
}
