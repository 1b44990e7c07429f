/* What the tests of LPRF share: models made by hand, and texts to models and back. */
#ifndef LPRF_TEST_MODEL_H
#define LPRF_TEST_MODEL_H

#include "codecs/lprf/lprf.h"
#include "harness/registry.h"
#include "harness/test_cmocka.h"

/* A function whose counters are listed: FUNCTION("main", 24, 1, 2). */
#define FUNCTION(name, hash, ...)                                                    \
    {                                                                                \
        BYTES(name), hash, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]) \
        {                                                                            \
            __VA_ARGS__                                                              \
        }                                                                            \
    }

static inline struct bo_span span_of(const char *s)
{
    return (struct bo_span){(const uint8_t *)s, strlen(s)};
}

/* The model of a text that must be right. */
static inline struct lprf_model *parse_text(const char *text, struct bo_arena *arena)
{
    void *model = NULL;
    struct bo_error error = {0};
    if (bo_find_format("lprf")->parse(span_of(text), arena, &model, &error))
        fail_msg("%s at byte %llu of:\n%s", error.what, (unsigned long long)error.off, text);
    return model;
}

/* The model's text, with a NUL behind it. */
static inline struct bo_span print_text(const void *model, struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    assert_int_equal(bo_find_format("lprf")->print(model, &out, NULL), BO_OK);
    bo_put_u8(&out, 0);
    const size_t n = out.n - 1;
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    bo_writer_free(&out);
    return (struct bo_span){p, n};
}

#endif
