/* The query kinds of AutoFDO, in the order of enum autofdo_query_kind. */
#ifndef AUTOFDO_QUERIES_H
#define AUTOFDO_QUERIES_H

#include "codecs/autofdo/autofdo.h"

extern const struct bo_query_kind autofdo_kinds[AUTOFDO_N_KINDS];

#endif
