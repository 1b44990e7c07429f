/*
 * What makes and changes state histories: the builder, the generator, the mutator. Why: codecs
 * decode through the builder, so what it lets pass they let pass; and a check on generated
 * histories shows no more than what the generator makes.
 */
#include "codecs/statehist/test_model.h"

#include "harness/core/test_fixture.h"
#include "harness/names/extreme_names.h"
#include "harness/registry.h"

static struct statehist_builder builder;

static void begin(void)
{
    assert_true(statehist_builder_init(&builder, true, &arena));
}

static void add_attribute(const char *name, uint32_t parent)
{
    assert_true(statehist_add_attribute(&builder, bo_span_of(name), parent));
}

static void add(uint32_t quark, int64_t start, int64_t end, uint32_t type, uint64_t value)
{
    const struct statehist_interval interval = {start, end, value, quark, type};
    assert_true(statehist_add_interval(&builder, &interval));
}

static struct statehist_model *finish(int64_t start, int64_t end)
{
    struct statehist_model *model;
    struct statehist_flaw flaw;
    if (statehist_finish(&builder, start, end, &model, &flaw))
        fail_msg("%s", flaw.what);
    assert_null(statehist_model_flaw(model, &arena));
    return model;
}

/* That finishing fails so; interval -1: of none. */
static void expect_flaw(int64_t start, int64_t end, const char *what, uint32_t quark, int interval)
{
    struct statehist_model *model;
    struct statehist_flaw flaw;
    assert_int_equal(statehist_finish(&builder, start, end, &model, &flaw), BO_CORRUPT);
    assert_string_equal(flaw.what, what);
    assert_int_equal(flaw.quark, quark);
    assert_true(flaw.interval == (interval < 0 ? SIZE_MAX : (size_t)interval));
}

/* ---- the builder ----------------------------------------------------------------------------- */

/* Timelines one after the other, or events: the same history. */
TEST(test_orders)
{
    uint32_t unused, x, y;
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add_attribute("b", 0);
    assert_true(statehist_add_string(&builder, bo_span_of("unused"), &unused));
    assert_true(statehist_add_string(&builder, bo_span_of("y"), &y));
    assert_true(statehist_add_string(&builder, bo_span_of("x"), &x));
    add(0, 0, 4, STATEHIST_STRING, x);
    add(0, 5, 9, STATEHIST_STRING, y);
    add(1, 0, 2, STATEHIST_STRING, y);
    add(1, 3, 9, STATEHIST_NULL, 0);
    const struct statehist_model *by_quark = finish(0, 9);
    assert_int_equal(by_quark->n_strings, 2);
    assert_memory_equal(by_quark->strings[0].p, "x", 1);
    static const uint32_t by_end[] = {2, 0, 1, 3};
    assert_memory_equal(by_quark->closing, by_end, sizeof by_end);
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add_attribute("b", 0);
    assert_true(statehist_add_string(&builder, bo_span_of("y"), &y));
    assert_true(statehist_add_string(&builder, bo_span_of("x"), &x));
    add(1, 0, 2, STATEHIST_STRING, y);
    add(0, 0, 4, STATEHIST_STRING, x);
    add(1, 3, 9, STATEHIST_NULL, 0);
    add(0, 5, 9, STATEHIST_STRING, y);
    const struct statehist_model *by_time = finish(0, 9);
    assert_null(statehist_differ(by_quark, by_time));
    static const uint32_t as_they_came[] = {2, 0, 3, 1};
    assert_memory_equal(by_time->closing, as_they_came, sizeof as_they_came);
}

/* Ends over all of time, sorted; equal ones stay as they stand. */
TEST(test_order_by_end)
{
    enum { N = 1000 };
    static struct statehist_interval intervals[N];
    struct bo_random random = bo_random_seeded(1);
    for (unsigned round = 0; round < 20; round++) {
        for (size_t i = 0; i < N; i++)
            intervals[i].end = (int64_t)(bo_random_u64(&random) >> 3 * round << 1);
        intervals[0].end = round % 2 ? INT64_MIN : INT64_MAX;
        const uint32_t *order = statehist_order_by_end(intervals, N, &arena);
        assert_non_null(order);
        for (size_t i = 1; i < N; i++) {
            const int64_t before = intervals[order[i - 1]].end, end = intervals[order[i]].end;
            assert_true(before < end || (before == end && order[i - 1] < order[i]));
        }
    }
    assert_non_null(statehist_order_by_end(NULL, 0, &arena));
}

