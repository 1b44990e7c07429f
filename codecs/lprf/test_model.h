/* What the tests of LPRF share: models made by hand, and what the tests of every format share. */
#ifndef LPRF_TEST_MODEL_H
#define LPRF_TEST_MODEL_H

#define TEST_FORMAT "lprf"

#include "codecs/lprf/lprf.h"
#include "harness/test_format.h"

/* A function whose counters are listed: FUNCTION("main", 24, 1, 2). */
#define FUNCTION(name, hash, ...)                                                    \
    {                                                                                \
        BYTES(name), hash, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]) \
        {                                                                            \
            __VA_ARGS__                                                              \
        }                                                                            \
    }

#endif
