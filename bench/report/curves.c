/* Curves. */
#include "bench/report/curves.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/assets.h"
#include "bench/report/canvas.h"
#include "bench/report/comparison.h"
#include "bench/report/document.h"
#include "bench/report/figure.h"
#include "bench/report/picks.h"
#include "harness/core/print.h"

/* The costs, one picture each. The main query's label is the document's. */
static const struct cost {
    const char *name;  /* of the picture's file */
    const char *title; /* "time to ..." */
    enum bo_figure_kind kind;
    const char *label, *counter;
    bool is_time; /* else bytes */
} costs[] = {
    {"query", "time a query", BO_TIME, NULL, NULL, true},
    {"encode", "time to encode", BO_TIME_PER_UNIT, "encode", NULL, true},
    {"open", "time to open", BO_TIME, "open", NULL, true},
    {"scratch", "memory to encode", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes", false},
};
enum { N_COSTS = sizeof costs / sizeof *costs };

static double cost_of(const struct cost *cost, const struct bo_run_document *document,
                      const char *codec)
{
    const struct bo_run_codec *one = bo_run_codec(document, codec);
    const struct bo_figure figure = {cost->title, cost->kind,
                                     cost->label ? cost->label : bo_run_main_label(document),
                                     cost->counter};
    return one ? bo_figure_value(document, one, &figure) : NAN;
}

/* "time to encode a function" if the label has one operation per unit. */
static char *title_of(const struct cost *cost, const struct bo_run_document *document,
                      struct bo_arena *arena)
{
    const bool per_unit = cost->kind == BO_TIME_PER_UNIT || cost->kind == BO_COUNTER_PER_UNIT;
    return bo_arena_printf(arena, "%s%s%s", cost->title, per_unit ? ", over " : "",
                           per_unit ? (document->unit ? document->unit : "units") : "");
}

/* ---- documents ------------------------------------------------------------------------------- */

static int by_units(const void *a, const void *b)
{
    const struct bo_run_document *const *x = a, *const *y = b;
    return ((*x)->n_units > (*y)->n_units) - ((*x)->n_units < (*y)->n_units);
}

size_t bo_curve_documents(const struct bo_run *run, const char *format, struct bo_arena *arena,
                          const struct bo_run_document ***documents_ret)
{
    const unsigned n = bo_format_documents(run, format, BO_FOR_CURVES, arena, documents_ret);
    qsort(*documents_ret, n, sizeof **documents_ret, by_units);
    return n;
}

/* The document whose size is nearest to a hundredth of the largest one's, by their ratio. */
static const struct bo_run_document *hundredth(const struct bo_run_document *const *documents,
                                               size_t n)
{
    const double wanted = log((double)documents[n - 1]->n_units / 100);
    const struct bo_run_document *best = documents[0];
    for (size_t d = 1; d + 1 < n; d++)
        if (fabs(log((double)documents[d]->n_units) - wanted) <
            fabs(log((double)best->n_units) - wanted))
            best = documents[d];
    return best;
}

/* The whole cost, not that of one unit. */
static double total_of(const struct cost *cost, const struct bo_run_document *document,
                       const char *codec)
{
    const bool per_unit = cost->kind == BO_TIME_PER_UNIT || cost->kind == BO_COUNTER_PER_UNIT;
    return cost_of(cost, document, codec) * (per_unit ? (double)document->n_units : 1);
}

/* The e of n^e that fits the cost best: the slope of its line on logarithmic axes. */
static double exponent_of(const struct cost *cost, const struct bo_run_document *const *documents,
                          size_t n, const char *codec)
{
    double n_seen = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (size_t d = 0; d < n; d++) {
        const double total = total_of(cost, documents[d], codec),
                     x = log((double)documents[d]->n_units), y = log(total);
        if (!(total > 0) || documents[d]->n_units == 0)
            continue;
        n_seen++;
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    const double spread = n_seen * sum_xx - sum_x * sum_x;
    const double exponent = spread > 0 ? (n_seen * sum_xy - sum_x * sum_y) / spread : NAN;
    return fabs(exponent) < 0.005 ? 0 : exponent; /* no -0.00 */
}

/* ---- the table ------------------------------------------------------------------------------- */

void bo_curves_grid(const struct bo_run_document *const *documents, size_t n,
                    struct bo_arena *arena, struct bo_grid *grid_ret)
{
    const struct bo_run_document *large = documents[n - 1], *small = hundredth(documents, n);
    const struct bo_run_codec **codecs;
    const unsigned n_codecs = bo_ranked_codecs(large, arena, &codecs);
    bo_grid_init(grid_ret, arena, 2);
    for (unsigned c = 0; c < n_codecs; c++) {
        const char *name = codecs[c]->name;
        bo_grid_column(grid_ret, "codec", bo_codec_cell(arena, codecs[c]));
        bo_grid_column(grid_ret, "role", codecs[c]->role);
        for (unsigned i = 0; i < N_COSTS; i++) {
            const double high = cost_of(&costs[i], large, name);
            const double ratio = high / cost_of(&costs[i], small, name);
            bo_grid_column(grid_ret,
                           bo_arena_printf(arena, "%s, %s", title_of(&costs[i], large, arena),
                                           costs[i].is_time ? "ns" : "B"),
                           bo_significant(arena, high));
            bo_grid_column(grid_ret, "ratio", isfinite(ratio) ? bo_significant(arena, ratio) : "-");
            bo_grid_column(grid_ret, "exponent",
                           bo_fixed(arena, exponent_of(&costs[i], documents, n, name), 2));
        }
        bo_grid_end_row(grid_ret);
    }
}

/* ---- the pictures ---------------------------------------------------------------------------- */

static char *picture_name(struct bo_arena *arena, const char *format, const struct cost *cost)
{
    return bo_arena_printf(arena, "%s-scale-%s.svg", format, cost->name);
}

/* True when any codec has the cost, so that there is a picture of it. */
static bool is_drawn(const struct bo_run_document *const *documents, size_t n,
                     const struct cost *cost)
{
    for (size_t d = 0; d < n; d++)
        for (unsigned c = 0; c < documents[d]->n_codecs; c++)
            if (!documents[d]->codecs[c].is_noop &&
                cost_of(cost, documents[d], documents[d]->codecs[c].name) > 0)
                return true;
    return false;
}

/* Writes the points of a curve. False when no value is above 0, as a logarithmic axis requires. */
static bool put_curve(const struct bo_run_document *const *documents, size_t n,
                      const struct cost *cost, const char *codec, struct bo_scale *y, FILE *out)
{
    bool any = false;
    for (size_t d = 0; d < n; d++) {
        const double v = cost_of(cost, documents[d], codec);
        if (!(v > 0) || documents[d]->n_units == 0)
            continue;
        fprintf(out, "%" PRIu64 " %.9g\n", documents[d]->n_units, v);
        bo_scale_widen(y, v);
        any = true;
    }
    return any;
}

static void draw_cost(const struct bo_run_document *const *documents, size_t n,
                      const struct cost *cost, const char *path, struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    const struct bo_run_document *large = documents[n - 1];
    const char *unit = large->unit ? large->unit : "units";
    const struct bo_run_codec **codecs;
    const unsigned n_codecs = bo_ranked_codecs(large, arena, &codecs);
    const struct bo_scale x = {(double)documents[0]->n_units, (double)large->n_units};
    struct bo_scale y = {INFINITY, 0};
    const char **names = bo_array_or_abort(arena, n_codecs, sizeof *names);
    unsigned n_drawn = 0;
    size_t longest = 0;
    bo_picture_begin(drawing, path,
                     bo_arena_printf(arena, "%s: %s, against the number of %s", large->format,
                                     title_of(cost, large, arena), unit));
    bo_picture_table(drawing, "curves");
    for (unsigned c = 0; c < n_codecs; c++)
        if (put_curve(documents, n, cost, codecs[c]->name, &y, drawing->out)) {
            fputs("\n\n", drawing->out);
            names[n_drawn++] = bo_codec_cell(arena, codecs[c]);
        }
    bo_picture_table_end(drawing);
    bo_picture_names(drawing, names, n_drawn);
    for (unsigned c = 0; c < large->n_codecs; c++)
        longest = fmax(longest, strlen(large->codecs[c].name));
    bo_picture_number(drawing, "longest", (double)(longest + strlen(" (~)")));
    bo_picture_scale(drawing, "x", bo_scale_padded(x, 0.04));
    bo_picture_scale(drawing, "y", bo_scale_padded(y, 0.05));
    bo_picture_text(drawing, "x_kind", "count");
    bo_picture_text(drawing, "y_kind", cost->is_time ? "time" : "bytes");
    bo_picture_text(drawing, "x_label", unit);
    bo_picture_text(drawing, "y_label", title_of(cost, large, arena));
    bo_picture_end(drawing, bo_plot_curves_gp);
}

void bo_curves_draw(const struct bo_run *run, const char *format, const char *folder,
                    struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    const struct bo_run_document **documents;
    const size_t n = bo_curve_documents(run, format, arena, &documents);
    for (unsigned i = 0; i < N_COSTS && n >= 2; i++)
        if (is_drawn(documents, n, &costs[i]))
            draw_cost(
                documents, n, &costs[i],
                bo_arena_printf(arena, "%s/%s", folder, picture_name(arena, format, &costs[i])),
                drawing);
}

/* ---- the section ----------------------------------------------------------------------------- */

const char *bo_curves_picture(const struct bo_run_document *const *documents, size_t n, unsigned i,
                              struct bo_arena *arena)
{
    for (unsigned c = 0; c < N_COSTS && n >= 2; c++)
        if (is_drawn(documents, n, &costs[c]) && i-- == 0)
            return picture_name(arena, documents[0]->format, &costs[c]);
    return NULL;
}

static json_t *cost_json(const struct bo_run_document *const *documents, size_t n,
                         const struct cost *cost, struct bo_arena *arena)
{
    const struct bo_run_codec **codecs;
    const unsigned n_codecs = bo_ranked_codecs(documents[n - 1], arena, &codecs);
    json_t *curves = json_object();
    for (unsigned c = 0; c < n_codecs; c++) {
        json_t *values = json_array();
        for (size_t d = 0; d < n; d++) {
            const double v = cost_of(cost, documents[d], codecs[c]->name);
            json_array_append_new(values, bo_number_json(v));
        }
        json_object_set_new(curves, codecs[c]->name, values);
    }
    return json_pack("{s:s, s:s, s:b, s:o}", "name", cost->name, "title",
                     title_of(cost, documents[n - 1], arena), "is_time", (int)cost->is_time,
                     "codecs", curves);
}

json_t *bo_curves_json(const struct bo_run_document *const *documents, size_t n,
                       struct bo_arena *arena)
{
    json_t *points = json_array(), *costs_json = json_array();
    for (size_t d = 0; d < n; d++)
        json_array_append_new(points, json_pack("{s:s, s:I}", "name", documents[d]->name, "n_units",
                                                (json_int_t)documents[d]->n_units));
    for (unsigned i = 0; i < N_COSTS; i++)
        if (is_drawn(documents, n, &costs[i]))
            json_array_append_new(costs_json, cost_json(documents, n, &costs[i], arena));
    return json_pack("{s:s, s:o, s:o}", "unit", documents[0]->unit ? documents[0]->unit : "units",
                     "documents", points, "costs", costs_json);
}

void bo_page_curves(const struct bo_page *page, const char *format)
{
    const struct bo_run_document **documents;
    struct bo_grid grid;
    const size_t n = bo_curve_documents(page->run, format, page->arena, &documents);
    fprintf(page->out, "\n### Cost against size\n");
    if (n < 2) {
        fprintf(page->out,
                "\nNot measured: no run here has two documents for curves over sizes. `make bench "
                "BENCH_FLAGS=--scale` measures such documents, too.\n");
        return;
    }
    const struct bo_run_document *large = documents[n - 1], *small = hundredth(documents, n);
    const char *main_label = bo_run_main_label(large), *note = bo_mark_note(large, page->arena);
    fprintf(
        page->out,
        "\nThe cost on %s (%" PRIu64 " %s), and its ratio to the cost on %s (%" PRIu64 "). The "
        "query is `%s`. For a cost that is divided by the number of %s, the ratio is 1 if the cost "
        "is linear; it is higher if the data no longer fit in the caches. The exponent is that of "
        "the whole cost over all documents of the series, fitted on logarithmic axes: 1 if the "
        "cost is linear.\n\n",
        large->name, large->n_units, large->unit ? large->unit : "units", small->name,
        small->n_units, main_label ? main_label : "none", large->unit ? large->unit : "units");
    bo_curves_grid(documents, n, page->arena, &grid);
    bo_page_grid(page, &grid, "cost against size");
    if (note)
        fprintf(page->out, "\n%s\n", note);
    for (size_t d = 0; d < n; d++)
        bo_page_huge_pages(page, documents[d]);
}
