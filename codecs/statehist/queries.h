/* The query kinds of state histories, in the order of enum statehist_query_kind. */
#ifndef STATEHIST_QUERIES_H
#define STATEHIST_QUERIES_H

#include "codecs/statehist/statehist.h"

extern const struct bo_query_kind statehist_kinds[STATEHIST_N_KINDS];

#endif
