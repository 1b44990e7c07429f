/*
 * Shared by the cmocka tests of every format: models from texts and from random numbers, and the
 * properties of every generator, text form and merge.
 *
 * The including file defines the format first: #define TEST_FORMAT "lprf".
 */
#ifndef BO_TEST_FORMAT_H
#define BO_TEST_FORMAT_H

#include "harness/core/hash.h"
#include "harness/core/test_cmocka.h"
#include "harness/file.h"
#include "harness/format_report.h"
#include "harness/queries.h"
#include "harness/registry.h"
#include "harness/test_decode.h"

static inline const struct bo_format *test_format(void)
{
    const struct bo_format *found = bo_find_format(TEST_FORMAT);
    assert_non_null(found);
    return found;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* The model of a valid text. */
static inline void *parse_text(const char *text, struct bo_arena *arena)
{
    void *model = NULL;
    struct bo_error error = {0};
    if (test_parse(test_format(), bo_span_of(text), arena, &model, &error))
        fail_msg("%s at byte %llu of:\n%s", error.what, (unsigned long long)error.off, text);
    return model;
}

/* The model's text, followed by a NUL. */
static inline struct bo_span print_text(const void *model, struct bo_arena *arena)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    assert_int_equal(test_format()->print(model, &out, NULL), BO_OK);
    bo_put_u8(&out, 0);
    const size_t n = out.n - 1;
    uint8_t *p = bo_alloc(arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    bo_writer_free(&out);
    return (struct bo_span){p, n};
}

/* A generated model. Odd seeds use a fuzzer's bytes, which give more unusual values. */
static inline void *generate_model(uint64_t seed, size_t scale, struct bo_arena *arena)
{
    uint8_t entropy[4096];
    struct bo_random random = bo_random_seeded(seed), noise = bo_random_seeded(seed);
    for (size_t i = 0; i < sizeof entropy; i++)
        entropy[i] = bo_random_u8(&noise);
    if (seed % 2)
        random = bo_random_from_bytes((struct bo_span){entropy, sizeof entropy});
    void *model;
    assert_int_equal(test_format()->generate(&random, scale, arena, &model, NULL), BO_OK);
    return model;
}

/* The number of functions, tables, ... in a model. */
static inline uint64_t count_units(const void *model)
{
    struct bo_unit units[BO_MAX_UNITS];
    assert_true(test_format()->units(model, units) > 0);
    return units[0].n;
}

/* ---- properties of every text form ----------------------------------------------------------- */

/* The text of a generated model parses to the same model, which prints the same text. */
static inline void expect_texts_survive(unsigned n_seeds, size_t scale)
{
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const void *model = generate_model(seed, scale, &arena);
        const struct bo_span text = print_text(model, &arena);
        const void *again = parse_text((const char *)text.p, &arena);
        const char *difference = test_format()->differ(model, again);
        if (difference)
            fail_msg("seed %u: %s", (unsigned)seed, difference);
        assert_true(bo_span_equal(text, print_text(again, &arena)));
        bo_arena_free(&arena);
    }
}

/* Expects that parsing the text fails with this status, at this byte, with this phrase. */
static inline void expect_mistake(struct bo_span text, size_t off, enum bo_status expected,
                                  const char *what)
{
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = test_parse(test_format(), text, &arena, &model, &error);
    if (status != expected || error.status != status || error.off != off ||
        strcmp(error.what, what) != 0)
        fail_msg("%.*s: %s at byte %llu: %s; not %s at byte %zu: %s", (int)text.n,
                 (const char *)text.p, bo_status_name(status), (unsigned long long)error.off,
                 error.what ? error.what : "-", bo_status_name(expected), off, what);
    bo_arena_free(&arena);
}

/* A text with one @, which marks the following byte as the offset of the error. */
struct marked_mistake {
    const char *text;
    enum bo_status status;
    const char *what;
};

static inline void expect_mistakes(const struct marked_mistake *mistakes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[256];
        const char *at = strchr(mistakes[i].text, '@');
        assert_true(at && strlen(mistakes[i].text) < sizeof text);
        const size_t off = (size_t)(at - mistakes[i].text);
        memcpy(text, mistakes[i].text, off);
        strcpy(text + off, at + 1);
        expect_mistake(bo_span_of(text), off, mistakes[i].status, mistakes[i].what);
    }
}

/* ---- properties of every generator ----------------------------------------------------------- */

/*
 * The broken rule of a model as a phrase, NULL when it is valid. Scratch memory comes from the
 * arena.
 */
typedef const char *(*flaw_of_model)(const void *model, struct bo_arena *arena);

/* Few models have more units than requested, and none has many more. */
static inline void expect_scale(const void *model, size_t scale, size_t *n_larger)
{
    const uint64_t n = count_units(model);
    assert_true(n <= scale + BO_MAX_EXTREME_UNITS);
    *n_larger += n > scale;
}

/*
 * Adds those kinds that have an invalid query for this model. Without one, no check runs a
 * query that a codec must reject.
 */
