/* One format's chapter. */
#include "bench/report/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/answer.h"
#include "bench/report/axes.h"
#include "bench/report/comparison.h"
#include "bench/report/counts.h"
#include "bench/report/curves.h"
#include "bench/report/document.h"
#include "bench/report/front.h"
#include "bench/report/held_out.h"
#include "bench/report/paths.h"
#include "bench/report/programs.h"
#include "bench/report/size_table.h"
#include "bench/report/tsv.h"
#include "bench/report/uses.h"
#include "bench/runs/noise.h"
#include "harness/format_report.h"
#include "harness/registry.h"

/* The d-th document of the run if it is of this format and not for curves, else NULL. */
static const struct bo_run_document *of_format(const struct bo_page *page, size_t document,
                                               const struct bo_format *format)
{
    const struct bo_run_document *d = &page->run->documents[document];
    return strcmp(d->format, format->name) == 0 && !d->scale ? d : NULL;
}

/*
 * The number of documents of a format in a table of REPORT.md, which shows the largest ones. The
 * format's page shows all.
 */
enum { MAX_REPORT_DOCUMENTS = 2, ALL_DOCUMENTS = 0 };

/* Whether the document is among the `most` largest ones of its format in the run. */
static bool is_shown(const struct bo_page *page, const struct bo_run_document *document,
                     unsigned most)
{
    const struct bo_run_codec *mine = document->baseline;
    unsigned n_larger = 0;
    for (size_t d = 0; d < page->run->n_documents && mine; d++) {
        const struct bo_run_document *other = &page->run->documents[d];
        n_larger += strcmp(other->format, document->format) == 0 && !other->scale &&
                    other->baseline && other->baseline->bytes > mine->bytes;
    }
    return most == ALL_DOCUMENTS || n_larger < most;
}

static unsigned count_documents(const struct bo_page *page, const struct bo_format *format)
{
    unsigned n = 0;
    for (size_t d = 0; d < page->run->n_documents; d++)
        n += of_format(page, d, format) != NULL;
    return n;
}

/* ---- the picks ------------------------------------------------------------------------------- */

/* "frame (new; 0.720; 14.3 ns)": name and role, bytes over those of the baseline, time. */
static char *point_text(struct bo_arena *arena, const struct bo_run_document *document,
                        const struct bo_front_point *point)
{
    const struct bo_time_unit unit = bo_time_unit_for(point->ns);
    return bo_arena_printf(arena, "%s (%s; %s; %s %s)", bo_codec_cell(arena, point->codec),
                           point->codec->role, bo_ratio_cell(arena, document, point->codec),
                           bo_significant(arena, point->ns / unit.ns), unit.name);
}

/* Adds the smallest, the fastest and the front of the points, which are all of one kind. */
static void add_kind(const struct bo_run_document *document, const struct bo_front_point *points,
                     size_t n, struct bo_arena *arena, struct bo_grid *grid)
{
    const struct bo_front_point *fastest = &points[0];
    char *front = NULL;
    for (size_t i = 0; i < n; i++) {
        if (points[i].ns < fastest->ns)
            fastest = &points[i];
        if (points[i].on_front)
            front = bo_arena_printf(arena, "%s%s%s", front ? front : "", front ? ", " : "",
                                    point_text(arena, document, &points[i]));
    }
    static const char *const suffixes[] = {
        [BO_FRONT_READ_IN_PLACE] = "",
        [BO_FRONT_UNPACKED] = ", unpacked",
        [BO_FRONT_PROBABILISTIC] = ", of the (~)",
    };
    bo_grid_add(grid, "%s%s", document->name, suffixes[points[0].kind]);
    bo_grid_texts(grid, point_text(arena, document, &points[0]),
                  point_text(arena, document, fastest), front, NULL);
    bo_grid_end_row(grid);
}

/* Adds a line for each kind that exists. Returns whether some codecs are unpacked. */
static bool add_picks(const struct bo_run_document *document, struct bo_arena *arena,
                      struct bo_grid *grid)
{
    struct bo_front_point *points;
    const size_t n = bo_front_points(document, bo_run_main_label(document), arena, &points);
    bool unpacked = false;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && points[end].kind == points[i].kind;)
            end++;
        add_kind(document, points + i, end - i, arena, grid);
        unpacked = unpacked || points[i].kind == BO_FRONT_UNPACKED;
    }
    return unpacked;
}

