/* The query kinds of PCDATA, in the order of enum pcdata_query_kind. */
#ifndef PCDATA_QUERIES_H
#define PCDATA_QUERIES_H

#include "codecs/pcdata/pcdata.h"

extern const struct bo_query_kind pcdata_kinds[PCDATA_N_KINDS];

#endif
