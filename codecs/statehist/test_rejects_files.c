/*
 * Bad sets of files, and bad arrays: each is refused, by open and by decode, with its status, its
 * byte and its reason. Why: JSON is written by hand and by other programs, and a record has no
 * other check than these.
 *
 * In each text of JSON an @ marks the byte after it as the one that the error names.
 */
#include "codecs/statehist/test_rejects.h"

/* ---- types.json and tree.json beside a history ----------------------------------------------- */

/* Two attributes, of which the second has a value for a while. */
static const char history_text[] = HISTORY(10, 30) "Q\t0\t-1\ta\nQ\t1\t0\tb\n"
                                                   "I\t1\t10\t19\ti\t5\n"
                                                   "I\t0\t10\t30\tn\t\n"
                                                   "I\t1\t20\t30\tn\t\n";

#define A_AND_B "\"children\":{\"a\":{\"key\":0,\"children\":{\"b\":{\"key\":1}}}}"
#define GOOD_TYPES TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":1,\"type\":\"int\"}]")
#define GOOD_TREE TREE("{" A_AND_B "}")
#define CUT "JSON ends inside a value"

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
     "duplicate member"},
    {1, "{\"format\":\"tc-types\",@\"author\":\"me\"}", BO_UNSUPPORTED, "unknown member"},
    {1, "{\"format\" @\"tc-types\"}", BO_CORRUPT, "no : after a member's name"},
    {1, "{\"format\":\"tc-types\" @\"version\":1}", BO_CORRUPT, "neither , nor } after a member"},
    {1, "{\"format\":\"tc-types\",@}", BO_CORRUPT, "not a string"},
    {1, "{\"format\":\"tc-types\\@", BO_TRUNCATED, CUT},
    {1, "{\"format\":\"tc-types\",\"version\":@2147483647}", BO_UNSUPPORTED, "unknown version"},
    {1, "{\"format\":\"tc-types\",\"version\":@2147483648}", BO_CORRUPT, "integer out of range"},
    {1, "{\"format\":\"tc-types\",\"version\":@-2147483648}", BO_UNSUPPORTED, "unknown version"},
    {1, "{\"format\":\"tc-types\",\"version\":@-2147483649}", BO_CORRUPT, "integer out of range"},
    {1, "{\"format\":\"tc-types\",\"version\":@0}", BO_UNSUPPORTED, "unknown version"},
    {1, "{\"format\":\"tc-types\",\"version\":@-}", BO_CORRUPT, "value is not an integer"},
    {1, "{\"format\":\"tc-types\",\"version\":@9-9}", BO_CORRUPT, "value is not an integer"},
    {1, "{\"format\":\"tc-types\",\"version\":@1E0}", BO_CORRUPT,
     "integer has a fraction or an exponent"},
    {1, "{\"format\":\"tc-types\",\"version\":@", BO_TRUNCATED, CUT},
    {1, GOOD_TYPES " @x", BO_CORRUPT, "bytes after the JSON's end"},
    {1, TYPES("@{}"), BO_CORRUPT, "not a list"},
    {1, TYPES("[@0]"), BO_CORRUPT, "not an object"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"}@{}]"), BO_CORRUPT,
     "neither , nor ] after an element"},
    {1, TYPES("[{\"key\":0@}]"), BO_CORRUPT, "a member is missing"},
    {1, TYPES("[{\"key\":0,@\"key\":0,\"type\":\"none\"}]"), BO_CORRUPT, "duplicate member"},
    {1, TYPES("[{\"key\":0,\"type\":@\"custom\"}]"), BO_UNSUPPORTED, "unknown type"},
    {1, TYPES("[{\"key\":@\"0\",\"type\":\"int\"}]"), BO_CORRUPT, "value is not an integer"},
    {1, TYPES("[{\"key\":@-1,\"type\":\"int\"}]"), BO_CORRUPT, "integer out of range"},
    {1, TYPES("[{\"key\":@-0,\"type\":\"int\"}]"), BO_CORRUPT, "value is not an integer"},
    {1, TYPES("[{\"key\":@00,\"type\":\"int\"}]"), BO_CORRUPT, "value is not an integer"},
    {1, TYPES("[{\"key\":@2147483648,\"type\":\"int\"}]"), BO_CORRUPT, "integer out of range"},
    {1, TYPES("[{\"key\":@2147483647,\"type\":\"int\"}]"), BO_CORRUPT,
     "keys are not 0 up to one less than their number"},
    {1, TYPES("[{\"key\":@1e0,\"type\":\"int\"}]"), BO_CORRUPT,
     "integer has a fraction or an exponent"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":@0,\"type\":\"int\"}]"), BO_CORRUPT,
     "duplicate key"},
    {1, TYPES("[{\"key\":0,\"type\":\"none\"},{\"key\":@2,\"type\":\"int\"}]"), BO_CORRUPT,
     "keys are not 0 up to one less than their number"},

    {2, GOOD_TREE, BO_OK, NULL},
    {2, TREE("{\"children\":{\"a\":{\"children\":{\"b\":{\"key\":1}},\"key\":0}}}"), BO_OK, NULL},
    {2, TREE("{\"children\":{\"\":{\"key\":1},\"a/*\":{\"key\":0,\"children\":{}}}}"), BO_OK, NULL},
    {2, TREE("{\"key\":0,\"children\":{\"b\":{\"key\":1}}}"), BO_OK, NULL},
    {2, TREE("{" A_AND_B ",@\"children\":{}}"), BO_CORRUPT, "duplicate member"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},@\"a\":{\"key\":1}}}"), BO_CORRUPT,
     "name of a sibling"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},@\"\\u0061\":{\"key\":1}}}"), BO_CORRUPT,
     "name of a sibling"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{\"key\":@0}}}"), BO_CORRUPT, "duplicate key"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0,\"children\":{\"b\":{\"key\":@0}}}}}"), BO_CORRUPT,
     "duplicate key"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{\"key\":@2}}}"), BO_CORRUPT,
     "key is not a quark of this history"},
    {2, TREE("{\"children\":{\"a\":{\"key\":1,\"children\":{\"b\":{\"key\":@0}}}}}"),
     BO_UNSUPPORTED, "key is smaller than that of the parent"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0}}}") "@", BO_UNSUPPORTED,
     "quark has no place in the tree"},
    {2, TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{@}}}"), BO_CORRUPT, "a member is missing"},
    {2, TREE("{\"children\":{@\"a\\u0000\":{\"key\":0},\"b\":{\"key\":1}}}"), BO_CORRUPT,
     "name holds a NUL"},
    {2, TREE("{\"children\":{\"a@\\ud800\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"a@\\udc00\\ud800\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"a@\\ud800\\ue000\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"\\ud800\\udfff\":{\"key\":0},\"\\udbff\\udc00\":{\"key\":1}}}"),
     BO_OK, NULL},
    {2, TREE("{\"children\":{\"\\ud7ff\":{\"key\":0},\"\\ue000\":{\"key\":1}}}"), BO_OK, NULL},
    {2, TREE("{\"children\":{\"a@\\udfff\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"a@\\ud800\\u0041\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"a@\\ud800\\n\":{\"key\":0}}}"), BO_CORRUPT,
     "surrogate without its pair"},
    {2, TREE("{\"children\":{\"a\\ud800\\udc0@G\":{\"key\":0}}}"), BO_CORRUPT,
     "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a\\u000@/\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a\\u000@:\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a\\u000@`\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a\\u000@\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"\\u0019\":{\"key\":0},\"\\uAfaF\":{\"key\":1}}}"), BO_OK, NULL},
    {2, TREE("{\"children\":{\"a@\x1f\":{\"key\":0}}}"), BO_CORRUPT,
     "control character in a string"},
    {2, TREE("{\"children\":{\" \":{\"key\":0},\"\x7f\":{\"key\":1}}}"), BO_OK, NULL},
    {2, TREE("{\"children\":{\"a@\\x\":{\"key\":0}}}"), BO_CORRUPT, "unknown escape"},
    {2, TREE("{\"children\":{\"a\\u00@g0\":{\"key\":0}}}"), BO_CORRUPT, "not a hexadecimal digit"},
    {2, TREE("{\"children\":{\"a@\xff\":{\"key\":0}}}"), BO_CORRUPT, "string is not UTF-8"},
    {2, TREE("{\"children\":{\"a@\xc0\x80\":{\"key\":0}}}"), BO_CORRUPT, "string is not UTF-8"},
    {2, TREE("{\"children\":{\"a@\n\":{\"key\":0}}}"), BO_CORRUPT, "control character in a string"},
    {2, TREE("{\"children\":{\"a\":@0}}"), BO_CORRUPT, "not an object"},
    {2, TREE("{\"children\":@[]}"), BO_CORRUPT, "not an object"},
    /* Two attributes take two bytes at least: fewer are refused unread. */
    {2, "@[]", BO_CORRUPT, "not an object"},
    {2, "[@", BO_UNSUPPORTED, "quark has no place in the tree"},
};