/* True when the picture has any point. */
static bool has_points(const struct bo_page *page, const struct bo_run_document *main)
{
    struct bo_front_point *points;
    const char *label = bo_run_main_label(main);
    return label && bo_front_points(main, label, page->arena, &points);
}

static void print_picture(const struct bo_page *page, const struct bo_format *format,
                          const struct bo_run_document *main)
{
    if (has_points(page, main))
        bo_page_picture(page, main, "size-time", "bytes against time, with the Pareto front");
}

/* The cost of the harness is part of every time. */
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
            " The harness's own share of a `%s` time, measured by a codec that does nothing, is "
            "%s to %s ns on these documents.",
            bo_run_main_label(bo_run_document(page->run, format->name, NULL)),
            bo_significant(page->arena, least), bo_significant(page->arena, most));
}

static void print_most_picks(const struct bo_page *page, const struct bo_format *format,
                             const struct bo_run_document *main, unsigned most)
{
    struct bo_grid grid;
    if (!has_points(page, main))
        return;
    bo_grid_begin(&grid, page->arena, 4, "document", "smallest", "fastest",
                  "Pareto front, smallest first", NULL);
    bool unpacked = false;
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (of_format(page, d, format) && is_shown(page, &page->run->documents[d], most))
            unpacked |= add_picks(&page->run->documents[d], page->arena, &grid);
    fprintf(
        page->out,
        "By bytes and the median time of `%s`. In brackets: role; bytes over those of %s; time. A "
        "codec is on the front if no other codec is at least as small and as fast, and better in "
        "one of the two.%s",
        bo_run_main_label(main), bo_named_with_role(page->arena, main->baseline),
        unpacked
            ? " Codecs that unpack the whole file in `open` are compared only with each other: "
              "they answer from memory, and their times exclude `open`."
            : "");
    print_noop(page, format);
    fputs("\n\n", page->out);
    bo_page_grid(page, &grid, "the picks");
    if (bo_mark_note(main))
        fprintf(page->out, "\n%s\n", bo_mark_note(main));
}

static void print_picks(const struct bo_page *page, const struct bo_format *format,
                        const struct bo_run_document *main)
{
    print_most_picks(page, format, main, ALL_DOCUMENTS);
}

/* ---- over all documents ---------------------------------------------------------------------- */

/* The largest number of codecs as columns; more codecs are lines. */
enum { MAX_RATIO_COLUMNS = 16 };

/* A column (or line) of figures: the product for the geometric mean, and the worst. */
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

/* NaN without figures. */
static double summary(const struct column *column, bool worst)
{
    return column->n == 0 ? NAN : worst ? column->worst : exp(column->log_sum / column->n);
}

static void add_summary(const char *name, const struct column *columns, unsigned n, bool worst,
                        struct bo_grid *grid)
{
    bo_grid_add(grid, "*%s*", name);
    bo_grid_add(grid, "%s", "");
    for (unsigned c = 0; c < n; c++)
        bo_grid_ratio(grid, summary(&columns[c], worst));
    bo_grid_end_row(grid);
}

/*
 * Gets a figure of a codec on a document, and the divisor for its ratio. False if either is
 * missing.
 */
typedef bool get_figure(const struct bo_run_document *document, const struct bo_run_codec *codec,
                        double *v_ret);

