/* One format's chapter. */
#include "bench/report_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/report_code.h"
#include "bench/report_comparison.h"
#include "bench/report_document.h"
#include "bench/report_front.h"
#include "bench/report_notes.h"
#include "harness/registry.h"

/* Whether the run has the document-th document of this format. */
static const struct bo_run_document *of_format(const struct bo_page *page, size_t document,
                                               const struct bo_format *format)
{
    const struct bo_run_document *d = &page->run->documents[document];
    return strcmp(d->format, format->name) == 0 ? d : NULL;
}

static unsigned count_documents(const struct bo_page *page, const struct bo_format *format)
{
    unsigned n = 0;
    for (size_t d = 0; d < page->run->n_documents; d++)
        n += of_format(page, d, format) != NULL;
    return n;
}

/* ---- the picks ------------------------------------------------------------------------------- */

/* "frame (new), 0.72, 14.3 ns": name and role, bytes over the status quo's, time. */
static char *point_text(struct bo_arena *arena, const struct bo_run_document *document,
                        const struct bo_front_point *point)
{
    const struct bo_time_unit unit = bo_time_unit_for(point->ns);
    return bo_arena_printf(arena, "%s (%s; %s; %s %s)", point->codec->name, point->codec->role,
                           bo_ratio_cell(arena, document, point->codec),
                           bo_significant(arena, point->ns / unit.ns), unit.name);
}

static void add_picks(const struct bo_run_document *document, struct bo_arena *arena,
                      struct bo_grid *grid)
{
    struct bo_front_point *points;
    const size_t n = bo_front_points(document, bo_run_main_label(document), arena, &points);
    if (n == 0)
        return;
    const struct bo_front_point *fastest = &points[0];
    char *front = NULL;
    for (size_t i = 0; i < n; i++) {
        if (points[i].ns < fastest->ns)
            fastest = &points[i];
        if (points[i].on_front)
            front = bo_arena_printf(arena, "%s%s%s", front ? front : "", front ? ", " : "",
                                    point_text(arena, document, &points[i]));
    }
    bo_grid_add(grid, "%s", document->name);
    bo_grid_add(grid, "%s", point_text(arena, document, &points[0]));
    bo_grid_add(grid, "%s", point_text(arena, document, fastest));
    bo_grid_add(grid, "%s", front);
    bo_grid_end_row(grid);
}

static void print_picks(const struct bo_page *page, const struct bo_format *format,
                        const struct bo_run_document *main)
{
    struct bo_grid grid;
    const char *label = bo_run_main_label(main);
    if (!label)
        return;
    bo_grid_init(&grid, page->arena, 4);
    bo_grid_add(&grid, "document");
    bo_grid_add(&grid, "smallest");
    bo_grid_add(&grid, "fastest");
    bo_grid_add(&grid, "Pareto front, smallest first");
    bo_grid_end_row(&grid);
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (of_format(page, d, format))
            add_picks(&page->run->documents[d], page->arena, &grid);
    if (bo_grid_n_rows(&grid) == 1)
        return;
    fprintf(
        page->out,
        "\n### The picks\n\n"
        "![%s on %s: bytes against time, with the Pareto front](%s/%s)\n\n"
        "By bytes and the median time of `%s`. In brackets: role; bytes over those of %s; time. "
        "A codec is on the front when no other is as small and as fast, and better in one.\n\n",
        format->name, main->name, page->pictures, bo_picture_name(page->arena, main, "size-time"),
        label, main->codecs[0].name);
    bo_grid_markdown(&grid, page->out);
}

/* The harness's own cost is in every time. */
static void print_noop(const struct bo_page *page, const struct bo_format *format)
{
    double least = INFINITY, most = 0;
    for (size_t d = 0; d < page->run->n_documents; d++) {
        const struct bo_run_document *document = of_format(page, d, format);
        const char *label = document ? bo_run_main_label(document) : NULL;
        for (unsigned c = 0; document && c < document->n_codecs; c++) {
            const struct bo_run_row *row = bo_run_row(document, &document->codecs[c], label);
            if (!document->codecs[c].is_noop || !row || row->n == 0)
                continue;
            least = fmin(least, row->median_ns);
            most = fmax(most, row->median_ns);
        }
    }
    if (most > 0)
        fprintf(
            page->out,
            "\nThe harness's own share of a `%s` time, measured by a codec that does nothing, is "
            "%s to %s ns on these documents.\n",
            bo_run_main_label(bo_run_document(page->run, format->name, NULL)),
            bo_significant(page->arena, least), bo_significant(page->arena, most));
}

