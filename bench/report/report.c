/* The pages around the formats' chapters. */
#include "bench/report/report.h"

#include <math.h>

#include "bench/report/parts.h"
#include "bench/report/format.h"
#include "bench/report/fuzz.h"
#include "bench/report/machines.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* ---- runs ------------------------------------------------------------------------------------ */

const struct bo_report_run *bo_report_run_of(const struct bo_report *report, const char *format,
                                             bool curves)
{
    for (size_t i = 0; i < report->n; i++)
        if (bo_run_measured(report->runs[i].run, format, curves))
            return &report->runs[i];
    return NULL;
}

struct bo_page bo_report_page(const struct bo_report *report, const struct bo_report_run *source)
{
    const struct bo_run **runs = bo_array_or_abort(report->arena, report->n + 1, sizeof *runs);
    size_t n = 0;
    if (source)
        runs[n++] = source->run;
    for (size_t i = 0; i < report->n; i++)
        if (&report->runs[i] != source)
            runs[n++] = report->runs[i].run;
    return (struct bo_page){
        .run = source ? source->run : NULL,
        .runs = runs,
        .n_runs = n,
        .results = source ? source->results : NULL,
        .pictures = source ? source->pictures : NULL,
        .root = report->root,
        .arena = report->arena,
        .out = report->out,
    };
}

/* "pcdata, lprf": the formats that the report shows from the run; "" if it has only picks of it. */
static char *formats_text(const struct bo_report *report, const struct bo_report_run *source)
{
    static const char *const suffixes[] = {"", " over sizes"};
    char *text = bo_arena_printf(report->arena, "%s", "");
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (unsigned curves = 0; curves < 2; curves++)
            if (bo_report_run_of(report, (*f)->name, curves) == source)
                text = bo_arena_printf(report->arena, "%s%s%s%s", text, *text ? ", " : "",
                                       (*f)->name, suffixes[curves]);
    return text;
}

/*
 * "; 42 documents with fewer repetitions": those of which no row has all repetitions of the run. ""
 * without them.
 */
static char *short_text(const struct bo_run *run, struct bo_arena *arena)
{
    unsigned n_short = 0, least;
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *document = &run->documents[d];
        const unsigned most = bo_run_repetitions(document, &least);
        n_short += most && most < bo_environment_number(document->environment, "rounds");
    }
    return n_short ? bo_arena_printf(arena, "; %u document%s with fewer repetitions", n_short,
                                     n_short == 1 ? "" : "s")
                   : bo_arena_printf(arena, "%s", "");
}

/* "full, 6 repetitions of 2 documents": results of older versions lack the repetitions. */
static char *depth_text(const struct bo_run *run, struct bo_arena *arena)
{
    const double rounds = bo_environment_number(&run->environment, "rounds");
    return bo_arena_printf(arena, "%s%s of %zu document%s", bo_run_depth(run),
                           isnan(rounds) ? ""
                                         : bo_arena_printf(arena, ", %.0f repetition%s", rounds,
                                                           rounds == 1 ? "" : "s"),
                           run->n_documents, run->n_documents == 1 ? "" : "s");
}

static const char other_machines[] = "in the picks by machine";

void bo_report_list_runs(const struct bo_report *report)
{
    char *others = bo_arena_printf(report->arena, "%s", "");
    for (const struct bo_report_run *s = report->runs; s < report->runs + report->n; s++) {
        const char *partial = s->run->environment.partial;
        const char *formats = formats_text(report, s);
        char *link = bo_arena_printf(
            report->arena, "[%s](%s%s), %s; depth: %s%s%s%s", s->results, report->root, s->results,
            bo_environment_fact(&s->run->environment, "date"), depth_text(s->run, report->arena),
            short_text(s->run, report->arena), partial ? "; partial: " : "",
            partial ? partial : "");
        if (*formats)
            fprintf(report->out, "- %s: %s\n", formats, link);
        else
            others = bo_arena_printf(report->arena, "%s%s%s", others, *others ? "; " : "", link);
    }
    if (*others)
        fprintf(report->out, "- %s: %s\n", other_machines, others);
}

/* ---- REPORT.md ------------------------------------------------------------------------------- */

