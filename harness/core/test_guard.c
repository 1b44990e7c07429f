/* Guarded copies. Why: every claim that nothing is read past the end depends on this page. */
#include "harness/core/test_cmocka.h"

#include <sys/mman.h>

#include "harness/core/forbid.h"
#include "harness/core/guard.h"

static void read_byte(void *p)
{
    (void)*(volatile const uint8_t *)p;
}

static bool faults(const uint8_t *p)
{
    return dies_of_a_fault(read_byte, (void *)(uintptr_t)p);
}

/* AddressSanitizer reports a read of this byte. In other builds, the byte has this value. */
static void assert_forbidden(const uint8_t *p, uint8_t value)
{
#ifdef BO_WITH_ASAN
    (void)value;
    assert_true(__asan_address_is_poisoned(p));
#else
    assert_int_equal(*p, value);
#endif
}

/* Small copies use the pages of released ones again; the last two lengths have their own pages. */
TEST(test_past_the_end_faults)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t lengths[] = {
        0, 1, 15, page - 1, page, page + 1, 2 * page + 1, 20 * page, 20 * page + 1};
    uint8_t *bytes = test_malloc(20 * page + 2);
    for (size_t i = 0; i < 20 * page + 2; i++)
        bytes[i] = (uint8_t)(1 + i % 199);
    for (size_t i = 0; i < 3 * N_ELEMENTS(lengths); i++) {
        const struct bo_span from = {bytes + i % 2, lengths[i % N_ELEMENTS(lengths)]};
        struct bo_guarded guarded, second;
        assert_true(bo_guarded_copy(from, &guarded));
        assert_true(bo_guarded_copy(from, &second));
        assert_true(guarded.map != second.map);
        assert_true(bo_span_equal(guarded.span, from));
        assert_true(bo_span_equal(second.span, from));
        assert_true(faults(guarded.span.p + guarded.span.n));
        assert_true(guarded.span.n == 0 || !faults(guarded.span.p + guarded.span.n - 1));
        bo_guarded_free(&second);
        assert_true(bo_span_equal(guarded.span, from));
        bo_guarded_free(&guarded);
        assert_null(guarded.map);
        bo_guarded_free(&guarded); /* the second call does nothing */
    }
    test_free(bytes);
}

/* The byte before a copy, and a byte of a released one. AddressSanitizer forbids whole words. */
TEST(test_before_and_after_a_copy)
{
    static const uint8_t bytes[100] = {[0 ... 99] = 7};
    struct bo_guarded guarded;
    for (unsigned n = 96; n > 0; n -= 8) {
        assert_true(bo_guarded_copy((struct bo_span){bytes, n}, &guarded));
        const uint8_t *p = guarded.span.p;
        assert_forbidden(p - 1, 0);
        bo_guarded_free(&guarded);
        assert_forbidden(p, 0xdb);
    }
}

TEST(test_pages_are_released)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *bytes = test_malloc(40 * page);
    struct bo_guarded guarded;
    memset(bytes, 0, 40 * page);
    assert_true(bo_guarded_copy((struct bo_span){bytes, 40 * page}, &guarded));
    void *map = guarded.map;
    bo_guarded_free(&guarded);
    assert_int_equal(msync(map, page, MS_ASYNC), -1); /* nothing is mapped there */
    test_free(bytes);
}

TEST(test_too_large)
{
    struct bo_guarded guarded;
    const uint8_t byte = 0;
    assert_false(bo_guarded_copy((struct bo_span){&byte, SIZE_MAX}, &guarded));
    assert_false(bo_guarded_copy((struct bo_span){&byte, SIZE_MAX / 2}, &guarded));
}

TEST_FILE(NULL, NULL)
