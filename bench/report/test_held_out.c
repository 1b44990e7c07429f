/* Held-out documents are listed next to the others, and are in no common mean. */
#include "bench/report/test_sample.h"

#include "bench/report/format.h"
#include "bench/report/held_out.h"
#include "harness/registry.h"

/*
 * The sample with its second document held out; its raw sizes are as the first's, but for one
 * codec.
 */
static const struct bo_run *make(bool held_out)
{
    json_t *json = sample_json();
    json_object_set_new(json_array_get(json_object_get(sample_ours(json), "documents"), 1),
                        "held_out", json_boolean(held_out));
    json_object_set_new(sample_size(json, 1, "frame-24"), "bytes", json_integer(2 * 870));
    return sample_take(json);
}

TEST(test_side_by_side)
{
    const struct bo_run *run = make(true);
    struct bo_grid grid;
    assert_non_null(bo_held_out_grid(run, "pcdata", &arena, &grid));
    /*
     * bytes: 725 and 870 over 1000; times: medians over those of the first codec, as the sample has
     * them
     */
    const double known = sample_median(3, 3, 0) / sample_median(0, 3, 0);
    const double held_out = sample_median(3, 3, 1) / sample_median(0, 3, 1);
    const char *line =
        bo_arena_printf(&arena, "| frame-24 | new | 0.725 | 0.870 | 1.200 | %.3f | %.3f | %.3f |",
                        known, held_out, held_out / known);
    const char *text = grid_text(&grid);
    assert_has(text, line);
    assert_has(text, "| broken | new | - | - | - | - | - | - |");
}

/* The times are of a query that all documents have; without one there are none. */
TEST(test_common_query)
{
    for (unsigned i = 0; i < 2; i++) {
        json_t *json = sample_json();
        struct bo_grid grid;
        json_object_set_new(json_array_get(json_object_get(sample_ours(json), "documents"), 1),
                            "held_out", json_true());
        for (unsigned c = 0; c < N_SAMPLE_CODECS; c++) {
            sample_drop(json, bo_arena_printf(&arena, "pcdata/%s/large", sample_codecs[c].name),
                        "/point/uniform");
            if (i)
                sample_drop(json, bo_arena_printf(&arena, "pcdata/%s/small", sample_codecs[c].name),
                            "/point/pc-4096");
        }
        const struct bo_run *run = sample_take(json);
        const char *caption = bo_held_out_grid(run, "pcdata", &arena, &grid);
        assert_non_null(caption);
        const char *text = grid_text(&grid);
        assert_lacks(text, "point/uniform");
        if (i) {
            assert_lacks(text, "point/");
            assert_lacks(caption, "of the time of");
        } else {
            const double known = sample_median(3, 4, 0) / sample_median(0, 4, 0);
            assert_has(text, "point/pc-4096, held-out over embedded");
            assert_has(
                text,
                bo_arena_printf(&arena, "| frame-24 | new | 0.725 | 0.725 | 1.000 | %.3f ", known));
            assert_has(caption, "of the time of point/pc-4096 over");
        }
    }
}

/* Without held-out documents there is no comparison. */
TEST(test_needs_both)
{
    const struct bo_run *run = make(false);
    struct bo_grid grid;
    assert_null(bo_held_out_grid(run, "pcdata", &arena, &grid));
    assert_null(bo_held_out_grid(run, "lprf", &arena, &grid));
}

static char *page_of(bool held_out)
{
    const struct bo_page page = printing_page(make(held_out));
    bo_page_documents(&page, &page, bo_find_format("pcdata"));
    return printed_text();
}

TEST(test_in_no_other_mean)
{
    char *text = page_of(true), *others = page_of(false);
    assert_has(text, "### Held-out documents");
    assert_has(text, "| frame-24 | new | 0.725 | 0.870 | 1.200 |");
    assert_lacks(text, "geometric mean*");
    assert_lacks(others, "### Held-out documents");
    assert_has(others, "geometric mean*");
}

TEST_FILE(sample_setup, sample_teardown)
