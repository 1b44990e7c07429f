/*
 * The importer of clang's -ftime-trace. Why: nesting is not in the file but follows from times and
 * the order of events, and people edit, filter and cut these JSON files.
 */
#define TEST_FORMAT "templight"

#include "codecs/templight/templight.h"
#include "corpora/import/test_import.h"
#include "corpora/import/test_seeds.h"
#include "harness/registry.h"

#define EVENT(ts, dur, kind, detail)                                                   \
    "{\"pid\":7,\"tid\":7,\"ph\":\"X\",\"ts\":" ts ",\"dur\":" dur ",\"name\":\"" kind \
    "\",\"args\":{\"detail\":\"" detail "\"}}"
#define CLASS(ts, dur, detail) EVENT(ts, dur, "InstantiateClass", detail)
#define FUNCTION(ts, dur, detail) EVENT(ts, dur, "InstantiateFunction", detail)
#define FILE_OF(events) "{\"traceEvents\":[" events "],\"beginningOfTime\":1}"

static enum bo_status import(const char *text, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err)
{
    struct bo_guarded guarded;
    assert_true(bo_guarded_copy(bo_span_of(text), &guarded));
    const enum bo_status status =
        test_import(importer_called("time-trace"), guarded.span, NULL, arena, model_ret, err);
    bo_guarded_free(&guarded); /* the model must not point into it */
    return status;
}

static void expect(const char *text, const char *yaml)
{
    const struct bo_format *format = bo_find_format(TEST_FORMAT);
    struct bo_arena arena;
    struct bo_error err = {0};
    void *model, *expected;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (import(text, &arena, &model, &err))
        fail_msg("%s at byte %llu", err.what, (unsigned long long)err.off);
    assert_int_equal(format->parse(bo_span_of(yaml), &arena, &expected, NULL), BO_OK);
    const char *difference = format->differ(model, expected);
    if (difference)
        fail_msg("%s: %s", text, difference);
    bo_arena_free(&arena);
}

#define RECORD(event, name, orig, time)                                                        \
    "---\nname: '" name "'\nkind: TemplateInstantiation\nevent: " event "\norig: '" orig "'\n" \
    "poi: ''\ntime: " time "\n"
#define BEGIN(name, time) RECORD("Begin", name, "", time)
#define END(name, time) RECORD("End", name, "", time)

/* ---- valid files ----------------------------------------------------------------------------- */

/* clang-format off */
/* As clang writes it, with kinds of work that are not taken. */
static const char nested[] = FILE_OF(
    EVENT("1", "9", "Source", "x.h") ","
    CLASS("20", "5", "b") ","
    FUNCTION("30", "6", "c") ","
    CLASS("10", "100", "a") ","
    EVENT("10", "200", "ParseClass", "a") ","
    CLASS("120", "1", "d") ","
    "{\"ph\":\"X\",\"ts\":0,\"dur\":9,\"name\":\"Total InstantiateClass\","
    "\"args\":{\"count\":3,\"avg ms\":0.5}},"
    "{\"cat\":\"\",\"ts\":0,\"ph\":\"M\",\"name\":\"process_name\","
    "\"args\":{\"name\":\"clang\"}}");
/* clang-format on */

TEST(test_nesting)
{
    expect(nested,
           BEGIN("a", "0.00001") BEGIN("b", "0.00002") END("b", "0.000025") BEGIN("c", "0.00003")
               END("c", "0.000036") END("a", "0.00011") BEGIN("d", "0.00012") END("d", "0.000121"));
}

/*
 * Of two events that start at the same time, the later one in the file is the outer one. Ends may
 * be rounded.
 */
TEST(test_rounding)
{
    expect(FILE_OF(CLASS("5", "0", "c") "," CLASS("5", "4", "b") "," CLASS("5", "3", "a")),
           BEGIN("a", "0.000005") BEGIN("b", "0.000005") BEGIN("c", "0.000005") END("c", "0.000005")
               END("b", "0.000009") END("a", "0.000008"));
}

TEST(test_texts)
{
    expect(" {\r\n\t\"other\" : [ {} , [ ] , -1.5e+3 , true , null , \"\\\"\" ] ,"
           " \"traceEvents\" : [ {"
           " \"args\" : { \"line\" : 7 , \"file\" : \"a\\\\b.h\" , \"detail\" :"
           " \"f<\\u00e9\\ud83d\\ude00\\ud83d\\/>\" , \"more\" : { } } , \"name\" :"
           " \"InstantiateFunction\" , \"ph\" : \"X\" , \"dur\" : 1000000 , \"ts\" : 0 } ] } \n",
           RECORD("Begin", "f<\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd/>", "a\\b.h:7:0", "0.0")
               RECORD("End", "f<\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd/>", "a\\b.h:7:0", "1.0"));
    expect(FILE_OF(""), "# trace: {version: 1, source: ''}\n");
}

/* Nesting as deep as there are events: no function must recurse over them. */
TEST(test_deep)
{
    enum { N = 20000, EVENT_NBYTES = 128 };
    struct bo_arena arena;
    void *opaque;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    char *text = bo_alloc(&arena, (N + 1) * EVENT_NBYTES);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "{\"traceEvents\":[");
    for (int i = N; i > 0; i--)
        n += (size_t)sprintf(text + n,
                             "%s{\"ph\":\"X\",\"ts\":%d,\"dur\":%d,\"name\":\"InstantiateClass\","
                             "\"args\":{\"detail\":\"n\"}}",
                             i < N ? "," : "", i, 2 * N - 2 * i);
    strcpy(text + n, "]}");
    assert_int_equal(
        importer_called("time-trace")->import(bo_span_of(text), NULL, &arena, &opaque, NULL),
        BO_OK);
    const struct templight_model *model = opaque;
    assert_int_equal(model->traces[0].n_records, 2 * N);
    assert_false(model->traces[0].records[N - 1].is_end);
    assert_true(model->traces[0].records[N].is_end);
    bo_arena_free(&arena);
}

