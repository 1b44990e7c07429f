/*
 * Queries on AutoFDO models: the oracle, the workloads, the command line. Why: every check and
 * every measurement relies on the oracle, and covers only what the workloads query.
 */
#include "codecs/autofdo/queries.h"

#include "codecs/autofdo/test_model.h"

#include "harness/core/test_fixture.h"

static const char sample[] = "#@ file c\tin c.h\n#@ file f\ta.c\n#@ file g\ta.c\n#@ file h\n"
                             "#@ timestamp 7\nf:0:3\n 1: 4 t:5 u:6\n 2: c:0\n  8.9: 1 v:2\n"
                             "g:0:0\n 1: 9\nh:0:1\nk:0:2\n";

/* ---- the summary ----------------------------------------------------------------------------- */

static struct autofdo_summary answer_summary(const struct autofdo_model *model)
{
    struct autofdo_summary summary;
    assert_int_equal(autofdo_kinds[AUTOFDO_SUMMARY].oracle(model, NULL, 1, &summary), BO_OK);
    return summary;
}

TEST(test_known_summary)
{
    const struct autofdo_model *model =
        parse_text("f:0:3\n 1: 50\n 2: 20\n 3: c:0\n  1: 20\ng:0:5\n 1: 9\n 2: 1\n 3: 0\n", &arena);
    const struct autofdo_summary summary = answer_summary(model);
    assert_true(summary.total_count == 100 && summary.max_count == 50 && summary.max_head == 5);
    assert_true(summary.n_counts == 6 && summary.n_functions == 2);
    static const struct autofdo_entry expected[AUTOFDO_N_CUTOFFS] = {
        {50, 1}, {50, 1}, {50, 1}, {50, 1}, {50, 1}, {50, 1}, /* 1% to 50% */
        {20, 3}, {20, 3}, {20, 3}, {20, 3},                   /* two are equal: to 90% */
        {9, 4},  {9, 4},  {9, 4},  {9, 4},  {9, 4},  {9, 4},
    };
    assert_memory_equal(summary.entries, expected, sizeof expected);
}

/* Two ways to compute it agree, also where totals saturate. */
TEST(test_summaries_agree)
{
    unsigned n_saturated = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        const struct autofdo_model *model = generate_model(seed, seed, &arena);
        const struct autofdo_summary right = answer_summary(model);
        struct autofdo_summary summary;
        const size_t region_nbytes = arena.region_nbytes;
        assert_int_equal(autofdo_summarize(model, &arena, &summary, NULL), BO_OK);
        assert_int_equal(arena.region_nbytes, region_nbytes);
        assert_memory_equal(&summary, &right, sizeof right);
        n_saturated += summary.total_count == UINT64_MAX;
    }
    assert_true(n_saturated >= 5);
    struct bo_arena none;
    struct autofdo_summary summary;
    struct bo_error error = {0};
    bo_arena_init(&none, 0);
    assert_int_equal(autofdo_summarize(parse_text(sample, &arena), &none, &summary, &error),
                     BO_OVER_LIMIT);
    assert_int_equal(error.status, BO_OVER_LIMIT);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The digest of function f of the sample, by the definition. */
static struct autofdo_digest digest_by_hand(void)
{
    struct autofdo_digest digest = {1, 2, 2, 3, 0};
    uint64_t *hash = &digest.hash;
    autofdo_visit_head(hash, 3, 7);
    autofdo_visit_instance(hash, autofdo_hash_name(bo_span_of("f")));
    autofdo_visit_record(hash, 1, 0, 4);
    autofdo_visit_target(hash, autofdo_hash_name(bo_span_of("t")), 5);
    autofdo_visit_target(hash, autofdo_hash_name(bo_span_of("u")), 6);
    autofdo_visit_callsite(hash, 2, 0);
    autofdo_visit_instance(hash, autofdo_hash_name(bo_span_of("c")));
    autofdo_visit_record(hash, 8, 9, 1);
    autofdo_visit_target(hash, autofdo_hash_name(bo_span_of("v")), 2);
    autofdo_visit_end(hash);
    autofdo_visit_end(hash);
    return digest;
}

