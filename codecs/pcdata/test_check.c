/*
 * The generic checks, on codecs with one planted fault each. Why: a check that cannot fail is worth
 * nothing, and tests, fuzzers and `bakeoff verify` all believe what these say.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "codecs/pcdata/test_check.h"
#include "harness/check/agreement.h"

/* ---- faults ---------------------------------------------------------------------------------- */

static enum bo_status fail_encode(const struct bo_codec *self, const void *m, struct bo_writer *out,
                                  struct bo_error *err)
{
    (void)m, (void)out;
    return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "planted");
}

static enum bo_status fail_silently(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *a, void **ret, struct bo_error *err)
{
    (void)in, (void)a, (void)ret, (void)err;
    return BO_CORRUPT;
}

static enum bo_status fail_with_another_status(const struct bo_codec *self, struct bo_span in,
                                               struct bo_arena *a, void **ret, struct bo_error *err)
{
    fail_read(self, in, a, ret, err);
    return BO_TRUNCATED;
}

/* A status that there is not. */
static enum bo_status fail_beyond_all(const struct bo_codec *self, struct bo_span in,
                                      struct bo_arena *a, void **ret, struct bo_error *err)
{
    return bo_fail(err, BO_STATUS_COUNT, 5, "planted");
}

/* Every second encoding has another last byte: the kind of the last table. */
static enum bo_status encode_by_mood(const struct bo_codec *self, const void *m,
                                     struct bo_writer *out, struct bo_error *err)
{
    const enum bo_status status = real->encode(real, m, out, err);
    if (!status && n_calls++ % 2)
        out->p[out->n - 1] ^= 1;
    return status;
}

/* Other bytes for the model of the test than for a decoded one. */
static enum bo_status encode_by_address(const struct bo_codec *self, const void *m,
                                        struct bo_writer *out, struct bo_error *err)
{
    const enum bo_status status = real->encode(real, m, out, err);
    if (!status && m != model)
        out->p[out->n - 1] ^= 1;
    return status;
}

/* Refuses what was decoded; honest about the model of the test. */
static enum bo_status encode_the_document_only(const struct bo_codec *self, const void *m,
                                               struct bo_writer *out, struct bo_error *err)
{
    return m == model ? real->encode(real, m, out, err) : fail_encode(self, m, out, err);
}

static enum bo_status encode_without_memory_checks(const struct bo_codec *self, const void *m,
                                                   struct bo_writer *out, struct bo_error *err)
{
    const enum bo_status status = real->encode(real, m, out, err);
    return status == BO_NO_MEMORY ? BO_OK : status;
}

static enum bo_status decode_without_last_run(const struct bo_codec *self, struct bo_span in,
                                              struct bo_arena *a, void **ret, struct bo_error *err)
{
    const enum bo_status status = real->decode(real, in, a, ret, err);
    if (!status)
        drop_run(*ret);
    return status;
}

/*
 * Makes a model that breaks a rule of its format: the first table ends before its last run starts.
 */
static enum bo_status decode_breaks_a_rule(const struct bo_codec *self, struct bo_span in,
                                           struct bo_arena *a, void **ret, struct bo_error *err)
{
    const enum bo_status status = real->decode(real, in, a, ret, err);
    struct pcdata_model *m = *ret;
    if (!status && m->n_tables)
        ((struct pcdata_table *)(uintptr_t)m->tables)->text_len =
            m->tables[0].runs[m->tables[0].n_runs - 1].pc;
    return status;
}

static enum bo_status decode_without_last_run_later(const struct bo_codec *self, struct bo_span in,
                                                    struct bo_arena *a, void **ret,
                                                    struct bo_error *err)
{
    return n_calls++ ? decode_without_last_run(self, in, a, ret, err)
                     : real->decode(real, in, a, ret, err);
}

static enum bo_status read_without_memory_checks(
    enum bo_status (*read)(const struct bo_codec *self, struct bo_span, struct bo_arena *, void **,
                           struct bo_error *),
    struct bo_span in, struct bo_arena *a, void **ret, struct bo_error *err)
{
    const enum bo_status status = read(real, in, a, ret, err);
    return status == BO_NO_MEMORY ? BO_OK : status;
}

static enum bo_status decode_without_memory_checks(const struct bo_codec *self, struct bo_span in,
                                                   struct bo_arena *a, void **ret,
                                                   struct bo_error *err)
{
    return read_without_memory_checks(real->decode, in, a, ret, err);
}

static enum bo_status open_without_memory_checks(const struct bo_codec *self, struct bo_span in,
                                                 struct bo_arena *a, void **ret,
                                                 struct bo_error *err)
{
    return read_without_memory_checks(real->open, in, a, ret, err);
}

static enum bo_status reduce_without_memory_checks(const struct bo_codec *self, const void *m,
                                                   struct bo_arena *a, void **ret,
                                                   struct bo_error *err)
{
    (void)bo_alloc(a, 1);
    *ret = (void *)(uintptr_t)m;
    return BO_OK;
}

/* ---- queries that allocate: from the arena of the reader that was opened last ---- */

static struct bo_arena *of_reader;

static enum bo_status open_with_arena(const struct bo_codec *self, struct bo_span in,
                                      struct bo_arena *a, void **ret, struct bo_error *err)
{
    of_reader = a;
    n_calls = 0;
    return real->open(real, in, a, ret, err);
}

