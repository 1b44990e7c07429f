/* bakeoff compare: the changes from one run to another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/json.h"
#include "cli/options.h"

int bo_cmd_compare(int argc, char **argv);

bool bo_parse_threshold(const char *command, const char *text, double *share_ret)
{
    char *end;
    const double percent = strtod(text, &end);
    if (end == text || *end || !(percent >= 0 && percent <= 1000))
        return !bo_usage_error(command, "--threshold expects percent, such as 5");
    *share_ret = percent / 100;
    return true;
}

static unsigned output_width(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return 160;
}

int bo_compare_results(const char *command, const struct bo_run *before, const struct bo_run *after,
                       double threshold, enum bo_compare_style style, bool all)
{
    struct bo_arena arena;
    struct bo_document_changes *documents;
    bool worse = false;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const size_t n = bo_compare_runs(before, after, threshold, &arena, &documents);
    for (size_t d = 0; d < n; d++)
        worse = worse || documents[d].n_of[BO_WORSE];
    int code = worse ? BO_EXIT_FAILED : BO_EXIT_OK;
    if (n == 0)
        code = bo_usage_error(command, "the two runs have no common document");
    else if (style == BO_COMPARE_JSON)
        code = bo_json_print(bo_compare_json(documents, n), code);
    else
        bo_compare_print(documents, n, all,
                         style == BO_COMPARE_MD ? BO_COMPARE_MARKDOWN : output_width(), &arena,
                         stdout);
    if (n && style != BO_COMPARE_JSON)
        printf("%s%s\n", style == BO_COMPARE_MD ? "\n" : "", bo_compare_how(before, after));
    bo_arena_free(&arena);
    return code;
}

int bo_cmd_compare(int argc, char **argv)
{
    const char *percent = "5", *style = NULL;
    bool all = false, as_json = false;
    const struct bo_option options[] = {
        {"--threshold", 0, "PERCENT", "smaller changes of a time are not reported (default: 5)",
         &percent, NULL},
        {"--all", 0, NULL, "every figure, also those that did not change", NULL, &all},
        {"--style", 0, "text|md", "text (default) or md", &style, NULL},
        {"--json", 0, NULL, "every figure, for programs", NULL, &as_json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "compare", "OLD.json NEW.json [--threshold PERCENT] [--all] [--style text|md] [--json]",
        "Compares two results of `bench --json`, and reports what is better or worse in NEW.\n"
        "Times are compared by Mann-Whitney's test, with Holm's correction over a document's\n"
        "rows; a ratio is printed with its 95% interval. Sizes, memory and pages are exact: any\n"
        "change is reported. Times of two processors are not judged: they are printed side by\n"
        "side, each divided by the time of the baseline codec.\n"
        "Exits with 1 when something is worse.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    double threshold = 0;
    if (n != 2)
        return bo_usage_error("compare", "expects two files of results");
    if (as_json && style)
        return bo_usage_error("compare", "--json cannot be combined with --style");
    const bool markdown = style && strcmp(style, "md") == 0;
    if (style && !markdown && strcmp(style, "text") != 0)
        return bo_usage_error("compare", "no style '%s'; the styles are text and md", style);
    if (!bo_parse_threshold("compare", percent, &threshold))
        return BO_EXIT_USAGE;
    struct bo_run before = {.json = NULL}, after = {.json = NULL};
    const bool ok = bo_run_load(argv[1], &before) && bo_run_load(argv[2], &after);
    const int code = ok ? bo_compare_results("compare", &before, &after, threshold,
                                             as_json    ? BO_COMPARE_JSON
                                             : markdown ? BO_COMPARE_MD
                                                        : BO_COMPARE_TEXT,
                                             all)
                        : BO_EXIT_USAGE;
    bo_run_free(&before);
    bo_run_free(&after);
    return code;
}
