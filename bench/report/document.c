/* One document's tables. */
#include "bench/report/document.h"

#include <math.h>
#include <string.h>

#include "bench/measure/query_sets.h"
#include "bench/report/axes.h"
#include "bench/report/caption.h"
#include "bench/report/comparison.h"
#include "bench/report/figure.h"
#include "bench/report/keep.h"
#include "bench/report/sizes.h"
#include "bench/report/uses.h"

/* ---- sizes ----------------------------------------------------------------------------------- */

void bo_page_sizes(const struct bo_page *page, const struct bo_run_document *document)
{
    struct bo_grid grid;
    bo_sizes_grid(&document->sizes, true, page->arena, &grid);
    fprintf(page->out,
            "\n**Sizes.** Bytes of the counted sections, and the size of these bytes under each "
            "outer compressor.\n\n");
    bo_page_grid(page, &grid, "sizes");
    const char *note = bo_sizes_note(&document->sizes, true, page->arena);
    if (note)
        fprintf(page->out, "\n%s\n", note);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* An additional column for queries whose time grows with the document. */
static void add_per_unit(const struct bo_run_document *document, const struct bo_run_codec *codec,
                         const char *label, struct bo_grid *grid)
{
    const struct bo_figure figure = {"", BO_TIME_PER_UNIT, label, NULL};
    if (bo_is_whole_label(document, label))
        bo_grid_column(
            grid,
            bo_arena_printf(grid->arena, "%s, ns/%s", label, bo_unit_text(grid->arena, document)),
            codec->is_noop ? "-" : bo_figure_cell(grid->arena, document, codec, &figure));
}

/* Millions a second, for the operations that rebuild or write the whole document. */
static void add_rates(const struct bo_run_document *document, const struct bo_run_row *row,
                      const char *label, struct bo_grid *grid)
{
    const char *items = document->unit ? document->unit : "documents";
    if (strcmp(label, "encode") != 0 && strcmp(label, "decode") != 0 && strcmp(label, "merge") != 0)
        return;
    bo_grid_column(grid, bo_arena_printf(grid->arena, "M %s/s", items),
                   bo_significant(grid->arena, bo_run_counter(row, "items_per_second") / 1e6));
    bo_grid_column(grid, "MB/s",
                   bo_significant(grid->arena, bo_run_counter(row, "bytes_per_second") / 1e6));
}

/* The table of the queries, or of the operations, after a text. */
static void print_times(const struct bo_page *page, const struct bo_run_document *document,
                        bool queries, const char *text)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        bo_grid_column(&grid, "codec", bo_codec_cell(page->arena, codec));
        for (unsigned l = 0; l < document->n_labels; l++) {
            const char *label = document->labels[l];
            const struct bo_time_unit unit = bo_column_unit(document, l);
            if (bo_is_query(label) != queries)
                continue;
            bo_grid_column(&grid, bo_arena_printf(page->arena, "%s, %s", label, unit.name),
                           bo_time_cell(page->arena, codec->rows[l], unit,
                                        queries ? BO_WITH_SPREAD : BO_WITH_INTERVAL));
            if (queries)
                add_per_unit(document, codec, label, &grid);
            else
                add_rates(document, codec->rows[l], label, &grid);
        }
        bo_grid_end_row(&grid);
    }
    if (grid.n_columns < 2)
        return;
    fprintf(page->out, "\n%s\n\n", text);
    bo_page_grid(page, &grid, queries ? "queries" : "operations");
}

/* ---- memory and pages ------------------------------------------------------------------------ */

static void print_memory(const struct bo_page *page, const struct bo_run_document *document)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        if (codec->is_noop)
            continue;
        bo_grid_column(&grid, "codec", bo_codec_cell(page->arena, codec));
        for (const struct bo_memory_measure *m = bo_memory_measures; m->label; m++) {
            const struct bo_run_row *row = bo_run_row(document, codec, m->label);
            bo_grid_column(&grid, m->heading,
                           bo_nbytes_text(page->arena, bo_run_counter(row, m->counter)));
        }
        for (unsigned l = 0; l < document->n_labels; l++)
            if (bo_is_query(document->labels[l]))
                bo_grid_column(
                    &grid, bo_arena_printf(page->arena, "pages, %s", document->labels[l]),
                    bo_significant(page->arena, bo_run_counter(codec->rows[l], "touched_pages")));
        bo_grid_end_row(&grid);
    }
    fprintf(page->out,
            "\n**Memory, and pages a query reads.** All figures are exact. Peaks include the "
            "output but not the input; scratch includes neither. Pages are 4 KiB; their number is "
            "the mean over a sample of the queries.\n\n");
    bo_page_grid(page, &grid, "memory and pages");
}

/* ---- what is missing ------------------------------------------------------------------------- */

