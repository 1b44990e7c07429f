/*
 * Queries on Templight models: the oracle, the workloads, the command line. Why: every check and
 * every measurement relies on the oracle, and covers only what the workloads query.
 */
#include "codecs/templight/queries.h"

#include "codecs/templight/test_model.h"
#include "codecs/templight/workloads.h"

#include "harness/core/test_fixture.h"

#define BEGIN_AT(name, orig, poi) \
    "---\nname: '" name "'\nkind: Memoization\nevent: Begin\norig: '" orig "'\npoi: '" poi "'\n"
#define BEGIN(name) BEGIN_AT(name, "", "")
#define END "---\nevent: End\n"

/* Two traces, of 11 and of 1 names. */
static const char sample[] = BEGIN("b") END BEGIN("ab") BEGIN("a") END END BEGIN("a") BEGIN("ac")
    BEGIN("abc") BEGIN("ad") BEGIN("ae") BEGIN("af") BEGIN("ag") BEGIN("ah")
        BEGIN("") "# trace: {version: 3, source: x.cpp}\n" BEGIN("abc");

static struct bo_sink sink_of(size_t cap)
{
    const struct bo_sink sink = {.p = bo_alloc(&arena, cap), .cap = cap};
    memset(sink.p, 0xaa, cap);
    return sink;
}

/* ---- right answers --------------------------------------------------------------------------- */

TEST(test_names)
{
    const struct templight_model *model = parse_text(sample, &arena);
    const struct templight_name_query queries[] = {{0, 1}, {1, 0}, {0, 10}};
    const struct bo_query_kind *kind = &templight_kinds[TEMPLIGHT_NAME];
    static const uint8_t expected[] = "ab\0\0\0\0\0\0"
                                      "abc\0\0\0\0";
    struct bo_sink sink = sink_of(100);
    assert_int_equal(kind->oracle(model, queries, 3, &sink), BO_OK);
    assert_int_equal(sink.n, 5 * sizeof(uint64_t));
    assert_memory_equal(sink.p + 8, expected, 8);
    assert_memory_equal(sink.p + 24, expected + 8, 8);
    const uint64_t lengths[] = {2, 3, 0};
    assert_memory_equal(sink.p, &lengths[0], 8);
    assert_memory_equal(sink.p + 16, &lengths[1], 8);
    assert_memory_equal(sink.p + 32, &lengths[2], 8);
    sink = sink_of(15);
    assert_int_equal(kind->oracle(model, queries, 1, &sink), BO_OVER_LIMIT);
}

TEST(test_expand_all)
{
    const struct templight_model *model =
        parse_text(BEGIN("x") BEGIN("") "# trace: {version: 1, source: ''}\n", &arena);
    const uint64_t x = 'x';
    uint64_t expected[] = {2, 1, 0, 0, 0};
    memcpy(&expected[2], (const uint8_t[8]){(uint8_t)x}, 8);
    struct bo_sink sink = sink_of(100);
    assert_int_equal(templight_kinds[TEMPLIGHT_EXPAND_ALL].oracle(model, NULL, 1, &sink), BO_OK);
    assert_int_equal(sink.n, sizeof expected);
    assert_memory_equal(sink.p, expected, sizeof expected);
    for (size_t cap = 0; cap < sizeof expected; cap++) {
        sink = sink_of(cap);
        assert_int_equal(templight_kinds[TEMPLIGHT_EXPAND_ALL].oracle(model, NULL, 1, &sink),
                         BO_OVER_LIMIT);
    }
}

static struct templight_digest digest_of(const char *text)
{
    struct templight_digest digest;
    assert_int_equal(
        templight_kinds[TEMPLIGHT_STREAM].oracle(parse_text(text, &arena), NULL, 1, &digest),
        BO_OK);
    return digest;
}