TEST(test_known_function)
{
    const struct autofdo_model *model = parse_text(sample, &arena);
    const struct autofdo_name_query queries[] = {{bo_span_of("f")}, {bo_span_of("c")}};
    _Alignas(8) uint8_t bytes[1024];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    const struct bo_query_kind *kind = &autofdo_kinds[AUTOFDO_FUNCTION];
    assert_int_equal(kind->oracle(model, queries, 2, &sink), BO_OK);
    const struct autofdo_answer expected = {3, 7, digest_by_hand(), 3}, none = {0};
    const struct {
        struct autofdo_found found;
        char name[8];
    } targets[] = {{{5, 1}, "t"}, {{6, 1}, "u"}, {{2, 1}, "v"}};
    assert_int_equal(sink.n, 2 * sizeof expected + sizeof targets);
    assert_memory_equal(bytes, &expected, sizeof expected);
    assert_memory_equal(bytes + sizeof expected, targets, sizeof targets);
    assert_memory_equal(bytes + sizeof expected + sizeof targets, &none, sizeof none);
    /* A sink one byte too small is over the limit, wherever it ends. */
    for (size_t cap = 0; cap < sink.n; cap++) {
        struct bo_sink small = {bytes, 0, cap};
        assert_int_equal(kind->oracle(model, queries, 2, &small), BO_OVER_LIMIT);
    }
}

static struct autofdo_digest answer_digest(const struct autofdo_model *model, unsigned kind,
                                           const char *path)
{
    struct autofdo_digest digest;
    const struct autofdo_path_query query = {bo_span_of(path)};
    assert_int_equal(autofdo_kinds[kind].oracle(model, &query, 1, &digest), BO_OK);
    return digest;
}

TEST(test_known_units)
{
    const struct autofdo_model *model = parse_text(sample, &arena);
    const struct autofdo_digest a = answer_digest(model, AUTOFDO_TU, "a.c");
    const struct autofdo_digest none = answer_digest(model, AUTOFDO_TU, "");
    const struct autofdo_digest absent = answer_digest(model, AUTOFDO_TU, "in c.h");
    const struct autofdo_digest all = answer_digest(model, AUTOFDO_SCAN, "");
    const struct autofdo_digest zero = {0};
    assert_true(a.n_functions == 2 && a.n_instances == 3 && a.n_records == 3 && a.n_targets == 3);
    assert_true(none.n_functions == 2 && none.n_records == 0); /* of path "", and without one */
    assert_memory_equal(&absent, &zero, sizeof zero);          /* of a callee only */
    assert_true(all.n_functions == 4 && all.hash == a.hash + none.hash);
}

/* All functions, each found by its name; all units: both make up the scan. */
TEST(test_all_queries_add_up)
{
    static _Alignas(8) uint8_t bytes[1 << 20];
    for (uint64_t seed = 0; seed < 30; seed++) {
        const struct autofdo_model *model = generate_model(seed, 2 * seed, &arena);
        const struct bo_query_kind *functions = &autofdo_kinds[AUTOFDO_FUNCTION];
        const struct bo_query_kind *units = &autofdo_kinds[AUTOFDO_TU];
        const struct autofdo_digest all = answer_digest(model, AUTOFDO_SCAN, "");
        struct autofdo_name_query name;
        struct autofdo_path_query path;
        struct bo_span before = {NULL, 0};
        uint64_t hash = 0, n_functions = 0, n = functions->count(model);
        assert_true(n == model->n_functions && !functions->at(model, n, &name));
        for (uint64_t i = 0; i < n; i++) {
            struct bo_sink sink = {bytes, 0, sizeof bytes};
            assert_true(functions->at(model, i, &name));
            assert_int_equal(functions->oracle(model, &name, 1, &sink), BO_OK);
            const struct autofdo_answer *answer = (const void *)bytes;
            assert_true(answer->digest.n_functions == 1);
            hash += answer->digest.hash;
        }
        assert_true(hash == all.hash);
        n = units->count(model);
        hash = 0;
        for (uint64_t i = 0; i < n; i++) {
            struct autofdo_digest digest;
            assert_true(units->at(model, i, &path));
            assert_true(!before.p || bo_span_compare(before, path.path) < 0);
            before = path.path;
            assert_int_equal(units->oracle(model, &path, 1, &digest), BO_OK);
            assert_true(digest.n_functions > 0);
            hash += digest.hash;
            n_functions += digest.n_functions;
        }
        assert_true(hash == all.hash && n_functions == all.n_functions);
        assert_true(n == 0 || !units->at(model, n, &path));
        bo_arena_free(&arena);
    }
}

/* ---- how queries are drawn ------------------------------------------------------------------- */

