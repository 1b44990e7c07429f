/* The caption of a table: what a reader needs to judge and to repeat it. */
#ifndef BO_REPORT_CAPTION_H
#define BO_REPORT_CAPTION_H

#include <stdio.h>

#include "bench/runs/run.h"

/* Sentences in an arena, without the full stop. */
struct bo_caption {
    const char *what;    /* "pcdata: 7 codecs on esbuild-amd64" */
    const char *corpus;  /* provenance, hash, units */
    const char *machine; /* processor, caches, kernel, compiler and flags */
    const char *sample;  /* repetitions and the interval */
    const char *run;     /* date, commit, which shard */
    const char *file;    /* name of the user's file that the command reads; NULL: none */
    /* the command that reproduces the table, run at the root of the repository */
    const char *command;
};

/*
 * `options` are the options of `bakeoff table` that print the table again: "--style rfc --kind
 * point".
 */
struct bo_caption bo_caption_make(const struct bo_run_document *document, const char *table_options,
                                  struct bo_arena *arena);

/* The argument of `--corpus` for the document: its name, or the name of a user's file. */
const char *bo_document_argument(const struct bo_run_document *document);

/* "AMD EPYC 9B45, 2 CPUs, L1d 32 KiB, L2 1 MiB, L3 32 MiB" */
char *bo_caption_processor(const struct bo_environment *environment, struct bo_arena *arena);

/*
 * "medians of n = 20 repetitions, with 95% intervals by order statistics": for all rows of the
 * document. In a run with several layouts, the intervals are of the mean over these.
 */
char *bo_caption_sample(const struct bo_run_document *document, struct bo_arena *arena);

/*
 * The options of `bench` with which the documents were measured, each after a space: " --kind point
 * --full --repetitions 6". A run that did not record its depth had the default one of its version.
 */
char *bo_caption_options(const struct bo_environment *environment, struct bo_arena *arena);

/* "build/bakeoff", or "BAKEOFF_ISA=v1 build/bakeoff" for a run with capped code paths. */
char *bo_caption_program(const struct bo_environment *environment, struct bo_arena *arena);

/* As labelled lines of at most `width` columns: for plain text. */
void bo_caption_print(const struct bo_caption *caption, unsigned width, struct bo_arena *arena,
                      FILE *out);

#endif
