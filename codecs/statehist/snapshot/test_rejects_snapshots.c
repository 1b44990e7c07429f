/*
 * Bad snapshots: each is refused, by open and by decode, with its status, its byte and its reason.
 * Why: state.json and today's file are written by other programs; a packed one is bits in which all
 * that follows moves.
 *
 * In each text of JSON an @ marks the byte after it as the one that the error names.
 */
#include "codecs/statehist/test_rejects.h"

/* ---- state.json ------------------------------------------------------------------------------ */

#define STATE(values) "{\"format\":\"tc-state\",\"version\":1,\"time\":5,\"values\":" values "}"
#define LATE "state began after the snapshot"
#define AFTER_MEMBER "neither , nor } after a member"
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
    {"int", V("\"value\":@true"), BO_CORRUPT, "value is not an integer"},
    {"int", V("\"value\":@-17.23"), BO_CORRUPT, "integer has a fraction or an exponent"},
    {"int", V("\"value\":@1e2"), BO_CORRUPT, "integer has a fraction or an exponent"},
    {"int", V("\"value\":@-0"), BO_CORRUPT, "value is not an integer"},
    {"int", V("\"value\":@+1"), BO_CORRUPT, "value is not an integer"},
    {"int", V("\"value\":@\"1\""), BO_CORRUPT, "value is not an integer"},
    {"int", V("\"value\":@[1]"), BO_CORRUPT, "expected a value"},
    {"int", V("\"value\":2147483647"), BO_OK, NULL},
    {"int", V("\"value\":@-2147483649"), BO_CORRUPT, "integer out of range"},
    {"int", V("\"value\":7@x"), BO_CORRUPT, AFTER_MEMBER},
    {"int", V("\"value\":null@7"), BO_CORRUPT, AFTER_MEMBER},
    {"long", V("\"value\":-9223372036854775808"), BO_OK, NULL},
    {"long", V("\"value\":9223372036854775807"), BO_OK, NULL},
    {"long", V("\"value\":@9223372036854775808"), BO_CORRUPT, "integer out of range"},
    {"double", V("\"value\":0.1"), BO_OK, NULL},
    {"double", V("\"value\":-0.0"), BO_OK, NULL},
    {"double", V("\"value\":1E+2"), BO_OK, NULL},
    {"double", V("\"value\":\"NaN\""), BO_OK, NULL},
    {"double", V("\"value\":\"-Infinity\""), BO_OK, NULL},
    {"double", V("\"value\":10.0e0"), BO_OK, NULL},
    {"double", V("\"value\":9e-9"), BO_OK, NULL},
    {"double", V("\"value\":@-"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@-.5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1.e5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1e+"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1.5.5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1.5e5e5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@true"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":1.5@x"), BO_CORRUPT, AFTER_MEMBER},
    {"double", V("\"value\":@1"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1."), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@.5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@01.5"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1.5e"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@\"nan\""), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":\"@\001\""), BO_CORRUPT, "control character in a string"},
    {"double", V("\"value\":@NaN"), BO_CORRUPT, "value is not a double"},
    {"double", V("\"value\":@1e999"), BO_CORRUPT, "double is out of range, or very long"},
    {"string", V("\"value\":\"a\\u0000\\ud83d\\ude00\\n\""), BO_OK, NULL},
    {"string", V("\"value\":@7"), BO_CORRUPT, "not a string"},
    {"bool", V("\"value\":true"), BO_OK, NULL},
    {"bool", V("\"value\":false"), BO_OK, NULL},
    {"bool", V("\"value\":@tru"), BO_CORRUPT, "value is not of its type"},
    {"bool", V("\"value\":true@e"), BO_CORRUPT, AFTER_MEMBER},
    {"bool", V("\"value\":@1"), BO_CORRUPT, "value is not of its type"},
    {"none", V("\"value\":null"), BO_OK, NULL},
    {"none", V("\"value\":@0"), BO_CORRUPT, "value is not of its type"},
    {"any", V("\"value\":7,\"type\":\"long\""), BO_OK, NULL},
    {"variant", V("\"value\":null,\"type\":\"none\""), BO_OK, NULL},
    {"any", STATE("[{\"key\":@0,\"value\":7}]"), BO_CORRUPT,
     "value has no type, and its quark declares none"},
    {"any", V("\"value\":@null,\"type\":\"long\""), BO_CORRUPT, "value is not an integer"},
    {"any", V("\"value\":7,\"type\":@\"any\""), BO_UNSUPPORTED, "unknown type"},
    {"int", V("\"value\":7,\"type\":@\"int\""), BO_CORRUPT,
     "value has a type, but the type of its quark is declared"},
    {"int", V("\"value\":7,\"since\":5"), BO_OK, NULL},
    {"int", V("\"value\":7,\"since\":@6"), BO_CORRUPT, LATE},
    {"int", STATE("[@]"), BO_CORRUPT, "a key has no value"},
    {"int", STATE("@{}"), BO_CORRUPT, "not a list"},
    {"int", STATE("[@0]"), BO_CORRUPT, "not an object"},
    {"int", V("\"value\":7,\"type\":@int"), BO_CORRUPT, "not a string"},
    {"int", V("\"value\":7,\"since\":@true"), BO_CORRUPT, "value is not an integer"},
    {"int", V("\"value\":7,\"since\":-9223372036854775808"), BO_OK, NULL},
    {"int", STATE("[{\"key\":0,\"value\":7},{\"key\":@0,\"value\":7}]"), BO_CORRUPT,
     "duplicate key"},
    {"int", STATE("[{\"key\":@1,\"value\":7}]"), BO_CORRUPT, "key is not a quark of this snapshot"},
    {"int", STATE("[{\"key\":0@}]"), BO_CORRUPT, "a member is missing"},
    {"int", "{\"format\":\"tc-state\",\"version\":1,\"values\":[{\"key\":0,\"value\":7}]@}",
     BO_CORRUPT, "a member is missing"},
    {"int", "{\"format\":@\"tc-types\",\"version\":1}", BO_UNSUPPORTED, "another format"},
};

