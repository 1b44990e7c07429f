/*
 * Bad files of shared trees: for each, the status, the byte and the phrase that decode must answer
 * with. Why: everything is in bits, so that one of them moves all that follow; lists and variants
 * speak of each other by numbers; and trees that are stored once can be expanded without end.
 *
 * The small files here are also the layout's witnesses: test_shared_trees.c compares what the
 * encoder writes with them.
 */
#include <sys/mman.h>

#include "codecs/autofdo/shared_trees/test_trees.h"

/* Bytes of a small file become others: from `at` on. */
struct test_case {
    const char *row;
    size_t at;
    struct bo_span bytes;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

#define INDEX_ROOM "more names than the index has room for"
#define NAMES_EXPAND "names expand to more than the limit for the file's size"
#define PLACES_ROOM "more places than the structure has room for"
#define SECTIONS_RUN "sections run past the file's end"
#define FEWER_PLACES "fewer places than announced"
#define BLOCK_END "block does not end where the index says"
#define PADDING "padding is not 0"
#define SUMMARY "summary disagrees with the counts"

static const struct test_case head_cases[] = {
    {"as it is", 0, BYTES("a"), BO_OK, 0, NULL},
    {"another magic", 0, BYTES("b"), BO_CORRUPT, 0, "bad magic number"},
    {"the other codec's", 3, BYTES("z"), BO_CORRUPT, 0, "bad magic number"},
    {"paths of 33 bits", 4, BYTES("\x21"), BO_CORRUPT, 4, "fields are too wide"},
    {"paths of 32 bits, timestamps of 65", 4, BYTES("\x20\x41"), BO_CORRUPT, 5,
     "fields are too wide"},
    {"timestamps of 65 bits", 5, BYTES("\x41"), BO_CORRUPT, 5, "fields are too wide"},
    {"paths of 14 bits", 4, BYTES("\x0e"), BO_TRUNCATED, 175, SECTIONS_RUN},
    {"no paths", 4, BYTES("\0"), BO_CORRUPT, 117, PADDING},
    {"no width of timestamps", 5, BYTES("\0"), BO_CORRUPT, 5,
     "only one of first timestamp and width of timestamps is 0"},
    {"no names", 6, BYTES("\0"), BO_CORRUPT, 55, INDEX_ROOM},
    {"two names", 6, BYTES("\x02"), BO_CORRUPT, 116, "bits after the functions are not 0"},
    {"2^32 - 1 names", 6, BYTES("\xff\xff\xff\xff\x0f"), BO_TRUNCATED, 175, SECTIONS_RUN},
    {"no paths' texts", 7, BYTES("\0"), BO_CORRUPT, 163, BLOCK_END},
    {"9 names in an index of a byte", 6, BYTES("\x09\x02\x0b\x06\x07\x07\x01"), BO_CORRUPT, 55,
     INDEX_ROOM},
    {"8 names in an index of a byte", 6, BYTES("\x08\x02\x0b\x06\x07\x07\x01"), BO_CORRUPT, 58,
     PADDING},
    {"more paths than names", 7, BYTES("\x0a"), BO_CORRUPT, 55, INDEX_ROOM},
    {"no text", 8, BYTES("\0"), BO_CORRUPT, 155, "phrases are longer than the strings"},
    {"more text", 8, BYTES("\x0c"), BO_CORRUPT, 0, "names are shorter than announced"},
    {"less text", 8, BYTES("\x0a"), BO_CORRUPT, 164, "codes of a string are invalid"},
    {"more places of lists", 9, BYTES("\x07"), BO_CORRUPT, 0, FEWER_PLACES},
    {"fewer places of lists", 9, BYTES("\x05"), BO_CORRUPT, 169, "list of places has no end"},
    {"many places of lists", 9, BYTES("\x21"), BO_CORRUPT, 55, PLACES_ROOM},
    {"more places of variants", 10, BYTES("\x08"), BO_CORRUPT, 0, FEWER_PLACES},
    {"fewer places of variants", 10, BYTES("\x06"), BO_CORRUPT, 170, "more places than announced"},
    {"another first timestamp", 11, BYTES("\x08"), BO_OK, 0, NULL},
    {"a longer index", 12, BYTES("\x3f"), BO_CORRUPT, 117, "bits after the functions are not 0"},
    {"names start later", 13, BYTES("\x2b"), BO_CORRUPT, 114,
     "blocks are larger than their section"},
    {"names start after them", 13, BYTES("\x31"), BO_CORRUPT, 55,
     "blocks of strings start past the end of the strings"},
    {"names run on", 14, BYTES("\x7f"), BO_TRUNCATED, 175, SECTIONS_RUN},
    {"structure runs on", 15, BYTES("\x7f"), BO_TRUNCATED, 175, SECTIONS_RUN},
};

static const struct test_case summary_cases[] = {
    {"another sum", 17, BYTES("\x03"), BO_CORRUPT, 16, SUMMARY},
    {"another highest count", 18, BYTES("\xad"), BO_CORRUPT, 16, SUMMARY},
    {"another highest head", 20, BYTES("\x05"), BO_CORRUPT, 16, SUMMARY},
    {"another number of counts", 21, BYTES("\x07"), BO_CORRUPT, 16, SUMMARY},
    {"another least count", 53, BYTES("\x02"), BO_CORRUPT, 16, SUMMARY},
    {"another number of them", 54, BYTES("\x01"), BO_CORRUPT, 16, SUMMARY},
    {"a sum of 70 bits", 16, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), BO_CORRUPT, 16,
     "varint overflows its type"},
};