static enum bo_status query_allocates(const struct bo_codec *self, void *reader, unsigned kind,
                                      const void *queries, size_t n, void *answers,
                                      struct bo_error *err)
{
    for (unsigned i = 0; i < 40; i++)
        if (!bo_alloc(of_reader, 1))
            return bo_fail_alloc(err, of_reader);
    return real->query(real, reader, kind, queries, n, answers, err);
}

static enum bo_status query_without_memory_checks(const struct bo_codec *self, void *reader,
                                                  unsigned kind, const void *queries, size_t n,
                                                  void *answers, struct bo_error *err)
{
    query_allocates(self, reader, kind, queries, n, answers, err);
    return real->query(real, reader, kind, queries, n, answers, err);
}

/* The same for scans only. */
static enum bo_status scan_without_memory_checks(const struct bo_codec *self, void *reader,
                                                 unsigned kind, const void *queries, size_t n,
                                                 void *answers, struct bo_error *err)
{
    return kind == PCDATA_SCAN
               ? query_without_memory_checks(self, reader, kind, queries, n, answers, err)
               : query_allocates(self, reader, kind, queries, n, answers, err);
}

static enum bo_status query_unnamed(const struct bo_codec *self, void *reader, unsigned kind,
                                    const void *queries, size_t n, void *answers,
                                    struct bo_error *err)
{
    return query_allocates(self, reader, kind, queries, n, answers, NULL);
}

/* Names its first failure, and no later one, whichever reader fails. */
static enum bo_status query_named_once(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    static bool has_failed;
    const enum bo_status status =
        query_allocates(self, reader, kind, queries, n, answers, has_failed ? NULL : err);
    has_failed |= status == BO_NO_MEMORY;
    return status;
}

/* Fails as it must, and answers wrongly ever after. */
static enum bo_status query_never_recovers(const struct bo_codec *self, void *reader, unsigned kind,
                                           const void *queries, size_t n, void *answers,
                                           struct bo_error *err)
{
    const enum bo_status status = query_allocates(self, reader, kind, queries, n, answers, err);
    n_calls += status == BO_NO_MEMORY;
    return n_calls && !status ? BO_OUT_OF_RANGE : status;
}

/* The late allocations are checked, too, of which only some fail. */
static enum bo_status query_ignores_late_failures(const struct bo_codec *self, void *reader,
                                                  unsigned kind, const void *queries, size_t n,
                                                  void *answers, struct bo_error *err)
{
    for (unsigned i = 0; i < 1000; i++)
        if (!bo_alloc(of_reader, 1) && i < 100)
            return bo_fail_alloc(err, of_reader);
    return real->query(real, reader, kind, queries, n, answers, err);
}

static enum bo_status parse_without_memory_checks(struct bo_span in, struct bo_arena *a, void **ret,
                                                  struct bo_error *err)
{
    const enum bo_status status = pcdata->parse(in, a, ret, err);
    return status == BO_NO_MEMORY ? BO_OK : status;
}

static enum bo_status print_without_memory_checks(const void *m, struct bo_writer *out,
                                                  struct bo_error *err)
{
    const enum bo_status status = pcdata->print(m, out, err);
    return status == BO_NO_MEMORY ? BO_OK : status;
}

/* Calls an allocation failure by a wrong name. */
static enum bo_status open_that_blames_the_input(const struct bo_codec *self, struct bo_span in,
                                                 struct bo_arena *a, void **ret,
                                                 struct bo_error *err)
{
    const enum bo_status status = real->open(real, in, a, ret, err);
    return status == BO_NO_MEMORY ? bo_fail(err, BO_CORRUPT, 0, "planted") : status;
}

/* Takes bytes that decode refuses: those whose tables have another kind than the test's. */
static enum bo_status decode_that_is_choosy(const struct bo_codec *self, struct bo_span in,
                                            struct bo_arena *a, void **ret, struct bo_error *err)
{
    const enum bo_status status = real->decode(real, in, a, ret, err);
    return !status && in.p[in.n - 1] != PCDATA_INDEX0 + 1
               ? bo_fail(err, BO_CORRUPT, in.n - 1, "planted")
               : status;
}

static enum bo_status open_past_the_end(const struct bo_codec *self, struct bo_span in,
                                        struct bo_arena *a, void **ret, struct bo_error *err)
{
    if (*(volatile const uint8_t *)(in.p + in.n))
        n_calls++;
    return real->open(real, in, a, ret, err);
}

static enum bo_status query_wrong_once(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    const struct pcdata_point *q = queries;
    for (size_t i = 0; kind == PCDATA_POINT && !status && i < n; i++)
        ((int32_t *)answers)[i] += q[i].table == 2 && q[i].pc == 6;
    return status;
}

static enum bo_status query_wrong_in_batches(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    if (kind == PCDATA_POINT && !status && n > 1)
        ((int32_t *)answers)[n - 1]++;
    return status;
}

/* Points are answered wrongly by a reader that has answered a scan. */
static enum bo_status query_wrong_after_scans(const struct bo_codec *self, void *reader,
                                              unsigned kind, const void *queries, size_t n,
                                              void *answers, struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    n_calls += kind == PCDATA_SCAN;
    if (kind == PCDATA_POINT && !status && n_calls)
        ((int32_t *)answers)[0]++;
    return status;
}

