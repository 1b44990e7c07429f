/* Picks: scores, limits, omissions, and that the ranges of weights end where answers change. */
#include "bench/report/test_sample.h"

#include "bench/report/pick.h"
#include "bench/report/picks.h"
#include "bench/report/report.h"
#include "bench/report/uses.h"
#include "bench/runs/noise.h"
#include "harness/registry.h"

static const struct bo_run_document *documents[2];

/* Of the sample's codecs the smaller ones are the faster ones; here the larger ones are. */
static json_t *exchanged(void)
{
    json_t *json = sample_json();
    json_object_set_new(sample_size(json, 0, "frame-24"), "bytes", json_integer(2000));
    json_object_set_new(sample_size(json, 0, "liar"), "bytes", json_integer(4000));
    return json;
}

static int make(void **state)
{
    const int failed = sample_setup(state);
    for (unsigned d = 0; d < 2; d++)
        documents[d] = bo_run_document(*state, "pcdata", sample_documents[d]);
    return failed;
}

static struct bo_wish size_of(double weight)
{
    return (struct bo_wish){
        .name = "size", .figure = {"B/table", BO_SIZE_PER_UNIT, NULL, NULL}, .weight = weight};
}

static struct bo_wish time_of(const char *label, double weight)
{
    return (struct bo_wish){
        .name = "lookup", .figure = {label, BO_TIME, label, NULL}, .weight = weight};
}

static struct bo_pick pick(const struct bo_wish *wishes, unsigned n_wishes, unsigned n_documents)
{
    struct bo_pick answer;
    const char *why;
    assert_true(bo_pick_codec(documents, n_documents, wishes, n_wishes, &arena, &answer, &why));
    return answer;
}

static const struct bo_picked_codec *find(const struct bo_pick *answer, const char *name)
{
    for (unsigned i = 0; i < answer->n_codecs; i++)
        if (strcmp(answer->codecs[i].codec->name, name) == 0)
            return &answer->codecs[i];
    fail_msg("no %s", name);
    return NULL;
}

/* The codecs of the sample by their numbers there: 0 the first one, 2 linear-index, 3 frame-24. */
static double time_ratio(unsigned codec, unsigned label, unsigned document)
{
    return sample_median(codec, label, document) / sample_median(0, label, document);
}

TEST(scores)
{
    const struct bo_wish wishes[] = {size_of(1), time_of("encode", 3)};
    const struct bo_pick answer = pick(wishes, 2, 1);
    assert_string_equal(answer.codecs[0].codec->name, "liar"); /* it encodes soundly */
    const struct bo_picked_codec *frame = find(&answer, "frame-24");
    assert_true(fabs(frame->ratios[0] - 0.725) < 1e-12);
    assert_true(fabs(frame->ratios[1] - time_ratio(3, 0, 0)) < 1e-12);
    const double score = pow(0.725 * pow(time_ratio(3, 0, 0), 3), 0.25);
    assert_true(fabs(frame->score - score) < 1e-12);
    assert_true(find(&answer, "varint-delta")->score == 1);
    for (unsigned i = 1; i < answer.n_weighed; i++)
        assert_true(answer.codecs[i - 1].score <= answer.codecs[i].score);
}

TEST(several_documents)
{
    const struct bo_wish wishes[] = {time_of("encode", 1)};
    const struct bo_pick answer = pick(wishes, 1, 2);
    const double mean = sqrt(time_ratio(2, 0, 0) * time_ratio(2, 0, 1));
    assert_true(fabs(find(&answer, "linear-index")->ratios[0] - mean) < 1e-12);
}

TEST(left_out)
{
    const struct bo_wish wishes[] = {size_of(1), time_of("point/pc-4096", 1)};
    const struct bo_pick answer = pick(wishes, 2, 1);
    assert_non_null(find(&answer, "broken")->left_out); /* cannot hold the document */
    assert_non_null(find(&answer, "liar")->left_out);   /* answers wrongly */
    assert_true(isnan(find(&answer, "liar")->score));
    assert_null(find(&answer, "linear-index")->left_out);
    for (unsigned i = 0; i < answer.n_codecs; i++) {
        assert_string_not_equal(answer.codecs[i].codec->name, "noop");
        assert_true((i < answer.n_weighed) == !answer.codecs[i].left_out);
    }
}

