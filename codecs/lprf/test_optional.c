/*
 * Codecs on top of libraries. Why: a library trusts its bytes, so its input must be what it wrote,
 * at any address. A library's own limits must be errors. A codec that this program was built
 * without must be reported as such, not be missing.
 * When no such codec was built, the tests that need one report it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codecs/lprf/test_model.h"
#include "harness/check/check.h"

enum {
    HEAD_NBYTES = 48, /* of an index with a library's part */
    BDZ = 5,          /* CMPH_BDZ of cmph_types.h: a packed function starts with its algorithm */
};

/* Names with several functions among names with one. */
static const char several_text[] =
    "_ZN1aEv\n# Func Hash:\n24\n# Num Counters:\n1\n# Counter Values:\n5\n\n"
    "main\n# Func Hash:\n28\n# Num Counters:\n1\n# Counter Values:\n1\n\n"
    "main\n# Func Hash:\n1562\n# Num Counters:\n2\n# Counter Values:\n3\n4\n\n"
    "main\n# Func Hash:\n1380689\n# Num Counters:\n1\n# Counter Values:\n0\n\n"
    "main_loop\n# Func Hash:\n24\n# Num Counters:\n1\n# Counter Values:\n9\n\n"
    "step\n# Func Hash:\n7\n# Num Counters:\n1\n# Counter Values:\n2\n\n"
    "step\n# Func Hash:\n8\n# Num Counters:\n1\n# Counter Values:\n2\n\n";

static const struct bo_format *lprf(void)
{
    return bo_find_format("lprf");
}

/* The i-th optional codec that was built, NULL after the last. */
static const struct bo_codec *optional_codec(unsigned i)
{
    for (const struct bo_codec *const *c = lprf()->codecs; *c; c++)
        if ((*c)->optional && i-- == 0)
            return *c;
    return NULL;
}

static const struct bo_codec *need(const char *name)
{
    const struct bo_codec *codec = bo_find_codec(lprf(), name);
    if (!codec) {
        print_message("%s was not built here\n", name);
        skip();
    }
    return codec;
}

static void need_any(void)
{
    if (!optional_codec(0)) {
        print_message("no optional codec was built here\n");
        skip();
    }
}

static struct bo_span encode(const struct bo_codec *codec, const struct lprf_model *model,
                             struct bo_writer *out, struct bo_arena *arena)
{
    struct bo_error error = {0};
    bo_writer_init(out, arena);
    if (codec->encode(codec, model, out, &error))
        fail_msg("%s: %s", codec->name, error.what);
    return bo_writer_span(out);
}

/* "marisa+*" matches "marisa+u64". */
static bool is_named_by(const char *codec, const char *pattern)
{
    const size_t n = strcspn(pattern, "*");
    return strncmp(codec, pattern, n) == 0 && (pattern[n] == '*' || codec[n] == 0);
}

/* The list of optional codecs and the list of codecs agree. */
TEST(test_list)
{
    unsigned n_named = 0, n_optional = 0;
    assert_non_null(lprf()->optionals);
    for (const struct bo_optional *o = lprf()->optionals; o->codecs; o++) {
        unsigned n = 0;
        for (const struct bo_codec *const *c = lprf()->codecs; *c; c++)
            n += (*c)->optional && is_named_by((*c)->name, o->codecs);
        if ((n > 0) != (o->version != NULL))
            fail_msg("%s: %u codecs, %s %s", o->codecs, n, o->library,
                     o->version ? o->version : "missing");
        n_named += n;
    }
    for (const struct bo_codec *const *c = lprf()->codecs; *c; c++)
        n_optional += (*c)->optional;
    assert_int_equal(n_named, n_optional);
}

/* Every check, every byte changed, on names with several functions. */
TEST(test_checks)
{
    need_any();
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct lprf_model *model = parse_text(several_text, &arena);
    const struct lprf_model empty = {0, NULL};
    const struct bo_effort effort = bo_effort_default();
    for (unsigned i = 0; optional_codec(i); i++)
        for (const struct bo_check *check = bo_checks; check->name; check++)
            for (unsigned k = 0; k < 2; k++) {
                const struct bo_check_result result =
                    check->run(lprf(), optional_codec(i), k ? &empty : model, &effort);
                if (result.outcome != BO_PASS)
                    fail_msg("%s: %s: %s %s", optional_codec(i)->name, check->name,
                             result.finding.detail, result.why_skipped ? result.why_skipped : "");
            }
    bo_arena_free(&arena);
}