static enum bo_status query_fails_once(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const struct pcdata_point *q = queries;
    for (size_t i = 0; kind == PCDATA_POINT && i < n; i++)
        if (q[i].table == 1 && q[i].pc == 6)
            return BO_OUT_OF_RANGE;
    return real->query(real, reader, kind, queries, n, answers, err);
}

static enum bo_status query_scans_too_little(const struct bo_codec *self, void *reader,
                                             unsigned kind, const void *queries, size_t n,
                                             void *answers, struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    if (kind == PCDATA_SCAN && !status)
        ((struct bo_sink *)answers)->n -= sizeof(struct pcdata_run);
    return status;
}

/* Drops the runs for which there is no room. */
static enum bo_status query_that_ignores_room(const struct bo_codec *self, void *reader,
                                              unsigned kind, const void *queries, size_t n,
                                              void *answers, struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    return status == BO_OVER_LIMIT ? BO_OK : status;
}

/* Reports a full sink as if the bytes exceeded a limit. */
static enum bo_status query_blames_bytes(const struct bo_codec *self, void *reader, unsigned kind,
                                         const void *queries, size_t n, void *answers,
                                         struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    return status == BO_OVER_LIMIT ? bo_fail(err, status, BO_NO_OFFSET, "planted") : status;
}

/* Answers for any PC, with the value of PC 0 where no value is defined. */
static enum bo_status query_out_of_range(const struct bo_codec *self, void *reader, unsigned kind,
                                         const void *queries, size_t n, void *answers,
                                         struct bo_error *err)
{
    const enum bo_status status = real->query(real, reader, kind, queries, n, answers, err);
    return kind == PCDATA_POINT ? BO_OK : status;
}

static enum bo_status query_past_the_end(const struct bo_codec *self, void *reader, unsigned kind,
                                         const void *queries, size_t n, void *answers,
                                         struct bo_error *err)
{
    const struct pcdata_frame *frame = reader;
    if (*(volatile const uint8_t *)(frame->kinds + frame->n_tables)) /* the payload's last part */
        n_calls++;
    return real->query(real, reader, kind, queries, n, answers, err);
}

/* ---- each fault is found by its check -------------------------------------------------------- */

struct fault {
    const char *codec, *check, *class, *detail; /* detail: what the finding's must contain */
    struct bo_codec with;                       /* functions that replace the real ones */
};

static const struct fault faults[] = {
    {"run-array", "round-trip", "encode-fails", "encode: planted", {.encode = fail_encode}},
    {"run-array", "oracle", "encode-fails", "encode: planted", {.encode = fail_encode}},
    {"run-array", "round-trip", "decode-fails", "decode: planted at byte 5", {.decode = fail_read}},
    {"varint-delta",
     "round-trip",
     "round-trip",
     "a table's number of runs differs",
     {.decode = decode_without_last_run}},
    {"run-array", "oracle", "open-fails", "open: planted at byte 5", {.open = fail_read}},
    {"varint-delta", "oracle", "wrong-answer", "point 2 6:", {.query = query_wrong_once}},
    {"run-array", "oracle", "wrong-answer", "in a batch", {.query = query_wrong_in_batches}},
    {"run-array",
     "oracle",
     "wrong-answer",
     "point",
     {.open = open_with_arena, .query = query_wrong_after_scans}},
    {"raw", "oracle", "query-fails", "point 1 6: out of range", {.query = query_fails_once}},
    {"raw", "oracle", "wrong-answer", "scan", {.query = query_scans_too_little}},
    {"raw", "oracle", "ignores-room", "scan: ok with room for", {.query = query_that_ignores_room}},
    {"raw",
     "oracle",
     "ignores-room",
     "scan: over limit, planted with room for",
     {.query = query_blames_bytes}},
    {"run-array", "out-of-range", "answers-nonsense", "", {.query = query_out_of_range}},
    {"run-array", "determinism", "nondeterministic", "encoding twice", {.encode = encode_by_mood}},
    {"run-array",
     "determinism",
     "nondeterministic",
     "encoding what was decoded",
     {.encode = encode_by_address}},
    {"varint-delta",
     "allocation-failure",
     "allocation-failure",
     "encode",
     {.encode = encode_without_memory_checks}},
    {"varint-delta",
     "allocation-failure",
     "allocation-failure",
     "reduce",
     {.reduce = reduce_without_memory_checks}},
    {"varint-delta",
     "allocation-failure",
     "allocation-failure",
     "decode",
     {.decode = decode_without_memory_checks}},
    {"varint-delta",
     "allocation-failure",
     "allocation-failure",
     "open",
     {.open = open_without_memory_checks}},
    {"linear-index",
     "allocation-failure",
     "allocation-failure",
     "open",
     {.open = open_that_blames_the_input}},
    {"run-array", "damage", "unnamed-error", "", {.open = fail_silently, .decode = fail_silently}},
    {"run-array",
     "damage",
     "unnamed-error",
     "",
     {.open = fail_with_another_status, .decode = fail_with_another_status}},
    {"run-array",
     "damage",
     "unnamed-error",
     "",
     {.open = fail_beyond_all, .decode = fail_beyond_all}},
    {"run-array",
     "damage",
     "open-decode-disagree",
     "open refuses: planted at byte 5",
     {.open = fail_read}},
    {"run-array",
     "damage",
     "open-decode-disagree",
     "decode refuses: planted",
     {.decode = decode_that_is_choosy}},
    {"varint-delta", "damage", "wrong-answer", "point 2 6", {.query = query_wrong_once}},
    {"varint-delta",
     "damage",
     "decoded-does-not-encode",
     "what was decoded: planted",
     {.encode = encode_the_document_only}},
    {"run-array",
     "damage",
     "accepts-garbage",
     "the text of what was decoded: ",
     {.decode = decode_breaks_a_rule}},
    {"varint-delta",
     "damage",
     "decoded-changes",
     "a table's number of runs differs",
     {.decode = decode_without_last_run_later}},
};