/* A counter that a codec lacks, since the operation failed, is not a counter of 0. */
TEST(left_out_without_a_counter)
{
    const struct bo_wish wish = {
        .name = "pages",
        .figure = {"pages", BO_COUNTER, "point/pc-4096", "touched_pages"},
        .weight = 1,
    };
    const struct bo_pick answer = pick(&wish, 1, 1);
    assert_non_null(find(&answer, "liar")->left_out);
    assert_true(find(&answer, "frame-24")->ratios[0] == 1);
}

/* A codec that unpacks at open is a pick only when opening counts, or no query does. */
TEST(unpacked)
{
    struct bo_run_codec *frame = &documents[0]->codecs[3];
    const char *before = frame->access;
    assert_string_equal(frame->name, "frame-24");
    frame->access = "whole";
    const struct bo_wish wishes[] = {size_of(1), time_of("point/uniform", 1), time_of("open", 1)};
    const struct bo_pick warm = pick(wishes, 2, 1), opened = pick(wishes, 3, 1),
                         size = pick(wishes, 1, 1);
    assert_non_null(find(&warm, "frame-24")->left_out);
    assert_null(find(&opened, "frame-24")->left_out);
    assert_null(find(&size, "frame-24")->left_out);
    frame->access = before;
}

TEST(limits)
{
    struct bo_wish wishes[] = {time_of("encode", 1), size_of(0)};
    wishes[1].limit_kind = BO_LIMIT_OF_BASELINE;
    wishes[1].limit = 1;
    struct bo_pick answer = pick(wishes, 2, 2);
    assert_non_null(find(&answer, "linear-index")->left_out); /* 1.25 times as large */
    assert_null(find(&answer, "frame-24")->left_out);
    wishes[1].limit_kind = BO_LIMIT;
    wishes[1].limit = 1250.0 / SAMPLE_TABLES;
    answer = pick(wishes, 2, 1);
    assert_null(find(&answer, "linear-index")->left_out);
    answer = pick(wishes, 2, 2); /* the second document's are twice as large */
    assert_non_null(find(&answer, "linear-index")->left_out);
    wishes[1].limit = 0.1;
    answer = pick(wishes, 2, 1);
    assert_int_equal(answer.n_weighed, 0);
}

TEST(front)
{
    const struct bo_wish wishes[] = {size_of(1), time_of("encode", 1)};
    const struct bo_pick answer = pick(wishes, 2, 1);
    /*
     * frame-24 is smaller and faster than all others except the liar, which is even smaller and
     * faster
     */
    assert_true(find(&answer, "liar")->on_front);
    assert_false(find(&answer, "frame-24")->on_front);
    assert_false(find(&answer, "varint-delta")->on_front);
    const struct bo_wish opposite[] = {size_of(1), time_of("point/pc-4096", 1)};
    const struct bo_pick other = pick(opposite, 2, 1);
    assert_true(find(&other, "frame-24")->on_front);
}

/* Just inside the range the winner stays. Just outside, the named codec wins. */
TEST(ranges)
{
    unsigned n_edges = 0;
    documents[0] = bo_run_document(sample_take(exchanged()), "pcdata", sample_documents[0]);
    for (double size = 0; size < 3; size += 0.5)
        for (double encode = 0; encode < 3; encode += 0.5) {
            struct bo_wish wishes[] = {size_of(size), time_of("encode", encode),
                                       time_of("open", 0.25)};
            const struct bo_pick answer = pick(wishes, 3, 1);
            for (unsigned w = 0; w < 3; w++) {
                const struct bo_weight_range range = answer.ranges[w];
                const double before = wishes[w].weight;
                assert_true(range.low <= before && before <= range.high);
                if (range.above) {
                    wishes[w].weight = range.high * (1 + 1e-9);
                    assert_string_equal(pick(wishes, 3, 1).codecs[0].codec->name,
                                        range.above->codec->name);
                    n_edges++;
                }
                if (range.below && range.low > 1e-6) {
                    wishes[w].weight = range.low * (1 - 1e-9);
                    assert_string_equal(pick(wishes, 3, 1).codecs[0].codec->name,
                                        range.below->codec->name);
                    n_edges++;
                }
                wishes[w].weight = before;
            }
        }
    assert_true(n_edges > 30);
    documents[0] = bo_run_document(*state, "pcdata", sample_documents[0]);
}

