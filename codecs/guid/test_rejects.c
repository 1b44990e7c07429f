/*
 * What readers of sets of GUIDs must reject. Why: each rule of README.md holds, with the byte that
 * its error names.
 */
#define TEST_FORMAT "guid"
#include <sys/mman.h>

#include "codecs/guid/queries.h"
#include "harness/test_format.h"

/* One byte of an encoding of the set below that is changed, or where it is cut. */
struct change {
    size_t at;
    uint8_t to;
    bool cuts, appends;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

static const char text[] = "guid 1\n0x1 5\n0x2 -\n0x8000000000000007 300\n";

static void expect_changes(const char *original, const char *codec_name,
                           const struct change *changes, size_t n)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), codec_name);
    for (size_t i = 0; i < n; i++) {
        const struct change *change = &changes[i];
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        assert_int_equal(codec->encode(codec, parse_text(original, &arena), &out, NULL), BO_OK);
        if (change->cuts)
            out.n = change->at;
        else if (change->appends)
            bo_put_u8(&out, change->to);
        else
            out.p[change->at] = change->to;
        const enum bo_status status =
            test_decode(codec, bo_writer_span(&out), &arena, &model, &error);
        if (status != change->status || error.off != change->off ||
            strcmp(error.what ? error.what : "", change->what) != 0)
            fail_msg("%s, change %u: %s at byte %u: %s", codec_name, (unsigned)i,
                     bo_status_name(status), (unsigned)error.off, error.what ? error.what : "-");
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}
#define EXPECT(codec, changes) expect_changes(text, codec, changes, N_ELEMENTS(changes))

static const char too_long[] = "body ends before its start or is too long";

TEST(test_sorted)
{
    static const struct change changes[] = {
        {.at = 7,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "file is shorter than its header"},
        {.at = 43,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "arrays run past the end of the file"},
        {.appends = true, .status = BO_CORRUPT, .off = 44, .what = "bytes after the arrays"},
        {.at = 16, .to = 1, .status = BO_CORRUPT, .off = 16, .what = "GUIDs do not ascend"},
        {.at = 36, .to = 4, .status = BO_CORRUPT, .off = 36, .what = too_long},
        {.at = 43, .to = 2, .status = BO_CORRUPT, .off = 40, .what = too_long},
    };
    EXPECT("sorted", changes);
}

TEST(test_llvm103)
{
    /* 0: N = 3; 1: GUIDs; 25: K = 2; 26: 0, 0; 28: 2, 5; 30: 305 in 2 bytes */
    static const struct change changes[] = {
        {.at = 0,
         .to = 4,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "GUIDs run past the end of the file"},
        {.at = 9, .to = 1, .status = BO_CORRUPT, .off = 9, .what = "GUIDs do not ascend"},
        {.at = 28,
         .to = 3,
         .status = BO_CORRUPT,
         .off = 28,
         .what = "index of a GUID is out of order or range"},
        {.at = 28,
         .to = 0,
         .status = BO_CORRUPT,
         .off = 28,
         .what = "index of a GUID is out of order or range"},
        {.at = 27,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 27,
         .what = "first body does not start at 0"},
        {.at = 29, .to = 0, .status = BO_CORRUPT, .off = 29, .what = too_long},
        {.appends = true, .status = BO_CORRUPT, .off = 32, .what = "bytes after the tables"},
    };
    EXPECT("llvm103", changes);
}