TEST_WITH(test_state_json, set_up, tear_down)
{
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

/* Of states that began after the snapshot, the first of the latest ones is named. */
TEST_WITH(test_since, set_up, tear_down)
{
    static const struct marked_mistake cases[] = {
        {STATE("[{\"key\":0,\"value\":null,\"since\":5},{\"key\":1,\"value\":null,\"since\":4}]"),
         BO_OK, NULL},
        {STATE("[{\"key\":0,\"value\":null,\"since\":@6},{\"key\":1,\"value\":null,\"since\":5}]"),
         BO_CORRUPT, LATE},
        {STATE("[{\"key\":0,\"value\":null,\"since\":5},{\"key\":1,\"value\":null,\"since\":@6}]"),
         BO_CORRUPT, LATE},
        {STATE("[{\"key\":0,\"value\":null,\"since\":@6},{\"key\":1,\"value\":null,\"since\":6}]"),
         BO_CORRUPT, LATE},
        {STATE("[{\"key\":0,\"value\":null,\"since\":6},{\"key\":1,\"value\":null,\"since\":@7}]"),
         BO_CORRUPT, LATE},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct text text = unmarked(cases[i].text);
        size_t offs[3];
        const struct bo_span files[] = {
            BYTES(TYPES("[{\"key\":0,\"type\":\"int\"},{\"key\":1,\"type\":\"int\"}]")),
            BYTES(TREE("{\"children\":{\"a\":{\"key\":0},\"b\":{\"key\":1}}}")),
            {(const uint8_t *)text.p, text.n}};
        const struct bo_span set = join(files, 3, offs);
        expect_refusal("snapshot-json", cases[i].text, set, cases[i].status, offs[2] + text.mark,
                       cases[i].what);
    }
}

/* ---- today's snapshot ------------------------------------------------------------------------ */

#define TODAY(attributes, end)                                                              \
    "{\"snapshot_format_version\":1,\"ssid\":\"x\",\"snapshot_version\":3,\"timestamp\":0," \
    "\"attributes\":[" attributes "],\"fEndTime\":" end ",\"fStartTime\":5}"
#define A(path, quark, type) AT(path, "5", "-9223372036854775808", quark, type)
#define AT(path, start, end, quark, type)                                                \
    "{\"Path\":" path ",\"Value\":{\"start\":" start ",\"end\":" end ",\"quark\":" quark \
    ",\"type\":" type "}}"
#define WITH(members) "{\"Path\":[\"a\"],\"Value\":{" members "@}}"
#define MISSING "a member is missing"
#define D(value) A("[\"a\"]", "0", "\"java.lang.Double\",\"value\":" value)
#define INTEGER "\"java.lang.Integer\",\"value\":7"

static const struct marked_mistake today_cases[] = {
    {TODAY("", "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "\"null\"") "," A("[\"a\",\"b\"]", "1", INTEGER), "5"), BO_OK, NULL},
    {TODAY(AT("[\"a\"]", "5", "5", "0", "\"java.lang.Double\",\"value\":NaN"), "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "\"java.lang.Double\",\"value\":-Infinity"), "5"), BO_OK, NULL},
    {TODAY(A("[\"a\"]", "0", "@\"null\",\"value\":7"), "5"), BO_CORRUPT, "null has a value"},
    {TODAY(A("[\"a\"]", "0", "@\"java.lang.Long\""), "5"), BO_CORRUPT, "class without a value"},
    {TODAY(A("[\"a\"]", "0", "@\"java.lang.Short\",\"value\":7"), "5"), BO_UNSUPPORTED,
     "unknown class of a value"},
    {TODAY(A("[\"a\"]", "0", "\"java.lang.Integer\",\"value\":@2147483648"), "5"), BO_CORRUPT,
     "integer out of range"},
    {TODAY(A("[\"a\"]", "@1", INTEGER), "5"), BO_UNSUPPORTED,
     "attributes are not in the order of their quarks"},
    {TODAY(A("[\"a\"]", "0", INTEGER) "," A("[@\"a\"]", "1", INTEGER), "5"), BO_CORRUPT,
     "path occurs twice"},
    {TODAY(WITH("\"end\":5,\"quark\":0,\"type\":\"null\""), "5"), BO_CORRUPT, MISSING},
    {TODAY(WITH("\"start\":5,\"quark\":0,\"type\":\"null\""), "5"), BO_CORRUPT, MISSING},
    {TODAY(WITH("\"start\":5,\"end\":5,\"type\":\"null\""), "5"), BO_CORRUPT, MISSING},
    {TODAY(WITH("\"start\":5,\"end\":5,\"quark\":0"), "5"), BO_CORRUPT, MISSING},
    {TODAY(A("[\"a\"]", "0", INTEGER " @8"), "5"), BO_CORRUPT, "neither , nor } after a member"},
    {TODAY(A("[@\"a\",\"b\"]", "0", INTEGER), "5"), BO_UNSUPPORTED,
     "path contains a name that is not an earlier attribute"},
    {TODAY(A("[@]", "0", INTEGER), "5"), BO_CORRUPT, "path without a name"},
    {TODAY(A("[@\"\\u0000\"]", "0", INTEGER), "5"), BO_CORRUPT, "name holds a NUL"},
    {TODAY(AT("[\"a\"]", "@4", "-9223372036854775808", "0", INTEGER), "5"), BO_CORRUPT,
     "start of an interval differs from the snapshot's"},
    {TODAY(AT("[\"a\"]", "5", "@6", "0", INTEGER), "5"), BO_CORRUPT,
     "end is neither open nor the time of the snapshot"},
    {TODAY(D("-1.5"), "5"), BO_OK, NULL},
    {TODAY(D("Infinity"), "5"), BO_OK, NULL},
    {TODAY(D("@Nan"), "5"), BO_CORRUPT, "value is not a double"},
    {TODAY(D("@Infinite"), "5"), BO_CORRUPT, "value is not a double"},
    {TODAY(D("@-Infinitx"), "5"), BO_CORRUPT, "value is not a double"},
    {TODAY(D("@-infinity"), "5"), BO_CORRUPT, "value is not a double"},
    {TODAY(D("@\"NaN\""), "5"), BO_CORRUPT, "value is not a double"},
    {TODAY(D("NaN@1"), "5"), BO_CORRUPT, AFTER_MEMBER},
    {TODAY("@0", "5"), BO_CORRUPT, "not an object"},
    {TODAY(A("@\"a\"", "0", INTEGER), "5"), BO_CORRUPT, "not a list"},
    {TODAY(A("[@0]", "0", INTEGER), "5"), BO_CORRUPT, "not a string"},
    {TODAY("{\"Path\":[\"a\"],\"Value\":@[]}", "5"), BO_CORRUPT, "not an object"},
    {TODAY("{\"Path\":[\"a\"]@}", "5"), BO_CORRUPT, MISSING},
    {"{\"attributes\":@{}}", BO_CORRUPT, "not a list"},
    {"{\"ssid\":@1}", BO_CORRUPT, "not a string"},
    {"{\"timestamp\":2147483647,\"snapshot_version\":-2147483648@}", BO_CORRUPT, MISSING},
    {"{\"timestamp\":@2147483648}", BO_CORRUPT, "integer out of range"},
    {"{\"snapshot_version\":@-2147483649}", BO_CORRUPT, "integer out of range"},
    {"{\"snapshot_format_version\":@2}", BO_UNSUPPORTED, "unknown version"},
    {TODAY("", "@6"), BO_UNSUPPORTED, "snapshot of more than one instant"},
};

