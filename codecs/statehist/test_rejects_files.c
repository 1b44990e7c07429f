/*
 * Bad sets of files: each is refused, by open and by decode, with its status, its byte and its reason.
 * Why: JSON is written by hand and by other programs, and a record has no other check than these.
 *
 * In each text of JSON an @ stands before the byte that the error names, and is taken out.
 */
#include <stdio.h>

#include "codecs/statehist/parts.h"
#include "codecs/statehist/test_model.h"
#include "harness/test_fixture.h"

/* ---- sets that are put together ------------------------------------------------------------------ */

struct text {
    char p[512];
    size_t n, mark; /* SIZE_MAX: none */
};

static struct text unmarked(const char *marked)
{
    struct text t = {.n = strlen(marked), .mark = SIZE_MAX};
    assert_true(t.n < sizeof t.p);
    memcpy(t.p, marked, t.n + 1);
    const char *at = strchr(marked, '@');
    if (at) {
        t.mark = (size_t)(at - marked);
        memmove(t.p + t.mark, t.p + t.mark + 1, t.n - t.mark);
        t.n--;
    }
    return t;
}

/* A set of files, and where each starts. */
static struct bo_span join(const struct bo_span *files, unsigned n, size_t *offs_ret)
{
    struct bo_writer out;
    size_t head;
    bo_writer_init(&out, &arena);
    statehist_put_parts(&out, n, &head);
    for (unsigned i = 0; i < n; i++) {
        offs_ret[i] = out.n;
        bo_put_bytes(&out, files[i].p, files[i].n);
        statehist_end_part(&out, head, i);
    }
    uint8_t *p = bo_alloc(&arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const struct bo_span set = {p, out.n};
    bo_writer_free(&out);
    return set;
}

static struct bo_span encode_text(const char *codec, const char *text)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(bo_find_codec(format, codec)->encode(parse_text(text, &arena), &out, NULL),
                     BO_OK);
    uint8_t *p = bo_alloc(&arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const struct bo_span set = {p, out.n};
    bo_writer_free(&out);
    return set;
}

static void expect_refusal(const char *codec_name, const char *row, struct bo_span in,
                           enum bo_status expected, uint64_t off, const char *what)
{
    const struct bo_codec *codec = bo_find_codec(format, codec_name);
    for (unsigned decodes = 0; decodes < 2; decodes++) {
        struct bo_error error = {0};
        void *result;
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        const enum bo_status status = decodes ? codec->decode(in, &arena, &result, &error)
                                              : codec->open(in, &arena, &result, &error);
        bo_arena_rewind(&arena, mark);
        if (status != expected ||
            (status && (error.status != status || error.off != off || strcmp(error.what, what))))
            fail_msg("%s, %s: %s at byte %llu: %s; not %s at byte %llu: %s", codec_name, row,
                     bo_status_name(status), (unsigned long long)error.off,
                     error.what ? error.what : "-", bo_status_name(expected),
                     (unsigned long long)off, what ? what : "-");
    }
}

/* ---- types.json and tree.json beside a history ----------------------------------------------------- */

/* Two attributes, of which the second has a value for a while. */
static const char history_text[] = HISTORY(10, 30) "Q\t0\t-1\ta\nQ\t1\t0\tb\n"
                                                   "I\t1\t10\t19\ti\t5\n"
                                                   "I\t0\t10\t30\tn\t\n"
                                                   "I\t1\t20\t30\tn\t\n";

#define TYPES(list) "{\"format\":\"tc-types\",\"version\":1,\"types\":" list "}"
#define TREE(root) "{\"format\":\"tc-tree\",\"version\":1,\"root\":" root "}"
#define A_AND_B "\"children\":{\"a\":{\"key\":0,\"children\":{\"b\":{\"key\":1}}}}"
#define GOOD_TYPES TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":1,\"type\":\"int\"}]")
#define GOOD_TREE TREE("{" A_AND_B "}")
#define CUT "JSON ends in the middle"

struct json_case {
    unsigned file; /* 1: types.json, 2: tree.json */
    const char *text;
    enum bo_status status;
    const char *what;
};

static const struct json_case json_cases[] = {
    {1, GOOD_TYPES, BO_OK, NULL},
    {1, TYPES("[{\"type\":\"int\",\"key\":1},{\"key\":0,\"type\":\"none\"}]"), BO_OK, NULL},
    {1,
     " { \"version\" : 1 ,\n\t\"types\":[ {\"key\":0,\"type\":\"none\"} , {\"key\":1,"
     "\"type\":\"i\\u006et\"}\r] , \"format\":\"tc-types\" } ",
     BO_OK, NULL},
    {1, "@", BO_TRUNCATED, CUT},
    {1, "{\"format\":\"tc-types\"@", BO_TRUNCATED, CUT},
    {1, "{\"format\":\"tc-ty@", BO_TRUNCATED, CUT},
    {1, "@[]", BO_CORRUPT, "not an object"},
    {1, "{\"format\":@\"tc-tree\",\"version\":1,\"types\":[]}", BO_UNSUPPORTED, "another format"},
    {1, "{\"format\":\"tc-types\",\"version\":@2,\"types\":[]}", BO_UNSUPPORTED, "unknown version"},
    {1, "{\"format\":\"tc-types\",\"version\":@1.0,\"types\":[]}", BO_CORRUPT,
     "integer has a fraction or an exponent"},
    {1, "{\"format\":\"tc-types\",\"version\":1@}", BO_CORRUPT, "a member is missing"},
    {1, "{\"format\":\"tc-types\",\"version\":1,@\"version\":1,\"types\":[]}", BO_CORRUPT,
     "member stands twice"},
    {1, "{\"format\":\"tc-types\",@\"author\":\"me\"}", BO_UNSUPPORTED, "unknown member"},
    {1, "{\"format\" @\"tc-types\"}", BO_CORRUPT, "no : behind a member's name"},
    {1, "{\"format\":\"tc-types\" @\"version\":1}", BO_CORRUPT, "neither , nor } behind a member"},
    {1, "{\"format\":\"tc-types\",@}", BO_CORRUPT, "not a string"},
    {1, GOOD_TYPES " @x", BO_CORRUPT, "bytes behind the JSON's end"},
    {1, TYPES("@{}"), BO_CORRUPT, "not a list"},
    {1, TYPES("[@0]"), BO_CORRUPT, "not an object"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"}@{}]"), BO_CORRUPT,
     "neither , nor ] behind an element"},
    {1, TYPES("[{\"key\":0@}]"), BO_CORRUPT, "a member is missing"},
    {1, TYPES("[{\"key\":0,@\"key\":0,\"type\":\"none\"}]"), BO_CORRUPT, "member stands twice"},
    {1, TYPES("[{\"key\":0,\"type\":@\"custom\"}]"), BO_UNSUPPORTED, "unknown type"},
    {1, TYPES("[{\"key\":@\"0\",\"type\":\"int\"}]"), BO_CORRUPT, "not an integer"},
    {1, TYPES("[{\"key\":@-1,\"type\":\"int\"}]"), BO_CORRUPT, "integer out of range"},
    {1, TYPES("[{\"key\":@-0,\"type\":\"int\"}]"), BO_CORRUPT, "not an integer"},
    {1, TYPES("[{\"key\":@00,\"type\":\"int\"}]"), BO_CORRUPT, "not an integer"},
    {1, TYPES("[{\"key\":@2147483648,\"type\":\"int\"}]"), BO_CORRUPT, "integer out of range"},
    {1, TYPES("[{\"key\":@1e0,\"type\":\"int\"}]"), BO_CORRUPT,
     "integer has a fraction or an exponent"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":@0,\"type\":\"int\"}]"), BO_CORRUPT,
     "key stands twice"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":@2,\"type\":\"int\"}]"), BO_CORRUPT,
     "keys are not 0 up to one less than their number"},

    {2, GOOD_TREE, BO_OK, NULL},
    {2, TREE("{\"children\":{\"a\":{\"children\":{\"b\":{\"key\":1}},\"key\":0}}}"), BO_OK, NULL},
    {2, TREE("{\"children\":{\"\":{\"key\":1},\"a/*\":{\"key\":0,\"children\":{}}}}"), BO_OK, NULL},
    {2, TREE("{\"key\":0,\"children\":{\"b\":{\"key\":1}}}"), BO_OK, NULL},
    {2, TREE("{" A_AND_B ",@\"children\":{}}"), BO_CORRUPT, "member stands twice"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},@\"a\":{\"key\":1}}}"), BO_CORRUPT,
     "name of a sibling"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},@\"\\u0061\":{\"key\":1}}}"), BO_CORRUPT,
     "name of a sibling"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{\"key\":@0}}}"), BO_CORRUPT,
     "key stands twice"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0,\"children\":{\"b\":{\"key\":@0}}}}}"), BO_CORRUPT,
     "key stands twice"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{\"key\":@2}}}"), BO_CORRUPT,
     "key is no quark of this history"},
    {2, TREE("{\"children\":{\"a\":{\"key\":1,\"children\":{\"b\":{\"key\":@0}}}}}"),
     BO_UNSUPPORTED, "key is smaller than that of the parent"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0}}}") "@", BO_UNSUPPORTED,
     "quark has no place in the tree"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{@}}}"), BO_CORRUPT, "a member is missing"},
    {2, TREE("{\"children\":{@\"a\\u0000\":{\"key\":0},\"b\":{\"key\":1}}}"), BO_CORRUPT,
     "name holds a NUL"},
    {2, TREE("{\"children\":{\"a@\\ud800\":{\"key\":0}}}"), BO_CORRUPT, "half of a surrogate pair"},
    {2, TREE("{\"children\":{\"a@\\udc00\\ud800\":{\"key\":0}}}"), BO_CORRUPT,
     "half of a surrogate pair"},
    {2, TREE("{\"children\":{\"a@\\ud800\\u0041\":{\"key\":0}}}"), BO_CORRUPT,
     "half of a surrogate pair"},
    {2, TREE("{\"children\":{\"a@\\x\":{\"key\":0}}}"), BO_CORRUPT, "unknown escape"},
    {2, TREE("{\"children\":{\"a\\u00@g0\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a@\xff\":{\"key\":0}}}"), BO_CORRUPT, "string is not UTF-8"},
    {2, TREE("{\"children\":{\"a@\xc0\x80\":{\"key\":0}}}"), BO_CORRUPT, "string is not UTF-8"},
    {2, TREE("{\"children\":{\"a@\n\":{\"key\":0}}}"), BO_CORRUPT, "control character in a string"},
    {2, TREE("{\"children\":{\"a\":@0}}"), BO_CORRUPT, "not an object"},
    {2, TREE("{\"children\":@[]}"), BO_CORRUPT, "not an object"},
};