TEST_WITH(test_json_of_histories, set_up, tear_down)
{
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

/* ---- history.bin ----------------------------------------------------------------------------- */

/* The set of two or three files, and in history.bin its header and records. */
enum { HEAD2 = 24, HEAD3 = 32, RECORDS = 56 };

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
     "magic number or number of files is wrong"},
    {"typed-null", "number of files", 7, 1, 2, BO_CORRUPT, 0,
     "magic number or number of files is wrong"},
    {"flat", "nothing", 0, 0, 0, BO_TRUNCATED, 0, "file ends inside the table of files"},
    {"flat", "head cut", 23, 0, 0, BO_TRUNCATED, 23, "file ends inside the table of files"},
    {"flat", "length of history.bin", 8, 8, UINT64_MAX, BO_TRUNCATED, 8,
     "one of the files runs past the end"},
    {"flat", "length of tree.json", 16, 8, 1 << 20, BO_TRUNCATED, 16,
     "one of the files runs past the end"},
    {"flat", "magic", HEAD2, 1, 'X', BO_CORRUPT, HEAD2,
     "magic number is not that of a flat history"},
    {"flat", "version", HEAD2 + 8, 1, 2, BO_UNSUPPORTED, HEAD2 + 8, "unknown version"},
    {"flat", "layout", HEAD2 + 9, 1, 1, BO_CORRUPT, HEAD2 + 9, "layout is not the codec's"},
    {"typed-null", "layout", HEAD3 + 9, 1, 3, BO_CORRUPT, HEAD3 + 9, "layout is not the codec's"},
    {"flat", "zeros", HEAD2 + 11, 1, 1, BO_CORRUPT, HEAD2 + 10, "reserved bytes are not 0"},
    {"typed-null", "more quarks", HEAD3 + 12, 4, 3, BO_CORRUPT, HEAD3 + 12,
     "number of quarks in types.json differs from the history's"},
    {"flat", "more quarks than records", HEAD2 + 12, 4, 4, BO_CORRUPT, HEAD2 + 12,
     "more quarks than records"},
    {"flat", "start after end", HEAD2 + 16, 8, 31, BO_CORRUPT, HEAD2 + 16,
     "history ends before it starts"},
    {"flat", "10^9 records", HEAD2 + 32, 8, 1000000000, BO_TRUNCATED, HEAD2 + 32,
     "more records than there is room for"},
    {"flat", "2^64 - 1 records", HEAD2 + 32, 8, UINT64_MAX, BO_TRUNCATED, HEAD2 + 32,
     "more records than there is room for"},
    {"flat", "one record less", HEAD2 + 32, 8, 2, BO_CORRUPT, F_SECOND + 21,
     "bytes after the last record"},
    {"flat", "hash of the tree", HEAD2 + 40, 1, 0x55, BO_CORRUPT, HEAD2 + 40,
     "tree.json belongs to another history"},
    {"flat", "hash of types in a file without types", HEAD2 + 48, 1, 1, BO_CORRUPT, HEAD2 + 48,
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
     "quark is out of range"},
    {"flat", "null bit in flat", F_FIRST + 19, 1, 0x80, BO_CORRUPT, F_FIRST + 16,
     "quark is out of range"},
    {"typed-null", "null bit in none", N_SECOND + 19, 1, 0x80, BO_CORRUPT, N_SECOND + 16,
     "null bit where no value is declared"},
    {"flat", "unknown type", F_FIRST + 20, 1, 99, BO_CORRUPT, F_FIRST + 20, "unknown type"},
    {"flat", "type after bool", F_FIRST + 20, 1, 5, BO_CORRUPT, F_FIRST + 20, "unknown type"},
    {"flat", "type below null", F_FIRST + 20, 1, 0xfe, BO_CORRUPT, F_FIRST + 20, "unknown type"},
    {"flat", "custom value", F_FIRST + 20, 1, 20, BO_UNSUPPORTED, F_FIRST + 20,
     "custom values (type 20) are not supported"},
    {"flat", "a long where there is an int", F_FIRST + 20, 1, 2, BO_CORRUPT, F_FIRST + 29 + 16,
     "quark is out of range"},
    {"flat", "bool of 5", F_FIRST + 20, 1, 4, BO_CORRUPT, F_FIRST + 21, "bool is neither 0 nor 1"},
    {"flat", "string that is too long", F_FIRST + 20, 3, 0xfff001, BO_TRUNCATED, F_FIRST + 21,
     "file ends inside a string"},
    {"flat", "escaped length that is short", F_FIRST + 20, 7, 0x0001ffff01, BO_CORRUPT,
     F_FIRST + 21, "length of a string is not in its shortest form"},
    {"flat", "string that is not UTF-8", F_FIRST + 20, 4, 0xff000101, BO_CORRUPT, F_FIRST + 21,
     "string is not UTF-8"},
};

