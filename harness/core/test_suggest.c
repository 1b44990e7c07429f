/*
 * Suggestions for misspelt words. Why: a word that is too far from every candidate must get none,
 * and no word of the command line may be longer than the table of distances.
 */
#include "harness/core/suggest.h"

#include "harness/core/test_cmocka.h"

static void expect_suggested(const char *word, const char *candidate, bool expected)
{
    struct bo_suggestion s = bo_suggest(word);
    bo_suggest_offer(&s, candidate);
    if ((s.best[0] != 0) != expected)
        fail_msg("%s for %s: %s", candidate, word, expected ? "not suggested" : "suggested");
}

TEST(test_distances)
{
    static const struct {
        const char *word, *candidate;
        bool suggested;
    } cases[] = {
        {"pxyntx", "point", false},    /* three, where two are near */
        {"pxyint", "point", true},     /* two */
        {"abcd", "xbcy", true},        /* two, for the shortest word of which two are near */
        {"abc", "xby", false},         /* of three letters, only one */
        {"x", "y", false},             /* nothing is left of the word */
        {"var", "varint-delta", true}, /* the start of a name */
        {"va", "varint-delta", false}, /* too short a start */
        {"", "varint-delta", false},
        {"point", "", false},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        expect_suggested(cases[i].word, cases[i].candidate, cases[i].suggested);
}

/* Of several candidates, the nearest; of equally near ones, the first. */
TEST(test_nearest)
{
    struct bo_suggestion s = bo_suggest("pcdata");
    bo_suggest_offer(&s, "pcdote");
    bo_suggest_offer(&s, "pcdato");
    assert_string_equal(bo_suggestion_text(&s), " (did you mean 'pcdato'?)");
    s = bo_suggest("point");
    static const char *const candidates[] = {"print", "paint", "joint"};
    for (size_t i = 0; i < N_ELEMENTS(candidates); i++)
        bo_suggest_offer(&s, candidates[i]);
    assert_string_equal(s.best, "print");
    s = bo_suggest("points");
    bo_suggest_offer(&s, "paints");
    bo_suggest_offer(&s, "pants");
    assert_string_equal(s.best, "paints");
}

TEST(test_longest_words)
{
    char word[BO_MAX_SUGGESTED + 2] = "", candidate[BO_MAX_SUGGESTED + 2] = "";
    for (size_t n = BO_MAX_SUGGESTED - 1; n <= BO_MAX_SUGGESTED + 1; n++) {
        memset(word, 'a', n);
        memset(candidate, 'a', n - 1);
        expect_suggested(word, candidate, n <= BO_MAX_SUGGESTED);
        expect_suggested(candidate, word, n <= BO_MAX_SUGGESTED);
    }
}

TEST_FILE(NULL, NULL)
