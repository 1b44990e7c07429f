/* The text form of state histories, statehistory-tsv 1: entries of struct bo_format. */
#ifndef STATEHIST_TEXT_H
#define STATEHIST_TEXT_H

#include "codecs/statehist/statehist.h"

enum bo_status statehist_print(const void *model, struct bo_writer *out, struct bo_error *err);
enum bo_status statehist_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                               struct bo_error *err);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Puts a decimal number. */
void statehist_put_i64(struct bo_writer *out, int64_t v);

/* Puts a text with its escapes: \t, \n, \r, \\ and \0. */
void statehist_put_text(struct bo_writer *out, struct bo_span text);

/*
 * Puts a type's letter, a tab and a value. For a string, `string` is its text and `value` is not
 * used.
 */
void statehist_put_value(struct bo_writer *out, uint32_t type, uint64_t value,
                         struct bo_span string);

#endif