TEST(test_flaws)
{
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add(0, 0, 9, STATEHIST_NULL, 0);
    add(1, 0, 9, STATEHIST_NULL, 0);
    expect_flaw(0, 9, "quark is out of range", 1, 1);
    expect_flaw(9, 0, "history ends before it starts", STATEHIST_ROOT, -1);
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add(0, 0, 4, STATEHIST_NULL, 0);
    add(0, 5, 9, STATEHIST_NULL, 0);
    finish(0, 9);
    expect_flaw(0, 8, "interval outside of the history", 0, 1);
    expect_flaw(1, 9, "interval outside of the history", 0, 0);
    expect_flaw(0, 10, "timeline does not last to the end", 0, -1);
    expect_flaw(-1, 9, "timeline has a gap", 0, 0);
    add(0, 4, 5, STATEHIST_NULL, 0); /* out of its place */
    expect_flaw(0, 9, "timeline overlaps itself", 0, 2);
    add(0, 3, 2, STATEHIST_NULL, 0);
    expect_flaw(0, 9, "interval ends before it starts", 0, 3);
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add_attribute("b", 2);
    expect_flaw(0, 9, "parent is not a smaller quark", 1, -1);
    begin();
    add_attribute("a", STATEHIST_ROOT);
    add_attribute("a", 0);
    add_attribute("a", 0);
    expect_flaw(0, 9, "name of a sibling", 2, -1);
    begin();
    add_attribute("a\xff", STATEHIST_ROOT);
    expect_flaw(0, 9, "name is not UTF-8", 0, -1);
    begin();
    assert_true(statehist_add_attribute(&builder, (struct bo_span)BYTES("a\0b"), STATEHIST_ROOT));
    expect_flaw(0, 9, "name holds a NUL", 0, -1);
    begin();
    uint32_t number;
    add_attribute("a", STATEHIST_ROOT);
    assert_true(statehist_add_string(&builder, bo_span_of("\xc3"), &number));
    add(0, 0, 9, STATEHIST_STRING, number);
    expect_flaw(0, 9, "string is not UTF-8", 0, 0);
}

/* Counts at their limits are accepted: another flaw, or the memory for so many, ends the check. */
TEST(test_most_quarks_and_intervals)
{
    struct bo_arena none;
    struct statehist_model *model;
    struct statehist_flaw flaw;
    uint32_t quark, first = 0;
    if (SIZE_MAX == UINT32_MAX) /* no memory can have so many */
        skip();
    bo_arena_init(&none, 256);
    assert_ptr_equal(statehist_tree_flaw(NULL, INT32_MAX, &none, &quark), statehist_no_memory);
    assert_string_equal(statehist_tree_flaw(NULL, UINT32_C(1) << 31, &none, &quark),
                        "too many quarks");
    struct statehist_model many = {.first = &first, .n_intervals = UINT32_MAX};
    assert_string_equal(statehist_model_flaw(&many, &none), "interval of no quark");
    many.n_intervals++;
    assert_string_equal(statehist_model_flaw(&many, &none), "too many intervals");
    begin();
    add(0, 0, 9, STATEHIST_NULL, 0);
    builder.n_intervals = UINT32_MAX;
    expect_flaw(0, 9, "quark is out of range", 0, 0);
    builder.n_intervals++;
    assert_int_equal(statehist_finish(&builder, 0, 9, &model, &flaw), BO_CORRUPT);
    assert_string_equal(flaw.what, "too many intervals");
}

