/*
 * The files of time-index and mixed-contexts, byte by byte; and bad ones: for each the status, the
 * byte and the phrase that decoding answers with. Why: both are in bits, so that one of them moves
 * all that follows; both announce counts that take memory; and time-index opens without looking.
 */
#include "codecs/statehist/answers.h"
#include "codecs/statehist/test_model.h"
#include "codecs/statehist/time_index/time_index.h"
#include "codecs/statehist/tree.h"
#include "harness/check/check.h"

static const char tiny_text[] = HISTORY(100, 200) "Q\t0\t-1\tThreads\nQ\t1\t0\t7\nQ\t2\t0\t9\n"
                                                  "I\t1\t100\t119\tn\t\nI\t1\t120\t149\ti\t2\n"
                                                  "I\t2\t100\t149\tn\t\nI\t0\t100\t200\tn\t\n"
                                                  "I\t1\t150\t200\tn\t\nI\t2\t150\t200\ts\tab\n";

/* ---- the files ------------------------------------------------------------------------------- */

static const char time_index_file[] =
    "\x54\x49\x58\x31"                 /* 0: magic */
    "\x64\x00\x00\x00\x00\x00\x00\x00" /* 4: start */
    "\xc8\x00\x00\x00\x00\x00\x00\x00" /* 12: end */
    "\x01"                             /* 20: keys are times */
    "\x03\x06\x00\x01\x01\x00"         /* 21: 3 quarks, 6 intervals, no table, 1 string, 1 class */
    "\x00\x03\x0b\x00\x07\x0f\x01\x0d" /* 27: bytes of the sections */
    "\x02\x61\x62"                     /* 35: strings: the first ends at 2 */
    "\x01\x00\x00\x01\x00"             /* 38: the class: an int and a string */
    "\x82\x80\x80\x80\x08"             /* 43: the int, 2 */
    "\x00"                             /* 48: the string, 0 */
    "\x00\x00\x00\x03\x84\xa9\x08"     /* 49: places */
    "\x80\x20\x00\x40\x18\x80\x42\x04\x78\x02\x04\x01\x64\x00\x80" /* 56: records */
    "\x00"                                                         /* 71: no checkpoints */
    "\x01\x07\x54\x68\x72\x65\x61\x64\x73"                         /* 72: a name */
    "\x28\xf8\x70\x00"                                             /* 81: the tree */
    /* 85: margin */
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

static const char mixed_contexts_file[] =
    "\x4d\x43\x58\x31"                                     /* 0: magic */
    "\x64\x00\x00\x00\x00\x00\x00\x00"                     /* 4: start */
    "\xc8\x00\x00\x00\x00\x00\x00\x00"                     /* 12: end */
    "\x03\x01\x06"                                         /* 20: 3 quarks, a string, 6 intervals */
    "\x0a"                                                 /* 23: 2^10 counters */
    "\x00"                                                 /* 24: no zeros */
    "\x0d"                                                 /* 25: bytes of the tree */
    "\x01\x07\x54\x68\x72\x65\x61\x64\x73\x28\xf8\x70\x00" /* 26: the tree */
    "\x01\x00"                                             /* 39: timeline by timeline */
    /* 41: coded bits */
    "\xd3\x93\xe3\xee\x1c\x1c\x05\x1c\x99\x91\x53\xe4\x5e\x87";

static struct bo_span time_index_span(void)
{
    /* The margin's last byte is the literal's own. */
    return (struct bo_span){(const uint8_t *)time_index_file, sizeof time_index_file};
}

static struct bo_span mixed_contexts_span(void)
{
    return (struct bo_span){(const uint8_t *)mixed_contexts_file, sizeof mixed_contexts_file - 1};
}

/* ---- bad ones -------------------------------------------------------------------------------- */

