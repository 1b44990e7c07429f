/* Codecs and formats of plugins: checks them and appends them to the built-in ones. */
#include "harness/plugin.h"

#include <stdlib.h>

#include "harness/registry.h"

/* Names in commands, results and files consist of lower-case letters, digits, - and +. */
static bool is_name(const char *name)
{
    if (!name || !*name)
        return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-+") == strlen(name);
}

/* NULL when the codec is usable, else the reason. */
static const char *flaw_of(const struct bo_format *format, const struct bo_codec *codec)
{
    if (!is_name(codec->name))
        return "a codec's name is not made of a-z, 0-9, - and +";
    if (bo_find_codec(format, codec->name))
        return "a codec has the name of another one of the format";
    if (!codec->summary || !codec->spec)
        return "a codec has no summary or no spec";
    if (!codec->encode || !codec->decode || !codec->open || !codec->query)
        return "a codec lacks encode, decode, open or query";
    if (codec->reads && !bo_find_codec(format, codec->reads))
        return "a codec reads the bytes of an unknown one";
    const struct bo_codec *layout = codec->level_of ? bo_find_codec(format, codec->level_of) : NULL;
    if (codec->level_of && (codec->reads || !layout || !layout->choices))
        return "a level is not one of a codec whose encoder may choose";
    if (codec->kinds >> format->n_kinds)
        return "a codec answers kinds that the format does not have";
    return NULL;
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

static const char *add_format(const struct bo_format *format)
{
    static unsigned n_added;
    const char *flaw = flaw_of_format(format);
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

const char *bo_register_plugin(const struct bo_plugin *plugin)
{
    if (plugin->codec_nbytes != sizeof(struct bo_codec))
        return "it was built for another version of harness/codec.h";
    if (plugin->new_format)
        return add_format(plugin->new_format);
    const struct bo_format **place = find_place(plugin->format);
    if (!place)
        return "it is of a format that there is not";
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
