/*
 * The naive reader of dictionaries: all messages are loaded, and each query for a name expands it
 * again. As bo_codec.open and bo_codec.query.
 */
#ifndef TEMPLIGHT_NAIVE_H
#define TEMPLIGHT_NAIVE_H

#include "codecs/templight/definitions.h"

enum bo_status templight_open_naive(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **reader_ret,
                                    struct bo_error *err);

/* All kinds but TEMPLIGHT_PREFIX, which would have to expand all names. */
enum bo_status templight_query_naive(const struct bo_codec *self, void *reader, unsigned kind,
                                     const void *queries, size_t n, void *answers,
                                     struct bo_error *err);

#endif
