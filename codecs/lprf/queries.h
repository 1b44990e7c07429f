/* The query kinds of LPRF, in the order of enum lprf_query_kind. */
#ifndef LPRF_QUERIES_H
#define LPRF_QUERIES_H

#include "codecs/lprf/lprf.h"

extern const struct bo_query_kind lprf_kinds[LPRF_N_KINDS];

#endif
