/*
 * The GCOV codecs. Why: they represent what GCC and LLVM read today, so each byte must be where
 * real writers put it; and what they cannot hold must be an error, or be the same in both.
 */
#include <stdio.h>

#include "codecs/autofdo/gcov/test_gcov.h"

#include "harness/check/check.h"

static const char *const codec_names[] = {"gcov-v3", "gcov-v2", "gcov-v407"};
static const struct bo_span small_files[] = {BYTES(SMALL_V3), BYTES(SMALL_V2), BYTES(SMALL_V407)};

static const char small_text[] = "#@ file a\tf.c\n"
                                 "#@ file b\tg.h\n"
                                 "#@ timestamp 9\n"
                                 "a:12:5\n"
                                 " 1: 7\n"
                                 " 2.1: 3 t:3\n"
                                 " 3: b:2\n"
                                 "  65535: 2\n";
static const char small_text_without[] = "a:12:5\n"
                                         " 1: 7\n"
                                         " 2.1: 3 t:3\n"
                                         " 3: b:2\n"
                                         "  65535: 2\n";

static const struct bo_format *autofdo(void)
{
    return bo_find_format("autofdo");
}

static void *parse_text(const char *text, struct bo_arena *arena)
{
    void *model = NULL;
    struct bo_error error = {0};
    const struct bo_span in = {(const uint8_t *)text, strlen(text)};
    if (autofdo()->parse(in, arena, &model, &error))
        fail_msg("%s at byte %llu of:\n%s", error.what, (unsigned long long)error.off, text);
    return model;
}

/* The encoding of a text that must fit; the writer's buffer stays until the arena goes. */
static struct bo_span encode_text(const struct bo_codec *codec, const char *text,
                                  struct bo_arena *arena)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, arena);
    if (codec->encode(codec, parse_text(text, arena), &out, &error))
        fail_msg("%s: %s: %s", codec->name, error.what, text);
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const size_t n = out.n;
    bo_writer_free(&out);
    return (struct bo_span){p, n};
}

static void expect_bytes(const struct bo_codec *codec, struct bo_span bytes,
                         struct bo_span expected)
{
    for (size_t i = 0; i < bytes.n && i < expected.n; i++)
        if (bytes.p[i] != expected.p[i])
            fail_msg("%s: byte %zu is %02x, not %02x", codec->name, i, bytes.p[i], expected.p[i]);
    assert_int_equal(bytes.n, expected.n);
}

/* What the bytes hold is what the text says. */
static void expect_text(const struct bo_codec *codec, struct bo_span in, const char *text,
                        struct bo_arena *arena)
{
    void *model = NULL;
    struct bo_error error = {0};
    if (codec->decode(codec, in, arena, &model, &error))
        fail_msg("%s: %s at byte %llu", codec->name, error.what, (unsigned long long)error.off);
    const char *difference = autofdo()->differ(model, parse_text(text, arena));
    if (difference)
        fail_msg("%s: %s: %s", codec->name, text, difference);
}

/* ---- every byte of small files --------------------------------------------------------------- */

TEST(test_vectors)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(small_files); i++) {
        const struct bo_codec *codec = gcov_codec(codec_names[i]);
        expect_bytes(codec, encode_text(codec, small_text, &arena), small_files[i]);
        expect_text(codec, small_files[i], i == 0 ? small_text : small_text_without, &arena);
    }
    bo_arena_free(&arena);
}

/* Functions of one name in two files are one; the first file in the table stays. */
TEST(test_two_files)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_text(gcov_codec("gcov-v3"), (struct bo_span)BYTES(TWO_FILES), TWO_FILES_TEXT, &arena);
    bo_arena_free(&arena);
}

/* A profile without functions has the empty name, and working sets of nothing. */
TEST(test_empty)
{
    static const struct bo_span file = BYTES(HEADER(U4("\x02")) TAG("\xaa") U4("\x03") U4(
        "\x01") U4("\x01") "\0" TAG("\xac") U4("\x01") U4("\0") END X128(U4("\0") U8("\0")));
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_bytes(gcov_codec("gcov-v2"), encode_text(gcov_codec("gcov-v2"), "", &arena), file);
    expect_text(gcov_codec("gcov-v2"), file, "", &arena);
    bo_arena_free(&arena);
}

