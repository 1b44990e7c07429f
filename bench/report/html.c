/*
 * The HTML page: prose by md4c from the report's Markdown, tables by bo_grid_html, figures as JSON.
 */
#include <md4c-html.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/report/assets.h"
#include "bench/report/comparison.h"
#include "bench/report/curves.h"
#include "bench/report/document.h"
#include "bench/report/parts.h"
#include "bench/report/format.h"
#include "bench/report/fuzz.h"
#include "bench/report/keep.h"
#include "bench/report/picks.h"
#include "bench/report/report.h"
#include "harness/core/files.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* The page that is being written. */
struct html {
    const struct bo_report *report;
    const char *folder, *charts; /* of bo_html_print */
    struct bo_arena *arena;
    FILE *out;
    struct bo_memory_file markdown; /* the part that is being written */
};

/* ---- Markdown -------------------------------------------------------------------------------- */

static void append(const MD_CHAR *p, MD_SIZE n, void *out)
{
    fwrite(p, 1, n, out);
}

/* Starts a part of the page in Markdown, with tables in HTML. */
static struct bo_page begin_part(struct html *html, const struct bo_page *page)
{
    struct bo_page part = *page;
    part.out = bo_memory_open(&html->markdown);
    part.html_tables = true;
    return part;
}

/* Prints the part as HTML. With a title: folded, and nothing if it is empty. */
static void end_part(struct html *html, const char *title)
{
    const struct bo_span text = bo_memory_bytes(&html->markdown);
    if (title && text.n)
        fprintf(html->out, "<details><summary>%s</summary>\n", title);
    if (md_html((const char *)text.p, (MD_SIZE)text.n, append, html->out, MD_FLAG_TABLES, 0) != 0)
        abort(); /* only when memory is exhausted */
    if (title && text.n)
        fputs("</details>\n", html->out);
    bo_memory_free(&html->markdown);
}

