/*
 * LLVM's extensible binaries with GUIDs, with Eytzinger tables and under zlib: the bytes of small
 * files, llvm-profdata-22 where it is installed, and bad files with the status, the byte and the
 * phrase of their error.
 */
#include <zlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"
#include "codecs/autofdo/extbinary/test_extbinary.h"
#include "harness/check/check.h"

#define TEXT "main:42:7\n 1: 10 bar:5 foo:3\n 2.3: 30\n 2: inl:2\n  1: 2\nfoo:0:0\n"

/* clang-format off */
/*
 * TEXT, written with --use-md5 --split-layout; and what llvm-profdata-22 then makes of that file,
 * which has no names to order by. The names start at 359, the functions with callsites at 392, the
 * offset of "main" at 419, "foo" at 422, its offset at 427.
 */
#define FROM_NAMES \
    "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67\x08\x00\x00\x00\x00\x00" \
    "\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x12\x01\x00\x00\x00\x00\x00\x00\x55\x00\x00\x00\x00\x00" \
    "\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00" \
    "\x00\x00\x67\x01\x00\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xa3\x01\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x88\x01\x00\x00\x00\x00\x00\x00\x1b\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00" \
    "\x00\x00\xab\x01\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00" \
    "\x00\x00\xa6\x01\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00" \
    "\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xae\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xae\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x2a\x1e\x07\x03\x02\x10\x90\x4e\x00\x00\xa0\x8d\x06\x1e" \
    "\x01\xc0\x9a\x0c\x1e\x01\xe0\xa7\x12\x1e\x01\x80\xb5\x18\x1e\x01" \
    "\xa0\xc2\x1e\x1e\x01\xc0\xcf\x24\x1e\x01\xe0\xdc\x2a\x1e\x01\x80" \
    "\xea\x30\x0a\x02\xa0\xf7\x36\x0a\x02\xf0\xfd\x39\x0a\x02\xb0\xb6" \
    "\x3c\x02\x03\xd8\xfc\x3c\x02\x03\xdc\x83\x3d\x02\x03\xb6\x84\x3d" \
    "\x02\x03\xbf\x84\x3d\x02\x03\x04\x37\xb5\x1d\x19\x4a\x75\x13\xe4" \
    "\xac\xbd\x18\xdb\x4c\xc2\xf8\x5c\xa3\x52\x6c\x02\x8d\x78\xa9\xbf" \
    "\xfa\xd5\x8d\xe7\x36\x64\x95\xdb\x07\x03\x2a\x02\x01\x00\x0a\x02" \
    "\x00\x05\x01\x03\x02\x03\x1e\x00\x01\x02\x00\x02\x02\x01\x01\x00" \
    "\x02\x00\x00\x01\x03\x00\x00\x01\x00\x00\x00\x01\x01\x00"
#define FROM_GUIDS \
    "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67\x08\x00\x00\x00\x00\x00" \
    "\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x12\x01\x00\x00\x00\x00\x00\x00\x55\x00\x00\x00\x00\x00" \
    "\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00" \
    "\x00\x00\x67\x01\x00\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xa3\x01\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x88\x01\x00\x00\x00\x00\x00\x00\x1b\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00" \
    "\x00\x00\xab\x01\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00" \
    "\x00\x00\xa6\x01\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00" \
    "\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xae\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xae\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x2a\x1e\x07\x03\x02\x10\x90\x4e\x00\x00\xa0\x8d\x06\x1e" \
    "\x01\xc0\x9a\x0c\x1e\x01\xe0\xa7\x12\x1e\x01\x80\xb5\x18\x1e\x01" \
    "\xa0\xc2\x1e\x1e\x01\xc0\xcf\x24\x1e\x01\xe0\xdc\x2a\x1e\x01\x80" \
    "\xea\x30\x0a\x02\xa0\xf7\x36\x0a\x02\xf0\xfd\x39\x0a\x02\xb0\xb6" \
    "\x3c\x02\x03\xd8\xfc\x3c\x02\x03\xdc\x83\x3d\x02\x03\xb6\x84\x3d" \
    "\x02\x03\xbf\x84\x3d\x02\x03\x04\xac\xbd\x18\xdb\x4c\xc2\xf8\x5c" \
    "\xa3\x52\x6c\x02\x8d\x78\xa9\xbf\xfa\xd5\x8d\xe7\x36\x64\x95\xdb" \
    "\x37\xb5\x1d\x19\x4a\x75\x13\xe4\x07\x02\x2a\x02\x01\x00\x0a\x02" \
    "\x03\x05\x00\x03\x02\x03\x1e\x00\x01\x02\x00\x01\x02\x01\x01\x00" \
    "\x02\x00\x00\x01\x02\x00\x00\x00\x00\x00\x00\x01\x00\x00"

