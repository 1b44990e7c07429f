/*
 * The codecs of shared trees. Why: a profile says the same thing many times, and these codecs say
 * it once: so what is alike must come back at each of its places, small files can stand for huge
 * trees, and a lookup must not depend on what it does not read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "codecs/autofdo/shared_trees/shared_trees.h"
#include "codecs/autofdo/shared_trees/test_trees.h"

static const char *const codec_names[] = {"shared-trees", "shared-trees-zstd"};

static struct bo_span encode(const struct bo_codec *codec, const struct autofdo_model *model,
                             struct bo_writer *out)
{
    struct bo_error error = {0};
    bo_writer_reset(out);
    if (codec->encode(codec, model, out, &error))
        fail_msg("%s: %s", codec->name, error.what);
    return bo_writer_span(out);
}

/* There and back, through every codec that was built. */
static void expect_round_trip(const struct autofdo_model *model, struct bo_arena *arena)
{
    for (size_t i = 0; i < N_ELEMENTS(codec_names); i++) {
        const struct bo_codec *codec = test_trees_codec(codec_names[i]);
        struct bo_writer out;
        struct bo_error error = {0};
        void *decoded;
        if (!codec)
            continue;
        bo_writer_init(&out, arena);
        if (test_decode(codec, encode(codec, model, &out), arena, &decoded, &error))
            fail_msg("%s: %s", codec->name, error.what);
        assert_null(autofdo_differ(model, decoded));
        bo_writer_free(&out);
    }
}

TEST(test_layout)
{
    struct bo_arena arena;
    struct bo_writer out;
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const struct autofdo_model *model = parse_text(TEST_TREES_TEXT, &arena);
    const struct bo_span bytes = encode(test_trees_codec("shared-trees"), model, &out);
    assert_int_equal(bytes.n, test_trees_file.n);
    assert_memory_equal(bytes.p, test_trees_file.p, bytes.n);
    const struct bo_codec *zstd = test_trees_codec("shared-trees-zstd");
    if (zstd) {
        assert_int_equal(test_decode(zstd, test_trees_zstd_file, &arena, &decoded, NULL), BO_OK);
        assert_null(autofdo_differ(model, decoded));
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* ---- extremes -------------------------------------------------------------------------------- */

/* What was written, as a string in the arena; the writer is given back. */
static const char *take_text(struct bo_writer *out)
{
    bo_put_u8(out, 0);
    char *text = bo_alloc(out->arena, out->n);
    assert_int_equal(out->status, BO_OK);
    assert_non_null(text);
    memcpy(text, out->p, out->n);
    bo_writer_free(out);
    return text;
}

TEST(test_extremes)
{
    static const char *const texts[] = {
        "",
        "f:0:0\n",
        "#@ file f\t\nf:0:0\n",
        "#@ timestamp 18446744073709551615\nf:0:18446744073709551615\n"
        " 0: 18446744073709551615 g:18446744073709551615 h:0\n"
        " 65535.4294967295: 1\n 65535.4294967295: f:0\n  0: 0\n",
        "#@ timestamp 1\na:0:0\n#@ timestamp 18446744073709551615\nb:0:0\nc:0:0\n",
        "f:1:0\n 1: 9223372036854775808\n 2: 1\n 3: 9223372036854775807\n 4: 0\n 5: 1\n",
        "a:0:0\n 1: b:0\n  1: a:0\n   1: b:0\n    1: a:0\nb:0:0\n 1: a:0\n 1: b:0\n",
    };
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < N_ELEMENTS(texts); i++)
        expect_round_trip(parse_text(texts[i], &arena), &arena);
    bo_arena_free(&arena);
}

/* A function with nested callees: `depth` instances, the function included. */
static const char *deep_text(unsigned depth, struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    bo_put_text(&out, "f:0:0\n");
    for (unsigned i = 1; i < depth; i++)
        bo_put_text(&out, "%*s%u: f:0\n", (int)i, "", i % 7);
    return take_text(&out);
}

TEST(test_depth)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect_round_trip(parse_text(deep_text(AUTOFDO_MAX_DEPTH, &arena), &arena), &arena);
    bo_arena_free(&arena);
}

