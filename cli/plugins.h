/* Loads codecs from shared objects: `bakeoff --plugin ./my-idea.so COMMAND`. */
#ifndef BO_PLUGINS_H
#define BO_PLUGINS_H

#include <stdbool.h>

/*
 * Loads the object at `path` (without a slash, it is searched in the system's library folders) and
 * adds its codecs to their format. False after a message.
 */
bool bo_load_plugin(const char *path);

#endif
