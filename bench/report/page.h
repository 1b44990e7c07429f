/* A page that is being written, and what every part of it uses. */
#ifndef BO_REPORT_PAGE_H
#define BO_REPORT_PAGE_H

#include "bench/report/grid.h"
#include "bench/runs/run.h"

/* The part of a page that depends on one run. */
struct bo_page {
    const struct bo_run *run;
    const struct bo_run *const *runs; /* that one, then all others of the report */
    size_t n_runs;
    /* path from the page's folder to the top, where all links start: "", "../" */
    const char *root;
    const char *results;  /* the run's file: "results/MACHINE/DATE.json" */
    const char *pictures; /* the folder of pictures: "results/MACHINE"; NULL: no pictures */
    struct bo_arena *arena;
    FILE *out;
    /* the page is Markdown with tables in HTML, which is valid; its printer adds the pictures */
    bool html_tables;
};

/* A table in the page's form; `name` is for screen readers. */
void bo_page_grid(const struct bo_page *page, const struct bo_grid *grid, const char *name);

/* A picture of a document that bo_pictures_draw draws, as a paragraph. */
void bo_page_picture(const struct bo_page *page, const struct bo_run_document *document,
                     const char *what, const char *text);

/* "pcdata-esbuild-amd64-workloads.svg": without characters that are special in paths or links. */
char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what);

#endif
