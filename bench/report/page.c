/* The page around the formats' chapters, and the files beside it. */
#include "bench/report/page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/bars.h"
#include "bench/report/caption.h"
#include "bench/report/comparison.h"
#include "bench/report/curves.h"
#include "bench/report/format.h"
#include "bench/report/front.h"
#include "bench/report/fuzz.h"
#include "bench/report/picks.h"
#include "bench/report/plot.h"
#include "harness/core/files.h"
#include "harness/core/print.h"
#include "harness/format_report.h"
#include "harness/registry.h"

/* What no run measures, for every report. */
static const char *const not_measured[] = {
    "Cache misses: times and pages only. `bakeoff insns` counts instructions.",
    "64-byte lines touched: pages of 4 KiB are counted.",
    "The worst case on hostile input: the fuzzers bound it, no table shows it.",
    "More than one thread: all figures are of one.",
    "Files read from a disk: `open-cold` finds its bytes in memory, and only its page table empty.",
    NULL,
};

/* ---- tables and pictures --------------------------------------------------------------------- */

void bo_page_grid(const struct bo_page *page, const struct bo_grid *grid, const char *name)
{
    if (page->form == BO_PAGE_HTML)
        bo_grid_html(grid, name, page->out);
    else
        bo_grid_markdown(grid, page->out);
}

void bo_page_picture(const struct bo_page *page, const char *name, const char *text)
{
    if (page->form == BO_PAGE_MARKDOWN && page->pictures)
        fprintf(page->out, "![%s](%s%s/%s)\n", text, page->root, page->pictures, name);
}

/* ---- the page -------------------------------------------------------------------------------- */

const struct bo_page *bo_page_telling(const struct bo_page *pages, size_t n, const char *format,
                                      bool curves)
{
    for (size_t i = 0; i < n; i++)
        if (bo_run_measured(pages[i].run, format, curves))
            return &pages[i];
    return NULL;
}

static bool is_told_by(const struct bo_page *pages, size_t i, const char *format, bool curves)
{
    return bo_page_telling(pages, i + 1, format, curves) == &pages[i];
}

/* "pcdata, lprf": what the page tells by run i. */
static char *formats_text(const struct bo_page *pages, size_t i)
{
    static const char *const suffixes[] = {"", " over sizes"};
    char *text = bo_arena_printf(pages->arena, "%s", "");
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (unsigned curves = 0; curves < 2; curves++)
            if (is_told_by(pages, i, (*f)->name, curves))
                text = bo_arena_printf(pages->arena, "%s%s%s%s", text, *text ? ", " : "",
                                       (*f)->name, suffixes[curves]);
    return text;
}

void bo_page_runs(const struct bo_page *pages, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct bo_run *run = pages[i].run;
        const char *partial = run->environment.partial;
        fprintf(out, "- %s: [%s](%s%s), %s; depth: %s%s%s\n", formats_text(pages, i),
                pages[i].results, pages->root, pages[i].results,
                bo_environment_fact(&run->environment, "date"), bo_run_depth(run),
                partial ? "; partial: " : "", partial ? partial : "");
    }
}

void bo_page_legend(const struct bo_page *page)
{
    fprintf(
        page->out,
        "- **Roles.** `status quo`: what the field uses today. `proposed`: what the proposal "
        "suggests that started the comparison. `control`: a codec to compare with, such as the "
        "plain "
        "array or what one would write in an hour. `new`: bakeoff's own.\n"
        "- **Access.** `random`: one answer is read by itself. `block`: a block at a time. "
        "`whole`: "
        "all or nothing.\n"
        "- **Ratio.** Bytes over those of the codec that the text names with its role: the "
        "format's "
        "status quo, or its first codec where no status quo was measured on every document.\n"
        "- **Times** are CPU times of one thread, an operation or query. Every answer was compared "
        "with the oracle's before anything was timed. The codec `noop` does nothing: its times are "
        "the harness's own. In square brackets: the 95%% confidence interval of a median; fewer "
        "than 6 "
        "repetitions have none.\n");
}

