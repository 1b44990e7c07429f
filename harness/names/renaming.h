/*
 * Renames names, as if they came from another program: rare words are replaced, each by the same
 * word in all names; words that many names share stay. For drawing large documents from small ones.
 *
 * A word is an optional capital and the lower-case letters after it, at least 3 letters in all:
 * AddBytes has two words. A replacement has as many letters as the word. Each letter is drawn by
 * the frequencies with which letters follow the two before them in the real words.
 */
#ifndef BO_RENAMING_H
#define BO_RENAMING_H

#include "harness/core/arena.h"
#include "harness/core/random.h"
#include "harness/core/text_set.h"

struct bo_renaming {
    struct bo_arena *arena;
    struct bo_random *random;
    struct bo_texts words;
    uint32_t *n_names;            /* indexed by word: its occurrences in names */
    struct bo_span *replacements; /* indexed by word; p is NULL until it is drawn */
    size_t cap_counts;
    uint32_t n_rare;  /* words in fewer names are replaced */
    uint8_t *letters; /* all words, one after the other */
    uint32_t *places; /* positions in letters, ordered by the two letters before */
    uint32_t *first;  /* start in places, indexed by two letters */
    size_t n_letters;
};

/* Each returns false when the arena refuses. Add all names before the first renaming. */
bool bo_renaming_init(struct bo_renaming *renaming, struct bo_random *random,
                      struct bo_arena *arena);
bool bo_renaming_learn(struct bo_renaming *renaming, struct bo_span name);
bool bo_renaming_begin(struct bo_renaming *renaming, size_t n_names);

/* Starts another program: forgets all replacements. */
void bo_renaming_next(struct bo_renaming *renaming);

/* The new name is in the arena if it differs from the given one. */
bool bo_rename(struct bo_renaming *renaming, struct bo_span name, struct bo_span *renamed_ret);

#endif