TEST_WITH(test_history_bin, set_up, tear_down)
{
    expect_patches(history_text, patches, N_ELEMENTS(patches));
}

/* Timelines that are whole, but in the wrong order. */
TEST_WITH(test_quarks_descend, set_up, tear_down)
{
    const struct bo_span good =
        encode_text("typed-null-sorted", HISTORY(10, 30) "Q\t0\t-1\ta\nQ\t1\t0\tb\n"
                                                         "I\t0\t10\t30\tn\t\n"
                                                         "I\t1\t10\t30\tn\t\n");
    uint8_t *p = (uint8_t *)(uintptr_t)good.p;
    p[N_FIRST + 16] = 1;
    p[S_SECOND + 16] = 0;
    expect_refusal("typed-null-sorted", "quarks descend", good, BO_CORRUPT, S_SECOND + 16,
                   "records are not in order of quarks");
}

/* Every prefix of history.bin, in a set whose lengths are right. */
TEST_WITH(test_cut_history, set_up, tear_down)
{
    struct statehist_part parts[STATEHIST_MAX_PARTS];
    size_t offs[2];
    assert_int_equal(statehist_get_parts(encode_text("flat", history_text), 2, parts, NULL), BO_OK);
    for (size_t n = 0; n < parts[0].in.n; n++) {
        const struct bo_span files[] = {{parts[0].in.p, n}, parts[1].in};
        if (n < RECORDS)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, HEAD2 + n,
                           "file ends inside the header");
        else if (n < RECORDS + 3 * 20)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, HEAD2 + 32,
                           "more records than there is room for");
        else if (n < RECORDS + 25 + 21 + 20)
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, F_SECOND + 21,
                           "file ends inside a record");
        else
            expect_refusal("flat", "cut", join(files, 2, offs), BO_TRUNCATED, F_SECOND + 21 + 20,
                           "file ends inside a type");
    }
}

