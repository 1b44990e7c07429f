/* How the tests of a file get into the program of their folder (test_main.c). */
#ifndef BO_TEST_MAIN_H
#define BO_TEST_MAIN_H

#include <stdbool.h>

struct bo_test_file {
    const char *path;
    int (*run)(void); /* the number of failures */
};

void bo_test_register(const char *path, int (*run)(void));

/* At the end of a file of tests: `run` runs its group. */
#define TEST_FILE(run)                                           \
    __attribute__((constructor)) static void register_file(void) \
    {                                                            \
        bo_test_register(__FILE__, run);                         \
    }

#endif