TEST(test_failures_in_queries_are_found)
{
    static const struct {
        enum bo_status (*query)(const struct bo_codec *self, void *, unsigned, const void *, size_t,
                                void *, struct bo_error *);
        const char *detail; /* NULL: no fault */
    } cases[] = {
        {query_allocates, NULL},
        {query_without_memory_checks, "query, allocation 1 fails"},
        {scan_without_memory_checks, "query, allocation 1 fails"},
        {query_unnamed, "query, allocation 1 fails"},
        {query_named_once, "query, allocation 2 fails"},
        {query_never_recovers, "query, allocation 1 fails"},
        {query_ignores_late_failures, "query, allocation "},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        start_from("run-array");
        faulty.open = open_with_arena;
        faulty.query = cases[i].query;
        struct bo_effort effort = small_effort();
        effort.max_failures = 50;
        const struct bo_check_result r =
            bo_find_check("allocation-failure")->run(&format, &faulty, model, &effort);
        assert_int_equal(r.outcome, cases[i].detail ? BO_FAIL : BO_PASS);
        if (cases[i].detail) {
            assert_string_equal(r.finding.class, "allocation-failure");
            assert_non_null(strstr(r.finding.detail, cases[i].detail));
        }
    }
}

TEST(test_failures_in_the_text_form_are_found)
{
    start_from("run-array");
    assert_int_equal(run_check("allocation-failure").outcome, BO_PASS);
    format.parse = parse_without_memory_checks;
    struct bo_check_result r = run_check("allocation-failure");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_non_null(strstr(r.finding.detail, "parse, allocation 1 fails"));
    start_from("run-array");
    format.print = print_without_memory_checks;
    r = run_check("allocation-failure");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_non_null(strstr(r.finding.detail, "print, allocation 1 fails"));
}

/* ---- what a reader keeps ---- */

static size_t kept_nbytes;

/* Keeps some bytes of the first query, if it may keep any. */
static enum bo_status query_keeps(const struct bo_codec *self, void *reader, unsigned kind,
                                  const void *queries, size_t n, void *answers,
                                  struct bo_error *err)
{
    if (of_reader->keep_nbytes && !n_calls++ && !bo_alloc(of_reader, kept_nbytes))
        return bo_fail_alloc(err, of_reader);
    return real->query(real, reader, kind, queries, n, answers, err);
}

TEST(test_kept_memory)
{
    start_from("run-array");
    faulty.open = open_with_arena;
    faulty.query = query_keeps;
    faulty.keeps = true;
    kept_nbytes = 20000;
    assert_int_equal(run_check("kept-memory").outcome, BO_PASS);
    kept_nbytes = 20001;
    struct bo_check_result r = run_check("kept-memory");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_non_null(strstr(r.finding.detail, "20016 bytes more with a budget of 20000 bytes"));
    faulty.query = query_allocates;
    r = run_check("kept-memory");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_non_null(strstr(r.finding.detail, "with no budget"));
}

static bool first_bytes[256];

static enum bo_status open_noting(const struct bo_codec *self, struct bo_span in,
                                  struct bo_arena *a, void **ret, struct bo_error *err)
{
    if (in.n)
        first_bytes[in.p[0]] = true;
    return real->open(real, in, a, ret, err);
}

/* Each byte of a small encoding gets all values. */
TEST(test_all_values_are_tried)
{
    start_from("run-array");
    memset(first_bytes, 0, sizeof first_bytes);
    faulty.open = open_noting;
    assert_int_equal(run_check("damage").outcome, BO_PASS);
    for (size_t i = 0; i < N_ELEMENTS(first_bytes); i++)
        if (!first_bytes[i])
            fail_msg("0x%02zx is not tried", i);
}

/* The first so many, then one of each doubling. */
TEST(test_which_allocations_fail)
{
    struct bo_failures none = {.random = bo_random_seeded(1)};
    assert_false(bo_next_failure(&none));
    struct bo_failures failures = {.n_first = 5, .random = bo_random_seeded(1)};
    for (uint64_t n = 1; n <= 5; n++) {
        assert_true(bo_next_failure(&failures));
        assert_int_equal(failures.at, n);
    }
    for (unsigned i = 0; i < 100 && failures.at < UINT64_C(1) << 40; i++) {
        const uint64_t before = failures.at;
        assert_true(bo_next_failure(&failures));
        assert_in_range(failures.at, before + 1, 2 * before);
    }
}