/* ---- over all documents ---------------------------------------------------------------------- */

/* A column of figures: the product for the geometric mean, and the worst. */
struct column {
    double log_sum, worst;
    unsigned n;
};

static void note(struct column *column, double v)
{
    column->log_sum += log(v);
    column->worst = v > column->worst ? v : column->worst;
    column->n++;
}

static void add_summary(const char *name, const struct column *columns, unsigned n, bool worst,
                        struct bo_grid *grid)
{
    bo_grid_add(grid, "*%s*", name);
    bo_grid_add(grid, "%s", "");
    for (unsigned c = 0; c < n; c++) {
        if (columns[c].n == 0)
            bo_grid_add(grid, "-");
        else
            bo_grid_add(grid, "%.3f",
                        worst ? columns[c].worst : exp(columns[c].log_sum / columns[c].n));
    }
    bo_grid_end_row(grid);
}

/*
 * A figure of a codec on a document, and the one that its ratio is taken to; false where either is
 * missing.
 */
typedef bool get_figure(const struct bo_run_document *document, const struct bo_run_codec *codec,
                        double *v_ret);

static bool get_bytes(const struct bo_run_document *document, const struct bo_run_codec *codec,
                      double *v_ret)
{
    (void)document;
    *v_ret = (double)codec->bytes;
    return codec->has_bytes && codec->bytes;
}

static bool get_main_time(const struct bo_run_document *document, const struct bo_run_codec *codec,
                          double *v_ret)
{
    const struct bo_run_row *row = bo_run_row(document, codec, bo_run_main_label(document));
    if (!row || row->n == 0 || row->failure)
        return false;
    *v_ret = row->median_ns;
    return row->median_ns > 0;
}

/* Lines are documents, columns the codecs that `main` has; cells are ratios to the first codec. */
static void print_ratios(const struct bo_page *page, const struct bo_format *format,
                         const struct bo_run_document *main, get_figure *get, bool readers,
                         const char *first_heading)
{
    enum { MAX_COLUMNS = 64 };
    struct column columns[MAX_COLUMNS] = {{0, 0, 0}};
    const struct bo_run_codec *codecs[MAX_COLUMNS];
    unsigned n = 0;
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    bo_grid_add(&grid, "document");
    bo_grid_add(&grid, "%s", first_heading);
    for (unsigned c = 0; c < main->n_codecs && n < MAX_COLUMNS; c++)
        if (!main->codecs[c].is_noop && (readers || !main->codecs[c].reads)) {
            bo_grid_add(&grid, "%s", main->codecs[c].name);
            codecs[n++] = &main->codecs[c];
        }
    bo_grid_end_row(&grid);
    for (size_t d = 0; d < page->run->n_documents; d++) {
        const struct bo_run_document *document = of_format(page, d, format);
        double first, v;
        if (!document || !get(document, &document->codecs[0], &first))
            continue;
        bo_grid_add(&grid, "%s", document->name);
        bo_grid_add(&grid, first < 1e4 ? "%.3g" : "%.0f", first);
        for (unsigned c = 0; c < n; c++) {
            const struct bo_run_codec *codec = bo_run_codec(document, codecs[c]->name);
            const bool ok = codec && get(document, codec, &v);
            bo_grid_add(&grid, "%s", ok ? bo_arena_printf(page->arena, "%.3f", v / first) : "-");
            if (ok)
                note(&columns[c], v / first);
        }
        bo_grid_end_row(&grid);
    }
    if (bo_grid_n_rows(&grid) > 2) {
        add_summary("geometric mean", columns, n, false, &grid);
        add_summary("worst", columns, n, true, &grid);
    }
    bo_grid_markdown(&grid, page->out);
}

static void print_overview(const struct bo_page *page, const struct bo_format *format,
                           const struct bo_run_document *main)
{
    const char *first = main->codecs[0].name, *label = bo_run_main_label(main);
    const struct bo_notes *notes = bo_notes_of(format->name);
    fprintf(page->out, "\n### Sizes and times on all documents\n\n");
    if (notes)
        fprintf(page->out, "%s ", notes->sizes);
    fprintf(page->out, "Bytes over those of %s:\n\n", first);
    print_ratios(page, format, main, get_bytes, false,
                 bo_arena_printf(page->arena, "%s, bytes", first));
    if (!label)
        return;
    fprintf(page->out, "\nTime of `%s` over that of %s:\n\n", label, first);
    print_ratios(page, format, main, get_main_time, true,
                 bo_arena_printf(page->arena, "%s, ns", first));
}

/* ---- tables of the format's own -------------------------------------------------------------- */

