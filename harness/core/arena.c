/* Region allocator with a hard budget. */
#include "harness/core/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 16, MIN_BLOCK = 4096, MAX_BLOCK = 1 << 20 };

struct bo_block {
    struct bo_block *older;
    size_t used, cap;
    _Alignas(ALIGN) unsigned char data[];
};

/* An object to release when the arena is rewound past this element. */
struct bo_release {
    struct bo_release *older;
    void (*release)(void *);
    void *object;
};

/*
 * Under sanitizers every allocation is a separate heap block, so that overruns and uses after
 * release are detected.
 */
#if defined(__SANITIZE_ADDRESS__)
#define ONE_ALLOCATION_A_BLOCK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define ONE_ALLOCATION_A_BLOCK 1
#endif
#endif
#ifndef ONE_ALLOCATION_A_BLOCK
#define ONE_ALLOCATION_A_BLOCK 0
#endif

#ifndef BO_MAX_FIRST_CAP
#define BO_MAX_FIRST_CAP SIZE_MAX
#endif

void bo_arena_init(struct bo_arena *arena, size_t budget_nbytes)
{
    *arena = (struct bo_arena){
        .budget_nbytes = budget_nbytes, .keep_nbytes = SIZE_MAX, .max_first_cap = BO_MAX_FIRST_CAP};
}

/*
 * Keeps one block for reuse, so that repeated marks and rewinds do not call the system each time.
 */
static void drop_newest_block(struct bo_arena *arena)
{
    struct bo_block *block = arena->blocks;
    arena->blocks = block->older;
    if (ONE_ALLOCATION_A_BLOCK || (arena->spare && arena->spare->cap >= block->cap)) {
        free(block);
        return;
    }
    free(arena->spare);
    arena->spare = block;
}

static void release_until(struct bo_arena *arena, const struct bo_release *kept)
{
    while (arena->releases != kept) {
        const struct bo_release *newest = arena->releases;
        arena->releases = newest->older;
        newest->release(newest->object);
    }
}

void bo_arena_free(struct bo_arena *arena)
{
    release_until(arena, NULL);
    while (arena->blocks)
        drop_newest_block(arena);
    free(arena->spare);
    arena->spare = NULL;
    arena->region_nbytes = 0;
}

static void *refuse(struct bo_arena *arena, enum bo_status why)
{
    arena->refusal = why;
    return NULL;
}

/* Counts a request for nbytes. False, with the reason stored, when it must fail. */
static bool admit(struct bo_arena *arena, size_t nbytes)
{
    arena->n_allocs++;
    if (arena->n_allocs == arena->fail_at) {
        refuse(arena, BO_NO_MEMORY);
        return false;
    }
    const size_t used = arena->region_nbytes + arena->charged_nbytes;
    if (nbytes > arena->budget_nbytes || used > arena->budget_nbytes - nbytes) {
        refuse(arena, BO_OVER_LIMIT);
        return false;
    }
    return true;
}

static void note_peak(struct bo_arena *arena)
{
    const size_t used = arena->region_nbytes + arena->charged_nbytes;
    if (used > arena->peak_nbytes)
        arena->peak_nbytes = used;
    if (arena->region_nbytes > arena->region_peak_nbytes)
        arena->region_peak_nbytes = arena->region_nbytes;
    if (arena->charged_nbytes > arena->charged_peak_nbytes)
        arena->charged_peak_nbytes = arena->charged_nbytes;
}

/* Allocates a block of whole huge pages with at least *cap bytes. *cap becomes its usable size. */
static struct bo_block *allocate_huge(size_t *cap)
{
    if (*cap > PTRDIFF_MAX - 2 * (size_t)BO_HUGE_PAGE)
        return NULL;
    const size_t nbytes =
        (sizeof(struct bo_block) + *cap + BO_HUGE_PAGE - 1) / BO_HUGE_PAGE * BO_HUGE_PAGE;
    struct bo_block *block = aligned_alloc(BO_HUGE_PAGE, nbytes);
#ifdef MADV_HUGEPAGE
    if (block)
        madvise(block, nbytes, MADV_HUGEPAGE); /* before the first access */
#endif
    *cap = nbytes - sizeof *block;
    return block;
}

static struct bo_block *allocate_block(size_t cap)
{
    return cap <= PTRDIFF_MAX - sizeof(struct bo_block) ? malloc(sizeof(struct bo_block) + cap)
                                                        : NULL;
}

