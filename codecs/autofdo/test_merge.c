/*
 * Merging profiles. Why: it is what profiles are made for, and sums that wrap around, subtrees that
 * are lost or files that contradict each other would go unseen.
 */
#include "codecs/autofdo/test_model.h"

#include "harness/core/test_fixture.h"

static struct autofdo_model *merge(const void *const *models, size_t n, uint64_t n_saturated)
{
    void *merged = NULL;
    struct bo_merge_report report = {99, {NULL, 0}};
    assert_int_equal(format->merge(models, n, &arena, &merged, &report, NULL), BO_OK);
    if (report.n_saturated != n_saturated)
        fail_msg("%llu sums saturated", (unsigned long long)report.n_saturated);
    assert_int_equal(report.where.n, 0);
    assert_null(autofdo_model_flaw(merged, &arena));
    return merged;
}

/* Merges two texts; gives the sum as a text. */
static const char *merge_texts(const char *a, const char *b, uint64_t n_saturated)
{
    const void *const models[] = {parse_text(a, &arena), parse_text(b, &arena)};
    return (const char *)print_text(merge(models, 2, n_saturated), &arena).p;
}

TEST(test_sums)
{
    static const char *const cases[][3] = {
        {"", "", ""},
        {"f:0:1\n 1: 2\n", "", "f:2:1\n 1: 2\n"},
        {"f:0:1\n 1: 2\n", "g:0:1\n 1: 3\n", "g:3:1\n 1: 3\nf:2:1\n 1: 2\n"},
        {"f:0:1\n 1: 2\n 3: 1\n", "f:0:10\n 1: 20\n 1.1: 5\n", "f:28:11\n 1: 22\n 1.1: 5\n 3: 1\n"},
        {"f:0:0\n 1: 1 a:1 b:9\n", "f:0:0\n 1: 1 b:1 c:2\n", "f:2:0\n 1: 2 b:10 c:2 a:1\n"},
        {"f:0:0\n 1: c:0\n  1: 1\n  2: d:0\n   1: 7\n 1: e:0\n",
         "f:0:0\n 1: c:0\n  1: 2\n  2: d:0\n   1: 1\n 1.1: c:0\n  1: 5\n",
         "f:16:0\n 1: c:11\n  1: 3\n  2: d:8\n   1: 8\n 1: e:0\n 1.1: c:5\n  1: 5\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        assert_string_equal(merge_texts(cases[i][0], cases[i][1], 0), cases[i][2]);
        assert_string_equal(merge_texts(cases[i][1], cases[i][0], 0), cases[i][2]);
    }
}

/* The earliest that there is. */
TEST(test_timestamps)
{
    assert_string_equal(merge_texts("#@ timestamp 7\nf:0:0\n", "f:0:0\n", 0),
                        "#@ timestamp 7\nf:0:0\n");
    assert_string_equal(merge_texts("f:0:0\n", "#@ timestamp 7\nf:0:0\n", 0),
                        "#@ timestamp 7\nf:0:0\n");
    assert_string_equal(merge_texts("#@ timestamp 9\nf:0:0\n", "#@ timestamp 7\nf:0:0\n", 0),
                        "#@ timestamp 7\nf:0:0\n");
}

/* The first path that is not empty stays. */
TEST(test_files)
{
    assert_string_equal(merge_texts("#@ file f\ta\nf:0:0\n", "#@ file f\tb\nf:0:0\n", 0),
                        "#@ file f\ta\nf:0:0\n");
    assert_string_equal(merge_texts("#@ file f\nf:0:0\n", "#@ file f\tb\nf:0:0\n", 0),
                        "#@ file f\tb\nf:0:0\n");
    assert_string_equal(merge_texts("f:0:0\n", "#@ file f\nf:0:0\n", 0), "#@ file f\nf:0:0\n");
    assert_string_equal(merge_texts("#@ file g\tx\ng:0:0\n", "#@ file f\tb\nf:0:0\n 1: g:0\n", 0),
                        "#@ file f\tb\n#@ file g\tx\nf:0:0\n 1: g:0\ng:0:0\n");
}

#define MAX "18446744073709551615"

/* Sums stop at 2^64 - 1; each counts once, however much is added on top. */
TEST(test_saturation)
{
    static const char x[] = "f:0:" MAX "\n 1: " MAX "\n 2: 9 a:" MAX "\n 3: c:0\n  1: " MAX "\n";
    static const char y[] = "f:0:1\n 1: 0\n 2: 1 a:5\n 3: c:0\n  1: 1\n";
    static const char sum[] =
        "f:" MAX ":" MAX "\n 1: " MAX "\n 2: 10 a:" MAX "\n 3: c:" MAX "\n  1: " MAX "\n";
    assert_string_equal(merge_texts(x, y, 3), sum);
    assert_string_equal(merge_texts(y, x, 3), sum);
    const void *const many[] = {parse_text(x, &arena), parse_text(y, &arena), parse_text(x, &arena),
                                parse_text(y, &arena)};
    merge(many, 4, 4); /* now record 1, too */
}

TEST(test_few_models)
{
    const struct autofdo_model *model = generate_model(6, 20, &arena);
    const struct autofdo_model nothing = {0};
    const void *const one[] = {model};
    const void *const three[] = {&nothing, model, &nothing};
    assert_null(format->differ(merge(one, 1, 0), model));
    assert_null(format->differ(merge(three, 3, 0), model));
    assert_null(format->differ(merge(NULL, 0, 0), &nothing));
}

/* ---- against a plain sum --------------------------------------------------------------------- */

/* How often something is in a model, and its sum: by place, name and all around it, as a hash. */
struct tally {
    uint64_t key, sum;
};

struct tallies {
    struct tally p[40000];
    size_t n;
};

static void tally(struct tallies *tallies, uint64_t key, uint64_t v)
{
    size_t i = 0;
    while (i < tallies->n && tallies->p[i].key != key)
        i++;
    if (i == tallies->n) {
        assert_true(tallies->n < N_ELEMENTS(tallies->p));
        tallies->p[tallies->n++] = (struct tally){key, 0};
    }
    tallies->p[i].sum = autofdo_add(tallies->p[i].sum, v);
}

static void tally_instance(struct tallies *tallies, const struct autofdo_instance *instance,
                           uint64_t around)
{
    uint64_t key = around;
    autofdo_mix(&key, autofdo_hash_name(instance->name));
    tally(tallies, key, 0);
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *record = &instance->records[i];
        uint64_t place = key;
        autofdo_mix(&place, autofdo_place(record->line, record->discriminator));
        tally(tallies, place, record->count);
        for (size_t t = 0; t < record->n_targets; t++) {
            uint64_t target = place;
            autofdo_mix(&target, autofdo_hash_name(record->targets[t].name));
            tally(tallies, target, record->targets[t].count);
        }
    }
    for (size_t i = 0; i < instance->n_callsites; i++) {
        const struct autofdo_callsite *callsite = &instance->callsites[i];
        uint64_t place = ~key;
        autofdo_mix(&place, autofdo_place(callsite->line, callsite->discriminator));
        tally_instance(tallies, &callsite->callee, place);
    }
}