/* The bytes may lie anywhere, and may be opened again and again. */
TEST(test_alignment)
{
    need_any();
    struct bo_arena arena, readers;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_arena_init(&readers, BO_ARENA_UNLIMITED);
    const struct lprf_model *model = parse_text(several_text, &arena);
    for (unsigned i = 0; optional_codec(i); i++) {
        const struct bo_codec *codec = optional_codec(i);
        struct bo_writer out;
        const struct bo_span bytes = encode(codec, model, &out, &arena);
        uint8_t *room = bo_alloc(&arena, bytes.n + 16);
        assert_non_null(room);
        for (unsigned at = 0; at < 16; at++) {
            const struct lprf_name_query query = {bo_span_of("main_loop")};
            void *reader;
            uint32_t found = 0;
            memcpy(room + at, bytes.p, bytes.n);
            assert_int_equal(
                codec->open(codec, (struct bo_span){room + at, bytes.n}, &readers, &reader, NULL),
                BO_OK);
            assert_int_equal(codec->query(codec, reader, LPRF_CONTAINS, &query, 1, &found, NULL),
                             BO_OK);
            assert_int_equal(found, 1);
        }
        bo_writer_free(&out);
    }
    bo_arena_free(&readers);
    bo_arena_free(&arena);
}

/* What a library wrote is refused when a byte of it is another, with the checksum's offset. */
static void expect_refused(const struct bo_codec *codec, struct bo_span bytes, size_t at)
{
    struct bo_arena arena;
    struct bo_error error = {0};
    void *reader;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    uint8_t *changed = bo_alloc(&arena, bytes.n);
    assert_non_null(changed);
    memcpy(changed, bytes.p, bytes.n);
    changed[at] ^= 0x10;
    assert_int_equal(
        codec->open(codec, (struct bo_span){changed, bytes.n}, &arena, &reader, &error),
        BO_CORRUPT);
    assert_int_equal(error.off, 40);
    assert_string_equal(error.what, "the library's part is not what was written");
    bo_arena_free(&arena);
}

TEST(test_checksum)
{
    need_any();
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct lprf_model *model = parse_text(several_text, &arena);
    for (unsigned i = 0; optional_codec(i); i++) {
        const struct bo_codec *codec = optional_codec(i);
        struct bo_writer out;
        const struct bo_span bytes = encode(codec, model, &out, &arena);
        const uint64_t n = bo_le64(bytes.p + 32);
        assert_true(n > 0 && n <= bytes.n - HEAD_NBYTES);
        for (size_t at = HEAD_NBYTES; at < HEAD_NBYTES + n; at++)
            expect_refused(codec, bytes, at);
        bo_writer_free(&out);
    }
    bo_arena_free(&arena);
}

/* A flag of the last place says that another one follows: then the name is missing. */
TEST(test_places_without_end)
{
    const struct bo_codec *codec = need("cmph+u64");
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span bytes = encode(codec, parse_text(several_text, &arena), &out, &arena);
    const uint64_t end = bo_le64(bytes.p + 8);
    assert_memory_equal(bytes.p + end - 4, "step", 4);
    out.p[end - 6] |= 1;
    assert_int_equal(codec->decode(codec, bytes, &arena, &decoded, &error), BO_TRUNCATED);
    assert_int_equal(error.off, end);
    assert_string_equal(error.what, "place of a record runs past its end");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/*
 * Few names, for which libcmph tries few seeds: each set has a perfect hash function all the same.
 */
TEST(test_few_names)
{
    const struct bo_codec *codec = need("cmph+u64");
    for (unsigned seed = 1; seed <= 1000; seed++) {
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        struct bo_random random = bo_random_seeded(seed);
        void *model, *decoded;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal(lprf()->generate(&random, seed % 12, &arena, &model, &error), BO_OK);
        const struct bo_span bytes = encode(codec, model, &out, &arena);
        assert_int_equal(codec->decode(codec, bytes, &arena, &decoded, &error), BO_OK);
        assert_null(lprf()->differ(model, decoded));
        uint32_t algorithm = BDZ;
        if (bo_le64(bytes.p + 32))
            memcpy(&algorithm, bytes.p + HEAD_NBYTES, sizeof algorithm);
        assert_int_equal(algorithm, BDZ);
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

static int say_what_is_missing(void **state)
{
    for (const struct bo_optional *o = lprf()->optionals; o && o->codecs; o++)
        if (!o->version)
            print_message("%s: built without %s\n", o->codecs, o->library);
    return 0;
}

TEST_FILE(say_what_is_missing, NULL)
