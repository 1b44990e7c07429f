/*
 * How time-index finds times: with those that it has looked up kept, and without, as in histories
 * of very many times; and by slices of the history, up to the longest there is. And timelines that
 * are kept open: all of them, or one, or none. Why: other tests' histories are short, and all is
 * kept.
 */
#include "codecs/statehist/test_model.h"
#include "codecs/statehist/queries.h"
#include "codecs/statehist/time_index/whole.h"
#include "harness/check/agreement.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

static const struct bo_codec *codec(void)
{
    return bo_find_codec(test_format(), "time-index");
}

/*
 * Runs all queries on a reader with these limits, and checks how many timelines it keeps open. The
 * whole history is unpacked in the end when there is room for it.
 */
static void expect_right(const struct statehist_model *model, struct time_index_limits limits,
                         uint32_t n_open)
{
    struct bo_writer out;
    struct bo_error error = {0};
    struct bo_effort effort = bo_effort_default();
    struct bo_finding finding;
    uint64_t n_cases = 0;
    void *reader;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, &error), BO_OK);
    assert_int_equal(time_index_open_within(bo_writer_span(&out), limits, &arena, &reader, &error),
                     BO_OK);
    const struct time_index *index = reader;
    assert_false(index->direct);
    assert_true((limits.max_kept == 0) == !index->kept_times.numbers);
    effort.max_queries = 1000;
    if (!bo_agreement_all_kinds(test_format(), codec(), model, reader, &effort, &n_cases, &finding))
        fail_msg("%u blocks, %u intervals kept: %s %s: %s", limits.max_kept, limits.max_unpacked,
                 finding.kind, finding.class, finding.detail);
    assert_true(n_cases > 100);
    assert_int_equal(index->unpacked ? index->unpacked->n_columns : 0, n_open);
    assert_true((limits.max_unpacked >= model->n_intervals) ==
                (index->whole && index->whole->is_ready));
    uint64_t time;
    assert_true(time_index_time_of(index, index->times.n - 1, &time));
    assert_false(time_index_time_of(index, index->times.n, &time));
    assert_string_equal(index->damage->what, "change key is out of range");
    const struct statehist_point_query beyond = {model->start, model->n_quarks, 0};
    struct statehist_state answer;
    assert_int_equal(codec()->query(codec(), reader, STATEHIST_POINT, &beyond, 1, &answer, NULL),
                     BO_OUT_OF_RANGE);
    bo_writer_free(&out);
}

/*
 * Two attributes that change at all of these times, and so have them in a table; to values that
 * differ.
 */
static const struct statehist_model *changing_at(int64_t start, int64_t end, const int64_t *times,
                                                 size_t n)
{
    struct bo_writer text;
    int64_t since = start;
    bo_writer_init(&text, &arena);
    bo_put_text(&text,
                "# statehistory-tsv 1\n# start: %lld\n# end: %lld\nQ\t0\t-1\ta\nQ\t1\t-1\tb\n",
                (long long)start, (long long)end);
    for (size_t i = 0; i <= n; i++) {
        const int64_t until = i < n ? times[i] - 1 : end;
        for (int quark = 0; quark < 2; quark++)
            bo_put_text(&text, "I\t%d\t%lld\t%lld\ti\t%zu\n", quark, (long long)since,
                        (long long)until, i % 5 + (size_t)quark);
        if (i < n)
            since = times[i];
    }
    bo_put_u8(&text, 0);
    const struct statehist_model *model = parse_text((const char *)text.p, &arena);
    bo_writer_free(&text);
    return model;
}

TEST_WITH(test_many_times, set_up, tear_down)
{
    enum { N = 500 };
    int64_t times[N];
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i * i * i);
    const struct statehist_model *model = changing_at(0, 1000000000, times, N);
    expect_right(model, (struct time_index_limits){0, 0, 0, SIZE_MAX}, 0);
    expect_right(model, (struct time_index_limits){0, N + 1, 0, SIZE_MAX}, 0);
    expect_right(model, (struct time_index_limits){N, 0, 0, SIZE_MAX}, 0);
    expect_right(model, (struct time_index_limits){N, N, 0, SIZE_MAX},
                 0); /* a timeline has one more */
    expect_right(model, (struct time_index_limits){N, N + 1, 0, SIZE_MAX}, 1);
    expect_right(model, (struct time_index_limits){N, 2 * N + 1, 0, SIZE_MAX}, 1);
    expect_right(model, (struct time_index_limits){N, 2 * N + 2, 0, SIZE_MAX}, 0);
}

