/*
 * Bit-packed fields. Why: no other test covers only fields that cross a byte or a word, or include
 * a bit of their neighbour.
 */
#include "harness/core/test_cmocka.h"

#include "harness/core/bits.h"

TEST(test_widths)
{
    assert_int_equal(bo_bit_width(0), 0);
    for (unsigned k = 0; k < 64; k++) {
        assert_int_equal(bo_bit_width(UINT64_C(1) << k), k + 1);
        assert_int_equal(bo_bit_width((UINT64_C(1) << k) - 1), k);
    }
}

/* The field of this width that the test below packs. */
static uint32_t field_of(unsigned width)
{
    return (uint32_t)((UINT64_C(0x9e3779b97f4a7c15) * (width + 1) >> 7) &
                      ((UINT64_C(1) << width) - 1));
}

/* Fields of every width, back to back. Both readers return what was written. */
TEST(test_round_trip)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    for (unsigned start = 0; start < 8; start++) {
        struct bo_bit_writer w = {.out = &out};
        bo_writer_reset(&out);
        bo_put_bits(&w, 0, start);
        uint64_t nbits = start;
        for (unsigned width = 0; width <= 32; nbits += width++)
            bo_put_bits(&w, field_of(width), width);
        assert_int_equal(out.n, (nbits + 7) / 8);
        struct bo_bit_cursor c = {.in.n = out.n, .bit = start};
        bo_put_zeros(&out, 8); /* room for bo_bits_at */
        c.in.p = out.p;
        for (unsigned width = 0; width <= 32; width++) {
            uint32_t v = 77;
            assert_int_equal(bo_bits_at(out.p, c.bit, width), field_of(width));
            assert_true(bo_get_bits(&c, width, &v));
            assert_int_equal(v, field_of(width));
        }
        assert_int_equal(c.bit, nbits);
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_end)
{
    struct bo_bit_cursor c = {.in = BYTES("\xff\x01")};
    uint32_t v = 77;
    assert_false(bo_get_bits(&c, 17, &v));
    assert_int_equal(c.bit, 0);
    assert_true(bo_get_bits(&c, 9, &v));
    assert_int_equal(v, 0x1ff);
    assert_false(bo_get_bits(&c, 8, &v));
    assert_int_equal(c.bit, 9);
    assert_true(bo_get_bits(&c, 7, &v));
    assert_int_equal(v, 0);
    assert_true(bo_get_bits(&c, 0, &v));
    assert_false(bo_get_bits(&c, 1, &v));
}

TEST(test_align_and_failure)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct bo_bit_writer w = {.out = &out};
    bo_put_bits(&w, 5, 3);
    bo_align_bits(&w);
    bo_put_bits(&w, 1, 1);
    bo_put_bits(&w, 0x7f, 7);
    bo_put_bits(&w, 3, 2);
    assert_true(bo_span_equal(bo_writer_span(&out), (struct bo_span)BYTES("\x05\xff\x03")));
    bo_writer_free(&out);

    arena.fail_at = arena.n_allocs + 1;
    w = (struct bo_bit_writer){.out = &out};
    bo_put_bits(&w, 1, 20);
    assert_int_equal(bo_writer_status(&out, NULL), BO_NO_MEMORY);
    assert_int_equal(out.n, 0);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
