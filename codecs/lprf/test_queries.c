/*
 * Queries on LPRF models: the oracle, the workloads, the command line. Why: every check and
 * every measurement relies on the oracle, and covers only what the workloads query.
 */
#include "codecs/lprf/test_model.h"

#include "harness/core/test_fixture.h"

static const struct lprf_function good[] = {
    FUNCTION("main", 24, 5, 0),
    FUNCTION("main", 25, 9, 900),
    FUNCTION("step", 24, 0),
};
static const struct lprf_model good_model = {N_ELEMENTS(good), good};

/* ---- the oracle, against loops in loops ------------------------------------------------------ */

/* The first function of the name and, unless hash is NULL, the hash. */
static const struct lprf_function *find_plainly(const struct lprf_model *model, struct bo_span name,
                                                const uint64_t *hash)
{
    for (size_t f = 0; f < model->n_functions; f++)
        if (bo_span_equal(model->functions[f].name, name) &&
            (!hash || model->functions[f].hash == *hash))
            return &model->functions[f];
    return NULL;
}

static void expect_answer(struct bo_sink *sink, const struct lprf_function *function)
{
    static const struct lprf_function none = {.hash = 0};
    function = function ? function : &none;
    const struct lprf_answer *answer = (const void *)(sink->p + sink->n);
    assert_true(answer->hash == function->hash && answer->n_counters == function->n_counters);
    assert_true(function->n_counters == 0 ||
                memcmp(answer->counters, function->counters, 8 * function->n_counters) == 0);
    sink->n += sizeof *answer + 8 * function->n_counters;
}

TEST(test_oracle_of_lookups)
{
    enum { N = 700, CAP = 1 << 24 };
    static struct lprf_name_query names[N];
    static struct lprf_key_query keys[N];
    static uint32_t is_there[N];
    uint8_t *p = bo_alloc(&arena, CAP);
    unsigned n_found = 0, n_absent = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        const struct lprf_model *model = generate_model(seed, seed * 11, &arena);
        struct bo_random random = bo_random_seeded(seed);
        const struct bo_query_kind *kinds = format->kinds;
        struct bo_sink answers = {p, 0, CAP}, key_answers = {p, 0, CAP};
        assert_int_equal(kinds[LPRF_LOOKUP].draw_edges(model, &random, &arena, N, names), N);
        assert_int_equal(kinds[LPRF_LOOKUP_KEY].draw_edges(model, &random, &arena, N, keys), N);
        assert_int_equal(kinds[LPRF_CONTAINS].oracle(model, names, N, is_there), BO_OK);
        assert_int_equal(kinds[LPRF_LOOKUP].oracle(model, names, N, &answers), BO_OK);
        const size_t nbytes = answers.n;
        answers.n = 0;
        for (size_t i = 0; i < N; i++) {
            const struct lprf_function *found = find_plainly(model, names[i].name, NULL);
            expect_answer(&answers, found);
            assert_int_equal(is_there[i], found != NULL);
            n_found += found != NULL;
            n_absent += found == NULL;
        }
        assert_int_equal(answers.n, nbytes);
        assert_int_equal(kinds[LPRF_LOOKUP_KEY].oracle(model, keys, N, &key_answers), BO_OK);
        key_answers.n = 0;
        for (size_t i = 0; i < N; i++)
            expect_answer(&key_answers, find_plainly(model, keys[i].name, &keys[i].hash));
    }
    assert_true(n_found > 3000 && n_absent > 3000); /* else this shows little */
}

/* A sink one byte too small is over the limit. */
TEST(test_oracle_minds_its_sink)
{
    enum { CAP = 4096 };
    static _Alignas(8) uint8_t p[CAP];
    const struct lprf_key_query query = {bo_span_of("main"), 25};
    for (unsigned k = 0; k < LPRF_N_KINDS; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        if (kind->answer_size)
            continue;
        struct bo_sink sink = {p, 0, CAP};
        assert_int_equal(kind->oracle(&good_model, &query, 1, &sink), BO_OK);
        struct bo_sink exact = {p, 0, sink.n}, small = {p, 0, sink.n - 1};
        assert_int_equal(kind->oracle(&good_model, &query, 1, &exact), BO_OK);
        assert_int_equal(kind->oracle(&good_model, &query, 1, &small), BO_OVER_LIMIT);
    }
}

/* Checks one function of an iteration and its padding; returns its bytes. */
static size_t expect_visited(const uint8_t *p, const struct lprf_function *function)
{
    const struct lprf_visited *visited = (const void *)p;
    const uint8_t *name = (const uint8_t *)&visited->counters[function->n_counters];
    assert_true(visited->name_nbytes == function->name.n && visited->hash == function->hash &&
                visited->n_counters == function->n_counters);
    assert_memory_equal(visited->counters, function->counters, 8 * function->n_counters);
    assert_memory_equal(name, function->name.p, function->name.n);
    size_t n = function->name.n;
    for (; n % 8; n++)
        assert_int_equal(name[n], 0);
    return sizeof *visited + 8 * function->n_counters + n;
}