static const struct test_case index_cases[] = {
    {"a code of 255 symbols", 55, BYTES("\xff"), BO_CORRUPT, 56,
     "code lengths do not form a prefix code"},
    {"words that do not fill a code", 55, BYTES("\x08"), BO_CORRUPT, 57,
     "code lengths do not form a prefix code"},
    {"blocks larger than the names", 114, BYTES("\xff"), BO_CORRUPT, 114,
     "blocks are larger than their section"},
    {"bits after the sizes", 115, BYTES("\x27"), BO_CORRUPT, 115,
     "first part of the index does not fill its bytes"},
    {"a function of a name without a tree", 116, BYTES("\x03"), BO_CORRUPT, 167,
     "function has no tree"},
    {"bits after the functions", 116, BYTES("\x0d"), BO_CORRUPT, 116,
     "bits after the functions are not 0"},
    {"no functions", 116, BYTES("\0"), BO_CORRUPT, 114, "blocks do not fill their section"},
    {"path of a target", 117, BYTES("\x36"), BO_CORRUPT, 117,
     "file of a name that belongs to no function"},
    {"no path", 117, BYTES("\0"), BO_CORRUPT, 117, "path is used by no function"},
    {"path that no function has", 117, BYTES("\x22"), BO_CORRUPT, 117,
     "path is used by no function"},
    {"bits after the paths", 117, BYTES("\x72"), BO_CORRUPT, 117, PADDING},
    {"no timestamp", 118, BYTES("\0"), BO_CORRUPT, 118, "no function has the least timestamp"},
    {"bits after the timestamps", 118, BYTES("\x05"), BO_CORRUPT, 118, PADDING},
};

static const struct test_case names_cases[] = {
    {"a byte of the names is a control character", 119, BYTES("\x04\x40"), BO_CORRUPT, 161,
     "name holds a control character"},
    {"a name starts with a digit", 125, BYTES("\x05"), BO_CORRUPT, 161,
     "name starts with a digit, #, !, [ or a colon"},
    {"2^32 - 1 rules", 151, BYTES("\xff\xff\xff\xff"), BO_TRUNCATED, 151,
     "rules run past the index's end"},
    {"more phrases than are used", 155, BYTES("\x07"), BO_CORRUPT, 155, "phrases are not all used"},
    {"phrases longer than the names", 155, BYTES("\xff\xff\xff\xff"), BO_CORRUPT, 155,
     "phrases are longer than the strings"},
    {"a symbol beyond the last", 160, BYTES("\x7f"), BO_CORRUPT, 160, "bits beyond the symbols"},
    {"names do not ascend", 161, BYTES("\x67"), BO_CORRUPT, 162, "strings do not ascend"},
    {"bits after the names", 166, BYTES("\x8a"), BO_CORRUPT, 166, PADDING},
};

