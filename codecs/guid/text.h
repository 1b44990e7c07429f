/* The text form of sets of GUIDs, for code that has no struct bo_format. */
#ifndef GUID_TEXT_H
#define GUID_TEXT_H

#include "codecs/guid/guid.h"

enum bo_status guid_print(const void *model, struct bo_writer *out, struct bo_error *err);

#endif