static void tally_model(struct tallies *tallies, const struct autofdo_model *model)
{
    for (size_t f = 0; f < model->n_functions; f++) {
        tally(tallies, ~autofdo_hash_name(model->functions[f].body.name), model->functions[f].head);
        tally_instance(tallies, &model->functions[f].body, 0);
    }
}

/* Generated models and their mutants: each thing of them is in the sum, and nothing else. */
TEST(test_against_a_plain_sum)
{
    static struct tallies parts, sum;
    uint64_t n_tallies = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        const void *models[3] = {generate_model(seed, 8, &arena)};
        parts.n = sum.n = 0;
        tally_model(&parts, models[0]);
        for (unsigned m = 1; m < 3; m++) {
            void *mutant = generate_model(seed, 8, &arena);
            for (unsigned i = 0; i < 6; i++)
                assert_int_equal(format->mutate(mutant, &random, &arena, &mutant, NULL), BO_OK);
            models[m] = mutant;
            tally_model(&parts, mutant);
        }
        struct bo_merge_report report;
        void *merged;
        assert_int_equal(format->merge(models, 3, &arena, &merged, &report, NULL), BO_OK);
        assert_null(autofdo_model_flaw(merged, &arena));
        tally_model(&sum, merged);
        assert_int_equal(sum.n, parts.n);
        for (size_t i = 0; i < parts.n; i++) {
            size_t j = 0;
            while (j < sum.n && sum.p[j].key != parts.p[i].key)
                j++;
            assert_true(j < sum.n && sum.p[j].sum == parts.p[i].sum);
        }
        n_tallies += sum.n;
        bo_arena_free(&arena);
    }
    assert_true(n_tallies > 5000); /* else this shows little */
}