/* A timeline of 66 intervals is kept open, one of 65 is not. */
TEST_WITH(test_shortest_open_timeline, set_up, tear_down)
{
    int64_t times[TIME_INDEX_MAX_SHAPED];
    for (size_t i = 0; i < N_ELEMENTS(times); i++)
        times[i] = 1000 + (int64_t)(i * i * i);
    for (uint32_t n = TIME_INDEX_MAX_SHAPED; n <= TIME_INDEX_MAX_SHAPED + 1; n++)
        expect_right(changing_at(0, 1000000000, times, n - 1),
                     (struct time_index_limits){N_ELEMENTS(times), n, 0, SIZE_MAX},
                     n > TIME_INDEX_MAX_SHAPED);
}

TEST_WITH(test_longest_history, set_up, tear_down)
{
    enum { N = 300 };
    int64_t times[N];
    for (size_t i = 0; i < N; i++)
        times[i] = i < 100   ? INT64_MIN + 1 + (int64_t)i
                   : i < 200 ? (int64_t)i * 1000
                             : INT64_MAX - 1000 + (int64_t)i;
    const struct statehist_model *model = changing_at(INT64_MIN, INT64_MAX, times, N);
    expect_right(model, (struct time_index_limits){0, 0, 0, SIZE_MAX}, 0);
    expect_right(model, (struct time_index_limits){N, 2 * N + 2, 0, SIZE_MAX}, 0);
}

/* Bytes that the codec's reader holds after all queries, with a budget of keep_nbytes. */
static size_t held_within(const char *name, const struct statehist_model *model, size_t keep_nbytes)
{
    const struct bo_codec *keeper = bo_find_codec(test_format(), name);
    struct bo_writer out;
    struct bo_error error = {0};
    struct bo_effort effort = bo_effort_default();
    struct bo_finding finding;
    struct bo_arena own;
    uint64_t n_cases = 0;
    void *reader;
    assert_true(keeper->keeps);
    bo_writer_init(&out, &arena);
    bo_arena_init(&own, BO_ARENA_UNLIMITED);
    own.keep_nbytes = keep_nbytes;
    assert_int_equal(keeper->encode(keeper, model, &out, &error), BO_OK);
    assert_int_equal(keeper->open(keeper, bo_writer_span(&out), &own, &reader, &error), BO_OK);
    effort.max_queries = 25; /* of each kind, twice */
    if (!bo_agreement_all_kinds(test_format(), keeper, model, reader, &effort, &n_cases, &finding))
        fail_msg("%s within %zu bytes: %s", name, keep_nbytes, finding.detail);
    const size_t held = own.region_nbytes + own.charged_nbytes;
    bo_arena_free(&own);
    bo_writer_free(&out);
    return held;
}

/* Every codec of the format that keeps data stays within its budget, and uses it. */
TEST_WITH(test_budgets, set_up, tear_down)
{
    enum { N = 6000 };
    static const char *const names[] = {"time-index", "ht", "ht-4k"};
    static int64_t times[N];
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i * i);
    const struct statehist_model *model = changing_at(0, 1000000000, times, N);
    for (size_t c = 0; c < N_ELEMENTS(names); c++) {
        const size_t least = held_within(names[c], model, 0);
        const size_t most = held_within(names[c], model, SIZE_MAX);
        size_t last = least;
        for (size_t keep = 1 << 14; keep <= 1 << 20; keep *= 4) {
            const size_t held = held_within(names[c], model, keep);
            assert_in_range(held, last, least + keep);
            last = held;
        }
        assert_true(most >= last && most > least + 100000);
    }
}

/* The whole history is unpacked, with frames or without them, as the budget has room. */
TEST_WITH(test_room_for_frames, set_up, tear_down)
{
    enum { N = 100 };
    int64_t times[N];
    unsigned n_whole = 0, n_with_frames = 0;
    struct bo_writer out;
    struct bo_error error = {0};
    struct bo_effort effort = bo_effort_default();
    struct bo_finding finding;
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i * i * i);
    const struct statehist_model *model = changing_at(0, 10000000, times, N);
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, &error), BO_OK);
    effort.max_queries = 100;
    for (size_t max_nbytes = 1 << 12; max_nbytes <= 1 << 15; max_nbytes += 1 << 8) {
        const struct time_index_limits limits = {N, 4 * N, 4 * N, max_nbytes};
        uint64_t n_cases = 0;
        void *reader;
        assert_int_equal(
            time_index_open_within(bo_writer_span(&out), limits, &arena, &reader, &error), BO_OK);
        if (!bo_agreement_all_kinds(test_format(), codec(), model, reader, &effort, &n_cases,
                                    &finding))
            fail_msg("within %zu bytes: %s", max_nbytes, finding.detail);
        const struct time_index_whole *whole = ((const struct time_index *)reader)->whole;
        n_whole += whole && whole->is_ready;
        n_with_frames += whole && whole->is_ready && whole->frame_size;
    }
    assert_true(n_whole > n_with_frames && n_with_frames > 0);
    bo_writer_free(&out);
}