/* The first of two files of the flat codec is this one. */
static struct bo_span with_history(struct bo_span history, struct bo_span tree)
{
    size_t offs[2];
    uint8_t *copy = bo_alloc(&arena, history.n);
    assert_non_null(copy);
    memcpy(copy, history.p, history.n);
    bo_set_le64(copy + 40, statehist_hash(tree));
    return join((const struct bo_span[]){{copy, history.n}, tree}, 2, offs);
}

/* A file that ends inside the value of its last record, of each type. */
TEST_WITH(test_cut_values, set_up, tear_down)
{
    static const struct {
        const char *value;
        size_t nbytes; /* of the value */
    } cases[] = {{"i\t7", 4}, {"l\t7", 8}, {"d\t7", 8}, {"b\ttrue", 1}, {"s\txyz", 5}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[256];
        struct statehist_part parts[STATEHIST_MAX_PARTS];
        snprintf(text, sizeof text, HISTORY(10, 30) "Q\t0\t-1\ta\nI\t0\t10\t30\t%s\n",
                 cases[i].value);
        assert_int_equal(statehist_get_parts(encode_text("flat", text), 2, parts, NULL), BO_OK);
        const struct bo_span whole = parts[0].in;
        for (size_t left = 0; left < cases[i].nbytes; left++) {
            const bool in_text = cases[i].value[0] == 's' && left >= 2;
            const struct bo_span cut = {whole.p, whole.n - cases[i].nbytes + left};
            expect_refusal("flat", cases[i].value, with_history(cut, parts[1].in), BO_TRUNCATED,
                           F_FIRST + 21,
                           in_text ? "file ends inside a string" : "file ends inside a value");
        }
    }
}

