/* Loading plugins. */
#include "cli/plugins.h"

#include <dlfcn.h>
#include <stdio.h>

#include "harness/plugin.h"

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(macro) #macro

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, what);
    return false;
}

bool bo_load_plugin(const char *path)
{
    /* The loader returns data pointers, and C does not convert them to function pointers. */
    const struct bo_plugin *(*entry)(void);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror(); /* most reasons begin with the path */
        const size_t n = strlen(path);
        return fail(path, strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0 ? why + n + 2
                                                                                       : why);
    }
    void *symbol = dlsym(object, TEXT_OF(BO_PLUGIN_ENTRY));
    if (!symbol)
        return fail(path, "not a plugin for this version: it has no " TEXT_OF(BO_PLUGIN_ENTRY));
    memcpy(&entry, &symbol, sizeof entry);
    const char *flaw = bo_register_plugin(entry(), path);
    return !flaw || fail(path, flaw);
}