void bo_page_legend(const struct bo_page *page)
{
    fprintf(
        page->out,
        "- **Roles.** `status quo`: what the field uses today. `proposed`: what the proposal "
        "suggests that started the comparison. `control`: a codec to compare with, such as a plain "
        "array or a simple codec that takes an hour to write. `new`: bakeoff's own.\n"
        "- **Access.** `random`: one answer can be read without the rest of the file. `block`: a "
        "block at a time. `whole`: only the whole file.\n"
        "- **Ratio.** Bytes over those of the codec that the text names with its role: the "
        "format's status quo, or its first codec if no status quo was measured on every document.\n"
        "- **Times** are CPU times of one thread, an operation or query. Every answer was compared "
        "with the oracle's before anything was timed. The codec `noop` does nothing: its times are "
        "the harness's own. In square brackets: the 95%% confidence interval, of the mean "
        "over layouts of the program where a run has several, else of the median. Fewer than 6 "
        "repetitions in one layout have none.\n");
}

void bo_page_missing(const struct bo_page *page)
{
    fputs("- Cache misses: only times and pages are measured. `bakeoff insns` counts "
          "instructions.\n"
          "- Touched 64-byte lines: counted for some codecs (`bench/lines.tsv`). Touched pages of "
          "4 KiB are counted for all.\n"
          "- The worst case on hostile input: these tables do not show it. Fuzzing reports inputs "
          "that exceed limits of time and memory.\n"
          "- More than one thread: all figures are of one thread.\n"
          "- Files read from a disk: for `open-cold`, the bytes are in memory, and only the page "
          "table is empty.\n",
          page->out);
}

static void print_opening(const struct bo_report *report, const struct bo_page *page)
{
    fprintf(
        report->out,
        "# Report\n\n"
        "Which encoding should a format use? `bakeoff report` writes this page from the newest "
        "`--full` measurements of each format; `make bench` writes it from its own measurements. "
        "`make page` writes the same report as one HTML page with sortable tables and interactive "
        "charts, build/report/index.html.\n\n");
    bo_report_list_runs(report);
    fprintf(report->out,
            "\n[results/environments.md](results/environments.md) has their environments and the "
            "commands that repeat them.\n\n"
            "How to read it:\n\n");
    bo_page_legend(page);
}

void bo_report_print(const struct bo_report *report, bool with_sizes)
{
    const struct bo_page text = bo_report_page(report, NULL);
    print_opening(report, &text);
    fprintf(report->out, "\n## At a glance\n\n");
    bo_report_glance(report, &text, "#");
    bo_report_machines(report, &text);
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_report_run *source = bo_report_run_of(report, (*f)->name, false);
        const struct bo_page page = bo_report_page(report, source);
        if (source)
            bo_page_format(&page, *f);
    }
    fprintf(report->out, "\n## What was not measured\n\n");
    bo_page_missing(&text);
    bo_page_acceptance(&text, "results");
    bo_fuzz_section("results/fuzz", report->arena, report->out);
    if (with_sizes)
        fprintf(report->out,
                "\n## Sizes of the embedded documents\n\n"
                "[results/sizes.md](results/sizes.md) has the sizes of every codec and its "
                "sections. They are exact, and the same on every machine: `bakeoff report "
                "--check-sizes` computes them anew and fails if that page differs.\n");
}

/* ---- pages in results/ ----------------------------------------------------------------------- */

void bo_report_documents(const struct bo_report *report, const struct bo_format *format)
{
    const struct bo_report_run *source = bo_report_run_of(report, format->name, false);
    const struct bo_report_run *of_curves = bo_report_run_of(report, format->name, true);
    const struct bo_page page = bo_report_page(report, source);
    const struct bo_page curves = bo_report_page(report, of_curves ? of_curves : source);
    bo_page_documents(&page, &curves, format);
}

void bo_report_environments(const struct bo_report *report)
{
    fprintf(report->out,
            "# Environments\n\nWhere and how the runs behind [REPORT.md](%sREPORT.md) were "
            "measured, and how to repeat them. Written by `bakeoff report`.\n",
            report->root);
    for (const struct bo_report_run *s = report->runs; s < report->runs + report->n; s++) {
        const struct bo_page page = bo_report_page(report, s);
        const char *formats = formats_text(report, s);
        fprintf(report->out, "\n## The environment of %s\n", *formats ? formats : other_machines);
        bo_page_environment(&page);
    }
}