/* More names than a block of any codec has: 16384 with zstd. */
TEST(test_blocks)
{
    enum { N_NAMES = 16384 + 100 };
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < N_NAMES; i++)
        bo_put_text(&out, "f%u:0:0\n", i);
    expect_round_trip(parse_text(take_text(&out), &arena), &arena);
    bo_arena_free(&arena);
}

TEST(test_generated)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        expect_round_trip(generate_model(seed, 1 + 4 * seed, &arena), &arena);
        bo_arena_free(&arena);
    }
}

/* ---- what is alike --------------------------------------------------------------------------- */

/* n functions that inline one and the same tree; last_count is a count of the last of them. */
static const char *alike_text(unsigned n, unsigned last_count, struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    for (unsigned i = 0; i < n; i++)
        bo_put_text(&out, "f%03u:0:0\n 1: g:0\n  1: 7\n  2: 7\n  3: h:0\n   1: %u\n   9.3: 7\n", i,
                    i + 1 == n ? last_count : 7);
    return take_text(&out);
}

TEST(test_sharing)
{
    struct bo_arena arena;
    struct bo_writer few, many, other;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&few, &arena);
    bo_writer_init(&many, &arena);
    bo_writer_init(&other, &arena);
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    encode(codec, parse_text(alike_text(100, 7, &arena), &arena), &few);
    encode(codec, parse_text(alike_text(200, 7, &arena), &arena), &many);
    assert_true(many.n - few.n <= 100 * 6); /* a name, a place, a callee, counts: nothing of g */
    /* another count is no other tree */
    encode(codec, parse_text(alike_text(200, 8, &arena), &arena), &other);
    for (unsigned i = 0; i < other.n_sections; i++)
        if (strcmp(other.sections[i].name, "structure") == 0)
            assert_int_equal(bo_writer_section_nbytes(&other, i),
                             bo_writer_section_nbytes(&many, i));
    bo_writer_free(&other);
    bo_writer_free(&many);
    bo_writer_free(&few);
    bo_arena_free(&arena);
}

/* ---- reading a part -------------------------------------------------------------------------- */

/* Whatever the counts of another function are, a function's are found. */
TEST(test_partial)
{
    struct bo_arena arena;
    struct bo_writer text, out;
    struct bo_error error = {0};
    void *reader, *decoded;
    struct {
        struct autofdo_answer answer;
        struct autofdo_found found;
        uint8_t name[8];
    } got;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    bo_put_text(&text, "a:0:2\n 1: 5 t:3\nb:0:1\n");
    for (unsigned i = 0; i < 40; i++)
        bo_put_text(&text, " %u: %u\n", i, 1000 * i * i);
    bo_put_u8(&text, 0);
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    encode(codec, parse_text((const char *)text.p, &arena), &out);
    memset(out.p + out.n - 24, 0, 16); /* among b's counts */
    assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "count is not a valid code");
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    static const char *const names[] = {"a", "b", "a"};
    for (unsigned i = 0; i < N_ELEMENTS(names); i++) {
        const struct autofdo_name_query query = {bo_span_of(names[i])};
        struct bo_sink sink = {(uint8_t *)&got, 0, sizeof got};
        assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, NULL),
                         i == 1 ? BO_CORRUPT : BO_OK);
        if (i == 1)
            continue;
        assert_int_equal(got.answer.head, 2);
        assert_int_equal(got.answer.n_targets, 1);
        assert_int_equal(got.found.count, 3);
        assert_memory_equal(got.name, "t\0\0\0\0\0\0\0", 8);
    }
    bo_writer_free(&out);
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

