/*
 * Codecs, or a whole format, from a shared object: how an author measures an encoding without
 * changing bakeoff.
 *
 *     #include "harness/plugin.h"
 *     ...
 *     static const struct bo_codec my_idea = {.name = "my-idea", ...};
 *     BO_PLUGIN("pcdata", &my_idea)
 *
 * or, for a format with its codecs, BO_FORMAT_PLUGIN(&my_format). It is built with `cc -O2
 * -falign-functions=64 -shared -fPIC -I BAKEOFF`, the alignment as in the program, and loaded with
 * `bakeoff --plugin ./my-idea.so COMMAND`. The program provides the functions that the headers of
 * harness/ and of the format declare.
 */
#ifndef BO_PLUGIN_H
#define BO_PLUGIN_H

#include "harness/format.h"

/*
 * The entry point. Its number increases whenever plugins must be rebuilt, because a structure below
 * or a function that plugins call has changed. An object built for another version lacks this
 * symbol.
 */
#define BO_PLUGIN_ENTRY bo_plugin_6

/* The most codecs that a plugin can add to a format, and the most plugins. */
enum { BO_MAX_PLUGIN_CODECS = 63, BO_MAX_PLUGINS = 16 };

/* The sizes of the structures that a plugin and the program share. */
enum { BO_N_PLUGIN_SIZES = 9 };
#define BO_PLUGIN_SIZES                                                                        \
    {                                                                                          \
        sizeof(struct bo_codec), sizeof(struct bo_format), sizeof(struct bo_format_report),    \
            sizeof(struct bo_query_kind), sizeof(struct bo_workload), sizeof(struct bo_arena), \
            sizeof(struct bo_writer), sizeof(struct bo_sink), sizeof(struct bo_error)          \
    }

struct bo_plugin {
    size_t sizes[BO_N_PLUGIN_SIZES];      /* BO_PLUGIN_SIZES when the plugin was built */
    const char *format;                   /* "pcdata" */
    const struct bo_codec *const *codecs; /* ends with NULL */
    /* a format with its codecs, instead of the two above; or NULL */
    const struct bo_format *new_format;
};

/* The one function that the object must export. */
const struct bo_plugin *BO_PLUGIN_ENTRY(void);

/* Defines it from the format's name and the codecs' addresses. */
#define BO_PLUGIN(format_name, ...)                                                          \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                            \
    {                                                                                        \
        static const struct bo_codec *const codecs[] = {__VA_ARGS__, NULL};                  \
        static const struct bo_plugin plugin = {BO_PLUGIN_SIZES, format_name, codecs, NULL}; \
        return &plugin;                                                                      \
    }

/* Defines it from the address of the plugin's own format. */
#define BO_FORMAT_PLUGIN(format)                                                      \
    const struct bo_plugin *BO_PLUGIN_ENTRY(void)                                     \
    {                                                                                 \
        static const struct bo_plugin plugin = {BO_PLUGIN_SIZES, NULL, NULL, format}; \
        return &plugin;                                                               \
    }

/*
 * Adds a plugin's codecs after those of their format, or its format after the others (at most
 * BO_MAX_PLUGIN_FORMATS for all plugins). `path` is where it was loaded from and stays valid, as
 * the plugin stays loaded. Returns NULL on success, else the reason, in a static buffer; nothing
 * has changed then. Call it at the start, before any use of a format.
 */
const char *bo_register_plugin(const struct bo_plugin *plugin, const char *path);

/* The path of the i-th registered plugin; NULL past the last. */
const char *bo_loaded_plugin(unsigned i);

#endif