/*
 * TEXT in LLVM's Eytzinger form: counts at 359, GUIDs at 383 (main), 391 (foo), 399 (bar, inl),
 * main at 415, its offset at 442, foo at 446, its offset at 451.
 */
#define EYTZINGER \
    "\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x68\x08\x00\x00\x00\x00\x00" \
    "\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x12\x01\x00\x00\x00\x00\x00\x00\x55\x00\x00\x00\x00\x00" \
    "\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0b\x00" \
    "\x00\x00\x67\x01\x00\x00\x00\x00\x00\x00\x38\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00" \
    "\x00\x00\xba\x01\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x9f\x01\x00\x00\x00\x00\x00\x00\x1b\x00\x00\x00\x00\x00" \
    "\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x02\x00" \
    "\x00\x00\xc3\x01\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00" \
    "\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00" \
    "\x00\x00\xbe\x01\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00" \
    "\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xc7\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\xc7\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" \
    "\x00\x00\x2a\x1e\x07\x03\x02\x10\x90\x4e\x00\x00\xa0\x8d\x06\x1e" \
    "\x01\xc0\x9a\x0c\x1e\x01\xe0\xa7\x12\x1e\x01\x80\xb5\x18\x1e\x01" \
    "\xa0\xc2\x1e\x1e\x01\xc0\xcf\x24\x1e\x01\xe0\xdc\x2a\x1e\x01\x80" \
    "\xea\x30\x0a\x02\xa0\xf7\x36\x0a\x02\xf0\xfd\x39\x0a\x02\xb0\xb6" \
    "\x3c\x02\x03\xd8\xfc\x3c\x02\x03\xdc\x83\x3d\x02\x03\xb6\x84\x3d" \
    "\x02\x03\xbf\x84\x3d\x02\x03\x01\x00\x00\x00\x00\x00\x00\x00\x01" \
    "\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\xfa" \
    "\xd5\x8d\xe7\x36\x64\x95\xdb\xac\xbd\x18\xdb\x4c\xc2\xf8\x5c\x37" \
    "\xb5\x1d\x19\x4a\x75\x13\xe4\xa3\x52\x6c\x02\x8d\x78\xa9\xbf\x07" \
    "\x00\x2a\x02\x01\x00\x0a\x02\x02\x05\x01\x03\x02\x03\x1e\x00\x01" \
    "\x02\x00\x03\x02\x01\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01" \
    "\x00\x00\x00\x00\x00\x00\x00"
/* clang-format on */

static const struct bo_codec *called(const char *name)
{
    return bo_find_codec(test_format(), name);
}

static struct bo_span bytes_of(const char *literal, size_t size)
{
    return (struct bo_span){(const uint8_t *)literal, size - 1};
}

/* What the codec makes of TEXT, and what it reads in `valid`. */
static void expect_small(const char *codec, struct bo_span written, struct bo_span read)
{
    struct bo_arena arena;
    void *decoded, *reduced;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_codec *c = called(codec);
    const void *model = parse_text(TEXT, &arena);
    const struct bo_span bytes = encode_as(c, model, &arena);
    assert_int_equal(bytes.n, written.n);
    assert_memory_equal(bytes.p, written.p, written.n);
    assert_int_equal(c->reduce(c, model, &arena, &reduced, NULL), BO_OK);
    assert_int_equal(test_decode(c, read, &arena, &decoded, NULL), BO_OK);
    assert_null(test_format()->differ(reduced, decoded));
    bo_arena_free(&arena);
}

