/* Bars: bytes by section, times by percentile. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/assets.h"
#include "bench/report/plot.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Codecs from top to bottom, one per unit of the y axis. */
struct rows {
    const struct bo_run_codec **codecs;
    unsigned n;
};

/*
 * True when the codec has times under the label, or with NULL, an encoding of its own. Of codecs of
 * two parts, the picture shows those that differ in the first.
 */
static bool has_bar(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    const char *label)
{
    const struct bo_format *format = bo_find_format(document->format);
    if (codec->is_noop || (format && !bo_on_first_axis(format, codec->name)))
        return false;
    if (!label)
        return codec->has_bytes && codec->bytes && !codec->reads;
    const struct bo_run_row *row = bo_run_row(document, codec, label);
    return row && row->n && !row->failure && bo_run_counter(row, "p10_ns") > 0;
}

static struct rows rows_of(const struct bo_run_document *document, const char *label,
                           struct bo_arena *arena)
{
    struct rows rows = {bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *rows.codecs), 0};
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (has_bar(document, &document->codecs[c], label))
            rows.codecs[rows.n++] = &document->codecs[c];
    return rows;
}

/* Writes the names at the left, and their assumed width. */
static void put_rows(struct bo_drawing *drawing, const struct rows *rows, struct bo_arena *arena)
{
    size_t longest = 0;
    char *names = bo_arena_printf(arena, "%s", "");
    for (unsigned r = 0; r < rows->n; r++) {
        const size_t n = strlen(rows->codecs[r]->name);
        longest = n > longest ? n : longest;
        names = bo_arena_printf(arena, "%s \"%s\"", names, bo_codec_cell(arena, rows->codecs[r]));
    }
    bo_picture_text(drawing, "rows", names);
    bo_picture_number(drawing, "n_rows", rows->n);
    bo_picture_number(drawing, "longest", (double)longest);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* The last series sums all sections without a series of their own. */
enum { MAX_SERIES = 7, MAX_TIMES_BASELINE = 2 };

struct series {
    const char *name;
    double nbytes; /* in all encodings, as shares of each */
};

static int by_weight(const void *a, const void *b)
{
    const double x = ((const struct series *)a)->nbytes, y = ((const struct series *)b)->nbytes;
    return (y > x) - (y < x);
}

/* The names of the sections with the greatest shares, in order. Returns their number. */
static size_t find_series(const struct rows *rows, struct bo_arena *arena, struct series **ret)
{
    size_t n = 0, cap = 0;
    for (unsigned r = 0; r < rows->n; r++)
        cap += rows->codecs[r]->size->sections.n;
    struct series *series = bo_array_or_abort(arena, cap + 1, sizeof *series);
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

/* Writes the left and right ends of the bars of series s. Returns whether there are any. */
static bool put_bars(const struct rows *rows, const struct series *series, size_t n, size_t s,
                     double longest, FILE *out)
{
    bool any = false;
    for (unsigned r = 0; r < rows->n; r++) {
        double at[MAX_SERIES + 1] = {0}, left = 0;
        const struct bo_pairs *sections = &rows->codecs[r]->size->sections;
        for (unsigned i = 0; i < sections->n; i++)
            at[series_of(series, n, sections->items[i].name)] += sections->items[i].number;
        for (size_t before = 0; before < s; before++)
            left += at[before];
        if (at[s] > 0 && left < longest) {
            fprintf(out, "%.9g %.9g %d\n", left, fmin(left + at[s], longest), -(int)r);
            any = true;
        }
    }
    return any;
}

static void put_sections(struct bo_drawing *drawing, const struct bo_run_document *document,
                         const struct rows *rows, struct bo_arena *arena)
{
    struct series *series;
    const size_t n = find_series(rows, arena, &series);
    const struct bo_run_codec *over =
        document->baseline->has_bytes ? document->baseline : rows->codecs[0];
    const double baseline = (double)over->bytes;
    double longest = 0;
    size_t longest_name = strlen("others");
    bool shown[MAX_SERIES + 1];
    for (unsigned r = 0; r < rows->n; r++)
        longest =
            fmax(longest, fmin((double)rows->codecs[r]->bytes, MAX_TIMES_BASELINE * baseline));
    for (size_t i = 0; i < n && i < MAX_SERIES; i++)
        longest_name = fmax(longest_name, strlen(series[i].name));
    put_rows(drawing, rows, arena);
    bo_picture_number(drawing, "longest_section", (double)longest_name);
    bo_picture_number(drawing, "longest_bar", longest);
    bo_picture_number(drawing, "baseline", baseline);
    bo_picture_text(drawing, "x_label",
                    bo_arena_printf(arena, "bytes; to the right of each bar: ratio to %s",
                                    bo_named_with_role(arena, over)));
    bo_picture_table(drawing, "bars");
    for (size_t s = 0; s <= MAX_SERIES; s++) {
        shown[s] = put_bars(rows, series, n, s, longest, drawing->out);
        fputs(shown[s] ? "\n\n" : "", drawing->out);
    }
    bo_picture_table_end(drawing);
    bo_picture_table(drawing, "series");
    for (size_t s = 0; s <= MAX_SERIES; s++)
        if (shown[s]) {
            bo_picture_cell(drawing, s < MAX_SERIES ? series[s].name : "others");
            fprintf(drawing->out, " %zu\n", s + 1);
        }
    bo_picture_table_end(drawing);
    bo_picture_table(drawing, "sums");
    for (unsigned r = 0; r < rows->n; r++)
        fprintf(drawing->out, "%" PRIu64 "\n", rows->codecs[r]->bytes);
    bo_picture_table_end(drawing);
}

void bo_plot_sections(const struct bo_run_document *document, const char *path,
                      struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    const struct rows rows = rows_of(document, NULL, arena);
    bo_picture_begin(
        drawing, path,
        bo_arena_printf(arena, "%s on %s: where the bytes go", document->format, document->name));
    put_sections(drawing, document, &rows, arena);
    bo_picture_end(drawing, bo_plot_sections_gp);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

void bo_plot_scatter(const struct bo_run_document *document, const char *path,
                     struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    const char *label = bo_run_main_label(document);
    struct bo_scale scale = {INFINITY, 0};
    const struct rows rows = rows_of(document, label, arena);
    bo_picture_begin(drawing, path,
                     bo_arena_printf(arena, "%s on %s: how the times of %s scatter",
                                     document->format, document->name, label));
    put_rows(drawing, &rows, arena);
    bo_picture_table(drawing, "times");
    for (unsigned r = 0; r < rows.n; r++) {
        const struct bo_run_row *row = bo_run_row(document, rows.codecs[r], label);
        const double low = bo_run_counter(row, "p10_ns"), high = bo_run_counter(row, "p90_ns");
        fprintf(drawing->out, "%.9g %.9g %.9g %d\n", row->median_ns, low, high, -(int)r);
        bo_scale_widen(&scale, fmin(low, row->median_ns));
        bo_scale_widen(&scale, fmax(high, row->median_ns));
    }
    bo_picture_table_end(drawing);
    bo_picture_scale(drawing, "x", bo_scale_padded(scale, 0.05));
    bo_picture_end(drawing, bo_plot_scatter_gp);
}
