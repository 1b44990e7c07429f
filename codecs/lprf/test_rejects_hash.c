/*
 * Bad hash tables: for each, the status, the byte and the phrase that decode must answer with; and
 * what decode takes, lookups must answer rightly.
 * Why: a table is a web of offsets, counts and hashes; each of them can point a lookup astray.
 *
 * The patterns hold the functions "b", "ab", "abc", "ab" (of another hash), in this order.
 */
#include <stdio.h>

#include "codecs/lprf/test_index.h"
#include "harness/core/hash.h"

/* ---- hash-chained ---------------------------------------------------------------------------- */

/*
 * Items at 16, 53 and 97; the table, of 8 buckets, at 136. Offsets in it are from byte 0: 24
 * more.
 */
static const struct test_pattern chained = {
    "hash-chained+u64", 2, 4,
    BYTES("\x01\0\0\0\0\0\0\0" /* XXH3 */
          "\xa0\0\0\0\0\0\0\0" /* the table */
          "\x01\0"             /* bucket 0 */
          "\x50\x39\x2f\x89\x94\x5f\xaf\x78\x03\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
          "abc\x20\x01\0\0\0\0\0\0"
          "\x01\0" /* bucket 4 */
          "\x5c\x73\xd5\x24\x9c\x71\x73\xa8\x02\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0"
          "ab\x08\x01\0\0\0\0\0\0\x38\x01\0\0\0\0\0\0"
          "\x01\0" /* bucket 7 */
          "\x3f\x84\xd8\x44\x1c\x0b\x5a\x57\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
          "b\xf0\0\0\0\0\0\0\0"
          "\0\0\0\0" /* up to a multiple of 8 */
          "\x08\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
          "\x28\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\x4d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x79\0\0\0\0\0\0\0")};

#define CHAINED_GAP "items of a bucket do not start where the bucket before ends"