TEST(test_bytes)
{
    const struct bo_span guids = bytes_of(FROM_GUIDS, sizeof FROM_GUIDS),
                         eytzinger = bytes_of(EYTZINGER, sizeof EYTZINGER);
    expect_small("extbinary-md5-split", guids, guids);
    expect_small("extbinary-md5-split", guids, bytes_of(FROM_NAMES, sizeof FROM_NAMES));
    expect_small("extbinary-eytzinger", eytzinger, eytzinger);
}

/* ---- names ----------------------------------------------------------------------------------- */

TEST(test_guids)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_true(extbinary_guid(bo_span_of("main")) == UINT64_C(0xdb956436e78dd5fa));
    assert_true(extbinary_guid(bo_span_of("guid.00000000000000ff")) == 255);
    assert_true(extbinary_guid(bo_span_of("guid.00000000000000fF")) != 255);
    assert_true(extbinary_guid(bo_span_of("guid.0000000000000ff")) != 255);
    assert_true(extbinary_guid(bo_span_of("guid:00000000000000ff")) != 255);
    assert_true(bo_span_equal(extbinary_guid_name(UINT64_C(0x0123456789abcdef), &arena),
                              bo_span_of("guid.0123456789abcdef")));
    bo_arena_free(&arena);
}

/* One GUID for two names: of functions, callees of a place, targets of a record. */
TEST(test_collisions)
{
#define OF_MAIN "guid.db956436e78dd5fa"
    static const char *const texts[] = {"main:0:1\n" OF_MAIN ":0:1\n",
                                        "f:0:1\n 1: main:0\n 1: " OF_MAIN ":0\n",
                                        "f:0:1\n 1: 0 main:5 " OF_MAIN ":5\n"};
    static const char *const codecs[] = {"extbinary-md5-split", "extbinary-eytzinger"};
    for (size_t i = 0; i < N_ELEMENTS(texts) * N_ELEMENTS(codecs); i++) {
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error err = {0};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        const struct bo_codec *codec = called(codecs[i % 2]);
        const void *model = parse_text(texts[i / 2], &arena);
        assert_int_equal(codec->encode(codec, model, &out, &err), BO_UNSUPPORTED);
        assert_string_equal(err.what, "two names have the same GUID");
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* A function is found by its name, as a compiler does it, and by the name that decoding makes. */
TEST(test_names)
{
    static const char *const codecs[] = {"extbinary-md5-split", "extbinary-eytzinger"};
    for (size_t i = 0; i < N_ELEMENTS(codecs); i++) {
        struct bo_arena arena;
        void *reader;
        uint64_t answers[2][64] = {{0}};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_codec *codec = called(codecs[i]);
        const struct bo_span bytes = encode_as(codec, parse_text(TEXT, &arena), &arena);
        assert_int_equal(codec->open(codec, bytes, &arena, &reader, NULL), BO_OK);
        for (unsigned k = 0; k < 2; k++) {
            const struct autofdo_name_query name = {bo_span_of(k ? OF_MAIN : "main")};
            struct bo_sink sink = {(uint8_t *)answers[k], 0, sizeof answers[k]};
            assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &name, 1, &sink, NULL),
                             BO_OK);
        }
        assert_int_equal(answers[0][0], 7);
        assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
        bo_arena_free(&arena);
    }
}

/* ---- Eytzinger order ------------------------------------------------------------------------- */

/*
 * Each key of every complete tree is found, and none between them; ranks fill all places. Keys are
 * neighbours, or have one number between them.
 */
