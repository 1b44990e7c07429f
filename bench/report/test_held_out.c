/* Held-out documents are listed next to the others, and are in no common mean. */
#include "bench/report/test_sample.h"

#include "bench/report/format.h"
#include "bench/report/held_out.h"
#include "harness/registry.h"

/*
 * The sample with its second document held out; its raw sizes are as the first's, but for one
 * codec.
 */
static void make(struct bo_run *run, bool held_out)
{
    struct bo_run sample;
    sample_make(&sample);
    json_t *json = json_deep_copy(sample.json), *codec;
    bo_run_free(&sample);
    json_t *documents =
        json_object_get(json_object_get(json_object_get(json, "context"), "bakeoff"), "documents");
    json_t *second = json_array_get(documents, 1);
    size_t i;
    json_object_set_new(second, "held_out", json_boolean(held_out));
    json_array_foreach(
        json_object_get(second, "codecs"), i,
        codec) if (strcmp(json_string_value(json_object_get(codec, "name")), "frame-24") == 0)
        json_object_set_new(codec, "bytes", json_integer(2 * 870));
    assert_true(bo_run_take(json, "sample", run));
}

TEST(test_side_by_side)
{
    struct bo_run run;
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    make(&run, true);
    assert_int_equal(bo_n_documents(&run, "pcdata", true), 1);
    assert_true(bo_held_out_grid(&run, "pcdata", &arena, &grid));
    /*
     * bytes: 725 and 870 over 1000; times: medians over those of the first codec, as the sample has
     * them
     */
    const double known = sample_median(3, 3, 0) / sample_median(0, 3, 0);
    const double held_out = sample_median(3, 3, 1) / sample_median(0, 3, 1);
    const char *line =
        bo_arena_printf(&arena, "| frame-24 | new | 0.725 | 0.870 | 1.200 | %.3f | %.3f | %.3f |",
                        known, held_out, held_out / known);
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    bo_grid_markdown(&grid, out);
    fclose(out);
    assert_non_null(strstr(text, line));
    assert_non_null(strstr(text, "| broken | new | - | - | - | - | - | - |"));
    free(text);
    bo_run_free(&run);
    bo_arena_free(&arena);
}

/* Without held-out documents there is no comparison. */
TEST(test_needs_both)
{
    struct bo_run run;
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    make(&run, false);
    assert_false(bo_held_out_grid(&run, "pcdata", &arena, &grid));
    assert_false(bo_held_out_grid(&run, "lprf", &arena, &grid));
    bo_run_free(&run);
    bo_arena_free(&arena);
}

static char *page_of(bool held_out)
{
    struct bo_run run;
    struct bo_arena arena;
    char *text = NULL;
    size_t nbytes;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    make(&run, held_out);
    FILE *out = open_memstream(&text, &nbytes);
    struct bo_page page = {
        .run = &run, .results = "r", .pictures = "p", .root = "", .arena = &arena, .out = out};
    bo_page_documents(&page, &page, bo_find_format("pcdata"));
    fclose(out);
    bo_run_free(&run);
    bo_arena_free(&arena);
    return text;
}

TEST(test_in_no_other_mean)
{
    char *text = page_of(true), *others = page_of(false);
    assert_non_null(strstr(text, "### Held-out documents"));
    assert_non_null(strstr(text, "| frame-24 | new | 0.725 | 0.870 | 1.200 |"));
    assert_null(strstr(text, "geometric mean*"));
    assert_null(strstr(others, "### Held-out documents"));
    assert_non_null(strstr(others, "geometric mean*"));
    free(text);
    free(others);
}

TEST_FILE(NULL, NULL)