TEST(nothing_to_compare_with)
{
    const struct bo_wish wishes[] = {time_of("point/absent", 1)};
    struct bo_pick answer;
    const char *why = NULL;
    assert_false(bo_pick_codec(documents, 1, wishes, 1, &arena, &answer, &why));
    assert_string_equal(why, "varint-delta has no point/absent on small-sample");
}

/* ---- runs of a few codecs -------------------------------------------------------------------- */

struct made {
    const char *name, *role;
    int bytes; /* 0: a reader, which has none of its own */
    double ns;
};

/*
 * One document with the codecs' bytes, and n repetitions of one label within 1% of each codec's
 * time.
 */
static const struct bo_run *make_run(const char *format, const char *label,
                                     const struct made *codecs, unsigned n, unsigned n_repetitions)
{
    json_t *sizes = json_array(), *entries = json_array();
    for (unsigned c = 0; c < n; c++) {
        if (codecs[c].bytes)
            json_array_append_new(sizes, json_pack("{s:s, s:s, s:s, s:i}", "name", codecs[c].name,
                                                   "role", codecs[c].role, "access", "random",
                                                   "bytes", codecs[c].bytes));
        for (unsigned r = 0; r < n_repetitions; r++)
            sample_add(entries, codecs[c].ns * (1 + 0.01 * r / n_repetitions), "%s/%s/d/%s", format,
                       codecs[c].name, label);
    }
    json_t *json = json_pack("{s:{s:{s:[{s:s, s:s, s:{s:i}, s:o}]}}, s:o}", "context", "bakeoff",
                             "documents", "name", "d", "format", format, "units", "things", 1,
                             "codecs", sizes, "benchmarks", entries);
    return sample_take(json);
}

static struct bo_pick pick_of(const struct bo_run *of, const struct bo_wish *wishes,
                              unsigned n_wishes)
{
    static const struct bo_run_document *one; /* one document: the answer refers to it */
    struct bo_pick answer;
    const char *why;
    one = &of->documents[0];
    assert_true(bo_pick_codec(&one, 1, wishes, n_wishes, &arena, &answer, &why));
    return answer;
}

static const struct made readers[] = {
    {"varint-delta", "status quo", 100, 30}, {"linear-index", "proposed", 128, 20},
    {"shape-code", "new", 70, 10},           {"shape-code-bmi2", "new", 0, 11},
    {"shape-code-portable", "new", 0, 12},
};

/*
 * Readers of the pick's encoding have the same bytes: they are not rivals and do not determine a
 * weight's range.
 */