/* The last attribute has one interval, which a number of intervals that is too low leaves out. */
TEST_WITH(test_whole_of_too_few, set_up, tear_down)
{
    enum { AT = 22, N = 100 }; /* the number's offset */
    static const struct time_index_limits limits = {1000, 1000, 1000, 1 << 20};
    static const struct statehist_time_query query = {120};
    static uint8_t bytes[2][256];
    struct bo_writer text;
    bo_writer_init(&text, &arena);
    bo_put_text(&text, "# statehistory-tsv 1\n# start: 100\n# end: 200\nQ\t0\t-1\ta\n"
                       "Q\t1\t-1\tb\n");
    for (int i = 0; i < N - 1; i++)
        bo_put_text(&text, "I\t0\t%d\t%d\ti\t%d\n", 100 + i, i < N - 2 ? 100 + i : 200, i % 5);
    bo_put_text(&text, "I\t1\t100\t200\ti\t7\n");
    bo_put_u8(&text, 0);
    const struct statehist_model *model = parse_text((const char *)text.p, &arena);
    for (unsigned less = 0; less < 2; less++) {
        struct bo_writer out;
        struct bo_error error = {0};
        void *reader;
        bo_writer_init(&out, &arena);
        assert_int_equal(codec()->encode(codec(), model, &out, &error), BO_OK);
        assert_int_equal(out.p[AT], N);
        out.p[AT] = (uint8_t)(N - less);
        assert_int_equal(
            time_index_open_within(bo_writer_span(&out), limits, &arena, &reader, &error), BO_OK);
        for (unsigned i = 0; i <= N; i++) { /* later queries use the whole history, if they can */
            struct bo_sink sink = {bytes[i > 0], 0, sizeof bytes[0]};
            assert_int_equal(
                codec()->query(codec(), reader, STATEHIST_EXPORT, &query, 1, &sink, &error), BO_OK);
        }
        assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
        const struct time_index_whole *whole = ((const struct time_index *)reader)->whole;
        assert_true(whole && (less ? whole->is_damaged : whole->is_ready));
        bo_writer_free(&out);
    }
    bo_writer_free(&text);
}

/* An interval of a history of most shapes. */
struct shaped {
    int64_t start, end;
    int number, part;
};

static int compare_ends(const void *a, const void *b)
{
    const struct shaped *x = a, *y = b;
    return x->end != y->end ? (x->end > y->end) - (x->end < y->end) : x->number - y->number;
}

/*
 * 3 attributes of each of 22 x 47 x 4 shapes: classes, two changes that are 2^14 to 2^60 ns apart,
 * and patterns of values. 4095 shapes are stored; records of the others have none.
 */
