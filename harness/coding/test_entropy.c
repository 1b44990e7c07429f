/* Entropy of order 0 and 1. Why: reports compare every size with it. */
#include "harness/coding/entropy.h"

#include "harness/core/test_cmocka.h"

static struct bo_arena arena;

static int make(void **state)
{
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    return 0;
}

static int release(void **state)
{
    bo_arena_free(&arena);
    return 0;
}

static bool is_near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

TEST(test_numbers)
{
    static const uint64_t numbers[] = {7, UINT64_MAX, 7, 0, 7, 7, UINT64_MAX, 1};
    static const char same_name[] = "numbers"; /* at another address */
    struct bo_sequences s = {.arena = &arena};
    uint64_t n_distinct;
    for (unsigned i = 0; i < 8; i++) {
        bo_add_number(&s, i % 2 ? "numbers" : same_name, numbers[i]);
        bo_add_number(&s, "nought", 0);
    }
    assert_int_equal(s.n, 2);
    /* After 7: the largest (twice), 0 and 7. After the largest: 7 and 1. After 0: 7. */
    assert_true(is_near(bo_order1_nbits(&s.items[0], &arena), 2 * 1 + 2 * 2 + 2 * 1));
    assert_true(is_near(bo_order1_nbits(&s.items[1], &arena), 0));
    /* Frequencies 4 of 8, 2 of 8, and twice 1 of 8. */
    assert_true(is_near(bo_order0_nbits(&s.items[0], &n_distinct), 4 * 1 + 2 * 2 + 2 * 3));
    assert_int_equal(n_distinct, 4);
    assert_true(is_near(bo_order0_nbits(&s.items[1], &n_distinct), 0));
    assert_int_equal(n_distinct, 1);
    assert_false(s.refused);
}

TEST(test_bytes)
{
    struct bo_sequences s = {.arena = &arena};
    uint64_t n_distinct;
    bo_add_text(&s, "text", (struct bo_span)BYTES(""));
    assert_true(is_near(bo_order0_nbits(&s.items[0], &n_distinct), 0));
    assert_true(is_near(bo_order1_nbits(&s.items[0], &arena), 0));
    bo_add_text(&s, "text", (struct bo_span)BYTES("aab\xff"));
    bo_add_text(&s, "text", (struct bo_span)BYTES("aab\0"));
    assert_int_equal(s.items[0].n, 8);
    assert_true(is_near(bo_order0_nbits(&s.items[0], &n_distinct), 4 * 1 + 2 * 2 + 2 * 3));
    assert_int_equal(n_distinct, 4);
    /* After a: a and b, each twice. After b: \xff and \0. After \xff: a. */
    assert_true(is_near(bo_order1_nbits(&s.items[0], &arena), 4 * 1 + 2 * 1));
}

TEST(what_the_arena_refuses_is_known)
{
    struct bo_arena none;
    struct bo_sequences s = {.arena = &none};
    bo_arena_init(&none, 0);
    bo_add_number(&s, "numbers", 1);
    assert_true(s.refused);
    struct bo_sequences full = {.arena = &arena};
    static const char names[BO_MAX_SEQUENCES + 1][3] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                        "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                                        "s", "t", "u", "v", "w", "x", "y"};
    for (unsigned i = 0; i <= BO_MAX_SEQUENCES; i++) {
        assert_false(full.refused);
        bo_add_number(&full, names[i], i);
    }
    assert_true(full.refused);
    uint64_t numbers[] = {1, 2, 3};
    const struct bo_sequence sequence = {.name = "x", .numbers = numbers, .n = 3};
    assert_true(bo_order1_nbits(&sequence, &none) < 0);
}

TEST_FILE(make, release)
