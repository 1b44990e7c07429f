/* bakeoff bench: measures codecs on documents. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure/agents.h"
#include "bench/measure/huge.h"
#include "bench/measure/interrupt.h"
#include "bench/measure/machine.h"
#include "bench/measure/programs.h"
#include "bench/measure/rounds.h"
#include "bench/measure/sizes.h"
#include "bench/report/held_out.h"
#include "bench/report/run_table.h"
#include "bench/runs/contribution.h"
#include "bench/runs/results.h"
#include "bench/runs/shards.h"
#include "cli/against.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/options.h"
#include "cli/report.h"
#include "corpora/documents.h"
#include "corpora/sealed.h"
#include "harness/plugin.h"
#include "harness/core/clock.h"

int bo_cmd_bench(int argc, char **argv);

/*
 * The depths of a run: without options, with --quick and with --full. With --against, 10
 * repetitions of each build are the minimum at which the test can find one significant row among
 * thousands.
 */
static const struct depth {
    const char *name;
    unsigned rounds, rounds_against;
    double budget_s;  /* measuring time if there are many rows: see bo_plan_min_time */
    double verify_s;  /* see struct bo_bench_options */
    unsigned limit_s; /* of the documents; 0: none */
    enum bo_document_choice documents;
    bool compress, programs, budgets;
    unsigned layouts;
} quick_depth = {"quick", 5, 10, 40, 0.005, 0, BO_DOCUMENTS_EMBEDDED, false, false, false, 0},
  default_depth = {"default", 6,     20,    160, 0.005, 450, BO_DOCUMENTS_EMBEDDED,
                   false,     false, false, 0},
  full_depth = {"full", 20, 20, 600, 0.2, 0, BO_DOCUMENTS_BEST, true, true, true, 5};

enum { MAX_ROUNDS = 1000, TIMEOUT_S = 300, MAX_LIMIT_S = 1000000 };

/* The options of the command line. */
struct request {
    struct bo_bench_options bench;
    const char *format, *corpus, *codec, *kind, *workload, *repetitions, *json, *shard_text;
    const char *against, *threshold_text, *held_out, *layouts_text, *limit_text;
    unsigned limit_s; /* of the time for all documents; 0: none */
    unsigned layouts;
    uint64_t layout_seed;
    struct bo_links links; /* empty: this program measures */
    bool agent;            /* this program is one of the links and measures for its parent */
    const char *check;     /* results to check instead of a run */
    double threshold;
    uint64_t *n_rows;      /* of each document */
    struct bo_shard shard; /* n = 0: all documents */
    json_t *shard_json;    /* the shard's entry in the results */
    const struct depth *depth;
    bool quick, full, no_compress, scale, resume, report;
    const char *resumed;  /* the file given to --resume; NULL: the newest partial one */
    const char *recorded; /* the file given to --workload recorded:FILE, or NULL */
    bool json_to_stdout;
    char json_path[PATH_MAX]; /* of the results if --json names a file or a folder */
};

/* ---- the command line ------------------------------------------------------------------------ */

static bool parse_filter(const char *option, const char *list, struct bo_filter *names)
{
    if (bo_filter_parse(list, names))
        return true;
    bo_usage_error("bench", "%s expects names separated by commas, not '%s'", option, list);
    return false;
}

/* A file means all its variants: recorded, recorded-all, recorded-cold. */
static bool parse_workloads(struct request *request)
{
    static const char prefix[] = "recorded:";
    const bool is_file =
        request->workload && strncmp(request->workload, prefix, strlen(prefix)) == 0;
    request->recorded = is_file ? request->workload + strlen(prefix) : NULL;
    return parse_filter("--workload", is_file ? "recorded*" : request->workload,
                        &request->bench.workloads);
}

/* "5" or "5:7": the number, and the seed of the orders. */
static bool parse_layouts(struct request *request)
{
    const char *text = request->layouts_text;
    const unsigned rounds = request->bench.rounds;
    request->layout_seed = 1;
    request->layouts = request->against || request->agent || rounds < request->depth->layouts
                           ? 0
                           : request->depth->layouts;
    if (!text)
        return true;
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == ':' && end[1] >= '0' && end[1] <= '9')
        request->layout_seed = strtoull(end + 1, &end, 10);
    if (*text < '0' || *text > '9' || *end || n > BO_MAX_LAYOUTS)
        return !bo_usage_error("bench", "--layouts expects N or N:SEED with N up to %d, not '%s'",
                               BO_MAX_LAYOUTS, text);
    if (n && request->against)
        return !bo_usage_error("bench", "--layouts cannot be combined with --against");
    if (n > rounds)
        return !bo_usage_error(
            "bench", "--layouts %lu needs at least as many repetitions; %u are too few", n, rounds);
    request->layouts = (unsigned)n;
    return true;
}

/* Every layout needs a repetition, so there is no limit with layouts. */
static bool parse_limit(struct request *request)
{
    unsigned long long limit_s =
        request->repetitions || request->against || request->layouts ? 0 : request->depth->limit_s;
    if (!bo_option_u64("bench", "--time-limit", request->limit_text, MAX_LIMIT_S, &limit_s))
        return false;
    if (limit_s && request->against)
        return !bo_usage_error("bench", "--time-limit cannot be combined with --against");
    if (limit_s && request->layouts)
        return !bo_usage_error(
            "bench", "--time-limit cannot be combined with layouts; --layouts 0 measures in one");
    request->limit_s = (unsigned)limit_s;
    return true;
}

