/*
 * Shared by the cmocka tests: cmocka's prerequisites, bytes of literals, and child processes that
 * are expected to die of a fault.
 */
#ifndef BO_TEST_CMOCKA_H
#define BO_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/bytes.h"
#include "harness/core/test_main.h"

/* The bytes of a string literal, without its NUL. */
#define BYTES(literal)                                        \
    {                                                         \
        (const uint8_t *)("" literal), sizeof("" literal) - 1 \
    }

#define N_ELEMENTS(array) (sizeof(array) / sizeof *(array))

/* The tests of a file, in the order of their lines. */
static struct CMUnitTest bo_tests[64] __attribute__((unused));
static unsigned bo_n_tests __attribute__((unused));

/* Begins a test, which runs between set_up and tear_down. */
#define TEST_WITH(name, set_up, tear_down)                                               \
    static void name(void **state);                                                      \
    __attribute__((constructor(1000 + __LINE__))) static void add_##name(void)           \
    {                                                                                    \
        assert_true(bo_n_tests < N_ELEMENTS(bo_tests));                                  \
        bo_tests[bo_n_tests++] =                                                         \
            (struct CMUnitTest)cmocka_unit_test_setup_teardown(name, set_up, tear_down); \
    }                                                                                    \
    static void name(void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Ends a test file, whose tests run between set_up and tear_down; either may be NULL. */
#define TEST_FILE(set_up, tear_down)                                \
    static int run_file(void)                                       \
    {                                                               \
        return cmocka_run_group_tests(bo_tests, set_up, tear_down); \
    }                                                               \
    __attribute__((constructor)) static void register_file(void)    \
    {                                                               \
        bo_test_register(__FILE__, run_file);                       \
    }

/* Runs act(context) in a child process; true when a memory fault ends it. */
static inline bool dies_of_a_fault(void (*act)(void *context), void *context)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        act(context);
        _exit(0);
    }
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

#endif