TEST(test_eytzinger)
{
    enum { MAX = 70 };
    uint8_t keys[8 * MAX];
    size_t places[MAX], found;
    for (size_t n = 0; n <= MAX; n++)
        for (uint64_t step = 1; step <= 2; step++) {
            extbinary_eytzinger_places(n, places);
            memset(keys, 0xff, sizeof keys);
            for (size_t r = 0; r < n; r++) {
                assert_true(places[r] < n);
                bo_set_le64(keys + 8 * places[r], step * r + 1);
            }
            for (size_t r = 0; r < n; r++) {
                assert_true(extbinary_eytzinger_find(keys, n, step * r + 1, &found));
                assert_int_equal(found, places[r]);
                assert_true(step == 1 || !extbinary_eytzinger_find(keys, n, 2 * r, &found));
            }
            assert_false(extbinary_eytzinger_find(keys, n, 0, &found));
            assert_false(extbinary_eytzinger_find(keys, n, step * n + 1, &found));
        }
}

/* Whatever part of the file an allocation fails in: with each number of functions, in another. */
TEST(test_no_memory)
{
    const struct bo_effort effort = bo_effort_default();
    for (unsigned n = 1; n <= 64; n++) {
        struct bo_arena arena;
        struct bo_writer text;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&text, &arena);
        for (unsigned i = 0; i < n; i++)
            bo_put_text(&text, "f%u:0:0\n", i);
        bo_put_u8(&text, 0);
        const void *model = parse_text((const char *)text.p, &arena);
        const struct bo_check_result result =
            bo_find_check("allocation-failure")
                ->run(test_format(), called("extbinary-eytzinger"), model, &effort);
        if (result.outcome != BO_PASS)
            fail_msg("%u functions: %s %s", n, result.finding.class, result.finding.detail);
        bo_writer_free(&text);
        bo_arena_free(&arena);
    }
}

/* ---- LLVM ------------------------------------------------------------------------------------ */

/* Made from names, LLVM's tables are in their order; a second pass orders them by GUID. */
TEST(test_llvm_guids)
{
    compare_with_llvm(called("extbinary-md5-split"), "--extbinary --use-md5 --split-layout", 2,
                      bo_span_equal);
}

static bool same_model(struct bo_span ours, struct bo_span theirs)
{
    struct bo_arena arena;
    void *a, *b;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(test_decode(called("extbinary-md5-split"), ours, &arena, &a, NULL), BO_OK);
    assert_int_equal(test_decode(called("extbinary-md5-split"), theirs, &arena, &b, NULL), BO_OK);
    const bool same = !test_format()->differ(a, b);
    bo_arena_free(&arena);
    return same;
}

TEST(test_llvm_names)
{
    compare_with_llvm(called("extbinary-md5-split"), "--extbinary --use-md5 --split-layout", 1,
                      same_model);
}

/* The entries of the section table without offset and size, then the contents of each section. */
static struct bo_span unpacked(struct bo_span in, struct bo_arena *arena)
{
    enum { MAX = 1 << 22 };
    uint8_t *p = bo_alloc(arena, MAX);
    size_t n = EXTBINARY_TABLE_OFF;
    assert_non_null(p);
    memcpy(p, in.p, n);
    for (unsigned i = 0; i < 7; i++) {
        const uint8_t *entry = in.p + EXTBINARY_TABLE_OFF + EXTBINARY_ENTRY_NBYTES * i;
        struct bo_cursor c =
            bo_cursor_at(in, (size_t)bo_le64(entry + 16), (size_t)bo_le64(entry + 24));
        uint64_t raw = 0, packed;
        memcpy(p + n, entry, 16);
        n += 16;
        if (!c.n)
            continue;
        assert_int_equal(bo_get_uvarint64(&c, &raw, NULL), BO_OK);
        assert_int_equal(bo_get_uvarint64(&c, &packed, NULL), BO_OK);
        uLongf room = MAX - n;
        assert_int_equal(uncompress(p + n, &room, c.p + c.off, (uLong)packed), Z_OK);
        assert_int_equal(room, raw);
        n += room;
    }
    return (struct bo_span){p, n};
}