TEST(test_values)
{
    static const struct {
        uint32_t type;
        uint64_t value;
        const char *flaw;
    } cases[] = {
        {STATEHIST_NULL, 0, NULL},
        {STATEHIST_NULL, 1, "null has a value"},
        {STATEHIST_INT, INT32_MAX, NULL},
        {STATEHIST_INT, (uint64_t)INT32_MIN, NULL},
        {STATEHIST_INT, (uint64_t)INT32_MAX + 1, "int does not fit 32 bits"},
        {STATEHIST_INT, (uint32_t)INT32_MIN, "int does not fit 32 bits"},
        {STATEHIST_LONG, UINT64_MAX, NULL},
        {STATEHIST_DOUBLE, UINT64_MAX, NULL},
        {STATEHIST_STRING, 2, NULL},
        {STATEHIST_STRING, 3, "string number is out of range"},
        {STATEHIST_BOOL, 1, NULL},
        {STATEHIST_BOOL, 2, "bool is neither 0 nor 1"},
        {STATEHIST_N_TYPES, 0, "unknown type"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const char *flaw = statehist_value_flaw(cases[i].type, cases[i].value, 3);
        if (cases[i].flaw)
            assert_string_equal(flaw, cases[i].flaw);
        else
            assert_null(flaw);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

#define SAMPLE(start, end, names, values) \
    "# statehistory-tsv 1\n# start: " start "\n# end: " end "\n" names values
#define NAMES "Q\t0\t-1\ta\nQ\t1\t0\tb\n"
#define VALUES "I\t1\t0\t4\ti\t1\nI\t0\t0\t9\ts\tx\nI\t1\t5\t9\tn\t\n"

TEST(test_differences)
{
    static const char text[] = SAMPLE("0", "9", NAMES, VALUES);
    static const struct {
        const char *text, *difference;
    } cases[] = {
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t4\ti\t1\nI\t1\t5\t9\tn\t\nI\t0\t0\t9\ts\tx\n"), NULL},
        {SAMPLE("1", "9", NAMES, "I\t1\t1\t4\ti\t1\nI\t0\t1\t9\ts\tx\nI\t1\t5\t9\tn\t\n"),
         "other times of the history"},
        {SAMPLE("0", "9", "Q\t0\t-1\ta\nQ\t1\t-1\tb\n", VALUES), "another attribute"},
        {SAMPLE("0", "9", "Q\t0\t-1\ta\nQ\t1\t0\tc\n", VALUES), "another attribute"},
        {SAMPLE("0", "9", NAMES "Q\t2\t0\tc\n", VALUES "I\t2\t0\t9\tn\t\n"),
         "another number of quarks"},
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t3\ti\t1\nI\t0\t0\t9\ts\tx\nI\t1\t4\t9\tn\t\n"),
         "another interval"},
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t4\ti\t2\nI\t0\t0\t9\ts\tx\nI\t1\t5\t9\tn\t\n"),
         "another value"},
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t4\tl\t1\nI\t0\t0\t9\ts\tx\nI\t1\t5\t9\tn\t\n"),
         "another value"},
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t4\ti\t1\nI\t0\t0\t9\ts\ty\nI\t1\t5\t9\tn\t\n"),
         "another string"},
        {SAMPLE("0", "9", NAMES, "I\t1\t0\t4\ti\t1\nI\t0\t0\t9\tn\t\nI\t1\t5\t9\tn\t\n"),
         "another number of strings"},
        {SAMPLE("0", "9", NAMES,
                "I\t1\t0\t1\ti\t1\nI\t1\t2\t4\ti\t1\nI\t0\t0\t9\ts\tx\nI\t1\t5\t9\tn\t\n"),
         "another number of intervals"},
    };
    const void *model = parse_text(text, &arena);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const char *difference = statehist_differ(model, parse_text(cases[i].text, &arena));
        if (cases[i].difference)
            assert_string_equal(difference, cases[i].difference);
        else
            assert_null(difference);
    }
}

