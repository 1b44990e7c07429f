/* Jobs in worker processes. Why: verify and bench lose results if one is dropped or reordered. */
#include "harness/core/test_cmocka.h"

#include <stdio.h>
#include <unistd.h>

#include "harness/core/workers.h"

enum { N_JOBS = 20, CRASHING_JOB = 7, ENDLESS_JOB = 5 };

struct run {
    size_t n_done, n_crashed, n_before_end;
    bool has_endless_job;
};

static void square(void *context, size_t job, void *result)
{
    const struct run *run = context;
    while (run->has_endless_job && job == ENDLESS_JOB)
        pause();
    if (!run->has_endless_job && job == CRASHING_JOB)
        _exit(3);
    *(size_t *)result = job * job;
}

static void note_crash(void *context, size_t job, const char *how, void *result)
{
    struct run *run = context;
    assert_int_equal(job, CRASHING_JOB);
    assert_string_equal(how, "exit code 3");
    *(size_t *)result = job * job;
    run->n_crashed++;
}

static void take(void *context, size_t job, const void *result)
{
    struct run *run = context;
    assert_int_equal(job, run->n_done++);
    assert_int_equal(*(const size_t *)result, job * job);
}

static bool ends(void *context, size_t n_finished)
{
    const struct run *run = context;
    return n_finished < run->n_before_end;
}

static bool run_jobs(struct run *run, unsigned n_workers)
{
    const struct bo_jobs jobs = {.n = N_JOBS,
                                 .result_nbytes = sizeof(size_t),
                                 .context = run,
                                 .run = square,
                                 .crashed = note_crash,
                                 .done = take,
                                 .tick = run->n_before_end ? ends : NULL};
    return bo_jobs_run(&jobs, n_workers);
}

TEST(test_results_come_in_order)
{
    for (unsigned n = 1; n <= 3; n++) {
        struct run run = {.n_done = 0};
        assert_true(run_jobs(&run, n));
        assert_int_equal(run.n_done, N_JOBS);
        assert_int_equal(run.n_crashed, 1);
    }
}

/* All jobs but one finish; without an end, the last one would be waited for. */
TEST(test_tick_ends_the_workers)
{
    struct run run = {.has_endless_job = true, .n_before_end = N_JOBS - 1};
    assert_false(run_jobs(&run, 2));
    assert_int_equal(run.n_done, ENDLESS_JOB);
    assert_int_equal(run.n_crashed, 0);
}

/* Also if all jobs have finished when `tick` says so; and in this process after each job. */
TEST(test_tick_at_the_end)
{
    struct run run = {.n_before_end = N_JOBS};
    assert_false(run_jobs(&run, 2));
    assert_int_equal(run.n_done, N_JOBS);
    run = (struct run){.n_before_end = 3};
    assert_false(run_jobs(&run, 0));
    assert_int_equal(run.n_done, 3);
}

/* No jobs, jobs without workers, and more workers than jobs or than there may be. */
TEST(test_numbers_of_workers)
{
    static const unsigned n_workers[] = {0, 1, 4, 5, 1000000};
    for (size_t i = 0; i < N_ELEMENTS(n_workers); i++)
        for (size_t n_jobs = 0; n_jobs <= 4; n_jobs += 4) {
            struct run run = {.n_done = 0};
            const struct bo_jobs jobs = {.n = n_jobs,
                                         .result_nbytes = sizeof(size_t),
                                         .context = &run,
                                         .run = square,
                                         .crashed = note_crash,
                                         .done = take,
                                         .tick = n_jobs ? NULL : ends}; /* is not called */
            assert_true(bo_jobs_run(&jobs, n_workers[i]));
            assert_int_equal(run.n_done, n_jobs);
        }
    assert_true(bo_n_processors() > 0);
}

/* What is not yet written when the workers start is written once. */
static void flush_all(void *context, size_t job, void *result)
{
    square(context, job, result);
    fflush(NULL);
}

TEST(test_buffers_are_not_written_twice)
{
    struct run run = {.n_done = 0};
    const struct bo_jobs jobs = {.n = CRASHING_JOB,
                                 .result_nbytes = sizeof(size_t),
                                 .context = &run,
                                 .run = flush_all,
                                 .crashed = note_crash,
                                 .done = take};
    FILE *out = tmpfile();
    assert_non_null(out);
    fputs("once", out);
    assert_true(bo_jobs_run(&jobs, 2));
    fseek(out, 0, SEEK_END);
    assert_int_equal(ftell(out), 4);
    fclose(out);
}

TEST_FILE(NULL, NULL)