static void test_json_of_histories(void **state)
{
    (void)state;
    const struct bo_span good = encode_text("typed-null", history_text);
    for (size_t i = 0; i < N_ELEMENTS(json_cases); i++) {
        const struct json_case *c = &json_cases[i];
        const struct text text = unmarked(c->text);
        struct statehist_part parts[STATEHIST_MAX_PARTS];
        struct bo_span files[STATEHIST_MAX_PARTS];
        size_t offs[STATEHIST_MAX_PARTS];
        uint8_t history[256];
        assert_int_equal(statehist_get_parts(good, 3, parts, NULL), BO_OK);
        for (unsigned k = 0; k < 3; k++)
            files[k] = parts[k].in;
        files[c->file] = (struct bo_span){(const uint8_t *)text.p, text.n};
        memcpy(history, files[0].p, files[0].n);
        bo_set_le64(history + 40, statehist_hash(files[2]));
        bo_set_le64(history + 48, statehist_hash(files[1]));
        files[0].p = history;
        const struct bo_span set = join(files, 3, offs);
        expect_refusal("typed-null", c->text, set, c->status, offs[c->file] + text.mark, c->what);
    }
}

/* ---- history.bin ----------------------------------------------------------------------------------- */

/* The set of two or three files, and in history.bin its header and records. */
enum { HEAD2 = 24, HEAD3 = 32, RECORDS = 56 };