static void print_opening(const struct bo_page *pages, size_t n)
{
    fprintf(
        pages->out,
        "# Report\n\n"
        "Which encoding should a format use? `bakeoff report` wrote this page from the "
        "newest `--full` measurements of each format, or `make bench` from its own. All of it as "
        "one HTML page with sortable tables and interactive charts: `make page` writes "
        "build/report/index.html.\n\n");
    bo_page_runs(pages, n, pages->out);
    fprintf(pages->out,
            "\nTheir environments, and the commands that repeat them: [results/environments.md]"
            "(results/environments.md).\n\nHow to read it:\n\n");
    bo_page_legend(pages);
}

void bo_page_missing(const struct bo_page *page)
{
    for (const char *const *text = not_measured; *text; text++)
        fprintf(page->out, "- %s\n", *text);
}

/* ---- the environment ------------------------------------------------------------------------- */

static void print_fact(const struct bo_page *page, const char *name, const char *value)
{
    fprintf(page->out, "| %s | %s |\n", name, value);
}

static char *number_text(const struct bo_page *page, const char *key, const char *unit)
{
    const double value = bo_environment_number(&page->run->environment, key);
    return isnan(value) ? bo_arena_printf(page->arena, "unknown")
                        : bo_arena_printf(page->arena, "%g%s", value, unit);
}

/* "benchmark 1.7.1, libc 2.36, ..." or "queries 1, order 1" */
static char *pairs_text(const struct bo_pairs *pairs, struct bo_arena *arena)
{
    char *text = bo_arena_printf(arena, "%s", "");
    for (unsigned i = 0; i < pairs->n; i++) {
        const struct bo_pair *pair = &pairs->items[i];
        const char *value = pair->text ? pair->text : bo_arena_printf(arena, "%g", pair->number);
        text = bo_arena_printf(arena, "%s%s%s %s", text, i ? ", " : "", pair->name, value);
    }
    return text;
}

static char *load_text(const struct bo_page *page)
{
    char *text = bo_arena_printf(page->arena, "%s", "");
    const struct bo_environment *environment = &page->run->environment;
    for (unsigned i = 0; i < environment->n_load_avg; i++)
        text =
            bo_arena_printf(page->arena, "%s%s%.2f", text, i ? ", " : "", environment->load_avg[i]);
    return text;
}

/* Each of the runs that were put together, and what that means for times. */
static void print_parts(const struct bo_page *page)
{
    const char *note = bo_parts_note(page->run);
    if (note)
        print_fact(page, "shards", note);
    for (size_t i = 0; i < page->run->n_parts; i++) {
        const struct bo_environment *part = &page->run->parts[i];
        const char *name = bo_shard_text(part, page->arena);
        print_fact(page, name ? name : "part",
                   bo_arena_printf(
                       page->arena, "%s; %s; %s", bo_caption_processor(part, page->arena),
                       bo_environment_fact(part, "kernel"), bo_environment_fact(part, "date")));
    }
}

static char *events_text(const struct bo_page *page)
{
    const struct bo_texts *events = &page->run->environment.events;
    char *text = bo_arena_printf(page->arena, "%s", events->n ? events->items[0] : "nothing");
    for (unsigned i = 1; i < events->n; i++)
        text = bo_arena_printf(page->arena, "%s, %s", text, events->items[i]);
    return text;
}

