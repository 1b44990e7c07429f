/* The uses of a format, and the codec that suits each best, computed from the figures. */
#ifndef BO_REPORT_USES_H
#define BO_REPORT_USES_H

#include "bench/report/grid.h"
#include "bench/report/page.h"
#include "harness/format_report.h"

/*
 * One line per codec that holds the document: the figures of all uses, and the resulting verdicts.
 */
void bo_uses_grid(const struct bo_run_document *document, const struct bo_uses *uses,
                  struct bo_arena *arena, struct bo_grid *grid_ret);

/* The first fact about the codec in a list (NULL: an empty one), or NULL. */
const char *bo_fact_about(const struct bo_use_fact *facts, const char *codec);

/* A control that needs a library: never a pick. */
bool bo_is_library_control(const struct bo_run_codec *codec);

/* Codecs are compared only within a field. */
enum bo_field {
    BO_IN_PLACE,      /* exact, and reads from the file in place */
    BO_UNPACKED,      /* the answer of an open reader that unpacked everything in open */
    BO_MAY_BE_WRONG,  /* answers for absent keys may be wrong */
    BO_FIRST_CONTROL, /* a control */
    BO_N_FIELDS
};

/*
 * The field's codecs that have the figure and meet all limits of the same use, the lowest first; of
 * the readers of one encoding only the best. An array in the arena. Controls that need a library
 * are excluded, and, in the field of codecs that read in place, codecs that leave something out.
 * Returns their number. The first codec that reads in place is the use's pick.
 */
unsigned bo_use_rank(const struct bo_run_document *document, const struct bo_uses *uses,
                     const struct bo_use *use, enum bo_field field, struct bo_arena *arena,
                     const struct bo_run_codec ***codecs_ret);

/*
 * The picks of a document: for each use the first codec of each field, the runner-up, and the ratio
 * of their figures.
 */
void bo_page_use_picks(const struct bo_page *page, const struct bo_run_document *document,
                       const struct bo_uses *uses);

/* The table and the picks of a document, with explanations. */
void bo_page_uses(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_uses *uses);

#endif
