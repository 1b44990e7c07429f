/*
 * The checks of arbitrary bytes and of the text form, on codecs with one planted fault each: what
 * lazy readers say of bytes that decode refuses, and what a parser takes. Why: as in test_check.c.
 */
#include "codecs/pcdata/test_check.h"

/* ---- a lazy reader of bytes that decode refuses ---------------------------------------------- */

/* Rejects a query with a complete error, except a repeated one: a cache that keeps failures. */
static enum bo_status query_keeps_failures(const struct bo_codec *self, void *reader, unsigned kind,
                                           const void *queries, size_t n, void *answers,
                                           struct bo_error *err)
{
    static uint8_t last[BO_MAX_QUERY_NBYTES];
    const size_t nbytes = pcdata->kinds[kind].query_size;
    if (nbytes == 0 || memcmp(last, queries, nbytes) == 0)
        return real->query(real, reader, kind, queries, n, answers, err);
    memcpy(last, queries, nbytes);
    return bo_fail(err, BO_CORRUPT, 5, "planted");
}

/* Whether the same query was run before it; with it, `last` becomes this one. */
static bool is_repeated(unsigned kind, const void *queries)
{
    static uint8_t last[BO_MAX_QUERY_NBYTES];
    const size_t nbytes = pcdata->kinds[kind].query_size;
    const bool is_same = nbytes && memcmp(last, queries, nbytes) == 0;
    memcpy(last, queries, nbytes);
    return is_same;
}

static enum bo_status query_refuses_repeated(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    return is_repeated(kind, queries) ? bo_fail(err, BO_CORRUPT, 5, "planted")
                                      : real->query(real, reader, kind, queries, n, answers, err);
}

static enum bo_status query_changes_repeated(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    if (is_repeated(kind, queries) && !status && pcdata->kinds[kind].answer_size)
        *(uint8_t *)answers ^= 1;
    return status;
}

static enum bo_status query_refuses(const struct bo_codec *self, void *reader, unsigned kind,
                                    const void *queries, size_t n, void *answers,
                                    struct bo_error *err)
{
    (void)reader, (void)kind, (void)queries, (void)n, (void)answers;
    return bo_fail(err, BO_CORRUPT, 5, "planted");
}

static enum bo_status query_fails_silently(const struct bo_codec *self, void *reader, unsigned kind,
                                           const void *queries, size_t n, void *answers,
                                           struct bo_error *err)
{
    (void)reader, (void)kind, (void)queries, (void)n, (void)answers, (void)err;
    return BO_CORRUPT;
}

static bool is_new; /* the reader: no query has run on it */

static enum bo_status open_new(const struct bo_codec *self, struct bo_span in, struct bo_arena *a,
                               void **ret, struct bo_error *err)
{
    is_new = true;
    return real->open(real, in, a, ret, err);
}

/* Whether the query is a reader's first one and of a kind that others come before. */
static bool is_out_of_order(unsigned kind)
{
    const bool is_first = is_new;
    is_new = false;
    return is_first && kind != PCDATA_POINT;
}

static enum bo_status query_changes_first(const struct bo_codec *self, void *reader, unsigned kind,
                                          const void *queries, size_t n, void *answers,
                                          struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    struct bo_sink *sink = answers;
    if (is_out_of_order(kind) && !status)
        *(pcdata->kinds[kind].answer_size ? (uint8_t *)answers : sink->p) ^= 1;
    return status;
}

static enum bo_status query_refuses_first(const struct bo_codec *self, void *reader, unsigned kind,
                                          const void *queries, size_t n, void *answers,
                                          struct bo_error *err)
{
    return is_out_of_order(kind) ? bo_fail(err, BO_CORRUPT, 5, "planted")
                                 : real->query(real, reader, kind, queries, n, answers, err);
}

static enum bo_status query_fails_first(const struct bo_codec *self, void *reader, unsigned kind,
                                        const void *queries, size_t n, void *answers,
                                        struct bo_error *err)
{
    return is_out_of_order(kind) ? BO_CORRUPT
                                 : real->query(real, reader, kind, queries, n, answers, err);
}

static void expect_difference(const char *how)
{
    const struct bo_check_result r = run_check("damage");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_string_equal(r.finding.class, "repeated-query-differs");
    const char *detail = strchr(r.finding.detail, ':');
    assert_non_null(detail);
    assert_string_equal(detail + 2, how);
}

