/*
 * The event counters, tested with those of the system, which every machine has: a test can cause
 * page faults at will.
 */
#include "harness/core/test_cmocka.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "bench/measure/events.h"
#include "bench/measure/measure.h"

enum { N_PAGES = 512, PAGE_NBYTES = 4096, N_OTHER = 64 /* of the code itself */ };

static const struct bo_event faults[] = {
    {"nothing", PERF_TYPE_SOFTWARE, UINT64_MAX}, /* no machine has it */
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {NULL, 0, 0},
};

static void touch_pages(void)
{
    volatile char *p = mmap(NULL, N_PAGES * PAGE_NBYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    madvise((void *)(uintptr_t)p, N_PAGES * PAGE_NBYTES, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < N_PAGES; i++)
        p[i * PAGE_NBYTES] = 1;
    munmap((void *)(uintptr_t)p, N_PAGES * PAGE_NBYTES);
}

TEST(what_is_between_start_and_stop_counts)
{
    struct bo_events events;
    bo_events_open(&events, faults);
    if (events.n == 0)
        skip(); /* a container forbids the call */
    assert_int_equal(events.n, 1);
    assert_string_equal(events.events[0]->name, "page_faults");
    touch_pages();
    assert_true(bo_events_count(&events, 0) == 0);
    bo_events_start(&events);
    touch_pages();
    bo_events_stop(&events);
    touch_pages();
    assert_in_range(bo_events_count(&events, 0), N_PAGES, N_PAGES + N_OTHER);
    bo_events_start(&events);
    touch_pages();
    bo_events_stop(&events);
    assert_in_range(bo_events_count(&events, 0), 2 * N_PAGES, 2 * N_PAGES + N_OTHER);
    bo_events_close(&events);
    assert_int_equal(events.n, 0);
}

static uint64_t run_two(void *context)
{
    for (volatile unsigned i = 0; i < 100000;)
        i++;
    return 2;
}

/* Instructions where the machine counts them, and no counter of that name elsewhere. */
TEST(repetitions_have_counts)
{
    struct bo_events events;
    const struct bo_timed timed = {.run = run_two};
    struct bo_record record = {0};
    bo_events_open(&events, bo_processor_events);
    assert_true(bo_measure("counted", 3, &timed, &record));
    const struct bo_counter *instructions = bo_record_counter(&record, "instructions");
    if (events.n && events.events[0] == &bo_processor_events[0])
        /* each round counts a part of the 100000 */
        assert_in_range(instructions->value, 100000, 2000000);
    else
        assert_null(instructions);
    bo_events_close(&events);
}

TEST_FILE(NULL, NULL)