TEST(test_chained)
{
    /* n = 3, B = 8; at 8 the buckets, 1, 2 and 7 with items at 72, 86 and 100; at 114 the total */
    static const struct change changes[] = {
        {.at = 11,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "file is shorter than its header"},
        {.at = 4,
         .to = 4,
         .status = BO_CORRUPT,
         .off = 4,
         .what = "number of buckets is not that for the GUIDs"},
        {.at = 75,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 4,
         .what = "buckets run past the end of the file"},
        {.at = 76,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "items run past the end of the file"},
        {.at = 16,
         .to = 200,
         .status = BO_CORRUPT,
         .off = 16,
         .what = "bucket is outside of the items"},
        {.at = 24,
         .to = 87,
         .status = BO_CORRUPT,
         .off = 24,
         .what = "bucket is outside of the items"},
        {.at = 24,
         .to = 72,
         .status = BO_CORRUPT,
         .off = 24,
         .what = "bucket does not start where the one before ends"},
        {.at = 16,
         .to = 0,
         .status = BO_CORRUPT,
         .off = 24,
         .what = "bucket does not start where the one before ends"},
        {.at = 64,
         .to = 0,
         .status = BO_CORRUPT,
         .off = 100,
         .what = "buckets hold fewer items than announced"},
        {.at = 74,
         .to = 2,
         .status = BO_CORRUPT,
         .off = 74,
         .what = "GUID is in the wrong bucket or out of order"},
        {.at = 82, .to = 1, .status = BO_CORRUPT, .off = 82, .what = too_long},
        {.at = 96, .to = 6, .status = BO_CORRUPT, .off = 96, .what = too_long},
        {.at = 117, .to = 2, .status = BO_CORRUPT, .off = 110, .what = too_long},
    };
    EXPECT("chained", changes);
}

TEST(test_eytzinger)
{
    /* K = 2, M = 1; GUIDs at 16 and 32; starts at 40 */
    static const struct change changes[] = {
        {.at = 19,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "file is shorter than its header"},
        {.at = 0,
         .to = 3,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "arrays run past the end of the file"},
        {.at = 8,
         .to = 2,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "arrays run past the end of the file"},
        {.appends = true, .status = BO_CORRUPT, .off = 52, .what = "bytes after the arrays"},
        {.at = 31,
         .to = 255,
         .status = BO_CORRUPT,
         .off = 16,
         .what = "GUIDs are not in breadth-first order"},
        {.at = 32,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 16,
         .what = "GUID is both with and without a body"},
        {.at = 40,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 40,
         .what = "first body does not start at 0"},
        {.at = 45, .to = 2, .status = BO_CORRUPT, .off = 48, .what = too_long},
        {.at = 51, .to = 2, .status = BO_CORRUPT, .off = 48, .what = too_long},
    };
    EXPECT("eytzinger", changes);
}

/* The second of two GUIDs, 9, becomes the first one. */
TEST(test_equal_guids)
{
    static const struct change
        chained =
            {30, 1, false, false, BO_CORRUPT, 30, "GUID is in the wrong bucket or out of order"},
        eytzinger = {16, 1, false, false, BO_CORRUPT, 16, "GUIDs are not in breadth-first order"};
    expect_changes("guid 1\n0x1 5\n0x9 5\n", "chained", &chained, 1);
    expect_changes("guid 1\n0x1 5\n0x9 5\n", "eytzinger", &eytzinger, 1);
}

/*
 * Neighbouring keys differ in one bit, so that some changed bit makes a key twice. No such set is
 * decoded.
 */
