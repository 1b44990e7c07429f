/*
 * Shared parts of query kinds. Why: a draw by weight that is off by one selects the wrong function.
 */
#include "harness/queries.h"

#include "harness/core/test_cmocka.h"

TEST(test_draws_by_weight)
{
    static const uint64_t sums[] = {0, 10, 10, 15, 100}; /* weights 0, 10, 0, 5, 85 */
    unsigned n_of[N_ELEMENTS(sums)] = {0};
    struct bo_random random = bo_random_seeded(1);
    for (unsigned i = 0; i < 10000; i++)
        n_of[bo_random_by_weight(&random, sums, N_ELEMENTS(sums))]++;
    assert_true(n_of[0] == 0 && n_of[2] == 0);
    assert_in_range(n_of[1], 850, 1150); /* five standard deviations */
    assert_in_range(n_of[3], 390, 610);
    static const uint64_t one[] = {1};
    assert_int_equal(bo_random_by_weight(&random, one, 1), 0);
}

TEST(test_whole)
{
    const struct bo_query_kind kind = {BO_WHOLE_QUERY};
    struct bo_random random = bo_random_seeded(1);
    struct bo_error error = {0};
    uint8_t query[1];
    assert_true(kind.count(NULL) == 1);
    assert_true(kind.at(NULL, 0, query) && !kind.at(NULL, 1, query));
    assert_false(kind.invalid_at(NULL, 0, query));
    assert_int_equal(kind.draw_edges(NULL, &random, NULL, 9, query), 1);
    assert_int_equal(kind.draw_edges(NULL, &random, NULL, 0, query), 0);
    assert_int_equal(kind.n_workloads, 2);
    assert_int_equal(kind.workloads[1].fresh, 1);
    assert_int_equal(kind.workloads[0].draw(NULL, &random, NULL, 1, query), 1);
    assert_int_equal(kind.parse(0, NULL, NULL, query, &error), BO_OK);
    assert_int_equal(kind.parse(1, NULL, NULL, query, &error), BO_BAD_USAGE);
    assert_string_equal(error.what, "expects no arguments");
}

TEST_FILE(NULL, NULL)