/* `nbytes` bytes at `at` of the good set become `bytes`, or it is cut there (nbytes 0). */
struct patch {
    const char *codec, *row;
    size_t at, nbytes;
    uint64_t bytes; /* little-endian */
    enum bo_status status;
    uint64_t off;
    const char *what;
};

/* Records of typed-null: quark 1 (24 bytes), quark 0 (20), quark 1 (20). Of flat: 25, 21, 21. */
enum {
    N_FIRST = HEAD3 + RECORDS,
    N_SECOND = N_FIRST + 24,
    N_THIRD = N_SECOND + 20,
    N_TYPES = N_THIRD + 20,
    F_FIRST = HEAD2 + RECORDS,
    F_SECOND = F_FIRST + 25,
    S_SECOND = N_FIRST + 20,
};

static const struct patch patches[] = {
    {"typed-null", "magic of the set", 0, 1, 'X', BO_CORRUPT, 0,
     "not the set of files that is expected"},
    {"typed-null", "number of files", 7, 1, 2, BO_CORRUPT, 0,
     "not the set of files that is expected"},
    {"flat", "nothing", 0, 0, 0, BO_TRUNCATED, 0, "head of the files is cut"},
    {"flat", "head cut", 23, 0, 0, BO_TRUNCATED, 23, "head of the files is cut"},
    {"flat", "length of history.bin", 8, 8, UINT64_MAX, BO_TRUNCATED, 8, "file is cut"},
    {"flat", "length of tree.json", 16, 8, 1 << 20, BO_TRUNCATED, 16, "file is cut"},
    {"flat", "magic", HEAD2, 1, 'X', BO_CORRUPT, HEAD2, "not a history"},
    {"flat", "version", HEAD2 + 8, 1, 2, BO_UNSUPPORTED, HEAD2 + 8, "unknown version"},
    {"flat", "layout", HEAD2 + 9, 1, 1, BO_CORRUPT, HEAD2 + 9, "another layout"},
    {"typed-null", "layout", HEAD3 + 9, 1, 3, BO_CORRUPT, HEAD3 + 9, "another layout"},
    {"flat", "zeros", HEAD2 + 11, 1, 1, BO_CORRUPT, HEAD2 + 10, "bytes that must be 0"},
    {"typed-null", "more quarks", HEAD3 + 12, 4, 3, BO_CORRUPT, HEAD3 + 12,
     "types.json has another number of quarks"},
    {"flat", "more quarks than records", HEAD2 + 12, 4, 4, BO_CORRUPT, HEAD2 + 12,
     "more quarks than records"},
    {"flat", "start after end", HEAD2 + 16, 8, 31, BO_CORRUPT, HEAD2 + 16,
     "history ends before it starts"},
    {"flat", "10^9 records", HEAD2 + 32, 8, 1000000000, BO_TRUNCATED, HEAD2 + 32,
     "more records than there is room for"},
    {"flat", "2^64 - 1 records", HEAD2 + 32, 8, UINT64_MAX, BO_TRUNCATED, HEAD2 + 32,
     "more records than there is room for"},
    {"flat", "one record less", HEAD2 + 32, 8, 2, BO_CORRUPT, F_SECOND + 21,
     "bytes behind the last record"},
    {"flat", "hash of the tree", HEAD2 + 40, 1, 0x55, BO_CORRUPT, HEAD2 + 40,
     "tree.json belongs to another history"},
    {"flat", "hash of types where there are none", HEAD2 + 48, 1, 1, BO_CORRUPT, HEAD2 + 48,
     "types.json belongs to another history"},
    {"typed-null", "hash of types", HEAD3 + 48, 1, 0x55, BO_CORRUPT, HEAD3 + 48,
     "types.json belongs to another history"},

    {"flat", "starts before", F_FIRST, 8, 9, BO_CORRUPT, F_FIRST,
     "interval starts before the history"},
    {"flat", "starts late", F_FIRST, 8, 11, BO_CORRUPT, F_FIRST, "timeline has a gap"},
    {"flat", "ends before it starts", F_FIRST + 8, 8, 9, BO_CORRUPT, F_FIRST,
     "interval ends before it starts"},
    {"flat", "ends too late", F_FIRST + 8, 8, 31, BO_CORRUPT, F_FIRST + 8,
     "interval ends after the history"},
    {"flat", "ends early", F_FIRST + 8, 8, 18, BO_CORRUPT, F_SECOND + 21, "timeline has a gap"},
    {"flat", "ends late", F_FIRST + 8, 8, 20, BO_CORRUPT, F_SECOND + 21,
     "timeline overlaps itself"},
    {"flat", "ends descend", F_SECOND + 8, 8, 15, BO_CORRUPT, F_SECOND + 8,
     "records are not in order of their ends"},
    {"flat", "a timeline stops", F_SECOND + 8, 8, 25, BO_CORRUPT, F_SECOND + 42,
     "a timeline does not last to the end"},
    {"typed-null-sorted", "quarks descend", S_SECOND + 24 + 16, 4, 0, BO_CORRUPT, S_SECOND + 24,
     "timeline overlaps itself"},
    {"flat", "quark beyond the tree", F_FIRST + 16, 4, 2, BO_CORRUPT, F_FIRST + 16,
     "no such quark"},
    {"flat", "null bit in flat", F_FIRST + 19, 1, 0x80, BO_CORRUPT, F_FIRST + 16, "no such quark"},
    {"typed-null", "null bit in none", N_SECOND + 19, 1, 0x80, BO_CORRUPT, N_SECOND + 16,
     "null bit where no value is declared"},
    {"flat", "unknown type", F_FIRST + 20, 1, 99, BO_CORRUPT, F_FIRST + 20, "unknown type"},
    {"flat", "type below null", F_FIRST + 20, 1, 0xfe, BO_CORRUPT, F_FIRST + 20, "unknown type"},
    {"flat", "custom value", F_FIRST + 20, 1, 20, BO_UNSUPPORTED, F_FIRST + 20,
     "custom value (type 20)"},
    {"flat", "a long where there is an int", F_FIRST + 20, 1, 2, BO_CORRUPT, F_FIRST + 29 + 16,
     "no such quark"},
    {"flat", "bool of 5", F_FIRST + 20, 1, 4, BO_CORRUPT, F_FIRST + 21, "bool is neither 0 nor 1"},
    {"flat", "string that is too long", F_FIRST + 20, 3, 0xfff001, BO_TRUNCATED, F_FIRST + 21,
     "string is cut"},
    {"flat", "escaped length that is short", F_FIRST + 20, 7, 0x0001ffff01, BO_CORRUPT,
     F_FIRST + 21, "length of a string is not in its shortest form"},
    {"flat", "string that is not UTF-8", F_FIRST + 20, 4, 0xff000101, BO_CORRUPT, F_FIRST + 21,
     "string is not UTF-8"},
};

