/* REPORT.md: the page of one or several runs, and the pictures and CSV that it links to. */
#ifndef BO_REPORT_PAGE_H
#define BO_REPORT_PAGE_H

#include "bench/report_run.h"

/* A page that is being written, as far as one run goes. */
struct bo_page {
    const struct bo_run *run;
    const char *root;     /* from the page's folder to the top, where all links begin: "", "../" */
    const char *results;  /* the run's file: "results/MACHINE/DATE.json" */
    const char *pictures; /* the folder of pictures: "results/MACHINE" */
    struct bo_arena *arena;
    FILE *out;
};

/*
 * Prints the whole page: of each format, what the first of the n runs says that measured it. All
 * have the same arena and stream. The sizes of the embedded documents are computed anew, so the
 * corpora must be at hand. False after a message.
 */
bool bo_page_print(const struct bo_page *pages, size_t n);

/* The page of the run that tells of the format: the first of the n that measured it; or NULL. */
const struct bo_page *bo_page_telling(const struct bo_page *pages, size_t n, const char *format);

/* "pcdata-esbuild-amd64-workloads.svg": no character that a path or a link would take amiss. */
char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what);

/*
 * Draws the pictures of all documents that the page shows of run i, and writes its formats' CSV,
 * into an existing folder. False after a message.
 */
bool bo_page_files(const struct bo_page *pages, size_t i, const char *folder);

#endif
