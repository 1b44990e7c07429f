/*
 * The comparison of a format's codecs on a document, as grids: one line per codec, one column per
 * measure.
 */
#ifndef BO_REPORT_COMPARISON_H
#define BO_REPORT_COMPARISON_H

#include "bench/measure/plan.h"
#include "bench/report/grid.h"
#include "bench/runs/run.h"
#include "harness/core/print.h"

/* Which labels are wanted: names as `bakeoff bench` accepts them. */
struct bo_label_filter {
    struct bo_filter kinds, workloads;
};

/*
 * Marks the names that matched something, so the filter is not const. A given workload excludes the
 * operations.
 */
bool bo_label_wanted(struct bo_label_filter *filter, const char *label);

/* How a time is written. Its 95% interval is left out if it does not exist. */
enum bo_detail {
    BO_WITH_INTERVAL, /* "12.3 [12.1, 12.5]" */
    BO_WITH_PERCENT,  /* "12.3 +-2%": the farther end of the interval */
    BO_WITH_SPREAD,   /* "12.3 [12.1, 12.5] (11.0-14.2)": and p10, p90 over batches */
};

/* A row's time in a unit: "-" without a time, "failed" when the row failed. */
char *bo_time_cell(struct bo_arena *arena, const struct bo_run_row *row, struct bo_time_unit unit,
                   enum bo_detail detail);

/* The unit of a document's column: that of the first codec's time. */
struct bo_time_unit bo_column_unit(const struct bo_run_document *document, unsigned label);

/* The codec's bytes over those of the document's baseline: "1.282"; "-" if one is unknown. */
char *bo_ratio_cell(struct bo_arena *arena, const struct bo_run_document *document,
                    const struct bo_run_codec *codec);

/* Bytes a unit: "31.67". */
char *bo_per_unit_cell(struct bo_arena *arena, const struct bo_run_document *document,
                       const struct bo_run_codec *codec);

/* "table" for "tables", "entry" for "entries". */
char *bo_singular(struct bo_arena *arena, const char *plural);

/* What the document's sizes are divided by, in the singular; "unit" if it has no units. */
char *bo_unit_text(struct bo_arena *arena, const struct bo_run_document *document);

/* The exact memory of an operation: its name in the results, and its name in tables. */
struct bo_memory_measure {
    const char *label, *counter, *heading;
};

extern const struct bo_memory_measure bo_memory_measures[]; /* ends with a NULL label */

/* Codecs with role and access, sizes, every wanted time, memory, pages. For people. */
void bo_comparison(const struct bo_run_document *document, struct bo_label_filter *filter,
                   enum bo_detail detail, struct bo_arena *arena, struct bo_grid *grid_ret);

/*
 * The same of several documents (all of the run's for the format when `document` is NULL), all
 * figures, for programs.
 */
void bo_comparison_raw(const struct bo_run *run, const char *format,
                       const struct bo_run_document *document, struct bo_label_filter *filter,
                       struct bo_arena *arena, struct bo_grid *grid_ret);

/*
 * One document of the same for programs that read JSON: numbers as numbers, null for missing ones;
 * also the document's name, hash, provenance and units, and the sections of each encoding. The
 * caller owns it.
 */
struct json_t *bo_comparison_json(const struct bo_run_document *document,
                                  struct bo_label_filter *filter);

/* null where it is not finite. */
struct json_t *bo_number_json(double v);

/* {"tables": 250, "runs": 3000}; the caller owns it. */
struct json_t *bo_counts_json(const struct bo_pairs *counts);

/*
 * The first failure of a codec's variant, or NULL. *label_ret is its label: NULL for the encoding
 * itself.
 */
const char *bo_first_failure(const struct bo_run_document *document,
                             const struct bo_run_codec *codec, enum bo_run_variant variant,
                             const char **label_ret);

/*
 * One line per failure, "failed: linear-index, point/hot: wrong answer", in the arena. The codec of
 * a variant is "linear-index@portable". A reason that occurs under several labels of a codec or of
 * a variant is listed once. The first line of a codec may be "not held by snapshot-json: holds one
 * instant". Returns the number of lines.
 */
size_t bo_comparison_failures(const struct bo_run_document *document, struct bo_arena *arena,
                              const char ***lines_ret);

#endif
