/* The text form of LPRF models, LLVM's .proftext: entries of struct bo_format, and names in it. */
#ifndef LPRF_TEXT_H
#define LPRF_TEXT_H

#include "codecs/lprf/lprf.h"

enum bo_status lprf_print(const void *model, struct bo_writer *out, struct bo_error *err);
enum bo_status lprf_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                          struct bo_error *err);

/* Writes a name as a line of the text form: as it is, or quoted if a plain line cannot hold it. */
void lprf_put_name(struct bo_writer *out, struct bo_span name);

/* A hash as the text form may write it: decimal, 0x, 0b, 0o, or octal after a 0. */
bool lprf_parse_hash(struct bo_span text, uint64_t *hash_ret);

#endif