static const struct test_case chained_cases[] = {
    {"unknown hash", 0, BYTES("\x02"), 0, BO_UNSUPPORTED, 0, "hash is of an unknown kind"},
    {"table before the items", 8, BYTES("\x20"), 0, BO_CORRUPT, 8, "table lies outside the index"},
    {"table not aligned", 8, BYTES("\xa1"), 0, BO_CORRUPT, 8, "table lies outside the index"},
    {"table at the end", 8, BYTES("\xf0"), 0, BO_CORRUPT, 8, "table lies outside the index"},
    {"table far away", 8, BYTES("\xa0\0\0\0\0\0\0\xff"), 0, BO_CORRUPT, 8,
     "table lies outside the index"},
    {"four buckets", 136, BYTES("\x04"), 0, BO_CORRUPT, 136,
     "number of buckets does not suit that of names"},
    {"2^63 names", 144, BYTES("\0\0\0\0\0\0\0\x80"), 0, BO_CORRUPT, 136,
     "number of buckets does not suit that of names"},
    {"a bucket too many", 0, BYTES("\x01"), 8, BO_CORRUPT, 136,
     "buckets do not end where the index does"},
    {"a byte too many", 0, BYTES("\x01"), 1, BO_CORRUPT, 136,
     "buckets do not end where the index does"},
    {"four names", 144, BYTES("\x04"), 0, BO_CORRUPT, 144,
     "number of names differs from the announced one"},
    {"bucket in the header", 152, BYTES("\x20"), 0, BO_CORRUPT, 152,
     "bucket lies outside the items"},
    {"bucket at the end of the items", 152, BYTES("\x9e"), 0, BO_CORRUPT, 152, CHAINED_GAP},
    {"bucket in the table", 152, BYTES("\x9f"), 0, BO_CORRUPT, 152,
     "bucket lies outside the items"},
    {"bucket of another", 152, BYTES("\x4d"), 0, BO_CORRUPT, 152, CHAINED_GAP},
    {"bucket of another number", 152, BYTES("\0\0\0\0\0\0\0\0\x28"), 0, BO_CORRUPT, 18,
     "item is in the wrong bucket"},
    {"bucket left out", 152, BYTES("\0"), 0, BO_CORRUPT, 184, CHAINED_GAP},
    {"bucket used twice", 160, BYTES("\x28"), 0, BO_CORRUPT, 160, CHAINED_GAP},
    {"bucket into its own item", 152, BYTES("\x29"), 0, BO_CORRUPT, 152, CHAINED_GAP},
    {"no items", 16, BYTES("\0"), 0, BO_CORRUPT, 16, "bucket is empty"},
    {"65535 items", 16, BYTES("\xff\xff"), 0, BO_TRUNCATED, 61, "name runs into the table"},
    {"wrong hash", 18, BYTES("\x51"), 0, BO_CORRUPT, 18, "hash is not the name's"},
    {"wrong name", 42, BYTES("B"), 0, BO_CORRUPT, 18, "hash is not the name's"},
    {"no name", 26, BYTES("\0"), 0, BO_CORRUPT, 26, "function without a name"},
    {"name up to the table", 26, BYTES("\x5e"), 0, BO_TRUNCATED, 34, "data runs into the table"},
    {"long name", 26, BYTES("\x5f"), 0, BO_TRUNCATED, 26, "name runs into the table"},
    {"name of 2^63", 26, BYTES("\x03\0\0\0\0\0\0\x80"), 0, BO_TRUNCATED, 26,
     "name runs into the table"},
    {"no data", 34, BYTES("\0"), 0, BO_CORRUPT, 34, "data is empty or not a multiple of 8 bytes"},
    {"half an offset", 34, BYTES("\x04"), 0, BO_CORRUPT, 34,
     "data is empty or not a multiple of 8 bytes"},
    {"data into the table", 34, BYTES("\x60"), 0, BO_TRUNCATED, 34, "data runs into the table"},
    {"record in the index", 45, BYTES("\xef\0"), 0, BO_CORRUPT, 45,
     "offset lies outside the records"},
    {"record past the end", 45, BYTES("\x50\x01"), 0, BO_CORRUPT, 45,
     "offset lies outside the records"},
    {"records of a name descend", 81, BYTES("\x38\x01\0\0\0\0\0\0\x08\x01"), 0, BO_CORRUPT, 89,
     "records of a name do not ascend"},
    {"a name's record twice", 89, BYTES("\x08"), 0, BO_CORRUPT, 89,
     "records of a name do not ascend"},
    {"another name's record", 45, BYTES("\x08"), 0, BO_CORRUPT, 216 + 48,
     "records overlap or leave a gap"},
    {"padding", 135, BYTES("\x01"), 0, BO_CORRUPT, 135, "padding is not 0"},
};

/* Two names whose items share a bucket: "a" and "b" of which there are two in all. */
static const struct test_pattern chained_two = {
    "hash-chained+u64", 2, 2,
    BYTES("\x01\0\0\0\0\0\0\0\x70\0\0\0\0\0\0\0\x02\0"
          "\x5c\x73\xd5\x24\x9c\x71\x73\xa8\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
          "ab\x88\0\0\0\0\0\0\0"
          "\xb7\xe3\x9f\x2c\x14\x81\xa8\xdf\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
          "bA\xa0\0\0\0\0\0\0\0\0\0"
          "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x28\0\0\0\0\0\0\0")};

static const struct test_case chained_two_cases[] = {
    {"items descend", 18,
     BYTES("\xb7\xe3\x9f\x2c\x14\x81\xa8\xdf\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
           "bA\xa0\0\0\0\0\0\0\0"
           "\x5c\x73\xd5\x24\x9c\x71\x73\xa8\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
           "ab\x88\0\0\0\0\0\0\0"),
     0, BO_CORRUPT, 52, "items of a bucket do not ascend"},
    {"a name twice", 52,
     BYTES("\x5c\x73\xd5\x24\x9c\x71\x73\xa8\x02\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
           "ab\xa0\0\0\0\0\0\0\0"),
     0, BO_CORRUPT, 52, "items of a bucket do not ascend"},
    {"an item less", 16, BYTES("\x01"), 0, BO_CORRUPT, 96,
     "number of names differs from the announced one"},
};

