/* REPORT.md: the page of one or several runs, and the pictures and CSV that it links to. */
#ifndef BO_REPORT_PAGE_H
#define BO_REPORT_PAGE_H

#include "bench/report/grid.h"
#include "bench/runs/run.h"

/* How a page's tables and pictures are written; its other text is Markdown. */
enum bo_page_form {
    BO_PAGE_MARKDOWN,
    BO_PAGE_HTML, /* tables as HTML, which Markdown keeps; the page's printer adds the pictures */
};

/* A page that is being written, as far as one run goes. */
struct bo_page {
    const struct bo_run *run;
    const char *root;     /* from the page's folder to the top, where all links begin: "", "../" */
    const char *results;  /* the run's file: "results/MACHINE/DATE.json" */
    const char *pictures; /* the folder of pictures: "results/MACHINE"; NULL: none are shown */
    struct bo_arena *arena;
    FILE *out;
    enum bo_page_form form;
};

/* A table in the page's form; `name` is told to who cannot see it. */
void bo_page_grid(const struct bo_page *page, const struct bo_grid *grid, const char *name);

/* A picture that bo_page_files draws, by its file's name, as a paragraph. */
void bo_page_picture(const struct bo_page *page, const char *name, const char *text);

/* ---- parts ----------------------------------------------------------------------------------- */

/*
 * The page of the first of the n runs that measured the format, or its curves over sizes; or NULL.
 */
const struct bo_page *bo_page_telling(const struct bo_page *pages, size_t n, const char *format,
                                      bool curves);

/* Lists of the runs, of what words mean, of what was not measured; a run's environment. */
void bo_page_runs(const struct bo_page *pages, size_t n, FILE *out);
void bo_page_legend(const struct bo_page *page);
void bo_page_missing(const struct bo_page *page);
void bo_page_environment(const struct bo_page *page);

/* ---- the whole ------------------------------------------------------------------------------- */

/*
 * Prints REPORT.md: of each format, what the first of the n runs says that measured it. All have
 * the same arena and stream. `with_sizes`: results/sizes.md is written, too.
 */
void bo_page_print(const struct bo_page *pages, size_t n, bool with_sizes);

/* results/sizes.md: what bo_sizes_block prints, with a heading. */
void bo_page_sizes_print(const char *sizes, FILE *out);

/* results/environments.md: the environment of each run. */
void bo_page_environments(const struct bo_page *pages, size_t n);

/* "pcdata-esbuild-amd64-workloads.svg": no character that a path or a link would take amiss. */
char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what);

/*
 * Draws the pictures of all documents that the page shows of run i, and writes its formats' CSV,
 * into an existing folder. False after a message.
 */
bool bo_page_files(const struct bo_page *pages, size_t i, const char *folder);

#endif
