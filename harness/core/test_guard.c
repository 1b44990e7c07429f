/* Guarded copies. Why: every claim that nothing is read past the end depends on this page. */
#include "harness/core/test_cmocka.h"

#include <sys/mman.h>

#include "harness/core/guard.h"

static void read_byte(void *p)
{
    (void)*(volatile const uint8_t *)p;
}

static bool faults(const uint8_t *p)
{
    return dies_of_a_fault(read_byte, (void *)(uintptr_t)p);
}

TEST(test_past_the_end_faults)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *bytes = test_malloc(2 * page + 1);
    for (size_t i = 0; i <= 2 * page; i++)
        bytes[i] = (uint8_t)(i * 7);
    const size_t lengths[] = {0, 1, 15, page - 1, page, page + 1, 2 * page + 1};
    for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
        const struct bo_span from = {bytes, lengths[i]};
        struct bo_guarded guarded;
        assert_true(bo_guarded_copy(from, &guarded));
        assert_true(bo_span_equal(guarded.span, from));
        assert_true(faults(guarded.span.p + guarded.span.n));
        assert_true(guarded.span.n == 0 || !faults(guarded.span.p + guarded.span.n - 1));
        void *map = guarded.map;
        bo_guarded_free(&guarded);
        assert_int_equal(msync(map, page, MS_ASYNC), -1); /* nothing is mapped there */
        assert_null(guarded.map);
        bo_guarded_free(&guarded); /* the second call does nothing */
    }
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