static void expect_no_key_twice(const char *codec_name)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), codec_name);
    enum { N = 64 };
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(N, &arena, &model);
    assert_non_null(entries);
    for (uint32_t i = 0; i < N; i++)
        entries[i] = (struct guid_entry){i, GUID_NO_BODY};
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    unsigned n_equal = 0;
    for (size_t bit = 0; bit < 8 * out.n; bit++) {
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        struct bo_error error = {0};
        void *decoded;
        out.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (codec->decode(codec, bo_writer_span(&out), &arena, &decoded, &error) != BO_OK) {
            n_equal += strcmp(error.what, "keys do not ascend") == 0;
        } else {
            size_t n;
            uint64_t total;
            const struct guid_entry *got = guid_entries(decoded, &n, &total);
            for (size_t i = 1; i < n; i++)
                assert_true(got[i - 1].guid < got[i].guid);
        }
        out.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        bo_arena_rewind(&arena, mark);
    }
    assert_true(n_equal > 0);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_quotients)
{
    /*
     * d = 2, w = 62, l = 6; header 8, directory 16; the block at 24: m, 1100 and 1000 of buckets,
     * 186 bits of rests, 18 of low and 3 + 4 of high bits: 18 + 7 + 186 + 18 + 7 + 4 bits
     */
    static const struct change changes[] = {
        {.at = 7,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "file is shorter than its header"},
        {.at = 3,
         .to = 0x10,
         .status = BO_CORRUPT,
         .off = 0,
         .what = "number of GUIDs is 2^28 or more"},
        {.at = 60,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 8,
         .what = "directory runs past the end of the file"},
        {.at = 1,
         .to = 255,
         .status = BO_TRUNCATED,
         .off = 8,
         .what = "directory runs past the end of the file"},
        {.at = 64,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "blocks run past the end of the file"},
        {.at = 16,
         .to = 255,
         .status = BO_CORRUPT,
         .off = 8,
         .what = "block is outside of the file"},
        {.at = 24,
         .to = 2,
         .status = BO_CORRUPT,
         .off = 8,
         .what = "size of a block is not that of its keys and bodies"},
        {.at = 12,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 8,
         .what = "block or its bodies do not start where the ones before end"},
        {.at = 4,
         .to = 0x32,
         .status = BO_CORRUPT,
         .off = 0,
         .what = "blocks hold fewer GUIDs or body bytes than announced"},
    };
    EXPECT("quotients", changes);
    static const char *const phrases[] = {"buckets have more keys than the block",
                                          "buckets have fewer keys than the block",
                                          "keys do not ascend",
                                          too_long,
                                          "ends of bodies exceed those of the block",
                                          "bodies of a block do not end with it",
                                          "padding is not zero",
                                          "blocks have more keys than there are GUIDs"};
    expect_rejections("quotients", 40, 12, phrases, N_ELEMENTS(phrases));
    expect_no_key_twice("quotients");
}

TEST(test_perfect_hash)
{
    /*
     * B = 1, m = 4, l = 6; header 12, a pilot, groups at 14, entries of 38 bits at 22, 4 + 4 high
     * bits at 41, 40 zeros
     */
    static const struct change changes[] = {
        {.at = 11,
         .cuts = true,
         .status = BO_TRUNCATED,
         .off = 0,
         .what = "file is shorter than its header"},
        {.at = 3,
         .to = 0x10,
         .status = BO_CORRUPT,
         .off = 0,
         .what = "number of GUIDs is 2^28 or more"},
        {.at = 7,
         .to = 3,
         .status = BO_CORRUPT,
         .off = 4,
         .what = "bodies are longer than 2^24 - 1 bytes for each GUID"},
        {.at = 8,
         .to = 4,
         .status = BO_CORRUPT,
         .off = 8,
         .what = "more GUIDs are listed than there are"},
        {.at = 1,
         .to = 1,
         .status = BO_TRUNCATED,
         .off = 12,
         .what = "entries run past the end of the file"},
        {.appends = true,
         .status = BO_CORRUPT,
         .off = 18,
         .what = "size of the file is not that of its parts"},
        {.at = 8,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 18,
         .what = "size of the file is not that of its parts"},
        {.at = 41,
         .to = 0,
         .status = BO_CORRUPT,
         .off = 41,
         .what = "body ends run past their bits"},
        {.at = 81,
         .to = 1,
         .status = BO_CORRUPT,
         .off = 81,
         .what = "byte differs from the encoding of these GUIDs"},
    };
    EXPECT("perfect-hash-32", changes);
    static const char *const phrases[] = {too_long, "slot belongs to a GUID that is in the list",
                                          "byte differs from the encoding of these GUIDs"};
    expect_rejections("perfect-hash-32", 40, 12, phrases, N_ELEMENTS(phrases));
}

