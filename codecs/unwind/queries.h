/* The query kinds of unwind tables. */
#ifndef UNWIND_QUERIES_H
#define UNWIND_QUERIES_H

#include "codecs/unwind/unwind.h"

extern const struct bo_query_kind unwind_kinds[UNWIND_N_KINDS];

#endif