static bool has_function(const struct autofdo_model *model, struct bo_span name)
{
    for (size_t f = 0; f < model->n_functions; f++)
        if (bo_span_equal(model->functions[f].body.name, name))
            return true;
    return false;
}

static const struct bo_workload *find_workload(unsigned kind, const char *name)
{
    for (unsigned w = 0; w < autofdo_kinds[kind].n_workloads; w++)
        if (strcmp(autofdo_kinds[kind].workloads[w].name, name) == 0)
            return &autofdo_kinds[kind].workloads[w];
    fail_msg("no workload %s", name);
    return NULL;
}

TEST(test_present_and_absent_names)
{
    static const struct {
        const char *workload;
        bool is_there;
    } cases[] = {{"uniform", true}, {"hot", true}, {"cold", true}, {"miss", false}};
    enum { N = 300 };
    static struct autofdo_name_query queries[N];
    const struct autofdo_model *model = generate_model(2, 100, &arena), nothing = {0};
    for (size_t c = 0; c < N_ELEMENTS(cases); c++) {
        const struct bo_workload *workload = find_workload(AUTOFDO_FUNCTION, cases[c].workload);
        struct bo_random random = bo_random_seeded(c);
        assert_int_equal(workload->draw(model, &random, &arena, N, queries), N);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(has_function(model, queries[i].name), cases[c].is_there);
        assert_int_equal(workload->draw(&nothing, &random, &arena, N, queries), 0);
    }
}

/* Function b has 900 of the 1000 counts, so about nine of ten queries are for it. */
TEST(test_hot_names)
{
    enum { N = 2000 };
    static struct autofdo_name_query queries[N];
    const struct autofdo_model *model =
        parse_text("a:0:9\n 1: 100\nb:0:0\n 1: 1\n 2: c:0\n  1: 899\nd:0:0\n", &arena);
    struct bo_random random = bo_random_seeded(1);
    unsigned n_of[3] = {0};
    assert_int_equal(
        find_workload(AUTOFDO_FUNCTION, "hot")->draw(model, &random, &arena, N, queries), N);
    for (size_t i = 0; i < N; i++)
        n_of[queries[i].name.p[0] == 'a' ? 0 : queries[i].name.p[0] == 'b' ? 1 : 2]++;
    assert_true(n_of[0] > 140 && n_of[0] < 270);
    assert_true(n_of[1] > 1700 && n_of[2] < 20);
}

/* Each path once, all of them when there is room. */
TEST(test_units_are_drawn_once)
{
    enum { N = 100 };
    static struct autofdo_path_query queries[N];
    const struct bo_workload *workload = find_workload(AUTOFDO_TU, "uniform");
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct autofdo_model *model = generate_model(seed, 40, &arena);
        struct bo_random random = bo_random_seeded(seed);
        const uint64_t n_paths = autofdo_kinds[AUTOFDO_TU].count(model);
        const size_t n = workload->draw(model, &random, &arena, N, queries);
        assert_true(n == n_paths);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                assert_false(bo_span_equal(queries[i].path, queries[j].path));
        assert_true(workload->draw(model, &random, &arena, 1, queries) == (n_paths ? 1 : 0));
    }
}

TEST(test_edges)
{
    enum { N = 400 };
    static struct autofdo_name_query names[N];
    static struct autofdo_path_query paths[N];
    const struct autofdo_model nothing = {0};
    unsigned n_found = 0, n_absent = 0, n_units = 0, n_no_units = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const struct autofdo_model *model = seed ? generate_model(seed, 30, &arena) : &nothing;
        struct bo_random random = bo_random_seeded(seed);
        assert_int_equal(
            autofdo_kinds[AUTOFDO_FUNCTION].draw_edges(model, &random, &arena, N, names), N);
        assert_int_equal(autofdo_kinds[AUTOFDO_TU].draw_edges(model, &random, &arena, N, paths), N);
        for (size_t i = 0; i < N; i++) {
            struct autofdo_digest digest;
            const bool is_there = has_function(model, names[i].name);
            n_found += is_there;
            n_absent += !is_there;
            assert_int_equal(autofdo_kinds[AUTOFDO_TU].oracle(model, &paths[i], 1, &digest), BO_OK);
            n_units += digest.n_functions > 0;
            n_no_units += digest.n_functions == 0;
        }
        bo_arena_free(&arena);
    }
    assert_true(n_found > 1000 && n_absent > 1000); /* else this shows little */
    assert_true(n_units > 1000 && n_no_units > 500);
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Runs a query as the command line does; returns the printed answer. */
static const char *answer_text(const struct autofdo_model *model, unsigned k, int n_args,
                               char *const *args)
{
    static _Alignas(8) uint8_t bytes[4096];
    static _Alignas(8) uint8_t query[BO_MAX_QUERY_NBYTES];
    const struct bo_query_kind *kind = &autofdo_kinds[k];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    struct bo_writer out;
    assert_int_equal(kind->parse(n_args, args, NULL, query, NULL), BO_OK);
    void *answers = kind->answer_size ? (void *)bytes : (void *)&sink;
    assert_int_equal(kind->oracle(model, query, 1, answers), BO_OK);
    bo_writer_init(&out, &arena);
    kind->print(query, (struct bo_span){bytes, kind->answer_size ? kind->answer_size : sink.n},
                &out);
    bo_put_u8(&out, 0);
    char *text = bo_alloc(&arena, out.n);
    memcpy(text, out.p, out.n);
    bo_writer_free(&out);
    return text;
}

