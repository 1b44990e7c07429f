/* What readers keep for later queries. */
#include "bench/report/keep.h"

#include <math.h>

#include "bench/report/assets.h"
#include "harness/core/print.h"

/* A budget for what a reader may keep, and its heading. */
static const struct budget {
    enum bo_run_variant variant;
    const char *name;
} budgets[] = {
    {BO_KEEP_0, "0"}, {BO_KEEP_1M, "1 MiB"}, {BO_KEEP_16M, "16 MiB"}, {BO_AS_IS, "no limit"}};
enum { N_BUDGETS = sizeof budgets / sizeof *budgets };

/* Whether the codec's queries of a label were measured with budgets. */
static bool has_budgets(const struct bo_run_document *document, unsigned c, unsigned l)
{
    const struct bo_run_row *const *rows = document->codecs[c].variants[BO_KEEP_0];
    return rows && rows[l] && bo_is_query(document->labels[l]);
}

static double time_of(const struct bo_run_document *document, unsigned c, unsigned b,
                      const char *label)
{
    const struct bo_run_row *row =
        bo_run_variant_row(document, &document->codecs[c], budgets[b].variant, label);
    return row && row->n ? row->median_ns : NAN;
}

static double held_by(const struct bo_run_document *document, unsigned c, unsigned b,
                      const char *label)
{
    return bo_run_counter(
        bo_run_variant_row(document, &document->codecs[c], budgets[b].variant, label),
        "reader_bytes");
}

static void add_budgets(const struct bo_run_document *document, unsigned c, const char *label,
                        struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    const struct bo_run_codec *codec = &document->codecs[c];
    const struct bo_run_row *row = bo_run_row(document, codec, label);
    bo_grid_column(grid, "codec", bo_codec_cell(arena, codec));
    bo_grid_column(grid, "query", label);
    bo_grid_column(grid, "first queries, ns",
                   bo_significant(arena, bo_run_counter(row, "fresh_ns")));
    for (unsigned b = 0; b < N_BUDGETS; b++)
        bo_grid_column(grid, bo_arena_printf(arena, "ns, %s", budgets[b].name),
                       bo_significant(arena, time_of(document, c, b, label)));
    for (unsigned b = 0; b < N_BUDGETS; b++)
        bo_grid_column(grid, bo_arena_printf(arena, "memory, %s", budgets[b].name),
                       bo_nbytes_text(arena, held_by(document, c, b, label)));
    bo_grid_end_row(grid);
}

void bo_page_keep(const struct bo_page *page, const struct bo_run_document *document)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 2);
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++)
            if (has_budgets(document, c, l))
                add_budgets(document, c, document->labels[l], &grid);
    if (bo_grid_n_rows(&grid) == 0)
        return;
    fprintf(page->out,
            "\n**What readers keep.** Readers of these codecs keep what they have read for later "
            "queries, within a budget. Times are those of the first queries after `open`, and "
            "those of all queries. Memory is that of the reader after the workload, including what "
            "`open` allocated.\n\n");
    bo_page_grid(page, &grid, "what readers keep");
}

/* ---- the picture ----------------------------------------------------------------------------- */

const char *bo_keep_label(const struct bo_run_document *document)
{
    const char *label = NULL;
    double largest = 0;
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++) {
            if (!has_budgets(document, c, l) || !(held_by(document, c, 0, document->labels[l]) > 0))
                continue; /* groups of queries state no memory */
            const double ratio = time_of(document, c, 0, document->labels[l]) /
                                 time_of(document, c, N_BUDGETS - 1, document->labels[l]);
            if (ratio > largest) {
                largest = ratio;
                label = document->labels[l];
            }
        }
    return label;
}

/* Writes a codec's points, one per budget. False when it has none. */
static bool put_curve(const struct bo_run_document *document, unsigned c, const char *label,
                      struct bo_scale *x, struct bo_scale *y, FILE *out)
{
    bool any = false;
    for (unsigned b = 0; b < N_BUDGETS; b++) {
        const double ns = time_of(document, c, b, label);
        const double held = held_by(document, c, b, label);
        if (!(ns > 0) || !(held > 0))
            continue;
        fprintf(out, "%.9g %.9g\n", held, ns);
        bo_scale_widen(x, held);
        bo_scale_widen(y, ns);
        any = true;
    }
    return any;
}

void bo_plot_keep(const struct bo_run_document *document, const char *path,
                  struct bo_drawing *drawing)
{
    const char *label = bo_keep_label(document);
    struct bo_arena *arena = drawing->arena;
    struct bo_scale x = {INFINITY, 0}, y = {INFINITY, 0};
    const char **names = bo_array_or_abort(arena, document->n_codecs + 1, sizeof *names);
    unsigned n = 0;
    bo_picture_begin(drawing, path,
                     bo_arena_printf(arena, "%s on %s: time of %s, against what the reader keeps",
                                     document->format, document->name, label));
    bo_picture_table(drawing, "curves");
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (document->codecs[c].variants[BO_KEEP_0] &&
            put_curve(document, c, label, &x, &y, drawing->out)) {
            fputs("\n\n", drawing->out);
            names[n++] = bo_codec_cell(arena, &document->codecs[c]);
        }
    bo_picture_table_end(drawing);
    const size_t longest = bo_picture_names(drawing, names, n);
    bo_picture_number(drawing, "longest", (double)longest);
    bo_picture_scale(drawing, "x", bo_scale_padded(x, 0.04));
    bo_picture_scale(drawing, "y", bo_scale_padded(y, 0.05));
    bo_picture_text(drawing, "x_kind", "bytes");
    bo_picture_text(drawing, "y_kind", "time");
    bo_picture_text(drawing, "x_label", "memory of the reader after the workload");
    bo_picture_text(drawing, "y_label", "time a query");
    bo_picture_end(drawing, bo_plot_curves_gp);
}
