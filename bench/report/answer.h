/*
 * The answer to a format's question in words: which codec to choose and by how much, reasons
 * against it, how sure the answer is, and what would change it. Every figure and every name in it
 * is computed.
 */
#ifndef BO_REPORT_ANSWER_H
#define BO_REPORT_ANSWER_H

#include "bench/runs/run.h"
#include "harness/format.h"

/*
 * Markdown in the arena: a paragraph of at most three sentences (choose; not if; how sure, and what
 * would change it), an empty line, and a list of the facts behind them. The first run is of the
 * format. Of the other runs, one for each further machine is used. NULL if the first run compares
 * fewer than two codecs.
 */
char *bo_answer_text(const struct bo_run *const *runs, size_t n_runs,
                     const struct bo_format *format, struct bo_arena *arena);

/* The same without Markdown's marks, in the arena. */
char *bo_plain_text(struct bo_arena *arena, const char *markdown);

#endif
