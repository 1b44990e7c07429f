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

/* The nearest candidate is suggested, and the first of equally near ones. */
TEST(test_nearest)
{
    struct bo_suggestion s = bo_suggest("pointer");
    assert_string_equal(bo_suggestion_text(&s), "");
    bo_suggest_offer(&s, NULL);
    bo_suggest_offer(&s, "planter");
    bo_suggest_offer(&s, "pounder");
    assert_string_equal(s.best, "planter"); /* in both, two letters differ */
    bo_suggest_offer(&s, "painter");
    bo_suggest_offer(&s, "pointed");
    bo_suggest_offer(&s, "planter");
    assert_string_equal(bo_suggestion_text(&s), " (did you mean 'painter'?)");
    s = bo_suggest(NULL);
    bo_suggest_offer(&s, "a");
    assert_string_equal(bo_suggestion_text(&s), "");
}

TEST_FILE(NULL, NULL)