static bool get_bytes(const struct bo_run_document *document, const struct bo_run_codec *codec,
                      double *v_ret)
{
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

/* A table of ratios to the baseline: documents, and the codecs that the main one has. */
struct ratios {
    const struct bo_page *page;
    const struct bo_format *format;
    const struct bo_run_document *main;
    get_figure *get;
    const char *first_heading;
    const struct bo_run_codec **codecs;
    unsigned n;
    unsigned most; /* the number of documents with a line; means are over all documents */
};

static struct ratios ratios_of(const struct bo_page *page, const struct bo_format *format,
                               const struct bo_run_document *main, get_figure *get, bool readers,
                               const char *first_heading)
{
    struct ratios ratios = {page, format, main, get, first_heading, NULL, 0, ALL_DOCUMENTS};
    const unsigned n = bo_ranked_codecs(main, page->arena, &ratios.codecs);
    for (unsigned c = 0; c < n; c++)
        if (!ratios.codecs[c]->reads || (readers && (!bo_is_path(main, ratios.codecs[c]) ||
                                                     bo_is_portable(main, ratios.codecs[c]))))
            ratios.codecs[ratios.n++] = ratios.codecs[c];
    return ratios;
}

/* The ratio of a codec of that name on a document; false where a figure is missing. */
static bool ratio_of(const struct ratios *ratios, const struct bo_run_document *document,
                     const char *name, double *v_ret)
{
    double first, v;
    const struct bo_run_codec *codec = bo_run_codec(document, name);
    if (!codec || !ratios->get(document, document->baseline, &first) ||
        !ratios->get(document, codec, &v))
        return false;
    *v_ret = v / first;
    return true;
}

/* NaN where a figure is missing. */
static double note_ratio(const struct ratios *ratios, const struct bo_run_document *document,
                         const char *name, struct column *column)
{
    double v;
    if (!ratio_of(ratios, document, name, &v))
        return NAN;
    note(column, v);
    return v;
}

static void add_first(const struct bo_run_document *document, get_figure *get, struct bo_grid *grid)
{
    double first;
    if (get(document, document->baseline, &first))
        bo_grid_add(grid, "%s", bo_significant(grid->arena, first));
    else
        bo_grid_add(grid, "-");
}

/* Held-out documents have means of their own. */
static const struct bo_run_document *in_means(const struct bo_page *page, size_t document,
                                              const struct bo_format *format)
{
    const struct bo_run_document *d = of_format(page, document, format);
    return d && !d->held_out ? d : NULL;
}

/* A processor path is named with its codec: "shape-code, portable C". */
static char *column_heading(const struct ratios *ratios, const struct bo_run_codec *codec)
{
    if (!bo_is_path(ratios->main, codec))
        return bo_codec_cell(ratios->page->arena, codec);
    return bo_arena_printf(ratios->page->arena, "%s, portable C", codec->reads);
}

/* Lines are documents, columns codecs. */
static void print_ratios_by_document(const struct ratios *ratios, struct bo_grid *grid)
{
    struct column columns[MAX_RATIO_COLUMNS] = {{0, 0, 0}};
    bo_grid_texts(grid, "document", ratios->first_heading, NULL);
    for (unsigned c = 0; c < ratios->n; c++)
        bo_grid_add(grid, "%s", column_heading(ratios, ratios->codecs[c]));
    bo_grid_end_row(grid);
    for (size_t d = 0; d < ratios->page->run->n_documents; d++) {
        const struct bo_run_document *document = in_means(ratios->page, d, ratios->format);
        double first;
        if (!document || !ratios->get(document, document->baseline, &first))
            continue;
        if (!is_shown(ratios->page, document, ratios->most)) {
            for (unsigned c = 0; c < ratios->n; c++)
                note_ratio(ratios, document, ratios->codecs[c]->name, &columns[c]);
            continue;
        }
        bo_grid_add(grid, "%s", document->name);
        add_first(document, ratios->get, grid);
        for (unsigned c = 0; c < ratios->n; c++)
            bo_grid_ratio(grid, note_ratio(ratios, document, ratios->codecs[c]->name, &columns[c]));
        bo_grid_end_row(grid);
    }
    if (bo_grid_n_rows(grid) > 2) {
        add_summary("geometric mean", columns, ratios->n, false, grid);
        add_summary("worst", columns, ratios->n, true, grid);
    }
}

/* Lines are codecs, columns are documents. */
static void print_ratios_by_codec(const struct ratios *ratios, struct bo_grid *grid)
{
    const struct bo_page *page = ratios->page;
    bo_grid_add(grid, "codec");
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (in_means(page, d, ratios->format))
            bo_grid_add(grid, "%s", page->run->documents[d].name);
    bo_grid_texts(grid, "*geometric mean*", "*worst*", NULL);
    bo_grid_end_row(grid);
    bo_grid_add(grid, "*%s*", ratios->first_heading);
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (in_means(page, d, ratios->format))
            add_first(&page->run->documents[d], ratios->get, grid);
    bo_grid_texts(grid, "", "", NULL);
    bo_grid_end_row(grid);
    for (unsigned c = 0; c < ratios->n; c++) {
        struct column line = {0, 0, 0};
        bo_grid_add(grid, "%s", column_heading(ratios, ratios->codecs[c]));
        for (size_t d = 0; d < page->run->n_documents; d++)
            if (in_means(page, d, ratios->format))
                bo_grid_ratio(grid, note_ratio(ratios, &page->run->documents[d],
                                               ratios->codecs[c]->name, &line));
        bo_grid_ratio(grid, summary(&line, false));
        bo_grid_ratio(grid, summary(&line, true));
        bo_grid_end_row(grid);
    }
}

static void print_ratios(const struct ratios *ratios)
{
    struct bo_grid grid;
    bo_grid_init(&grid, ratios->page->arena, 1);
    if (ratios->n > MAX_RATIO_COLUMNS)
        print_ratios_by_codec(ratios, &grid);
    else
        print_ratios_by_document(ratios, &grid);
    bo_page_grid(ratios->page, &grid, ratios->first_heading);
}

static void print_bytes(const struct bo_page *page, const struct bo_format *format,
                        const struct bo_run_document *main, unsigned most)
{
    const struct bo_format_report *notes = format->report;
    if (notes)
        fprintf(page->out, "%s ", notes->sizes);
    fprintf(page->out, "Bytes over those of %s:\n\n",
            bo_named_with_role(page->arena, main->baseline));
    struct ratios bytes =
        ratios_of(page, format, main, get_bytes, false,
                  bo_arena_printf(page->arena, "%s, bytes", main->baseline->name));
    bytes.most = most;
    print_ratios(&bytes);
    if (has_points(page, main)) {
        fputc('\n', page->out);
        bo_page_picture(page, main, "sections", "where the bytes go");
    }
}

/* Prints which ratios of a label are no difference. */
static void print_noise(const struct bo_page *page, const struct bo_format *format,
                        const char *label)
{
    const struct bo_noise noise =
        bo_noise_of(page->run, format->name, NULL,
                    bo_arena_printf(page->arena, "%.*s", (int)strcspn(label, "/"), label));
    const char *text = bo_noise_text(&noise, &page->run->environment, page->arena);
    if (text)
        fprintf(page->out, "\nOf `%s`, %s.\n", label, text);
}

static void print_overview(const struct bo_page *page, const struct bo_format *format,
                           const struct bo_run_document *main)
{
    print_bytes(page, format, main, ALL_DOCUMENTS);
    if (!has_points(page, main))
        return;
    fprintf(page->out, "\nTime of `%s` over that of %s:\n\n", bo_run_main_label(main),
            bo_named_with_role(page->arena, main->baseline));
    const struct ratios times =
        ratios_of(page, format, main, get_main_time, true,
                  bo_arena_printf(page->arena, "%s, ns", main->baseline->name));
    print_ratios(&times);
    print_noise(page, format, bo_run_main_label(main));
}

/* ---- the format's own tables ----------------------------------------------------------------- */

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
    bo_page_grid(page, &grid, extra->title);
}

