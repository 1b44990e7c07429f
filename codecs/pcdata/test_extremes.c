/*
 * Documents at the ends of what the model can hold: texts of nearly 4 GiB, PCs on both sides of
 * 2^31, all of int32. Why: real and generated tables are short, so an index that is too narrow, or
 * a signed comparison, passes every other test.
 */
#include "codecs/pcdata/test_frame.h"

/*
 * Runs the named check of every codec on a document, with so many queries of each kind. Raw may
 * find the text too long; nobody else skips its own bytes.
 */
static void check_document(const char *text, const char *check_name, uint32_t max_queries)
{
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_check *check = bo_find_check(check_name);
    struct bo_shared_encoding shared = {0};
    struct bo_effort effort = bo_effort_default();
    struct bo_arena arena;
    void *model;
    effort.max_queries = max_queries;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(
        format->parse((struct bo_span){(const uint8_t *)text, strlen(text)}, &arena, &model, NULL),
        BO_OK);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        bo_share_encoding(&shared, format, *c, model, &effort);
        const struct bo_check_result r = check->run(format, *c, model, &effort);
        const bool may_skip = (*c)->reads || strcmp((*c)->name, "raw") == 0;
        if (r.outcome == BO_FAIL || (r.outcome == BO_SKIP && !may_skip))
            fail_msg("%s: %s: %s %s", (*c)->name, check_name,
                     r.outcome == BO_SKIP ? r.why_skipped : r.finding.class, r.finding.detail);
    }
    bo_shared_encoding_free(&shared);
    bo_arena_free(&arena);
}

TEST(test_largest_text)
{
    check_document("pcdata 1\nquantum 1\n"
                   "table 4294967295 kind=pcln refs=1\n"
                   "0 1\n1 2\n255 3\n256 4\n65536 -5\n2147483647 6\n2147483648 -7\n"
                   "2147483649 8\n4294967040 9\n4294967293 10\n4294967294 -11\n",
                   "oracle", 6);
}

/* PCs of 32 bits in bytes, of 30 in quanta. */
TEST(test_large_quantum)
{
    static const char document[] = "pcdata 1\nquantum 4\n"
                                   "table 2147483652 kind=pcln refs=4294967295\n"
                                   "0 -1\n1024 6\n2147483644 -7\n2147483648 10\n"
                                   "table 4 kind=pcsp refs=0\n0 2147483647\n";
    check_document(document, "round-trip", 400);
    check_document(document, "out-of-range", 400);
}

/* Neighbours as far apart as int32 goes, in both directions, close together and a chunk apart. */
TEST(test_widest_values)
{
    static const char document[] =
        "pcdata 1\nquantum 1\n"
        "table 2000 kind=pcln refs=1\n"
        "0 -2147483648\n1 2147483647\n2 -2147483648\n3 0\n4 -1\n5 2147483647\n6 -2\n"
        "300 2147483647\n301 -2147483648\n600 2147483647\n900 -2147483647\n1500 0\n"
        "table 3 kind=pcln refs=1\n0 -2147483648\n1 2147483647\n2 -1\n"
        "table 40000 kind=pcln refs=1\n0 2147483647\n"
        "table 3 kind=pcln refs=1\n0 127\n1 128\n2 -128\n"
        "table 5 kind=pcln refs=1\n0 -129\n1 32767\n2 32768\n3 -32768\n4 -32769\n"
        "table 4 kind=pcln refs=1\n0 8388607\n1 8388608\n2 -8388608\n3 -8388609\n";
    for (const struct bo_check *check = bo_checks; check->name; check++)
        check_document(document, check->name, 400);
}

/*
 * Tables of so many equal runs, `step` quanta apart, each one quantum longer than the one before.
 * Readers limit the work for records that they share.
 */
static void check_equal_runs(const char *name, uint32_t n_tables, uint32_t n_runs, uint32_t step,
                             enum bo_status expected)
{
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_codec *codec = bo_find_codec(format, name);
    struct bo_arena arena;
    struct bo_writer encoded;
    struct bo_error error = {0};
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&encoded, &arena);
    struct pcdata_run *runs = bo_alloc_array(&arena, n_runs, sizeof *runs);
    struct pcdata_table *tables = bo_alloc_array(&arena, n_tables, sizeof *tables);
    for (uint32_t i = 0; i < n_runs; i++)
        runs[i] = (struct pcdata_run){i * step, (int32_t)(i * 7919 % 1000)};
    for (uint32_t t = 0; t < n_tables; t++)
        tables[t] = (struct pcdata_table){
            .text_len = n_runs * step + 100 + t, .n_runs = n_runs, .refs = 1, .runs = runs};
    const struct pcdata_model model = {.quantum = 1, .n_tables = n_tables, .tables = tables};
    const enum bo_status status = codec->encode(codec, &model, &encoded, &error);
    assert_int_equal(status, expected);
    if (status) {
        assert_string_equal(error.what, "records are shared by too many tables");
    } else {
        if (codec->decode(codec, bo_writer_span(&encoded), &arena, &decoded, &error))
            fail_msg("%s: %s", name, error.what);
        assert_null(format->differ(&model, decoded));
    }
    bo_writer_free(&encoded);
    bo_arena_free(&arena);
}

/* What a writer shares, its reader accepts. */
TEST(test_equal_runs_of_many_lengths)
{
    check_equal_runs("run-array", 750, 1308, 1, BO_OK);
    check_equal_runs("shape-code", 750, 3100, 1, BO_OK);
    check_equal_runs("packed-starts", 20, 200, 22, BO_OK);
    check_equal_runs("packed-starts", 300, 200, 22, BO_UNSUPPORTED);
}

TEST_FILE(NULL, NULL)
