/*
 * The fixture of tests: an arena for each test file; a writer if TEST_WRITES is defined; and if
 * TEST_FORMAT is defined, the format of that name (harness/registry.h is included before). Included
 * last, so that helpers may have parameters named `arena`.
 */
#ifndef BO_TEST_FIXTURE_H
#define BO_TEST_FIXTURE_H

#include "harness/core/arena.h"
#include "harness/core/test_cmocka.h"

static struct bo_arena arena;
#ifdef TEST_WRITES
static struct bo_writer out;
#endif
#ifdef TEST_FORMAT
static const struct bo_format *format;
#endif

static inline int set_up(void **state)
{
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
#ifdef TEST_WRITES
    bo_writer_init(&out, &arena);
#endif
#ifdef TEST_FORMAT
    format = bo_find_format(TEST_FORMAT);
    return format ? 0 : -1;
#else
    return 0;
#endif
}

static inline int tear_down(void **state)
{
#ifdef TEST_WRITES
    bo_writer_free(&out);
#endif
    bo_arena_free(&arena);
    return 0;
}

#endif