static bool same_unpacked(struct bo_span ours, struct bo_span theirs)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const bool same = bo_span_equal(unpacked(ours, &arena), unpacked(theirs, &arena));
    bo_arena_free(&arena);
    return same;
}

/* The codec exists where its library does. */
static const struct bo_codec *zlib(void)
{
    if (!called("extbinary-zlib"))
        skip();
    return called("extbinary-zlib");
}

TEST(test_llvm_zlib)
{
    compare_with_llvm(zlib(), "--extbinary --compress-all-sections", 1, same_unpacked);
}

/* ---- bad files ------------------------------------------------------------------------------- */

static const struct damage guids_cases[] = {
    {9, 104, BO_UNSUPPORTED, 9, "version is not the codec's"},
    {10, 7, BO_UNSUPPORTED, 10, "number of sections is not the codec's"},
    {62, 1, BO_UNSUPPORTED, 58, "unknown flags of a section"},
    {154, 0, BO_UNSUPPORTED, 154, "unknown flags of a section"},
    {359, 5, BO_TRUNCATED, 359, "count exceeds what the rest of the section can hold"},
    {359, 3, BO_CORRUPT, 384, "bytes after a section's last"},
    {393, 1, BO_CORRUPT, 393, "function differs from that of the table for this offset"},
    {393, 4, BO_CORRUPT, 393, "name index is out of range"},
    {420, 1, BO_CORRUPT, 393, "function differs from that of the table for this offset"},
    {420, 0, BO_CORRUPT, 428, "duplicate function"},
    {428, 2, BO_CORRUPT, 428, "duplicate function"},
};

static const struct damage eytzinger_cases[] = {
    {9, 103, BO_UNSUPPORTED, 9, "version is not the codec's"},
    {62, 3, BO_UNSUPPORTED, 58, "unknown flags of a section"},
    {359, 200, BO_TRUNCATED, 359, "count exceeds what the rest of the section can hold"},
    {375, 3, BO_TRUNCATED, 359, "count exceeds what the rest of the section can hold"},
    {375, 7, BO_TRUNCATED, 359, "count exceeds what the rest of the section can hold"},
    {375, 8, BO_TRUNCATED, 375, "count exceeds what the rest of the section can hold"},
    {375, 1, BO_CORRUPT, 407, "bytes after a section's last"},
    {359, 0, BO_CORRUPT, 442, "numbers of offsets and names differ"},
    {406, 0, BO_CORRUPT, 359, "names are not in Eytzinger order"},
    {416, 1, BO_CORRUPT, 416, "function differs from that of the table for this offset"},
    {442, 27, BO_CORRUPT, 442, "function lies outside its section"},
    {442, 1, BO_CORRUPT, 415, "bytes before the first function"},
    {441, 1, BO_TRUNCATED, 441, "count exceeds what the rest of the section can hold"},
    {450, 1, BO_TRUNCATED, 450, "count exceeds what the rest of the section can hold"},
};

TEST(test_rejects)
{
    expect_errors(called("extbinary-md5-split"), bytes_of(FROM_GUIDS, sizeof FROM_GUIDS),
                  guids_cases, N_ELEMENTS(guids_cases));
    expect_errors(called("extbinary-eytzinger"), bytes_of(EYTZINGER, sizeof EYTZINGER),
                  eytzinger_cases, N_ELEMENTS(eytzinger_cases));
}

/* Of a text, with one byte changed: `at` counts from the end. */
static void expect_error_at_end(const char *codec, const char *text, size_t at, uint8_t byte,
                                size_t off, const char *what)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span bytes = encode_as(called(codec), parse_text(text, &arena), &arena);
    ((uint8_t *)(uintptr_t)bytes.p)[bytes.n - at] = byte;
    expect_error(called(codec), bytes, BO_CORRUPT, bytes.n - off, what);
    bo_arena_free(&arena);
}

