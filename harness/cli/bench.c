/* bakeoff bench: measures codecs on documents. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/machine.h"
#include "bench/results.h"
#include "bench/rounds.h"
#include "bench/sizes.h"
#include "bench/table.h"
#include "harness/cli/cli.h"
#include "harness/cli/documents.h"
#include "harness/cli/options.h"

int bo_cmd_bench(int argc, char **argv);

enum { ROUNDS = 20, QUICK_ROUNDS = 5, MAX_ROUNDS = 1000, TIMEOUT_S = 300 };

/* Of one repetition: so that the embedded corpora of a format take minutes, not hours. */
static const double min_time_s = 0.008;

/* What the command line asks for. */
struct request {
    struct bo_bench_options bench;
    const char *format, *corpus, *codec, *kind, *workload, *repetitions, *json_path;
    bool quick, no_compress;
};

/* ---- the command line ------------------------------------------------------------------------------ */

static bool parse_filter(const char *option, const char *list, struct bo_names *names)
{
    if (bo_names_parse(list, names))
        return true;
    bo_usage_error("bench", "%s takes names with commas between, not '%s'", option, list);
    return false;
}

static bool parse_numbers(struct request *request)
{
    unsigned long long rounds = request->quick ? QUICK_ROUNDS : ROUNDS;
    if (!bo_option_u64("bench", "--repetitions", request->repetitions, MAX_ROUNDS, &rounds))
        return false;
    if (rounds == 0) {
        bo_usage_error("bench", "--repetitions takes a number from 1 on");
        return false;
    }
    request->bench.rounds = (unsigned)rounds;
    request->bench.min_time_s = min_time_s;
    request->bench.timeout_s = TIMEOUT_S;
    request->bench.order_seed = 1;
    return true;
}

/* 0 with *request filled, else -1 after help or -2 after a message. */
static int parse_request(int argc, char **argv, struct request *request)
{
    const struct bo_option options[] = {
        {"--format", 0, "F", "only this format", &request->format, NULL},
        {"--codec", 0, "C[,...]", "only these; the no-op codec is always there", &request->codec,
         NULL},
        {"--corpus", 0, "X", "a corpus by name, a text form, a folder, a file to import",
         &request->corpus, NULL},
        {"--kind", 0, "K[,...]", "only these: query kinds, encode, decode, open, open-cold",
         &request->kind, NULL},
        {"--workload", 0, "W[,...]", "only these workloads of the query kinds", &request->workload,
         NULL},
        {"--quick", 0, NULL, "5 repetitions instead of 20", NULL, &request->quick},
        {"--repetitions", 0, "N", "so many", &request->repetitions, NULL},
        {"--json", 0, "OUT", "Google Benchmark's JSON to this file, CSV beside it; - is stdout",
         &request->json_path, NULL},
        {"--no-compress", 0, NULL, "leave the outer compressors out of the JSON's sizes", NULL,
         &request->no_compress},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "bench", "[--format F] [--codec C] [--corpus X] [--kind K] [--workload W] [--json OUT]",
        "Measures encode, decode, open and each query kind and workload of every codec on every\n"
        "document, after checking the answers. Without options: all codecs on the corpora at hand.\n"
        "Times are CPU time of the measuring thread. An OUT that is a folder, or ends in /, gets\n"
        "MACHINE/DATE.json. Exit code 1: a codec failed on something.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return n;
    if (n > 0)
        bo_usage_error("bench", "does not know what to do with '%s'", argv[1]);
    return n == 0 && parse_filter("--codec", request->codec, &request->bench.codecs) &&
                   parse_filter("--kind", request->kind, &request->bench.kinds) &&
                   parse_filter("--workload", request->workload, &request->bench.workloads) &&
                   parse_numbers(request)
               ? 0
               : -2;
}

/* ---- documents ------------------------------------------------------------------------------------- */

static bool load_documents(const struct request *request, struct bo_documents *documents)
{
    const struct bo_format *format = NULL;
    if (request->format && !(format = bo_need_format("bench", request->format)))
        return false;
    if (request->corpus && !format && !bo_formats[1])
        format = bo_formats[0]; /* the only one there is */
    if (request->corpus && !format)
        return !bo_usage_error("bench", "--corpus needs --format");
    bool ok = request->corpus ? bo_documents_add(format, request->corpus, documents)
                              : bo_documents_list(format, BO_DOCUMENTS_BEST, documents);
    for (size_t i = 0; i < documents->n && ok; i++)
        ok = bo_document_load(&documents->items[i]);
    if (ok && documents->n == 0)
        ok = !bo_usage_error("bench", "finds no document to measure on");
    return ok;
}

/* ---- results --------------------------------------------------------------------------------------- */

static bool wants_codec(void *context, const char *codec)
{
    return bo_names_allow(context, codec);
}

static json_t *sizes_json(struct request *request, const struct bo_documents *documents)
{
    uint64_t n_steps = 0;
    for (size_t i = 0; i < documents->n; i++)
        n_steps += bo_sizes_count(documents->items[i].format);
    struct bo_progress progress = bo_progress_start("sizes", n_steps);
    const struct bo_sizes_options options = {.compress = !request->no_compress,
                                             .progress = &progress,
                                             .wants = wants_codec,
                                             .context = &request->bench.codecs};
    json_t *sizes = json_array();
    for (size_t i = 0; i < documents->n; i++)
        json_array_append_new(sizes, bo_sizes_json(&documents->items[i], &options));
    bo_progress_end(&progress);
    return sizes;
}

/* Makes the folders of a path, all but its last part. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!ok)
            fprintf(stderr, "bakeoff: %s: %s\n", path, strerror(errno));
        *slash = '/';
        if (!ok)
            return false;
    }
    return true;
}

/* Where the JSON goes: a folder gets MACHINE/DATE.json, the date with no colons. */
static void json_path(const char *asked, char path_ret[PATH_MAX])
{
    struct stat st;
    const size_t n = strlen(asked);
    if (!(n && asked[n - 1] == '/') && !(stat(asked, &st) == 0 && S_ISDIR(st.st_mode))) {
        snprintf(path_ret, PATH_MAX, "%s", asked);
        return;
    }
    char slug[BO_MAX_SLUG], date[32], compact[32];
    bo_this_machine_slug(slug);
    bo_date_utc(date, sizeof date);
    size_t m = 0;
    for (const char *p = date; *p; p++)
        if (*p != ':' && *p != '-')
            compact[m++] = *p;
    compact[m] = 0;
    const char *slash = n && asked[n - 1] == '/' ? "" : "/";
    snprintf(path_ret, PATH_MAX, "%s%s%s/%s.json", asked, slash, slug, compact);
}

static bool write_csv(const struct bo_plan *plan, const char *beside)
{
    char path[PATH_MAX];
    const char *dot = strrchr(beside, '.');
    const size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - beside) : strlen(beside);
    snprintf(path, sizeof path, "%.*s.csv", (int)n, beside);
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        return false;
    bo_results_csv(plan, out);
    fclose(out);
    const bool ok = bo_output(path, (struct bo_span){(const uint8_t *)text, nbytes});
    free(text);
    return ok;
}

