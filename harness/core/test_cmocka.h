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