static bool parse_numbers(struct request *request)
{
    unsigned long long rounds =
        request->against ? request->depth->rounds_against : request->depth->rounds;
    if (!bo_option_u64("bench", "--repetitions", request->repetitions, MAX_ROUNDS, &rounds))
        return false;
    if (request->shard_text && !bo_shard_parse(request->shard_text, &request->shard))
        return !bo_usage_error("bench", "--shard expects K/N, such as 2/3, not '%s'",
                               request->shard_text);
    if (!bo_parse_threshold("bench", request->threshold_text ? request->threshold_text : "5",
                            &request->threshold))
        return false;
    if (request->threshold_text && !request->against)
        return !bo_usage_error("bench", "--threshold requires --against");
    if (request->against && request->held_out)
        return !bo_usage_error("bench", "--against cannot be combined with --held-out");
    if (request->against && (request->shard_text || (request->json && !strcmp(request->json, "-"))))
        return !bo_usage_error(
            "bench", "--against cannot be combined with --shard, and its --json must name a file");
    if (rounds == 0) {
        bo_usage_error("bench", "--repetitions expects a number of at least 1");
        return false;
    }
    if (request->quick && request->full)
        return !bo_usage_error("bench", "--quick cannot be combined with --full");
    const bool is_to_stdout = request->json && strcmp(request->json, "-") == 0;
    if (request->resume && (request->against || is_to_stdout))
        return !bo_usage_error("bench", "--resume cannot be combined with --against or --json -");
    if (request->report && (!request->json || is_to_stdout || request->against))
        return !bo_usage_error("bench", "--report requires --json with a file or folder");
    request->bench.rounds = (unsigned)rounds;
    request->bench.timeout_s = TIMEOUT_S;
    request->bench.verify_s = request->depth->verify_s;
    request->bench.order_seed = 1;
    request->bench.budgets = request->depth->budgets;
    return parse_layouts(request) && parse_limit(request);
}

