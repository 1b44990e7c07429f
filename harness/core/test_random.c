/*
 * The two sources of randomness. Why: workloads, samples and generated models are identified by
 * their seed, so the numbers of a seed must never change; and the bytes of a fuzzer must end.
 */
#include "harness/core/test_cmocka.h"

#include "harness/core/random.h"

/* The first outputs of SplitMix64, from its authors' implementation. */
TEST(test_fixed_numbers)
{
    static const uint64_t of_seed_0[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                         UINT64_C(0x06c45d188009454f)};
    static const uint64_t of_seed_1234567[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    struct bo_random r = bo_random_seeded(0);
    for (size_t i = 0; i < N_ELEMENTS(of_seed_0); i++)
        assert_true(bo_random_u64(&r) == of_seed_0[i]);
    r = bo_random_seeded(1234567);
    for (size_t i = 0; i < N_ELEMENTS(of_seed_1234567); i++)
        assert_true(bo_random_u64(&r) == of_seed_1234567[i]);
    assert_false(bo_random_exhausted(&r));
}

/* Narrower draws use the high bits; a bound scales them. */
TEST(test_narrow_draws)
{
    struct bo_random r = bo_random_seeded(0);
    assert_int_equal(bo_random_u8(&r), 0xe2);
    assert_int_equal(bo_random_u32(&r), 0x6e789e6a);
    assert_int_equal(bo_random_below(&r, 1000), (UINT64_C(0x06c45d18) * 1000) >> 32);
    unsigned seen[7] = {0}, once_in = 0;
    for (unsigned i = 0; i < 70000; i++) {
        seen[bo_random_below(&r, 7)]++;
        once_in += bo_random_one_in(&r, 10);
        assert_int_equal(bo_random_below(&r, 1), 0);
    }
    for (unsigned i = 0; i < 7; i++)
        assert_in_range(seen[i], 9500, 10500);
    assert_in_range(once_in, 6500, 7500);
}

TEST(test_entropy_ends_in_zeros)
{
    struct bo_random r = bo_random_from_bytes(
        (struct bo_span)BYTES("\x01\x02\x03\x04\x05\x06\xff\xff\xff\xff\xff\x01\x34\x12\x02\x07"));
    assert_int_equal(bo_random_u8(&r), 1);
    assert_int_equal(bo_random_u32(&r), 0x05040302);
    assert_int_equal(bo_random_below(&r, 256), 6); /* consumes one byte */
    assert_int_equal(bo_random_below(&r, 257), 0xffff % 257);
    assert_int_equal(bo_random_below(&r, 65537), 0x01ffffffu % 65537);
    assert_int_equal(bo_random_below(&r, 65536), 0x1234); /* two bytes */
    assert_false(bo_random_exhausted(&r));
    assert_int_equal(bo_random_u64(&r), 0x0702); /* the remaining bytes, then zeros */
    assert_true(bo_random_exhausted(&r));
    assert_int_equal(bo_random_u64(&r), 0);
    assert_int_equal(bo_random_below(&r, 10), 0);
    assert_false(bo_random_one_in(&r, 2));
}

TEST(test_no_entropy)
{
    struct bo_random r = bo_random_from_bytes((struct bo_span){NULL, 0});
    assert_true(bo_random_exhausted(&r));
    assert_int_equal(bo_random_u32(&r), 0);
}

TEST_FILE(NULL, NULL)
