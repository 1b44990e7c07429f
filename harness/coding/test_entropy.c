/* Order-0 entropy. Why: reports compare every size with it. */
#include "harness/coding/entropy.h"

#include "harness/core/test_cmocka.h"

static bool is_near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void test_numbers(void **state)
{
    (void)state;
    uint64_t numbers[] = {7, UINT64_MAX, 7, 0, 7, 7, UINT64_MAX, 1};
    /* 4 of 8, 2 of 8, and twice 1 of 8. */
    assert_true(is_near(bo_order0_nbits(numbers, 8), 4 * 1 + 2 * 2 + 2 * 3));
    assert_true(is_near(bo_order0_nbits(numbers, 1), 0));
    assert_true(is_near(bo_order0_nbits(NULL, 0), 0));
}

static void test_bytes(void **state)
{
    (void)state;
    struct bo_byte_counts counts = {{0}};
    assert_true(is_near(bo_bytes_nbits(&counts), 0));
    bo_count_bytes(&counts, (struct bo_span)BYTES("aab\xff"));
    bo_count_bytes(&counts, (struct bo_span)BYTES(""));
    bo_count_bytes(&counts, (struct bo_span)BYTES("aab\0"));
    assert_true(is_near(bo_bytes_nbits(&counts), 4 * 1 + 2 * 2 + 2 * 3));
}

static int run_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_FILE(run_file)