static void plant(const struct fault *fault)
{
    start_from(fault->codec);
    n_calls = 0;
    if (fault->with.encode)
        faulty.encode = fault->with.encode;
    if (fault->with.reduce)
        faulty.reduce = fault->with.reduce;
    if (fault->with.decode)
        faulty.decode = fault->with.decode;
    if (fault->with.open)
        faulty.open = fault->with.open;
    if (fault->with.query)
        faulty.query = fault->with.query;
}

TEST(test_faults_are_found)
{
    for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
        const struct fault *fault = &faults[i];
        plant(fault);
        const struct bo_check_result r = run_check(fault->check);
        if (r.outcome != BO_FAIL)
            fail_msg("%s does not find %s (%zu)", fault->check, fault->class, i);
        if (strcmp(r.finding.class, fault->class) != 0 ||
            !strstr(r.finding.detail, fault->detail) || strcmp(r.finding.a, "faulty") != 0 ||
            strcmp(r.finding.format, "pcdata") != 0)
            fail_msg("%s finds %s (%s), not %s (%s)", fault->check, r.finding.class,
                     r.finding.detail, fault->class, fault->detail);
    }
}

/* Kinds after one that the codec does not answer are checked, too. */
TEST(test_fault_after_a_missing_kind)
{
    start_from("raw");
    faulty.kinds = 1u << PCDATA_SCAN;
    faulty.query = query_scans_too_little;
    const struct bo_check_result r = run_check("oracle");
    assert_int_equal(r.outcome, BO_FAIL);
    assert_string_equal(r.finding.kind, "scan");
}