/* Returns 0 with *request filled, -1 after help, -2 after a message. */
static int parse_request(int argc, char **argv, struct request *request)
{
    const struct bo_option options[] = {
        {"--format", 0, "F", "only this format", &request->format, NULL},
        {"--codec", 0, "C[,...]", "only these (a * is any text), and always the no-op codec",
         &request->codec, NULL},
        {"--corpus", 0, "X[,...]", "documents by name (a * is any text), files and folders",
         &request->corpus, NULL},
        {"--kind", 0, "K[,...]", "only these: query kinds, encode, decode, merge, open, open-cold",
         &request->kind, NULL},
        {"--workload", 0, "W[,...]",
         "only these workloads of the query kinds; recorded:FILE: only those of this file",
         &request->workload, NULL},
        {"--held-out", 0, "DIR",
         "also the documents of this folder, reported beside the embedded ones", &request->held_out,
         NULL},
        {"--scale", 0, NULL, "also the available documents for curves over sizes", NULL,
         &request->scale},
        {"--quick", 0, NULL, "a first look: see the table above", NULL, &request->quick},
        {"--full", 0, NULL, "the greatest depth: see the table above", NULL, &request->full},
        {"--repetitions", 0, "N", "measure each row N times", &request->repetitions, NULL},
        {"--time-limit", 0, "S",
         "make fewer repetitions if all documents take more than S seconds; 0: no limit",
         &request->limit_text, NULL},
        {"--layouts", 0, "N[:SEED]",
         "in N links of this program with functions in other orders (--full: 5)",
         &request->layouts_text, NULL},
        {"--shard", 0, "K/N", "only the K-th of N parts of the documents; `merge` joins results",
         &request->shard_text, NULL},
        {"--against", 0, "BUILD", "measure another build of this program, too, in turns; compare",
         &request->against, NULL},
        {"--threshold", 0, "PERCENT",
         "with --against: smaller changes of a time are not reported (5)", &request->threshold_text,
         NULL},
        {"--json", 0, "OUT",
         "Google Benchmark's JSON to this file, or into this folder/; - is stdout", &request->json,
         NULL},
        {"--no-compress", 0, NULL, "with --full: no sizes under outer compressors", NULL,
         &request->no_compress},
        {"--resume", 0, NULL,
         "continue an interrupted run: FILE, or the newest partial one below OUT or results/", NULL,
         &request->resume},
        {"--check", 0, "FILE", "instead of measuring: report why results/ would reject FILE",
         &request->check, NULL},
        {"--agent", 0, NULL, "for internal use: measure in another layout", NULL, &request->agent},
        {"--report", 0, NULL, "also write REPORT.md and results/FORMAT.md of this run", NULL,
         &request->report},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "bench",
        "[--quick|--full] [--format F] [--codec C] [--corpus X] [--kind K] [--workload W]\n"
        "       [--shard K/N] [--against BUILD] [--json OUT] [--resume [FILE]]",
        "Measures encode, decode, open and each query kind and workload of every codec on every\n"
        "document, after checking the answers. Without options: all codecs on the documents in\n"
        "the repository. Times are CPU time of the measuring thread. A repetition takes 8\n"
        "ms, or down to 1 ms if there are many rows.\n"
        "\n"
        "           repetitions  documents                       also  time\n"
        "  --quick            5  in the repository                      5 min\n"
        "  (default)          6  in the repository                     10 min\n"
        "  --full            20  also fetched and external ones  yes   hours\n"
        "\n"
        "also: outer compressors, the field's programs, and budgets for what readers keep\n"
        "(default) has --time-limit 450, except with --repetitions or --layouts.\n"
        "\n"
        "Each document's results are written when it is done. An OUT that is a folder, or ends in\n"
        "/, gets MACHINE/DATE.json. SIGINT and SIGTERM end the run with exit code 130; OUT then\n"
        "holds what was measured, marked as partial, and --resume, with the same options, "
        "measures\n"
        "the rest. --against compares like `compare`. This build's results are written to OUT,\n"
        "the other's to OUT.against.json (for run.json: run.against.json).\n"
        "Exit code 1: a codec failed on a document that it supports; with --against: something\n"
        "is worse.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return n;
    if (n > (request->resume ? 1 : 0))
        return bo_usage_error("bench", "unexpected argument '%s'", argv[n]), -2;
    request->resumed = n ? argv[1] : NULL;
    request->depth = request->quick ? &quick_depth : request->full ? &full_depth : &default_depth;
    return parse_filter("--codec", request->codec, &request->bench.codecs) &&
                   parse_filter("--kind", request->kind, &request->bench.kinds) &&
                   parse_workloads(request) && parse_numbers(request)
               ? 0
               : -2;
}

/* ---- documents ------------------------------------------------------------------------------- */

/*
 * Adds the available documents whose names match a pattern (NULL: any), either those for curves or
 * the others.
 */
static bool add_present(const struct bo_format *format, const char *pattern, bool only_scale,
                        struct bo_documents *documents)
{
    struct bo_documents all;
    if (!bo_documents_list(format, BO_DOCUMENTS_ALL, &all))
        return false;
    bool ok = true;
    size_t n = 0;
    for (size_t i = 0; i < all.n && ok; i++) {
        const struct bo_document *d = &all.items[i];
        if (!d->present || (only_scale && !d->scale) ||
            (pattern && fnmatch(pattern, d->name, FNM_NOESCAPE) != 0))
            continue;
        ok = bo_documents_add(d->format, d->name, documents);
        n++;
    }
    bo_documents_free(&all);
    if (ok && n == 0 && pattern)
        ok = !bo_usage_error("bench", "no document named '%s'", pattern);
    return ok;
}

/*
 * Adds the documents of --corpus, separated by commas: of the format, or (NULL) each of its own
 * format.
 */
static bool add_documents(const struct bo_format *format, const char *list,
                          struct bo_documents *documents)
{
    char *names = strdup(list), *rest = names, *name;
    bool ok = names != NULL;
    while (ok && (name = strsep(&rest, ","))) {
        const struct bo_format *its = format ? format : bo_documents_format("bench", name);
        ok = its && (strpbrk(name, "*[") ? add_present(its, name, false, documents)
                                         : bo_documents_add(its, name, documents));
    }
    free(names);
    return ok;
}

/*
 * A name in the filters may match only documents of other shards. So the filters are compared with
 * everything in the formats.
 */
static void meet_filters(struct bo_bench_options *bench, const struct bo_documents *documents)
{
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_format *format = documents->items[i].format;
        for (const struct bo_codec *const *c = format->codecs; *c; c++)
            bo_filter_allows(&bench->codecs, (*c)->name);
        for (unsigned k = 0; k < format->n_kinds; k++) {
            bo_filter_allows(&bench->kinds, format->kinds[k].name);
            for (unsigned w = 0; w < format->kinds[k].n_workloads; w++)
                bo_filter_allows(&bench->workloads, format->kinds[k].workloads[w].name);
        }
        for (unsigned w = 0; w < BO_N_RECORDED_WORKLOADS; w++)
            bo_filter_allows(&bench->workloads, bo_recorded_names[w]);
        bo_filter_allows(&bench->kinds, BO_ACTIONS_KIND);
        for (size_t o = 0; o < BO_N_OPERATIONS; o++)
            bo_filter_allows(&bench->kinds, bo_operations[o]);
    }
}

static bool take_shard(struct request *request, struct bo_documents *documents)
{
    meet_filters(&request->bench, documents);
    request->shard_json = bo_shard_take(request->shard, documents);
    if (documents->n == 0)
        fprintf(stderr, "bakeoff: bench: shard %u of %u has no documents\n", request->shard.k,
                request->shard.n);
    return request->shard_json != NULL;
}

/* Removes formats without held-out documents, because they have nothing to compare. */
static void take_off_formats_without_held_out(struct bo_documents *documents)
{
    for (size_t i = documents->n; i-- > 0;) {
        bool any = false;
        for (size_t k = 0; k < documents->n; k++)
            any = any || (documents->items[k].held_out &&
                          documents->items[k].format == documents->items[i].format);
        if (!any)
            bo_documents_take_off(documents, i);
    }
}

