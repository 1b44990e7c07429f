/*
 * LPRF models and how they are made. Why: the checks are only as good as the models that they try.
 */
#include "codecs/lprf/test_model.h"

#include "codecs/lprf/model.h"
#include "harness/core/hash.h"

#include "harness/core/test_fixture.h"
#include "harness/names/extreme_names.h"
#include "harness/registry.h"

static const struct lprf_function good[] = {
    FUNCTION("main", 24, 5, 0),
    FUNCTION("main", 25, 9, 900),
    FUNCTION("step", 24, 0),
};
static const struct lprf_model good_model = {N_ELEMENTS(good), good};

/* ---- rules ----------------------------------------------------------------------------------- */

TEST(test_flaws)
{
    struct lprf_function functions[N_ELEMENTS(good)];
    const struct lprf_model model = {N_ELEMENTS(good), functions};
    size_t where = 99;
    memcpy(functions, good, sizeof good);
    assert_null(lprf_model_flaw(&model, &arena, &where));
    functions[1].hash = 24;
    assert_string_equal(lprf_model_flaw(&model, &arena, &where),
                        "two functions have the same name and hash");
    assert_int_equal(where, 1);
    memcpy(functions, good, sizeof good);
    functions[2].name.n = 0;
    assert_string_equal(lprf_model_flaw(&model, &arena, &where), "function without a name");
    assert_int_equal(where, 2);
    memcpy(functions, good, sizeof good);
    functions[0].n_counters = 0;
    assert_string_equal(lprf_model_flaw(&model, &arena, &where), "function without counters");
    assert_int_equal(where, 0);
    const size_t region_nbytes = arena.region_nbytes;
    assert_null(lprf_model_flaw(&good_model, &arena, NULL));
    assert_int_equal(arena.region_nbytes, region_nbytes);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_non_null(lprf_model_flaw(&good_model, &none, NULL));
}

/* What bo_mix64 makes into z. */
static uint64_t unmix64(uint64_t z)
{
    z = (z ^ (z >> 31) ^ (z >> 62)) * UINT64_C(0x319642b2d24d8ec3);
    z = (z ^ (z >> 27) ^ (z >> 54)) * UINT64_C(0x96de1b173f119089);
    return z ^ (z >> 30) ^ (z >> 60);
}

/*
 * Keys of one hash in the table, made for the seed 0: the same name with the hash that the other
 * name would need, too. They are different keys all the same.
 */
TEST(test_keys_that_collide)
{
    struct lprf_function functions[] = {FUNCTION("main", 24, 1), FUNCTION("step", 0, 1),
                                        FUNCTION("main", 0, 1), FUNCTION("step", 24, 1)};
    struct lprf_key_table keys;
    size_t number;
    functions[1].hash =
        unmix64(bo_mix64(24) ^ bo_hash(functions[0].name) ^ bo_hash(functions[1].name));
    functions[2].hash = functions[1].hash;
    assert_true(bo_mix64(unmix64(12345)) == 12345);
    assert_true(lprf_keys_init(&keys, 0, &arena));
    keys.seed = 0;
    for (unsigned round = 0; round < 2; round++)
        for (size_t f = 0; f < N_ELEMENTS(functions); f++) {
            assert_true(lprf_keys_add(&keys, functions, &functions[f], &number));
            assert_int_equal(number, f);
        }
}

TEST(test_differences)
{
    const struct lprf_function changed[] = {
        FUNCTION("mainx", 24, 5, 0), FUNCTION("main", 23, 5, 0), FUNCTION("main", 24, 5),
        FUNCTION("main", 24, 5, 1),  FUNCTION("maim", 24, 5, 0),
    };
    static const char *const expected[] = {
        "a function's name differs",
        "a function's hash differs",
        "a function's number of counters differs",
        "a counter differs",
        "a function's name differs",
    };
    const struct lprf_model model = {1, good};
    for (size_t i = 0; i < N_ELEMENTS(changed); i++)
        assert_string_equal(format->differ(&model, &(struct lprf_model){1, &changed[i]}),
                            expected[i]);
    assert_string_equal(format->differ(&good_model, &model), "the number of functions differs");
    assert_null(format->differ(&good_model, &good_model));
}

TEST(test_counts)
{
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(format->units(&good_model, units), 3);
    assert_string_equal(units[0].name, "functions");
    assert_int_equal(units[0].n, 3);
    assert_string_equal(units[1].name, "counters");
    assert_int_equal(units[1].n, 5);
    assert_string_equal(units[2].name, "name bytes");
    assert_int_equal(units[2].n, 12);
    assert_true(lprf_maximum(&good_model) == 9); /* of first counters */
    assert_true(lprf_maximum(&(struct lprf_model){0, NULL}) == 0);
    /*
     * Hashes 24 24 25 and numbers 2 2 1: 2.7549 bits each. Counters 0 0 5 9 900: 9.6096. Bytes
     * mainmainstep, m a i n twice and s t e p once: 8 log2(6) + 4 log2(12).
     */
    const double expected = (2 * 2.754887502163468 + 9.609640474436812 + 35.01955000865388) / 8;
    const double floor_nbytes = bo_entropy_floor_nbytes(format, &good_model, &arena);
    assert_true(floor_nbytes > expected - 1e-9 && floor_nbytes < expected + 1e-9);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_true(bo_entropy_floor_nbytes(format, &good_model, &none) < 0);
}