/* Where a query is known, a finding has both answers, the first line that differs of each. */
TEST(test_answers_are_printed)
{
    static const struct {
        struct bo_codec with;
        const char *check, *answers;
    } cases[] = {
        {{.query = query_wrong_once}, "oracle", "faulty, line 1: 40001\noracle, line 1: 40000\n"},
        {{.query = query_fails_once},
         "oracle",
         "faulty, line 1: out of range\noracle, line 1: 7\n"},
        {{.query = query_scans_too_little},
         "oracle",
         "the answers print alike: faulty has 28 bytes, oracle 36; they differ from byte 28\n"},
        {{.query = query_out_of_range},
         "out-of-range",
         "faulty, line 1: -1515870811\noracle, line 1: out of range\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        start_from("raw");
        n_calls = 0;
        faulty.query = cases[i].with.query;
        const struct bo_check_result r = run_check(cases[i].check);
        assert_int_equal(r.outcome, BO_FAIL);
        assert_string_equal(r.finding.answers, cases[i].answers);
    }
}

/*
 * An answer that is not well-formed is printed as bytes, and no crash of the printer ends the
 * check.
 */
static void crash(const void *query, struct bo_span answer, struct bo_writer *out)
{
    (void)query, (void)out;
    if (answer.n != 2)
        raise(SIGSEGV);
    bo_put_text(out, "two\nbytes\n");
}

TEST(test_malformed_answer)
{
    const struct bo_query_kind kind = {.name = "k", .print = crash};
    struct bo_finding finding = {.answers = ""};
    bo_finding_compare(&finding, &kind, NULL, &(struct bo_reply){"a", BO_OK, bo_span_of("\xfe")},
                       &(struct bo_reply){"oracle", BO_OK, bo_span_of("xy")});
    assert_string_equal(finding.answers,
                        "a, line 1: malformed answer of 1 bytes: fe\noracle, line 1: two\n");
}

/* The lines before the first that differs are skipped, one by one. */
static void print_lines(const void *query, struct bo_span answer, struct bo_writer *out)
{
    for (size_t i = 0; i < answer.n; i++)
        bo_put_text(out, "%c\n", answer.p[i]);
}

TEST(test_first_line_that_differs)
{
    const struct bo_query_kind kind = {.name = "k", .print = print_lines};
    struct bo_finding finding = {.answers = ""};
    bo_finding_compare(&finding, &kind, NULL, &(struct bo_reply){"a", BO_OK, bo_span_of("xyz")},
                       &(struct bo_reply){"oracle", BO_OK, bo_span_of("xyw")});
    assert_string_equal(finding.answers, "a, line 3: z\noracle, line 3: w\n");
    bo_finding_compare(&finding, &kind, NULL, &(struct bo_reply){"a", BO_OK, bo_span_of("xy")},
                       &(struct bo_reply){"oracle", BO_OK, bo_span_of("x")});
    assert_string_equal(finding.answers, "a, line 2: y\noracle, line 2: (no more lines)\n");
}

/* Of a line, 400 bytes are printed; of a malformed answer, 100. */
static void print_line(const void *query, struct bo_span answer, struct bo_writer *out)
{
    bo_put_bytes(out, answer.p, answer.n);
}

TEST(test_long_answers)
{
    enum { MAX_LINE = 400 };
    struct bo_query_kind kind = {.name = "k", .print = print_line};
    struct bo_finding finding;
    char line[MAX_LINE + 2], expected[1024];
    memset(line, 'x', sizeof line);
    for (size_t n = MAX_LINE; n <= MAX_LINE + 1; n++) {
        bo_finding_compare(&finding, &kind, NULL,
                           &(struct bo_reply){"a", BO_OK, {(const uint8_t *)line, n}},
                           &(struct bo_reply){"oracle", BO_OK, bo_span_of("xy")});
        snprintf(expected, sizeof expected, "a, line 1: %.*s%s\noracle, line 1: xy\n", MAX_LINE,
                 line, n > MAX_LINE ? "..." : "");
        assert_string_equal(finding.answers, expected);
    }
    kind.print = crash;
    for (unsigned n = 100; n <= 101; n++) {
        bo_finding_compare(&finding, &kind, NULL,
                           &(struct bo_reply){"a", BO_OK, {(const uint8_t *)line, n}},
                           &(struct bo_reply){"oracle", BO_OK, bo_span_of("xy")});
        size_t used = (size_t)snprintf(expected, sizeof expected,
                                       "a, line 1: malformed answer of %u bytes:", n);
        for (unsigned i = 0; i < 100; i++, used += 3)
            memcpy(expected + used, " 78", 4);
        strcpy(expected + used, "\noracle, line 1: two\n");
        assert_string_equal(finding.answers, expected);
    }
}

/* An answer that prints nothing; and no pipe, through which an answer is printed. */
TEST(test_answers_without_files)
{
    const struct bo_query_kind kind = {.name = "k", .print = print_lines};
    struct bo_finding finding = {.answers = ""};
    struct rlimit before;
    bo_finding_compare(&finding, &kind, NULL, &(struct bo_reply){"a", BO_OK, {NULL, 0}},
                       &(struct bo_reply){"oracle", BO_OUT_OF_RANGE, {NULL, 0}});
    assert_string_equal(finding.answers,
                        "a, line 1: (no more lines)\noracle, line 1: out of range\n");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    bo_finding_compare(&finding, &kind, NULL, &(struct bo_reply){"a", BO_OK, bo_span_of("x")},
                       &(struct bo_reply){"oracle", BO_OUT_OF_RANGE, {NULL, 0}});
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_string_equal(
        finding.answers,
        "a, line 1: not printed: no file descriptor is free\noracle, line 1: out of range\n");
}

static void run_check_for_child(void *name)
{
    run_check(name);
}

/* Reading one byte past the end is a fault, in open, on shortened input, and in a query. */
TEST(test_reading_past_the_end)
{
    char oracle[] = "oracle", damage[] = "damage";
    start_from("run-array");
    assert_false(dies_of_a_fault(run_check_for_child, oracle));
    faulty.open = open_past_the_end;
    assert_true(dies_of_a_fault(run_check_for_child, oracle));
    assert_true(dies_of_a_fault(run_check_for_child, damage));
    start_from("run-array");
    faulty.query = query_past_the_end;
    assert_true(dies_of_a_fault(run_check_for_child, oracle));
}

/* ---- two readers of the same bytes ----------------------------------------------------------- */

static struct bo_codec second;

/* The honest codec under its name, and `second`, which reads its bytes. */
static void start_pair(void)
{
    start_from("varint-delta");
    second = faulty;
    second.name = "second";
    second.reads = "faulty";
    codecs[1] = &second;
    n_calls = 0;
}

/* Of offering the document's bytes to both; "none" when they agree. Leaves the detail. */
static const char *class_of_disagreement(char detail[240])
{
    struct bo_writer out;
    static struct bo_finding finding;
    const struct bo_effort effort = small_effort();
    bool accepted = false;
    bo_writer_init(&out, &arena);
    assert_int_equal(real->encode(real, model, &out, NULL), BO_OK);
    const bool ok =
        bo_check_bytes(&format, &faulty, bo_writer_span(&out), &effort, &accepted, &finding);
    bo_writer_free(&out);
    assert_true(accepted == (faulty.decode != fail_read));
    strcpy(detail, finding.detail);
    return ok ? "none" : finding.class;
}

TEST(test_two_readers)
{
    char detail[240];
    start_pair();
    assert_string_equal(class_of_disagreement(detail), "none");
    start_pair();
    second.open = second.decode = fail_read;
    assert_string_equal(class_of_disagreement(detail), "readers-disagree");
    assert_string_equal(detail, "the second refuses: planted at byte 5");
    assert_false(passes_silently());
    start_pair();
    faulty.open = faulty.decode = fail_read;
    assert_string_equal(class_of_disagreement(detail), "readers-disagree");
    assert_string_equal(detail, "the first refuses: planted at byte 5");
    start_pair();
    second.query = query_wrong_once;
    assert_string_equal(class_of_disagreement(detail), "wrong-answer");
    n_calls = 0;
    assert_false(passes_silently());
    start_pair();
    second.decode = decode_without_last_run;
    assert_string_equal(class_of_disagreement(detail), "readers-disagree");
    assert_memory_equal(detail, "decoded: ", 9);
    assert_false(passes_silently());

    start_pair(); /* the damage is done under the codec that writes the bytes */
    faulty.reads = "second";
    second.reads = NULL;
    const struct bo_check_result r = run_check("damage");
    assert_int_equal(r.outcome, BO_SKIP);
    assert_non_null(r.why_skipped);
}

/* ---- a format's own faults ------------------------------------------------------------------- */

static enum bo_status oracle_fails(const void *m, const void *queries, size_t n, void *answers)
{
    (void)m, (void)queries, (void)n, (void)answers;
    return BO_CORRUPT;
}

static enum bo_status oracle_answers_all(const void *m, const void *queries, size_t n,
                                         void *answers)
{
    const enum bo_status status = pcdata->kinds[PCDATA_POINT].oracle(m, queries, n, answers);
    return status == BO_OUT_OF_RANGE ? BO_OK : status;
}

TEST(test_faulty_oracle)
{
    struct bo_query_kind kinds[PCDATA_N_KINDS];
    memcpy(kinds, pcdata->kinds, sizeof kinds);
    start_from("raw");
    format.kinds = kinds;
    kinds[PCDATA_POINT].oracle = oracle_fails;
    assert_string_equal(run_check("oracle").finding.class, "oracle-fails");
    kinds[PCDATA_POINT].oracle = oracle_answers_all;
    assert_string_equal(run_check("out-of-range").finding.class, "oracle-answers-nonsense");
}

/* ---- what is right passes -------------------------------------------------------------------- */

/*
 * A second reader may skip checks that its bytes pass under the codec that writes them. All queries
 * are run on it.
 */
static void expect_all_pass(const void *m, struct bo_effort effort)
{
    struct bo_shared_encoding shared = {0};
    for (const struct bo_codec *const *c = pcdata->codecs; *c; c++) {
        bo_share_encoding(&shared, pcdata, *c, m, &effort);
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            const struct bo_check_result r = check->run(pcdata, *c, m, &effort);
            const bool runs_queries =
                check == bo_find_check("oracle") || check == bo_find_check("out-of-range");
            if (r.outcome == BO_FAIL || (r.outcome == BO_SKIP && (!(*c)->reads || runs_queries)))
                fail_msg("%s: %s: %s %s", (*c)->name, check->name,
                         r.outcome == BO_SKIP ? r.why_skipped : r.finding.class, r.finding.detail);
            if (r.outcome == BO_PASS && r.n_cases == 0 &&
                ((const struct pcdata_model *)m)->n_tables)
                fail_msg("%s: %s looked at nothing", (*c)->name, check->name);
        }
    }
    bo_shared_encoding_free(&shared);
}

