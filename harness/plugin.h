/*
 * Codecs, or a whole format, from a shared object: how an author measures an encoding without
 * changing bakeoff.
 *
 *     #include "harness/plugin.h"
 *     ...
 *     static const struct bo_codec my_idea = {.name = "my-idea", ...};
 *     BO_PLUGIN("pcdata", &my_idea)
 *
 * or, for a format with its codecs, BO_FORMAT_PLUGIN(&my_format). It is built with `cc -shared
 * -fPIC -I BAKEOFF` and loaded with `bakeoff --plugin ./my-idea.so COMMAND`. The program provides
 * the functions that the headers of harness/ and of the format declare.
 */
#ifndef BO_PLUGIN_H
#define BO_PLUGIN_H

#include "harness/codec.h"

/*
 * The entry point. Its number increases whenever plugins must be rebuilt, because struct bo_codec
 * or a function that plugins call has changed. An object built for another version lacks this
 * symbol.
 */
#define BO_PLUGIN_ENTRY bo_plugin_4

/* The most codecs that a plugin can add to a format. */
enum { BO_MAX_PLUGIN_CODECS = 63 };

struct bo_plugin {
    size_t codec_nbytes;                  /* sizeof(struct bo_codec) when the plugin was built */
    const char *format;                   /* "pcdata" */
    const struct bo_codec *const *codecs; /* ends with NULL */
    /* a format with its codecs, instead of the two above; or NULL */
    const struct bo_format *new_format;
};

/* The one function that the object must export. */
const struct bo_plugin *BO_PLUGIN_ENTRY(void);

/* Defines it from the format's name and the codecs' addresses. */
#define BO_PLUGIN(format_name, ...)                                                           \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                             \
    {                                                                                         \
        static const struct bo_codec *const codecs[] = {__VA_ARGS__, NULL};                   \
        static const struct bo_plugin plugin = {sizeof(struct bo_codec), format_name, codecs, \
                                                NULL};                                        \
        return &plugin;                                                                       \
    }

/* Defines it from the address of the plugin's own format. */
#define BO_FORMAT_PLUGIN(format)                                                              \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                             \
    {                                                                                         \
        static const struct bo_plugin plugin = {sizeof(struct bo_codec), NULL, NULL, format}; \
        return &plugin;                                                                       \
    }

/*
 * Adds a plugin's codecs after those of their format, or its format after the others (at most
 * BO_MAX_PLUGIN_FORMATS for all plugins). Returns NULL on success, else the reason; nothing has
 * changed then. Call it at the start, before any use of a format. The plugin must stay loaded.
 */
const char *bo_register_plugin(const struct bo_plugin *plugin);

#endif