TEST(test_oracle_of_iterations)
{
    enum { CAP = 1 << 24 };
    uint8_t *p = bo_alloc(&arena, CAP);
    for (uint64_t seed = 0; seed < 12; seed++) {
        const struct lprf_model *model = generate_model(seed, seed * 7, &arena);
        const size_t n = model->n_functions;
        struct bo_sink sink = {p, 0, CAP};
        assert_int_equal(format->kinds[LPRF_ITERATE].oracle(model, NULL, 2, &sink), BO_OK);
        size_t off = 0;
        for (size_t i = 0; i < 2 * n; i++)
            off += expect_visited(p + off, &model->functions[i % n]);
        assert_int_equal(off, sink.n);

        sink.n = off = 0;
        assert_int_equal(format->kinds[LPRF_ITERATE_SORTED].oracle(model, NULL, 1, &sink), BO_OK);
        for (size_t rank = 0; rank < n; rank++) {
            size_t f = 0, n_before = rank + 1;
            for (; f < n && n_before != rank; f += n_before != rank) {
                n_before = 0;
                for (size_t g = 0; g < n; g++) {
                    const int order =
                        bo_span_compare(model->functions[g].name, model->functions[f].name);
                    n_before += order < 0 || (order == 0 && g < f);
                }
            }
            off += expect_visited(p + off, &model->functions[f]);
        }
        assert_int_equal(off, sink.n);

        uint64_t maximum, expected = 0;
        for (size_t f = 0; f < n; f++)
            expected = model->functions[f].counters[0] > expected ? model->functions[f].counters[0]
                                                                  : expected;
        assert_int_equal(format->kinds[LPRF_SUMMARY].oracle(model, NULL, 1, &maximum), BO_OK);
        assert_true(maximum == expected && lprf_maximum(model) == expected);
    }
}

/* ---- drawing queries ------------------------------------------------------------------------- */

/* The same seed draws the same; names are present, except those of `miss`, which never are. */
TEST(test_what_workloads_draw)
{
    enum { N = 512 };
    static struct lprf_key_query first[N], again[N];
    for (uint64_t seed = 0; seed < 12; seed++) {
        const struct lprf_model *model = generate_model(seed, seed * 40, &arena);
        for (unsigned k = 0; k <= LPRF_CONTAINS; k++)
            for (unsigned w = 0; w < format->kinds[k].n_workloads; w++) {
                const struct bo_workload *workload = &format->kinds[k].workloads[w];
                const size_t size = format->kinds[k].query_size;
                struct bo_random a = bo_random_seeded(9), b = bo_random_seeded(9);
                const size_t n = workload->draw(model, &a, &arena, N, first);
                assert_int_equal(workload->draw(model, &b, &arena, N, again), n);
                assert_true(model->n_functions || n == 0);
                const bool misses = strcmp(workload->name, "miss") == 0;
                for (size_t i = 0; i < n; i++) {
                    struct lprf_key_query q = {.hash = 0}, r = {.hash = 0};
                    memcpy(&q, (uint8_t *)first + i * size, size);
                    memcpy(&r, (uint8_t *)again + i * size, size);
                    assert_true(bo_span_equal(q.name, r.name) && q.hash == r.hash);
                    assert_true(misses !=
                                (find_plainly(model, q.name,
                                              k == LPRF_LOOKUP_KEY ? &q.hash : NULL) != NULL));
                }
            }
    }
}

/* Draws from a workload of `lookup`; returns how many. */
static size_t draw(const char *name, const struct lprf_model *model, size_t n,
                   struct lprf_name_query *queries)
{
    struct bo_random random = bo_random_seeded(5);
    const struct bo_workload *workload = bo_find_workload(&format->kinds[LPRF_LOOKUP], name);
    assert_non_null(workload);
    return workload->draw(model, &random, &arena, n, queries);
}

/* coverage continues in file order without repetition; zipf queries few names often. */
TEST(test_coverage_and_zipf)
{
    enum { N = 4000 };
    static struct lprf_name_query q[N];
    const struct lprf_model *model = generate_model(2, 1000, &arena);
    assert_int_equal(draw("coverage", model, N, q), 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_ptr_equal(q[i].name.p, model->functions[i].name.p);
    assert_int_equal(draw("coverage", model, 100, q), 100);
    const struct lprf_function *start = find_plainly(model, q[0].name, NULL);
    for (size_t i = 0; i < 100; i++)
        assert_true(bo_span_equal(q[i].name, start[i].name));

    assert_int_equal(draw("zipf", model, N, q), N);
    unsigned counts[1000] = {0}, most = 0, n_seen = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t f = 0; f < 1000; f++)
            counts[f] += q[i].name.p == model->functions[f].name.p;
    for (size_t f = 0; f < 1000; f++) {
        most = counts[f] > most ? counts[f] : most;
        n_seen += counts[f] > 0;
    }
    /*
     * The first of 1000 gets 1 / H(1000) = 13.4% of 4000: 534, give or take 5 standard deviations.
     */
    assert_in_range(most, 427, 641);
    assert_in_range(n_seen, 300, 900);
}