/* ---- the code -------------------------------------------------------------------------------- */

/* Codecs that differ in their second part share a file. The first of them has a row. */
static bool is_first_of_file(const struct bo_format *format, const struct bo_codec *codec)
{
    const size_t n = bo_first_part_length(codec->name);
    for (const struct bo_codec *const *c = format->codecs; *c != codec; c++)
        if (bo_first_part_length((*c)->name) == n && memcmp((*c)->name, codec->name, n) == 0)
            return false;
    return true;
}

static void print_code(const struct bo_page *page, const struct bo_format *format,
                       const struct bo_run_document *main)
{
    enum { N_COLUMNS = 9 }; /* of results/adoption.tsv after the codec's name */
    const struct bo_tsv adoption = bo_tsv_read("results", "adoption", page->arena);
    struct bo_grid grid;
    bo_grid_begin(&grid, page->arena, 4, "codec", "role", "access", "what it is", "files", "lines",
                  "query lines", "encode lines", "bytes", "query bytes", "decode bytes",
                  "encode bytes", "libraries", NULL);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if (!is_first_of_file(format, *c))
            continue;
        const struct bo_tsv_row *row = bo_tsv_find(&adoption, format->name, (*c)->name);
        bo_grid_add(&grid, "[%s](%s%s)", (*c)->name, page->root, (*c)->spec);
        bo_grid_texts(&grid, bo_role_name((*c)->role), bo_access_name((*c)->access), (*c)->summary,
                      NULL);
        for (size_t i = 0; i < N_COLUMNS; i++)
            bo_grid_add(&grid, "%s", row ? row->cells[2 + i] : "-");
        bo_grid_end_row(&grid);
    }
    fprintf(page->out,
            "The table shows the code that adopting a codec adds: everything that it needs beyond "
            "libc, according to the link map of a program that contains this codec alone (`make "
            "adoption`). Lines are all lines, with comments, of the source files that contribute "
            "code and of the headers of this project that they include. Bytes are code, constants "
            "and initialised data. A file or function that queries (`open`, `query`), `decode` and "
            "`encode` share is counted in each of their columns and once in the total. Libraries "
            "are listed but not counted. [results/adoption.tsv](%sresults/adoption.tsv) lists "
            "every codec. %s\n\n",
            page->root, adoption.made ? adoption.made : "The file is missing.");
    bo_page_grid(page, &grid, "the code");
}

