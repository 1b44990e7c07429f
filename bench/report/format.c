/* One format's chapter. */
#include "bench/report/format.h"

#include <math.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/answer.h"
#include "bench/report/axes.h"
#include "bench/report/comparison.h"
#include "bench/report/parts.h"
#include "bench/report/curves.h"
#include "bench/report/document.h"
#include "bench/report/front.h"
#include "bench/report/held_out.h"
#include "bench/report/paths.h"
#include "bench/report/picks.h"
#include "bench/report/tsv.h"
#include "bench/report/uses.h"
#include "bench/runs/noise.h"
#include "harness/format_report.h"

/*
 * The number of documents of a format in a table of REPORT.md, which shows the largest ones. The
 * format's page shows all.
 */
enum { MAX_REPORT_DOCUMENTS = 2, ALL_DOCUMENTS = 0 };

/* What a run has of a format. */
struct chapter {
    const struct bo_page *page;
    const struct bo_format *format;
    const struct bo_format_report *notes;     /* or NULL */
    const struct bo_run_document *main;       /* NULL: nothing of the format was measured */
    bool has_points;                          /* of the main document's front */
    const struct bo_run_document **documents; /* without those for curves */
    unsigned n;
    unsigned most; /* the number of documents in tables; means are over all documents */
};

static struct chapter chapter_of(const struct bo_page *page, const struct bo_format *format,
                                 unsigned most)
{
    const struct bo_run *run = page->run;
    struct chapter chapter = {
        .page = page, .format = format, .notes = format->report, .most = most};
    chapter.main = bo_run_document(run, format->name, NULL);
    if (chapter.main && chapter.main->n_codecs == 0)
        chapter.main = NULL;
    chapter.has_points = chapter.main && bo_has_points(chapter.main, page->arena);
    chapter.n = bo_format_documents(run, format->name, BO_ORDINARY | BO_HELD_OUT, page->arena,
                                    &chapter.documents);
    return chapter;
}

/* Whether the document is among the largest ones that are not held out, which tables have. */
static bool is_shown(const struct chapter *chapter, const struct bo_run_document *document)
{
    const struct bo_run_codec *mine = document->baseline;
    unsigned n_larger = 0;
    for (unsigned d = 0; d < chapter->n && mine; d++) {
        const struct bo_run_codec *other = chapter->documents[d]->baseline;
        n_larger += !chapter->documents[d]->held_out && other && other->bytes > mine->bytes;
    }
    return chapter->most == ALL_DOCUMENTS || (!document->held_out && n_larger < chapter->most);
}

/* The query of a document's times, if it is not that of the page: some have no recorded one. */
static const char *other_query(const struct chapter *chapter,
                               const struct bo_run_document *document)
{
    const char *label = bo_run_main_label(document);
    return label && strcmp(label, bo_run_main_label(chapter->main)) != 0 ? label : NULL;
}

/* "x", "x (held out)", "x (point/skewed)". */
static char *document_cell(const struct chapter *chapter, const struct bo_run_document *document)
{
    const char *query = other_query(chapter, document);
    return bo_arena_printf(chapter->page->arena, "%s%s%s%s%s", document->name,
                           document->held_out ? " (held out)" : "", query ? " (`" : "",
                           query ? query : "", query ? "`)" : "");
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
static void add_kind(const struct chapter *chapter, const struct bo_run_document *document,
                     const struct bo_front_point *points, size_t n, struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
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
        [BO_FRONT_LEAVES_OUT] = ", of the (<)",
        [BO_FRONT_PROBABILISTIC] = ", of the (~)",
    };
    bo_grid_add(grid, "%s%s", document_cell(chapter, document), suffixes[points[0].kind]);
    bo_grid_texts(grid, point_text(arena, document, &points[0]),
                  point_text(arena, document, fastest), front, NULL);
    bo_grid_end_row(grid);
}

