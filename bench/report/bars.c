/* Bars: bytes by section, times by percentile. */
#include "bench/report/bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/canvas.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* Of codecs of two parts, those that differ in the first are enough for a picture. */
static bool is_drawn(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    const struct bo_format *format = bo_find_format(document->format);
    return !codec->is_noop && (!format || bo_on_first_axis(format, codec->name));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Codecs from the top down, one a unit of the y axis. */
struct rows {
    const struct bo_run_codec **codecs;
    unsigned n;
};

static struct rows rows_of(const struct bo_run_document *document, struct bo_arena *arena,
                           bool wanted(const struct bo_run_codec *codec, const void *arg),
                           const void *arg)
{
    struct rows rows = {bo_alloc_array(arena, document->n_codecs + 1u, sizeof *rows.codecs), 0};
    if (!rows.codecs)
        abort();
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (is_drawn(document, &document->codecs[c]) && wanted(&document->codecs[c], arg))
            rows.codecs[rows.n++] = &document->codecs[c];
    return rows;
}

/* The frame, with names at the left as wide as the longest. */
static void put_rows(const struct rows *rows, double right, struct bo_arena *arena, FILE *out)
{
    size_t longest = 0;
    for (unsigned r = 0; r < rows->n; r++) {
        const size_t n = strlen(rows->codecs[r]->name);
        longest = n > longest ? n : longest;
    }
    fprintf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset ytics (",
            (30 + BO_GLYPH_WIDTH * (double)longest) / BO_PICTURE_WIDTH, right);
    for (unsigned r = 0; r < rows->n; r++) {
        fprintf(out, "%s", r ? ", " : "");
        bo_canvas_quoted(bo_codec_cell(arena, rows->codecs[r]), out);
        fprintf(out, " -%u", r);
    }
    fprintf(out, ")\nset yrange [%g:0.5]\nset grid noytics\n", 0.5 - rows->n);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* The last series stands for all sections that have none of their own. */
enum { MAX_SERIES = 7, MAX_TIMES_BASELINE = 2 };

struct series {
    const char *name;
    double nbytes; /* in all encodings together, as shares of them */
};

static bool is_encoding(const struct bo_run_codec *codec, const void *arg)
{
    (void)arg;
    return codec->has_bytes && codec->bytes && !codec->reads;
}

static int by_weight(const void *a, const void *b)
{
    const double x = ((const struct series *)a)->nbytes, y = ((const struct series *)b)->nbytes;
    return (y > x) - (y < x);
}

/* The names of sections, those with the greatest shares first. Returns how many. */
static size_t find_series(const struct rows *rows, struct bo_arena *arena, struct series **ret)
{
    size_t n = 0, cap = 0;
    for (unsigned r = 0; r < rows->n; r++)
        cap += rows->codecs[r]->size->sections.n;
    struct series *series = bo_alloc_array(arena, cap + 1, sizeof *series);
    if (!series)
        abort();
    for (unsigned r = 0; r < rows->n; r++) {
        const struct bo_pairs *sections = &rows->codecs[r]->size->sections;
        for (unsigned s = 0; s < sections->n; s++) {
            size_t i = 0;
            while (i < n && strcmp(series[i].name, sections->items[s].name) != 0)
                i++;
            if (i == n)
                series[n++] = (struct series){sections->items[s].name, 0};
            series[i].nbytes += sections->items[s].number / (double)rows->codecs[r]->bytes;
        }
    }
    qsort(series, n, sizeof *series, by_weight);
    *ret = series;
    return n;
}

static size_t series_of(const struct series *series, size_t n, const char *name)
{
    for (size_t i = 0; i < n && i < MAX_SERIES; i++)
        if (strcmp(series[i].name, name) == 0)
            return i;
    return MAX_SERIES;
}

/* One block of data a series: left and right end, and the row. Returns which series have any. */
static unsigned put_bars(const struct rows *rows, const struct series *series, size_t n,
                         double longest, FILE *out)
{
    unsigned met = 0;
    for (size_t s = 0; s <= MAX_SERIES; s++) {
        fprintf(out, "$series%zu << END\n", s);
        for (unsigned r = 0; r < rows->n; r++) {
            double at[MAX_SERIES + 1] = {0}, left = 0;
            const struct bo_pairs *sections = &rows->codecs[r]->size->sections;
            for (unsigned i = 0; i < sections->n; i++)
                at[series_of(series, n, sections->items[i].name)] += sections->items[i].number;
            for (size_t before = 0; before < s; before++)
                left += at[before];
            if (at[s] > 0 && left < longest) {
                fprintf(out, "%.9g %.9g %d\n", left, fmin(left + at[s], longest), -(int)r);
                met |= 1u << s;
            }
        }
        fprintf(out, "END\n");
    }
    return met;
}

/* What a bar comes to, at its end. */
static void put_sums(const struct rows *rows, double baseline, double longest,
                     struct bo_arena *arena, FILE *out)
{
    for (unsigned r = 0; r < rows->n; r++) {
        const double bytes = (double)rows->codecs[r]->bytes;
        fprintf(out, "set label ");
        bo_canvas_quoted(bytes > longest
                             ? bo_arena_printf(arena, "cut at the edge: %.3g", bytes / baseline)
                             : bo_arena_printf(arena, "%.3f", bytes / baseline),
                         out);
        fprintf(out, " at first %.9g, first %d %s front font 'sans-serif,%d'\n",
                fmin(bytes, longest), -(int)r,
                bytes > longest ? "right offset -1,0" : "left offset 0.5,0", BO_PICTURE_FONT - 2);
    }
}

static void put_sections(const struct bo_run_document *document, const struct rows *rows,
                         struct bo_arena *arena, FILE *out)
{
    struct series *series;
    const size_t n = find_series(rows, arena, &series);
    const struct bo_run_codec *over =
        document->baseline->has_bytes ? document->baseline : rows->codecs[0];
    const double baseline = (double)over->bytes;
    double longest = 0;
    size_t longest_name = strlen("others");
    for (unsigned r = 0; r < rows->n; r++)
        longest =
            fmax(longest, fmin((double)rows->codecs[r]->bytes, MAX_TIMES_BASELINE * baseline));
    for (size_t i = 0; i < n && i < MAX_SERIES; i++)
        longest_name = fmax(longest_name, strlen(series[i].name));
    const double right = 1 - bo_key_width(longest_name) / BO_PICTURE_WIDTH;
    bo_canvas_begin(out);
    bo_canvas_title(
        bo_arena_printf(arena, "%s on %s: where the bytes go", document->format, document->name),
        out);
    put_rows(rows, right, arena, out);
    bo_canvas_key(right, out);
    bo_canvas_linear_tics("x", 1.12 * longest, bo_bytes_tic, out);
    fprintf(out, "set xlabel ");
    bo_canvas_quoted(bo_arena_printf(arena, "bytes; behind each bar its ratio to %s",
                                     bo_named_with_role(arena, over)),
                     out);
    fprintf(out, "\nset style fill solid 0.9\n");
    const unsigned met = put_bars(rows, series, n, longest, out);
    put_sums(rows, baseline, longest, arena, out);
    fprintf(out, "plot ");
    const char *before = "";
    for (unsigned s = 0; s <= MAX_SERIES; s++) {
        if (!(met & (1u << s)))
            continue;
        fprintf(out,
                "%s$series%u using 1:3:1:2:($3-0.34):($3+0.34) with boxxyerror lc rgb '%s' title ",
                before, s, bo_series_colour(s + 1));
        bo_canvas_quoted(s < MAX_SERIES ? series[s].name : "others", out);
        before = ", ";
    }
    fprintf(out, "\n");
}

bool bo_plot_sections(const struct bo_run_document *document, const char *path)
{
    struct bo_arena arena;
    char *script = NULL;
    size_t nbytes;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct rows rows = rows_of(document, &arena, is_encoding, NULL);
    FILE *out = open_memstream(&script, &nbytes);
    if (!out)
        abort();
    if (rows.n)
        put_sections(document, &rows, &arena, out);
    bo_arena_free(&arena);
    return bo_canvas_finish(out, &script, path);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

struct times {
    const struct bo_run_document *document;
    const char *label;
};

static const struct bo_run_row *row_of(const struct times *times, const struct bo_run_codec *codec)
{
    return bo_run_row(times->document, codec, times->label);
}

static bool has_times(const struct bo_run_codec *codec, const void *arg)
{
    const struct bo_run_row *row = row_of(arg, codec);
    return row && row->n && !row->failure && bo_run_counter(row, "p10_ns") > 0;
}

static void put_times(const struct times *times, const struct rows *rows, struct bo_arena *arena,
                      FILE *out)
{
    struct bo_scale scale = {INFINITY, 0};
    fprintf(out, "$times << END\n");
    for (unsigned r = 0; r < rows->n; r++) {
        const struct bo_run_row *row = row_of(times, rows->codecs[r]);
        const double low = bo_run_counter(row, "p10_ns"), high = bo_run_counter(row, "p90_ns");
        fprintf(out, "%.9g %.9g %.9g %d\n", row->median_ns, low, high, -(int)r);
        bo_scale_widen(&scale, fmin(low, row->median_ns));
        bo_scale_widen(&scale, fmax(high, row->median_ns));
    }
    fprintf(out, "END\n");
    bo_canvas_begin(out);
    bo_canvas_title(bo_arena_printf(arena, "%s on %s: how the times of %s scatter",
                                    times->document->format, times->document->name, times->label),
                    out);
    put_rows(rows, 1 - (double)BO_PICTURE_RIGHT / BO_PICTURE_WIDTH, arena, out);
    bo_canvas_tics("x", bo_scale_padded(scale, 0.05), bo_time_tic, out);
    fprintf(
        out,
        "set xlabel 'time a query over batches: 10th to 90th percentile, and the median; faster "
        "is left'\nset style fill solid 0.35\n"
        "plot $times using 1:4:2:3:($4-0.28):($4+0.28) with boxxyerror lc rgb '%s' notitle, "
        "$times using 1:4 with points pt 7 ps 0.7 lc rgb '%s' notitle\n",
        bo_series_colour(1), bo_series_colour(0));
}

bool bo_plot_scatter(const struct bo_run_document *document, const char *label, const char *path)
{
    struct bo_arena arena;
    char *script = NULL;
    size_t nbytes;
    const struct times times = {document, label};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct rows rows = rows_of(document, &arena, has_times, &times);
    FILE *out = open_memstream(&script, &nbytes);
    if (!out)
        abort();
    if (rows.n)
        put_times(&times, &rows, &arena, out);
    bo_arena_free(&arena);
    return bo_canvas_finish(out, &script, path);
}