static enum bo_status answer_function(const struct bo_codec *codec, void *reader, const char *name)
{
    uint8_t p[4096];
    struct bo_error error;
    struct bo_sink sink = {p, 0, sizeof p};
    const struct autofdo_name_query query = {bo_span_of(name)};
    return codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, &error);
}

/* ---- numbers without limits ------------------------------------------------------------------ */

/* The places of a variant run past the structure's end, where zeros select nothing. */
TEST(test_places_past_the_end)
{
    static const uint8_t file[] = {
        0x61, 0x66, 0x73, 0x74, 0x00, 0x00, 0x01, 0x00, 0x01, 0x07, 0x00, 0x00, 0x24, 0x2a, 0x2b,
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0xff, 0xad, 0x08, 0x80, 0x40, 0xff, 0x25,
        0x94, 0xfd, 0x27, 0xf0, 0x1f, 0x00, 0x80, 0x80, 0xff, 0x00, 0x04, 0xfa, 0x0f, 0x20, 0xe0,
        0xbf, 0x80, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1a, 0x01, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x7f,
    };
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, (size_t)1 << 20);
    assert_int_equal(
        test_decode(codec, (struct bo_span){file, sizeof file}, &arena, &model, &error),
        BO_CORRUPT);
    assert_string_equal(error.what, "block does not end where the index says");
    assert_int_equal(error.off, sizeof file);
    bo_arena_free(&arena);
}

/*
 * A structure of 2^29 bytes has room for 2^32 variants, one more than numbers of variants can name:
 * 2^32 - 1 of one name and 3 of another.
 */
TEST(test_variants_without_numbers)
{
    static const uint8_t head[] = {
        0x61, 0x66, 0x73, 0x74, 0x00, 0x00, 0x02, 0x00, 0x02, 0x01, 0x00, 0x00, 0x35, 0x2a,
        0x2b, 0x80, 0x80, 0x80, 0x80, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x49, 0xff, 0xb5, 0xfa, 0xfa, 0xfa, 0xfa, 0x04, 0xfc, 0x27, 0xd0, 0x7f, 0x48, 0x15,
        0xff, 0xd5, 0xd7, 0xd7, 0x97, 0x13, 0xf8, 0x0f, 0x00, 0x40, 0xc0, 0x7f, 0x00, 0x02,
        0xfd, 0x07, 0x10, 0xf0, 0x5f, 0xc0, 0x7f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0xff, 0xff, 0xff, 0x7f, 0x0d, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x03, 0x02, 0x01,
    };
    /* the head ends with the first byte of the structure */
    const size_t n = sizeof head - 1 + ((size_t)1 << 29);
    uint8_t *file =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_error error = {0};
    void *reader;
    if (file == MAP_FAILED)
        skip(); /* an address space of 32 bits may not have room for it */
    memcpy(file, head, sizeof head);
    bo_arena_init(&arena, (size_t)1 << 31);
    assert_int_equal(codec->open(codec, (struct bo_span){file, n}, &arena, &reader, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "more variants than the structure has room for");
    bo_arena_free(&arena);
    munmap(file, n);
}

/* ---- bombs ----------------------------------------------------------------------------------- */

/*
 * A function and callees in each other, n levels deep: each inlines the next one at line 1, and z
 * at line 2. Its names are of that letter.
 */
static void put_chain(char letter, unsigned n, struct bo_writer *out)
{
    bo_put_text(out, "%c000:0:0\n", letter);
    for (unsigned i = 1; i < n; i++)
        bo_put_text(out, "%*s1: %c%03u:0\n", (int)i, "", letter, i);
    for (unsigned i = n - 1; i-- > 0;)
        bo_put_text(out, "%*s2: z:0\n", (int)i + 1, "");
}

/* A plan that a test may bend before it is written: of a chain of a's, and maybe one of b's. */
static void plan_chains(unsigned n_a, unsigned n_b, struct bo_arena *arena,
                        struct autofdo_plan *plan)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, arena);
    put_chain('a', n_a, &out);
    if (n_b)
        put_chain('b', n_b, &out);
    const struct autofdo_model *model = parse_text(take_text(&out), arena);
    if (autofdo_plan_trees(model, arena, plan, &error))
        fail_msg("%s", error.what);
}

