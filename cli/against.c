/* Measures two builds in turns. */
#include "cli/against.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure/interrupt.h"
#include "bench/runs/interleave.h"
#include "bench/runs/results.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "harness/plugin.h"

enum { MAX_WORDS = 48 };

/* "run.against.json" for "run.json"; malloced. */
static char *against_path(const char *json_path)
{
    const size_t n = strlen(json_path);
    const bool is_json = n > 5 && strcmp(json_path + n - 5, ".json") == 0;
    char *path;
    if (asprintf(&path, "%.*s.against.json", (int)(is_json ? n - 5 : n), json_path) < 0)
        abort();
    return path;
}

/* The command of this program, with its plugins. */
static bool own_command(char self[PATH_MAX], const char *words[MAX_WORDS])
{
    unsigned n = 0;
    if (!realpath("/proc/self/exe", self))
        return !bo_usage_error("bench", "cannot determine the path of this program");
    words[n++] = self;
    for (unsigned i = 0; bo_loaded_plugin(i); i++) {
        words[n++] = "--plugin";
        words[n++] = bo_loaded_plugin(i);
    }
    words[n] = NULL;
    return true;
}

static void name_options(const struct bo_against *against, const char *words[MAX_WORDS])
{
    /*
     * An option --kind leaves out the field's programs, which are the same for both builds. So
     * --kind * is given by default.
     */
    const char *const options[][2] = {{"--codec", against->codec},
                                      {"--kind", against->kind ? against->kind : "*"},
                                      {"--workload", against->workload}};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i][1])
            continue;
        words[n++] = options[i][0];
        words[n++] = options[i][1];
    }
    if (against->depth)
        words[n++] = against->depth;
    words[n] = NULL;
}

static bool save_run(const char *path, const struct bo_run *run)
{
    struct bo_results *results = bo_results_of(run->json);
    const bool ok = bo_results_save(path, results);
    bo_results_free(results);
    return ok;
}

static bool save(const struct bo_against *against, const struct bo_run runs[BO_N_BUILDS])
{
    char *other = against->json_path ? against_path(against->json_path) : NULL;
    const bool ok = !other || (save_run(other, &runs[BO_BEFORE]) &&
                               save_run(against->json_path, &runs[BO_AFTER]));
    if (ok && other)
        fprintf(stderr, "bakeoff: wrote %s and %s\n", against->json_path, other);
    free(other);
    return ok;
}

int bo_bench_against(const struct bo_against *against, const struct bo_documents *documents)
{
    char self[PATH_MAX], build[PATH_MAX];
    const char *own[MAX_WORDS], *options[MAX_WORDS], *other[] = {build, NULL};
    json_t *results[BO_N_BUILDS] = {NULL};
    struct bo_run runs[BO_N_BUILDS] = {{.json = NULL}};
    if (!realpath(against->build, build) || access(build, X_OK) != 0) {
        fprintf(stderr, "bakeoff: %s: no such program\n", against->build);
        return BO_EXIT_USAGE;
    }
    name_options(against, options);
    const struct bo_interleaving interleaving = {
        .programs = {[BO_BEFORE] = other, [BO_AFTER] = own},
        .options = options,
        .compress = against->compress,
        .rounds = against->rounds,
        .order_seed = against->order_seed,
    };
    bo_interrupt_watch();
    bool ok = own_command(self, own) && bo_interleave(&interleaving, documents, results);
    for (unsigned b = 0; b < BO_N_BUILDS && ok; b++)
        ok = bo_run_take(results[b], b == BO_BEFORE ? against->build : self, &runs[b]);
    ok = ok && save(against, runs);
    const int code = ok ? bo_compare_results("bench", &runs[BO_BEFORE], &runs[BO_AFTER],
                                             against->threshold, BO_COMPARE_TEXT, false)
                        : BO_EXIT_USAGE;
    for (unsigned b = 0; b < BO_N_BUILDS; b++)
        bo_run_free(&runs[b]);
    return bo_interrupted() ? BO_EXIT_INTERRUPTED : code;
}