/* One name whose item ends at a multiple of 8, at 56, where the table starts. */
#define ONE_ITEM                                                                 \
    "\x01\0\xb6\x7d\xc4\xd3\x32\xbd\x87\xda\x06\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0" \
    "abcdef"
#define ONE_BUCKET "\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x28\0\0\0\0\0\0\0"
static const struct test_pattern chained_one = {
    "hash-chained+u64", 2, 1,
    BYTES("\x01\0\0\0\0\0\0\0\x50\0\0\0\0\0\0\0" ONE_ITEM "\x68\0\0\0\0\0\0\0" ONE_BUCKET)};

static const struct test_case chained_one_cases[] = {
    {"as many bytes before the table as it is aligned to", 8,
     BYTES("\x58\0\0\0\0\0\0\0" ONE_ITEM "\x70\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" ONE_BUCKET), 8,
     BO_CORRUPT, 56, "bytes after the last item"},
};

TEST(test_chained)
{
    test_expect_cases(&chained_one, chained_one_cases, N_ELEMENTS(chained_one_cases));
    test_expect_cases(&chained, chained_cases, N_ELEMENTS(chained_cases));
    test_expect_cases(&chained_two, chained_two_cases, N_ELEMENTS(chained_two_cases));
}

/* ---- hash-chained-lean ----------------------------------------------------------------------- */

/* Items from 20 on: "b" and "abc" in bucket 0, "ab" at 30 in bucket 1. */
static const struct test_pattern lean = {"hash-chained-lean+u64", 3, 4,
                                         BYTES("\x01\x01\0\0\x03\0\0\0"
                                               "\0\0\0\0\x0a\0\0\0\x10\0\0\0"
                                               "\x3f\x01\x00"
                                               "b"
                                               "\x50\x03\x60"
                                               "abc"
                                               "\x5c\x02\x31\x90"
                                               "ab")};

#define BUCKET_OUTSIDE "bucket lies outside the items"

