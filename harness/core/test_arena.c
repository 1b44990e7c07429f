/*
 * The region allocator. Why: exact peak memory and the limit on decompression bombs are promises of
 * this file, and injected failures only test codecs when they hit the request that they name.
 */
#include "harness/core/test_cmocka.h"

#include "harness/core/arena.h"

TEST(test_budget_is_exact)
{
    struct bo_arena arena;
    struct bo_error error;
    bo_arena_init(&arena, 64);
    assert_non_null(bo_alloc(&arena, 48));
    assert_non_null(bo_alloc(&arena, 1)); /* rounded to 16 */
    assert_int_equal(arena.region_nbytes, 64);
    assert_non_null(bo_alloc(&arena, 0));
    assert_null(bo_alloc(&arena, 1));
    assert_int_equal(bo_fail_alloc(&error, &arena), BO_OVER_LIMIT);
    assert_int_equal(error.off, BO_NO_OFFSET);
    assert_string_equal(error.what, "needs more memory than the budget");
    assert_int_equal(arena.peak_nbytes, 64);
    assert_int_equal(arena.n_allocs, 4);
    bo_arena_free(&arena);
    assert_int_equal(arena.region_nbytes, 0);
    assert_int_equal(arena.peak_nbytes, 64);
    assert_null(bo_alloc(&arena, 65)); /* the budget is unchanged */
    assert_non_null(bo_alloc(&arena, 64));
    bo_arena_free(&arena);
}

TEST(test_alignment)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t n = 0; n < 100; n++) {
        uint8_t *p = bo_alloc(&arena, n);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, (int)n, n);
    }
    uint8_t *large = bo_alloc(&arena, 3 << 20); /* more than a block */
    assert_int_equal((uintptr_t)large % 16, 0);
    memset(large, 1, 3 << 20);
    bo_arena_free(&arena);
}

static struct {
    const uint8_t *wanted;
    size_t nbytes;
    bool found;
} visited;

static void visit(const void *p, size_t nbytes)
{
    const uint8_t *begin = p;
    visited.nbytes += nbytes;
    visited.found |= begin <= visited.wanted && visited.wanted < begin + nbytes;
}

TEST(test_visits_all_blocks)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const uint8_t *oldest = bo_alloc(&arena, 16);
    bo_arena_visit(&arena, visit);
    assert_int_equal(visited.nbytes, 16);
    assert_non_null(bo_alloc(&arena, 3 << 20)); /* a block of its own */
    visited.nbytes = 0;
    visited.wanted = oldest + 15;
    visited.found = false;
    bo_arena_visit(&arena, visit);
    assert_int_equal(visited.nbytes, 16 + (3 << 20));
    assert_true(visited.found);
    bo_arena_free(&arena);
}

/* Each of five requests, of both sorts, fails once; the others succeed. */
TEST(test_fail_at)
{
    for (uint64_t fail_at = 1; fail_at <= 5; fail_at++) {
        struct bo_arena arena;
        struct bo_error error;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        arena.fail_at = fail_at;
        for (uint64_t i = 1; i <= 5; i++) {
            const bool ok = i == 3 ? bo_arena_charge(&arena, 0, 10) : bo_alloc(&arena, 8) != NULL;
            assert_int_equal(ok, i != fail_at);
            if (!ok)
                assert_int_equal(bo_fail_alloc(&error, &arena), BO_NO_MEMORY);
        }
        assert_int_equal(arena.n_allocs, 5);
        bo_arena_free(&arena);
    }
}

TEST(test_mark_and_rewind)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_arena_mark empty = bo_arena_mark(&arena);
    uint8_t *kept = bo_alloc(&arena, 32);
    memset(kept, 7, 32);
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    bo_alloc(&arena, 16);
    for (unsigned i = 0; i < 40; i++) /* spread over several blocks */
        memset(bo_alloc(&arena, 5000), 1, 5000);
    const size_t peak = arena.peak_nbytes;
    assert_true(peak >= 40 * 5000 + 48);
    bo_arena_rewind(&arena, mark);
    assert_int_equal(arena.region_nbytes, 32);
    assert_int_equal(arena.peak_nbytes, peak);
    memset(bo_alloc(&arena, 64), 9, 64);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(kept[i], 7);
    bo_arena_rewind(&arena, empty);
    assert_int_equal(arena.region_nbytes, 0);
    assert_null(arena.blocks);
    assert_non_null(bo_alloc(&arena, 1));
    bo_arena_free(&arena);
}

