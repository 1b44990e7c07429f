/*
 * The text form, the generated models and the answers of sets of GUIDs. Why: the declaration and
 * README.md must say the same, and an oracle that is wrong makes every codec wrong.
 */
#define TEST_FORMAT "guid"
#include "codecs/guid/queries.h"
#include "harness/check/check.h"
#include "harness/test_format.h"

static const char *flaw_of(const void *model, struct bo_arena *arena)
{
    return bo_records_flaw(&guid_shape, model);
}

TEST(test_text)
{
    static const struct marked_mistake mistakes[] = {
        {"@guid 2\n", BO_CORRUPT, "first line does not name the format and its version 1"},
        {"guid 1\n0x1@", BO_CORRUPT, "record ends before its field nbytes"},
        {"guid 1\n@1 2", BO_CORRUPT, "guid is not a value in its range"},
        {"guid 1\n0x1 @16777216", BO_CORRUPT, "nbytes is not a value in its range"},
        {"guid 1\n@0x1 0", BO_CORRUPT, "body is empty"},
        {"guid 1\n0x1 -\n@0x1 2", BO_CORRUPT, "guid is out of order"},
    };
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
    expect_texts_survive(60, 40);
}

TEST(test_generated_models)
{
    expect_valid_models(100, 30, flaw_of);
    expect_models_from_bytes(100, flaw_of, NULL);
    expect_same_seed_same_model(20);
    expect_uses_decide();
    expect_failing_allocations(3, 6);
}

/* What the command line gives to the query. */
TEST(test_arguments)
{
    char *numbers[] = {"18446744073709551615", "1"}, *words[] = {"x"},
         *larger[] = {"18446744073709551616"};
    struct guid_find_query query = {0};
    struct bo_error error;
    const struct bo_query_kind *find = &guid_kinds[GUID_FIND];
    assert_int_equal(find->parse(1, numbers, NULL, &query, &error), BO_OK);
    assert_true(query.guid == UINT64_MAX);
    assert_int_equal(find->parse(0, numbers, NULL, &query, &error), BO_BAD_USAGE);
    assert_int_equal(find->parse(2, numbers, NULL, &query, &error), BO_BAD_USAGE);
    assert_int_equal(find->parse(1, larger, NULL, &query, &error), BO_BAD_USAGE);
    assert_int_equal(find->parse(1, words, NULL, &query, &error), BO_BAD_USAGE);
    static const char *const accepted[] = {"0xffffffffffffffff", "0xFfFfFfFfFfFfFfFf"};
    static const char *const rejected[] = {"",      "0x",  "0x-1", "0x 1", "0x10000000000000000",
                                           "0x0x1", "0X1", "1f"};
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        query.guid = 0;
        assert_int_equal(find->parse(1, (char *[]){(char *)accepted[i]}, NULL, &query, &error),
                         BO_OK);
        assert_true(query.guid == UINT64_MAX);
    }
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        assert_int_equal(find->parse(1, (char *[]){(char *)rejected[i]}, NULL, &query, &error),
                         BO_BAD_USAGE);
    assert_string_equal(error.what, "expects a GUID, a number, decimal or 0x...");
}

TEST(test_answers)
{
    static const struct guid_entry entries[] = {{1, 10}, {5, GUID_NO_BODY}};
    const struct bo_records model = {(void *)entries, 2};
    const struct guid_find_query queries[] = {{1}, {5}, {4}};
    struct guid_find_answer answers[3];
    assert_int_equal(guid_kinds[GUID_FIND].oracle(&model, queries, 3, answers), BO_OK);
    assert_true(answers[0].state == GUID_HAS_BODY && answers[0].nbytes == 10);
    assert_true(answers[1].state == GUID_IS_MEMBER && answers[1].nbytes == 0);
    assert_true(answers[2].state == GUID_ABSENT && answers[2].nbytes == 0);
}

/* Without random numbers every miss is 0: none is drawn from a set that has 0. */
TEST(test_misses_without_random_numbers)
{
    const struct bo_workload *miss = guid_kinds[GUID_FIND].workloads;
    while (strcmp(miss->name, "miss") != 0)
        miss++;
    for (uint64_t guid = 0; guid < 2; guid++) {
        const struct guid_entry only = {guid, 1};
        const struct bo_records model = {(void *)&only, 1};
        struct bo_random nothing = bo_random_from_bytes((struct bo_span){NULL, 0});
        struct guid_find_query queries[3] = {{1}, {1}, {1}};
        assert_int_equal(miss->draw(&model, &nothing, NULL, 3, queries), guid ? 3 : 0);
        assert_true(queries[2].guid == !guid);
    }
}

/* ---- sizes that README.md states ------------------------------------------------------------- */