/*
 * False if document i is held out and an earlier document that is not held out has the same
 * content.
 */
static bool check_held_out(const struct bo_documents *documents, size_t i)
{
    const struct bo_document *a = &documents->items[i];
    for (size_t k = 0; k < i && a->held_out; k++) {
        const struct bo_document *b = &documents->items[k];
        if (b->held_out || b->format != a->format || b->hash != a->hash)
            continue;
        fprintf(stderr, "bakeoff: %s: not a held-out document: it has the content of %s\n", a->path,
                b->name);
        return false;
    }
    return true;
}

/* Loads the document's recorded workload: that of --workload, or the one next to it. */
static bool load_recorded(const struct request *request, struct bo_document *document)
{
    if (!request->recorded)
        return bo_document_load_recorded(document);
    document->recorded = bo_recorded_load(request->recorded, &document->arena);
    return document->recorded != NULL;
}

/* True when the recorded workload, if there is one, was recorded on the document. */
static bool is_recorded_on(const struct bo_document *document)
{
    const struct bo_recorded *recorded = document->recorded;
    return !recorded ||
           (recorded->format == document->format && recorded->header.document == document->hash);
}

/*
 * Loads and checks each document, counts its rows, and unloads it unless it is the only one,
 * because fork takes longer in a process with more memory. Removes the documents for which the file
 * of --workload was not recorded, and files in the user's folder that are not documents.
 */
static bool count_documents(struct request *request, struct bo_documents *documents)
{
    bool ok = true;
    uint64_t recorded_on = 0;
    request->n_rows = bo_or_abort(calloc(documents->n + 1, sizeof *request->n_rows));
    for (size_t i = 0; i < documents->n && ok;) {
        struct bo_document *document = &documents->items[i];
        const bool is_loaded = bo_document_load(document);
        /* The user did not name it: its folder may contain other files. */
        if (!is_loaded && document->external && !request->corpus) {
            bo_documents_leave_out(documents, i);
            continue;
        }
        ok = is_loaded && load_recorded(request, document) && check_held_out(documents, i) &&
             (request->agent ||
              bo_documents_check_sealed(&(struct bo_documents){.items = document, .n = 1}));
        if (ok && !is_recorded_on(document)) {
            recorded_on = document->recorded->header.document;
            bo_documents_take_off(documents, i);
        } else if (ok) {
            request->n_rows[i++] = bo_plan_count_rows(&request->bench, document);
            if (documents->n > 1)
                bo_document_unload(document);
        }
    }
    if (ok && documents->n == 0 && recorded_on)
        return !bo_usage_error("bench",
                               "%s was recorded on the document %016llx, which is not among "
                               "those chosen; --corpus names one",
                               request->recorded, (unsigned long long)recorded_on);
    return ok;
}

/* Results name documents. False after a message when two have one name. */
static bool are_distinct(const struct bo_documents *documents)
{
    for (size_t i = 0; i < documents->n; i++)
        for (size_t j = 0; j < i; j++) {
            const struct bo_document *a = &documents->items[j], *b = &documents->items[i];
            if (a->format == b->format && strcmp(a->name, b->name) == 0)
                return !bo_usage_error("bench", "two documents have the name %s/%s: %s and %s",
                                       a->format->name, a->name, a->path, b->path);
        }
    return true;
}

static bool load_documents(struct request *request, struct bo_documents *documents)
{
    const struct bo_format *format = NULL;
    if (request->format && !(format = bo_need_format("bench", request->format)))
        return false;
    bool ok = request->corpus ? add_documents(format, request->corpus, documents)
                              : bo_documents_list(format,
                                                  request->held_out ? BO_DOCUMENTS_EMBEDDED
                                                                    : request->depth->documents,
                                                  documents);
    if (ok && request->held_out) {
        ok = bo_documents_add_held_out(format, request->held_out, documents);
        take_off_formats_without_held_out(documents);
    }
    if (ok && request->scale)
        ok = add_present(format, NULL, true, documents);
    ok = ok && are_distinct(documents);
    if (ok && request->shard.n)
        ok = take_shard(request, documents);
    ok = ok && (request->against || count_documents(request, documents));
    if (ok && documents->n == 0 && !request->shard.n)
        ok = !bo_usage_error("bench", "no document to measure");
    return ok;
}

/* ---- results --------------------------------------------------------------------------------- */

static bool wants_codec(void *context, const struct bo_document *document,
                        const struct bo_codec *codec)
{
    return bo_filter_allows(context, codec->name) && bo_is_measured(document, codec);
}

static bool is_compressed(const struct request *request)
{
    return request->depth->compress && !request->no_compress;
}

static json_t *sizes_json(struct request *request, const struct bo_document *document,
                          struct bo_progress *progress)
{
    const struct bo_sizes_options options = {.compress = is_compressed(request) && !document->scale,
                                             .progress = progress,
                                             .wants = wants_codec,
                                             .context = &request->bench.codecs};
    return bo_sizes_json(document, &options);
}

/* The field's own programs are only part of a complete comparison. */
static void add_programs(const struct request *request, const struct bo_document *document,
                         json_t *sizes)
{
    const struct bo_bench_options *bench = &request->bench;
    if (!request->depth->programs || document->scale || bench->codecs.n || bench->kinds.n ||
        bench->workloads.n)
        return;
    json_t *programs = bo_programs_json(document, bench->rounds);
    if (programs)
        json_object_set_new(sizes, "programs", programs);
}