/* Adds a line for each kind that exists. Returns whether some codecs are unpacked. */
static bool add_picks(const struct chapter *chapter, const struct bo_run_document *document,
                      struct bo_grid *grid)
{
    struct bo_front_point *points;
    const size_t n = bo_front_points(document, bo_run_main_label(document), grid->arena, &points);
    bool unpacked = false;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && points[end].kind == points[i].kind;)
            end++;
        add_kind(chapter, document, points + i, end - i, grid);
        unpacked = unpacked || points[i].kind == BO_FRONT_UNPACKED;
    }
    return unpacked;
}

static void print_front(const struct chapter *chapter)
{
    if (chapter->has_points)
        bo_page_picture(chapter->page, chapter->main, "size-time",
                        "bytes against time, with the Pareto front");
}

/* The cost of the harness is part of every time. */
static void print_noop(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    double least = INFINITY, most = 0;
    for (unsigned d = 0; d < chapter->n; d++) {
        const struct bo_run_document *document = chapter->documents[d];
        const char *label = bo_run_main_label(document);
        for (unsigned c = 0; c < document->n_codecs; c++) {
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
            bo_run_main_label(chapter->main), bo_significant(page->arena, least),
            bo_significant(page->arena, most));
}

static void print_picks(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    const struct bo_run_document *main = chapter->main;
    struct bo_grid grid;
    if (!chapter->has_points)
        return;
    bo_grid_begin(&grid, page->arena, 4, "document", "smallest", "fastest",
                  "Pareto front, smallest first", NULL);
    bool unpacked = false, other_queries = false;
    for (unsigned d = 0; d < chapter->n; d++)
        if (is_shown(chapter, chapter->documents[d])) {
            unpacked |= add_picks(chapter, chapter->documents[d], &grid);
            other_queries |= other_query(chapter, chapter->documents[d]) != NULL;
        }
    fprintf(
        page->out,
        "By bytes and the median time of `%s`%s. In brackets: role; bytes over those of %s; time. "
        "A codec is on the front if no other codec is at least as small and as fast, and better "
        "in one of the two.%s",
        bo_run_main_label(main), other_queries ? ", or of the query beside a document" : "",
        bo_named_with_role(page->arena, main->baseline),
        unpacked
            ? " Codecs that unpack the whole file in `open` are compared only with each other: "
              "they answer from memory, and their times exclude `open`."
            : "");
    print_noop(chapter);
    fputs("\n\n", page->out);
    bo_page_grid(page, &grid, "the picks");
    const char *note = bo_mark_note(main, page->arena);
    if (note)
        fprintf(page->out, "\n%s\n", note);
}

/* ---- over all documents ---------------------------------------------------------------------- */

/* The largest number of codecs as columns; more codecs are lines. */
enum { MAX_RATIO_COLUMNS = 16 };

/* A column (or line) of figures: the sum of logarithms for the geometric mean, and the worst. */
struct column {
    double log_sum, worst;
    unsigned n;
};

/*
 * Of `n` documents. NaN when the codec lacks the figure on one of them: means over other documents
 * are not comparable.
 */
static double summary(const struct column *column, unsigned n, bool worst)
{
    return n == 0 || column->n < n ? NAN : worst ? column->worst : exp(column->log_sum / n);
}

static void add_ratio(struct bo_grid *grid, double v)
{
    bo_grid_add(grid, "%s", bo_fixed(grid->arena, v, 3));
}

static void add_summary(const char *name, const struct column *columns, unsigned n,
                        unsigned n_documents, bool worst, struct bo_grid *grid)
{
    bo_grid_texts(grid, name, "", NULL);
    for (unsigned c = 0; c < n; c++)
        add_ratio(grid, summary(&columns[c], n_documents, worst));
    bo_grid_end_row(grid);
}

/* A positive figure of a codec on a document; NaN if it is missing. */
typedef double get_figure(const struct bo_run_document *document, const struct bo_run_codec *codec);

static double get_bytes(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    return codec && codec->has_bytes && codec->bytes ? (double)codec->bytes : NAN;
}

static double get_main_time(const struct bo_run_document *document,
                            const struct bo_run_codec *codec)
{
    const struct bo_run_row *row =
        codec ? bo_run_row(document, codec, bo_run_main_label(document)) : NULL;
    return row && row->median_ns > 0 ? row->median_ns : NAN;
}

/* A table of ratios to the baseline: documents, and the codecs that the main one has. */
struct ratios {
    const struct chapter *chapter;
    get_figure *get;
    const char *first_heading;
    const struct bo_run_codec **codecs;
    unsigned n;
    const struct bo_run_document **documents; /* those with the baseline's figure, not held out */
    unsigned n_documents;
};

static struct ratios ratios_of(const struct chapter *chapter, get_figure *get, bool readers,
                               const char *unit)
{
    struct bo_arena *arena = chapter->page->arena;
    const struct bo_run_document *main = chapter->main;
    struct ratios ratios = {.chapter = chapter, .get = get};
    const unsigned n = bo_ranked_codecs(main, arena, &ratios.codecs);
    const unsigned n_ordinary = bo_format_documents(chapter->page->run, main->format, BO_ORDINARY,
                                                    arena, &ratios.documents);
    for (unsigned d = 0; d < n_ordinary; d++)
        if ((get != get_main_time || !other_query(chapter, ratios.documents[d])) &&
            !isnan(get(ratios.documents[d], ratios.documents[d]->baseline)))
            ratios.documents[ratios.n_documents++] = ratios.documents[d];
    ratios.first_heading = bo_arena_printf(arena, "%s, %s", main->baseline->name, unit);
    for (unsigned c = 0; c < n; c++)
        if (!ratios.codecs[c]->reads || (readers && (!bo_is_path(main, ratios.codecs[c]) ||
                                                     bo_is_portable(main, ratios.codecs[c]))))
            ratios.codecs[ratios.n++] = ratios.codecs[c];
    return ratios;
}

/* Notes the ratio of a codec of that name on a document; NaN where a figure is missing. */
static double note_ratio(const struct ratios *ratios, const struct bo_run_document *document,
                         const char *name, struct column *column)
{
    const struct bo_run_codec *codec = bo_run_codec(document, name);
    const double v =
        codec ? ratios->get(document, codec) / ratios->get(document, document->baseline) : NAN;
    if (isnan(v))
        return NAN;
    column->log_sum += log(v);
    column->worst = fmax(column->worst, v);
    column->n++;
    return v;
}

/* The figure of the codec that the others are compared with. */
static char *first_cell(const struct ratios *ratios, const struct bo_run_document *document)
{
    return bo_significant(ratios->chapter->page->arena, ratios->get(document, document->baseline));
}

/* A processor path is named with its codec: "shape-code, portable C". */
static char *column_heading(const struct ratios *ratios, const struct bo_run_codec *codec)
{
    struct bo_arena *arena = ratios->chapter->page->arena;
    return bo_is_path(ratios->chapter->main, codec)
               ? bo_arena_printf(arena, "%s, portable C", codec->reads)
               : bo_codec_cell(arena, codec);
}

/* Lines are documents, columns codecs. */
static void print_ratios_by_document(const struct ratios *ratios, struct bo_grid *grid)
{
    struct column columns[MAX_RATIO_COLUMNS] = {{0, 0, 0}};
    bo_grid_texts(grid, "document", ratios->first_heading, NULL);
    for (unsigned c = 0; c < ratios->n; c++)
        bo_grid_add(grid, "%s", column_heading(ratios, ratios->codecs[c]));
    bo_grid_end_row(grid);
    for (unsigned d = 0; d < ratios->n_documents; d++) {
        const struct bo_run_document *document = ratios->documents[d];
        const bool shown = is_shown(ratios->chapter, document);
        if (shown)
            bo_grid_texts(grid, document->name, first_cell(ratios, document), NULL);
        for (unsigned c = 0; c < ratios->n; c++) {
            const double v = note_ratio(ratios, document, ratios->codecs[c]->name, &columns[c]);
            if (shown)
                add_ratio(grid, v);
        }
        if (shown)
            bo_grid_end_row(grid);
    }
    if (bo_grid_n_rows(grid) > 2) {
        add_summary("*geometric mean*", columns, ratios->n, ratios->n_documents, false, grid);
        add_summary("*worst*", columns, ratios->n, ratios->n_documents, true, grid);
    }
}

/* Lines are codecs, columns are documents. */
static void print_ratios_by_codec(const struct ratios *ratios, struct bo_grid *grid)
{
    bo_grid_column(grid, "codec", bo_arena_printf(grid->arena, "*%s*", ratios->first_heading));
    for (unsigned d = 0; d < ratios->n_documents; d++)
        bo_grid_column(grid, ratios->documents[d]->name, first_cell(ratios, ratios->documents[d]));
    bo_grid_column(grid, "*geometric mean*", "");
    bo_grid_column(grid, "*worst*", "");
    bo_grid_end_row(grid);
    for (unsigned c = 0; c < ratios->n; c++) {
        struct column line = {0, 0, 0};
        bo_grid_add(grid, "%s", column_heading(ratios, ratios->codecs[c]));
        for (unsigned d = 0; d < ratios->n_documents; d++)
            add_ratio(grid,
                      note_ratio(ratios, ratios->documents[d], ratios->codecs[c]->name, &line));
        add_ratio(grid, summary(&line, ratios->n_documents, false));
        add_ratio(grid, summary(&line, ratios->n_documents, true));
        bo_grid_end_row(grid);
    }
}

static void print_ratios(const struct chapter *chapter, get_figure *get, bool readers,
                         const char *unit)
{
    const struct bo_page *page = chapter->page;
    const struct ratios ratios = ratios_of(chapter, get, readers, unit);
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    if (ratios.n > MAX_RATIO_COLUMNS)
        print_ratios_by_codec(&ratios, &grid);
    else
        print_ratios_by_document(&ratios, &grid);
    bo_page_grid(page, &grid, ratios.first_heading);
}

static void print_bytes(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    if (chapter->notes)
        fprintf(page->out, "%s ", chapter->notes->sizes);
    fprintf(page->out, "Bytes over those of %s:\n\n",
            bo_named_with_role(page->arena, chapter->main->baseline));
    print_ratios(chapter, get_bytes, false, "bytes");
    if (!chapter->has_points)
        return;
    fputc('\n', page->out);
    bo_page_picture(page, chapter->main, "sections", "where the bytes go");
}

static void print_overview(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    const char *label = bo_run_main_label(chapter->main);
    print_bytes(chapter);
    if (!chapter->has_points)
        return;
    fprintf(page->out, "\nTime of `%s` over that of %s, for documents that have this query:\n\n",
            label, bo_named_with_role(page->arena, chapter->main->baseline));
    print_ratios(chapter, get_main_time, true, "ns");
    const struct bo_noise noise = bo_noise_of(page->run, chapter->format->name, NULL, label);
    const char *text = bo_noise_text(&noise, &page->run->environment, page->arena);
    if (text)
        fprintf(page->out, "\nOf `%s`, %s.\n", label, text);
}

/* ---- the format's own tables ----------------------------------------------------------------- */

static void add_group(const struct bo_run_document *document, const struct bo_extra_group *group,
                      struct bo_grid *grid)
{
    const struct bo_run_row *first = NULL, *last = NULL;
    for (const struct bo_extra_cell *cell = group->cells; cell->heading; cell++) {
        last = bo_run_row(document, bo_run_codec(document, cell->codec), cell->label);
        if (cell == group->cells)
            first = last;
        bo_grid_column(grid, bo_arena_printf(grid->arena, "%s: %s", group->heading, cell->heading),
                       last && last->failure
                           ? "failed"
                           : bo_significant(grid->arena, last ? last->median_ns : NAN));
    }
    bo_grid_column(grid, bo_arena_printf(grid->arena, "%s: ratio", group->heading),
                   first && last && last->median_ns > 0 && !isnan(first->median_ns)
                       ? bo_arena_printf(grid->arena, "%.1fx", first->median_ns / last->median_ns)
                       : "-");
}

static void print_extra(const struct chapter *chapter, const struct bo_extra *extra)
{
    const struct bo_page *page = chapter->page;
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    for (unsigned d = 0; d < chapter->n; d++) {
        bo_grid_column(&grid, "document", chapter->documents[d]->name);
        for (const struct bo_extra_group *group = extra->groups; group->heading; group++)
            add_group(chapter->documents[d], group, &grid);
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

static void print_code(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    const struct bo_format *format = chapter->format;
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

static void print_uses(const struct chapter *chapter)
{
    const struct bo_uses *uses = chapter->notes ? chapter->notes->uses : NULL;
    if (!uses)
        return;
    fprintf(chapter->page->out, "%s\n", uses->text);
    bo_page_uses(chapter->page, chapter->main, uses);
}

static void print_question(const struct chapter *chapter)
{
    fprintf(chapter->page->out, "%s\n",
            chapter->notes ? chapter->notes->question : chapter->format->summary);
}

static void print_answer(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    const char *text = bo_answer_text(page->runs, page->n_runs, chapter->format, page->arena);
    if (text)
        fputs(text, page->out);
}

static void print_use_picks(const struct chapter *chapter)
{
    if (chapter->notes && chapter->notes->uses)
        bo_page_use_picks(chapter->page, chapter->main, chapter->notes->uses);
}

static void print_size_tables(const struct chapter *chapter)
{
    const struct bo_size_table *t = chapter->notes ? chapter->notes->tables : NULL;
    for (; t && t->title; t++)
        bo_page_size_table(chapter->page, chapter->format->name, t);
}

static void print_axes(const struct chapter *chapter)
{
    const struct bo_axes *axes = chapter->notes ? chapter->notes->axes : NULL;
    if (!axes || !bo_has_axes(chapter->main))
        return;
    fprintf(chapter->page->out, "\n### The %s and the %s\n", axes->first, axes->second);
    bo_page_axes(chapter->page, chapter->main, axes);
}

static void print_programs(const struct chapter *chapter)
{
    bo_page_programs(chapter->page, chapter->format->name);
}

static void print_extras(const struct chapter *chapter)
{
    const struct bo_extra *e = chapter->notes ? chapter->notes->extras : NULL;
    for (; e && e->title; e++)
        print_extra(chapter, e);
}

static void print_heading(const struct bo_page *page, const char *heading)
{
    fprintf(page->out, "\n### %s\n\n", heading);
}

static void print_held_out(const struct chapter *chapter)
{
    const struct bo_page *page = chapter->page;
    const char *format = chapter->format->name;
    struct bo_grid grid;
    const char *caption = bo_held_out_grid(page->run, format, page->arena, &grid);
    if (!caption)
        return;
    print_heading(page, "Held-out documents");
    fprintf(page->out, "%s:\n\n", caption);
    bo_page_grid(page, &grid, "held-out documents");
}

static void print_counts(const struct chapter *chapter)
{
    bo_page_counts(chapter->page, "bench", chapter->format->name);
}

/* The parts that other pages can show, too. */
static const struct part {
    const char *name;
    void (*print)(const struct chapter *chapter);
} parts[] = {
    {"question", print_question}, {"answer", print_answer},        {"picture", print_front},
    {"picks", print_picks},       {"use-picks", print_use_picks},  {"sizes", print_overview},
    {"uses", print_uses},         {"proposal", print_size_tables}, {"axes", print_axes},
    {"programs", print_programs}, {"original", print_extras},      {"code", print_code},
    {"held-out", print_held_out}, {"counts", print_counts},
};

bool bo_page_part(const struct bo_page *page, const struct bo_format *format, const char *name)
{
    const struct chapter chapter = chapter_of(page, format, ALL_DOCUMENTS);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, name) != 0)
            continue;
        if (chapter.main)
            parts[i].print(&chapter);
        return true;
    }
    return false;
}

/* Lists what the format's page contains in addition to this chapter. */
static void print_where_more_is(const struct chapter *chapter)
{
    const char *format = chapter->format->name;
    fprintf(chapter->page->out,
            "\nThe tables here have the %u largest documents; means are over all. "
            "[results/%s.md](%sresults/%s.md) has times on all documents, the figures of each "
            "codec for the uses, cost against size, and the code that each codec needs. It also "
            "has the sizes, every workload with its interval, operations, memory and pages of the "
            "%u document%s of this run.\n",
            MAX_REPORT_DOCUMENTS, format, chapter->page->root, format, chapter->n,
            chapter->n == 1 ? "" : "s");
}

void bo_page_format(const struct bo_page *page, const struct bo_format *format)
{
    const struct chapter chapter = chapter_of(page, format, MAX_REPORT_DOCUMENTS);
    const struct bo_format_report *notes = chapter.notes;
    fprintf(page->out, "\n## %s\n\n", format->name);
    print_question(&chapter);
    if (!chapter.main) {
        fprintf(page->out, "\nThis run measured nothing of %s.\n", format->name);
        return;
    }
    if (notes && notes->consumer)
        fprintf(page->out, "\n%s\n", notes->consumer);
    fputc('\n', page->out);
    print_answer(&chapter);
    if (chapter.has_points) {
        print_heading(page, "The picks");
        print_front(&chapter);
        fputc('\n', page->out);
        print_picks(&chapter);
    }
    print_heading(page, "Sizes on all documents");
    print_bytes(&chapter);
    if (notes && notes->uses) {
        print_heading(page, "The uses");
        fprintf(page->out, "%s\n", notes->uses->text);
        print_use_picks(&chapter);
    }
    print_where_more_is(&chapter);
}

/* ---- the format's page ----------------------------------------------------------------------- */

static void print_all_documents(const struct chapter *chapter, const struct bo_page *curves)
{
    const struct bo_page *page = chapter->page;
    fprintf(page->out, "\n## All documents\n");
    print_heading(page, "Sizes and times");
    print_overview(chapter);
    print_held_out(chapter);
    print_size_tables(chapter);
    print_axes(chapter);
    if (chapter->notes && chapter->notes->uses) {
        print_heading(page, "The uses");
        print_uses(chapter);
    }
    bo_page_curves(curves, chapter->format->name);
    print_programs(chapter);
    print_extras(chapter);
    print_counts(chapter);
    print_heading(page, "The code");
    print_code(chapter);
}

void bo_page_documents(const struct bo_page *page, const struct bo_page *curves,
                       const struct bo_format *format)
{
    const struct chapter chapter = chapter_of(page, format, ALL_DOCUMENTS);
    fprintf(page->out,
            "# %s in full\n\n"
            "Written by `bakeoff report` from [%s](%s%s). A summary of the tables, and how to read "
            "them: [REPORT.md](%sREPORT.md#%s). The machine: "
            "[environments.md](%sresults/environments.md). `bakeoff report` also draws pictures of "
            "each document and writes CSV, which are not in git.\n\n"
            "- [All documents](#all-documents)\n",
            format->name, page->results, page->root, page->results, page->root, format->name,
            page->root);
    for (unsigned d = 0; d < chapter.n; d++)
        fprintf(page->out, "- %s\n", chapter.documents[d]->name);
    if (chapter.main)
        print_all_documents(&chapter, curves);
    for (unsigned d = 0; d < chapter.n; d++)
        bo_page_document(page, chapter.documents[d]);
}
