/* bakeoff report: REPORT.md, CSV and pictures from the newest results. */
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/report/fuzz.h"
#include "bench/report/report.h"
#include "bench/report/sizes.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report.h"
#include "harness/core/files.h"
#include "harness/core/print.h"

int bo_cmd_report(int argc, char **argv);

/* Writes the file if `ok`. It was in memory so far, so that it is never incomplete. */
static bool end_file(struct bo_memory_file *file, bool ok, const char *path)
{
    ok = ok && bo_output(path, bo_memory_bytes(file));
    bo_memory_free(file);
    return ok;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Prints the difference between the page and a new one. */
static void print_difference(const char *path, struct bo_span fresh)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const char *quoted = bo_shell_quoted(&arena, path);
    fflush(stdout);
    signal(SIGPIPE, SIG_IGN); /* where there is no `diff` */
    FILE *diff = popen(bo_arena_printf(&arena, "diff -u -- %s -", quoted), "w");
    if (diff) {
        fwrite(fresh.p, 1, fresh.n, diff);
        pclose(diff);
    }
    bo_arena_free(&arena);
}

static int check_sizes(const char *path)
{
    struct bo_input in;
    struct bo_memory_file file;
    if (!bo_input_open(path, &in))
        return BO_EXIT_USAGE;
    int code = bo_sizes_page(bo_memory_open(&file)) ? BO_EXIT_OK : BO_EXIT_USAGE;
    const struct bo_span fresh = bo_memory_bytes(&file);
    if (code == BO_EXIT_OK && bo_span_equal(in.bytes, fresh)) {
        printf("the sizes in %s are those of a fresh run\n", in.path);
    } else if (code == BO_EXIT_OK) {
        fprintf(stderr, "bakeoff: %s: its sizes differ from those of a new run\n", in.path);
        print_difference(path, fresh);
        code = BO_EXIT_FAILED;
    }
    bo_memory_free(&file);
    bo_input_close(&in);
    return code;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "bakeoff: %s: %s\n", path, strerror(errno));
    return false;
}

/* Starts a page of the report whose links begin at `root`. */
static void begin_page(struct bo_memory_file *file, struct bo_report *report, const char *root)
{
    report->out = bo_memory_open(file);
    report->root = root;
}

/* REPORT.md. */
static bool write_page(struct bo_report *report, bool with_sizes, const char *path)
{
    struct bo_memory_file file;
    begin_page(&file, report, "");
    bo_report_print(report, with_sizes);
    if (!end_file(&file, true, path))
        return false;
    fprintf(stderr, "bakeoff: wrote %s\n", path);
    return true;
}

static bool write_sizes(const char *path)
{
    struct bo_memory_file file;
    const bool ok = bo_sizes_page(bo_memory_open(&file));
    return end_file(&file, ok, path);
}

static bool write_environments(struct bo_report *report, const char *path)
{
    struct bo_memory_file file;
    begin_page(&file, report, "../");
    bo_report_environments(report);
    return end_file(&file, true, path);
}

static bool write_fuzz_page(const char *path, struct bo_arena *arena)
{
    struct bo_memory_file file;
    bo_fuzz_page("results/fuzz", arena, bo_memory_open(&file));
    return end_file(&file, true, path);
}

/* results/FORMAT.md for each measured format. */
static bool write_document_pages(struct bo_report *report, const char *output)
{
    bool ok = true;
    for (const struct bo_format *const *f = bo_formats; *f && ok; f++) {
        struct bo_memory_file file;
        if (!bo_report_run_of(report, (*f)->name, false))
            continue;
        begin_page(&file, report, "../");
        bo_report_documents(report, *f);
        ok = end_file(&file, true,
                      bo_arena_printf(report->arena, "%s/results/%s.md", output, (*f)->name));
    }
    return ok;
}

/* The options of the command line. */
struct request {
    const char *results; /* NULL: the newest of each format */
    const char *machine; /* NULL: all machines */
    const char *output;
    const char *charts; /* NULL: the path where `make` puts the library, if it exists */
    bool page_only, run_only;
};

/*
 * The chart library as a text in the arena. *text_ret is NULL when the library is missing and not
 * required.
 */
