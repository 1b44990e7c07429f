/*
 * Documents drawn from a real one: with the same number of units, each codec's bytes differ by at
 * most a tenth; and they are valid at other sizes. Why: curves over sizes are only meaningful for
 * real documents if this holds.
 *
 * If BAKEOFF_PRINT is set, prints the comparison as a table for the formats' READMEs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "corpora/documents.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

enum { TOLERANCE_PERCENT = 10 };

static bool prints;

/* Codecs to which the limit does not apply, and the reason, which the format's README has, too. */
static bool is_excused(const struct bo_format *format, const char *codec)
{
    /* Most of its bytes depend on the text's length, which a few long functions dominate. */
    return strcmp(format->name, "pcdata") == 0 && strcmp(codec, "raw") == 0;
}

static uint64_t units_of(const struct bo_format *format, const void *model)
{
    struct bo_unit units[BO_MAX_UNITS];
    format->units(model, units);
    return units[0].n;
}

/* Counted bytes; 0 if the codec cannot hold such models. */
static uint64_t nbytes_of(const struct bo_codec *codec, const void *model)
{
    struct bo_arena scratch;
    struct bo_writer bytes;
    bo_arena_init(&scratch, BO_ARENA_UNLIMITED);
    bo_writer_init(&bytes, &scratch);
    const bool ok = codec->encode(codec, model, &bytes, NULL) == BO_OK &&
                    bo_writer_status(&bytes, NULL) == BO_OK;
    const uint64_t n = ok ? bo_writer_counted(&bytes) : 0;
    bo_writer_free(&bytes);
    bo_arena_free(&scratch);
    return n;
}

static void compare(const struct bo_format *format, const struct bo_document *like,
                    const void *drawn)
{
    const double n_real = (double)units_of(format, like->model),
                 n_drawn = (double)units_of(format, drawn);
    if (prints)
        printf("\n| %s, %s | real | drawn | ratio |\n|---|--:|--:|--:|\n", format->name,
               like->provenance);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        const double real = (double)nbytes_of(*c, like->model) / n_real,
                     got = (double)nbytes_of(*c, drawn) / n_drawn;
        if (prints && real > 0)
            printf("| %s | %.2f | %.2f | %.3f |\n", (*c)->name, real, got, got / real);
        if (fabs(got - real) > real * TOLERANCE_PERCENT / 100 && !is_excused(format, (*c)->name) &&
            !prints)
            fail_msg("%s/%s: %.3f bytes for each of %s, not %.3f", format->name, (*c)->name, got,
                     like->name, real);
    }
}

/* Prints the model and parses the text again, which checks it against all rules. */
static void expect_valid(const struct bo_format *format, const void *model)
{
    struct bo_arena scratch;
    struct bo_writer text;
    struct bo_error error = {0};
    void *again;
    bo_arena_init(&scratch, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &scratch);
    assert_int_equal(format->print(model, &text, NULL), BO_OK);
    if (format->parse(bo_writer_span(&text), &scratch, &again, &error))
        fail_msg("%s: %s at byte %u", format->name, error.what, (unsigned)error.off);
    assert_null(format->differ(model, again));
    bo_writer_free(&text);
    bo_arena_free(&scratch);
}

static void *draw(const struct bo_format *format, const void *like, size_t n, uint64_t seed)
{
    struct bo_random random = bo_random_seeded(seed);
    struct bo_error error = {0};
    void *model = NULL;
    if (format->resample(like, n, &random, &arena, &model, &error))
        fail_msg("%s: %s", format->name, error.what);
    return model;
}

TEST(test_drawn)
{
    struct bo_documents all;
    unsigned n_formats = 0;
    assert_true(bo_documents_list(NULL, BO_DOCUMENTS_ALL, &all));
    for (size_t i = 0; i < all.n; i++) {
        struct bo_document *like = &all.items[i];
        const struct bo_format *format = like->format;
        if (like->n_drawn != 1000)
            continue;
        like->n_drawn = 0; /* its path is that of the real document */
        assert_true(bo_document_load(like));
        const size_t n = (size_t)units_of(format, like->model);
        compare(format, like, draw(format, like->model, n, 1));
        static const size_t sizes[] = {1, 100, 3000};
        for (unsigned s = 0; s < 3; s++) {
            const void *drawn = draw(format, like->model, sizes[s], s);
            const double ratio = (double)units_of(format, drawn) / (double)sizes[s];
            assert_true(ratio >= 1 && (sizes[s] == 1 || ratio < 1.1));
            expect_valid(format, drawn);
            assert_null(format->differ(drawn, draw(format, like->model, sizes[s], s)));
            assert_true(sizes[s] == 1 ||
                        format->differ(drawn, draw(format, like->model, sizes[s], 9)));
        }
        expect_valid(format, draw(format, like->model, n + n / 2, 1));
        n_formats++;
    }
    bo_documents_free(&all);
    assert_true(n_formats >= 2);
}

static int choose_output(void **state)
{
    prints = getenv("BAKEOFF_PRINT") != NULL;
    return set_up(state);
}

TEST_FILE(choose_output, tear_down)
