/*
 * The results file: Google Benchmark's schema, figures by hand, a failure's entry, and the same
 * rows as a table.
 */
#include "harness/core/test_cmocka.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "bench/measure/test_toy.h"
#include "bench/report/run_table.h"
#include "bench/report/test_sample.h"
#include "bench/runs/results.h"
#include "harness/core/print.h"

/* One cell with three rows: measured three times, failed, and failed after one repetition. */
static struct {
    struct bo_format format;
    struct toy_model model;
    struct bo_document document;
    struct bo_bench_options options;
    struct bo_record times[4];
    struct bo_bench_row rows[3];
    struct bo_payload payload;
    struct bo_query_set empty;
    struct bo_bench_document on;
    struct bo_bench_cell cell;
    struct bo_plan plan;
} f;

static const struct bo_codec *const codecs[] = {&toy_honest, NULL};

static struct bo_record repetition(double real_ns, double p10_ns)
{
    struct bo_record record = {
        .type = BO_RECORD_TIME, .iterations = 100, .real_ns = real_ns, .cpu_ns = real_ns + 1};
    bo_record_count(&record, "p10_ns", p10_ns);
    bo_record_count(&record, "p90_ns", p10_ns + 8);
    return record;
}

static int make(void **state)
{
    memset(&f, 0, sizeof f);
    f.format = toy_format(codecs);
    toy_fill(&f.model, 40);
    f.document = toy_document(&f.format, &f.model);
    f.options = (struct bo_bench_options){.rounds = 3, .min_time_s = 0.25, .order_seed = 9};
    f.times[0] = repetition(12, 7);
    f.times[1] = repetition(10, 6);
    f.times[2] = repetition(20, 8);
    f.times[3] = repetition(1, 1);
    f.rows[0] = (struct bo_bench_row){
        .name = "toy/honest/box/get/uniform", .label = "get/uniform", .times = f.times};
    f.rows[0].n_times = 3;
    bo_record_count(&f.rows[0].exact, "touched_pages", 1.5);
    f.rows[1] = (struct bo_bench_row){
        .name = "toy/honest/box/open", .label = "open", .failure = "crashed: \"quoted\""};
    f.rows[2] = (struct bo_bench_row){.name = "toy/honest/box/encode",
                                      .label = "encode",
                                      .times = &f.times[3],
                                      .n_times = 1,
                                      .failure = "not done after 3 s"};
    f.payload = (struct bo_payload){.fd = -1, .ready = true, .nbytes = 168, .counted_nbytes = 164};
    f.empty = (struct bo_query_set){.label = "get/nowhere"};
    f.on = (struct bo_bench_document){
        .document = &f.document, .text_nbytes = 7, .n_units = 40, .sets = &f.empty, .n_sets = 1};
    f.cell = (struct bo_bench_cell){.codec = &toy_honest,
                                    .variant = &bo_variants[0],
                                    .on = &f.on,
                                    .payload = &f.payload,
                                    .rows = f.rows,
                                    .n_rows = 3};
    f.plan = (struct bo_plan){.on = &f.on, .cells = &f.cell, .n_cells = 1, .n_rows = 3};
    return 0;
}

static struct bo_results *results(void)
{
    struct bo_results *results = bo_results_start(&f.options, json_pack("{s:{}}", "bakeoff"));
    bo_results_add(results, &f.plan, json_pack("{s:s}", "name", "box"));
    return results;
}

static json_t *results_json(void)
{
    struct bo_results *made = results();
    json_t *json = bo_results_json(made);
    bo_results_free(made);
    assert_non_null(json);
    return json;
}

static double number_at(const json_t *entry, const char *key)
{
    assert_true(json_is_number(json_object_get(entry, key)));
    return json_number_value(json_object_get(entry, key));
}

TEST_WITH(entries_of_a_sound_row, make, NULL)
{
    static const double real_times[] = {12, 10, 20}, p10s[] = {7, 6, 8};
    json_t *json = results_json(), *entries = json_object_get(json, "benchmarks");
    for (size_t i = 0; i < 3; i++) {
        const json_t *entry = json_array_get(entries, i);
        assert_string_equal(text_at(entry, "name"), "toy/honest/box/get/uniform");
        assert_string_equal(text_at(entry, "run_name"), "toy/honest/box/get/uniform");
        assert_string_equal(text_at(entry, "run_type"), "iteration");
        assert_string_equal(text_at(entry, "time_unit"), "ns");
        assert_float_equal(number_at(entry, "real_time"), real_times[i], 1e-9);
        assert_float_equal(number_at(entry, "cpu_time"), real_times[i] + 1, 1e-9);
        assert_int_equal(json_integer_value(json_object_get(entry, "repetitions")), 3);
        assert_true(number_at(entry, "repetition_index") == (double)i);
        assert_true(number_at(entry, "bytes") == 164);
        assert_true(number_at(entry, "touched_pages") == 1.5);
        assert_true(number_at(entry, "p10_ns") == p10s[i]);
        assert_true(number_at(entry, "p90_ns") == p10s[i] + 8);
    }
    json_decref(json);
}

