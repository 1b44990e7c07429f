/*
 * Checkpoints of time-index. A history of many attributes has them, and they take at most a tenth
 * of its size. Answers are the same with and without them, whether a reader keeps their parts or
 * not. Damage in them is reported. Why: checkpoints repeat what timelines store, so a reader could
 * return two different answers.
 */
#include <stdio.h>

#include "codecs/statehist/test_model.h"
#include "codecs/statehist/time_index/time_index.h"
#include "harness/check/check.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

enum { N_QUARKS = 330, N_TIMES = 400, LENGTH = 100 * N_TIMES };

static int n_quarks = N_QUARKS;

/* Attributes that live for a while, as threads do; some change all the time, some never. */
static const struct statehist_model *make(void)
{
    char *text = bo_alloc(&arena, (size_t)1 << 20), *p = text;
    assert_non_null(text);
    p += sprintf(p, "# statehistory-tsv 1\n# start: 0\n# end: %d\n", LENGTH);
    for (int q = 0; q < n_quarks; q++)
        p += sprintf(p, "Q\t%d\t-1\t%d\n", q, q);
    for (int time = 100, q; time <= LENGTH; time += 100)
        for (q = 0; q < n_quarks; q++) {
            const int born = 100 * (1 + q % (N_TIMES - 8)), step = q % 50 == 0 ? 100 : 300;
            const bool changes =
                q % 50 == 1   ? false
                : q % 50 == 0 ? true
                              : time >= born && time <= born + 600 && (time - born) % 300 == 0;
            const int before = q % 50 == 0 || time == born ? 0 : 1, start = time - step;
            if (!changes)
                continue;
            if (q % 50 == 0)
                p += sprintf(p, "I\t%d\t%d\t%d\ti\t%d\n", q, start, time - 1, time / 100 % 5);
            else if (!before)
                p += sprintf(p, "I\t%d\t0\t%d\tn\t\n", q, time - 1);
            else
                p += sprintf(p, "I\t%d\t%d\t%d\ts\ts%d\n", q, start, time - 1, (q + time) % 7);
        }
    for (int q = 0; q < n_quarks; q++) {
        const int born = 100 * (1 + q % (N_TIMES - 8));
        const int start = q % 50 == 0 ? LENGTH : q % 50 == 1 ? 0 : born + 600;
        p += sprintf(p, "I\t%d\t%d\t%d\tn\t\n", q, start, LENGTH);
    }
    return parse_text(text, &arena);
}

static const struct bo_codec *codec(void)
{
    return bo_find_codec(test_format(), "time-index");
}

static void encode(struct bo_writer *out, size_t *at_ret, size_t *n_ret)
{
    size_t at = 0;
    bo_writer_init(out, &arena);
    assert_int_equal(codec()->encode(codec(), make(), out, NULL), BO_OK);
    for (unsigned i = 0; i < out->n_sections; i++) {
        if (strcmp(out->sections[i].name, "checkpoints") == 0) {
            *at_ret = at;
            *n_ret = (size_t)bo_writer_section_nbytes(out, i);
        }
        at += (size_t)bo_writer_section_nbytes(out, i);
    }
    assert_int_equal(at, out->n);
}

TEST_WITH(test_size, set_up, tear_down)
{
    struct bo_writer out;
    size_t at, n = 0;
    encode(&out, &at, &n);
    assert_true(n > 1);
    assert_true(10 * n <= out.n);
    bo_writer_free(&out);
}

static void expect_full_state(void *reader, const struct statehist_model *model, int64_t time)
{
    static _Alignas(8) uint8_t got[16 * N_QUARKS], expected[16 * N_QUARKS];
    const struct statehist_time_query query = {time};
    struct bo_sink a = {.p = got, .cap = sizeof got}, b = {.p = expected, .cap = sizeof expected};
    assert_int_equal(codec()->query(codec(), reader, STATEHIST_FULL_STATE, &query, 1, &a, NULL),
                     BO_OK);
    assert_int_equal(test_format()->kinds[STATEHIST_FULL_STATE].oracle(model, &query, 1, &b),
                     BO_OK);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(got, expected, a.n);
}

/* Queries all attributes at each time at which something changes, and 1 ns before it. */
static void expect_answers(struct bo_span in, uint32_t max_stored)
{
    void *reader;
    const struct statehist_model *model = make();
    const struct time_index_limits limits = {N_TIMES, 0, max_stored, SIZE_MAX};
    assert_int_equal(time_index_open_within(in, limits, &arena, &reader, NULL), BO_OK);
    const struct time_index *index = reader;
    size_t n_stored = 0;
    unsigned n_times_gone = 0;
    for (int64_t time = 0; time <= LENGTH; time += time % 100 == 0 ? 99 : 1) {
        expect_full_state(reader, model, time);
        assert_true(index->n_stored <= index->max_stored);
        n_times_gone += index->n_stored < n_stored;
        n_stored = index->n_stored;
    }
    assert_true((max_stored == 0) == (n_stored == 0));
    assert_true((max_stored == 1) == (n_times_gone > 0));
}