/* Creates the folders of a path, all but its last part. */
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

static bool is_folder_writable(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    if (access(folder, W_OK) == 0)
        return true;
    fprintf(stderr, "bakeoff: %s: %s\n", folder, strerror(errno));
    return false;
}

/* MACHINE/DATE.json in the folder of --json; the date has no punctuation. */
static void name_in_folder(const char *folder, char path_ret[PATH_MAX])
{
    char slug[BO_MAX_SLUG], date[32], compact[32];
    bo_this_machine_slug(slug);
    bo_date_utc(date, sizeof date);
    size_t n = 0;
    for (const char *p = date; *p; p++)
        if (*p != ':' && *p != '-')
            compact[n++] = *p;
    compact[n] = 0;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    snprintf(path_ret, PATH_MAX, "%s%s%s/%s.json", folder, slash, slug, compact);
}

/* Checks that the output can be written before minutes of measuring. False after a message. */
static bool prepare_output(struct request *request)
{
    const char *json = request->json;
    request->json_to_stdout = json && strcmp(json, "-") == 0;
    if (!json || request->json_to_stdout || request->resume)
        return true; /* the path of resumed results is known */
    const size_t n = strlen(json);
    if (n == 0 || n > PATH_MAX - 200)
        return !bo_usage_error("bench", "--json expects a path");
    if (json[n - 1] == '/' || bo_is_folder(json))
        name_in_folder(json, request->json_path);
    else
        snprintf(request->json_path, PATH_MAX, "%s", json);
    return make_folders(request->json_path) && is_folder_writable(request->json_path);
}

static bool write_results(const struct request *request, const struct bo_results *results)
{
    const bool ok = request->json_to_stdout ? bo_results_save("-", results)
                                            : bo_results_save(request->json_path, results);
    if (ok && !request->json_to_stdout)
        fprintf(stderr, "bakeoff: wrote %s\n", request->json_path);
    return ok;
}

static bool has_failed(const struct bo_bench_cell *cell)
{
    for (unsigned r = 0; r < cell->n_rows && !bo_cell_refusal(cell); r++)
        if (cell->rows[r].failure[0])
            return true;
    return false;
}

static unsigned terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60 ? size.ws_col : 120;
}

/* A name that matched nothing is an error of the user, not an empty table. */
static bool all_met(struct request *request)
{
    struct bo_filter *const filters[] = {&request->bench.codecs, &request->bench.kinds,
                                         &request->bench.workloads};
    static const char *const what[] = {"codec", "kind", "workload"};
    for (size_t i = 0; i < 3; i++) {
        const char *suggestion, *unknown = bo_filter_unmatched(filters[i], &suggestion);
        if (unknown)
            return !bo_usage_error("bench", "no %s '%s' for the selected documents%s", what[i],
                                   unknown, suggestion);
    }
    return true;
}

/*
 * Adds the options that determine what is measured, so that runs with other options are not
 * confused with this one. --corpus may contain a user's paths, which stay private: the results list
 * the documents, so the options contain only whether they were selected.
 */
static void add_request(const struct request *request, json_t *ours)
{
    json_object_set_new(ours, "options",
                        json_pack("{s:s, s:s?, s:b, s:s?, s:s?, s:s?, s:b, s:b, s:b, s:i}", "depth",
                                  request->depth->name, "format", request->format, "corpus",
                                  request->corpus != NULL, "codec", request->codec, "kind",
                                  request->kind, "workload", request->workload, "scale",
                                  request->scale, "quick", request->quick, "compress",
                                  is_compressed(request), "time_limit_s", (int)request->limit_s));
    if (request->shard_json)
        json_object_set(ours, "shard", request->shard_json);
}

static bool print_held_out(const struct bo_results *results, FILE *out)
{
    struct bo_run run;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const bool ok = bo_run_take(bo_results_json(results), "bench", &run);
    for (const struct bo_format *const *f = bo_formats; *f && ok; f++) {
        struct bo_grid grid;
        const char *caption = bo_held_out_grid(&run, (*f)->name, &arena, &grid);
        if (!caption)
            continue;
        fputc('\n', out);
        bo_grid_text(&grid, terminal_width(), out);
        fprintf(out, "\n%s.\n", caption);
    }
    bo_run_free(&run);
    bo_arena_free(&arena);
    return ok;
}

/* ---- a run, document by document ------------------------------------------------------------- */

struct session {
    struct request *request;
    struct bo_documents *documents;
    struct bo_results *results; /* NULL: only tables are printed */
    struct bo_progress progress;
    unsigned n_done;  /* documents */
    unsigned n_short; /* documents with fewer repetitions because of the limit */
    bool any_failed;
};

/* The steps of progress of a document's checks, and of each of its rounds. */
static uint64_t round_steps(const struct session *session, const struct bo_document *document)
{
    return session->request->n_rows[document - session->documents->items] * bo_row_steps(document);
}

/* The steps of all rounds and checks of a document, and one for each size. */
static uint64_t steps_of(const struct session *session, const struct bo_document *document)
{
    return round_steps(session, document) * (session->request->bench.rounds + 1) +
           (session->results ? bo_sizes_count(document->format) : 0);
}

