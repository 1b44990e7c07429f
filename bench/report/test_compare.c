/* Two runs compared: verdicts, what they are about, and what is not compared. */
#include "bench/report/test_sample.h"

#include "bench/report/compare.h"

/* How the second run differs from the sample. */
struct difference {
    const char *row;     /* "codec/document/label": the end of the rows' names; NULL: none */
    double factor;       /* on their times */
    unsigned n_outlier;  /* only on the time of this repetition, from 1; 0: on all */
    const char *size_of; /* a codec whose bytes are one more; NULL */
    const char *failing; /* rows that fail; NULL */
    const char *machine; /* NULL: the same */
    const char *content; /* the first document's hash; NULL: the same */
};

static bool ends_with(const char *name, const char *end)
{
    return end && strlen(name) >= strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

static void change_rows(json_t *json, const struct difference *difference)
{
    size_t i;
    unsigned n = 0;
    json_t *entry;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const char *name = text_at(entry, "run_name");
        json_t *time = json_object_get(entry, "real_time");
        if (time && ends_with(name, difference->row) &&
            (++n == difference->n_outlier || !difference->n_outlier))
            json_real_set(time, json_real_value(time) * difference->factor);
        if (ends_with(name, difference->failing)) {
            json_object_set_new(entry, "error_occurred", json_true());
            json_object_set_new(entry, "error_message", json_string("wrong answer"));
        }
    }
}

static void change_sizes(json_t *json, const struct difference *difference)
{
    json_t *ours = sample_ours(json);
    if (difference->size_of) {
        json_t *bytes = json_object_get(sample_size(json, 0, difference->size_of), "bytes");
        json_integer_set(bytes, json_integer_value(bytes) + 1);
    }
    if (difference->machine)
        json_object_set_new(ours, "machine", json_string(difference->machine));
    if (difference->content)
        json_object_set_new(json_array_get(json_object_get(ours, "documents"), 0), "xxh3",
                            json_string(difference->content));
}

/* The sample and a second run, compared. */
static struct compared {
    struct bo_run *before, *after;
    struct bo_document_changes *documents;
    size_t n;
} c;

static void compare_runs(json_t *before, json_t *after, double threshold)
{
    c.before = sample_take(before);
    c.after = sample_take(after);
    c.n = bo_compare_runs(c.before, c.after, threshold, &arena, &c.documents);
    assert_int_equal(c.n, 2);
}

static void compare(const struct difference *difference, double threshold)
{
    json_t *json = sample_json();
    change_rows(json, difference);
    change_sizes(json, difference);
    compare_runs(sample_json(), json, threshold);
}

/* The one change with this verdict; NULL unless there is exactly one. */
static const struct bo_change *only(enum bo_verdict verdict)
{
    const struct bo_change *found = NULL;
    size_t n = 0;
    for (size_t d = 0; d < c.n; d++)
        for (size_t i = 0; i < c.documents[d].n; i++)
            if (c.documents[d].changes[i].verdict == verdict) {
                found = &c.documents[d].changes[i];
                n++;
            }
    return n == 1 ? found : NULL;
}

static void expect_nothing(void)
{
    for (size_t d = 0; d < c.n; d++)
        assert_int_equal(c.documents[d].n_of[BO_BETTER] + c.documents[d].n_of[BO_WORSE], 0);
}

TEST(the_same_run)
{
    compare(&(struct difference){.row = NULL}, 0);
    expect_nothing();
    assert_true(c.documents[0].n_of[BO_NO_DIFFERENCE] > 10 && c.documents[0].n_of[BO_EQUAL] > 10);
}

