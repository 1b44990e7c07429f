/*
 * Region allocator with a hard budget.
 *
 * Every byte that a codec allocates comes from an arena that its caller made. So peak memory is
 * exact, a decompression bomb ends as BO_OVER_LIMIT, and a test can make the n-th allocation fail.
 */
#ifndef BO_ARENA_H
#define BO_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/error.h"

#define BO_ARENA_UNLIMITED SIZE_MAX

struct bo_arena {
    size_t budget_nbytes;  /* requests that would take region + charged past this fail */
    size_t region_nbytes;  /* live in the region, rounded to the alignment */
    size_t charged_nbytes; /* live elsewhere: see bo_arena_charge */
    size_t peak_nbytes;    /* highest region + charged so far */
    size_t region_peak_nbytes, charged_peak_nbytes; /* each by itself */
    uint64_t n_allocs;                              /* requests so far */
    uint64_t fail_at;            /* the request with this number (from 1) fails; 0: none */
    enum bo_status refusal;      /* why the last refused request was refused */
    struct bo_block *blocks;     /* newest first */
    struct bo_block *spare;      /* the block dropped last, kept for the next one; or NULL */
    struct bo_release *releases; /* newest first */
};

/* A position to which an arena can be rewound; everything allocated since is released. */
struct bo_arena_mark {
    struct bo_block *block;
    size_t block_used;
    size_t region_nbytes;
    struct bo_release *releases;
};

void bo_arena_init(struct bo_arena *arena, size_t budget_nbytes);

/* Releases the region. The arena may be used again; budget, counters and fail_at stay. */
void bo_arena_free(struct bo_arena *arena);

/*
 * Returns nbytes of uninitialised memory aligned to 16 (valid but not dereferenceable for 0 bytes),
 * or NULL when the budget, the injected failure or the system refuses.
 * A caller answers NULL with `return bo_fail_alloc(err, arena)`.
 */
void *bo_alloc(struct bo_arena *arena, size_t nbytes);

/* n elements of `size` bytes; refuses a product that overflows. */
void *bo_alloc_array(struct bo_arena *arena, size_t n, size_t size);

/* The same, zeroed. */
void *bo_zalloc_array(struct bo_arena *arena, size_t n, size_t size);

/*
 * Returns an array of at least need_n elements holding the first n of old, in *cap_ret elements;
 * grows by doubling. The old array is abandoned to the arena. NULL when refused.
 */
void *bo_grow_array(struct bo_arena *arena, void *old, size_t n, size_t need_n, size_t *cap_ret,
                    size_t size);

struct bo_arena_mark bo_arena_mark(const struct bo_arena *arena);
void bo_arena_rewind(struct bo_arena *arena, struct bo_arena_mark mark);

/*
 * Calls release(object) once, when what is allocated now would be released: by a rewind to an
 * earlier mark or by bo_arena_free, the newest first. For objects of libraries, which take memory
 * behind the arena's back. False when the arena refuses; the object is then still the caller's.
 */
bool bo_arena_on_release(struct bo_arena *arena, void (*release)(void *), void *object);

/*
 * Charges memory that lives elsewhere (a writer's buffer) to the budget: old_nbytes are given back
 * and new_nbytes taken. False when refused, and then nothing has changed.
 */
bool bo_arena_charge(struct bo_arena *arena, size_t old_nbytes, size_t new_nbytes);

/* Turns the last refusal into an error: BO_OVER_LIMIT or BO_NO_MEMORY. */
enum bo_status bo_fail_alloc(struct bo_error *err, const struct bo_arena *arena);

#endif