TEST_WITH(test_most_shapes, set_up, tear_down)
{
    enum {
        CLASSES = 22,
        PATTERNS = 4,
        PARTS = 3,
        N_OF_A_GAP = 3 * CLASSES * PATTERNS,
        N_GAPS = 47
    };
    enum { N = N_GAPS * N_OF_A_GAP };
    static const char *const values[PATTERNS][PARTS] = {{"i\t1", "i\t1", "i\t2"},
                                                        {"i\t1", "i\t2", "i\t3"},
                                                        {"i\t1", "n\t", "i\t1"},
                                                        {"n\t", "i\t1", "n\t"}};
    struct bo_writer text, out;
    struct bo_error error = {0};
    void *reader, *decoded;
    struct shaped *intervals = bo_alloc_array(&arena, PARTS * N, sizeof *intervals);
    assert_non_null(intervals);
    for (int i = 0; i < N; i++) {
        const int64_t first = (i + INT64_C(1)) << 47, gap = INT64_C(1) << (14 + i / N_OF_A_GAP);
        const int64_t starts[] = {0, first, first + gap};
        for (int k = 0; k < PARTS; k++)
            intervals[PARTS * i + k] =
                (struct shaped){starts[k], k + 1 < PARTS ? starts[k + 1] - 1 : INT64_MAX, i, k};
    }
    qsort(intervals, PARTS * N, sizeof *intervals, compare_ends);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    bo_put_text(&text, "# statehistory-tsv 1\n# start: 0\n# end: %lld\n", (long long)INT64_MAX);
    for (int c = 0; c < CLASSES; c++)
        bo_put_text(&text, "Q\t%d\t-1\tc%d\n", c, c);
    for (int i = 0; i < N; i++)
        bo_put_text(&text, "Q\t%d\t%d\t%d\n", CLASSES + i, i % CLASSES, i);
    for (int i = 0; i < PARTS * N; i++) {
        const struct shaped *at = &intervals[i];
        bo_put_text(&text, "I\t%d\t%lld\t%lld\t%s\n", CLASSES + at->number, (long long)at->start,
                    (long long)at->end, values[at->number / CLASSES % PATTERNS][at->part]);
    }
    for (int c = 0; c < CLASSES; c++)
        bo_put_text(&text, "I\t%d\t0\t%lld\tn\t\n", c, (long long)INT64_MAX);
    bo_put_u8(&text, 0);
    const struct statehist_model *model = parse_text((const char *)text.p, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, &error), BO_OK);
    assert_int_equal(codec()->open(codec(), bo_writer_span(&out), &arena, &reader, &error), BO_OK);
    assert_int_equal(((const struct time_index *)reader)->n_shapes, TIME_INDEX_MAX_SHAPES);
    assert_int_equal(test_decode(codec(), bo_writer_span(&out), &arena, &decoded, &error), BO_OK);
    assert_null(test_format()->differ(model, decoded));
    bo_writer_free(&out);
    bo_writer_free(&text);
}

/* A key that no time has is rejected, although its number is a time within the history. */
TEST_WITH(test_keys_beyond_the_times, set_up, tear_down)
{
    enum { N = 40 };
    int64_t times[N];
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i * i * i);
    struct bo_writer out;
    struct bo_error error = {0};
    struct bo_arena scratch;
    void *decoded;
    unsigned n_rejected = 0;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), changing_at(0, 100000, times, N), &out, &error),
                     BO_OK);
    for (size_t bit = 0; bit < 8 * out.n; bit++) {
        bo_arena_init(&scratch, (size_t)1 << 20);
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (test_decode(codec(), bo_writer_span(&out), &scratch, &decoded, &error))
            n_rejected += strcmp(error.what, "change key is out of range") == 0;
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bo_arena_free(&scratch);
    }
    assert_true(n_rejected > 0);
    bo_writer_free(&out);
}