TEST(test_counts)
{
    const void *model = parse_text(
        SAMPLE("0", "9", "Q\t0\t-1\tab\nQ\t1\t0\ta\nQ\t2\t1\tb\n",
               "I\t2\t0\t1\tl\t7\nI\t0\t0\t3\ti\t5\nI\t1\t0\t3\ts\tx\nI\t1\t4\t5\ts\tyy\n"
               "I\t0\t4\t9\ts\tx\nI\t1\t6\t9\tn\t\nI\t2\t2\t9\tl\t8\n"),
        &arena);
    static const struct bo_unit expected[] = {
        {"intervals", 7}, {"quarks", 3}, {"name bytes", 4}, {"strings", 2}, {"string bytes", 3},
    };
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(format->units(model, units), N_ELEMENTS(expected));
    for (size_t i = 0; i < N_ELEMENTS(expected); i++) {
        assert_string_equal(units[i].name, expected[i].name);
        assert_true(units[i].n == expected[i].n);
    }
    /*
     * Lengths 4 4, 2 2 and three to the end: 10.8966. Types s s s l l i n: 12.8966. Strings x x yy,
     * bytes of the strings x y y: 2.7549 each. Parents 0, 1 and none: 4.7549. Values 7 8: 2. Bytes
     * of the names a a b b: 4.
     */
    const double expected_nbits =
        10.896596952239761 + 12.896596952239761 + 2 * 2.7548875021634682 + 4.754887502163468 + 6;
    const double expected_nbytes = expected_nbits / 8;
    const double floor_nbytes = bo_entropy_floor_nbytes(format, model, &arena);
    assert_true(floor_nbytes > expected_nbytes - 1e-9 && floor_nbytes < expected_nbytes + 1e-9);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_true(bo_entropy_floor_nbytes(format, model, &none) < 0);
}

TEST(test_instant)
{
    const struct statehist_model *model = parse_text(SAMPLE("0", "9", NAMES, VALUES), &arena);
    void *instant;
    assert_int_equal(statehist_take_instant(model, 5, &arena, &instant, NULL), BO_OK);
    assert_null(statehist_differ(
        instant,
        parse_text(SAMPLE("5", "5", NAMES, "I\t0\t5\t5\ts\tx\nI\t1\t5\t5\tn\t\n"), &arena)));
    assert_null(statehist_model_flaw(instant, &arena));
    assert_int_equal(statehist_take_instant(model, 10, &arena, &instant, NULL), BO_OUT_OF_RANGE);
    assert_int_equal(statehist_take_instant(model, -1, &arena, &instant, NULL), BO_OUT_OF_RANGE);
}

/* One number of a model is changed. Why: other tests rely on statehist_model_flaw. */
TEST(test_model_flaws)
{
    const struct statehist_model *valid =
        parse_text("# statehistory-tsv 1\n# start: 0\n# end: 9\nQ\t0\t-1\ta\nQ\t1\t-1\tb\n"
                   "I\t0\t0\t4\ts\tx\nI\t0\t5\t9\ts\ty\nI\t1\t0\t9\ts\tx\n",
                   &arena);
    struct statehist_interval intervals[3];
    uint32_t closing[3];
    struct statehist_model model = *valid;
    model.intervals = intervals;
    model.closing = closing;
    int64_t *const none = NULL;
    const struct {
        int64_t *time, to; /* or */
        uint32_t *closing, number;
        const char *flaw;
    } changes[] = {
        {none, 0, NULL, 0, NULL},
        {&intervals[0].start, 1, NULL, 0, "gap or overlap"},
        {&intervals[0].end, 3, NULL, 0, "gap or overlap"},
        {&intervals[1].start, 4, NULL, 0, "gap or overlap"},
        {&intervals[1].end, 4, NULL, 0, "interval ends before it starts"},
        {&intervals[1].end, 8, NULL, 0, "timeline does not last to the end"},
        {&intervals[2].end, 10, NULL, 0, "timeline does not last to the end"},
        {(int64_t *)&intervals[0].value, 1, NULL, 0, "string out of the order of first use"},
        {none, 0, &closing[1], valid->closing[0], "interval closes twice"},
        {none, 0, &closing[2], 3, "interval closes twice"},
    };
    for (size_t i = 0; i < N_ELEMENTS(changes); i++) {
        memcpy(intervals, valid->intervals, sizeof intervals);
        memcpy(closing, valid->closing, sizeof closing);
        if (changes[i].time)
            *changes[i].time = changes[i].to;
        if (changes[i].closing)
            *changes[i].closing = changes[i].number;
        const char *flaw = statehist_model_flaw(&model, &arena);
        if (!changes[i].flaw)
            assert_null(flaw);
        else if (!flaw || strcmp(flaw, changes[i].flaw) != 0)
            fail_msg("change %zu: %s, not %s", i, flaw, changes[i].flaw);
    }
    static const uint32_t firsts[][3] = {{1, 2, 3}, {0, 1, 3}, {0, 2, 2}};
    static const char *const first_flaws[] = {"timeline is not where it should be",
                                              "timeline is not where it should be",
                                              "interval of no quark"};
    for (size_t i = 0; i < N_ELEMENTS(firsts); i++) {
        struct statehist_model other = *valid;
        other.first = firsts[i];
        assert_string_equal(statehist_model_flaw(&other, &arena), first_flaws[i]);
    }
    struct statehist_model other = *valid;
    other.n_intervals = 2; /* none is left for the second quark */
    assert_string_equal(statehist_model_flaw(&other, &arena), "timeline is not where it should be");
    other = *valid;
    other.n_quarks = 1;
    assert_string_equal(statehist_model_flaw(&other, &arena), "interval of no quark");
    other = *valid;
    other.start = other.end + 1;
    assert_string_equal(statehist_model_flaw(&other, &arena), "history ends before it starts");
    other = *valid;
    other.n_strings = 3;
    assert_string_equal(statehist_model_flaw(&other, &arena), "string is not used");
    static const struct bo_span twice[] = {BYTES("x"), BYTES("x")};
    static const struct bo_span damaged[] = {BYTES("x"), BYTES("\xff")};
    other = *valid;
    other.strings = twice;
    assert_string_equal(statehist_model_flaw(&other, &arena), "duplicate string");
    other.strings = damaged;
    assert_string_equal(statehist_model_flaw(&other, &arena), "string is not UTF-8");
    memcpy(intervals, valid->intervals, sizeof intervals);
    closing[0] = valid->closing[2]; /* that of time 9 before that of time 4 */
    closing[2] = valid->closing[0];
    assert_string_equal(statehist_model_flaw(&model, &arena),
                        "ends descend in the order of closing");
}