static const struct test_case trees_cases[] = {
    {"a target that is no name", 167, BYTES("\x0d"), BO_CORRUPT, 167, "name out of range"},
    {"an unused name", 167, BYTES("\x16"), BO_CORRUPT, 167,
     "name belongs to no function, target or callee"},
    {"a list that goes back", 167, BYTES("\x3a"), BO_CORRUPT, 168, "places do not ascend"},
    {"a callee without the variant", 170, BYTES("\x22"), BO_CORRUPT, 170,
     "variant of a callee is out of range"},
    {"a list without end", 168, BYTES("\x02"), BO_CORRUPT, 170, "list of places has no end"},
    {"a place after the list", 168, BYTES("\xc0"), BO_CORRUPT, 169,
     "variant selects a place beyond its list"},
    {"a tree in itself", 168, BYTES("\x80"), BO_OVER_LIMIT, 167,
     "functions are inlined too deeply"},
    {"an invalid code of a count", 171, BYTES("\x17"), BO_CORRUPT, 172,
     "count is not a valid code"},
    {"bits after the counts", 174, BYTES("\x89"), BO_CORRUPT, 174, PADDING},
};

static const struct test_case zstd_cases[] = {
    {"as it is", 0, BYTES("a"), BO_OK, 0, NULL},
    {"the other codec's", 3, BYTES("t"), BO_CORRUPT, 0, "bad magic number"},
    {"a head before the frames", 13, BYTES("\x01"), BO_CORRUPT, 112,
     "blocks are larger than their section"},
    {"a frame within a byte", 111, BYTES("\xe6\xba"), BO_CORRUPT, 144,
     "frame does not start at a byte boundary"},
    {"no frame", 117, BYTES("\0"), BO_CORRUPT, 117,
     "zstd frame is invalid or larger than its strings"},
    {"a frame of more text", 122, BYTES("\xff"), BO_CORRUPT, 117,
     "zstd frame is invalid or larger than its strings"},
    /* 11 bytes, and 6 for each of 5 strings */
    {"a frame of the most text", 122, BYTES("\x29"), BO_CORRUPT, 117, "frame does not expand"},
    {"a frame of a byte too many", 122, BYTES("\x2a"), BO_CORRUPT, 117,
     "zstd frame is invalid or larger than its strings"},
    {"a frame of less text", 122, BYTES("\x12"), BO_CORRUPT, 117, "frame does not expand"},
    {"no end of the sizes", 126, BYTES("\x80"), BO_CORRUPT, 117, "frame ends before its strings"},
    {"a name shares too much", 126, BYTES("\x03"), BO_CORRUPT, 117,
     "prefix of a string is too long"},
    {"a name of nothing", 130, BYTES("\0"), BO_CORRUPT, 117,
     "string has no end, or nothing of its own"},
    {"names do not ascend", 130, BYTES("x"), BO_CORRUPT, 117, "strings do not ascend"},
    {"bytes after the names", 138, BYTES("\0"), BO_CORRUPT, 117, "bytes after the strings"},
    {"less text", 8, BYTES("\x0a"), BO_CORRUPT, 117, "prefix of a string is too long"},
    {"text for the first name alone", 8, BYTES("\x02"), BO_CORRUPT, 117,
     "prefix of a string is too long"},
    {"no end of the last path", 144, BYTES("x"), BO_CORRUPT, 117,
     "string has no end, or nothing of its own"},
    {"a name shares all of the one before", 126, BYTES("\x02"), BO_CORRUPT, 117,
     "prefix of a string is too long"},
    {"a frame without its size", 121, BYTES("\0"), BO_CORRUPT, 117,
     "zstd frame is invalid or larger than its strings"},
};