/* A history without changes has no table of times to read: it rejects every key. */
TEST_WITH(test_keys_without_times, set_up, tear_down)
{
    void *reader;
    uint64_t time;
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), changing_at(0, 99, NULL, 0), &out, NULL), BO_OK);
    assert_int_equal(codec()->open(codec(), bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    const struct time_index *index = reader;
    assert_false(index->direct);
    assert_false(time_index_time_of(index, 0, &time));
    assert_false(time_index_time_of(index, 1, &time));
    assert_string_equal(index->damage->what, "change key is out of range");
    bo_writer_free(&out);
}

/* One query's answer, to a buffer of its own. */
static enum bo_status answer_one(void *reader, unsigned kind, const void *query,
                                 struct bo_sink *sink)
{
    sink->n = 0;
    return codec()->query(codec(), reader, kind, query, 1, sink, NULL);
}

/* Where the whole history is unpacked, answers are those of a reader that keeps nothing. */
static void expect_same(void *whole, void *fresh, int64_t time, struct bo_sink *a,
                        struct bo_sink *b)
{
    static const uint8_t quarks[] = {0, 0, 0, 0, 1, 0, 0, 0};
    const struct statehist_time_query at = {time};
    const struct statehist_range_query range = {.from = time, .to = 100000, .quark = 1};
    const struct statehist_window_query window = {
        .quarks = {quarks, sizeof quarks}, .from = time, .to = 100000, .form = STATEHIST_ALWAYS};
    const struct {
        unsigned kind;
        const void *query;
    } queries[] = {{STATEHIST_EXPORT, &at},
                   {STATEHIST_FULL_STATE, &at},
                   {STATEHIST_RANGE, &range},
                   {STATEHIST_RANGE2D, &window}};
    for (size_t i = 0; i < N_ELEMENTS(queries); i++) {
        assert_int_equal(answer_one(whole, queries[i].kind, queries[i].query, a), BO_OK);
        assert_int_equal(answer_one(fresh, queries[i].kind, queries[i].query, b), BO_OK);
        assert_int_equal(a->n, b->n);
        assert_memory_equal(a->p, b->p, a->n);
    }
}

/* Each bit of a file is changed: whatever is damaged, earlier queries do not change an answer. */
TEST_WITH(test_damaged_whole, set_up, tear_down)
{
    enum { N = 70, SINK_NBYTES = 1 << 14 };
    const struct time_index_limits none = {0, 0, 0, SIZE_MAX}, all = {N, 4 * N, 4 * N, SIZE_MAX};
    int64_t times[N];
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i + i * i * i / 4);
    struct bo_writer out;
    struct bo_error error = {0};
    struct bo_arena scratch;
    unsigned n_ready = 0, n_refused = 0;
    struct bo_sink a = {bo_alloc(&arena, SINK_NBYTES), 0, SINK_NBYTES},
                   b = {bo_alloc(&arena, SINK_NBYTES), 0, SINK_NBYTES};
    assert_true(a.p && b.p);
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), changing_at(0, 100000, times, N), &out, &error),
                     BO_OK);
    for (size_t bit = 0; bit < 8 * out.n; bit++) {
        void *whole, *fresh;
        struct statehist_digest digests[3];
        bo_arena_init(&scratch, (size_t)1 << 20);
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (!time_index_open_within(bo_writer_span(&out), all, &scratch, &whole, &error) &&
            !time_index_open_within(bo_writer_span(&out), none, &scratch, &fresh, &error)) {
            const struct time_index *index = whole;
            (void)codec()->query(codec(), whole, STATEHIST_SCAN, NULL, 3, digests, NULL);
            const bool is_ready = index->whole && index->whole->is_ready;
            n_ready += is_ready;
            n_refused += index->whole && index->whole->is_damaged;
            const bool has_times = index->start == 0 && index->end == 100000;
            for (int64_t time = 0; is_ready && has_times && time <= index->end; time += 9999)
                expect_same(whole, fresh, time, &a, &b);
        }
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bo_arena_free(&scratch);
    }
    assert_true(n_ready > 50 && n_refused > 50);
    bo_writer_free(&out);
}

/* clang-format off */
static const char values_text[] = HISTORY(0, 100000)
    "Q\t0\t-1\ta\nQ\t1\t-1\tb\nQ\t2\t-1\tc\n"
    "I\t0\t0\t99\ts\tone\n"
    "I\t1\t0\t99\ti\t7\n"
    "I\t0\t100\t299\tn\t\n"
    "I\t1\t100\t299\td\t0.5\n"
    "I\t2\t0\t4999\tl\t1234567\n"
    "I\t0\t300\t9999\ts\ttwo\n"
    "I\t1\t300\t9999\tb\ttrue\n"
    "I\t0\t10000\t100000\ts\tone\n"
    "I\t1\t10000\t100000\ti\t-9\n"
    "I\t2\t5000\t100000\tl\t-5\n";
/* clang-format on */

/* The same history with a fourth attribute, of as many intervals as unpacking takes. */
static const void *longer_model(void)
{
    enum { N = 99 };
    const char *intervals = strstr(values_text, "I\t");
    struct bo_writer text;
    bo_writer_init(&text, &arena);
    bo_put_bytes(&text, values_text, (size_t)(intervals - values_text));
    bo_put_text(&text, "Q\t3\t-1\td\n");
    for (int i = 0; i < N; i++)
        bo_put_text(&text, "I\t3\t%d\t%d\ti\t%d\n", i, i, i);
    bo_put_text(&text, "%sI\t3\t%d\t100000\tn\t\n", intervals, N);
    bo_put_u8(&text, 0);
    const void *model = parse_text((const char *)text.p, &arena);
    bo_writer_free(&text);
    return model;
}

