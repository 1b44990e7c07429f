/* Environments. */
#include "bench/report/parts.h"

#include <math.h>
#include <string.h>

#include "bench/report/caption.h"
#include "harness/core/print.h"

/* Nothing for a NULL value. */
static void print_fact(const struct bo_page *page, const char *name, const char *value)
{
    if (value)
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

/* Prints each of the runs that were merged, and the consequence for times. */
static void print_parts(const struct bo_page *page)
{
    print_fact(page, "shards", bo_parts_note(page->run));
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
    const struct bo_text_list *events = &page->run->environment.events;
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
    if (bo_pair_text(&environment->facts, "plugins"))
        print_fact(page, "plugins (XXH3-64)", bo_pair_text(&environment->facts, "plugins"));
    print_fact(page, "a reading of the clock", number_text(page, "clock_cost_ns", " ns"));
    print_fact(
        page, "buffer that empties the caches",
        bo_nbytes_text(page->arena, bo_environment_number(environment, "cold_eviction_bytes")));
    print_fact(page, "load before the run", load_text(page));
    print_fact(page, "libraries", pairs_text(&environment->libraries, page->arena));
    if (environment->processor.n)
        print_fact(page, "processor", pairs_text(&environment->processor, page->arena));
    if (environment->paths.n)
        print_fact(page, "code paths", pairs_text(&environment->paths, page->arena));
    if (environment->has_optional_codecs)
        print_fact(page, "optional codecs", pairs_text(&environment->optional_codecs, page->arena));
    if (environment->has_events)
        print_fact(page, "counted by the processor", events_text(page));
    print_parts(page);
    print_fact(page, "depth", bo_run_depth(page->run));
    print_fact(page, "partial", environment->partial);
    print_fact(page, "repetitions", number_text(page, "rounds", ""));
    if (environment->layouts.n)
        print_fact(page, "layouts", pairs_text(&environment->layouts, page->arena));
    print_fact(page, "a repetition lasts", number_text(page, "min_time_s", " s"));
    print_fact(page, "seeds", pairs_text(&environment->seeds, page->arena));
}

/* The names of documents, either the held-out ones or the others; "" for none. */
static char *names_text(const struct bo_page *page, bool held_out, const char *separator)
{
    const struct bo_run *run = page->run;
    char *names = bo_arena_printf(page->arena, "%s", "");
    for (size_t d = 0; d < run->n_documents; d++)
        if (run->documents[d].held_out == held_out)
            names = bo_arena_printf(page->arena, "%s%s%s", names, *names ? separator : "",
                                    bo_document_argument(&run->documents[d]));
    return names;
}

/* The command that measures what the run measured. */
static char *bench_text(const struct bo_page *page)
{
    const struct bo_run *run = page->run;
    const char *format = run->n_documents ? run->documents[0].format : "";
    bool one_format = run->n_documents > 0;
    for (size_t d = 0; d < run->n_documents; d++)
        one_format = one_format && strcmp(run->documents[d].format, format) == 0;
    return bo_arena_printf(page->arena, "%s bench --json results/%s%s --corpus %s%s%s",
                           bo_caption_program(&run->environment, page->arena),
                           one_format ? " --format " : "", one_format ? format : "",
                           bo_shell_quoted(page->arena, names_text(page, false, ",")),
                           *names_text(page, true, ", ") ? " --held-out FOLDER" : "",
                           bo_caption_options(&run->environment, page->arena));
}

static void print_again(const struct bo_page *page)
{
    bool fetched = false;
    for (size_t d = 0; d < page->run->n_documents; d++)
        fetched = fetched || !page->run->documents[d].embedded;
    const char *commit = bo_environment_fact(&page->run->environment, "commit");
    fprintf(page->out, "\nTo repeat this run:\n\n```sh\ngit checkout %.*s\nmake\n%s%s\n```\n",
            (int)strcspn(commit, "+"), commit,
            fetched ? "make corpora   # documents that are not in the repository; external ones: "
                      "corpora/README.md\n"
                    : "",
            bench_text(page));
    if (*names_text(page, true, ", "))
        fprintf(page->out, "\nFOLDER contains the held-out documents: %s.\n",
                names_text(page, true, ", "));
    if (strchr(commit, '+'))
        fprintf(page->out,
                "\nThis run's program was built from a tree with uncommitted changes.\n");
}

void bo_page_environment(const struct bo_page *page)
{
    print_facts(page);
    print_again(page);
}
