/*
 * The reader of codecs that decode a whole profile when they open: a model, an index of its
 * functions and one of its translation units. It shares nothing with the oracle in queries.c.
 */
#ifndef AUTOFDO_DECODED_H
#define AUTOFDO_DECODED_H

#include "codecs/autofdo/autofdo.h"

/* Makes a reader of the model, which must outlive it. As bo_codec.open. */
enum bo_status autofdo_decoded_open(const struct autofdo_model *model, struct bo_arena *arena,
                                    void **reader_ret, struct bo_error *err);

/* Answers all kinds. As bo_codec.query. */
enum bo_status autofdo_decoded_query(const struct bo_codec *self, void *reader, unsigned kind,
                                     const void *queries, size_t n, void *answers,
                                     struct bo_error *err);

#endif