TEST(slower_and_faster)
{
    compare(&(struct difference){.row = "/linear-index/small-sample/point/uniform", .factor = 1.5},
            0.05);
    const struct bo_change *change = only(BO_WORSE);
    assert_non_null(change);
    assert_string_equal(change->codec, "linear-index");
    assert_string_equal(change->what, "point/uniform");
    assert_true(change->is_time && fabs(change->ratio - 1.5) < 0.02);
    assert_true(change->interval.low > 1.4 && change->interval.high < 1.6);
    assert_true(change->p < 1e-6 && change->superiority == 1);
    assert_int_equal(change->n_before, SAMPLE_REPETITIONS);
    assert_null(only(BO_BETTER));
    compare(&(struct difference){.row = "/linear-index/small-sample/point/uniform", .factor = 0.5},
            0.05);
    change = only(BO_BETTER);
    assert_non_null(change);
    assert_true(fabs(change->ratio - 0.5) < 0.01 && change->superiority == 0);
}

/* Certain, but small: reported only with a lower threshold. */
TEST(thresholds)
{
    const struct difference slower = {.row = "/linear-index/small-sample/encode", .factor = 1.1};
    compare(&slower, 0.15);
    expect_nothing();
    compare(&slower, 0.05);
    assert_non_null(only(BO_WORSE));
}

/* The test is significant for one row alone, but not for one among many. */
TEST(many_rows_need_more)
{
    /* times spread over 4.75 ns: without a correction, the shift has a p below 0.05 */
    compare(&(struct difference){.row = "/linear-index/small-sample/encode", .factor = 1.07}, 0);
    double p = 1;
    for (size_t i = 0; i < c.documents[0].n; i++) {
        const struct bo_change *change = &c.documents[0].changes[i];
        if (change->is_time && !strcmp(change->what, "encode") &&
            !strcmp(change->codec, "linear-index"))
            p = change->p;
    }
    double a[SAMPLE_REPETITIONS], b[SAMPLE_REPETITIONS];
    for (unsigned i = 0; i < SAMPLE_REPETITIONS; i++) {
        a[i] = sample_time(2, 0, 0, i + 1);
        b[i] = 1.07 * a[i];
    }
    const struct bo_contrast alone =
        bo_contrast_samples(a, SAMPLE_REPETITIONS, b, SAMPLE_REPETITIONS, BO_CONFIDENCE);
    assert_true(alone.p < 0.05 && p > 0.05);
    expect_nothing();
}

TEST(one_byte_more)
{
    compare(&(struct difference){.size_of = "frame-24"}, 0.5);
    const struct bo_change *change = only(BO_WORSE);
    assert_non_null(change);
    assert_string_equal(change->what, "bytes");
    assert_true(!change->is_time && change->before == 725 && change->after == 726);
}

TEST(what_fails_now_is_worse)
{
    compare(&(struct difference){.failing = "/linear-index/small-sample/open"}, 0.05);
    const struct bo_change *change = only(BO_WORSE);
    assert_non_null(change);
    assert_string_equal(change->failure, "wrong answer");
}

static json_t *sample_with_portable(const char *failing)
{
    json_t *json = sample_json();
    sample_add_portable(json, "liar", 1.5);
    if (failing)
        sample_fail(json, failing);
    return json;
}

/* Rows of variants are compared under the names that they have in the results. */
TEST(variants_are_compared)
{
    json_t *slower = sample_with_portable(NULL);
    change_rows(slower, &(struct difference){.row = "/liar@portable/small-sample/point/uniform",
                                             .factor = 3});
    compare_runs(sample_with_portable(NULL), slower, 0.05);
    const struct bo_change *change = only(BO_WORSE);
    assert_non_null(change);
    assert_string_equal(change->codec, "liar@portable");
    assert_string_equal(change->what, "point/uniform");
    assert_true(fabs(change->ratio - 3) < 0.05);

    compare_runs(sample_with_portable(NULL), sample_with_portable("liar@portable/small-sample/op"),
                 0.05);
    change = only(BO_WORSE);
    assert_non_null(change);
    assert_string_equal(change->codec, "liar@portable");
    assert_string_equal(change->failure, "wrong answer");

    compare_runs(sample_with_portable(NULL), sample_json(), 0.05);
    bo_compare_print(c.documents, c.n, false, 120, &arena, printing());
    assert_has(printed_text(), "note: only in the old run: open of liar@portable\n");
}

