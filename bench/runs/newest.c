/* Which result files represent each format. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/machine.h"
#include "bench/runs/run.h"
#include "harness/core/print.h"
#include "harness/core/suggest.h"
#include "harness/registry.h"

/*
 * "20250301T123456Z.json": the name that `bench` gives to a run in a folder; with or without
 * compression by xz, which runs in git have.
 */
static int is_run(const struct dirent *entry)
{
    const char *name = entry->d_name;
    int n = 0;
    sscanf(name, "%*8[0-9]T%*6[0-9]Z.json%n", &n);
    return (size_t)n == strlen("20250301T123456Z.json") &&
           (!name[n] || strcmp(name + n, ".xz") == 0);
}

static int is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Every run below the folder, of one machine or (NULL) of all, as paths, ordered by machine. */
static size_t list_runs(const char *folder, const char *machine_name, struct bo_arena *arena,
                        const char ***paths_ret)
{
    struct dirent **machines, **runs;
    size_t n = 0, cap = 0;
    const char **paths = NULL;
    const int n_machines = scandir(folder, &machines, is_folder, alphasort);
    for (int m = 0; m < n_machines; m++) {
        const bool is_wanted = !machine_name || strcmp(machines[m]->d_name, machine_name) == 0;
        const char *machine = bo_arena_printf(arena, "%s/%s", folder, machines[m]->d_name);
        const int n_runs = is_wanted ? scandir(machine, &runs, is_run, alphasort) : -1;
        for (int r = 0; r < n_runs; r++) {
            bo_abort_unless(bo_grow(arena, &paths, n, 1, &cap));
            paths[n++] = bo_arena_printf(arena, "%s/%s", machine, runs[r]->d_name);
            free(runs[r]);
        }
        if (n_runs >= 0)
            free(runs);
        free(machines[m]);
    }
    if (n_machines >= 0)
        free(machines);
    *paths_ret = paths;
    return n;
}

static int newer_first(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    const int order = strcmp(strrchr(*y, '/'), strrchr(*x, '/'));
    return order ? order : strcmp(*x, *y);
}

/* Prints what is missing in `folder`, and the machines that it has runs of. */
static void say_missing(const char *folder, const char *machine, struct bo_arena *arena)
{
    struct bo_suggestion near = bo_suggest(machine);
    const char **paths, *all = "";
    const size_t n = list_runs(folder, NULL, arena, &paths);
    size_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = paths[i] + strlen(folder) + 1;
        const size_t nbytes = strcspn(name, "/");
        if (i && nbytes == before && memcmp(name, paths[i - 1] + strlen(folder) + 1, nbytes) == 0)
            continue;
        before = nbytes;
        name = bo_arena_printf(arena, "%.*s", (int)nbytes, name);
        bo_suggest_offer(&near, name);
        all = bo_arena_printf(arena, "%s%s %s", all, *all ? "," : "", name);
    }
    fprintf(stderr, "bakeoff: %s: no results of the machine '%s'%s; there are:%s\n", folder,
            machine, bo_suggestion_text(&near), *all ? all : " none");
}

/* Runs below the folder, newest first; 0 after a message. */
static size_t list_newest(const char *folder, const char *machine, struct bo_arena *arena,
                          const char ***paths_ret)
{
    const size_t n = list_runs(folder, machine, arena, paths_ret);
    if (!n && machine)
        say_missing(folder, machine, arena);
    else if (n)
        qsort(*paths_ret, n, sizeof **paths_ret, newer_first);
    else
        fprintf(stderr, "bakeoff: %s: no results in this folder; `make bench` creates them\n",
                folder);
    return n;
}

/* An interrupted run, or one of several shards. */
static bool lacks_documents(const struct bo_run *run)
{
    return run->environment.partial || bo_pair_number(&run->environment.shard, "of") > 1;
}

bool bo_run_load_newest(const char *folder, const char *machine, const char *format,
                        struct bo_run *run_ret)
{
    struct bo_arena arena;
    const char **paths;
    bool ok = true, is_complete = false;
    *run_ret = (struct bo_run){.json = NULL};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const size_t n = list_newest(folder, machine, &arena, &paths);
    for (size_t i = 0; i < n && ok && !is_complete; i++) {
        struct bo_run run;
        ok = bo_run_load_with(bo_arena_printf(&arena, "\"%s\"", format), paths[i], &run);
        const bool has_format = ok && bo_run_measured(&run, format, false);
        is_complete = has_format && !lacks_documents(&run);
        if (is_complete || (has_format && !run_ret->json)) {
            bo_run_free(run_ret);
            *run_ret = run;
        } else {
            bo_run_free(&run);
        }
    }
    if (n && ok && !run_ret->json)
        fprintf(stderr, "bakeoff: %s: no results of %s in this folder; `make bench` creates them\n",
                folder, format);
    bo_arena_free(&arena);
    return ok && run_ret->json;
}

