/*
 * The line protocol between a measuring process and its parent: written records are read back, all
 * other lines are rejected.
 */
#include "harness/core/test_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "bench/measure/record.h"

/* The printed line, without its newline; the caller frees it. */
static char *print(const struct bo_record *record)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    bo_record_print(record, out);
    fclose(out);
    assert_int_equal(text[n - 1], '\n');
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
    text[n - 1] = 0;
    return text;
}

TEST(records_survive)
{
    for (unsigned type = 0; type < BO_RECORD_TYPE_COUNT; type++) {
        struct bo_record record = {.type = type,
                                   .row = 41,
                                   .iterations = 18446744073709551615u,
                                   .real_ns = 1.0 / 7,
                                   .cpu_ns = 1e300 / 3},
                         back;
        bo_record_count(&record, "p10_ns", 1.0 / 3);
        bo_record_count(&record, "bytes", 0);
        strcpy(record.message, "corrupt at byte 3: a | b = c");
        char *line = print(&record);
        assert_true(bo_record_parse(line, &back));
        free(line);
        assert_int_equal(back.type, type);
        assert_int_equal(back.row, 41);
        assert_int_equal(back.iterations, record.iterations);
        assert_true(back.real_ns == record.real_ns && back.cpu_ns == record.cpu_ns);
        assert_int_equal(back.n_counters, 2);
        assert_true(bo_record_counter(&back, "p10_ns")->value == 1.0 / 3);
        assert_null(bo_record_counter(&back, "p90_ns"));
        assert_string_equal(back.message, record.message);
    }
}

TEST(a_message_stays_on_its_line)
{
    struct bo_record record = {.type = BO_RECORD_FAIL}, back;
    strcpy(record.message, "two\nlines\tand a tab");
    char *line = print(&record);
    assert_true(bo_record_parse(line, &back));
    free(line);
    assert_string_equal(back.message, "two lines and a tab");
}

TEST(the_longest_record_fits_a_line)
{
    struct bo_record record = {.type = BO_RECORD_PAYLOAD,
                               .row = UINT32_MAX,
                               .iterations = UINT64_MAX,
                               .real_ns = -1.2345678901234567e-300,
                               .cpu_ns = -1.2345678901234567e-300};
    char name[BO_COUNTER_NAME];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (unsigned i = 0; i < BO_MAX_COUNTERS; i++)
        bo_record_count(&record, name, -1.2345678901234567e-300);
    memset(record.message, 'm', BO_MAX_MESSAGE - 1);
    char *line = print(&record);
    assert_true(strlen(line) < BO_MAX_RECORD_LINE);
    free(line);
}

TEST(nonsense_is_refused)
{
    static const char *const lines[] = {
        "",
        "time",
        "times 1 2 3 4 | ",
        "time x 2 3 4 | ",
        "time -1 2 3 4 | ",
        "time 4294967296 2 3 4 | ",
        "time 1 18446744073709551616 3 4 | ",
        "time 1 2 three 4 | ",
        "time 1 2 3 | ",
        "time 1 2 3 4",
        "time 1 2 3 4 |",
        "time 1 2 3 4 counter | ",
        "time 1 2 3 4 =5 | ",
        "time 1 2 3 4 counter= | ",
        "time 1 2 3 4 a-counter-with-a-name-beyond-all-measure=1 | ",
        "segmentation fault",
    };
    struct bo_record record;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (bo_record_parse(lines[i], &record))
            fail_msg("taken for a record: %s", lines[i]);
    assert_true(bo_record_parse("time 1 2 3 4 counter=5 | ", &record));
}

TEST(too_many_counters_are_refused)
{
    char line[BO_MAX_RECORD_LINE] = "time 1 2 3 4 ";
    for (unsigned i = 0; i <= BO_MAX_COUNTERS; i++)
        strcat(line, "c=1 ");
    strcat(line, "| ");
    struct bo_record record;
    assert_false(bo_record_parse(line, &record));
}

TEST(a_message_too_long_is_refused)
{
    char line[BO_MAX_RECORD_LINE] = "fail 1 2 3 4 | ";
    memset(line + strlen(line), 'm', BO_MAX_MESSAGE);
    struct bo_record record;
    assert_false(bo_record_parse(line, &record));
}

TEST_FILE(NULL, NULL)
