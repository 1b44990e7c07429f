/* bakeoff report: REPORT.md, CSV and pictures from the newest results. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/report_page.h"
#include "bench/report_sizes.h"
#include "bench/report_text.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"

int bo_cmd_report(int argc, char **argv);

/* ---- checking -------------------------------------------------------------------------------- */

/* The checked sizes as a malloced string; NULL after a message. */
static char *fresh_sizes(void)
{
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    if (!out)
        abort();
    const bool ok = bo_sizes_block(out);
    fclose(out);
    if (ok)
        return text;
    free(text);
    return NULL;
}

static int check_sizes(const char *path)
{
    struct bo_input in;
    if (!bo_input_open(path, &in))
        return BO_EXIT_USAGE;
    char *report = strndup((const char *)in.bytes.p, in.bytes.n);
    char *fresh = fresh_sizes();
    int code = BO_EXIT_USAGE;
    if (report && fresh)
        code = bo_sizes_compare(report, fresh, stdout) ? BO_EXIT_OK : BO_EXIT_FAILED;
    if (code == BO_EXIT_OK)
        printf("the sizes in %s are those of a fresh run\n", in.path);
    else if (code == BO_EXIT_FAILED)
        fprintf(stderr, "bakeoff: %s: its sizes are not those of a fresh run\n", in.path);
    free(fresh);
    free(report);
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

static bool write_page(const struct bo_page *page, const char *path)
{
    struct bo_page printed = *page;
    char *text = NULL;
    size_t nbytes;
    printed.out = open_memstream(&text, &nbytes);
    if (!printed.out)
        abort();
    bool ok = bo_page_print(&printed);
    fclose(printed.out);
    ok = ok && bo_output(path, (struct bo_span){(const uint8_t *)text, nbytes});
    free(text);
    if (ok)
        fprintf(stderr, "bakeoff: wrote %s\n", path);
    return ok;
}

static int write_report(const char *results, const char *output)
{
    struct bo_run run;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bool ok = bo_run_load(results, &run);
    if (ok) {
        const char *slash = strrchr(results, '/');
        const char *pictures = bo_arena_printf(&arena, "results/%s", bo_run_fact(&run, "machine"));
        const char *folder = bo_arena_printf(&arena, "%s/%s", output, pictures);
        const struct bo_page page = {
            .run = &run,
            .results = bo_arena_printf(&arena, "%s/%s", pictures, slash ? slash + 1 : results),
            .pictures = pictures,
            .arena = &arena,
        };
        ok = make_folder(output) && make_folder(bo_arena_printf(&arena, "%s/results", output)) &&
             make_folder(folder) && bo_page_files(&run, folder) &&
             write_page(&page, bo_arena_printf(&arena, "%s/REPORT.md", output));
    }
    bo_run_free(&run);
    bo_arena_free(&arena);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

/* ---- the command ----------------------------------------------------------------------------- */

int bo_cmd_report(int argc, char **argv)
{
    const char *results = NULL, *output = ".";
    bool check = false;
    const struct bo_option options[] = {
        {"--results", 0, "FILE", "of `bench --json` (default: the newest in results/)", &results,
         NULL},
        {"--output", 'o', "DIR", "where REPORT.md and results/ are (default: here)", &output, NULL},
        {"--check-sizes", 0, NULL,
         "compare the sizes in REPORT.md with a fresh run's; write nothing", NULL, &check},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "report", "[--results FILE] [--output DIR] [--check-sizes]",
        "Writes DIR/REPORT.md, and CSV and pictures to DIR/results/MACHINE. Pictures need\n"
        "gnuplot. With --check-sizes: exit code 1 when the embedded corpora's sizes in the\n"
        "report differ.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 0)
        return bo_usage_error("report", "does not know what to do with '%s'", argv[1]);
    if (check) {
        char *path = NULL;
        if (asprintf(&path, "%s/REPORT.md", output) < 0)
            abort();
        const int code = check_sizes(path);
        free(path);
        return code;
    }
    char *newest = results ? NULL : bo_run_newest("results", NULL);
    const int code =
        results || newest ? write_report(results ? results : newest, output) : BO_EXIT_USAGE;
    free(newest);
    return code;
}
