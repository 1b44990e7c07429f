/* One figure of a codec on a document, as the tables that a format describes ask for it. */
#ifndef BO_REPORT_FIGURE_H
#define BO_REPORT_FIGURE_H

#include "bench/runs/run.h"

enum bo_figure_kind {
    BO_TIME,             /* ns an operation or query of the label */
    BO_TIME_PER_UNIT,    /* the same over the document's units */
    BO_COUNTER,          /* a counter of the label */
    BO_COUNTER_PER_UNIT, /* the same over the document's units */
    BO_SIZE_PER_UNIT,    /* bytes a unit */
    BO_OUTER_PER_UNIT,   /* bytes a unit under the outer compressor that `counter` names */
    BO_UNIT_RATE, /* the document's units named `counter` per ns of the label: GB/s of bytes */
    BO_FIRST_PART_PER_UNIT /* bytes a unit of all sections but those of the second part */
};

struct bo_figure {
    const char *heading; /* "lookup, hot, ns"; NULL ends a list */
    enum bo_figure_kind kind;
    const char *label, *counter;
};

/*
 * NaN where the run has none, or the codec failed. `second_sections` ends with NULL: the names of
 * the sections that belong to a codec's second part (see axes.h); NULL for none.
 */
double bo_figure_value(const struct bo_run_document *document, const struct bo_run_codec *codec,
                       const struct bo_figure *figure, const char *const *second_sections);

/* Three digits; "-" where there is none, "failed" where the codec failed. In the arena. */
char *bo_figure_cell(struct bo_arena *arena, const struct bo_run_document *document,
                     const struct bo_run_codec *codec, const struct bo_figure *figure,
                     const char *const *second_sections);

/* Whether any codec of the document has the figure: else its column is left out. */
bool bo_figure_known(const struct bo_run_document *document, const struct bo_figure *figure,
                     const char *const *second_sections);

#endif
