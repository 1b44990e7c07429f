/* bakeoff table: prints a comparison of a format's codecs, ready to paste. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/fuzz.h"
#include "bench/report/held_out.h"
#include "bench/report/styles.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "harness/core/suggest.h"

int bo_cmd_table(int argc, char **argv);

static const struct bo_table_style *find_style(const char *name)
{
    for (const struct bo_table_style *style = bo_table_styles; style->name; style++)
        if (strcmp(style->name, name) == 0)
            return style;
    struct bo_suggestion near = bo_suggest(name);
    char all[160] = "; the styles are";
    for (const struct bo_table_style *style = bo_table_styles; style->name; style++) {
        const size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, " %s", style->name);
        bo_suggest_offer(&near, style->name);
    }
    bo_usage_error("table", "no style '%s'%s%s", name, bo_suggestion_text(&near), all);
    return NULL;
}

/* The options of the command line. */
struct request {
    const char *style, *kind, *workload, *codec, *role, *corpus, *results, *machine;
    bool held_out, as_json;
    struct bo_filter codecs, roles;
};

static bool parse_filters(struct request *r, struct bo_label_filter *filter)
{
    if (bo_filter_parse(r->kind, &filter->kinds) &&
        bo_filter_parse(r->workload, &filter->workloads) && bo_filter_parse(r->codec, &r->codecs) &&
        bo_filter_parse(r->role, &r->roles))
        return true;
    bo_usage_error("table",
                   "--kind, --workload, --codec and --role expect names separated by commas");
    return false;
}

/* False after a message about a name that matched nothing. */
static bool all_met(struct bo_filter *names, const char *what)
{
    const char *suggestion, *unknown = bo_filter_unmatched(names, &suggestion);
    return !unknown ||
           !bo_usage_error("table", "the results have no %s '%s'%s", what, unknown, suggestion);
}

/* ---- selected codecs ------------------------------------------------------------------------- */

/* Marks the names that matched a codec, in both filters. */
static bool is_wanted(const struct bo_run_codec *codec, void *arg)
{
    struct request *r = arg;
    char role[BO_MAX_NAME];
    snprintf(role, sizeof role, "%s", codec->role);
    for (char *p = role; *p; p++)
        *p = *p == ' ' ? '-' : *p; /* for status-quo */
    const bool has_name = bo_filter_allows(&r->codecs, codec->name);
    return bo_filter_allows(&r->roles, role) && has_name;
}

/*
 * Replaces the table's run by a copy whose documents of the format only have the selected codecs.
 * False after a message.
 */
static bool choose_codecs(struct bo_table *table, struct request *r, struct bo_run *run_ret,
                          struct bo_arena *arena)
{
    const struct bo_run *run = table->run;
    if (!r->codec && !r->role)
        return true;
    *run_ret = *run;
    run_ret->documents = bo_alloc_array(arena, run->n_documents + 1, sizeof *run_ret->documents);
    if (!run_ret->documents)
        abort();
    for (size_t d = 0; d < run->n_documents; d++)
        run_ret->documents[d] = strcmp(run->documents[d].format, table->format) == 0
                                    ? *bo_document_with(&run->documents[d], is_wanted, r, arena)
                                    : run->documents[d];
    if (!all_met(&r->codecs, "codec") || !all_met(&r->roles, "codec of the role"))
        return false;
    const size_t at = (size_t)(table->document - run->documents);
    table->run = run_ret;
    table->only = table->only ? &run_ret->documents[at] : NULL;
    table->document = &run_ret->documents[at];
    table->is_chosen = true;
    return table->document->n_codecs > 0 ||
           !bo_usage_error("table", "no codec matches both --codec and --role");
}

/* The options that print this table again. */
static char *options_text(const struct request *r, struct bo_arena *arena)
{
    const struct {
        const char *name, *value;
    } options[] = {
        {"kind", r->kind}, {"workload", r->workload}, {"codec", r->codec}, {"role", r->role}};
    char *text = bo_arena_printf(arena, "%s", "");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].value)
            text = bo_arena_printf(arena, "%s --%s %s", text, options[i].name,
                                   bo_shell_quoted(arena, options[i].value));
    return text;
}

/* Chooses the document to show. False after a message. */
static bool choose_document(struct bo_table *table, const char *corpus)
{
    table->document = bo_run_document(table->run, table->format, corpus);
    table->only = corpus ? table->document : NULL;
    return table->document || !bo_no_document("table", table->run, table->format, corpus);
}

/* Names the documents that the table does not show. */
static void name_others(const struct bo_table *table)
{
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
}

