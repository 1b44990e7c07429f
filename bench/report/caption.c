/* Writes captions. */
#include "bench/report/caption.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/core/print.h"
#include "harness/registry.h"

/* ", L2 1 MiB" */
static char *cache_text(struct bo_arena *arena, const struct bo_cache *cache)
{
    const uint64_t kib = cache->nbytes / 1024;
    const char *suffix = strcmp(cache->type, "Data") == 0          ? "d"
                         : strcmp(cache->type, "Instruction") == 0 ? "i"
                                                                   : "";
    const bool mib = kib >= 1024 && kib % 1024 == 0;
    return bo_arena_printf(arena, ", L%u%s %" PRIu64 " %s", cache->level, suffix,
                           mib ? kib / 1024 : kib, mib ? "MiB" : "KiB");
}

char *bo_caption_processor(const struct bo_environment *environment, struct bo_arena *arena)
{
    const double n_cpus = bo_environment_number(environment, "num_cpus");
    const char *name = bo_pair_text(&environment->processor, "microarchitecture");
    const char *isa = bo_pair_text(&environment->processor, "isa");
    const char *cap = bo_pair_text(&environment->processor, "isa_cap");
    char *text = bo_arena_printf(arena, "%s", bo_environment_fact(environment, "cpu"));
    if (name && isa)
        text = bo_arena_printf(arena, "%s (%s, %s%s%s)", text, name, isa, cap ? ", capped at " : "",
                               cap ? cap : "");
    text = bo_arena_printf(arena, "%s, %.0f CPUs", text, isnan(n_cpus) ? 0 : n_cpus);
    for (unsigned i = 0; i < environment->n_caches; i++)
        text = bo_arena_printf(arena, "%s%s", text, cache_text(arena, &environment->caches[i]));
    return text;
}

char *bo_caption_sample(const struct bo_run_document *document, struct bo_arena *arena)
{
    unsigned least;
    const unsigned most = bo_run_repetitions(document, &least);
    const struct bo_interval_counts intervals = bo_count_intervals(document);
    if (most == 0)
        return bo_arena_printf(arena, "nothing was timed");
    char *n = least == most
                  ? bo_arena_printf(arena, "n = %u repetition%s", most, most == 1 ? "" : "s")
                  : bo_arena_printf(arena, "n = %u to %u repetitions", least, most);
    const double n_layouts = bo_pair_number(&document->environment->layouts, "n");
    if (!intervals.n_with)
        return bo_arena_printf(arena, "medians of %s; no 95%% intervals, which need 6 repetitions",
                               n);
    if (n_layouts > 1)
        return bo_arena_printf(arena,
                               "medians of %s, with 95%% intervals of the mean over %.0f layouts "
                               "by Student's t%s",
                               n, n_layouts,
                               intervals.n_without == 0 ? "" : "; no interval in one layout");
    return bo_arena_printf(arena, "medians of %s, with 95%% intervals by order statistics%s", n,
                           intervals.n_without == 0 ? "" : "; no interval below 6 repetitions");
}

/* " --kind point" where the run had the option; "". */
static char *option_text(const struct bo_pairs *options, const char *name, struct bo_arena *arena)
{
    const char *value = bo_pair_text(options, name);
    return value ? bo_arena_printf(arena, " --%s %s", name, bo_shell_quoted(arena, value))
                 : bo_arena_printf(arena, "%s", "");
}

const char *bo_document_argument(const struct bo_run_document *document)
{
    return document->file ? document->file : document->name;
}

/* " --layouts 5:1"; "" where the depth has the same layouts by default. */
static char *layouts_text(const struct bo_environment *environment, bool is_full,
                          struct bo_arena *arena)
{
    enum { OF_FULL = 5, SEED_OF_FULL = 1 };
    const double n = bo_pair_number(&environment->layouts, "n");
    const double seed = bo_pair_number(&environment->layouts, "seed");
    if (isnan(n))
        return bo_arena_printf(arena, "%s", is_full ? " --layouts 0" : "");
    if (is_full && n == OF_FULL && seed == SEED_OF_FULL)
        return bo_arena_printf(arena, "%s", "");
    return bo_arena_printf(arena, " --layouts %.0f:%.0f", n, isnan(seed) ? SEED_OF_FULL : seed);
}

char *bo_caption_options(const struct bo_environment *environment, struct bo_arena *arena)
{
    const struct bo_pairs *options = &environment->options;
    const double rounds = bo_environment_number(environment, "rounds");
    const char *depth = bo_pair_text(options, "depth");
    const bool is_quick = bo_pair_number(options, "quick") == 1;
    const bool is_full = depth && strcmp(depth, "full") == 0;
    return bo_arena_printf(
        arena, "%s%s%s%s%s%s%s%s", option_text(options, "codec", arena),
        option_text(options, "kind", arena), option_text(options, "workload", arena),
        is_quick ? " --quick" : "", is_full ? " --full" : "",
        is_full && bo_pair_number(options, "compress") == 0 ? " --no-compress" : "",
        layouts_text(environment, is_full, arena),
        isnan(rounds) ? "" : bo_arena_printf(arena, " --repetitions %.0f", rounds));
}