static void test_history_bin(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(patches); i++) {
        const struct patch *c = &patches[i];
        const struct bo_span good = encode_text(c->codec, history_text);
        uint8_t *p = (uint8_t *)(uintptr_t)good.p;
        expect_refusal(c->codec, "as it is", good, BO_OK, 0, NULL);
        for (size_t k = 0; k < c->nbytes; k++)
            p[c->at + k] = (uint8_t)(c->bytes >> 8 * k);
        expect_refusal(c->codec, c->row, (struct bo_span){p, c->nbytes ? good.n : c->at}, c->status,
                       c->off, c->what);
    }
}

/* Every prefix of history.bin, in a set whose lengths are right. */
static void test_cut_history(void **state)
{
    (void)state;
    struct statehist_part parts[STATEHIST_MAX_PARTS];
    size_t offs[2];
    assert_int_equal(statehist_get_parts(encode_text("flat", history_text), 2, parts, NULL), BO_OK);
    for (size_t n = 0; n < parts[0].in.n; n++) {
        const struct bo_span files[] = {{parts[0].in.p, n}, parts[1].in};
        if (n < RECORDS)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, HEAD2 + n,
                           "header is cut");
        else if (n < RECORDS + 3 * 20)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, HEAD2 + 32,
                           "more records than there is room for");
        else if (n < RECORDS + 25 + 21 + 20)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, F_SECOND + 21,
                           "record is cut");
        else
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, F_SECOND + 21 + 20,
                           "type is cut");
    }
}

