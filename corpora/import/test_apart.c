/*
 * Work in a process of its own: its output is returned, and a failure, crash, hang or excessive use
 * of memory becomes an error. Why: it isolates this program from bugs of a library, and good traces
 * do not exercise these cases.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "corpora/import/apart.h"
#include "harness/core/test_fixture.h"

enum { OUT_NBYTES = 300000 }; /* more than a pipe holds */

static enum bo_status put_much(void *context, struct bo_writer *out, struct bo_error *err)
{
    for (size_t i = 0; i < OUT_NBYTES; i++)
        bo_put_u8(out, (uint8_t)(i * *(const unsigned *)context));
    return BO_OK;
}

static enum bo_status put_and_note(void *context, struct bo_writer *out, struct bo_error *err)
{
    bo_put_u8(out, 7);
    return bo_fail(err, BO_OK, 3, "a note");
}

static enum bo_status fail_it(void *context, struct bo_writer *out, struct bo_error *err)
{
    bo_put_u8(out, 7);
    return bo_fail(err, BO_TRUNCATED, 42, "ends early");
}

static enum bo_status crash(void *context, struct bo_writer *out, struct bo_error *err)
{
    (void)context, (void)out, (void)err;
    signal(SIGABRT, SIG_DFL);
    abort();
}

static enum bo_status stand_still(void *context, struct bo_writer *out, struct bo_error *err)
{
    (void)context, (void)out, (void)err;
    for (volatile unsigned i = 0;; i++)
        ;
    return BO_OK;
}

static enum bo_status leave(void *context, struct bo_writer *out, struct bo_error *err)
{
    (void)context, (void)out, (void)err;
    _exit(0);
}

static enum bo_status eat(void *context, struct bo_writer *out, struct bo_error *err)
{
    (void)context, (void)out;
    void *volatile eaten = malloc((size_t)1 << 30); /* volatile, so that it is not optimised away */
    return eaten ? BO_OK : bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "refused");
}

static enum bo_status run(enum bo_status (*work)(void *, struct bo_writer *, struct bo_error *),
                          struct bo_span *out_ret, struct bo_error *error)
{
    unsigned factor = 31;
    const struct apart apart = {"library", 1, (uint64_t)256 << 20, work, &factor};
    *error = (struct bo_error){0};
    *out_ret = (struct bo_span){NULL, 0};
    return apart_run(&apart, &arena, out_ret, error);
}

TEST(test_output)
{
    struct bo_span got;
    struct bo_error error;
    assert_int_equal(run(put_much, &got, &error), BO_OK);
    assert_null(error.what);
    assert_int_equal(got.n, OUT_NBYTES);
    for (size_t i = 0; i < got.n; i++)
        assert_int_equal(got.p[i], (uint8_t)(i * 31));
    assert_int_equal(run(put_and_note, &got, &error), BO_OK);
    assert_string_equal(error.what, "a note");
    assert_true(got.n == 1 && got.p[0] == 7);
}

static void expect(enum bo_status (*work)(void *, struct bo_writer *, struct bo_error *),
                   enum bo_status status, uint64_t off, const char *what)
{
    struct bo_span got;
    struct bo_error error;
    assert_int_equal(run(work, &got, &error), status);
    assert_int_equal(error.status, status);
    assert_true(error.off == off);
    assert_string_equal(error.what, what);
}

TEST(test_failures)
{
    expect(fail_it, BO_TRUNCATED, 42, "ends early");
    expect(crash, BO_CORRUPT, BO_NO_OFFSET, "library crashed on it");
    expect(stand_still, BO_CORRUPT, BO_NO_OFFSET, "library makes no progress on it");
    expect(leave, BO_CORRUPT, BO_NO_OFFSET, "library ended without an answer");
}

/* A sanitizer's allocator maps large areas, and ends the process if they are refused. */
TEST(test_hunger)
{
    struct bo_span got;
    struct bo_error error;
    assert_int_not_equal(run(eat, &got, &error), BO_OK);
}

TEST_FILE(set_up, tear_down)