TEST(test_charge)
{
    struct bo_arena arena;
    bo_arena_init(&arena, 100);
    assert_true(bo_arena_charge(&arena, 0, 60));
    assert_non_null(bo_alloc(&arena, 32));
    assert_int_equal(arena.peak_nbytes, 92);
    assert_false(bo_arena_charge(&arena, 60, 69));
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_int_equal(arena.charged_nbytes, 60); /* nothing has changed */
    assert_true(bo_arena_charge(&arena, 60, 68));
    assert_int_equal(arena.peak_nbytes, 100);
    assert_null(bo_alloc(&arena, 1));
    const uint64_t n_allocs = arena.n_allocs;
    arena.fail_at = n_allocs + 1;
    assert_true(bo_arena_charge(&arena, 68, 10)); /* returning memory is not a request */
    assert_int_equal(arena.n_allocs, n_allocs);
    arena.fail_at = 0;
    assert_int_equal(arena.charged_nbytes, 10);
    assert_non_null(bo_alloc(&arena, 48));
    bo_arena_free(&arena);
    assert_int_equal(arena.charged_nbytes,
                     10); /* memory elsewhere, which the arena does not release */
}

TEST(test_impossible_amounts)
{
    struct bo_arena arena;
    uint64_t *array = NULL;
    size_t cap = SIZE_MAX / 2 + 1;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_null(bo_alloc_array(&arena, SIZE_MAX / 2, 3));
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_null(bo_zalloc_array(&arena, SIZE_MAX, SIZE_MAX));
    assert_null(bo_alloc(&arena, SIZE_MAX));
    assert_null(bo_alloc(&arena, SIZE_MAX - 15)); /* cannot be rounded up */
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_null(bo_alloc(&arena, SIZE_MAX - 16));
    assert_int_equal(arena.refusal, BO_NO_MEMORY);
    assert_null(bo_alloc_array(&arena, SIZE_MAX / 32, 32));
    assert_int_equal(arena.refusal, BO_NO_MEMORY);
    assert_null(bo_alloc_array(&arena, SIZE_MAX / 32 + 1, 32));
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_false(bo_grow(&arena, &array, cap, 1, &cap));
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_false(bo_grow(&arena, &array, 1, SIZE_MAX, &cap));
    assert_null(array);
    assert_int_equal(cap, SIZE_MAX / 2 + 1);
    assert_int_equal(arena.refusal, BO_OVER_LIMIT);
    assert_null(
        bo_alloc(&arena, SIZE_MAX - 100)); /* within the budget, but more than the machine has */
    assert_int_equal(arena.refusal, BO_NO_MEMORY);
    assert_null(bo_alloc(&arena, SIZE_MAX / 2 + 1));
    assert_int_equal(arena.refusal, BO_NO_MEMORY);
    assert_int_equal(arena.region_nbytes, 0);
    assert_non_null(bo_alloc_array(&arena, 0, SIZE_MAX));
    assert_non_null(bo_alloc_array(&arena, SIZE_MAX, 0));
    bo_arena_free(&arena);
}

TEST(test_arrays)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    memset(bo_alloc(&arena, 4000), 0xff, 4000);
    bo_arena_rewind(&arena, (struct bo_arena_mark){0});
    const uint32_t *zeros = bo_zalloc_array(&arena, 100, sizeof *zeros);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(zeros[i], 0);

    bo_arena_free(&arena);
}

static size_t n_growths; /* growths of the last array that was filled */

