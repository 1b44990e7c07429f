/* What the tests of Templight share: texts to models and back, and generated models. */
#ifndef TEMPLIGHT_TEST_MODEL_H
#define TEMPLIGHT_TEST_MODEL_H

#include "codecs/templight/model.h"
#include "harness/registry.h"
#include "harness/test_cmocka.h"

static inline struct bo_span span_of(const char *s)
{
    return (struct bo_span){(const uint8_t *)s, strlen(s)};
}

/* The model of a text that must be right. */
static inline struct templight_model *parse_text(const char *text, struct bo_arena *arena)
{
    void *model = NULL;
    struct bo_error error = {0};
    if (bo_find_format("templight")->parse(span_of(text), arena, &model, &error))
        fail_msg("%s at byte %llu of:\n%s", error.what, (unsigned long long)error.off, text);
    return model;
}

/* The model's text, with a NUL behind it. */
static inline struct bo_span print_text(const void *model, struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    assert_int_equal(bo_find_format("templight")->print(model, &out, NULL), BO_OK);
    bo_put_u8(&out, 0);
    const size_t n = out.n - 1;
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    bo_writer_free(&out);
    return (struct bo_span){p, n};
}

/* A generated model: odd seeds from a fuzzer's bytes, which hold more that is strange. */
static inline struct templight_model *generate_model(uint64_t seed, size_t scale,
                                                     struct bo_arena *arena)
{
    uint8_t entropy[4096];
    struct bo_random random = bo_random_seeded(seed), noise = bo_random_seeded(seed);
    for (size_t i = 0; i < sizeof entropy; i++)
        entropy[i] = bo_random_u8(&noise);
    if (seed % 2)
        random = bo_random_from_bytes((struct bo_span){entropy, sizeof entropy});
    void *model;
    assert_int_equal(bo_find_format("templight")->generate(&random, scale, arena, &model, NULL),
                     BO_OK);
    return model;
}

#endif
