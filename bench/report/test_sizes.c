/*
 * Size tables, the block of sizes that every machine must reproduce, and the message for a
 * difference.
 */
#include "bench/report/test_sample.h"

#include "bench/report/sizes.h"
#include "harness/core/input.h"

static char *grid_text(bool machine_dependent)
{
    struct bo_run run;
    struct bo_arena arena;
    struct bo_grid grid;
    char *text = NULL;
    size_t nbytes;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    FILE *out = open_memstream(&text, &nbytes);
    assert_non_null(out);
    sample_make(&run);
    bo_sizes_grid(&run.documents[0].sizes, machine_dependent, &arena, &grid);
    bo_grid_markdown(&grid, out);
    fclose(out);
    bo_run_free(&run);
    bo_arena_free(&arena);
    return text;
}

TEST(a_table_by_hand)
{
    char *text = grid_text(true);
    assert_non_null(strstr(text, "| codec | role | sections | aside | bytes | ratio | B/table | "
                                 "zstd -19 | lz4 -9 | xz -9 |\n"));
    assert_non_null(strstr(text, "| frame-24 | new | index 100, runs 625 | directory 77 | 725 | "
                                 "0.725 | 2.90 | 525 | 575 | 475 |\n"));
    assert_non_null(strstr(text, "| broken | new | failed: " SAMPLE_FLAW_IN_CELL " |  | - | "));
    assert_non_null(strstr(text, "| 500 | 0.500 | 2.00 |"));
    free(text);
}

/* Figures that depend on compressor libraries or floating point are not in the checked block. */
TEST(checked_tables_hold_nothing_of_the_machine)
{
    char *text = grid_text(false);
    assert_non_null(strstr(text, "| 725 | 0.725 | 2.90 |\n"));
    assert_null(strstr(text, "zstd"));
    assert_null(strstr(text, "entropy"));
    free(text);
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
    char *text = strndup(begin, (size_t)(end - begin) + 19);
    bo_input_close(&in);
    return text;
}

static bool compare(const char *report, const char *fresh, char **message_ret)
{
    size_t nbytes;
    FILE *out = open_memstream(message_ret, &nbytes);
    assert_non_null(out);
    const bool same = bo_sizes_compare(report, fresh, out);
    fclose(out);
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
        const char *at = strstr(a, name);
        assert_non_null(at);
        for (const struct bo_codec *const *c = d->format->codecs; *c; c++) {
            snprintf(name, sizeof name, "\n| %s%s | ", (*c)->name,
                     (*c)->probabilistic ? " (~)" : "");
            assert_true((strstr(at, name) != NULL) == (!(*c)->reads && !(*c)->optional));
        }
    }
    bo_documents_free(&documents);
    free(a);
}

TEST(equal_blocks_pass_wherever_they_stand)
{
    char *fresh = block(), *report = NULL, *message;
    assert_true(asprintf(&report, "# A page\n\n%s\nmore of it\n", fresh) > 0);
    assert_true(compare(report, fresh, &message));
    assert_string_equal(message, "");
    free(message);
    free(report);
    free(fresh);
}

TEST(one_changed_byte_is_shown)
{
    char *fresh = block(), *report = strdup(fresh), *message;
    char *digit = strstr(report, "| 1.000 |");
    assert_non_null(digit);
    digit[2] = '2';
    assert_false(compare(report, fresh, &message));
    char *removed = strstr(message, "\n-| "), *added = strstr(message, "\n+| ");
    assert_non_null(removed);
    assert_non_null(added);
    assert_non_null(strstr(removed, "| 2.000 |"));
    unsigned n_lines = 0;
    for (const char *p = message; *p; p++)
        n_lines += *p == '\n';
    assert_int_equal(n_lines, 4); /* two of heading, one old, one new */
    free(message);
    free(report);
    free(fresh);
}

TEST(lost_and_new_lines_are_shown)
{
    char *message;
    assert_false(compare("<!-- sizes begin -->\na\nb\nc\n<!-- sizes end -->\n",
                         "<!-- sizes begin -->\nb\nx\nc\n<!-- sizes end -->\n", &message));
    assert_string_equal(message, "--- the report\n+++ a fresh run\n-a\n+x\n");
    free(message);
    assert_false(compare("a page without a block\n", "<!-- sizes begin -->\n<!-- sizes end -->\n",
                         &message));
    assert_non_null(strstr(message, "no table of sizes"));
    free(message);
}

TEST_FILE(NULL, NULL)
