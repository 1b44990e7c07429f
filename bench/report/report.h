/*
 * REPORT.md, the pages beside it, their pictures and the HTML page, composed of the chapters of one
 * or several runs.
 */
#ifndef BO_REPORT_REPORT_H
#define BO_REPORT_REPORT_H

#include "bench/report/page.h"
#include "harness/format.h"

/* A run, and the targets of its links (see struct bo_page). */
struct bo_report_run {
    const struct bo_run *run;
    const char *results, *pictures;
};

/* The runs in order of preference, and the output. */
struct bo_report {
    const struct bo_report_run *runs;
    size_t n;
    struct bo_arena *arena;
    FILE *out;
    const char *root; /* of the page that is being written (struct bo_page) */
};

/* The first run that measured the format, or its curves over sizes; or NULL. */
const struct bo_report_run *bo_report_run_of(const struct bo_report *report, const char *format,
                                             bool curves);

/*
 * The page that is being written, with the fields of that run; NULL: for text that is not about a
 * run.
 */
struct bo_page bo_report_page(const struct bo_report *report, const struct bo_report_run *source);

/* Lists of the runs, of terms, and of what was not measured. */
void bo_report_list_runs(const struct bo_report *report);
void bo_page_legend(const struct bo_page *page);
void bo_page_missing(const struct bo_page *page);

/* The pick of each format, as a table; links to formats begin with `link`. */
void bo_report_glance(const struct bo_report *report, const struct bo_page *page, const char *link);

/* REPORT.md. `with_sizes`: there is results/sizes.md. */
void bo_report_print(const struct bo_report *report, bool with_sizes);

/* results/FORMAT.md of a format that was measured. */
void bo_report_documents(const struct bo_report *report, const struct bo_format *format);

/* results/environments.md: the environment of each run. */
void bo_report_environments(const struct bo_report *report);

/*
 * Draws the pictures of all documents that the report shows of the i-th run, and writes the CSV of
 * its formats, into an existing folder. False after a message.
 */
bool bo_pictures_draw(const struct bo_report *report, size_t i, const char *folder);

/* ---- generated parts of hand-written pages --------------------------------------------------- */

/*
 * `bakeoff report` writes the text between
 *
 *     <!-- report: PART FORMAT -->
 *     <!-- report ends -->
 *
 * and changes nothing else. Prints the page `name`, whose text is `text`, with all generated parts
 * updated: those of bo_page_part, `glance all` and `answers all`. The part of a format that no run
 * measured stays as it is. False after a message that names the line of an unknown or unterminated
 * part.
 */
bool bo_inserts_print(const struct bo_report *report, const char *text, const char *name);

/* ---- the HTML page --------------------------------------------------------------------------- */

/*
 * Prints one self-contained page of the same runs as bo_report_print, with the same functions: it
 * needs no network, and its tables need no scripts. The figures of each document are included as
 * JSON (bo_comparison_json), from which charts are drawn. `folder` is the report's, which contains
 * the pictures; `charts` is the JavaScript of the chart library, or NULL: only pictures.
 */
void bo_html_print(const struct bo_report *report, const char *folder, const char *charts);

/* JSON for a script element: no "<" in it can end the element. */
void bo_html_json(struct json_t *value, FILE *out);

#endif