TEST(readers_are_no_rivals)
{
    struct bo_wish wishes[] = {size_of(1), time_of("point/uniform", 1)};
    const struct bo_run *made = make_run("pcdata", "point/uniform", readers, 5, 20);
    struct bo_pick answer = pick_of(made, wishes, 2);
    assert_string_equal(answer.codecs[0].codec->name, "shape-code");
    assert_string_equal(answer.codecs[1].codec->name, "linear-index");
    assert_string_equal(answer.runner_up->codec->name, "linear-index");
    assert_int_equal(answer.n_weighed, 3);
    assert_string_equal(find(&answer, "shape-code-bmi2")->left_out,
                        "a code path of the codec whose bytes it reads");
    assert_int_equal(answer.clarity, BO_IS_CLEAR);
    for (unsigned w = 0; w < 2; w++)
        assert_true(!answer.ranges[w].below && !answer.ranges[w].above);
    /* 128 / 70 bytes and 20 / 10 ns: the runner-up's product is 3.66 times as high */
    wishes[1].noise = 3.6;
    assert_int_equal(pick_of(made, wishes, 2).clarity, BO_IS_CLEAR);
    wishes[1].noise = 3.7;
    assert_int_equal(pick_of(made, wishes, 2).clarity, BO_NOT_CLEAR);
    bo_wishes_set_noise(made, "pcdata", wishes, 2);
    assert_true(wishes[0].noise == 0); /* sizes do not vary */
    assert_true(wishes[1].noise == bo_noise_of(made, "pcdata", NULL, "point/uniform").limit);
    /* if only the pick meets a limit, there is no codec to be ahead of */
    wishes[0].limit_kind = BO_LIMIT_OF_BASELINE;
    wishes[0].limit = 0.8;
    answer = pick_of(made, wishes, 2);
    assert_int_equal(answer.n_weighed, 1);
    assert_null(answer.runner_up);
    assert_int_equal(answer.clarity, BO_NO_RIVAL);
    json_t *json = bo_pick_json(&answer);
    assert_true(json_is_false(json_object_get(json, "is_clear")));
    assert_true(json_is_null(json_object_get(json, "runner_up")));
    json_decref(json);
    /* another reader of the encoding is weighed, but is not the runner-up */
    static const struct made cached[] = {{"varint-delta", "status quo", 100, 30},
                                         {"varint-delta-cached", "status quo", 0, 10},
                                         {"run-array", "control", 300, 25}};
    wishes[0].limit_kind = BO_NO_LIMIT;
    made = make_run("pcdata", "point/uniform", cached, 3, 20);
    answer = pick_of(made, wishes, 2);
    assert_string_equal(answer.codecs[0].codec->name, "varint-delta-cached");
    assert_string_equal(answer.codecs[1].codec->name, "varint-delta");
    assert_string_equal(answer.runner_up->codec->name, "run-array");
}

/* A codec and its paths are one row: the path that ran, with portable C in brackets. */
TEST(paths_are_columns_of_one_row)
{
    const struct bo_run *made = make_run("pcdata", "point/uniform", readers, 5, 20);
    const struct bo_page page = printing_page(made);
    bo_page_uses(&page, &made->documents[0], bo_report_of("pcdata")->uses);
    char *text = printed_text();
    assert_has(text, "In round brackets: the time in portable C");
    assert_has(text, "\n| varint-delta | status quo | 30.1 |");
    assert_has(text, "\n| linear-index | proposed | 20.1 (-) |");
    assert_has(text, "\n| shape-code | new | 10.0 (12.1) |");
    assert_lacks(text, "shape-code-");
}

/*
 * The codecs that the proposal's limit excludes are in the pick's own row, and no reader is a
 * runner-up.
 */
TEST(limits_name_what_they_exclude)
{
    const struct bo_run *made = make_run("pcdata", "point/uniform", readers, 5, 20);
    const struct bo_page page = printing_page(made);
    bo_page_use_picks(&page, &made->documents[0], bo_report_of("pcdata")->uses);
    char *text = printed_text();
    assert_has(text, "| any PC | uniform, ns | shape-code (new; 10.0) | varint-delta "
                     "(status quo; 30.1) | 3.00x [");
    assert_has(text, "] | B/table at most 1.25x that of varint-delta (status quo) | "
                     "linear-index (proposed; 1.28x) |\n");
}

static const struct made two_sides[] = {
    {"list+u64", "proposed", 400, 1000}, {"hash-open+u64", "proposed", 420, 100},
    {"phrases+varint", "new", 44, 26},   {"phrases+packed", "new", 40, 25},
    {"profdata", "status quo", 100, 50},
};

/*
 * Ratios are relative to the format's status quo, wherever it is in the list, and to the best
 * proposal.
 */
