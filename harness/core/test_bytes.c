/*
 * Varints, fixed-width integers, the cursor, and the writer. Why: every codec uses them. An error
 * with the wrong byte offset, or a varint with two encodings, would appear in all of them.
 */
#include "harness/core/test_cmocka.h"

/* ---- varints --------------------------------------------------------------------------------- */

/* The expected result of reading some bytes as a varint of 32 and of 64 bits. */
struct varint_case {
    const char *what;
    struct bo_span in;
    enum bo_status status32, status64;
    uint64_t value; /* if the status is BO_OK */
    size_t nbytes;
};

#define MAX64 "\xff\xff\xff\xff\xff\xff\xff\xff\xff"

static const struct varint_case varints[] = {
    {"nothing", BYTES(""), BO_TRUNCATED, BO_TRUNCATED, 0, 0},
    {"0", BYTES("\x00"), BO_OK, BO_OK, 0, 1},
    {"1, and a byte after it", BYTES("\x01\xff"), BO_OK, BO_OK, 1, 1},
    {"2^7 - 1", BYTES("\x7f"), BO_OK, BO_OK, 127, 1},
    {"2^7", BYTES("\x80\x01"), BO_OK, BO_OK, 128, 2},
    {"2^7, cut", BYTES("\x80"), BO_TRUNCATED, BO_TRUNCATED, 0, 0},
    {"2^14 - 1", BYTES("\xff\x7f"), BO_OK, BO_OK, 16383, 2},
    {"2^14", BYTES("\x80\x80\x01"), BO_OK, BO_OK, 16384, 3},
    {"2^21 - 1", BYTES("\xff\xff\x7f"), BO_OK, BO_OK, 2097151, 3},
    {"2^21", BYTES("\x80\x80\x80\x01"), BO_OK, BO_OK, 2097152, 4},
    {"2^28", BYTES("\x80\x80\x80\x80\x01"), BO_OK, BO_OK, 268435456, 5},
    {"2^32 - 1", BYTES("\xff\xff\xff\xff\x0f"), BO_OK, BO_OK, UINT32_MAX, 5},
    {"2^32", BYTES("\x80\x80\x80\x80\x10"), BO_CORRUPT, BO_OK, UINT64_C(1) << 32, 5},
    {"all bits of five bytes", BYTES("\xff\xff\xff\xff\x7f"), BO_CORRUPT, BO_OK, 34359738367u, 5},
    {"2^35", BYTES("\x80\x80\x80\x80\x80\x01"), BO_CORRUPT, BO_OK, UINT64_C(1) << 35, 6},
    {"five bytes and no end", BYTES("\xff\xff\xff\xff\x8f"), BO_TRUNCATED, BO_TRUNCATED, 0, 0},
    {"2^64 - 1", BYTES(MAX64 "\x01"), BO_CORRUPT, BO_OK, UINT64_MAX, 10},
    {"2^64 and more", BYTES(MAX64 "\x02"), BO_CORRUPT, BO_CORRUPT, 0, 0},
    {"ten bytes and no end", BYTES(MAX64 "\x81"), BO_CORRUPT, BO_TRUNCATED, 0, 0},
    {"eleven bytes", BYTES(MAX64 "\x81\x00"), BO_CORRUPT, BO_CORRUPT, 0, 0},
    {"nine bytes and no end", BYTES(MAX64), BO_CORRUPT, BO_TRUNCATED, 0, 0},
    {"0 in two bytes", BYTES("\x80\x00"), BO_CORRUPT, BO_CORRUPT, 0, 0},
    {"1 in two bytes", BYTES("\x81\x00"), BO_CORRUPT, BO_CORRUPT, 0, 0},
    {"0 in five bytes", BYTES("\x80\x80\x80\x80\x00"), BO_CORRUPT, BO_CORRUPT, 0, 0},
    {"0 in ten bytes", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), BO_CORRUPT, BO_CORRUPT, 0,
     0},
};

