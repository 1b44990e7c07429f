/* Answers in words. Why: each sentence must follow from the figures, and change with them. */
#include "bench/report/test_sample.h"

#include "bench/report/answer.h"
#include "bench/report/machines.h"
#include "bench/report/paths.h"
#include "bench/report/report.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* The sample's codecs by their numbers there. */
enum { VARINT = 0, CACHED = 1, LINEAR = 2, FRAME = 3, LIAR = 5 };
enum { POINT = 3 };

/* The sample on a machine, with the times of "codec" or "codec/operation" multiplied; or NULL. */
static json_t *sample_on(const char *machine, const char *codec, double factor)
{
    const char *label = codec ? strchr(codec, '/') : NULL;
    const size_t n = codec ? strcspn(codec, "/") : 0;
    json_t *json = sample_json(), *entry;
    size_t i;
    json_object_set_new(sample_ours(json), "machine", json_string(machine));
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const char *name = text_at(entry, "run_name");
        json_t *time = json_object_get(entry, "real_time");
        const char *slash = strchr(name, '/') + 1;
        if (time && codec && strncmp(slash, codec, n) == 0 && slash[n] == '/' &&
            (!label || strcmp(strrchr(name, '/'), label) == 0))
            json_object_set_new(entry, "real_time", json_real(factor * json_number_value(time)));
    }
    return json;
}

/* The bytes of a codec in all documents. */
static void set_bytes(json_t *json, const char *codec, int nbytes)
{
    for (int d = 0; d < 2; d++)
        json_object_set_new(sample_size(json, (size_t)d, codec), "bytes",
                            json_integer(nbytes * (d + 1)));
}

/* The answer of these runs, which it takes ownership of. */
static const char *answer_of(json_t *const *jsons, size_t n)
{
    const struct bo_run *runs[3];
    for (size_t i = 0; i < n; i++)
        runs[i] = sample_take(jsons[i]);
    return bo_answer_text(runs, n, bo_find_format("pcdata"), &arena);
}

static const char *answer_on(const char *codec, double factor)
{
    json_t *json = sample_on("test-cpu-2c", codec, factor);
    return answer_of(&json, 1);
}

/* The geometric mean over both documents of one codec's time of the first query over another's. */
static double time_over(unsigned codec, double factor, unsigned other)
{
    double product = 1;
    for (unsigned d = 0; d < 2; d++)
        product *= factor * sample_median(codec, POINT, d) / sample_median(other, POINT, d);
    return sqrt(product);
}

/* ---- the first sentence ---------------------------------------------------------------------- */

TEST(figures_are_those_of_the_run)
{
    const char *text = answer_on(NULL, 1);
    const char *faster = bo_significant(&arena, 1 / time_over(LIAR, 1, VARINT));
    const char *than_linear = bo_significant(&arena, 1 / time_over(LIAR, 1, LINEAR));
    assert_has(text, "**Choose `liar`** (new) if size and the time of `point/uniform` have equal "
                     "weight: on test-cpu-2c it is 1.67 times smaller and ");
    assert_has(text, "\n- Factors are geometric means over 2 documents.\n");
    assert_has(text, bo_arena_printf(&arena,
                                     "it is 1.67 times smaller and %s times faster than the status "
                                     "quo `varint-delta`, and 2.08 times smaller and %s times "
                                     "faster than the best proposal `linear-index`; ",
                                     faster, than_linear));
}

TEST(other_times_make_other_sentences)
{
    const char *text = answer_on("liar", 1.1);
    const double ratio = time_over(LIAR, 1.1, VARINT);
    assert_has(text, bo_arena_printf(&arena,
                                     "it is 1.67 times smaller but %s times slower than the status "
                                     "quo `varint-delta`",
                                     bo_significant(&arena, ratio)));
}

/* Without intervals and comparisons of a codec with itself, no time is known to be shorter. */
TEST(one_repetition_shows_no_difference)
{
    json_t *json = sample_json_of(1);
    const char *text = answer_of(&json, 1);
    assert_has(text, "it is 1.67 times smaller than the status quo `varint-delta`, and not "
                     "measurably faster or slower than it");
    assert_lacks(text, "times faster");
}

TEST(other_bytes_make_other_sentences)
{
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    set_bytes(json, "liar", 500);
    assert_has(answer_of(&json, 1), "it is 2.00 times smaller and ");
}

/* Two medians with overlapping intervals are no difference. */
TEST(what_intervals_leave_open_is_no_difference)
{
    const char *text = answer_on("liar", 1 / time_over(LIAR, 1, VARINT));
    assert_has(text, "it is 1.67 times smaller than the status quo `varint-delta`, and not "
                     "measurably faster or slower than it");
}

