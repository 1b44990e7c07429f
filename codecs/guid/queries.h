/* The query kinds of sets of GUIDs. */
#ifndef GUID_QUERIES_H
#define GUID_QUERIES_H

#include "codecs/guid/guid.h"

extern const struct bo_query_kind guid_kinds[GUID_N_KINDS];

#endif
