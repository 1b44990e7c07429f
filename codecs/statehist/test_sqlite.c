/*
 * Damaged databases of the codec sqlite, which is optional. Why: opening does not read the
 * intervals, so that queries meet what is missing or damaged, and name it.
 */
#include "codecs/statehist/queries.h"

#include "codecs/statehist/test_model.h"
#include "harness/check/agreement.h"
#include "harness/core/test_fixture.h"

static const char sample[] = HISTORY(100, 199) "Q\t0\t-1\tThreads\n"
                                               "Q\t1\t0\t390\n"
                                               "I\t1\t100\t149\tn\t\n"
                                               "I\t1\t150\t198\ti\t-7\n"
                                               "I\t0\t100\t199\tn\t\n"
                                               "I\t1\t199\t199\tb\ttrue\n";

/* The number of queries of each outcome. */
struct outcomes {
    unsigned n_ok, n_without_interval, n_database;
};

static void count(struct outcomes *outcomes, enum bo_status status, const struct bo_error *error)
{
    if (status == BO_OUT_OF_RANGE) /* the history's times are damaged */
        return;
    if (status && !bo_error_is_complete(status, error))
        fail_msg("status %d, error %d: %s", status, error->status, error->what);
    if (status == BO_OK)
        outcomes->n_ok++;
    else if (strcmp(error->what, "an attribute has no interval at this time") == 0)
        outcomes->n_without_interval++;
    else
        outcomes->n_database++;
}

static void run(const struct bo_codec *codec, void *reader, struct outcomes by_kind[])
{
    static const struct statehist_point_query point = {150, 1, 0};
    static const struct statehist_range_query range = {100, 199, 1, 0};
    struct statehist_state answer;
    uint8_t bytes[1024];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    struct bo_error error = {0};
    enum bo_status status =
        codec->query(codec, reader, STATEHIST_POINT, &point, 1, &answer, &error);
    count(&by_kind[STATEHIST_POINT], status, &error);
    error = (struct bo_error){0};
    status = codec->query(codec, reader, STATEHIST_RANGE, &range, 1, &sink, &error);
    count(&by_kind[STATEHIST_RANGE], status, &error);
    assert_true(status != BO_OK || sink.n > 0);
}

TEST(test_damaged)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), "sqlite");
    if (!codec)
        skip();
    struct outcomes by_kind[STATEHIST_N_KINDS] = {{0}};
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, parse_text(sample, &arena), &out, NULL), BO_OK);
    for (size_t i = 0; i < out.n; i++) {
        if (out.p[i] == 0)
            continue;
        static const uint8_t changes[] = {0x01, 0x80};
        for (size_t k = 0; k < N_ELEMENTS(changes); k++) {
            struct bo_arena opened;
            void *reader;
            bo_arena_init(&opened, BO_ARENA_UNLIMITED);
            out.p[i] ^= changes[k];
            if (codec->open(codec, bo_writer_span(&out), &opened, &reader, NULL) == BO_OK)
                run(codec, reader, by_kind);
            out.p[i] ^= changes[k];
            bo_arena_free(&opened);
        }
    }
    bo_writer_free(&out);
    static const enum statehist_query_kind kinds[] = {STATEHIST_POINT, STATEHIST_RANGE};
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        assert_true(by_kind[kinds[k]].n_ok > 10);
        assert_true(by_kind[kinds[k]].n_without_interval > 0);
        assert_true(by_kind[kinds[k]].n_database > 0);
    }
}

/* A query before an attribute's first interval is named, and is no fault of the database. */
TEST(test_no_interval)
{
    static const struct statehist_point_query point = {150, 1, 0};
    const struct bo_codec *codec = bo_find_codec(test_format(), "sqlite");
    if (!codec)
        skip();
    const struct statehist_model *model = parse_text(sample, &arena);
    struct statehist_interval *intervals = (void *)(uintptr_t)model->intervals;
    for (size_t i = 0; i < model->n_intervals; i++)
        if (intervals[i].start <= 150)
            intervals[i].start = 151;
    struct statehist_state answer;
    struct bo_writer out;
    struct bo_error error = {0};
    void *reader;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec->query(codec, reader, STATEHIST_POINT, &point, 1, &answer, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "an attribute has no interval at this time");
    bo_writer_free(&out);
}

/* A file of a hash alone has no database; a type after the last one is damage. */
TEST(test_limits)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), "sqlite");
    if (!codec)
        skip();
    static const uint8_t hash[8] = {0};
    const struct bo_span in = {hash, sizeof hash};
    struct bo_writer out;
    struct bo_error error = {0};
    void *result;
    assert_int_equal(codec->decode(codec, in, &arena, &result, NULL), BO_TRUNCATED);
    assert_int_equal(codec->open(codec, in, &arena, &result, NULL), BO_TRUNCATED);
    const struct statehist_model *model = parse_text(sample, &arena);
    ((struct statehist_interval *)(uintptr_t)model->intervals)[1].type = STATEHIST_N_TYPES;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    (void)codec->decode(codec, bo_writer_span(&out), &arena, &result, &error);
    assert_string_equal(error.what, "SQLite reports that the database is damaged");
    bo_writer_free(&out);
}

TEST_FILE(set_up, tear_down)
