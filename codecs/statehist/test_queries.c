/*
 * Queries on state histories: the oracle, the workloads, the command line, and full states computed
 * by Trace Compass' own state system. Why: every check and every measurement relies on the oracle,
 * and covers only what the workloads query.
 */
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>

#include "codecs/statehist/queries.h"

#include "codecs/statehist/answers.h"
#include "codecs/statehist/test_model.h"
#include "codecs/statehist/workloads.h"
#include "harness/core/input.h"

#include "harness/core/test_fixture.h"

/* clang-format off */
static const char sample[] = HISTORY(100, 199)
    "Q\t0\t-1\tThreads\n"
    "Q\t1\t0\t390\n"
    "Q\t2\t1\tExec_name\n"
    "I\t1\t100\t149\tn\t\n"
    "I\t2\t100\t149\ts\ta\\tb\n"
    "I\t1\t150\t150\ti\t-7\n"
    "I\t1\t151\t198\td\t0.5\n"
    "I\t0\t100\t199\tn\t\n"
    "I\t1\t199\t199\tb\ttrue\n"
    "I\t2\t150\t199\ts\t\n";
/* clang-format on */

static const struct bo_query_kind *kind_of(enum statehist_query_kind kind)
{
    return &statehist_kinds[kind];
}

static struct bo_sink sink_of(size_t cap)
{
    const struct bo_sink sink = {.p = bo_alloc(&arena, cap), .cap = cap};
    memset(sink.p, 0xaa, cap);
    return sink;
}

/* ---- right answers --------------------------------------------------------------------------- */

static void expect_state(const struct statehist_state *state, int64_t start, int64_t end,
                         uint32_t type, uint64_t value)
{
    assert_true(state->start == start && state->end == end && state->padding == 0);
    assert_true(state->type == type && state->value == value);
}

TEST(test_points)
{
    const void *model = parse_text(sample, &arena);
    const struct bo_query_kind *kind = kind_of(STATEHIST_POINT);
    static const struct statehist_point_query queries[] = {
        {100, 1, 0}, {149, 1, 0}, {150, 1, 0}, {151, 1, 0}, {198, 1, 0}, {199, 1, 0}, {149, 2, 0}};
    struct statehist_state states[N_ELEMENTS(queries)];
    memset(states, 0xaa, sizeof states);
    assert_int_equal(kind->oracle(model, queries, N_ELEMENTS(queries), states), BO_OK);
    expect_state(&states[0], 100, 149, STATEHIST_NULL, 0);
    expect_state(&states[1], 100, 149, STATEHIST_NULL, 0);
    expect_state(&states[2], 150, 150, STATEHIST_INT, (uint64_t)-7);
    expect_state(&states[3], 151, 198, STATEHIST_DOUBLE, UINT64_C(0x3fe0000000000000));
    expect_state(&states[4], 151, 198, STATEHIST_DOUBLE, UINT64_C(0x3fe0000000000000));
    expect_state(&states[5], 199, 199, STATEHIST_BOOL, 1);
    expect_state(&states[6], 100, 149, STATEHIST_STRING, statehist_hash(bo_span_of("a\tb")));
}

TEST(test_full_state)
{
    const void *model = parse_text(sample, &arena);
    const struct statehist_time_query query = {150};
    struct bo_sink sink = sink_of(100);
    assert_int_equal(kind_of(STATEHIST_FULL_STATE)->oracle(model, &query, 1, &sink), BO_OK);
    const uint64_t expected[] = {3, 0, (uint64_t)-7, statehist_hash(bo_span_of(""))};
    static const uint8_t types[8] = {STATEHIST_NULL, STATEHIST_INT, STATEHIST_STRING};
    assert_int_equal(sink.n, 40);
    assert_memory_equal(sink.p, expected, sizeof expected);
    assert_memory_equal(sink.p + 32, types, 8);
    sink = sink_of(39);
    assert_int_equal(kind_of(STATEHIST_FULL_STATE)->oracle(model, &query, 1, &sink), BO_OVER_LIMIT);
}

