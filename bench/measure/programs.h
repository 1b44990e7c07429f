/*
 * The field's own programs beside our codecs, run as their users run them: a process an answer.
 * Their times hold the start of the process, so they stand in a table of their own.
 */
#ifndef BO_PROGRAMS_H
#define BO_PROGRAMS_H

#include <jansson.h>

#include "corpora/documents.h"

enum { BO_MAX_PROGRAM_ARGS = 8 };

/*
 * One thing that a program does. In an argument, @text stands for the path of the document's text
 * form, @file for that of the program's own file, @out for one to write, @name for what is looked
 * up.
 */
struct bo_program_job {
    const char *label; /* NULL ends the list */
    const char *args[BO_MAX_PROGRAM_ARGS + 1];
};

struct bo_program {
    const char *format, *name;
    const char *const *commands;       /* the first that can be run is taken; ends with NULL */
    const char *const *version_args;   /* it prints a line with "version" then; ends with NULL */
    const char *const *make_args;      /* makes @file from @text; ends with NULL */
    const struct bo_program_job *jobs; /* what is timed */
    /* What is looked up: a malloced string, NULL when the document has nothing to look up. */
    char *(*subject)(const void *model);
};

/* All programs that are known; ends with NULL. Each format's are in a file of their own. */
extern const struct bo_program *const bo_programs[];
extern const struct bo_program lprf_llvm_profdata;
extern const struct bo_program autofdo_llvm_text, autofdo_llvm_binary, autofdo_llvm_extbinary,
    autofdo_llvm_extbinary_packed;

/* LLVM's program for profiles, as several formats have it. */
extern const char *const bo_llvm_profdata_commands[], *const bo_llvm_profdata_version_args[];

/*
 * Runs a program on a document: {"name", "version", "bytes", "jobs": [{"label", "wall_ns": []}],
 * "status"}: `bytes` of the file that it makes, the wall times of so many runs of each job, from
 * the fork to the exit. A status other than "ok" says what is missing. The caller owns the object.
 */
json_t *bo_program_json(const struct bo_program *program, const struct bo_document *document,
                        unsigned repetitions);

/* An array of bo_program_json of the format's programs, NULL when it has none. */
json_t *bo_programs_json(const struct bo_document *document, unsigned repetitions);

#endif
