/*
 * The perfect hash. Why: two names in one slot lose one of them, and a fingerprint that keeps a bit
 * too few confuses two names, once in so many files that no other test would meet it.
 */
#include "codecs/lprf/perfect_hash.h"

#include <stdio.h>

#include "codecs/lprf/file.h"
#include "harness/core/test_cmocka.h"

enum { MAX_NAMES = 50000, NAME_NBYTES = 12 };

static struct bo_span names[MAX_NAMES];
static struct bo_arena arena;

static int set_up(void **state)
{
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (unsigned i = 0; i < MAX_NAMES; i++) {
        char *p = bo_alloc(&arena, NAME_NBYTES);
        assert_non_null(p);
        const int n = snprintf(p, NAME_NBYTES, "f%u", i);
        names[i] = (struct bo_span){(const uint8_t *)p, (size_t)n};
    }
    return 0;
}

static int tear_down(void **state)
{
    bo_arena_free(&arena);
    return 0;
}

/* The high half that is sent to `place` under a pilot: the inverse of lprf_send. */
static uint32_t high_half(uint32_t place, uint32_t pilot)
{
    uint32_t inverse = 1; /* of an odd number modulo 2^32, by Newton's iteration */
    for (unsigned i = 0; i < 5; i++)
        inverse *= 2 - 0x85ebca6bu * inverse;
    return place * inverse ^ pilot * 0x9e3779b1u;
}

/* The hash of what has this fingerprint in this slot. There is one: the claim that is tested. */
static uint64_t hash_of(const struct lprf_perfect_hash *ph, uint32_t slot, uint64_t fingerprint)
{
    const unsigned n_low = lprf_fingerprint_width(ph->n_slots) - 32;
    const uint64_t mask = (UINT64_C(1) << n_low) - 1;
    const uint64_t first = (((uint64_t)slot << 32) + ph->n_slots - 1) / ph->n_slots;
    const uint64_t end = ((((uint64_t)slot + 1) << 32) + ph->n_slots - 1) / ph->n_slots;
    assert_true(end - first <= mask + 1);
    const uint64_t place = first + ((fingerprint - first) & mask);
    assert_true(place < end);
    const uint32_t low = (uint32_t)(fingerprint >> n_low);
    const uint32_t pilot = bo_le16(ph->pilots + 2 * (size_t)lprf_bucket_of(ph, low));
    return (uint64_t)high_half((uint32_t)place, pilot) << 32 | low;
}

static void check_names(size_t n, unsigned n_per_bucket)
{
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    struct lprf_perfect_hash ph;
    struct bo_error error = {0};
    uint32_t *slots;
    assert_int_equal(lprf_make_perfect_hash(names, n, n_per_bucket, &arena, &ph, &slots, &error),
                     BO_OK);
    assert_in_range(ph.n_slots, n + 1, n + n / 64 + 1);
    assert_int_equal(ph.n_buckets, n / n_per_bucket + 1);
    uint8_t *taken = bo_zalloc_array(&arena, ph.n_slots, 1);
    assert_non_null(taken);
    const unsigned width = lprf_fingerprint_width(ph.n_slots);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = lprf_hash_name(names[i], ph.seed);
        const uint32_t place = lprf_sent_to(&ph, hash);
        assert_true(slots[i] < ph.n_slots);
        assert_int_equal(taken[slots[i]]++, 0);
        assert_int_equal(lprf_slot_at(ph.n_slots, place), slots[i]);
        assert_true(hash_of(&ph, slots[i], lprf_fingerprint(hash, place, width)) == hash);
    }
    bo_arena_rewind(&arena, mark);
}

TEST(test_every_name_has_a_slot)
{
    for (size_t n = 0; n <= 40; n++)
        for (unsigned n_per_bucket = 1; n_per_bucket <= 5; n_per_bucket++)
            check_names(n, n_per_bucket);
    check_names(1000, 5);
    check_names(MAX_NAMES, 5);
}

/* Slot counts around powers of two, where a fingerprint loses a bit, up to the largest. */
TEST(test_fingerprints)
{
    static const uint8_t pilots[] = {0x34, 0x12, 0xff, 0xff, 0x00, 0x00};
    struct bo_random random = bo_random_seeded(1);
    assert_int_equal(lprf_fingerprint_width(1), 64);
    assert_int_equal(lprf_fingerprint_width(127), 64);
    assert_int_equal(lprf_fingerprint_width(128), 57);
    assert_int_equal(lprf_fingerprint_width(UINT32_MAX), 33);
    for (unsigned k = 0; k < 32; k++)
        for (unsigned step = 0; step < 3; step++) {
            const uint32_t n_slots = (UINT32_C(1) << k) + step - 1;
            const struct lprf_perfect_hash ph = {pilots, 3, n_slots, 0};
            for (unsigned i = 0; n_slots && i < 1000; i++) {
                const uint64_t hash = bo_random_u64(&random);
                const uint32_t place = lprf_sent_to(&ph, hash);
                const uint32_t slot = lprf_slot_at(n_slots, place);
                const unsigned width = lprf_fingerprint_width(n_slots);
                const uint64_t fingerprint = lprf_fingerprint(hash, place, width);
                assert_true(slot < n_slots);
                assert_true(width == 64 || fingerprint >> width == 0);
                assert_true(hash_of(&ph, slot, fingerprint) == hash);
            }
        }
}

/* The search ends where there is nothing to find, and says so; so it does without memory. */
TEST(test_refusals)
{
    const struct bo_span twice[] = {BYTES("main"), BYTES("other"), BYTES("main")};
    struct lprf_perfect_hash ph;
    struct bo_error error = {0};
    uint32_t *slots;
    assert_int_equal(lprf_make_perfect_hash(twice, 3, 5, &arena, &ph, &slots, &error),
                     BO_UNSUPPORTED);
    assert_string_equal(error.what, "no perfect hash found for these names");
    /* Two by two: equal high halves under one of the seeds, one bucket whatever their number. */
    static const struct bo_span alike[] = {BYTES("yqcla"), BYTES("fbjsb"), BYTES("injga"),
                                           BYTES("dgxob"), BYTES("gdeua"), BYTES("lpbia"),
                                           BYTES("stkva"), BYTES("teemb")};
    error.what = NULL;
    assert_int_equal(lprf_make_perfect_hash(alike, 8, 5, &arena, &ph, &slots, &error),
                     BO_UNSUPPORTED);
    assert_string_equal(error.what, "no perfect hash found for these names");
    for (uint64_t fail_at = 1;; fail_at++) {
        struct bo_arena failing;
        bo_arena_init(&failing, BO_ARENA_UNLIMITED);
        failing.fail_at = fail_at;
        const enum bo_status status =
            lprf_make_perfect_hash(names, 1000, 5, &failing, &ph, &slots, &error);
        const bool complete = failing.n_allocs < fail_at;
        bo_arena_free(&failing);
        assert_int_equal(status, complete ? BO_OK : BO_NO_MEMORY);
        if (complete)
            break;
    }
}

TEST_FILE(set_up, tear_down)
