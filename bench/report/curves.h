/* Cost against size: curves over the documents that were made for that. */
#ifndef BO_REPORT_CURVES_H
#define BO_REPORT_CURVES_H

#include "bench/report/canvas.h"
#include "bench/report/grid.h"
#include "bench/report/page.h"

/*
 * The documents for curves that the run has of a format, smallest first: an array in the arena.
 * Returns how many.
 */
size_t bo_curve_documents(const struct bo_run *run, const char *format, struct bo_arena *arena,
                          const struct bo_run_document ***documents_ret);

/*
 * One line a codec: each cost on the largest document, and over the one of about a hundredth of its
 * size. There must be two documents.
 */
void bo_curves_grid(const struct bo_run_document *const *documents, size_t n,
                    struct bo_arena *arena, struct bo_grid *grid_ret);

/*
 * The curves for programs: {"unit": ..., "documents": [{"name", "n_units"}], "costs": [{"name",
 * "title", "is_time", "codecs": {name: [a value or null for each document]}}]}, costs that no codec
 * has left out. The caller owns it; there must be two documents.
 */
struct json_t *bo_curves_json(const struct bo_run_document *const *documents, size_t n,
                              struct bo_arena *arena);

/*
 * The picture of a cost, the i-th from 0, as bo_curves_draw names it; NULL past the last one drawn.
 */
const char *bo_curves_picture(const struct bo_run_document *const *documents, size_t n, unsigned i,
                              struct bo_arena *arena);

/* Draws a picture a cost into an existing folder; nothing with fewer than two documents. */
void bo_curves_draw(const struct bo_run *run, const char *format, const char *folder,
                    struct bo_drawing *drawing);

/* The section of a format's chapter; without documents it says how to get them. */
void bo_page_curves(const struct bo_page *page, const char *format);

#endif