static void print_facts(const struct bo_page *page)
{
    static const char *const facts[][2] = {
        {"architecture", "architecture"},
        {"kernel", "kernel"},
        {"governor", "governor"},
        {"huge pages", "huge_pages"},
        {"compiler", "compiler"},
        {"flags", "flags"},
        {"commit", "commit"},
        {"date", "date"},
        {"allocator", "allocator"},
        {"clock", "clock"},
    };
    const struct bo_environment *environment = &page->run->environment;
    fprintf(page->out, "\n| | |\n|---|---|\n");
    if (!bo_parts_note(page->run))
        print_fact(page, "processor", bo_caption_processor(environment, page->arena));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        print_fact(page, facts[i][0], bo_environment_fact(environment, facts[i][1]));
    print_fact(page, "a reading of the clock", number_text(page, "clock_cost_ns", " ns"));
    print_fact(
        page, "written to empty the caches",
        bo_nbytes_text(page->arena, bo_environment_number(environment, "cold_eviction_bytes")));
    print_fact(page, "load before the run", load_text(page));
    print_fact(page, "libraries", pairs_text(&environment->libraries, page->arena));
    if (environment->has_optional_codecs)
        print_fact(page, "optional codecs", pairs_text(&environment->optional_codecs, page->arena));
    if (environment->has_events)
        print_fact(page, "counted by the processor", events_text(page));
    print_parts(page);
    print_fact(page, "depth", bo_run_depth(page->run));
    if (environment->partial)
        print_fact(page, "partial", environment->partial);
    print_fact(page, "repetitions", number_text(page, "rounds", ""));
    print_fact(page, "a repetition lasts", number_text(page, "min_time_s", " s"));
    print_fact(page, "seeds", pairs_text(&environment->seeds, page->arena));
}

/* Whether codecs' bytes were given to the outer compressors, too. */
static bool is_compressed(const struct bo_run_document *document)
{
    for (unsigned i = 0; i < document->sizes.n_codecs; i++)
        if (document->sizes.codecs[i].compressed.n)
            return true;
    return false;
}

/* The command that measures what the run measured. */
static char *bench_text(const struct bo_page *page)
{
    const struct bo_run *run = page->run;
    const char *format = run->n_documents ? run->documents[0].format : "", *names = "";
    bool one_format = run->n_documents > 0, compressed = false;
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *document = &run->documents[d];
        one_format = one_format && strcmp(document->format, format) == 0;
        compressed = compressed || is_compressed(document);
        names = bo_arena_printf(page->arena, "%s%s%s", names, d ? "," : "",
                                bo_document_argument(document));
    }
    return bo_arena_printf(
        page->arena, "build/bakeoff bench%s --json results/%s%s --corpus %s --repetitions %s",
        compressed ? " --full" : "", one_format ? " --format " : "", one_format ? format : "",
        bo_shell_quoted(page->arena, names), number_text(page, "rounds", ""));
}

static void print_again(const struct bo_page *page)
{
    bool fetched = false;
    for (size_t d = 0; d < page->run->n_documents; d++)
        fetched = fetched || !page->run->documents[d].embedded;
    const char *commit = bo_environment_fact(&page->run->environment, "commit");
    fprintf(page->out, "\nAgain:\n\n```sh\ngit checkout %.*s\nmake\n%s%s\n```\n",
            (int)strcspn(commit, "+"), commit,
            fetched ? "make corpora   # documents that are not in the repository; external ones: "
                      "corpora/README.md\n"
                    : "",
            bench_text(page));
    if (strchr(commit, '+'))
        fprintf(page->out, "\nThe tree of this run had changes that are not in the commit.\n");
}

void bo_page_environment(const struct bo_page *page)
{
    print_facts(page);
    print_again(page);
}

void bo_page_print(const struct bo_page *pages, size_t n, bool with_sizes)
{
    print_opening(pages, n);
    fprintf(pages->out, "\n## At a glance\n\n");
    bo_page_glance(pages, pages, n, "#");
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_page *page = bo_page_telling(pages, n, (*f)->name, false);
        if (page)
            bo_page_format(page, *f);
    }
    fprintf(pages->out, "\n## What was not measured\n\n");
    bo_page_missing(pages);
    bo_fuzz_section("results/fuzz", pages->arena, pages->out);
    if (with_sizes)
        fprintf(pages->out,
                "\n## Sizes of the embedded documents\n\n"
                "Of every codec, with its sections: [results/sizes.md](results/sizes.md). They are "
                "exact, and the same on every machine: `bakeoff report --check-sizes` computes "
                "them anew and fails where that page differs.\n");
}