static bool is_done(const struct session *session, const struct bo_document *document)
{
    return session->results && bo_results_have(session->results, document);
}

/* Limits the rounds of a document if the run has a time limit. */
static void limit_rounds(const struct session *session, const struct bo_document *document,
                         struct bo_bench_options *options)
{
    const uint64_t now = bo_wall_ns();
    const double spent_ns = (double)(now - session->progress.started_ns);
    if (session->request->limit_s)
        bo_rounds_limit(&session->progress, fmax(0, session->request->limit_s * 1e9 - spent_ns),
                        (double)steps_of(session, document), now, options);
}

/* Prints one line per document, on a terminal and in a pipe. */
static void announce(struct session *session, const struct bo_plan *plan, uint64_t started_ns,
                     unsigned n_rounds)
{
    const struct bo_document *document = plan->on->document;
    const unsigned rounds = session->request->bench.rounds;
    char left[32], some[64] = "";
    bo_progress_left(&session->progress, left);
    bo_progress_end(&session->progress);
    if (n_rounds < rounds)
        snprintf(some, sizeof some, ", %u of %u repetitions", n_rounds, rounds);
    fprintf(stderr, "bakeoff: %u of %zu: %s/%s: %u rows%s, %.1f s; about %s left\n",
            session->n_done, session->documents->n, document->format->name, document->name,
            plan->n_rows, some, (double)(bo_wall_ns() - started_ns) / 1e9, left);
}

/* The measurements of an interrupted document are kept when every row has a repetition. */
static bool keep(struct session *session, const struct bo_plan *plan, json_t *sizes,
                 unsigned n_rounds, bool is_complete)
{
    const struct request *request = session->request;
    if (!is_complete)
        json_object_set_new(sizes, "complete_rounds", json_integer((json_int_t)n_rounds));
    if (session->results && n_rounds)
        bo_results_add(session->results, plan, sizes);
    else
        json_decref(sizes);
    session->n_done += is_complete;
    if (!session->results)
        return true;
    bo_results_mark(bo_results_context(session->results), session->documents);
    return !request->json || request->json_to_stdout ||
           bo_results_save(request->json_path, session->results);
}

static void show(struct session *session, const struct bo_plan *plan)
{
    for (unsigned c = 0; c < plan->n_cells; c++)
        session->any_failed = session->any_failed || has_failed(&plan->cells[c]);
    if (!session->request->json_to_stdout)
        bo_table_print(plan, terminal_width(), stdout);
    fflush(stdout);
}

/* ---- other layouts --------------------------------------------------------------------------- */

enum { MAX_AGENT_WORDS = 48 };

/* The arguments with which a link plans the same rows. */
static void agent_words(const struct request *request, const struct bo_document *document,
                        char rounds[16], const char *words[MAX_AGENT_WORDS])
{
    const bool is_users = document->held_out || strcmp(document->provenance, document->path) == 0;
    snprintf(rounds, 16, "%u", request->bench.rounds);
    const char *const options[][2] = {
        {"--format", document->format->name},
        {"--corpus", is_users ? document->path : document->name},
        {"--repetitions", rounds},
        {"--codec", request->codec},
        {"--kind", request->kind},
        {"--workload", request->workload},
    };
    unsigned n = 0;
    for (unsigned i = 0; bo_loaded_plugin(i) && n + 20 < MAX_AGENT_WORDS; i++) {
        words[n++] = "--plugin";
        words[n++] = bo_loaded_plugin(i);
    }
    words[n++] = "bench";
    words[n++] = "--agent";
    if (request->full)
        words[n++] = "--full"; /* plans the same variants */
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i][1]) {
            words[n++] = options[i][0];
            words[n++] = options[i][1];
        }
    words[n] = NULL;
}

static enum bo_status run_rounds(struct session *session, const struct bo_plan *plan,
                                 unsigned *n_rounds_ret, struct bo_error *err)
{
    struct request *request = session->request;
    struct bo_bench_options options = request->bench;
    limit_rounds(session, plan->on->document, &options);
    struct bo_agents agents;
    const char *words[MAX_AGENT_WORDS];
    char rounds[16];
    if (request->links.n == 0)
        return bo_rounds_run(plan->cells, plan->n_cells, &options, &session->progress, n_rounds_ret,
                             err);
    agent_words(request, plan->on->document, rounds, words);
    enum bo_status status = bo_agents_start(&request->links, words, plan, &options, &agents, err);
    options.agents = &agents;
    if (status == BO_OK)
        status = bo_rounds_run(plan->cells, plan->n_cells, &options, &session->progress,
                               n_rounds_ret, err);
    bo_agents_stop(&agents);
    return status;
}

static bool make_links(struct request *request)
{
    if (request->layouts == 0)
        return true;
    fprintf(stderr, "bakeoff: linking %u layouts\n", request->layouts);
    return bo_links_make(request->layouts, request->layout_seed, &request->links);
}

/* The entry of the links in the results. */
static json_t *layouts_json(const struct bo_links *links)
{
    return json_pack("{s:i, s:I, s:s, s:i}", "n", (int)links->n, "seed", (json_int_t)links->seed,
                     "linker", links->linker, "functions", (int)links->n_functions);
}

