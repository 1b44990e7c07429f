/*
 * Shared by the subcommands: exit codes, messages, input and output files, names to objects.
 *
 * Messages go to stderr as `bakeoff: FILE: what is wrong at byte N`; data goes to stdout or -o.
 */
#ifndef BO_CLI_H
#define BO_CLI_H

#include "bench/measure/plan.h"
#include "harness/core/files.h"
#include "harness/core/input.h"
#include "harness/core/message.h"
#include "harness/registry.h"

/* ---- commands -------------------------------------------------------------------------------- */

struct bo_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
};

extern const struct bo_command bo_commands[]; /* ends with a NULL name; from commands.def */

/* ---- names to objects ------------------------------------------------------------------------ */

/*
 * Each returns NULL when there is no such name, after a message that suggests the nearest one or
 * lists them all.
 */
const struct bo_format *bo_need_format(const char *command, const char *name);

/*
 * Parses a list of names of codecs (NULL: all) as a filter. False after a message when one is no
 * codec of `only` (NULL: of any format).
 */
bool bo_need_codecs(const char *command, const char *list, const struct bo_format *only,
                    struct bo_filter *codecs_ret);

/* `FORMAT/CODEC`. */
const struct bo_codec *bo_need_codec(const char *command, const char *name,
                                     const struct bo_format **format_ret);
const struct bo_codec *bo_need_codec_of(const char *command, const struct bo_format *format,
                                        const char *name);
const struct bo_query_kind *bo_need_kind(const char *command, const struct bo_format *format,
                                         const char *name);

struct bo_run;

/*
 * BO_EXIT_USAGE, after the message that a run has no such document of a format, or (NULL) no
 * document of the format at all. Suggests the nearest name.
 */
int bo_no_document(const char *command, const struct bo_run *run, const char *format,
                   const char *name);

#endif