/* ---- the chapter ----------------------------------------------------------------------------- */

static void print_uses(const struct bo_page *page, const struct bo_format *format,
                       const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    if (!notes || !notes->uses)
        return;
    fprintf(page->out, "%s\n", notes->uses->text);
    bo_page_uses(page, main, notes->uses);
}

static void print_question(const struct bo_page *page, const struct bo_format *format,
                           const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    fprintf(page->out, "%s\n", notes ? notes->question : format->summary);
}

static void print_answer(const struct bo_page *page, const struct bo_format *format,
                         const struct bo_run_document *main)
{
    const char *text = bo_answer_text(page->runs, page->n_runs, format, page->arena);
    if (text)
        fputs(text, page->out);
}

static void print_use_picks(const struct bo_page *page, const struct bo_format *format,
                            const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    if (notes && notes->uses)
        bo_page_use_picks(page, main, notes->uses);
}

static void print_size_tables(const struct bo_page *page, const struct bo_format *format,
                              const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    for (const struct bo_size_table *t = notes ? notes->tables : NULL; t && t->title; t++)
        bo_page_size_table(page, format->name, t);
}

static void print_axes(const struct bo_page *page, const struct bo_format *format,
                       const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    if (!notes || !notes->axes || !bo_has_axes(main))
        return;
    fprintf(page->out, "\n### The %s and the %s\n", notes->axes->first, notes->axes->second);
    bo_page_axes(page, main, notes->axes);
}

static void print_programs(const struct bo_page *page, const struct bo_format *format,
                           const struct bo_run_document *main)
{
    bo_page_programs(page, format->name);
}

static void print_extras(const struct bo_page *page, const struct bo_format *format,
                         const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    for (const struct bo_extra *e = notes ? notes->extras : NULL; e && e->title; e++)
        print_extra(page, format, e);
}

static void print_heading(const struct bo_page *page, const char *heading)
{
    fprintf(page->out, "\n### %s\n\n", heading);
}

static void print_held_out(const struct bo_page *page, const struct bo_format *format,
                           const struct bo_run_document *main)
{
    struct bo_grid grid;
    if (!bo_held_out_grid(page->run, format->name, page->arena, &grid))
        return;
    print_heading(page, "Held-out documents");
    fprintf(page->out, "%s:\n\n", bo_held_out_caption(page->run, format->name, page->arena));
    bo_page_grid(page, &grid, "held-out documents");
}

static void print_counts(const struct bo_page *page, const struct bo_format *format,
                         const struct bo_run_document *main)
{
    bo_page_counts(page, "bench", format->name);
}

/* The parts that other pages can show, too. */
static const struct part {
    const char *name;
    void (*print)(const struct bo_page *page, const struct bo_format *format,
                  const struct bo_run_document *main);
} parts[] = {
    {"question", print_question}, {"answer", print_answer},        {"picture", print_picture},
    {"picks", print_picks},       {"use-picks", print_use_picks},  {"sizes", print_overview},
    {"uses", print_uses},         {"proposal", print_size_tables}, {"axes", print_axes},
    {"programs", print_programs}, {"original", print_extras},      {"code", print_code},
    {"held-out", print_held_out}, {"counts", print_counts},
};