/* Whatever is different in a record shows in the digest; it is the same on every machine. */
TEST(test_digests)
{
    static const char *const texts[] = {
        "",
        BEGIN("a"),
        BEGIN("b"),
        BEGIN("a") BEGIN("a"),
        BEGIN("a") END,
        BEGIN("a") "---\nevent: End\norig: 'x:1:1'\n",
        BEGIN("a") "---\nevent: End\norig: 'x:1:2'\n",
        BEGIN("a") "---\nevent: End\norig: 'x:2:1'\n",
        BEGIN_AT("a", "x:1:1", ""),
        BEGIN_AT("a", "", "x:1:1"),
        BEGIN_AT("a", "", "x:1:2"),
        BEGIN("a") "time: 0\n",
        BEGIN("a") "time: -0\n",
        BEGIN("a") "memory: 0\n",
        BEGIN("a") "memory: 1\n",
        "---\nname: a\nkind: 1\nevent: Begin\norig: ''\npoi: ''\n",
        "# trace: {version: 2, source: ''}\n" BEGIN("a"),
        "# trace: {version: 1, source: 'x'}\n" BEGIN("a"),
        "# trace: {version: 1, source: ''}\n# trace: {version: 1, source: ''}\n" BEGIN("a"),
    };
    for (size_t i = 0; i < N_ELEMENTS(texts); i++)
        for (size_t k = 0; k < i; k++)
            if (digest_of(texts[i]).hash == digest_of(texts[k]).hash)
                fail_msg("the same digest of\n%sand\n%s", texts[i], texts[k]);
    const struct templight_digest digest = digest_of(sample);
    assert_true(digest.n_begins == 13 && digest.n_ends == 3 && digest.name_nbytes == 23);
    if (digest.hash != UINT64_C(0xf1d037a12df071e2))
        fail_msg("hash 0x%016llx", (unsigned long long)digest.hash);
}

TEST(test_find)
{
    const struct templight_model *model = parse_text(sample, &arena);
    const struct templight_text_query queries[] = {
        {bo_span_of("b"), 0}, {bo_span_of(""), 0},    {bo_span_of("abc"), 0},
        {bo_span_of("B"), 0}, {bo_span_of("abc"), 1}, {bo_span_of("ab"), 1},
    };
    const uint32_t expected[] = {0, 10, 4, TEMPLIGHT_NONE, 0, TEMPLIGHT_NONE};
    uint32_t answers[N_ELEMENTS(queries)];
    assert_int_equal(
        templight_kinds[TEMPLIGHT_FIND].oracle(model, queries, N_ELEMENTS(queries), answers),
        BO_OK);
    assert_memory_equal(answers, expected, sizeof answers);
}

TEST(test_prefix)
{
    const struct templight_model *model = parse_text(sample, &arena);
    static const uint32_t none = TEMPLIGHT_NONE;
    const struct {
        const char *text;
        uint32_t trace;
        struct templight_matches matches;
    } cases[] = {
        {"a", 0, {9, {2, 1, 4, 3, 5, 6, 7, 8}}}, /* a ab abc ac ad ae af ag */
        {"", 0, {11, {10, 2, 1, 4, 3, 5, 6, 7}}},
        {"ab", 0, {2, {1, 4, none, none, none, none, none, none}}},
        {"abcd", 0, {0, {none, none, none, none, none, none, none, none}}},
        {"ab", 1, {1, {0, none, none, none, none, none, none, none}}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct templight_text_query query = {bo_span_of(cases[i].text), cases[i].trace};
        struct templight_matches matches;
        assert_int_equal(templight_kinds[TEMPLIGHT_PREFIX].oracle(model, &query, 1, &matches),
                         BO_OK);
        assert_memory_equal(&matches, &cases[i].matches, sizeof matches);
    }
}

/* All queries of the kind: each name, then half of it. */
TEST(test_prefixes_of_names)
{
    const struct templight_model *model = parse_text(BEGIN("abc") BEGIN("de"), &arena);
    static const char *const expected[] = {"abc", "a", "de", "d"};
    struct templight_text_query query;
    for (size_t i = 0; i < N_ELEMENTS(expected); i++) {
        assert_true(templight_kinds[TEMPLIGHT_PREFIX].at(model, i, &query));
        assert_true(bo_span_equal(query.text, bo_span_of(expected[i])));
    }
}

/* ---- all queries, and invalid ones ----------------------------------------------------------- */

static enum bo_status run_query(const struct bo_query_kind *kind,
                                const struct templight_model *model, const void *query)
{
    uint64_t answer[64];
    static uint8_t text[1 << 16];
    struct bo_sink sink = {.p = text, .cap = sizeof text};
    return kind->oracle(model, query, 1, kind->answer_size ? (void *)answer : (void *)&sink);
}

TEST(test_all_queries_are_valid)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct templight_model *model = generate_model(seed, 20, &arena);
        for (unsigned k = 0; k < TEMPLIGHT_N_KINDS; k++) {
            const struct bo_query_kind *kind = &templight_kinds[k];
            uint64_t query[BO_MAX_QUERY_NBYTES / 8] = {0}, n = kind->count(model), i = 0;
            if (k == TEMPLIGHT_EXPAND_ALL)
                continue; /* one query: see above */
            for (; kind->at(model, i, query); i++)
                assert_int_equal(run_query(kind, model, query), BO_OK);
            assert_true(i == n);
            for (i = 0; kind->invalid_at(model, i, query); i++)
                assert_int_equal(run_query(kind, model, query), BO_OUT_OF_RANGE);
            assert_true(k == TEMPLIGHT_STREAM ? i == 0 : i >= 2);
        }
    }
}

