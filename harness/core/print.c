/* Strings, paragraphs, numbers. */
#include "harness/core/print.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *bo_arena_printf(struct bo_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : bo_alloc(arena, (size_t)n + 1);
    if (!text)
        abort();
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/* The length of the word at p. In a command, spaces between single quotes belong to the word. */
static size_t word_length(const char *p, bool quotes)
{
    size_t n = 0;
    for (bool quoted = false; p[n] && (quoted || !strchr(" \n", p[n])); n++)
        if (quotes && p[n] == '\'')
            quoted = !quoted;
    return n;
}

/*
 * Prints words in lines. Each line but the last ends with `on`. The first line starts at `column`.
 * A word of a command is never split.
 */
static void print_words(FILE *out, const char *text, size_t width, size_t column,
                        const char *indent, const char *on)
{
    const bool is_command = *on != 0;
    bool fresh = true; /* the line is empty so far */
    for (const char *p = text + strspn(text, " \n"); *p; p += strspn(p, " \n")) {
        size_t n = word_length(p, is_command);
        if (!fresh && column + 1 + n > width) {
            fprintf(out, "%s\n%s", on, indent);
            column = strlen(indent);
        } else if (!fresh) {
            putc(' ', out);
            column++;
        }
        if (n > width - column && !is_command)
            n = width - column;
        fwrite(p, 1, n, out);
        column += n;
        p += n;
        fresh = false;
    }
    putc('\n', out);
}

void bo_print_wrapped(FILE *out, const char *text, unsigned width, const char *indent)
{
    print_words(out, text, width, 0, indent, "");
}

void bo_print_command(FILE *out, const char *command, unsigned width, const char *indent)
{
    static const char on[] = " \\";
    fputs(indent, out);
    print_words(out, command, width - strlen(on), strlen(indent), indent, on);
}

char *bo_shell_quoted(struct bo_arena *arena, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:=@%";
    char *quoted = bo_arena_printf(arena, "'");
    if (*text && text[strspn(text, plain)] == 0)
        return bo_arena_printf(arena, "%s", text);
    for (size_t n; *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "'");
        quoted = bo_arena_printf(arena, "%s%.*s%s", quoted, (int)n, text, text[n] ? "'\\''" : "");
    }
    return bo_arena_printf(arena, "%s'", quoted);
}

/* ---- numbers --------------------------------------------------------------------------------- */

char *bo_significant(struct bo_arena *arena, double v)
{
    if (isnan(v))
        return bo_arena_printf(arena, "-");
    int decimals = 2;
    if (v != 0)
        decimals = 2 - (int)floor(log10(fabs(v) * 1.0005)); /* 9.996 rounds up to 10.0 */
    if (decimals < 0)
        decimals = 0;
    return bo_arena_printf(arena, "%.*f", decimals < 9 ? decimals : 9, v);
}

struct bo_time_unit bo_time_unit_for(double ns)
{
    if (!(ns >= 1e4))
        return (struct bo_time_unit){"ns", 1};
    if (ns < 1e7)
        return (struct bo_time_unit){"us", 1e3};
    return ns < 1e10 ? (struct bo_time_unit){"ms", 1e6} : (struct bo_time_unit){"s", 1e9};
}

char *bo_nbytes_text(struct bo_arena *arena, double nbytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    unsigned u = 0;
    if (isnan(nbytes))
        return bo_arena_printf(arena, "-");
    while (nbytes >= 1024 && u < 3) {
        nbytes /= 1024;
        u++;
    }
    if (u == 0)
        return bo_arena_printf(arena, "%.0f B", nbytes);
    return bo_arena_printf(arena, "%s %s", bo_significant(arena, nbytes), units[u]);
}