static bool load_charts(const struct request *r, struct bo_arena *arena, const char **text_ret)
{
    static const char made[] = "build/page/charts.js";
    struct bo_input in;
    *text_ret = NULL;
    if (!r->charts && access(made, R_OK) != 0)
        return true;
    if (!bo_input_open(r->charts ? r->charts : made, &in))
        return false;
    const char *text = bo_arena_printf(arena, "%.*s", (int)in.bytes.n, (const char *)in.bytes.p);
    const bool ok = !strstr(text, "</script") && !strstr(text, "<!--");
    if (!ok)
        fprintf(stderr, "bakeoff: %s: not usable in a page, because it contains </script or <!--\n",
                in.path);
    bo_input_close(&in);
    *text_ret = text;
    return ok;
}

/* DIR/build/report/index.html. */
static bool write_html(struct bo_report *report, const struct request *r)
{
    struct bo_arena *arena = report->arena;
    const char *charts;
    struct bo_memory_file file;
    const char *build = bo_arena_printf(arena, "%s/build", r->output);
    const char *folder = bo_arena_printf(arena, "%s/report", build);
    const char *path = bo_arena_printf(arena, "%s/index.html", folder);
    if (!load_charts(r, arena, &charts) || !make_folder(build) || !make_folder(folder))
        return false;
    begin_page(&file, report, "../../");
    bo_html_print(report, r->output, charts);
    if (!end_file(&file, true, path))
        return false;
    fprintf(stderr, "bakeoff: wrote %s\n", path);
    return true;
}

/* Updates the report's parts in a hand-written page. Does nothing if the page does not exist. */
static bool fill_page(struct bo_report *report, const char *path, const char *root)
{
    struct bo_input in;
    struct bo_memory_file file;
    if (access(path, F_OK) != 0)
        return true;
    if (!bo_input_open(path, &in))
        return false;
    char *text = strndup((const char *)in.bytes.p, in.bytes.n);
    if (!text)
        abort();
    begin_page(&file, report, root);
    bool ok = bo_inserts_print(report, text, path);
    /* an unchanged page keeps its modification time */
    if (ok && strcmp((const char *)bo_memory_bytes(&file).p, text) == 0)
        bo_memory_free(&file);
    else
        ok = end_file(&file, ok, path);
    free(text);
    bo_input_close(&in);
    return ok;
}

static bool fill_pages(struct bo_report *report, const char *output)
{
    glob_t found;
    bool ok = fill_page(report, bo_arena_printf(report->arena, "%s/README.md", output), "");
    if (glob(bo_arena_printf(report->arena, "%s/docs/*.md", output), 0, NULL, &found) != 0)
        return ok;
    for (size_t i = 0; i < found.gl_pathc && ok; i++)
        ok = fill_page(report, found.gl_pathv[i], "../");
    globfree(&found);
    return ok;
}

static struct bo_report_run source_of(const struct bo_run *run, bool with_pictures,
                                      struct bo_arena *arena)
{
    const char *pictures =
        bo_arena_printf(arena, "results/%s", bo_environment_fact(&run->environment, "machine"));
    return (struct bo_report_run){
        .run = run,
        .results = bo_arena_printf(arena, "%s/%s", pictures, basename(run->path)),
        .pictures = with_pictures ? pictures : NULL,
    };
}

static bool write_report(const struct bo_run *runs, size_t n, const struct request *r,
                         struct bo_arena *arena)
{
    const char *output = r->output;
    struct bo_report_run *sources = bo_array_or_abort(arena, n, sizeof *sources);
    struct bo_report report = {.runs = sources, .n = n, .arena = arena};
    const char *results = bo_arena_printf(arena, "%s/results", output);
    bool ok = make_folder(output) && make_folder(results);
    for (size_t i = 0; i < n; i++)
        sources[i] = source_of(&runs[i], !r->run_only, arena);
    for (size_t i = 0; i < n && ok && !r->page_only && !r->run_only; i++) {
        const char *folder = bo_arena_printf(arena, "%s/%s", output, sources[i].pictures);
        ok = make_folder(folder) && bo_pictures_draw(&report, i, folder);
    }
    if (r->page_only)
        return ok && write_html(&report, r);
    /*
     * Encoding all embedded documents takes 20 s, and the report of one run is only about its
     * documents. The sizes do not depend on the run.
     */
    const char *sizes = bo_arena_printf(arena, "%s/sizes.md", results);
    ok = ok && (r->results || write_sizes(sizes));
    const bool with_sizes = !r->results || (r->run_only && access(sizes, F_OK) == 0);
    ok = ok && write_environments(&report, bo_arena_printf(arena, "%s/environments.md", results)) &&
         write_page(&report, with_sizes, bo_arena_printf(arena, "%s/REPORT.md", output)) &&
         write_document_pages(&report, output);
    if (r->run_only)
        return ok;
    return ok && write_fuzz_page(bo_arena_printf(arena, "%s/fuzz.md", results), arena) &&
           fill_pages(&report, output) && write_html(&report, r);
}