TEST(test_ranges)
{
    const void *model = parse_text(sample, &arena);
    static const struct statehist_range_query query = {149, 151, 1, 0};
    struct bo_sink sink = sink_of(100);
    assert_int_equal(kind_of(STATEHIST_RANGE)->oracle(model, &query, 1, &sink), BO_OK);
    const uint64_t expected[] = {3,   198, 100,          150,
                                 151, 0,   (uint64_t)-7, UINT64_C(0x3fe0000000000000)};
    static const uint8_t types[8] = {STATEHIST_NULL, STATEHIST_INT, STATEHIST_DOUBLE};
    assert_int_equal(sink.n, 72);
    assert_memory_equal(sink.p, expected, sizeof expected);
    assert_memory_equal(sink.p + 64, types, 8);
}

/*
 * Times 100, 133, 166, 199: the interval of length 1 is between two of them. A query may name a
 * quark twice.
 */
TEST(test_windows)
{
    const void *model = parse_text(sample, &arena);
    static const uint8_t quarks[] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    struct statehist_window_query query = {{quarks, sizeof quarks}, 100, 199, 4, 0, NULL};
    struct bo_sink sink = sink_of(400);
    assert_int_equal(kind_of(STATEHIST_WINDOW)->oracle(model, &query, 1, &sink), BO_OK);
    const struct statehist_state *states = (const void *)(sink.p + 8);
    assert_int_equal(sink.n, 3 * 8 + 7 * sizeof *states);
    assert_int_equal(bo_le64(sink.p) * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__), 3);
    expect_state(&states[0], 100, 149, STATEHIST_NULL, 0);
    expect_state(&states[1], 151, 198, STATEHIST_DOUBLE, UINT64_C(0x3fe0000000000000));
    expect_state(&states[2], 199, 199, STATEHIST_BOOL, 1);
    const size_t row = 8 + 3 * sizeof *states;
    assert_memory_equal(sink.p, sink.p + row + 8 + sizeof *states, row);
    query.from = query.to = 150;
    sink = sink_of(400);
    assert_int_equal(kind_of(STATEHIST_WINDOW)->oracle(model, &query, 1, &sink), BO_OK);
    assert_int_equal(sink.n, 3 * (8 + sizeof *states));
    query.quarks.n = 0;
    sink = sink_of(0);
    assert_int_equal(kind_of(STATEHIST_WINDOW)->oracle(model, &query, 1, &sink), BO_OK);
    assert_int_equal(sink.n, 0);
    static const uint8_t beyond[] = {3, 0, 0, 0};
    query.quarks = (struct bo_span){beyond, sizeof beyond};
    assert_int_equal(kind_of(STATEHIST_WINDOW)->oracle(model, &query, 1, &sink), BO_OUT_OF_RANGE);
}

/* The digest does not depend on the order of the intervals. It depends on everything else. */
TEST(test_digests)
{
    static const char *const others[] = {
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t4\ti\t1\nI\t0\t5\t9\ti\t2\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t5\ti\t1\nI\t0\t6\t9\ti\t2\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t4\ti\t2\nI\t0\t5\t9\ti\t1\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t4\tl\t1\nI\t0\t5\t9\ti\t2\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t9\ti\t1\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t4\ti\t1\nI\t0\t5\t9\ts\t2\n",
        HISTORY(1, 9) "Q\t0\t-1\ta\nI\t0\t1\t4\ti\t1\nI\t0\t5\t9\ts\t3\n",
    };
    struct statehist_digest digests[N_ELEMENTS(others)];
    for (size_t i = 0; i < N_ELEMENTS(others); i++) {
        const void *model = parse_text(others[i], &arena);
        assert_int_equal(kind_of(STATEHIST_SCAN)->oracle(model, NULL, 1, &digests[i]), BO_OK);
        assert_int_equal(digests[i].n_intervals, i == 4 ? 1 : 2);
        for (size_t k = 0; k < i; k++)
            assert_true(digests[i].hash != digests[k].hash);
    }
    /* Of an interval that starts elsewhere, too, which no history shows alone. */
    struct statehist_digest a = {0, 0}, b = {0, 0};
    statehist_digest_interval(&a, 0, 1, 4, STATEHIST_INT, 1);
    statehist_digest_interval(&b, 0, 2, 4, STATEHIST_INT, 1);
    assert_true(a.hash != b.hash);
}

/* ---- windows' times -------------------------------------------------------------------------- */