TEST_WITH(failures_have_an_entry, make, NULL)
{
    json_t *json = results_json(), *entries = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(entries), 3 + 1 + 2);
    const json_t *failed = json_array_get(entries, 3);
    assert_string_equal(text_at(failed, "name"), "toy/honest/box/open");
    assert_true(json_is_true(json_object_get(failed, "error_occurred")));
    assert_string_equal(text_at(failed, "error_message"), "crashed: \"quoted\"");
    assert_null(json_object_get(failed, "real_time"));
    assert_null(json_object_get(json_array_get(entries, 4), "error_occurred"));
    assert_string_equal(text_at(json_array_get(entries, 5), "error_message"), "not done after 3 s");
    json_decref(json);
}

TEST_WITH(the_context_describes_the_documents, make, NULL)
{
    json_t *json = results_json();
    const json_t *ours = json_object_get(json_object_get(json, "context"), "bakeoff");
    const json_t *document = json_array_get(json_object_get(ours, "documents"), 0);
    assert_string_equal(text_at(document, "xxh3"), "0123456789abcdef");
    assert_string_equal(text_at(document, "provenance"), "made here");
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(document, "not_asked"), 0)),
        "get/nowhere");
    assert_true(number_at(ours, "rounds") == 3);
    assert_true(number_at(json_object_get(ours, "seeds"), "order") == 9);
    json_decref(json);
}

TEST_WITH(a_users_path_stays_private, make, NULL)
{
    f.document.path = f.document.provenance = "/home/somebody/secret.txt";
    json_t *json = results_json();
    char *text = json_dumps(json, 0);
    assert_lacks(text, "somebody");
    free(text);
    json_decref(json);
}

/* Every digit of a count survives the way through the file, and results of a file stay the same. */
TEST_WITH(what_is_written_reads_back, make, NULL)
{
    f.rows[0].exact.counters[0].value = 542204864123;
    f.times[1].real_ns = 5.291502622129181;
    json_t *json = results_json(), *entries = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(entries), 6);
    const json_t *count = json_object_get(json_array_get(entries, 0), "touched_pages");
    assert_int_equal(json_integer_value(count), 542204864123);
    assert_float_equal(number_at(json_array_get(entries, 1), "real_time"), 5.2915026, 1e-6);
    struct bo_results *again = bo_results_of(json);
    json_t *back = bo_results_json(again);
    assert_true(json_equal(back, json));
    json_decref(back);
    /* the next document's rows come after them */
    bo_results_add(again, &f.plan, json_pack("{s:s}", "name", "box"));
    back = bo_results_json(again);
    entries = json_object_get(back, "benchmarks");
    assert_int_equal(json_array_size(entries), 12);
    bo_results_free(again);
    json_decref(back);
    json_decref(json);
}

/* Whether results whose context has `key` can be resumed by a run without it. */
static bool is_resumed_with(const char *key)
{
    const struct bo_documents all = {&f.document, 1};
    json_t *json = results_json(), *context = json_object_get(json, "context");
    json_t *ours = json_object_get(context, "bakeoff");
    struct bo_results *fresh = bo_results_start(&f.options, json_pack("{s:{}}", "bakeoff"));
    json_object_set_new(json_array_get(json_object_get(ours, "documents"), 0), "complete_rounds",
                        json_integer(1));
    bo_results_mark(context, &all);
    if (key)
        json_object_set_new(ours, key, json_pack("{s:s}", "isa_cap", "x86-64-v2"));
    const bool ok = bo_results_resume("a.json", json, &all, &fresh);
    bo_results_free(fresh);
    json_decref(json);
    return ok;
}

/* Code paths and libraries affect times, so one file has those of one run. */
TEST_WITH(other_paths_and_libraries_are_not_resumed, make, NULL)
{
    static const char *const keys[] = {"processor", "paths", "libraries", "optional_codecs",
                                       "plugins"};
    assert_true(is_resumed_with(NULL));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_false(is_resumed_with(keys[i]));
}

static char *table_text(unsigned width)
{
    bo_table_print(&f.plan, width, printing());
    return printed_text();
}

TEST_WITH(tables_show_medians_and_failures, make, NULL)
{
    char *text = table_text(120);
    assert_has(text, "12.0 [7.00-15.0]");
    assert_has(text, "failed: toy/honest/box/open: crashed: \"quoted\"\n");
    assert_has(text, "not run: get/nowhere of box");
}

TEST_WITH(narrow_tables_go_on_below, make, NULL)
{
    assert_int_equal(count_of(table_text(120), "honest  "), 1);
    assert_int_equal(count_of(table_text(24), "honest  "), 3);
}

TEST(times_in_their_units)
{
    static const struct {
        double ns;
        const char *text, *unit;
    } cases[] = {
        {0.0123, "0.0123", "ns"}, {1.234, "1.23", "ns"}, {12.34, "12.3", "ns"},
        {123.4, "123", "ns"},     {9999, "9999", "ns"},  {12345, "12.3", "us"},
        {1.5e7, "15.0", "ms"},    {2.5e10, "25.0", "s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(bo_table_time(&arena, cases[i].ns, cases[i].ns), cases[i].text);
        assert_string_equal(bo_time_unit_for(cases[i].ns).name, cases[i].unit);
    }
}

TEST_FILE(set_up, tear_down)