static struct bo_block *add_block(struct bo_arena *arena, size_t nbytes)
{
    if (arena->spare && arena->spare->cap >= nbytes) {
        struct bo_block *spare = arena->spare;
        arena->spare = NULL;
        spare->older = arena->blocks;
        spare->used = 0;
        return arena->blocks = spare;
    }
    size_t cap = nbytes;
    if (!ONE_ALLOCATION_A_BLOCK) {
        size_t doubled = arena->blocks ? 2 * arena->blocks->cap : MIN_BLOCK;
        doubled = doubled < MAX_BLOCK ? doubled : MAX_BLOCK;
        cap = nbytes > doubled ? nbytes : doubled;
    }
    struct bo_block *block =
        arena->huge_pages && !ONE_ALLOCATION_A_BLOCK ? allocate_huge(&cap) : allocate_block(cap);
    if (!block)
        return NULL;
    *block = (struct bo_block){.older = arena->blocks, .cap = cap};
    arena->blocks = block;
    return block;
}

void *bo_alloc(struct bo_arena *arena, size_t nbytes)
{
    if (nbytes > SIZE_MAX - ALIGN)
        return refuse(arena, BO_OVER_LIMIT);
    const size_t rounded = (nbytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!admit(arena, rounded))
        return NULL;
    struct bo_block *block = arena->blocks;
    const size_t in_block = ONE_ALLOCATION_A_BLOCK ? nbytes : rounded;
    if (ONE_ALLOCATION_A_BLOCK || !block || block->cap - block->used < in_block)
        block = add_block(arena, in_block);
    if (!block)
        return refuse(arena, BO_NO_MEMORY);
    void *p = block->data + block->used;
    block->used += in_block;
    arena->region_nbytes += rounded;
    note_peak(arena);
    return p;
}

void *bo_alloc_array(struct bo_arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return refuse(arena, BO_OVER_LIMIT);
    return bo_alloc(arena, n * size);
}

void *bo_zalloc_array(struct bo_arena *arena, size_t n, size_t size)
{
    void *p = bo_alloc_array(arena, n, size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

bool bo_grow_full(struct bo_arena *arena, void *array_ref, size_t n, size_t n_more, size_t *cap,
                  size_t first_cap, size_t size)
{
    const size_t least = bo_first_cap(arena, first_cap);
    size_t new_cap = *cap > SIZE_MAX / 2 ? SIZE_MAX : 2 * *cap;
    if (n_more > SIZE_MAX - n) {
        refuse(arena, BO_OVER_LIMIT);
        return false;
    }
    new_cap = new_cap < n + n_more ? n + n_more : new_cap;
    new_cap = new_cap < least ? least : new_cap;
    const void *old;
    void *grown = bo_alloc_array(arena, new_cap, size);
    if (!grown)
        return false;
    memcpy(&old, array_ref, sizeof old);
    if (n)
        memcpy(grown, old, n * size);
    memcpy(array_ref, &grown, sizeof grown);
    *cap = new_cap;
    return true;
}

void bo_arena_visit(const struct bo_arena *arena, void (*visit)(const void *p, size_t nbytes))
{
    for (const struct bo_block *block = arena->blocks; block; block = block->older)
        visit(block->data, block->used);
}

struct bo_arena_mark bo_arena_mark(const struct bo_arena *arena)
{
    return (struct bo_arena_mark){
        .block = arena->blocks,
        .block_used = arena->blocks ? arena->blocks->used : 0,
        .region_nbytes = arena->region_nbytes,
        .releases = arena->releases,
    };
}

void bo_arena_rewind(struct bo_arena *arena, struct bo_arena_mark mark)
{
    release_until(arena, mark.releases);
    while (arena->blocks != mark.block)
        drop_newest_block(arena);
    if (arena->blocks)
        arena->blocks->used = mark.block_used;
    arena->region_nbytes = mark.region_nbytes;
}

bool bo_arena_on_release(struct bo_arena *arena, void (*release)(void *), void *object)
{
    struct bo_release *newest = bo_alloc(arena, sizeof *newest);
    if (!newest)
        return false;
    *newest = (struct bo_release){arena->releases, release, object};
    arena->releases = newest;
    return true;
}

bool bo_arena_charge(struct bo_arena *arena, size_t old_nbytes, size_t new_nbytes)
{
    arena->charged_nbytes -= old_nbytes;
    if (new_nbytes > old_nbytes && !admit(arena, new_nbytes)) {
        arena->charged_nbytes += old_nbytes;
        return false;
    }
    arena->charged_nbytes += new_nbytes;
    note_peak(arena);
    return true;
}

enum bo_status bo_fail_alloc(struct bo_error *err, const struct bo_arena *arena)
{
    return arena->refusal == BO_OVER_LIMIT
               ? bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "needs more memory than the budget")
               : bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory");
}

void bo_abort_unless(bool has_grown)
{
    if (!has_grown)
        abort();
}

void *bo_or_abort(void *allocated)
{
    bo_abort_unless(allocated != NULL);
    return allocated;
}

void *bo_array_or_abort(struct bo_arena *arena, size_t n, size_t size)
{
    return bo_or_abort(bo_zalloc_array(arena, n ? n : 1, size));
}