TEST(test_all_codecs_pass)
{
    struct bo_effort effort = small_effort();
    struct bo_random random = bo_random_seeded(3);
    void *m;
    expect_all_pass(model, effort);
    assert_int_equal(pcdata->generate(&random, 0, &arena, &m, NULL), BO_OK);
    expect_all_pass(m, effort); /* a document without tables */
    assert_int_equal(pcdata->generate(&random, 300, &arena, &m, NULL), BO_OK);
    effort.max_queries =
        500; /* sampled queries, sampled damage, and answers larger than the first buffer */
    effort.max_damage_full = 10;
    effort.n_damage_sample = 5;
    expect_all_pass(m, effort);
}

/* An encoding that cannot hold a model is skipped, and says why. */
static enum bo_status encode_nothing(const struct bo_codec *self, const void *m,
                                     struct bo_writer *out, struct bo_error *err)
{
    (void)m, (void)out;
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "too large for planting");
}

TEST(test_unsupported_is_skipped)
{
    start_from("raw");
    faulty.encode = encode_nothing;
    for (const struct bo_check *check = bo_checks; check->name; check++) {
        const struct bo_check_result r = run_check(check->name);
        assert_int_equal(r.outcome, BO_SKIP);
        assert_string_equal(r.why_skipped, "too large for planting");
    }
    faulty.kinds = 0; /* a codec that answers nothing natively has nothing to be wrong in */
    faulty.encode = real->encode;
    assert_int_equal(run_check("oracle").n_cases, 0);
}

/* A codec that holds no kinds: every table comes back as one of the first kind. */
static enum bo_status without_kinds(const struct bo_codec *self, const void *m, struct bo_arena *a,
                                    void **ret, struct bo_error *err)
{
    const struct pcdata_model *whole = m;
    struct pcdata_model *held = bo_alloc(a, sizeof *held);
    struct pcdata_table *tables = bo_alloc_array(a, whole->n_tables, sizeof *tables);
    if (!held || !tables)
        return bo_fail_alloc(err, a);
    *held = *whole;
    held->tables = tables;
    for (uint32_t t = 0; t < whole->n_tables; t++) {
        tables[t] = whole->tables[t];
        tables[t].kind = PCDATA_PCSP;
    }
    *ret = held;
    return BO_OK;
}

static enum bo_status encode_without_kinds(const struct bo_codec *self, const void *m,
                                           struct bo_writer *out, struct bo_error *err)
{
    void *held;
    const enum bo_status status = without_kinds(self, m, out->arena, &held, err);
    return status ? status : real->encode(real, held, out, err);
}

static enum bo_status decode_without_kinds(const struct bo_codec *self, struct bo_span in,
                                           struct bo_arena *a, void **ret, struct bo_error *err)
{
    void *whole;
    const enum bo_status status = real->decode(real, in, a, &whole, err);
    return status ? status : without_kinds(self, whole, a, ret, err);
}

static enum bo_status without_kinds_and_a_run(const struct bo_codec *self, const void *m,
                                              struct bo_arena *a, void **ret, struct bo_error *err)
{
    const enum bo_status status = without_kinds(self, m, a, ret, err);
    if (!status)
        drop_run(*ret);
    return status;
}