TEST_WITH(test_answers, set_up, tear_down)
{
    struct bo_writer out;
    size_t at, n;
    encode(&out, &at, &n);
    expect_answers(bo_writer_span(&out), 0);
    expect_answers(bo_writer_span(&out), 1);
    expect_answers(bo_writer_span(&out), TIME_INDEX_MAX_STORED);
    bo_writer_free(&out);
}

/* The fewest quarks with checkpoints; the last group of 64 quarks is full. */
TEST_WITH(test_full_groups, set_up, tear_down)
{
    struct bo_writer out;
    size_t at, n = 0;
    n_quarks = 256;
    encode(&out, &at, &n);
    assert_true(n > 1);
    expect_answers(bo_writer_span(&out), TIME_INDEX_MAX_STORED);
    n_quarks = N_QUARKS;
    bo_writer_free(&out);
}

/* The same where the budget has room for some of the parts. */
TEST_WITH(test_budgets, set_up, tear_down)
{
    struct bo_writer out;
    size_t at, n, n_limited = 0;
    encode(&out, &at, &n);
    const struct statehist_model *model = make();
    for (size_t max_nbytes = 1 << 12; max_nbytes <= 1 << 18; max_nbytes += max_nbytes / 4) {
        const struct time_index_limits limits = {N_TIMES, 0, TIME_INDEX_MAX_STORED, max_nbytes};
        void *reader;
        assert_int_equal(
            time_index_open_within(bo_writer_span(&out), limits, &arena, &reader, NULL), BO_OK);
        const struct time_index *index = reader;
        n_limited += index->max_stored && index->max_stored < 8 * index->part_bytes.n;
        for (int64_t time = 0; time <= LENGTH; time += 500)
            expect_full_state(reader, model, time);
        assert_true(index->n_stored <= index->max_stored);
    }
    assert_true(n_limited > 0);
    bo_writer_free(&out);
}

/* No checkpoint may be lost when an allocation fails. The last allocations are tried. */
TEST_WITH(test_failing_allocations, set_up, tear_down)
{
    enum { N_LAST = 120 };
    const struct statehist_model *model = make();
    uint64_t n_allocs = 0, n_failed = 0;
    for (uint64_t i = 0; i <= N_LAST; i++) {
        struct bo_arena limited;
        struct bo_writer out;
        bo_arena_init(&limited, BO_ARENA_UNLIMITED);
        limited.max_first_cap = 1;
        limited.fail_at = i ? n_allocs + 1 - i : 0;
        bo_writer_init(&out, &limited);
        const enum bo_status status = codec()->encode(codec(), model, &out, NULL);
        assert_true(status == (i ? BO_NO_MEMORY : BO_OK));
        n_failed += status != BO_OK;
        n_allocs = i ? n_allocs : limited.n_allocs;
        bo_writer_free(&out);
        bo_arena_free(&limited);
    }
    assert_int_equal(n_failed, N_LAST);
}

/*
 * A history of five attributes has no checkpoints. The reader stores the states of attributes that
 * have one interval, unless it is null, and which attributes have several.
 */
TEST_WITH(test_no_checkpoints, set_up, tear_down)
{
    static const struct {
        uint32_t max_stored;
        size_t n_stored;
    } rows[] = {{0, 0}, {4, 0}, {5, 4}, {TIME_INDEX_MAX_STORED, 4}};
    struct bo_writer text, out;
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    bo_put_text(&text, "# statehistory-tsv 1\n# start: 0\n# end: 999\n");
    for (int q = 0; q < 5; q++)
        bo_put_text(&text, "Q\t%d\t-1\t%d\n", q, q);
    for (int end = 9; end < 999; end += 10)
        bo_put_text(&text, "%sI\t2\t%d\t%d\ti\t%d\n", end == 509 ? "I\t0\t0\t499\ts\ta\n" : "",
                    end - 9, end, end % 3);
    bo_put_text(&text, "I\t0\t500\t999\tn\t\nI\t1\t0\t999\tn\t\nI\t2\t990\t999\tn\t\n"
                       "I\t3\t0\t999\ti\t7\nI\t4\t0\t999\ts\tb\n");
    bo_put_u8(&text, 0);
    const struct statehist_model *model = parse_text((const char *)text.p, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, NULL), BO_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct time_index_limits limits = {N_TIMES, 0, rows[i].max_stored, SIZE_MAX};
        void *reader;
        assert_int_equal(
            time_index_open_within(bo_writer_span(&out), limits, &arena, &reader, NULL), BO_OK);
        const struct time_index *index = reader;
        assert_int_equal(index->n_segments, 0);
        for (int64_t time = 0; time < 1000; time++)
            expect_full_state(reader, model, time);
        assert_int_equal(index->n_stored, rows[i].n_stored);
    }
    bo_writer_free(&out);
    bo_writer_free(&text);
}

