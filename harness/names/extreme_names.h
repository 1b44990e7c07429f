/*
 * Names at the limits of encodings, for generators. Their sizes are bounded, so a few bytes of a
 * fuzzer cannot make a slow model.
 */
#ifndef BO_EXTREME_NAMES_H
#define BO_EXTREME_NAMES_H

#include "harness/core/bytes.h"
#include "harness/core/random.h"

enum {
    BO_MAX_NESTED_NAMES = 360, /* all prefixes of a name of this length together have 64 KiB */
    BO_MAX_SIBLING_NAMES = 2000,
};

/* Distinct names; p is NULL when the arena refuses. */
struct bo_extreme_names {
    const struct bo_span *p;
    size_t n;
};

/* One name of n letters. */
struct bo_extreme_names bo_long_name(struct bo_random *random, size_t n, struct bo_arena *arena);

/*
 * More than half of BO_MAX_NESTED_NAMES names: all prefixes of one name, the shortest first. A trie
 * has one node per byte of them.
 */
struct bo_extreme_names bo_nested_names(struct bo_random *random, struct bo_arena *arena);

/*
 * More than half of BO_MAX_SIBLING_NAMES names in alphabetical order: `before`, three letters,
 * `after`.
 */
struct bo_extreme_names bo_sibling_names(struct bo_random *random, struct bo_span before,
                                         struct bo_span after, struct bo_arena *arena);

#endif