void bo_page_sizes_print(const char *sizes, FILE *out)
{
    fprintf(out,
            "# Sizes of the embedded documents\n\n"
            "Exact, and the same on every machine: `bakeoff report --check-sizes` computes them "
            "anew and fails where this page differs.\n\n%s",
            sizes);
}

void bo_page_environments(const struct bo_page *pages, size_t n)
{
    fprintf(pages->out,
            "# Environments\n\nWhere and how the runs behind [REPORT.md](%sREPORT.md) were "
            "measured, and how to repeat them. Written by `bakeoff report`.\n",
            pages->root);
    for (size_t i = 0; i < n; i++) {
        fprintf(pages->out, "\n## The environment of %s\n", formats_text(pages, i));
        bo_page_environment(&pages[i]);
    }
}

/* ---- the files beside it --------------------------------------------------------------------- */

char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what)
{
    char *name = bo_arena_printf(arena, "%s-%s-%s.svg", document->format, document->name, what);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '.')
            *p = '_';
    return name;
}

static bool draw(const struct bo_run_document *document, const char *folder, struct bo_arena *arena)
{
    struct bo_front_point *points;
    if (document->scale ||
        bo_front_points(document, bo_run_main_label(document), arena, &points) == 0)
        return true; /* no query was measured, or for curves: the page has no such picture either */
    return bo_plot_size_time(document,
                             bo_arena_printf(arena, "%s/%s", folder,
                                             bo_picture_name(arena, document, "size-time"))) &&
           bo_plot_workloads(document,
                             bo_arena_printf(arena, "%s/%s", folder,
                                             bo_picture_name(arena, document, "workloads")));
}

/* Of the document that stands for its format. */
static bool draw_main(const struct bo_run_document *document, const char *folder,
                      struct bo_arena *arena)
{
    struct bo_front_point *points;
    const char *label = bo_run_main_label(document);
    if (!label || bo_front_points(document, label, arena, &points) == 0)
        return true;
    return bo_plot_sections(document,
                            bo_arena_printf(arena, "%s/%s", folder,
                                            bo_picture_name(arena, document, "sections"))) &&
           bo_plot_scatter(document, label,
                           bo_arena_printf(arena, "%s/%s", folder,
                                           bo_picture_name(arena, document, "scatter")));
}

static bool write_csv(const struct bo_run *run, const char *format, const char *folder,
                      struct bo_arena *arena)
{
    struct bo_grid grid;
    struct bo_label_filter filter = {.kinds = {.n = 0}};
    char *text = NULL;
    size_t nbytes;
    bo_comparison_raw(run, format, NULL, &filter, arena, &grid);
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        abort();
    bo_grid_csv(&grid, out);
    fclose(out);
    const bool ok = bo_output(bo_arena_printf(arena, "%s/%s.csv", folder, format),
                              (struct bo_span){(const uint8_t *)text, nbytes});
    free(text);
    return ok;
}

bool bo_page_files(const struct bo_page *pages, size_t i, const char *folder)
{
    const struct bo_run *run = pages[i].run;
    struct bo_arena arena;
    bool ok = true;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t d = 0; d < run->n_documents && ok; d++)
        if (is_told_by(pages, i, run->documents[d].format, false))
            ok = draw(&run->documents[d], folder, &arena);
    for (const struct bo_format *const *f = bo_formats; *f && ok; f++) {
        if (is_told_by(pages, i, (*f)->name, false))
            ok = draw_main(bo_run_document(run, (*f)->name, NULL), folder, &arena) &&
                 write_csv(run, (*f)->name, folder, &arena);
        if (ok && is_told_by(pages, i, (*f)->name, true))
            ok = bo_curves_draw(run, (*f)->name, folder, &arena);
    }
    bo_arena_free(&arena);
    return ok;
}