/* For a link: plans its one document like the parent, and serves the parent. */
static int serve_agent(struct request *request, const struct bo_documents *documents)
{
    struct bo_arena arena;
    struct bo_plan plan;
    struct bo_error err = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (bo_plan_make(&request->bench, documents->items, &arena, &plan, &err))
        return bo_file_error("bench", &err);
    const bool ok = bo_agent_serve(&plan, &request->bench);
    bo_plan_close(&plan);
    bo_arena_free(&arena);
    return ok ? BO_EXIT_OK : bo_usage_error("bench", "--agent is for internal use only");
}

/* ---- documents, one after the other ---------------------------------------------------------- */

static enum bo_status measure_planned(struct session *session, const struct bo_plan *plan,
                                      struct bo_error *err)
{
    struct request *request = session->request;
    const uint64_t started_ns = bo_wall_ns();
    const uint64_t done_after = session->progress.done + steps_of(session, plan->on->document);
    const struct bo_document *document = plan->on->document;
    const unsigned rounds = request->bench.rounds;
    unsigned n_rounds = 0;
    json_t *sizes =
        session->results ? sizes_json(request, document, &session->progress) : json_object();
    if (session->results && !bo_interrupted())
        add_programs(request, document, sizes);
    enum bo_status status = BO_OK;
    if (!bo_interrupted())
        status = run_rounds(session, plan, &n_rounds, err);
    const bool is_complete =
        n_rounds == rounds || (n_rounds && status == BO_OK && !bo_interrupted());
    const uint64_t n_skipped = round_steps(session, document) * (rounds - n_rounds);
    session->progress.total -= n_skipped;
    session->progress.done = done_after - n_skipped; /* some query sets may have been empty */
    session->n_short += is_complete && n_rounds < rounds;
    if (!keep(session, plan, sizes, n_rounds, is_complete))
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot write the results");
    if (is_complete)
        announce(session, plan, started_ns, n_rounds);
    if (n_rounds)
        show(session, plan);
    return status;
}

/*
 * Loads, plans and frees one document at a time, because fork takes longer in a process with more
 * memory.
 */
static enum bo_status measure_document(struct session *session, struct bo_document *document,
                                       struct bo_error *err)
{
    struct bo_arena arena;
    struct bo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (!document->model &&
        !(bo_document_load(document) && load_recorded(session->request, document)))
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "a document cannot be loaded again");
    enum bo_status status = bo_plan_make(&session->request->bench, document, &arena, &plan, err);
    if (status == BO_OK)
        status = measure_planned(session, &plan, err);
    bo_plan_close(&plan);
    bo_arena_visit(&arena, bo_huge_return); /* encoders read the next model in small pages */
    bo_arena_free(&arena);
    bo_document_unload(document);
    return status;
}

static enum bo_status measure_documents(struct session *session, struct bo_error *err)
{
    struct bo_documents *documents = session->documents;
    uint64_t n_steps = 0;
    enum bo_status status = BO_OK;
    for (size_t d = 0; d < documents->n; d++) {
        session->n_done += is_done(session, &documents->items[d]);
        n_steps +=
            is_done(session, &documents->items[d]) ? 0 : steps_of(session, &documents->items[d]);
    }
    session->progress = bo_progress_start("measuring", n_steps);
    for (size_t d = 0; d < documents->n && status == BO_OK && !bo_interrupted(); d++)
        if (!is_done(session, &documents->items[d]))
            status = measure_document(session, &documents->items[d], err);
    bo_progress_end(&session->progress);
    return status;
}

/* ---- the start and the end of a run ---------------------------------------------------------- */

/* True when a codec failed on a document that it supports. */
static bool run_has_failed(const struct bo_run *run)
{
    for (size_t d = 0; d < run->n_documents; d++)
        for (unsigned c = 0; c < run->documents[d].n_codecs; c++) {
            const struct bo_run_codec *codec = &run->documents[d].codecs[c];
            const struct bo_run_row *row;
            unsigned at = 0;
            while (!bo_run_refusal(codec) &&
                   (row = bo_run_next_row(&run->documents[d], codec, &at)))
                if (row->failure)
                    return true;
        }
    return false;
}

/*
 * Replaces *results by those that --resume continues; *has_failed_ret is whether these have
 * failures. False after a message.
 */
static bool resume(struct request *request, const struct bo_documents *documents,
                   struct bo_results **results, bool *has_failed_ret)
{
    const char *folder = request->json && bo_is_folder(request->json) ? request->json : "results";
    const bool is_file = request->json && !bo_is_folder(request->json);
    if (request->resumed && is_file && strcmp(request->resumed, request->json) != 0)
        return !bo_usage_error("bench", "--resume %s continues in that file, not in --json %s",
                               request->resumed, request->json);
    if (!request->resumed && is_file)
        request->resumed = request->json;
    struct bo_run run;
    bool ok = request->resumed ? bo_run_load(request->resumed, &run)
                               : bo_run_load_newest_partial(folder, &run);
    if (ok && !run.environment.partial) {
        fprintf(stderr, "bakeoff: %s: the results are complete: nothing to resume\n", run.path);
        ok = false;
    }
    *has_failed_ret = ok && run_has_failed(&run);
    if (ok) {
        snprintf(request->json_path, PATH_MAX, "%s", run.path);
        request->json = request->json_path;
        ok = bo_results_resume(request->json_path, run.json, documents, results);
    }
    bo_run_free(&run);
    return ok;
}