/* The place of a name's list at which it inlines z. */
static struct autofdo_spot *spot_of_z(const struct autofdo_plan *plan, unsigned name)
{
    assert_int_equal(plan->entries[name].n_spots, 2);
    return &plan->spots[plan->entries[name].first_spot + 1];
}

static void expect_bomb(const struct autofdo_plan *plan, const char *function, const char *what)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *reader, *decoded;
    uint8_t p[1024];
    struct bo_sink sink = {p, 0, sizeof p};
    const struct autofdo_name_query query = {bo_span_of(function)};
    bo_arena_init(&arena, (size_t)1 << 20);
    bo_writer_init(&out, &arena);
    assert_int_equal(autofdo_put_plan(plan, &autofdo_phrases, &out, NULL), BO_OK);
    assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, what);
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, what);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* Each name has the next one twice: 2^100 instances. */
TEST(test_explosion)
{
    struct bo_arena arena;
    struct autofdo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    plan_chains(100, 0, &arena, &plan);
    for (unsigned i = 0; i + 2 < 100; i++)
        spot_of_z(&plan, i)->name = i + 1;
    expect_bomb(&plan, "a000", "trees expand to more than the limit");
    bo_arena_free(&arena);
}

/* Each of two functions is within the limit; a model of both is not. */
TEST(test_explosion_of_two)
{
    enum { N = 11 };
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct autofdo_plan plan;
    struct bo_writer out;
    struct bo_error error = {0};
    void *reader, *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    plan_chains(N, 3, &arena, &plan);
    for (unsigned i = 0; i + 2 < N; i++)
        spot_of_z(&plan, i)->name = i + 1;
    spot_of_z(&plan, N)->name = 0;
    assert_int_equal(autofdo_put_plan(&plan, &autofdo_phrases, &out, NULL), BO_OK);
    assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "trees expand to more than the limit");
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    assert_int_equal(answer_function(codec, reader, "a000"), BO_OK);
    assert_int_equal(answer_function(codec, reader, "b000"), BO_OK);
    struct autofdo_digest digest;
    error = (struct bo_error){0};
    assert_int_equal(codec->query(codec, reader, AUTOFDO_SCAN, NULL, 1, &digest, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "trees expand to more than the limit");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* The last name but one has the first one in it. */
TEST(test_circle)
{
    struct bo_arena arena;
    struct autofdo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    plan_chains(5, 0, &arena, &plan);
    spot_of_z(&plan, 3)->name = 0;
    expect_bomb(&plan, "a000", "functions are inlined too deeply");
    bo_arena_free(&arena);
}

/* As deep as may be, at the end of a shorter one: it is known already when it is read there. */
TEST(test_too_deep)
{
    struct bo_arena arena;
    struct autofdo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    plan_chains(AUTOFDO_MAX_DEPTH, 3, &arena, &plan);
    spot_of_z(&plan, AUTOFDO_MAX_DEPTH)->name = 0;
    expect_bomb(&plan, "b000", "functions are inlined too deeply");
    bo_arena_free(&arena);
}

/* The byte that the error names when the timestamp of one of 20 functions moves above 2^64 - 1. */
static size_t off_of_large_timestamp(unsigned large)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer out, text;
    struct bo_error error = {0};
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_writer_init(&text, &arena);
    for (unsigned f = 0; f < 20; f++)
        bo_put_text(&text, "#@ timestamp %" PRIu64 "\n%c:0:0\n",
                    f == large ? UINT64_MAX : UINT64_MAX - 0x1f, 'a' + f);
    bo_put_u8(&text, 0);
    encode(codec, parse_text((const char *)text.p, &arena), &out);
    assert_int_equal(out.p[11], 0xe0);
    out.p[11]++;
    assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "timestamp is 2^64 or more");
    bo_writer_free(&text);
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return (size_t)error.off;
}

