/* Layouts and variants of a results file, and A/A differences. */
#include "bench/report/test_sample.h"

#include "bench/runs/noise.h"
#include "bench/stats/stats.h"

enum { N_LAYOUTS = 5 };

/* Each layout makes all times so much longer; half of a layout's repetitions another 1%. */
static const double factors[N_LAYOUTS] = {1, 1.02, 1.04, 1.1, 1.2};

/* The sample with constant times, in layouts. */
static json_t *sample_in_layouts(void)
{
    json_t *json = sample_json(), *entry;
    unsigned n = 0;
    size_t i;
    json_object_set_new(sample_ours(json), "layouts",
                        json_pack("{s:i, s:i, s:s}", "n", N_LAYOUTS, "seed", 1, "linker", "lld"));
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const unsigned r = n++ % SAMPLE_REPETITIONS;
        if (!json_object_get(entry, "real_time"))
            n = 0;
        const double half = r / N_LAYOUTS % 2 ? 1.01 : 1;
        json_object_set_new(entry, "layout", json_integer(r % N_LAYOUTS));
        json_object_set_new(entry, "real_time", json_real(100 * factors[r % N_LAYOUTS] * half));
    }
    return json;
}

TEST(intervals_cover_layouts)
{
    const struct bo_run *plain = *state;
    const struct bo_run_document *document =
        bo_run_document(sample_take(sample_in_layouts()), "pcdata", "small-sample");
    const struct bo_run_row *row =
        bo_run_row(document, bo_run_codec(document, "linear-index"), "point/uniform");
    assert_non_null(row);
    assert_non_null(row->layouts);
    /* By hand: medians of a layout are 100.5 times its factor; t with 4 degrees is 2.776. */
    double logs[N_LAYOUTS], mean = 0, squares = 0;
    for (unsigned l = 0; l < N_LAYOUTS; l++)
        mean += (logs[l] = log(factors[l]) + (log(100) + log(101)) / 2) / N_LAYOUTS;
    for (unsigned l = 0; l < N_LAYOUTS; l++)
        squares += (logs[l] - mean) * (logs[l] - mean);
    const double half = 2.7764451 * sqrt(squares / (N_LAYOUTS - 1) / N_LAYOUTS);
    assert_true(fabs(row->interval.low / exp(mean - half) - 1) < 1e-6);
    assert_true(fabs(row->interval.high / exp(mean + half) - 1) < 1e-6);
    assert_true(row->interval.high / row->interval.low > 1.15);
    assert_in_range(1000 * row->layout_sd, 65, 80);
    assert_true(isnan(plain->rows[0].layout_sd) && !plain->rows[0].layouts);
}

/* One layout has no interval over layouts. */
TEST(one_layout_has_no_interval)
{
    json_t *json = sample_json(), *entry;
    size_t i;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
        json_object_set_new(entry, "layout", json_integer(0));
    const struct bo_run_document *document =
        bo_run_document(sample_take(json), "pcdata", "small-sample");
    const struct bo_run_row *row =
        bo_run_row(document, bo_run_codec(document, "linear-index"), "point/uniform");
    assert_non_null(row);
    assert_true(isnan(row->interval.low) && isnan(row->interval.high));
}

TEST(a_codec_against_itself)
{
    const struct bo_run *plain = *state, *run = sample_take(sample_in_layouts());
    const struct bo_noise noise = bo_noise_of(run, "pcdata", NULL, "point");
    assert_int_equal(noise.n_between, 15 * noise.n_rows);
    assert_int_equal(noise.n_within, N_LAYOUTS * noise.n_rows);
    /* Every second repetition of a layout is 1% longer. */
    assert_true(fabs(noise.within - 1.01) < 1e-9);
    /* The farthest of 15 pairs of groups: layouts 0 and 1 against 3 and 4. */
    assert_true(fabs(noise.between - sqrt(1.1 * 1.2 / 1.02)) < 1e-9);
    assert_true(noise.limit == noise.between);
    assert_true(bo_is_noise(&noise, 1.1) && bo_is_noise(&noise, 1 / 1.1));
    assert_false(bo_is_noise(&noise, 1.15) || bo_is_noise(&noise, 0.85));
    assert_has(bo_noise_text(&noise, &run->environment, &arena), "5 layouts");
    const struct bo_noise alone = bo_noise_of(plain, "pcdata", NULL, "point");
    assert_true(isnan(alone.between) && alone.n_between == 0 && alone.limit == alone.within);
    assert_has(bo_noise_text(&alone, &plain->environment, &arena), "one layout");
    const struct bo_noise nothing = bo_noise_of(plain, "pcdata", NULL, "poin");
    assert_true(nothing.n_rows == 0 && isnan(nothing.limit) && !bo_is_noise(&nothing, 1));
    assert_null(bo_noise_text(&nothing, &plain->environment, &arena));
    json_t *json = bo_noise_json(run, "pcdata", "small-sample");
    const json_t *point = json_object_get(json, "point");
    assert_true(fabs(json_real_value(json_object_get(point, "within")) - 1.01) < 1e-9);
    assert_non_null(json_object_get(json, "open"));
    json_decref(json);
}

/* Rows of variants belong to the codec, and are no codecs. */
TEST(variants_are_no_codecs)
{
    static const char *const variants[] = {"portable", "keep=7"}; /* the second is unknown */
    json_t *json = sample_json(), *entries = json_object_get(json, "benchmarks");
    json_object_set_new(sample_ours(json), "paths",
                        json_pack("{s:s}", "pcdata/frame-24", "x86-64-v3"));
    for (unsigned i = 0; i < 2; i++)
        json_object_set_new(
            sample_add(entries, 77, "pcdata/frame-24@%s/small-sample/point/uniform", variants[i]),
            "path", json_string("portable"));
    const struct bo_run_document *document =
        bo_run_document(sample_take(json), "pcdata", "small-sample");
    const struct bo_run_codec *codec = bo_run_codec(document, "frame-24");
    assert_int_equal(document->n_codecs, N_SAMPLE_CODECS);
    assert_string_equal(codec->path, "x86-64-v3");
    const struct bo_run_row *row =
        bo_run_variant_row(document, codec, BO_PORTABLE, "point/uniform");
    assert_non_null(row);
    assert_true(row->median_ns == 77);
    assert_string_equal(row->path, "portable");
    assert_true(bo_run_row(document, codec, "point/uniform")->median_ns != 77);
    assert_null(bo_run_variant_row(document, codec, BO_PORTABLE, "open"));
    /* Portable code only: its row is the portable one; its readers keep nothing. */
    const struct bo_run_codec *today = bo_run_codec(document, "varint-delta");
    row = bo_run_row(document, today, "open");
    assert_ptr_equal(bo_run_variant_row(document, today, BO_PORTABLE, "open"), row);
    assert_ptr_equal(bo_run_variant_row(document, today, BO_KEEP_0, "open"), row);
}

TEST_FILE(sample_setup, sample_teardown)