TEST(test_window_times)
{
    static const struct statehist_window_query cases[] = {
        {{NULL, 0}, INT64_MIN, INT64_MAX, 65536, 0, NULL},
        {{NULL, 0}, INT64_MIN, INT64_MAX, 3, 0, NULL},
        {{NULL, 0}, 0, 0, 5, 0, NULL},
        {{NULL, 0}, -3, 4, 1, 0, NULL},
        {{NULL, 0}, 10, 17, 1000, 0, NULL},
        {{NULL, 0}, INT64_C(1457113582794565804), INT64_C(1457113583227228162), 1000, 0, NULL},
        {{NULL, 0}, -1, 65534, 65536, 0, NULL},
        {{NULL, 0}, 0, INT64_C(1) << 53, 65535, 0, NULL},
    };
    static const int64_t rounded[] = {0, 3, 6, 10};
    for (uint32_t i = 0; i < 4; i++) {
        const struct statehist_window_query q = {{NULL, 0}, -5, 5, 4, 0, NULL};
        assert_true(statehist_window_time(&q, i) == rounded[i] - 5);
    }
    struct bo_random random = bo_random_seeded(1);
    for (size_t c = 0; c < N_ELEMENTS(cases); c++) {
        const struct statehist_window_query *q = &cases[c];
        assert_true(statehist_window_time(q, 0) == q->from);
        assert_true(q->n_times == 1 || statehist_window_time(q, q->n_times - 1) == q->to);
        for (unsigned i = 0; i < 3000; i++) {
            const uint32_t k = bo_random_below(&random, q->n_times);
            int64_t time = statehist_window_time(q, k);
            if (i % 3 == 1 && time > q->from)
                time--;
            if (i % 3 == 2 && time < q->to)
                time++;
            const uint32_t next = statehist_next_evenly(q, time);
            assert_true(next == q->n_times || statehist_window_time(q, next) > time);
            assert_true(next == 0 || statehist_window_time(q, next - 1) <= time);
        }
    }
}

