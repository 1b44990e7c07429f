/*
 * Ascending numbers: what is taken out, and what is found, for blocks of every density and numbers
 * of every size, by the portable reader and the one with BMI2. Why: queries trust a few bits of
 * these.
 */
#include "codecs/statehist/ascending.h"

#include "harness/core/cpu.h"
#include "harness/core/random.h"
#include "harness/core/test_fixture.h"

enum { MAX_N = 400 };

/* n numbers whose steps have up to `width` bits, now and then one of many more. */
static uint32_t draw(struct bo_random *random, uint32_t n, unsigned width, uint64_t *numbers)
{
    uint64_t at = bo_random_u64(random) >> bo_random_below(random, 64);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t step = 1 + (width ? bo_random_u64(random) >> (64 - width) : 0);
        if (bo_random_below(random, 50) == 0)
            step = 1 + (bo_random_u64(random) >> bo_random_below(random, 64));
        if (at + step < at)
            return i;
        numbers[i] = at += step;
    }
    return n;
}

static void expect_found(const struct ascending_list *list, const uint64_t *numbers,
                         uint64_t wanted)
{
    uint32_t expected = 0, n;
    while (expected < list->n && numbers[expected] <= wanted)
        expected++;
    assert_true(ascending_count(list, wanted, &n));
    assert_int_equal(n, expected);
}

/*
 * In a block of these numbers: those around each of them, around what lies before it, and after
 * it.
 */
static void expect_around(const struct ascending_block *block, const uint64_t *numbers)
{
    for (unsigned i = 0; i < block->n; i++)
        for (unsigned past = 0; past < 3; past++) {
            const uint64_t wanted = numbers[i] + past - 1;
            unsigned n = 0;
            uint64_t number;
            if (wanted < numbers[0] || (past == 2 && wanted == 0))
                continue;
            while (n < block->n && numbers[n] <= wanted)
                n++;
            const struct ascending_find found = ascending_block_find(block, wanted);
            assert_int_equal(found.n, n);
            assert_true(ascending_block_before(block, found, &number));
            assert_true(number == numbers[n - 1]);
            if (n == block->n)
                continue;
            assert_true(ascending_block_after(block, found, &number));
            assert_true(number == numbers[n]);
        }
}

/* Reads a list of these numbers, all bytes of `out`, in every way. */
static void expect_numbers(struct bo_writer *out, const uint64_t *numbers, uint32_t n)
{
    const size_t nbytes = out->n;
    bo_put_zeros(out, ASCENDING_MARGIN);
    struct bo_cursor c = {.p = out->p, .n = nbytes};
    struct ascending_list list;
    assert_int_equal(ascending_open(&c, n, &list, NULL), BO_OK);
    assert_int_equal(bo_left(&c), 0);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t number;
        assert_true(ascending_at(&list, i, &number));
        assert_true(number == numbers[i]);
        expect_found(&list, numbers, number);
        expect_found(&list, numbers, number - 1);
        expect_found(&list, numbers, number + 1);
    }
    expect_found(&list, numbers, 0);
    expect_found(&list, numbers, UINT64_MAX);
    for (uint32_t b = 0; b < list.n_blocks && n > 1; b++) {
        struct ascending_block block;
        uint64_t all[ASCENDING_BLOCK];
        assert_true(ascending_list_block(&list, b, &block));
        assert_true(ascending_block_all(&block, all));
        for (unsigned i = 0; i < block.n; i++)
            assert_true(all[i] == numbers[b * ASCENDING_BLOCK + i]);
        expect_around(&block, all);
    }
}

static void expect_list(const uint64_t *numbers, uint32_t n)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(ascending_put(numbers, n, &out, NULL), BO_OK);
    expect_numbers(&out, numbers, n);
    bo_writer_free(&out);
}

TEST_WITH(test_runs_of_numbers, set_up, tear_down)
{
    static const uint32_t ns[] = {1, 2, 63, 64, 65, 127, 128, 129, 192};
    uint64_t numbers[192];
    for (unsigned i = 0; i < 192; i++)
        numbers[i] = 300 + i;
    for (unsigned k = 0; k < sizeof ns / sizeof *ns; k++) {
        struct bo_writer out;
        bo_writer_init(&out, &arena);
        ascending_put_run(numbers[0], ns[k], &out);
        expect_numbers(&out, numbers, ns[k]);
        bo_writer_free(&out);
    }
}