static void expect_case(const char *codec_name, struct bo_span file, const struct test_case *c)
{
    uint8_t bad[256];
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    const struct bo_codec *codec = bo_find_codec(bo_find_format("autofdo"), codec_name);
    assert_true(file.n <= sizeof bad && c->at + c->bytes.n <= file.n);
    memcpy(bad, file.p, file.n);
    memcpy(bad + c->at, c->bytes.p, c->bytes.n);
    bo_arena_init(&arena, (size_t)1 << 24);
    const enum bo_status status =
        test_decode(codec, (struct bo_span){bad, file.n}, &arena, &model, &error);
    if (status != c->status ||
        (status && (error.off != c->off || strcmp(error.what, c->what) != 0)))
        fail_msg("%s: %s: %s at byte %llu: %s", codec_name, c->row, bo_status_name(status),
                 (unsigned long long)error.off, status ? error.what : "");
    bo_arena_free(&arena);
    struct bo_finding finding;
    struct bo_effort effort = bo_effort_default();
    if (!bo_check_bytes(bo_find_format("autofdo"), codec, (struct bo_span){bad, file.n}, &effort,
                        NULL, &finding))
        fail_msg("%s: %s: %s: %s", codec_name, c->row, finding.class, finding.detail);
}

TEST(test_head)
{
    for (size_t i = 0; i < N_ELEMENTS(head_cases); i++)
        expect_case("shared-trees", test_trees_file, &head_cases[i]);
}

/*
 * Up to 2^31 - 2 names of 2^31 - 1 bytes, and 2^32 - 2 places of lists and of variants, in files
 * that have room for more: of zeros, which are never read, so that they use no memory.
 */
TEST(test_most_places)
{
    enum { ROOM_NBYTES = 1 << 29, SUMMARY_NBYTES = 4 + 2 * AUTOFDO_N_CUTOFFS };
    static const struct {
        uint64_t n_names, text_nbytes, n_spots, n_parts;
        const char *what;
        bool is_above; /* else the file is rejected later, with another error */
    } rows[] = {{INT32_MAX, 0, 0, 0, "2^31 - 1 names or more", true},
                {INT32_MAX - 1, 0, 0, 0, "2^31 - 1 names or more", false},
                {0, INT32_MAX + UINT64_C(1), 0, 0, NAMES_EXPAND, true},
                {0, INT32_MAX, 0, 0, NAMES_EXPAND, false},
                {0, 0, UINT32_MAX, 0, PLACES_ROOM, true},
                {0, 0, UINT32_MAX - 1, 0, PLACES_ROOM, false},
                {0, 0, 0, UINT32_MAX, PLACES_ROOM, true},
                {0, 0, 0, UINT32_MAX - 1, PLACES_ROOM, false}};
    const size_t nbytes = ROOM_NBYTES + 4096;
    uint8_t *file = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(file != MAP_FAILED);
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct bo_arena arena;
        struct bo_writer head;
        struct bo_error error = {0};
        void *reader;
        bo_arena_init(&arena, 1 << 20);
        bo_writer_init(&head, &arena);
        bo_put_bytes(&head, "afst\0\0", 6);
        bo_put_uvarint(&head, rows[i].n_names);
        bo_put_uvarint(&head, 0); /* paths */
        bo_put_uvarint(&head, rows[i].text_nbytes);
        bo_put_uvarint(&head, rows[i].n_spots);
        bo_put_uvarint(&head, rows[i].n_parts);
        bo_put_uvarint(&head, 0); /* the first timestamp */
        bo_put_uvarint(&head, rows[i].n_names ? ROOM_NBYTES : 0);
        bo_put_zeros(&head, 2); /* no strings */
        bo_put_uvarint(&head, rows[i].n_names ? 0 : ROOM_NBYTES);
        bo_put_zeros(&head, SUMMARY_NBYTES);
        memcpy(file, head.p, head.n);
        const struct bo_span in = {file, head.n + ROOM_NBYTES};
        const struct bo_codec *codec = bo_find_codec(bo_find_format("autofdo"), "shared-trees");
        assert_true(codec->open(codec, in, &arena, &reader, &error) != BO_OK);
        if ((strcmp(error.what, rows[i].what) == 0) != rows[i].is_above)
            fail_msg("row %zu: %s", i, error.what);
        bo_writer_free(&head);
        bo_arena_free(&arena);
    }
    munmap(file, nbytes);
}