TEST(test_command_line)
{
    char *const f[] = {(char[]){"f"}, (char[]){"g"}}, *const x[] = {(char[]){"x"}};
    char *const path[] = {(char[]){"a.c"}};
    const struct autofdo_model *model = parse_text(sample, &arena);
    const char *text = answer_text(model, AUTOFDO_FUNCTION, 1, f);
    assert_non_null(strstr(text, "head 3\ntimestamp 7\ninstances 2\nrecords 2\ntargets 3\n"));
    assert_non_null(strstr(text, "\ncalls 5 t\ncalls 6 u\ncalls 2 v\n"));
    assert_string_equal(answer_text(model, AUTOFDO_FUNCTION, 1, x), "no such function\n");
    text = answer_text(model, AUTOFDO_TU, 1, path);
    assert_non_null(strstr(text, "functions 2\ninstances 3\nrecords 3\ntargets 3\nhash 0x"));
    assert_string_equal(answer_text(model, AUTOFDO_TU, 1, x),
                        "functions 0\ninstances 0\nrecords 0\ntargets 0\n"
                        "hash 0x0000000000000000\n");
    assert_non_null(strstr(answer_text(model, AUTOFDO_TU, 0, NULL), "functions 2\n"));
    assert_non_null(strstr(answer_text(model, AUTOFDO_SCAN, 0, NULL), "functions 4\n"));
    text = answer_text(model, AUTOFDO_SUMMARY, 0, NULL);
    assert_non_null(strstr(text, "total 14\nmaximum 9\nmaximum-head 3\nrecords 3\nfunctions 4\n"));
    assert_non_null(strstr(text, "\ncutoff 900000: 2 records of at least 4\n"));
    uint8_t query[BO_MAX_QUERY_NBYTES];
    struct bo_error error;
    for (unsigned k = 0; k < AUTOFDO_N_KINDS; k++) {
        assert_false(autofdo_kinds[k].invalid_at(model, 0, query));
        assert_int_equal(autofdo_kinds[k].parse(2, f, NULL, query, &error), BO_BAD_USAGE);
    }
    assert_int_equal(autofdo_kinds[AUTOFDO_FUNCTION].parse(0, f, NULL, query, &error),
                     BO_BAD_USAGE);
    assert_int_equal(autofdo_kinds[AUTOFDO_SCAN].parse(1, f, NULL, query, &error), BO_BAD_USAGE);
}

/* Readers of all codecs reject a kind that does not exist. */
TEST(test_unknown_kind)
{
    const struct autofdo_model *model = parse_text(sample, &arena);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_writer out;
        struct bo_error error = {0};
        union {
            struct autofdo_summary summary;
            struct autofdo_name_query query;
        } query = {0}, answer = {0};
        void *reader;
        bo_writer_init(&out, &arena);
        assert_int_equal((*c)->encode(*c, model, &out, &error), BO_OK);
        assert_int_equal((*c)->open(*c, bo_writer_span(&out), &arena, &reader, &error), BO_OK);
        assert_int_equal((*c)->query(*c, reader, AUTOFDO_N_KINDS, &query, 1, &answer, &error),
                         BO_BAD_USAGE);
        assert_string_equal(error.what, "unknown query kind");
        bo_writer_free(&out);
    }
}

TEST_FILE(set_up, tear_down)