/* A changed file: `bytes` replace its bytes from `at` on; with CUT, it ends at `at`. */
struct test_case {
    const char *row;
    size_t at;
    struct bo_span bytes;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

#define CUT ((struct bo_span){NULL, 0})

static const struct test_case time_index_cases[] = {
    {"as it is", 0, BYTES("\x54"), BO_OK, 0, NULL},
    {"another magic", 3, BYTES("\x32"), BO_CORRUPT, 0, "magic number is not that of time-index"},
    {"ends before it starts", 11, BYTES("\x7f"), BO_CORRUPT, 4, "history ends before it starts"},
    {"kind of keys 2", 20, BYTES("\x02"), BO_CORRUPT, 20, "kind of keys is neither 0 nor 1"},
    {"a time though keys are times", 23, BYTES("\x01"), BO_CORRUPT, 20, "unused table of times"},
    {"keys are places", 20, BYTES("\x00"), BO_CORRUPT, 58, "block is damaged"},
    {"more quarks than intervals", 21, BYTES("\x07"), BO_CORRUPT, 35,
     "number of intervals is out of range"},
    {"2^31 quarks", 21, BYTES("\xff\xff\xff\xff\x0f"), BO_CORRUPT, 39,
     "number of intervals is out of range"},
    {"10^9 intervals", 22, BYTES("\x80\x94\xeb\xdc\x03"), BO_CORRUPT, 39,
     "number of intervals is out of range"},
    {"as many quarks as intervals", 21, BYTES("\x06"), BO_CORRUPT, 85, "tree ends too early"},
    {"as many intervals as bits", 22, BYTES("\x78"), BO_CORRUPT, 56,
     "fewer intervals than announced"},
    {"more intervals than bits", 22, BYTES("\x79"), BO_CORRUPT, 35,
     "number of intervals is out of range"},
    {"one interval less", 22, BYTES("\x05"), BO_CORRUPT, 65, "more intervals than announced"},
    {"one interval more", 22, BYTES("\x07"), BO_CORRUPT, 56, "fewer intervals than announced"},
    {"a time that is not there", 20, BYTES("\x00\x03\x06\x01"), BO_TRUNCATED, 35,
     "varint runs past the end"},
    {"10^9 times", 20, BYTES("\x00\x03\x06\x80\x94\xeb\xdc\x03"), BO_TRUNCATED, 133,
     "section runs past the file's end"},
    {"no strings", 24, BYTES("\x00"), BO_CORRUPT, 35, "bytes after the last string"},
    {"two strings", 24, BYTES("\x02"), BO_CORRUPT, 36, "list has fields of too many bits"},
    {"no classes", 25, BYTES("\x00"), BO_CORRUPT, 35, "number of classes is not 1 to 64"},
    {"two classes", 25, BYTES("\x02"), BO_TRUNCATED, 49, "varint runs past the end"},
    {"65 classes", 25, BYTES("\x41"), BO_CORRUPT, 35, "number of classes is not 1 to 64"},
    {"a shape without room", 26, BYTES("\x01"), BO_CORRUPT, 35,
     "more shapes than their section has room for"},
    {"times that run on", 27, BYTES("\x7f"), BO_TRUNCATED, 133, "section runs past the file's end"},
    {"tree shorter", 34, BYTES("\x0c"), BO_CORRUPT, 132, "bytes follow the end"},
    {"string longer", 35, BYTES("\x03"), BO_CORRUPT, 36, "coded strings are invalid"},
    {"string shorter", 35, BYTES("\x01"), BO_CORRUPT, 37, "bytes after the last string"},
    {"2^32 - 2 values", 38, BYTES("\xfe\xff\xff\xff\x0f\0\0\0\0"), BO_TRUNCATED, 49,
     "list ends inside its header"},
    {"2^32 - 1 values", 38, BYTES("\xff\xff\xff\xff\x0f"), BO_CORRUPT, 43,
     "class has too many values"},
    {"an int of more than 32 bits", 47, BYTES("\x10"), BO_CORRUPT, 38,
     "value is out of its type's range"},
    {"a string beyond the last", 48, BYTES("\x01"), BO_CORRUPT, 38,
     "value is out of its type's range"},
    {"base of 65 bits", 50, BYTES("\x41"), BO_CORRUPT, 50, "list has fields of too many bits"},
    {"base of 64 bits, place of 56", 50, BYTES("\x40\x38"), BO_CORRUPT, 56,
     "list has more numbers than bytes"},
    {"place of 57 bits", 51, BYTES("\x39"), BO_CORRUPT, 50, "list has fields of too many bits"},
    {"places run on", 52, BYTES("\x7f"), BO_TRUNCATED, 53, "list runs past its section's end"},
    {"a row without ones", 54, BYTES("\x00\x00"), BO_CORRUPT, 53, "row runs past the end"},
    {"a record elsewhere", 53, BYTES("\x85"), BO_CORRUPT, 53, "row runs past the end"},
    {"class 63", 56, BYTES("\xfe"), BO_CORRUPT, 56, "record is damaged"},
    {"number of intervals is 0", 57, BYTES("\x00"), BO_CORRUPT, 56, "record is damaged"},
    {"shape number out of range", 56, BYTES("\x81"), BO_CORRUPT, 56, "record is damaged"},
    {"blocks of 63 place bits", 57, BYTES("\xff"), BO_CORRUPT, 56, "record is damaged"},
    {"a second interval that starts first", 61, BYTES("\x00\x40"), BO_CORRUPT, 58,
     "keys do not ascend"},
    {"a second interval that starts 1 later", 61, BYTES("\x20\x40"), BO_OK, 0, NULL},
    {"key beyond the end", 63, BYTES("\xff"), BO_CORRUPT, 58, "block is damaged"},
    {"checkpoints that are not there", 71, BYTES("\x01"), BO_TRUNCATED, 72,
     "varint runs past the end"},
    {"another name", 74, BYTES("\x55"), BO_OK, 0, NULL},
    {"a name that is not UTF-8", 74, BYTES("\xff"), BO_CORRUPT, BO_NO_OFFSET,
     "name is not UTF-8: quark 0"},
    {"10^9 names", 72, BYTES("\x80\x94\xeb\xdc\x03"), BO_CORRUPT, 77, "more names than bytes"},
    {"other bits of the tree", 81, BYTES("\x00"), BO_CORRUPT, 81,
     "predicted symbol is stored again"},
    {"bits after the tree", 84, BYTES("\x80"), BO_CORRUPT, 85, "bits after the tree are not 0"},
    {"margin", 102, BYTES("\x01"), BO_CORRUPT, 102, "margin is not 0"},
    {"a byte after", 133, BYTES("\x00"), BO_CORRUPT, 133, "bytes follow the end"},
    {"cut in its margin", 132, CUT, BO_TRUNCATED, 132, "section runs past the file's end"},
    {"cut in its head", 30, CUT, BO_TRUNCATED, 30, "varint runs past the end"},
    {"nothing", 0, CUT, BO_TRUNCATED, 0, "file ends inside its header"},
};

static const struct test_case mixed_contexts_cases[] = {
    {"as it is", 0, BYTES("\x4d"), BO_OK, 0, NULL},
    {"another magic", 3, BYTES("\x32"), BO_CORRUPT, 0,
     "magic number is not that of mixed-contexts"},
    {"ends before it starts", 11, BYTES("\x7f"), BO_CORRUPT, 4, "history ends before it starts"},
    {"more quarks", 20, BYTES("\x04"), BO_CORRUPT, 39, "tree ends too early"},
    {"2^32 - 1 quarks", 20, BYTES("\xff\xff\xff\xff\x0f"), BO_CORRUPT, 27,
     "number of intervals is out of range"},
    {"no strings", 21, BYTES("\x00"), BO_CORRUPT, 48, "more intervals than announced"},
    {"two strings", 21, BYTES("\x02"), BO_CORRUPT, 41, "coded strings are invalid"},
    {"10^9 intervals", 22, BYTES("\x80\x94\xeb\xdc\x03"), BO_CORRUPT, 27,
     "number of intervals is out of range"},
    {"one interval more", 22, BYTES("\x07"), BO_CORRUPT, 55, "fewer intervals than announced"},
    {"one interval less", 22, BYTES("\x05"), BO_CORRUPT, 55, "more intervals than announced"},
    {"another table", 23, BYTES("\x0b"), BO_CORRUPT, 24,
     "table size does not match the number of intervals"},
    {"a byte above 0 as padding", 24, BYTES("\x01"), BO_CORRUPT, 26, "reserved byte is not 0"},
    {"zeros that run on", 24, BYTES("\x7f"), BO_CORRUPT, 26, "reserved byte is not 0"},
    {"tree runs on", 25, BYTES("\x7f"), BO_TRUNCATED, 26, "tree runs past the end"},
    {"order 3", 39, BYTES("\x03"), BO_CORRUPT, 40, "order is not 0, 1 or 2"},
    {"timeline by timeline", 39, BYTES("\x01"), BO_OK, 0, NULL},
    {"time by time", 39, BYTES("\x00"), BO_CORRUPT, 50, "fewer intervals than announced"},
    {"a time more", 40, BYTES("\x03"), BO_CORRUPT, 41, "number of times exceeds that of changes"},
    {"a time less", 40, BYTES("\x01"), BO_CORRUPT, 41, "number of times exceeds that of changes"},
    {"10^9 times", 40, BYTES("\x80\x94\xeb\xdc\x03"), BO_CORRUPT, 45,
     "number of times exceeds that of changes"},
    {"other bits", 41, BYTES("\x00"), BO_CORRUPT, 41, "coded strings are invalid"},
    {"other bits", 44, BYTES("\xff"), BO_CORRUPT, 41, "coded strings are invalid"},
    {"cut", 54, CUT, BO_CORRUPT, 54, "time after the end"},
    {"a byte after", 55, BYTES("\x00"), BO_CORRUPT, 56, "bytes left after the coded bits"},
    {"cut in its head", 19, CUT, BO_TRUNCATED, 12, "file ends inside its header"},
};

static void expect_case(const char *codec_name, struct bo_span file, const struct test_case *c)
{
    uint8_t bad[256];
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    const struct bo_codec *codec = bo_find_codec(test_format(), codec_name);
    const size_t after = c->at + c->bytes.n;
    assert_true(file.n + 8 <= sizeof bad && after <= file.n + 8);
    memcpy(bad, file.p, file.n);
    if (c->bytes.n)
        memcpy(bad + c->at, c->bytes.p, c->bytes.n);
    const struct bo_span in = {bad, c->bytes.n == 0 ? c->at : after > file.n ? after : file.n};
    bo_arena_init(&arena, (size_t)1 << 24);
    const enum bo_status status = test_decode(codec, in, &arena, &model, &error);
    if (status != c->status ||
        (status && (error.off != c->off || strcmp(error.what, c->what) != 0)))
        fail_msg("%s: %s: %s at byte %lld: %s", codec_name, c->row, bo_status_name(status),
                 (long long)error.off, status ? error.what : "");
    bo_arena_free(&arena);
    struct bo_finding finding;
    struct bo_effort effort = bo_effort_default();
    if (!bo_check_bytes(test_format(), codec, in, &effort, NULL, &finding))
        fail_msg("%s: %s: %s: %s", codec_name, c->row, finding.class, finding.detail);
}

TEST(test_time_index)
{
    for (size_t i = 0; i < N_ELEMENTS(time_index_cases); i++)
        expect_case("time-index", time_index_span(), &time_index_cases[i]);
}

TEST(test_mixed_contexts)
{
    for (size_t i = 0; i < N_ELEMENTS(mixed_contexts_cases); i++)
        expect_case("mixed-contexts", mixed_contexts_span(), &mixed_contexts_cases[i]);
}

/* A head that announces nothing: without sections nothing else says that the margin is missing. */
TEST(test_no_margin)
{
    static const uint8_t head[35] = "TIX1\0\0\0\0\0\0\0\0\xff\0\0\0\0\0\0\0\0\0\0\0\0\x01";
    struct bo_arena arena;
    struct bo_error error = {0};
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *codec = bo_find_codec(test_format(), "time-index");
    assert_int_equal(
        codec->open(codec, (struct bo_span){head, sizeof head}, &arena, &reader, &error),
        BO_TRUNCATED);
    assert_string_equal(error.what, "file ends before the end of the margin");
    assert_int_equal(error.off, sizeof head);
    bo_arena_free(&arena);
}

/* Opens or decodes the file with these bytes as one of its sections. */
static void expect_section(enum time_index_section section, struct bo_span bytes, bool decodes,
                           uint64_t off, const char *what)
{
    enum { SIZES = 27, FIRST = 35 };
    const struct bo_span file = time_index_span();
    uint8_t other[256];
    size_t at = FIRST;
    struct bo_arena arena;
    struct bo_error error = {0};
    void *result;
    for (unsigned i = 0; i < section; i++)
        at += file.p[SIZES + i];
    const size_t after = at + file.p[SIZES + section];
    const struct bo_span in = {other, at + bytes.n + file.n - after};
    assert_true(in.n <= sizeof other);
    memcpy(other, file.p, at);
    other[SIZES + section] = (uint8_t)bytes.n;
    memcpy(other + at, bytes.p, bytes.n);
    memcpy(other + at + bytes.n, file.p + after, file.n - after);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *codec = bo_find_codec(test_format(), "time-index");
    const enum bo_status status = decodes ? test_decode(codec, in, &arena, &result, &error)
                                          : codec->open(codec, in, &arena, &result, &error);
    if (status != (what ? BO_CORRUPT : BO_OK) ||
        (what && (error.off != off || strcmp(error.what, what) != 0)))
        fail_msg("%s: %s at byte %lld: %s", what ? what : "accepted", bo_status_name(status),
                 (long long)error.off, status ? error.what : "");
    bo_arena_free(&arena);
}

static void expect_segments(struct bo_span checkpoints, uint64_t off, const char *what)
{
    expect_section(TIME_INDEX_CHECKPOINTS, checkpoints, false, off, what);
}

/*
 * Two segments in eras of one, the first change at 1, parts at 0 and 1; then the bytes of the
 * parts: one is too few for two segments, two are enough to open the file.
 */
TEST(test_segments)
{
    expect_segments((struct bo_span)BYTES("\x02\x01\x01\x00\x00\x00\x01\x40\x00"), 79,
                    "more segments than bytes");
    expect_segments((struct bo_span)BYTES("\x02\x01\x01\x00\x00\x00\x01\x40\x00\x00"), 0, NULL);
    expect_segments((struct bo_span)BYTES("\x02\x00\x01\x00\x00\x00\x01\x40\x00\x00"), 73,
                    "era has no segments");
    expect_segments((struct bo_span)BYTES("\x00\x00"), 72, "bytes after the content of a section");
}

/* All attributes are null at the start; 1 changes at 20 and at 50, 2 at 50; the end is 100. */
#define NONE "\x00"
#define GROUP(word) "\x01\x00" word "\x00\x00\x00\x00\x00\x00\x00"

TEST(test_checkpoints_that_decode_rejects)
{
    static const struct {
        struct bo_span checkpoints;
        uint64_t off;
        const char *what;
    } cases[] = {
        /* One segment, whose part is at 0. */
        {BYTES("\x01\x01\x00" NONE GROUP("\x06")), 0, NULL},
        {BYTES("\x01\x01\x00" NONE GROUP("\x06") "\x00"), 85, "bytes after the last part"},
        {BYTES("\x01\x01\x01\x00" NONE GROUP("\x06")), 75, "part is not where the one before ends"},
        {BYTES("\x01\x01\x00" GROUP("\x00") GROUP("\x06")), 74,
         "group of a checkpoint has no quarks"},
        {BYTES("\x01\x01\x00" NONE GROUP("\x06") "\x01\x00"), 85, "bytes after the last part"},
        /* Group 0 twice. */
        {BYTES("\x01\x01\x00" NONE "\x02\x00\x00\x00\x01\x81\x02\x00\x00\x00\x00\x00\x00\x00"
               "\x04\x00\x00\x00\x00\x00\x00\x00"),
         74, "groups of a checkpoint do not ascend"},
        /* Two segments in one era, parts at 0 and 12; attribute 1 has code 1 after the first. */
        {BYTES("\x02\x02\x32\x00\x00\x00\x03\x00\x00\x02" NONE GROUP("\x02") "\x03" GROUP("\x06")),
         0, NULL},
        {BYTES("\x02\x02\x32\x00\x00\x00\x03\x00\x00\x02" NONE GROUP("\x02") "\x0b" GROUP("\x06")),
         81, "free bits are not 0"},
        /* The second segment starts at 0, at the end, after it. */
        {BYTES("\x02\x02\x00\x00\x00\x00\x01\x40\x00\x00"), 79,
         "segments do not ascend in the history"},
        {BYTES("\x02\x02\x64\x00\x00\x00\x01\x40\x00\x00"), 80,
         "part is not where the one before ends"},
        {BYTES("\x02\x02\x65\x00\x00\x00\x01\x40\x00\x00"), 79,
         "segments do not ascend in the history"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        expect_section(TIME_INDEX_CHECKPOINTS, cases[i].checkpoints, true, cases[i].off,
                       cases[i].what);
}

TEST(test_sections_that_decode_rejects)
{
    /* The int 2, twice. */
    expect_section(
        TIME_INDEX_CLASSES,
        (struct bo_span)BYTES("\x02\x00\x00\x01\x00\x82\x80\x80\x80\x08\x00\x00\x01\x81\x00"), true,
        51, "values do not ascend");
    /* The records, and a byte. */
    expect_section(
        TIME_INDEX_RECORDS,
        (struct bo_span)BYTES("\x80\x20\x00\x40\x18\x80\x42\x04\x78\x02\x04\x01\x64\x00\x80\x00"),
        true, 71, "bytes after the last block");
    /* The places with a byte too many; then with an unused bit set. */
    expect_section(TIME_INDEX_PLACES, (struct bo_span)BYTES("\x00\x00\x00\x04\x84\xa9\x08\x00"),
                   true, 53, "bytes after the last block");
    expect_section(TIME_INDEX_PLACES, (struct bo_span)BYTES("\x00\x00\x00\x03\x84\xa9\x88"), true,
                   53, "free bits are not 0");
}

static void expect_decode(struct bo_span in, uint64_t off, const char *what)
{
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *codec = bo_find_codec(test_format(), "time-index");
    assert_int_equal(test_decode(codec, in, &arena, &model, &error), BO_CORRUPT);
    assert_string_equal(error.what, what);
    assert_int_equal(error.off, off);
    bo_arena_free(&arena);
}

/* Attribute 0 has string 1, attribute 1 has string 0. */
TEST(test_strings_out_of_order)
{
    static const uint8_t bytes[123] = {
        0x54, 0x49, 0x58, 0x31, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x02, 0x01, 0x00, 0x00, 0x0a, 0x0a,
        0x00, 0x06, 0x06, 0x01, 0x07, 0x02, 0x00, 0x00, 0x02, 0x00, 0x01, 0x78, 0x78, 0x79, 0x79,
        0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x40, 0x00, 0x00, 0x00, 0x02, 0x83,
        0x09, 0x80, 0x20, 0x20, 0x20, 0x08, 0x04, 0x00, 0x02, 0x01, 0x41, 0x01, 0x42, 0x08, 0x02};
    expect_decode((struct bo_span){bytes, sizeof bytes}, 41,
                  "strings are not in the order of their first use");
}

/* A class has string 0, but there are no strings. */
TEST(test_value_without_strings)
{
    const struct bo_span file = time_index_span();
    uint8_t other[256];
    memcpy(other, file.p, 35);
    other[24] = other[28] = 0;
    memcpy(other + 35, file.p + 38, file.n - 38);
    expect_decode((struct bo_span){other, file.n - 3}, 35, "value is out of its type's range");
}

/* A table of one time has no blocks. The time lies after the start, and not after the end. */
TEST(test_one_time)
{
    static const uint8_t times[] = {0, 101};
    const struct bo_span file = time_index_span();
    for (size_t i = 0; i < N_ELEMENTS(times); i++) {
        uint8_t other[256];
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model;
        memcpy(other, file.p, 35);
        other[20] = 0; /* keys are positions */
        other[23] = other[27] = 1;
        other[35] = times[i];
        memcpy(other + 36, file.p + 35, file.n - 35);
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_codec *codec = bo_find_codec(test_format(), "time-index");
        assert_int_equal(
            test_decode(codec, (struct bo_span){other, file.n + 1}, &arena, &model, &error),
            BO_CORRUPT);
        assert_string_equal(error.what, "times do not ascend in the history");
        assert_int_equal(error.off, 0);
        bo_arena_free(&arena);
    }
}

/*
 * Removes zeros from `file` until it has nbytes bytes, and expects decode to reject the result with
 * `what`. The n_zeros zeros start at byte 27; bytes 25 and 26 store their number and are adjusted.
 */
static void expect_zeros(struct bo_span file, size_t n_zeros, size_t nbytes, const char *what)
{
    uint8_t other[1024];
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    const size_t n = n_zeros - (file.n - nbytes); /* two bytes store the count */
    assert_true(file.n <= sizeof other && n >= 128 && n < n_zeros);
    memcpy(other, file.p, 27 + n);
    memcpy(other + 27 + n, file.p + 27 + n_zeros, file.n - 27 - n_zeros);
    other[25] = (uint8_t)(n | 128);
    other[26] = (uint8_t)(n >> 7);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *codec = bo_find_codec(test_format(), "mixed-contexts");
    assert_int_equal(codec->decode(codec, (struct bo_span){other, nbytes}, &arena, &model, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, what);
    bo_arena_free(&arena);
}

/* More than 2^20 intervals have a table of 2^22 counters, too, and at least 65 536 bytes. */
TEST(test_largest_table)
{
    enum { NBYTES = (1 << 16) + 64 };
    static uint8_t file[NBYTES] = "MCX1";
    const struct bo_codec *codec = bo_find_codec(test_format(), "mixed-contexts");
    memcpy(file + 22, "\x81\x80\x40", 3); /* 2^20 + 1 intervals */
    for (uint8_t bits = 21; bits <= 23; bits++) {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model;
        file[25] = bits;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_span in = {file, sizeof file};
        assert_true(codec->decode(codec, in, &arena, &model, &error) != BO_OK);
        assert_string_equal(error.what, bits == 22
                                            ? "varint runs past the end"
                                            : "table size does not match the number of intervals");
        bo_arena_free(&arena);
    }
}

/* Files of few bytes are padded with zeros, so that a byte never expands to over 16 intervals. */
TEST(test_zeros)
{
    enum { N = 8192 };
    struct bo_arena arena;
    struct bo_writer text, out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    bo_put_text(&text, "# statehistory-tsv 1\n# start: 0\n# end: %d\nQ\t0\t-1\ta\n", 10 * N - 1);
    for (int i = 0; i < N; i++)
        bo_put_text(&text, "I\t0\t%d\t%d\ti\t%d\n", 10 * i, 10 * i + 9, i % 2);
    bo_put_u8(&text, 0);
    const void *const model = parse_text((const char *)text.p, &arena);
    const struct bo_codec *codec = bo_find_codec(test_format(), "mixed-contexts");
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    const struct bo_span file = bo_writer_span(&out);
    const size_t n_zeros = (file.p[25] & 127u) | (size_t)file.p[26] << 7;
    assert_true(file.n >= N / 16 && file.n < N / 16 + 64);
    expect_zeros(file, n_zeros, file.n - 1, "another number of zeros than the history needs");
    expect_zeros(file, n_zeros, N / 16, "another number of zeros than the history needs");
    expect_zeros(file, n_zeros, N / 16 - 1, "number of intervals is out of range");
    bo_writer_free(&out);
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

static void expect_file(const char *codec_name, const char *text, struct bo_span file)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const struct bo_codec *codec = bo_find_codec(test_format(), codec_name);
    assert_int_equal(codec->encode(codec, parse_text(text, &arena), &out, NULL), BO_OK);
    assert_int_equal(out.n, file.n);
    assert_memory_equal(out.p, file.p, file.n);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_files)
{
    expect_file("time-index", tiny_text, time_index_span());
    expect_file("mixed-contexts", tiny_text, mixed_contexts_span());
}

/* ---- redundant encodings --------------------------------------------------------------------- */

TEST(test_changed_bits)
{
    static const char *const phrases[] = {
        "changes of one time are not in the order of attributes",
        "known value is stored as new",
        "order is 2, but no class counts",
        "name belongs to no attribute",
        "name out of the order of first use",
        "relation is not the first to fit",
        "number of more than 64 bits",
        "name that is a number is not stored as a number",
    };
    expect_rejections("mixed-contexts", 12, 12, phrases, N_ELEMENTS(phrases));
}

/*
 * Whether some bit of a file changes an attribute to a candidate that was refused. Threads take
 * turns in an order that repeats, but for one turn in seven: at each time one thread ends its turn
 * and another one begins its own. Turns take any time, so that the file is in the order of time.
 */
static bool has_candidates(int n_threads)
{
    enum { MAX_THREADS = 33, N_TURNS = 120, END = 1000000 };
    static const char *const phrase = "attribute is one of the refused candidates";
    struct bo_random random = bo_random_seeded(1);
    int since[MAX_THREADS] = {0}, running = 0, time = 0;
    bool seen = false;
    struct bo_arena arena;
    struct bo_writer text;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_put_text(&text, "# statehistory-tsv 1\n# start: 0\n# end: %d\nQ\t0\t-1\tThreads\n", END);
    for (int t = 0; t < n_threads; t++)
        bo_put_text(&text, "Q\t%d\t0\t%d\nQ\t%d\t%d\tstatus\n", 2 * t + 1, t, 2 * t + 2, 2 * t + 1);
    for (int i = 1; i <= N_TURNS; i++) {
        const int next = i % 7 ? (running + 5) % n_threads : i * 11 % n_threads;
        const int changed[2] = {running < next ? running : next, running < next ? next : running};
        time += 1 + (int)bo_random_below(&random, 1000);
        for (int k = 0; k < 2 && next != running; k++) {
            const int t = changed[k];
            bo_put_text(&text, "I\t%d\t%d\t%d\ti\t%d\n", 2 * t + 2, since[t], time - 1,
                        t == running);
            since[t] = time;
        }
        running = next;
    }
    for (int q = 0; q <= 2 * n_threads; q++)
        bo_put_text(&text, "I\t%d\t%d\t%d\ti\t%d\n", q, q && q % 2 == 0 ? since[q / 2 - 1] : 0, END,
                    q == 2 * running + 2);
    bo_put_u8(&text, 0);
    note_rejections(bo_find_codec(test_format(), "mixed-contexts"),
                    parse_text((const char *)text.p, &arena), &phrase, 1, &seen);
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return seen;
}

/* Attributes are predicted by candidates in classes of more than 32. */
TEST(test_candidates)
{
    assert_false(has_candidates(32));
    assert_true(has_candidates(33));
}

/* ---- announced numbers ----------------------------------------------------------------------- */

/* A range query over all of attribute 0, of a file that may be rejected before. */
static enum bo_status whole_range(struct bo_span file, struct bo_arena *arena,
                                  struct bo_error *error)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), "time-index");
    static uint8_t bytes[4096];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    void *reader;
    enum bo_status status = codec->open(codec, file, arena, &reader, error);
    if (status)
        return status;
    const struct statehist_range_query range = {(int64_t)bo_le64(file.p + 4),
                                                (int64_t)bo_le64(file.p + 12), 0, 0};
    return codec->query(codec, reader, STATEHIST_RANGE, &range, 1, &sink, error);
}

/*
 * A number of strings or of a record's intervals of almost 2^32, whose number of blocks does not
 * fit 32 bits before it is divided by 64; and 2^31 quarks in sections that are not in the file.
 */
TEST(test_announced_numbers)
{
    static const uint8_t strings[124] = {
        0x54, 0x49, 0x58, 0x31, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x64, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01, 0x01, 0x00, 0xff, 0xff, 0xff, 0xff,
        0x0f, 0x01, 0x01, 0x00, 0x14, 0x0a, 0x04, 0x01, 0x01, 0x01, 0x00, 0x00, 0x40, 0x38,
        0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0xff, 0xff, 0xff, 0xff, 0x07, 0x01,
        0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    };
    static const uint8_t intervals[131] = {
        0x54, 0x49, 0x58, 0x31, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x40, 0x01, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x05,
        0x00, 0x01, 0x29, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0xff, 0xff,
        0xff, 0x1f, 0xf8, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x1f,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe0, 0xff, 0xff, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    };
    static const uint8_t quarks[] = {
        0x54, 0x49, 0x58, 0x31, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x64, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xff, 0xff, 0xff,
        0xff, 0x07, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x00, 0x00,
    };
    static const struct {
        struct bo_span file;
        enum bo_status status;
        const char *what;
    } cases[] = {
        {{strings, sizeof strings}, BO_CORRUPT, "list has more numbers than bytes"},
        {{intervals, sizeof intervals}, BO_CORRUPT, "record runs past the end, or has no interval"},
        {{quarks, sizeof quarks}, BO_TRUNCATED, "section runs past the file's end"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_arena arena;
        struct bo_error error = {0};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal(whole_range(cases[i].file, &arena, &error), cases[i].status);
        assert_string_equal(error.what, cases[i].what);
        assert_true(arena.peak_nbytes < 1 << 20);
        bo_arena_free(&arena);
    }
}

/* Attributes whose names are one long text, each a child of the one before. */
static struct statehist_model chain(struct bo_span name, uint32_t n, struct bo_arena *arena)
{
    struct statehist_attribute *attributes = bo_alloc_array(arena, n, sizeof *attributes);
    assert_non_null(attributes);
    for (uint32_t q = 0; q < n; q++)
        attributes[q] = (struct statehist_attribute){name, q ? q - 1 : STATEHIST_ROOT};
    return (struct statehist_model){.n_quarks = n, .attributes = attributes};
}

/* An attribute takes a bit, but its name is copied. */
TEST(test_names_that_expand)
{
    enum { NBYTES = 8000, N_ENCODED = 2002, N_DECODED = N_ENCODED + 8000 };
    static const char *const what = "names of attributes would expand to too much";
    static uint8_t letters[NBYTES];
    const struct bo_span name = {letters, NBYTES};
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    struct statehist_builder builder;
    memset(letters, 'a', sizeof letters);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct statehist_model model = chain(name, N_DECODED, &arena);
    assert_int_equal(statehist_pack_tree(&model, &out, &error), BO_UNSUPPORTED);
    assert_string_equal(error.what, what);
    out.n = 0;
    model.n_quarks = N_ENCODED; /* its bits fill the last byte */
    assert_int_equal(statehist_pack_tree(&model, &out, &error), BO_OK);
    assert_true(statehist_builder_init(&builder, true, &arena));
    assert_int_equal(
        statehist_unpack_tree(bo_cursor(bo_writer_span(&out)), N_ENCODED, &builder, &error), BO_OK);
    for (unsigned i = 0; i < (N_DECODED - N_ENCODED) / 8; i++)
        bo_put_u8(&out, 0xff); /* each bit: as predicted */
    assert_true(statehist_builder_init(&builder, true, &arena));
    assert_int_equal(
        statehist_unpack_tree(bo_cursor(bo_writer_span(&out)), N_DECODED, &builder, &error),
        BO_OVER_LIMIT);
    assert_string_equal(error.what, what);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* The sizes of these answers, modulo 2^32, would fit the sink. */
TEST(test_answers_of_any_size)
{
    static uint8_t bytes[4096];
    struct bo_sink sink = {bytes, 0, sizeof bytes};
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    assert_null(statehist_take_columns(UINT32_MAX / 17 + 1, &sink, &starts, &values, &types));
    assert_false(statehist_take_values(UINT32_MAX / 9 + 1, &sink, &values, &types));
    assert_int_equal(sink.n, 0);
    assert_non_null(statehist_take_columns(100, &sink, &starts, &values, &types));
    assert_true(statehist_take_values(100, &sink, &values, &types));
}

TEST_FILE(NULL, NULL)
