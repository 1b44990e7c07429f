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

enum { MAX_LISTED = 16 };
static const char *loaded[MAX_LISTED];
static unsigned n_loaded;

const char *bo_loaded_plugin(unsigned i)
{
    return i < n_loaded ? loaded[i] : NULL;
}

bool bo_load_plugin(const char *path)
{
    if (n_loaded == MAX_LISTED)
        return fail(path, "too many plugins");
    /* The loader returns data pointers, and C does not convert them to function pointers. */
    const struct bo_plugin *(*entry)(void);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        return fail(path, dlerror());
    void *symbol = dlsym(object, TEXT_OF(BO_PLUGIN_ENTRY));
    if (!symbol)
        return fail(path, "not a plugin for this version: it has no " TEXT_OF(BO_PLUGIN_ENTRY));
    memcpy(&entry, &symbol, sizeof entry);
    const char *flaw = bo_register_plugin(entry());
    if (flaw)
        return fail(path, flaw);
    loaded[n_loaded++] = path;
    return true;
}
