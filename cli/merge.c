/*
 * bakeoff merge: merges several text forms into one by adding their numbers, or results of shards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/runs/results.h"
#include "bench/runs/run.h"
#include "bench/runs/shards.h"
#include "cli/options.h"
#include "cli/transcode.h"

int bo_cmd_merge(int argc, char **argv);

/* Prints a name to stderr with unprintable bytes escaped. */
static void print_name(struct bo_span name)
{
    for (size_t i = 0; i < name.n; i++)
        fprintf(stderr, name.p[i] >= ' ' && name.p[i] < 127 ? "%c" : "\\x%02x", name.p[i]);
}

/* Reports the first file that contradicts those before it, and where. */
static int report_contradiction(const struct bo_format *format, const void *const *models,
                                char *const *paths, size_t n, const struct bo_error *error,
                                struct bo_span where)
{
    enum bo_status status = BO_OK;
    size_t last = 0;
    for (size_t i = 1; i < n && status != BO_CORRUPT; i++) {
        struct bo_arena arena;
        struct bo_merge_report report;
        void *merged;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        last = i;
        status = format->merge(models, i + 1, &arena, &merged, &report, NULL);
        bo_arena_free(&arena);
    }
    fprintf(stderr, "bakeoff: %s: %s: ", paths[last], error->what);
    print_name(where);
    fprintf(stderr, " (%s)\n", bo_status_name(error->status));
    return BO_EXIT_USAGE;
}

static int merge(const struct bo_format *format, const void *const *models, char *const *paths,
                 size_t n, const char *out)
{
    struct bo_arena arena;
    struct bo_merge_report report = {0};
    struct bo_error error = {0};
    void *merged = NULL;
    int code;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = format->merge(models, n, &arena, &merged, &report, &error);
    if (status == BO_CORRUPT)
        code = report_contradiction(format, models, paths, n, &error, report.where);
    else if (status)
        code = bo_file_error("merge", &error);
    else
        code = bo_write_text(format, merged, out);
    if (code == BO_EXIT_OK && report.n_saturated)
        fprintf(stderr, "bakeoff: merge: %llu sums were limited to the largest number\n",
                (unsigned long long)report.n_saturated);
    bo_arena_free(&arena);
    return code;
}

/* ---- results --------------------------------------------------------------------------------- */

static int merge_results(char *const *paths, size_t n, bool partial, const char *out)
{
    struct bo_run *runs = calloc(n, sizeof *runs);
    const json_t **jsons = calloc(n, sizeof *jsons);
    char why[BO_MAX_SHARD_ERROR] = "";
    bool ok = runs && jsons;
    for (size_t i = 0; i < n && ok; i++) {
        ok = bo_run_load(paths[i], &runs[i]);
        if (!ok && i == 0 && !runs[i].json && access(paths[i], R_OK) == 0)
            fprintf(stderr, "bakeoff: %s: neither a format nor results of `bench --json`\n",
                    paths[i]);
        jsons[i] = runs[i].json;
    }
    if (ok) {
        json_t *merged = bo_shards_merge(jsons, (const char *const *)paths, n, partial, why);
        if (!merged)
            fprintf(stderr, "bakeoff: %s\n", why);
        struct bo_results *results = merged ? bo_results_of(merged) : NULL;
        ok = results && bo_results_save(out, results);
        bo_results_free(results);
        json_decref(merged);
    }
    for (size_t i = 0; i < n && runs; i++)
        bo_run_free(&runs[i]);
    free(jsons);
    free(runs);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

/* "run.json", "run.json.xz" and other file names; a format name selects its newest results. */
static bool names_results(const char *word)
{
    const size_t n = strlen(word);
    return !bo_find_format(word) && ((n > 5 && strcmp(word + n - 5, ".json") == 0) ||
                                     strchr(word, '/') || access(word, F_OK) == 0);
}

/* ---- the command ----------------------------------------------------------------------------- */

int bo_cmd_merge(int argc, char **argv)
{
    const char *out = NULL;
    bool partial = false;
    const struct bo_option options[] = {
        {"--output", 'o', "FILE", "write here instead of to standard output", &out, NULL},
        {"--partial", 0, NULL, "of results: shards may be missing", NULL, &partial},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "merge", "FORMAT F.txt F.txt... [-o OUT.txt] | A.json B.json... [--partial] [-o OUT.json]",
        "Adds up text forms as the field's tools merge profiles. Sums that do not fit stop at the\n"
        "largest number; their count is printed on standard error. Texts that contradict each\n"
        "other are bad input.\n"
        "Or merges the results of `bench --shard K/N --json`: all N shards, of one commit,\n"
        "build, set of options and list of documents. Each document's times stay those of its\n"
        "shard's machine and run.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n < 1 || (n < 2 && !names_results(argv[1])))
        return bo_usage_error("merge", "expects a format and files, or results");
    if (names_results(argv[1]))
        return merge_results(argv + 1, (size_t)n, partial, out);
    if (partial)
        return bo_usage_error("merge", "--partial is only for results of `bench --shard`");
    const struct bo_format *format = bo_need_format("merge", argv[1]);
    if (!format)
        return BO_EXIT_USAGE;
    if (!format->merge)
        return bo_usage_error("merge", "documents of %s cannot be merged", format->name);
    const size_t n_files = (size_t)n - 1;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void **models = bo_alloc_array(&arena, n_files, sizeof *models);
    int code = models ? BO_EXIT_OK : bo_usage_error("merge", "out of memory");
    for (size_t i = 0; i < n_files && code == BO_EXIT_OK; i++) {
        void *model = NULL;
        code = bo_read_text(format, argv[2 + i], &arena, &model);
        if (code == BO_EXIT_OK)
            models[i] = model;
    }
    if (code == BO_EXIT_OK)
        code = merge(format, models, argv + 2, n_files, out);
    bo_arena_free(&arena);
    return code;
}