TEST(two_machines)
{
    compare(&(struct difference){.row = "/encode", .factor = 3, .machine = "other-8c"}, 0.05);
    expect_nothing();
    assert_non_null(c.documents[0].times_not_compared);
    assert_int_equal(c.documents[0].n_of[BO_UNKNOWN], 0);
    assert_true(c.documents[0].n_of[BO_EQUAL] > 0);
    /* All encode times have the same factor, so their ratios to the baseline are unchanged. */
    assert_true(c.documents[0].n_relative > 0);
    for (size_t i = 0; i < c.documents[0].n_relative; i++) {
        const struct bo_relative_time *r = &c.documents[0].relative[i];
        assert_string_not_equal(r->codec, c.documents[0].before->baseline->name);
        assert_true(r->after / r->before > 0.999 && r->after / r->before < 1.001);
    }
}

/* One codec's times grow on the other processor: its line says by how much, without a verdict. */
TEST(two_processors_side_by_side)
{
    compare(&(struct difference){.row = "/linear-index/small-sample/encode",
                                 .factor = 3,
                                 .machine = "other-8c"},
            0.05);
    expect_nothing();
    unsigned n = 0;
    for (size_t i = 0; i < c.documents[0].n_relative; i++) {
        const struct bo_relative_time *r = &c.documents[0].relative[i];
        if (strcmp(r->codec, "linear-index") == 0 && strcmp(r->what, "encode") == 0) {
            assert_true(r->after / r->before > 2.99 && r->after / r->before < 3.01);
            n++;
        }
    }
    assert_int_equal(n, 1);
}

/* A sample on another processor, without the sizes and rows of a codec. */
static json_t *sample_without(const char *codec)
{
    json_t *json = sample_json(), *documents = json_object_get(sample_ours(json), "documents");
    json_object_set_new(sample_ours(json), "machine", json_string("other-8c"));
    sample_drop(json, bo_arena_printf(&arena, "pcdata/%s/", codec), "");
    for (size_t d = 0; d < 2; d++) {
        json_t *codecs = json_object_get(json_array_get(documents, d), "codecs");
        for (size_t i = json_array_size(codecs); i-- > 0;)
            if (!strcmp(text_at(json_array_get(codecs, i), "name"), codec))
                json_array_remove(codecs, i);
    }
    return json;
}

/* Runs of other codecs have other baselines; both runs' times are divided by those of one. */
TEST(one_baseline_on_two_processors)
{
    compare_runs(sample_without("varint-delta"), sample_json(), 0.05);
    const struct bo_document_changes *document = &c.documents[0];
    const char *baseline = document->before->baseline->name;
    assert_string_not_equal(baseline, document->after->baseline->name);
    assert_true(document->n_relative > 0);
    for (size_t i = 0; i < document->n_relative; i++) {
        assert_string_not_equal(document->relative[i].codec, baseline);
        assert_float_equal(document->relative[i].before, document->relative[i].after, 1e-9);
    }
    bo_compare_print(c.documents, c.n, false, 120, &arena, printing());
    assert_has(printed_text(), bo_arena_printf(&arena, "times over those of %s, each", baseline));
    json_t *json = bo_compare_json(c.documents, c.n);
    assert_string_equal(text_at(json_array_get(json, 0), "baseline"), baseline);
    json_decref(json);

    compare_runs(sample_json(), sample_without("varint-delta"), 0.05);
    document = &c.documents[0];
    assert_int_equal(document->n_relative, 0);
    bool is_noted = false;
    for (size_t i = 0; i < document->n_notes; i++)
        is_noted |=
            !strcmp(document->notes[i], "varint-delta, the baseline, has no time in the new "
                                        "run: no ratios of point/uniform");
    assert_true(is_noted);
}