/* A timestamp has 6 bits: those of function 19 begin 14 bytes after those of function 1. */
TEST(test_off_of_a_timestamp)
{
    assert_int_equal(off_of_large_timestamp(19) - off_of_large_timestamp(1), 14);
}

/* The first timestamp moves up by one, and the last one above 2^64 - 1. */
TEST(test_last_timestamp)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *reader, *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    encode(codec,
           parse_text("#@ timestamp 18446744073709551614\na:0:0\n"
                      "#@ timestamp 18446744073709551615\nb:0:0\n",
                      &arena),
           &out);
    assert_int_equal(out.p[11], 0xfe);
    out.p[11] = 0xff;
    assert_int_equal(test_decode(codec, bo_writer_span(&out), &arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "timestamp is 2^64 or more");
    assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
    assert_int_equal(answer_function(codec, reader, "a"), BO_OK);
    assert_int_equal(answer_function(codec, reader, "b"), BO_CORRUPT);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* ---- what nothing uses ----------------------------------------------------------------------- */

/* Writes a plan with these strings; decode must reject it with this phrase. */
static void expect_rejected(const struct autofdo_plan *plan, const struct autofdo_strings *kind,
                            const char *what)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_writer out;
    struct bo_error error = {0};
    void *decoded;
    bo_writer_init(&out, plan->arena);
    assert_int_equal(autofdo_put_plan(plan, kind, &out, NULL), BO_OK);
    assert_int_equal(test_decode(codec, bo_writer_span(&out), plan->arena, &decoded, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, what);
    bo_writer_free(&out);
}

/* A place of a list that no variant has, where another list has several variants, too. */
TEST(test_place_of_no_variant)
{
    static const char text[] = "f:0:0\n 1: x:0\n  1: 0\n 2: x:0\n  2: 0\n 3: y:0\n  1: 0\n"
                               " 4: y:0\n  1: 0\n  2: 0 t:0\n";
    enum { Y = 3, N_Y_SPOTS = 3 }; /* names: f, t, x, y */
    struct bo_arena arena;
    struct autofdo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(autofdo_plan_trees(parse_text(text, &arena), &arena, &plan, NULL), BO_OK);
    const struct autofdo_plan_entry *y = &plan.entries[Y];
    assert_int_equal(y->n_spots, N_Y_SPOTS);
    assert_int_equal(y->n_variants, 2);
    for (size_t v = 0; v < y->n_variants; v++) {
        struct autofdo_plan_variant *variant = &plan.variants[y->first_variant + v];
        if (variant->n_parts == N_Y_SPOTS)
            variant->n_parts--; /* without the target t */
    }
    plan.n_parts--;
    expect_rejected(&plan, &autofdo_phrases, "place belongs to no variant");
    bo_arena_free(&arena);
}

/* As the strings of shared-trees, but a string of 0 phrases has a code, too. */
static enum bo_status put_with_no_phrases(const struct autofdo_plan *plan,
                                          struct autofdo_code *codes, struct bo_writer *out,
                                          uint64_t *starts, struct bo_error *err)
{
    codes[AUTOFDO_PIECES].uses[0]++;
    return autofdo_phrases.put(plan, codes, out, starts, err);
}

TEST(test_code_of_no_phrases)
{
    struct autofdo_strings kind = autofdo_phrases;
    struct bo_arena arena;
    struct autofdo_plan plan;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(autofdo_plan_trees(parse_text(TEST_TREES_TEXT, &arena), &arena, &plan, NULL),
                     BO_OK);
    kind.put = put_with_no_phrases;
    expect_rejected(&plan, &kind, "code lengths do not form a prefix code");
    bo_arena_free(&arena);
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* Among names that begin alike, in several blocks: each is found, and nothing between them. */
TEST(test_lookups)
{
    enum { N = 100 };
    struct bo_arena arena;
    struct bo_writer text;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    for (unsigned i = 0; i < N; i++)
        bo_put_text(&text, "prefix%03u:0:%u\n 1: %u\n 2: callee%u:0\n", 2 * i, i + 1, i, i);
    const struct autofdo_model *model = parse_text(take_text(&text), &arena);
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        const struct bo_codec *codec = test_trees_codec(codec_names[c]);
        struct bo_writer out;
        void *reader;
        if (!codec)
            continue;
        bo_writer_init(&out, &arena);
        assert_int_equal(codec->open(codec, encode(codec, model, &out), &arena, &reader, NULL),
                         BO_OK);
        for (unsigned i = 0; i <= 2 * N; i++) {
            char name[16];
            struct autofdo_answer answer;
            struct bo_sink sink = {(uint8_t *)&answer, 0, sizeof answer};
            snprintf(name, sizeof name, "prefix%03u", i);
            const struct autofdo_name_query query = {bo_span_of(name)};
            assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, NULL),
                             BO_OK);
            assert_int_equal(answer.head, i % 2 == 0 && i < 2 * N ? i / 2 + 1 : 0);
        }
        bo_writer_free(&out);
    }
    bo_arena_free(&arena);
}