TEST(test_more_rejects)
{
    static const char *const guids = "extbinary-md5-split", *const eytzinger =
                                                                "extbinary-eytzinger";
    /* two functions of 5 bytes without callsites, and their offsets */
    static const char *const flat = "a:0:1\nb:0:1\n";
    expect_error_at_end(eytzinger, flat, 8, 0, 18, "two functions have the same offset");
    expect_error_at_end(eytzinger, flat, 8, 6, 13, "function ends before the next one starts");
    /* the number of callsites, which are left behind */
    expect_error_at_end(guids, "a:0:1\n 1: b:0\n", 11, 0, 14,
                        "section of a function does not match its callsites");
    /* the name of the second callsite */
    expect_error_at_end(guids, "a:0:1\n 1: b:0\n 1: c:0\n", 8, 0, 4,
                        "duplicate callsite of an instance");
    /* the line of the first callsite */
    expect_error_at_end(guids, "a:0:1\n 1: b:0\n 2: c:0\n", 16, 3, 10,
                        "callsites are not in order");
    /* its discriminator, of two on one line */
    expect_error_at_end(guids, "a:0:1\n 1.1: b:0\n 1.2: c:0\n", 15, 3, 10,
                        "callsites are not in order");
}

static void expect_error_of_eytzinger(const uint8_t *bytes, enum bo_status status, size_t off,
                                      const char *what)
{
    expect_error(called("extbinary-eytzinger"), (struct bo_span){bytes, sizeof EYTZINGER - 1},
                 status, off, what);
}

/* Several bytes are others. */
TEST(test_eytzinger_rejects)
{
    uint8_t one_guid[] = EYTZINGER, other_counts[] = EYTZINGER, no_names[] = EYTZINGER;
    memcpy(one_guid + 399, one_guid + 383, 8); /* of bar: that of main */
    expect_error_of_eytzinger(one_guid, BO_CORRUPT, 359, "duplicate name of an array");
    other_counts[359] = 0; /* all functions are in the second array */
    other_counts[367] = 2;
    expect_error_of_eytzinger(other_counts, BO_CORRUPT, 442, "numbers of offsets and names differ");
    other_counts[359] = 1;
    other_counts[375] = 1;
    expect_error_of_eytzinger(other_counts, BO_CORRUPT, 451, "numbers of offsets and names differ");
    no_names[74] = 0;                 /* bytes of the names */
    bo_set_le64(no_names + 130, 359); /* the functions have them */
    bo_set_le64(no_names + 138, 83);
    expect_error_of_eytzinger(no_names, BO_TRUNCATED, 359, "names section ends inside its counts");
}

/* An offset of 2^32 - 1 states that its name has no function. */
TEST(test_eytzinger_without_function)
{
    static const char *const names[] = {"main", "foo"};
    const struct bo_codec *codec = called("extbinary-eytzinger");
    uint8_t bytes[] = EYTZINGER;
    struct bo_arena arena;
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    memset(bytes + 442, 0xff, 4); /* the offset of main */
    expect_error_of_eytzinger(bytes, BO_CORRUPT, 415, "bytes before the first function");
    const struct bo_span in = {bytes, sizeof EYTZINGER - 1};
    assert_int_equal(codec->open(codec, in, &arena, &reader, NULL), BO_OK);
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        struct autofdo_answer answer;
        const struct autofdo_name_query query = {bo_span_of(names[i])};
        struct bo_sink sink = {(uint8_t *)&answer, 0, sizeof answer};
        assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, NULL),
                         BO_OK);
        assert_int_equal(answer.digest.n_functions, i);
    }
    bo_arena_free(&arena);
}

