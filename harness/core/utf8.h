/* UTF-8, strictly: shortest forms, no surrogates, nothing above U+10FFFF. */
#ifndef BO_UTF8_H
#define BO_UTF8_H

#include "harness/core/bytes.h"

/*
 * Reads the code point at p[0], of n > 0 bytes left. Returns its length, or 0 when it is not valid
 * UTF-8.
 */
size_t bo_utf8_take(const uint8_t *p, size_t n, uint32_t *code_ret);

/* Writes a code point. Returns its length, at most 4. */
size_t bo_utf8_put(uint32_t code, uint8_t *to);

bool bo_is_utf8(struct bo_span text);

#endif
