/* Puts a profile that was read in a file's order into the canonical order. */
#ifndef AUTOFDO_FOLD_H
#define AUTOFDO_FOLD_H

#include "codecs/autofdo/autofdo.h"

/*
 * Sorts functions, records, callsites and targets, and adds up those of one place: counts and heads
 * saturate, of timestamps the earliest stays. *n is how many functions there are, before and after.
 *
 * All arrays below `functions` are changed, so they must lie in writable memory. Names must be in
 * memory in their order, equal ones at one address, so that addresses compare like names. False
 * when the arena refuses.
 */
bool autofdo_fold(struct autofdo_function *functions, size_t *n, struct bo_arena *arena);

#endif