static void print_failures(const struct bo_page *page, const struct bo_run_document *document)
{
    const char **lines;
    const size_t n = bo_comparison_failures(document, page->arena, &lines);
    if (n)
        fprintf(page->out, "\n**Missing:**\n\n");
    for (size_t i = 0; i < n; i++)
        fprintf(page->out, "- %s\n", lines[i]);
    for (unsigned i = 0; i < document->without_place.n; i++)
        fprintf(page->out, "%sNot run: %s, for which this document has no input.\n", i ? "" : "\n",
                document->without_place.items[i]);
    for (unsigned i = 0; i < document->too_large.n; i++)
        fprintf(page->out, "%sNot run: %s, of which one answer is larger than %d MiB.\n",
                i ? "" : "\n", document->too_large.items[i], BO_MAX_ANSWERS_NBYTES >> 20);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void print_origin(const struct bo_page *page, const struct bo_run_document *document)
{
    const struct bo_pairs *units = &document->sizes.units;
    fprintf(page->out, "\n%s; XXH3-64 %s%s%s.\n",
            document->provenance ? document->provenance : "of unknown origin",
            document->xxh3 ? document->xxh3 : "unknown", units->n ? ", " : "",
            bo_counts_text(units, page->arena));
}

void bo_page_comparison(const struct bo_page *page, const struct bo_run_document *document)
{
    struct bo_label_filter all = {.kinds = {.n = 0}};
    struct bo_grid grid;
    const char *note = bo_mark_note(document, page->arena);
    bo_comparison(document, &all, BO_WITH_INTERVAL, page->arena, &grid);
    print_origin(page, document);
    fprintf(page->out, "\nTimes of a query or operation as median [interval]: %s.\n\n",
            bo_caption_sample(document, page->arena));
    bo_page_grid(page, &grid,
                 bo_arena_printf(page->arena, "comparison of all codecs on %s", document->name));
    if (note)
        fprintf(page->out, "\n%s\n", note);
    print_failures(page, document);
}

static void add_huge(const struct bo_page *page, const struct bo_run_document *document,
                     const struct bo_run_codec *codec, unsigned l, struct bo_grid *grid)
{
    const struct bo_run_row *row = codec->rows[l], *huge = codec->variants[BO_HUGE][l];
    const struct bo_time_unit ns = bo_time_unit_for(1);
    bo_grid_texts(grid, bo_codec_cell(page->arena, codec), document->labels[l],
                  bo_time_cell(page->arena, row, ns, BO_WITH_INTERVAL),
                  bo_time_cell(page->arena, huge, ns, BO_WITH_INTERVAL),
                  bo_significant(page->arena, row ? huge->median_ns / row->median_ns : NAN),
                  bo_nbytes_text(page->arena, bo_run_counter(huge, "huge_bytes")), NULL);
    bo_grid_end_row(grid);
}

void bo_page_huge_pages(const struct bo_page *page, const struct bo_run_document *document)
{
    struct bo_grid grid;
    bo_grid_begin(&grid, page->arena, 2, "codec", "query", "4 KiB pages, ns", "huge pages, ns",
                  "ratio", "in huge pages", NULL);
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++)
            if (document->codecs[c].variants[BO_HUGE] && document->codecs[c].variants[BO_HUGE][l])
                add_huge(page, document, &document->codecs[c], l, &grid);
    if (bo_grid_n_rows(&grid) == 1)
        return;
    fprintf(
        page->out,
        "\n**Huge pages.** Queries on %s with the encoding and the reader in pages of 4 KiB and of "
        "2 MiB, median [interval]; the ratio is the second time over the first. \"In huge pages\" "
        "is what the system provided, the median over repetitions: if it is 0, both times are with "
        "small pages.\n\n",
        document->name);
    bo_page_grid(page, &grid, "huge pages");
}

void bo_page_document(const struct bo_page *page, const struct bo_run_document *document)
{
    const struct bo_format_report *notes = bo_report_of(document->format);
    fprintf(page->out, "\n## %s\n", document->name);
    print_origin(page, document);
    bo_page_sizes(page, document);
    print_times(page, document, true,
                bo_arena_printf(
                    page->arena,
                    "**Queries.** Time a query as median [interval] (p10-p90 over batches): %s.",
                    bo_caption_sample(document, page->arena)));
    print_times(page, document, false,
                "**Whole operations.** Median [interval]. MB/s are of the text form. `open` reads "
                "pages that are already mapped, `open-cold` a new mapping, whose pages fault.");
    print_memory(page, document);
    bo_page_keep(page, document);
    bo_page_huge_pages(page, document);
    print_failures(page, document);
    if (notes && notes->axes)
        bo_page_axes(page, document, notes->axes);
    if (notes && notes->uses)
        bo_page_uses(page, document, notes->uses);
}
