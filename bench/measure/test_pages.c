/* Counting touched pages: exact counts. Faults at other addresses must still end the process. */
#include "harness/core/test_cmocka.h"

#include <sys/mman.h>
#include <unistd.h>

#include "bench/measure/pages.h"

enum { N_PAGES = 8 };

static size_t page;
static struct bo_span buffer;

static int map_buffer(void **state)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    buffer.n = (N_PAGES - 1) * page + 5; /* the last page is used in part */
    buffer.p = mmap(NULL, buffer.n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return buffer.p == MAP_FAILED;
}

static int unmap_buffer(void **state)
{
    return munmap((void *)(uintptr_t)buffer.p, buffer.n);
}

static void touch(size_t off)
{
    (void)*(const volatile uint8_t *)(buffer.p + off);
}

TEST_WITH(counts_distinct_pages, map_buffer, unmap_buffer)
{
    assert_true(bo_pages_watch(buffer));
    assert_true(bo_pages_rearm());
    assert_int_equal(bo_pages_touched(), 0);
    touch(0);
    touch(1);
    touch(page - 1);
    assert_int_equal(bo_pages_touched(), 1);
    touch(page);
    touch(buffer.n - 1);
    touch(buffer.n - 2);
    assert_int_equal(bo_pages_touched(), 3);
    bo_pages_unwatch();
}

TEST_WITH(a_rearm_starts_again, map_buffer, unmap_buffer)
{
    assert_true(bo_pages_watch(buffer));
    for (int round = 0; round < 3; round++) {
        assert_true(bo_pages_rearm());
        for (size_t i = 0; i < N_PAGES; i++)
            touch(i * page);
        assert_int_equal(bo_pages_touched(), N_PAGES);
    }
    bo_pages_unwatch();
    for (size_t i = 0; i < N_PAGES; i++)
        touch(i * page);
    assert_int_equal(bo_pages_touched(), N_PAGES);
}

/* After few pages, which are protected one by one, and after more. */
TEST_WITH(each_rearm_protects_all, map_buffer, unmap_buffer)
{
    assert_true(bo_pages_watch(buffer));
    assert_true(bo_pages_rearm());
    for (size_t n = 1; n <= N_PAGES; n++) {
        for (size_t i = 0; i < n; i++)
            touch(i * page);
        assert_int_equal(bo_pages_touched(), n);
        assert_true(bo_pages_rearm());
        assert_int_equal(bo_pages_touched(), 0);
    }
    bo_pages_unwatch();
}

TEST_WITH(no_touch_counts_until_the_next_rearm, map_buffer, unmap_buffer)
{
    assert_true(bo_pages_watch(buffer));
    assert_true(bo_pages_rearm());
    touch(0);
    assert_true(bo_pages_disarm());
    for (size_t i = 0; i < N_PAGES; i++)
        touch(i * page);
    assert_int_equal(bo_pages_touched(), 1);
    assert_true(bo_pages_rearm());
    for (size_t i = 0; i < N_PAGES; i++)
        touch(i * page);
    assert_int_equal(bo_pages_touched(), N_PAGES);
    bo_pages_unwatch();
}

TEST_WITH(a_read_across_a_border_touches_two, map_buffer, unmap_buffer)
{
    assert_true(bo_pages_watch(buffer));
    assert_true(bo_pages_rearm());
    (void)*(const volatile uint32_t *)(buffer.p + page - 2);
    assert_int_equal(bo_pages_touched(), 2);
    bo_pages_unwatch();
}

static void watch_buffer(void)
{
    if (!bo_pages_watch(buffer) || !bo_pages_rearm())
        _exit(1);
}

static void write_watched(void *at)
{
    watch_buffer();
    *(volatile uint8_t *)at = 1;
}

static void read_watched(void *at)
{
    watch_buffer();
    (void)*(const volatile uint8_t *)at;
}

TEST_WITH(other_faults_are_fatal, map_buffer, unmap_buffer)
{
    assert_true(dies_of_a_fault(write_watched, (void *)(uintptr_t)(buffer.p + page)));
    assert_true(dies_of_a_fault(read_watched, (void *)(page / 2)));
}

TEST_FILE(NULL, NULL)
