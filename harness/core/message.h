/*
 * Exit codes, and messages for the user: one line on stderr, `bakeoff: FILE: what is wrong at byte
 * N`.
 */
#ifndef BO_MESSAGE_H
#define BO_MESSAGE_H

#include "harness/core/error.h"

enum { BO_EXIT_OK = 0, BO_EXIT_FAILED = 1, BO_EXIT_USAGE = 2, BO_EXIT_INTERRUPTED = 130 };

/* Each prints one line to stderr and returns BO_EXIT_USAGE. */
int bo_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int bo_file_error(const char *path, const struct bo_error *error);

/* Prints the note in *error, if there is one, after a success. */
void bo_file_note(const char *path, const struct bo_error *error);

#endif
