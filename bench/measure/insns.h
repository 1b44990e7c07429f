/*
 * Instructions per operation and per query, counted by callgrind. The number is the same in every
 * run of the same program, independent of background load.
 */
#ifndef BO_INSNS_H
#define BO_INSNS_H

#include <stdio.h>

#include "corpora/documents.h"
#include "harness/core/arena.h"

/* The counts of one codec on one document. */
struct bo_insns {
    const char *format, *document, *codec;
    const char *what; /* "encode", "point/uniform" */
    double n;         /* instructions per operation or query */
};

/*
 * For a process under callgrind, started with --collect-atstart=no: runs everything that is
 * counted, dumps one profile for each, and prints their names to `out`, one per line. Failing
 * codecs are left out. `only_codecs` has the syntax of bo_filter_parse.
 */
void bo_insns_run(const struct bo_document *document, const char *only_codecs, FILE *out);

/* Runs this program again under callgrind and reads the counts. False after a message. */
bool bo_insns_count(const struct bo_document *document, const char *only_codecs,
                    struct bo_arena *arena, struct bo_insns **insns_ret, size_t *n_ret);

/* ---- golden figures -------------------------------------------------------------------------- */

/*
 * Everything besides the code that counts depend on: compiler, libc, valgrind, and the processor's
 * level of x86-64. Some codecs choose their code by this level; valgrind presents all processors of
 * a level as the same one.
 */
void bo_insns_made_with(char *text_ret, size_t nbytes);

/*
 * Writes lines of five fields separated by tabs; '#' starts a comment. Two comments state how the
 * counts were made and how much they may differ.
 */
void bo_insns_write(const struct bo_insns *insns, size_t n, FILE *out);

/*
 * NULL when counts made with `made_with` are comparable with a golden file's. Otherwise the golden
 * file's counterpart of `made_with`, in the arena.
 */
const char *bo_insns_incomparable(struct bo_span golden, const char *made_with,
                                  struct bo_arena *arena);

/*
 * Compares counts with the text of a golden file. Prints counts that differ by more than the golden
 * file allows, missing ones and new ones. Returns the number of printed lines.
 */
size_t bo_insns_compare(const struct bo_insns *insns, size_t n, struct bo_span golden, FILE *out);

#endif
