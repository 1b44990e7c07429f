/* A page that is being written, and what every part of it uses. */
#ifndef BO_REPORT_PAGE_H
#define BO_REPORT_PAGE_H

#include "bench/report/grid.h"
#include "bench/runs/run.h"

/* How a page's tables and pictures are written; its other text is Markdown. */
enum bo_page_form {
    BO_PAGE_MARKDOWN,
    BO_PAGE_HTML, /* tables as HTML, which Markdown keeps; the page's printer adds the pictures */
};

/* As far as one run goes. */
struct bo_page {
    const struct bo_run *run;
    const struct bo_run *const *runs; /* that one, then all others of the report */
    size_t n_runs;
    const char *root;     /* from the page's folder to the top, where all links begin: "", "../" */
    const char *results;  /* the run's file: "results/MACHINE/DATE.json" */
    const char *pictures; /* the folder of pictures: "results/MACHINE"; NULL: none are shown */
    struct bo_arena *arena;
    FILE *out;
    enum bo_page_form form;
};

/* A table in the page's form; `name` is for readers who cannot see it. */
void bo_page_grid(const struct bo_page *page, const struct bo_grid *grid, const char *name);

/* A picture that bo_pictures_draw draws, by its file's name, as a paragraph. */
void bo_page_picture(const struct bo_page *page, const char *name, const char *text);

/* "pcdata-esbuild-amd64-workloads.svg": no character that a path or a link would take amiss. */
char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what);

#endif