/* deflate expands to 1032 times its size at most: a reader does not try more. */
TEST(test_zlib_ratio)
{
    enum { N = 20000 };
    char text[N + 8];
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    memset(text, 'a', N);
    strcpy(text + N, ":0:1\n");
    const struct bo_span bytes = encode_as(zlib(), parse_text(text, &arena), &arena);
    const uint8_t *entry = bytes.p + EXTBINARY_TABLE_OFF + EXTBINARY_ENTRY_NBYTES;
    const size_t names = (size_t)bo_le64(entry + 16);
    uint8_t *nbytes = (uint8_t *)(uintptr_t)bytes.p + names; /* of the names, in 3 bytes */
    const unsigned most = 1032 * (nbytes[3] + 1u) - 1;
    for (unsigned n = most; n <= most + 1; n++) {
        nbytes[0] = (uint8_t)(n | 0x80);
        nbytes[1] = (uint8_t)(n >> 7 | 0x80);
        nbytes[2] = (uint8_t)(n >> 14);
        expect_error(zlib(), bytes, BO_CORRUPT, names,
                     n == most ? "zlib stream is invalid or not of the announced size"
                               : "size exceeds what zlib can expand to");
    }
    bo_arena_free(&arena);
}

/* Of a compressed form, errors name the section, however large the others are. */
static void expect_zlib_rejects(const char *text)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span bytes = encode_as(zlib(), parse_text(text, &arena), &arena);
    const uint8_t *entry = bytes.p + EXTBINARY_TABLE_OFF + EXTBINARY_ENTRY_NBYTES;
    const size_t names = (size_t)bo_le64(entry + 16);
    const struct damage cases[] = {
        {26, 0, BO_UNSUPPORTED, 26, "unknown flags of a section"},
        {names, 0, BO_CORRUPT, names, "size exceeds what zlib can expand to"},
        {names + 1, bytes.p[names + 1] + 1, BO_CORRUPT, names,
         "zlib stream does not fill its section"},
        {names + 1, bytes.p[names + 1] - 1, BO_CORRUPT, names,
         "zlib stream does not fill its section"},
        {names, bytes.p[names] + 1, BO_CORRUPT, names,
         "zlib stream is invalid or not of the announced size"},
        {names, bytes.p[names] - 1, BO_CORRUPT, names,
         "zlib stream is invalid or not of the announced size"},
        {names + 2, 0, BO_CORRUPT, names, "zlib stream is invalid or not of the announced size"},
    };
    expect_errors(zlib(), bytes, cases, N_ELEMENTS(cases));
    /* a name too many; the stream remains as long */
    struct bo_cursor c = bo_cursor_at(bytes, names, (size_t)bo_le64(entry + 24));
    uint8_t content[64], packed[64];
    uint64_t nbytes, packed_nbytes;
    assert_int_equal(bo_get_uvarint64(&c, &nbytes, NULL), BO_OK);
    assert_int_equal(bo_get_uvarint64(&c, &packed_nbytes, NULL), BO_OK);
    uLongf room = sizeof content, packed_room = sizeof packed;
    assert_int_equal(uncompress(content, &room, c.p + c.off, (uLong)packed_nbytes), Z_OK);
    content[0]++;
    assert_int_equal(compress(packed, &packed_room, content, room), Z_OK);
    assert_int_equal(packed_room, packed_nbytes);
    memcpy((uint8_t *)(uintptr_t)(c.p + c.off), packed, packed_room);
    expect_error(zlib(), bytes, BO_TRUNCATED, names, "name does not end in its section");
    /* a stream that ends early */
    memset(content, 0, room);
    packed_room = sizeof packed;
    assert_int_equal(compress(packed, &packed_room, content, room), Z_OK);
    assert_true(packed_room < packed_nbytes);
    memcpy((uint8_t *)(uintptr_t)(c.p + c.off), packed, packed_room);
    expect_error(zlib(), bytes, BO_CORRUPT, names,
                 "zlib stream is invalid or not of the announced size");
    bo_arena_free(&arena);
}

TEST(test_zlib_rejects)
{
    char large[8192] = TEXT;
    for (unsigned i = 1; i < 400; i++)
        sprintf(large + strlen(large), " %u: %u\n", i, 300 * i);
    expect_zlib_rejects(TEXT);
    expect_zlib_rejects(large);
}

TEST_FILE(NULL, NULL)
