/* Counts instructions with callgrind. */
#include "bench/measure/insns.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "bench/measure/machine.h"
#include "bench/measure/plan.h"
#include "bench/measure/query_sets.h"
#include "harness/core/cpu.h"
#include "harness/core/files.h"
#include "harness/core/print.h"
#include "harness/core/workers.h"
#include "harness/plugin.h"
#include "harness/registry.h"

enum { MAX_PATH = 256, MAX_LINE = 512 };

/* ---- under callgrind ------------------------------------------------------------------------- */

/* Ends a region: dumps its profile and prints its name. */
static void end_region(const struct bo_document *document, const struct bo_codec *codec,
                       const char *what, size_t n, FILE *out)
{
    CALLGRIND_DUMP_STATS;
    fprintf(out, "%s\t%s\t%s\t%s\t%zu\n", document->format->name, document->name, codec->name, what,
            n);
}

#define COUNTED(statement)        \
    do {                          \
        CALLGRIND_ZERO_STATS;     \
        CALLGRIND_TOGGLE_COLLECT; \
        statement;                \
        CALLGRIND_TOGGLE_COLLECT; \
    } while (0)

static void count_queries(const struct bo_document *document, const struct bo_codec *codec,
                          void *reader, struct bo_arena *arena, FILE *out)
{
    const struct bo_format *format = document->format;
    struct bo_error err;
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        const struct bo_workload *workload = &kind->workloads[0];
        struct bo_query_set query_set;
        if (!(codec->kinds >> k & 1) || !workload ||
            bo_query_set_draw(format, kind, workload, document->model, arena, &query_set, &err) ||
            query_set.n == 0)
            continue;
        struct bo_sink answers = {.p = bo_alloc(arena, query_set.max_answers_nbytes + 64),
                                  .cap = query_set.max_answers_nbytes};
        const struct bo_chunk *chunk = &query_set.chunks[0];
        enum bo_status status;
        /* Runs once before the counting, since lazy readers may keep what they have read. */
        if (!answers.p || bo_query_set_run(&query_set, chunk, codec, reader, &answers, &err))
            continue;
        answers.n = 0;
        COUNTED(status = bo_query_set_run(&query_set, chunk, codec, reader, &answers, &err));
        if (status == BO_OK)
            end_region(document, codec, query_set.label, chunk->n, out);
    }
}

static void count_codec(const struct bo_document *document, const struct bo_codec *codec, FILE *out)
{
    const struct bo_codec *encoding = bo_encoding_of(document->format, codec);
    struct bo_arena arena, scratch;
    struct bo_writer bytes;
    struct bo_error err;
    void *made;
    enum bo_status status;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_arena_init(&scratch, BO_ARENA_UNLIMITED);
    bo_writer_init(&bytes, &scratch);
    COUNTED(status = encoding->encode(encoding, document->model, &bytes, &err));
    if (status == BO_OK && !codec->reads)
        end_region(document, codec, "encode", 1, out);
    if (status == BO_OK && !codec->reads) {
        COUNTED(status = codec->decode(codec, bo_writer_span(&bytes), &arena, &made, &err));
        if (status == BO_OK)
            end_region(document, codec, "decode", 1, out);
    }
    if (status == BO_OK) {
        COUNTED(status = codec->open(codec, bo_writer_span(&bytes), &arena, &made, &err));
        if (status == BO_OK) {
            end_region(document, codec, "open", 1, out);
            count_queries(document, codec, made, &arena, out);
        }
    }
    bo_writer_free(&bytes);
    bo_arena_free(&scratch);
    bo_arena_free(&arena);
}

void bo_insns_run(const struct bo_document *document, const char *only_codecs, FILE *out)
{
    struct bo_filter codecs;
    if (!bo_filter_parse(only_codecs, &codecs))
        return;
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++)
        if (!(*c)->optional && bo_filter_allows(&codecs, (*c)->name))
            count_codec(document, *c, out);
}

/* ---- in the parent --------------------------------------------------------------------------- */

/* The "summary: N" of a profile; NaN without such a line. */
static double read_summary(const char *folder, size_t i)
{
    char path[MAX_PATH + 32], line[MAX_LINE];
    snprintf(path, sizeof path, "%s/out.%zu", folder, i);
    FILE *in = fopen(path, "r");
    double n = NAN;
    while (in && isnan(n) && fgets(line, sizeof line, in)) {
        unsigned long long v;
        if (sscanf(line, "summary: %llu", &v) == 1)
            n = (double)v;
    }
    if (in)
        fclose(in);
    remove(path);
    return n;
}