/* Fills an array of 1000 numbers one by one; *cap starts with 0. */
static uint32_t *fill(struct bo_arena *arena, size_t *cap)
{
    uint32_t *array = NULL;
    n_growths = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t *const before = array;
        const size_t cap_before = *cap;
        assert_true(bo_grow(arena, &array, i, 1, cap));
        assert_true(i < cap_before ? array == before && *cap == cap_before
                                   : array != before && *cap >= 2 * cap_before);
        n_growths += i == cap_before;
        array[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    return array;
}

TEST(test_growing)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    size_t cap = 0;
    arena.max_first_cap = SIZE_MAX;
    fill(&arena, &cap);
    assert_int_equal(cap, 1024);
    assert_int_equal(n_growths, 7); /* to 16, 32, ... 1024 */
    cap = 0;
    arena.max_first_cap = 1;
    uint32_t *array = fill(&arena, &cap);
    assert_int_equal(cap, 1024);
    assert_int_equal(n_growths, 11); /* to 1, 2, ... 1024 */

    /* Many elements at once, none, and from another capacity on. */
    assert_true(bo_grow(&arena, &array, 1000, 24, &cap));
    assert_true(bo_grow(&arena, &array, 1024, 0, &cap));
    assert_int_equal(cap, 1024);
    assert_true(bo_grow(&arena, &array, 1000, 5000, &cap));
    assert_int_equal(cap, 6000);
    assert_int_equal(array[999], 999);
    arena.max_first_cap = 300;
    uint8_t *bytes = NULL;
    size_t cap_bytes = 0;
    assert_true(bo_grow_from(4096, &arena, &bytes, 0, 1, &cap_bytes));
    assert_int_equal(cap_bytes, 300);
    assert_int_equal(bo_first_cap(&arena, 4096), 300);
    assert_int_equal(bo_first_cap(&arena, 64), 64);
    bo_arena_free(&arena);
}

/* When an array cannot grow, it is unchanged with all its elements. */
TEST(test_growing_fails)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    size_t cap = 0, none = 0;
    uint32_t *array = fill(&arena, &cap), *const before = array, *nothing = NULL;
    arena.fail_at = arena.n_allocs + 1;
    assert_false(bo_grow(&arena, &array, 1000, 5000, &cap));
    assert_ptr_equal(array, before);
    assert_int_equal(cap, 1024);
    assert_int_equal(array[999], 999);
    arena.fail_at = arena.n_allocs + 1;
    assert_false(bo_grow(&arena, &nothing, 0, 1, &none));
    assert_null(nothing);
    assert_int_equal(none, 0);
    assert_true(bo_grow(&arena, &array, 1000, 5000, &cap));
    assert_int_equal(array[999], 999);
    bo_arena_free(&arena);
}

int __asan_address_is_poisoned(const volatile void *p) __attribute__((weak));

/*
 * With AddressSanitizer: no released byte may be accessed, and none past an array, also if its
 * block was used before for a larger one.
 */
TEST(test_large_blocks_are_guarded)
{
    enum { LARGER = 1000000, SMALLER = 700001 };
    struct bo_arena arena;
    if (!__asan_address_is_poisoned)
        skip();
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    for (unsigned i = 0; i < 40; i++) {
        const size_t nbytes = i % 2 ? SMALLER : LARGER;
        uint8_t *p = bo_alloc(&arena, nbytes);
        memset(p, 1, nbytes);
        assert_true(__asan_address_is_poisoned(p + nbytes));
        bo_arena_rewind(&arena, mark);
        assert_true(__asan_address_is_poisoned(p));
        assert_true(__asan_address_is_poisoned(p + nbytes - 1));
    }
    bo_arena_free(&arena);
}

static unsigned released[4], n_released;

static void note_release(void *object)
{
    released[n_released++] = *(const unsigned *)object;
}

/*
 * Objects are released with the memory allocated at the same time, the newest first, and only once.
 */
TEST(test_release)
{
    static unsigned objects[3] = {1, 2, 3};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    n_released = 0;
    assert_true(bo_arena_on_release(&arena, note_release, &objects[0]));
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    assert_true(bo_arena_on_release(&arena, note_release, &objects[1]));
    assert_non_null(bo_alloc(&arena, 10000)); /* in another block */
    assert_true(bo_arena_on_release(&arena, note_release, &objects[2]));
    bo_arena_rewind(&arena, mark);
    assert_int_equal(n_released, 2);
    assert_int_equal(released[0], 3);
    assert_int_equal(released[1], 2);
    bo_arena_rewind(&arena, mark);
    assert_int_equal(n_released, 2);
    bo_arena_free(&arena);
    assert_int_equal(n_released, 3);
    assert_int_equal(released[2], 1);
    arena.fail_at = arena.n_allocs + 1;
    assert_false(bo_arena_on_release(&arena, note_release, &objects[0]));
    bo_arena_free(&arena);
    assert_int_equal(n_released, 3);
}

TEST_FILE(NULL, NULL)
