/*
 * Sets of queries: the same everywhere, cut into chunks that cover them, with answers that detect
 * wrong ones.
 */
#include "harness/core/test_cmocka.h"

#define TEST_WRITES
#include "bench/measure/noop.h"
#include "bench/measure/actions.h"
#include "bench/measure/query_sets.h"
#include "bench/measure/test_toy.h"
#include "harness/core/test_fixture.h"

static struct {
    struct bo_format format;
    struct toy_model model;
    struct bo_query_set query_set;
    struct bo_sink answers;
} set;

static const struct bo_codec *const codecs[] = {&toy_honest, NULL};

static int fill(void **state)
{
    set.format = toy_format(codecs);
    toy_fill(&set.model, 600);
    return set_up(state);
}

static struct bo_query_set draw_from(const struct bo_format *format, unsigned kind,
                                     const struct bo_workload *workload)
{
    struct bo_query_set query_set;
    struct bo_error err;
    assert_int_equal(bo_query_set_draw(format, &format->kinds[kind], workload, &set.model, &arena,
                                       &query_set, &err),
                     BO_OK);
    return query_set;
}

/* Draws a set in place of the one before. */
static void draw(unsigned kind, unsigned workload)
{
    struct bo_error err;
    tear_down(NULL);
    assert_int_equal(toy_encode(NULL, &set.model, &out, &err), BO_OK);
    set.query_set = draw_from(&set.format, kind, &toy_kinds[kind].workloads[workload]);
    const size_t room = set.query_set.max_answers_nbytes + 4096;
    set.answers = (struct bo_sink){.p = bo_alloc(&arena, room), .cap = room};
}

/* Every chunk follows the one before it, and together they cover the set. */
static void assert_covered(const struct bo_query_set *query_set)
{
    size_t n = 0, nbytes = 0;
    for (size_t c = 0; c < query_set->n_chunks; c++) {
        const struct bo_chunk *chunk = &query_set->chunks[c];
        assert_int_equal(chunk->first, n);
        assert_int_equal(chunk->answers_off, nbytes);
        assert_true(chunk->n > 0);
        assert_true(chunk->answers_nbytes <= query_set->max_answers_nbytes);
        n += chunk->n;
        nbytes += chunk->answers_nbytes;
    }
    assert_int_equal(n, query_set->n);
    assert_int_equal(nbytes, query_set->answers_nbytes);
}

static void run_honest(const struct bo_chunk *chunk)
{
    struct bo_error err;
    assert_int_equal(
        bo_query_set_run(&set.query_set, chunk, &toy_honest, out.p, &set.answers, &err), BO_OK);
}

static void assert_honest_is_right(void)
{
    size_t wrong;
    for (size_t c = 0; c < set.query_set.n_chunks; c++) {
        const struct bo_chunk *chunk = &set.query_set.chunks[c];
        run_honest(chunk);
        assert_true(bo_query_set_is_right(&set.query_set, chunk, &set.answers, &wrong));
    }
}