/* In the child: runs this program again under callgrind, with its output to `out`. */
__attribute__((noreturn)) static void become_counted(const struct bo_document *document,
                                                     const char *only_codecs, const char *folder,
                                                     int out)
{
    char profile[MAX_PATH + 64], self[PATH_MAX];
    snprintf(profile, sizeof profile, "--callgrind-out-file=%s/out", folder);
    if (!realpath("/proc/self/exe", self))
        _exit(127);
    enum { N_FIXED = 12 };
    const char *argv[N_FIXED + 2 * BO_MAX_PLUGINS + 1] = {
        "valgrind", "--tool=callgrind", "-q", "--collect-atstart=no", profile, self};
    unsigned n = 6;
    for (unsigned i = 0; bo_loaded_plugin(i); i++) {
        argv[n++] = "--plugin";
        argv[n++] = bo_loaded_plugin(i);
    }
    argv[n++] = "insns";
    argv[n++] = "--counted";
    argv[n++] = document->format->name;
    argv[n++] = document->path;
    argv[n++] = only_codecs ? "--codec" : NULL;
    argv[n++] = only_codecs;
    /*
     * Excludes everything that depends on the machine or the time. libc is restricted to its
     * functions for x86-64-v1, since its choice otherwise depends on the processor's vendor.
     * Symbols are bound before the counting. Memory comes from the C library's allocator, which
     * depends neither on the clock nor on the number of processors. Blocks of a page or more are
     * mapped; they grow without copying.
     */
    setenv("GLIBC_TUNABLES",
           "glibc.cpu.hwcaps=-AVX_Fast_Unaligned_Load,-AVX2,-AVX,-BMI1,-BMI2,-ERMS,-FSRM,-LZCNT,"
           "-FMA,-FMA4,-MOVBE,-POPCNT,-RTM,-SSSE3,-SSE4_1,-SSE4_2:"
           "glibc.cpu.x86_non_temporal_threshold=786432:"
           "glibc.malloc.mmap_threshold=4096",
           1);
    setenv("LD_BIND_NOW", "1", 1);
    setenv("LD_PRELOAD", "libc.so.6", 1);
    dup2(out, STDOUT_FILENO);
    execvp(argv[0], (char **)(uintptr_t)argv);
    _exit(127);
}

/* Splits a line of five fields in place. False when it has another number of fields. */
static bool cut_fields(char *line, char *fields[5])
{
    for (unsigned i = 0; i < 5; i++) {
        fields[i] = line;
        line += strcspn(line, i < 4 ? "\t" : "\n");
        if (!*line)
            return false;
        *line++ = 0;
    }
    return true;
}

static bool read_counts(FILE *names, const char *folder, struct bo_arena *arena,
                        struct bo_insns **insns_ret, size_t *n_ret)
{
    char line[MAX_LINE], *fields[5];
    struct bo_insns *insns = NULL;
    size_t n = 0, cap = 0;
    bool ok = true;
    while (ok && fgets(line, sizeof line, names)) {
        ok = cut_fields(bo_arena_printf(arena, "%s", line), fields);
        if (!ok)
            break;
        bo_abort_unless(bo_grow(arena, &insns, n, 1, &cap));
        const double total = read_summary(folder, ++n);
        insns[n - 1] = (struct bo_insns){fields[0], fields[1], fields[2], fields[3],
                                         total / strtod(fields[4], NULL)};
        ok = !isnan(total);
    }
    *insns_ret = insns;
    *n_ret = n;
    return ok && n;
}

/* Removes the folder and all profiles in it. */
static void remove_profiles(const char *folder)
{
    DIR *in = opendir(folder);
    const struct dirent *entry;
    while (in && (entry = readdir(in)))
        unlinkat(dirfd(in), entry->d_name, 0);
    if (in)
        closedir(in);
    rmdir(folder);
}

bool bo_insns_count(const struct bo_document *document, const char *only_codecs,
                    struct bo_arena *arena, struct bo_insns **insns_ret, size_t *n_ret)
{
    char folder[MAX_PATH];
    FILE *names = tmpfile();
    int status = -1;
    if (!names || !bo_temporary_folder(folder, sizeof folder)) {
        fprintf(stderr, "bakeoff: insns: cannot create a temporary folder: %s\n", strerror(errno));
        if (names)
            fclose(names);
        return false;
    }
    fflush(NULL);
    const pid_t pid = bo_fork();
    if (pid == 0)
        become_counted(document, only_codecs, folder, fileno(names));
    const bool ended = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    rewind(names);
    const bool ok =
        ended && WEXITSTATUS(status) == 0 && read_counts(names, folder, arena, insns_ret, n_ret);
    if (!ok)
        fprintf(stderr, "bakeoff: insns: %s\n",
                ended && WEXITSTATUS(status) == 127 ? "valgrind is missing"
                                                    : "callgrind did not run the codecs");
    fclose(names);
    remove_profiles(folder);
    return ok;
}