/* A reader that has unpacked the whole history, or has failed to. */
static void *scanned(struct bo_span in, bool expect_ready)
{
    static const struct time_index_limits all = {70, 280, 280, SIZE_MAX};
    struct statehist_digest digests[3];
    void *reader;
    assert_int_equal(time_index_open_within(in, all, &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec()->query(codec(), reader, STATEHIST_SCAN, NULL, 3, digests, NULL),
                     BO_OK);
    const struct time_index *index = reader;
    assert_true(index->whole && index->whole->is_ready == expect_ready);
    return reader;
}

static void expect_out_of_range(void *reader, const void *model)
{
    static _Alignas(16) uint8_t bytes[1024];
    for (unsigned k = 0; k < STATEHIST_N_KINDS; k++) {
        _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
        struct bo_sink sink = {bytes, 0, sizeof bytes};
        for (uint64_t i = 0;
             statehist_kinds[k].invalid_at && statehist_kinds[k].invalid_at(model, i, query); i++)
            if (codec()->query(codec(), reader, k, query, 1,
                               k == STATEHIST_POINT ? (void *)bytes : (void *)&sink,
                               NULL) != BO_OUT_OF_RANGE)
                fail_msg("%s, query %llu", statehist_kinds[k].name, (unsigned long long)i);
    }
}

/* Queries out of range, and sinks that are too small, where the whole history is unpacked. */
TEST_WITH(test_invalid_queries_of_the_whole, set_up, tear_down)
{
    static const uint8_t quarks[] = {0, 0, 0, 0, 2, 0, 0, 0};
    static const struct statehist_range_query descending = {6000, 5999, 2, 0},
                                              range = {6000, 6000, 2, 0};
    static const struct statehist_window_query window = {
        .quarks = {quarks, sizeof quarks}, .from = 99, .to = 100, .form = STATEHIST_ALWAYS};
    static const struct statehist_time_query at = {50};
    static const struct {
        unsigned kind;
        const void *query;
        size_t nbytes;
    } valid[] = {{STATEHIST_RANGE, &range, 16 + 16 + 8},
                 {STATEHIST_RANGE2D, &window, 8 + 2 * 32 + 8 + 32},
                 {STATEHIST_EXPORT, &at, 8 + 4 * 40 + 8},
                 {STATEHIST_FULL_STATE, &at, 8 + 4 * 8 + 8}};
    const struct statehist_model *model = longer_model();
    uint8_t *bytes = bo_alloc(&arena, 1024);
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, NULL), BO_OK);
    void *reader = scanned(bo_writer_span(&out), true);
    expect_out_of_range(reader, model);
    struct bo_sink sink = {bytes, 0, 1024};
    assert_int_equal(answer_one(reader, STATEHIST_RANGE, &descending, &sink), BO_OUT_OF_RANGE);
    for (size_t i = 0; i < N_ELEMENTS(valid); i++) {
        sink = (struct bo_sink){bytes, 0, valid[i].nbytes};
        assert_int_equal(answer_one(reader, valid[i].kind, valid[i].query, &sink), BO_OK);
        assert_int_equal(sink.n, valid[i].nbytes);
        for (sink.cap = 0; sink.cap < valid[i].nbytes; sink.cap++)
            assert_int_equal(answer_one(reader, valid[i].kind, valid[i].query, &sink),
                             BO_OVER_LIMIT);
    }
    bo_writer_free(&out);
}

/* The same where full states are answered from what is unpacked, too. */
TEST_WITH(test_invalid_full_states_of_the_whole, set_up, tear_down)
{
    enum { N = 70 };
    static const struct statehist_time_query at = {1005};
    int64_t times[N];
    uint8_t bytes[64];
    struct bo_sink sink = {bytes, 0, 0};
    struct bo_writer out;
    for (size_t i = 0; i < N; i++)
        times[i] = 1000 + (int64_t)(i + i * i * i / 4);
    const struct statehist_model *model = changing_at(0, 100000, times, N);
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, NULL), BO_OK);
    void *reader = scanned(bo_writer_span(&out), true);
    assert_true(time_index_whole_answers(reader, STATEHIST_FULL_STATE));
    expect_out_of_range(reader, model);
    for (; sink.cap < 8 + 2 * 8 + 8; sink.cap++)
        assert_int_equal(answer_one(reader, STATEHIST_FULL_STATE, &at, &sink), BO_OVER_LIMIT);
    assert_int_equal(answer_one(reader, STATEHIST_FULL_STATE, &at, &sink), BO_OK);
    bo_writer_free(&out);
}

/* A file with a string twice is damaged, and its whole history is not unpacked. */
TEST_WITH(test_string_twice, set_up, tear_down)
{
    struct bo_writer out;
    struct bo_error error = {0};
    void *decoded;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), longer_model(), &out, NULL), BO_OK);
    (void)scanned(bo_writer_span(&out), true);
    uint8_t *strings = memmem(out.p, out.n, "onetwo", 6);
    assert_non_null(strings);
    memcpy(strings + 3, "one", 3);
    (void)scanned(bo_writer_span(&out), false);
    assert_int_equal(test_decode(codec(), bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "duplicate string");
    assert_int_equal(error.off, strings + 3 - out.p);
    bo_writer_free(&out);
}

