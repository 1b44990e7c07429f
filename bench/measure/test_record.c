/*
 * What a measuring process sends to its parent: counters are found, bytes that are not a record are
 * rejected.
 */
#include "harness/core/test_cmocka.h"

#include <string.h>

#include "bench/measure/record.h"

TEST(counters_are_found)
{
    struct bo_record record = {.type = BO_RECORD_TIME};
    bo_record_count(&record, "p10_ns", 1.0 / 3);
    bo_record_count(&record, "bytes", 0);
    assert_int_equal(record.n_counters, 2);
    assert_true(bo_record_counter(&record, "p10_ns")->value == 1.0 / 3);
    assert_true(bo_record_counter(&record, "bytes")->value == 0);
    assert_null(bo_record_counter(&record, "p90_ns"));
}

TEST(the_longest_record_is_valid)
{
    struct bo_record record = {.row = UINT32_MAX, .iterations = UINT64_MAX};
    char name[BO_COUNTER_NAME] = "";
    memset(name, 'n', sizeof name - 1);
    for (unsigned i = 0; i < BO_MAX_COUNTERS; i++)
        bo_record_count(&record, name, -1.2345678901234567e-300);
    memset(record.message, 'm', BO_MAX_MESSAGE - 1);
    for (unsigned type = 0; type < BO_RECORD_TYPE_COUNT; type++) {
        record.type = type;
        assert_true(bo_record_is_valid(&record));
    }
}

TEST(nonsense_is_rejected)
{
    struct bo_record record = {.type = BO_RECORD_TYPE_COUNT};
    assert_false(bo_record_is_valid(&record));
    memset(&record, 'x', sizeof record);
    assert_false(bo_record_is_valid(&record));
    record = (struct bo_record){.n_counters = BO_MAX_COUNTERS + 1};
    assert_false(bo_record_is_valid(&record));
    record = (struct bo_record){.n_counters = BO_MAX_COUNTERS};
    memset(record.counters[BO_MAX_COUNTERS - 1].name, 'n', BO_COUNTER_NAME);
    assert_false(bo_record_is_valid(&record));
    record = (struct bo_record){.type = BO_RECORD_FAIL};
    memset(record.message, 'm', BO_MAX_MESSAGE);
    assert_false(bo_record_is_valid(&record));
}

TEST_FILE(NULL, NULL)