static inline void note_invalid(const void *model, uint32_t *kinds)
{
    for (unsigned k = 0; k < test_format()->n_kinds; k++) {
        _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES] = {0};
        *kinds |= (uint32_t)test_format()->kinds[k].invalid_at(model, 0, query) << k;
    }
}

/*
 * Models of up to max_scale units are valid, and stay valid after each of some changes. Together
 * they have invalid queries of all kinds that can have some.
 */
static inline void expect_valid_models(unsigned n_seeds, size_t max_scale, flaw_of_model flaw_of)
{
    enum { N_CHANGES = 30 };
    size_t n_larger = 0;
    uint32_t with_invalid = 0;
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        const size_t scale = seed % (max_scale + 1);
        struct bo_arena arena;
        struct bo_random random = bo_random_seeded(seed);
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        void *model = generate_model(seed, scale, &arena);
        expect_scale(model, scale, &n_larger);
        note_invalid(model, &with_invalid);
        for (unsigned i = 0; i < N_CHANGES; i++) {
            void *before = model;
            assert_int_equal(test_format()->mutate(before, &random, &arena, &model, NULL), BO_OK);
            const char *flaw = flaw_of(model, &arena);
            if (flaw)
                fail_msg("seed %u, mutation %u: %s", (unsigned)seed, i, flaw);
            assert_null(flaw_of(before, &arena)); /* the original is unchanged */
        }
        bo_arena_free(&arena);
    }
    assert_true(n_larger <= n_seeds / 8);
    for (unsigned k = 0; k < test_format()->n_kinds; k++)
        if (!(with_invalid >> k & 1) && test_format()->kinds[k].invalid_at != bo_none_invalid)
            fail_msg("%s: no invalid query", test_format()->kinds[k].name);
}

/*
 * A fuzzer's bytes end the model, whatever they are, and an empty source makes an empty model. Each
 * of n_rounds models is valid and is passed to note(), unless that is NULL.
 */
static inline void expect_models_from_bytes(unsigned n_rounds, flaw_of_model flaw_of,
                                            void (*note)(const void *model))
{
    enum { SCALE = 1000 };
    static uint8_t entropy[4096];
    size_t n_larger = 0;
    struct bo_arena arena;
    struct bo_random noise = bo_random_seeded(4);
    struct bo_random nothing = bo_random_from_bytes((struct bo_span){NULL, 0});
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (unsigned round = 0; round < n_rounds; round++) {
        for (size_t i = 0; i < sizeof entropy; i++)
            entropy[i] = round % 8 == 0 ? (uint8_t)(round * 5) : bo_random_u8(&noise);
        const size_t n = bo_random_below(&noise, sizeof entropy + 1);
        struct bo_random random = bo_random_from_bytes((struct bo_span){entropy, n});
        assert_int_equal(test_format()->generate(&random, SCALE, &arena, &model, NULL), BO_OK);
        expect_scale(model, SCALE - 1, &n_larger);
        assert_null(flaw_of(model, &arena));
        if (note)
            note(model);
        bo_arena_free(&arena);
    }
    assert_true(n_larger <= n_rounds / 8);
    assert_int_equal(test_format()->generate(&nothing, SCALE, &arena, &model, NULL), BO_OK);
    assert_true(count_units(model) == 0);
    bo_arena_free(&arena);
}

/* Passes the extreme models of the first seeds, which must be valid, to note(). */
static inline void expect_extreme_models(unsigned n_seeds, flaw_of_model flaw_of,
                                         void (*note)(const void *model))
{
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        struct bo_random random = bo_random_seeded(seed), aside;
        struct bo_arena arena;
        void *model;
        if (!bo_random_extreme(&random, &aside))
            continue;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal(test_format()->generate(&random, 4, &arena, &model, NULL), BO_OK);
        assert_null(flaw_of(model, &arena));
        note(model);
        bo_arena_free(&arena);
    }
}

/*
 * Marks in seen[] which of n phrases decode reports for files that differ from the codec's in one
 * bit, or in two neighbouring bits.
 */
static inline void note_rejections(const struct bo_codec *codec, const void *model,
                                   const char *const *phrases, size_t n, bool *seen)
{
    struct bo_error error = {0};
    struct bo_arena scratch;
    struct bo_writer out;
    void *decoded;
    bo_arena_init(&scratch, (size_t)1 << 26);
    bo_writer_init(&out, &scratch);
    assert_int_equal(codec->encode(codec, model, &out, &error), BO_OK);
    const struct bo_arena_mark mark = bo_arena_mark(&scratch);
    for (size_t bit = 0; bit < 8 * out.n; bit++)
        for (unsigned mask = 1; mask <= 3; mask += 2) {
            const uint8_t flipped = (uint8_t)(mask << bit % 8);
            out.p[bit / 8] ^= flipped;
            if (test_decode(codec, bo_writer_span(&out), &scratch, &decoded, &error))
                for (size_t i = 0; i < n; i++)
                    seen[i] |= strcmp(error.what, phrases[i]) == 0;
            out.p[bit / 8] ^= flipped;
            bo_arena_rewind(&scratch, mark);
        }
    bo_writer_free(&out);
    bo_arena_free(&scratch);
}