/* A folded part. */
static void print_folded(struct html *html, const struct bo_page *page, const char *title,
                         void print(const struct bo_page *page))
{
    const struct bo_page part = begin_part(html, page);
    print(&part);
    end_part(html, title);
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

/*
 * The picture that gnuplot drew, embedded in the page. If there are charts, it is only for readers
 * without scripts.
 */
static void print_picture(const struct html *html, const struct bo_page *page, const char *name,
                          const char *text)
{
    const char *path = bo_arena_printf(html->arena, "%s/%s/%s", html->folder, page->pictures, name);
    struct bo_input in;
    if (html->charts)
        fputs("<noscript>", html->out);
    if (access(path, R_OK) == 0 && bo_input_open(path, &in)) {
        fputs("<img alt=\"", html->out);
        bo_print_html(text, html->out);
        fputs("\" src=\"data:image/svg+xml;base64,", html->out);
        print_base64(in.bytes, html->out);
        fputs("\">", html->out);
        bo_input_close(&in);
    } else {
        fprintf(html->out, "<p class=\"note\">This picture was not drawn yet.</p>");
    }
    fputs(html->charts ? "</noscript>\n" : "\n", html->out);
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

static void print_document(struct html *html, const struct bo_page *page,
                           const struct bo_run_document *document)
{
    struct bo_label_filter all = {.kinds = {.n = 0}};
    fputs("<section class=\"document\" data-document=\"", html->out);
    bo_print_html(document->name, html->out);
    fputs("\">\n<h4>", html->out);
    bo_print_html(document->name, html->out);
    fputs("</h4>\n", html->out);
    struct bo_page part = begin_part(html, page);
    bo_page_comparison(&part, document);
    end_part(html, NULL);
    fputs("<details class=\"sizes\"><summary>Bytes by section, and under compressors</summary>\n",
          html->out);
    part = begin_part(html, page);
    bo_page_sizes(&part, document);
    end_part(html, NULL);
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

/* Folded if it has a title. */
static void print_part(struct html *html, const struct chapter *chapter, const char *name,
                       const char *title)
{
    const struct bo_page part = begin_part(html, &chapter->page);
    bo_page_part(&part, chapter->format, name);
    end_part(html, title);
}

static void begin_figure(const struct html *html, const char *chart, const char *title)
{
    fprintf(html->out, "<figure data-chart=\"%s\"><figcaption>%s</figcaption>\n", chart, title);
}

/* A picture of the main document. */
static void print_chart(const struct html *html, const struct chapter *chapter, const char *chart,
                        const char *title, const char *picture, const char *text)
{
    const struct bo_run_document *main = chapter->main;
    begin_figure(html, chart, title);
    print_picture(html, &chapter->page, bo_picture_name(html->arena, main, picture),
                  bo_arena_printf(html->arena, "%s on %s: %s", main->format, main->name, text));
    fputs("</figure>\n", html->out);
}

static void print_curves(const struct html *html, const struct chapter *chapter)
{
    const struct bo_run_document **documents;
    const struct bo_run *run = chapter->curves.run;
    const size_t n = bo_curve_documents(run, chapter->format->name, html->arena, &documents);
    const char *picture;
    if (!bo_curves_picture(documents, n, 0, html->arena))
        return;
    begin_figure(html, "curves", "Cost against size");
    for (unsigned i = 0; (picture = bo_curves_picture(documents, n, i, html->arena)); i++)
        print_picture(html, &chapter->curves, picture, "cost against size");
    print_data(html, "curves", bo_curves_json(documents, n, html->arena));
    fputs("</figure>\n", html->out);
}

static void print_charts(const struct html *html, const struct chapter *chapter)
{
    fputs("<div class=\"charts\">\n", html->out);
    print_chart(html, chapter, "front", "Bytes against time", "size-time",
                "bytes against time, with the Pareto front");
    print_chart(html, chapter, "bytes", "Where the bytes go", "sections", "where the bytes go");
    if (!html->charts)
        print_chart(html, chapter, "workloads", "Time by workload", "workloads",
                    "time a query, by workload");
    if (bo_keep_label(chapter->main))
        print_chart(html, chapter, "keep", "Time against memory that readers keep", "keep",
                    "time against memory of the reader");
    print_curves(html, chapter);
    fputs("</div>\n", html->out);
}

/* The parts below the documents. */
static void print_more(struct html *html, const struct chapter *chapter)
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
    const char *format = chapter->format->name;
    fputs("<h3>More</h3>\n", html->out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        print_part(html, chapter, parts[i][0], parts[i][1]);
    struct bo_page part = begin_part(html, &chapter->curves);
    bo_page_curves(&part, format);
    end_part(html, "Cost against size");
    part = begin_part(html, &chapter->page);
    bo_fuzz_format(&part, "results/fuzz", format);
    end_part(html, "The fuzzing record");
    print_folded(html, &chapter->page, "The environment", bo_page_environment);
    if (chapter->curves.run != chapter->page.run)
        print_folded(html, &chapter->curves, "The environment of the curves over sizes",
                     bo_page_environment);
}

static void print_chapter(struct html *html, const struct chapter *chapter)
{
    const struct bo_run_document *const *documents;
    const char *name = chapter->format->name;
    fprintf(html->out,
            "<section class=\"format\" id=\"%s\">\n<h2>%s</h2>\n<div class=\"question\">", name,
            name);
    print_part(html, chapter, "question", NULL);
    fputs("</div>\n<div class=\"answer\">\n", html->out);
    print_part(html, chapter, "answer", NULL);
    fputs("</div>\n<h3>The picks</h3>\n", html->out);
    print_part(html, chapter, "use-picks", NULL);
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

static void print_glance(struct html *html)
{
    fputs("<section id=\"glance\">\n<h2>At a glance</h2>\n", html->out);
    const struct bo_page text = bo_report_page(html->report, NULL);
    struct bo_report runs = *html->report;
    struct bo_page part = begin_part(html, &text);
    bo_report_glance(html->report, &part, "#");
    end_part(html, NULL);
    print_folded(html, &text, "How to read the tables", bo_page_legend);
    print_folded(html, &text, "What was not measured", bo_page_missing);
    runs.out = bo_memory_open(&html->markdown);
    bo_report_list_runs(&runs);
    end_part(html, "The runs behind this page");
    fputs("</section>\n", html->out);
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
    fputs(html->charts
              ? "Written by <code>bakeoff report</code> from the same figures as REPORT.md. Charts "
                "by Observable Plot and D3, whose licences are in this page's source."
              : "Written by <code>bakeoff report</code> from the same figures as REPORT.md. The "
                "pictures are static: <code>make report</code> adds interactive charts if npm can "
                "fetch them.",
          html->out);
    fputs("</p>\n</footer>\n", html->out);
    if (html->charts)
        fprintf(html->out, "<script>\n%s\n</script>\n", html->charts);
    fprintf(html->out, "<script>\n%s</script>\n</body>\n</html>\n", bo_page_js);
}

void bo_html_print(const struct bo_report *report, const char *folder, const char *charts)
{
    struct html html = {report, folder, charts, report->arena, report->out, {.text = NULL}};
    struct chapter chapter;
    print_head(&html);
    print_glance(&html);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        if (find_chapter(&html, *f, &chapter))
            print_chapter(&html, &chapter);
    print_foot(&html);
}
