/* A run's results for people: aligned tables with one line per codec. */
#ifndef BO_RUN_TABLE_H
#define BO_RUN_TABLE_H

#include <stdio.h>

#include "bench/measure/plan.h"

/*
 * The document's table of medians over the repetitions (in brackets p10-p90 over the batches), in
 * lines of at most `width` columns, at least 24; then the failures, and what was not measured.
 */
void bo_table_print(const struct bo_plan *plan, unsigned width, FILE *out);

/* A time with three significant digits in the unit that suits `scale_ns`: "12.3", "4.56". */
char *bo_table_time(struct bo_arena *arena, double ns, double scale_ns);

#endif