/* Each phrase must be reported for some file that differs so little from one of these seeds. */
static inline void expect_rejections(const char *codec, unsigned n_seeds, size_t scale,
                                     const char *const *phrases, size_t n)
{
    bool seen[16] = {false};
    size_t n_seen = 0;
    assert_true(n <= sizeof seen);
    for (uint64_t seed = 0; seed < n_seeds && n_seen < n; seed++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        note_rejections(bo_find_codec(test_format(), codec), generate_model(seed, scale, &arena),
                        phrases, n, seen);
        bo_arena_free(&arena);
        for (n_seen = 0; n_seen < n && seen[n_seen];)
            n_seen++;
    }
    if (n_seen < n)
        fail_msg("%s: no changed file is rejected with: %s", codec, phrases[n_seen]);
}

/* The hash of the text of a model after this many changes. */
static inline uint64_t hash_of_changed(uint64_t seed, size_t scale, unsigned n_mutations)
{
    struct bo_arena arena;
    struct bo_random random = bo_random_seeded(seed);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    void *model = generate_model(seed, scale, &arena);
    for (unsigned i = 0; i < n_mutations; i++)
        assert_int_equal(test_format()->mutate(model, &random, &arena, &model, NULL), BO_OK);
    const uint64_t hash = bo_hash(print_text(model, &arena));
    bo_arena_free(&arena);
    return hash;
}

/* The same seed gives the same model and the same changes. Another seed gives others. */
static inline void expect_same_seed_same_model(size_t scale)
{
    for (uint64_t seed = 0; seed < 9; seed++) {
        const uint64_t hash = hash_of_changed(seed, scale, 10);
        assert_true(hash_of_changed(seed, scale, 10) == hash);
        assert_true(hash_of_changed(seed, scale, 0) != hash);
        assert_true(hash_of_changed(seed + 1, scale, 10) != hash);
    }
}

/* Makes and changes models with each of their allocations failing. */
static inline void expect_failing_allocations(unsigned n_seeds, size_t scale)
{
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        bool complete = false;
        for (uint64_t n = 1; !complete; n++) {
            struct bo_arena small;
            struct bo_random random = bo_random_seeded(seed);
            struct bo_error error = {0};
            void *model;
            bo_arena_init(&small, BO_ARENA_UNLIMITED);
            small.fail_at = n;
            enum bo_status status = test_format()->generate(&random, scale, &small, &model, &error);
            for (unsigned i = 0; i < 4 && !status; i++)
                status = test_format()->mutate(model, &random, &small, &model, &error);
            complete = small.n_allocs < n;
            if (status != (complete ? BO_OK : BO_NO_MEMORY) || error.status != status)
                fail_msg("seed %u, allocation %u: %s", (unsigned)seed, (unsigned)n,
                         bo_status_name(status));
            bo_arena_free(&small);
        }
    }
}

/* ---- properties of every merge --------------------------------------------------------------- */

/*
 * Among the figures of a use, times and sizes decide which codec is its pick. A limit excludes
 * codecs instead; for queries that find nothing and for a cold file, each format decides.
 */
static inline void expect_uses_decide(void)
{
    const struct bo_format *format = test_format();
    assert_non_null(format->report->uses);
    for (const struct bo_use *use = format->report->uses->uses; use->use; use++) {
        const struct bo_figure *figure = &use->figure;
        const char *label = figure->label ? figure->label : "";
        const bool is_measured = figure->kind == BO_TIME || figure->kind == BO_TIME_PER_UNIT ||
                                 figure->kind == BO_SIZE_PER_UNIT ||
                                 figure->kind == BO_OUTER_PER_UNIT;
        if (use->limit != 0)
            assert_false(use->picks);
        else if (is_measured && !strstr(label, "/miss") && strcmp(label, "open-cold") != 0)
            assert_true(use->picks);
        assert_int_equal(use->limit != 0, use->fit != NULL);
    }
}

/* Merges models with each of the allocations failing. */
static inline void expect_failing_merges(const void *const *models, size_t n_models)
{
    bool complete = false;
    for (uint64_t n = 1; !complete; n++) {
        struct bo_arena small;
        struct bo_merge_report report;
        struct bo_error error = {0};
        void *merged;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        const enum bo_status status =
            test_format()->merge(models, n_models, &small, &merged, &report, &error);
        complete = small.n_allocs < n;
        assert_int_equal(status, complete ? BO_OK : BO_NO_MEMORY);
        assert_int_equal(error.status, status);
        bo_arena_free(&small);
    }
}

/* Which thing of a document the programs of the field look up; nothing in an empty one. */
static inline void expect_subjects(const char *text, const char *subject, const char *empty)
{
    struct bo_arena arena;
    unsigned n = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (const struct bo_program *p = test_format()->report->programs; p->name; p++) {
        if (!p->subject)
            continue;
        char *found = p->subject(parse_text(text, &arena));
        assert_string_equal(found, subject);
        free(found);
        assert_null(p->subject(parse_text(empty, &arena)));
        n++;
    }
    assert_true(n > 0);
    bo_arena_free(&arena);
}

#endif
