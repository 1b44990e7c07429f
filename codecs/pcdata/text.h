/* The text form and the equality of PCDATA models: entries of struct bo_format. */
#ifndef PCDATA_TEXT_H
#define PCDATA_TEXT_H

#include "codecs/pcdata/pcdata.h"

enum bo_status pcdata_print(const void *model, struct bo_writer *out, struct bo_error *err);
enum bo_status pcdata_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err);
const char *pcdata_differ(const void *a, const void *b);

#endif