/* Names that match nothing in the documents are an error, not an empty table. */
static bool filter_met(struct bo_table *table)
{
    struct bo_label_filter *filter = &table->filter;
    bool any = filter->kinds.n == 0 || filter->workloads.n == 0;
    for (size_t d = 0; d < table->run->n_documents; d++) {
        const struct bo_run_document *document = &table->run->documents[d];
        for (unsigned l = 0; strcmp(document->format, table->format) == 0 && l < document->n_labels;
             l++)
            any = bo_label_wanted(filter, document->labels[l]) || any;
    }
    return all_met(&filter->kinds, "kind") && all_met(&filter->workloads, "workload") &&
           (any || !bo_usage_error("table", "no row matches both --kind and --workload"));
}

/* Prints held-out documents next to the others. */
static bool print_held_out(const struct bo_run *run, const char *format, const char *style,
                           struct bo_arena *arena)
{
    struct bo_grid grid;
    const bool md = strcmp(style, "md") == 0, csv = strcmp(style, "csv") == 0;
    if (!md && !csv && strcmp(style, "rfc") != 0)
        return !bo_usage_error("table", "--held-out requires --style md, rfc or csv");
    const char *caption = bo_held_out_grid(run, format, arena, &grid);
    if (!caption)
        return !bo_usage_error(
            "table", "the results have no held-out documents of %s beside others", format);
    caption = bo_arena_printf(arena, "%s.", caption);
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

static int print_table(struct bo_table *table, struct request *r,
                       const struct bo_table_style *style)
{
    struct bo_run run, chosen;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    table->run = &run;
    table->options = options_text(r, &arena);
    bool ok = r->results ? bo_run_load(r->results, &run)
                         : bo_run_load_newest("results", r->machine, table->format, &run);
    if (ok && r->held_out) {
        ok = print_held_out(&run, table->format, style->name, &arena);
    } else if (ok) {
        bo_fuzz_mark_run("results/fuzz", &run);
        ok = choose_document(table, r->corpus) && filter_met(table) &&
             choose_codecs(table, r, &chosen, &arena);
        if (ok && !r->corpus && style->one_document)
            name_others(table);
        if (ok)
            style->print(table, &arena, stdout);
    }
    bo_arena_free(&arena);
    bo_run_free(&run);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

int bo_cmd_table(int argc, char **argv)
{
    struct request r = {.style = NULL};
    const struct bo_option options[] = {
        {"--style", 0, "STYLE", "md (default), rfc, csv, tex, gobench, json", &r.style, NULL},
        {"--kind", 0, "K[,...]", "only these: query kinds, encode, decode, merge, open, open-cold",
         &r.kind, NULL},
        {"--workload", 0, "W[,...]", "only these workloads of the query kinds", &r.workload, NULL},
        {"--codec", 0, "C[,...]", "only these codecs (a * is any text)", &r.codec, NULL},
        {"--role", 0, "R[,...]", "only codecs of these roles: status-quo, proposed, control, new",
         &r.role, NULL},
        {"--corpus", 0, "X", "this document (default: the largest; csv, gobench, json: all)",
         &r.corpus, NULL},
        {"--held-out", 0, NULL,
         "ratios on held-out documents beside those on the others; md, rfc, csv", NULL,
         &r.held_out},
        {"--results", 0, "FILE", "of `bench --json` (default: the newest in results/)", &r.results,
         NULL},
        {"--machine", 0, "NAME", "of the results in results/, those in results/NAME", &r.machine,
         NULL},
        {"--json", 0, NULL, "--style json", NULL, &r.as_json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "table",
        "FORMAT [--style md|rfc|csv|tex|gobench|json] [--corpus X] [--kind K] [--workload W]\n"
        "                     [--codec C] [--role R]",
        "Prints one comparison of the format's codecs from measured results: sizes, a time with\n"
        "its 95% interval for each query workload, open, encode, decode, memory, pages. rfc is\n"
        "plain text of 72 columns with a caption, for a mail; without --codec and --role it has\n"
        "the Pareto front, the status quo and the proposals. gobench is what benchstat reads,\n"
        "best with `benchstat -col /codec`.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 1)
        return bo_usage_error("table", "expects one format");
    if (r.as_json && r.style && strcmp(r.style, "json") != 0)
        return bo_usage_error("table", "--json cannot be combined with --style %s", r.style);
    r.style = r.as_json ? "json" : r.style ? r.style : "md";
    if (r.machine && r.results)
        return bo_usage_error("table", "--machine cannot be combined with --results");
    if (r.held_out && (r.codec || r.role || r.kind || r.workload || r.corpus))
        return bo_usage_error("table",
                              "--held-out cannot be combined with --codec, --role, --kind, "
                              "--workload or --corpus");
    const struct bo_format *format = bo_need_format("table", n ? argv[1] : NULL);
    struct bo_table table = {.format = format ? format->name : NULL};
    const struct bo_table_style *chosen = format ? find_style(r.style) : NULL;
    if (!chosen || !parse_filters(&r, &table.filter))
        return BO_EXIT_USAGE;
    return print_table(&table, &r, chosen);
}
