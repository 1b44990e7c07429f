/*
 * Size tables, the block of sizes that every machine must reproduce, and the message for a
 * difference.
 */
#include "bench/report/test_sample.h"

#include "bench/report/sizes.h"
#include "harness/core/input.h"

static char *sizes_text(const struct bo_run *run, bool machine_dependent)
{
    struct bo_grid grid;
    bo_sizes_grid(&run->documents[0].sizes, machine_dependent, &arena, &grid);
    return grid_text(&grid);
}

TEST(a_table_by_hand)
{
    char *text = sizes_text(*state, true);
    assert_has(text, "| codec | role | sections | aside | bytes | ratio | B/table | "
                     "zstd -19 | lz4 -9 | xz -9 |\n");
    assert_has(text, "| frame-24 | new | index 100, runs 625 | directory 77 | 725 | "
                     "0.725 | 2.90 | 525 | 575 | 475 |\n");
    assert_has(text, "| broken | new | failed: " SAMPLE_FLAW_IN_CELL " |  | - | ");
    assert_has(text, "| 500 | 0.500 | 2.00 |");
}

/* Figures that depend on compressor libraries or floating point are not in the checked block. */
TEST(checked_tables_hold_nothing_of_the_machine)
{
    char *text = sizes_text(*state, false);
    assert_has(text, "| 725 | 0.725 | 2.90 |\n");
    assert_lacks(text, "zstd");
    assert_lacks(text, "entropy");
}

/* ---- the block ------------------------------------------------------------------------------- */

/* The committed block. `report --check-sizes` compares it with one that it computes. */
static char *block(void)
{
    struct bo_input in;
    assert_true(bo_input_open("results/sizes.md", &in));
    const char *begin = memmem(in.bytes.p, in.bytes.n, "<!-- sizes begin -->", 20);
    const char *end = memmem(in.bytes.p, in.bytes.n, "<!-- sizes end -->\n", 19);
    assert_true(begin && end && begin < end);
    char *text = bo_arena_printf(&arena, "%.*s", (int)(end - begin) + 19, begin);
    bo_input_close(&in);
    return text;
}

static bool compare(const char *report, const char *fresh, char **message_ret)
{
    const bool same = bo_sizes_compare(report, fresh, printing());
    *message_ret = printed_text();
    return same;
}

/* All embedded documents in all encodings. */
TEST(the_block_is_complete)
{
    char *a = block();
    struct bo_documents documents;
    assert_true(bo_documents_list(NULL, BO_DOCUMENTS_EMBEDDED, &documents));
    assert_true(documents.n > 0);
    for (size_t i = 0; i < documents.n; i++) {
        const struct bo_document *d = &documents.items[i];
        char name[256];
        snprintf(name, sizeof name, "\n**%s, %s** ", d->format->name, d->name);
        const char *at = assert_has(a, name);
        for (const struct bo_codec *const *c = d->format->codecs; *c; c++) {
            snprintf(name, sizeof name, "\n| %s%s | ", (*c)->name,
                     (*c)->probabilistic ? " (~)" : "");
            assert_true((strstr(at, name) != NULL) == (!(*c)->reads && !(*c)->optional));
        }
    }
    bo_documents_free(&documents);
}

TEST(equal_blocks_pass_wherever_they_stand)
{
    char *fresh = block(), *message;
    const char *report = bo_arena_printf(&arena, "# A page\n\n%s\nmore of it\n", fresh);
    assert_true(compare(report, fresh, &message));
    assert_string_equal(message, "");
}

TEST(one_changed_byte_is_shown)
{
    char *fresh = block(), *report = block(), *message;
    assert_has(report, "| 1.000 |")[2] = '2';
    assert_false(compare(report, fresh, &message));
    assert_has(assert_has(message, "\n-| "), "| 2.000 |");
    assert_has(message, "\n+| ");
    assert_int_equal(count_of(message, "\n"), 4); /* two of heading, one old, one new */
}

TEST(lost_and_new_lines_are_shown)
{
    char *message;
    assert_false(compare("<!-- sizes begin -->\na\nb\nc\n<!-- sizes end -->\n",
                         "<!-- sizes begin -->\nb\nx\nc\n<!-- sizes end -->\n", &message));
    assert_string_equal(message, "--- the report\n+++ a fresh run\n-a\n+x\n");
    assert_false(compare("a page without a block\n", "<!-- sizes begin -->\n<!-- sizes end -->\n",
                         &message));
    assert_has(message, "no table of sizes");
}

TEST_FILE(sample_setup, sample_teardown)