/* A headline of three sentences, in one line; the rest is a list. */
TEST(the_headline_has_three_sentences)
{
    const double factors[] = {1, 1.1, 9};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        const char *text = answer_on("liar", factors[i]);
        const size_t n = strcspn(text, "\n");
        assert_memory_equal(text + n, "\n\n- ", 4);
        assert_int_equal(text[n - 1], '.');
        const char *headline = bo_arena_printf(&arena, "%.*s", (int)n, text);
        assert_int_equal(count_of(headline, ". "), 2);
        assert_true(count_of(headline, " **Not if** ") == 1 ||
                    count_of(headline, " No reason against it was measured. ") == 1);
        assert_int_equal(count_of(headline, " **How sure:** "), 1);
        assert_int_equal(count_of(text, "\n"), 2 + count_of(text, "\n- "));
    }
}

/* If bakeoff's own codec does not win, the answer says so. */
TEST(a_loss_is_stated)
{
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    set_bytes(json, "liar", 6000);
    set_bytes(json, "frame-24", 7000);
    const char *text = answer_of(&json, 1);
    assert_has(text, "**Choose `varint-delta`** (status quo)");
    assert_has(text, "; no codec of bakeoff's own wins: the product of size and "
                     "time of the best of them, `liar`, is ");
}

/* ---- portable C ------------------------------------------------------------------------------ */

/* In a run with recorded paths, codecs that are not listed are portable. */
TEST(the_portable_path_is_named)
{
    assert_has(answer_on(NULL, 1), "; its portable path was not measured in this run.");
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    json_object_set_new(sample_ours(json), "paths", json_pack("{s:s}", "pcdata/else", "x86-64-v3"));
    assert_has(answer_of(&json, 1), "; all of these times are of portable C.");

    json = sample_on("test-cpu-2c", NULL, 1);
    json_object_set_new(sample_ours(json), "paths",
                        json_pack("{s:s}", "pcdata/linear-index", "x86-64-v3"));
    const char *faster = bo_significant(&arena, 1 / time_over(LIAR, 1, VARINT));
    assert_has(answer_of(&json, 1),
               bo_arena_printf(&arena,
                               "; in portable C `liar` is %s times faster than the status quo "
                               "`varint-delta`, and not measured against the best proposal "
                               "`linear-index`.",
                               faster));
}

/* A run that measured the codec on its portable path, too. */
TEST(portable_variants_are_compared)
{
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    sample_add_portable(json, "liar", 1.5);
    const char *slower = bo_significant(&arena, time_over(LIAR, 1.5, VARINT));
    const char *text = answer_of(&json, 1);
    assert_has(text, "geometric means over 2 documents, of code path x86-64-v3.");
    assert_has(text,
               bo_arena_printf(&arena,
                               "; in portable C `liar` is %s times slower than the status quo "
                               "`varint-delta`, and ",
                               slower));
    assert_has(text, bo_arena_printf(&arena,
                                     "or only portable C can run (it is %s times slower than "
                                     "`varint-delta`)",
                                     slower) +
                         strlen("or "));
}

/* A portable path with wrong answers was measured. */
TEST(a_failed_portable_path_is_named)
{
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    sample_add_portable(json, "liar", 1.5);
    sample_fail(json, "liar@portable");
    const char *text = answer_of(&json, 1);
    assert_has(text, "; its portable path failed in this run.");
    assert_lacks(text, "was not measured in this run");

    json = sample_on("test-cpu-2c", NULL, 1);
    sample_add_portable(json, "linear-index", 1.5);
    sample_fail(json, "linear-index@portable");
    assert_has(answer_of(&json, 1),
               ", and not measured against the best proposal `linear-index`, which failed.");
}

/* ---- not if, how sure ------------------------------------------------------------------------ */

TEST(costs_are_reasons_against_it)
{
    assert_lacks(answer_on(NULL, 1), "encoding has to be fast");
    assert_has(answer_on("liar/encode", 3), "**Not if** encoding has to be fast (it takes ");
}

TEST(other_weights_make_other_picks)
{
    assert_has(answer_on(NULL, 1), "; no other weight of size and time changes the pick.");
    assert_has(answer_on("liar", 1.1), "; if time counts more than ");
}

/* The difference of a codec from itself, in other repetitions or layouts, is no difference. */
TEST(what_one_codec_differs_by_is_no_difference)
{
    json_t *json = sample_on("test-cpu-2c", NULL, 1), *entry;
    unsigned n = 0;
    size_t i;
    json_object_set_new(sample_ours(json), "layouts", json_pack("{s:i, s:i}", "n", 5, "seed", 1));
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        json_t *time = json_object_get(entry, "real_time");
        const unsigned layout = n++ % 5;
        json_object_set_new(entry, "layout", json_integer(layout));
        if (time)
            json_object_set_new(entry, "real_time",
                                json_real((1 + 0.1 * layout) * json_number_value(time)));
    }
    const char *text = answer_of(&json, 1);
    assert_has(text, "it is 1.67 times smaller than the status quo `varint-delta`, and not "
                     "measurably faster or slower than it");
    assert_has(text, " show no difference (A/A, 5 layouts); the layout of functions changes a time "
                     "by a standard deviation of 1");
}

