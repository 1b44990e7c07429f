/*
 * The HTML page: prose by md4c from the report's Markdown, tables by bo_grid_html, figures as JSON.
 */
#include "bench/report/html.h"

#include <md4c-html.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/assets.h"
#include "bench/report/comparison.h"
#include "bench/report/curves.h"
#include "bench/report/document.h"
#include "bench/report/environment.h"
#include "bench/report/format.h"
#include "bench/report/fuzz.h"
#include "bench/report/keep.h"
#include "bench/report/picks.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/format_report.h"
#include "harness/registry.h"

/* The page that is being written. */
struct html {
    const struct bo_report *report;
    const struct bo_html_options *options;
    struct bo_arena *arena;
    FILE *out;
};

/* ---- Markdown -------------------------------------------------------------------------------- */

/* A stream in memory. */
struct text {
    char *p;
    size_t n;
    FILE *out;
};

static void open_text(struct text *text)
{
    text->out = open_memstream(&text->p, &text->n);
    if (!text->out)
        abort();
}

static void append(const MD_CHAR *p, MD_SIZE n, void *out)
{
    fwrite(p, 1, n, out);
}

/* Closes the Markdown and prints it as HTML. */
static void print_markdown(struct text *markdown, const struct html *page)
{
    fclose(markdown->out);
    if (md_html(markdown->p, (MD_SIZE)markdown->n, append, page->out, MD_FLAG_TABLES, 0) != 0)
        abort(); /* only when memory is exhausted */
    free(markdown->p);
}

/* Starts a page whose text goes to memory, with tables in HTML. */
static struct bo_page start(const struct bo_page *page, struct text *markdown)
{
    struct bo_page copy = *page;
    open_text(markdown);
    copy.out = markdown->out;
    copy.form = BO_PAGE_HTML;
    return copy;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void print_base64(struct bo_span in, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < in.n; i += 3) {
        const size_t n = in.n - i < 3 ? in.n - i : 3;
        const unsigned bits = (unsigned)in.p[i] << 16 | (n > 1 ? (unsigned)in.p[i + 1] << 8 : 0) |
                              (n > 2 ? in.p[i + 2] : 0);
        for (unsigned d = 0; d < 4; d++)
            putc(d <= n ? digits[bits >> (18 - 6 * d) & 63] : '=', out);
    }
}

static bool exists(const char *path)
{
    FILE *in = fopen(path, "r");
    if (in)
        fclose(in);
    return in != NULL;
}

/*
 * The picture that gnuplot drew, embedded in the page. If there are charts, it is only for readers
 * without scripts.
 */
static void print_picture(const struct html *html, const struct bo_page *page, const char *name,
                          const char *text)
{
    const char *path =
        bo_arena_printf(html->arena, "%s/%s/%s", html->options->folder, page->pictures, name);
    struct bo_input in;
    if (html->options->charts)
        fputs("<noscript>", html->out);
    if (exists(path) && bo_input_open(path, &in)) {
        fputs("<img alt=\"", html->out);
        bo_print_html(text, html->out);
        fputs("\" src=\"data:image/svg+xml;base64,", html->out);
        print_base64(in.bytes, html->out);
        fputs("\">", html->out);
        bo_input_close(&in);
    } else {
        fprintf(html->out, "<p class=\"note\">This picture was not drawn yet.</p>");
    }
    fputs(html->options->charts ? "</noscript>\n" : "\n", html->out);
}

/* ---- figures as JSON ------------------------------------------------------------------------- */

void bo_html_json(json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (!text)
        abort();
    for (const char *p = text; *p; p++)
        if (*p == '<') /* in strings only: no "</script", no "<!--" */
            fputs("\\u003c", out);
        else
            putc(*p, out);
    free(text);
}

static void print_data(const struct html *html, const char *class, json_t *value)
{
    fprintf(html->out, "<script type=\"application/json\" class=\"%s\">", class);
    bo_html_json(value, html->out);
    fprintf(html->out, "</script>\n");
    json_decref(value);
}

/* ---- a document ------------------------------------------------------------------------------ */

static void print_document(const struct html *html, const struct bo_page *page,
                           const struct bo_run_document *document)
{
    struct bo_label_filter all = {.kinds = {.n = 0}};
    struct text markdown;
    fputs("<section class=\"document\" data-document=\"", html->out);
    bo_print_html(document->name, html->out);
    fputs("\">\n<h4>", html->out);
    bo_print_html(document->name, html->out);
    fputs("</h4>\n", html->out);
    struct bo_page part = start(page, &markdown);
    bo_page_comparison(&part, document);
    print_markdown(&markdown, html);
    fputs("<details class=\"sizes\"><summary>Bytes by section, and under compressors</summary>\n",
          html->out);
    part = start(page, &markdown);
    bo_page_sizes(&part, document);
    print_markdown(&markdown, html);
    fputs("</details>\n", html->out);
    print_data(html, "figures", bo_comparison_json(document, &all));
    fputs("</section>\n", html->out);
}

/* ---- a chapter ------------------------------------------------------------------------------- */

