/*
 * A table of sizes: totals and means by hand, missing figures, and the figures in its answer. Why:
 * authors of an RFC paste it, so a wrong sum would become theirs.
 */
#include "bench/report/test_sample.h"

#include "bench/report/parts.h"

static const struct bo_size_column columns[] = {
    {"now", BO_SIZE_BYTES, .codec = "varint-delta"},
    {"then", BO_SIZE_BYTES, .codec = "linear-index"},
    {"then %", BO_SIZE_CHANGE, .codec = "linear-index"},
    {"share", BO_SIZE_SHARE, .codec = "linear-index"},
    {"each", BO_SIZE_OF_UNIT, .codec = "linear-index"},
    {"runs", BO_SIZE_SHARE, .codec = "frame-24", .section = "runs"},
    {"packed %", BO_SIZE_CHANGE, .codec = "frame-24", .outer = "zstd19"},
    {"broken %", BO_SIZE_CHANGE, .codec = "broken"},
    {"tool %", BO_SIZE_CHANGE, .program = "some tool"},
    {.heading = NULL},
};

static const struct bo_size_table table = {
    "Title", "Text.", "Profile", columns,
    "It takes {then %}, or {packed %}, {each} each; {now}; {tool %}, {no such column}."};

/* frame-24: 725 and 1450 bytes, 525 and 1250 under zstd, of 1000 and 2000. */
TEST(sums_by_hand)
{
    const struct bo_page page = printing_page(*state);
    bo_page_size_table(&page, "pcdata", &table);
    static const char *const needed[] = {
        "\n### Title\n\nText.\n\n",
        "| Profile | now | then | then % | share | each | runs | packed % | broken % | tool % |\n",
        "| small-sample | 1000 | 1250 | +25.0% | 125.0% | 5.000 | 62.5% | -47.5% | - | - |\n",
        ("| large sample, of a user | 2000 | 2500 | +25.0% | 125.0% | 10.000 | 67.5% | -37.5% "
         "| - | - |\n"),
        "| *together* | 3000 | 3750 | +25.0% | 125.0% | 7.500 | 65.8% | -40.8% | - | - |\n",
        "| *geometric mean* |  |  | +25.0% | 125.0% |  | 65.0% | -42.7% | - | - |\n",
        "\nIt takes 125.0%, or 59.2%, 7.500 each; 3000; (not measured), (not measured).\n",
    };
    assert_has_all(printed_text(), needed, N_ELEMENTS(needed));
}

/* A mean is only of relative columns, whichever of them is relative. */
TEST(means_of_relative_columns)
{
    const struct bo_page page = printing_page(*state);
    struct bo_size_column two[] = {columns[0], columns[2], {.heading = NULL}};
    const struct bo_size_table last = {"Title", "Text.", "Profile", two, ""};
    bo_page_size_table(&page, "pcdata", &last);
    assert_has(printed_text(), "| *geometric mean* |  | +25.0% |\n");
    const struct bo_page again = printing_page(*state);
    two[1].heading = NULL;
    bo_page_size_table(&again, "pcdata", &last);
    assert_lacks(printed_text(), "geometric mean");
}

TEST_FILE(sample_setup, sample_teardown)