TEST(test_summary)
{
    for (size_t i = 0; i < N_ELEMENTS(summary_cases); i++)
        expect_case("shared-trees", test_trees_file, &summary_cases[i]);
}

TEST(test_index)
{
    for (size_t i = 0; i < N_ELEMENTS(index_cases); i++)
        expect_case("shared-trees", test_trees_file, &index_cases[i]);
}

TEST(test_names)
{
    for (size_t i = 0; i < N_ELEMENTS(names_cases); i++)
        expect_case("shared-trees", test_trees_file, &names_cases[i]);
}

TEST(test_trees)
{
    for (size_t i = 0; i < N_ELEMENTS(trees_cases); i++)
        expect_case("shared-trees", test_trees_file, &trees_cases[i]);
}

/* Rules that the first file cannot break: bits of other files are flipped, in two bytes. */
TEST(test_flips)
{
    static const char recursive[] = "a:0:0\n 1: b:0\n  1: a:0\n   1: b:0\n    1: a:0\n"
                                    "b:0:0\n 1: a:0\n 1: b:0\n";
    static const char last_place[] = "f:0:0\n 65535.4294967295: 1\n 65535.4294967295: f:0\n"
                                     "  0: 0\n";
    static const char discriminators[] = "f:0:0\n 1.4294967290: 1\n 1.4294967291: 1\n"
                                         " 1.4294967295: 1\n";
    static const char variants[] = "a:0:0\n 1: 1 t:1 u:2\n 2: 2 t:3\n 3: b:0\n  5: 1 t:4\n"
                                   "  6: b:0\n 3: c:0\nb:0:0\n 5: 2 u:1\n 6: c:0\n"
                                   "c:0:0\n 5: 1\n";
    static const struct {
        const char *text;
        size_t at;
        uint16_t flips;
        uint64_t off;
        const char *what;
    } rows[] = {
        {TEST_TREES_TEXT, 119, 7, 161, "grammar has more rules than announced"},
        {recursive, 6, 26, 95, "more variants than the structure has room for"},
        {recursive, 95, 1, 139, "variant is not part of any function"},
        {recursive, 108, 6, 136, "bytes after the grammar"},
        {last_place, 156, 0x120, 159, "place is out of range"},
        {discriminators, 143, 4, 143, "place is out of range"}, /* steps of 4 and 4 */
        {variants, 90, 240, 164, "target precedes the record of its place"},
        {variants, 156, 6, 156, "name has several variants, but no call"},
    };
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        assert_int_equal(codec->encode(codec, parse_text(rows[i].text, &arena), &out, NULL), BO_OK);
        bo_set_le16(out.p + rows[i].at, bo_le16(out.p + rows[i].at) ^ rows[i].flips);
        assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &model, &error),
                         BO_CORRUPT);
        if (strcmp(error.what, rows[i].what) != 0 || error.off != rows[i].off)
            fail_msg("row %zu: byte %llu: %s", i, (unsigned long long)error.off, error.what);
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

TEST(test_zstd)
{
    if (!test_trees_codec("shared-trees-zstd"))
        skip();
    for (size_t i = 0; i < N_ELEMENTS(zstd_cases); i++)
        expect_case("shared-trees-zstd", test_trees_zstd_file, &zstd_cases[i]);
}

TEST_FILE(NULL, NULL)
