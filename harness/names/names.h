/* Queries that start with a name: drawn from the names of a model, and matched against them. */
#ifndef BO_NAMES_H
#define BO_NAMES_H

#include <stddef.h>

#include "harness/core/arena.h"
#include "harness/core/random.h"

/* ---- names in arrays ------------------------------------------------------------------------- */

/* The names of an array's elements. Each may have a number that makes equal names distinct. */
struct bo_names {
    const void *elements; /* may be NULL when n is 0 */
    size_t n;
    size_t size;       /* size of an element */
    size_t name_off;   /* offset of a struct bo_span in it */
    size_t number_off; /* offset of a uint64_t in it; SIZE_MAX: names have no numbers */
};

/* The names in `array`, in the member `member` of its elements. */
#define BO_NAMES(array, n_elements, member)                    \
    ((struct bo_names){(array), (n_elements), sizeof *(array), \
                       offsetof(__typeof__(*(array)), member), SIZE_MAX})

/* The same with numbers in another member. */
#define BO_NUMBERED_NAMES(array, n_elements, member, number)   \
    ((struct bo_names){(array), (n_elements), sizeof *(array), \
                       offsetof(__typeof__(*(array)), member), \
                       offsetof(__typeof__(*(array)), number)})

static inline struct bo_span bo_name_at(const struct bo_names *names, size_t i)
{
    const uint8_t *element = (const uint8_t *)names->elements + i * names->size;
    return *(const struct bo_span *)(const void *)(element + names->name_off);
}

/* ---- matching, for oracles ------------------------------------------------------------------- */

#define BO_NOT_FOUND SIZE_MAX

/*
 * Finds each of the names `wanted` in one pass over the names `present`: found_ret[i] is the index
 * of the first name that equals the i-th, or BO_NOT_FOUND. If the wanted names have numbers, the
 * numbers must be equal, too. BO_OK or BO_NO_MEMORY.
 *
 * This is for oracles and for drawing absent names. No codec may use it, because an oracle shares
 * no code with any codec.
 */
enum bo_status bo_match_names(const struct bo_names *wanted, const struct bo_names *present,
                              size_t *found_ret);

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws n of the names, uniformly. Returns n, or 0 if there are no names. */
size_t bo_draw_present_names(const struct bo_names *names, struct bo_random *random, size_t n,
                             struct bo_span *drawn_ret);

/*
 * Draws up to n absent names, in the arena, that differ in one byte from present ones. The present
 * ones must have at least one byte each. Returns the number drawn. If hardly any such names exist,
 * it gives up after some rounds.
 */
size_t bo_draw_absent_names(const struct bo_names *names, struct bo_random *random,
                            struct bo_arena *arena, size_t n, struct bo_span *drawn_ret);

/*
 * A name at or near the i-th (a name of any sort without names): itself, or one that a reader
 * may confuse with it. It is cut, where tries branch or anywhere; or one byte is changed, removed
 * or added; or it is repeated, or empty. p is NULL when the arena is full.
 */
struct bo_span bo_name_edge(const struct bo_names *names, size_t i, struct bo_random *random,
                            struct bo_arena *arena);

#endif
