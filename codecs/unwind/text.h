/* The text form of unwind tables; see README.md. The functions are those of struct bo_format. */
#ifndef UNWIND_TEXT_H
#define UNWIND_TEXT_H

#include "codecs/unwind/unwind.h"

enum bo_status unwind_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err);
enum bo_status unwind_print(const void *model, struct bo_writer *out, struct bo_error *err);
const char *unwind_differ(const void *a, const void *b);

/* A row's line: "0 sp+16 c-8 s\n". */
void unwind_print_row(enum unwind_arch arch, uint32_t off, const struct unwind_state *state,
                      struct bo_writer *out);

#endif
