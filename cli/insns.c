/* bakeoff insns: instructions per operation and per query. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/measure/insns.h"
#include "bench/measure/plan.h"
#include "bench/report/grid.h"
#include "cli/cli.h"
#include "cli/options.h"

int bo_cmd_insns(int argc, char **argv);

/* The task of the counting thread: what to count, and the order of the output. */
struct counting {
    const struct bo_format *format;
    const char *path, *codec;
    int code;
};

static void *count(void *context)
{
    struct counting *counting = context;
    struct bo_documents documents = {NULL, 0};
    const bool ok = bo_documents_add(counting->format, counting->path, &documents) &&
                    bo_document_load(&documents.items[0]);
    if (ok)
        bo_insns_run(&documents.items[0], counting->codec, stdout);
    bo_documents_free(&documents);
    counting->code = ok ? BO_EXIT_OK : BO_EXIT_USAGE;
    return NULL;
}

/*
 * Runs under callgrind. The counting runs in a thread of its own, whose heap and stack start empty
 * and aligned. The heap of the first thread holds memory that libraries allocated at startup, which
 * depends on the machine. The position of its free memory determines which buffers are copied when
 * they grow: 3.5% of an encode.
 */
static int run_counted(const struct bo_format *format, const char *path, const char *codec)
{
    struct counting counting = {format, path, codec, BO_EXIT_USAGE};
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, &counting) || pthread_join(thread, NULL)) {
        fprintf(stderr, "bakeoff: insns: cannot start a thread\n");
        return BO_EXIT_USAGE;
    }
    return counting.code;
}

static long long nbytes_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (long long)st.st_size : -1;
}

/* The format's smallest embedded document, since counting takes fifty times as long as running. */
static const struct bo_document *smallest(const struct bo_documents *documents)
{
    const struct bo_document *found = NULL;
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_document *d = &documents->items[i];
        if (!d->scale && (!found || nbytes_of(d->path) < nbytes_of(found->path)))
            found = d;
    }
    return found;
}

/* The counts so far, of all formats. */
struct tally {
    struct bo_arena arena;
    struct bo_insns *all;
    size_t n, cap;
};

/* `is_only`: the command names the format, which must have a document then. */
static bool count_format(const struct bo_format *format, bool is_only, const char *corpus,
                         const char *codec, struct tally *tally)
{
    struct bo_documents documents = {NULL, 0};
    struct bo_insns *insns = NULL;
    size_t n = 0;
    bool ok = corpus ? bo_documents_add(format, corpus, &documents)
                     : bo_documents_list(format, BO_DOCUMENTS_EMBEDDED, &documents);
    const struct bo_document *document = ok ? smallest(&documents) : NULL;
    if (!document && ok && corpus)
        document = &documents.items[0];
    if (!document && ok && is_only)
        ok = !bo_usage_error("insns", "%s has no embedded document; --corpus FILE names one",
                             format->name);
    if (document)
        ok = bo_insns_count(document, codec, &tally->arena, &insns, &n);
    ok = ok && bo_grow(&tally->arena, &tally->all, tally->n, n, &tally->cap);
    for (size_t i = 0; ok && i < n; i++)
        tally->all[tally->n++] = insns[i];
    bo_documents_free(&documents);
    return ok;
}

/*
 * Checks before counting, which is slow, that the golden file is for the same compiler and
 * libraries. Counts with others are not comparable. Returns BO_EXIT_OK, or an exit code after a
 * message.
 */
static int check_comparable(const char *golden)
{
    char made_with[512];
    struct bo_input in;
    struct bo_arena arena;
    if (!bo_input_open(golden, &in))
        return BO_EXIT_USAGE;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_insns_made_with(made_with, sizeof made_with);
    const char *theirs = bo_insns_incomparable(in.bytes, made_with, &arena);
    if (theirs)
        printf("not comparable: made here with %s, %s with %s\n", made_with, in.path, theirs);
    bo_arena_free(&arena);
    bo_input_close(&in);
    return theirs ? BO_EXIT_USAGE : BO_EXIT_OK;
}

static int check(const struct tally *tally, const char *golden)
{
    struct bo_input in;
    if (!bo_input_open(golden, &in))
        return BO_EXIT_USAGE;
    const size_t n_said = bo_insns_compare(tally->all, tally->n, in.bytes, stdout);
    printf("%zu counts, %zu differ\n", tally->n, n_said);
    bo_input_close(&in);
    return n_said ? BO_EXIT_FAILED : BO_EXIT_OK;
}

static void print(struct tally *tally)
{
    struct bo_grid grid;
    bo_grid_begin(&grid, &tally->arena, 3, "codec", "document", "what", "instructions", NULL);
    for (size_t i = 0; i < tally->n; i++) {
        bo_grid_add(&grid, "%s/%s", tally->all[i].format, tally->all[i].codec);
        bo_grid_texts(&grid, tally->all[i].document, tally->all[i].what, NULL);
        bo_grid_add(&grid, "%.1f", tally->all[i].n);
        bo_grid_end_row(&grid);
    }
    bo_grid_text(&grid, 120, stdout);
}

int bo_cmd_insns(int argc, char **argv)
{
    const char *codec = NULL, *corpus = NULL, *counted = NULL, *golden = NULL;
    bool as_golden = false;
    const struct bo_option options[] = {
        {"--codec", 0, "C[,...]", "only these (a * is any text)", &codec, NULL},
        {"--corpus", 0, "X", "on this document (default: the format's smallest embedded one)",
         &corpus, NULL},
        {"--check", 0, "FILE",
         "compare with these; exits with 1 when one differs, 2 when none can be", &golden, NULL},
        {"--golden", 0, NULL, "print what --check takes", NULL, &as_golden},
        {"--counted", 0, "FORMAT", "for internal use: the process that callgrind runs", &counted,
         NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "insns", "[FORMAT] [--codec C] [--corpus X] [--check FILE]",
        "Counts instructions through valgrind's callgrind: of encoding, decoding and opening a\n"
        "document, and of each query of a kind's first workload, run on a warm reader. The same\n"
        "program gives the same figures on every run. Codecs on top of libraries are left out.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (counted && n == 1) {
        const struct bo_format *format = bo_need_format("insns", counted);
        return format ? run_counted(format, argv[1], codec) : BO_EXIT_USAGE;
    }
    if (golden && as_golden)
        return bo_usage_error("insns", "--golden cannot be combined with --check");
    if (n > 1)
        return bo_usage_error("insns", "expects one format, or none for all");
    const struct bo_format *only = n ? bo_need_format("insns", argv[1]) : NULL;
    if (n && !only)
        return BO_EXIT_USAGE;
    struct bo_filter codecs;
    if (!bo_need_codecs("insns", codec, only, &codecs))
        return BO_EXIT_USAGE;
    if (golden && check_comparable(golden))
        return BO_EXIT_USAGE;
    struct tally tally = {.n = 0};
    bool ok = true;
    bo_arena_init(&tally.arena, BO_ARENA_UNLIMITED);
    for (const struct bo_format **f = bo_formats; *f && ok; f++)
        if (!only || *f == only)
            ok = count_format(*f, *f == only, corpus, codec, &tally);
    int code = ok ? BO_EXIT_OK : BO_EXIT_USAGE;
    if (ok && golden)
        code = check(&tally, golden);
    else if (ok && as_golden)
        bo_insns_write(tally.all, tally.n, stdout);
    else if (ok)
        print(&tally);
    bo_arena_free(&tally.arena);
    return code;
}