/* The four bytes of an escaped length are cut; 65535 bytes or more have an escaped length. */
TEST_WITH(test_escaped_lengths, set_up, tear_down)
{
    struct statehist_part parts[STATEHIST_MAX_PARTS];
    uint8_t *file = bo_alloc(&arena, 65535 + 256);
    assert_int_equal(
        statehist_get_parts(encode_text("flat", HISTORY(10, 30) "Q\t0\t-1\ta\nI\t0\t10\t30\ts\t\n"),
                            2, parts, NULL),
        BO_OK);
    const size_t n = parts[0].in.n;
    memcpy(file, parts[0].in.p, n);
    memset(file + n - 2, 0xff, 5);
    expect_refusal("flat", "cut", with_history((struct bo_span){file, n + 3}, parts[1].in),
                   BO_TRUNCATED, F_FIRST + 23, "file ends inside a value");
    memset(file + n + 4, 'x', 65535);
    bo_set_le32(file + n, 65534);
    expect_refusal("flat", "65534",
                   with_history((struct bo_span){file, n + 4 + 65534}, parts[1].in), BO_CORRUPT,
                   F_FIRST + 21, "length of a string is not in its shortest form");
    bo_set_le32(file + n, 65535);
    expect_refusal("flat", "65535",
                   with_history((struct bo_span){file, n + 4 + 65535}, parts[1].in), BO_OK, 0,
                   NULL);
}

/* A quark without a record, in a history that ends at 0. */
TEST_WITH(test_absent_timeline, set_up, tear_down)
{
    struct statehist_part one[STATEHIST_MAX_PARTS], two[STATEHIST_MAX_PARTS];
    static const char text[] =
        HISTORY(-10, 0) "Q\t0\t-1\ta\nI\t0\t-10\t-5\tn\t\nI\t0\t-4\t0\tn\t\n";
    static const char tree[] = HISTORY(-10, 0) "Q\t0\t-1\ta\nQ\t1\t-1\tb\n"
                                               "I\t0\t-10\t0\tn\t\nI\t1\t-10\t0\tn\t\n";
    assert_int_equal(statehist_get_parts(encode_text("flat", text), 2, one, NULL), BO_OK);
    assert_int_equal(statehist_get_parts(encode_text("flat", tree), 2, two, NULL), BO_OK);
    ((uint8_t *)(uintptr_t)one[0].in.p)[12] = 2;
    expect_refusal("flat", "2 quarks", with_history(one[0].in, two[1].in), BO_CORRUPT, F_FIRST + 42,
                   "a timeline does not last to the end");
}

/* A null bit is beside a type only where both are there: in a timeline of several types. */
TEST_WITH(test_null_bit_beside_a_type, set_up, tear_down)
{
    const struct bo_span good =
        encode_text("typed-null", HISTORY(10, 30) "Q\t0\t-1\ta\nI\t0\t10\t19\ti\t5\n"
                                                  "I\t0\t20\t30\tb\ttrue\n");
    uint8_t *p = (uint8_t *)(uintptr_t)good.p;
    p[N_FIRST + 19] = 0x80;
    expect_refusal("typed-null", "null bit in any", good, BO_CORRUPT, N_FIRST + 16,
                   "null bit is set in a record with a type byte");
}

