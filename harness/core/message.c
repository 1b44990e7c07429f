/* Messages for the user. */
#include "harness/core/message.h"

#include <stdarg.h>
#include <stdio.h>

int bo_usage_error(const char *command, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "bakeoff: %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; see `bakeoff %s --help`\n", command);
    return BO_EXIT_USAGE;
}

int bo_file_error(const char *path, const struct bo_error *error)
{
    fprintf(stderr, "bakeoff: %s: %s", path, error->what ? error->what : "failed");
    if (error->off != BO_NO_OFFSET)
        fprintf(stderr, " at byte %llu", (unsigned long long)error->off);
    fprintf(stderr, " (%s)\n", bo_status_name(error->status));
    return BO_EXIT_USAGE;
}

void bo_file_note(const char *path, const struct bo_error *error)
{
    if (error->what)
        fprintf(stderr, "bakeoff: %s: note: %s\n", path, error->what);
}