/* Strings of 0 to 8 bytes in words: there is always a NUL, so four bytes take two words. */
TEST(test_words)
{
    static const char *const texts[] = {"a:1:1\n 1: 1\n", "abc:1:1\n 1: 1\n", "abcd:1:1\n 1: 1\n",
                                        "abcdefgh:1:1\n 1: 1\n"};
    static const size_t n_words[] = {1, 1, 2, 3};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        const struct bo_codec *codec = gcov_codec("gcov-v407");
        const struct bo_span file = encode_text(codec, texts[i], &arena);
        assert_int_equal(bo_le32(file.p + 16), 1 + 2 + 1 + n_words[i]);
        assert_int_equal(bo_le32(file.p + 32), n_words[i]);
        assert_int_equal(bo_le32(file.p + 36 + 4 * n_words[i]), 0xac000000);
        expect_text(codec, file, texts[i], &arena);
    }
    bo_arena_free(&arena);
}

/*
 * Counts 12800, 6400, 6400 and 58 x 128, 33024 in all: 256 more for each set. The first count
 * exceeds the sets 0 to 48 (256 x 49 is less), so these hold no count whole; and so on.
 */
TEST(test_working_sets)
{
    char text[2000] = "a:33024:0\n 1: 12800\n 2: 6400\n 3: 6400\n";
    for (unsigned i = 0; i < 58; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u: 128\n", 4 + i);
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span file = encode_text(gcov_codec("gcov-v2"), text, &arena);
    const uint8_t *sets = file.p + file.n - 128 * 12;
    for (unsigned i = 0; i < 128; i++) {
        const unsigned share = 256 * (i + 1);
        const uint64_t next = share < 12800 ? 12800 : share < 25600 ? 6400 : 128;
        const unsigned n = share < 12800   ? 0
                           : share < 25600 ? 1 + (share - 12800) / 6400
                                           : 3 + (share - 25600) / 128;
        assert_int_equal(bo_le64(sets + 12 * i + 4), next);
        assert_int_equal(bo_le32(sets + 12 * i), n / 10);
    }
    bo_arena_free(&arena);
}

/* Files are numbered as functions and callees first need them, each path once. */
TEST(test_files)
{
    static const char text[] = "#@ file a\tz.c\n"
                               "#@ file b\ta.h\n"
                               "#@ file c\tz.c\n"
                               "#@ file d\t\n"
                               "a:3:1\n"
                               " 1: 1\n"
                               " 2: d:1\n"
                               "  1: 1\n"
                               " 3: b:1\n"
                               "  1: 1\n"
                               "c:1:1\n"
                               " 1: 1 t:1\n";
    static const struct bo_span expected =
        BYTES(U4("\x03") U4("\x04") "z.c\0" U4("\x01") "\0" U4("\x04") "a.h\0" U4("\x06")
                  U4("\x01") "\0\xff\xff\xff\xff" U4("\x02") "a\0" U4("\0")
                      U4("\x02") "b\0" U4("\x02") U4("\x02") "c\0" U4("\0")
                          U4("\x02") "d\0" U4("\x01") U4("\x02") "t\0\xff\xff\xff\xff");
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span file = encode_text(gcov_codec("gcov-v3"), text, &arena);
    expect_bytes(gcov_codec("gcov-v3"), (struct bo_span){file.p + 392, expected.n}, expected);
    expect_text(gcov_codec("gcov-v3"), file, text, &arena);
    bo_arena_free(&arena);
}

/* ---- what they cannot hold ------------------------------------------------------------------- */

/* Callees alone may have wide discriminators, too. */
TEST(test_fold_callees)
{
    static const char text[] = "a:0:1\n 1.65536: b:0\n  1: 1\n 1.2: b:0\n  1: 2\n";
    static const char folded[] = "a:0:1\n 1.1: b:0\n  1: 1\n 1.2: b:0\n  1: 2\n";
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(codec_names); i++) {
        const struct bo_codec *codec = gcov_codec(codec_names[i]);
        expect_text(codec, encode_text(codec, text, &arena), folded, &arena);
    }
    bo_arena_free(&arena);
}