/* Reads at offset 3 of an input whose base is 100. */
static void check_varint(const struct varint_case *v, bool wide)
{
    const enum bo_status expected = wide ? v->status64 : v->status32;
    uint8_t bytes[3 + 16] = {0xff, 0xff, 0xff};
    memcpy(bytes + 3, v->in.p, v->in.n);
    struct bo_cursor c = {.p = bytes, .n = 3 + v->in.n, .off = 3, .base = 100};
    struct bo_error error = {0};
    uint64_t value = 77;
    uint32_t narrow = 77;
    const enum bo_status status =
        wide ? bo_get_uvarint64(&c, &value, &error) : bo_get_uvarint32(&c, &narrow, &error);
    value = wide ? value : narrow;
    if (status != expected)
        fail_msg("%s: %s, not %s", v->what, bo_status_name(status), bo_status_name(expected));
    if (status == BO_OK) {
        if (value != v->value || c.off != 3 + v->nbytes)
            fail_msg("%s: value %llu in %zu bytes", v->what, (unsigned long long)value, c.off - 3);
    } else if (c.off != 3 || error.off != 103 || error.status != expected || !error.what) {
        fail_msg("%s: cursor at %zu, error at %llu", v->what, c.off, (unsigned long long)error.off);
    }
}

TEST(test_varints)
{
    for (size_t i = 0; i < N_ELEMENTS(varints); i++) {
        check_varint(&varints[i], false);
        check_varint(&varints[i], true);
    }
}

