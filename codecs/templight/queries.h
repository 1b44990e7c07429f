/* The query kinds of Templight, in the order of enum templight_query_kind. */
#ifndef TEMPLIGHT_QUERIES_H
#define TEMPLIGHT_QUERIES_H

#include "codecs/templight/templight.h"

extern const struct bo_query_kind templight_kinds[TEMPLIGHT_N_KINDS];

#endif
