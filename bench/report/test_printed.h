/* The output of printing functions as text, for tests. Included after cmocka's headers. */
#ifndef BO_TEST_PRINTED_H
#define BO_TEST_PRINTED_H

#include <stdio.h>

#include "harness/core/arena.h"

struct printed {
    FILE *out;
    struct bo_arena arena;
    char *text;
    size_t n;
};

static inline void printing(struct printed *printed)
{
    bo_arena_init(&printed->arena, BO_ARENA_UNLIMITED);
    printed->out = open_memstream(&printed->text, &printed->n);
    assert_non_null(printed->out);
}

/* Malloced. */
static inline char *printed_text(struct printed *printed)
{
    fclose(printed->out);
    bo_arena_free(&printed->arena);
    return printed->text;
}

#endif
