/* Version 4's textual format: what its two halves share. The grammar is in README.md. */
#ifndef AUTOFDO_V4_TEXT_H
#define AUTOFDO_V4_TEXT_H

#include "codecs/autofdo/autofdo.h"

/* As bo_codec.decode. */
enum bo_status autofdo_v4_text_decode(const struct bo_codec *self, struct bo_span in,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err);

static inline bool autofdo_v4_text_is_first(uint8_t byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_' ||
           byte == '$';
}

/* A byte of a name without quotes, but for the first. */
static inline bool autofdo_v4_text_is_rest(uint8_t byte)
{
    return autofdo_v4_text_is_first(byte) || (byte >= '0' && byte <= '9') || byte == '.' ||
           byte == ':' || byte == '@';
}

#endif
