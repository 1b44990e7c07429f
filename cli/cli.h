/*
 * What the subcommands share: exit codes, messages, files in and out, names to objects.
 *
 * Messages go to stderr as `bakeoff: FILE: what is wrong at byte N`; data to stdout or -o.
 */
#ifndef BO_CLI_H
#define BO_CLI_H

#include <stdio.h>

#include "harness/registry.h"
#include "harness/core/stream.h"

/* ---- commands -------------------------------------------------------------------------------- */

enum { BO_EXIT_OK = 0, BO_EXIT_FAILED = 1, BO_EXIT_USAGE = 2, BO_EXIT_INTERRUPTED = 130 };

struct bo_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
};

extern const struct bo_command bo_commands[]; /* ends with a NULL name; from commands.def */

/* ---- messages -------------------------------------------------------------------------------- */

/* Each prints one line to stderr and returns BO_EXIT_USAGE. */
int bo_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int bo_file_error(const char *path, const struct bo_error *error);

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * A file's bytes: mapped, or read from standard input, or unpacked when it is .xz or .zst by its
 * magic.
 */
struct bo_input {
    const char *path; /* as the user gave it */
    struct bo_span bytes;
    void *map; /* what to unmap or free */
    size_t map_nbytes;
    bool mapped;
};

/* Opens `path`, "-" for standard input. False after a message. */
bool bo_input_open(const char *path, struct bo_input *in);
void bo_input_close(struct bo_input *in);

bool bo_is_folder(const char *path);

/*
 * Writes to `path` through a temporary file and a rename; NULL or "-" is standard output. False
 * after a message.
 */
bool bo_output(const char *path, struct bo_span bytes);

/* The same with what a function prints of `what`. */
bool bo_output_printed(const char *path, void (*print)(const void *what, FILE *out),
                       const void *what);

/*
 * The same, piece by piece. Closing says whether all was written, after a message if not; without
 * `keep`, the file stays what it was. Standard output has got what it has got.
 */
struct bo_outlet {
    struct bo_drain drain;
    const char *path; /* for messages */
    int fd;
    int why_failed; /* errno of the first failure; 0: none */
    bool has_temporary;
    char temporary[4096];
};
bool bo_outlet_open(const char *path, struct bo_outlet *outlet);
bool bo_outlet_close(struct bo_outlet *outlet, bool keep);

/*
 * Makes an empty folder under $TMPDIR, or /tmp, for its caller to remove; the path goes to `path`,
 * which has room for n bytes. False with errno set.
 */
bool bo_temporary_folder(char *path, size_t n);

/* ---- names to objects ------------------------------------------------------------------------ */

/*
 * Each returns NULL when there is no such name, after a message that suggests the nearest one or
 * lists them all.
 */
const struct bo_format *bo_need_format(const char *command, const char *name);

/* `FORMAT/CODEC`. */
const struct bo_codec *bo_need_codec(const char *command, const char *name,
                                     const struct bo_format **format_ret);
const struct bo_codec *bo_need_codec_of(const char *command, const struct bo_format *format,
                                        const char *name);
const struct bo_query_kind *bo_need_kind(const char *command, const struct bo_format *format,
                                         const char *name);

#endif