bool bo_run_load_newest_partial(const char *folder, struct bo_run *run_ret)
{
    struct bo_arena arena;
    const char **paths;
    char machine[BO_MAX_SLUG];
    bool ok = true, found = false;
    *run_ret = (struct bo_run){.json = NULL};
    bo_this_machine_slug(machine);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const char *here = bo_arena_printf(&arena, "/%s/", machine);
    const size_t n = list_newest(folder, NULL, &arena, &paths);
    for (size_t i = 0; i < n && ok && !found; i++) {
        if (!strstr(paths[i], here))
            continue;
        bo_run_free(run_ret);
        ok = bo_run_load(paths[i], run_ret);
        /* merged shards cannot be resumed */
        found = ok && run_ret->environment.partial && !run_ret->n_parts;
    }
    if (n && ok && !found)
        fprintf(stderr, "bakeoff: %s: no partial results of this machine\n", folder);
    bo_arena_free(&arena);
    return found;
}

static bool same_machine(const struct bo_run *a, const struct bo_run *b)
{
    return strcmp(bo_environment_fact(&a->environment, "machine"),
                  bo_environment_fact(&b->environment, "machine")) == 0;
}

/* True when runs[n] measured something that no earlier run of the same machine measured. */
static bool adds_something(const struct bo_run *runs, size_t n)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (unsigned scale = 0; scale < 2; scale++) {
            bool is_new = bo_run_measured(&runs[n], (*f)->name, scale);
            for (size_t i = 0; i < n && is_new; i++)
                is_new = !same_machine(&runs[i], &runs[n]) ||
                         !bo_run_measured(&runs[i], (*f)->name, scale);
            if (is_new)
                return true;
        }
    return false;
}

/* Runs of published depth first, those without some of their documents last. */
static unsigned rank_of(const struct bo_run *run)
{
    static const char *const depths[] = {"full", "default", "quick"};
    unsigned rank = 0;
    while (rank < 3 && strcmp(bo_run_depth(run), depths[rank]) != 0)
        rank++;
    return lacks_documents(run) ? 4 : rank;
}

static size_t count_documents(const struct bo_run *run, const char *format, bool scale)
{
    size_t n = 0;
    for (size_t d = 0; d < run->n_documents; d++)
        n += run->documents[d].scale == scale && !run->documents[d].held_out &&
             strcmp(run->documents[d].format, format) == 0;
    return n;
}

/* True when `newer` selected fewer documents of a format than `older`, of its depth, measured. */
static bool is_part_of(const struct bo_run *newer, const struct bo_run *older)
{
    bool is_part = false;
    if (!bo_run_selects_documents(newer) || !same_machine(newer, older) ||
        rank_of(newer) != rank_of(older))
        return false;
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (unsigned scale = 0; scale < 2; scale++) {
            const size_t n = count_documents(newer, (*f)->name, scale);
            is_part = is_part || (n && n < count_documents(older, (*f)->name, scale));
        }
    return is_part;
}

/* Runs in order of preference. */
struct chosen {
    struct bo_run *runs;
    size_t n, n_fixed; /* the first n_fixed ones keep their places */
};

static void remove_run(struct chosen *chosen, size_t i)
{
    bo_run_free(&chosen->runs[i]);
    chosen->n--;
    memmove(&chosen->runs[i], &chosen->runs[i + 1], (chosen->n - i) * sizeof *chosen->runs);
}

/* Moves run i behind run `to`, which comes later. */
static void move_behind(struct chosen *chosen, size_t i, size_t to)
{
    const struct bo_run run = chosen->runs[i];
    memmove(&chosen->runs[i], &chosen->runs[i + 1], (to - i) * sizeof run);
    chosen->runs[to] = run;
}

/*
 * Inserts a run, which is older than the ones before, after those of its rank, but before those
 * that selected a part of its documents. Removes runs that then add nothing.
 */
static void insert_run(struct chosen *chosen, struct bo_run run)
{
    size_t at = chosen->n;
    while (at > chosen->n_fixed && rank_of(&chosen->runs[at - 1]) > rank_of(&run))
        at--;
    memmove(&chosen->runs[at + 1], &chosen->runs[at], (chosen->n - at) * sizeof run);
    chosen->runs[at] = run;
    chosen->n++;
    for (size_t i = chosen->n_fixed; i < at;) {
        if (is_part_of(&chosen->runs[i], &chosen->runs[at]))
            move_behind(chosen, i, at--);
        else
            i++;
    }
    for (size_t i = at; i < chosen->n;) {
        if (adds_something(chosen->runs, i))
            i++;
        else
            remove_run(chosen, i);
    }
}

size_t bo_runs_newest(const char *folder, const char *machine, const char *first,
                      struct bo_arena *arena, struct bo_run **runs_ret)
{
    const char **paths;
    const size_t n_paths = list_newest(folder, machine, arena, &paths);
    struct chosen chosen = {.runs = bo_array_or_abort(arena, n_paths + 2, sizeof *chosen.runs)};
    bool ok = n_paths > 0;
    for (size_t i = first ? 0 : 1; i <= n_paths && ok; i++) {
        struct bo_run run;
        ok = bo_run_load(i ? paths[i - 1] : first, &run);
        if (ok)
            insert_run(&chosen, run);
        else
            bo_run_free(&run);
        if (i == 0)
            chosen.n_fixed = chosen.n;
    }
    while (!ok && chosen.n)
        remove_run(&chosen, chosen.n - 1);
    *runs_ret = chosen.runs;
    return chosen.n;
}
