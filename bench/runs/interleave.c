/* Measures two builds in turns. */
#include "bench/runs/interleave.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/cell.h"
#include "bench/measure/interrupt.h"
#include "bench/runs/results.h"
#include "bench/runs/run.h"
#include "harness/core/files.h"
#include "harness/core/progress.h"
#include "harness/core/workers.h"

enum { MAX_ARGUMENTS = 64 };

/* A run over all turns. */
struct turns {
    const struct bo_interleaving *settings;
    unsigned n_pairs; /* a document, measured by both builds */
    char folder[PATH_MAX - 16], json[PATH_MAX], errors[PATH_MAX]; /* output of a turn */
    struct gathered {
        json_t *context, *documents;
        json_t *rows; /* names to arrays of entries, in the order of their arrival */
    } of[BO_N_BUILDS];
};

/* ---- a turn ---------------------------------------------------------------------------------- */

struct arguments {
    const char *words[MAX_ARGUMENTS + 1];
    unsigned n;
};

static void add_word(struct arguments *arguments, const char *word)
{
    bo_abort_unless(arguments->n < MAX_ARGUMENTS);
    arguments->words[arguments->n++] = word;
}

/* A user's file is identified by its path, a document of the corpora by its name. */
static struct arguments command_of(const struct turns *turns, unsigned build,
                                   const struct bo_document *document, bool first)
{
    const bool is_users = strcmp(document->provenance, document->path) == 0;
    const char *const fixed[] = {"--format",      document->format->name,
                                 "--corpus",      is_users ? document->path : document->name,
                                 "--repetitions", "1",
                                 "--json",        turns->json};
    struct arguments arguments = {.n = 0};
    for (const char *const *word = turns->settings->programs[build]; *word; word++)
        add_word(&arguments, *word);
    add_word(&arguments, "bench");
    for (const char *const *word = turns->settings->options; *word; word++)
        add_word(&arguments, *word);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_word(&arguments, fixed[i]);
    if (!first || !turns->settings->compress)
        add_word(&arguments, "--no-compress");
    return arguments;
}