struct chapter {
    struct bo_page page, curves; /* the curves over sizes may be from another run */
    const struct bo_format *format;
    const struct bo_run_document *main;
};

/* The output of a part of the page, folded. Nothing if the output is empty. */
static void print_folded(const struct html *html, const char *title, struct text *markdown)
{
    fflush(markdown->out);
    if (markdown->n == 0) {
        fclose(markdown->out);
        free(markdown->p);
        return;
    }
    fprintf(html->out, "<details><summary>%s</summary>\n", title);
    print_markdown(markdown, html);
    fputs("</details>\n", html->out);
}

static void print_part(const struct html *html, const struct chapter *chapter, const char *part,
                       const char *title)
{
    struct text markdown;
    const struct bo_page page = start(&chapter->page, &markdown);
    bo_page_part(&page, chapter->format, part);
    print_folded(html, title, &markdown);
}

static void begin_figure(const struct html *html, const char *chart, const char *title)
{
    fprintf(html->out, "<figure data-chart=\"%s\"><figcaption>%s</figcaption>\n", chart, title);
}

static void print_curves(const struct html *html, const struct chapter *chapter)
{
    const struct bo_run_document **documents;
    const struct bo_run *run = chapter->curves.run;
    const size_t n = bo_curve_documents(run, chapter->format->name, html->arena, &documents);
    const char *picture = bo_curves_picture(documents, n, 0, html->arena);
    if (!picture)
        return;
    begin_figure(html, "curves", "Cost against size");
    for (unsigned i = 1; picture; i++) {
        print_picture(html, &chapter->curves, picture, "cost against size");
        picture = bo_curves_picture(documents, n, i, html->arena);
    }
    print_data(html, "curves", bo_curves_json(documents, n, html->arena));
    fputs("</figure>\n", html->out);
}

static void print_charts(const struct html *html, const struct chapter *chapter)
{
    fputs("<div class=\"charts\">\n", html->out);
    begin_figure(html, "front", "Bytes against time");
    print_picture(html, &chapter->page, bo_picture_name(html->arena, chapter->main, "size-time"),
                  bo_arena_printf(html->arena,
                                  "%s on %s: bytes against time, with the Pareto front",
                                  chapter->format->name, chapter->main->name));
    fputs("</figure>\n", html->out);
    begin_figure(html, "bytes", "Where the bytes go");
    print_picture(html, &chapter->page, bo_picture_name(html->arena, chapter->main, "sections"),
                  bo_arena_printf(html->arena, "%s on %s: where the bytes go",
                                  chapter->format->name, chapter->main->name));
    fputs("</figure>\n", html->out);
    if (!html->options->charts) {
        begin_figure(html, "workloads", "Time by workload");
        print_picture(html, &chapter->page,
                      bo_picture_name(html->arena, chapter->main, "workloads"),
                      bo_arena_printf(html->arena, "%s on %s: time a query, by workload",
                                      chapter->format->name, chapter->main->name));
        fputs("</figure>\n", html->out);
    }
    if (bo_keep_label(chapter->main)) {
        begin_figure(html, "keep", "Time against memory that readers keep");
        print_picture(html, &chapter->page, bo_picture_name(html->arena, chapter->main, "keep"),
                      bo_arena_printf(html->arena, "%s on %s: time against memory of the reader",
                                      chapter->format->name, chapter->main->name));
        fputs("</figure>\n", html->out);
    }
    print_curves(html, chapter);
    fputs("</div>\n", html->out);
}

static void print_fuzzing(const struct html *html, const struct chapter *chapter)
{
    struct text markdown;
    const struct bo_page page = start(&chapter->page, &markdown);
    bo_fuzz_format(&page, "results/fuzz", chapter->format->name);
    print_folded(html, "The fuzzing record", &markdown);
}

static void print_environment(const struct html *html, const struct bo_page *of, const char *title)
{
    struct text markdown;
    const struct bo_page page = start(of, &markdown);
    bo_page_environment(&page);
    print_folded(html, title, &markdown);
}

