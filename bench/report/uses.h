/* What a format is used for, and which codec suits each use: computed from the figures. */
#ifndef BO_REPORT_USES_H
#define BO_REPORT_USES_H

#include "bench/report/grid.h"
#include "bench/report/page.h"
#include "harness/format_report.h"

/*
 * One line a codec that holds the document: the figures of all uses, and the verdicts that they
 * lead to.
 */
void bo_uses_grid(const struct bo_run_document *document, const struct bo_uses *uses,
                  struct bo_arena *arena, struct bo_grid *grid_ret);

/* A control that is built only with its library: never a pick. */
bool bo_is_library_control(const struct bo_run_codec *codec);

/* What is compared among itself only. */
enum bo_field {
    BO_IN_PLACE,     /* exact, and what it reads it reads in the file */
    BO_UNPACKED,     /* the answer of an open reader that unpacked everything when it opened */
    BO_MAY_BE_WRONG, /* about what is absent */
    BO_YARDSTICK,    /* a control */
    BO_N_FIELDS
};

/*
 * The field's codecs that have the figure and that no limit of the same use leaves out, the lowest
 * first; of the readers of one encoding the best one only: an array in the arena. Controls on top
 * of a library are not among them, nor, of those read in place, codecs that leave something out.
 * Returns how many; the first of those read in place is the use's pick.
 */
unsigned bo_use_rank(const struct bo_run_document *document, const struct bo_uses *uses,
                     const struct bo_use *use, enum bo_field field, struct bo_arena *arena,
                     const struct bo_run_codec ***codecs_ret);

/*
 * The picks of a document: for each use the first of each field, the runner-up, and how far it is
 * behind.
 */
void bo_page_use_picks(const struct bo_page *page, const struct bo_run_document *document,
                       const struct bo_uses *uses);

/* The table and the picks of a document, with their words. */
void bo_page_uses(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_uses *uses);

#endif