TEST_WITH(test_todays_snapshot, set_up, tear_down)
{
    for (size_t i = 0; i < N_ELEMENTS(today_cases); i++) {
        const struct text text = unmarked(today_cases[i].text);
        expect_refusal("snapshot-today", today_cases[i].text,
                       (struct bo_span){(const uint8_t *)text.p, text.n}, today_cases[i].status,
                       text.mark, today_cases[i].what);
    }
}

/* ---- the packed snapshot --------------------------------------------------------------------- */

static const char packed_text[] = HISTORY(5, 5) "Q\t0\t-1\tThreads\nQ\t1\t0\t7\nQ\t2\t0\t9\n"
                                                "Q\t3\t2\tname\nQ\t4\t2\ton\nQ\t5\t2\tprio\n"
                                                "I\t0\t5\t5\tn\t\nI\t1\t5\t5\ti\t2\n"
                                                "I\t2\t5\t5\ti\t-3\nI\t3\t5\t5\ts\tab\n"
                                                "I\t4\t5\t5\tb\ttrue\nI\t5\t5\t5\ts\tcd\n";

static const char packed_file[] =
    "TSP1\x05\0\0\0\0\0\0\0"                /* 0: magic, time */
    "\x06\x05"                              /* 12: 6 quarks, 5 with a value */
    "\x02\x00\x00\x02\x01\x04"              /* 14: 2 ints, 2 strings of 4 bytes, a bool */
    "\x01\x00\x00\x02\xc0\x03"              /* 20: quarks 1 to 5, as a bitmap */
    "\xfd\xff\xff\xff\x07\0\0\x02\x41\x02"  /* 26: -3 and 2, a low bit and a high one */
    "\x02\0\0\x02\x00\x01"                  /* 36: where strings end: 2 and 4, plus 0 and 1 */
    "\x01"                                  /* 42: true */
    "abcd"                                  /* 43 */
    "\x81\x38"                              /* 47: codes of three bits: 1, 0, 2, 4, 3 */
    "\x04\x07Threads\x04name\x02on\x04prio" /* 49: names */
    "\x88\x80\x0f\x47\xc2\x40"              /* 71: the tree */
    /* 77: margin */
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

