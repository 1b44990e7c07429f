/* REPORT.md and the pages beside it, composed of the chapters of one or several runs. */
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

/* results/sizes.md: the output of bo_sizes_block, with a heading. */
void bo_report_sizes(const char *sizes, FILE *out);

#endif
