/* The changes from one run to another: times by rank tests, exact figures by equality. */
#ifndef BO_COMPARE_H
#define BO_COMPARE_H

#include <stdio.h>

#include "bench/runs/run.h"
#include "bench/stats/two_samples.h"

enum bo_verdict {
    BO_EQUAL,         /* an exact figure that has not moved */
    BO_NO_DIFFERENCE, /* a time: the ratio is inside the A/A interval (bench/runs/noise.h) */
    BO_UNKNOWN,       /* a time: the difference may be due to chance, or is below the threshold */
    BO_BETTER,
    BO_WORSE,
};

struct bo_change {
    const char *codec; /* "liar"; "liar@portable" of a variant's row */
    const char *what;  /* "point/uniform", "bytes", "open: open_bytes_allocated" */
    bool is_time;
    double before, after; /* medians in ns, or the figure; NaN where it failed */
    /* For times: after / before. */
    double ratio;
    struct bo_interval interval; /* NaN if there are too few repetitions for a 95% interval */
    double p;                    /* corrected by Holm's rule over the document's times */
    double superiority;
    double noise; /* the A/A interval is 1 / noise to noise; NaN without one */
    /* both rows were measured in several layouts: Welch's test over these */
    bool has_layouts;
    unsigned n_before, n_after; /* repetitions */
    unsigned n_outliers;        /* in both (outliers.h) */
    const char *outliers;       /* for example "old #3 #17, new #5"; NULL for none */
    const char *failure;        /* the reason for the failure, in the run that failed; NULL */
    enum bo_verdict verdict;
};

/*
 * A time on each of two processors, divided by that of one codec on the same processor: the
 * baseline of the old run's document.
 */
struct bo_relative_time {
    const char *codec, *what;
    double before, after;
};

/* One document that both runs measured. */
struct bo_document_changes {
    const struct bo_run_document *before, *after;
    struct bo_change *changes; /* codec by codec: sizes, then what was measured */
    size_t n;
    size_t n_of[BO_WORSE + 1];      /* by verdict */
    const char *times_not_compared; /* the reason; NULL when they were compared */
    /* If the processors differ: the times side by side, without a verdict. */
    struct bo_relative_time *relative;
    size_t n_relative;
    const char **notes; /* for example, what only one run has */
    size_t n_notes, notes_cap;
};

/*
 * Compares everything that both runs have. A time is better or worse when its corrected p is below
 * 1 - BO_CONFIDENCE and its median ratio is farther from 1 than `threshold` (0.05: 5%). There is no
 * difference when the ratio is inside the A/A interval of the document and query kind (the wider
 * one of both runs). Times of two processors have no verdict: they are listed side by side, divided
 * by those of the old run's baseline; a note names the rows for which it has no time in one of the
 * runs. A document whose content differs between the runs is not compared.
 * Returns the number of documents.
 */
size_t bo_compare_runs(const struct bo_run *before, const struct bo_run *after, double threshold,
                       struct bo_arena *arena, struct bo_document_changes **documents_ret);

extern const char *const bo_verdict_names[BO_WORSE + 1];

/*
 * A sentence about how the two were measured: in turns (bench/runs/interleave.h), or one after the
 * other.
 */
const char *bo_compare_how(const struct bo_run *before, const struct bo_run *after);

/*
 * Prints a table for each document with its better and worse figures (`all`: every figure), in at
 * most `width` columns, and a line with the number of each verdict. The output is Markdown when the
 * width is BO_COMPARE_MARKDOWN.
 */
enum { BO_COMPARE_MARKDOWN = 0 };
void bo_compare_print(const struct bo_document_changes *documents, size_t n, bool all,
                      unsigned width, struct bo_arena *arena, FILE *out);

/* The same with every figure; the caller owns it. */
struct json_t *bo_compare_json(const struct bo_document_changes *documents, size_t n);

#endif