/* Two GUIDs that no pilot separates, and one with the fingerprint of a free slot, are listed. */
TEST(test_list)
{
    enum { N = 2000 };
    const struct bo_codec *codec = bo_find_codec(test_format(), "perfect-hash-32");
    struct bo_random random = bo_random_seeded(1);
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    struct bo_error error = {0};
    void *reader, *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(N, &arena, &model);
    assert_non_null(entries);
    for (uint32_t i = 0; i < N; i++) /* two keys that differ in the lowest bit, and any others */
        entries[i] = (struct guid_entry){i < 2 ? (UINT64_C(0x1234567800000000) | i) *
                                                     UINT64_C(0xf1de83e19937733d)
                                               : bo_random_u64(&random),
                                         i + 1};
    entries[2] = (struct guid_entry){0, GUID_NO_BODY};
    assert_true(bo_records_settle(&guid_shape, model, &arena));
    assert_int_equal(codec->encode(codec, model, &out, &error), BO_OK);
    const uint32_t n_listed = bo_le32(out.p + 8);
    assert_in_range(n_listed, 3, 200);
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, &error), BO_OK);
    entries = model->items;
    for (uint32_t i = 0; i < N; i++) {
        const struct guid_find_query query = {entries[i].guid};
        struct guid_find_answer answer;
        assert_int_equal(codec->query(codec, reader, GUID_FIND, &query, 1, &answer, &error), BO_OK);
        assert_int_equal(answer.state, i ? GUID_HAS_BODY : GUID_IS_MEMBER);
        assert_int_equal(answer.nbytes, i ? entries[i].nbytes : 0);
    }
    /* Between, before and after the listed GUIDs of one bucket there are absent ones. */
    for (uint32_t low = 2; low < 1000; low++) {
        const struct guid_find_query query = {(UINT64_C(0x1234567800000000) | low) *
                                              UINT64_C(0xf1de83e19937733d)};
        struct guid_find_answer answer = {GUID_HAS_BODY, 1};
        assert_int_equal(codec->query(codec, reader, GUID_FIND, &query, 1, &answer, &error), BO_OK);
        assert_int_equal(answer.state, GUID_ABSENT);
        assert_int_equal(answer.nbytes, 0);
    }
    /* A byte of the list's first pair is changed, or the next pair gets its GUID. */
    uint8_t *list = out.p + out.n - 40 - 12 * (size_t)n_listed;
    static const struct {
        size_t at;
        uint8_t flips;
        size_t off;
        const char *what;
    } damage[] = {{0, 1, 0, "bucket of a listed GUID has a pilot"},
                  {11, 0xff, 8, too_long},
                  {0, 0, 12, "GUIDs do not ascend"}};
    for (unsigned i = 0; i < N_ELEMENTS(damage); i++) {
        list[damage[i].at] ^= damage[i].flips;
        if (!damage[i].flips)
            memcpy(list + 12, list, 8);
        assert_int_equal(codec->decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                         BO_CORRUPT);
        assert_string_equal(error.what, damage[i].what);
        assert_int_equal(error.off, (size_t)(list - out.p) + damage[i].off);
        list[damage[i].at] ^= damage[i].flips;
    }
    /* The fingerprint 1 of the only GUID becomes that of a free slot. */
    const struct guid_entry one = {(UINT64_C(1) << 32) * UINT64_C(0xf1de83e19937733d),
                                   GUID_NO_BODY};
    const struct bo_records only = {(void *)&one, 1};
    bo_writer_reset(&out);
    assert_int_equal(codec->encode(codec, &only, &out, &error), BO_OK);
    const uint16_t pilot = bo_le16(out.p + 12);
    bo_set_le16(out.p + 12, 0xfff); /* that of a bucket whose GUIDs are listed */
    assert_int_equal(codec->decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "slot belongs to a GUID that is in the list");
    bo_set_le16(out.p + 12, pilot);
    memset(out.p + 22, 0, 8);
    assert_int_equal(codec->decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "slots and list hold fewer GUIDs than announced");
    assert_int_equal(error.off, 8);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* A header may announce 2^28 - 1 GUIDs, of which the file then has too few bytes. */
