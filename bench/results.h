/* A run's results: Google Benchmark's JSON, and CSV beside it. */
#ifndef BO_RESULTS_H
#define BO_RESULTS_H

#include <jansson.h>

#include "bench/plan.h"

/*
 * {"context": {...}, "benchmarks": [...]}: for each row, one entry a repetition, then _mean,
 * _median, _stddev and _cv over them; a row that failed has an entry with error_occurred and
 * error_message, and no aggregates. Times are nanoseconds per operation (per query). `context` (see
 * bo_machine_context) is taken over; `sizes` is an array of bo_sizes_json, one a document of the
 * plan, taken over too. The caller owns the result; NULL without memory.
 */
json_t *bo_results_json(const struct bo_plan *plan, const struct bo_bench_options *options,
                        json_t *context, json_t *sizes);

/*
 * Writes the object with one line a benchmark, so that a version control system compares them by
 * row.
 */
void bo_results_write(const json_t *results, FILE *out);

/* The same to a file, whole or not at all; NULL or "-" is standard output. False after a message. */
bool bo_results_save(const char *path, const json_t *results);

/* Counters of a row that repeat to the last digit: pages and memory. Ends with NULL. */
extern const char *const bo_exact_counters[];

/* CSV, one line a row: medians over the repetitions, the exact counters, and what went wrong. */
void bo_results_csv(const struct bo_plan *plan, FILE *out);

/*
 * The median over repetitions of a row's real_ns (counter NULL) or of a counter; NaN without
 * repetitions.
 */
double bo_row_median(const struct bo_bench_row *row, const char *counter);

#endif