/* Warns about results of formats that this program lacks. False when there are no others. */
static bool names_known_formats(const struct bo_run *runs, size_t n)
{
    bool is_any_known = false;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < runs[i].n_documents; d++) {
            const char *format = runs[i].documents[d].format;
            const bool is_known = bo_find_format(format);
            is_any_known = is_any_known || is_known;
            if (!is_known && (d == 0 || strcmp(format, runs[i].documents[d - 1].format) != 0))
                fprintf(stderr,
                        "bakeoff: %s: results of %s are left out: no format of this name; is "
                        "--plugin missing?\n",
                        runs[i].path, format);
        }
    if (!is_any_known)
        fprintf(stderr, "bakeoff: report: no results of a known format\n");
    return is_any_known;
}

/* Writes the report from one file of results, or (NULL) from those that represent each format. */
static int report(const struct request *r)
{
    const char *results = r->results;
    struct bo_arena arena;
    struct bo_run *runs, one;
    size_t n = 1;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (results && !r->run_only) {
        runs = &one;
        if (!bo_run_load(results, &one)) {
            bo_run_free(&one);
            n = 0;
        }
    } else {
        n = bo_runs_newest("results", r->machine, results, &arena, &runs);
    }
    for (size_t i = 0; i < n; i++)
        bo_fuzz_mark_run("results/fuzz", &runs[i]);
    const bool ok = n && names_known_formats(runs, n) && write_report(runs, n, r, &arena);
    while (n)
        bo_run_free(&runs[--n]);
    bo_arena_free(&arena);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

bool bo_report_run(const char *results)
{
    const struct request r = {.results = results, .output = ".", .run_only = true};
    return report(&r) == BO_EXIT_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

int bo_cmd_report(int argc, char **argv)
{
    struct request r = {.output = "."};
    bool check = false;
    const struct bo_option options[] = {
        {"--results", 0, "FILE",
         "of `bench --json` (default: the newest --full run of each format in results/)",
         &r.results, NULL},
        {"--machine", 0, "NAME",
         "from the results in results/NAME alone (default: of all machines)", &r.machine, NULL},
        {"--output", 'o', "DIR", "where REPORT.md and results/ are (default: here)", &r.output,
         NULL},
        {"--page", 0, NULL, "write the HTML page alone, with the existing pictures", NULL,
         &r.page_only},
        {"--charts", 0, "FILE",
         "the page's chart library (default: build/page/charts.js, which `make report` fetches)",
         &r.charts, NULL},
        {"--check-sizes", 0, NULL,
         "compare the sizes in results/sizes.md with a fresh run's; write nothing", NULL, &check},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "report",
        "[--results FILE | --machine NAME] [--output DIR] [--page] [--charts FILE] [--check-sizes]",
        "Writes DIR/REPORT.md, a page a format, the sizes of the embedded documents and the\n"
        "environments to DIR/results, CSV and pictures to DIR/results/MACHINE, the marked parts\n"
        "of README.md and docs/*.md, and everything as one page, DIR/build/report/index.html.\n"
        "Pictures need gnuplot. With --check-sizes: exit code 1 when the sizes in\n"
        "DIR/results/sizes.md are not those of a fresh run.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 0)
        return bo_usage_error("report", "unexpected argument '%s'", argv[1]);
    if (r.machine && r.results)
        return bo_usage_error("report", "--machine cannot be combined with --results");
    if (check && (r.page_only || r.results || r.machine || r.charts))
        return bo_usage_error(
            "report",
            "--check-sizes cannot be combined with --page, --results, --machine or --charts");
    if (check) {
        char *path = NULL;
        if (asprintf(&path, "%s/results/sizes.md", r.output) < 0)
            abort();
        const int code = check_sizes(path);
        free(path);
        return code;
    }
    return report(&r);
}
