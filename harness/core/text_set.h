/* A set of texts, numbered in the order of insertion. */
#ifndef BO_TEXTS_H
#define BO_TEXTS_H

#include "harness/core/bytes.h"

#define BO_NO_TEXT UINT32_MAX

struct bo_texts {
    struct bo_span *texts; /* indexed by number; n of them */
    uint32_t n;
    size_t cap;
    uint32_t *hashes; /* of the texts, indexed by number */
    size_t cap_hashes;
    uint32_t *slots; /* numbers plus 1; 0: empty */
    size_t n_slots;  /* a power of two */
    uint64_t seed;   /* unpredictable, so no input can make all texts collide */
    bool copies; /* new texts are copied to the arena; else the caller must keep them in place */
    /*
     * Long texts that were added lately, by address; unless `copies`. An encoding may refer to one
     * long text often, and hashing it each time would take time quadratic in the size of a file.
     */
    struct bo_recent_text *recent;
    struct bo_arena *arena;
};

/* False when the arena refuses. */
bool bo_texts_init(struct bo_texts *texts, bool copies, struct bo_arena *arena);

/* The number of a text, which is added if it is new. False when the arena refuses. */
bool bo_texts_add(struct bo_texts *texts, struct bo_span text, uint32_t *number_ret);

/* The number of an equal text, or BO_NO_TEXT. */
uint32_t bo_texts_find(const struct bo_texts *texts, struct bo_span text);

#endif
