/* Codecs from shared objects that the user names: `bakeoff --plugin ./my-idea.so COMMAND`. */
#ifndef BO_PLUGINS_H
#define BO_PLUGINS_H

#include <stdbool.h>

/*
 * Loads the object at `path` (one without a slash is looked for where the system keeps libraries)
 * and adds its codecs to their format. False after a message.
 */
bool bo_load_plugin(const char *path);

/* The path of the i-th plugin that was loaded; NULL past the last. */
const char *bo_loaded_plugin(unsigned i);

#endif
