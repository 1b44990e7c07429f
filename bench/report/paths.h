/*
 * Code paths: readers of one encoding for several instruction sets. A comparison of encodings has
 * one row for them: the fastest one that ran, and portable C.
 */
#ifndef BO_REPORT_PATHS_H
#define BO_REPORT_PATHS_H

#include "bench/runs/run.h"
#include "harness/format_report.h"

/* True when the codec ran as portable C. For a run without recorded paths, the registry decides. */
bool bo_is_portable(const struct bo_run_document *document, const struct bo_run_codec *codec);

/*
 * True when, by the registry, the codec is another codec's code for fewer instruction sets: it is
 * then a path of that codec, and not a rival. The other codec is the one whose bytes it reads.
 */
bool bo_is_path(const struct bo_run_document *document, const struct bo_run_codec *codec);

/* True when the run recorded the codec's path. */
bool bo_runs_path(const struct bo_run_codec *codec);

/* True when some codec of the document ran other code than portable C, or may have. */
bool bo_has_paths(const struct bo_run_document *document);

/*
 * " (42.5)": the figure in portable C over `unit`, for a cell with the codec's own figure; " (-)"
 * if it was not measured, " (failed)" if the row failed. "" if the codec has no figure of its own
 * or ran as portable C itself, and for figures that do not depend on the path.
 */
char *bo_portable_cell(struct bo_arena *arena, const struct bo_run_document *document,
                       const struct bo_run_codec *codec, const struct bo_figure *figure,
                       double unit);

/*
 * The reader of the codec's encoding with the lowest geometric mean of the label's times over n >=
 * 1 documents, among readers with a time on all of them. `portable`: compares the times in portable
 * C, else those of the code that ran. Paths do not count as readers. NULL if there is no reader.
 */
const struct bo_run_codec *bo_fastest_reader(const struct bo_run_document *const *documents,
                                             unsigned n, const struct bo_run_codec *codec,
                                             const char *label, bool portable);

/* True when a reader of the codec's encoding failed under the label in portable C. */
bool bo_portable_failed(const struct bo_run_document *const *documents, unsigned n,
                        const struct bo_run_codec *codec, const char *label);

/* The ratio of two codecs' figures, with the range given by the 95% intervals of the medians. */
struct bo_mean_ratio {
    double ratio;     /* geometric mean; NaN where one lacks the figure on a document */
    double low, high; /* equal to the ratio for exact figures; NaN if a median has no interval */
};

/*
 * A codec's figure in `ratio`, with its median's interval; `low` and `high` equal `ratio` for
 * figures other than times. A counter below 1 counts as 1, since no ratio to 0 exists. NaN if the
 * run does not have the figure or the codec failed.
 */
struct bo_mean_ratio bo_figure_range(const struct bo_run_document *document, const char *codec,
                                     const struct bo_figure *figure, bool portable);

/*
 * Ratios of a figure, of bytes, of the time of a label: over bo_figure_range.
 * `portable`: both in portable C, else as both ran.
 */
struct bo_mean_ratio bo_figure_over(const struct bo_run_document *const *documents, unsigned n,
                                    const char *codec, const char *other,
                                    const struct bo_figure *figure, bool portable);
struct bo_mean_ratio bo_bytes_over(const struct bo_run_document *const *documents, unsigned n,
                                   const char *codec, const char *other);
struct bo_mean_ratio bo_time_over(const struct bo_run_document *const *documents, unsigned n,
                                  const char *codec, const char *other, const char *label,
                                  bool portable);

/* True when the range of the ratio excludes 1; without intervals, when the ratio has a value. */
bool bo_is_difference(const struct bo_mean_ratio *ratio);

#endif