/*
 * A block that cannot be read does not affect queries for those that can, however often it is
 * queried.
 */
TEST(test_damaged_block)
{
    enum { N = 40, TIMES = 8 };
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer text, out;
    unsigned n_cases = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < N; i++)
        bo_put_text(&text, "f%02u:0:1\n 1: %u\n 2: 1\n 3: 7\n", i, i % 3);
    const struct bo_span bytes = encode(codec, parse_text(take_text(&text), &arena), &out);
    for (size_t i = 0; i < 8 * bytes.n; i++) {
        void *reader, *fresh, *model;
        out.p[i / 8] ^= (uint8_t)(1u << i % 8);
        if (codec->open(codec, bytes, &arena, &reader, NULL) == BO_OK &&
            codec->open(codec, bytes, &arena, &fresh, NULL) == BO_OK &&
            answer_function(codec, fresh, "f39") == BO_OK &&
            answer_function(codec, reader, "f00") == BO_CORRUPT) {
            for (unsigned again = 0; again < TIMES; again++)
                assert_int_equal(answer_function(codec, reader, "f00"), BO_CORRUPT);
            assert_int_equal(answer_function(codec, reader, "f39"), BO_OK);
            if (codec->decode(codec, bytes, &arena, &model, NULL) && n_cases++ == 0)
                test_keep(getenv("BAKEOFF_KEEP"), "refused-shared-trees-one-block", bytes);
        }
        out.p[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_true(n_cases > 0);
    bo_writer_free(&out);
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

/* "a", "aa" and so on. More text than a reader of such a small file would accept is not encoded. */
TEST(test_repetitive_names)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    for (unsigned n = 100; n <= 2500; n += 2400) {
        struct bo_arena arena;
        struct bo_writer text, out;
        struct bo_error error = {0};
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&text, &arena);
        bo_writer_init(&out, &arena);
        for (unsigned i = 1; i <= n; i++) {
            for (unsigned k = 0; k < i; k++)
                bo_put_u8(&text, 'a');
            bo_put_text(&text, ":1:1\n 1: 1\n");
        }
        bo_put_u8(&text, 0);
        const enum bo_status status =
            codec->encode(codec, parse_text((const char *)text.p, &arena), &out, &error);
        assert_int_equal(status, n == 100 ? BO_OK : BO_UNSUPPORTED);
        if (status)
            assert_string_equal(error.what,
                                "names expand to more than the limit for the file's size");
        bo_writer_free(&text);
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* An invalid count of a function that has no other one: a query reports it as decode does. */
TEST(test_damaged_heads)
{
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer out;
    unsigned n_cases = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const void *model = parse_text("a:0:0\nb:0:1\nc:5:5\n 1: 0\n 2: 5\nd:0:2\ne:0:0\nf:0:1\n"
                                   "g:3:3\n 1: 0\n 2: 3\nh:4:4\n 1: 0\n 2: 4\n",
                                   &arena);
    const struct bo_span bytes = encode(codec, model, &out);
    for (size_t i = 0; i < 8 * bytes.n; i++) {
        static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
        struct bo_error err = {0};
        void *reader, *decoded;
        bool failed = false;
        out.p[i / 8] ^= (uint8_t)(1u << i % 8);
        if (codec->decode(codec, bytes, &arena, &decoded, &err) == BO_CORRUPT &&
            strcmp(err.what, "count is not a valid code") == 0 &&
            codec->open(codec, bytes, &arena, &reader, NULL) == BO_OK) {
            for (size_t k = 0; k < N_ELEMENTS(names); k++)
                failed |= answer_function(codec, reader, names[k]) == BO_CORRUPT;
            assert_true(failed);
            n_cases++;
        }
        out.p[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_true(n_cases > 0);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* ---- names that do not ascend ---------------------------------------------------------------- */

/*
 * Blocks of names in another order: decode rejects them, and a lookup finds some of the names.
 * Which ones must not depend on what has been read before.
 */
TEST(test_blocks_in_another_order)
{
    enum { N_BLOCKS = 20, N = N_BLOCKS * AUTOFDO_BLOCK_NAMES };
    const struct bo_codec *codec = test_trees_codec("shared-trees");
    struct bo_arena arena;
    struct bo_writer text, out;
    struct autofdo_plan plan;
    struct autofdo_digest digest;
    struct bo_error error = {0};
    void *fresh, *used, *decoded;
    unsigned n_found = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < N; i++)
        bo_put_text(&text, "f%03u:%u:%u\n", i, i, i);
    const struct autofdo_model *model = parse_text(take_text(&text), &arena);
    assert_int_equal(autofdo_plan_trees(model, &arena, &plan, NULL), BO_OK);
    struct bo_span *sorted = plan.strings;
    plan.strings = bo_alloc_array(&arena, N, sizeof *sorted);
    for (unsigned i = 0; i < N; i++)
        plan.strings[i] = sorted[7 * AUTOFDO_BLOCK_NAMES * (i / AUTOFDO_BLOCK_NAMES) % N +
                                 i % AUTOFDO_BLOCK_NAMES];
    assert_int_equal(autofdo_put_plan(&plan, &autofdo_phrases, &out, NULL), BO_OK);
    const struct bo_span bytes = bo_writer_span(&out);
    assert_int_equal(test_decode(codec, bytes, &arena, &decoded, &error), BO_CORRUPT);
    assert_string_equal(error.what, "strings do not ascend");
    assert_int_equal(codec->open(codec, bytes, &arena, &used, NULL), BO_OK);
    assert_int_equal(codec->query(codec, used, AUTOFDO_SCAN, "", 1, &digest, NULL), BO_OK);
    for (unsigned i = 0; i < N; i++) {
        struct autofdo_answer answers[2];
        const struct autofdo_name_query query = {sorted[i]};
        assert_int_equal(codec->open(codec, bytes, &arena, &fresh, NULL), BO_OK);
        for (unsigned k = 0; k < 2; k++) {
            struct bo_sink sink = {(uint8_t *)&answers[k], 0, sizeof answers[k]};
            assert_int_equal(
                codec->query(codec, k ? used : fresh, AUTOFDO_FUNCTION, &query, 1, &sink, NULL),
                BO_OK);
        }
        assert_memory_equal(&answers[0], &answers[1], sizeof answers[0]);
        n_found += answers[0].digest.n_functions;
    }
    assert_in_range(n_found, AUTOFDO_BLOCK_NAMES, N - AUTOFDO_BLOCK_NAMES);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