/* `cold` says so to the driver. */
TEST(test_cold)
{
    for (unsigned w = 0; w < format->kinds[LPRF_LOOKUP].n_workloads; w++) {
        const struct bo_workload *workload = &format->kinds[LPRF_LOOKUP].workloads[w];
        assert_int_equal(workload->cold, strcmp(workload->name, "cold") == 0);
    }
}

/* Every query is listed once, in order, and count says how many. */
TEST(test_listing_queries)
{
    const struct lprf_model *model = generate_model(2, 30, &arena);
    for (unsigned k = 0; k < LPRF_N_KINDS; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        struct lprf_key_query q = {.hash = 0};
        uint64_t n = 0;
        for (; kind->at(model, n, &q); n++) {
            assert_true(k > LPRF_CONTAINS || bo_span_equal(q.name, model->functions[n].name));
            assert_true(k != LPRF_LOOKUP_KEY || q.hash == model->functions[n].hash);
        }
        assert_true(n == kind->count(model) && n == (k > LPRF_CONTAINS ? 1 : 30));
        assert_false(kind->invalid_at(model, 0, &q));
    }
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Queries the oracle with command-line arguments; returns the printed answer. */
static const char *answer_text(unsigned k, int n_args, char *const *args)
{
    const struct bo_query_kind *kind = &format->kinds[k];
    struct lprf_key_query q;
    struct bo_writer out;
    struct bo_error error = {0};
    if (kind->parse(n_args, args, NULL, &q, &error)) {
        assert_int_equal(error.status, BO_BAD_USAGE);
        return error.what;
    }
    struct bo_sink sink = {bo_alloc(&arena, 4096), 0, 4096};
    assert_int_equal(kind->oracle(&good_model, &q, 1, kind->answer_size ? (void *)sink.p : &sink),
                     BO_OK);
    bo_writer_init(&out, &arena);
    kind->print(&q, (struct bo_span){sink.p, kind->answer_size ? kind->answer_size : sink.n}, &out);
    bo_put_u8(&out, 0);
    const char *text = strcpy(bo_alloc(&arena, out.n), (const char *)out.p);
    bo_writer_free(&out);
    return text;
}

TEST(test_command_line)
{
    char main_name[] = "main", absent[] = "mai", decimal[] = "25", hex[] = "0x19", bad[] = "x";
    char *const names[] = {main_name, decimal}, *const hexes[] = {main_name, hex};
    char *const bads[] = {main_name, bad}, *const absents[] = {absent, decimal};
    assert_string_equal(answer_text(LPRF_LOOKUP, 1, names), "hash 24\ncounters 5 0\n");
    assert_string_equal(answer_text(LPRF_LOOKUP, 1, absents), "no such function\n");
    assert_string_equal(answer_text(LPRF_LOOKUP, 2, names), "expects a function's name");
    assert_string_equal(answer_text(LPRF_LOOKUP_KEY, 2, names), "hash 25\ncounters 9 900\n");
    assert_string_equal(answer_text(LPRF_LOOKUP_KEY, 2, hexes), "hash 25\ncounters 9 900\n");
    assert_string_equal(answer_text(LPRF_LOOKUP_KEY, 2, absents), "no such function\n");
    assert_string_equal(answer_text(LPRF_LOOKUP_KEY, 1, names),
                        "expects a function's name and its hash, decimal or 0x...");
    assert_string_equal(answer_text(LPRF_LOOKUP_KEY, 2, bads),
                        "expects a function's name and its hash, decimal or 0x...");
    assert_string_equal(answer_text(LPRF_CONTAINS, 1, names), "yes\n");
    assert_string_equal(answer_text(LPRF_CONTAINS, 1, absents), "no\n");
    assert_string_equal(answer_text(LPRF_ITERATE, 0, NULL),
                        "24\t5 0\tmain\n25\t9 900\tmain\n24\t0\tstep\n");
    assert_string_equal(answer_text(LPRF_ITERATE_SORTED, 0, NULL),
                        "24\t5 0\tmain\n25\t9 900\tmain\n24\t0\tstep\n");
    assert_string_equal(answer_text(LPRF_SUMMARY, 0, NULL), "maximum 9\n");
    assert_string_equal(answer_text(LPRF_SUMMARY, 1, names), "expects no arguments");
}

TEST_FILE(set_up, tear_down)