/* ---- generation and mutation ----------------------------------------------------------------- */

static const char *flaw_of(const void *model, struct bo_arena *scratch)
{
    return lprf_model_flaw(model, scratch, NULL);
}

TEST(test_generated_models_are_valid)
{
    expect_valid_models(60, 8, flaw_of);
    assert_true(count_units(generate_model(2, 7, &arena)) == 7);
}

/* What models of random bytes hold at least once: where encodings break. */
struct extremes {
    bool nul, newline, one_byte, long_name, prefix, namesake, many_counters;
    bool zero, two_to_32, two_to_63, largest, alphabetical, unordered;
};

static void note_function(struct extremes *seen, const struct lprf_function *f)
{
    seen->nul |= memchr(f->name.p, '\0', f->name.n) != NULL;
    seen->newline |= memchr(f->name.p, '\n', f->name.n) != NULL;
    seen->one_byte |= f->name.n == 1;
    seen->long_name |= f->name.n > 300;
    seen->many_counters |= f->n_counters > 255;
    for (size_t i = 0; i < f->n_counters; i++) {
        seen->zero |= f->counters[i] == 0;
        seen->two_to_32 |= f->counters[i] == UINT64_C(1) << 32;
        seen->two_to_63 |= f->counters[i] == UINT64_C(1) << 63;
        seen->largest |= f->counters[i] == UINT64_MAX;
    }
}

static void note_extremes(struct extremes *seen, const struct lprf_model *model)
{
    bool ascends = model->n_functions > 9;
    for (size_t i = 0; i < model->n_functions; i++) {
        const struct lprf_function *f = &model->functions[i];
        note_function(seen, f);
        if (i && bo_span_compare(f[-1].name, f->name) > 0) {
            seen->unordered = true;
            ascends = false;
        }
        for (size_t j = 0; j < model->n_functions; j++) {
            const struct bo_span name = model->functions[j].name;
            if (i == j || name.n < f->name.n || memcmp(name.p, f->name.p, f->name.n) != 0)
                continue;
            seen->namesake |= name.n == f->name.n;
            seen->prefix |= name.n > f->name.n;
        }
    }
    seen->alphabetical |= ascends;
}

static struct extremes extremes;

static void note(const void *model)
{
    note_extremes(&extremes, model);
}

/* Among them all is what is hard. */
TEST(test_generated_from_bytes)
{
    const struct extremes *seen = &extremes;
    expect_models_from_bytes(300, flaw_of, note);
    assert_true(seen->nul && seen->newline && seen->one_byte && seen->long_name);
    assert_true(seen->prefix && seen->namesake && seen->many_counters && seen->zero);
    assert_true(seen->two_to_32 && seen->two_to_63 && seen->largest);
    assert_true(seen->alphabetical && seen->unordered);
}

static struct {
    bool longer_than_16_bits, most_in_16_bits, counters, nested, siblings;
} limits;

static void note_limits(const void *opaque)
{
    const struct lprf_model *model = opaque;
    size_t n_siblings = 0;
    bool is_deep[400] = {0};
    for (size_t i = 0; i < model->n_functions; i++) {
        const struct lprf_function *f = &model->functions[i];
        limits.most_in_16_bits |= f->name.n == UINT16_MAX;
        limits.longer_than_16_bits |= f->name.n > UINT16_MAX;
        limits.counters |= f->n_counters > UINT16_MAX;
        n_siblings += f->name.n == 24 && memcmp(f->name.p, "_ZN5boost6spirit2qi", 19) == 0;
        if (f->name.n < sizeof is_deep)
            is_deep[f->name.n] = true;
    }
    size_t depth = 1;
    while (depth < sizeof is_deep && is_deep[depth])
        depth++;
    limits.nested |= depth > BO_MAX_NESTED_NAMES / 2;
    limits.siblings |= n_siblings > BO_MAX_SIBLING_NAMES / 2;
}

TEST(test_extreme_models)
{
    expect_extreme_models(2000, flaw_of, note_limits);
    assert_true(limits.most_in_16_bits && limits.longer_than_16_bits && limits.counters);
    assert_true(limits.nested && limits.siblings);
}

TEST(test_same_seed_same_model)
{
    expect_same_seed_same_model(200);
    expect_uses_decide();
}

TEST(test_each_allocation_fails)
{
    expect_failing_allocations(40, 12);
}

TEST(test_subjects)
{
    expect_subjects("a\n# Func Hash:\n24\n# Num Counters:\n1\n# Counter Values:\n5\n\n"
                    "b\n# Func Hash:\n24\n# Num Counters:\n1\n# Counter Values:\n5\n\n",
                    "b", "");
}

TEST_FILE(set_up, tear_down)