/* ---- workloads ------------------------------------------------------------------------------- */

TEST(test_draws_are_valid)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        const struct templight_model *model = generate_model(seed, 30, &arena);
        for (unsigned k = 0; k < TEMPLIGHT_N_KINDS; k++) {
            const struct bo_query_kind *kind = &templight_kinds[k];
            for (unsigned w = 0; w <= kind->n_workloads; w++) {
                uint64_t queries[64 * BO_MAX_QUERY_NBYTES / 8] = {0};
                struct bo_random random = bo_random_seeded(seed);
                const size_t n = w < kind->n_workloads
                                     ? kind->workloads[w].draw(model, &random, &arena, 64, queries)
                                     : kind->draw_edges(model, &random, &arena, 64, queries);
                assert_in_range(n, 0, 64);
                for (size_t i = 0; i < n && k != TEMPLIGHT_EXPAND_ALL; i++)
                    assert_int_equal(
                        run_query(kind, model, (uint8_t *)queries + i * kind->query_size), BO_OK);
            }
        }
    }
}

/* How many of 64 `find` queries of a workload are there; 65: it drew fewer. */
static unsigned count_hits(const struct templight_model *model, unsigned workload)
{
    struct templight_text_query queries[64];
    uint32_t answers[64];
    struct bo_random random = bo_random_seeded(1);
    const struct bo_query_kind *kind = &templight_kinds[TEMPLIGHT_FIND];
    unsigned n_hits = 0;
    if (kind->workloads[workload].draw(model, &random, &arena, 64, queries) < 64)
        return 65;
    assert_int_equal(kind->oracle(model, queries, 64, answers), BO_OK);
    for (size_t i = 0; i < 64; i++)
        n_hits += answers[i] != TEMPLIGHT_NONE;
    return n_hits;
}

TEST(test_hits_and_misses)
{
    const struct templight_model *model = generate_model(2, 400, &arena);
    assert_string_equal(templight_find_workloads[0].name, "hit");
    assert_int_equal(count_hits(model, 0), 64);
    assert_string_equal(templight_find_workloads[1].name, "miss");
    assert_int_equal(count_hits(model, 1), 0);
}

/* A name that is used more often is queried more often. */
TEST(test_used_names)
{
    const struct templight_model *model =
        parse_text(BEGIN("rare") BEGIN("often") END BEGIN("often") END BEGIN("often")
                       END BEGIN("often") END BEGIN("often") END BEGIN("often") END,
                   &arena);
    struct templight_name_query queries[1000];
    struct bo_random random = bo_random_seeded(1);
    unsigned n_rare = 0;
    assert_string_equal(templight_name_workloads[2].name, "used");
    assert_int_equal(templight_name_workloads[2].draw(model, &random, &arena, 1000, queries), 1000);
    for (size_t i = 0; i < 1000; i++)
        n_rare += queries[i].name == 0;
    assert_in_range(n_rare, 20, 200);
}

