/*
 * Codecs, or a whole format, from a shared object: how an author measures an encoding without
 * changing bakeoff.
 *
 *     #include "harness/plugin.h"
 *     ...
 *     static const struct bo_codec my_idea = {.name = "my-idea", ...};
 *     BO_PLUGIN("pcdata", &my_idea)
 *
 * or, for a format with its codecs, BO_FORMAT_PLUGIN(&my_format). It is built with
 * `cc -shared -fPIC -I BAKEOFF` and loaded with `bakeoff --plugin ./my-idea.so COMMAND`.
 * What headers of harness/ and the format declare, the program provides.
 */
#ifndef BO_PLUGIN_H
#define BO_PLUGIN_H

#include "harness/codec.h"

/*
 * The entry point. Its number grows whenever plugins must be rebuilt, because struct bo_codec or a
 * function that plugins call has changed: an object built for another version lacks this symbol.
 */
#define BO_PLUGIN_ENTRY bo_plugin_4

/* Codecs that a format of a plugin may have. */
enum { BO_MAX_PLUGIN_CODECS = 63 };

struct bo_plugin {
    size_t codec_nbytes;                  /* sizeof(struct bo_codec), as the plugin was built */
    const char *format;                   /* "pcdata" */
    const struct bo_codec *const *codecs; /* ends with NULL */
    const struct bo_format *new_format; /* a format with its codecs in place of the two; or NULL */
};

/* The one function that the object must export. */
const struct bo_plugin *BO_PLUGIN_ENTRY(void);

/* Defines it: the format's name, then the codecs' addresses. */
#define BO_PLUGIN(format_name, ...)                                                           \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                             \
    {                                                                                         \
        static const struct bo_codec *const codecs[] = {__VA_ARGS__, NULL};                   \
        static const struct bo_plugin plugin = {sizeof(struct bo_codec), format_name, codecs, \
                                                NULL};                                        \
        return &plugin;                                                                       \
    }

/* Defines it for a format of the plugin's own: its address. */
#define BO_FORMAT_PLUGIN(format)                                                              \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                             \
    {                                                                                         \
        static const struct bo_plugin plugin = {sizeof(struct bo_codec), NULL, NULL, format}; \
        return &plugin;                                                                       \
    }

/*
 * Adds a plugin's codecs to their format, behind those that it has, or its format behind the others
 * (at most BO_MAX_PLUGIN_FORMATS of all plugins together). NULL when that was done; else
 * why it was not, with nothing changed. For the program's start, before anything looks at a format;
 * the plugin must stay.
 */
const char *bo_register_plugin(const struct bo_plugin *plugin);

#endif
