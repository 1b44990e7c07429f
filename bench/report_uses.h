/* What a format is used for, and which codec suits each use: computed from the figures. */
#ifndef BO_REPORT_USES_H
#define BO_REPORT_USES_H

#include "bench/report_grid.h"
#include "bench/report_notes.h"
#include "bench/report_page.h"

/* One line a codec: the figures of all uses, and the verdicts that they lead to. */
void bo_uses_grid(const struct bo_run_document *document, const struct bo_uses *uses,
                  struct bo_arena *arena, struct bo_grid *grid_ret);

/* A yardstick that is built only where its library is: never a pick. */
bool bo_is_library_control(const struct bo_run_codec *codec);

/*
 * The codec with the lowest figure, of the exact or of the probabilistic ones, among those that no
 * limit of the same use leaves out; NULL when there is none. Neither controls on
 * top of a library nor codecs that leave something out are picks.
 */
const struct bo_run_codec *bo_use_pick(const struct bo_run_document *document,
                                       const struct bo_uses *uses, const struct bo_use *use,
                                       bool probabilistic);

/* The table and the picks of a document, with their words. */
void bo_page_uses(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_uses *uses);

#endif
