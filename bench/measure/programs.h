/*
 * The field's own programs, run as their users run them: one process per answer. Their times
 * include the start of the process, so they have a table of their own.
 */
#ifndef BO_PROGRAMS_H
#define BO_PROGRAMS_H

#include <jansson.h>

#include "corpora/documents.h"
#include "harness/format_report.h"

/*
 * Runs a program on a document. Returns {"name", "version", "bytes", "jobs": [{"label", "wall_ns":
 * []}], "status"}: `bytes` is the size of the file that it makes, wall_ns the wall-clock times of
 * several runs of each job, from fork to exit. A status other than "ok" is the reason why figures
 * are missing. The caller owns the object.
 */
json_t *bo_program_json(const struct bo_program *program, const struct bo_document *document,
                        unsigned repetitions);

/* An array of bo_program_json of the format's programs; NULL when it has none. */
json_t *bo_programs_json(const struct bo_document *document, unsigned repetitions);

#endif