/* Readers that look at the kind of each query reject one that does not exist. */
TEST(test_unknown_kind)
{
    static const char *const codecs[] = {"dict-batch", "dict-naive", "front-coded", "predicted",
                                         "terms"};
    for (unsigned i = 0; i < N_ELEMENTS(codecs); i++) {
        const struct bo_codec *codec = bo_find_codec(format, codecs[i]);
        const struct templight_text_query query = {bo_span_of("abc"), 0};
        uint64_t answer[32];
        struct bo_writer file;
        struct bo_error error;
        void *reader;
        bo_writer_init(&file, &arena);
        assert_int_equal(codec->encode(codec, parse_text(sample, &arena), &file, NULL), BO_OK);
        assert_int_equal(codec->open(codec, bo_writer_span(&file), &arena, &reader, NULL), BO_OK);
        if (codec->query(codec, reader, TEMPLIGHT_N_KINDS, &query, 1, answer, &error) !=
            BO_BAD_USAGE)
            fail_msg("%s", codecs[i]);
        bo_writer_free(&file);
    }
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Runs a query as the command line does, and compares the output. */
static void expect(unsigned k, int n_args, const char *const *args, const char *printed)
{
    const struct bo_query_kind *kind = &templight_kinds[k];
    const struct templight_model *model = parse_text(sample, &arena);
    uint64_t query[BO_MAX_QUERY_NBYTES / 8], answer[32];
    struct bo_sink sink = sink_of(1 << 12);
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(kind->parse(n_args, (char *const *)(uintptr_t)args, NULL, query, NULL), BO_OK);
    assert_int_equal(
        kind->oracle(model, query, 1, kind->answer_size ? (void *)answer : (void *)&sink), BO_OK);
    const struct bo_span bytes = kind->answer_size
                                     ? (struct bo_span){(const uint8_t *)answer, kind->answer_size}
                                     : (struct bo_span){sink.p, sink.n};
    kind->print(query, bytes, &out);
    bo_put_u8(&out, 0);
    assert_string_equal(out.p, printed);
    bo_writer_free(&out);
}

TEST(test_command_line)
{
    expect(TEMPLIGHT_NAME, 2, (const char *const[]){"0", "4"}, "abc\n");
    expect(TEMPLIGHT_FIND, 2, (const char *const[]){"0", "abc"}, "name 4\n");
    expect(TEMPLIGHT_FIND, 2, (const char *const[]){"1", "x"}, "no such name\n");
    expect(TEMPLIGHT_PREFIX, 2, (const char *const[]){"0", "ab"}, "matches 2\nname 1\nname 4\n");
    expect(TEMPLIGHT_EXPAND_ALL, 0, NULL,
           "0 0 b\n0 1 ab\n0 2 a\n0 3 ac\n0 4 abc\n0 5 ad\n0 6 ae\n0 7 af\n0 8 ag\n0 9 ah\n0 10 \n"
           "1 0 abc\n");
    uint64_t query[BO_MAX_QUERY_NBYTES / 8];
    struct bo_error error;
    char *const bad[] = {(char[]){"x"}, (char[]){"4294967296"}, (char[]){"0"}};
    for (unsigned k = 0; k < TEMPLIGHT_N_KINDS; k++) {
        const struct bo_query_kind *kind = &templight_kinds[k];
        assert_int_equal(kind->parse(3, bad, NULL, query, &error), BO_BAD_USAGE);
        assert_int_equal(error.status, BO_BAD_USAGE);
        assert_int_equal(kind->parse(1, bad, NULL, query, NULL), BO_BAD_USAGE);
        if (kind->query_size)
            assert_int_equal(kind->parse(2, bad, NULL, query, NULL), BO_BAD_USAGE);
    }
    char *const more[] = {(char[]){"0"}, (char[]){"0"}, (char[]){"0"}};
    char *const no_name[] = {(char[]){"0"}, (char[]){"x"}};
    for (unsigned k = 0; k < TEMPLIGHT_N_KINDS; k++)
        assert_int_equal(templight_kinds[k].parse(3, more, NULL, query, NULL), BO_BAD_USAGE);
    assert_int_equal(templight_kinds[TEMPLIGHT_NAME].parse(2, no_name, NULL, query, NULL),
                     BO_BAD_USAGE);
}

TEST_FILE(set_up, tear_down)
