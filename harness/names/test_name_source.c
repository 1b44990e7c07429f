/*
 * Random names. Why: generated models, whose encodings have golden hashes, are identified by their
 * seeds, so the names of a seed must never change. Names that are hard for encodings must be among
 * them.
 */
#include "harness/core/hash.h"
#include "harness/names/name_source.h"

#include "harness/core/test_cmocka.h"

static struct bo_span span_of_draft(const struct bo_draft *d)
{
    return (struct bo_span){d->p, d->n};
}

TEST(test_drafts_do_not_overflow)
{
    static uint8_t bytes[5000];
    struct bo_draft d;
    d.n = 0;
    bo_draft_text(&d, "f");
    bo_draft_number(&d, UINT64_MAX);
    assert_true(bo_span_equal(span_of_draft(&d), bo_span_of("f18446744073709551615")));
    for (unsigned i = 0; i < 3; i++) {
        bo_draft_bytes(&d, bytes, sizeof bytes);
        assert_int_equal(d.n, sizeof d.p);
    }
    bo_draft_text(&d, "");
}

/* The length precedes the identifier. */
TEST(test_components)
{
    struct bo_random random = bo_random_seeded(1);
    for (unsigned i = 0; i < 300; i++) {
        struct bo_draft d;
        size_t n = 0, n_digits = 0;
        d.n = 0;
        bo_draft_component(&d, &random, i % 2);
        for (; d.p[n_digits] >= '0' && d.p[n_digits] <= '9'; n_digits++)
            n = 10 * n + d.p[n_digits] - '0';
        assert_true(n_digits > 0 && n > 0 && d.n == n_digits + n);
    }
}

/* The hash of a thousand names of each sort. */
TEST(test_names_of_a_seed)
{
    static const char *const texts[] = {"#", "a b"};
    struct bo_random random = bo_random_seeded(1);
    struct bo_draft before, d;
    uint64_t hash = 0;
    before.n = 0;
    for (unsigned i = 0; i < 4000; i++) {
        d.n = 0;
        if (i % 4 == 0)
            bo_draft_cxx_name(&d, &random);
        else if (i % 4 == 1)
            bo_draft_related_name(&d, &random, span_of_draft(&before));
        else if (i % 4 == 2)
            bo_draft_strange_name(&d, &random, span_of_draft(&before), texts, N_ELEMENTS(texts));
        else
            bo_draft_identifier(&d, &random, true);
        hash = hash * 31 + bo_hash(span_of_draft(&d));
        before = d;
    }
    assert_true(hash == UINT64_C(0x32b7cb0bf50edcc5));
}

struct seen {
    bool one_byte, same_start, longer_by_one, text, long_name, high_byte;
};

/* Includes a name that does not fit a draft. */
TEST(test_strange_names)
{
    static const char *const texts[] = {"#strange"};
    static uint8_t bytes[70000];
    memset(bytes, 'y', sizeof bytes);
    for (size_t n = 0; n <= sizeof bytes; n = n ? n * 100 : 7) {
        const struct bo_span before = {bytes, n};
        struct bo_random random = bo_random_seeded(n);
        struct seen seen = {0};
        for (unsigned i = 0; i < 1000; i++) {
            struct bo_draft d;
            d.n = 0;
            bo_draft_strange_name(&d, &random, before, texts, 1);
            const bool begins = d.n <= n && memcmp(d.p, bytes, d.n) == 0;
            seen.one_byte |= d.n == 1;
            seen.same_start |= begins;
            seen.longer_by_one |= d.n == n + 1;
            seen.text |= bo_span_equal(span_of_draft(&d), bo_span_of(texts[0]));
            seen.long_name |= d.n > 300;
            seen.high_byte |= d.n && d.p[0] >= 0x80;
        }
        assert_true(seen.one_byte && seen.same_start && seen.text && seen.long_name);
        assert_true(seen.high_byte &&
                    (seen.longer_by_one || n > sizeof(((struct bo_draft *)0)->p)));
    }
}

TEST_FILE(NULL, NULL)