static void add_group(const struct bo_run_document *document, const struct bo_extra_group *group,
                      struct bo_arena *arena, struct bo_grid *grid)
{
    const struct bo_run_row *first = NULL, *last = NULL;
    for (const struct bo_extra_cell *cell = group->cells; cell->heading; cell++) {
        last = bo_run_row(document, bo_run_codec(document, cell->codec), cell->label);
        if (cell == group->cells)
            first = last;
        bo_grid_add(grid, "%s",
                    last && last->failure ? "failed"
                                          : bo_significant(arena, last ? last->median_ns : NAN));
    }
    if (first && last && last->median_ns > 0 && !isnan(first->median_ns))
        bo_grid_add(grid, "%.1fx", first->median_ns / last->median_ns);
    else
        bo_grid_add(grid, "-");
}

static void print_extra(const struct bo_page *page, const struct bo_format *format,
                        const struct bo_extra *extra)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    bo_grid_add(&grid, "document");
    for (const struct bo_extra_group *group = extra->groups; group->heading; group++) {
        for (const struct bo_extra_cell *cell = group->cells; cell->heading; cell++)
            bo_grid_add(&grid, "%s: %s", group->heading, cell->heading);
        bo_grid_add(&grid, "%s: ratio", group->heading);
    }
    bo_grid_end_row(&grid);
    for (size_t d = 0; d < page->run->n_documents; d++) {
        const struct bo_run_document *document = of_format(page, d, format);
        if (!document)
            continue;
        bo_grid_add(&grid, "%s", document->name);
        for (const struct bo_extra_group *group = extra->groups; group->heading; group++)
            add_group(document, group, page->arena, &grid);
        bo_grid_end_row(&grid);
    }
    fprintf(page->out, "\n### %s\n\n%s\n\n", extra->title, extra->text);
    bo_grid_markdown(&grid, page->out);
}

/* ---- the code -------------------------------------------------------------------------------- */

static void add_count(struct bo_grid *grid, long n)
{
    if (n < 0)
        bo_grid_add(grid, "-");
    else
        bo_grid_add(grid, "%ld", n);
}

static void print_code(const struct bo_page *page, const struct bo_format *format)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 4);
    static const char *const headings[] = {"codec", "role",  "access",      "what it is",
                                           "file",  "lines", "object bytes"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        bo_grid_add(&grid, "%s", headings[i]);
    bo_grid_end_row(&grid);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        const struct bo_code_size size = bo_code_measure(format, *c);
        bo_grid_add(&grid, "[%s](%s)", (*c)->name, (*c)->spec);
        bo_grid_add(&grid, "%s", bo_role_name((*c)->role));
        bo_grid_add(&grid, "%s", bo_access_name((*c)->access));
        bo_grid_add(&grid, "%s", (*c)->summary);
        if (size.shared)
            bo_grid_add(&grid, "in that of %s", size.shared);
        else
            bo_grid_add(&grid, "[%s](%s)", strrchr(size.file, '/') + 1, size.file);
        add_count(&grid, size.shared ? -1 : size.n_lines);
        add_count(&grid, size.shared ? -1 : size.object_nbytes);
        bo_grid_end_row(&grid);
    }
    fprintf(
        page->out,
        "\n### The code\n\nAll lines of the codec's file, comments too: encoder, decoder and "
        "reader. A further reader of the same bytes is in the file of its encoding, and counted "
        "there; files that several codecs share are not. Object bytes: code and constants as "
        "compiled with this program.\n\n");
    bo_grid_markdown(&grid, page->out);
}

/* ---- the chapter ----------------------------------------------------------------------------- */

void bo_page_format(const struct bo_page *page, const struct bo_format *format)
{
    const struct bo_run_document *main = bo_run_document(page->run, format->name, NULL);
    const struct bo_notes *notes = bo_notes_of(format->name);
    fprintf(page->out, "\n## %s\n\n%s\n", format->name, notes ? notes->question : format->summary);
    if (!main || main->n_codecs == 0) {
        fprintf(page->out, "\nThis run measured nothing of %s.\n", format->name);
        return;
    }
    print_picks(page, format, main);
    print_noop(page, format);
    print_overview(page, format, main);
    for (const struct bo_extra *e = notes ? notes->extras : NULL; e && e->title; e++)
        print_extra(page, format, e);
    fprintf(page->out, "\n### Every document\n\n%u in this run; the largest first unfolded.\n",
            count_documents(page, format));
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (of_format(page, d, format))
            bo_page_document(page, &page->run->documents[d], &page->run->documents[d] == main);
    print_code(page, format);
}
