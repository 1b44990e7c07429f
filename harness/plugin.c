/* Codecs and formats of plugins: checks them and appends them to the built-in ones. */
#include "harness/plugin.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/registry.h"

/* Names in commands, results and files consist of lower-case letters, digits, - and +. */
static bool is_name(const char *name)
{
    if (!name || !*name)
        return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-+") == strlen(name);
}

static char flaw_text[256];

/* The flaw of one of several things. */
static const char *flaw_in(const char *what, const char *name, const char *flaw)
{
    snprintf(flaw_text, sizeof flaw_text, "%s %s: %s", what, name, flaw);
    return flaw_text;
}

static const char *flaw_of_named(const struct bo_format *format, const struct bo_codec *codec)
{
    if (strcmp(codec->name, "noop") == 0)
        return "the name is of bakeoff's own measurement of the driver";
    if (bo_find_codec(format, codec->name))
        return "another codec of the format has this name";
    if (!codec->summary || !codec->spec)
        return "it has no summary or no spec";
    if (!codec->encode || !codec->decode || !codec->open || !codec->query)
        return "it lacks encode, decode, open or query";
    if (codec->reads && !bo_find_codec(format, codec->reads))
        return "it reads the bytes of an unknown codec";
    const struct bo_codec *layout = codec->level_of ? bo_find_codec(format, codec->level_of) : NULL;
    if (codec->level_of && (codec->reads || !layout || !layout->choices))
        return "it is a level of a codec whose encoder may not choose";
    if (codec->kinds >> format->n_kinds)
        return "it answers kinds that the format does not have";
    return NULL;
}

/* NULL when the codec is usable, else the reason. */
static const char *flaw_of(const struct bo_format *format, const struct bo_codec *codec)
{
    if (!is_name(codec->name))
        return "a codec's name is not made of a-z, 0-9, - and +";
    const char *flaw = flaw_of_named(format, codec);
    return flaw ? flaw_in("codec", codec->name, flaw) : NULL;
}

static const struct bo_format **find_place(const char *name)
{
    for (const struct bo_format **f = bo_formats; name && *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return f;
    return NULL;
}

static size_t count(const struct bo_codec *const *codecs)
{
    size_t n = 0;
    while (codecs[n])
        n++;
    return n;
}

/* A format with a plugin's codecs added, and the older versions of it. */
struct extended {
    struct bo_format format;
    struct extended *before;
};

static struct extended *last_extended;

/* NULL when the format is usable, else the reason. */
static const char *flaw_of_format(const struct bo_format *format)
{
    if (!is_name(format->name) || strpbrk(format->name, "-+"))
        return "the format's name is not made of a-z and 0-9";
    if (bo_find_format(format->name))
        return "the format has the name of another one";
    if (!format->summary || !format->report || !format->report->question)
        return "the format has no summary or no report with a question";
    if (!format->parse || !format->print || !format->differ || !format->generate ||
        !format->mutate || !format->units || !format->fields)
        return "the format lacks a function that it must have";
    if (!format->kinds || !format->n_kinds || format->n_kinds > BO_MAX_KINDS)
        return "the format has no query kinds, or too many";
    if (!format->codecs || !format->codecs[0])
        return "the format has no codecs";
    return NULL;
}

static const char *flaw_of_kind(const struct bo_format *format, const struct bo_query_kind *kind)
{
    for (const struct bo_query_kind *k = format->kinds; k < kind; k++)
        if (strcmp(k->name, kind->name) == 0)
            return "another kind has this name";
    if (!kind->summary || !kind->usage)
        return "it has no summary or no usage";
    if (!kind->oracle || !kind->count || !kind->at || !kind->draw_edges || !kind->invalid_at ||
        !kind->parse || !kind->print)
        return "it lacks a function that it must have";
    if (kind->query_size > BO_MAX_QUERY_NBYTES)
        return "its queries are too large";
    if (kind->has_text && kind->query_size < sizeof(struct bo_span))
        return "its queries have no room for a text";
    if (!kind->workloads || !kind->n_workloads)
        return "it has no workloads";
    for (const struct bo_workload *w = kind->workloads; w < kind->workloads + kind->n_workloads;
         w++) {
        if (!is_name(w->name) || bo_find_workload(kind, w->name) != w)
            return "a workload's name is that of another one, or not made of a-z, 0-9, - and +";
        if (!w->summary || !w->draw || !w->n_queries)
            return "a workload has no summary, no draw or no queries";
        if (w->dependent && !kind->link)
            return "a workload is dependent, and there is no link";
    }
    return NULL;
}

/* Recorded queries have lines of these names. */
static bool is_reserved(const char *kind)
{
    return strcmp(kind, "action") == 0 || strcmp(kind, "hit") == 0;
}

static const char *flaw_of_kinds(const struct bo_format *format)
{
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        if (!is_name(kind->name) || is_reserved(kind->name))
            return "a query kind's name is reserved, or not made of a-z, 0-9, - and +";
        const char *flaw = flaw_of_kind(format, kind);
        if (flaw)
            return flaw_in("query kind", kind->name, flaw);
    }
    return NULL;
}