/* A null bit is beside a type only where both are there: in a timeline of several types. */
static void test_null_bit_beside_a_type(void **state)
{
    (void)state;
    const struct bo_span good =
        encode_text("typed-null", HISTORY(10, 30) "Q\t0\t-1\ta\nI\t0\t10\t19\ti\t5\n"
                                                  "I\t0\t20\t30\tb\ttrue\n");
    uint8_t *p = (uint8_t *)(uintptr_t)good.p;
    p[N_FIRST + 19] = 0x80;
    expect_refusal("typed-null", "null bit in any", good, BO_CORRUPT, N_FIRST + 16,
                   "null bit beside a type");
}

/* Each file of two histories with the same numbers of everything, mixed. */
static void test_files_of_another_history(void **state)
{
    (void)state;
    static const char other[] = HISTORY(10, 30) "Q\t0\t-1\ta\nQ\t1\t0\tc\n"
                                                "I\t1\t10\t19\ts\tx\n"
                                                "I\t0\t10\t30\tn\t\n"
                                                "I\t1\t20\t30\tn\t\n";
    static const char *const whats[] = {NULL, "types.json belongs to another history",
                                        "tree.json belongs to another history"};
    struct statehist_part a[STATEHIST_MAX_PARTS], b[STATEHIST_MAX_PARTS];
    assert_int_equal(statehist_get_parts(encode_text("typed-null", history_text), 3, a, NULL),
                     BO_OK);
    assert_int_equal(statehist_get_parts(encode_text("typed-null", other), 3, b, NULL), BO_OK);
    for (unsigned k = 1; k < 3; k++) {
        struct bo_span files[] = {a[0].in, a[1].in, a[2].in};
        size_t offs[3];
        files[k] = b[k].in;
        expect_refusal("typed-null", "mixed", join(files, 3, offs), BO_CORRUPT,
                       HEAD3 + (k == 1 ? 48 : 40), whats[k]);
    }
}