#define PACKED(row, at, nbytes, bytes, status, off, what)            \
    {                                                                \
        "snapshot-packed", row, at, nbytes, bytes, status, off, what \
    }
static const struct patch packed_patches[] = {
    PACKED("another magic", 3, 1, '2', BO_CORRUPT, 0,
           "magic number is not that of snapshot-packed"),
    PACKED("another time", 4, 8, INT64_MIN, BO_OK, 0, NULL),
    PACKED("fewer quarks than values", 12, 1, 4, BO_CORRUPT, 20, "counts contradict each other"),
    PACKED("a quark more", 12, 1, 7, BO_CORRUPT, 77, "tree ends too early"),
    PACKED("a quark less", 12, 1, 5, BO_CORRUPT, 20,
           "list does not ascend, or exceeds its maximum"),
    PACKED("2^32 - 1 quarks", 12, 5, 0x0fffffffff, BO_CORRUPT, 24, "counts contradict each other"),
    PACKED("2^32 quarks", 12, 5, 0x1080808080, BO_CORRUPT, 12, "varint overflows its type"),
    /* Of 77 bytes before the margin; the number is a byte longer, and moves what follows. */
    PACKED("8 quarks a byte", 12, 8, 0x01020000020504e8, BO_TRUNCATED, 26,
           "list runs past its section's end"),
    PACKED("a quark more than that", 12, 8, 0x01020000020504e9, BO_CORRUPT, 21,
           "counts contradict each other"),
    PACKED("more values than quarks", 13, 1, 7, BO_CORRUPT, 20, "counts contradict each other"),
    PACKED("more codes than values", 14, 1, 3, BO_CORRUPT, 20, "counts contradict each other"),
    PACKED("2^32 - 1 doubles", 16, 5, 0x0fffffffff, BO_CORRUPT, 24, "counts contradict each other"),
    PACKED("as many bytes of strings as bytes", 19, 1, 77, BO_TRUNCATED, 43,
           "file ends inside the strings"),
    PACKED("more bytes of strings than bytes", 19, 1, 78, BO_CORRUPT, 20,
           "counts contradict each other"),
    PACKED("a string of one byte more", 19, 1, 5, BO_CORRUPT, 43, "bytes after the last string"),
    PACKED("a string of one byte less", 19, 1, 3, BO_CORRUPT, 43, "bytes after the last string"),
    PACKED("a string of two bytes less", 19, 1, 2, BO_CORRUPT, 36,
           "list does not ascend, or exceeds its maximum"),
    PACKED("other quarks", 20, 1, 0, BO_OK, 0, NULL),
    PACKED("quark beyond the tree", 20, 1, 2, BO_CORRUPT, 20,
           "list does not ascend, or exceeds its maximum"),
    PACKED("bases of 65 bits", 21, 1, 65, BO_CORRUPT, 21, "list has fields of too many bits"),
    PACKED("body that runs on", 23, 1, 0x7f, BO_TRUNCATED, 24, "list runs past its section's end"),
    PACKED("a bitmap without ones", 24, 2, 0, BO_CORRUPT, 20,
           "list does not ascend, or exceeds its maximum"),
    PACKED("the largest int", 26, 5, 0x0ffffffffa, BO_OK, 0, NULL),
    PACKED("an int of more than 32 bits", 26, 5, 0x0ffffffffb, BO_CORRUPT, 26,
           "value does not fit its type"),
    PACKED("an int of more than 32 bits", 30, 1, 0x0f, BO_CORRUPT, 26,
           "value does not fit its type"),
    PACKED("strings of other lengths", 36, 1, 1, BO_CORRUPT, 43, "bytes after the last string"),
    PACKED("bool of 2", 42, 1, 2, BO_CORRUPT, 42, "value does not fit its type"),
    PACKED("string that is not UTF-8", 43, 1, 0xff, BO_CORRUPT, 26, "string is not UTF-8"),
    PACKED("character across two strings", 44, 2, 0xa4c3, BO_CORRUPT, 26, "string is not UTF-8"),
    PACKED("string twice", 45, 2, 0x6261, BO_CORRUPT, 26, "duplicate string"),
    PACKED("a code of none", 47, 1, 0x87, BO_CORRUPT, 47, "value code is out of range"),
    PACKED("a value of none", 47, 1, 0x80, BO_CORRUPT, 47, "a value has no attribute"),
    PACKED("strings the other way round", 47, 2, 0x28c1, BO_CORRUPT, 47,
           "strings are not in the order of their first use"),
    PACKED("bits after the codes", 48, 1, 0xb8, BO_CORRUPT, 47, "bits after the codes are not 0"),
    PACKED("more names than bytes", 49, 1, 0x7f, BO_CORRUPT, 50, "more names than bytes"),
    PACKED("name that runs on", 50, 1, 0x7f, BO_TRUNCATED, 51, "name runs past the tree's end"),
    PACKED("name that is not UTF-8", 51, 1, 0xff, BO_CORRUPT, 49, "name is not UTF-8"),
    PACKED("name with a NUL", 51, 1, 0, BO_CORRUPT, 49, "name holds a NUL"),
    PACKED("name of a sibling", 67, 4, 0x656d616e, BO_CORRUPT, 66, "name occurs twice"),
    PACKED("bits after the tree", 76, 1, 0xc0, BO_CORRUPT, 77, "bits after the tree are not 0"),
    PACKED("margin", 124, 1, 1, BO_CORRUPT, 124, "margin is not 0"),
    PACKED("cut before its margin", 124, 0, 0, BO_CORRUPT, 76, "margin is not 0"),
    PACKED("cut in its head", 59, 0, 0, BO_TRUNCATED, 4, "file ends inside the head"),
    PACKED("cut in its counts", 65, 0, 0, BO_TRUNCATED, 17, "varint runs past the end"),
    PACKED("cut before its codes", 95, 0, 0, BO_TRUNCATED, 47, "file ends inside the codes"),
    PACKED("cut in its codes", 96, 0, 0, BO_TRUNCATED, 47, "file ends inside the codes"),
    PACKED("cut after its codes", 97, 0, 0, BO_CORRUPT, 49, "margin is not 0"),
    PACKED("cut in its margin alone", 47, 0, 0, BO_TRUNCATED, 47, "file ends inside the margin"),
};