/* A timeline does not go on after the last of all times. */
TEST(test_interval_after_the_last_time)
{
    static const struct statehist_interval intervals[] = {
        {0, INT64_MAX, 0, 0, STATEHIST_NULL}, {INT64_MIN, INT64_MAX, 0, 0, STATEHIST_NULL}};
    static const uint32_t first[] = {0, 2}, closing[] = {0, 1};
    static const struct statehist_attribute attribute = {BYTES("a"), STATEHIST_ROOT};
    const struct statehist_model model = {.start = 0,
                                          .end = INT64_MAX,
                                          .n_quarks = 1,
                                          .attributes = &attribute,
                                          .n_intervals = 2,
                                          .intervals = intervals,
                                          .first = first,
                                          .closing = closing};
    assert_string_equal(statehist_model_flaw(&model, &arena), "gap or overlap");
}

/* ---- models out of randomness ---------------------------------------------------------------- */

static const char *flaw_of(const void *model, struct bo_arena *scratch)
{
    return statehist_model_flaw(model, scratch);
}

static unsigned n_of_type[STATEHIST_N_TYPES], n_instants, n_extremes, n_equal, n_mixed, n_strange;

static void note(const void *opaque)
{
    const struct statehist_model *model = opaque;
    n_instants += model->start == model->end && model->n_quarks;
    n_extremes += model->start == INT64_MIN && model->end == INT64_MAX;
    for (size_t i = 0; i < model->n_intervals; i++) {
        const struct statehist_interval *at = &model->intervals[i];
        n_of_type[at->type]++;
        if (i == model->first[at->quark])
            continue;
        n_equal += at->type == at[-1].type && at->value == at[-1].value;
        n_mixed += at->type != at[-1].type && at->type && at[-1].type;
    }
    for (uint32_t i = 0; i < model->n_strings; i++)
        n_strange += memchr(model->strings[i].p, 0, model->strings[i].n) != NULL;
}

TEST(test_generated)
{
    expect_valid_models(100, 60, flaw_of);
    expect_models_from_bytes(300, flaw_of, note);
    for (unsigned type = 0; type < STATEHIST_N_TYPES; type++)
        assert_true(n_of_type[type] > 20);
    assert_true(n_instants > 10 && n_extremes > 5 && n_equal > 10 && n_mixed > 10 && n_strange > 2);
    expect_same_seed_same_model(100);
    expect_uses_decide();
    expect_failing_allocations(4, 12);
}