/* ---- state.json ------------------------------------------------------------------------------------ */

#define STATE(values) "{\"format\":\"tc-state\",\"version\":1,\"time\":5,\"values\":" values "}"
#define V(more) STATE("[{\"key\":0," more "}]")

struct state_case {
    const char *type, *text;
    enum bo_status status;
    const char *what;
};

static const struct state_case state_cases[] = {
    {"int", V("\"value\":-2147483648"), BO_OK, NULL},
    {"int", V("\"value\":null"), BO_OK, NULL},
    {"int", STATE("[{\"value\":7,\"key\":0}]"), BO_OK, NULL},
    {"int", V("\"value\":@2147483648"), BO_CORRUPT, "integer out of range"},
    {"int", V("\"value\":@true"), BO_CORRUPT, "not an integer"},
    {"int", V("\"value\":@-17.23"), BO_CORRUPT, "integer has a fraction or an exponent"},
    {"int", V("\"value\":@1e2"), BO_CORRUPT, "integer has a fraction or an exponent"},
    {"int", V("\"value\":@-0"), BO_CORRUPT, "not an integer"},
    {"int", V("\"value\":@+1"), BO_CORRUPT, "not an integer"},
    {"int", V("\"value\":@\"1\""), BO_CORRUPT, "not an integer"},
    {"int", V("\"value\":@[1]"), BO_CORRUPT, "not a value"},
    {"long", V("\"value\":-9223372036854775808"), BO_OK, NULL},
    {"long", V("\"value\":9223372036854775807"), BO_OK, NULL},
    {"long", V("\"value\":@9223372036854775808"), BO_CORRUPT, "integer out of range"},
    {"double", V("\"value\":0.1"), BO_OK, NULL},
    {"double", V("\"value\":-0.0"), BO_OK, NULL},
    {"double", V("\"value\":1E+2"), BO_OK, NULL},
    {"double", V("\"value\":\"NaN\""), BO_OK, NULL},
    {"double", V("\"value\":\"-Infinity\""), BO_OK, NULL},
    {"double", V("\"value\":@1"), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@1."), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@.5"), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@01.5"), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@1.5e"), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@\"nan\""), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@NaN"), BO_CORRUPT, "not a double"},
    {"double", V("\"value\":@1e999"), BO_CORRUPT, "double is out of range, or very long"},
    {"string", V("\"value\":\"a\\u0000\\ud83d\\ude00\\n\""), BO_OK, NULL},
    {"string", V("\"value\":@7"), BO_CORRUPT, "not a string"},
    {"bool", V("\"value\":true"), BO_OK, NULL},
    {"bool", V("\"value\":@1"), BO_CORRUPT, "not a value of its type"},
    {"none", V("\"value\":null"), BO_OK, NULL},
    {"none", V("\"value\":@0"), BO_CORRUPT, "not a value of its type"},
    {"any", V("\"value\":7,\"type\":\"long\""), BO_OK, NULL},
    {"variant", V("\"value\":null,\"type\":\"none\""), BO_OK, NULL},
    {"any", STATE("[{\"key\":@0,\"value\":7}]"), BO_CORRUPT, "value of any without a type"},
    {"any", V("\"value\":@null,\"type\":\"long\""), BO_CORRUPT, "not an integer"},
    {"any", V("\"value\":7,\"type\":@\"any\""), BO_UNSUPPORTED, "unknown type"},
    {"int", V("\"value\":7,\"type\":@\"int\""), BO_CORRUPT,
     "type of a value whose type is declared"},
    {"int", V("\"value\":7,\"since\":5"), BO_OK, NULL},
    {"int", V("\"value\":7,\"since\":@6"), BO_CORRUPT, "state began after the snapshot"},
    {"int", STATE("[@]"), BO_CORRUPT, "a key has no value"},
    {"int", STATE("[{\"key\":0,\"value\":7},{\"key\":@0,\"value\":7}]"), BO_CORRUPT,
     "key stands twice"},
    {"int", STATE("[{\"key\":@1,\"value\":7}]"), BO_CORRUPT, "key is no quark of this snapshot"},
    {"int", STATE("[{\"key\":0@}]"), BO_CORRUPT, "a member is missing"},
    {"int", "{\"format\":\"tc-state\",\"version\":1,\"values\":[{\"key\":0,\"value\":7}]@}",
     BO_CORRUPT, "a member is missing"},
    {"int", "{\"format\":@\"tc-types\",\"version\":1}", BO_UNSUPPORTED, "another format"},
};