/* Bytes a GUID of a set of n with bodies of 170 bytes on average, as in measured profiles. */
static double nbytes_a_guid(const char *codec, size_t n)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    struct bo_random random = bo_random_seeded(n);
    const struct bo_codec *found = bo_find_codec(test_format(), codec);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(n, &arena, &model);
    assert_non_null(entries);
    for (size_t i = 0; i < n; i++) {
        entries[i].guid = bo_random_u64(&random);
        entries[i].nbytes = 1 + bo_random_below(&random, 339);
    }
    assert_true(bo_records_settle(&guid_shape, model, &arena));
    assert_int_equal(found->encode(found, model, &out, NULL), BO_OK);
    const double nbytes = (double)out.n / (double)model->n;
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return nbytes;
}

TEST(test_sizes)
{
    enum { N = 1000000 };
    assert_true(nbytes_a_guid("quotients", N) < 7.2);
    assert_true(nbytes_a_guid("fingerprint-32", N) < 5.7);
    assert_true(nbytes_a_guid("perfect-hash-32", N) < 5.6);
    assert_true(nbytes_a_guid("members", N) < 5.9);
    assert_true(nbytes_a_guid("eytzinger", N) >= 12);
}

static const struct bo_codec *real; /* what the faulty codec calls */

/* Finds every key. */
static enum bo_status find_all(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct guid_find_answer *a = answers;
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    for (size_t i = 0; i < n; i++)
        a[i].state = a[i].state == GUID_ABSENT ? GUID_IS_MEMBER : a[i].state;
    return status;
}

/* A model of the GUIDs 2, 4, ..., with bodies of 7 bytes. */
static const void *even_guids(unsigned n, struct bo_arena *arena)
{
    struct bo_writer text;
    bo_writer_init(&text, arena);
    bo_put_text(&text, "guid 1\n");
    for (unsigned i = 1; i <= n; i++)
        bo_put_text(&text, "0x%x 7\n", 2 * i);
    bo_put_u8(&text, 0);
    const void *model = parse_text((const char *)text.p, arena);
    bo_writer_free(&text);
    return model;
}

/*
 * A probabilistic codec may find a few absent neighbours of GUIDs, which are not random. A codec
 * that finds more is wrong, however few GUIDs there are.
 */
static unsigned expect_neighbours(unsigned n_guids)
{
    struct bo_arena arena;
    unsigned n_probabilistic = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void *model = even_guids(n_guids, &arena);
    struct bo_effort effort = bo_effort_default();
    effort.max_queries = 300;
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++) {
        struct bo_codec faulty = **c;
        real = *c;
        const struct bo_check *oracle = bo_find_check("oracle");
        assert_int_equal(oracle->run(test_format(), real, model, &effort).outcome, BO_PASS);
        faulty.query = find_all;
        assert_int_equal(oracle->run(test_format(), &faulty, model, &effort).outcome, BO_FAIL);
        n_probabilistic += real->probabilistic;
    }
    bo_arena_free(&arena);
    return n_probabilistic;
}

/* Whether wrong_in_batches finds an absent key: one of 64, whatever bits the keys share. */
static bool is_found_by_mistake(uint64_t guid)
{
    return (guid ^ guid >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 58 == 0;
}

/* Finds some absent keys, and then answers wrongly for the present ones of the same batch. */
static enum bo_status wrong_in_batches(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const struct guid_find_query *q = queries;
    struct guid_find_answer *a = answers;
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    bool finds_absent = false;
    for (size_t i = 0; i < n; i++)
        if (a[i].state == GUID_ABSENT && is_found_by_mistake(q[i].guid)) {
            a[i].state = GUID_IS_MEMBER;
            finds_absent = true;
        } else if (a[i].state != GUID_ABSENT && finds_absent) {
            a[i].state = GUID_ABSENT;
        }
    return status;
}

/* An absent key that is found does not hide another fault of its batch. */
TEST(test_batches)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void *model = even_guids(400, &arena);
    const struct bo_effort effort = bo_effort_default();
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++) {
        struct bo_codec faulty = **c;
        real = *c;
        faulty.query = wrong_in_batches;
        const struct bo_check_result result =
            bo_find_check("oracle")->run(test_format(), &faulty, model, &effort);
        assert_int_equal(result.outcome, BO_FAIL);
        if (real->probabilistic)
            assert_non_null(strstr(result.finding.detail, "wrong in a batch"));
    }
    bo_arena_free(&arena);
}

TEST(test_neighbours)
{
    static const unsigned counts[] = {0, 1, 3, 400};
    for (size_t i = 0; i < N_ELEMENTS(counts); i++)
        assert_true(expect_neighbours(counts[i]) > 0);
}

TEST_FILE(NULL, NULL)
