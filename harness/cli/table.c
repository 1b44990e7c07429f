/* bakeoff table: one comparison of a format's codecs, ready to paste. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report_styles.h"
#include "bench/report_fuzz.h"
#include "bench/report_held_out.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"

int bo_cmd_table(int argc, char **argv);

static const struct bo_table_style *find_style(const char *name)
{
    for (const struct bo_table_style *style = bo_table_styles; style->name; style++)
        if (strcmp(style->name, name) == 0)
            return style;
    bo_usage_error("table", "no style '%s'", name);
    return NULL;
}

static bool parse_filter(struct bo_label_filter *filter, const char *kinds, const char *workloads)
{
    if (bo_names_parse(kinds, &filter->kinds) && bo_names_parse(workloads, &filter->workloads))
        return true;
    bo_usage_error("table", "--kind and --workload take names with commas between");
    return false;
}

/* The document to show. Says which others there are when the user named none. */
static bool choose_document(struct bo_table *table, const char *corpus, bool one_document)
{
    table->document = bo_run_document(table->run, table->format, corpus);
    table->only = corpus ? table->document : NULL;
    if (!table->document && corpus)
        return !bo_usage_error("table", "the results have no %s of %s", corpus, table->format);
    if (!table->document)
        return !bo_usage_error("table", "the results have nothing of %s", table->format);
    if (corpus || !one_document)
        return true;
    const char *before = "; others:";
    bool shown = false;
    for (size_t d = 0; d < table->run->n_documents; d++) {
        const struct bo_run_document *other = &table->run->documents[d];
        if (other == table->document || strcmp(other->format, table->format) != 0)
            continue;
        if (!shown)
            fprintf(stderr, "bakeoff: table: the largest corpus, %s", table->document->name);
        fprintf(stderr, "%s --corpus %s", before, other->name);
        before = ",";
        shown = true;
    }
    if (shown)
        fputc('\n', stderr);
    return true;
}

/* A name that is nowhere in the document is a mistake, not an empty table. */
static bool filter_met(struct bo_table *table)
{
    for (size_t d = 0; d < table->run->n_documents; d++) {
        const struct bo_run_document *document = &table->run->documents[d];
        for (unsigned l = 0; strcmp(document->format, table->format) == 0 && l < document->n_labels;
             l++)
            bo_label_wanted(&table->filter, document->labels[l]);
    }
    const char *kind = bo_names_unmet(&table->filter.kinds);
    const char *workload = bo_names_unmet(&table->filter.workloads);
    if (kind)
        return !bo_usage_error("table", "the results have no kind '%s'", kind);
    if (workload)
        return !bo_usage_error("table", "the results have no workload '%s'", workload);
    return true;
}

/* Held-out documents beside the others. */
static bool print_held_out(const struct bo_run *run, const char *format, const char *style,
                           struct bo_arena *arena)
{
    struct bo_grid grid;
    const bool md = strcmp(style, "md") == 0, csv = strcmp(style, "csv") == 0;
    if (!md && !csv && strcmp(style, "rfc") != 0)
        return !bo_usage_error("table", "--held-out is printed as md, rfc or csv");
    if (!bo_held_out_grid(run, format, arena, &grid))
        return !bo_usage_error(
            "table", "the results have no held-out documents of %s beside others", format);
    const char *caption = bo_arena_printf(arena, "%s.", bo_held_out_caption(run, format, arena));
    if (md)
        bo_grid_markdown(&grid, stdout);
    else if (csv)
        bo_grid_csv(&grid, stdout);
    else
        bo_grid_text(&grid, BO_RFC_WIDTH, stdout);
    if (!csv)
        putchar('\n');
    if (!csv)
        bo_print_wrapped(stdout, caption, md ? (unsigned)strlen(caption) : BO_RFC_WIDTH, "");
    return true;
}

static int print_table(struct bo_table *table, const char *corpus, const char *path,
                       const struct bo_table_style *style, bool held_out)
{
    char *newest = path ? NULL : bo_run_newest("results", table->format);
    struct bo_run run = {.json = NULL};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    table->run = &run;
    bool ok = (path || newest) && bo_run_load(path ? path : newest, &run);
    if (ok && held_out) {
        ok = print_held_out(&run, table->format, style->name, &arena);
    } else if (ok) {
        ok = choose_document(table, corpus, style->one_document) && filter_met(table);
        bo_fuzz_mark_run("results/fuzz", &run);
        if (ok)
            style->print(table, &arena, stdout);
    }
    bo_arena_free(&arena);
    bo_run_free(&run);
    free(newest);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

int bo_cmd_table(int argc, char **argv)
{
    const char *style = "md", *kind = NULL, *workload = NULL, *corpus = NULL, *path = NULL;
    bool held_out = false;
    const struct bo_option options[] = {
        {"--style", 0, "S", "md (default), rfc, csv, tex, gobench, json", &style, NULL},
        {"--kind", 0, "K[,...]", "only these: query kinds, encode, decode, merge, open, open-cold",
         &kind, NULL},
        {"--workload", 0, "W[,...]", "only these workloads of the query kinds", &workload, NULL},
        {"--corpus", 0, "X", "this document (default: the largest; csv, gobench, json: all)",
         &corpus, NULL},
        {"--held-out", 0, NULL,
         "ratios on held-out documents beside those on the others; md, rfc, csv", NULL, &held_out},
        {"--results", 0, "FILE", "of `bench --json` (default: the newest in results/)", &path,
         NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "table",
        "FORMAT [--style md|rfc|csv|tex|gobench|json] [--corpus X] [--kind K] [--workload W]",
        "Prints one comparison of the format's codecs from measured results: sizes, a time with\n"
        "its 95% interval for each query workload, open, encode, decode, memory, pages. rfc is\n"
        "plain text of 72 columns with a caption, for a mail; gobench is what benchstat reads,\n"
        "best with `benchstat -col /codec`.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 1)
        return bo_usage_error("table", "takes one format");
    const struct bo_format *format = bo_need_format("table", n ? argv[1] : NULL);
    struct bo_table table = {.format = format ? format->name : NULL};
    const struct bo_table_style *chosen = format ? find_style(style) : NULL;
    if (!chosen || !parse_filter(&table.filter, kind, workload))
        return BO_EXIT_USAGE;
    return print_table(&table, corpus, path, chosen, held_out);
}