/* ---- golden figures -------------------------------------------------------------------------- */

#define MADE_WITH "# Made with: "
#define WITHIN "# Within: "
#define WITHIN_FORMAT "%lf%%, and %lf instructions of an operation that allocates"
#define TOLERANCE_PERCENT 1.0
/*
 * The work of the C library's allocator for a block depends on all earlier allocations: up to 1,600
 * instructions per operation, between machines and between runs of all codecs or one.
 */
#define TOLERANCE_INSTRUCTIONS 3000.0

struct tolerance {
    double percent, instructions; /* the sum of both is allowed */
};

void bo_insns_made_with(char *text_ret, size_t nbytes)
{
    char build[256], valgrind[64] = "no valgrind";
    bo_machine_build(build, sizeof build);
    bo_first_line_of("valgrind --version 2>/dev/null", valgrind, sizeof valgrind);
    snprintf(text_ret, nbytes, "%s, %s, %s", build, valgrind,
             bo_cpu_has_v3() ? "x86-64-v3" : "a processor without x86-64-v3");
}

const char *bo_insns_incomparable(struct bo_span golden, const char *made_with,
                                  struct bo_arena *arena)
{
    char *rest = bo_arena_printf(arena, "%.*s", (int)golden.n, (const char *)golden.p);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (strncmp(line, MADE_WITH, strlen(MADE_WITH)) == 0) {
            const char *theirs = line + strlen(MADE_WITH);
            return strcmp(theirs, made_with) == 0 ? NULL : theirs;
        }
    return "an unknown build";
}

/*
 * The allowed difference. Queries are named kind/workload. Whole operations have no workload, and
 * they allocate.
 */
static double allowed(struct tolerance t, const char *what, double was)
{
    return t.percent / 100 * was + (strchr(what, '/') ? 0 : t.instructions);
}

void bo_insns_write(const struct bo_insns *insns, size_t n, FILE *out)
{
    fputs(
        "# Instructions an operation or query, by callgrind; `make golden-insns` makes it anew.\n",
        out);
    char made_with[512];
    bo_insns_made_with(made_with, sizeof made_with);
    fprintf(out,
            MADE_WITH "%s\n" WITHIN "%g%%, and %g instructions of an operation that allocates\n",
            made_with, TOLERANCE_PERCENT, TOLERANCE_INSTRUCTIONS);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s\t%s\t%s\t%s\t%.1f\n", insns[i].format, insns[i].document, insns[i].codec,
                insns[i].what, insns[i].n);
}

static bool same_place(const struct bo_insns *a, char *const fields[5])
{
    return strcmp(a->format, fields[0]) == 0 && strcmp(a->document, fields[1]) == 0 &&
           strcmp(a->codec, fields[2]) == 0 && strcmp(a->what, fields[3]) == 0;
}

size_t bo_insns_compare(const struct bo_insns *insns, size_t n, struct bo_span golden, FILE *out)
{
    struct tolerance tolerance = {TOLERANCE_PERCENT, 0};
    char *text = bo_or_abort(strndup((const char *)golden.p, golden.n)), *rest = text, *fields[5];
    bool *met = bo_or_abort(calloc(n + 1, sizeof *met));
    size_t n_said = 0;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char copy[MAX_LINE];
        sscanf(line, WITHIN WITHIN_FORMAT, &tolerance.percent, &tolerance.instructions);
        snprintf(copy, sizeof copy, "%s\n", line);
        if (*line == '#' || !cut_fields(copy, fields))
            continue;
        size_t i = 0;
        while (i < n && !same_place(&insns[i], fields))
            i++;
        const double was = strtod(fields[4], NULL);
        if (i == n) {
            fprintf(out, "%s/%s/%s/%s: was %.1f, is not counted any more\n", fields[0], fields[2],
                    fields[1], fields[3], was);
            n_said++;
            continue;
        }
        met[i] = true;
        if (fabs(insns[i].n - was) > allowed(tolerance, fields[3], was)) {
            fprintf(out, "%s/%s/%s/%s: %.1f instructions, was %.1f (%+.1f%%)\n", fields[0],
                    fields[2], fields[1], fields[3], insns[i].n, was, 100 * (insns[i].n / was - 1));
            n_said++;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!met[i]) {
            fprintf(out, "%s/%s/%s/%s: %.1f instructions, new\n", insns[i].format, insns[i].codec,
                    insns[i].document, insns[i].what, insns[i].n);
            n_said++;
        }
    free(met);
    free(text);
    return n_said;
}
