/*
 * Code paths: readers of one encoding for several instruction sets. A comparison of encodings has
 * one row for them: the fastest one that ran, and portable C.
 */
#ifndef BO_REPORT_PATHS_H
#define BO_REPORT_PATHS_H

#include "bench/runs/run.h"
#include "harness/format_report.h"

/* Whether the codec ran as portable C. A run that records no paths goes by the registry. */
bool bo_is_portable(const struct bo_run_document *document, const struct bo_run_codec *codec);

/*
 * Whether the codec is another one's code for fewer instruction sets, by the registry: a path of
 * that codec, and no rival of any. The other one is that whose bytes it reads.
 */
bool bo_is_path(const struct bo_run_document *document, const struct bo_run_codec *codec);

/* Whether the run recorded which path the codec ran. */
bool bo_runs_path(const struct bo_run_codec *codec);

/* Whether some codec of the document ran other code than portable C, or may have. */
bool bo_has_paths(const struct bo_run_document *document);

/*
 * The codec's row under a label in portable C: its own where that is what ran, or else that of its
 * portable variant, or of a path. NULL where none was measured.
 */
const struct bo_run_row *bo_portable_row(const struct bo_run_document *document,
                                         const struct bo_run_codec *codec, const char *label);

/*
 * The codec's figure in portable C. NaN where it was not measured; *is_own_ret: what ran as the
 * codec itself was portable C, and the figure is its own. Figures that are no times do not depend
 * on the path.
 */
double bo_portable_figure(const struct bo_run_document *document, const struct bo_run_codec *codec,
                          const struct bo_figure *figure, bool *is_own_ret);

/*
 * The reader of the codec's encoding with the lowest geometric mean of the label's times over n
 * documents, at least one, of those that have one on all: as readers ran, or in portable C. Paths
 * are no readers of their own. NULL: none.
 */
const struct bo_run_codec *bo_fastest_reader(const struct bo_run_document *const *documents,
                                             unsigned n, const struct bo_run_codec *codec,
                                             const char *label, bool portable);

/* One codec's figure over another's, and what the 95% intervals of the medians leave open. */
struct bo_mean_ratio {
    double ratio;     /* geometric mean; NaN where one lacks the figure on a document */
    double low, high; /* equal to it for exact figures; NaN where a median has no interval */
};

/*
 * Of bytes; of the time of a label, as both ran or both in portable C; of a counter of a label, 0
 * of which counts as 1.
 */
struct bo_mean_ratio bo_bytes_over(const struct bo_run_document *const *documents, unsigned n,
                                   const char *codec, const char *other);
struct bo_mean_ratio bo_time_over(const struct bo_run_document *const *documents, unsigned n,
                                  const char *codec, const char *other, const char *label,
                                  bool portable);
struct bo_mean_ratio bo_counter_over(const struct bo_run_document *const *documents, unsigned n,
                                     const char *codec, const char *other, const char *label,
                                     const char *counter);

/*
 * Whether the ratio is below or above 1 beyond what the intervals leave open; without intervals,
 * whether it has a value.
 */
bool bo_is_difference(const struct bo_mean_ratio *ratio);

#endif
