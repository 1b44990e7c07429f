/* Which runs may be contributed. Why: nobody measures a contributor's machine again. */
#include "bench/report/test_sample.h"

#include "bench/runs/contribution.h"

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

TEST_FILE(sample_setup, sample_teardown)
