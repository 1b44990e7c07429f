/* Checks a run that is to be published. */
#include "bench/runs/contribution.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* The interval between the lowest and the highest of 5 contains the median with 93.75%. */
enum { MIN_REPETITIONS = 6 };

struct checking {
    const struct bo_run *run;
    const char *path;
    FILE *out;
    unsigned n;
};

static void complain(struct checking *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void complain(struct checking *c, const char *format, ...)
{
    va_list arguments;
    fprintf(c->out, "%s: ", c->path);
    va_start(arguments, format);
    vfprintf(c->out, format, arguments);
    va_end(arguments);
    fputc('\n', c->out);
    c->n++;
}

static void check_commit(struct checking *c)
{
    const char *commit = bo_environment_fact(&c->run->environment, "commit");
    if (strlen(commit) != 40 || strspn(commit, "0123456789abcdef") != 40)
        complain(c, "commit is %s: the program must be built from a commit without changes",
                 commit);
}

static void check_plugins(struct checking *c)
{
    const char *plugins = bo_pair_text(&c->run->environment.facts, "plugins");
    if (plugins)
        complain(c, "plugins were loaded, which the commit does not hold: %s", plugins);
}

static void check_depth(struct checking *c)
{
    const char *depth = bo_run_depth(c->run);
    const struct bo_environment *e = &c->run->environment;
    const double n_layouts = bo_pair_number(&e->layouts, "n");
    if (e->partial)
        complain(c, "partial results: %s%s", e->partial,
                 c->run->n_parts ? "; shards are missing" : "; `--resume` measures the rest");
    if (bo_pair_number(&e->shard, "of") > 1)
        complain(c, "the run is shard %.0f of %.0f; `merge` joins them",
                 bo_pair_number(&e->shard, "shard"), bo_pair_number(&e->shard, "of"));
    if (strcmp(depth, "full") != 0 && strcmp(depth, "default") != 0)
        complain(c, "depth is %s: a run of all codecs without --quick is needed", depth);
    if (bo_environment_number(e, "rounds") < MIN_REPETITIONS)
        complain(c, "repetitions are %.0f: a 95%% interval needs at least %d",
                 bo_environment_number(e, "rounds"), MIN_REPETITIONS);
    if (strcmp(depth, "full") == 0 && !(n_layouts >= 5))
        complain(c, "layouts are %.0f: a full run has at least 5",
                 isnan(n_layouts) ? 0 : n_layouts);
    if (e->interleaved.n)
        complain(c, "the run is one of two builds measured in turns");
    if (bo_pair_text(&e->processor, "isa_cap"))
        complain(c, "code paths were capped at %s by BAKEOFF_ISA",
                 bo_pair_text(&e->processor, "isa_cap"));
}

/* results/MACHINE/DATE.json */
static void check_folder(struct checking *c)
{
    const char *machine = bo_environment_fact(&c->run->environment, "machine");
    const char *slash = strrchr(c->path, '/'), *start = slash;
    while (start && start > c->path && start[-1] != '/')
        start--;
    const size_t n = slash ? (size_t)(slash - start) : 0;
    if (c->run->environment.processor.n == 0)
        complain(c, "the processor's family and instruction set are not recorded");
    if (n != strlen(machine) || strncmp(start, machine, n) != 0)
        complain(c, "folder is %.*s, the machine is %s", slash ? (int)n : 1, slash ? start : ".",
                 machine);
}

static void check_embedded(struct checking *c, const struct bo_run_document *document,
                           const struct bo_documents *documents)
{
    char hash[17];
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_document *d = &documents->items[i];
        if (strcmp(d->name, document->name) != 0 || strcmp(d->format->name, document->format) != 0)
            continue;
        snprintf(hash, sizeof hash, "%016" PRIx64, d->hash);
        if (!document->xxh3 || strcmp(hash, document->xxh3) != 0)
            complain(c, "document %s/%s has the hash %s, that in the repository %s",
                     document->format, document->name, document->xxh3 ? document->xxh3 : "none",
                     hash);
        return;
    }
    complain(c, "document %s/%s is not in the repository", document->format, document->name);
}

static void check_rows(struct checking *c, const struct bo_run_document *document,
                       const struct bo_run_codec *codec)
{
    struct bo_arena arena;
    const struct bo_run_row *row;
    unsigned at = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    while (!bo_run_refusal(codec) && (row = bo_run_next_row(document, codec, &at)))
        if (row->failure)
            complain(c, "%s/%s failed on %s, %s: %s", row->format, bo_run_row_codec(row, &arena),
                     row->document, row->label, row->failure);
    bo_arena_free(&arena);
}

/* True when the run used fetched documents of the format, which replace samples of them. */
static bool has_fetched(const struct bo_run *run, const char *format)
{
    for (size_t i = 0; i < run->n_documents; i++) {
        const struct bo_run_document *d = &run->documents[i];
        if (strcmp(d->format, format) == 0 && !d->embedded && !d->held_out && !d->scale)
            return true;
    }
    return false;
}

static void check_selection(struct checking *c, const struct bo_documents *documents)
{
    if (bo_run_selects_documents(c->run))
        complain(c, "documents were selected by --corpus: a run of all documents is needed");
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_document *d = &documents->items[i];
        const char *format = d->format->name;
        if (!d->scale && bo_run_measured(c->run, format, false) &&
            !bo_run_document(c->run, format, d->name) &&
            !(d->sample && has_fetched(c->run, format)))
            complain(c, "document %s/%s was not measured", format, d->name);
    }
}

static void check_documents(struct checking *c, const struct bo_documents *documents)
{
    for (size_t i = 0; i < c->run->n_documents; i++) {
        const struct bo_run_document *document = &c->run->documents[i];
        if (document->embedded)
            check_embedded(c, document, documents);
        if (document->held_out && !document->sealed)
            complain(c, "held-out document %s/%s is not sealed", document->format, document->name);
        if (document->file && !document->held_out)
            complain(c, "document %s/%s is a file of the user's", document->format, document->name);
        for (unsigned k = 0; k < document->n_codecs; k++)
            check_rows(c, document, &document->codecs[k]);
    }
    if (c->run->n_documents == 0)
        complain(c, "the run has no documents");
}

unsigned bo_contribution_problems(const struct bo_run *run, const char *path,
                                  const struct bo_documents *documents, FILE *out)
{
    struct checking c = {.run = run, .path = path, .out = out};
    check_commit(&c);
    check_plugins(&c);
    check_depth(&c);
    check_folder(&c);
    check_selection(&c, documents);
    check_documents(&c, documents);
    return c.n;
}