/* What meets when discriminators are folded adds up, to the bottom of the trees. */
TEST(test_fold)
{
    static const char text[] = "a:0:1\n"
                               " 1.65535: 1 t:1\n"
                               " 1.4294901760: 2 s:5 t:3\n"
                               " 2.1: 4\n"
                               " 2.65536: b:0\n"
                               "  1.3: 8\n"
                               "  2: c:0\n"
                               "   1: 16\n"
                               " 2.1: b:0\n"
                               "  1.196608: 32\n"
                               "  2: c:0\n"
                               "   1.131073: 64\n"
                               "   1.3: 128\n";
    static const char folded[] = "a:0:1\n"
                                 " 1.65535: 3 s:5 t:4\n"
                                 " 2.1: 4\n"
                                 " 2.1: b:0\n"
                                 "  1.3: 40\n"
                                 "  2: c:0\n"
                                 "   1: 16\n"
                                 "   1.3: 192\n";
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(codec_names); i++) {
        const struct bo_codec *codec = gcov_codec(codec_names[i]);
        void *reduced = NULL;
        assert_int_equal(codec->reduce(codec, parse_text(text, &arena), &arena, &reduced, NULL),
                         BO_OK);
        assert_null(autofdo()->differ(reduced, parse_text(folded, &arena)));
        expect_text(codec, encode_text(codec, text, &arena), folded, &arena);
    }
    bo_arena_free(&arena);
}

TEST(test_large_counts)
{
    static const char *const texts[] = {
        "a:0:9223372036854775808\n", "a:0:0\n 1: 9223372036854775808\n",
        "a:0:0\n 1: 1 t:9223372036854775808\n", "a:0:0\n 1: b:0\n  1: 18446744073709551615\n",
        "a:0:0\n 1.1: 9223372036854775807\n 1.65536: 1\n"}; /* when folded */
    static const char largest[] = "a:0:9223372036854775807\n 1: 9223372036854775807 "
                                  "t:9223372036854775807\n 2: 9223372036854775807\n"
                                  " 3: 9223372036854775807\n";
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(codec_names); i++) {
        const struct bo_codec *codec = gcov_codec(codec_names[i]);
        expect_text(codec, encode_text(codec, largest, &arena), largest, &arena);
        for (size_t t = 0; t < N_ELEMENTS(texts); t++) {
            struct bo_writer out;
            struct bo_error error = {0};
            bo_writer_init(&out, &arena);
            if (codec->encode(codec, parse_text(texts[t], &arena), &out, &error) != BO_UNSUPPORTED)
                fail_msg("%s takes %s", codec->name, texts[t]);
            bo_writer_free(&out);
        }
    }
    bo_arena_free(&arena);
}

/* ---- the generic checks ---------------------------------------------------------------------- */

TEST(test_checks)
{
    static const char *const texts[] = {"", small_text,
                                        "#@ file f\tx.c\nf:1:1\n 1.70000: 1 g:1\n 1.4465: 2\n",
                                        "#@ file b\tx.c\n#@ file c\t\n#@ file d\tx.c\n"
                                        "a:1:1\n 1: 1\nb:2:2\n 2: 2\nc:3:3\n 3: 3\nd:4:4\n"};
    const struct bo_effort effort = bo_effort_default();
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(codec_names); i++)
        for (size_t t = 0; t < N_ELEMENTS(texts); t++)
            for (const struct bo_check *check = bo_checks; check->name; check++) {
                const struct bo_check_result result = check->run(
                    autofdo(), gcov_codec(codec_names[i]), parse_text(texts[t], &arena), &effort);
                if (result.outcome != BO_PASS)
                    fail_msg("%s: %s: %s", codec_names[i], check->name,
                             result.outcome == BO_SKIP ? result.why_skipped
                                                       : result.finding.detail);
            }
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