/* Each file of two histories with the same numbers of everything, mixed. */
TEST_WITH(test_files_of_another_history, set_up, tear_down)
{
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

/* ---- arrays ---------------------------------------------------------------------------------- */

static const char arrays_text[] = HISTORY(10, 30) "Q\t0\t-1\ta\nQ\t1\t0\tb\nQ\t2\t0\tc\n"
                                                  "I\t1\t10\t19\ts\tx\nI\t1\t20\t25\ts\tz\n"
                                                  "I\t0\t10\t30\tn\t\nI\t1\t26\t30\tb\ttrue\n"
                                                  "I\t2\t10\t30\tn\t\n";

/* Where its arrays start. */
enum {
    A_STARTS = 48,
    A_VALUES = A_STARTS + 5 * 8,
    A_FIRST = A_VALUES + 5 * 8,
    A_PARENTS = A_FIRST + 4 * 4,
    A_NAME_ENDS = A_PARENTS + 3 * 4,
    A_STRING_ENDS = A_NAME_ENDS + 3 * 4,
    A_TYPES = A_STRING_ENDS + 2 * 4,
    A_NAMES = A_TYPES + 5,
    A_STRINGS = A_NAMES + 3,
    A_END = A_STRINGS + 2,
};

#define ARRAYS(row, at, nbytes, bytes, status, off, what)   \
    {                                                       \
        "arrays", row, at, nbytes, bytes, status, off, what \
    }
#define ENDS "text ends before it starts or after the last text"
#define STARTS "starts of a timeline do not ascend, or exceed the history's end"
#define TOO_MANY "count does not fit 32 bits"
#define SHORTER "shorter than its header says"
#define NOT_ALL "timelines do not cover all intervals"
static const struct patch arrays_patches[] = {
    ARRAYS("start after end", 0, 8, 31, BO_CORRUPT, 8, "history ends before it starts"),
    ARRAYS("2^32 - 1 intervals", 24, 8, UINT32_MAX, BO_TRUNCATED, A_END, SHORTER),
    ARRAYS("2^32 intervals", 24, 8, UINT64_C(1) << 32, BO_CORRUPT, 24, TOO_MANY),
    ARRAYS("2^32 - 1 bytes of names", 32, 8, UINT32_MAX, BO_TRUNCATED, A_END, SHORTER),
    ARRAYS("2^32 bytes of names", 32, 8, UINT64_C(1) << 32, BO_CORRUPT, 24, TOO_MANY),
    ARRAYS("2^32 - 1 bytes of strings", 40, 8, UINT32_MAX, BO_TRUNCATED, A_END, SHORTER),
    ARRAYS("2^32 bytes of strings", 40, 8, UINT64_C(1) << 32, BO_CORRUPT, 24, TOO_MANY),
    ARRAYS("2^64 - 1 bytes of strings", 40, 8, UINT64_MAX, BO_CORRUPT, 24,
           "count does not fit 32 bits"),
    ARRAYS("10^9 intervals", 24, 4, 1000000000, BO_TRUNCATED, A_END,
           "shorter than its header says"),
    ARRAYS("2^32 - 1 quarks", 16, 4, UINT32_MAX, BO_TRUNCATED, A_END,
           "shorter than its header says"),
    ARRAYS("one string less", 20, 1, 1, BO_CORRUPT, A_END - 4, "bytes follow the strings"),
    ARRAYS("cut", A_END - 1, 0, 0, BO_TRUNCATED, A_END - 1, "shorter than its header says"),
    ARRAYS("header cut", 47, 0, 0, BO_TRUNCATED, 47, "ends within its header"),
    ARRAYS("timeline starts late", A_STARTS, 1, 11, BO_CORRUPT, A_STARTS,
           "timeline does not begin with the history"),
    ARRAYS("the second, too", A_STARTS + 8, 1, 11, BO_CORRUPT, A_STARTS + 8,
           "timeline does not begin with the history"),
    ARRAYS("starts twice", A_STARTS + 16, 1, 10, BO_CORRUPT, A_STARTS + 16, STARTS),
    ARRAYS("starts after the next", A_STARTS + 16, 1, 26, BO_CORRUPT, A_STARTS + 24, STARTS),
    ARRAYS("starts at the end", A_STARTS + 24, 1, 30, BO_OK, 0, NULL),
    ARRAYS("starts after the end", A_STARTS + 24, 1, 31, BO_CORRUPT, A_STARTS + 24, STARTS),
    ARRAYS("null of 1", A_VALUES, 1, 1, BO_CORRUPT, A_VALUES, "null has a value"),
    ARRAYS("string number is out of range", A_VALUES + 16, 1, 2, BO_CORRUPT, A_VALUES + 16,
           "string number is out of range"),
    ARRAYS("second string first", A_VALUES + 8, 1, 1, BO_CORRUPT, A_VALUES + 8,
           "string out of the order of first use"),
    ARRAYS("a string unused", A_VALUES + 16, 1, 0, BO_CORRUPT, A_STRING_ENDS, "string is not used"),
    ARRAYS("bool of 2", A_VALUES + 24, 1, 2, BO_CORRUPT, A_VALUES + 24, "bool is neither 0 nor 1"),
    ARRAYS("an int, not a bool", A_TYPES + 3, 1, 1, BO_OK, 0, NULL),
    ARRAYS("unknown type", A_TYPES + 4, 1, 6, BO_CORRUPT, A_VALUES + 32, "unknown type"),
    ARRAYS("first is not 0", A_FIRST, 1, 1, BO_CORRUPT, A_FIRST, NOT_ALL),
    ARRAYS("last is not all", A_FIRST + 12, 1, 4, BO_CORRUPT, A_FIRST, NOT_ALL),
    ARRAYS("timeline of none", A_FIRST + 4, 1, 0, BO_CORRUPT, A_FIRST + 4,
           "timeline without an interval"),
    ARRAYS("timeline beyond all", A_FIRST + 4, 4, UINT32_MAX, BO_CORRUPT, A_FIRST + 4,
           "timeline without an interval"),
    ARRAYS("timelines that descend", A_FIRST + 8, 1, 1, BO_CORRUPT, A_FIRST + 8,
           "timeline without an interval"),
    ARRAYS("its own parent", A_PARENTS + 4, 1, 1, BO_CORRUPT, A_PARENTS + 4,
           "parent is not a smaller quark"),
    ARRAYS("a later parent", A_PARENTS, 4, 1, BO_CORRUPT, A_PARENTS,
           "parent is not a smaller quark"),
    ARRAYS("another parent", A_PARENTS + 8, 1, 1, BO_OK, 0, NULL),
    ARRAYS("name ends beyond", A_NAME_ENDS + 4, 1, 4, BO_CORRUPT, A_NAME_ENDS + 4, ENDS),
    ARRAYS("name ends before", A_NAME_ENDS + 4, 1, 0, BO_CORRUPT, A_NAME_ENDS + 4, ENDS),
    ARRAYS("last name is short", A_NAME_ENDS + 8, 1, 2, BO_CORRUPT, A_STRING_ENDS,
           "bytes after the last text"),
    ARRAYS("string ends beyond", A_STRING_ENDS, 4, UINT32_MAX, BO_CORRUPT, A_STRING_ENDS, ENDS),
    ARRAYS("last string is short", A_STRING_ENDS + 4, 1, 1, BO_CORRUPT, A_TYPES,
           "bytes after the last text"),
    ARRAYS("name of a sibling", A_NAMES + 2, 1, 'b', BO_CORRUPT, A_PARENTS + 8,
           "name of a sibling"),
    ARRAYS("name with a NUL", A_NAMES + 1, 1, 0, BO_CORRUPT, A_PARENTS + 4, "name holds a NUL"),
    ARRAYS("name that is not UTF-8", A_NAMES + 1, 1, 0xff, BO_CORRUPT, A_PARENTS + 4,
           "name is not UTF-8"),
    ARRAYS("string that is not UTF-8", A_STRINGS, 1, 0xff, BO_CORRUPT, A_STRINGS,
           "string is not UTF-8"),
    ARRAYS("string twice", A_STRINGS + 1, 1, 'x', BO_CORRUPT, A_STRING_ENDS + 4,
           "duplicate string"),
};

TEST_WITH(test_arrays, set_up, tear_down)
{
    assert_int_equal(encode_text("arrays", arrays_text).n, A_END);
    expect_patches(arrays_text, arrays_patches, N_ELEMENTS(arrays_patches));
}

TEST_FILE(NULL, NULL)