bool bo_page_part(const struct bo_page *page, const struct bo_format *format, const char *name)
{
    const struct bo_run_document *main = bo_run_document(page->run, format->name, NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, name) != 0)
            continue;
        if (main && main->n_codecs)
            parts[i].print(page, format, main);
        return true;
    }
    return false;
}

/* Lists what the format's page contains in addition to this chapter. */
static void print_where_more_is(const struct bo_page *page, const struct bo_format *format)
{
    const unsigned n = count_documents(page, format);
    fprintf(page->out,
            "\nThe tables here have the %u largest documents; means are over all. "
            "[results/%s.md](%sresults/%s.md) has times on all documents, the figures of each "
            "codec for the uses, cost against size, and the code that each codec needs. It also "
            "has the sizes, every workload with its interval, operations, memory and pages of the "
            "%u document%s of this run.\n",
            MAX_REPORT_DOCUMENTS, format->name, page->root, format->name, n, n == 1 ? "" : "s");
}

void bo_page_format(const struct bo_page *page, const struct bo_format *format)
{
    const struct bo_run_document *main = bo_run_document(page->run, format->name, NULL);
    const struct bo_format_report *notes = format->report;
    fprintf(page->out, "\n## %s\n\n", format->name);
    print_question(page, format, main);
    if (!main || main->n_codecs == 0) {
        fprintf(page->out, "\nThis run measured nothing of %s.\n", format->name);
        return;
    }
    if (notes && notes->consumer)
        fprintf(page->out, "\n%s\n", notes->consumer);
    fputc('\n', page->out);
    print_answer(page, format, main);
    if (has_points(page, main)) {
        print_heading(page, "The picks");
        print_picture(page, format, main);
        fputc('\n', page->out);
        print_most_picks(page, format, main, MAX_REPORT_DOCUMENTS);
    }
    print_heading(page, "Sizes on all documents");
    print_bytes(page, format, main, MAX_REPORT_DOCUMENTS);
    if (notes && notes->uses) {
        print_heading(page, "The uses");
        fprintf(page->out, "%s\n", notes->uses->text);
        print_use_picks(page, format, main);
    }
    print_where_more_is(page, format);
}

/* ---- the format's page ----------------------------------------------------------------------- */

static void print_all_documents(const struct bo_page *page, const struct bo_page *curves,
                                const struct bo_format *format, const struct bo_run_document *main)
{
    const struct bo_format_report *notes = format->report;
    fprintf(page->out, "\n## All documents\n");
    print_heading(page, "Sizes and times");
    print_overview(page, format, main);
    print_held_out(page, format, main);
    print_size_tables(page, format, main);
    print_axes(page, format, main);
    if (notes && notes->uses) {
        print_heading(page, "The uses");
        print_uses(page, format, main);
    }
    bo_page_curves(curves, format->name);
    print_programs(page, format, main);
    print_extras(page, format, main);
    print_counts(page, format, main);
    print_heading(page, "The code");
    print_code(page, format, main);
}

void bo_page_documents(const struct bo_page *page, const struct bo_page *curves,
                       const struct bo_format *format)
{
    const struct bo_run_document *main = bo_run_document(page->run, format->name, NULL);
    fprintf(page->out,
            "# %s in full\n\n"
            "Written by `bakeoff report` from [%s](%s%s). A summary of the tables, and how to read "
            "them: [REPORT.md](%sREPORT.md#%s). The machine: "
            "[environments.md](%sresults/environments.md). `bakeoff report` also draws pictures of "
            "each document and writes CSV, which are not in git.\n\n"
            "- [All documents](#all-documents)\n",
            format->name, page->results, page->root, page->results, page->root, format->name,
            page->root);
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (of_format(page, d, format))
            fprintf(page->out, "- %s\n", page->run->documents[d].name);
    if (main && main->n_codecs)
        print_all_documents(page, curves, format, main);
    for (size_t d = 0; d < page->run->n_documents; d++)
        if (of_format(page, d, format))
            bo_page_document(page, &page->run->documents[d]);
}
