/*
 * Names like those of another program: rare words in them are replaced by others, the same ones in
 * all names; what most names have in common stays. For drawing large documents from small ones.
 *
 * A word is a run of letters that begins with a capital or behind something else: AddBytes has two.
 * A replacement has as many letters, each drawn as letters follow the two before them in the real
 * words.
 */
#ifndef BO_RENAMING_H
#define BO_RENAMING_H

#include "harness/core/arena.h"
#include "harness/core/random.h"
#include "harness/names/text_set.h"

struct bo_renaming {
    struct bo_arena *arena;
    struct bo_random *random;
    struct bo_texts words;
    uint32_t *n_names; /* by word: how many names have it, or more where one has it twice */
    struct bo_span *replacements; /* by word; p is NULL until it is set */
    size_t cap_counts;
    uint32_t n_rare;  /* words in fewer names are replaced */
    uint8_t *letters; /* all words, one behind the other */
    uint32_t *places; /* in these, by the two letters before */
    uint32_t *first;  /* by two letters */
    size_t n_letters;
};

/* Each of these is false when the arena refuses. All names come first; then the renaming begins. */
bool bo_renaming_init(struct bo_renaming *renaming, struct bo_random *random,
                      struct bo_arena *arena);
bool bo_renaming_learn(struct bo_renaming *renaming, struct bo_span name);
bool bo_renaming_begin(struct bo_renaming *renaming, size_t n_names);

/* Another program: all replacements are forgotten. */
void bo_renaming_next(struct bo_renaming *renaming);

/* In the arena where it is another name than the given one. */
bool bo_rename(struct bo_renaming *renaming, struct bo_span name, struct bo_span *renamed_ret);

#endif
