/* Cost against size: curves over documents that were made for this purpose. */
#ifndef BO_REPORT_CURVES_H
#define BO_REPORT_CURVES_H

#include "bench/report/canvas.h"
#include "bench/report/grid.h"
#include "bench/report/page.h"

/*
 * The run's documents of a format for curves, smallest first: an array in the arena. Returns their
 * number.
 */
size_t bo_curve_documents(const struct bo_run *run, const char *format, struct bo_arena *arena,
                          const struct bo_run_document ***documents_ret);

/*
 * One line per codec: each cost on the largest document, and its ratio to the cost on the document
 * of about a hundredth of that size. There must be two documents.
 */
void bo_curves_grid(const struct bo_run_document *const *documents, size_t n,
                    struct bo_arena *arena, struct bo_grid *grid_ret);

/*
 * The curves for programs: {"unit": ..., "documents": [{"name", "n_units"}], "costs": [{"name",
 * "title", "is_time", "codecs": {name: [a value or null for each document]}}]}, without costs that
 * no codec has. The caller owns it; there must be two documents.
 */
struct json_t *bo_curves_json(const struct bo_run_document *const *documents, size_t n,
                              struct bo_arena *arena);

/* The file name of the picture of cost number i, counted from 0. NULL past the last picture. */
const char *bo_curves_picture(const struct bo_run_document *const *documents, size_t n, unsigned i,
                              struct bo_arena *arena);

/* Draws one picture per cost into an existing folder. Nothing with fewer than two documents. */
void bo_curves_draw(const struct bo_run *run, const char *format, const char *folder,
                    struct bo_drawing *drawing);

/* The section of a format's chapter. Without documents it explains how to get them. */
void bo_page_curves(const struct bo_page *page, const char *format);

#endif
