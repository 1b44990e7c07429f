/*
 * The model's own rules: validity, differences, generation, mutation, and how queries are drawn.
 * Why: the oracle and every check lean on these, so a flaw that they let through hides the flaws
 * after it.
 */
#include "codecs/pcdata/test_frame.h"

#include "codecs/pcdata/generate.h"
#include "harness/core/test_fixture.h"
#include "harness/registry.h"

/* ---- validity and differences ---------------------------------------------------------------- */

static const struct pcdata_run good_runs[] = {{0, 1}, {4, 2}, {8, 1}};
static const struct pcdata_table good = {
    .text_len = 12, .n_runs = 3, .refs = 1, .kind = PCDATA_PCLN, .runs = good_runs};

/* The flaw of a model of `good` and then this table; NULL for none. */
static const char *flaw_of(uint32_t quantum, struct pcdata_table table, uint32_t *at)
{
    const struct pcdata_table tables[] = {good, table};
    return pcdata_model_flaw(&(struct pcdata_model){quantum, 2, tables}, at);
}

static struct pcdata_table with_runs(const struct pcdata_run *runs, uint32_t n)
{
    struct pcdata_table table = good;
    table.runs = runs;
    table.n_runs = n;
    return table;
}

TEST(test_flaws)
{
    static const struct {
        const char *what;
        uint32_t text_len, n_runs;
        struct pcdata_run runs[3];
    } cases[] = {
        {NULL, 12, 3, {{0, 1}, {4, 2}, {8, 1}}},
        {NULL, UINT32_MAX - 3, 2, {{0, INT32_MIN}, {UINT32_MAX - 7, INT32_MAX}}},
        {"text length is 0", 0, 1, {{0, 1}}},
        {"text length is not a multiple of the quantum", 10, 1, {{0, 1}}},
        {"table has no runs", 12, 0, {{0, 1}}},
        {"first run does not start at PC 0", 12, 1, {{4, 1}}},
        {"PC is not a multiple of the quantum", 12, 2, {{0, 1}, {5, 2}}},
        {"PC is past the text's end", 12, 2, {{0, 1}, {12, 2}}},
        {"PCs do not ascend", 12, 3, {{0, 1}, {4, 2}, {4, 3}}},
        {"PCs do not ascend", 12, 3, {{0, 1}, {8, 2}, {4, 3}}},
        {"neighbouring runs have the same value", 12, 3, {{0, 1}, {4, 2}, {8, 2}}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct pcdata_table table = with_runs(cases[i].runs, cases[i].n_runs);
        uint32_t at = 77;
        table.text_len = cases[i].text_len;
        const char *what = flaw_of(4, table, &at);
        if (!what != !cases[i].what || (what && strcmp(what, cases[i].what) != 0))
            fail_msg("%s, not %s", what ? what : "no flaw", cases[i].what ? cases[i].what : "none");
        assert_int_equal(at, 1);
    }
    assert_string_equal(flaw_of(3, good, NULL), "quantum is not 1, 2 or 4");
    assert_null(pcdata_model_flaw(&(struct pcdata_model){.quantum = 1}, NULL));
}

TEST(test_differences)
{
    static const struct pcdata_run other_pc[] = {{0, 1}, {5, 2}, {8, 1}};
    static const struct pcdata_run other_value[] = {{0, 1}, {4, 2}, {8, 3}};
    struct pcdata_table changed[6];
    for (size_t i = 0; i < N_ELEMENTS(changed); i++)
        changed[i] = good;
    changed[0].text_len = 13;
    changed[1].kind = PCDATA_PCSP;
    changed[2].refs = 2;
    changed[3].n_runs = 2;
    changed[4].runs = other_pc;
    changed[5].runs = other_value;
    static const char *const expected[] = {
        "a table's text length differs",
        "a table's kind or reference count differs",
        "a table's kind or reference count differs",
        "a table's number of runs differs",
        "a run differs",
        "a run differs",
    };
    const struct pcdata_model model = {1, 1, &good};
    for (size_t i = 0; i < N_ELEMENTS(changed); i++) {
        const struct pcdata_model other = {1, 1, &changed[i]};
        assert_string_equal(format->differ(&model, &other), expected[i]);
    }
    assert_string_equal(format->differ(&model, &(struct pcdata_model){2, 1, &good}),
                        "the quantum differs");
    assert_string_equal(format->differ(&model, &(struct pcdata_model){1, 0, &good}),
                        "the number of tables differs");
    assert_null(format->differ(&model, &model));
}

TEST(test_counts)
{
    const struct pcdata_table tables[] = {good, good};
    const struct pcdata_model model = {4, 2, tables};
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(format->units(&model, units), 3);
    assert_string_equal(units[0].name, "tables");
    assert_int_equal(units[0].n, 2);
    assert_string_equal(units[1].name, "runs");
    assert_int_equal(units[1].n, 6);
    assert_string_equal(units[2].name, "refs");
    assert_int_equal(units[2].n, 2);
    /*
     * Counts and lengths are constant; the deltas of a table are 2, 1, -1: six symbols, three of
     * them twice.
     */
    const double floor_nbytes = bo_entropy_floor_nbytes(format, &model, &arena);
    const double expected = 6 * 1.584962500721156 / 8;
    assert_true(floor_nbytes > expected - 1e-9 && floor_nbytes < expected + 1e-9);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_true(bo_entropy_floor_nbytes(format, &model, &none) < 0);
}

/* ---- generation and mutation ----------------------------------------------------------------- */

static const char *flaw_in(const void *model, struct bo_arena *scratch)
{
    return pcdata_model_flaw(model, NULL);
}

TEST(test_generated_models_are_valid)
{
    expect_valid_models(60, 8, flaw_in);
    assert_true(count_units(generate_model(2, 7, &arena)) == 7);
}

TEST(test_generated_from_bytes)
{
    expect_models_from_bytes(100, flaw_in, NULL);
}

static struct {
    bool long_runs, short_runs, longest, gap, lowest, highest, tables, refs;
} limits;

static void note_table(const struct pcdata_table *table, uint32_t quantum)
{
    const uint32_t n_quanta = table->text_len / quantum;
    if (table->n_runs > 2000) {
        limits.short_runs |= table->n_runs == n_quanta;
        limits.long_runs |= table->n_runs < n_quanta;
    }
    limits.longest |= n_quanta == PCDATA_MAX_RANDOM_QUANTA;
    limits.refs |= table->refs == UINT32_MAX;
    for (uint32_t i = 0; i < table->n_runs; i++) {
        limits.lowest |= table->runs[i].value == INT32_MIN;
        limits.highest |= table->runs[i].value == INT32_MAX;
        limits.gap |= i && table->runs[i].pc - table->runs[i - 1].pc > 1 << 20;
    }
}

static void note_limits(const void *opaque)
{
    const struct pcdata_model *model = opaque;
    limits.tables |= model->n_tables > 2000;
    for (uint32_t t = 0; t < model->n_tables; t++)
        note_table(&model->tables[t], model->quantum);
}

TEST(test_extreme_models)
{
    expect_extreme_models(2000, flaw_in, note_limits);
    assert_true(limits.long_runs && limits.short_runs && limits.longest && limits.gap);
    assert_true(limits.lowest && limits.highest && limits.tables && limits.refs);
}

TEST(test_same_seed_same_model)
{
    expect_same_seed_same_model(50);
    expect_uses_decide();
}

/* Every shape of table and every mutation, each with each of its allocations failing. */
TEST(test_each_allocation_fails)
{
    expect_failing_allocations(40, 4);
}

/* ---- drawing queries ------------------------------------------------------------------------- */

static bool is_valid(const struct pcdata_model *model, struct pcdata_point q)
{
    return q.table < model->n_tables && q.pc < model->tables[q.table].text_len &&
           q.pc % model->quantum == 0;
}

/* All that a workload draws from a document is inside it, and the same seed draws the same. */
TEST(test_workloads_stay_inside)
{
    enum { N = 1024 };
    static struct pcdata_point first[N], again[N];
    const struct bo_query_kind *point = &format->kinds[PCDATA_POINT];
    for (uint64_t seed = 0; seed < 12; seed++) {
        void *model;
        struct bo_random random = bo_random_seeded(seed);
        assert_int_equal(format->generate(&random, seed * 4, &arena, &model, NULL), BO_OK);
        for (unsigned w = 0; w < point->n_workloads; w++) {
            struct bo_random a = bo_random_seeded(9), b = bo_random_seeded(9);
            const size_t n = point->workloads[w].draw(model, &a, NULL, N, first);
            assert_int_equal(point->workloads[w].draw(model, &b, NULL, N, again), n);
            assert_memory_equal(first, again, n * sizeof *first);
            for (size_t i = 0; i < n; i++) {
                assert_true(is_valid(model, first[i]));
                const int32_t answers[] = {0, 4, -1, INT32_MIN};
                for (size_t j = 0; point->workloads[w].dependent && j < 4; j++) {
                    struct pcdata_point linked = first[i];
                    point->link(&linked, &answers[j]);
                    assert_true(is_valid(model, linked));
                }
            }
            assert_true(seed || n == 0); /* seed 0 has no tables */
        }
    }
}

TEST(test_what_workloads_draw)
{
    static const struct pcdata_run runs[] = {{0, 1}};
    const struct pcdata_table tables[] = {
        {.text_len = 4096, .n_runs = 1, .refs = 0, .runs = runs},
        {.text_len = 4100, .n_runs = 1, .refs = 7, .runs = runs},
        {.text_len = 4, .n_runs = 1, .refs = 0, .runs = runs},
    };
    const struct pcdata_model model = {4, 3, tables};
    const struct bo_query_kind *point = &format->kinds[PCDATA_POINT];
    struct bo_random random = bo_random_seeded(1);
    struct pcdata_point q[64];
    const struct bo_workload *w = bo_find_workload(point, "pc-4096");
    assert_int_equal(w->draw(&model, &random, NULL, 64, q), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_true(q[i].table == 1 && q[i].pc == 4096); /* the one that reaches it */
    w = bo_find_workload(point, "traceback");
    assert_int_equal(w->draw(&model, &random, NULL, 64, q), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(q[i].table, 1); /* the one that is referred to */
    w = bo_find_workload(point, "hot-7to1");
    assert_int_equal(w->draw(&model, &random, NULL, 64, q), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_memory_equal(&q[i], &q[i / 8 * 8], sizeof *q);
    w = bo_find_workload(point, "pc-0");
    assert_int_equal(w->draw(&model, &random, NULL, 64, q), 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(q[i].pc, 0);
}

/* Every query is listed once, in order, and count says how many. */
TEST(test_listing_queries)
{
    void *model;
    struct bo_random random = bo_random_seeded(2);
    assert_int_equal(format->generate(&random, 5, &arena, &model, NULL), BO_OK);
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        struct pcdata_point q, previous = {0, 0};
        uint64_t n = 0;
        for (; kind->at(model, n, &q); n++) {
            assert_true(k == PCDATA_SCAN || is_valid(model, q));
            assert_true(n == 0 || q.table > previous.table ||
                        (k != PCDATA_SCAN && q.table == previous.table && q.pc > previous.pc));
            previous = q;
        }
        assert_true(n == kind->count(model));
    }
}

/* PCs near 2^32 that are not in a table, however long its text is. */
TEST(test_listing_invalid_queries)
{
    static const uint32_t text_lens[] = {4, UINT32_MAX - 7, UINT32_MAX - 3, UINT32_MAX};
    static const struct pcdata_run run = {0, 1};
    for (uint32_t quantum = 1; quantum <= 4; quantum *= 2)
        for (size_t i = 0; i < N_ELEMENTS(text_lens); i++) {
            const struct pcdata_table table = {
                .text_len = text_lens[i] / quantum * quantum, .n_runs = 1, .runs = &run};
            const struct pcdata_model model = {.quantum = quantum, .n_tables = 1, .tables = &table};
            const struct bo_query_kind *kind = &format->kinds[PCDATA_POINT];
            struct pcdata_point q;
            uint64_t n = 0;
            for (; kind->invalid_at(&model, n, &q); n++)
                assert_true(q.table >= 1 || q.pc >= table.text_len || q.pc % quantum);
            assert_int_equal(n, 6);
        }
}

TEST_FILE(set_up, tear_down)