/* What the first one has none of: numbers of all other types, and long names that are numbers. */
static const char numbers_text[] = HISTORY(5, 5) "Q\t0\t-1\ta\nQ\t1\t0\t999999999\n"
                                                 "Q\t2\t0\t999999998\nQ\t3\t2\td\n"
                                                 "I\t0\t5\t5\tl\t-1\nI\t1\t5\t5\tl\t5\n"
                                                 "I\t2\t5\t5\td\t1.5\nI\t3\t5\t5\tb\tfalse\n";

static const char numbers_file[] =
    "TSP1\x05\0\0\0\0\0\0\0"               /* 0: magic, time */
    "\x04\x04\x00\x02\x01\x00\x01\x00"     /* 12: 4 quarks with values; 2 longs, a double, a bool */
    "\x00\x00\x00\x02\xc0\x01"             /* 20: quarks 0 to 3 */
    "\xff\xff\xff\xff\xff\xff\xff\xff\x7f" /* 26: the long -1 */
    "\x00\x00\x02\x82\x02"                 /* 35: 6 above it, the long 5 */
    "\x80\x80\x80\x80\x80\x80\x80\xfc\x3f" /* 40: the bits of 1.5 */
    "\x00"                                 /* 49: false */
    "\xe4"                                 /* 50: codes of two bits: 0, 1, 2, 3 */
    "\x02\x01"
    "a\x01"
    "d"                                    /* 51: names */
    "\x48\x00\x00\x00\x00\xff\x27\x6b\xee" /* 56: the tree */
    "\x00\x00\x00\xc0\xfe\xc9\x9a\x5b\x02"
    /* 74: margin */
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