/* Each limit of a window, of a history from 10 to 20 with 3 quarks. */
TEST(test_windows_in_range)
{
    enum { EVENLY, LISTED = STATEHIST_LISTED, ALWAYS = STATEHIST_ALWAYS };
    enum { MOST = 65536 };
    static const uint8_t quarks[] = {2, 0, 0, 0, 3, 0, 0, 0};
    static const int64_t times[] = {10, 11, 12, 12, 20};
    static const struct {
        struct statehist_window_query query;
        bool fits;
    } cases[] = {
        {{{quarks, 4}, 10, 20, 1, EVENLY, NULL}, true},
        {{{quarks, 4}, 9, 20, 1, EVENLY, NULL}, false},
        {{{quarks, 4}, 10, 21, 1, EVENLY, NULL}, false},
        {{{quarks, 4}, 20, 20, 1, EVENLY, NULL}, true},
        {{{quarks, 4}, 20, 19, 1, EVENLY, NULL}, false},
        {{{quarks, 4}, 10, 20, 0, EVENLY, NULL}, false},
        {{{quarks, 4}, 10, 20, 0, ALWAYS, NULL}, true},
        {{{quarks, 4}, 10, 20, MOST, EVENLY, NULL}, true},
        {{{quarks, 4}, 10, 20, MOST + 1, EVENLY, NULL}, false},
        {{{quarks, 3}, 10, 20, 1, EVENLY, NULL}, false},
        {{{quarks, 8}, 10, 20, 1, EVENLY, NULL}, false},
        {{{quarks + 4, 4}, 10, 20, 1, EVENLY, NULL}, false},
        {{{quarks, 0}, 10, 20, 1, EVENLY, NULL}, true},
        {{{quarks, 4}, 10, 12, 3, LISTED, times}, true},
        {{{quarks, 4}, 10, 13, 3, LISTED, times}, false},
        {{{quarks, 4}, 11, 12, 3, LISTED, times}, false},
        {{{quarks, 4}, 10, 20, 5, LISTED, times}, false},
        {{{quarks, 4}, 12, 20, 2, LISTED, times + 3}, true},
        {{{quarks, 4}, 12, 12, 2, LISTED, times + 2}, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        if (statehist_window_fits(&cases[i].query, 10, 20, 3) != cases[i].fits)
            fail_msg("case %zu", i);
}

/* The next time of a window after a given one, and whether an interval contains one. */
TEST(test_times_of_windows)
{
    static const int64_t list[] = {10, 13, 20};
    static const struct statehist_window_query evenly = {{NULL, 0}, 10, 20, 3, 0, NULL};
    static const struct statehist_window_query one = {{NULL, 0}, 10, 20, 1, 0, NULL};
    static const struct statehist_window_query listed = {{NULL, 0},        10,  20, 3,
                                                         STATEHIST_LISTED, list};
    static const struct statehist_window_query always = {{NULL, 0},        10,  20, 0,
                                                         STATEHIST_ALWAYS, NULL};
    static const struct {
        const struct statehist_window_query *query;
        int64_t time, next; /* 0: none */
    } steps[] = {
        {&evenly, 10, 15}, {&evenly, 14, 15}, {&evenly, 15, 20}, {&evenly, 19, 20},
        {&evenly, 20, 0},  {&evenly, 21, 0},  {&one, 10, 0},     {&one, 19, 0},
        {&one, 20, 0},     {&listed, 10, 13}, {&listed, 12, 13}, {&listed, 13, 20},
        {&listed, 19, 20}, {&listed, 20, 0},  {&always, 10, 11}, {&always, 19, 20},
        {&always, 20, 0},
    };
    static const struct {
        const struct statehist_window_query *query;
        int64_t start, end;
        bool holds;
    } intervals[] = {
        {&evenly, 5, 9, false},   {&evenly, 5, 10, true},   {&evenly, 11, 14, false},
        {&evenly, 11, 15, true},  {&evenly, 15, 15, true},  {&evenly, 16, 19, false},
        {&evenly, 20, 30, true},  {&evenly, 21, 30, false}, {&one, 11, 20, false},
        {&one, 10, 10, true},     {&listed, 5, 9, false},   {&listed, 11, 12, false},
        {&listed, 13, 13, true},  {&listed, 14, 19, false}, {&listed, 14, 20, true},
        {&listed, 21, 22, false}, {&always, 5, 9, false},   {&always, 5, 10, true},
        {&always, 11, 12, true},  {&always, 20, 21, true},  {&always, 21, 22, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
        int64_t next = 0;
        const bool found = statehist_time_after(steps[i].query, steps[i].time, &next);
        if (found != (steps[i].next != 0) || (found && next != steps[i].next))
            fail_msg("step %zu: %lld", i, (long long)next);
    }
    for (size_t i = 0; i < N_ELEMENTS(intervals); i++)
        if (statehist_holds_time(intervals[i].query, intervals[i].start, intervals[i].end) !=
            intervals[i].holds)
            fail_msg("interval %zu", i);
}

/* ---- queries that are drawn ------------------------------------------------------------------ */

static void expect_valid(const void *model, const struct bo_query_kind *kind, const void *queries,
                         size_t n)
{
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    struct bo_sink sink = {.p = bo_alloc(&arena, 8 << 20), .cap = 8 << 20};
    void *fixed = bo_alloc_array(&arena, n, kind->answer_size);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *query = (const uint8_t *)queries + i * kind->query_size;
        sink.n = 0;
        assert_int_equal(kind->oracle(model, query, 1, kind->answer_size ? fixed : &sink), BO_OK);
    }
    bo_arena_rewind(&arena, mark);
}

/* The name of the thread that a CPU ran, at the end of its interval. */
TEST(test_names)
{
    static const char text[] = HISTORY(0, 9) "Q\t0\t-1\tCPUs\n"
                                             "Q\t1\t0\tCurrent_thread\n"
                                             "Q\t2\t-1\tThreads\n"
                                             "Q\t3\t2\t7\n"
                                             "Q\t4\t3\tExec_name\n"
                                             "I\t1\t0\t3\ti\t7\n"
                                             "I\t0\t0\t9\tn\t\n"
                                             "I\t1\t4\t9\ti\t8\n"
                                             "I\t2\t0\t9\tn\t\n"
                                             "I\t3\t0\t9\tn\t\n"
                                             "I\t4\t0\t9\ts\tsh\n";
    const struct bo_workload *names = bo_find_workload(kind_of(STATEHIST_POINT), "names");
    struct bo_random random = bo_random_seeded(1);
    struct statehist_point_query queries[5];
    assert_int_equal(names->draw(parse_text(text, &arena), &random, &arena, 5, queries), 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(queries[i].quark == 4 && queries[i].time == 3);
}

TEST(test_all_draws_are_valid)
{
    enum { N = 50 };
    static _Alignas(16) uint8_t queries[N * BO_MAX_QUERY_NBYTES];
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        const void *model = generate_model(seed, 300, &arena);
        const bool is_empty = count_units(model) == 0;
        for (unsigned k = 0; k < STATEHIST_N_KINDS; k++) {
            const struct bo_query_kind *kind = &statehist_kinds[k];
            for (unsigned w = 0; w < kind->n_workloads; w++) {
                const size_t n = kind->workloads[w].draw(model, &random, &arena, N, queries);
                const bool may_lack = strcmp(kind->workloads[w].name, "names") == 0;
                assert_true(n == (kind->query_size == 0                            ? 1
                                  : is_empty && kind->query_size > sizeof(int64_t) ? 0
                                                                                   : N) ||
                            (may_lack && n == 0));
                expect_valid(model, kind, queries, n);
            }
            expect_valid(model, kind, queries,
                         kind->draw_edges(model, &random, &arena, N, queries));
            size_t n = 0;
            for (; n < N && kind->at(model, n, queries + n * kind->query_size); n++)
                ;
            assert_true(n == (kind->count(model) < N ? kind->count(model) : N));
            expect_valid(model, kind, queries, n);
        }
        tear_down(NULL);
        set_up(NULL);
    }
}

/* A view queries attributes of one kind, each of them once. */
TEST(test_views)
{
    char text[4000] = HISTORY(0, 99999) "Q\t0\t-1\tThreads\nQ\t1\t-1\tCPUs\n";
    for (unsigned t = 0; t < 20; t++)
        sprintf(text + strlen(text), "Q\t%u\t%u\t%u\nQ\t%u\t%u\tStatus\n", 2 + 2 * t, t % 2, t,
                3 + 2 * t, 2 + 2 * t);
    for (unsigned q = 0; q < 42; q++)
        sprintf(text + strlen(text), "I\t%u\t0\t99999\tn\t\n", q);
    const struct statehist_model *model = parse_text(text, &arena);
    struct statehist_window_query queries[40];
    struct bo_random random = bo_random_seeded(3);
    bool whole = false, zoomed = false;
    assert_int_equal(statehist_window_workloads[0].draw(model, &random, &arena, 40, queries), 40);
    for (unsigned i = 0; i < 40; i++) {
        const struct bo_span quarks = queries[i].quarks;
        const uint32_t first = bo_le32(quarks.p), parent = model->attributes[first].parent;
        assert_int_equal(queries[i].n_times, 1000);
        assert_true(quarks.n == (first < 2 ? 8 : first % 2 && quarks.n == 4 ? 4 : 40));
        for (size_t k = 4; k < quarks.n; k += 4) {
            const uint32_t quark = bo_le32(quarks.p + k), of = model->attributes[quark].parent;
            assert_true(of == parent ||
                        (model->attributes[of].parent == model->attributes[parent].parent &&
                         first % 2 && quark % 2));
        }
        whole |= queries[i].from == 0 && queries[i].to == 99999;
        zoomed |= queries[i].to - queries[i].from < 1000;
    }
    assert_true(whole && zoomed);
}

/* ---- the command line ------------------------------------------------------------------------ */

static void expect_answer(const void *model, enum statehist_query_kind k, int n_args,
                          char *const *args, const char *expected)
{
    const struct bo_query_kind *kind = kind_of(k);
    static _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    struct bo_sink sink = sink_of(1000);
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(kind->parse(n_args, args, &arena, query, NULL), BO_OK);
    assert_int_equal(
        kind->oracle(model, query, 1, kind->answer_size ? (void *)sink.p : (void *)&sink), BO_OK);
    kind->print(query, (struct bo_span){sink.p, kind->answer_size ? kind->answer_size : sink.n},
                &out);
    bo_put_u8(&out, 0);
    assert_string_equal((const char *)out.p, expected);
    bo_writer_free(&out);
}

TEST(test_command_line)
{
    const void *model = parse_text(sample, &arena);
    expect_answer(model, STATEHIST_POINT, 2, (char *[]){"1", "150"}, "150\t150\ti\t-7\n");
    expect_answer(model, STATEHIST_POINT, 2, (char *[]){"2", "150"},
                  "150\t199\ts\thash 0x2d06800538d394c2\n");
    expect_answer(model, STATEHIST_FULL_STATE, 1, (char *[]){"199"},
                  "0\tn\t\n1\tb\ttrue\n2\ts\thash 0x2d06800538d394c2\n");
    expect_answer(model, STATEHIST_RANGE, 3, (char *[]){"1", "100", "150"},
                  "100\t149\tn\t\n150\t150\ti\t-7\n");
    expect_answer(model, STATEHIST_WINDOW, 5, (char *[]){"149", "150", "2", "1", "0"},
                  "1\t100\t149\tn\t\n1\t150\t150\ti\t-7\n0\t100\t199\tn\t\n");
    /* Two times in one interval; an interval between two times is not answered. */
    expect_answer(model, STATEHIST_TIMES, 6, (char *[]){"3", "100", "149", "151", "1", "0"},
                  "1\t100\t149\tn\t\n1\t151\t198\td\t0.5\n0\t100\t199\tn\t\n");
    /* The last time of an interval, and the first of the next one. */
    expect_answer(model, STATEHIST_TIMES, 6, (char *[]){"4", "100", "149", "150", "198", "1"},
                  "1\t100\t149\tn\t\n1\t150\t150\ti\t-7\n1\t151\t198\td\t0.5\n");
    /* Without quarks, nothing is answered. */
    expect_answer(model, STATEHIST_WINDOW, 3, (char *[]){"149", "150", "2"}, "");
    expect_answer(model, STATEHIST_TIMES, 2, (char *[]){"1", "149"}, "");
    expect_answer(model, STATEHIST_RANGE2D, 2, (char *[]){"149", "151"}, "");
    expect_answer(model, STATEHIST_RANGE2D, 4, (char *[]){"149", "151", "1", "0"},
                  "1\t100\t149\tn\t\n1\t150\t150\ti\t-7\n1\t151\t198\td\t0.5\n"
                  "0\t100\t199\tn\t\n");
    /* The lines that Trace Compass' full state is known by. */
    expect_answer(model, STATEHIST_EXPORT, 1, (char *[]){"149"},
                  "0\t100\t199\tn\t\n1\t100\t149\tn\t\n2\t100\t149\ts\ta\\tb\n");
    static const struct {
        enum statehist_query_kind kind;
        int n_args;
        char *args[4];
    } wrong[] = {
        {STATEHIST_POINT, 1, {"1"}},
        {STATEHIST_POINT, 2, {"-1", "100"}},
        {STATEHIST_POINT, 2, {"1", "9223372036854775808"}},
        {STATEHIST_POINT, 2, {"4294967296", "100"}},
        {STATEHIST_FULL_STATE, 0, {NULL}},
        {STATEHIST_EXPORT, 1, {"now"}},
        {STATEHIST_RANGE, 2, {"1", "100"}},
        {STATEHIST_POINT, 3, {"1", "100", "1"}},
        {STATEHIST_FULL_STATE, 2, {"1", "100"}},
        {STATEHIST_RANGE, 4, {"1", "100", "150", "1"}},
        {STATEHIST_RANGE, 3, {"x", "100", "150"}},
        {STATEHIST_RANGE, 3, {"1", "x", "150"}},
        {STATEHIST_RANGE, 3, {"1", "100", "x"}},
        {STATEHIST_WINDOW, 2, {"100", "150"}},
        {STATEHIST_WINDOW, 3, {"x", "150", "3"}},
        {STATEHIST_WINDOW, 3, {"100", "x", "3"}},
        {STATEHIST_WINDOW, 3, {"100", "150", "x"}},
        {STATEHIST_TIMES, 2, {"2", "100"}},
        {STATEHIST_TIMES, 2, {"0", "100"}},
        {STATEHIST_TIMES, 1, {"1"}},
        {STATEHIST_TIMES, 2, {"x", "100"}},
        {STATEHIST_TIMES, 3, {"2", "100", "x"}},
        {STATEHIST_TIMES, 3, {"1", "100", "x"}},
        {STATEHIST_RANGE2D, 1, {"100"}},
        {STATEHIST_RANGE2D, 2, {"x", "150"}},
        {STATEHIST_RANGE2D, 2, {"100", "x"}},
        {STATEHIST_RANGE2D, 3, {"100", "150", "-1"}},
        {STATEHIST_WINDOW, 4, {"100", "150", "3", "x"}},
    };
    for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
        _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
        assert_int_equal(
            kind_of(wrong[i].kind)->parse(wrong[i].n_args, wrong[i].args, &arena, query, NULL),
            BO_BAD_USAGE);
    }
}

/* ---- what Trace Compass answers -------------------------------------------------------------- */

/* The SHA-256 of the lines that `export` prints of a document in the middle of its time. */
static void expect_hash(const char *path, int64_t time, const char *expected)
{
    struct bo_input in;
    struct bo_writer out;
    struct bo_sink sink = {.cap = 16 << 20};
    struct statehist_time_query query;
    char hash[SHA256_DIGEST_STRING_LENGTH];
    void *opaque;
    assert_true(bo_input_open(path, &in));
    assert_int_equal(format->parse(in.bytes, &arena, &opaque, NULL), BO_OK);
    const struct statehist_model *model = opaque;
    query.time = model->start + (model->end - model->start) / 2;
    assert_true(query.time == time);
    sink.p = bo_alloc(&arena, sink.cap);
    assert_int_equal(kind_of(STATEHIST_EXPORT)->oracle(model, &query, 1, &sink), BO_OK);
    bo_writer_init(&out, &arena);
    kind_of(STATEHIST_EXPORT)->print(&query, (struct bo_span){sink.p, sink.n}, &out);
    assert_string_equal(SHA256Data(out.p, out.n, hash), expected);
    bo_writer_free(&out);
    bo_input_close(&in);
}

/* Its Java code gave these of three public traces, which may not lie in the repository. */
TEST(test_known_states)
{
    static const struct {
        const char *name;
        int64_t time;
        const char *sha256;
    } documents[] = {
        {"kernel-many-threads", INT64_C(1457113583010896983),
         "498a490240031ea102560d35e1d3e787be93acd41f6ca26685085b205d4e2910"},
        {"kernel-scp-dest", INT64_C(1361214087674590647),
         "fc64f5d44f6a7a5e2cd4c555bdd6dcf4c82c05fc02f1cfcd5f56cf99d9133d3b"},
        {"ust-memory", INT64_C(1448652394622128582),
         "d217c65f6c73eb2babe612fd7c04ff9bb75c5b090137fef8fd579cdb9288ade8"},
    };
    const char *corpora = getenv("BAKEOFF_CORPORA");
    for (size_t i = 0; i < N_ELEMENTS(documents) && corpora; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/statehistory/%s.tsv.xz", corpora, documents[i].name);
        if (access(path, R_OK) == 0)
            expect_hash(path, documents[i].time, documents[i].sha256);
        else
            print_message("note: not there: %s\n", path);
    }
    if (!corpora)
        print_message("note: BAKEOFF_CORPORA is not set: no known states\n");
}

/* Readers that look at the kind of each query reject one that does not exist. */
TEST(test_unknown_kind)
{
    static const char text[] = HISTORY(5, 5) "Q\t0\t-1\ta\nI\t0\t5\t5\ti\t7\n";
    static const char *const names[] = {"ht-4k", "flat", "arrays", "snapshot-json"};
    for (unsigned i = 0; i < N_ELEMENTS(names); i++) {
        const struct bo_codec *codec = bo_find_codec(format, names[i]);
        struct statehist_state states[4];
        struct bo_writer file;
        struct bo_error error = {0};
        void *reader;
        bo_writer_init(&file, &arena);
        assert_int_equal(codec->encode(codec, parse_text(text, &arena), &file, NULL), BO_OK);
        assert_int_equal(codec->open(codec, bo_writer_span(&file), &arena, &reader, NULL), BO_OK);
        if (codec->query(codec, reader, STATEHIST_N_KINDS, states, 1, states, &error) !=
            BO_BAD_USAGE)
            fail_msg("%s", names[i]);
        bo_writer_free(&file);
    }
}

/* Times outside of the history, then quarks that it does not have, at a time that it has. */
TEST(test_invalid_points)
{
    const void *model = parse_text(sample, &arena);
    const struct bo_query_kind *kind = kind_of(STATEHIST_POINT);
    static const struct statehist_point_query expected[] = {{99, 0, 0},  {INT64_MIN, 0, 0},
                                                            {200, 0, 0}, {INT64_MAX, 0, 0},
                                                            {100, 3, 0}, {100, UINT32_MAX, 0}};
    struct statehist_point_query q;
    for (uint64_t i = 0; i < N_ELEMENTS(expected); i++) {
        assert_true(kind->invalid_at(model, i, &q));
        assert_true(q.time == expected[i].time && q.quark == expected[i].quark);
    }
    assert_false(kind->invalid_at(model, N_ELEMENTS(expected), &q));
}

TEST_FILE(set_up, tear_down)
