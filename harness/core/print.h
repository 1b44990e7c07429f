/* Text for reports: strings in an arena, wrapped paragraphs, formatted numbers. */
#ifndef BO_REPORT_TEXT_H
#define BO_REPORT_TEXT_H

#include <stdio.h>

#include "harness/core/arena.h"

/* A formatted string in the arena. Aborts when memory is exhausted, so callers need no check. */
char *bo_arena_printf(struct bo_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints a paragraph in lines of at most `width` columns (bytes of ASCII). Every line but the first
 * starts with `indent`. A word longer than a line is split.
 */
void bo_print_wrapped(FILE *out, const char *text, unsigned width, const char *indent);

/*
 * Prints a shell command in the same way, with every line indented and backslashes at the line
 * ends. Words are never split.
 */
void bo_print_command(FILE *out, const char *command, unsigned width, const char *indent);

/* The text as one word of a shell command, in quotes if it needs them. */
char *bo_shell_quoted(struct bo_arena *arena, const char *text);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Three significant digits without an exponent: "1234", "56.7", "0.0123". "-" for NaN. */
char *bo_significant(struct bo_arena *arena, double v);

/* A unit of time, and its length in nanoseconds. */
struct bo_time_unit {
    const char *name;
    double ns;
};

/* The unit in which a time has few digits. Nanoseconds below 10 us. */
struct bo_time_unit bo_time_unit_for(double ns);

/* "512 B", "1.23 KiB", "45.6 MiB"; "-" for NaN. */
char *bo_nbytes_text(struct bo_arena *arena, double nbytes);

#endif
