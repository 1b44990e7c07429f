/*
 * Region allocator with a hard budget.
 *
 * Every byte that a codec allocates comes from an arena that its caller made. So peak memory is
 * known exactly, a decompression bomb ends as BO_OVER_LIMIT, and a test can make the n-th
 * allocation fail.
 */
#ifndef BO_ARENA_H
#define BO_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/core/error.h"

#define BO_ARENA_UNLIMITED SIZE_MAX

/* The size of a huge page on x86-64, and on arm64 with pages of 4 KiB. */
enum { BO_HUGE_PAGE = 2 << 20 };

#define BO_MUST_USE __attribute__((warn_unused_result))

struct bo_arena {
    size_t budget_nbytes;  /* requests that would take region + charged past this fail */
    size_t region_nbytes;  /* bytes allocated in the region, rounded to the alignment */
    size_t charged_nbytes; /* bytes elsewhere: see bo_arena_charge */
    size_t peak_nbytes;    /* highest region + charged so far */
    size_t region_peak_nbytes, charged_peak_nbytes; /* the peaks of each */
    uint64_t n_allocs;                              /* requests so far */
    uint64_t fail_at; /* the request with this number (from 1) fails; 0: none */
    /*
     * Bytes that a reader opened in this arena may keep for later queries besides what it needs for
     * every answer: decoded nodes, unpacked ranges. SIZE_MAX: no limit.
     */
    size_t keep_nbytes;
    /*
     * Blocks are whole huge pages, requested from the system with MADV_HUGEPAGE. True only in the
     * benchmark.
     */
    bool huge_pages;
    size_t max_first_cap;        /* largest initial capacity of a growable array, in elements */
    enum bo_status refusal;      /* status of the last refused request */
    struct bo_block *blocks;     /* newest first */
    struct bo_block *spare;      /* the last released block, kept for reuse; or NULL */
    struct bo_release *releases; /* newest first */
};

/* A position to which an arena can be rewound. A rewind releases everything allocated since. */
struct bo_arena_mark {
    struct bo_block *block;
    size_t block_used;
    size_t region_nbytes;
    struct bo_release *releases;
};

/*
 * Sets keep_nbytes to SIZE_MAX, huge_pages to false and max_first_cap to BO_MAX_FIRST_CAP. The
 * latter is SIZE_MAX in the build that is measured, and 1 in the builds that test and fuzz, so that
 * small inputs run every path on which an array grows.
 */
void bo_arena_init(struct bo_arena *arena, size_t budget_nbytes);

/*
 * Releases the region. The arena may be used again; budget, counters, fail_at, keep_nbytes,
 * huge_pages and max_first_cap stay.
 */
void bo_arena_free(struct bo_arena *arena);

/*
 * Returns nbytes of uninitialised memory aligned to 16 (valid but not dereferenceable for 0 bytes),
 * or NULL when the budget, an injected failure or the system refuses. On NULL, a caller does
 * `return bo_fail_alloc(err, arena)`.
 */
void *bo_alloc(struct bo_arena *arena, size_t nbytes);

/* n elements of `size` bytes; refuses a product that overflows. */
void *bo_alloc_array(struct bo_arena *arena, size_t n, size_t size);

/* The same, zeroed. */
void *bo_zalloc_array(struct bo_arena *arena, size_t n, size_t size);

/*
 * Makes room for n_more elements after the first n of *array, which has a capacity of *cap. A full
 * array is copied to one of twice the capacity, at least 16; the arena keeps the old one. False
 * when the arena refuses; *array and *cap are then unchanged.
 *
 *     if (!bo_grow(arena, &list->items, list->n, 1, &list->cap))
 *         return bo_fail_alloc(err, arena);
 *     list->items[list->n++] = item;
 */
#define bo_grow(arena, array, n, n_more, cap) bo_grow_from(16, arena, array, n, n_more, cap)

/* The same, with another minimum capacity. */
#define bo_grow_from(first_cap, arena, array, n, n_more, cap) \
    bo_grow_elements(arena, array, n, n_more, cap, first_cap, sizeof **(array))

/* The slow path of bo_grow. array_ref is the address of a pointer to elements of `size` bytes. */
BO_MUST_USE bool bo_grow_full(struct bo_arena *arena, void *array_ref, size_t n, size_t n_more,
                              size_t *cap, size_t first_cap, size_t size);
BO_MUST_USE static inline bool bo_grow_elements(struct bo_arena *arena, void *array_ref, size_t n,
                                                size_t n_more, size_t *cap, size_t first_cap,
                                                size_t size)
{
    return n_more <= *cap - n || bo_grow_full(arena, array_ref, n, n_more, cap, first_cap, size);
}

/* The initial capacity of a hash table or buffer: `usual`, or max_first_cap if that is smaller. */
static inline size_t bo_first_cap(const struct bo_arena *arena, size_t usual)
{
    return usual < arena->max_first_cap ? usual : arena->max_first_cap;
}

/* Calls visit(p, nbytes) for the allocated part of each block. */
void bo_arena_visit(const struct bo_arena *arena, void (*visit)(const void *p, size_t nbytes));

struct bo_arena_mark bo_arena_mark(const struct bo_arena *arena);
void bo_arena_rewind(struct bo_arena *arena, struct bo_arena_mark mark);

/*
 * Registers a call of release(object). It is made once, when memory allocated now would be
 * released: at a rewind to an earlier mark or in bo_arena_free, the newest object first. This is
 * for objects of libraries, which allocate outside the arena. False when the arena refuses; the
 * caller then still owns the object.
 */
bool bo_arena_on_release(struct bo_arena *arena, void (*release)(void *), void *object);

/*
 * Charges memory outside the arena (a writer's buffer) to the budget: removes a charge of
 * old_nbytes and adds one of new_nbytes. False when refused; nothing has changed then.
 */
bool bo_arena_charge(struct bo_arena *arena, size_t old_nbytes, size_t new_nbytes);

/* Turns the last refusal into an error: BO_OVER_LIMIT or BO_NO_MEMORY. */
enum bo_status bo_fail_alloc(struct bo_error *err, const struct bo_arena *arena);

/* ---- without a budget ------------------------------------------------------------------------ */

/*
 * Measurements and reports have no memory budget: they abort when the system refuses memory. The
 * array is zeroed.
 */
void *bo_or_abort(void *allocated);
void bo_abort_unless(bool has_grown);
void *bo_array_or_abort(struct bo_arena *arena, size_t n, size_t size);

#endif
