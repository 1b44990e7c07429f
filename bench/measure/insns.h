/*
 * Instructions per operation and per query, counted by callgrind: the same number on every run of
 * the same program, whatever else the machine does.
 */
#ifndef BO_INSNS_H
#define BO_INSNS_H

#include <stdio.h>

#include "corpora/documents.h"
#include "harness/core/arena.h"

/* What was counted of one codec on one document. */
struct bo_insns {
    const char *format, *document, *codec;
    const char *what; /* "encode", "point/uniform" */
    double n;         /* instructions an operation or query */
};

/*
 * In a process under callgrind, started with --collect-atstart=no: runs everything that is counted
 * and dumps one profile for each, in order; prints their names, one a line, to `out`. Failing
 * codecs are left out. `only_codec` is a pattern, or NULL.
 */
void bo_insns_run(const struct bo_document *document, const char *only_codec, FILE *out);

/*
 * Runs this program again under callgrind and reads what it counted. False after a message.
 */
bool bo_insns_count(const struct bo_document *document, const char *only_codec,
                    struct bo_arena *arena, struct bo_insns **insns_ret, size_t *n_ret);

/* ---- golden figures -------------------------------------------------------------------------- */

/*
 * What counts depend on beside the code: compiler, libc, valgrind and the level of the processor's
 * instructions, which some codecs choose by (valgrind shows every processor of a level as the same
 * one).
 */
void bo_insns_made_with(char *text_ret, size_t nbytes);

/*
 * Lines of five fields with tabs between; '#' starts a comment. Two of these say what the counts
 * were made with, and how far they may move.
 */
void bo_insns_write(const struct bo_insns *insns, size_t n, FILE *out);

/*
 * NULL when counts made with `made_with` are comparable with a golden file's; else what that was
 * made with, in the arena.
 */
const char *bo_insns_incomparable(struct bo_span golden, const char *made_with,
                                  struct bo_arena *arena);

/*
 * Compares what was counted with a golden file's text. Says what differs by more than the golden
 * file lets it, what is missing and what is new. Returns how many lines it said.
 */
size_t bo_insns_compare(const struct bo_insns *insns, size_t n, struct bo_span golden, FILE *out);

#endif
