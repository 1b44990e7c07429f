/* Parts of hand-written pages that the report fills in. */
#include <string.h>

#include "bench/report/answer.h"
#include "bench/report/format.h"
#include "bench/report/report.h"
#include "harness/core/print.h"
#include "harness/registry.h"

static const char BEGIN[] = "<!-- report: ", END[] = "<!-- report ends -->\n";

static bool fails(const char *name, const char *text, const char *at, const char *what)
{
    unsigned line = 1;
    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    fprintf(stderr, "bakeoff: %s: line %u: %s\n", name, line, what);
    return false;
}

/* The first sentence of each format's answer; the others begin with a word in bold. */
static void print_answers(const struct bo_report *report)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_report_run *source = bo_report_run_of(report, (*f)->name, false);
        const struct bo_page page = bo_report_page(report, source);
        const char *text =
            source ? bo_answer_text(page.runs, page.n_runs, *f, report->arena) : NULL;
        const char *rest = text ? strstr(text, ". **") : NULL;
        if (rest)
            fprintf(report->out, "- [%s](%sREPORT.md#%s): %.*s.\n", (*f)->name, report->root,
                    (*f)->name, (int)(rest - text), text);
    }
    fprintf(report->out, "\nThe linked chapters say when another codec is the better choice, how "
                         "sure each answer is, and what would change it.\n");
}

/* Prints the text of a part; `old` is the present text. NULL, or the error. */
static const char *print_inside(const struct bo_report *report, const char *part,
                                const char *format_name, struct bo_span old)
{
    if (strcmp(part, "glance") == 0 && strcmp(format_name, "all") == 0) {
        const struct bo_page page = bo_report_page(report, NULL);
        bo_report_glance(report, &page,
                         bo_arena_printf(report->arena, "%sREPORT.md#", report->root));
        return NULL;
    }
    if (strcmp(part, "answers") == 0 && strcmp(format_name, "all") == 0) {
        print_answers(report);
        return NULL;
    }
    const struct bo_format *format = bo_find_format(format_name);
    if (!format)
        return "no such format";
    const struct bo_report_run *source = bo_report_run_of(report, format_name, false);
    const struct bo_page page = bo_report_page(report, source);
    if (!source)
        fwrite(old.p, 1, old.n, report->out);
    else if (!bo_page_part(&page, format, part))
        return "no such part of a format's chapter";
    return NULL;
}

/* The part whose marker begins at `at`; *next_ret is the text after the part. */
static bool print_part(const struct bo_report *report, const char *text, const char *name,
                       const char *at, const char **next_ret)
{
    char part[32], format[32], tail[4] = "";
    const char *inside = strchr(at, '\n');
    const char *end = inside ? strstr(++inside, END) : NULL;
    if (sscanf(at + strlen(BEGIN), "%31s %31s %3s", part, format, tail) != 3 ||
        strcmp(tail, "-->") != 0)
        return fails(name, text, at, "not 'report: PART FORMAT'");
    if (!end)
        return fails(name, text, at, "this part has no '<!-- report ends -->'");
    fprintf(report->out, "%.*s", (int)(inside - at), at);
    const char *wrong = print_inside(
        report, part, format, (struct bo_span){(const uint8_t *)inside, (size_t)(end - inside)});
    if (wrong)
        return fails(name, text, at, wrong);
    fputs(END, report->out);
    *next_ret = end + strlen(END);
    return true;
}

bool bo_inserts_print(const struct bo_report *report, const char *text, const char *name)
{
    const char *at = text, *marker;
    while ((marker = strstr(at, BEGIN))) {
        fprintf(report->out, "%.*s", (int)(marker - at), at);
        if (!print_part(report, text, name, marker, &at))
            return false;
    }
    fputs(at, report->out);
    return true;
}