/*
 * A byte that is another one is refused, or changes no answer; a reader that looks later says
 * where.
 */
TEST_WITH(test_damage, set_up, tear_down)
{
    struct bo_writer out;
    size_t at, n;
    unsigned n_accepted = 0;
    encode(&out, &at, &n);
    for (size_t i = 0; i < n; i++) {
        const uint8_t flips = (uint8_t)(1u << i % 8);
        struct bo_finding finding;
        struct bo_effort effort = bo_effort_default();
        struct bo_error error = {0};
        void *model;
        bool accepted = false;
        out.p[at + i] ^= flips;
        const struct bo_span in = {out.p, out.n};
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        if (test_decode(codec(), in, &arena, &model, &error) == BO_OK)
            n_accepted++;
        else
            assert_true(error.off <= out.n);
        bo_arena_rewind(&arena, mark);
        if (i % 16 == 0 &&
            !bo_check_bytes(test_format(), codec(), in, &effort, &accepted, &finding))
            fail_msg("byte %zu: %s: %s", i, finding.class, finding.detail);
        out.p[at + i] ^= flips;
    }
    /* A longer era of one era; and segments that start elsewhere between the same changes. */
    assert_int_equal(n_accepted, 3);
    bo_writer_free(&out);
}

/*
 * The bits of a set's groups, all of them 1, are more than there are quarks: a reader has no room
 * for that.
 */
TEST_WITH(test_too_many_quarks, set_up, tear_down)
{
    enum { N_ONES = (N_QUARKS + 63) / 64 * 8 };
    static _Alignas(8) uint8_t answer[16 * N_QUARKS];
    struct bo_writer out;
    size_t at, n;
    unsigned n_refused = 0;
    encode(&out, &at, &n);
    for (size_t i = 0; i + N_ONES <= n; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        uint8_t *bad = bo_alloc(&arena, out.n);
        void *reader;
        memcpy(bad, out.p, out.n);
        memset(bad + at + i, 0xff, N_ONES);
        const struct bo_span in = {bad, out.n};
        if (codec()->open(codec(), in, &arena, &reader, NULL) == BO_OK)
            for (int64_t time = 0; time < LENGTH; time += 100) {
                const struct statehist_time_query query = {time};
                struct bo_sink sink = {.p = answer, .cap = sizeof answer};
                struct bo_error error = {0};
                if (codec()->query(codec(), reader, STATEHIST_FULL_STATE, &query, 1, &sink, &error))
                    n_refused +=
                        strcmp(error.what, "checkpoint has more quarks than there are") == 0;
            }
        bo_arena_rewind(&arena, mark);
    }
    assert_true(n_refused > 0);
    bo_writer_free(&out);
}

/*
 * A part that starts inside the one before it is rejected at its own first byte, as all parts could
 * otherwise be one that is read again and again. Each bit of the checkpoints is changed.
 */
TEST_WITH(test_overlapping_parts, set_up, tear_down)
{
    static _Alignas(8) uint8_t answer[16 * N_QUARKS];
    struct bo_writer out;
    size_t at, n;
    unsigned n_overlaps = 0;
    encode(&out, &at, &n);
    for (size_t bit = 8 * at; bit < 8 * (at + n); bit++) {
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        void *reader;
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (codec()->open(codec(), bo_writer_span(&out), &arena, &reader, NULL) == BO_OK)
            for (int64_t time = 0; time < LENGTH; time += 100) {
                const struct time_index *index = reader;
                const struct statehist_time_query query = {time};
                struct bo_sink sink = {.p = answer, .cap = sizeof answer};
                struct bo_error error = {.what = ""};
                (void)codec()->query(codec(), reader, STATEHIST_FULL_STATE, &query, 1, &sink,
                                     &error);
                n_overlaps += strcmp(error.what, "places of checkpoints are damaged") == 0 &&
                              error.off > (uint64_t)(index->part_bytes.p - out.p);
            }
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bo_arena_rewind(&arena, mark);
    }
    assert_true(n_overlaps > 0);
    bo_writer_free(&out);
}

TEST_FILE(NULL, NULL)
