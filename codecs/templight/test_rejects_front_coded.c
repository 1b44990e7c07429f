/*
 * front-coded: its bytes, and for each mistake the status, the byte and the phrase. Why: it is the
 * baseline for names, so its sizes must be exactly those of its layout.
 */
#include "codecs/templight/test_model.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

static const struct bo_codec *front_coded(void)
{
    return bo_find_codec(format, "front-coded");
}

/* One trace, version 1, no source. */
#define TRACE "\x01\x01\0"
#define NO_FILES "\0"
#define NO_RECORDS "\0"

/* ---- bytes ----------------------------------------------------------------------------------- */

TEST(test_bytes)
{
    static const struct bo_span expected =
        BYTES("\x01\x02\x01s" /* a trace, version 2, source "s" */
              "\x03\0\x01"
              "a\x01\x02<b\x01\x01"
              "c"                                    /* names "a", "a<b", "ac" */
              "\x02\x01x\x01y"                       /* files "x", "y" */
              "\x05"                                 /* records */
              "\x18\x17\x02\0\x01\x02\0\xac\x02\0"   /* Begin of "ac", x:1:2, x:300:0 */
              "\x04\x01\x01\x07"                     /* Begin of "a<b", kind 1, memory 7 */
              "\x33\x01\x03\x04\0\0\0\0\0\0\xd0\x3f" /* End, origin y:3:4, time 0.25 */
              "\x21"                                 /* End whose origin is absent */
              "\0\0\0");                             /* Begin of "a" */
    const void *model =
        parse_text("# trace: {version: 2, source: s}\n"
                   "---\nname: ac\nkind: 23\nevent: Begin\norig: 'x:300:0'\npoi: 'x:1:2'\n"
                   "---\nname: 'a<b'\nkind: 1\nevent: Begin\norig: ''\npoi: ''\nmemory: 7\n"
                   "---\nevent: End\norig: 'y:3:4'\ntime: 0.25\n"
                   "---\nevent: End\norig: ''\n"
                   "---\nname: a\nkind: 0\nevent: Begin\norig: ''\npoi: ''\n",
                   &arena);
    struct bo_writer out;
    void *decoded;
    bo_writer_init(&out, &arena);
    assert_int_equal(front_coded()->encode(front_coded(), model, &out, NULL), BO_OK);
    assert_int_equal(out.n, expected.n);
    assert_memory_equal(out.p, expected.p, expected.n);
    assert_int_equal(test_decode(front_coded(), expected, &arena, &decoded, NULL), BO_OK);
    assert_null(format->differ(model, decoded));
    for (size_t n = 0; n < expected.n; n++) {
        struct bo_error error = {0};
        const struct bo_span cut = {expected.p, n};
        assert_int_equal(test_decode(front_coded(), cut, &arena, &decoded, &error), BO_TRUNCATED);
        assert_true(error.off <= n);
    }
    bo_writer_free(&out);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static const struct {
    struct bo_span bytes;
    enum bo_status status;
    uint64_t off;
    const char *what;
} cases[] = {
    {BYTES("\0x"), BO_CORRUPT, 1, "bytes after the last trace"},
    {BYTES("\x01\x01\x01\0"), BO_CORRUPT, 3, "text holds a NUL"},
    {BYTES(TRACE "\x01\0\x02"
                 "a\0" NO_FILES NO_RECORDS),
     BO_CORRUPT, 7, "text holds a NUL"},
    {BYTES(TRACE "\x01\x01\0" NO_FILES NO_RECORDS), BO_CORRUPT, 4,
     "prefix is longer than the name before"},
    {BYTES(TRACE "\x02\0\x01"
                 "b\0\x01"
                 "a" NO_FILES NO_RECORDS),
     BO_CORRUPT, 7, "names are not in order"},
    {BYTES(TRACE "\x02\0\x01"
                 "b\x01\0" NO_FILES NO_RECORDS),
     BO_CORRUPT, 7, "names are not in order"},
    {BYTES(TRACE "\x02\0\x01"
                 "b\0\0" NO_FILES NO_RECORDS),
     BO_CORRUPT, 7, "names are not in order"},
    {BYTES(TRACE "\x02\0\x02"
                 "bc\0\x01"
                 "b" NO_FILES NO_RECORDS),
     BO_CORRUPT, 8, "names are not in order"},
    {BYTES(TRACE "\x05\0\x01"
                 "b" NO_FILES NO_RECORDS),
     BO_TRUNCATED, 3, "count exceeds what the rest of the file can hold"},
    {BYTES(TRACE "\0\x05"
                 "a"),
     BO_TRUNCATED, 4, "count exceeds what the rest of the file can hold"},
    {BYTES(TRACE "\0" NO_FILES "\x01\0\0\0"), BO_CORRUPT, 8,
     "number of a name or file is out of range"},
    {BYTES(TRACE "\x01\0\0" NO_FILES "\x01\x08\0\0\0\0\0"), BO_CORRUPT, 11,
     "number of a name or file is out of range"},
    {BYTES(TRACE "\0" NO_FILES "\x01\x40"), BO_CORRUPT, 6,
     "record has unknown or contradictory flags"},
    {BYTES(TRACE "\0" NO_FILES "\x01\x09"), BO_CORRUPT, 6,
     "record has unknown or contradictory flags"},
    {BYTES(TRACE "\0" NO_FILES "\x01\x11"), BO_CORRUPT, 6,
     "record has unknown or contradictory flags"},
    {BYTES(TRACE "\0" NO_FILES "\x01\x20"), BO_CORRUPT, 6,
     "record has unknown or contradictory flags"},
    {BYTES(TRACE "\0" NO_FILES "\x01\x03"
                 "xxxxxxx"),
     BO_TRUNCATED, 7, "time runs past the end"},
    {BYTES(TRACE "\0" NO_FILES "\x02\x01"), BO_TRUNCATED, 7, "file ends inside the records"},
};

TEST(test_mistakes)
{
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_error error = {0};
        void *result;
        const enum bo_status status =
            test_decode(front_coded(), cases[i].bytes, &arena, &result, &error);
        if (status != cases[i].status || error.off != cases[i].off ||
            strcmp(error.what, cases[i].what) != 0)
            fail_msg("case %zu: %s at byte %lld: %s; not %s", i, bo_status_name(status),
                     (long long)error.off, error.what ? error.what : "-", cases[i].what);
        assert_int_equal(
            front_coded()->open(front_coded(), cases[i].bytes, &arena, &result, &error), status);
    }
}

/* Many names that each start with all of a long one: refused before any is put together. */
TEST(test_bomb)
{
    enum { LONG_NBYTES = 100000, N = 100000, BUDGET_NBYTES = 1 << 16 };
    struct bo_arena small;
    struct bo_writer out;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&small, BUDGET_NBYTES);
    bo_writer_init(&out, &arena);
    bo_put_bytes(&out, TRACE, 3);
    bo_put_uvarint(&out, N);
    const size_t start = out.n;
    bo_put_u8(&out, 0);
    bo_put_uvarint(&out, LONG_NBYTES);
    memset(bo_put_space(&out, LONG_NBYTES), 'x', LONG_NBYTES);
    for (unsigned i = 1; i < N; i++) {
        bo_put_uvarint(&out, LONG_NBYTES + i - 1);
        bo_put_bytes(&out, "\x01x", 2);
    }
    bo_put_bytes(&out, NO_FILES NO_RECORDS, 2);
    assert_int_equal(test_decode(front_coded(), bo_writer_span(&out), &small, &model, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "names would expand to too much");
    assert_int_equal(error.off, start);
    bo_writer_free(&out);
    bo_arena_free(&small);
}

TEST_FILE(set_up, tear_down)
