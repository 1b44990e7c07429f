/* How a test file adds its tests to the program of its folder (test_main.c); see TEST_FILE. */
#ifndef BO_TEST_MAIN_H
#define BO_TEST_MAIN_H

#include <stdbool.h>

struct bo_test_file {
    const char *path;
    int (*run)(void); /* returns the number of failures */
};

void bo_test_register(const char *path, int (*run)(void));

#endif