static const char *add_format(const struct bo_format *format)
{
    static unsigned n_added;
    const char *flaw = flaw_of_format(format);
    if (!flaw)
        flaw = flaw_of_kinds(format);
    struct bo_format alone = *format;
    for (size_t i = 0; !flaw && format->codecs[i]; i++) {
        /* Names are compared with those of the previous codecs. */
        const struct bo_codec *before[BO_MAX_PLUGIN_CODECS + 1] = {NULL};
        if (i == BO_MAX_PLUGIN_CODECS)
            return "the format has too many codecs";
        memcpy(before, format->codecs, i * sizeof *before);
        alone.codecs = before;
        flaw = flaw_of(&alone, format->codecs[i]);
    }
    if (!flaw && n_added == BO_MAX_PLUGIN_FORMATS)
        flaw = "there are too many formats of plugins";
    if (flaw)
        return flaw;
    size_t n = 0;
    while (bo_formats[n])
        n++;
    bo_formats[n] = format;
    n_added++;
    return NULL;
}

static const char *add_codecs(const struct bo_plugin *plugin)
{
    const struct bo_format **place = find_place(plugin->format);
    if (!place)
        return "it is for an unknown format";
    if (!plugin->codecs)
        return "it has no codecs";
    const size_t n_old = count((*place)->codecs), n_new = count(plugin->codecs);
    struct extended *extended = malloc(sizeof *extended);
    const struct bo_codec **codecs = malloc((n_old + n_new + 1) * sizeof *codecs);
    const char *flaw = extended && codecs ? NULL : "out of memory";
    if (!flaw) {
        memcpy(codecs, (*place)->codecs, (n_old + 1) * sizeof *codecs);
        *extended = (struct extended){.format = **place, .before = last_extended};
        extended->format.codecs = codecs;
    }
    for (size_t i = 0; i < n_new && !flaw; i++) {
        flaw = flaw_of(&extended->format, plugin->codecs[i]);
        codecs[n_old + i] = plugin->codecs[i];
        codecs[n_old + i + 1] = NULL;
    }
    if (flaw) {
        free(codecs);
        free(extended);
        return flaw;
    }
    last_extended = extended;
    *place = &extended->format; /* the old entry is a constant or of another plugin: keep it */
    return NULL;
}

static const char *loaded[BO_MAX_PLUGINS];
static unsigned n_loaded;

const char *bo_loaded_plugin(unsigned i)
{
    return i < n_loaded ? loaded[i] : NULL;
}

const char *bo_register_plugin(const struct bo_plugin *plugin, const char *path)
{
    static const size_t sizes[BO_N_PLUGIN_SIZES] = BO_PLUGIN_SIZES;
    if (!plugin)
        return "its entry point returns nothing";
    if (memcmp(plugin->sizes, sizes, sizeof sizes) != 0)
        return "it was built for another version of bakeoff's headers";
    if (n_loaded == BO_MAX_PLUGINS)
        return "there are too many plugins";
    const char *flaw = plugin->new_format ? add_format(plugin->new_format) : add_codecs(plugin);
    if (!flaw)
        loaded[n_loaded++] = path;
    return flaw;
}
