/* Size tables, and the page of sizes that every machine must reproduce. */
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
    assert_has(text, "| order-0 entropy | - |  |  | 500 | 0.500 | 2.00 |");
}

TEST(marks_and_notes)
{
    json_t *json = sample_json();
    json_object_set_new(sample_size(json, 0, "frame-24"), "leaves_out", json_string("names"));
    const struct bo_run *run = sample_take(json);
    const struct bo_sizes *marked = &run->documents[0].sizes;
    assert_has(sizes_text(run, true), "| frame-24 (<) | new |");
    assert_has(bo_sizes_note(marked, true, &arena), " names (frame-24). ");
    assert_has(bo_sizes_note(marked, true, &arena), " The order-0 entropy is ");
    assert_lacks(bo_sizes_note(marked, false, &arena), "entropy");
    run = *state;
    assert_null(bo_sizes_note(&run->documents[0].sizes, false, &arena));
}

/* Figures that depend on compressor libraries or floating point are not in the checked page. */
TEST(checked_tables_hold_nothing_of_the_machine)
{
    char *text = sizes_text(*state, false);
    assert_has(text, "| 725 | 0.725 | 2.90 |\n");
    assert_lacks(text, "zstd");
    assert_lacks(text, "entropy");
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The committed page. `report --check-sizes` compares it with one that it computes. */
static char *page(void)
{
    struct bo_input in;
    assert_true(bo_input_open("results/sizes.md", &in));
    char *text = bo_arena_printf(&arena, "%.*s", (int)in.bytes.n, (const char *)in.bytes.p);
    bo_input_close(&in);
    return text;
}

/* All embedded documents in all encodings. */
TEST(the_page_is_complete)
{
    char *a = page();
    struct bo_documents documents;
    assert_true(bo_documents_list(NULL, BO_DOCUMENTS_EMBEDDED, &documents));
    assert_true(documents.n > 0);
    for (size_t i = 0; i < documents.n; i++) {
        const struct bo_document *d = &documents.items[i];
        char name[256];
        snprintf(name, sizeof name, "\n**%s, %s** ", d->format->name, d->name);
        const char *at = assert_has(a, name);
        for (const struct bo_codec *const *c = d->format->codecs; *c; c++) {
            snprintf(name, sizeof name, "\n| %s ", (*c)->name);
            assert_true((strstr(at, name) != NULL) == (!(*c)->reads && !(*c)->optional));
        }
    }
    bo_documents_free(&documents);
}

TEST_FILE(sample_setup, sample_teardown)
