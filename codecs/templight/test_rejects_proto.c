/*
 * Bad traces: for each, the status, the byte and the phrase that every reader must answer with.
 * Why: readers in the field hang on truncated files, crash on entries that refer to later ones,
 * read past tables on bad ids, and expand what fills all memory.
 */
#include "codecs/templight/test_model.h"
#include "harness/check/check.h"

/* Fields of a trace: a dictionary entry of a letter, a Begin of a dictionary entry, an End. */
#define LEAF(letter) "\x1a\x03\x0a\x01" letter
#define BEGIN(id) "\x12\x08\x0a\x06\x08\0\x12\x02\x18" id
#define END "\x12\x02\x12\0"
/* A trace's tag, a length of less than 128, the header of version 1; what follows starts at 6. */
#define HEADER "\x0a\x02\x08\x01"
enum { BODY = 6 };

/* A row says what the body of a trace holds, from byte 6 on. */
struct test_case {
    const char *row;
    struct bo_span body;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

#define ROW(row, literal, status, off, what)    \
    {                                           \
        row, BYTES(literal), status, off, what, \
    }
#define GOOD(row, literal)                   \
    {                                        \
        row, BYTES(literal), BO_OK, 0, NULL, \
    }

#define PAST_END "length runs past the end"
#define BAD_WIRE "wire type is a group or unknown"
#define OTHER_WIRE "wire type does not match the field"
#define NOT_U32 "number does not fit 32 bits"
#define PARTS "message in more than one part"

/* ---- the dictionary -------------------------------------------------------------------------- */

static const struct test_case dictionary_cases[] = {
    GOOD("nothing", ""),
    GOOD("a name", LEAF("a") BEGIN("\0") END),
    GOOD("an entry that nobody uses", LEAF("a") LEAF("b") BEGIN("\x01")),
    GOOD("two entries of one name", LEAF("a") LEAF("a") BEGIN("\x01") BEGIN("\0")),
    GOOD("an empty name", "\x1a\x02\x0a\0" BEGIN("\0")),
    GOOD("invalid UTF-8", "\x1a\x05\x0a\x03\xff\xfe\xc3" BEGIN("\0")),
    GOOD("ids before the text", LEAF("a") "\x1a\x05\x10\0\x0a\x01\0" BEGIN("\x01")),
    GOOD("the last text counts", LEAF("a") "\x1a\x08\x0a\x01x\x10\0\x0a\x01\0" BEGIN("\x01")),
    GOOD("packed ids", LEAF("a") "\x1a\x08\x0a\x02\0\0\x12\x02\0\0" BEGIN("\x01")),
    GOOD("packed ids and others",
         LEAF("a") "\x1a\x0b\x0a\x02\0\0\x12\x01\0\x10\0\x12\0" BEGIN("\x01")),
    ROW("refers to later ones", "\x1a\x0a\x0a\x04\0<\0>\x10\x01\x10\x02" BEGIN("\0"), BO_CORRUPT,
        15, "dictionary entry refers to a later one"),
    ROW("refers to itself", "\x1a\x05\x0a\x01\0\x10\0" BEGIN("\0"), BO_CORRUPT, 12,
        "dictionary entry refers to itself"),
    ROW("too few ids", LEAF("a") "\x1a\x07\x0a\x03\0,\0\x10\0" BEGIN("\x01"), BO_CORRUPT, 11,
        "dictionary entry has more markers than ids"),
    ROW("too few ids, in an entry that another one has",
        LEAF("a") "\x1a\x07\x0a\x03\0,\0\x10\0\x1a\x08\x0a\x02\0\0\x10\x01\x10\0" BEGIN("\x02"),
        BO_CORRUPT, 11, "dictionary entry has more markers than ids"),
    ROW("a NUL in a leaf", "\x1a\x05\x0a\x03x\0y", BO_CORRUPT, 6,
        "dictionary entry has more markers than ids"),
    ROW("too many ids", LEAF("a") "\x1a\x09\x0a\x01\0\x10\0\x10\0\x10\0", BO_CORRUPT, 19,
        "dictionary entry has more ids than markers"),
    ROW("the last id of 32 bits", LEAF("a") "\x1a\x09\x0a\x01\0\x10\xff\xff\xff\xff\x0f",
        BO_CORRUPT, 17, "dictionary entry refers to a later one"),
    ROW("an id of 33 bits", LEAF("a") "\x1a\x09\x0a\x01\0\x10\x80\x80\x80\x80\x10", BO_CORRUPT, 17,
        NOT_U32),
    ROW("a packed id of 33 bits", LEAF("a") "\x1a\x0a\x0a\x01\0\x12\x05\x80\x80\x80\x80\x10",
        BO_CORRUPT, 18, NOT_U32),
    ROW("packed ids end early", LEAF("a") "\x1a\x06\x0a\x01\0\x12\x01\x80", BO_CORRUPT, 18,
        "varint runs past the end"),
    ROW("ids of 8 bytes", "\x1a\x0c\x0a\x01\0\x11\0\0\0\0\0\0\0\0", BO_CORRUPT, 11, OTHER_WIRE),
    ROW("no text", "\x1a\0", BO_CORRUPT, 6, "dictionary entry has no text"),
    ROW("text that is a number", "\x1a\x02\x08\x01", BO_CORRUPT, 8, OTHER_WIRE),
    ROW("name 77 of 1", LEAF("a") BEGIN("\x4d"), BO_CORRUPT, 20,
        "name refers to a dictionary entry that does not precede it"),
    ROW("name 2^40", "\x12\x0d\x0a\x0b\x08\0\x12\x07\x18\x80\x80\x80\x80\x80\x20", BO_CORRUPT, 15,
        NOT_U32),
    ROW("names after the entries that use them", BEGIN("\0") LEAF("a"), BO_CORRUPT, 15,
        "name refers to a dictionary entry that does not precede it"),
    ROW("a text of 2^45 bytes", "\x1a\x08\x0a\x80\x80\x80\x80\x80\x80\x08", BO_CORRUPT, 9,
        PAST_END),
    ROW("an entry of 2^50 bytes", "\x1a\x80\x80\x80\x80\x80\x80\x80\x02", BO_CORRUPT, 7, PAST_END),
    ROW("a text longer than its entry", "\x1a\x03\x0a\x02x" LEAF("a"), BO_CORRUPT, 9, PAST_END),
};

/* ---- records --------------------------------------------------------------------------------- */

/* A Begin of kind 0 and name "", of less than 128 bytes. */
#define BEGIN_WITH(entry_nbytes, begin_nbytes, fields) \
    "\x12" entry_nbytes "\x0a" begin_nbytes "\x08\0\x12\x02\x0a\0" fields

static const struct test_case record_cases[] = {
    GOOD("an end without a begin", END),
    GOOD("a begin without an end", LEAF("a") BEGIN("\0")),
    GOOD("a name in the record", BEGIN_WITH("\x08", "\x06", "")),
    GOOD("the last form of a name counts", LEAF("a") "\x12\x0a\x0a\x08\x08\0\x12\x04\x0a\0\x18\0"),
    GOOD("an unknown kind", "\x12\x08\x0a\x06\x08\x63\x12\x02\x0a\0"),
    GOOD("unknown fields of a begin", BEGIN_WITH("\x10", "\x0e", "\x78\x01\x7a\x01x\xa2\x06\0")),
    ROW("both a begin and an end", BEGIN_WITH("\x0a", "\x06", "") "\x12\0", BO_CORRUPT, 8,
        "entry is both a begin and an end"),
    ROW("neither", "\x12\x02\x18\0", BO_CORRUPT, 8, "entry is neither a begin nor an end"),
    ROW("nothing in an entry", "\x12\0" END, BO_CORRUPT, 8, "entry is neither a begin nor an end"),
    ROW("two begins", BEGIN_WITH("\x10", "\x06", "") "\x0a\x06\x08\0\x12\x02\x0a\0", BO_UNSUPPORTED,
        16, PARTS),
    ROW("a begin without a kind", "\x12\x06\x0a\x04\x12\x02\x0a\0", BO_CORRUPT, 10,
        "begin has no kind"),
    ROW("a begin without a name", "\x12\x04\x0a\x02\x08\0", BO_CORRUPT, 10, "begin has no name"),
    ROW("a name of nothing", "\x12\x06\x0a\x04\x08\0\x12\0", BO_CORRUPT, 14,
        "name is neither a text nor an id"),
    ROW("two names", BEGIN_WITH("\x0c", "\x0a", "\x12\x02\x0a\0"), BO_UNSUPPORTED, 16, PARTS),
    ROW("a NUL in a name", "\x12\x0b\x0a\x09\x08\0\x12\x05\x0a\x03x\0y", BO_CORRUPT, 17,
        "text holds a NUL"),
    ROW("a compressed name", "\x12\x09\x0a\x07\x08\0\x12\x03\x12\x01x", BO_UNSUPPORTED, 16,
        "name is compressed on its own"),
    ROW("a kind of 33 bits", "\x12\x0c\x0a\x0a\x08\x80\x80\x80\x80\x10\x12\x02\x0a\0", BO_CORRUPT,
        11, NOT_U32),
    ROW("a kind of text", "\x12\x08\x0a\x06\x0a\0\x12\x02\x0a\0", BO_CORRUPT, 10, OTHER_WIRE),
    ROW("a time that is a varint", BEGIN_WITH("\x0a", "\x08", "\x20\0"), BO_CORRUPT, 16,
        OTHER_WIRE),
    ROW("a time that ends early", "\x12\x06\x12\x04\x09xyz", BO_CORRUPT, 11,
        "number runs past the end"),
    ROW("memory of 8 bytes", "\x12\x0b\x12\x09\x11\0\0\0\0\0\0\0\0", BO_CORRUPT, 10, OTHER_WIRE),
    ROW("memory in 11 bytes", "\x12\x0e\x12\x0c\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        BO_CORRUPT, 11, "varint does not fit 64 bits"),
    ROW("memory of 65 bits", "\x12\x0d\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
        BO_CORRUPT, 11, "varint does not fit 64 bits"),
    GOOD("memory of 64 bits", "\x12\x0d\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    GOOD("a padded number", "\x12\x05\x12\x03\x10\x81\0"),
};

static const struct test_case location_cases[] = {
    GOOD("a file and its next use",
         BEGIN_WITH("\x1b", "\x19",
                    "\x1a\x09\x0a\x01x\x10\0\x18\x01\x20\x02\x32\x06\x10\0\x18\x03\x20\x04")),
    GOOD("no column", BEGIN_WITH("\x11", "\x0f", "\x1a\x07\x0a\x01x\x10\0\x18\x01")),
    GOOD("an origin alone", BEGIN_WITH("\x11", "\x0f", "\x32\x07\x0a\x01x\x10\0\x18\x01")),
    GOOD("an empty file's name", BEGIN_WITH("\x10", "\x0e", "\x1a\x06\x0a\0\x10\0\x18\x01")),
    GOOD("a name said again",
         BEGIN_WITH("\x1a", "\x18",
                    "\x1a\x07\x0a\x01x\x10\0\x18\x01\x32\x07\x0a\x01x\x10\0\x18\x01")),
    GOOD("two ids of one name",
         BEGIN_WITH("\x1a", "\x18",
                    "\x1a\x07\x0a\x01x\x10\0\x18\x01\x32\x07\x0a\x01x\x10\x01\x18\x01")),
    GOOD("a line of 32 bits",
         BEGIN_WITH("\x15", "\x13", "\x1a\x0b\x0a\x01x\x10\0\x18\x85\x80\x80\x80\x08")),
    ROW("a line of 33 bits",
        BEGIN_WITH("\x15", "\x13", "\x1a\x0b\x0a\x01x\x10\0\x18\x80\x80\x80\x80\x10"), BO_CORRUPT,
        24, NOT_U32),
    ROW("a file without a name", BEGIN_WITH("\x0e", "\x0c", "\x1a\x04\x10\0\x18\x01"), BO_CORRUPT,
        19, "file has no name"),
    ROW("file 5 without a name", BEGIN_WITH("\x0e", "\x0c", "\x1a\x04\x10\x05\x18\x01"), BO_CORRUPT,
        19, "file has no name"),
    ROW("file 5 at first", BEGIN_WITH("\x11", "\x0f", "\x1a\x07\x0a\x01x\x10\x05\x18\x01"),
        BO_CORRUPT, 22, "file numbers are not 0, 1, 2, ... in order"),
    ROW("file 2^33",
        BEGIN_WITH("\x15", "\x13", "\x1a\x0b\x0a\x01x\x10\x80\x80\x80\x80\x20\x18\x01"), BO_CORRUPT,
        22, NOT_U32),
    ROW("another name for a file",
        BEGIN_WITH("\x1a", "\x18",
                   "\x1a\x07\x0a\x01x\x10\0\x18\x01\x32\x07\x0a\x01y\x10\0\x18\x01"),
        BO_CORRUPT, 29, "file has two names"),
    ROW("a NUL in a file's name", BEGIN_WITH("\x11", "\x0f", "\x1a\x07\x0a\x01\0\x10\0\x18\x01"),
        BO_CORRUPT, 20, "text holds a NUL"),
    ROW("no file", BEGIN_WITH("\x0c", "\x0a", "\x1a\x02\x18\x01"), BO_CORRUPT, 18,
        "location has no file"),
    ROW("no line", BEGIN_WITH("\x0f", "\x0d", "\x1a\x05\x0a\x01x\x10\0"), BO_CORRUPT, 18,
        "location has no line"),
    ROW("the origin before the location",
        BEGIN_WITH("\x1a", "\x18",
                   "\x32\x07\x0a\x01x\x10\0\x18\x01\x1a\x07\x0a\x01x\x10\0\x18\x01"),
        BO_UNSUPPORTED, 25, "origin precedes the location"),
    ROW("two locations",
        BEGIN_WITH("\x1a", "\x18",
                   "\x1a\x07\x0a\x01x\x10\0\x18\x01\x1a\x07\x0a\x01x\x10\0\x18\x01"),
        BO_UNSUPPORTED, 25, PARTS),
};

/* ---- fields and traces ----------------------------------------------------------------------- */

static const struct test_case field_cases[] = {
    GOOD("unknown fields of a trace", "\x20\x05\x2a\x01x\x31xxxxxxxx\x3dxxxx"),
    ROW("field number 0", "\0\0" LEAF("a"), BO_CORRUPT, 6, "field number is 0 or above 2^29 - 1"),
    ROW("a field number of 30 bits", "\x80\x80\x80\x80\x10\0", BO_CORRUPT, 6,
        "field number is 0 or above 2^29 - 1"),
    ROW("start of a group", "\x1b", BO_CORRUPT, 6, BAD_WIRE),
    ROW("end of a group", "\x1c", BO_CORRUPT, 6, BAD_WIRE),
    ROW("wire type 6", "\x26", BO_CORRUPT, 6, BAD_WIRE),
    ROW("wire type 7", "\x27", BO_CORRUPT, 6, BAD_WIRE),
    ROW("a second header", HEADER, BO_CORRUPT, 6, "trace has a second header"),
    ROW("an entry that is a number", "\x10\x01", BO_CORRUPT, 6, OTHER_WIRE),
    ROW("a tag that ends early", "\x80", BO_CORRUPT, 6, "varint runs past the end"),
};

/* Whole files. */
static const struct test_case file_cases[] = {
    GOOD("no bytes", ""),
    GOOD("two traces", "\x0a\x04" HEADER "\x0a\x04" HEADER),
    GOOD("an unknown field after a trace", "\x0a\x04" HEADER "\x10\x01"),
    GOOD("a source", "\x0a\x07\x0a\x05\x08\x01\x12\x01x"),
    GOOD("another version", "\x0a\x04\x0a\x02\x08\x07"),
    ROW("text", "hello, world", BO_CORRUPT, 0, "file does not start with a trace"),
    ROW("zeros", "\0\0\0\0", BO_CORRUPT, 0, "field number is 0 or above 2^29 - 1"),
    ROW("a trace that is a number", "\x08\x01", BO_CORRUPT, 0, OTHER_WIRE),
    ROW("a trace of nothing", "\x0a\0", BO_CORRUPT, 2, "trace has no header"),
    ROW("a trace without a header", "\x0a\x05" LEAF("a"), BO_CORRUPT, 2,
        "trace does not start with its header"),
    ROW("a header that is a number", "\x0a\x02\x08\x01", BO_CORRUPT, 2, OTHER_WIRE),
    ROW("a header without a version", "\x0a\x02\x0a\0", BO_CORRUPT, 4, "header has no version"),
    ROW("a version of 33 bits", "\x0a\x08\x0a\x06\x08\x80\x80\x80\x80\x10", BO_CORRUPT, 5, NOT_U32),
    ROW("a NUL in the source", "\x0a\x07\x0a\x05\x08\x01\x12\x01\0", BO_CORRUPT, 8,
        "text holds a NUL"),
    ROW("names of another trace", "\x0a\x09" HEADER LEAF("a") "\x0a\x0e" HEADER BEGIN("\0"),
        BO_CORRUPT, 26, "name refers to a dictionary entry that does not precede it"),
    ROW("files of another trace",
        "\x0a\x17" HEADER BEGIN_WITH("\x11", "\x0f",
                                     "\x1a\x07\x0a\x01x\x10\0\x18\x01") "\x0a\x14" HEADER
            BEGIN_WITH("\x0e", "\x0c", "\x1a\x04\x10\0\x18\x01"),
        BO_CORRUPT, 44, "file has no name"),
    ROW("a trace of 2^63 bytes", "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", BO_TRUNCATED, 1,
        PAST_END),
};

/* ---- queries --------------------------------------------------------------------------------- */

static const struct bo_format *templight(void)
{
    return bo_find_format("templight");
}

/* What every codec with these messages says of the bytes: decoding, opening, and each reader. */
static void expect_verdict(const char *row, struct bo_span in, enum bo_status expected,
                           uint64_t off, const char *what)
{
    static const char *const names[] = {"dict",      "dict-naive", "dict-batch",
                                        "dict-wiki", "flat",       "plain"};
    for (size_t c = 0; c < N_ELEMENTS(names); c++) {
        const struct bo_codec *codec = bo_find_codec(templight(), names[c]);
        for (unsigned opens = 0; opens < 2; opens++) {
            struct bo_arena arena;
            struct bo_error error = {0};
            void *result;
            bo_arena_init(&arena, BO_ARENA_UNLIMITED);
            const enum bo_status status = opens ? codec->open(codec, in, &arena, &result, &error)
                                                : test_decode(codec, in, &arena, &result, &error);
            if (status != expected ||
                (status && (error.off != off || strcmp(error.what, what) != 0)))
                fail_msg("%s: %s: %s at byte %lld: %s; not %s at %lld: %s", codec->name, row,
                         bo_status_name(status), (long long)error.off,
                         error.what ? error.what : "-", bo_status_name(expected), (long long)off,
                         what ? what : "-");
            bo_arena_free(&arena);
        }
    }
}

/* The generic checks: the readers agree, what is taken answers right and can be written again. */
static void expect_agreement(const char *row, struct bo_span in)
{
    static const char *const names[] = {"dict", "dict-wiki", "flat", "plain"};
    for (size_t c = 0; c < N_ELEMENTS(names); c++) {
        const struct bo_effort effort = bo_effort_default();
        struct bo_finding finding = {0};
        bool accepted;
        if (!bo_check_bytes(templight(), bo_find_codec(templight(), names[c]), in, &effort,
                            &accepted, &finding))
            fail_msg("%s: %s: %s: %s", names[c], row, finding.class, finding.detail);
    }
}

struct test_file {
    uint8_t p[256];
    size_t n;
};

static struct test_file in_a_trace(struct bo_span body)
{
    struct test_file file = {.n = BODY + body.n};
    assert_true(body.n + 4 < 128);
    memcpy(file.p, "\x0a\0" HEADER, BODY);
    file.p[1] = (uint8_t)(body.n + 4);
    memcpy(file.p + BODY, body.p, body.n);
    return file;
}

static void expect_cases(const struct test_case *cases, size_t n, bool in_trace)
{
    for (size_t i = 0; i < n; i++) {
        const struct test_file file = in_a_trace(cases[i].body);
        const struct bo_span in = in_trace ? (struct bo_span){file.p, file.n} : cases[i].body;
        expect_verdict(cases[i].row, in, cases[i].status, cases[i].off, cases[i].what);
        expect_agreement(cases[i].row, in);
    }
}

#define TEST_CASES(name, cases, in_trace)                 \
    TEST(name)                                            \
    {                                                     \
        expect_cases(cases, N_ELEMENTS(cases), in_trace); \
    }
TEST_CASES(test_dictionary, dictionary_cases, true)
TEST_CASES(test_records, record_cases, true)
TEST_CASES(test_locations, location_cases, true)
TEST_CASES(test_fields, field_cases, true)
TEST_CASES(test_files, file_cases, false)

/* ---- unusual but valid input, and its text form ---------------------------------------------- */

#define AT(field, line) field "\x07\x0a\x01x\x10\0\x18" line
#define YAML_BEGIN(name, kind, orig, poi) \
    "---\nname: '" name "'\nkind: " kind "\nevent: Begin\norig: '" orig "'\npoi: '" poi "'\n"

static const struct {
    const char *row;
    struct bo_span body;
    const char *text;
} value_cases[] = {
    {"memory of 3 GiB", BYTES("\x12\x08\x12\x06\x10\x80\x80\x80\x80\x0c"),
     "---\nevent: End\nmemory: 3221225472\n"},
    {"memory of 100 GiB", BYTES("\x12\x09\x12\x07\x10\x80\x80\x80\x80\x90\x03"),
     "---\nevent: End\nmemory: 107374182400\n"},
    {"memory of 64 bits", BYTES("\x12\x0d\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
     "---\nevent: End\nmemory: 18446744073709551615\n"},
    {"a padded number", BYTES("\x12\x05\x12\x03\x10\x81\0"), "---\nevent: End\nmemory: 1\n"},
    {"a line of 2^31 + 5",
     BYTES(BEGIN_WITH("\x15", "\x13", "\x1a\x0b\x0a\x01x\x10\0\x18\x85\x80\x80\x80\x08")),
     YAML_BEGIN("", "0", "", "x:2147483653:0")},
    {"kind 99", BYTES("\x12\x08\x0a\x06\x08\x63\x12\x02\x0a\0"), YAML_BEGIN("", "99", "", "")},
    {"an absent origin after one",
     BYTES(BEGIN_WITH("\x11", "\x0f", AT("\x32", "\x01")) BEGIN_WITH("\x08", "\x06", "")),
     YAML_BEGIN("", "0", "x:1:0", "") YAML_BEGIN("", "0", "", "")},
    {"the last text counts", BYTES(LEAF("a") "\x1a\x0a\x0a\x01x\x10\0\x0a\x03<\0>" BEGIN("\x01")),
     YAML_BEGIN("<a>", "0", "", "")},
    {"ids before the text", BYTES(LEAF("a") "\x1a\x07\x10\0\x0a\x03<\0>" BEGIN("\x01")),
     YAML_BEGIN("<a>", "0", "", "")},
    {"packed ids and others",
     BYTES(LEAF("a")
               LEAF("b") "\x1a\x0d\x0a\x03\0\0\0\x12\x01\x01\x10\0\x12\x01\x01" BEGIN("\x02")),
     YAML_BEGIN("bab", "0", "", "")},
    {"unknown fields of an entry", BYTES("\x1a\x09\x78\x01\x0a\x01z\x7a\x02xx" BEGIN("\0")),
     YAML_BEGIN("z", "0", "", "")},
    {"the last form of a name counts",
     BYTES(LEAF("a") "\x12\x0a\x0a\x08\x08\0\x12\x04\x0a\0\x18\0"), YAML_BEGIN("a", "0", "", "")},
};

static void expect_text(const char *row, struct bo_span in, const char *text)
{
    static const char *const names[] = {"dict", "dict-naive", "dict-batch"};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void *expected = parse_text(text, &arena);
    for (size_t c = 0; c < N_ELEMENTS(names); c++) {
        struct bo_error error = {0};
        void *model = NULL;
        if (test_decode(bo_find_codec(templight(), names[c]), in, &arena, &model, &error))
            fail_msg("%s: %s: %s at byte %lld", names[c], row, error.what, (long long)error.off);
        const char *difference = templight()->differ(model, expected);
        if (difference)
            fail_msg("%s: %s: %s", names[c], row, difference);
    }
    bo_arena_free(&arena);
}

TEST(test_values)
{
    for (size_t i = 0; i < N_ELEMENTS(value_cases); i++) {
        const struct test_file file = in_a_trace(value_cases[i].body);
        const struct bo_span in = {file.p, file.n};
        expect_text(value_cases[i].row, in, value_cases[i].text);
        expect_agreement(value_cases[i].row, in);
    }
    /* Each trace has tables of its own. */
    static const struct bo_span two =
        BYTES("\x0a\x13" HEADER LEAF("a") BEGIN("\0") "\x0a\x13" HEADER LEAF("b") BEGIN("\0"));
    expect_text("two traces", two,
                YAML_BEGIN("a", "0", "",
                           "") "# trace: {version: 1, source: ''}\n" YAML_BEGIN("b", "0", "", ""));
}

/* Wherever a file is cut off, but between traces, it is truncated. */
TEST(test_truncated)
{
    static const struct bo_span file =
        BYTES("\x0a\x37" HEADER LEAF("a") LEAF("b") "\x1a\x0a\x0a\x04\0<\0>\x10\0\x10\x01" BEGIN(
            "\x02") "\x12\x0d\x12\x0b\x09xxxxxxxx\x10\x05" END);
    assert_int_equal(file.n, 2 + file.p[1]);
    expect_verdict("the whole file", file, BO_OK, 0, NULL);
    for (size_t n = 1; n < file.n; n++) {
        const struct bo_span in = {file.p, n};
        expect_verdict("a cut file", in, BO_TRUNCATED, 1,
                       n == 1 ? "varint runs past the end" : PAST_END);
        expect_agreement("a cut file", in);
    }
}

/* ---- bombs ----------------------------------------------------------------------------------- */

/* A trace's start with room for a length of four bytes, which finish_trace fills in. */
static size_t start_trace(struct bo_writer *out)
{
    bo_put_u8(out, 0x0a);
    bo_put_zeros(out, 4);
    bo_put_bytes(out, HEADER, 4);
    return out->n - 4;
}

static void finish_trace(struct bo_writer *out, size_t start)
{
    const size_t n = out->n - start;
    for (unsigned i = 0; i < 4; i++)
        out->p[start - 4 + i] = (uint8_t)((n >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
}

/* An entry of n markers, all for entry `id`. */
static void put_entry_of(struct bo_writer *out, uint32_t id, uint32_t n)
{
    const unsigned id_nbytes = bo_uvarint_nbytes(id);
    bo_put_u8(out, 0x1a);
    bo_put_uvarint(out, 1 + bo_uvarint_nbytes(n) + n + (uint64_t)n * (1 + id_nbytes));
    bo_put_u8(out, 0x0a);
    bo_put_uvarint(out, n);
    bo_put_zeros(out, n);
    for (uint32_t i = 0; i < n; i++) {
        bo_put_u8(out, 0x10);
        bo_put_uvarint(out, id);
    }
}

static void put_leaf(struct bo_writer *out, size_t n)
{
    bo_put_u8(out, 0x1a);
    bo_put_uvarint(out, 1 + bo_uvarint_nbytes(n) + n);
    bo_put_u8(out, 0x0a);
    bo_put_uvarint(out, n);
    for (size_t i = 0; i < n; i++)
        bo_put_u8(out, 'x');
}

static void put_begin(struct bo_writer *out, uint32_t id)
{
    const unsigned n = bo_uvarint_nbytes(id);
    bo_put_u8(out, 0x12);
    bo_put_u8(out, (uint8_t)(7 + n));
    bo_put_u8(out, 0x0a);
    bo_put_u8(out, (uint8_t)(5 + n));
    bo_put_bytes(out, "\x08\0\x12", 3);
    bo_put_u8(out, (uint8_t)(1 + n));
    bo_put_u8(out, 0x18);
    bo_put_uvarint(out, id);
}

/* Refused in little memory: nothing has been expanded. */
static void expect_refused(const char *row, struct bo_span in, uint64_t off, const char *what)
{
    enum { BUDGET_NBYTES = 1 << 18 };
    expect_verdict(row, in, BO_OVER_LIMIT, off, what);
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BUDGET_NBYTES);
    assert_int_equal(test_decode(bo_find_codec(templight(), "dict"), in, &arena, &model, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, what);
    bo_arena_free(&arena);
}

/*
 * A leaf of 16 bytes, and entries that double: 25 of them would make 256 MiB, and 64 more than a
 * 64-bit number holds. The first that is longer than any name may be is refused: the 14th, of 128
 * KiB.
 */
TEST(test_doubling)
{
    enum { FIRST_TOO_LONG = 14, ENTRY_NBYTES = 10 };
    for (unsigned n = 13; n <= 64; n++) {
        struct bo_arena arena;
        struct bo_writer out;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        const size_t start = start_trace(&out);
        put_leaf(&out, 16);
        const size_t first = out.n;
        for (uint32_t id = 0; id < n; id++)
            put_entry_of(&out, id, 2);
        put_begin(&out, n);
        finish_trace(&out, start);
        if (n < FIRST_TOO_LONG)
            expect_verdict("doubling", bo_writer_span(&out), BO_OK, 0, NULL);
        else
            expect_refused("doubling", bo_writer_span(&out),
                           first + (FIRST_TOO_LONG - 1) * ENTRY_NBYTES,
                           "dictionary entry would expand to too much");
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* An entry of two leaves may be 128 KiB longer than the trace, and not by 2 bytes more. */
TEST(test_longest_entry)
{
    enum { LIMIT_NBYTES = 128 << 10 };
    size_t leaf_nbytes = LIMIT_NBYTES; /* at first, to see how long the rest of the trace is */
    for (unsigned i = 0; i < 3; i++) {
        struct bo_arena arena;
        struct bo_writer out;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        const size_t start = start_trace(&out);
        put_leaf(&out, leaf_nbytes);
        const size_t entry = out.n;
        put_entry_of(&out, 0, 2);
        put_begin(&out, 1);
        finish_trace(&out, start);
        const size_t rest_nbytes = out.n - start - leaf_nbytes;
        if (leaf_nbytes <= LIMIT_NBYTES + rest_nbytes)
            expect_verdict("longest", bo_writer_span(&out), BO_OK, 0, NULL);
        else
            expect_refused("too long", bo_writer_span(&out), entry,
                           "dictionary entry would expand to too much");
        leaf_nbytes = LIMIT_NBYTES + rest_nbytes + i;
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* Three entries that would make 614 MB; the second one is too long already. */
TEST(test_wide_bomb)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const size_t start = start_trace(&out);
    put_leaf(&out, 1000);
    const size_t second = out.n;
    put_entry_of(&out, 0, 784);
    put_entry_of(&out, 1, 784);
    put_begin(&out, 2);
    finish_trace(&out, start);
    expect_refused("wide", bo_writer_span(&out), second,
                   "dictionary entry would expand to too much");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* Entries that stand for nothing, but for many visits. */
TEST(test_empty_bomb)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const size_t start = start_trace(&out);
    put_leaf(&out, 0);
    for (uint32_t id = 0; id < 40; id++)
        put_entry_of(&out, id, 2);
    put_begin(&out, 40);
    finish_trace(&out, start);
    expect_refused("of nothing", bo_writer_span(&out), 9 + 4 + 16 * 10,
                   "dictionary entry would expand to too much");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* Names that are long enough each, but too many together. */
TEST(test_sum)
{
    enum { N = 3000 };
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const size_t start = start_trace(&out);
    put_leaf(&out, 100000);
    for (uint32_t id = 1; id < N; id++) {
        put_entry_of(&out, 0, 1);
        put_begin(&out, id);
    }
    finish_trace(&out, start);
    struct bo_arena small;
    bo_arena_init(&small, 64 << 20);
    const struct bo_codec *codec = bo_find_codec(templight(), "dict-naive");
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &small, &model, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "names would expand to too much");
    bo_arena_free(&small);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* A chain of 100 000 entries, each the one before: deep, but short. */
TEST(test_deep_chain)
{
    enum { N = 100000 };
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const size_t start = start_trace(&out);
    put_leaf(&out, 3);
    for (uint32_t id = 0; id < N; id++)
        put_entry_of(&out, id, 1);
    put_begin(&out, N);
    finish_trace(&out, start);
    expect_verdict("a deep chain", bo_writer_span(&out), BO_OK, 0, NULL);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