/* What an encoding cannot hold is no fault when it says so, and exactly so. */
TEST(test_reduced_models)
{
    static const char *const judges[] = {"round-trip", "oracle"};
    start_from("run-array");
    faulty.encode = encode_without_kinds;
    faulty.decode = decode_without_kinds;
    assert_string_equal(run_check("round-trip").finding.class, "round-trip");
    faulty.reduce = without_kinds;
    faulty.choices = "the kinds of tables";
    assert_int_equal(run_check("round-trip").n_cases, 1);
    for (const struct bo_check *check = bo_checks; check->name; check++)
        assert_int_not_equal(run_check(check->name).outcome, BO_FAIL);
    faulty.reduce = without_kinds_and_a_run;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(run_check(judges[i]).outcome, BO_FAIL);
}

TEST(test_small_budget)
{
    struct bo_effort effort = small_effort();
    start_from("run-array");
    effort.budget_nbytes = 4000; /* enough to encode, too little for a batch */
    const struct bo_check_result r = bo_find_check("oracle")->run(&format, &faulty, model, &effort);
    assert_int_equal(r.outcome, BO_FAIL);
    assert_string_equal(r.finding.class, "check-out-of-memory");
}

TEST(test_finding_line)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    struct bo_finding finding = {"f",
                                 "point",
                                 "a",
                                 "oracle",
                                 "wrong-answer",
                                 "point 1 2",
                                 "a, line 1: 5\noracle, line 1: 6\n"};
    bo_finding_print(&finding, &out);
    finding.detail[0] = finding.answers[0] = 0;
    bo_finding_print(&finding, &out);
    assert_true(
        bo_span_equal(bo_writer_span(&out),
                      (struct bo_span)BYTES(
                          "BAKEOFF-DIFF format=f kind=point a=a b=oracle class=wrong-answer\n"
                          "point 1 2\na, line 1: 5\noracle, line 1: 6\n"
                          "BAKEOFF-DIFF format=f kind=point a=a b=oracle class=wrong-answer\n")));
    bo_writer_free(&out);
}

/* The text of an error: as much as fits, with the byte if there is one. */
TEST(test_details)
{
    static const struct {
        struct bo_error error;
        const char *detail;
    } cases[] = {
        {{BO_CORRUPT, 5, "planted"}, "open: planted at byte 5"},
        {{BO_CORRUPT, 0, "planted"}, "open: planted at byte 0"},
        {{BO_NO_MEMORY, BO_NO_OFFSET, "planted"}, "open: planted"},
        {{BO_CORRUPT, 7, NULL}, "open: corrupt at byte 7"},
    };
    struct bo_finding finding;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        bo_finding_explain(&finding, "open", &cases[i].error);
        assert_string_equal(finding.detail, cases[i].detail);
    }
    char what[sizeof finding.detail + 1] = "";
    for (size_t n = sizeof finding.detail - 8; n < sizeof what; n++) {
        const struct bo_error error = {BO_CORRUPT, 5, what};
        memset(what, 'x', n);
        bo_finding_explain(&finding, "", &error);
        assert_int_equal(strlen(finding.detail), sizeof finding.detail - 1);
        assert_int_equal(finding.detail[sizeof finding.detail - 2],
                         n < sizeof finding.detail - 3 ? " at byte"[sizeof finding.detail - 4 - n]
                                                       : 'x');
    }
}

/* Answers that print alike: the first byte that differs, or where the shorter one ends. */
static void print_nothing(const void *query, struct bo_span answer, struct bo_writer *out)
{
    (void)query, (void)answer, (void)out;
}

TEST(test_answers_that_print_alike)
{
    static const struct {
        const char *a, *b;
        size_t at;
    } cases[] = {{"abc", "abd", 2}, {"abc", "xbc", 0}, {"ab", "abc", 2}, {"abc", "ab", 2}};
    const struct bo_query_kind kind = {.name = "k", .print = print_nothing};
    struct bo_finding finding;
    char expected[200];
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        bo_finding_compare(&finding, &kind, NULL,
                           &(struct bo_reply){"a", BO_OK, bo_span_of(cases[i].a)},
                           &(struct bo_reply){"b", BO_OK, bo_span_of(cases[i].b)});
        snprintf(expected, sizeof expected,
                 "the answers print alike: a has %zu bytes, b %zu; they differ from byte %zu\n",
                 strlen(cases[i].a), strlen(cases[i].b), cases[i].at);
        assert_string_equal(finding.answers, expected);
    }
}

/* Bytes may be offered without anybody who wants to know the finding. */
TEST(test_no_error_wanted)
{
    const struct bo_effort effort = small_effort();
    const struct bo_span nothing = {NULL, 0};
    start_from("run-array");
    assert_true(bo_check_bytes(&format, &faulty, nothing, &effort, NULL, NULL));
    assert_true(passes_silently());
    faulty.open = fail_silently;
    assert_false(bo_check_bytes(&format, &faulty, nothing, &effort, NULL, NULL));
    start_from("run-array");
    faulty.decode = fail_read;
    assert_false(passes_silently());
    start_from("run-array");
    n_calls = 0;
    faulty.decode = decode_without_last_run_later;
    assert_false(passes_silently());
}

TEST_FILE(set_up, tear_down)