static void test_state_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(state_cases); i++) {
        const struct state_case *c = &state_cases[i];
        const struct text text = unmarked(c->text);
        char types[128];
        size_t offs[3];
        const int n =
            snprintf(types, sizeof types, TYPES("[{\"key\":0,\"type\":\"%s\"}]"), c->type);
        const struct bo_span files[] = {{(const uint8_t *)types, (size_t)n},
                                        BYTES(TREE("{\"children\":{\"a\":{\"key\":0}}}")),
                                        {(const uint8_t *)text.p, text.n}};
        const struct bo_span set = join(files, 3, offs);
        expect_refusal("snapshot-json", c->text, set, c->status, offs[2] + text.mark, c->what);
    }
}

/* ---- today's snapshot ------------------------------------------------------------------------------ */

#define TODAY(attributes, end)                                                              \
    "{\"snapshot_format_version\":1,\"ssid\":\"x\",\"snapshot_version\":3,\"timestamp\":0," \
    "\"attributes\":[" attributes "],\"fEndTime\":" end ",\"fStartTime\":5}"
#define A(path, quark, type) AT(path, "5", "-9223372036854775808", quark, type)
#define AT(path, start, end, quark, type)                                                \
    "{\"Path\":" path ",\"Value\":{\"start\":" start ",\"end\":" end ",\"quark\":" quark \
    ",\"type\":" type "}}"