/* The first number is stored in the list's header, and again where blocks store their bases. */
TEST_WITH(test_first_block_begins_at_the_first_number, set_up, tear_down)
{
    uint64_t numbers[ASCENDING_BLOCK + 1];
    struct bo_writer out;
    struct bo_error err = {0};
    struct ascending_list list;
    for (unsigned i = 0; i <= ASCENDING_BLOCK; i++)
        numbers[i] = 5 + 3 * i;
    bo_writer_init(&out, &arena);
    assert_int_equal(ascending_put(numbers, ASCENDING_BLOCK + 1, &out, NULL), BO_OK);
    const size_t nbytes = out.n;
    bo_put_zeros(&out, ASCENDING_MARGIN);
    struct bo_cursor c = {.p = out.p, .n = nbytes};
    assert_int_equal(ascending_open(&c, ASCENDING_BLOCK + 1, &list, NULL), BO_OK);
    const size_t body = (size_t)(list.body - out.p);
    out.p[body] |= 1;
    c.off = 0;
    assert_int_equal(ascending_open(&c, ASCENDING_BLOCK + 1, &list, &err), BO_CORRUPT);
    assert_int_equal(err.off, body);
    bo_writer_free(&out);
}

/* A list is that of its numbers only as the encoder writes it: with another width, it is not. */
TEST_WITH(test_canonical_form, set_up, tear_down)
{
    uint64_t numbers[100];
    struct bo_writer out;
    struct bo_error err = {0};
    struct ascending_list list;
    for (unsigned i = 0; i < 100; i++)
        numbers[i] = 5 + 3 * i;
    bo_writer_init(&out, &arena);
    assert_int_equal(ascending_put(numbers, 100, &out, NULL), BO_OK);
    const size_t nbytes = out.n;
    bo_put_zeros(&out, ASCENDING_MARGIN);
    struct bo_cursor c = {.p = out.p, .n = nbytes};
    assert_int_equal(ascending_open(&c, 100, &list, NULL), BO_OK);
    assert_int_equal(ascending_expect(&list, numbers, &arena, 7, &err), BO_OK);
    list.base_nbits++;
    assert_int_equal(ascending_expect(&list, numbers, &arena, 7, &err), BO_CORRUPT);
    list.base_nbits--;
    list.place_nbits++;
    assert_int_equal(ascending_expect(&list, numbers, &arena, 7, &err), BO_CORRUPT);
    list.place_nbits--;
    numbers[99]++;
    assert_int_equal(ascending_expect(&list, numbers, &arena, 7, &err), BO_CORRUPT);
    assert_string_equal(err.what, "list is not in its canonical form");
    assert_int_equal(err.off, 7);
    bo_writer_free(&out);
}

TEST_WITH(test_lists, set_up, tear_down)
{
    struct bo_random random = bo_random_seeded(1);
    uint64_t numbers[MAX_N];
    for (unsigned width = 0; width <= 64; width++)
        for (unsigned i = 0; i < 8; i++) {
            const uint32_t n = draw(&random, bo_random_below(&random, MAX_N), width, numbers);
            expect_list(numbers, n);
            bo_cpu_use_portable();
            expect_list(numbers, n);
            (void)bo_cpu_choose();
        }
}

/* The widest there are: from 0 to 2^64 - 1. */
TEST_WITH(test_extremes, set_up, tear_down)
{
    const uint64_t numbers[] = {0, 1, UINT64_MAX - 1, UINT64_MAX};
    for (uint32_t n = 0; n <= 4; n++)
        expect_list(numbers, n);
    expect_list(numbers + 2, 2);
}

/* The number after 5 is 5 + 2^63: high bits 01. With 001 it would be 5 + 2^64. */
TEST(test_more_than_64_bits)
{
    uint8_t bytes[8 + 32 + ASCENDING_MARGIN] = {0};
    uint64_t numbers[ASCENDING_BLOCK];
    const struct ascending_block block = {
        .p = bytes, .base = 5, .low = 0, .upper = 64, .n = 2, .l = 63};
    bytes[8] = 2;
    assert_true(ascending_block_all(&block, numbers));
    assert_true(numbers[1] == (UINT64_C(1) << 63) + 5);
    bytes[8] = 4;
    assert_false(ascending_block_all(&block, numbers));
}

TEST_WITH(test_select_and_count, set_up, tear_down)
{
    struct bo_random random = bo_random_seeded(2);
    for (unsigned i = 0; i < 2000; i++) {
        const uint64_t v = bo_random_u64(&random) & bo_random_u64(&random);
        unsigned k = 0;
        for (unsigned at = 0; at < 64; at++)
            if (v >> at & 1) {
                assert_int_equal(ascending_select(v, k), at);
                assert_int_equal(ascending_select_portable(v, k), at);
                k++;
            }
        assert_int_equal(ascending_popcount(v), k);
        assert_int_equal(ascending_popcount_portable(v), k);
    }
}

TEST_FILE(NULL, NULL)