__attribute__((noreturn)) static void become(const struct turns *turns,
                                             const struct arguments *arguments)
{
    const int null = open("/dev/null", O_RDWR);
    const int errors = open(turns->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (errors < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    execv(arguments->words[0], (char **)(uintptr_t)arguments->words);
    fprintf(stderr, "%s\n", strerror(errno));
    fflush(stderr);
    _exit(127);
}

/* The last line that a turn wrote to its standard error; "" if it wrote nothing. */
static void last_words(const char *path, char *line_ret, size_t nbytes)
{
    char line[512];
    FILE *in = fopen(path, "r");
    *line_ret = 0;
    while (in && fgets(line, sizeof line, in))
        snprintf(line_ret, nbytes, "%.*s", (int)strcspn(line, "\n"), line);
    if (in)
        fclose(in);
}

static bool complain(const struct turns *turns, const char *program, int status)
{
    char words[512];
    last_words(turns->errors, words, sizeof words);
    const char *said = *words ? ": " : "";
    if (WIFSIGNALED(status))
        fprintf(stderr, "bakeoff: %s: ended by a signal: %s%s%s\n", program,
                strsignal(WTERMSIG(status)), said, words);
    else
        fprintf(stderr, "bakeoff: %s: bench exited with code %d%s%s\n", program,
                WEXITSTATUS(status), said, words);
    return false;
}

/* Exit code 1 means that a codec failed, which the results contain. */
static bool run_turn(const struct turns *turns, const struct arguments *arguments)
{
    int status = 0;
    unlink(turns->json);
    fflush(NULL);
    const pid_t pid = bo_fork();
    if (pid == 0)
        become(turns, arguments);
    bo_interrupt_kills(pid);
    if (pid > 0)
        waitpid(pid, &status, 0);
    bo_interrupt_kills(0);
    if (pid < 0) {
        fprintf(stderr, "bakeoff: bench: cannot start a process: %s\n", strerror(errno));
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1 && access(turns->json, R_OK) == 0)
        return true;
    return !bo_interrupted() && complain(turns, arguments->words[0], status);
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* Takes the environment from the first turn, and the documents from the first round. */
static void gather_context(struct gathered *gathered, const struct bo_run *run, bool first)
{
    const json_t *context = json_object_get(run->json, "context");
    size_t i;
    json_t *document;
    if (!gathered->context)
        gathered->context = json_deep_copy(context);
    json_array_foreach(json_object_get(json_object_get(context, "bakeoff"), "documents"), i,
                       document) if (first) json_array_append(gathered->documents, document);
}

static bool is_failure(const json_t *entry)
{
    return json_is_true(json_object_get(entry, "error_occurred"));
}

/*
 * Adds a repetition of a row. A row that has failed gets no further entries, so a failure is
 * reported once.
 */
static void gather_row(struct gathered *gathered, json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "run_name"));
    json_t *entries = json_object_get(gathered->rows, name);
    if (!entries)
        json_object_set_new(gathered->rows, name, entries = json_array());
    const size_t n = json_array_size(entries);
    if (n && is_failure(json_array_get(entries, n - 1)))
        return;
    json_object_set_new(entry, "repetition_index", json_integer((json_int_t)n));
    json_array_append(entries, entry);
}

/* Older builds also write aggregates over their repetitions. */
static void gather(struct gathered *gathered, const struct bo_run *run, bool first)
{
    size_t i;
    json_t *entry;
    gather_context(gathered, run, first);
    json_array_foreach(json_object_get(run->json, "benchmarks"), i, entry)
    {
        const char *type = json_string_value(json_object_get(entry, "run_type"));
        if (strcmp(type, "iteration") == 0)
            gather_row(gathered, entry);
    }
}

/* Measures a document with both builds. The results of an interrupted pair are discarded. */
static bool take_pair(struct turns *turns, const struct bo_document *document, unsigned order,
                      bool first)
{
    struct bo_run runs[BO_N_BUILDS] = {{.json = NULL}};
    bool ok = true;
    for (unsigned i = 0; i < BO_N_BUILDS && ok; i++) {
        const unsigned build = (i + order) % BO_N_BUILDS;
        const struct arguments arguments = command_of(turns, build, document, first);
        ok = run_turn(turns, &arguments) && bo_run_load(turns->json, &runs[build]);
    }
    for (unsigned build = 0; build < BO_N_BUILDS; build++) {
        if (ok)
            gather(&turns->of[build], &runs[build], first);
        bo_run_free(&runs[build]);
    }
    turns->n_pairs += ok;
    return ok;
}

/* ---- results --------------------------------------------------------------------------------- */

static json_t *finish(const struct turns *turns, unsigned build,
                      const struct bo_documents *documents)
{
    const char *id = strrchr(turns->folder, '/') + 1;
    const json_int_t rounds = (json_int_t)(turns->n_pairs / documents->n);
    const struct gathered *gathered = &turns->of[build], *other = &turns->of[1 - build];
    json_t *ours = json_object_get(gathered->context, "bakeoff"), *entries = json_array();
    const json_t *theirs = json_object_get(other->context, "bakeoff");
    json_object_set_new(ours, "rounds", json_integer(rounds ? rounds : 1));
    json_object_set(ours, "documents", gathered->documents);
    json_object_set_new(
        ours, "interleaved",
        json_pack("{s:s, s:O?}", "id", id, "with", json_object_get(theirs, "commit")));
    const char *name;
    json_t *row, *entry;
    size_t i;
    json_object_foreach(gathered->rows, name, row)
    {
        json_array_foreach(row, i, entry)
        {
            json_object_set_new(entry, "repetitions",
                                json_integer((json_int_t)json_array_size(row)));
            json_array_append(entries, entry);
        }
    }
    bo_results_mark(gathered->context, documents);
    return json_pack("{s:O, s:o}", "context", gathered->context, "benchmarks", entries);
}

/* On a terminal one line is redrawn; elsewhere, one line for each document and each round. */
static void report(const struct turns *turns, const struct bo_progress *progress,
                   const struct bo_document *document, unsigned n)
{
    char left[32];
    const unsigned n_rounds = turns->settings->rounds, round = (turns->n_pairs - 1) / n;
    bo_progress_left(progress, left);
    if (progress->shown || (round && turns->n_pairs % n))
        return;
    fprintf(stderr, "bakeoff: round %u of %u: ", round + 1, n_rounds);
    if (round)
        fprintf(stderr, "%u documents", n);
    else
        fprintf(stderr, "%u of %u: %s/%s", turns->n_pairs, n, document->format->name,
                document->name);
    fprintf(stderr, ", both builds; about %s left\n", left);
}

static bool take_all_turns(struct turns *turns, const struct bo_documents *documents)
{
    const unsigned rounds = turns->settings->rounds, n = (unsigned)documents->n;
    unsigned *order = bo_or_abort(malloc((n + 1) * sizeof *order));
    struct bo_random random = bo_random_seeded(turns->settings->order_seed);
    struct bo_progress progress = bo_progress_start("measuring two builds", (uint64_t)rounds * n);
    bool ok = true;
    for (unsigned round = 0; round < rounds && ok; round++) {
        bo_shuffle(order, n, &random);
        for (unsigned i = 0; i < n && ok; i++) {
            const struct bo_document *document = &documents->items[order[i]];
            ok = take_pair(turns, document, round, round == 0);
            bo_progress_step(&progress, 1, document->name);
            if (ok)
                report(turns, &progress, document, n);
        }
    }
    bo_progress_end(&progress);
    free(order);
    if (!ok && bo_interrupted())
        fprintf(stderr,
                "bakeoff: bench: interrupted after %u of %u times that both builds measure a "
                "document\n",
                turns->n_pairs, rounds * n);
    return ok || (bo_interrupted() && turns->n_pairs > 0);
}

static void remove_files(const struct turns *turns)
{
    unlink(turns->json);
    unlink(turns->errors);
    rmdir(turns->folder);
}

bool bo_interleave(const struct bo_interleaving *interleaving, const struct bo_documents *documents,
                   json_t *results_ret[BO_N_BUILDS])
{
    struct turns turns = {.settings = interleaving};
    if (!bo_temporary_folder(turns.folder, sizeof turns.folder)) {
        fprintf(stderr, "bakeoff: bench: cannot create a temporary folder: %s\n", strerror(errno));
        return false;
    }
    snprintf(turns.json, sizeof turns.json, "%s/turn.json", turns.folder);
    snprintf(turns.errors, sizeof turns.errors, "%s/errors", turns.folder);
    for (unsigned b = 0; b < BO_N_BUILDS; b++) {
        turns.of[b].documents = json_array();
        turns.of[b].rows = json_object();
    }
    const bool ok = take_all_turns(&turns, documents);
    remove_files(&turns);
    for (unsigned b = 0; b < BO_N_BUILDS && ok; b++)
        results_ret[b] = finish(&turns, b, documents);
    for (unsigned b = 0; b < BO_N_BUILDS; b++) {
        json_decref(turns.of[b].context);
        json_decref(turns.of[b].documents);
        json_decref(turns.of[b].rows);
    }
    return ok;
}