/* A query without arguments is a chunk of its own, with an answer as long as the document. */
TEST(all_kinds_of_sets)
{
    static const struct {
        unsigned kind, workload;
        size_t n, answers_nbytes; /* 0: not known here */
        bool whole;
    } cases[] = {{TOY_GET, 0, 3000, 12000, false}, {TOY_GET, 1, 700, 2800, false},
                 {TOY_FIRST, 0, 300, 0, false},    {TOY_NAME, 0, 150, 600, false},
                 {TOY_ALL, 0, 1, 2400, true},      {TOY_COUNT, 0, 1, 4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw(cases[i].kind, cases[i].workload);
        assert_int_equal(set.query_set.n, cases[i].n);
        assert_int_equal(set.query_set.n_chunks > 1, cases[i].n > 1);
        if (cases[i].answers_nbytes)
            assert_int_equal(set.query_set.answers_nbytes, cases[i].answers_nbytes);
        assert_int_equal(bo_is_whole(set.query_set.kind), cases[i].whole);
        assert_covered(&set.query_set);
        assert_honest_is_right();
    }
}

TEST(cold_chunks_are_small)
{
    draw(TOY_NAME, 0);
    assert_int_equal(set.query_set.n_chunks, 3);
    assert_int_equal(set.query_set.chunks[0].n, BO_COLD_BATCH);
    assert_int_equal(set.query_set.chunks[2].n, 150 - 2 * BO_COLD_BATCH);
}

/* Given queries stay in order. Chunks end where actions end, cold chunks only there. */
TEST(given_chunks_end_with_actions)
{
    enum { N = 300 };
    static const size_t starts[] = {1, 41, 299};
    draw(TOY_GET, 0);
    const struct bo_given given = {set.query_set.queries, starts, 3, SIZE_MAX};
    for (unsigned cold = 0; cold < 2; cold++) {
        const struct bo_workload workload = {
            .name = "recorded", .n_queries = N, .given = &given, .cold = cold};
        const struct bo_query_set query_set = draw_from(&set.format, TOY_GET, &workload);
        assert_int_equal(query_set.n, N);
        assert_memory_equal(query_set.queries, given.queries, N * toy_kinds[TOY_GET].query_size);
        assert_int_equal(query_set.n_chunks, cold ? 4 : 5); /* 258 queries exceed one call */
        assert_int_equal(query_set.chunks[1].first, 1);
        assert_int_equal(query_set.chunks[1].n, 40);
        assert_int_equal(query_set.chunks[2].n, cold ? 258 : 256);
        assert_covered(&query_set);
    }
}

/* A chunk is the queries of one reader. */
TEST(fresh_chunks_hold_whole_readers)
{
    static const struct {
        size_t fresh, n_first;
    } cases[] = {{1, 1}, {3, 3}, {10, 10}, {500, 300}};
    draw(TOY_GET, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bo_workload workload = {
            .name = "open", .n_queries = 300, .fresh = cases[i].fresh, .draw = toy_draw};
        const struct bo_query_set query_set = draw_from(&set.format, TOY_GET, &workload);
        assert_int_equal(query_set.chunks[0].n, cases[i].n_first);
        assert_covered(&query_set);
    }
}

/* Two actions of one kind: their steps are the chunks of their queries, in order. */
TEST(actions_are_laid_out)
{
    struct bo_actions actions;
    struct bo_error err;
    draw(TOY_GET, 0);
    struct bo_recorded_run runs[] = {{TOY_GET, 0, 3}, {TOY_GET, 3, 290}, {TOY_GET, 293, 7}};
    struct bo_recorded_action named[] = {{.first = 0, .n = 1}, {.first = 1, .n = 2}};
    struct bo_recorded recorded = {
        .format = &set.format, .runs = runs, .n_runs = 3, .actions = named, .n_actions = 2};
    recorded.kinds[TOY_GET].n = 300;
    recorded.kinds[TOY_GET].queries = (uint8_t *)(uintptr_t)set.query_set.queries;
    assert_int_equal(bo_actions_make(&recorded, &set.model, &arena, &actions, &err), BO_OK);
    assert_int_equal(actions.n, 2);
    assert_int_equal(actions.kinds, 1u << TOY_GET);
    static const size_t firsts[] = {0, 1, 4}, n_queries[] = {3, 256, 34, 7};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(actions.firsts[i], firsts[i]);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(actions.steps[i].chunk->n, n_queries[i]);
}

/*
 * The texts are adjacent, in the order of the queries, and not at the places where they were drawn.
 */
TEST(texts_are_gathered)
{
    draw(TOY_NAME, 0);
    const struct bo_span *names = (const struct bo_span *)(const void *)set.query_set.queries;
    for (size_t i = 1; i < set.query_set.n; i++)
        assert_ptr_equal(names[i].p, names[i - 1].p + names[i - 1].n);
    bo_query_set_touch(&set.query_set, &set.query_set.chunks[2]);
}

/* ---- answers of any size --------------------------------------------------------------------- */

static size_t huge_nbytes; /* of each answer of the kind below */
static unsigned n_oracle_calls;

static enum bo_status answer_huge(const void *model, const void *queries, size_t n, void *answers)
{
    n_oracle_calls++;
    for (size_t i = 0; i < n; i++)
        if (!bo_sink_take(answers, huge_nbytes))
            return BO_OVER_LIMIT;
    return BO_OK;
}

static void draw_huge(size_t nbytes, size_t n)
{
    const struct bo_workload workload = {.name = "huge", .n_queries = n, .draw = toy_draw};
    const struct bo_query_kind kind = {.name = "huge",
                                       .query_size = 4,
                                       .oracle = answer_huge,
                                       .workloads = &workload,
                                       .n_workloads = 1};
    struct bo_format format = toy_format(codecs);
    format.kinds = &kind;
    format.n_kinds = 1;
    tear_down(NULL);
    huge_nbytes = nbytes;
    n_oracle_calls = 0;
    set.query_set = draw_from(&format, 0, &workload);
}

TEST(one_answer_may_be_too_large)
{
    draw_huge((size_t)BO_MAX_ANSWERS_NBYTES + 1, 1);
    assert_int_equal(set.query_set.n, 0);
    assert_true(set.query_set.too_large);
}

TEST(a_set_is_cut_where_it_is_too_large)
{
    draw_huge((size_t)BO_MAX_ANSWERS_NBYTES / 2 + 1, 8);
    assert_int_equal(set.query_set.n, 1);
    draw_huge((size_t)32 << 20, 8); /* two are enough */
    assert_int_equal(set.query_set.n, 2);
    assert_int_equal(set.query_set.n_chunks, 2);
    assert_false(set.query_set.too_large);
    assert_covered(&set.query_set);
}

/* An oracle that scans the model in each call is called once per chunk, not once per query. */
TEST(the_oracle_runs_on_chunks)
{
    draw_huge(8, 2560);
    assert_int_equal(n_oracle_calls, 10);
    assert_int_equal(set.query_set.n_chunks, 10);
    assert_covered(&set.query_set);
    draw_huge(1000, 2560); /* 32 of these fit a chunk */
    assert_true(set.query_set.n_chunks <= 160);
    assert_true(n_oracle_calls < 170);
    assert_covered(&set.query_set);
}

/*
 * The figures are the same on every machine, so results of different machines are about the same
 * queries.
 */
TEST(the_same_on_every_machine)
{
    draw(TOY_GET, 0);
    uint32_t head[3];
    memcpy(head, set.query_set.queries, sizeof head);
    assert_int_equal(head[0], 581);
    assert_int_equal(head[1], 27);
    assert_int_equal(head[2], 592);
}

TEST(a_document_without_a_place)
{
    draw(TOY_GET, 2);
    assert_int_equal(set.query_set.n, 0);
    assert_int_equal(set.query_set.n_chunks, 0);
}

TEST(wrong_answers_are_found)
{
    size_t wrong = 0;
    draw(TOY_GET, 0);
    const struct bo_chunk *chunk = &set.query_set.chunks[2];
    run_honest(chunk);
    set.answers.p[4 * 5 + 3] ^= 0x80;
    assert_false(bo_query_set_is_right(&set.query_set, chunk, &set.answers, &wrong));
    assert_int_equal(wrong, chunk->first + 5);
}

TEST(short_answers_are_wrong)
{
    size_t wrong = 0;
    draw(TOY_FIRST, 0);
    const struct bo_chunk *chunk = &set.query_set.chunks[1];
    run_honest(chunk);
    assert_true(bo_query_set_is_right(&set.query_set, chunk, &set.answers, &wrong));
    set.answers.n -= 4;
    assert_false(bo_query_set_is_right(&set.query_set, chunk, &set.answers, &wrong));
    assert_int_equal(wrong, chunk->first);
}

/* A chain that ignored the previous answer would run the queries as drawn. */
TEST(chains_depend_on_answers)
{
    draw(TOY_GET, 1);
    uint32_t second, first_answer, second_answer;
    memcpy(&second, set.query_set.queries + 4, 4);
    memcpy(&first_answer, set.query_set.answers, 4);
    memcpy(&second_answer, set.query_set.answers + 4, 4);
    assert_int_equal(second_answer, set.model.values[(second ^ first_answer) & 511]);
    assert_int_not_equal(second_answer, set.model.values[second]);
}

TEST(the_no_op_codec_answers_all_kinds)
{
    for (unsigned kind = 0; kind < TOY_N_KINDS; kind++) {
        void *reader;
        struct bo_writer payload;
        struct bo_error err;
        draw(kind, 0);
        bo_writer_init(&payload, &arena);
        bo_noop_payload(&set.format, &payload);
        assert_int_equal(bo_writer_counted(&payload), 0);
        assert_int_equal(
            bo_noop_codec.open(&bo_noop_codec, bo_writer_span(&payload), &arena, &reader, &err),
            BO_OK);
        assert_int_equal(bo_query_set_run(&set.query_set, &set.query_set.chunks[0], &bo_noop_codec,
                                          reader, &set.answers, &err),
                         BO_OK);
        if (set.query_set.kind->query_size) /* it touched both */
            assert_true(memcmp(set.answers.p, set.query_set.queries, 1) == 0);
        bo_writer_free(&payload);
    }
}

TEST_FILE(fill, tear_down)
