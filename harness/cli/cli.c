/* What the subcommands share: messages and names. */
#include "harness/cli/cli.h"

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

const struct bo_format *bo_need_format(const char *command, const char *name)
{
    const struct bo_format *format = name ? bo_find_format(name) : NULL;
    if (format)
        return format;
    fprintf(stderr, "bakeoff: %s: %s%s%s; the formats are", command,
            name ? "no format '" : "needs a format", name ? name : "", name ? "'" : "");
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        fprintf(stderr, " %s", (*f)->name);
    fputc('\n', stderr);
    return NULL;
}

const struct bo_codec *bo_need_codec(const char *command, const char *name,
                                     const struct bo_format **format_ret)
{
    const char *slash = name ? strchr(name, '/') : NULL;
    char format_name[64];
    if (!slash || (size_t)(slash - name) >= sizeof format_name) {
        bo_usage_error(command, "needs FORMAT/CODEC, such as pcdata/varint-delta");
        return NULL;
    }
    snprintf(format_name, sizeof format_name, "%.*s", (int)(slash - name), name);
    *format_ret = bo_need_format(command, format_name);
    if (!*format_ret)
        return NULL;
    const struct bo_codec *codec = bo_find_codec(*format_ret, slash + 1);
    if (codec)
        return codec;
    fprintf(stderr, "bakeoff: %s: no codec '%s' of %s; there are", command, slash + 1, format_name);
    for (const struct bo_codec *const *c = (*format_ret)->codecs; *c; c++)
        fprintf(stderr, " %s", (*c)->name);
    fputc('\n', stderr);
    return NULL;
}

const struct bo_query_kind *bo_need_kind(const char *command, const struct bo_format *format,
                                         const char *name)
{
    const struct bo_query_kind *kind = bo_find_kind(format, name);
    if (kind)
        return kind;
    fprintf(stderr, "bakeoff: %s: no query kind '%s' of %s; there are", command, name,
            format->name);
    for (unsigned k = 0; k < format->n_kinds; k++)
        fprintf(stderr, " %s", format->kinds[k].name);
    fputc('\n', stderr);
    return NULL;
}
