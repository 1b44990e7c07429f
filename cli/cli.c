/* Shared by the subcommands: messages and names. */
#include "cli/cli.h"

#include <stdio.h>

#include "bench/runs/run.h"
#include "cli/options.h"
#include "harness/core/suggest.h"

/* ---- names ----------------------------------------------------------------------------------- */

const struct bo_format *bo_need_format(const char *command, const char *name)
{
    const struct bo_format *format = name ? bo_find_format(name) : NULL;
    struct bo_suggestion near = bo_suggest(name);
    if (format)
        return format;
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        bo_suggest_offer(&near, (*f)->name);
    fprintf(stderr, "bakeoff: %s: %s%s%s", command, name ? "no format '" : "needs a format",
            name ? name : "", name ? "'" : "");
    if (near.best[0]) {
        fprintf(stderr, "%s\n", bo_suggestion_text(&near));
        return NULL;
    }
    fputs("; the formats are", stderr);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        fprintf(stderr, " %s", (*f)->name);
    fputc('\n', stderr);
    return NULL;
}

const struct bo_codec *bo_need_codec_of(const char *command, const struct bo_format *format,
                                        const char *name)
{
    const struct bo_codec *codec = bo_find_codec(format, name);
    struct bo_suggestion near = bo_suggest(name);
    if (codec)
        return codec;
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        bo_suggest_offer(&near, (*c)->name);
    fprintf(stderr, "bakeoff: %s: no codec '%s' of %s", command, name, format->name);
    fputs(near.best[0] ? bo_suggestion_text(&near) : "; there are", stderr);
    for (const struct bo_codec *const *c = format->codecs; *c && !near.best[0]; c++)
        fprintf(stderr, " %s", (*c)->name);
    fputc('\n', stderr);
    return NULL;
}

bool bo_need_codecs(const char *command, const char *list, const struct bo_format *only,
                    struct bo_filter *codecs_ret)
{
    if (!bo_filter_parse(list, codecs_ret))
        return !bo_usage_error(command, "--codec expects names separated by commas, not '%s'",
                               list);
    for (const struct bo_format **f = bo_formats; *f; f++)
        for (const struct bo_codec *const *c = (*f)->codecs; *c && (!only || *f == only); c++)
            bo_filter_allows(codecs_ret, (*c)->name);
    const char *suggestion, *unknown = bo_filter_unmatched(codecs_ret, &suggestion);
    if (!unknown || only)
        return !unknown || bo_need_codec_of(command, only, unknown);
    return !bo_usage_error(command, "no codec '%s' in any format%s", unknown, suggestion);
}

const struct bo_codec *bo_need_codec(const char *command, const char *name,
                                     const struct bo_format **format_ret)
{
    const char *slash = name ? strchr(name, '/') : NULL;
    char format_name[64];
    if (!slash || (size_t)(slash - name) >= sizeof format_name) {
        bo_usage_error(command, "needs FORMAT/CODEC, such as pcdata/varint-delta%s%s%s",
                       name ? ", not '" : "", name ? name : "", name ? "'" : "");
        return NULL;
    }
    snprintf(format_name, sizeof format_name, "%.*s", (int)(slash - name), name);
    *format_ret = bo_need_format(command, format_name);
    return *format_ret ? bo_need_codec_of(command, *format_ret, slash + 1) : NULL;
}

const struct bo_query_kind *bo_need_kind(const char *command, const struct bo_format *format,
                                         const char *name)
{
    const struct bo_query_kind *kind = bo_find_kind(format, name);
    struct bo_suggestion near = bo_suggest(name);
    if (kind)
        return kind;
    for (unsigned k = 0; k < format->n_kinds; k++)
        bo_suggest_offer(&near, format->kinds[k].name);
    fprintf(stderr, "bakeoff: %s: no query kind '%s' of %s", command, name, format->name);
    fputs(near.best[0] ? bo_suggestion_text(&near) : "; there are", stderr);
    for (unsigned k = 0; k < format->n_kinds && !near.best[0]; k++)
        fprintf(stderr, " %s", format->kinds[k].name);
    fputc('\n', stderr);
    return NULL;
}

int bo_no_document(const char *command, const struct bo_run *run, const char *format,
                   const char *name)
{
    struct bo_suggestion near = bo_suggest(name);
    for (size_t d = 0; d < run->n_documents; d++)
        if (strcmp(run->documents[d].format, format) == 0)
            bo_suggest_offer(&near, run->documents[d].name);
    return name ? bo_usage_error(command, "the results have no document %s of %s%s", name, format,
                                 bo_suggestion_text(&near))
                : bo_usage_error(command, "the results have no documents of %s", format);
}