TEST(the_glance_compares_with_both_sides)
{
    const struct bo_run *made = make_run("lprf", "lookup/uniform", two_sides, 5, 20);
    assert_string_equal(made->documents[0].baseline->name, "profdata");
    const struct bo_report report = printing_report(made, "");
    const struct bo_page page = bo_report_page(&report, NULL);
    bo_report_glance(&report, &page, "#");
    char *text = printed_text();
    assert_has(
        text,
        "| [lprf](#lprf) | 1 | lookup/uniform | phrases+packed (new) | phrases+varint (new) | yes "
        "| profdata (status quo) | hash-open+u64 (proposed) | 0.400 | 0.500 | 0.0952 | 0.250 | "
        "0.500 | 0.250 |\n");
    /* where LLVM's library is missing, so is the comparison */
    made = make_run("lprf", "lookup/uniform", two_sides, 4, 20);
    assert_string_equal(made->documents[0].baseline->name, "list+u64");
    const struct bo_run_document *one = &made->documents[0];
    const struct bo_main_pick main = bo_main_pick_of(made, &one, 1, &arena);
    assert_null(main.status_quo.to);
    assert_true(isnan(main.status_quo.size) && isnan(main.status_quo.time));
    assert_string_equal(main.proposal.to->name, "hash-open+u64");
}

/* A median of fewer than 6 repetitions has no interval, so that no pick by times is clear. */
TEST(few_repetitions_leave_it_open)
{
    for (unsigned n = 1; n <= 6; n++) {
        const struct bo_wish wishes[] = {size_of(1), time_of("point/uniform", 1)};
        const struct bo_run *made = make_run("pcdata", "point/uniform", readers, 5, n);
        const struct bo_pick answer = pick_of(made, wishes, 2);
        assert_int_equal(answer.clarity, n < 6 ? BO_NO_INTERVAL : BO_IS_CLEAR);
        assert_int_equal(pick_of(made, wishes, 1).clarity, BO_IS_CLEAR); /* bytes are exact */
        const struct bo_page page = printing_page(made);
        bo_pick_print(&answer, 300, &arena, page.out);
        bo_page_use_picks(&page, &made->documents[0], bo_report_of("pcdata")->uses);
        char *text = printed_text();
        assert_true((strstr(text, "of fewer than 6 repetitions has no 95% interval") != NULL) ==
                    (n < 6));
        assert_true((strstr(text, " | 3.00x, no 95% interval | ") != NULL) == (n < 6));
        assert_true((strchr(text, '[') == NULL) == (n < 6));
    }
}

/* One sentence per weight, in the terms of the tables, without numbers that are rounding errors. */
TEST(ranges_are_sentences)
{
    static const struct made tied[] = {{"varint-delta", "status quo", 100, 30},
                                       {"linear-index", "proposed", 128, 10},
                                       {"run-array", "control", 70, 10.1},
                                       {"raw", "control", 70, 20}};
    const struct bo_wish wishes[] = {size_of(1), time_of("point/uniform", 1)};
    const struct bo_run *made = make_run("pcdata", "point/uniform", tied, 4, 20);
    const struct bo_pick answer = pick_of(made, wishes, 2);
    bo_pick_print(&answer, 200, &arena, printing());
    char *text = printed_text();
    assert_has(text, "\nThe weight of B/table is 1. The pick is the same for any weight "
                     "above 0.0165; below that it is linear-index.\n");
    assert_has(text, "\nThe weight of point/uniform is 1. The pick is the same for any "
                     "weight above 0 and below 60.7; above that it is linear-index.\n");
    const struct bo_pick by_size = pick_of(made, wishes, 1);
    bo_pick_print(&by_size, 200, &arena, printing());
    text = printed_text();
    assert_has(text, "raw, scores 0.0% higher, by exact figures: the pick is not clear.\n");
    assert_lacks(text, "The weight of"); /* it is the only one */
    const struct bo_wish rate = {.weight = 1,
                                 .figure = {"things/ns", BO_UNIT_RATE, "point/uniform", "things"}};
    const struct bo_pick by_rate = pick_of(made, &rate, 1);
    bo_pick_print(&by_rate, 200, &arena, printing());
    text = printed_text();
    assert_has(text, "% higher, ");
    assert_lacks(text, "exact"); /* a rate is measured */
    static const struct made middle[] = {{"varint-delta", "status quo", 100, 10},
                                         {"linear-index", "proposed", 40, 30},
                                         {"run-array", "control", 300, 4}};
    static const char *const sentences[] = {"0.\n", "0.834 and below 1.20; below that it is "
                                                    "run-array, above that linear-index.\n"};
    for (unsigned i = 0; i < 2; i++) {
        made = make_run("pcdata", "point/uniform", middle, i ? 3 : 1, 20);
        const struct bo_pick one = pick_of(made, wishes, 2);
        bo_pick_print(&one, 200, &arena, printing());
        const char *sentence = assert_has(printed_text(), "\nThe weight of B/table is 1. ");
        assert_has(sentence, bo_arena_printf(&arena, "any weight above %s", sentences[i]));
    }
}