static const struct test_case lean_cases[] = {
    {"unknown hash", 0, BYTES("\0"), 0, BO_UNSUPPORTED, 0, "hash is of an unknown kind"},
    {"width 0", 1, BYTES("\0"), 0, BO_CORRUPT, 1, "width of places is not 1 to 8"},
    {"width 8", 1, BYTES("\x08"), 0, BO_TRUNCATED, 21, "name runs past its bucket's end"},
    {"width 9", 1, BYTES("\x09"), 0, BO_CORRUPT, 1, "width of places is not 1 to 8"},
    {"padding in its first byte", 2, BYTES("\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"padding", 3, BYTES("\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"two names", 4, BYTES("\x02"), 0, BO_CORRUPT, 4,
     "number of names differs from the announced one"},
    {"2^32 - 1 names", 4, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 4,
     "buckets run past the index's end"},
    {"first bucket not first", 8, BYTES("\x04"), 0, BO_CORRUPT, 8,
     "items of a bucket do not start where the bucket before ends"},
    {"buckets descend", 12, BYTES("\x11"), 0, BO_CORRUPT, 8, BUCKET_OUTSIDE},
    {"bucket far away", 12, BYTES("\x0a\0\0\x80"), 0, BO_CORRUPT, 8, BUCKET_OUTSIDE},
    {"last end before its start", 16, BYTES("\x09"), 0, BO_CORRUPT, 12, BUCKET_OUTSIDE},
    {"last end too late", 16, BYTES("\x11"), 0, BO_CORRUPT, 12, BUCKET_OUTSIDE},
    {"bytes after", 0, BYTES("\x01"), 1, BO_CORRUPT, 36, "bytes after the last item"},
    {"item in the wrong bucket", 12, BYTES("\x10"), 0, BO_CORRUPT, 30,
     "item is in the wrong bucket"},
    {"item across its bucket's end", 12, BYTES("\x09"), 0, BO_TRUNCATED, 25,
     "name runs past its bucket's end"},
    {"wrong tag", 20, BYTES("\x40"), 0, BO_CORRUPT, 20, "tag is not that of the name's hash"},
    {"wrong name", 23, BYTES("c"), 0, BO_CORRUPT, 20, "tag is not that of the name's hash"},
    {"no name", 21, BYTES("\0"), 0, BO_CORRUPT, 21, "function without a name"},
    {"long name", 21, BYTES("\x08"), 0, BO_TRUNCATED, 21, "name runs past its bucket's end"},
    {"length not shortest", 21, BYTES("\x81\0"), 0, BO_CORRUPT, 21,
     "varint is not in its shortest form"},
    {"length cut", 31, BYTES("\xff\xff\xff\xff\xff"), 0, BO_TRUNCATED, 31,
     "varint runs past the end"},
    {"items descend", 20, BYTES("\x50\x03\x60\x61\x62\x63\x3f\x01\0b"), 0, BO_CORRUPT, 26,
     "items are not in order of hash and name"},
    {"records of a name descend", 32, BYTES("\x91\x30"), 0, BO_CORRUPT, 33,
     "records of a name do not ascend"},
    {"places without end", 32, BYTES("\x31\x91\x93\x95"), 0, BO_TRUNCATED, 36,
     "place of a record runs past its end"},
    {"record past the end", 26, BYTES("\xc0"), 0, BO_CORRUPT, 26,
     "record lies past the file's end"},
    {"record inside another", 26, BYTES("\x5e"), 0, BO_CORRUPT, 36 + 48,
     "records overlap or leave a gap"},
};

TEST(test_lean)
{
    test_expect_cases(&lean, lean_cases, N_ELEMENTS(lean_cases));
}

/* ---- hash-open ------------------------------------------------------------------------------- */

/* Four slots from 16 on, the first empty; entries from 48 on. */
static const struct test_pattern open_addressing = {"hash-open+u64", 4, 4,
                                                    BYTES("\x01\x01\0\0\x03\0\0\0"
                                                          "\x04\0\0\0\0\0\0\0"
                                                          "\0\0\0\0\0\0\0\0"
                                                          "\x1c\x0b\x5a\x57\x01\0\0\0"
                                                          "\x94\x5f\xaf\x78\x09\0\0\0"
                                                          "\x9c\x71\x73\xa8\x04\0\0\0"
                                                          "\x01\x00"
                                                          "b"
                                                          "\x02\x31\x90"
                                                          "ab"
                                                          "\x03\x60"
                                                          "abc")};

#define NO_SLOT "no slot that a lookup tries points to this name"

static const struct test_case open_cases[] = {
    {"unknown hash", 0, BYTES("\xff"), 0, BO_UNSUPPORTED, 0, "hash is of an unknown kind"},
    {"width 0", 1, BYTES("\0"), 0, BO_CORRUPT, 1, "width of places is not 1 to 8"},
    {"width 8", 1, BYTES("\x08"), 0, BO_CORRUPT, 48, NO_SLOT},
    {"width 9", 1, BYTES("\x09"), 0, BO_CORRUPT, 1, "width of places is not 1 to 8"},
    {"padding", 2, BYTES("\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"padding in its second byte", 3, BYTES("\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"two names", 4, BYTES("\x02"), 0, BO_CORRUPT, 4,
     "number of names differs from the announced one"},
    {"four names", 4, BYTES("\x04"), 0, BO_CORRUPT, 8,
     "number of slots does not suit that of names"},
    {"three slots", 8, BYTES("\x03"), 0, BO_CORRUPT, 8,
     "number of slots does not suit that of names"},
    {"eight slots", 8, BYTES("\x08"), 0, BO_CORRUPT, 8,
     "number of slots does not suit that of names"},
    {"2^63 slots", 8, BYTES("\x04\0\0\0\0\0\0\x80"), 0, BO_CORRUPT, 8,
     "number of slots does not suit that of names"},
    {"slots past the end", 4, BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f\x01"), 0, BO_TRUNCATED, 8,
     "slots run past the index's end"},
    {"a slot that nobody needs", 8,
     BYTES("\x05\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\x1c\x0b\x5a\x57\x01\0\0\0"
           "\x94\x5f\xaf\x78\x09\0\0\0"
           "\x9c\x71\x73\xa8\x04\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\x01\0b\x02\x31\x90\x61\x62\x03\x60\x61\x62\x63"),
     8, BO_CORRUPT, 8, "more slots than the names need"},
    {"empty slot with a fingerprint", 16, BYTES("\x01"), 0, BO_CORRUPT, 16,
     "free slot has a fingerprint"},
    {"slot of a name empty", 24, BYTES("\0\0\0\0\0\0\0\0"), 0, BO_CORRUPT, 32,
     "name is not in the first slot that it may take"},
    {"fingerprints descend", 24, BYTES("\x95\x5f\xaf\x78"), 0, BO_CORRUPT, 32,
     "fingerprints do not ascend"},
    {"fingerprint of the same slot", 24, BYTES("\x1d"), 0, BO_CORRUPT, 48, NO_SLOT},
    {"slot past the end", 28, BYTES("\x0e"), 0, BO_CORRUPT, 48, NO_SLOT},
    {"slot of another name", 28, BYTES("\x04"), 0, BO_CORRUPT, 48, NO_SLOT},
    {"slot into a name", 36, BYTES("\x0a"), 0, BO_CORRUPT, 56, NO_SLOT},
    {"other name", 50, BYTES("c"), 0, BO_CORRUPT, 48, NO_SLOT},
    {"no name", 48, BYTES("\0"), 0, BO_CORRUPT, 48, "function without a name"},
    {"long name", 56, BYTES("\x04"), 0, BO_TRUNCATED, 56, "name runs past the index's end"},
    {"length not shortest", 48, BYTES("\x81\0"), 0, BO_CORRUPT, 48,
     "varint is not in its shortest form"},
    {"length cut", 56, BYTES("\xff\xff\xff\xff\xff"), 0, BO_TRUNCATED, 56,
     "varint runs past the end"},
    {"bytes after", 0, BYTES("\x01"), 1, BO_CORRUPT, 61, "bytes after the last name"},
    {"places without end", 57, BYTES("\x61\x63\x65\x67"), 0, BO_TRUNCATED, 61,
     "place of a record runs past its end"},
    {"names not in file order", 49, BYTES("\x60"), 0, BO_CORRUPT, 52,
     "names are not in file order"},
    {"record past the end", 57, BYTES("\xc0"), 0, BO_CORRUPT, 57,
     "record lies past the file's end"},
};

TEST(test_open)
{
    test_expect_cases(&open_addressing, open_cases, N_ELEMENTS(open_cases));
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The numbers of two names "nNUMBER" that have one fingerprint. */
static void find_equal_fingerprints(unsigned numbers_ret[2], uint32_t *fingerprint_ret)
{
    enum { N = 1 << 18 }; /* about eight pairs are equal */
    uint64_t *all = malloc(N * sizeof *all);
    assert_non_null(all);
    for (unsigned i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        all[i] = (bo_hash(bo_span_of(name)) >> 32 << 32) | i;
    }
    qsort(all, N, sizeof *all, compare_u64);
    unsigned i = 1;
    while (i < N && all[i] >> 32 != all[i - 1] >> 32)
        i++;
    assert_true(i < N);
    numbers_ret[0] = (uint32_t)all[i - 1];
    numbers_ret[1] = (uint32_t)all[i];
    *fingerprint_ret = (uint32_t)(all[i] >> 32);
    free(all);
}

/* Functions named "n" and a number, in an encoding of hash-open. */
struct numbered {
    const struct bo_codec *codec;
    struct bo_arena arena;
    struct bo_writer text, out;
};

static void begin_numbered(struct numbered *n)
{
    n->codec = bo_find_codec(bo_find_format("lprf"), "hash-open+u64");
    bo_arena_init(&n->arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&n->text, &n->arena);
    bo_writer_init(&n->out, &n->arena);
}

static void put_numbered(struct numbered *n, unsigned number)
{
    bo_put_text(&n->text, "n%u\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n1\n\n",
                number);
}

/* Encodes them; decoding gives the same functions. */
static void encode_numbered(struct numbered *n)
{
    const struct bo_format *format = bo_find_format("lprf");
    struct bo_error error = {0};
    void *model, *decoded;
    assert_int_equal(format->parse(bo_writer_span(&n->text), &n->arena, &model, &error), BO_OK);
    assert_int_equal(n->codec->encode(n->codec, model, &n->out, &error), BO_OK);
    assert_int_equal(
        n->codec->decode(n->codec, bo_writer_span(&n->out), &n->arena, &decoded, &error), BO_OK);
    assert_null(format->differ(model, decoded));
}

/* The bytes are rejected with these words. Returns where. */
static uint64_t expect_corrupt(struct numbered *n, const char *what)
{
    struct bo_error error = {0};
    void *decoded;
    assert_int_equal(
        n->codec->decode(n->codec, bo_writer_span(&n->out), &n->arena, &decoded, &error),
        BO_CORRUPT);
    assert_string_equal(error.what, what);
    return error.off;
}

static void end_numbered(struct numbered *n)
{
    bo_writer_free(&n->out);
    bo_writer_free(&n->text);
    bo_arena_free(&n->arena);
}

/* Names of one fingerprint are in neighbouring slots, in the order of their bytes. */
TEST(test_equal_fingerprints)
{
    struct numbered n;
    unsigned numbers[2];
    uint32_t fingerprint;
    begin_numbered(&n);
    find_equal_fingerprints(numbers, &fingerprint);
    for (unsigned i = 0; i < 2; i++)
        put_numbered(&n, numbers[i]);
    encode_numbered(&n);
    size_t at = TEST_INDEX_OFF + 16;
    while (at + 16 <= n.out.n && bo_le32(n.out.p + at) != fingerprint)
        at += 8;
    assert_int_equal(bo_le32(n.out.p + at + 8), fingerprint);
    const uint64_t first = bo_le64(n.out.p + at);
    bo_set_le64(n.out.p + at, bo_le64(n.out.p + at + 8));
    bo_set_le64(n.out.p + at + 8, first);
    assert_int_equal(expect_corrupt(&n, "names of one fingerprint do not ascend"), at + 8);
    end_numbered(&n);
}

/* Many names with the same home: all are found, and a slot that points to another name is not. */
TEST(test_crowded_home)
{
    enum { N = 60 };
    struct numbered n;
    begin_numbered(&n);
    for (unsigned i = 0, n_put = 0; n_put < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        if (bo_hash(bo_span_of(name)) >> 56)
            continue;
        put_numbered(&n, i);
        n_put++;
    }
    encode_numbered(&n);
    uint8_t *slots = n.out.p + TEST_INDEX_OFF + 16;
    for (unsigned i = 0; i + 1 < N; i++) {
        const uint32_t first = bo_le32(slots + 8 * i + 4), second = bo_le32(slots + 8 * i + 12);
        assert_true(first && second);
        bo_set_le32(slots + 8 * i + 4, second);
        bo_set_le32(slots + 8 * i + 12, first);
        expect_corrupt(&n, NO_SLOT);
        bo_set_le32(slots + 8 * i + 4, first);
        bo_set_le32(slots + 8 * i + 12, second);
    }
    end_numbered(&n);
}

/* ---- accel ----------------------------------------------------------------------------------- */

/*
 * The table starts at 4, its buckets at 36, hashes at 48, offsets at 60, data at 72, strings at
 * 124.
 */
static const struct test_pattern accel = {"accel+u64", 5, 4,
                                          BYTES("\x78\0\0\0"
                                                "HSAH\x01\0\0\0\x03\0\0\0\x03\0\0\0"
                                                "\x0c\0\0\0\0\0\0\0\x01\0\0\0\x01\0\x06\0"
                                                "\0\0\0\0\xff\xff\xff\xff\x01\0\0\0"
                                                "\x8b\x5c\x88\x0b\x07\xb6\x02\0\x28\x77\x59\0"
                                                "\x44\0\0\0\x54\0\0\0\x64\0\0\0"
                                                "\x01\0\0\0\x01\0\0\0\x30\0\0\0\0\0\0\0"
                                                "\x05\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0"
                                                "\x07\0\0\0\x02\0\0\0\x18\0\0\0\x48\0\0\0\0\0\0\0"
                                                "\0\x03"
                                                "abc\x01"
                                                "b\x02"
                                                "ab")};

#define ACCEL_KIND "table is of an unsupported kind"
#define ACCEL_GAP "hashes of a bucket do not start where the bucket before ends"

static const struct test_case accel_cases[] = {
    {"table ends in its head", 0, BYTES("\x1f"), 0, BO_CORRUPT, 0,
     "strings start outside the index"},
    {"no string section", 0, BYTES("\x82"), 0, BO_CORRUPT, 0, "strings start outside the index"},
    {"no magic", 4, BYTES("h"), 0, BO_UNSUPPORTED, 4, ACCEL_KIND},
    {"version 2", 8, BYTES("\x02"), 0, BO_UNSUPPORTED, 8, ACCEL_KIND},
    {"unknown hash", 10, BYTES("\x01"), 0, BO_UNSUPPORTED, 10, ACCEL_KIND},
    {"another form", 34, BYTES("\x0b"), 0, BO_UNSUPPORTED, 34, ACCEL_KIND},
    {"number of buckets is 0", 12, BYTES("\0"), 0, BO_CORRUPT, 12,
     "number of buckets does not suit that of hashes"},
    {"hashes past the end", 12, BYTES("\xff\xff\xff\x3f\xff\xff\xff\xff"), 0, BO_TRUNCATED, 16,
     "hashes run past the table's end"},
    {"bucket empty", 36, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 44, ACCEL_GAP},
    {"bucket not first", 36, BYTES("\x01"), 0, BO_CORRUPT, 36, ACCEL_GAP},
    {"bucket past the hashes", 40, BYTES("\x03\0\0\0"), 0, BO_CORRUPT, 40, ACCEL_GAP},
    {"bucket of another's hash", 40, BYTES("\x01\0\0\0"), 0, BO_CORRUPT, 52,
     "hash is in the wrong bucket"},
    {"last bucket empty", 44, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 52, "hash is in no bucket"},
    {"hashes of a bucket descend", 52, BYTES("\x28\x77\x59\0\x07\xb6\x02\0"), 0, BO_CORRUPT, 56,
     "hashes of a bucket do not ascend"},
    {"hash twice", 52, BYTES("\x07\xb6\x02\0\x07\xb6\x02\0"), 0, BO_CORRUPT, 56,
     "hashes of a bucket do not ascend"},
    {"wrong hash", 48, BYTES("\x8e"), 0, BO_CORRUPT, 72, "hash is not the name's"},
    {"offset of another", 60, BYTES("\x54"), 0, BO_CORRUPT, 60,
     "names of a hash do not start where the hash before ends"},
    {"offset before the data", 60, BYTES("\x40"), 0, BO_CORRUPT, 60,
     "names of a hash do not start where the hash before ends"},
    {"hash without a name", 72, BYTES("\0"), 0, BO_CORRUPT, 72, "hash without a name"},
    {"string outside", 72, BYTES("\x0a"), 0, BO_CORRUPT, 72,
     "string lies outside the string section"},
    {"string of another", 72, BYTES("\x05"), 0, BO_CORRUPT, 72,
     "string does not start where the one before ends"},
    {"name without a record", 76, BYTES("\0"), 0, BO_CORRUPT, 76, "name without a record"},
    {"2^32 - 1 records", 76, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 76,
     "offsets run past the table's end"},
    {"record past the end", 80, BYTES("\x60"), 0, BO_CORRUPT, 80,
     "record lies past the file's end"},
    {"records of a name descend", 112, BYTES("\x48\0\0\0\x18"), 0, BO_CORRUPT, 116,
     "records of a name do not ascend"},
    {"names without end", 120, BYTES("\x01"), 0, BO_TRUNCATED, 124,
     "names of a hash run past the table's end"},
    {"record of another", 80, BYTES("\x18"), 0, BO_CORRUPT, 134 + 48,
     "records overlap or leave a gap"},
    {"strings do not start with 0", 124, BYTES("\x01"), 0, BO_CORRUPT, 124,
     "string section does not start with 0"},
    {"empty name", 125, BYTES("\0"), 0, BO_CORRUPT, 125, "function without a name"},
    {"long name", 131, BYTES("\x03"), 0, BO_TRUNCATED, 131, "name runs past the index's end"},
    {"length not shortest", 125, BYTES("\x83\0"), 0, BO_CORRUPT, 125,
     "varint is not in its shortest form"},
    {"bytes after", 0, BYTES("\x78"), 1, BO_CORRUPT, 134, "bytes after the last string"},
};

/* "ab" and "bA" have the same DJB hash. */
#define COLLISION_TABLE                                                          \
    "HSAH\x01\0\0\0\x01\0\0\0\x01\0\0\0\x0c\0\0\0\0\0\0\0\x01\0\0\0\x01\0\x06\0" \
    "\0\0\0\0\x28\x77\x59\0\x2c\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0"               \
    "\x04\0\0\0\x01\0\0\0\x18\0\0\0\0\0\0\0"
#define COLLISION_STRINGS "\0\x02\x61\x62\x02\x62\x41"

static const struct test_pattern accel_collision = {
    "accel+u64", 5, 2, BYTES("\x48\0\0\0" COLLISION_TABLE COLLISION_STRINGS)};

static const struct test_case accel_collision_cases[] = {
    {"names descend", 78, BYTES("bA\x02\x61\x62"), 0, BO_CORRUPT, 60,
     "names of a hash do not ascend"},
    {"a name twice", 81, BYTES("ab"), 0, BO_CORRUPT, 60, "names of a hash do not ascend"},
    {"bytes before the strings", 0,
     BYTES("\x4c\0\0\0" COLLISION_TABLE "\0\0\0\0" COLLISION_STRINGS), 4, BO_CORRUPT, 76,
     "bytes after the last name's data"},
};

TEST(test_accel)
{
    test_expect_cases(&accel, accel_cases, N_ELEMENTS(accel_cases));
    test_expect_cases(&accel_collision, accel_collision_cases, N_ELEMENTS(accel_collision_cases));
}

/* ---- lookups --------------------------------------------------------------------------------- */

TEST(test_lookups)
{
    static const struct test_case in_open[] = {
        {"as it is", 0, BYTES(""), 0, BO_OK, 0, NULL},
        {"slot of the last byte", 36, BYTES("\x0d"), 0, BO_TRUNCATED, 0,
         "place of a record runs past its end"},
        {"slot past the end", 36, BYTES("\x0e"), 0, BO_CORRUPT, 0,
         "slot points past the index's end"},
    };
    static const struct test_case in_accel[] = {
        {"as it is", 0, BYTES(""), 0, BO_OK, 0, NULL},
        {"names before the data", 60, BYTES("\x43"), 0, BO_CORRUPT, 0,
         "names lie outside the table"},
        {"names at the table's end", 60, BYTES("\x78"), 0, BO_TRUNCATED, 0,
         "names of a hash run past the table's end"},
        {"names past the table", 60, BYTES("\x79"), 0, BO_CORRUPT, 0,
         "names lie outside the table"},
    };
    for (size_t i = 0; i < N_ELEMENTS(in_open); i++)
        test_expect_lookup(&open_addressing, &in_open[i], "abc");
    for (size_t i = 0; i < N_ELEMENTS(in_accel); i++)
        test_expect_lookup(&accel, &in_accel[i], "abc");
}

TEST_FILE(NULL, NULL)
