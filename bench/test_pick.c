/* Picks: scores, limits, what is left out, and that the ranges of weights are where answers change. */
#include "bench/test_report_sample.h"

#include "bench/pick.h"

static struct bo_run run;
static struct bo_arena arena;
static const struct bo_run_document *documents[2];

/* Of the sample's codecs the smaller ones are the faster ones; here the larger ones are. */
static json_t *exchanged(const struct bo_run *sample)
{
    json_t *json = json_deep_copy(sample->json), *entry;
    json_t *ours = json_object_get(json_object_get(json, "context"), "bakeoff");
    json_t *sizes = json_array_get(json_object_get(ours, "documents"), 0);
    size_t i;
    json_array_foreach(json_object_get(sizes, "codecs"), i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (strcmp(name, "frame-24") == 0 || strcmp(name, "liar") == 0)
            json_object_set_new(entry, "bytes", json_integer(*name == 'l' ? 4000 : 2000));
    }
    return json;
}

static int make(void **state)
{
    (void)state;
    sample_make(&run);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (unsigned d = 0; d < 2; d++)
        documents[d] = bo_run_document(&run, "pcdata", sample_documents[d]);
    return 0;
}

static int release(void **state)
{
    (void)state;
    bo_arena_free(&arena);
    bo_run_free(&run);
    return 0;
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

static void scores(void **state)
{
    (void)state;
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

static void several_documents(void **state)
{
    (void)state;
    const struct bo_wish wishes[] = {time_of("encode", 1)};
    const struct bo_pick answer = pick(wishes, 1, 2);
    const double mean = sqrt(time_ratio(2, 0, 0) * time_ratio(2, 0, 1));
    assert_true(fabs(find(&answer, "linear-index")->ratios[0] - mean) < 1e-12);
}

static void left_out(void **state)
{
    (void)state;
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

/* Who unpacks when it opens is a pick where opening counts, or nothing is asked. */
static void unpacked(void **state)
{
    (void)state;
    struct bo_run_codec *frame = &documents[0]->codecs[3];
    const char *before = frame->access;
    assert_string_equal(frame->name, "frame-24");
    frame->access = "whole";
    const struct bo_wish asks[] = {size_of(1), time_of("point/uniform", 1), time_of("open", 1)};
    const struct bo_pick warm = pick(asks, 2, 1), opened = pick(asks, 3, 1),
                         size = pick(asks, 1, 1);
    assert_non_null(find(&warm, "frame-24")->left_out);
    assert_null(find(&opened, "frame-24")->left_out);
    assert_null(find(&size, "frame-24")->left_out);
    frame->access = before;
}

static void limits(void **state)
{
    (void)state;
    struct bo_wish wishes[] = {time_of("encode", 1), size_of(0)};
    wishes[1].limit_kind = BO_LIMIT_OF_FIRST;
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

static void front(void **state)
{
    (void)state;
    const struct bo_wish wishes[] = {size_of(1), time_of("encode", 1)};
    const struct bo_pick answer = pick(wishes, 2, 1);
    /* frame-24 is smaller and faster than all others but the liar, which is smaller and faster yet */
    assert_true(find(&answer, "liar")->on_front);
    assert_false(find(&answer, "frame-24")->on_front);
    assert_false(find(&answer, "varint-delta")->on_front);
    const struct bo_wish opposite[] = {size_of(1), time_of("point/pc-4096", 1)};
    const struct bo_pick other = pick(opposite, 2, 1);
    assert_true(find(&other, "frame-24")->on_front);
}

/* Just inside of the range the winner stays; just outside another one wins, the one named. */
static void ranges(void **state)
{
    (void)state;
    struct bo_run other;
    unsigned n_edges = 0;
    assert_true(bo_run_take(exchanged(&run), "exchanged", &other));
    documents[0] = bo_run_document(&other, "pcdata", sample_documents[0]);
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
    documents[0] = bo_run_document(&run, "pcdata", sample_documents[0]);
    bo_run_free(&other);
}

static void nothing_to_compare_with(void **state)
{
    (void)state;
    const struct bo_wish wishes[] = {time_of("point/absent", 1)};
    struct bo_pick answer;
    const char *why = NULL;
    assert_false(bo_pick_codec(documents, 1, wishes, 1, &arena, &answer, &why));
    assert_string_equal(why, "varint-delta has no point/absent on small-sample");
}

static void uses(void **state)
{
    (void)state;
    struct bo_wish wishes[BO_MAX_WISHES];
    const struct bo_uses *lprf = bo_notes_of("lprf")->uses;
    const unsigned n = bo_wishes_of_use(lprf, "B", wishes);
    assert_int_equal(n, 2);
    assert_true(wishes[0].weight == 1 && wishes[0].limit_kind == BO_NO_LIMIT);
    assert_true(wishes[1].weight == 0 && wishes[1].limit_kind == BO_LIMIT);
    assert_int_equal(bo_wishes_of_use(lprf, "absent", wishes), 0);
}

static void printed(void **state)
{
    (void)state;
    const struct bo_wish wishes[] = {size_of(1), time_of("point/pc-4096", 1)};
    const struct bo_pick answer = pick(wishes, 2, 2);
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    bo_pick_print(&answer, 120, &arena, out);
    fclose(out);
    assert_non_null(strstr(text, "The pick: frame-24. The runner-up, "));
    assert_non_null(strstr(text, "not weighed:\n"));
    assert_non_null(strstr(text, "large sample, of a user  frame-24"));
    free(text);
    json_t *json = bo_pick_json(&answer);
    assert_string_equal(json_string_value(json_object_get(json, "pick")), "frame-24");
    assert_int_equal(json_array_size(json_object_get(json, "codecs")), answer.n_codecs);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores),   cmocka_unit_test(several_documents),
        cmocka_unit_test(left_out), cmocka_unit_test(unpacked),
        cmocka_unit_test(limits),   cmocka_unit_test(front),
        cmocka_unit_test(ranges),   cmocka_unit_test(nothing_to_compare_with),
        cmocka_unit_test(uses),     cmocka_unit_test(printed),
    };
    return cmocka_run_group_tests(tests, make, release);
}
