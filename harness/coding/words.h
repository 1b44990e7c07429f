/*
 * Fast pairing of names: in words instead of bytes, in a fixed number of passes.
 */
#ifndef BO_WORDS_H
#define BO_WORDS_H

#include "harness/coding/pairing.h"

/*
 * Makes rules for the names, whose terminals are bytes, and in *texts_ret the names as symbols. A
 * rule may occur less than twice. False when the arena refuses.
 */
bool bo_pair_words(const struct bo_span *names, size_t n_names, struct bo_rules *rules,
                   struct bo_symbol_texts *texts_ret, struct bo_arena *arena);

#endif
