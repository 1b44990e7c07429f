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

#include "harness/core/error.h"

#define BO_ARENA_UNLIMITED SIZE_MAX

/* A huge page of x86-64, and of arm64 with pages of 4 KiB. */
enum { BO_HUGE_PAGE = 2 << 20 };

#define BO_MUST_USE __attribute__((warn_unused_result))

struct bo_arena {
    size_t budget_nbytes;  /* requests that would take region + charged past this fail */
    size_t region_nbytes;  /* live in the region, rounded to the alignment */
    size_t charged_nbytes; /* live elsewhere: see bo_arena_charge */
    size_t peak_nbytes;    /* highest region + charged so far */
    size_t region_peak_nbytes, charged_peak_nbytes; /* each by itself */
    uint64_t n_allocs;                              /* requests so far */
    uint64_t fail_at; /* the request with this number (from 1) fails; 0: none */
    /*
     * Bytes that a reader opened here may hold for later queries, beyond what it cannot answer
     * without: nodes that it decoded, ranges that it unpacked. SIZE_MAX: as much as it likes.
     */
    size_t keep_nbytes;
    /*
     * Blocks are whole huge pages, for which the system is asked (MADV_HUGEPAGE). False but while
     * the effect of huge pages is measured.
     */
    bool huge_pages;
    size_t max_first_cap;        /* growable arrays start with at most so many elements */
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

/*
 * keep_nbytes becomes SIZE_MAX, huge_pages false. max_first_cap becomes BO_MAX_FIRST_CAP: SIZE_MAX
 * in the build that is measured, 1 in those that test and fuzz, so that small inputs run every path
 * on which an array grows.
 */
void bo_arena_init(struct bo_arena *arena, size_t budget_nbytes);

/*
 * Releases the region. The arena may be used again; budget, counters, fail_at, keep_nbytes,
 * huge_pages and max_first_cap stay.
 */
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
 * Makes room for n_more elements after the first n of *array, which has a capacity of *cap. A full
 * array is copied to one of twice the capacity, at least 16; the old one is left to the arena.
 * False when the arena refuses. *array and *cap are valid in either case, and unchanged in this
 * one.
 *
 *     if (!bo_grow(arena, &list->items, list->n, 1, &list->cap))
 *         return bo_fail_alloc(err, arena);
 *     list->items[list->n++] = item;
 */
#define bo_grow(arena, array, n, n_more, cap) bo_grow_from(16, arena, array, n, n_more, cap)

/* The same, with another least capacity. */
#define bo_grow_from(first_cap, arena, array, n, n_more, cap) \
    bo_grow_elements(arena, array, n, n_more, cap, first_cap, sizeof **(array))

/* Calls of bo_grow end here. array_ref: the address of a pointer to elements of `size` bytes. */
BO_MUST_USE bool bo_grow_full(struct bo_arena *arena, void *array_ref, size_t n, size_t n_more,
                              size_t *cap, size_t first_cap, size_t size);
BO_MUST_USE static inline bool bo_grow_elements(struct bo_arena *arena, void *array_ref, size_t n,
                                                size_t n_more, size_t *cap, size_t first_cap,
                                                size_t size)
{
    return n_more <= *cap - n || bo_grow_full(arena, array_ref, n, n_more, cap, first_cap, size);
}

/* What a hash table or buffer starts with: `usual`, or less when max_first_cap is smaller. */
static inline size_t bo_first_cap(const struct bo_arena *arena, size_t usual)
{
    return usual < arena->max_first_cap ? usual : arena->max_first_cap;
}

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