static const struct patch numbers_patches[] = {
    PACKED("other longs", 26, 1, 0xfe, BO_OK, 0, NULL),
    PACKED("a block that starts elsewhere", 35, 5, 0x0505020001, BO_CORRUPT, 38,
           "first block of a list does not start at 0"),
    PACKED("true", 49, 1, 1, BO_OK, 0, NULL),
    PACKED("a number of 31 bits", 61, 1, 0xfe, BO_CORRUPT, 65, "number has more than nine digits"),
    PACKED("a number of 32 bits", 61, 1, 0xfc, BO_CORRUPT, 61, "tree ends too early"),
    PACKED("name of ten digits", 69, 2, 0xca00, BO_CORRUPT, 72, "number has more than nine digits"),
};

static void expect_packed(const char *text, const char *file, size_t nbytes)
{
    const struct bo_span encoded = encode_text("snapshot-packed", text);
    assert_int_equal(encoded.n, nbytes);
    assert_memory_equal(encoded.p, file, nbytes);
}

TEST_WITH(test_packed_snapshot, set_up, tear_down)
{
    expect_packed(packed_text, packed_file, sizeof packed_file);
    expect_packed(numbers_text, numbers_file, sizeof numbers_file);
    expect_patches(packed_text, packed_patches, N_ELEMENTS(packed_patches));
    expect_patches(numbers_text, numbers_patches, N_ELEMENTS(numbers_patches));
}

/* Nothing that is cut is taken for a snapshot, nor one with a byte after it. */
TEST_WITH(test_cut_packed_snapshot, set_up, tear_down)
{
    uint8_t longer[sizeof packed_file + 1] = {0};
    const struct bo_codec *codec = bo_find_codec(format, "snapshot-packed");
    memcpy(longer, packed_file, sizeof packed_file);
    for (size_t n = 0; n <= sizeof longer; n++) {
        struct bo_error error = {0};
        void *reader;
        const enum bo_status status =
            codec->open(codec, (struct bo_span){longer, n}, &arena, &reader, &error);
        assert_int_equal(status == BO_OK, n == sizeof packed_file);
        assert_int_equal(error.status, status);
    }
}

TEST_FILE(NULL, NULL)