TEST(another_document)
{
    compare(&(struct difference){.content = "ffff", .size_of = "frame-24"}, 0.05);
    assert_int_equal(c.documents[0].n, 0);
    assert_non_null(c.documents[0].times_not_compared);
    assert_true(c.documents[1].n > 0);
}

/* One repetition that took ten times as long is named, and moves no median. */
TEST(outliers_are_named)
{
    compare(&(struct difference){.row = "/linear-index/small-sample/decode",
                                 .factor = 10,
                                 .n_outlier = 5},
            0.05);
    expect_nothing();
    size_t i, n = 0;
    for (i = 0; i < c.documents[0].n; i++) {
        const struct bo_change *change = &c.documents[0].changes[i];
        if (!change->outliers)
            continue;
        assert_string_equal(change->outliers, "new #5");
        assert_int_equal(change->n_outliers, 1);
        assert_string_equal(change->codec, "linear-index");
        n++;
    }
    assert_int_equal(n, 1);
    static const char *const styles[] = {"md", "rfc", "tex"};
    for (i = 0; i < 3; i++) {
        char *text = sample_print(c.after, styles[i], "small-sample", NULL);
        for (char *p = text; *p; p++)
            *p = *p == '\n' ? ' ' : *p;
        assert_has(assert_has(text, "repetitions are outliers"), "linear-index decode");
        assert_lacks(sample_print(c.before, styles[i], "small-sample", NULL), "outliers");
    }
}

/* With so few repetitions, "unknown" is the only possible verdict, and a note says so. */
TEST(no_power)
{
    compare(&(struct difference){.row = NULL}, 0.05);
    assert_int_equal(c.documents[0].n_notes, 0);
    for (size_t r = 0; r < c.before->n_rows; r++)
        c.before->rows[r].n = c.after->rows[r].n = c.before->rows[r].n ? 4 : 0;
    c.n = bo_compare_runs(c.before, c.after, 0.05, &arena, &c.documents);
    assert_int_equal(c.documents[0].n_notes, 1);
    assert_has(c.documents[0].notes[0], "too few repetitions for ");
}

/* Pages of different numbers of queries are not compared, but the other exact figures are. */
TEST(pages_of_other_samples)
{
    compare(&(struct difference){.row = NULL}, 0.05);
    const size_t n = c.documents[0].n;
    struct bo_pairs *facts = &c.after->environment.facts;
    struct bo_pair *pairs = bo_alloc_array(&arena, facts->n + 1, sizeof *pairs);
    memcpy(pairs, facts->items, facts->n * sizeof *pairs);
    pairs[facts->n] = (struct bo_pair){.name = "pages_sample", .number = 64};
    *facts = (struct bo_pairs){pairs, facts->n + 1};
    c.n = bo_compare_runs(c.before, c.after, 0.05, &arena, &c.documents);
    assert_true(c.documents[0].n < n);
    assert_int_equal(c.documents[0].n_notes, 1);
    assert_has(c.documents[0].notes[0], "pages: not compared: ");
    for (size_t i = 0; i < c.documents[0].n; i++)
        assert_lacks(c.documents[0].changes[i].what, "touched_pages");
    pairs[facts->n - 1].number = 256; /* as runs without the number */
    c.n = bo_compare_runs(c.before, c.after, 0.05, &arena, &c.documents);
    assert_int_equal(c.documents[0].n, n);
}

/* Of 3 repetitions against 3 there are 20 orders: the widest interval of the ratio has 90%. */
TEST(few_repetitions_have_no_interval)
{
    compare(&(struct difference){.row = NULL}, 0.05);
    for (unsigned n = 1; n <= 4; n++) {
        for (size_t r = 0; r < c.before->n_rows; r++)
            c.before->rows[r].n = c.after->rows[r].n = c.before->rows[r].n ? n : 0;
        c.n = bo_compare_runs(c.before, c.after, 0.05, &arena, &c.documents);
        bo_compare_print(c.documents, c.n, true, 160, &arena, printing());
        char *text = printed_text();
        assert_true((strchr(text, '[') == NULL) == (n < 4));
        assert_true((strstr(text, "has no 95% interval: too few repetitions") != NULL) == (n < 4));
        json_t *json = bo_compare_json(c.documents, c.n);
        text = json_dumps(json, 0);
        assert_true((strstr(text, "\"low\": null") != NULL) == (n < 4));
        free(text);
        json_decref(json);
    }
}