/* ---- machines -------------------------------------------------------------------------------- */

TEST(conclusions_name_the_machines_on_which_they_hold)
{
    assert_has(answer_on(NULL, 1), "- This query was measured on one processor (test-cpu-2c)");
    json_t *jsons[] = {sample_on("a-2c", NULL, 1), sample_on("b-2c", "liar", 1.25),
                       sample_on("b-2c", "liar", 9)}; /* the first run of a machine counts */
    const char *text = answer_of(jsons, 3);
    assert_has(text, "; not all of this holds on b-2c. ");
    assert_has(text, "- a-2c, b-2c: `liar` is smaller than the status quo and smaller "
                     "than the best proposal on all of these machines.");
    assert_has(text, bo_arena_printf(&arena,
                                     "It is faster than the status quo on a-2c, but not on b-2c "
                                     "(%s times slower).",
                                     bo_significant(&arena, time_over(LIAR, 1.25, VARINT))));
    json_t *same[] = {sample_on("a-2c", NULL, 1), sample_on("b-2c", NULL, 1)};
    text = answer_of(same, 2);
    assert_has(text, "; the conclusions are the same on b-2c. ");
    assert_has(text,
               "`liar` is smaller than the status quo, faster than the status quo, smaller than "
               "the best proposal and faster than the best proposal on all of these machines.\n");
}

/* Gives documents [from, 2) of a run another content. */
static json_t *with_other_content(json_t *json, size_t from)
{
    json_t *documents = json_object_get(sample_ours(json), "documents");
    for (size_t d = from; d < 2; d++)
        json_object_set_new(json_array_get(documents, d), "xxh3", json_string("fedcba9876543210"));
    return json;
}

/* Both runs, which it takes ownership of, have only the first document in common. */
static void expect_first_document(json_t *const *jsons)
{
    const struct bo_run *const pair[] = {sample_take(jsons[0]), sample_take(jsons[1])};
    for (unsigned k = 0; k < 2; k++) {
        const struct bo_run_document **documents;
        assert_int_equal(bo_common_documents(pair[k], pair[1 - k], "pcdata", &arena, &documents),
                         1);
        assert_string_equal(documents[0]->name, sample_documents[0]);
    }
}

TEST(machines_are_compared_on_common_documents)
{
    json_t *others[] = {sample_on("a-2c", NULL, 1),
                        with_other_content(sample_on("b-2c", NULL, 1), 0)};
    assert_has(answer_of(others, 2), "- This query was measured on one processor (a-2c)");
    json_t *jsons[] = {sample_on("a-2c", NULL, 1),
                       with_other_content(sample_on("b-2c", NULL, 1), 1)};
    expect_first_document(jsons);
    /* The first machine has a recorded workload on one document, which the other one lacks. */
    json_t *recorded = sample_on("a-2c", NULL, 1), *entry;
    const char *start = "pcdata/", *name;
    size_t at;
    json_array_foreach(json_object_get(recorded, "benchmarks"), at, entry)
    {
        name = text_at(entry, "run_name") + strlen(start);
        const int n_codec = (int)strcspn(name, "/");
        if (strstr(name, sample_documents[1]) && strcmp(strrchr(name, '/'), "/uniform") == 0)
            json_object_set_new(entry, "run_name",
                                json_sprintf("%s%.*s/%s/point/recorded", start, n_codec, name,
                                             sample_documents[1]));
    }
    json_t *copies[] = {json_deep_copy(recorded), sample_on("b-2c", NULL, 1)};
    expect_first_document(copies);
    json_t *lacking[] = {recorded, sample_on("b-2c", NULL, 1)};
    assert_has(answer_of(lacking, 2), " on b-2c (by `point/uniform`).");
}

/* The status quo has another name, which no format has, and reads the whole file in open. */
TEST(a_status_quo_that_is_unpacked_is_marked)
{
    static const char old[] = "varint-delta", new[] = "whole-today!";
    json_t *json = sample_on("test-cpu-2c", NULL, 1);
    char *text = json_dumps(json, 0);
    json_decref(json);
    for (char *p = text; (p = strstr(p, old));)
        memcpy(p, new, strlen(new));
    json = json_loads(text, 0, NULL);
    free(text);
    for (size_t d = 0; d < 2; d++)
        json_object_set_new(sample_size(json, d, new), "access", json_string("whole"));
    assert_has(answer_of(&json, 1),
               " than the status quo `whole-today!` (not a candidate: it reads "
               "the whole file in `open`)");
    assert_lacks(answer_on(NULL, 1), "not a candidate");
}

/* ---- where the answer is shown --------------------------------------------------------------- */

TEST(the_table_for_mails_begins_with_it)
{
    char *text = sample_print(*state, "rfc", NULL, NULL);
    assert_memory_equal(text, "Choose liar (new) if size ", strlen("Choose liar (new) if size "));
}

TEST_FILE(sample_setup, sample_teardown)
