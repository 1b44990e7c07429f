/*
 * What mixed-contexts chooses before it codes: which classes count, and the size of its hash
 * tables. Why: the specification names both limits, but a reader and a writer that share another
 * one agree.
 */
#include "codecs/statehist/mixed_contexts/mixed_contexts.h"
#include "codecs/statehist/test_model.h"
#include "harness/core/test_fixture.h"

/* A timeline of which each change up to n_steps adds 1; others keep the value. */
static bool counts(uint32_t n_changes, uint32_t n_steps)
{
    struct statehist_builder builder;
    struct statehist_model *model;
    assert_true(statehist_builder_init(&builder, true, &arena));
    assert_true(statehist_add_attribute(&builder, bo_span_of("a"), STATEHIST_ROOT));
    for (uint32_t i = 0; i <= n_changes; i++) {
        const struct statehist_interval at = {i, i, i < n_steps ? i : n_steps, 0, STATEHIST_INT};
        assert_true(statehist_add_interval(&builder, &at));
    }
    assert_int_equal(statehist_finish(&builder, 0, n_changes, &model, NULL), BO_OK);
    struct mixed_history h = {.arena = &arena, .n_quarks = 1, .model = model};
    assert_true(mixed_prepare(&h, model->attributes));
    return mixed_find_counters(&h);
}

/* 32 changes, of which three quarters are steps. */
TEST(test_counters)
{
    assert_false(counts(31, 31));
    assert_true(counts(32, 32));
    assert_true(counts(32, 24));
    assert_false(counts(32, 23));
    assert_true(counts(35, 27));
    assert_false(counts(35, 26));
}

/* The least power of two from 2^6 to 2^20 that is at least twice the number of quarks. */
TEST(test_hash_tables)
{
    static const struct {
        uint32_t n_quarks;
        unsigned nbits;
    } rows[] = {{1, 6}, {32, 6}, {33, 7}, {(1 << 19) + 1, 20}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const uint32_t n = rows[i].n_quarks;
        struct statehist_attribute *attributes = bo_alloc_array(&arena, n, sizeof *attributes);
        struct mixed_history h = {.arena = &arena, .n_quarks = n};
        assert_non_null(attributes);
        for (uint32_t q = 0; q < n; q++)
            attributes[q] = (struct statehist_attribute){BYTES("a"), q ? q - 1 : STATEHIST_ROOT};
        assert_true(mixed_prepare(&h, attributes));
        assert_int_equal(h.hash_bits, rows[i].nbits);
    }
}

TEST_FILE(set_up, tear_down)
