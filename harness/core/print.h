/* Text for reports: strings in an arena, wrapped paragraphs, numbers as people read them. */
#ifndef BO_REPORT_TEXT_H
#define BO_REPORT_TEXT_H

#include <stdio.h>

#include "harness/core/arena.h"

/* A formatted string in the arena. Aborts without memory, so that callers need not ask. */
char *bo_arena_printf(struct bo_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints a paragraph in lines of at most `width` columns (bytes of ASCII); every line but the first
 * starts with `indent`. A word longer than a line is cut.
 */
void bo_print_wrapped(FILE *out, const char *text, unsigned width, const char *indent);

/*
 * Prints a command for a shell in the same way, every line indented, with backslashes where it goes
 * on. Words are never cut, whatever their length.
 */
void bo_print_command(FILE *out, const char *command, unsigned width, const char *indent);

/* The text as one word of a shell's command line, in quotes where it needs them. */
char *bo_shell_quoted(struct bo_arena *arena, const char *text);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Three significant digits without an exponent: "1234", "56.7", "0.0123". "-" for NaN. */
char *bo_significant(struct bo_arena *arena, double v);

/* A unit of time, and how many nanoseconds it has. */
struct bo_time_unit {
    const char *name;
    double ns;
};

/* The unit in which a time has few digits; nanoseconds below 10 us. */
struct bo_time_unit bo_time_unit_for(double ns);

/* "512 B", "1.23 KiB", "45.6 MiB"; "-" for NaN. */
char *bo_nbytes_text(struct bo_arena *arena, double nbytes);

#endif