static const enum statehist_query_kind rejecting[] = {STATEHIST_POINT,   STATEHIST_RANGE,
                                                      STATEHIST_RANGE2D, STATEHIST_EXPORT,
                                                      STATEHIST_SCAN,    STATEHIST_FULL_STATE};
enum { ALL_KINDS = (1 << N_ELEMENTS(rejecting)) - 1, ALL_BUT_FULL_STATE = ALL_KINDS / 2 };

/*
 * True when a query of the kind is rejected. There is one for each attribute and start of an
 * interval, but one in all for the kinds that read everything.
 */
static bool is_rejected(void *reader, enum statehist_query_kind kind,
                        const struct statehist_model *model, struct bo_sink *sink)
{
    static const uint8_t quarks[] = {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    const struct statehist_window_query window = {.quarks = {quarks, sizeof quarks},
                                                  .from = model->start,
                                                  .to = model->end,
                                                  .form = STATEHIST_ALWAYS};
    struct statehist_digest digest;
    if (kind == STATEHIST_SCAN)
        return codec()->query(codec(), reader, kind, NULL, 1, &digest, NULL) == BO_CORRUPT;
    if (kind == STATEHIST_RANGE2D)
        return answer_one(reader, kind, &window, sink) == BO_CORRUPT;
    for (uint32_t i = 0; i < model->n_intervals; i++)
        for (uint32_t q = 0; q < model->n_quarks; q++) {
            const int64_t start = model->intervals[i].start;
            const struct statehist_point_query point = {start, q, 0};
            const struct statehist_time_query at = {start};
            const struct statehist_range_query range = {model->start, model->end, q, 0};
            struct statehist_state answer;
            const enum bo_status status =
                kind == STATEHIST_POINT
                    ? codec()->query(codec(), reader, kind, &point, 1, &answer, NULL)
                    : answer_one(reader, kind, kind == STATEHIST_RANGE ? (const void *)&range : &at,
                                 sink);
            if (status == BO_CORRUPT)
                return true;
        }
    return false;
}

/*
 * Each bit of a file with values of all types is changed. Where decoding finds intervals damaged,
 * queries of each kind find it, too, in readers that keep nothing. Order and free bits are checked
 * by decoding alone.
 */
TEST_WITH(test_damaged_values, set_up, tear_down)
{
    enum { SINK_NBYTES = 1 << 14 };
    static const struct time_index_limits none = {0, 0, 0, SIZE_MAX};
    struct {
        const char *what;
        unsigned kinds;
        int n_left; /* how often decoding rejects with these words, and all these kinds do, too */
    } damages[] = {
        {"block is damaged", ALL_KINDS, 19},
        {"record is damaged", ALL_KINDS, 58},
        {"list is damaged", ALL_KINDS, 52},
        {"change key is out of range", ALL_BUT_FULL_STATE, 37},
        {"value code is out of range", ALL_BUT_FULL_STATE, 15},
        {"coded strings are invalid", ALL_KINDS, 6},
        {"places of records do not ascend", 0, 2},
        {"row runs past the end", 0, 32},
        {"bytes after the last block", 0, 17},
        {"free bits are not 0", 0, 36},
        {"time at which nothing changes", 0, 2},
        {"strings are not in the order of their first use", 0, 9},
    };
    const struct statehist_model *model = parse_text(values_text, &arena);
    struct bo_sink sink = {bo_alloc(&arena, SINK_NBYTES), 0, SINK_NBYTES};
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec()->encode(codec(), model, &out, NULL), BO_OK);
    for (size_t bit = 0; bit < 8 * out.n; bit++) {
        void *reader, *decoded;
        struct bo_arena scratch;
        struct bo_error error = {.what = ""};
        unsigned kinds = 0;
        bo_arena_init(&scratch, (size_t)1 << 20);
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)test_decode(codec(), bo_writer_span(&out), &scratch, &decoded, &error);
        for (size_t k = 0; k < N_ELEMENTS(rejecting); k++)
            if (!time_index_open_within(bo_writer_span(&out), none, &scratch, &reader, NULL))
                kinds |= (unsigned)is_rejected(reader, rejecting[k], model, &sink) << k;
        for (size_t i = 0; i < N_ELEMENTS(damages); i++)
            damages[i].n_left -= strcmp(error.what, damages[i].what) == 0 &&
                                 (kinds & damages[i].kinds) == damages[i].kinds;
        out.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bo_arena_free(&scratch);
    }
    for (size_t i = 0; i < N_ELEMENTS(damages); i++)
        if (damages[i].n_left)
            fail_msg("%s: rejected %d times fewer than expected", damages[i].what,
                     damages[i].n_left);
    bo_writer_free(&out);
}