char *bo_caption_program(const struct bo_environment *environment, struct bo_arena *arena)
{
    const char *cap = bo_pair_text(&environment->processor, "isa_cap");
    if (!cap)
        return bo_arena_printf(arena, "%s", "build/bakeoff");
    const char *level = strrchr(cap, '-'); /* "x86-64-v3" */
    return bo_arena_printf(arena, "BAKEOFF_ISA=%s build/bakeoff", level ? level + 1 : cap);
}

/* The command that measures the document as in its run, without --json. */
static char *bench_text(const struct bo_run_document *document, struct bo_arena *arena)
{
    return bo_arena_printf(arena, "%s bench --format %s --corpus %s%s",
                           bo_caption_program(document->environment, arena), document->format,
                           bo_shell_quoted(arena, bo_document_argument(document)),
                           bo_caption_options(document->environment, arena));
}

/*
 * The command that checks out the commit, fetches missing data, measures the document and prints
 * the table.
 */
static char *command_text(const struct bo_run_document *document, const char *table_options,
                          struct bo_arena *arena)
{
    const char *commit = bo_environment_fact(document->environment, "commit");
    char *checkout =
        strcmp(commit, "unknown") == 0
            ? bo_arena_printf(arena, "%s", "")
            : bo_arena_printf(arena, "git checkout %.*s && ", (int)strcspn(commit, "+"), commit);
    return bo_arena_printf(
        arena, "%smake && %s%s --json again.json && build/bakeoff table %s --results again.json %s",
        checkout, document->embedded || document->file ? "" : "make corpora && ",
        bench_text(document, arena), document->format, table_options);
}

static char *corpus_text(const struct bo_run_document *document, struct bo_arena *arena)
{
    char *text = bo_arena_printf(arena, "%s (%s), XXH3-64 %s", document->name,
                                 document->provenance ? document->provenance : "unknown",
                                 document->xxh3 ? document->xxh3 : "unknown");
    return bo_arena_printf(arena, "%s%s%s", text, document->sizes.units.n ? ", " : "",
                           bo_counts_text(&document->sizes.units, arena));
}

/*
 * "; code paths: shape-code x86-64-v3, others portable", of the document's codecs; "" where the run
 * did not record them.
 */
static char *paths_text(const struct bo_run_document *document, struct bo_arena *arena)
{
    const struct bo_pairs *paths = &document->environment->paths;
    const size_t n = strlen(document->format);
    const char *text = "";
    for (unsigned i = 0; i < paths->n; i++)
        if (strncmp(paths->items[i].name, document->format, n) == 0 &&
            paths->items[i].name[n] == '/' && bo_run_codec(document, paths->items[i].name + n + 1))
            text = bo_arena_printf(arena, "%s%s %s, ", text, paths->items[i].name + n + 1,
                                   paths->items[i].text);
    return paths->n ? bo_arena_printf(arena, "; code paths: %s%s portable", text,
                                      *text ? "others" : "all")
                    : bo_arena_printf(arena, "%s", "");
}

struct bo_caption bo_caption_make(const struct bo_run_document *document, const char *table_options,
                                  struct bo_arena *arena)
{
    const struct bo_format *format = bo_find_format(document->format);
    const struct bo_environment *environment = document->environment;
    const char *part = bo_shard_text(environment, arena), *partial = environment->partial;
    struct bo_caption caption = {
        .corpus = corpus_text(document, arena),
        .machine =
            bo_arena_printf(arena, "%s; %s; %s %s%s", bo_caption_processor(environment, arena),
                            bo_environment_fact(environment, "kernel"),
                            bo_environment_fact(environment, "compiler"),
                            bo_environment_fact(environment, "flags"), paths_text(document, arena)),
        .sample = bo_arena_printf(arena, "CPU time, %s; all answers checked before timing",
                                  bo_caption_sample(document, arena)),
        .run = bo_arena_printf(
            arena, "%s, commit %s%s%s%s%s", bo_environment_fact(environment, "date"),
            bo_environment_fact(environment, "commit"), part ? ", " : "", part ? part : "",
            partial ? ", partial run: " : "", partial ? partial : ""),
        .file = document->file,
        .command = command_text(document, table_options, arena),
    };
    caption.what = bo_arena_printf(arena, "%s%s%s; ratio: bytes over those of %s", document->format,
                                   format ? ": " : "", format ? format->summary : "",
                                   bo_named_with_role(arena, document->baseline));
    return caption;
}

void bo_caption_print(const struct bo_caption *caption, unsigned width, struct bo_arena *arena,
                      FILE *out)
{
    const char *const lines[][2] = {{"Format:", caption->what},
                                    {"Corpus:", caption->corpus},
                                    {"Machine:", caption->machine},
                                    {"Sample:", caption->sample},
                                    {"Run:", caption->run}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        bo_print_wrapped(out, bo_arena_printf(arena, "%-8s %s", lines[i][0], lines[i][1]), width,
                         "         ");
    if (caption->file)
        bo_print_wrapped(
            out,
            bo_arena_printf(arena, "To repeat it with %s in the current folder:", caption->file),
            width, "");
    else
        fputs("To repeat it:\n", out);
    bo_print_command(out, caption->command, width, "  ");
}