/* A format's uses include the cost of building, in time and in memory. */
TEST(every_format_shows_the_cost_of_building)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_uses *its = (*f)->report ? (*f)->report->uses : NULL;
        if (!its) /* of a plugin */
            continue;
        const struct bo_use *time = its->uses;
        while (time->use && !(time->figure.kind == BO_TIME_PER_UNIT && time->picks &&
                              strcmp(time->figure.label, "encode") == 0))
            time++;
        const struct bo_use *scratch = time->use ? time + 1 : time;
        if (!scratch->use || strcmp(scratch->use, time->use) != 0 || !scratch->figure.counter ||
            strcmp(scratch->figure.counter, "encode_scratch_bytes") != 0)
            fail_msg("%s: no use has the time and the scratch memory of encoding", (*f)->name);
    }
}

TEST(uses)
{
    struct bo_wish wishes[BO_MAX_WISHES];
    const struct bo_uses *lprf = bo_report_of("lprf")->uses;
    const unsigned n = bo_wishes_of_use(lprf, "B", wishes);
    assert_int_equal(n, 2);
    assert_true(wishes[0].weight == 1 && wishes[0].limit_kind == BO_NO_LIMIT);
    assert_true(wishes[1].weight == 0 && wishes[1].limit_kind == BO_LIMIT);
    assert_int_equal(bo_wishes_of_use(lprf, "absent", wishes), 0);
}

TEST(printed)
{
    const struct bo_wish wishes[] = {size_of(1), time_of("point/pc-4096", 1)};
    const struct bo_pick answer = pick(wishes, 2, 2);
    bo_pick_print(&answer, 120, &arena, printing());
    const char *text = printed_text();
    assert_has(text, "The pick: frame-24. The runner-up of another encoding, ");
    assert_has(text, "Not compared:\n");
    assert_has(text, "large sample, of a user  frame-24");
    json_t *json = bo_pick_json(&answer);
    assert_string_equal(text_at(json, "pick"), "frame-24");
    assert_int_equal(json_array_size(json_object_get(json, "codecs")), answer.n_codecs);
    for (unsigned w = 0; w < 2; w++) {
        const json_t *weight = json_object_get(json_object_get(json, "weights"), wishes[w].name);
        const struct bo_weight_range *range = &answer.ranges[w];
        assert_true(json_real_value(json_object_get(weight, "weight")) == 1);
        assert_int_equal(json_is_null(json_object_get(weight, "low")), !isfinite(range->low));
        assert_int_equal(json_is_null(json_object_get(weight, "high")), !isfinite(range->high));
        if (isfinite(range->low))
            assert_true(json_real_value(json_object_get(weight, "low")) == range->low);
        if (isfinite(range->high))
            assert_true(json_real_value(json_object_get(weight, "high")) == range->high);
    }
    json_decref(json);
}

TEST_FILE(make, sample_teardown)