TEST(test_lazy_reader_of_damage)
{
    start_from("run-array");
    faulty.lazy = true;
    faulty.decode = fail_read;
    assert_int_equal(run_check("damage").outcome, BO_PASS);
    faulty.query = query_refuses;
    assert_int_equal(run_check("damage").outcome, BO_PASS);
    faulty.query = query_keeps_failures;
    expect_difference("refused, and when repeated answered");
    faulty.query = query_refuses_repeated;
    expect_difference("answered, and when repeated refused");
    faulty.query = query_changes_repeated;
    expect_difference("answered, and when repeated answered otherwise");
    faulty.role = BO_CONTROL;
    expect_difference("answered, and when repeated answered otherwise");
    faulty.optional = true; /* a library decides what it keeps */
    assert_int_equal(run_check("damage").outcome, BO_PASS);
    faulty.role = BO_NEW;
    expect_difference("answered, and when repeated answered otherwise");
    faulty.open = open_new;
    faulty.query = query_changes_first;
    expect_difference("a new reader answers otherwise");
    faulty.query = query_refuses_first; /* what is read counts towards limits */
    assert_int_equal(run_check("damage").outcome, BO_PASS);
    faulty.query = query_fails_first;
    assert_string_equal(run_check("damage").finding.class, "unnamed-error");
    faulty.query = query_fails_silently;
    assert_string_equal(run_check("damage").finding.class, "unnamed-error");
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What decode or open takes of a prefix of so many bytes, in addition to 4096 bytes for each. */
enum { PREFIX = 7 };
static size_t beyond;

static bool take_beyond(struct bo_span in, struct bo_arena *a)
{
    return in.n != PREFIX || bo_alloc(a, 4096 * PREFIX + beyond);
}

static enum bo_status decode_beyond(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *a, void **ret, struct bo_error *err)
{
    return take_beyond(in, a) ? real->decode(real, in, a, ret, err) : bo_fail_alloc(err, a);
}

static enum bo_status open_beyond(const struct bo_codec *self, struct bo_span in,
                                  struct bo_arena *a, void **ret, struct bo_error *err)
{
    return take_beyond(in, a) ? real->open(real, in, a, ret, err) : bo_fail_alloc(err, a);
}

/* Damaged bytes may take 4096 times as many bytes of memory, and 4 MiB. */
TEST(test_memory_of_damage)
{
    for (unsigned by_open = 0; by_open < 2; by_open++) {
        start_from("run-array");
        if (by_open)
            faulty.open = open_beyond;
        else
            faulty.decode = decode_beyond;
        beyond = (size_t)3 << 20;
        assert_int_equal(run_check("damage").outcome, BO_PASS);
        beyond = ((size_t)4 << 20) + 1;
        const struct bo_check_result r = run_check("damage");
        assert_int_equal(r.outcome, BO_FAIL);
        assert_string_equal(r.finding.class, "memory");
        assert_non_null(strstr(r.finding.detail, by_open ? "open, or a query" : "decode"));
    }
}

/* The bytes of numbers near a limit: varints instead of one byte, and a u32 instead of four. */
static const struct bo_span extremes[BO_N_EXTREMES] = {
    BYTES("\xff\xff\xff\xff\x0f"), BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    BYTES("\xff\xff\xff\xff\x07"), BYTES("\xff\xff\xff\xff")};

TEST(test_extremes)
{
    static const struct bo_span in = BYTES("abcdefgh");
    uint8_t copy[8 + BO_MAX_EXTREME_NBYTES];
    for (unsigned way = 0; way < BO_N_EXTREMES; way++) {
        const struct bo_span n = extremes[way], changed = bo_with_extreme(in, 2, way, copy);
        const size_t taken = way == 3 ? 4 : 1;
        assert_int_equal(changed.n, in.n - taken + n.n);
        assert_memory_equal(changed.p, "ab", 2);
        assert_memory_equal(changed.p + 2, n.p, n.n);
        assert_memory_equal(changed.p + 2 + n.n, in.p + 2 + taken, in.n - 2 - taken);
    }
    assert_int_equal(bo_with_extreme(in, 6, 3, copy).n, 8);
    assert_memory_equal(copy, "abcdef\xff\xff", 8);
}

static struct bo_span unexpected; /* bytes on which decode fails without an error */

static enum bo_status decode_without(const struct bo_codec *self, struct bo_span in,
                                     struct bo_arena *a, void **ret, struct bo_error *err)
{
    return memmem(in.p, in.n, unexpected.p, unexpected.n) ? BO_CORRUPT
                                                          : real->decode(real, in, a, ret, err);
}

TEST(test_extremes_are_offered)
{
    start_from("run-array");
    faulty.decode = decode_without;
    for (unsigned way = 0; way < BO_N_EXTREMES; way++) {
        unexpected = extremes[way];
        assert_string_equal(run_check("damage").finding.class, "unnamed-error");
    }
}

/* ---- bytes that no encoder writes ------------------------------------------------------------ */

/* The encoding and a byte that readers ignore. */
static enum bo_status encode_with_spare_byte(const struct bo_codec *self, const void *of,
                                             struct bo_writer *to, struct bo_error *err)
{
    const enum bo_status status = real->encode(real, of, to, err);
    bo_put_zeros(to, 1);
    return status;
}

static struct bo_span without_spare_byte(struct bo_span in)
{
    return (struct bo_span){in.p, in.n - (in.n > 0)};
}

static enum bo_status decode_ignoring_byte(const struct bo_codec *self, struct bo_span in,
                                           struct bo_arena *a, void **ret, struct bo_error *err)
{
    return real->decode(real, without_spare_byte(in), a, ret, err);
}

static enum bo_status open_ignoring_byte(const struct bo_codec *self, struct bo_span in,
                                         struct bo_arena *a, void **ret, struct bo_error *err)
{
    return real->open(real, without_spare_byte(in), a, ret, err);
}

TEST(test_not_canonical)
{
    start_from("run-array");
    faulty.encode = encode_with_spare_byte;
    faulty.decode = decode_ignoring_byte;
    faulty.open = open_ignoring_byte;
    faulty.choices = NULL;
    assert_string_equal(run_check("damage").finding.class, "not-canonical");
    assert_true(passes_silently());
    faulty.choices = "the last byte";
    assert_int_equal(run_check("damage").outcome, BO_PASS);
}

/* ---- the text form --------------------------------------------------------------------------- */

static enum bo_status parse_silently(struct bo_span in, struct bo_arena *a, void **ret,
                                     struct bo_error *err)
{
    (void)in, (void)a, (void)ret, (void)err;
    return BO_CORRUPT;
}

/* What is printed first is parsed without its last run. */
static enum bo_status parse_without_last_run_later(struct bo_span in, struct bo_arena *a,
                                                   void **ret, struct bo_error *err)
{
    const enum bo_status status = pcdata->parse(in, a, ret, err);
    if (!status && n_calls++)
        drop_run(*ret);
    return status;
}

static enum bo_status parse_without_memory_checks(struct bo_span in, struct bo_arena *a, void **ret,
                                                  struct bo_error *err)
{
    const enum bo_status status = pcdata->parse(in, a, ret, err);
    return status == BO_NO_MEMORY ? BO_OK : status;
}

/* The class of the finding when the check reads a text; "none" without a finding. */
static const char *class_of_text(struct bo_span in, bool is_right)
{
    static struct bo_finding finding;
    const struct bo_effort effort = small_effort();
    bool accepted;
    n_calls = 0;
    const bool ok = bo_check_text(&format, in, &effort, &accepted, &finding);
    assert_true(accepted == is_right);
    return ok ? "none" : finding.class;
}

TEST(test_text_form)
{
    static const struct bo_span nonsense =
        BYTES("pcdata 1\nquantum 2\ntable 8 kind=pcln refs=3\n0 7\n0\n");
    start_from("raw");
    assert_string_equal(class_of_text(text, true), "none");
    assert_string_equal(class_of_text(nonsense, false), "none");
    format.parse = parse_without_last_run_later;
    assert_string_equal(class_of_text(text, true), "round-trip");
    format.parse = parse_silently;
    assert_string_equal(class_of_text(text, false), "unnamed-error");
    format.parse = parse_without_memory_checks;
    assert_string_equal(class_of_text(text, true), "allocation-failure");
    assert_string_equal(class_of_text(nonsense, false), "allocation-failure");
}

/* Bytes of which no copy can be made are neither accepted nor silently passed. */
TEST(test_too_long)
{
    const struct bo_effort effort = bo_effort_default();
    const struct bo_span in = {(const uint8_t *)"", SIZE_MAX};
    struct bo_finding of_text = {0}, of_bytes = {0};
    bool accepted;
    assert_false(bo_check_text(pcdata, in, &effort, &accepted, &of_text));
    assert_string_equal(of_text.class, "check-out-of-memory");
    assert_false(bo_check_bytes(pcdata, real, in, &effort, &accepted, &of_bytes));
    assert_string_equal(of_bytes.class, "check-out-of-memory");
}

TEST_FILE(set_up, tear_down)
