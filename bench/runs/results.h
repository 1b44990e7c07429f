/* A run's results as Google Benchmark's JSON. */
#ifndef BO_RESULTS_H
#define BO_RESULTS_H

#include <jansson.h>

#include "bench/measure/plan.h"

/*
 * The results of a run. Finished documents are kept as text, not as JSON objects: the process that
 * holds them forks for every measurement, and a fork copies the page tables.
 */
struct bo_results;

/*
 * Results without a document yet. `context` (see bo_machine_context) becomes part of them. The
 * caller frees them.
 */
struct bo_results *bo_results_start(const struct bo_bench_options *options, json_t *context);

/* The results in an object that bo_results_json returned, or a file contains. */
struct bo_results *bo_results_of(const json_t *json);

/* {"context": {...}, "benchmarks": [...]}. The caller owns it. */
json_t *bo_results_json(const struct bo_results *results);

/* The context, which the results own. */
json_t *bo_results_context(const struct bo_results *results);

void bo_results_free(struct bo_results *results);

/*
 * Adds the plan's document: for each row, one entry per repetition, and of a failed row one with
 * error_occurred and error_message. Times are nanoseconds per operation (per query). `sizes` is
 * bo_sizes_json's object; it becomes part of the results, with the object "noise"
 * (bench/runs/noise.h). "complete_rounds" marks a document that was interrupted after that many
 * rounds.
 */
void bo_results_add(struct bo_results *results, const struct bo_plan *plan, json_t *sizes);

/*
 * Marks the context of results that lack documents of the run as partial: bakeoff.partial is
 * {"measured": n, "of": n, "documents": [...]}. Removes the mark from that of complete results.
 */
void bo_results_mark(json_t *context, const struct bo_documents *all);

/*
 * Replaces results without a document (of bo_results_start) by the partial ones of the file `path`,
 * whose object is `json`, without the documents that were interrupted. False after a message when
 * they have another machine, cap of code paths, build, set of libraries, set of options or list of
 * documents; *results stay as they are.
 */
bool bo_results_resume(const char *path, json_t *json, const struct bo_documents *all,
                       struct bo_results **results);

bool bo_results_have(const struct bo_results *results, const struct bo_document *document);

/*
 * Writes the object to a file, completely or not at all; NULL or "-" is standard output. It has one
 * line per benchmark, so that a version control system compares it by row. False after a message.
 */
bool bo_results_save(const char *path, const struct bo_results *results);

/* Counters of a row that are exactly reproducible: pages and memory. Ends with NULL. */
extern const char *const bo_exact_counters[];

/*
 * The median over repetitions of a row's real_ns (counter NULL) or of a counter; NaN without
 * repetitions.
 */
double bo_row_median(const struct bo_bench_row *row, const char *counter);

#endif