/* The query ends with this error. */
static void expect_damage(void *reader, unsigned kind, const void *query, const char *what)
{
    uint8_t bytes[1 << 14];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    struct bo_error error = {.what = ""};
    const enum bo_status status = codec()->query(codec(), reader, kind, query, 1, &sink, &error);
    if (status != BO_CORRUPT || strcmp(error.what, what) != 0)
        fail_msg("kind %u: status %d: %s", kind, status, error.what);
}

/*
 * One attribute changes at keys 0, 2 and 3 of the times 0, 999, 2^50 - 1, 4 and 2^51 - 1, which do
 * not ascend. What reads intervals up to a time ends in an error.
 */
TEST_WITH(test_times_that_do_not_ascend, set_up, tear_down)
{
    static const uint8_t file[159] =
        "TIX1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0"                 /* history of 2^52 ns */
        "\0\x01\x03\xc0\x02\0\x01\0\x31\0\x05\0\x01\x11\x01\x02" /* numbers; sizes of the parts */
        "\x01\x34\0\x2d"                                         /* times: 52 bits, 45 bytes */
        "\0\0\0\0\0\0\0\x9c\x0f\0\0\0\0\0\xf0\xff\xff\xff\xff\xff\x3f\0\x01"
        "\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\x07\xfc\xff\xff\xff\xff\xff\xff\xff\x01"
        "\0\0\0\0\0"                                  /* values */
        "\0"                                          /* places */
        "\0\x61\x80\x0c\0\0\0\0\0\0\0\0\0\0\0\0\x80"; /* the record; the rest is 0 */
    static const uint8_t quarks[4] = {0};
    static const struct time_index_limits none = {0, 0, 0, SIZE_MAX};
    const struct statehist_window_query window = {.quarks = {quarks, sizeof quarks},
                                                  .to = (INT64_C(1) << 52) - 1,
                                                  .n_times = 1000,
                                                  .form = STATEHIST_EVENLY};
    const struct statehist_window_query range = {
        .quarks = window.quarks, .to = window.to, .form = STATEHIST_ALWAYS};
    void *reader;
    assert_int_equal(
        time_index_open_within((struct bo_span){file, sizeof file}, none, &arena, &reader, NULL),
        BO_OK);
    expect_damage(reader, STATEHIST_WINDOW, &window, "times are damaged");
    expect_damage(reader, STATEHIST_RANGE2D, &range, "times are damaged");
}

/* So many quarks that their places are not kept; the place of the first is 2^63. */
TEST_WITH(test_places_beyond_the_records, set_up, tear_down)
{
    enum { N_BLOCKS = 65537, N_PLACES = 64 * N_BLOCKS, N_VALUES = 5, N_REST = 1 + 1 + 48 };
    const struct statehist_range_query range = {0, 9, 0, 0};
    struct bo_writer out, places;
    void *reader;
    bo_writer_init(&out, &arena);
    bo_writer_init(&places, &arena);
    bo_put_uvarint(&places, UINT64_C(1) << 63);
    bo_put_zeros(&places, 2);
    bo_put_uvarint(&places, (6 * N_BLOCKS + 7) / 8);
    bo_put_zeros(&places, (6 * N_BLOCKS + 7) / 8);
    const uint64_t numbers[] = {
        N_PLACES, N_PLACES, 0,        0, 1,        0, /* and the sizes of the parts: */
        0,        0,        N_VALUES, 0, places.n, N_PLACES / 8,
        1,        1};
    bo_put_bytes(&out, "TIX1", 4);
    bo_put_le64(&out, 0);
    bo_put_le64(&out, 9);
    bo_put_u8(&out, 1); /* keys are times */
    for (size_t i = 0; i < N_ELEMENTS(numbers); i++)
        bo_put_uvarint(&out, numbers[i]);
    bo_put_zeros(&out, N_VALUES);
    bo_put_bytes(&out, places.p, places.n);
    bo_put_zeros(&out, N_PLACES / 8 + N_REST);
    assert_int_equal(codec()->open(codec(), bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    expect_damage(reader, STATEHIST_RANGE, &range, "record lies after all records");
    bo_writer_free(&places);
    bo_writer_free(&out);
}

TEST_FILE(NULL, NULL)