/* One part out of order and double is brought into order by being added up alone. */
TEST(test_sum_of_one)
{
    static const struct autofdo_target targets[] = {
        {BYTES("b"), 1}, {BYTES("a"), 2}, {BYTES("b"), UINT64_MAX}};
    static const struct autofdo_record records[] = {
        {5, 0, 1, 3, targets}, {4, 1, 2, 0, NULL}, {5, 0, 7, 0, NULL}};
    static const struct autofdo_callsite callsites[] = {
        {2, 0, {BYTES("d"), 1, 0, records, NULL}},
        {2, 0, {BYTES("c"), 0, 0, NULL, NULL}},
        {2, 0, {BYTES("d"), 1, 0, records + 1, NULL}},
    };
    static const struct autofdo_instance raw = {BYTES("f"), 3, 3, records, callsites};
    const struct autofdo_instance *const part = &raw;
    struct autofdo_function function = {0};
    uint64_t n_saturated = 10;
    assert_int_equal(
        autofdo_sum_instances(&part, 1, false, &arena, &function.body, &n_saturated, NULL), BO_OK);
    assert_true(n_saturated == 12); /* target b of both copies of record 5 */
    const struct autofdo_model model = {1, &function, 0, NULL};
    assert_null(autofdo_model_flaw(&model, &arena));
    assert_string_equal((const char *)print_text(&model, &arena).p,
                        "f:13:0\n 4.1: 2\n 5: 8 b:" MAX " a:2\n 2: c:0\n 2: d:3\n  4.1: 2\n"
                        "  5: 1 b:" MAX " a:2\n");
}

/* Instances of two profiles are added up 256 deep, and no deeper. */
TEST(test_depth)
{
    enum { MAX_DEPTH = AUTOFDO_MAX_DEPTH };
    static struct autofdo_callsite sites[MAX_DEPTH];
    struct autofdo_instance body = {BYTES("f"), 0, 1, NULL, sites}, sum;
    const struct autofdo_instance *const parts[] = {&body, &body};
    struct bo_error error = {0};
    uint64_t n_saturated = 0;
    for (size_t i = 0; i < MAX_DEPTH; i++)
        sites[i].callee =
            (struct autofdo_instance){BYTES("c"), 0, i + 1 < MAX_DEPTH, NULL, sites + i + 1};
    assert_int_equal(autofdo_sum_instances(parts, 2, true, &arena, &sum, &n_saturated, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "instances are nested more than 256 deep");
    sites[MAX_DEPTH - 2].callee.n_callsites = 0;
    assert_int_equal(autofdo_sum_instances(parts, 2, true, &arena, &sum, &n_saturated, &error),
                     BO_OK);
}

TEST(test_each_allocation_fails)
{
    const void *const models[] = {
        parse_text("#@ file f\ta\nf:0:1\n 1: 2 a:1\n 2: c:0\n  1: 1\n", &arena),
        parse_text("f:0:1\n 1: 2 a:1\n 2: c:0\n  1: 1\ng:0:0\n", &arena)};
    expect_failing_merges(models, 2);
}

TEST_FILE(set_up, tear_down)