TEST(test_most_guids)
{
    static const char *const codecs[] = {"chained", "quotients", "perfect-hash-32"};
    for (size_t i = 0; i < N_ELEMENTS(codecs); i++) {
        const struct bo_codec *codec = bo_find_codec(test_format(), codecs[i]);
        uint8_t bytes[64] = {0xff, 0xff, 0xff, 0x0f};
        const struct bo_span in = {bytes, sizeof bytes};
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_set_le32(bytes + 4, i ? 0 : 1u << 29); /* bytes of bodies, or buckets */
        assert_int_equal(test_decode(codec, in, &arena, &model, &error), BO_TRUNCATED);
        bo_set_le32(bytes, 1u << 28);
        assert_int_equal(test_decode(codec, in, &arena, &model, &error), BO_CORRUPT);
        assert_string_equal(error.what, i ? "number of GUIDs is 2^28 or more"
                                          : "number of buckets is not that for the GUIDs");
        bo_arena_free(&arena);
    }
}

/* Two bodies of 2^24 - 1 bytes are accepted. If the first one is shorter, the other is too long. */
TEST(test_longest_bodies)
{
    static const char longest[] = "guid 1\n0x1 16777215\n0x2 16777215\n";
    static const struct {
        const char *codec;
        struct change change;
    } cases[] = {
        {"sorted", {.at = 24, .to = 0xfe, .off = 28}},
        {"llvm103", {.at = 21, .to = 0xfe, .off = 25}},
        {"chained", {.at = 38, .to = 0xfe, .off = 38}},
        {"eytzinger", {.at = 36, .to = 0xfe, .off = 40}},
        {"quotients", {.at = 42, .to = 0xf8, .off = 24}},
        {"fingerprint-32", {.at = 34, .to = 0xe3, .off = 24}},
        {"perfect-hash-32", {.at = 32, .to = 0x4f, .off = 35}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct change changes[] = {{.at = 0, .to = 2, .status = BO_OK, .what = ""}, /* as it was */
                                   cases[i].change};
        changes[1].status = BO_CORRUPT;
        changes[1].what = too_long;
        expect_changes(longest, cases[i].codec, changes, 2);
    }
}

/* Sets without GUIDs have no members; bytes after the file are not read. */
TEST(test_empty_sets)
{
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++) {
        const struct guid_find_query query = {UINT64_C(0x0101010101010101)};
        struct guid_find_answer answer = {GUID_HAS_BODY, 1};
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        void *reader;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        assert_int_equal((*c)->encode(*c, parse_text("guid 1\n", &arena), &out, NULL), BO_OK);
        const struct bo_span in = {out.p, out.n};
        for (unsigned i = 0; i < 16; i++)
            bo_put_u8(&out, 1);
        assert_int_equal((*c)->open(*c, (struct bo_span){out.p, in.n}, &arena, &reader, &error),
                         BO_OK);
        assert_int_equal((*c)->query(*c, reader, GUID_FIND, &query, 1, &answer, &error), BO_OK);
        assert_int_equal(answer.state, GUID_ABSENT);
        assert_int_equal(answer.nbytes, 0);
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* Up to 2000 GUIDs of one bucket are found, and GUIDs between them are not. */
TEST(test_full_bucket)
{
    static const uint32_t sizes[] = {1, 5, 121, 249, 2000};
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++)
        for (unsigned s = 0; s < N_ELEMENTS(sizes); s++) {
            struct bo_arena arena;
            struct bo_writer out;
            struct bo_records *model;
            struct bo_error error = {0};
            void *reader;
            bo_arena_init(&arena, BO_ARENA_UNLIMITED);
            bo_writer_init(&out, &arena);
            struct guid_entry *entries = guid_new_model(sizes[s], &arena, &model);
            assert_non_null(entries);
            for (uint32_t i = 0; i < sizes[s]; i++) /* bodies of up to 2^20 bytes */
                entries[i] = (struct guid_entry){2 * i + 1, i % 3   ? 1 + i % 7
                                                            : i % 2 ? GUID_NO_BODY
                                                                    : 1 << 20};
            assert_int_equal((*c)->encode(*c, model, &out, &error), BO_OK);
            assert_int_equal((*c)->open(*c, bo_writer_span(&out), &arena, &reader, &error), BO_OK);
            for (uint32_t i = 1; i <= 2 * sizes[s]; i++) {
                const struct guid_find_query query = {i};
                struct guid_find_answer answer, expected;
                assert_int_equal(guid_kinds[GUID_FIND].oracle(model, &query, 1, &expected), BO_OK);
                assert_int_equal((*c)->query(*c, reader, GUID_FIND, &query, 1, &answer, &error),
                                 BO_OK);
                if (strcmp((*c)->name, "members") == 0 && expected.state != GUID_ABSENT)
                    expected = (struct guid_find_answer){GUID_IS_MEMBER, 0};
                assert_int_equal(answer.state, expected.state);
                assert_int_equal(answer.nbytes, expected.nbytes);
            }
            bo_writer_free(&out);
            bo_arena_free(&arena);
        }
}

/* A bucket whose end lies after its block: it has no members past the block. */
TEST(test_unended_bucket)
{
    /* fingerprint-32: the block at 24: m = 1, buckets 10, the rest, low bits 01, 01 of its end */
    const struct guid_entry one = {0, 5};
    const struct bo_records only = {(void *)&one, 1};
    const struct bo_codec *codec = bo_find_codec(test_format(), "fingerprint-32");
    struct guid_find_query queries[] = {{0}, {(UINT64_C(9) << 32) * UINT64_C(0xf1de83e19937733d)}};
    struct guid_find_answer answers[2];
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, &only, &out, &error), BO_OK);
    assert_int_equal(out.p[26] & 3, 1);
    out.p[26] |= 2; /* buckets 11 */
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, &error), BO_OK);
    assert_int_equal(codec->query(codec, reader, GUID_FIND, queries, 2, answers, &error), BO_OK);
    assert_int_equal(answers[0].state, GUID_HAS_BODY);
    assert_int_equal(answers[1].state, GUID_ABSENT);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_limits)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    struct bo_error error = {0};
    enum { N = 65536 };
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(N, &arena, &model);
    assert_non_null(entries);
    /* One block and one bucket: neither the highest 16 bits nor the lowest 32 differ. */
    for (uint32_t i = 0; i < N; i++)
        entries[i] = (struct guid_entry){(uint64_t)i << 32, GUID_NO_BODY};
    static const char *const codecs[] = {"quotients", "chained"},
                             *const whats[] = {"a block has 2^16 GUIDs or more",
                                               "bucket has 2^16 GUIDs or more"};
    const struct bo_codec *codec;
    for (unsigned i = 0; i < 4; i++) {
        codec = bo_find_codec(test_format(), codecs[i / 2]);
        model->n = 65535 + i % 2;
        bo_writer_reset(&out);
        assert_int_equal(codec->encode(codec, model, &out, &error), i % 2 ? BO_UNSUPPORTED : BO_OK);
        if (i % 2)
            assert_string_equal(error.what, whats[i / 2]);
    }

    /* Bodies of 2^32 - 1 bytes, and of 2^32. */
    for (uint32_t i = 0; i < 256; i++)
        entries[i].nbytes = GUID_MAX_BODY_NBYTES;
    codec = bo_find_codec(test_format(), "sorted");
    for (uint32_t last = 255; last <= 256; last++) {
        entries[256].nbytes = last;
        bo_writer_reset(&out);
        assert_int_equal(codec->encode(codec, model, &out, &error),
                         last == 255 ? BO_OK : BO_UNSUPPORTED);
    }
    assert_string_equal(error.what, "2^28 GUIDs or more, or 2^32 bytes of bodies or more");
    bo_writer_reset(&out);
    /* Two GUIDs whose products differ in the lowest bit alone: the inverse of 1 and of 0. */
    static const struct guid_entry twins[] = {{0, 1}, {UINT64_C(0xf1de83e19937733d), 1}};
    const struct bo_records two = {(void *)twins, 2};
    codec = bo_find_codec(test_format(), "fingerprint-32");
    assert_int_equal(codec->encode(codec, &two, &out, &error), BO_UNSUPPORTED);
    assert_string_equal(error.what, "two GUIDs have one fingerprint");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* Files of gigabytes, of which only the head is read. */