#define INTEGER "\"java.lang.Integer\",\"value\":7"

static const struct marked_mistake today_cases[] = {
    {TODAY("", "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "\"null\"") "," A("[\"a\",\"b\"]", "1", INTEGER), "5"), BO_OK, NULL},
    {TODAY(AT("[\"a\"]", "5", "5", "0", "\"java.lang.Double\",\"value\":NaN"), "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "\"java.lang.Double\",\"value\":-Infinity"), "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "@\"null\",\"value\":7"), "5"), BO_CORRUPT, "null has a value"},
    {TODAY(A("[\"a\"]", "0", "@\"java.lang.Long\""), "5"), BO_CORRUPT, "class without a value"},
    {TODAY(A("[\"a\"]", "0", "@\"java.lang.Short\",\"value\":7"), "5"), BO_UNSUPPORTED,
     "value of an unknown class"},
    {TODAY(A("[\"a\"]", "0", "\"java.lang.Integer\",\"value\":@2147483648"), "5"), BO_CORRUPT,
     "integer out of range"},
    {TODAY(A("[\"a\"]", "@1", INTEGER), "5"), BO_UNSUPPORTED,
     "attributes are not in the order of their quarks"},
    {TODAY(A("[\"a\"]", "0", INTEGER) "," A("[@\"a\"]", "1", INTEGER), "5"), BO_CORRUPT,
     "path stands twice"},
    {TODAY(A("[@\"a\",\"b\"]", "0", INTEGER), "5"), BO_UNSUPPORTED,
     "name of a path is no attribute before this one"},
    {TODAY(A("[@]", "0", INTEGER), "5"), BO_CORRUPT, "path without a name"},
    {TODAY(A("[@\"\\u0000\"]", "0", INTEGER), "5"), BO_CORRUPT, "name holds a NUL"},
    {TODAY(AT("[\"a\"]", "@4", "-9223372036854775808", "0", INTEGER), "5"), BO_CORRUPT,
     "interval of another time"},
    {TODAY(AT("[\"a\"]", "5", "@6", "0", INTEGER), "5"), BO_CORRUPT,
     "end is neither open nor the time of the snapshot"},
    {TODAY("", "@6"), BO_UNSUPPORTED, "snapshot of more than one instant"},
};

static void test_todays_snapshot(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEMENTS(today_cases); i++) {
        const struct text text = unmarked(today_cases[i].text);
        expect_refusal("snapshot-today", today_cases[i].text,
                       (struct bo_span){(const uint8_t *)text.p, text.n}, today_cases[i].status,
                       text.mark, today_cases[i].what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_json_of_histories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_history_bin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut_history, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_null_bit_beside_a_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_of_another_history, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_state_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_todays_snapshot, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
