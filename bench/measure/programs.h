/*
 * The field's own programs beside our codecs, run as their users run them: a process an answer.
 * Their times hold the start of the process, so they stand in a table of their own.
 */
#ifndef BO_PROGRAMS_H
#define BO_PROGRAMS_H

#include <jansson.h>

#include "corpora/documents.h"
#include "harness/format_report.h"

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
