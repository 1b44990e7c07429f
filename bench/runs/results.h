/* A run's results: Google Benchmark's JSON, and CSV beside it. */
#ifndef BO_RESULTS_H
#define BO_RESULTS_H

#include <jansson.h>

#include "bench/measure/plan.h"

/*
 * {"context": {...}, "benchmarks": []}, without a document yet. `context` (see bo_machine_context)
 * becomes part of it. The caller owns the result.
 */
json_t *bo_results_start(const struct bo_bench_options *options, json_t *context);

/*
 * Adds a document of the plan: for each row, one entry per repetition, then _mean, _median, _stddev
 * and _cv over them. A failed row has one entry with error_occurred and error_message, and no
 * aggregates. Times are nanoseconds per operation (per query). `sizes` is bo_sizes_json's object;
 * it becomes part of the results, with the object "noise" (bench/runs/noise.h). "complete_rounds"
 * marks a document that was interrupted after that many rounds.
 */
void bo_results_add(json_t *results, const struct bo_plan *plan, const struct bo_bench_document *on,
                    json_t *sizes);

/*
 * Marks results that lack documents of the run as partial: context.bakeoff.partial is {"measured":
 * n, "of": n, "documents": [...]}. Removes the mark from complete results.
 */
void bo_results_mark(json_t *results, const struct bo_documents *all);

/*
 * Prepares the partial results in a file for more documents: removes a document that was
 * interrupted. False after a message when they have another machine, build, set of options or list
 * of documents than `fresh` (of bo_results_start) and `all`.
 */
bool bo_results_resume(const char *path, json_t *results, const json_t *fresh,
                       const struct bo_documents *all);

bool bo_results_have(const json_t *results, const struct bo_document *document);

/*
 * Writes the object with one line per benchmark, so that a version control system compares it by
 * row.
 */
void bo_results_write(const json_t *results, FILE *out);

/*
 * Writes the same to a file, completely or not at all; NULL or "-" is standard output. False after
 * a message.
 */
bool bo_results_save(const char *path, const json_t *results);

/* Counters of a row that are exactly reproducible: pages and memory. Ends with NULL. */
extern const char *const bo_exact_counters[];

/*
 * CSV, one line per row: medians over the repetitions, the exact counters (for a failed row, from
 * its first repetition), and the failure.
 */
void bo_results_csv(const json_t *results, FILE *out);

/*
 * The median over repetitions of a row's real_ns (counter NULL) or of a counter; NaN without
 * repetitions.
 */
double bo_row_median(const struct bo_bench_row *row, const char *counter);

#endif