static bool write_json(const struct request *request, const struct bo_plan *plan, json_t *context,
                       json_t *sizes)
{
    char path[PATH_MAX];
    json_path(request->json_path, path);
    const bool to_stdout = strcmp(request->json_path, "-") == 0;
    json_t *json = bo_results_json(plan, &request->bench, context, sizes);
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(json);
    bool ok = text && (to_stdout || make_folders(path)) &&
              bo_output(path, (struct bo_span){(const uint8_t *)text, strlen(text)}) &&
              (to_stdout || write_csv(plan, path));
    free(text);
    if (ok && !to_stdout)
        fprintf(stderr, "bakeoff: wrote %s\n", path);
    return ok;
}

static bool any_failed(const struct bo_plan *plan)
{
    for (unsigned c = 0; c < plan->n_cells; c++)
        for (unsigned r = 0; r < plan->cells[c].n_rows; r++)
            if (plan->cells[c].rows[r].failure[0])
                return true;
    return false;
}

static unsigned terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60 ? size.ws_col : 120;
}

/* ---- the command ----------------------------------------------------------------------------------- */

/* A name that met nothing is a mistake of the user's, not an empty table. */
static bool all_met(const struct request *request)
{
    const struct bo_names *const filters[] = {&request->bench.codecs, &request->bench.kinds,
                                              &request->bench.workloads};
    static const char *const what[] = {"codec", "kind", "workload"};
    for (size_t i = 0; i < 3; i++) {
        const char *unmet = bo_names_unmet(filters[i]);
        if (unmet)
            return !bo_usage_error("bench", "no %s '%s' here", what[i], unmet);
    }
    return true;
}

static int measure(struct request *request, const struct bo_documents *documents,
                   struct bo_arena *arena)
{
    struct bo_plan plan;
    struct bo_error err = {0};
    enum bo_status status =
        bo_plan_make(&request->bench, documents->items, documents->n, arena, &plan, &err);
    if (status == BO_OK && !all_met(request))
        return BO_EXIT_USAGE;
    json_t *context = NULL, *sizes = NULL;
    if (status == BO_OK && request->json_path) {
        context = bo_machine_context(); /* the load before the run, not the run's own */
        sizes = sizes_json(request, documents);
    }
    if (status == BO_OK)
        status = bo_rounds_run(&plan, &request->bench, &err);
    bo_plan_close(&plan);
    if (status)
        return bo_file_error("bench", &err);
    if (!request->json_path || strcmp(request->json_path, "-") != 0)
        bo_table_print(&plan, terminal_width(), stdout);
    if (request->json_path && !write_json(request, &plan, context, sizes))
        return BO_EXIT_USAGE;
    return any_failed(&plan) ? BO_EXIT_FAILED : BO_EXIT_OK;
}

int bo_cmd_bench(int argc, char **argv)
{
    struct request request = {.format = NULL};
    const int parsed = parse_request(argc, argv, &request);
    if (parsed < 0)
        return bo_options_exit(parsed);
    struct bo_documents documents = {NULL, 0};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const int code = load_documents(&request, &documents) ? measure(&request, &documents, &arena)
                                                          : BO_EXIT_USAGE;
    bo_arena_free(&arena);
    bo_documents_free(&documents);
    return code;
}
