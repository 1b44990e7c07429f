/*
 * Renaming: rare words are replaced by words of the same length, the same in all names and
 * different for the next program. Words that many names share and everything else stay. Why:
 * documents that are drawn from small ones are realistic only if their names share as much as real
 * names.
 */
#include "harness/names/renaming.h"

#include <stdio.h>

#include "harness/core/test_fixture.h"

enum { N_COMMON = 40 };

static struct bo_span rename_text(struct bo_renaming *renaming, const char *name)
{
    struct bo_span renamed;
    assert_true(bo_rename(renaming, bo_span_of(name), &renamed));
    assert_int_equal(renamed.n, strlen(name));
    return renamed;
}

TEST(test_words)
{
    static const char *const rare[] = {"std::AddBytes<3>", "std::take_Bytes", "std::ab",
                                       "std::Zip_fuzz", "Qux<1>"};
    struct bo_random random = bo_random_seeded(1);
    struct bo_renaming renaming;
    char name[40];
    assert_true(bo_renaming_init(&renaming, &random, &arena));
    for (unsigned i = 0; i < N_ELEMENTS(rare); i++)
        assert_true(bo_renaming_learn(&renaming, bo_span_of(rare[i])));
    for (unsigned i = 0; i < N_COMMON; i++) {
        snprintf(name, sizeof name, "std::common%u", i);
        assert_true(bo_renaming_learn(&renaming, bo_span_of(name)));
    }
    assert_true(bo_renaming_begin(&renaming, N_COMMON + N_ELEMENTS(rare)));
    const struct bo_span first = rename_text(&renaming, rare[0]),
                         second = rename_text(&renaming, rare[1]);
    assert_memory_equal(first.p, "std::", 5);
    assert_memory_equal(first.p + 13, "<3>", 3);
    assert_memory_equal(second.p, "std::", 5);
    assert_true(second.p[9] == '_');
    assert_memory_equal(first.p + 8, second.p + 10, 5); /* the word that was Bytes */
    assert_memory_not_equal(first.p + 5, "AddBytes", 8);
    assert_true(rename_text(&renaming, "std::common7").p[5] == 'c');
    assert_memory_equal(rename_text(&renaming, "std::common7").p, "std::common7", 12);
    assert_memory_equal(rename_text(&renaming, rare[2]).p, rare[2], 7);
    assert_memory_equal(rename_text(&renaming, "Unknown").p, "Unknown", 7);
    assert_int_equal(rename_text(&renaming, "").n, 0);
    unsigned n_other = 0, n_capital = 0, n_small = 0, n_first = 0;
    for (unsigned i = 0; i < 10; i++) {
        bo_renaming_next(&renaming);
        n_other += !bo_span_equal(rename_text(&renaming, rare[0]), first);
        const struct bo_span last = rename_text(&renaming, rare[3]); /* Z and z are letters */
        n_capital += memcmp(last.p + 5, "Zip", 3) != 0;
        n_small += memcmp(last.p + 9, "fuzz", 4) != 0;
        n_first += memcmp(rename_text(&renaming, rare[4]).p, "Qux", 3) != 0; /* starts the name */
    }
    assert_true(n_other > 0 && n_capital > 0 && n_small > 0 && n_first > 0);
}

/* Bytes that are neighbours of letters are not part of words, and stay. */
TEST(test_bounds_of_letters)
{
    static const char *const rare[] = {"qux{zip", "qux`zip", "Qux[zip", "Qux@zip"};
    struct bo_random random = bo_random_seeded(1);
    struct bo_renaming renaming;
    unsigned n_changed = 0;
    assert_true(bo_renaming_init(&renaming, &random, &arena));
    for (unsigned i = 0; i < N_ELEMENTS(rare); i++)
        for (unsigned k = 0; k < 2; k++) /* letters may come from longer words */
            assert_true(bo_renaming_learn(&renaming, bo_span_of(k ? "longer wonder" : rare[i])));
    assert_true(bo_renaming_begin(&renaming, 100 * 100));
    for (unsigned round = 0; round < 20; round++, bo_renaming_next(&renaming))
        for (unsigned i = 0; i < N_ELEMENTS(rare); i++) {
            const struct bo_span renamed = rename_text(&renaming, rare[i]);
            assert_int_equal(renamed.p[3], rare[i][3]);
            n_changed += memcmp(renamed.p, rare[i], 3) != 0 && memcmp(renamed.p + 4, "zip", 3) != 0;
        }
    assert_true(n_changed > 0);
}

/* Words of at least 1% of the names, or of three names, are not rare. */
TEST(test_rare_words)
{
    static const size_t n_names[][2] = {{0, 3}, {399, 3}, {400, 4}, {1000, 10}};
    for (size_t i = 0; i < N_ELEMENTS(n_names); i++) {
        struct bo_random random = bo_random_seeded(1);
        struct bo_renaming renaming;
        assert_true(bo_renaming_init(&renaming, &random, &arena));
        assert_true(bo_renaming_begin(&renaming, n_names[i][0]));
        assert_int_equal(renaming.n_rare, n_names[i][1]);
    }
}

TEST_FILE(set_up, tear_down)
