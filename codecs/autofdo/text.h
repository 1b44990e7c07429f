/* The text form of AutoFDO models, LLVM's sample-profile text: entries of struct bo_format. */
#ifndef AUTOFDO_TEXT_H
#define AUTOFDO_TEXT_H

#include "codecs/autofdo/autofdo.h"

enum bo_status autofdo_print(const void *model, struct bo_writer *out, struct bo_error *err);

/* Nothing of the model points into the text. */
enum bo_status autofdo_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err);

#endif