/* ---- rejected files -------------------------------------------------------------------------- */

TEST(test_rejects)
{
    static const struct {
        const char *text;
        enum bo_status status;
        uint64_t off;
        const char *what;
    } cases[] = {
        {"[]", BO_CORRUPT, 0, "file is not an object"},
        {"{}", BO_TRUNCATED, 2, "traceEvents is missing"},
        {"{\"traceEvents\":{}}", BO_CORRUPT, 15, "traceEvents is not an array"},
        {"{\"traceEvents\":[1]}", BO_CORRUPT, 16, "event is not an object"},
        {"{\"traceEvents\":[{\"args\":1}]}", BO_CORRUPT, 24, "args is not an object"},
        {"{\"traceEvents\":[{} {}]}", BO_CORRUPT, 19, "comma or bracket of an array is missing"},
        {"{\"a\":1 \"b\":2}", BO_CORRUPT, 7, "comma or brace of an object is missing"},
        {"{\"a\" 1}", BO_CORRUPT, 5, "colon of a member is missing"},
        {"{a:1}", BO_CORRUPT, 1, "string is missing"},
        {"{\"a\":}", BO_CORRUPT, 5, "value is missing"},
        {"{\"a", BO_TRUNCATED, 3, "string has no end"},
        {"{\"a\n\":1}", BO_CORRUPT, 3, "control character in a string"},
        {"{\"\\x\":1}", BO_CORRUPT, 4, "escape of a string is invalid"},
        {"{\"\\u12g4\":1}", BO_CORRUPT, 4, "escape of a string is invalid"},
        {FILE_OF("") "x", BO_CORRUPT, 38, "bytes after the object"},
        {FILE_OF(CLASS("-1", "1", "a")), BO_CORRUPT, 47, "number is not an integer in the range"},
        {FILE_OF(CLASS("1.5", "1", "a")), BO_CORRUPT, 47, "number is not an integer in the range"},
        {FILE_OF(CLASS("9007199254740993", "1", "a")), BO_CORRUPT, 47,
         "number is not an integer in the range"},
        {FILE_OF(CLASS("1", "1", "\\u0000")), BO_CORRUPT, 100, "text holds a NUL"},
        {FILE_OF(
             "{\"ph\":\"X\",\"name\":\"InstantiateClass\",\"dur\":1,\"args\":{\"detail\":\"\"}}"),
         BO_CORRUPT, 16, "instantiation without ts, dur or detail"},
        {FILE_OF("{\"ph\":\"X\",\"name\":\"InstantiateClass\",\"ts\":1,\"dur\":1,\"args\":{}}"),
         BO_CORRUPT, 16, "instantiation without ts, dur or detail"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const enum bo_status status = import(cases[i].text, &arena, &model, &err);
        if (status != cases[i].status || err.off != cases[i].off ||
            strcmp(err.what, cases[i].what) != 0)
            fail_msg("%s: %s at byte %llu (%d)", cases[i].text, err.what ? err.what : "taken",
                     (unsigned long long)err.off, status);
        bo_arena_free(&arena);
    }
}

TEST(test_depth)
{
    char text[400];
    for (unsigned depth = 63; depth <= 65; depth++) {
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        snprintf(text, sizeof text, "{\"a\":%.*s%.*s,\"traceEvents\":[]}", (int)depth,
                 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", (int)depth,
                 "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
        const enum bo_status status = import(text, &arena, &model, &err);
        assert_int_equal(status, depth <= 64 ? BO_OK : BO_OVER_LIMIT);
        bo_arena_free(&arena);
    }
}

static const char whole[] = FILE_OF(CLASS("20", "5", "b\\u00e9") "," FUNCTION("10", "100", "a"));

/* A file that is cut anywhere is truncated. */
TEST(test_cuts)
{
    for (size_t n = 1; n + 1 < sizeof whole; n++) {
        char text[sizeof whole] = "";
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        memcpy(text, whole, n);
        const enum bo_status status = import(text, &arena, &model, &err);
        if (status != BO_TRUNCATED || err.off > n)
            fail_msg("%zu bytes: %s at byte %llu", n, bo_status_name(status),
                     (unsigned long long)err.off);
        bo_arena_free(&arena);
    }
}

TEST(test_without_memory)
{
    for (uint64_t fail_at = 1;; fail_at++) {
        struct bo_arena arena;
        struct bo_error err = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        arena.max_first_cap = 1;
        arena.fail_at = fail_at;
        const enum bo_status status =
            importer_called("time-trace")->import(bo_span_of(whole), NULL, &arena, &model, &err);
        const bool is_complete = arena.n_allocs < fail_at;
        assert_int_equal(status, is_complete ? BO_OK : BO_NO_MEMORY);
        bo_arena_free(&arena);
        if (is_complete)
            break;
        assert_true(fail_at < 100);
    }
}

TEST(test_sniffing)
{
    assert_taken_by("time-trace", "{", 1);
    assert_taken_by("time-trace", " \r\n\t{\"a\"", 8);
    assert_taken_by(NULL, "[", 1);
}

TEST_FILE(NULL, NULL)