TEST(printed)
{
    compare(&(struct difference){.row = "/linear-index/small-sample/open", .factor = 2}, 0.05);
    bo_compare_print(c.documents, c.n, false, 120, &arena, printing());
    const char *text = printed_text();
    assert_has(text, "pcdata on small-sample: 0 better, 1 worse");
    assert_has(text, "2.000 [");
    assert_lacks(text, "unknown\n\ncodec  what  before");
    json_t *json = bo_compare_json(c.documents, c.n);
    assert_int_equal(json_array_size(json), 2);
    size_t n_worse = 0, i;
    const json_t *change;
    json_array_foreach(json_object_get(json_array_get(json, 0), "changes"), i, change) n_worse +=
        !strcmp(text_at(change, "verdict"), "worse");
    assert_int_equal(n_worse, 1);
    json_decref(json);
}

/* Five layouts whose times differ by 20%, a row whose times are `factor` times as long. */
static void put_in_layouts(json_t *json, const char *row, double factor)
{
    size_t i;
    unsigned n = 0;
    json_t *entry;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const char *name = text_at(entry, "run_name");
        const unsigned r = n++ % SAMPLE_REPETITIONS;
        const double noise = 1 + 0.0005 * (r / 5 + r % 3);
        if (!json_object_get(entry, "real_time"))
            n = 0;
        json_object_set_new(entry, "layout", json_integer(r % 5));
        json_object_set_new(
            entry, "real_time",
            json_real(100 * noise * (1 + (ends_with(name, "/open") ? 0.001 : 0.05) * (r % 5)) *
                      (ends_with(name, row) ? factor : 1)));
    }
}

static const struct bo_change *compare_in_layouts(double factor)
{
    static const char row[] = "/linear-index/small-sample/point/uniform";
    json_t *before = sample_json(), *after = sample_json();
    put_in_layouts(before, NULL, 1);
    put_in_layouts(after, row, factor);
    compare_runs(before, after, 0.01);
    for (size_t i = 0; i < c.documents[0].n; i++) {
        const struct bo_change *change = &c.documents[0].changes[i];
        if (!strcmp(change->codec, "linear-index") && !strcmp(change->what, "point/uniform"))
            return change;
    }
    fail_msg("the row is not there");
    return NULL;
}

/*
 * A change that layouts cause by themselves is no difference, however often each layout was
 * measured.
 */
TEST(what_layouts_move_is_no_difference)
{
    const struct bo_change *change = compare_in_layouts(1.08);
    assert_true(change->has_layouts);
    assert_true(change->noise > 1.08 && change->noise < 1.2);
    assert_int_equal(change->verdict, BO_NO_DIFFERENCE);
    assert_string_equal(bo_verdict_names[change->verdict], "no difference");
    expect_nothing();
    /* Rows of `open` differ less between layouts. The noise of a row is that of its kind. */
    const struct bo_document_changes *document = &c.documents[0];
    for (size_t i = 0; i < document->n; i++)
        if (document->changes[i].is_time && !document->changes[i].failure)
            assert_true((document->changes[i].noise < 1.02) ==
                        !strcmp(document->changes[i].what, "open"));
    change = compare_in_layouts(3);
    assert_true(fabs(change->ratio - 3) < 0.01);
    assert_true(change->interval.low > 2.4 && change->interval.low < 2.8);
    assert_int_equal(change->verdict, BO_WORSE);
    assert_non_null(only(BO_WORSE));
}

TEST_FILE(sample_setup, sample_teardown)