TEST(test_too_many_to_open)
{
    const uint64_t n = UINT64_C(1) << 28;
    static const struct {
        const char *codec;
        uint64_t head[2];
        size_t nbytes, nbytes_of_each;
    } cases[] = {
        {"sorted", {UINT64_C(1) << 28}, 8, 12},
        {"eytzinger", {0, UINT64_C(1) << 28}, 20, 8},
        {"llvm103", {UINT64_C(0x180808080)}, 7, 8}, /* N in five bytes, K, bytes of bodies */
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const uint64_t nbytes = cases[i].nbytes + n * cases[i].nbytes_of_each;
        struct bo_arena arena;
        struct bo_error error = {0};
        void *reader;
        if (nbytes > SIZE_MAX / 4)
            skip();
        uint8_t *file = mmap(NULL, (size_t)nbytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(file != MAP_FAILED);
        for (unsigned k = 0; k < 2; k++)
            bo_set_le64(file + 8 * k, cases[i].head[k]);
        const struct bo_codec *codec = bo_find_codec(test_format(), cases[i].codec);
        bo_arena_init(&arena, 1 << 20);
        assert_int_equal(
            codec->open(codec, (struct bo_span){file, (size_t)nbytes}, &arena, &reader, &error),
            BO_CORRUPT);
        assert_string_equal(error.what, "number of GUIDs is 2^28 or more");
        bo_arena_free(&arena);
        munmap(file, (size_t)nbytes);
    }
}

/* GUIDs that have one home in a hash table of GUIDs: it hashes them again, and finds them. */
TEST(test_colliding_guids)
{
    enum { N = 100000 };
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    struct bo_error error = {0};
    void *reader;
    const struct bo_codec *codec = bo_find_codec(test_format(), "llvm103");
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(N, &arena, &model);
    struct guid_find_query *queries = bo_alloc_array(&arena, 2 * (size_t)N, sizeof *queries);
    struct guid_find_answer *answers = bo_alloc_array(&arena, 2 * (size_t)N, sizeof *answers);
    assert_true(entries && queries && answers);
    for (uint32_t i = 0; i < N; i++) {
        entries[i] = (struct guid_entry){(uint64_t)i << 32, 1 + i % 100};
        queries[2 * i] = (struct guid_find_query){(uint64_t)i << 32};
        queries[2 * i + 1] = (struct guid_find_query){(uint64_t)i << 32 | 1};
    }
    assert_int_equal(codec->encode(codec, model, &out, &error), BO_OK);
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, &error), BO_OK);
    assert_int_equal(codec->query(codec, reader, GUID_FIND, queries, 2 * (size_t)N, answers, NULL),
                     BO_OK);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(answers[2 * i].state, GUID_HAS_BODY);
        assert_int_equal(answers[2 * i].nbytes, 1 + i % 100);
        assert_int_equal(answers[2 * i + 1].state, GUID_ABSENT);
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/*
 * Consecutive GUIDs fill neighbouring slots without a collision. A table that keeps them there
 * would compare 5 * 10^11 GUIDs here, beyond the limit of processor time.
 */
TEST(test_consecutive_guids)
{
    enum { N = 1000000 };
    const struct bo_codec *codec = bo_find_codec(test_format(), "llvm103");
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_records *model;
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct guid_entry *entries = guid_new_model(N, &arena, &model);
    struct guid_find_query *queries = bo_alloc_array(&arena, N, sizeof *queries);
    struct guid_find_answer *answers = bo_alloc_array(&arena, N, sizeof *answers);
    assert_true(entries && queries && answers);
    for (uint32_t i = 0; i < N; i++) {
        entries[i] = (struct guid_entry){i, GUID_NO_BODY};
        queries[i].guid = i ^ UINT64_C(1) << 40;
    }
    assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec->query(codec, reader, GUID_FIND, queries, N, answers, NULL), BO_OK);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(answers[i].state, GUID_ABSENT);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