/* Both sides of every 2^7k: the length, the bytes, and the value read back. */
TEST(test_varint_boundaries)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    for (unsigned k = 0; k < 64; k++)
        for (int d = -1; d <= 1; d++) {
            const uint64_t v = (UINT64_C(1) << k) + (uint64_t)d;
            unsigned expected = 1;
            for (uint64_t rest = v >> 7; rest; rest >>= 7)
                expected++;
            bo_writer_reset(&out);
            bo_put_uvarint(&out, v);
            assert_int_equal(out.n, expected);
            assert_int_equal(bo_uvarint_nbytes(v), expected);
            struct bo_cursor c = bo_cursor(bo_writer_span(&out));
            uint64_t back;
            assert_int_equal(bo_get_uvarint64(&c, &back, NULL), BO_OK);
            assert_true(back == v && c.off == out.n);
        }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_zigzag)
{
    static const struct {
        int64_t v;
        uint64_t u;
    } small[] = {{0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {63, 126}, {-64, 127}, {64, 128}};
    for (size_t i = 0; i < N_ELEMENTS(small); i++) {
        assert_int_equal(bo_zigzag32((int32_t)small[i].v), small[i].u);
        assert_true(bo_zigzag64(small[i].v) == small[i].u);
        assert_true(bo_unzigzag32((uint32_t)small[i].u) == small[i].v);
        assert_true(bo_unzigzag64(small[i].u) == small[i].v);
    }
    assert_int_equal(bo_zigzag32(INT32_MAX), UINT32_MAX - 1);
    assert_int_equal(bo_zigzag32(INT32_MIN), UINT32_MAX);
    assert_true(bo_unzigzag32(UINT32_MAX) == INT32_MIN);
    assert_true(bo_unzigzag32(UINT32_MAX - 1) == INT32_MAX);
    assert_true(bo_zigzag64(INT64_MAX) == UINT64_MAX - 1);
    assert_true(bo_zigzag64(INT64_MIN) == UINT64_MAX);
    assert_true(bo_unzigzag64(UINT64_MAX) == INT64_MIN);
    assert_true(bo_unzigzag64(UINT64_MAX - 1) == INT64_MAX);
}

/* ---- fixed-width integers and the cursor ----------------------------------------------------- */

static const uint8_t counting[] = {1, 2, 3, 4, 5, 6, 7, 8};

TEST(test_byte_order)
{
    assert_int_equal(bo_le16(counting), 0x0201);
    assert_int_equal(bo_be16(counting), 0x0102);
    assert_int_equal(bo_le32(counting), 0x04030201);
    assert_int_equal(bo_be32(counting), 0x01020304);
    assert_true(bo_le64(counting) == UINT64_C(0x0807060504030201));
    assert_true(bo_be64(counting) == UINT64_C(0x0102030405060708));

    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_put_u8(&out, 0xaa); /* to misalign the rest */
    bo_put_le16(&out, 0x0201);
    bo_put_be16(&out, 0x0304);
    bo_put_le32(&out, 0x08070605);
    bo_put_be32(&out, 0x090a0b0c);
    bo_put_le64(&out, UINT64_C(0x14131211100f0e0d));
    bo_put_be64(&out, UINT64_C(0x15161718191a1b1c));
    assert_int_equal(out.n, 1 + 28);
    for (unsigned i = 1; i < out.n; i++)
        assert_int_equal(out.p[i], i);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_cursor)
{
    const struct bo_span in = {counting, sizeof counting};
    struct bo_cursor c = bo_cursor(in);
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    const uint8_t *p;
    assert_true(bo_get_u8(&c, &u8) && u8 == 1);
    assert_false(bo_get_le64(&c, &u64));
    assert_false(bo_get_be64(&c, &u64));
    assert_true(bo_get_be16(&c, &u16) && u16 == 0x0203);
    assert_true(bo_get_le32(&c, &u32) && u32 == 0x07060504);
    assert_false(bo_get_le16(&c, &u16));
    assert_false(bo_get_be16(&c, &u16));
    assert_false(bo_get_le32(&c, &u32));
    assert_false(bo_get_be32(&c, &u32));
    assert_false(bo_get_bytes(&c, 2, &p));
    assert_int_equal(bo_left(&c), 1); /* no failed getter has moved it */
    assert_true(bo_get_bytes(&c, 1, &p) && p == counting + 7);
    assert_false(bo_get_u8(&c, &u8));
    assert_true(bo_get_bytes(&c, 0, &p));
    c = bo_cursor(in);
    assert_true(bo_get_be32(&c, &u32) && u32 == 0x01020304);
    c = bo_cursor(in);
    assert_true(bo_get_le64(&c, &u64) && u64 == UINT64_C(0x0807060504030201));
    c = bo_cursor(in);
    assert_true(bo_get_be64(&c, &u64) && u64 == UINT64_C(0x0102030405060708));
}

/* Offsets count from the start of the whole input, not of the part that the cursor sees. */
TEST(test_cursor_inside)
{
    struct bo_cursor c = bo_cursor_at((struct bo_span){counting, sizeof counting}, 5, 2);
    struct bo_error error;
    uint8_t v;
    assert_true(bo_get_u8(&c, &v) && v == 6);
    assert_int_equal(bo_fail_here(&error, BO_CORRUPT, &c, "here"), BO_CORRUPT);
    assert_int_equal(error.off, 6);
    assert_string_equal(error.what, "here");
    assert_true(bo_get_u8(&c, &v) && v == 7);
    assert_false(bo_get_u8(&c, &v));
    assert_int_equal(bo_fail_here(NULL, BO_CORRUPT, &c, "no error wanted"), BO_CORRUPT);
}

TEST(test_span_equal)
{
    const struct bo_span a = BYTES("abc"), b = BYTES("abd"), shorter = BYTES("ab");
    assert_true(bo_span_equal(a, a));
    assert_false(bo_span_equal(a, b));
    assert_false(bo_span_equal(a, shorter));
    assert_true(bo_span_equal((struct bo_span){NULL, 0}, (struct bo_span){a.p, 0}));
}

/* By unsigned bytes, and then by length. */
TEST(test_span_compare)
{
    static const struct {
        struct bo_span a, b;
        int order;
    } cases[] = {
        {BYTES(""), BYTES(""), 0},          {BYTES(""), BYTES("a"), -1},
        {BYTES("a"), BYTES("a"), 0},        {BYTES("a"), BYTES("b"), -1},
        {BYTES("a"), BYTES("ab"), -1},      {BYTES("b"), BYTES("ab"), 1},
        {BYTES("\x7f"), BYTES("\x80"), -1},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const int order = bo_span_compare(cases[i].a, cases[i].b);
        const int reverse = bo_span_compare(cases[i].b, cases[i].a);
        assert_int_equal((order > 0) - (order < 0), cases[i].order);
        assert_int_equal((reverse > 0) - (reverse < 0), -cases[i].order);
    }
    assert_int_equal(bo_span_compare((struct bo_span){NULL, 0}, (struct bo_span){NULL, 0}), 0);
}

/* ---- the writer ------------------------------------------------------------------------------ */

TEST(test_sections)
{
    struct bo_arena arena;
    struct bo_writer out, counted;
    static const char same_name[] = "index"; /* at another address */
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_writer_init(&counted, &arena);
    bo_put_bytes(&out, "before", 6);
    bo_mark(&out, "index");
    bo_put_bytes(&out, "i", 1);
    bo_mark_aside(&out, "room");
    bo_put_zeros(&out, 5);
    bo_mark(&out, "values");
    bo_put_bytes(&out, "vv", 2);
    bo_mark(&out, same_name);
    bo_put_bytes(&out, "iii", 3);
    bo_mark(&out, "empty");
    assert_int_equal(out.n_sections, 4);
    assert_string_equal(out.sections[1].name, "room");
    assert_false(out.sections[1].counted);
    assert_int_equal(bo_writer_section_nbytes(&out, 0), 4);
    assert_int_equal(bo_writer_section_nbytes(&out, 1), 5);
    assert_int_equal(bo_writer_section_nbytes(&out, 2), 2);
    assert_int_equal(bo_writer_section_nbytes(&out, 3), 0);
    assert_int_equal(bo_writer_counted(&out), 12);
    bo_writer_copy_counted(&out, &counted);
    assert_true(bo_span_equal(bo_writer_span(&counted), (struct bo_span)BYTES("beforeivviii")));

    bo_writer_reset(&out);
    bo_writer_reset(&counted);
    bo_put_bytes(&out, "no marks", 8);
    assert_int_equal(out.n_sections, 0);
    assert_int_equal(bo_writer_counted(&out), 8);
    bo_writer_copy_counted(&out, &counted);
    assert_true(bo_span_equal(bo_writer_span(&counted), bo_writer_span(&out)));
    bo_writer_free(&counted);
    bo_writer_free(&out);
    assert_int_equal(arena.charged_nbytes, 0);
    bo_arena_free(&arena);
}

TEST(test_truncate)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_mark(&out, "a");
    bo_put_bytes(&out, "aaaa", 4);
    bo_mark_aside(&out, "b");
    bo_put_bytes(&out, "bbb", 3);
    bo_mark(&out, "c");
    bo_writer_truncate(&out, 4); /* removes the marks of b and c */
    assert_int_equal(out.n, 4);
    bo_put_bytes(&out, "a", 1);
    assert_int_equal(bo_writer_section_nbytes(&out, 0), 5);
    assert_int_equal(bo_writer_section_nbytes(&out, 1), 0);
    assert_int_equal(bo_writer_counted(&out), 5);
    bo_mark_aside(&out, "b");
    bo_put_bytes(&out, "bb", 2);
    bo_writer_truncate(&out, 6); /* inside a section: its mark stays */
    assert_int_equal(bo_writer_section_nbytes(&out, 1), 1);
    bo_writer_truncate(&out, 0);
    assert_int_equal(bo_writer_counted(&out), 0);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST(test_text)
{
    struct bo_arena arena;
    struct bo_writer out;
    char long_word[301];
    memset(long_word, 'x', 300);
    long_word[300] = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_put_text(&out, "%d %s", -5, "words");
    bo_put_text(&out, "%s", "");
    assert_true(bo_span_equal(bo_writer_span(&out), (struct bo_span)BYTES("-5 words")));
    bo_put_text(&out, "%s|", long_word);
    assert_int_equal(out.n, 8 + 301);
    assert_int_equal(out.p[out.n - 1], '|');
    bo_put_bytes(&out, NULL, 0);
    bo_put_zeros(&out, 0);
    assert_int_equal(out.n, 8 + 301);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

static void put_some(struct bo_writer *out)
{
    bo_mark(out, "one");
    for (unsigned i = 0; i < 100; i++) {
        bo_put_u8(out, 1);
        bo_put_uvarint(out, 1u << i % 32);
        bo_put_le16(out, 1);
        bo_put_be64(out, 1);
        bo_put_text(out, "%u", i);
        bo_put_zeros(out, 3);
        bo_put_bytes(out, "abc", 3);
        bo_mark(out, i % 2 ? "two" : "three");
    }
}

/* Whichever allocation fails, the writer keeps the status and returns it at the end. */
TEST(test_each_allocation_fails)
{
    uint64_t n = 1;
    for (bool complete = false; !complete; n++) {
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        arena.fail_at = n;
        bo_writer_init(&out, &arena);
        put_some(&out);
        complete = arena.n_allocs < n;
        const enum bo_status status = bo_writer_status(&out, &error);
        assert_int_equal(status, complete ? BO_OK : BO_NO_MEMORY);
        if (!complete) {
            const size_t n_bytes = out.n, n_marks = out.n_marks;
            assert_int_equal(error.off, BO_NO_OFFSET);
            assert_string_equal(error.what, "out of memory");
            put_some(&out);
            assert_int_equal(out.n, n_bytes);
            assert_int_equal(out.n_marks, n_marks);
            bo_writer_truncate(&out, 0);
            assert_int_equal(out.n, n_bytes);
            assert_null(bo_put_space(&out, 1));
        }
        bo_writer_free(&out);
        assert_int_equal(arena.charged_nbytes, 0);
        bo_arena_free(&arena);
    }
    assert_true(n > 6);
}

static void check_writer_failure(struct bo_writer *out, enum bo_status expected, const char *what)
{
    struct bo_error error = {0};
    assert_int_equal(bo_writer_status(out, &error), expected);
    assert_int_equal(error.status, expected);
    assert_string_equal(error.what, what);
    bo_writer_free(out);
}

TEST(test_writer_limits)
{
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, 1000);
    bo_writer_init(&out, &arena);
    bo_put_zeros(&out, 900);
    bo_put_zeros(&out, 900);
    assert_int_equal(out.n, 900);
    check_writer_failure(&out, BO_OVER_LIMIT, "needs more memory than the budget");

    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_put_u8(&out, 1);
    assert_null(bo_put_space(&out, SIZE_MAX));
    bo_writer_reset(&out); /* it can write again */
    bo_put_u8(&out, 1);
    assert_int_equal(out.n, 1);
    assert_null(bo_put_space(&out, SIZE_MAX));
    check_writer_failure(&out, BO_OVER_LIMIT, "needs more memory than the budget");

    bo_put_u8(&out, 1);
    assert_null(bo_put_space(&out, SIZE_MAX - 1)); /* in all as much as a size can say */
    check_writer_failure(&out, BO_NO_MEMORY, "out of memory");

    assert_null(bo_put_space(&out, SIZE_MAX / 2 + 1));
    assert_int_equal(arena.charged_nbytes, 0);
    check_writer_failure(&out, BO_NO_MEMORY, "out of memory");

    static const char *const names[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                        "9",  "10", "11", "12", "13", "14", "15", "16", "17",
                                        "18", "19", "20", "21", "22", "23", "24"};
    _Static_assert(N_ELEMENTS(names) == BO_MAX_SECTIONS + 1, "one more than there may be");
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        bo_mark(&out, names[i]);
    check_writer_failure(&out, BO_BAD_USAGE, "more sections than a writer can mark");
    bo_arena_free(&arena);
}

TEST(test_status_names)
{
    for (unsigned a = 0; a < BO_STATUS_COUNT; a++)
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(bo_status_name(a), bo_status_name(b));
    assert_string_equal(bo_status_name(BO_OK), "ok");
    assert_string_equal(bo_status_name(BO_STATUS_COUNT), "unknown status");
}

TEST_FILE(NULL, NULL)
