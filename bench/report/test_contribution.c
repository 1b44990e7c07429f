/* Which runs may be contributed. Why: a contributed run cannot be measured again by others. */
#include "bench/report/test_sample.h"

#include "bench/runs/contribution.h"
#include "harness/registry.h"

/* The lines of problems of a run; takes ownership. */
static char *problems_of(json_t *json, const struct bo_documents *documents)
{
    const struct bo_run *run = sample_take(json);
    bo_contribution_problems(run, "results/test-cpu-2c/run.json", documents, printing());
    return printed_text();
}

/* The rows of variants are part of the run. */
TEST(failures_of_variants_are_problems)
{
    const struct bo_documents none = {NULL, 0};
    json_t *json = sample_json();
    sample_add_portable(json, "frame-24", 1.5);
    assert_lacks(problems_of(json, &none), "frame-24");
    json = sample_json();
    sample_add_portable(json, "frame-24", 1.5);
    sample_fail(json, "frame-24@portable/small-sample/open");
    assert_has(problems_of(json, &none),
               "results/test-cpu-2c/run.json: pcdata/frame-24@portable failed on small-sample, "
               "open: wrong answer\n");
}

TEST(few_repetitions_are_a_problem)
{
    const struct bo_documents none = {NULL, 0};
    static const char problem[] = "repetitions are 5: a 95% interval needs at least 6\n";
    for (int rounds = 5; rounds <= 6; rounds++) {
        json_t *json = sample_json();
        json_object_set_new(sample_ours(json), "rounds", json_integer(rounds));
        assert_int_equal(count_of(problems_of(json, &none), problem), rounds == 5);
    }
}

/* A run may not select documents, nor lack one of the repository. */
TEST(all_documents_of_a_format_are_needed)
{
    struct bo_document items[] = {
        {.format = bo_find_format("pcdata"), .name = "small-sample", .hash = 0x0123456789abcdef},
        {.format = bo_find_format("pcdata"), .name = "a", .sample = true},
        {.format = bo_find_format("pcdata"), .name = "b"},
        {.format = bo_find_format("pcdata"), .name = "c", .scale = true},
        {.format = bo_find_format("lprf"), .name = "d"},
    };
    const struct bo_documents all = {items, N_ELEMENTS(items)};
    char *text = problems_of(sample_json(), &all);
    assert_has(text, "document pcdata/b was not measured\n");
    assert_int_equal(count_of(text, "was not measured"), 1);
    assert_lacks(text, "selected by --corpus");
    json_t *json = sample_json();
    json_object_set_new(sample_ours(json), "options", json_pack("{s:b}", "corpus", 1));
    /* its only other document is now held out, so nothing fetched replaces the sample */
    json_object_set_new(json_array_get(json_object_get(sample_ours(json), "documents"), 1),
                        "held_out", json_true());
    text = problems_of(json, &all);
    assert_has(text, "documents were selected by --corpus: ");
    assert_has(text, "document pcdata/a was not measured\n");
    assert_int_equal(count_of(text, "was not measured"), 2);
}

TEST_FILE(sample_setup, sample_teardown)