/*
 * Starts the session's results, empty or with those of the interrupted run. False after a message.
 */
static bool start_results(struct session *session)
{
    struct request *request = session->request;
    if (!request->json && !request->held_out && !request->resume)
        return true;
    /* records the load before the run, without the run's own */
    json_t *context = bo_machine_context();
    add_request(request, json_object_get(context, "bakeoff"));
    if (request->links.n)
        json_object_set_new(json_object_get(context, "bakeoff"), "layouts",
                            layouts_json(&request->links));
    session->results = bo_results_start(&request->bench, context);
    return !request->resume ||
           resume(request, session->documents, &session->results, &session->any_failed);
}

static int finish(struct session *session)
{
    struct request *request = session->request;
    const struct bo_results *results = session->results;
    const bool is_partial = bo_interrupted();
    bool ok = !results || !request->json || write_results(request, results);
    if (session->n_short)
        fprintf(stderr,
                "bakeoff: bench: documents with fewer than %u repetitions because of the limit of "
                "%u s: %u of %u; `--time-limit 0` removes the limit\n",
                request->bench.rounds, request->limit_s, session->n_short, session->n_done);
    if (is_partial)
        fprintf(stderr, "bakeoff: bench: interrupted after %u of %zu documents%s\n",
                session->n_done, session->documents->n,
                request->json_path[0] ? "; `--resume` with the same options measures the rest"
                                      : "");
    if (ok && request->held_out && !is_partial)
        ok = print_held_out(results, request->json_to_stdout ? stderr : stdout);
    if (ok && request->report && !is_partial)
        ok = bo_report_run(request->json_path);
    if (!ok)
        return BO_EXIT_USAGE;
    return is_partial ? BO_EXIT_INTERRUPTED : session->any_failed ? BO_EXIT_FAILED : BO_EXIT_OK;
}

static int measure(struct request *request, struct bo_documents *documents)
{
    struct session session = {.request = request, .documents = documents};
    struct bo_error err = {0};
    uint64_t n_rows = 0;
    if (!all_met(request))
        return BO_EXIT_USAGE;
    for (size_t d = 0; d < documents->n; d++)
        n_rows += request->n_rows[d];
    request->bench.min_time_s =
        bo_plan_min_time(n_rows, request->bench.rounds, request->depth->budget_s);
    bo_interrupt_watch();
    int code = BO_EXIT_USAGE;
    if (prepare_output(request) && make_links(request) && start_results(&session))
        code = measure_documents(&session, &err) ? bo_file_error("bench", &err) : finish(&session);
    bo_links_remove(&request->links);
    bo_results_free(session.results);
    return code;
}

/* ---- results that are contributed ------------------------------------------------------------ */

static int check_results(const char *path)
{
    struct bo_documents documents = {NULL, 0};
    struct bo_run run = {.json = NULL};
    bool ok = bo_run_load(path, &run) && bo_documents_list(NULL, BO_DOCUMENTS_EMBEDDED, &documents);
    for (size_t i = 0; i < documents.n && ok; i++) {
        struct bo_document *document = &documents.items[i];
        if (bo_run_document(&run, document->format->name, document->name))
            ok = bo_document_load(document);
    }
    int code = BO_EXIT_USAGE;
    if (ok) {
        const unsigned n = bo_contribution_problems(&run, path, &documents, stdout);
        printf("%s: %s\n", path, n ? "not accepted" : "accepted");
        code = n ? BO_EXIT_FAILED : BO_EXIT_OK;
    }
    bo_documents_free(&documents);
    bo_run_free(&run);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Each build loads the documents itself. */
static int measure_against(struct request *request, const struct bo_documents *documents)
{
    if (!prepare_output(request))
        return BO_EXIT_USAGE;
    const struct bo_against against = {
        .build = request->against,
        .codec = request->codec,
        .kind = request->kind,
        .workload = request->workload,
        .depth = request->quick  ? "--quick"
                 : request->full ? "--full"
                                 : NULL,
        .compress = request->json && is_compressed(request),
        .rounds = request->bench.rounds,
        .order_seed = request->bench.order_seed,
        .threshold = request->threshold,
        .json_path = request->json ? request->json_path : NULL,
    };
    return bo_bench_against(&against, documents);
}

int bo_cmd_bench(int argc, char **argv)
{
    struct request request = {.format = NULL};
    const int parsed = parse_request(argc, argv, &request);
    if (parsed < 0)
        return bo_options_exit(parsed);
    if (request.check)
        return check_results(request.check);
    struct bo_documents documents = {NULL, 0};
    int code = BO_EXIT_USAGE;
    if (load_documents(&request, &documents))
        code = request.agent     ? serve_agent(&request, &documents)
               : request.against ? measure_against(&request, &documents)
                                 : measure(&request, &documents);
    bo_documents_free(&documents);
    free(request.n_rows);
    json_decref(request.shard_json);
    return code;
}
