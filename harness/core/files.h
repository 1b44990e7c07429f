/* Files that are written completely or not at all, and folders. */
#ifndef BO_FILES_H
#define BO_FILES_H

#include <stdio.h>

#include "harness/core/stream.h"

/* A stream into memory. */
struct bo_memory_file {
    FILE *out;
    char *text;
    size_t nbytes; /* of `text`; both are valid after bo_memory_bytes */
};

/* Returns file->out. Aborts when memory is exhausted. */
FILE *bo_memory_open(struct bo_memory_file *file);

/* What was printed so far, until more is printed. A null byte follows it. */
struct bo_span bo_memory_bytes(const struct bo_memory_file *file);

void bo_memory_free(struct bo_memory_file *file);

bool bo_is_folder(const char *path);

/* Writes to an open file. False with errno set. */
bool bo_write_all(int fd, struct bo_span bytes);

/*
 * Writes to `path` through a temporary file and a rename. NULL or "-" is standard output. False
 * after a message.
 */
bool bo_output(const char *path, struct bo_span bytes);

/* The same with the output of a function that prints `what`. */
bool bo_output_printed(const char *path, void (*print)(const void *what, FILE *out),
                       const void *what);

/*
 * The same in pieces. A file that exists keeps its permissions; a symbolic link to one stays.
 * SIGINT, SIGTERM and SIGHUP remove the temporary file, if the program does not handle them.
 * Closing returns whether everything was written, after a message if not.
 * Without `keep`, the file is left as it was. Bytes sent to standard output cannot be undone.
 */
struct bo_outlet {
    struct bo_drain drain;
    const char *path; /* for messages */
    int fd;
    int why_failed; /* errno of the first failure; 0: none */
    bool has_temporary;
    char target[4096], temporary[4096]; /* without symbolic links; beside it */
};
bool bo_outlet_open(const char *path, struct bo_outlet *outlet);
bool bo_outlet_close(struct bo_outlet *outlet, bool keep);

/*
 * Makes an empty folder under $TMPDIR or /tmp, which the caller must remove. Writes its path to
 * `path`, which has room for n bytes. False with errno set.
 */
bool bo_temporary_folder(char *path, size_t n);

#endif