/* The parts below the documents. */
static void print_more(const struct html *html, const struct chapter *chapter)
{
    static const char *const parts[][2] = {
        {"sizes", "All documents"},
        {"held-out", "Held-out documents"},
        {"proposal", "The proposal's size tables"},
        {"axes", "The two parts of a codec"},
        {"uses", "The uses"},
        {"programs", "The field's own programs"},
        {"original", "The original benchmark"},
        {"counts", "Lines and instructions"},
        {"code", "The code"},
    };
    struct text markdown;
    fputs("<h3>More</h3>\n", html->out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        print_part(html, chapter, parts[i][0], parts[i][1]);
    const struct bo_page curves = start(&chapter->curves, &markdown);
    bo_page_curves(&curves, chapter->format->name);
    print_folded(html, "Cost against size", &markdown);
    print_fuzzing(html, chapter);
    print_environment(html, &chapter->page, "The environment");
    if (chapter->curves.run != chapter->page.run)
        print_environment(html, &chapter->curves, "The environment of the curves over sizes");
}

static void print_chapter(const struct html *html, const struct chapter *chapter)
{
    const struct bo_run_document *const *documents;
    const char *name = chapter->format->name;
    struct text markdown;
    fprintf(html->out,
            "<section class=\"format\" id=\"%s\">\n<h2>%s</h2>\n<div class=\"question\">", name,
            name);
    struct bo_page page = start(&chapter->page, &markdown);
    bo_page_part(&page, chapter->format, "question");
    print_markdown(&markdown, html);
    fputs("</div>\n<div class=\"answer\">\n", html->out);
    page = start(&chapter->page, &markdown);
    bo_page_part(&page, chapter->format, "answer");
    print_markdown(&markdown, html);
    fputs("</div>\n<h3>The picks</h3>\n", html->out);
    page = start(&chapter->page, &markdown);
    bo_page_part(&page, chapter->format, "use-picks");
    print_markdown(&markdown, html);
    print_part(html, chapter, "picks", "By bytes and time alone, document by document");
    fputs("<h3>The measurements</h3>\n<div class=\"controls\"></div>\n", html->out);
    print_charts(html, chapter);
    print_document(html, &chapter->page, chapter->main);
    for (int held_out = 0; held_out < 2; held_out++) {
        const unsigned n =
            bo_compared_documents(chapter->page.run, name, NULL, held_out, html->arena, &documents);
        for (unsigned d = 0; d < n; d++)
            if (documents[d] != chapter->main)
                print_document(html, &chapter->page, documents[d]);
    }
    print_more(html, chapter);
    fputs("</section>\n", html->out);
}

/* The chapter of a format; false where no run measured it. */
static bool find_chapter(const struct html *html, const struct bo_format *format,
                         struct chapter *chapter_ret)
{
    const struct bo_report_run *source = bo_report_run_of(html->report, format->name, false);
    const struct bo_report_run *curves = bo_report_run_of(html->report, format->name, true);
    const struct bo_run_document *main =
        source ? bo_run_document(source->run, format->name, NULL) : NULL;
    *chapter_ret =
        (struct chapter){bo_report_page(html->report, source),
                         bo_report_page(html->report, curves ? curves : source), format, main};
    return main && main->n_codecs > 0;
}

/* ---- overview -------------------------------------------------------------------------------- */

static void print_glance(const struct html *html)
{
    fputs("<section id=\"glance\">\n<h2>At a glance</h2>\n", html->out);
    const struct bo_page text = bo_report_page(html->report, NULL);
    struct bo_report runs = *html->report;
    struct text markdown;
    struct bo_page page = start(&text, &markdown);
    bo_report_glance(html->report, &page, "#");
    print_markdown(&markdown, html);
    page = start(&text, &markdown);
    bo_page_legend(&page);
    fputs("<details><summary>How to read the tables</summary>\n", html->out);
    print_markdown(&markdown, html);
    page = start(&text, &markdown);
    bo_page_missing(&page);
    fputs("</details>\n<details><summary>What was not measured</summary>\n", html->out);
    print_markdown(&markdown, html);
    open_text(&markdown);
    runs.out = markdown.out;
    bo_report_list_runs(&runs);
    fputs("</details>\n<details><summary>The runs behind this page</summary>\n", html->out);
    print_markdown(&markdown, html);
    fputs("</details>\n</section>\n", html->out);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_head(const struct html *html)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<title>bakeoff: which encoding should a format use?</title>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          /* the browser itself prevents any request */
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<style>\n",
          html->out);
    fputs(bo_page_css, html->out);
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n"
          "<header>\n<p class=\"brand\">bakeoff</p>\n"
          "<h1>Which encoding should a toolchain format use?</h1>\n</header>\n"
          "<nav aria-label=\"Formats\"><a href=\"#glance\">At a glance</a>",
          html->out);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        fprintf(html->out, "<a href=\"#%s\">%s</a>", (*f)->name, (*f)->name);
    fputs("</nav>\n<main id=\"main\">\n", html->out);
}

static void print_foot(const struct html *html)
{
    fputs("</main>\n<footer>\n<p>", html->out);
    fputs(html->options->charts
              ? "Written by <code>bakeoff report</code> from the same figures as REPORT.md. Charts "
                "by Observable Plot and D3, whose licences are in this page's source."
              : "Written by <code>bakeoff report</code> from the same figures as REPORT.md. The "
                "pictures are static: <code>make report</code> adds interactive charts if npm can "
                "fetch them.",
          html->out);
    fputs("</p>\n</footer>\n", html->out);
    if (html->options->charts)
        fprintf(html->out, "<script>\n%s\n</script>\n", html->options->charts);
    fprintf(html->out, "<script>\n%s</script>\n</body>\n</html>\n", bo_page_js);
}

void bo_html_print(const struct bo_report *report, const struct bo_html_options *options)
{
    const struct html html = {report, options, report->arena, report->out};
    struct chapter chapter;
    print_head(&html);
    print_glance(&html);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        if (find_chapter(&html, *f, &chapter))
            print_chapter(&html, &chapter);
    print_foot(&html);
}