static struct {
    bool deep, siblings, nested, most_in_16_bits, longer_than_16_bits, changes;
    bool most_of_string, longer_string;
} limits;

/* All extreme attributes are in quark 0, or in each other from there on. */
static void note_attributes(const struct statehist_model *model)
{
    size_t n_siblings = 0, n_nested = 0, depth = 1;
    for (uint32_t q = 1; q < model->n_quarks; q++) {
        const struct statehist_attribute *a = &model->attributes[q];
        limits.most_in_16_bits |= a->name.n == UINT16_MAX;
        limits.longer_than_16_bits |= a->name.n > UINT16_MAX;
        n_siblings += a->parent == 0;
        n_nested += a->parent == 0 && q > 1 && a[-1].name.n + 1 == a->name.n &&
                    memcmp(a[-1].name.p, a->name.p, a[-1].name.n) == 0;
        depth += depth == q && a->parent == q - 1;
    }
    limits.deep |= depth > 1000;
    limits.siblings |= n_siblings > BO_MAX_SIBLING_NAMES / 2;
    limits.nested |= n_nested >= BO_MAX_NESTED_NAMES / 2;
}

static void note_limits(const void *opaque)
{
    const struct statehist_model *model = opaque;
    note_attributes(model);
    for (uint32_t q = 0; q < model->n_quarks; q++)
        limits.changes |= model->first[q + 1] - model->first[q] > 2000;
    for (uint32_t i = 0; i < model->n_strings; i++) {
        limits.most_of_string |= model->strings[i].n == INT16_MAX;
        limits.longer_string |= model->strings[i].n > INT16_MAX;
    }
}

TEST(test_extreme_models)
{
    expect_extreme_models(2000, flaw_of, note_limits);
    assert_true(limits.deep && limits.siblings && limits.nested && limits.changes);
    assert_true(limits.most_in_16_bits && limits.longer_than_16_bits);
    assert_true(limits.most_of_string && limits.longer_string);
}

/* About as many intervals as requested; times and types like those of kernel traces. */
TEST(test_scale)
{
    size_t n = 0, n_larger = 0;
    for (uint64_t seed = 2; seed < 42; seed += 2) {
        const struct statehist_model *model = generate_model(seed, 10000, &arena);
        expect_scale(model, 10000, &n_larger);
        n += model->n_intervals;
    }
    assert_true(n > 19 * 10000 && n_larger <= 2);
}

/* Each change makes another model, as a rule. */
TEST(test_changes)
{
    unsigned n_changed = 0;
    struct bo_random random = bo_random_seeded(9);
    void *model = generate_model(3, 200, &arena), *changed;
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(format->mutate(model, &random, &arena, &changed, NULL), BO_OK);
        n_changed += statehist_differ(model, changed) != NULL;
    }
    assert_true(n_changed > 60);
}

/* Histories that cannot be continued up to any number of intervals. */
TEST(test_nothing_to_draw_from)
{
    static const struct {
        const char *text, *what;
    } rows[] = {
        {HISTORY(0, 9) "Q\t0\t-1\ta\nI\t0\t0\t9\ti\t1\n",
         "history has no state changes to draw from"},
        {HISTORY(0, 9) "Q\t0\t-1\ta\nI\t0\t0\t4\tn\t\nI\t0\t5\t9\tn\t\n",
         "history has no state changes to draw from"},
        {HISTORY(0, 9223372036854775807) "Q\t0\t-1\ta\nI\t0\t0\t4611686018427387903\tn\t\n"
                                         "I\t0\t4611686018427387904\t9223372036854775807\ti\t1\n",
         "times of the drawn history exceed 2^63 - 1"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const struct statehist_model *like = parse_text(rows[i].text, &arena);
        struct bo_random random = bo_random_seeded(1);
        struct bo_error error = {0};
        void *model;
        assert_int_equal(test_format()->resample(like, 100, &random, &arena, &model, &error),
                         BO_UNSUPPORTED);
        assert_string_equal(error.what, rows[i].what);
    }
}

TEST_FILE(set_up, tear_down)
